//! Tests that behave differently when they are started without the build tool run through it: slower, and as they are.
//!
//! Only their classes run. Every build has a limit, and so has the whole phase: a build that hangs or fails costs these
//! tests their result and nothing else.

#[cfg(test)]
mod tests;

use crate::check::Check;
use crate::document::message;
use crate::drive::driver::Fault;
use crate::ledger::{CutShort, Fact, Failed, Ledger, Unresolved};
use crate::vary::rebuild::{BuildOutcomes, NotRebuilt, Rebuild, Rebuilding};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use unflake_explore::order::limits::Allowance;
use unflake_explore::{
    Confirmed, Counts, Evidence, GUIDED_ROUNDS, ProofStep, Scope, TestIx, strategy_of_round,
};
use unflake_findings::{NoteKind, Rate};
use unflake_project::Silence;
use unflake_protocol::{Failure, Handle, Outcome, Strategy};

/// What all these builds may take together by default.
const TIME: Allowance = Allowance {
    learning_runs: 10.0,
    at_least: Duration::from_secs(300),
};

/// A test that the build does not run so often while it is confirmed is given up.
const MOST_MISSING: u32 = 3;

/// Runs the guided rounds through the build for these tests, and confirms what fails the same way.
pub(super) fn run(check: &Check<'_>, tests: &[TestIx], rebuild: &Rebuild<'_>, ledger: &mut Ledger) {
    if tests.is_empty() {
        return;
    }
    ledger.note(
        NoteKind::ThroughBuildTool,
        format!(
            "{} ran through the build tool, in the guided rounds only; without it, the outcome was different",
            check.session.suite.named(tests)
        ),
    );
    let builds = Builds::new(check, tests, rebuild);
    let mut seen: BTreeMap<TestIx, SeenInBuilds> = tests
        .iter()
        .map(|test| (*test, SeenInBuilds::default()))
        .collect();
    let stop = builds.rounds(&mut seen).err();
    for (test, seen) in &seen {
        if seen.rate.runs > 0 {
            let (test, rate) = (*test, seen.rate);
            ledger.add(Fact::Varied { test, rate });
        }
    }
    if let Some(stop) = &stop {
        stop.tell(ledger);
    }
    let mut suspects = Vec::new();
    for (test, seen) in &seen {
        match (&stop, seen.failed) {
            (Some(stop), failed) => ledger.add(Fact::Unresolved(*test, stop.means(failed.is_some()))),
            (None, Some((round, strategy))) => suspects.push(InProof {
                test: *test,
                round,
                strategy,
                evidence: Evidence::LEARNED,
                failure: None,
                missing: 0,
            }),
            (None, None) if seen.rate.runs == 0 => {
                ledger.add(Fact::Unresolved(*test, Unresolved::NotRunByBuild));
            }
            (None, None) => {}
        }
    }
    builds.confirm(suspects, &seen, ledger);
}

/// Why no more builds run.
enum Stop {
    Interrupted,
    OutOfTime,
    /// One of them failed or hung, for this reason.
    Ended(String),
}

impl Stop {
    /// What this means for a test about which nothing is decided.
    fn means(&self, has_failed: bool) -> Unresolved {
        match self {
            Stop::Interrupted if has_failed => Unresolved::NotConfirmed,
            Stop::OutOfTime if has_failed => Unresolved::NotConfirmedInTime,
            Stop::Interrupted | Stop::OutOfTime => Unresolved::NotReached,
            Stop::Ended(reason) => Unresolved::BuildEnded(reason.clone()),
        }
    }

    fn tell(&self, ledger: &mut Ledger) {
        let message = match self {
            // That is told of the whole run.
            Stop::Interrupted => return,
            Stop::OutOfTime => "time ran out for tests that run through the build tool".to_owned(),
            Stop::Ended(reason) => {
                format!("tests that run through the build tool are not finished: {reason}")
            }
        };
        ledger.note(NoteKind::ThroughBuildTool, message);
        ledger.add(Fact::Cut(CutShort::ThroughBuild));
    }
}

/// What the rounds showed of a test.
#[derive(Default)]
struct SeenInBuilds {
    rate: Rate,
    /// The first round in which it failed.
    failed: Option<(u32, Strategy)>,
    message: String,
}

