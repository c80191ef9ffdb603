//! Which tests change shared state and leave it so (P1 to P10).
//!
//! The suite runs once more, unvaried and in JVMs of ours, which compare shared state before and after each test. The
//! classes in which something changed run a second time, with the classes that hold the state loaded before the first test:
//! what changes again is a finding, what does not is left out.

mod changes;
mod file_names;
mod findings;
mod measuring;
mod secrets;
mod uses;
mod watching;

use crate::check::Check;
use crate::options::Eager;
use crate::outcome::Outcomes;
use crate::suite::Baseline;
use changes::{Changes, Jobs, capture};
pub(super) use measuring::measure;
use std::collections::{BTreeMap, BTreeSet};
use unflake_explore::order::RanOrders;
use unflake_findings::NoteKind;
use unflake_protocol::{ChangeForm, Outcome, StateChange, StateKind, Watch};

pub(super) fn run(check: &Check<'_>, candidates: &[usize], ran: &RanOrders, outcomes: &mut Outcomes) {
    let tests = startable(check, candidates);
    let watch = watching::watch(check);
    check.progress.phase("watching shared state", tests.len() as u64);
    let eager = check.settings.pollution.eager;
    let first = match eager {
        Eager::Off => capture(check, &tests, watch.clone(), Jobs::All),
        _ => eagerly(check, &tests, &watch, eager),
    };
    say_unseen(check, candidates, &first, outcomes);
    let again = of_same_classes(check, &tests, &first);
    let mut second = Changes::default();
    if !again.is_empty() {
        check.progress.phase("watching again", again.len() as u64);
        let watch = Watch {
            eager: first.holders().into_iter().collect(),
            ..watch.clone()
        };
        // Who did something to a file is sure only where nobody else is at work.
        let jobs = if first.has_files() { Jobs::One } else { Jobs::All };
        second = in_groups(check, &again, jobs, eager, |_| watch.clone());
    }
    let mut captured = BTreeMap::new();
    if eager != Eager::Off {
        check
            .progress
            .phase("watching without loading", 2 * tests.len() as u64);
        captured = captured_at_initialisation(check, &tests, &watch, &first);
    }
    // One reason for each: the second run may have given up something else of it.
    let mut not_watched = second.not_watched.clone();
    not_watched.extend(first.not_watched.clone());
    for (what, reason) in &not_watched {
        outcomes.note(NoteKind::NotWatched, format!("`{what}` is not watched: {reason}"));
    }
    for message in watching::without_use(check, &first) {
        outcomes.note(NoteKind::Other, message);
    }
    let found = findings::gather(check, &first, &second, &captured, outcomes);
    findings::prove(check, found, ran, outcomes);
}

/// Those that we can run in JVMs of our own.
fn startable(check: &Check<'_>, candidates: &[usize]) -> Vec<usize> {
    let has_launch = |test: &usize| check.learned.suite.tests[*test].launch.is_some();
    candidates.iter().copied().filter(has_launch).collect()
}

/// Tests that came to no end in our JVMs: nothing is known of them.
fn say_unseen(check: &Check<'_>, candidates: &[usize], changes: &Changes, outcomes: &mut Outcomes) {
    if check.is_cancelled() {
        return;
    }
    let tests = &check.learned.suite.tests;
    let has_run = |test: &&usize| {
        let outcome = &tests[**test].baseline;
        matches!(outcome, Baseline::Finished(Outcome::Passed | Outcome::Failed(_)))
    };
    let unseen = candidates
        .iter()
        .filter(has_run)
        .filter(|test| !changes.ran.contains(test));
    let unseen: Vec<&usize> = unseen.collect();
    let Some(first) = unseen.first() else { return };
    let who = match unseen.len() {
        1 => format!("`{}`", tests[**first].id),
        more => format!("{more} tests, of which `{}` is one,", tests[**first].id),
    };
    outcomes.note(
        NoteKind::NotWatched,
        format!(
            "{who} did not run, or came to no end, where shared state is watched; nothing is known of what is left behind there"
        ),
    );
}

