//! One run of the build under the agent: its process, its socket and its limits.
//!
//! What the test JVMs say is put together elsewhere ([`TestJvm`]); what the build tool prints is read by the tool.

use crate::build::Build;
use crate::jvm::TestJvm;
use crate::lost::{LostJvm, lost_jvms};
use crate::tool::BuildTool;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use unflake_protocol::{Configuration, PROTOCOL_VERSION, ToAgent, ToProgram, write_message};
use unflake_runner::{Cancel, Children, CommandEnd, Connection, Listener, Unheard, command, end_process};

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
    /// How long a test may be silent before its JVM is ended.
    pub silence: Silence,
    pub children: &'a Children,
    pub cancel: &'a Cancel,
}

/// How long a test of the build may be silent: this long, and this many times the slowest test so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    pub least: Duration,
    pub times: u32,
}

impl Silence {
    pub fn after(self, slowest: Duration) -> Duration {
        self.least.max(slowest.saturating_mul(self.times))
    }
}

/// A build that ran.
#[derive(Clone, Debug, Default)]
pub struct BuildRun {
    /// The JVMs in which a test framework woke, in the order of their waking.
    pub jvms: Vec<TestJvm>,
    /// The build itself says that it ran tests.
    pub has_reported_tests: bool,
    /// What JVMs said that did not start, each line once.
    pub not_started: Vec<String>,
    /// Test JVMs that ended before their tests did; the tests behind them did not run.
    pub lost: Vec<LostJvm>,
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
    /// It was still running when its time ran out, and was ended. `run`: what it did until then.
    TimedOut {
        command: String,
        after: Duration,
        run: Box<BuildRun>,
    },
    /// The user has had enough.
    Cancelled {
        run: Box<BuildRun>,
    },
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
            BuildError::TimedOut { command, after, .. } => {
                write!(f, "`{command}` was still running after {} s", after.as_secs())
            }
            BuildError::Cancelled { .. } => f.write_str("interrupted"),
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
        let end = end?;
        while let Ok((number, event)) = listener.events().recv_timeout(TICK) {
            jvms.take(number, event)?;
        }
        self.judge(end, jvms.finish(), &text(&log), &shown, start.elapsed())
    }

    /// Compiles the tests if one of these directories is gone: a test of the build may have deleted it. Whether it did.
    pub fn restore(&self, directories: &BTreeSet<PathBuf>) -> Result<bool, BuildError> {
        if directories.iter().all(|directory| directory.exists()) {
            return Ok(false);
        }
        let log = self.scratch.join("compile.log");
        let output = File::create(&log).map_err(io_error("cannot write the build's output"))?;
        let mut command = self.program();
        self.build
            .tool
            .compile(&mut command, self.scratch)
            .map_err(io_error("cannot prepare the build"))?;
        command.args(self.arguments);
        let shown = shown(&command);
        let start = Instant::now();
        let limit = self
            .until
            .map_or(Duration::MAX, |until| until.saturating_duration_since(start));
        let end = self
            .children
            .run_watched(command, &output, limit, self.cancel)
            .map_err(io_error(&format!("cannot start `{shown}`")))?;
        match end {
            CommandEnd::Exited(status) if status.success() => Ok(true),
            CommandEnd::Exited(status) => Err(BuildError::Failed {
                command: shown,
                status: status.to_string(),
                output: relevant(self.build.tool, &text(&log)),
            }),
            CommandEnd::TimeUp => Err(BuildError::TimedOut {
                command: shown,
                after: start.elapsed(),
                run: Box::default(),
            }),
            CommandEnd::Cancelled => Err(BuildError::Cancelled { run: Box::default() }),
        }
    }

    /// What the end of the build means.
    fn judge(
        &self,
        end: BuildEnd,
        jvms: Vec<TestJvm>,
        output: &str,
        command: &str,
        time: Duration,
    ) -> Result<BuildRun, BuildError> {
        let tool = self.build.tool;
        let mut run = BuildRun {
            jvms,
            has_reported_tests: tool.has_reported_tests(output),
            not_started: not_started(output),
            lost: Vec::new(),
            time,
        };
        let status = match end {
            BuildEnd::Exited(status) => status,
            BuildEnd::TimeUp => {
                return Err(BuildError::TimedOut {
                    command: command.to_owned(),
                    after: time,
                    run: Box::new(run),
                });
            }
            BuildEnd::Cancelled => return Err(BuildError::Cancelled { run: Box::new(run) }),
        };
        // Only a build that has noticed it has lost a JVM: nothing depends on messages that may have been lost.
        let has_noticed = !status.success() || tool.has_lost_jvm(output);
        run.lost = lost_jvms(tool, &run.jvms, output, has_noticed);
        if !status.success() && !tool.only_tests_failed(output) && run.lost.is_empty() {
            return Err(BuildError::Failed {
                command: command.to_owned(),
                status: status.to_string(),
                output: relevant(tool, output),
            });
        }
        Ok(run)
    }

    /// The build's command line, with its agents calling at `listener`.
    fn command(&self, listener: &Listener) -> Result<Command, BuildError> {
        let mut command = self.program();
        self.build
            .tool
            .prepare(&mut command, self.arguments, self.scratch)
            .map_err(io_error("cannot prepare the build"))?;
        command.args(self.arguments).env(
            self.build.tool.facts().agent_variable,
            tool_options(self.agent, &listener.path().display().to_string()),
        );
        Ok(command)
    }

    /// The build tool in the project, without arguments.
    fn program(&self) -> Command {
        let mut command = command(&self.build.program, &self.build.directory);
        if let Some(home) = self.java_home {
            command.env("JAVA_HOME", home);
        }
        command
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
            jvms.end_silent(self.silence);
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

/// All that a build has printed.
fn text(log: &Path) -> String {
    let bytes = fs::read(log).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
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

/// The lines in which a JVM itself says why it does not start. `[ERROR]` is what Maven puts before some of them.
fn not_started(output: &str) -> Vec<String> {
    const SAID: [&str; 6] = [
        "Error: Could not create the Java Virtual Machine",
        "Error: Could not find or load main class",
        "Error occurred during initialization of",
        "Unrecognized option: ",
        "Unrecognized VM option ",
        "Invalid maximum heap size",
    ];
    let mut lines: Vec<String> = Vec::new();
    for line in output.lines() {
        let line = line.strip_prefix("[ERROR]").unwrap_or(line).trim();
        let is_new = !lines.iter().any(|known| known == line);
        if is_new && SAID.iter().any(|start| line.starts_with(start)) {
            lines.push(line.to_owned());
        }
    }
    lines
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
    open: BTreeMap<usize, OpenJvm>,
    done: Vec<(usize, TestJvm)>,
}

/// A JVM that has called.
struct OpenJvm {
    stream: UnixStream,
    /// `None`: it has not said yet which one it is.
    jvm: Option<TestJvm>,
    unheard: Unheard,
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
                let opened = OpenJvm {
                    stream,
                    jvm: None,
                    unheard: Unheard::begin(Instant::now()),
                };
                self.open.insert(number, opened);
            }
            Connection::Said(ToProgram::Hello {
                protocol, java, pid, ..
            }) => {
                if protocol != PROTOCOL_VERSION {
                    return Err(BuildError::OtherProtocol(protocol));
                }
                if let Some(open) = self.open.get_mut(&number) {
                    open.jvm = Some(TestJvm::new(pid, java));
                    let configure = ToAgent::Configure(Box::new(self.configuration.clone()));
                    // A JVM that ended in between says so by closing its connection.
                    let _ = write_message(&mut open.stream, &configure);
                }
            }
            Connection::Said(message) => {
                if let Some(open) = self.open.get_mut(&number) {
                    open.unheard = Unheard::begin(Instant::now());
                    if let Some(jvm) = &mut open.jvm {
                        jvm.hear(message, self.build);
                    }
                }
            }
            Connection::Closed(_) => {
                let jvm = self.open.remove(&number).and_then(|open| open.jvm);
                self.done.extend(jvm.map(|jvm| (number, jvm)));
            }
        }
        Ok(())
    }

    /// Ends JVMs in which a test, or a class's own code, has been running silently for too long. What a JVM does
    /// between two classes is the build's business.
    fn end_silent(&mut self, silence: Silence) {
        let done = self.done.iter().map(|(_, jvm)| jvm);
        let open = self.open.values().filter_map(|open| open.jvm.as_ref());
        let slowest = done.chain(open).map(TestJvm::slowest).max();
        let limit = silence.after(slowest.unwrap_or_default());
        for open in self.open.values_mut() {
            if let Some(jvm) = &mut open.jvm
                && jvm.hung.is_none()
                && jvm.is_busy()
                && open.unheard.of(jvm.pid) >= limit
            {
                jvm.hung = Some(limit);
                end_process(jvm.pid);
            }
        }
    }

    fn finish(mut self) -> Vec<TestJvm> {
        for (number, open) in std::mem::take(&mut self.open) {
            self.done.extend(open.jvm.map(|jvm| (number, jvm)));
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
    fn a_jvm_that_does_not_start_says_why() {
        let surefire = "[INFO] Running a.FooTest\n\
                        Unrecognized option: --add-opens\n\
                        Error: Could not create the Java Virtual Machine.\n\
                        Error: A fatal exception has occurred. Program will exit.\n\
                        [ERROR] Unrecognized option: --add-opens\n\
                        [INFO] Tests run: 0, Failures: 0\n";
        let said = [
            "Unrecognized option: --add-opens",
            "Error: Could not create the Java Virtual Machine.",
        ];
        assert_eq!(not_started(surefire), said);
        // What a test prints about options is not at the beginning of a line.
        assert!(not_started("[INFO] Tests run: 3\nexpected: Unrecognized option: x\n").is_empty());
    }

    #[test]
    fn a_command_is_shown_without_the_path_of_its_program() {
        let mut mvn = command("/opt/maven/bin/mvn", Path::new("/"));
        mvn.args(["--batch-mode", "test"]);
        assert_eq!(shown(&mvn), "mvn --batch-mode test");
    }
}
