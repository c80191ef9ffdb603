//! A pick by position from what has no order becomes a pick by name, type or key: `getMethods()[0]` becomes
//! `getMethod("onText", String.class)`.
//!
//! Which element was meant is known from the natural order, in which the test passes, or from what the test
//! asserts of it. Only test code is edited: main code cannot know the name that one test needs. A pick of
//! which an assertion asks just the name is left alone, since asking for a name and comparing it says
//! nothing.

mod checked;
mod class_literal;
mod element;
mod keys;
mod locals;
mod members;
#[cfg(test)]
mod tests;

use crate::candidate::Candidate;
use crate::clues::Clues;

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let mut found = members::propose(clues);
    found.extend(keys::propose(clues));
    found.extend(element::propose(clues));
    found
}
