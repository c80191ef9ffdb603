mod library;
mod sides;
mod suggestions;

use super::super::blamed::Seen;
use super::super::packs::pack;
use super::*;
use std::collections::BTreeSet;
use std::fs;
use unflake_findings::{CauseStatus, Choice, SourcePlace};
use unflake_protocol::{Form, Level};

const TEST: &str = "src/test/java/p/ATest.java";
const MAIN: &str = "src/main/java/p/Main.java";

const SOURCE: &str = "package p;

import java.util.*;

class ATest {
    Set<String> one = new HashSet<>();
    Set<String> two = new HashSet<>();

    void a() {
        assertEquals(\"[x, y]\", one.toString());
    }

    Set<String> three = new HashSet<>();
}
";

const STRATEGY: Strategy = Strategy {
    level: Level::One,
    form: Form::Reverse,
};

/// What an attempt does, by its texts.
type Does = dyn Fn(&Texts) -> Proved;

/// Proofs that are made up.
struct MadeUp<'a> {
    does: &'a Does,
    /// Lines at which the collections that are blamed next are made, wave by wave; the last one for ever.
    next: &'static [u32],
    /// Whether mistakes are noticed.
    notices: bool,
    /// How many attempts were proved at the same time.
    waves: Vec<usize>,
    /// The user ends it after so many waves.
    patience: usize,
}

impl Proofs for MadeUp<'_> {
    fn prove(&mut self, attempts: &[Attempt]) -> Vec<Proved> {
        self.waves.push(attempts.len());
        attempts
            .iter()
            .map(|attempt| (self.does)(&attempt.texts))
            .collect()
    }

    fn notice(&mut self, mutants: &[MutantAttempt]) -> Vec<Result<(), String>> {
        let passes = Err("the variant passes".to_owned());
        let answer = if self.notices { Ok(()) } else { passes };
        vec![answer; mutants.len()]
    }

    fn causes(&mut self, failing: &[(Attempt, Strategy)]) -> Vec<Option<Cause>> {
        failing
            .iter()
            .map(|_| {
                let line = self.next.get(self.waves.len() - 1).or(self.next.last());
                line.map(|line| cause(TEST, *line))
            })
            .collect()
    }

    fn is_cancelled(&self) -> bool {
        self.waves.len() >= self.patience
    }
}

fn cause(file: &str, line: u32) -> Cause {
    let place = |line| SourcePlace {
        file: file.to_owned(),
        line,
        method: "p.ATest.a".to_owned(),
    };
    Cause {
        status: CauseStatus::Found,
        choices: vec![Choice {
            number: 1,
            api: "HashSet.iterator".to_owned(),
            javadoc: String::new(),
            call: None,
            allocation: Some(place(line)),
            stack: Vec::new(),
            allocation_stack: Vec::new(),
            owner: Some("java.util.HashSet".to_owned()),
            elements: 2,
            natural: vec!["x".to_owned(), "y".to_owned()],
            failing: vec!["y".to_owned(), "x".to_owned()],
            moved: Vec::new(),
        }],
        ..Cause::default()
    }
}

fn patient(cause: Cause) -> Patient {
    Patient {
        test: "p.ATest#a".to_owned(),
        sort: FailureSort::Assertion,
        exception: "java.lang.AssertionError".to_owned(),
        cause,
    }
}

fn project() -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    let main = SOURCE.replace("ATest", "Main");
    for (path, text) in [(TEST, SOURCE), (MAIN, &main)] {
        let file = project.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    project
}

