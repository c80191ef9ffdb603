//! Edits of a text: ranges of bytes and what stands there instead. Everything else stays byte for byte.

use similar::TextDiff;
use std::collections::BTreeSet;
use std::ops::Range;

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

impl Edit {
    /// Both add whole lines at the same place, which are not the same ones.
    fn stands_beside(&self, other: &Edit) -> bool {
        let adds_lines = |edit: &Edit| edit.start == edit.end && edit.text.ends_with('\n');
        self.start == other.start && adds_lines(self) && adds_lines(other) && self.text != other.text
    }

    /// Both add imports at the same place.
    fn joins(&self, other: &Edit) -> bool {
        let adds_imports = |edit: &Edit| {
            let is_import = |line: &str| line.starts_with("import ") || line.trim().is_empty();
            edit.start == edit.end && edit.text.contains("import ") && edit.text.lines().all(is_import)
        };
        self.start == other.start && adds_imports(self) && adds_imports(other)
    }
}

/// Where lines go among others that are added at the same place.
fn rank(text: &str) -> (bool, &str) {
    (!text.trim_start().starts_with("private "), text)
}

/// The lines of both, each import once; blank lines as the first has them.
fn joined(first: &str, second: &str) -> String {
    let is_import = |line: &&str| line.starts_with("import ");
    let imports = |text: &str| -> BTreeSet<String> {
        let lines = text.split_inclusive('\n').filter(is_import);
        lines.map(str::to_owned).collect()
    };
    let all: String = imports(first).union(&imports(second)).cloned().collect();
    let before = first.split_inclusive('\n').take_while(|line| !is_import(line));
    let lines: Vec<&str> = first.split_inclusive('\n').collect();
    let after = lines.iter().rev().take_while(|line| !is_import(line)).count();
    let before: String = before.collect();
    before + &all + &lines[lines.len() - after..].concat()
}

/// Where lines begin, and where the last one ends.
fn starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    for line in text.split_inclusive('\n') {
        starts.push(starts[starts.len() - 1] + line.len());
    }
    starts
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

    /// What makes one text of another, in whole lines.
    pub fn between(old: &str, new: &str) -> Edits {
        let (old_lines, new_lines) = (starts(old), starts(new));
        let diff = TextDiff::from_lines(old, new);
        let mut edits = Edits::new();
        for op in diff.ops() {
            let (from, to) = (op.old_range(), op.new_range());
            let range = old_lines[from.start]..old_lines[from.end];
            let text = &new[new_lines[to.start]..new_lines[to.end]];
            if old[range.clone()] != *text {
                edits = edits.replace(range, text);
            }
        }
        edits
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

    /// Both together, if no two of them touch the same bytes. The same edit in both counts once, and imports or other whole
    /// lines that both add at one place stand there together.
    pub fn merged(&self, other: &Edits) -> Option<Edits> {
        let mut both = self.clone();
        for edit in &other.0 {
            let there = both
                .0
                .iter_mut()
                .find(|there| there.joins(edit) || there.stands_beside(edit));
            match there {
                Some(there) if there.joins(edit) => there.text = joined(&there.text, &edit.text),
                // Whoever comes first, the result is the same: fields before methods.
                Some(there) if rank(&there.text) < rank(&edit.text) => there.text.push_str(&edit.text),
                Some(there) => there.text.insert_str(0, &edit.text),
                None => both.add(edit.clone()),
            }
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
    fn a_difference_is_made_of_lines() {
        let (old, new) = ("a\nb\nc\nd", "a\nB\nc\nd\ne");
        let edits = Edits::between(old, new);
        assert_eq!(edits.apply(old), new);
        assert_eq!(edits.iter().count(), 2);
        assert!(Edits::between(old, old).is_empty());
    }

    #[test]
    fn imports_at_one_place_go_together() {
        let add = |text: &str| Edits::new().insert(2, text);
        let both = add("\nimport b;\n").merged(&add("\nimport a;\n")).unwrap();
        assert_eq!(both.apply("p\nq\n"), "p\n\nimport a;\nimport b;\nq\n");
    }

    #[test]
    fn lines_that_are_added_at_one_place_stand_one_after_the_other() {
        let add = |text: &str| Edits::new().insert(2, text);
        let (one, other) = (add("a();\n"), add("b();\n"));
        let both = one.merged(&other).unwrap();
        assert_eq!(both.apply("p\nq\n"), "p\na();\nb();\nq\n");
        assert_eq!(other.merged(&one), Some(both));
        assert_eq!(one.merged(&one), Some(one.clone()));
        let field = add("private int b;\n").merged(&one).unwrap();
        assert_eq!(field.apply("p\nq\n"), "p\nprivate int b;\na();\nq\n");
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
