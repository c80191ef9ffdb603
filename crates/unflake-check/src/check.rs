//! One check: learn, vary, watch, try orders, explain; then the document.
//!
//! Each phase has a room of its own and adds facts to the [`Ledger`]; what they mean is decided in [`crate::document`].

#[cfg(test)]
mod tests;

use crate::document::{Asked, Finished, Suppressions, document, source_of};
use crate::drive::patience::{Budget, Patience};
use crate::drive::pool;
use crate::drive::rounds::Workers;
use crate::drive::units::Spread;
use crate::kept::{Kept, fingerprints};
use crate::learn::{Learned, learn};
use crate::ledger::{CutShort, Fact, Ledger};
use crate::options::{CheckKind, Options, SeedSetting, Vary};
use crate::problem::{Problem, unknown_api};
use crate::progress::Progress;
use crate::selection::Selection;
use crate::session::{Session, Workshop};
use crate::vary::{self, Rebuild};
use crate::{baseline, order, outside, state};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};
use unflake_explore::TestIx;
use unflake_explore::order::RanOrders;
use unflake_findings::{Document, Finding, LevelSetting, ProjectStore, Run, RunInfo};
use unflake_project::{Build, BuildRequest};
use unflake_protocol::{Configuration, Level, Role, Seed};
use unflake_runner::{Cancel, Children};

/// What the program around the engine gives it.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The agent's library.
    pub agent: PathBuf,
    /// The folder with the test runner's classes.
    pub runner: PathBuf,
    /// All processes that were started and still run.
    pub children: Children,
    /// Whether the user has cancelled.
    pub cancel: Cancel,
    /// Draws a page with pictures of findings, if there is something to be seen.
    pub page: fn(&[Finding]) -> Option<String>,
    /// Writes a sentence for each mark of a harmless change.
    pub explain_marks: fn(&mut [Finding]),
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
    let started = now();
    let clock = Instant::now();
    let selection = Selection::parse(&options.tests, &options.place.project)?;
    let store = ProjectStore::open(&options.place.store, &options.place.project)?;
    let seed = seed(options.vary.seed, &store)?;
    let configuration = configuration(&options.vary)?;
    let workshop = Workshop::open(surroundings, &options.place, [build.tool], &configuration)?;
    let learning = Configuration {
        role: Role::Build,
        learn: true,
        ..configuration.clone()
    };
    let classes = selection.classes();
    let mut arguments = classes.map_or_else(Vec::new, |classes| build.tool.select(&classes));
    arguments.extend(options.build_arguments.iter().cloned());
    let scratch = workshop.scratch().to_owned();
    let request = BuildRequest {
        build,
        agent: &surroundings.agent,
        configuration: &learning,
        arguments: &arguments,
        java_home: options.place.java.as_deref(),
        scratch: &scratch,
        // Without it there is nothing to report, however short the budget is. What hangs is ended.
        until: None,
        silence: Patience::learning(options.timeout),
        children: &surroundings.children,
        cancel: &surroundings.cancel,
    };
    let learned = learn(&request, &selection, progress)?;
    let started = Started {
        options,
        surroundings,
        progress,
        store,
        seed,
        time: started,
        clock,
        reports: build.tool.facts().reports,
    };
    let directories = learned.directories.clone();
    let rebuild = vary::rebuild::rebuild(&request, &directories, progress);
    started.check(workshop, configuration, learned, &rebuild)
}

/// A check that has begun.
pub(crate) struct Started<'a> {
    pub(crate) options: &'a Options,
    pub(crate) surroundings: &'a Surroundings,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) store: ProjectStore,
    pub(crate) seed: Seed,
    pub(crate) time: SystemTime,
    pub(crate) clock: Instant,
    /// What the build writes beside the tests, relative to a module.
    pub(crate) reports: &'static [&'static str],
}

impl Started<'_> {
    /// All that comes after the learning run.
    pub(crate) fn check(
        &self,
        workshop: Workshop,
        configuration: Configuration,
        learned: Learned,
        rebuild: &Rebuild<'_>,
    ) -> Result<Checked, Problem> {
        let options = self.options;
        let surroundings = self.surroundings;
        let session = Session::new(
            workshop,
            options.place.project.clone(),
            learned.suite,
            configuration,
            options.build_arguments.clone(),
        );
        let mut ledger = Ledger::default();
        ledger.add_troubles(&learned.troubles);
        let check = Check {
            options,
            seed: self.seed,
            session: &session,
            selected: &learned.selected,
            learning_run: learned.time,
            reports: self.reports,
            workers: &workers(&session, options),
            progress: self.progress,
        };
        if !options.measure.is_empty() {
            return Ok(Checked::Measured(state::measure(&check)));
        }
        let finishing = Finishing {
            check: &check,
            surroundings,
            run: self.store.begin(self.time)?,
            started: self.time,
            clock: self.clock,
        };
        let classes = fingerprints(&session.suite.launches);
        check.run(rebuild, &mut ledger, &|ledger| {
            // What cannot be stored now is stored at the end, or that is a problem then.
            let _ = finishing.store_so_far(ledger);
        });
        surroundings.children.end_all();
        if fingerprints(&session.suite.launches) != classes {
            ledger.add(Fact::Cut(CutShort::Rebuilt));
        }
        ledger.add_faults(session.driver().faults(), &session.suite);
        if surroundings.cancel.is_cancelled() {
            ledger.add(Fact::Cut(CutShort::Interrupted));
        }
        if options.causes && !surroundings.cancel.is_cancelled() {
            // Stored before it is explained: whatever happens there, what was found is not lost.
            let found = finishing.store_so_far(&ledger)?;
            if vary::explain(&check, &found, &mut ledger) {
                surroundings.children.end_all();
                ledger.add_faults(session.driver().faults(), &session.suite);
            }
        }
        let document = finishing.store(&ledger)?;
        Ok(Checked::Document(Box::new(document)))
    }
}

