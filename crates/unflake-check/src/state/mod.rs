//! Which tests change shared state and leave it so (P1 to P10).
//!
//! The suite runs once more, unvaried and in our own JVMs, which compare shared state before and after each test. The
//! classes in which something changed run a second time, with the classes that hold the state loaded before the first test:
//! what changes again is a finding, what does not is left out.

mod changes;
mod file_names;
mod measuring;
mod secrets;
#[cfg(test)]
mod tests;
mod twice;
mod uses;
mod watching;

use crate::check::Check;
use crate::ledger::{Changed, CutShort, Fact, Ledger};
use crate::options::Eager;
use crate::order::proof::{self, Proven, Suspected};
use crate::outside::make_exceptions;
use changes::{Changes, Jobs, Unwatched, capture};
pub(super) use measuring::measure;
use std::collections::{BTreeMap, BTreeSet};
use twice::Twice;
use unflake_explore::TestIx;
use unflake_explore::order::{RanOrders, Suspicion, suspicions};
use unflake_findings::NoteKind;
use unflake_protocol::{ChangeForm, Gap, StateChange, StateKind, Watch};

pub(super) fn run(check: &Check<'_>, candidates: &[TestIx], ran: &RanOrders, ledger: &mut Ledger) {
    let tests = startable(check, candidates);
    let watch = watching::watch(check);
    check.progress.phase("watching shared state", tests.len() as u64);
    let eager = check.options.pollution.eager;
    let capture = |tests: &[TestIx]| match eager {
        Eager::Off => capture(check, tests, watch.clone(), Jobs::All),
        _ => eagerly(check, tests, &watch, eager),
    };
    let mut first = capture(&tests);
    let moved = moved_outside(check, &tests, &first);
    if !moved.is_empty() {
        check
            .progress
            .phase("watching shared state without isolation", moved.len() as u64);
        let class = |test: &TestIx| check.session.suite[*test].handle.root.as_str();
        first.forget(&moved, &moved.iter().map(class).collect());
        first.join(capture(&moved));
    }
    first.ran.iter().for_each(|test| ledger.add(Fact::Watched(*test)));
    say_unseen(check, candidates, &first, ledger);
    let again = of_same_classes(check, &tests, &first);
    let mut second = Changes::default();
    if !again.is_empty() {
        check.progress.phase("watching again", again.len() as u64);
        let watch = Watch {
            eager: first.holders().into_iter().collect(),
            ..watch.clone()
        };
        // Where JVMs see each other's files, only with a single one is it certain which test changed a file.
        let may_see = !check.session.is_apart() || !check.options.pollution.directories.is_empty();
        let jobs = if first.has_files() && may_see {
            Jobs::One
        } else {
            Jobs::All
        };
        second = in_groups(check, &again, jobs, eager, |_| watch.clone());
        without_blocking(check, &again, jobs, &watch, &mut second);
    }
    let mut captured = BTreeMap::new();
    if eager != Eager::Off {
        check
            .progress
            .phase("watching without eager loading", 2 * tests.len() as u64);
        captured = captured_at_initialisation(check, &tests, &watch, &first);
    }
    let suite = &check.session.suite;
    let class_path = suite.launches.iter().flat_map(|launch| &launch.class_path);
    let classes = uses::read(class_path, &first.ways() | &second.ways());
    let twice = Twice {
        suite,
        first: &first,
        second: &second,
        captured: &captured,
        evidence: &classes.fields,
    };
    say_limits(check, &twice, &classes.notes, ledger);
    let changes = twice.changes();
    prove(check, changes, ran, ledger);
}

