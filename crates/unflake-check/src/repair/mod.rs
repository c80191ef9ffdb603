//! `unflake fix`: repairs implementation-dependent tests and polluters, proves the repairs, and makes patches of them (R1
//! to R9).
//!
//! [`search`] decides what is tried next, `unflake-repair` what can be tried, [`trials`] runs it. What was proved is
//! grouped into patches, and all chosen patches are proved once more together, in JVMs of ours and with the project's own
//! build.

mod begin;
mod blamed;
mod compiled;
mod copy;
mod guilty;
mod library;
mod new_library;
mod order_trials;
mod outcome;
mod overlay;
mod packs;
mod patches;
mod polluters;
mod search;
mod sources;
#[cfg(test)]
mod tests;
mod trials;

pub use copy::Workplace;

use crate::problem::Problem;
use crate::progress::Progress;
use crate::stored_run::StoredRun;
use begin::{Begun, begin_all, files_of, of_these_sources};
use compiled::compare;
use new_library::search_with_library;
use outcome::Outcome;
use overlay::{Compiles, Overlays};
use patches::{Patches, Subjects};
use polluters::Plan;
use search::{Known, Patient, Searched, Side, search, suggest};
use sources::ProjectSources;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::time::Instant;
use trials::{Subjected, Trials};
use unflake_findings::{Details, Document, Finding, Repair, RepairStatus, Safety};
use unflake_protocol::Seed;
use unflake_repair::Libraries;
use unflake_runner::Compiler;

/// Files as they would be: by path from the project's root.
pub(crate) type Texts = BTreeMap<String, String>;

/// How to repair.
#[derive(Clone, Copy, Debug)]
pub struct RepairOptions {
    pub jobs: usize,
    pub seed: Seed,
    /// Also what maintainers mostly refuse: what only FULL breaks, and generated sources.
    pub all: bool,
    /// The most that a chosen patch may touch.
    pub safety: Safety,
    pub by: Grouping,
}

/// What has a patch of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    #[default]
    Cause,
    Test,
}

impl Grouping {
    /// As users write them.
    pub const NAMES: [&str; 2] = ["cause", "test"];
}

impl FromStr for Grouping {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "cause" => Ok(Grouping::Cause),
            "test" => Ok(Grouping::Test),
            other => Err(format!("unknown group `{other}`; use one of cause, test")),
        }
    }
}

/// What came of it.
#[derive(Debug)]
pub struct Repairs {
    /// The stored document with a repair for each finding that was asked for.
    pub document: Document,
    /// The files of all wanted patches together, as bytes: as they were, and as they would be.
    pub files: BTreeMap<String, (Vec<u8>, Vec<u8>)>,
    /// Patches that were wanted and do not hold without those that were not: by their ids, with the reason.
    pub left_out: BTreeMap<String, String>,
    /// How the project's own build fails without any patch, if it does: then it has not judged them.
    pub fails_anyway: Option<String>,
}

/// Which of the proved patches are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    All,
    /// By the ids of their groups.
    Only(BTreeSet<String>),
}

/// Says which patches are wanted, once all of them are proved. The document is as it would be stored.
pub type Chooser<'c> = dyn FnMut(&Document) -> Result<Wanted, Problem> + 'c;

/// Repairs these findings of a stored run. `named`: those that the user asked for one by one. An error is one of
/// `choose`.
pub fn repair(
    stored: &StoredRun,
    which: &[usize],
    named: &BTreeSet<usize>,
    options: RepairOptions,
    workplace: &Workplace<'_>,
    progress: &dyn Progress,
    choose: &mut Chooser<'_>,
) -> Result<Repairs, Problem> {
    let clock = Instant::now();
    let session = &stored.session;
    let sources = ProjectSources::new(&session.project);
    let is_order = |index: &usize| is_about_order(&stored.document.findings[*index]);
    let (about_order, varied): (Vec<usize>, Vec<usize>) = which.iter().partition(|index| is_order(index));
    let plan = Plan::new(stored, &about_order);
    let declined = plan.declined.iter();
    let mut outcomes: BTreeMap<usize, Outcome> = declined
        .map(|(index, why)| (*index, Outcome::none(why.clone())))
        .collect();
    let is_asked = |index: usize| options.all || named.contains(&index);
    let begun = begin_all(stored, &varied, &is_asked, &sources, &mut outcomes);

    let start = |home: &Path| -> io::Result<Box<dyn Compiles>> {
        Ok(Box::new(Compiler::start(home, workplace.runner)?))
    };
    let launches = &session.suite.launches;
    let mut overlays = Overlays::new(&sources, launches, session.scratch().to_owned(), &start);
    progress.phase("comparing sources with classes", 0);
    let compared = compare(&files_of(&begun), &sources, &mut overlays);
    // Ctrl-C ends the compiler too; then it told nothing about sources.
    let begun = if session.driver().cancel().is_cancelled() {
        begun
    } else {
        of_these_sources(begun, &compared, &mut outcomes)
    };

    let subjects: Vec<Subjected> = begun.iter().map(|begun| begun.subject.clone()).collect();
    let mut trials = Trials {
        session,
        sources: &sources,
        overlays,
        subjects: &subjects,
        seed: options.seed,
        jobs: options.jobs,
        compiled: Vec::new(),
    };
    outcomes.extend(search_all_sides(
        &begun,
        &sources,
        options.safety,
        workplace,
        &mut trials,
        progress,
    ));
    outcomes.extend(search_clean_ups(stored, &plan, &sources, &mut trials, progress));

    let subjects = subjects_of(&begun, &plan);
    let mut patches = Patches::new(&stored.document, &outcomes, options, &sources, &subjects);
    let mut prove = |patches: &mut Patches<'_>, phase: &str| {
        progress.phase(phase, 0);
        patches.prove_together(&mut trials);
        progress.phase("running the build on a patched copy", 0);
        patches.build(workplace, session);
    };
    prove(&mut patches, "proving all patches together");
    patches.join();
    let all = patches.clone().finish(clock.elapsed());
    match choose(&all.document)? {
        Wanted::All => Ok(all),
        Wanted::Only(ids) => {
            let (files, left_out) = patches.only(&ids, |patches| {
                prove(patches, "proving the chosen patches together");
            });
            Ok(Repairs {
                files,
                left_out,
                ..all
            })
        }
    }
}

