//! Who is tried in a stage, and on whom: what the columns of the table mean.

use super::launch_tests::ClassIx;
use super::limits::SIBLINGS;
use super::orders::Order;
use super::plan::Plan;
use super::stages::{Among, Known, OfClass, StageName, Who, Whom};
use super::suspicions::Standing;
use crate::TestIx;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

impl Plan<'_> {
    /// The polluters of a stage: one, or several that do harm only together.
    pub(super) fn who(&self, who: Who) -> Vec<Order> {
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
                let all: BTreeSet<&Order> = self.victims.values().map(|main| &main.polluters).collect();
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
        if whom.known == Known::LeftOut {
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
