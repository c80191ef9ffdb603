use super::super::{Suppressions, source_of};
use super::*;
use crate::options::Ignore;
use crate::simulated::simulated;
use std::fs;
use unflake_findings::Suppression;

/// How the finding about `A#a` is suppressed by this source and these entries of `unflake.toml`.
fn suppressed(
    facts: impl IntoIterator<Item = Fact>,
    source: &str,
    ignores: &[Ignore],
) -> Option<Suppression> {
    let finished = simulated("A#a\nA#b").document_of(&ledger(facts));
    let suppressions = Suppressions {
        ignores,
        source: &|_| Some(source.to_owned()),
        file: &|_| None,
    };
    suppressions.of(&finished.document.findings[0])
}

fn ignore(test: Option<&str>, api: Option<&str>, from: Option<&str>) -> Ignore {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Ignore {
        test: owned(test),
        api: owned(api),
        from: owned(from),
        reason: "meant".to_owned(),
    }
}

fn explained() -> [Fact; 2] {
    [failed(FIRST, Level::One), cause(FIRST, "HashMap.keySet")]
}

#[test]
fn a_comment_suppresses_by_the_final_rule() {
    let source = |rule: &str| {
        format!("class A {{\n  // unflake: ignore[{rule}] order is documented\n  @Test void a() {{}}\n}}\n")
    };
    let by = |facts: Vec<Fact>, rule: &str| suppressed(facts, &source(rule), &[]).is_some();
    let unexplained = || vec![failed(FIRST, Level::One)];
    assert!(by(explained().into(), "UF101"));
    // UF100 stands for the whole family, whatever the cause is.
    assert!(by(unexplained(), "UF100") && by(explained().into(), "UF100"));
    // Nobody said so of the cause that was found, nor is it known yet.
    assert!(!by(explained().into(), "UF107"));
    assert!(!by(unexplained(), "UF101"));
}

#[test]
fn an_ignore_suppresses_what_its_test_its_api_and_its_caller_name() {
    let by = |ignore| suppressed(explained(), "", &[ignore]);
    let meant = by(ignore(Some("A#*"), None, None)).unwrap();
    assert_eq!(
        (meant.by.as_str(), meant.reason.as_str()),
        ("unflake.toml", "meant")
    );
    for same in [
        ignore(Some("A#*"), Some("HashMap.*"), None),
        ignore(Some("A#*"), None, Some("a.Main.*")),
        ignore(Some("A#*"), Some("*.keySet"), Some("a.Main.list")),
    ] {
        assert!(by(same.clone()).is_some(), "{same:?}");
    }
    for other in [
        ignore(Some("B#*"), None, None),
        ignore(None, None, None),
        // Such a one keeps choices from varying.
        ignore(None, Some("HashMap.*"), None),
        ignore(Some("A#*"), Some("Hashtable.*"), None),
        ignore(Some("A#*"), None, Some("a.b.*")),
        ignore(Some("A#*"), Some("HashMap.*"), Some("a.b.*")),
    ] {
        assert_eq!(by(other.clone()), None, "{other:?}");
    }
    // What caused it is not known, so nobody said so.
    let unexplained = [failed(FIRST, Level::One)];
    let with_api = ignore(Some("A#*"), Some("HashMap.*"), None);
    assert_eq!(suppressed(unexplained, "", &[with_api]), None);
}

#[test]
fn a_comment_at_the_call_counts_too() {
    let finished = simulated("A#a").document_of(&ledger(explained()));
    let main =
        "package a;\nclass Main {\n  // unflake: ignore[UF101] sorted by the caller\n  List list() {}\n}\n";
    let by = |source: &str| {
        let file = |name: &str| (name == "src/main/java/a/Main.java").then(|| source.to_owned());
        let suppressions = Suppressions {
            ignores: &[],
            source: &|_| None,
            file: &file,
        };
        suppressions.of(&finished.document.findings[0])
    };
    assert_eq!(by(main).unwrap().reason, "sorted by the caller");
    assert_eq!(by(&main.replace("UF101", "UF107")), None);
    assert_eq!(by("class Main {}"), None);
}

#[test]
fn an_ignore_that_silences_nothing_is_told() {
    let notes = |ignore| {
        let simulated = simulated("A#a\nA#b").with(|options| options.ignores = vec![ignore]);
        let document = simulated.document_of(&ledger(explained())).document;
        document
            .notes
            .into_iter()
            .map(|note| note.message)
            .collect::<Vec<_>>()
    };
    assert!(notes(ignore(Some("A#a"), None, None)).is_empty());
    // Nothing is said of tests that were not checked, or of what names no test.
    assert!(notes(ignore(Some("B#*"), None, None)).is_empty());
    assert!(notes(ignore(None, Some("Hashtable.*"), None)).is_empty());
    assert_eq!(
        notes(ignore(Some("A#b"), None, None)),
        ["the `[[ignore]]` of `A#b` in unflake.toml silences no finding"]
    );
}

#[test]
fn unflake_toml_comes_before_the_source() {
    let source = "class A {\n  // unflake: ignore[UF101] in the source\n  @Test void a() {}\n}\n";
    let both = suppressed(explained(), source, &[ignore(Some("A#a"), None, None)]).unwrap();
    assert_eq!(both.by, "unflake.toml");
}

#[test]
fn sources_are_found_in_the_module_of_the_test() {
    let project = tempfile::tempdir().unwrap();
    let folder = project.path().join("core/src/test/java/a");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("OrderTest.java"), "class OrderTest {}").unwrap();
    let source = |module: &str, test: &str| {
        let id = unflake_protocol::TestId {
            module: module.to_owned(),
            root: String::new(),
            test: test.to_owned(),
            invocation: None,
        };
        source_of(project.path(), &id)
    };
    assert_eq!(
        source("core", "a.OrderTest#x").as_deref(),
        Some("class OrderTest {}")
    );
    assert_eq!(source(".", "a.OrderTest#x"), None);
    assert_eq!(source("core", "a.OtherTest#x"), None);
}
