//! Running one stored test again and again, with a script for its choices: in one warm JVM, or in a fresh one each
//! time.

use super::driver::{DrivenJvm, Driver, Heard};
use super::patience::Patience;
use super::transcript::JvmEnd;
use std::time::{Duration, Instant};
use unflake_explore::{Probe, Probed, Verdict};
use unflake_protocol::{Configuration, Handle, Record, Role, RunCommand, Script, Strategy, ToProgram};
use unflake_runner::{Launch, Limits, Work};

/// What is run: the last of `tests`, after the others.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub launch: &'a Launch,
    pub tests: &'a [Handle],
    pub strategy: Option<Strategy>,
    /// Choices vary in these scopes; empty: in all.
    pub only: &'a [String],
    /// How long it may be silent, where that is known better than by [`ScriptJvms::patience`].
    pub silence: Option<Duration>,
}

/// Where its JVMs come from.
#[derive(Debug)]
pub struct ScriptJvms<'a> {
    pub driver: &'a Driver,
    pub work: Work,
    pub patience: Patience,
}

/// The configuration of such JVMs.
pub fn configuration(of_run: Configuration) -> Configuration {
    Configuration {
        role: Role::Worker,
        allocations: true,
        ..of_run
    }
}

impl ScriptJvms<'_> {
    /// A JVM in which the subject can run.
    pub fn start(&self, subject: Subject<'_>) -> Result<DrivenJvm, JvmEnd> {
        self.driver.start_for(subject.launch, self.work, subject.tests)
    }

    /// Runs the subject once. Also says whether the JVM can be used again.
    pub fn run(
        &self,
        jvm: &mut DrivenJvm,
        subject: Subject<'_>,
        script: Option<&Script>,
        record: &Record,
    ) -> (Probed, bool) {
        let command = RunCommand {
            strategy: subject.strategy,
            only: subject.only.to_vec(),
            tests: subject.tests.to_vec(),
            script: script.cloned(),
            record: record.clone(),
        };
        let silence = self.patience.silence(Duration::ZERO);
        let limits = Limits {
            silence: &|_| subject.silence.unwrap_or(silence),
            dumps: false,
            until: None,
        };
        let (mut choices, mut evidence) = (Vec::new(), Vec::new());
        let transcript = jvm.run(&command, limits, &mut |heard| {
            let Heard::Other(message) = heard else { return };
            match *message {
                ToProgram::Choices(made) => choices = made,
                ToProgram::Evidence(seen) => evidence.push(*seen),
                _ => {}
            }
        });
        let probed = Probed {
            verdict: transcript.of_last(subject.tests),
            choices,
            evidence,
        };
        (probed, transcript.end.can_go_on())
    }
}

/// Counts runs, and says when there may be no more.
#[derive(Debug)]
pub struct RunLimit {
    pub deadline: Option<Instant>,
    /// Where the result must not depend on the clock.
    pub most: Option<u32>,
    /// Runs that look for a smaller order of a choice.
    pub order_runs: usize,
    pub runs: u32,
}

impl RunLimit {
    fn take(&mut self) -> bool {
        let is_over = self.is_over();
        self.runs += 1;
        !is_over
    }

    /// Whether there is no other run.
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline) || self.is_used_up()
    }

    pub fn is_used_up(&self) -> bool {
        self.most.is_some_and(|most| self.runs >= most)
    }
}

/// All runs in one JVM. The caller must check whether that gives the same results as fresh JVMs.
pub struct Warm<'a> {
    pub jvms: &'a ScriptJvms<'a>,
    pub subject: Subject<'a>,
    /// `None`: a run has ended it.
    pub jvm: Option<DrivenJvm>,
    pub allowance: &'a mut RunLimit,
}

impl Probe for Warm<'_> {
    fn order_runs(&self) -> usize {
        self.allowance.order_runs
    }

    fn run(&mut self, script: &Script, record: &Record) -> Option<Probed> {
        if !self.allowance.take() {
            return None;
        }
        let mut jvm = self.jvm.take()?;
        let (probed, can_go_on) = self.jvms.run(&mut jvm, self.subject, Some(script), record);
        if can_go_on {
            self.jvm = Some(jvm);
        }
        (probed.verdict != Verdict::Cancelled).then_some(probed)
    }
}

/// A fresh JVM for each run.
pub struct Cold<'a> {
    pub jvms: &'a ScriptJvms<'a>,
    pub subject: Subject<'a>,
    pub allowance: &'a mut RunLimit,
}

impl Probe for Cold<'_> {
    fn order_runs(&self) -> usize {
        // Each is the start of a JVM.
        const MOST: usize = 12;
        self.allowance.order_runs.min(MOST)
    }

    fn run(&mut self, script: &Script, record: &Record) -> Option<Probed> {
        if !self.allowance.take() {
            return None;
        }
        let mut jvm = self.jvms.start(self.subject).ok()?;
        let (probed, _) = self.jvms.run(&mut jvm, self.subject, Some(script), record);
        (probed.verdict != Verdict::Cancelled).then_some(probed)
    }
}
