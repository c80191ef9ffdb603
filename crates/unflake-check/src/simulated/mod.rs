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

pub(crate) use behaviour::change;
pub(crate) use jvm::failure;
pub(crate) use shown::shown;

use crate::check::{Check, Checked, Started, Surroundings, workers};
use crate::document::{Asked, Finished, Suppressions, document};
use crate::drive::driver::Driver;
use crate::learn::Learned;
use crate::ledger::Ledger;
use crate::options::{Kind, Options, Place, PollutionOptions, SeedSetting, Vary};
use crate::problem::Problem;
use crate::progress::{Progress, Silent};
use crate::session::{Session, Workshop};
use crate::stored_run::StoredRun;
use crate::suite::{Suite, Trouble};
use behaviour::Rule;
use jvm::{SimulatedJvms, World, seen};
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};
use unflake_explore::TestIx;
use unflake_findings::{LevelSetting, ProjectStore, RunInfo};
use unflake_project::{BuildRecipe, BuildRun, TOOLS, TestJvm, TestRun};
use unflake_protocol::{
    Configuration, Framework, Handle, HashDraws, JavaVm, Outcome, Recipe, Role, ScopeChoices, Seed, Strategy,
};
use unflake_runner::{Cancel, Children, Numbers, START_LIMIT, WorkerTools};

/// The model that simulated tests have used in the build.
const MODEL: &str = "HashMap.keySet";

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
    pub(crate) folder: tempfile::TempDir,
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
        folder,
    }
}

/// What the build of such a suite shows.
pub(crate) fn build_run(text: &str, folder: &Path) -> BuildRun {
    BuildRun {
        jvms: build_jvms(&lines(text), folder),
        has_reported_tests: true,
        time: Duration::from_secs(1),
    }
}

impl Simulated {
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Options)) -> Simulated {
        change(&mut self.options);
        self
    }

    pub(crate) fn looking_for(self, kinds: &[Kind]) -> Simulated {
        let kinds = kinds.to_vec();
        self.with(|options| options.kinds = kinds)
    }

    /// Only so many JVMs start.
    pub(crate) fn most_starts(self, most: usize) -> Simulated {
        self.world.most_starts.store(most, Ordering::Relaxed);
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
        self.check(|check| check.run(&self.rebuild(), &mut ledger))
            .unwrap();
        ledger
    }

    /// The same as text.
    pub(crate) fn facts(&self) -> Vec<String> {
        shown(&self.ledger(), &self.session.suite)
    }

    /// The document of a whole check. Causes are not looked for.
    pub(crate) fn document(&self) -> Finished {
        self.document_of(&self.ledger())
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
            seed: Seed(7),
            level: self.options.vary.level,
        };
        let suppressions = Suppressions {
            ignores: &self.options.ignores,
            source: &|_| None,
        };
        document(ledger, &self.session.suite, &selected, &asked, &suppressions, 1.0)
    }

    /// Builds as [`Simulated::rebuilds`] says, one after the other; none is left: interrupted.
    pub(crate) fn rebuild(
        &self,
    ) -> impl Fn(Option<Strategy>, &str) -> Result<Option<Vec<(Handle, Outcome)>>, Problem> {
        let left = std::cell::RefCell::new(self.rebuilds.iter());
        move |_, _| {
            let outcome = |word: &str| {
                let (name, outcome) = match (word.strip_prefix('!'), word.strip_prefix('~')) {
                    (Some(name), _) => (name, Outcome::Failed(failure(&format!("{name} fails")))),
                    (_, Some(name)) => {
                        let reason = "no".to_owned();
                        (name, Outcome::Skipped { reason })
                    }
                    _ => (word, Outcome::Passed),
                };
                (handle(name), outcome)
            };
            let next = left.borrow_mut().next();
            Ok(next.map(|text| text.split_terminator(' ').map(outcome).collect()))
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
        kinds: vec![Kind::Id],
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

fn lines(text: &str) -> Vec<Line<'_>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(Line::parse).collect()
}

/// One test of the text.
struct Line<'a> {
    name: &'a str,
    /// `failed`, `skipped`, `unfinished`, `no-choice`, `one-run`, `jvm N`, `no-launch`, `sees CLASS`.
    built: Vec<&'a str>,
    rules: Vec<Rule>,
}

