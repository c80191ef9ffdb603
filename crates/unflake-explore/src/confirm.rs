//! Whether a failure counts: it must repeat varied and vanish unvaried (N7), and how weak a level already fails it
//! (N5).

use crate::TestIx;
use unflake_protocol::{Failure, Form, Level, Seed, Strategy};

/// Where fresh JVMs come from.
pub trait Jvms {
    type Jvm: Jvm;

    fn start(&self) -> Result<Self::Jvm, String>;
}

/// A JVM in which tests, named by their index, can be run several times.
pub trait Jvm {
    /// Runs `tests` in order and says what became of the last one. `None` as strategy: unvaried.
    fn run(&mut self, tests: &[TestIx], strategy: Option<Strategy>) -> Verdict;

    /// False when the JVM ended during a test.
    fn is_alive(&self) -> bool;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed(Failure),
    /// Skipped, or not found by the framework.
    NotRun,
    Cancelled,
}

/// A test that failed in a round.
#[derive(Clone, Debug)]
pub struct Suspect {
    pub test: TestIx,
    pub strategy: Strategy,
    /// The tests of its class that ran before it in the build.
    pub class: Vec<TestIx>,
    /// All tests that ran before it in the same JVM of the build.
    pub prefix: Vec<TestIx>,
    /// For the random seeds of the levels that are tried.
    pub seed: Seed,
    /// Look for the weakest level.
    pub climb: bool,
}

/// With what a failure repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Alone,
    Class,
    Prefix,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed {
    pub scope: Scope,
    pub failure: Failure,
    /// The weakest strategy that was seen to fail.
    pub weakest: Strategy,
    /// What was tried, in order: the strategy that failed in the round, then weaker ones.
    pub trials: Vec<LevelTrial>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelTrial {
    pub strategy: Strategy,
    pub failed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unconfirmed {
    /// It passed when it was repeated: flaky on its own.
    NotRepeated,
    /// It fails unvaried without the tests that ran before it, and passes after them, varied or not.
    NeedsOthers(Box<Failure>),
    /// It fails unvaried too when we run it; the build's own run is different in some way.
    FailsUnvaried(Box<Failure>),
    /// The framework did not run it when asked to.
    NotRun,
    NoJvm(String),
    Cancelled,
}

/// Repeats a failure: alone, else with its class, else with all the tests that ran before it.
///
/// `warm` is a JVM in which other tests were confirmed and passed unvaried afterwards, or `None`. If this test fails
/// and passes there as well, alone, it is confirmed without a start; if not, that says nothing and fresh JVMs decide.
pub fn confirm<S: Jvms>(
    jvms: &S,
    suspect: &Suspect,
    warm: &mut Option<S::Jvm>,
) -> Result<Confirmed, Unconfirmed> {
    let alone = [suspect.test];
    if let Some(mut jvm) = warm.take()
        && let Verdict::Failed(failure) = jvm.run(&alone, Some(suspect.strategy))
        && jvm.is_alive()
        && jvm.run(&alone, None) == Verdict::Passed
    {
        let attempt = Attempt {
            jvms,
            tests: &alone,
            warm: Some(jvm),
        };
        return Ok(attempt.finish(suspect, Scope::Alone, failure, warm));
    }
    let mut why = Unconfirmed::NotRepeated;
    let mut tried = 0;
    for (scope, before) in [
        (Scope::Alone, &[][..]),
        (Scope::Class, &suspect.class),
        (Scope::Prefix, &suspect.prefix),
    ] {
        // A scope with no more tests than the one before says nothing new.
        if scope != Scope::Alone && before.len() <= tried {
            continue;
        }
        tried = before.len();
        let mut tests = before.to_vec();
        tests.push(suspect.test);
        let mut attempt = Attempt {
            jvms,
            tests: &tests,
            warm: None,
        };
        match attempt.repeat(suspect.strategy) {
            Ok(failure) => {
                return Ok(attempt.finish(suspect, scope, failure, warm));
            }
            Err(reason @ (Unconfirmed::NoJvm(_) | Unconfirmed::Cancelled)) => return Err(reason),
            Err(Unconfirmed::NotRepeated) => {
                if let Unconfirmed::FailsUnvaried(failure) = why {
                    why = Unconfirmed::NeedsOthers(failure);
                }
            }
            Err(reason) => why = reason,
        }
    }
    Err(why)
}

/// One scope's tests and, once they have passed unvaried after having failed varied, a JVM that can be used again.
struct Attempt<'a, S: Jvms> {
    jvms: &'a S,
    tests: &'a [TestIx],
    warm: Option<S::Jvm>,
}

impl<S: Jvms> Attempt<'_, S> {
    /// Fails again varied in a fresh JVM, and passes again unvaried: in the same JVM if it can, else in a fresh one.
    fn repeat(&mut self, strategy: Strategy) -> Result<Failure, Unconfirmed> {
        let mut jvm = self.jvms.start().map_err(Unconfirmed::NoJvm)?;
        let failure = match jvm.run(self.tests, Some(strategy)) {
            Verdict::Failed(failure) => failure,
            Verdict::Passed => return Err(Unconfirmed::NotRepeated),
            Verdict::NotRun => return Err(Unconfirmed::NotRun),
            Verdict::Cancelled => return Err(Unconfirmed::Cancelled),
        };
        if jvm.is_alive() && jvm.run(self.tests, None) == Verdict::Passed {
            self.warm = Some(jvm);
            return Ok(failure);
        }
        // What an initialiser froze, or what the failing test left behind, is gone in a fresh JVM.
        drop(jvm);
        let mut jvm = self.jvms.start().map_err(Unconfirmed::NoJvm)?;
        match jvm.run(self.tests, None) {
            Verdict::Passed => Ok(failure),
            Verdict::Failed(unvaried) => Err(Unconfirmed::FailsUnvaried(Box::new(unvaried))),
            Verdict::NotRun => Err(Unconfirmed::NotRun),
            Verdict::Cancelled => Err(Unconfirmed::Cancelled),
        }
    }

    /// The confirmed failure at its weakest level; a JVM that is as good as new is kept for the next test.
    fn finish(
        mut self,
        suspect: &Suspect,
        scope: Scope,
        failure: Failure,
        warm: &mut Option<S::Jvm>,
    ) -> Confirmed {
        let trials = vec![LevelTrial {
            strategy: suspect.strategy,
            failed: true,
        }];
        let mut confirmed = Confirmed {
            scope,
            failure,
            weakest: suspect.strategy,
            trials,
        };
        if suspect.climb {
            self.find_weakest(suspect, &mut confirmed);
        }
        *warm = self.warm;
        confirmed
    }

    /// Goes down level by level as long as one of its strategies fails. What can fail at a level can fail at the
    /// stronger ones, so the first level at which nothing fails ends the search.
    fn find_weakest(&mut self, suspect: &Suspect, confirmed: &mut Confirmed) {
        let below = Level::ALL
            .into_iter()
            .rev()
            .filter(|level| *level < suspect.strategy.level);
        for level in below {
            let mut failing = None;
            for strategy in strategies(level, suspect.seed) {
                let Some(failed) = self.fails(strategy) else {
                    return;
                };
                confirmed.trials.push(LevelTrial { strategy, failed });
                if failed {
                    failing = Some(strategy);
                    break;
                }
            }
            match failing {
                Some(strategy) => confirmed.weakest = strategy,
                None => return,
            }
        }
    }

    /// `None`: could not be tried.
    fn fails(&mut self, strategy: Strategy) -> Option<bool> {
        if let Some(jvm) = &mut self.warm {
            match jvm.run(self.tests, Some(strategy)) {
                Verdict::Passed => return Some(false),
                Verdict::Cancelled => return None,
                Verdict::Failed(_) if jvm.is_alive() && jvm.run(self.tests, None) == Verdict::Passed => {
                    return Some(true);
                }
                // The JVM is no longer as new: what it says now may come from what was left behind.
                Verdict::Failed(_) | Verdict::NotRun => self.warm = None,
            }
        }
        match self.jvms.start().ok()?.run(self.tests, Some(strategy)) {
            Verdict::Passed => Some(false),
            Verdict::Failed(_) => Some(true),
            Verdict::NotRun | Verdict::Cancelled => None,
        }
    }
}

