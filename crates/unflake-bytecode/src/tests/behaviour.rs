//! Edited classes are loaded with `-Xverify:all` and called; the whole output is compared.

use std::fs;
use std::path::Path;

use super::{Jdk, QUICK, SUBJECTS, class_files, fixtures, jdks, run};
use crate::descriptor::{Descriptor, Kind};
use crate::edit::{Insertion, InsertionPlace};
use crate::{Arg, Change, ClassFile, Gate, Helper, MethodEdit, StaticField};

/// A set of edits, and what the battery says then.
struct Variant {
    name: &'static str,
    gate_is_open: bool,
    edits: fn(&ClassFile<'_>) -> Vec<MethodEdit>,
    expected: &'static str,
}

const VARIANTS: &[Variant] = &[
    variant(
        "plain",
        false,
        |_| Vec::new(),
        include_str!("../../tests/expected/plain.txt"),
    ),
    variant("wrap", false, wrap, include_str!("../../tests/expected/wrap.txt")),
    variant(
        "instead-closed",
        false,
        instead,
        include_str!("../../tests/expected/plain.txt"),
    ),
    variant(
        "instead-open",
        true,
        instead,
        include_str!("../../tests/expected/instead-open.txt"),
    ),
    variant(
        "entry",
        false,
        entry,
        include_str!("../../tests/expected/entry.txt"),
    ),
    variant(
        "before",
        false,
        before,
        include_str!("../../tests/expected/before.txt"),
    ),
    variant(
        "calls",
        false,
        calls,
        include_str!("../../tests/expected/calls.txt"),
    ),
    variant(
        "all-closed",
        false,
        all,
        include_str!("../../tests/expected/all-closed.txt"),
    ),
    variant(
        "all-open",
        true,
        all,
        include_str!("../../tests/expected/all-open.txt"),
    ),
];

const fn variant(
    name: &'static str,
    gate_is_open: bool,
    edits: fn(&ClassFile<'_>) -> Vec<MethodEdit>,
    expected: &'static str,
) -> Variant {
    Variant {
        name,
        gate_is_open,
        edits,
        expected,
    }
}

#[test]
fn every_change_verifies_and_does_what_it_says() {
    for jdk in jdks() {
        // All debug tables, so that there is something to move.
        let plain = jdk.compile(&["-g", "-Xlint:-options"], &SUBJECTS);
        let edited = tempfile::tempdir().unwrap();
        for variant in VARIANTS {
            write_edited(plain.path(), &edited.path().join(variant.name), |class| {
                class.edit(&(variant.edits)(class)).unwrap()
            });
        }
        write_edited(plain.path(), &edited.path().join("nops"), |class| {
            class.rewrite(nops).unwrap()
        });
        let mut command = jdk.tool("java");
        command
            .args(QUICK)
            .args(["-Xverify:all", "-cp"])
            .arg(plain.path())
            .arg("Check")
            .arg(plain.path());
        for variant in VARIANTS {
            let gate = if variant.gate_is_open { "open" } else { "closed" };
            command.arg(edited.path().join(variant.name)).arg(gate);
        }
        command.arg(edited.path().join("nops")).arg("closed");
        let output = String::from_utf8(run(&mut command).stdout).unwrap();
        let mut parts = output
            .split("== ")
            .skip(1)
            .map(|part| part.split_once('\n').unwrap());
        for variant in VARIANTS {
            let (name, said) = parts.next().unwrap();
            assert_eq!(name, variant.name);
            compare(&jdk, name, said, variant.expected);
        }
        compare(&jdk, "nops", parts.next().unwrap().1, VARIANTS[0].expected);
    }
}

/// Compares, or writes the expected output anew when `UNFLAKE_BLESS` is set.
fn compare(jdk: &Jdk, variant: &str, said: &str, expected: &str) {
    if std::env::var_os("UNFLAKE_BLESS").is_some() {
        if !matches!(variant, "instead-closed" | "nops") {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/expected")
                .join(format!("{variant}.txt"));
            fs::write(path, said).unwrap();
        }
        return;
    }
    for (said, expected) in said.lines().zip(expected.lines()) {
        assert_eq!(said, expected, "variant {variant} on Java {}", jdk.version);
    }
    assert_eq!(said, expected, "variant {variant} on Java {}", jdk.version);
}

#[test]
fn code_without_frames_and_with_subroutines_is_edited() {
    let Some(jdk) = jdks().into_iter().find(|jdk| jdk.version == 8) else {
        println!("not run: only the compiler of Java 8 makes such code");
        return;
    };
    let options = [
        "-g",
        "-source",
        "1.4",
        "-target",
        "1.4",
        "-XDjsrlimit=0",
        "-Xlint:-options",
    ];
    let plain = jdk.compile(&options, &["OldStyle.java"]);
    let bytes = fs::read(plain.path().join("OldStyle.class")).unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    assert!(class.major() < 50);
    let helper = |name: &str, descriptor: &str| Helper {
        class: "OldStyle".to_owned(),
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
    };
    let gate = Gate::Field(StaticField {
        class: "OldStyle".to_owned(),
        name: "gate".to_owned(),
    });
    let changes = [
        Change::InsteadWhen {
            gate,
            helper: helper("instead", "(I)I"),
            args: vec![Arg::Param(0)],
        },
        Change::AtEntry {
            helper: helper("enter", "()V"),
            args: Vec::new(),
        },
        Change::WrapReturns {
            helper: helper("wrap", "(I)I"),
            args: Vec::new(),
        },
    ];
    let edit = |change| MethodEdit {
        method: "subject".to_owned(),
        descriptor: "(I)I".to_owned(),
        change,
    };
    fs::write(
        plain.path().join("OldStyle.class"),
        class.edit(&changes.map(edit)).unwrap(),
    )
    .unwrap();
    let output = run(jdk
        .tool("java")
        .args(QUICK)
        .args(["-Xverify:all", "-cp"])
        .arg(plain.path())
        .arg("OldStyle"));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "6 enter finally wrap \n-25 instead \n"
    );
}

#[test]
fn inserted_code_at_entry_has_the_first_line() {
    let jdk = jdks().pop().unwrap();
    let edited = tempfile::tempdir().unwrap();
    write_edited(fixtures(), edited.path(), |class| {
        class.edit(&entry(class)).unwrap()
    });
    let said = run(jdk
        .tool("javap")
        .args(["-l", "-c", "-cp"])
        .arg(edited.path())
        .arg("Subjects"));
    let said = String::from_utf8(said.stdout).unwrap();
    let (_, method) = said.split_once("int whileAtStart(int);").unwrap();
    let (_, lines) = method.split_once("LineNumberTable:\n").unwrap();
    let first = lines.lines().next().unwrap().trim();
    assert!(first.starts_with("line ") && first.ends_with(": 0"), "{first}");
}

#[test]
fn a_method_knows_its_first_and_its_last_line() {
    let bytes = fs::read(fixtures().join("Subjects.class")).unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let source = include_str!("../../tests/java/Subjects.java");
    let method = class.methods().find(|method| method.name() == "whileAtStart");
    let (first, last) = method.unwrap().lines().unwrap().unwrap();
    let line = |number: u16| source.lines().nth(usize::from(number) - 1).unwrap().trim();
    assert_eq!((line(first), line(last)), ("while (n > 0) {", "return n;"));
    let without = class.methods().find(|method| !method.has_code());
    assert!(without.is_none_or(|method| method.lines() == Ok(None)));
}

/// Writes every class of one directory into another, those of the subjects edited.
fn write_edited(from: &Path, to: &Path, edit: impl Fn(&ClassFile<'_>) -> Vec<u8>) {
    fs::create_dir_all(to).unwrap();
    for path in class_files(from) {
        let bytes = fs::read(&path).unwrap();
        let class = ClassFile::parse(&bytes).unwrap();
        if class.name().starts_with("Subjects") {
            fs::write(to.join(path.file_name().unwrap()), edit(&class)).unwrap();
        }
    }
}

/// Moves everything without doing anything: an odd number at each entry and another before each return.
pub(crate) fn nops(_: crate::Method<'_>, code: &crate::code::Code<'_>) -> Vec<Insertion> {
    let nops = |before, place, n| Insertion {
        before,
        place,
        code: vec![0; n],
        pushes: 0,
        joins: false,
    };
    let mut insertions: Vec<Insertion> = code
        .returns()
        .map(|pc| nops(pc, InsertionPlace::With, 3))
        .collect();
    insertions.push(nops(0, InsertionPlace::Passing, 41));
    insertions
}

fn helper(name: &str, descriptor: &str) -> Helper {
    Helper {
        class: "Helpers".to_owned(),
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
    }
}

/// The methods that are for editing: public, with a body, no constructor.
fn subjects(class: &ClassFile<'_>) -> Vec<(String, String)> {
    let public = class
        .methods()
        .filter(|m| m.access() & 1 != 0 && m.has_code() && m.name() != "<init>");
    public
        .map(|m| (m.name().into_owned(), m.descriptor().into_owned()))
        .collect()
}

/// Edits every subject by what it is called and returns.
fn each(class: &ClassFile<'_>, change: impl Fn(&str, Kind) -> Option<Change>) -> Vec<MethodEdit> {
    let edit = |(method, descriptor): (String, String)| {
        let kind = Descriptor::parse(&descriptor).unwrap().return_kind();
        change(&method, kind).map(|change| MethodEdit {
            method,
            descriptor,
            change,
        })
    };
    subjects(class).into_iter().filter_map(edit).collect()
}

fn letter(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Int => ("Int", "I"),
        Kind::Long => ("Long", "J"),
        Kind::Float => ("Float", "F"),
        Kind::Double => ("Double", "D"),
        Kind::Reference => ("Object", "Ljava/lang/Object;"),
        Kind::Void => ("Void", "V"),
    }
}

fn wrap(class: &ClassFile<'_>) -> Vec<MethodEdit> {
    each(class, |method, kind| {
        let args = vec![Arg::Str(method.to_owned())];
        let (name, letter) = letter(kind);
        match (method, kind) {
            (_, Kind::Void) => None,
            ("returnsIterator", _) => Some(Change::WrapReturns {
                helper: helper(
                    "wrapIterator",
                    "(Ljava/util/Iterator;Ljava/util/List;I)Ljava/util/Iterator;",
                ),
                args: vec![Arg::Param(0), Arg::Int(7)],
            }),
            ("inner" | "innermost", _) => Some(Change::WrapReturns {
                helper: helper(
                    "outer",
                    "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
                ),
                args: vec![Arg::Outer, Arg::This],
            }),
            _ => Some(Change::WrapReturns {
                helper: helper(
                    &format!("wrap{name}"),
                    &format!("({letter}Ljava/lang/String;){letter}"),
                ),
                args,
            }),
        }
    })
}

fn instead(class: &ClassFile<'_>) -> Vec<MethodEdit> {
    each(class, |method, kind| {
        let (name, letter) = letter(kind);
        // Some of each: what is asked makes no difference.
        let gate = if method.len() % 2 == 0 {
            Gate::Method(helper("isOpen", "()Z"))
        } else {
            Gate::Field(StaticField {
                class: "Helpers".to_owned(),
                name: "gate".to_owned(),
            })
        };
        Some(Change::InsteadWhen {
            gate,
            helper: helper(
                &format!("instead{name}"),
                &format!("(Ljava/lang/String;){letter}"),
            ),
            args: vec![Arg::Str(method.to_owned())],
        })
    })
}

fn entry(class: &ClassFile<'_>) -> Vec<MethodEdit> {
    each(class, |method, _| {
        Some(match method {
            "wide" => Change::AtEntry {
                helper: helper("params", "(Ljava/lang/Object;JDILjava/lang/String;FZII)V"),
                args: vec![
                    Arg::This,
                    Arg::Param(0),
                    Arg::Param(1),
                    Arg::Param(2),
                    Arg::Param(3),
                    Arg::Param(4),
                    Arg::Param(5),
                    Arg::Int(1_000_000),
                    Arg::Int(-30_000),
                ],
            },
            "locked" => Change::AtEntry {
                helper: helper("enterThis", "(Ljava/lang/Object;Ljava/lang/String;)V"),
                args: vec![Arg::This, Arg::Str("ö\0😀".to_owned())],
            },
            _ => Change::AtEntry {
                helper: helper("enter", "(Ljava/lang/String;)V"),
                args: vec![Arg::Str(method.to_owned())],
            },
        })
    })
}

fn before(class: &ClassFile<'_>) -> Vec<MethodEdit> {
    let mut edits = each(class, |method, _| {
        Some(Change::BeforeReturns {
            helper: helper("leave", "(Ljava/lang/String;)V"),
            args: vec![Arg::Str(method.to_owned())],
        })
    });
    if class.name() == "Subjects" {
        edits.push(MethodEdit {
            method: "<init>".to_owned(),
            descriptor: "(Ljava/lang/String;I)V".to_owned(),
            change: Change::BeforeReturns {
                helper: helper("leaveThis", "(Ljava/lang/Object;I)V"),
                args: vec![Arg::This, Arg::Param(1)],
            },
        });
    }
    edits
}

fn calls(class: &ClassFile<'_>) -> Vec<MethodEdit> {
    each(class, |method, _| {
        let model = match method {
            "compares" => 5,
            "tailCall" => 100,
            _ => return None,
        };
        Some(Change::AfterCalls {
            callees: vec!["compare".to_owned(), "compareTo".to_owned()],
            helper: helper("compared", "(II)I"),
            args: vec![Arg::Int(model)],
        })
    })
}

/// Everything at once, the gate in the middle of what happens at the entry.
pub(crate) fn all(class: &ClassFile<'_>) -> Vec<MethodEdit> {
    [entry, instead, entry, before, calls, wrap]
        .iter()
        .flat_map(|edits| edits(class))
        .collect()
}
