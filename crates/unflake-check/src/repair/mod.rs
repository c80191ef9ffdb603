//! `unflake fix`: repairs implementation-dependent tests and polluters, proves the repairs, and makes patches of them (R1
//! to R9).
//!
//! [`search`] decides what is tried next, `unflake-repair` what can be tried, [`trials`] runs it. What was proved is
//! grouped into patches, and all chosen patches are proved once more together, in JVMs of ours and with the project's own
//! build.

mod compiled;
mod copy;
mod guilty;
mod order_trials;
mod overlay;
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
use crate::session::Session;
use crate::stored_run::StoredRun;
use compiled::{Compiled, compare};
use overlay::{Compiles, Overlays, class_file, java_level};
use patches::{Outcome, Patches, Subjects};
use polluters::Plan;
use search::{Known, Patient, Side, search};
use sources::ProjectSources;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::time::Instant;
use trials::{Subjected, Trials};
use unflake_findings::{
    Cause, CauseStatus, Details, Document, Finding, Repair, RepairStatus, Safety, SourcePlace,
};
use unflake_protocol::{FailureSort, Level, Seed};
use unflake_repair::{Clues, Libraries, product_bug};
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
    let mut outcomes: BTreeMap<usize, Outcome> = BTreeMap::new();
    let mut begun: Vec<(Begun, Libraries)> = Vec::new();
    let is_order = |index: &usize| is_about_order(&stored.document.findings[*index]);
    let (about_order, varied): (Vec<usize>, Vec<usize>) = which.iter().partition(|index| is_order(index));
    let plan = Plan::new(stored, &about_order);
    let declined = plan.declined.iter();
    outcomes.extend(declined.map(|(index, why)| (*index, Outcome::none(why.clone()))));
    for index in &varied {
        let finding = &stored.document.findings[*index];
        let is_asked = options.all || named.contains(index);
        let one = begin(stored, finding, is_asked, &sources).and_then(|(patient, subject, files)| {
            let libraries = libraries(session, &patient, &subject, &sources);
            let begun = Begun {
                finding: *index,
                patient,
                subject,
                files,
            };
            match bug_of_the_program(&begun.patient, &libraries, &sources) {
                Some(bug) => Err(bug),
                None => Ok((begun, libraries)),
            }
        });
        match one {
            Ok(one) => begun.push(one),
            Err(why) => {
                outcomes.insert(*index, Outcome::none(why));
            }
        }
    }
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
    let (begun, libraries): (Vec<Begun>, Vec<Libraries>) = begun.into_iter().unzip();
    let patients: Vec<Patient> = begun.iter().map(|begun| begun.patient.clone()).collect();
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
    let known = Known {
        sources: &sources,
        libraries: &libraries,
    };
    let mut search_side = |side, phase: &str| {
        if !patients.is_empty() {
            progress.phase(phase, patients.len() as u64);
        }
        search(&patients, side, known, &mut trials, &mut |_| progress.step())
    };
    let test_side = search_side(Side::Test, "repairing tests");
    let main_side = search_side(Side::Main, "repairing main code");
    for ((begun, test), main) in begun.iter().zip(test_side).zip(main_side) {
        let outcome = Outcome::of(test, main);
        outcomes.insert(begun.finding, outcome);
    }
    if !plan.spills.is_empty() {
        progress.phase("repairing polluters", plan.spills.len() as u64);
    }
    let searched = polluters::search(stored, &plan.spills, &sources, &mut trials, &mut || {
        progress.step()
    });
    outcomes.extend(polluters::of_victims(
        &plan,
        &searched,
        &stored.document,
        &sources,
    ));
    let spills = plan.spills.iter().zip(searched);
    outcomes.extend(spills.map(|(spill, searched)| (spill.finding, Outcome::of_test(searched))));
    let patient = |(patient, begun): (usize, &Begun)| (begun.finding, patient);
    let subjects = Subjects {
        patients: begun.iter().enumerate().map(patient).collect(),
        orders: plan
            .spills
            .iter()
            .map(|spill| (spill.finding, spill.orders.clone()))
            .collect(),
        victims: plan.blamed(),
    };
    let mut patches = Patches::new(&stored.document, &outcomes, options, &sources, &subjects);
    let mut prove = |patches: &mut Patches<'_>, phase: &str| {
        progress.phase(phase, 0);
        patches.prove_together(&mut trials);
        progress.phase("running the build on a patched copy", 0);
        patches.build(workplace, session);
    };
    prove(&mut patches, "proving all patches together");
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

