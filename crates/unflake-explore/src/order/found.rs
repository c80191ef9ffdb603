//! What a search found, as plain data for the report.

use super::beginnings::Outcome;
use super::blame::Blame;
use super::cleaning::cleaners_of;
use super::every_pair::PairsTried;
use super::orders::Unproved;
use super::plan::{Doing, Plan};
use super::prove::{ProvedBrittle, ProvedVictim};
use super::suspicions::{HeldBy, Standing, Suspicion, SuspicionIx, Turn};
use crate::TestIx;
use std::collections::{BTreeMap, BTreeSet};

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// New victims, in the order of the suite.
    pub victims: Vec<FoundVictim>,
    /// Further polluters of victims that were known before: victim and polluter.
    pub more_polluters: Vec<(TestIx, TestIx, SeenHow)>,
    pub brittle: Vec<ProvedBrittle>,
    /// Tests that depend on an order, as far as was seen, and why that is not proved.
    pub unproved: BTreeMap<TestIx, Unproved>,
    /// One for each suspicion.
    pub judged: Vec<Judged>,
    pub cut: Cut,
    /// How many single pairs were tried, if all of them were asked for.
    pub pairs: Option<PairsTried>,
}

/// How it was seen that a polluter makes a victim fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenHow {
    /// The two of them in a JVM, and nothing else before them.
    Alone,
    /// Twice right behind the polluter, after other tests, and not without the polluter. Some of those may be needed
    /// too.
    InCompany,
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
    pub polluters: BTreeMap<TestIx, SeenHow>,
    pub cleaners: Vec<TestIx>,
    /// The state by which the polluter of the proof does harm.
    pub state: Option<SuspicionIx>,
}

/// What came of one suspicion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub judgement: Judgement,
    /// Tests that fail because of it, as far as is known.
    pub victims: Vec<TestIx>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// There are victims.
    Proved,
    /// It was tried and there are none.
    NoVictim,
    /// The time ran out before it was tried on all.
    Partial,
    /// Another polluter was tried in its place.
    NotTried,
}

