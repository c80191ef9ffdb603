//! Sockets on which agents report.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use unflake_protocol::{ToAgent, ToProgram, WireError, read_message, write_message};

/// A socket at which agents may call. Everything they say comes out of one channel.
#[derive(Debug)]
pub struct Listener {
    path: PathBuf,
    events: Receiver<(usize, Connection)>,
}

/// What happened on one agent's connection.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "each event is moved once, out of the channel"
)]
pub enum Connection {
    /// An agent called; this is how to answer it.
    Opened(UnixStream),
    Said(ToProgram),
    /// It hung up, or said something that is not our protocol.
    Closed(Option<WireError>),
}

impl Listener {
    /// Listens at `path`, which must not exist. The threads end when the listener is dropped and the agents are gone.
    pub fn bind(path: &Path) -> io::Result<Listener> {
        let socket = UnixListener::bind(path)?;
        let (sender, events) = channel();
        thread::Builder::new()
            .name("agents".to_owned())
            .spawn(move || accept(&socket, &sender))?;
        Ok(Listener {
            path: path.to_owned(),
            events,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What agents say, each with the number of its connection.
    pub fn events(&self) -> &Receiver<(usize, Connection)> {
        &self.events
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // One last call wakes the accepting thread, which then finds nobody listening to it.
        let last = UnixStream::connect(&self.path);
        let _ = std::fs::remove_file(&self.path);
        drop(last);
    }
}

fn accept(socket: &UnixListener, sender: &Sender<(usize, Connection)>) {
    for (number, stream) in socket.incoming().enumerate() {
        let Ok(stream) = stream else { return };
        let Ok(answer) = stream.try_clone() else { return };
        if sender.send((number, Connection::Opened(answer))).is_err() {
            return;
        }
        let sender = sender.clone();
        let reader = thread::Builder::new().name("agent".to_owned());
        if reader.spawn(move || read(number, stream, &sender)).is_err() {
            return;
        }
    }
}

fn read(number: usize, stream: UnixStream, sender: &Sender<(usize, Connection)>) {
    let mut stream = io::BufReader::with_capacity(1 << 16, stream);
    loop {
        let event = match read_message(&mut stream) {
            Ok(Some(message)) => Connection::Said(message),
            Ok(None) => Connection::Closed(None),
            // A JVM that is killed closes its socket in the middle of a message.
            Err(WireError::Io(_)) => Connection::Closed(None),
            Err(error) => Connection::Closed(Some(error)),
        };
        let is_end = matches!(event, Connection::Closed(_));
        if sender.send((number, event)).is_err() || is_end {
            return;
        }
    }
}

/// Says something to an agent.
pub(crate) fn say(stream: &mut UnixStream, message: &ToAgent) -> Result<(), WireError> {
    write_message(stream, message)
}
