//! The test frameworks that unflake can listen to and start, as a table.
//!
//! A framework is one variant, one row here, one class in `runtime/boot` that its boundaries call, and one class in
//! `runtime/runner` that starts its tests. Whoever needs to know something about frameworks is given the table
//! ([`FRAMEWORKS`] outside of tests): the agent edits the boundaries and wakes up on the classes named here, and the
//! program and the agent ask it which code supports tests and so is not the project's.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Everything that is known about frameworks.
#[derive(Clone, Copy, Debug)]
pub struct Frameworks<'a> {
    /// In the order of their ranks: a later one runs tests of an earlier one too, and then only the later is listened
    /// to.
    pub rows: &'a [FrameworkRow],
    /// Code around tests that belongs to none of the rows.
    pub around: &'a [Prefix],
}

/// One framework.
#[derive(Clone, Copy, Debug)]
pub struct FrameworkRow {
    /// How the agent, the runtime and the test runner name it. `NAMETests` is its class in `runtime/runner`.
    pub wire_name: &'static str,
    /// Its own code.
    pub code: &'static [Prefix],
    /// A sleeping agent wakes up when one of these is prepared: the framework has to load one before its first test.
    pub wakes: &'static [&'static str],
    /// Where it says that a container or a test starts or ends.
    pub boundaries: &'static [Boundary],
}

/// Classes whose names begin like this support tests.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    /// With dots.
    pub start: &'static str,
    pub support: Support,
}

/// What code that is neither the project's nor the JDK's does for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Compares what it is given.
    Assertion,
    /// Finds tests and runs them.
    Framework,
    /// Starts a framework: a build tool, or unflake's own runner.
    Launcher,
    /// Says for an assertion what is expected.
    Matcher,
}

/// One call into the runtime.
#[derive(Clone, Copy, Debug)]
pub struct Boundary {
    /// The edited class, with slashes.
    pub class: &'static str,
    pub method: &'static str,
    pub descriptor: &'static str,
    pub place: CallPlace,
    /// `Class.method` of the runtime, whose parameters are all `Object`.
    pub calls: &'static str,
    pub args: &'static [CallArg],
}

/// Where in the edited method the call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPlace {
    Entry,
    Returns,
}

/// What the call is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallArg {
    This,
    Param(u8),
}

use CallArg::{Param, This};
use CallPlace::{Entry, Returns};

/// Declares the variants and the table together, so that there is no variant without a row.
macro_rules! frameworks {
    ($($(#[$about:meta])* $variant:ident => $row:expr),+ $(,)?) => {
        /// Which framework reports a test, the outermost one last: the JUnit Platform runs JUnit 4 tests through its
        /// vintage engine, and JUnit 4 runs JUnit 3 tests.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Framework {
            $($(#[$about])* $variant),+
        }

        impl Framework {
            /// The lowest rank first.
            pub const ALL: &'static [Framework] = &[$(Framework::$variant),+];

            const ROWS: &'static [FrameworkRow] = &[$($row),+];

            pub fn row(self) -> &'static FrameworkRow {
                &Framework::ROWS[self as usize]
            }
        }
    };
}

frameworks! {
    JUnit3 => JUNIT3,
    JUnit4 => JUNIT4,
    /// The JUnit Platform with any engine: Jupiter, vintage and those of others.
    Platform => PLATFORM,
}

impl Framework {
    /// See [`FrameworkRow::wire_name`].
    pub fn wire_name(self) -> &'static str {
        self.row().wire_name
    }

    pub fn from_wire_name(name: &str) -> Result<Framework, UnknownFramework> {
        Framework::ALL
            .iter()
            .find(|framework| framework.wire_name() == name)
            .copied()
            .ok_or_else(|| UnknownFramework(name.to_owned()))
    }

    /// Once a framework of a higher rank has spoken in a JVM, lower ones are not listened to.
    pub fn rank(self) -> i32 {
        self as i32
    }
}

/// Somebody named a framework that has no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFramework(pub String);

impl fmt::Display for UnknownFramework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<String> = Framework::ALL
            .iter()
            .map(|framework| format!("`{}`", framework.wire_name()))
            .collect();
        write!(
            f,
            "unknown test framework `{}`; use one of {}",
            self.0,
            known.join(", ")
        )
    }
}

