//! What was found out, as facts. Phases add facts and never change one; [`crate::document`] makes the result of them at
//! the end, so no phase has to know which one comes after it.

use crate::drive::driver::Faults;
use crate::suite::Trouble;
use std::collections::BTreeSet;
use unflake_explore::order::{FoundVictim, ProvedBrittle, Unproved};
use unflake_explore::{Confirmed, Evidence, TestIx};
use unflake_findings::{Cause, Mark, Note, NoteKind, Proof, Rate};
use unflake_protocol::StateChange;

/// One thing that was found out.
#[derive(Clone, Debug)]
pub(crate) enum Fact {
    /// What a test did without any variation, where that was not a pass.
    Unvaried(TestIx, Unvaried),
    /// There is nothing in it that could vary.
    NoChoice(TestIx),
    /// It ran varied, so often, and failed so often.
    Varied { test: TestIx, rate: Rate },
    /// What it did varied leads to no result.
    Unresolved(TestIx, Unresolved),
    /// It fails varied and passes unvaried.
    Failed(Box<Failed>),
    /// What makes it fail.
    Cause { test: TestIx, cause: Box<Cause> },
    /// Shared state was compared before and after it.
    Watched(TestIx),
    /// It leaves shared state changed.
    Changed(Box<Changed>),
    /// It ran in another order of the whole suite.
    RanInOrder(TestIx),
    /// It fails after others. `state`: what they change.
    ProvedVictim {
        found: Box<FoundVictim>,
        state: Option<String>,
    },
    /// One more polluter of a victim.
    MorePolluters { victim: TestIx, polluter: TestIx },
    /// It passes only after others.
    ProvedBrittle(Box<ProvedBrittle>),
    /// It depends on the order, as far as was seen, and that could not be proved.
    Unproved(TestIx, Unproved),
    /// Something that has to be said, of no single test.
    Said(Note),
    /// Rounds, or orders of the whole suite, that were completed.
    Rounds(u32),
    /// Something was not finished.
    Cut(CutShort),
}

/// What a test did without any variation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unvaried {
    Disabled,
    /// Its JVM ended while it ran.
    Unfinished,
    /// It fails in the build, and alone too or it cannot be run alone.
    Fails {
        message: String,
    },
    /// It fails in the build and passes alone.
    FailsInSuite {
        message: String,
    },
    /// It passed in the build and failed in another run.
    Flaky(Rate),
}

/// Why varied runs lead to no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// The user ended the run before its turn came.
    NotReached,
    /// It failed, and the user ended the run before that was confirmed.
    NotConfirmed,
    /// It failed, and the budget ended before that was confirmed.
    OutOfTime,
    /// Varied and unvaried runs do not separate: all that was seen of it alone, and what it said when it failed.
    Flaky {
        seen: Evidence,
        message: String,
    },
    /// It fails when the tests before it vary, and passes when only its own choices do.
    BrokenByOthers,
    /// It fails when it runs a second time in one JVM, and only then.
    OnlyOnce,
    /// It passes in the suite, varied or not, and fails without the tests before it.
    NeedsOthers {
        message: String,
    },
    /// It failed through the build tool without variation.
    FailsThroughBuild {
        message: String,
    },
    NotRunByBuild,
    NoJvm(String),
}

/// A test that fails varied and passes unvaried.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) test: TestIx,
    /// The round that showed it first.
    pub(crate) round: u32,
    pub(crate) confirmed: Confirmed,
    /// Only the build tool can repeat it.
    pub(crate) through_build: bool,
}

/// A change of shared state that was seen in both runs.
#[derive(Clone, Debug)]
pub(crate) struct Changed {
    /// Who did it, or the first test of the class that did.
    pub(crate) test: TestIx,
    pub(crate) by: By,
    /// Without secrets.
    pub(crate) change: StateChange,
    /// Why it looks harmless.
    pub(crate) mark: Option<Mark>,
    pub(crate) proof: Proof,
    /// Tests that were seen to fail because of it.
    pub(crate) victims: Vec<TestIx>,
}

/// Whose doing a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Test,
    /// Set-up or tear-down of the class as a whole.
    Class,
    /// The initialiser of a class that the test loads.
    Capture,
}

/// What was not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutShort {
    /// By the user.
    Interrupted,
    /// The budget ended before the rounds that were asked for were done.
    Rounds,
}

/// All facts, in the order in which they were found out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    facts: Vec<Fact>,
}

impl Ledger {
    pub(crate) fn add(&mut self, fact: Fact) {
        self.facts.push(fact);
    }

