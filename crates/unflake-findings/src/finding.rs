//! One finding.
//!
//! What every kind of finding has is in [`Finding`]; what only one kind has is in its variant of [`Details`]. Readers
//! of the JSON tell them apart by `kind`.

use crate::rules;
use crate::{Benign, Brittle, Cause, FilePollution, FindingId, Pollution, Proof, Repair, Suffering, Victim};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use unflake_protocol::{FailureSort, Level, Strategy, TestId};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub id: FindingId,
    /// See [`crate::rules`].
    pub rule: String,
    #[serde(flatten)]
    pub test: TestId,
    pub severity: Severity,
    /// What the failing test said: its exception's message, or the exception's class where there is none. Of a
    /// polluter: what it changes.
    pub message: String,
    /// How the test failed; `None` where nothing failed.
    pub failure: Option<FailureSort>,
    /// The exception's class; empty where nothing failed.
    pub exception: String,
    /// The command that repeats the failure.
    pub replay: String,
    pub rate: Rate,
    /// Set when the user's sources or `unflake.toml` say that this is meant; such a finding fails nothing.
    pub suppressed: Option<Suppression>,
    #[serde(flatten)]
    pub details: Details,
}

impl Finding {
    /// The same with its cause, and the rule that follows from that.
    pub fn explain(&mut self, found: Cause) {
        if let Details::ImplementationDependent { cause, .. } = &mut self.details {
            self.rule = rules::of(&found).to_owned();
            *cause = found;
        }
    }

    /// What became of its repair.
    pub fn repair(&self) -> &Repair {
        match &self.details {
            Details::ImplementationDependent { repair, .. } => repair,
            Details::Polluter(polluter) => &polluter.repair,
            Details::FilePolluter(polluter) => &polluter.repair,
            Details::Victim(victim) => &victim.repair,
            Details::Brittle(brittle) => &brittle.repair,
        }
    }

    pub fn repair_mut(&mut self) -> &mut Repair {
        match &mut self.details {
            Details::ImplementationDependent { repair, .. } => repair,
            Details::Polluter(polluter) => &mut polluter.repair,
            Details::FilePolluter(polluter) => &mut polluter.repair,
            Details::Victim(victim) => &mut victim.repair,
            Details::Brittle(brittle) => &mut brittle.repair,
        }
    }

    pub fn kind(&self) -> FindingKind {
        match self.details {
            Details::ImplementationDependent { .. } => FindingKind::ImplementationDependent,
            Details::Polluter(_) => FindingKind::Polluter,
            Details::FilePolluter(_) => FindingKind::FilePolluter,
            Details::Victim(_) => FindingKind::Victim,
            Details::Brittle(_) => FindingKind::Brittle,
        }
    }
}

/// What only one kind of finding has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Details {
    ImplementationDependent {
        /// The weakest level that fails.
        level: Level,
        /// What was tried to find that out, in this order.
        levels_tried: Vec<Tried>,
        /// The first round that failed, counted from 1.
        round: u32,
        /// How choices vary when [`Finding::replay`] repeats the failure.
        strategy: Strategy,
        scope: Scope,
        /// What proves that it is not chance.
        proof: CountedProof,
        /// What all threads did, twice, where the test did not end.
        dumps: Option<String>,
        /// Models that made choices in this test: the cause is among them.
        apis: Vec<String>,
        cause: Cause,
        repair: Repair,
    },
    Polluter(Pollution),
    FilePolluter(FilePollution),
    Victim(Victim),
    Brittle(Brittle),
}

/// What is known of a polluter, whether it left state or files behind.
#[derive(Clone, Copy, Debug)]
pub struct Effect<'f> {
    pub benign: &'f Benign,
    pub proof: Proof,
    pub victims: &'f [Suffering],
}

/// The same, to fill in.
#[derive(Debug)]
pub struct EffectMut<'f> {
    pub benign: &'f mut Benign,
    pub proof: &'f mut Proof,
    pub victims: &'f mut Vec<Suffering>,
}

