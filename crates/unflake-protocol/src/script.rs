//! Runs in which single choices are told what to do, and what such a run tells (N10, N12).

use serde::{Deserialize, Serialize};
use std::fmt;

/// A choice's place in a run: the scope it was made in (counted from the run's start), the thread that chose there (in
/// the order of their first choices), the number of the call on that thread. One number, ordered in this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChoiceId(pub u64);

impl ChoiceId {
    pub(crate) const SCOPE: u32 = 40;
    pub(crate) const THREAD: u32 = 28;

    pub fn new(scope: u32, thread: u16, call: u32) -> ChoiceId {
        ChoiceId(
            u64::from(scope) << ChoiceId::SCOPE | u64::from(thread) << ChoiceId::THREAD | u64::from(call),
        )
    }

    pub fn scope(self) -> u64 {
        self.0 >> ChoiceId::SCOPE
    }

    pub fn thread(self) -> u64 {
        self.0 >> ChoiceId::THREAD & 0xfff
    }
}

impl fmt::Display for ChoiceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}.{}.{}",
            self.scope(),
            self.thread(),
            self.0 & ((1 << ChoiceId::THREAD) - 1)
        )
    }
}

/// What a choice answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Order {
    Natural,
    /// As the run's strategy says.
    Varied,
    /// The places in natural order of the elements that come first, second…; for a choice that picks one of several
    /// answers, the number of the answer alone.
    Given(Vec<u32>),
}

/// What each choice of a run answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    /// What no entry names.
    pub others: Others,
    /// Ranges, both ends included, in order and without overlap.
    pub entries: Vec<(ChoiceId, ChoiceId, Order)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Others {
    Natural,
    Varied,
}

impl Script {
    /// Everything as the run's strategy says; without one, natural.
    pub const VARIED: Script = Script {
        others: Others::Varied,
        entries: Vec::new(),
    };

    /// Of all choices of a run, in the order of their places, only those that `on` picks vary.
    pub fn only(all: &[ChoiceId], on: impl Fn(usize) -> bool) -> Script {
        let mut entries: Vec<(ChoiceId, ChoiceId, Order)> = Vec::new();
        let mut goes_on = false;
        for (index, id) in all.iter().enumerate() {
            if !on(index) {
                goes_on = false;
                continue;
            }
            match entries.last_mut() {
                Some((_, to, _)) if goes_on => *to = *id,
                _ => entries.push((*id, *id, Order::Varied)),
            }
            goes_on = true;
        }
        Script {
            others: Others::Natural,
            entries,
        }
    }
}

/// What a run tells of its choices when it is over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// All of them, as [`crate::ToProgram::Choices`].
    pub choices: bool,
    /// Of these, sorted, what a person wants to see, as [`crate::ToProgram::Evidence`].
    pub evidence: Vec<ChoiceId>,
    /// With it, where the collections were made.
    pub allocations: bool,
    /// Let a debugger stop there.
    pub stop: bool,
}

/// One choice of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    pub id: ChoiceId,
    /// The model's name.
    pub model: String,
    pub kind: ChoiceKind,
    /// It was made for the project's sake, not by the JDK or the test framework for their own.
    pub by_project: bool,
    /// Elements that were put into an order, or answers to pick from.
    pub size: u32,
    /// The number of the order that was given among all orders of so many elements, sorted (the natural one is 0), or
    /// of the answer; `None`: there are too many.
    pub rank: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ChoiceKind {
    /// Elements are put into an order.
    Rearranges,
    /// One of several answers is picked.
    Picks,
    /// An answer is made up; there are more than can be counted.
    Open,
}

/// What is to be seen of one choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub id: ChoiceId,
    pub model: String,
    pub kind: ChoiceKind,
    pub size: u32,
    /// The class of the collection.
    pub owner: Option<String>,
    /// The first elements in natural order, or the first of the answers, as text.
    pub natural: Vec<String>,
    /// Where answers are picked: which of them is the natural one, from 0.
    pub natural_answer: u32,
    /// The first elements in the order given, or the answer.
    pub failing: Vec<String>,
    /// The elements at other places than in natural order, if they are few.
    pub moved: Vec<String>,
    /// The order given, as [`Order::Given`] has it; empty if it is very long.
    pub order: Vec<u32>,
    /// Innermost first.
    pub stack: Vec<StackFrame>,
    /// Where the collection was made; empty: not known.
    pub allocation: Vec<StackFrame>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackFrame {
    /// With dots.
    pub class: String,
    pub method: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

/// One node of an exploration that is kept to go on with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedNode {
    /// The node it comes from, which stands before it, and the number of the answer that leads here.
    pub parent: Option<(usize, usize)>,
    pub what: SavedKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SavedKind {
    Choice {
        id: ChoiceId,
        model: String,
        kind: ChoiceKind,
        size: u32,
        /// The answer that is given where nothing is said.
        base: usize,
    },
    Passed,
    Failed {
        exception: String,
        message: String,
        line: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_ranges() {
        let all: Vec<ChoiceId> = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]
            .map(|(scope, call)| ChoiceId::new(scope, 0, call))
            .to_vec();
        let ranges = |on: &[usize]| {
            let script = Script::only(&all, |index| on.contains(&index));
            let shown = script.entries.iter().map(|(from, to, _)| format!("{from}-{to}"));
            shown.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ranges(&[0, 1, 2, 4]), "0.0.0-1.0.0 1.0.2-1.0.2");
        assert_eq!(ranges(&[]), "");
    }
}
