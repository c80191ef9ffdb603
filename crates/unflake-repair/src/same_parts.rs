//! Whether two texts say the same in another order: what a renewed literal must fulfil, so that renewing it
//! never accepts a new value.

use serde_json::Value;

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