    pub(crate) fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.facts.iter()
    }

    pub(crate) fn note(&mut self, kind: NoteKind, message: impl Into<String>) {
        self.add(Fact::Said(Note {
            kind,
            message: message.into(),
        }));
    }

    /// Tests that passed in one of two unvaried runs of which only the tests before them differ.
    pub(crate) fn opposite_alone(&self) -> BTreeSet<TestIx> {
        let of = |fact: &Fact| match fact {
            Fact::Unvaried(test, Unvaried::FailsInSuite { .. })
            | Fact::Unresolved(test, Unresolved::NeedsOthers { .. }) => Some(*test),
            _ => None,
        };
        self.facts().filter_map(of).collect()
    }

    pub(crate) fn victims(&self) -> BTreeSet<TestIx> {
        let of = |fact: &Fact| match fact {
            Fact::ProvedVictim { found, .. } => Some(found.main.victim),
            _ => None,
        };
        self.facts().filter_map(of).collect()
    }

    /// Tests that fail varied and pass unvaried.
    pub(crate) fn failed(&self) -> Vec<&Failed> {
        let mut all = Vec::new();
        for fact in self.facts() {
            if let Fact::Failed(failed) = fact {
                all.push(&**failed);
            }
        }
        all
    }

    /// What did not go as it should while the suite was learned.
    pub(crate) fn add_troubles(&mut self, troubles: &[Trouble]) {
        for trouble in troubles {
            let (kind, message) = match trouble {
                Trouble::NotApplied { method, reason } => (
                    NoteKind::NotApplied,
                    format!("`{method}` could not be edited and was not varied: {reason}"),
                ),
                Trouble::AgentOff(reason) => (
                    NoteKind::AgentOff,
                    format!("the agent switched itself off in a test JVM: {reason}"),
                ),
                Trouble::NoLaunch { module, reason } => (
                    NoteKind::ThroughBuildTool,
                    format!(
                        "the test JVM of module `{module}` cannot be started without the build tool: {reason}"
                    ),
                ),
                Trouble::InParallel { module } => (
                    NoteKind::Other,
                    format!(
                        "the build runs tests of module `{module}` in parallel; unflake runs them one after the other to \
                         know which test does what"
                    ),
                ),
                Trouble::ContainerFailed { root, message } => (
                    NoteKind::Other,
                    format!("the set-up or tear-down of `{root}` fails without any variation: {message}"),
                ),
            };
            self.note(kind, message);
        }
    }

    /// What went wrong in our own JVMs.
    pub(crate) fn add_faults(&mut self, faults: &Faults) {
        for fault in faults.all() {
            let message = format!("the agent switched itself off in a test JVM: {fault}");
            self.note(NoteKind::AgentOff, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{shown, simulated};

    #[test]
    fn troubles_of_the_learning_run_are_said() {
        let owned = str::to_owned;
        let troubles = [
            (
                Trouble::NotApplied {
                    method: owned("a.B.c"),
                    reason: owned("native"),
                },
                NoteKind::NotApplied,
                "`a.B.c` could not be edited and was not varied: native",
            ),
            (
                Trouble::AgentOff(owned("panic")),
                NoteKind::AgentOff,
                "the agent switched itself off in a test JVM: panic",
            ),
            (
                Trouble::NoLaunch {
                    module: owned("core"),
                    reason: owned("gone"),
                },
                NoteKind::ThroughBuildTool,
                "the test JVM of module `core` cannot be started without the build tool: gone",
            ),
            (
                Trouble::InParallel {
                    module: owned("core"),
                },
                NoteKind::Other,
                "the build runs tests of module `core` in parallel; unflake runs them one after the other to know \
                 which test does what",
            ),
            (
                Trouble::ContainerFailed {
                    root: owned("a.B"),
                    message: owned("E: no"),
                },
                NoteKind::Other,
                "the set-up or tear-down of `a.B` fails without any variation: E: no",
            ),
        ];
        for (trouble, kind, message) in troubles {
            let mut ledger = Ledger::default();
            ledger.add_troubles(&[trouble]);
            let expected = Note {
                kind,
                message: message.to_owned(),
            };
            assert!(
                matches!(ledger.facts().next(), Some(Fact::Said(note)) if *note == expected),
                "{ledger:?}"
            );
        }
    }

    #[test]
    fn tests_that_did_the_opposite_alone_are_known_from_both_sides() {
        let no = || "no".to_owned();
        let mut ledger = Ledger::default();
        ledger.add(Fact::Unvaried(
            TestIx(0),
            Unvaried::FailsInSuite { message: no() },
        ));
        ledger.add(Fact::Unresolved(
            TestIx(1),
            Unresolved::NeedsOthers { message: no() },
        ));
        ledger.add(Fact::Unvaried(TestIx(2), Unvaried::Fails { message: no() }));
        ledger.add(Fact::Unresolved(TestIx(3), Unresolved::OnlyOnce));
        assert_eq!(ledger.opposite_alone(), [TestIx(0), TestIx(1)].into());
        assert!(ledger.victims().is_empty() && ledger.failed().is_empty());
    }

    #[test]
    fn facts_stay_in_the_order_in_which_they_were_found_out() {
        let simulated = simulated("A#a\nA#b");
        let mut ledger = Ledger::default();
        for test in [1, 0, 1] {
            ledger.add(Fact::Watched(TestIx(test)));
        }
        let facts = shown(&ledger, &simulated.session.suite);
        assert_eq!(facts, ["A#b watched", "A#a watched", "A#b watched"]);
    }
}
