//! Every number of the search for victims, in one place, each with its reason.
//!
//! No measurement of any of these numbers is on record. The reasons say what each is for, not why it is not another
//! one.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Time in learning runs (the time the build's tests took), and a least for small projects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    pub learning_runs: f64,
    pub at_least: Duration,
}

impl Allowance {
    pub fn of(self, learning_run: Duration) -> Duration {
        learning_run.mul_f64(self.learning_runs).max(self.at_least)
    }
}

// How long a search may take when neither `--budget` nor `--seed` is given.

/// The search for victims of polluters.
pub const POLLUTION_TIME: Allowance = Allowance {
    learning_runs: 5.5,
    at_least: Duration::from_secs(20),
};
/// `--only order`, with the orders of the whole suite.
pub const ORDER_TIME: Allowance = Allowance {
    learning_runs: 8.0,
    at_least: Duration::from_secs(60),
};
/// Further random orders of the whole suite: as much as random rounds get.
pub const MORE_ORDERS_TIME: Allowance = Allowance {
    learning_runs: 0.4,
    at_least: Duration::ZERO,
};
/// The part of the remaining time in which new victims are searched for; the rest is for their proof.
pub const SEARCH_SHARE: f64 = 0.7;
/// The part of an explicit `--budget` that orders of the whole suite may use; the rest is for proof.
pub const WHOLE_ORDERS_PART: u32 = 2;

// Orders of the whole suite.

/// Reversed; and everything twice, for tests that are their own victims.
pub const GUIDED_ORDERS: u32 = 2;
/// One shuffled order at least: a test that is polluted by one neighbour and cleaned by another needs both elsewhere.
pub const LEAST_ORDERS: u32 = GUIDED_ORDERS + 1;
/// Orders without `--rounds` and `--budget`.
pub const DEFAULT_ORDERS: u32 = 5;
/// The orders that show likely victims before polluters are tried: reversed and the first shuffled one. "Twice" would
/// show only tests that are their own victims, which the stages find anyway.
pub const LIKELY_ORDERS: [u32; 2] = [1, 3];
/// JVMs for one order of the whole suite: a test that ends its JVM must not hide those behind it, for ever neither.
pub const JVMS_PER_WHOLE_ORDER: usize = 5;

// Trials.

/// Polluters that are tried before what was found is proved: few, so that something is proved when the time is up.
pub const POLLUTERS_AT_ONCE: usize = 4;
/// Polluters with the most victims that are tried on all who see the state, before all others are.
pub const MOST_HARMFUL: usize = 4;
/// Tests in one JVM of a batch: enough to save starts, few enough that all cores have work and that a test that ends
/// its JVM costs little.
pub const TESTS_PER_BATCH: RangeInclusive<usize> = 16..=200;
/// Tests in one JVM when many polluters share it.
pub const TESTS_PER_PACKED_JVM: usize = 200;
/// Candidates of one polluter that are paired with it one by one in a shared JVM; more run behind it.
pub const PACKED_PAIRS: usize = 20;
/// With at least this many candidates, they also run backwards behind the polluter; with fewer, a second JVM does not
/// pay.
pub const BACKWARDS_FROM: usize = 16;
/// Polluters with which the proof of one victim is tried, so that wrong guesses come to an end.
pub const GUESSES_PER_VICTIM: usize = 3;
/// Pairs that are tried, each in a JVM of its own, before what fails is proved: enough for all cores, few enough that
/// something is proved when the time is up.
pub const PAIRS_AT_ONCE: usize = 64;
/// A class with more tests than this does not have all of them tried because one of them pollutes.
pub const SIBLINGS: usize = 20;
/// Among this many polluters of one state, each that changes it in its own way is tried; later ones are not.
pub const TYPICAL_PER_STATE: usize = 25;

// Proof.

/// How often a claim must be seen, each way, so that it cannot be chance.
pub const REPETITIONS: u32 = crate::PAIRS;
/// Pairs that are proved at the same time. Part after part: when the time is up, some are proved instead of all by
/// half.
pub const PROVED_AT_ONCE: usize = 32;

// What a report names.

/// Cleaners that a finding names.
pub const CLEANERS_OF_FINDING: usize = 3;
/// Cleaners that `unflake victims` names: somebody asked.
pub const CLEANERS_OF_ANSWER: usize = 5;
/// Tests among which cleaners are looked for, all in one JVM.
pub const CLEANER_CANDIDATES: usize = 300;
/// Polluters or setters that `unflake victims` names: more say nothing new.
pub const POLLUTERS_OF_ANSWER: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_grows_with_the_learning_run() {
        let seconds = |allowance: Allowance, learning_run: u64| {
            allowance.of(Duration::from_secs(learning_run)).as_secs()
        };
        assert_eq!([1, 10].map(|run| seconds(POLLUTION_TIME, run)), [20, 55]);
        assert_eq!([1, 10].map(|run| seconds(ORDER_TIME, run)), [60, 80]);
        assert_eq!([1, 10].map(|run| seconds(MORE_ORDERS_TIME, run)), [0, 4]);
    }

    #[test]
    fn orders_that_show_likely_victims_are_among_the_first() {
        assert!(LIKELY_ORDERS.iter().all(|number| *number <= LEAST_ORDERS));
        assert!(LEAST_ORDERS <= DEFAULT_ORDERS && *TESTS_PER_BATCH.start() <= *TESTS_PER_BATCH.end());
    }
}
