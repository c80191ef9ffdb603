//! Explorations of simulated tests.

use super::explore;
use crate::options::{CheckKind, ExploreOptions};
use crate::problem::Problem;
use crate::progress::Silent;
use crate::simulated::{Simulated, simulated};
use crate::stored_run::StoredRun;
use std::fs;
use std::num::NonZeroUsize;
use std::time::Duration;
use unflake_findings::{FailureKind, Node, NodeKind, StateSpace};

fn options() -> ExploreOptions {
    ExploreOptions {
        around: false,
        distance: 1,
        elements: 4,
        samples: 3,
        runs: 1000,
        budget: None,
        first: false,
        breadth: false,
        random: None,
        seed: None,
        fresh: false,
        jobs: NonZeroUsize::MIN,
    }
}

fn explored(simulated: &Simulated, options: &ExploreOptions) -> Result<StateSpace, Problem> {
    let stored = simulated.stored();
    let named = stored.named("A#a", &simulated.options.place.project)?;
    explore(&stored, named, options, &Silent)
}

/// `EXECUTIONS executions, all|some, CHANCE: NOTES`, or the problem.
fn shown(space: Result<StateSpace, Problem>) -> String {
    let space = match space {
        Ok(space) => space,
        Err(problem) => return format!("error: {}", problem.error),
    };
    let notes = space.notes.iter().map(|note| format!("\n{note}"));
    format!(
        "{} executions, {}, {:.2}{}",
        space.executions,
        if space.complete { "all" } else { "some" },
        space.figures.failure_probability,
        notes.collect::<String>()
    )
}

#[track_caller]
fn check(suite: &str, options: ExploreOptions, expected: &str) {
    assert_eq!(shown(explored(&simulated(suite), &options)), expected);
}

/// The same for a test of which the stored run says nothing about choices.
#[track_caller]
fn check_unvaried(suite: &str, expected: &str) {
    let simulated = simulated(suite).looking_for(&[CheckKind::Pollution]);
    assert_eq!(shown(explored(&simulated, &options())), expected);
}

const ONE: &str = "A#a chooses HashMap.keySet 3; fails reordered 1";
const TWO: &str =
    "A#a chooses HashMap.keySet 3; chooses HashSet.iterator 2; fails reordered 1 and reordered 2";

#[test]
fn all_behaviours_are_gone_through() {
    check(ONE, options(), "6 executions, all, 0.83");
    check(TWO, options(), "12 executions, all, 0.42");
    check(
        "A#a chooses HashMap.keySet 2",
        options(),
        "2 executions, all, 0.00",
    );
    check("A#a", options(), "1 executions, all, 0.00");
    let other_way = ExploreOptions {
        breadth: true,
        jobs: NonZeroUsize::new(2).unwrap(),
        ..options()
    };
    check(TWO, other_way, "12 executions, all, 0.42");
}

#[test]
fn a_graph_shows_choices_and_how_the_test_ends() {
    let simulated = simulated(ONE);
    let module = simulated.options.place.project.join("m1");
    fs::create_dir_all(module.join("src/test/java")).unwrap();
    fs::write(module.join("src/test/java/A.java"), "class A {}").unwrap();
    fs::write(module.join("target/test-classes/A.class"), "").unwrap();
    let space = explored(&simulated, &options()).unwrap();
    let [
        Node {
            kind: NodeKind::Start,
            ..
        },
        Node { kind: choice, .. },
        passed,
        failed,
    ] = &space.nodes[..]
    else {
        panic!("{:?}", space.nodes)
    };
    let natural = ["e0", "e1", "e2"].map(str::to_owned).to_vec();
    let expected = NodeKind::Choice {
        api: "HashMap.keySet".to_owned(),
        elements: 3,
        call: Some("A.a(A.java:7)".to_owned()),
        natural,
        merge: false,
        critical: true,
        sampled: false,
    };
    assert_eq!(*choice, expected);
    assert_eq!(passed.kind, NodeKind::Passed);
    assert!(matches!(&failed.kind, NodeKind::Failed { message, .. } if message == "A#a fails"));
    let kinds: Vec<(u64, &str)> = space
        .failures
        .iter()
        .map(|kind| (kind.executions, kind.message.as_str()))
        .collect();
    assert_eq!(kinds, [(5, "A#a fails")]);
    assert_eq!((space.figures.critical_choices, space.edges.len()), (1, 7));
}

#[test]
fn around_a_failure_only_its_neighbours_are_tried() {
    let around = || ExploreOptions {
        around: true,
        ..options()
    };
    check(TWO, around(), "7 executions, all, 0.75");
    check(
        "A#a chooses HashMap.keySet 2",
        around(),
        "error: `A#a` did not fail in the run `1970-01-01-0000`",
    );
}

const RANDOM: &str = "200 random executions beside the search (seed 7) found no other way to fail\n\
                      the probability of failure is estimated from the random executions";

