use super::*;
use crate::ledger::{CutShort, Unresolved, Unvaried};
use crate::options::CheckKind;
use crate::simulated::simulated;
use proptest::prelude::*;
use unflake_explore::order::Unproved;
use unflake_findings::TestState;
use unflake_findings::{Document, Note, NoteKind};

/// Any fact about one test.
fn fact(test: TestIx, number: usize) -> Fact {
    let no = || "no".to_owned();
    match number {
        0 => Fact::NoChoice(test),
        1 => varied(test, 1, 3),
        2 => failed(test, Level::Id),
        3 => cause(test, "HashMap.keySet"),
        4 => Fact::Watched(test),
        5 => changes(test, By::Test, "S.n", &[]),
        6 => changes(test, By::Class, "S.n", &[]),
        7 => Fact::RanInOrder(test),
        8 => proved_victim(victim(test, &[FIRST], "no")),
        9 => brittle(test, &[FIRST]),
        10 => Fact::Unproved(test, Unproved::Ended),
        11 => Fact::Unproved(test, Unproved::NotRepeated),
        12 => Fact::Unvaried(test, Unvaried::Disabled),
        13 => Fact::Unvaried(test, Unvaried::Fails { message: no() }),
        14 => Fact::Unvaried(test, Unvaried::Disabled),
        15 => Fact::Unresolved(test, Unresolved::NotReached),
        16 => Fact::Unresolved(test, Unresolved::OnlyOnce),
        17 => Fact::Unresolved(test, Unresolved::NeedsOthers { message: no() }),
        18 => Fact::MorePolluters {
            victim: test,
            polluter: FIRST,
        },
        _ => Fact::Unvaried(test, Unvaried::Unfinished),
    }
}

const FACTS: usize = 20;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_test_is_in_one_state_and_counted_once(
        facts in prop::collection::vec((0_usize..4, 0..FACTS), 0..20),
        kinds in prop::sample::subsequence(vec![CheckKind::Id, CheckKind::Pollution, CheckKind::Order], 1..=3),
    ) {
        let simulated = simulated("A#a\nA#b [failed]\nB#a [no-choice]\nB#b [skipped]").looking_for(&kinds);
        let ledger = ledger(facts.into_iter().map(|(test, number)| fact(TestIx(test), number)));
        let document = simulated.document_of(&ledger).document;
        let summary = &document.summary;
        prop_assert_eq!(document.contradictions(), Vec::<String>::new());
        prop_assert_eq!(document.tests.len(), 4);
        prop_assert_eq!(summary.tests, summary.checked + summary.skipped.values().sum::<usize>());
        for result in &document.tests {
            prop_assert_eq!(result.states.len(), kinds.len());
            prop_assert_eq!(Some(&result.state), result.states.values().min());
            // Nothing is claimed of a test that is listed as such.
            let listed = document.excluded.iter().filter(|excluded| excluded.test == result.test);
            prop_assert!(listed.count() <= 1);
        }
        for finding in &document.findings {
            let is_named = document.tests.iter().any(|result| result.test == finding.test);
            let is_of_class = finding.test.method().is_empty();
            prop_assert!(is_named || is_of_class);
        }
    }
}

fn document_of(facts: impl IntoIterator<Item = Fact>) -> Document {
    simulated("A#a\nA#b\nB#a").document_of(&ledger(facts)).document
}

#[track_caller]
fn check(facts: impl IntoIterator<Item = Fact>, is_partial: bool, notes: &[&str]) {
    let document = document_of(facts);
    let said: Vec<&str> = document.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!((document.summary.partial, &said[..]), (is_partial, notes));
}

#[test]
fn what_was_cut_short_is_said_once() {
    let interrupted = || Fact::Cut(CutShort::Interrupted);
    let rounds = || Fact::Cut(CutShort::Rounds);
    check([], false, &[]);
    check([interrupted()], true, &["interrupted: this is a partial result"]);
    check(
        [Fact::Rounds(4), rounds()],
        true,
        &["the budget ran out after 4 rounds"],
    );
    // Who interrupts a run knows why rounds are missing.
    check(
        [rounds(), interrupted()],
        true,
        &["interrupted: this is a partial result"],
    );
}

