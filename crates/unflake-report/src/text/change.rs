//! One change of state in little room: where, what was there, what is there now.
//!
//! Values are other people's text of any length. Where both are long, what they have in common at the beginning is left
//! out: it is the difference that one looks for.

use super::{FAINT, label};
use super::{cut_end, one_line};
use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr as _;

pub(super) const OLD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
pub(super) const NEW: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));

/// How much of a value is shown, of a path, and of both values and the path in one line.
const VALUE_WIDTH: usize = 76;
const PATH_WIDTH: usize = 90;
const LINE_WIDTH: usize = 100;
/// How much of what two values have in common stands before their difference.
const CONTEXT: usize = 12;

/// A change, ready to be shown.
pub(super) struct Change {
    path: String,
    old: Value,
    new: Value,
}

struct Value {
    text: String,
    /// There was nothing, or is nothing now.
    is_nothing: bool,
}

impl Change {
    pub(super) fn new(path: &str, old: Option<&str>, new: Option<&str>, verbose: bool) -> Change {
        let [old_text, new_text] = [old, new].map(|value| match value {
            None => "nothing".to_owned(),
            // Properties have values without quotes.
            Some("") => "\"\"".to_owned(),
            Some(value) => one_line(value),
        });
        let [old_text, new_text] = if verbose {
            [old_text, new_text]
        } else {
            shortened(&old_text, &new_text)
        };
        let path = one_line(path);
        Change {
            path: if verbose { path } else { shortened_path(&path) },
            old: Value {
                text: old_text,
                is_nothing: old.is_none(),
            },
            new: Value {
                text: new_text,
                is_nothing: new.is_none(),
            },
        }
    }

    /// In one line: `Registry.byName["poison"].duration: 3 → 7`.
    pub(super) fn line(&self) -> String {
        let values = format!("{} → {}", self.old.shown(OLD), self.new.shown(NEW));
        match self.path.as_str() {
            "" => values,
            path => format!("{path}: {values}"),
        }
    }

    /// Under a label: in one line where that is short enough, else with the values on lines of their own, as in a diff.
    pub(super) fn rows(&self, name: &str) -> String {
        if self.width() <= LINE_WIDTH {
            return format!("    {}{}\n", label(name), self.line());
        }
        format!(
            "    {}{}\n             {OLD}-{OLD:#} {}\n             {NEW}+{NEW:#} {}\n",
            label(name),
            self.path,
            self.old.shown(OLD),
            self.new.shown(NEW)
        )
    }

    fn width(&self) -> usize {
        self.path.width() + self.old.text.width() + self.new.text.width() + 5
    }
}

impl Value {
    fn shown(&self, style: Style) -> String {
        let style = if self.is_nothing { FAINT } else { style };
        format!("{style}{}{style:#}", self.text)
    }
}

/// Both values cut at the same place.
fn shortened(old: &str, new: &str) -> [String; 2] {
    if old.width().max(new.width()) <= VALUE_WIDTH {
        return [old.to_owned(), new.to_owned()];
    }
    let common = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count();
    // Where the difference is in sight anyway, the beginning is more helpful.
    let from = if common < VALUE_WIDTH / 2 {
        0
    } else {
        common - CONTEXT
    };
    [old, new].map(|text| {
        let rest: String = text.chars().skip(from).collect();
        let dots = if from > 0 { "…" } else { "" };
        cut_end(&format!("{dots}{rest}"), VALUE_WIDTH)
    })
}

/// Beginning and end: the root and what was changed are worth more than the way between them.
fn shortened_path(path: &str) -> String {
    let letters: Vec<char> = path.chars().collect();
    if letters.len() <= PATH_WIDTH {
        return path.to_owned();
    }
    let half = PATH_WIDTH / 2;
    let beginning: String = letters[..half].iter().collect();
    let end: String = letters[letters.len() - half + 1..].iter().collect();
    format!("{beginning}…{end}")
}

