//! Which failures of the rounds count: each is repeated, varied and unvaried (N7).

use crate::check::Check;
use crate::drive::rounds::{LaunchJvms, Verdicts, WorkerJvm};
use crate::drive::units::tests_of_round;
use crate::ledger::{Fact, Failed, Ledger, Unresolved};
use std::collections::{BTreeMap, BTreeSet};
use unflake_explore::{
    Confirmed, GUIDED_ROUNDS, Suspect, TestIx, Unconfirmed, Verdict, confirm, strategy_of_round,
};
use unflake_findings::Rate;

/// A test that failed in these rounds.
struct FailedIn {
    test: TestIx,
    rounds: Vec<u32>,
}

impl FailedIn {
    /// It failed only in rounds that run in a JVM that had run it before.
    fn is_only_warm(&self) -> bool {
        self.rounds
            .iter()
            .all(|round| (2..=GUIDED_ROUNDS).contains(round))
    }
}

/// Repeats every failure; returns the tests that only the build can run.
pub(super) fn run(
    check: &Check<'_>,
    candidates: &[TestIx],
    verdicts: &Verdicts,
    ledger: &mut Ledger,
) -> Vec<TestIx> {
    let suite = &check.session.suite;
    let mut by_test: BTreeMap<TestIx, Vec<(u32, &Verdict)>> = BTreeMap::new();
    for ((round, test), verdict) in verdicts {
        by_test.entry(*test).or_default().push((*round, verdict));
    }
    let varied: BTreeSet<TestIx> = tests_of_round(candidates, suite, 1).into_iter().collect();
    let mut suspects = Vec::new();
    let mut through_build = Vec::new();
    for &test in candidates {
        let runs = by_test.get(&test).map(Vec::as_slice).unwrap_or_default();
        let rate = rate(runs);
        if !varied.contains(&test) {
            ledger.add(Fact::NoChoice(test));
        } else if rate.runs == 0 && check.is_cancelled() {
            ledger.add(Fact::Unresolved(test, Unresolved::NotReached));
        } else if rate.runs == 0 {
            through_build.push(test);
        } else {
            ledger.add(Fact::Varied { test, rate });
            if rate.failed > 0 {
                let failed = runs.iter().filter(|(_, verdict)| is_failure(verdict));
                let rounds = failed.map(|(round, _)| *round).collect();
                suspects.push(FailedIn { test, rounds });
            }
        }
    }
    check.progress.phase("confirming", suspects.len() as u64);
    // Tests of one class share a JVM as long as it stays as good as new.
    let class = |failed: &FailedIn| (suite[failed.test].launch, &suite[failed.test].handle.root);
    let classes: Vec<&[FailedIn]> = suspects.chunk_by(|a, b| class(a) == class(b)).collect();
    let results = check.in_parallel(&classes, |class| {
        let mut warm = None;
        let confirm = |failed: &FailedIn| {
            let result = confirm_one(check, failed, &mut warm);
            check.progress.step();
            result
        };
        class.iter().map(confirm).collect::<Vec<_>>()
    });
    for (suspect, result) in suspects.iter().zip(results.into_iter().flatten()) {
        match judge(suspect, result, check.is_cancelled()) {
            Judged::Fact(fact) => ledger.add(fact),
            Judged::ThroughBuild => through_build.push(suspect.test),
            Judged::Nothing => {}
        }
    }
    through_build.sort_unstable();
    through_build
}

fn is_failure(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Failed(_))
}

/// How often it ran, and failed.
fn rate(runs: &[(u32, &Verdict)]) -> Rate {
    let count = |is: &dyn Fn(&Verdict) -> bool| {
        let count = runs.iter().filter(|(_, verdict)| is(verdict)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    Rate {
        failed: count(&is_failure),
        runs: count(&|verdict| matches!(verdict, Verdict::Passed | Verdict::Failed(_))),
    }
}

/// What a confirmation means.
#[derive(Debug)]
enum Judged {
    Fact(Fact),
    ThroughBuild,
    Nothing,
}

fn judge(suspect: &FailedIn, result: Result<(u32, Confirmed), Unconfirmed>, is_cancelled: bool) -> Judged {
    let test = suspect.test;
    let unresolved = |why| Judged::Fact(Fact::Unresolved(test, why));
    match result {
        Ok((round, confirmed)) => Judged::Fact(Fact::Failed(Box::new(Failed {
            test,
            round,
            confirmed,
            through_build: false,
        }))),
        Err(_) if is_cancelled => unresolved(Unresolved::NotConfirmed),
        // It ran in a JVM that had run it before, and what it left behind made it fail; alone it was varied in the same
        // way and passes.
        Err(Unconfirmed::NotRepeated) if suspect.is_only_warm() => Judged::Nothing,
        Err(Unconfirmed::NotRepeated) => unresolved(Unresolved::NotRepeated),
        Err(Unconfirmed::NeedsOthers(failure)) => unresolved(Unresolved::NeedsOthers {
            message: failure.message,
        }),
        Err(Unconfirmed::FailsUnvaried(_) | Unconfirmed::NotRun) => Judged::ThroughBuild,
        Err(Unconfirmed::NoJvm(reason)) => unresolved(Unresolved::NoJvm(reason)),
        Err(Unconfirmed::Cancelled) => unresolved(Unresolved::NotReached),
    }
}

/// Tries to repeat the failure of one test, of one round after the other.
fn confirm_one<'a>(
    check: &'a Check<'_>,
    failed: &FailedIn,
    warm: &mut Option<WorkerJvm<'a>>,
) -> Result<(u32, Confirmed), Unconfirmed> {
    /// What failed in this many rounds and repeats in none of them is flaky.
    const MOST: usize = 3;
    let suite = &check.session.suite;
    let Some(launch) = suite[failed.test].launch else {
        return Err(Unconfirmed::NotRun);
    };
    let jvms = LaunchJvms {
        workers: check.workers,
        launch,
    };
    let before = suite.before(failed.test);
    let mut why = Unconfirmed::NotRepeated;
    for &round in failed.rounds.iter().take(MOST) {
        let suspect = Suspect {
            test: failed.test,
            strategy: strategy_of_round(round, check.level(), check.seed),
            class: before.of_class.clone(),
            prefix: before.in_jvm.clone(),
            seed: check.seed,
            climb: check.level().is_none(),
        };
        match confirm(&jvms, &suspect, warm) {
            Ok(confirmed) => return Ok((round, confirmed)),
            Err(Unconfirmed::NotRepeated) => {}
            Err(reason) => {
                why = reason;
                break;
            }
        }
    }
    Err(why)
}
