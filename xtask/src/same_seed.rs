//! `cargo xtask same-seed`: the same seed twice gives the same findings (N6). A project is checked twice from nothing
//! with one seed; the two JSON documents must be the same text, line by line, but for the lines that hold times.

use crate::args::Args;
use crate::process::Program;
use crate::real::build_unflake;
use crate::{Failure, Outcome, print, say, target};
use std::fs;
use std::path::{Path, PathBuf};

const USAGE: &str =
    "cargo xtask same-seed [DIR] [--seed 7] [--java HOME] [--unflake PROGRAM] [--times 2] [--only KINDS]";

pub fn run(args: Vec<String>) -> Outcome<()> {
    let mut args = Args::new(args, USAGE);
    let seed: u64 = args.number("--seed", 7)?;
    let times: usize = args.number("--times", 2)?;
    let (java, program, only) = (
        args.value("--java")?,
        args.value("--unflake")?,
        args.value("--only")?,
    );
    let mut dirs = args.rest()?;
    let program = program.map_or_else(build_unflake, |program| Ok(PathBuf::from(program)))?;
    let scratch = target().join("same-seed");
    fs::create_dir_all(&scratch).map_err(|e| Failure::io("cannot create", &scratch, &e))?;
    let project = match dirs.pop() {
        Some(_) if !dirs.is_empty() => return Err(Failure::usage("one project at a time", USAGE)),
        Some(dir) => PathBuf::from(dir),
        None => demo(&program, &scratch)?,
    };
    let mut documents: Vec<String> = Vec::new();
    for n in 1..=times {
        let (store, json) = (scratch.join("store"), scratch.join(format!("{n}.json")));
        if store.exists() {
            fs::remove_dir_all(&store).map_err(|e| Failure::io("cannot remove", &store, &e))?;
        }
        let mut check = Program::new(&program)
            .args(["check", "--seed"])
            .arg(seed.to_string())
            .arg(format!("--format=json={}", scratch.join("now.json").display()))
            .arg("--store")
            .arg(&store)
            .arg("-C")
            .arg(&project);
        if let Some(java) = &java {
            check = check.arg("--java").arg(java);
        }
        if let Some(only) = &only {
            check = check.arg("--only").arg(only);
        }
        let ended = check.run()?;
        if !matches!(ended.status.code(), Some(0 | 1)) {
            return Err(Failure::new(format!(
                "`{}` ended with {}:\n{}",
                ended.shown, ended.status, ended.output
            )));
        }
        // One name for both, since the command is part of the document.
        fs::rename(scratch.join("now.json"), &json).map_err(|e| Failure::io("cannot move to", &json, &e))?;
        let text = fs::read_to_string(&json).map_err(|e| Failure::io("cannot read", &json, &e))?;
        say(format!("run {n}: {:.1} s, {}", ended.seconds, json.display()));
        documents.push(text);
    }
    for (n, document) in documents.iter().enumerate().skip(1) {
        let different = differences(&documents[0], document);
        if !different.is_empty() {
            let shown: Vec<&str> = different.iter().take(20).map(String::as_str).collect();
            let message = format!(
                "run 1 and run {} with seed {seed} differ in {} lines:\n{}",
                n + 1,
                different.len(),
                shown.join("\n")
            );
            return Err(Failure::new(message));
        }
    }
    print(format!(
        "seed {seed}, {times} runs: the same JSON, {} lines",
        documents[0].lines().count()
    ));
    Ok(())
}

/// The project that is embedded in the program.
fn demo(program: &Path, scratch: &Path) -> Outcome<PathBuf> {
    let dir = scratch.join("demo");
    if !dir.join("pom.xml").exists() {
        let ended = Program::new(program)
            .arg("demo")
            .arg("--write-only")
            .arg(&dir)
            .run()?;
        if !dir.join("pom.xml").exists() {
            return Err(Failure::new(format!(
                "`{}` wrote no project:\n{}",
                ended.shown, ended.output
            )));
        }
    }
    Ok(dir)
}

/// Lines that differ and hold no time.
fn differences(one: &str, two: &str) -> Vec<String> {
    let (one, two): (Vec<&str>, Vec<&str>) = (one.lines().collect(), two.lines().collect());
    let mut different = Vec::new();
    for n in 0..one.len().max(two.len()) {
        let (a, b) = (
            one.get(n).copied().unwrap_or(""),
            two.get(n).copied().unwrap_or(""),
        );
        if a != b && !(is_time(a) && is_time(b)) {
            different.push(format!("line {}: {} | {}", n + 1, a.trim(), b.trim()));
        }
    }
    different
}

/// A line like `"time": 3.25,` or `"time_started": 1`.
fn is_time(line: &str) -> bool {
    line.trim_start().starts_with("\"time")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_may_differ() {
        let one = "{\n  \"time\": 1.5,\n  \"seed\": 7\n}";
        assert!(differences(one, "{\n  \"time\": 2.5,\n  \"seed\": 7\n}").is_empty());
        assert_eq!(
            differences(one, "{\n  \"time\": 1.5,\n  \"seed\": 8\n}"),
            ["line 3: \"seed\": 7 | \"seed\": 8"]
        );
        assert_eq!(differences(one, "{\n  \"time\": 1.5\n}").len(), 2);
    }
}
