//! Edited sources in JVMs that keep to an order: what failed after a polluter must pass, and nothing else may fail (R9).

use super::Texts;
use super::trials::Trials;
use crate::drive::orders::{LaunchOrders, exact};
use crate::drive::patience::Patience;
use crate::suite::LaunchIx;
use std::collections::{BTreeMap, BTreeSet};
use unflake_explore::order::limits::REPETITIONS;
use unflake_explore::order::{Orders as _, TestOrder};
use unflake_explore::{TestIx, Verdict};
use unflake_runner::Launch;

/// What running showed of the orders of one polluter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// All passed, in so many runs.
    Passed(u32),
    /// This test still fails.
    Fails(TestIx),
    /// The user has had enough, or no JVM could be started.
    NotRun,
}

/// A test that fails with patches in an order of the whole module, and not without them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) test: TestIx,
    pub(crate) order: TestOrder,
    pub(crate) is_reversed: bool,
}

impl Trials<'_> {
    /// Runs orders in JVMs of these launches, one each.
    fn run_orders(&self, launches: &[Launch], orders: &[TestOrder]) -> Vec<Option<Vec<Verdict>>> {
        let suite = &self.session.suite;
        let handles = suite.handles(&suite.all().collect::<Vec<_>>());
        let driver = exact(self.session.driver());
        let mut results = vec![None; orders.len()];
        let mut by_launch: BTreeMap<LaunchIx, Vec<usize>> = BTreeMap::new();
        for (index, order) in orders.iter().enumerate() {
            if let Some(launch) = order.last().and_then(|test| suite[*test].launch) {
                by_launch.entry(launch).or_default().push(index);
            }
        }
        for (launch, members) in by_launch {
            let here = LaunchOrders {
                launch: &launches[launch.0],
                handles: &handles,
                driver: &driver,
                jobs: self.jobs,
                silence: Patience::checking(None).silence(suite.slowest(Some(launch))),
                deadline: None,
            };
            let todo: Vec<TestOrder> = members.iter().map(|index| orders[*index].clone()).collect();
            for (index, verdicts) in members.into_iter().zip(here.run_all(&todo)) {
                results[index] = verdicts;
            }
        }
        results
    }

    /// Whether orders that failed pass now, the polluters in them as well.
    pub(crate) fn hold_once(&self, launches: &[Launch], orders: &[TestOrder]) -> Held {
        let once = self.run_orders(launches, orders);
        first_wrong(orders, &once).unwrap_or(Held::Passed(runs(orders)))
    }

    /// Whether orders that failed pass now, each as often as it takes to call a test a victim.
    pub(crate) fn hold(&self, launches: &[Launch], orders: &[TestOrder]) -> Held {
        let once = self.hold_once(launches, orders);
        if !matches!(once, Held::Passed(_)) {
            return once;
        }
        let repeated = repeated(orders);
        let verdicts = self.run_orders(launches, &repeated);
        if first_wrong(&repeated, &verdicts).is_none() {
            return Held::Passed(runs(orders) + runs(&repeated));
        }
        // Victims of one polluter may disturb each other; alone behind it, each has its own say.
        let alone: Vec<TestOrder> = (1..REPETITIONS).flat_map(|_| orders.to_vec()).collect();
        let verdicts = self.run_orders(launches, &alone);
        match first_wrong(&alone, &verdicts) {
            Some(found) => found,
            None => Held::Passed(runs(orders) + runs(&alone)),
        }
    }

    /// Tests of an order that fail with these launches each time, and not with those of the build.
    pub(crate) fn newly_failing(&self, launches: &[Launch], order: &TestOrder) -> Vec<TestIx> {
        let failing = |launches: &[Launch]| -> BTreeSet<TestIx> {
            let verdicts = self
                .run_orders(launches, std::slice::from_ref(order))
                .pop()
                .flatten();
            let pairs = order.iter().zip(verdicts.unwrap_or_default());
            let failed = pairs.filter(|(_, verdict)| verdict.failure().is_some());
            failed.map(|(test, _)| *test).collect()
        };
        let mut found = failing(launches);
        if !found.is_empty() {
            let again = failing(launches);
            let before = failing(&self.session.suite.launches);
            found.retain(|test| again.contains(test) && !before.contains(test));
        }
        found.into_iter().collect()
    }

    /// The tests of edited classes, in the order of the build, one order for each launch.
    pub(crate) fn orders_of_edited(&self, texts: &Texts) -> Vec<TestOrder> {
        self.by_launch(self.neighbours(texts))
    }

    fn by_launch(&self, tests: Vec<TestIx>) -> Vec<TestOrder> {
        let mut orders: BTreeMap<Option<LaunchIx>, TestOrder> = BTreeMap::new();
        for test in tests {
            let launch = self.session.suite[test].launch;
            orders.entry(launch).or_default().push(test);
        }
        orders.into_values().collect()
    }

    /// The whole module in its own order and in reversed order, with these texts: what fails that does not fail without
    /// them.
    pub(crate) fn broken_in_orders(&mut self, texts: &Texts) -> Result<Vec<Broken>, String> {
        let launches = self.launches(texts)?;
        let suite = &self.session.suite;
        let can_run = |test: &TestIx| suite[*test].has_passed() && suite[*test].launch.is_some();
        let mut broken = Vec::new();
        for own in self.by_launch(suite.all().filter(can_run).collect()) {
            let reversed: TestOrder = own.iter().rev().copied().collect();
            for (order, is_reversed) in [(own, false), (reversed, true)] {
                let failing = self.newly_failing(&launches, &order);
                broken.extend(failing.into_iter().map(|test| Broken {
                    test,
                    order: order.clone(),
                    is_reversed,
                }));
            }
        }
        Ok(broken)
    }
}

