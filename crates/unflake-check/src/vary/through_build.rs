//! Tests that behave differently when they are started without the build tool run through it: slower, and as they are.

use crate::check::Check;
use crate::learn::build_problem;
use crate::ledger::{Fact, Failed, Ledger, Unresolved};
use crate::problem::Problem;
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use unflake_explore::{Confirmed, Evidence, GUIDED_ROUNDS, Scope, TestIx, strategy_of_round};
use unflake_findings::{NoteKind, Rate};
use unflake_project::{BuildError, BuildRequest};
use unflake_protocol::{Configuration, Failure, Handle, Outcome, Strategy, ToProgram};

/// One more run of the build, with this variation and this name for the phase: what became of each test that it ran.
/// `None`: interrupted.
pub(crate) type Rebuild<'a> = dyn Fn(Option<Strategy>, &str) -> Rebuilt + 'a;

pub(crate) type Rebuilt = Result<Option<Vec<(Handle, Outcome)>>, Problem>;

/// Runs the build as it ran for learning.
pub(crate) fn rebuild<'a>(
    learning: &'a BuildRequest<'a>,
    progress: &'a dyn Progress,
) -> impl Fn(Option<Strategy>, &str) -> Rebuilt + 'a {
    move |strategy, phase| {
        progress.phase(phase, 0);
        let configuration = Configuration {
            strategy,
            learn: false,
            ..learning.configuration.clone()
        };
        let request = BuildRequest {
            configuration: &configuration,
            ..learning.clone()
        };
        let run = request.run(|message| {
            if matches!(message, ToProgram::TestFinished { .. }) {
                progress.step();
            }
        });
        match run {
            Ok(run) => {
                let tests = run.jvms.into_iter().flat_map(|jvm| jvm.tests);
                Ok(Some(tests.map(|run| (run.test.handle, run.outcome)).collect()))
            }
            Err(BuildError::Cancelled) => Ok(None),
            Err(error) => Err(build_problem(error, request.build)),
        }
    }
}

