//! Classes and changes as texts.

use crate::Evidence;
use crate::class_uses::{ClassUses, DeclaredField, MethodUses};
use std::borrow::Cow;
use unflake_bytecode::{Call, FieldUse, How, Stored};
use unflake_protocol::{
    ChangeForm, FieldName, JvmState, Shown, Slot, StateChange, StateKind, Step, ThreadName, What,
};

/// Classes of package `a`, one line each: `class Name` (`library org.lib.Name` of a library), `extends` another, then
/// for each field `private|open static|own name descriptor`, then for each method `private|own|open name descriptor: use,
/// use`. A use is `field read`, `field read-back`, `field tested`, `field compared-with-time`, `field = stored`, `field
/// .method stored` (`!` behind: the result is used), `field below method stored`, `field below returned`, `field out`,
/// `call method`, `asks-loader`.
pub(super) fn project(text: &str) -> Evidence {
    let mut classes: Vec<ClassUses> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "library" => classes.push(ClassUses {
                name: words[1].to_owned(),
                is_library: true,
                parent: parent(&words),
                ..ClassUses::default()
            }),
            "class" | "test" => classes.push(ClassUses {
                name: if words[1].contains('.') {
                    words[1].to_owned()
                } else {
                    format!("a.{}", words[1])
                },
                has_tests: words[0] == "test",
                parent: parent(&words),
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
                        method.is_public = access == "open";
                        class.methods.push(method);
                    }
                }
            }
        }
    }
    let finished = |class: ClassUses| {
        if class.is_library {
            class.of_library()
        } else {
            class
        }
    };
    Evidence::new(classes.into_iter().map(finished))
}

/// The class behind `extends`.
fn parent(words: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| *word == "extends")?;
    Some(words[at + 1].to_owned())
}

fn method(class: &str, is_private: bool, words: &[&str], body: &str) -> MethodUses {
    let mut method = MethodUses {
        name: words[1].to_owned(),
        descriptor: words[2].trim_end_matches(':').to_owned(),
        is_private,
        ..MethodUses::default()
    };
    for part in body.split(", ") {
        if part == "asks-loader" {
            method.asks_loader = true;
            continue;
        }
        let words: Vec<&str> = part.split_whitespace().collect();
        let how = match words[1] {
            "read" => How::Read,
            "read-back" => How::ReadBack,
            "tested" => How::Tested,
            "compared-with-time" => How::ComparedWithTime,
            "out" => How::Returned,
            "=" => How::Written(stored(words[2])),
            "below" if words[2] == "returned" => How::ReturnedBelow,
            "below" => How::CalledBelow {
                method: owned(words[2]),
                stored: stored(words[3]),
            },
            called if words[0] == "call" => {
                method.calls.push(Call {
                    class: slashed(class),
                    name: owned(called),
                    descriptor: owned("()V"),
                });
                continue;
            }
            called => How::Called {
                method: owned(called.trim_start_matches('.')),
                stored: stored(words[2]),
                dropped: words.len() < 4,
            },
        };
        // Fields of other classes by their full name.
        let (class, field) = words[0].rsplit_once('.').unwrap_or((class, words[0]));
        method.uses.push(FieldUse {
            class: slashed(class),
            name: owned(field),
            how,
        });
    }
    method
}

fn owned(text: &str) -> Cow<'static, str> {
    Cow::Owned(text.to_owned())
}

fn slashed(class: &str) -> Cow<'static, str> {
    Cow::Owned(class.replace('.', "/"))
}

fn stored(word: &str) -> Stored {
    match word {
        "null" => Stored::Null,
        "constant" => Stored::Constant,
        "increased" => Stored::Increased,
        "added" => Stored::Added,
        "given" => Stored::Parameter,
        "made-of-given" => Stored::FromParameters,
        "made-of-values" => Stored::FromValues,
        "new" => Stored::New,
        "time" => Stored::Time,
        "other" => Stored::Other,
        _ => panic!("{word}"),
    }
}

/// `[]` is an element, `a.C.x` a field. Values: `null`, `"text"`, `3`, `true`; `Class[…]` and `Class{…}` are
/// collections, `Class[][…]` is an array; anything else is a class.
pub(super) fn change(steps: &[&str], form: ChangeForm, old: Option<&str>, new: &str) -> StateChange {
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

pub(super) fn step(text: &str) -> Step {
    match text {
        "[]" => Step::Element,
        field => Step::Field(FieldName::parse(field).unwrap()),
    }
}

pub(super) fn shown(text: &str) -> Shown {
    let class = text.split(['[', '{', '(']).next().unwrap();
    let what = match text {
        "null" => What::Null,
        "true" | "false" => What::Boolean,
        "until-exit" => What::UntilExit,
        text if text.ends_with(".class") => What::Class,
        text if text.starts_with('"') => What::Text,
        text if text.contains(['[', '{']) && !text.contains('(') => What::Collection {
            class: match text.strip_prefix(class) {
                Some(rest) if rest.starts_with("[]") => format!("[L{class};"),
                _ => class.to_owned(),
            },
            len: 1,
        },
        text => match text.parse() {
            Ok(number) => What::Integer(number),
            Err(_) => Shown::object(class, "").what,
        },
    };
    Shown::new(what, text)
}

/// A change as rows of the table have it: `WAY | FORM | OLD | NEW`, and how many tests made it (`| 2 tests`), else
/// one; the key of the entry (`| key a.B.class`). `-` is no value. `hook CLASS`, `thread-local FIELD` and `file NAME`
/// are ways too.
pub(super) fn parse_change(text: &str) -> (StateChange, usize) {
    let mut parts = text.split(" | ");
    let mut next = || parts.next().unwrap();
    let (way, form) = (next(), next());
    let value = |text: &str| (text != "-").then(|| shown(text));
    let (old, new) = (value(next()), value(next()));
    let (mut tests, mut slot) = (1, None);
    for part in parts {
        match part.strip_prefix("key ") {
            Some(key) => slot = Some(Slot::Key(shown(key))),
            None => tests = part.trim_end_matches(" tests").parse().unwrap(),
        }
    }
    let form = match form {
        "first-set" => ChangeForm::FirstSet,
        "removed" => ChangeForm::Removed,
        "increased" => ChangeForm::Increased,
        "grown" => ChangeForm::Grown,
        "replaced" => ChangeForm::Replaced,
        form => panic!("{form}"),
    };
    let words: Vec<&str> = way.split_whitespace().collect();
    let (kind, steps) = match words[..] {
        ["hook", class] => {
            let thread = ThreadName {
                class: class.to_owned(),
                name: "Thread-1".to_owned(),
            };
            (
                StateKind::ShutdownHook,
                vec![Step::Jvm(JvmState::ShutdownHook(thread))],
            )
        }
        ["file", _] => (StateKind::File, Vec::new()),
        ["thread-local", field] => (StateKind::ThreadLocal, vec![step(field)]),
        ref words => (StateKind::Heap, words.iter().map(|word| step(word)).collect()),
    };
    let change = StateChange {
        kind,
        root: match kind {
            StateKind::File => words[1].to_owned(),
            _ => words[0].to_owned(),
        },
        path: way.to_owned(),
        old,
        new,
        form,
        steps,
        slot,
        more: 0,
        also: Vec::new(),
        around: Vec::new(),
    };
    (change, tests)
}
