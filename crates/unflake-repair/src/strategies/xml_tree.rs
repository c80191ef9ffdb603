//! R5 for XML: two texts that differ only by the order of attributes, which XML leaves open, are compared as trees by
//! XMLUnit. Elements, text and white space are compared as before, in their order.

use crate::candidate::{Candidate, Mutation};
use crate::clues::Clues;
use crate::edit::Edits;
use crate::text_comparison::{Sides, TextComparison, mutants, with_failed_texts};
use std::ops::Range;

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    with_failed_texts(clues, |texts| of_texts(clues, texts).into_iter().collect())
}

fn of_texts(clues: &Clues<'_>, texts: &TextComparison<'_>) -> Option<Candidate> {
    let (expected, actual) = (texts.expected.as_str(), texts.actual.as_deref()?);
    if !expected.trim_start().starts_with('<')
        || with_sorted_attributes(expected)? != with_sorted_attributes(actual)?
    {
        return None;
    }
    let form = XmlForm::there(clues)?;
    let file = texts.file;
    let message = texts.comparison.message.is_some();
    let used: Vec<_> = form.classes().iter().map(|class| file.using(class)).collect();
    let rewritten = |sides: &Sides| {
        let (expected, actual) = texts.written(sides);
        let names: Vec<&str> = used.iter().map(|(name, _)| name.as_str()).collect();
        let call = form.written(&names, &expected, &actual);
        let edits = Edits::new().replace(texts.comparison.call.byte_range(), call);
        file.with_imports(edits, used.iter().filter_map(|(_, import)| import.clone()))
    };
    let attribute = tags(expected).find_map(|tag| {
        let first = attributes(&expected[tag.clone()])?.into_iter().next()?;
        Some(tag.start + first.start..tag.start + first.end)
    })?;
    let instead = |text: String| {
        Some(format!(
            "{}{text}{}",
            &expected[..attribute.start],
            &expected[attribute.end..]
        ))
    };
    let written = &expected[attribute.clone()];
    let quote = written.chars().next_back()?;
    let changed = format!("{}x{quote}", &written[..written.len() - 1]);
    let mistakes = [
        (Mutation::ExpectedDropped, instead(String::new())),
        (Mutation::ExpectedChanged, instead(changed)),
    ];
    // What it says on failure would be lost.
    (!message).then(|| {
        Candidate::of_assertion(
            "compare the XML texts as trees with XMLUnit, since attributes of an XML element have no order",
            &file.path,
            texts.comparison.statement(file),
            rewritten(&Sides::default()),
            mutants(mistakes, rewritten),
        )
    })
}

/// How XMLUnit is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum XmlForm {
    /// `XmlAssert.assertThat(actual).and(expected).areIdentical()`, for AssertJ 2 or 3.
    AssertJ2,
    AssertJ3,
    /// `MatcherAssert.assertThat(actual, CompareMatcher.isIdenticalTo(expected))`
    Matcher,
}

impl XmlForm {
    fn there(clues: &Clues<'_>) -> Option<XmlForm> {
        let has = |artifact: &str| clues.libraries.has(artifact);
        if has("xmlunit-assertj3") {
            Some(XmlForm::AssertJ3)
        } else if has("xmlunit-assertj") {
            Some(XmlForm::AssertJ2)
        } else if has("xmlunit-matchers") {
            Some(XmlForm::Matcher)
        } else {
            None
        }
    }

    fn classes(self) -> &'static [&'static str] {
        match self {
            XmlForm::AssertJ2 => &["org.xmlunit.assertj.XmlAssert"],
            XmlForm::AssertJ3 => &["org.xmlunit.assertj3.XmlAssert"],
            XmlForm::Matcher => &[
                "org.hamcrest.MatcherAssert",
                "org.xmlunit.matchers.CompareMatcher",
            ],
        }
    }

    fn written(self, names: &[&str], expected: &str, actual: &str) -> String {
        match (self, names) {
            (XmlForm::Matcher, [matches, compare]) => {
                format!("{matches}.assertThat({actual}, {compare}.isIdenticalTo({expected}))")
            }
            _ => format!(
                "{}.assertThat({actual}).and({expected}).areIdentical()",
                names.join("")
            ),
        }
    }
}