/// Whether it is the order of tests that matters.
fn is_about_order(finding: &Finding) -> bool {
    !matches!(finding.details, Details::ImplementationDependent { .. })
}

/// A finding that can be worked on.
struct Begun {
    finding: usize,
    patient: Patient,
    subject: Subjected,
    /// The sources that a repair would start from.
    files: Vec<String>,
}

fn files_of(begun: &[(Begun, Libraries)]) -> BTreeSet<String> {
    begun.iter().flat_map(|(begun, _)| begun.files.clone()).collect()
}

/// Leaves out what cannot be repaired since its sources are not those of the classes that ran.
fn of_these_sources(
    begun: Vec<(Begun, Libraries)>,
    compiled: &BTreeMap<String, Compiled>,
    outcomes: &mut BTreeMap<usize, Outcome>,
) -> Vec<(Begun, Libraries)> {
    let mut kept = Vec::new();
    for (begun, libraries) in begun {
        match why_not(&begun.files, compiled) {
            None => kept.push((begun, libraries)),
            Some(why) => {
                outcomes.insert(begun.finding, Outcome::none(why));
            }
        }
    }
    kept
}

/// Why a repair cannot start from these sources. One that cannot be compiled alone spoils nothing if there is another.
fn why_not(files: &[String], compiled: &BTreeMap<String, Compiled>) -> Option<String> {
    let mut why = None;
    let mut usable = 0;
    for file in files {
        match compiled.get(file) {
            Some(Compiled::Same) => usable += 1,
            Some(Compiled::Different(what)) => {
                return Some(format!(
                    "`{file}` is not what its class was compiled from: {what} differs; run `unflake check` again"
                ));
            }
            Some(Compiled::Not(error)) => {
                why = Some(format!("`{file}` cannot be compiled alone: {error}"));
            }
            None => {}
        }
    }
    why.filter(|_| usable == 0)
}

/// What a search needs of a finding, or why it is not begun.
fn begin(
    stored: &StoredRun,
    finding: &Finding,
    is_asked: bool,
    sources: &ProjectSources,
) -> Result<(Patient, Subjected, Vec<String>), String> {
    let Details::ImplementationDependent {
        level,
        strategy,
        scope,
        cause,
        ..
    } = &finding.details
    else {
        return Err("it does not depend on an implementation".to_owned());
    };
    if *level == Level::Full && !is_asked {
        return Err(
            "it fails only if an unchanged collection changes its order between two iterations; \
                    name it or use `--all` to repair it all the same"
                .to_owned(),
        );
    }
    if cause.status != CauseStatus::Found {
        let why = cause.reason.as_deref().unwrap_or("nobody searched for it");
        return Err(format!("its cause is not known: {why}"));
    }
    if cause.choices.iter().all(|choice| choice.api == "Object.hashCode") {
        return Err("it depends on identity hashes, and no single call is to blame".to_owned());
    }
    let replay = stored
        .replays
        .get(finding.id.as_str())
        .filter(|replay| replay.launch.is_some());
    let test = stored.session.suite.find(&finding.test);
    let (Some(replay), Some(test)) = (replay, test) else {
        return Err("it fails only when the build tool runs it".to_owned());
    };
    let launch = replay.launch.expect("it was just looked at");
    stored.session.built(launch).map_err(|problem| problem.error)?;
    let files = look_at_sources(cause, is_asked, sources)?;
    let patient = Patient {
        test: finding.test.test.clone(),
        sort: finding.failure.unwrap_or(FailureSort::Exception),
        exception: finding.exception.clone(),
        cause: cause.clone(),
    };
    let subject = Subjected {
        test,
        replay: replay.clone(),
        launch,
        scope: *scope,
        strategy: *strategy,
    };
    Ok((patient, subject, files))
}

