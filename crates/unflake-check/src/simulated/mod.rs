//! A simulated suite: tests whose behaviour is written down as text, run by the engine itself in JVMs that are none.
//!
//! A line is a test: its name, in brackets what the build showed of it, then what it does. `unvaried` and `varied` are
//! conditions, joined by `and`; see [`behaviour`].
//!
//! ```text
//! A#one                     fails varied
//! A#two [failed]            fails after A#one; changes S.count
//! B#one [no-choice, jvm 2]
//! ```

mod behaviour;
mod jvm;
mod shown;
mod text;

pub(crate) use behaviour::change;
pub(crate) use jvm::failure;
pub(crate) use shown::shown;
pub(crate) use text::{build_run, handle};

use crate::check::{Check, Checked, Started, Surroundings, workers};
use crate::document::{Asked, Finished, Suppressions, document};
use crate::drive::driver::Driver;
use crate::learn::Learned;
use crate::ledger::Ledger;
use crate::options::{CheckKind, Options, Place, PollutionOptions, SeedSetting, Vary};
use crate::problem::Problem;
use crate::progress::{Progress, Silent};
use crate::session::{Session, Workshop};
use crate::stored_run::StoredRun;
use crate::suite::{Suite, Trouble};
use crate::vary::rebuild::{BuildOutcomes, NotRebuilt, Rebuilding, Rebuilt};
use jvm::{SimulatedJvms, World};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};
use text::lines;
use unflake_explore::TestIx;
use unflake_findings::{LevelSetting, ProjectStore, RunInfo};
use unflake_protocol::{Configuration, Outcome, Role, Seed};
use unflake_runner::{Cancel, Children, Isolation, IsolationSetting, Numbers, START_LIMIT, WorkerTools};

/// A suite, and what is asked about it.
pub(crate) struct Simulated {
    pub(crate) options: Options,
    pub(crate) session: Session,
    pub(crate) troubles: Vec<Trouble>,
    pub(crate) cancel: Cancel,
    pub(crate) learning_run: Duration,
    /// What the build does when it runs again: per run the tests, with `!` before those that fail.
    pub(crate) rebuilds: Vec<&'static str>,
    world: Arc<World>,
    /// Removed when dropped.
    _folder: tempfile::TempDir,
}

/// Reads a suite; see the module's text.
pub(crate) fn simulated(text: &str) -> Simulated {
    let folder = tempfile::tempdir().unwrap();
    let run = build_run(text, folder.path());
    let (suite, troubles) = Suite::from_build(&run);
    let rules = lines(text)
        .into_iter()
        .map(|line| (line.name.to_owned(), line.rules));
    let world = Arc::new(World::new(rules.collect()));
    let options = options(folder.path());
    let configuration = crate::check::configuration(&options.vary).unwrap();
    let cancel = Cancel::default();
    let tools = WorkerTools {
        agent: "agent.so".into(),
        runner: "runner".into(),
        scratch: folder.path().join("scratch"),
        isolation: Isolation::new(IsolationSetting::Off, &options.place.project, []),
        empty_home: false,
        configuration: Configuration {
            role: Role::Worker,
            ..configuration.clone()
        },
        children: Children::default(),
        cancel: cancel.clone(),
        options: Vec::new(),
        start_limit: START_LIMIT,
        numbers: Numbers::default(),
    };
    let driver = Driver::from(Arc::new(SimulatedJvms(world.clone())), tools);
    let project = options.place.project.clone();
    let session = Session::new(
        Workshop::simulated(driver),
        project,
        suite,
        configuration,
        Vec::new(),
    );
    Simulated {
        options,
        session,
        troubles,
        cancel,
        learning_run: run.time,
        rebuilds: Vec::new(),
        world,
        _folder: folder,
    }
}

