//! `unflake check --only id` on a project, and what its JSON says was found.

use super::maven::Checkout;
use super::table::Finding;
use crate::process::Program;
use crate::{Failure, Outcome, root, target};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One run of unflake.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) seconds: f64,
    pub(super) found: BTreeMap<String, Finding>,
    pub(super) note: String,
}

/// The release build of this repository.
pub(crate) fn build() -> Outcome<PathBuf> {
    Program::new("cargo")
        .args(["build", "--release", "-p", "unflake"])
        .dir(&root())
        .succeed()?;
    Ok(target().join("release/unflake"))
}

/// A release build whose agent breaks on request. It is moved away, so that nobody takes it for the real one.
pub(crate) fn build_breakable() -> Outcome<PathBuf> {
    Program::new("cargo")
        .args(["build", "--release", "-p", "unflake", "--features", "faults"])
        .dir(&root())
        .succeed()?;
    let built = target().join("release/unflake");
    let folder = target().join("breakable");
    let moved = folder.join("unflake");
    fs::create_dir_all(&folder).map_err(|e| Failure::io("cannot create", &folder, &e))?;
    fs::rename(&built, &moved).map_err(|e| Failure::io("cannot move", &built, &e))?;
    Ok(moved)
}

/// A first check: the store is empty, so that learning is part of the time.
pub(super) fn check(program: &Path, checkout: &Checkout<'_>, seed: Option<&str>, n: usize) -> Outcome<Ran> {
    let store = checkout.dir().with_extension("store");
    if store.exists() {
        fs::remove_dir_all(&store).map_err(|e| Failure::io("cannot remove", &store, &e))?;
    }
    let json = checkout.log(&format!("unflake-{n}")).with_extension("json");
    let log = checkout.log(&format!("unflake-{n}"));
    let mut check = Program::new(program)
        .args(["check", "--only", "id"])
        .arg(format!("--format=json={}", json.display()))
        .arg("--java")
        .arg(checkout.java_home())
        .arg("--store")
        .arg(&store)
        .arg("-C")
        .arg(checkout.dir());
    if let Some(seed) = seed {
        check = check.arg("--seed").arg(seed);
    }
    let ended = check
        .arg("--")
        .args(["-B", "-o"])
        .args(Checkout::properties())
        .env("JAVA_HOME", checkout.java_home())
        .log(&log)
        .run()?;
    // 0: nothing found, 1: findings. Anything else is no result.
    if !matches!(ended.status.code(), Some(0 | 1)) {
        let said = fs::read_to_string(&log).unwrap_or_default();
        return Err(Failure::new(format!(
            "`{}` ended with {}:\n{}",
            ended.shown,
            ended.status,
            crate::process::last_lines(&said, 25)
        )));
    }
    let text = fs::read_to_string(&json).map_err(|e| Failure::io("cannot read", &json, &e))?;
    let document: Value = serde_json::from_str(&text)
        .map_err(|e| Failure::new(format!("`{}` is no JSON: {e}", json.display())))?;
    Ok(Ran {
        seconds: ended.seconds,
        found: findings(&document)?,
        note: note(&document),
    })
}

fn findings(document: &Value) -> Outcome<BTreeMap<String, Finding>> {
    let findings = document["findings"]
        .as_array()
        .ok_or_else(|| Failure::new("the JSON has no `findings`"))?;
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let mut found: BTreeMap<String, Finding> = BTreeMap::new();
    for finding in findings {
        let test = text(finding, "test");
        // The same test may have findings for several invocations: the weakest level counts.
        let new = Finding {
            level: text(finding, "level"),
            severity: text(finding, "severity"),
            message: text(finding, "message"),
            times: 0,
        };
        let rank = |f: &Finding| {
            ["one", "eq", "id", "full"]
                .iter()
                .position(|level| *level == f.level)
        };
        match found.get(&test) {
            Some(old) if rank(old) <= rank(&new) => {}
            _ => drop(found.insert(test, new)),
        }
    }
    Ok(found)
}

fn note(document: &Value) -> String {
    let summary = &document["summary"];
    ["tests", "checked", "skipped", "rounds", "seed"]
        .iter()
        .filter(|key| !summary[**key].is_null())
        .map(|key| format!("{key} {}", summary[*key]))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_weakest_level_of_several_invocations_counts() {
        let document = json!({"findings": [
            {"test": "A#a", "level": "full", "severity": "note", "message": "m"},
            {"test": "A#a", "level": "eq", "severity": "error", "message": "n"},
            {"test": "A#a", "level": "id", "severity": "warning", "message": "o"}]});
        let found = findings(&document).unwrap();
        assert_eq!(found["A#a"].level, "eq");
        assert!(findings(&json!({})).is_err());
    }
}
