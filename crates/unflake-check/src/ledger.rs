//! What was found out, as facts. Phases add facts and never change one; [`crate::document`] makes the result of them at
//! the end, so no phase has to know which one comes after it.

use crate::drive::driver::{Fault, Faults};
use crate::suite::{Suite, Trouble};
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
    /// Shared state was compared before and after it, as often as was needed.
    Watched(TestIx),
    /// It is not known what it leaves behind.
    Unwatched(TestIx, Unwatched),
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
    /// It ran without isolation, since it does not pass with it.
    RanOutside(TestIx),
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
    /// No build came to it, for this reason.
    NotReached(String),
    /// It fails in the build, and alone too or it cannot be run alone.
    Fails {
        message: String,
    },
    /// It fails in the build and passes alone; or, where many fail, after others of them only.
    FailsInSuite {
        message: String,
        is_alone: bool,
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
    NotRunByBuild,
    /// The build that was to run it did not come to its end, for this reason.
    BuildEnded(String),
    /// It failed, and time ran out before that was confirmed.
    NotConfirmedInTime,
    NoJvm(String),
}

/// A test of which it is not known what it leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unwatched {
    pub(crate) when: Watching,
    pub(crate) why: NotWatched,
}

/// Which time shared state was watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Watching {
    First,
    /// To see whether what was seen happens again.
    Again,
    /// With the classes loaded that the test was the first to load.
    Loaded,
}

/// Why shared state was not compared before and after a test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NotWatched {
    /// Only the build tool can run it.
    NoLaunch,
    /// It ended its JVM, as this says.
    Ended(String),
    /// It did not end, as this says.
    Hung(String),
    /// The set-up of its class failed, as this says.
    SetUpFailed(String),
    /// What was before it and after it could not be compared, as this says.
    NotCompared(String),
    /// Its test framework did not run it, or its JVM did not start.
    NotRun,
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
    /// The run goes on: this is what is known so far.
    Running,
    /// The budget ended before the rounds that were asked for were done.
    Rounds,
    /// The classes are not those that were learned any more.
    Rebuilt,
    /// Not all tests are known.
    Learning,
    /// A build that was to run tests varied did not come to its end.
    ThroughBuild,
    /// A test JVM of ours did not start.
    NoJvm,
    /// A test JVM ended, probably not by what it ran.
    Ended,
    /// The agent switched itself off in a test JVM.
    AgentOff,
    /// Some shared state could not be watched.
    NotWatched,
    /// Time ran out before all polluters were tried on all tests.
    Proof,
    /// Time ran out before all orders of the whole suite were run.
    Orders,
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
            let cut = match trouble {
                Trouble::AgentOff(_) => Some(CutShort::AgentOff),
                Trouble::NotReached { .. } => Some(CutShort::Learning),
                Trouble::NotApplied { .. }
                | Trouble::NoLaunch { .. }
                | Trouble::InParallel { .. }
                | Trouble::ContainerFailed { .. }
                | Trouble::Deleted
                | Trouble::RanAgain { .. } => None,
            };
            if let Some(cut) = cut {
                self.add(Fact::Cut(cut));
            }
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
                        "the build runs tests of module `{module}` in parallel, so that it is not known which of them \
                         can vary; unflake varies all of them, one after the other"
                    ),
                ),
                Trouble::ContainerFailed { root, message } => (
                    NoteKind::Other,
                    format!("the set-up or tear-down of `{root}` fails without any variation: {message}"),
                ),
                Trouble::RanAgain { culprits, by_name } => {
                    let done = if *by_name {
                        "the build tool could not leave that out, so that the other test classes ran by their names"
                    } else {
                        "the build ran again without that"
                    };
                    (NoteKind::Other, format!("{}; {done}", culprits.join(", ")))
                }
                Trouble::Deleted => (
                    NoteKind::Other,
                    "a test deletes the compiled tests in the build; they were compiled again".to_owned(),
                ),
                Trouble::NotReached { classes } => (NoteKind::Other, not_reached(classes)),
            };
            self.note(kind, message);
        }
    }

    /// What went wrong in our own JVMs: each once, however often this is called.
    pub(crate) fn add_faults(&mut self, faults: &Faults, suite: &Suite) {
        // One that ended the build's JVM too does so by itself.
        let is_expected = |fault: &Fault| match fault {
            Fault::Ended {
                during: Some(test), ..
            } => suite
                .all()
                .any(|known| suite[known].handle == *test && !suite[known].has_passed()),
            Fault::Ended { during: None, .. }
            | Fault::AgentOff(_)
            | Fault::NotCompared(_)
            | Fault::NotStarted(_) => false,
        };
        for fault in faults.all().into_iter().filter(|fault| !is_expected(fault)) {
            let (cut, kind, message) = match fault {
                Fault::AgentOff(reason) => (
                    CutShort::AgentOff,
                    NoteKind::AgentOff,
                    format!("the agent switched itself off in a test JVM: {reason}"),
                ),
                Fault::NotCompared(reason) => (
                    CutShort::NotWatched,
                    NoteKind::NotCompared,
                    format!("shared state could not be compared in a test JVM: {reason}"),
                ),
                Fault::NotStarted(reason) => (
                    CutShort::NoJvm,
                    NoteKind::Other,
                    format!("a test JVM did not start: {reason}"),
                ),
                Fault::Ended { status, .. } => (
                    CutShort::Ended,
                    NoteKind::Other,
                    format!("a test JVM ended, probably not by what it ran: {status}"),
                ),
            };
            let is_said = |fact: &Fact| matches!(fact, Fact::Said(note) if note.message == message);
            if !self.facts().any(is_said) {
                self.note(kind, message);
                self.add(Fact::Cut(cut));
            }
        }
    }
}

