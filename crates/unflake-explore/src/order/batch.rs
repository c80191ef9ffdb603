//! Many small orders packed into few JVMs: guesses that cost little.
//!
//! What is left of one test of a JVM may make a later one fail, or pass. Each answer is a guess, to be proved.

use super::limits::TESTS_PER_BATCH;
use super::orders::{Orders, TestOrder, Wanted, run_one};
use crate::{TestIx, Verdict};

/// Tests to ask about, and what runs right before each of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) before: TestOrder,
    pub(super) tests: Vec<TestIx>,
}

/// The tests for which the answer was yes, and whether all could be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answered {
    pub(super) tests: Vec<TestIx>,
    pub(super) is_partial: bool,
}

/// Runs what comes before and then one of the tests, and again for the next, in few JVMs: those that do what is wanted,
/// for each batch.
pub(super) fn ask_all(orders: &dyn Orders, batches: &[Batch], wanted: Wanted) -> Vec<Answered> {
    let mut jvms: Vec<TestOrder> = Vec::new();
    let mut parts = Vec::new();
    for (index, batch) in batches.iter().enumerate() {
        let together = (batch.tests.len() / 2).clamp(*TESTS_PER_BATCH.start(), *TESTS_PER_BATCH.end());
        for part in batch.tests.chunks(together) {
            let each = part
                .iter()
                .flat_map(|test| batch.before.iter().copied().chain([*test]));
            jvms.push(each.collect());
            parts.push((index, part));
        }
    }
    let mut answers = vec![Answered::default(); batches.len()];
    for ((index, part), verdicts) in parts.into_iter().zip(orders.run_all(&jvms)) {
        let Some(verdicts) = verdicts else {
            answers[index].is_partial = true;
            continue;
        };
        let length = batches[index].before.len() + 1;
        for (place, test) in part.iter().enumerate() {
            let verdict = verdicts.get((place + 1) * length - 1);
            if verdict.is_some_and(|verdict| wanted.holds(verdict)) {
                answers[index].tests.push(*test);
            }
        }
    }
    answers
}

/// Candidates that make `test` do what is wanted when each runs alone before it; at most `most` of them.
///
/// One JVM runs `[c1, t, c2, t, …]` until `t` does it; the next goes on behind that candidate.
pub(super) fn each_alone(
    orders: &dyn Orders,
    candidates: &[TestIx],
    test: TestIx,
    wanted: Wanted,
    most: usize,
) -> Answered {
    let mut answered = Answered::default();
    let mut left = candidates;
    while !left.is_empty() && answered.tests.len() < most {
        let order = left.iter().flat_map(|candidate| [*candidate, test]).collect();
        let Some(verdicts) = run_one(orders, order) else {
            answered.is_partial = true;
            break;
        };
        // Behind a test that was not run its JVM may have ended: the next one goes on there.
        let is_end = |pair: &[Verdict]| match pair {
            [_, verdict] => wanted.holds(verdict) || *verdict == Verdict::NotRun,
            _ => false,
        };
        let Some(end) = verdicts.chunks(2).position(is_end) else {
            break;
        };
        if wanted.holds(&verdicts[2 * end + 1]) {
            answered.tests.push(left[end]);
        }
        left = &left[end + 1..];
    }
    answered
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{ix, one, suite};
    use super::*;

    #[test]
    fn candidates_are_tried_one_by_one_in_few_jvms() {
        let suite = suite(|before, test| test == 9 && before.iter().any(|other| [3, 6].contains(other)));
        let found = each_alone(&suite, &ix(1..8), one(9), Wanted::Fails, 10);
        assert_eq!((found.tests, found.is_partial), (ix([3, 6]), false));
        assert_eq!(suite.jvms(), 3);
    }

    #[test]
    fn candidates_are_tried_until_the_time_is_up_or_enough_are_known() {
        let mut suite = suite(|before, test| test == 9 && !before.is_empty());
        let found = each_alone(&suite, &ix(1..8), one(9), Wanted::Fails, 2);
        assert_eq!((found.tests, found.is_partial), (ix([1, 2]), false));
        suite.most = 3;
        let found = each_alone(&suite, &ix(1..8), one(9), Wanted::Fails, 2);
        assert_eq!((found.tests, found.is_partial), (ix([1]), true));
    }

    #[test]
    fn large_batches_are_cut_in_two() {
        let suite = suite(|before, test| test == 70 && before.last() == Some(&0));
        let batch = |tests: std::ops::Range<usize>| Batch {
            before: ix([0]),
            tests: ix(tests),
        };
        let answers = ask_all(&suite, &[batch(1..11), batch(11..111)], Wanted::Fails);
        assert_eq!((&answers[0].tests, &answers[1].tests), (&ix([]), &ix([70])));
        assert_eq!(suite.jvms(), 1 + 2);
    }
}
