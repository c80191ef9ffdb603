//! Tests that behave differently when they are started without the build tool run through it: slower, and as they are.
//!
//! Only their classes run. Every build has a limit, and so has the whole phase: a build that hangs or fails costs these
//! tests their result and nothing else.

use crate::check::Check;
use crate::document::message;
use crate::ledger::{CutShort, Fact, Failed, Ledger, Unresolved};
use crate::progress::Progress;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use unflake_explore::order::limits::Allowance;
use unflake_explore::{
    Confirmed, Counts, Evidence, GUIDED_ROUNDS, ProofStep, Scope, TestIx, strategy_of_round,
};
use unflake_findings::{NoteKind, Rate};
use unflake_project::{BuildError, BuildRequest, BuildRun, During, HowLost, LostJvm, Silence};
use unflake_protocol::{Configuration, Failure, Handle, Outcome, Strategy, ToProgram};

/// What all these builds may take together by default.
const TIME: Allowance = Allowance {
    learning_runs: 10.0,
    at_least: Duration::from_secs(300),
};

/// A test that the build does not run so often while it is confirmed is given up.
const MOST_MISSING: u32 = 3;

/// One more build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rebuilding<'a> {
    /// `None`: unvaried.
    pub(crate) strategy: Option<Strategy>,
    /// The top-level classes to run.
    pub(crate) classes: &'a [String],
    pub(crate) phase: &'a str,
    pub(crate) until: Instant,
    pub(crate) silence: Silence,
}

pub(crate) type Rebuild<'a> = dyn Fn(&Rebuilding<'_>) -> Rebuilt + 'a;

pub(crate) type Rebuilt = Result<BuildOutcomes, NotRebuilt>;

/// What became of the tests that a build ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct BuildOutcomes {
    pub(crate) tests: Vec<(Handle, Outcome)>,
    /// Classes that ended their JVM outside of their tests.
    pub(crate) classes: Vec<(String, Failure)>,
}

/// Why a build has no outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotRebuilt {
    Interrupted,
    /// It failed, or took too long.
    Ended(String),
}

