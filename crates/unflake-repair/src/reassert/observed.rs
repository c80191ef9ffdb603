//! What is left to suggest where a literal cannot be renewed, because a fixed order gives a value with other parts: the
//! value that was observed. Whether it is right is not known, so it is shown and never applied.

use super::Told;
use super::text::written_like;
use crate::assertion::Comparison;
use crate::candidate::{Candidate, Mutant, Mutation};
use crate::clues::{Failing, Sources};
use crate::edit::Edits;
use crate::java::JavaFile;
use crate::literal::{quoted, text_of};
use crate::same_parts::Spoilings;
use tree_sitter::Node;
use unflake_findings::Safety;

/// The observed value in place of the expected literal. `None`: the assertion that failed does not compare with one
/// literal, or the failure does not tell the value.
pub fn observed(failing: &Failing, sources: &dyn Sources) -> Option<Candidate> {
    let told = Told::by(failing)?;
    let place = failing.frames.iter().find(|frame| sources.is_test(&frame.file))?;
    let file = sources.file(&place.file)?;
    let [comparison] = Comparison::on_line(&file, place.line)[..] else {
        return None;
    };
    let node = comparison.expected;
    let [new, mistakes @ ..] = &literals(&file, node, &told)?[..] else {
        return None;
    };
    let edits = |literal: &String| Edits::new().replace(node.byte_range(), literal.as_str());
    let mutations = [Mutation::ExpectedChanged, Mutation::ExpectedDropped];
    let mutants = mutations
        .into_iter()
        .zip(mistakes)
        .map(|(mutation, literal)| Mutant {
            mutation,
            edits: edits(literal),
        });
    let why = "expect the value that was observed; whether it is right is for you to say";
    Some(Candidate {
        strategy: "observed-value",
        safety: Safety::Suggestion,
        ..Candidate::of_assertion(
            why,
            &file.path,
            comparison.statement(&file),
            edits(new),
            mutants.collect(),
        )
    })
}

/// The literal for the observed value, then those with a mistake: changed, and dropped if it has parts.
fn literals(file: &JavaFile, node: Node<'_>, told: &Told) -> Option<Vec<String>> {
    let is_compared = |written: &str| {
        told.expected
            .as_deref()
            .is_none_or(|expected| expected == written)
    };
    match node.kind() {
        "string_literal" => {
            let is_it = is_compared(&text_of(file, node)?);
            let spoilt = Spoilings::of(&told.actual)?;
            let new = written_like(file, node, &told.actual).ok()?;
            is_it.then(|| vec![new, quoted(&spoilt.changed), quoted(&spoilt.dropped)])
        }
        "decimal_integer_literal" => {
            let number = file.of(node).trim_end_matches(['l', 'L']);
            let suffix = &file.of(node)[number.len()..];
            let value: i64 = told.actual.parse().ok()?;
            let other = value.checked_add(1)?;
            is_compared(number).then(|| vec![format!("{value}{suffix}"), format!("{other}{suffix}")])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, case};

    fn failed(statement: &str, expected: &str, actual: &str) -> Case {
        let text = format!("class ATest {{\n  void a() {{\n    {statement}/*fails*/\n  }}\n}}\n");
        case(&text).compared(expected, actual)
    }

    fn candidates(clues: &crate::clues::Clues<'_>) -> Vec<Candidate> {
        observed(clues.failing, clues.sources).into_iter().collect()
    }

    #[test]
    fn a_literal_gets_the_observed_value() {
        let case = failed("assertEquals(\"a1\", x);", "a1", "b \"2\"");
        case.check(
            candidates,
            &["-assertEquals(\"a1\", x);\n+assertEquals(\"b \\\"2\\\"\", x);"],
        );
        case.check_mutants(
            candidates,
            &[
                "one expected element changed: +assertEquals(\"bx \\\"2\\\"\", x);",
                "one expected element dropped: +assertEquals(\"b \\\"\\\"\", x);",
            ],
        );
        assert_eq!(case.candidates(candidates)[0].safety, Safety::Suggestion);
        let number = failed("assertThat(x).isEqualTo(3L);", "3L", "4");
        number.check(candidates, &[]);
        let number = failed("assertEquals(3L, x);", "3", "4");
        number.check(candidates, &["-assertEquals(3L, x);\n+assertEquals(4L, x);"]);
        number.check_mutants(
            candidates,
            &["one expected element changed: +assertEquals(5L, x);"],
        );
    }

    #[test]
    fn anything_but_one_literal_stays() {
        failed("assertEquals(e, x);", "a", "b").check(candidates, &[]);
        failed("assertEquals(\"a\" + y, x);", "a", "b").check(candidates, &[]);
        failed("assertEquals(\"a\", x); assertEquals(\"c\", y);", "a", "b").check(candidates, &[]);
        failed("assertEquals(\"c\", x);", "a", "b").check(candidates, &[]);
        failed("assertTrue(\"a\".equals(x));", "a", "b").check(candidates, &[]);
        let mut untold = failed("assertEquals(\"a\", x);", "a", "b");
        untold.said("no values");
        untold.check(candidates, &[]);
    }
}
