//! Which failures of the rounds count: each is repeated, varied and unvaried (N7).

mod many;
#[cfg(test)]
mod tests;

use crate::check::Check;
use crate::document::message;
use crate::drive::driver::Fault;
use crate::drive::rounds::{LaunchJvms, Verdicts, WorkerJvm};
use crate::drive::units::tests_of_round;
use crate::ledger::{Fact, Failed, Ledger, Unresolved};
use crate::suite::LaunchIx;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use unflake_explore::{
    Confirmed, Counts, Evidence, GUIDED_ROUNDS, Inquiry, Suspect, TestIx, Unconfirmed, Verdict, blame,
    confirm, confirm_together, strategy_of_round,
};
use unflake_findings::Rate;
use unflake_protocol::{Failure, FailureSort};

/// A test that failed in these rounds.
struct FailedIn {
    test: TestIx,
    rounds: Vec<u32>,
    rate: Rate,
    /// What it said the first time.
    message: String,
    /// It crashed its JVM in one of them.
    has_crashed: bool,
    /// It did not fail when the first of these rounds was run again.
    has_not_repeated: bool,
}

impl FailedIn {
    /// By what its rounds gave.
    fn new(test: TestIx, runs: &[(u32, &Verdict)], rate: Rate) -> FailedIn {
        let failed = runs.iter().filter(|(_, verdict)| is_failure(verdict));
        let said = runs.iter().find_map(|(_, verdict)| match verdict {
            Verdict::Failed(failure) => Some(message(failure)),
            Verdict::Passed | Verdict::NotRun | Verdict::Cancelled => None,
        });
        let failures = runs.iter().filter_map(|(_, verdict)| verdict.failure());
        let mut sorts = failures.map(Failure::sort);
        FailedIn {
            has_crashed: sorts.any(|sort| sort == FailureSort::Crash),
            test,
            rounds: failed.map(|(round, _)| *round).collect(),
            rate,
            message: said.unwrap_or_default(),
            has_not_repeated: false,
        }
    }

    fn in_rounds(&self) -> Evidence {
        Evidence {
            with: Counts {
                failed: self.rate.failed,
                runs: self.rate.runs,
            },
            ..Evidence::default()
        }
    }
}

/// What became of an attempt to confirm it, and all that was seen of it alone.
struct Tried {
    result: Result<(u32, Confirmed), Unconfirmed>,
    inquiry: Inquiry,
}

impl Tried {
    /// There is no time to try.
    fn none() -> Tried {
        Tried {
            result: Err(Unconfirmed::Cancelled),
            inquiry: Inquiry::default(),
        }
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
                suspects.push(FailedIn::new(test, runs, rate));
            }
        }
    }
    many::drop_flaky(check, &mut suspects, ledger);
    many::repeat_rounds(check, candidates, &mut suspects);
    let results = confirm_all(check, &suspects);
    for (suspect, result) in suspects.iter().zip(results) {
        if suspect.has_crashed && result.result.is_err() {
            // It was left out of the rounds behind that one, and perhaps for nothing.
            let test = &suite[suspect.test];
            check.workers.driver.faults().add(Fault::Ended {
                during: Some(test.handle.clone()),
                status: format!("it crashed when `{}` varied, which did not repeat", test.id),
            });
        }
        match judge(suspect, result, check.is_cancelled()) {
            Confirmation::Fact(fact) => ledger.add(fact),
            Confirmation::ThroughBuild => through_build.push(suspect.test),
        }
    }
    through_build.sort_unstable();
    through_build
}

