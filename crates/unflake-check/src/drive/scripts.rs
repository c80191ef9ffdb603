//! Running one stored test again and again, with a script for its choices: in one warm JVM, or in a fresh one each time.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use unflake_explore::{Probe, Probed, Verdict};
use unflake_protocol::{
    Configuration, Failure, Handle, Outcome, Record, Role, RunCommand, Script, Strategy, ToProgram,
};
use unflake_runner::{Launch, Limits, RunEnd, Work, Worker, WorkerTools};

/// What is run: the last of `tests`, after the others.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub launch: &'a Launch,
    pub tests: &'a [Handle],
    pub strategy: Option<Strategy>,
}

/// Where its JVMs come from.
#[derive(Debug)]
pub struct Jvms<'a> {
    pub tools: &'a WorkerTools,
    /// Numbers of workers; each is used once.
    pub next: &'a AtomicU32,
    pub work: Work,
    /// The longest that one run may be silent.
    pub silence: Duration,
}

/// What such JVMs are told at their start.
pub fn configuration(of_run: &Configuration) -> Configuration {
    Configuration {
        role: Role::Worker,
        allocations: true,
        ..of_run.clone()
    }
}

impl Jvms<'_> {
    pub fn start(&self, launch: &Launch) -> Result<Worker, String> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Worker::start(launch, self.tools, number, self.work).map_err(|error| error.to_string())
    }

    /// Runs the subject once. Also says whether the JVM can be used again.
    pub fn run(
        &self,
        worker: &mut Worker,
        subject: Subject<'_>,
        script: Option<&Script>,
        record: &Record,
    ) -> (Probed, bool) {
        let command = RunCommand {
            strategy: subject.strategy,
            tests: subject.tests.to_vec(),
            script: script.cloned(),
            record: record.clone(),
        };
        let mut probed = Probed {
            verdict: Verdict::NotRun,
            choices: Vec::new(),
            evidence: Vec::new(),
        };
        let target = subject.tests.last();
        let limits = Limits {
            silence: self.silence,
            until: None,
        };
        let end = worker.run(&command, limits, |message| match message {
            ToProgram::TestFinished { test, outcome, .. } if Some(&test.handle) == target => {
                probed.verdict = match outcome {
                    Outcome::Passed => Verdict::Passed,
                    Outcome::Failed(failure) => Verdict::Failed(failure),
                    Outcome::Skipped { .. } => Verdict::NotRun,
                };
            }
            ToProgram::ContainerFinished {
                root,
                failure: Some(failure),
                ..
            } if target.is_some_and(|target| target.root == root) && probed.verdict == Verdict::NotRun => {
                probed.verdict = Verdict::Failed(failure);
            }
            ToProgram::Choices(choices) => probed.choices = choices,
            ToProgram::Evidence(evidence) => probed.evidence.push(*evidence),
            _ => {}
        });
        match (&end, failure_of(&end)) {
            (RunEnd::Finished, _) => return (probed, true),
            (RunEnd::Cancelled, _) => probed.verdict = Verdict::Cancelled,
            (_, Some(failure)) => probed.verdict = Verdict::Failed(failure),
            _ => {}
        }
        (probed, false)
    }
}

/// The failure of a test that ended its JVM, or did not end itself.
pub fn failure_of(end: &RunEnd) -> Option<Failure> {
    let (kind, message, trace) = match end {
        RunEnd::Died { status, output, .. } => (
            "ended JVM",
            format!("the test ended its JVM ({status})"),
            output.clone(),
        ),
        RunEnd::TimedOut { after, .. } => (
            "timeout",
            format!("the test did not end within {} s", after.as_secs()),
            String::new(),
        ),
        RunEnd::Finished | RunEnd::Cancelled => return None,
    };
    Some(Failure {
        kind: kind.to_owned(),
        message,
        trace,
        expected: None,
        actual: None,
    })
}

/// Counts runs, and says when there may be no more.
#[derive(Debug)]
pub struct Allowance {
    pub deadline: Option<Instant>,
    pub runs: u32,
}

impl Allowance {
    fn take(&mut self) -> bool {
        self.runs += 1;
        self.deadline.is_none_or(|deadline| Instant::now() < deadline)
    }
}

/// All runs in one JVM. Whether that is as good as a fresh one is for whoever uses it to see.
pub struct Warm<'a> {
    pub jvms: &'a Jvms<'a>,
    pub subject: Subject<'a>,
    /// `None`: a run has ended it.
    pub worker: Option<Worker>,
    pub allowance: &'a mut Allowance,
}

impl Probe for Warm<'_> {
    fn run(&mut self, script: &Script, record: &Record) -> Option<Probed> {
        if !self.allowance.take() {
            return None;
        }
        let mut worker = self.worker.take()?;
        let (probed, can_go_on) = self.jvms.run(&mut worker, self.subject, Some(script), record);
        if can_go_on {
            self.worker = Some(worker);
        }
        (probed.verdict != Verdict::Cancelled).then_some(probed)
    }
}

/// A fresh JVM for each run.
pub struct Cold<'a> {
    pub jvms: &'a Jvms<'a>,
    pub subject: Subject<'a>,
    pub allowance: &'a mut Allowance,
}

impl Probe for Cold<'_> {
    fn run(&mut self, script: &Script, record: &Record) -> Option<Probed> {
        if !self.allowance.take() {
            return None;
        }
        let mut worker = self.jvms.start(self.subject.launch).ok()?;
        let (probed, _) = self.jvms.run(&mut worker, self.subject, Some(script), record);
        (probed.verdict != Verdict::Cancelled).then_some(probed)
    }
}