impl std::error::Error for UnknownFramework {}

/// The table as it is outside of tests.
pub const FRAMEWORKS: Frameworks<'static> = Frameworks {
    rows: Framework::ROWS,
    around: AROUND,
};

impl Frameworks<'_> {
    /// What a class does for tests, by its name with dots or slashes; the longest prefix decides. `None`: nothing
    /// known.
    pub fn support_of(&self, class: &str) -> Option<Support> {
        let of_rows = self.rows.iter().flat_map(|row| row.code);
        of_rows
            .chain(self.around)
            .filter(|prefix| prefix.covers(class))
            .max_by_key(|prefix| prefix.start.len())
            .map(|prefix| prefix.support)
    }

    /// Whether loading this class, named with slashes, says that tests are about to run.
    pub fn wakes(&self, class: &str) -> bool {
        self.rows.iter().any(|row| row.wakes.contains(&class))
    }

    pub fn boundaries(&self) -> impl Iterator<Item = &Boundary> {
        self.rows.iter().flat_map(|row| row.boundaries)
    }
}

impl Prefix {
    fn covers(&self, class: &str) -> bool {
        let dotted = |byte: u8| if byte == b'/' { b'.' } else { byte };
        class.len() >= self.start.len()
            && class
                .bytes()
                .zip(self.start.bytes())
                .all(|(one, other)| dotted(one) == other)
    }
}

const fn prefix(start: &'static str, support: Support) -> Prefix {
    Prefix { start, support }
}

const fn at(
    class: &'static str,
    (method, descriptor): (&'static str, &'static str),
    place: CallPlace,
    calls: &'static str,
    args: &'static [CallArg],
) -> Boundary {
    Boundary {
        class,
        method,
        descriptor,
        place,
        calls,
        args,
    }
}

const AROUND: &[Prefix] = &[
    prefix("org.apache.maven.", Support::Launcher),
    prefix("org.gradle.", Support::Launcher),
    prefix("worker.org.gradle.", Support::Launcher),
    prefix("unflake.runner.", Support::Launcher),
    prefix("org.hamcrest.", Support::Matcher),
    // Not listened to yet, but known to be no project's.
    prefix("org.testng.", Support::Framework),
];

const TEST_RESULT: &str = "junit/framework/TestResult";
const TEST_CASE: &str = "junit/framework/TestCase";

#[rustfmt::skip]
const JUNIT3: FrameworkRow = FrameworkRow {
    wire_name: "JUnit3",
    code: &[
        prefix("junit.", Support::Framework),
        prefix("junit.framework.Assert", Support::Assertion),
    ],
    wakes: &[TEST_RESULT],
    boundaries: &[
        at(TEST_RESULT, ("startTest", "(Ljunit/framework/Test;)V"), Entry, "UnflakeJUnit3.started", &[Param(0)]),
        at(TEST_RESULT, ("endTest", "(Ljunit/framework/Test;)V"), Entry, "UnflakeJUnit3.finished", &[Param(0)]),
        at(TEST_RESULT, ("addError", "(Ljunit/framework/Test;Ljava/lang/Throwable;)V"), Entry,
            "UnflakeJUnit3.failed", &[Param(0), Param(1)]),
        at(TEST_RESULT, ("addFailure", "(Ljunit/framework/Test;Ljunit/framework/AssertionFailedError;)V"), Entry,
            "UnflakeJUnit3.failed", &[Param(0), Param(1)]),
        at(TEST_CASE, ("runTest", "()V"), Entry, "UnflakeBodies.started", &[]),
        at(TEST_CASE, ("runTest", "()V"), Returns, "UnflakeBodies.finished", &[]),
    ],
};

const NOTIFIER: &str = "org/junit/runner/notification/RunNotifier";
const PARENT_RUNNER: &str = "org/junit/runners/ParentRunner";
const JUNIT38_RUNNER: &str = "org/junit/internal/runners/JUnit38ClassRunner";
const OLD_RUNNER: &str = "org/junit/internal/runners/JUnit4ClassRunner";
const INVOKE_METHOD: &str = "org/junit/internal/runners/statements/InvokeMethod";
const RUN: &str = "(Lorg/junit/runner/notification/RunNotifier;)V";
const RUN_CHILD: &str =
    "(Lorg/junit/runners/model/FrameworkMethod;Lorg/junit/runner/notification/RunNotifier;)V";