/// What came of the implementation-dependent tests: patches of test code, of main code, and with a new library.
fn search_all_sides(
    begun: &[Begun],
    sources: &ProjectSources,
    most: Safety,
    workplace: &Workplace<'_>,
    trials: &mut Trials<'_>,
    progress: &dyn Progress,
) -> Vec<(usize, Outcome)> {
    let patients: Vec<Patient> = begun.iter().map(|begun| begun.patient.clone()).collect();
    let libraries: Vec<Libraries> = begun.iter().map(|begun| begun.libraries.clone()).collect();
    let known = Known {
        sources,
        libraries: &libraries,
    };
    let mut search_side = |side, phase: &str| {
        if !patients.is_empty() {
            progress.phase(phase, patients.len() as u64);
        }
        search(&patients, side, known, trials, &mut |_| progress.step())
    };
    let test_side = search_side(Side::Test, "repairing tests");
    let main_side = search_side(Side::Main, "repairing main code");
    let both = [&test_side[..], &main_side[..]];
    let with_library = (most >= Safety::Dependency)
        .then(|| search_with_library(&patients, both, known, workplace, trials, progress))
        .flatten();
    let searched: Vec<&[Searched]> = both.into_iter().chain(with_library.as_deref()).collect();
    let suggested = suggest(&patients, &searched, known, trials);
    let mut with_library = with_library.into_iter().flatten();
    let sides = test_side.into_iter().zip(main_side).zip(suggested);
    let outcomes = sides.map(|((test, main), suggested)| {
        Outcome::of(test, main)
            .or_with_library(with_library.next())
            .suggesting(suggested)
    });
    begun.iter().map(|begun| begun.finding).zip(outcomes).collect()
}

/// What came of polluters and their victims.
fn search_clean_ups(
    stored: &StoredRun,
    plan: &Plan,
    sources: &ProjectSources,
    trials: &mut Trials<'_>,
    progress: &dyn Progress,
) -> Vec<(usize, Outcome)> {
    if !plan.spills.is_empty() {
        progress.phase("repairing polluters", plan.spills.len() as u64);
    }
    let searched = polluters::search(stored, &plan.spills, sources, trials, &mut || progress.step());
    let mut outcomes: Vec<(usize, Outcome)> =
        polluters::of_victims(plan, &searched, &stored.document, sources)
            .into_iter()
            .collect();
    let spills = plan.spills.iter().zip(searched);
    outcomes.extend(spills.map(|(spill, searched)| (spill.finding, Outcome::of_test(searched))));
    outcomes
}

/// By finding what proves its patch.
fn subjects_of(begun: &[Begun], plan: &Plan) -> Subjects {
    let patient = |(patient, begun): (usize, &Begun)| (begun.finding, patient);
    let orders = plan.spills.iter();
    Subjects {
        patients: begun.iter().enumerate().map(patient).collect(),
        orders: orders
            .map(|spill| (spill.finding, spill.orders.clone()))
            .collect(),
        victims: plan.blamed(),
    }
}

/// Whether it is the order of tests that matters.
fn is_about_order(finding: &Finding) -> bool {
    !matches!(finding.details, Details::ImplementationDependent { .. })
}

/// What a finding says of its repair.
fn not_repaired(why: &str) -> Repair {
    Repair {
        status: RepairStatus::Unrepaired,
        reason: Some(why.to_owned()),
        repair: None,
        tried: Vec::new(),
    }
}
