//! Fields: made when missing, set before they are read.

use super::notation::{change, project, shown, step};
use super::{TEXT, made, names, why};
use crate::class_uses::{ClassUses, DeclaredField, MethodUses};
use crate::{Evidence, Seen, mark};
use unflake_bytecode::{FieldUse, How, Stored};
use unflake_findings::{Mark, MarkKind};
use unflake_protocol::{ChangeForm, FieldName, Further, StateChange};

fn lazy_with(methods: &str) -> Evidence {
    project(&format!(
        "class C\n private static x {TEXT}\n open <clinit> ()V: x = null\n {methods}"
    ))
}

#[test]
fn lazy_is_what_is_made_where_it_is_missing() {
    let get = "open get ()L: x read, x tested, x = other, x read, x out";
    let lazy = Mark::Lazy {
        field: "C.x".to_owned(),
        methods: names("C.get"),
    };
    assert_eq!(why(&made("a.C.x"), &lazy_with(get)), Some(lazy));
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
    assert_eq!(mark(&one, &seen, &lazy_with(get)), None);
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
    let lazy = Mark::Lazy {
        field: "C.x".to_owned(),
        methods: names("C.use"),
    };
    assert_eq!(why(&made("a.C.x"), &private), Some(lazy));
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
    let set_before_read = Mark::SetBeforeRead {
        field: "C.lines".to_owned(),
        methods: names("C.load"),
    };
    assert_eq!(why(&added, &of(load)), Some(set_before_read));
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
    let set_up = Mark::SetUp {
        method: "FooTest.setUp".to_owned(),
    };
    assert_eq!(why(&set("mp"), &uses), Some(set_up));
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
fn who_else_uses_a_field() {
    let uses = project(
        "test FooTest
         open static own Ljava/util/Map;
         open static shared Ljava/util/Map;
         open init ()V: own = other, shared = other
         class FooTest$Inner
         open look ()V: a.FooTest.own read
         test BarTest
         open testIt ()V: a.FooTest.shared read",
    );
    let used = |name: &str| {
        uses.is_used_elsewhere(&FieldName {
            class: "a.FooTest".to_owned(),
            name: name.to_owned(),
        })
    };
    assert_eq!(used("own"), Some(false));
    assert_eq!(used("shared"), Some(true));
    assert_eq!(used("unknown"), None);
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
    let class_with = |name: &str, fields: &[&str]| ClassUses {
        name: name.to_owned(),
        fields: fields.iter().map(|field| declared(field)).collect(),
        ..ClassUses::default()
    };
    let use_of_x = |how| FieldUse {
        class: "a/Sub".into(),
        name: "x".into(),
        how,
    };
    let make = MethodUses {
        name: "make".to_owned(),
        uses: [How::Read, How::Tested, How::Written(Stored::Other)]
            .map(use_of_x)
            .to_vec(),
        ..MethodUses::default()
    };
    let sub = ClassUses {
        parent: Some("b.Base".to_owned()),
        methods: vec![make],
        ..class_with("a.Sub", &[])
    };
    let uses = Evidence::new([sub, class_with("b.Base", &["x"]), class_with("a.D", &["one"])]);
    let set = change(
        &["a.D.one", "a.Sub.x"],
        ChangeForm::FirstSet,
        Some("null"),
        "\"x\"",
    );
    let lazy = Mark::Lazy {
        field: "Base.x".to_owned(),
        methods: names("Sub.make"),
    };
    assert_eq!(why(&set, &uses), Some(lazy));
}

fn declared(name: &str) -> DeclaredField {
    DeclaredField {
        name: name.to_owned(),
        descriptor: TEXT.to_owned(),
        ..DeclaredField::default()
    }
}

/// Private fields of libraries' classes follow the same rules; of others it is not known who uses them.
#[test]
fn fields_inside_of_libraries_are_judged_by_the_librarys_code() {
    let uses = |access: &str, more: &str| {
        project(&format!(
            "class C
             private static client Lorg/lib/Client;
             library org.lib.Client
             {access} own address Ljava/lang/String;
             {access} own changes I
             open address ()L: address read, address tested, address = other, address read, address out
             open lease ()V: changes read, changes = increased
             {more}"
        ))
    };
    let address = change(
        &["a.C.client", "org.lib.Client.address"],
        ChangeForm::FirstSet,
        Some("null"),
        "\"x\"",
    );
    let changes = change(
        &["a.C.client", "org.lib.Client.changes"],
        ChangeForm::Increased,
        Some("3"),
        "4",
    );
    let kinds =
        |uses: &Evidence| [&address, &changes].map(|change| why(change, uses).map(|mark| mark.kind()));
    assert_eq!(
        kinds(&uses("private", "")),
        [Some(MarkKind::Lazy), Some(MarkKind::Counter)]
    );
    assert_eq!(kinds(&uses("open", "")), [None, None]);
    let told = uses(
        "private",
        "open connect (L)V: address = given
         open changes ()I: changes read, changes out",
    );
    assert_eq!(kinds(&told), [None, None]);
}

#[test]
fn only_a_class_of_the_project_is_above_another() {
    let all = project("library org.lib.Lib\nclass Base extends org.lib.Lib\nclass Heir extends a.Base");
    assert!(all.is_above("a.Base", "a.Heir"));
    assert!(!all.is_above("a.Heir", "a.Base") && !all.is_above("a.Base", "a.Base"));
    assert!(
        !all.is_above("org.lib.Lib", "a.Heir"),
        "who else uses its fields is not known"
    );
}
