//! One run of tests in JVMs that watch, until as many as possible have come to their end.

use super::changes::{Changes, Jobs, capture};
use crate::check::Check;
use crate::ledger::NotWatched;
use crate::options::Eager;
use std::collections::BTreeSet;
use unflake_explore::TestIx;
use unflake_protocol::Watch;

/// How tests are run and what is watched.
pub(super) struct WatchRun<'a> {
    pub(super) check: &'a Check<'a>,
    pub(super) jobs: Jobs,
    /// Whether classes and tests have JVMs of their own.
    pub(super) eager: Eager,
    /// What JVMs watch that run these tests.
    pub(super) watch: &'a (dyn Fn(&[TestIx]) -> Watch + Sync),
}

impl WatchRun<'_> {
    /// Runs tests. Those that do not come to their end run once more, each class in a JVM of its own: another class may
    /// have been in the way, or the JVM may have ended by chance. A test that hangs does so again.
    pub(super) fn run(&self, tests: &[TestIx]) -> Changes {
        let mut all = self.in_groups(tests);
        self.without_blocking(tests, &mut all);
        let is_left = |test: &TestIx| {
            !all.ran.contains(test) && !matches!(all.why_unfinished(*test), NotWatched::Hung(_))
        };
        let left: Vec<TestIx> = tests.iter().copied().filter(is_left).collect();
        if !left.is_empty() && !self.check.is_cancelled() {
            let phase = "watching tests that did not finish";
            self.check.progress.phase(phase, left.len() as u64);
            let classes = self.by_class(&left);
            self.in_own_jvms(&classes, &mut all);
        }
        all
    }

    /// A class whose initialiser does not come to its end while it is loaded before the first test holds up the tests
    /// that need it. Those run once more in JVMs that do not load it beforehand.
    fn without_blocking(&self, tests: &[TestIx], all: &mut Changes) {
        let is_held_up = |test: &TestIx| !all.ran.contains(test) || all.failed.contains(test);
        let root = |test: &TestIx| self.check.session.suite[*test].handle.root.as_str();
        // What they do after the tests before them counts, so whole classes run.
        let held_up = tests.iter().filter(|test| is_held_up(test));
        let roots: BTreeSet<&str> = held_up.map(root).collect();
        if all.blocking.is_empty() || roots.is_empty() {
            return;
        }
        let again: Vec<TestIx> = tests
            .iter()
            .copied()
            .filter(|test| roots.contains(root(test)))
            .collect();
        let mut watch = (self.watch)(&again);
        watch.eager.retain(|class| !all.blocking.contains(class));
        all.forget(&again, &roots);
        all.join(capture(self.check, &again, watch, self.jobs));
    }

    fn in_groups(&self, tests: &[TestIx]) -> Changes {
        let groups: Vec<&[TestIx]> = match self.eager {
            Eager::Off | Eager::Suite => return capture(self.check, tests, (self.watch)(tests), self.jobs),
            Eager::Class => self.by_class(tests),
            Eager::Test => tests.chunks(1).collect(),
        };
        let mut all = Changes::default();
        self.in_own_jvms(&groups, &mut all);
        all
    }

    fn by_class<'t>(&self, tests: &'t [TestIx]) -> Vec<&'t [TestIx]> {
        let suite = &self.check.session.suite;
        let is_same = |a: &TestIx, b: &TestIx| suite[*a].handle.root == suite[*b].handle.root;
        tests.chunk_by(is_same).collect()
    }

    fn in_own_jvms(&self, groups: &[&[TestIx]], all: &mut Changes) {
        let one = |group: &&[TestIx]| capture(self.check, group, (self.watch)(group), Jobs::One);
        let parts = match self.jobs {
            Jobs::All => self.check.in_parallel(groups, one),
            Jobs::One => groups.iter().map(one).collect(),
        };
        parts.into_iter().for_each(|part| all.join(part));
    }
}
