//! Which tests change shared state and leave it so (P1 to P10).
//!
//! The suite runs once more, unvaried and in our own JVMs, which compare shared state before and after each test. The
//! classes in which something changed run a second time, with the classes that hold the state loaded before the first
//! test: what changes again is a finding, what does not is left out. Tests that were the first to use a class run with
//! it loaded before them as well, since they may have hidden what they did to it.

mod changes;
mod eager;
mod file_names;
mod limits;
mod loaded;
mod measuring;
mod secrets;
#[cfg(test)]
mod tests;
mod twice;
mod uses;
mod watch_run;
mod watching;

use crate::check::Check;
use crate::ledger::{Changed, Fact, Ledger, NotWatched, Unwatched, Watching};
use crate::options::Eager;
use crate::order::proof::{self, Proven, Suspected};
use crate::outside::make_exceptions;
use changes::{Changes, Jobs};
use eager::{captured_at_initialisation, with_classes};
use loaded::LoadedFirst;
pub(super) use measuring::measure;
use std::collections::{BTreeMap, BTreeSet};
use twice::Twice;
use unflake_explore::TestIx;
use unflake_explore::order::{RanOrders, Suspicion, suspicions};
use unflake_protocol::{StateChange, Watch};
use uses::ReadClasses;
use watch_run::WatchRun;

pub(super) fn run(check: &Check<'_>, candidates: &[TestIx], ran: &RanOrders, ledger: &mut Ledger) {
    let tests = startable(check, candidates);
    let watch = watching::watch(check);
    let runs = Runs::of(check, &tests, &watch);
    runs.tell_watched(check, candidates, ledger);
    let suite = &check.session.suite;
    let class_path = suite.launches.iter().flat_map(|launch| &launch.class_path);
    let classes = uses::read(class_path, runs.ways());
    let twice = runs.twice(check, &classes);
    let hidden = Twice {
        first: &runs.hidden.seen,
        second: &runs.hidden_again.seen,
        captured: &BTreeMap::new(),
        ..twice
    };
    limits::tell(check, &runs, &twice, &classes.notes, ledger);
    let mut changes = twice.changes();
    changes.extend(hidden.changes());
    prove(check, changes, ran, ledger);
}

/// Tests that were to be watched, and what was seen.
#[derive(Default)]
struct Watched {
    tests: Vec<TestIx>,
    seen: Changes,
}

impl Watched {
    /// Why it is not known what this test did.
    fn lacks(&self, test: TestIx) -> Option<NotWatched> {
        if let Some(reason) = self.seen.not_compared.get(&test) {
            return Some(NotWatched::NotCompared(reason.clone()));
        }
        let is_lost = self.tests.contains(&test) && !self.seen.ran.contains(&test);
        is_lost.then(|| self.seen.why_unfinished(test))
    }
}

/// All runs that watch.
struct Runs {
    first: Watched,
    /// Tests in whose classes something changed.
    second: Watched,
    /// Tests that were the first to use a class: what was hidden by that.
    hidden: Watched,
    /// Those of them where that showed something.
    hidden_again: Watched,
    /// By initialisers.
    captured: BTreeMap<TestIx, Vec<StateChange>>,
}

impl Runs {
    fn of(check: &Check<'_>, tests: &[TestIx], watch: &Watch) -> Runs {
        let eager = check.options.pollution.eager;
        let first = Watched {
            tests: tests.to_vec(),
            seen: first_run(check, tests, watch, eager),
        };
        let second = second_run(check, &first, watch);
        let (mut hidden, mut hidden_again) = Default::default();
        let mut captured = BTreeMap::new();
        if eager == Eager::Off {
            (hidden, hidden_again) = look_behind_loading(check, &first, watch);
        } else {
            let phase = "watching without eager loading";
            check.progress.phase(phase, 2 * tests.len() as u64);
            captured = captured_at_initialisation(check, tests, watch, &first.seen);
        }
        Runs {
            first,
            second,
            hidden,
            hidden_again,
            captured,
        }
    }

