//! The last step of a search, if it is asked for: every test right behind every other, nothing else in the JVM.
//!
//! Everything before it shares JVMs between many pairs, which finds most victims at little cost and misses what depends
//! on more than the test right before: a polluter that pollutes only when it runs first, one whose class's set-up does
//! the harm, one that was never seen to change anything. A pair that runs alone hides nothing. No group of pairs can
//! stand for it: in `[p, v, w]`, `v` may put right what would have made `w` fail. So this costs a JVM for each pair that
//! no order began with so far ([`super::beginnings`]): the square of the suite.

use super::beginnings::Outcome;
use super::limits::{GUESSES_PER_VICTIM, PAIRS_AT_ONCE};
use super::orders::{Orders, TestOrder, Unproved};
use super::plan::{Doing, Plan};
use super::prove::{Pair, prove_in_parts};
use crate::{TestIx, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// How many pairs were tried, each in a JVM of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairsTried {
    pub tried: usize,
    pub all: usize,
}

/// Polluter and victim.
type TestPair = (TestIx, TestIx);

impl Plan<'_> {
    /// Runs all pairs that are unknown, and proves what fails.
    pub(super) fn try_every_pair(&mut self) {
        self.run_alone();
        let beginnings = self.beginnings();
        let alone = |outcome: Option<Outcome>| {
            let tests = self.search.tests.tests.iter().copied();
            tests.filter(move |test| beginnings.alone(*test) == outcome)
        };
        let candidates: Vec<TestIx> = alone(Some(Outcome::Passed)).collect();
        let n_unknown_alone = alone(None).count();
        let polluters = self.most_suspected_first();
        // What some order began with counts as well: it may have failed where nobody looked.
        let (mut unknown, mut failing): (Vec<TestPair>, Vec<TestPair>) = (Vec::new(), Vec::new());
        for polluter in &polluters {
            for test in &candidates {
                match beginnings.pair(*polluter, *test) {
                    None => unknown.push((*polluter, *test)),
                    Some(Outcome::Failed) => failing.push((*polluter, *test)),
                    Some(Outcome::Passed | Outcome::Unclear) => {}
                }
            }
        }
        (self.search.tell)(Doing::EveryPair { pairs: unknown.len() });
        // Polluters for which the time runs out are taken out again.
        self.tried_on_all = polluters.iter().copied().collect();
        self.prove_failing(failing);
        let left = self.run_pairs(&unknown);
        left.iter().for_each(|(polluter, _)| {
            self.tried_on_all.remove(polluter);
        });
        if n_unknown_alone > 0 {
            self.tried_on_all.clear();
        }
        let pairs = polluters.len() * candidates.len();
        self.found.pairs = Some(PairsTried {
            tried: pairs - left.len(),
            // There was not even time to run some tests alone.
            all: pairs + polluters.len() * n_unknown_alone,
        });
    }

    /// Runs pairs, and proves what fails; those that there was no time for.
    fn run_pairs(&mut self, pairs: &[TestPair]) -> Vec<TestPair> {
        let mut left = Vec::new();
        for part in pairs.chunks(PAIRS_AT_ONCE) {
            if !left.is_empty() {
                left.extend_from_slice(part);
                continue;
            }
            let orders: Vec<TestOrder> = part
                .iter()
                .map(|(polluter, test)| vec![*polluter, *test])
                .collect();
            let ran = self.orders().searching().run_all(&orders);
            let mut failing = Vec::new();
            for (pair, verdicts) in part.iter().zip(ran) {
                match verdicts.as_deref() {
                    Some([_, Verdict::Failed(_)]) => failing.push(*pair),
                    Some(_) => {}
                    None => left.push(*pair),
                }
            }
            self.prove_failing(failing);
        }
        left
    }

    /// Runs each test alone of which it is not known whether it passes.
    fn run_alone(&self) {
        let is_open = |test: &&TestIx| self.beginnings().alone(**test).is_none();
        let open = self.search.tests.tests.iter().filter(is_open);
        let open: Vec<TestOrder> = open.map(|test| vec![*test]).collect();
        self.orders().searching().run_all(&open);
    }

    /// All tests: first those with victims, then those that were seen to pollute. Any test may.
    fn most_suspected_first(&self) -> Vec<TestIx> {
        let with_victims = self.of.iter().filter(|(_, of)| !of.is_empty());
        let suspected = with_victims
            .map(|(polluter, _)| polluter)
            .chain(&self.polluters.in_order)
            .chain(&self.late.in_order)
            .chain(&self.search.tests.tests);
        let mut seen = BTreeSet::new();
        suspected.copied().filter(|test| seen.insert(*test)).collect()
    }

    /// Proves the victims among pairs that failed; of victims that are known, another polluter is added if it does harm
    /// a second time.
    fn prove_failing(&mut self, mut failing: Vec<TestPair>) {
        // Not if the first of the two did not run, or if it once did no harm.
        failing.retain(|pair| self.beginnings().pair(pair.0, pair.1) == Some(Outcome::Failed));
        self.prove_new(&failing);
        let is_further = |(polluter, victim): &&TestPair| {
            let of = self.of.get(polluter);
            self.known.contains(victim) && !of.is_some_and(|of| of.contains(victim))
        };
        let further: Vec<TestPair> = failing.iter().filter(is_further).copied().collect();
        let again = further.iter().map(|(polluter, victim)| vec![*polluter, *victim]);
        let ran = self.orders().run_all(&again.collect::<Vec<TestOrder>>());
        for ((polluter, victim), verdicts) in further.into_iter().zip(ran) {
            let still_fails = self.beginnings().pair(polluter, victim) == Some(Outcome::Failed);
            if verdicts.is_none() {
                self.cut_short(polluter);
            } else if still_fails {
                self.of.entry(polluter).or_default().insert(victim);
            }
        }
    }

    /// Something failed behind it, and there was no time to prove it.
    fn cut_short(&mut self, polluter: TestIx) {
        self.found.cut.trials = true;
        self.partial.insert(polluter);
        self.tried_on_all.remove(&polluter);
    }

    /// Proves each test that is not known as a victim with the first of its polluters, or with the next if that was
    /// chance.
    fn prove_new(&mut self, failing: &[TestPair]) {
        let mut guesses: BTreeMap<TestIx, Vec<TestIx>> = BTreeMap::new();
        for (polluter, victim) in failing {
            if !self.known.contains(victim) {
                guesses.entry(*victim).or_default().push(*polluter);
            }
        }
        for guess in 0..GUESSES_PER_VICTIM {
            let open = guesses.iter().filter(|(victim, _)| !self.known.contains(victim));
            let open = open.filter_map(|(victim, polluters)| Some((*victim, *polluters.get(guess)?)));
            let asked = open.map(|(victim, polluter)| Pair {
                victim,
                polluters: vec![polluter],
                passed_alone: 1,
                failed_in_company: 0,
            });
            let asked: Vec<Pair> = asked.collect();
            if asked.is_empty() {
                break;
            }
            for (pair, result) in asked.iter().zip(prove_in_parts(&self.orders(), &asked)) {
                match result {
                    Ok(main) => {
                        self.found.unproved.remove(&main.victim);
                        self.known.insert(main.victim);
                        self.of.entry(pair.polluters[0]).or_default().insert(main.victim);
                        self.victims.insert(main.victim, main);
                    }
                    Err(Unproved::Ended) => self.cut_short(pair.polluters[0]),
                    Err(Unproved::NotRepeated | Unproved::NotRun) => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::found::{Found, Judgement, SeenHow};
    use super::super::launch_tests::{LaunchTests, classes_of};
    use super::super::plan::Search;
    use super::super::shuffle::RanOrders;
    use super::super::simulated::{Suite, ix, one, set, suite};
    use super::super::suspicions::{HeldBy, Standing, Suspicion, Turn};
    use super::*;

    /// Whether a test fails: 3 right behind 1, if nothing else ran before; nobody was seen to change anything.
    fn fails(before: &[usize], test: usize) -> bool {
        test == 3 && before == [1]
    }

    fn with_pairs<F: Fn(&[usize], usize) -> bool>(orders: &Suite<F>, suspicions: &[Suspicion]) -> Found {
        let tests = LaunchTests {
            tests: ix(0..6),
            passed: set(0..6),
            classes: classes_of("A B C D E F".split(' ')),
            build_jvms: vec![Some(0); 6],
            ..LaunchTests::default()
        };
        let search = Search {
            tests: &tests,
            orders,
            ran: &RanOrders::default(),
            tell: &|_| {},
        };
        let mut planned = search.pollution(suspicions);
        assert!(planned.clone().found().victims.is_empty());
        planned.every_pair();
        planned.found()
    }

    #[test]
    fn a_polluter_that_nobody_suspects_and_that_must_run_first_is_found() {
        let suite = suite(fails);
        let found = with_pairs(&suite, &[]);
        let [victim] = &found.victims[..] else {
            panic!("{found:?}")
        };
        assert_eq!((victim.main.victim, &victim.main.polluters), (one(3), &ix([1])));
        assert_eq!(victim.polluters, [(one(1), SeenHow::Alone)].into());
        assert_eq!(found.pairs, Some(PairsTried { tried: 36, all: 36 }));
        // What the plan's orders begin with does not run again, and neither does a pair; the polluter is tried with cleaners.
        let ran = suite.ran();
        let begins = |pair: [usize; 2]| ran.iter().filter(|order| order.starts_with(&pair)).count();
        let alone = |pair: [usize; 2]| ran.iter().filter(|order| order[..] == pair).count();
        let pairs = (0..6).flat_map(|first| (0..6).map(move |test| [first, test]));
        for pair in pairs.filter(|pair| pair[0] != 1) {
            assert!(begins(pair) >= 1 && alone(pair) <= 1, "{pair:?}");
        }
        assert_eq!(alone([5, 4]), 0);
    }

    #[test]
    fn what_there_was_no_time_for_is_counted() {
        let full = suite(fails);
        with_pairs(&full, &[]);
        let mut is_cut = false;
        for most in 0..full.jvms() {
            let mut suite = suite(fails);
            suite.most = most;
            let found = with_pairs(&suite, &[]);
            let pairs = found.pairs.unwrap();
            assert!(
                !found.victims.is_empty() || pairs.tried < pairs.all || found.cut.trials,
                "{most}: {found:?}"
            );
            is_cut |= pairs.tried > 0 && pairs.tried < pairs.all;
        }
        assert!(is_cut);
    }

    #[test]
    fn who_was_tried_on_all_has_no_victims() {
        let alike = Suspicion {
            test: one(2),
            turn: Turn::Early,
            held_by: HeldBy::Jvm,
            changing: ix([2]),
            standing: Standing::Alike,
        };
        let judged = |most: usize| {
            let mut suite = suite(|_, _| false);
            suite.most = most;
            let found = with_pairs(&suite, std::slice::from_ref(&alike));
            (found.judged[0].judgement, suite.jvms())
        };
        let (full, jvms) = judged(usize::MAX);
        assert_eq!(full, Judgement::NoVictim);
        // It is suspected, so its pairs come first.
        let (first, last) = (judged(8).0, judged(jvms - 1).0);
        assert_eq!((first, last), (Judgement::NotTried, Judgement::NoVictim));
    }

    #[test]
    fn a_further_polluter_for_which_there_is_no_time_is_not_lost_silently() {
        let fails = |before: &[usize], test: usize| test == 3 && (before == [1] || before == [2]);
        let full = suite(fails);
        let polluters = |found: &Found| -> BTreeSet<TestIx> {
            let of = found.victims.iter().flat_map(|victim| victim.polluters.keys());
            of.copied().collect()
        };
        assert_eq!(polluters(&with_pairs(&full, &[])), set([1, 2]));
        for most in 0..full.jvms() {
            let mut cut = suite(fails);
            cut.most = most;
            let found = with_pairs(&cut, &[]);
            let pairs = found.pairs.unwrap();
            let is_said = pairs.tried < pairs.all || found.cut.trials;
            assert!(is_said || polluters(&found) == set([1, 2]), "{most}: {found:?}");
        }
    }

    #[test]
    fn no_more_pairs_are_counted_than_some_order_began_with() {
        let count = PAIRS_AT_ONCE;
        let names: Vec<String> = (0..count).map(|test| test.to_string()).collect();
        let tests = LaunchTests {
            tests: ix(0..count),
            passed: set(0..count),
            classes: classes_of(names.iter().map(String::as_str)),
            build_jvms: vec![Some(0); count],
            ..LaunchTests::default()
        };
        for most in [2 * count, 3 * count, 5 * count] {
            let mut suite = suite(|_, _| false);
            suite.most = most;
            let search = Search {
                tests: &tests,
                orders: &suite,
                ran: &RanOrders::default(),
                tell: &|_| {},
            };
            let mut planned = search.pollution(&[]);
            planned.every_pair();
            let pairs = planned.found().pairs.unwrap();
            let begun: BTreeSet<Vec<usize>> = (suite.ran().into_iter())
                .filter_map(|order| Some(order.get(..2)?.to_vec()))
                .collect();
            assert!(
                pairs.tried <= begun.len() && pairs.all == count * count,
                "{most}: {pairs:?}"
            );
        }
    }
}
