//! What is tried next, and what becomes of it.

use super::*;
use unflake_protocol::Prefix;

#[test]
fn orders_are_numbered_as_they_are_sorted() {
    assert_eq!(permutation(3, 0), [0, 1, 2]);
    assert_eq!(permutation(3, 1), [0, 2, 1]);
    assert_eq!(permutation(3, 5), [2, 1, 0]);
}

#[test]
fn choices_up_to_the_bound_are_tried_in_all_orders_and_larger_ones_sampled() {
    let search = Search::new(Bounds {
        exhaustive: 3,
        samples: 4,
        runs: 100,
        until: Until::End,
        way: Way::DepthFirst,
        threads: Threads::All,
    });
    for (kind, size, is_sampled, slots) in [
        (ChoiceKind::Rearranges, 2, false, 2),
        (ChoiceKind::Rearranges, 3, false, 6),
        (ChoiceKind::Rearranges, 4, true, 4),
        (ChoiceKind::Picks, 3, false, 3),
        (ChoiceKind::Picks, 4, false, 4),
        (ChoiceKind::Picks, 5, true, 4),
        (ChoiceKind::Open, 1, true, 2),
    ] {
        let point = search.point(&Chosen {
            id: ChoiceId::new(1, 0, 0),
            model: "HashMap.keySet".to_owned(),
            kind,
            by_project: true,
            size,
            rank: None,
        });
        let tried = (point.is_sampled, point.slots(search.bounds.samples));
        assert_eq!(tried, (is_sampled, slots), "{kind:?} of {size}");
    }
}

#[test]
fn identities_are_no_news() {
    assert_eq!(without_identities("a.B@1b6d3586 is not a@b"), "a.B@… is not a@…");
    assert_eq!(without_identities("me@x.org"), "me@x.org");
}

#[test]
fn the_projects_own_line() {
    let trace = "E: x\n\tat org.junit.Assert.fail(Assert.java:86)\n\tat org.hamcrest.Is.is(Is.java:1)\n\
        \tat org.invented.Engine.run(Engine.java:3)\n\tat a.OrderTest.m(OrderTest.java:7)\n";
    let line = |frameworks| line_of(frameworks, trace);
    assert_eq!(
        line(&FRAMEWORKS).as_deref(),
        Some("org.invented.Engine.run(Engine.java:3)")
    );
    let code = ["org.invented.", "org.junit.", "org.hamcrest."].map(|start| Prefix {
        start,
        support: Support::Framework,
    });
    let with_invented = Frameworks {
        rows: &[],
        around: &code,
    };
    assert_eq!(
        line(&with_invented).as_deref(),
        Some("a.OrderTest.m(OrderTest.java:7)")
    );
}

const BOUNDS: Bounds = Bounds {
    exhaustive: 3,
    samples: 4,
    runs: 100,
    until: Until::End,
    way: Way::DepthFirst,
    threads: Threads::All,
};

/// A choice between two orders, which is natural: its call and thread, and whether the project made it.
fn chosen(thread: u16, call: u32, by_project: bool) -> Chosen {
    Chosen {
        id: ChoiceId::new(1, thread, call),
        model: "HashMap.keySet".to_owned(),
        kind: ChoiceKind::Rearranges,
        by_project,
        size: 2,
        rank: Some(0),
    }
}

fn passed(choices: Vec<Chosen>) -> Probed {
    Probed {
        verdict: Verdict::Passed,
        choices,
        evidence: Vec::new(),
    }
}

fn failed(choices: Vec<Chosen>, message: &str) -> Probed {
    let failure = unflake_protocol::Failure {
        kind: "E".to_owned(),
        message: message.to_owned(),
        trace: String::new(),
        expected: None,
        actual: None,
    };
    Probed {
        verdict: Verdict::Failed(failure),
        ..passed(choices)
    }
}

fn next(search: &mut Search) -> Task {
    match search.next_task() {
        Next::Run(task) => task,
        other => panic!("{other:?}"),
    }
}

/// A search of which the first execution is over.
fn begun(bounds: Bounds, first: &Probed) -> Search {
    let mut search = Search::new(bounds);
    let task = next(&mut search);
    search.insert(&task, first).unwrap();
    search
}

/// What the script of a task tells the choices of thread 0.
fn told(task: &Task) -> Vec<Vec<u32>> {
    let order = |(_, _, order): &(ChoiceId, ChoiceId, Order)| match order {
        Order::Given(order) => order.clone(),
        other => panic!("{other:?}"),
    };
    task.script.entries.iter().map(order).collect()
}

