//! Tests that behave differently when they are started without the build tool run through it: slower, and as they are.

use crate::check::Check;
use crate::outcome::{Fate, Outcomes};
use crate::problem::Problem;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use unflake_explore::{Confirmed, GUIDED_ROUNDS, Scope, strategy_of_round};
use unflake_findings::NoteKind;
use unflake_project::{BuildError, BuildRequest};
use unflake_protocol::{Configuration, Failure, Outcome, Strategy};

/// Runs the guided rounds through the build for these tests, and confirms what fails the same way.
pub(crate) fn run(check: &Check<'_>, tests: &[usize], outcomes: &mut Outcomes) -> Result<(), Problem> {
    if tests.is_empty() || check.is_cancelled() {
        return Ok(());
    }
    let names: Vec<String> = tests
        .iter()
        .map(|test| check.learned.suite.tests[*test].id.to_string())
        .collect();
    outcomes.note(
        NoteKind::ThroughBuildTool,
        format!(
            "{} ran through the build tool: started directly, it was not as in the build",
            names.join(", ")
        ),
    );
    let mut failed: BTreeMap<usize, Vec<(u32, Strategy)>> = BTreeMap::new();
    let mut runs: BTreeMap<usize, u32> = BTreeMap::new();
    for round in 1..=GUIDED_ROUNDS {
        let strategy = strategy_of_round(round, check.level(), check.seed);
        let Some(verdicts) = build(
            check,
            tests,
            Some(strategy),
            &format!("round {round} through the build"),
        )?
        else {
            break;
        };
        for (test, failure) in verdicts {
            *runs.entry(test).or_default() += 1;
            if failure.is_some() {
                failed.entry(test).or_default().push((round, strategy));
            }
        }
    }
    for &test in tests {
        let fate = if runs.contains_key(&test) {
            Fate::Checked
        } else {
            Fate::NotRun("the build did not run it again".to_owned())
        };
        outcomes.settle(test, fate);
        let rounds = runs.get(&test).copied().unwrap_or(0);
        outcomes.rate(
            test,
            failed.get(&test).map_or(0, |failed| failed.len() as u32),
            rounds,
        );
    }
    if failed.is_empty() {
        return Ok(());
    }
    let unvaried = build(check, tests, None, "unvaried through the build")?.unwrap_or_default();
    let mut repeated: BTreeMap<Strategy, BTreeMap<usize, Option<Failure>>> = BTreeMap::new();
    for (test, rounds) in failed {
        let (round, strategy) = rounds[0];
        let verdicts = match repeated.entry(strategy) {
            Entry::Occupied(done) => done.into_mut(),
            Entry::Vacant(place) => {
                let verdicts = build(check, tests, Some(strategy), "confirming through the build")?;
                place.insert(verdicts.unwrap_or_default())
            }
        };
        let again = verdicts.get(&test).cloned().flatten();
        match (again, unvaried.get(&test)) {
            (Some(failure), Some(None)) => {
                let confirmed = Confirmed {
                    scope: Scope::Prefix,
                    failure,
                    weakest: strategy,
                    trials: Vec::new(),
                };
                outcomes.confirmed_through_build(test, round, confirmed);
            }
            (_, Some(Some(failure))) => {
                outcomes.settle(test, Fate::Flaky(format!("failed unvaried: {}", failure.message)))
            }
            _ => outcomes.settle(
                test,
                Fate::Flaky("failed in a varied round, passes when that is repeated".to_owned()),
            ),
        }
    }
    Ok(())
}

/// One build; per test whether it failed. `None`: interrupted.
fn build(
    check: &Check<'_>,
    tests: &[usize],
    strategy: Option<Strategy>,
    phase: &str,
) -> Result<Option<BTreeMap<usize, Option<Failure>>>, Problem> {
    check.progress.phase(phase, 0);
    let configuration = Configuration {
        strategy,
        learn: false,
        ..check.request.configuration.clone()
    };
    let request = BuildRequest {
        configuration: &configuration,
        ..check.request.clone()
    };
    let run = match request.run(|message| {
        if matches!(message, unflake_protocol::ToProgram::TestFinished { .. }) {
            check.progress.step();
        }
    }) {
        Ok(run) => run,
        Err(BuildError::Cancelled) => return Ok(None),
        Err(error) => return Err(crate::learn::build_problem(error, request.build)),
    };
    let mut verdicts = BTreeMap::new();
    let suite = &check.learned.suite;
    for run in run.jvms.iter().flat_map(|jvm| &jvm.tests) {
        let found = tests
            .iter()
            .copied()
            .find(|test| suite.tests[*test].handle == run.test.handle);
        if let Some(test) = found {
            let failure = match &run.outcome {
                Outcome::Passed => None,
                Outcome::Failed(failure) => Some(failure.clone()),
                Outcome::Skipped { .. } => continue,
            };
            verdicts.insert(test, failure);
        }
    }
    Ok(Some(verdicts))
}
