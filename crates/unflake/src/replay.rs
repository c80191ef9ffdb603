//! `unflake replay`: repeats the failure of a finding, alone or with what it needs, from what the run stored.

use crate::check::scratch;
use crate::check::stored::{Stored, StoredReplay};
use crate::embedded;
use crate::exit::ExitCode;
use crate::interrupt::Interrupt;
use crate::problem::{Problem, problem};
use crate::settings::ReplaySettings;
use anstyle::{AnsiColor, Style};
use std::io::Write as _;
use std::time::Duration;
use unflake_findings::{Details, Finding, ProjectStore};
use unflake_project::{Build, BuildError, BuildRequest};
use unflake_protocol::{Configuration, Failure, Handle, Outcome, Role, RunCommand, Strategy, ToProgram};
use unflake_runner::{Launch, Limits, RunEnd, Work, Worker, WorkerTools};

/// A replay is one test (or one class) that a person waits for.
const SILENCE: Duration = Duration::from_secs(600);

pub(crate) fn run(settings: ReplaySettings) -> Result<ExitCode, Problem> {
    let store = ProjectStore::open(&settings.place.store, &settings.place.project)?;
    let (run, _, finding) = store.find(&settings.finding)?;
    let stored: Stored = run.recipe()?;
    let Details::ImplementationDependent { strategy, .. } = &finding.details;
    let replay = stored.replays.get(finding.id.as_str()).ok_or_else(|| {
        problem!(
            CannotWork,
            "the run `{}` did not keep what is needed to replay `{}`",
            run.id().as_str(),
            finding.id.as_str()
        )
        .hint("run `unflake check` again")
    })?;
    let interrupt = Interrupt::install()?;
    let scratch = scratch()?;
    let unpacked = embedded::unpack(&settings.place.store)?;
    let mut replayer = Replayer {
        settings: &settings,
        stored: &stored,
        replay,
        strategy: *strategy,
        tools: WorkerTools {
            agent: unpacked.agent,
            runner: unpacked.runner,
            scratch: scratch.path().to_owned(),
            configuration: Configuration {
                role: Role::Worker,
                ..stored.configuration.clone()
            },
            children: interrupt.children.clone(),
            cancel: interrupt.cancel.clone(),
        },
        next: 0,
    };
    say(&heading(&finding, *strategy, replay));
    let mut failed = 0;
    for time in 1..=settings.times {
        let outcome = replayer.once()?;
        if let Some(code) = interrupt.exit_code() {
            return Ok(code);
        }
        match outcome {
            Some(failure) => {
                failed += 1;
                if time == 1 || settings.screen.verbose > 0 {
                    say(&shown(&failure));
                }
            }
            None if settings.times == 1 => say("it passes\n"),
            None => {}
        }
    }
    if settings.times > 1 {
        say(&format!("failed {failed} of {}\n", settings.times));
    }
    Ok(if failed > 0 {
        ExitCode::Findings
    } else {
        ExitCode::Clean
    })
}

struct Replayer<'a> {
    settings: &'a ReplaySettings,
    stored: &'a Stored,
    replay: &'a StoredReplay,
    strategy: Strategy,
    tools: WorkerTools,
    next: u32,
}

