//! Tests that were seen to change shared state: who of them is tried, in which order, and what they are blamed for.

use super::launch_tests::LaunchTests;
use super::limits::TYPICAL_PER_STATE;
use super::trial::Trial;
use crate::TestIx;
use std::collections::{BTreeMap, BTreeSet};

/// The place of a [`Suspicion`] in what the caller gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SuspicionIx(pub usize);

/// What holds a state, and so who can see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldBy {
    /// A static field of this class, with dots: tests whose classes can reach it are tried first.
    Class(String),
    /// A file, which every test may see; blamed only where there is nothing else.
    File,
    /// The JVM, such as a system property: every test may see it.
    Jvm,
}

/// Whether a polluter is tried itself or represented by another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// The first that was seen to change its state.
    First,
    /// It changes its state in a way of its own.
    Typical,
    /// Another one does the same to the same state. It is tried on that one's victims and on its own class.
    Alike,
}

/// When a polluter is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// It looks as if it could do harm.
    Early,
    /// It looks harmless, or it is the doing of a whole class: tried if time is left, all of them together.
    Late,
}

/// A test that was seen to change shared state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// For what a whole class does, one of its tests.
    pub test: TestIx,
    pub turn: Turn,
    pub held_by: HeldBy,
    /// Tests that change the same state, this one among them: they may put it right again.
    pub changing: Vec<TestIx>,
    pub standing: Standing,
}

/// A change that was seen, as far as it decides who is tried. `W` is the way in which the state changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeSeen<'a, W> {
    /// The name of the state.
    pub state: &'a str,
    pub way: W,
    /// Who did it, or a test of the class that did.
    pub test: TestIx,
    /// It is the doing of a whole class.
    pub is_of_class: bool,
    pub held_by: HeldBy,
    /// `None`: it is tried on nobody.
    pub turn: Option<Turn>,
}

/// Makes suspicions of changes, in the order in which they are to be tried, each with the index of its change. Each
/// state's first polluter comes before any state's second: with little time, every state is tried.
pub fn suspicions<W: Ord + Copy>(changes: &[ChangeSeen<'_, W>]) -> Vec<(usize, Suspicion)> {
    let mut changing: BTreeMap<&str, Vec<TestIx>> = BTreeMap::new();
    for change in changes.iter().filter(|change| !change.is_of_class) {
        changing.entry(change.state).or_default().push(change.test);
    }
    let mut ways = BTreeSet::new();
    let mut counts: BTreeMap<(Turn, &str), usize> = BTreeMap::new();
    let mut found: Vec<(usize, usize, Suspicion)> = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        let Some(turn) = change.turn else { continue };
        let count = counts.entry((turn, change.state)).or_default();
        *count += 1;
        let is_new_way = ways.insert((turn, change.state, change.way));
        let standing = match *count {
            1 => Standing::First,
            2..=TYPICAL_PER_STATE if is_new_way => Standing::Typical,
            _ => Standing::Alike,
        };
        let suspicion = Suspicion {
            test: change.test,
            turn,
            held_by: change.held_by.clone(),
            changing: changing.get(change.state).cloned().unwrap_or_default(),
            standing,
        };
        found.push((*count, index, suspicion));
    }
    found.sort_by_key(|(count, index, suspicion)| (suspicion.turn, *count, *index));
    let found = found.into_iter();
    found.map(|(_, index, suspicion)| (index, suspicion)).collect()
}

/// The polluters of one launch, each test once, whatever it pollutes.
#[derive(Clone, Debug)]
pub(super) struct Polluters<'s> {
    pub(super) by_test: BTreeMap<TestIx, Vec<(SuspicionIx, &'s Suspicion)>>,
    /// As they are to be tried.
    pub(super) in_order: Vec<TestIx>,
}

impl<'s> Polluters<'s> {
    /// Those that are tried at this time.
    pub(super) fn new(all: &'s [Suspicion], turn: Turn) -> Polluters<'s> {
        let mut polluters = Polluters {
            by_test: BTreeMap::new(),
            in_order: Vec::new(),
        };
        let of_turn = all.iter().enumerate().filter(|(_, one)| one.turn == turn);
        for (index, one) in of_turn {
            let of_test = polluters.by_test.entry(one.test).or_default();
            if of_test.is_empty() {
                polluters.in_order.push(one.test);
            }
            of_test.push((SuspicionIx(index), one));
        }
        polluters
    }

    fn of(&self, test: TestIx) -> impl Iterator<Item = &'s Suspicion> {
        let of_test = self.by_test.get(&test).into_iter().flatten();
        of_test.map(|(_, suspicion)| *suspicion)
    }

