mod common;
mod together;

use super::*;
use crate::repair::copy::Refused;
use crate::repair::search::{NOTHING_FITS, Searched};
use crate::simulated::simulated;
use std::fs;
use unflake_findings::{CauseStatus, Choice, SourcePlace, TriedRepair};
use unflake_protocol::Seed;

const ONE: &str = "src/test/java/p/ATest.java";
const TWO: &str = "src/test/java/p/BTest.java";
const MAIN: &str = "src/main/java/p/Main.java";
const TEXT: &str = "class X {\n    int a;\n    int b;\n    int c;\n    int d;\n    int e;\n}\n";

/// Three findings; the first two have one cause.
fn found() -> Document {
    let mut document = simulated("p.ATest#a fails varied\np.ATest#b fails varied\np.BTest#a fails varied")
        .stored()
        .document;
    document.findings.sort_by(|a, b| a.test.cmp(&b.test));
    for (finding, line) in document.findings.iter_mut().zip([3, 3, 4]) {
        let Details::ImplementationDependent { cause, .. } = &mut finding.details else {
            panic!("a test that fails when varied");
        };
        cause.status = CauseStatus::Found;
        cause.choices = vec![Choice {
            number: 1,
            api: "HashMap.keySet".to_owned(),
            javadoc: String::new(),
            call: Some(SourcePlace {
                file: MAIN.to_owned(),
                line,
                method: "p.Main.run".to_owned(),
            }),
            allocation: None,
            stack: Vec::new(),
            allocation_stack: Vec::new(),
            owner: None,
            elements: 2,
            natural: Vec::new(),
            failing: Vec::new(),
            moved: Vec::new(),
        }];
    }
    document
}

/// A repair that replaces a word in a file.
fn repaired(path: &str, from: &str, to: &str) -> Searched {
    let safety = if path == MAIN { Safety::Main } else { Safety::Test };
    Searched::new(Ok(edited(path, from, to, "a-strategy", safety)), Vec::new())
}

fn edited(path: &str, from: &str, to: &str, strategy: &'static str, safety: Safety) -> Repaired {
    Repaired {
        texts: [(path.to_owned(), TEXT.replace(from, to))].into(),
        applied: vec![Applied {
            strategy,
            why: "do something".to_owned(),
            safety,
        }],
        mutants: 2,
        rounds: 24,
    }
}

fn nothing() -> Searched {
    Searched::new(Err(NOTHING_FITS.to_owned()), Vec::new())
}

/// A project in which all three files have the same text.
fn project() -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    for path in [ONE, TWO, MAIN] {
        let file = project.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, TEXT).unwrap();
    }
    project
}

fn options(safety: Safety, by: Grouping) -> RepairOptions {
    RepairOptions {
        jobs: 1,
        seed: Seed(7),
        all: false,
        safety,
        by,
    }
}

/// What each patch repairs, and what is said of each finding.
fn check(
    outcomes: [Outcome; 3],
    safety: Safety,
    by: Grouping,
    groups: &[&str],
    findings: [&str; 3],
) -> Repairs {
    let project = project();
    let sources = ProjectSources::new(project.path());
    let document = found();
    let outcomes: BTreeMap<usize, Outcome> = outcomes.into_iter().enumerate().collect();
    let subjects = Subjects::default();
    let repairs = Patches::new(&document, &outcomes, options(safety, by), &sources, &subjects)
        .finish(Duration::from_secs(3));
    let shown = repairs.document.repairs.iter().map(|group| {
        let candidates = group.candidates.iter().enumerate().map(|(index, candidate)| {
            let chosen = if group.chosen == Some(index) { "*" } else { "" };
            format!("{chosen}{} {}", candidate.safety, candidate.repairs.len())
        });
        format!(
            "{} of {}",
            candidates.collect::<Vec<_>>().join(", "),
            group.findings.len()
        )
    });
    assert_eq!(shown.collect::<Vec<_>>(), groups);
    let said = repairs.document.findings.iter().map(|finding| {
        let Repair { status, reason, .. } = finding.repair();
        match reason {
            Some(reason) => format!("{status:?}: {reason}"),
            None => format!("{status:?}"),
        }
    });
    assert_eq!(said.collect::<Vec<_>>(), findings);
    repairs
}

