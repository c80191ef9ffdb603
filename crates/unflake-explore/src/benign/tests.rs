//! Classes as text and changes of their fields: what is marked, with the reason, and what is not.

use super::*;
use crate::field_uses::{ClassUses, DeclaredField, FieldUse, MethodUses, Stored, Use};
use unflake_protocol::{FieldName, Further, Shown, ThreadName, What};

/// Classes of package `a`, one line each: `class Name`, then for each field `private|open static|own name descriptor`, then
/// for each method `private|open name descriptor: use, use`. A use is `field read`, `field read-back`, `field tested`, `field = stored`,
/// `field .method stored` (`!` behind: the result is used), `field below method stored`, `field below returned`, `field out`, `call method`.
fn project(text: &str) -> FieldUses {
    let mut classes: Vec<ClassUses> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "class" | "test" => classes.push(ClassUses {
                name: if words[1].contains('.') {
                    words[1].to_owned()
                } else {
                    format!("a.{}", words[1])
                },
                has_tests: words[0] == "test",
                makes_empty_thread_local: words.get(2) == Some(&"empty-thread-local"),
                ..ClassUses::default()
            }),
            "text" => classes.last_mut().unwrap().texts.push(words[1].to_owned()),
            access => {
                let class = classes.last_mut().unwrap();
                let is_private = access == "private";
                match line.split_once(": ") {
                    None => class.fields.push(DeclaredField {
                        name: words[2].to_owned(),
                        descriptor: words[3].to_owned(),
                        is_private,
                        is_public: access == "public",
                        is_static: words[1] == "static",
                        is_annotated: false,
                    }),
                    Some((_, body)) => {
                        let mut method = method(&class.name, is_private, &words, body);
                        method.is_set_up = method.name == "setUp";
                        class.methods.push(method);
                    }
                }
            }
        }
    }
    FieldUses::new(classes)
}

fn method(class: &str, is_private: bool, words: &[&str], body: &str) -> MethodUses {
    let mut method = MethodUses {
        name: words[1].to_owned(),
        descriptor: words[2].trim_end_matches(':').to_owned(),
        is_private,
        ..MethodUses::default()
    };
    for part in body.split(", ") {
        let words: Vec<&str> = part.split_whitespace().collect();
        let how = match words[1] {
            "read" => Use::Read,
            "read-back" => Use::ReadBack,
            "tested" => Use::Tested,
            "out" => Use::HandedOn,
            "=" => Use::Written(stored(words[2])),
            "below" if words[2] == "returned" => Use::ReturnedBelow,
            "below" => Use::CalledBelow {
                method: words[2].to_owned(),
                stored: stored(words[3]),
            },
            called if words[0] == "call" => {
                method.calls.push([class, called, "()V"].map(str::to_owned));
                continue;
            }
            called => Use::Called {
                method: called.trim_start_matches('.').to_owned(),
                stored: stored(words[2]),
                dropped: words.len() < 4,
            },
        };
        // Fields of other classes by their full name.
        let (class, field) = words[0].rsplit_once('.').unwrap_or((class, words[0]));
        method.uses.push(FieldUse {
            class: class.to_owned(),
            field: field.to_owned(),
            how,
        });
    }
    method
}

fn stored(word: &str) -> Stored {
    match word {
        "null" => Stored::Null,
        "constant" => Stored::Constant,
        "increased" => Stored::Increased,
        "added" => Stored::Added,
        "given" => Stored::Given,
        "made-of-given" => Stored::MadeOfGiven,
        "made-of-values" => Stored::MadeOfValues,
        "new" => Stored::New,
        "other" => Stored::Other,
        _ => panic!("{word}"),
    }
}

/// `[]` is an element, `a.C.x` a field. Values: `null`, `"text"`, `3`, `true`, `Class[…]` and `Class{…}` collections, else a class.
fn change(steps: &[&str], form: ChangeForm, old: Option<&str>, new: &str) -> StateChange {
    StateChange {
        kind: StateKind::Heap,
        root: steps[0].to_owned(),
        path: steps.concat(),
        old: old.map(shown),
        new: Some(shown(new)),
        form,
        steps: steps.iter().map(|text| step(text)).collect(),
        slot: None,
        more: 0,
        also: Vec::new(),
        around: Vec::new(),
    }
}

