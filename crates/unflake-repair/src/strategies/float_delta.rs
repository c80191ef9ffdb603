//! A sum or an average of floating point numbers whose last digits depend on the order of its terms: compared with a
//! tolerance that is far below what the number tells.

use crate::assertion::{Comparison, Style};
use crate::candidate::{Candidate, Mutant, Mutation};
use crate::clues::Clues;
use crate::edit::Edits;
use crate::imports::Import;
use crate::java::{JavaFile, arguments};
use crate::types::type_of;
use tree_sitter::Node;

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let Some((expected, actual)) = values(clues) else {
        return Vec::new();
    };
    let Some(place) = clues.assertion() else {
        return Vec::new();
    };
    let Some(file) = clues.sources.file(&place.file) else {
        return Vec::new();
    };
    let calls = file.on_line("method_invocation", place.line);
    let found = calls.filter_map(|call| {
        let compared = ComparedNumbers::of(&file, call)?;
        let is_float = [compared.expected, compared.actual]
            .iter()
            .filter_map(|side| type_of(clues.sources, &file, *side))
            .any(|of| matches!(of.name.as_str(), "float" | "Float"));
        let delta = Delta::of(expected, actual, is_float)?;
        compared.candidate(&file, &delta)
    });
    found.take(1).collect()
}

/// The two numbers, as the framework tells them.
fn values(clues: &Clues<'_>) -> Option<(f64, f64)> {
    let read = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    match (&clues.failing.expected, &clues.failing.actual) {
        (Some(expected), Some(actual)) => Some((read(expected)?, read(actual)?)),
        _ => {
            let message = clues.failing.message.as_str();
            let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'E');
            let words = message
                .split(|c| !is_part(c))
                .map(|word| word.trim_end_matches('.'));
            let mut numbers = words.filter(|word| word.contains('.')).filter_map(read);
            Some((numbers.next()?, numbers.next()?))
        }
    }
}

/// A tolerance, as it is written.
struct Delta {
    text: String,
    value: f64,
    is_float: bool,
}

impl Delta {
    /// `None`: more than the last digits differ.
    fn of(expected: f64, actual: f64, is_float: bool) -> Option<Delta> {
        let digits = if is_float { 5 } else { 9 };
        if expected == 0.0 || expected == actual {
            return None;
        }
        let magnitude = expected.abs().log10().ceil();
        let exponent = magnitude - f64::from(digits);
        let value = 10_f64.powf(exponent);
        let suffix = if is_float { "f" } else { "" };
        // A few terms more must not come near it.
        (4.0 * (expected - actual).abs() < value).then(|| Delta {
            text: format!("1e{exponent}{suffix}"),
            value,
            is_float,
        })
    }
}

/// A comparison of two numbers.
struct ComparedNumbers<'f> {
    call: Node<'f>,
    style: Style,
    expected: Node<'f>,
    actual: Node<'f>,
    /// A tolerance that is there already.
    delta: Option<Node<'f>>,
}

