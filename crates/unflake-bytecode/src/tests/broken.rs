//! Class files that are none: nothing panics, and what is accepted can be written.

use std::fs;
use std::sync::OnceLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::behaviour::nops;
use super::{class_files, fixtures};
use crate::{Arg, Change, ClassFile, Gate, Helper, MethodEdit, StaticField};

/// Real class files with all debug tables.
fn classes() -> &'static [Vec<u8>] {
    static CLASSES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    CLASSES.get_or_init(|| {
        class_files(fixtures())
            .iter()
            .map(|path| fs::read(path).unwrap())
            .collect()
    })
}

/// Reads everything there is to read and tries every kind of change on every method.
fn exercise(bytes: &[u8]) {
    let Ok(class) = ClassFile::parse(bytes) else {
        return;
    };
    let _ = (
        class.name(),
        class.super_name(),
        class.interfaces().count(),
        class.annotations(),
    );
    let _ = (class.class_references(), class.strings().count());
    let _ = class.rewrite(nops);
    let calls = ["compare", "compareTo", "parseInt", "hashCode"]
        .map(str::to_owned)
        .to_vec();
    for method in class.methods() {
        let _ = (method.annotations(), method.uses());
        let returns = method
            .descriptor()
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .to_owned();
        let helper = |descriptor: String| Helper {
            class: "H".to_owned(),
            name: "h".to_owned(),
            descriptor,
        };
        let gate = Gate::Field(StaticField {
            class: "H".to_owned(),
            name: "g".to_owned(),
        });
        let text = vec![Arg::Str("s".to_owned())];
        let changes = [
            Change::WrapReturns {
                helper: helper(format!("({returns}I){returns}")),
                args: vec![Arg::Int(70_000)],
            },
            Change::InsteadWhen {
                gate,
                helper: helper(format!("(I){returns}")),
                args: vec![Arg::Int(7)],
            },
            Change::AtEntry {
                helper: helper("(Ljava/lang/String;)V".to_owned()),
                args: text,
            },
            Change::BeforeReturns {
                helper: helper("(Ljava/lang/Object;)V".to_owned()),
                args: vec![Arg::Outer],
            },
            Change::BeforeReturns {
                helper: helper("(I)V".to_owned()),
                args: vec![Arg::Param(0)],
            },
            Change::AfterCalls {
                callees: calls.clone(),
                helper: helper("(I)I".to_owned()),
                args: Vec::new(),
            },
        ];
        let (method, descriptor) = (method.name().into_owned(), method.descriptor().into_owned());
        let edits = changes.map(|change| MethodEdit {
            method: method.clone(),
            descriptor: descriptor.clone(),
            change,
        });
        // Each alone, then together those that are possible.
        let possible: Vec<MethodEdit> = edits
            .into_iter()
            .filter(|edit| class.edit(std::slice::from_ref(edit)).is_ok())
            .collect();
        if let Ok(edited) = class.edit(&possible) {
            // Whatever was accepted is written so that it can be read again, and the same each time.
            ClassFile::parse(&edited).unwrap();
            assert_eq!(class.edit(&possible).unwrap(), edited);
        }
    }
}

#[test]
fn whole_classes_are_fine() {
    classes().iter().for_each(|bytes| exercise(bytes));
}

#[test]
fn classes_cut_off_anywhere_are_refused() {
    for bytes in classes() {
        for end in 0..bytes.len() {
            assert!(ClassFile::parse(&bytes[..end]).is_err(), "cut at {end}");
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert!(ClassFile::parse(&longer).is_err());
    }
}

/// `PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() {
        ProptestConfig::default().cases
    } else {
        100
    };
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn flipped_bytes_never_panic(which: Index, flips in vec((any::<Index>(), any::<u8>()), 1..4)) {
        let mut bytes = which.get(classes()).clone();
        for (at, value) in flips {
            *at.get_mut(&mut bytes) = value;
        }
        exercise(&bytes);
    }

    /// Inside the bodies, where the decoder has most to get wrong.
    #[test]
    fn flipped_bytes_behind_the_pool_never_panic(which: Index, flips in vec((any::<Index>(), any::<u8>()), 1..4)) {
        let mut bytes = which.get(classes()).clone();
        let behind = ClassFile::parse(&bytes).unwrap().pool.end;
        for (at, value) in flips {
            *at.get_mut(&mut bytes[behind..]) = value;
        }
        exercise(&bytes);
    }

    #[test]
    fn lost_or_doubled_bytes_never_panic(which: Index, at: Index, n in 1..8_usize, doubled: bool) {
        let mut bytes = which.get(classes()).clone();
        let at = at.index(bytes.len());
        let end = (at + n).min(bytes.len());
        if doubled {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        } else {
            bytes.drain(at..end);
        }
        exercise(&bytes);
    }

    #[test]
    fn noise_never_panics(bytes in vec(any::<u8>(), 0..200)) {
        let with_magic = [&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52], bytes.as_slice()].concat();
        exercise(&bytes);
        exercise(&with_magic);
    }
}
