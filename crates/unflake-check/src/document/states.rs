//! In which state each test is in the end, and why.

use crate::ledger::{By, Fact, Ledger, Unresolved, Unvaried, Unwatched};
use crate::options::CheckKind;
use crate::suite::{Baseline, Suite};
use std::collections::BTreeMap;
use unflake_explore::order::Unproved;
use unflake_explore::{Evidence, TestIx};
use unflake_findings::{ExcludedReason, Rate, SkipReason, TestResult, TestState};
use unflake_protocol::Outcome;

/// The states of the tests that were selected.
pub(super) struct States<'a> {
    kinds: &'a [CheckKind],
    known: BTreeMap<TestIx, TestFacts<'a>>,
}

/// What the facts say of one test.
#[derive(Clone, Copy, Default)]
struct TestFacts<'a> {
    /// It passed in the build.
    passed: bool,
    failed_in_build: bool,
    unvaried: Option<&'a Unvaried>,
    no_choice: bool,
    varied: bool,
    unresolved: Option<&'a Unresolved>,
    failed: bool,
    watched: bool,
    unwatched: Option<&'a Unwatched>,
    pollutes: bool,
    ran_in_order: bool,
    depends_on_order: bool,
    unproved: Option<Unproved>,
}

/// A state, and why a test is in it.
type Reasoned = (TestState, Option<String>);

impl<'a> States<'a> {
    pub(super) fn of(
        ledger: &'a Ledger,
        suite: &Suite,
        selected: &[TestIx],
        kinds: &'a [CheckKind],
    ) -> States<'a> {
        let of_build = |test: &TestIx| {
            let known = TestFacts {
                passed: suite[*test].has_passed(),
                failed_in_build: matches!(suite[*test].baseline, Baseline::Finished(Outcome::Failed(_))),
                ..TestFacts::default()
            };
            (*test, known)
        };
        let mut states = States {
            kinds,
            known: selected.iter().map(of_build).collect(),
        };
        ledger.facts().for_each(|fact| states.take(fact));
        states
    }

    fn take(&mut self, fact: &'a Fact) {
        let mut about = |test: TestIx, take: &dyn Fn(&mut TestFacts<'a>)| {
            if let Some(known) = self.known.get_mut(&test) {
                take(known);
            }
        };
        match fact {
            Fact::Unvaried(test, what) => about(*test, &|known| known.unvaried = Some(what)),
            Fact::NoChoice(test) => about(*test, &|known| known.no_choice = true),
            Fact::Varied { test, .. } => about(*test, &|known| known.varied = true),
            Fact::Unresolved(test, why) => about(*test, &|known| known.unresolved = Some(why)),
            Fact::Failed(failed) => about(failed.test, &|known| known.failed = true),
            Fact::Watched(test) => about(*test, &|known| known.watched = true),
            Fact::Unwatched(test, why) => about(*test, &|known| known.unwatched = Some(why)),
            // What a class does is not its first test's doing.
            Fact::Changed(changed) if changed.by != By::Class => {
                about(changed.test, &|known| known.pollutes = true)
            }
            Fact::RanInOrder(test) => about(*test, &|known| known.ran_in_order = true),
            Fact::ProvedVictim { found, .. } => {
                about(found.main.victim, &|known| known.depends_on_order = true)
            }
            Fact::ProvedBrittle(brittle) => about(brittle.test, &|known| known.depends_on_order = true),
            Fact::Unproved(test, why) => about(*test, &|known| known.unproved = Some(*why)),
            Fact::Changed(_)
            | Fact::Cause { .. }
            | Fact::MorePolluters { .. }
            | Fact::RanOutside(_)
            | Fact::Said(_)
            | Fact::Rounds(_)
            | Fact::Cut(_) => {}
        }
    }

    /// Whether there are tests that were to be watched and were not.
    pub(super) fn has_unwatched(&self) -> bool {
        self.known.values().any(|known| known.unwatched.is_some())
    }

    /// Whether time ran out before something that was seen was proved.
    pub(super) fn has_unproved(&self) -> bool {
        self.known.values().any(|known| {
            known.unproved == Some(Unproved::Ended)
                || known.unresolved == Some(&Unresolved::NotConfirmedInTime)
        })
    }

    pub(super) fn tests(&self, suite: &Suite) -> Vec<TestResult> {
        let result = |(test, known): (&TestIx, &TestFacts<'_>)| {
            let states: Vec<(CheckKind, Reasoned)> = self
                .kinds
                .iter()
                .map(|kind| (*kind, known.state(*kind)))
                .collect();
            let first = states
                .iter()
                .map(|(_, reasoned)| reasoned)
                .min_by_key(|(state, _)| *state);
            let (state, reason) = first.cloned().unwrap_or((TestState::NotFinished, None));
            TestResult {
                test: suite[*test].id.clone(),
                states: states
                    .into_iter()
                    .map(|(kind, (state, _))| (kind.name().to_owned(), state))
                    .collect(),
                state,
                reason,
                time: suite[*test].time.as_secs_f64(),
            }
        };
        self.known.iter().map(result).collect()
    }

    /// What is counted and listed of each test beside [`TestResult`].
    pub(super) fn fates(&self) -> impl Iterator<Item = (TestIx, Fate)> {
        self.known
            .iter()
            .map(|(test, known)| (*test, known.fate(self.kinds)))
    }
}

