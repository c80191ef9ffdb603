//! What the program and an agent say to each other.

use crate::{
    Author, Chosen, Evidence, Handle, HeapSetting, Leaf, Measured, Record, Script, SeenTest, StateChange,
    Strategy, Watch,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// From the program to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToAgent {
    /// The answer to [`ToProgram::Hello`].
    Configure(Box<Configuration>),
    /// For a worker: run these tests, then say [`ToProgram::RunFinished`].
    Run(RunCommand),
    /// For a worker: end the JVM.
    Exit,
}

/// What this JVM is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// A JVM of the user's build, whose tests, choices and launch are recorded. Choices vary if there is a strategy.
    Build,
    /// A JVM that the program started from a recipe; it asks for [`ToAgent::Run`].
    Worker,
    /// A JVM under `unflake exec --window program`: varied from the start to the end.
    Program,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    pub role: Role,
    /// How choices vary; `None`: they are counted and left as they are. A worker's comes with each [`RunCommand`].
    pub strategy: Option<Strategy>,
    /// Names of the models that are switched on (see `unflake-models`).
    pub models: Vec<String>,
    pub user_models: Vec<UserModel>,
    /// Globs over the caller's `package.Class.method`. Empty lists: no stack is walked on a choice.
    pub from: Vec<String>,
    pub skip_from: Vec<String>,
    /// Say [`ToProgram::Recipe`], [`ToProgram::ClassLoaded`] and [`ToProgram::InitialiserChose`] too.
    pub learn: bool,
    /// Be ready to say where collections are made ([`Record::allocations`]): costs a little on every one.
    pub allocations: bool,
    /// Compare shared state before and after each test, and say [`ToProgram::Changed`].
    pub watch: Option<Watch>,
    /// Say [`ToProgram::Measured`] after each run.
    #[serde(default)]
    pub measure: bool,
    /// Where to leave edited classes that the JVM refuses, for debugging.
    pub evidence: Option<PathBuf>,
}

/// An underdetermined API that a user described (N9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserModel {
    /// `package.Class.method`, all overloads.
    pub method: String,
    pub kind: UserModelKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum UserModelKind {
    /// Arrays, lists, collections, iterators and streams: any order.
    Permute,
    /// Arrays and lists: may be longer.
    Extend,
    /// `int` and `long`: any value.
    Random,
    /// Text or a number: any of these. Numbers are given as text.
    OneOf(Vec<String>),
    /// `float` and `double`: anything this near.
    Tolerance(f64),
}

impl Eq for UserModelKind {}

/// Tests to run in a worker, in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCommand {
    /// `None`: choices are counted and left as they are.
    pub strategy: Option<Strategy>,
    /// Choices vary in these scopes, named as tests and roots are; in all others they are natural. Empty: in all.
    pub only: Vec<String>,
    pub tests: Vec<Handle>,
    /// Where not all choices follow the strategy.
    pub script: Option<Script>,
    pub record: Record,
}

/// From an agent to the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToProgram {
    /// First thing after waking up.
    Hello {
        protocol: u32,
        pid: u32,
        worker: Option<u32>,
        java: JavaVm,
    },
    /// Once, before the first test of a JVM that the build started.
    Recipe(Box<Recipe>),
    /// A test class (or suite) begins, before its own set-up.
    ContainerStarted {
        root: String,
    },
    /// It ended, after its tear-down. `failure`: its set-up or tear-down failed.
    ContainerFinished {
        root: String,
        choices: ScopeChoices,
        failure: Option<Failure>,
    },
    TestStarted(SeenTest),
    TestFinished {
        test: SeenTest,
        outcome: Outcome,
        choices: ScopeChoices,
        nanos: u64,
        /// Processor time that the whole JVM used meanwhile.
        busy_nanos: u64,
    },
    /// Shared state is not as it was; after the [`ToProgram::TestFinished`] or before the
    /// [`ToProgram::ContainerFinished`] of whoever did it.
    Changed {
        by: Author,
        changes: Vec<StateChange>,
    },
    /// A class was initialised: what one of its static fields reached when its author was through.
    Initialised {
        by: Author,
        root: String,
        leaves: Vec<Leaf>,
    },
    /// Something could not be watched: what, and why.
    NotWatched {
        what: String,
        reason: String,
    },
    /// Something that was asked for about the heap matched something; once in a JVM.
    Used(HeapSetting),
    /// The abstraction of this class does not fit it: its objects are read as if there were none.
    Unusable {
        class: String,
        reason: String,
    },
    /// The static initialiser of this class (or what it called) made a choice.
    InitialiserChose {
        class: String,
    },
    /// A class that is not the JDK's was loaded; the classes its constant pool names.
    ClassLoaded {
        class: String,
        refers_to: Vec<String>,
    },
    /// A model's method could not be edited and stays as it is.
    NotApplied {
        method: String,
        reason: String,
    },
    /// The choices of a run, in the order in which they were made; before [`ToProgram::RunFinished`].
    Choices(Vec<Chosen>),
    /// At the choice itself.
    Evidence(Box<Evidence>),
    /// What the JVM has needed so far; before [`ToProgram::RunFinished`], where that was asked for.
    Measured(Box<Measured>),
    /// The tests of a [`RunCommand`] are through.
    RunFinished,
    /// Something in the agent that must not happen did; it has switched itself off.
    Bug {
        message: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JavaVm {
    /// 8, 11, 17…
    pub feature: u8,
    /// `17.0.15`
    pub version: String,
    pub home: PathBuf,
}

/// How a test JVM was started: all that is needed to start it again without the build tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// The `java` program.
    pub java: PathBuf,
    /// The process's whole command line, without the program. Argument files are expanded in `argument_files`.
    pub arguments: Vec<String>,
    /// Contents of the `@file` arguments, which the build removes when the JVM ends.
    pub argument_files: BTreeMap<String, String>,
    pub directory: PathBuf,
    pub environment: BTreeMap<String, String>,
    /// `System.getProperties()` as Java sees them when the first test starts.
    pub properties: BTreeMap<String, String>,
    /// Where the JUnit Platform's launcher was loaded from, if it was: build tools bring their own.
    pub launcher: Vec<PathBuf>,
}

