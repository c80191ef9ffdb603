//! Who may fail after some polluters: guesses from few JVMs, in which many candidates share what is left behind.

use super::batch::{Answered, Batch, ask_all};
use super::limits::{PACKED_PAIRS, TESTS_PER_PACKED_JVM};
use super::orders::{Orders, TestOrder, Wanted};
use super::trial::Trial;
use crate::TestIx;
use std::collections::BTreeSet;

/// Runs the candidates of all trials behind their polluters, those of each in few JVMs, with the polluters again where
/// the state is known to change; and the same without the polluters, since the order is not the build's. A guess still.
pub(super) fn sweep(orders: &dyn Orders, trials: &[Trial]) -> Vec<Answered> {
    let with: Vec<Vec<TestOrder>> = trials.iter().map(Trial::orders).collect();
    let mut suspects = failing_in(orders, &with);
    for (suspects, trial) in suspects.iter_mut().zip(trials) {
        suspects.tests.retain(|test| !trial.polluters.contains(test));
    }
    let doubtful: Vec<usize> = (0..trials.len())
        .filter(|index| !suspects[*index].tests.is_empty())
        .collect();
    let without = doubtful.iter().map(|index| trials[*index].orders_without());
    let without: Vec<Vec<TestOrder>> = without.collect();
    // If this order fails tests without the polluters, those go right before each of them.
    let without_polluters = doubtful.iter().zip(failing_in(orders, &without));
    let mixed = without_polluters.filter(|(_, failing)| !failing.tests.is_empty());
    let mixed: Vec<usize> = mixed.map(|(index, _)| *index).collect();
    let asked = |index: &usize| Batch {
        before: trials[*index].polluters.clone(),
        tests: suspects[*index].tests.clone(),
    };
    let asked: Vec<Batch> = mixed.iter().map(asked).collect();
    for (index, found) in mixed.into_iter().zip(ask_all(orders, &asked, Wanted::Fails)) {
        suspects[index] = found;
    }
    suspects
}

/// Runs some orders for each trial: who fails in any of them.
fn failing_in(orders: &dyn Orders, asked: &[Vec<TestOrder>]) -> Vec<Answered> {
    let mut ran = orders.run_all(&asked.concat()).into_iter();
    let of_trial = |ways: &Vec<TestOrder>| {
        let mut failed = BTreeSet::new();
        let mut is_partial = false;
        for (order, verdicts) in ways.iter().zip(ran.by_ref()) {
            is_partial |= verdicts.is_none();
            let places = order.iter().zip(verdicts.unwrap_or_default());
            let failing = places.filter(|(_, verdict)| Wanted::Fails.holds(verdict));
            failed.extend(failing.map(|(test, _)| *test));
        }
        Answered {
            tests: failed.into_iter().collect(),
            is_partial,
        }
    };
    asked.iter().map(of_trial).collect()
}

/// The candidates of one trial inside of a JVM that many trials share.
#[derive(Debug)]
struct PackedTrials {
    trial: usize,
    jvm: usize,
    places: std::ops::Range<usize>,
}

/// Runs each candidate right behind its polluters, those of many trials in one JVM. If they are many, all behind the
/// polluters, as in [`sweep`]. A guess.
pub(super) fn packed(orders: &dyn Orders, trials: &[Trial]) -> Vec<Answered> {
    let (jvms, packed) = pack(trials);
    let ran = orders.run_all(&jvms);
    let mut failing = vec![Answered::default(); trials.len()];
    for PackedTrials { trial, jvm, places } in packed {
        let Some(verdicts) = &ran[jvm] else {
            failing[trial].is_partial = true;
            continue;
        };
        let candidates = jvms[jvm][places.clone()].iter().zip(&verdicts[places]);
        let failed = candidates.filter(|(_, verdict)| Wanted::Fails.holds(verdict));
        let failed = failed
            .map(|(test, _)| *test)
            .filter(|test| !trials[trial].polluters.contains(test));
        failing[trial].tests.extend(failed);
    }
    // A candidate that fails there without any polluter says nothing about the polluters.
    let suspects: BTreeSet<TestIx> = failing.iter().flat_map(|one| one.tests.iter().copied()).collect();
    if !suspects.is_empty() {
        let alone = Batch {
            before: TestOrder::new(),
            tests: suspects.into_iter().collect(),
        };
        let alone = ask_all(orders, &[alone], Wanted::Passes);
        for one in &mut failing {
            one.tests.sort_unstable();
            one.tests.dedup();
            one.tests.retain(|test| {
                alone
                    .iter()
                    .any(|passing| passing.is_partial || passing.tests.contains(test))
            });
        }
    }
    failing
}

/// The JVMs of [`packed`]: per trial the first pair, then the second of each, so that neighbours are of different
/// trials.
fn pack(trials: &[Trial]) -> (Vec<TestOrder>, Vec<PackedTrials>) {
    let mut turns: Vec<(usize, usize, TestOrder)> = Vec::new();
    for (index, trial) in trials.iter().enumerate() {
        let pair = |test: &TestIx| [&trial.polluters[..], &[*test]].concat();
        let orders: Vec<TestOrder> = match trial.candidates.len() {
            0..=PACKED_PAIRS => trial.candidates.iter().map(pair).collect(),
            _ => trial.orders(),
        };
        let orders = orders.into_iter().enumerate();
        turns.extend(orders.map(|(turn, order)| (turn, index, order)));
    }
    turns.sort_by_key(|(turn, index, _)| (*turn, *index));
    let mut jvms: Vec<TestOrder> = Vec::new();
    let mut packed = Vec::new();
    for (_, trial, order) in turns {
        let length = order.len();
        match jvms.last_mut() {
            Some(jvm) if jvm.len() + length <= TESTS_PER_PACKED_JVM => jvm.extend(order),
            _ => jvms.push(order),
        }
        let end = jvms.last().map_or(0, Vec::len);
        packed.push(PackedTrials {
            trial,
            jvm: jvms.len() - 1,
            places: end - length + 1..end,
        });
    }
    (jvms, packed)
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{ix, suite};
    use super::*;

    #[test]
    fn a_guess_stands_until_its_candidate_is_seen_to_fail_without_polluters() {
        let trial = Trial {
            polluters: ix([0]),
            candidates: ix([1, 2]),
            changing: BTreeSet::new(),
            polluting: BTreeSet::new(),
        };
        // 1 is a victim of 0, and 2 fails anyway.
        let mut suite = suite(|before, test| test == 2 || test == 1 && before.contains(&0));
        assert_eq!(packed(&suite, std::slice::from_ref(&trial))[0].tests, ix([1]));
        // There is no time to run them without the polluter.
        suite.most = suite.jvms() + 1;
        assert_eq!(packed(&suite, &[trial])[0].tests, ix([1, 2]));
    }
}
