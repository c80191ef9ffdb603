//! `unflake check`: learn once, vary the tests that made choices, confirm what fails, report.

use crate::drive::driver::Driver;
use crate::drive::patience::{Budget, Patience};
use crate::drive::pool;
use crate::drive::rounds::{LaunchJvms, Turn, Unit, Verdicts, WorkerJvm, Workers};
use crate::drive::scripts;
use crate::learn::{Learned, learn};
use crate::options::{Kind, Options, SeedSetting, Vary};
use crate::outcome::{self, Fate, Finished, Outcomes};
use crate::problem;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::selection::Selection;
use crate::suite::Baseline;
use crate::vary::cause::Debugger;
use crate::vary::through_build;
use crate::{order, state};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use unflake_explore::order::RanOrders;
use unflake_explore::order::limits::Allowance;
use unflake_explore::{
    Confirmed, DEFAULT_ROUNDS, GUIDED_ROUNDS, Jvm as _, Jvms as _, Suspect, Unconfirmed, Verdict, confirm,
    strategy_of_round,
};
use unflake_findings::{Document, Finding, FindingKind, LevelSetting, ProjectStore};
use unflake_project::{Build, BuildRequest};
use unflake_protocol::{Configuration, Level, Outcome, Role, Seed};
use unflake_runner::{Cancel, Children, Numbers, START_LIMIT, Work, WorkerTools};

/// The longest that `check` looks for the cause of one finding; `unflake debug` has no limit.
const DEBUG_LIMIT: Duration = Duration::from_secs(20);

/// What random rounds may take by default.
const ROUNDS: Allowance = Allowance {
    learning_runs: 0.4,
    at_least: Duration::ZERO,
};

/// What the program around the engine gives it.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The agent's library.
    pub agent: PathBuf,
    /// The folder with the test runner's classes.
    pub runner: PathBuf,
    /// All processes that were started and still run.
    pub children: Children,
    /// Whether the user has had enough.
    pub cancel: Cancel,
    /// Draws a page with pictures of findings, if there is something to be seen.
    pub page: fn(&[Finding]) -> Option<String>,
}

/// What came of a check.
#[derive(Debug)]
pub enum Checked {
    Document(Box<Document>),
    /// What capturing cost, as lines of JSON, where that was asked for instead.
    Measured(String),
}

/// Checks a project.
pub fn check(
    options: &Options,
    build: &Build,
    surroundings: &Surroundings,
    progress: &dyn Progress,
) -> Result<Checked, Problem> {
    let settings = options;
    let started = now();
    let clock = Instant::now();
    let selection = Selection::parse(&settings.tests, &settings.place.project)?;
    let store = ProjectStore::open(&settings.place.store, &settings.place.project)?;
    let seed = seed(settings.vary.seed, &store)?;
    let Surroundings { children, cancel, .. } = surroundings;
    let scratch = scratch()?;
    let configuration = configuration(&settings.vary)?;

    let driver = Driver::new(WorkerTools {
        agent: surroundings.agent.clone(),
        runner: surroundings.runner.clone(),
        scratch: scratch.path().to_owned(),
        configuration: Configuration {
            role: Role::Worker,
            ..configuration.clone()
        },
        children: children.clone(),
        cancel: cancel.clone(),
        options: Vec::new(),
        start_limit: START_LIMIT,
        numbers: Numbers::default(),
    });

    let mut outcomes = Outcomes::new(seed, settings);
    let learning = Configuration {
        role: Role::Build,
        learn: true,
        ..configuration.clone()
    };
    let classes = selection.classes();
    let mut arguments = classes.map_or_else(Vec::new, |classes| build.tool.select(&classes));
    arguments.extend(settings.build_arguments.iter().cloned());
    let request = BuildRequest {
        build,
        agent: &surroundings.agent,
        configuration: &learning,
        arguments: &arguments,
        java_home: settings.place.java.as_deref(),
        scratch: scratch.path(),
        until: None,
        children,
        cancel,
    };
    let learned = learn(&request, &selection, progress)?;
    if let Some(learned) = &learned {
        let workers = Workers {
            suite: &learned.suite,
            launches: &learned.suite.launches,
            driver: &driver,
            jobs: settings.jobs.get(),
            repeatable: settings.vary.seed.must_repeat(),
            patience: Patience::checking(settings.timeout),
            hear: &|_| {},
        };
        let check = Check {
            settings,
            seed,
            learned,
            workers: &workers,
            progress,
            request: &request,
        };
        if !settings.measure.is_empty() {
            let candidates = check.sort_out_baseline(&mut outcomes);
            return Ok(Checked::Measured(state::measure(&check, &candidates)));
        }
        check.run(&mut outcomes)?;
    }
    children.end_all();

    outcomes.interrupted = cancel.is_cancelled();
    let mut finished = outcomes.finish(learned.as_ref(), &configuration, started, clock.elapsed());
    let run = store.begin(started)?;
    if let Some(page) = (surroundings.page)(&finished.document.findings) {
        let path = run.write_page("pictures.html", &page)?;
        finished.document.run.pictures = Some(path.display().to_string());
    }
    // Stored before it is explained: whatever happens there, what was found is not lost.
    run.save(&finished.document, &finished.stored)?;
    if settings.causes && !cancel.is_cancelled() {
        let driver = driver.configured(scripts::configuration);
        explain(&mut finished, settings, &driver, progress);
        children.end_all();
        finished.document.summary.time = clock.elapsed().as_secs_f64();
        run.save(&finished.document, &finished.stored)?;
    }
    Ok(Checked::Document(Box::new(finished.document)))
}

