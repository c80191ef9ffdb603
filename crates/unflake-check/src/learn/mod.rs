//! The learning run: one ordinary build under the agent, and what goes wrong with it.
//!
//! If test JVMs of the build end before their tests do, further builds learn what is behind ([`again`]).

mod again;

pub(crate) use again::how;

use crate::nearest::{did_you_mean, nearest};
use crate::problem;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::selection::Selection;
use crate::suite::{Baseline, KnownTest, Suite, Trouble};
use again::Whole;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;
use unflake_explore::TestIx;
use unflake_project::{Build, BuildError, BuildRequest, BuildRun};
use unflake_protocol::ToProgram;

/// What the learning run gave.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    pub(crate) suite: Suite,
    /// Things that did not go as they should.
    pub(crate) troubles: Vec<Trouble>,
    /// The tests that the user asked for.
    pub(crate) selected: Vec<TestIx>,
    /// How long the build took.
    pub(crate) time: Duration,
    /// Where the compiled tests are.
    pub(crate) directories: BTreeSet<PathBuf>,
}

/// Runs the build, as often as it takes to learn all tests. Interrupted, or out of time: what is known by then.
pub(crate) fn learn(
    request: &BuildRequest<'_>,
    selection: &Selection,
    progress: &dyn Progress,
) -> Result<Learned, Problem> {
    let mut whole = again::run(request, selection, progress)?;
    if whole.run.jvms.is_empty() && request.cancel.is_cancelled() {
        return Ok(Learned::default());
    }
    // What was learned is read together with the classes.
    let directories = directories_of_tests(&whole.run);
    match request.restore(&directories) {
        Ok(true) => whole.troubles.push(Trouble::Deleted),
        Ok(false) | Err(BuildError::Cancelled { .. }) => {}
        Err(error) => return Err(build_problem(error, request.build)),
    }
    Ok(Learned {
        directories,
        ..learned(whole, selection, request.build)?
    })
}

/// The directories with the compiled tests that a build ran.
fn directories_of_tests(run: &BuildRun) -> BTreeSet<PathBuf> {
    let mut directories = BTreeSet::new();
    for recipe in run.jvms.iter().filter_map(|jvm| jvm.recipe.as_ref()) {
        let class_path = recipe.launch().map(|launch| launch.class_path);
        let entries = class_path.unwrap_or_default().into_iter().map(PathBuf::from);
        directories.extend(entries.filter(|entry| recipe.tool.is_test_classes(entry)));
    }
    directories
}

/// Runs the build once.
fn build(request: &BuildRequest<'_>, progress: &dyn Progress) -> Result<BuildRun, BuildError> {
    progress.phase("learning", 0);
    request.run(|message| match message {
        ToProgram::TestStarted(test) => progress.note(&test.class),
        ToProgram::TestFinished { .. } => progress.step(),
        _ => {}
    })
}

/// What builds showed of the tests that were asked for.
fn learned(whole: Whole, selection: &Selection, build: &Build) -> Result<Learned, Problem> {
    let Whole {
        run,
        not_reached,
        troubles: of_builds,
    } = whole;
    let (mut suite, mut troubles) = Suite::from_build(&run);
    troubles.extend(of_builds);
    suite.tests.extend(not_reached);
    let is_selected = |test: &TestIx| selection.contains(&suite[*test]);
    let selected: Vec<TestIx> = suite.all().filter(is_selected).collect();
    if selected.is_empty() {
        return Err(nothing_to_check(&run, &suite, selection, build));
    }
    if let [first, ..] = selection.unmatched(&suite.tests)[..] {
        return Err(unknown_test(first, &suite, build));
    }
    Ok(Learned {
        suite,
        troubles,
        selected,
        time: run.time,
        directories: BTreeSet::new(),
    })
}

