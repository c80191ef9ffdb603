//! One JVM that runs tests for us.
//!
//! A worker that dies or hangs costs the test it was running and nothing else: the caller gets to know which one it was
//! and goes on with a new worker.

use crate::children::{Cancel, Children, wait};
use crate::furnish::{Furnished, furnish};
use crate::isolate::{DUMP_THREADS, Isolation, Whereabouts, remove_all};
use crate::launch::Launch;
use crate::listener::{Connection, Listener, say};
use crate::output::Output;
use crate::unheard::Unheard;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use unflake_protocol::codes::LOST_STATUS;
use unflake_protocol::{Configuration, Handle, PROTOCOL_VERSION, RunCommand, SeenTest, ToAgent, ToProgram};

/// What every worker needs.
#[derive(Clone, Debug)]
pub struct WorkerTools {
    /// The agent's library.
    pub agent: PathBuf,
    /// The jar with `unflake.runner.Main`.
    pub runner: PathBuf,
    /// A directory for sockets, output and temporary files; one folder per worker.
    pub scratch: PathBuf,
    /// Keeps the workers apart.
    pub isolation: Isolation,
    /// Each worker has an empty home, wherever it runs. It is watched like the working directory.
    pub empty_home: bool,
    pub configuration: Configuration,
    pub children: Children,
    pub cancel: Cancel,
    /// Options for every JVM beside the build's and [`JVM_OPTIONS`].
    pub options: Vec<String>,
    /// A JVM that has not called by then is stuck.
    pub start_limit: Duration,
    /// Shared by all workers of the program, however their tools differ.
    pub numbers: Numbers,
}

/// Numbers for what must not meet: workers, and directories made for them. Each is given once.
#[derive(Clone, Debug, Default)]
pub struct Numbers(Arc<AtomicU32>);

impl Numbers {
    pub fn take(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// How long things may take.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// From one event of the JVM to the next, while this test runs; `None`: while none does. Time in which it
    /// waits for a processor does not count.
    pub silence: &'a dyn Fn(Option<&Handle>) -> Duration,
    /// What hangs is asked where: at a third of its time, and at the end of it.
    pub dumps: bool,
    /// Then nobody wants to know any more.
    pub until: Option<Instant>,
}

/// What a JVM was doing when it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum During {
    Test(SeenTest),
    /// Set-up or tear-down of this class, or the initialiser that runs before.
    Class(String),
    /// It ran no test of ours.
    Nothing,
}

/// How a JVM came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// By an exit.
    Exit,
    /// By a signal, which may be a crash.
    Signal,
    /// It was still there, but its connection was not.
    Cut,
}

/// How a [`RunCommand`] ended.
#[derive(Debug)]
pub enum RunEnd {
    Finished,
    /// The JVM ended.
    Died {
        during: During,
        status: String,
        death: Death,
        output: String,
    },
    /// Nothing happened for too long; the JVM was ended.
    TimedOut {
        during: During,
        /// What it was given. How long it took until somebody noticed differs from run to run.
        after: Duration,
        /// What all threads did, at two times, if that was asked for and the JVM answered.
        dumps: Vec<String>,
    },
    /// [`Limits::until`] has come; the JVM was ended.
    TimeUp,
    /// The user has had enough.
    Cancelled,
}

/// Why there is no worker.
#[derive(Debug)]
pub enum StartError {
    Io {
        what: String,
        error: io::Error,
    },
    /// The JVM ended before its agent called.
    Died {
        status: String,
        output: String,
    },
    Silent {
        after: Duration,
        output: String,
    },
    OtherProtocol(u32),
    Cancelled,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Io { what, error } => write!(f, "{what}: {error}"),
            StartError::Died { status, output } => {
                write!(f, "the test JVM ended immediately ({status}): {}", output.trim())
            }
            StartError::Silent { after, output } => {
                write!(
                    f,
                    "the agent did not answer within {} s: {}",
                    after.as_secs(),
                    output.trim()
                )
            }
            StartError::OtherProtocol(version) => {
                write!(
                    f,
                    "the agent speaks version {version} of the protocol, but this program speaks {PROTOCOL_VERSION}"
                )
            }
            StartError::Cancelled => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for StartError {}

/// How often a waiting worker looks whether the user has cancelled.
const TICK: Duration = Duration::from_millis(50);
/// Even a slow machine starts a JVM in a few seconds.
pub const START_LIMIT: Duration = Duration::from_secs(60);
/// How long a JVM may take to end after its last test before it is ended.
const END_LIMIT: Duration = Duration::from_secs(2);

/// A JVM that waits for tests, or runs them.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    children: Children,
    cancel: Cancel,
    listener: Listener,
    agent: UnixStream,
    output: Output,
    folder: PathBuf,
    is_apart: bool,
}

