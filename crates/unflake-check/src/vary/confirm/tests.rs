use super::*;
use crate::simulated::{Simulated, failure, simulated};
use std::num::NonZeroUsize;
use unflake_explore::Scope;

#[track_caller]
fn check(simulated: Simulated, expected: &[&str]) {
    let facts = simulated.facts().into_iter();
    let facts: Vec<String> = facts.filter(|fact| !fact.contains("rounds")).collect();
    assert_eq!(facts, expected);
}

#[track_caller]
fn finds(suite: &str, expected: &[&str]) {
    check(simulated(suite), expected);
}

#[test]
fn a_failure_counts_if_it_repeats_varied_and_vanishes_unvaried() {
    finds(
        "A#a fails varied\nA#b",
        &[
            "A#a failed 10 of 10",
            "A#b failed 0 of 10",
            "A#a fails since round 1, Alone, one reverse",
        ],
    );
}

#[test]
fn the_weakest_level_that_fails_is_looked_for() {
    for (level, weakest) in [("full", "full odd"), ("id", "id odd"), ("eq", "eq odd")] {
        let suite = format!("A#a fails level {level}");
        let fails = format!("A#a fails since round 2, Alone, {weakest}");
        finds(&suite, &["A#a failed 9 of 10", &fails]);
    }
}

#[test]
fn what_has_to_run_before_is_part_of_the_finding() {
    finds(
        "A#a\nA#b fails varied and after A#a",
        &[
            "A#a failed 0 of 10",
            "A#b failed 10 of 10",
            "A#b fails since round 1, Class, one reverse",
        ],
    );
    finds(
        "A#a\nB#b fails varied and after A#a",
        &[
            "A#a failed 0 of 10",
            "B#b failed 10 of 10",
            "B#b fails since round 1, Prefix, one reverse",
        ],
    );
}

#[test]
fn what_passes_when_it_is_repeated_is_flaky() {
    finds(
        "A#a fails turns fp",
        &[
            "A#a failed 1 of 10",
            "A#a is flaky: 1 of 13 varied, 0 of 1 unvaried",
        ],
    );
}

#[test]
fn what_fails_only_where_it_ran_before_is_its_own_doing() {
    // The guided rounds share a JVM, the random ones do not.
    for does in ["fails varied and again", "fails again"] {
        finds(
            &format!("A#a {does}"),
            &["A#a failed 2 of 10", "A#a runs only once"],
        );
    }
}

#[test]
fn later_rounds_are_tried_if_the_first_does_not_repeat() {
    finds(
        "A#a fails turns fp; fails form random",
        &[
            "A#a failed 8 of 10",
            "A#a fails since round 4, Alone, one seed 250215905540262",
        ],
    );
}

#[test]
fn what_repeats_in_none_of_three_rounds_is_flaky() {
    let third = "A#a fails since round 4, Alone, one seed 250215905540262";
    finds(
        "A#a fails turns ffp; fails form random",
        &["A#a failed 9 of 10", third],
    );
    finds(
        "A#a fails turns fffp; fails form random",
        &[
            "A#a failed 10 of 10",
            "A#a is flaky: 10 of 19 varied, 0 of 1 unvaried",
        ],
    );
}

#[test]
fn a_test_that_needs_those_before_it_depends_on_the_order() {
    let suite = "A#a\nB#b fails without A#a";
    let two = simulated(suite).with(|options| options.jobs = NonZeroUsize::new(2).unwrap());
    check(
        two,
        &[
            "A#a failed 0 of 10",
            "B#b failed 10 of 10",
            "B#b needs others: B#b fails",
        ],
    );
    finds(suite, &["A#a failed 0 of 10", "B#b failed 0 of 10"]);
}

#[test]
fn a_jvm_that_ends_is_the_failure_of_the_test_that_ran() {
    // Once it has ended a JVM, no round runs it again.
    for does in ["dies", "hangs"] {
        finds(
            &format!("A#a {does} varied\nA#b"),
            &[
                "A#a failed 1 of 1",
                "A#b failed 0 of 10",
                "A#a fails since round 1, Alone, one reverse",
            ],
        );
    }
    // Between two tests it is nobody's.
    finds("A#a exits\nA#b", &["A#a failed 0 of 10", "A#b failed 0 of 10"]);
}

