//! What only findings about shared state have: polluters, victims, brittle tests (P5, P7, P9, P11).

use crate::{Mark, Repair};
use serde::{Deserialize, Serialize};
use unflake_protocol::{Side, StateKind, TestId};

/// A test (or the set-up of its class) that changes shared state and does not put it back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pollution {
    pub state: StateKind,
    /// What the state hangs on: `package.Class.field`, the name of a property.
    pub held_by: String,
    /// From there to what was changed, in Java notation.
    pub path: String,
    pub old: Option<String>,
    pub new: Option<String>,
    /// Further changes below the same `held_by`.
    pub more: u32,
    /// The class's set-up, tear-down or static initialiser did it, not the test.
    pub by_class: bool,
    pub benign: Benign,
    pub proof: Proof,
    /// Tests that fail after it and pass without it.
    pub victims: Vec<Suffering>,
    /// What is around it, if that was asked for.
    pub graph: Vec<Triple>,
    pub repair: Repair,
}

/// Part of the heap near a change: an object, a field of it, and what that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Triple {
    pub object: String,
    pub field: String,
    pub value: String,
    /// On which side it was seen.
    pub side: Side,
}

/// A test that leaves files other than it found them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilePollution {
    /// Relative to the project where it lies below it.
    pub file: String,
    pub change: FileChange,
    /// Further files that the test changed.
    pub more: Vec<String>,
    pub benign: Benign,
    pub proof: Proof,
    pub victims: Vec<Suffering>,
    pub repair: Repair,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileChange {
    Created,
    Changed,
    Deleted,
}

/// Whether a change looks harmless, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Benign {
    pub is: bool,
    /// The mark as a sentence, which the report writes; empty if it is not harmless.
    pub why: String,
    /// Runs that were stored by earlier versions may have none.
    #[serde(flatten)]
    pub mark: Option<Mark>,
}

impl Benign {
    /// Still without a sentence.
    pub fn of(mark: Option<Mark>) -> Benign {
        Benign {
            is: mark.is_some(),
            why: String::new(),
            mark,
        }
    }
}

/// Whether it was tried which tests suffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    #[default]
    NotRun,
    /// Some tests fail because of it, and all were tried.
    Proved,
    /// All tests that may see the state were run after it, and pass.
    NoVictim,
    /// Time ran out before all were tried; the victims that were found are proved nevertheless.
    Partial,
}

/// A test that fails in some order, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suffering {
    #[serde(flatten)]
    pub test: TestId,
    pub message: String,
}

/// A test that passes alone and fails after another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Victim {
    /// The one that the shortest failing order begins with; `None`: only a longer order fails.
    pub polluter: Option<TestId>,
    /// All that were proved.
    pub polluters: Vec<TestId>,
    /// Tests that, between polluter and victim, make it pass.
    pub cleaners: Vec<TestId>,
    /// The shortest failing order; the last is this test.
    pub order: Vec<TestId>,
    /// What the polluter changes, if that was seen.
    pub state: Option<String>,
    pub repair: Repair,
}

/// A test that fails alone and passes after another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brittle {
    pub setter: Option<TestId>,
    pub setters: Vec<TestId>,
    /// The shortest passing order; the last is this test.
    pub order: Vec<TestId>,
    pub repair: Repair,
}
