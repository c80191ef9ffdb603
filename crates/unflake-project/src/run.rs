//! One run of the build under the agent: its process, its socket and its limits.
//!
//! What the test JVMs say is put together elsewhere ([`TestJvm`]); what the build tool prints is read by the tool.

use crate::build::Build;
use crate::jvm::TestJvm;
use crate::tool::BuildTool;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use unflake_protocol::{Configuration, PROTOCOL_VERSION, ToAgent, ToProgram, write_message};
use unflake_runner::{Cancel, Children, Connection, Listener, command};

/// What to run and how.
#[derive(Clone, Debug)]
pub struct BuildRequest<'a> {
    pub build: &'a Build,
    pub agent: &'a Path,
    pub configuration: &'a Configuration,
    /// More arguments for the build tool.
    pub arguments: &'a [String],
    pub java_home: Option<&'a Path>,
    /// A directory with a short path, for the socket and the build's output.
    pub scratch: &'a Path,
    /// When to give up; `None`: the build takes as long as it takes.
    pub until: Option<Instant>,
    pub children: &'a Children,
    pub cancel: &'a Cancel,
}

/// A build that ran.
#[derive(Clone, Debug, Default)]
pub struct BuildRun {
    /// The JVMs in which a test framework woke, in the order of their waking.
    pub jvms: Vec<TestJvm>,
    /// The build itself says that it ran tests.
    pub has_reported_tests: bool,
    pub time: Duration,
}

/// Why a build gives nothing to work with.
#[derive(Debug)]
pub enum BuildError {
    Io {
        what: String,
        error: io::Error,
    },
    /// It ended with an error that is not one of its tests.
    Failed {
        command: String,
        status: String,
        output: String,
    },
    OtherProtocol(u32),
    /// It was still running when its time ran out, and was ended.
    TimedOut {
        command: String,
        after: Duration,
    },
    Cancelled,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Io { what, error } => write!(f, "{what}: {error}"),
            BuildError::Failed { command, .. } => write!(f, "the build fails: `{command}`"),
            BuildError::OtherProtocol(version) => {
                write!(
                    f,
                    "the agent speaks version {version} of the protocol, but this program speaks {PROTOCOL_VERSION}"
                )
            }
            BuildError::TimedOut { command, after } => {
                write!(f, "`{command}` was still running after {} s", after.as_secs())
            }
            BuildError::Cancelled => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for BuildError {}

const TICK: Duration = Duration::from_millis(50);

impl BuildRequest<'_> {
    /// Runs the build to its end. Everything the agents say goes to `hear` as well, for progress.
    pub fn run(&self, mut hear: impl FnMut(&ToProgram)) -> Result<BuildRun, BuildError> {
        let listener =
            Listener::bind(&self.scratch.join("build.sock")).map_err(io_error("cannot listen for agents"))?;
        let log = self.scratch.join("build.log");
        let output = File::create(&log).map_err(io_error("cannot write the build's output"))?;
        let command = self.command(&listener)?;
        let shown = shown(&command);
        let start = Instant::now();
        let mut child = self
            .children
            .spawn_watched(command, &output)
            .map_err(io_error(&format!("cannot start `{shown}`")))?;
        let mut jvms = BuildJvms::new(self);
        let end = self.wait(&mut child, &listener, &mut jvms, &mut hear);
        self.children.end(&mut child);
        let time = start.elapsed();
        let status = match end? {
            BuildEnd::Exited(status) => status,
            BuildEnd::TimeUp => {
                return Err(BuildError::TimedOut {
                    command: shown,
                    after: time,
                });
            }
            BuildEnd::Cancelled => return Err(BuildError::Cancelled),
        };
        while let Ok((number, event)) = listener.events().recv_timeout(TICK) {
            jvms.take(number, event)?;
        }
        let jvms = jvms.finish();
        let output = fs::read(&log)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default();
        let tool = self.build.tool;
        if !status.success() && !tool.only_tests_failed(&output) {
            return Err(BuildError::Failed {
                command: shown,
                status: status.to_string(),
                output: relevant(tool, &output),
            });
        }
        Ok(BuildRun {
            jvms,
            has_reported_tests: tool.has_reported_tests(&output),
            time,
        })
    }

    /// The build's command line, with its agents calling at `listener`.
    fn command(&self, listener: &Listener) -> Result<Command, BuildError> {
        let mut command = command(&self.build.program, &self.build.directory);
        self.build
            .tool
            .prepare(&mut command, self.scratch)
            .map_err(io_error("cannot prepare the build"))?;
        command.args(self.arguments).env(
            "JAVA_TOOL_OPTIONS",
            tool_options(self.agent, &listener.path().display().to_string()),
        );
        if let Some(home) = self.java_home {
            command.env("JAVA_HOME", home);
        }
        Ok(command)
    }