#[test]
fn a_set_up_that_fails_varied_fails_its_tests() {
    finds(
        "A#a set-up-fails varied\nA#b\nB#a",
        &[
            "A#a failed 10 of 10",
            "A#b failed 10 of 10",
            "B#a failed 0 of 10",
            "A#a fails since round 1, Alone, one reverse",
            "A#b fails since round 1, Class, one reverse",
        ],
    );
}

#[test]
fn without_a_jvm_nothing_is_confirmed() {
    let simulated = simulated("A#a fails varied").with(|options| options.rounds = Some(1));
    let reason = unflake_runner::StartError::OtherProtocol(0).to_string();
    let expected = format!("A#a has no JVM: {reason}");
    check(simulated.most_starts(1), &["A#a failed 1 of 1", &expected]);
}

#[test]
fn who_has_had_enough_gets_no_confirmation() {
    finds(
        "A#a fails varied; cancels unvaried\nB#b fails varied",
        &[
            "A#a failed 10 of 10",
            "B#b failed 10 of 10",
            "A#a not confirmed",
            "B#b not confirmed",
        ],
    );
}

#[test]
fn tests_of_one_class_share_a_jvm_as_long_as_it_is_as_good_as_new() {
    let starts = |suite: &str| {
        let simulated = simulated(suite).with(|options| options.rounds = Some(1));
        simulated.facts();
        simulated.starts()
    };
    assert_eq!(starts("A#a fails varied\nA#b fails varied"), 2);
    assert_eq!(starts("A#a fails varied\nB#b fails varied"), 3);
}

#[test]
fn of_many_suspects_those_that_fail_unvaried_now_and_then_are_flaky_at_once() {
    let mut suite = String::from("A#flaky fails turns fpfpfp; fails form random\n");
    for n in 0..10 {
        suite.push_str(&format!("B#b{n} fails varied\n"));
    }
    let simulated = simulated(&suite).with(|options| options.rounds = Some(1));
    let facts = simulated.facts();
    // Passed in the build, failed in the round, then passed, failed, passed, failed unvaried.
    assert!(
        facts.contains(&"A#flaky is flaky: 1 of 1 varied, 2 of 5 unvaried".to_owned()),
        "{facts:?}"
    );
    assert_eq!(
        facts.iter().filter(|fact| fact.contains("fails since")).count(),
        10
    );
}

#[test]
fn of_many_suspects_those_that_pass_when_the_round_is_repeated_cost_no_jvm_each() {
    let starts = |does: &str, count: usize| {
        let suite: Vec<String> = (0..count).map(|n| format!("A#a{n} {does}")).collect();
        let simulated = simulated(&suite.join("\n")).with(|options| options.rounds = Some(1));
        let facts = simulated.facts();
        let flaky = facts.iter().filter(|fact| fact.contains("is flaky")).count();
        (simulated.starts(), flaky)
    };
    // Failed in the round, passed in four unvaried runs of all, in the round again, and three times alone.
    let (few, flaky) = starts("fails turns fp", 10);
    assert_eq!(flaky, 10);
    let (more, flaky) = starts("fails turns fp", 40);
    assert_eq!(flaky, 40);
    assert_eq!(few, more);
    // What fails when the round is repeated is looked for with the tests before it too.
    let (dear, _) = starts("fails turns fppppfp", 40);
    assert!(dear > 2 * more, "{dear} {more}");
}

#[test]
fn what_needs_fresh_jvms_is_confirmed_in_batches() {
    // Each fails only the first time in a JVM, so that no JVM shows it twice.
    let checked = |count: usize| {
        let suite: Vec<String> = (0..count)
            .map(|n| format!("C{n}#a fails varied and once"))
            .collect();
        let simulated = simulated(&suite.join("\n")).with(|options| options.rounds = Some(1));
        let facts = simulated.facts();
        let is_found = |fact: &&String| fact.contains("fails since round 1, Alone, one reverse");
        assert_eq!(facts.iter().filter(is_found).count(), count);
        simulated.starts()
    };
    // A JVM for what was tried first, and one for the last word; all else is shared.
    assert_eq!(checked(25) - checked(15), 2 * 10);
}