#[test]
fn what_was_not_tried_is_said() {
    let untried = "known alternatives were not tried";
    // There is time left, or as much as it takes.
    for budget in [None, Some(Duration::from_secs(3600))] {
        let bound = ExploreOptions {
            runs: 3,
            budget,
            ..options()
        };
        check(
            TWO,
            bound,
            &format!(
                "3 executions, some, 1.00\n5 {untried}: the limit is 3 executions; `--runs` raises it\n{RANDOM}"
            ),
        );
    }
    let first = ExploreOptions {
        first: true,
        ..options()
    };
    let ended = format!("2 executions, some, 0.50\n6 {untried}: it ended at the first failure");
    check(TWO, first, &ended);
    let sampled = "of each choice of more than 4 elements (1 in the graph) only 3 orders were tried; \
                   `--elements` raises the limit";
    check(
        "A#a chooses HashMap.keySet 6; fails reordered 1",
        options(),
        &format!("3 executions, all, 1.00\n{sampled}\n{RANDOM}"),
    );
    let interrupted =
        format!("1 executions, some, 0.00\n6 {untried}: it was interrupted; the same command continues");
    check_unvaried(&format!("{TWO}; cancels scripted and reordered 1"), &interrupted);
}

#[test]
fn time_that_is_up_is_said() {
    let budget = Some(Duration::from_millis(500));
    let space = explored(
        &simulated(&format!("{TWO}; sleeps 100 scripted")),
        &ExploreOptions { budget, ..options() },
    );
    let said = shown(space);
    assert!(
        said.contains("known alternatives were not tried: time ran out; the same command continues"),
        "{said}"
    );
}

#[test]
fn random_executions_show_what_the_search_has_not_come_to() {
    // It fails in a way of its own where nothing is scripted.
    let suite = "A#a chooses HashMap.keySet 2; dies form random";
    let said =
        "200 random executions beside the search (seed 7) found 1 more way to fail; it is not in the graph";
    check_unvaried(suite, &format!("2 executions, all, 0.00\n{said}"));
}

#[test]
fn where_the_first_run_of_a_jvm_matters_each_execution_has_a_fresh_one() {
    let fresh = "its first run in a JVM differs from later ones, so each execution had a fresh JVM";
    check(
        "A#a chooses HashMap.keySet 2; fails reordered 1 and once",
        options(),
        &format!("2 executions, all, 0.50\n{fresh}"),
    );
    check(
        "A#a chooses HashMap.keySet 2; chooses HashSet.iterator 2 once; fails reordered 1",
        options(),
        "2 executions, all, 0.50\nthe first run in a JVM makes 2 choices, later ones 1: choices that are made only once kept \
         the JDK's own results",
    );
    // Nothing is known of it but that its later runs choose less, and that it fails where each choice is turned round.
    for fails in ["varied", "form reverse"] {
        check_unvaried(
            &format!("A#a chooses HashMap.keySet 2 once; chooses HashSet.iterator 2; fails {fails} and once"),
            &format!("4 executions, all, 0.00\n{fresh}"),
        );
    }
}

#[test]
fn a_test_that_chooses_otherwise_each_time_is_flaky() {
    let flaky =
        "error: the test is flaky on its own: repeating the same choices led to a different execution";
    check(
        "A#a chooses HashMap.keySet 2; chooses HashSet.iterator 2 alternately and scripted",
        options(),
        flaky,
    );
}

#[test]
fn threads_that_meet_otherwise_each_time_are_left_out_or_drawn() {
    let elsewhere = "chooses-elsewhere HashSet.iterator 2 alternately and scripted; \
                     chooses-elsewhere Class.getMethods 2";
    let first = "several of its threads make choices and interleave differently each time: only the choices of the \
                 first thread were explored, the others kept the JDK's own results";
    check(
        &format!("A#a chooses HashMap.keySet 2; {elsewhere}"),
        options(),
        &format!("2 executions, all, 0.00\n{first}"),
    );
    let drawn = "several of its threads make choices and interleave differently each time, so its behaviours cannot \
                 be enumerated\nsampled at random with seed 7, not explored: other behaviours may exist";
    check(
        &format!(
            "A#a chooses HashMap.keySet 2; chooses HashMap.values 2 alternately and scripted; {elsewhere}"
        ),
        options(),
        &format!("200 executions, some, 0.00\n{drawn}"),
    );
}

