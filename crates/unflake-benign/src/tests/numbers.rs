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

#[test]
fn the_time_of_the_last_call_and_what_only_looks_like_it() {
    const ID: &str = "class Id
                      private static last J
                      private static count I
                      private attempt ()J: count read, count = increased, count read-back, count tested, \
                      last read, last compared-with-time, count = constant, last = time, count read-back
                      open next ()J: call attempt";
    let last = change(&["a.Id.last"], ChangeForm::Replaced, Some("90"), "91");
    let count = change(&["a.Id.count"], ChangeForm::Replaced, Some("2"), "0");
    let marked = |classes: &str| {
        let classes = project(classes);
        [&last, &count].map(|change| why(change, &classes).is_some())
    };
    assert_eq!(marked(ID), [true, true]);
    let with = |more: &str| marked(&format!("{ID}\nopen more ()J: {more}"));
    assert_eq!(with("last read, last out"), [false, false], "shown");
    assert_eq!(with("last read"), [false, false], "a difference is made of it");
    assert_eq!(
        with("last read, last tested"),
        [false, false],
        "whether there was a call"
    );
    assert_eq!(with("last = constant"), [false, false], "forgotten");
    assert_eq!(with("last = given"), [false, false], "told");
    assert_eq!(with("count read, count out"), [true, false]);
    assert_eq!(
        with("count = constant"),
        [true, false],
        "another method begins again"
    );
    let of_tests = ID.replace("class Id", "test Id");
    assert_eq!(marked(&of_tests), [false, false]);
    let goes_on = ID.replace("count = constant, ", "");
    assert_eq!(marked(&goes_on), [true, false], "it never begins again");
    let open = ID.replace("private static last", "open static last");
    assert_eq!(marked(&open), [false, false], "others may set the time");
}
