//! The search with a library that is added to the tests: only if the user allows it, and only for tests that nothing
//! else repairs but the last resort.

use super::Texts;
use super::copy::Workplace;
use super::library::{FoundLibrary, LIMIT, MavenCall, NAME, resolved};
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
        scratch: session.scratch(),
        limit: LIMIT,
        children: &workplace.surroundings.children,
        cancel: &workplace.surroundings.cancel,
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
    use crate::progress::Silent;
    use crate::repair::overlay::tests::sourced;
    use crate::repair::trials::tests::with_trials;
    use std::fs;
    use unflake_findings::{Cause, CauseStatus, Choice, SourcePlace};
    use unflake_protocol::FailureSort;
    use unflake_repair::{Artifact, Libraries};

    const A: &str = "m1/src/test/java/p/ATest.java";

    /// What comes of a test with this statement, for which this was found without a library.
    fn comes_of(statement: &str, found: &Result<Repaired, String>) -> Option<String> {
        let source = format!(
            "package p;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\n\
             public class ATest {{\n    @Test\n    public void a() {{\n        {statement}\n    }}\n}}\n"
        );
        let sourced = sourced("p.ATest#a fails varied", &[(A, &source)]);
        let place = SourcePlace {
            file: A.to_owned(),
            line: 10,
            method: "p.ATest.a".to_owned(),
        };
        let choice = Choice {
            number: 1,
            api: "HashMap.keySet".to_owned(),
            javadoc: String::new(),
            call: Some(place.clone()),
            allocation: None,
            stack: Vec::new(),
            allocation_stack: Vec::new(),
            owner: None,
            elements: 3,
            natural: Vec::new(),
            failing: Vec::new(),
            moved: Vec::new(),
        };
        let patient = Patient {
            test: "p.ATest#a".to_owned(),
            sort: FailureSort::Assertion,
            exception: "java.lang.AssertionError".to_owned(),
            cause: Cause {
                status: CauseStatus::Found,
                choices: vec![choice],
                expected: Some(r#"{"a":1,"b":2}"#.to_owned()),
                actual: Some(r#"{"b":2,"a":1}"#.to_owned()),
                failed_at: vec![place],
                ..Cause::default()
            },
        };
        let surroundings = sourced.simulated.surroundings();
        let workplace = Workplace {
            surroundings: &surroundings,
            runner: std::path::Path::new("runner"),
            java_home: None,
            path: None,
        };
        let known = Known {
            sources: &sourced.sources,
            libraries: &[Libraries::new(8, [])],
        };
        let without = || vec![Searched::new(found.clone(), Vec::new())];
        let (test, main) = (without(), without());
        let searched = with_trials(&sourced, &["p.ATest#a"], |trials| {
            search_with_library(&[patient], [&test, &main], known, &workplace, trials, &Silent)
        });
        let mut searched = searched?;
        assert_eq!(searched.len(), 1);
        Some(
            searched
                .remove(0)
                .repaired
                .map_or_else(|why| why, |_| "repaired".to_owned()),
        )
    }

    #[test]
    fn a_library_is_looked_for_only_where_one_is_of_use() {
        let nothing = Err("nothing fits".to_owned());
        let json = r#"assertEquals("{\"a\":1,\"b\":2}", Main.json());"#;
        // The project has no build that could be asked for it.
        let why = comes_of(json, &nothing).unwrap();
        assert!(why.contains("pom.xml"), "{why}");
        assert_eq!(comes_of("assertEquals(\"a, b\", Main.text());", &nothing), None);
        let repaired = Ok(Repaired {
            texts: Texts::new(),
            applied: Vec::new(),
            mutants: 0,
            rounds: 23,
        });
        assert_eq!(comes_of(json, &repaired), None);
    }

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
