use super::*;
use crate::ledger::{NotWatched, Unresolved, Unvaried, Unwatched, Watching};
use crate::options::CheckKind;
use crate::simulated::simulated;
use unflake_explore::order::Unproved;
use unflake_explore::{Counts, Evidence};
use unflake_findings::{Document, TestState};

/// What is said of the first test of a suite: `STATE: REASON | HOW IT IS COUNTED: WHAT IS LISTED`.
fn said(document: &Document) -> String {
    let result = &document.tests[0];
    let name = serde_json::to_value(result.state).unwrap();
    let reason = result.reason.as_ref().map(|reason| format!(": {reason}"));
    let counted = match document.summary.skipped.first_key_value() {
        None => "checked".to_owned(),
        Some((reason, _)) => serde_json::to_value(reason).unwrap().as_str().unwrap().to_owned(),
    };
    let listed = document.excluded.first().map(|excluded| {
        let reason = serde_json::to_value(excluded.reason).unwrap();
        assert_eq!(reason, *counted);
        format!(": {}", excluded.detail)
    });
    format!(
        "{}{} | {counted}{}",
        name.as_str().unwrap(),
        reason.unwrap_or_default(),
        listed.unwrap_or_default()
    )
}

#[track_caller]
fn check_in(suite: &str, kinds: &[CheckKind], facts: impl IntoIterator<Item = Fact>, expected: &str) {
    let simulated = simulated(suite).looking_for(kinds);
    let document = simulated.document_of(&ledger(facts)).document;
    assert_eq!(said(&document), expected);
}

#[track_caller]
fn check(kinds: &[CheckKind], facts: impl IntoIterator<Item = Fact>, expected: &str) {
    check_in("A#a", kinds, facts, expected);
}

const ID: &[CheckKind] = &[CheckKind::Id];
const POLLUTION: &[CheckKind] = &[CheckKind::Pollution];
const ORDER: &[CheckKind] = &[CheckKind::Order];
const ALL: &[CheckKind] = &[CheckKind::Id, CheckKind::Pollution, CheckKind::Order];

fn unvaried(what: Unvaried) -> Fact {
    Fact::Unvaried(FIRST, what)
}

fn unresolved(why: Unresolved) -> Fact {
    Fact::Unresolved(FIRST, why)
}

fn no() -> String {
    "no".to_owned()
}

#[test]
fn what_a_test_did_unvaried_says_it_for_every_kind() {
    let cases = [
        (Unvaried::Disabled, "disabled | disabled"),
        (
            Unvaried::Unfinished,
            "not-finished: its JVM ended while it ran, without any variation | \
             not-run: its JVM ended while it ran, without any variation",
        ),
        (Unvaried::NotReached(no()), "not-finished: no | not-run: no"),
        (Unvaried::Fails { message: no() }, "failing: no | failing: no"),
        (
            Unvaried::FailsInSuite {
                message: no(),
                is_alone: true,
            },
            "failing: fails in the suite, passes alone: no | order-suspect: fails in the suite, passes alone: no",
        ),
        (
            Unvaried::Flaky(Rate { failed: 1, runs: 3 }),
            "flaky: failed 1 of 3 unvaried runs | flaky: failed 1 of 3 unvaried runs",
        ),
    ];
    for (what, expected) in cases {
        for kinds in [ID, POLLUTION, ORDER, ALL] {
            check(kinds, [unvaried(what.clone())], expected);
        }
    }
}

#[test]
fn a_test_that_was_varied_is_checked() {
    check(ID, [varied(FIRST, 0, 10)], "checked | checked");
    // A failure that did not count.
    check(ID, [varied(FIRST, 2, 10)], "checked | checked");
    check(ID, [Fact::NoChoice(FIRST)], "no-choice | no-choice");
    check(ID, [], "not-finished: its turn never came | budget");
    check(
        ID,
        [varied(FIRST, 1, 1), failed(FIRST, Level::One)],
        "found | checked",
    );
}

