use super::*;
use crate::replay::Replay;
use crate::simulated::{Simulated, simulated};
use crate::suite::LaunchIx;
use serde_json::Value;
use unflake_findings::{Finding, Mark, Severity};

fn suite() -> Simulated {
    simulated("A#a\nA#b\nB#a\nC#a [jvm 2]")
}

/// The one finding of these facts, and what repeats it.
#[track_caller]
fn finding(facts: impl IntoIterator<Item = Fact>) -> (Finding, Replay) {
    let finished = suite().document_of(&ledger(facts));
    let [finding] = &finished.document.findings[..] else {
        panic!("{:?}", finished.document.findings)
    };
    let replay = finished.replays[finding.id.as_str()].clone();
    (finding.clone(), replay)
}

/// Values of the finding as JSON has them, by their keys.
#[track_caller]
fn check(facts: impl IntoIterator<Item = Fact>, expected: &[(&str, Value)]) {
    let (finding, _) = finding(facts);
    let json = serde_json::to_value(&finding).unwrap();
    for (key, value) in expected {
        assert_eq!(json[key], *value, "{key} of {json:#}");
    }
}

fn name(name: &str) -> Value {
    let class = name.split('#').next().unwrap();
    serde_json::json!({"module": ".", "root": class, "test": name, "invocation": null})
}

#[test]
fn a_failure_is_an_implementation_dependent_test() {
    let facts = || [varied(FIRST, 4, 10), failed(FIRST, Level::Id)];
    check(
        facts(),
        &[
            ("kind", "implementation-dependent".into()),
            ("rule", "UF100".into()),
            ("test", "A#a".into()),
            ("severity", "warning".into()),
            ("message", "no".into()),
            ("exception", "java.lang.AssertionError".into()),
            ("rate", serde_json::json!({"failed": 4, "runs": 10})),
            ("level", "id".into()),
            ("round", 2.into()),
            ("scope", "alone".into()),
            ("apis", serde_json::json!(["HashMap.keySet"])),
            (
                "levels_tried",
                serde_json::json!([
                    {"level": "full", "form": "reverse", "failed": 1, "runs": 1},
                    {"level": "id", "form": "reverse", "failed": 0, "runs": 1},
                ]),
            ),
        ],
    );
    let (finding, replay) = finding(facts());
    assert_eq!(finding.replay, format!("unflake replay {}", finding.id.as_str()));
    assert_eq!((replay.launch, replay.tests), (Some(LaunchIx(0)), vec![FIRST]));
}

#[test]
fn the_proof_says_how_often_the_test_failed_and_passed() {
    let Fact::Failed(mut now_and_then) = failed(FIRST, Level::One) else {
        panic!()
    };
    now_and_then.confirmed.evidence = Evidence {
        with: Counts { failed: 14, runs: 16 },
        without: Counts { failed: 0, runs: 17 },
    };
    let proof = serde_json::json!({
        "varied": {"failed": 14, "runs": 16},
        "unvaried": {"passed": 17, "runs": 17},
    });
    check([Fact::Failed(now_and_then)], &[("proof", proof)]);
}

#[test]
fn the_weaker_the_level_the_worse_the_finding() {
    for (level, expected) in [
        (Level::One, Severity::Error),
        (Level::Eq, Severity::Error),
        (Level::Id, Severity::Warning),
        (Level::Full, Severity::Note),
    ] {
        assert_eq!(finding([failed(FIRST, level)]).0.severity, expected, "{level}");
    }
}

#[test]
fn a_finding_is_at_most_a_warning_where_all_documentation_is_silent() {
    for (models, level, expected) in [
        ("Hashtable.keys", Level::One, Severity::Warning),
        ("Hashtable.keys Hashtable.elements", Level::One, Severity::Warning),
        ("Hashtable.keys", Level::Full, Severity::Note),
        ("HashMap.keySet", Level::One, Severity::Error),
        // One API whose documentation leaves the order open is enough for an error.
        ("Hashtable.keys HashMap.keySet", Level::One, Severity::Error),
        ("HashMap.keySet Hashtable.keys", Level::One, Severity::Error),
        // The project says itself that its method leaves the order open.
        ("Hashtable.keys Own.method", Level::One, Severity::Error),
        ("", Level::One, Severity::Error),
    ] {
        let mut simulated = suite();
        let models_of_first = &mut simulated.session.suite.tests[FIRST.0].models;
        *models_of_first = models.split_whitespace().map(str::to_owned).collect();
        let finished = simulated.document_of(&ledger([failed(FIRST, level)]));
        let severities: Vec<Severity> = finished.document.findings.iter().map(|it| it.severity).collect();
        assert_eq!(severities, [expected], "`{models}` at {level}");
    }
}

