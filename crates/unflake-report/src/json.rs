//! The document and the state space as JSON.

use unflake_findings::{Document, StateSpace};

/// The whole document, indented, with a line end.
pub fn json(document: &Document) -> String {
    let mut text =
        serde_json::to_string_pretty(document).expect("the document has no map whose keys are not text");
    text.push('\n');
    text
}

/// The whole state space, indented, with a line end.
pub fn state_space_json(space: &StateSpace) -> String {
    let mut text = serde_json::to_string_pretty(space).expect("a state space has no map at all");
    text.push('\n');
    text
}
