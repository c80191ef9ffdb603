//! Test classes that do not run like the others: inside of isolation, beside each other.
//!
//! There is none until it turns out that a class needs what it does not find inside, or what another JVM has. It is
//! remembered for the rest of the run, and for its replays.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use unflake_protocol::Handle;

/// What is different for a class. More counts for less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exception {
    /// No JVM of ours that it could meet runs beside it.
    Alone,
    /// Neither that, nor is it isolated: it needs a network, a service of this machine, the user's own home.
    Outside,
}

/// The classes that are exceptions.
#[derive(Clone, Debug, Default)]
pub(super) struct Exceptions(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    classes: BTreeMap<String, Exception>,
    /// Tests that need no exception: they fail alone, too.
    cleared: BTreeSet<Handle>,
}

impl Exceptions {
    pub(super) fn add(&self, class: &str, exception: Exception) {
        let mut all = self.known();
        let known = all.classes.entry(class.to_owned()).or_insert(exception);
        *known = exception.max(*known);
    }

    pub(super) fn outside(&self) -> Vec<String> {
        let known = self.known();
        let outside = known
            .classes
            .iter()
            .filter(|(_, known)| **known == Exception::Outside);
        outside.map(|(class, _)| class.clone()).collect()
    }

    /// What counts for a JVM that runs all of these tests.
    pub(super) fn of<'t>(&self, tests: impl IntoIterator<Item = &'t Handle>) -> Option<Exception> {
        let known = self.known();
        tests
            .into_iter()
            .filter_map(|test| known.classes.get(&test.root).copied())
            .max()
    }

    pub(super) fn clear(&self, test: &Handle) {
        self.known().cleared.insert(test.clone());
    }

    pub(super) fn is_cleared(&self, test: &Handle) -> bool {
        self.known().cleared.contains(test)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::handle;

    #[test]
    fn what_a_jvm_may_do_is_decided_by_the_test_that_may_least() {
        let exceptions = Exceptions::default();
        exceptions.add("B", Exception::Alone);
        exceptions.add("C", Exception::Outside);
        exceptions.add("C", Exception::Alone);
        let tests = ["A#a", "B#b", "C#c"].map(handle);
        assert_eq!(exceptions.of(&tests), Some(Exception::Outside));
        assert_eq!(exceptions.of(&tests[..2]), Some(Exception::Alone));
        assert_eq!((exceptions.of(&tests[..1]), exceptions.of([])), (None, None));
        assert_eq!(exceptions.outside(), ["C"]);
        exceptions.clear(&tests[0]);
        assert_eq!(
            tests.map(|test| exceptions.is_cleared(&test)),
            [true, false, false]
        );
    }
}
