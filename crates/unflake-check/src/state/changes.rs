//! What tests change, as JVMs that watch tell it.

use super::file_names::FileNames;
use crate::check::Check;
use crate::drive::rounds::{Turn, Workers};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use unflake_protocol::{
    Author, Configuration, HeapSetting, Measured, StateChange, StateKind, ToProgram, Watch,
};
use unflake_runner::Launch;

/// Who changed what: by the test's index, or by the class.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// Tests that came to their end.
    pub(super) ran: BTreeSet<usize>,
    pub(super) by_test: BTreeMap<usize, Vec<StateChange>>,
    pub(super) by_class: BTreeMap<String, Vec<StateChange>>,
    /// What roots held when they appeared, by root; in each JVM once.
    pub(super) initial: BTreeMap<String, Vec<Initial>>,
    pub(super) not_watched: BTreeMap<String, String>,
    /// What of the settings was of use.
    pub(super) used: BTreeSet<HeapSetting>,
    /// Classes whose abstraction does not fit them, and why.
    pub(super) unusable: BTreeMap<String, String>,
    /// What each JVM needed, where that was asked for.
    pub(super) measured: Vec<Measured>,
}

/// What a root held when its class was initialised: paths and values, and the test that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Initial {
    pub(super) test: Option<usize>,
    pub(super) leaves: Vec<(String, String)>,
}

impl Initial {
    pub(super) fn value(&self, path: &str) -> Option<&String> {
        let found = self.leaves.iter().find(|(other, _)| other == path);
        found.map(|(_, value)| value)
    }
}

impl Changes {
    fn all(&self) -> impl Iterator<Item = &StateChange> {
        self.by_test.values().chain(self.by_class.values()).flatten()
    }

    pub(super) fn has_files(&self) -> bool {
        self.all().any(|change| change.kind == StateKind::File)
    }

    pub(super) fn of_root(&self, root: &str) -> Vec<&StateChange> {
        self.all().filter(|change| change.root == root).collect()
    }

    /// The classes whose static fields changed.
    pub(super) fn holders(&self) -> BTreeSet<String> {
        let heap = self.all().filter(|change| change.kind == StateKind::Heap);
        heap.filter_map(|change| change.root.rsplit_once('.'))
            .map(|(class, _)| class.to_owned())
            .collect()
    }

    pub(super) fn join(&mut self, other: Changes) {
        for (test, changes) in other.by_test {
            self.by_test.entry(test).or_default().extend(changes);
        }
        for (class, changes) in other.by_class {
            self.by_class.entry(class).or_default().extend(changes);
        }
        for (root, initial) in other.initial {
            self.initial.entry(root).or_default().extend(initial);
        }
        self.ran.extend(other.ran);
        self.not_watched.extend(other.not_watched);
        self.used.extend(other.used);
        self.unusable.extend(other.unusable);
        self.measured.extend(other.measured);
    }

    /// `named` gives files names that are the same in every run.
    fn hear(
        &mut self,
        message: ToProgram,
        index: impl Fn(&Author) -> Option<usize>,
        named: impl Fn(StateChange) -> StateChange,
    ) {
        match message {
            ToProgram::Changed { by, changes } => match (index(&by), by) {
                (Some(test), _) => self
                    .by_test
                    .entry(test)
                    .or_default()
                    .extend(changes.into_iter().map(named)),
                (None, Author::Class(root)) => self
                    .by_class
                    .entry(root)
                    .or_default()
                    .extend(changes.into_iter().map(named)),
                (None, Author::Test(_)) => {}
            },
            ToProgram::Initialised { by, root, leaves } => {
                let test = index(&by);
                self.initial
                    .entry(root)
                    .or_default()
                    .push(Initial { test, leaves });
            }
            ToProgram::NotWatched { what, reason } => {
                self.not_watched.insert(what, reason);
            }
            ToProgram::Used(setting) => {
                self.used.insert(setting);
            }
            ToProgram::Unusable { class, reason } => {
                self.unusable.insert(class, reason);
            }
            ToProgram::Measured(measured) => self.measured.push(*measured),
            _ => {}
        }
    }
}

/// How many JVMs a capture uses.
#[derive(Clone, Copy, Debug)]
pub(super) enum Jobs {
    All,
    One,
}

/// Runs tests once, and gathers what they change.
pub(super) fn capture(check: &Check<'_>, tests: &[usize], watch: Watch, jobs: Jobs) -> Changes {
    run(check, tests, Some(watch), jobs)
}

/// Runs tests once, in JVMs that watch if there is something to watch and say what they needed.
pub(super) fn run(check: &Check<'_>, tests: &[usize], watch: Option<Watch>, jobs: Jobs) -> Changes {
    let suite = &check.learned.suite;
    let by_handle: BTreeMap<_, usize> = tests
        .iter()
        .map(|test| (&suite.tests[*test].handle, *test))
        .collect();
    let index = |author: &Author| match author {
        Author::Test(test) => by_handle.get(&test.handle).copied(),
        Author::Class(_) => None,
    };
    let tools = check.workers.driver.tools();
    let names = FileNames::new(
        &tools.scratch,
        &check.settings.place.project,
        tools.numbers.take(),
    );
    let changes = Mutex::new(Changes::default());
    let hear = |message: ToProgram| {
        let mut changes = changes.lock().unwrap_or_else(PoisonError::into_inner);
        changes.hear(message, index, |change| names.named(change));
    };
    // A home of their own: what tests leave in the user's, they find again in the next run.
    let home = names.home.display().to_string();
    let mut launches: Vec<Launch> = suite.launches.clone();
    for launch in &mut launches {
        launch.properties.insert("user.home".to_owned(), home.clone());
    }
    let watch = watch.map(|mut watch| {
        watch.directories.push(names.home.clone());
        watch
    });
    let driver = check.workers.driver.configured(|configuration| Configuration {
        models: Vec::new(),
        user_models: Vec::new(),
        watch,
        measure: !check.settings.measure.is_empty(),
        ..configuration
    });
    let workers = Workers {
        suite,
        launches: &launches,
        driver: &driver,
        jobs: match jobs {
            Jobs::All => check.workers.jobs,
            Jobs::One => 1,
        },
        // The same run twice gives the same report.
        repeatable: true,
        patience: check.workers.patience,
        hear: &hear,
    };
    let turn = Turn {
        round: 1,
        strategy: None,
        tests: tests.to_vec(),
    };
    workers.run(workers.units(&[turn]), &|test, _| {
        let mut changes = changes.lock().unwrap_or_else(PoisonError::into_inner);
        changes.ran.insert(test);
        check.progress.step();
    });
    changes.into_inner().unwrap_or_else(PoisonError::into_inner)
}
