//! One run of the build under the agent, and what was seen in it.

use crate::build::Build;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use unflake_protocol::{
    Configuration, Failure, JavaVm, Outcome, PROTOCOL_VERSION, Recipe, ScopeChoices, SeenTest, ToAgent,
    ToProgram, write_message,
};
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

/// One test JVM of the build.
#[derive(Clone, Debug)]
pub struct TestJvm {
    pub java: JavaVm,
    pub recipe: Option<Recipe>,
    /// Where its module is, relative to the project.
    pub module: String,
    /// In the order in which they ended.
    pub tests: Vec<TestRun>,
    pub containers: Vec<ContainerRun>,
    /// Classes whose static initialiser made a choice.
    pub initialisers: BTreeSet<String>,
    /// Per class that is not the JDK's: the classes it names.
    pub references: BTreeMap<String, Vec<String>>,
    /// Methods that could not be edited, with the reason.
    pub not_applied: BTreeMap<String, String>,
    /// The tests that were running when the JVM ended.
    pub unfinished: Vec<SeenTest>,
    /// The most tests that were running at the same time.
    pub at_once: usize,
    pub bugs: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct TestRun {
    pub test: SeenTest,
    pub outcome: Outcome,
    pub choices: ScopeChoices,
    pub time: Duration,
    /// The part of it in which its JVM did nothing.
    pub waited: Duration,
}

#[derive(Clone, Debug)]
pub struct ContainerRun {
    pub root: String,
    pub choices: ScopeChoices,
    pub failure: Option<Failure>,
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
                    "the agent speaks version {version} of the protocol, this program {PROTOCOL_VERSION}"
                )
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
        let io = |what: &str| {
            let what = what.to_owned();
            move |error| BuildError::Io { what, error }
        };
        let listener =
            Listener::bind(&self.scratch.join("build.sock")).map_err(io("cannot listen for agents"))?;
        let log = self.scratch.join("build.log");
        let write = File::create(&log).map_err(io("cannot write the build's output"))?;
        let write_too = write.try_clone().map_err(io("cannot write the build's output"))?;
        let mut command = command(&self.build.program, &self.build.directory);
        command
            .args(["--batch-mode", "-Dmaven.test.failure.ignore=true", "test"])
            .args(self.arguments)
            .env(
                "JAVA_TOOL_OPTIONS",
                tool_options(self.agent, &listener.path().display().to_string()),
            )
            .stdin(Stdio::null())
            .stdout(write)
            .stderr(write_too);
        if let Some(home) = self.java_home {
            command.env("JAVA_HOME", home);
        }
        let shown = shown(&command);
        let start = Instant::now();
        let mut child = self
            .children
            .spawn(&mut command)
            .map_err(io(&format!("cannot start `{shown}`")))?;
        let mut jvms = Jvms {
            build: self.build,
            configuration: self.configuration,
            open: BTreeMap::new(),
            done: Vec::new(),
        };
        let status = loop {
            match listener.events().recv_timeout(TICK) {
                Ok((number, event)) => {
                    if let Connection::Said(message) = &event {
                        hear(message);
                    }
                    jvms.take(number, event)?;
                }
                Err(RecvTimeoutError::Disconnected) => break child.wait(),
                Err(RecvTimeoutError::Timeout) => {
                    if self.cancel.is_cancelled() {
                        self.children.end(&mut child);
                        return Err(BuildError::Cancelled);
                    }
                    match child.try_wait() {
                        Ok(Some(status)) => break Ok(status),
                        Ok(None) => {}
                        Err(error) => break Err(error),
                    }
                }
            }
        };
        self.children.end(&mut child);
        let status = status.map_err(io("cannot wait for the build"))?;
        let time = start.elapsed();
        while let Ok((number, event)) = listener.events().recv_timeout(TICK) {
            jvms.take(number, event)?;
        }
        let jvms = jvms.finish();
        let output = fs::read(&log)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default();
        let only_tests_failed =
            output.contains("There are test failures") && !output.contains("COMPILATION ERROR");
        if !status.success() && !only_tests_failed {
            return Err(BuildError::Failed {
                command: shown,
                status: status.to_string(),
                output: relevant(&output),
            });
        }
        Ok(BuildRun {
            jvms,
            has_reported_tests: output.contains("Tests run:"),
            time,
        })
    }
}

