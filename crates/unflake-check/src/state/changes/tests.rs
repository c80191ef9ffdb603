//! What is kept of what JVMs tell, and of several runs.

use super::*;
use crate::simulated::{change, handle};
use unflake_protocol::{Blame, ChangeForm, FieldName, Further, SeenTest, Slot, Step};

fn by_test(name: &str) -> Author {
    Author::Test(SeenTest {
        handle: handle(name),
        class: String::new(),
        method: String::new(),
        invocation: None,
    })
}

/// `A#a` is the test that was asked for.
fn heard(messages: impl IntoIterator<Item = ToProgram>) -> Changes {
    let mut changes = Changes::default();
    let index = |author: &Author| (*author == by_test("A#a")).then_some(TestIx(0));
    for message in messages {
        changes.hear(message, index, |change| StateChange { more: 7, ..change });
    }
    changes
}

fn changed(by: Author, what: &str) -> ToProgram {
    ToProgram::Changed {
        by,
        changes: vec![change(what)],
    }
}

fn roots(changes: Option<&Vec<StateChange>>) -> Vec<&str> {
    let changes = changes.into_iter().flatten();
    changes.map(|change| change.root.as_str()).collect()
}

#[test]
fn changes_are_kept_by_who_made_them() {
    let changes = heard([
        changed(by_test("A#a"), "S.n"),
        changed(Author::Class("A".to_owned()), "S.m"),
        changed(by_test("A#a"), "file:/tmp/x"),
        // Nobody asked for this one.
        changed(by_test("B#b"), "S.o"),
    ]);
    assert_eq!(roots(changes.by_test.get(&TestIx(0))), ["S.n", "/tmp/x"]);
    assert_eq!(roots(changes.by_class.get("A")), ["S.m"]);
    assert_eq!((changes.by_test.len(), changes.by_class.len()), (1, 1));
    // Files get their names here.
    assert!(changes.all().all(|change| change.more == 7));
    assert!(changes.has_files());
    assert_eq!(changes.holders(), ["S".to_owned()].into());
    assert_eq!(changes.of_root("S.m").len(), 1);
}

#[test]
fn what_is_said_beside_changes_is_kept() {
    let leaf = Leaf {
        path: "S.zone.id".to_owned(),
        slot: Slot::Index,
        value: Shown::integer(1),
    };
    let of = |text: &str| text.to_owned();
    let changes = heard([
        ToProgram::Initialised {
            by: by_test("A#a"),
            root: of("S.zone"),
            leaves: vec![leaf],
        },
        ToProgram::NotWatched {
            what: of("S.big"),
            reason: of("too large"),
            gap: Gap::Known,
        },
        ToProgram::NotLoaded {
            class: of("S"),
            problem: LoadProblem::Blocks,
            detail: String::new(),
        },
        ToProgram::NotCompared {
            by: Some(by_test("A#a")),
            reason: of("malformed"),
            blame: Blame::Unflake,
        },
        ToProgram::Used(HeapSetting::IncludeRoots(of("S.*"))),
        ToProgram::Unusable {
            class: of("a.C"),
            reason: of("no"),
        },
        ToProgram::Measured(Box::default()),
        ToProgram::RunFinished,
    ]);
    let [initial] = &changes.initial["S.zone"][..] else {
        panic!("{:?}", changes.initial)
    };
    assert_eq!(
        (&initial.by, initial.value("S.zone.id")),
        (&Loader::Test(TestIx(0)), Some(&Shown::integer(1)))
    );
    assert_eq!(initial.value("S.zone"), None);
    assert_eq!(
        (
            changes.not_watched["S.big"].reason.as_str(),
            changes.unusable["a.C"].as_str()
        ),
        ("too large", "no")
    );
    assert_eq!(changes.not_watched["S"].gap, Gap::Lost);
    assert_eq!(changes.blocking, [of("S")].into());
    assert_eq!(changes.not_compared, [(TestIx(0), of("malformed"))].into());
    assert_eq!((changes.used.len(), changes.measured.len()), (1, 1));
    assert!(!changes.has_files() && changes.holders().is_empty());
}

#[test]
fn parts_are_joined_without_loss() {
    let part = |what: &str, test: usize| {
        let mut part = heard([
            changed(by_test("A#a"), what),
            changed(Author::Class("A".to_owned()), what),
            ToProgram::NotWatched {
                what: what.to_owned(),
                reason: String::new(),
                gap: Gap::Known,
            },
            ToProgram::Initialised {
                by: by_test("A#a"),
                root: "S.zone".to_owned(),
                leaves: Vec::new(),
            },
            ToProgram::Used(HeapSetting::ExcludeRoots(what.to_owned())),
            ToProgram::Unusable {
                class: what.to_owned(),
                reason: String::new(),
            },
            ToProgram::Measured(Box::default()),
        ]);
        part.ran.insert(TestIx(test));
        part
    };
    let mut all = part("S.n", 0);
    all.join(part("S.m", 1));
    assert_eq!(roots(all.by_test.get(&TestIx(0))), ["S.n", "S.m"]);
    assert_eq!(roots(all.by_class.get("A")), ["S.n", "S.m"]);
    let counts = [
        all.ran.len(),
        all.initial["S.zone"].len(),
        all.not_watched.len(),
        all.used.len(),
        all.unusable.len(),
        all.measured.len(),
    ];
    assert_eq!(counts, [2; 6]);
}

