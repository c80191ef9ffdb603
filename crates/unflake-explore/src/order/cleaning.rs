//! Cleaners: tests that, between polluter and victim, make the victim pass.

use super::launch_tests::{ClassIx, LaunchTests};
use super::limits::{CLEANER_CANDIDATES, CLEANERS_OF_FINDING};
use super::orders::{Orders, TestOrder, run_one};
use super::prove::ProvedVictim;
use crate::{TestIx, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// A place to look for cleaners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cleaning<'a> {
    pub(super) polluters: &'a [TestIx],
    pub(super) victim: TestIx,
    pub(super) candidates: &'a [TestIx],
    /// The class of each test: a test of another class in between makes the victim's class start anew.
    pub(super) classes: &'a [ClassIx],
    /// At most this many.
    pub(super) most: usize,
}

/// Cleaners, and whether time ran out before all were looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cleaners {
    pub(super) tests: Vec<TestIx>,
    pub(super) is_partial: bool,
}

impl Cleaning<'_> {
    fn order(&self, cleaner: TestIx) -> TestOrder {
        [self.polluters, &[cleaner, self.victim]].concat()
    }

    fn is_of_class(&self, test: TestIx) -> bool {
        self.classes[test.0] == self.classes[self.victim.0]
    }
}

/// The first few cleaners among the candidates, each seen in a JVM of its own.
///
/// If polluter and victim are of one class, a test of another class between them makes the class's set-up run again,
/// which looks like cleaning. So tests of other classes count only if some test of another class does *not* make the
/// victim pass.
pub(super) fn cleaners(orders: &dyn Orders, cleaning: Cleaning<'_>) -> Cleaners {
    let polluters = cleaning.polluters;
    let is_other = |test: &TestIx| *test != cleaning.victim && !polluters.contains(test);
    let candidates: Vec<TestIx> = cleaning.candidates.iter().copied().filter(is_other).collect();
    if candidates.is_empty() {
        return Cleaners::default();
    }
    let all = candidates.iter().flat_map(|cleaner| cleaning.order(*cleaner));
    let Some(verdicts) = run_one(orders, all.collect()) else {
        return Cleaners {
            tests: Vec::new(),
            is_partial: true,
        };
    };
    let mut is_partial = false;
    let (mut cleaning_up, mut neutral): (Vec<TestIx>, Vec<TestIx>) = (Vec::new(), Vec::new());
    for (candidate, part) in candidates.iter().zip(verdicts.chunks(polluters.len() + 2)) {
        match part.last() {
            Some(Verdict::Passed) => cleaning_up.push(*candidate),
            _ => neutral.push(*candidate),
        }
    }
    if polluters.iter().all(|polluter| cleaning.is_of_class(*polluter)) {
        let control = neutral.into_iter().find(|test| !cleaning.is_of_class(*test));
        let counts = control.is_some_and(|control| {
            let ran = run_one(orders, cleaning.order(control));
            is_partial |= ran.is_none();
            ran.is_some_and(|verdicts| matches!(verdicts.last(), Some(Verdict::Failed(_))))
        });
        if !counts {
            cleaning_up.retain(|test| cleaning.is_of_class(*test));
        }
    }
    cleaning_up.truncate(cleaning.most);
    let each: Vec<TestOrder> = cleaning_up
        .iter()
        .map(|cleaner| cleaning.order(*cleaner))
        .collect();
    let mut tests = Vec::new();
    for (cleaner, ran) in cleaning_up.into_iter().zip(orders.run_all(&each)) {
        is_partial |= ran.is_none();
        if ran.is_some_and(|verdicts| verdicts.last() == Some(&Verdict::Passed)) {
            tests.push(cleaner);
        }
    }
    Cleaners { tests, is_partial }
}

