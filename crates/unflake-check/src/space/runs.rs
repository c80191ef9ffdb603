//! The executions: which JVM they run in, whether one JVM may serve many of them, and what is kept between calls.

use super::Target;
use crate::drive::driver::DrivenJvm;
use crate::drive::pool::in_parallel;
use crate::drive::scripts::{ScriptJvms, Subject};
use crate::drive::transcript::JvmEnd;
use crate::options::ExploreOptions;
use crate::problem;
use crate::problem::Problem;
use crate::progress::Progress;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};
use unflake_explore::{Bounds, Diverged, Next, Probed, Search, Threads, Until, Verdict, Way};
use unflake_protocol::{Form, Level, Others, Record, SavedNode, Script, Seed, Strategy};

/// How many executions may pass until the natural one is looked at again.
const RECHECK: u64 = 250;

pub(super) struct Exploration<'a> {
    pub(super) settings: &'a ExploreOptions,
    pub(super) jvms: &'a ScriptJvms<'a>,
    pub(super) subject: Subject<'a>,
    pub(super) progress: &'a dyn Progress,
    /// What is drawn at random follows from it.
    pub(super) seed: Seed,
    pub(super) started: Instant,
    pub(super) cancel: &'a (dyn Fn() -> bool + Sync),
    /// A JVM that waits for its next execution.
    pub(super) spare: Mutex<Option<DrivenJvm>>,
}

/// What came of it.
pub(super) struct Explored {
    pub(super) search: Search,
    /// One JVM for many executions, or a fresh one for each.
    pub(super) is_warm: bool,
    pub(super) notes: Vec<String>,
}

/// What is kept between calls.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptSearch {
    bounds: (u32, u32, usize),
    first_run: FirstRun,
    executions: u64,
    nodes: Vec<SavedNode>,
}

/// What is known of the first run in a JVM.
#[derive(Serialize, Deserialize)]
pub(super) struct FirstRun {
    /// One JVM will do for many executions.
    pub(super) is_like_others: bool,
    note: Option<String>,
}

impl FirstRun {
    fn matters() -> FirstRun {
        FirstRun {
            is_like_others: false,
            note: Some(
                "its first run in a JVM differs from later ones, so each execution had a fresh JVM"
                    .to_owned(),
            ),
        }
    }

    fn is_like_others(note: Option<String>) -> FirstRun {
        FirstRun {
            is_like_others: true,
            note,
        }
    }
}

