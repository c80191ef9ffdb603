use super::super::overlay::StartCompiler;
use super::super::overlay::tests::{Sourced, sourced, texts};
use super::*;
use unflake_protocol::{Form, Level};
use unflake_repair::Mutation;

const A: &str = "m1/src/test/java/p/ATest.java";
const B: &str = "m1/src/test/java/p/BTest.java";
const SOURCE: &str = "class X {\n    int a;\n    int b;\n    int c;\n    int d;\n}\n";

fn suite(text: &str) -> Sourced {
    sourced(text, &[(A, SOURCE), (B, SOURCE)])
}

/// Does something with trials of these tests, each of which failed with everything reversed.
pub(crate) fn with_trials<R>(
    sourced: &Sourced,
    tests: &[&str],
    work: impl FnOnce(&mut Trials<'_>) -> R,
) -> R {
    let simulated = &sourced.simulated;
    let subject = |name: &&str| {
        let test = simulated.test(name);
        let launch = simulated.session.suite[test].launch.unwrap();
        Subjected {
            test,
            replay: Replay {
                tests: vec![test],
                launch: Some(launch),
            },
            launch,
            scope: Scope::Alone,
            strategy: Strategy {
                level: Level::One,
                form: Form::Reverse,
            },
        }
    };
    let subjects: Vec<Subjected> = tests.iter().map(subject).collect();
    let start = sourced.start();
    let start: &StartCompiler<'_> = &start;
    work(&mut Trials {
        session: &simulated.session,
        sources: &sourced.sources,
        overlays: sourced.overlays(start),
        subjects: &subjects,
        seed: Seed(7),
        jobs: 1,
        compiled: Vec::new(),
    })
}

/// Replaces a word in a file.
fn attempt(patient: usize, path: &str, from: &str, to: &str) -> Attempt {
    Attempt {
        patient,
        texts: texts(&[(path, &SOURCE.replace(from, to))]),
    }
}

fn shown(proved: &Proved) -> String {
    match proved {
        Proved::NotCompiled(why) => format!("not compiled: {why}"),
        Proved::NotRun => "not run".to_owned(),
        Proved::FailsUnvaried(failing) => format!("fails: {}", failing.message),
        Proved::Breaks(test) => format!("breaks {test}"),
        Proved::FailsVaried(strategy) => format!("fails at {}", strategy.level),
        Proved::Passed { rounds } => format!("passed {rounds}"),
        Proved::Cancelled => "cancelled".to_owned(),
    }
}

/// What is proved of one edit for each test.
fn proved(sourced: &Sourced, tests: &[&str], attempts: &[Attempt]) -> Vec<String> {
    with_trials(sourced, tests, |trials| {
        trials.prove(attempts).iter().map(shown).collect()
    })
}

#[test]
fn only_what_passes_in_every_way_is_proved() {
    let prove = |does: &str| {
        let sourced = suite(&format!("p.ATest#a {does}\np.ATest#b"));
        proved(&sourced, &["p.ATest#a"], &[attempt(0, A, "int a", "long a")]).remove(0)
    };
    // Three guided rounds, of which one is the one in which it failed, and the random ones.
    assert_eq!(prove(""), "passed 23");
    assert_eq!(prove("fails varied"), "fails at one");
    // Only random rounds are as free as that.
    assert_eq!(prove("fails form random"), "fails at full");
    assert!(prove("fails unvaried").starts_with("fails: "));
    assert_eq!(prove("is-missing"), "not run");
    assert_eq!(prove("cancels unvaried"), "cancelled");
    assert_eq!(prove("cancels form random"), "cancelled");
}

#[test]
fn other_tests_of_an_edited_class_must_pass() {
    let prove = |edited: &str, tests: &[&str]| {
        let sourced = suite("p.ATest#a\np.ATest#b fails unvaried\np.ATest#c [failed] fails\np.BTest#a");
        proved(&sourced, tests, &[attempt(0, edited, "int a", "long a")]).remove(0)
    };
    assert_eq!(prove(A, &["p.ATest#a"]), "breaks p.ATest#b");
    // What the edit does not touch, and what failed in the build, proves nothing.
    assert_eq!(prove(B, &["p.ATest#a"]), "passed 23");
    // Whoever is repaired at the same time has a proof of its own.
    assert_eq!(prove(A, &["p.ATest#a", "p.ATest#b"]), "passed 23");
}

#[test]
fn an_attempt_that_does_not_compile_does_not_spoil_the_others() {
    let sourced = suite("p.ATest#a\np.ATest#b\np.BTest#a");
    let attempts = [
        attempt(0, A, "int a", "ERROR a"),
        attempt(1, A, "int d", "long d"),
        attempt(2, B, "int a", "long a"),
    ];
    let told = proved(&sourced, &["p.ATest#a", "p.ATest#b", "p.BTest#a"], &attempts);
    let why = format!("not compiled: `{A}`, line 2: no");
    assert_eq!(told, [why.as_str(), "passed 23", "passed 23"]);
    // All together, each alone, and the sound ones together again.
    let files: Vec<String> = (sourced.told.borrow().iter())
        .map(|(_, files)| files.join(" "))
        .collect();
    assert_eq!(
        files,
        [
            "ATest.java BTest.java",
            "ATest.java",
            "ATest.java",
            "BTest.java",
            "ATest.java BTest.java"
        ]
    );
}

#[test]
fn a_mistake_is_noticed_only_where_it_is() {
    let notice = |does: &str| {
        let sourced = suite(&format!("p.ATest#a {does}"));
        let mutant = MutantAttempt {
            mutation: Mutation::ExpectedDropped,
            attempt: attempt(0, A, "int a", "long a"),
            file: A.to_owned(),
            lines: 2..=2,
        };
        with_trials(&sourced, &["p.ATest#a"], |trials| {
            trials.notice(&[mutant]).remove(0)
        })
    };
    let not = |why: &str| Err(why.to_owned());
    assert_eq!(notice(""), not("the variant passes"));
    assert_eq!(notice("is-missing"), not("the variant did not run"));
    // A failure without a line of ours.
    assert_eq!(notice("fails unvaried"), not("the variant fails elsewhere"));
    let sourced = suite("p.ATest#a");
    let broken = MutantAttempt {
        mutation: Mutation::ExpectedDropped,
        attempt: attempt(0, A, "int a", "ERROR a"),
        file: A.to_owned(),
        lines: 2..=2,
    };
    let told = with_trials(&sourced, &["p.ATest#a"], |trials| {
        trials.notice(&[broken]).remove(0)
    });
    let why = format!("the variant does not compile: `{A}`, line 2: no");
    assert_eq!(told, Err(why));
}

#[test]
fn with_all_patches_only_what_fails_each_time_counts() {
    let suite = suite(
        "p.ATest#a\np.ATest#b fails turns fffp\np.ATest#c fails turns fp\np.ATest#d fails unvaried\n\
         p.BTest#a [failed] fails\np.BTest#b [skipped]",
    );
    let whole = |text: &str| {
        with_trials(&suite, &["p.ATest#a"], |trials| {
            trials.whole(&texts(&[(A, text)]))
        })
    };
    let (failing, all) = whole(SOURCE).unwrap();
    // One fails three times with the patches and then passes without them; another one fails without them too.
    assert_eq!((suite.simulated.names(&failing).as_str(), all), ("p.ATest#b", 4));
    assert_eq!(whole("ERROR").unwrap_err(), format!("`{A}`, line 1: no"));
}

#[test]
fn places_are_told_in_the_texts_of_the_attempt() {
    let place = |line: u32| SourcePlace {
        file: A.to_owned(),
        line,
        method: "p.ATest.a".to_owned(),
    };
    let line = |from: &str, to: &str, line: u32| {
        moved_place(place(line), &texts(&[(A, from)]), &texts(&[(A, to)])).line
    };
    let longer = SOURCE.replace("    int a;", "    int a;\n    int aa;\n    int aaa;");
    assert_eq!(line(&longer, SOURCE, 2), 2);
    assert_eq!(line(&longer, SOURCE, 7), 5);
    assert_eq!(line(SOURCE, &longer, 5), 7);
    assert_eq!(line(SOURCE, SOURCE, 5), 5);
    // Of a file that only one of them has, nothing is known.
    assert_eq!(
        moved_place(place(5), &texts(&[(A, &longer)]), &Texts::new()).line,
        5
    );
}
