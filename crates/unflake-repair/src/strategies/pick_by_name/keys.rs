//! Picks of the first value of a map.

use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::java::{JavaFile, TYPES, arguments, named_children};
use crate::literal::{quoted, text_of};
use crate::near::near;
use tree_sitter::Node;

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let Some(place) = &clues.choice.call else {
        return Vec::new();
    };
    let file = clues.sources.file(&place.file);
    let Some(file) = file.filter(|file| clues.sources.is_test(&file.path)) else {
        return Vec::new();
    };
    let found = near(&file, place.line, |node| candidate(clues, &file, node));
    found.into_iter().take(1).collect()
}

fn candidate(clues: &Clues<'_>, file: &JavaFile, node: Node<'_>) -> Option<Candidate> {
    let (map, pick) = first_value(file, node)?;
    let key = key(clues, file, map)?;
    let edits = Edits::new().replace(pick.byte_range(), format!("{}.get({key})", file.of(map)));
    let why =
        format!("pick the value of {key} by its key instead of the first one of a map without an order");
    Some(Candidate::plain(why, &file.path, edits))
}

/// The map and the whole expression for the first of its values.
fn first_value<'f>(file: &'f JavaFile, node: Node<'f>) -> Option<(Node<'f>, Node<'f>)> {
    let (view, map) = first_of_view(file, node)?;
    let outer = node.parent()?;
    match view {
        "values" => Some((map, node)),
        "entrySet" => {
            let is_value = outer.kind() == "method_invocation" && file.field(outer, "name") == "getValue";
            is_value.then_some((map, outer))
        }
        "keySet" => {
            let call = outer.parent()?;
            let is_get = file.field(call, "name") == "get" && file.field(call, "object") == file.of(map);
            (is_get && arguments(call).len() == 1).then_some((map, call))
        }
        _ => None,
    }
}

/// `values` and `m` of `m.values().iterator().next()`.
fn first_of_view<'f>(file: &'f JavaFile, next: Node<'f>) -> Option<(&'f str, Node<'f>)> {
    let called = |node: Node<'f>, name: &str| {
        let is_it = node.kind() == "method_invocation" && file.field(node, "name") == name;
        let object = node.child_by_field_name("object")?;
        (is_it && arguments(node).is_empty()).then_some(object)
    };
    let view = match called(next, "next") {
        Some(iterator) => called(iterator, "iterator")?,
        None => {
            let found = called(next, "get").or_else(|| called(next, "orElseThrow"))?;
            called(called(found, "findFirst")?, "stream")?
        }
    };
    let map = view.child_by_field_name("object")?;
    Some((file.field(view, "name"), map))
}

/// The key of the first entry in the natural order, as an expression.
fn key(clues: &Clues<'_>, file: &JavaFile, map: Node<'_>) -> Option<String> {
    let entry = clues.choice.natural.first()?;
    // A text of the test is a key that somebody wrote.
    let literals = file.nodes().filter(|node| node.kind() == "string_literal");
    let is_key = |node: &Node<'_>| {
        text_of(file, *node).is_some_and(|text| {
            !text.is_empty()
                && entry
                    .strip_prefix(text.as_str())
                    .is_some_and(|rest| rest.starts_with('='))
        })
    };
    let written = literals.filter(is_key).max_by_key(|node| file.of(*node).len());
    let declared = (map.kind() == "identifier")
        .then(|| file.declared_type(file.of(map), map))
        .flatten()
        .and_then(key_type);
    match declared {
        None | Some("String" | "Object") if written.is_some() => written.map(|node| file.of(node).to_owned()),
        None => None,
        Some(key_type) => {
            let (text, rest) = entry.split_once('=')?;
            if rest.contains('=') {
                return None;
            }
            let is_number = text.parse::<i64>().is_ok();
            match key_type {
                "String" => Some(quoted(text)),
                "Integer" if is_number => Some(text.to_owned()),
                "Long" if is_number => Some(format!("{text}L")),
                other if is_enum(clues, file, other, text) => Some(format!("{other}.{text}")),
                _ => None,
            }
        }
    }
}

/// `K` of `Map<K, V>`.
fn key_type(declared: &str) -> Option<&str> {
    let (_, arguments) = declared.split_once('<')?;
    arguments.split([',', '<', '>']).next().map(str::trim)
}

fn is_enum(clues: &Clues<'_>, file: &JavaFile, name: &str, constant: &str) -> bool {
    let has = |file: &JavaFile| {
        file.nodes().any(|node| {
            TYPES.contains(&node.kind())
                && node.kind() == "enum_declaration"
                && file.field(node, "name") == name
                && node.child_by_field_name("body").is_some_and(|body| {
                    named_children(body).iter().any(|child| {
                        child.kind() == "enum_constant" && file.field(*child, "name") == constant
                    })
                })
        })
    };
    let full = match file.imported(name) {
        Some(imported) => imported.to_owned(),
        None => format!("{}.{name}", file.package()),
    };
    has(file) || clues.sources.of_class(&full).is_some_and(|other| has(&other))
}
