//! Polluters that hardly do harm: changes that look harmless, and what whole classes leave behind.
//!
//! There may be many of them, and few have victims, so they are tried together: all of them, then the tests that may
//! see something of what they change. Who fails there is sorted out like every other test that fails in some order,
//! and that names the polluter. What one of them changes and another one puts right again is not found in this way.

use super::launch_tests::LaunchTests;
use super::orders::{Orders, Wanted};
use super::plan::Plan;
use super::sort_out::OrderSuspect;
use super::suspicions::Standing;
use super::trial::Trial;
use crate::TestIx;
use std::collections::BTreeSet;

/// What became of the late polluters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LateTrial {
    /// One for each state.
    pub(super) polluters: BTreeSet<TestIx>,
    /// Time ran out before all tests had run behind them.
    pub(super) is_partial: bool,
}

impl Plan<'_> {
    /// Runs one polluter of each state, then all tests that may see one of the states, forwards and backwards.
    pub(super) fn try_late(&mut self) {
        let polluters = self.late.at_least(Standing::First);
        let tests: &LaunchTests = self.search.tests;
        let is_candidate = |test: &TestIx| {
            let sees = |polluter: &TestIx| self.late.sees(tests, *polluter, *test);
            !self.known.contains(test) && !self.likely.contains_key(test) && polluters.iter().any(sees)
        };
        let trial = Trial {
            candidates: tests.all_passed().filter(is_candidate).collect(),
            changing: BTreeSet::new(),
            polluting: self.polluters.by_test.keys().copied().collect(),
            polluters,
        };
        if trial.polluters.is_empty() || trial.candidates.is_empty() {
            return;
        }
        let orders = self.orders();
        let ran = self
            .search
            .ran
            .run_to_the_end(orders.searching().as_ref(), &trial.orders());
        for part in ran.parts {
            for (place, verdict) in part.verdicts.iter().enumerate() {
                let test = part.order[place];
                if Wanted::Fails.holds(verdict) && trial.candidates.contains(&test) {
                    self.add_likely(OrderSuspect {
                        test,
                        before: part.order[..place].to_vec(),
                        passes_alone: false,
                    });
                }
            }
        }
        self.late_trial = Some(LateTrial {
            polluters: trial.polluters.into_iter().collect(),
            is_partial: ran.is_partial,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::found::{Found, Judgement};
    use super::super::launch_tests::{LaunchTests, classes_of};
    use super::super::plan::Search;
    use super::super::shuffle::RanOrders;
    use super::super::simulated::{Suite, ix, one, set, suite};
    use super::super::suspicions::{HeldBy, Standing, Suspicion, SuspicionIx, Turn};

    /// Tests 0 to 3 pollute, and all others see it.
    fn tests() -> LaunchTests {
        LaunchTests {
            tests: ix(0..10),
            passed: set(0..10),
            classes: classes_of("A B C D E F G H I J".split(' ')),
            build_jvms: vec![Some(0); 10],
            seeing: [("S".to_owned(), set(4..10)), ("T".to_owned(), set(4..10))].into(),
            ..LaunchTests::default()
        }
    }

    fn suspicion(test: usize, class: &str, turn: Turn, standing: Standing) -> Suspicion {
        Suspicion {
            test: one(test),
            turn,
            held_by: HeldBy::Class(class.to_owned()),
            changing: ix([test]),
            standing,
        }
    }

    fn pollution<F: Fn(&[usize], usize) -> bool>(orders: &Suite<F>, suspicions: &[Suspicion]) -> Found {
        let search = Search {
            tests: &tests(),
            orders,
            ran: &RanOrders::default(),
            tell: &|_| {},
        };
        search.pollution(suspicions).found()
    }

    fn judgements(found: &Found) -> Vec<Judgement> {
        found.judged.iter().map(|judged| judged.judgement).collect()
    }

    #[test]
    fn a_victim_of_what_looks_harmless_is_found_and_its_polluter_named() {
        // It must be among the first two: no order of the whole suite shows it.
        let suite = suite(|before, test| test == 7 && before.iter().take(2).any(|other| *other == 1));
        let late = |test: usize, class: &str, standing| suspicion(test, class, Turn::Late, standing);
        let suspicions = [
            late(0, "S", Standing::First),
            late(1, "T", Standing::First),
            late(2, "T", Standing::Alike),
        ];
        let found = pollution(&suite, &suspicions);
        let [victim] = &found.victims[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            (victim.main.victim, &victim.main.polluters, victim.state),
            (one(7), &ix([1]), Some(SuspicionIx(1)))
        );
        assert_eq!(
            judgements(&found),
            [Judgement::NoVictim, Judgement::Proved, Judgement::NotTried]
        );
    }

    #[test]
    fn what_could_do_harm_is_tried_first_and_blamed_first() {
        let suite = suite(|before, test| test == 5 && before.contains(&0));
        let suspicions = [
            suspicion(0, "S", Turn::Early, Standing::First),
            suspicion(0, "T", Turn::Late, Standing::First),
        ];
        let found = pollution(&suite, &suspicions);
        assert_eq!(judgements(&found), [Judgement::Proved, Judgement::NoVictim]);
        assert_eq!(found.victims[0].state, Some(SuspicionIx(0)));
    }

    #[test]
    fn many_that_do_no_harm_cost_little_and_those_before_them_nothing() {
        let cost = |suspicions: &[Suspicion]| {
            let suite = suite(|_, _| false);
            let found = pollution(&suite, suspicions);
            assert_eq!(found.cut, Default::default());
            (suite.jvms(), suite.ran())
        };
        let early = [suspicion(0, "S", Turn::Early, Standing::First)];
        let late = (1..4).map(|test| suspicion(test, "T", Turn::Late, Standing::First));
        let both: Vec<Suspicion> = early.iter().cloned().chain(late).collect();
        let (of_early, before) = cost(&early);
        let (of_both, ran) = cost(&both);
        assert_eq!(of_both - of_early, 1);
        assert_eq!(ran[..before.len()], before);
    }

    #[test]
    fn if_there_is_no_time_left_it_is_said_of_those_that_were_not_tried() {
        let suspicions = [
            suspicion(0, "S", Turn::Early, Standing::First),
            suspicion(1, "T", Turn::Late, Standing::First),
        ];
        let judged = |most: usize| {
            let mut suite = suite(|_, _| false);
            suite.most = most;
            let found = pollution(&suite, &suspicions);
            // That the late ones are tried was not promised.
            assert_eq!(found.cut.trials, found.judged[0].judgement == Judgement::Partial);
            judgements(&found)
        };
        let all: Vec<Vec<Judgement>> = (0..40).map(judged).collect();
        use Judgement::{NoVictim, NotTried, Partial};
        assert_eq!(
            (&all[0][..], &all[39][..]),
            (&[Partial, Partial][..], &[NoVictim, NoVictim][..])
        );
        assert!(all.contains(&vec![NoVictim, Partial]));
        assert!(!all.contains(&vec![Partial, NoVictim]) && !all.contains(&vec![NoVictim, NotTried]));
    }
}
