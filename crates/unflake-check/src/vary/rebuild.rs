//! One more run of the build, and what it shows of tests.

use crate::progress::Progress;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;
use unflake_project::{BuildError, BuildRequest, BuildRun, During, HowLost, LostJvm, Silence};
use unflake_protocol::{Configuration, Failure, Handle, Outcome, Strategy, ToProgram};

/// One more build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rebuilding<'a> {
    /// `None`: unvaried.
    pub(crate) strategy: Option<Strategy>,
    /// The top-level classes to run.
    pub(crate) classes: &'a [String],
    pub(crate) phase: &'a str,
    pub(crate) until: Instant,
    pub(crate) silence: Silence,
}

pub(crate) type Rebuild<'a> = dyn Fn(&Rebuilding<'_>) -> Rebuilt + 'a;

pub(crate) type Rebuilt = Result<BuildOutcomes, NotRebuilt>;

/// What became of the tests that a build ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct BuildOutcomes {
    pub(crate) tests: Vec<(Handle, Outcome)>,
    /// Classes that ended their JVM outside of their tests.
    pub(crate) classes: Vec<(String, Failure)>,
    /// The classes that were running when a JVM ended: what comes behind them may not have run.
    pub(crate) ended: Vec<String>,
    /// Why agents switched themselves off.
    pub(crate) bugs: Vec<String>,
}

/// Why a build has no outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotRebuilt {
    Interrupted,
    /// It failed, or took too long.
    Ended(String),
}

