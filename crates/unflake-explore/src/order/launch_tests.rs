//! The tests of one launch, as far as orders are concerned: the description that the search works from.

use super::orders::TestOrder;
use super::sort_out::OrderSuspect;
use crate::TestIx;
use std::collections::{BTreeMap, BTreeSet};

/// A test class: what a framework sets up once before its tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassIx(pub usize);

/// Numbers classes by their names: one entry for each test.
pub fn classes_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<ClassIx> {
    let mut numbers: BTreeMap<&str, ClassIx> = BTreeMap::new();
    let number = |name: &'a str| {
        let next = ClassIx(numbers.len());
        *numbers.entry(name).or_insert(next)
    };
    names.into_iter().map(number).collect()
}

/// What is known of the tests that one launch can run.
#[derive(Clone, Debug, Default)]
pub struct LaunchTests {
    /// Those that ran in the build and are to be checked, in the build's order. Those that failed there may still
    /// pollute.
    pub tests: Vec<TestIx>,
    /// Those of them that passed in the build.
    pub passed: BTreeSet<TestIx>,
    /// By test of the whole suite, also of other launches.
    pub classes: Vec<ClassIx>,
    /// By test of the whole suite: the number of the build's JVM in which it passed or failed.
    pub build_jvms: Vec<Option<usize>>,
    /// Tests that failed in the build and passed alone, or the other way round.
    pub opposite_alone: BTreeSet<TestIx>,
    /// Tests that are already known to be victims.
    pub known_victims: BTreeSet<TestIx>,
    /// By class that holds state: the tests whose classes can reach it.
    pub seeing: BTreeMap<String, BTreeSet<TestIx>>,
}

impl LaunchTests {
    pub(super) fn class(&self, test: TestIx) -> ClassIx {
        self.classes[test.0]
    }

    /// What ran before a test in its JVM of the build.
    pub(super) fn before(&self, test: TestIx) -> TestOrder {
        let jvm = self.build_jvms[test.0];
        let ran_there = |other: &TestIx| jvm.is_some() && self.build_jvms[other.0] == jvm;
        TestIx::all(test.0).filter(ran_there).collect()
    }

    /// Tests of which the build already shows that they depend on the tests before them.
    pub fn suspects_of_build(&self) -> Vec<OrderSuspect> {
        let is_open = |test: &&TestIx| self.tests.contains(test) && !self.known_victims.contains(test);
        let open = self.opposite_alone.iter().filter(is_open);
        open.map(|&test| OrderSuspect {
            test,
            before: self.before(test),
            passes_alone: !self.passed.contains(&test),
        })
        .collect()
    }

    /// Those of some tests that passed in the build, in the build's order.
    pub(super) fn all_passed(&self) -> impl Iterator<Item = TestIx> {
        self.tests
            .iter()
            .copied()
            .filter(|test| self.passed.contains(test))
    }

    /// The tests of one class, in the build's order.
    pub(super) fn of_class(&self, class: ClassIx) -> impl Iterator<Item = TestIx> {
        let is_of_class = move |test: &TestIx| self.class(*test) == class;
        self.tests.iter().copied().filter(is_of_class)
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{ix, one, set};
    use super::*;

    #[test]
    fn classes_are_numbered_as_they_come() {
        assert_eq!(classes_of(["b", "a", "b"]), [ClassIx(0), ClassIx(1), ClassIx(0)]);
    }

    #[test]
    fn suspects_of_the_build_come_with_what_ran_before_them_there() {
        // 1 was skipped; 3 and 5 ran in another JVM; 4 failed in the build, 2 and 5 passed; 6 is not to be checked.
        let tests = LaunchTests {
            tests: ix([0, 2, 3, 4, 5]),
            passed: set([0, 2, 3, 5]),
            classes: vec![ClassIx(0); 7],
            build_jvms: vec![Some(0), None, Some(0), Some(1), Some(0), Some(1), Some(1)],
            opposite_alone: set([2, 4, 5, 6]),
            known_victims: set([2]),
            ..LaunchTests::default()
        };
        let suspect = |test: usize, before: TestOrder, passes_alone: bool| OrderSuspect {
            test: one(test),
            before,
            passes_alone,
        };
        let expected = [suspect(4, ix([0, 2]), true), suspect(5, ix([3]), false)];
        assert_eq!(tests.suspects_of_build(), expected);
    }
}
