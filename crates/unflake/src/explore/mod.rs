//! `unflake explore`: all allowed behaviours of one test, up to a bound, and how likely it is to fail (N12).

mod result;
mod runs;
mod sampling;

use crate::again::{Again, Named, warn};
use crate::args::{ExploreFormat, FormatArg};
use crate::check::progress::Progress;
use crate::exit::ExitCode;
use crate::output;
use crate::problem::{Problem, not_implementation_dependent, problem};
use crate::scripted::{Jvms, Subject};
use crate::settings::ExploreSettings;
use runs::Exploration;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use unflake_findings::{CauseStatus, Details, StateSpace};
use unflake_protocol::{Handle, Strategy, TestId};
use unflake_runner::{Launch, Work};

/// A test that says nothing for so long is taken for one that hangs.
const SILENCE: Duration = Duration::from_secs(60);

/// From so many executions on the JVM's second compiler is worth its while. 20,000 of a small test under JUnit 5 took 34 s of
/// processor time with it and 24 s without.
const MANY: u64 = 50_000;

pub(crate) fn run(settings: ExploreSettings) -> Result<ExitCode, Problem> {
    let again = Again::open(&settings.place, Some(&settings.wanted))?;
    let named = again.named(&settings.wanted, &settings.place.project)?;
    let target = Target::new(&again, named, settings.around)?;
    let progress = Progress::new(&settings.screen);
    let jvms = Jvms {
        tools: &again.tools,
        next: &again.next,
        work: if settings.runs > MANY {
            Work::Long
        } else {
            Work::Short
        },
        silence: SILENCE,
    };
    let exploration = Exploration {
        settings: &settings,
        jvms: &jvms,
        subject: target.subject(),
        progress: &progress,
        seed: settings.seed.unwrap_or(again.document.summary.seed),
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
            .and_then(|explored| match explored {
                Ok(explored) => Ok(exploration.state_space(explored, &target, &settings.place.project)),
                Err(diverged) if diverged.of_threads => exploration.instead(&target),
                Err(diverged) => Err(exploration.flaky(&diverged)),
            }),
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
        None if !space.failures.is_empty() => ExitCode::Findings,
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
                let Details::ImplementationDependent { strategy, cause, .. } = &finding.details else {
                    return Err(not_implementation_dependent(&finding));
                };
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
