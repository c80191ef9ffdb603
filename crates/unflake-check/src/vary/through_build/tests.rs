//! The way through the build, with builds that are none.

use super::*;
use crate::simulated::{handle, shown, simulated};

/// `rebuilds`: what the build's further runs show: three rounds, then varied and unvaried ones in turn.
#[track_caller]
fn check(suite: &str, rebuilds: &[&'static str], expected: &[&str]) {
    let facts = simulated(suite).rebuilds(rebuilds).facts().into_iter();
    let facts: Vec<String> = facts.filter(|fact| !fact.ends_with(" rounds")).collect();
    assert_eq!(facts, expected);
}

const THROUGH: &str = "said: `A#a` ran through the build tool, in the guided rounds only; without it, the outcome was \
                       different";

/// These rounds, then a varied and an unvaried build, so often.
fn proof(rounds: [&'static str; 3], varied: &'static str, unvaried: &'static str) -> Vec<&'static str> {
    let pairs = [varied, unvaried].into_iter().cycle().take(15);
    rounds.into_iter().chain(pairs).collect()
}

#[test]
fn tests_that_cannot_be_started_run_through_the_build() {
    check("A#a [no-launch]", &["A#a"; 3], &[THROUGH, "A#a failed 0 of 3"]);
    // So do those that behave differently without it.
    check("A#a is-missing", &["A#a"; 3], &[THROUGH, "A#a failed 0 of 3"]);
    check("A#a skips", &["A#a"; 3], &[THROUGH, "A#a failed 0 of 3"]);
    check(
        "A#a fails",
        &["A#a"; 3],
        &["A#a failed 10 of 10", THROUGH, "A#a failed 0 of 3"],
    );
}

#[test]
fn a_failure_is_proved_by_builds_in_turn() {
    let first = "A#a fails since round 1, Prefix, one reverse, through the build";
    let second = "A#a fails since round 2, Prefix, full odd, through the build";
    for (rounds, rate, judged) in [
        (["!A#a", "A#a", "!A#a"], "A#a failed 2 of 3", first),
        (["A#a", "!A#a", "A#a"], "A#a failed 1 of 3", second),
        (["!A#a", "", "~A#a"], "A#a failed 1 of 1", first),
        // A class that ends its JVM outside of its tests fails them.
        (["!A", "A#a", "A#a"], "A#a failed 1 of 3", first),
    ] {
        check(
            "A#a [no-launch]",
            &proof(rounds, "!A#a", "A#a"),
            &[THROUGH, rate, judged],
        );
    }
    // One pair less is not enough.
    let short = proof(["!A#a", "A#a", "A#a"], "!A#a", "A#a");
    check(
        "A#a [no-launch]",
        &short[..short.len() - 1],
        &[THROUGH, "A#a failed 1 of 3", "A#a not confirmed"],
    );
}

#[test]
fn what_fails_unvaried_or_does_not_repeat_is_flaky_with_its_counts() {
    for (more, judged) in [
        (&["!A#a", "!A#a"][..], "2 of 4 varied, 1 of 2 unvaried"),
        (&["!A#a", "A#a", "!A#a", "!A#a"], "3 of 5 varied, 1 of 3 unvaried"),
        (
            &["A#a", "A#a", "A#a", "A#a", "A#a", "A#a", "A#a"],
            "1 of 7 varied, 0 of 4 unvaried",
        ),
    ] {
        let rebuilds: Vec<&str> = ["!A#a", "A#a", "A#a"].iter().chain(more).copied().collect();
        let judged = format!("A#a is flaky: {judged}");
        check(
            "A#a [no-launch]",
            &rebuilds,
            &[THROUGH, "A#a failed 1 of 3", &judged],
        );
    }
}

#[test]
fn each_build_serves_all_suspects_that_it_can() {
    let through = &THROUGH.replace("`A#a`", "2 tests (for example `A#a`)");
    let fails = |test: &str, how: &str| format!("{test} fails since round {how}, through the build");
    let rates = ["A#a failed 1 of 3", "A#b failed 1 of 3"];
    // Both fail in one round: 8 varied builds, 7 unvaried ones.
    let same = proof(["A#a A#b", "!A#a !A#b", "A#a A#b"], "!A#a !A#b", "A#a A#b");
    let [a, b] = ["A#a", "A#b"].map(|test| fails(test, "2, Prefix, full odd"));
    check(
        "A#a [no-launch]\nA#b",
        &same,
        &[through, rates[0], rates[1], &a, &b],
    );
    // In different ones: two varied builds for one unvaried.
    let rounds = ["A#a A#b", "!A#a A#b", "A#a !A#b"].into_iter();
    let triples = ["!A#a A#b", "A#a !A#b", "A#a A#b"].into_iter().cycle();
    let different: Vec<&str> = rounds.chain(triples.take(23)).collect();
    let (a, b) = (
        fails("A#a", "2, Prefix, full odd"),
        fails("A#b", "3, Prefix, full pairs"),
    );
    check(
        "A#a [no-launch]\nA#b",
        &different,
        &[through, rates[0], rates[1], &a, &b],
    );
    // One is decided early: the builds go on for the other.
    let mut early = proof(["!A#a !A#b", "A#a A#b", "A#a A#b"], "!A#a !A#b", "A#a");
    early[4] = "!A#b A#a";
    let a = fails("A#a", "1, Prefix, one reverse");
    let b = "A#b is flaky: 2 of 4 varied, 1 of 2 unvaried";
    check(
        "A#a [no-launch]\nA#b",
        &early,
        &[through, rates[0], rates[1], b, &a],
    );
}

#[test]
fn what_a_test_takes_along_runs_in_a_build_of_its_own() {
    let asked = std::cell::RefCell::new(Vec::new());
    let rebuild = |asking: &Rebuilding<'_>| {
        asked.borrow_mut().push(asking.classes.join(" "));
        let mut outcomes = BuildOutcomes::default();
        // `A` ends its JVM whenever it runs, and the classes behind it do not run then.
        if asking.classes[0] == "A" {
            outcomes.ended.push("A".to_owned());
            return Ok(outcomes);
        }
        let passed = |name: &str| (handle(name), Outcome::Passed);
        outcomes.tests.extend(["B#b", "C#c"].map(passed));
        Ok(outcomes)
    };
    let simulated = simulated("A#a [no-launch]\nB#b\nC#c");
    let mut ledger = Ledger::default();
    simulated.check(|check| check.run(&rebuild, &mut ledger, &|_| {}));
    assert_eq!(asked.into_inner(), ["A B C", "B C"].repeat(3));
    let facts = shown(&ledger, &simulated.session.suite);
    assert_eq!(
        facts[2..],
        [
            "B#b failed 0 of 3",
            "C#c failed 0 of 3",
            "A#a not run by the build"
        ]
    );
}

#[test]
fn only_what_has_not_run_runs_behind_a_class_that_ended_its_jvm() {
    let asked = std::cell::RefCell::new(Vec::new());
    let rebuild = |asking: &Rebuilding<'_>| {
        asked.borrow_mut().push(asking.classes.join(" "));
        let mut outcomes = BuildOutcomes::default();
        // `B` ends its JVM; `A` ran before it, and `C` is never run at all.
        if asking.classes.len() == 3 {
            outcomes.ended.push("B".to_owned());
            outcomes.tests.push((handle("A#a"), Outcome::Passed));
        }
        Ok(outcomes)
    };
    let simulated = simulated("A#a [no-launch]\nB#b\nC#c");
    simulated.check(|check| check.run(&rebuild, &mut Ledger::default(), &|_| {}));
    assert_eq!(asked.into_inner(), ["A B C", "C"].repeat(3));
}

#[test]
fn what_fails_often_is_proved_though_it_passes_last() {
    // It passes in the first and in the last of sixteen varied builds.
    let mut pairs: Vec<&str> = ["!A#a", "A#a"].repeat(16);
    pairs[0] = "A#a";
    pairs[30] = "A#a";
    let rebuilds: Vec<&str> = ["!A#a", "A#a", "A#a"]
        .into_iter()
        .chain(pairs)
        .take(3 + 31)
        .collect();
    let fails = "A#a fails since round 1, Prefix, one reverse, through the build";
    check(
        "A#a [no-launch]",
        &rebuilds,
        &[THROUGH, "A#a failed 1 of 3", fails],
    );
}

#[test]
fn a_test_may_be_missing_in_some_builds() {
    let proof = ["!A#a", "A#a"].into_iter().cycle().take(15);
    // Once varied, once unvaried.
    let missing = ["!A#a", "A#a", "A#a", "", ""].into_iter();
    let rebuilds: Vec<&str> = missing.chain(proof).chain(["!A#a", "A#a"]).collect();
    let facts = simulated("A#a [no-launch]").rebuilds(&rebuilds).facts();
    let fails = "A#a fails since round 1, Prefix, one reverse, through the build".to_owned();
    assert!(facts.contains(&fails), "{facts:?}");
}

#[test]
fn a_bug_of_the_agent_in_such_a_build_is_heard() {
    let rebuild = |_: &Rebuilding<'_>| {
        Ok(BuildOutcomes {
            bugs: vec!["oh".to_owned()],
            ..BuildOutcomes::default()
        })
    };
    let simulated = simulated("A#a [no-launch]");
    simulated.check(|check| check.run(&rebuild, &mut Ledger::default(), &|_| {}));
    let faults = simulated.session.driver().faults().all();
    assert_eq!(faults, [Fault::AgentOff("oh".to_owned())]);
}

