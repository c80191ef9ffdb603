//! R2: the matcher that the test uses already has a word for the same elements in any order. It replaces the one that
//! asks for an order: for sets and maps, and for lists whose order the blamed choice made.

mod assertj;
mod hamcrest;
mod truth;

use crate::candidate::{Candidate, Mutant, Mutation};
use crate::clues::Clues;
use crate::edit::Edits;
use crate::java::JavaFile;
use crate::rewrite::{SPOILT, with_spoiling};
use crate::varargs::Spoilt;
use tree_sitter::Node;

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let Some(place) = clues.assertion() else {
        return Vec::new();
    };
    let Some(file) = clues.sources.file(&place.file) else {
        return Vec::new();
    };
    let calls = file.on_line("method_invocation", place.line);
    let found = calls.filter_map(|call| {
        let cx = Matched {
            clues,
            file: &file,
            call,
        };
        cx.of_assertj()
            .or_else(|| cx.of_truth())
            .or_else(|| cx.of_hamcrest())
    });
    found.take(2).collect()
}

/// A call of a matcher.
struct Matched<'a, 'f> {
    clues: &'a Clues<'a>,
    file: &'f JavaFile,
    call: Node<'f>,
}

/// How a matcher is replaced.
struct Replaced<'a, 'f> {
    /// The new word, for a commit message.
    word: &'static str,
    /// The edits but for those of the expected elements, which are so many.
    edits: Box<dyn Fn(Option<usize>) -> Edits + 'a>,
    /// The expected elements with one mistake.
    spoilt: Vec<Spoilt>,
    /// The actual value where it may hold an element twice and is at hand.
    actual: Option<Node<'f>>,
}

impl<'f> Matched<'_, 'f> {
    fn name(&self) -> &'f str {
        self.file.field(self.call, "name")
    }

    fn statement(&self) -> Node<'f> {
        self.file.statement_of(self.call).unwrap_or(self.call)
    }

    fn choice_made_the_order(&self) -> bool {
        self.clues.choice_made_the_order(self.file.of(self.statement()))
    }

    fn candidate(&self, replaced: Replaced<'_, 'f>) -> Option<Candidate> {
        let file = self.file;
        if replaced.spoilt.is_empty() {
            return None;
        }
        let at = self.call.start_byte();
        let mut mutants: Vec<Mutant> = Vec::new();
        for spoilt in &replaced.spoilt {
            let edits = (replaced.edits)(spoilt.count).replace(spoilt.range.clone(), spoilt.text.clone());
            let edits = match spoilt.count {
                Some(_) => edits,
                None => with_spoiling(file, edits, spoilt.mutation, at),
            };
            mutants.push(Mutant {
                mutation: spoilt.mutation,
                edits,
            });
        }
        for mutation in [Mutation::ActualDropped, Mutation::ActualDoubled] {
            let Some(actual) = replaced.actual else {
                continue;
            };
            let edits = (replaced.edits)(None)
                .insert(actual.start_byte(), format!("{SPOILT}("))
                .insert(actual.end_byte(), ")");
            mutants.push(Mutant {
                mutation,
                edits: with_spoiling(file, edits, mutation, at),
            });
        }
        let edits = file.without_unused_imports((replaced.edits)(None));
        Some(Candidate::of_assertion(
            format!("use `{}`, since the order is not specified", replaced.word),
            &file.path,
            self.statement().byte_range(),
            edits,
            mutants,
        ))
    }
}

/// A rename of a call; nothing else changes.
fn rename(call: Node<'_>, name: &str) -> Edits {
    let old = call.child_by_field_name("name");
    old.map_or(Edits::new(), |old| Edits::new().replace(old.byte_range(), name))
}

#[cfg(test)]
mod tests;
