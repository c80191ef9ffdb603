//! The tests of one launch, what runs them, and what is known of them: common ground of the searches for victims (P11).

use crate::check::Check;
use crate::drive::orders::LaunchOrders;
use crate::outcome::Outcomes;
use crate::progress::Progress;
use crate::suite::{Baseline, Suite};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use unflake_explore::ProvedVictim;
use unflake_protocol::Outcome;

/// The part of the time that is left in which new victims are searched for; the rest is for the proof of what was found.
const SEARCH: f64 = 0.7;

/// Tests of this launch that ran in the build; those that failed there may still pollute.
pub(super) fn tests_of(check: &Check<'_>, launch: usize) -> Vec<usize> {
    let suite = &check.learned.suite;
    let runs = |test: &usize| {
        let known = &suite.tests[*test];
        known.launch == Some(launch)
            && matches!(
                known.baseline,
                Baseline::Finished(Outcome::Passed | Outcome::Failed(_))
            )
    };
    check.learned.selected.iter().copied().filter(runs).collect()
}

pub(super) fn silence(check: &Check<'_>, tests: &[usize]) -> Duration {
    const LEAST: Duration = Duration::from_secs(60);
    let times = tests.iter().map(|test| check.learned.suite.tests[*test].time);
    check
        .settings
        .timeout
        .unwrap_or_else(|| LEAST.max(times.max().unwrap_or_default() * 10))
}

/// The tests of one launch, and what runs them.
pub(super) struct Place<'a> {
    pub(super) suite: &'a Suite,
    pub(super) orders: &'a LaunchOrders<'a>,
    /// Those that ran in the build.
    pub(super) tests: &'a [usize],
    pub(super) progress: &'a dyn Progress,
}

/// A victim with all of its polluters.
#[derive(Clone, Debug)]
pub(super) struct Polluted {
    pub(super) main: ProvedVictim,
    /// All that were proved, each enough alone; not those of a longer order.
    pub(super) polluters: BTreeSet<usize>,
}

impl Polluted {
    pub(super) fn new(main: ProvedVictim) -> Polluted {
        Polluted {
            main,
            polluters: BTreeSet::new(),
        }
    }
}

impl<'a> Place<'a> {
    /// What runs tests as long as some time is left to prove what is found.
    pub(super) fn search(&self) -> LaunchOrders<'a> {
        let now = Instant::now();
        let deadline = self.orders.deadline;
        LaunchOrders {
            deadline: deadline.map(|end| now + end.saturating_duration_since(now).mul_f64(SEARCH)),
            ..*self.orders
        }
    }

    /// Tests that passed in the build.
    pub(super) fn passed(&self) -> Vec<usize> {
        let passed = |test: &usize| self.suite.tests[*test].baseline == Baseline::Finished(Outcome::Passed);
        self.tests.iter().copied().filter(passed).collect()
    }

    pub(super) fn root(&self, test: usize) -> &str {
        &self.suite.tests[test].handle.root
    }

    pub(super) fn known_victims(&self, outcomes: &Outcomes) -> BTreeSet<usize> {
        let is_one = |test: &usize| outcomes.is_victim(&self.suite.tests[*test].id);
        self.tests.iter().copied().filter(is_one).collect()
    }
}