#[test]
fn a_known_cause_says_more_of_the_severity_than_all_other_choices() {
    for (models, api, expected) in [
        ("HashMap.keySet", "Hashtable.keys", Severity::Warning),
        (
            "Hashtable.keys HashMap.keySet",
            "Hashtable.keys",
            Severity::Warning,
        ),
        ("Hashtable.keys", "HashMap.keySet", Severity::Error),
    ] {
        let mut simulated = suite();
        let models_of_first = &mut simulated.session.suite.tests[FIRST.0].models;
        *models_of_first = models.split_whitespace().map(str::to_owned).collect();
        let finished = simulated.document_of(&ledger([failed(FIRST, Level::One), cause(FIRST, api)]));
        assert_eq!(
            finished.document.findings[0].severity, expected,
            "{models}, {api}"
        );
    }
}

#[test]
fn the_rule_follows_from_the_cause() {
    let rule = |facts: Vec<Fact>| finding(facts).0.rule;
    let explained = |api: &str| vec![failed(FIRST, Level::One), cause(FIRST, api)];
    assert_eq!(rule(vec![failed(FIRST, Level::One)]), "UF100");
    assert_eq!(rule(explained("HashMap.keySet")), "UF101");
    assert_eq!(rule(explained("Object.hashCode")), "UF107");
    // Another test's cause says nothing.
    assert_eq!(
        rule(vec![failed(FIRST, Level::One), cause(SECOND, "HashMap.keySet")]),
        "UF100"
    );
}

#[test]
fn a_message_is_never_empty() {
    let says = |says: &str| finding([proved_victim(victim(SECOND, &[FIRST], says))]).0.message;
    assert_eq!(says("no"), "no");
    assert_eq!(says("  "), "java.lang.AssertionError");
}

#[test]
fn a_victim_has_its_polluter_and_the_order_that_fails() {
    let found = FoundVictim {
        polluters: [FIRST, THIRD].map(|test| (test, SeenHow::Alone)).into(),
        cleaners: vec![THIRD],
        ..victim(SECOND, &[FIRST], "no")
    };
    let fact = Fact::ProvedVictim {
        found: Box::new(found),
        state: Some("S.n".to_owned()),
    };
    check(
        [fact],
        &[
            ("kind", "victim".into()),
            ("rule", "UF501".into()),
            ("test", "A#b".into()),
            ("severity", "error".into()),
            ("rate", serde_json::json!({"failed": 3, "runs": 3})),
            ("polluter", name("A#a")),
            ("polluters", vec![name("A#a"), name("B#a")].into()),
            ("cleaners", vec![name("B#a")].into()),
            ("order", vec![name("A#a"), name("A#b")].into()),
            ("state", "S.n".into()),
        ],
    );
    let (_, replay) = finding([proved_victim(victim(SECOND, &[FIRST], "no"))]);
    assert_eq!(replay.tests, [FIRST, SECOND]);
}

#[test]
fn polluters_that_do_harm_only_together_are_none_on_their_own() {
    let found = FoundVictim {
        polluters: Default::default(),
        ..victim(THIRD, &[FIRST, SECOND], "no")
    };
    let order = vec![name("A#a"), name("A#b"), name("B#a")];
    check(
        [proved_victim(found)],
        &[
            ("polluter", Value::Null),
            ("polluters", Vec::<Value>::new().into()),
            ("order", order.into()),
        ],
    );
}

#[test]
fn a_test_that_is_its_own_victim_is_a_warning() {
    check(
        [proved_victim(victim(FIRST, &[FIRST], "no"))],
        &[
            ("severity", "warning".into()),
            ("order", vec![name("A#a"); 2].into()),
        ],
    );
}

