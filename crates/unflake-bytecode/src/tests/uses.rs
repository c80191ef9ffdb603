//! What is said about the fields that real methods use, for every compiler at hand.

use std::collections::BTreeMap;
use std::fs;

use super::{Jdk, jdks};
use crate::{ClassFile, How, Stored};

/// What each method of `Uses.java` does with fields, in the order of its code.
const EXPECTED: &str = "\
lazy: instance read, tested, =New, read, returned
lazyOfParameter: instance read, tested, read, =FromValues, returned
lazyByVariable: banner read, tested, read, tested, =Other, returned
set: current =Parameter
reset: current =Null
count: calls read, =Increased, read back, =Other, read back, =Increased; limit =Constant; small read, =Increased; total read, =Increased, read back, =Added, read back, =FromValues
lazySize: memo read, .hashCode(Other); size read, tested, =Other, read, returned
remember: memo read, .get(Parameter), read, .put(FromValues) dropped, below returned
register: registry read, .put(Parameter) dropped
intern: registry read, .putIfAbsent(FromValues), below returned
listen: lists read, .computeIfAbsent(Other), below .add(Parameter)
fill: arrays read, .get(Parameter), read, .put(Other) dropped, below .[]=(FromParameters), below returned
copyAndAdd: copied read, read, .put(FromParameters) dropped
cloneAndSet: slots read, read, .[]=(Parameter) dropped
next: counters read, .get(Parameter), read, .put(Other) dropped, below .[]=(FromValues)
flag: flags read, .put(Parameter), below returned
showCopy: slots read, passed to copyOf
show: memo read, returned
scratch: next =Parameter, read; size =Constant, =Constant, read back, read
stamp: size =Other; total read, compared with time, =Time
keep: calls read; instance read, kept; memo read, passed to println; next =Other, =Null, =Parameter, =Parameter; registry read, kept
";

fn text(how: &How<'_>) -> String {
    let stored = |stored: &Stored| format!("{stored:?}");
    match how {
        How::Read => "read".to_owned(),
        How::ReadBack => "read back".to_owned(),
        How::Tested => "tested".to_owned(),
        How::ComparedWithTime => "compared with time".to_owned(),
        How::Written(value) => format!("={}", stored(value)),
        How::Called {
            method,
            stored: value,
            dropped,
        } => {
            let dropped = if *dropped { " dropped" } else { "" };
            format!(".{method}({}){dropped}", stored(value))
        }
        How::CalledBelow {
            method,
            stored: value,
        } => format!("below .{method}({})", stored(value)),
        How::Returned => "returned".to_owned(),
        How::ReturnedBelow => "below returned".to_owned(),
        How::Passed { to } => format!("passed to {to}"),
        How::Kept => "kept".to_owned(),
    }
}

/// A class file of `Uses.java`.
fn compiled(jdk: &Jdk, name: &str) -> Vec<u8> {
    let classes = jdk.compile(&["-g"], &["Uses.java"]);
    fs::read(classes.path().join(name)).unwrap()
}

/// `method: field use, use; field use`, fields of this class by name.
fn told(class: &ClassFile<'_>) -> String {
    let mut told = String::new();
    let is_plain = |name: &str| !name.starts_with('<') && !name.contains('$');
    for method in class.methods().filter(|method| is_plain(&method.name())) {
        let uses = method.uses().unwrap();
        let mut by_field: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for used in uses.fields.iter().filter(|used| used.class == class.name()) {
            by_field.entry(&used.name).or_default().push(text(&used.how));
        }
        let fields = by_field.iter();
        let fields: Vec<String> = fields
            .map(|(field, uses)| format!("{field} {}", uses.join(", ")))
            .collect();
        told.push_str(&format!("{}: {}\n", method.name(), fields.join("; ")));
    }
    told
}

#[test]
fn uses_of_fields_are_told_apart() {
    for jdk in jdks() {
        let bytes = compiled(&jdk, "Uses.class");
        let class = ClassFile::parse(&bytes).unwrap();
        assert_eq!(told(&class), EXPECTED, "Java {}", jdk.version);
    }
}

/// Before Java 11 an inner class reads a private field by a method that the compiler adds.
#[test]
fn inner_classes_read_private_fields() {
    for jdk in jdks() {
        let bytes = compiled(&jdk, "Uses$Inner.class");
        let class = ClassFile::parse(&bytes).unwrap();
        let look = class.methods().find(|method| method.name() == "look").unwrap();
        let uses = look.uses().unwrap().fields;
        let told: Vec<String> = uses
            .iter()
            .map(|used| format!("{}.{} {}", used.class, used.name, text(&used.how)))
            .collect();
        let field = if jdk.version < 11 { "access$000" } else { "hidden" };
        let expected = ["read", ".get(Parameter)", "below returned"];
        assert_eq!(
            told,
            expected.map(|how| format!("Uses.{field} {how}")),
            "Java {}",
            jdk.version
        );
    }
}

#[test]
fn calls_name_what_is_called() {
    let bytes = compiled(&jdks().pop().unwrap(), "Uses.class");
    let class = ClassFile::parse(&bytes).unwrap();
    let lazy = class.methods().find(|method| method.name() == "lazy").unwrap();
    let calls = lazy.uses().unwrap().calls;
    let calls: Vec<String> = calls
        .iter()
        .map(|call| format!("{}.{}{}", call.class, call.name, call.descriptor))
        .collect();
    assert_eq!(calls, ["Uses.<init>()V"]);
    let banner = class.fields().find(|field| field.name() == "banner").unwrap();
    assert_eq!(
        (&*banner.descriptor(), banner.access()),
        ("Ljava/lang/String;", 0x48)
    );
    assert!(!banner.is_annotated());
    assert!(class.strings().any(|text| text == "nothing"));
}