#[test]
fn findings_of_one_cause_have_one_patch() {
    let outcomes = || {
        [
            Outcome::of(repaired(ONE, "int a", "long a"), nothing()),
            Outcome::of(repaired(ONE, "int e", "long e"), nothing()),
            Outcome::of(nothing(), nothing()),
        ]
    };
    let none = "Unrepaired: no strategy fits this failure";
    let states = ["Repaired", "Repaired", none];
    let repairs = check(
        outcomes(),
        Safety::Test,
        Grouping::Cause,
        &["*test 2 of 2"],
        states,
    );
    let patch = &repairs.document.repairs[0].candidates[0].patch;
    assert!(
        patch.contains("+    long a;") && patch.contains("+    long e;"),
        "{patch}"
    );
    let (old, new) = &repairs.files[ONE];
    assert_eq!(String::from_utf8_lossy(old), TEXT);
    assert_eq!(
        String::from_utf8_lossy(new),
        TEXT.replace("int a", "long a").replace("int e", "long e")
    );
    check(
        outcomes(),
        Safety::Test,
        Grouping::Test,
        &["*test 1 of 1", "*test 1 of 1"],
        states,
    );
}

#[test]
fn main_code_is_offered_and_taken_only_if_that_is_allowed() {
    let outcomes = || {
        [
            Outcome::of(
                repaired(ONE, "int a", "long a"),
                repaired(MAIN, "int c", "long c"),
            ),
            Outcome::of(nothing(), repaired(MAIN, "int c", "long c")),
            Outcome::of(nothing(), repaired(MAIN, "int d", "long d")),
        ]
    };
    let offered = "Offered: only a change of main code repairs it; `--safety main` takes it";
    check(
        outcomes(),
        Safety::Test,
        Grouping::Cause,
        &["*test 1, main 2 of 2", "main 1 of 1"],
        ["Repaired", offered, offered],
    );
    check(
        outcomes(),
        Safety::Main,
        Grouping::Cause,
        &["test 1, *main 2 of 2", "*main 1 of 1"],
        ["Repaired", "Repaired", "Repaired"],
    );
}

#[test]
fn a_suggestion_is_shown_and_never_chosen() {
    let suggested = || Some(edited(ONE, "int e", "long e", "a-guess", Safety::Suggestion));
    let outcomes = || {
        [
            Outcome::of(repaired(ONE, "int a", "long a"), nothing()),
            Outcome::of(nothing(), nothing()).suggesting(suggested()),
            Outcome::of(nothing(), nothing()).suggesting(suggested()),
        ]
    };
    let none = "Unrepaired: no strategy fits this failure";
    for (safety, by, groups) in [
        (
            Safety::Test,
            Grouping::Cause,
            &["*test 1, suggestion 1 of 2", "suggestion 1 of 1"][..],
        ),
        (
            Safety::Main,
            Grouping::Test,
            &["*test 1 of 1", "suggestion 1 of 1", "suggestion 1 of 1"],
        ),
    ] {
        let repairs = check(outcomes(), safety, by, groups, ["Repaired", none, none]);
        let new = TEXT.replace("int a", "long a");
        assert_eq!(repairs.files.len(), 1);
        assert_eq!(String::from_utf8_lossy(&repairs.files[ONE].1), new);
        // Who reads of a finding is led to it.
        let document = &repairs.document;
        let named = document.findings[2].repair().repair.as_deref();
        assert_eq!(named, document.repairs.last().map(|group| group.id.as_str()));
        let last = &document.repairs.last().unwrap().candidates[0];
        assert!(last.patch.contains("+    long e;"), "{}", last.patch);
    }
}

#[test]
fn main_code_comes_before_the_last_resort_if_it_is_allowed() {
    let outcomes = || {
        let last = edited(ONE, "int a", "long a", LAST_RESORT, Safety::Test);
        [
            Outcome::of(
                Searched::new(Ok(last), Vec::new()),
                repaired(MAIN, "int c", "long c"),
            ),
            Outcome::none("its cause is not known".to_owned()),
            Outcome::none("its cause is not known".to_owned()),
        ]
    };
    let none = "Unrepaired: its cause is not known";
    for (safety, groups) in [
        (Safety::Test, "*test 1, main 1 of 2"),
        (Safety::Main, "test 1, *main 1 of 2"),
    ] {
        check(
            outcomes(),
            safety,
            Grouping::Cause,
            &[groups],
            ["Repaired", none, none],
        );
    }
}