#[test]
fn only_choices_of_the_project_are_explored() {
    let search = begun(BOUNDS, &passed(vec![chosen(0, 0, false)]));
    assert!(search.is_complete());
    let search = begun(BOUNDS, &passed(vec![chosen(0, 0, true)]));
    assert!(!search.is_complete());
    assert_eq!(search.untried(), 1);
}

#[test]
fn other_threads_count_if_they_are_asked_for() {
    let choices = || vec![chosen(1, 0, true), chosen(0, 0, true)];
    let all = begun(BOUNDS, &passed(choices()));
    assert_eq!(all.untried(), 2);
    // Thread after thread, whoever came first.
    let SearchNode::Choice(first) = &all.nodes[0] else {
        panic!("{:?}", all.nodes)
    };
    assert_eq!(first.id.thread(), 0);
    let bounds = Bounds {
        threads: Threads::First,
        ..BOUNDS
    };
    assert_eq!(begun(bounds, &passed(choices())).untried(), 1);
}

#[test]
fn a_task_that_could_not_be_run_is_given_out_again() {
    let mut search = begun(BOUNDS, &passed(vec![chosen(0, 0, true)]));
    search.heuristics.clear();
    let task = next(&mut search);
    assert_eq!(told(&task), [[1, 0]]);
    assert!(matches!(search.next_task(), Next::Wait));
    search.give_up(&task);
    assert!(!search.is_complete());
    assert_eq!(told(&next(&mut search)), [[1, 0]]);
}

#[test]
fn what_runs_counts_among_the_runs() {
    let mut search = Search::new(Bounds { runs: 1, ..BOUNDS });
    let task = next(&mut search);
    assert!(matches!(search.next_task(), Next::Wait));
    search.insert(&task, &passed(vec![chosen(0, 0, true)])).unwrap();
    assert!(matches!(search.next_task(), Next::Done));
    // The first run is waited for: it shows what there is to try.
    let mut search = Search::new(BOUNDS);
    next(&mut search);
    assert!(matches!(search.next_task(), Next::Wait));
}

#[test]
fn the_deepest_untried_answer_comes_first_or_the_one_nearest_to_the_start() {
    let first = |way| {
        let choices = vec![chosen(0, 0, true), chosen(0, 1, true)];
        let mut search = begun(Bounds { way, ..BOUNDS }, &passed(choices));
        search.heuristics.clear();
        told(&next(&mut search))
    };
    assert_eq!(first(Way::DepthFirst), [[0, 1], [1, 0]]);
    assert_eq!(first(Way::BreadthFirst), [[1, 0]]);
}

#[test]
fn the_same_answers_that_end_differently_are_noticed() {
    let recheck = |first: &Probed, again: &Probed| begun(BOUNDS, first).recheck(again);
    let plain = || vec![chosen(0, 0, true)];
    assert_eq!(recheck(&passed(plain()), &passed(plain())), Ok(()));
    assert_eq!(recheck(&failed(plain(), "one"), &failed(plain(), "two")), Ok(()));
    let diverged = |expected: &str, found: &str, of_threads| {
        Err(Diverged {
            expected: expected.to_owned(),
            found: found.to_owned(),
            of_threads,
        })
    };
    assert_eq!(
        recheck(&passed(plain()), &failed(plain(), "no")),
        diverged("no failure", "a failure: no", false)
    );
    assert_eq!(
        recheck(&failed(plain(), "no"), &passed(plain())),
        diverged("a failure: no", "no failure", false)
    );
    // Several threads may have met in another way.
    let threads = || vec![chosen(0, 0, true), chosen(1, 0, true)];
    assert_eq!(
        recheck(&passed(threads()), &failed(threads(), "no")),
        diverged("no failure", "a failure: no", true)
    );
    // A choice more, and another one at the same place.
    assert_eq!(
        recheck(&passed(Vec::new()), &passed(plain())),
        diverged("no failure", "choice 1 of HashMap.keySet among 2", false)
    );
    assert_eq!(
        recheck(&passed(plain()), &passed(vec![chosen(0, 5, true)])),
        diverged(
            "choice 1 of HashMap.keySet among 2",
            "choice 1 of HashMap.keySet among 2",
            false
        )
    );
}

#[test]
fn what_is_no_tree_is_not_loaded() {
    let leaf = |parent| SavedNode {
        parent,
        what: SavedKind::Passed,
    };
    let load = |saved: &[SavedNode]| Search::new(BOUNDS).load(saved);
    assert!(load(&[]).is_some_and(|search| search.nodes.is_empty()));
    assert_eq!(load(&[leaf(None)]).unwrap().executions, 1);
    // Two roots, and parents that come later or never.
    for saved in [
        &[leaf(None), leaf(None)][..],
        &[leaf(Some((0, 0)))],
        &[leaf(None), leaf(Some((1, 0)))],
    ] {
        assert!(load(saved).is_none(), "{saved:?}");
    }
}

