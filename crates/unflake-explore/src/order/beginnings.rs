//! What the beginnings of orders show: the first test of a JVM ran alone, the second right behind the first with
//! nothing before it.
//!
//! These are the only places of an order that say something certain of one test, or of one pair: whatever comes later
//! may be the doing of any test before it. All orders of a search are looked at, whatever they were run for, so that
//! nothing is run for a pair that some order began with.

use super::orders::{Orders, TestOrder};
use crate::{TestIx, Verdict};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was seen of a test that ran alone, or right behind one other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    Failed,
    /// Once this, once that, or the framework did not run it there: nothing follows from it.
    Unclear,
}

impl Outcome {
    fn of(verdict: &Verdict) -> Option<Outcome> {
        match verdict {
            Verdict::Passed => Some(Outcome::Passed),
            Verdict::Failed(_) => Some(Outcome::Failed),
            Verdict::NotRun => Some(Outcome::Unclear),
            Verdict::Cancelled => None,
        }
    }

    fn and(self, other: Outcome) -> Outcome {
        if self == other { self } else { Outcome::Unclear }
    }
}

/// Everything that beginnings of orders have shown.
#[derive(Debug, Default)]
pub(super) struct Beginnings {
    seen: Mutex<SeenBeginnings>,
}

#[derive(Debug, Default)]
struct SeenBeginnings {
    alone: BTreeMap<TestIx, Outcome>,
    /// By the test that ran first and the one behind it: what became of the second.
    pairs: BTreeMap<(TestIx, TestIx), Outcome>,
}

impl Beginnings {
    fn seen(&self) -> MutexGuard<'_, SeenBeginnings> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None`: it never ran alone.
    pub(super) fn alone(&self, test: TestIx) -> Option<Outcome> {
        self.seen().alone.get(&test).copied()
    }

    /// What became of `test` right behind `first`. `None`: that was never run.
    pub(super) fn pair(&self, first: TestIx, test: TestIx) -> Option<Outcome> {
        self.seen().pairs.get(&(first, test)).copied()
    }

    fn note(&self, order: &[TestIx], verdicts: &[Verdict]) {
        let mut seen = self.seen();
        let (Some(first), Some(outcome)) = (order.first(), verdicts.first().and_then(Outcome::of)) else {
            return;
        };
        add(&mut seen.alone, *first, outcome);
        if let (Some(second), Some(behind)) = (order.get(1), verdicts.get(1).and_then(Outcome::of)) {
            // Behind a test that did not run, it is not behind it.
            let behind = match outcome {
                Outcome::Unclear => Outcome::Unclear,
                Outcome::Passed | Outcome::Failed => behind,
            };
            add(&mut seen.pairs, (*first, *second), behind);
        }
    }
}

fn add<K: Ord>(seen: &mut BTreeMap<K, Outcome>, key: K, outcome: Outcome) {
    let known = seen.entry(key).or_insert(outcome);
    *known = known.and(outcome);
}

/// Orders that are run, with their beginnings noted.
pub(super) struct Noting<'a, O> {
    pub(super) orders: O,
    pub(super) beginnings: &'a Beginnings,
}

impl<O: AsOrders> Orders for Noting<'_, O> {
    fn run_all(&self, orders: &[TestOrder]) -> Vec<Option<Vec<Verdict>>> {
        let ran = self.orders.as_orders().run_all(orders);
        for (order, verdicts) in orders.iter().zip(&ran) {
            self.beginnings
                .note(order, verdicts.as_deref().unwrap_or_default());
        }
        ran
    }

    fn searching(&self) -> Box<dyn Orders + '_> {
        Box::new(Noting {
            orders: self.orders.as_orders().searching(),
            beginnings: self.beginnings,
        })
    }
}

/// Borrowed or owned.
pub(super) trait AsOrders {
    fn as_orders(&self) -> &dyn Orders;
}

impl AsOrders for &dyn Orders {
    fn as_orders(&self) -> &dyn Orders {
        *self
    }
}

impl AsOrders for Box<dyn Orders + '_> {
    fn as_orders(&self) -> &dyn Orders {
        self.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{failure, ix, one, suite};
    use super::*;

    #[test]
    fn the_first_two_places_of_an_order_count_and_no_others() {
        let suite = suite(|before, test| test == 2 && before.contains(&1));
        let beginnings = Beginnings::default();
        let noting = Noting {
            orders: &suite as &dyn Orders,
            beginnings: &beginnings,
        };
        noting.run_all(&[ix([0, 1, 2])]);
        noting.searching().run_all(&[ix([1, 2, 0])]);
        let alone = [0, 1, 2].map(|test| beginnings.alone(one(test)));
        assert_eq!(alone, [Some(Outcome::Passed), Some(Outcome::Passed), None]);
        let pairs = [(0, 1), (1, 2), (0, 2), (2, 0)];
        let pairs = pairs.map(|(first, test)| beginnings.pair(one(first), one(test)));
        assert_eq!(pairs, [Some(Outcome::Passed), Some(Outcome::Failed), None, None]);
    }

    #[test]
    fn nothing_follows_from_what_differs_or_did_not_run() {
        let beginnings = Beginnings::default();
        let failed = || Verdict::Failed(failure());
        beginnings.note(&ix([0, 1]), &[Verdict::Passed, failed()]);
        assert_eq!(beginnings.pair(one(0), one(1)), Some(Outcome::Failed));
        beginnings.note(&ix([0, 1]), &[Verdict::Passed, Verdict::Passed]);
        assert_eq!(beginnings.pair(one(0), one(1)), Some(Outcome::Unclear));
        beginnings.note(&ix([2, 3]), &[Verdict::NotRun, failed()]);
        assert_eq!(beginnings.pair(one(2), one(3)), Some(Outcome::Unclear));
        beginnings.note(&ix([4, 5]), &[Verdict::Passed, Verdict::Cancelled]);
        assert_eq!(beginnings.pair(one(4), one(5)), None);
        beginnings.note(&ix([6]), &[]);
        assert_eq!(beginnings.alone(one(6)), None);
    }
}
