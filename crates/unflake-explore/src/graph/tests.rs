use super::*;
use crate::{Bounds, Next, Probed, Threads, Until, Verdict, Way};
use unflake_protocol::{ChoiceKind, Chosen, Failure, Order, Script};

const BOUNDS: Bounds = Bounds {
    exhaustive: 6,
    samples: 24,
    runs: 100_000,
    until: Until::End,
    way: Way::DepthFirst,
    threads: Threads::All,
};

/// A test that chooses among so many elements each time, and what it says at its end; `None`: it passes.
fn explored(bounds: Bounds, sizes: &[u32], end: impl Fn(&[Vec<u32>]) -> Option<String>) -> (Search, Graph) {
    let mut search = Search::new(bounds);
    while let Next::Run(task) = search.next_task() {
        search.insert(&task, &execute(&task.script, sizes, &end)).unwrap();
    }
    let graph = Graph::of(&search);
    (search, graph)
}

fn execute(script: &Script, sizes: &[u32], end: &impl Fn(&[Vec<u32>]) -> Option<String>) -> Probed {
    let mut orders = Vec::new();
    let mut choices = Vec::new();
    for (call, size) in (0u32..).zip(sizes) {
        let id = ChoiceId::new(1, 0, call);
        let entry = script
            .entries
            .iter()
            .find(|(from, to, _)| *from <= id && id <= *to);
        let order: Vec<u32> = match entry {
            Some((_, _, Order::Given(order))) => order.clone(),
            _ => (0..*size).collect(),
        };
        choices.push(Chosen {
            id,
            model: "HashMap.keySet".to_owned(),
            kind: ChoiceKind::Rearranges,
            by_project: true,
            size: *size,
            rank: Some(rank(&order)),
        });
        orders.push(order);
    }
    let verdict = match end(&orders) {
        None => Verdict::Passed,
        Some(message) => Verdict::Failed(Failure {
            kind: "E".to_owned(),
            message,
            trace: String::new(),
            expected: None,
            actual: None,
        }),
    };
    Probed {
        verdict,
        choices,
        evidence: Vec::new(),
    }
}

fn rank(order: &[u32]) -> u64 {
    let mut rank = 0;
    for (at, element) in order.iter().enumerate() {
        let smaller = order[at + 1..].iter().filter(|other| *other < element).count();
        rank = rank * (order.len() - at) as u64 + smaller as u64;
    }
    rank
}

/// Nodes, edges, failing leaves, merge nodes, critical choices.
fn figures(graph: &Graph) -> [usize; 5] {
    let GraphFigures {
        nodes,
        edges,
        failing_leaves,
        merge_nodes,
        critical_choices,
    } = graph.figures();
    [nodes, edges, failing_leaves, merge_nodes, critical_choices]
}

/// Thesis, figure 2.12 and rows T10, T11: the first choice does not matter, the other two must agree.
#[test]
fn two_choices_that_must_agree() {
    let (search, graph) = explored(BOUNDS, &[2, 2, 2], |orders| {
        (orders[1] != orders[2]).then(|| format!("{:?} {:?}", orders[1], orders[2]))
    });
    assert!(search.is_complete());
    assert_eq!(figures(&graph), [8, 9, 2, 1, 2]);
    assert!(graph.chance.is_exact());
    assert_eq!(graph.chance.mean, 0.5);
}

/// Thesis, figure 2.8: all but one of the 4! orders fail.
#[test]
fn one_order_of_many_passes() {
    let (search, graph) = explored(BOUNDS, &[4], |orders| {
        (orders[0] != [0, 1, 2, 3]).then(|| format!("{:?}", orders[0]))
    });
    assert!(search.executions >= 24);
    assert_eq!(figures(&graph), [26, 25, 23, 0, 1]);
    assert!((graph.chance.mean - 23.0 / 24.0).abs() < 1e-12);
    let shares = graph.failure_shares();
    assert_eq!(shares.len(), 23);
    assert!((shares.values().sum::<f64>() - 23.0 / 24.0).abs() < 1e-12);
}

/// Thesis, rows T22 and T25: one choice of two, one of its orders fails.
#[test]
fn the_smallest_graph() {
    let (_, graph) = explored(BOUNDS, &[2], |orders| (orders[0][0] == 1).then(|| "x".to_owned()));
    assert_eq!(figures(&graph), [4, 3, 1, 0, 1]);
}