/// Per victim the tests that clean up. They are looked for once for each polluter (and apart for victims of its own
/// class); for its other victims it is seen in one JVM whether they help as well.
///
/// `changing` names the tests that are known to change what a polluter changes: only those can clean up.
pub(super) fn cleaners_of(
    orders: &dyn Orders,
    tests: &LaunchTests,
    victims: &[&ProvedVictim],
    changing: &dyn Fn(TestIx) -> Option<BTreeSet<TestIx>>,
) -> Vec<Cleaners> {
    let mut groups: BTreeMap<(&[TestIx], bool), Vec<usize>> = BTreeMap::new();
    for (index, victim) in victims.iter().enumerate() {
        if victim.polluters != [victim.victim] {
            let is_of_class = |test: &TestIx| tests.class(*test) == tests.class(victim.victim);
            let in_one_class = victim.polluters.iter().all(is_of_class);
            groups
                .entry((victim.polluters.as_slice(), in_one_class))
                .or_default()
                .push(index);
        }
    }
    let mut found = vec![Cleaners::default(); victims.len()];
    for ((polluters, _), members) in groups {
        let group = Group {
            polluters,
            victims: members.iter().map(|member| victims[*member].victim).collect(),
        };
        for (member, cleaners) in members.into_iter().zip(group.cleaners(orders, tests, changing)) {
            found[member] = cleaners;
        }
    }
    found
}

/// Victims of the same polluters: all of the polluters' class, or none.
struct Group<'a> {
    polluters: &'a [TestIx],
    /// At least one.
    victims: Vec<TestIx>,
}

