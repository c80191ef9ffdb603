//! Assertions that compare two values, whichever framework they are of.

use crate::clues::Clues;
use crate::java::{JavaFile, ancestors, arguments};
use std::ops::Range;
use tree_sitter::Node;

/// A comparison of an expected with an actual value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison<'f> {
    /// The whole call: `assertEquals(a, b)`, `assertThat(b).isEqualTo(a)`.
    pub(crate) call: Node<'f>,
    pub(crate) style: Style,
    pub(crate) expected: Node<'f>,
    pub(crate) actual: Node<'f>,
    /// What is said if it fails.
    pub(crate) message: Option<Node<'f>>,
}

/// Whose assertion it is, and so how its parts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `assertEquals([message,] expected, actual)`: JUnit 3 and 4.
    MessageFirst,
    /// `assertEquals(expected, actual[, message])`: JUnit 5 and 6.
    MessageLast,
    /// `assertEquals(actual, expected[, message])`: TestNG.
    ActualFirst,
    /// `assertThat(actual).isEqualTo(expected)`: AssertJ and Truth.
    Fluent,
    /// `assertThat([message,] actual, is(expected))`: Hamcrest.
    Matcher,
}

/// Assertions of two values that have the same parameters in all frameworks.
const TWO_VALUES: [&str; 4] = [
    "assertEquals",
    "assertArrayEquals",
    "assertIterableEquals",
    "assertLinesMatch",
];
/// Of AssertJ and Truth.
const FLUENT: [&str; 2] = ["isEqualTo", "hasToString"];
/// Of Hamcrest.
const MATCHERS: [&str; 2] = ["is", "equalTo"];

