//! Values are compared instead of their texts, and without the order that nobody promised: a map, a set or a list for
//! what `toString` shows; a set for a list or an array that was made of one; all elements, as often as they occur, for
//! other lists and arrays. Size and repeated elements stay checked.

mod by_index;
mod lists;
mod texts;

use crate::assertion::with_failed;
use crate::candidate::Candidate;
use crate::clues::Clues;

/// A few seconds each: more are not worth it.
const AT_MOST: usize = 3;

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    // Streams and what the compiler infers in arguments are there from Java 8 on.
    if clues.libraries.java < 8 {
        return Vec::new();
    }
    let mut found = with_failed(clues, |file, comparison| {
        let mut found = texts::candidates(clues, file, comparison);
        found.extend(lists::candidates(clues, file, comparison));
        found
    });
    found.extend(by_index::candidates(clues));
    found.truncate(AT_MOST);
    found
}

#[cfg(test)]
mod tests;
