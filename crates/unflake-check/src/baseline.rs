//! What tests do without any variation (N7): those that pass go on, the others get a fact each.

use crate::check::Check;
use crate::drive::rounds::LaunchJvms;
use crate::ledger::{Fact, Ledger, Unvaried};
use crate::suite::Baseline;
use crate::vary::unvaried_runs;
use std::collections::BTreeSet;
use unflake_explore::{Jvm as _, Jvms as _, TestIx, Trial, Varied, Verdict};
use unflake_protocol::Outcome;

/// The tests that passed in the build. A test that failed there runs alone: if it passes, another one is to blame.
pub(crate) fn sort_out(check: &Check<'_>, ledger: &mut Ledger) -> Vec<TestIx> {
    let suite = &check.session.suite;
    let mut passed = Vec::new();
    let mut failed = Vec::new();
    for &test in check.selected {
        let known = &suite[test];
        match &known.baseline {
            Baseline::Finished(Outcome::Passed) => passed.push(test),
            Baseline::Finished(Outcome::Skipped { .. }) => {
                ledger.add(Fact::Unvaried(test, Unvaried::Disabled));
            }
            Baseline::Finished(Outcome::Failed(failure)) => failed.push((test, failure.message.clone())),
            Baseline::Unfinished => ledger.add(Fact::Unvaried(test, Unvaried::Unfinished)),
            // It may have been a thread that an earlier test left behind.
            Baseline::EndedJvm(message) => failed.push((test, message.clone())),
            Baseline::NotReached(reason) => {
                ledger.add(Fact::Unvaried(test, Unvaried::NotReached(reason.clone())));
            }
        }
    }
    let in_company = pass_in_company(check, &failed);
    failed.retain(|(test, message)| {
        let passes = in_company.contains(test);
        if passes {
            let message = message.clone();
            let is_alone = false;
            ledger.add(Fact::Unvaried(
                *test,
                Unvaried::FailsInSuite { message, is_alone },
            ));
        }
        !passes
    });
    if !failed.is_empty() {
        check
            .progress
            .phase("running failing tests alone", failed.len() as u64);
        let alone = check.in_parallel(&failed, |(test, message)| {
            let passes = passes_alone(check, *test);
            check.progress.step();
            let message = message.clone();
            let what = if passes {
                Unvaried::FailsInSuite {
                    message,
                    is_alone: true,
                }
            } else {
                Unvaried::Fails { message }
            };
            Fact::Unvaried(*test, what)
        });
        alone.into_iter().for_each(|fact| ledger.add(fact));
    }
    passed
}

/// Of many that failed in the build, those that pass if nothing but the others of them runs before them: a JVM for each
/// test would be many. Those that ended their JVM there would end ours, too.
fn pass_in_company(check: &Check<'_>, failed: &[(TestIx, String)]) -> BTreeSet<TestIx> {
    /// From so many on.
    const MANY: usize = 10;
    const MOST: usize = 4;
    /// They run once more if at least one in so many passed.
    const ONE_IN: usize = 10;
    let has_finished = |test: &TestIx| matches!(check.session.suite[*test].baseline, Baseline::Finished(_));
    let tests = failed.iter().map(|(test, _)| *test);
    let mut left: Vec<TestIx> = tests.filter(has_finished).collect();
    let mut passed = BTreeSet::new();
    for _ in 0..MOST {
        if left.len() < MANY || check.is_cancelled() {
            break;
        }
        let before = left.len();
        let counted = unvaried_runs(check, &left, 1);
        let passes = |test: &TestIx| counted.get(test).is_some_and(|(counts, _)| counts.passed() > 0);
        passed.extend(left.iter().copied().filter(passes));
        left.retain(|test| !passed.contains(test));
        if (before - left.len()) * ONE_IN < before {
            break;
        }
    }
    passed
}

fn passes_alone(check: &Check<'_>, test: TestIx) -> bool {
    let Some(launch) = check.session.suite[test].launch else {
        return false;
    };
    let jvms = LaunchJvms::new(check.workers, launch);
    let alone = Trial {
        before: &[],
        test,
        varied: Varied::Nothing,
        is_patient: true,
    };
    matches!(jvms.start().map(|mut jvm| jvm.run(&alone)), Ok(Verdict::Passed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, shown, simulated};

    #[track_caller]
    fn check(simulated: &Simulated, passed: &str, facts: &[&str]) {
        let mut ledger = Ledger::default();
        let found = simulated.check(|check| sort_out(check, &mut ledger));
        assert_eq!(simulated.names(&found), passed);
        assert_eq!(shown(&ledger, &simulated.session.suite), facts);
    }

    #[test]
    fn only_what_passed_in_the_build_goes_on() {
        check(
            &simulated("A#a\nA#b [skipped]\nA#c\nB#a [unfinished]"),
            "A#a A#c",
            &["A#b is disabled", "B#a is unfinished"],
        );
    }

    #[test]
    fn who_ended_the_build_s_jvm_fails_and_what_was_not_reached_is_not_finished() {
        let mut simulated = simulated("A#a\nB#a dies\nC#a\nD#a");
        let tests = &mut simulated.session.suite.tests;
        let ended = || Baseline::EndedJvm("ended its JVM".to_owned());
        tests[1].baseline = ended();
        tests[2].baseline = Baseline::NotReached("time ran out".to_owned());
        tests[3].baseline = ended();
        check(
            &simulated,
            "A#a",
            &[
                "C#a is not reached: time ran out",
                "B#a fails unvaried: ended its JVM",
                "D#a fails in the suite: ended its JVM",
            ],
        );
    }

    #[test]
    fn a_test_that_fails_in_the_build_and_passes_alone_blames_another() {
        check(
            &simulated("A#a\nA#b [failed] fails after A#a"),
            "A#a",
            &["A#b fails in the suite: failed in the build"],
        );
    }

    #[test]
    fn of_many_that_fail_in_the_build_those_that_pass_among_themselves_cost_no_jvm_each() {
        let starts = |count: usize, does: &str| {
            // Every second one.
            let does = |n: usize| does.split('|').cycle().nth(n).unwrap_or_default();
            let suite = (0..count).map(|n| format!("A#a{n} [failed] {}", does(n)));
            let suite: Vec<String> = suite.collect();
            let simulated = simulated(&suite.join("\n"));
            let mut ledger = Ledger::default();
            assert!(simulated.check(|check| sort_out(check, &mut ledger)).is_empty());
            let facts = shown(&ledger, &simulated.session.suite);
            let in_suite = facts.iter().filter(|fact| fact.contains("fails in the suite"));
            (simulated.starts(), in_suite.count())
        };
        assert_eq!(starts(9, ""), (9, 9));
        assert_eq!(starts(40, ""), (1, 40));
        // What fails among them runs alone, too.
        assert_eq!(starts(40, "fails"), (41, 0));
        assert_eq!(starts(40, "fails after A#a0"), (40, 40));
        assert_eq!(starts(40, "fails turns fp"), (41, 40));
        // As long as some pass, the others have another go.
        assert_eq!(starts(40, "fails turns fp|"), (2, 40));
    }

    #[test]
    fn a_test_that_does_not_pass_alone_fails_by_itself() {
        let fails = ["A#a fails unvaried: failed in the build"];
        for does in [
            "fails",
            "dies",
            "hangs",
            "skips",
            "is-missing",
            "set-up-fails",
            "cancels",
        ] {
            check(&simulated(&format!("A#a [failed] {does}")), "", &fails);
        }
        check(&simulated("A#a [failed, no-launch]"), "", &fails);
        check(&simulated("A#a [failed]").most_starts(0), "", &fails);
    }
}
