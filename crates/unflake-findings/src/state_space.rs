//! All behaviours of one test that were tried, as a graph (N12).

use serde::{Deserialize, Serialize};
use unflake_protocol::TestId;

/// The result of `unflake explore`: the graph, its figures, and how far it goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateSpace {
    pub schema_version: u32,
    #[serde(flatten)]
    pub test: TestId,
    pub figures: Figures,
    /// Every allowed behaviour within the bound was tried.
    pub complete: bool,
    /// What was left out and why, each a sentence in the form of our messages.
    pub notes: Vec<String>,
    pub executions: u64,
    pub time: f64,
    /// The first is the start. What a node leads to comes behind it.
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// The different ways to fail, the most likely first.
    pub failures: Vec<FailureKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    pub nodes: usize,
    pub edges: usize,
    pub failing_leaves: usize,
    pub merge_nodes: usize,
    pub critical_choices: usize,
    /// If every order at every choice is equally likely.
    pub failure_probability: f64,
    /// Where it is not exact: between these with 95 % confidence, or certainly if nothing was sampled.
    pub interval: Option<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    #[serde(flatten)]
    pub kind: NodeKind,
    /// From here.
    pub failure_probability: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum NodeKind {
    Start,
    Choice {
        /// The model.
        api: String,
        elements: u32,
        /// `Class.method(File.java:12)`: the innermost line of the project's own code, or of any.
        call: Option<String>,
        /// The elements in natural order, as text, shortened; empty where they were not recorded.
        natural: Vec<String>,
        /// More than one edge comes in.
        merge: bool,
        /// One order leads to nothing but passes, or nothing but failures, and another does not.
        critical: bool,
        /// Not all orders were tried, since there are too many.
        sampled: bool,
    },
    Passed,
    Failed {
        exception: String,
        message: String,
    },
    /// The bound ended the search before it came here.
    Unexplored,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// The order that was given: the place in natural order of the element that came first, second…; empty from the
    /// start. For an API that picks one of several answers, its number alone.
    pub order: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailureKind {
    pub exception: String,
    pub message: String,
    /// The line of the test where it failed, as in the stack trace.
    pub line: Option<String>,
    pub probability: f64,
    /// Executions that ended so.
    pub executions: u64,
}
