//! JVMs that are none: they say what a JVM would say that runs simulated tests.

use super::behaviour::{Action, Rule, Surroundings, order};
use crate::drive::driver::{JvmProcess, Starter};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use unflake_protocol::{
    Author, ChoiceId, ChoiceKind, Chosen, Evidence, Failure, Gap, Handle, Leaf, Outcome, RunCommand,
    ScopeChoices, SeenTest, Shown, Slot, StackFrame, ToProgram,
};
use unflake_runner::{
    Death, During, Isolated, Launch, Limits, RunEnd, StartError, Whereabouts, Work, WorkerTools,
};

/// All tests, and what has become of them in all JVMs so far.
#[derive(Debug)]
pub(super) struct World {
    pub(super) rules: BTreeMap<String, Vec<Rule>>,
    runs: Mutex<BTreeMap<String, usize>>,
    /// What JVMs were told to run, in the order of the commands.
    pub(super) commands: Mutex<Vec<String>>,
    pub(super) starts: AtomicUsize,
    /// JVMs that start; later ones do not.
    pub(super) most_starts: AtomicUsize,
    /// JVMs that run inside share nothing.
    pub(super) are_apart: AtomicBool,
}

impl World {
    pub(super) fn new(rules: BTreeMap<String, Vec<Rule>>) -> World {
        World {
            rules,
            runs: Mutex::default(),
            commands: Mutex::default(),
            starts: AtomicUsize::new(0),
            most_starts: AtomicUsize::new(usize::MAX),
            are_apart: AtomicBool::new(true),
        }
    }
}

#[derive(Debug)]
pub(super) struct SimulatedJvms(pub(super) std::sync::Arc<World>);

impl Starter for SimulatedJvms {
    fn start(
        &self,
        _: &Launch,
        tools: &WorkerTools,
        _: Work,
        whereabouts: Whereabouts,
    ) -> Result<Box<dyn JvmProcess>, StartError> {
        if tools.cancel.is_cancelled() {
            return Err(StartError::Cancelled);
        }
        let number = self.0.starts.fetch_add(1, Ordering::Relaxed);
        if number >= self.0.most_starts.load(Ordering::Relaxed) {
            return Err(StartError::OtherProtocol(0));
        }
        Ok(Box::new(SimulatedJvm {
            number,
            world: self.0.clone(),
            tools: tools.clone(),
            before: Vec::new(),
            captured: Vec::new(),
            whereabouts,
        }))
    }

    fn isolated(&self, _: &Launch, _: &WorkerTools) -> Isolated {
        if self.0.are_apart.load(Ordering::Relaxed) {
            Isolated::Namespaces {
                processes: true,
                covered: BTreeSet::new(),
                bare: BTreeMap::new(),
            }
        } else {
            Isolated::Directories { why: None }
        }
    }
}

#[derive(Debug)]
struct SimulatedJvm {
    number: usize,
    world: std::sync::Arc<World>,
    tools: WorkerTools,
    /// Tests that ran.
    before: Vec<String>,
    /// Static fields whose class is loaded.
    captured: Vec<String>,
    whereabouts: Whereabouts,
}

/// How the JVM goes on after a test.
enum After {
    Next,
    /// No more test of its class runs.
    NextClass,
    End(RunEnd),
}

impl JvmProcess for SimulatedJvm {
    fn run(&mut self, command: &RunCommand, limits: Limits<'_>, hear: &mut dyn FnMut(ToProgram)) -> RunEnd {
        self.remember(command);
        let mut left_out = None;
        for (place, handle) in command.tests.iter().enumerate() {
            if self.tools.cancel.is_cancelled() {
                return RunEnd::Cancelled;
            }
            if limits.until.is_some_and(|until| Instant::now() >= until) {
                return RunEnd::TimeUp;
            }
            if left_out == Some(&handle.root) {
                continue;
            }
            match self.test(command, place, hear) {
                After::Next => {}
                After::NextClass => left_out = Some(&handle.root),
                After::End(end) => return end,
            }
        }
        RunEnd::Finished
    }

    fn is_apart(&self) -> bool {
        self.world.are_apart.load(Ordering::Relaxed)
    }
}

impl SimulatedJvm {
    fn remember(&self, command: &RunCommand) {
        let tests: Vec<&str> = command.tests.iter().map(|test| test.id.as_str()).collect();
        let how = match (command.strategy, &self.tools.configuration.watch) {
            (Some(strategy), _) => format!(" | {strategy}"),
            (None, Some(watch)) if watch.eager.is_empty() => " | watched".to_owned(),
            (None, Some(watch)) => format!(" | watched with {}", watch.eager.join(" ")),
            (None, None) => String::new(),
        };
        let mut commands = self.world.commands.lock().unwrap();
        commands.push(format!("{}{how}", tests.join(" ")));
    }

