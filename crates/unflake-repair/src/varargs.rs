//! The expected elements as the arguments of a matcher, and the same with one mistake.

use crate::candidate::Mutation;
use crate::java::{JavaFile, arguments, inside_arguments};
use crate::rewrite::SPOILT;
use std::ops::Range;
use tree_sitter::Node;

/// Arguments with one mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spoilt {
    pub(crate) mutation: Mutation,
    /// What stands in `range` instead.
    pub(crate) text: String,
    pub(crate) range: Range<usize>,
    /// How many elements there are then; `None`: they are all in one argument.
    pub(crate) count: Option<usize>,
}

/// The arguments of a call with an element dropped, changed and doubled; nothing if that cannot be written.
pub(crate) fn spoilt_arguments(file: &JavaFile, call: Node<'_>) -> Vec<Spoilt> {
    let Some(range) = inside_arguments(call) else {
        return Vec::new();
    };
    spoilt(file, &arguments(call), range)
}

/// The same for elements that stand in a range.
pub(crate) fn spoilt(file: &JavaFile, elements: &[Node<'_>], range: Range<usize>) -> Vec<Spoilt> {
    use Mutation::{ExpectedChanged, ExpectedDoubled, ExpectedDropped};
    let (first, last) = match elements {
        [] => return Vec::new(),
        [only] if !only.kind().ends_with("_literal") => {
            let all = [ExpectedDropped, ExpectedChanged, ExpectedDoubled].map(|mutation| Spoilt {
                mutation,
                text: format!("{SPOILT}({})", file.of(*only)),
                range: range.clone(),
                count: None,
            });
            return all.to_vec();
        }
        [only] => (*only, *only),
        [first, .., last] => (*first, *last),
    };
    let Some(changed) = changed(file, elements) else {
        return Vec::new();
    };
    let inside = &file.text()[first.start_byte()..last.end_byte()];
    let after_first = elements
        .get(1)
        .map_or("", |second| &file.text()[second.start_byte()..last.end_byte()]);
    let one = |mutation, text: String, count| Spoilt {
        mutation,
        text,
        range: range.clone(),
        count: Some(count),
    };
    let n = elements.len();
    vec![
        one(ExpectedDropped, after_first.to_owned(), n - 1),
        one(ExpectedChanged, changed, n),
        one(ExpectedDoubled, format!("{}, {inside}", file.of(first)), n + 1),
    ]
}

/// All elements with one replaced: by another constant, else by another of them.
fn changed(file: &JavaFile, elements: &[Node<'_>]) -> Option<String> {
    let codes: Vec<&str> = elements.iter().map(|element| file.of(*element)).collect();
    let constants = elements
        .iter()
        .position(|element| other_constant(file, *element).is_some());
    let (at, new) = match constants {
        Some(at) => (at, other_constant(file, elements[at])?),
        None => {
            let at = codes.iter().position(|code| *code != codes[0])?;
            (0, codes[at].to_owned())
        }
    };
    let codes = codes.iter().enumerate();
    let all: Vec<&str> = codes
        .map(|(index, code)| if index == at { new.as_str() } else { code })
        .collect();
    Some(all.join(", "))
}

fn other_constant(file: &JavaFile, element: Node<'_>) -> Option<String> {
    let code = file.of(element);
    match element.kind() {
        "string_literal" if !code.starts_with("\"\"\"") => Some(format!("{}~\"", code.strip_suffix('"')?)),
        "decimal_integer_literal" | "decimal_floating_point_literal" => Some(format!("{code} + 1")),
        "true" => Some("false".to_owned()),
        "false" => Some("true".to_owned()),
        _ => None,
    }
}
