//! The result of one run as one document.
//!
//! Everything that depends on the clock is in a field whose name begins with `time`, so that two runs with the same
//! seed can be compared byte for byte after a simple filter.

use crate::{Finding, FindingKind, RepairGroup, Severity};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use unflake_protocol::{Level, Seed, TestId};

/// Changes when a reader of the JSON would have to.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub schema_version: u32,
    pub run: RunInfo,
    pub summary: Summary,
    pub findings: Vec<Finding>,
    pub excluded: Vec<Excluded>,
    /// Every test that was selected, with what became of it.
    #[serde(default)]
    pub tests: Vec<TestResult>,
    /// Patches, where `unflake fix` made some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<RepairGroup>,
    pub notes: Vec<Note>,
}

/// What became of one test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    #[serde(flatten)]
    pub test: TestId,
    /// For each kind that was asked for: `id`, `pollution`, `order`.
    pub states: BTreeMap<String, TestState>,
    /// The first of them in the order of [`TestState`].
    pub state: TestState,
    /// Why it is in that state, where there is something to say.
    pub reason: Option<String>,
    /// How long it took unvaried, in seconds.
    pub time: f64,
}

/// What is known of a test in the end. It is in the first state that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestState {
    /// There is a finding about it.
    Found,
    /// It fails without any variation.
    Failing,
    Disabled,
    /// It passes and fails, and nothing we vary is to blame.
    Flaky,
    /// Nothing is claimed: it did not come to its end, its turn never came, or the proof was cut short.
    NotFinished,
    /// The user left it out.
    Excluded,
    /// All that was asked for was done, and nothing was found.
    Checked,
    /// There is nothing in it to vary.
    NoChoice,
}

impl Document {
    /// Puts findings, exclusions and notes into their one order: the worst first, then by name.
    pub fn sort(&mut self) {
        self.findings.sort_by(|a, b| {
            (
                a.suppressed.is_some(),
                std::cmp::Reverse(a.severity),
                &a.test,
                &a.id,
            )
                .cmp(&(
                    b.suppressed.is_some(),
                    std::cmp::Reverse(b.severity),
                    &b.test,
                    &b.id,
                ))
        });
        self.excluded
            .sort_by(|a, b| (a.reason, &a.test).cmp(&(b.reason, &b.test)));
        self.tests.sort_by(|a, b| a.test.cmp(&b.test));
        self.notes.sort();
        self.notes.dedup();
    }

    /// The worst severity among findings that nobody suppressed.
    pub fn worst(&self) -> Option<Severity> {
        self.findings
            .iter()
            .filter(|f| f.suppressed.is_none())
            .map(|f| f.severity)
            .max()
    }
}

impl Document {
    /// Whether something of unflake's own failed, which no test is to blame for.
    pub fn has_fault_of_ours(&self) -> bool {
        let is_ours = |note: &Note| matches!(note.kind, NoteKind::AgentOff | NoteKind::NotCompared);
        self.notes.iter().any(is_ours)
    }
}

/// What was run, and on what. The run's own id is the name of its directory in the store: it is not in here because it
/// depends on the clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInfo {
    /// The project's directory.
    pub project: String,
    /// The arguments of `unflake`, as they were given.
    pub command: Vec<String>,
    /// When it began, in seconds since 1970.
    pub time_started: u64,
    /// The page with pictures of what is around polluted objects, if one was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pictures: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Tests that were selected, each invocation for itself.
    pub tests: usize,
    /// Those that were run varied.
    pub checked: usize,
    /// Those that were not, by reason. `tests` is `checked` and these together.
    pub skipped: BTreeMap<SkipReason, usize>,
    /// Varied rounds that were completed.
    pub rounds: u32,
    pub seed: Seed,
    pub level: LevelSetting,
    /// The whole run, in seconds.
    pub time: f64,
    /// Versions of the test JVMs that were seen, sorted.
    pub java: Vec<String>,
    /// Of unflake.
    pub version: String,
    /// Less was done than was asked for: the run was interrupted, its budget ran out, tests were not reached, or something
    /// of ours failed. Notes say what.
    pub partial: bool,
    /// How test JVMs were kept apart: `namespaces` or `directories`.
    #[serde(default)]
    pub isolation: String,
    /// Tests that ran without isolation, since their outcome was different with it.
    #[serde(default)]
    pub outside: usize,
}