    /// Hears what the agents say until the build ends or may not go on.
    fn wait(
        &self,
        child: &mut Child,
        listener: &Listener,
        jvms: &mut BuildJvms<'_>,
        hear: &mut impl FnMut(&ToProgram),
    ) -> Result<BuildEnd, BuildError> {
        let exited = |status: io::Result<ExitStatus>| {
            let status = status.map_err(io_error("cannot wait for the build"))?;
            Ok(BuildEnd::Exited(status))
        };
        loop {
            if self.cancel.is_cancelled() {
                return Ok(BuildEnd::Cancelled);
            }
            if self.until.is_some_and(|until| Instant::now() >= until) {
                return Ok(BuildEnd::TimeUp);
            }
            match listener.events().recv_timeout(TICK) {
                Ok((number, event)) => {
                    if let Connection::Said(message) = &event {
                        hear(message);
                    }
                    jvms.take(number, event)?;
                }
                Err(RecvTimeoutError::Disconnected) => return exited(child.wait()),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(status) = child.try_wait().transpose() {
                        return exited(status);
                    }
                }
            }
        }
    }
}

/// How the wait for the build ended.
enum BuildEnd {
    Exited(ExitStatus),
    TimeUp,
    Cancelled,
}

fn io_error(what: &str) -> impl FnOnce(io::Error) -> BuildError {
    let what = what.to_owned();
    move |error| BuildError::Io { what, error }
}

/// The value of JAVA_TOOL_OPTIONS that loads the agent. The user's own options stay; a path with a blank is quoted,
/// which every JVM since Java 8 understands.
pub fn tool_options(agent: &Path, options: &str) -> String {
    let ours = format!("-agentpath:{}={options}", agent.display());
    let ours = if ours.contains(' ') {
        format!("\"{ours}\"")
    } else {
        ours
    };
    match std::env::var("JAVA_TOOL_OPTIONS") {
        Ok(theirs) if !theirs.trim().is_empty() => format!("{theirs} {ours}"),
        _ => ours,
    }
}

/// The lines of the output that say what went wrong: the first errors, or the end where the tool marks none.
fn relevant(tool: &dyn BuildTool, output: &str) -> String {
    const MOST: usize = 15;
    let errors = tool.errors(output);
    let lines: Vec<&str> = if errors.is_empty() {
        let all: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
        all[all.len().saturating_sub(MOST)..].to_vec()
    } else {
        errors.into_iter().take(MOST).collect()
    };
    lines.join("\n")
}

fn shown(command: &std::process::Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let arguments = command
        .get_args()
        .map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program)
        .chain(arguments)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The JVMs of one build while it runs.
struct BuildJvms<'a> {
    build: &'a Build,
    configuration: &'a Configuration,
    open: BTreeMap<usize, (Option<UnixStream>, Option<TestJvm>)>,
    done: Vec<(usize, TestJvm)>,
}

impl<'a> BuildJvms<'a> {
    fn new(request: &BuildRequest<'a>) -> BuildJvms<'a> {
        BuildJvms {
            build: request.build,
            configuration: request.configuration,
            open: BTreeMap::new(),
            done: Vec::new(),
        }
    }

    fn take(&mut self, number: usize, event: Connection) -> Result<(), BuildError> {
        match event {
            Connection::Opened(stream) => {
                self.open.insert(number, (Some(stream), None));
            }
            Connection::Said(ToProgram::Hello { protocol, java, .. }) => {
                if protocol != PROTOCOL_VERSION {
                    return Err(BuildError::OtherProtocol(protocol));
                }
                if let Some((Some(stream), jvm)) = self.open.get_mut(&number) {
                    *jvm = Some(TestJvm::new(java));
                    let configure = ToAgent::Configure(Box::new(self.configuration.clone()));
                    // A JVM that ended in between says so by closing its connection.
                    let _ = write_message(stream, &configure);
                }
            }
            Connection::Said(message) => {
                if let Some((_, Some(jvm))) = self.open.get_mut(&number) {
                    jvm.hear(message, self.build);
                }
            }
            Connection::Closed(_) => {
                if let Some((_, Some(jvm))) = self.open.remove(&number) {
                    self.done.push((number, jvm));
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Vec<TestJvm> {
        for (number, (_, jvm)) in std::mem::take(&mut self.open) {
            self.done.extend(jvm.map(|jvm| (number, jvm)));
        }
        self.done.sort_by_key(|(number, _)| *number);
        self.done.into_iter().map(|(_, jvm)| jvm).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::TOOLS;

    #[test]
    fn the_first_errors_are_shown_or_the_end_of_the_output() {
        let lines = |prefix: &str, numbers: std::ops::Range<u32>| {
            let lines: Vec<String> = numbers.map(|number| format!("{prefix} {number}")).collect();
            lines.join("\n")
        };
        for (output, expected) in [
            (
                "[INFO] a\n[ERROR] b\n[INFO] c\n".to_owned(),
                "[ERROR] b".to_owned(),
            ),
            (lines("[ERROR]", 0..30), lines("[ERROR]", 0..15)),
            (lines("said", 0..30), lines("said", 15..30)),
            ("a\n\n  \nb\n".to_owned(), "a\nb".to_owned()),
            (String::new(), String::new()),
        ] {
            assert_eq!(relevant(TOOLS.0[0], &output), expected, "{output}");
        }
    }

    #[test]
    fn a_command_is_shown_without_the_path_of_its_program() {
        let mut mvn = command("/opt/maven/bin/mvn", Path::new("/"));
        mvn.args(["--batch-mode", "test"]);
        assert_eq!(shown(&mvn), "mvn --batch-mode test");
    }
}
