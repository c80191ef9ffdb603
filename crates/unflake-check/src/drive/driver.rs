//! The one way to run tests in a JVM of ours: start it, give it a command, and get a [`Transcript`] of what it said.
//!
//! Rounds, exact orders and scripts are views of this: each says which tests a command holds and reads the transcript
//! in its own way. How a JVM can end is one enum, [`JvmEnd`], and every view has to say what each end means to it.

#[cfg(test)]
mod tests;

pub use super::exceptions::Exception;
use super::exceptions::Exceptions;
use super::patience::Patience;
use super::transcript::{JvmEnd, Transcript};
use super::turns::{Company, Turns};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use unflake_explore::Verdict;
use unflake_protocol::{Configuration, Handle, RunCommand, ToProgram};
use unflake_runner::{
    Cancel, Death, During, Isolated, Launch, Limits, RunEnd, StartError, Whereabouts, Work, Worker,
    WorkerTools,
};

/// Starts JVMs, all with the same configuration.
#[derive(Clone, Debug)]
pub struct Driver {
    starter: Arc<dyn Starter>,
    tools: WorkerTools,
    faults: Faults,
    exceptions: Exceptions,
    turns: Turns,
    /// No JVM runs inside.
    is_outside: bool,
}

/// Where test JVMs come from: real ones, or fakes in our own tests.
pub trait Starter: std::fmt::Debug + Send + Sync {
    fn start(
        &self,
        launch: &Launch,
        tools: &WorkerTools,
        work: Work,
        whereabouts: Whereabouts,
    ) -> Result<Box<dyn JvmProcess>, StartError>;

    /// How JVMs of this launch are kept apart.
    fn isolated(&self, launch: &Launch, tools: &WorkerTools) -> Isolated;
}

/// A process that runs tests.
pub trait JvmProcess: std::fmt::Debug + Send {
    fn run(&mut self, command: &RunCommand, limits: Limits<'_>, hear: &mut dyn FnMut(ToProgram)) -> RunEnd;

    /// It shares nothing with other JVMs that tests could notice.
    fn is_apart(&self) -> bool;
}

/// JVMs of this machine.
#[derive(Debug)]
struct RealJvms;

impl Starter for RealJvms {
    fn start(
        &self,
        launch: &Launch,
        tools: &WorkerTools,
        work: Work,
        whereabouts: Whereabouts,
    ) -> Result<Box<dyn JvmProcess>, StartError> {
        Ok(Box::new(Worker::start(launch, tools, work, whereabouts)?))
    }

    fn isolated(&self, launch: &Launch, tools: &WorkerTools) -> Isolated {
        tools.isolation.of(launch, &tools.scratch)
    }
}

impl JvmProcess for Worker {
    fn run(&mut self, command: &RunCommand, limits: Limits<'_>, hear: &mut dyn FnMut(ToProgram)) -> RunEnd {
        Worker::run(self, command, limits, hear)
    }

    fn is_apart(&self) -> bool {
        Worker::is_apart(self)
    }
}

/// What went wrong in our own JVMs, in any phase.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    all: Arc<Mutex<BTreeSet<Fault>>>,
    /// JVMs that broke and were replaced.
    replaced: Arc<AtomicUsize>,
}

/// Something that is not the tests' doing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A bug of ours: the agent switched itself off.
    AgentOff(String),
    /// A bug of ours: states of the heap could not be compared.
    NotCompared(String),
    /// A JVM did not start. Who asked for it goes on without it.
    NotStarted(String),
    /// A JVM ended while this test ran, or none, and something else than a test may have ended it: the kernel that is
    /// short of memory, or a person.
    Ended { during: Option<Handle>, status: String },
}

/// What a JVM says while it runs tests.
#[derive(Debug)]
pub enum Heard<'a> {
    /// A test finished, or its JVM ended while it ran.
    Test(&'a Handle, &'a Verdict),
    /// Neither about outcomes nor about faults: changes, choices, evidence, measurements.
    Other(Box<ToProgram>),
}

/// A JVM that waits for its next command.
#[derive(Debug)]
pub struct DrivenJvm {
    process: Box<dyn JvmProcess>,
    /// What was different about its tests until now.
    exception: Option<Exception>,
    /// What starts another one, if this one is at the wrong place for a command.
    driver: Driver,
    launch: Launch,
    work: Work,
}

