//! Real test JVMs behind the traits of `unflake-explore`, and rounds over many of them.

use crate::drive::scripts::failure_of;
use crate::suite::{KnownTest, Suite};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use unflake_explore::{Cost, Jvm, Jvms, Need, Verdict, split};
use unflake_protocol::{Outcome, Record, RunCommand, Strategy, ToProgram};
use unflake_runner::{Limits, RunEnd, Work, Worker, WorkerTools};

/// Everything that is needed to run tests of the suite.
pub(crate) struct Bench<'a> {
    pub(crate) suite: &'a Suite,
    pub(crate) tools: &'a WorkerTools,
    /// Numbers of workers; each is used once.
    pub(crate) workers: &'a AtomicU32,
    pub(crate) jobs: usize,
    /// The result must depend on the seed alone.
    pub(crate) repeatable: bool,
    /// The longest that one test may take; `None`: by how long it took unvaried.
    pub(crate) timeout: Option<Duration>,
    /// Hears what the JVMs say beside outcomes.
    pub(crate) hear: &'a Hear<'a>,
}

/// Listens to JVMs, several at a time.
pub(crate) type Hear<'a> = dyn Fn(ToProgram) + Sync + 'a;

/// Small parts at the end keep all cores busy; each starts with classes that are not loaded yet.
const PARTS_PER_JOB: usize = 6;

/// Tests that one JVM runs, once per round.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    launch: usize,
    kind: UnitKind,
    turns: Vec<Turn>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum UnitKind {
    /// It computes for long: it begins before the others, in a JVM of its own.
    Heavy,
    Busy,
    /// It mostly waits, so it needs no core of its own.
    Waiting,
}

/// One round of a unit.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) round: u32,
    /// `None`: unvaried.
    pub(crate) strategy: Option<Strategy>,
    pub(crate) tests: Vec<usize>,
}

/// What became of the tests of some units: by round and test.
pub(crate) type Verdicts = BTreeMap<(u32, usize), Verdict>;

impl Turn {
    /// The same for some of its tests; both are sorted.
    fn only(&self, some: &[usize]) -> Turn {
        let is_one = |test: &usize| some.binary_search(test).is_ok();
        Turn {
            tests: self.tests.iter().copied().filter(is_one).collect(),
            ..self.clone()
        }
    }
}

impl Unit {
    fn work(&self) -> Work {
        match self.kind {
            UnitKind::Heavy => Work::Long,
            UnitKind::Busy | UnitKind::Waiting => Work::Short,
        }
    }

    pub(crate) fn runs(&self) -> usize {
        self.turns.iter().map(|turn| turn.tests.len()).sum()
    }
}

