//! `cargo xtask bench repair`: how many of a project's implementation-dependent tests `unflake fix --all --safety main`
//! repairs, by which strategies, how long that takes, and why the others are not repaired. The columns are those of
//! table II of the DexFix paper.

use super::maven::Checkout;
use super::projects::PROJECTS;
use crate::args::Args;
use crate::process::Program;
use crate::{Failure, Outcome, print, say, target};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

const USAGE: &str = "cargo xtask bench repair [PROJECT…] [--project DIR]… [--java HOME] [--dir DIR] \
                     [--unflake PROGRAM] [--patches DIR] [-- BUILD ARGUMENT…]";

/// One project that is measured.
struct Subject {
    name: String,
    dir: PathBuf,
    /// What its build is called with.
    arguments: Vec<String>,
}

pub(crate) fn run(args: Vec<String>) -> Outcome<()> {
    let (args, arguments) = for_the_build(args);
    let mut args = Args::new(args, USAGE);
    let (java, dir) = super::place(&mut args, USAGE)?;
    let program = match args.value("--unflake")? {
        Some(program) => PathBuf::from(program),
        None => super::build_unflake()?,
    };
    let patches = args.paths("--patches")?.pop();
    let mut projects: Vec<Subject> = Vec::new();
    for dir in args.paths("--project")? {
        let name = dir
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let arguments = arguments.clone();
        projects.push(Subject { name, dir, arguments });
    }
    let names = args.rest()?;
    let published = match (names.is_empty(), projects.is_empty()) {
        (true, false) => Vec::new(),
        _ => super::chosen(&names, PROJECTS.iter().take(3).collect(), USAGE)?,
    };
    for project in published {
        let checkout = Checkout::new(project, &java, &dir);
        if !checkout.is_ready() {
            say(format!("{}: putting it together", checkout.name()));
            checkout.prepare()?;
        }
        // What was put together has no licences to check.
        let own = Checkout::properties().iter().map(|own| (*own).to_owned());
        projects.push(Subject {
            name: project.name().to_owned(),
            dir: checkout.dir(),
            arguments: own.chain(arguments.clone()).collect(),
        });
    }
    let out = target().join("bench/repair");
    fs::create_dir_all(&out).map_err(|e| Failure::io("cannot create", &out, &e))?;
    let mut table = Table::default();
    for subject in projects {
        let name = &subject.name;
        let document = measure(&program, &subject, &java.home, &out)?;
        let repaired = Repaired {
            seconds: document.seconds,
            ..Repaired::of(&document.json)
        };
        say(format!(
            "{name}: {} of {}",
            repaired.test + repaired.main,
            repaired.findings
        ));
        if let Some(patches) = &patches {
            write_patches(&document.json, &patches.join(name))?;
        }
        table.add(name, &repaired);
    }
    let report = table.markdown();
    let file = out.join("table.md");
    fs::write(&file, &report).map_err(|e| Failure::io("cannot write", &file, &e))?;
    print(report);
    Ok(())
}

/// What came of one project.
#[derive(Debug, Default)]
struct Repaired {
    findings: usize,
    /// Repaired in test code alone, and with main code.
    test: usize,
    main: usize,
    /// Those that a `fix` without options repairs.
    by_default: usize,
    seconds: f64,
    /// Repaired tests by strategy: in test code, and with main code.
    strategies: BTreeMap<String, [usize; 2]>,
    reasons: BTreeMap<String, usize>,
}

/// What stands before `--`, and behind it.
fn for_the_build(mut args: Vec<String>) -> (Vec<String>, Vec<String>) {
    match args.iter().position(|arg| arg == "--") {
        Some(at) => {
            let behind = args.split_off(at + 1);
            args.truncate(at);
            (args, behind)
        }
        None => (args, Vec::new()),
    }
}

/// What `unflake fix` said in JSON.
struct Fixed {
    json: Value,
    seconds: f64,
}

