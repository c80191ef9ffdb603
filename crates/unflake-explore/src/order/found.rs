//! What a search found, in plain words for whoever reports it.

use super::blame::Blame;
use super::cleaning::cleaners_of;
use super::orders::Unproved;
use super::plan::{Doing, Plan};
use super::prove::{ProvedBrittle, ProvedVictim};
use super::suspicions::{HeldBy, Standing, SuspicionIx};
use crate::TestIx;
use std::collections::{BTreeMap, BTreeSet};

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// New victims, in the order of the suite.
    pub victims: Vec<FoundVictim>,
    /// Further polluters of victims that were known before: victim and polluter.
    pub more_polluters: Vec<(TestIx, TestIx)>,
    pub brittle: Vec<ProvedBrittle>,
    /// Tests that depend on an order, as far as was seen, and why that is not proved.
    pub unproved: BTreeMap<TestIx, Unproved>,
    /// One for each suspicion.
    pub judged: Vec<Judged>,
    pub cut: Cut,
}

/// What the time was not enough for. Tests and suspicions say so themselves as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Orders of the whole suite that show likely victims.
    pub whole_orders: bool,
    /// Trying polluters, or proving what that showed.
    pub trials: bool,
    pub cleaners: bool,
}

/// A victim with all that is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundVictim {
    /// The proof, with the first polluter for which that worked.
    pub main: ProvedVictim,
    /// All polluters that were seen, each enough on its own; none of those that do harm only together.
    pub polluters: BTreeSet<TestIx>,
    pub cleaners: Vec<TestIx>,
    /// The state by which the polluter of the proof does harm.
    pub state: Option<SuspicionIx>,
}

/// What came of one suspicion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub judgement: Judgement,
    /// Tests that fail because of it, as far as can be told.
    pub victims: Vec<TestIx>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// There are victims.
    Proved,
    /// It was tried and there are none.
    NoVictim,
    /// The time was up before it was tried on all.
    Partial,
    /// Another one stands for it.
    NotTried,
}

impl Plan<'_> {
    /// Looks for cleaners, and says what all of it means.
    pub(super) fn into_found(mut self) -> Found {
        let mut polluters_of: BTreeMap<TestIx, BTreeSet<TestIx>> = BTreeMap::new();
        for (polluter, of) in &self.of {
            for victim in of {
                polluters_of.entry(*victim).or_default().insert(*polluter);
                if !self.victims.contains_key(victim) {
                    self.found.more_polluters.push((*victim, *polluter));
                }
            }
        }
        let nothing = BTreeSet::new();
        let blame = self.polluters.by_test.iter().map(|(test, states)| {
            let of = self.of.get(test).unwrap_or(&nothing);
            (*test, Blame::new(states, of, self.search.tests))
        });
        let blame: BTreeMap<TestIx, Blame> = blame.collect();
        self.found.judged = self.judge(&blame);
        if !self.victims.is_empty() {
            (self.search.tell)(Doing::Cleaners);
        }
        let changing = |test: TestIx| {
            let is_known = self.polluters.by_test.contains_key(&test);
            is_known.then(|| self.polluters.changing(test))
        };
        let mains: Vec<&ProvedVictim> = self.victims.values().collect();
        let cleaners = cleaners_of(self.search.orders, self.search.tests, &mains, &changing);
        self.found.cut.cleaners = cleaners.iter().any(|cleaners| cleaners.is_partial);
        for (main, cleaners) in self.victims.into_values().zip(cleaners) {
            let state = match main.polluters[..] {
                [polluter] => blame
                    .get(&polluter)
                    .and_then(|blame| blame.state_for(main.victim)),
                _ => None,
            };
            self.found.victims.push(FoundVictim {
                polluters: polluters_of.remove(&main.victim).unwrap_or_default(),
                cleaners: cleaners.tests,
                state,
                main,
            });
        }
        self.found
    }

    /// One for each suspicion, in their order.
    fn judge(&self, blame: &BTreeMap<TestIx, Blame>) -> Vec<Judged> {
        let mut judged: BTreeMap<SuspicionIx, Judged> = BTreeMap::new();
        for (test, states) in &self.polluters.by_test {
            let has_victims = self.of.get(test).is_some_and(|of| !of.is_empty());
            for (index, suspicion) in states {
                let victims: Vec<TestIx> = blame[test].victims_of(*index).collect();
                // Those that fail because of another state may hide what this one does, unless they cannot see it.
                let is_clear = matches!(suspicion.held_by, HeldBy::Class(_)) || !has_victims;
                let is_tried = self.polluters.standing(*test) <= Standing::Typical && is_clear;
                let judgement = if self.partial.contains(test) {
                    Judgement::Partial
                } else if !victims.is_empty() {
                    Judgement::Proved
                } else if is_tried {
                    Judgement::NoVictim
                } else {
                    Judgement::NotTried
                };
                judged.insert(*index, Judged { judgement, victims });
            }
        }
        judged.into_values().collect()
    }
}
