//! How findings were repaired: patches, and what proves them (R8).

use crate::FindingId;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What became of the repair of one finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    pub status: RepairStatus,
    /// Why it is not repaired.
    pub reason: Option<String>,
    /// The [`RepairGroup::id`] of its patches, or of what is only suggested.
    pub repair: Option<String>,
    /// What was tried before and did not hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<TriedRepair>,
}

/// An edit that is no repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedRepair {
    pub strategy: String,
    pub why: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepairStatus {
    /// Nobody tried.
    #[default]
    NotRun,
    /// A patch was proved, and its safety is allowed.
    Repaired,
    /// A patch was proved, but its safety has to be allowed first.
    Offered,
    /// There may be a suggestion.
    Unrepaired,
}

/// Patches for the findings of one cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepairGroup {
    pub id: String,
    pub findings: Vec<FindingId>,
    /// Those that were proved, the one that disturbs least first.
    pub candidates: Vec<RepairCandidate>,
    /// The index of the one to apply.
    pub chosen: Option<usize>,
}

/// One patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepairCandidate {
    pub strategy: String,
    pub safety: Safety,
    /// What it does and why, in one sentence.
    pub why: String,
    /// From the project's root.
    pub files: Vec<String>,
    /// A unified diff of all files.
    pub patch: String,
    pub proof: RepairProof,
    /// The findings that it repairs.
    pub repairs: Vec<FindingId>,
}

/// What ran with a patch, and passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RepairProof {
    /// Variants with a mistake in them, each of which failed as it should.
    pub mutants: u32,
    /// Varied runs of the repaired tests.
    pub rounds: u32,
    /// Runs in orders that failed before, of polluters and their victims.
    #[serde(default)]
    pub orders: u32,
    /// Tests of the module that ran with all patches together.
    pub module: u32,
    /// How long candidates and proofs took for each repaired test, in seconds.
    pub time: f64,
}

/// What a patch touches; what disturbs least comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Safety {
    /// Test code only.
    #[default]
    Test,
    /// Main code.
    Main,
    /// The build file: it adds a library.
    Dependency,
    /// It is shown and never applied.
    Suggestion,
}

impl Safety {
    pub fn name(self) -> &'static str {
        match self {
            Safety::Test => "test",
            Safety::Main => "main",
            Safety::Dependency => "dependency",
            Safety::Suggestion => "suggestion",
        }
    }
}

impl fmt::Display for Safety {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Safety {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Safety::Test, Safety::Main, Safety::Dependency]
            .into_iter()
            .find(|safety| safety.name() == text)
            .ok_or_else(|| format!("unknown safety `{text}`; use one of test, main, dependency"))
    }
}
