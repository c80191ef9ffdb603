//! JSON texts: whether two of them say the same in another order, and texts with one mistake. A value knows its place in
//! its text, so that a mistake is made in the text and all else stays as it was.

use std::ops::Range;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Json {
    span: Range<usize>,
    kind: JsonKind,
}

#[derive(Clone, Debug)]
enum JsonKind {
    /// No name is there twice.
    Object(Vec<JsonMember>),
    Array(Vec<Json>),
    /// A text, a number or a word, as it is written.
    Leaf(String),
}

#[derive(Clone, Debug)]
struct JsonMember {
    start: usize,
    name: String,
    value: Json,
}

impl JsonMember {
    /// Without its quotes.
    fn bare_name(&self) -> &str {
        &self.name[1..self.name.len() - 1]
    }
}

/// Whether the order of the elements of arrays counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrays {
    InOrder,
    InAnyOrder,
}

impl Json {
    /// An object or an array with nothing around it. `None`: it is none, or an object has two members of one name, of
    /// which libraries see only one.
    pub(crate) fn parse(text: &str) -> Option<Json> {
        Json::read(text, &['"'])
    }

    /// The same for texts whose strings may be in single quotes, which several libraries read.
    pub(crate) fn parse_leniently(text: &str) -> Option<Json> {
        Json::read(text, &['"', '\''])
    }

    fn read(text: &str, quotes: &[char]) -> Option<Json> {
        let mut reader = JsonReader { text, at: 0, quotes };
        let json = reader.value(0)?;
        reader.skip_space();
        let is_tree = !matches!(json.kind, JsonKind::Leaf(_));
        (is_tree && reader.at == text.len()).then_some(json)
    }

    pub(crate) fn is_array(&self) -> bool {
        matches!(self.kind, JsonKind::Array(_))
    }

    /// Whether some object has two members, which can change their places.
    pub(crate) fn has_order(&self) -> bool {
        match &self.kind {
            JsonKind::Object(members) => {
                members.len() > 1 || members.iter().any(|member| member.value.has_order())
            }
            JsonKind::Array(elements) => elements.iter().any(Json::has_order),
            JsonKind::Leaf(_) => false,
        }
    }

    /// Whether all objects have their members in alphabetical order.
    pub(crate) fn is_sorted(&self) -> bool {
        match &self.kind {
            JsonKind::Object(members) => {
                members.is_sorted_by(|one, two| one.bare_name() <= two.bare_name())
                    && members.iter().all(|member| member.value.is_sorted())
            }
            JsonKind::Array(elements) => elements.iter().all(Json::is_sorted),
            JsonKind::Leaf(_) => true,
        }
    }

    /// The order in which the first object with members of all these names has them.
    pub(crate) fn order_of(&self, names: &[String]) -> Option<Vec<String>> {
        self.first(|json| {
            let JsonKind::Object(members) = &json.kind else {
                return None;
            };
            let found = members.iter().map(JsonMember::bare_name);
            let found: Vec<String> = found
                .filter(|name| names.iter().any(|wanted| wanted == name))
                .map(str::to_owned)
                .collect();
            (found.len() == names.len()).then_some(found)
        })
    }

    /// Members of objects have no order.
    pub(crate) fn says_the_same(&self, other: &Json, arrays: Arrays) -> bool {
        match (&self.kind, &other.kind) {
            (JsonKind::Object(one), JsonKind::Object(two)) => {
                let same = |member: &JsonMember| {
                    two.iter()
                        .find(|other| other.name == member.name)
                        .is_some_and(|other| member.value.says_the_same(&other.value, arrays))
                };
                one.len() == two.len() && one.iter().all(same)
            }
            (JsonKind::Array(one), JsonKind::Array(two)) if arrays == Arrays::InOrder => {
                one.len() == two.len() && one.iter().zip(two).all(|(a, b)| a.says_the_same(b, arrays))
            }
            (JsonKind::Array(one), JsonKind::Array(two)) => {
                let mut left: Vec<&Json> = two.iter().collect();
                let mut takes = |element: &Json| {
                    let found = left.iter().position(|other| element.says_the_same(other, arrays));
                    found.map(|index| left.swap_remove(index)).is_some()
                };
                one.len() == two.len() && one.iter().all(&mut takes)
            }
            (JsonKind::Leaf(one), JsonKind::Leaf(two)) => one == two,
            _ => false,
        }
    }