#[test]
fn patches_of_the_same_lines_do_not_go_together() {
    let outcomes = [
        Outcome::of(repaired(ONE, "int a", "long a"), nothing()),
        Outcome::none("its cause is not known".to_owned()),
        Outcome::of(repaired(ONE, "int a", "short a"), nothing()),
    ];
    let again =
        "Offered: its patch touches the same lines as another one; run `unflake fix` again afterwards";
    check(
        outcomes,
        Safety::Test,
        Grouping::Cause,
        &["*test 1 of 2", "test 1 of 1"],
        ["Repaired", "Unrepaired: its cause is not known", again],
    );
}

#[test]
fn what_the_patch_of_a_cause_leaves_out_gets_one_of_its_own() {
    let none = || Outcome::none("its cause is not known".to_owned());
    let unknown = "Unrepaired: its cause is not known";
    let again =
        "Offered: its patch touches the same lines as another one; run `unflake fix` again afterwards";
    check(
        [
            Outcome::of(repaired(ONE, "int a", "long a"), nothing()),
            Outcome::of(repaired(ONE, "int a", "short a"), nothing()),
            none(),
        ],
        Safety::Test,
        Grouping::Cause,
        &["*test 1 of 1", "test 1 of 1"],
        ["Repaired", again, unknown],
    );
    check(
        [
            Outcome::of(repaired(ONE, "int a", "long a"), nothing()),
            Outcome::of(nothing(), repaired(MAIN, "int c", "long c")),
            none(),
        ],
        Safety::Main,
        Grouping::Cause,
        &["*test 1 of 1", "*main 1 of 1"],
        ["Repaired", "Repaired", unknown],
    );
}

#[test]
fn proved_patches_that_share_a_test_file_are_joined() {
    let joined = |outcomes: [Outcome; 3], by: Grouping| {
        let project = project();
        let sources = ProjectSources::new(project.path());
        let document = found();
        let outcomes: BTreeMap<usize, Outcome> = outcomes.into_iter().enumerate().collect();
        let subjects = Subjects::default();
        let options = options(Safety::Main, by);
        let mut patches = Patches::new(&document, &outcomes, options, &sources, &subjects);
        patches.join();
        let repairs = patches.finish(Duration::ZERO).document.repairs.into_iter();
        let shown = repairs.map(|group| {
            let candidates = group.candidates.iter();
            let of_each =
                candidates.map(|candidate| format!("{} {}", candidate.safety, candidate.repairs.len()));
            assert_eq!(group.chosen, Some(0));
            format!(
                "{} of {}",
                of_each.collect::<Vec<_>>().join(", "),
                group.findings.len()
            )
        });
        shown.collect::<Vec<_>>().join("; ")
    };
    let test = |path: &str, word: &str| {
        let main = repaired(MAIN, "int d", "long d");
        Outcome::of(
            repaired(path, &format!("int {word}"), &format!("long {word}")),
            main,
        )
    };
    let in_one_file = || [test(ONE, "a"), test(ONE, "b"), test(ONE, "e")];
    assert_eq!(joined(in_one_file(), Grouping::Cause), "test 3, main 3 of 3");
    let another = edited(ONE, "int b", "long b", "another-strategy", Safety::Test);
    let another = Outcome::of_test(Searched::new(Ok(another), Vec::new()));
    let in_other_ways = [test(ONE, "a"), another, test(ONE, "e")];
    assert_eq!(joined(in_other_ways, Grouping::Cause), "test 3, main 2 of 3");
    let each = "test 1, main 1 of 1; test 1, main 1 of 1; test 1, main 1 of 1";
    assert_eq!(joined(in_one_file(), Grouping::Test), each);
    let in_two = [test(ONE, "a"), test(ONE, "b"), test(TWO, "e")];
    assert_eq!(
        joined(in_two, Grouping::Cause),
        "test 2, main 2 of 2; test 1, main 1 of 1"
    );
    // Changes of main code are reviewed one by one.
    let of_main = |word: &str| {
        let main = repaired(MAIN, &format!("int {word}"), &format!("long {word}"));
        Outcome::of(nothing(), main)
    };
    let in_main = [of_main("a"), of_main("b"), of_main("e")];
    assert_eq!(joined(in_main, Grouping::Cause), "main 2 of 2; main 1 of 1");
}

