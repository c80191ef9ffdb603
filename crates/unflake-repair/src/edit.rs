//! Edits of a text: ranges of bytes and what stands there instead. Everything else stays byte for byte.

use std::ops::Range;

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// Edits of one text that do not overlap, in its order. Ranges are of the text as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits(Vec<Edit>);

impl Edits {
    pub fn new() -> Edits {
        Edits::default()
    }

    pub fn replace(mut self, range: Range<usize>, text: impl Into<String>) -> Edits {
        self.add(Edit {
            start: range.start,
            end: range.end,
            text: text.into(),
        });
        self
    }

    pub fn insert(self, at: usize, text: impl Into<String>) -> Edits {
        self.replace(at..at, text)
    }

    fn add(&mut self, edit: Edit) {
        if self.0.contains(&edit) {
            return;
        }
        let at = self
            .0
            .partition_point(|other| (other.start, other.end) <= (edit.start, edit.end));
        self.0.insert(at, edit);
    }

    /// Both together, if no two of them touch the same bytes. The same edit in both counts once.
    pub fn merged(&self, other: &Edits) -> Option<Edits> {
        let mut both = self.clone();
        for edit in &other.0 {
            both.add(edit.clone());
        }
        both.is_sound().then_some(both)
    }

    fn is_sound(&self) -> bool {
        let apart = |pair: &[Edit]| {
            // Two insertions at one place have an order that nobody chose.
            pair[0].end <= pair[1].start && (pair[0].start, pair[0].end) != (pair[1].start, pair[1].end)
        };
        self.0.windows(2).all(apart)
    }

    pub fn apply(&self, text: &str) -> String {
        let mut edited = String::with_capacity(text.len());
        let mut at = 0;
        for edit in &self.0 {
            edited.push_str(&text[at..edit.start]);
            edited.push_str(&edit.text);
            at = edit.end;
        }
        edited.push_str(&text[at..]);
        edited
    }

    /// Where a byte of the text lies afterwards; inside of a replaced range, where the replacement begins.
    pub fn moved(&self, byte: usize) -> usize {
        let mut moved = byte;
        for edit in self.0.iter().take_while(|edit| edit.start < byte) {
            if edit.end <= byte {
                moved = moved + edit.text.len() - (edit.end - edit.start);
            } else {
                moved -= byte - edit.start;
            }
        }
        moved
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Edit> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_apply_in_the_order_of_the_text() {
        let edits = Edits::new().replace(4..7, "XY").insert(0, "<");
        assert_eq!(edits.apply("abc def ghi"), "<abc XY ghi");
        assert_eq!(
            (edits.moved(0), edits.moved(4), edits.moved(5), edits.moved(8)),
            (0, 5, 5, 8)
        );
    }

    #[test]
    fn edits_of_the_same_bytes_do_not_go_together() {
        let one = Edits::new().replace(4..7, "XY");
        assert_eq!(one.merged(&one), Some(one.clone()));
        assert_eq!(one.merged(&Edits::new().replace(6..8, "")), None);
        assert_eq!(
            Edits::new().insert(3, "a").merged(&Edits::new().insert(3, "b")),
            None
        );
        let both = one.merged(&Edits::new().insert(7, "!")).unwrap();
        assert_eq!(both.apply("abc def ghi"), "abc XY! ghi");
    }
}
