use super::*;
use crate::json;
use unflake_findings::{
    Cause, CountedProof, FindingKind, LevelSetting, Note, NoteKind, Passes, Repair, RunInfo, SCHEMA_VERSION,
    Suppression, Tried, finding_id, rules,
};
use unflake_protocol::{FailureSort, Form, Level, Seed, Strategy};

pub(crate) fn test(name: &str) -> TestId {
    let root = name.split(['#', '$']).next().unwrap().to_owned();
    TestId {
        module: ".".to_owned(),
        root,
        test: name.to_owned(),
        invocation: None,
    }
}

pub(crate) fn finding(name: &str, level: Level, message: &str) -> Finding {
    let test = test(name);
    let id = finding_id(FindingKind::ImplementationDependent, &test);
    let strategy = Strategy {
        level,
        form: Form::Reverse,
    };
    Finding {
        replay: format!("unflake replay {id}"),
        id,
        rule: rules::IMPLEMENTATION_DEPENDENT.to_owned(),
        test,
        severity: Severity::implementation_dependent(level, false),
        message: message.to_owned(),
        failure: Some(FailureSort::Assertion),
        exception: "org.opentest4j.AssertionFailedError".to_owned(),
        rate: Rate { failed: 3, runs: 4 },
        suppressed: None,
        details: Details::ImplementationDependent {
            level,
            levels_tried: vec![Tried {
                strategy,
                rate: Rate { failed: 1, runs: 1 },
            }],
            round: 1,
            strategy,
            scope: Scope::Alone,
            proof: CountedProof {
                varied: Rate { failed: 8, runs: 8 },
                unvaried: Passes { passed: 8, runs: 8 },
            },
            dumps: None,
            apis: vec!["HashMap.keySet".to_owned()],
            cause: Cause::default(),
            repair: Repair::default(),
        },
    }
}

pub(crate) fn document(findings: Vec<Finding>) -> Document {
    Document {
        schema_version: SCHEMA_VERSION,
        run: RunInfo {
            project: "/p".to_owned(),
            command: vec!["check".to_owned()],
            time_started: 0,
            pictures: None,
        },
        summary: Summary {
            tests: 14,
            checked: 9,
            skipped: BTreeMap::from([(SkipReason::NoChoice, 4), (SkipReason::Failing, 1)]),
            rounds: 4,
            seed: Seed(7),
            level: LevelSetting::Climb,
            time: 3.21,
            java: vec!["17.0.15".to_owned()],
            version: "0.1.0".to_owned(),
            partial: false,
            isolation: String::new(),
            outside: 0,
        },
        findings,
        excluded: Vec::new(),
        tests: Vec::new(),
        repairs: Vec::new(),
        notes: Vec::new(),
    }
}

/// The text as it looks without colour.
pub(crate) fn plain(document: &Document, verbose: bool) -> String {
    without_colour(&text(document, verbose, &|_| None))
}

pub(crate) fn without_colour(coloured: &str) -> String {
    let mut plain = String::new();
    let mut rest = coloured;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        let end = rest[at..].find('m').unwrap();
        rest = &rest[at + end + 1..];
    }
    plain + rest
}

#[test]
fn findings_are_told_with_the_command_that_repeats_them() {
    let mut document = document(vec![
        finding(
            "shop.CartTest#lists",
            Level::One,
            "expected: <[a, b]>\nbut was: <[b, a]>",
        ),
        finding("shop.CartTest$Nested#twice", Level::Full, ""),
    ]);
    document.findings[1].test.invocation = Some("[2]".to_owned());
    document.findings[1].test.module = "core".to_owned();
    document.excluded.push(Excluded {
        test: test("shop.OldTest#x"),
        reason: ExcludedReason::Failing,
        detail: "AssertionError: 1\nat …".to_owned(),
    });
    document.notes.push(Note {
        kind: NoteKind::Budget,
        message: "the budget ran out after round 4".to_owned(),
    });
    assert_eq!(
        plain(&document, false),
        "\
error shop.CartTest#lists
    AssertionFailedError: expected: <[a, b]>
    but was: <[b, a]>
    level    one: fails with another order that stays the same for the whole run
    failed   3 of 4 varied runs, first in round 1 of 4
    proof    failed 8 of 8 runs varied, passed 8 of 8 unvaried
    repeat   unflake replay ID-0

note shop.CartTest$Nested#twice[2] (module core)
    AssertionFailedError
    level    full: fails only when an unchanged collection changes its order
    failed   3 of 4 varied runs, first in round 1 of 4
    proof    failed 8 of 8 runs varied, passed 8 of 8 unvaried
    repeat   unflake replay ID-1

Fails on its own, so unflake does not check it
    shop.OldTest#x (AssertionError: 1)

note: the budget ran out after round 4

2 implementation-dependent tests: 1 error, 1 note
9 of 14 tests checked; 5 skipped: 1 fails on its own, 4 made no choice
4 rounds, Java 17.0.15, 3.2 s
seed 7; to repeat the same choices: `unflake check --seed 7`
"
        .replace("ID-0", document.findings[0].id.as_str())
        .replace("ID-1", document.findings[1].id.as_str())
    );
}