/// What was chosen in one scope: a test, or what a container did outside of its tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeChoices {
    /// Calls that had more than one allowed result.
    pub count: u64,
    /// At least one was made for the project's sake, not by the test framework for its own.
    pub by_project: bool,
    /// Models that made them: names.
    pub models: Vec<String>,
    pub hashes: HashDraws,
}

/// Whether identity hashes were drawn on the test's thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum HashDraws {
    None,
    Some,
    /// This JVM's generator is not one we can follow.
    #[default]
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    Passed,
    Failed(Failure),
    /// Disabled, ignored, or an assumption did not hold.
    Skipped {
        reason: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The exception's class, or one of [`Failure::HANG`], [`Failure::EXIT`] and [`Failure::CRASH`].
    pub kind: String,
    pub message: String,
    /// The stack trace as Java prints it, shortened.
    pub trace: String,
    /// The values that an assertion compared, where it tells them.
    pub expected: Option<String>,
    pub actual: Option<String>,
}

impl Failure {
    /// It did not end. The trace is what all threads did, twice.
    pub const HANG: &str = "hang";
    /// It ended its JVM.
    pub const EXIT: &str = "exit";
    /// Its JVM was ended by a signal: it crashed, or was killed.
    pub const CRASH: &str = "crash";

    pub fn sort(&self) -> FailureSort {
        match self.kind.as_str() {
            Failure::HANG => FailureSort::Hang,
            Failure::EXIT => FailureSort::Exit,
            Failure::CRASH => FailureSort::Crash,
            "java.lang.OutOfMemoryError" | "java.lang.StackOverflowError" => FailureSort::Memory,
            class if is_assertion(class) || self.expected.is_some() => FailureSort::Assertion,
            _ => FailureSort::Exception,
        }
    }
}

/// How a test fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureSort {
    Assertion,
    Exception,
    Hang,
    Exit,
    Crash,
    Memory,
}

impl FailureSort {
    /// Whether the JVM is gone afterwards.
    pub fn ends_jvm(self) -> bool {
        matches!(self, FailureSort::Hang | FailureSort::Exit | FailureSort::Crash)
    }
}

/// By their names: what libraries throw when something is not as it was asserted.
fn is_assertion(class: &str) -> bool {
    let name = class.rsplit(['.', '$']).next().unwrap_or(class);
    name.contains("Assertion") || name.starts_with("ComparisonFailure") || name == "MultipleFailuresError"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_of_one_sort() {
        for (kind, sort) in [
            ("java.lang.AssertionError", FailureSort::Assertion),
            ("org.opentest4j.AssertionFailedError", FailureSort::Assertion),
            ("org.opentest4j.MultipleFailuresError", FailureSort::Assertion),
            ("org.junit.ComparisonFailure", FailureSort::Assertion),
            (
                "com.google.common.truth.ComparisonFailureWithFacts",
                FailureSort::Assertion,
            ),
            ("java.lang.IllegalStateException", FailureSort::Exception),
            ("java.lang.OutOfMemoryError", FailureSort::Memory),
            ("java.lang.StackOverflowError", FailureSort::Memory),
            (Failure::HANG, FailureSort::Hang),
            (Failure::EXIT, FailureSort::Exit),
            (Failure::CRASH, FailureSort::Crash),
        ] {
            let failure = Failure {
                kind: kind.to_owned(),
                message: String::new(),
                trace: String::new(),
                expected: None,
                actual: None,
            };
            assert_eq!(failure.sort(), sort, "{kind}");
        }
    }
}
