//! The project's tests as the learning run saw them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;
use unflake_explore::{Learned, Need, needs};
use unflake_project::{BuildRecipe, BuildRun, TestJvm};
use unflake_protocol::{Handle, Outcome, ScopeChoices, TestId};
use unflake_runner::Launch;

/// All tests, in the order in which the build ran them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suite {
    pub(crate) tests: Vec<KnownTest>,
    /// How the build's test JVMs were started, each way once.
    pub(crate) launches: Vec<Launch>,
    /// The recipes that the launches were made from.
    pub(crate) recipes: Vec<BuildRecipe>,
    /// Per class that is not the JDK's: the classes that its constant pool names.
    pub(crate) references: BTreeMap<String, Vec<String>>,
    /// Versions of Java that were seen.
    pub(crate) java: BTreeSet<String>,
    /// Things that did not go as they should: methods that could not be edited, JVMs that cannot be started again.
    pub(crate) troubles: Vec<Trouble>,
}

/// One test and what is known of it before anything was varied.
#[derive(Clone, Debug)]
pub(crate) struct KnownTest {
    pub(crate) id: TestId,
    pub(crate) handle: Handle,
    /// Index into [`Suite::launches`]; `None`: its JVM cannot be started without the build tool.
    pub(crate) launch: Option<usize>,
    /// Which JVM of the build it ran in.
    pub(crate) jvm: usize,
    pub(crate) baseline: Baseline,
    pub(crate) need: Need,
    /// Models that made choices in it.
    pub(crate) models: Vec<String>,
    pub(crate) time: Duration,
    /// The part of it in which its JVM did nothing.
    pub(crate) waited: Duration,
}

/// Tests that ran before another one in its JVM of the build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Before {
    /// Those of its class.
    pub(crate) of_class: Vec<usize>,
    /// All of them.
    pub(crate) in_jvm: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Baseline {
    Finished(Outcome),
    /// Its JVM ended while it ran.
    Unfinished,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    NotApplied {
        method: String,
        reason: String,
    },
    AgentOff(String),
    NoLaunch {
        module: String,
        reason: String,
    },
    ContainerFailed {
        root: String,
        message: String,
    },
    /// The build runs tests of this module at the same time in one JVM, and we do not.
    InParallel {
        module: String,
    },
}

impl Suite {
    pub(crate) fn from_build(run: &BuildRun) -> Suite {
        let mut suite = Suite::default();
        let mut seen = BTreeSet::new();
        for (number, jvm) in run.jvms.iter().enumerate() {
            suite.java.insert(jvm.java.version.clone());
            suite.references.extend(jvm.references.clone());
            let launch = suite.add_launch(jvm);
            suite.add_troubles(jvm);
            let class_path = launch.map_or(&[][..], |launch| &suite.launches[launch].class_path);
            if jvm.at_once > 1 || is_set_parallel(class_path) {
                suite.troubles.push(Trouble::InParallel {
                    module: jvm.module.clone(),
                });
            }
            let containers = container_choices(jvm);
            let learned = Learned {
                initialisers: &jvm.initialisers,
                references: &jvm.references,
                containers: &containers,
            };
            let needs = needs(learned, jvm.tests.iter().map(|run| (&run.test, &run.choices)));
            for (run, need) in jvm.tests.iter().zip(needs) {
                let id = run.test.id(&jvm.module);
                // A build may run a test more than once (reruns, several executions); the first time counts.
                if seen.insert((id.clone(), run.test.handle.id.clone())) {
                    let mut models = run.choices.models.clone();
                    models.extend(
                        containers
                            .get(&run.test.handle.root)
                            .into_iter()
                            .flat_map(|choices| choices.models.clone()),
                    );
                    models.sort();
                    models.dedup();
                    suite.tests.push(KnownTest {
                        id,
                        handle: run.test.handle.clone(),
                        launch,
                        jvm: number,
                        baseline: Baseline::Finished(run.outcome.clone()),
                        need,
                        models,
                        time: run.time,
                        waited: run.waited,
                    });
                }
            }
            for test in &jvm.unfinished {
                let id = test.id(&jvm.module);
                if seen.insert((id.clone(), test.handle.id.clone())) {
                    suite.tests.push(KnownTest {
                        id,
                        handle: test.handle.clone(),
                        launch,
                        jvm: number,
                        baseline: Baseline::Unfinished,
                        need: Need::Nothing,
                        models: Vec::new(),
                        time: Duration::ZERO,
                        waited: Duration::ZERO,
                    });
                }
            }
        }
        suite
    }