impl Group<'_> {
    /// Tests that may clean up, those of the classes concerned first.
    fn candidates(
        &self,
        tests: &LaunchTests,
        changing: &dyn Fn(TestIx) -> Option<BTreeSet<TestIx>>,
    ) -> Vec<TestIx> {
        let classes: BTreeSet<ClassIx> = self
            .polluters
            .iter()
            .chain(&self.victims[..1])
            .map(|test| tests.class(*test))
            .collect();
        let is_near = |test: &TestIx| classes.contains(&tests.class(*test));
        let (mut candidates, others): (Vec<TestIx>, Vec<TestIx>) =
            tests.tests.iter().partition(|test| is_near(test));
        candidates.extend(others);
        let known: Option<Vec<BTreeSet<TestIx>>> =
            self.polluters.iter().map(|test| changing(*test)).collect();
        if let Some(known) = known {
            candidates.retain(|test| known.iter().any(|changing| changing.contains(test)));
        }
        candidates.truncate(CLEANER_CANDIDATES);
        candidates
    }

    /// For each victim.
    fn cleaners(
        &self,
        orders: &dyn Orders,
        tests: &LaunchTests,
        changing: &dyn Fn(TestIx) -> Option<BTreeSet<TestIx>>,
    ) -> Vec<Cleaners> {
        let (first, others) = (self.victims[0], &self.victims[1..]);
        let of_first = cleaners(
            orders,
            Cleaning {
                polluters: self.polluters,
                victim: first,
                candidates: &self.candidates(tests, changing),
                classes: &tests.classes,
                most: CLEANERS_OF_FINDING,
            },
        );
        // Behind one polluter and one cleaner all others pass, or they do not count as cleaned.
        let order = |cleaner: &TestIx| [self.polluters, &[*cleaner], others].concat();
        let ran = orders.run_all(&of_first.tests.iter().map(order).collect::<Vec<TestOrder>>());
        let mut of_others = vec![Cleaners::default(); others.len()];
        for (cleaner, verdicts) in of_first.tests.iter().zip(ran) {
            let is_partial = verdicts.is_none();
            let verdicts = verdicts.unwrap_or_default();
            for (place, victim) in others.iter().enumerate() {
                let verdict = verdicts.get(self.polluters.len() + 1 + place);
                of_others[place].is_partial |= is_partial;
                if verdict == Some(&Verdict::Passed) && victim != cleaner {
                    of_others[place].tests.push(*cleaner);
                }
            }
        }
        [vec![of_first], of_others].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::super::launch_tests::classes_of;
    use super::super::simulated::{failure, ix, last_is, one, set, suite};
    use super::*;

    fn cleaners_in(orders: &dyn Orders, classes: &str, polluter: usize, victim: usize) -> Cleaners {
        let classes: Vec<ClassIx> = classes_of(classes.split(' '));
        cleaners(
            orders,
            Cleaning {
                polluters: &ix([polluter]),
                victim: one(victim),
                candidates: &ix(0..classes.len()),
                classes: &classes,
                most: 3,
            },
        )
    }

    #[test]
    fn cleaners_are_found() {
        let mut suite = suite(|before, test| test == 4 && last_is(before, &[0, 2], 0));
        let found = cleaners_in(&suite, "A B C D E", 0, 4);
        assert_eq!((found.tests, found.is_partial), (ix([2]), false));
        suite.most = suite.jvms() + 1;
        let found = cleaners_in(&suite, "A B C D E", 0, 4);
        assert_eq!((found.tests, found.is_partial), (ix([]), true));
    }

    #[test]
    fn without_candidates_no_jvm_is_started() {
        let suite = suite(|before, test| test == 1 && before.contains(&0));
        assert_eq!(cleaners_in(&suite, "A B", 0, 1), Cleaners::default());
        assert_eq!(suite.jvms(), 0);
    }

    #[test]
    fn set_up_that_runs_again_is_no_cleaner() {
        // Tests 0, 1, 2 are of one class; its set-up resets what 0 does. 1 is a real cleaner.
        let reset = |before: &[usize], test: usize| {
            let since: Vec<usize> = before
                .iter()
                .rev()
                .copied()
                .take_while(|other| *other < 3)
                .collect();
            test == 2 && since.iter().find(|other| **other < 2) == Some(&0)
        };
        assert_eq!(cleaners_in(&suite(reset), "A A A B C", 0, 2).tests, ix([1]));
    }

    #[test]
    fn a_cleaner_of_one_victim_is_asked_about_the_others() {
        // 0 pollutes 3, 4 and 5; 1 cleans up for 3 and 4; 2 is not known to change anything.
        let suite = suite(|before, test| match test {
            3 | 4 => last_is(before, &[0, 1, 2], 0),
            5 => before.contains(&0),
            _ => false,
        });
        let victim = |victim: usize| ProvedVictim {
            victim: one(victim),
            polluters: ix([0]),
            failure: failure(),
            runs: 3,
            passed_alone: true,
        };
        let tests = LaunchTests {
            tests: ix(0..6),
            classes: classes_of("A B C D D D".split(' ')),
            ..LaunchTests::default()
        };
        let own = ProvedVictim {
            polluters: ix([3]),
            ..victim(3)
        };
        let victims = [victim(3), victim(4), victim(5), own];
        let victims: Vec<&ProvedVictim> = victims.iter().collect();
        let found = cleaners_of(&suite, &tests, &victims, &|_| Some(set([0, 1])));
        let found: Vec<Vec<TestIx>> = found.into_iter().map(|cleaners| cleaners.tests).collect();
        assert_eq!(found, [ix([1]), ix([1]), ix([]), ix([])]);
        let found = cleaners_of(&suite, &tests, &victims, &|_| None);
        assert_eq!(found[0].tests, ix([1, 2]));
    }

    #[test]
    fn nobody_cleans_up_for_itself() {
        // 0 pollutes 1 and 2; 2 cleans up, and passes the second time.
        let suite = suite(|before, test| [1, 2].contains(&test) && last_is(before, &[0, 2], 0));
        let tests = LaunchTests {
            tests: ix(0..3),
            classes: classes_of("A B B".split(' ')),
            ..LaunchTests::default()
        };
        let victim = |victim: usize| ProvedVictim {
            victim: one(victim),
            polluters: ix([0]),
            failure: failure(),
            runs: 3,
            passed_alone: true,
        };
        let found = cleaners_of(&suite, &tests, &[&victim(1), &victim(2)], &|_| None);
        let found: Vec<Vec<TestIx>> = found.into_iter().map(|cleaners| cleaners.tests).collect();
        assert_eq!(found, [ix([2]), ix([])]);
    }

    #[test]
    fn only_a_test_of_another_class_shows_that_set_up_is_no_cleaner() {
        // Tests 0 to 3 are of one class; its set-up resets what 0 does. 1 is a cleaner, 2 does nothing.
        let reset = |before: &[usize], test: usize| {
            let mut since = before.iter().rev().take_while(|other| **other < 4);
            test == 3 && since.find(|other| **other < 2) == Some(&0)
        };
        assert_eq!(cleaners_in(&suite(reset), "A A A A B", 0, 3).tests, ix([1]));
    }
}
