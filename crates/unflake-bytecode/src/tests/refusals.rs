//! What is read of a class, and what is refused and how it is said.

use std::fs;

use super::{fixtures, jdks};
use crate::{Arg, Change, ClassError, ClassFile, Gate, Helper, MethodEdit, NotEdited, StaticField, Value};

fn subjects(name: &str) -> Vec<u8> {
    fs::read(fixtures().join(format!("{name}.class"))).unwrap()
}

fn helper(descriptor: &str) -> Helper {
    Helper {
        class: "Helpers".to_owned(),
        name: "help".to_owned(),
        descriptor: descriptor.to_owned(),
    }
}

fn why(class: &ClassFile<'_>, method: &str, descriptor: &str, change: Change) -> String {
    let edit = MethodEdit {
        method: method.to_owned(),
        descriptor: descriptor.to_owned(),
        change,
    };
    class.edit(&[edit]).unwrap_err().to_string()
}

fn entry(descriptor: &str, args: &[Arg]) -> Change {
    Change::AtEntry {
        helper: helper(descriptor),
        args: args.to_vec(),
    }
}

fn wrap(descriptor: &str, args: &[Arg]) -> Change {
    Change::WrapReturns {
        helper: helper(descriptor),
        args: args.to_vec(),
    }
}

#[test]
fn what_cannot_be_done_is_refused_with_class_and_method() {
    let bytes = subjects("Subjects");
    let class = ClassFile::parse(&bytes).unwrap();
    let gate = Gate::Field(StaticField {
        class: "Helpers".to_owned(),
        name: "gate".to_owned(),
    });
    let instead = Change::InsteadWhen {
        gate,
        helper: helper("()V"),
        args: Vec::new(),
    };
    let calls = Change::AfterCalls {
        callees: vec!["compare".into(), "add".into()],
        helper: helper("(I)I"),
        args: vec![],
    };
    let cases = [
        (
            "nowhere",
            "()V",
            entry("()V", &[]),
            "the class has no such method",
        ),
        (
            "nothing",
            "()I",
            entry("()V", &[]),
            "the class has no such method",
        ),
        (
            "<init>",
            "(Ljava/lang/String;I)V",
            entry("()V", &[]),
            "nothing can be inserted at the entry of a constructor",
        ),
        (
            "<init>",
            "(Ljava/lang/String;I)V",
            instead,
            "nothing can be inserted at the entry of a constructor",
        ),
        ("nothing", "()V", wrap("()V", &[]), "it returns no value to wrap"),
        (
            "nothing",
            "()V",
            entry("(Ljava/lang/Object;)V", &[Arg::This]),
            "it is static and has no `this`",
        ),
        (
            "toString",
            "()Ljava/lang/String;",
            entry("(Ljava/lang/Object;)V", &[Arg::Outer]),
            "the class has no field `this$N`",
        ),
        (
            "loopAtStart",
            "(I)I",
            entry("(I)V", &[Arg::Param(1)]),
            "it has no parameter 1",
        ),
        (
            "tailCall",
            "(Ljava/lang/String;Ljava/lang/String;)I",
            wrap("(J)I", &[]),
            "helper `Helpers.help(J)I` does not fit: it takes [Long] and is given [Int]",
        ),
        (
            "loopAtStart",
            "(I)I",
            wrap("(I)V", &[]),
            "helper `Helpers.help(I)V` does not fit: it returns Void where Int is needed",
        ),
        (
            "loopAtStart",
            "(I)I",
            wrap("I", &[]),
            "helper `Helpers.helpI` does not fit: its descriptor is none",
        ),
        (
            "loopAtStart",
            "(I)I",
            calls,
            "it has no call of `compare`, `add` that returns an int",
        ),
        (
            "loopAtStart",
            "(I)I",
            entry("(Ljava/lang/String;)V", &[Arg::Str("x".repeat(70_000))]),
            "a name or string is longer than 65535 bytes",
        ),
    ];
    for (method, descriptor, change, expected) in cases {
        let expected = format!("method `Subjects.{method}{descriptor}` cannot be edited: {expected}");
        assert_eq!(why(&class, method, descriptor, change), expected);
    }
}

#[test]
fn methods_without_a_body_are_refused() {
    let bytes = subjects("Subjects$Marked");
    let class = ClassFile::parse(&bytes).unwrap();
    assert!(class.methods().all(|method| !method.has_code()));
    let why = why(&class, "text", "()Ljava/lang/String;", entry("()V", &[]));
    assert_eq!(
        why,
        "method `Subjects$Marked.text()Ljava/lang/String;` cannot be edited: it is abstract or native"
    );
}

#[test]
fn object_is_refused() {
    let jdk = jdks().pop().unwrap();
    let dir = jdk.unpack("java.base", "java/lang/Object");
    let path = super::class_files(dir.path())
        .into_iter()
        .find(|path| path.ends_with("Object.class"))
        .unwrap();
    let bytes = fs::read(path).unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    assert_eq!(class.super_name(), None);
    assert!(matches!(class.edit(&[]), Err(ClassError::Refused { class, .. }) if class == "java/lang/Object"));
}