/// Says what could not be watched, or was asked for in vain.
fn say_limits(check: &Check<'_>, twice: &Twice<'_>, notes: &[String], ledger: &mut Ledger) {
    // One reason for each: the second run may have given up something else of it.
    let mut not_watched = twice.second.not_watched.clone();
    not_watched.extend(twice.first.not_watched.clone());
    let mut by_reason: BTreeMap<&Unwatched, Vec<&str>> = BTreeMap::new();
    for (what, why) in &not_watched {
        by_reason.entry(why).or_default().push(what);
    }
    let mut has_gap = twice.first.has_not_compared || twice.second.has_not_compared;
    for (why, what) in by_reason {
        has_gap |= why.gap == Gap::Lost;
        ledger.note(NoteKind::NotWatched, not_watched_message(&what, &why.reason));
    }
    let mut sampled = twice.second.sampled.clone();
    sampled.extend(twice.first.sampled.clone());
    if let Some(most) = sampled.values().next() {
        let names: Vec<&str> = sampled.keys().map(String::as_str).collect();
        ledger.note(NoteKind::NotWatched, sampled_message(&names, *most));
    }
    for part in [twice.second, twice.first] {
        for (test, reason) in &part.not_compared {
            let why = format!("shared state could not be compared after it: {reason}");
            ledger.add(Fact::NotWatched(*test, why));
        }
    }
    for message in watching::without_use(check, twice.first) {
        ledger.note(NoteKind::Other, message);
    }
    for note in notes {
        ledger.note(NoteKind::Other, note.clone());
    }
    for root in twice.restless() {
        has_gap = true;
        ledger.note(
            NoteKind::NotWatched,
            format!("`{root}` changes on its own, after different tests in each run; changes to it are not reported"),
        );
    }
    if has_gap {
        ledger.add(Fact::Cut(CutShort::NotWatched));
    }
}

/// One sentence for all that has the same reason.
fn not_watched_message(what: &[&str], reason: &str) -> String {
    let is = if what.len() == 1 { "is" } else { "are" };
    format!("{} {is} not watched: {reason}", listed(what))
}

fn sampled_message(what: &[&str], most: u32) -> String {
    let (is, reaches) = if what.len() == 1 {
        ("is", "it reaches")
    } else {
        ("are", "each reaches")
    };
    format!(
        "{} {is} compared by a sample only, since {reaches} more than {most} objects; `most_objects` in `[pollution]` \
         of unflake.toml sets the limit",
        listed(what)
    )
}

/// Names as people list them; of many the first.
fn listed(what: &[&str]) -> String {
    /// So many are named.
    const NAMED: usize = 5;
    let name = |what: &&str| format!("`{what}`");
    match what {
        [] => String::new(),
        [one] => name(one),
        [all @ .., last] if what.len() <= NAMED => {
            let all: Vec<String> = all.iter().map(name).collect();
            format!("{} and `{last}`", all.join(", "))
        }
        many => {
            let named: Vec<String> = many[..NAMED - 1].iter().map(name).collect();
            format!("{} and {} more", named.join(", "), many.len() - named.len())
        }
    }
}

/// Runs other tests after the polluters, and adds the changes with what came of it.
fn prove(check: &Check<'_>, mut changes: Vec<Changed>, ran: &RanOrders, ledger: &mut Ledger) {
    let seen: Vec<_> = changes.iter().map(Changed::seen).collect();
    let suspected = |(index, suspicion): (usize, Suspicion)| {
        let path = changes[index].change.path.clone();
        (index, Suspected { suspicion, path })
    };
    let (order, suspected): (Vec<usize>, Vec<Suspected>) =
        suspicions(&seen).into_iter().map(suspected).unzip();
    let proven = proof::run(check, &suspected, ran, ledger);
    for (index, Proven { proof, victims }) in order.into_iter().zip(proven) {
        changes[index].proof = proof;
        changes[index].victims = victims;
    }
    for changed in changes {
        ledger.add(Fact::Changed(Box::new(changed)));
    }
}

/// A class whose initialiser does not come to its end while it is loaded before the first test holds up the tests that
/// need it. Those run once more in JVMs that do not load it beforehand.
fn without_blocking(check: &Check<'_>, tests: &[TestIx], jobs: Jobs, watch: &Watch, changes: &mut Changes) {
    let not_run = |test: &TestIx| !changes.ran.contains(test) || changes.failed.contains(test);
    let held_up: Vec<TestIx> = tests.iter().copied().filter(not_run).collect();
    if changes.blocking.is_empty() || held_up.is_empty() {
        return;
    }
    let is_loaded = |class: &&String| !changes.blocking.contains(*class);
    let watch = Watch {
        eager: watch.eager.iter().filter(is_loaded).cloned().collect(),
        ..watch.clone()
    };
    let root = |test: &TestIx| check.session.suite[*test].handle.root.as_str();
    // What they do after the tests before them counts, so whole classes run.
    let roots: BTreeSet<&str> = held_up.iter().map(root).collect();
    let again: Vec<TestIx> = tests
        .iter()
        .copied()
        .filter(|test| roots.contains(root(test)))
        .collect();
    changes.forget(&again, &roots);
    changes.join(capture(check, &again, watch, jobs));
}

