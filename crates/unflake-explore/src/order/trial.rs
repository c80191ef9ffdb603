//! Trials: polluters before candidates, to see who fails, and the proof of it. One stage of the plan is some of them.
//!
//! Many polluters and candidates share few JVMs, so a failure there is a guess, which is proved afterwards.

use super::batch::{Answered, Batch, ask_all};
use super::limits::{BACKWARDS_FROM, GUESSES_PER_VICTIM};
use super::orders::{Orders, TestOrder, Unproved, Wanted};
use super::prove::{Pair, ProvedVictim, drop_failing_alone, prove_in_parts};
use super::sweep::{packed, sweep};
use crate::TestIx;
use std::collections::BTreeSet;

/// How polluters are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrialMode {
    /// Candidates one after the other behind the polluters: most victims, for the price of the tests.
    Behind,
    /// The polluters right before each: none that cleans up hides the next.
    Each,
    /// The first, then the second for the rest.
    Both,
    /// As `Each`, many polluters in one JVM, in turn: for trials that stay within a class. Trials of one class must not
    /// be neighbours, so that each pair begins with the class's set-up.
    Packed,
}

/// Whom some polluters are tried on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trial {
    /// One nearly always; several do harm together only, in this order.
    pub(super) polluters: TestOrder,
    /// Tests that are known to pass in some order, in the build's. One polluter may be among them: it may be its own
    /// victim.
    pub(super) candidates: Vec<TestIx>,
    /// Tests that are known to change the same state: after one of them it may be right again.
    pub(super) changing: BTreeSet<TestIx>,
    /// Tests that are known to change some state: what fails behind one of them may be its doing.
    pub(super) polluting: BTreeSet<TestIx>,
}

impl Trial {
    /// The candidates one after the other behind the polluters and, if they are many, once more backwards: one test
    /// that cleans up hides those behind it in the first order and those before it in the second, so that together they
    /// hide nobody. Whoever pollutes goes to the end of both, behind the polluters anew; who is known to change the
    /// same comes last of all, each with the polluters before it.
    pub(super) fn orders(&self) -> Vec<TestOrder> {
        self.orders_behind(&self.polluters)
    }

    /// The same orders without the polluters.
    pub(super) fn orders_without(&self) -> Vec<TestOrder> {
        self.orders_behind(&[])
    }

    fn orders_behind(&self, polluters: &[TestIx]) -> Vec<TestOrder> {
        let others = self.candidates.iter().copied();
        let (changing, others): (TestOrder, TestOrder) = others
            .filter(|test| !self.polluters.contains(test))
            .partition(|test| self.changing.contains(test));
        let (polluting, plain): (TestOrder, TestOrder) =
            others.into_iter().partition(|test| self.polluting.contains(test));
        let anew: &[TestIx] = match plain.is_empty() || polluting.is_empty() {
            true => &[],
            false => polluters,
        };
        let turned = |tests: &TestOrder| -> TestOrder { tests.iter().rev().copied().collect() };
        let backwards = [polluters, &turned(&plain), anew, &turned(&polluting)].concat();
        let mut forwards = [polluters, &plain, anew, &polluting].concat();
        for test in changing {
            forwards.extend_from_slice(polluters);
            forwards.push(test);
        }
        match plain.len() + polluting.len() {
            ..BACKWARDS_FROM => vec![forwards],
            _ => vec![forwards, backwards],
        }
    }
}

/// What came of some [`Trial`]s.
#[derive(Clone, Debug, Default)]
pub(super) struct TriedPolluters {
    /// Victims with one polluter each, the first that was proved.
    pub(super) victims: Vec<ProvedVictim>,
    /// Per trial: all victims of its polluters.
    pub(super) of: Vec<BTreeSet<TestIx>>,
    /// Per trial: time ran out before all candidates were tried or all that failed were proved.
    pub(super) is_partial: Vec<bool>,
}

