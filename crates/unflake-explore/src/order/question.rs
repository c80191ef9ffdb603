//! `unflake victims`: everything about one test. Who fails after it, who makes it fail, or what it needs before it.

use super::batch::each_alone;
use super::cleaning::{Cleaning, cleaners};
use super::launch_tests::ClassIx;
use super::limits::{CLEANERS_OF_ANSWER, POLLUTERS_OF_ANSWER};
use super::orders::{Orders, TestOrder, Unproved, Wanted, run_one};
use super::prove::{Pair, ProvedVictim, prove, prove_brittle};
use super::shortest::shortest;
use super::trial::{Trial, TrialMode, victims_of};
use crate::{TestIx, Verdict};
use std::collections::BTreeSet;
use unflake_protocol::Failure;

/// One test, and all others of its launch.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    pub target: TestIx,
    /// All tests that run in such a JVM, in the build's order; the target is among them.
    pub tests: &'a [TestIx],
    /// By test.
    pub classes: &'a [ClassIx],
    pub orders: &'a dyn Orders,
    /// Told what begins.
    pub tell: &'a dyn Fn(AnswerStep),
}

/// What is about to be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerStep {
    Alone,
    Victims,
    Polluters,
    Cleaners,
    Setters,
}

/// What was found out about one test.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub passes_alone: bool,
    /// Of the test alone, or after its first polluter.
    pub failure: Option<Failure>,
    /// Tests that fail after it.
    pub victims: Vec<ProvedVictim>,
    /// Tests after which it fails; itself, if it fails the second time.
    pub polluters: Vec<TestIx>,
    /// Tests that, between the first polluter and this one, make it pass.
    pub cleaners: Vec<TestIx>,
    /// Tests after which it passes, though alone it does not.
    pub setters: Vec<TestIx>,
    /// Tests that make it pass only together, in this order.
    pub setters_together: TestOrder,
    /// The time ran out before everything was tried.
    pub is_partial: bool,
}