    /// The best standing of a test.
    pub(super) fn standing(&self, test: TestIx) -> Standing {
        let all = self.of(test).map(|one| one.standing);
        all.min().unwrap_or(Standing::Alike)
    }

    /// Those of at least this standing, in the order in which they are tried.
    pub(super) fn at_least(&self, standing: Standing) -> Vec<TestIx> {
        let tests = self.in_order.iter().copied();
        tests.filter(|test| self.standing(*test) <= standing).collect()
    }

    /// Tests that change something of what this one changes.
    pub(super) fn changing(&self, test: TestIx) -> BTreeSet<TestIx> {
        self.of(test)
            .flat_map(|one| one.changing.iter().copied())
            .collect()
    }

    /// Whether a test may see something of what a polluter changes.
    pub(super) fn sees(&self, tests: &LaunchTests, polluter: TestIx, test: TestIx) -> bool {
        self.of(polluter).any(|one| one.is_seen_by(tests, test))
    }

    pub(super) fn trial(&self, polluters: &[TestIx], candidates: Vec<TestIx>) -> Trial {
        Trial {
            polluters: polluters.to_vec(),
            candidates,
            changing: polluters.iter().flat_map(|test| self.changing(*test)).collect(),
            polluting: self.by_test.keys().copied().collect(),
        }
    }
}

impl Suspicion {
    /// Whether a test may see this state, as far as its classes tell.
    pub(super) fn is_seen_by(&self, tests: &LaunchTests, test: TestIx) -> bool {
        match &self.held_by {
            HeldBy::Class(class) => tests
                .seeing
                .get(class)
                .is_some_and(|seeing| seeing.contains(&test)),
            HeldBy::File | HeldBy::Jvm => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{ix, one, set};
    use super::*;

    fn change(state: &'static str, way: u32, test: usize) -> ChangeSeen<'static, u32> {
        ChangeSeen {
            state,
            way,
            test: one(test),
            is_of_class: false,
            held_by: HeldBy::Jvm,
            turn: Some(Turn::Early),
        }
    }

    #[test]
    fn every_state_is_tried_before_one_is_tried_twice() {
        let mut changes = [
            change("mode", 1, 0),
            change("mode", 1, 1),
            change("mode", 2, 2),
            change("rate", 1, 3),
            change("mode", 3, 4),
            change("mode", 1, 5),
        ];
        changes[4].turn = None;
        changes[5].turn = Some(Turn::Late);
        changes[5].is_of_class = true;
        let found = suspicions(&changes);
        let order: Vec<_> = found.iter().map(|(index, one)| (*index, one.standing)).collect();
        let expected = [
            (0, Standing::First),
            (3, Standing::First),
            (1, Standing::Alike),
            (2, Standing::Typical),
            // Last of all, and the first of its own.
            (5, Standing::First),
        ];
        assert_eq!(order, expected);
        assert_eq!(found[0].1.changing, ix([0, 1, 2, 4]));
    }

    #[test]
    fn one_of_many_stands_for_itself_only_if_it_comes_early() {
        let changes: Vec<_> = (0..30).map(|test| change("mode", test, test as usize)).collect();
        let found = suspicions(&changes);
        let typical = found.iter().filter(|(_, one)| one.standing == Standing::Typical);
        assert_eq!(typical.count(), TYPICAL_PER_STATE - 1);
    }

    #[test]
    fn a_test_that_changes_several_states_is_one_polluter() {
        let suspicion = |test: usize, class: &str, standing: Standing| Suspicion {
            test: one(test),
            turn: Turn::Early,
            held_by: HeldBy::Class(class.to_owned()),
            changing: ix([test, test + 10]),
            standing,
        };
        let all = [
            suspicion(1, "A", Standing::Alike),
            suspicion(2, "A", Standing::Typical),
            suspicion(1, "B", Standing::First),
        ];
        let polluters = Polluters::new(&all, Turn::Early);
        assert_eq!(polluters.in_order, ix([1, 2]));
        assert_eq!(polluters.at_least(Standing::First), ix([1]));
        assert_eq!(polluters.changing(one(1)), set([1, 11]));
        let tests = LaunchTests {
            seeing: [("B".to_owned(), set([7]))].into(),
            ..LaunchTests::default()
        };
        let seen = [1, 2].map(|polluter| polluters.sees(&tests, one(polluter), one(7)));
        assert_eq!(seen, [true, false]);
    }
}