const DESCRIPTION: &str = "(Lorg/junit/runner/Description;)V";
const FAILURE: &str = "(Lorg/junit/runner/notification/Failure;)V";

#[rustfmt::skip]
const JUNIT4: FrameworkRow = FrameworkRow {
    wire_name: "JUnit4",
    code: &[
        prefix("org.junit.", Support::Framework),
        prefix("org.junit.Assert", Support::Assertion),
    ],
    wakes: &[NOTIFIER],
    boundaries: &[
        at(NOTIFIER, ("fireTestStarted", DESCRIPTION), Entry, "UnflakeJUnit4.started", &[Param(0)]),
        at(NOTIFIER, ("fireTestFinished", DESCRIPTION), Entry, "UnflakeJUnit4.finished", &[Param(0)]),
        at(NOTIFIER, ("fireTestIgnored", DESCRIPTION), Entry, "UnflakeJUnit4.ignored", &[Param(0)]),
        at(NOTIFIER, ("fireTestFailure", FAILURE), Entry, "UnflakeJUnit4.failed", &[Param(0)]),
        at(NOTIFIER, ("fireTestAssumptionFailed", FAILURE), Entry, "UnflakeJUnit4.assumptionFailed", &[Param(0)]),
        at("org/junit/runners/BlockJUnit4ClassRunner", ("runChild", RUN_CHILD), Entry,
            "UnflakeJUnit4.starting", &[This, Param(0)]),
        at(PARENT_RUNNER, ("run", RUN), Entry, "UnflakeJUnit4.runnerStarted", &[This]),
        at(PARENT_RUNNER, ("run", RUN), Returns, "UnflakeJUnit4.runnerFinished", &[This]),
        at(JUNIT38_RUNNER, ("run", RUN), Entry, "UnflakeJUnit4.runnerStarted", &[This]),
        at(JUNIT38_RUNNER, ("run", RUN), Returns, "UnflakeJUnit4.runnerFinished", &[This]),
        at(OLD_RUNNER, ("run", RUN), Entry, "UnflakeJUnit4.runnerStarted", &[This]),
        at(OLD_RUNNER, ("run", RUN), Returns, "UnflakeJUnit4.runnerFinished", &[This]),
        at("org/junit/internal/runners/SuiteMethod", ("<init>", "(Ljava/lang/Class;)V"), Returns,
            "UnflakeJUnit4.suiteMade", &[This, Param(0)]),
        at(INVOKE_METHOD, ("evaluate", "()V"), Entry, "UnflakeBodies.started", &[]),
        at(INVOKE_METHOD, ("evaluate", "()V"), Returns, "UnflakeBodies.finished", &[]),
    ],
};

const ADAPTER: &str = "org/junit/platform/launcher/core/ExecutionListenerAdapter";
const JUPITER_TEST: &str = "org/junit/jupiter/engine/descriptor/TestMethodTestDescriptor";
const JUPITER_INVOKE: &str = concat!(
    "(Lorg/junit/jupiter/engine/execution/JupiterEngineExecutionContext;",
    "Lorg/junit/platform/engine/support/hierarchical/Node$DynamicTestExecutor;)V"
);
const JUPITER_INSTANCES: &str = "org/junit/jupiter/engine/execution/DefaultTestInstances";
const ONE_INSTANCE: &str = "(Ljava/lang/Object;)Lorg/junit/jupiter/engine/execution/DefaultTestInstances;";
const STARTED: &str = "(Lorg/junit/platform/engine/TestDescriptor;)V";
const FINISHED: &str =
    "(Lorg/junit/platform/engine/TestDescriptor;Lorg/junit/platform/engine/TestExecutionResult;)V";
const SKIPPED: &str = "(Lorg/junit/platform/engine/TestDescriptor;Ljava/lang/String;)V";