fn nothing_to_check(run: &BuildRun, suite: &Suite, selection: &Selection, build: &Build) -> Problem {
    if let [first, ..] = selection.unmatched(&suite.tests)[..] {
        return unknown_test(first, suite, build);
    }
    if run.jvms.is_empty() && !run.not_started.is_empty() {
        let problem = problem!(CannotWork, "the test JVMs did not start");
        return run.not_started.iter().fold(problem, |problem, said| problem.cause(said)).hint(
            "check the options that the build gives its test JVMs (`argLine`), or choose another JDK with `--java HOME`",
        );
    }
    if run.has_reported_tests {
        return problem!(CannotWork, "the build ran tests, but the agent was not loaded into any test JVM").hint(
            "check whether the build clears JAVA_TOOL_OPTIONS, runs its tests on another machine, or uses a test framework other than JUnit",
        );
    }
    problem!(NoTest, "the project has no tests: the build ran none").hint(build.tool.facts().no_tests_hint)
}

fn unknown_test(written: &str, suite: &Suite, build: &Build) -> Problem {
    let mut known = Vec::new();
    for test in &suite.tests {
        known.extend([
            test.id.test.clone(),
            test.id.class().to_owned(),
            simple(test.id.class()).to_owned(),
        ]);
    }
    // With a filter on, the build showed only what matched; what was compiled knows the rest.
    let compiled = compiled_classes(build);
    known.extend(
        compiled
            .iter()
            .flat_map(|class| [class.name.clone(), simple(&class.name).to_owned()]),
    );
    let class = written.split('#').next().unwrap_or_default();
    let is_it = |name: &str| name == class || simple(name) == class;
    let has_run = suite.tests.iter().any(|test| is_it(test.id.class()));
    if !has_run && compiled.iter().any(|compiled| is_it(&compiled.name)) {
        return problem!(NoTest, "the build ran no test of `{class}`").hint(build.tool.facts().no_tests_hint);
    }
    let mut near = nearest(written, known.iter().map(String::as_str));
    if near.is_empty() {
        near = nearest(class, known.iter().map(String::as_str));
    }
    let problem = problem!(NoTest, "no test matches `{written}`");
    match did_you_mean(&near) {
        Some(hint) => problem.hint(hint),
        None => problem.hint(
            "name a test as `Class`, `Class#method` or `package.Class`; without a name, all tests are checked",
        ),
    }
}

fn simple(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

/// A test class that the project or one of its modules has compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CompiledClass {
    module: String,
    /// With dots.
    name: String,
}

impl CompiledClass {
    fn known_as(&self, baseline: Baseline) -> KnownTest {
        KnownTest::of_class(&self.module, &self.name, baseline)
    }

    fn unknown(&self) -> KnownTest {
        self.known_as(Baseline::Unfinished)
    }
}

/// The top-level test classes that the project and its modules have compiled.
fn compiled_classes(build: &Build) -> Vec<CompiledClass> {
    const DEEPEST: usize = 12;
    struct Folder {
        path: PathBuf,
        module: PathBuf,
        package: Option<String>,
        depth: usize,
    }
    let mut classes = Vec::new();
    let mut todo = vec![Folder {
        path: build.directory.clone(),
        module: build.directory.clone(),
        package: None,
        depth: 0,
    }];
    let is_module = |folder: &PathBuf| {
        let mut files = build.tool.facts().build_files.iter();
        files.any(|file| folder.join(file).is_file())
    };
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(&folder.path).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            if path.is_dir()
                && folder.depth < DEEPEST
                && !name.starts_with('.')
                && name != "src"
                && name != "node_modules"
            {
                let package = match &folder.package {
                    _ if build.tool.is_test_classes(&path) => Some(String::new()),
                    Some(package) => Some(format!("{package}{name}.")),
                    None => None,
                };
                let module = if is_module(&path) { &path } else { &folder.module };
                todo.push(Folder {
                    module: module.clone(),
                    path,
                    package,
                    depth: folder.depth + 1,
                });
            } else if let (Some(package), Some(class)) = (&folder.package, name.strip_suffix(".class"))
                && !class.contains('$')
            {
                classes.push(CompiledClass {
                    module: build.module(&folder.module),
                    name: format!("{package}{class}"),
                });
            }
        }
    }
    // The file system's order is nobody's.
    classes.sort();
    classes
}

