//! Text that joins parts by a separator (queries of URLs, columns of SQL, cookies, `toString`, lines): if the parts came
//! in another order, both texts are compared with their parts sorted. What stands before and after the parts is still
//! compared as it is, and so are number and doubles of the parts.
//!
//! Two lists that are permuted alike (`insert into t (a, b) values (1, 2)`) are left alone: sorting each would no longer
//! tell which value belongs to which column.

use crate::candidate::{Candidate, Mutation};
use crate::clues::Clues;
use crate::literal::quoted;
use crate::text_comparison::{Around, Sides, TextComparison, mutants, with_failed_texts};
use std::ops::Range;

/// What parts are joined by; the first that explains the two texts is taken.
const SEPARATORS: [&str; 15] = [
    "\r\n", "\n", "&", "; ", ";", ", ", ",", " AND ", " and ", " OR ", " or ", " | ", "|", "\t", " ",
];

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    // `String.join` is of Java 8.
    // JSON is better compared as JSON, if it can be.
    if clues.libraries.java < 8 || !super::json_tree::propose(clues).is_empty() {
        return Vec::new();
    }
    with_failed_texts(clues, |texts| of_texts(clues, texts).into_iter().collect())
}

fn of_texts(clues: &Clues<'_>, texts: &TextComparison<'_>) -> Option<Candidate> {
    let (expected, actual) = (texts.expected.as_str(), texts.actual.as_deref()?);
    let joined = Joined::of(expected, actual, clues.choice.elements)?;
    let body = joined.java(expected, actual)?;
    let file = texts.file;
    let helper = joined.helper(expected);
    if file.has_method(helper) {
        return None;
    }
    let (arrays, import) = file.using("java.util.Arrays");
    let mut lines = vec![format!("private static String {helper}(String text) {{")];
    lines.extend(
        body.iter()
            .map(|line| format!(">{}", line.replace("Arrays.sort", &format!("{arrays}.sort")))),
    );
    lines.push("}".to_owned());
    let method = file.with_method(texts.comparison.call, &lines)?;
    let around = Around::new(format!("{helper}("), ")");
    let rewritten = |sides: &Sides| {
        let edits = texts
            .wrapped(&around, sides)
            .insert(method.at, method.text.clone());
        file.with_imports(edits, import.clone())
    };
    let wrong = |parts: &dyn Fn(&mut Vec<String>)| Some(joined.with_parts(expected, parts));
    let dropped = |parts: &mut Vec<String>| drop(parts.pop());
    let doubled = |parts: &mut Vec<String>| parts.extend(parts.last().cloned());
    let changed = |parts: &mut Vec<String>| parts.iter_mut().take(1).for_each(|part| part.push('x'));
    // When nothing is varied the actual text is the expected one.
    let mistakes = [
        (Mutation::ExpectedDropped, wrong(&dropped)),
        (Mutation::ExpectedChanged, wrong(&changed)),
        (Mutation::ExpectedDoubled, wrong(&doubled)),
        (Mutation::ActualDropped, wrong(&dropped)),
        (Mutation::ActualDoubled, wrong(&doubled)),
    ];
    Some(Candidate::of_assertion(
        format!(
            "compare the texts with the parts between {} sorted, since their order is not specified",
            joined.named()
        ),
        &file.path,
        texts.comparison.statement(file),
        rewritten(&Sides::default()),
        mutants(mistakes, rewritten),
    ))
}

/// Where the parts are in the expected text, and what joins them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Joined {
    region: Range<usize>,
    separator: &'static str,
}

