//! The last resort: where a text or a list can have two orders and nothing else repairs the test, both are accepted.
//! The actual value is read once, and a comment names what leaves the order open.
//!
//! Never more than two. Where the choice has two elements, there are no more; otherwise only two were seen, and the edit
//! is a suggestion.

use crate::assertion::{Comparison, Style, is_truth, subject, with_failed};
use crate::candidate::{Candidate, Mutant, Mutation};
use crate::clues::Clues;
use crate::edit::Edits;
use crate::imports::Import;
use crate::java::{JavaFile, arguments};
use crate::near::fresh_name;
use crate::reassert::{Reordered, Told, reordered};
use std::ops::Range;
use tree_sitter::Node;
use unflake_findings::Safety;

/// Assertions that compare texts or lists by `equals`.
const BY_EQUALS: [&str; 3] = ["assertEquals", "isEqualTo", "assertThat"];

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let Some(told) = Told::by(clues.failing) else {
        return Vec::new();
    };
    with_failed(clues, |file, comparison| {
        let found = Accepting::of(clues, file, comparison, &told);
        found
            .and_then(|accepting| accepting.candidate())
            .into_iter()
            .collect()
    })
}

/// A comparison that is to accept two values.
struct Accepting<'a, 'f> {
    clues: &'a Clues<'a>,
    file: &'f JavaFile,
    comparison: Comparison<'f>,
    /// The literal, on whichever side it stands.
    expected: Node<'f>,
    actual: Node<'f>,
    statement: Node<'f>,
    orders: Reordered,
}

/// Java for the three values of an assertion.
struct Values<'v> {
    first: &'v str,
    second: &'v str,
    /// `None`: what is there.
    actual: Option<&'v str>,
}

impl<'a, 'f> Accepting<'a, 'f> {
    fn of(
        clues: &'a Clues<'a>,
        file: &'f JavaFile,
        comparison: Comparison<'f>,
        told: &Told,
    ) -> Option<Accepting<'a, 'f>> {
        let statement = file.statement_of(comparison.call)?;
        let in_block = statement.parent().is_some_and(|up| up.kind() == "block");
        let is_all = statement.child(0) == Some(comparison.call);
        let line_start = file.line_start(statement);
        let is_first = file.text()[line_start..statement.start_byte()].trim().is_empty();
        if !BY_EQUALS.contains(&comparison.name(file)) || !in_block || !is_all || !is_first {
            return None;
        }
        // Some write the literal on the other side.
        let swapped = || {
            let told = Told {
                expected: Some(told.actual.clone()),
                actual: told.expected.clone()?,
            };
            let orders = reordered(file, comparison.actual, &told)?;
            Some((orders, comparison.actual, comparison.expected))
        };
        let (orders, expected, actual) = reordered(file, comparison.expected, told)
            .map(|orders| (orders, comparison.expected, comparison.actual))
            .or_else(swapped)?;
        Some(Accepting {
            clues,
            file,
            comparison,
            expected,
            actual,
            statement,
            orders,
        })
    }

    fn candidate(&self) -> Option<Candidate> {
        let has_two = self.clues.choice.elements == 2 && self.clues.choices == 1;
        let api = &self.clues.choice.api;
        let why = if has_two {
            format!("accept both orders of the two elements, since `{api}` does not specify it")
        } else {
            format!("accept the two orders that were seen; `{api}` may give others")
        };
        let edits = self.edits(&Values {
            first: &self.orders.here.code,
            second: &self.orders.met.code,
            actual: None,
        })?;
        let edits = self.file.without_unused_imports(edits);
        let statement = self.statement.byte_range();
        let path = &self.file.path;
        Some(Candidate {
            safety: if has_two { Safety::Test } else { Safety::Suggestion },
            ..Candidate::of_assertion(why, path, statement, edits, self.mutants()?)
        })
    }

    /// Each accepted value with a mistake, while the actual value is that one; and mistakes in the actual value.
    fn mutants(&self) -> Option<Vec<Mutant>> {
        let Reordered { here, met, .. } = &self.orders;
        let (first, second, met_value) = (&here.code, &met.code, Some(&met.value));
        let (mine, other) = (&here.spoilt, &met.spoilt);
        let all = [
            (Mutation::ExpectedDropped, &mine.dropped, second, None),
            (Mutation::ExpectedChanged, &mine.changed, second, None),
            (Mutation::ExpectedDropped, first, &other.dropped, met_value),
            (Mutation::ExpectedChanged, first, &other.changed, met_value),
            (Mutation::ActualDropped, first, second, Some(&mine.dropped)),
            (Mutation::ActualDoubled, first, second, Some(&mine.doubled)),
        ];
        let mutants = all.into_iter().map(|(mutation, first, second, actual)| {
            let edits = self.edits(&Values {
                first,
                second,
                actual: actual.map(String::as_str),
            })?;
            Some(Mutant { mutation, edits })
        });
        mutants.collect()
    }

