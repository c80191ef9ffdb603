//! The phase as a whole, on simulated suites.

use super::add_cut;
use crate::ledger::Ledger;
use crate::options::CheckKind;
use crate::simulated::{Simulated, shown, simulated};
use std::time::Duration;
use unflake_explore::order::{Found, PairsTried};

fn ordering(suite: &str) -> Simulated {
    simulated(suite).looking_for(&[CheckKind::Order])
}

/// What is found beside that tests ran.
#[track_caller]
fn check(simulated: &Simulated, expected: &[&str]) {
    let facts = simulated.facts().into_iter();
    let facts: Vec<String> = facts.filter(|fact| !fact.ends_with(" ran in order")).collect();
    assert_eq!(facts, expected);
}

#[test]
fn what_fails_in_another_order_is_proved() {
    check(
        &ordering("B#b fails after A#a\nA#a"),
        &["5 rounds", "B#b is a victim of A#a"],
    );
    check(
        &ordering("A#a\nB#b fails without A#a"),
        &["5 rounds", "B#b needs A#a"],
    );
    check(
        &ordering("A#a\nB#b fails turns fp"),
        &["5 rounds", "B#b unproved: not repeated"],
    );
    check(&ordering("A#a\nB#b"), &["5 rounds"]);
    check(
        &ordering("A#a\nB#b dies after A#a\nC#c"),
        &["5 rounds", "B#b is a victim of A#a"],
    );
    check(
        &ordering("A#a\nA#b [failed] fails after A#a"),
        &[
            "A#b fails in the suite: failed in the build",
            "5 rounds",
            "A#b is a victim of A#a",
        ],
    );
}

#[test]
fn what_fails_in_isolation_does_not_depend_on_the_order() {
    check(
        &ordering("A#a\nB#b fails inside\nC#c fails without B#b"),
        &["5 rounds", "C#c needs B#b", "B#b ran outside"],
    );
}

#[test]
fn all_that_ran_in_the_build_runs_in_other_orders() {
    let facts =
        ordering("A#a\nA#b [skipped]\nB#a [unfinished]\nB#b [failed] fails\nC#c [no-launch, jvm 2]").facts();
    let ran: Vec<&String> = facts
        .iter()
        .filter(|fact| fact.ends_with("ran in order"))
        .collect();
    assert_eq!(ran, ["A#a ran in order", "B#b ran in order"]);
}

#[test]
fn each_launch_has_its_own_orders() {
    let simulated = ordering("A#a\nB#b\nC#c [jvm 2]\nD#d [jvm 2]").with(|options| options.rounds = Some(1));
    simulated.facts();
    assert_eq!(simulated.commands(), ["B#b A#a", "D#d C#c"]);
}

#[test]
fn orders_are_counted_and_end_with_the_time() {
    let with = |rounds, budget: Option<u64>| {
        ordering("A#a\nB#b").with(|options| {
            options.rounds = rounds;
            options.budget = budget.map(Duration::from_millis);
        })
    };
    check(&with(Some(2), None), &["2 rounds"]);
    check(&with(Some(7), None), &["7 rounds"]);
    let none = with(None, Some(0));
    check(&none, &["0 rounds", "cut: Orders"]);
    assert_eq!(none.starts(), 0);
    // With a budget alone there is no most.
    let budget = Some(Duration::from_secs(600));
    let simulated = ordering("A#a cancels turns pppppppppppf\nB#b\nC#c\nD#d\nE#e");
    let simulated = simulated.with(|options| options.budget = budget);
    simulated.facts();
    assert!(simulated.commands().len() > 6, "{:?}", simulated.commands());
}

#[test]
fn what_was_cut_short_makes_the_result_partial() {
    let suite = "B#b fails after A#a\nA#a";
    let is_partial = |simulated: &Simulated| {
        let document = simulated.document_of(&simulated.ledger()).document;
        document.summary.partial
    };
    assert!(!is_partial(&ordering(suite)));
    let none = ordering(suite).with(|options| options.budget = Some(Duration::ZERO));
    assert!(is_partial(&none));
    let polluting = |budget: Option<Duration>| {
        let simulated = simulated("B#b fails after A#a\nA#a changes S.n");
        let simulated = simulated.looking_for(&[CheckKind::Pollution]);
        simulated.with(|options| options.budget = budget)
    };
    assert!(!is_partial(&polluting(None)));
    let facts = polluting(Some(Duration::ZERO)).facts();
    let cuts: Vec<&String> = facts.iter().filter(|fact| fact.starts_with("cut")).collect();
    assert_eq!(cuts, ["cut: Orders", "cut: Proof"]);
    // Nobody asked for a proof.
    let unproved = polluting(Some(Duration::ZERO)).with(|options| options.proof = false);
    assert!(!is_partial(&unproved));
}

