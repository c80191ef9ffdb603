//! The learning run: one ordinary build under the agent, and what goes wrong with it.

use crate::nearest::{did_you_mean, nearest};
use crate::problem;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::selection::Selection;
use crate::suite::Suite;
use std::path::Path;
use std::time::Duration;
use unflake_project::{Build, BuildError, BuildRequest, BuildRun};
use unflake_protocol::ToProgram;

/// What the learning run gave.
#[derive(Debug)]
pub(crate) struct Learned {
    pub(crate) suite: Suite,
    /// Indices of the tests that the user asked for.
    pub(crate) selected: Vec<usize>,
    /// How long the build took.
    pub(crate) time: Duration,
}

/// Runs the build. `Ok(None)`: the user has had enough.
pub(crate) fn learn(
    request: &BuildRequest<'_>,
    selection: &Selection,
    progress: &dyn Progress,
) -> Result<Option<Learned>, Problem> {
    progress.phase("learning", 0);
    let run = request.run(|message| match message {
        ToProgram::TestStarted(test) => progress.note(&test.class),
        ToProgram::TestFinished { .. } => progress.step(),
        _ => {}
    });
    let run = match run {
        Ok(run) => run,
        Err(BuildError::Cancelled) => return Ok(None),
        Err(error) => return Err(build_problem(error, request.build)),
    };
    let suite = Suite::from_build(&run);
    let selected: Vec<usize> = (0..suite.tests.len())
        .filter(|index| selection.contains(&suite.tests[*index]))
        .collect();
    if selected.is_empty() {
        return Err(nothing_to_check(
            &run,
            &suite,
            selection,
            &request.build.directory,
        ));
    }
    if let [first, ..] = selection.unmatched(&suite.tests)[..] {
        return Err(unknown_test(first, &suite, &request.build.directory));
    }
    Ok(Some(Learned {
        suite,
        selected,
        time: run.time,
    }))
}

fn nothing_to_check(run: &BuildRun, suite: &Suite, selection: &Selection, project: &Path) -> Problem {
    if let [first, ..] = selection.unmatched(&suite.tests)[..] {
        return unknown_test(first, suite, project);
    }
    if run.has_reported_tests {
        return problem!(CannotWork, "the build ran tests, but no test JVM took the agent").hint(
            "see whether the build clears JAVA_TOOL_OPTIONS, or runs its tests on another machine or with a framework other than JUnit",
        );
    }
    problem!(NoTest, "the project has no tests: the build ran none")
        .hint("run `mvn test` and see what it says; tests may be switched off, or none may match the patterns of Surefire")
}

fn unknown_test(written: &str, suite: &Suite, project: &Path) -> Problem {
    let mut known = Vec::new();
    for test in &suite.tests {
        known.extend([
            test.id.test.clone(),
            test.id.class().to_owned(),
            simple(test.id.class()).to_owned(),
        ]);
    }
    // With a filter on, the build showed only what matched; what was compiled knows the rest.
    let compiled = compiled_classes(project);
    known.extend(
        compiled
            .iter()
            .flat_map(|class| [class.clone(), simple(class).to_owned()]),
    );
    known.sort();
    known.dedup();
    let class = written.split('#').next().unwrap_or_default();
    let mut near = nearest(written, known.iter().map(String::as_str));
    if near.is_empty() {
        near = nearest(class, known.iter().map(String::as_str));
    }
    let problem = problem!(NoTest, "no test matches `{written}`");
    match did_you_mean(&near) {
        Some(hint) => problem.hint(hint),
        None => problem.hint(
            "name a test as `Class`, `Class#method` or `package.Class`; without a name all are checked",
        ),
    }
}

fn simple(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

/// Names of the classes in `target/test-classes` of the project and its modules.
fn compiled_classes(project: &Path) -> Vec<String> {
    const DEEPEST: usize = 12;
    let mut classes = Vec::new();
    let mut todo = vec![(project.to_owned(), None::<String>, 0)];
    while let Some((folder, package, depth)) = todo.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            if path.is_dir()
                && depth < DEEPEST
                && !name.starts_with('.')
                && name != "src"
                && name != "node_modules"
            {
                let below = match &package {
                    _ if path.ends_with("target/test-classes") => Some(String::new()),
                    Some(package) => Some(format!("{package}{name}.")),
                    None => None,
                };
                todo.push((path, below, depth + 1));
            } else if let (Some(package), Some(class)) = (&package, name.strip_suffix(".class"))
                && !class.contains('$')
            {
                classes.push(format!("{package}{class}"));
            }
        }
    }
    classes
}

pub fn build_problem(error: BuildError, build: &Build) -> Problem {
    match error {
        BuildError::Failed { output, .. } if refuses_agent(&output) => {
            problem!(CannotWork, "this JVM refuses the agent").cause(output).hint(
                "unflake needs a JVM that loads JVMTI agents (HotSpot of Java 8 or later on the same processor as unflake); `unflake doctor` tries each JDK",
            )
        }
        BuildError::Failed { output, .. } if output.contains("No compiler is provided in this environment") => {
            problem!(CannotWork, "the build needs a JDK, and the Java it runs on is a JRE")
                .cause(output)
                .hint("set JAVA_HOME to a JDK, or name one with `--java HOME`; `unflake doctor` lists those on this machine")
        }
        BuildError::Failed { command, status, output } => {
            problem!(CannotWork, "the build fails: `{command}` ended with {status}")
                .cause(output)
                .hint(format!("make `mvn test` work in `{}` first; arguments for it go after `--`", build.directory.display()))
        }
        other => problem!(CannotWork, "the build could not be run").cause(other),
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
