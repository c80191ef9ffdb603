//! From changes to findings: what was seen twice, with the marks of what looks harmless.

use super::changes::Changes;
use super::secrets::masked;
use super::uses;
use crate::check::Check;
use crate::order::proof::{self, Suspected};
use crate::outcome::Outcomes;
use crate::stored::StoredReplay;
use std::collections::{BTreeMap, BTreeSet};
use unflake_explore::order::{ChangeSeen, HeldBy, RanOrders, Suspicion, suspicions};
use unflake_explore::{Seen, TestIx, benign};
use unflake_findings::rules::{self, HeapPlace};
use unflake_findings::{
    Benign, Details, FileChange, FilePollution, Finding, FindingKind, NoteKind, Pollution, Proof, Rate,
    Repair, Severity, polluter_id,
};
use unflake_protocol::{ChangeForm, StateChange, StateKind, TestId};

/// A finding before it is known who suffers.
pub(super) struct Found {
    finding: Finding,
    replay: StoredReplay,
    /// The polluter, if it is a test.
    test: Option<usize>,
    change: StateChange,
}

impl Found {
    /// The change as far as it decides who is tried.
    fn change_seen(&self) -> ChangeSeen<'_, (ChangeForm, Option<&String>)> {
        let change = &self.change;
        ChangeSeen {
            state: &change.root,
            way: (change.form, change.new.as_ref().or(change.old.as_ref())),
            test: self.test.map(TestIx),
            held_by: match (change.kind, change.root.rsplit_once('.')) {
                (StateKind::Heap, Some((class, _))) => HeldBy::Class(class.to_owned()),
                (StateKind::File, _) => HeldBy::File,
                _ => HeldBy::Jvm,
            },
            is_tried: self.finding.severity > Severity::Note && !has_name_by_chance(change),
        }
    }
}

/// What was seen in both runs.
pub(super) fn gather(
    check: &Check<'_>,
    first: &Changes,
    second: &Changes,
    captured: &BTreeMap<usize, Vec<StateChange>>,
    outcomes: &mut Outcomes,
) -> Vec<Found> {
    let suite = &check.learned.suite;
    let evidence = uses::read(suite.launches.iter().flat_map(|launch| &launch.class_path));
    for note in evidence.notes {
        outcomes.note(NoteKind::Other, note);
    }
    let restless = restless(first, second);
    for root in &restless {
        let why = "changes by itself, after some tests in one run and after others in the next";
        outcomes.note(
            NoteKind::NotWatched,
            format!("`{root}` {why}; what tests do to it is not told"),
        );
    }
    // What was given up in one of the runs is told of nobody: half of it would be chance.
    let given_up: BTreeSet<&str> = [&first.not_watched, &second.not_watched]
        .into_iter()
        .flat_map(|roots| roots.keys().map(String::as_str))
        .chain(restless)
        .collect();
    let mut found = Vec::new();
    let mut tell = |id: &TestId, change: &StateChange, by: By, test: usize| {
        let seen = Seen {
            first: first.of_root(&change.root),
            second: second.of_root(&change.root),
        };
        let harmless = benign(change, &seen, &evidence.uses).filter(|_| by != By::Capture);
        let change = masked(change);
        found.push(Found {
            finding: finding(id, &change, harmless, by),
            replay: StoredReplay {
                recipe: suite.tests[test].launch,
                tests: vec![suite.tests[test].handle.clone()],
            },
            test: (by != By::Class).then_some(test),
            change,
        });
    };
    for (test, changes) in &first.by_test {
        let again = second.by_test.get(test).map(Vec::as_slice).unwrap_or_default();
        let mut told = BTreeSet::new();
        for change in changes {
            let is_sure = is_among(again, &change.root) && !given_up.contains(change.root.as_str());
            if is_sure && told.insert(&change.root) {
                tell(&suite.tests[*test].id, change, By::Test, *test);
            }
        }
    }
    for (test, changes) in captured {
        for change in changes {
            tell(&suite.tests[*test].id, change, By::Capture, *test);
        }
    }
    for (root, changes) in &first.by_class {
        let again = second.by_class.get(root).map(Vec::as_slice).unwrap_or_default();
        // Told of the class; its first test is where it is.
        let Some(test) = suite.tests.iter().position(|known| known.handle.root == *root) else {
            continue;
        };
        let class = TestId {
            test: root.clone(),
            invocation: None,
            ..suite.tests[test].id.clone()
        };
        let mut told = BTreeSet::new();
        for change in changes {
            // Its own fields are what a class's set-up is for.
            let is_own = change
                .root
                .strip_prefix(root.as_str())
                .is_some_and(|field| field.starts_with('.'));
            let is_left = !is_own
                && is_among(again, &change.root)
                && !is_put_back(changes, &change.root)
                && !is_put_back(again, &change.root);
            if is_left && told.insert(&change.root) {
                tell(&class, change, By::Class, test);
            }
        }
    }
    found
}