    fn test(&mut self, command: &RunCommand, place: usize, hear: &mut dyn FnMut(ToProgram)) -> After {
        let world = self.world.clone();
        let handle = &command.tests[place];
        let rules = world.rules.get(&handle.id).map(Vec::as_slice).unwrap_or_default();
        let before = self.before.clone();
        let mut around = Surroundings {
            command,
            before: &before,
            test: &handle.id,
            runs: self.count(&handle.id),
            jvm: self.number,
            choices: &[],
            watches: self.tools.configuration.watch.is_some(),
            is_eager: (self.tools.configuration.watch.as_ref()).is_some_and(|watch| !watch.eager.is_empty()),
            whereabouts: self.whereabouts,
        };
        let choices = choices(rules, place, &around);
        let ids: Vec<(ChoiceId, u32)> = choices.iter().map(|one| (one.id, one.size)).collect();
        around.choices = &ids;
        let actions = rules.iter().filter(|rule| rule.applies(&around));
        let actions: Vec<&Action> = actions.map(|rule| &rule.action).collect();
        let test = seen(handle);
        for action in &actions {
            match action {
                Action::IsMissing => return After::Next,
                Action::SetUpFails => {
                    hear(class_ended(&handle.root, Some(failure("set-up fails"))));
                    return After::NextClass;
                }
                Action::Sleeps(time) => std::thread::sleep(*time),
                Action::Cancels => {
                    self.tools.cancel.cancel();
                    return After::End(RunEnd::Cancelled);
                }
                Action::Bug => hear(ToProgram::Bug {
                    message: format!("in {}", handle.id),
                }),
                Action::Dies(death) => {
                    let status = match death {
                        Death::Exit => "exit status: 1",
                        Death::Signal => "signal: 9 (SIGKILL)",
                        Death::Cut => "it closed its socket",
                    };
                    return After::End(RunEnd::Died {
                        during: During::Test(test),
                        status: status.to_owned(),
                        death: *death,
                        output: String::new(),
                    });
                }
                Action::Hangs => {
                    return After::End(RunEnd::TimedOut {
                        during: During::Test(test),
                        after: Duration::from_secs(60),
                        dumps: Vec::new(),
                    });
                }
                _ => {}
            }
        }
        let has = |is: fn(&Action) -> bool| actions.iter().any(|action| is(action));
        let outcome = if has(|action| matches!(action, Action::Skips)) {
            Outcome::Skipped {
                reason: "an assumption does not hold".to_owned(),
            }
        } else if has(|action| matches!(action, Action::WantsPort)) {
            Outcome::Failed(Failure {
                kind: "java.net.BindException".to_owned(),
                ..failure("address already in use")
            })
        } else if has(|action| matches!(action, Action::Fails)) {
            Outcome::Failed(failure(&format!("{} fails", handle.id)))
        } else {
            Outcome::Passed
        };
        self.before.push(handle.id.clone());
        hear(ToProgram::TestStarted(test.clone()));
        hear(ToProgram::TestFinished {
            test: test.clone(),
            outcome,
            choices: ScopeChoices::default(),
            nanos: 1000,
            busy_nanos: 1000,
        });
        self.say_state(&actions, &test, hear);
        say_choices(&choices, command, &test, hear);
        hear(class_ended(&handle.root, None));
        if has(|action| matches!(action, Action::Exits)) {
            return After::End(RunEnd::Died {
                during: During::Nothing,
                status: "exit status: 0".to_owned(),
                death: Death::Exit,
                output: String::new(),
            });
        }
        After::Next
    }

    /// How often a test has run before; one run more from now on.
    fn count(&self, test: &str) -> usize {
        let mut runs = self.world.runs.lock().unwrap();
        let runs = runs.entry(test.to_owned()).or_default();
        *runs += 1;
        *runs - 1
    }

