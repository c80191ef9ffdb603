use super::super::order_trials::Held;
use super::super::overlay::Overlays;
use super::super::overlay::tests::sourced;
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

const TEXT: &str = "class X {\n    int a;\n    int b;\n    int c;\n    int d;\n}\n";
const A: &str = "m1/src/test/java/p/ATest.java";
const B: &str = "m1/src/test/java/p/BTest.java";

/// A candidate that replaces a word in these files.
fn candidate(why: &str, paths: &[&str], from: &str, to: &str) -> Candidate {
    let edits = unflake_repair::Edits::between(TEXT, &TEXT.replace(from, to));
    Candidate {
        strategy: "a-strategy",
        safety: unflake_findings::Safety::Test,
        why: why.to_owned(),
        edits: paths
            .iter()
            .map(|path| ((*path).to_owned(), edits.clone()))
            .collect(),
        assertion: None,
        mutants: Vec::new(),
    }
}

fn searching(candidates: Vec<Candidate>) -> SpillSearch {
    SpillSearch {
        open: candidates.into_iter().rev().collect(),
        tries: 0,
        refused: Vec::new(),
        result: None,
    }
}

#[test]
fn in_a_wave_each_file_is_edited_for_one_spill_only() {
    let sourced = sourced("p.ATest#a", &[(A, TEXT), (B, TEXT)]);
    let mut searches = vec![
        searching(vec![
            candidate("one", &[A], "int a", "long a"),
            candidate("two", &[B], "int a", "long a"),
        ]),
        searching(vec![candidate("three", &[A, B], "int b", "long b")]),
        searching(vec![candidate("four", &[B], "int c", "long c")]),
        searching(vec![candidate("five", &["gone/C.java"], "int c", "long c")]),
    ];
    let mut next = || {
        let wave = super::wave(&mut searches, &sourced.sources);
        let shown = wave.iter().map(|(spill, candidate, texts)| {
            let has_changed = texts.values().all(|text| text.contains("long"));
            assert!(has_changed && texts.len() == candidate.edits.len());
            format!("{spill} {}", candidate.why)
        });
        shown.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(next(), "0 one, 2 four");
    assert_eq!(next(), "0 two");
    assert_eq!(next(), "1 three");
    assert_eq!(next(), "");
    // What has a result or was tried often enough has no next one.
    let again = || searching(vec![candidate("one", &[A], "int a", "long a")]);
    let mut is_done = again();
    is_done.result = Some(Err("no".to_owned()));
    let mut is_over = again();
    is_over.tries = MOST_TRIES;
    let mut is_last = again();
    is_last.tries = MOST_TRIES - 1;
    let mut searches = vec![is_done, is_over, is_last];
    let wave = super::wave(&mut searches, &sourced.sources);
    assert_eq!(wave.iter().map(|(spill, ..)| *spill).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_search_without_a_result_says_what_went_wrong_last() {
    let why = |search: SpillSearch| search.end().repaired.unwrap_err();
    assert_eq!(why(searching(Vec::new())), "nobody had time to try");
    let mut refused = searching(Vec::new());
    for why in ["first", "second"] {
        refused.refused.push(TriedRepair {
            strategy: "a-strategy".to_owned(),
            why: why.to_owned(),
        });
    }
    assert_eq!(
        why(refused),
        "nothing that was tried keeps it away from other tests; last, second"
    );
}

#[test]
fn a_clean_up_must_help_and_break_nothing_in_the_edited_classes() {
    let tried = |others: &str| {
        let sourced = sourced(
            &format!("p.ATest#a\np.BTest#b\n{others}"),
            &[(A, TEXT), (B, TEXT)],
        );
        let simulated = &sourced.simulated;
        let order = ["p.ATest#a", "p.BTest#b"].map(|name| simulated.test(name));
        let spill = Spill {
            finding: 0,
            orders: vec![order.to_vec()],
        };
        let texts = Texts::from([(A.to_owned(), TEXT.to_owned())]);
        let launches = &simulated.session.suite.launches;
        with_trials(simulated, |trials| try_one(trials, launches, &spill, &texts))
    };
    assert_eq!(tried(""), Ok(()));
    // Of the edited class, and of another one.
    assert_eq!(
        tried("p.ATest#c fails turns ffp"),
        Err("it breaks `p.ATest#c`".to_owned())
    );
    assert_eq!(tried("p.CTest#c fails turns ffp"), Ok(()));
    let failing = sourced("p.ATest#a\np.BTest#b fails after p.ATest#a", &[(A, TEXT)]);
    let simulated = &failing.simulated;
    let spill = Spill {
        finding: 0,
        orders: vec![simulated.session.suite.all().collect()],
    };
    let launches = &simulated.session.suite.launches;
    let tried = || {
        with_trials(simulated, |trials| {
            try_one(trials, launches, &spill, &Texts::new())
        })
    };
    assert_eq!(tried(), Err("`p.BTest#b` still fails".to_owned()));
    simulated.no_more_starts();
    assert_eq!(
        tried(),
        Err("its tests could not be run in this order".to_owned())
    );
}

#[test]
fn a_victim_is_repaired_if_all_that_harm_it_are() {
    let (_, stored) = stored("p.ATest#a changes S.n\np.BTest#b fails after p.ATest#a");
    let sourced = sourced("p.ATest#a", &[(A, TEXT), (B, TEXT)]);
    let repaired = |path: &str, from: &str, to: &str| {
        let texts = Texts::from([(path.to_owned(), TEXT.replace(from, to))]);
        Ok(super::repaired(&candidate("why", &[path], from, to), &texts))
    };
    let polluter = (stored.document.findings.iter())
        .position(|finding| matches!(finding.details, Details::Polluter(_)))
        .unwrap();
    let outcome = |needed: &[&[usize]], searched: Vec<Result<Repaired, String>>| {
        let spill = || Spill {
            finding: polluter,
            orders: Vec::new(),
        };
        let plan = Plan {
            spills: searched.iter().map(|_| spill()).collect(),
            victims: [(7, needed.iter().map(|spills| spills.to_vec()).collect())].into(),
            declined: BTreeMap::new(),
        };
        let searched: Vec<Searched> = searched
            .into_iter()
            .map(|repaired| Searched::new(repaired, Vec::new()))
            .collect();
        let outcomes = of_victims(&plan, &searched, &stored.document, &sourced.sources);
        format!("{:?}", outcomes[&7])
    };
    let no = || Err("no way".to_owned());
    let first = || repaired(A, "int a", "long a");
    let second = || repaired(B, "int b", "long b");
    let both = outcome(&[&[0], &[1]], vec![first(), second()]);
    assert!(both.contains("long a") && both.contains("long b"), "{both}");
    // One of several states of a polluter is enough, the first that is repaired.
    let either = outcome(&[&[0, 1, 2]], vec![no(), first(), second()]);
    assert!(
        either.contains("long a") && !either.contains("long b"),
        "{either}"
    );
    let one_is_left = outcome(&[&[0], &[1]], vec![first(), no()]);
    let why = "its polluter `p.ATest#a` is not repaired: no way";
    assert!(
        one_is_left.contains(why) && !one_is_left.contains("long"),
        "{one_is_left}"
    );
    let same_lines = outcome(&[&[0], &[1]], vec![first(), repaired(A, "int a", "short a")]);
    assert!(
        same_lines.contains("the patches of its polluters touch the same lines"),
        "{same_lines}"
    );
}

#[test]
fn why_a_spill_is_not_begun_is_said() {
    let (simulated, stored) = stored("p.ATest#a changes S.n\np.BTest#b fails after p.ATest#a");
    let plan = plan(&stored);
    let begun = |sources: &ProjectSources| {
        begin(&stored, &plan.spills[0], sources)
            .end()
            .repaired
            .unwrap_err()
    };
    let none = ProjectSources::new(&simulated.session.project);
    assert_eq!(
        begun(&none),
        "the source of `p.ATest` was not found, or is not Java"
    );
}

#[test]
fn what_the_set_up_of_a_class_harms_is_repaired_for_any_test_of_the_class() {
    let (simulated, stored) = stored("B#b [sees S] fails after A#a\nA#a class-changes S.n\nA#c");
    let index = stored
        .document
        .findings
        .iter()
        .position(|finding| finding.test.test == "A");
    let orders = orders(&stored, index.unwrap());
    let names: Vec<String> = orders.iter().map(|order| simulated.names(order)).collect();
    assert_eq!(names, ["A#a B#b"]);
}
