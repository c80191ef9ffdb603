use super::*;
use crate::graph::samples;
use crate::state_space_json;

/// Without colours.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '\u{1b}' => _ = letters.find(|c| *c == 'm'),
            c => plain.push(c),
        }
    }
    plain
}

#[test]
fn the_summary_of_the_thesis_example() {
    let text = plain(&state_space_text(&samples::figure_2_12(), false));
    assert_eq!(
        text,
        "shop.CartTest#writesJson fails with probability 50 %
    tried  every allowed behaviour was tried: 8 executions, 3.4 s
    graph  8 nodes, 9 edges, 2 failing leaves, 1 merge node, 2 critical choices

Ways to fail
    25 %  AssertionFailedError: expected: <[plum, quince]> but was: <[quince, plum]>
          at shop.CartTest.writesJson(CartTest.java:21); 1 execution
    25 %  AssertionFailedError: expected: <2> but was: <1>
          at shop.CartTest.writesJson(CartTest.java:21); 1 execution

Critical choices: some order leads only to passes or only to failures, and another does not
    File.list called by shop.Cart.write(Cart.java:21): 2 orders, in 2 states

"
    );
}

#[test]
fn fractions_are_shown_and_lists_end() {
    let space = samples::figure_2_8();
    let text = plain(&state_space_text(&space, false));
    assert!(text.contains("fails with probability 23/24 (95.8 %)"), "{text}");
    assert!(text.contains("    1/24 (4.2 %)  AssertionFailedError"), "{text}");
    assert!(text.contains("    and 13 more; `-v` lists them"), "{text}");
    let all = plain(&state_space_text(&space, true));
    assert_eq!(all.matches("AssertionFailedError").count(), 23);
    assert!(!all.contains("more; `-v`"));
}

#[test]
fn what_is_not_known_is_said() {
    let mut space = samples::figure_2_12();
    space.complete = false;
    space.notes = vec!["the time is used up".to_owned()];
    space.figures.interval = Some((0.31, 0.69));
    let text = plain(&state_space_text(&space, false));
    assert!(
        text.contains("about 50 %, certainly between 31 % and 69 %"),
        "{text}"
    );
    assert!(
        text.contains("tried  not every allowed behaviour was tried"),
        "{text}"
    );
    assert!(text.ends_with("note: the time is used up\n"), "{text}");
}

#[test]
fn without_failures() {
    let mut space = samples::figure_2_12();
    space.failures.clear();
    space.figures.failure_probability = 0.0;
    assert!(plain(&state_space_text(&space, false)).contains("writesJson never fails\n"));
    space.complete = false;
    assert!(plain(&state_space_text(&space, false)).contains("writesJson no failure found\n"));
}

#[test]
fn messages_do_not_move_the_cursor() {
    let text = plain(&state_space_text(&samples::hostile(), false));
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    assert!(text.len() < 3000, "{}", text.len());
}

#[test]
fn the_json_is_the_state_space() {
    let space = samples::figure_2_12();
    let json = state_space_json(&space);
    assert!(json.ends_with("}\n"));
    assert_eq!(serde_json::from_str::<StateSpace>(&json).unwrap(), space);
}