/// A test that failed in a round, while that is proved.
struct InProof {
    test: TestIx,
    round: u32,
    strategy: Strategy,
    evidence: Evidence,
    /// How it failed varied.
    failure: Option<Failure>,
    /// Builds that were to run it and did not.
    missing: u32,
}

impl InProof {
    fn take(&mut self, ran: Option<&Option<Failure>>, is_varied: bool) {
        let Some(failure) = ran else {
            self.missing += 1;
            return;
        };
        let counts = if is_varied {
            &mut self.evidence.with
        } else {
            &mut self.evidence.without
        };
        counts.add(failure.is_some());
        if is_varied && failure.is_some() {
            self.failure.clone_from(failure);
        }
    }

    /// What is known of it by now; `None`: not enough.
    fn decided(&self, seen: &SeenInBuilds) -> Option<Fact> {
        if self.missing >= MOST_MISSING {
            return Some(Fact::Unresolved(self.test, Unresolved::NotRunByBuild));
        }
        match (self.evidence.next(), &self.failure) {
            (ProofStep::AnotherPair, _) => None,
            (ProofStep::Proved, Some(failure)) => Some(Fact::Failed(Box::new(Failed {
                test: self.test,
                round: self.round,
                confirmed: Confirmed {
                    scope: Scope::Prefix,
                    failure: failure.clone(),
                    weakest: self.strategy,
                    evidence: self.evidence,
                    trials: Vec::new(),
                },
                through_build: true,
            }))),
            (ProofStep::GiveUp | ProofStep::Proved, _) => {
                let Rate { failed, runs } = seen.rate;
                let in_rounds = Evidence {
                    with: Counts { failed, runs },
                    ..Evidence::default()
                };
                let unresolved = Unresolved::Flaky {
                    seen: self.evidence.plus(in_rounds),
                    message: seen.message.clone(),
                };
                Some(Fact::Unresolved(self.test, unresolved))
            }
        }
    }
}

/// Per test that ran whether it failed.
type BuildFailures = BTreeMap<TestIx, Option<Failure>>;

/// The builds of one phase.
struct Builds<'a> {
    check: &'a Check<'a>,
    rebuild: &'a Rebuild<'a>,
    by_handle: BTreeMap<&'a Handle, TestIx>,
    silence: Silence,
    /// What one build may take.
    limit: Duration,
    deadline: Option<Instant>,
}

