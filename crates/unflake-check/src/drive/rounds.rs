//! Real test JVMs behind the traits of `unflake-explore`, and rounds over many of them.

use super::driver::{DrivenJvm, Driver, Exception, Heard};
use super::patience::Patience;
use super::pool::{Lane, in_lanes};
use super::transcript::{JvmEnd, Transcript};
use super::units::{Spread, Unit, UnitKind};
use crate::suite::{LaunchIx, Suite};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use unflake_explore::{Jvm, Jvms, TestIx, Trial, Varied, Verdict};
use unflake_protocol::{Failure, FailureSort, Handle, Record, RunCommand, ToProgram};
use unflake_runner::{Launch, Limits, Work};

/// JVMs that run tests of the suite, round after round.
pub(crate) struct Workers<'a> {
    pub(crate) suite: &'a Suite,
    /// How each launch of the suite is started.
    pub(crate) launches: &'a [Launch],
    pub(crate) driver: &'a Driver,
    pub(crate) spread: Spread,
    pub(crate) patience: Patience,
    /// For runs whose time is known.
    pub(crate) quick: Patience,
    /// Hears what the JVMs say beside outcomes.
    pub(crate) hear: &'a Hear<'a>,
}

/// Listens to JVMs, several at a time.
pub(crate) type Hear<'a> = dyn Fn(ToProgram) + Sync + 'a;

/// What became of the tests of some units: by round and test.
pub(crate) type Verdicts = BTreeMap<(u32, TestIx), Verdict>;

