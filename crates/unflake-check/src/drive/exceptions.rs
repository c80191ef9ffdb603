//! Test classes that do not run like the others: inside of isolation, beside each other.
//!
//! There is none until it turns out that a class needs what it does not find inside, or what another JVM has. It is
//! remembered for the rest of the run, and for its replays.

use std::collections::BTreeMap;
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
pub(super) struct Exceptions(Arc<Mutex<BTreeMap<String, Exception>>>);

impl Exceptions {
    pub(super) fn add(&self, class: &str, exception: Exception) {
        let mut classes = self.classes();
        let known = classes.entry(class.to_owned()).or_insert(exception);
        *known = exception.max(*known);
    }

    pub(super) fn outside(&self) -> Vec<String> {
        let classes = self.classes();
        let outside = classes.iter().filter(|(_, known)| **known == Exception::Outside);
        outside.map(|(class, _)| class.clone()).collect()
    }

    /// What counts for a JVM that runs all of these tests.
    pub(super) fn of<'t>(&self, tests: impl IntoIterator<Item = &'t Handle>) -> Option<Exception> {
        let classes = self.classes();
        tests
            .into_iter()
            .filter_map(|test| classes.get(&test.root).copied())
            .max()
    }

    fn classes(&self) -> MutexGuard<'_, BTreeMap<String, Exception>> {
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
    }
}