    fn edits(&self, values: &Values<'_>) -> Option<Edits> {
        match self.comparison.style {
            Style::MessageFirst | Style::MessageLast | Style::ActualFirst => self.of_two_values(values),
            Style::Fluent => self.fluent(values),
            Style::Matcher => self.matcher(values),
        }
    }

    /// The comment that stands above the assertion, with the end of its line.
    fn comment(&self) -> String {
        let end = self.file.line_end();
        let api = &self.clues.choice.api;
        format!(
            "// {api} does not specify the order: both are right.{end}{}",
            self.indent()
        )
    }

    fn indent(&self) -> &'f str {
        self.file.indentation(self.statement)
    }

    /// What separates two parts of an assertion: a space, or a line end where all on one line is too long.
    fn gap(&self, length: usize) -> String {
        if self.indent().chars().count() + length <= self.file.longest_line() {
            return " ".to_owned();
        }
        let deeper = self.file.indent_unit().repeat(2);
        format!("{}{}{deeper}", self.file.line_end(), self.indent())
    }

    /// `assertTrue(text, "a, b".equals(text) || "b, a".equals(text))`
    fn of_two_values(&self, values: &Values<'_>) -> Option<Edits> {
        let file = self.file;
        let (callee, import) = self.assert_true()?;
        let end = file.line_end();
        let is_name = self.actual.kind() == "identifier" && values.actual.is_none();
        let (name, local, imports) = if is_name {
            (file.of(self.actual), String::new(), Vec::new())
        } else {
            let name = fresh_name(file, self.statement, &["actual", "actualValue", "found"])?;
            let (of, import) = if self.orders.is_list {
                let (list, import) = file.using("java.util.List");
                (format!("{list}<?>"), import)
            } else {
                ("String".to_owned(), None)
            };
            let value = values.actual.unwrap_or(file.of(self.actual));
            let local = format!("{of} {name} = {value};{end}{}", self.indent());
            (name, local, import.into_iter().collect())
        };
        let is_equal = |literal: &str| format!("{}.equals({name})", in_parentheses(literal));
        let (first, second) = (is_equal(values.first), is_equal(values.second));
        let message = match self.comparison.message {
            Some(message) => file.of(message).to_owned(),
            None if self.orders.is_list => format!("{name}.toString()"),
            None => name.to_owned(),
        };
        let length = callee.len() + message.len() + first.len() + second.len() + "(,  || );".len();
        let gap = self.gap(length);
        let assertion = match self.comparison.style {
            Style::MessageFirst => format!("{callee}({message}, {first}{gap}|| {second});"),
            _ => format!("{callee}({first}{gap}|| {second}, {message});"),
        };
        let text = format!("{}{local}{assertion}", self.comment());
        let edits = Edits::new().replace(self.statement.byte_range(), text);
        Some(file.with_imports(edits, imports.into_iter().chain(import)))
    }

    /// How `assertTrue` is called here.
    fn assert_true(&self) -> Option<(String, Option<Import>)> {
        const NAME: &str = "assertTrue";
        let file = self.file;
        if let Some(object) = self.comparison.call.child_by_field_name("object") {
            return Some((format!("{}.{NAME}", file.of(object)), None));
        }
        let holders = file.static_holders("assertEquals");
        let import = holders
            .first()
            .map(|holder| Import::Static(format!("{holder}.{NAME}")));
        (!file.has_method(NAME)).then(|| (NAME.to_owned(), import))
    }

    /// `assertThat(text).isIn("a, b", "b, a")`
    fn fluent(&self, values: &Values<'_>) -> Option<Edits> {
        let file = self.file;
        let name = self.comparison.call.child_by_field_name("name")?;
        let word = if is_truth(file, subject(file, self.comparison.call)?) {
            "isAnyOf"
        } else {
            "isIn"
        };
        let gap = self.gap(file.of(self.statement).len() + values.second.len());
        let edits = self
            .with_sides(values)
            .insert(self.statement.start_byte(), self.comment())
            .replace(name.byte_range(), word);
        let both = format!("{},{gap}{}", values.first, values.second);
        Some(edits.replace(self.expected.byte_range(), both))
    }

    /// `assertThat(text, anyOf(is("a, b"), is("b, a")))`
    fn matcher(&self, values: &Values<'_>) -> Option<Edits> {
        let file = self.file;
        let matcher = *arguments(self.comparison.call).last()?;
        let (callee, import) = match matcher.child_by_field_name("object") {
            Some(object) => (format!("{}.anyOf", file.of(object)), None),
            None => {
                let holders = file.static_holders(file.field(matcher, "name"));
                let holder = holders.into_iter().find(|holder| holder.ends_with("Matchers"));
                let import = format!("{}.anyOf", holder.unwrap_or("org.hamcrest.CoreMatchers"));
                ("anyOf".to_owned(), Some(Import::Static(import)))
            }
        };
        let around = |literal: &str| {
            let text = |range: Range<usize>| &file.text()[range];
            let before = text(matcher.start_byte()..self.expected.start_byte());
            format!(
                "{before}{literal}{}",
                text(self.expected.end_byte()..matcher.end_byte())
            )
        };
        let (first, second) = (around(values.first), around(values.second));
        let gap = self.gap(file.of(self.statement).len() + second.len() + callee.len());
        let edits = self
            .with_sides(values)
            .insert(self.statement.start_byte(), self.comment())
            .replace(matcher.byte_range(), format!("{callee}({first},{gap}{second})"));
        Some(file.with_imports(edits, import))
    }

    /// The actual value of a mutant.
    fn with_sides(&self, values: &Values<'_>) -> Edits {
        match values.actual {
            Some(value) => Edits::new().replace(self.actual.byte_range(), value),
            None => Edits::new(),
        }
    }
}