fn step(text: &str) -> Step {
    match text {
        "[]" => Step::Element,
        field => Step::Field(FieldName::parse(field).unwrap()),
    }
}

fn shown(text: &str) -> Shown {
    let class = text.split(['[', '{', '(']).next().unwrap();
    let what = match text {
        "null" => What::Null,
        "true" | "false" => What::Boolean,
        text if text.starts_with('"') => What::Text,
        text if text.contains(['[', '{']) && !text.contains('(') => What::Collection {
            class: class.to_owned(),
            len: 1,
        },
        text => match text.parse() {
            Ok(number) => What::Integer(number),
            Err(_) => Shown::object(class, "").what,
        },
    };
    Shown::new(what, text)
}

/// The reason, where one test changes it, in both runs alike.
fn why(change: &StateChange, uses: &FieldUses) -> Option<String> {
    let seen = Seen {
        first: vec![change],
        second: vec![change],
    };
    benign(change, &seen, uses)
}

fn made(field: &str) -> StateChange {
    change(&[field], ChangeForm::FirstSet, Some("null"), "\"x\"")
}

fn grown(field: &str) -> StateChange {
    change(&[field, "[]"], ChangeForm::Grown, None, "\"x\"")
}

fn counted(field: &str) -> StateChange {
    change(&[field], ChangeForm::Increased, Some("3"), "4")
}

const TEXT: &str = "Ljava/lang/String;";

fn lazy_with(methods: &str) -> FieldUses {
    project(&format!(
        "class C\n private static x {TEXT}\n open <clinit> ()V: x = null\n {methods}"
    ))
}

#[test]
fn lazy_is_what_is_made_where_it_is_missing() {
    let get = "open get ()L: x read, x tested, x = other, x read, x out";
    assert_eq!(
        why(&made("a.C.x"), &lazy_with(get)).unwrap(),
        "a lazy initialisation: `C.get` makes `C.x` where it finds none and nothing else sets it; every run made the same"
    );
    for more in [
        "open reset ()V: x = null",
        "open close ()V: x read, x tested, x .close other",
        "private helper ()V: x read, x tested\n open get2 ()V: call helper",
    ] {
        assert!(
            why(&made("a.C.x"), &lazy_with(&format!("{get}\n{more}"))).is_some(),
            "{more}"
        );
    }
    for more in [
        "open set (L)V: x = given",
        "open set (L)V: x = made-of-given",
        "open isThere ()Z: x read, x tested",
        "open peek ()L: x read, x out",
        "open tell (L)V: x read, x .setName given",
    ] {
        assert_eq!(
            why(&made("a.C.x"), &lazy_with(&format!("{get}\n{more}"))),
            None,
            "{more}"
        );
    }
    let session = "open set (L)V: x = given\n open user ()L: x read, x out";
    assert_eq!(why(&made("a.C.x"), &lazy_with(session)), None);
    let first_caller_wins = "open get (L)L: x read, x tested, x = made-of-given";
    assert_eq!(why(&made("a.C.x"), &lazy_with(first_caller_wins)), None);
}

#[test]
fn a_lazy_value_is_private_and_the_same_in_every_run() {
    let get = "open get ()L: x read, x tested, x = other";
    let open = project(&format!("class C\n open static x {TEXT}\n {get}"));
    assert_eq!(why(&made("a.C.x"), &open), None);
    let (one, other) = (
        made("a.C.x"),
        StateChange {
            new: Some(shown("\"y\"")),
            ..made("a.C.x")
        },
    );
    let seen = Seen {
        first: vec![&one],
        second: vec![&other],
    };
    assert_eq!(benign(&one, &seen, &lazy_with(get)), None);
    let element = change(&["a.C.x", "[]"], ChangeForm::FirstSet, Some("null"), "1");
    assert_eq!(why(&element, &lazy_with(get)), None);
}

