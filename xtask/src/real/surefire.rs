//! Reading Surefire's XML reports: which tests ran and which of them failed. Not an XML reader: only tags and their
//! attributes are looked at, text and CDATA (stack traces, output) are passed over.

use crate::{Failure, Outcome};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Outcomes by test, named as findings name them: `package.Class#method`, without parameters. A test with several
/// invocations failed if one of them did.
#[derive(Debug, Default)]
pub(super) struct Results {
    failed: BTreeMap<String, bool>,
}

impl Results {
    /// All `TEST-*.xml` of a directory.
    pub(super) fn read(dir: &Path) -> Outcome<Results> {
        let mut results = Results::default();
        for entry in fs::read_dir(dir)
            .map_err(|e| Failure::io("cannot list", dir, &e))?
            .flatten()
        {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("TEST-") && name.ends_with(".xml") {
                let text = fs::read(&path).map_err(|e| Failure::io("cannot read", &path, &e))?;
                results.add(&String::from_utf8_lossy(&text));
            }
        }
        Ok(results)
    }

    pub(super) fn tests(&self) -> usize {
        self.failed.len()
    }

    pub(super) fn failing(&self) -> Vec<String> {
        self.failed
            .iter()
            .filter(|(_, failed)| **failed)
            .map(|(test, _)| test.clone())
            .collect()
    }

    fn add(&mut self, xml: &str) {
        let mut current: Option<String> = None;
        let mut skipped = false;
        for tag in Tags(xml) {
            match tag.split([' ', '\n', '\t', '/', '>']).next().unwrap_or_default() {
                "testcase" => {
                    let class = attribute(tag, "classname").unwrap_or_default();
                    let test = test_name(&class, &attribute(tag, "name").unwrap_or_default());
                    self.failed.entry(test.clone()).or_insert(false);
                    current = Some(test);
                    skipped = false;
                }
                "skipped" => skipped = true,
                "failure" | "error" if !skipped => {
                    if let Some(test) = &current {
                        self.failed.insert(test.clone(), true);
                    }
                }
                _ => {}
            }
        }
    }
}

/// `foo[3]`, `foo(int)[3]` and `foo{int}[3]` are invocations of `foo`.
pub(super) fn test_name(class: &str, name: &str) -> String {
    let end = name
        .find(['[', '(', '{'])
        .filter(|end| *end > 0)
        .unwrap_or(name.len());
    format!("{class}#{}", name[..end].trim_end())
}

/// What stands between `<` and `>` of each start tag.
struct Tags<'a>(&'a str);

impl<'a> Iterator for Tags<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let rest = &self.0[self.0.find('<')? + 1..];
            let after = |end: &str| rest.find(end).map_or("", |at| &rest[at + end.len()..]);
            if rest.starts_with("![CDATA[") {
                self.0 = after("]]>");
            } else if rest.starts_with("!--") {
                self.0 = after("-->");
            } else {
                let end = end_of_tag(rest);
                self.0 = &rest[end..];
                if !rest.starts_with(['/', '?', '!']) {
                    return Some(&rest[..end]);
                }
            }
        }
    }
}

/// The place of the `>` that ends a tag: one inside of quotes does not.
fn end_of_tag(text: &str) -> usize {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '>' if !quoted => return at,
            _ => {}
        }
    }
    text.len()
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    let value = &tag[start..];
    let value = &value[..value.find('"')?];
    let plain = value
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'");
    Some(plain.replace("&amp;", "&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_belong_to_the_test_before_them() {
        let mut results = Results::default();
        results.add(
            r#"<?xml version="1.0"?><testsuite name="a>b" tests="4"><properties><property name="x" value="&lt;failure&gt;"/></properties>
            <testcase name="one" classname="p.A" time="0"/>
            <testcase name="two[1]" classname="p.A" time="0"><failure message="a &gt; b" type="E"><![CDATA[<error> in text]]></failure></testcase>
            <testcase name="two[2]" classname="p.A"/>
            <testcase name="three" classname="p.B"><skipped/></testcase></testsuite>"#,
        );
        assert_eq!(results.tests(), 3);
        assert_eq!(results.failing(), ["p.A#two"]);
    }

    #[test]
    fn invocations_are_one_test() {
        assert_eq!(test_name("A", "foo(int)[3]"), "A#foo");
        assert_eq!(test_name("A", "foo{String}[1]"), "A#foo");
        assert_eq!(test_name("A", "[strange"), "A#[strange");
    }
}