pub fn build_problem(error: BuildError, build: &Build) -> Problem {
    match error {
        BuildError::Failed { output, .. } if refuses_agent(&output) => {
            problem!(CannotWork, "this JVM refuses the agent").cause(output).hint(
                "unflake needs a JVM that loads JVMTI agents (HotSpot of Java 8 or later on the same processor as unflake); `unflake doctor` tries each JDK",
            )
        }
        BuildError::Failed { output, .. } if build.tool.needs_jdk(&output) => {
            problem!(CannotWork, "the build needs a JDK, but it runs on a JRE")
                .cause(output)
                .hint("set JAVA_HOME to a JDK, or name one with `--java HOME`; `unflake doctor` lists those on this machine")
        }
        BuildError::Failed { command, status, output } => {
            problem!(CannotWork, "the build fails: `{command}` ended with {status}")
                .cause(output)
                .hint(format!(
                    "make `{}` work in `{}` first; arguments for it go after `--`",
                    build.tool.facts().test_command,
                    build.directory.display()
                ))
        }
        error @ BuildError::TimedOut { .. } => problem!(CannotWork, "the build did not finish in time").cause(error),
        error @ (BuildError::Io { .. } | BuildError::OtherProtocol(_) | BuildError::Cancelled { .. }) => {
            problem!(CannotWork, "the build could not be run").cause(error)
        }
    }
}

