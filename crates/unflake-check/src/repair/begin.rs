//! Which findings can be worked on, and why the others cannot.

#[cfg(test)]
mod tests;

use super::Texts;
use super::compiled::Compiled;
use super::outcome::Outcome;
use super::overlay::{class_file, java_level};
use super::search::{Patient, failing};
use super::sources::{self, ProjectSources};
use super::trials::Subjected;
use crate::session::Session;
use crate::stored_run::StoredRun;
use std::collections::{BTreeMap, BTreeSet};
use unflake_findings::{Cause, CauseStatus, Details, SourcePlace};
use unflake_protocol::{FailureSort, Level};
use unflake_repair::{Clues, Libraries, product_bug};

/// A finding that can be worked on.
pub(super) struct Begun {
    pub(super) finding: usize,
    pub(super) patient: Patient,
    pub(super) subject: Subjected,
    /// What its repair may use.
    pub(super) libraries: Libraries,
    /// The sources that a repair would start from.
    pub(super) files: Vec<String>,
}

/// Begins with each of these findings that can be worked on. Of the others the reason is an outcome.
pub(super) fn begin_all(
    stored: &StoredRun,
    which: &[usize],
    is_asked: &dyn Fn(usize) -> bool,
    sources: &ProjectSources,
    outcomes: &mut BTreeMap<usize, Outcome>,
) -> Vec<Begun> {
    let mut all = Vec::new();
    for index in which {
        let begun = begin(stored, *index, is_asked(*index), sources);
        match begun.and_then(|begun| match bug_of_the_program(&begun, sources) {
            Some(bug) => Err(bug),
            None => Ok(begun),
        }) {
            Ok(begun) => all.push(begun),
            Err(why) => {
                outcomes.insert(*index, Outcome::none(why));
            }
        }
    }
    all
}

pub(super) fn files_of(begun: &[Begun]) -> BTreeSet<String> {
    begun.iter().flat_map(|begun| begun.files.clone()).collect()
}

/// Leaves out what cannot be repaired since its sources are not those of the classes that ran.
pub(super) fn of_these_sources(
    begun: Vec<Begun>,
    compiled: &BTreeMap<String, Compiled>,
    outcomes: &mut BTreeMap<usize, Outcome>,
) -> Vec<Begun> {
    let mut kept = Vec::new();
    for begun in begun {
        match why_not(&begun.files, compiled) {
            None => kept.push(begun),
            Some(why) => {
                outcomes.insert(begun.finding, Outcome::none(why));
            }
        }
    }
    kept
}

/// Why a repair cannot start from these sources. One that cannot be compiled alone spoils nothing if there is another.
pub(super) fn why_not(files: &[String], compiled: &BTreeMap<String, Compiled>) -> Option<String> {
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
    index: usize,
    is_asked: bool,
    sources: &ProjectSources,
) -> Result<Begun, String> {
    let finding = &stored.document.findings[index];
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
    Ok(Begun {
        finding: index,
        libraries: libraries(&stored.session, &patient, &subject, sources),
        patient,
        subject,
        files,
    })
}

/// The sources that a repair would start from: they must be there, be Java, and be written by somebody.
pub(super) fn look_at_sources(
    cause: &Cause,
    is_asked: bool,
    sources: &ProjectSources,
) -> Result<Vec<String>, String> {
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
pub(super) fn is_generated(file: &str, text: &str) -> bool {
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
fn bug_of_the_program(begun: &Begun, sources: &ProjectSources) -> Option<String> {
    let none = Texts::new();
    let sources = sources.with(&none);
    let patient = &begun.patient;
    let failing = failing(patient, &patient.cause).as_compared(&sources);
    patient.cause.choices.iter().find_map(|choice| {
        let clues = Clues {
            failing: &failing,
            choice,
            choices: patient.cause.choices.len(),
            sources: &sources,
            libraries: &begun.libraries,
        };
        let bug = product_bug(&clues)?;
        Some(format!(
            "this looks like a bug of the program, which the test shows: {bug}"
        ))
    })
}