fn not_reached(classes: &[String]) -> String {
    match classes {
        [] => "the build was ended before all tests were known".to_owned(),
        [one] => format!("not all tests of `{one}` were reached by the build"),
        [first, ..] => format!(
            "the build did not reach all tests of {} classes, for example `{first}`",
            classes.len()
        ),
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
                "the build runs tests of module `core` in parallel, so that it is not known which of them can vary; \
                 unflake varies all of them, one after the other",
            ),
            (
                Trouble::ContainerFailed {
                    root: owned("a.B"),
                    message: owned("E: no"),
                },
                NoteKind::Other,
                "the set-up or tear-down of `a.B` fails without any variation: E: no",
            ),
            (
                Trouble::RanAgain {
                    culprits: vec![owned("`a.B#c` ended its JVM"), owned("`a.C#d` ended its JVM")],
                    by_name: false,
                },
                NoteKind::Other,
                "`a.B#c` ended its JVM, `a.C#d` ended its JVM; the build ran again without that",
            ),
            (
                Trouble::RanAgain {
                    culprits: vec![owned("`a.B#c` ended its JVM")],
                    by_name: true,
                },
                NoteKind::Other,
                "`a.B#c` ended its JVM; the build tool could not leave that out, so that the other test classes ran by \
                 their names",
            ),
            (
                Trouble::NotReached {
                    classes: vec![owned("a.B")],
                },
                NoteKind::Other,
                "not all tests of `a.B` were reached by the build",
            ),
            (
                Trouble::NotReached {
                    classes: vec![owned("a.B"), owned("a.C")],
                },
                NoteKind::Other,
                "the build did not reach all tests of 2 classes, for example `a.B`",
            ),
            (
                Trouble::NotReached { classes: Vec::new() },
                NoteKind::Other,
                "the build was ended before all tests were known",
            ),
        ];
        for (trouble, kind, message) in troubles {
            let mut ledger = Ledger::default();
            ledger.add_troubles(&[trouble]);
            let expected = Note {
                kind,
                message: message.to_owned(),
            };
            let is_said = |fact: &Fact| matches!(fact, Fact::Said(note) if *note == expected);
            assert!(ledger.facts().any(is_said), "{ledger:?}");
        }
    }

    #[test]
    fn tests_that_did_the_opposite_alone_are_known_from_both_sides() {
        let no = || "no".to_owned();
        let mut ledger = Ledger::default();
        ledger.add(Fact::Unvaried(
            TestIx(0),
            Unvaried::FailsInSuite {
                message: no(),
                is_alone: true,
            },
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
    fn a_jvm_that_a_test_ended_in_the_build_too_is_not_told_of() {
        let simulated = simulated("A#a [failed]\nA#b");
        let suite = &simulated.session.suite;
        let cuts = |during: Option<usize>| {
            let faults = Faults::default();
            let during = during.map(|test| suite.tests[test].handle.clone());
            let status = "killed".to_owned();
            faults.add(Fault::Ended { during, status });
            let mut ledger = Ledger::default();
            ledger.add_faults(&faults, suite);
            ledger.add_faults(&faults, suite);
            shown(&ledger, suite)
        };
        assert!(cuts(Some(0)).is_empty());
        let told = [
            "said: a test JVM ended, probably not by what it ran: killed",
            "cut: Ended",
        ];
        assert_eq!(cuts(Some(1)), told);
        assert_eq!(cuts(None), told);
    }

    #[test]
    fn a_suite_that_is_not_known_as_a_whole_makes_the_result_partial() {
        let cut = |trouble: Trouble| {
            let mut ledger = Ledger::default();
            ledger.add_troubles(&[trouble]);
            ledger.facts().find_map(|fact| match fact {
                Fact::Cut(cut) => Some(*cut),
                _ => None,
            })
        };
        let owned = str::to_owned;
        assert_eq!(cut(Trouble::AgentOff(owned("oh"))), Some(CutShort::AgentOff));
        assert_eq!(
            cut(Trouble::NotReached { classes: Vec::new() }),
            Some(CutShort::Learning)
        );
        assert_eq!(cut(Trouble::InParallel { module: owned(".") }), None);
        let (culprits, by_name) = (Vec::new(), true);
        assert_eq!(cut(Trouble::RanAgain { culprits, by_name }), None);
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