/// What becomes of each suspect. First in warm JVMs, class by class; what needs fresh ones then in batches; who is left,
/// each for itself.
fn confirm_all(check: &Check<'_>, suspects: &[FailedIn]) -> Vec<Tried> {
    /// From so many on a batch is cheaper.
    const WORTH_A_BATCH: usize = 3;
    check.progress.phase("confirming", suspects.len() as u64);
    let suite = &check.session.suite;
    let deadline = check
        .options
        .budget
        .map(|budget| Instant::now() + time_for(budget));
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    // Tests of one class share a JVM as long as it stays as good as new.
    let class = |failed: &FailedIn| (suite[failed.test].launch, &suite[failed.test].handle.root);
    let in_turn = |some: &[(&FailedIn, Inquiry)]| -> Vec<Tried> {
        let classes: Vec<&[(&FailedIn, Inquiry)]> = some.chunk_by(|a, b| class(a.0) == class(b.0)).collect();
        let tried = check.in_parallel(&classes, |class| {
            let mut warm = None;
            let mut is_class_cold = false;
            let confirm = |(failed, inquiry): &(&FailedIn, Inquiry)| {
                let tried = if is_late() {
                    Tried::none()
                } else if is_class_cold {
                    // What one test of a class needs, the others mostly need as well.
                    Tried {
                        result: Err(Unconfirmed::NeedsFreshJvms),
                        inquiry: inquiry.clone(),
                    }
                } else {
                    confirm_one(check, failed, inquiry.clone(), &mut warm)
                };
                is_class_cold = tried.result == Err(Unconfirmed::NeedsFreshJvms);
                if !is_class_cold {
                    check.progress.step();
                }
                tried
            };
            class.iter().map(confirm).collect::<Vec<_>>()
        });
        tried.into_iter().flatten().collect()
    };
    let first = Inquiry::default().leaving_cold_ones(suspects.len() >= WORTH_A_BATCH);
    let all: Vec<(&FailedIn, Inquiry)> = suspects.iter().map(|suspect| (suspect, first.clone())).collect();
    let mut tried = in_turn(&all);
    let is_cold = |tried: &Tried| tried.result == Err(Unconfirmed::NeedsFreshJvms);
    let cold: Vec<usize> = (0..tried.len()).filter(|index| is_cold(&tried[*index])).collect();
    if cold.is_empty() {
        return tried;
    }
    if cold.len() >= WORTH_A_BATCH && !is_late() {
        for launch in suite.launches() {
            let here: Vec<usize> = cold
                .iter()
                .copied()
                .filter(|index| suite[suspects[*index].test].launch == Some(launch))
                .collect();
            in_batches(check, suspects, launch, &here, &mut tried);
        }
    }
    let left: Vec<usize> = cold.into_iter().filter(|index| is_cold(&tried[*index])).collect();
    let last = |index: &usize| tried[*index].inquiry.clone().leaving_cold_ones(false);
    let some: Vec<(&FailedIn, Inquiry)> = left
        .iter()
        .map(|index| (&suspects[*index], last(index)))
        .collect();
    let again = in_turn(&some);
    for (index, again) in left.into_iter().zip(again) {
        tried[index] = again;
    }
    tried
}

/// Confirms suspects of one launch that need fresh JVMs, in as many batches at a time as there are workers.
fn in_batches(
    check: &Check<'_>,
    suspects: &[FailedIn],
    launch: LaunchIx,
    here: &[usize],
    tried: &mut [Tried],
) {
    let jvms = LaunchJvms::new(check.workers, launch);
    let size = here.len().div_ceil(check.workers.spread.jobs.max(1)).max(1);
    let parts: Vec<&[usize]> = here.chunks(size).collect();
    let before: Vec<Inquiry> = tried.iter().map(|tried| tried.inquiry.clone()).collect();
    let confirmed = check.in_parallel(&parts, |part| {
        let of_part: Vec<Suspect> = part
            .iter()
            .map(|index| suspect_of(check, &suspects[*index], suspects[*index].rounds[0]))
            .collect();
        let mut inquiries: Vec<Inquiry> = part.iter().map(|index| before[*index].clone()).collect();
        let found = confirm_together(&jvms, of_part.iter().zip(&mut inquiries).collect());
        found.into_iter().zip(inquiries).collect::<Vec<_>>()
    });
    for (index, (found, inquiry)) in here.iter().zip(confirmed.into_iter().flatten()) {
        tried[*index].inquiry = inquiry;
        if let Some(found) = found {
            tried[*index].result = Ok((suspects[*index].rounds[0], found));
            check.progress.step();
        }
    }
}