/// The tests that fail after the polluters of each trial. `proved` are known to be victims of others.
///
/// Each test that fails there is proved to be a victim once, with the first polluters for which that works. Its other
/// polluters must fail it in company twice, among other neighbours; without polluters that company passes, or it does
/// not count.
///
/// `search` and `orders` run the same tests; the first may have less time, so that some is left for the proof.
pub(super) fn victims_of(
    search: &dyn Orders,
    orders: &dyn Orders,
    trials: &[Trial],
    proved: &BTreeSet<TestIx>,
    mode: TrialMode,
) -> TriedPolluters {
    let mut tried = TriedPolluters {
        victims: Vec::new(),
        of: vec![BTreeSet::new(); trials.len()],
        is_partial: vec![false; trials.len()],
    };
    let mut proved = proved.clone();
    let mut failing = match mode {
        TrialMode::Each => vec![Answered::default(); trials.len()],
        TrialMode::Behind | TrialMode::Both => sweep(search, trials),
        TrialMode::Packed => packed(search, trials),
    };
    prove_once(orders, trials, &failing, &mut proved, &mut tried);
    if matches!(mode, TrialMode::Each | TrialMode::Both) {
        let left = |(failing, trial): (&Answered, &Trial)| {
            let is_left = |test: &TestIx| !failing.tests.contains(test) && !proved.contains(test);
            Batch {
                before: trial.polluters.clone(),
                tests: trial.candidates.iter().copied().filter(is_left).collect(),
            }
        };
        let left: Vec<Batch> = failing.iter().zip(trials).map(left).collect();
        let found = ask_all(search, &left, Wanted::Fails);
        for (failing, found) in failing.iter_mut().zip(found) {
            failing.tests.extend(found.tests);
            // The polluters right before each of the rest outweigh a sweep that was not finished.
            failing.is_partial = found.is_partial;
        }
        prove_once(orders, trials, &failing, &mut proved, &mut tried);
    }
    count_others(orders, trials, &failing, &proved, &mut tried);
    let found: BTreeSet<TestIx> = tried.victims.iter().map(|victim| victim.victim).collect();
    let not_alone = drop_failing_alone(orders, &mut tried.victims);
    let left: BTreeSet<TestIx> = tried.victims.iter().map(|victim| victim.victim).collect();
    for (of, is_partial) in tried.of.iter_mut().zip(&mut tried.is_partial) {
        of.retain(|victim| left.contains(victim) || !found.contains(victim));
        *is_partial |= !of.is_disjoint(&not_alone);
    }
    tried.victims.sort_by_key(|victim| victim.victim);
    tried
}

/// Adds to each trial its victims: those that were proved with it, and of those that were proved with others the ones
/// that fail after its polluters once more, and pass without them in the same company.
fn count_others(
    orders: &dyn Orders,
    trials: &[Trial],
    failing: &[Answered],
    proved: &BTreeSet<TestIx>,
    tried: &mut TriedPolluters,
) {
    let mut after: Vec<Batch> = Vec::new();
    for (index, trial) in trials.iter().enumerate() {
        let is_main = |victim: &&ProvedVictim| victim.polluters == trial.polluters;
        let main = tried.victims.iter().filter(is_main).map(|victim| victim.victim);
        let main: BTreeSet<TestIx> = main.collect();
        // Its own victim is proved on its own or not at all.
        let is_other = |victim: &&TestIx| {
            proved.contains(victim) && !main.contains(victim) && !trial.polluters.contains(victim)
        };
        let mut others: Vec<TestIx> = failing[index].tests.iter().filter(is_other).copied().collect();
        others.reverse();
        after.push(Batch {
            before: trial.polluters.clone(),
            tests: others,
        });
        tried.of[index].extend(main);
        tried.is_partial[index] |= failing[index].is_partial;
    }
    let without = |batch: &Batch| Batch {
        before: TestOrder::new(),
        tests: batch.tests.clone(),
    };
    let without: Vec<Batch> = after.iter().map(without).collect();
    let again = ask_all(orders, &after, Wanted::Fails);
    let passing = ask_all(orders, &without, Wanted::Passes);
    for (index, (again, passing)) in again.into_iter().zip(passing).enumerate() {
        tried.is_partial[index] |= again.is_partial || passing.is_partial;
        let both = again
            .tests
            .into_iter()
            .filter(|victim| passing.tests.contains(victim));
        tried.of[index].extend(both);
    }
}

