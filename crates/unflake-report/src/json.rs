//! The document as JSON.

use unflake_findings::Document;

/// The whole document, indented, with a line end.
pub fn json(document: &Document) -> String {
    let mut text =
        serde_json::to_string_pretty(document).expect("the document has no map whose keys are not text");
    text.push('\n');
    text
}
