//! What one test JVM of the build did, put together from what its agent says.

use crate::build::Build;
use crate::recipe::BuildRecipe;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use unflake_protocol::{Failure, JavaVm, Outcome, ScopeChoices, SeenTest, ToProgram};

/// One test JVM of the build.
#[derive(Clone, Debug)]
pub struct TestJvm {
    pub pid: u32,
    pub java: JavaVm,
    pub recipe: Option<BuildRecipe>,
    /// Where its module is, relative to the project.
    pub module: String,
    /// In the order in which they ended.
    pub tests: Vec<TestRun>,
    pub containers: Vec<ContainerRun>,
    /// Classes whose static initialiser made a choice.
    pub initialisers: BTreeSet<String>,
    /// Per class that is not the JDK's: the classes it names.
    pub references: BTreeMap<String, Vec<String>>,
    /// Methods that could not be edited, with the reason.
    pub not_applied: BTreeMap<String, String>,
    /// The tests that were running when the JVM ended.
    pub unfinished: Vec<SeenTest>,
    /// The classes that had begun and not ended by then: in a test, or in set-up, tear-down or an initialiser.
    pub open: Vec<String>,
    /// It was silent for so long that it was ended.
    pub hung: Option<Duration>,
    /// The most tests, or classes, that were running at the same time.
    pub at_once: usize,
    pub bugs: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct TestRun {
    pub test: SeenTest,
    pub outcome: Outcome,
    pub choices: ScopeChoices,
    pub time: Duration,
    /// The part of it in which its JVM did nothing.
    pub waited: Duration,
}

#[derive(Clone, Debug)]
pub struct ContainerRun {
    pub root: String,
    pub choices: ScopeChoices,
    pub failure: Option<Failure>,
}

impl TestJvm {
    pub(crate) fn new(pid: u32, java: JavaVm) -> TestJvm {
        TestJvm {
            pid,
            java,
            recipe: None,
            module: ".".to_owned(),
            tests: Vec::new(),
            containers: Vec::new(),
            initialisers: BTreeSet::new(),
            references: BTreeMap::new(),
            not_applied: BTreeMap::new(),
            unfinished: Vec::new(),
            open: Vec::new(),
            hung: None,
            at_once: 0,
            bugs: Vec::new(),
        }
    }

    /// Whether code of the project's tests is running: a test, or something of a class outside of its tests.
    pub fn is_busy(&self) -> bool {
        !self.unfinished.is_empty() || !self.open.is_empty()
    }

    pub(crate) fn slowest(&self) -> Duration {
        self.tests.iter().map(|run| run.time).max().unwrap_or_default()
    }

