//! What a failure is blamed on, in words that hold while edits move lines: so one cause is repaired once.

use super::Texts;
use super::search::Known;
use super::sources::is_test;
use std::collections::BTreeSet;
use unflake_findings::{Cause, CauseStatus, Choice, SourcePlace};
use unflake_repair::Candidate;

/// A choice and where the test failed, independent of the numbers of lines, which edits change: several assertions of
/// a test may see one choice.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Blamed {
    api: String,
    call: String,
    allocation: String,
    assertion: String,
}

/// Whether something else is blamed now.
pub(super) fn is_new(cause: &Cause, blamed: &BTreeSet<Blamed>, known: Known<'_>, texts: &Texts) -> bool {
    let is_new = |choice: &Choice| !blamed.contains(&Seen::of(choice, cause).blamed(known, texts));
    cause.status == CauseStatus::Found && cause.choices.iter().any(is_new)
}

/// A choice and where the test saw it, by lines.
pub(super) struct Seen {
    api: String,
    call: Option<SourcePlace>,
    allocation: Option<SourcePlace>,
    assertion: Option<SourcePlace>,
}

impl Seen {
    pub(super) fn of(choice: &Choice, cause: &Cause) -> Seen {
        let mut frames = cause.failed_at.iter();
        Seen {
            api: choice.api.clone(),
            call: choice.call.clone(),
            allocation: choice.allocation.clone(),
            assertion: frames.find(|place| is_test(&place.file)).cloned(),
        }
    }

    pub(super) fn blamed(&self, known: Known<'_>, texts: &Texts) -> Blamed {
        let line = |place: &Option<SourcePlace>| {
            let place = place.as_ref()?;
            let text = current(&place.file, texts, known)?;
            let line = text.lines().nth((place.line as usize).checked_sub(1)?)?;
            Some(format!("{} {}", place.method, line.trim()))
        };
        Blamed {
            api: self.api.clone(),
            call: line(&self.call).unwrap_or_default(),
            allocation: line(&self.allocation).unwrap_or_default(),
            assertion: line(&self.assertion).unwrap_or_default(),
        }
    }

    /// The same, where its lines are after the edits of a candidate.
    pub(super) fn moved(&self, candidate: &Candidate, before: &Texts, known: Known<'_>) -> Seen {
        let moved = |place: &SourcePlace| {
            let edits = candidate.edits.get(&place.file)?;
            let old = current(&place.file, before, known)?;
            let line = (place.line as usize).checked_sub(1)?;
            let start: usize = old.split_inclusive('\n').take(line).map(str::len).sum();
            Some(SourcePlace {
                line: line_of(&edits.apply(&old), edits.moved(start)),
                ..place.clone()
            })
        };
        let of = |place: &Option<SourcePlace>| {
            let place = place.as_ref()?;
            Some(moved(place).unwrap_or_else(|| place.clone()))
        };
        Seen {
            api: self.api.clone(),
            call: of(&self.call),
            allocation: of(&self.allocation),
            assertion: of(&self.assertion),
        }
    }
}

/// A file as it is after some edits.
pub(super) fn current(path: &str, texts: &Texts, known: Known<'_>) -> Option<String> {
    match texts.get(path) {
        Some(text) => Some(text.clone()),
        None => Some(known.sources.original(path)?.text.to_string()),
    }
}

/// The line of a byte, from 1.
pub(super) fn line_of(text: &str, byte: usize) -> u32 {
    let before = text.as_bytes()[..byte.min(text.len())].iter();
    u32::try_from(before.filter(|c| **c == b'\n').count()).unwrap_or(u32::MAX - 1) + 1
}
