//! Repairs of polluters (R9): what puts shared state back, and where that goes. The state is known from the finding, so
//! nothing of the test itself changes; whether the tests that suffered pass then is shown by running them.
//!
//! [`resets`] says how one state is put back through the code's own API, [`hooks`] where a class has code that runs
//! around its tests. Reflection is never used.

mod heap;
mod hooks;
mod jvm;
mod members;
mod resets;
#[cfg(test)]
mod tests;

use crate::candidate::Candidate;
use crate::clues::Sources;
use crate::edit::Edits;
use crate::java::JavaFile;
use hooks::{Hooks, Moment};
use resets::resets;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use unflake_findings::Safety;
use unflake_protocol::StateKind;

/// Classes of victims whose set-up one patch edits at most: with more of them, the polluter is the better place.
const MOST_VICTIM_CLASSES: usize = 3;

/// A change of shared state that a test leaves behind.
#[derive(Clone, Copy)]
pub struct Polluted<'a> {
    /// `package.Class#method`, or the class if its set-up did it.
    pub test: &'a str,
    /// The class's set-up did it, not the test.
    pub by_class: bool,
    pub state: StateKind,
    /// `package.Class.field`, the name of a property.
    pub held_by: &'a str,
    /// In Java notation.
    pub path: &'a str,
    pub old: Option<&'a str>,
    /// Tests that fail after it.
    pub victims: &'a [String],
    /// Tests after which these pass again.
    pub cleaners: &'a [String],
    pub sources: &'a dyn Sources,
}

/// One way to repair a polluter.
pub struct PolluterStrategy {
    /// As reports name it.
    pub name: &'static str,
    propose: fn(&Polluted<'_>) -> Vec<Candidate>,
}

/// The polluter is the one to change, if it can be.
pub const POLLUTER_STRATEGIES: &[PolluterStrategy] = &[
    PolluterStrategy {
        name: "clean-up",
        propose: clean_up,
    },
    PolluterStrategy {
        name: "reset-before",
        propose: reset_before,
    },
];

/// Everything that may keep a change away from other tests, best first.
pub fn polluter_candidates(polluted: &Polluted<'_>) -> Vec<Candidate> {
    let proposed = POLLUTER_STRATEGIES.iter().flat_map(|strategy| {
        let named = |candidate| Candidate {
            strategy: strategy.name,
            ..candidate
        };
        (strategy.propose)(polluted).into_iter().map(named)
    });
    let mut all: Vec<Candidate> = Vec::new();
    for candidate in proposed {
        if all.iter().all(|other| other.edits != candidate.edits) {
            all.push(candidate);
        }
    }
    all
}

/// After each test of the polluter's class; failing that, after all of them.
fn clean_up(polluted: &Polluted<'_>) -> Vec<Candidate> {
    let class = class_of(polluted.test);
    let Some(file) = test_file(polluted, class) else {
        return Vec::new();
    };
    let Some(hooks) = Hooks::of(&file, class) else {
        return Vec::new();
    };
    let found = resets(polluted, &file, class);
    let moments: &[Moment] = if polluted.by_class {
        &[Moment::AfterAll]
    } else {
        &[Moment::AfterEach, Moment::AfterAll]
    };
    let mut candidates = Vec::new();
    for moment in moments {
        for reset in &found {
            let Some(edits) = hooks.place(*moment, reset) else {
                continue;
            };
            let why = format!("{} {} of `{}`", reset.why, moment.name(), simple(class));
            candidates.push(Candidate::plain(why, &file.path, edits));
        }
    }
    candidates
}

/// Before each test of the victims' classes. What was there before the polluter is not known there, so only values that
/// are written down can be put back.
fn reset_before(polluted: &Polluted<'_>) -> Vec<Candidate> {
    let classes: BTreeSet<&str> = polluted.victims.iter().map(|test| class_of(test)).collect();
    if classes.is_empty() || classes.len() > MOST_VICTIM_CLASSES {
        return Vec::new();
    }
    let mut by_reset: Vec<(String, BTreeMap<String, Edits>)> = Vec::new();
    for class in &classes {
        let Some(file) = test_file(polluted, class) else {
            return Vec::new();
        };
        let Some(hooks) = Hooks::of(&file, class) else {
            return Vec::new();
        };
        let here = resets(polluted, &file, class);
        for reset in here.iter().filter(|reset| reset.saved.is_none()) {
            let Some(edits) = hooks.place(Moment::BeforeEach, reset) else {
                continue;
            };
            match by_reset.iter_mut().find(|(why, _)| *why == reset.why) {
                Some((_, files)) => {
                    // Two classes of one file: the second one waits for another run.
                    files.entry(file.path.clone()).or_insert(edits);
                }
                None => by_reset.push((reset.why.clone(), [(file.path.clone(), edits)].into())),
            }
        }
    }
    let names: Vec<String> = classes
        .iter()
        .map(|class| format!("`{}`", simple(class)))
        .collect();
    let whose = names.join(" and ");
    let candidate = |(why, edits): (String, BTreeMap<String, Edits>)| Candidate {
        strategy: "",
        safety: Safety::Test,
        why: format!("{why} {} of {whose}", Moment::BeforeEach.name()),
        edits,
        assertion: None,
        mutants: Vec::new(),
    };
    by_reset.into_iter().map(candidate).collect()
}

/// The file of a class of tests, if it is one of the project's tests.
fn test_file(polluted: &Polluted<'_>, class: &str) -> Option<Rc<JavaFile>> {
    let file = polluted.sources.of_class(class)?;
    polluted.sources.is_test(&file.path).then_some(file)
}

/// `package.Class` of `package.Class#method`.
fn class_of(test: &str) -> &str {
    test.split('#').next().unwrap_or(test)
}

/// `Outer.Inner` of `package.Outer$Inner`.
fn simple(class: &str) -> String {
    class.rsplit('.').next().unwrap_or(class).replace('$', ".")
}
