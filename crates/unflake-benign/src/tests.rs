//! What is marked and what is not: every row of the table by its examples, then each family of rules in detail.

mod collections;
mod fields;
mod jvm;
mod libraries;
mod notation;
mod numbers;

use crate::rules::{Example, RULES};
use crate::{Evidence, Seen, mark};
use notation::{change, parse_change, project};
use std::collections::BTreeSet;
use unflake_findings::{Mark, MarkKind};
use unflake_protocol::{ChangeForm, StateChange};

const TEXT: &str = "Ljava/lang/String;";

/// The mark, where one test changes it, in both runs alike.
fn why(change: &StateChange, evidence: &Evidence) -> Option<Mark> {
    let seen = Seen {
        first: vec![change],
        second: vec![change],
    };
    mark(change, &seen, evidence)
}

/// Names, as marks have them.
fn names(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn made(field: &str) -> StateChange {
    change(&[field], ChangeForm::FirstSet, Some("null"), "\"x\"")
}

fn grown(field: &str) -> StateChange {
    change(&[field, "[]"], ChangeForm::Grown, None, "\"x\"")
}

fn counted(field: &str) -> StateChange {
    change(&[field], ChangeForm::Increased, Some("3"), "4")
}

fn mark_of(example: &Example) -> Option<Mark> {
    let (change, tests) = parse_change(example.change);
    let seen = Seen {
        first: vec![&change; tests],
        second: vec![&change; tests],
    };
    mark(&change, &seen, &project(example.classes))
}

#[test]
fn every_row_marks_its_example_and_not_the_twin() {
    for rule in &RULES {
        let name = rule.mark.name();
        let hit = mark_of(&rule.hit).map(|mark| mark.kind());
        assert_eq!(hit, Some(rule.mark), "{name}: {}", rule.hit.change);
        assert_eq!(mark_of(&rule.twin), None, "{name}: {}", rule.twin.change);
    }
}

#[test]
fn every_mark_has_one_row() {
    let marks: Vec<MarkKind> = RULES.iter().map(|rule| rule.mark).collect();
    let kinds: BTreeSet<MarkKind> = marks.iter().copied().collect();
    assert_eq!(kinds, MarkKind::ALL.into_iter().collect());
    assert_eq!(marks.len(), kinds.len());
}

#[test]
fn every_mark_is_explained_in_the_manual() {
    let manual = include_str!("../../../docs/pollution.md");
    for kind in MarkKind::ALL {
        let item = format!("\n- `{}`: ", kind.name());
        assert!(
            manual.contains(&item),
            "docs/pollution.md does not explain `{}`",
            kind.name()
        );
    }
}