#[test]
fn a_failure_without_a_result_says_why() {
    let cases = [
        (
            Unresolved::NotReached,
            "not-finished: the run ended before its turn came | budget",
        ),
        (
            Unresolved::NotConfirmed,
            "not-finished: failed when varied; interrupted before the failure was confirmed | \
             not-run: failed when varied; interrupted before the failure was confirmed",
        ),
        (
            Unresolved::Flaky {
                seen: Evidence::LEARNED.plus(Evidence {
                    with: Counts { failed: 3, runs: 9 },
                    without: Counts { failed: 1, runs: 4 },
                }),
                message: no(),
            },
            "flaky: failed 3 of 9 varied and 1 of 5 unvaried runs: no | \
             flaky: failed 3 of 9 varied and 1 of 5 unvaried runs: no",
        ),
        (
            Unresolved::BrokenByOthers,
            "checked: failed after varied tests; passes when only its own choices vary | checked",
        ),
        (
            Unresolved::OnlyOnce,
            "checked: failed when it ran a second time in a JVM; passes in a fresh one | checked",
        ),
        (
            Unresolved::NeedsOthers { message: no() },
            "failing: passes in the suite, fails without the tests before it: no | \
             order-suspect: passes in the suite, fails without the tests before it: no",
        ),
        (
            Unresolved::BuildEnded(no()),
            "not-finished: the build that ran it varied did not come to its end: no | \
             not-run: the build that ran it varied did not come to its end: no",
        ),
        (
            Unresolved::NotConfirmedInTime,
            "not-finished: failed when varied; time ran out before the failure was confirmed | \
             not-run: failed when varied; time ran out before the failure was confirmed",
        ),
        (
            Unresolved::NotRunByBuild,
            "not-finished: the build did not run it again | not-run: the build did not run it again",
        ),
        (Unresolved::NoJvm(no()), "not-finished: no | not-run: no"),
    ];
    for (why, expected) in cases {
        check(ID, [varied(FIRST, 1, 1), unresolved(why.clone())], expected);
        // A finding says more.
        let found = [unresolved(why), failed(FIRST, Level::One)];
        check(ID, found, "found | checked");
    }
}

#[test]
fn whoever_was_watched_is_checked_for_pollution() {
    let unseen = "not-finished: its turn to be watched never came | budget";
    check(POLLUTION, [Fact::Watched(FIRST)], "checked | checked");
    check(POLLUTION, [], unseen);
    for by in [By::Test, By::Capture] {
        check(POLLUTION, [changes(FIRST, by, "S.n", &[])], "found | checked");
    }
    // What a class does is not its first test's doing.
    let by_class = [Fact::Watched(FIRST), changes(FIRST, By::Class, "S.n", &[])];
    check(POLLUTION, by_class, "checked | checked");
    // Nor is what another one changes.
    let by_other = [changes(SECOND, By::Test, "S.n", &[])];
    check_in("A#a\nA#b", POLLUTION, by_other, unseen);
}

#[test]
fn whoever_was_not_watched_as_often_as_was_needed_is_not_checked() {
    let dies = || "the test ended its JVM (exit status: 1)".to_owned();
    for (when, why, expected) in [
        (
            Watching::First,
            NotWatched::NoLaunch,
            "only the build tool can run it, so that it was not watched",
        ),
        (
            Watching::First,
            NotWatched::Ended(dies()),
            "the test ended its JVM (exit status: 1) while shared state was watched",
        ),
        (
            Watching::First,
            NotWatched::NotCompared(no()),
            "shared state could not be compared after it: no",
        ),
        (
            Watching::Again,
            NotWatched::SetUpFailed(no()),
            "the set-up of its class failed while shared state was watched a second time: no",
        ),
        (
            Watching::Loaded,
            NotWatched::NotRun,
            "it did not run while shared state was watched with the classes loaded that it uses first",
        ),
    ] {
        let unwatched = Fact::Unwatched(FIRST, Unwatched { when, why });
        let simulated = simulated("A#a\nA#b").looking_for(POLLUTION);
        let facts = [unwatched.clone(), Fact::Watched(SECOND)];
        let document = simulated.document_of(&ledger(facts)).document;
        assert_eq!(
            said(&document),
            format!("not-finished: {expected} | not-run: {expected}")
        );
        assert!(document.summary.partial && document.notes.len() == 1);
        // It was varied all the same.
        let kinds = &[CheckKind::Id, CheckKind::Pollution];
        let facts = [varied(FIRST, 0, 3), unwatched];
        check(kinds, facts, &format!("not-finished: {expected} | checked"));
    }
}

