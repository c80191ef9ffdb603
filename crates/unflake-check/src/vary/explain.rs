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
use unflake_protocol::FailureSort;
use unflake_protocol::TestId;
use unflake_runner::Work;

/// The longest that a check looks for the cause of one finding; `unflake debug` has no limit.
const LIMIT: Duration = Duration::from_secs(20);
/// The same where the result must not depend on the clock: what a slow machine does in some minutes.
const MOST_RUNS: u32 = 200;

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
                hangs: failed.confirmed.failure.sort() == FailureSort::Hang,
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
        limit: (!check.workers.spread.repeatable).then_some(LIMIT),
        most_runs: check.workers.spread.repeatable.then_some(MOST_RUNS),
        deadline: check.options.budget.map(|budget| Instant::now() + budget),
        smallest_orders: true,
    };
    let causes = debugger.explain(failures, &|| check.progress.step());
    for (test, cause) in tests.into_iter().zip(causes) {
        let cause = Box::new(cause);
        ledger.add(Fact::Cause { test, cause });
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Ignore, SeedSetting};
    use crate::simulated::{Simulated, shown, simulated};

    /// What is said about causes after a check.
    fn causes(simulated: &Simulated) -> Vec<String> {
        let mut ledger = simulated.ledger();
        let document = simulated.document_of(&ledger).document;
        let before = ledger.facts().count();
        let is_one = simulated.check(|check| explain(check, &document, &mut ledger));
        let facts = shown(&ledger, &simulated.session.suite);
        assert_eq!(is_one, facts.len() > before);
        facts[before..].to_vec()
    }

    #[track_caller]
    fn check(simulated: Simulated, expected: &[&str]) {
        assert_eq!(causes(&simulated), expected);
    }

    #[track_caller]
    fn explains(does: &str, cause: &str) {
        check(
            simulated(&format!("A#a {does}")),
            &[&format!("A#a because of {cause}")],
        );
    }

    #[test]
    fn the_calls_that_must_vary_are_the_cause() {
        let calls = "chooses HashMap.keySet 3; chooses HashSet.iterator 2; chooses Class.getMethods 2;";
        explains(&format!("{calls} fails reordered 2"), "HashSet.iterator, warm");
        explains(
            &format!("{calls} fails reordered 1 and reordered 3"),
            "HashMap.keySet Class.getMethods, warm",
        );
    }

    #[test]
    fn what_fails_with_natural_choices_sees_identity_hashes() {
        explains("chooses HashMap.keySet 3; fails varied", "Object.hashCode");
        explains("fails varied", "Object.hashCode");
    }

    #[test]
    fn what_shows_in_the_first_run_of_a_jvm_only_is_looked_for_in_fresh_ones() {
        explains(
            "chooses HashMap.keySet 3; fails reordered 1 and once",
            "HashMap.keySet",
        );
        // Afterwards it does not pass in that JVM any more.
        explains(
            "chooses HashMap.keySet 3; fails reordered 1; dies unvaried and again",
            "HashMap.keySet",
        );
    }

    #[test]
    fn a_test_that_does_not_repeat_has_no_cause() {
        // It fails in the round and in all varied runs of its proof; what is tried later passes.
        let simulated =
            simulated("A#a fails turns ffpfpfpfpfpfpfpfpfp").with(|options| options.rounds = Some(1));
        check(
            simulated,
            &["A#a because of it passed when repeated (one reverse)"],
        );
    }

    #[test]
    fn without_time_there_is_no_cause() {
        // Without a seed each failure has a limit of its own as well: what ends first counts.
        for seed in [SeedSetting::Fixed(unflake_protocol::Seed(7)), SeedSetting::Fresh] {
            let simulated = simulated("A#a fails varied").with(|options| {
                options.budget = Some(Duration::ZERO);
                options.vary.seed = seed;
            });
            check(simulated, &["A#a because of time ran out before the first run"]);
        }
    }

    #[test]
    fn where_the_result_must_repeat_runs_are_counted() {
        let choices = "chooses HashMap.keySet 3; ".repeat(400);
        let needed: Vec<String> = (1..=400).step_by(10).map(|n| format!("reordered {n}")).collect();
        let suite = format!("A#a {choices}fails {}", needed.join(" and "));
        let said = causes(&simulated(&suite));
        assert!(
            said[0].starts_with("A#a because of 200 runs were not enough, with "),
            "{said:?}"
        );
    }

    #[test]
    fn what_only_the_build_can_repeat_is_not_explained() {
        let reason = "it fails only when the build tool runs it, where single choices cannot be repeated";
        let proof = ["!A#a", "A#a"].into_iter().cycle().take(15);
        let rebuilds: Vec<&str> = ["!A#a", "A#a", "A#a"].into_iter().chain(proof).collect();
        let simulated = simulated("A#a [no-launch]").rebuilds(&rebuilds);
        check(simulated, &[&format!("A#a because of {reason}")]);
    }

    #[test]
    fn findings_that_somebody_means_are_not_explained() {
        let meant = Ignore {
            test: Some("A#a".to_owned()),
            api: None,
            from: None,
            reason: "meant".to_owned(),
        };
        let with = |suite: &str| simulated(suite).with(|options| options.ignores = vec![meant.clone()]);
        check(with("A#a fails varied"), &[]);
        check(
            with("A#a fails varied\nA#b fails varied"),
            &["A#b because of Object.hashCode"],
        );
        check(simulated("A#a"), &[]);
    }

    #[test]
    fn a_jvm_is_used_for_the_next_failure_unless_the_result_must_repeat() {
        let starts = |seed| {
            let suite = "A#a chooses HashMap.keySet 3; fails reordered 1\n\
                         B#b chooses HashSet.iterator 2; fails reordered 1";
            let simulated = simulated(suite).with(|options| {
                options.rounds = Some(1);
                options.vary.seed = seed;
            });
            let ledger = &mut simulated.ledger();
            let document = simulated.document_of(ledger).document;
            let before = simulated.starts();
            assert!(simulated.check(|check| explain(check, &document, ledger)));
            simulated.starts() - before
        };
        assert_eq!(starts(SeedSetting::Fresh), 1);
        assert_eq!(starts(SeedSetting::Fixed(unflake_protocol::Seed(7))), 2);
    }

    #[test]
    fn what_ran_before_the_test_runs_before_it_again() {
        let simulated = simulated("A#a\nB#b chooses HashMap.keySet 2; fails after A#a and reordered 1");
        assert_eq!(causes(&simulated), ["B#b because of HashMap.keySet, warm"]);
        let commands = simulated.commands();
        let last = commands.iter().rev().take(5);
        assert!(last.into_iter().all(|command| command.starts_with("A#a B#b")));
    }

    #[test]
    fn a_finding_that_somebody_means_is_not_explained_because_of_another_one_of_its_test() {
        let simulated = simulated("A#a fails varied; changes S.n\nB#b").looking_for(&[
            crate::options::CheckKind::Id,
            crate::options::CheckKind::Pollution,
        ]);
        let mut ledger = simulated.ledger();
        let mut document = simulated.document_of(&ledger).document;
        assert_eq!(document.findings.len(), 2);
        for finding in &mut document.findings {
            let is_meant = finding.kind() == FindingKind::ImplementationDependent;
            finding.suppressed = is_meant.then(|| unflake_findings::Suppression {
                by: "unflake.toml".to_owned(),
                reason: "meant".to_owned(),
            });
        }
        assert!(!simulated.check(|check| explain(check, &document, &mut ledger)));
    }

    #[test]
    fn a_jvm_in_which_the_test_does_not_pass_afterwards_shows_nothing() {
        explains(
            "chooses HashMap.keySet 3; fails reordered 1; fails unvaried and again",
            "HashMap.keySet",
        );
    }

    #[test]
    fn after_a_failure_that_needs_fresh_jvms_no_warm_one_is_tried_for_its_class() {
        let starts = |class: &str, seed| {
            let does = "chooses HashMap.keySet 3; fails reordered 1 and once";
            let suite = format!("A#a {does}\n{class}#b {does}");
            let simulated = simulated(&suite).with(|options| {
                options.rounds = Some(1);
                options.vary.seed = seed;
            });
            let ledger = &mut simulated.ledger();
            let document = simulated.document_of(ledger).document;
            let before = simulated.starts();
            assert!(simulated.check(|check| explain(check, &document, ledger)));
            simulated.starts() - before
        };
        let fixed = SeedSetting::Fixed(unflake_protocol::Seed(7));
        assert!(starts("A", SeedSetting::Fresh) < starts("B", SeedSetting::Fresh));
        // Which failure comes first must not matter where the result must repeat.
        assert_eq!(starts("A", fixed), starts("B", fixed));
    }
}