/// What a method can be called on.
fn in_parentheses(code: &str) -> String {
    let is_sum = code.contains('+')
        && JavaFile::parse("", format!("class A {{ Object o = {code}; }}")).is_ok_and(|file| {
            file.nodes()
                .any(|node| node.kind() == "binary_expression" && file.of(node) == code)
        });
    if is_sum {
        format!("({code})")
    } else {
        code.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, case};

    /// A failed statement in a test with these imports; the choice has two elements.
    fn failed(imports: &str, statement: &str) -> Case {
        let text = format!("{imports}\nclass ATest {{\n  void a() {{\n    {statement}/*fails*/\n  }}\n}}\n");
        case(&text).compared("a, b", "b, a")
    }

    /// The lines instead of a statement.
    fn check(imports: &str, statement: &str, expected: &str) {
        let expected = format!("-{statement}\n{expected}");
        let shown = failed(imports, statement).candidates(propose);
        let [candidate] = &shown[..] else {
            panic!("{statement}: {shown:?}");
        };
        let changes = failed(imports, statement).changes(candidate);
        let body: Vec<&str> = changes.lines().filter(|line| !line.contains("import")).collect();
        assert_eq!(body.join("\n"), expected);
        assert_eq!(candidate.safety, Safety::Test);
    }

    /// The assertions with mistakes.
    fn check_mutants(case: &Case, expected: &[&str]) {
        let candidate = &case.candidates(propose)[0];
        let shown = candidate.mutants.iter().map(|mutant| {
            let edits = [(candidate.assertion.clone().unwrap().0, mutant.edits.clone())];
            let mutated = Candidate {
                edits: edits.into(),
                ..candidate.clone()
            };
            let changes = case.changes(&mutated);
            changes.rsplit('+').next().unwrap().to_owned()
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    const COMMENT: &str = "+// HashMap.entrySet does not specify the order: both are right.\n";

    #[test]
    fn both_orders_are_accepted_in_the_style_of_the_file() {
        let four = "import static org.junit.Assert.assertEquals;";
        check(
            four,
            "assertEquals(\"a, b\", f(x));",
            &format!(
                "{COMMENT}+String actual = f(x);\n\
                 +assertTrue(actual, \"a, b\".equals(actual) || \"b, a\".equals(actual));"
            ),
        );
        check(
            four,
            "assertEquals(\"m\", \"a, \" + \"b\", text);",
            &format!(
                "{COMMENT}+assertTrue(\"m\", (\"a, \" + \"b\").equals(text) || (\"b, \" + \"a\").equals(text));"
            ),
        );
        check(
            "import org.junit.jupiter.api.Assertions;",
            "Assertions.assertEquals(\"a, b\", text, () -> m);",
            &format!(
                "{COMMENT}+Assertions.assertTrue(\"a, b\".equals(text) || \"b, a\".equals(text), () -> m);"
            ),
        );
        check(
            "import static org.testng.Assert.assertEquals;",
            "assertEquals(text, \"a, b\");",
            &format!("{COMMENT}+assertTrue(\"a, b\".equals(text) || \"b, a\".equals(text), text);"),
        );
        check(
            "import static org.assertj.core.api.Assertions.assertThat;",
            "assertThat(f(x)).isEqualTo(\"a, b\");",
            &format!("{COMMENT}+assertThat(f(x)).isIn(\"a, b\", \"b, a\");"),
        );
        check(
            "import static com.google.common.truth.Truth.assertThat;",
            "assertThat(f(x)).isEqualTo(\"a, b\");",
            &format!("{COMMENT}+assertThat(f(x)).isAnyOf(\"a, b\", \"b, a\");"),
        );
        check(
            "import static org.hamcrest.Matchers.is;",
            "assertThat(f(x), is(\"a, b\"));",
            &format!("{COMMENT}+assertThat(f(x), anyOf(is(\"a, b\"), is(\"b, a\")));"),
        );
    }

    #[test]
    fn a_literal_on_the_other_side_and_one_of_a_variable_are_found() {
        let swapped = failed("", "assertEquals(text, \"b, a\");");
        swapped.check(
            propose,
            &[&format!(
                "-assertEquals(text, \"b, a\");\n{COMMENT}+assertTrue(text, \"b, a\".equals(text) || \"a, b\".equals(text));"
            )],
        );
        failed("", "String e = \"a, b\";\n    assertEquals(e, text);").check(
            propose,
            &[&format!(
                "-assertEquals(e, text);\n{COMMENT}+assertTrue(text, e.equals(text) || \"b, a\".equals(text));"
            )],
        );
    }

    #[test]
    fn lists_are_accepted_in_two_orders() {
        let imports = "import java.util.Arrays;\nimport static org.junit.Assert.assertEquals;";
        let case =
            failed(imports, "assertEquals(Arrays.asList(\"a\", \"b\"), f());").compared("[a, b]", "[b, a]");
        let [candidate] = &case.candidates(propose)[..] else {
            panic!("there is one candidate");
        };
        let changes = case.changes(candidate);
        assert!(changes.contains("+import java.util.List;"), "{changes}");
        assert!(
            changes.ends_with(
                "+List<?> actual = f();\n+assertTrue(actual.toString(), Arrays.asList(\"a\", \"b\").equals(actual)\n\
                 +|| Arrays.asList(\"b\", \"a\").equals(actual));"
            ),
            "{changes}"
        );
    }

    #[test]
    fn each_accepted_value_with_a_mistake_must_fail() {
        check_mutants(
            &failed("", "assertThat(f(x)).isEqualTo(\"a, b\");"),
            &[
                "assertThat(f(x)).isIn(\"a, \", \"b, a\");",
                "assertThat(f(x)).isIn(\"ax, b\", \"b, a\");",
                "assertThat(\"b, a\").isIn(\"a, b\", \"b, \");",
                "assertThat(\"b, a\").isIn(\"a, b\", \"bx, a\");",
                "assertThat(\"a, \").isIn(\"a, b\", \"b, a\");",
                "assertThat(\"a, bb\").isIn(\"a, b\", \"b, a\");",
            ],
        );
        check_mutants(
            &failed("", "assertThat(f()).isEqualTo(List.of(A, B));").compared("[a, b]", "[b, a]"),
            &[
                "assertThat(f()).isIn(List.of(A), List.of(B, A));",
                "assertThat(f()).isIn(List.of(B, B), List.of(B, A));",
                "assertThat(List.of(B, A)).isIn(List.of(A, B), List.of(B));",
                "assertThat(List.of(B, A)).isIn(List.of(A, B), List.of(A, A));",
                "assertThat(List.of(A)).isIn(List.of(A, B), List.of(B, A));",
                "assertThat(List.of(A, B, B)).isIn(List.of(A, B), List.of(B, A));",
            ],
        );
    }

    #[test]
    fn more_than_two_orders_are_only_suggested() {
        let safety = |elements, choices| {
            let case = failed("", "assertEquals(\"a, b\", text);").of_so_many(elements, choices);
            case.candidates(propose)[0].safety
        };
        assert_eq!(safety(2, 1), Safety::Test);
        assert_eq!(safety(3, 1), Safety::Suggestion);
        assert_eq!(safety(2, 2), Safety::Suggestion);
    }

    #[test]
    fn other_parts_and_other_places_stay() {
        let refused = |statement: &str| failed("", statement).check(propose, &[]);
        failed("", "assertEquals(\"a, b\", text);")
            .compared("a, b", "b, c")
            .check(propose, &[]);
        refused("assertEquals(e(), text);");
        refused("assertSame(\"a, b\", text);");
        refused("assertArrayEquals(new String[] {\"a\", \"b\"}, text);");
        refused("if (x) assertEquals(\"a, b\", text);");
        refused("run(() -> assertEquals(\"a, b\", text));");
        refused("f(); assertEquals(\"a, b\", text);");
        let own = "class ATest {\n  void a() {\n    assertEquals(\"a, b\", text);/*fails*/\n  }\n  void assertTrue(int x) {}\n}\n";
        case(own).compared("a, b", "b, a").check(propose, &[]);
    }
}