#[test]
fn tests_that_were_not_watched_for_one_reason_share_a_note() {
    let unwatched = |test, when, why| Fact::Unwatched(test, Unwatched { when, why });
    let facts = [
        unwatched(FIRST, Watching::First, NotWatched::Hung(no())),
        unwatched(SECOND, Watching::First, NotWatched::Ended(no())),
        unwatched(TestIx(2), Watching::Again, NotWatched::NotRun),
        unwatched(TestIx(3), Watching::First, NotWatched::SetUpFailed(no())),
        unwatched(TestIx(4), Watching::First, NotWatched::NoLaunch),
    ];
    let simulated = simulated("A#a\nA#b\nA#c\nB#a\nB#b").looking_for(POLLUTION);
    let document = simulated.document_of(&ledger(facts)).document;
    let said: Vec<&str> = document.notes.iter().map(|note| note.message.as_str()).collect();
    let known = "unflake cannot say whether they pollute";
    assert_eq!(
        said,
        [
            &format!("2 tests (for example `A#a`) did not finish while shared state was watched; {known}"),
            &format!(
                "`A#c` did not run while shared state was watched a second time; {known} all that they use"
            ),
            &format!("`B#b` can be run by the build tool only; {known}"),
            &format!("the class set-up of `B#a` failed while shared state was watched; {known}"),
        ]
    );
}

#[test]
fn what_cannot_be_run_again_by_its_name_is_said_to_be_so() {
    let mut simulated = simulated("A#a\nB#a").looking_for(POLLUTION);
    simulated.session.suite.tests[FIRST.0].id.invocation = Some("[1] x@1b2c".to_owned());
    let note_of = |why: NotWatched, test| {
        let when = Watching::First;
        let facts = [Fact::Unwatched(test, Unwatched { when, why })];
        let mut notes = simulated.document_of(&ledger(facts)).document.notes;
        notes.remove(0).message
    };
    let by_chance = "(a test whose name is another one in each JVM cannot be run again)";
    assert!(note_of(NotWatched::NotRun, FIRST).contains(by_chance));
    assert!(!note_of(NotWatched::NotRun, SECOND).contains(by_chance));
    let not_compared = note_of(NotWatched::NotCompared(no()), SECOND);
    assert!(
        not_compared.starts_with("shared state could not be compared after `B#a`; "),
        "{not_compared}"
    );
}

#[test]
fn a_test_that_was_not_watched_counts_as_checked_if_it_ran_in_other_orders() {
    let when = Watching::First;
    let why = NotWatched::NotRun;
    let kinds = &[CheckKind::Pollution, CheckKind::Order];
    check(
        kinds,
        [
            Fact::RanInOrder(FIRST),
            Fact::Unwatched(FIRST, Unwatched { when, why }),
        ],
        "not-finished: it did not run while shared state was watched | checked",
    );
}

#[test]
fn what_was_not_confirmed_in_time_makes_the_result_partial() {
    for (why, is_partial) in [
        (Unresolved::NotConfirmedInTime, true),
        (Unresolved::OnlyOnce, false),
    ] {
        let document = simulated("A#a").document_of(&ledger([unresolved(why)])).document;
        assert_eq!(document.summary.partial, is_partial);
    }
}

#[test]
fn whoever_ran_in_another_order_is_checked_for_order() {
    check(ORDER, [Fact::RanInOrder(FIRST)], "checked | checked");
    check(
        ORDER,
        [],
        "not-finished: it did not run in another order | budget",
    );
    check(
        ORDER,
        [proved_victim(victim(FIRST, &[FIRST], "no"))],
        "found | checked",
    );
    check(ORDER, [brittle(FIRST, &[FIRST])], "found | checked");
}

