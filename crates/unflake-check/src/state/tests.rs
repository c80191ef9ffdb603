//! The phase as a whole, on simulated suites.

mod eager;

use super::limits::not_watched_message;
use super::measure;
use crate::check::Checked;
use crate::options::{CheckKind, Measure, Options, SeedSetting};
use crate::simulated::{Simulated, simulated};
use serde_json::Value;
use std::num::NonZeroUsize;
use unflake_findings::{Finding, FindingKind, Severity, TestState};
use unflake_protocol::{Abstraction, Compare};

fn watching(suite: &str) -> Simulated {
    simulated(suite).looking_for(&[CheckKind::Pollution])
}

/// What is found beside that tests were watched.
#[track_caller]
fn check(simulated: &Simulated, expected: &[&str]) {
    let facts = simulated.facts().into_iter();
    let facts: Vec<String> = facts.filter(|fact| !fact.ends_with(" watched")).collect();
    assert_eq!(facts, expected);
}

#[track_caller]
fn finds(suite: &str, expected: &[&str]) {
    check(&watching(suite), expected);
}

#[test]
fn every_test_that_came_to_its_end_was_watched() {
    let facts = watching("A#a\nA#b fails\nB#a").facts();
    assert_eq!(facts, ["A#a watched", "A#b watched", "B#a watched"]);
}

#[test]
fn a_change_counts_if_it_is_seen_twice() {
    finds(
        "A#a changes S.count\nA#b",
        &["Test A#a changes S.count: NoVictim"],
    );
    finds("A#a changes S.count turns fp\nA#b", &[]);
    finds("A#a changes S.count turns pf\nA#b", &[]);
}

#[test]
fn the_second_run_has_the_changed_classes_loaded_and_leaves_out_classes_without_a_change() {
    let simulated =
        watching("A#a changes S.count; changes property:x\nA#b\nB#a").with(|options| options.proof = false);
    simulated.facts();
    assert_eq!(
        simulated.commands(),
        ["A#a A#b B#a | watched", "A#a A#b | watched with S"]
    );
}

#[test]
fn who_suffers_is_found_by_running_it() {
    finds(
        "B#b [sees S] fails after A#a\nA#a changes S.count",
        &[
            "B#b is a victim of A#a by S.count",
            "Test A#a changes S.count: Proved by B#b",
        ],
    );
    let unproved = watching("B#b fails after A#a\nA#a changes S.count").with(|options| options.proof = false);
    check(&unproved, &["Test A#a changes S.count: NotRun"]);
}

#[test]
fn a_test_that_failed_in_the_build_and_passes_alone_is_a_victim_without_any_change() {
    finds(
        "A#a\nA#b [failed] fails after A#a",
        &[
            "A#b fails in the suite: failed in the build",
            "A#b is a victim of A#a",
        ],
    );
}

#[test]
fn what_changes_on_its_own_is_nobodys_doing() {
    let said =
        "said: `S.n` changes on its own, after different tests in each run; changes to it are not reported";
    finds(
        "A#a changes S.n turns fp\nA#b changes S.n turns fp\nA#c changes S.n",
        &[said, "cut: NotWatched"],
    );
    // As often as not may be chance. One of those that change it in the same way is tried for all of them.
    finds(
        "A#a changes S.n turns fp\nA#b changes S.n turns fp\nA#c changes S.n\nA#d changes S.n",
        &["Test A#c changes S.n: NoVictim", "Test A#d changes S.n: NotRun"],
    );
}

#[test]
fn a_test_that_did_not_run_again_does_not_say_that_a_field_changes_on_its_own() {
    finds(
        "A#a is-missing turns pffp; changes S.n\nA#b is-missing turns pffp; changes S.n\nA#c changes S.n",
        &[
            "A#a unwatched (Again): not run",
            "A#b unwatched (Again): not run",
            "Test A#c changes S.n: NoVictim",
        ],
    );
}

