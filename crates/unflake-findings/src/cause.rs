//! Why a test fails: the choices without which it passes, each with what shows it (N10).

use crate::Scope;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cause {
    pub status: CauseStatus,
    /// Why there is none.
    pub reason: Option<String>,
    /// What had to run for it: [`Cause::choices`] are numbered in that.
    pub scope: Option<Scope>,
    /// A smallest set: with all of them varied the test fails, with one of them less it passes.
    pub choices: Vec<Choice>,
    /// What the test said when only these were varied.
    pub message: Option<String>,
    /// The values that the failing assertion compared, where it tells them.
    pub expected: Option<String>,
    pub actual: Option<String>,
    /// Lines of the project's own code on the exception's stack, innermost first.
    pub failed_at: Vec<SourcePlace>,
    /// Choices are numbered in a run that follows an unvaried one in the same JVM; else in the first run of a JVM.
    pub warm: bool,
    /// How often the test was run to find this out.
    pub runs: u32,
    /// How long that took, in seconds.
    pub time: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CauseStatus {
    /// It was not searched for.
    #[default]
    NotRun,
    Found,
    /// The search failed; [`Cause::reason`] says why.
    NotFound,
}

/// One underdetermined call, and what it answered when the test failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Its number among the choices of the run, from 1: what `unflake replay TEST --choices` takes.
    pub number: u32,
    /// The model.
    pub api: String,
    /// The sentence that leaves it open.
    pub javadoc: String,
    /// The innermost line of the project's own code on the stack of the call.
    pub call: Option<SourcePlace>,
    /// The same for where the collection was made.
    pub allocation: Option<SourcePlace>,
    /// The stack of the call, innermost first, without unflake's own frames.
    pub stack: Vec<Frame>,
    pub allocation_stack: Vec<Frame>,
    /// The class of the collection, if it is one.
    pub owner: Option<String>,
    /// How many elements there are, or how many answers where one is picked; the two lists below may show fewer.
    pub elements: u32,
    /// The elements in the order that this JDK gives, as text, shortened; or the answer that it gives.
    pub natural: Vec<String>,
    /// The elements in the order that makes the test fail, or the answer that does.
    pub failing: Vec<String>,
    /// The elements that changed their places, if they are few: two of them were swapped.
    pub moved: Vec<String>,
}

/// A line of the project's own code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourcePlace {
    /// From the project's root if the source was found there, else the name as the class file has it.
    pub file: String,
    pub line: u32,
    /// `package.Class.method`.
    pub method: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// `package.Class.method`.
    pub method: String,
    /// The source file's name, where the class file has it.
    pub file: Option<String>,
    pub line: Option<u32>,
    /// It is in the project's own classes.
    pub own: bool,
}