    /// What ran before a test in the build.
    pub(crate) fn before(&self, test: usize) -> Before {
        let this = &self.tests[test];
        let is_before = |other: &KnownTest| {
            other.jvm == this.jvm
                && matches!(
                    other.baseline,
                    Baseline::Finished(Outcome::Passed | Outcome::Failed(_))
                )
        };
        let in_jvm: Vec<usize> = (0..test).filter(|index| is_before(&self.tests[*index])).collect();
        let of_class = in_jvm
            .iter()
            .copied()
            .filter(|index| self.tests[*index].handle.root == this.handle.root)
            .collect();
        Before { of_class, in_jvm }
    }

    fn add_launch(&mut self, jvm: &TestJvm) -> Option<usize> {
        let Some(recipe) = &jvm.recipe else {
            let reason = "the agent could not tell how it was started".to_owned();
            self.troubles.push(Trouble::NoLaunch {
                module: jvm.module.clone(),
                reason,
            });
            return None;
        };
        match recipe.launch() {
            Ok(launch) => Some(
                self.launches
                    .iter()
                    .position(|known| *known == launch)
                    .unwrap_or_else(|| {
                        self.launches.push(launch);
                        self.recipes.push(recipe.clone());
                        self.launches.len() - 1
                    }),
            ),
            Err(error) => {
                self.troubles.push(Trouble::NoLaunch {
                    module: jvm.module.clone(),
                    reason: error.to_string(),
                });
                None
            }
        }
    }

    fn add_troubles(&mut self, jvm: &TestJvm) {
        let not_applied = jvm.not_applied.iter();
        self.troubles
            .extend(not_applied.map(|(method, reason)| Trouble::NotApplied {
                method: method.clone(),
                reason: reason.clone(),
            }));
        self.troubles
            .extend(jvm.bugs.iter().cloned().map(Trouble::AgentOff));
        for container in &jvm.containers {
            if let Some(failure) = &container.failure {
                let message = format!("{}: {}", failure.kind, failure.message);
                self.troubles.push(Trouble::ContainerFailed {
                    root: container.root.clone(),
                    message,
                });
            }
        }
    }
}

/// Whether the settings of JUnit say so. Tests may be too quick to be seen at the same time.
fn is_set_parallel(class_path: &[String]) -> bool {
    // JUnit reads the first that it finds.
    let files = class_path
        .iter()
        .map(|entry| Path::new(entry).join("junit-platform.properties"));
    let text = files.into_iter().find_map(|file| fs::read_to_string(file).ok());
    let text = text.unwrap_or_default();
    let is = |key: &str, value: &str| {
        let lines = text.lines().filter_map(|line| line.split_once(['=', ':']));
        lines
            .filter(|(name, _)| name.trim() == format!("junit.jupiter.execution.parallel.{key}"))
            .any(|(_, set)| set.trim().eq_ignore_ascii_case(value))
    };
    is("enabled", "true") && (is("mode.default", "concurrent") || is("mode.classes.default", "concurrent"))
}

/// Per root class the choices of its set-up and tear-down; a class that was started several times has those of all.
fn container_choices(jvm: &TestJvm) -> BTreeMap<String, ScopeChoices> {
    let mut choices: BTreeMap<String, ScopeChoices> = BTreeMap::new();
    for container in &jvm.containers {
        let all = choices.entry(container.root.clone()).or_default();
        all.count += container.choices.count;
        all.by_project |= container.choices.by_project;
        all.models.extend(container.choices.models.iter().cloned());
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_settings_of_junit_on_the_class_path_count() {
        let set = |text: &str| {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("junit-platform.properties"), text).unwrap();
            folder
        };
        let on = "# a comment\njunit.jupiter.execution.parallel.enabled : TRUE\n";
        let concurrent = set(&format!(
            "{on}junit.jupiter.execution.parallel.mode.classes.default=concurrent"
        ));
        // Without a mode tests stay on one thread.
        let without_mode = set(on);
        let is_parallel = |entries: &[&Path]| {
            let class_path: Vec<String> = entries.iter().map(|entry| entry.display().to_string()).collect();
            is_set_parallel(&class_path)
        };
        let missing = Path::new("/nowhere/library.jar");
        assert!(is_parallel(&[missing, concurrent.path(), without_mode.path()]));
        assert!(!is_parallel(&[without_mode.path(), concurrent.path()]));
        assert!(!is_parallel(&[missing]));
    }
}
