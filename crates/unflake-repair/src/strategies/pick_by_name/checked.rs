//! The checked exceptions of `getMethod` and its kin, where they can be thrown.

use crate::edit::Edits;
use crate::java::{CALLABLES, JavaFile, ancestors, named_children};
use tree_sitter::Node;

/// Annotations of methods that only a framework calls.
const CALLED_BY_FRAMEWORKS: [&str; 14] = [
    "Test",
    "ParameterizedTest",
    "RepeatedTest",
    "TestFactory",
    "Theory",
    "Before",
    "BeforeClass",
    "BeforeEach",
    "BeforeAll",
    "BeforeMethod",
    "After",
    "AfterClass",
    "AfterEach",
    "AfterAll",
];

/// Edits with what lets a checked exception out of an expression; `None` where it cannot get out.
pub(super) fn throwing(file: &JavaFile, at: Node<'_>, exception: &str, edits: Edits) -> Option<Edits> {
    let covers = |name: &str| {
        let simple = name.rsplit('.').next().unwrap_or(name);
        simple == exception || matches!(simple, "Exception" | "Throwable" | "ReflectiveOperationException")
    };
    let mut below = at;
    for above in ancestors(at) {
        match above.kind() {
            "lambda_expression" | "class_body" | "field_declaration" | "static_initializer" => return None,
            "try_statement" | "try_with_resources_statement" => {
                let is_tried = !matches!(below.kind(), "catch_clause" | "finally_clause");
                let types = named_children(above)
                    .into_iter()
                    .filter(|clause| clause.kind() == "catch_clause")
                    .filter_map(|clause| named_children(clause).into_iter().next())
                    .flat_map(named_children)
                    .filter(|part| part.kind() == "catch_type")
                    .flat_map(named_children);
                if is_tried && types.into_iter().any(|caught| covers(file.of(caught))) {
                    return Some(edits);
                }
            }
            kind if CALLABLES.contains(&kind) => return declared(file, above, exception, covers, edits),
            _ => {}
        }
        below = above;
    }
    None
}

fn declared(
    file: &JavaFile,
    method: Node<'_>,
    exception: &str,
    covers: impl Fn(&str) -> bool,
    edits: Edits,
) -> Option<Edits> {
    let throws = named_children(method)
        .into_iter()
        .find(|child| child.kind() == "throws");
    let mut thrown = throws.map(named_children).unwrap_or_default().into_iter();
    if thrown.any(|thrown| covers(file.of(thrown))) {
        return Some(edits);
    }
    if !is_called_by_framework(file, method) {
        return None;
    }
    Some(match throws {
        Some(throws) => edits.insert(throws.end_byte(), format!(", {exception}")),
        None => edits.insert(
            method.child_by_field_name("parameters")?.end_byte(),
            format!(" throws {exception}"),
        ),
    })
}

fn is_called_by_framework(file: &JavaFile, method: Node<'_>) -> bool {
    let modifiers = named_children(method)
        .into_iter()
        .find(|child| child.kind() == "modifiers");
    let annotations = modifiers.map(named_children).unwrap_or_default();
    let is_annotated = annotations.iter().any(|annotation| {
        let name = file.field(*annotation, "name");
        CALLED_BY_FRAMEWORKS.contains(&name.rsplit('.').next().unwrap_or(name))
    });
    // JUnit 3 goes by the name.
    let name = file.field(method, "name");
    is_annotated || name.starts_with("test") || name == "setUp"
}
