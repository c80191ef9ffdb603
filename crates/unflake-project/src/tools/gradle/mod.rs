//! Gradle, whose test tasks start worker JVMs.
//!
//! What every run needs is in `unflake.init.gradle`, a script that Gradle loads before the project's own. No daemon of
//! the user's takes part, and Gradle's notes about the project go to a directory of ours.

#[cfg(test)]
mod tests;

use crate::tool::{BuildTool, LeftOut, ToolFacts};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use unflake_protocol::Recipe;

#[derive(Debug)]
pub(super) struct Gradle;

const SETTINGS: &[&str] = &["settings.gradle", "settings.gradle.kts"];

const FACTS: ToolFacts = ToolFacts {
    name: "Gradle",
    build_files: &["build.gradle", "build.gradle.kts", SETTINGS[0], SETTINGS[1]],
    wrapper: "gradlew",
    program: "gradle",
    install_hint: "install Gradle, or put its `bin` directory on the PATH",
    test_command: "gradle test",
    compile_command: "gradle testClasses",
    no_tests_hint: "run `gradle test` and see what it says; a test task of another name goes after `--`, as in \
                    `unflake check -- integrationTest`",
    agent_variable: "UNFLAKE_TOOL_OPTIONS",
    reports: &["build/test-results", "build/reports", "build/tmp", "build/jacoco"],
    caches: &[".gradle", ".m2/repository"],
    own_properties: &[
        MODULE,
        "org.gradle.native",
        "org.gradle.test.worker",
        "org.gradle.internal.worker.tmpdir",
    ],
    // With Java 8, this is how the worker gets at its class path.
    own_options: &["-Djava.security.manager=worker.org.gradle."],
};

const SCRIPT: &str = include_str!("unflake.init.gradle");

/// The properties that the script reads: the tests to run, the tests not to run, and the one that it gives to tests.
const TESTS: &str = "-Dunflake.tests=";
const WITHOUT: &str = "-Dunflake.without=";
const MODULE: &str = "unflake.module";

/// Options of Gradle's whose value is the next argument.
const TAKES_VALUE: &[&str] = &[
    "-b",
    "--build-file",
    "-c",
    "--settings-file",
    "--configuration-cache-problems",
    "--console",
    "-D",
    "--system-prop",
    "-F",
    "--dependency-verification",
    "-g",
    "--gradle-user-home",
    "-I",
    "--init-script",
    "--include-build",
    "-M",
    "--write-verification-metadata",
    "--max-workers",
    "-p",
    "--project-dir",
    "-P",
    "--project-prop",
    "--priority",
    "--project-cache-dir",
    "--tests",
    "--update-locks",
    "--warning-mode",
    "-x",
    "--exclude-task",
];

