//! The tests of a crate one by one: how long each takes, and which mutants it reaches.

use super::copy::Built;
use super::pairs;
use super::switch;
use crate::process::Program;
use crate::{Failure, Outcome, say};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// One test and what it did while no mutant was on.
pub(super) struct Test {
    pub(super) program: PathBuf,
    pub(super) name: String,
    /// Of the processor: those of the clock depend on what else runs.
    pub(super) seconds: f64,
    pub(super) reached: BTreeSet<usize>,
}

/// Runs each test in a process of its own.
pub(super) fn all(built: &Built, scratch: &Path) -> Outcome<Vec<Test>> {
    let mut names = Vec::new();
    for program in &built.programs {
        let list = Program::new(program)
            .dir(&built.folder)
            .arg("--list")
            .succeed()?
            .output;
        let tests = list.lines().filter_map(|line| line.strip_suffix(": test"));
        names.extend(tests.map(|name| (program, name.to_owned())));
    }
    say(format!("running {} tests one by one", names.len()));
    let tests = pairs::map(&names, |index, (program, name)| {
        let file = scratch.join(format!("reached-{index}"));
        fs::remove_file(&file).ok();
        let ended = Program::new("sh")
            .dir(&built.folder)
            .env(switch::REACHED, &file)
            .args(["-c", "\"$@\"; code=$?; times; exit $code", "sh"])
            .arg(program)
            .args(["--exact", name])
            .run()?;
        if !ended.status.success() {
            return Err(Failure::new(format!(
                "`{name}` fails without a mutant:\n{}",
                ended.output
            )));
        }
        let reached = fs::read_to_string(&file).unwrap_or_default();
        Ok(Test {
            program: (*program).clone(),
            name: name.clone(),
            seconds: processor_seconds(&ended.output),
            reached: reached.lines().filter_map(|line| line.parse().ok()).collect(),
        })
    });
    tests.into_iter().collect()
}

/// What the shell says last: the time of what it ran, as `0m1.20s 0m0.30s`.
fn processor_seconds(output: &str) -> f64 {
    let last = output.lines().next_back().unwrap_or_default();
    let seconds = |text: &str| {
        let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    last.split_whitespace().filter_map(seconds).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_test_is_the_last_that_the_shell_says() {
        let said = "test a ... ok\n0m0.00s 0m0.00s\n1m1.50s 0m0.25s\n";
        assert_eq!(processor_seconds(said), 61.75);
        assert_eq!(processor_seconds(""), 0.0);
    }
}