/// Finds the cause of each finding that nobody suppressed.
fn explain(finished: &mut Finished, settings: &Options, driver: &Driver, progress: &dyn Progress) {
    let which: Vec<usize> = (0..finished.document.findings.len())
        .filter(|index| {
            let finding = &finished.document.findings[*index];
            finding.suppressed.is_none() && finding.kind() == FindingKind::ImplementationDependent
        })
        .collect();
    if which.is_empty() {
        return;
    }
    progress.phase("explaining", which.len() as u64);
    let jvms = scripts::ScriptJvms {
        driver,
        work: Work::Short,
        patience: Patience::checking(settings.timeout),
    };
    let debugger = Debugger {
        stored: &finished.stored,
        project: &settings.place.project,
        jvms: &jvms,
        jobs: settings.jobs.get(),
        repeatable: settings.vary.seed.must_repeat(),
        limit: Some(DEBUG_LIMIT),
        deadline: settings.budget.map(|budget| Instant::now() + budget),
    };
    debugger.explain(&mut finished.document, &which, &|| progress.step());
}

/// One check after the learning run.
pub(crate) struct Check<'a> {
    pub(crate) settings: &'a Options,
    pub(crate) seed: Seed,
    pub(crate) learned: &'a Learned,
    pub(crate) workers: &'a Workers<'a>,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) request: &'a BuildRequest<'a>,
}

