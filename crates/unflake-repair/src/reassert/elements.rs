//! Expected lists and arrays: their elements change their places.

use super::{Told, changed, sign};
use crate::edit::Edits;
use crate::java::{JavaFile, arguments, named_children};
use crate::literal::text_of;
use tree_sitter::Node;

/// Calls whose arguments are the expected elements in their order: `containsExactly("a", "b")`.
pub(super) fn in_order(file: &JavaFile, line: u32) -> Vec<Node<'_>> {
    let is_one = |call: &Node<'_>| {
        matches!(
            file.field(*call, "name"),
            "containsExactly" | "contains" | "arrayContaining" | "containsSequence"
        )
    };
    file.on_line("method_invocation", line).filter(is_one).collect()
}

/// The elements of a list or an array that is written here.
pub(super) fn elements<'f>(file: &'f JavaFile, node: Node<'f>) -> Option<Vec<Node<'f>>> {
    match node.kind() {
        "array_initializer" => Some(named_children(node)),
        "array_creation_expression" => node.child_by_field_name("value").map(named_children),
        "object_creation_expression" => match arguments(node)[..] {
            [only] => elements(file, only),
            _ => None,
        },
        "method_invocation" => {
            let makes = matches!(
                file.field(node, "name"),
                "asList"
                    | "of"
                    | "newArrayList"
                    | "list"
                    | "containsExactly"
                    | "contains"
                    | "arrayContaining"
                    | "containsSequence"
            );
            match &arguments(node)[..] {
                [only] if makes => elements(file, *only),
                all if makes && all.len() > 1 => Some(all.to_vec()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The elements that are there, each where the actual value has it.
pub(super) fn elements_renewed(file: &JavaFile, elements: &[Node<'_>], told: &Told) -> Result<Edits, String> {
    let not_told = || "the failure does not tell all elements".to_owned();
    let n = elements.len();
    let actual = listed(&told.actual)
        .filter(|parts| parts.len() == n)
        .ok_or_else(not_told)?;
    let expected = told
        .expected
        .as_deref()
        .and_then(listed)
        .filter(|parts| parts.len() == n);
    let mut texts = Vec::new();
    for (index, element) in elements.iter().enumerate() {
        let written = element_text(file, *element);
        let shown = expected.as_ref().map(|parts| parts[index].to_owned());
        match (written, shown) {
            (Some(written), Some(shown)) if plain(&shown) != written => {
                return Err("the failure compared other elements than these".to_owned());
            }
            (Some(written), _) => texts.push(written),
            (None, Some(shown)) => texts.push(plain(&shown).to_owned()),
            (None, None) => return Err(not_told()),
        }
    }
    let mut left: Vec<usize> = (0..n).collect();
    let mut edits = Edits::new();
    for (place, part) in actual.iter().enumerate() {
        // An element that can stay stays, also among equal ones.
        let is_it = |index: &usize| texts[*index] == plain(part);
        let at = left
            .iter()
            .position(|index| *index == place && is_it(index))
            .or_else(|| left.iter().position(is_it))
            .ok_or("the actual elements are other ones, not the same in another order")?;
        let index = left.remove(at);
        if file.of(elements[index]) != file.of(elements[place]) {
            edits = edits.replace(elements[place].byte_range(), file.of(elements[index]));
        }
    }
    changed(edits)
}

/// An element as its `toString` shows it, where that is known without running.
fn element_text(file: &JavaFile, node: Node<'_>) -> Option<String> {
    match node.kind() {
        "decimal_integer_literal" | "true" | "false" => Some(file.of(node).to_owned()),
        _ => text_of(file, node).or_else(|| sign(file, node)),
    }
}

/// AssertJ shows texts in quotes.
fn plain(part: &str) -> &str {
    let inner = part.strip_prefix('"').and_then(|part| part.strip_suffix('"'));
    inner.unwrap_or(part)
}

/// The parts of `[a, b]`.
fn listed(text: &str) -> Option<Vec<&str>> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(inner[start..].trim());
    Some(parts)
}