impl<'a> Builds<'a> {
    fn new(check: &'a Check<'a>, tests: &[TestIx], rebuild: &'a Rebuild<'a>) -> Builds<'a> {
        let suite = &check.session.suite;
        let slowest = tests
            .iter()
            .map(|test| suite[*test].time)
            .max()
            .unwrap_or_default();
        let silence = Silence {
            least: check.workers.patience.of_set_up(slowest),
            times: 0,
        };
        // As long as the whole build took, for a part of it; and one test may hang.
        let limit = check.learning_run * 2 + silence.least + Duration::from_secs(60);
        Builds {
            check,
            rebuild,
            by_handle: tests.iter().map(|test| (&suite[*test].handle, *test)).collect(),
            silence,
            limit,
            deadline: check.budget().deadline(TIME, Instant::now()),
        }
    }

    fn rounds(&self, seen: &mut BTreeMap<TestIx, SeenInBuilds>) -> Result<(), Stop> {
        let tests: Vec<TestIx> = seen.keys().copied().collect();
        for round in 1..=GUIDED_ROUNDS {
            let strategy = strategy_of_round(round, self.check.level(), self.check.seed);
            let phase = format!("round {round} through the build");
            for (test, failure) in self.build(&tests, Some(strategy), &phase)? {
                let Some(seen) = seen.get_mut(&test) else { continue };
                seen.rate.runs += 1;
                if let Some(failure) = failure {
                    seen.rate.failed += 1;
                    seen.failed.get_or_insert((round, strategy));
                    seen.message = message(&failure);
                }
            }
        }
        Ok(())
    }

    /// Varied and unvaried builds in turn, each for all suspects that it can serve, until all are decided.
    fn confirm(&self, mut open: Vec<InProof>, seen: &BTreeMap<TestIx, SeenInBuilds>, ledger: &mut Ledger) {
        while !open.is_empty() {
            let pair = self.pair(&mut open, seen, ledger);
            if let Err(stop) = pair {
                stop.tell(ledger);
                for suspect in open {
                    ledger.add(Fact::Unresolved(suspect.test, stop.means(true)));
                }
                return;
            }
        }
    }

    /// A varied build for each strategy that has suspects, and one unvaried for all of them.
    fn pair(
        &self,
        open: &mut Vec<InProof>,
        seen: &BTreeMap<TestIx, SeenInBuilds>,
        ledger: &mut Ledger,
    ) -> Result<(), Stop> {
        let phase = "confirming through the build";
        let strategies: BTreeSet<Strategy> = open.iter().map(|suspect| suspect.strategy).collect();
        let variations = strategies.into_iter().map(Some).chain([None]);
        for strategy in variations {
            let is_meant = |suspect: &InProof| strategy.is_none_or(|one| one == suspect.strategy);
            let meant = open.iter().filter(|suspect| is_meant(suspect));
            let tests: Vec<TestIx> = meant.map(|suspect| suspect.test).collect();
            if tests.is_empty() {
                continue;
            }
            let ran = self.build(&tests, strategy, phase)?;
            open.retain_mut(|suspect| {
                if is_meant(suspect) {
                    suspect.take(ran.get(&suspect.test), strategy.is_some());
                }
                match suspect.decided(&seen[&suspect.test]) {
                    Some(fact) => ledger.add(fact),
                    None => return true,
                }
                false
            });
        }
        Ok(())
    }

    /// Runs the classes of these tests once. What a test that ends its JVM takes along runs in a build of its own.
    fn build(
        &self,
        tests: &[TestIx],
        strategy: Option<Strategy>,
        phase: &str,
    ) -> Result<BuildFailures, Stop> {
        let suite = &self.check.session.suite;
        let class = |test: &TestIx| outermost(&suite[*test].handle.root);
        let mut classes: BTreeSet<&str> = tests.iter().map(class).collect();
        let mut failures = BuildFailures::new();
        while !classes.is_empty() {
            let outcomes = self.build_once(&classes, strategy, phase)?;
            let ended: BTreeSet<String> = outcomes
                .ended
                .iter()
                .map(|root| outermost(root).to_owned())
                .collect();
            failures.append(&mut self.failures(outcomes));
            let is_left = |test: &&TestIx| !failures.contains_key(*test);
            let behind: BTreeSet<&str> = tests.iter().filter(is_left).map(class).collect();
            classes.retain(|class| !ended.is_empty() && !ended.contains(*class) && behind.contains(class));
        }
        Ok(failures)
    }

    fn build_once(
        &self,
        classes: &BTreeSet<&str>,
        strategy: Option<Strategy>,
        phase: &str,
    ) -> Result<BuildOutcomes, Stop> {
        if self.check.is_cancelled() {
            return Err(Stop::Interrupted);
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(Stop::OutOfTime);
        }
        let classes: Vec<String> = classes.iter().map(|class| (*class).to_owned()).collect();
        let limit = now + self.limit;
        let asked = Rebuilding {
            strategy,
            classes: &classes,
            phase,
            until: self.deadline.map_or(limit, |deadline| deadline.min(limit)),
            silence: self.silence,
        };
        let outcomes = (self.rebuild)(&asked).map_err(|why| match why {
            NotRebuilt::Interrupted => Stop::Interrupted,
            NotRebuilt::Ended(_) if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) => {
                Stop::OutOfTime
            }
            NotRebuilt::Ended(reason) => Stop::Ended(reason),
        })?;
        let faults = self.check.session.driver().faults();
        for bug in &outcomes.bugs {
            faults.add(Fault::AgentOff(bug.clone()));
        }
        Ok(outcomes)
    }

    fn failures(&self, outcomes: BuildOutcomes) -> BuildFailures {
        let mut failures = BuildFailures::new();
        for (handle, outcome) in outcomes.tests {
            let Some(test) = self.by_handle.get(&handle) else {
                continue;
            };
            match outcome {
                Outcome::Passed => {
                    failures.insert(*test, None);
                }
                Outcome::Failed(failure) => {
                    failures.insert(*test, Some(failure));
                }
                Outcome::Skipped { .. } => {}
            }
        }
        for (root, failure) in outcomes.classes {
            let of_class = self.by_handle.iter().filter(|(handle, _)| handle.root == root);
            for (_, test) in of_class {
                failures.entry(*test).or_insert_with(|| Some(failure.clone()));
            }
        }
        failures
    }
}

/// The top-level class around a class.
fn outermost(class: &str) -> &str {
    class.split('$').next().unwrap_or(class)
}
