//! A whole check of simulated suites, from the learning run on.

use super::*;
use crate::options::{Ignore, Measure};
use crate::simulated::simulated;
use std::sync::Mutex;
use unflake_findings::{NoteKind, SkipReason};

fn document(checked: Checked) -> Document {
    match checked {
        Checked::Document(document) => *document,
        Checked::Measured(lines) => panic!("{lines}"),
    }
}

/// Remembers the phases.
#[derive(Default)]
struct Phases(Mutex<Vec<String>>);

impl Progress for Phases {
    fn phase(&self, phase: &str, _: u64) {
        self.0.lock().unwrap().push(phase.to_owned());
    }
    fn step(&self) {}
    fn note(&self, _: &str) {}
}

#[test]
fn the_kinds_that_were_asked_for_are_looked_for_one_after_the_other() {
    let phases = |kinds: &[CheckKind]| {
        let suite = "B#b [sees S] fails after A#a\nA#a changes S.n; fails varied\nA#c [failed]";
        let simulated = simulated(suite).looking_for(kinds);
        let simulated = simulated.with(|options| options.rounds = Some(4));
        let phases = Phases::default();
        simulated.run(&phases).unwrap();
        phases.0.into_inner().unwrap().join(", ")
    };
    let id = "rounds 1-3, round 4, confirming";
    let pollution = "watching shared state, watching again, victims, order-dependent tests, cleaners";
    let order = "orders 1-2, orders 3-3, orders 4-4, running tests without isolation, order-dependent tests";
    let alone = "running failing tests alone";
    assert_eq!(phases(&[CheckKind::Id]), format!("{alone}, {id}, explaining"));
    assert_eq!(phases(&[CheckKind::Pollution]), format!("{alone}, {pollution}"));
    assert!(phases(&[CheckKind::Order]).starts_with(&format!("{alone}, {order}")));
    let all = phases(&[CheckKind::Order, CheckKind::Id, CheckKind::Pollution]);
    assert!(
        all.starts_with(&format!("{alone}, {id}, {pollution}, orders 1-2")),
        "{all}"
    );
}

#[test]
fn what_was_found_is_stored_and_explained() {
    let simulated = simulated("A#a chooses HashMap.keySet 3; fails reordered 1\nA#b");
    let document = document(simulated.run(&crate::Silent).unwrap());
    assert_eq!(document.findings[0].rule, "UF101");
    assert_eq!((document.summary.tests, document.summary.checked), (2, 2));
    let latest = simulated.store().latest().unwrap();
    assert_eq!(latest.document().unwrap(), document);
}

#[test]
fn causes_are_looked_for_only_if_somebody_wants_them() {
    let suite = "A#a chooses HashMap.keySet 3; fails reordered 1";
    let without = simulated(suite).with(|options| options.causes = false);
    assert_eq!(
        document(without.run(&crate::Silent).unwrap()).findings[0].rule,
        "UF100"
    );
}

#[test]
fn a_run_that_was_interrupted_is_partial_and_explains_nothing() {
    let suite = "A#a chooses HashMap.keySet 3; fails reordered 1\nB#b cancels form random";
    let simulated = simulated(suite);
    let document = document(simulated.run(&crate::Silent).unwrap());
    assert!(document.summary.partial);
    assert!(
        document
            .notes
            .iter()
            .any(|note| note.kind == NoteKind::Interrupted)
    );
    assert!(document.findings.is_empty());
    assert_eq!(document.summary.skipped.get(&SkipReason::NotRun), Some(&1));
}

#[test]
fn faults_of_the_agent_are_said_once() {
    let simulated = simulated("A#a bug");
    let document = document(simulated.run(&crate::Silent).unwrap());
    let said: Vec<&str> = document.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(said, ["the agent switched itself off in a test JVM: in A#a"]);
    assert!(document.summary.partial && document.has_fault_of_ours());
}

#[test]
fn a_jvm_that_does_not_start_is_said_once_and_makes_the_run_partial() {
    for kinds in [&[CheckKind::Id][..], &[CheckKind::Pollution], &[CheckKind::Order]] {
        let simulated = simulated("A#a\nB#a [failed]").looking_for(kinds).most_starts(0);
        let document = document(simulated.run(&crate::Silent).unwrap());
        let said = document.notes.iter().map(|note| note.message.as_str());
        let said: Vec<&str> = said.filter(|said| said.contains("did not start")).collect();
        let reason = unflake_runner::StartError::OtherProtocol(0);
        assert_eq!(said, [format!("a test JVM did not start: {reason}")], "{kinds:?}");
        assert!(document.summary.partial && !document.has_fault_of_ours());
    }
}

