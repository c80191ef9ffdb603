//! Which of the changes that a polluter makes is to blame for a victim's failure, as far as that can be decided.

use super::launch_tests::LaunchTests;
use super::suspicions::{HeldBy, Suspicion, SuspicionIx};
use crate::TestIx;
use std::collections::BTreeSet;

/// The states of one polluter, each with the victims that it may be blamed for.
#[derive(Debug)]
pub(super) struct Blame {
    states: Vec<(SuspicionIx, BTreeSet<TestIx>)>,
}

impl Blame {
    /// A victim suffers from what it can see; if it is not known to see anything, from all. Of these, from a file only
    /// if there is nothing else, and from what looks harmless or is the doing of a whole class last of all.
    pub(super) fn new(
        states: &[(SuspicionIx, &Suspicion)],
        victims: &BTreeSet<TestIx>,
        tests: &LaunchTests,
    ) -> Blame {
        let mut blamed: Vec<(SuspicionIx, BTreeSet<TestIx>)> = states
            .iter()
            .map(|(index, _)| (*index, BTreeSet::new()))
            .collect();
        for &victim in victims {
            let mut by: Vec<bool> = states
                .iter()
                .map(|(_, state)| state.is_seen_by(tests, victim))
                .collect();
            if !by.contains(&true) {
                by.fill(true);
            }
            let rank = |place: usize| {
                let state = states[place].1;
                (state.turn, state.held_by == HeldBy::File)
            };
            let first = (0..by.len()).filter(|place| by[*place]).map(rank).min();
            for (place, (_, of)) in blamed.iter_mut().enumerate() {
                if by[place] && Some(rank(place)) == first {
                    of.insert(victim);
                }
            }
        }
        Blame { states: blamed }
    }

    /// The first state that does harm to this victim.
    pub(super) fn state_for(&self, victim: TestIx) -> Option<SuspicionIx> {
        let mut all = self.states.iter();
        all.find(|(_, of)| of.contains(&victim)).map(|(state, _)| *state)
    }

    pub(super) fn victims_of(&self, state: SuspicionIx) -> impl Iterator<Item = TestIx> {
        let of = self.states.iter().filter(move |(one, _)| *one == state);
        of.flat_map(|(_, of)| of.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{ix, one, set};
    use super::super::suspicions::{Standing, Turn};
    use super::*;

    fn state(held_by: HeldBy) -> Suspicion {
        Suspicion {
            test: one(0),
            turn: Turn::Early,
            held_by,
            changing: Vec::new(),
            standing: Standing::First,
        }
    }

    fn in_class(class: &str) -> Suspicion {
        state(HeldBy::Class(class.to_owned()))
    }

    /// For each state whom it is blamed for. Tests 1 and 2 see class `Mode`, test 2 sees class `Rate`.
    fn blamed(states: &[Suspicion], victims: impl IntoIterator<Item = usize>) -> Vec<Vec<TestIx>> {
        let tests = LaunchTests {
            seeing: [("Mode".to_owned(), set([1, 2])), ("Rate".to_owned(), set([2]))].into(),
            ..LaunchTests::default()
        };
        let indices = (0..states.len()).map(SuspicionIx);
        let states: Vec<_> = indices.clone().zip(states).collect();
        let blame = Blame::new(&states, &set(victims), &tests);
        assert_eq!(blame.state_for(one(99)), None);
        indices.map(|index| blame.victims_of(index).collect()).collect()
    }

    #[test]
    fn a_victim_suffers_from_what_it_sees_and_from_files_last() {
        let states = [in_class("Mode"), in_class("Rate"), state(HeldBy::File)];
        assert_eq!(blamed(&states, [1, 2, 3]), [ix([1, 2]), ix([2]), ix([3])]);
    }

    #[test]
    fn what_looks_harmless_is_blamed_last() {
        let late = |state: Suspicion| Suspicion {
            turn: Turn::Late,
            ..state
        };
        let states = [
            late(in_class("Mode")),
            in_class("Rate"),
            late(state(HeldBy::File)),
        ];
        assert_eq!(blamed(&states, [1, 2, 3]), [ix([1]), ix([2]), ix([3])]);
        assert_eq!(
            blamed(&[in_class("Rate"), late(in_class("Other"))], [1]),
            [ix([1]), ix([])]
        );
    }

    #[test]
    fn what_is_not_known_to_be_seen_is_blamed_all_the_same() {
        assert_eq!(
            blamed(&[in_class("Rate"), in_class("Other")], [1]),
            [ix([1]), ix([1])]
        );
    }

    #[test]
    fn the_state_of_the_jvm_is_seen_by_all() {
        let states = [state(HeldBy::File), state(HeldBy::Jvm), in_class("Mode")];
        assert_eq!(blamed(&states, [1, 3]), [ix([]), ix([1, 3]), ix([1])]);
    }
}