#[test]
fn further_polluters_are_named_once() {
    let more = |polluter| Fact::MorePolluters {
        victim: SECOND,
        polluter,
    };
    check(
        [
            proved_victim(victim(SECOND, &[FIRST], "no")),
            more(THIRD),
            more(FIRST),
            more(THIRD),
        ],
        &[("polluters", vec![name("A#a"), name("B#a")].into())],
    );
    // The search may have found beside the proof what is told as one more.
    let found = FoundVictim {
        polluters: [FIRST, THIRD].map(|test| (test, SeenHow::Alone)).into(),
        ..victim(SECOND, &[FIRST], "no")
    };
    check(
        [proved_victim(found), more(THIRD)],
        &[("polluters", vec![name("A#a"), name("B#a")].into())],
    );
}

#[test]
fn a_brittle_test_has_its_setters_and_fails_alone() {
    check(
        [brittle(SECOND, &[FIRST])],
        &[
            ("kind", "brittle".into()),
            ("rule", "UF502".into()),
            ("severity", "error".into()),
            ("message", "alone".into()),
            ("setter", name("A#a")),
            ("setters", vec![name("A#a")].into()),
            ("order", vec![name("A#a"), name("A#b")].into()),
        ],
    );
    let (_, replay) = finding([brittle(SECOND, &[FIRST])]);
    assert_eq!(replay.tests, [SECOND]);
    check([brittle(THIRD, &[FIRST, SECOND])], &[("setter", Value::Null)]);
}

#[test]
fn a_change_is_a_polluter() {
    check(
        [changes(FIRST, By::Test, "S.n=1>2", &[])],
        &[
            ("kind", "polluter".into()),
            ("rule", "UF201".into()),
            ("test", "A#a".into()),
            ("severity", "warning".into()),
            ("message", "leaves `S.n` changed: 1 → 2".into()),
            (
                "replay",
                "unflake check --only pollution --no-proof --eager 'A'".into(),
            ),
            ("held_by", "S.n".into()),
            ("old", "1".into()),
            ("new", "2".into()),
            ("by_class", false.into()),
            ("rate", serde_json::json!({"failed": 2, "runs": 2})),
        ],
    );
    check(
        [changes(FIRST, By::Test, "S.n=>2", &[])],
        &[
            ("message", "leaves `S.n` changed: nothing → 2".into()),
            ("old", Value::Null),
        ],
    );
}

#[test]
fn what_a_class_does_is_reported_of_the_class() {
    check(
        [changes(FIRST, By::Class, "S.n", &[])],
        &[("test", "A".into()), ("by_class", true.into())],
    );
}

#[test]
fn what_an_initialiser_captured_has_a_rule_of_its_own() {
    check(
        [changes(FIRST, By::Capture, "S.n", &[])],
        &[("rule", "UF205".into())],
    );
    check(
        [changes(FIRST, By::Test, "property:x", &[])],
        &[("rule", "UF401".into())],
    );
}

#[test]
fn files_are_created_changed_or_deleted() {
    for (values, change, rule) in [
        ("=>x", "created", "UF301"),
        ("=x>y", "changed", "UF302"),
        ("=x>", "deleted", "UF303"),
    ] {
        check(
            [changes(FIRST, By::Test, &format!("file:/tmp/f{values}"), &[])],
            &[
                ("kind", "file-polluter".into()),
                ("rule", rule.into()),
                ("change", change.into()),
                ("file", "/tmp/f".into()),
            ],
        );
    }
}

#[test]
fn a_polluter_with_a_victim_is_an_error_and_says_what_the_victim_says() {
    let facts = [
        proved_victim(victim(SECOND, &[FIRST], "expected 1")),
        proved_victim(victim(THIRD, &[SECOND], "expected 2")),
        changes(FIRST, By::Test, "S.n", &[SECOND, THIRD]),
    ];
    let finished = suite().document_of(&ledger(facts));
    let findings = &finished.document.findings;
    let polluter = findings
        .iter()
        .find(|finding| finding.test.test == "A#a")
        .unwrap();
    assert_eq!(polluter.severity, Severity::Error);
    let says: Vec<&str> = polluter
        .details
        .effect()
        .unwrap()
        .victims
        .iter()
        .map(|one| one.message.as_str())
        .collect();
    // What the second victim says after another polluter is not what it says after this one.
    assert_eq!(says, ["expected 1", ""]);
    assert_eq!(
        polluter.replay,
        format!("unflake replay {}", polluter.id.as_str())
    );
    assert_eq!(finished.replays[polluter.id.as_str()].tests, [FIRST, SECOND]);
}