pub(crate) fn workers<'a>(session: &'a Session, options: &Options) -> Workers<'a> {
    Workers {
        suite: &session.suite,
        launches: &session.suite.launches,
        driver: session.driver(),
        spread: Spread {
            jobs: options.jobs.get(),
            repeatable: options.vary.seed.must_repeat(),
        },
        patience: Patience::checking(options.timeout),
        quick: Patience::repeating(options.timeout),
        hear: &|_| {},
    }
}

/// One check after the learning run.
pub(crate) struct Check<'a> {
    pub(crate) options: &'a Options,
    pub(crate) seed: Seed,
    pub(crate) session: &'a Session,
    /// The tests that the user asked for.
    pub(crate) selected: &'a [TestIx],
    /// How long the learning run took.
    pub(crate) learning_run: Duration,
    /// What the build writes beside the tests, relative to a module.
    pub(crate) reports: &'static [&'static str],
    pub(crate) workers: &'a Workers<'a>,
    pub(crate) progress: &'a dyn Progress,
}

impl Check<'_> {
    /// All phases that were asked for. `found` is told what is known after each of them.
    pub(crate) fn run(&self, rebuild: &Rebuild<'_>, ledger: &mut Ledger, found: &dyn Fn(&Ledger)) {
        let passed = baseline::sort_out(self, ledger);
        if self.looks_for(CheckKind::Id) {
            vary::run(self, &passed, rebuild, ledger);
            found(ledger);
        }
        // Both begin with the reversed suite: it runs once.
        let ran = RanOrders::default();
        if self.looks_for(CheckKind::Pollution) {
            state::run(self, &passed, &ran, ledger);
            found(ledger);
        }
        if self.looks_for(CheckKind::Order) {
            order::suite_orders::run(self, &ran, ledger);
            found(ledger);
        }
        outside::tell(self, ledger);
    }

    pub(crate) fn looks_for(&self, kind: CheckKind) -> bool {
        self.options.kinds.contains(&kind)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.workers.driver.cancel().is_cancelled()
    }

    pub(crate) fn budget(&self) -> Budget {
        Budget {
            asked: self.options.budget,
            must_repeat: self.options.vary.seed.must_repeat(),
            learned: self.learning_run,
        }
    }

    pub(crate) fn level(&self) -> Option<Level> {
        match self.options.vary.level {
            LevelSetting::Climb => None,
            LevelSetting::Only(level) => Some(level),
        }
    }

    /// Does `work` for each of `items`, as many at a time as there are jobs; the results are in the items' order.
    pub(crate) fn in_parallel<I: Sync, R: Send>(&self, items: &[I], work: impl Fn(&I) -> R + Sync) -> Vec<R> {
        pool::in_parallel(self.workers.spread.jobs, items.iter().collect(), work)
    }
}

/// Makes documents of what is known, and stores them.
struct Finishing<'a> {
    check: &'a Check<'a>,
    surroundings: &'a Surroundings,
    run: Run,
    started: SystemTime,
    clock: Instant,
}

impl Finishing<'_> {
    /// Stores what is known in the middle of a run, as the partial result that it is if nothing follows.
    fn store_so_far(&self, ledger: &Ledger) -> Result<Document, Problem> {
        let mut so_far = ledger.clone();
        let session = self.check.session;
        so_far.add_faults(session.driver().faults(), &session.suite);
        so_far.add(Fact::Cut(CutShort::Running));
        self.store(&so_far)
    }

    fn store(&self, ledger: &Ledger) -> Result<Document, Problem> {
        let options = self.check.options;
        let since_1970 = self.started.duration_since(SystemTime::UNIX_EPOCH);
        let asked = Asked {
            run: RunInfo {
                project: options.place.project.display().to_string(),
                command: options.command.clone(),
                time_started: since_1970.unwrap_or_default().as_secs(),
                pictures: None,
            },
            kinds: options.kinds.clone(),
            isolation: self.check.session.isolation(),
            seed: self.check.seed,
            level: options.vary.level,
        };
        let suppressions = Suppressions {
            ignores: &options.ignores,
            source: &|test| source_of(&options.place.project, test),
            file: &|file| std::fs::read_to_string(options.place.project.join(file)).ok(),
        };
        let session = self.check.session;
        let Finished {
            mut document,
            replays,
        } = document(
            ledger,
            &session.suite,
            self.check.selected,
            &asked,
            &suppressions,
            self.clock.elapsed().as_secs_f64(),
        );
        (self.surroundings.explain_marks)(&mut document.findings);
        if let Some(page) = (self.surroundings.page)(&document.findings) {
            let path = self.run.write_page("pictures.html", &page)?;
            document.run.pictures = Some(path.display().to_string());
        }
        self.run.save(&document, &Kept::of(session, replays).portable())?;
        Ok(document)
    }
}

/// The configuration that all JVMs of a run share; role, strategy and learning are set per use.
pub fn configuration(vary: &Vary) -> Result<Configuration, Problem> {
    let models = unflake_models::select(&vary.api, &vary.skip_api)
        .map_err(|unknown| unknown_api(&unknown))?
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

#[expect(
    clippy::disallowed_methods,
    reason = "the one place where a run asks for the time"
)]
fn now() -> SystemTime {
    SystemTime::now()
}
