//! Classes that are loaded before the tests, where the user asks for it.

use super::*;
use crate::options::Eager;
use unflake_findings::Details;

fn eager(suite: &str, eager: Eager) -> Simulated {
    watching(suite).with(|options| {
        options.pollution.eager = eager;
        options.pollution.all_roots = true;
        options.proof = false;
    })
}

#[test]
fn classes_are_loaded_for_the_suite_for_a_class_or_for_a_test() {
    let suite = "A#a [sees S]\nA#b\nB#b [sees T]";
    for (setting, expected) in [
        (Eager::Suite, &["A#a A#b B#b | watched with A B S T"][..]),
        (
            Eager::Class,
            &["A#a A#b | watched with A S", "B#b | watched with B T"],
        ),
        (
            Eager::Test,
            &[
                "A#a | watched with A S",
                "A#b | watched with A S",
                "B#b | watched with B T",
            ],
        ),
    ] {
        let simulated = eager(suite, setting);
        simulated.facts();
        let commands = simulated.commands();
        let (first, then) = commands.split_at(expected.len());
        assert_eq!(first, expected, "{setting:?}");
        // Twice without loading, to see what initialisers captured.
        assert_eq!(then, ["A#a A#b B#b | watched"; 2], "{setting:?}");
    }
}

#[test]
fn only_classes_of_the_project_are_loaded() {
    let simulated = eager("A#a [sees S]", Eager::Suite).with(|options| options.pollution.all_roots = false);
    simulated.facts();
    assert_eq!(simulated.commands()[0], "A#a | watched");
}

#[test]
fn classes_in_packages_of_the_project_are_loaded_and_no_others() {
    let simulated = eager("A#a [sees S]\nB#b [sees p.T]", Eager::Suite)
        .with(|options| options.pollution.all_roots = false);
    let classes = simulated.options.place.project.join("m1/target/test-classes");
    std::fs::write(classes.join("A.class"), "").unwrap();
    simulated.facts();
    assert_eq!(simulated.commands()[0], "A#a B#b | watched with A B S");
}

#[test]
fn what_an_initialiser_captures_is_reported_of_the_test_that_loads_the_class() {
    let captures = |does: &str, expected: &[&str]| {
        check(
            &eager(&format!("A#a [sees S] {does}\nB#b"), Eager::Suite),
            expected,
        );
    };
    captures("captures S.zone UTC CET", &["Capture A#a changes S.zone: NotRun"]);
    captures("captures S.zone UTC UTC", &[]);
    // It is known already that the test changes it.
    captures(
        "captures S.zone UTC CET; changes S.zone",
        &["Test A#a changes S.zone: NotRun"],
    );
    // Only in one of the two runs.
    captures("captures S.zone UTC CET turns ffp", &[]);
}

#[test]
fn what_an_initialiser_captures_is_shown_as_it_was_before_and_as_it_is() {
    let simulated = eager("A#a [sees S] captures S.zone UTC CET\nB#b", Eager::Suite);
    let findings = simulated.document_of(&simulated.ledger()).document.findings;
    let Details::Polluter(state) = &findings[0].details else {
        panic!("{findings:?}")
    };
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    assert!(
        text(&state.old).contains("UTC") && text(&state.new).contains("CET"),
        "{state:?}"
    );
    assert_eq!(state.more, 0);
}