#[test]
fn a_harmless_change_is_a_note_until_somebody_suffers() {
    let marked = |victims: &[TestIx]| {
        Fact::Changed(Box::new(Changed {
            mark: Some(Mark::InsideJdk),
            ..changed(FIRST, By::Test, "S.n", victims)
        }))
    };
    assert_eq!(finding([marked(&[])]).0.severity, Severity::Note);
    assert_eq!(finding([marked(&[FIRST])]).0.severity, Severity::Warning);
    assert_eq!(finding([marked(&[SECOND])]).0.severity, Severity::Error);
}

#[test]
fn what_must_run_before_a_failure_is_part_of_its_replay() {
    let with = |test, scope, through_build| {
        let Fact::Failed(mut one) = failed(test, Level::One) else {
            unreachable!("it is a failure")
        };
        one.confirmed.scope = scope;
        one.through_build = through_build;
        finding([Fact::Failed(one)]).1
    };
    for (scope, through_build, launch, tests) in [
        (Scope::Alone, false, Some(LaunchIx(0)), vec![SECOND]),
        (Scope::Class, false, Some(LaunchIx(0)), vec![FIRST, SECOND]),
        (Scope::Prefix, true, None, vec![FIRST, SECOND]),
    ] {
        assert_eq!(with(SECOND, scope, through_build), Replay { launch, tests });
    }
    let third = Replay {
        launch: Some(LaunchIx(0)),
        tests: vec![FIRST, SECOND, THIRD],
    };
    assert_eq!(with(THIRD, Scope::Prefix, false), third);
    // Tests of another JVM did not run before it.
    let last = TestIx(3);
    let alone = Replay {
        launch: Some(LaunchIx(1)),
        tests: vec![last],
    };
    assert_eq!(with(last, Scope::Prefix, false), alone);
}

#[test]
fn what_is_around_a_change_is_drawn() {
    use unflake_protocol::{Nearby, Shown, Side};
    let mut around = changed(FIRST, By::Test, "S.n", &[]);
    around.change.around = vec![Nearby {
        object: "S".to_owned(),
        field: "n".to_owned(),
        value: Shown::integer(2),
        side: Side::After,
    }];
    let graph = serde_json::json!([{"object": "S", "field": "n", "value": "2", "side": "after"}]);
    check([Fact::Changed(Box::new(around))], &[("graph", graph)]);
}

#[test]
fn a_finding_says_with_what_it_repeats_and_how_it_fails() {
    for (scope, expected) in [
        (Scope::Alone, "alone"),
        (Scope::Class, "class"),
        (Scope::Prefix, "prefix"),
    ] {
        let mut fact = failed(FIRST, Level::Id);
        let Fact::Failed(found) = &mut fact else {
            panic!("{fact:?}")
        };
        found.confirmed.scope = scope;
        check([fact], &[("scope", expected.into())]);
    }
    let assertion = Some(unflake_protocol::FailureSort::Assertion);
    for fact in [
        failed(FIRST, Level::Id),
        proved_victim(victim(SECOND, &[FIRST], "no")),
        brittle(SECOND, &[FIRST]),
    ] {
        assert_eq!(finding([fact]).0.failure, assertion);
    }
    // What is left changed is no failure.
    assert_eq!(finding([changes(FIRST, By::Test, "S.n", &[])]).0.failure, None);
}

#[test]
fn only_a_test_that_hung_shows_what_its_threads_did() {
    use unflake_protocol::Failure;
    for (kind, trace, expected) in [
        (Failure::HANG, "main: waits", Value::from("main: waits")),
        (Failure::HANG, "", Value::Null),
        (Failure::EXIT, "printed", Value::Null),
    ] {
        let Fact::Failed(mut one) = failed(FIRST, Level::One) else {
            unreachable!("it is a failure")
        };
        one.confirmed.failure.kind = kind.to_owned();
        one.confirmed.failure.trace = trace.to_owned();
        check([Fact::Failed(one)], &[("dumps", expected)]);
    }
}

#[test]
fn a_file_and_a_field_of_one_name_are_two_findings() {
    let id = |what: &str| finding([changes(FIRST, By::Test, what, &[])]).0.id;
    assert_ne!(id("file:S.n"), id("S.n"));
}