#[test]
fn what_the_build_does_not_run_again_is_not_finished() {
    let not_run = "A#a not run by the build";
    check("A#a [no-launch]", &["", "~A#a", "B#x"], &[THROUGH, not_run]);
    // It fails once, and never runs again.
    let rebuilds = ["!A#a", "A#a", "A#a", "", "", ""];
    check(
        "A#a [no-launch]",
        &rebuilds,
        &[THROUGH, "A#a failed 1 of 3", not_run],
    );
}

#[test]
fn who_interrupts_gets_no_result_for_what_is_left() {
    check("A#a [no-launch]", &[], &[THROUGH, "A#a not reached"]);
    let after_one = |first: &'static str, judged: &str, rate: &str| {
        check("A#a [no-launch]", &[first], &[THROUGH, rate, judged]);
    };
    after_one("A#a", "A#a not reached", "A#a failed 0 of 1");
    after_one("!A#a", "A#a not confirmed", "A#a failed 1 of 1");
}

#[test]
fn a_build_that_fails_costs_these_tests_only() {
    let said = "said: tests that run through the build tool are not finished: no disk";
    let (cut, lost) = ("cut: ThroughBuild", "A#a lost its build: no disk");
    check("A#a [no-launch]", &["?no disk"], &[THROUGH, said, cut, lost]);
    let rate = "A#a failed 1 of 1";
    check(
        "A#a [no-launch]",
        &["!A#a", "?no disk"],
        &[THROUGH, rate, said, cut, lost],
    );
    let rate = "A#a failed 1 of 3";
    check(
        "A#a [no-launch]",
        &["!A#a", "A#a", "A#a", "!A#a", "?no disk"],
        &[THROUGH, rate, said, cut, lost],
    );
    // What was found without the build stays.
    let facts = simulated("A#a [no-launch]\nB#b [jvm 2] fails varied").rebuilds(&["?no disk"]);
    let facts = facts.facts();
    let found = "B#b fails since round 1, Alone, one reverse";
    assert!(facts.iter().any(|fact| fact == found), "{facts:?}");
}

