//! What runs tests in exactly given orders, and the words for what comes of it.

use crate::{TestIx, Verdict};

/// Tests in the order in which one fresh JVM runs them.
pub type TestOrder = Vec<TestIx>;

/// What runs tests in fresh JVMs, and knows how much time is left.
pub trait Orders {
    /// Runs each order in a JVM of its own, several at a time. Per order one verdict for each place: a test that the
    /// framework ran elsewhere is [`Verdict::NotRun`]. `None`: the time is up, no more can be run.
    fn run_all(&self, orders: &[TestOrder]) -> Vec<Option<Vec<Verdict>>>;

    /// The same for looking for new victims: its time is up earlier, so that some is left to prove what was found.
    fn searching(&self) -> Box<dyn Orders + '_>;
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproved {
    /// It did not repeat.
    NotRepeated,
    /// The framework did not run the order that was asked for.
    NotRun,
    /// The time is up, or the user has cancelled.
    Ended,
}

/// What an order is to do to its last test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Fails,
    Passes,
}

impl Wanted {
    pub(super) fn holds(self, verdict: &Verdict) -> bool {
        match self {
            Wanted::Fails => matches!(verdict, Verdict::Failed(_)),
            Wanted::Passes => *verdict == Verdict::Passed,
        }
    }
}

/// Some tests, then one more.
pub(super) fn followed_by(before: &[TestIx], test: TestIx) -> TestOrder {
    [before, &[test]].concat()
}

/// Runs one order.
pub(super) fn run_one(orders: &dyn Orders, order: TestOrder) -> Option<Vec<Verdict>> {
    orders.run_all(&[order]).pop().flatten()
}
