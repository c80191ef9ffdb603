//! Real Maven projects, checked as a user would: every fixture's `expected.toml` says what must be found, and nothing
//! else may be. Each also has twins that are right and must stay silent.

use crate::fixture::Fixture;
use serde_json::Value;
use std::fs;

/// One line per entry, from JSON or TOML alike.
fn lines(entries: &[Value], keys: &[&str]) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines: Vec<String> = entries
        .iter()
        .map(|entry| {
            keys.iter()
                .map(|key| text(&entry[*key]))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    lines.sort();
    lines
}

fn expected(fixture: &Fixture, table: &str) -> Vec<Value> {
    let entries = fixture
        .expected
        .get(table)
        .cloned()
        .unwrap_or(toml::Value::Array(Vec::new()));
    let mut entries: Vec<Value> = serde_json::to_value(entries).unwrap().as_array().unwrap().clone();
    for entry in &mut entries {
        let object = entry.as_object_mut().unwrap();
        object.entry("module").or_insert_with(|| ".".into());
    }
    entries
}

#[track_caller]
pub(crate) fn compare(fixture: &Fixture, document: &Value) {
    let found = |list: &str| document[list].as_array().unwrap().clone();
    let finding = ["module", "test", "invocation", "level"];
    assert_eq!(
        lines(&found("findings"), &finding),
        lines(&expected(fixture, "finding"), &finding),
        "findings"
    );
    let exclusion = ["module", "test", "invocation", "reason"];
    assert_eq!(
        lines(&found("excluded"), &exclusion),
        lines(&expected(fixture, "excluded"), &exclusion),
        "excluded"
    );
}

fn notes(document: &Value) -> Vec<String> {
    lines(document["notes"].as_array().unwrap(), &["kind", "message"])
}

/// Without what depends on the clock.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, _| !key.starts_with("time"));
            object.values_mut().for_each(without_times);
        }
        Value::Array(values) => values.iter_mut().for_each(without_times),
        _ => {}
    }
}

#[test]
fn junit3_and_junit4() {
    let fixture = Fixture::new("detect/junit4");
    let document = fixture.check("--seed 7 --rounds 4 --timeout 5s");
    compare(&fixture, &document);
    assert_eq!(notes(&document), Vec::<String>::new());
    // Nothing was chosen in these: the one that is disabled, those that failed, and those that have nothing to vary.
    let skipped = &document["summary"]["skipped"];
    assert_eq!(skipped["disabled"], 1);
    assert!(skipped["no-choice"].as_u64().unwrap() >= 1, "{skipped}");

    let id = |test: &str| {
        let findings = document["findings"].as_array().unwrap();
        let finding = findings.iter().find(|finding| finding["test"] == test).unwrap();
        finding["replay"]
            .as_str()
            .unwrap()
            .strip_prefix("unflake ")
            .unwrap()
            .to_owned()
    };
    let replay = fixture.unflake(&id("fix.B1Test#b1"));
    assert_eq!(
        replay.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&replay.stdout)
    );
    assert!(
        String::from_utf8_lossy(&replay.stdout).contains("expected:<[on]e> but was:<[thre]e>"),
        "{replay:?}"
    );
    let often = fixture.unflake(&format!("{} --times 3", id("fix.LevelTest#iteratesTwiceAlike")));
    assert!(
        String::from_utf8_lossy(&often.stdout).contains("failed 3 of 3"),
        "{often:?}"
    );

    let unknown = fixture.unflake("check LevlTest");
    assert_eq!(unknown.status.code(), Some(4));
    assert_eq!(
        String::from_utf8_lossy(&unknown.stderr)
            .lines()
            .filter(|line| !line.starts_with("unflake:"))
            .collect::<Vec<_>>(),
        [
            "error: no test matches `LevlTest`",
            "hint: did you mean `LevelTest`?"
        ]
    );

    // One test alone, one API alone, one caller alone: filters (N8).
    let one = fixture.check("LevelTest#iteratesTwiceAlike --seed 7 --rounds 3");
    assert_eq!(one["summary"]["tests"], 1);
    assert_eq!(
        lines(one["findings"].as_array().unwrap(), &["test"]),
        ["fix.LevelTest#iteratesTwiceAlike"]
    );
    let other = fixture.check("LevelTest SetUpTest --seed 7 --rounds 3 --skip-api HashMap.*");
    assert_eq!(
        lines(other["findings"].as_array().unwrap(), &["test"]),
        Vec::<String>::new()
    );
    let callers = fixture.check("LevelTest SetUpTest --seed 7 --rounds 3 --from fix.SetUpTest.*");
    assert_eq!(
        lines(callers["findings"].as_array().unwrap(), &["test"]),
        ["fix.SetUpTest#inOrder"]
    );
}

