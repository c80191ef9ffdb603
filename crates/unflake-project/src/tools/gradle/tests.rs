use super::*;
use std::collections::BTreeMap;

fn words(text: &str) -> Vec<String> {
    text.split(' ')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn command(arguments: &str) -> Vec<String> {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = unflake_runner::command("gradle", Path::new("/"));
    Gradle
        .prepare(&mut command, &words(arguments), scratch.path())
        .unwrap();
    assert!(scratch.path().join("unflake.init.gradle").is_file());
    command
        .get_args()
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

#[test]
fn the_task_is_test_unless_the_user_names_one() {
    for (arguments, is_test) in [
        ("", true),
        ("--offline -Pversion=3 --info", true),
        ("-x javadoc -P fast=true --max-workers 2", true),
        ("integrationTest", false),
        (":app:test --offline", false),
        ("-x lint check", false),
        ("-Dunflake.tests=a.B", true),
    ] {
        let command = command(arguments);
        assert_eq!(command.last().unwrap() == "test", is_test, "{arguments}");
    }
}

#[test]
fn no_daemon_and_none_of_gradle_s_notes_about_the_project_are_touched() {
    let command = command("");
    assert!(command.contains(&"--no-daemon".to_owned()));
    let at = command
        .iter()
        .position(|word| word == "--project-cache-dir")
        .unwrap();
    assert!(command[at + 1].ends_with("/gradle"));
}

#[test]
fn tests_are_compiled_without_running_them() {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = unflake_runner::command("gradle", Path::new("/"));
    Gradle.compile(&mut command, scratch.path()).unwrap();
    let words: Vec<&str> = command.get_args().filter_map(|word| word.to_str()).collect();
    assert_eq!(words.first(), Some(&"--no-daemon"));
    assert_eq!(words.last(), Some(&"testClasses"));
}

#[test]
fn classes_are_selected_with_those_nested_in_them() {
    let select = |classes: &str| Gradle.select(&words(classes)).join(" ");
    assert_eq!(
        select("a.OrderTest b.*Test"),
        "-Dunflake.tests=a.OrderTest,a.OrderTest$*,b.*Test,b.*Test$*"
    );
    assert_eq!(
        select("Other*"),
        "-Dunflake.tests=Other*,Other*$*,*.Other*,*.Other*$*"
    );
}

#[test]
fn what_is_left_out_is_one_more_argument() {
    let left_out = LeftOut {
        classes: ["a.A".to_owned(), "a.B$In".to_owned()].into(),
        tests: [("a.C".to_owned(), "x".to_owned())].into(),
    };
    let builds = Gradle
        .leave_out(
            &words("--offline -Dunflake.tests=a.*"),
            &left_out,
            Path::new("/none"),
        )
        .unwrap();
    let shown: Vec<String> = builds.iter().map(|build| build.join(" ")).collect();
    assert_eq!(
        shown,
        ["--offline -Dunflake.tests=a.* -Dunflake.without=a.A,a.B$In,a.C.x"]
    );
}

const LOST: &str = "\
> Task :test FAILED

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
> Process 'Gradle Test Executor 3' finished with non-zero exit value 7
  This problem might be caused by incorrect test process configuration.

* Try:
> Run with --stacktrace option to get the stack trace.
";

#[test]
fn a_worker_that_ends_early_is_told_with_its_exit_status() {
    assert!(Gradle.has_lost_jvm(LOST) && !Gradle.has_lost_jvm("BUILD SUCCESSFUL in 3s\n"));
    assert_eq!(Gradle.exit_status(LOST, "a.B"), Some(7));
    let two = LOST.to_owned() + &LOST.replace("value 7", "value 137");
    assert_eq!(Gradle.exit_status(&two, "a.B"), None);
    assert_eq!(Gradle.exit_status("", "a.B"), None);
}

#[test]
fn errors_are_those_of_the_compiler_and_what_went_wrong() {
    assert_eq!(
        Gradle.errors(LOST),
        [
            "Execution failed for task ':test'.",
            "> Process 'Gradle Test Executor 3' finished with non-zero exit value 7",
            "  This problem might be caused by incorrect test process configuration.",
        ]
    );
    let compiling = "> Task :compileJava FAILED\n/p/A.java:3: error: ';' expected\n  int x\n\n* What went wrong:\n\
                     Compilation failed; see the compiler error output for details.\n\n* Try:\n> Run\n";
    assert_eq!(
        Gradle.errors(compiling),
        [
            "/p/A.java:3: error: ';' expected",
            "Compilation failed; see the compiler error output for details.",
        ]
    );
    assert_eq!(
        Gradle.errors("ERROR: JAVA_HOME is set to an invalid directory: /x\n"),
        ["ERROR: JAVA_HOME is set to an invalid directory: /x"]
    );
}

#[test]
fn whether_tests_ran_is_said_by_our_script() {
    for (output, has) in [
        ("unflake: 3 tests of :test\nBUILD SUCCESSFUL\n", true),
        ("unflake: 0 tests of :test\nunflake: 2 tests of :app:test\n", true),
        ("unflake: 0 tests of :test\nBUILD SUCCESSFUL\n", false),
        ("> Task :test NO-SOURCE\n", false),
    ] {
        assert_eq!(Gradle.has_reported_tests(output), has, "{output}");
    }
}

#[test]
fn a_missing_compiler_is_known_by_its_sentence() {
    for output in [
        "> Toolchain installation '/jre' does not provide the required capabilities: [JAVA_COMPILER]",
        "> Could not find tools.jar. Please check that /jre contains a valid JDK installation.",
    ] {
        assert!(Gradle.needs_jdk(output), "{output}");
    }
    assert!(!Gradle.needs_jdk(LOST));
}

#[test]
fn the_worker_says_its_module_and_its_class_path() {
    let recipe = |properties: &[(&str, &str)]| Recipe {
        java: "/jdk/bin/java".into(),
        arguments: Vec::new(),
        argument_files: BTreeMap::new(),
        directory: "/p/work".into(),
        environment: BTreeMap::new(),
        properties: properties
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
        launcher: Vec::new(),
    };
    let known = recipe(&[
        ("unflake.module", "/p/app"),
        (
            "java.class.path",
            "/home/u/.gradle/caches/8.8/workerMain/gradle-worker.jar:/p/app/build/classes/java/test:/j.jar",
        ),
    ]);
    assert_eq!(Gradle.module_directory(&known), Path::new("/p/app"));
    assert_eq!(
        Gradle.class_path(&known).as_deref(),
        Some("/p/app/build/classes/java/test:/j.jar")
    );
    let unknown = recipe(&[]);
    assert_eq!(Gradle.module_directory(&unknown), Path::new("/p/work"));
    assert_eq!(Gradle.class_path(&unknown), None);
}

#[test]
fn test_classes_are_those_of_every_language_and_source_set_but_main() {
    for (directory, is_one) in [
        ("/p/build/classes/java/test", true),
        ("/p/app/build/classes/kotlin/integrationTest", true),
        ("/p/build/classes/java/main", false),
        ("/p/build/classes/java", false),
        ("/p/target/test-classes", false),
    ] {
        assert_eq!(
            Gradle.is_test_classes(Path::new(directory)),
            is_one,
            "{directory}"
        );
    }
}

#[test]
fn modules_are_those_of_the_settings_file() {
    for (settings, modules) in [
        ("include 'app', ':lib:core'\n", vec!["app", "lib/core"]),
        (
            "include(\n  \":app\",\n  \":web\"\n)\nrootProject.name = 'x'\n",
            vec!["app", "web"],
        ),
        ("// include 'old'\nincludeBuild '../other'\n", vec![]),
        ("include 'app' // and 'more'\n", vec!["app"]),
    ] {
        assert_eq!(included(settings), modules, "{settings}");
    }
}

#[test]
fn the_version_is_a_line_of_its_own() {
    let output = "\n------------\nGradle 8.8\n------------\n\nBuild time:   2024\n";
    assert_eq!(Gradle.version(output).as_deref(), Some("Gradle 8.8"));
}