    /// Takes in the next thing that the agent says.
    pub(crate) fn hear(&mut self, message: ToProgram, build: &Build) {
        match message {
            ToProgram::Recipe(recipe) => {
                self.module = build.module(&build.tool.module_directory(&recipe));
                self.recipe = Some(BuildRecipe {
                    tool: build.tool,
                    recipe: *recipe,
                });
            }
            ToProgram::TestStarted(test) => {
                self.unfinished.push(test);
                self.at_once = self.at_once.max(self.unfinished.len());
            }
            ToProgram::TestFinished {
                test,
                outcome,
                choices,
                nanos,
                busy_nanos,
            } => {
                self.unfinished.retain(|other| *other != test);
                self.tests.push(TestRun {
                    test,
                    outcome,
                    choices,
                    time: Duration::from_nanos(nanos),
                    waited: Duration::from_nanos(nanos.saturating_sub(busy_nanos)),
                });
            }
            ToProgram::ContainerStarted { root } => {
                self.open.push(root);
                self.at_once = self.at_once.max(self.open.len());
            }
            ToProgram::ContainerFinished {
                root,
                choices,
                failure,
            } => {
                self.open.retain(|other| *other != root);
                self.containers.push(ContainerRun {
                    root,
                    choices,
                    failure,
                });
            }
            ToProgram::InitialiserChose { class } => {
                self.initialisers.insert(class);
            }
            ToProgram::ClassLoaded { class, refers_to } => {
                self.references.insert(class, refers_to);
            }
            ToProgram::NotApplied { method, reason } => {
                self.not_applied.insert(method, reason);
            }
            ToProgram::Bug { message } => self.bugs.push(message),
            ToProgram::Hello { .. }
            | ToProgram::Choices(_)
            | ToProgram::Evidence(_)
            // The build's own JVMs watch nothing.
            | ToProgram::Changed { .. }
            | ToProgram::NotWatched { .. }
            | ToProgram::Sampled { .. }
            | ToProgram::NotLoaded { .. }
            | ToProgram::NotCompared { .. }
            | ToProgram::Used(_)
            | ToProgram::Unusable { .. }
            | ToProgram::Initialised { .. }
            | ToProgram::Measured(_)
            | ToProgram::RunFinished => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::TOOLS;
    use unflake_protocol::{Framework, Handle, Recipe};

    fn seen(name: &str) -> SeenTest {
        SeenTest {
            handle: Handle {
                framework: Framework::Platform,
                root: "a.OrderTest".to_owned(),
                id: name.to_owned(),
            },
            class: "a.OrderTest".to_owned(),
            method: name.to_owned(),
            invocation: None,
        }
    }

    fn started(name: &str) -> ToProgram {
        ToProgram::TestStarted(seen(name))
    }

    fn finished(name: &str) -> ToProgram {
        ToProgram::TestFinished {
            test: seen(name),
            outcome: Outcome::Passed,
            choices: ScopeChoices::default(),
            nanos: 50,
            busy_nanos: 20,
        }
    }

    fn recipe(directory: &str, properties: &[(&str, &str)]) -> ToProgram {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        ToProgram::Recipe(Box::new(Recipe {
            java: "/jdk/bin/java".into(),
            arguments: Vec::new(),
            argument_files: BTreeMap::new(),
            directory: directory.into(),
            environment: BTreeMap::new(),
            properties: properties.iter().map(owned).collect(),
            launcher: Vec::new(),
        }))
    }

    /// What is known after these messages, of a JVM in a build of `/project`.
    fn heard(messages: impl IntoIterator<Item = ToProgram>) -> TestJvm {
        let build = Build {
            directory: "/project".into(),
            tool: TOOLS.0[0],
            program: "/bin/mvn".into(),
        };
        let mut jvm = TestJvm::new(
            7,
            JavaVm {
                feature: 17,
                version: "17.0.15".to_owned(),
                home: "/jdk".into(),
            },
        );
        for message in messages {
            jvm.hear(message, &build);
        }
        jvm
    }

    fn methods(tests: &[SeenTest]) -> Vec<&str> {
        tests.iter().map(|test| test.method.as_str()).collect()
    }

    #[test]
    fn tests_are_kept_in_the_order_in_which_they_end() {
        for (messages, ended, unfinished, at_once) in [
            (vec![], vec![], vec![], 0),
            (vec![started("a"), finished("a")], vec!["a"], vec![], 1),
            (
                vec![started("a"), finished("a"), started("b")],
                vec!["a"],
                vec!["b"],
                1,
            ),
            (
                vec![started("a"), started("b"), finished("b"), finished("a")],
                vec!["b", "a"],
                vec![],
                2,
            ),
            // A test that is skipped ends without a beginning.
            (vec![finished("a")], vec!["a"], vec![], 0),
            // A test that runs twice is reported twice.
            (
                vec![started("a"), finished("a"), started("a"), finished("a")],
                vec!["a", "a"],
                vec![],
                1,
            ),
        ] {
            let shown = format!("{messages:?}");
            let jvm = heard(messages);
            let tests: Vec<SeenTest> = jvm.tests.iter().map(|run| run.test.clone()).collect();
            assert_eq!(methods(&tests), ended, "{shown}");
            assert_eq!(methods(&jvm.unfinished), unfinished, "{shown}");
            assert_eq!(jvm.at_once, at_once, "{shown}");
        }
    }

    #[test]
    fn a_test_waits_while_its_jvm_does_nothing() {
        let of = |nanos, busy_nanos| {
            let jvm = heard([ToProgram::TestFinished {
                test: seen("a"),
                outcome: Outcome::Passed,
                choices: ScopeChoices::default(),
                nanos,
                busy_nanos,
            }]);
            (jvm.tests[0].time.as_nanos(), jvm.tests[0].waited.as_nanos())
        };
        assert_eq!(of(50, 20), (50, 30));
        // Several threads were busy at the same time.
        assert_eq!(of(50, 120), (50, 0));
    }

    #[test]
    fn the_recipe_says_the_module() {
        for (message, module) in [
            (recipe("/project", &[]), "."),
            (recipe("/project/core", &[]), "core"),
            (
                recipe("/project/work", &[("basedir", "/project/app/web")]),
                "app/web",
            ),
            (recipe("/elsewhere", &[]), "/elsewhere"),
        ] {
            let jvm = heard([message]);
            assert_eq!(jvm.module, module);
            assert_eq!(jvm.recipe.unwrap().tool.facts().name, "Maven");
        }
        let without = heard([started("a")]);
        assert_eq!((without.module.as_str(), without.recipe.is_none()), (".", true));
    }

    #[test]
    fn what_is_said_beside_the_tests_is_kept() {
        let failure = Failure {
            kind: "java.lang.IllegalStateException".to_owned(),
            message: "no".to_owned(),
            trace: String::new(),
            expected: None,
            actual: None,
        };
        let jvm = heard([
            ToProgram::ContainerStarted {
                root: "a.OrderTest".to_owned(),
            },
            ToProgram::InitialiserChose {
                class: "a.Config".to_owned(),
            },
            ToProgram::ClassLoaded {
                class: "a.OrderTest".to_owned(),
                refers_to: vec!["a.Config".to_owned()],
            },
            ToProgram::NotApplied {
                method: "a.Sdk.all".to_owned(),
                reason: "native".to_owned(),
            },
            ToProgram::Bug {
                message: "panic".to_owned(),
            },
            ToProgram::ContainerFinished {
                root: "a.OrderTest".to_owned(),
                choices: ScopeChoices::default(),
                failure: Some(failure.clone()),
            },
            ToProgram::RunFinished,
        ]);
        assert_eq!(jvm.initialisers, BTreeSet::from(["a.Config".to_owned()]));
        assert_eq!(jvm.references["a.OrderTest"], ["a.Config"]);
        assert_eq!(jvm.not_applied["a.Sdk.all"], "native");
        assert_eq!(jvm.bugs, ["panic"]);
        assert_eq!(jvm.containers.len(), 1);
        assert_eq!(jvm.containers[0].failure, Some(failure));
        assert!(jvm.tests.is_empty());
    }
}
