//! How long things may take: a silent test JVM, and a phase of a check. All limits by the clock are here.

use std::time::{Duration, Instant};
use unflake_explore::order::limits::Allowance;
use unflake_project::Silence;

/// How long a test JVM may be silent before it counts as hung.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// What the user said a test may take.
    timeout: Option<Duration>,
    least: Duration,
}

impl Patience {
    /// For tests that a check runs, with what the user says about one test. What takes longer is a suspicion only: it
    /// is looked at again with more time.
    pub fn checking(timeout: Option<Duration>) -> Patience {
        Patience {
            timeout,
            least: Duration::from_secs(10),
        }
    }

    /// For runs that are known to end soon or never: repeating a hang must not take for ever.
    pub fn repeating(timeout: Option<Duration>) -> Patience {
        Patience {
            timeout,
            least: Duration::from_secs(3),
        }
    }

    /// For a few tests of which it is not known how long they took: a minute is not enough for all of them.
    pub fn stored() -> Patience {
        Patience {
            timeout: None,
            least: Duration::from_secs(120),
        }
    }

    /// For one test that a person waits for.
    pub fn replaying() -> Patience {
        Patience {
            timeout: None,
            least: Duration::from_secs(600),
        }
    }

    /// A person with a debugger is in the middle of it.
    pub fn debugging() -> Patience {
        Patience {
            timeout: None,
            least: Duration::from_secs(24 * 60 * 60),
        }
    }

    /// For tests of the first build, of which nothing is known yet: a slow test must not be taken for a hang.
    pub fn learning(timeout: Option<Duration>) -> Silence {
        match timeout {
            Some(timeout) => Silence {
                least: timeout,
                times: 0,
            },
            None => Silence {
                least: Duration::from_secs(600),
                times: 20,
            },
        }
    }

    /// For what took so long unvaried: it may take its time varied, but not for ever.
    pub fn silence(self, took: Duration) -> Duration {
        const TIMES: u32 = 20;
        self.timeout.unwrap_or_else(|| self.least.max(took * TIMES))
    }

    /// For one test among others. Alone it may have to do what an earlier one did in the build, such as starting a
    /// server, so the slowest of all counts too.
    pub fn of_test(self, took: Duration, slowest: Duration) -> Duration {
        const TIMES: u32 = 3;
        let silence = self.silence(took);
        self.timeout.unwrap_or_else(|| silence.max(slowest * TIMES))
    }

    /// For set-up and tear-down of classes, whose time is not known.
    pub fn of_set_up(self, slowest: Duration) -> Duration {
        const TIMES: u32 = 3;
        let least = self.least * TIMES;
        self.timeout.unwrap_or_else(|| least.max(slowest * TIMES))
    }

    /// For a run that took so long unvaried in a JVM like this one, and of which it is known that it ends soon or never.
    pub fn again(self, took: Duration) -> Duration {
        const TIMES: u32 = 5;
        self.timeout.unwrap_or_else(|| self.least.max(took * TIMES))
    }

    /// So many times as long waits who wants to be sure that something hangs.
    pub const SURE: u32 = 3;
}

/// How long the phases of a check may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// What the user said.
    pub asked: Option<Duration>,
    /// With a seed the result must not depend on the clock.
    pub must_repeat: bool,
    /// How long the learning run took.
    pub learned: Duration,
}

impl Budget {
    /// How long a phase with this default allowance may take. `None`: no limit.
    pub fn of(self, allowance: Allowance) -> Option<Duration> {
        match (self.asked, self.must_repeat) {
            (Some(asked), _) => Some(asked),
            (None, true) => None,
            (None, false) => Some(allowance.of(self.learned)),
        }
    }

    pub fn deadline(self, allowance: Allowance, from: Instant) -> Option<Instant> {
        self.of(allowance).and_then(|budget| from.checked_add(budget))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_slow_test_gets_many_times_its_time_and_a_quick_one_some_seconds() {
        let patience = Patience::checking(None);
        assert_eq!(patience.silence(Duration::ZERO), seconds(10));
        assert_eq!(patience.silence(seconds(1)), seconds(20));
        assert_eq!(patience.of_test(seconds(1), seconds(2)), seconds(20));
        assert_eq!(patience.of_test(seconds(1), seconds(30)), seconds(90));
        assert_eq!(patience.of_set_up(seconds(1)), seconds(30));
        assert_eq!(patience.of_set_up(seconds(20)), seconds(60));
        let said = Patience::checking(Some(seconds(5)));
        for limit in [
            said.silence(seconds(7)),
            said.of_test(seconds(7), seconds(70)),
            said.of_set_up(seconds(7)),
        ] {
            assert_eq!(limit, seconds(5));
        }
        let repeating = Patience::repeating(None);
        assert!(repeating.silence(Duration::ZERO) < patience.silence(Duration::ZERO));
        assert_eq!(
            [0, 1].map(|took| repeating.again(seconds(took))),
            [seconds(3), seconds(5)]
        );
        assert_eq!(said.again(seconds(7)), seconds(5));
        assert!(Patience::stored().silence(Duration::ZERO) < Patience::replaying().silence(Duration::ZERO));
        assert_eq!(Patience::debugging().silence(Duration::ZERO), seconds(86_400));
    }

    #[test]
    fn a_build_is_given_much_time_unless_the_user_says_otherwise() {
        let after = |timeout, slowest| Patience::learning(timeout).after(slowest);
        assert_eq!(after(None, seconds(1)), seconds(600));
        assert_eq!(after(None, seconds(60)), seconds(1200));
        assert_eq!(after(Some(seconds(5)), seconds(60)), seconds(5));
    }

    #[test]
    fn what_the_user_says_counts_more_than_the_seed_and_that_more_than_the_clock() {
        let share = Allowance {
            learning_runs: 2.0,
            at_least: seconds(20),
        };
        let budget = |asked, must_repeat, learned| Budget {
            asked,
            must_repeat,
            learned,
        };
        assert_eq!(
            budget(Some(seconds(3)), true, seconds(50)).of(share),
            Some(seconds(3))
        );
        assert_eq!(budget(None, true, seconds(50)).of(share), None);
        assert_eq!(budget(None, false, seconds(50)).of(share), Some(seconds(100)));
        assert_eq!(budget(None, false, seconds(1)).of(share), Some(seconds(20)));
        let now = Instant::now();
        assert_eq!(
            budget(None, false, seconds(1)).deadline(share, now),
            Some(now + seconds(20))
        );
        assert_eq!(
            budget(Some(Duration::MAX), false, seconds(1)).deadline(share, now),
            None
        );
    }
}
