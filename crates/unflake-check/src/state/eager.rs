//! Classes that are loaded before the tests, where the user asks for it (P6): what then shows of them, and what their
//! initialisers capture if they are loaded later.

use super::changes::{Changes, Jobs, Loader, capture};
use crate::check::Check;
use crate::options::Eager;
use std::collections::{BTreeMap, BTreeSet};
use unflake_explore::TestIx;
use unflake_protocol::{ChangeForm, StateChange, StateKind, Watch};

/// What JVMs watch that run these tests, with classes loaded before them: what is done to a class by the very test that
/// loads it shows then.
pub(super) fn with_classes(check: &Check<'_>, tests: &[TestIx], watch: &Watch, eager: Eager) -> Watch {
    let suite = &check.session.suite;
    let is_own = |class: &&str| {
        let package = class.rsplit_once('.').map_or("", |(package, _)| package);
        watch.roots.all || watch.roots.packages.iter().any(|own| own == package)
    };
    let roots = tests.iter().map(|test| suite[*test].handle.root.as_str());
    let loaded: BTreeSet<&str> = match eager {
        Eager::Off => BTreeSet::new(),
        Eager::Suite => suite.references.keys().map(String::as_str).collect(),
        Eager::Class | Eager::Test => reachable(&suite.references, roots.collect()),
    };
    Watch {
        eager: loaded.into_iter().filter(is_own).map(str::to_owned).collect(),
        initial: true,
        ..watch.clone()
    }
}

/// The loaded classes that these name, and so on.
fn reachable<'a>(
    references: &'a BTreeMap<String, Vec<String>>,
    from: BTreeSet<&'a str>,
) -> BTreeSet<&'a str> {
    let mut todo: Vec<&str> = from.into_iter().collect();
    let mut reached = BTreeSet::new();
    while let Some(class) = todo.pop() {
        if let Some(below) = references.get(class)
            && reached.insert(class)
        {
            todo.extend(below.iter().map(String::as_str));
        }
    }
    reached
}

/// Fields that hold something else when their class is first used by a test than when it is loaded before all tests: the
/// initialiser kept what was so at that moment. Seen in two runs, so that it is not chance. By test.
pub(super) fn captured_at_initialisation(
    check: &Check<'_>,
    tests: &[TestIx],
    watch: &Watch,
    eager: &Changes,
) -> BTreeMap<TestIx, Vec<StateChange>> {
    let watch = Watch {
        initial: true,
        ..watch.clone()
    };
    let once = capture(check, tests, watch.clone(), Jobs::All);
    let twice = capture(check, tests, watch, Jobs::All);
    let mut found: BTreeMap<TestIx, Vec<StateChange>> = BTreeMap::new();
    for (root, initial) in &once.initial {
        let (Some(before), Some(again)) = (eager.initial.get(root), twice.initial.get(root)) else {
            continue;
        };
        for now in initial {
            let Loader::Test(test) = now.by else { continue };
            let told = eager.by_test.get(&test).into_iter().flatten();
            let same = again.iter().find(|other| other.by == now.by);
            let (Some(same), Some(before), None) = (
                same,
                before.first(),
                told.clone().find(|change| change.root == *root),
            ) else {
                continue;
            };
            let differs = now.leaves.iter().find(|leaf| {
                let text = Some(&leaf.value.text);
                let is_other = before
                    .value(&leaf.path)
                    .is_some_and(|old| Some(&old.text) != text);
                is_other && same.value(&leaf.path).map(|again| &again.text) == text
            });
            if let Some(leaf) = differs {
                found.entry(test).or_default().push(StateChange {
                    kind: StateKind::Heap,
                    root: root.clone(),
                    path: leaf.path.clone(),
                    old: before.value(&leaf.path).cloned(),
                    new: Some(leaf.value.clone()),
                    form: ChangeForm::Replaced,
                    steps: Vec::new(),
                    slot: Some(leaf.slot.clone()),
                    more: 0,
                    also: Vec::new(),
                    around: Vec::new(),
                });
            }
        }
    }
    found
}
