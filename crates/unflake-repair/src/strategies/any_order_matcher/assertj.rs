//! AssertJ: `containsExactly` and its like, and `isEqualTo` with a list.

use super::{Matched, Replaced, rename};
use crate::assertion::subject;
use crate::candidate::{Candidate, Mutation};
use crate::edit::Edits;
use crate::elements::listed;
use crate::java::{arguments, inside_arguments};
use crate::types::{Shape, type_of};
use crate::varargs::{spoilt, spoilt_arguments};
use tree_sitter::Node;

/// Steps of a chain after which the elements are not those of the subject.
const OTHER_ELEMENTS: [&str; 9] = [
    "filteredOn",
    "filteredOnNull",
    "filteredOnAssertions",
    "flatExtracting",
    "flatMap",
    "asList",
    "asInstanceOf",
    "extractingByKeys",
    "extractingResultOf",
];

impl<'f> Matched<'_, 'f> {
    pub(super) fn of_assertj(&self) -> Option<Candidate> {
        let file = self.file;
        let subject = subject(file, self.call)?;
        let holders = file.static_holders("assertThat");
        if holders.iter().any(|holder| holder.contains("truth")) {
            return None;
        }
        let [actual] = arguments(subject)[..] else {
            return None;
        };
        let shape = type_of(self.clues.sources, file, actual).map(|of| of.shape());
        let is_map = shape == Some(Shape::Map) || self.takes_entries();
        let is_unordered = is_map || shape == Some(Shape::Set);
        if !is_unordered && !self.choice_made_the_order() {
            return None;
        }
        let replaced = match self.name() {
            "containsExactly" if is_map => self.renamed_to("containsOnly"),
            "containsExactly" if self.has_any_order() => self.renamed_to("containsExactlyInAnyOrder"),
            "containsExactly" => self.only_and_size()?,
            "containsExactlyElementsOf" if self.is_assertj((2, 9), (3, 9)) => {
                self.renamed_to("containsExactlyInAnyOrderElementsOf")
            }
            "containsExactlyEntriesOf" if self.is_assertj((3, 13), (3, 13)) => {
                self.renamed_to("containsExactlyInAnyOrderEntriesOf")
            }
            "containsExactlyEntriesOf" => self.renamed_to("isEqualTo"),
            "isEqualTo" if !is_map => self.of_equal(shape)?,
            _ => return None,
        };
        let is_of_subject = self
            .steps(subject)
            .all(|step| !OTHER_ELEMENTS.contains(&file.field(step, "name")));
        let can_repeat = !is_unordered && shape != Some(Shape::Other) && is_of_subject;
        let mut replaced = replaced;
        replaced.actual = can_repeat.then_some(actual);
        if is_map {
            // A key occurs once.
            replaced
                .spoilt
                .retain(|spoilt| spoilt.mutation != Mutation::ExpectedDoubled);
        }
        self.candidate(replaced)
    }

    /// The calls between the subject and the matcher.
    fn steps(&self, subject: Node<'f>) -> impl Iterator<Item = Node<'f>> {
        let below = std::iter::successors(self.call.child_by_field_name("object"), |node| {
            node.child_by_field_name("object")
        });
        below.take_while(move |step| *step != subject)
    }

    fn takes_entries(&self) -> bool {
        let arguments = arguments(self.call);
        let is_entry = |argument: &Node<'_>| self.file.field(*argument, "name") == "entry";
        !arguments.is_empty() && arguments.iter().all(is_entry)
    }

    /// At least this version of the line for Java 7, or of the one for Java 8. A class path that does not name it is
    /// taken for a new one.
    fn is_assertj(&self, two: (u32, u32), three: (u32, u32)) -> bool {
        let libraries = self.clues.libraries;
        let has = |version| libraries.has_at_least("assertj-core", version);
        !libraries.has("assertj-core") || has(three) || has(two) && !has((3, 0))
    }

    fn has_any_order(&self) -> bool {
        self.is_assertj((2, 6), (3, 6))
    }

    fn renamed_to(&self, word: &'static str) -> Replaced<'f, 'f> {
        let (file, call) = (self.file, self.call);
        Replaced {
            word,
            edits: Box::new(move |_| rename(call, word)),
            spoilt: spoilt_arguments(file, call),
            actual: None,
        }
    }

    /// `hasSize(2).containsOnly(a, b)`, which is as strict if no two elements are equal.
    fn only_and_size(&self) -> Option<Replaced<'f, 'f>> {
        let (file, call) = (self.file, self.call);
        let elements = arguments(call);
        let codes: Vec<&str> = elements.iter().map(|element| file.of(*element)).collect();
        let are_distinct = (1..codes.len()).all(|at| !codes[..at].contains(&codes[at]))
            && elements
                .iter()
                .all(|element| element.kind().ends_with("_literal"));
        let n = codes.len();
        are_distinct.then(|| Replaced {
            word: "containsOnly",
            edits: Box::new(move |count| {
                rename(call, &format!("hasSize({}).containsOnly", count.unwrap_or(n)))
            }),
            spoilt: spoilt_arguments(file, call),
            actual: None,
        })
    }

    /// `isEqualTo(list)`
    fn of_equal(&self, actual: Option<Shape>) -> Option<Replaced<'f, 'f>> {
        let (file, call) = (self.file, self.call);
        let [expected] = arguments(call)[..] else {
            return None;
        };
        let expected_shape = type_of(self.clues.sources, file, expected).map(|of| of.shape());
        let shape = actual.filter(|shape| *shape != Shape::Other).or(expected_shape)?;
        let inside = inside_arguments(call)?;
        if !self.has_any_order() || matches!(shape, Shape::Set | Shape::Map | Shape::Other) {
            return None;
        }
        let elements = listed(file, expected).filter(|elements| elements.len() > 1);
        if let Some(elements) = elements {
            let (first, last) = (elements.first()?.start_byte(), elements.last()?.end_byte());
            let word = "containsExactlyInAnyOrder";
            // Mutants replace the elements, the edit takes away what stands around them.
            let around = [inside.start..first, last..inside.end];
            let name = call.child_by_field_name("name")?.byte_range();
            return Some(Replaced {
                word,
                edits: Box::new(move |_| {
                    around
                        .iter()
                        .filter(|range| !range.is_empty())
                        .fold(Edits::new().replace(name.clone(), word), |edits, range| {
                            edits.replace(range.clone(), "")
                        })
                }),
                spoilt: spoilt(file, &elements, first..last),
                actual: None,
            });
        }
        let is_array = matches!(shape, Shape::Array | Shape::PrimitiveArray);
        match is_array {
            true => Some(self.renamed_to("containsExactlyInAnyOrder")),
            false if self.is_assertj((2, 9), (3, 9)) => {
                Some(self.renamed_to("containsExactlyInAnyOrderElementsOf"))
            }
            false => None,
        }
    }
}