#[test]
fn what_was_given_up_is_said_and_reported_of_nobody() {
    finds(
        "A#a changes S.n; not-watched S.n",
        &["said: `S.n` is not watched: too large"],
    );
    finds(
        "A#a changes S.n; not-watched S.n turns pf",
        &["said: `S.n` is not watched: too large"],
    );
}

#[test]
fn what_should_have_been_watched_makes_the_run_partial() {
    finds(
        "A#a restless S.n; restless S.m\nA#b restless S.n",
        &[
            "said: `S.m` and `S.n` are not watched: a thread changes it",
            "cut: NotWatched",
        ],
    );
    finds(
        "A#a changes S.n; blocks S\nA#b changes T.n; throws-eagerly T",
        &[
            "said: `T` is not watched: it could not be loaded before the first test: E",
            "said: `S` is not watched: its static initialiser did not end when it was loaded before the first test",
            "cut: NotWatched",
            "Test A#a changes S.n: NoVictim",
            "Test A#b changes T.n: NoVictim",
        ],
    );
}

#[test]
fn many_with_one_reason_are_one_note() {
    let said = |what: &[&str]| not_watched_message(what, "no");
    assert_eq!(said(&["a"]), "`a` is not watched: no");
    assert_eq!(said(&["a", "b", "c"]), "`a`, `b` and `c` are not watched: no");
    let five = ["a", "b", "c", "d", "e"];
    assert_eq!(said(&five), "`a`, `b`, `c`, `d` and `e` are not watched: no");
    let many = ["a", "b", "c", "d", "e", "f"];
    assert_eq!(said(&many), "`a`, `b`, `c`, `d` and 2 more are not watched: no");
}

#[test]
fn tests_that_a_class_holds_up_run_once_more_without_loading_it_first() {
    let simulated = watching("A#a changes S.n; blocks S\nA#b hangs turns pfp\nB#b changes T.n")
        .with(|options| options.proof = false);
    simulated.facts();
    assert_eq!(
        simulated.commands(),
        [
            "A#a A#b B#b | watched",
            "A#a A#b B#b | watched with S T",
            "B#b | watched with S T",
            "A#a A#b | watched with T"
        ]
    );
}

#[test]
fn a_test_after_which_the_state_cannot_be_compared_was_not_watched() {
    let why = "A#a unwatched (First): no";
    finds("A#a not-compared turns fp\nA#b", &[why, "cut: NotWatched"]);
    for (suite, is_ours) in [("A#a not-compared\nA#b", true), ("A#a no-memory\nA#b", false)] {
        let Ok(Checked::Document(document)) = watching(suite).run(&crate::Silent) else {
            panic!("{suite}")
        };
        assert!(document.summary.partial, "{suite}");
        assert_eq!(document.has_fault_of_ours(), is_ours, "{suite}");
        let states: Vec<TestState> = document.tests.iter().map(|test| test.state).collect();
        assert_eq!(states, [TestState::NotFinished, TestState::Checked]);
        let said = document
            .notes
            .iter()
            .filter(|note| note.message.contains("could not be compared"));
        // Of the test, and of us.
        assert_eq!(said.count(), 1 + usize::from(is_ours), "{:?}", document.notes);
    }
}

#[test]
fn what_a_class_leaves_behind_is_reported_of_the_class() {
    finds("A#a class-changes S.n\nA#b", &["Class A#a changes S.n: NotRun"]);
    finds("A#a class-changes S.n turns fp", &[]);
    // Tear-down puts it back.
    finds("A#a class-changes S.n=1>2; class-changes S.n=2>1", &[]);
    // In the second run only: the first is not to be trusted.
    finds("A#a class-changes S.n=1>2; class-changes S.n=2>1 turns pf", &[]);
    finds(
        "A#a class-changes S.n=1>2; class-changes S.n=2>3",
        &["Class A#a changes S.n: NotRun"],
    );
    // Its own fields are what set-up is for; another class's are not.
    finds("A#a class-changes A.n", &[]);
    finds("B#a class-changes A.n", &["Class B#a changes A.n: NotRun"]);
    finds("A#a class-changes AB.n", &["Class A#a changes AB.n: NotRun"]);
}

