//! Tests that depend on the order: `check --only order`, `replay` of an order, `victims`.
//!
//! Real JVMs, as a user would run them. The fixture is built and checked once, in one test: what follows needs its run.

use crate::fixture::Fixture;
use serde_json::Value;
use std::collections::BTreeMap;

/// `Class#method`, and the invocation.
fn name(test: &Value) -> String {
    let text = |key: &str| test[key].as_str().unwrap_or_default();
    let short = text("test").rsplit('.').next().unwrap_or_default();
    format!("{short}{}", text("invocation"))
}

fn names(tests: &Value) -> Vec<String> {
    tests.as_array().into_iter().flatten().map(name).collect()
}

/// What `expected.toml` says of each test: kind, severity, order, cleaners.
fn expected(fixture: &Fixture) -> BTreeMap<String, (String, String, Vec<String>, Vec<String>)> {
    let findings = fixture.expected["finding"].as_array().unwrap();
    let about = |finding: &toml::Value| {
        let text = |key: &str, otherwise: &str| {
            let value = finding.get(key).map(|value| value.as_str().unwrap());
            value.unwrap_or(otherwise).to_owned()
        };
        let list = |key: &str| {
            let tests = finding.get(key).map(|value| value.as_array().unwrap());
            let tests = tests.into_iter().flatten();
            tests.map(|test| test.as_str().unwrap().to_owned()).collect()
        };
        let about = (
            text("kind", ""),
            text("severity", "error"),
            list("order"),
            list("cleaners"),
        );
        (text("test", ""), about)
    };
    findings.iter().map(about).collect()
}

#[track_caller]
pub(crate) fn compare(fixture: &Fixture, document: &Value) {
    let findings = document["findings"].as_array().unwrap();
    let found: BTreeMap<_, _> = findings
        .iter()
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap().to_owned();
            let about = (
                text("kind"),
                text("severity"),
                names(&finding["order"]),
                names(&finding["cleaners"]),
            );
            (name(finding), about)
        })
        .collect();
    assert_eq!(found, expected(fixture));
    assert_eq!(found.len(), findings.len());
}

#[test]
fn order_dependent_tests_are_found_proved_and_repeated() {
    let fixture = Fixture::new("order");
    let document = fixture.check("--only order --seed 7");
    compare(&fixture, &document);
    let findings = document["findings"].as_array().unwrap();
    assert_eq!(document["summary"]["checked"], document["summary"]["tests"]);
    assert_eq!(document["excluded"].as_array().unwrap().len(), 0);
    for finding in findings {
        let is_brittle = finding["kind"] == "brittle";
        assert_eq!(finding["rule"], if is_brittle { "UF502" } else { "UF501" });
        assert_eq!(
            (&finding["rate"]["failed"], &finding["rate"]["runs"]),
            (&8.into(), &8.into())
        );
        assert!(!finding["message"].as_str().unwrap().is_empty());
    }

    // Each order is repeated as it was, also where a class says its own.
    for finding in findings {
        let id = finding["id"].as_str().unwrap();
        let output = fixture.unflake(&format!("replay {id}"));
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{}\n{stdout}", name(finding));
        assert!(stdout.contains("nothing varied"), "{stdout}");
        assert!(stdout.contains(finding["message"].as_str().unwrap()), "{stdout}");
    }
    let refused = fixture.unflake(&format!(
        "replay {} --choices 1",
        findings[0]["id"].as_str().unwrap()
    ));
    assert_eq!(refused.status.code(), Some(2));

    // The other way round: from the polluter, the victim, the brittle test, and one that has nothing to do with it.
    let victims = |test: &str| -> (Option<i32>, Value) {
        let output = fixture.unflake(&format!("victims {test} --format json"));
        let answer = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        (output.status.code(), answer)
    };
    let (code, polluter) = victims("ZPolluterTest#leavesItsMode");
    assert_eq!(
        (code, names(&polluter["victims"]), names(&polluter["polluters"])),
        (Some(1), vec!["AVictimTest#expectsPlainMode".to_owned()], vec![])
    );
    let (_, victim) = victims("AVictimTest#expectsPlainMode");
    assert_eq!(names(&victim["polluters"]), ["ZPolluterTest#leavesItsMode"]);
    assert_eq!(names(&victim["cleaners"]), ["MCleanerTest#resetsTheMode"]);
    let (_, brittle) = victims("NBrittleTest#expectsReady");
    assert_eq!(brittle["passes_alone"], false);
    assert_eq!(names(&brittle["setters"]), ["MSetterTest#makesReady"]);
    let (code, own) = victims("OwnTest#runsOnce");
    assert_eq!(
        (code, names(&own["polluters"])),
        (Some(1), vec!["OwnTest#runsOnce".to_owned()])
    );
    let (code, right) = victims("ZPolluterTest#restoresItsMode");
    assert_eq!((code, names(&right["victims"])), (Some(0), vec![]));
    // It runs twice, each time with an instance of its own.
    let (code, counting) = victims("ThreeZTest#testCountsItsOwnRuns");
    assert_eq!((code, names(&counting["victims"])), (Some(0), vec![]));
}

#[test]
fn order_rules_are_explained() {
    let fixture = Fixture::new("order");
    for (code, word) in [("UF501", "polluter"), ("uf502", "setter")] {
        let output = fixture.unflake(&format!("explain {code}"));
        assert_eq!(output.status.code(), Some(0));
        assert!(String::from_utf8_lossy(&output.stdout).contains(word));
    }
}

