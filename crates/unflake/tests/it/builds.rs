//! Hostile tests in the user's own build: what one of them does costs its own result, and the check comes to its end.

use crate::fixture::Fixture;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Fails if the set is not iterated in the order of the JDK of today.
const ORDERED: &str = "java.util.Set<String> set = new java.util.HashSet<>(java.util.Arrays.asList(\"a\", \"b\"));\n\
                       org.junit.jupiter.api.Assertions.assertEquals(\"[a, b]\", set.toString());";

/// A test class: its members, `@Test` and `@BeforeAll` as JUnit 5 knows them.
fn class(name: &str, members: &str) -> (String, String) {
    let text =
        format!("package a;\nimport org.junit.jupiter.api.*;\npublic class {name} {{\n{members}\n}}\n");
    (format!("src/test/java/a/{name}.java"), text)
}

fn project(classes: &[(String, String)]) -> Fixture {
    let classes: Vec<(&str, &str)> = classes.iter().map(|(path, text)| (&**path, &**text)).collect();
    Fixture::written(&classes)
}

/// `test: state (reason)` of every test. Whether one that is fine drew an identity hash differs from JVM to JVM.
fn states(document: &Value) -> Vec<String> {
    let tests = document["tests"].as_array().unwrap();
    let state = |test: &Value| {
        let reason = test["reason"]
            .as_str()
            .map_or(String::new(), |reason| format!(" ({reason})"));
        let state = match test["state"].as_str().unwrap() {
            "checked" | "no-choice" => "fine",
            other => other,
        };
        format!("{}: {state}{reason}", test["test"].as_str().unwrap())
    };
    tests.iter().map(state).collect()
}

fn notes(document: &Value) -> String {
    let notes = document["notes"].as_array().unwrap();
    let message = |note: &Value| note["message"].as_str().unwrap().to_owned();
    notes.iter().map(message).collect::<Vec<_>>().join("\n")
}

#[test]
fn tests_that_end_or_hang_the_build_s_jvm_cost_their_own_result() {
    let ordered = format!("@Test void ordered() {{ {ORDERED} }}");
    let fixture = project(&[
        class("AGoodTest", "@Test void good() {}"),
        class(
            "BExitTest",
            &format!("@Test void exits() {{ System.exit(7); }}\n@Test void good() {{}}\n{ordered}"),
        ),
        class(
            "CHangTest",
            "@Test void good() {}\n@Test void hangs() throws Exception { Thread.sleep(10_000_000); }",
        ),
        class(
            "DSetUpTest",
            "@BeforeAll static void halts() { Runtime.getRuntime().halt(3); }\n@Test void never() {}",
        ),
        class("EBehindTest", &ordered),
    ]);
    let document = fixture.check("--timeout 4s --rounds 1 --seed 7 --no-debug");
    assert_eq!(
        states(&document),
        [
            "a.AGoodTest#good: fine",
            "a.BExitTest#exits: failing (ended its JVM with exit status 7)",
            "a.BExitTest#good: fine",
            "a.BExitTest#ordered: found",
            "a.CHangTest#good: fine",
            "a.CHangTest#hangs: failing (did not finish within 4 s)",
            "a.DSetUpTest: failing (its set-up or tear-down ended its JVM with exit status 3)",
            "a.EBehindTest#ordered: found",
        ]
    );
    assert_eq!(
        notes(&document),
        "`a.BExitTest#exits` ended its JVM with exit status 7, `a.CHangTest#hangs` did not finish within 4 s, \
         `a.DSetUpTest`, outside of its tests, ended its JVM with exit status 3; the build ran again without that"
    );
    assert_eq!(document["summary"]["partial"], false);
}

