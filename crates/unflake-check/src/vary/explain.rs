//! The causes of what a check found.

use super::cause::{Debugger, ToExplain};
use crate::check::Check;
use crate::document::scope_of;
use crate::drive::patience::Patience;
use crate::drive::scripts::ScriptJvms;
use crate::ledger::{Fact, Ledger};
use crate::replay::Replay;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use unflake_explore::TestIx;
use unflake_findings::{Document, Finding, FindingKind};
use unflake_protocol::TestId;
use unflake_runner::Work;

/// The longest that a check looks for the cause of one finding; `unflake debug` has no limit.
const LIMIT: Duration = Duration::from_secs(20);

/// Finds the cause of each implementation-dependent finding that nobody suppressed. Whether there was one.
pub(crate) fn explain(check: &Check<'_>, document: &Document, ledger: &mut Ledger) -> bool {
    let is_one = |finding: &&Finding| {
        finding.suppressed.is_none() && finding.kind() == FindingKind::ImplementationDependent
    };
    let wanted: BTreeSet<&TestId> = document
        .findings
        .iter()
        .filter(is_one)
        .map(|finding| &finding.test)
        .collect();
    let suite = &check.session.suite;
    let failed = ledger.failed().into_iter();
    let failed = failed.filter(|failed| wanted.contains(&suite[failed.test].id));
    let (tests, failures): (Vec<TestIx>, Vec<ToExplain>) = failed
        .map(|failed| {
            let failure = ToExplain {
                strategy: failed.confirmed.weakest,
                scope: scope_of(failed.confirmed.scope),
                replay: Replay::of_failed(suite, failed),
            };
            (failed.test, failure)
        })
        .unzip();
    if failures.is_empty() {
        return false;
    }
    check.progress.phase("explaining", failures.len() as u64);
    let jvms = ScriptJvms {
        driver: &check.session.script_driver(),
        work: Work::Short,
        patience: Patience::checking(check.options.timeout),
    };
    let debugger = Debugger {
        session: check.session,
        jvms: &jvms,
        jobs: check.workers.spread.jobs,
        repeatable: check.workers.spread.repeatable,
        limit: Some(LIMIT),
        deadline: check.options.budget.map(|budget| Instant::now() + budget),
    };
    let causes = debugger.explain(failures, &|| check.progress.step());
    for (test, cause) in tests.into_iter().zip(causes) {
        let cause = Box::new(cause);
        ledger.add(Fact::Cause { test, cause });
    }
    true
}
