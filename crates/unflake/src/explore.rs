//! `unflake explore`: all allowed behaviours of one test, up to a bound, and how likely it is to fail (N12).

use crate::again::{Again, Named, warn};
use crate::args::{ExploreFormat, FormatArg};
use crate::check::progress::Progress;
use crate::debug::api;
use crate::exit::ExitCode;
use crate::output;
use crate::places::Places;
use crate::problem::{Problem, problem};
use crate::scripted::{Jvms, Subject};
use crate::settings::ExploreSettings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};
use unflake_explore::{
    Bounds, Diverged, End, Graph, Next, Probed, Search, Until, Verdict, Vertex, VertexKind, Way, end_of,
    wilson,
};
use unflake_findings::{
    CauseStatus, Details, Edge, FailureKind, Figures, Node, NodeKind, SCHEMA_VERSION, StateSpace,
};
use unflake_protocol::{Evidence, Form, Handle, Level, Others, Record, SavedNode, Script, Strategy, TestId};
use unflake_runner::{Launch, Work, Worker};

/// A test that says nothing for so long is taken for one that hangs.
const SILENCE: Duration = Duration::from_secs(60);
/// How many executions may pass until the natural one is looked at again.
const RECHECK: u64 = 250;
/// Random executions beside a search that could not try everything.
const DRAWN: u32 = 200;
/// Choices of the picture for which the line and the elements are looked up.
const SHOWN: usize = 100;
/// Different failures that are repeated in a fresh JVM.
const CONFIRMED: usize = 20;

pub(crate) fn run(settings: ExploreSettings) -> Result<ExitCode, Problem> {
    let again = Again::open(&settings.place, Some(&settings.wanted))?;
    let named = again.named(&settings.wanted, &settings.place.project)?;
    let target = Target::new(&again, named, settings.around)?;
    let progress = Progress::new(&settings.screen);
    let jvms = Jvms {
        tools: &again.tools,
        next: &again.next,
        work: Work::Long,
        silence: SILENCE,
    };
    let exploration = Exploration {
        settings: &settings,
        jvms: &jvms,
        subject: target.subject(),
        progress: &progress,
        started: Instant::now(),
        cancel: &|| again.interrupt.cancel.is_cancelled(),
        spare: Mutex::new(None),
    };
    let file = again
        .run
        .directory()
        .join(format!("explore-{}.json", target.file()));
    let kept = exploration.kept(&file).filter(|_| again.stored.is_fresh());
    let found = match settings.random {
        Some(count) => exploration.random(count, &target),
        None => exploration
            .run(kept, &target, &file)
            .map(|explored| exploration.state_space(explored, &target, &settings.place.project)),
    };
    let space = match found {
        Ok(space) => space,
        Err(problem) => return again.interrupt.exit_code().ok_or(problem),
    };
    progress.finish();
    again.interrupt.children.end_all();
    write(&space, &settings)?;
    Ok(match again.interrupt.exit_code() {
        Some(code) => code,
        None if space.figures.failing_leaves > 0 => ExitCode::Findings,
        None => ExitCode::Clean,
    })
}

/// The test that is explored.
struct Target {
    id: TestId,
    launch: Launch,
    tests: Vec<Handle>,
    /// Explore around the failure that this one shows.
    around: Option<Strategy>,
    /// Its known failure shows in the first run of a JVM only.
    fails_once: bool,
}

impl Target {
    fn new(again: &Again, named: Named, around: bool) -> Result<Target, Problem> {
        let through_build = |id: &TestId| {
            problem!(
                CannotWork,
                "`{}` can only be run by the build tool, so it cannot be explored",
                id.test
            )
            .hint("see whether it needs something that only the build sets up")
        };
        match named {
            Named::Finding(finding) => {
                let Details::ImplementationDependent { strategy, cause, .. } = &finding.details;
                let replay = again.stored.replays.get(finding.id.as_str());
                let launch = again.launch(replay.and_then(|replay| replay.recipe))?;
                let (Some(replay), Some(launch)) = (replay, launch) else {
                    return Err(through_build(&finding.test));
                };
                Ok(Target {
                    launch,
                    tests: replay.tests.clone(),
                    around: around.then_some(*strategy),
                    fails_once: cause.status == CauseStatus::Found && !cause.warm,
                    id: finding.test,
                })
            }
            Named::Test(test) if around => Err(problem!(
                NoTest,
                "`{}` did not fail in the run `{}`",
                test.id.test,
                again.run.id().as_str()
            )
            .hint("leave out `--around` to explore all it can do")),
            Named::Test(test) => Ok(Target {
                launch: again
                    .launch(test.recipe)?
                    .ok_or_else(|| through_build(&test.id))?,
                tests: vec![test.handle],
                around: None,
                fails_once: false,
                id: test.id,
            }),
        }
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            launch: &self.launch,
            tests: &self.tests,
            strategy: self.around,
        }
    }

    /// A name for what is kept of its exploration.
    fn file(&self) -> String {
        let text = format!("{:?} {:?}", self.tests, self.around);
        blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
    }
}