impl Driver {
    /// For real JVMs.
    pub fn new(tools: WorkerTools) -> Driver {
        Driver::from(Arc::new(RealJvms), tools)
    }

    pub fn from(starter: Arc<dyn Starter>, tools: WorkerTools) -> Driver {
        Driver {
            starter,
            tools,
            faults: Faults::default(),
            exceptions: Exceptions::default(),
            turns: Turns::default(),
            is_outside: false,
        }
    }

    /// The same for JVMs with another configuration.
    pub fn configured(&self, change: impl FnOnce(Configuration) -> Configuration) -> Driver {
        let mut driver = self.clone();
        driver.tools.configuration = change(driver.tools.configuration);
        driver
    }

    /// The same for JVMs with these options more.
    pub fn with_options(mut self, options: impl IntoIterator<Item = String>) -> Driver {
        self.tools.options.extend(options);
        self
    }

    /// The same for JVMs that have an empty home each.
    #[must_use]
    pub fn with_empty_homes(mut self) -> Driver {
        self.tools.empty_home = true;
        self
    }

    /// The same for JVMs that may take long to start.
    pub fn starting_within(mut self, patience: Patience) -> Driver {
        self.tools.start_limit = patience.silence(Duration::ZERO);
        self
    }

    pub fn tools(&self) -> &WorkerTools {
        &self.tools
    }

    pub fn cancel(&self) -> &Cancel {
        &self.tools.cancel
    }

    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The same for JVMs of which none is isolated.
    #[must_use]
    pub fn outside(mut self) -> Driver {
        self.is_outside = true;
        self
    }

    /// From now on this is so for the tests of this class, in JVMs of this driver and its kin.
    pub fn make_exception(&self, class: &str, exception: Exception) {
        self.exceptions.add(class, exception);
    }

    /// This test fails with nobody beside it, too.
    pub(super) fn clear(&self, test: &Handle) {
        self.exceptions.clear(test);
    }

    pub(super) fn is_cleared(&self, test: &Handle) -> bool {
        self.exceptions.is_cleared(test)
    }

    /// What is different for a JVM that runs all of these tests.
    pub(super) fn exception<'t>(&self, tests: impl IntoIterator<Item = &'t Handle>) -> Option<Exception> {
        if self.is_outside {
            Some(Exception::Outside)
        } else {
            self.exceptions.of(tests)
        }
    }

    /// The classes that run outside.
    pub fn outside_classes(&self) -> Vec<String> {
        self.exceptions.outside()
    }

    /// How JVMs of this launch are kept apart.
    pub fn isolated(&self, launch: &Launch) -> Isolated {
        self.starter.isolated(launch, &self.tools)
    }

    /// Starts a JVM for any tests.
    pub fn start(&self, launch: &Launch, work: Work) -> Result<DrivenJvm, JvmEnd> {
        self.start_for(launch, work, [])
    }

    /// Starts a JVM that will run these tests: if one of them belongs outside, the JVM does.
    pub fn start_for<'t>(
        &self,
        launch: &Launch,
        work: Work,
        tests: impl IntoIterator<Item = &'t Handle>,
    ) -> Result<DrivenJvm, JvmEnd> {
        let exception = self.exception(tests);
        let process = self.process(launch, work, exception)?;
        Ok(DrivenJvm {
            process,
            exception,
            driver: self.clone(),
            launch: launch.clone(),
            work,
        })
    }

    fn process(
        &self,
        launch: &Launch,
        work: Work,
        exception: Option<Exception>,
    ) -> Result<Box<dyn JvmProcess>, JvmEnd> {
        let whereabouts = match exception {
            Some(Exception::Outside) => Whereabouts::Outside,
            Some(Exception::Alone) | None => Whereabouts::Inside,
        };
        let started = self.starter.start(launch, &self.tools, work, whereabouts);
        started.map_err(|error| match error {
            StartError::Cancelled => JvmEnd::Cancelled,
            error => {
                let reason = error.to_string();
                self.faults.add(Fault::NotStarted(reason.clone()));
                JvmEnd::Broken(reason)
            }
        })
    }
}

