//! The demo, the command as users run it (every kind of check, a fresh seed), and the exit codes that only a run can
//! end with.

use crate::fixture::Fixture;
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::{Output, Stdio};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn ends(output: &Output, code: i32) {
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{said}\n{told}");
}

/// Test, kind and level of each finding.
fn findings(document: &Value) -> Vec<String> {
    let findings = document["findings"].as_array().unwrap().iter();
    let mut lines: Vec<String> = findings
        .map(|finding| format!("{} {} {}", finding["test"], finding["kind"], finding["level"]))
        .collect();
    lines.sort();
    lines
}

#[test]
fn the_demo_and_a_check_of_it_with_another_seed_find_the_same() {
    let fixture = Fixture::new("demo");
    let demo = fixture.root().join("demo");
    let output = fixture
        .command(&format!("demo {}", demo.display()))
        .env_remove("UNFLAKE_ONLY")
        .output()
        .unwrap();
    ends(&output, 0);
    let said = text(&output.stdout);
    assert!(
        said.contains("4 implementation-dependent tests: 2 errors, 1 warning, 1 note"),
        "{said}"
    );
    assert!(said.contains("8 of 8 tests checked"), "{said}");

    let mut seeds = Vec::new();
    let mut found = Vec::new();
    for _ in 0..2 {
        let output = fixture
            .command("check --format json")
            .env_remove("UNFLAKE_ONLY")
            .output()
            .unwrap();
        ends(&output, 1);
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["summary"]["partial"], false);
        seeds.push(document["summary"]["seed"].clone());
        found.push(findings(&document));
    }
    assert_ne!(seeds[0], seeds[1]);
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0].len(), 4, "{found:?}");
}

#[test]
fn an_incomplete_run_ends_with_5_on_request() {
    let fixture = Fixture::new("demo");
    let incomplete = "check CartTest#keepsItems CartTest#addsUp --rounds 10000 --budget 1s";
    ends(&fixture.unflake(incomplete), 0);
    let strict = format!("{incomplete} --require-complete");
    ends(&fixture.unflake(&strict), 5);
    // Findings come first.
    ends(&fixture.unflake(&strict.replace("keepsItems", "writesJson")), 1);
}

#[test]
fn a_bug_of_ours_ends_with_70_and_the_findings_are_shown() {
    let fixture = Fixture::new("demo");
    let output = fixture
        .command("check --seed 7")
        .env("UNFLAKE_FAULT", "panic:20")
        .output()
        .unwrap();
    ends(&output, 70);
    let said = text(&output.stdout);
    assert!(
        said.contains("note: the agent switched itself off in a test JVM: a fault on request"),
        "{said}"
    );
    assert!(said.contains("4 implementation-dependent tests"), "{said}");
}

/// The tests that ran when the connection broke did not end their JVM.
#[test]
fn a_connection_that_breaks_costs_no_result() {
    let fixture = Fixture::new("demo");
    let output = fixture
        .command("check --seed 7")
        .env("UNFLAKE_FAULT", "cut:20")
        .output()
        .unwrap();
    ends(&output, 1);
    let said = text(&output.stdout);
    assert!(said.contains("4 implementation-dependent tests"), "{said}");
    assert!(!said.contains("Flaky on its own"), "{said}");
}

#[test]
fn a_run_that_is_terminated_ends_with_143() {
    let fixture = Fixture::new("demo");
    let mut child = fixture
        .command("check --seed 7")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines
        .find(|line| line.as_ref().is_ok_and(|line| line.starts_with("unflake: ")))
        .unwrap()
        .unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    for _ in lines {}
    assert_eq!(child.wait().unwrap().code(), Some(143));
}