struct Exploration<'a> {
    settings: &'a ExploreSettings,
    jvms: &'a Jvms<'a>,
    subject: Subject<'a>,
    progress: &'a Progress,
    started: Instant,
    cancel: &'a (dyn Fn() -> bool + Sync),
    /// A JVM that waits for its next execution.
    spare: Mutex<Option<Worker>>,
}

/// What came of it.
struct Explored {
    search: Search,
    /// One JVM for many executions, or a fresh one for each.
    is_warm: bool,
    notes: Vec<String>,
}

/// What is kept between calls.
#[derive(Serialize, Deserialize)]
struct Kept {
    bounds: (u32, u32, usize),
    first_run: FirstRun,
    executions: u64,
    nodes: Vec<SavedNode>,
}

/// What is known of the first run in a JVM.
#[derive(Serialize, Deserialize)]
struct FirstRun {
    /// One JVM will do for many executions.
    is_like_others: bool,
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
    fn run(&self, kept: Option<Kept>, target: &Target, file: &Path) -> Result<Explored, Problem> {
        let mut notes = Vec::new();
        let begun = kept.and_then(|kept| {
            let mut search = self.new_search().load(&kept.nodes)?;
            search.executions = kept.executions;
            notes.push(format!(
                "went on after {} executions of an earlier call",
                search.executions
            ));
            Some((search, kept.first_run))
        });
        let (search, mut first_run) = match begun {
            Some(begun) => begun,
            None if target.fails_once => (self.new_search(), FirstRun::matters()),
            None => (self.new_search(), self.first_run()?),
        };
        self.progress.phase("exploring", self.settings.runs);
        let search = match self.explore(search, first_run.is_like_others)? {
            Ok(search) => search,
            Err(_) if first_run.is_like_others => {
                notes.clear();
                first_run = FirstRun::matters();
                self.progress.phase("exploring in fresh JVMs", self.settings.runs);
                match self.explore(self.new_search(), false)? {
                    Ok(search) => search,
                    Err(diverged) => return Err(self.flaky(&diverged)),
                }
            }
            Err(diverged) => return Err(self.flaky(&diverged)),
        };
        notes.extend(first_run.note.clone());
        let is_warm = first_run.is_like_others;
        let kept = Kept {
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
        Ok(Explored {
            search,
            is_warm,
            notes,
        })
    }

    fn flaky(&self, diverged: &Diverged) -> Problem {
        problem!(
            CannotWork,
            "the test is flaky by itself: the same choices do not lead it the same way twice"
        )
        .cause(format!(
            "expected {}, found {}",
            diverged.expected, diverged.found
        ))
        .hint("make it repeatable first; threads, time and random numbers are what to look for")
    }

    fn new_search(&self) -> Search {
        let bounds = Bounds {
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

    fn kept(&self, file: &Path) -> Option<Kept> {
        if self.settings.fresh {
            return None;
        }
        let kept: Kept = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        (kept.bounds == self.bounds_key()).then_some(kept)
    }

    fn is_over(&self) -> bool {
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
        thread::scope(|scope| {
            for _ in 0..self.settings.jobs.get() {
                scope.spawn(|| {
                    if let Err(why) = self.work(&shared, &stopped, is_warm) {
                        lock(&stopped).get_or_insert(why);
                    }
                });
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

    fn others(&self) -> Others {
        match self.subject.strategy {
            Some(_) => Others::Varied,
            None => Others::Natural,
        }
    }

    /// One execution: in `worker`, which is started if there is none, or in a fresh JVM. `None`: interrupted.
    fn execute(
        &self,
        worker: &mut Option<Worker>,
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
            Verdict::NotRun => Err(problem!(NoTest, "the test framework did not run the test")
                .hint("it may be disabled, or an assumption of it does not hold; run `unflake check` again")),
            _ => Ok(Some(probed)),
        }
    }

    /// A JVM in which the test has passed unvaried, if many executions are to follow. `None`: interrupted.
    fn start(&self, is_warm: bool) -> Result<Option<Worker>, Problem> {
        if let Some(spare) = lock(&self.spare).take().filter(|_| is_warm) {
            return Ok(Some(spare));
        }
        let mut worker = match self.jvms.start(self.subject.launch) {
            Ok(worker) => worker,
            Err(_) if (self.cancel)() => return Ok(None),
            Err(error) => {
                return Err(problem!(CannotWork, "cannot start the test JVM again")
                    .cause(error)
                    .hint("run `unflake check` again: the project or its JDK may have changed since"));
            }
        };
        if !is_warm {
            return Ok(Some(worker));
        }
        Ok(self.unvaried(&mut worker)?.map(|_| worker))
    }

    /// What random executions end in, each with a seed of its own, and how often.
    fn draw(&self, count: u32) -> Result<BTreeMap<Option<End>, u64>, Problem> {
        self.progress.phase("drawing", u64::from(count));
        let mut worker = None;
        let mut ends = BTreeMap::new();
        for number in 0..count {
            if (self.cancel)() {
                break;
            }
            let drawn = Exploration {
                subject: Subject {
                    strategy: Some(Strategy {
                        level: Level::Full,
                        form: Form::Random(self.settings.seed.derive(u64::from(number))),
                    }),
                    ..self.subject
                },
                settings: self.settings,
                jvms: self.jvms,
                progress: self.progress,
                started: self.started,
                cancel: self.cancel,
                spare: Mutex::new(None),
            };
            match drawn.execute(&mut worker, None, &Record::default(), true)? {
                Some(probed) => *ends.entry(end_of(&probed.verdict)).or_default() += 1,
                None => break,
            }
            self.progress.step();
        }
        Ok(ends)
    }

    /// Random executions alone, for comparison: a start and the different ends.
    fn random(&self, count: u32, target: &Target) -> Result<StateSpace, Problem> {
        let ends = self.draw(count)?;
        let executions: u64 = ends.values().sum();
        let share = |count: u64| count as f64 / executions.max(1) as f64;
        let failed: u64 = ends
            .iter()
            .filter(|(end, _)| end.is_some())
            .map(|(_, count)| count)
            .sum();
        let mut nodes = vec![Node {
            kind: NodeKind::Start,
            failure_probability: share(failed),
        }];
        let mut failures = Vec::new();
        for (end, count) in ends {
            let (kind, failure_probability) = match end {
                None => (NodeKind::Passed, 0.0),
                Some(End {
                    exception,
                    message,
                    line,
                }) => {
                    failures.push(FailureKind {
                        exception: exception.clone(),
                        message: message.clone(),
                        line,
                        probability: share(count),
                        executions: count,
                    });
                    (NodeKind::Failed { exception, message }, 1.0)
                }
            };
            nodes.push(Node {
                kind,
                failure_probability,
            });
        }
        sort(&mut failures);
        Ok(StateSpace {
            schema_version: SCHEMA_VERSION,
            test: target.id.clone(),
            figures: Figures {
                nodes: nodes.len(),
                edges: nodes.len() - 1,
                failing_leaves: failures.len(),
                merge_nodes: 0,
                critical_choices: 0,
                failure_probability: share(failed),
                interval: Some(wilson(failed, executions)),
            },
            complete: false,
            notes: vec![format!(
                "drawn at random from seed {}, not explored: what was not drawn is not known",
                self.settings.seed
            )],
            executions,
            time: self.started.elapsed().as_secs_f64(),
            edges: (1..nodes.len())
                .map(|to| Edge {
                    from: 0,
                    to,
                    order: Vec::new(),
                })
                .collect(),
            nodes,
            failures,
        })
    }

    /// Whether many executions in one JVM show what one in each would. What an initialiser or a cache chooses the first
    /// time is not there to be explored later.
    fn first_run(&self) -> Result<FirstRun, Problem> {
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
                "the first run in a JVM makes {} choices, later ones {}: what is chosen once was left as it is",
                first.len(),
                second.len()
            ));
        }
        *lock(&self.spare) = Some(worker);
        Ok(FirstRun::is_like_others(note))
    }

    /// Whether an execution fails in which everything is turned round, or varied as in the failure that is explored around.
    fn turned(&self, worker: &mut Worker) -> bool {
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
    fn unvaried(&self, worker: &mut Worker) -> Result<Option<Probed>, Problem> {
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

    fn state_space(&self, explored: Explored, target: &Target, project: &Path) -> StateSpace {
        let Explored {
            search,
            is_warm,
            mut notes,
        } = explored;
        let graph = Graph::of(&search);
        let evidence = self.evidence(&graph, is_warm);
        notes.extend(self.unrepeated(&graph, is_warm));
        let complete = search.is_complete();
        if !complete && search.untried() > 0 {
            let untried = search.untried();
            let more = if self.settings.first && search.failures > 0 {
                "it ended at the first failure".to_owned()
            } else if (self.cancel)() {
                "it was interrupted; the same command goes on".to_owned()
            } else if self.is_over() {
                "time was up; the same command goes on".to_owned()
            } else {
                format!(
                    "the bound is {} executions; `--runs` raises it",
                    self.settings.runs
                )
            };
            notes.push(format!("{untried} known answers were not tried: {more}"));
        }
        let sampled = graph
            .vertices
            .iter()
            .filter(|vertex| matches!(vertex.what, VertexKind::Choice { is_sampled: true, .. }))
            .count();
        if sampled > 0 {
            notes.push(format!(
                "only {} orders were tried of each choice of more than {} elements ({sampled} in the graph); `--elements` raises the bound",
                self.settings.samples, self.settings.elements
            ));
        }
        let mut failures = failures(&graph);
        let is_whole = complete && sampled == 0;
        if is_warm && !is_whole && !self.settings.first && self.subject.strategy.is_none() && !(self.cancel)()
        {
            notes.extend(self.further(&mut failures));
        }
        let figures = graph.figures();
        let mut places = Places::new(project, &target.launch);
        let mut node = |(index, vertex): (usize, &Vertex)| Node {
            kind: node_kind(vertex, evidence.get(&index), &mut places),
            failure_probability: vertex.chance.mean,
        };
        StateSpace {
            schema_version: SCHEMA_VERSION,
            test: target.id.clone(),
            figures: Figures {
                nodes: figures.nodes,
                edges: figures.edges,
                failing_leaves: figures.failing_leaves,
                merge_nodes: figures.merge_nodes,
                critical_choices: figures.critical_choices,
                failure_probability: graph.chance.mean,
                interval: (!graph.chance.is_exact()).then(|| graph.chance.interval()),
            },
            complete,
            notes,
            executions: search.executions,
            time: self.started.elapsed().as_secs_f64(),
            nodes: graph.vertices.iter().enumerate().map(&mut node).collect(),
            edges: graph
                .edges
                .iter()
                .map(|edge| Edge {
                    from: edge.from,
                    to: edge.to,
                    order: edge.order.clone(),
                })
                .collect(),
            failures,
        }
    }

    /// Where not everything could be tried, some behaviours from all over the space: ways to fail that the search has not
    /// come to.
    fn further(&self, failures: &mut Vec<FailureKind>) -> Option<String> {
        let ends = self.draw(DRAWN).ok()?;
        let all: u64 = ends.values().sum();
        let mut more = 0;
        for (end, count) in ends {
            let Some(end) = end else { continue };
            let is_known = |kind: &FailureKind| kind.message == end.message && kind.line == end.line;
            if !failures.iter().any(is_known) {
                more += 1;
                failures.push(FailureKind {
                    exception: end.exception,
                    message: end.message,
                    line: end.line,
                    probability: count as f64 / all as f64,
                    executions: count,
                });
            }
        }
        sort(failures);
        (more > 0).then(|| {
            format!("{all} random executions beside the search found {more} more ways to fail; they are not in the graph")
        })
    }

    /// What is to be seen of the choices of the graph, critical ones first.
    fn evidence(&self, graph: &Graph, is_warm: bool) -> BTreeMap<usize, Evidence> {
        let mut wanted: Vec<(bool, usize)> = (graph.vertices.iter().enumerate())
            .filter_map(|(index, vertex)| match &vertex.what {
                VertexKind::Choice { is_critical, .. } => Some((!is_critical, index)),
                _ => None,
            })
            .collect();
        wanted.sort_unstable();
        wanted.truncate(if is_warm { SHOWN } else { SHOWN / 20 });
        let mut worker = None;
        let mut found = BTreeMap::new();
        for (_, index) in wanted {
            let VertexKind::Choice { way, id, .. } = &graph.vertices[index].what else {
                continue;
            };
            if (self.cancel)() {
                break;
            }
            let record = Record {
                evidence: vec![*id],
                ..Record::default()
            };
            let script = self.script(way);
            if let Ok(Some(probed)) = self.execute(&mut worker, Some(&script), &record, is_warm) {
                found.extend(
                    probed
                        .evidence
                        .into_iter()
                        .next()
                        .map(|evidence| (index, evidence)),
                );
            }
        }
        found
    }

    fn script(&self, way: &[(unflake_protocol::ChoiceId, unflake_protocol::Order)]) -> Script {
        let mut entries: Vec<_> = way.iter().map(|(id, order)| (*id, *id, order.clone())).collect();
        entries.sort_by_key(|(id, ..)| *id);
        Script {
            others: self.others(),
            entries,
        }
    }

    /// Repeats different failures in a JVM that has seen none of them; a sentence if one does not fail there.
    fn unrepeated(&self, graph: &Graph, is_warm: bool) -> Option<String> {
        if !is_warm {
            return None;
        }
        let mut fresh = None;
        let mut tried = 0;
        let mut passed = 0;
        for (index, vertex) in graph.vertices.iter().enumerate() {
            if !matches!(vertex.what, VertexKind::Failed { .. }) || tried >= CONFIRMED || (self.cancel)() {
                continue;
            }
            let Some(edge) = graph.edges.iter().find(|edge| edge.to == index) else {
                continue;
            };
            let VertexKind::Choice { way, id, .. } = &graph.vertices[edge.from].what else {
                continue;
            };
            let mut way = way.clone();
            way.push((*id, unflake_protocol::Order::Given(edge.order.clone())));
            tried += 1;
            let again = self.execute(&mut fresh, Some(&self.script(&way)), &Record::default(), true);
            if let Ok(Some(probed)) = again
                && probed.verdict == Verdict::Passed
            {
                passed += 1;
            }
        }
        (passed > 0).then(|| {
            format!("{passed} of {tried} failures did not repeat in a fresh JVM: take them as flaky")
        })
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

fn node_kind(vertex: &Vertex, evidence: Option<&Evidence>, places: &mut Places) -> NodeKind {
    match &vertex.what {
        VertexKind::Start => NodeKind::Start,
        VertexKind::Passed => NodeKind::Passed,
        VertexKind::Unexplored => NodeKind::Unexplored,
        VertexKind::Failed {
            exception, message, ..
        } => NodeKind::Failed {
            exception: exception.clone(),
            message: message.clone(),
        },
        VertexKind::Choice {
            model,
            size,
            is_critical,
            is_sampled,
            ..
        } => NodeKind::Choice {
            api: evidence.map_or_else(|| model.clone(), api),
            elements: *size,
            call: evidence.and_then(|evidence| {
                let place = places.place(&evidence.stack)?;
                let file = place.file.rsplit('/').next().unwrap_or_default();
                let (class, method) = place.method.rsplit_once('.')?;
                let class = class.rsplit('.').next().unwrap_or_default();
                Some(format!("{class}.{method}({file}:{})", place.line))
            }),
            natural: evidence
                .map(|evidence| evidence.natural.clone())
                .unwrap_or_default(),
            merge: vertex.entries > 1,
            critical: *is_critical,
            sampled: *is_sampled,
        },
    }
}

/// The different ways to fail, the most likely first.
fn failures(graph: &Graph) -> Vec<FailureKind> {
    let mut kinds: Vec<FailureKind> = (graph.failure_shares().into_iter())
        .filter_map(|(index, probability)| match &graph.vertices[index].what {
            VertexKind::Failed {
                exception,
                message,
                line,
            } => Some(FailureKind {
                exception: exception.clone(),
                message: message.clone(),
                line: line.clone(),
                probability,
                executions: graph.vertices[index].merged,
            }),
            _ => None,
        })
        .collect();
    sort(&mut kinds);
    kinds
}

fn sort(kinds: &mut [FailureKind]) {
    kinds.sort_by(|a, b| {
        b.probability
            .total_cmp(&a.probability)
            .then_with(|| a.message.cmp(&b.message))
    });
}

fn write(space: &StateSpace, settings: &ExploreSettings) -> Result<(), Problem> {
    for FormatArg { format, file } in &settings.formats {
        let text = match format {
            ExploreFormat::Text => unflake_report::state_space_text(space, settings.screen.verbose > 0),
            ExploreFormat::Json => unflake_report::state_space_json(space),
            ExploreFormat::Html => unflake_report::page(space),
            ExploreFormat::Dot => unflake_report::dot(space),
        };
        let hint = "name another file with `--format`; what was explored is kept";
        output::write(&text, file.as_deref(), hint)?;
    }
    if settings
        .formats
        .iter()
        .all(|format| format.format == ExploreFormat::Text)
        && space.executions == 1
    {
        warn("the test makes no choice that the project could see: there is nothing to explore");
    }
    Ok(())
}
