//! How long things may take: a silent test JVM, and a phase of a check. All limits by the clock are here.

use std::time::{Duration, Instant};
use unflake_explore::order::limits::Allowance;

/// How long a test JVM may be silent before it counts as hung.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// What the user said a test may take.
    timeout: Option<Duration>,
    least: Duration,
}

impl Patience {
    /// For tests that a check runs, with what the user says about one test.
    pub fn checking(timeout: Option<Duration>) -> Patience {
        Patience {
            timeout,
            least: Duration::from_secs(60),
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

    /// For tests the slowest of which took so long unvaried: a test may take its time varied, but not for ever.
    pub fn silence(self, slowest: Duration) -> Duration {
        const TIMES: u32 = 10;
        self.timeout.unwrap_or_else(|| self.least.max(slowest * TIMES))
    }
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
    /// What a phase may take that has this allowance where nobody says otherwise. `None`: as long as it takes.
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
    fn a_slow_test_gets_ten_times_its_time_and_never_less_than_a_minute() {
        let patience = Patience::checking(None);
        assert_eq!(patience.silence(Duration::ZERO), seconds(60));
        assert_eq!(patience.silence(seconds(5)), seconds(60));
        assert_eq!(patience.silence(seconds(7)), seconds(70));
        assert_eq!(
            Patience::checking(Some(seconds(5))).silence(seconds(7)),
            seconds(5)
        );
        assert!(Patience::stored().silence(Duration::ZERO) < Patience::replaying().silence(Duration::ZERO));
        assert_eq!(Patience::debugging().silence(Duration::ZERO), seconds(86_400));
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
