//! Tests that do something else when they are isolated: they need a network, a service of this machine, the user's own
//! home, or a file system that is none of ours.
//!
//! Nobody knows this beforehand, so each phase asks about tests that passed in the build and did not pass inside
//! without any variation. The class of a test that passes outside runs there from then on; one that passes if no other
//! JVM is in its way runs alone.

use crate::check::Check;
use crate::drive::driver::{Driver, Exception};
use crate::drive::rounds::Workers;
use crate::drive::units::{Spread, Turn, units};
use crate::ledger::{Fact, Ledger};
use std::collections::BTreeSet;
use unflake_explore::{TestIx, Verdict};

/// Finds out what these tests need that did not pass inside. Gives those that can be checked now: their classes are
/// exceptions from now on.
pub(crate) fn make_exceptions(check: &Check<'_>, tests: &[TestIx]) -> Vec<TestIx> {
    let mut tests = startable(check, tests);
    let mut found = Vec::new();
    // Where JVMs share something, another one may have been in their way.
    let alone = (!check.session.is_apart()).then_some(Exception::Alone);
    for exception in alone.into_iter().chain([Exception::Outside]) {
        found.extend(made(check, &tests, exception));
        tests.retain(|test| !found.contains(test));
    }
    found.sort_unstable();
    found
}

/// The same for tests that failed in another order, which is why they need not be alone. Gives those that pass outside
/// only.
pub(crate) fn move_outside(check: &Check<'_>, tests: &[TestIx]) -> Vec<TestIx> {
    made(check, &startable(check, tests), Exception::Outside)
}

/// Those of which it is known that they passed, and not known that they belong outside; sorted.
fn startable(check: &Check<'_>, tests: &[TestIx]) -> Vec<TestIx> {
    let suite = &check.session.suite;
    let known: BTreeSet<String> = check.workers.driver.outside_classes().into_iter().collect();
    let is_new = |test: &TestIx| {
        let test = &suite[*test];
        test.launch.is_some() && test.has_passed() && !known.contains(&test.handle.root)
    };
    let mut tests: Vec<TestIx> = tests.iter().copied().filter(is_new).collect();
    tests.sort_unstable();
    tests
}

/// Those that pass with this exception only. A test that passes now and then does so by chance too, so there is more
/// than one run.
fn made(check: &Check<'_>, tests: &[TestIx], exception: Exception) -> Vec<TestIx> {
    /// Runs inside that fail, with the one that made somebody ask, and as many outside that pass: what fails by chance
    /// does so in fewer than 1 of 256 cases. Twice would be 1 of 16, and in a suite with many such tests class after
    /// class would lose its isolation.
    const TIMES: usize = 4;
    let driver = check.workers.driver;
    let outside = driver.clone().outside();
    let runs = match exception {
        Exception::Alone => vec![(driver, true), (driver, true)],
        Exception::Outside => {
            let mut runs = vec![(&outside, true)];
            for _ in 1..TIMES {
                runs.extend([(driver, false), (&outside, true)]);
            }
            runs
        }
    };
    let mut tests = tests.to_vec();
    if !tests.is_empty() {
        let steps = (tests.len() * runs.len()) as u64;
        check.progress.phase("running tests without isolation", steps);
    }
    for (driver, passes) in runs {
        if tests.is_empty() || check.is_cancelled() {
            return Vec::new();
        }
        let passed = passing(check, driver, &tests);
        tests.retain(|test| passed.contains(test) == passes);
    }
    if check.is_cancelled() {
        return Vec::new();
    }
    for test in &tests {
        driver.make_exception(&check.session.suite[*test].handle.root, exception);
    }
    tests
}

/// Those that pass in JVMs of this driver, one after the other.
fn passing(check: &Check<'_>, driver: &Driver, tests: &[TestIx]) -> BTreeSet<TestIx> {
    let spread = Spread {
        jobs: 1,
        ..check.workers.spread
    };
    let workers = Workers {
        driver,
        spread,
        ..*check.workers
    };
    let turn = Turn {
        round: 1,
        strategy: None,
        tests: tests.to_vec(),
    };
    let units = units(&check.session.suite, &[turn], spread);
    let verdicts = workers.run(units, &|_, _| check.progress.step());
    let passed = verdicts
        .into_iter()
        .filter(|(_, verdict)| *verdict == Verdict::Passed);
    passed.map(|((_, test), _)| test).collect()
}