#[test]
fn code_that_gets_too_long_or_jumps_too_far_is_refused() {
    let bytes = subjects("Subjects");
    let class = ClassFile::parse(&bytes).unwrap();
    let many = |change: Change, n| {
        let edit = MethodEdit {
            method: "voidLoop".to_owned(),
            descriptor: "([I)V".to_owned(),
            change,
        };
        match class.edit(&vec![edit; n]) {
            Err(ClassError::Method { why, .. }) => why,
            other => panic!("{:?}", other.map(|bytes| bytes.len())),
        }
    };
    let before = || Change::BeforeReturns {
        helper: helper("()V"),
        args: Vec::new(),
    };
    // Three bytes before each of two returns, which the loop jumps over.
    assert!(matches!(many(before(), 10_917), NotEdited::BranchTooFar { .. }));
    assert!(matches!(many(before(), 12_000), NotEdited::CodeTooLong(length) if length > 72_000));
    assert!(matches!(
        many(entry("()V", &[]), 21_900),
        NotEdited::CodeTooLong(_)
    ));
}

#[test]
fn a_full_constant_pool_is_refused() {
    let bytes = subjects("Subjects");
    let class = ClassFile::parse(&bytes).unwrap();
    let text = |n: u32| entry("(Ljava/lang/String;)V", &[Arg::Str(format!("text {n}"))]);
    let edit = |n| MethodEdit {
        method: "nothing".to_owned(),
        descriptor: "()V".to_owned(),
        change: text(n),
    };
    // Half of the methods' length, and two constants each.
    let some: Vec<MethodEdit> = (0..10_000).map(edit).collect();
    let edited = class.edit(&some).unwrap();
    let class = ClassFile::parse(&edited).unwrap();
    let wide = |n| MethodEdit {
        method: "<init>".to_owned(),
        descriptor: "(Ljava/lang/String;I)V".to_owned(),
        change: {
            Change::BeforeReturns {
                helper: helper("(Ljava/lang/String;)V"),
                args: vec![Arg::Str(format!("more {n}"))],
            }
        },
    };
    let more: Vec<MethodEdit> = (0..30_000).map(wide).collect();
    assert!(matches!(
        class.edit(&more),
        Err(ClassError::Method {
            why: NotEdited::PoolFull,
            ..
        })
    ));
}

#[test]
fn names_members_and_references_are_read() {
    let bytes = subjects("Subjects$Inner");
    let class = ClassFile::parse(&bytes).unwrap();
    assert_eq!(
        (class.name(), class.super_name()),
        ("Subjects$Inner".into(), Some("java/lang/Object".into()))
    );
    assert!(class.major() >= 52);
    assert_eq!(class.access() & 1, 1);
    let methods: Vec<String> = class
        .methods()
        .map(|m| format!("{}{}", m.name(), m.descriptor()))
        .collect();
    assert_eq!(methods, ["<init>(LSubjects;I)V", "inner(I)Ljava/lang/String;"]);
    let references = class.class_references();
    assert!(references.is_sorted());
    for name in [
        "Subjects",
        "Subjects$Inner",
        "Subjects$Inner$Innermost",
        "java/lang/Object",
    ] {
        assert!(
            references.iter().any(|reference| reference == name),
            "{name} in {references:?}"
        );
    }
    let bytes = subjects("Subjects$Use");
    let class = ClassFile::parse(&bytes).unwrap();
    assert_eq!(
        class.interfaces().collect::<Vec<_>>(),
        ["java/lang/annotation/Annotation"]
    );
    let [retention, target] = &class.annotations()[..] else {
        panic!()
    };
    assert_eq!(
        (retention.type_name(), target.simple_name()),
        ("java/lang/annotation/Retention", "Target")
    );
    assert!(retention.elements.is_empty(), "enum constants are left out");
}

#[test]
fn references_to_arrays_name_their_elements() {
    let jdk = jdks().pop().unwrap();
    let dir = jdk.unpack("java.base", "java/util/Arrays");
    let path = super::class_files(dir.path())
        .into_iter()
        .find(|path| path.ends_with("Arrays.class"))
        .unwrap();
    let bytes = fs::read(path).unwrap();
    let references = ClassFile::parse(&bytes).unwrap().class_references();
    assert!(
        references.iter().all(|name| !name.contains(['[', ';'])),
        "{references:?}"
    );
    assert!(references.iter().any(|name| name == "java/lang/Object"));
}

#[test]
fn annotations_are_read_with_their_simple_values() {
    let bytes = subjects("Subjects");
    let class = ClassFile::parse(&bytes).unwrap();
    let [marked] = &class.annotations()[..] else {
        panic!("{:?}", class.annotations())
    };
    assert_eq!(marked.descriptor, "LSubjects$Marked;");
    assert_eq!(
        (marked.type_name(), marked.simple_name()),
        ("Subjects$Marked", "Marked")
    );
    let expected = [
        ("big", Value::Int(1 << 40)),
        ("half", Value::Float(0.5)),
        ("list", Value::Strs(vec!["a".to_owned(), "b".to_owned()])),
        ("number", Value::Int(7)),
        ("text", Value::Str("class".to_owned())),
        ("yes", Value::Bool(true)),
    ];
    let elements: Vec<(&str, Value)> = marked
        .elements
        .iter()
        .map(|(name, v)| (name.as_str(), v.clone()))
        .collect();
    assert_eq!(elements, expected, "the class constant is left out");
    let method = class
        .methods()
        .find(|method| method.name() == "farFrames")
        .unwrap();
    let names: Vec<String> = method
        .annotations()
        .iter()
        .map(|a| a.simple_name().to_owned())
        .collect();
    assert_eq!(names, ["Deprecated", "Marked"]);
    assert!(!method.annotations()[1].elements.contains_key("uses"));
}
