//! The loop that runs a plan, and what is known while it runs.

use super::beginnings::{Beginnings, Noting};
use super::found::Found;
use super::late::LateTrial;
use super::launch_tests::LaunchTests;
use super::limits::LIKELY_ORDERS;
use super::orders::{Orders, TestOrder, Wanted};
use super::prove::ProvedVictim;
use super::shuffle::{RanOrders, Shuffled};
use super::sort_out::{OrderSuspect, sort_out};
use super::stages::{AtOnce, EVERY_PAIR, KnownVictims, ORDER, POLLUTION, PlanStep, Stage, StageName, Time};
use super::suspicions::{Polluters, Suspicion, Turn};
use super::trial::{Trial, TriedPolluters, victims_of};
use crate::TestIx;
use std::collections::{BTreeMap, BTreeSet};
use unflake_protocol::Seed;

/// The search for victims among the tests of one launch.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    pub tests: &'a LaunchTests,
    pub orders: &'a dyn Orders,
    /// Orders of the whole suite that were already run.
    pub ran: &'a RanOrders,
    /// Told what begins.
    pub tell: &'a dyn Fn(Doing),
}

/// What a search is about to do, for the progress display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Trying so many polluters on further tests.
    MoreVictims {
        polluters: usize,
    },
    /// Looking for what makes so many tests fail, or pass.
    SortingOut {
        suspects: usize,
    },
    Cleaners,
    /// Trying so many pairs of tests, each in a JVM of its own.
    EveryPair {
        pairs: usize,
    },
}

impl<'a> Search<'a> {
    /// `check --only pollution`: who suffers from tests that were seen to change shared state.
    pub fn pollution(&self, suspicions: &'a [Suspicion]) -> Planned<'a> {
        let mut plan = Plan::new(*self, suspicions);
        plan.likely_from_two_orders();
        plan.run(&POLLUTION);
        Planned { plan }
    }

    /// `check --only order`: what makes tests fail that failed in orders of the whole suite, given with what ran before
    /// them there. Without `more` no further victims are looked for.
    pub fn order(&self, failing: BTreeMap<TestIx, TestOrder>, more: bool) -> Planned<'a> {
        let mut plan = Plan::new(*self, &[]);
        for (test, before) in failing {
            plan.add_likely(OrderSuspect {
                test,
                before,
                passes_alone: false,
            });
        }
        for suspect in self.tests.suspects_of_build() {
            plan.add_likely(suspect);
        }
        let steps = ORDER.iter().copied();
        let steps = steps.filter(|step| more || !matches!(step, PlanStep::Try(_)));
        plan.run(&steps.collect::<Vec<PlanStep>>());
        Planned { plan }
    }
}

/// A search whose plan is done. Several can wait here, so that all plans are done before single pairs take the rest of
/// the time.
#[derive(Clone)]
pub struct Planned<'a> {
    plan: Plan<'a>,
}

impl Planned<'_> {
    /// Tries every pair of tests that is still unknown ([`EVERY_PAIR`]).
    pub fn every_pair(&mut self) {
        self.plan.run(&EVERY_PAIR);
    }

    pub fn found(self) -> Found {
        self.plan.into_found()
    }
}

/// A search that is under way.
#[derive(Clone)]
pub(super) struct Plan<'a> {
    pub(super) search: Search<'a>,
    pub(super) polluters: Polluters<'a>,
    /// Those that are tried last.
    pub(super) late: Polluters<'a>,
    /// Tests that failed in an order other than the build's, or only in the build.
    pub(super) likely: BTreeMap<TestIx, OrderSuspect>,
    /// Those of them whose polluters or setters were looked for.
    sorted_out: BTreeSet<TestIx>,
    /// All victims, also those that were known before.
    pub(super) known: BTreeSet<TestIx>,
    pub(super) victims: BTreeMap<TestIx, ProvedVictim>,
    /// By polluter, each enough on its own.
    pub(super) of: BTreeMap<TestIx, BTreeSet<TestIx>>,
    /// Polluters for which time ran out.
    pub(super) partial: BTreeSet<TestIx>,
    /// The late ones were tried; the time ran out before that or meanwhile.
    pub(super) late_trial: Option<LateTrial>,
    /// Polluters of which every single pair is known.
    pub(super) tried_on_all: BTreeSet<TestIx>,
    /// By victim.
    pub(super) cleaners: BTreeMap<TestIx, Vec<TestIx>>,
    /// Whom each stage has tried.
    pub(super) tried: BTreeMap<StageName, Vec<TestOrder>>,
    pub(super) found: Found,
}