impl Joined {
    /// The parts whose order explains both texts: as many as the choice had elements, or else all that stand beside each
    /// other.
    fn of(expected: &str, actual: &str, elements: u32) -> Option<Joined> {
        // The same signs in another order, or it is not worth a look.
        let signs = |text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            bytes.sort_unstable();
            bytes
        };
        if expected.len() != actual.len() || signs(expected) != signs(actual) {
            return None;
        }
        let count = |joined: &Joined| u32::try_from(joined.parts(expected).len()).unwrap_or(u32::MAX);
        SEPARATORS.iter().find_map(|separator| {
            let moved = Joined::explaining(expected, actual, separator)?;
            if count(&moved) == elements {
                return Some(moved);
            }
            let all = moved.extended(expected)?;
            // Lines and words are everywhere. The last line end makes an empty part.
            let is_told = !separator.trim().is_empty();
            let n_empty = u32::from(expected[all.region.clone()].ends_with(separator));
            (is_told || count(&all) - n_empty == elements).then_some(all)
        })
    }

    /// The smallest region with the same parts in another order.
    fn explaining(expected: &str, actual: &str, separator: &'static str) -> Option<Joined> {
        let prefix = common_prefix(expected, actual);
        let suffix = common_suffix(&expected[prefix..], &actual[prefix..]);
        let starts = boundaries_before(&expected[..prefix], separator);
        let ends = boundaries_after(&expected[expected.len() - suffix..], separator);
        let regions = starts
            .iter()
            .flat_map(|start| ends.iter().map(move |end| (*start, suffix - *end)));
        regions
            .map(|(start, after)| (start..expected.len() - after, start..actual.len() - after))
            .find(|(one, two)| {
                let parts = parts_of(&expected[one.clone()], separator);
                let others = parts_of(&actual[two.clone()], separator);
                let is_same = parts.len() > 1 && sorted(&parts) == sorted(&others);
                is_same && parts.iter().all(|part| is_balanced(part))
            })
            .map(|(region, _)| Joined { region, separator })
    }

    /// The method that sorts the parts, by what they are: a class may need several.
    fn helper(&self, text: &str) -> &'static str {
        match (self.separator, text[..self.region.start].chars().next_back()) {
            ("\n" | "\r\n", _) => "withSortedLines",
            ("&", _) => "withSortedParameters",
            (_, Some('[')) => "withSortedElements",
            (_, Some('{')) => "withSortedMembers",
            (_, Some('(')) => "withSortedColumns",
            _ => "withSortedParts",
        }
    }

    fn parts<'t>(&self, text: &'t str) -> Vec<&'t str> {
        parts_of(&text[self.region.clone()], self.separator)
    }

    /// With the parts that did not move this time.
    fn extended(mut self, text: &str) -> Option<Joined> {
        let is_spaced = self.parts(text).iter().any(|part| part.contains(' '));
        let ends_part = |c: char| "()[]{}<>?\n".contains(c) || c == ' ' && !is_spaced;
        while let Some(rest) = text[..self.region.start].strip_suffix(self.separator) {
            let at_bound = rest.rfind(ends_part).map_or(0, |at| at + 1);
            let at_separator = rest
                .rfind(self.separator)
                .map_or(0, |at| at + self.separator.len());
            self.region.start = at_bound.max(at_separator);
        }
        while let Some(rest) = text[self.region.end..].strip_prefix(self.separator) {
            let skipped = text.len() - rest.len();
            let length = [rest.find(ends_part), rest.find(self.separator)]
                .into_iter()
                .flatten()
                .min();
            self.region.end = skipped + length.unwrap_or(rest.len());
        }
        self.parts(text)
            .iter()
            .all(|part| is_balanced(part))
            .then_some(self)
    }

    /// The text with other parts.
    fn with_parts(&self, text: &str, change: impl Fn(&mut Vec<String>)) -> String {
        let mut parts: Vec<String> = self.parts(text).into_iter().map(str::to_owned).collect();
        change(&mut parts);
        let (before, after) = (&text[..self.region.start], &text[self.region.end..]);
        format!("{before}{}{after}", parts.join(self.separator))
    }

    fn named(&self) -> String {
        match self.separator {
            "\n" | "\r\n" => "line ends".to_owned(),
            "\t" => "tabs".to_owned(),
            " " => "spaces".to_owned(),
            other => format!("`{}`", other.trim()),
        }
    }

    /// The lines of a method that sorts the parts of `text`. `None`: their place cannot be told by what is around them.
    fn java(&self, expected: &str, actual: &str) -> Option<Vec<String>> {
        let split = quoted(&self.separator.replace('|', "\\|"));
        let join = quoted(self.separator);
        let sort = "Arrays.sort(parts);".to_owned();
        let end = self.region.end;
        let after_in_actual = actual.len() - (expected.len() - end);
        let start = self.start_in_java(&expected[..self.region.start])?;
        let end = match &expected[end..] {
            "" => None,
            _ => Some(self.end_in_java(expected, actual, after_in_actual, start.is_some())?),
        };
        let range = match (&start, &end) {
            (None, None) => String::new(),
            (Some(_), None) => ".substring(start)".to_owned(),
            (None, Some(_)) => ".substring(0, end)".to_owned(),
            (Some(_), Some(_)) => ".substring(start, end)".to_owned(),
        };
        let before = start.as_ref().map_or("", |_| "text.substring(0, start) + ");
        let after = end.as_ref().map_or("", |_| " + text.substring(end)");
        let places = start
            .map(|start| format!("int start = {start};"))
            .into_iter()
            .chain(end.map(|end| format!("int end = {end};")));
        let rest = [
            format!("String[] parts = text{range}.split({split}, -1);"),
            sort,
            format!("return {before}String.join({join}, parts){after};"),
        ];
        Some(places.chain(rest).collect())
    }

    /// An expression for where the parts begin; `None` inside if it is the start of the text.
    #[expect(clippy::option_option, reason = "not found and not needed are two things")]
    fn start_in_java(&self, before: &str) -> Option<Option<String>> {
        if before.is_empty() {
            return Some(None);
        }
        let anchor =
            anchors_before(before).find(|anchor| before.find(anchor) == Some(before.len() - anchor.len()))?;
        let length = match anchor.chars().count() {
            1 => "1".to_owned(),
            _ => format!("{}.length()", quoted(anchor)),
        };
        Some(Some(format!("text.indexOf({}) + {length}", needle(anchor))))
    }

    /// An expression for where they end.
    fn end_in_java(
        &self,
        expected: &str,
        actual: &str,
        end_in_actual: usize,
        has_start: bool,
    ) -> Option<String> {
        let end = self.region.end;
        let after = &expected[end..];
        anchors_after(after).find_map(|anchor| {
            let is_last = expected.rfind(anchor) == Some(end) && actual.rfind(anchor) == Some(end_in_actual);
            let first = |text: &str| {
                text[self.region.start..]
                    .find(anchor)
                    .map(|at| at + self.region.start)
            };
            let is_first = first(expected) == Some(end) && first(actual) == Some(end_in_actual);
            let from = if has_start { ", start" } else { "" };
            if is_last {
                Some(format!("text.lastIndexOf({})", needle(anchor)))
            } else if is_first {
                Some(format!("text.indexOf({}{from})", needle(anchor)))
            } else {
                None
            }
        })
    }
}