#[test]
fn time_ends_these_builds_too() {
    let simulated = simulated("A#a [no-launch]")
        .rebuilds(&["!A#a"; 3])
        .with(|options| options.budget = Some(Duration::ZERO));
    let facts = simulated.facts();
    let said = "said: time ran out for tests that run through the build tool";
    assert_eq!(facts[2..], [said, "cut: ThroughBuild", "A#a not reached"]);
    assert!(matches!(
        Stop::OutOfTime.means(true),
        Unresolved::NotConfirmedInTime
    ));
}

#[test]
fn only_the_classes_of_these_tests_run_and_not_for_ever() {
    let simulated = simulated("A$In#a [no-launch]\nB#b [jvm 2]");
    let asked = std::cell::RefCell::new(Vec::new());
    let rebuild = |asking: &Rebuilding<'_>| {
        asked.borrow_mut().push(asking.classes.to_vec());
        assert!(asking.until > Instant::now() && asking.silence.least > Duration::ZERO);
        Ok(BuildOutcomes::default())
    };
    simulated.check(|check| check.run(&rebuild, &mut Ledger::default(), &|_| {}));
    assert_eq!(asked.into_inner(), vec![vec!["A".to_owned()]; 3]);
}

#[test]
fn a_build_is_not_asked_for_more_once_the_user_has_had_enough() {
    let simulated = simulated("A#a [no-launch]\nB#a [jvm 2] cancels");
    let facts = simulated.rebuilds(&["A#a"; 3]).facts();
    assert_eq!(facts, ["0 rounds", "A#a not reached", "B#a not reached"]);
}

#[test]
fn no_build_runs_longer_than_the_budget() {
    let until = |budget: u64| {
        let simulated = simulated("A#a [no-launch]");
        let simulated = simulated.with(|options| options.budget = Some(Duration::from_secs(budget)));
        let latest = std::cell::Cell::new(Duration::ZERO);
        let rebuild = |asking: &Rebuilding<'_>| {
            let left = asking.until.saturating_duration_since(Instant::now());
            latest.set(latest.get().max(left));
            Ok(BuildOutcomes::default())
        };
        simulated.check(|check| check.run(&rebuild, &mut Ledger::default(), &|_| {}));
        latest.get()
    };
    assert!(until(50) <= Duration::from_secs(50));
    // However long the budget is, one build may take about as long as the first one did, and a minute.
    let limit = until(100_000);
    assert!(
        limit > Duration::from_secs(60) && limit < Duration::from_secs(200),
        "{limit:?}"
    );
}

#[test]
fn no_build_begins_once_the_user_has_had_enough() {
    let simulated = simulated("A#a [no-launch]");
    let builds = std::cell::Cell::new(0);
    let rebuild = |_: &Rebuilding<'_>| {
        builds.set(builds.get() + 1);
        simulated.cancel.cancel();
        Ok(BuildOutcomes::default())
    };
    let mut ledger = Ledger::default();
    simulated.check(|check| check.run(&rebuild, &mut ledger, &|_| {}));
    assert_eq!(builds.get(), 1);
    let facts = shown(&ledger, &simulated.session.suite);
    assert!(facts.contains(&"A#a not reached".to_owned()), "{facts:?}");
}
