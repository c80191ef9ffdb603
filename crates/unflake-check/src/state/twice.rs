//! What was seen in both runs, with the marks of what looks harmless. Pure: the runs are over.

use super::changes::Changes;
use super::secrets::masked;
use crate::ledger::{By, Changed};
use crate::suite::Suite;
use std::collections::{BTreeMap, BTreeSet};
use unflake_benign::{Evidence, Seen, mark};
use unflake_explore::TestIx;
use unflake_explore::order::{ChangeSeen, HeldBy, Turn};
use unflake_findings::Proof;
use unflake_protocol::{ChangeForm, StateChange, StateKind, Step};

/// Two runs of the same tests, and what initialisers captured.
pub(super) struct Twice<'a> {
    pub(super) suite: &'a Suite,
    pub(super) first: &'a Changes,
    pub(super) second: &'a Changes,
    pub(super) captured: &'a BTreeMap<TestIx, Vec<StateChange>>,
    /// What the project's classes do with their fields.
    pub(super) evidence: &'a Evidence,
}

impl Twice<'_> {
    /// All changes that were seen in both runs. Their victims are not known yet.
    pub(super) fn changes(&self) -> Vec<Changed> {
        let given_up = self.given_up();
        let mut found = Vec::new();
        for (test, changes) in &self.first.by_test {
            let again = self.second.by_test.get(test).map(Vec::as_slice);
            let again = again.unwrap_or_default();
            let mut told = BTreeSet::new();
            for change in changes {
                let is_sure = is_among(again, &change.root) && !given_up.contains(change.root.as_str());
                if is_sure && told.insert(&change.root) {
                    found.push(self.changed(*test, change, By::Test));
                }
            }
        }
        for (test, changes) in self.captured {
            found.extend(
                changes
                    .iter()
                    .map(|change| self.changed(*test, change, By::Capture)),
            );
        }
        for (root, changes) in &self.first.by_class {
            // Reported of the class; its first test is where it is.
            let is_of_class = |test: &TestIx| self.suite[*test].handle.root == *root;
            if let Some(test) = self.suite.all().find(is_of_class) {
                let left = self.left_by_class(root, changes);
                found.extend(left.map(|change| self.changed(test, change, By::Class)));
            }
        }
        found
    }

    /// What set-up and tear-down of a class leave behind for other classes.
    fn left_by_class<'c>(
        &self,
        root: &str,
        changes: &'c [StateChange],
    ) -> impl Iterator<Item = &'c StateChange> {
        let again = self.second.by_class.get(root).map(Vec::as_slice);
        let again = again.unwrap_or_default();
        let mut told = BTreeSet::new();
        changes.iter().filter(move |change| {
            !self.is_for_own_tests(root, change)
                && !self.is_set_anew_by_heirs(root, change)
                && is_among(again, &change.root)
                && !is_put_back(changes, &change.root)
                && !is_put_back(again, &change.root)
                && told.insert(&change.root)
        })
    }

    /// A field of the class itself that no other class uses: it is what a class's set-up is for, and is set again
    /// whenever the class runs.
    fn is_for_own_tests(&self, root: &str, change: &StateChange) -> bool {
        let field = change.root.strip_prefix(root);
        let is_own = field.is_some_and(|field| field.starts_with('.'));
        let named = change.steps.first().and_then(Step::field);
        let is_used_elsewhere = named.and_then(|field| self.evidence.is_used_elsewhere(field));
        is_own && is_used_elsewhere != Some(true)
    }

    /// A field of a class above that no other class uses: what class-level code sets there is set to the same before the
    /// tests of each class that inherits it. What this code counts or gathers is not the same for the next class.
    fn is_set_anew_by_heirs(&self, root: &str, change: &StateChange) -> bool {
        let Some(field) = change.steps.first().and_then(Step::field) else {
            return false;
        };
        let is_set = matches!(change.form, ChangeForm::Replaced | ChangeForm::FirstSet);
        let runs = [self.first, self.second];
        let mut all = runs.iter().flat_map(|run| run.by_class.values().flatten());
        is_set
            && self.evidence.is_above(&field.class, root)
            && self.evidence.is_used_elsewhere(field) == Some(false)
            && all.all(|other| {
                other.root != change.root || other.path == change.path && other.new == change.new
            })
    }

    fn changed(&self, test: TestIx, change: &StateChange, by: By) -> Changed {
        let seen = Seen {
            first: self.first.of_root(&change.root),
            second: self.second.of_root(&change.root),
        };
        Changed {
            test,
            by,
            mark: mark(change, &seen, self.evidence).filter(|_| by != By::Capture),
            change: masked(change),
            proof: Proof::NotRun,
            victims: Vec::new(),
        }
    }

    /// Roots that were given up in one of the runs: changes to them are not reported, since they may be chance.
    fn given_up(&self) -> BTreeSet<&str> {
        [&self.first.not_watched, &self.second.not_watched]
            .into_iter()
            .flat_map(|roots| roots.keys().map(String::as_str))
            .chain(self.restless())
            .collect()
    }

    /// Fields that threads of their own change: most tests that changed them in the first run did not in the second.
    pub(super) fn restless(&self) -> BTreeSet<&str> {
        /// So few may be chance.
        const FEW: usize = 2;
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let ran_twice = |(test, _): &(&TestIx, &Vec<StateChange>)| self.second.ran.contains(test);
        for (test, changes) in self.first.by_test.iter().filter(ran_twice) {
            let again = self.second.by_test.get(test).map(Vec::as_slice);
            let again = again.unwrap_or_default();
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

impl Changed {
    /// The change as far as it decides who is tried.
    pub(super) fn seen(&self) -> ChangeSeen<'_, (ChangeForm, Option<&str>)> {
        let change = &self.change;
        let value = change.new.as_ref().or(change.old.as_ref());
        ChangeSeen {
            state: &change.root,
            way: (change.form, value.map(|value| value.text.as_str())),
            test: self.test,
            is_of_class: self.by == By::Class,
            held_by: match (change.kind, change.root.rsplit_once('.')) {
                (StateKind::Heap, Some((class, _))) => HeldBy::Class(class.to_owned()),
                (StateKind::File, _) => HeldBy::File,
                _ => HeldBy::Jvm,
            },
            turn: match (self.by, &self.mark) {
                _ if has_name_by_chance(change) => None,
                (By::Test | By::Capture, None) => Some(Turn::Early),
                (By::Class, _) | (_, Some(_)) => Some(Turn::Late),
            },
        }
    }
}

/// A new file whose name no other test can know.
fn has_name_by_chance(change: &StateChange) -> bool {
    change.kind == StateKind::File && change.form == ChangeForm::FirstSet && change.root.contains('*')
}
