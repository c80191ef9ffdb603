//! Unified diffs that `git apply` takes.

use similar::TextDiff;
use std::fmt::Write as _;

/// Lines around a change.
const CONTEXT: usize = 3;

/// The diff of one file, with its path from the project's root; empty if nothing changed.
pub fn unified_diff(path: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let diff = TextDiff::from_lines(old, new);
    let mut text = String::new();
    let _ = writeln!(text, "--- a/{path}\n+++ b/{path}");
    let hunks = diff.unified_diff().context_radius(CONTEXT).to_string();
    text.push_str(&hunks);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_three_lines_around_each_change() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        assert_eq!(
            unified_diff("src/A.java", old, &old.replace('5', "five")),
            "--- a/src/A.java\n+++ b/src/A.java\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
        assert_eq!(unified_diff("a", old, old), "");
    }

    #[test]
    fn line_ends_and_a_missing_last_one_are_kept() {
        assert_eq!(
            unified_diff("a", "x\r\ny", "x\r\nz"),
            "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\r\n-y\n\\ No newline at end of file\n+z\n\\ No newline at end of file\n"
        );
    }
}