fn measure(program: &Path, subject: &Subject, java: &Path, out: &Path) -> Outcome<Fixed> {
    let name = &subject.name;
    let store = out.join(format!("{name}.store"));
    if store.exists() {
        fs::remove_dir_all(&store).map_err(|e| Failure::io("cannot remove", &store, &e))?;
    }
    let json = out.join(format!("{name}.json"));
    let command = |words: &[&str]| {
        Program::new(program)
            .args(words)
            .arg("--java")
            .arg(java)
            .arg("--store")
            .arg(&store)
            .arg("-C")
            .arg(&subject.dir)
            .arg("--")
            .args(&subject.arguments)
    };
    say(format!("{name}: checking"));
    let checked = command(&["check", "--only", "id"]).run()?;
    if !matches!(checked.status.code(), Some(0 | 1)) {
        return Err(Failure::new(format!(
            "`{}` failed:\n{}",
            checked.shown, checked.output
        )));
    }
    say(format!("{name}: repairing"));
    let clock = Instant::now();
    let format = format!("--format=json={}", json.display());
    let fixed = command(&["fix", "--all", "--safety", "main", &format]).run()?;
    let seconds = clock.elapsed().as_secs_f64();
    let text = fs::read_to_string(&json)
        .map_err(|_| Failure::new(format!("`{}` wrote nothing:\n{}", fixed.shown, fixed.output)))?;
    let json: Value =
        serde_json::from_str(&text).map_err(|e| Failure::new(format!("`{}`: {e}", json.display())))?;
    Ok(Fixed { json, seconds })
}

/// The chosen patches, one file each, for somebody to read.
fn write_patches(document: &Value, folder: &Path) -> Outcome<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| Failure::io("cannot remove", folder, &e))?;
    }
    fs::create_dir_all(folder).map_err(|e| Failure::io("cannot create", folder, &e))?;
    for group in document["repairs"].as_array().into_iter().flatten() {
        let index = group["chosen"]
            .as_u64()
            .and_then(|index| usize::try_from(index).ok());
        let patch = index.and_then(|index| group["candidates"][index]["patch"].as_str());
        if let (Some(id), Some(patch)) = (group["id"].as_str(), patch) {
            let file = folder.join(format!("{id}.patch"));
            fs::write(&file, patch).map_err(|e| Failure::io("cannot write", &file, &e))?;
        }
    }
    Ok(())
}

impl Repaired {
    fn of(document: &Value) -> Repaired {
        let none = Vec::new();
        let list = |value: &'_ Value| -> Vec<Value> { value.as_array().unwrap_or(&none).clone() };
        let chosen: BTreeMap<String, Value> = list(&document["repairs"])
            .into_iter()
            .filter_map(|group| {
                let index = usize::try_from(group["chosen"].as_u64()?).ok()?;
                let id = group["id"].as_str()?.to_owned();
                Some((id, group["candidates"][index].clone()))
            })
            .collect();
        let mut repaired = Repaired::default();
        for finding in list(&document["findings"]) {
            if finding["kind"] != "implementation-dependent" {
                continue;
            }
            repaired.findings += 1;
            let repair = &finding["repair"];
            let patch = repair["repair"].as_str().and_then(|id| chosen.get(id));
            match patch {
                Some(patch) if repair["status"] == "repaired" => {
                    let touches_main = patch["safety"] != "test";
                    let counted = if touches_main {
                        &mut repaired.main
                    } else {
                        &mut repaired.test
                    };
                    *counted += 1;
                    if !touches_main && finding["level"] != "full" {
                        repaired.by_default += 1;
                    }
                    let strategies = patch["strategy"].as_str().unwrap_or_default().to_owned();
                    repaired.strategies.entry(strategies).or_default()[usize::from(touches_main)] += 1;
                }
                _ => {
                    let reason = without_names(repair["reason"].as_str().unwrap_or("not tried"));
                    *repaired.reasons.entry(reason).or_default() += 1;
                }
            }
        }
        repaired
    }
}

/// A reason without what is particular to one test.
fn without_names(reason: &str) -> String {
    let outside = reason.split('`').step_by(2);
    outside.collect::<Vec<_>>().join("…")
}

