//! Counters and generators.

use super::notation::{change, project};
use super::{counted, names, why};
use crate::{Evidence, Seen, mark};
use unflake_findings::Mark;
use unflake_protocol::ChangeForm;

#[test]
fn a_counter_is_only_counted_up() {
    let counter = |class: &str, methods: &str| {
        project(&format!(
            "{class} C\n private static n I\n open check ()V: n read, n tested\n {methods}"
        ))
    };
    let up = "open called ()V: n read, n = increased";
    let expected = Mark::Counter {
        field: "C.n".to_owned(),
        methods: names("C.called"),
    };
    assert_eq!(why(&counted("a.C.n"), &counter("class", up)), Some(expected));
    assert_eq!(why(&counted("a.C.n"), &counter("test", up)), None);
    for more in [
        "open set (I)V: n = given",
        "open reset ()V: n = constant",
        "open down ()V: n read, n = other",
        "open get ()I: n read, n out",
    ] {
        let uses = counter("class", &format!("{up}\n{more}"));
        assert_eq!(why(&counted("a.C.n"), &uses), None, "{more}");
    }
    let adds = counter("class", "open add (I)V: n read, n = added");
    assert_eq!(why(&counted("a.C.n"), &adds), None);
    let (one, two) = (counted("a.C.n"), counted("a.C.n"));
    let seen = Seen {
        first: vec![&one, &two],
        second: vec![&one],
    };
    assert!(mark(&one, &seen, &adds).is_some());
    let down = change(&["a.C.n"], ChangeForm::Replaced, Some("4"), "3");
    let seen = Seen {
        first: vec![&one, &down],
        second: vec![],
    };
    assert_eq!(mark(&one, &seen, &counter("class", up)), None);
}

#[test]
fn atomic_counters_and_what_only_looks_like_them() {
    let atomic = |class: &str, methods: &str| {
        project(&format!(
            "class C\n private static n Ljava/util/concurrent/atomic/{class};\n open <clinit> ()V: n = other\n {methods}"
        ))
    };
    let up = "open hit ()V: n read, n .incrementAndGet other";
    assert!(why(&counted("a.C.n"), &atomic("AtomicInteger", up)).is_some());
    let shown = "open next ()I: n read, n .incrementAndGet other !";
    assert_eq!(why(&counted("a.C.n"), &atomic("AtomicInteger", shown)), None);
    assert_eq!(why(&counted("a.C.n"), &atomic("AtomicBoolean", up)), None);
    let down = format!("{up}\n open done ()V: n read, n .decrementAndGet other");
    assert_eq!(why(&counted("a.C.n"), &atomic("AtomicInteger", &down)), None);
    let adder = change(
        &["a.C.n", "java.util.concurrent.atomic.LongAdder.base"],
        ChangeForm::Increased,
        Some("1"),
        "2",
    );
    assert!(
        why(
            &adder,
            &atomic("LongAdder", "open hit ()V: n read, n .increment other")
        )
        .is_some()
    );
    let enum_set = change(
        &["a.C.set", "java.util.RegularEnumSet.elements"],
        ChangeForm::Increased,
        Some("1"),
        "3",
    );
    let uses =
        project("class C\n private static set Ljava/util/Set;\n open add (L)V: set read, set .add given !");
    assert_eq!(why(&enum_set, &uses), None);
}

#[test]
fn generators_that_nobody_seeds() {
    let seed = change(
        &["a.C.random", "java.util.Random.seed"],
        ChangeForm::Replaced,
        Some("1"),
        "2",
    );
    let dice = "class C\n private static random Ljava/util/Random;\n \
                open dice ()I: random read, random .nextInt other !";
    assert!(why(&seed, &project(dice)).is_some());
    let open = dice.replace("private static random", "open static random");
    assert_eq!(
        why(&seed, &project(&open)),
        None,
        "others can compare what it gives"
    );
    let seeded = format!("{dice}\n open seed (J)V: random read, random .setSeed given");
    assert_eq!(why(&seed, &project(&seeded)), None);
    let replaced = format!("{dice}\n open use (L)V: random = given");
    assert_eq!(why(&seed, &project(&replaced)), None);
    let of_the_jdk = change(
        &["java.util.Collections.r", "java.util.Random.seed"],
        ChangeForm::Replaced,
        Some("1"),
        "2",
    );
    assert!(why(&of_the_jdk, &Evidence::default()).is_some());
}