impl<'f> ComparedNumbers<'f> {
    fn of(file: &'f JavaFile, call: Node<'f>) -> Option<ComparedNumbers<'f>> {
        if let Some(comparison) = Comparison::of(file, call) {
            let is_equality = matches!(comparison.name(file), "assertEquals" | "isEqualTo" | "assertThat");
            return is_equality.then_some(ComparedNumbers {
                call,
                style: comparison.style,
                expected: comparison.expected,
                actual: comparison.actual,
                delta: None,
            });
        }
        if file.field(call, "name") != "assertEquals" {
            return None;
        }
        // The two values come before the tolerance; which is which does not matter to the mutants.
        let all = arguments(call);
        let at = (2..all.len())
            .rfind(|at| all[*at].kind().ends_with("_literal") && number(file, all[*at]).is_some())?;
        Some(ComparedNumbers {
            call,
            style: Style::MessageFirst,
            expected: all[at - 2],
            actual: all[at - 1],
            delta: Some(all[at]),
        })
    }

    fn candidate(&self, file: &JavaFile, delta: &Delta) -> Option<Candidate> {
        if let Some(old) = self.delta
            && number(file, old)? >= delta.value
        {
            return None;
        }
        let factors = match delta.is_float {
            true => ["1.001f", "0.999f"],
            false => ["1.000001", "0.999999"],
        };
        let expected = file.of(self.expected);
        let is_plain = self.expected.kind() == "identifier" || self.expected.kind().ends_with("_literal");
        let operand = if is_plain {
            expected.to_owned()
        } else {
            format!("({expected})")
        };
        let mut mutants = Vec::new();
        for factor in factors {
            mutants.push(Mutant {
                mutation: Mutation::ExpectedChanged,
                edits: self.edits(file, delta, &format!("{operand} * {factor}"))?,
            });
        }
        let edits = file.without_unused_imports(self.edits(file, delta, expected)?);
        let statement = file.statement_of(self.call).unwrap_or(self.call).byte_range();
        Some(Candidate::of_assertion(
            "compare with a small tolerance, since the last digits of a sum depend on the order of its terms",
            &file.path,
            statement,
            edits,
            mutants,
        ))
    }

    fn edits(&self, file: &JavaFile, delta: &Delta, expected: &str) -> Option<Edits> {
        let delta = &delta.text;
        let with_expected = |edits: Edits| {
            if file.of(self.expected) == expected {
                edits
            } else {
                edits.replace(self.expected.byte_range(), expected)
            }
        };
        if let Some(old) = self.delta {
            return Some(with_expected(
                Edits::new().replace(old.byte_range(), delta.as_str()),
            ));
        }
        match self.style {
            Style::MessageFirst | Style::MessageLast | Style::ActualFirst => {
                let end = self.expected.end_byte().max(self.actual.end_byte());
                Some(with_expected(Edits::new()).insert(end, format!(", {delta}")))
            }
            Style::Fluent => self.fluent(file, delta, expected),
            Style::Matcher => {
                let matcher = *arguments(self.call).last()?;
                let import = Import::Static("org.hamcrest.Matchers.closeTo".to_owned());
                let edits =
                    Edits::new().replace(matcher.byte_range(), format!("closeTo({expected}, {delta})"));
                Some(file.with_imports(edits, [import]))
            }
        }
    }

    /// `isCloseTo` of AssertJ, `isWithin` of Truth.
    fn fluent(&self, file: &JavaFile, delta: &str, expected: &str) -> Option<Edits> {
        let start = self.call.child_by_field_name("name")?.start_byte();
        let range = start..self.call.end_byte();
        let holders = file.static_holders("assertThat");
        if holders.iter().any(|holder| holder.contains("truth")) {
            return Some(Edits::new().replace(range, format!("isWithin({delta}).of({expected})")));
        }
        let subject = crate::assertion::subject(file, self.call)?;
        let (holder, import) = match subject.child_by_field_name("object") {
            Some(object) => (format!("{}.", file.of(object)), None),
            None => {
                let holder = holders
                    .first()
                    .copied()
                    .unwrap_or("org.assertj.core.api.Assertions");
                (String::new(), Some(Import::Static(format!("{holder}.within"))))
            }
        };
        let edits = Edits::new().replace(range, format!("isCloseTo({expected}, {holder}within({delta}))"));
        Some(file.with_imports(edits, import))
    }
}