impl Bench<'_> {
    /// Cuts rounds into units: some classes each, with all rounds, one after the other. Warm, the later ones cost a
    /// fraction of the first. A JVM that is through with a unit takes the next.
    ///
    /// Where the result must repeat, which JVM a class runs in must not depend on the clock: there is one unit for each
    /// JVM, and the classes are spread by their number of tests.
    pub(crate) fn units(&self, rounds: &[Turn]) -> Vec<Unit> {
        let mut all: Vec<usize> = rounds
            .iter()
            .flat_map(|turn| turn.tests.iter().copied())
            .collect();
        all.sort_unstable();
        all.dedup();
        let mut units = Vec::new();
        for launch in 0..self.suite.launches.len() {
            let here: Vec<usize> = all
                .iter()
                .copied()
                .filter(|test| self.suite.tests[*test].launch == Some(launch))
                .collect();
            let cost = |test: &usize| {
                let known = &self.suite.tests[*test];
                let of_test = |turn: &&Turn| turn.tests.binary_search(test).is_ok();
                let times = u32::try_from(rounds.iter().filter(of_test).count()).unwrap_or(1);
                let (time, waited) = if self.repeatable {
                    (Duration::from_nanos(1), Duration::ZERO)
                } else {
                    (known.time, known.waited)
                };
                Cost {
                    class: &known.handle.root,
                    time: times * time,
                    waited: times * waited,
                }
            };
            let costs: Vec<Cost<'_>> = here.iter().map(cost).collect();
            let parts = split(
                &costs,
                self.jobs * if self.repeatable { 1 } else { PARTS_PER_JOB },
            );
            let mut add = |indices: &[usize], kind| {
                let part: Vec<usize> = indices.iter().map(|index| here[*index]).collect();
                let turns = rounds.iter().map(|turn| turn.only(&part));
                units.push(Unit {
                    launch,
                    kind,
                    turns: turns.filter(|turn| !turn.tests.is_empty()).collect(),
                });
            };
            parts.heavy.iter().for_each(|part| add(part, UnitKind::Heavy));
            parts.busy.iter().for_each(|part| add(part, UnitKind::Busy));
            parts.waiting.iter().for_each(|part| add(part, UnitKind::Waiting));
        }
        units.sort_by_key(|unit| unit.kind);
        units
    }

    /// Runs units, as many at a time as there are jobs, and beside them those that wait. `done` hears of each test that
    /// ended.
    pub(crate) fn run(&self, units: Vec<Unit>, done: &(dyn Fn(usize, &Verdict) + Sync)) -> Verdicts {
        /// Units that wait, for each that works.
        const WAITING: usize = 2;
        let (waiting, busy): (VecDeque<Unit>, VecDeque<Unit>) =
            units.into_iter().partition(|unit| unit.kind == UnitKind::Waiting);
        let (waiting, busy) = (Mutex::new(waiting), Mutex::new(busy));
        let verdicts = Mutex::new(Verdicts::new());
        let work = |queue: &Mutex<VecDeque<Unit>>| {
            let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let mut last: Option<((usize, UnitKind), Worker)> = None;
            while let Some(unit) = next() {
                let like = (unit.launch, unit.kind);
                let mut worker = last
                    .take()
                    .filter(|(used_for, _)| *used_for == like && !self.repeatable)
                    .map(|(_, worker)| worker);
                let found = self.run_unit(&unit, &mut worker, done);
                last = worker.map(|worker| (like, worker));
                verdicts
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend(found);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| work(&busy));
            }
            for _ in 0..WAITING * self.jobs {
                scope.spawn(|| work(&waiting));
            }
        });
        verdicts.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a unit to its end, with a new JVM after each one that a test ended.
    fn run_unit(
        &self,
        unit: &Unit,
        worker: &mut Option<Worker>,
        done: &(dyn Fn(usize, &Verdict) + Sync),
    ) -> Verdicts {
        let mut verdicts = Verdicts::new();
        for turn in &unit.turns {
            let mut left = turn.tests.clone();
            while !left.is_empty() && !self.tools.cancel.is_cancelled() {
                let mut running = match worker.take() {
                    Some(running) => running,
                    None => match self.start(unit.launch, unit.work()) {
                        Ok(started) => started,
                        Err(_) => return verdicts,
                    },
                };
                let (found, end) = self.run_in(&mut running, &left, turn.strategy, done);
                let died_in_test =
                    matches!(end, RunEnd::Died { .. } | RunEnd::TimedOut { .. }) && !found.is_empty();
                left.retain(|test| !found.contains_key(test));
                verdicts.extend(
                    found
                        .into_iter()
                        .map(|(test, verdict)| ((turn.round, test), verdict)),
                );
                if matches!(end, RunEnd::Finished) {
                    *worker = Some(running);
                }
                if !died_in_test {
                    break;
                }
            }
        }
        verdicts
    }

    fn start(&self, launch: usize, work: Work) -> Result<Worker, String> {
        let number = self.workers.fetch_add(1, Ordering::Relaxed);
        Worker::start(&self.suite.launches[launch], self.tools, number, work)
            .map_err(|error| error.to_string())
    }

    /// Runs tests in a worker. What has no verdict afterwards was not run.
    fn run_in(
        &self,
        worker: &mut Worker,
        tests: &[usize],
        strategy: Option<Strategy>,
        done: &(dyn Fn(usize, &Verdict) + Sync),
    ) -> (BTreeMap<usize, Verdict>, RunEnd) {
        let known = |index: &usize| &self.suite.tests[*index];
        let by_handle: BTreeMap<_, _> = tests.iter().map(|test| (&known(test).handle, *test)).collect();
        let mut verdicts = BTreeMap::new();
        let command = RunCommand {
            strategy,
            tests: tests.iter().map(|test| known(test).handle.clone()).collect(),
            script: None,
            record: Record::default(),
        };
        let end = worker.run(&command, self.limits(tests), |message| match message {
            ToProgram::TestFinished { test, outcome, .. } => {
                if let Some(index) = by_handle.get(&test.handle) {
                    let verdict = match outcome {
                        Outcome::Passed => Verdict::Passed,
                        Outcome::Failed(failure) => Verdict::Failed(failure),
                        Outcome::Skipped { .. } => Verdict::NotRun,
                    };
                    done(*index, &verdict);
                    verdicts.insert(*index, verdict);
                }
            }
            // Set-up that fails takes all tests of its class with it that have not run.
            ToProgram::ContainerFinished {
                root,
                failure: Some(failure),
                ..
            } => {
                for index in tests {
                    if known(index).handle.root == root {
                        verdicts
                            .entry(*index)
                            .or_insert_with(|| Verdict::Failed(failure.clone()));
                    }
                }
            }
            other => (self.hear)(other),
        });
        let during = match &end {
            RunEnd::Died { during, .. } | RunEnd::TimedOut { during, .. } => during.as_ref(),
            RunEnd::Finished | RunEnd::Cancelled => None,
        };
        if let (Some(test), Some(failure)) = (during, failure_of(&end))
            && let Some(index) = by_handle.get(&test.handle)
        {
            let verdict = Verdict::Failed(failure);
            done(*index, &verdict);
            verdicts.insert(*index, verdict);
        }
        (verdicts, end)
    }

    /// A test may take its time varied, but not for ever.
    fn limits(&self, tests: &[usize]) -> Limits {
        const LEAST: Duration = Duration::from_secs(60);
        let slowest = tests
            .iter()
            .map(|test| self.suite.tests[*test].time)
            .max()
            .unwrap_or_default();
        Limits {
            silence: self.timeout.unwrap_or_else(|| LEAST.max(slowest * 10)),
            until: None,
        }
    }

    /// The tests that a round runs.
    pub(crate) fn tests_of_round(tests: &[usize], suite: &Suite, round: u32) -> Vec<usize> {
        let least = if round == 1 {
            Need::OneRun
        } else {
            Need::EveryRound
        };
        let needs = |test: &KnownTest| test.need >= least;
        tests
            .iter()
            .copied()
            .filter(|test| needs(&suite.tests[*test]))
            .collect()
    }
}