impl<'a> Plan<'a> {
    pub(super) fn new(search: Search<'a>, suspicions: &'a [Suspicion]) -> Plan<'a> {
        Plan {
            search,
            polluters: Polluters::new(suspicions, Turn::Early),
            late: Polluters::new(suspicions, Turn::Late),
            likely: BTreeMap::new(),
            sorted_out: BTreeSet::new(),
            known: search.tests.known_victims.clone(),
            victims: BTreeMap::new(),
            of: BTreeMap::new(),
            partial: BTreeSet::new(),
            late_trial: None,
            tried_on_all: BTreeSet::new(),
            cleaners: BTreeMap::new(),
            tried: BTreeMap::new(),
            found: Found::default(),
        }
    }

    /// Everything is run through it.
    pub(super) fn orders(&self) -> Noting<'a, &'a dyn Orders> {
        Noting {
            orders: self.search.orders,
            beginnings: self.beginnings(),
        }
    }

    pub(super) fn beginnings(&self) -> &'a Beginnings {
        &self.search.ran.beginnings
    }

    pub(super) fn add_likely(&mut self, suspect: OrderSuspect) {
        if !self.known.contains(&suspect.test) {
            self.likely.entry(suspect.test).or_insert(suspect);
        }
    }

    /// Tests that the build shows to depend on others, and those that passed in the build and fail in one of two
    /// orders.
    fn likely_from_two_orders(&mut self) {
        let Search { tests, ran, .. } = self.search;
        let orders = self.orders();
        for suspect in tests.suspects_of_build() {
            self.add_likely(suspect);
        }
        let shuffled = Shuffled::new(tests);
        // Always the same ones, whatever the seed.
        let batch = LIKELY_ORDERS.map(|number| shuffled.order(number, Seed(0)));
        let ran = ran.run_to_the_end(orders.searching().as_ref(), &batch);
        self.found.cut.whole_orders |= ran.is_partial;
        for part in ran.parts {
            for (place, verdict) in part.verdicts.iter().enumerate() {
                let test = part.order[place];
                if Wanted::Fails.holds(verdict) && tests.passed.contains(&test) {
                    self.add_likely(OrderSuspect {
                        test,
                        before: part.order[..place].to_vec(),
                        passes_alone: false,
                    });
                }
            }
        }
    }

    fn run(&mut self, steps: &[PlanStep]) {
        for step in steps {
            match step {
                PlanStep::Try(stage) => self.run_stage(stage),
                PlanStep::SortOut(time) => self.sort_out(*time),
                PlanStep::Clean => self.find_cleaners(),
                PlanStep::TryLate => self.try_late(),
                PlanStep::EveryPair => self.try_every_pair(),
            }
        }
    }

    fn run_stage(&mut self, stage: &Stage) {
        let who = self.who(stage.who);
        if !who.is_empty() {
            let polluters = who.len();
            (self.search.tell)(Doing::MoreVictims { polluters });
        }
        let trials = who.iter().map(|polluters| {
            let candidates = self.whom(stage.whom, polluters);
            self.polluters.trial(polluters, candidates)
        });
        let trials: Vec<Trial> = trials.filter(|trial| !trial.candidates.is_empty()).collect();
        self.tried.insert(stage.name, who);
        let at_once = match stage.at_once {
            AtOnce::All => trials.len(),
            AtOnce::Some(count) => count,
        };
        for part in trials.chunks(at_once.max(1)) {
            let mut part = part.to_vec();
            if stage.whom.known == KnownVictims::LeftOut {
                // Those that the part before found are no longer looked for.
                let is_open = |test: &TestIx| !self.known.contains(test);
                part.iter_mut().for_each(|trial| trial.candidates.retain(is_open));
            }
            let orders = self.orders();
            let tried = victims_of(
                orders.searching().as_ref(),
                &orders,
                &part,
                &self.known,
                stage.mode,
            );
            self.add(&part, tried);
        }
    }

    fn add(&mut self, trials: &[Trial], tried: TriedPolluters) {
        for main in tried.victims {
            self.known.insert(main.victim);
            self.victims.insert(main.victim, main);
        }
        for ((trial, of), is_partial) in trials.iter().zip(tried.of).zip(tried.is_partial) {
            if let [polluter] = trial.polluters[..] {
                self.of.entry(polluter).or_default().extend(of);
            }
            if is_partial {
                self.found.cut.trials = true;
                self.partial.extend(trial.polluters.iter().copied());
            }
        }
    }

    fn sort_out(&mut self, time: Time) {
        let open = self.likely.values();
        let open: Vec<OrderSuspect> = open
            .filter(|suspect| !self.known.contains(&suspect.test) && !self.sorted_out.contains(&suspect.test))
            .cloned()
            .collect();
        self.sorted_out.extend(open.iter().map(|suspect| suspect.test));
        if open.is_empty() {
            return;
        }
        (self.search.tell)(Doing::SortingOut { suspects: open.len() });
        let (tests, orders) = (self.search.tests, self.orders());
        let in_build = |test: TestIx| tests.before(test);
        let sorted = match time {
            Time::Search => sort_out(orders.searching().as_ref(), &open, &in_build),
            Time::All => sort_out(&orders, &open, &in_build),
        };
        for main in sorted.victims {
            self.known.insert(main.victim);
            if let [polluter] = main.polluters[..] {
                self.of.entry(polluter).or_default().insert(main.victim);
            }
            self.victims.insert(main.victim, main);
        }
        self.found.brittle.extend(sorted.brittle);
        self.found.unproved.extend(sorted.unproved);
    }
}