impl Plan<'_> {
    /// Looks for tests that clean up, for the victims for which that was not done.
    pub(super) fn find_cleaners(&mut self) {
        let is_new = |main: &&ProvedVictim| !self.cleaners.contains_key(&main.victim);
        let mains: Vec<&ProvedVictim> = self.victims.values().filter(is_new).collect();
        if mains.is_empty() {
            return;
        }
        (self.search.tell)(Doing::Cleaners);
        let changing = |test: TestIx| {
            let mut known = [&self.polluters, &self.late].into_iter();
            let known = known.find(|polluters| polluters.by_test.contains_key(&test));
            known.map(|polluters| polluters.changing(test))
        };
        let found = cleaners_of(&self.orders(), self.search.tests, &mains, &changing);
        self.found.cut.cleaners |= found.iter().any(|cleaners| cleaners.is_partial);
        let found = mains.iter().map(|main| main.victim).zip(found);
        let found: Vec<(TestIx, Vec<TestIx>)> =
            found.map(|(victim, cleaners)| (victim, cleaners.tests)).collect();
        self.cleaners.extend(found);
    }

    /// What was guessed in company, and then seen not to be so by some order that began with the two.
    fn drop_refuted(&mut self) {
        let beginnings = self.beginnings();
        for (polluter, of) in &mut self.of {
            of.retain(|victim| beginnings.pair(*polluter, *victim) != Some(Outcome::Passed));
        }
    }

    /// Says what all of it means.
    pub(super) fn into_found(mut self) -> Found {
        self.drop_refuted();
        let mut polluters_of: BTreeMap<TestIx, BTreeMap<TestIx, SeenHow>> = BTreeMap::new();
        for (polluter, of) in &self.of {
            for victim in of {
                let seen = match self.beginnings().pair(*polluter, *victim) {
                    Some(Outcome::Failed) => SeenHow::Alone,
                    Some(Outcome::Passed | Outcome::Unclear) | None => SeenHow::InCompany,
                };
                polluters_of.entry(*victim).or_default().insert(*polluter, seen);
                if !self.victims.contains_key(victim) {
                    self.found.more_polluters.push((*victim, *polluter, seen));
                }
            }
        }
        let mut states: BTreeMap<TestIx, Vec<(SuspicionIx, &Suspicion)>> = self.polluters.by_test.clone();
        for (test, late) in &self.late.by_test {
            states.entry(*test).or_default().extend(late);
        }
        let nothing = BTreeSet::new();
        let blame = states.iter().map(|(test, states)| {
            let of = self.of.get(test).unwrap_or(&nothing);
            (*test, Blame::new(states, of, self.search.tests))
        });
        let blame: BTreeMap<TestIx, Blame> = blame.collect();
        self.found.judged = self.judge(&states, &blame);
        for main in self.victims.into_values() {
            let state = match main.polluters[..] {
                [polluter] => blame
                    .get(&polluter)
                    .and_then(|blame| blame.state_for(main.victim)),
                _ => None,
            };
            self.found.victims.push(FoundVictim {
                polluters: polluters_of.remove(&main.victim).unwrap_or_default(),
                cleaners: self.cleaners.remove(&main.victim).unwrap_or_default(),
                state,
                main,
            });
        }
        self.found
    }

    /// One for each suspicion, in their order.
    fn judge(
        &self,
        states: &BTreeMap<TestIx, Vec<(SuspicionIx, &Suspicion)>>,
        blame: &BTreeMap<TestIx, Blame>,
    ) -> Vec<Judged> {
        let mut judged: BTreeMap<SuspicionIx, Judged> = BTreeMap::new();
        for (test, states) in states {
            let has_victims = self.of.get(test).is_some_and(|of| !of.is_empty());
            for (index, suspicion) in states {
                let victims: Vec<TestIx> = blame[test].victims_of(*index).collect();
                // Those that fail because of another state may hide what this one does, unless they cannot see it.
                let is_clear = matches!(suspicion.held_by, HeldBy::Class(_)) || !has_victims;
                let (is_partial, is_tried) = match (suspicion.turn, &self.late_trial) {
                    (Turn::Early, _) => (
                        self.partial.contains(test),
                        self.polluters.standing(*test) <= Standing::Typical,
                    ),
                    (Turn::Late, Some(late)) => {
                        let is_one = late.polluters.contains(test);
                        (late.is_partial && is_one && victims.is_empty(), is_one)
                    }
                    (Turn::Late, None) => (false, false),
                };
                let is_on_all = self.tried_on_all.contains(test);
                let judgement = if is_partial && !is_on_all {
                    Judgement::Partial
                } else if !victims.is_empty() {
                    Judgement::Proved
                } else if (is_tried || is_on_all) && is_clear {
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

#[cfg(test)]
mod tests {
    use super::super::launch_tests::{LaunchTests, classes_of};
    use super::super::plan::Search;
    use super::super::shuffle::RanOrders;
    use super::super::simulated::{Suite, ix, last_is, one, set, suite};
    use super::*;

    fn tests() -> LaunchTests {
        LaunchTests {
            tests: ix(0..8),
            passed: set(0..8),
            classes: classes_of("A B C D E F G H".split(' ')),
            build_jvms: vec![Some(0); 8],
            seeing: [("S".to_owned(), set([4, 5])), ("T".to_owned(), set([6]))].into(),
            ..LaunchTests::default()
        }
    }

    fn suspicion(test: usize, held_by: HeldBy, standing: Standing) -> Suspicion {
        Suspicion {
            test: one(test),
            turn: Turn::Early,
            held_by,
            changing: ix([test]),
            standing,
        }
    }

    fn pollution<F: Fn(&[usize], usize) -> bool>(
        orders: &Suite<F>,
        tests: &LaunchTests,
        suspicions: &[Suspicion],
    ) -> Found {
        let search = Search {
            tests,
            orders,
            ran: &RanOrders::default(),
            tell: &|_| {},
        };
        search.pollution(suspicions).found()
    }

    fn class(name: &str) -> HeldBy {
        HeldBy::Class(name.to_owned())
    }

    #[test]
    fn each_suspicion_is_judged() {
        // 0 makes 4 fail, 1 nobody, 2 makes 7 fail.
        let suite = suite(|before, test| match test {
            4 => last_is(before, &[0, 3], 0),
            7 => before.contains(&2),
            _ => false,
        });
        let suspicions = [
            suspicion(0, class("S"), Standing::First),
            suspicion(0, class("T"), Standing::First),
            suspicion(1, class("T"), Standing::Typical),
            suspicion(5, HeldBy::Jvm, Standing::Alike),
            suspicion(2, HeldBy::Jvm, Standing::Typical),
            suspicion(2, HeldBy::File, Standing::First),
        ];
        let found = pollution(&suite, &tests(), &suspicions);
        let judged = found.judged.into_iter();
        let judged: Vec<_> = judged.map(|judged| (judged.judgement, judged.victims)).collect();
        let expected = [
            (Judgement::Proved, ix([4])),
            (Judgement::NoVictim, ix([])),
            (Judgement::NoVictim, ix([])),
            // Nobody stands for it here, but it is not tried on all.
            (Judgement::NotTried, ix([])),
            (Judgement::Proved, ix([7])),
            // Those that fail may do so because of the file as well.
            (Judgement::NotTried, ix([])),
        ];
        assert_eq!(judged, expected);
        let victims = found.victims.into_iter();
        let victims: Vec<_> = victims
            .map(|victim| (victim.main.victim, victim.main.polluters, victim.state))
            .collect();
        let expected = [
            (one(4), ix([0]), Some(SuspicionIx(0))),
            (one(7), ix([2]), Some(SuspicionIx(4))),
        ];
        assert_eq!(victims, expected);
        assert_eq!(found.cut, Cut::default());
    }

    #[test]
    fn without_time_everything_is_partial() {
        let mut suite = suite(|before, test| test == 4 && before.contains(&0));
        suite.most = 0;
        let found = pollution(&suite, &tests(), &[suspicion(0, class("S"), Standing::First)]);
        assert_eq!(found.judged[0].judgement, Judgement::Partial);
        assert!(found.cut.trials && found.cut.whole_orders && found.victims.is_empty());
    }

    #[test]
    fn known_victims_get_further_polluters_and_no_second_proof() {
        let suite = suite(|before, test| test == 4 && before.contains(&0));
        let tests = LaunchTests {
            known_victims: set([4]),
            ..tests()
        };
        let found = pollution(&suite, &tests, &[suspicion(0, class("S"), Standing::First)]);
        assert!(found.victims.is_empty());
        assert_eq!(found.more_polluters, [(one(4), one(0), SeenHow::Alone)]);
    }

    #[test]
    fn a_victim_has_its_polluters_and_cleaners() {
        // 0 and 1 change what 4 sees; 3 puts it right, and is known to change it.
        let suite = suite(|before, test| {
            test == 4
                && before
                    .iter()
                    .rev()
                    .find(|test| [0, 1, 3].contains(test))
                    .is_some_and(|last| *last < 3)
        });
        let all = |test: usize, standing: Standing| Suspicion {
            changing: ix([0, 1, 3]),
            ..suspicion(test, class("S"), standing)
        };
        let suspicions = [
            all(0, Standing::First),
            all(1, Standing::Alike),
            all(3, Standing::Typical),
        ];
        let found = pollution(&suite, &tests(), &suspicions);
        let [victim] = &found.victims[..] else {
            panic!("{found:?}")
        };
        let polluters: BTreeSet<TestIx> = victim.polluters.keys().copied().collect();
        assert_eq!((&polluters, &victim.cleaners), (&set([0, 1]), &ix([3])));
    }
}
