//! The tests of one launch: the description from which victims are searched for, and the JVMs that run them.

use crate::check::Check;
use crate::drive::orders::{LaunchOrders, tools};
use crate::options::SeedSetting;
use crate::outcome::Outcomes;
use crate::suite::{Baseline, KnownTest};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use unflake_explore::order::limits::Allowance;
use unflake_explore::order::{LaunchTests, classes_of};
use unflake_explore::{TestIx, reaching};
use unflake_protocol::{Handle, Outcome};
use unflake_runner::WorkerTools;

/// What the JVMs of all launches need.
pub(super) struct OrderTools {
    handles: Vec<Handle>,
    tools: WorkerTools,
    deadline: Option<Instant>,
}

impl OrderTools {
    /// `from`: when the clock began. With a seed the result must not depend on it, unless the user gave a time.
    pub(super) fn new(check: &Check<'_>, from: Instant, allowance: Allowance) -> OrderTools {
        let time = match (check.settings.budget, check.settings.vary.seed) {
            (Some(budget), _) => Some(budget),
            (None, SeedSetting::Fixed(_) | SeedSetting::Last) => None,
            (None, SeedSetting::Fresh) => Some(allowance.of(check.learned.time)),
        };
        let tests = check.learned.suite.tests.iter();
        OrderTools {
            handles: tests.map(|test| test.handle.clone()).collect(),
            tools: tools(check.bench.tools),
            deadline: time.map(|time| from + time),
        }
    }

    pub(super) fn orders<'a>(
        &'a self,
        check: &'a Check<'_>,
        launch: usize,
        tests: &LaunchTests,
    ) -> LaunchOrders<'a> {
        LaunchOrders {
            launch: &check.learned.suite.launches[launch],
            handles: &self.handles,
            tools: &self.tools,
            next: check.bench.workers,
            jobs: check.bench.jobs,
            silence: silence(check, &tests.tests),
            deadline: self.deadline,
        }
    }
}

fn silence(check: &Check<'_>, tests: &[TestIx]) -> Duration {
    const LEAST: Duration = Duration::from_secs(60);
    let times = tests.iter().map(|test| check.learned.suite.tests[test.0].time);
    check
        .settings
        .timeout
        .unwrap_or_else(|| LEAST.max(times.max().unwrap_or_default() * 10))
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