/// What a path has after its root, whether it names that with its package or without, nested classes with `$` or a dot.
pub(super) fn below_root<'a>(root: &str, path: &'a str) -> &'a str {
    let is_cut = |rest: &&str| rest.is_empty() || rest.starts_with(['.', '[']);
    let simple = root
        .rmatch_indices('.')
        .nth(1)
        .map_or(root, |(dot, _)| &root[dot + 1..]);
    let in_source = simple.replace('$', ".");
    let rest = [root, simple, &in_source]
        .into_iter()
        .find_map(|prefix| path.strip_prefix(prefix).filter(is_cut));
    rest.unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::super::tests::without_colour;
    use super::*;

    fn rows(path: &str, old: Option<&str>, new: Option<&str>) -> String {
        without_colour(&Change::new(path, old, new, false).rows("change"))
    }

    #[test]
    fn old_is_red_and_new_is_green() {
        let change = Change::new("A.b", Some("3"), Some("7"), false).line();
        assert_eq!(change, "A.b: \u{1b}[31m3\u{1b}[0m → \u{1b}[32m7\u{1b}[0m");
        let from_nothing = Change::new("A.b", None, Some("7"), false).line();
        assert_eq!(
            from_nothing,
            "A.b: \u{1b}[2mnothing\u{1b}[0m → \u{1b}[32m7\u{1b}[0m"
        );
    }

    #[test]
    fn an_empty_value_is_not_nothing() {
        assert_eq!(rows("A.b", None, Some("")), "    change   A.b: nothing → \"\"\n");
    }

    #[test]
    fn short_changes_take_one_line_and_long_ones_are_a_diff() {
        assert_eq!(rows("A.b", Some("3"), None), "    change   A.b: 3 → nothing\n");
        let url = |port: u32| format!("\"jdbc:h2:mem:shop;MODE=PostgreSQL;DB_CLOSE_DELAY=-1;PORT={port}\"");
        assert_eq!(
            rows("Database.url", Some(&url(1)), Some(&url(22))),
            "    change   Database.url\n             \
             - \"jdbc:h2:mem:shop;MODE=PostgreSQL;DB_CLOSE_DELAY=-1;PORT=1\"\n             \
             + \"jdbc:h2:mem:shop;MODE=PostgreSQL;DB_CLOSE_DELAY=-1;PORT=22\"\n"
        );
    }

    #[test]
    fn long_values_are_shown_where_they_differ() {
        let value = |tail: &str| format!("{}{tail}{}", "x".repeat(500), "y".repeat(500));
        let text = rows("A.b", Some(&value("old")), Some(&value("new")));
        assert!(
            text.contains("- …xxxxxxxxxxxxoldyyy") && text.contains("+ …xxxxxxxxxxxxnewyyy"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.width() < 100), "{text}");
    }

    #[test]
    fn the_terminal_is_safe_from_values_and_paths() {
        let text = Change::new("A.b[\"\u{1b}[2J\"]", Some("a\nb\u{7}"), Some("\u{202e}c"), true).line();
        assert!(
            !text.contains(['\n', '\u{7}', '\u{202e}']) && !text.contains("[2J\u{1b}"),
            "{text:?}"
        );
        assert_eq!(
            without_colour(&text),
            "A.b[\"\u{fffd}[2J\"]: a b\u{fffd} → \u{fffd}c"
        );
    }

    #[test]
    fn long_paths_keep_root_and_end() {
        let path = format!("Registry.byName{}.duration", ".next".repeat(60));
        let text = rows(&path, Some("3"), Some("7"));
        assert!(
            text.starts_with("    change   Registry.byName.next")
                && text.ends_with(".next.duration: 3 → 7\n"),
            "{text}"
        );
    }

    #[test]
    fn a_path_is_cut_after_its_root_only() {
        assert_eq!(below_root("a.B.map", "B.map[\"k\"].x"), "[\"k\"].x");
        assert_eq!(below_root("a.B.map", "a.B.map"), "");
        assert_eq!(below_root("a.B.map", "B.mapping"), "B.mapping");
        assert_eq!(below_root("a.B$C.map", "B.C.map.x"), ".x");
        assert_eq!(below_root("user.timezone", "user.timezone"), "");
        assert_eq!(below_root("", "x"), "x");
    }
}
