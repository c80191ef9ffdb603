//! Memos, pools, and what is kept softly.

use super::notation::{change, parse_change, project, shown};
use super::{TEXT, grown, names, why};
use crate::Evidence;
use unflake_findings::{Mark, MarkKind};
use unflake_protocol::{ChangeForm, Slot};

fn map_with(methods: &str) -> Evidence {
    project(&format!(
        "class C\n private static known Ljava/util/Map;\n {methods}"
    ))
}

#[test]
fn a_memo_is_asked_and_filled_in_one() {
    let memo = "open square (I)I: known read, known .get given !, known read, known .put made-of-given";
    let expected = Mark::Memo {
        field: "C.known".to_owned(),
        methods: names("C.square"),
    };
    assert_eq!(why(&grown("a.C.known"), &map_with(memo)), Some(expected));
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
    let memo = "open byName (L)L: known read, known .get given !, known read, known .put new, \
                known .put made-of-values, known below returned";
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
    assert!(why(&of("a.Fixed[][1]"), &uses).is_some());
    assert_eq!(why(&of("a.Told[][1]"), &uses), None);
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
    let expected = Mark::SoftEntries {
        field: "C.known".to_owned(),
    };
    assert_eq!(why(&soft, &uses("made-of-values")), Some(expected.clone()));
    let mut key = grown("a.C.known");
    key.slot = Some(Slot::Key(shown("java.lang.ref.WeakReference")));
    assert_eq!(why(&key, &uses("made-of-values")), Some(expected));
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
fn private_parts_of_a_memo_count_as_one() {
    let uses = map_with(
        "private look ()V: known read, known .get given !\n private fill ()V: known read, known .put other\n \
                         open both (L)L: call look, call fill",
    );
    let expected = Mark::Memo {
        field: "C.known".to_owned(),
        methods: names("C.both"),
    };
    assert_eq!(why(&grown("a.C.known"), &uses), Some(expected));
}

#[test]
fn inner_classes_use_a_field_by_its_accessor() {
    let uses = map_with(
        "private access$000 ()L: known read, known out\n class C$1\n \
         open get (L)L: a.C.access$000 read, a.C.access$000 .get given !, a.C.access$000 .put other",
    );
    let expected = Mark::Memo {
        field: "C.known".to_owned(),
        methods: names("C.1.get"),
    };
    assert_eq!(why(&grown("a.C.known"), &uses), Some(expected));
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
fn pools_by_name() {
    let pool = |class: &str| {
        project(&format!(
            "class {class}\n private static items Ljava/util/List;\n \
             open take ()L: items read, items .isEmpty other !, items read, items .remove other !\n \
             open giveBack (L)V: items read, items .add given\n open size ()I: items read, items .size other !"
        ))
    };
    let expected = Mark::Pool {
        field: "BufferPool.items".to_owned(),
        takers: names("BufferPool.take"),
        givers: names("BufferPool.giveBack"),
    };
    assert_eq!(
        why(&grown("a.BufferPool.items"), &pool("BufferPool")),
        Some(expected)
    );
    assert_eq!(why(&grown("a.Log.items"), &pool("Log")), None);
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
    let expected = Mark::ArrayMemo {
        field: "Zone.infos".to_owned(),
        method: "Zone.info".to_owned(),
    };
    assert_eq!(why(&set("a.Zone.infos"), &uses), Some(expected));
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

#[test]
fn a_member_of_a_class_is_found_by_its_key_if_the_loader_is_asked_for() {
    const METHODS: &str = "class C
        private static known Ljava/util/Map;
        private loader ()V: asks-loader
        open method (L[L)L: known read, known .get other !, known read, known .put made-of-given, call loader";
    let entry = |class: &str| format!("a.C.known [] | grown | - | {class}");
    let mark_of = |classes: &str, class: &str| why(&parse_change(&entry(class)).0, &project(classes));
    assert!(mark_of(METHODS, "java.lang.reflect.Method").is_some());
    let by_name = METHODS.replace(", call loader", "");
    assert_eq!(
        mark_of(&by_name, "java.lang.reflect.Method"),
        None,
        "classes of two loaders may have one name"
    );
    assert_eq!(mark_of(METHODS, "a.Method"), None, "made of what a caller gave");
    assert_eq!(
        mark_of(METHODS, "java.util.ArrayList[…]"),
        None,
        "a list can be changed"
    );
}

#[test]
fn what_was_given_out_is_no_memo() {
    const ID: &str = "class Id
                      private static known Ljava/util/Map;
                      open next ()J: known read, known .containsKey other !, known read, known .put null";
    let entry = parse_change("a.Id.known [] | grown | - | null").0;
    let kind = |classes: &str| why(&entry, &project(classes)).map(|mark| mark.kind());
    assert_eq!(kind(ID), Some(MarkKind::GivenOut));
    assert_eq!(
        kind(&ID.replace("next ()J", "isNew (J)Z")),
        None,
        "a caller hears that it was there"
    );
    assert_eq!(
        kind(&format!(
            "{ID}\nopen isKnown (J)Z: known read, known .containsKey given !"
        )),
        None
    );
    let memo = ID.replace(".put null", ".put null, known .put made-of-values");
    assert_eq!(kind(&memo), Some(MarkKind::Memo), "null is one of its values");
    let answers = memo.replace("null, known .put made-of-values", "constant, known .put constant");
    assert_eq!(kind(&answers), Some(MarkKind::Memo), "true and false");
    let one = ID.replace(".put null", ".put constant");
    assert_eq!(kind(&one), Some(MarkKind::GivenOut), "always true");
}