#[test]
fn a_reader_behind_the_maker_sees_nothing() {
    let uses =
        lazy_with("open make ()V: x read, x tested, x = other\n open use ()L: call make, x read, x out");
    assert!(why(&made("a.C.x"), &uses).is_some());
    let private =
        lazy_with("private make ()V: x = other\n open use ()L: x read, x tested, call make, x read");
    assert!(why(&made("a.C.x"), &private).unwrap().contains("`C.use` makes"));
}

#[test]
fn a_singleton_that_can_be_told_something_is_no_lazy_value() {
    let single = |method: &str| {
        project(&format!(
            "class C\n private static x La/C;\n private own name {TEXT}\n \
             open get ()L: x read, x tested, x = other\n open <init> (L)V: name = given\n {method}"
        ))
    };
    assert!(why(&made("a.C.x"), &single("open name ()L: name read, name out")).is_some());
    assert_eq!(
        why(&made("a.C.x"), &single("open rename (L)V: name = given")),
        None
    );
}

#[test]
fn lazy_numbers_begin_with_nothing() {
    let uses = project(
        "class C\n private own hash I\n open hashCode ()I: hash read, hash tested, hash = other, hash out",
    );
    let hash = |old| change(&["a.D.D", "a.C.hash"], ChangeForm::Replaced, Some(old), "-77");
    assert!(why(&hash("0"), &uses).is_some());
    assert_eq!(why(&hash("5"), &uses), None);
    let flag = project(
        "class C\n private static ready Z\n open init ()V: ready read, ready tested, ready = constant",
    );
    let set = change(&["a.C.ready"], ChangeForm::Replaced, Some("false"), "true");
    assert_eq!(why(&set, &flag), None);
}

#[test]
fn what_nobody_reads_is_harmless() {
    let set = change(&["a.C.x"], ChangeForm::Replaced, Some("1"), "2");
    let written = lazy_with("open set (L)V: x = given");
    assert_eq!(
        why(&set, &written).unwrap(),
        "never read: `C.x` is private and no method reads it"
    );
    let open = project("class C\n open static x I\n open set (I)V: x = given");
    assert!(
        why(&set, &open)
            .unwrap()
            .contains("no class of the project reads `C.x`")
    );
    let elsewhere = project("class C\n open static x I\n open set (I)V: x = given\n text x");
    assert_eq!(why(&set, &elsewhere), None, "reflection may");
    assert_eq!(why(&set, &FieldUses::default()), None);
}

fn map_with(methods: &str) -> FieldUses {
    project(&format!(
        "class C\n private static known Ljava/util/Map;\n {methods}"
    ))
}

#[test]
fn a_memo_is_asked_and_filled_in_one() {
    let memo = "open square (I)I: known read, known .get given !, known read, known .put made-of-given";
    assert!(
        why(&grown("a.C.known"), &map_with(memo))
            .unwrap()
            .starts_with("a memo: `C.square` looks into `C.known`")
    );
    let compute = map_with("open lower (L)L: known read, known .computeIfAbsent other !");
    assert!(why(&grown("a.C.known"), &compute).is_some());
    for more in [
        "open size ()I: known read, known .size other !",
        "open all ()L: known read, known out",
        "open get (L)L: known read, known .get given !",
        "open add (L)V: known read, known .put given",
        "open listen (L)V: known read, known .computeIfAbsent other !, known below add given",
    ] {
        assert_eq!(
            why(&grown("a.C.known"), &map_with(&format!("{memo}\n{more}"))),
            None,
            "{more}"
        );
    }
    let object = change(&["a.C.known", "[]"], ChangeForm::Grown, None, "Format");
    assert_eq!(
        why(&object, &map_with(memo)),
        None,
        "it may keep what the first caller gave"
    );
    assert!(why(&object, &compute).is_some());
    let cleared = map_with(&format!(
        "{memo}\n open clear ()V: known read, known .clear other"
    ));
    assert!(why(&grown("a.C.known"), &cleared).is_some());
    let removed = change(&["a.C.known", "[]"], ChangeForm::Removed, Some("1"), "null");
    assert_eq!(why(&removed, &cleared), None);
    assert!(
        why(&removed, &map_with(memo)).is_some(),
        "only its key can have changed"
    );
    let deeper = change(&["a.C.known", "[]", "[]"], ChangeForm::Grown, None, "1");
    assert_eq!(why(&deeper, &map_with(memo)), None);
}