/// A literal that is a number.
fn number(file: &JavaFile, node: Node<'_>) -> Option<f64> {
    let digits = file.of(node).trim_end_matches(['f', 'F', 'd', 'D', 'L', 'l']);
    digits.replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, case};

    fn failing(imports: &str, statement: &str) -> Case {
        let test = format!(
            "{imports}\nclass ATest {{\n  void a(double sum, float f) {{\n    {statement}/*fails*/\n  }}\n}}\n"
        );
        case(&test).compared("0.6", "0.6000000000000001")
    }

    fn check(imports: &str, old: &str, new: &str) {
        failing(imports, old).check(propose, &[&format!("-{old}\n+{new}")]);
    }

    #[test]
    fn every_framework_has_a_tolerance() {
        let four = "import static org.junit.Assert.*;";
        check(four, "assertEquals(0.6, sum);", "assertEquals(0.6, sum, 1e-9);");
        check(
            four,
            "assertEquals(\"m\", 0.6, sum);",
            "assertEquals(\"m\", 0.6, sum, 1e-9);",
        );
        check(
            four,
            "assertEquals(0.6, sum, 0);",
            "assertEquals(0.6, sum, 1e-9);",
        );
        check(
            four,
            "assertEquals(\"m\", 0.6, sum, 0.0);",
            "assertEquals(\"m\", 0.6, sum, 1e-9);",
        );
        let five = "import static org.junit.jupiter.api.Assertions.assertEquals;";
        check(
            five,
            "assertEquals(0.6, sum, \"m\");",
            "assertEquals(0.6, sum, 1e-9, \"m\");",
        );
        let testng = "import static org.testng.Assert.assertEquals;";
        check(
            testng,
            "assertEquals(sum, 0.6, \"m\");",
            "assertEquals(sum, 0.6, 1e-9, \"m\");",
        );
        check(
            "import static org.assertj.core.api.Assertions.*;",
            "assertThat(sum).as(\"m\").isEqualTo(0.6);",
            "assertThat(sum).as(\"m\").isCloseTo(0.6, within(1e-9));",
        );
        check(
            "import org.assertj.core.api.Assertions;",
            "Assertions.assertThat(sum).isEqualTo(0.6);",
            "Assertions.assertThat(sum).isCloseTo(0.6, Assertions.within(1e-9));",
        );
        check(
            "import static com.google.common.truth.Truth.assertThat;",
            "assertThat(sum).isEqualTo(0.6);",
            "assertThat(sum).isWithin(1e-9).of(0.6);",
        );
        check(
            "import static org.hamcrest.Matchers.*;",
            "assertThat(sum, is(0.6));",
            "assertThat(sum, closeTo(0.6, 1e-9));",
        );
    }

    #[test]
    fn the_tolerance_follows_the_magnitude_and_the_type() {
        let old = "assertEquals(e(), sum);";
        let with = |expected: &str, actual: &str, new: &str| {
            let expected_change = format!("-{old}\n+{new}");
            failing("", old)
                .compared(expected, actual)
                .check(propose, &[&expected_change]);
        };
        with("1234.5", "1234.5000000000002", "assertEquals(e(), sum, 1e-5);");
        with(
            "-0.006",
            "-0.006000000000000001",
            "assertEquals(e(), sum, 1e-11);",
        );
        failing("", "assertEquals(0.6f, f);")
            .compared("0.6", "0.6000001")
            .check(
                propose,
                &["-assertEquals(0.6f, f);\n+assertEquals(0.6f, f, 1e-5f);"],
            );
    }

    #[test]
    fn numbers_are_read_from_the_message_where_nothing_else_tells_them() {
        let mut case = failing("", "assertEquals(0.6, sum);");
        case.said("expected:<0.6> but was:<0.6000000000000001>.");
        case.check(
            propose,
            &["-assertEquals(0.6, sum);\n+assertEquals(0.6, sum, 1e-9);"],
        );
    }

    #[test]
    fn a_number_that_is_a_little_too_high_or_too_low_is_noticed() {
        failing("", "assertEquals(sum(1), sum);").check_mutants(
            propose,
            &[
                "one expected element changed: +assertEquals((sum(1)) * 1.000001, sum, 1e-9);",
                "one expected element changed: +assertEquals((sum(1)) * 0.999999, sum, 1e-9);",
            ],
        );
    }

    #[test]
    fn what_is_no_rounding_is_refused() {
        let refused = |statement: &str, expected: &str, actual: &str| {
            failing("", statement)
                .compared(expected, actual)
                .check(propose, &[]);
        };
        refused("assertEquals(0.6, sum);", "0.6", "0.61");
        refused("assertEquals(0.6, sum);", "0.6", "0.6000001");
        refused("assertEquals(0, sum);", "0.0", "1.0E-17");
        refused("assertEquals(\"a\", s);", "a", "b");
        refused("assertEquals(0.6, sum, 0.1);", "0.6", "0.6000000000000001");
        refused("assertTrue(0.6 == sum);", "0.6", "0.6000000000000001");
    }
}