/// The tests of all classes in which something changed.
fn of_same_classes(check: &Check<'_>, tests: &[usize], changes: &Changes) -> Vec<usize> {
    let root = |test: usize| check.learned.suite.tests[test].handle.root.as_str();
    let mut roots: BTreeSet<&str> = changes.by_test.keys().map(|test| root(*test)).collect();
    roots.extend(changes.by_class.keys().map(String::as_str));
    tests
        .iter()
        .copied()
        .filter(|test| roots.contains(root(*test)))
        .collect()
}

/// Watches all tests with classes loaded before them: what is done to a class by the very test that loads it shows then (P6).
fn eagerly(check: &Check<'_>, tests: &[usize], watch: &Watch, eager: Eager) -> Changes {
    let suite = &check.learned.suite;
    let is_own = |class: &&str| {
        let package = class.rsplit_once('.').map_or("", |(package, _)| package);
        watch.roots.all || watch.roots.packages.iter().any(|own| own == package)
    };
    let loading = |tests: &[usize]| {
        let roots = tests.iter().map(|test| suite.tests[*test].handle.root.as_str());
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
    };
    in_groups(check, tests, Jobs::All, eager, loading)
}

/// Watches tests in JVMs of their own, class by class or test by test, if that is how classes are loaded before them.
fn in_groups(
    check: &Check<'_>,
    tests: &[usize],
    jobs: Jobs,
    eager: Eager,
    watch: impl Fn(&[usize]) -> Watch + Sync,
) -> Changes {
    let suite = &check.learned.suite;
    let groups: Vec<&[usize]> = match eager {
        Eager::Off | Eager::Suite => return capture(check, tests, watch(tests), jobs),
        Eager::Class => tests
            .chunk_by(|a, b| suite.tests[*a].handle.root == suite.tests[*b].handle.root)
            .collect(),
        Eager::Test => tests.chunks(1).collect(),
    };
    let mut all = Changes::default();
    let one = |group: &&[usize]| capture(check, group, watch(group), Jobs::One);
    let parts = match jobs {
        Jobs::All => check.in_parallel(&groups, one),
        Jobs::One => groups.iter().map(one).collect(),
    };
    parts.into_iter().for_each(|part| all.join(part));
    all
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
fn captured_at_initialisation(
    check: &Check<'_>,
    tests: &[usize],
    watch: &Watch,
    eager: &Changes,
) -> BTreeMap<usize, Vec<StateChange>> {
    let watch = Watch {
        initial: true,
        ..watch.clone()
    };
    let once = capture(check, tests, watch.clone(), Jobs::All);
    let twice = capture(check, tests, watch, Jobs::All);
    let mut found: BTreeMap<usize, Vec<StateChange>> = BTreeMap::new();
    for (root, initial) in &once.initial {
        let (Some(before), Some(again)) = (eager.initial.get(root), twice.initial.get(root)) else {
            continue;
        };
        for now in initial {
            let Some(test) = now.test else { continue };
            let told = eager.by_test.get(&test).into_iter().flatten();
            let same = again.iter().find(|other| other.test == now.test);
            let (Some(same), Some(before), None) = (
                same,
                before.first(),
                told.clone().find(|change| change.root == *root),
            ) else {
                continue;
            };
            let differs = now.leaves.iter().find(|(path, new)| {
                before.value(path).is_some_and(|old| old != new) && same.value(path) == Some(new)
            });
            if let Some((path, new)) = differs {
                found.entry(test).or_default().push(StateChange {
                    kind: StateKind::Heap,
                    root: root.clone(),
                    path: path.clone(),
                    old: before.value(path).cloned(),
                    new: Some(new.clone()),
                    form: ChangeForm::Replaced,
                    holder: String::new(),
                    steps: Vec::new(),
                    more: 0,
                    also: Vec::new(),
                    around: Vec::new(),
                });
            }
        }
    }
    found
}
