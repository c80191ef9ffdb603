//! Of many suspects, those that no proof of their own is needed to tell apart: a few JVMs for all of them together are
//! cheaper than some for each.

use super::FailedIn;
use crate::check::Check;
use crate::drive::units::{Turn, Unit, tests_of_round, units};
use crate::ledger::{Fact, Ledger, Unresolved};
use crate::vary::rounds::unvaried_runs;
use std::collections::{BTreeMap, BTreeSet};
use unflake_explore::{Counts, Evidence, GUIDED_ROUNDS, TestIx, Verdict, strategy_of_round};

/// So many are many.
const MANY: usize = 10;

/// Of many suspects, those that sometimes fail unvaried are flaky on their own.
pub(super) fn drop_flaky(check: &Check<'_>, suspects: &mut Vec<FailedIn>, ledger: &mut Ledger) {
    /// Runs of each before it is looked who is left.
    const TIMES: u32 = 4;
    const MOST: u32 = 16;
    /// More runs are worth it if the last ones showed that one in so many is flaky.
    const ONE_IN: usize = 10;
    let mut unvaried: BTreeMap<TestIx, (Counts, String)> = BTreeMap::new();
    for _ in 0..MOST / TIMES {
        if suspects.len() < MANY || check.is_cancelled() {
            return;
        }
        let tests: Vec<TestIx> = suspects.iter().map(|suspect| suspect.test).collect();
        for (test, (counts, said)) in unvaried_runs(check, &tests, TIMES) {
            let (all, message) = unvaried.entry(test).or_default();
            *all = all.plus(counts);
            if !said.is_empty() {
                *message = said;
            }
        }
        let before = suspects.len();
        suspects.retain(|suspect| match unvaried.get(&suspect.test) {
            Some((counts, said)) if counts.is_mixed() => {
                let unvaried = Evidence {
                    without: *counts,
                    ..Evidence::default()
                };
                let why = Unresolved::Flaky {
                    seen: Evidence::LEARNED.plus(suspect.in_rounds()).plus(unvaried),
                    message: said.clone(),
                };
                ledger.add(Fact::Unresolved(suspect.test, why));
                false
            }
            _ => true,
        });
        if (before - suspects.len()) * ONE_IN < before {
            return;
        }
    }
}

/// Of many suspects, notes those that pass when all choices are made again as they were when they failed. They are not
/// looked for among the tests before them, which is what costs most.
pub(super) fn repeat_rounds(check: &Check<'_>, candidates: &[TestIx], suspects: &mut [FailedIn]) {
    if suspects.len() < MANY {
        return;
    }
    let crashing: BTreeSet<TestIx> = suspects
        .iter()
        .filter(|suspect| suspect.has_crashed)
        .map(|suspect| suspect.test)
        .collect();
    let left: Vec<TestIx> = candidates
        .iter()
        .copied()
        .filter(|test| !crashing.contains(test))
        .collect();
    let firsts = suspects
        .iter()
        .filter_map(|suspect| suspect.rounds.first().copied());
    let units = units_of_rounds(check, &left, firsts.collect());
    let runs = units.iter().map(Unit::runs).sum::<usize>();
    check.progress.phase("repeating rounds", runs as u64);
    let verdicts = check.workers.run(units, &|_, _| check.progress.step());
    for suspect in suspects {
        let first = suspect.rounds.first();
        let again = first.and_then(|round| verdicts.get(&(*round, suspect.test)));
        if again == Some(&Verdict::Passed) {
            suspect.has_not_repeated = true;
            suspect.rate.runs += 1;
        }
    }
}

/// These rounds as they ran the first time: the guided ones of a class follow each other in one JVM, the others have
/// their own.
fn units_of_rounds(check: &Check<'_>, tests: &[TestIx], rounds: BTreeSet<u32>) -> Vec<Unit> {
    let suite = &check.session.suite;
    let (guided, random): (Vec<u32>, Vec<u32>) =
        rounds.into_iter().partition(|round| *round <= GUIDED_ROUNDS);
    let last_guided = guided.last().copied().unwrap_or(0);
    let guided: Vec<u32> = (1..=last_guided).collect();
    let together = random.into_iter().map(|round| vec![round]);
    let turn = |round: u32| Turn {
        round,
        strategy: Some(strategy_of_round(round, check.level(), check.seed)),
        tests: tests_of_round(tests, suite, round),
    };
    [guided]
        .into_iter()
        .chain(together)
        .flat_map(|rounds| {
            let turns: Vec<Turn> = rounds.into_iter().map(turn).collect();
            units(suite, &turns, check.workers.spread)
        })
        .collect()
}