/// How many random seeds are tried per level beside its guided forms.
const SEEDS_PER_LEVEL: u64 = 3;

/// What is tried at a level: its guided forms and some seeds. Reversing is the same at every level and was the first
/// round.
fn strategies(level: Level, seed: Seed) -> impl Iterator<Item = Strategy> {
    let random = (1..=SEEDS_PER_LEVEL).map(move |n| Form::Random(seed.derive(n)));
    [Form::Odd, Form::Pairs]
        .into_iter()
        .chain(random)
        .map(move |form| Strategy { level, form })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};

    /// A test suite in which a rule says what fails: given how often the JVM was used, the tests run in it and the
    /// strategy.
    struct Fake<R> {
        rule: R,
        starts: Cell<u32>,
    }

    struct FakeJvm<'a, R> {
        rule: &'a R,
        history: RefCell<Vec<Option<Strategy>>>,
    }

    impl<'a, R: Fn(&[Option<Strategy>], &[TestIx], Option<Strategy>) -> bool> Jvms for &'a Fake<R> {
        type Jvm = FakeJvm<'a, R>;

        fn start(&self) -> Result<Self::Jvm, String> {
            self.starts.set(self.starts.get() + 1);
            Ok(FakeJvm {
                rule: &self.rule,
                history: RefCell::default(),
            })
        }
    }

    impl<R: Fn(&[Option<Strategy>], &[TestIx], Option<Strategy>) -> bool> Jvm for FakeJvm<'_, R> {
        fn run(&mut self, tests: &[TestIx], strategy: Option<Strategy>) -> Verdict {
            let fails = (self.rule)(&self.history.borrow(), tests, strategy);
            self.history.borrow_mut().push(strategy);
            if fails {
                Verdict::Failed(Failure {
                    kind: "E".to_owned(),
                    message: String::new(),
                    trace: String::new(),
                    expected: None,
                    actual: None,
                })
            } else {
                Verdict::Passed
            }
        }

        fn is_alive(&self) -> bool {
            true
        }
    }

    const FULL: Strategy = Strategy {
        level: Level::Full,
        form: Form::Odd,
    };

    fn check(
        rule: impl Fn(&[Option<Strategy>], &[TestIx], Option<Strategy>) -> bool,
    ) -> (Result<Confirmed, Unconfirmed>, u32) {
        let fake = Fake {
            rule,
            starts: Cell::new(0),
        };
        let suspect = Suspect {
            test: TestIx(9),
            strategy: FULL,
            class: vec![TestIx(8)],
            prefix: vec![TestIx(1), TestIx(8)],
            seed: Seed(1),
            climb: true,
        };
        let result = confirm(&&fake, &suspect, &mut None);
        (result, fake.starts.get())
    }

    #[test]
    fn one_jvm_confirms_and_climbs_when_nothing_is_left_behind() {
        let (result, starts) = check(|_, _, strategy| strategy.is_some_and(|s| s.level >= Level::Id));
        let confirmed = result.unwrap();
        assert_eq!(
            (confirmed.scope, confirmed.weakest.level, starts),
            (Scope::Alone, Level::Id, 1)
        );
        assert_eq!(confirmed.trials.len(), 1 + 1 + 5);
    }

    #[test]
    fn what_fails_whenever_it_was_varied_before_is_tried_in_fresh_jvms() {
        // As if an initialiser had frozen the first run's order.
        let (result, starts) = check(|history, _, strategy| {
            history
                .first()
                .copied()
                .unwrap_or(strategy)
                .is_some_and(|s| s.form == Form::Odd)
        });
        let confirmed = result.unwrap();
        assert_eq!(
            confirmed.weakest,
            Strategy {
                level: Level::One,
                form: Form::Odd
            }
        );
        assert_eq!(starts, 2 + 3);
    }

    #[test]
    fn what_needs_an_earlier_test_is_confirmed_with_it() {
        let (result, _) = check(|_, tests, strategy| strategy.is_some() && tests.contains(&TestIx(8)));
        assert_eq!(result.unwrap().scope, Scope::Class);
        let (result, _) = check(|_, tests, strategy| strategy.is_some() && tests.contains(&TestIx(1)));
        assert_eq!(result.unwrap().scope, Scope::Prefix);
    }

    #[test]
    fn tests_of_one_class_share_a_jvm_while_nothing_is_left_behind() {
        let fails_varied =
            |_: &[Option<Strategy>], _: &[TestIx], strategy: Option<Strategy>| strategy.is_some();
        let fake = Fake {
            rule: fails_varied,
            starts: Cell::new(0),
        };
        let suspect = Suspect {
            test: TestIx(9),
            strategy: FULL,
            class: vec![],
            prefix: vec![],
            seed: Seed(1),
            climb: true,
        };
        let mut warm = None;
        for _ in 0..3 {
            assert_eq!(confirm(&&fake, &suspect, &mut warm).unwrap().scope, Scope::Alone);
        }
        assert_eq!(fake.starts.get(), 1);

        let only_when_new = |history: &[Option<Strategy>], _: &[TestIx], strategy: Option<Strategy>| {
            strategy.is_some() && history.len() < 2
        };
        let fake = Fake {
            rule: only_when_new,
            starts: Cell::new(0),
        };
        let mut warm = None;
        for _ in 0..2 {
            assert!(confirm(&&fake, &suspect, &mut warm).is_ok());
        }
        assert_eq!(fake.starts.get(), 2);
    }

    #[test]
    fn what_does_not_repeat_is_no_finding() {
        assert_eq!(check(|_, _, _| false).0, Err(Unconfirmed::NotRepeated));
    }

    #[test]
    fn what_fails_unvaried_is_no_finding() {
        assert!(matches!(
            check(|_, _, _| true).0,
            Err(Unconfirmed::FailsUnvaried(_))
        ));
    }

    #[test]
    fn what_only_needs_other_tests_before_it_is_no_finding() {
        let (result, _) = check(|_, tests, _| !tests.contains(&TestIx(1)));
        assert!(matches!(result, Err(Unconfirmed::NeedsOthers(_))), "{result:?}");
    }

    #[test]
    fn a_test_that_cannot_be_run_twice_gets_a_fresh_jvm_for_each_run() {
        let (result, _) = check(|history, _, strategy| !history.is_empty() || strategy.is_some());
        assert_eq!(
            result.unwrap().weakest,
            Strategy {
                level: Level::One,
                form: Form::Odd
            }
        );
    }
}