impl Document {
    /// What in it cannot all be true. Whoever shows the document looks at this first: it is a bug of unflake.
    pub fn contradictions(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let Summary {
            tests,
            checked,
            skipped,
            ..
        } = &self.summary;
        let counted = checked + skipped.values().sum::<usize>();
        if counted != *tests || self.tests.len() != *tests {
            wrong.push(format!(
                "{tests} tests, {counted} counted, {} listed",
                self.tests.len()
            ));
        }
        let kinds: BTreeSet<&String> = self.tests.iter().flat_map(|test| test.states.keys()).collect();
        for test in &self.tests {
            let name = test.test.to_string();
            if test.states.len() != kinds.len() {
                wrong.push(format!(
                    "`{name}` has {} states for {} kinds",
                    test.states.len(),
                    kinds.len()
                ));
            }
            if test.states.values().min() != Some(&test.state) {
                wrong.push(format!(
                    "`{name}` is said to be {:?}, of {:?}",
                    test.state, test.states
                ));
            }
        }
        let found = self.findings.iter();
        let found = found.filter(|finding| finding.kind() == FindingKind::ImplementationDependent);
        let found: BTreeSet<&TestId> = found.map(|finding| &finding.test).collect();
        for test in self.tests.iter().filter(|test| test.states.contains_key("id")) {
            let is_found = test.states.get("id") == Some(&TestState::Found);
            if is_found != found.contains(&test.test) {
                wrong.push(format!("`{}` is found and is not", test.test));
            }
        }
        wrong
    }
}

impl Summary {
    /// Whether nothing at all is known about the project's tests: neither was one varied, nor is it known of one that
    /// it has nothing to vary. Must never look like success.
    pub fn nothing_was_checked(&self) -> bool {
        self.checked == 0 && self.skipped.get(&SkipReason::NoChoice).copied().unwrap_or(0) == 0
    }
}

/// Why a selected test was not run varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// The budget ran out, or the user ended the run, before its turn came.
    Budget,
    /// Disabled, ignored, or an assumption did not hold.
    Disabled,
    /// Fails without any variation, also alone.
    Failing,
    /// Passes and fails without any variation.
    Flaky,
    /// Made no choice, so there is nothing to vary.
    NoChoice,
    /// Seen but never finished: its JVM ended, or could not be started.
    NotRun,
    /// Fails in the suite and passes alone.
    OrderSuspect,
    /// Took longer than a test may.
    Timeout,
}

impl SkipReason {
    /// All reasons, in the order of their names.
    pub const ALL: [SkipReason; 8] = [
        SkipReason::Budget,
        SkipReason::Disabled,
        SkipReason::Failing,
        SkipReason::Flaky,
        SkipReason::NoChoice,
        SkipReason::NotRun,
        SkipReason::OrderSuspect,
        SkipReason::Timeout,
    ];
}

/// The levels that were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LevelSetting {
    /// From the weakest to the strongest, as the default rounds do.
    #[default]
    Climb,
    Only(Level),
}

impl fmt::Display for LevelSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LevelSetting::Climb => f.write_str("climb"),
            LevelSetting::Only(level) => level.fmt(f),
        }
    }
}

impl FromStr for LevelSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "climb" => Ok(LevelSetting::Climb),
            other => other.parse().map(LevelSetting::Only),
        }
    }
}

impl Serialize for LevelSetting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LevelSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

/// A test about which nothing is claimed, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excluded {
    #[serde(flatten)]
    pub test: TestId,
    pub reason: ExcludedReason,
    /// What was seen: the failure's message, `failed 2 of 5 unvaried runs`, the time limit.
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExcludedReason {
    /// Fails on its own.
    Failing,
    /// Flaky on its own: what it did could not be repeated.
    Flaky,
    /// Took longer than a test may.
    Timeout,
    /// Its JVM ended, or could not be started.
    NotRun,
    /// Fails in the suite, passes alone: another test is to blame.
    OrderSuspect,
}

impl ExcludedReason {
    /// The same reason as it is counted in [`Summary::skipped`].
    pub fn skip(self) -> SkipReason {
        match self {
            ExcludedReason::Failing => SkipReason::Failing,
            ExcludedReason::Flaky => SkipReason::Flaky,
            ExcludedReason::Timeout => SkipReason::Timeout,
            ExcludedReason::NotRun => SkipReason::NotRun,
            ExcludedReason::OrderSuspect => SkipReason::OrderSuspect,
        }
    }
}

/// Something that was done less well than asked. Never silently less.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Note {
    pub kind: NoteKind,
    /// A sentence in the form of our messages: lower case, no full stop.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// Ended by the user.
    Interrupted,
    /// The budget ran out before all rounds were done.
    Budget,
    /// A modelled API could not be edited in this JVM.
    NotApplied,
    /// A test runs through the build tool because it behaves differently when started directly.
    ThroughBuildTool,
    /// Tests ran without isolation because they behave differently with it.
    Outside,
    /// Somebody built the project while it was checked.
    Rebuilt,
    /// Some shared state could not be watched.
    NotWatched,
    /// States of the heap could not be compared.
    NotCompared,
    /// The agent switched itself off.
    AgentOff,
    /// Anything else.
    Other,
}