#[test]
fn several_modules_and_the_junit_platform() {
    let fixture = Fixture::new("detect/modules");
    let mut first = fixture.check("--seed 7 --rounds 4");
    compare(&fixture, &first);
    let mut second = fixture.check("--seed 7 --rounds 4");
    without_times(&mut first);
    without_times(&mut second);
    assert_eq!(first, second, "the same seed gives the same result");
}

/// Threads are numbered by who made them, so which of them is faster does not matter.
#[test]
fn a_seed_fixes_what_threads_choose() {
    let fixture = Fixture::new("detect/threads");
    let mut first = fixture.check("--seed 7 --rounds 4");
    compare(&fixture, &first);
    assert_eq!(notes(&first), Vec::<String>::new());
    let mut second = fixture.check("--seed 7 --rounds 4");
    without_times(&mut first);
    without_times(&mut second);
    assert_eq!(first, second, "the same seed gives the same result");
}

#[test]
fn models_and_meant_orders_of_users() {
    let fixture = Fixture::new("detect/models");
    let document = fixture.check("--seed 7 --rounds 4");
    compare(&fixture, &document);
    let findings = document["findings"].as_array().unwrap();
    let suppressed: Vec<String> = findings
        .iter()
        .filter(|finding| !finding["suppressed"].is_null())
        .map(|finding| {
            let suppression = &finding["suppressed"];
            format!(
                "{} {} {}",
                finding["test"], suppression["by"], suppression["reason"]
            )
            .replace('"', "")
        })
        .collect();
    assert_eq!(
        suppressed,
        [
            "fix.DaoTest#ignoredByComment comment to be silenced by a comment",
            "fix.DaoTest#ignoredInFile unflake.toml to be silenced by the file"
        ]
    );
    // A class that cannot be edited is left as it is, and the report says so.
    let notes = notes(&document);
    assert!(
        notes.len() == 1 && notes[0].contains("fix.Dao.driver"),
        "{notes:?}"
    );
}

#[test]
fn a_build_that_fails_is_told_with_what_it_said() {
    let fixture = Fixture::new("detect/modules");
    fs::write(
        fixture.project().join("core/src/test/java/fix/CoreTest.java"),
        "class Broken {",
    )
    .unwrap();
    let output = fixture.unflake("check");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("error: the build fails") && stderr.contains("reached end of file"),
        "{stderr}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn a_project_without_tests_is_no_success() {
    let fixture = Fixture::new("detect/modules");
    for module in ["core", "app"] {
        fs::remove_dir_all(fixture.project().join(module).join("src")).unwrap();
    }
    let output = fixture.unflake("check");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{stderr}");
    assert!(stderr.contains("error: the project has no tests"), "{stderr}");
}

#[test]
fn tests_that_ran_without_the_agent_are_told() {
    let fixture = Fixture::new("detect/modules");
    // A surefire that clears the variable: tests run, and the agent is in none of them.
    let pom = fixture.project().join("pom.xml");
    let text = fs::read_to_string(&pom).unwrap();
    let cleared = "<environmentVariables><JAVA_TOOL_OPTIONS></JAVA_TOOL_OPTIONS></environmentVariables></configuration>";
    fs::write(&pom, text.replace("</configuration>", cleared)).unwrap();
    let output = fixture.unflake("check");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("error: the build ran tests, but the agent was not loaded into any test JVM"),
        "{stderr}"
    );
}

#[test]
fn exec_varies_what_another_command_runs() {
    let fixture = Fixture::new("detect/modules");
    let output = fixture.unflake("exec --seed 3 -- mvn -B -q test -pl core");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("1 JVMs varied, full seed 3; 2 tests"), "{stderr}");
}

#[test]
fn ctrl_c_leaves_a_partial_report_and_no_jvm() {
    let fixture = Fixture::new("detect/junit4");
    let report = fixture.root().join("report.json");
    let mut command = fixture.command(&format!(
        "check --seed 7 --timeout 100s HostileTest LevelTest --format json={}",
        report.display()
    ));
    command
        .env("TMPDIR", fixture.root())
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    // `b_hangs` hangs in the first round, so the rounds cannot end before the signal comes.
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
    lines
        .find(|line| {
            line.as_ref()
                .is_ok_and(|line| line.starts_with("unflake: rounds"))
        })
        .unwrap()
        .unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid).unwrap(),
        rustix::process::Signal::INT,
    )
    .unwrap();
    for _ in lines {}
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let document: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    assert_eq!(document["summary"]["partial"], true);
    let scratch = fixture.root().to_str().unwrap();
    let alive = fs::read_dir("/proc").unwrap().flatten().filter(|process| {
        fs::read(process.path().join("cmdline")).is_ok_and(|line| {
            let line = String::from_utf8_lossy(&line).into_owned();
            line.contains("unflake.runner.Main") && line.contains(scratch)
        })
    });
    assert_eq!(alive.count(), 0);
}
