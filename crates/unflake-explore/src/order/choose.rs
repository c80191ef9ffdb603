//! Who is tried in a stage, and on whom: what the columns of the table mean.

use super::launch_tests::ClassIx;
use super::limits::SIBLINGS;
use super::orders::TestOrder;
use super::plan::Plan;
use super::stages::{Among, KnownVictims, OfClass, StageName, Who, Whom};
use super::suspicions::Standing;
use crate::TestIx;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

impl Plan<'_> {
    /// The polluters of a stage: one, or several that do harm only together.
    pub(super) fn who(&self, who: Who) -> Vec<TestOrder> {
        let tests: Vec<TestIx> = match who {
            Who::First => self.polluters.at_least(Standing::First),
            Who::FirstBut(stage) => {
                let tried = self.tried_in(stage);
                let mut first = self.polluters.at_least(Standing::First);
                first.retain(|test| !tried.contains(test));
                first
            }
            Who::Typical => self.polluters.at_least(Standing::Typical),
            Who::MostHarmful(count) => self.most_harmful(count),
            Who::All => self.polluters.in_order.clone(),
            Who::AllClassesInTurn => self.classes_in_turn(&self.polluters.in_order),
            Who::Chains => {
                let all: BTreeSet<&TestOrder> = self.victims.values().map(|main| &main.polluters).collect();
                return all.into_iter().filter(|chain| chain.len() > 1).cloned().collect();
            }
            Who::Found => self.polluters_of_others(),
            Who::SiblingsOf(stage) => self.siblings(&self.tried_in(stage)),
        };
        tests.into_iter().map(|test| vec![test]).collect()
    }

    fn tried_in(&self, stage: StageName) -> Vec<TestIx> {
        let tried = self.tried.get(&stage).into_iter();
        tried.flatten().flatten().copied().collect()
    }

    fn most_harmful(&self, count: usize) -> Vec<TestIx> {
        let with_victims = self.of.iter().filter(|(_, of)| !of.is_empty());
        let mut harmful: Vec<(usize, TestIx)> = with_victims.map(|(test, of)| (of.len(), *test)).collect();
        harmful.sort_by_key(|(victims, test)| (Reverse(*victims), *test));
        harmful.truncate(count);
        harmful.into_iter().map(|(_, test)| test).collect()
    }

    /// Polluters that victims were proved with; none that harms only itself.
    fn polluters_of_others(&self) -> Vec<TestIx> {
        let mut found: Vec<TestIx> = Vec::new();
        for main in self.victims.values() {
            if let [polluter] = main.polluters[..]
                && polluter != main.victim
                && !found.contains(&polluter)
            {
                found.push(polluter);
            }
        }
        found
    }

    /// The other tests of the classes of some, if those are small.
    fn siblings(&self, of: &[TestIx]) -> Vec<TestIx> {
        let tests = self.search.tests;
        let mut siblings: Vec<TestIx> = Vec::new();
        for test in of {
            let class: Vec<TestIx> = tests.of_class(tests.class(*test)).collect();
            if class.len() <= SIBLINGS {
                let is_new = |test: &TestIx| !of.contains(test) && !siblings.contains(test);
                let new: Vec<TestIx> = class.into_iter().filter(is_new).collect();
                siblings.extend(new);
            }
        }
        siblings
    }

    /// These tests, as far as may be one of another class after each.
    fn classes_in_turn(&self, tests: &[TestIx]) -> Vec<TestIx> {
        let mut seen: BTreeMap<ClassIx, usize> = BTreeMap::new();
        let mut turns: Vec<(usize, TestIx)> = tests
            .iter()
            .map(|test| {
                let turn = seen.entry(self.search.tests.class(*test)).or_default();
                *turn += 1;
                (*turn, *test)
            })
            .collect();
        turns.sort_by_key(|(turn, _)| *turn);
        turns.into_iter().map(|(_, test)| test).collect()
    }

    /// The candidates of a stage for these polluters.
    pub(super) fn whom(&self, whom: Whom, polluters: &[TestIx]) -> Vec<TestIx> {
        let tests = self.search.tests;
        let sees = |test: &TestIx| {
            polluters
                .iter()
                .any(|polluter| self.polluters.sees(tests, *polluter, *test))
        };
        let mut candidates: Vec<TestIx> = match whom.among {
            Among::Likely => self.likely.keys().copied().collect(),
            Among::Seeing => self.passed_somewhere().filter(sees).collect(),
            Among::NotSeeing => self.passed_somewhere().filter(|test| !sees(test)).collect(),
            Among::VictimsOfSameState => self.victims_of_same_state(polluters),
            Among::Passed => tests.all_passed().collect(),
        };
        let is_of_own = |test: &TestIx| {
            let class = tests.class(*test);
            polluters.iter().any(|polluter| tests.class(*polluter) == class)
        };
        match whom.of_class {
            OfClass::Any => {}
            OfClass::Own => candidates.retain(|test| is_of_own(test) && !polluters.contains(test)),
            OfClass::Other => candidates.retain(|test| !is_of_own(test)),
            OfClass::Affected => {
                let affected: BTreeSet<ClassIx> = self.known.iter().map(|test| tests.class(*test)).collect();
                candidates.retain(|test| affected.contains(&tests.class(*test)));
            }
        }
        if whom.known == KnownVictims::LeftOut {
            candidates.retain(|test| !self.known.contains(test));
        }
        if polluters.len() > 1 {
            candidates.retain(|test| !polluters.contains(test));
        }
        candidates
    }

    /// Tests that are known to pass in some order.
    fn passed_somewhere(&self) -> impl Iterator<Item = TestIx> {
        let tests = self.search.tests;
        let is_one = |test: &TestIx| tests.passed.contains(test) || self.likely.contains_key(test);
        tests.tests.iter().copied().filter(is_one)
    }

    fn victims_of_same_state(&self, polluters: &[TestIx]) -> Vec<TestIx> {
        let changing = polluters.iter().flat_map(|test| self.polluters.changing(*test));
        let of_state = changing.filter_map(|test| self.of.get(&test)).flatten();
        let mut of_state: BTreeSet<TestIx> = of_state.copied().collect();
        for own in polluters.iter().filter_map(|test| self.of.get(test)) {
            of_state.retain(|victim| !own.contains(victim));
        }
        of_state.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::launch_tests::{LaunchTests, classes_of};
    use super::super::plan::Search;
    use super::super::prove::ProvedVictim;
    use super::super::shuffle::RanOrders;
    use super::super::simulated::{failure, ix, one, set, suite};
    use super::super::sort_out::OrderSuspect;
    use super::super::suspicions::{HeldBy, Suspicion, Turn};
    use super::*;

    fn suspicion(test: usize, class: &str, standing: Standing, changing: &[usize]) -> Suspicion {
        Suspicion {
            test: one(test),
            turn: Turn::Early,
            held_by: HeldBy::Class(class.to_owned()),
            changing: ix(changing.iter().copied()),
            standing,
        }
    }

    fn victim(victim: usize, polluters: &[usize]) -> (TestIx, ProvedVictim) {
        let proved = ProvedVictim {
            victim: one(victim),
            polluters: ix(polluters.iter().copied()),
            failure: failure(),
            runs: 3,
            passed_alone: true,
        };
        (one(victim), proved)
    }

    /// A search in the middle. Test 0 of class A, 1 of B and 2 of A change state `S`, 3 of B changes state `T`. All but
    /// 9 passed in the build; 4 and 9 failed in another order or passed alone. Victims are 5 of 3, 6 of 0 and of 1, 7
    /// of 0 and 2 together, 8 of itself. Tests 4 to 9 see `S`, 8 and 9 see `T`.
    fn with_plan(check: impl Fn(&Plan<'_>)) {
        let tests = LaunchTests {
            tests: ix(0..10),
            passed: set(0..9),
            classes: classes_of("A B A B A A B C C C".split(' ')),
            seeing: [("S".to_owned(), set(4..10)), ("T".to_owned(), set([8, 9]))].into(),
            ..LaunchTests::default()
        };
        let suspicions = [
            suspicion(0, "S", Standing::First, &[0, 1, 2]),
            suspicion(3, "T", Standing::First, &[3]),
            suspicion(2, "S", Standing::Alike, &[0, 1, 2]),
            suspicion(1, "S", Standing::Typical, &[0, 1, 2]),
        ];
        let likely = |test: usize| OrderSuspect {
            test: one(test),
            before: Vec::new(),
            passes_alone: false,
        };
        let orders = suite(|_, _| false);
        let ran = RanOrders::default();
        let search = Search {
            tests: &tests,
            orders: &orders,
            ran: &ran,
            tell: &|_| {},
        };
        let mut plan = Plan::new(search, &suspicions);
        plan.likely = [4, 9].map(|test| (one(test), likely(test))).into();
        plan.victims = [
            victim(5, &[3]),
            victim(6, &[0]),
            victim(7, &[0, 2]),
            victim(8, &[8]),
        ]
        .into();
        plan.known = set(5..9);
        plan.of = [
            (one(0), set([6])),
            (one(1), set([6])),
            (one(3), set([5])),
            (one(8), set([8])),
        ]
        .into();
        plan.tried = [(StageName::MoreOfHarmful, vec![ix([0]), ix([6])])].into();
        check(&plan);
    }

    #[test]
    fn who_is_tried() {
        with_plan(|plan| {
            let singly = |who: Who, expected: &[usize]| {
                let expected: Vec<TestOrder> = expected.iter().map(|test| ix([*test])).collect();
                assert_eq!(plan.who(who), expected, "{who:?}");
            };
            singly(Who::First, &[0, 3]);
            singly(Who::FirstBut(StageName::MoreOfHarmful), &[3]);
            singly(Who::FirstBut(StageName::Far), &[0, 3]);
            singly(Who::Typical, &[0, 3, 1]);
            singly(Who::All, &[0, 3, 2, 1]);
            singly(Who::AllClassesInTurn, &[0, 3, 2, 1]);
            singly(Who::MostHarmful(3), &[0, 1, 3]);
            singly(Who::Found, &[3, 0]);
            singly(Who::SiblingsOf(StageName::MoreOfHarmful), &[2, 4, 5, 1, 3]);
            assert_eq!(plan.who(Who::Chains), [ix([0, 2])]);
        });
    }

    #[test]
    fn classes_take_turns_as_far_as_may_be() {
        with_plan(|plan| {
            let turns = plan.classes_in_turn(&ix([0, 2, 4, 1, 3, 7]));
            assert_eq!(turns, ix([0, 1, 7, 2, 3, 4]));
        });
    }

    #[test]
    fn on_whom_polluters_are_tried() {
        with_plan(|plan| {
            let check = |polluters: &[usize],
                         among: Among,
                         of_class: OfClass,
                         known: KnownVictims,
                         expected: &[usize]| {
                let whom = Whom {
                    among,
                    of_class,
                    known,
                };
                let candidates = plan.whom(whom, &ix(polluters.iter().copied()));
                let candidates: Vec<usize> = candidates.into_iter().map(|test| test.0).collect();
                assert_eq!(candidates, expected, "{polluters:?} {whom:?}");
            };
            use {Among::*, KnownVictims::*, OfClass::*};
            check(&[0], Likely, Any, LeftOut, &[4, 9]);
            check(&[0], Likely, Other, LeftOut, &[9]);
            // Whether they see anything of it or not.
            check(&[3], Likely, Any, LeftOut, &[4, 9]);
            check(&[0], Seeing, Any, TriedToo, &[4, 5, 6, 7, 8, 9]);
            check(&[0], Seeing, Any, LeftOut, &[4, 9]);
            check(&[0], Seeing, Own, TriedToo, &[4, 5]);
            check(&[3], Seeing, Any, TriedToo, &[8, 9]);
            check(&[3], NotSeeing, Any, TriedToo, &[0, 1, 2, 3, 4, 5, 6, 7]);
            check(&[2], VictimsOfSameState, Any, TriedToo, &[6]);
            check(&[0], VictimsOfSameState, Any, TriedToo, &[]);
            check(&[0], Passed, Any, TriedToo, &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
            check(&[0], Passed, Own, LeftOut, &[2, 4]);
            check(&[0], Passed, Affected, LeftOut, &[0, 1, 2, 3, 4]);
            check(&[0, 2], Passed, Any, LeftOut, &[1, 3, 4]);
        });
    }

    #[test]
    fn large_classes_are_no_siblings() {
        let tests = LaunchTests {
            tests: ix(0..SIBLINGS + 4),
            classes: (0..SIBLINGS + 4)
                .map(|test| ClassIx(usize::from(test < 3)))
                .collect(),
            ..LaunchTests::default()
        };
        let orders = suite(|_, _| false);
        let ran = RanOrders::default();
        let search = Search {
            tests: &tests,
            orders: &orders,
            ran: &ran,
            tell: &|_| {},
        };
        let plan = Plan::new(search, &[]);
        assert_eq!(plan.siblings(&ix([1, 10])), ix([0, 2]));
    }
}