#[test]
fn a_test_that_deletes_the_compiled_tests_costs_no_other_result() {
    // In the build alone: without namespaces, our JVMs share the directory.
    let deletes = "@Test void deletes() throws Exception {
            if (System.getProperty(\"surefire.real.class.path\") != null) {
                delete(new java.io.File(ADeleteTest.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
            }
        }
        static void delete(java.io.File file) {
            java.io.File[] inside = file.listFiles();
            for (int i = 0; inside != null && i < inside.length; i++) { delete(inside[i]); }
            file.delete();
        }";
    let fixture = project(&[
        class("ADeleteTest", deletes),
        class("BBehindTest", &format!("@Test void ordered() {{ {ORDERED} }}")),
    ]);
    let document = fixture.check("--rounds 1 --seed 7 --no-debug");
    assert_eq!(
        states(&document),
        ["a.ADeleteTest#deletes: fine", "a.BBehindTest#ordered: found"]
    );
    assert_eq!(
        notes(&document),
        "a test deletes the compiled tests in the build; they were compiled again"
    );
    assert_eq!(document["summary"]["partial"], false);
}

#[test]
fn an_old_build_tool_that_leaves_nothing_out_runs_classes_by_their_names() {
    let fixture = Fixture::new("detect/junit4");
    let pom = std::fs::read_to_string(fixture.project().join("pom.xml")).unwrap();
    fixture.write("pom.xml", &pom.replace("3.2.5", "2.12.4"));
    std::fs::remove_dir_all(fixture.project().join("src")).unwrap();
    let test = |name: &str, body: &str| {
        let text =
            format!("package a;\npublic class {name} {{ @org.junit.Test public void one() {{ {body} }} }}\n");
        fixture.write(&format!("src/test/java/a/{name}.java"), &text);
    };
    test("AExitTest", "System.exit(7);");
    test("BGoodTest", "");
    let document = fixture.check("--rounds 1 --seed 7 --no-debug");
    let behind = "`a.AExitTest#one` ended its JVM and took the class's other tests along";
    assert_eq!(
        states(&document),
        [
            format!("a.AExitTest: not-finished ({behind})"),
            "a.AExitTest#one: failing (ended its JVM)".to_owned(),
            "a.BGoodTest#one: fine".to_owned(),
        ]
    );
    assert!(
        notes(&document).contains("could not leave that out"),
        "{}",
        notes(&document)
    );
    assert_eq!(document["summary"]["partial"], true);
}

#[test]
fn the_way_through_the_build_ends_in_time_and_loses_nothing() {
    // Only Surefire sets this property, so that the test behaves differently without it.
    let surefire =
        "if (System.getProperty(\"surefire.real.class.path\") == null) throw new Error(\"no Surefire\");";
    let is_varied = "java.util.Arrays.asList(new java.util.HashSet<>(java.util.Arrays.asList(\"a\", \"b\"))\
                     .toArray()).indexOf(\"a\") != 0";
    let fixture = project(&[
        class("FoundTest", &format!("@Test void ordered() {{ {ORDERED} }}")),
        class(
            "HangTest",
            &format!(
                "@Test void hangs() throws Exception {{ {surefire} while ({is_varied}) Thread.sleep(100); }}"
            ),
        ),
        class("OtherTest", "@Test void good() {}"),
    ]);
    let clock = Instant::now();
    let document = fixture.check("--budget 45s --timeout 2s --rounds 1 --no-debug");
    let states = states(&document);
    assert_eq!(
        [&states[0], &states[2]],
        ["a.FoundTest#ordered: found", "a.OtherTest#good: fine"]
    );
    // How far its proof comes depends on the machine.
    let is_partial = document["summary"]["partial"] == true;
    let in_time = "a.HangTest#hangs: found";
    let late =
        "a.HangTest#hangs: not-finished (failed when varied; time ran out before the failure was confirmed)";
    assert_eq!(states[1], if is_partial { late } else { in_time });
    let is_said = notes(&document).contains("time ran out for tests that run through the build tool");
    assert_eq!(is_said, is_partial);
    assert!(
        clock.elapsed() < Duration::from_secs(300),
        "{:?}",
        clock.elapsed()
    );
}

#[test]
fn a_test_among_others_that_run_at_the_same_time_is_found_each_time() {
    let quick: String = (0..20)
        .map(|number| format!("@Test void quick{number}() {{}}\n"))
        .collect();
    let fixture = project(&[
        class("ATest", &quick),
        class("BTest", &format!("{quick}@Test void ordered() {{ {ORDERED} }}")),
        class("CTest", &quick),
    ]);
    let parallel = "junit.jupiter.execution.parallel.";
    fixture.write(
        "src/test/resources/junit-platform.properties",
        &format!("{parallel}enabled=true\n{parallel}mode.default=concurrent\n"),
    );
    for _ in 0..3 {
        let document = fixture.check("--rounds 1 --no-debug");
        let found: Vec<String> = states(&document)
            .into_iter()
            .filter(|state| !state.ends_with(": fine"))
            .collect();
        assert_eq!(found, ["a.BTest#ordered: found"]);
        assert!(notes(&document).contains("in parallel"), "{}", notes(&document));
    }
}