impl Worker {
    /// Starts a JVM.
    pub fn start(
        launch: &Launch,
        tools: &WorkerTools,
        work: Work,
        whereabouts: Whereabouts,
    ) -> Result<Worker, StartError> {
        let Furnished {
            folder,
            listener,
            output,
            mut command,
            configuration,
            is_apart,
        } = furnish(launch, tools, work, whereabouts)?;
        let mut child = tools
            .children
            .spawn(&mut command)
            .map_err(|error| StartError::Io {
                what: format!("cannot start a test JVM in `{}`", launch.directory.display()),
                error,
            })?;
        match greet(&mut child, &listener, tools, configuration, &output) {
            Ok(agent) => {
                let (children, cancel) = (tools.children.clone(), tools.cancel.clone());
                Ok(Worker {
                    child,
                    children,
                    cancel,
                    listener,
                    agent,
                    output,
                    folder,
                    is_apart,
                })
            }
            Err(error) => {
                tools.children.end(&mut child);
                Err(error)
            }
        }
    }

    /// It shares neither ports nor files with other workers.
    pub fn is_apart(&self) -> bool {
        self.is_apart
    }

    /// Runs tests; everything the agent says goes to `hear`.
    pub fn run(
        &mut self,
        command: &RunCommand,
        limits: Limits<'_>,
        mut hear: impl FnMut(ToProgram),
    ) -> RunEnd {
        if say(&mut self.agent, &ToAgent::Run(command.clone())).is_err() {
            return self.died(During::Nothing, self.output.length());
        }
        let before = self.output.length();
        let mut running = Running::default();
        let mut unheard = Unheard::begin(Instant::now());
        let mut dumps = Vec::new();
        loop {
            if limits.until.is_some_and(|until| Instant::now() >= until) {
                self.children.end(&mut self.child);
                return RunEnd::TimeUp;
            }
            match self.listener.events().recv_timeout(TICK) {
                Ok((_, Connection::Said(ToProgram::RunFinished))) if running.test().is_none() => {
                    return RunEnd::Finished;
                }
                // What a framework cannot recover from ends its whole run in the middle of a test.
                Ok((_, Connection::Said(ToProgram::RunFinished))) => {
                    return self.gave_up(running.now(), before);
                }
                Ok((_, Connection::Said(message))) => {
                    unheard = Unheard::begin(Instant::now());
                    dumps.clear();
                    running.hear(&message);
                    hear(message);
                }
                Ok((_, Connection::Opened(_))) => {}
                Ok((_, Connection::Closed(_))) | Err(RecvTimeoutError::Disconnected) => {
                    return self.died(running.now(), before);
                }
                Err(RecvTimeoutError::Timeout) if self.cancel.is_cancelled() => return RunEnd::Cancelled,
                Err(RecvTimeoutError::Timeout) => {
                    let counted = unheard.of(self.child.id());
                    let limit = (limits.silence)(running.test().map(|test| &test.handle));
                    if limits.dumps && dumps.is_empty() && counted > limit / 3 {
                        dumps.push(self.dump());
                    }
                    if counted > limit {
                        if limits.dumps {
                            dumps.push(self.dump());
                        }
                        self.children.end(&mut self.child);
                        return RunEnd::TimedOut {
                            during: running.now(),
                            after: limit,
                            dumps: dumps.into_iter().flatten().collect(),
                        };
                    }
                }
            }
        }
    }

    /// `before`: how much it had printed when the run began.
    fn died(&mut self, during: During, before: u64) -> RunEnd {
        let status = wait(&mut self.child, END_LIMIT);
        self.children.end(&mut self.child);
        RunEnd::Died {
            during,
            death: match status {
                None => Death::Cut,
                Some(status) if status.code() == Some(LOST_STATUS) => Death::Cut,
                Some(status) if status.signal().is_some() => Death::Signal,
                Some(_) => Death::Exit,
            },
            status: status.map_or_else(|| "it closed its socket".to_owned(), describe),
            output: self.printed_since(before),
        }
    }

    fn gave_up(&mut self, during: During, before: u64) -> RunEnd {
        self.children.end(&mut self.child);
        RunEnd::Died {
            during,
            death: Death::Exit,
            status: "its framework gave up".to_owned(),
            output: self.printed_since(before),
        }
    }