/// Proves each test that failed in a trial with one polluter: the first, and if that was not it the next, a few times.
fn prove_once(
    orders: &dyn Orders,
    trials: &[Trial],
    failing: &[Answered],
    proved: &mut BTreeSet<TestIx>,
    tried: &mut TriedPolluters,
) {
    let mut used = BTreeSet::new();
    for _ in 0..GUESSES_PER_VICTIM {
        let mut asked: Vec<(usize, Pair)> = Vec::new();
        let mut chosen = BTreeSet::new();
        for (index, trial) in trials.iter().enumerate() {
            for &victim in &failing[index].tests {
                let is_new = !proved.contains(&victim) && !used.contains(&(index, victim));
                if is_new && chosen.insert(victim) {
                    used.insert((index, victim));
                    let pair = Pair {
                        victim,
                        polluters: trial.polluters.clone(),
                        passed_alone: 0,
                        failed_in_company: u32::from(!trial.polluters.contains(&victim)),
                    };
                    asked.push((index, pair));
                }
            }
        }
        if asked.is_empty() {
            break;
        }
        let pairs: Vec<Pair> = asked.iter().map(|(_, pair)| pair.clone()).collect();
        for ((index, pair), result) in asked.iter().zip(prove_in_parts(orders, &pairs)) {
            match result {
                Ok(victim) => {
                    proved.insert(pair.victim);
                    tried.victims.push(victim);
                }
                Err(Unproved::Ended) => tried.is_partial[*index] = true,
                Err(Unproved::NotRepeated | Unproved::NotRun) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{ix, last_is, one, set, suite};
    use super::*;

    fn trial(polluter: usize, candidates: impl IntoIterator<Item = usize>) -> Trial {
        Trial {
            polluters: ix([polluter]),
            candidates: ix(candidates),
            changing: BTreeSet::new(),
            polluting: BTreeSet::new(),
        }
    }

    fn tried(orders: &dyn Orders, trials: &[Trial], mode: TrialMode) -> TriedPolluters {
        victims_of(orders, orders, trials, &BTreeSet::new(), mode)
    }

    #[test]
    fn a_chain_is_tried_on_all_others() {
        let suite = suite(|before, test| {
            let after = before.iter().position(|test| *test == 1);
            let both = after.is_some_and(|place| before[..place].contains(&0));
            (10..15).contains(&test) && both
        });
        let chain = Trial {
            polluters: ix([0, 1]),
            ..trial(0, 2..40)
        };
        let tried = tried(&suite, &[chain], TrialMode::Each);
        assert_eq!((&tried.of[0], tried.is_partial[0]), (&set(10..15), false));
        assert!(tried.victims.iter().all(|victim| victim.polluters == ix([0, 1])));
    }

    #[test]
    fn one_that_is_not_known_to_clean_up_hides_nobody() {
        for mode in [TrialMode::Behind, TrialMode::Packed] {
            let suite = suite(|before, test| [3, 14, 16, 28].contains(&test) && last_is(before, &[0, 15], 0));
            let tried = tried(&suite, &[trial(0, 1..30)], mode);
            assert_eq!(tried.of[0], set([3, 14, 16, 28]));
        }
    }

    #[test]
    fn a_polluter_that_is_a_victim_too_comes_right_behind_the_other() {
        let suite = suite(|before, test| test == 20 && last_is(before, &[0, 15], 0));
        let trial = Trial {
            polluting: set([0, 20]),
            ..trial(0, 1..30)
        };
        assert_eq!(tried(&suite, &[trial], TrialMode::Behind).of[0], set([20]));
    }

    #[test]
    fn who_is_known_to_change_the_state_has_the_polluter_right_before_it() {
        let orders = |trial: &Trial| -> Vec<Vec<usize>> {
            let numbers = |order: TestOrder| order.into_iter().map(|test| test.0).collect();
            trial.orders().into_iter().map(numbers).collect()
        };
        let trial = Trial {
            changing: set([0, 2]),
            polluting: set([0, 2, 4]),
            ..trial(0, 0..6)
        };
        assert_eq!(orders(&trial), [[0, 1, 3, 5, 0, 4, 0, 2]]);
        assert_eq!(trial.orders_without(), [ix([1, 3, 5, 4, 2])]);
    }

    #[test]
    fn victims_of_a_polluter_are_found_though_one_cleans_up() {
        // 5 cleans up after 0.
        let suite = suite(|before, test| [6, 7].contains(&test) && last_is(before, &[0, 5], 0));
        let tried = tried(&suite, &[trial(0, 1..10)], TrialMode::Both);
        assert_eq!(tried.of[0], set([6, 7]));
        assert!(!tried.is_partial[0]);
    }

    #[test]
    fn a_victim_of_several_polluters_is_proved_once_and_counted_for_each() {
        let suite = suite(|before, test| test > 4 && before.iter().any(|other| *other < 3));
        let trials = [trial(0, 4..10), trial(1, 4..10), trial(3, 4..10)];
        let tried = tried(&suite, &trials, TrialMode::Both);
        assert_eq!(tried.of, [set(5..10), set(5..10), set([])]);
        assert_eq!(tried.victims.len(), 5);
        assert!(suite.jvms() < 40, "{}", suite.jvms());
    }

    #[test]
    fn within_classes_many_polluters_share_a_jvm() {
        // Tens are classes, whose set-up clears: of each, 1 makes 2 fail.
        let class = |test: usize| test / 10;
        let suite = suite(|before, test| {
            let own = before
                .iter()
                .rev()
                .take_while(|other| class(**other) == class(test));
            test % 10 == 2 && own.into_iter().any(|other| other % 10 == 1)
        });
        let trials: Vec<Trial> = (0..20)
            .map(|class| trial(10 * class + 1, 10 * class + 2..10 * class + 5))
            .collect();
        let tried = tried(&suite, &trials, TrialMode::Packed);
        assert_eq!(tried.victims.len(), 20);
        assert!(tried.is_partial.iter().all(|partial| !partial));
        // One to find them, the rest to prove them.
        assert!(suite.jvms() <= 1 + 20 * 5, "{}", suite.jvms());
    }

    #[test]
    fn a_test_that_fails_after_everybody_is_nobodys_victim() {
        // 3 needs 9, which none of the trials has.
        for mode in [
            TrialMode::Behind,
            TrialMode::Each,
            TrialMode::Both,
            TrialMode::Packed,
        ] {
            let suite = suite(|before, test| test == 3 && !before.contains(&9));
            let tried = tried(&suite, &[trial(0, 1..6), trial(1, 2..6)], mode);
            assert!(
                tried.victims.is_empty() && tried.of == [set([]), set([])],
                "{mode:?}"
            );
        }
    }

    #[test]
    fn when_the_time_is_up_it_is_said() {
        for mode in [
            TrialMode::Behind,
            TrialMode::Each,
            TrialMode::Both,
            TrialMode::Packed,
        ] {
            let mut suite = suite(|_, _| false);
            suite.most = 0;
            let tried = tried(&suite, &[trial(0, 1..10)], mode);
            assert!(tried.is_partial[0] && tried.victims.is_empty());
        }
    }

    #[test]
    fn a_victim_that_could_not_be_run_alone_makes_its_trial_partial() {
        let pollutes = |before: &[usize], test: usize| test > 0 && before.contains(&0);
        let mut of = suite(pollutes);
        let full = tried(&of, &[trial(0, 1..4)], TrialMode::Each);
        assert!(full.victims.iter().all(|victim| victim.passed_alone) && !full.is_partial[0]);
        let all = of.jvms();
        of = suite(pollutes);
        of.most = all - 1;
        let cut = tried(&of, &[trial(0, 1..4)], TrialMode::Each);
        assert_eq!(cut.victims.len(), 3);
        assert!(
            cut.victims
                .iter()
                .any(|victim| !victim.passed_alone && victim.victim == one(3))
        );
        assert!(cut.is_partial[0]);
    }

    #[test]
    fn whatever_time_was_too_short_for_is_said_of_its_trial() {
        let pollutes = |before: &[usize], test: usize| test > 4 && before.iter().any(|other| *other < 3);
        let trials = [trial(0, 4..10), trial(1, 4..10), trial(3, 4..10)];
        for mode in [
            TrialMode::Behind,
            TrialMode::Each,
            TrialMode::Both,
            TrialMode::Packed,
        ] {
            let all = suite(pollutes);
            let full = tried(&all, &trials, mode);
            assert_eq!(full.is_partial, [false; 3], "{mode:?}");
            for most in 0..all.jvms() {
                let mut cut = suite(pollutes);
                cut.most = most;
                let part = tried(&cut, &trials, mode);
                for index in 0..trials.len() {
                    assert!(
                        part.is_partial[index] || part.of[index] == full.of[index],
                        "{mode:?} {most} {index}: {part:?}"
                    );
                }
            }
        }
    }
}