#[test]
fn what_could_not_be_proved_says_why() {
    for (suite, seen) in [
        ("A#a", "fails when the tests run in another order"),
        ("A#a [failed]", "fails in the build, passes alone"),
    ] {
        let ended = format!("{seen}; time ran out before this was proved");
        let not_repeated = format!("{seen}; passes when that order is repeated");
        let not_run = format!("{seen}; its test framework does not accept the order that would prove it");
        for (why, expected) in [
            (
                Unproved::Ended,
                format!("not-finished: {ended} | order-suspect: {ended}"),
            ),
            (
                Unproved::NotRepeated,
                format!("flaky: {not_repeated} | flaky: {not_repeated}"),
            ),
            (
                Unproved::NotRun,
                format!("not-finished: {not_run} | order-suspect: {not_run}"),
            ),
        ] {
            let ran = || [Fact::RanInOrder(FIRST), Fact::Unproved(FIRST, why)];
            check_in(suite, ORDER, ran(), &expected);
            // A proof says more.
            let proved = ran().into_iter().chain([brittle(FIRST, &[FIRST])]);
            check_in(suite, ORDER, proved, "found | checked");
        }
    }
}

#[test]
fn what_could_not_be_proved_is_about_orders_alone() {
    let ended = "fails when the tests run in another order; time ran out before this was proved";
    let expected = format!("checked | order-suspect: {ended}");
    for (kinds, checked) in [(ID, varied(FIRST, 0, 3)), (POLLUTION, Fact::Watched(FIRST))] {
        check(
            kinds,
            [checked, Fact::Unproved(FIRST, Unproved::Ended)],
            &expected,
        );
    }
}

#[test]
fn a_proof_says_more_than_that_it_fails_in_the_build() {
    let fails = || {
        unvaried(Unvaried::FailsInSuite {
            message: no(),
            is_alone: true,
        })
    };
    let proved = proved_victim(victim(FIRST, &[FIRST], "no"));
    check_in("A#a [failed]", ORDER, [fails(), proved], "found | checked");
    let ended = "fails in the build, passes alone; time ran out before this was proved";
    check_in(
        "A#a [failed]",
        ORDER,
        [fails(), Fact::Unproved(FIRST, Unproved::Ended)],
        &format!("not-finished: {ended} | order-suspect: {ended}"),
    );
}

#[test]
fn the_worst_of_all_kinds_is_the_tests_state() {
    let checked = || [varied(FIRST, 0, 3), Fact::Watched(FIRST), Fact::RanInOrder(FIRST)];
    check(ALL, checked(), "checked | checked");
    let polluting = checked()
        .into_iter()
        .chain([changes(FIRST, By::Test, "S.n", &[])]);
    check(ALL, polluting, "found | checked");
    check(
        ALL,
        [
            Fact::NoChoice(FIRST),
            Fact::Watched(FIRST),
            Fact::RanInOrder(FIRST),
        ],
        "checked | no-choice",
    );
    let unwatched = "not-finished: its turn to be watched never came | checked";
    check(ALL, [varied(FIRST, 0, 3), Fact::RanInOrder(FIRST)], unwatched);
    let simulated = simulated("A#a").looking_for(ALL);
    let facts = [failed(FIRST, Level::One), Fact::Watched(FIRST)];
    let document = simulated.document_of(&ledger(facts)).document;
    let states = &document.tests[0].states;
    let of = |kind: &str| states[kind];
    assert_eq!(
        (of("id"), of("pollution"), of("order"), states.len()),
        (TestState::Found, TestState::Checked, TestState::NotFinished, 3)
    );
}

#[test]
fn facts_about_tests_that_were_not_selected_are_not_counted() {
    let simulated = simulated("A#a\nA#b");
    let asked = super::super::Asked {
        run: unflake_findings::RunInfo {
            project: String::new(),
            command: Vec::new(),
            time_started: 0,
            pictures: None,
        },
        kinds: ID.to_vec(),
        isolation: "namespaces",
        seed: unflake_protocol::Seed(7),
        level: unflake_findings::LevelSetting::Climb,
    };
    let nobody = super::super::Suppressions {
        ignores: &[],
        source: &|_| None,
        file: &|_| None,
    };
    let facts = ledger([varied(FIRST, 0, 3), varied(SECOND, 0, 3)]);
    let suite = &simulated.session.suite;
    let document = super::super::document(&facts, suite, &[FIRST], &asked, &nobody, 1.0).document;
    assert_eq!((document.summary.tests, document.tests.len()), (1, 1));
}