#[test]
fn only_is_said_where_weaker_levels_were_tried() {
    let mut document = document(vec![finding("shop.CartTest#twice", Level::Full, "1")]);
    assert!(plain(&document, false).contains("full: fails only when an unchanged"));
    document.summary.level = LevelSetting::Only(Level::Full);
    assert!(plain(&document, false).contains("full: fails when an unchanged"));
}

#[test]
fn verbose_says_what_was_tried() {
    let mut document = document(vec![finding("a.B#c", Level::Id, "x")]);
    document.summary.isolation = "namespaces".to_owned();
    assert!(plain(&document, true).contains("\ntest JVMs were kept apart by namespaces\n"));
    assert!(!plain(&document, false).contains("kept apart"));
    document.findings[0].suppressed = Some(Suppression {
        by: "comment".to_owned(),
        reason: "order is documented".to_owned(),
    });
    document.findings.push(finding("a.B#d", Level::Id, "x"));
    let text = plain(&document, true);
    assert!(
        text.contains(
            "    varied   id reverse\n    tried    id reverse: failed 1 of 1\n    used     HashMap.keySet\n    \
             rule     UF100; `unflake explain UF100` says how to repair it\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("Suppressed\n    a.B#c (comment: order is documented)\n"),
        "{text}"
    );
    assert!(
        text.contains("1 implementation-dependent test: 1 warning; 1 more suppressed\n"),
        "{text}"
    );
}

#[test]
fn tests_that_fail_in_another_order_are_no_success() {
    let mut document = document(Vec::new());
    document.excluded = vec![Excluded {
        test: test("com.shop.CartTest#totals"),
        reason: ExcludedReason::OrderSuspect,
        detail: "fails when the tests run in another order; time ran out before this was proved".to_owned(),
    }];
    let text = plain(&document, false);
    assert!(
        text.contains("the outcome of 1 test depends on the order"),
        "{text}"
    );
    assert!(!text.contains("no unreliable test found"), "{text}");
}

#[test]
fn nothing_checked_never_looks_like_success() {
    let mut document = document(Vec::new());
    assert!(plain(&document, false).starts_with("no unreliable test found\n"));
    document.summary.checked = 0;
    assert!(plain(&document, false).starts_with("no unreliable test found\n0 of 14 tests checked"));
    document.summary.skipped = BTreeMap::from([(SkipReason::Failing, 14)]);
    let text = plain(&document, false);
    assert!(text.starts_with("nothing was checked"), "{text}");
    assert!(!text.contains("no unreliable test found"), "{text}");
    document.summary.skipped.clear();
    document.summary.tests = 0;
    assert!(plain(&document, false).starts_with("nothing was checked"));
}

#[test]
fn a_partial_result_says_so() {
    let mut document = document(Vec::new());
    document.summary.partial = true;
    let text = plain(&document, false);
    assert!(
        text.starts_with("partial: the run ended before everything was done\n"),
        "{text}"
    );
}

#[test]
fn the_last_line_can_be_pasted() {
    let last = |command: &[&str]| {
        let mut document = document(Vec::new());
        document.run.command = command.iter().map(|word| (*word).to_owned()).collect();
        plain(&document, false).lines().last().unwrap().to_owned()
    };
    let check = |command: &[&str], again: &str| {
        assert_eq!(
            last(command),
            format!("seed 7; to repeat the same choices: `unflake {again}`")
        );
    };
    check(&["demo"], "demo --seed 7");
    check(
        &["check", "-C", "my dir", "A#b*"],
        "check -C 'my dir' 'A#b*' --seed 7",
    );
    check(
        &["check", "--seed", "last", "--level=id"],
        "check --level=id --seed 7",
    );
    check(
        &["check", "--seed=9", "--", "-Pit's", "--seed"],
        "check --seed 7 -- '-Pit'\\''s' --seed",
    );
}

#[test]
fn long_messages_are_cut_in_the_middle_and_cannot_touch_the_terminal() {
    let long = format!(
        "expected {} but\u{1b}[2J was\n{}",
        "x".repeat(2000),
        "line\n".repeat(20)
    );
    let document = document(vec![finding("a.B#c", Level::One, &long)]);
    let short = plain(&document, false);
    assert!(
        short.contains("xxx ... xxx") && short.contains("x but\u{fffd}[2J was\n"),
        "{short}"
    );
    assert!(short.contains("    ... 15 more lines\n"), "{short}");
    assert!(short.lines().all(|line| line.chars().count() < 420));
    assert_eq!(plain(&document, true).matches("    line\n").count(), 20);
}

#[test]
fn json_has_all_keys_and_comes_back() {
    let document = document(vec![finding("a.B#c", Level::One, "m")]);
    let text = json(&document);
    assert!(text.starts_with("{\n  \"schema_version\": 1,\n"), "{text}");
    assert_eq!(serde_json::from_str::<Document>(&text).unwrap(), document);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        value["findings"][0],
        serde_json::json!({
            "id": document.findings[0].id.as_str(), "kind": "implementation-dependent", "rule": "UF100",
            "module": ".", "root": "a.B", "test": "a.B#c", "invocation": null,
            "severity": "error", "message": "m", "failure": "assertion", "exception": "org.opentest4j.AssertionFailedError",
            "replay": document.findings[0].replay, "rate": {"failed": 3, "runs": 4}, "suppressed": null,
            "level": "one", "levels_tried": [{"level": "one", "form": "reverse", "failed": 1, "runs": 1}],
            "round": 1, "strategy": {"level": "one", "form": "reverse"}, "scope": "alone", "dumps": null,
            "proof": {"varied": {"failed": 8, "runs": 8}, "unvaried": {"passed": 8, "runs": 8}}, "apis": ["HashMap.keySet"],
            "cause": {"status": "not-run", "reason": null, "scope": null, "choices": [],
                "message": null, "expected": null, "actual": null, "failed_at": [], "warm": false, "runs": 0, "time": 0.0},
            "repair": {"status": "not-run", "reason": null, "repair": null},
        })
    );
    assert_eq!(
        value["summary"]["skipped"],
        serde_json::json!({"failing": 1, "no-choice": 4})
    );
    assert_eq!(value["summary"]["level"], "climb");
}

