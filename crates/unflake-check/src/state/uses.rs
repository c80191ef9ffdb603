//! Reads what the project's classes do with their fields (P9): every class file in the directories of the class paths, once.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use unflake_bytecode::{Call, ClassError, ClassFile, Field, How, Method, Uses};
use unflake_explore::{ClassUses, DeclaredField, FieldUse, FieldUses, MethodUses, Stored, Use};

/// Projects with more classes get no marks: half of the evidence would be none.
const MOST_CLASSES: usize = 50_000;

const PUBLIC: u16 = 0x0001;
const PRIVATE: u16 = 0x0002;
const STATIC: u16 = 0x0008;
const SYNTHETIC: u16 = 0x1000;

/// What was read, and what has to be said about it.
pub(super) struct Evidence {
    pub(super) uses: FieldUses,
    pub(super) notes: Vec<String>,
}

/// Reads the class files below directories; jars are libraries, and left out.
pub(super) fn read<'a>(class_path: impl Iterator<Item = &'a String>) -> Evidence {
    let files = class_files(class_path);
    let mut notes = Vec::new();
    if files.len() > MOST_CLASSES {
        notes.push(format!(
            "the project has more than {MOST_CLASSES} classes: no change of shared state is marked as harmless"
        ));
        return Evidence {
            uses: FieldUses::default(),
            notes,
        };
    }
    let mut classes = Vec::with_capacity(files.len());
    for file in &files {
        let read = std::fs::read(file).map_err(|e| e.to_string());
        match read.and_then(|bytes| class(&bytes).map_err(|e| e.to_string())) {
            Ok(class) => classes.push(class),
            Err(why) => notes.push(format!(
                "`{}` cannot be read, so marks of harmless changes do not know it: {why}",
                file.display()
            )),
        }
    }
    Evidence {
        uses: FieldUses::new(classes),
        notes,
    }
}

/// In the order of the class path, which decides between classes of the same name.
fn class_files<'a>(class_path: impl Iterator<Item = &'a String>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut seen = BTreeSet::new();
    for directory in class_path.filter(|entry| seen.insert(*entry)) {
        let mut todo = vec![Path::new(directory).to_owned()];
        while let Some(folder) = todo.pop() {
            let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            let mut entries: Vec<std::fs::DirEntry> = entries.collect();
            entries.sort_by_key(std::fs::DirEntry::file_name);
            for entry in entries {
                let is_class = entry.path().extension().is_some_and(|end| end == "class");
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    todo.push(entry.path());
                } else if is_class && entry.file_name() != "module-info.class" {
                    files.push(entry.path());
                }
            }
            if files.len() > MOST_CLASSES {
                return files;
            }
        }
    }
    files
}

fn class(bytes: &[u8]) -> Result<ClassUses, ClassError> {
    let class = ClassFile::parse(bytes)?;
    let parent = class.super_name().map(|name| dotted(&name));
    let is_test = |method: Method<'_>| {
        let mut annotations = method.annotations().into_iter();
        annotations.any(|annotation| annotation.simple_name().ends_with("Test"))
    };
    // Reflection and annotations name fields as they are.
    let is_name = |text: &Cow<'_, str>| {
        text.len() < 80
            && !text.is_empty()
            && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    let mut makes_empty_thread_local = false;
    let mut methods = Vec::new();
    for one in class.methods() {
        let found = one.uses()?;
        makes_empty_thread_local |= found.calls.iter().any(makes_thread_local);
        methods.push(method(&class, one, found));
    }
    Ok(ClassUses {
        name: dotted(&class.name()),
        has_tests: parent.as_deref() == Some("junit.framework.TestCase") || class.methods().any(is_test),
        parent,
        fields: class.fields().map(field).collect(),
        makes_empty_thread_local,
        methods,
        texts: class.strings().filter(is_name).map(Cow::into_owned).collect(),
    })
}

fn field(field: Field<'_>) -> DeclaredField {
    DeclaredField {
        name: field.name().into_owned(),
        descriptor: field.descriptor().into_owned(),
        is_private: field.access() & PRIVATE != 0,
        is_public: field.access() & PUBLIC != 0,
        is_static: field.access() & STATIC != 0,
        is_annotated: field.is_annotated(),
    }
}

/// Annotations of methods that run before each test, of JUnit 4, JUnit 5 and TestNG.
const SET_UPS: [&str; 3] = ["Before", "BeforeEach", "BeforeMethod"];

/// Without an initial value; classes that have one are made themselves.
fn makes_thread_local(call: &Call<'_>) -> bool {
    const THREAD_LOCALS: [&str; 2] = ["java/lang/ThreadLocal", "java/lang/InheritableThreadLocal"];
    call.name == "<init>" && THREAD_LOCALS.contains(&&*call.class)
}

fn method(class: &ClassFile<'_>, method: Method<'_>, found: Uses<'_>) -> MethodUses {
    let uses = found.fields.into_iter().filter(|used| is_projects(&used.class));
    // Private methods, and those that make what a class keeps, are called from near by.
    let name = class.name();
    let annotations = method.annotations();
    let calls = found
        .calls
        .into_iter()
        .filter(|call| outermost(&call.class) == outermost(&name));
    MethodUses {
        name: method.name().into_owned(),
        descriptor: method.descriptor().into_owned(),
        is_private: method.access() & (PRIVATE | SYNTHETIC) != 0,
        // JUnit 3 goes by the name.
        is_set_up: method.name() == "setUp"
            || annotations
                .iter()
                .any(|annotation| SET_UPS.contains(&annotation.simple_name())),
        uses: uses
            .map(|used| FieldUse {
                class: dotted(&used.class),
                field: used.name.into_owned(),
                how: how(used.how),
            })
            .collect(),
        calls: calls
            .map(|call| {
                [
                    dotted(&call.class),
                    call.name.into_owned(),
                    call.descriptor.into_owned(),
                ]
            })
            .collect(),
    }
}

fn outermost(class: &str) -> &str {
    class.split('$').next().unwrap_or(class)
}

/// The JDK's classes are never the project's.
fn is_projects(class: &str) -> bool {
    !class.starts_with("java/") && !class.starts_with('[')
}

fn how(how: How<'_>) -> Use {
    match how {
        How::Read => Use::Read,
        How::ReadBack => Use::ReadBack,
        How::Tested => Use::Tested,
        How::Written(value) => Use::Written(stored(value)),
        How::Called {
            method,
            stored: value,
            dropped,
        } => Use::Called {
            method: method.into_owned(),
            stored: stored(value),
            dropped,
        },
        How::CalledBelow {
            method,
            stored: value,
        } => Use::CalledBelow {
            method: method.into_owned(),
            stored: stored(value),
        },
        How::ReturnedBelow => Use::ReturnedBelow,
        How::Returned | How::Passed { .. } | How::Kept => Use::HandedOn,
    }
}

fn stored(value: unflake_bytecode::Stored) -> Stored {
    match value {
        unflake_bytecode::Stored::Null => Stored::Null,
        unflake_bytecode::Stored::Constant => Stored::Constant,
        unflake_bytecode::Stored::Increased => Stored::Increased,
        unflake_bytecode::Stored::Added => Stored::Added,
        unflake_bytecode::Stored::Parameter => Stored::Given,
        unflake_bytecode::Stored::FromParameters => Stored::MadeOfGiven,
        unflake_bytecode::Stored::FromValues => Stored::MadeOfValues,
        unflake_bytecode::Stored::New => Stored::New,
        unflake_bytecode::Stored::Other => Stored::Other,
    }
}

fn dotted(name: &str) -> String {
    name.replace('/', ".")
}
