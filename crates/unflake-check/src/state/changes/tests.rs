//! What is kept of what JVMs tell, and of several runs.

use super::*;
use crate::simulated::{change, handle};
use unflake_protocol::{Blame, SeenTest, Slot};

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