    /// The end of what it printed since then, which may say why it died.
    fn printed_since(&self, before: u64) -> String {
        // All of it has arrived only when this returns.
        let text = self.output.last(OUTPUT);
        let printed = usize::try_from(self.output.length().saturating_sub(before));
        match printed {
            Ok(printed) if printed < OUTPUT => self.output.tail(printed),
            Ok(_) | Err(_) => text,
        }
    }

    /// What all threads do now, as the JVM prints it. `None`: it does not answer.
    fn dump(&self) -> Option<String> {
        const WAIT: Duration = Duration::from_millis(500);
        /// The JVM's last words about its threads.
        const END: &str = "JNI global ref";
        let before = self.output.length();
        // The JVM may see no process but its own: only its launcher can reach it.
        self.children.wish(&self.child, DUMP_THREADS).ok()?;
        let asked = Instant::now();
        loop {
            std::thread::sleep(TICK);
            let printed = self.output.length().saturating_sub(before).min(DUMP);
            let text = self.output.tail(usize::try_from(printed).unwrap_or(usize::MAX));
            if text.contains(END) || asked.elapsed() > WAIT {
                let start = text.find("Full thread dump")?;
                return Some(text[start..].to_owned());
            }
        }
    }
}

/// Which tests and classes are in the middle of something.
#[derive(Default)]
struct Running {
    tests: VecDeque<SeenTest>,
    classes: VecDeque<String>,
}

impl Running {
    fn hear(&mut self, message: &ToProgram) {
        match message {
            ToProgram::TestStarted(test) => self.tests.push_back(test.clone()),
            ToProgram::TestFinished { test, .. } => self.tests.retain(|other| other != test),
            ToProgram::ContainerStarted { root } => self.classes.push_back(root.clone()),
            ToProgram::ContainerFinished { root, .. } => self.classes.retain(|other| other != root),
            _ => {}
        }
    }

    fn test(&self) -> Option<&SeenTest> {
        self.tests.front()
    }

    fn now(&self) -> During {
        match (self.test(), self.classes.front()) {
            (Some(test), _) => During::Test(test.clone()),
            (None, Some(class)) => During::Class(class.clone()),
            (None, None) => During::Nothing,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // A JVM whose tests left threads or slow shutdown hooks behind does not get to wait for them.
        if say(&mut self.agent, &ToAgent::Exit).is_ok() && !self.cancel.is_cancelled() {
            wait(&mut self.child, END_LIMIT);
        }
        self.children.end(&mut self.child);
        let _ = remove_all(&self.folder);
    }
}

/// How much a JVM has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Most of it is starting: there is no second compiler.
    Short,
    /// It computes for seconds.
    Long,
}

fn greet(
    child: &mut Child,
    listener: &Listener,
    tools: &WorkerTools,
    configuration: Configuration,
    output: &Output,
) -> Result<UnixStream, StartError> {
    let start = Instant::now();
    let mut agent = None;
    loop {
        match listener.events().recv_timeout(TICK) {
            Ok((_, Connection::Opened(stream))) => agent = Some(stream),
            Ok((_, Connection::Said(ToProgram::Hello { protocol, .. }))) => {
                if protocol != PROTOCOL_VERSION {
                    return Err(StartError::OtherProtocol(protocol));
                }
                let Some(mut agent) = agent.take() else { continue };
                let configure = ToAgent::Configure(Box::new(configuration.clone()));
                if say(&mut agent, &configure).is_ok() {
                    return Ok(agent);
                }
            }
            Ok((_, Connection::Said(_))) => {}
            Ok((_, Connection::Closed(_))) | Err(RecvTimeoutError::Disconnected) => {
                let status =
                    wait(child, END_LIMIT).map_or_else(|| "it closed its socket".to_owned(), describe);
                return Err(StartError::Died {
                    status,
                    output: output.last(SHOWN),
                });
            }
            Err(RecvTimeoutError::Timeout) => {
                if tools.cancel.is_cancelled() {
                    return Err(StartError::Cancelled);
                }
                if let Ok(Some(status)) = child.try_wait() {
                    return Err(StartError::Died {
                        status: describe(status),
                        output: output.last(SHOWN),
                    });
                }
                if start.elapsed() > tools.start_limit {
                    return Err(StartError::Silent {
                        after: tools.start_limit,
                        output: output.last(SHOWN),
                    });
                }
            }
        }
    }
}

fn describe(status: ExitStatus) -> String {
    status.to_string()
}

/// So much of the end of what a JVM printed may say why it died: a stack trace of a framework is long.
const OUTPUT: usize = 20_000;
/// And so much is shown of one that does not start.
const SHOWN: usize = 2000;
/// And so much of a dump of its threads.
const DUMP: u64 = 100_000;