/// Ends the program when this phase begins.
struct EndsAt(&'static str);

impl Progress for EndsAt {
    fn phase(&self, phase: &str, _: u64) {
        assert_ne!(phase, self.0, "ended here");
    }
    fn step(&self) {}
    fn note(&self, _: &str) {}
}

#[test]
fn what_was_found_is_stored_after_each_phase() {
    let all = [CheckKind::Id, CheckKind::Pollution, CheckKind::Order];
    let stored_at = |phase| {
        let simulated = simulated("A#a fails varied; changes S.n\nA#b").looking_for(&all);
        let run = || simulated.run(&EndsAt(phase)).map(|_| ());
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
        let document = simulated.store().latest().unwrap().document().unwrap();
        assert!(document.summary.partial);
        let is_said = |note: &unflake_findings::Note| note.message.contains("had not finished");
        assert!(document.notes.iter().any(is_said));
        document.findings.len()
    };
    assert_eq!(stored_at("watching shared state"), 1);
    assert_eq!(stored_at("orders 1-2"), 2);
    assert_eq!(stored_at("explaining"), 2);
}

#[test]
fn a_measurement_is_no_check() {
    let simulated = simulated("A#a").with(|options| options.measure = vec![Measure::None]);
    let Checked::Measured(lines) = simulated.run(&crate::Silent).unwrap() else {
        panic!("it was to be measured")
    };
    assert_eq!(lines.lines().count(), 1);
    assert!(simulated.store().latest().is_err());
}

#[test]
fn pages_and_sentences_come_from_around_the_engine() {
    let simulated = simulated("A#a fails varied");
    let mut surroundings = simulated.surroundings();
    surroundings.page = |_| Some("<html>".to_owned());
    surroundings.explain_marks = |findings| {
        for finding in findings {
            finding.message.push('!');
        }
    };
    let document = simulated.check(|check| {
        let finishing = Finishing {
            check,
            surroundings: &surroundings,
            run: simulated.store().begin(SystemTime::UNIX_EPOCH).unwrap(),
            started: SystemTime::UNIX_EPOCH,
            clock: Instant::now(),
        };
        finishing.store(&simulated.ledger()).unwrap()
    });
    assert_eq!(document.findings[0].message, "A#a fails!");
    let page = std::fs::read_to_string(document.run.pictures.unwrap()).unwrap();
    assert_eq!(page, "<html>");
}

#[test]
fn suppression_is_decided_by_the_project_s_sources_and_settings() {
    let suite = "A#a chooses HashMap.keySet 3; fails reordered 1";
    let meant = Ignore {
        test: Some("A#a".to_owned()),
        api: None,
        from: None,
        reason: "meant".to_owned(),
    };
    let by_settings = simulated(suite).with(|options| options.ignores = vec![meant]);
    let found = document(by_settings.run(&crate::Silent).unwrap());
    assert_eq!(found.findings[0].suppressed.as_ref().unwrap().by, "unflake.toml");
    // Its rule is known only once its cause is.
    let by_source = simulated(suite);
    let folder = by_source.options.place.project.join("src/test/java");
    std::fs::create_dir_all(&folder).unwrap();
    let source = "class A {\n  // unflake: ignore[UF101] meant\n  @Test void a() {}\n}\n";
    std::fs::write(folder.join("A.java"), source).unwrap();
    let found = document(by_source.run(&crate::Silent).unwrap());
    assert!(found.findings[0].suppressed.is_some());
}

#[test]
fn models_are_selected_by_name() {
    let mut vary = simulated("A#a").options.vary;
    let all = configuration(&vary).unwrap().models.len();
    vary.api = vec!["HashMap.*".to_owned()];
    let some = configuration(&vary).unwrap().models;
    assert!(!some.is_empty() && some.len() < all);
    assert!(some.iter().all(|name| name.starts_with("HashMap.")), "{some:?}");
    vary.api = vec!["HashMop.*".to_owned()];
    assert!(configuration(&vary).unwrap_err().error.contains("HashMop"));
}

#[test]
fn a_seed_is_given_taken_from_the_last_run_or_fresh() {
    let simulated = simulated("A#a");
    assert_eq!(
        seed(SeedSetting::Fixed(Seed(9)), &simulated.store()).unwrap(),
        Seed(9)
    );
    assert!(seed(SeedSetting::Last, &simulated.store()).is_err());
    simulated.run(&crate::Silent).unwrap();
    assert_eq!(seed(SeedSetting::Last, &simulated.store()).unwrap(), Seed(7));
    assert!(seed(SeedSetting::Fresh, &simulated.store()).unwrap().0 < 1_000_000_000);
}

#[test]
fn who_has_had_enough_gets_what_was_found_without_its_cause() {
    // Nothing runs it unvaried before the orders.
    let suite = "A#a chooses HashMap.keySet 3; fails reordered 1\nB#b cancels unvaried";
    let simulated = simulated(suite).looking_for(&[CheckKind::Id, CheckKind::Order]);
    let phases = Phases::default();
    let document = document(simulated.run(&phases).unwrap());
    assert!(document.summary.partial);
    assert!(!phases.0.into_inner().unwrap().contains(&"explaining".to_owned()));
    let rules: Vec<&str> = document
        .findings
        .iter()
        .map(|finding| finding.rule.as_str())
        .collect();
    assert_eq!(rules, ["UF100"]);
}

/// Compiles a class whenever a phase begins.
struct Compiling {
    class: std::path::PathBuf,
    times: Mutex<usize>,
}

impl Progress for Compiling {
    fn phase(&self, _: &str, _: u64) {
        let mut times = self.times.lock().unwrap();
        *times += 1;
        std::fs::write(&self.class, times.to_string()).unwrap();
    }
    fn step(&self) {}
    fn note(&self, _: &str) {}
}

#[test]
fn what_is_compiled_while_tests_run_makes_the_result_partial() {
    let is_rebuilt = |class: &str| {
        let simulated = simulated("A#a");
        let classes = simulated.options.place.project.join("m1/target/test-classes");
        let times = Mutex::default();
        let class = classes.join(class);
        let document = document(simulated.run(&Compiling { class, times }).unwrap());
        let is_noted = document.notes.iter().any(|note| note.kind == NoteKind::Rebuilt);
        assert_eq!(document.summary.partial, is_noted);
        is_noted
    };
    assert!(is_rebuilt("A.class"));
    // A report is no class.
    assert!(!is_rebuilt("report.txt"));
}