    /// The text without its first member, or without its first element if there is no object.
    pub(crate) fn dropped(&self, text: &str) -> Option<String> {
        let cut = self
            .first(|json| match &json.kind {
                JsonKind::Object(members) => {
                    let first = members.first()?;
                    Some(first.start..members.get(1).map_or(first.value.span.end, |next| next.start))
                }
                _ => None,
            })
            .or_else(|| self.first(Json::first_element_with_comma))?;
        Some(replaced(text, cut, ""))
    }

    /// The text with another value at its first leaf, or with another name of its first member if there is none.
    pub(crate) fn changed(&self, text: &str) -> Option<String> {
        let leaf = self.first(|json| match &json.kind {
            JsonKind::Leaf(written) => Some((json.span.clone(), other_value(written))),
            _ => None,
        });
        let renamed = || {
            self.first(|json| match &json.kind {
                JsonKind::Object(members) => members
                    .first()
                    .map(|first| (first.start + 1..first.start + 1, "x".to_owned())),
                _ => None,
            })
        };
        let (place, other) = leaf.or_else(renamed)?;
        Some(replaced(text, place, &other))
    }

    /// The text with the first element of its first array twice.
    pub(crate) fn with_element_doubled(&self, text: &str) -> Option<String> {
        let first = self.first(|json| match &json.kind {
            JsonKind::Array(elements) => elements.first().map(|first| first.span.clone()),
            _ => None,
        })?;
        let twice = format!("{0},{0}", &text[first.clone()]);
        Some(replaced(text, first, &twice))
    }

    /// The text without the first element of its first array.
    pub(crate) fn with_element_dropped(&self, text: &str) -> Option<String> {
        let cut = self.first(Json::first_element_with_comma)?;
        Some(replaced(text, cut, ""))
    }

    fn first_element_with_comma(&self) -> Option<Range<usize>> {
        let JsonKind::Array(elements) = &self.kind else {
            return None;
        };
        let first = elements.first()?;
        let end = elements.get(1).map_or(first.span.end, |next| next.span.start);
        Some(first.span.start..end)
    }

    /// The first answer, outermost values first.
    fn first<R>(&self, look: impl Fn(&Json) -> Option<R> + Copy) -> Option<R> {
        look(self).or_else(|| match &self.kind {
            JsonKind::Object(members) => members.iter().find_map(|member| member.value.first(look)),
            JsonKind::Array(elements) => elements.iter().find_map(|element| element.first(look)),
            JsonKind::Leaf(_) => None,
        })
    }
}

fn replaced(text: &str, range: Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}

fn other_value(written: &str) -> String {
    match written {
        "true" => "false".to_owned(),
        "false" => "true".to_owned(),
        "7" => "8".to_owned(),
        text if text.starts_with(['"', '\'']) => format!("{}x{}", &text[..1], &text[1..]),
        _ => "7".to_owned(),
    }
}

struct JsonReader<'t> {
    text: &'t str,
    at: usize,
    /// What a string may stand between.
    quotes: &'t [char],
}

/// Deeper texts are not read, since each level is a call.
const DEEPEST: u32 = 200;