#[test]
fn a_victim_outweighs_the_mark() {
    let suite = |fails: &str| {
        watching(&format!(
            "B#b [sees java.util.Zones] {fails}\nA#a changes java.util.Zones.cache"
        ))
    };
    let harmless = suite("");
    let harmful = suite("fails after A#a");
    check(&harmless, &["Test A#a changes java.util.Zones.cache: NoVictim"]);
    check(
        &harmful,
        &[
            "B#b is a victim of A#a by java.util.Zones.cache",
            "Test A#a changes java.util.Zones.cache: Proved by B#b",
        ],
    );
    let severity = |simulated: &Simulated| {
        let document = simulated.document_of(&simulated.ledger()).document;
        let is_polluter = |finding: &&Finding| finding.kind() == FindingKind::Polluter;
        let polluter = document.findings.iter().find(is_polluter).unwrap();
        (polluter.severity, document.summary.partial)
    };
    assert_eq!(severity(&harmless), (Severity::Note, false));
    assert_eq!(severity(&harmful), (Severity::Error, false));
}

#[test]
fn what_a_class_leaves_behind_may_have_victims_too() {
    finds(
        "B#b [sees S] fails after A#a\nA#a class-changes S.n\nA#c",
        &[
            "B#b is a victim of A#a by S.n",
            "Class A#a changes S.n: Proved by B#b",
        ],
    );
    finds(
        "B#b [sees S]\nA#a class-changes S.n\nA#c",
        &["Class A#a changes S.n: NoVictim"],
    );
    // What the test itself changes is blamed first, and then nobody is left.
    finds(
        "B#b [sees S] fails after A#a\nA#a class-changes S.n; changes S.m",
        &[
            "B#b is a victim of A#a by S.m",
            "Test A#a changes S.m: Proved by B#b",
            "Class A#a changes S.n: NotRun",
        ],
    );
}

#[test]
fn a_new_file_with_a_name_by_chance_is_tried_on_nobody() {
    finds(
        "A#a changes file:/tmp/junit1234567.tmp=>x\nA#b",
        &["Test A#a changes /tmp/junit*.tmp: NotRun"],
    );
    finds(
        "A#a changes file:/tmp/junit1234567.tmp=x>y\nA#b",
        &["Test A#a changes /tmp/junit*.tmp: NoVictim"],
    );
    finds(
        "A#a changes file:/tmp/x=>x\nA#b",
        &["Test A#a changes /tmp/x: NoVictim"],
    );
}

#[test]
fn tests_that_did_not_finish_are_told_with_the_reason() {
    finds("A#a is-missing\nA#b", &["A#a unwatched (First): not run"]);
    finds(
        "A#a is-missing\nA#b\nB#a [no-launch, jvm 2]",
        &[
            "A#a unwatched (First): not run",
            "B#a unwatched (First): no launch",
        ],
    );
    finds(
        "A#a dies\nA#b",
        &["A#a unwatched (First): the test ended its JVM (exit status: 1)"],
    );
    finds(
        "A#a hangs\nA#b",
        &["A#a unwatched (First): the test did not finish within 60 s"],
    );
    finds(
        "A#a set-up-fails\nA#b set-up-fails\nB#b",
        &[
            "A#a unwatched (First): set-up fails",
            "A#b unwatched (First): set-up fails",
        ],
    );
    // Who ends the run knows.
    assert!(watching("A#a cancels\nA#b").facts().is_empty());
}

