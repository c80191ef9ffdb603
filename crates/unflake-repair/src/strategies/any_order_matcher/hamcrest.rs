//! Hamcrest: `contains` and `arrayContaining`, wherever a matcher may stand, and `is(list)`.

use super::{Matched, Replaced};
use crate::assertion::Comparison;
use crate::candidate::Candidate;
use crate::edit::Edits;
use crate::elements::listed;
use crate::imports::Import;
use crate::java::{arguments, inside_arguments};
use crate::rewrite::put;
use crate::types::{Shape, type_of};
use crate::varargs::{spoilt, spoilt_arguments};
use tree_sitter::Node;

/// Artifacts that have `containsInAnyOrder`; the core has not.
const LIBRARIES: [&str; 4] = ["hamcrest", "hamcrest-library", "hamcrest-all", "java-hamcrest"];

impl<'f> Matched<'_, 'f> {
    pub(super) fn of_hamcrest(&self) -> Option<Candidate> {
        match self.name() {
            "contains" => self.of_contains("containsInAnyOrder"),
            "arrayContaining" => self.of_contains("arrayContainingInAnyOrder"),
            "assertThat" => self.of_equal_elements(),
            _ => None,
        }
    }

    fn of_contains(&self, word: &'static str) -> Option<Candidate> {
        let (file, call) = (self.file, self.call);
        // `text.contains("a")` is another method.
        let is_matcher = match call.child_by_field_name("object") {
            Some(object) => file.of(object).ends_with("Matchers"),
            None => true,
        };
        let outer = call.parent().and_then(|list| list.parent());
        let is_argument = call
            .parent()
            .is_some_and(|parent| parent.kind() == "argument_list");
        let actual = outer.and_then(|outer| self.actual_of(outer));
        let is_set = actual
            .and_then(|actual| type_of(self.clues.sources, file, actual))
            .is_some_and(|of| of.shape() == Shape::Set);
        if !is_matcher || !is_argument || !is_set && !self.choice_made_the_order() {
            return None;
        }
        let import = self.import(word);
        self.candidate(Replaced {
            word,
            edits: Box::new(move |_| {
                let name = call.child_by_field_name("name");
                let edits = name.map_or(Edits::new(), |name| put(file, Edits::new(), name, word));
                file.with_imports(edits, import.clone())
            }),
            spoilt: spoilt_arguments(file, call),
            actual: actual.filter(|_| !is_set),
        })
    }

    /// The actual value of `assertThat(actual, contains(…))`, also with `is` around the matcher.
    fn actual_of(&self, outer: Node<'f>) -> Option<Node<'f>> {
        let file = self.file;
        match (file.field(outer, "name"), &arguments(outer)[..]) {
            ("assertThat", [actual, _] | [_, actual, _]) => Some(*actual),
            ("is", [_]) => self.actual_of(outer.parent()?.parent()?),
            _ => None,
        }
    }

    /// The static import beside that of the old word.
    fn import(&self, word: &str) -> Option<Import> {
        if self.call.child_by_field_name("object").is_some() && self.name() != "assertThat" {
            return None;
        }
        let holders = self.file.static_holders(self.name());
        let holder = holders
            .into_iter()
            .find(|holder| holder.ends_with("hamcrest.Matchers"));
        Some(Import::Static(format!(
            "{}.{word}",
            holder.unwrap_or("org.hamcrest.Matchers")
        )))
    }

    /// `assertThat(list, is(Arrays.asList(a, b)))`
    fn of_equal_elements(&self) -> Option<Candidate> {
        let (file, call) = (self.file, self.call);
        let comparison = Comparison::of(file, call)?;
        let elements = listed(file, comparison.expected).filter(|elements| elements.len() > 1)?;
        let matcher = *arguments(call).last()?;
        let shape = type_of(self.clues.sources, file, comparison.expected).map(|of| of.shape());
        let word = match shape? {
            Shape::List => "containsInAnyOrder",
            Shape::Array => "arrayContainingInAnyOrder",
            _ => return None,
        };
        let has_library = LIBRARIES.iter().any(|name| self.clues.libraries.has(name));
        if !has_library || !self.choice_made_the_order() {
            return None;
        }
        let inside = inside_arguments(matcher)?;
        let (first, last) = (elements.first()?.start_byte(), elements.last()?.end_byte());
        let import = Some(Import::Static(format!("org.hamcrest.Matchers.{word}")))
            .filter(|_| matcher.child_by_field_name("object").is_none());
        let name = matcher.child_by_field_name("name")?.byte_range();
        self.candidate(Replaced {
            word,
            edits: Box::new(move |_| {
                let around = [inside.start..first, last..inside.end];
                let edits = around
                    .into_iter()
                    .filter(|range| !range.is_empty())
                    .fold(Edits::new().replace(name.clone(), word), |edits, range| {
                        edits.replace(range, "")
                    });
                file.with_imports(edits, import.clone())
            }),
            spoilt: spoilt(file, &elements, first..last),
            actual: Some(comparison.actual),
        })
    }
}
