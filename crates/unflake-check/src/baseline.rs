//! What tests do without any variation (N7): those that pass go on, the others get a fact each.

use crate::check::Check;
use crate::drive::rounds::LaunchJvms;
use crate::ledger::{Fact, Ledger, Unvaried};
use crate::suite::Baseline;
use unflake_explore::{Jvm as _, Jvms as _, TestIx, Verdict};
use unflake_protocol::Outcome;

/// The tests that passed in the build. A test that failed there runs alone: if it passes, another one is to blame.
pub(crate) fn sort_out(check: &Check<'_>, ledger: &mut Ledger) -> Vec<TestIx> {
    let suite = &check.session.suite;
    let mut passed = Vec::new();
    let mut failed = Vec::new();
    for &test in check.selected {
        let known = &suite[test];
        if check
            .options
            .ignores
            .iter()
            .any(|ignore| ignore.leaves_out(&known.id))
        {
            ledger.add(Fact::Unvaried(test, Unvaried::Ignored));
            continue;
        }
        match &known.baseline {
            Baseline::Finished(Outcome::Passed) => passed.push(test),
            Baseline::Finished(Outcome::Skipped { .. }) => {
                ledger.add(Fact::Unvaried(test, Unvaried::Disabled));
            }
            Baseline::Finished(Outcome::Failed(failure)) => failed.push((test, failure.message.clone())),
            Baseline::Unfinished => ledger.add(Fact::Unvaried(test, Unvaried::Unfinished)),
        }
    }
    if !failed.is_empty() {
        check
            .progress
            .phase("running failing tests alone", failed.len() as u64);
        let alone = check.in_parallel(&failed, |(test, message)| {
            let passes = passes_alone(check, *test);
            check.progress.step();
            let message = message.clone();
            let what = if passes {
                Unvaried::FailsInSuite { message }
            } else {
                Unvaried::Fails { message }
            };
            Fact::Unvaried(*test, what)
        });
        alone.into_iter().for_each(|fact| ledger.add(fact));
    }
    passed
}

fn passes_alone(check: &Check<'_>, test: TestIx) -> bool {
    let Some(launch) = check.session.suite[test].launch else {
        return false;
    };
    let jvms = LaunchJvms {
        workers: check.workers,
        launch,
    };
    matches!(
        jvms.start().map(|mut jvm| jvm.run(&[test], None)),
        Ok(Verdict::Passed)
    )
}