impl Check<'_> {
    fn run(&self, outcomes: &mut Outcomes) -> Result<(), Problem> {
        let mut candidates = self.sort_out_baseline(outcomes);
        if self.looks_for(Kind::Id) {
            self.control_runs(&mut candidates, outcomes);
            let verdicts = self.rounds(&candidates, outcomes);
            let through_build = self.confirm_all(&candidates, &verdicts, outcomes);
            through_build::run(self, &through_build, outcomes)?;
        } else {
            for &test in &candidates {
                outcomes.settle(test, Fate::Checked);
            }
        }
        // Both begin with the reversed suite: it runs once.
        let ran = RanOrders::default();
        if self.looks_for(Kind::Pollution) {
            state::run(self, &candidates, &ran, outcomes);
        }
        if self.looks_for(Kind::Order) {
            order::suite_orders::run(self, &ran, outcomes);
        }
        Ok(())
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.workers.driver.cancel().is_cancelled()
    }

    pub(crate) fn budget(&self) -> Budget {
        Budget {
            asked: self.settings.budget,
            must_repeat: self.settings.vary.seed.must_repeat(),
            learned: self.learned.time,
        }
    }

    fn looks_for(&self, kind: Kind) -> bool {
        self.settings.kinds.contains(&kind)
    }

    pub(crate) fn level(&self) -> Option<Level> {
        match self.settings.vary.level {
            LevelSetting::Climb => None,
            LevelSetting::Only(level) => Some(level),
        }
    }

    /// Settles the tests that did not pass unvaried (N7), and returns those that did.
    fn sort_out_baseline(&self, outcomes: &mut Outcomes) -> Vec<usize> {
        let suite = &self.learned.suite;
        let mut passed = Vec::new();
        let mut failed = Vec::new();
        for &test in &self.learned.selected {
            let known = &suite.tests[test];
            if outcome::is_ignored(&known.id, self.settings) {
                outcomes.settle(test, Fate::Ignored);
                continue;
            }
            match &known.baseline {
                Baseline::Finished(Outcome::Passed) => passed.push(test),
                Baseline::Finished(Outcome::Skipped { .. }) => outcomes.settle(test, Fate::Disabled),
                Baseline::Finished(Outcome::Failed(failure)) => failed.push((test, failure.message.clone())),
                Baseline::Unfinished => {
                    outcomes.settle(
                        test,
                        Fate::NotRun("its JVM ended while it ran, without any variation".to_owned()),
                    );
                }
            }
        }
        if !failed.is_empty() {
            self.progress.phase("failing tests alone", failed.len() as u64);
            let fates = self.in_parallel(&failed, |(test, message)| {
                let fate = self.alone(*test, message);
                self.progress.step();
                (*test, fate)
            });
            for (test, fate) in fates {
                outcomes.settle(test, fate);
            }
        }
        passed
    }

    /// A test that fails in the suite: does it fail alone too?
    fn alone(&self, test: usize, message: &str) -> Fate {
        let failing = Fate::Failing(message.to_owned());
        let Some(launch) = self.learned.suite.tests[test].launch else {
            return failing;
        };
        let jvms = LaunchJvms {
            workers: self.workers,
            launch,
        };
        match jvms.start().map(|mut jvm| jvm.run(&[test], None)) {
            Ok(Verdict::Passed) => Fate::OrderSuspect(format!("fails in the suite, passes alone: {message}")),
            _ => failing,
        }
    }

    /// Unvaried runs beyond the build's own, where asked for: what fails in one of them is flaky by itself.
    fn control_runs(&self, candidates: &mut Vec<usize>, outcomes: &mut Outcomes) {
        let more = self.settings.control.saturating_sub(1);
        if more == 0 {
            return;
        }
        let tests = Workers::tests_of_round(candidates, &self.learned.suite, 1);
        // Each in JVMs of its own: what a test leaves behind for itself is not what is looked for here.
        let turn = |round| Turn {
            round,
            strategy: None,
            tests: tests.clone(),
        };
        let units: Vec<Unit> = (1..=more)
            .flat_map(|round| self.workers.units(&[turn(round)]))
            .collect();
        self.progress
            .phase("unvaried runs", (tests.len() * more as usize) as u64);
        let verdicts = self.workers.run(units, &|_, _| self.progress.step());
        let mut failures: BTreeMap<usize, u32> = BTreeMap::new();
        for ((_, test), verdict) in &verdicts {
            if matches!(verdict, Verdict::Failed(_)) {
                *failures.entry(*test).or_default() += 1;
            }
        }
        for (test, failed) in failures {
            candidates.retain(|candidate| *candidate != test);
            let runs = more + 1;
            outcomes.settle(
                test,
                Fate::Flaky(format!("failed {failed} of {runs} unvaried runs")),
            );
        }
    }

    /// The guided rounds, then random ones until enough is done or the time is used up.
    fn rounds(&self, candidates: &[usize], outcomes: &mut Outcomes) -> Verdicts {
        let settings = self.settings;
        let suite = &self.learned.suite;
        let most = settings.rounds.unwrap_or(match settings.budget {
            Some(_) => u32::MAX,
            None => DEFAULT_ROUNDS,
        });
        let budget = match settings.rounds {
            Some(_) => settings.budget,
            None => self.budget().of(ROUNDS),
        };
        let budget = budget.unwrap_or(Duration::MAX);
        let clock = Instant::now();
        let failing = Mutex::new(BTreeSet::new());
        let mut verdicts = Verdicts::new();
        let mut round = 0;
        let mut last_round = Duration::ZERO;
        while round < most && !self.is_cancelled() {
            let last = if round < GUIDED_ROUNDS {
                GUIDED_ROUNDS.min(most)
            } else {
                round + 1
            };
            if round >= GUIDED_ROUNDS.min(most) && clock.elapsed() + last_round >= budget {
                break;
            }
            let turn = |round| Turn {
                round,
                strategy: Some(strategy_of_round(round, self.level(), self.seed)),
                tests: Workers::tests_of_round(candidates, suite, round),
            };
            let units = self
                .workers
                .units(&(round + 1..=last).map(turn).collect::<Vec<_>>());
            if units.is_empty() {
                round = last;
                break;
            }
            let name = if last == round + 1 {
                format!("round {last}")
            } else {
                format!("rounds {}-{last}", round + 1)
            };
            self.progress
                .phase(&name, units.iter().map(Unit::runs).sum::<usize>() as u64);
            let round_clock = Instant::now();
            let found = self.workers.run(units, &|test, verdict| {
                self.progress.step();
                if matches!(verdict, Verdict::Failed(_)) {
                    let mut failing = failing.lock().unwrap_or_else(PoisonError::into_inner);
                    failing.insert(test);
                    self.progress.note(&format!("{} failing", failing.len()));
                }
            });
            verdicts.extend(found);
            if self.is_cancelled() {
                break;
            }
            last_round = round_clock.elapsed() / (last - round);
            round = last;
        }
        outcomes.rounds = round;
        outcomes.budget_ended = settings.rounds.is_some_and(|rounds| round < rounds);
        verdicts
    }

    /// Repeats every failure; returns the tests that only the build can run.
    fn confirm_all(&self, candidates: &[usize], verdicts: &Verdicts, outcomes: &mut Outcomes) -> Vec<usize> {
        let suite = &self.learned.suite;
        let mut by_test: BTreeMap<usize, Vec<(u32, &Verdict)>> = BTreeMap::new();
        for ((round, test), verdict) in verdicts {
            by_test.entry(*test).or_default().push((*round, verdict));
        }
        let varied = Workers::tests_of_round(candidates, suite, 1);
        let mut suspects = Vec::new();
        let mut warm = BTreeSet::new();
        let mut through_build = Vec::new();
        for &test in candidates {
            let runs = by_test.get(&test).map(Vec::as_slice).unwrap_or_default();
            let ran = runs
                .iter()
                .filter(|(_, verdict)| matches!(verdict, Verdict::Passed | Verdict::Failed(_)))
                .count();
            let failed: Vec<u32> = runs
                .iter()
                .filter(|(_, verdict)| matches!(verdict, Verdict::Failed(_)))
                .map(|(round, _)| *round)
                .collect();
            if !varied.contains(&test) {
                outcomes.settle(test, Fate::NoChoice);
            } else if ran == 0 && self.is_cancelled() {
                outcomes.settle(test, Fate::Budget);
            } else if ran == 0 {
                through_build.push(test);
            } else {
                outcomes.settle(test, Fate::Checked);
                outcomes.rate(test, failed.len() as u32, ran as u32);
                if failed.iter().all(|round| (2..=GUIDED_ROUNDS).contains(round)) {
                    warm.insert(test);
                }
                if !failed.is_empty() {
                    suspects.push((test, failed));
                }
            }
        }
        self.progress.phase("confirming", suspects.len() as u64);
        // Tests of one class share a JVM as long as it stays as good as new.
        let root =
            |(test, _): &(usize, Vec<u32>)| (suite.tests[*test].launch, &suite.tests[*test].handle.root);
        let classes: Vec<_> = suspects.chunk_by(|a, b| root(a) == root(b)).collect();
        let results = self.in_parallel(&classes, |class| {
            let mut warm = None;
            let confirm = |(test, failed): &(usize, Vec<u32>)| {
                let result = self.confirm_one(*test, failed, &mut warm);
                self.progress.step();
                (*test, result)
            };
            class.iter().map(confirm).collect::<Vec<_>>()
        });
        for (test, result) in results.into_iter().flatten() {
            match result {
                Ok((round, confirmed)) => outcomes.confirmed(test, round, confirmed),
                Err(_) if self.is_cancelled() => {
                    let detail =
                        "failed when it was varied; interrupted before that was confirmed".to_owned();
                    outcomes.settle(test, Fate::NotRun(detail));
                }
                // It ran in a JVM that had run it before, and what it left behind made it fail; alone it was varied in the
                // same way and passes.
                Err(Unconfirmed::NotRepeated) if warm.contains(&test) => {}
                Err(Unconfirmed::NotRepeated) => {
                    let detail = "failed in a varied round, passes when that is repeated".to_owned();
                    outcomes.settle(test, Fate::Flaky(detail));
                }
                Err(Unconfirmed::NeedsOthers(failure)) => {
                    let detail = format!(
                        "passes in the suite, fails without the tests before it: {}",
                        failure.message
                    );
                    outcomes.settle(test, Fate::OrderSuspect(detail));
                }
                Err(Unconfirmed::FailsUnvaried(_) | Unconfirmed::NotRun) => through_build.push(test),
                Err(Unconfirmed::NoJvm(reason)) => outcomes.settle(test, Fate::NotRun(reason)),
                Err(Unconfirmed::Cancelled) => outcomes.settle(test, Fate::Budget),
            }
        }
        through_build.sort_unstable();
        through_build
    }

    /// Tries to repeat the failure of one test, of one round after the other.
    fn confirm_one<'a>(
        &'a self,
        test: usize,
        failed: &[u32],
        warm: &mut Option<WorkerJvm<'a>>,
    ) -> Result<(u32, Confirmed), Unconfirmed> {
        /// What failed in this many rounds and repeats in none of them is flaky.
        const MOST: usize = 3;
        let Some(launch) = self.learned.suite.tests[test].launch else {
            return Err(Unconfirmed::NotRun);
        };
        let jvms = LaunchJvms {
            workers: self.workers,
            launch,
        };
        let before = self.learned.suite.before(test);
        let mut why = Unconfirmed::NotRepeated;
        for &round in failed.iter().take(MOST) {
            let suspect = Suspect {
                test,
                strategy: strategy_of_round(round, self.level(), self.seed),
                class: before.of_class.clone(),
                prefix: before.in_jvm.clone(),
                seed: self.seed,
                climb: self.level().is_none(),
            };
            match confirm(&jvms, &suspect, warm) {
                Ok(confirmed) => return Ok((round, confirmed)),
                Err(Unconfirmed::NotRepeated) => {}
                Err(reason) => {
                    why = reason;
                    break;
                }
            }
        }
        Err(why)
    }

    /// Does `work` for each of `items`, as many at a time as there are jobs; the results are in the items' order.
    pub(crate) fn in_parallel<I: Sync, R: Send>(&self, items: &[I], work: impl Fn(&I) -> R + Sync) -> Vec<R> {
        pool::in_parallel(self.workers.jobs, items.iter().collect(), work)
    }
}

