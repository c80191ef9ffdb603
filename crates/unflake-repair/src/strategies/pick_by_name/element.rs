//! Picks of an element of a collection, whose properties are then asserted: the element with the asserted
//! property is meant, wherever it is.

use crate::assertion::Comparison;
use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::java::{JavaFile, arguments, descendants};
use crate::near::{fresh_name, outermost_callable};
use tree_sitter::Node;

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    // Lambdas came with Java 8.
    let Some(place) = clues.assertion().filter(|_| clues.libraries.java >= 8) else {
        return Vec::new();
    };
    let Some(file) = clues.sources.file(&place.file) else {
        return Vec::new();
    };
    let failed = Comparison::on_line(&file, place.line);
    let found = failed.into_iter().find_map(|failed| candidate(&file, failed));
    found.into_iter().collect()
}

fn candidate(file: &JavaFile, failed: Comparison<'_>) -> Option<Candidate> {
    let property = Property::of(file, failed)?;
    let first = property.pick(file)?;
    let scope = outermost_callable(failed.call)?;
    let compared: Vec<Comparison<'_>> = descendants(scope)
        .filter(|node| node.kind() == "method_invocation")
        .filter_map(|call| Comparison::of(file, call))
        .collect();
    let mut picks: Vec<(ElementPick<'_>, Property<'_>)> = Vec::new();
    for comparison in &compared {
        let Some(like) = Property::of(file, *comparison).filter(|like| like.getter == property.getter) else {
            continue;
        };
        let Some(pick) = like.pick(file) else {
            continue;
        };
        if file.of(pick.collection) != file.of(first.collection) {
            continue;
        }
        // Two elements that are told apart by their places only would become one.
        if picks
            .iter()
            .any(|(_, other)| other.expected == like.expected || other.variable == like.variable)
        {
            return None;
        }
        // If nothing else is asserted of it, the repaired test would compare what it asked for.
        if !is_compared_otherwise(file, &compared, &like) {
            return None;
        }
        picks.push((pick, like));
    }
    let each = fresh_name(file, failed.call, &["each", "element", "candidate"])?;
    let edits = picks.iter().fold(Edits::new(), |edits, (pick, property)| {
        let collection = file.of(pick.collection);
        let condition = property.holds_for(each);
        let found = format!("{collection}.stream().filter({each} -> {condition}).findFirst().get()");
        edits.replace(pick.node.byte_range(), found)
    });
    let why = format!(
        "pick elements by their `{}` instead of by their places in an order that is not specified",
        property.getter
    );
    (!edits.is_empty()).then(|| Candidate::plain(why, &file.path, edits))
}

fn is_compared_otherwise(file: &JavaFile, all: &[Comparison<'_>], property: &Property<'_>) -> bool {
    let uses = |comparison: &&Comparison<'_>| {
        comparison.call != property.comparison
            && descendants(comparison.actual)
                .any(|node| node.kind() == "identifier" && file.of(node) == property.variable)
    };
    all.iter().any(|comparison| uses(&comparison))
}

/// What an assertion says of a variable: `assertEquals("a", x.getName())`.
struct Property<'f> {
    comparison: Node<'f>,
    object: Node<'f>,
    variable: &'f str,
    getter: &'f str,
    expected: &'f str,
    is_text: bool,
}

impl<'f> Property<'f> {
    fn of(file: &'f JavaFile, comparison: Comparison<'f>) -> Option<Property<'f>> {
        let (actual, expected) = (comparison.actual, comparison.expected);
        let object = actual
            .child_by_field_name("object")
            .filter(|object| object.kind() == "identifier")?;
        let is_getter = actual.kind() == "method_invocation" && arguments(actual).is_empty();
        let kind = expected.kind();
        let is_text = kind == "string_literal";
        let is_constant = kind == "field_access" && file.of(expected).starts_with(char::is_uppercase);
        let is_value = is_text || is_constant || kind == "decimal_integer_literal";
        (is_getter && is_value).then_some(Property {
            comparison: comparison.call,
            object,
            variable: file.of(object),
            getter: file.field(actual, "name"),
            expected: file.of(expected),
            is_text,
        })
    }

    fn holds_for(&self, each: &str) -> String {
        let (expected, getter) = (self.expected, self.getter);
        if self.is_text {
            format!("{expected}.equals({each}.{getter}())")
        } else {
            format!("{each}.{getter}() == {expected}")
        }
    }

    /// The pick that the variable was declared with.
    fn pick(&self, file: &'f JavaFile) -> Option<ElementPick<'f>> {
        let declarator = file
            .declaration(self.variable, self.object)
            .filter(|found| found.kind() == "variable_declarator")?;
        let is_local = declarator.parent()?.kind() == "local_variable_declaration";
        let node = declarator.child_by_field_name("value").filter(|_| is_local)?;
        ElementPick::of(file, node)
    }
}

/// `list.get(0)`, `set.iterator().next()`.
struct ElementPick<'f> {
    node: Node<'f>,
    collection: Node<'f>,
}

impl<'f> ElementPick<'f> {
    fn of(file: &'f JavaFile, node: Node<'f>) -> Option<ElementPick<'f>> {
        let object = node.child_by_field_name("object")?;
        let collection = match (file.field(node, "name"), &arguments(node)[..]) {
            ("get", [index]) if index.kind() == "decimal_integer_literal" => object,
            ("next", []) if file.field(object, "name") == "iterator" => {
                object.child_by_field_name("object")?
            }
            _ => return None,
        };
        // A map is asked for a key, not for a place.
        let declared = file
            .declared_type(file.of(collection), collection)
            .unwrap_or_default();
        (!declared.contains("Map")).then_some(ElementPick { node, collection })
    }
}