/// The tests of classes in which one passes outside only.
fn moved_outside(check: &Check<'_>, tests: &[TestIx], first: &Changes) -> Vec<TestIx> {
    let suite = &check.session.suite;
    let differs = |test: &TestIx| first.failed.contains(test) || !first.ran.contains(test);
    let differing: Vec<TestIx> = tests.iter().copied().filter(differs).collect();
    let passed = make_exceptions(check, &differing);
    let classes: BTreeSet<&str> = passed
        .iter()
        .map(|test| suite[*test].handle.root.as_str())
        .collect();
    let is_moved = |test: &TestIx| classes.contains(suite[*test].handle.root.as_str());
    tests.iter().copied().filter(is_moved).collect()
}

/// Those that we can run in JVMs of our own.
fn startable(check: &Check<'_>, candidates: &[TestIx]) -> Vec<TestIx> {
    let has_launch = |test: &TestIx| check.session.suite[*test].launch.is_some();
    candidates.iter().copied().filter(has_launch).collect()
}

/// Tests that did not finish in our JVMs: nothing is known of them.
fn say_unseen(check: &Check<'_>, candidates: &[TestIx], changes: &Changes, ledger: &mut Ledger) {
    if check.is_cancelled() {
        return;
    }
    let suite = &check.session.suite;
    let unseen: Vec<&TestIx> = candidates
        .iter()
        .filter(|test| !changes.ran.contains(test))
        .collect();
    let who = match unseen[..] {
        [] => return,
        [one] => format!("`{}`", suite[*one].id),
        [first, ..] => format!("{} tests (for example `{}`)", unseen.len(), suite[*first].id),
    };
    ledger.note(
        NoteKind::NotWatched,
        format!(
            "{who} did not finish while shared state was watched; unflake cannot say whether they pollute"
        ),
    );
}

/// The tests of all classes in which something changed.
fn of_same_classes(check: &Check<'_>, tests: &[TestIx], changes: &Changes) -> Vec<TestIx> {
    let root = |test: TestIx| check.session.suite[test].handle.root.as_str();
    let mut roots: BTreeSet<&str> = changes.by_test.keys().map(|test| root(*test)).collect();
    roots.extend(changes.by_class.keys().map(String::as_str));
    tests
        .iter()
        .copied()
        .filter(|test| roots.contains(root(*test)))
        .collect()
}

/// Watches all tests with classes loaded before them: what is done to a class by the very test that loads it shows then (P6).
fn eagerly(check: &Check<'_>, tests: &[TestIx], watch: &Watch, eager: Eager) -> Changes {
    let suite = &check.session.suite;
    let is_own = |class: &&str| {
        let package = class.rsplit_once('.').map_or("", |(package, _)| package);
        watch.roots.all || watch.roots.packages.iter().any(|own| own == package)
    };
    let loading = |tests: &[TestIx]| {
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
    };
    in_groups(check, tests, Jobs::All, eager, loading)
}

/// Watches tests in JVMs of their own, class by class or test by test, if that is how classes are loaded before them.
fn in_groups(
    check: &Check<'_>,
    tests: &[TestIx],
    jobs: Jobs,
    eager: Eager,
    watch: impl Fn(&[TestIx]) -> Watch + Sync,
) -> Changes {
    let suite = &check.session.suite;
    let groups: Vec<&[TestIx]> = match eager {
        Eager::Off | Eager::Suite => return capture(check, tests, watch(tests), jobs),
        Eager::Class => tests
            .chunk_by(|a, b| suite[*a].handle.root == suite[*b].handle.root)
            .collect(),
        Eager::Test => tests.chunks(1).collect(),
    };
    let mut all = Changes::default();
    let one = |group: &&[TestIx]| capture(check, group, watch(group), Jobs::One);
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