impl Details {
    /// `None`: the finding is not about a polluter.
    pub fn effect(&self) -> Option<Effect<'_>> {
        let (benign, proof, victims) = match self {
            Details::Polluter(state) => (&state.benign, state.proof, &state.victims),
            Details::FilePolluter(files) => (&files.benign, files.proof, &files.victims),
            Details::ImplementationDependent { .. } | Details::Victim(_) | Details::Brittle(_) => {
                return None;
            }
        };
        Some(Effect {
            benign,
            proof,
            victims,
        })
    }

    pub fn effect_mut(&mut self) -> Option<EffectMut<'_>> {
        let (benign, proof, victims) = match self {
            Details::Polluter(state) => (&mut state.benign, &mut state.proof, &mut state.victims),
            Details::FilePolluter(files) => (&mut files.benign, &mut files.proof, &mut files.victims),
            Details::ImplementationDependent { .. } | Details::Victim(_) | Details::Brittle(_) => {
                return None;
            }
        };
        Some(EffectMut {
            benign,
            proof,
            victims,
        })
    }
}

/// The kinds of findings, without their details; part of a finding's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    ImplementationDependent,
    Polluter,
    FilePolluter,
    Victim,
    Brittle,
}

impl FindingKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::ImplementationDependent => "implementation-dependent",
            FindingKind::Polluter => "polluter",
            FindingKind::FilePolluter => "file-polluter",
            FindingKind::Victim => "victim",
            FindingKind::Brittle => "brittle",
        }
    }
}

/// One way of varying that was tried on one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    #[serde(flatten)]
    pub strategy: Strategy,
    #[serde(flatten)]
    pub rate: Rate,
}

/// How often a test failed varied and passed unvaried, each alone, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedProof {
    pub varied: Rate,
    /// With the build's own run.
    pub unvaried: Passes,
}

/// How often it passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passes {
    pub passed: u32,
    pub runs: u32,
}

/// How often it failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    pub failed: u32,
    pub runs: u32,
}

/// What must run for the failure to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The test.
    Alone,
    /// Its class.
    Class,
    /// All tests that ran before it in its JVM.
    Prefix,
}

/// How bad a finding is; the worst is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Note,
    Warning,
    Error,
}

impl Severity {
    /// All, the worst first.
    pub const ALL: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

    /// Of a test that was seen to fail after another one.
    pub const VICTIM: Severity = Severity::Error;
    /// Of a test that was seen to fail alone.
    pub const BRITTLE: Severity = Severity::Error;

    /// Of an implementation-dependent test. `only_silent`: of every API that may be the cause, the documentation says
    /// nothing of order; such findings are at most warnings.
    pub fn implementation_dependent(weakest: Level, only_silent: bool) -> Severity {
        let by_level = match weakest {
            Level::One | Level::Eq => Severity::Error,
            Level::Id => Severity::Warning,
            Level::Full => Severity::Note,
        };
        if only_silent {
            by_level.min(Severity::Warning)
        } else {
            by_level
        }
    }

    /// Of a test that leaves the heap, the JVM or files other than it found them. A victim that was seen to fail says
    /// more than a mark that the change looks harmless. Who harms only itself does so in no order in which each test
    /// runs once.
    pub fn polluter(test: &TestId, benign: &Benign, victims: &[Suffering]) -> Severity {
        if victims.iter().any(|victim| victim.test != *test) {
            Severity::Error
        } else if !victims.is_empty() || !benign.is {
            Severity::Warning
        } else {
            Severity::Note
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Severity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Severity::ALL
            .into_iter()
            .find(|severity| severity.name() == text)
            .ok_or_else(|| format!("unknown severity `{text}`; use one of error, warning, note"))
    }
}

/// Who says that a finding is meant, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suppression {
    /// `comment`, `annotation`, `unflake.toml`.
    pub by: String,
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mark;

    #[test]
    fn severity_follows_the_weakest_level() {
        let of = |silent| Level::ALL.map(|level| Severity::implementation_dependent(level, silent).name());
        assert_eq!(of(false), ["error", "error", "warning", "note"]);
        assert_eq!(of(true), ["warning", "warning", "warning", "note"]);
    }

    #[test]
    fn severity_of_a_polluter_follows_its_proof() {
        let mark = |is: bool| Benign::of(is.then_some(Mark::InsideJdk));
        let test = |name: &str| TestId {
            module: ".".to_owned(),
            root: "a.B".to_owned(),
            test: name.to_owned(),
            invocation: None,
        };
        let victim = |name: &str| {
            [Suffering {
                test: test(name),
                message: String::new(),
            }]
        };
        let of = |victims: &[Suffering]| {
            [false, true].map(|is| Severity::polluter(&test("a.B#c"), &mark(is), victims).name())
        };
        assert_eq!(of(&victim("a.B#d")), ["error", "error"]);
        assert_eq!(of(&victim("a.B#c")), ["warning", "warning"], "its own victim");
        assert_eq!(of(&[]), ["warning", "note"]);
    }
}