impl<'f> Comparison<'f> {
    /// The name of the assertion: `assertEquals`, `isEqualTo`, `is`.
    pub(crate) fn name(&self, file: &'f JavaFile) -> &'f str {
        file.field(self.call, "name")
    }

    /// The comparisons that a line may have failed in, outermost first.
    pub(crate) fn on_line(file: &'f JavaFile, line: u32) -> Vec<Comparison<'f>> {
        let calls = file.on_line("method_invocation", line);
        calls.filter_map(|call| Comparison::of(file, call)).collect()
    }

    pub(crate) fn of(file: &'f JavaFile, call: Node<'f>) -> Option<Comparison<'f>> {
        let name = file.field(call, "name");
        if TWO_VALUES.contains(&name) {
            return of_two_values(file, call);
        }
        if FLUENT.contains(&name) {
            let subject = subject(file, call)?;
            let ([actual], [expected]) = (&arguments(subject)[..], &arguments(call)[..]) else {
                return None;
            };
            return Some(Comparison {
                call,
                style: Style::Fluent,
                expected: *expected,
                actual: *actual,
                message: None,
            });
        }
        if name != "assertThat" {
            return None;
        }
        let (message, actual, matcher) = match arguments(call)[..] {
            [actual, matcher] => (None, actual, matcher),
            [message, actual, matcher] => (Some(message), actual, matcher),
            _ => return None,
        };
        let is_matcher =
            matcher.kind() == "method_invocation" && MATCHERS.contains(&file.field(matcher, "name"));
        let [expected] = arguments(matcher)[..] else {
            return None;
        };
        // `is(equalTo(x))`
        let expected = match arguments(expected)[..] {
            [inner] if MATCHERS.contains(&file.field(expected, "name")) => inner,
            _ => expected,
        };
        is_matcher.then_some(Comparison {
            call,
            style: Style::Matcher,
            expected,
            actual,
            message,
        })
    }

    /// The statement that makes the comparison.
    pub(crate) fn statement(&self, file: &'f JavaFile) -> Range<usize> {
        file.statement_of(self.call).unwrap_or(self.call).byte_range()
    }
}

/// The `assertThat(…)` that a chain of calls begins with.
pub(crate) fn subject<'f>(file: &'f JavaFile, call: Node<'f>) -> Option<Node<'f>> {
    let below = std::iter::successors(call.child_by_field_name("object"), |node| {
        node.child_by_field_name("object")
    });
    below
        .filter(|node| node.kind() == "method_invocation")
        .find(|node| {
            matches!(
                file.field(*node, "name"),
                "assertThat" | "then" | "assertThatObject" | "that"
            )
        })
}

/// Whether an `assertThat(…)` is Truth's.
pub(crate) fn is_truth(file: &JavaFile, subject: Node<'_>) -> bool {
    match subject.child_by_field_name("object") {
        Some(object) => file.of(object).ends_with("Truth"),
        None => {
            let holders = file.static_holders("assertThat");
            holders.iter().any(|holder| holder.contains("truth"))
        }
    }
}

fn of_two_values<'f>(file: &'f JavaFile, call: Node<'f>) -> Option<Comparison<'f>> {
    let style = style_of_two_values(file, call);
    let arguments = arguments(call);
    let (message, first, second) = match (style, &arguments[..]) {
        (_, [first, second]) => (None, *first, *second),
        (Style::MessageFirst, [message, first, second]) if !is_number(*second) => {
            (Some(*message), *first, *second)
        }
        (Style::MessageLast | Style::ActualFirst, [first, second, message]) if !is_number(*message) => {
            (Some(*message), *first, *second)
        }
        _ => return None,
    };
    let (expected, actual) = match style {
        Style::ActualFirst => (second, first),
        _ => (first, second),
    };
    Some(Comparison {
        call,
        style,
        expected,
        actual,
        message,
    })
}

/// A tolerance, not a message.
fn is_number(node: Node<'_>) -> bool {
    node.kind().ends_with("_integer_literal") || node.kind().ends_with("_floating_point_literal")
}

fn style_of_two_values(file: &JavaFile, call: Node<'_>) -> Style {
    let holders: Vec<&str> = match call.child_by_field_name("object") {
        Some(object) => vec![file.imported(file.of(object)).unwrap_or(file.of(object))],
        None => file.static_holders(file.field(call, "name")),
    };
    let is = |start: &str| holders.iter().any(|holder| holder.starts_with(start));
    if is("org.junit.jupiter.") || holders.contains(&"Assertions") {
        Style::MessageLast
    } else if is("org.testng.") && !is("org.testng.AssertJUnit") {
        Style::ActualFirst
    } else {
        // Also what a class inherits from `TestCase`.
        Style::MessageFirst
    }
}

/// The file and the comparisons of the assertion that failed.
pub(crate) fn with_failed<R>(
    clues: &Clues<'_>,
    look: impl Fn(&JavaFile, Comparison<'_>) -> Vec<R>,
) -> Vec<R> {
    let Some(place) = clues.assertion() else {
        return Vec::new();
    };
    let Some(file) = clues.sources.file(&place.file) else {
        return Vec::new();
    };
    let found = Comparison::on_line(&file, place.line);
    found
        .into_iter()
        .flat_map(|comparison| look(&file, comparison))
        .collect()
}

/// Whether a call is somewhere inside of an assertion.
pub(crate) fn is_in_assertion(file: &JavaFile, node: Node<'_>) -> bool {
    let calls = ancestors(node).filter(|above| above.kind() == "method_invocation");
    calls
        .into_iter()
        .any(|call| file.field(call, "name").starts_with("assert"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(imports: &str, statement: &str, expected: Option<&str>) {
        let text = format!("{imports}\nclass A {{ void a() {{\n{statement}\n}} }}\n");
        let file = JavaFile::parse("A.java", text).unwrap();
        let found = Comparison::on_line(&file, 3);
        let shown = found.first().map(|found| {
            let message = found
                .message
                .map_or(String::new(), |message| format!(" ({})", file.of(message)));
            format!(
                "{} is {}{message}",
                file.of(found.actual),
                file.of(found.expected)
            )
        });
        assert_eq!(shown.as_deref(), expected, "{statement}");
    }

    #[test]
    fn expected_and_actual_are_told_apart_in_every_framework() {
        let four = "import static org.junit.Assert.*;";
        check(four, "assertEquals(e, a);", Some("a is e"));
        check(four, "assertEquals(\"m\", e, a);", Some("a is e (\"m\")"));
        check(four, "assertEquals(e, a, 0.1);", None);
        check("", "assertEquals(\"m\", e, a);", Some("a is e (\"m\")"));
        let five = "import static org.junit.jupiter.api.Assertions.assertEquals;";
        check(five, "assertEquals(e, a, \"m\");", Some("a is e (\"m\")"));
        let five = "import org.junit.jupiter.api.Assertions;";
        check(
            five,
            "Assertions.assertEquals(e, a, () -> m);",
            Some("a is e (() -> m)"),
        );
        check(
            "import static org.testng.Assert.assertEquals;",
            "assertEquals(a, e, m);",
            Some("a is e (m)"),
        );
        check("", "assertThat(a).as(\"m\").isEqualTo(e);", Some("a is e"));
        check("", "assertThat(a, is(equalTo(e)));", Some("a is e"));
        check("", "assertThat(\"m\", a, is(e));", Some("a is e (\"m\")"));
        check("", "assertThat(a, contains(e));", None);
        check("", "assertTrue(a.equals(e));", None);
    }
}