/// Says which of the selected tests ran outside.
pub(crate) fn tell(check: &Check<'_>, ledger: &mut Ledger) {
    let classes: BTreeSet<String> = check.workers.driver.outside_classes().into_iter().collect();
    let is_outside = |test: &&TestIx| classes.contains(&check.session.suite[**test].handle.root);
    for test in check.selected.iter().filter(is_outside) {
        ledger.add(Fact::RanOutside(*test));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, simulated};

    fn passing_outside(simulated: &Simulated, tests: &[&str]) -> String {
        let tests: Vec<TestIx> = tests.iter().map(|name| simulated.test(name)).collect();
        simulated.names(&simulated.check(|check| make_exceptions(check, &tests)))
    }

    #[test]
    fn a_class_moves_outside_if_one_of_its_tests_passes_there() {
        let simulated =
            simulated("A#a fails inside\nA#b\nB#b fails\nC#c skips inside\nD#d [failed] fails inside");
        assert_eq!(
            passing_outside(&simulated, &["A#a", "B#b", "C#c", "D#d"]),
            "A#a C#c"
        );
        assert_eq!(simulated.session.driver().outside_classes(), ["A", "C"]);
        // They are known now, and B has had its chance.
        assert_eq!(passing_outside(&simulated, &["A#b", "C#c"]), "");
    }

    #[test]
    fn what_passes_now_and_then_does_not_move() {
        for turns in ["pf", "ppf", "pfff", "pfp", "pfpfp"] {
            let simulated = simulated(&format!("A#a fails turns {turns}"));
            assert_eq!(passing_outside(&simulated, &["A#a"]), "", "{turns}");
        }
        let chance = simulated("A#a fails turns pfpfpfp");
        assert_eq!(passing_outside(&chance, &["A#a"]), "A#a");
    }

    #[test]
    fn what_passes_when_nobody_else_runs_runs_alone() {
        // The rounds have seen it fail once.
        let alone = simulated("A#a").sharing();
        assert_eq!(passing_outside(&alone, &["A#a"]), "A#a");
        assert!(alone.session.driver().outside_classes().is_empty());
        assert_eq!(alone.commands(), ["A#a", "A#a"]);
    }

    #[test]
    fn what_needs_to_be_outside_is_checked_there() {
        let simulated = simulated("A#a fails inside\nB#b fails inside; fails varied\nC#c");
        let facts = simulated.facts();
        let has = |fact: &str| assert!(facts.iter().any(|found| found.contains(fact)), "{facts:#?}");
        has("B#b fails since round 1");
        has("A#a ran outside");
        has("B#b ran outside");
        assert!(
            !facts
                .iter()
                .any(|fact| fact.contains("A#a fails since") || fact.contains("C#c ran outside"))
        );
        assert!(!facts.iter().any(|fact| fact.contains("through the build")));
    }

    #[test]
    fn what_is_found_does_not_depend_on_what_jvms_share() {
        for suite in [
            "A#a fails varied\nB#b",
            "A#a\nA#b fails varied and after A#a",
            "A#a\nB#b fails varied and after A#a\nC#c dies varied",
        ] {
            let apart = simulated(suite).facts();
            let sharing = simulated(suite).sharing().facts();
            assert_eq!(apart, sharing);
            assert!(
                apart.iter().any(|fact| fact.contains("fails since")),
                "{apart:#?}"
            );
        }
    }

    #[test]
    fn what_another_jvm_makes_fail_is_not_the_tests_doing() {
        // In JVMs that share ports and files, what fails runs again with nobody beside it.
        let suite = "A#a fails turns fp\nB#b";
        let facts = simulated(suite).sharing().facts();
        assert!(facts.contains(&"A#a failed 0 of 10".to_owned()), "{facts:#?}");
        assert!(!facts.contains(&"A#a ran outside".to_owned()), "{facts:#?}");
    }
}