#[test]
fn failures_of_a_loaded_tree_count() {
    let search = begun(BOUNDS, &failed(vec![chosen(0, 0, true)], "no"));
    let loaded = Search::new(BOUNDS).load(&search.save()).unwrap();
    assert_eq!((loaded.executions, loaded.failures, loaded.untried()), (1, 1, 1));
    let bounds = Bounds {
        until: Until::FirstFailure,
        ..BOUNDS
    };
    let mut loaded = Search::new(bounds).load(&search.save()).unwrap();
    assert!(matches!(loaded.next_task(), Next::Done));
}

#[test]
fn around_a_failure_answers_differ_in_so_many_choices_and_no_more() {
    let executions = |distance: usize| {
        let mut search = Search::around(BOUNDS, distance);
        while let Next::Run(task) = search.next_task() {
            let given = told(&task);
            let choice = |call: u32| Chosen {
                rank: Some(match given.get(call as usize) {
                    Some(order) => u64::from(order[0] == 1),
                    // Where nothing is said it varies, which is reversed here.
                    None => 1,
                }),
                ..chosen(0, call, true)
            };
            search
                .insert(&task, &passed((0..3).map(choice).collect()))
                .unwrap();
        }
        search.executions
    };
    // The failure itself; with one, two, three of three answers changed.
    assert_eq!([0, 1, 2, 3].map(executions), [1, 4, 7, 8]);
}

#[test]
fn the_answer_in_a_slot_depends_on_what_is_explored() {
    let point = |kind, size, is_around| {
        let search = match is_around {
            true => Search::around(BOUNDS, 1),
            false => Search::new(BOUNDS),
        };
        search.point(&Chosen {
            kind,
            size,
            ..chosen(0, 0, true)
        })
    };
    let large = |is_around| point(ChoiceKind::Rearranges, 4, is_around);
    let reversed = Order::Given(vec![3, 2, 1, 0]);
    assert_eq!(
        [0, 1].map(|slot| large(false).order(slot)),
        [Order::Natural, reversed]
    );
    assert_eq!(
        [0, 1].map(|slot| large(true).order(slot)),
        [Order::Varied, Order::Natural]
    );
    let Order::Given(drawn) = large(false).order(2) else {
        panic!("a sample is an order")
    };
    assert_ne!(large(false).order(3), Order::Given(drawn.clone()));
    let mut sorted = drawn;
    sorted.sort_unstable();
    assert_eq!(sorted, [0, 1, 2, 3]);
    let picks = point(ChoiceKind::Picks, 3, false);
    assert_eq!(picks.order(2), Order::Given(vec![2]));
    let opposites = [
        picks,
        point(ChoiceKind::Open, 1, false),
        large(false),
        point(ChoiceKind::Rearranges, 3, false),
    ];
    assert_eq!(opposites.map(|point| point.opposite()), [2, 1, 1, 5]);
}

#[test]
fn what_was_picked_where_nothing_was_said_is_the_natural_answer() {
    let picked = Chosen {
        kind: ChoiceKind::Picks,
        size: 3,
        rank: Some(1),
        ..chosen(0, 0, true)
    };
    let mut search = begun(BOUNDS, &passed(vec![picked]));
    search.heuristics.clear();
    assert_eq!(search.untried(), 2);
    let tried = [told(&next(&mut search)), told(&next(&mut search))];
    assert_eq!(tried, [[[0]], [[2]]]);
}

#[test]
fn identities_are_numbers_of_up_to_sixteen_digits() {
    let long = "a@0123456789abcdef0";
    assert_eq!(without_identities(long), long);
    assert_eq!(without_identities("a@0123456789abcdef"), "a@…");
}

#[test]
fn a_trace_without_a_line_of_the_project_has_none() {
    let of = |trace: &str| line_of(&FRAMEWORKS, trace);
    assert_eq!(
        of("E\n\tat java.util.List.of(List.java:1)\n\tat jdk.internal.A.b(A.java:2)"),
        None
    );
    assert_eq!(
        of("E\n\tat java.base/java.util.List.of(List.java:1)\n\tat app//p.ATest.a(ATest.java:3)").as_deref(),
        Some("p.ATest.a(ATest.java:3)")
    );
}
