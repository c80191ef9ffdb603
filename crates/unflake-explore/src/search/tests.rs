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
