//! Whether two texts say the same in another order: what a renewed literal must fulfil, so that renewing it
//! never accepts a new value.

use serde_json::Value;
use std::ops::Range;

/// The same JSON tree apart from all order, the same lines, or the same tokens with the same values behind
/// `=` and `:`.
pub(crate) fn have_same_parts(one: &str, other: &str) -> bool {
    match (tree(one), tree(other)) {
        // A tree has each name once, whatever the text has.
        (Some(tree), Some(as_tree)) => tree == as_tree && words(one) == words(other),
        _ => {
            sorted(one.split('\n')) == sorted(other.split('\n'))
                || sorted(tokens(one)) == sorted(tokens(other)) && bindings(one) == bindings(other)
        }
    }
}

/// A text with one of its parts missing, changed and doubled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spoilings {
    pub(crate) dropped: String,
    pub(crate) changed: String,
    pub(crate) doubled: String,
}

impl Spoilings {
    /// By the first and the last word, or all of the text if it has none. `None`: the text is empty.
    pub(crate) fn of(text: &str) -> Option<Spoilings> {
        let is_word = |token: &str| token.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        let mut end = 0;
        let ranges = tokens(text).into_iter().map(|token| {
            end += token.len();
            end - token.len()..end
        });
        let words: Vec<Range<usize>> = ranges.filter(|range| is_word(&text[range.clone()])).collect();
        let first = words.first().cloned().unwrap_or(0..text.len());
        let last = words.last().cloned().unwrap_or(0..text.len());
        let with =
            |at: Range<usize>, instead: &str| format!("{}{instead}{}", &text[..at.start], &text[at.end..]);
        (!text.is_empty()).then(|| Spoilings {
            dropped: with(last.clone(), ""),
            changed: with(first.end..first.end, "x"),
            doubled: with(last.end..last.end, &text[last.clone()]),
        })
    }
}

/// The tokens that are no white space.
fn words(text: &str) -> Vec<&str> {
    sorted(tokens(text).into_iter().filter(|token| !token.trim().is_empty()))
}

fn sorted<'t>(parts: impl IntoIterator<Item = &'t str>) -> Vec<&'t str> {
    let mut parts: Vec<&str> = parts.into_iter().collect();
    parts.sort_unstable();
    parts
}

/// A JSON object or array, with its arrays sorted.
fn tree(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    (value.is_object() || value.is_array()).then(|| without_order(&value))
}

fn without_order(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            let mut elements: Vec<String> = elements.iter().map(without_order).collect();
            elements.sort();
            format!("[{}]", elements.join(","))
        }
        Value::Object(fields) => {
            let mut fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{name:?}:{}", without_order(value)))
                .collect();
            fields.sort();
            format!("{{{}}}", fields.join(","))
        }
        plain => plain.to_string(),
    }
}

/// Words, and all else sign by sign.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

/// What stands before and behind each `=` and `:`. In `a=1, b=2` the values may not change their places.
fn bindings(text: &str) -> Vec<[&str; 3]> {
    let tokens: Vec<&str> = tokens(text)
        .into_iter()
        .filter(|token| !token.trim().is_empty() && !matches!(*token, "\"" | "'"))
        .collect();
    let mut found: Vec<[&str; 3]> = tokens
        .windows(3)
        .filter(|three| matches!(three[1], "=" | ":"))
        .map(|three| [three[0], three[1], three[2]])
        .collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_another_order_are_the_same() {
        for (one, other) in [
            ("{\"a\":1,\"b\":[1,2]}", "{\"b\":[2,1],\"a\":1}"),
            ("{\"a\": 1}", "{\"a\":1}"),
            ("a\nb\n", "b\na\n"),
            ("select a, b from t", "select b, a from t"),
            ("P[x=1,y=2]", "P[y=2,x=1]"),
            ("P(x = 'a', y = 'b')", "P(y = 'b', x = 'a')"),
        ] {
            assert!(have_same_parts(one, other), "{one} {other}");
        }
    }

    #[test]
    fn a_part_is_a_word_where_there_are_some() {
        let spoilt =
            |text: &str| Spoilings::of(text).map(|all| [all.dropped, all.changed, all.doubled].join(" | "));
        assert_eq!(spoilt("[a, bc]").as_deref(), Some("[a, ] | [ax, bc] | [a, bcbc]"));
        assert_eq!(spoilt("+-").as_deref(), Some(" | +-x | +-+-"));
        assert_eq!(spoilt(""), None);
    }

    #[test]
    fn other_parts_are_not() {
        for (one, other) in [
            ("{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}"),
            ("P[x=1,y=2]", "P[x=2,y=1]"),
            ("{\"a\":1,\"a\":1}", "{\"a\":1}"),
            ("a\nb", "b\na\n"),
            ("a, b", "a, b, b"),
            ("a, b", "a,b"),
            ("ab c", "a bc"),
            ("a", "b"),
        ] {
            assert!(!have_same_parts(one, other), "{one} {other}");
        }
    }
}