/// What comes of patients: the lines that were changed, or why nothing was.
fn check(patients: &[Patient], side: Side, proofs: &mut MadeUp<'_>, expected: &[&str]) {
    let project = project();
    let sources = ProjectSources::new(project.path());
    let libraries = vec![Libraries::new(8, []); patients.len()];
    let known = Known {
        sources: &sources,
        libraries: &libraries,
    };
    let mut done = 0;
    let found = search(patients, side, known, proofs, &mut |_| done += 1);
    let shown = found.iter().map(|found| match &found.repaired {
        Ok(repaired) => {
            let diffs = repaired.texts.iter().map(|(path, text)| {
                let old = sources.original(path).unwrap().text;
                let diff = unflake_repair::unified_diff(path, &old, text);
                let added = diff.lines().skip(2).filter(|line| line.starts_with('+'));
                added
                    .map(|line| line[1..].trim().to_owned())
                    .collect::<Vec<_>>()
                    .join(" ")
            });
            diffs.collect::<Vec<_>>().join("; ")
        }
        Err(why) => why.clone(),
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    assert_eq!(done, found.iter().filter(|found| found.repaired.is_ok()).count());
}

fn made_up(does: &Does) -> MadeUp<'_> {
    MadeUp {
        does,
        next: &[],
        notices: true,
        waves: Vec::new(),
        patience: usize::MAX,
    }
}

const PASSED: Proved = Proved::Passed { rounds: 24 };

fn text<'t>(texts: &'t Texts, path: &str) -> &'t str {
    texts.get(path).map_or("", String::as_str)
}

#[test]
fn what_is_proved_is_the_repair() {
    let mut proofs = made_up(&|_| PASSED);
    let expected = "Set<String> one = new LinkedHashSet<>();";
    check(&[patient(cause(TEST, 6))], Side::Test, &mut proofs, &[expected]);
    check(
        &[patient(cause(TEST, 6))],
        Side::Main,
        &mut proofs,
        &["no strategy fits this failure"],
    );
    check(
        &[patient(cause(MAIN, 6))],
        Side::Test,
        &mut proofs,
        &["no strategy fits this failure"],
    );
    check(&[patient(cause(MAIN, 6))], Side::Main, &mut proofs, &[expected]);
}

#[test]
fn all_tests_try_their_next_repair_at_the_same_time() {
    let mut proofs = made_up(&|_| PASSED);
    let patients = [
        patient(cause(TEST, 6)),
        patient(cause(TEST, 7)),
        patient(cause(TEST, 6)),
    ];
    let one = "Set<String> one = new LinkedHashSet<>();";
    let two = "Set<String> two = new LinkedHashSet<>();";
    check(&patients, Side::Test, &mut proofs, &[one, two, one]);
    assert_eq!(proofs.waves, [3]);
}

#[test]
fn what_does_not_work_is_not_taken_and_the_reason_is_told() {
    let told = |proved: Proved, why: &str| {
        let does = move |_: &Texts| proved.clone();
        check(
            &[patient(cause(TEST, 6))],
            Side::Test,
            &mut made_up(&does),
            &[why],
        );
    };
    told(
        Proved::NotCompiled("line 6: no".to_owned()),
        "the repair does not compile: line 6: no",
    );
    told(
        Proved::Breaks("p.ATest#b".to_owned()),
        "the repair breaks `p.ATest#b`",
    );
    told(
        Proved::FailsVaried(STRATEGY),
        "the test still fails with other orders",
    );
    // Nobody knows any more.
    told(Proved::Cancelled, INTERRUPTED);
}

#[test]
fn what_was_proved_before_it_was_interrupted_stays() {
    // The second is not repaired by its first candidate, and there is no time for another cause.
    let does = |texts: &Texts| match text(texts, TEST).contains("one = new LinkedHashSet") {
        true => PASSED,
        false => Proved::FailsVaried(STRATEGY),
    };
    let patients = [patient(cause(TEST, 6)), patient(cause(TEST, 7))];
    let one = "Set<String> one = new LinkedHashSet<>();";
    for next in [&[][..], &[6]] {
        let mut proofs = MadeUp {
            next,
            patience: 1,
            ..made_up(&does)
        };
        check(&patients, Side::Test, &mut proofs, &[one, INTERRUPTED]);
        assert_eq!(proofs.waves, [2]);
    }
    // Who is told to stop first does nothing.
    let mut proofs = MadeUp {
        patience: 0,
        ..made_up(&does)
    };
    check(&patients, Side::Test, &mut proofs, &[INTERRUPTED, INTERRUPTED]);
    assert_eq!(proofs.waves, [0; 0]);
}