#[test]
fn causes_with_the_same_patch_share_it() {
    let same = || Outcome::of(repaired(ONE, "int a", "long a"), nothing());
    let outcomes = || [same(), same(), same()];
    let all = ["Repaired", "Repaired", "Repaired"];
    check(outcomes(), Safety::Test, Grouping::Cause, &["*test 3 of 3"], all);
    let one = "*test 1 of 1";
    check(outcomes(), Safety::Test, Grouping::Test, &[one, one, one], all);
}

#[test]
fn why_nothing_was_found_is_told_for_both_sides() {
    let failed = |why: &str| Searched::new(Err(why.to_owned()), Vec::new());
    let why = |test: Searched, main: Searched| Outcome::of(test, main).why;
    assert_eq!(why(nothing(), nothing()), NOTHING_FITS);
    assert_eq!(why(nothing(), failed("x")), "in main code, x");
    assert_eq!(why(failed("y"), failed("x")), "y; in main code, x");
    assert_eq!(why(failed("y"), nothing()), "y");
    let with_library = |test: Searched, library: &str| {
        Outcome::of(test, nothing())
            .or_with_library(Some(failed(library)))
            .why
    };
    assert_eq!(with_library(nothing(), "z"), "with a new library, z");
    assert_eq!(with_library(failed("y"), "z"), "y; with a new library, z");
    assert_eq!(with_library(failed("y"), NOTHING_FITS), "y");
}