    /// Says of each test whether it was watched as often as was needed.
    fn tell_watched(&self, check: &Check<'_>, candidates: &[TestIx], ledger: &mut Ledger) {
        let runs = [
            (Watching::First, &self.first),
            (Watching::Again, &self.second),
            (Watching::Loaded, &self.hidden),
            (Watching::Loaded, &self.hidden_again),
        ];
        let unwatched = |test: &TestIx| {
            if check.session.suite[*test].launch.is_none() {
                return Some((Watching::First, NotWatched::NoLaunch));
            }
            runs.iter()
                .find_map(|(when, run)| Some((*when, run.lacks(*test)?)))
        };
        for test in candidates {
            match unwatched(test) {
                None => ledger.add(Fact::Watched(*test)),
                // Who ends the run knows.
                Some(_) if check.is_cancelled() => {}
                Some((when, why)) => ledger.add(Fact::Unwatched(*test, Unwatched { when, why })),
            }
        }
    }

    /// The classes with fields on the way to something that changed.
    fn ways(&self) -> BTreeSet<String> {
        let all = [&self.first, &self.second, &self.hidden, &self.hidden_again];
        all.iter().flat_map(|run| run.seen.ways()).collect()
    }

    fn twice<'a>(&'a self, check: &'a Check<'_>, classes: &'a ReadClasses) -> Twice<'a> {
        Twice {
            suite: &check.session.suite,
            first: &self.first.seen,
            second: &self.second.seen,
            captured: &self.captured,
            evidence: &classes.fields,
        }
    }
}

/// All tests, once. Those that pass only without isolation are watched without it.
fn first_run(check: &Check<'_>, tests: &[TestIx], watch: &Watch, eager: Eager) -> Changes {
    let run = WatchRun {
        check,
        jobs: Jobs::All,
        eager,
        watch: &|tests| match eager {
            // Who initialises which class tells what may be hidden.
            Eager::Off => Watch {
                initial: true,
                ..watch.clone()
            },
            Eager::Suite | Eager::Class | Eager::Test => with_classes(check, tests, watch, eager),
        },
    };
    check.progress.phase("watching shared state", tests.len() as u64);
    let mut first = run.run(tests);
    let moved = moved_outside(check, tests, &first);
    if !moved.is_empty() {
        let phase = "watching shared state without isolation";
        check.progress.phase(phase, moved.len() as u64);
        let class = |test: &TestIx| check.session.suite[*test].handle.root.as_str();
        first.forget(&moved, &moved.iter().map(class).collect());
        first.join(run.run(&moved));
    }
    first
}

/// The tests in whose classes something changed, with the classes loaded that hold it.
fn second_run(check: &Check<'_>, first: &Watched, watch: &Watch) -> Watched {
    let tests = of_same_classes(check, &first.tests, &first.seen);
    if tests.is_empty() || check.is_cancelled() {
        return Watched::default();
    }
    check.progress.phase("watching again", tests.len() as u64);
    let watch = Watch {
        eager: first.seen.holders().into_iter().collect(),
        ..watch.clone()
    };
    // Where JVMs see each other's files, only with a single one is it certain which test changed a file.
    let may_see = !check.session.is_apart() || !check.options.pollution.directories.is_empty();
    let jobs = if first.seen.has_files() && may_see {
        Jobs::One
    } else {
        Jobs::All
    };
    let run = WatchRun {
        check,
        jobs,
        eager: check.options.pollution.eager,
        watch: &|_| watch.clone(),
    };
    let seen = run.run(&tests);
    Watched { tests, seen }
}

/// Those that were the first to use a class, with the class loaded before them; and once more where this shows
/// something.
fn look_behind_loading(check: &Check<'_>, first: &Watched, watch: &Watch) -> (Watched, Watched) {
    let suite = &check.session.suite;
    let loaded = LoadedFirst::of(suite, &first.seen);
    let watch = Watch {
        eager: loaded.classes(),
        ..watch.clone()
    };
    let run = WatchRun {
        check,
        jobs: Jobs::All,
        eager: Eager::Off,
        watch: &|_| watch.clone(),
    };
    let watched = |phase: &str, tests: Vec<TestIx>| {
        if tests.is_empty() || check.is_cancelled() {
            return Watched::default();
        }
        check.progress.phase(phase, tests.len() as u64);
        let seen = loaded.hidden(run.run(&tests));
        Watched { tests, seen }
    };
    let users = loaded.users(suite, &first.tests, watch.points);
    let once = watched("watching what tests load", users);
    let changing = of_same_classes(check, &once.tests, &once.seen);
    let again = watched("watching what tests load again", changing);
    (once, again)
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