#[test]
fn memos_of_objects_that_are_made_of_values() {
    let of = |value: &str| change(&["a.C.known", "[]"], ChangeForm::Grown, None, value);
    let memo = "open byName (L)L: known read, known .get given !, known read, known .put new, known .put made-of-values, \
                known below returned";
    let uses = map_with(&format!(
        "{memo}\n class Fixed\n private own name {TEXT}\n open name ()L: name read, name out\n \
         class Told\n private own name {TEXT}\n open rename (L)V: name = given"
    ));
    assert!(why(&of("a.Fixed"), &uses).is_some());
    assert!(why(&of("Pattern(\"a*\", 0)"), &uses).is_some());
    assert_eq!(why(&of("a.Told"), &uses), None, "it may have been told something");
    assert_eq!(
        why(&of("ArrayList[\"a\"]"), &uses),
        None,
        "a caller may add to it"
    );
    let inside = map_with(&memo.replace("known below returned", "known below size other"));
    assert!(why(&of("ArrayList[\"a\"]"), &inside).is_some());
}

#[test]
fn what_is_kept_softly() {
    let uses = |stored: &str| {
        map_with(&format!(
            "open all ()L: known read, known out, known .put {stored}"
        ))
    };
    let soft = change(
        &["a.C.known", "[]"],
        ChangeForm::Grown,
        None,
        "java.lang.ref.SoftReference",
    );
    assert!(
        why(&soft, &uses("made-of-values"))
            .unwrap()
            .starts_with("kept softly")
    );
    assert_eq!(why(&grown("a.C.known"), &uses("made-of-values")), None);
    assert_eq!(why(&soft, &uses("made-of-given")), None, "the caller has it too");
    let deeper = change(
        &["a.C.known", "[]", "[]"],
        ChangeForm::Grown,
        None,
        "java.lang.ref.WeakReference",
    );
    assert_eq!(why(&deeper, &uses("other")), None);
}

#[test]
fn what_callers_can_change_is_no_memo() {
    let list = change(
        &["a.C.known", "[]"],
        ChangeForm::Grown,
        None,
        "ArrayList[\"one\"]",
    );
    let made = map_with("open list (L)L: known read, known .computeIfAbsent other !, known below returned");
    assert_eq!(why(&list, &made), None);
    let replaced = change(&["a.C.known", "[]"], ChangeForm::Replaced, Some("9"), "8");
    let count = map_with("open take (L)I: known read, known .get given !, known read, known .put other");
    assert_eq!(why(&replaced, &count), None);
    let copied = project(
        "class C\n private static ls [La/L;\n open add (La/L;)V: ls read, ls .[]= given\n open fire ()V: ls read",
    );
    assert_eq!(why(&grown("a.C.ls"), &copied), None);
}

#[test]
fn memos_in_memos() {
    let deeper = change(&["a.C.known", "[]", "[]"], ChangeForm::Grown, None, "Format[][1]");
    let memo = |below: &str| {
        map_with(&format!(
            "open format (L)L: known read, known .get given !, known read, known .put other, {below}"
        ))
    };
    let two_levels = memo("known below get given, known below put other");
    assert!(why(&deeper, &two_levels).is_some());
    assert!(why(&grown("a.C.known"), &two_levels).is_some());
    let queue = memo("known below poll other, known below put made-of-values");
    assert!(why(&grown("a.C.known"), &queue).is_some());
    for registry in [
        "known below get given, known below put given",
        "known below get given, known below put made-of-given",
        "known below put other",
        "known below get given, known below add other",
        "known below get given, known below []= other",
    ] {
        assert_eq!(why(&grown("a.C.known"), &memo(registry)), None, "{registry}");
    }
}

