//! Edits of a text by position, collected in any order and applied at once. Nothing here knows Rust.
//!
//! Wraps nest: of two wraps that begin at one place, the one that was added first is the outer one.

use std::cmp::Reverse;
use std::ops::Range;

#[derive(Debug, Default)]
pub(super) struct Edits(Vec<Edit>);

#[derive(Debug)]
struct Edit {
    range: Range<usize>,
    side: Side,
    text: String,
}

/// What stands behind an expression comes before all that stands before the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Behind,
    Instead,
    Before,
}

/// An edited text.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) text: String,
    /// By position in the edited text: the position in the original. Both rise.
    places: Vec<(usize, usize)>,
}

impl Edits {
    pub(super) fn wrap(
        &mut self,
        range: &Range<usize>,
        before: impl Into<String>,
        behind: impl Into<String>,
    ) {
        self.add(range.start..range.start, Side::Before, before.into());
        self.add(range.end..range.end, Side::Behind, behind.into());
    }

    pub(super) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.add(range, Side::Instead, text.into());
    }

    fn add(&mut self, range: Range<usize>, side: Side, text: String) {
        self.0.push(Edit { range, side, text });
    }

    pub(super) fn apply(&self, original: &str) -> Edited {
        let mut edits: Vec<(usize, &Edit)> = self.0.iter().enumerate().collect();
        edits.sort_by_key(|(added, edit)| {
            let inner_first = (edit.side == Side::Behind).then_some(Reverse(*added));
            (edit.range.start, edit.side, inner_first, *added)
        });
        let mut text = String::with_capacity(original.len() * 2);
        let mut places = vec![(0, 0)];
        let mut done = 0;
        for (_, edit) in edits {
            text.push_str(&original[done..edit.range.start]);
            places.push((text.len(), edit.range.start));
            text.push_str(&edit.text);
            done = edit.range.end;
            places.push((text.len(), done));
        }
        text.push_str(&original[done..]);
        Edited { text, places }
    }
}

impl Edited {
    /// Where a place of the edited text is in the original.
    pub(super) fn original(&self, place: usize) -> usize {
        let next = self.places.partition_point(|(edited, _)| *edited <= place);
        let (edited, original) = self.places[next - 1];
        let until = self
            .places
            .get(next)
            .map_or(usize::MAX, |(_, original)| *original);
        (original + place - edited).min(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_nest_in_the_order_in_which_they_are_added() {
        let mut edits = Edits::default();
        edits.wrap(&(0..6), "(", ")");
        edits.wrap(&(0..6), "[", "]");
        edits.wrap(&(0..1), "{", "}");
        edits.wrap(&(5..6), "<", ">");
        edits.replace(2..4, "||");
        assert_eq!(edits.apply("a && b").text, "([{a} || <b>])");
    }

    #[test]
    fn a_place_is_found_again() {
        let mut edits = Edits::default();
        edits.wrap(&(2..3), "<<", ">>");
        let edited = edits.apply("a b c");
        assert_eq!(edited.text, "a <<b>> c");
        let places: Vec<usize> = (0..9).map(|place| edited.original(place)).collect();
        assert_eq!(places, [0, 1, 2, 2, 2, 3, 3, 3, 4]);
    }
}