/// The sources that a repair would start from: they must be there, be Java, and be written by somebody.
fn look_at_sources(cause: &Cause, is_asked: bool, sources: &ProjectSources) -> Result<Vec<String>, String> {
    const OTHER_LANGUAGES: [(&str, &str); 4] = [
        (".kt", "Kotlin"),
        (".groovy", "Groovy"),
        (".scala", "Scala"),
        (".clj", "Clojure"),
    ];
    let of_choices = cause
        .choices
        .iter()
        .flat_map(|choice| choice.call.iter().chain(&choice.allocation));
    let places = of_choices.chain(&cause.failed_at);
    let files: BTreeSet<&str> = places.map(|place| place.file.as_str()).collect();
    if files.is_empty() {
        return Err("no line of the project's own code is on the way to the failure".to_owned());
    }
    let mut why = None;
    let mut usable = Vec::new();
    for file in files {
        let language = OTHER_LANGUAGES.iter().find(|(end, _)| file.ends_with(end));
        if let Some((_, language)) = language {
            why = Some(format!("`{file}` is {language}; only Java is repaired"));
        } else if let Some(original) = sources.original(file) {
            if is_generated(file, &original.text) && !is_asked {
                why = Some(format!(
                    "`{file}` is generated; name the finding or use `--all` to repair it all the same"
                ));
            } else if let Err(error) = unflake_repair::JavaFile::parse(file, &*original.text) {
                why = Some(error.to_string());
            } else {
                usable.push(file.to_owned());
            }
        } else {
            why = Some(format!("the source `{file}` was not found"));
        }
    }
    match why {
        Some(why) if usable.is_empty() => Err(why),
        _ => Ok(usable),
    }
}

/// By where it lies, else by the annotation that generators put before the class.
fn is_generated(file: &str, text: &str) -> bool {
    let before_class = text.split(" class ").next().unwrap_or_default();
    let is_marked = [
        "@Generated",
        "@javax.annotation.Generated",
        "@javax.annotation.processing.Generated",
    ]
    .iter()
    .any(|mark| {
        before_class
            .lines()
            .any(|line| line.trim_start().starts_with(mark))
    });
    file.starts_with("target/") || file.contains("/target/") || file.contains("/generated") || is_marked
}

/// What repairs of a patient may use: by its class path and the levels of its own classes.
fn libraries(
    session: &Session,
    patient: &Patient,
    subject: &Subjected,
    sources: &ProjectSources,
) -> Libraries {
    const OLDEST: u32 = 8;
    let launch = session.suite.launch(subject.launch);
    let choices = patient.cause.choices.iter();
    let of_choices = choices.flat_map(|choice| choice.call.iter().chain(&choice.allocation));
    let places: Vec<&SourcePlace> = patient.cause.failed_at.iter().chain(of_choices).collect();
    let level = |wants_test: bool| {
        let files = places.iter().map(|place| place.file.as_str());
        let own =
            files.filter(|file| sources::is_test(file) == wants_test && sources.original(file).is_some());
        let classes = own.filter_map(|file| class_file(launch, file));
        classes
            .filter_map(|class| java_level(&std::fs::read(class).ok()?))
            .min()
    };
    let tests = level(true).unwrap_or(OLDEST);
    let mut libraries = Libraries::new(tests, launch.class_path.iter().map(String::as_str));
    libraries.main_java = level(false).unwrap_or(tests);
    libraries
}

/// Where main code picks one of several by chance, the test is right: it shows a bug.
fn bug_of_the_program(patient: &Patient, libraries: &Libraries, sources: &ProjectSources) -> Option<String> {
    let none = Texts::new();
    let sources = sources.with(&none);
    let failing = search::failing(patient, &patient.cause).as_compared(&sources);
    patient.cause.choices.iter().find_map(|choice| {
        let clues = Clues {
            failing: &failing,
            choice,
            sources: &sources,
            libraries,
        };
        let bug = product_bug(&clues)?;
        Some(format!(
            "this looks like a bug of the program, which the test shows: {bug}"
        ))
    })
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