fn runs(orders: &[TestOrder]) -> u32 {
    u32::try_from(orders.len()).unwrap_or(u32::MAX)
}

/// The repetitions of a proof: victims of the same polluters share JVMs, forwards and backwards in turn.
fn repeated(orders: &[TestOrder]) -> Vec<TestOrder> {
    let mut groups: BTreeMap<&[TestIx], Vec<TestIx>> = BTreeMap::new();
    for order in orders {
        if let Some((victim, before)) = order.split_last() {
            groups.entry(before).or_default().push(*victim);
        }
    }
    let shared = groups.into_iter().flat_map(|(before, victims)| {
        (1..REPETITIONS).map(move |time| {
            let mut order = before.to_vec();
            if time % 2 == 0 {
                order.extend(victims.iter().rev());
            } else {
                order.extend(&victims);
            }
            order
        })
    });
    shared.collect()
}

/// The first order of which not every test passed.
fn first_wrong(orders: &[TestOrder], ran: &[Option<Vec<Verdict>>]) -> Option<Held> {
    orders.iter().zip(ran).find_map(|(order, verdicts)| {
        let Some(verdicts) = verdicts else {
            return Some(Held::NotRun);
        };
        order
            .iter()
            .zip(verdicts)
            .find_map(|(test, verdict)| match verdict {
                Verdict::Passed => None,
                Verdict::Failed(_) | Verdict::NotRun => Some(Held::Fails(*test)),
                Verdict::Cancelled => Some(Held::NotRun),
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(tests: &[usize]) -> TestOrder {
        tests.iter().map(|test| TestIx(*test)).collect()
    }

    #[test]
    fn victims_of_one_polluter_share_the_repetitions() {
        let all = repeated(&[order(&[1, 2]), order(&[1, 3]), order(&[4, 2])]);
        assert_eq!(all.len(), 14);
        assert_eq!(all[0], order(&[1, 2, 3]));
        assert_eq!(all[1], order(&[1, 3, 2]));
        assert!(all[7..].iter().all(|one| *one == order(&[4, 2])));
    }

    #[test]
    fn every_test_of_an_order_must_pass() {
        let orders = [order(&[1, 2])];
        let ran = |verdicts: [Verdict; 2]| first_wrong(&orders, &[Some(verdicts.into())]);
        assert_eq!(ran([Verdict::Passed, Verdict::Passed]), None);
        assert_eq!(
            ran([Verdict::Passed, Verdict::NotRun]),
            Some(Held::Fails(TestIx(2)))
        );
        let failed = Verdict::Failed(crate::simulated::failure("no"));
        assert_eq!(ran([failed, Verdict::Passed]), Some(Held::Fails(TestIx(1))));
        assert_eq!(ran([Verdict::Passed, Verdict::Cancelled]), Some(Held::NotRun));
        assert_eq!(first_wrong(&orders, &[None]), Some(Held::NotRun));
    }
}
