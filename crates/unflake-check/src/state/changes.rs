//! What tests change, as JVMs that watch tell it.

#[cfg(test)]
mod tests;

use super::file_names::FileNames;
use crate::check::Check;
use crate::drive::rounds::Workers;
use crate::drive::units::{Spread, Turn, units};
use crate::ledger::NotWatched;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use unflake_explore::{TestIx, Verdict};
use unflake_protocol::{
    Author, Configuration, Failure, FailureSort, Gap, HeapSetting, Leaf, LoadProblem, Measured, Shown,
    StateChange, StateKind, ToProgram, Watch,
};

/// Which test or class changed what.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// Tests that finished.
    pub(super) ran: BTreeSet<TestIx>,
    /// Those of them that did not pass.
    pub(super) failed: BTreeSet<TestIx>,
    /// Why others did not finish, as far as something was heard of them.
    pub(super) unfinished: BTreeMap<TestIx, NotWatched>,
    pub(super) by_test: BTreeMap<TestIx, Vec<StateChange>>,
    pub(super) by_class: BTreeMap<String, Vec<StateChange>>,
    /// What roots held when they appeared, by root; in each JVM once.
    pub(super) initial: BTreeMap<String, Vec<Initial>>,
    pub(super) not_watched: BTreeMap<String, Unseen>,
    /// What is watched by a sample only, and the number of objects from which that is done.
    pub(super) sampled: BTreeMap<String, u32>,
    /// Tests after which the state could not be compared, and why.
    pub(super) not_compared: BTreeMap<TestIx, String>,
    /// Somebody's state could not be compared, perhaps nobody's in particular.
    pub(super) has_not_compared: bool,
    /// Classes whose initialiser did not come to its end before the first test.
    pub(super) blocking: BTreeSet<String>,
    /// What of the settings was of use.
    pub(super) used: BTreeSet<HeapSetting>,
    /// Classes whose abstraction does not fit them, and why.
    pub(super) unusable: BTreeMap<String, String>,
    /// What each JVM needed, where that was asked for.
    pub(super) measured: Vec<Measured>,
}

/// Why something is not watched, and what that means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unseen {
    pub(super) reason: String,
    pub(super) gap: Gap,
}

impl Unseen {
    /// The static fields of a class that was to be loaded before the first test.
    fn not_loaded(problem: LoadProblem, detail: &str) -> Unseen {
        let (reason, gap) = match problem {
            // Most need what a set-up does first. They are watched from then on.
            LoadProblem::Throws => (
                format!("it could not be loaded before the first test: {detail}"),
                Gap::Known,
            ),
            LoadProblem::Blocks => (
                "its static initialiser did not end when it was loaded before the first test".to_owned(),
                Gap::Lost,
            ),
            LoadProblem::NoTime => (
                "loading classes before the first test took too long".to_owned(),
                Gap::Lost,
            ),
        };
        Unseen { reason, gap }
    }
}

/// What a root held when its class was initialised: paths and values, and who ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Initial {
    pub(super) by: Loader,
    pub(super) leaves: Vec<Leaf>,
}

/// Who ran when a class was initialised.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loader {
    Test(TestIx),
    /// Set-up or tear-down of this class, or what ran before the first test.
    Class(String),
}

impl Initial {
    pub(super) fn value(&self, path: &str) -> Option<&Shown> {
        let found = self.leaves.iter().find(|leaf| leaf.path == path);
        found.map(|leaf| &leaf.value)
    }
}

impl Changes {
    fn all(&self) -> impl Iterator<Item = &StateChange> {
        self.by_test.values().chain(self.by_class.values()).flatten()
    }

    /// Why a test did not finish.
    pub(super) fn why_unfinished(&self, test: TestIx) -> NotWatched {
        let heard = self.unfinished.get(&test).cloned();
        heard.unwrap_or(NotWatched::NotRun)
    }

    pub(super) fn has_files(&self) -> bool {
        self.all().any(|change| change.kind == StateKind::File)
    }

    pub(super) fn of_root(&self, root: &str) -> Vec<&StateChange> {
        self.all().filter(|change| change.root == root).collect()
    }

