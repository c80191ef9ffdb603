//! The tests of one launch: the description from which victims are searched for, and the JVMs that run them.

use crate::check::Check;
use crate::drive::driver::Driver;
use crate::drive::orders::{LaunchOrders, exact};
use crate::outcome::Outcomes;
use crate::suite::{Baseline, KnownTest};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use unflake_explore::order::limits::Allowance;
use unflake_explore::order::{LaunchTests, classes_of};
use unflake_explore::{TestIx, reaching};
use unflake_protocol::{Handle, Outcome};

/// What the JVMs of all launches need.
pub(super) struct OrderTools {
    handles: Vec<Handle>,
    driver: Driver,
    deadline: Option<Instant>,
}

impl OrderTools {
    /// `from`: when the clock began.
    pub(super) fn new(check: &Check<'_>, from: Instant, allowance: Allowance) -> OrderTools {
        let tests = check.learned.suite.tests.iter();
        OrderTools {
            handles: tests.map(|test| test.handle.clone()).collect(),
            driver: exact(check.workers.driver),
            deadline: check.budget().deadline(allowance, from),
        }
    }

    pub(super) fn orders<'a>(
        &'a self,
        check: &'a Check<'_>,
        launch: usize,
        tests: &LaunchTests,
    ) -> LaunchOrders<'a> {
        let slowest = tests
            .tests
            .iter()
            .map(|test| check.learned.suite.tests[test.0].time)
            .max();
        LaunchOrders {
            launch: &check.learned.suite.launches[launch],
            handles: &self.handles,
            driver: &self.driver,
            jobs: check.workers.jobs,
            silence: check.workers.patience.silence(slowest.unwrap_or_default()),
            deadline: self.deadline,
        }
    }
}

/// What the search for victims must know of the tests of a launch. `holders`: classes that hold polluted state, with dots.
pub(super) fn launch_tests<'h>(
    check: &Check<'_>,
    launch: usize,
    holders: impl IntoIterator<Item = &'h str>,
    outcomes: &Outcomes,
) -> LaunchTests {
    let suite = &check.learned.suite;
    let known = |test: &TestIx| &suite.tests[test.0];
    let ran = |test: &KnownTest| {
        let Baseline::Finished(outcome) = &test.baseline else {
            return false;
        };
        matches!(outcome, Outcome::Passed | Outcome::Failed(_))
    };
    let selected = check.learned.selected.iter().map(|test| TestIx(*test));
    let is_here = |test: &TestIx| known(test).launch == Some(launch) && ran(known(test));
    let tests: Vec<TestIx> = selected.filter(is_here).collect();
    let has_passed = |test: &TestIx| known(test).baseline == Baseline::Finished(Outcome::Passed);
    let is_victim = |test: &TestIx| outcomes.is_victim(&known(test).id);
    let seeing = |holder: &'h str| {
        let distances = reaching(&suite.references, &[holder.to_owned()].into());
        let sees = |test: &TestIx| {
            distances.contains_key(known(test).id.class()) || distances.contains_key(&known(test).handle.root)
        };
        let seeing: BTreeSet<TestIx> = tests.iter().copied().filter(sees).collect();
        (holder.to_owned(), seeing)
    };
    let holders: BTreeSet<&str> = holders.into_iter().collect();
    let seeing: BTreeMap<String, BTreeSet<TestIx>> = holders.into_iter().map(seeing).collect();
    LaunchTests {
        passed: tests.iter().copied().filter(has_passed).collect(),
        classes: classes_of(suite.tests.iter().map(|test| test.handle.root.as_str())),
        build_jvms: suite
            .tests
            .iter()
            .map(|test| ran(test).then_some(test.jvm))
            .collect(),
        opposite_alone: outcomes.order_suspects().into_iter().map(TestIx).collect(),
        known_victims: tests.iter().copied().filter(is_victim).collect(),
        seeing,
        tests,
    }
}