#[test]
fn the_next_cause_is_repaired_on_top_of_the_first() {
    let does = |texts: &Texts| match text(texts, TEST).matches("LinkedHashSet").count() {
        2 => PASSED,
        _ => Proved::FailsVaried(STRATEGY),
    };
    let mut proofs = MadeUp {
        next: &[7],
        ..made_up(&does)
    };
    let both = "Set<String> one = new LinkedHashSet<>(); Set<String> two = new LinkedHashSet<>();";
    check(&[patient(cause(TEST, 6))], Side::Test, &mut proofs, &[both]);
    assert_eq!(proofs.waves, [1, 1]);
}

/// DexFix, section III-B.
#[test]
fn three_causes_are_repaired_one_after_the_other() {
    let does = |texts: &Texts| match text(texts, TEST).matches("LinkedHashSet").count() {
        3 => PASSED,
        _ => Proved::FailsVaried(STRATEGY),
    };
    let mut proofs = MadeUp {
        next: &[7, 13],
        ..made_up(&does)
    };
    let sets = ["one", "two", "three"].map(|name| format!("Set<String> {name} = new LinkedHashSet<>();"));
    check(
        &[patient(cause(TEST, 6))],
        Side::Test,
        &mut proofs,
        &[&sets.join(" ")],
    );
    assert_eq!(proofs.waves, [1, 1, 1]);
}

#[test]
fn the_same_cause_again_is_no_progress() {
    let does = |_: &Texts| Proved::FailsVaried(STRATEGY);
    let mut proofs = MadeUp {
        // The collection that was replaced already, at the line where it is now.
        next: &[6],
        ..made_up(&does)
    };
    let mut another = MadeUp {
        next: &[7],
        ..made_up(&does)
    };
    let why = "2 repairs were tried; of the last one, the test still fails with other orders";
    check(&[patient(cause(TEST, 6))], Side::Test, &mut another, &[why]);
    check(
        &[patient(cause(TEST, 6))],
        Side::Test,
        &mut proofs,
        &["the test still fails with other orders"],
    );
}

#[test]
fn a_repair_that_does_not_notice_mistakes_is_refused() {
    let mut compares = cause(TEST, 9);
    compares.choices[0].allocation = None;
    compares.failed_at = vec![SourcePlace {
        file: TEST.to_owned(),
        line: 10,
        method: "p.ATest.a".to_owned(),
    }];
    compares.expected = Some("[x, y]".to_owned());
    compares.actual = Some("[y, x]".to_owned());
    let does = |_: &Texts| PASSED;
    let mut proofs = MadeUp {
        notices: false,
        ..made_up(&does)
    };
    let project = project();
    let sources = ProjectSources::new(project.path());
    let libraries = [Libraries::new(8, [])];
    let known = Known {
        sources: &sources,
        libraries: &libraries,
    };
    let patients = [patient(compares)];
    let refused = search(&patients, Side::Test, known, &mut proofs, &mut |_| {});
    let why = refused[0].repaired.as_ref().unwrap_err();
    assert!(why.contains("would not notice one expected element"), "{why}");
    let kept = search(&patients, Side::Test, known, &mut made_up(&does), &mut |_| {});
    let kept = kept[0].repaired.as_ref().unwrap();
    assert!(kept.mutants >= 2, "{kept:?}");
}