#[derive(Default)]
struct Table {
    rows: String,
    all: Repaired,
}

impl Table {
    fn add(&mut self, name: &str, one: &Repaired) {
        self.row(name, one);
        let all = &mut self.all;
        all.findings += one.findings;
        all.test += one.test;
        all.main += one.main;
        all.by_default += one.by_default;
        all.seconds += one.seconds;
        for (strategy, [test, main]) in &one.strategies {
            let sum = all.strategies.entry(strategy.clone()).or_default();
            *sum = [sum[0] + test, sum[1] + main];
        }
        for (reason, count) in &one.reasons {
            *all.reasons.entry(reason.clone()).or_default() += count;
        }
    }

    fn row(&mut self, name: &str, one: &Repaired) {
        let Repaired {
            findings,
            test,
            main,
            by_default,
            seconds,
            ..
        } = one;
        let of = |part: usize| part as f64 / (*findings).max(1) as f64;
        let _ = writeln!(
            self.rows,
            "| {name} | {findings} | {test} | {main} | {:.0} % | {by_default} | {seconds:.0} | {:.1} |",
            100.0 * of(test + main),
            seconds / (*findings).max(1) as f64,
        );
    }

    fn markdown(mut self) -> String {
        let all = std::mem::take(&mut self.all);
        self.row("all", &all);
        let mut text = format!(
            "| project | findings | test code | main code | repaired | by default | s | s per test |\n\
             |---|---|---|---|---|---|---|---|\n{}\n| strategy | test | main or both |\n|---|---|---|\n",
            self.rows
        );
        for (strategy, [test, main]) in &all.strategies {
            let _ = writeln!(text, "| {strategy} | {test} | {main} |");
        }
        text.push_str("\n| not repaired because | tests |\n|---|---|\n");
        for (reason, count) in &all.reasons {
            let _ = writeln!(text, "| {reason} | {count} |");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_build_gets_what_stands_behind_two_dashes() {
        let split = |words: &str| for_the_build(words.split(' ').map(str::to_owned).collect());
        let words = |words: &str| words.split_terminator(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(split("lang3 -- -Da -Db"), (words("lang3"), words("-Da -Db")));
        assert_eq!(split("lang3 --dir x"), (words("lang3 --dir x"), Vec::new()));
    }

    #[test]
    fn findings_are_counted_by_what_repairs_them() {
        let finding = |level: &str, status: &str, repair: Option<&str>, reason: Option<&str>| {
            json!({"kind": "implementation-dependent", "level": level,
                   "repair": {"status": status, "repair": repair, "reason": reason}})
        };
        let group = |id: &str, safety: &str, strategy: &str| json!({"id": id, "chosen": 0, "candidates": [{"strategy": strategy, "safety": safety}]});
        let document = json!({
            "findings": [
                finding("one", "repaired", Some("a"), None),
                finding("full", "repaired", Some("a"), None),
                finding("one", "repaired", Some("b"), None),
                finding("one", "unrepaired", None, Some("the repair breaks `p.A#a`")),
                finding("one", "unrepaired", None, Some("the repair breaks `p.A#b`")),
                {"kind": "pollution"},
            ],
            "repairs": [group("a", "test", "json-tree"), group("b", "main", "linked-hash")],
        });
        let counted = Repaired::of(&document);
        let mut table = Table::default();
        table.add("p", &counted);
        let expected = "| project | findings | test code | main code | repaired | by default | s | s per test |\n\
            |---|---|---|---|---|---|---|---|\n\
            | p | 5 | 2 | 1 | 60 % | 1 | 0 | 0.0 |\n\
            | all | 5 | 2 | 1 | 60 % | 1 | 0 | 0.0 |\n\n\
            | strategy | test | main or both |\n|---|---|---|\n\
            | json-tree | 2 | 0 |\n| linked-hash | 0 | 1 |\n\n\
            | not repaired because | tests |\n|---|---|\n\
            | the repair breaks … | 2 |\n";
        assert_eq!(table.markdown(), expected);
    }
}
