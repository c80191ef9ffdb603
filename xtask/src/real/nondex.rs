//! NonDex 2.2.1 as its users run it, and what it found: the tests that failed in one of its shuffled runs and not in
//! its clean run. NonDex keeps Surefire's reports of each run in a directory of its own, so both sides are read the
//! same way.

use super::maven::Checkout;
use super::surefire::Results;
use crate::{Failure, Outcome};
use std::collections::BTreeSet;
use std::fs;

const GOAL: &str = "edu.illinois:nondex-maven-plugin:2.2.1:nondex";

/// One run of NonDex.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) seconds: f64,
    pub(super) found: BTreeSet<String>,
    pub(super) note: String,
}

pub(super) fn run(checkout: &Checkout<'_>, rounds: usize) -> Outcome<Ran> {
    let kept = checkout.dir().join(".nondex");
    if kept.exists() {
        fs::remove_dir_all(&kept).map_err(|e| Failure::io("cannot remove", &kept, &e))?;
    }
    let log = checkout.log(&format!("nondex-{rounds}"));
    let ended = checkout
        .maven()
        .arg(GOAL)
        .arg(format!("-DnondexRuns={rounds}"))
        .log(&log)
        .run()?;
    // NonDex ends with an error when it found something: what it kept tells whether it worked.
    let (mut clean, mut shuffled) = (BTreeSet::new(), BTreeSet::new());
    let mut runs = Vec::new();
    for entry in fs::read_dir(&kept)
        .map_err(|e| {
            Failure::io("NonDex left nothing, cannot list", &kept, &e).hint(format!("see {}", log.display()))
        })?
        .flatten()
    {
        let path = entry.path();
        if !path.is_dir() {
            continue;
        }
        let results = Results::read(&path)?;
        if results.tests() == 0 {
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        let side = if name.starts_with("clean") {
            &mut clean
        } else {
            &mut shuffled
        };
        side.extend(results.failing());
        runs.push(results.tests());
    }
    if runs.len() != rounds + 1 {
        return Err(Failure::new(format!(
            "NonDex kept {} runs with tests, not {}",
            runs.len(),
            rounds + 1
        ))
        .hint(format!("see {}", log.display())));
    }
    runs.sort_unstable();
    let found = shuffled.difference(&clean).cloned().collect();
    let note = format!(
        "{} to {} tests per run, {} failing in the clean run",
        runs[0],
        runs[rounds],
        clean.len()
    );
    Ok(Ran {
        seconds: ended.seconds,
        found,
        note,
    })
}