fn refuses_agent(output: &str) -> bool {
    [
        "Could not find agent library",
        "agent library failed",
        "Error occurred during initialization of VM",
    ]
    .iter()
    .any(|text| output.contains(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;
    use unflake_project::TOOLS;

    fn build(directory: &Path) -> Build {
        Build {
            directory: directory.to_owned(),
            tool: TOOLS.0[0],
            program: "/bin/mvn".into(),
        }
    }

    fn failed(output: &str) -> BuildError {
        BuildError::Failed {
            command: "mvn test".to_owned(),
            status: "exit status: 1".to_owned(),
            output: output.to_owned(),
        }
    }

    #[test]
    fn every_way_in_which_a_build_ends_has_its_own_words() {
        for (error, sentence, cause) in [
            (
                failed("[ERROR] COMPILATION ERROR :"),
                "the build fails: `mvn test` ended with exit status: 1",
                "[ERROR] COMPILATION ERROR :",
            ),
            (
                failed("Could not find agent library /a.so"),
                "this JVM refuses the agent",
                "Could not find agent library /a.so",
            ),
            (
                failed("[ERROR] No compiler is provided in this environment."),
                "the build needs a JDK, but it runs on a JRE",
                "[ERROR] No compiler is provided in this environment.",
            ),
            (
                BuildError::TimedOut {
                    command: "mvn test".to_owned(),
                    after: Duration::from_millis(90_500),
                    run: Box::default(),
                },
                "the build did not finish in time",
                "`mvn test` was still running after 90 s",
            ),
            (
                BuildError::Io {
                    what: "cannot start `mvn test`".to_owned(),
                    error: std::io::Error::other("no"),
                },
                "the build could not be run",
                "cannot start `mvn test`: no",
            ),
            (
                BuildError::Cancelled { run: Box::default() },
                "the build could not be run",
                "interrupted",
            ),
        ] {
            let problem = build_problem(error, &build(Path::new("/project")));
            assert_eq!(problem.error, sentence);
            assert_eq!(problem.causes, [cause]);
        }
    }

    #[test]
    fn hints_are_in_the_words_of_the_build_tool() {
        let build = build(Path::new("/project"));
        let hint = |problem: Problem| problem.hint.unwrap();
        assert_eq!(
            hint(build_problem(failed("no"), &build)),
            "make `mvn test` work in `/project` first; arguments for it go after `--`"
        );
        let nothing = |has_reported_tests| {
            let run = BuildRun {
                has_reported_tests,
                ..BuildRun::default()
            };
            nothing_to_check(&run, &Suite::default(), &Selection::default(), &build)
        };
        assert_eq!(
            nothing(true).error,
            "the build ran tests, but the agent was not loaded into any test JVM"
        );
        assert_eq!(
            nothing(false).error,
            "the project has no tests: the build ran none"
        );
        assert!(hint(nothing(false)).starts_with("run `mvn test` "));
        let refused = BuildRun {
            has_reported_tests: true,
            not_started: vec!["Unrecognized option: --add-opens".to_owned()],
            ..BuildRun::default()
        };
        let problem = nothing_to_check(&refused, &Suite::default(), &Selection::default(), &build);
        assert_eq!(problem.error, "the test JVMs did not start");
        assert_eq!(problem.causes, ["Unrecognized option: --add-opens"]);
    }

    #[test]
    fn a_test_that_the_build_did_not_run_is_known_by_its_class_file() {
        let project = tempfile::tempdir().unwrap();
        for file in [
            "target/test-classes/a/OrderTest.class",
            "target/test-classes/a/OrderTest$Inner.class",
            "core/target/test-classes/OtherTest.class",
            "core/target/test-classes/data.txt",
            "core/pom.xml",
            "target/classes/a/Order.class",
        ] {
            let path = project.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let build = build(project.path());
        let classes = compiled_classes(&build);
        let shown: Vec<String> = classes
            .iter()
            .map(|class| format!("{} {}", class.module, class.name))
            .collect();
        assert_eq!(shown, [". a.OrderTest", "core OtherTest"]);
        let written = ["OrdrTest".to_owned()];
        let selection = Selection::parse(&written, project.path()).unwrap();
        let problem = nothing_to_check(&BuildRun::default(), &Suite::default(), &selection, &build);
        assert_eq!(problem.error, "no test matches `OrdrTest`");
        assert!(problem.hint.unwrap().contains("`OrderTest`"));
    }

    #[test]
    fn the_compiled_tests_of_all_jvms_of_the_build_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let run = crate::simulated::build_run("p.A#a\np.B#a [jvm 2]", folder.path());
        let directories = directories_of_tests(&run);
        let directories = directories
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap());
        let directories: Vec<&Path> = directories.collect();
        assert_eq!(
            directories,
            ["m1", "m2"].map(|module| Path::new("project").join(module).join("target/test-classes"))
        );
        assert!(directories_of_tests(&BuildRun::default()).is_empty());
    }

    #[test]
    fn the_tests_that_were_asked_for_are_selected() {
        let folder = tempfile::tempdir().unwrap();
        let run = crate::simulated::build_run("p.A#a\np.A#b\np.B#a", folder.path());
        let learned = |written: &[&str]| {
            let written: Vec<String> = written.iter().map(|text| (*text).to_owned()).collect();
            let selection = Selection::parse(&written, folder.path()).unwrap();
            let whole = Whole {
                run: run.clone(),
                ..Whole::default()
            };
            match learned(whole, &selection, &build(folder.path())) {
                Ok(learned) => {
                    assert_eq!((learned.suite.tests.len(), learned.time), (3, run.time));
                    let numbers = learned.selected.iter().map(|test| test.0.to_string());
                    numbers.collect::<Vec<_>>().join(" ")
                }
                Err(problem) => format!("{}: {}", problem.error, problem.hint.unwrap()),
            }
        };
        assert_eq!(learned(&[]), "0 1 2");
        assert_eq!(learned(&["A"]), "0 1");
        assert_eq!(learned(&["p.B", "A#b"]), "1 2");
        // One that is unknown is a problem, whatever the others are.
        let words = "name a test as `Class`, `Class#method` or `package.Class`; without a name, all tests are checked";
        assert_eq!(
            learned(&["A", "Wrong"]),
            format!("no test matches `Wrong`: {words}")
        );
        assert_eq!(
            learned(&["p.A#c"]),
            "no test matches `p.A#c`: did you mean `p.A#a` or `p.A#b`?"
        );
        // It is there, and nobody ran it.
        let classes = folder.path().join("project/m1/target/test-classes/p");
        std::fs::create_dir_all(&classes).unwrap();
        std::fs::write(classes.join("Idle.class"), "").unwrap();
        for written in ["Idle", "p.Idle#a"] {
            let said = learned(&[written]);
            let class = written.split('#').next().unwrap();
            assert!(
                said.starts_with(&format!("the build ran no test of `{class}`: run `mvn test`")),
                "{said}"
            );
        }
    }
}