#[cfg(test)]
mod tests {
    use super::super::launch_tests::classes_of;
    use super::super::shuffle::{TimeLeft, WholeSuite};
    use super::super::simulated::{ix, one, set, suite};
    use super::*;
    use std::cell::RefCell;

    /// Classes of two tests each.
    fn tests(count: usize) -> LaunchTests {
        let names: Vec<String> = (0..count).map(|test| (test / 2).to_string()).collect();
        LaunchTests {
            tests: ix(0..count),
            passed: set(0..count),
            classes: classes_of(names.iter().map(String::as_str)),
            build_jvms: vec![Some(0); count],
            ..LaunchTests::default()
        }
    }

    #[test]
    fn polluters_that_a_failure_shows_are_tried_on_all_and_so_are_their_siblings() {
        // 0 pollutes 4, 6 and 7, its sibling 1 pollutes 5; what fails in some order is 4 only.
        let suite = suite(|before, test| match test {
            4 | 6 | 7 => before.last() == Some(&0),
            5 => before.last() == Some(&1),
            _ => false,
        });
        let told = RefCell::new(Vec::new());
        let tests = tests(8);
        let search = Search {
            tests: &tests,
            orders: &suite,
            ran: &RanOrders::default(),
            tell: &|doing| told.borrow_mut().push(doing),
        };
        let failing = || BTreeMap::from([(one(4), ix([2, 0]))]);
        let found = search.order(failing(), true).found();
        let victims: Vec<_> = found
            .victims
            .iter()
            .map(|found| (found.main.victim.0, found.main.polluters[0].0))
            .collect();
        assert_eq!(victims, [(4, 0), (5, 1), (6, 0), (7, 0)]);
        let expected = [
            Doing::SortingOut { suspects: 1 },
            Doing::MoreVictims { polluters: 1 },
            Doing::MoreVictims { polluters: 1 },
            Doing::Cleaners,
        ];
        assert_eq!(told.take(), expected);
        assert_eq!(search.order(failing(), false).found().victims.len(), 1);
    }

