use super::super::order_trials::Held;
use super::super::overlay::Overlays;
use super::*;
use crate::options::CheckKind;
use crate::simulated::{Simulated, simulated};
use unflake_findings::FindingKind;
use unflake_protocol::Seed;

/// What a check of orders and state found.
fn stored(text: &str) -> (Simulated, StoredRun) {
    let simulated = simulated(text).looking_for(&[CheckKind::Pollution, CheckKind::Order]);
    let stored = simulated.stored();
    (simulated, stored)
}

fn plan(stored: &StoredRun) -> Plan {
    let all: Vec<usize> = (0..stored.document.findings.len()).collect();
    Plan::new(stored, &all)
}

/// Each spill as `test: order, order`, and each declined finding with its reason.
fn shown(simulated: &Simulated, stored: &StoredRun) -> Vec<String> {
    let plan = plan(stored);
    let name = |index: usize| stored.document.findings[index].test.test.clone();
    let spills = plan.spills.iter().map(|spill| {
        let orders = spill.orders.iter().map(|order| simulated.names(order));
        format!(
            "{}: {}",
            name(spill.finding),
            orders.collect::<Vec<_>>().join(", ")
        )
    });
    let victims = plan.blamed();
    let victims = victims
        .iter()
        .map(|(victim, polluter)| format!("{} by {}", name(*victim), name(*polluter)));
    let declined = plan
        .declined
        .iter()
        .map(|(index, why)| format!("{}: {why}", name(*index)));
    let mut all: Vec<String> = spills.chain(victims).chain(declined).collect();
    all.sort();
    all
}

#[test]
fn a_polluter_is_repaired_for_its_victims_and_they_through_it() {
    let (simulated, stored) = stored("A#a\nB#b fails after C#c\nC#c changes S.count");
    assert_eq!(shown(&simulated, &stored), ["B#b by C#c", "C#c: C#c B#b"]);
}

#[test]
fn without_a_victim_or_a_state_nothing_is_begun() {
    let (simulated, stored) = stored("A#a changes S.count\nB#b fails after C#c\nC#c");
    assert_eq!(
        shown(&simulated, &stored),
        [format!("A#a: {NO_VICTIM}"), format!("B#b: {NOT_SEEN}")]
    );
}

#[test]
fn brittle_tests_are_declined() {
    let (_, stored) = stored("A#a\nB#b fails without A#a");
    let plan = plan(&stored);
    let is_brittle = |index: &usize| stored.document.findings[*index].kind() == FindingKind::Brittle;
    assert!(plan.declined.keys().all(is_brittle) && plan.declined.len() == 1);
}

/// Does something with trials in which nothing is compiled.
fn with_trials<R>(simulated: &Simulated, work: impl FnOnce(&Trials<'_>) -> R) -> R {
    let session = &simulated.session;
    let sources = ProjectSources::new(&session.project);
    let start = |_: &std::path::Path| panic!("nothing is compiled here");
    work(&Trials {
        session,
        sources: &sources,
        overlays: Overlays::new(&sources, &session.suite.launches, "x".into(), &start),
        subjects: &[],
        seed: Seed(1),
        jobs: 1,
        compiled: Vec::new(),
    })
}

#[test]
fn a_test_is_broken_if_it_fails_twice_with_a_patch_and_not_without_it() {
    let broken = |turns: &str| {
        let simulated = simulated(&format!("A#a\nB#b fails turns {turns}"));
        let order: TestOrder = simulated.session.suite.all().collect();
        let launches = &simulated.session.suite.launches;
        let found = with_trials(&simulated, |trials| trials.newly_failing(launches, &order));
        (simulated.names(&found), simulated.starts())
    };
    assert_eq!(broken("ffp"), ("B#b".to_owned(), 3));
    assert_eq!(broken("f"), (String::new(), 3));
    assert_eq!(broken("fp"), (String::new(), 3));
    assert_eq!(broken("p"), (String::new(), 1));
}

#[test]
fn victims_that_disturb_each_other_have_their_own_say() {
    let held = |suite: &str| {
        let simulated = simulated(suite);
        let order =
            |names: &str| -> TestOrder { names.split(' ').map(|name| simulated.test(name)).collect() };
        let launches = &simulated.session.suite.launches;
        let orders = [order("A#a B#b"), order("A#a C#c")];
        with_trials(&simulated, |trials| match trials.hold(launches, &orders) {
            Held::Passed(runs) => format!("passed {runs}"),
            Held::Fails(test) => format!("{} fails", simulated.names(&[test])),
            Held::NotRun => "not run".to_owned(),
        })
    };
    // Once each, and seven times together.
    assert_eq!(held("A#a\nB#b\nC#c"), "passed 9");
    // Once each, and seven times each.
    assert_eq!(held("A#a\nB#b\nC#c fails after B#b"), "passed 16");
    assert_eq!(held("A#a\nB#b\nC#c fails turns pfffffffffp"), "C#c fails");
    assert_eq!(held("A#a fails\nB#b\nC#c"), "A#a fails");
}

#[test]
fn orders_are_run_as_often_as_a_proof_asks() {
    let simulated = simulated("A#a\nB#b fails after A#a\nC#c");
    let session = &simulated.session;
    let sources = ProjectSources::new(&session.project);
    let start = |_: &std::path::Path| panic!("nothing is compiled here");
    let trials = Trials {
        session,
        sources: &sources,
        overlays: Overlays::new(&sources, &session.suite.launches, "x".into(), &start),
        subjects: &[],
        seed: Seed(1),
        jobs: 1,
        compiled: Vec::new(),
    };
    let launches = &session.suite.launches;
    let order = |names: &str| -> TestOrder { names.split(' ').map(|name| simulated.test(name)).collect() };
    assert_eq!(
        trials.hold(launches, &[order("A#a B#b")]),
        Held::Fails(simulated.test("B#b"))
    );
    assert_eq!(simulated.starts(), 1);
    assert_eq!(
        trials.hold(launches, &[order("A#a C#c"), order("C#c B#b")]),
        Held::Passed(16)
    );
    // What fails without a patch too is not the patch's doing.
    assert_eq!(trials.newly_failing(launches, &order("A#a B#b C#c")), []);
    assert!(trials.hold_once(launches, &[order("C#c A#a")]) == Held::Passed(1));
    simulated.no_more_starts();
    assert_eq!(trials.hold(launches, &[order("A#a C#c")]), Held::NotRun);
}
