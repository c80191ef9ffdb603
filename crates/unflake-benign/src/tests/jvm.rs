//! Hooks and thread-locals.

use super::notation::{project, shown};
use super::{made, names, why};
use unflake_findings::Mark;
use unflake_protocol::{JvmState, StateChange, StateKind, Step, ThreadName};

#[test]
fn hooks_that_are_not_the_projects() {
    let uses = project("class Hook");
    let hook = |class: &str| {
        let thread = ThreadName {
            class: class.to_owned(),
            name: "Thread-1".to_owned(),
        };
        StateChange {
            kind: StateKind::ShutdownHook,
            steps: vec![Step::Jvm(JvmState::ShutdownHook(thread))],
            ..made("a.C.x")
        }
    };
    assert!(why(&hook("java.util.logging.LogManager$Cleaner"), &uses).is_some());
    assert_eq!(
        why(&hook("org.h2.engine.OnExitDatabaseCloser"), &uses),
        None,
        "the database is open"
    );
    assert_eq!(why(&hook("a.Hook"), &uses), None);
    assert_eq!(why(&hook("java.lang.Thread"), &uses), None);
}

#[test]
fn thread_locals_that_make_their_value() {
    let uses = project(
        "class Util
         private static df Ljava/lang/ThreadLocal;
         private static user Ljava/lang/ThreadLocal;
         private static text Ljava/lang/ThreadLocal;
         open static seen Ljava/lang/ThreadLocal;
         open shown ()V: seen .get other !, seen below returned
         open format ()V: df .get other !, df below format given
         open logIn ()V: user .set given
         open user ()V: user .get other !
         open add ()V: text .get other !, text below append given",
    );
    let local = |field: &str| StateChange {
        kind: StateKind::ThreadLocal,
        path: format!("Util.{field}.get()"),
        old: None,
        ..made(&format!("a.Util.{field}"))
    };
    let expected = Mark::ThreadLocalDefault {
        field: "Util.df".to_owned(),
        methods: names("Util.format"),
    };
    assert_eq!(why(&local("df"), &uses), Some(expected));
    assert_eq!(why(&local("user"), &uses), None);
    assert_eq!(why(&local("text"), &uses), None);
    assert!(why(&local("seen"), &uses).is_some());
    let map = StateChange {
        new: Some(shown("java.util.HashMap")),
        ..local("seen")
    };
    assert_eq!(why(&map, &uses), None, "who gets it can put something into it");
    let uses = project(
        "class Util empty-thread-local
         open static seen Ljava/lang/ThreadLocal;
         open shown ()V: seen .get other !, seen below returned",
    );
    assert_eq!(why(&local("seen"), &uses), None, "there was nothing in it");
}