impl DrivenJvm {
    /// Whether another JVM of ours may have what a test of this one wants.
    pub(super) fn can_meet_others(&self) -> bool {
        self.company() == Company::Sharing
    }

    /// The same one, which nobody can meet any more.
    #[must_use]
    pub(super) fn alone(mut self) -> DrivenJvm {
        if self.can_meet_others() {
            self.exception = Some(Exception::Alone);
        }
        self
    }

    fn company(&self) -> Company {
        match self.exception {
            Some(Exception::Alone | Exception::Outside) => Company::Alone,
            None if self.process.is_apart() => Company::Apart,
            None => Company::Sharing,
        }
    }

    /// Runs a command to its end. Afterwards the JVM takes another one only if [`JvmEnd::can_go_on`].
    ///
    /// A JVM that runs inside gives way to a new one outside if a test of the command belongs there.
    pub fn run(
        &mut self,
        command: &RunCommand,
        limits: Limits<'_>,
        hear: &mut dyn FnMut(Heard<'_>),
    ) -> Transcript {
        let mut said = Vec::new();
        let exception = self.driver.exception(&command.tests).max(self.exception);
        if exception > self.exception && exception == Some(Exception::Outside) {
            match self.driver.process(&self.launch, self.work, exception) {
                Ok(process) => self.process = process,
                Err(end) => return Transcript::ended(said, end, hear),
            }
        }
        self.exception = exception;
        let Some(_turn) = self.driver.turns.take(self.company(), self.driver.cancel()) else {
            return Transcript::ended(said, JvmEnd::Cancelled, hear);
        };
        let faults = &self.driver.faults;
        let mut bug = None;
        let end = self.process.run(command, limits, &mut |message| {
            if let ToProgram::Bug { message } = &message {
                bug = Some(message.clone());
            }
            super::transcript::hear(message, &mut said, faults, hear);
        });
        if let RunEnd::Died {
            during,
            status,
            death,
            ..
        } = &end
            && bug.is_none()
            && is_strange(*death, command)
        {
            let during = match during {
                During::Test(test) => Some(test.handle.clone()),
                During::Class(_) | During::Nothing => None,
            };
            let status = status.clone();
            faults.add(Fault::Ended { during, status });
        }
        let end = match (end, bug) {
            (RunEnd::Died { .. } | RunEnd::TimedOut { .. }, Some(bug)) => JvmEnd::Broken(bug),
            // No test did that.
            (
                RunEnd::Died {
                    death: Death::Cut,
                    status,
                    ..
                },
                None,
            ) => JvmEnd::Broken(status),
            (end, _) => JvmEnd::from(end),
        };
        Transcript::ended(said, end, hear)
    }
}

/// Whether tests that passed in the build hardly end their JVM in this way: no test cuts our connection, and none
/// crashes for a choice that nobody made. What is varied has to be repeated before that can be said.
fn is_strange(death: Death, command: &RunCommand) -> bool {
    match death {
        Death::Exit => false,
        Death::Signal => command.strategy.is_none() && command.script.is_none(),
        Death::Cut => true,
    }
}

impl From<RunEnd> for JvmEnd {
    fn from(end: RunEnd) -> JvmEnd {
        match end {
            RunEnd::Finished => JvmEnd::Finished,
            RunEnd::TimeUp => JvmEnd::TimeUp,
            RunEnd::Cancelled => JvmEnd::Cancelled,
            RunEnd::Died {
                during,
                status,
                death,
                output,
            } => JvmEnd::died(during, &status, death, output),
            RunEnd::TimedOut { during, after, dumps } => JvmEnd::hung(during, after, &dumps),
        }
    }
}

impl Faults {
    pub fn add(&self, fault: Fault) {
        self.all
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(fault);
    }

    /// Whether one more JVM that broke may be replaced. Where many do, all will.
    pub(super) fn may_replace(&self) -> bool {
        const MOST: usize = 10;
        self.replaced.fetch_add(1, Ordering::Relaxed) < MOST
    }

    /// All so far, each once.
    pub fn all(&self) -> Vec<Fault> {
        let faults = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        faults.iter().cloned().collect()
    }
}