#[test]
fn an_exploration_goes_on_where_it_ended() {
    let simulated = simulated(TWO);
    let mut stored = simulated.stored();
    let explored_in = |stored: &StoredRun, options: ExploreOptions| {
        let named = stored.named("A#a", &simulated.options.place.project).unwrap();
        shown(explore(stored, named, &options, &Silent))
    };
    let explored = |options| explored_in(&stored, options);
    let first = || ExploreOptions {
        first: true,
        ..options()
    };
    let begun =
        "2 executions, some, 0.50\n6 known alternatives were not tried: it ended at the first failure";
    assert_eq!(explored(first()), begun);
    let more = "12 executions, all, 0.42\ncontinued after 2 executions of an earlier call";
    assert_eq!(explored(options()), more);
    let fresh = || ExploreOptions {
        fresh: true,
        ..options()
    };
    assert_eq!(explored(fresh()), "12 executions, all, 0.42");
    // With other bounds it is another exploration.
    let other = ExploreOptions {
        samples: 4,
        ..options()
    };
    assert_eq!(explored(other), "12 executions, all, 0.42");
    // So is that of classes that were compiled anew.
    explored(options());
    assert!(explored(options()).contains("continued after"));
    stored.is_fresh = false;
    assert_eq!(explored_in(&stored, options()), "12 executions, all, 0.42");
}

#[test]
fn random_executions_are_drawn_where_somebody_wants_them() {
    let random = ExploreOptions {
        random: Some(5),
        ..options()
    };
    let simulated = simulated(ONE);
    let space = explored(&simulated, &random).unwrap();
    assert_eq!(
        (space.executions, space.complete, space.figures.nodes),
        (5, false, 2)
    );
    assert_eq!((space.failures.len(), space.failures[0].executions), (1, 5));
    let said = ["sampled at random with seed 7, not explored: other behaviours may exist"];
    assert_eq!(space.notes, said);
    let budget = Some(Duration::ZERO);
    let none = explored(&simulated, &ExploreOptions { budget, ..random }).unwrap();
    assert_eq!((none.executions, none.figures.failure_probability), (0, 0.0));
}

#[test]
fn what_cannot_be_explored_says_why() {
    let error = |suite: &str, expected: &str| check(suite, options(), &format!("error: {expected}"));
    error(
        "A#a chooses HashMap.keySet 2; is-missing unvaried",
        "the test framework did not run the test",
    );
    error(
        "A#a chooses HashMap.keySet 2; fails unvaried",
        "the test fails without any variation",
    );
    error(
        "A#a [no-launch]",
        "`A#a` can only be run by the build tool, so it cannot be explored",
    );
}

#[test]
fn a_finding_that_only_the_build_repeats_cannot_be_explored() {
    let simulated = simulated("A#a [no-launch]").rebuilds(&["!A#a", "A#a", "A#a", "A#a", "!A#a"]);
    let expected = "error: `A#a` can only be run by the build tool, so it cannot be explored";
    assert_eq!(shown(explored(&simulated, &options())), expected);
}

#[test]
fn a_polluter_has_no_choices_to_explore() {
    let simulated = simulated("A#a changes S.n\nA#b").looking_for(&[CheckKind::Pollution]);
    let said = shown(explored(&simulated, &options()));
    assert!(
        said.ends_with("is a `polluter` finding; this command needs an `implementation-dependent` one"),
        "{said}"
    );
}

#[test]
fn without_a_jvm_or_a_build_nothing_is_explored() {
    let simulated = simulated(ONE);
    let stored = simulated.stored();
    let explored = || {
        let named = stored.named("A#a", &simulated.options.place.project).unwrap();
        shown(explore(&stored, named, &options(), &Silent))
    };
    simulated.no_more_starts();
    assert_eq!(explored(), "error: cannot start the test JVM again");
    let classes = &stored.session.suite.launches[0].class_path[0];
    fs::remove_dir(classes).unwrap();
    assert_eq!(
        explored(),
        format!("error: the project is not built: there is no `{classes}`")
    );
}

#[test]
fn a_choice_to_which_several_ways_lead_is_shown_once() {
    let suite = "A#a chooses HashMap.keySet 2; chooses HashSet.iterator 3; fails reordered 2";
    let space = explored(&simulated(suite), &options()).unwrap();
    let choices = space.nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Choice {
            elements,
            merge,
            critical,
            ..
        } => Some((*elements, *merge, *critical)),
        _ => None,
    });
    // Whatever the first one answers, the second one decides.
    assert_eq!(choices.collect::<Vec<_>>(), [(2, false, false), (3, true, true)]);
    assert_eq!(
        (space.figures.merge_nodes, space.figures.critical_choices),
        (1, 1)
    );
}

#[test]
fn ways_to_fail_are_sorted_by_how_likely_they_are_and_then_by_what_is_said() {
    let kind = |probability, message: &str| FailureKind {
        exception: "E".to_owned(),
        message: message.to_owned(),
        line: None,
        probability,
        executions: 1,
    };
    let mut kinds = [kind(0.1, "a"), kind(0.4, "c"), kind(0.4, "b"), kind(0.9, "d")];
    super::result::sort(&mut kinds);
    let messages = kinds.map(|kind| kind.message);
    assert_eq!(messages, ["d", "b", "c", "a"]);
}
