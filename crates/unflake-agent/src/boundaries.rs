//! Where test frameworks say that a container or a test starts and ends (SPIKES, section 4), as a table: a framework is
//! a few rows. What the rows call is in `java.util.UnflakeEvents`.

use unflake_bytecode::{Arg, Change, Helper, MethodEdit};

/// The runtime class that is called.
pub(crate) const EVENTS: &str = "java/util/UnflakeEvents";

/// A sleeping agent wakes up when one of these is prepared: each framework has to load its own before the first test.
pub(crate) const WAKES: &[&str] = &[
    "junit/framework/TestResult",
    "org/junit/runner/notification/RunNotifier",
    "org/junit/platform/launcher/core/ExecutionListenerAdapter",
];

/// One call into the runtime.
struct Boundary {
    class: &'static str,
    method: &'static str,
    descriptor: &'static str,
    place: Place,
    calls: &'static str,
    args: &'static [Given],
}

#[derive(Clone, Copy)]
enum Place {
    Entry,
    Returns,
}

#[derive(Clone, Copy)]
enum Given {
    This,
    Param(u8),
}

use Given::{Param, This};
use Place::{Entry, Returns};

const RUN: &str = "(Lorg/junit/runner/notification/RunNotifier;)V";
const DESCRIPTION: &str = "(Lorg/junit/runner/Description;)V";
const FAILURE: &str = "(Lorg/junit/runner/notification/Failure;)V";
const TEST_RESULT: &str = "junit/framework/TestResult";
const NOTIFIER: &str = "org/junit/runner/notification/RunNotifier";
const JUPITER_TEST: &str = "org/junit/jupiter/engine/descriptor/TestMethodTestDescriptor";
const JUPITER_INVOKE: &str = "(Lorg/junit/jupiter/engine/execution/JupiterEngineExecutionContext;Lorg/junit/platform/engine/support/hierarchical/Node$DynamicTestExecutor;)V";
const ADAPTER: &str = "org/junit/platform/launcher/core/ExecutionListenerAdapter";

const fn row(
    class: &'static str,
    (method, descriptor): (&'static str, &'static str),
    place: Place,
    calls: &'static str,
    args: &'static [Given],
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

#[rustfmt::skip]
const BOUNDARIES: &[Boundary] = &[
    // JUnit 3.
    row(TEST_RESULT, ("startTest", "(Ljunit/framework/Test;)V"), Entry, "junit3Started", &[Param(0)]),
    row(TEST_RESULT, ("endTest", "(Ljunit/framework/Test;)V"), Entry, "junit3Finished", &[Param(0)]),
    row(TEST_RESULT, ("addError", "(Ljunit/framework/Test;Ljava/lang/Throwable;)V"), Entry, "junit3Failed", &[Param(0), Param(1)]),
    row(TEST_RESULT, ("addFailure", "(Ljunit/framework/Test;Ljunit/framework/AssertionFailedError;)V"), Entry, "junit3Failed", &[Param(0), Param(1)]),
    // JUnit 4.
    row(NOTIFIER, ("fireTestStarted", DESCRIPTION), Entry, "junit4Started", &[Param(0)]),
    row(NOTIFIER, ("fireTestFinished", DESCRIPTION), Entry, "junit4Finished", &[Param(0)]),
    row(NOTIFIER, ("fireTestIgnored", DESCRIPTION), Entry, "junit4Ignored", &[Param(0)]),
    row(NOTIFIER, ("fireTestFailure", FAILURE), Entry, "junit4Failed", &[Param(0)]),
    row(NOTIFIER, ("fireTestAssumptionFailed", FAILURE), Entry, "junit4AssumptionFailed", &[Param(0)]),
    row("org/junit/runners/BlockJUnit4ClassRunner", ("runChild", "(Lorg/junit/runners/model/FrameworkMethod;Lorg/junit/runner/notification/RunNotifier;)V"), Entry, "junit4Starting", &[This, Param(0)]),
    row("org/junit/runners/ParentRunner", ("run", RUN), Entry, "junit4RunnerStarted", &[This]),
    row("org/junit/runners/ParentRunner", ("run", RUN), Returns, "junit4RunnerFinished", &[This]),
    row("org/junit/internal/runners/JUnit38ClassRunner", ("run", RUN), Entry, "junit4RunnerStarted", &[This]),
    row("org/junit/internal/runners/JUnit38ClassRunner", ("run", RUN), Returns, "junit4RunnerFinished", &[This]),
    row("org/junit/internal/runners/JUnit4ClassRunner", ("run", RUN), Entry, "junit4RunnerStarted", &[This]),
    row("org/junit/internal/runners/JUnit4ClassRunner", ("run", RUN), Returns, "junit4RunnerFinished", &[This]),
    row("org/junit/internal/runners/SuiteMethod", ("<init>", "(Ljava/lang/Class;)V"), Returns, "suiteMade", &[This, Param(0)]),
    // The test's own code, between set-up and tear-down.
    row("junit/framework/TestCase", ("runTest", "()V"), Entry, "bodyStarted", &[]),
    row("junit/framework/TestCase", ("runTest", "()V"), Returns, "bodyFinished", &[]),
    row("org/junit/internal/runners/statements/InvokeMethod", ("evaluate", "()V"), Entry, "bodyStarted", &[]),
    row("org/junit/internal/runners/statements/InvokeMethod", ("evaluate", "()V"), Returns, "bodyFinished", &[]),
    row(JUPITER_TEST, ("invokeTestMethod", JUPITER_INVOKE), Entry, "bodyStarted", &[]),
    row(JUPITER_TEST, ("invokeTestMethod", JUPITER_INVOKE), Returns, "bodyFinished", &[]),
    // The JUnit Platform.
    row(ADAPTER, ("executionStarted", "(Lorg/junit/platform/engine/TestDescriptor;)V"), Entry, "platformStarted", &[This, Param(0)]),
    row(ADAPTER, ("executionFinished", "(Lorg/junit/platform/engine/TestDescriptor;Lorg/junit/platform/engine/TestExecutionResult;)V"), Entry, "platformFinished", &[Param(0), Param(1)]),
    row("org/junit/jupiter/engine/execution/DefaultTestInstances", ("of", "(Ljava/lang/Object;)Lorg/junit/jupiter/engine/execution/DefaultTestInstances;"), Entry, "instanceMade", &[Param(0)]),
    row(ADAPTER, ("executionSkipped", "(Lorg/junit/platform/engine/TestDescriptor;Ljava/lang/String;)V"), Entry, "platformSkipped", &[Param(0), Param(1)]),
];

/// Every class that has boundaries, with its edits.
pub(crate) fn edits() -> impl Iterator<Item = (&'static str, MethodEdit)> {
    BOUNDARIES
        .iter()
        .map(|boundary| (boundary.class, boundary.edit()))
}

impl Boundary {
    fn edit(&self) -> MethodEdit {
        let helper = Helper {
            class: EVENTS.to_owned(),
            name: self.calls.to_owned(),
            descriptor: format!("({})V", "Ljava/lang/Object;".repeat(self.args.len())),
        };
        let args = self.args.iter().map(|given| match given {
            This => Arg::This,
            Param(index) => Arg::Param(*index),
        });
        let args = args.collect();
        MethodEdit {
            method: self.method.to_owned(),
            descriptor: self.descriptor.to_owned(),
            change: match self.place {
                Entry => Change::AtEntry { helper, args },
                Returns => Change::BeforeReturns { helper, args },
            },
        }
    }
}
