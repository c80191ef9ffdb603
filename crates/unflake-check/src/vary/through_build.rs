//! Tests that behave differently when they are started without the build tool run through it: slower, and as they are.

use crate::check::Check;
use crate::learn::build_problem;
use crate::ledger::{Fact, Failed, Ledger, Unresolved};
use crate::problem::Problem;
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use unflake_explore::{Confirmed, GUIDED_ROUNDS, Scope, TestIx, strategy_of_round};
use unflake_findings::{NoteKind, Rate};
use unflake_project::{BuildError, BuildRequest};
use unflake_protocol::{Configuration, Failure, Handle, Outcome, Strategy, ToProgram};

/// One more run of the build, with this variation and this name for the phase: what became of each test that it ran.
/// `None`: interrupted.
pub(crate) type Rebuild<'a> = dyn Fn(Option<Strategy>, &str) -> Rebuilt + 'a;

type Rebuilt = Result<Option<Vec<(Handle, Outcome)>>, Problem>;

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
    let mut repeated: BTreeMap<Strategy, Failures> = BTreeMap::new();
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
type Failures = BTreeMap<TestIx, Option<Failure>>;

fn failures(by_handle: &BTreeMap<&Handle, TestIx>, ran: Vec<(Handle, Outcome)>) -> Failures {
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
        _ => Fact::Unresolved(test, Unresolved::NotRepeated),
    }
}