#[test]
fn what_fails_after_others_still_counts_among_many() {
    // A test that ends its JVM is not run again with the others, so nobody knows yet whether it would pass.
    for does in ["fails", "crashes"] {
        let mut suite = format!("A#a\nB#b {does} varied and after A#a\n");
        for n in 0..10 {
            suite.push_str(&format!("C#c{n} fails turns fp\n"));
        }
        let facts = simulated(&suite).facts();
        let expected = "B#b fails since round 1, Prefix, one reverse".to_owned();
        assert!(facts.contains(&expected), "{facts:?}");
    }
}

#[test]
fn a_crash_that_does_not_repeat_was_perhaps_somebody_elses_doing() {
    let faults = |suite: &str| {
        let simulated = simulated(suite);
        simulated.facts();
        let faults = simulated.session.driver().faults().all();
        // A test that ended the build's JVM too is known by this.
        let named = Some(simulated.session.suite[TestIx(0)].handle.clone());
        let is_named = |fault: &Fault| matches!(fault, Fault::Ended { during, .. } if *during == named);
        assert!(faults.iter().all(is_named), "{faults:?}");
        faults.len()
    };
    assert_eq!(faults("A#a crashes turns fp\nA#b"), 1);
    assert_eq!(faults("A#a crashes varied\nA#b"), 0);
    assert_eq!(faults("A#a fails turns fp\nA#b"), 0);
}

#[test]
fn the_budget_ends_confirmation_too_but_not_at_once() {
    assert_eq!(time_for(Duration::ZERO), Duration::from_secs(60));
    assert_eq!(time_for(Duration::from_secs(90)), Duration::from_secs(90));
    assert_eq!(Tried::none().result, Err(Unconfirmed::Cancelled));
}

#[test]
fn each_result_is_judged() {
    let confirmed = Confirmed {
        scope: Scope::Alone,
        failure: failure("no"),
        weakest: strategy_of_round(1, None, unflake_protocol::Seed(7)),
        evidence: Evidence::LEARNED,
        trials: Vec::new(),
    };
    let failure = || Box::new(failure("no"));
    type Case<'a> = (bool, Result<(u32, Confirmed), Unconfirmed>, &'a str);
    let cases: [Case<'_>; 11] = [
        (false, Ok((4, confirmed.clone())), "failed in round 4"),
        (true, Ok((4, confirmed)), "failed in round 4"),
        (false, Err(Unconfirmed::Flaky(None)), "flaky: first"),
        (false, Err(Unconfirmed::Flaky(Some(failure()))), "flaky: no"),
        (true, Err(Unconfirmed::Flaky(None)), "NotConfirmed"),
        (
            false,
            Err(Unconfirmed::NeedsOthers(failure())),
            "NeedsOthers { message: \"no\" }",
        ),
        (false, Err(Unconfirmed::BrokenByOthers), "BrokenByOthers"),
        (false, Err(Unconfirmed::FailsUnvaried(failure())), "through build"),
        (false, Err(Unconfirmed::NotRun), "through build"),
        (false, Err(Unconfirmed::NoJvm("x".to_owned())), "NoJvm(\"x\")"),
        (false, Err(Unconfirmed::Cancelled), "NotConfirmedInTime"),
    ];
    for (is_cancelled, result, expected) in cases {
        let shown = format!("{result:?}");
        let suspect = FailedIn {
            test: TestIx(0),
            rounds: vec![4],
            rate: Rate { failed: 1, runs: 4 },
            message: "first".to_owned(),
            has_crashed: false,
            has_not_repeated: false,
        };
        let inquiry = Inquiry::default();
        let tried = Tried { result, inquiry };
        let judged = match judge(&suspect, tried, is_cancelled) {
            Confirmation::Fact(Fact::Failed(failed)) => format!("failed in round {}", failed.round),
            Confirmation::Fact(Fact::Unresolved(_, Unresolved::Flaky { message, .. })) => {
                format!("flaky: {message}")
            }
            Confirmation::Fact(Fact::Unresolved(_, why)) => format!("{why:?}"),
            Confirmation::Fact(other) => format!("{other:?}"),
            Confirmation::ThroughBuild => "through build".to_owned(),
        };
        assert_eq!(judged, expected, "{shown}");
    }
}