impl Simulated {
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Options)) -> Simulated {
        change(&mut self.options);
        self
    }

    pub(crate) fn looking_for(self, kinds: &[CheckKind]) -> Simulated {
        let kinds = kinds.to_vec();
        self.with(|options| options.kinds = kinds)
    }

    /// Only so many JVMs start.
    pub(crate) fn most_starts(self, most: usize) -> Simulated {
        self.world.most_starts.store(most, Ordering::Relaxed);
        self
    }

    /// Its JVMs share ports and files, wherever they run.
    pub(crate) fn sharing(self) -> Simulated {
        self.world.are_apart.store(false, Ordering::Relaxed);
        self
    }

    pub(crate) fn no_more_starts(&self) {
        self.world.most_starts.store(0, Ordering::Relaxed);
    }

    pub(crate) fn rebuilds(mut self, rebuilds: &[&'static str]) -> Simulated {
        self.rebuilds = rebuilds.to_vec();
        self
    }

    pub(crate) fn test(&self, name: &str) -> TestIx {
        let suite = &self.session.suite;
        suite.all().find(|test| suite[*test].id.test == name).unwrap()
    }

    pub(crate) fn names(&self, tests: &[TestIx]) -> String {
        let name = |test: &TestIx| self.session.suite[*test].id.test.as_str();
        tests.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    /// What JVMs were told to run.
    pub(crate) fn commands(&self) -> Vec<String> {
        self.world.commands.lock().unwrap().clone()
    }

    pub(crate) fn starts(&self) -> usize {
        self.world.starts.load(Ordering::Relaxed)
    }

    /// Does something with a check of all tests.
    pub(crate) fn check<R>(&self, work: impl FnOnce(&Check<'_>) -> R) -> R {
        let selected: Vec<TestIx> = self.session.suite.all().collect();
        let workers = workers(&self.session, &self.options);
        work(&Check {
            options: &self.options,
            seed: Seed(7),
            session: &self.session,
            selected: &selected,
            learning_run: self.learning_run,
            reports: &["target/reports"],
            workers: &workers,
            progress: &Silent,
        })
    }

    /// What a whole check finds out.
    pub(crate) fn ledger(&self) -> Ledger {
        let mut ledger = Ledger::default();
        self.check(|check| check.run(&self.rebuild(), &mut ledger, &|_| {}));
        ledger
    }

    /// The same as text.
    pub(crate) fn facts(&self) -> Vec<String> {
        shown(&self.ledger(), &self.session.suite)
    }

    pub(crate) fn document_of(&self, ledger: &Ledger) -> Finished {
        let selected: Vec<TestIx> = self.session.suite.all().collect();
        let asked = Asked {
            run: RunInfo {
                project: "/project".to_owned(),
                command: vec!["check".to_owned()],
                time_started: 0,
                pictures: None,
            },
            kinds: self.options.kinds.clone(),
            isolation: "directories",
            seed: Seed(7),
            level: self.options.vary.level,
        };
        let suppressions = Suppressions {
            ignores: &self.options.ignores,
            source: &|_| None,
            file: &|_| None,
        };
        document(ledger, &self.session.suite, &selected, &asked, &suppressions, 1.0)
    }

    /// Builds as [`Simulated::rebuilds`] says, one after the other; none is left: interrupted. A text `?reason` is a
    /// build that ended for that reason, and a class with `!` ends its JVM.
    pub(crate) fn rebuild(&self) -> impl Fn(&Rebuilding<'_>) -> Rebuilt {
        let left = std::cell::RefCell::new(self.rebuilds.iter());
        move |_| {
            let Some(text) = left.borrow_mut().next() else {
                return Err(NotRebuilt::Interrupted);
            };
            if let Some(reason) = text.strip_prefix('?') {
                return Err(NotRebuilt::Ended(reason.to_owned()));
            }
            let mut outcomes = BuildOutcomes::default();
            for word in text.split_terminator(' ') {
                let failed = |name: &str| failure(&format!("{name} fails"));
                match (word.strip_prefix('!'), word.strip_prefix('~')) {
                    (Some(class), _) if !class.contains('#') => {
                        outcomes.ended.push(class.to_owned());
                        outcomes.classes.push((class.to_owned(), failed(class)));
                    }
                    (Some(name), _) => {
                        let outcome = Outcome::Failed(failed(name));
                        outcomes.tests.push((handle(name), outcome));
                    }
                    (_, Some(name)) => {
                        let reason = "no".to_owned();
                        outcomes.tests.push((handle(name), Outcome::Skipped { reason }));
                    }
                    (None, None) => outcomes.tests.push((handle(word), Outcome::Passed)),
                }
            }
            Ok(outcomes)
        }
    }

    /// A whole check with this progress, stored, with causes.
    pub(crate) fn run(&self, progress: &dyn Progress) -> Result<Checked, Problem> {
        let options = &self.options;
        let started = Started {
            options,
            surroundings: &self.surroundings(),
            progress,
            store: self.store(),
            seed: Seed(7),
            time: SystemTime::UNIX_EPOCH,
            clock: Instant::now(),
            reports: &["target/reports"],
        };
        let learned = Learned {
            suite: self.session.suite.clone(),
            troubles: self.troubles.clone(),
            selected: self.session.suite.all().collect(),
            time: self.learning_run,
            directories: BTreeSet::new(),
        };
        let configuration = self.session.configuration.clone();
        started.check(self.workshop(), configuration, learned, &self.rebuild())
    }

    fn workshop(&self) -> Workshop {
        Workshop::simulated(self.session.driver().clone())
    }

    pub(crate) fn store(&self) -> ProjectStore {
        let place = &self.options.place;
        ProjectStore::open(&place.store, &place.project).unwrap()
    }

    /// The run of a whole check, opened again with simulated JVMs.
    pub(crate) fn stored(&self) -> StoredRun {
        self.run(&Silent).unwrap();
        let place = &self.options.place;
        let stored = StoredRun::open(place, None, &self.surroundings()).unwrap();
        let session = Session::new(
            self.workshop(),
            place.project.clone(),
            stored.session.suite,
            stored.session.configuration,
            Vec::new(),
        );
        StoredRun { session, ..stored }
    }

    pub(crate) fn surroundings(&self) -> Surroundings {
        Surroundings {
            agent: "agent.so".into(),
            runner: "runner".into(),
            children: Children::default(),
            cancel: self.cancel.clone(),
            page: |_| None,
            explain_marks: |_| {},
        }
    }
}

fn options(folder: &Path) -> Options {
    Options {
        place: Place {
            project: folder.join("project"),
            java: None,
            store: folder.join("store"),
            isolation: IsolationSetting::Off,
        },
        vary: Vary {
            seed: SeedSetting::Fixed(Seed(7)),
            level: LevelSetting::Climb,
            api: Vec::new(),
            skip_api: Vec::new(),
            from: Vec::new(),
            skip_from: Vec::new(),
            user_models: Vec::new(),
        },
        tests: Vec::new(),
        rounds: None,
        budget: None,
        control: 1,
        causes: true,
        kinds: vec![CheckKind::Id],
        proof: true,
        pollution: PollutionOptions::default(),
        graph: false,
        measure: Vec::new(),
        measure_times: 1,
        jobs: NonZeroUsize::MIN,
        timeout: None,
        ignores: Vec::new(),
        build_arguments: Vec::new(),
        command: vec!["check".to_owned()],
    }
}
