//! Gradle projects, built with a real Gradle.

use crate::fixture::Fixture;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Fails if the set is not iterated in the order of the JDK of today.
const ORDERED: &str =
    "assertEquals(\"[a, b]\", new java.util.HashSet<>(java.util.Arrays.asList(\"a\", \"b\")).toString());";

/// Two modules: JUnit 5 in `app`, JUnit 4 in `lib`.
fn project() -> Fixture {
    Fixture::of_files(&[
        ("settings.gradle", "include 'app', ':lib'\n"),
        (
            "build.gradle",
            "subprojects {\n    apply plugin: 'java'\n    repositories { mavenCentral() }\n}\n\
             project(':app') {\n    dependencies { testImplementation 'org.junit.jupiter:junit-jupiter:5.10.2' }\n    \
             test { useJUnitPlatform() }\n}\n\
             project(':lib') {\n    dependencies { testImplementation 'junit:junit:4.13.2' }\n    \
             test { forkEvery = 1; workingDir = rootDir }\n}\n",
        ),
        (
            "app/src/test/java/a/CartTest.java",
            &format!(
                "package a;\nimport static org.junit.jupiter.api.Assertions.*;\nimport org.junit.jupiter.api.*;\n\
                 class CartTest {{\n    @Test void ordered() {{\n        {ORDERED}\n    }}\n    \
                 @Nested class Inner {{\n        @Test void nested() {{\n            {ORDERED}\n        }}\n    }}\n}}\n"
            ),
        ),
        (
            "app/src/test/java/a/ExitTest.java",
            "package a;\nimport org.junit.jupiter.api.*;\nclass ExitTest {\n    @Test void exits() { System.exit(7); }\n    \
             @Test void fine() {}\n}\n",
        ),
        (
            "lib/src/test/java/b/FourTest.java",
            &format!(
                "package b;\nimport static org.junit.Assert.*;\nimport org.junit.Test;\npublic class FourTest {{\n    \
                 @Test public void ordered() {{\n        {ORDERED}\n    }}\n    @Test public void fails() {{ fail(\"always\"); }}\n\
                 }}\n"
            ),
        ),
    ])
}

/// The directory of the Gradle to test with.
fn gradle() -> PathBuf {
    let home = std::env::var_os("UNFLAKE_GRADLE").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).find(|folder| folder.join("gradle").is_file());
    home.map(|home| home.join("bin"))
        .or(on_path)
        .expect("there is no Gradle: run `scripts/gradle.sh 8.8 DIR` and set UNFLAKE_GRADLE=DIR")
}

/// `unflake` in the project, with Gradle on the PATH.
fn unflake(fixture: &Fixture, arguments: &str) -> std::process::Output {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([gradle()].into_iter().chain(std::env::split_paths(&path))).unwrap();
    fixture.command(arguments).env("PATH", path).output().unwrap()
}

fn json(fixture: &Fixture, arguments: &str) -> Value {
    let output = unflake(fixture, &format!("check --format json --seed 7 {arguments}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{stderr}"))
}

/// `module test: state`. Whether a test that is fine drew an identity hash differs from JVM to JVM.
fn states(document: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let state = |test: &Value| {
        let state = match text(&test["state"]).as_str() {
            "checked" | "no-choice" => "fine".to_owned(),
            other => other.to_owned(),
        };
        format!("{} {}: {state}", text(&test["module"]), text(&test["test"]))
    };
    document["tests"].as_array().unwrap().iter().map(state).collect()
}

/// Everything in the project but what its build makes.
fn files(project: &Path) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    let mut todo = vec![project.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if path.ends_with("build") => {}
                true => todo.push(path),
                false => _ = files.insert(path),
            }
        }
    }
    files
}

#[test]
fn the_tests_of_all_modules_are_checked_and_the_project_stays_as_it_is() {
    let fixture = project();
    let before = files(&fixture.project());
    let document = json(&fixture, "--rounds 2");
    assert_eq!(
        states(&document),
        [
            "app a.CartTest#ordered: found",
            "app a.CartTest$Inner#nested: found",
            "app a.ExitTest#exits: failing",
            "app a.ExitTest#fine: fine",
            "lib b.FourTest#fails: failing",
            "lib b.FourTest#ordered: found",
        ]
    );
    let findings = document["findings"].as_array().unwrap();
    for finding in findings {
        assert!(finding.to_string().contains("HashMap.keySet"), "{finding}");
    }
    assert_eq!(document["summary"]["partial"], false);
    assert_eq!(files(&fixture.project()), before);
    // A replay needs no Gradle.
    let replay = fixture.unflake(
        findings[0]["replay"]
            .as_str()
            .unwrap()
            .trim_start_matches("unflake "),
    );
    let said = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert_eq!(replay.status.code(), Some(1), "{said}");
}

#[test]
fn classes_are_selected_and_arguments_passed_on() {
    let fixture = project();
    // What ran before does not count: Gradle takes these tests for up to date.
    for _ in 0..2 {
        let document = json(
            &fixture,
            "--rounds 1 --no-debug b.FourTest -- -Pany=thing :lib:test",
        );
        assert_eq!(
            states(&document),
            ["lib b.FourTest#fails: failing", "lib b.FourTest#ordered: found"]
        );
    }
}

#[test]
fn a_build_that_fails_says_what_gradle_says() {
    let fixture = project();
    fixture.write(
        "app/src/test/java/a/CartTest.java",
        "package a;\nclass CartTest { int x = \"\"; }\n",
    );
    let output = unflake(&fixture, "check");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    for part in [
        "error: the build fails: `gradle --no-daemon ",
        "CartTest.java:2: error: incompatible types",
        "hint: make `gradle test` work in",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

#[test]
fn a_build_without_tests_says_where_to_look() {
    let fixture = Fixture::of_files(&[
        ("settings.gradle", ""),
        ("build.gradle", "apply plugin: 'java'\n"),
    ]);
    let output = unflake(&fixture, "check");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("unflake check -- integrationTest"), "{said}");
}