/// Runs other tests after the polluters, and adds the findings with what came of it.
pub(super) fn prove(check: &Check<'_>, mut found: Vec<Found>, ran: &RanOrders, outcomes: &mut Outcomes) {
    let changes: Vec<ChangeSeen<'_, _>> = found.iter().map(Found::change_seen).collect();
    let suspicions = suspicions(&changes).into_iter();
    let suspected = |(index, suspicion): (usize, Suspicion)| {
        let path = found[index].change.path.clone();
        (index, Suspected { suspicion, path })
    };
    let (order, suspected): (Vec<usize>, Vec<Suspected>) = suspicions.map(suspected).unzip();
    let proven = proof::run(check, &suspected, ran, outcomes);
    for (index, came) in order.into_iter().zip(proven) {
        let one = &mut found[index];
        let (benign, proof, victims) = match &mut one.finding.details {
            Details::Polluter(pollution) => (&pollution.benign, &mut pollution.proof, &mut pollution.victims),
            Details::FilePolluter(files) => (&files.benign, &mut files.proof, &mut files.victims),
            _ => continue,
        };
        *proof = came.proof;
        *victims = came.victims;
        one.finding.severity = Severity::polluter(&one.finding.test, benign, victims);
        let suite = &check.learned.suite;
        let first = victims
            .first()
            .and_then(|victim| suite.tests.iter().find(|known| known.id == victim.test));
        if let Some(victim) = first {
            one.replay.tests.push(victim.handle.clone());
            one.finding.replay = format!("unflake replay {}", one.finding.id.as_str());
        }
    }
    for one in found {
        outcomes.add(one.finding, one.replay);
    }
}

/// A new file of which no other test can know the name.
fn has_name_by_chance(change: &StateChange) -> bool {
    change.kind == StateKind::File && change.form == ChangeForm::FirstSet && change.root.contains('*')
}

/// Whose doing it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Test,
    Class,
    /// The initialiser of a class that the test loads.
    Capture,
}

/// Fields that threads of their own change: most tests that changed them in the first run did not in the second.
fn restless<'a>(first: &'a Changes, second: &Changes) -> BTreeSet<&'a str> {
    /// So few may be chance.
    const FEW: usize = 2;
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let twice = first.by_test.iter().filter(|(test, _)| second.ran.contains(test));
    for (test, changes) in twice {
        let again = second.by_test.get(test).map(Vec::as_slice).unwrap_or_default();
        let heap = changes.iter().filter(|change| change.kind == StateKind::Heap);
        let roots: BTreeSet<&str> = heap.map(|change| change.root.as_str()).collect();
        for root in roots {
            let (repeated, not) = counts.entry(root).or_default();
            *(if is_among(again, root) { repeated } else { not }) += 1;
        }
    }
    let is_restless = |(repeated, not): &(usize, usize)| *not >= FEW && not > repeated;
    let restless = counts.into_iter().filter(|(_, counts)| is_restless(counts));
    restless.map(|(root, _)| root).collect()
}

fn is_among(changes: &[StateChange], root: &str) -> bool {
    changes.iter().any(|change| change.root == root)
}

/// Whether tear-down puts back what set-up has changed.
fn is_put_back(changes: &[StateChange], root: &str) -> bool {
    let mut of_root = changes.iter().filter(|change| change.root == root);
    match (of_root.next(), of_root.next_back()) {
        (Some(first), Some(last)) => first.path == last.path && first.old == last.new,
        _ => false,
    }
}

fn finding(test: &TestId, change: &StateChange, harmless: Option<String>, by: By) -> Finding {
    let is_file = change.kind == StateKind::File;
    let kind = if is_file {
        FindingKind::FilePolluter
    } else {
        FindingKind::Polluter
    };
    let id = polluter_id(kind, test, &change.root);
    let benign = Benign {
        is: harmless.is_some(),
        why: harmless.unwrap_or_default(),
    };
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
    let message = format!(
        "leaves `{}` changed: {} → {}",
        change.path,
        text(&change.old),
        text(&change.new)
    );
    let rule = match by {
        By::Capture => rules::of_state(change.kind, change.form, HeapPlace::Captured),
        By::Test | By::Class => rules::of_change(change),
    };
    Finding {
        rule: rule.to_owned(),
        test: test.clone(),
        severity: Severity::polluter(test, &benign, &[]),
        message,
        exception: String::new(),
        replay: format!(
            "unflake check --only pollution --no-proof --eager '{}'",
            test.class()
        ),
        rate: Rate { failed: 2, runs: 2 },
        suppressed: None,
        details: if is_file {
            Details::FilePolluter(file_pollution(change, benign))
        } else {
            Details::Polluter(Pollution {
                state: change.kind,
                held_by: change.root.clone(),
                path: change.path.clone(),
                old: change.old.clone(),
                new: change.new.clone(),
                more: change.more,
                by_class: by == By::Class,
                benign,
                proof: Proof::NotRun,
                victims: Vec::new(),
                graph: change.around.clone(),
                repair: Repair::default(),
            })
        },
        id,
    }
}

fn file_pollution(change: &StateChange, benign: Benign) -> FilePollution {
    FilePollution {
        file: change.root.clone(),
        change: match change.form {
            ChangeForm::FirstSet => FileChange::Created,
            ChangeForm::Removed => FileChange::Deleted,
            ChangeForm::Increased | ChangeForm::Grown | ChangeForm::Replaced => FileChange::Changed,
        },
        more: Vec::new(),
        benign,
        proof: Proof::NotRun,
        victims: Vec::new(),
        repair: Repair::default(),
    }
}