/// A text to look for, as a `char` if it is one.
fn needle(text: &str) -> String {
    match (text.chars().count(), text) {
        (1, "'") => "'\\''".to_owned(),
        (1, "\"") => "'\"'".to_owned(),
        (1, _) => {
            let literal = quoted(text);
            format!("'{}'", &literal[1..literal.len() - 1])
        }
        _ => quoted(text),
    }
}

/// The longest texts that an expression looks for.
const LONGEST_ANCHOR: usize = 40;

/// What the end of a text may be found by: a sign, then one word after the other.
fn anchors_before(text: &str) -> impl Iterator<Item = &str> {
    let sign = text
        .char_indices()
        .next_back()
        .filter(|(_, c)| is_sign(*c))
        .map(|(at, _)| &text[at..]);
    let words = text
        .char_indices()
        .rev()
        .filter(|(at, _)| *at == 0 || text[..*at].ends_with([' ', '\n']))
        .map(|(at, _)| &text[at..]);
    sign.into_iter()
        .chain(words)
        .filter(|anchor| anchor.len() <= LONGEST_ANCHOR)
}

/// The same for the start of a text.
fn anchors_after(text: &str) -> impl Iterator<Item = &str> {
    let sign = text
        .chars()
        .next()
        .filter(|c| is_sign(*c))
        .map(|c| &text[..c.len_utf8()]);
    let words = text
        .char_indices()
        .map(|(at, c)| at + c.len_utf8())
        .filter(|end| *end == text.len() || text[*end..].starts_with([' ', '\n']))
        .map(|end| &text[..end]);
    sign.into_iter()
        .chain(words)
        .filter(|anchor| anchor.len() <= LONGEST_ANCHOR)
}