/// The configuration that all JVMs of a run share; role, strategy and learning are set per use.
pub fn configuration(vary: &Vary) -> Result<Configuration, Problem> {
    let models = unflake_models::select(&vary.api, &vary.skip_api)
        .map_err(|unknown| crate::problem::unknown_api(&unknown))?
        .into_iter()
        .map(|model| model.name.to_owned())
        .collect();
    Ok(Configuration {
        role: Role::Build,
        strategy: None,
        models,
        user_models: vary.user_models.clone(),
        from: vary.from.clone(),
        skip_from: vary.skip_from.clone(),
        learn: false,
        allocations: false,
        watch: None,
        measure: false,
        evidence: None,
    })
}

/// The seed that was asked for, or a fresh one.
pub fn seed(setting: SeedSetting, store: &ProjectStore) -> Result<Seed, Problem> {
    Ok(match setting {
        SeedSetting::Fixed(seed) => seed,
        SeedSetting::Last => store.latest()?.document()?.summary.seed,
        SeedSetting::Fresh => fresh_seed(),
    })
}

pub fn fresh_seed() -> Seed {
    // The standard library's random keys are the operating system's randomness; short enough to be typed.
    let bits = std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), 0);
    Seed::from_bits(bits % 1_000_000_000)
}

/// A short path for sockets, removed when dropped.
pub fn scratch() -> Result<tempfile::TempDir, Problem> {
    tempfile::Builder::new()
        .prefix("unflake-")
        .tempdir()
        .map_err(|error| {
            problem!(
                CannotWork,
                "cannot make a temporary directory in `{}`",
                std::env::temp_dir().display()
            )
            .cause(error)
            .hint("set TMPDIR to a directory that can be written to")
        })
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place where a run asks for the time"
)]
fn now() -> SystemTime {
    SystemTime::now()
}