#[test]
fn every_pair_is_tried_only_with_a_budget_and_once() {
    let pairs = |kinds: &[CheckKind], budget: Option<u64>, proof: bool| {
        let simulated = simulated("A#a\nB#b\nC#c\nD#d").looking_for(kinds);
        let simulated = simulated.with(|options| {
            options.budget = budget.map(Duration::from_secs);
            options.rounds = Some(1);
            options.proof = proof;
        });
        simulated.facts();
        let commands = simulated.commands();
        let is_pair = |command: &&String| command.split(' ').count() == 2;
        commands.iter().filter(is_pair).count()
    };
    let (order, pollution) = ([CheckKind::Order], [CheckKind::Pollution]);
    for kinds in [&order, &pollution] {
        assert_eq!(pairs(kinds, None, true), 0);
        assert_eq!(pairs(kinds, Some(600), false), 0);
    }
    // Of sixteen, whole orders begin with one or two.
    let each = [&order[..], &pollution, &[CheckKind::Pollution, CheckKind::Order]];
    let counts = each.map(|kinds| pairs(kinds, Some(600), true));
    assert!(counts.iter().all(|count| (13..=16).contains(count)), "{counts:?}");
}

#[test]
fn every_pair_waits_for_the_plans_of_all_launches() {
    let simulated = simulated("A#a\nB#b changes S.n\nC#c [jvm 2]\nD#d [jvm 2] changes S.n");
    let simulated = simulated.looking_for(&[CheckKind::Pollution]);
    let simulated = simulated.with(|options| options.budget = Some(Duration::from_secs(600)));
    simulated.facts();
    let commands = simulated.commands();
    // No plan runs a test twice in a row here.
    let first_pair = commands.iter().position(|command| command == "A#a A#a");
    let last_plan = commands.iter().position(|command| command == "D#d C#c");
    assert!(last_plan.is_some() && last_plan < first_pair, "{commands:?}");
    assert!(commands.contains(&"C#c C#c".to_owned()));
}

#[test]
fn who_has_had_enough_gets_no_more_orders() {
    let simulated = ordering("A#a cancels\nB#b");
    simulated.facts();
    // The first order, and nothing after it.
    assert_eq!(simulated.commands(), ["B#b A#a"]);
}

#[test]
fn a_suite_that_was_reversed_for_pollution_is_not_reversed_again() {
    let simulated = simulated("B#b [sees S] fails after A#a\nA#a changes S.count");
    let simulated = simulated.looking_for(&[CheckKind::Pollution, CheckKind::Order]);
    let facts = simulated.facts();
    let victims: Vec<&String> = facts.iter().filter(|fact| fact.contains("victim")).collect();
    assert_eq!(victims, ["B#b is a victim of A#a by S.count"]);
    let alone = ordering("B#b [sees S] fails after A#a\nA#a");
    alone.facts();
    let reversed = |simulated: &Simulated| {
        let commands = simulated.commands();
        commands.iter().filter(|command| *command == "A#a B#b").count()
    };
    assert!(
        reversed(&simulated) <= reversed(&alone),
        "{:?}",
        simulated.commands()
    );
}

#[test]
fn what_the_time_was_not_enough_for_is_said() {
    let said = |change: fn(&mut Found)| {
        let simulated = ordering("A#a");
        let mut found = Found::default();
        change(&mut found);
        let mut ledger = Ledger::default();
        simulated.check(|check| add_cut(check, &found, &mut ledger));
        shown(&ledger, &simulated.session.suite)
    };
    assert_eq!(said(|_| {}), [""; 0]);
    assert_eq!(said(|found| found.cut.whole_orders = true), ["cut: Orders"]);
    assert_eq!(said(|found| found.cut.trials = true), ["cut: Proof"]);
    // Nothing that was found depends on it, so the result is as good as without.
    assert_eq!(
        said(|found| found.cut.cleaners = true),
        ["said: time ran out before all tests were found that clean up after polluters"]
    );
    assert_eq!(
        said(|found| found.pairs = Some(PairsTried { tried: 9, all: 9 })),
        [""; 0]
    );
    assert_eq!(
        said(|found| found.pairs = Some(PairsTried { tried: 8, all: 9 })),
        [
            "said: the budget ran out before each test had run right after each test, itself included: 8 of 9 pairs \
             were tried"
        ]
    );
    // Who reads that orders were cut short knows it.
    let both = said(|found| {
        found.cut.whole_orders = true;
        found.pairs = Some(PairsTried { tried: 8, all: 9 });
    });
    assert_eq!(both, ["cut: Orders"]);
}
