//! The socket to the program. Senders on any thread share one lock; a message that is not urgent waits for the next one
//! that is.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use unflake_protocol::{ToAgent, ToProgram, read_message, write_message};

/// The program answers at once; one that does not is gone or busy ending.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waiting messages are sent at the latest when they are this long.
const LONGEST_QUEUE: usize = 64 << 10;

pub(crate) struct Connection {
    to_program: Mutex<Sender>,
    from_program: Mutex<UnixStream>,
}

struct Sender {
    /// `None` after the connection broke.
    stream: Option<UnixStream>,
    queue: Vec<u8>,
}

impl Connection {
    /// `None`: nobody listens there.
    pub(crate) fn open(socket: &Path) -> Option<Connection> {
        let stream = UnixStream::connect(socket).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let reader = stream.try_clone().ok()?;
        let sender = Sender {
            stream: Some(stream),
            queue: Vec::new(),
        };
        Some(Connection {
            to_program: Mutex::new(sender),
            from_program: Mutex::new(reader),
        })
    }

    pub(crate) fn send(&self, message: &ToProgram) {
        let mut sender = self.to_program.lock().unwrap_or_else(PoisonError::into_inner);
        sender.push(message);
        sender.flush();
    }

    /// Sends together with the next message, or when enough has gathered.
    pub(crate) fn queue(&self, message: &ToProgram) {
        let mut sender = self.to_program.lock().unwrap_or_else(PoisonError::into_inner);
        sender.push(message);
        if sender.queue.len() > LONGEST_QUEUE {
            sender.flush();
        }
    }

    pub(crate) fn flush(&self) {
        self.to_program
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .flush();
    }

    /// The next message; `None` when the program is gone.
    pub(crate) fn receive(&self) -> Option<ToAgent> {
        let mut reader = self.from_program.lock().unwrap_or_else(PoisonError::into_inner);
        read_message(&mut *reader).ok().flatten()
    }

    #[cfg(feature = "faults")]
    pub(crate) fn cut(&self) {
        let reader = self.from_program.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = reader.shutdown(std::net::Shutdown::Both);
    }

    /// From now on a message may take as long as it likes.
    pub(crate) fn wait_forever(&self) {
        let reader = self.from_program.lock().unwrap_or_else(PoisonError::into_inner);
        // With a timeout left in place a worker ends early, and is started again.
        let _ = reader.set_read_timeout(None);
    }
}

impl Sender {
    fn push(&mut self, message: &ToProgram) {
        if self.stream.is_some() {
            // Writing into memory fails only for messages that the wire cannot carry, and there are none.
            let _ = write_message(&mut self.queue, message);
        }
    }

    /// After an error the program is not there any more: tests go on unheard.
    fn flush(&mut self) {
        if let Some(stream) = &mut self.stream
            && stream.write_all(&self.queue).is_err()
        {
            self.stream = None;
        }
        self.queue.clear();
    }
}
