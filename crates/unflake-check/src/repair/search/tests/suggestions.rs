//! The last resort, and what is only suggested.

use super::*;

const TEXTS: &str = "package p;

import java.util.*;

class ATest {
    Set<String> one = new HashSet<>();

    void a() {
        assertEquals(\"x y\", one());
    }
}
";

const FIXED: &str = "one = new LinkedHashSet";

fn failed_at() -> Vec<SourcePlace> {
    vec![SourcePlace {
        file: TEST.to_owned(),
        line: 9,
        method: "p.ATest.a".to_owned(),
    }]
}

/// The set is blamed, which has so many elements.
fn compares(elements: u32) -> Patient {
    let mut cause = cause(TEST, 6);
    cause.choices[0].elements = elements;
    patient(Cause {
        expected: Some("x y".to_owned()),
        actual: Some("y x".to_owned()),
        failed_at: failed_at(),
        ..cause
    })
}

fn fails_unvaried(actual: &str) -> Proved {
    Proved::FailsUnvaried(Box::new(Failing {
        test: "p.ATest#a".to_owned(),
        sort: FailureSort::Assertion,
        exception: "java.lang.AssertionError".to_owned(),
        message: String::new(),
        expected: Some("x y".to_owned()),
        actual: Some(actual.to_owned()),
        frames: failed_at(),
    }))
}

/// What repairs the patient, or why nothing does; and what is suggested.
fn found(patient: Patient, proofs: &mut MadeUp<'_>) -> [String; 2] {
    let project = project();
    fs::write(project.path().join(TEST), TEXTS).unwrap();
    let sources = ProjectSources::new(project.path());
    let libraries = [Libraries::new(7, [])];
    let known = Known {
        sources: &sources,
        libraries: &libraries,
    };
    let patients = [patient];
    let mut side = |side| search(&patients, side, known, proofs, &mut |_| {});
    let (test, main) = (side(Side::Test), side(Side::Main));
    let suggested = suggest(&patients, &[&test, &main], known, proofs);
    let shown = |repaired: &Repaired| {
        let strategies = repaired.applied.iter().map(|applied| applied.strategy);
        let text = text(&repaired.texts, TEST);
        let line = text.lines().find(|line| line.contains("assert")).unwrap();
        format!("{}: {}", strategies.collect::<Vec<_>>().join(", "), line.trim())
    };
    let test = test[0].repaired.as_ref().map_or_else(Clone::clone, shown);
    [test, suggested[0].as_ref().map_or(String::new(), shown)]
}

const BOTH: &str = "assertTrue(actual, \"x y\".equals(actual) || \"y x\".equals(actual));";

#[test]
fn two_orders_are_accepted_after_everything_else_failed() {
    // The order is fixed and the literal renewed, and still something is wrong; then nothing is left.
    let does = |texts: &Texts| match text(texts, TEST) {
        text if text.contains(BOTH) && !text.contains(FIXED) => PASSED,
        text if text.contains(FIXED) && text.contains("\"x y\"") => fails_unvaried("y x"),
        _ => Proved::FailsVaried(STRATEGY),
    };
    let mut proofs = made_up(&does);
    let accepted = format!("accepted-values: {BOTH}");
    assert_eq!(found(compares(2), &mut proofs), [accepted.as_str(), ""]);
    assert_eq!(proofs.waves, [1, 1, 1]);
    // Nobody needs it where the order can be fixed.
    let does = |_: &Texts| PASSED;
    let [repaired, _] = found(compares(2), &mut made_up(&does));
    assert_eq!(repaired, "linked-hash: assertEquals(\"x y\", one());");
}

#[test]
fn more_orders_are_suggested_where_nothing_repairs_the_test() {
    let does = |texts: &Texts| match text(texts, TEST).contains(BOTH) {
        true => PASSED,
        false => Proved::FailsVaried(STRATEGY),
    };
    let why = "the test still fails with other orders".to_owned();
    let suggested = format!("accepted-values: {BOTH}");
    assert_eq!(found(compares(3), &mut made_up(&does)), [why.clone(), suggested]);
    // It has to be proved, its mistakes have to be noticed, and nobody may have stopped it.
    let fails = |_: &Texts| Proved::FailsVaried(STRATEGY);
    assert_eq!(found(compares(3), &mut made_up(&fails)), [why.as_str(), ""]);
    let mut careless = MadeUp {
        notices: false,
        ..made_up(&does)
    };
    assert_eq!(found(compares(3), &mut careless), [why.as_str(), ""]);
    let mut stopped = MadeUp {
        patience: 1,
        ..made_up(&does)
    };
    assert_eq!(found(compares(3), &mut stopped)[1], "");
    // What is repaired needs no suggestion.
    let [repaired, suggested] = found(compares(3), &mut made_up(&|_| PASSED));
    assert!(repaired.starts_with("linked-hash"), "{repaired}");
    assert_eq!(suggested, "");
}

#[test]
fn a_value_that_cannot_be_renewed_is_suggested_as_it_was_observed() {
    let does = |texts: &Texts| match text(texts, TEST) {
        text if text.contains(FIXED) && text.contains("\"y z\"") => PASSED,
        text if text.contains(FIXED) => fails_unvaried("y z"),
        _ => Proved::FailsVaried(STRATEGY),
    };
    let mut other = compares(3);
    other.cause.actual = None;
    let [why, suggested] = found(other.clone(), &mut made_up(&does));
    assert!(
        why.contains("cannot be renewed: the actual value has other parts"),
        "{why}"
    );
    assert_eq!(
        suggested,
        "linked-hash, observed-value: assertEquals(\"y z\", one());"
    );
    let mut careless = MadeUp {
        notices: false,
        ..made_up(&does)
    };
    assert_eq!(found(other, &mut careless)[1], "");
}