/// Runs the build as it ran for learning.
pub(crate) fn rebuild<'a>(
    learning: &'a BuildRequest<'a>,
    progress: &'a dyn Progress,
) -> impl Fn(&Rebuilding<'_>) -> Rebuilt + 'a {
    move |asked| {
        progress.phase(asked.phase, 0);
        let configuration = Configuration {
            strategy: asked.strategy,
            learn: false,
            ..learning.configuration.clone()
        };
        // Of two selections the last one counts.
        let selected = learning.build.tool.select(asked.classes);
        let arguments: Vec<String> = learning.arguments.iter().cloned().chain(selected).collect();
        let request = BuildRequest {
            configuration: &configuration,
            arguments: &arguments,
            until: Some(asked.until),
            silence: asked.silence,
            ..learning.clone()
        };
        let run = request.run(|message| {
            if matches!(message, ToProgram::TestFinished { .. }) {
                progress.step();
            }
        });
        match run {
            Ok(run) => Ok(BuildOutcomes::of(run)),
            Err(BuildError::Cancelled { .. }) => Err(NotRebuilt::Interrupted),
            Err(error) => Err(NotRebuilt::Ended(error.to_string())),
        }
    }
}

/// What a test did in a build; `None`: it did not run.
pub fn outcome_in_build(run: BuildRun, test: &Handle) -> Option<Outcome> {
    let BuildOutcomes { tests, classes } = BuildOutcomes::of(run);
    let mut of_test = tests.into_iter().filter(|(handle, _)| handle == test);
    let mut of_class = classes.into_iter().filter(|(root, _)| *root == test.root);
    let failed = |(_, failure)| Outcome::Failed(failure);
    of_test
        .next()
        .map(|(_, outcome)| outcome)
        .or_else(|| of_class.next().map(failed))
}

impl BuildOutcomes {
    fn of(run: BuildRun) -> BuildOutcomes {
        let mut outcomes = BuildOutcomes::default();
        for jvm in run.jvms {
            let tests = jvm.tests.into_iter().map(|run| (run.test.handle, run.outcome));
            outcomes.tests.extend(tests);
        }
        for lost in run.lost {
            let failure = ended(&lost);
            match lost.during {
                During::Tests(tests) => {
                    let failed = |handle| (handle, Outcome::Failed(failure.clone()));
                    outcomes
                        .tests
                        .extend(tests.into_iter().map(|test| failed(test.handle)));
                }
                During::Class(root) => outcomes.classes.push((root, failure)),
                // The tests that it took along did not run.
                During::Nothing => {}
            }
        }
        outcomes
    }
}

/// How a test fails that ended its JVM, or did not end itself.
fn ended(lost: &LostJvm) -> Failure {
    /// What shells add to the number of the signal that ended a process.
    const SIGNAL: i32 = 128;
    let (kind, message) = match lost.how {
        HowLost::Exited(Some(status)) if status > SIGNAL => (
            Failure::CRASH,
            format!("the test ended its JVM (signal: {})", status - SIGNAL),
        ),
        HowLost::Exited(Some(status)) => (
            Failure::EXIT,
            format!("the test ended its JVM (exit status: {status})"),
        ),
        HowLost::Exited(None) => (Failure::EXIT, "the test ended its JVM".to_owned()),
        HowLost::Hung(after) => (
            Failure::HANG,
            format!("the test did not finish within {} s", after.as_secs()),
        ),
    };
    Failure {
        kind: kind.to_owned(),
        message,
        trace: String::new(),
        expected: None,
        actual: None,
    }
}

/// Runs the guided rounds through the build for these tests, and confirms what fails the same way.
pub(super) fn run(check: &Check<'_>, tests: &[TestIx], rebuild: &Rebuild<'_>, ledger: &mut Ledger) {
    if tests.is_empty() {
        return;
    }
    let suite = &check.session.suite;
    let names: Vec<String> = tests.iter().map(|test| suite[*test].id.to_string()).collect();
    ledger.note(
        NoteKind::ThroughBuildTool,
        format!(
            "{} ran through the build tool, in the guided rounds only; without it, the outcome was different",
            names.join(", ")
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

    /// Runs the classes of these tests once.
    fn build(
        &self,
        tests: &[TestIx],
        strategy: Option<Strategy>,
        phase: &str,
    ) -> Result<BuildFailures, Stop> {
        if self.check.is_cancelled() {
            return Err(Stop::Interrupted);
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(Stop::OutOfTime);
        }
        let suite = &self.check.session.suite;
        let class = |test: &TestIx| suite[*test].handle.root.split('$').next().map(str::to_owned);
        let classes: BTreeSet<String> = tests.iter().filter_map(class).collect();
        let limit = now + self.limit;
        let asked = Rebuilding {
            strategy,
            classes: &classes.into_iter().collect::<Vec<_>>(),
            phase,
            until: self.deadline.map_or(limit, |deadline| deadline.min(limit)),
            silence: self.silence,
        };
        match (self.rebuild)(&asked) {
            Ok(outcomes) => Ok(self.failures(outcomes)),
            Err(NotRebuilt::Interrupted) => Err(Stop::Interrupted),
            Err(NotRebuilt::Ended(_)) if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) => {
                Err(Stop::OutOfTime)
            }
            Err(NotRebuilt::Ended(reason)) => Err(Stop::Ended(reason)),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{handle, simulated};
    use unflake_protocol::SeenTest;

    /// `rebuilds`: what the build's further runs show: three rounds, then varied and unvaried ones in turn.
    #[track_caller]
    fn check(suite: &str, rebuilds: &[&'static str], expected: &[&str]) {
        let facts = simulated(suite).rebuilds(rebuilds).facts().into_iter();
        let facts: Vec<String> = facts.filter(|fact| !fact.ends_with(" rounds")).collect();
        assert_eq!(facts, expected);
    }

    const THROUGH: &str = "said: A#a ran through the build tool, in the guided rounds only; without it, the outcome was different";

    /// These rounds, then a varied and an unvaried build, so often.
    fn proof(rounds: [&'static str; 3], varied: &'static str, unvaried: &'static str) -> Vec<&'static str> {
        let pairs = [varied, unvaried].into_iter().cycle().take(15);
        rounds.into_iter().chain(pairs).collect()
    }

    #[test]
    fn tests_that_cannot_be_started_run_through_the_build() {
        check("A#a [no-launch]", &["A#a"; 3], &[THROUGH, "A#a failed 0 of 3"]);
        // So do those that behave differently without it.
        check("A#a is-missing", &["A#a"; 3], &[THROUGH, "A#a failed 0 of 3"]);
        check("A#a skips", &["A#a"; 3], &[THROUGH, "A#a failed 0 of 3"]);
        check(
            "A#a fails",
            &["A#a"; 3],
            &["A#a failed 10 of 10", THROUGH, "A#a failed 0 of 3"],
        );
    }

    #[test]
    fn a_failure_is_proved_by_builds_in_turn() {
        let first = "A#a fails since round 1, Prefix, one reverse, through the build";
        let second = "A#a fails since round 2, Prefix, full odd, through the build";
        for (rounds, rate, judged) in [
            (["!A#a", "A#a", "!A#a"], "A#a failed 2 of 3", first),
            (["A#a", "!A#a", "A#a"], "A#a failed 1 of 3", second),
            (["!A#a", "", "~A#a"], "A#a failed 1 of 1", first),
            // A class that ends its JVM outside of its tests fails them.
            (["!A", "A#a", "A#a"], "A#a failed 1 of 3", first),
        ] {
            check(
                "A#a [no-launch]",
                &proof(rounds, "!A#a", "A#a"),
                &[THROUGH, rate, judged],
            );
        }
        // One pair less is not enough.
        let short = proof(["!A#a", "A#a", "A#a"], "!A#a", "A#a");
        check(
            "A#a [no-launch]",
            &short[..short.len() - 1],
            &[THROUGH, "A#a failed 1 of 3", "A#a not confirmed"],
        );
    }

    #[test]
    fn what_fails_unvaried_or_does_not_repeat_is_flaky_with_its_counts() {
        for (more, judged) in [
            (&["!A#a", "!A#a"][..], "2 of 4 varied, 1 of 2 unvaried"),
            (&["!A#a", "A#a", "!A#a", "!A#a"], "3 of 5 varied, 1 of 3 unvaried"),
            (
                &["A#a", "A#a", "A#a", "A#a", "A#a", "A#a", "A#a"],
                "1 of 7 varied, 0 of 4 unvaried",
            ),
        ] {
            let rebuilds: Vec<&str> = ["!A#a", "A#a", "A#a"].iter().chain(more).copied().collect();
            let judged = format!("A#a is flaky: {judged}");
            check(
                "A#a [no-launch]",
                &rebuilds,
                &[THROUGH, "A#a failed 1 of 3", &judged],
            );
        }
    }

    #[test]
    fn each_build_serves_all_suspects_that_it_can() {
        let through = &THROUGH.replace("A#a", "A#a, A#b");
        let fails = |test: &str, how: &str| format!("{test} fails since round {how}, through the build");
        let rates = ["A#a failed 1 of 3", "A#b failed 1 of 3"];
        // Both fail in one round: 8 varied builds, 7 unvaried ones.
        let same = proof(["A#a A#b", "!A#a !A#b", "A#a A#b"], "!A#a !A#b", "A#a A#b");
        let [a, b] = ["A#a", "A#b"].map(|test| fails(test, "2, Prefix, full odd"));
        check(
            "A#a [no-launch]\nA#b",
            &same,
            &[through, rates[0], rates[1], &a, &b],
        );
        // In different ones: two varied builds for one unvaried.
        let rounds = ["A#a A#b", "!A#a A#b", "A#a !A#b"].into_iter();
        let triples = ["!A#a A#b", "A#a !A#b", "A#a A#b"].into_iter().cycle();
        let different: Vec<&str> = rounds.chain(triples.take(23)).collect();
        let (a, b) = (
            fails("A#a", "2, Prefix, full odd"),
            fails("A#b", "3, Prefix, full pairs"),
        );
        check(
            "A#a [no-launch]\nA#b",
            &different,
            &[through, rates[0], rates[1], &a, &b],
        );
        // One is decided early: the builds go on for the other.
        let mut early = proof(["!A#a !A#b", "A#a A#b", "A#a A#b"], "!A#a !A#b", "A#a");
        early[4] = "!A#b A#a";
        let a = fails("A#a", "1, Prefix, one reverse");
        let b = "A#b is flaky: 2 of 4 varied, 1 of 2 unvaried";
        check(
            "A#a [no-launch]\nA#b",
            &early,
            &[through, rates[0], rates[1], b, &a],
        );
    }

    #[test]
    fn what_the_build_does_not_run_again_is_not_finished() {
        let not_run = "A#a not run by the build";
        check("A#a [no-launch]", &["", "~A#a", "B#x"], &[THROUGH, not_run]);
        // It fails once, and never runs again.
        let rebuilds = ["!A#a", "A#a", "A#a", "", "", ""];
        check(
            "A#a [no-launch]",
            &rebuilds,
            &[THROUGH, "A#a failed 1 of 3", not_run],
        );
    }

    #[test]
    fn who_interrupts_gets_no_result_for_what_is_left() {
        check("A#a [no-launch]", &[], &[THROUGH, "A#a not reached"]);
        let after_one = |first: &'static str, judged: &str, rate: &str| {
            check("A#a [no-launch]", &[first], &[THROUGH, rate, judged]);
        };
        after_one("A#a", "A#a not reached", "A#a failed 0 of 1");
        after_one("!A#a", "A#a not confirmed", "A#a failed 1 of 1");
    }

    #[test]
    fn a_build_that_fails_costs_these_tests_only() {
        let said = "said: tests that run through the build tool are not finished: no disk";
        let (cut, lost) = ("cut: ThroughBuild", "A#a lost its build: no disk");
        check("A#a [no-launch]", &["?no disk"], &[THROUGH, said, cut, lost]);
        let rate = "A#a failed 1 of 1";
        check(
            "A#a [no-launch]",
            &["!A#a", "?no disk"],
            &[THROUGH, rate, said, cut, lost],
        );
        let rate = "A#a failed 1 of 3";
        check(
            "A#a [no-launch]",
            &["!A#a", "A#a", "A#a", "!A#a", "?no disk"],
            &[THROUGH, rate, said, cut, lost],
        );
        // What was found without the build stays.
        let facts = simulated("A#a [no-launch]\nB#b [jvm 2] fails varied").rebuilds(&["?no disk"]);
        let facts = facts.facts();
        let found = "B#b fails since round 1, Alone, one reverse";
        assert!(facts.iter().any(|fact| fact == found), "{facts:?}");
    }

    #[test]
    fn time_ends_these_builds_too() {
        let simulated = simulated("A#a [no-launch]")
            .rebuilds(&["!A#a"; 3])
            .with(|options| options.budget = Some(Duration::ZERO));
        let facts = simulated.facts();
        let said = "said: time ran out for tests that run through the build tool";
        assert_eq!(facts[2..], [said, "cut: ThroughBuild", "A#a not reached"]);
        assert!(matches!(
            Stop::OutOfTime.means(true),
            Unresolved::NotConfirmedInTime
        ));
    }

    #[test]
    fn only_the_classes_of_these_tests_run_and_not_for_ever() {
        let simulated = simulated("A$In#a [no-launch]\nB#b [jvm 2]");
        let asked = std::cell::RefCell::new(Vec::new());
        let rebuild = |asking: &Rebuilding<'_>| {
            asked.borrow_mut().push(asking.classes.to_vec());
            assert!(asking.until > Instant::now() && asking.silence.least > Duration::ZERO);
            Ok(BuildOutcomes::default())
        };
        simulated.check(|check| check.run(&rebuild, &mut Ledger::default(), &|_| {}));
        assert_eq!(asked.into_inner(), vec![vec!["A".to_owned()]; 3]);
    }

    #[test]
    fn a_jvm_that_a_test_ended_is_its_failure() {
        let seen = |name: &str| SeenTest {
            handle: handle(name),
            class: "A".to_owned(),
            method: name.to_owned(),
            invocation: None,
        };
        let tests = || During::Tests(vec![seen("A#a")]);
        for (during, how, expected) in [
            (
                tests(),
                HowLost::Exited(Some(7)),
                "A#a exit: the test ended its JVM (exit status: 7)",
            ),
            (
                tests(),
                HowLost::Exited(Some(134)),
                "A#a crash: the test ended its JVM (signal: 6)",
            ),
            (tests(), HowLost::Exited(None), "A#a exit: the test ended its JVM"),
            (
                tests(),
                HowLost::Hung(Duration::from_secs(9)),
                "A#a hang: the test did not finish within 9 s",
            ),
            (
                During::Class("A".to_owned()),
                HowLost::Exited(None),
                "class A exit: the test ended its JVM",
            ),
            (During::Nothing, HowLost::Exited(Some(7)), ""),
        ] {
            let lost = LostJvm {
                module: ".".to_owned(),
                during,
                how,
            };
            let outcomes = BuildOutcomes::of(BuildRun {
                lost: vec![lost],
                ..BuildRun::default()
            });
            let says =
                |name: &str, failure: &Failure| format!("{name} {}: {}", failure.kind, failure.message);
            let mut shown = String::new();
            for (handle, outcome) in &outcomes.tests {
                if let Outcome::Failed(failure) = outcome {
                    shown += &says(&handle.id, failure);
                }
            }
            for (root, failure) in &outcomes.classes {
                shown += &says(&format!("class {root}"), failure);
            }
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn a_build_is_not_asked_for_more_once_the_user_has_had_enough() {
        let simulated = simulated("A#a [no-launch]\nB#a [jvm 2] cancels");
        let facts = simulated.rebuilds(&["A#a"; 3]).facts();
        assert_eq!(facts, ["0 rounds", "A#a not reached", "B#a not reached"]);
    }
}
