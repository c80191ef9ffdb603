//! The tests of one launch: the description from which victims are searched for, and the JVMs that run them.

use crate::check::Check;
use crate::drive::driver::Driver;
use crate::drive::orders::{LaunchOrders, exact};
use crate::ledger::Ledger;
use crate::suite::LaunchIx;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use unflake_explore::order::limits::Allowance;
use unflake_explore::order::{LaunchTests, classes_of};
use unflake_explore::{TestIx, reaching};
use unflake_protocol::Handle;

/// What the JVMs of all launches need.
pub(super) struct OrderTools {
    handles: Vec<Handle>,
    driver: Driver,
    deadline: Option<Instant>,
}

impl OrderTools {
    /// `from`: when the clock began.
    pub(super) fn new(check: &Check<'_>, from: Instant, allowance: Allowance) -> OrderTools {
        let tests = check.session.suite.tests.iter();
        OrderTools {
            handles: tests.map(|test| test.handle.clone()).collect(),
            driver: exact(check.workers.driver),
            deadline: check.budget().deadline(allowance, from),
        }
    }

    pub(super) fn orders<'a>(
        &'a self,
        check: &'a Check<'_>,
        launch: LaunchIx,
        tests: &LaunchTests,
    ) -> LaunchOrders<'a> {
        let slowest = tests
            .tests
            .iter()
            .map(|test| check.session.suite[*test].time)
            .max();
        LaunchOrders {
            launch: check.session.suite.launch(launch),
            handles: &self.handles,
            driver: &self.driver,
            jobs: check.workers.spread.jobs,
            silence: check.workers.patience.silence(slowest.unwrap_or_default()),
            deadline: self.deadline,
        }
    }
}

/// What the search for victims must know of the tests of a launch. `holders`: classes that hold polluted state, with
/// dots.
pub(super) fn launch_tests<'h>(
    check: &Check<'_>,
    launch: LaunchIx,
    holders: impl IntoIterator<Item = &'h str>,
    ledger: &Ledger,
) -> LaunchTests {
    let suite = &check.session.suite;
    let known = |test: &TestIx| &suite[*test];
    let is_here = |test: &TestIx| known(test).launch == Some(launch) && known(test).has_run();
    let tests: Vec<TestIx> = check.selected.iter().copied().filter(is_here).collect();
    let victims = ledger.victims();
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
        passed: tests
            .iter()
            .copied()
            .filter(|test| known(test).has_passed())
            .collect(),
        classes: classes_of(suite.tests.iter().map(|test| test.handle.root.as_str())),
        build_jvms: suite
            .tests
            .iter()
            .map(|test| test.has_run().then_some(test.jvm))
            .collect(),
        opposite_alone: ledger.opposite_alone(),
        known_victims: tests
            .iter()
            .copied()
            .filter(|test| victims.contains(test))
            .collect(),
        seeing,
        tests,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::simulated;

    #[test]
    fn a_test_sees_what_its_own_class_or_the_one_that_was_started_names() {
        let mut simulated = simulated("A#a [sees S]\nB#b [sees S]\nC#c");
        let tests = &mut simulated.session.suite.tests;
        tests[0].id.test = "A$Nested#a".to_owned();
        tests[1].handle.root = "AllTests".to_owned();
        let here = simulated.check(|check| launch_tests(check, LaunchIx(0), ["S"], &Ledger::default()));
        let seeing = BTreeSet::from([TestIx(0), TestIx(1)]);
        assert_eq!(here.seeing, BTreeMap::from([("S".to_owned(), seeing)]));
    }
}