#[test]
fn a_test_without_choices_has_a_start_and_an_end() {
    let (search, graph) = explored(BOUNDS, &[], |_| None);
    assert_eq!(figures(&graph), [2, 1, 0, 0, 0]);
    assert_eq!(search.executions, 1);
}

#[test]
fn both_ways_give_the_same_graph() {
    let end = |orders: &[Vec<u32>]| (orders[0][0] != orders[2][0]).then(|| "x".to_owned());
    let graphs = [Way::DepthFirst, Way::BreadthFirst].map(|way| {
        let (_, graph) = explored(Bounds { way, ..BOUNDS }, &[3, 2, 3], end);
        (figures(&graph), graph.chance.mean)
    });
    assert_eq!(graphs[0], graphs[1]);
}

#[test]
fn what_is_not_tried_widens_the_interval() {
    let bounds = Bounds { runs: 10, ..BOUNDS };
    let (search, graph) = explored(bounds, &[4], |orders| (orders[0][0] != 0).then(|| "x".to_owned()));
    assert!(!search.is_complete());
    let (low, high) = graph.chance.interval();
    assert!(low < 0.75 && 0.75 <= high, "{low} {high}");
    assert!(!graph.chance.is_exact());
}

/// The natural order passes and is run first, the opposite one fails and is run second. What was not tried counts as
/// passing for the least chance of a failure and as failing for the most, and not at all for the mean.
#[test]
fn what_is_not_tried_may_pass_or_fail() {
    let differs = |orders: &[Vec<u32>]| {
        orders
            .iter()
            .any(|order| !order.is_sorted())
            .then(|| "x".to_owned())
    };
    for (sizes, runs, least, most, mean) in [
        (&[3][..], 1, 0.0, 5.0 / 6.0, 0.0),
        (&[3], 2, 1.0 / 6.0, 5.0 / 6.0, 1.0 / 2.0),
        (&[3], 6, 5.0 / 6.0, 5.0 / 6.0, 5.0 / 6.0),
        (&[2, 2], 1, 0.0, 3.0 / 4.0, 0.0),
        (&[2, 2], 2, 1.0 / 4.0, 3.0 / 4.0, 1.0 / 2.0),
        (&[2, 2], 4, 3.0 / 4.0, 3.0 / 4.0, 3.0 / 4.0),
    ] {
        let (_, Graph { chance, .. }) = explored(Bounds { runs, ..BOUNDS }, sizes, differs);
        let is_close = |(found, expected): (f64, f64)| (found - expected).abs() < 1e-12;
        let pairs = [(chance.least, least), (chance.most, most), (chance.mean, mean)];
        assert!(
            pairs.into_iter().all(is_close),
            "{runs} runs of {sizes:?}: {chance:?}"
        );
    }
}

#[test]
fn large_choices_are_sampled() {
    let (search, graph) = explored(BOUNDS, &[9], |orders| (orders[0][0] != 0).then(|| "x".to_owned()));
    assert!(search.is_complete());
    let (low, high) = graph.chance.interval();
    // Eight of nine orders fail.
    assert!(
        low < 8.0 / 9.0 && 8.0 / 9.0 < high && high - low < 0.5,
        "{low} {high}"
    );
}

#[test]
fn the_first_failure_ends_the_search_if_asked() {
    let bounds = Bounds {
        until: Until::FirstFailure,
        ..BOUNDS
    };
    let (search, _) = explored(bounds, &[2, 2], |orders| {
        (orders[0] != orders[1]).then(|| "x".to_owned())
    });
    // Natural, opposite, then opposite and natural: the second heuristic finds it.
    assert_eq!((search.failures, search.executions), (1, 3));
}

#[test]
fn around_a_failure_one_answer_differs() {
    let mut search = Search::around(BOUNDS, 1);
    let end = |orders: &[Vec<u32>]| (orders[0][0] == 1 && orders[1][0] == 1).then(|| "x".to_owned());
    while let Next::Run(mut task) = search.next_task() {
        // What nothing is said of is varied: here reversed.
        for call in 0..3 {
            let id = ChoiceId::new(1, 0, call);
            if !task.script.entries.iter().any(|(from, ..)| *from == id) {
                task.script.entries.push((id, id, Order::Given(vec![1, 0])));
            }
        }
        search
            .insert(&task, &execute(&task.script, &[2, 2, 2], &end))
            .unwrap();
    }
    // The failure itself, and three neighbours.
    assert_eq!((search.executions, search.failures), (4, 2));
}