/// With a seed nothing depends on the clock, the proof neither.
#[test]
fn the_same_run_twice_gives_the_same_reports() {
    let fixture = Fixture::new("order");
    let run = || fixture.check("--only pollution,order --seed 7")["findings"].clone();
    let (first, second) = (run(), run());
    let victims = |findings: &Value| {
        let all = findings.as_array().unwrap();
        all.iter().filter(|finding| finding["kind"] == "victim").count()
    };
    assert!(victims(&first) > 0);
    assert_eq!(first, second);
}

/// A build that fails because of the order it runs tests in is when people look for help. A test that always fails has
/// no polluter.
#[test]
fn a_test_that_fails_in_the_build_and_passes_alone_gets_its_polluter() {
    let project = Fixture::written(&[
        (
            "src/main/java/shop/Mode.java",
            "package shop; public class Mode { public static String now = \"plain\"; }",
        ),
        (
            "src/test/java/shop/ModeTest.java",
            "package shop;
            import static org.junit.jupiter.api.Assertions.*;
            import org.junit.jupiter.api.*;
            @TestMethodOrder(MethodOrderer.MethodName.class)
            class ModeTest {
                @Test void aLeavesItsMode() { Mode.now = \"gift\"; }
                @Test void bExpectsPlain() { assertEquals(\"plain\", Mode.now); }
                @Test void cAlwaysFails() { fail(\"broken\"); }
            }",
        ),
    ]);
    for only in ["pollution", "order"] {
        let document = project.check(&format!("--only {only} --seed 7"));
        let findings = document["findings"].as_array().unwrap().iter();
        let victims: Vec<&Value> = findings.filter(|finding| finding["kind"] == "victim").collect();
        assert_eq!(victims.len(), 1, "{document:#}");
        assert_eq!(name(victims[0]), "ModeTest#bExpectsPlain");
        let order = ["ModeTest#aLeavesItsMode", "ModeTest#bExpectsPlain"];
        assert_eq!(names(&victims[0]["order"]), order);
        let excluded: Vec<String> = names(&document["excluded"]);
        assert_eq!(excluded, ["ModeTest#cAlwaysFails"]);
    }
}

/// One test changes three things; who fails because of it can see one of them.
#[test]
fn harm_is_told_of_the_state_that_the_victim_can_see() {
    let project = Fixture::written(&[
        (
            "src/main/java/shop/Mode.java",
            "package shop; public class Mode { public static String now = \"plain\"; }",
        ),
        (
            "src/main/java/shop/Rate.java",
            "package shop; public class Rate { public static int percent = 3; }",
        ),
        (
            "src/test/java/shop/GiftTest.java",
            "package shop;
            import org.junit.jupiter.api.*;
            @TestMethodOrder(MethodOrderer.MethodName.class)
            class GiftTest {
                @Test void adds() { Assertions.assertNotNull(Mode.now + Rate.percent); }
                @Test void wraps() throws Exception {
                    Rate.percent = 7;
                    Mode.now = \"gift\";
                    try (java.io.FileWriter log = new java.io.FileWriter(\"target/gift.log\", true)) { log.write(\"x\"); }
                }
            }",
        ),
        (
            "src/test/java/shop/AModeTest.java",
            "package shop;
            import static org.junit.jupiter.api.Assertions.*;
            import org.junit.jupiter.api.*;
            class AModeTest { @Test void isPlain() { assertEquals(\"plain\", Mode.now); } }",
        ),
        (
            "src/test/java/shop/ARateTest.java",
            "package shop;
            import static org.junit.jupiter.api.Assertions.*;
            import org.junit.jupiter.api.*;
            class ARateTest { @Test void isPositive() { assertTrue(Rate.percent > 0); } }",
        ),
    ]);
    let document = project.check("--only pollution --seed 7");
    let findings = document["findings"].as_array().unwrap();
    let told: BTreeMap<&str, (&str, &str, usize)> = findings
        .iter()
        .filter(|finding| finding["kind"] != "victim")
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap_or_default();
            let n_victims = finding["victims"].as_array().unwrap().len();
            (text("path"), (text("severity"), text("proof"), n_victims))
        })
        .collect();
    assert_eq!(told["Mode.now"], ("error", "proved", 1), "{document:#}");
    assert_eq!(told["Rate.percent"], ("warning", "no-victim", 0), "{document:#}");
    let file = findings.iter().find(|finding| finding["kind"] == "file-polluter");
    assert_eq!(file.unwrap()["severity"], "warning", "{document:#}");
    let victim = findings.iter().find(|finding| finding["kind"] == "victim");
    assert_eq!(victim.unwrap()["state"], "Mode.now", "{document:#}");
}

/// One order of this suite takes longer than the budget.
#[test]
fn orders_that_time_cut_short_make_the_result_partial() {
    let project = Fixture::written(&[(
        "src/test/java/shop/SlowTest.java",
        "package shop;
        import org.junit.jupiter.api.*;
        class SlowTest {
            @Test void one() throws Exception { Thread.sleep(1500); }
            @Test void other() {}
        }",
    )]);
    let output = project.unflake("check --only order --budget 1s --require-complete --format json");
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&document["summary"]["partial"], &document["summary"]["rounds"]),
        (&true.into(), &0.into())
    );
    assert_eq!(
        document["notes"][0]["message"],
        "time ran out before the suite had run in all orders"
    );
}