    /// The classes with fields on the way to something that changed.
    pub(super) fn ways(&self) -> BTreeSet<String> {
        let further = |change: &'_ StateChange| {
            let also = change.also.iter().flat_map(|further| further.steps.clone());
            change.steps.iter().cloned().chain(also).collect::<Vec<_>>()
        };
        let steps = self.all().flat_map(further);
        steps
            .filter_map(|step| step.field().map(|field| field.class.clone()))
            .collect()
    }

    /// The classes whose static fields changed.
    pub(super) fn holders(&self) -> BTreeSet<String> {
        let heap = self.all().filter(|change| change.kind == StateKind::Heap);
        heap.filter_map(|change| change.root.rsplit_once('.'))
            .map(|(class, _)| class.to_owned())
            .collect()
    }

    /// Without what these tests did.
    pub(super) fn forget(&mut self, tests: &[TestIx], classes: &BTreeSet<&str>) {
        for test in tests {
            self.by_test.remove(test);
            self.ran.remove(test);
            self.failed.remove(test);
            self.unfinished.remove(test);
        }
        self.by_class.retain(|class, _| !classes.contains(class.as_str()));
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
        self.failed.extend(other.failed);
        self.unfinished.extend(other.unfinished);
        self.unfinished.retain(|test, _| !self.ran.contains(test));
        self.not_watched.extend(other.not_watched);
        self.sampled.extend(other.sampled);
        self.not_compared.extend(other.not_compared);
        self.has_not_compared |= other.has_not_compared;
        self.blocking.extend(other.blocking);
        self.used.extend(other.used);
        self.unusable.extend(other.unusable);
        self.measured.extend(other.measured);
    }

    /// `named` gives files names that are the same in every run.
    fn hear(
        &mut self,
        message: ToProgram,
        index: impl Fn(&Author) -> Option<TestIx>,
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
                let by = match (index(&by), by) {
                    (Some(test), _) => Loader::Test(test),
                    (None, Author::Class(class)) => Loader::Class(class),
                    (None, Author::Test(_)) => return,
                };
                self.initial.entry(root).or_default().push(Initial { by, leaves });
            }
            ToProgram::NotWatched { what, reason, gap } => {
                self.not_watched.insert(what, Unseen { reason, gap });
            }
            ToProgram::Sampled { what, most_objects } => {
                self.sampled.insert(what, most_objects);
            }
            ToProgram::NotLoaded {
                class,
                problem,
                detail,
            } => {
                if problem == LoadProblem::Blocks {
                    self.blocking.insert(class.clone());
                }
                let why = Unseen::not_loaded(problem, &detail);
                self.not_watched.insert(class, why);
            }
            ToProgram::NotCompared { by, reason, .. } => {
                self.has_not_compared = true;
                if let Some(test) = by.as_ref().and_then(&index) {
                    self.not_compared.insert(test, reason);
                }
            }
            ToProgram::Used(setting) => {
                self.used.insert(setting);
            }
            ToProgram::Unusable { class, reason } => {
                self.unusable.insert(class, reason);
            }
            ToProgram::Measured(measured) => self.measured.push(*measured),
            // Outcomes and faults are the driver's affair; nothing is varied or learned here.
            ToProgram::Hello { .. }
            | ToProgram::Recipe(_)
            | ToProgram::ContainerStarted { .. }
            | ToProgram::ContainerFinished { .. }
            | ToProgram::TestStarted(_)
            | ToProgram::TestFinished { .. }
            | ToProgram::InitialiserChose { .. }
            | ToProgram::ClassLoaded { .. }
            | ToProgram::NotApplied { .. }
            | ToProgram::Choices(_)
            | ToProgram::Evidence(_)
            | ToProgram::RunFinished
            | ToProgram::Bug { .. } => {}
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
pub(super) fn capture(check: &Check<'_>, tests: &[TestIx], watch: Watch, jobs: Jobs) -> Changes {
    run(check, tests, Some(watch), jobs)
}

/// Runs tests once, in JVMs that watch if there is something to watch and say what they needed.
pub(super) fn run(check: &Check<'_>, tests: &[TestIx], watch: Option<Watch>, jobs: Jobs) -> Changes {
    let suite = &check.session.suite;
    let by_handle: BTreeMap<_, TestIx> = tests.iter().map(|test| (&suite[*test].handle, *test)).collect();
    let index = |author: &Author| match author {
        Author::Test(test) => by_handle.get(&test.handle).copied(),
        Author::Class(_) => None,
    };
    let tools = check.workers.driver.tools();
    let names = FileNames::new(&tools.scratch, &check.options.place.project);
    let changes = Mutex::new(Changes::default());
    let hear = |message: ToProgram| {
        let mut changes = changes.lock().unwrap_or_else(PoisonError::into_inner);
        changes.hear(message, index, |change| names.named(change));
    };
    let driver = check.workers.driver.configured(|configuration| Configuration {
        models: Vec::new(),
        user_models: Vec::new(),
        watch,
        measure: !check.options.measure.is_empty(),
        ..configuration
    });
    // What is in the user's own home is no business of a report.
    let driver = driver.with_empty_homes();
    let spread = Spread {
        jobs: match jobs {
            Jobs::All => check.workers.spread.jobs,
            Jobs::One => 1,
        },
        // The same run twice gives the same report.
        repeatable: true,
    };
    let workers = Workers {
        suite,
        launches: &suite.launches,
        driver: &driver,
        spread,
        patience: check.workers.patience,
        quick: check.workers.quick,
        hear: &hear,
    };
    let turn = Turn {
        round: 1,
        strategy: None,
        tests: tests.to_vec(),
    };
    let verdicts = workers.run(units(suite, &[turn], spread), &|test, verdict| {
        let mut changes = changes.lock().unwrap_or_else(PoisonError::into_inner);
        match verdict.failure().and_then(ended) {
            Some(why) => {
                changes.unfinished.insert(test, why);
            }
            None => {
                changes.ran.insert(test);
            }
        }
        if *verdict != Verdict::Passed {
            changes.failed.insert(test);
        }
        check.progress.step();
    });
    let mut changes = changes.into_inner().unwrap_or_else(PoisonError::into_inner);
    for ((_, test), verdict) in verdicts {
        // A test that has failed without having been heard of did not come to its turn.
        if let (false, Some(failure)) = (changes.ran.contains(&test), verdict.failure()) {
            let why = NotWatched::SetUpFailed(failure.message.clone());
            changes.unfinished.entry(test).or_insert(why);
        }
    }
    changes
}

/// What is said of a test that ended its JVM or did not end itself: state was not compared after it. `None`: it failed
/// as tests do.
fn ended(failure: &Failure) -> Option<NotWatched> {
    let message = failure.message.clone();
    match failure.sort() {
        FailureSort::Hang => Some(NotWatched::Hung(message)),
        FailureSort::Exit | FailureSort::Crash => Some(NotWatched::Ended(message)),
        // What watches needs memory too.
        FailureSort::Memory if failure.kind.ends_with("OutOfMemoryError") => Some(NotWatched::Ended(message)),
        FailureSort::Memory | FailureSort::Assertion | FailureSort::Exception => None,
    }
}