fn is_sign(c: char) -> bool {
    c.is_ascii_punctuation() || c == '\n'
}

fn parts_of<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    text.split(separator).collect()
}

fn sorted<'t>(parts: &[&'t str]) -> Vec<&'t str> {
    let mut parts = parts.to_vec();
    parts.sort_unstable();
    parts
}

/// Whether every bracket and quote that a part opens is closed in it.
fn is_balanced(part: &str) -> bool {
    let mut open = Vec::new();
    for c in part.chars() {
        match c {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.pop() != Some(c) => return false,
            _ => {}
        }
    }
    open.is_empty() && part.matches('"').count().is_multiple_of(2)
}

fn common_prefix(one: &str, two: &str) -> usize {
    let pairs = one.char_indices().zip(two.chars());
    let mut same = pairs.take_while(|((_, a), b)| a == b);
    same.by_ref().last().map_or(0, |((at, c), _)| at + c.len_utf8())
}

fn common_suffix(one: &str, two: &str) -> usize {
    let pairs = one.chars().rev().zip(two.chars().rev());
    pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// How many places are tried on either side.
const MOST_BOUNDARIES: usize = 8;

/// Where a part may begin in a text that both share, the last place first.
fn boundaries_before(text: &str, separator: &str) -> Vec<usize> {
    let is_boundary = |at: usize| {
        let before = &text[..at];
        at == 0 || before.ends_with(separator) || before.ends_with(is_bound)
    };
    let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let found: Vec<usize> = places.filter(|at| is_boundary(*at)).collect();
    let mut found: Vec<usize> = found.into_iter().rev().take(MOST_BOUNDARIES).collect();
    // The start of the text is the most likely one of those that are far away.
    if !found.contains(&0) {
        found.push(0);
    }
    found
}

/// Where a part may end, the first place first.
fn boundaries_after(text: &str, separator: &str) -> Vec<usize> {
    let is_boundary = |at: usize| {
        let after = &text[at..];
        after.is_empty() || after.starts_with(separator) || after.starts_with(is_bound)
    };
    let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let mut found: Vec<usize> = places
        .filter(|at| is_boundary(*at))
        .take(MOST_BOUNDARIES)
        .collect();
    if !found.contains(&text.len()) {
        found.push(text.len());
    }
    found
}

fn is_bound(c: char) -> bool {
    c.is_whitespace() || "()[]{}<>?/\"'".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::case;

    /// The parts that are found and the lines of the method without the last three.
    fn check(expected: &str, actual: &str, found: Option<(&[&str], &[&str])>) {
        let joined = Joined::of(expected, actual, 3);
        let shown = joined.and_then(|joined| {
            let mut lines = joined.java(expected, actual)?;
            lines.truncate(lines.len() - 3);
            Some((joined.parts(expected), lines))
        });
        let shown = shown.as_ref().map(|(parts, lines)| {
            (
                parts.as_slice(),
                lines.iter().map(String::as_str).collect::<Vec<_>>(),
            )
        });
        assert_eq!(
            shown,
            found.map(|(parts, lines)| (parts, lines.to_vec())),
            "{expected}"
        );
    }

    #[test]
    fn parts_are_found_between_what_both_texts_share() {
        check("a=1&b=2", "b=2&a=1", Some((&["a=1", "b=2"], &[])));
        check(
            "http://h/x?ab=1&ac=2",
            "http://h/x?ac=2&ab=1",
            Some((&["ab=1", "ac=2"], &["int start = text.indexOf('?') + 1;"])),
        );
        check(
            "A{x=1, y=2, z=3}",
            "A{y=2, x=1, z=3}",
            Some((
                &["x=1", "y=2", "z=3"],
                &[
                    "int start = text.indexOf('{') + 1;",
                    "int end = text.lastIndexOf('}');",
                ],
            )),
        );
        check(
            "SELECT a, b, c FROM t WHERE d = ?",
            "SELECT a, c, b FROM t WHERE d = ?",
            Some((
                &["a", "b", "c"],
                &[
                    "int start = text.indexOf(\"SELECT \") + \"SELECT \".length();",
                    "int end = text.lastIndexOf(\" FROM\");",
                ],
            )),
        );
        check(
            "insert into t (a, b) values (?, ?)",
            "insert into t (b, a) values (?, ?)",
            Some((
                &["a", "b"],
                &[
                    "int start = text.indexOf('(') + 1;",
                    "int end = text.indexOf(')', start);",
                ],
            )),
        );
        check(
            "k=1; j=2; i=3",
            "k=1; i=3; j=2",
            Some((&["k=1", "j=2", "i=3"], &[])),
        );
        check("a\nb\nc\n", "b\na\nc\n", Some((&["a", "b", "c", ""], &[])));
        check(
            "[a, b]",
            "[b, a]",
            Some((
                &["a", "b"],
                &[
                    "int start = text.indexOf('[') + 1;",
                    "int end = text.lastIndexOf(']');",
                ],
            )),
        );
    }

    #[test]
    fn texts_with_other_parts_or_two_lists_stay() {
        check("a=1&b=2", "b=2&a=3", None);
        check("a=1&b=2", "b=2&a=1&a=1", None);
        check(
            "insert into t (a, b) values (1, 2)",
            "insert into t (b, a) values (2, 1)",
            None,
        );
        check("{a=[1, 2], b=3}", "{b=3, a=[1, 2]}", None);
        // Words are parts only if there are as many as elements.
        check("the quick fox is here", "quick the fox is here", None);
        check("abc", "acb", None);
    }

    #[test]
    fn both_texts_are_compared_with_sorted_parts() {
        let source = "class ATest {\n  @Test\n  public void a() {\n    assertEquals(\"u?a=1&b=2\", url);/*fails*/\n  }\n}\n";
        let failed = |java| case(source).compared("u?a=1&b=2", "u?b=2&a=1").java(java, &[]);
        failed(8).check(
            propose,
            &[
                "+import java.util.Arrays;\n+\n-assertEquals(\"u?a=1&b=2\", url);\n\
               +assertEquals(withSortedParameters(\"u?a=1&b=2\"), withSortedParameters(url));\n+}\n+\n\
               +private static String withSortedParameters(String text) {\n+int start = text.indexOf('?') + 1;\n\
               +String[] parts = text.substring(start).split(\"&\", -1);\n+Arrays.sort(parts);\n\
               +return text.substring(0, start) + String.join(\"&\", parts);",
            ],
        );
        failed(7).check(propose, &[]);
        case(source)
            .compared("u?a=1&b=2", "u?b=2&a=3")
            .java(8, &[])
            .check(propose, &[]);
        let mutants = &failed(8).candidates(propose)[0].mutants;
        assert_eq!(mutants.len(), 5);
    }
}