#[test]
fn the_round_that_is_repeated_counts_among_the_runs() {
    // In the rounds, in the one that failed again, and three times alone. The fourth round is a random one.
    for (turns, rounds, runs) in [("fp", 1, 5), ("pppfp", 4, 8)] {
        let suite: Vec<String> = (0..10).map(|n| format!("A#a{n} fails turns {turns}")).collect();
        let simulated = simulated(&suite.join("\n")).with(|options| options.rounds = Some(rounds));
        let facts = simulated.facts();
        let expected = format!("A#a0 is flaky: 1 of {runs} varied, 0 of 1 unvaried");
        assert!(facts.contains(&expected), "{facts:?}");
    }
}

#[test]
fn tests_that_a_warm_jvm_confirms_are_not_confirmed_again() {
    let starts = |count: usize| {
        let suite: Vec<String> = (0..count).map(|n| format!("A#a{n} fails varied")).collect();
        let simulated = simulated(&suite.join("\n")).with(|options| options.rounds = Some(1));
        simulated.facts();
        simulated.starts()
    };
    assert_eq!([1, 3, 9].map(starts), [2, 2, 2]);
}

#[test]
fn in_later_rounds_a_failure_has_to_show_alone() {
    // It fails in the first round by chance, and in random ones after another test.
    let suite = "A#a\nA#b fails turns fp; fails form random and after A#a";
    let facts = simulated(suite).facts();
    assert!(facts[2].starts_with("A#b failed 8 of 10"), "{facts:?}");
    assert!(
        !facts.iter().any(|fact| fact.contains("fails since")),
        "{facts:?}"
    );
}

#[test]
fn the_first_round_in_which_it_failed_says_whose_doing_it_is() {
    // Twice since it ran before in that JVM, and once more by chance.
    finds(
        "A#a fails again; fails turns pppfp",
        &["A#a failed 3 of 10", "A#a runs only once"],
    );
}

/// Tests that fail by chance, some in each run, some in each run of a JVM, among some that truly depend on an
/// implementation.
fn by_chance() -> String {
    let mut suite = String::new();
    for n in 0..120 {
        let percent = 2 + n * 68 / 119;
        let luck = if n % 3 == 1 { "jvm-luck" } else { "luck" };
        suite.push_str(&format!("C{}#c{n} fails {luck} {percent}\n", n % 10));
    }
    for n in 0..20 {
        suite.push_str(&format!("C{}#true{n} fails varied\n", n % 10));
    }
    suite
}

#[test]
fn many_tests_that_fail_by_chance_cost_few_jvms() {
    let simulated = simulated(&by_chance()).with(|options| {
        options.jobs = NonZeroUsize::new(2).unwrap();
        options.vary.seed = crate::options::SeedSetting::Fresh;
    });
    let facts = simulated.facts();
    let found: Vec<&String> = facts.iter().filter(|fact| fact.contains("fails since")).collect();
    assert!(found.iter().all(|fact| fact.contains("#true")), "{found:?}");
    assert_eq!(found.len(), 20);
    // Ten rounds, their repetition, and unvaried runs, in two JVMs each; a JVM for each class with true ones; and some
    // for those whose luck looks like something else. With four unvaried runs in two JVMs it was 274.
    assert!(simulated.starts() < 150, "{}", simulated.starts());
}

#[test]
fn what_a_batch_does_not_confirm_is_looked_for_on_its_own() {
    // In fresh JVMs only, and only after another test: a batch asks each of them alone.
    let mut suite = String::from("A#a\nB#b fails varied and once and after A#a\n");
    for n in 0..3 {
        suite.push_str(&format!("C{n}#c fails varied and once\n"));
    }
    let facts = simulated(&suite).with(|options| options.rounds = Some(1)).facts();
    let found = |name: &str, scope: &str| {
        let expected = format!("{name} fails since round 1, {scope}, one reverse");
        assert!(facts.contains(&expected), "{facts:?}");
    };
    found("C0#c", "Alone");
    found("B#b", "Prefix");
}