#[test]
fn what_is_known_of_each_test_is_joined_too() {
    let test = TestIx(0);
    let mut all = Changes::default();
    all.unfinished.insert(test, NotWatched::NotRun);
    all.unfinished.insert(TestIx(1), NotWatched::NotRun);
    let mut again = heard([
        ToProgram::Sampled {
            what: "S.big".to_owned(),
            most_objects: 9,
        },
        ToProgram::NotCompared {
            by: Some(by_test("A#a")),
            reason: "malformed".to_owned(),
            blame: Blame::Unflake,
        },
        ToProgram::NotLoaded {
            class: "S".to_owned(),
            problem: LoadProblem::Blocks,
            detail: String::new(),
        },
    ]);
    again.ran.insert(test);
    again.failed.insert(test);
    again.unfinished.insert(TestIx(2), NotWatched::NotRun);
    all.join(again);
    // Who has finished in one of the runs is not unfinished.
    assert_eq!(
        all.unfinished.keys().map(|test| test.0).collect::<Vec<_>>(),
        [1, 2]
    );
    assert_eq!(all.failed, [test].into());
    assert_eq!(all.sampled, [("S.big".to_owned(), 9)].into());
    assert_eq!(all.not_compared, [(test, "malformed".to_owned())].into());
    assert_eq!(all.blocking, ["S".to_owned()].into());
    assert!(all.has_not_compared);
    // What was so before stays so.
    all.join(Changes::default());
    assert!(all.has_not_compared);
}

#[test]
fn what_some_tests_did_is_forgotten_and_nothing_else() {
    let (gone, stays) = (TestIx(0), TestIx(1));
    let mut changes = Changes::default();
    for test in [gone, stays] {
        changes.ran.insert(test);
        changes.failed.insert(test);
        changes.unfinished.insert(test, NotWatched::NotRun);
        changes.by_test.insert(test, vec![change("S.n")]);
    }
    for class in ["A", "B"] {
        changes.by_class.insert(class.to_owned(), vec![change("S.m")]);
    }
    changes.forget(&[gone], &["A"].into());
    assert_eq!(
        (&changes.ran, &changes.failed),
        (&[stays].into(), &[stays].into())
    );
    assert_eq!(changes.unfinished.keys().collect::<Vec<_>>(), [&stays]);
    assert_eq!(changes.by_test.keys().collect::<Vec<_>>(), [&stays]);
    assert_eq!(changes.by_class.keys().collect::<Vec<_>>(), ["B"]);
}

#[test]
fn state_that_could_not_be_compared_may_be_nobodys() {
    let message = |by| ToProgram::NotCompared {
        by,
        reason: "no".to_owned(),
        blame: Blame::Unflake,
    };
    for nobody in [None, Some(by_test("B#b"))] {
        let changes = heard([message(nobody)]);
        assert!(changes.has_not_compared && changes.not_compared.is_empty());
    }
}

#[test]
fn a_class_that_throws_is_watched_later_and_the_others_are_lost() {
    let gap = |problem| {
        let class = "S".to_owned();
        let detail = "E".to_owned();
        let changes = heard([ToProgram::NotLoaded {
            class,
            problem,
            detail,
        }]);
        let Unseen { reason, gap } = changes.not_watched["S"].clone();
        assert_eq!(changes.blocking.is_empty(), problem != LoadProblem::Blocks);
        assert_eq!(
            reason.ends_with(": E"),
            problem == LoadProblem::Throws,
            "{reason}"
        );
        gap
    };
    assert_eq!(gap(LoadProblem::Throws), Gap::Known);
    assert_eq!(gap(LoadProblem::Blocks), Gap::Lost);
    assert_eq!(gap(LoadProblem::NoTime), Gap::Lost);
}

#[test]
fn after_some_failures_state_was_not_compared() {
    let ended = |kind: &str| {
        let failure = Failure {
            kind: kind.to_owned(),
            ..crate::simulated::failure("it failed")
        };
        ended(&failure)
    };
    let lost = NotWatched::Ended("it failed".to_owned());
    assert_eq!(
        ended(Failure::HANG),
        Some(NotWatched::Hung("it failed".to_owned()))
    );
    assert_eq!(ended(Failure::EXIT), Some(lost.clone()));
    assert_eq!(ended(Failure::CRASH), Some(lost.clone()));
    assert_eq!(ended("java.lang.OutOfMemoryError"), Some(lost));
    // What watches has a stack of its own.
    assert_eq!(ended("java.lang.StackOverflowError"), None);
    assert_eq!(ended("java.lang.AssertionError"), None);
    assert_eq!(ended("java.lang.IllegalStateException"), None);
}

#[test]
fn classes_on_the_way_to_whatever_changed_are_known() {
    let step = |class: &str| {
        let name = "next".to_owned();
        let class = class.to_owned();
        Step::Field(FieldName { class, name })
    };
    let mut first = change("S.n");
    first.steps.push(Step::Element);
    first.also.push(Further {
        form: ChangeForm::Replaced,
        steps: vec![Step::Element, step("p.Node")],
    });
    let mut changes = Changes::default();
    changes.by_test.insert(TestIx(0), vec![first]);
    changes.by_class.insert("A".to_owned(), vec![change("T.m")]);
    let expected = ["S", "T", "p.Node"].map(str::to_owned);
    assert_eq!(changes.ways(), expected.into());
}
