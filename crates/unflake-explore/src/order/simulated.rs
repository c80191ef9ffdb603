//! Suites without JVMs, for tests: whether a test fails follows from what ran before it.

use super::orders::{Orders, TestOrder};
use crate::{TestIx, Verdict};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use unflake_protocol::Failure;

/// A suite whose tests fail as a function says.
pub(super) struct Suite<F> {
    fails: F,
    ran: RefCell<Vec<Vec<usize>>>,
    /// At most this many JVMs; they are counted even after that.
    pub(super) most: usize,
    jvms: Cell<usize>,
}

/// `fails` gets what ran before in the JVM, and the test.
pub(super) fn suite<F: Fn(&[usize], usize) -> bool>(fails: F) -> Suite<F> {
    Suite {
        fails,
        ran: RefCell::default(),
        most: usize::MAX,
        jvms: Cell::new(0),
    }
}

impl<F> Suite<F> {
    pub(super) fn jvms(&self) -> usize {
        self.jvms.get()
    }

    /// All orders that were run.
    pub(super) fn ran(&self) -> Vec<Vec<usize>> {
        self.ran.borrow().clone()
    }
}

impl<F: Fn(&[usize], usize) -> bool> Suite<F> {
    fn run(&self, order: &TestOrder, most: usize) -> Option<Vec<Verdict>> {
        if self.jvms.get() >= most {
            return None;
        }
        self.jvms.set(self.jvms.get() + 1);
        let order: Vec<usize> = order.iter().map(|test| test.0).collect();
        let verdict = |place: usize| match (self.fails)(&order[..place], order[place]) {
            true => Verdict::Failed(failure()),
            false => Verdict::Passed,
        };
        let verdicts = (0..order.len()).map(verdict).collect();
        self.ran.borrow_mut().push(order);
        Some(verdicts)
    }
}

impl<F: Fn(&[usize], usize) -> bool> Orders for Suite<F> {
    fn run_all(&self, orders: &[TestOrder]) -> Vec<Option<Vec<Verdict>>> {
        orders.iter().map(|order| self.run(order, self.most)).collect()
    }

    fn searching(&self) -> Box<dyn Orders + '_> {
        let left = self.most.saturating_sub(self.jvms.get());
        Box::new(Searching {
            suite: self,
            most: self.jvms.get().saturating_add(left / 10 * 7),
        })
    }
}

/// A suite that ends earlier.
struct Searching<'a, F> {
    suite: &'a Suite<F>,
    most: usize,
}

impl<F: Fn(&[usize], usize) -> bool> Orders for Searching<'_, F> {
    fn run_all(&self, orders: &[TestOrder]) -> Vec<Option<Vec<Verdict>>> {
        let run = |order: &TestOrder| self.suite.run(order, self.most);
        orders.iter().map(run).collect()
    }

    fn searching(&self) -> Box<dyn Orders + '_> {
        Box::new(Searching { ..*self })
    }
}

pub(super) fn failure() -> Failure {
    Failure {
        kind: String::new(),
        message: String::new(),
        trace: String::new(),
        expected: None,
        actual: None,
    }
}

pub(super) fn one(test: usize) -> TestIx {
    TestIx(test)
}

/// Tests by their numbers.
pub(super) fn ix(tests: impl IntoIterator<Item = usize>) -> Vec<TestIx> {
    tests.into_iter().map(TestIx).collect()
}

pub(super) fn set(tests: impl IntoIterator<Item = usize>) -> BTreeSet<TestIx> {
    tests.into_iter().map(TestIx).collect()
}

/// The last of `of` that ran is `one`.
pub(super) fn last_is(before: &[usize], of: &[usize], one: usize) -> bool {
    before.iter().rev().find(|test| of.contains(test)) == Some(&one)
}
