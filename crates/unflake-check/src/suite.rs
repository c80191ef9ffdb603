//! The project's tests: what a build showed of them, in memory or in the store.

#[cfg(test)]
mod tests;

use crate::learn::how;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Index;
use std::path::Path;
use std::time::Duration;
use unflake_explore::{LearnedJvm, Need, TestIx, needs};
use unflake_project::{BuildRecipe, BuildRun, BuildTool, ContainerRun, During, LostJvm, TestJvm};
use unflake_protocol::{FRAMEWORKS, Framework, Handle, Outcome, ScopeChoices, Support, TestId};
use unflake_runner::{Launch, LaunchError, class_files};

/// All tests, in the order in which the build ran them. The same whether the build has just run or a stored run is
/// opened.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Suite {
    pub tests: Vec<KnownTest>,
    /// How the build's test JVMs were started, each way once.
    recipes: Vec<BuildRecipe>,
    /// What the recipes lead to.
    #[serde(skip)]
    pub launches: Vec<Launch>,
    /// Per class that is not the JDK's: the classes that its constant pool names.
    pub references: BTreeMap<String, Vec<String>>,
    /// Versions of Java that were seen.
    pub java: BTreeSet<String>,
}

/// One of the ways in which a suite's test JVMs are started: an index into [`Suite::launches`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LaunchIx(pub usize);

/// One test and what is known of it before anything was varied.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KnownTest {
    pub id: TestId,
    pub handle: Handle,
    /// What the agent calls its scope, if that is not its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// `None`: its JVM cannot be started without the build tool.
    pub launch: Option<LaunchIx>,
    /// Which JVM of the build it ran in.
    pub jvm: usize,
    pub baseline: Baseline,
    pub need: Need,
    /// Models that made choices in it.
    pub models: Vec<String>,
    pub time: Duration,
    /// The part of it in which its JVM did nothing.
    pub waited: Duration,
}

/// What a test did in the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Baseline {
    Finished(Outcome),
    /// Its JVM ended while it ran, and it is not known how.
    Unfinished,
    /// It ended its JVM, or did not come to an end: in which words this is said.
    EndedJvm(String),
    /// Of a class: no build came to it, or to all of its tests, for this reason.
    NotReached(String),
}

/// Tests that ran before another one in its JVM of the build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Before {
    /// Those of its class.
    pub(crate) of_class: Vec<TestIx>,
    /// All of them.
    pub(crate) in_jvm: Vec<TestIx>,
}

/// Something that did not go as it should while the suite was learned.
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
    /// The build ran again without those that ended its test JVMs: who did what. `by_name`: the build tool could not
    /// leave them out.
    RanAgain {
        culprits: Vec<String>,
        by_name: bool,
    },
    /// A test of the build has deleted the compiled tests.
    Deleted,
    /// No build came to these classes, or some that are not known.
    NotReached {
        classes: Vec<String>,
    },
}

impl KnownTest {
    /// Stands for a class of which no test is known.
    pub(crate) fn of_class(module: &str, class: &str, baseline: Baseline) -> KnownTest {
        KnownTest {
            id: TestId {
                module: module.to_owned(),
                root: class.to_owned(),
                test: class.to_owned(),
                invocation: None,
            },
            // It is never run.
            handle: Handle {
                framework: Framework::Platform,
                root: class.to_owned(),
                id: class.to_owned(),
            },
            scope: None,
            launch: None,
            jvm: 0,
            baseline,
            need: Need::Nothing,
            models: Vec::new(),
            time: Duration::ZERO,
            waited: Duration::ZERO,
        }
    }

    pub fn has_passed(&self) -> bool {
        self.baseline == Baseline::Finished(Outcome::Passed)
    }

    /// Whether it finished in the build, passed or failed; a skipped test did not run.
    pub fn has_run(&self) -> bool {
        matches!(
            self.baseline,
            Baseline::Finished(Outcome::Passed | Outcome::Failed(_))
        )
    }
}

impl Index<TestIx> for Suite {
    type Output = KnownTest;

    fn index(&self, test: TestIx) -> &KnownTest {
        &self.tests[test.0]
    }
}

impl Suite {
    /// Tests as a sentence names them: the one, or how many and the first. There must be one.
    pub(crate) fn named(&self, tests: &[TestIx]) -> String {
        match tests {
            [one] => format!("`{}`", self[*one].id),
            many => format!("{} tests (for example `{}`)", many.len(), self[many[0]].id),
        }
    }

