//! What one test JVM of the build did, put together from what its agent says.

use crate::build::Build;
use crate::recipe::BuildRecipe;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use unflake_protocol::{Failure, JavaVm, Outcome, ScopeChoices, SeenTest, ToProgram};

/// One test JVM of the build.
#[derive(Clone, Debug)]
pub struct TestJvm {
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
    /// The most tests that were running at the same time.
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
    pub(crate) fn new(java: JavaVm) -> TestJvm {
        TestJvm {
            java,
            recipe: None,
            module: ".".to_owned(),
            tests: Vec::new(),
            containers: Vec::new(),
            initialisers: BTreeSet::new(),
            references: BTreeMap::new(),
            not_applied: BTreeMap::new(),
            unfinished: Vec::new(),
            at_once: 0,
            bugs: Vec::new(),
        }
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
            ToProgram::ContainerFinished {
                root,
                choices,
                failure,
            } => {
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
            | ToProgram::ContainerStarted { .. }
            | ToProgram::Choices(_)
            | ToProgram::Evidence(_)
            // The build's own JVMs watch nothing.
            | ToProgram::Changed { .. }
            | ToProgram::NotWatched { .. }
            | ToProgram::Used(_)
            | ToProgram::Unusable { .. }
            | ToProgram::Initialised { .. }
            | ToProgram::Measured(_)
            | ToProgram::RunFinished => {}
        }
    }
}
