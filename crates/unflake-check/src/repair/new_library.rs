//! The search with a library that is added to the tests: only if the user allows it, and only for tests that nothing
//! else repairs but the last resort.

use super::Texts;
use super::copy::Workplace;
use super::library::{FoundLibrary, MavenCall, NAME, resolved};
use super::search::{Known, Patient, Repaired, Searched, Side, failing, search};
use super::sources::ProjectSources;
use super::trials::Trials;
use crate::progress::Progress;
use std::collections::BTreeMap;
use unflake_findings::Safety;
use unflake_project::Build;
use unflake_repair::{Added, Clues, Edits, candidates, with_test_dependency};

/// What comes of each patient with a new library; `None`: it is of no use to any of them.
pub(super) fn search_with_library(
    patients: &[Patient],
    searched: [&[Searched]; 2],
    known: Known<'_>,
    workplace: &Workplace<'_>,
    trials: &mut Trials<'_>,
    progress: &dyn Progress,
) -> Option<Vec<Searched>> {
    let is_open = |patient: &usize| {
        let of_patient = searched.iter().map(|all| &all[*patient].repaired);
        of_patient
            .into_iter()
            .all(|found| found.as_ref().map_or(true, Repaired::is_last_resort))
    };
    let open = (0..patients.len()).filter(is_open);
    let wanting: Vec<(usize, String)> = open
        .filter_map(|patient| Some((patient, build_file(patient, patients, known)?)))
        .collect();
    if wanting.is_empty() || workplace.surroundings.cancel.is_cancelled() {
        return None;
    }
    let found = found(workplace, trials, progress);
    let mut libraries = known.libraries.to_vec();
    let mut refused: BTreeMap<usize, String> = BTreeMap::new();
    for (patient, file) in wanting {
        match added(&found, &file, known.sources) {
            Ok(added) => libraries[patient].added = Some(added),
            Err(why) => drop(refused.insert(patient, why)),
        }
    }
    trials
        .overlays
        .add(found.map(|found| found.jars).unwrap_or_default());
    progress.phase("repairing with a new library", patients.len() as u64);
    let known = Known {
        libraries: &libraries,
        ..known
    };
    let mut all = search(patients, Side::Dependency, known, trials, &mut |_| {
        progress.step()
    });
    for (patient, why) in refused {
        all[patient].repaired = Err(why);
    }
    Some(all)
}

/// The build file of the module whose test a new library would repair.
fn build_file(patient: usize, patients: &[Patient], known: Known<'_>) -> Option<String> {
    let none = Texts::new();
    let sources = known.sources.with(&none);
    let patient_of = &patients[patient];
    let failing = failing(patient_of, &patient_of.cause).as_compared(&sources);
    let mut frames = failing.frames.iter();
    let file = frames.find_map(|place| module_of_test(&place.file))? + "pom.xml";
    let mut libraries = known.libraries[patient].clone();
    libraries.added = Some(Added {
        file: file.clone(),
        edits: Edits::new(),
    });
    let wants = |choice| {
        let clues = Clues {
            failing: &failing,
            choice,
            choices: patient_of.cause.choices.len(),
            sources: &sources,
            libraries: &libraries,
        };
        let mut all = candidates(&clues).into_iter();
        all.any(|candidate| candidate.safety == Safety::Dependency)
    };
    patient_of.cause.choices.iter().any(wants).then_some(file)
}

/// `m/` of `m/src/test/java/p/A.java`.
fn module_of_test(path: &str) -> Option<String> {
    let at = format!("/{path}").find("/src/test/")?;
    Some(path[..at].to_owned())
}

fn found(
    workplace: &Workplace<'_>,
    trials: &Trials<'_>,
    progress: &dyn Progress,
) -> Result<FoundLibrary, String> {
    let session = trials.session;
    let build = Build::find(&session.project, workplace.path).map_err(|error| error.to_string())?;
    let maven = MavenCall {
        program: &build.program,
        project: &session.project,
        java_home: workplace.java_home,
        arguments: &session.build_arguments,
    };
    let launches = session.suite.launches.iter();
    let class_path: Vec<String> = launches.flat_map(|launch| launch.class_path.clone()).collect();
    resolved(&class_path, &maven, &|what| progress.phase(what, 0))
}

/// The edits of a build file.
fn added(
    found: &Result<FoundLibrary, String>,
    file: &str,
    sources: &ProjectSources,
) -> Result<Added, String> {
    let artifact = &found.as_ref()?.artifact;
    let refused = |why: &str| format!("`{NAME}` cannot be added to `{file}`: {why}");
    let pom = sources
        .original(file)
        .ok_or_else(|| refused("it cannot be read"))?;
    let edits = with_test_dependency(&pom.text, artifact).map_err(|why| refused(&why))?;
    Ok(Added {
        file: file.to_owned(),
        edits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use unflake_repair::Artifact;

    #[test]
    fn a_module_is_what_stands_before_its_test_sources() {
        let check = |path: &str| module_of_test(path);
        assert_eq!(check("src/test/java/p/A.java").as_deref(), Some(""));
        assert_eq!(check("m/n/src/test/java/p/A.java").as_deref(), Some("m/n/"));
        assert_eq!(check("m/src/main/java/p/A.java"), None);
    }

    #[test]
    fn a_build_file_that_cannot_be_edited_is_told_with_the_reason() {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join("pom.xml"), "<project></project>").unwrap();
        let sources = ProjectSources::new(project.path());
        let found = Ok(FoundLibrary {
            artifact: Artifact {
                group: "g".to_owned(),
                name: NAME.to_owned(),
                version: "1".to_owned(),
            },
            jars: Vec::new(),
        });
        let told = |file: &str| added(&found, file, &sources).unwrap_err();
        assert_eq!(
            told("pom.xml"),
            "`jsonassert` cannot be added to `pom.xml`: its tags do not stand on lines of their own"
        );
        assert_eq!(
            told("m/pom.xml"),
            "`jsonassert` cannot be added to `m/pom.xml`: it cannot be read"
        );
        let missing = Err("no".to_owned());
        assert_eq!(added(&missing, "pom.xml", &sources).unwrap_err(), "no");
    }
}
