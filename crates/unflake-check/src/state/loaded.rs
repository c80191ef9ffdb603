//! What tests do to classes that they are the first to load (P6).
//!
//! Only what is there before and after a test is compared. A class that the test itself initialises is not there before
//! it, so a list in it that the test fills is hidden, and no later test changes it. The first run says who initialised
//! which class; those tests run twice more, with all these classes loaded before them. Test classes are left out: what
//! they hold is compared from the moment on at which they are initialised, and their initialisers may do anything.

use super::changes::{Changes, Loader};
use crate::suite::Suite;
use std::collections::{BTreeMap, BTreeSet};
use unflake_explore::TestIx;
use unflake_protocol::{Points, StateChange, StateKind};

/// Classes with static fields that can change, and who was the first to use them.
#[derive(Clone, Debug, Default)]
pub(super) struct LoadedFirst {
    by: BTreeMap<Loader, BTreeSet<String>>,
}

impl LoadedFirst {
    pub(super) fn of(suite: &Suite, first: &Changes) -> LoadedFirst {
        let tests = suite.tests.iter();
        let test_classes: BTreeSet<&str> = tests
            .flat_map(|test| [test.handle.root.as_str(), test.id.class()])
            .collect();
        let mut by: BTreeMap<Loader, BTreeSet<String>> = BTreeMap::new();
        for (root, initial) in &first.initial {
            let holder = root.rsplit_once('.').map(|(class, _)| class);
            let Some(holder) = holder.filter(|class| !test_classes.contains(class)) else {
                continue;
            };
            for one in initial {
                by.entry(one.by.clone()).or_default().insert(holder.to_owned());
            }
        }
        LoadedFirst { by }
    }

    /// All of the classes.
    pub(super) fn classes(&self) -> Vec<String> {
        let all: BTreeSet<&String> = self.by.values().flatten().collect();
        all.into_iter().cloned().collect()
    }

    /// The tests among these that were the first to use one, and a test of each class whose set-up was. Where the next
    /// test shows what a test has done, all tests of their classes.
    pub(super) fn users(&self, suite: &Suite, tests: &[TestIx], points: Points) -> Vec<TestIx> {
        let root = |test: &TestIx| suite[*test].handle.root.as_str();
        let mut seen = BTreeSet::new();
        let mut is_one = |test: &TestIx| {
            let is_first = seen.insert(root(test));
            self.by.contains_key(&Loader::Test(*test))
                || is_first && self.by.contains_key(&Loader::Class(root(test).to_owned()))
        };
        let users: Vec<TestIx> = tests.iter().copied().filter(|test| is_one(test)).collect();
        match points {
            Points::WholeTest | Points::Body => users,
            Points::SetUps => {
                let classes: BTreeSet<&str> = users.iter().map(root).collect();
                let is_of_class = |test: &TestIx| classes.contains(root(test));
                tests.iter().copied().filter(is_of_class).collect()
            }
        }
    }

    /// Leaves of what was seen with the classes loaded what was hidden without.
    pub(super) fn hidden(&self, mut seen: Changes) -> Changes {
        let is_hidden = |by: &Loader, change: &StateChange| {
            let holder = change.root.rsplit_once('.').map(|(class, _)| class);
            let classes = self.by.get(by);
            change.kind == StateKind::Heap
                && holder.is_some_and(|holder| classes.is_some_and(|classes| classes.contains(holder)))
        };
        for (test, changes) in &mut seen.by_test {
            changes.retain(|change| is_hidden(&Loader::Test(*test), change));
        }
        for (class, changes) in &mut seen.by_class {
            changes.retain(|change| is_hidden(&Loader::Class(class.clone()), change));
        }
        seen.by_test.retain(|_, changes| !changes.is_empty());
        seen.by_class.retain(|_, changes| !changes.is_empty());
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::super::changes::Initial;
    use super::*;
    use crate::simulated::{change, simulated};

    /// The suite is `A#a A#b B#a B#b`. `A#b` was the first to use `S`, and the set-up of `B` the first to use `T`; what
    /// `A` holds is a test class's own.
    fn loaded() -> (Suite, LoadedFirst) {
        let suite = simulated("A#a\nA#b\nB#a\nB#b").session.suite;
        let mut first = Changes::default();
        let by = [
            ("S.list", Loader::Test(TestIx(1))),
            ("T.list", Loader::Class("B".to_owned())),
            ("A.list", Loader::Test(TestIx(0))),
        ];
        for (root, by) in by {
            let leaves = Vec::new();
            first
                .initial
                .insert(root.to_owned(), vec![Initial { by, leaves }]);
        }
        let loaded = LoadedFirst::of(&suite, &first);
        (suite, loaded)
    }

    #[test]
    fn test_classes_are_not_loaded_beforehand() {
        assert_eq!(loaded().1.classes(), ["S", "T"]);
    }

    #[test]
    fn who_loads_a_class_runs_again_and_for_a_set_up_the_first_test_of_its_class() {
        let (suite, loaded) = loaded();
        let all: Vec<TestIx> = suite.all().collect();
        let users = |tests: &[TestIx], points| -> Vec<usize> {
            let users = loaded.users(&suite, tests, points).into_iter();
            users.map(|test| test.0).collect()
        };
        for points in [Points::WholeTest, Points::Body] {
            assert_eq!(users(&all, points), [1, 2]);
        }
        // The next test of the class shows what one has done.
        assert_eq!(users(&all, Points::SetUps), [0, 1, 2, 3]);
        assert_eq!(users(&all[2..], Points::SetUps), [2, 3]);
        assert_eq!(users(&all[..1], Points::SetUps), [0_usize; 0]);
        assert_eq!(users(&all[3..], Points::WholeTest), [3]);
    }

    #[test]
    fn only_what_loading_had_hidden_counts() {
        let (_, loaded) = loaded();
        let mut seen = Changes::default();
        let mut add = |test: usize, roots: &[&str]| {
            let changes = roots.iter().map(|root| change(root)).collect();
            seen.by_test.insert(TestIx(test), changes);
        };
        add(1, &["S.list", "T.list", "property:S.x"]);
        add(0, &["S.list"]);
        for class in ["A", "B"] {
            let changes = vec![change("S.list"), change("T.list")];
            seen.by_class.insert(class.to_owned(), changes);
        }
        let hidden = loaded.hidden(seen);
        let roots = |changes: &[StateChange]| -> Vec<String> {
            changes.iter().map(|change| change.root.clone()).collect()
        };
        let by_test: Vec<_> = hidden
            .by_test
            .iter()
            .map(|(test, changes)| (test.0, roots(changes)))
            .collect();
        assert_eq!(by_test, [(1, vec!["S.list".to_owned()])]);
        let by_class: Vec<_> = hidden
            .by_class
            .iter()
            .map(|(class, changes)| (class.as_str(), roots(changes)))
            .collect();
        assert_eq!(by_class, [("B", vec!["T.list".to_owned()])]);
    }
}