impl Question<'_> {
    /// `None`: the test could not be run.
    pub fn answer(&self) -> Option<Answer> {
        (self.tell)(AnswerStep::Alone);
        let alone = run_one(self.orders, vec![self.target])?.pop()?;
        let mut answer = Answer {
            passes_alone: alone == Verdict::Passed,
            ..Answer::default()
        };
        match alone {
            Verdict::Passed => {
                self.find_victims(&mut answer);
                self.find_polluters(&mut answer);
            }
            Verdict::Failed(failure) => {
                answer.failure = Some(failure);
                self.find_setters(&mut answer);
            }
            Verdict::NotRun | Verdict::Cancelled => return None,
        }
        Some(answer)
    }

    fn others(&self) -> Vec<TestIx> {
        let tests = self.tests.iter().copied();
        tests.filter(|test| *test != self.target).collect()
    }

    fn find_victims(&self, answer: &mut Answer) {
        (self.tell)(AnswerStep::Victims);
        let Some(verdicts) = run_one(self.orders, self.tests.to_vec()) else {
            answer.is_partial = true;
            return;
        };
        let passed = self.tests.iter().zip(&verdicts);
        let passed = passed.filter(|(_, verdict)| **verdict == Verdict::Passed);
        let trial = Trial {
            polluters: vec![self.target],
            candidates: passed
                .map(|(test, _)| *test)
                .filter(|test| *test != self.target)
                .collect(),
            changing: BTreeSet::new(),
            polluting: BTreeSet::new(),
        };
        let tried = victims_of(
            self.orders,
            self.orders,
            &[trial],
            &BTreeSet::new(),
            TrialMode::Both,
        );
        answer.is_partial |= tried.is_partial.contains(&true);
        answer.victims = tried.victims;
    }

    fn find_polluters(&self, answer: &mut Answer) {
        (self.tell)(AnswerStep::Polluters);
        let others = self.others();
        let found = each_alone(
            self.orders,
            &others,
            self.target,
            Wanted::Fails,
            POLLUTERS_OF_ANSWER,
        );
        answer.is_partial |= found.is_partial;
        let candidates = [vec![self.target], found.tests].concat();
        let pair = |polluter: &TestIx| Pair {
            victim: self.target,
            polluters: vec![*polluter],
            passed_alone: 1,
            failed_in_company: 0,
        };
        let pairs: Vec<Pair> = candidates.iter().map(pair).collect();
        for (polluter, proved) in candidates.into_iter().zip(prove(self.orders, &pairs)) {
            match proved {
                Ok(proved) => {
                    answer.failure.get_or_insert(proved.failure);
                    answer.polluters.push(polluter);
                }
                Err(Unproved::Ended) => answer.is_partial = true,
                Err(Unproved::NotRepeated | Unproved::NotRun) => {}
            }
        }
        let other = answer.polluters.iter().find(|polluter| **polluter != self.target);
        if let Some(polluter) = other {
            (self.tell)(AnswerStep::Cleaners);
            let cleaning = Cleaning {
                polluters: &[*polluter],
                victim: self.target,
                candidates: &others,
                classes: self.classes,
                most: CLEANERS_OF_ANSWER,
            };
            let found = cleaners(self.orders, cleaning);
            answer.is_partial |= found.is_partial;
            answer.cleaners = found.tests;
        }
    }

    fn find_setters(&self, answer: &mut Answer) {
        (self.tell)(AnswerStep::Setters);
        let others = self.others();
        let found = each_alone(
            self.orders,
            &others,
            self.target,
            Wanted::Passes,
            POLLUTERS_OF_ANSWER,
        );
        answer.is_partial |= found.is_partial;
        for setter in found.tests {
            match prove_brittle(self.orders, self.target, &[setter]) {
                Ok(_) => answer.setters.push(setter),
                Err(Unproved::Ended) => answer.is_partial = true,
                Err(Unproved::NotRepeated | Unproved::NotRun) => {}
            }
        }
        if answer.setters.is_empty() {
            let before = self.tests.iter().copied();
            let before: TestOrder = before.take_while(|test| *test != self.target).collect();
            let together = shortest(self.orders, &before, self.target, Wanted::Passes);
            let proved = together.and_then(|together| prove_brittle(self.orders, self.target, &together));
            match proved {
                Ok(proved) => answer.setters_together = proved.setters,
                Err(Unproved::Ended) => answer.is_partial = true,
                Err(Unproved::NotRepeated | Unproved::NotRun) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::launch_tests::classes_of;
    use super::super::simulated::{ix, last_is, one, suite};
    use super::*;

    fn ask(orders: &dyn Orders, target: usize, count: usize) -> Option<Answer> {
        let names: Vec<String> = (0..count).map(|test| test.to_string()).collect();
        Question {
            target: one(target),
            tests: &ix(0..count),
            classes: &classes_of(names.iter().map(String::as_str)),
            orders,
            tell: &|_| {},
        }
        .answer()
    }

    #[test]
    fn a_polluter_has_its_victims() {
        let suite = suite(|before, test| [1, 4].contains(&test) && last_is(before, &[0, 2], 0));
        let answer = ask(&suite, 0, 6).unwrap();
        assert!(answer.passes_alone && !answer.is_partial);
        // 1 fails in the build's order too, so nobody knows whether it passes at all.
        let victims: Vec<TestIx> = answer.victims.iter().map(|victim| victim.victim).collect();
        assert_eq!(victims, ix([4]));
        assert!(answer.polluters.is_empty() && answer.failure.is_none());
    }

    #[test]
    fn a_victim_has_its_polluters_and_its_cleaners() {
        let suite = suite(|before, test| {
            test == 4 && (last_is(before, &[0, 2, 3, 5], 0) || last_is(before, &[0, 2, 3, 5], 5))
        });
        let answer = ask(&suite, 4, 6).unwrap();
        assert!(answer.passes_alone && answer.failure.is_some() && !answer.is_partial);
        assert_eq!((answer.polluters, answer.cleaners), (ix([0, 5]), ix([2, 3])));
    }

    #[test]
    fn a_test_that_cannot_run_twice_is_its_own_polluter() {
        let suite = suite(|before, test| test == 1 && before.contains(&1));
        let answer = ask(&suite, 1, 3).unwrap();
        assert_eq!((answer.polluters, answer.cleaners), (ix([1]), ix([])));
    }

    #[test]
    fn a_brittle_test_has_its_setters() {
        let suite = suite(|before, test| test == 4 && !before.contains(&1) && !before.contains(&5));
        let answer = ask(&suite, 4, 6).unwrap();
        assert!(!answer.passes_alone && answer.failure.is_some());
        assert_eq!((answer.setters, answer.setters_together), (ix([1, 5]), ix([])));
    }

    #[test]
    fn setters_may_be_needed_together() {
        let suite =
            suite(|before, test| test == 4 && !(before.ends_with(&[1, 2]) || before.ends_with(&[1, 2, 3])));
        let answer = ask(&suite, 4, 6).unwrap();
        assert_eq!((answer.setters, answer.setters_together), (ix([]), ix([1, 2])));
    }

    #[test]
    fn what_there_was_no_time_for_is_said() {
        let pollutes = |before: &[usize], test: usize| test == 2 && last_is(before, &[0, 1], 0);
        let all = suite(pollutes);
        assert!(!ask(&all, 2, 4).unwrap().is_partial);
        for most in 0..all.jvms() {
            let mut cut = suite(pollutes);
            cut.most = most;
            match ask(&cut, 2, 4) {
                None => assert_eq!(most, 0),
                Some(answer) => assert!(answer.is_partial, "{most}"),
            }
        }
    }

    #[test]
    fn what_there_was_no_time_for_is_said_of_setters_too() {
        let alone = |before: &[usize], test: usize| test == 4 && !before.contains(&1);
        let together = |before: &[usize], test: usize| test == 4 && !before.ends_with(&[1, 2]);
        for fails in [&alone as &dyn Fn(&[usize], usize) -> bool, &together] {
            let all = suite(fails);
            assert!(!ask(&all, 4, 6).unwrap().is_partial);
            for most in 1..all.jvms() {
                let mut cut = suite(fails);
                cut.most = most;
                assert!(ask(&cut, 4, 6).unwrap().is_partial, "{most}");
            }
        }
    }

    #[test]
    fn who_makes_it_pass_or_fail_only_once_is_not_named() {
        let times = std::cell::Cell::new(0);
        let once = |before: &[usize]| {
            let is_one = before == [1];
            times.set(times.get() + u32::from(is_one));
            is_one && times.get() == 1
        };
        let brittle = suite(|before, test| test == 4 && !once(before));
        let answer = ask(&brittle, 4, 6).unwrap();
        assert!(answer.setters.is_empty() && answer.setters_together.is_empty() && !answer.is_partial);
        times.set(0);
        let victim = suite(|before, test| test == 4 && once(before));
        let answer = ask(&victim, 4, 6).unwrap();
        assert!(answer.polluters.is_empty() && answer.failure.is_none() && !answer.is_partial);
    }
}