impl<'a> Line<'a> {
    fn parse(line: &'a str) -> Line<'a> {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (built, rules) = match rest
            .trim()
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'))
        {
            Some((built, rules)) => (built, rules),
            None => ("", rest),
        };
        let rules = rules.split(';').filter(|rule| !rule.trim().is_empty());
        Line {
            name,
            built: built.split(',').map(str::trim).collect(),
            rules: rules.map(Rule::parse).collect(),
        }
    }

    fn is(&self, what: &str) -> bool {
        self.built.contains(&what)
    }

    fn word_after(&self, key: &str) -> Option<&'a str> {
        self.built
            .iter()
            .find_map(|word| word.strip_prefix(key)?.strip_prefix(' '))
    }

    fn run(&self) -> TestRun {
        let is_choosing = !self.is("no-choice") && !self.is("one-run");
        TestRun {
            test: seen(&handle(self.name)),
            outcome: if self.is("failed") {
                Outcome::Failed(failure("failed in the build"))
            } else if self.is("skipped") {
                let reason = "disabled".to_owned();
                Outcome::Skipped { reason }
            } else {
                Outcome::Passed
            },
            choices: ScopeChoices {
                count: u64::from(is_choosing),
                by_project: is_choosing,
                models: is_choosing.then(|| MODEL.to_owned()).into_iter().collect(),
                hashes: if self.is("one-run") {
                    HashDraws::Some
                } else {
                    HashDraws::None
                },
            },
            time: Duration::from_millis(1),
            waited: Duration::ZERO,
        }
    }
}

/// The build's JVMs: one for each that a test names, each with a launch of its own.
fn build_jvms(tests: &[Line<'_>], folder: &Path) -> Vec<TestJvm> {
    let mut jvms: BTreeMap<&str, Vec<&Line<'_>>> = BTreeMap::new();
    for test in tests {
        jvms.entry(test.word_after("jvm").unwrap_or("1"))
            .or_default()
            .push(test);
    }
    let jvm = |(name, tests): (&str, Vec<&Line<'_>>)| {
        let has_launch = !tests.iter().any(|test| test.is("no-launch"));
        let classes = folder.join(format!("project/m{name}/target/test-classes"));
        fs::create_dir_all(&classes).unwrap();
        let refers = tests.iter().filter_map(|test| {
            let class = seen(&handle(test.name)).class;
            Some((class, vec![test.word_after("sees")?.to_owned()]))
        });
        let held = tests.iter().filter_map(|test| test.word_after("sees"));
        let held = held.map(|class| (class.to_owned(), Vec::new()));
        let (unfinished, ended): (Vec<&Line<'_>>, Vec<_>) =
            tests.iter().copied().partition(|test| test.is("unfinished"));
        TestJvm {
            java: JavaVm {
                feature: 17,
                version: "17.0.15".to_owned(),
                home: "/jdk".into(),
            },
            recipe: has_launch.then(|| BuildRecipe {
                tool: TOOLS.0[0],
                recipe: recipe(&classes),
            }),
            module: ".".to_owned(),
            tests: ended.iter().map(|test| test.run()).collect(),
            containers: Vec::new(),
            initialisers: Default::default(),
            references: refers.chain(held).collect(),
            not_applied: BTreeMap::new(),
            unfinished: unfinished.iter().map(|test| seen(&handle(test.name))).collect(),
            at_once: 1,
            bugs: Vec::new(),
        }
    };
    jvms.into_iter().map(jvm).collect()
}

/// How a JVM with these classes is started.
pub(crate) fn recipe(classes: &Path) -> Recipe {
    Recipe {
        java: "/jdk/bin/java".into(),
        arguments: vec!["-cp".to_owned(), classes.display().to_string(), "Main".to_owned()],
        argument_files: BTreeMap::new(),
        directory: classes.parent().unwrap().to_owned(),
        environment: BTreeMap::new(),
        properties: BTreeMap::new(),
        launcher: Vec::new(),
    }
}

/// A test by its name; its class is the part before `#`.
pub(crate) fn handle(name: &str) -> Handle {
    Handle {
        framework: Framework::Platform,
        root: name.split('#').next().unwrap_or_default().to_owned(),
        id: name.to_owned(),
    }
}
