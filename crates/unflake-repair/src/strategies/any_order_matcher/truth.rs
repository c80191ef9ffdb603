//! Truth: `containsExactly(…)` asks for an order only with `inOrder()`.

use super::{Matched, Replaced, rename};
use crate::assertion::{is_truth, subject};
use crate::candidate::{Candidate, Mutation};
use crate::edit::Edits;
use crate::java::arguments;
use crate::types::{Shape, type_of};
use crate::varargs::spoilt_arguments;
use tree_sitter::Node;

impl<'f> Matched<'_, 'f> {
    pub(super) fn of_truth(&self) -> Option<Candidate> {
        let file = self.file;
        let subject = subject(file, self.call)?;
        let [actual] = arguments(subject)[..] else {
            return None;
        };
        let shape = type_of(self.clues.sources, file, actual).map(|of| of.shape());
        let is_unordered = matches!(shape, Some(Shape::Map | Shape::Set));
        if !is_truth(file, subject) || !is_unordered && !self.choice_made_the_order() {
            return None;
        }
        let mut replaced = match self.name() {
            "inOrder" => self.without_order()?,
            "isEqualTo" => self.of_equal_list(shape)?,
            _ => return None,
        };
        if shape == Some(Shape::Map) {
            replaced
                .spoilt
                .retain(|spoilt| spoilt.mutation != Mutation::ExpectedDoubled);
        }
        replaced.actual = (!is_unordered).then_some(actual);
        self.candidate(replaced)
    }

    /// `containsExactly(a, b).inOrder()`
    fn without_order(&self) -> Option<Replaced<'f, 'f>> {
        let matcher = self.call.child_by_field_name("object")?;
        let word = match self.file.field(matcher, "name") {
            "containsExactly" => "containsExactly",
            "containsExactlyElementsIn" => "containsExactlyElementsIn",
            "containsExactlyEntriesIn" => "containsExactlyEntriesIn",
            _ => return None,
        };
        let end = matcher.end_byte()..self.call.end_byte();
        let is_map_of_pairs = word == "containsExactly" && self.takes_pairs(matcher);
        let spoilt = if is_map_of_pairs {
            Vec::new()
        } else {
            spoilt_arguments(self.file, matcher)
        };
        Some(Replaced {
            word,
            edits: Box::new(move |_| Edits::new().replace(end.clone(), "")),
            spoilt,
            actual: None,
        })
    }

    /// Keys and values in turn: `containsExactly("a", 1, "b", 2)` of a map.
    fn takes_pairs(&self, matcher: Node<'f>) -> bool {
        let on = subject(self.file, matcher).map(arguments).unwrap_or_default();
        let actual = on
            .first()
            .and_then(|actual| type_of(self.clues.sources, self.file, *actual));
        actual.is_some_and(|of| of.shape() == Shape::Map)
    }

    fn of_equal_list(&self, actual: Option<Shape>) -> Option<Replaced<'f, 'f>> {
        let (file, call) = (self.file, self.call);
        let [expected] = arguments(call)[..] else {
            return None;
        };
        let shape = type_of(self.clues.sources, file, expected).map(|of| of.shape());
        if shape.or(actual) != Some(Shape::List) {
            return None;
        }
        Some(Replaced {
            word: "containsExactlyElementsIn",
            edits: Box::new(move |_| rename(call, "containsExactlyElementsIn")),
            spoilt: spoilt_arguments(file, call),
            actual: None,
        })
    }
}