impl Workers<'_> {
    /// Runs units, as many at a time as there are jobs, and beside them those that wait, unless only one job is wanted:
    /// whoever says so wants one JVM. `done` hears of each test that ended.
    pub(crate) fn run(&self, units: Vec<Unit>, done: &(dyn Fn(TestIx, &Verdict) + Sync)) -> Verdicts {
        /// Units that wait, for each that works.
        const WAITING: usize = 2;
        let (one_by_one, inside): (Vec<Unit>, Vec<Unit>) = units
            .into_iter()
            .map(|unit| unit.split(|test| self.is_exception(test)))
            .unzip();
        let has_turns = |unit: &Unit| !unit.turns.is_empty();
        let inside = inside.into_iter().filter(has_turns);
        let one_by_one = one_by_one.into_iter().filter(has_turns);
        let lane = |threads, items| Lane { threads, items };
        let lanes = if self.spread.jobs == 1 {
            vec![lane(1, inside.chain(one_by_one).collect())]
        } else {
            let (waiting, busy) = inside.partition(|unit| unit.kind == UnitKind::Waiting);
            vec![
                lane(self.spread.jobs, busy),
                lane(WAITING * self.spread.jobs, waiting),
                // They have to wait for each other in any case.
                lane(1, one_by_one.collect()),
            ]
        };
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
        // One that has ended its JVM is suspected already; to see it do so in every round takes too long.
        let mut ended_it: BTreeSet<TestIx> = BTreeSet::new();
        for turn in &unit.turns {
            let mut left = turn.tests.clone();
            left.retain(|test| !ended_it.contains(test));
            while !left.is_empty() && !self.driver.cancel().is_cancelled() {
                let mut running = match jvm.take() {
                    Some(running) => running,
                    None => match self.start(unit.launch, unit.work(), &left) {
                        Ok(started) => started,
                        Err(_) => return verdicts,
                    },
                };
                let varied = turn.strategy.map_or(Varied::Nothing, Varied::All);
                let limit = Limit::Usual;
                let (mut found, end) = self.run_in(&mut running, &left, varied, limit, done);
                if found.is_empty()
                    && let Some(failure) = end.failure()
                {
                    // It came to no test: the class that is next has an initialiser or a set-up that ends it.
                    found = self.fail_next_class(&left, failure, done);
                }
                self.run_again_alone(unit, &running, &left, varied, &mut found);
                if end.failure().is_some() {
                    let is_over =
                        |verdict: &Verdict| verdict.failure().map(Failure::sort) >= Some(FailureSort::Hang);
                    ended_it.extend(
                        found
                            .iter()
                            .filter(|(_, verdict)| is_over(verdict))
                            .map(|(test, _)| test),
                    );
                }
                left.retain(|test| !found.contains_key(test));
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
                    JvmEnd::Died { .. } | JvmEnd::Hung { .. } => {}
                    JvmEnd::Broken(_) | JvmEnd::TimeUp | JvmEnd::Cancelled => break,
                }
            }
        }
        verdicts
    }

    /// All tests of the first class fail in this way.
    fn fail_next_class(
        &self,
        left: &[TestIx],
        failure: &Failure,
        done: &(dyn Fn(TestIx, &Verdict) + Sync),
    ) -> BTreeMap<TestIx, Verdict> {
        let root = |test: &TestIx| &self.suite[*test].handle.root;
        let of_class = left
            .iter()
            .filter(|test| Some(root(test)) == left.first().map(root));
        let verdict = Verdict::Failed(failure.clone());
        let fail = |test: &TestIx| {
            done(*test, &verdict);
            (*test, verdict.clone())
        };
        of_class.map(fail).collect()
    }

    /// What failed in a JVM that could meet others is run again, after the same tests and with nobody beside it. What
    /// passes then was our doing, and its class runs alone from now on.
    fn run_again_alone(
        &self,
        unit: &Unit,
        jvm: &DrivenJvm,
        tests: &[TestIx],
        varied: Varied,
        found: &mut BTreeMap<TestIx, Verdict>,
    ) {
        if !jvm.can_meet_others() {
            return;
        }
        let is_doubtful = |test: &TestIx| {
            let failure = found.get(test).and_then(Verdict::failure);
            failure.is_some_and(|failure| failure.sort() < FailureSort::Hang)
                && !self.driver.is_cleared(&self.suite[*test].handle)
        };
        let Some(last) = tests.iter().rposition(is_doubtful) else {
            return;
        };
        let doubtful: Vec<TestIx> = tests.iter().copied().filter(is_doubtful).collect();
        let Ok(alone) = self.start(unit.launch, unit.work(), &tests[..=last]) else {
            return;
        };
        let (verdicts, _) = self.run_in(
            &mut alone.alone(),
            &tests[..=last],
            varied,
            Limit::Usual,
            &|_, _| {},
        );
        for test in doubtful {
            let handle = &self.suite[test].handle;
            if verdicts.get(&test) == Some(&Verdict::Passed) {
                self.driver.make_exception(&handle.root, Exception::Alone);
                found.insert(test, Verdict::Passed);
            } else {
                self.driver.clear(handle);
            }
        }
    }

    fn is_exception(&self, test: TestIx) -> bool {
        self.driver.exception([&self.suite[test].handle]).is_some()
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
        limit: Limit,
        done: &(dyn Fn(TestIx, &Verdict) + Sync),
    ) -> (BTreeMap<TestIx, Verdict>, JvmEnd) {
        let (strategy, only) = match varied {
            Varied::Nothing => (None, Vec::new()),
            Varied::Own(strategy) => (Some(strategy), self.suite.own_scopes(tests)),
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
        let silence = |running: Option<&Handle>| {
            let test = running.and_then(|handle| by_handle.get(handle)).copied();
            self.silence(test, tests, limit)
        };
        let limits = Limits {
            silence: &silence,
            dumps: limit == Limit::Sure,
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

    /// How long a JVM that runs these tests may be silent while this one runs.
    fn silence(&self, running: Option<TestIx>, tests: &[TestIx], limit: Limit) -> Duration {
        let took = |test: TestIx| self.suite[test].time;
        let launch = tests.first().and_then(|test| self.suite[*test].launch);
        let slowest = self.suite.slowest(launch);
        let usual = match running {
            Some(test) => self.patience.of_test(took(test), slowest),
            None => self.patience.of_set_up(slowest),
        };
        match limit {
            Limit::Usual => usual,
            Limit::Sure => usual * Patience::SURE,
            Limit::Known(natural) => self.quick.again(natural).min(usual),
        }
    }
}

/// How long a test that does not end is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    /// Long enough for a suspicion.
    Usual,
    /// Long enough to call it a hang; the JVM is asked what it does.
    Sure,
    /// It is known how long the whole run takes unvaried.
    Known(Duration),
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
    workers: &'a Workers<'a>,
    launch: LaunchIx,
    /// How long the longest unvaried run took.
    natural: Arc<Mutex<Option<Duration>>>,
}

impl<'a> LaunchJvms<'a> {
    pub(crate) fn new(workers: &'a Workers<'a>, launch: LaunchIx) -> LaunchJvms<'a> {
        LaunchJvms {
            workers,
            launch,
            natural: Arc::default(),
        }
    }
}

pub(crate) struct WorkerJvm<'a> {
    workers: &'a Workers<'a>,
    jvm: DrivenJvm,
    is_alive: bool,
    natural: Arc<Mutex<Option<Duration>>>,
}

impl<'a> Jvms for LaunchJvms<'a> {
    type Jvm = WorkerJvm<'a>;

    fn start(&self) -> Result<WorkerJvm<'a>, String> {
        match self.workers.start(self.launch, Work::Short, &[]) {
            Ok(jvm) => Ok(WorkerJvm {
                workers: self.workers,
                // What counts must not depend on who else runs.
                jvm: jvm.alone(),
                is_alive: true,
                natural: self.natural.clone(),
            }),
            Err(JvmEnd::Broken(why)) => Err(why),
            Err(_) => Err("interrupted".to_owned()),
        }
    }
}