    /// The suite that a build showed, and what did not go as it should.
    pub(crate) fn from_build(run: &BuildRun) -> (Suite, Vec<Trouble>) {
        let mut suite = Suite::default();
        let mut troubles = Vec::new();
        let mut seen = BTreeSet::new();
        for (number, jvm) in run.jvms.iter().enumerate() {
            suite.java.insert(jvm.java.version.clone());
            suite.references.extend(jvm.references.clone());
            let launch = suite.add_launch(jvm, &mut troubles);
            add_troubles(jvm, &mut troubles);
            let class_path = launch.map_or(&[][..], |launch| &suite.launches[launch.0].class_path);
            let is_parallel = jvm.at_once > 1 || is_set_parallel(class_path);
            let is_framework = has_own_framework(class_path);
            if is_parallel {
                troubles.push(Trouble::InParallel {
                    module: jvm.module.clone(),
                });
            }
            for mut test in known_tests(jvm, number, launch) {
                if test.baseline == Baseline::Unfinished
                    && let Some(how) = ended_jvm(&run.lost, &test.handle)
                {
                    test.baseline = Baseline::EndedJvm(how);
                }
                // While tests overlap, a choice may be counted for another test, or for none. And what a framework
                // chooses is nobody's, unless the project is that framework.
                if (is_parallel || is_framework) && test.has_run() {
                    test.need = Need::EveryRound;
                }
                // A build may run a test more than once (reruns, several executions); the first time counts.
                if seen.insert((test.id.clone(), test.handle.id.clone())) {
                    suite.tests.push(test);
                }
            }
        }
        suite.number_namesakes();
        for jvm in &run.jvms {
            jvm.containers
                .iter()
                .for_each(|class| suite.add_class_without_tests(jvm, class));
        }
        for lost in &run.lost {
            if let During::Class(root) = &lost.during {
                let baseline = Baseline::EndedJvm(format!("its set-up or tear-down {}", how(lost.how)));
                suite
                    .tests
                    .push(KnownTest::of_class(&lost.module, root, baseline));
            }
        }
        (suite, troubles)
    }

    /// Suites of JUnit 3 may hold tests of one class and method more than once: all but the first get a number.
    fn number_namesakes(&mut self) {
        let mut by_name: BTreeMap<TestId, Vec<usize>> = BTreeMap::new();
        for (index, test) in self.tests.iter().enumerate() {
            by_name.entry(test.id.clone()).or_default().push(index);
        }
        for mut namesakes in by_name.into_values() {
            // The order in which they run may change, their handles do not.
            namesakes.sort_by(|a, b| self.tests[*a].handle.id.cmp(&self.tests[*b].handle.id));
            for (number, index) in namesakes.into_iter().enumerate().skip(1) {
                let test = &mut self.tests[index];
                test.scope = Some(test.id.to_string());
                let invocation = test.id.invocation.get_or_insert_default();
                invocation.push_str(&format!("[{}]", number + 1));
            }
        }
    }

    /// A class whose set-up fails: the framework tells nothing of its tests, so it stands for them.
    fn add_class_without_tests(&mut self, jvm: &TestJvm, class: &ContainerRun) {
        let is_of_class = |test: &KnownTest| test.handle.root == class.root && test.id.module == jvm.module;
        if let Some(failure) = &class.failure
            && !self.tests.iter().any(is_of_class)
        {
            let baseline = Baseline::Finished(Outcome::Failed(failure.clone()));
            self.tests
                .push(KnownTest::of_class(&jvm.module, &class.root, baseline));
        }
    }

    /// Makes the launches of a suite that comes from the store. What cannot be started is said when it is asked for.
    pub(crate) fn restore_launches(&mut self) -> Result<(), LaunchError> {
        self.launches = self
            .recipes
            .iter()
            .map(BuildRecipe::launch)
            .collect::<Result<_, _>>()?;
        Ok(())
    }

    pub fn all(&self) -> impl DoubleEndedIterator<Item = TestIx> + ExactSizeIterator + use<> {
        TestIx::all(self.tests.len())
    }

    pub fn launches(&self) -> impl Iterator<Item = LaunchIx> + use<> {
        (0..self.launches.len()).map(LaunchIx)
    }

    pub fn launch(&self, launch: LaunchIx) -> &Launch {
        &self.launches[launch.0]
    }