#[test]
fn atomic_arrays_that_remember() {
    let uses = |stored: &str| {
        project(&format!(
            "class C\n private static known Ljava/util/concurrent/atomic/AtomicReferenceArray;\n \
             open style (I)L: known read, known .get given !, known read, known .compareAndSet {stored} !"
        ))
    };
    let set = change(&["a.C.known", "[]"], ChangeForm::FirstSet, Some("null"), "Format");
    assert!(why(&set, &uses("made-of-values")).is_some());
    assert_eq!(why(&set, &uses("given")), None);
}

#[test]
fn lazy_and_out_of_reach() {
    let uses = |access: &str| {
        project(&format!(
            "test T\n open static held Lb/Text;\n public static shown Lb/Text;\n class b.Text\n {access} own bytes [B\n \
             open bytes ()[B: bytes read, bytes tested, bytes = other, bytes out"
        ))
    };
    let made_in = |root: &str| {
        let steps = [root, "b.Text.bytes"];
        change(&steps, ChangeForm::FirstSet, Some("null"), "byte[1]")
    };
    assert!(why(&made_in("a.T.held"), &uses("open")).is_some());
    assert_eq!(
        why(&made_in("a.T.shown"), &uses("open")),
        None,
        "code of package b"
    );
    assert_eq!(why(&made_in("a.T.held"), &uses("public")), None);
}

#[test]
fn what_is_set_before_it_is_read() {
    let of = |methods: &str| {
        project(&format!(
            "class C\n private own lines Ljava/util/List;\n open static c La/C;\n {methods}"
        ))
    };
    let added = change(&["a.C.c", "a.C.lines", "[]"], ChangeForm::Grown, None, "\"x\"");
    let load = "open load (L)V: lines = other, lines read-back, lines out";
    assert!(why(&added, &of(load)).unwrap().contains("`C.lines`, in `C.load`"));
    assert_eq!(
        why(
            &added,
            &of(&format!("{load}\n open first ()L: lines read, lines out"))
        ),
        None
    );
    assert_eq!(
        why(&added, &of(&format!("{load}\n text lines"))),
        None,
        "reflection"
    );
    let tests = project(&format!(
        "test T\n private static lines Ljava/util/List;\n {load}"
    ));
    let left = change(&["a.T.lines", "[]"], ChangeForm::Grown, None, "\"x\"");
    assert_eq!(why(&left, &tests), None, "a test may be added");
}

#[test]
fn private_parts_of_a_memo_count_as_one() {
    let uses = map_with(
        "private look ()V: known read, known .get given !\n private fill ()V: known read, known .put other\n \
                         open both (L)L: call look, call fill",
    );
    assert!(why(&grown("a.C.known"), &uses).unwrap().contains("`C.both`"));
}

#[test]
fn inner_classes_use_a_field_by_its_accessor() {
    let uses = map_with(
        "private access$000 ()L: known read, known out\n class C$1\n \
         open get (L)L: a.C.access$000 read, a.C.access$000 .get given !, a.C.access$000 .put other",
    );
    assert!(why(&grown("a.C.known"), &uses).unwrap().contains("`C.1.get`"));
}

#[test]
fn a_registry_is_no_memo() {
    let registry = map_with(
        "open register (L)V: known read, known .put given\n open byName (L)L: known read, known .get given !",
    );
    assert_eq!(why(&grown("a.C.known"), &registry), None);
    let checked =
        map_with("open register (L)V: known read, known .containsKey given !, known read, known .put given");
    assert_eq!(why(&grown("a.C.known"), &checked), None);
}

