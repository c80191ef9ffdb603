//! One run of tests in JVMs that watch, until as many as possible have come to their end.

use super::changes::{Changes, Jobs, capture};
use crate::check::Check;
use crate::ledger::NotWatched;
use crate::options::Eager;
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
