//! Real test JVMs behind the traits of `unflake-explore`, and rounds over many of them.

use super::driver::{DrivenJvm, Driver, Heard};
use super::orders::is_about_a_port;
use super::patience::Patience;
use super::pool::{Lane, in_lanes};
use super::transcript::{JvmEnd, Transcript};
use super::units::{Spread, Unit, UnitKind};
use crate::suite::{LaunchIx, Suite};
use std::collections::BTreeMap;
use unflake_explore::{Jvm, Jvms, TestIx, Trial, Varied, Verdict};
use unflake_protocol::{Handle, Record, RunCommand, ToProgram};
use unflake_runner::{Launch, Limits, Work};

/// JVMs that run tests of the suite, round after round.
pub(crate) struct Workers<'a> {
    pub(crate) suite: &'a Suite,
    /// How each launch of the suite is started.
    pub(crate) launches: &'a [Launch],
    pub(crate) driver: &'a Driver,
    pub(crate) spread: Spread,
    pub(crate) patience: Patience,
    /// Hears what the JVMs say beside outcomes.
    pub(crate) hear: &'a Hear<'a>,
}

/// Listens to JVMs, several at a time.
pub(crate) type Hear<'a> = dyn Fn(ToProgram) + Sync + 'a;

/// What became of the tests of some units: by round and test.
pub(crate) type Verdicts = BTreeMap<(u32, TestIx), Verdict>;