/// The text with the attributes of each tag in alphabetical order. `None`: a tag cannot be read.
fn with_sorted_attributes(text: &str) -> Option<String> {
    let mut sorted = String::new();
    let mut at = 0;
    for tag in tags(text) {
        sorted.push_str(&text[at..tag.start]);
        let written = &text[tag.clone()];
        let all = attributes(written)?;
        let mut values: Vec<&str> = all.iter().map(|range| &written[range.clone()]).collect();
        values.sort_unstable();
        let head = all.first().map_or(written.len(), |first| first.start);
        let rest = all.last().map_or(written.len(), |last| last.end);
        sorted.push_str(&written[..head]);
        sorted.push_str(&values.join(" "));
        sorted.push_str(&written[rest..]);
        at = tag.end;
    }
    sorted.push_str(&text[at..]);
    Some(sorted)
}

/// The tags that begin an element.
fn tags(text: &str) -> impl Iterator<Item = Range<usize>> {
    let starts = text.match_indices('<').map(|(at, _)| at);
    starts.filter_map(|start| {
        let after = text[start + 1..].chars().next()?;
        let length = text[start..].find('>')? + 1;
        after.is_alphabetic().then_some(start..start + length)
    })
}

/// Where the attributes of a tag are.
fn attributes(tag: &str) -> Option<Vec<Range<usize>>> {
    let inner = tag.trim_end_matches('>').trim_end_matches('/').trim_end();
    let mut found = Vec::new();
    let mut at = inner.find(char::is_whitespace).unwrap_or(inner.len());
    loop {
        at += inner[at..].len() - inner[at..].trim_start().len();
        if at >= inner.len() {
            return Some(found);
        }
        let open = at + inner[at..].find('=')? + 1;
        let quote = inner[open..].chars().next().filter(|c| "\"'".contains(*c))?;
        let end = open + 1 + inner[open + 1..].find(quote)? + 1;
        found.push(at..end);
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, case};

    const JARS: [&str; 1] = ["/r/xmlunit-matchers-2.9.1.jar"];

    fn failed(expected: &str, actual: &str) -> Case {
        case(
            "import org.hamcrest.MatcherAssert;\nimport org.xmlunit.assertj3.XmlAssert;\n\
              import org.xmlunit.matchers.CompareMatcher;\nclass ATest {\n  void a() {\n    \
              assertEquals(xml, body);/*fails*/\n  }\n}\n",
        )
        .compared(expected, actual)
        .java(8, &JARS)
    }

    #[test]
    fn attributes_have_no_order() {
        let (one, two) = ("<r>\n<e b=\"2\" a='1'/>t</r>", "<r>\n<e a='1' b=\"2\"/>t</r>");
        failed(one, two).check(
            propose,
            &["-assertEquals(xml, body);\n\
               +MatcherAssert.assertThat(body, CompareMatcher.isIdenticalTo(xml));"],
        );
        failed(one, two)
            .java(8, &["/r/xmlunit-assertj3-2.9.1.jar"])
            .check(
                propose,
                &["-assertEquals(xml, body);\n+XmlAssert.assertThat(body).and(xml).areIdentical();"],
            );
        failed(one, two).check_mutants(
            propose,
            &[
                "one expected element dropped: +MatcherAssert.assertThat(body, CompareMatcher.isIdenticalTo(\
                 \"<r>\\n<e  a='1'/>t</r>\"));",
                "one expected element changed: +MatcherAssert.assertThat(body, CompareMatcher.isIdenticalTo(\
                 \"<r>\\n<e b=\\\"2x\\\" a='1'/>t</r>\"));",
            ],
        );
    }

    #[test]
    fn elements_have_one() {
        failed("<r><a/><b/></r>", "<r><b/><a/></r>").check(propose, &[]);
        failed("<e a='1' b='2'/>", "<e b='2' a='3'/>").check(propose, &[]);
        failed("a='1' b='2'", "b='2' a='1'").check(propose, &[]);
        failed("<e a='1' b='2'/>", "<e b='2' a='1'/>")
            .java(8, &[])
            .check(propose, &[]);
    }
}