impl BuildTool for Gradle {
    fn facts(&self) -> &'static ToolFacts {
        &FACTS
    }

    fn prepare(&self, command: &mut Command, arguments: &[String], scratch: &Path) -> io::Result<()> {
        let script = scratch.join("unflake.init.gradle");
        fs::write(&script, SCRIPT)?;
        apart(command, scratch);
        command.arg("--continue").arg("--init-script").arg(script);
        if !names_task(arguments) {
            command.arg("test");
        }
        Ok(())
    }

    fn compile(&self, command: &mut Command, scratch: &Path) -> io::Result<()> {
        apart(command, scratch);
        command.arg("testClasses");
        Ok(())
    }

    fn select(&self, classes: &[String]) -> Vec<String> {
        // Tests of nested classes belong to their outermost class.
        let patterns = |class: &String| match class.contains('.') {
            true => vec![class.clone(), format!("{class}$*")],
            false => vec![
                class.clone(),
                format!("{class}$*"),
                format!("*.{class}"),
                format!("*.{class}$*"),
            ],
        };
        let patterns: Vec<String> = classes.iter().flat_map(patterns).collect();
        vec![format!("{TESTS}{}", patterns.join(","))]
    }

    fn leave_out(&self, arguments: &[String], left_out: &LeftOut, _: &Path) -> io::Result<Vec<Vec<String>>> {
        let classes = left_out.classes.iter().cloned();
        let tests = left_out
            .tests
            .iter()
            .map(|(class, method)| format!("{class}.{method}"));
        let names: Vec<String> = classes.chain(tests).collect();
        let without = format!("{WITHOUT}{}", names.join(","));
        Ok(vec![arguments.iter().cloned().chain([without]).collect()])
    }

    /// Gradle looks into the classes, names do not matter. This is how people name tests.
    fn is_test_class(&self, class: &str) -> bool {
        let name = class.rsplit('.').next().unwrap_or(class);
        name.starts_with("Test")
            || ["Test", "Tests", "TestCase", "IT", "Spec"]
                .iter()
                .any(|end| name.ends_with(end))
    }

    fn has_lost_jvm(&self, output: &str) -> bool {
        worker_ends(output).next().is_some()
            || output.contains("Test process encountered an unexpected problem")
    }

    fn exit_status(&self, output: &str, _class: &str) -> Option<i32> {
        // Gradle names the worker, not its classes.
        let mut all = worker_ends(output);
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }

    fn only_tests_failed(&self, output: &str) -> bool {
        output.contains("There were failing tests") && !output.contains("Compilation failed")
    }

    fn has_reported_tests(&self, output: &str) -> bool {
        output
            .lines()
            .any(|line| line.starts_with("unflake: ") && !line.starts_with("unflake: 0 "))
    }

    fn errors<'o>(&self, output: &'o str) -> Vec<&'o str> {
        let of_compiler = output.lines().filter(|line| line.contains(": error: "));
        let mut in_paragraph = false;
        let of_gradle = output.lines().filter(|line| {
            if line.starts_with("* ") {
                in_paragraph = *line == "* What went wrong:";
                return false;
            }
            in_paragraph && !line.trim().is_empty()
        });
        // What the start script and the JVM itself print.
        let of_start = output
            .lines()
            .filter(|line| line.starts_with("ERROR: ") || line.starts_with("Error: "));
        of_compiler.chain(of_gradle).chain(of_start).collect()
    }

    fn needs_jdk(&self, output: &str) -> bool {
        // Of 7 and later, and of those before.
        [
            "[JAVA_COMPILER]",
            "Could not find tools.jar",
            "No Java compiler found",
        ]
        .iter()
        .any(|text| output.contains(text))
    }

    fn module_directory(&self, recipe: &Recipe) -> PathBuf {
        // A build may start its tests in another directory.
        let of_module = recipe.properties.get(MODULE);
        of_module.map_or_else(|| recipe.directory.clone(), PathBuf::from)
    }

    fn class_path(&self, recipe: &Recipe) -> Option<String> {
        // With Java 8 the command line has the worker's own jar alone, and the worker sets the property later.
        let path = recipe.properties.get("java.class.path")?;
        let is_of_tests = |entry: &&str| !entry.ends_with("/gradle-worker.jar");
        Some(path.split(':').filter(is_of_tests).collect::<Vec<_>>().join(":"))
    }

    fn is_test_classes(&self, directory: &Path) -> bool {
        // `build/classes/java/test`: by language and source set.
        let of_language = directory.parent().and_then(Path::parent);
        of_language.is_some_and(|classes| classes.ends_with("build/classes")) && !directory.ends_with("main")
    }

    fn version(&self, output: &str) -> Option<String> {
        let mut lines = output.lines();
        lines.find(|line| line.starts_with("Gradle ")).map(str::to_owned)
    }

    /// Only what the settings file itself says in plain texts.
    fn modules(&self, project: &Path) -> Vec<String> {
        let texts = SETTINGS
            .iter()
            .filter_map(|file| fs::read_to_string(project.join(file)).ok());
        let mut names: Vec<String> = texts.flat_map(|text| included(&text)).collect();
        names.retain(|name| project.join(name).is_dir());
        names.sort();
        names.dedup();
        names
    }
}

/// Keeps a run away from the user's daemons and from what Gradle notes about the project.
fn apart(command: &mut Command, scratch: &Path) {
    command
        .args(["--no-daemon", "--console=plain"])
        // What our script does to tasks cannot be kept for the next run. Old versions do not know the properties.
        .arg("-Dorg.gradle.configuration-cache=false")
        .arg("-Dorg.gradle.unsafe.configuration-cache=false")
        .arg("--project-cache-dir")
        .arg(scratch.join("gradle"));
}

/// Whether one of the user's arguments is the name of a task, which then runs in place of `test`.
fn names_task(arguments: &[String]) -> bool {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if TAKES_VALUE.contains(&argument.as_str()) {
            arguments.next();
        } else if !argument.starts_with('-') {
            return true;
        }
    }
    false
}

/// The exit statuses of workers that ended before their tests did.
fn worker_ends(output: &str) -> impl Iterator<Item = i32> + '_ {
    let of_workers = output.split("Process 'Gradle Test Executor ").skip(1);
    of_workers.filter_map(|text| {
        let line = text.lines().next()?;
        let (_, status) = line.split_once("finished with non-zero exit value ")?;
        let digits: String = status.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    })
}

/// The paths of the projects that a settings file includes: `include 'app', ':lib:core'`.
fn included(settings: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut goes_on = false;
    for line in settings.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let is_include = line.starts_with("include ") || line.starts_with("include(");
        if is_include || goes_on {
            let quoted = line.split(['\'', '"']).skip(1).step_by(2);
            names.extend(quoted.map(|name| name.trim_start_matches(':').replace(':', "/")));
            goes_on = line.ends_with(',') || line.ends_with('(');
        }
    }
    names
}