#[test]
fn what_did_not_work_on_either_side_is_told() {
    let failed = |strategy: &str| {
        let refused = vec![TriedRepair {
            strategy: strategy.to_owned(),
            why: "no".to_owned(),
        }];
        Searched::new(Err(NOTHING_FITS.to_owned()), refused)
    };
    let refused = |outcome: Outcome| {
        let refused = outcome.refused.into_iter();
        refused.map(|tried| tried.strategy).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(refused(Outcome::of(failed("one"), failed("other"))), "one other");
    assert_eq!(refused(Outcome::of_test(failed("one"))), "one");
}

/// Two patches of test code, the second with one of main code beside it; something is done with them.
fn with_two<R>(work: impl FnOnce(Patches<'_>, [String; 2]) -> R) -> R {
    let second = Outcome::of(
        repaired(TWO, "int b", "long b"),
        repaired(MAIN, "int c", "long c"),
    );
    with_second(second, Safety::Main, work)
}

/// The same with another one beside the first.
fn with_second<R>(second: Outcome, safety: Safety, work: impl FnOnce(Patches<'_>, [String; 2]) -> R) -> R {
    let project = project();
    let sources = ProjectSources::new(project.path());
    let document = found();
    let first = Outcome::of(repaired(ONE, "int a", "long a"), nothing());
    let outcomes = BTreeMap::from([(0, first), (2, second)]);
    let subjects = Subjects::default();
    let patches = Patches::new(
        &document,
        &outcomes,
        options(safety, Grouping::Cause),
        &sources,
        &subjects,
    );
    let ids = [0, 1].map(|group| patches.id(&patches.groups[group]));
    work(patches, ids)
}

#[test]
fn picked_patches_are_proved_again_unless_they_are_all() {
    let picked = |wanted: &[usize], works: bool| {
        with_two(|patches, ids| {
            let ids: BTreeSet<String> = wanted.iter().map(|index| ids[*index].clone()).collect();
            let mut proved = 0;
            let (files, left_out) = patches.only(&ids, |patches| {
                proved += 1;
                if !works {
                    patches.drop_where(|_| true, "they do not hold");
                }
            });
            let files: Vec<String> = files.into_keys().collect();
            let why: Vec<String> = left_out.into_values().collect();
            (files.join(" "), proved, why.join(" "))
        })
    };
    let told = |files: &str, proved: u32, why: &str| (files.to_owned(), proved, why.to_owned());
    assert_eq!(picked(&[0, 1], true), told(&format!("{ONE} {TWO}"), 0, ""));
    assert_eq!(picked(&[1], true), told(TWO, 1, ""));
    assert_eq!(picked(&[], true), told("", 0, ""));
    // The other candidate of its group is not taken instead: nobody was asked about it.
    assert_eq!(picked(&[1], false), told("", 1, "they do not hold"));
}

#[test]
fn what_was_proved_before_it_was_interrupted_is_offered() {
    let repairs = with_two(|mut patches, _| {
        patches.interrupt();
        patches.finish(Duration::from_secs(1))
    });
    assert!(repairs.files.is_empty());
    for index in [0, 2] {
        let Repair { status, reason, .. } = repairs.document.findings[index].repair();
        assert_eq!(
            (*status, reason.as_deref()),
            (RepairStatus::Offered, Some(INTERRUPTED))
        );
    }
    assert!(
        repairs
            .document
            .repairs
            .iter()
            .all(|group| group.chosen.is_none())
    );
    assert!(
        repairs
            .document
            .repairs
            .iter()
            .all(|group| !group.candidates.is_empty())
    );
}

#[test]
fn only_patches_that_break_something_are_blamed() {
    let blamed = |breaks: &dyn Fn(&Texts) -> bool| {
        with_two(|patches, _| {
            let mut asked = 0;
            let blamed = patches.blamed(&mut |texts| {
                asked += 1;
                breaks(texts)
            });
            (blamed.into_iter().collect::<Vec<_>>(), asked)
        })
    };
    assert_eq!(blamed(&|texts| texts.contains_key(ONE)), (vec![0], 2));
    assert_eq!(blamed(&|texts| texts.contains_key(TWO)), (vec![1], 2));
    assert_eq!(blamed(&|texts| texts.len() == 2), (vec![1], 2), "only together");
    assert_eq!(blamed(&|_| true), (vec![0, 1], 2));
}

#[test]
fn a_group_whose_patch_is_dropped_takes_its_next_one() {
    with_two(|mut patches, _| {
        assert!(patches.drop_groups(&BTreeSet::from([1]), "no"));
        assert_eq!(patches.chosen().into_keys().collect::<Vec<_>>(), [MAIN, ONE]);
        assert!(patches.drop_groups(&BTreeSet::from([1]), "no"));
        assert_eq!(patches.chosen().into_keys().collect::<Vec<_>>(), [ONE]);
        assert!(
            !patches.drop_groups(&BTreeSet::from([1]), "no"),
            "it has none left"
        );
    });
}

#[test]
fn patches_of_files_that_the_build_names_go_first() {
    let left = |said: &str| {
        with_two(|mut patches, _| {
            let has_more = patches.drop_refused(&Refused::new(said.to_owned()));
            (
                has_more,
                patches.chosen().into_keys().collect::<Vec<_>>().join(" "),
            )
        })
    };
    let both = format!("{ONE} {TWO}");
    assert_eq!(left("[ERROR] p/ATest.java:3: no"), (true, TWO.to_owned()));
    assert_eq!(left("p.BTest\n"), (true, format!("{MAIN} {ONE}")));
    assert_eq!(left("BTests and SubBTest are others"), (false, both.clone()));
    assert_eq!(left("so are old_BTest and BTest_old"), (false, both.clone()));
    assert_eq!(left("ATest, BTest: no"), (false, both));
}

#[test]
fn a_new_library_is_taken_if_it_is_allowed_and_goes_first_if_the_build_refuses_something() {
    let adding = || {
        let repaired = edited(TWO, "int b", "long b", "json-library", Safety::Dependency);
        let found = Searched::new(Ok(repaired), Vec::new());
        Outcome::of(nothing(), nothing()).or_with_library(Some(found))
    };
    let chosen = |safety| {
        with_second(adding(), safety, |mut patches, _| {
            let all = patches.chosen().into_keys().collect::<Vec<_>>().join(" ");
            let has_more = patches.drop_refused(&Refused::new("a library is banned".to_owned()));
            let left = patches.chosen().into_keys().collect::<Vec<_>>().join(" ");
            (all, has_more, left)
        })
    };
    let both = format!("{ONE} {TWO}");
    assert_eq!(chosen(Safety::Dependency), (both, true, ONE.to_owned()));
    assert_eq!(chosen(Safety::Main), (ONE.to_owned(), false, ONE.to_owned()));
}