#[test]
fn a_test_that_goes_another_way_is_noticed() {
    let mut search = Search::new(BOUNDS);
    let Next::Run(first) = search.next_task() else {
        panic!()
    };
    search
        .insert(&first, &execute(&first.script, &[2, 2], &|_| None))
        .unwrap();
    let mut diverged = None;
    while let Next::Run(task) = search.next_task() {
        if let Err(error) = search.insert(&task, &execute(&task.script, &[3], &|_| None)) {
            diverged = Some(error);
            break;
        }
    }
    assert_eq!(diverged.unwrap().found, "choice 1 of HashMap.keySet among 3");
}

#[test]
fn an_exploration_goes_on_where_it_was_left() {
    let end =
        |orders: &[Vec<u32>]| (orders[0] != orders[1]).then(|| format!("{:?} {:?}", orders[0], orders[1]));
    let (whole, expected) = explored(BOUNDS, &[3, 3], end);
    let (part, _) = explored(Bounds { runs: 11, ..BOUNDS }, &[3, 3], end);
    let mut search = Search::new(BOUNDS).load(&part.save()).unwrap();
    assert_eq!(search.executions, 11);
    while let Next::Run(task) = search.next_task() {
        search
            .insert(&task, &execute(&task.script, &[3, 3], &end))
            .unwrap();
    }
    let graph = Graph::of(&search);
    assert_eq!(
        (search.executions, figures(&graph)),
        (whole.executions, figures(&expected))
    );
}

#[test]
fn what_was_not_explored_makes_no_choice_critical() {
    let critical = |runs: u64, sizes: &[u32], end: fn(&[Vec<u32>]) -> Option<String>| {
        let (_, graph) = explored(Bounds { runs, ..BOUNDS }, sizes, end);
        graph.figures().critical_choices
    };
    let both = |orders: &[Vec<u32>]| orders.iter().all(|order| order[0] == 1).then(|| "x".to_owned());
    let first = |orders: &[Vec<u32>]| (orders[0][0] == 1).then(|| "x".to_owned());
    // One answer passes, and nobody knows of the other.
    assert_eq!(critical(1, &[2], both), 0);
    assert_eq!(critical(2, &[2], both), 1);
    // Reversed, all fails; of the natural order one half is not known.
    assert_eq!(critical(3, &[2, 2], first), 0);
    assert_eq!(critical(4, &[2, 2], first), 1);
    // An answer that passes in any case, beside one that leaves it to the next choice.
    assert_eq!(critical(4, &[2, 2], both), 2);
}

#[test]
fn what_was_not_explored_is_not_counted() {
    let (_, graph) = explored(Bounds { runs: 1, ..BOUNDS }, &[2], |_| None);
    assert_eq!(figures(&graph), [3, 2, 0, 0, 0]);
    assert!(graph.failure_shares().is_empty());
}

#[test]
fn a_choice_is_shown_with_the_answers_that_lead_to_it() {
    let (_, graph) = explored(BOUNDS, &[2, 2], |orders| {
        orders.iter().all(|order| order[0] == 1).then(|| "x".to_owned())
    });
    let ways: Vec<usize> = (graph.vertices.iter())
        .filter_map(|vertex| match &vertex.what {
            VertexKind::Choice { way, id, .. } => {
                assert!(way.iter().all(|(before, _)| before < id));
                Some(way.len())
            }
            _ => None,
        })
        .collect();
    assert_eq!(ways, [0, 1, 1]);
    let reversed = Order::Given(vec![1, 0]);
    let leads_to_failure = graph.vertices.iter().find_map(|vertex| match &vertex.what {
        VertexKind::Choice {
            way,
            is_critical: true,
            ..
        } if !way.is_empty() => Some(way[0].1.clone()),
        _ => None,
    });
    assert_eq!(leads_to_failure, Some(reversed));
}

#[test]
fn an_edge_shows_an_order_that_leads_where_it_does() {
    // In a large choice the natural order is not given but left as it is.
    for size in [3, 9] {
        let (_, graph) = explored(BOUNDS, &[size], |orders| {
            (orders[0][0] != 0).then(|| "x".to_owned())
        });
        let (start, answers) = graph.edges.split_first().unwrap();
        assert!(start.order.is_empty() && answers.len() > 1);
        for answer in answers {
            let is_failed = matches!(graph.vertices[answer.to].what, VertexKind::Failed { .. });
            assert_eq!(is_failed, answer.order[0] != 0, "{:?}", answer.order);
        }
    }
}
