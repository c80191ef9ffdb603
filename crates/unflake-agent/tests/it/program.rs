//! A stand-in for the program: answers one agent and keeps what it says.

use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use unflake_protocol::{Configuration, Role, ToAgent, ToProgram, read_message, write_message};

pub(crate) struct Program {
    pub(crate) socket: PathBuf,
    heard: JoinHandle<Vec<ToProgram>>,
}

impl Program {
    /// Listens in `folder`; `commands` go to the agent, one after the other, each time it is through with one.
    pub(crate) fn listen(folder: &Path, configuration: Configuration, commands: Vec<ToAgent>) -> Program {
        let socket = folder.join("program.sock");
        // A socket of an earlier run in the same folder.
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).unwrap();
        let heard =
            std::thread::spawn(move || converse(&listener.accept().unwrap().0, configuration, commands));
        Program { socket, heard }
    }

    /// What the agent said. An agent that never came would leave a test waiting: this one knocks itself first.
    pub(crate) fn heard(self) -> Vec<ToProgram> {
        if !self.heard.is_finished() {
            drop(UnixStream::connect(&self.socket));
        }
        self.heard.join().unwrap()
    }
}

fn converse(mut stream: &UnixStream, configuration: Configuration, commands: Vec<ToAgent>) -> Vec<ToProgram> {
    let mut heard = Vec::new();
    let mut commands = commands.into_iter();
    while let Ok(Some(message)) = read_message::<ToProgram>(&mut stream) {
        match &message {
            ToProgram::Hello { .. } => {
                let answer = ToAgent::Configure(Box::new(configuration.clone()));
                write_message(&mut stream, &answer).unwrap();
                if configuration.role == Role::Worker
                    && let Some(command) = commands.next()
                {
                    write_message(&mut stream, &command).unwrap();
                }
            }
            ToProgram::RunFinished => {
                let command = commands.next().unwrap_or(ToAgent::Exit);
                write_message(&mut stream, &command).unwrap();
            }
            _ => {}
        }
        heard.push(message);
    }
    heard
}

pub(crate) fn configuration(role: Role) -> Configuration {
    Configuration {
        role,
        strategy: None,
        models: unflake_models::MODELS
            .iter()
            .map(|model| model.name.to_owned())
            .collect(),
        user_models: Vec::new(),
        from: Vec::new(),
        skip_from: Vec::new(),
        learn: true,
        allocations: false,
        watch: None,
        measure: false,
        evidence: None,
    }
}