/// The value of JAVA_TOOL_OPTIONS that loads the agent. The user's own options stay; a path with a blank is quoted, which
/// every JVM since Java 8 understands.
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

/// The lines of Maven's output that say what went wrong.
fn relevant(output: &str) -> String {
    const MOST: usize = 15;
    let errors: Vec<&str> = output
        .lines()
        .filter(|line| line.starts_with("[ERROR]") || line.starts_with("Error:"))
        .collect();
    let said: Vec<&str> = if errors.is_empty() {
        output.lines().filter(|line| !line.trim().is_empty()).collect()
    } else {
        errors
    };
    let skip = if said.len() > MOST && said.iter().any(|l| l.starts_with("[ERROR]")) {
        0
    } else {
        said.len().saturating_sub(MOST)
    };
    said.into_iter()
        .skip(skip)
        .take(MOST)
        .collect::<Vec<_>>()
        .join("\n")
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
struct Jvms<'a> {
    build: &'a Build,
    configuration: &'a Configuration,
    open: BTreeMap<usize, (Option<UnixStream>, Option<TestJvm>)>,
    done: Vec<(usize, TestJvm)>,
}

impl Jvms<'_> {
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

impl TestJvm {
    fn new(java: JavaVm) -> TestJvm {
        TestJvm {
            java,
            recipe: None,
            module: ".".to_owned(),
            tests: Vec::new(),
            containers: Vec::new(),
            initialisers: BTreeSet::new(),
            references: BTreeMap::new(),
            not_applied: BTreeMap::new(),
            unfinished: Vec::new(),
            at_once: 0,
            bugs: Vec::new(),
        }
    }

    fn hear(&mut self, message: ToProgram, build: &Build) {
        match message {
            ToProgram::Recipe(recipe) => {
                let directory = recipe
                    .properties
                    .get("basedir")
                    .map_or_else(|| recipe.directory.clone(), PathBuf::from);
                self.module = build.module(&directory);
                self.recipe = Some(*recipe);
            }
            ToProgram::TestStarted(test) => {
                self.unfinished.push(test);
                self.at_once = self.at_once.max(self.unfinished.len());
            }
            ToProgram::TestFinished {
                test,
                outcome,
                choices,
                nanos,
                busy_nanos,
            } => {
                self.unfinished.retain(|other| *other != test);
                self.tests.push(TestRun {
                    test,
                    outcome,
                    choices,
                    time: Duration::from_nanos(nanos),
                    waited: Duration::from_nanos(nanos.saturating_sub(busy_nanos)),
                });
            }
            ToProgram::ContainerFinished {
                root,
                choices,
                failure,
            } => {
                self.containers.push(ContainerRun {
                    root,
                    choices,
                    failure,
                });
            }
            ToProgram::InitialiserChose { class } => {
                self.initialisers.insert(class);
            }
            ToProgram::ClassLoaded { class, refers_to } => {
                self.references.insert(class, refers_to);
            }
            ToProgram::NotApplied { method, reason } => {
                self.not_applied.insert(method, reason);
            }
            ToProgram::Bug { message } => self.bugs.push(message),
            ToProgram::Hello { .. }
            | ToProgram::ContainerStarted { .. }
            | ToProgram::Choices(_)
            | ToProgram::Evidence(_)
            // The build's own JVMs watch nothing.
            | ToProgram::Changed { .. }
            | ToProgram::NotWatched { .. }
            | ToProgram::Used(_)
            | ToProgram::Unusable { .. }
            | ToProgram::Initialised { .. }
            | ToProgram::Measured(_)
            | ToProgram::RunFinished => {}
        }
    }
}
