//! Which test of a suite is meant.

use serde::{Deserialize, Serialize};

/// The place of a test in its suite, in the order in which the build ran the tests.
///
/// An index into nothing else: launches, rounds and findings are counted in types of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TestIx(pub usize);

impl TestIx {
    /// The tests of a suite that has `count` of them.
    pub fn all(count: usize) -> impl DoubleEndedIterator<Item = TestIx> + ExactSizeIterator {
        (0..count).map(TestIx)
    }
}