    #[test]
    fn polluters_that_do_harm_together_are_tried_on_all() {
        let suite = suite(|before, test| test > 3 && before.ends_with(&[0, 2]));
        let tests = tests(7);
        let search = Search {
            tests: &tests,
            orders: &suite,
            ran: &RanOrders::default(),
            tell: &|_| {},
        };
        let found = search.order([(one(5), ix([1, 0, 2]))].into(), true).found();
        let victims: Vec<_> = found
            .victims
            .iter()
            .map(|found| (found.main.victim, found.main.polluters.clone()))
            .collect();
        assert_eq!(victims, [4, 5, 6].map(|victim| (one(victim), ix([0, 2]))));
        assert!(found.victims.iter().all(|found| found.polluters.is_empty()));
    }

    #[test]
    fn the_reversed_suite_runs_once_for_both_callers() {
        let suite = suite(|_, _| false);
        let tests = tests(6);
        let ran = RanOrders::default();
        let search = Search {
            tests: &tests,
            orders: &suite,
            ran: &ran,
            tell: &|_| {},
        };
        assert!(search.pollution(&[]).found().victims.is_empty());
        let whole = WholeSuite {
            tests: &tests,
            seed: Seed(3),
            most: 2,
            at_once: 1,
            time_left: &|| TimeLeft::More,
            begins: &|_, _| {},
            ran: &|_| {},
        };
        whole.run(&suite, &ran);
        let reversed = suite
            .ran()
            .into_iter()
            .filter(|order| order[..] == [5, 4, 3, 2, 1, 0]);
        assert_eq!(reversed.count(), 1);
    }

    #[test]
    fn what_fails_in_the_build_and_alone_does_not_depend_on_the_order() {
        let suite = suite(|_, test| test == 3);
        let tests = LaunchTests {
            passed: set([0, 1, 2, 4, 5]),
            ..tests(6)
        };
        let told = RefCell::new(Vec::new());
        let search = Search {
            tests: &tests,
            orders: &suite,
            ran: &RanOrders::default(),
            tell: &|doing| told.borrow_mut().push(doing),
        };
        let found = search.pollution(&[]).found();
        assert!(found.victims.is_empty() && found.brittle.is_empty() && found.unproved.is_empty());
        assert!(!told.take().contains(&Doing::SortingOut { suspects: 1 }));
    }

    #[test]
    fn what_the_build_shows_is_explained_too() {
        // 3 failed in the build, after 1; 5 passed there, after 4, and fails alone.
        let suite = suite(|before, test| match test {
            3 => before.contains(&1),
            5 => !before.contains(&4),
            _ => false,
        });
        let tests = LaunchTests {
            passed: set([0, 1, 2, 4, 5]),
            opposite_alone: set([3, 5]),
            ..tests(6)
        };
        let search = Search {
            tests: &tests,
            orders: &suite,
            ran: &RanOrders::default(),
            tell: &|_| {},
        };
        for found in [search.pollution(&[]), search.order(BTreeMap::new(), true)].map(Planned::found) {
            assert_eq!(
                (
                    found.victims[0].main.victim,
                    found.victims[0].main.polluters.clone()
                ),
                (one(3), ix([1]))
            );
            assert_eq!(
                (found.brittle[0].test, found.brittle[0].setters.clone()),
                (one(5), ix([4]))
            );
        }
    }
}