impl Replayer<'_> {
    /// The failure, or `None` if the test passes.
    fn once(&mut self) -> Result<Option<Failure>, Problem> {
        let target = self
            .replay
            .tests
            .last()
            .cloned()
            .ok_or_else(|| problem!(Bug, "a stored replay without a test"))?;
        match self
            .replay
            .recipe
            .and_then(|index| self.stored.recipes.get(index))
        {
            Some(recipe) => {
                let launch = Launch::from_recipe(recipe)
                    .map_err(|error| problem!(CannotWork, "cannot start the test JVM again").cause(error))?;
                missing_classes(&launch)?;
                self.directly(&launch, &target)
            }
            None => self.through_build(&target),
        }
    }

    fn directly(&mut self, launch: &Launch, target: &Handle) -> Result<Option<Failure>, Problem> {
        self.next += 1;
        let mut worker = Worker::start(launch, &self.tools, self.next, Work::Short).map_err(|error| {
            problem!(CannotWork, "cannot start the test JVM again")
                .cause(error)
                .hint("run `unflake check` again: the project or its JDK may have changed since")
        })?;
        let command = RunCommand {
            strategy: Some(self.strategy),
            tests: self.replay.tests.clone(),
        };
        let mut outcome = None;
        let end = worker.run(&command, Limits { silence: SILENCE }, |message| match message {
            ToProgram::TestFinished {
                test, outcome: seen, ..
            } if test.handle == *target => outcome = Some(seen),
            ToProgram::ContainerFinished {
                root,
                failure: Some(failure),
                ..
            } if root == target.root && outcome.is_none() => {
                outcome = Some(Outcome::Failed(failure));
            }
            _ => {}
        });
        match (end, outcome) {
            (RunEnd::Cancelled, _) | (_, Some(Outcome::Passed)) => Ok(None),
            (_, Some(Outcome::Failed(failure))) => Ok(Some(failure)),
            (RunEnd::Died { status, output, .. }, None) => Ok(Some(Failure {
                kind: "ended JVM".to_owned(),
                message: format!("the test ended its JVM ({status})"),
                trace: output,
            })),
            (RunEnd::TimedOut { after, .. }, None) => {
                let message = format!("the test did not end within {} s", after.as_secs());
                Ok(Some(Failure {
                    kind: "timeout".to_owned(),
                    message,
                    trace: String::new(),
                }))
            }
            (RunEnd::Finished, None) | (_, Some(Outcome::Skipped { .. })) => Err(not_found(target)),
        }
    }

    fn through_build(&self, target: &Handle) -> Result<Option<Failure>, Problem> {
        let place = &self.settings.place;
        let build = Build::find(&place.project, std::env::var_os("PATH").as_ref())
            .map_err(|error| problem!(CannotWork, "{error}").hint(error.hint()))?;
        let configuration = Configuration {
            role: Role::Build,
            strategy: Some(self.strategy),
            ..self.stored.configuration.clone()
        };
        let request = BuildRequest {
            build: &build,
            agent: &self.tools.agent,
            configuration: &configuration,
            arguments: &self.stored.build_arguments,
            java_home: place.java.as_deref(),
            scratch: &self.tools.scratch,
            children: &self.tools.children,
            cancel: &self.tools.cancel,
        };
        let run = match request.run(|_| {}) {
            Ok(run) => run,
            Err(BuildError::Cancelled) => return Ok(None),
            Err(error) => return Err(crate::check::build_problem(error, &build)),
        };
        let found = run
            .jvms
            .iter()
            .flat_map(|jvm| &jvm.tests)
            .find(|test| test.test.handle == *target);
        match found.map(|test| &test.outcome) {
            Some(Outcome::Failed(failure)) => Ok(Some(failure.clone())),
            Some(Outcome::Passed) => Ok(None),
            Some(Outcome::Skipped { .. }) | None => Err(not_found(target)),
        }
    }
}

fn not_found(target: &Handle) -> Problem {
    problem!(CannotWork, "the test `{}` was not found any more", target.id)
        .hint("run `unflake check` again: the project has changed since")
}

/// A cleaned build has no classes to run.
fn missing_classes(launch: &Launch) -> Result<(), Problem> {
    match launch
        .class_path
        .iter()
        .find(|entry| entry.ends_with("test-classes") && !std::path::Path::new(entry).exists())
    {
        None => Ok(()),
        Some(entry) => Err(
            problem!(CannotWork, "the project is not built: there is no `{entry}`")
                .hint("run `mvn test-compile`, or `unflake check` again"),
        ),
    }
}

fn heading(finding: &Finding, strategy: Strategy, replay: &StoredReplay) -> String {
    let bold = Style::new().bold();
    let with = match replay.tests.len().saturating_sub(1) {
        0 => "alone".to_owned(),
        1 => "after 1 other test".to_owned(),
        more => format!("after {more} other tests"),
    };
    format!("{bold}{}{bold:#}  {with}, varied: {strategy}\n", finding.test)
}

fn shown(failure: &Failure) -> String {
    let red = Style::new().fg_color(Some(AnsiColor::Red.into()));
    let dim = Style::new().dimmed();
    let trace = if failure.trace.is_empty() {
        format!("{}: {}", failure.kind, failure.message)
    } else {
        failure.trace.clone()
    };
    let mut lines = trace.trim_end().lines();
    let first = lines.next().unwrap_or_default();
    let rest: String = lines.map(|line| format!("{dim}{line}{dim:#}\n")).collect();
    format!("{red}it fails{red:#}\n{first}\n{rest}")
}

fn say(text: &str) {
    // Nobody is left to tell if standard output is closed.
    let _ = anstream::stdout().write_all(text.as_bytes());
}
