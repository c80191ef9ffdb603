//! Class literals for the types of parameters and annotations, which are known from texts at run time.

use crate::clues::Clues;
use crate::imports::Import;
use crate::java::{JavaFile, TYPES};
use std::rc::Rc;
use tree_sitter::Node;

const PRIMITIVES: [&str; 8] = [
    "boolean", "byte", "char", "short", "int", "long", "float", "double",
];

/// Of `java.lang`, as far as parameters have them.
const OF_LANG: [&str; 19] = [
    "Object",
    "String",
    "CharSequence",
    "StringBuilder",
    "Class",
    "Boolean",
    "Byte",
    "Character",
    "Short",
    "Integer",
    "Long",
    "Float",
    "Double",
    "Number",
    "Enum",
    "Iterable",
    "Runnable",
    "Throwable",
    "Exception",
];

/// Of `java.util`, where it is imported with a star.
const OF_UTIL: [&str; 10] = [
    "List",
    "Set",
    "Map",
    "Collection",
    "Iterator",
    "Optional",
    "Date",
    "UUID",
    "Locale",
    "Properties",
];

/// `String[].class` for `String[]`, and what must be imported for it. `owner`: the expression for the class
/// whose member has the type. `None`: which class is meant is not known.
pub(super) fn class_literal(
    clues: &Clues<'_>,
    file: &JavaFile,
    owner: Node<'_>,
    text: &str,
) -> Option<(String, Option<Import>)> {
    let text = text.replace("...", "[]");
    let plain = text.split('<').next()?.trim_end_matches("[]");
    let arrays = "[]".repeat(text.matches("[]").count());
    let (name, import) = if PRIMITIVES.contains(&plain) {
        (plain.to_owned(), None)
    } else if plain.contains(['.', '$']) {
        full(file, plain)
    } else {
        simple(clues, file, owner, plain)?
    };
    Some((format!("{name}{arrays}.class"), import))
}

/// A binary or canonical name with its package. What the file declares itself needs no import, but the name
/// of the class around it if that is not the outermost one.
fn full(file: &JavaFile, name: &str) -> (String, Option<Import>) {
    let name = name.replace('$', ".");
    let inner = name
        .strip_prefix(&format!("{}.", file.package()))
        .unwrap_or(&name);
    let parts: Vec<&str> = inner.split('.').collect();
    match parts[..] {
        [outer, .., around, simple] if declares(file, outer) && parts.len() > 2 => {
            (format!("{around}.{simple}"), None)
        }
        [outer, simple] if declares(file, outer) => (simple.to_owned(), None),
        _ => file.using(&name),
    }
}

/// A simple name, as the class with the member may know it.
fn simple(
    clues: &Clues<'_>,
    file: &JavaFile,
    owner: Node<'_>,
    name: &str,
) -> Option<(String, Option<Import>)> {
    if file.imported(name).is_some() || declares(file, name) {
        return Some((name.to_owned(), None));
    }
    let declaring = source(clues, file, owner);
    if let Some(other) = &declaring {
        if let Some(imported) = other.imported(name) {
            return Some(file.using(imported));
        }
        if declares(other, name) {
            let outer = other.path.rsplit('/').next()?.strip_suffix(".java")?;
            let is_top = outer == name;
            let full = if is_top {
                format!("{}.{name}", other.package())
            } else {
                format!("{}.{outer}.{name}", other.package())
            };
            return Some(file.using(full.trim_start_matches('.')));
        }
    }
    if OF_LANG.contains(&name) {
        return Some((name.to_owned(), None));
    }
    if OF_UTIL.contains(&name) {
        return Some(file.using(&format!("java.util.{name}")));
    }
    let packages = [
        Some(file.package()),
        declaring.as_ref().map(|other| other.package()),
    ];
    let beside = packages
        .into_iter()
        .flatten()
        .map(|package| format!("{package}.{name}"));
    let found = beside
        .into_iter()
        .find(|class| clues.sources.of_class(class).is_some())?;
    Some(file.using(&found))
}

/// The source of the class that `T.class` names.
fn source(clues: &Clues<'_>, file: &JavaFile, owner: Node<'_>) -> Option<Rc<JavaFile>> {
    let class = file.of(owner).strip_suffix(".class")?;
    let outer = class.split('.').next()?;
    let full = match file.imported(outer) {
        Some(imported) => imported.to_owned(),
        None => format!("{}.{outer}", file.package())
            .trim_start_matches('.')
            .to_owned(),
    };
    clues.sources.of_class(&full)
}

fn declares(file: &JavaFile, name: &str) -> bool {
    file.nodes()
        .any(|node| TYPES.contains(&node.kind()) && file.field(node, "name") == name)
}
