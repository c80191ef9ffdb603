//! `unflake explore`: all allowed behaviours of one test, up to a bound, and how likely it is to fail (N12).

mod result;
mod runs;
mod sampling;
#[cfg(test)]
mod tests;

use crate::drive::patience::Patience;
use crate::drive::scripts::{ScriptJvms, Subject};
use crate::options::ExploreOptions;
use crate::problem;
use crate::problem::{Problem, not_implementation_dependent};
use crate::progress::Progress;
use crate::stored_run::{Named, StoredRun};
use runs::Exploration;
use std::sync::Mutex;
use std::time::Instant;
use unflake_findings::{CauseStatus, Details, StateSpace};
use unflake_protocol::{Handle, Strategy, TestId};
use unflake_runner::{Launch, Work};

/// From this many executions on, the JVM's second compiler pays off. 20,000 of a small test under JUnit 5 took 34 s of
/// processor time with it and 24 s without.
const MANY: u64 = 50_000;

/// Explores one test of a stored run.
pub fn explore(
    stored: &StoredRun,
    named: Named,
    options: &ExploreOptions,
    progress: &dyn Progress,
) -> Result<StateSpace, Problem> {
    let target = Target::new(stored, named, options.around)?;
    let driver = stored.session.script_driver();
    let jvms = ScriptJvms {
        driver: &driver,
        work: if options.runs > MANY {
            Work::Long
        } else {
            Work::Short
        },
        patience: Patience::checking(None),
    };
    let exploration = Exploration {
        settings: options,
        jvms: &jvms,
        subject: target.subject(),
        progress,
        seed: options.seed.unwrap_or(stored.document.summary.seed),
        started: Instant::now(),
        cancel: &|| stored.session.driver().cancel().is_cancelled(),
        spare: Mutex::new(None),
    };
    let file = stored
        .run
        .directory()
        .join(format!("explore-{}.json", target.file()));
    let kept = exploration.kept(&file).filter(|_| stored.is_fresh);
    match options.random {
        Some(count) => exploration.random(count, &target),
        None => exploration
            .run(kept, &target, &file)
            .and_then(|explored| match explored {
                Ok(explored) => Ok(exploration.state_space(explored, &target, &stored.session.project)),
                Err(diverged) if diverged.of_threads => exploration.instead(&target),
                Err(diverged) => Err(exploration.flaky(&diverged)),
            }),
    }
}

/// The test that is explored.
struct Target {
    id: TestId,
    launch: Launch,
    tests: Vec<Handle>,
    /// The scopes whose choices vary; empty: all.
    only: Vec<String>,
    /// Explore around the failure that this one shows.
    around: Option<Strategy>,
    /// Its known failure shows in the first run of a JVM only.
    fails_once: bool,
}

impl Target {
    fn new(stored: &StoredRun, named: Named, around: bool) -> Result<Target, Problem> {
        let through_build = |id: &TestId| {
            problem!(
                CannotWork,
                "`{}` can only be run by the build tool, so it cannot be explored",
                id.test
            )
            .hint("check whether it needs something that only the build sets up")
        };
        let session = &stored.session;
        match named {
            Named::Finding(finding) => {
                let Details::ImplementationDependent { strategy, cause, .. } = &finding.details else {
                    return Err(not_implementation_dependent(&finding));
                };
                let replay = stored.replays.get(finding.id.as_str());
                let launch = replay.and_then(|replay| replay.launch);
                let (Some(replay), Some(launch)) = (replay, launch) else {
                    return Err(through_build(&finding.test));
                };
                Ok(Target {
                    launch: session.built(launch)?.clone(),
                    tests: session.suite.handles(&replay.tests),
                    only: session.suite.own_scopes(&replay.tests),
                    around: around.then_some(*strategy),
                    fails_once: cause.status == CauseStatus::Found && !cause.warm,
                    id: finding.test,
                })
            }
            Named::Test(test) if around => Err(problem!(
                NoTest,
                "`{}` did not fail in the run `{}`",
                session.suite[test].id.test,
                stored.run.id().as_str()
            )
            .hint("leave out `--around` to explore all of its behaviours")),
            Named::Test(test) => {
                let known = &session.suite[test];
                let launch = known.launch.ok_or_else(|| through_build(&known.id))?;
                Ok(Target {
                    launch: session.built(launch)?.clone(),
                    tests: vec![known.handle.clone()],
                    only: Vec::new(),
                    around: None,
                    fails_once: false,
                    id: known.id.clone(),
                })
            }
        }
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            launch: &self.launch,
            tests: &self.tests,
            strategy: self.around,
            only: &self.only,
            silence: None,
        }
    }

    /// A name for what is kept of its exploration.
    fn file(&self) -> String {
        let text = format!("{:?} {:?}", self.tests, self.around);
        blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
    }
}