#[test]
fn what_tests_gather_is_no_memo() {
    let class = |kind: &str, fill: &str| {
        project(&format!(
            "{kind} C\n private own known Ljava/util/Map;\n \
             open one ()V: known read, known .{fill} constant, known read, known .contains constant !"
        ))
    };
    let change = grown("a.C.known");
    assert!(why(&change, &class("class", "put")).is_some());
    assert_eq!(why(&change, &class("test", "put")), None);
    assert_eq!(why(&change, &class("class", "add")), None);
}

#[test]
fn pools_and_caches_by_name() {
    let pool = |class: &str| {
        project(&format!(
            "class {class}\n private static items Ljava/util/List;\n \
             open take ()L: items read, items .isEmpty other !, items read, items .remove other !\n \
             open giveBack (L)V: items read, items .add given\n open size ()I: items read, items .size other !"
        ))
    };
    assert_eq!(
        why(&grown("a.BufferPool.items"), &pool("BufferPool")).unwrap(),
        "a pool: `BufferPool.giveBack` puts into `BufferPool.items` what `BufferPool.take` takes out again"
    );
    assert_eq!(why(&grown("a.Log.items"), &pool("Log")), None);
    let cache = |stored: &str| {
        project(&format!(
            "class C\n private static typeCache Ljava/util/Map;\n \
             open find (L)L: typeCache read, typeCache .get given !\n open load (L)L: typeCache read, typeCache .put {stored}"
        ))
    };
    assert!(why(&grown("a.C.typeCache"), &cache("made-of-given")).is_some());
    assert_eq!(why(&grown("a.C.typeCache"), &cache("given")), None);
}

#[test]
fn collections_that_nobody_asks() {
    let kept = map_with("open keep (L)V: known read, known .put given");
    assert!(why(&grown("a.C.known"), &kept).unwrap().starts_with("never read"));
    let asked = map_with("open keep (L)Z: known read, known .add given !");
    assert_eq!(why(&grown("a.C.known"), &asked), None);
}

#[test]
fn a_counter_is_only_counted_up() {
    let counter = |class: &str, methods: &str| {
        project(&format!(
            "{class} C\n private static n I\n open check ()V: n read, n tested\n {methods}"
        ))
    };
    let up = "open called ()V: n read, n = increased";
    assert_eq!(
        why(&counted("a.C.n"), &counter("class", up)).unwrap(),
        "a counter: `C.called` makes `C.n` greater and nothing sets it"
    );
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
    assert!(benign(&one, &seen, &adds).is_some());
    let down = change(&["a.C.n"], ChangeForm::Replaced, Some("4"), "3");
    let seen = Seen {
        first: vec![&one, &down],
        second: vec![],
    };
    assert_eq!(benign(&one, &seen, &counter("class", up)), None);
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
    let dice = "class C\n private static random Ljava/util/Random;\n open dice ()I: random read, random .nextInt other !";
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
    assert!(why(&of_the_jdk, &FieldUses::default()).is_some());
}

#[test]
fn one_harmful_difference_below_a_root_is_enough() {
    let uses = project(&format!(
        "class C\n private own text {TEXT}\n open own name {TEXT}\n \
         open text ()L: text read, text tested, text = other\n open name ()L: name read, name out"
    ));
    let mut lazy = change(
        &["a.D.one", "a.C.text"],
        ChangeForm::FirstSet,
        Some("null"),
        "\"x\"",
    );
    assert!(why(&lazy, &uses).is_some());
    let further = |field: &str| Further {
        steps: ["a.D.one", "a.D.next", field].map(step).to_vec(),
        form: ChangeForm::FirstSet,
    };
    lazy.add(further("a.C.text"));
    assert!(why(&lazy, &uses).is_some());
    lazy.add(further("a.C.name"));
    assert_eq!(why(&lazy, &uses), None);
}