/// Runs the build as it ran for learning. Afterwards the tests are as compiled as before, in these directories.
pub(crate) fn rebuild<'a>(
    learning: &'a BuildRequest<'a>,
    directories: &'a BTreeSet<PathBuf>,
    progress: &'a dyn Progress,
) -> impl Fn(&Rebuilding<'_>) -> Rebuilt + 'a {
    move |asked| {
        progress.phase(asked.phase, 0);
        let configuration = Configuration {
            strategy: asked.strategy,
            learn: false,
            ..learning.configuration.clone()
        };
        // Of two selections the last one counts.
        let selected = learning.build.tool.select(asked.classes);
        let arguments: Vec<String> = learning.arguments.iter().cloned().chain(selected).collect();
        let request = BuildRequest {
            configuration: &configuration,
            arguments: &arguments,
            until: Some(asked.until),
            silence: asked.silence,
            ..learning.clone()
        };
        let run = request.run(|message| {
            if matches!(message, ToProgram::TestFinished { .. }) {
                progress.step();
            }
        });
        // However short the time was: all that runs from here on needs the classes.
        let restored = learning.restore(directories);
        match run.and_then(|run| restored.map(|_| run)) {
            Ok(run) => Ok(BuildOutcomes::of(run)),
            Err(BuildError::Cancelled { .. }) => Err(NotRebuilt::Interrupted),
            Err(error) => Err(NotRebuilt::Ended(error.to_string())),
        }
    }
}

/// What tests did in a build.
pub(crate) fn outcomes(run: BuildRun) -> Vec<(Handle, Outcome)> {
    BuildOutcomes::of(run).tests
}

/// What a test did in a build; `None`: it did not run.
pub fn outcome_in_build(run: BuildRun, test: &Handle) -> Option<Outcome> {
    let BuildOutcomes { tests, classes, .. } = BuildOutcomes::of(run);
    let mut of_test = tests.into_iter().filter(|(handle, _)| handle == test);
    let mut of_class = classes.into_iter().filter(|(root, _)| *root == test.root);
    let failed = |(_, failure)| Outcome::Failed(failure);
    of_test
        .next()
        .map(|(_, outcome)| outcome)
        .or_else(|| of_class.next().map(failed))
}

impl BuildOutcomes {
    fn of(run: BuildRun) -> BuildOutcomes {
        let mut outcomes = BuildOutcomes::default();
        for jvm in run.jvms {
            let tests = jvm.tests.into_iter().map(|run| (run.test.handle, run.outcome));
            outcomes.tests.extend(tests);
            outcomes.bugs.extend(jvm.bugs);
        }
        for lost in run.lost {
            let failure = ended(&lost);
            match lost.during {
                During::Tests(tests) => {
                    let roots = tests.iter().map(|test| test.handle.root.clone());
                    outcomes.ended.extend(roots);
                    let failed = |handle| (handle, Outcome::Failed(failure.clone()));
                    outcomes
                        .tests
                        .extend(tests.into_iter().map(|test| failed(test.handle)));
                }
                During::Class(root) => {
                    outcomes.ended.push(root.clone());
                    outcomes.classes.push((root, failure));
                }
                // The tests that it took along did not run.
                During::Nothing => {}
            }
        }
        outcomes
    }
}

/// How a test fails that ended its JVM, or did not end itself.
fn ended(lost: &LostJvm) -> Failure {
    /// What shells add to the number of the signal that ended a process.
    const SIGNAL: i32 = 128;
    let (kind, message) = match lost.how {
        HowLost::Exited(Some(status)) if status > SIGNAL => (
            Failure::CRASH,
            format!("the test ended its JVM (signal: {})", status - SIGNAL),
        ),
        HowLost::Exited(Some(status)) => (
            Failure::EXIT,
            format!("the test ended its JVM (exit status: {status})"),
        ),
        HowLost::Exited(None) => (Failure::EXIT, "the test ended its JVM".to_owned()),
        HowLost::Hung(after) => (
            Failure::HANG,
            format!("the test did not finish within {} s", after.as_secs()),
        ),
    };
    Failure {
        kind: kind.to_owned(),
        message,
        trace: String::new(),
        expected: None,
        actual: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::handle;
    use std::time::Duration;
    use unflake_protocol::SeenTest;

    #[test]
    fn a_jvm_that_a_test_ended_is_its_failure() {
        let seen = |name: &str| SeenTest {
            handle: handle(name),
            class: "A".to_owned(),
            method: name.to_owned(),
            invocation: None,
        };
        let tests = || During::Tests(vec![seen("A#a")]);
        for (during, how, expected) in [
            (
                tests(),
                HowLost::Exited(Some(7)),
                "A#a exit: the test ended its JVM (exit status: 7)",
            ),
            (
                tests(),
                HowLost::Exited(Some(134)),
                "A#a crash: the test ended its JVM (signal: 6)",
            ),
            (tests(), HowLost::Exited(None), "A#a exit: the test ended its JVM"),
            (
                tests(),
                HowLost::Hung(Duration::from_secs(9)),
                "A#a hang: the test did not finish within 9 s",
            ),
            (
                During::Class("A".to_owned()),
                HowLost::Exited(None),
                "class A exit: the test ended its JVM",
            ),
            (During::Nothing, HowLost::Exited(Some(7)), ""),
        ] {
            let lost = LostJvm {
                module: ".".to_owned(),
                during,
                how,
            };
            let outcomes = BuildOutcomes::of(BuildRun {
                lost: vec![lost],
                ..BuildRun::default()
            });
            let says =
                |name: &str, failure: &Failure| format!("{name} {}: {}", failure.kind, failure.message);
            let mut shown = String::new();
            for (handle, outcome) in &outcomes.tests {
                if let Outcome::Failed(failure) = outcome {
                    shown += &says(&handle.id, failure);
                }
            }
            for (root, failure) in &outcomes.classes {
                shown += &says(&format!("class {root}"), failure);
            }
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn a_test_of_a_class_that_ended_its_jvm_has_failed_unless_it_ran_before() {
        let run = |ran: &str, during: During| {
            let folder = tempfile::tempdir().unwrap();
            let mut run = crate::simulated::build_run(ran, folder.path());
            run.lost.push(LostJvm {
                module: ".".to_owned(),
                during,
                how: HowLost::Exited(None),
            });
            run
        };
        let outcome = |ran: &str, class: &str, test: &str| {
            let run = run(ran, During::Class(class.to_owned()));
            outcome_in_build(run, &handle(test)).map(|outcome| outcome == Outcome::Passed)
        };
        assert_eq!(outcome("A#a", "A", "A#a"), Some(true));
        assert_eq!(outcome("A#a", "A", "A#b"), Some(false));
        assert_eq!(outcome("A#a", "B", "A#b"), None);
        assert_eq!(outcome("A#a [failed]", "B", "A#a"), Some(false));
        assert_eq!(
            outcome_in_build(run("A#a", During::Nothing), &handle("A#b")),
            None
        );
        // What was running may have taken others along.
        let ended = |during| BuildOutcomes::of(run("B#b", during)).ended;
        assert_eq!(ended(During::Class("A".to_owned())), ["A"]);
        assert!(ended(During::Nothing).is_empty());
    }
}
