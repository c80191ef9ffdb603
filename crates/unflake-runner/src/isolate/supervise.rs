//! Looking after one program: waiting for it, ending it when nobody wants it any more, and telling how it ended.

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, kill_process, setrlimit, wait,
};
use std::fs;
use std::io::{self, Read};
use std::process::ExitCode;
use std::thread;

/// Whoever writes this byte wants to see what the program's threads do: it gets `SIGQUIT`, and a JVM then prints them.
pub(crate) const DUMP_THREADS: u8 = b'q';

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Exited(u8),
    Killed(u8),
}

impl Ended {
    fn of(status: WaitStatus) -> Option<Ended> {
        let byte = |number: i32| u8::try_from(number).unwrap_or(u8::MAX);
        let exited = status.exit_status().map(|code| Ended::Exited(byte(code)));
        exited.or_else(|| {
            status
                .terminating_signal()
                .map(|signal| Ended::Killed(byte(signal)))
        })
    }

    pub(super) fn bytes(self) -> [u8; 2] {
        match self {
            Ended::Exited(code) => [0, code],
            Ended::Killed(signal) => [1, signal],
        }
    }

    pub(super) fn parse(bytes: &[u8]) -> Option<Ended> {
        match bytes {
            [0, code] => Some(Ended::Exited(*code)),
            [1, signal] => Some(Ended::Killed(*signal)),
            _ => None,
        }
    }

    /// Ends this process in the same way, as far as it can.
    pub(super) fn repeat(self) -> ExitCode {
        match self {
            Ended::Exited(code) => ExitCode::from(code),
            Ended::Killed(signal) => {
                // The program has left its core already.
                let no_core = Rlimit {
                    current: Some(0),
                    maximum: Some(0),
                };
                let _ = setrlimit(Resource::Core, no_core);
                if let Some(signal) = Signal::from_named_raw(i32::from(signal)) {
                    // Rust's own handlers of some signals give up at the first one, and the kernel's take over.
                    for _ in 0..2 {
                        let _ = kill_process(getpid(), signal);
                    }
                }
                ExitCode::from(128_u8.saturating_add(signal))
            }
        }
    }
}

/// Waits for a child, and buries whoever else dies meanwhile. When `wishes` ends, the child is ended.
pub(super) fn look_after(child: Pid, mut wishes: impl Read + Send + 'static) -> io::Result<Ended> {
    let listen = move || {
        let mut wish = [0];
        loop {
            match wishes.read(&mut wish) {
                Ok(1) if wish == [DUMP_THREADS] => {
                    let _ = kill_process(child, Signal::QUIT);
                }
                Ok(1) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => break,
            }
        }
        let _ = kill_process(child, Signal::KILL);
    };
    thread::Builder::new().name("wishes".to_owned()).spawn(listen)?;
    wait_for(child)
}

pub(super) fn wait_for(child: Pid) -> io::Result<Ended> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((dead, status))) if dead == child => {
                if let Some(ended) = Ended::of(status) {
                    return Ok(ended);
                }
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Ends all children of this process, and theirs, which become its own as their parents die.
pub(super) fn end_the_rest() {
    // Each turn ends a generation at least, and who forks faster than this has a right to some luck.
    const TURNS: usize = 1000;
    for _ in 0..TURNS {
        // Without a living child there is nothing to look for.
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return,
            Ok(None) => {}
        }
        for child in children() {
            let _ = kill_process(child, Signal::KILL);
        }
        if wait(WaitOptions::empty()).is_err() {
            return;
        }
    }
}

fn children() -> Vec<Pid> {
    let parent = getpid();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes
        .filter(|process| parent_of(*process) == Some(parent.as_raw_pid()))
        .filter_map(Pid::from_raw)
        .collect()
}

/// `7 (a name with ) in it) S PARENT …`
fn parent_of(process: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(") ")?;
    after_name.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_in_two_bytes() {
        for ended in [Ended::Exited(0), Ended::Exited(137), Ended::Killed(9)] {
            assert_eq!(Ended::parse(&ended.bytes()), Some(ended));
        }
        assert_eq!((Ended::parse(&[]), Ended::parse(&[7, 7])), (None, None));
    }

    #[test]
    fn a_process_knows_its_parent() {
        let own = parent_of(getpid().as_raw_pid());
        assert_eq!(own, rustix::process::getppid().map(Pid::as_raw_pid));
        assert_eq!(parent_of(-1), None);
    }
}