    /// The tool that made the recipe of a launch.
    pub(crate) fn tool(&self, launch: LaunchIx) -> &'static dyn BuildTool {
        self.recipes[launch.0].tool
    }

    pub fn find(&self, id: &TestId) -> Option<TestIx> {
        self.all().find(|test| self[*test].id == *id)
    }

    /// The time of the slowest test of a launch.
    pub(crate) fn slowest(&self, launch: Option<LaunchIx>) -> Duration {
        let here = self.tests.iter().filter(|test| test.launch == launch);
        here.map(|test| test.time).max().unwrap_or_default()
    }

    /// The scopes in which choices vary when the last of these tests fails: its own and that of its class's set-up. The
    /// tests before it are natural. Empty: it is alone.
    pub fn own_scopes(&self, tests: &[TestIx]) -> Vec<String> {
        match tests {
            [] | [_] => Vec::new(),
            [.., last] => {
                let test = &self[*last];
                let scope = test.scope.clone().unwrap_or_else(|| test.id.to_string());
                vec![scope, test.handle.root.clone()]
            }
        }
    }

    pub fn handles(&self, tests: &[TestIx]) -> Vec<Handle> {
        tests.iter().map(|test| self[*test].handle.clone()).collect()
    }

    /// What ran before a test in the build.
    pub(crate) fn before(&self, test: TestIx) -> Before {
        let this = &self[test];
        let is_before = |other: &TestIx| self[*other].jvm == this.jvm && self[*other].has_run();
        let in_jvm: Vec<TestIx> = TestIx::all(test.0).filter(is_before).collect();
        let is_of_class = |other: &TestIx| self[*other].handle.root == this.handle.root;
        Before {
            of_class: in_jvm.iter().copied().filter(is_of_class).collect(),
            in_jvm,
        }
    }

    fn add_launch(&mut self, jvm: &TestJvm, troubles: &mut Vec<Trouble>) -> Option<LaunchIx> {
        let mut cannot = |reason: String| {
            troubles.push(Trouble::NoLaunch {
                module: jvm.module.clone(),
                reason,
            });
            None
        };
        let Some(recipe) = &jvm.recipe else {
            return cannot("the agent could not tell how it was started".to_owned());
        };
        let launch = match recipe.launch() {
            Ok(launch) => launch,
            Err(error) => return cannot(error.to_string()),
        };
        let known = self.launches.iter().position(|known| *known == launch);
        Some(LaunchIx(known.unwrap_or_else(|| {
            self.launches.push(launch);
            self.recipes.push(recipe.clone());
            self.launches.len() - 1
        })))
    }
}

/// The tests of one JVM of the build: those that ended, then those that did not.
fn known_tests(jvm: &TestJvm, number: usize, launch: Option<LaunchIx>) -> Vec<KnownTest> {
    let containers = container_choices(jvm);
    let learned = LearnedJvm {
        initialisers: &jvm.initialisers,
        references: &jvm.references,
        containers: &containers,
    };
    let needs = needs(learned, jvm.tests.iter().map(|run| (&run.test, &run.choices)));
    let ended = jvm.tests.iter().zip(needs).map(|(run, need)| {
        let of_class = containers.get(&run.test.handle.root).into_iter();
        let of_class = of_class.flat_map(|choices| choices.models.iter().cloned());
        let models: BTreeSet<String> = run.choices.models.iter().cloned().chain(of_class).collect();
        KnownTest {
            id: run.test.id(&jvm.module),
            handle: run.test.handle.clone(),
            scope: None,
            launch,
            jvm: number,
            baseline: Baseline::Finished(run.outcome.clone()),
            need,
            models: models.into_iter().collect(),
            time: run.time,
            waited: run.waited,
        }
    });
    let unfinished = jvm.unfinished.iter().map(|test| KnownTest {
        id: test.id(&jvm.module),
        handle: test.handle.clone(),
        scope: None,
        launch,
        jvm: number,
        baseline: Baseline::Unfinished,
        need: Need::Nothing,
        models: Vec::new(),
        time: Duration::ZERO,
        waited: Duration::ZERO,
    });
    ended.chain(unfinished).collect()
}

/// Whether the project itself has classes that are named like those of a test framework or a build tool: JUnit's own
/// tests, or those of a Maven plug-in.
fn has_own_framework(class_path: &[String]) -> bool {
    let is_framework = |directory: &Path, file: &Path| {
        let class = file.strip_prefix(directory).unwrap_or(file).with_extension("");
        let support = FRAMEWORKS.support_of(&class.to_string_lossy());
        matches!(
            support,
            Some(Support::Assertion | Support::Framework | Support::Launcher)
        )
    };
    class_path.iter().map(Path::new).any(|directory| {
        let mut files = class_files(directory).into_iter();
        files.any(|file| is_framework(directory, &file))
    })
}

/// What is said of a test during which a JVM of the build ended.
fn ended_jvm(lost: &[LostJvm], test: &Handle) -> Option<String> {
    lost.iter().find_map(|lost| match &lost.during {
        During::Tests(tests) if tests.iter().any(|seen| seen.handle == *test) => Some(how(lost.how)),
        During::Tests(_) | During::Class(_) | During::Nothing => None,
    })
}

fn add_troubles(jvm: &TestJvm, troubles: &mut Vec<Trouble>) {
    let not_applied = jvm.not_applied.iter();
    troubles.extend(not_applied.map(|(method, reason)| Trouble::NotApplied {
        method: method.clone(),
        reason: reason.clone(),
    }));
    troubles.extend(jvm.bugs.iter().cloned().map(Trouble::AgentOff));
    for container in &jvm.containers {
        if let Some(failure) = &container.failure {
            troubles.push(Trouble::ContainerFailed {
                root: container.root.clone(),
                message: format!("{}: {}", failure.kind, failure.message),
            });
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