#[test]
fn fields_are_found_in_the_class_that_declares_them() {
    let base = ClassUses {
        name: "a.Base".to_owned(),
        fields: vec![DeclaredField {
            name: "x".to_owned(),
            descriptor: TEXT.to_owned(),
            ..DeclaredField::default()
        }],
        ..ClassUses::default()
    };
    let sub = ClassUses {
        name: "a.Sub".to_owned(),
        parent: Some("a.Base".to_owned()),
        methods: vec![MethodUses {
            name: "set".to_owned(),
            uses: vec![FieldUse {
                class: "a.Sub".to_owned(),
                field: "x".to_owned(),
                how: Use::Written(Stored::Given),
            }],
            ..MethodUses::default()
        }],
        ..ClassUses::default()
    };
    let uses = FieldUses::new([sub, base]);
    let set = change(&["a.D.one", "a.Sub.x"], ChangeForm::Replaced, Some("1"), "2");
    assert!(why(&set, &uses).unwrap().contains("`Base.x`"));
}

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
    let gone = StateChange {
        new: None,
        ..hook("org.h2.engine.OnExitDatabaseCloser")
    };
    assert!(why(&gone, &uses).is_some());
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
    let reason = why(&local("df"), &uses).unwrap();
    assert!(reason.contains("`Util.format` ask `Util.df`"), "{reason}");
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

#[test]
fn fields_that_their_own_set_up_sets() {
    let uses = project(
        "test FooTest
         private static mp Ljava/util/Map;
         private static lazy Ljava/util/Map;
         open static seen Ljava/util/Map;
         private static other Ljava/util/Map;
         private static buffer Ljava/lang/StringBuffer;
         open setUp ()V: mp = other, lazy tested, lazy = other, seen = other, buffer .setLength constant
         open testIt ()V: mp .get other !, lazy .get other !, seen read, other = other, other read",
    );
    let set = |field: &str| made(&format!("a.FooTest.{field}"));
    let reason = why(&set("mp"), &uses).unwrap();
    assert!(reason.contains("set by `FooTest.setUp`"), "{reason}");
    assert!(why(&set("lazy"), &uses).is_some());
    assert_eq!(why(&set("seen"), &uses), None);
    assert_eq!(why(&set("other"), &uses), None);
    let put = |field: &str| change(&[field, "[]"], ChangeForm::Grown, None, "1");
    assert!(why(&put("a.FooTest.mp"), &uses).is_some());
    assert_eq!(why(&put("a.FooTest.lazy"), &uses), None);
    let text = change(&["a.FooTest.buffer"], ChangeForm::Replaced, Some("\"\""), "\"x\"");
    assert!(why(&text, &uses).is_some());
}

#[test]
fn arrays_that_remember() {
    let uses = project(
        "class Zone
         private static infos [La/Info;
         private static given [La/Info;
         private static told [La/Told;
         private static two [La/Info;
         private static shown [La/Info;
         private info (J)La/Info;: infos read, call chain
         private chain ()V: a.Info.next = made-of-given
         open offset (J)I: call info
         open name (J)I: call info
         open put (ILa/Info;)V: given read
         open tell (J)La/Told;: told read
         open first (J)La/Info;: two read
         open second (J)La/Info;: two read
         open all ()[La/Info;: shown read, shown out
         class Info
         private own year I
         open own next La/Info;
         open year ()I: year read, year out
         class Told
         private own year I
         open setYear (I)V: year = given",
    );
    let set = |field: &str| change(&[field, "[]"], ChangeForm::FirstSet, Some("null"), "Info");
    let reason = why(&set("a.Zone.infos"), &uses).unwrap();
    assert!(reason.contains("only `Zone.info` looks into"), "{reason}");
    let below = |array: &str| change(&[array, "[]", "b.X.year"], ChangeForm::Replaced, Some("1"), "2");
    assert!(why(&below("a.Zone.infos"), &uses).is_some());
    assert_eq!(why(&below("a.Zone.told"), &uses), None);
    let own = change(
        &["a.Zone.infos", "[]", "a.Info.year"],
        ChangeForm::Replaced,
        Some("1"),
        "2",
    );
    assert!(why(&own, &uses).is_some());
    for other in ["a.Zone.given", "a.Zone.two", "a.Zone.shown"] {
        assert_eq!(why(&set(other), &uses), None, "{other}");
    }
}