impl Exploration<'_> {
    /// The inner error: executions do not repeat.
    pub(super) fn run(
        &self,
        kept: Option<KeptSearch>,
        target: &Target,
        file: &Path,
    ) -> Result<Result<Explored, Diverged>, Problem> {
        let mut notes = Vec::new();
        let begun = kept.and_then(|kept| {
            let mut search = self.new_search(Threads::All).load(&kept.nodes)?;
            search.executions = kept.executions;
            notes.push(format!(
                "continued after {} executions of an earlier call",
                search.executions
            ));
            Some((search, kept.first_run))
        });
        let (search, mut first_run) = match begun {
            Some(begun) => begun,
            None => (self.new_search(Threads::All), self.first_run(target)?),
        };
        self.progress.phase("exploring", self.settings.runs);
        let search = match self.explore(search, first_run.is_like_others)? {
            Ok(search) => search,
            Err(diverged) if diverged.of_threads => {
                let search = self.new_search(Threads::First);
                self.progress.phase("exploring one thread", self.settings.runs);
                let Ok(search) = self.explore(search, first_run.is_like_others)? else {
                    return Ok(Err(diverged));
                };
                let why = "several of its threads make choices and interleave differently each time: \
                           only the choices of the first thread were explored, the others kept the JDK's own results";
                return Ok(Ok(Explored {
                    search,
                    is_warm: first_run.is_like_others,
                    notes: first_run.note.into_iter().chain([why.to_owned()]).collect(),
                }));
            }
            Err(_) if first_run.is_like_others => {
                notes.clear();
                first_run = FirstRun::matters();
                self.progress.phase("exploring in fresh JVMs", self.settings.runs);
                match self.explore(self.new_search(Threads::All), false)? {
                    Ok(search) => search,
                    Err(diverged) => return Ok(Err(diverged)),
                }
            }
            Err(diverged) => return Ok(Err(diverged)),
        };
        notes.extend(first_run.note.clone());
        let is_warm = first_run.is_like_others;
        let kept = KeptSearch {
            bounds: self.bounds_key(),
            first_run,
            executions: search.executions,
            nodes: search.save(),
        };
        // What cannot be kept is explored again next time.
        if search.executions > 0
            && let Ok(bytes) = serde_json::to_vec(&kept)
        {
            let _ = fs::write(file, bytes);
        }
        Ok(Ok(Explored {
            search,
            is_warm,
            notes,
        }))
    }

    pub(super) fn flaky(&self, diverged: &Diverged) -> Problem {
        problem!(
            CannotWork,
            "the test is flaky on its own: repeating the same choices led to a different execution"
        )
        .cause(format!(
            "expected {}, found {}",
            diverged.expected, diverged.found
        ))
        .hint("make it repeatable first: check its use of threads, time and random numbers")
    }

    fn new_search(&self, threads: Threads) -> Search {
        let bounds = Bounds {
            threads,
            exhaustive: self.settings.elements,
            samples: self.settings.samples,
            runs: self.settings.runs,
            until: if self.settings.first {
                Until::FirstFailure
            } else {
                Until::End
            },
            way: if self.settings.breadth {
                Way::BreadthFirst
            } else {
                Way::DepthFirst
            },
        };
        match self.subject.strategy {
            Some(_) => Search::around(bounds, self.settings.distance),
            None => Search::new(bounds),
        }
    }

    fn bounds_key(&self) -> (u32, u32, usize) {
        (
            self.settings.elements,
            self.settings.samples,
            self.settings.distance,
        )
    }

    pub(super) fn kept(&self, file: &Path) -> Option<KeptSearch> {
        if self.settings.fresh {
            return None;
        }
        let kept: KeptSearch = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        (kept.bounds == self.bounds_key()).then_some(kept)
    }

    pub(super) fn is_over(&self) -> bool {
        (self.cancel)()
            || self
                .settings
                .budget
                .is_some_and(|budget| self.started.elapsed() >= budget)
    }

    /// Explores with as many JVMs as were asked for. The inner error: executions do not repeat.
    fn explore(&self, search: Search, is_warm: bool) -> Result<Result<Search, Diverged>, Problem> {
        let shared = Mutex::new(search);
        let stopped: Mutex<Option<Stopped>> = Mutex::new(None);
        let jobs = self.settings.jobs.get();
        in_parallel(jobs, vec![(); jobs], |()| {
            if let Err(why) = self.work(&shared, &stopped, is_warm) {
                lock(&stopped).get_or_insert(why);
            }
        });
        let search = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        match stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(Ok(search)),
            Some(Stopped::Diverged(diverged)) => Ok(Err(diverged)),
            Some(Stopped::Problem(problem)) => Err(problem),
        }
    }

    fn work(
        &self,
        shared: &Mutex<Search>,
        stopped: &Mutex<Option<Stopped>>,
        is_warm: bool,
    ) -> Result<(), Stopped> {
        let mut worker = None;
        let mut since_check = 0;
        loop {
            if self.is_over() || lock(stopped).is_some() {
                return Ok(());
            }
            let next = lock(shared).next_task();
            let task = match next {
                Next::Done => return Ok(()),
                Next::Wait => {
                    thread::sleep(Duration::from_micros(200));
                    continue;
                }
                Next::Run(task) => task,
            };
            let probed = self.execute(&mut worker, Some(&task.script), &choices(), is_warm);
            let mut search = lock(shared);
            match probed {
                Ok(Some(probed)) => search.insert(&task, &probed).map_err(Stopped::Diverged)?,
                Ok(None) => search.give_up(&task),
                Err(problem) => {
                    search.give_up(&task);
                    return Err(Stopped::Problem(problem));
                }
            }
            drop(search);
            self.progress.step();
            since_check += 1;
            if is_warm && since_check >= RECHECK {
                since_check = 0;
                let script = Script {
                    others: self.others(),
                    entries: Vec::new(),
                };
                let natural = self.execute(&mut worker, Some(&script), &choices(), is_warm);
                if let Some(natural) = natural.map_err(Stopped::Problem)? {
                    lock(shared).recheck(&natural).map_err(Stopped::Diverged)?;
                }
            }
        }
    }

    pub(super) fn others(&self) -> Others {
        match self.subject.strategy {
            Some(_) => Others::Varied,
            None => Others::Natural,
        }
    }

    /// One execution: in `worker`, which is started if there is none, or in a fresh JVM. `None`: interrupted.
    pub(super) fn execute(
        &self,
        worker: &mut Option<DrivenJvm>,
        script: Option<&Script>,
        record: &Record,
        is_warm: bool,
    ) -> Result<Option<Probed>, Problem> {
        let running = match worker.take().filter(|_| is_warm) {
            Some(running) => Some(running),
            None => self.start(is_warm)?,
        };
        let Some(mut running) = running else {
            return Ok(None);
        };
        let (probed, can_go_on) = self.jvms.run(&mut running, self.subject, script, record);
        if can_go_on && is_warm {
            *worker = Some(running);
        }
        match probed.verdict {
            Verdict::Cancelled => Ok(None),
            Verdict::NotRun => Err(problem!(NoTest, "the test framework did not run the test").hint(
                "it may be disabled, or one of its assumptions does not hold; run `unflake check` again",
            )),
            _ => Ok(Some(probed)),
        }
    }

    /// A JVM in which the test has passed unvaried, if many executions are to follow. `None`: interrupted.
    fn start(&self, is_warm: bool) -> Result<Option<DrivenJvm>, Problem> {
        if let Some(spare) = lock(&self.spare).take().filter(|_| is_warm) {
            return Ok(Some(spare));
        }
        let mut worker = match self.jvms.start(self.subject) {
            Ok(worker) => worker,
            Err(JvmEnd::Broken(error)) => {
                return Err(problem!(CannotWork, "cannot start the test JVM again")
                    .cause(error)
                    .hint("run `unflake check` again: the project or its JDK may have changed"));
            }
            Err(_) => return Ok(None),
        };
        if !is_warm {
            return Ok(Some(worker));
        }
        Ok(self.unvaried(&mut worker)?.map(|_| worker))
    }

    /// Whether many executions in one JVM show what one in each would. What an initialiser or a cache chooses the first
    /// time is not there to be explored later.
    pub(super) fn first_run(&self, target: &Target) -> Result<FirstRun, Problem> {
        if target.fails_once {
            return Ok(FirstRun::matters());
        }
        let Some(mut worker) = self.start(false)? else {
            return Ok(FirstRun::is_like_others(None));
        };
        let (Some(first), Some(second)) = (self.unvaried(&mut worker)?, self.unvaried(&mut worker)?) else {
            return Ok(FirstRun::is_like_others(None));
        };
        let (first, second) = (seen(&first), seen(&second));
        let mut note = None;
        if first != second {
            let turned = self.turned(&mut worker);
            let fresh = self.start(false)?;
            if fresh.is_some_and(|mut fresh| self.turned(&mut fresh) != turned) {
                return Ok(FirstRun::matters());
            }
            note = Some(format!(
                "the first run in a JVM makes {} choices, later ones {}: choices that are made only once kept the JDK's own results",
                first.len(),
                second.len()
            ));
        }
        *lock(&self.spare) = Some(worker);
        Ok(FirstRun::is_like_others(note))
    }

    /// Whether an execution fails in which everything is turned round, or varied as in the failure that is explored
    /// around.
    fn turned(&self, worker: &mut DrivenJvm) -> bool {
        let reverse = Strategy {
            level: Level::Full,
            form: Form::Reverse,
        };
        let turned = Subject {
            strategy: self.subject.strategy.or(Some(reverse)),
            ..self.subject
        };
        let (probed, _) = self.jvms.run(worker, turned, None, &Record::default());
        matches!(probed.verdict, Verdict::Failed(_))
    }

    /// An unvaried execution, which must pass. `None`: interrupted.
    fn unvaried(&self, worker: &mut DrivenJvm) -> Result<Option<Probed>, Problem> {
        let unvaried = Subject {
            strategy: None,
            ..self.subject
        };
        let (probed, can_go_on) = self.jvms.run(worker, unvaried, None, &choices());
        match probed.verdict {
            Verdict::Failed(failure) => Err(problem!(CannotWork, "the test fails without any variation")
                .cause(format!("{}: {}", failure.kind, failure.message))
                .hint("run `unflake check` again, and repair it first")),
            _ => Ok(can_go_on.then_some(probed)),
        }
    }
}

enum Stopped {
    Diverged(Diverged),
    Problem(Problem),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The project's choices as far as two runs in one JVM agree: what is loaded the first time shifts their numbers.
fn seen(probed: &Probed) -> Vec<(&str, u32)> {
    let by_project = probed.choices.iter().filter(|chosen| chosen.by_project);
    by_project
        .map(|chosen| (chosen.model.as_str(), chosen.size))
        .collect()
}

fn choices() -> Record {
    Record {
        choices: true,
        ..Record::default()
    }
}
