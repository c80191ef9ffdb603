//! By which of the things that it changes a polluter does harm to a victim, as far as can be told.

use super::proof::Polluting;
use std::collections::BTreeSet;

/// The states of one polluter, each with the victims that it may be blamed for.
#[derive(Debug)]
pub(super) struct Blame<'p> {
    states: Vec<(&'p Polluting, BTreeSet<usize>)>,
}

impl<'p> Blame<'p> {
    /// A victim suffers from what it can see, from a file only if there is nothing else; if it is not known to see anything, from
    /// all. `seeing` gives the victims that may see a state.
    pub(super) fn new(
        states: &[&'p Polluting],
        victims: &BTreeSet<usize>,
        seeing: impl Fn(&Polluting) -> BTreeSet<usize>,
    ) -> Blame<'p> {
        let mut states: Vec<_> = states.iter().map(|state| (*state, seeing(state))).collect();
        for victim in victims {
            if !states.iter().any(|(_, of)| of.contains(victim)) {
                for (_, of) in &mut states {
                    of.insert(*victim);
                }
            }
            if states
                .iter()
                .any(|(state, of)| !state.is_file && of.contains(victim))
            {
                for (_, of) in states.iter_mut().filter(|(state, _)| state.is_file) {
                    of.remove(victim);
                }
            }
        }
        Blame { states }
    }

    /// The first state that does harm to this victim.
    pub(super) fn state_for(&self, victim: usize) -> Option<&'p Polluting> {
        let mut all = self.states.iter();
        all.find(|(_, of)| of.contains(&victim)).map(|(state, _)| *state)
    }

    pub(super) fn victims_of(&self, state: &Polluting) -> impl Iterator<Item = &usize> {
        let is_it = move |one: &&(&Polluting, BTreeSet<usize>)| std::ptr::eq(one.0, state);
        self.states.iter().filter(is_it).flat_map(|(_, of)| of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(path: &str, is_file: bool) -> Polluting {
        Polluting {
            test: 0,
            held_by: None,
            path: path.to_owned(),
            others: Vec::new(),
            is_typical: true,
            is_first: true,
            is_file,
        }
    }

    #[test]
    fn a_victim_suffers_from_what_it_sees_and_from_files_last() {
        let (mode, rate, log) = (state("mode", false), state("rate", false), state("log", true));
        let seeing = |state: &Polluting| match state.path.as_str() {
            "mode" => [1, 2].into(),
            "rate" => [2].into(),
            _ => [1, 2, 3].into(),
        };
        let blame = Blame::new(&[&mode, &rate, &log], &[1, 2, 3].into(), seeing);
        let of = |state| blame.victims_of(state).copied().collect::<Vec<_>>();
        assert_eq!((of(&mode), of(&rate), of(&log)), (vec![1, 2], vec![2], vec![3]));
        assert_eq!(blame.state_for(3).map(|state| state.path.as_str()), Some("log"));
    }

    #[test]
    fn what_is_not_known_to_be_seen_is_blamed_all_the_same() {
        let (mode, log) = (state("mode", false), state("log", true));
        let blame = Blame::new(&[&mode, &log], &[1].into(), |_| BTreeSet::new());
        assert_eq!(blame.victims_of(&mode).count(), 1);
        assert_eq!(blame.victims_of(&log).count(), 0);
    }
}
