//! `cargo xtask nightly`: what takes too long for every push. Each part is a command of its own; one that fails does not
//! stop the others, and the end lists all with their times.

use crate::args::Args;
use crate::process::Program;
use crate::{Failure, Outcome, commands, print, root, say};
use std::time::Instant;

const USAGE: &str = "cargo xtask nightly [--only PART,…]";

/// What runs, by name, as words of `cargo xtask`; the last as those of `cargo`.
const PARTS: [(&str, &[&str]); 7] = [
    ("matrix", &["matrix"]),
    ("chance", &["trust", "chance", "--times", "10"]),
    ("hostile", &["trust", "hostile"]),
    ("servers", &["trust", "servers", "--times", "10"]),
    ("faults", &["trust", "faults"]),
    ("same-seed", &["same-seed"]),
    (IGNORED, &["test", "--workspace", "--locked", "--", "--ignored"]),
];

/// Tests that `cargo test` leaves out.
const IGNORED: &str = "ignored";

pub fn run(args: Vec<String>) -> Outcome<()> {
    let mut args = Args::new(args, USAGE);
    let only = args.value("--only")?;
    args.end()?;
    let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
    let wanted: Vec<&str> = only
        .as_deref()
        .map_or_else(|| names.clone(), |only| only.split(',').collect());
    if let Some(unknown) = wanted.iter().find(|name| !names.contains(name)) {
        return Err(Failure::usage(
            format!("unknown part `{unknown}`; use some of {}", names.join(", ")),
            USAGE,
        ));
    }
    let mut failed = 0;
    let mut lines = Vec::new();
    for (name, words) in PARTS.iter().filter(|(name, _)| wanted.contains(name)) {
        say(format!("nightly: {name}"));
        let clock = Instant::now();
        let done = match *name {
            IGNORED => Program::new("cargo")
                .args(*words)
                .dir(&root())
                .succeed()
                .map(drop),
            _ => commands::run(
                words[0],
                words[1..].iter().map(|word| (*word).to_owned()).collect(),
            ),
        };
        let minutes = clock.elapsed().as_secs_f64() / 60.0;
        let end = match done {
            Ok(()) => "passed".to_owned(),
            Err(failure) => {
                failed += 1;
                format!("FAILED\n{failure}")
            }
        };
        lines.push(format!("{name:<10} {minutes:5.1} min  {end}"));
    }
    print(lines.join("\n"));
    match failed {
        0 => Ok(()),
        _ => Err(Failure::new(format!(
            "nightly: {failed} of {} parts failed",
            lines.len()
        ))),
    }
}