#[test]
fn a_test_that_did_not_finish_runs_again_in_a_jvm_of_its_own() {
    let simulated = watching("A#a\nA#b dies after A#a\nB#a set-up-fails after A#a\nB#b").with(|options| {
        options.proof = false;
    });
    assert_eq!(
        simulated.facts(),
        ["A#a watched", "A#b watched", "B#a watched", "B#b watched"]
    );
    let commands = simulated.commands();
    let watched: Vec<&String> = commands
        .iter()
        .filter(|command| command.ends_with("watched"))
        .collect();
    assert_eq!(
        watched,
        ["A#a A#b B#a B#b | watched", "B#a B#b | watched", "A#b | watched",]
    );
    // One that hangs does so again, and takes its time.
    let hanging = watching("A#a\nA#b hangs");
    hanging.facts();
    let is_alone = |command: &&String| *command == "A#b | watched";
    assert_eq!(hanging.commands().iter().filter(is_alone).count(), 0);
}

#[test]
fn what_the_second_run_loses_is_not_lost_silently() {
    let changed = "Test A#a changes S.n: NoVictim";
    // A JVM that ends by chance costs nothing.
    finds("A#a dies turns pfp; changes S.n\nA#b", &[changed]);
    finds(
        "A#a dies turns pf; changes S.n\nA#b",
        &["A#a unwatched (Again): the test ended its JVM (exit status: 1)"],
    );
    finds(
        "A#a hangs turns pf; changes S.n\nA#b",
        &["A#a unwatched (Again): the test did not finish within 60 s"],
    );
    finds(
        "A#a set-up-fails turns pf; class-changes S.n\nA#b set-up-fails turns pf",
        &[
            "A#a unwatched (Again): set-up fails",
            "A#b unwatched (Again): set-up fails",
        ],
    );
    let no_jvm = watching("A#a changes S.n\nA#b").most_starts(1);
    let document = no_jvm.document_of(&no_jvm.ledger()).document;
    assert!(document.summary.partial && document.findings.is_empty());
    assert_eq!(
        document.tests[0].reason.as_deref(),
        Some("it did not run while shared state was watched a second time")
    );
}

#[test]
fn what_a_test_does_to_a_class_that_it_loads_first_is_seen() {
    finds(
        "A#a\nA#b hides S.list\nA#c",
        &["Test A#b changes S.list: NoVictim"],
    );
    let simulated = watching("A#a\nA#b hides S.list\nA#c").with(|options| options.proof = false);
    simulated.facts();
    assert_eq!(
        simulated.commands(),
        [
            "A#a A#b A#c | watched",
            "A#b | watched with S",
            "A#b | watched with S"
        ]
    );
    // It counts if it is seen twice, and as hidden only if it was.
    finds("A#b hides S.list turns ffp", &[]);
    finds(
        "A#b hides S.list; changes T.n eager",
        &["Test A#b changes S.list: NoVictim"],
    );
    // A later test that does the same is seen in any case.
    finds(
        "A#b hides S.list\nA#c changes S.list",
        &[
            "Test A#c changes S.list: NoVictim",
            "Test A#b changes S.list: NotRun",
        ],
    );
    finds(
        "A#b hides S.list; dies eager",
        &["A#b unwatched (Loaded): the test ended its JVM (exit status: 1)"],
    );
    // What test classes hold is compared from the moment on at which they are initialised.
    finds("A#b hides B.list\nB#a", &[]);
}

#[test]
fn settings_that_are_of_no_use_are_named() {
    let with = |change: fn(&mut Options)| watching("A#a unusable a.Odd").with(change);
    let unusable = "said: the abstraction of `a.Odd` is not used: no such field";
    check(&with(|_| {}), &[unusable]);
    let asked: fn(&mut Options) = |options| {
        let asked = &mut options.pollution;
        asked.include_roots = vec!["in".to_owned()];
        asked.exclude_roots = vec!["out".to_owned()];
        asked.exclude_fields = vec!["field".to_owned()];
        let abstraction = |class: &str| Abstraction {
            class: class.to_owned(),
            compare: Compare::Nothing,
        };
        asked.abstractions = vec![abstraction("a.None"), abstraction("a.Odd")];
    };
    let said: Vec<String> = with(asked).facts().into_iter().skip(1).collect();
    let starts = [
        unusable,
        "said: the pattern `in` of `include_roots` matches no static field of the classes that were loaded",
        "said: the pattern `out` of `exclude_roots` matches no static field that would be watched",
        "said: the pattern `field` of `exclude_fields` matches no field of the objects that were reached",
        "said: the abstraction of `a.None` is not used: no object of this class was reached",
    ];
    assert_eq!(said.len(), starts.len(), "{said:?}");
    for (said, start) in said.iter().zip(starts) {
        assert!(said.starts_with(start), "{said}");
    }
    // A part of the tests may load a part of the classes only.
    let some = with(asked).with(|options| options.tests = vec!["A".to_owned()]);
    check(&some, &[unusable]);
}

