//! Real test JVMs behind the traits of `unflake-explore`, and rounds over many of them.

use super::driver::{DrivenJvm, Driver, Heard};
use super::patience::Patience;
use super::pool::{Lane, in_lanes};
use super::transcript::{JvmEnd, Transcript};
use crate::suite::{KnownTest, Suite};
use std::collections::BTreeMap;
use std::time::Duration;
use unflake_explore::{Cost, Jvm, Jvms, Need, Verdict, split};
use unflake_protocol::{Handle, Record, RunCommand, Strategy, ToProgram};
use unflake_runner::{Launch, Limits, Work};

/// JVMs that run tests of the suite, round after round.
pub(crate) struct Workers<'a> {
    pub(crate) suite: &'a Suite,
    /// How each launch of the suite is started.
    pub(crate) launches: &'a [Launch],
    pub(crate) driver: &'a Driver,
    pub(crate) jobs: usize,
    /// The result must depend on the seed alone.
    pub(crate) repeatable: bool,
    pub(crate) patience: Patience,
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

impl Workers<'_> {
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
        for launch in 0..self.launches.len() {
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
        let (waiting, busy): (Vec<Unit>, Vec<Unit>) =
            units.into_iter().partition(|unit| unit.kind == UnitKind::Waiting);
        let lane = |threads, items| Lane { threads, items };
        let lanes = vec![lane(self.jobs, busy), lane(WAITING * self.jobs, waiting)];
        let parts = in_lanes(lanes, &|| None, &|last: &mut Option<Used>, unit| {
            let like = (unit.launch, unit.kind);
            let mut jvm = last
                .take()
                .filter(|used| used.like == like && !self.repeatable)
                .map(|used| used.jvm);
            let found = self.run_unit(&unit, &mut jvm, done);
            *last = jvm.map(|jvm| Used { like, jvm });
            found
        });
        parts.into_iter().flatten().collect()
    }

    /// Runs a unit to its end, with a new JVM after each one that a test ended.
    fn run_unit(
        &self,
        unit: &Unit,
        jvm: &mut Option<DrivenJvm>,
        done: &(dyn Fn(usize, &Verdict) + Sync),
    ) -> Verdicts {
        let mut verdicts = Verdicts::new();
        for turn in &unit.turns {
            let mut left = turn.tests.clone();
            while !left.is_empty() && !self.driver.cancel().is_cancelled() {
                let mut running = match jvm.take() {
                    Some(running) => running,
                    None => match self.start(unit.launch, unit.work()) {
                        Ok(started) => started,
                        Err(_) => return verdicts,
                    },
                };
                let (found, end) = self.run_in(&mut running, &left, turn.strategy, done);
                left.retain(|test| !found.contains_key(test));
                let ended_in_test = !found.is_empty();
                verdicts.extend(
                    found
                        .into_iter()
                        .map(|(test, verdict)| ((turn.round, test), verdict)),
                );
                match end {
                    JvmEnd::Finished => {
                        *jvm = Some(running);
                        break;
                    }
                    // What a test ended costs that test; the others go on in a new JVM.
                    JvmEnd::Died { .. } | JvmEnd::Hung { .. } if ended_in_test => {}
                    JvmEnd::Died { .. }
                    | JvmEnd::Hung { .. }
                    | JvmEnd::NotStarted(_)
                    | JvmEnd::TimeUp
                    | JvmEnd::Cancelled => break,
                }
            }
        }
        verdicts
    }

    fn start(&self, launch: usize, work: Work) -> Result<DrivenJvm, JvmEnd> {
        self.driver.start(&self.launches[launch], work)
    }

    /// Runs tests in a JVM. What has no verdict afterwards was not run.
    fn run_in(
        &self,
        jvm: &mut DrivenJvm,
        tests: &[usize],
        strategy: Option<Strategy>,
        done: &(dyn Fn(usize, &Verdict) + Sync),
    ) -> (BTreeMap<usize, Verdict>, JvmEnd) {
        let command = RunCommand {
            strategy,
            tests: tests
                .iter()
                .map(|test| self.suite.tests[*test].handle.clone())
                .collect(),
            script: None,
            record: Record::default(),
        };
        let by_handle: BTreeMap<&Handle, usize> = command.tests.iter().zip(tests.iter().copied()).collect();
        let slowest = tests.iter().map(|test| self.suite.tests[*test].time).max();
        let limits = Limits {
            silence: self.patience.silence(slowest.unwrap_or_default()),
            until: None,
        };
        let transcript = jvm.run(&command, limits, &mut |heard| match heard {
            Heard::Test(handle, verdict) => {
                if let Some(test) = by_handle.get(handle) {
                    done(*test, verdict);
                }
            }
            Heard::Other(message) => (self.hear)(*message),
        });
        let verdicts = verdicts_of(&transcript, tests, &command.tests);
        (verdicts, transcript.end)
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

fn verdicts_of(transcript: &Transcript, tests: &[usize], handles: &[Handle]) -> BTreeMap<usize, Verdict> {
    let verdicts = tests.iter().zip(transcript.of_each(handles));
    verdicts
        .filter_map(|(test, verdict)| Some((*test, verdict?)))
        .collect()
}

/// A JVM that is through with a unit, and what it can be used for again.
struct Used {
    like: (usize, UnitKind),
    jvm: DrivenJvm,
}

/// Fresh JVMs for one test's launch.
pub(crate) struct LaunchJvms<'a> {
    pub(crate) workers: &'a Workers<'a>,
    pub(crate) launch: usize,
}

pub(crate) struct WorkerJvm<'a> {
    workers: &'a Workers<'a>,
    jvm: DrivenJvm,
    is_alive: bool,
}

impl<'a> Jvms for LaunchJvms<'a> {
    type Jvm = WorkerJvm<'a>;

    fn start(&self) -> Result<WorkerJvm<'a>, String> {
        match self.workers.start(self.launch, Work::Short) {
            Ok(jvm) => Ok(WorkerJvm {
                workers: self.workers,
                jvm,
                is_alive: true,
            }),
            Err(JvmEnd::NotStarted(why)) => Err(why),
            Err(_) => Err("interrupted".to_owned()),
        }
    }
}

impl Jvm for WorkerJvm<'_> {
    fn run(&mut self, tests: &[usize], strategy: Option<Strategy>) -> Verdict {
        let (mut verdicts, end) = self.workers.run_in(&mut self.jvm, tests, strategy, &|_, _| {});
        self.is_alive = end.can_go_on();
        if end.is_over() {
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
