//! One check: learn, vary, watch, try orders, explain; then the document.
//!
//! Each phase has a room of its own and adds facts to the [`Ledger`]; what they mean is decided in [`crate::document`].

use crate::document::{Asked, Finished, Suppressions, document, source_of};
use crate::drive::patience::{Budget, Patience};
use crate::drive::pool;
use crate::drive::rounds::Workers;
use crate::drive::units::Spread;
use crate::kept::Kept;
use crate::learn::{Learned, learn};
use crate::ledger::{Cut, Fact, Ledger};
use crate::options::{Kind, Options, SeedSetting, Vary};
use crate::problem::{Problem, unknown_api};
use crate::progress::Progress;
use crate::selection::Selection;
use crate::session::{Session, Workshop};
use crate::vary::{self, Rebuild};
use crate::{baseline, order, state};
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
    let workshop = Workshop::open(surroundings, &configuration)?;
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
        until: None,
        children: &surroundings.children,
        cancel: &surroundings.cancel,
    };
    let learned = learn(&request, &selection, progress)?.unwrap_or_default();
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
    let rebuild = vary::through_build::rebuild(&request, progress);
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
        check.run(rebuild, &mut ledger)?;
        surroundings.children.end_all();
        ledger.add_faults(session.driver().faults());
        if surroundings.cancel.is_cancelled() {
            ledger.add(Fact::Cut(Cut::Interrupted));
        }
        let finishing = Finishing {
            check: &check,
            surroundings,
            run: self.store.begin(self.time)?,
            started: self.time,
            clock: self.clock,
        };
        // Stored before it is explained: whatever happens there, what was found is not lost.
        let mut document = finishing.store(&ledger)?;
        let is_wanted = options.causes && !surroundings.cancel.is_cancelled();
        if is_wanted && vary::explain(&check, &document, &mut ledger) {
            surroundings.children.end_all();
            document = finishing.store(&ledger)?;
        }
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
    /// All phases that were asked for.
    pub(crate) fn run(&self, rebuild: &Rebuild<'_>, ledger: &mut Ledger) -> Result<(), Problem> {
        let passed = baseline::sort_out(self, ledger);
        if self.looks_for(Kind::Id) {
            vary::run(self, &passed, rebuild, ledger)?;
        }
        // Both begin with the reversed suite: it runs once.
        let ran = RanOrders::default();
        if self.looks_for(Kind::Pollution) {
            state::run(self, &passed, &ran, ledger);
        }
        if self.looks_for(Kind::Order) {
            order::suite_orders::run(self, &ran, ledger);
        }
        Ok(())
    }

    fn looks_for(&self, kind: Kind) -> bool {
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
            seed: self.check.seed,
            level: options.vary.level,
        };
        let suppressions = Suppressions {
            ignores: &options.ignores,
            source: &|test| source_of(&options.place.project, test),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Ignore, Measure};
    use crate::simulated::simulated;
    use std::sync::Mutex;
    use unflake_findings::{NoteKind, SkipReason};

    fn document(checked: Checked) -> Document {
        match checked {
            Checked::Document(document) => *document,
            Checked::Measured(lines) => panic!("{lines}"),
        }
    }

    /// Remembers the phases.
    #[derive(Default)]
    struct Phases(Mutex<Vec<String>>);

    impl Progress for Phases {
        fn phase(&self, phase: &str, _: u64) {
            self.0.lock().unwrap().push(phase.to_owned());
        }
        fn step(&self) {}
        fn note(&self, _: &str) {}
    }

    #[test]
    fn the_kinds_that_were_asked_for_are_looked_for_one_after_the_other() {
        let phases = |kinds: &[Kind]| {
            let suite = "B#b [sees S] fails after A#a\nA#a changes S.n; fails varied\nA#c [failed]";
            let simulated = simulated(suite).looking_for(kinds);
            let simulated = simulated.with(|options| options.rounds = Some(4));
            let phases = Phases::default();
            simulated.run(&phases).unwrap();
            phases.0.into_inner().unwrap().join(", ")
        };
        let id = "rounds 1-3, round 4, confirming";
        let pollution = "watching shared state, watching again, victims, order-dependent tests, cleaners";
        let order = "orders 1-2, orders 3-3, orders 4-4, order-dependent tests";
        let alone = "failing tests alone";
        assert_eq!(phases(&[Kind::Id]), format!("{alone}, {id}, explaining"));
        assert_eq!(phases(&[Kind::Pollution]), format!("{alone}, {pollution}"));
        assert!(phases(&[Kind::Order]).starts_with(&format!("{alone}, {order}")));
        let all = phases(&[Kind::Order, Kind::Id, Kind::Pollution]);
        assert!(
            all.starts_with(&format!("{alone}, {id}, {pollution}, orders 1-2")),
            "{all}"
        );
    }

    #[test]
    fn what_was_found_is_stored_and_explained() {
        let simulated = simulated("A#a chooses HashMap.keySet 3; fails reordered 1\nA#b");
        let document = document(simulated.run(&crate::Silent).unwrap());
        assert_eq!(document.findings[0].rule, "UF101");
        assert_eq!((document.summary.tests, document.summary.checked), (2, 2));
        let latest = simulated.store().latest().unwrap();
        assert_eq!(latest.document().unwrap(), document);
    }

    #[test]
    fn causes_are_looked_for_only_if_somebody_wants_them() {
        let suite = "A#a chooses HashMap.keySet 3; fails reordered 1";
        let without = simulated(suite).with(|options| options.causes = false);
        assert_eq!(
            document(without.run(&crate::Silent).unwrap()).findings[0].rule,
            "UF100"
        );
    }

    #[test]
    fn a_run_that_was_interrupted_is_partial_and_explains_nothing() {
        let suite = "A#a chooses HashMap.keySet 3; fails reordered 1\nB#b cancels form random";
        let simulated = simulated(suite);
        let document = document(simulated.run(&crate::Silent).unwrap());
        assert!(document.summary.partial);
        assert!(
            document
                .notes
                .iter()
                .any(|note| note.kind == NoteKind::Interrupted)
        );
        assert!(document.findings.is_empty());
        assert_eq!(document.summary.skipped.get(&SkipReason::NotRun), Some(&1));
    }

    #[test]
    fn faults_of_the_agent_are_said_once() {
        let simulated = simulated("A#a bug");
        let document = document(simulated.run(&crate::Silent).unwrap());
        let said: Vec<&str> = document.notes.iter().map(|note| note.message.as_str()).collect();
        assert_eq!(said, ["the agent switched itself off in a test JVM: in A#a"]);
    }

    #[test]
    fn a_measurement_is_no_check() {
        let simulated = simulated("A#a").with(|options| options.measure = vec![Measure::None]);
        let Checked::Measured(lines) = simulated.run(&crate::Silent).unwrap() else {
            panic!("it was to be measured")
        };
        assert_eq!(lines.lines().count(), 1);
        assert!(simulated.store().latest().is_err());
    }

    #[test]
    fn pages_and_sentences_come_from_around_the_engine() {
        let simulated = simulated("A#a fails varied");
        let mut surroundings = simulated.surroundings();
        surroundings.page = |_| Some("<html>".to_owned());
        surroundings.explain_marks = |findings| {
            for finding in findings {
                finding.message.push('!');
            }
        };
        let document = simulated.check(|check| {
            let finishing = Finishing {
                check,
                surroundings: &surroundings,
                run: simulated.store().begin(SystemTime::UNIX_EPOCH).unwrap(),
                started: SystemTime::UNIX_EPOCH,
                clock: Instant::now(),
            };
            finishing.store(&simulated.ledger()).unwrap()
        });
        assert_eq!(document.findings[0].message, "A#a fails!");
        let page = std::fs::read_to_string(document.run.pictures.unwrap()).unwrap();
        assert_eq!(page, "<html>");
    }

    #[test]
    fn suppression_is_decided_by_the_project_s_sources_and_settings() {
        let suite = "A#a chooses HashMap.keySet 3; fails reordered 1";
        let meant = Ignore {
            test: Some("A#a".to_owned()),
            api: None,
            from: None,
            reason: "meant".to_owned(),
        };
        let by_settings = simulated(suite).with(|options| options.ignores = vec![meant]);
        let found = document(by_settings.run(&crate::Silent).unwrap());
        assert_eq!(found.findings[0].suppressed.as_ref().unwrap().by, "unflake.toml");
        // Its rule is known only once its cause is.
        let by_source = simulated(suite);
        let folder = by_source.options.place.project.join("src/test/java");
        std::fs::create_dir_all(&folder).unwrap();
        let source = "class A {\n  // unflake: ignore[UF101] meant\n  @Test void a() {}\n}\n";
        std::fs::write(folder.join("A.java"), source).unwrap();
        let found = document(by_source.run(&crate::Silent).unwrap());
        assert!(found.findings[0].suppressed.is_some());
    }

    #[test]
    fn models_are_selected_by_name() {
        let mut vary = simulated("A#a").options.vary;
        let all = configuration(&vary).unwrap().models.len();
        vary.api = vec!["HashMap.*".to_owned()];
        let some = configuration(&vary).unwrap().models;
        assert!(!some.is_empty() && some.len() < all);
        assert!(some.iter().all(|name| name.starts_with("HashMap.")), "{some:?}");
        vary.api = vec!["HashMop.*".to_owned()];
        assert!(configuration(&vary).unwrap_err().error.contains("HashMop"));
    }

    #[test]
    fn a_seed_is_given_taken_from_the_last_run_or_fresh() {
        let simulated = simulated("A#a");
        assert_eq!(
            seed(SeedSetting::Fixed(Seed(9)), &simulated.store()).unwrap(),
            Seed(9)
        );
        assert!(seed(SeedSetting::Last, &simulated.store()).is_err());
        simulated.run(&crate::Silent).unwrap();
        assert_eq!(seed(SeedSetting::Last, &simulated.store()).unwrap(), Seed(7));
        assert!(seed(SeedSetting::Fresh, &simulated.store()).unwrap().0 < 1_000_000_000);
    }
}