#[rustfmt::skip]
const PLATFORM: FrameworkRow = FrameworkRow {
    wire_name: "Platform",
    code: &[
        prefix("org.junit.platform.", Support::Framework),
        prefix("org.junit.jupiter.", Support::Framework),
        prefix("org.junit.vintage.", Support::Framework),
        prefix("org.apiguardian.", Support::Framework),
        prefix("org.junit.jupiter.api.Assert", Support::Assertion),
        prefix("org.opentest4j.", Support::Assertion),
    ],
    wakes: &[ADAPTER],
    boundaries: &[
        at(ADAPTER, ("executionStarted", STARTED), Entry, "UnflakePlatform.started", &[This, Param(0)]),
        at(ADAPTER, ("executionFinished", FINISHED), Entry, "UnflakePlatform.finished", &[Param(0), Param(1)]),
        at(ADAPTER, ("executionSkipped", SKIPPED), Entry, "UnflakePlatform.skipped", &[Param(0), Param(1)]),
        at(JUPITER_INSTANCES, ("of", ONE_INSTANCE), Entry, "UnflakePlatform.instanceMade", &[Param(0)]),
        at(JUPITER_TEST, ("invokeTestMethod", JUPITER_INVOKE), Entry, "UnflakeBodies.started", &[]),
        at(JUPITER_TEST, ("invokeTestMethod", JUPITER_INVOKE), Returns, "UnflakeBodies.finished", &[]),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_framework_is_read_as_it_is_written() {
        for framework in Framework::ALL {
            assert_eq!(Framework::from_wire_name(framework.wire_name()), Ok(*framework));
        }
        for (framework, name) in [
            (Framework::JUnit3, "JUnit3"),
            (Framework::JUnit4, "JUnit4"),
            (Framework::Platform, "Platform"),
        ] {
            assert_eq!(framework.wire_name(), name);
        }
    }

    #[test]
    fn an_unknown_framework_is_an_error_that_names_the_known_ones() {
        let error = Framework::from_wire_name("Nobody").unwrap_err().to_string();
        let start = "unknown test framework `Nobody`; use one of `JUnit3`, `JUnit4`, `Platform`";
        assert!(error.starts_with(start), "{error}");
    }

    #[test]
    fn an_outer_framework_has_the_higher_rank() {
        let inside_out = [Framework::JUnit3, Framework::JUnit4, Framework::Platform];
        assert!(inside_out.is_sorted_by(|inner, outer| inner.rank() < outer.rank()));
        for (rank, framework) in Framework::ALL.iter().enumerate() {
            assert_eq!(usize::try_from(framework.rank()), Ok(rank));
        }
    }

    #[test]
    fn the_longest_prefix_says_what_a_class_is_for() {
        for (class, support) in [
            ("org.junit.Assert", Some(Support::Assertion)),
            ("org/junit/Assert", Some(Support::Assertion)),
            ("org.junit.runners.ParentRunner", Some(Support::Framework)),
            ("junit.framework.AssertionFailedError", Some(Support::Assertion)),
            ("junit/framework/TestCase", Some(Support::Framework)),
            (
                "org.junit.jupiter.api.AssertIterableEquals",
                Some(Support::Assertion),
            ),
            ("org.junit.jupiter.api.Test", Some(Support::Framework)),
            ("org.opentest4j.AssertionFailedError", Some(Support::Assertion)),
            ("org.hamcrest.Matcher", Some(Support::Matcher)),
            ("worker/org/gradle/Main", Some(Support::Launcher)),
            ("org.junitpioneer.Thing", None),
            ("junit", None),
            ("com.example.OrderTest", None),
        ] {
            assert_eq!(FRAMEWORKS.support_of(class), support, "{class}");
        }
    }

    /// A JVM in which a framework is edited has loaded one of its classes that wake the agent.
    #[test]
    fn every_row_wakes_the_agent_and_says_where_tests_start_and_end() {
        for row in FRAMEWORKS.rows {
            assert!(!row.wakes.is_empty(), "{}", row.wire_name);
            for class in row.wakes {
                assert!(FRAMEWORKS.wakes(class), "{class}");
                assert!(
                    row.boundaries.iter().any(|boundary| boundary.class == *class),
                    "{class}"
                );
            }
            for boundary in row.boundaries {
                assert!(boundary.calls.split('.').count() == 2, "{boundary:?}");
                assert_eq!(FRAMEWORKS.support_of(boundary.class), Some(Support::Framework));
            }
        }
    }
}