#[test]
fn each_way_to_be_cut_short_makes_the_result_partial() {
    let said = |cut| {
        document_of([Fact::Cut(cut)])
            .notes
            .into_iter()
            .map(|note| note.message)
    };
    let running = "the run had not finished when this was stored: this is a partial result";
    let orders = "time ran out before the suite had run in all orders";
    let proof = "time ran out before all polluters were tried on all tests";
    for (cut, notes) in [
        (CutShort::Running, &[running][..]),
        (CutShort::Orders, &[orders]),
        (CutShort::Proof, &[proof]),
        // Said where it is found out.
        (CutShort::Learning, &[]),
        (CutShort::ThroughBuild, &[]),
        (CutShort::NoJvm, &[]),
        (CutShort::Ended, &[]),
        (CutShort::AgentOff, &[]),
        (CutShort::NotWatched, &[]),
    ] {
        assert!(document_of([Fact::Cut(cut)]).summary.partial, "{cut:?}");
        assert_eq!(said(cut).collect::<Vec<_>>(), notes, "{cut:?}");
    }
    // Who interrupts a run knows that it had not finished.
    let interrupted = "interrupted: this is a partial result";
    let both = [Fact::Cut(CutShort::Running), Fact::Cut(CutShort::Interrupted)];
    check(both, true, &[interrupted]);
    let all = [CutShort::Interrupted, CutShort::Orders, CutShort::Proof].map(Fact::Cut);
    assert_eq!(document_of(all).notes.len(), 3);
}

#[test]
fn what_was_built_meanwhile_makes_the_result_partial() {
    check(
        [Fact::Cut(CutShort::Rebuilt)],
        true,
        &["the project's classes changed while they were checked; run `unflake check` again"],
    );
}

#[test]
fn tests_that_ran_outside_are_counted() {
    let note = |who: &str| {
        format!("{who} ran without isolation, one test JVM at a time; with it, the outcome was different")
    };
    let first = Fact::RanOutside(FIRST);
    let document = document_of([first.clone(), Fact::RanOutside(SECOND)]);
    assert_eq!(document.summary.outside, 2);
    let name = document_of([]).tests[0].test.clone();
    check([first.clone()], false, &[&note(&format!("`{name}`"))]);
    check(
        [first, Fact::RanOutside(SECOND)],
        false,
        &[&note(&format!("2 tests (for example `{name}`)"))],
    );
}

#[test]
fn tests_for_which_the_time_was_up_are_counted() {
    let ended = |test| Fact::Unproved(test, Unproved::Ended);
    let one = "time ran out before the polluter of 1 more test was found";
    let two = "time ran out before the polluters of 2 more tests were found";
    check([ended(FIRST)], true, &[one]);
    check([ended(FIRST), ended(SECOND)], true, &[two]);
    check([Fact::Unproved(FIRST, Unproved::NotRepeated)], false, &[]);
}

#[test]
fn the_most_rounds_of_all_phases_are_the_runs() {
    let rounds = |facts: &[u32]| {
        let facts = facts.iter().map(|rounds| Fact::Rounds(*rounds));
        document_of(facts).summary.rounds
    };
    assert_eq!((rounds(&[]), rounds(&[10, 5]), rounds(&[5, 10])), (0, 10, 10));
}

#[test]
fn what_was_said_twice_is_noted_once() {
    let said = |message: &str| {
        Fact::Said(Note {
            kind: NoteKind::Other,
            message: message.to_owned(),
        })
    };
    check([said("b"), said("a"), said("b")], false, &["a", "b"]);
}

#[test]
fn the_summary_says_what_was_asked_for() {
    let document = document_of([]);
    let summary = &document.summary;
    assert_eq!(
        (summary.seed, summary.level),
        (unflake_protocol::Seed(7), Default::default())
    );
    assert_eq!((summary.tests, summary.checked), (3, 0));
    assert_eq!(
        (summary.java.as_slice(), summary.time),
        (&["17.0.15".to_owned()][..], 1.0)
    );
    assert!(summary.nothing_was_checked());
}

#[test]
fn a_report_that_contradicts_itself_is_known() {
    let good = || document_of([failed(FIRST, Level::One)]);
    assert!(good().contradictions().is_empty());
    let wrong = |change: &dyn Fn(&mut Document)| {
        let mut document = good();
        change(&mut document);
        document.contradictions().len()
    };
    assert_eq!(wrong(&|document| document.summary.checked += 1), 1);
    assert_eq!(wrong(&|document| document.findings.clear()), 1);
    assert_eq!(wrong(&|document| document.tests[1].states.clear()), 2);
    assert_eq!(wrong(&|document| document.tests[0].state = TestState::Checked), 1);
}