/// How long confirmation may take: what was seen should not be lost for a short budget.
fn time_for(budget: Duration) -> Duration {
    const LEAST: Duration = Duration::from_secs(60);
    budget.max(LEAST)
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
enum Confirmation {
    Fact(Fact),
    ThroughBuild,
}

fn judge(suspect: &FailedIn, tried: Tried, is_cancelled: bool) -> Confirmation {
    let test = suspect.test;
    let unresolved = |why| Confirmation::Fact(Fact::Unresolved(test, why));
    match tried.result {
        Ok((round, confirmed)) => Confirmation::Fact(Fact::Failed(Box::new(Failed {
            test,
            round,
            confirmed,
            through_build: false,
        }))),
        Err(_) if is_cancelled => unresolved(Unresolved::NotConfirmed),
        Err(Unconfirmed::Cancelled) => unresolved(Unresolved::NotConfirmedInTime),
        Err(Unconfirmed::Flaky(failure)) => unresolved(Unresolved::Flaky {
            seen: tried.inquiry.seen.plus(suspect.in_rounds()),
            message: failure.map_or_else(|| suspect.message.clone(), |failure| message(&failure)),
        }),
        Err(Unconfirmed::BrokenByOthers) => unresolved(Unresolved::BrokenByOthers),
        Err(Unconfirmed::OnlyOnce) => unresolved(Unresolved::OnlyOnce),
        Err(Unconfirmed::NeedsOthers(failure)) => unresolved(Unresolved::NeedsOthers {
            message: failure.message,
        }),
        // Nobody is left who needs fresh JVMs: the last try gives them.
        Err(Unconfirmed::FailsUnvaried(_) | Unconfirmed::NotRun | Unconfirmed::NeedsFreshJvms) => {
            Confirmation::ThroughBuild
        }
        Err(Unconfirmed::NoJvm(reason)) => unresolved(Unresolved::NoJvm(reason)),
    }
}

/// A test, as it failed in a round.
fn suspect_of(check: &Check<'_>, failed: &FailedIn, round: u32) -> Suspect {
    let before = check.session.suite.before(failed.test);
    Suspect {
        test: failed.test,
        strategy: strategy_of_round(round, check.level(), check.seed),
        class: before.of_class.clone(),
        prefix: before.in_jvm.clone(),
        seed: check.seed,
        climb: check.level().is_none(),
        ran_before: (2..=GUIDED_ROUNDS).contains(&round),
        is_unlikely: failed.has_not_repeated,
    }
}

/// Tries to confirm the failure of one test, of one round after the other.
fn confirm_one<'a>(
    check: &'a Check<'_>,
    failed: &FailedIn,
    mut inquiry: Inquiry,
    warm: &mut Option<WorkerJvm<'a>>,
) -> Tried {
    /// What failed in this many rounds and is confirmed in none of them is flaky.
    const MOST: usize = 3;
    let Some(launch) = check.session.suite[failed.test].launch else {
        return Tried {
            result: Err(Unconfirmed::NotRun),
            inquiry,
        };
    };
    let jvms = LaunchJvms::new(check.workers, launch);
    let mut result = Err(Unconfirmed::Flaky(None));
    for (place, &round) in failed.rounds.iter().take(MOST).enumerate() {
        let mut suspect = suspect_of(check, failed, round);
        // What needs the tests before it needed them in the first of these rounds too.
        if place > 0 || failed.has_not_repeated {
            suspect.class.clear();
            suspect.prefix.clear();
        }
        result = confirm(&jvms, &suspect, &mut inquiry, warm).map(|confirmed| (round, confirmed));
        if result != Err(Unconfirmed::Flaky(None)) {
            break;
        }
    }
    if result == Err(Unconfirmed::Flaky(None))
        && !failed.has_not_repeated
        && let Some(first) = failed.rounds.first()
    {
        result = Err(blame(&jvms, &suspect_of(check, failed, *first)));
    }
    Tried { result, inquiry }
}
