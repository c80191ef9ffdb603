//! What a JVM prints. However much that is, only the end of it is kept, and in memory: a test that prints for ever must
//! not fill the disk.

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// So much is kept.
const KEPT: usize = 256 * 1024;

/// What somebody prints into a pipe.
#[derive(Clone, Debug)]
pub(crate) struct Output(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    printed: Mutex<Printed>,
    has_ended: Condvar,
}

#[derive(Debug, Default)]
struct Printed {
    end: VecDeque<u8>,
    /// In bytes, with what is no longer kept.
    length: u64,
    has_ended: bool,
}

impl Output {
    /// An output, and where to print to.
    pub(crate) fn new() -> io::Result<(Output, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        let output = Output(Arc::default());
        let shared = output.0.clone();
        thread::Builder::new()
            .name("output".to_owned())
            .spawn(move || shared.read(reader))?;
        Ok((output, writer))
    }

    /// How much was printed so far.
    pub(crate) fn length(&self) -> u64 {
        self.0.printed().length
    }

    /// The last part of what was printed so far.
    pub(crate) fn tail(&self, length: usize) -> String {
        let printed = self.0.printed();
        let skipped = printed.end.len().saturating_sub(length);
        let bytes: Vec<u8> = printed.end.iter().skip(skipped).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The same of somebody who has ended. What it left running may print on, and is not waited for.
    pub(crate) fn last(&self, length: usize) -> String {
        const WAIT: Duration = Duration::from_millis(200);
        let printed = self.0.printed();
        let waited = self
            .0
            .has_ended
            .wait_timeout_while(printed, WAIT, |printed| !printed.has_ended);
        drop(waited);
        self.tail(length)
    }
}

impl Shared {
    fn printed(&self) -> MutexGuard<'_, Printed> {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, mut from: PipeReader) {
        let mut part = vec![0; 64 * 1024];
        loop {
            match from.read(&mut part) {
                Ok(0) => break,
                Ok(length) => {
                    let mut printed = self.printed();
                    printed.length += length as u64;
                    printed.end.extend(&part[..length]);
                    let over = printed.end.len().saturating_sub(KEPT);
                    printed.end.drain(..over);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.printed().has_ended = true;
        self.has_ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn only_the_end_is_kept_and_all_is_counted() {
        let (output, mut print) = Output::new().unwrap();
        let line = [b'x'; 1024];
        for _ in 0..1024 {
            print.write_all(&line).unwrap();
        }
        print.write_all(b"the end").unwrap();
        drop(print);
        assert_eq!(output.last(7), "the end");
        assert_eq!(output.length(), 1024 * 1024 + 7);
        assert_eq!(output.tail(usize::MAX).len(), KEPT);
    }

    #[test]
    fn who_leaves_somebody_printing_is_not_waited_for() {
        let (output, mut print) = Output::new().unwrap();
        print.write_all(b"so far").unwrap();
        while output.length() < 6 {
            thread::yield_now();
        }
        assert_eq!(output.last(100), "so far");
        drop(print);
    }
}
