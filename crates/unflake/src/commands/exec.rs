//! `unflake exec -- COMMAND`: runs anything under the agent, its tests (or whole programs) varied.

use crate::args::Window;
use crate::embedded;
use crate::exit::ExitCode;
use crate::interrupt::Interrupt;
use crate::settings::ExecSettings;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::Duration;
use unflake_check::{Problem, problem};
use unflake_check::{configuration, scratch, seed};
use unflake_findings::{LevelSetting, ProjectStore};
use unflake_project::tool_options;
use unflake_protocol::{
    Configuration, Form, Level, Outcome, Role, Strategy, ToAgent, ToProgram, write_message,
};
use unflake_runner::{Connection, Listener, command};

const TICK: Duration = Duration::from_millis(50);

/// The command's own exit code is the result.
pub(crate) fn run(settings: ExecSettings) -> Result<ExitCode, Problem> {
    let store = ProjectStore::open(&settings.place.store, &settings.place.project)?;
    let seed = seed(settings.vary.seed, &store)?;
    let level = match settings.vary.level {
        LevelSetting::Climb => Level::Full,
        LevelSetting::Only(level) => level,
    };
    let strategy = Strategy {
        level,
        form: Form::Random(seed),
    };
    let role = match settings.window {
        Window::Tests => Role::Build,
        Window::Program => Role::Program,
    };
    let configuration = Configuration {
        role,
        strategy: Some(strategy),
        ..configuration(&settings.vary)?
    };
    let unpacked = embedded::unpack(&settings.place.store)?;
    let interrupt = Interrupt::install()?;
    let scratch = scratch()?;
    let listener = Listener::bind(&scratch.path().join("agent.sock"))
        .map_err(|error| problem!(CannotWork, "cannot listen for agents").cause(error))?;

    let Some((program, arguments)) = settings.command.split_first() else {
        return Err(problem!(Usage, "no command after `--`"));
    };
    let options = match role {
        Role::Program => format!("{},program", listener.path().display()),
        Role::Build | Role::Worker => listener.path().display().to_string(),
    };
    let mut command = command(program, &settings.place.project);
    command
        .args(arguments)
        .env("JAVA_TOOL_OPTIONS", tool_options(&unpacked.agent, &options));
    if let Some(home) = &settings.place.java {
        command.env("JAVA_HOME", home);
    }
    // In our own process group, so that it can be talked to at the terminal and Ctrl-C reaches it as well.
    let mut child = command.spawn().map_err(|error| {
        problem!(CannotWork, "cannot start `{}`", program.display())
            .cause(error)
            .hint("write the command after `--` as in a shell")
    })?;
    let mut seen = ExecSeen::default();
    let status = loop {
        match listener.events().recv_timeout(TICK) {
            Ok((number, event)) => seen.take(number, event, &configuration),
            Err(_) => match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(error) => {
                    return Err(problem!(CannotWork, "cannot wait for `{}`", program.display()).cause(error));
                }
            },
        }
    };
    while let Ok((number, event)) = listener.events().recv_timeout(TICK) {
        seen.take(number, event, &configuration);
    }
    if !settings.screen.quiet {
        let summary = seen.summary(role, strategy);
        // If standard error is closed, there is nowhere to report it.
        let _ = anstream::stderr().write_all(summary.as_bytes());
    }
    if let Some(code) = interrupt.exit_code() {
        return Ok(code);
    }
    Ok(ExitCode::OfCommand(
        status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(1),
    ))
}

/// What the agents said.
#[derive(Debug, Default)]
struct ExecSeen {
    streams: BTreeMap<usize, std::os::unix::net::UnixStream>,
    jvms: u32,
    tests: u32,
    failed: Vec<String>,
    choices: u64,
    troubles: Vec<String>,
}

impl ExecSeen {
    fn take(&mut self, number: usize, event: Connection, configuration: &Configuration) {
        match event {
            Connection::Opened(stream) => {
                self.streams.insert(number, stream);
            }
            Connection::Said(ToProgram::Hello { .. }) => {
                self.jvms += 1;
                if let Some(stream) = self.streams.get_mut(&number) {
                    // A JVM that ended in between says so by closing its connection.
                    let _ = write_message(stream, &ToAgent::Configure(Box::new(configuration.clone())));
                }
            }
            Connection::Said(ToProgram::TestFinished {
                test,
                outcome,
                choices,
                ..
            }) => {
                self.tests += 1;
                self.choices += choices.count;
                if matches!(outcome, Outcome::Failed(_)) {
                    self.failed.push(test.id(".").to_string());
                }
            }
            Connection::Said(ToProgram::NotApplied { method, reason }) => {
                self.troubles.push(format!("`{method}` was not varied: {reason}"));
            }
            Connection::Said(ToProgram::Bug { message }) => {
                self.troubles
                    .push(format!("the agent switched itself off: {message}"));
            }
            Connection::Said(_) | Connection::Closed(_) => {}
        }
    }

    fn summary(&self, role: Role, strategy: Strategy) -> String {
        let mut text = format!("unflake: {} JVMs varied, {strategy}", self.jvms);
        if role == Role::Build {
            text.push_str(&format!(
                "; {} tests, {} failed, {} choices",
                self.tests,
                self.failed.len(),
                self.choices
            ));
        }
        text.push('\n');
        if self.jvms == 0 {
            text.push_str("unflake: warning: nothing was varied: the agent found no JVM that runs tests\n");
        }
        for trouble in &self.troubles {
            text.push_str(&format!("unflake: warning: {trouble}\n"));
        }
        text
    }
}
