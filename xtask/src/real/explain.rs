//! `cargo xtask bench explain`: what `unflake debug` and `unflake explore` make of the findings that `bench real` left
//! behind: the share that has a cause and how long that took; and for some tests, whether exploring them finds all that
//! 200 random executions find.

use super::maven::Checkout;
use super::projects::PROJECTS;
use super::table::median;
use crate::args::Args;
use crate::process::Program;
use crate::{Failure, Outcome, print, say};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const USAGE: &str =
    "cargo xtask bench explain [--java HOME] [--dir DIR] [--unflake PROGRAM] (after `bench real`)";

/// Picked before they were explored: one to 28 choices, reflection, streams, serialization.
const PICKED: [(&str, &str); 10] = [
    (
        "commons-lang3",
        "HashCodeBuilderTest#testReflectionHashCodeExcludeFields",
    ),
    (
        "commons-lang3",
        "MultilineRecursiveToStringStyleTest#nestedAndArray",
    ),
    ("commons-lang3", "ToStringBuilderTest#testSimpleReflectionStatics"),
    ("commons-lang3", "ToStringBuilderTest#testReflectionStatics"),
    ("commons-lang3", "FieldUtilsTest#testGetAllFieldsList"),
    ("commons-lang3", "RecursiveToStringStyleTest#testPerson"),
    ("commons-lang3", "HashCodeBuilderAndEqualsBuilderTest#testFixture"),
    ("commons-lang3", "SerializationUtilsTest#testSerializeBytes"),
    ("commons-collections4", "CollectionUtilsTest#get"),
    ("commons-collections4", "CollectionUtilsTest#getFromMap"),
];

const ANOTHER_SEED: &str = "1";

pub(crate) fn run(args: Vec<String>) -> Outcome<()> {
    let mut args = Args::new(args, USAGE);
    let (java, dir) = super::place(&mut args, USAGE)?;
    let program = match args.value("--unflake")? {
        Some(program) => PathBuf::from(program),
        None => super::build_unflake()?,
    };
    args.rest()?;
    let mut report = String::from(
        "| project | findings | with a cause | of several choices | median s | longest s |\n|---|---|---|---|---|---|\n",
    );
    for project in &PROJECTS {
        let checkout = Checkout::new(project, &java, &dir);
        let file = checkout.log("unflake-1").with_extension("json");
        let Ok(text) = fs::read_to_string(&file) else {
            say(format!("{}: not checked yet, left out", checkout.name()));
            continue;
        };
        let document: Value =
            serde_json::from_str(&text).map_err(|e| Failure::new(format!("`{}`: {e}", file.display())))?;
        report.push_str(&causes(project.name(), &document));
    }
    report.push_str(
        "\n| test | executions | whole | P(fail) | ways to fail | s | 200 random: ways | missed | another seed: ways | missed | lines missed |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (project, test) in PICKED {
        let Some(project) = PROJECTS.iter().find(|known| known.name() == project) else {
            continue;
        };
        let checkout = Checkout::new(project, &java, &dir);
        say(format!("{test}: exploring"));
        let explored = explore(&program, &checkout, test, &["--fresh", "--budget", "60s"])?;
        // Exploration draws 200 itself, with the same seed unless told another: what others show is the harder
        // question.
        let drawn = explore(&program, &checkout, test, &["--random", "200"])?;
        let others = explore(
            &program,
            &checkout,
            test,
            &["--random", "200", "--seed", ANOTHER_SEED],
        )?;
        report.push_str(&compared(test, &explored, &drawn, &others));
    }
    print(report);
    Ok(())
}

/// A row about the causes of one project's findings.
fn causes(project: &str, document: &Value) -> String {
    let none = Vec::new();
    let findings = document["findings"].as_array().unwrap_or(&none);
    let found: Vec<&Value> = findings
        .iter()
        .map(|finding| &finding["cause"])
        .filter(|cause| cause["status"] == "found")
        .collect();
    let several = found.iter().filter(|cause| {
        cause["choices"]
            .as_array()
            .is_some_and(|choices| choices.len() > 1)
    });
    let times: Vec<f64> = found.iter().filter_map(|cause| cause["time"].as_f64()).collect();
    let seconds = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2}"));
    format!(
        "| {project} | {} | {} | {} | {} | {} |\n",
        findings.len(),
        found.len(),
        several.count(),
        seconds(median(&times)),
        seconds(times.iter().copied().reduce(f64::max)),
    )
}

fn explore(program: &Path, checkout: &Checkout<'_>, test: &str, more: &[&str]) -> Outcome<Value> {
    let store = checkout.dir().with_extension("store");
    let json = checkout.log("explore").with_extension("json");
    let ended = Program::new(program)
        .args(["explore", test])
        .arg(format!("--format=json={}", json.display()))
        .arg("--store")
        .arg(&store)
        .arg("-C")
        .arg(checkout.dir())
        .args(more)
        .log(&checkout.log("explore"))
        .run()?;
    if !matches!(ended.status.code(), Some(0 | 1)) {
        return Err(Failure::new(format!(
            "`{}` ended with {}",
            ended.shown, ended.status
        )));
    }
    let text = fs::read_to_string(&json).map_err(|e| Failure::io("cannot read", &json, &e))?;
    serde_json::from_str(&text).map_err(|e| Failure::new(format!("`{}`: {e}", json.display())))
}

/// The pairs of failing line and message.
fn ways(space: &Value) -> BTreeSet<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let none = Vec::new();
    let failures = space["failures"].as_array().unwrap_or(&none);
    failures
        .iter()
        .map(|failure| (text(&failure["line"]), text(&failure["message"])))
        .collect()
}

fn compared(test: &str, explored: &Value, drawn: &Value, others: &Value) -> String {
    let (found, random, others) = (ways(explored), ways(drawn), ways(others));
    let lines = |ways: &BTreeSet<(String, String)>| -> BTreeSet<String> {
        ways.iter().map(|(line, _)| line.clone()).collect()
    };
    let mut row = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        row,
        "| {test} | {} | {} | {:.4} | {} | {:.1} | {} | {} | {} | {} | {} |",
        explored["executions"],
        if explored["complete"] == true { "yes" } else { "no" },
        explored["figures"]["failure_probability"].as_f64().unwrap_or(0.0),
        found.len(),
        explored["time"].as_f64().unwrap_or(0.0),
        random.len(),
        random.difference(&found).count(),
        others.len(),
        others.difference(&found).count(),
        lines(&others).difference(&lines(&found)).count(),
    );
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_way_that_only_random_executions_found_is_missed() {
        let space = |messages: &[&str]| {
            let failures: Vec<Value> = (messages.iter())
                .map(|message| json!({"line": "a.B.c(B.java:1)", "message": message}))
                .collect();
            json!({"executions": 3, "complete": true, "time": 1.0, "figures": {"failure_probability": 0.5}, "failures": failures})
        };
        let row = compared("t", &space(&["x"]), &space(&["x", "y"]), &space(&["z"]));
        assert!(row.ends_with("| 1 | 1.0 | 2 | 1 | 1 | 1 | 0 |\n"), "{row}");
    }

    #[test]
    fn causes_are_counted() {
        let document = json!({"findings": [
            {"cause": {"status": "found", "time": 0.5, "choices": [1]}},
            {"cause": {"status": "found", "time": 1.5, "choices": [1, 2]}},
            {"cause": {"status": "not-found", "time": 9.0, "choices": []}}]});
        assert_eq!(causes("p", &document), "| p | 3 | 2 | 1 | 1.00 | 1.50 |\n");
    }
}