/// Runs the guided rounds through the build for these tests, and confirms what fails the same way.
pub(super) fn run(
    check: &Check<'_>,
    tests: &[TestIx],
    rebuild: &Rebuild<'_>,
    ledger: &mut Ledger,
) -> Result<(), Problem> {
    if tests.is_empty() || check.is_cancelled() {
        return Ok(());
    }
    let suite = &check.session.suite;
    let names: Vec<String> = tests.iter().map(|test| suite[*test].id.to_string()).collect();
    ledger.note(
        NoteKind::ThroughBuildTool,
        format!(
            "{} ran through the build tool; without it, the outcome was different",
            names.join(", ")
        ),
    );
    let by_handle: BTreeMap<&Handle, TestIx> =
        tests.iter().map(|test| (&suite[*test].handle, *test)).collect();
    let build = |strategy, phase: &str| {
        Ok::<_, Problem>(rebuild(strategy, phase)?.map(|ran| failures(&by_handle, ran)))
    };
    let mut failed: BTreeMap<TestIx, Vec<(u32, Strategy)>> = BTreeMap::new();
    let mut runs: BTreeMap<TestIx, u32> = BTreeMap::new();
    for round in 1..=GUIDED_ROUNDS {
        let strategy = strategy_of_round(round, check.level(), check.seed);
        let Some(found) = build(Some(strategy), &format!("round {round} through the build"))? else {
            break;
        };
        for (test, failure) in found {
            *runs.entry(test).or_default() += 1;
            if failure.is_some() {
                failed.entry(test).or_default().push((round, strategy));
            }
        }
    }
    for &test in tests {
        match runs.get(&test) {
            None => ledger.add(Fact::Unresolved(test, Unresolved::NotRunByBuild)),
            Some(runs) => {
                let failed = failed.get(&test).map_or(0, Vec::len);
                let rate = Rate {
                    failed: u32::try_from(failed).unwrap_or(u32::MAX),
                    runs: *runs,
                };
                ledger.add(Fact::Varied { test, rate });
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    let unvaried = build(None, "unvaried through the build")?.unwrap_or_default();
    let mut repeated: BTreeMap<Strategy, BuildFailures> = BTreeMap::new();
    for (test, rounds) in failed {
        let (round, strategy) = rounds[0];
        let again = match repeated.entry(strategy) {
            Entry::Occupied(done) => done.into_mut(),
            Entry::Vacant(place) => {
                place.insert(build(Some(strategy), "confirming through the build")?.unwrap_or_default())
            }
        };
        let again = again.get(&test).cloned().flatten();
        ledger.add(judge(test, round, strategy, again, unvaried.get(&test)));
    }
    Ok(())
}

/// Per test that ran whether it failed.
type BuildFailures = BTreeMap<TestIx, Option<Failure>>;

fn failures(by_handle: &BTreeMap<&Handle, TestIx>, ran: Vec<(Handle, Outcome)>) -> BuildFailures {
    let failure = |(handle, outcome): (Handle, Outcome)| {
        let test = by_handle.get(&handle)?;
        match outcome {
            Outcome::Passed => Some((*test, None)),
            Outcome::Failed(failure) => Some((*test, Some(failure))),
            Outcome::Skipped { .. } => None,
        }
    };
    ran.into_iter().filter_map(failure).collect()
}

/// What it means that a test failed in `round`, did `again` when that was repeated, and `unvaried` without variation.
fn judge(
    test: TestIx,
    round: u32,
    strategy: Strategy,
    again: Option<Failure>,
    unvaried: Option<&Option<Failure>>,
) -> Fact {
    match (again, unvaried) {
        (Some(failure), Some(None)) => Fact::Failed(Box::new(Failed {
            test,
            round,
            confirmed: Confirmed {
                scope: Scope::Prefix,
                failure,
                weakest: strategy,
                evidence: Evidence::LEARNED,
                trials: Vec::new(),
            },
            through_build: true,
        })),
        (_, Some(Some(failure))) => Fact::Unresolved(
            test,
            Unresolved::FailsThroughBuild {
                message: failure.message.clone(),
            },
        ),
        _ => Fact::Unresolved(
            test,
            Unresolved::Flaky {
                seen: Evidence::LEARNED,
                message: String::new(),
            },
        ),
    }
}

#[cfg(test)]
mod tests {
    use crate::problem::{Problem, ProblemKind};
    use crate::simulated::simulated;

    /// `rebuilds`: what the build's further runs show: three rounds, then unvaried, then each failing one again.
    #[track_caller]
    fn check(suite: &str, rebuilds: &[&'static str], expected: &[&str]) {
        let facts = simulated(suite).rebuilds(rebuilds).facts().into_iter();
        let facts: Vec<String> = facts.filter(|fact| !fact.contains("rounds")).collect();
        assert_eq!(facts, expected);
    }

    const SAID: &str = "said: A#a ran through the build tool; without it, the outcome was different";

    #[test]
    fn tests_that_cannot_be_started_run_through_the_build() {
        check("A#a [no-launch]", &["A#a"; 3], &[SAID, "A#a failed 0 of 3"]);
        // So do those that behave differently without it.
        check("A#a is-missing", &["A#a"; 3], &[SAID, "A#a failed 0 of 3"]);
        check("A#a skips", &["A#a"; 3], &[SAID, "A#a failed 0 of 3"]);
        check(
            "A#a fails",
            &["A#a"; 3],
            &["A#a failed 10 of 10", SAID, "A#a failed 0 of 3"],
        );
    }

    #[test]
    fn a_failure_is_confirmed_by_the_build_too() {
        let fails = "A#a fails since round 1, Prefix, one reverse, through the build";
        let second = "A#a fails since round 2, Prefix, full odd, through the build";
        let flaky = "A#a fails through the build: A#a fails";
        for (rebuilds, rate, judged) in [
            (["!A#a", "A#a", "!A#a", "A#a", "!A#a"], "A#a failed 2 of 3", fails),
            (["A#a", "!A#a", "A#a", "A#a", "!A#a"], "A#a failed 1 of 3", second),
            (["!A#a", "A#a", "A#a", "!A#a", "!A#a"], "A#a failed 1 of 3", flaky),
            (["!A#a", "A#a", "A#a", "!A#a", "A#a"], "A#a failed 1 of 3", flaky),
            (
                ["!A#a", "A#a", "A#a", "A#a", "A#a"],
                "A#a failed 1 of 3",
                "A#a is flaky: 0 of 0 varied, 0 of 1 unvaried",
            ),
            (
                ["!A#a", "A#a", "A#a", "", "!A#a"],
                "A#a failed 1 of 3",
                "A#a is flaky: 0 of 0 varied, 0 of 1 unvaried",
            ),
            (["!A#a", "", "~A#a", "A#a", "!A#a"], "A#a failed 1 of 1", fails),
        ] {
            check("A#a [no-launch]", &rebuilds, &[SAID, rate, judged]);
        }
    }

    #[test]
    fn each_failing_round_is_confirmed_once_for_all_its_tests() {
        let said = "said: A#a, A#b ran through the build tool; without it, the outcome was different";
        let fails = |test: &str, how: &str| format!("{test} fails since round {how}, through the build");
        let both = "A#a A#b";
        for (rebuilds, a, b) in [
            (
                vec![both, "!A#a A#b", "A#a !A#b", both, "!A#a A#b", "A#a !A#b"],
                "2, Prefix, full odd",
                "3, Prefix, full pairs",
            ),
            (
                vec![both, "!A#a !A#b", both, both, "!A#a !A#b"],
                "2, Prefix, full odd",
                "2, Prefix, full odd",
            ),
        ] {
            check(
                "A#a [no-launch]\nA#b",
                &rebuilds,
                &[
                    said,
                    "A#a failed 1 of 3",
                    "A#b failed 1 of 3",
                    &fails("A#a", a),
                    &fails("A#b", b),
                ],
            );
        }
    }

    #[test]
    fn what_the_build_does_not_run_again_is_not_finished() {
        let not_run = "A#a not run by the build";
        check("A#a [no-launch]", &["", "~A#a", "B#x"], &[SAID, not_run]);
        // Interrupted at once, and after the first round.
        check("A#a [no-launch]", &[], &[SAID, not_run]);
        check("A#a [no-launch]", &["A#a"], &[SAID, "A#a failed 0 of 1"]);
    }

    #[test]
    fn a_build_that_cannot_be_run_again_is_a_problem() {
        let simulated = simulated("A#a [no-launch]");
        let mut ledger = crate::ledger::Ledger::default();
        let cannot = |_, _: &str| Err(Problem::new(ProblemKind::CannotWork, "no disk".to_owned()));
        let problem = simulated
            .check(|check| check.run(&cannot, &mut ledger))
            .unwrap_err();
        assert_eq!(problem.error, "no disk");
    }

    #[test]
    fn a_build_is_not_asked_for_more_once_the_user_has_had_enough() {
        let simulated = simulated("A#a [no-launch]\nB#a [jvm 2] cancels");
        let facts = simulated.rebuilds(&["A#a"; 3]).facts();
        assert_eq!(facts, ["0 rounds", "A#a not reached", "B#a not reached"]);
    }
}
