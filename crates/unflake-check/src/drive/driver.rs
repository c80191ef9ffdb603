//! The one way to run tests in a JVM of ours: start it, give it a command, and get a [`Transcript`] of what it said.
//!
//! Rounds, exact orders and scripts are views of this: each says which tests a command holds and reads the transcript in
//! its own way. How a JVM can end is one enum, [`JvmEnd`], and every view has to say what each end means to it.

use super::patience::Patience;
use super::transcript::{JvmEnd, Transcript};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use unflake_explore::Verdict;
use unflake_protocol::{Configuration, Handle, RunCommand, ToProgram};
use unflake_runner::{Cancel, Launch, Limits, RunEnd, StartError, Work, Worker, WorkerTools};

/// Starts JVMs, all with the same configuration.
#[derive(Clone, Debug)]
pub struct Driver {
    tools: WorkerTools,
    faults: Faults,
}

/// What went wrong in our own JVMs, whoever ran them.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<BTreeSet<String>>>);

/// What a JVM says while it runs tests.
#[derive(Debug)]
pub enum Heard<'a> {
    /// A test came to its end, or its JVM ended while it ran.
    Test(&'a Handle, &'a Verdict),
    /// Neither about outcomes nor about faults: changes, choices, evidence, measurements.
    Other(Box<ToProgram>),
}

/// A JVM that waits for its next command.
#[derive(Debug)]
pub struct DrivenJvm {
    worker: Worker,
    faults: Faults,
}

impl Driver {
    pub fn new(tools: WorkerTools) -> Driver {
        Driver {
            tools,
            faults: Faults::default(),
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

    pub fn start(&self, launch: &Launch, work: Work) -> Result<DrivenJvm, JvmEnd> {
        match Worker::start(launch, &self.tools, work) {
            Ok(worker) => Ok(DrivenJvm {
                worker,
                faults: self.faults.clone(),
            }),
            Err(StartError::Cancelled) => Err(JvmEnd::Cancelled),
            Err(error) => Err(JvmEnd::NotStarted(error.to_string())),
        }
    }
}

impl DrivenJvm {
    /// Runs a command to its end. Afterwards the JVM takes another one only if [`JvmEnd::can_go_on`].
    pub fn run(
        &mut self,
        command: &RunCommand,
        limits: Limits,
        hear: &mut dyn FnMut(Heard<'_>),
    ) -> Transcript {
        let mut said = Vec::new();
        let faults = &self.faults;
        let end = self.worker.run(command, limits, |message| {
            super::transcript::hear(message, &mut said, faults, hear);
        });
        let end = match end {
            RunEnd::Finished => JvmEnd::Finished,
            RunEnd::TimeUp => JvmEnd::TimeUp,
            RunEnd::Cancelled => JvmEnd::Cancelled,
            RunEnd::Died {
                during,
                status,
                output,
            } => JvmEnd::died(during, &status, output),
            RunEnd::TimedOut { during, after } => JvmEnd::hung(during, after),
        };
        Transcript::ended(said, end, hear)
    }
}

impl Faults {
    pub fn add(&self, fault: String) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(fault);
    }

    /// All so far, each once.
    pub fn all(&self) -> Vec<String> {
        let faults = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        faults.iter().cloned().collect()
    }
}
