//! The literal that a comparison has, beside the same one in the order that was met when it failed.

use super::elements::{elements, elements_renewed};
use super::text::text_renewed;
use super::{Told, only_value};
use crate::edit::Edits;
use crate::java::JavaFile;
use crate::literal::{quoted, text_of};
use crate::same_parts::Spoilings;
use tree_sitter::Node;

/// An expected value in the two orders that are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reordered {
    /// As it is written.
    pub(crate) here: Spelled,
    /// As it was met.
    pub(crate) met: Spelled,
    pub(crate) is_list: bool,
}

/// An expected value as Java, also with one mistake in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spelled {
    pub(crate) code: String,
    /// An actual value that is equal to it.
    pub(crate) value: String,
    pub(crate) spoilt: Spoilings,
}

/// `None`: it is no literal, or the parts are not the same in another order.
pub(crate) fn reordered(file: &JavaFile, node: Node<'_>, told: &Told) -> Option<Reordered> {
    match elements(file, node) {
        Some(elements) => of_elements(file, node, &elements, told),
        None => of_text(file, node, told),
    }
}

/// A text that stands here or at the variable that is named here.
fn of_text(file: &JavaFile, node: Node<'_>, told: &Told) -> Option<Reordered> {
    let literal = match node.kind() {
        "identifier" => only_value(file, declarator(file, node)?).ok()?,
        _ => node,
    };
    let text = text_of(file, literal)?;
    let met = within(file, literal, &text_renewed(file, literal, told).ok()?);
    Some(Reordered {
        here: spelled_text(file.of(node).to_owned(), &text)?,
        met: spelled_text(met, &told.actual)?,
        is_list: false,
    })
}

fn declarator<'f>(file: &'f JavaFile, name: Node<'f>) -> Option<Node<'f>> {
    let declaration = file.declaration(file.of(name), name)?;
    (declaration.kind() == "variable_declarator").then_some(declaration)
}

fn spelled_text(code: String, text: &str) -> Option<Spelled> {
    let Spoilings {
        dropped,
        changed,
        doubled,
    } = Spoilings::of(text)?;
    Some(Spelled {
        code,
        value: quoted(text),
        spoilt: Spoilings {
            dropped: quoted(&dropped),
            changed: quoted(&changed),
            doubled: quoted(&doubled),
        },
    })
}

/// A list that is written here.
fn of_elements(file: &JavaFile, node: Node<'_>, elements: &[Node<'_>], told: &Told) -> Option<Reordered> {
    // Arrays are not equal to each other.
    let is_list = node.kind() == "method_invocation" && !file.of(node).starts_with("Set.");
    let edits = elements_renewed(file, elements, told).ok()?;
    let new = |element: &Node<'_>| {
        let edit = edits.iter().find(|edit| edit.start == element.start_byte());
        edit.map_or_else(|| file.of(*element).to_owned(), |edit| edit.text.clone())
    };
    let here: Vec<String> = elements
        .iter()
        .map(|element| file.of(*element).to_owned())
        .collect();
    let met: Vec<String> = elements.iter().map(new).collect();
    let spelled = |codes: &[String]| {
        let list = |codes: &[String]| written(file, node, elements, codes);
        let [first, .., last] = codes else {
            return None;
        };
        let changed = codes.iter().find(|code| *code != first)?;
        Some(Spelled {
            code: list(codes),
            value: list(codes),
            spoilt: Spoilings {
                dropped: list(&codes[..codes.len() - 1]),
                changed: list(&[std::slice::from_ref(changed), &codes[1..]].concat()),
                doubled: list(&[codes, std::slice::from_ref(last)].concat()),
            },
        })
    };
    let (here, met) = (spelled(&here)?, spelled(&met)?);
    is_list.then_some(Reordered {
        here,
        met,
        is_list: true,
    })
}

/// The expression of a list with other elements: what is between them stays.
fn written(file: &JavaFile, node: Node<'_>, elements: &[Node<'_>], codes: &[String]) -> String {
    let mut edits = Edits::new();
    for (element, code) in elements.iter().zip(codes) {
        if file.of(*element) != code {
            edits = edits.replace(element.byte_range(), code.as_str());
        }
    }
    let more: String = codes
        .iter()
        .skip(elements.len())
        .map(|code| format!(", {code}"))
        .collect();
    if let [.., before, last] = elements {
        let end = last.end_byte();
        if codes.len() < elements.len() {
            edits = edits.replace(before.end_byte()..end, "");
        } else if !more.is_empty() {
            edits = edits.insert(end, more);
        }
    }
    within(file, node, &edits)
}

/// A node after edits inside of it.
fn within(file: &JavaFile, node: Node<'_>, edits: &Edits) -> String {
    let edited = edits.apply(file.text());
    let behind = file.text().len() - node.end_byte();
    edited[node.start_byte()..edited.len() - behind].to_owned()
}
