//! Tests that only a new library repairs.

use super::super::one::{Search, Step};
use super::*;
use unflake_repair::{Added, Edits};

const POM: &str = "pom.xml";

/// A test that compares JSON; the library may be added.
fn with_library<R>(work: impl FnOnce(&Patient, Known<'_>) -> R) -> R {
    let project = project();
    let json = r#""{\"a\":1,\"b\":2}""#;
    let text = SOURCE
        .replace("\"[x, y]\"", json)
        .replace("void a", "@Test public void a");
    fs::write(project.path().join(TEST), text).unwrap();
    fs::write(project.path().join(POM), "x").unwrap();
    let sources = ProjectSources::new(project.path());
    let mut libraries = Libraries::new(7, []);
    libraries.added = Some(Added {
        file: POM.to_owned(),
        edits: Edits::new().insert(1, "y"),
    });
    let patient = patient(Cause {
        expected: Some(r#"{"a":1,"b":2}"#.to_owned()),
        actual: Some(r#"{"b":2,"a":1}"#.to_owned()),
        failed_at: vec![SourcePlace {
            file: TEST.to_owned(),
            line: 10,
            method: "p.ATest.a".to_owned(),
        }],
        ..cause(TEST, 6)
    });
    let known = Known {
        sources: &sources,
        libraries: &[libraries],
    };
    work(&patient, known)
}

#[test]
fn only_the_search_with_a_library_adds_one() {
    let found = |side| {
        with_library(|patient, known| {
            let mut proofs = made_up(&|_| PASSED);
            let found = search(
                std::slice::from_ref(patient),
                side,
                known,
                &mut proofs,
                &mut |_| {},
            );
            let texts = found[0].repaired.as_ref().map(|repaired| repaired.texts.clone());
            texts.unwrap_or_default().get(POM).cloned()
        })
    };
    assert_eq!(found(Side::Test), None);
    assert_eq!(found(Side::Dependency).as_deref(), Some("xy"));
}

#[test]
fn a_library_is_added_once() {
    with_library(|patient, known| {
        let mut search = Search::new(0, Side::Dependency);
        let before = Step {
            texts: [(POM.to_owned(), "xy".to_owned())].into(),
            ..Step::default()
        };
        search.push(&before, patient, &patient.cause, known);
        let next = search.next().unwrap();
        assert_eq!(text(&next.texts, POM), "xy");
        assert!(text(&next.texts, TEST).contains("JSONAssert"), "{next:?}");
    });
}