impl Jvm for WorkerJvm<'_> {
    fn run(&mut self, trial: &Trial<'_>) -> Verdict {
        let tests: Vec<TestIx> = trial.before.iter().copied().chain([trial.test]).collect();
        let mut natural = self.natural.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = match *natural {
            Some(natural) if !trial.is_patient => Limit::Known(natural),
            Some(_) | None => Limit::Sure,
        };
        let clock = Instant::now();
        let (mut verdicts, end) = self
            .workers
            .run_in(&mut self.jvm, &tests, trial.varied, limit, &|_, _| {});
        self.is_alive = end.can_go_on();
        if end.is_over() {
            return Verdict::Cancelled;
        }
        if trial.varied == Varied::Nothing && end == JvmEnd::Finished {
            *natural = (*natural).max(Some(clock.elapsed()));
        }
        // A JVM that ended before the test was reached failed on the way to it.
        let on_the_way = || end.failure().cloned().map_or(Verdict::NotRun, Verdict::Failed);
        verdicts.remove(&trial.test).unwrap_or_else(on_the_way)
    }

    fn is_alive(&self) -> bool {
        self.is_alive
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::SeedSetting;
    use crate::simulated::{Simulated, simulated};

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
        // Once inside, and once outside.
        assert_eq!(simulated.starts(), 2);
    }

    #[test]
    fn a_jvm_that_ends_before_the_first_test_fails_the_class_that_is_next() {
        let simulated = simulated("A#a\nA#b\nB#a");
        let told = std::sync::Mutex::new(0);
        let failing = simulated.check(|check| {
            let failure = crate::simulated::failure("its initialiser ended the JVM");
            let all: Vec<_> = simulated.session.suite.all().collect();
            check.workers.fail_next_class(&all, &failure, &|_, verdict| {
                assert!(verdict.failure().is_some());
                *told.lock().unwrap() += 1;
            })
        });
        let failing: Vec<_> = failing.into_keys().collect();
        assert_eq!(simulated.names(&failing), "A#a A#b");
        assert_eq!(told.into_inner().unwrap(), 2);
    }

    #[test]
    fn a_jvm_says_what_became_of_the_last_test() {
        let ran = |does: &str| {
            let simulated = simulated(&format!("A#a {does}\nA#b"));
            simulated.check(|check| {
                let jvms = LaunchJvms::new(check.workers, LaunchIx(0));
                let mut jvm = jvms.start().unwrap();
                let trial = |before| Trial {
                    before,
                    test: TestIx(1),
                    varied: Varied::Nothing,
                    is_patient: true,
                };
                let said = match jvm.run(&trial(&[TestIx(0)])) {
                    Verdict::Passed => "passed".to_owned(),
                    Verdict::Failed(failure) => failure.message,
                    Verdict::NotRun => "not run".to_owned(),
                    Verdict::Cancelled => "cancelled".to_owned(),
                };
                (said, jvm.is_alive())
            })
        };
        let said = |text: &str, is_alive| (text.to_owned(), is_alive);
        assert_eq!(ran(""), said("passed", true));
        assert_eq!(ran("fails"), said("passed", true));
        assert_eq!(ran("cancels"), said("cancelled", false));
        // What ends the JVM on the way to it is its failure.
        assert_eq!(
            ran("dies"),
            said("the test ended its JVM (exit status: 1)", false)
        );
    }

    #[test]
    fn why_there_is_no_jvm_is_said() {
        let why = |simulated: &Simulated| {
            simulated.check(|check| LaunchJvms::new(check.workers, LaunchIx(0)).start().err())
        };
        let none = simulated("A#a").most_starts(0);
        let reason = unflake_runner::StartError::OtherProtocol(0).to_string();
        assert_eq!(why(&none), Some(reason));
        none.cancel.cancel();
        assert_eq!(why(&none).as_deref(), Some("interrupted"));
        assert_eq!(why(&simulated("A#a")), None);
    }

    #[test]
    fn who_wants_to_be_sure_waits_longer_and_for_what_is_known_nobody_waits_long() {
        let mut simulated = simulated("A#a\nA#b\nB#b [jvm 2]");
        let tests = &mut simulated.session.suite.tests;
        for (test, seconds) in tests.iter_mut().zip([2, 40, 900]) {
            test.time = Duration::from_secs(seconds);
        }
        simulated.check(|check| {
            let workers = check.workers;
            let silence = |running, limit| workers.silence(running, &[TestIx(0), TestIx(1)], limit);
            let (took, slowest) = (Duration::from_secs(2), Duration::from_secs(40));
            let usual = workers.patience.of_test(took, slowest);
            let running = Some(TestIx(0));
            assert_eq!(silence(running, Limit::Usual), usual);
            // Tests of another launch say nothing about this one.
            assert_eq!(silence(None, Limit::Usual), workers.patience.of_set_up(slowest));
            assert_eq!(silence(running, Limit::Sure), usual * Patience::SURE);
            let natural = Duration::from_millis(10);
            assert_eq!(
                silence(running, Limit::Known(natural)),
                workers.quick.again(natural)
            );
            // Never longer than for a run of which nothing is known.
            let long = Duration::from_secs(3600);
            assert_eq!(silence(running, Limit::Known(long)), usual);
        });
    }
}
