//! One decision turned around, and how it is named.

use std::ops::Range;

/// What is left of a statement that is left out.
pub(super) const NOTHING: &str = "(nothing)";

/// The longest text of a mutant that is shown.
const SHOWN: usize = 90;

/// One decision turned around.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mutant {
    pub(super) number: usize,
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) range: Range<usize>,
    pub(super) old: String,
    pub(super) new: String,
}

impl Mutant {
    /// Whether it leaves a statement out.
    pub(super) fn is_left_out(&self) -> bool {
        self.new == NOTHING
    }

    /// `src/a.rs:12:4: a < b → a <= b`; the same as long as the file is.
    pub(super) fn name(&self) -> String {
        let Mutant {
            file, line, column, ..
        } = self;
        format!("{file}:{line}:{column}: {} → {}", self.old, self.new)
    }
}

/// On one line, and not too long.
pub(super) fn shown(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