/// Fresh JVMs for one test's launch.
pub(crate) struct LaunchJvms<'a> {
    pub(crate) bench: &'a Bench<'a>,
    pub(crate) launch: usize,
}

pub(crate) struct WorkerJvm<'a> {
    bench: &'a Bench<'a>,
    worker: Worker,
    is_alive: bool,
}

impl<'a> Jvms for LaunchJvms<'a> {
    type Jvm = WorkerJvm<'a>;

    fn start(&self) -> Result<WorkerJvm<'a>, String> {
        self.bench
            .start(self.launch, Work::Short)
            .map(|worker| WorkerJvm {
                bench: self.bench,
                worker,
                is_alive: true,
            })
    }
}

impl Jvm for WorkerJvm<'_> {
    fn run(&mut self, tests: &[usize], strategy: Option<Strategy>) -> Verdict {
        let (mut verdicts, end) = self.bench.run_in(&mut self.worker, tests, strategy, &|_, _| {});
        self.is_alive = matches!(end, RunEnd::Finished);
        if matches!(end, RunEnd::Cancelled) {
            return Verdict::Cancelled;
        }
        tests
            .last()
            .and_then(|last| verdicts.remove(last))
            .unwrap_or(Verdict::NotRun)
    }

    fn is_alive(&self) -> bool {
        self.is_alive
    }
}
