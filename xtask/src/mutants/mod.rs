//! `cargo xtask mutants`: turns every decision of a crate around, one at a time, and says which of them no test notices.
//!
//! One build serves all mutants: each is in the code at once, behind a switch that an environment variable sets. A mutant
//! meets only the tests that reach it. [`sites`] finds the decisions, [`copy`] builds, [`run`] tries.

mod copy;
mod edits;
mod mutant;
mod pairs;
mod run;
mod sites;
mod switch;
mod syntax;
mod table;
#[cfg(test)]
mod tests;
mod tests_of;
mod turned;

use crate::args::Args;
use crate::{Failure, Outcome, print, say};
use mutant::Mutant;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

const USAGE: &str =
    "cargo xtask mutants [--only PATH-PART] [--again FILE] [--quick] [--sample N] [--seed S] CRATE…";

/// With `--quick`, longer tests are left out.
const MOST_SECONDS: f64 = 2.0;

/// Which mutants are tried, with which tests.
struct Wanted {
    only: Vec<String>,
    /// Those that an earlier run printed.
    again: Option<BTreeSet<String>>,
    sample: usize,
    seed: u64,
    is_quick: bool,
}

pub fn run(args: Vec<String>) -> Outcome<()> {
    let mut args = Args::new(args, USAGE);
    let mut again = None;
    for path in args.paths("--again")? {
        let text = fs::read_to_string(&path).map_err(|e| Failure::io("cannot read", &path, &e))?;
        again
            .get_or_insert_with(BTreeSet::new)
            .extend(table::names(&text));
    }
    let wanted = Wanted {
        only: args.values("--only")?,
        again,
        sample: args.number("--sample", usize::MAX)?,
        seed: args.number("--seed", 0)?,
        is_quick: args.flag("--quick"),
    };
    let crates = args.rest()?;
    if crates.is_empty() {
        return Err(Failure::usage("which crate?", USAGE));
    }
    crates.iter().try_for_each(|name| try_crate(name, &wanted))
}

fn try_crate(name: &str, wanted: &Wanted) -> Outcome<()> {
    let built = copy::build(name)?;
    let scratch = scratch()?;
    let mut tests = tests_of::all(&built, &scratch)?;
    if wanted.is_quick {
        let slow = tests.extract_if(.., |test| test.seconds > MOST_SECONDS);
        slow.for_each(|test| say(format!("left out: {} ({:.0} s)", test.name, test.seconds)));
    }
    let mutants = wanted.pick(&built.mutants);
    say(format!(
        "trying {} of {} mutants",
        mutants.len(),
        built.mutants.len()
    ));
    let tried = AtomicUsize::new(0);
    let fates = pairs::map(&mutants, |_, mutant| {
        let fate = run::fate(mutant, &tests, &built.folder, &scratch);
        if fate.as_ref().is_ok_and(|fate| !fate.is_killed()) {
            say(format!("no test notices {}", mutant.name()));
        }
        let tried = tried.fetch_add(1, Ordering::Relaxed) + 1;
        if tried.is_multiple_of(100) {
            say(format!("{tried} of {}", mutants.len()));
        }
        fate
    });
    let fates = fates.into_iter().collect::<Outcome<Vec<run::Fate>>>()?;
    let fates: Vec<(&Mutant, run::Fate)> = mutants.into_iter().zip(fates).collect();
    print(table::text(name, &fates, built.dropped));
    fs::remove_dir_all(&scratch).ok();
    Ok(())
}

/// For what tests leave behind.
fn scratch() -> Outcome<PathBuf> {
    let folder = copy::folder().join("tmp");
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).map_err(|e| Failure::io("cannot create", &folder, &e))?;
    Ok(folder)
}

impl Wanted {
    fn pick<'m>(&self, mutants: &'m [Mutant]) -> Vec<&'m Mutant> {
        let is_wanted = |mutant: &&Mutant| {
            let file = self.only.is_empty() || self.only.iter().any(|part| mutant.file.contains(part));
            file && self
                .again
                .as_ref()
                .is_none_or(|again| again.contains(&mutant.name()))
        };
        let mut wanted: Vec<&Mutant> = mutants.iter().filter(is_wanted).collect();
        let mut state = self.seed;
        while wanted.len() > self.sample {
            let index = random(&mut state) % wanted.len() as u64;
            wanted.remove(index as usize);
        }
        wanted
    }
}

/// SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