#[test]
fn a_literal_is_renewed_only_after_the_order_was_fixed() {
    let failing = |actual: &str| {
        Proved::FailsUnvaried(Box::new(Failing {
            test: "p.ATest#a".to_owned(),
            sort: FailureSort::Assertion,
            exception: "java.lang.AssertionError".to_owned(),
            message: String::new(),
            expected: Some("[x, y]".to_owned()),
            actual: Some(actual.to_owned()),
            frames: vec![SourcePlace {
                file: TEST.to_owned(),
                line: 10,
                method: "p.ATest.a".to_owned(),
            }],
        }))
    };
    let reordered = failing("[y, x]");
    let does = move |texts: &Texts| match text(texts, TEST).contains("\"[y, x]\"") {
        true => PASSED,
        false => reordered.clone(),
    };
    let expected = "Set<String> one = new LinkedHashSet<>(); assertEquals(\"[y, x]\", one.toString());";
    check(
        &[patient(cause(TEST, 6))],
        Side::Test,
        &mut made_up(&does),
        &[expected],
    );
    // Other parts are another result.
    let changed = failing("[y, z]");
    let does = move |_: &Texts| changed.clone();
    let project = project();
    let sources = ProjectSources::new(project.path());
    let libraries = [Libraries::new(8, [])];
    let known = Known {
        sources: &sources,
        libraries: &libraries,
    };
    let refused = search(
        &[patient(cause(TEST, 6))],
        Side::Test,
        known,
        &mut made_up(&does),
        &mut |_| {},
    );
    let why = refused[0].repaired.as_ref().unwrap_err();
    assert!(why.contains("cannot be renewed"), "{why}");
}

#[test]
fn attempts_share_an_overlay_if_they_do_not_touch_each_other() {
    let project = project();
    let sources = ProjectSources::new(project.path());
    let attempt = |edits: &[(&str, &str, &str)]| {
        let texts = edits.iter().map(|(path, from, to)| {
            let old = sources.original(path).unwrap().text;
            ((*path).to_owned(), old.replace(from, to))
        });
        Attempt {
            patient: 0,
            texts: texts.collect(),
        }
    };
    let one = attempt(&[(TEST, "one = new HashSet", "one = new LinkedHashSet")]);
    let two = attempt(&[(TEST, "two = new HashSet", "two = new LinkedHashSet")]);
    let other = attempt(&[(TEST, "one = new HashSet", "one = new TreeSet")]);
    let main = attempt(&[(MAIN, "one = new HashSet", "one = new LinkedHashSet")]);
    let both = attempt(&[
        (MAIN, "one = new HashSet", "one = new LinkedHashSet"),
        (TEST, "[x, y]", "[y, x]"),
    ]);
    let attempts = [one, two, other, main.clone(), both, main];
    let packed: Vec<Vec<usize>> = pack(&attempts, &sources)
        .into_iter()
        .map(|(_, members)| members)
        .collect();
    assert_eq!(packed, [vec![0, 1], vec![2], vec![3, 4, 5]]);
}

#[test]
fn one_choice_may_break_several_assertions_of_a_test() {
    let project = project();
    let sources = ProjectSources::new(project.path());
    let known = Known {
        sources: &sources,
        libraries: &[],
    };
    let failing_at = |line| Cause {
        failed_at: vec![SourcePlace {
            file: TEST.to_owned(),
            line,
            method: "p.ATest.a".to_owned(),
        }],
        ..cause(TEST, 6)
    };
    let first = failing_at(10);
    let none = Texts::new();
    let blamed = BTreeSet::from([Seen::of(&first.choices[0], &first).blamed(known, &none)]);
    assert!(!is_new(&first, &blamed, known, &none));
    assert!(is_new(&failing_at(9), &blamed, known, &none));
    // What was not found is no news.
    let status = CauseStatus::NotFound;
    let not_found = Cause {
        status,
        ..failing_at(9)
    };
    assert!(!is_new(&not_found, &blamed, known, &none));
}

#[test]
fn a_proof_that_the_user_ended_says_nothing_of_the_repair() {
    let does = |_: &Texts| Proved::Cancelled;
    check(
        &[patient(cause(TEST, 6))],
        Side::Test,
        &mut made_up(&does),
        &[INTERRUPTED],
    );
}

#[test]
fn no_wave_begins_once_the_user_has_had_enough() {
    let does = |_: &Texts| PASSED;
    let mut proofs = MadeUp {
        patience: 0,
        ..made_up(&does)
    };
    let patients = [patient(cause(TEST, 6))];
    check(&patients, Side::Test, &mut proofs, &[INTERRUPTED]);
    assert!(proofs.waves.is_empty());
}