#[test]
fn each_way_to_capture_is_measured_as_often_as_was_asked_for() {
    let ways = [
        Measure::None,
        Measure::Whole,
        Measure::Files,
        Measure::Eager,
        Measure::AllRoots,
    ];
    let simulated = watching("A#a [sees S] changes S.count\nA#b [failed]").with(|options| {
        options.measure = ways.to_vec();
        options.measure_times = 2;
    });
    let lines = simulated.check(measure);
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<&str> = lines
        .iter()
        .map(|line| line["capture"].as_str().unwrap())
        .collect();
    let once = ways.map(Measure::name);
    assert_eq!(names, [once, once].concat());
    for line in &lines {
        // Without watching nobody says what changes.
        let changing = i32::from(line["capture"] != "none");
        assert_eq!(
            (&line["tests"], &line["changing"]),
            (&Value::from(1), &Value::from(changing))
        );
    }
    // No class of this one lies in a directory, so none is loaded before.
    assert_eq!(simulated.commands()[..2], ["A#a", "A#a | watched"]);
}

#[test]
fn where_files_change_that_others_see_the_second_run_has_one_jvm() {
    let has_one_in = |what: &str, is_apart: bool, directories: &[&str]| {
        let suite = format!("A#a changes {what}\nB#a changes {what}");
        let simulated = watching(&suite).with(|options| {
            options.pollution.directories = directories.iter().map(Into::into).collect();
            options.jobs = NonZeroUsize::new(2).unwrap();
            options.proof = false;
        });
        let simulated = if is_apart { simulated } else { simulated.sharing() };
        simulated.facts();
        let commands = simulated.commands();
        commands.iter().any(|command| command.starts_with("A#a B#a"))
    };
    let has_one = |what, is_apart| has_one_in(what, is_apart, &[]);
    // Directories that somebody named are everybody's.
    assert!(has_one_in("file:/tmp/x", true, &["/var/data"]));
    assert!(has_one("file:/tmp/x", false));
    assert!(!has_one("file:/tmp/x", true));
    assert!(!has_one("S.n", false));
}

#[test]
fn which_tests_share_a_jvm_depends_on_no_clock() {
    let simulated = watching("A#a\nB#a\nC#a").with(|options| options.vary.seed = SeedSetting::Fresh);
    simulated.facts();
    assert_eq!(simulated.commands(), ["A#a B#a C#a | watched"]);
}

#[test]
fn what_passes_only_without_isolation_is_watched_without_it() {
    let simulated = watching("A#a fails inside; changes S.n\nA#b changes S.m\nB#a changes T.n");
    let simulated = simulated.with(|options| options.proof = false);
    assert_eq!(
        simulated.facts(),
        [
            "A#a watched",
            "A#b watched",
            "B#a watched",
            "Test A#a changes S.n: NotRun",
            "Test A#b changes S.m: NotRun",
            "Test B#a changes T.n: NotRun",
            "A#a ran outside",
            "A#b ran outside",
        ]
    );
    let commands = simulated.commands();
    let watched = commands.iter().filter(|command| command.ends_with("| watched"));
    // The whole class runs again, and nothing else.
    assert_eq!(
        watched.collect::<Vec<_>>(),
        ["A#a A#b B#a | watched", "A#a A#b | watched"]
    );
}