    fn say_state(&mut self, actions: &[&Action], test: &SeenTest, hear: &mut dyn FnMut(ToProgram)) {
        let Some(watch) = &self.tools.configuration.watch else {
            return;
        };
        let by = Author::Test(test.clone());
        for action in actions {
            match action {
                Action::Changes(change) => hear(ToProgram::Changed {
                    by: by.clone(),
                    changes: vec![*change.clone()],
                }),
                Action::ClassChanges(change) => hear(ToProgram::Changed {
                    by: Author::Class(test.handle.root.clone()),
                    changes: vec![*change.clone()],
                }),
                Action::Captures { root, early, late } if watch.initial && !self.captured.contains(root) => {
                    self.captured.push(root.clone());
                    let class = root.rsplit_once('.').map_or("", |(class, _)| class);
                    let is_early = watch.eager.iter().any(|eager| eager == class);
                    let value = if is_early { early } else { late };
                    hear(ToProgram::Initialised {
                        by: by.clone(),
                        root: root.clone(),
                        leaves: vec![Leaf {
                            path: root.clone(),
                            slot: Slot::Field("field".to_owned()),
                            value: Shown::object("a.Thing", value),
                        }],
                    });
                }
                Action::Hides(change) => {
                    let class = change.root.rsplit_once('.').map_or("", |(class, _)| class);
                    let is_early = watch.eager.iter().any(|eager| eager == class);
                    if is_early || self.captured.contains(&change.root) {
                        hear(ToProgram::Changed {
                            by: by.clone(),
                            changes: vec![*change.clone()],
                        });
                    } else if watch.initial {
                        hear(ToProgram::Initialised {
                            by: by.clone(),
                            root: change.root.clone(),
                            leaves: Vec::new(),
                        });
                    }
                    self.captured.push(change.root.clone());
                }
                Action::NotWatched(what) => hear(ToProgram::NotWatched {
                    what: what.clone(),
                    reason: "too large".to_owned(),
                    gap: Gap::Known,
                }),
                Action::Restless(what) => hear(ToProgram::NotWatched {
                    what: what.clone(),
                    reason: "a thread changes it".to_owned(),
                    gap: Gap::Lost,
                }),
                Action::NotLoaded { class, problem } if watch.eager.contains(class) => {
                    hear(ToProgram::NotLoaded {
                        class: class.clone(),
                        problem: *problem,
                        detail: "E".to_owned(),
                    })
                }
                Action::NotCompared(blame) => hear(ToProgram::NotCompared {
                    by: Some(by.clone()),
                    reason: "no".to_owned(),
                    blame: *blame,
                }),
                Action::Unusable(class) => hear(ToProgram::Unusable {
                    class: class.clone(),
                    reason: "no such field".to_owned(),
                }),
                _ => {}
            }
        }
    }
}

fn choices(rules: &[Rule], place: usize, around: &Surroundings<'_>) -> Vec<Chosen> {
    let chooses = rules.iter().filter_map(|rule| match &rule.action {
        Action::Chooses { model, size, thread } if rule.applies(around) => Some((model, *size, *thread)),
        _ => None,
    });
    let numbered = chooses.enumerate();
    numbered
        .map(|(call, (model, size, thread))| Chosen {
            id: ChoiceId::new(place as u32, thread, call as u32),
            model: model.clone(),
            kind: ChoiceKind::Rearranges,
            by_project: true,
            size,
            rank: None,
        })
        .collect()
}

/// What was asked for about the choices of a test.
fn say_choices(made: &[Chosen], command: &RunCommand, test: &SeenTest, hear: &mut dyn FnMut(ToProgram)) {
    let ranked = made.iter().map(|one| Chosen {
        rank: Some(rank(&order(command, one.id, one.size))),
        ..one.clone()
    });
    if command.record.choices {
        hear(ToProgram::Choices(ranked.collect()));
    }
    let asked = made
        .iter()
        .filter(|one| command.record.evidence.contains(&one.id));
    for one in asked {
        let order = order(command, one.id, one.size);
        let element = |place: u32| format!("e{place}");
        hear(ToProgram::Evidence(Box::new(Evidence {
            id: one.id,
            model: one.model.clone(),
            kind: one.kind,
            size: one.size,
            owner: Some("java.util.HashMap".to_owned()),
            natural: (0..one.size).map(element).collect(),
            natural_answer: 0,
            failing: order.iter().copied().map(element).collect(),
            moved: Vec::new(),
            order,
            stack: vec![
                frame("java.util.HashMap", "keySet", 900),
                frame(&test.class, &test.method, 7),
            ],
            allocation: Vec::new(),
        })));
    }
}

fn frame(class: &str, method: &str, line: u32) -> StackFrame {
    StackFrame {
        class: class.to_owned(),
        method: method.to_owned(),
        file: None,
        line: Some(line),
    }
}

/// The number of an order among all orders of so many elements, sorted.
fn rank(order: &[u32]) -> u64 {
    let mut rank = 0;
    for (place, element) in order.iter().enumerate() {
        let smaller = order[place + 1..].iter().filter(|later| *later < element).count();
        rank = rank * (order.len() - place) as u64 + smaller as u64;
    }
    rank
}

fn class_ended(root: &str, failure: Option<Failure>) -> ToProgram {
    ToProgram::ContainerFinished {
        root: root.to_owned(),
        choices: ScopeChoices::default(),
        failure,
    }
}

pub(crate) fn failure(message: &str) -> Failure {
    Failure {
        kind: "java.lang.AssertionError".to_owned(),
        message: message.to_owned(),
        trace: String::new(),
        expected: None,
        actual: None,
    }
}

/// A test by its handle; its id is `Class#method`.
pub(super) fn seen(handle: &Handle) -> SeenTest {
    let (class, method) = handle.id.split_once('#').unwrap();
    SeenTest {
        handle: handle.clone(),
        class: class.to_owned(),
        method: method.to_owned(),
        invocation: None,
    }
}