impl JsonReader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    /// Passes over white space and then over a character, if it is there.
    fn takes(&mut self, wanted: char) -> bool {
        self.skip_space();
        let is_there = self.rest().starts_with(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }

    fn value(&mut self, depth: u32) -> Option<Json> {
        if depth > DEEPEST {
            return None;
        }
        self.skip_space();
        let start = self.at;
        let kind = if self.takes('{') {
            JsonKind::Object(self.members(depth)?)
        } else if self.takes('[') {
            JsonKind::Array(self.elements(depth)?)
        } else {
            JsonKind::Leaf(self.leaf()?)
        };
        Some(Json {
            span: start..self.at,
            kind,
        })
    }

    fn members(&mut self, depth: u32) -> Option<Vec<JsonMember>> {
        let mut members: Vec<JsonMember> = Vec::new();
        if self.takes('}') {
            return Some(members);
        }
        loop {
            self.skip_space();
            let start = self.at;
            let name = self.string()?;
            if !self.takes(':') || members.iter().any(|other| other.name == name) {
                return None;
            }
            let value = self.value(depth + 1)?;
            members.push(JsonMember { start, name, value });
            if self.takes('}') {
                return Some(members);
            }
            if !self.takes(',') {
                return None;
            }
        }
    }

    fn elements(&mut self, depth: u32) -> Option<Vec<Json>> {
        let mut elements = Vec::new();
        if self.takes(']') {
            return Some(elements);
        }
        loop {
            elements.push(self.value(depth + 1)?);
            if self.takes(']') {
                return Some(elements);
            }
            if !self.takes(',') {
                return None;
            }
        }
    }

    fn leaf(&mut self) -> Option<String> {
        if self.rest().starts_with(self.quotes) {
            return self.string();
        }
        let end = self
            .rest()
            .find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c))
            .unwrap_or(self.rest().len());
        let word = self.rest()[..end].to_owned();
        self.at += end;
        let is_number =
            word.starts_with(|c: char| c.is_ascii_digit() || c == '-') && word.parse::<f64>().is_ok();
        (is_number || ["true", "false", "null"].contains(&&*word)).then_some(word)
    }

    /// As it is written, with its quotes.
    fn string(&mut self) -> Option<String> {
        let quote = self.rest().chars().next().filter(|c| self.quotes.contains(c))?;
        let rest = &self.rest()[quote.len_utf8()..];
        let mut is_escaped = false;
        let end = rest.find(|c: char| {
            let ends = c == quote && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        })?;
        let written = self.rest()[..end + 2].to_owned();
        self.at += end + 2;
        Some(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, two: &str, arrays: Arrays) -> bool {
        Json::parse(one)
            .unwrap()
            .says_the_same(&Json::parse(two).unwrap(), arrays)
    }

    #[test]
    fn members_have_no_order_and_elements_have_one() {
        let one = r#"{"a": [1, {"x": "\"}", "y": null}], "b": true}"#;
        assert!(same(
            one,
            r#"{"b":true,"a":[1,{"y":null,"x":"\"}"}]}"#,
            Arrays::InOrder
        ));
        assert!(!same(
            one,
            r#"{"b":true,"a":[{"y":null,"x":"\"}"},1]}"#,
            Arrays::InOrder
        ));
        assert!(same(
            one,
            r#"{"b":true,"a":[{"y":null,"x":"\"}"},1]}"#,
            Arrays::InAnyOrder
        ));
        assert!(!same("[1,1,2]", "[1,2,2]", Arrays::InAnyOrder));
        assert!(!same(one, r#"{"b":true}"#, Arrays::InAnyOrder));
    }

    #[test]
    fn members_tell_their_order() {
        let json = Json::parse(r#"{"b":[{"y":1,"z":2,"x":3}],"c":2}"#).unwrap();
        assert!(!json.is_sorted() && Json::parse(r#"{"b":[{"x":1,"y":2}],"c":2}"#).unwrap().is_sorted());
        let order = |names: [&str; 2]| json.order_of(&names.map(str::to_owned));
        assert_eq!(order(["x", "y"]), Some(vec!["y".to_owned(), "x".to_owned()]));
        assert_eq!(order(["x", "b"]), None);
    }

    #[test]
    fn what_is_not_json_is_not_read() {
        for text in [
            "",
            "1",
            "\"a\"",
            "{a=1}",
            "{\"a\":1",
            "{\"a\":1} x",
            "[1,]",
            "{\"a\":x}",
            "[nan]",
            "{\"a\":1,\"a\":2}",
            "{'a':1}",
        ] {
            assert!(Json::parse(text).is_none(), "{text}");
        }
        let lenient = "{'a':'b\"','c':2}";
        let json = Json::parse_leniently(lenient).unwrap();
        assert_eq!(json.changed(lenient).as_deref(), Some("{'a':'xb\"','c':2}"));
        assert!(Json::parse_leniently("{'a\":1}").is_none());
        assert!(Json::parse(&"[".repeat(100_000)).is_none());
    }

    #[test]
    fn a_mistake_is_one_place_of_the_text() {
        let check = |text: &str, expected: [Option<&str>; 4]| {
            let json = Json::parse(text).unwrap();
            let made = [
                json.dropped(text),
                json.changed(text),
                json.with_element_doubled(text),
                json.with_element_dropped(text),
            ];
            assert_eq!(made.each_ref().map(Option::as_deref), expected, "{text}");
        };
        check(
            r#"{ "a": 1e3, "b": [true, 2] }"#,
            [
                Some(r#"{ "b": [true, 2] }"#),
                Some(r#"{ "a": 7, "b": [true, 2] }"#),
                Some(r#"{ "a": 1e3, "b": [true,true, 2] }"#),
                Some(r#"{ "a": 1e3, "b": [2] }"#),
            ],
        );
        check(
            r#"[{"a":"b"}]"#,
            [
                Some("[{}]"),
                Some(r#"[{"a":"xb"}]"#),
                Some(r#"[{"a":"b"},{"a":"b"}]"#),
                Some("[]"),
            ],
        );
        check(r#"{"a":{}}"#, [Some("{}"), Some(r#"{"xa":{}}"#), None, None]);
        check("[7]", [Some("[]"), Some("[8]"), Some("[7,7]"), Some("[]")]);
    }
}