/// Tests for which time ran out before it was proved that they depend on the order.
pub(super) fn ended_unproved(ledger: &Ledger) -> usize {
    let is_one = |fact: &&Fact| matches!(fact, Fact::Unproved(_, Unproved::Ended));
    ledger.facts().filter(is_one).count()
}

impl TestFacts<'_> {
    fn state(&self, kind: CheckKind) -> Reasoned {
        let is_found = match kind {
            CheckKind::Id => self.failed,
            CheckKind::Pollution => self.pollutes,
            CheckKind::Order => self.depends_on_order,
        };
        if is_found {
            return (TestState::Found, None);
        }
        if kind == CheckKind::Order
            && let Some(why) = self.unproved
        {
            let state = match why {
                Unproved::NotRepeated => TestState::Flaky,
                Unproved::NotRun | Unproved::Ended => TestState::NotFinished,
            };
            return (state, Some(self.unproved_reason(why)));
        }
        if let Some(unvaried) = self.unvaried {
            return unvaried.state();
        }
        match kind {
            CheckKind::Id => self.varied_state(),
            CheckKind::Pollution if self.watched => (TestState::Checked, None),
            CheckKind::Order if self.ran_in_order => (TestState::Checked, None),
            CheckKind::Pollution => {
                let reason = self.unwatched.map_or_else(
                    || "its turn to be watched never came".to_owned(),
                    Unwatched::reason,
                );
                (TestState::NotFinished, Some(reason))
            }
            CheckKind::Order => (
                TestState::NotFinished,
                Some("it did not run in another order".to_owned()),
            ),
        }
    }

    fn varied_state(&self) -> Reasoned {
        match self.unresolved {
            Some(why) => why.state(),
            None if self.no_choice => (TestState::NoChoice, None),
            None if self.varied => (TestState::Checked, None),
            None => (TestState::NotFinished, Some("its turn never came".to_owned())),
        }
    }

    /// Whether something of what was asked for is known.
    fn is_finished(&self, kinds: &[CheckKind]) -> bool {
        kinds
            .iter()
            .any(|kind| self.state(*kind).0 != TestState::NotFinished)
    }

    fn unproved_reason(&self, why: Unproved) -> String {
        let seen = if self.failed_in_build {
            "fails in the build, passes alone"
        } else {
            "fails when the tests run in another order"
        };
        match why {
            Unproved::Ended => format!("{seen}; time ran out before this was proved"),
            Unproved::NotRepeated => format!("{seen}; passes when that order is repeated"),
            Unproved::NotRun => {
                format!("{seen}; its test framework does not accept the order that would prove it")
            }
        }
    }

    fn fate(&self, kinds: &[CheckKind]) -> Fate {
        let varies = kinds.contains(&CheckKind::Id);
        if self.failed || self.depends_on_order {
            return Fate::Checked;
        }
        if let Some(why) = self.unproved {
            let reason = self.unproved_reason(why);
            return match why {
                Unproved::NotRepeated => Fate::Excluded(ExcludedReason::Flaky, reason),
                Unproved::Ended | Unproved::NotRun => Fate::Excluded(ExcludedReason::OrderSuspect, reason),
            };
        }
        if let Some(unvaried) = self.unvaried {
            return unvaried.fate();
        }
        if let (false, false, Some(unwatched)) = (varies, self.ran_in_order, self.unwatched) {
            return Fate::Excluded(ExcludedReason::NotRun, unwatched.reason());
        }
        match self.unresolved {
            Some(why) => why.fate(),
            None if self.no_choice => Fate::Skipped(SkipReason::NoChoice),
            None if self.varied || self.ran_in_order => Fate::Checked,
            // If nothing is varied, a test that passed counts as checked, unless the run ended before its turn came.
            None if !varies && self.passed && self.is_finished(kinds) => Fate::Checked,
            None => Fate::Skipped(SkipReason::Budget),
        }
    }
}