impl Workers<'_> {
    /// Runs units, as many at a time as there are jobs, and beside them those that wait. `done` hears of each test that
    /// ended.
    pub(crate) fn run(&self, units: Vec<Unit>, done: &(dyn Fn(TestIx, &Verdict) + Sync)) -> Verdicts {
        /// Units that wait, for each that works.
        const WAITING: usize = 2;
        let (outside, inside): (Vec<Unit>, Vec<Unit>) = units
            .into_iter()
            .map(|unit| unit.split(|test| self.is_outside(test)))
            .unzip();
        let has_turns = |unit: &Unit| !unit.turns.is_empty();
        let (waiting, busy): (Vec<Unit>, Vec<Unit>) = inside
            .into_iter()
            .filter(has_turns)
            .partition(|unit| unit.kind == UnitKind::Waiting);
        let lane = |threads, items| Lane { threads, items };
        let lanes = vec![
            lane(self.spread.jobs, busy),
            lane(WAITING * self.spread.jobs, waiting),
            // They run one at a time in any case.
            lane(1, outside.into_iter().filter(has_turns).collect()),
        ];
        let parts = in_lanes(lanes, &|| None, &|last: &mut Option<Used>, unit| {
            let like = (unit.launch, unit.kind);
            let mut jvm = last
                .take()
                .filter(|used| used.like == like && !self.spread.repeatable)
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
        done: &(dyn Fn(TestIx, &Verdict) + Sync),
    ) -> Verdicts {
        let mut verdicts = Verdicts::new();
        for turn in &unit.turns {
            let mut left = turn.tests.clone();
            while !left.is_empty() && !self.driver.cancel().is_cancelled() {
                let mut running = match jvm.take() {
                    Some(running) => running,
                    None => match self.start(unit.launch, unit.work(), &left) {
                        Ok(started) => started,
                        Err(_) => return verdicts,
                    },
                };
                let varied = turn.strategy.map_or(Varied::Nothing, Varied::All);
                let (mut found, end) = self.run_in(&mut running, &left, varied, false, done);
                self.run_alone_if_met(unit, &running, varied, &mut found);
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

    /// Tests that wanted a port which another JVM of ours may have had run again, alone, and from now on always.
    fn run_alone_if_met(
        &self,
        unit: &Unit,
        jvm: &DrivenJvm,
        varied: Varied,
        found: &mut BTreeMap<TestIx, Verdict>,
    ) {
        let about_a_port = found.iter().filter(|(_, verdict)| is_about_a_port(verdict));
        let met: Vec<TestIx> = about_a_port.map(|(test, _)| *test).collect();
        if met.is_empty() || !jvm.can_meet_others() {
            return;
        }
        met.iter().for_each(|test| self.move_outside(*test));
        if let Ok(mut alone) = self.start(unit.launch, unit.work(), &met) {
            let (verdicts, _) = self.run_in(&mut alone, &met, varied, false, &|_, _| {});
            found.extend(verdicts);
        }
    }

    fn is_outside(&self, test: TestIx) -> bool {
        self.driver.is_outside(&self.suite[test].handle)
    }

    fn move_outside(&self, test: TestIx) {
        self.driver.move_outside(&self.suite[test].handle.root);
    }

    fn start(&self, launch: LaunchIx, work: Work, tests: &[TestIx]) -> Result<DrivenJvm, JvmEnd> {
        let handles = tests.iter().map(|test| &self.suite[*test].handle);
        self.driver.start_for(&self.launches[launch.0], work, handles)
    }

    /// Runs tests in a JVM; the own choices are those of the last. What has no verdict afterwards was not run.
    fn run_in(
        &self,
        jvm: &mut DrivenJvm,
        tests: &[TestIx],
        varied: Varied,
        is_patient: bool,
        done: &(dyn Fn(TestIx, &Verdict) + Sync),
    ) -> (BTreeMap<TestIx, Verdict>, JvmEnd) {
        let own = tests
            .last()
            .map_or_else(Vec::new, |test| own_scopes(self.suite, *test));
        let (strategy, only) = match varied {
            Varied::Nothing => (None, Vec::new()),
            Varied::Own(strategy) => (Some(strategy), own),
            Varied::All(strategy) => (Some(strategy), Vec::new()),
        };
        let command = RunCommand {
            strategy,
            only,
            tests: tests
                .iter()
                .map(|test| self.suite[*test].handle.clone())
                .collect(),
            script: None,
            record: Record::default(),
        };
        let by_handle: BTreeMap<&Handle, TestIx> = command.tests.iter().zip(tests.iter().copied()).collect();
        let slowest = tests.iter().map(|test| self.suite[*test].time).max();
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
}

/// The scopes of a test: its own, and that of its class's set-up.
pub(crate) fn own_scopes(suite: &Suite, test: TestIx) -> Vec<String> {
    let known = &suite[test];
    vec![known.id.to_string(), known.handle.root.clone()]
}

fn verdicts_of(transcript: &Transcript, tests: &[TestIx], handles: &[Handle]) -> BTreeMap<TestIx, Verdict> {
    let verdicts = tests.iter().zip(transcript.of_each(handles));
    verdicts
        .filter_map(|(test, verdict)| Some((*test, verdict?)))
        .collect()
}

/// A JVM that is through with a unit, and what it can be used for again.
struct Used {
    like: (LaunchIx, UnitKind),
    jvm: DrivenJvm,
}

/// Fresh JVMs for one test's launch.
pub(crate) struct LaunchJvms<'a> {
    pub(crate) workers: &'a Workers<'a>,
    pub(crate) launch: LaunchIx,
}

pub(crate) struct WorkerJvm<'a> {
    workers: &'a Workers<'a>,
    jvm: DrivenJvm,
    is_alive: bool,
}

impl<'a> Jvms for LaunchJvms<'a> {
    type Jvm = WorkerJvm<'a>;

    fn start(&self) -> Result<WorkerJvm<'a>, String> {
        match self.workers.start(self.launch, Work::Short, &[]) {
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
    fn run(&mut self, trial: &Trial<'_>) -> Verdict {
        let tests: Vec<TestIx> = trial.before.iter().copied().chain([trial.test]).collect();
        let (mut verdicts, end) =
            self.workers
                .run_in(&mut self.jvm, &tests, trial.varied, trial.is_patient, &|_, _| {});
        self.is_alive = end.can_go_on();
        if end.is_over() {
            return Verdict::Cancelled;
        }
        let verdict = verdicts.remove(&trial.test).unwrap_or(Verdict::NotRun);
        if self.is_alive && is_about_a_port(&verdict) && self.jvm.can_meet_others() {
            self.workers.move_outside(trial.test);
            return self.run(trial);
        }
        verdict
    }

    fn is_alive(&self) -> bool {
        self.is_alive
    }
}

#[cfg(test)]
mod tests {
    use crate::options::SeedSetting;
    use crate::simulated::simulated;

    #[test]
    fn without_a_seed_a_jvm_takes_the_next_unit() {
        let starts = |suite: &str, seed| {
            let simulated = simulated(suite).with(|options| {
                options.vary.seed = seed;
                options.rounds = Some(3);
            });
            simulated.facts();
            simulated.starts()
        };
        let seed = SeedSetting::Fixed(unflake_protocol::Seed(7));
        let suite = "A#a\nB#a\nC#a";
        assert_eq!((starts(suite, SeedSetting::Fresh), starts(suite, seed)), (1, 1));
        // A JVM that has ended takes none, nor does one for another launch.
        assert_eq!(starts("A#a\nB#a [jvm 2]", SeedSetting::Fresh), 2);
        assert_eq!(starts("A#a exits\nB#a", SeedSetting::Fresh), 4);
    }

    #[test]
    fn a_test_that_ends_its_jvm_costs_that_test_only() {
        let simulated =
            simulated("A#a\nA#b dies\nA#c\nA#d hangs\nA#e").with(|options| options.rounds = Some(1));
        simulated.facts();
        let commands = simulated.commands();
        let rounds =
            ["A#a A#b A#c A#d A#e", "A#c A#d A#e", "A#e"].map(|tests| format!("{tests} | one reverse"));
        assert_eq!(commands[..3], rounds);
    }

    #[test]
    fn a_jvm_that_ends_without_having_run_anything_is_not_started_for_ever() {
        // It dies between tests before the first one has a verdict.
        let simulated = simulated("A#a is-missing; exits").with(|options| options.rounds = Some(1));
        simulated.facts();
        assert_eq!(simulated.starts(), 1);
    }
}