/// What users' scripts read (INTERFACE, "JSON").
#[test]
fn json_of_findings_about_state_and_orders_has_its_keys() {
    use super::samples::*;
    use unflake_protocol::StateKind;
    let mut polluter = proved(
        polluter("a.P#p", StateKind::Heap, "a.C.c", "C.c: 1 → 2"),
        &[("a.V#v", "no")],
    );
    pollution(&mut polluter).graph = triples(&["+ C#1 c 2"]);
    let document = document(vec![
        polluter,
        file_polluter("a.F#f", "x.txt", unflake_findings::FileChange::Created),
        victim(&["a.P#p", "a.V#v"], "no"),
        brittle("a.S#s", "a.B#b", "no"),
    ]);
    let text = json(&document);
    assert_eq!(serde_json::from_str::<Document>(&text).unwrap(), document);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let name = |test: &str| {
        let root = test.split('#').next().unwrap();
        serde_json::json!({"module": ".", "root": root, "test": test, "invocation": null})
    };
    let repair = serde_json::json!({
        "status": "not-run", "reason": null, "repair": null
    });
    let benign = serde_json::json!({"is": false, "why": ""});
    let mut suffering = name("a.V#v");
    suffering["message"] = "no".into();
    // What only this kind has; what all have is checked above.
    let own = |n: usize| {
        let mut one = value["findings"][n].as_object().unwrap().clone();
        for key in [
            "id",
            "module",
            "root",
            "test",
            "invocation",
            "severity",
            "message",
            "failure",
            "exception",
        ] {
            assert!(one.remove(key).is_some(), "{key} of finding {n}");
        }
        for key in ["replay", "rate", "suppressed"] {
            assert!(one.remove(key).is_some(), "{key} of finding {n}");
        }
        serde_json::Value::from(one)
    };
    assert_eq!(
        own(0),
        serde_json::json!({
            "kind": "polluter", "rule": "UF201", "state": "heap", "held_by": "a.C.c", "path": "C.c", "old": "1", "new": "2",
            "more": 0, "by_class": false, "benign": benign, "proof": "proved", "victims": [suffering],
            "graph": [{"object": "C#1", "field": "c", "value": "2", "side": "after"}], "repair": repair,
        })
    );
    assert_eq!(
        own(1),
        serde_json::json!({
            "kind": "file-polluter", "rule": "UF301", "file": "x.txt", "change": "created", "more": [], "benign": benign,
            "proof": "not-run", "victims": [], "repair": repair,
        })
    );
    assert_eq!(
        own(2),
        serde_json::json!({
            "kind": "victim", "rule": "UF501", "polluter": name("a.P#p"), "polluters": [name("a.P#p")], "cleaners": [],
            "order": [name("a.P#p"), name("a.V#v")], "state": null, "repair": repair,
        })
    );
    assert_eq!(
        own(3),
        serde_json::json!({
            "kind": "brittle", "rule": "UF502", "setter": name("a.S#s"), "setters": [name("a.S#s")],
            "order": [name("a.S#s"), name("a.B#b")], "repair": repair,
        })
    );
}