impl Unvaried {
    fn reason(&self) -> Option<String> {
        match self {
            Unvaried::Disabled => None,
            Unvaried::Unfinished => Some("its JVM ended while it ran, without any variation".to_owned()),
            Unvaried::NotReached(reason) => Some(reason.clone()),
            Unvaried::Fails { message } => Some(message.clone()),
            Unvaried::FailsInSuite { message, is_alone } => {
                let passes = if *is_alone {
                    "alone"
                } else {
                    "among those that fail there"
                };
                Some(format!("fails in the suite, passes {passes}: {message}"))
            }
            Unvaried::Flaky(Rate { failed, runs }) => {
                Some(format!("failed {failed} of {runs} unvaried runs"))
            }
        }
    }

    fn state(&self) -> Reasoned {
        let state = match self {
            Unvaried::Disabled => TestState::Disabled,
            Unvaried::Unfinished | Unvaried::NotReached(_) => TestState::NotFinished,
            Unvaried::Fails { .. } | Unvaried::FailsInSuite { .. } => TestState::Failing,
            Unvaried::Flaky(_) => TestState::Flaky,
        };
        (state, self.reason())
    }

    fn fate(&self) -> Fate {
        let reason = match self {
            Unvaried::Disabled => return Fate::Skipped(SkipReason::Disabled),
            Unvaried::Unfinished | Unvaried::NotReached(_) => ExcludedReason::NotRun,
            Unvaried::Fails { .. } => ExcludedReason::Failing,
            Unvaried::FailsInSuite { .. } => ExcludedReason::OrderSuspect,
            Unvaried::Flaky(_) => ExcludedReason::Flaky,
        };
        Fate::Excluded(reason, self.reason().unwrap_or_default())
    }
}

impl Unresolved {
    fn reason(&self) -> String {
        match self {
            Unresolved::NotReached => "the run ended before its turn came".to_owned(),
            Unresolved::NotConfirmed => {
                "failed when varied; interrupted before the failure was confirmed".to_owned()
            }
            Unresolved::Flaky { seen, message } => {
                let Evidence { with, without } = seen;
                format!(
                    "failed {} of {} varied and {} of {} unvaried runs: {message}",
                    with.failed, with.runs, without.failed, without.runs
                )
            }
            Unresolved::BrokenByOthers => {
                "failed after varied tests; passes when only its own choices vary".to_owned()
            }
            Unresolved::OnlyOnce => {
                "failed when it ran a second time in a JVM; passes in a fresh one".to_owned()
            }
            Unresolved::NeedsOthers { message } => {
                format!("passes in the suite, fails without the tests before it: {message}")
            }
            Unresolved::NotRunByBuild => "the build did not run it again".to_owned(),
            Unresolved::BuildEnded(reason) => {
                format!("the build that ran it varied did not come to its end: {reason}")
            }
            Unresolved::NotConfirmedInTime => {
                "failed when varied; time ran out before the failure was confirmed".to_owned()
            }
            Unresolved::NoJvm(reason) => reason.clone(),
        }
    }

    fn state(&self) -> Reasoned {
        let state = match self {
            Unresolved::NotReached
            | Unresolved::NotConfirmed
            | Unresolved::NotConfirmedInTime
            | Unresolved::NotRunByBuild
            | Unresolved::BuildEnded(_)
            | Unresolved::NoJvm(_) => TestState::NotFinished,
            Unresolved::Flaky { .. } => TestState::Flaky,
            Unresolved::NeedsOthers { .. } => TestState::Failing,
            Unresolved::BrokenByOthers | Unresolved::OnlyOnce => TestState::Checked,
        };
        (state, Some(self.reason()))
    }

    fn fate(&self) -> Fate {
        let reason = match self {
            Unresolved::NotReached => return Fate::Skipped(SkipReason::Budget),
            Unresolved::NotConfirmed
            | Unresolved::NotConfirmedInTime
            | Unresolved::NotRunByBuild
            | Unresolved::BuildEnded(_)
            | Unresolved::NoJvm(_) => ExcludedReason::NotRun,
            Unresolved::BrokenByOthers | Unresolved::OnlyOnce => return Fate::Checked,
            Unresolved::Flaky { .. } => ExcludedReason::Flaky,
            Unresolved::NeedsOthers { .. } => ExcludedReason::OrderSuspect,
        };
        Fate::Excluded(reason, self.reason())
    }
}

/// How a test is counted, and whether it is listed among the tests about which nothing is claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Checked,
    Skipped(SkipReason),
    Excluded(ExcludedReason, String),
}

impl Fate {
    pub(super) fn skip(&self) -> Option<SkipReason> {
        match self {
            Fate::Checked => None,
            Fate::Skipped(reason) => Some(*reason),
            Fate::Excluded(reason, _) => Some(reason.skip()),
        }
    }

    pub(super) fn excluded(self) -> Option<(ExcludedReason, String)> {
        match self {
            Fate::Excluded(reason, detail) => Some((reason, detail)),
            Fate::Checked | Fate::Skipped(_) => None,
        }
    }
}
