//! The rules by which a change looks harmless: one table, and one loop that asks its rows in their order.
//!
//! Whether a change is marked does not depend on the order of the rows, since one row is enough; which mark it gets
//! does. What a row says is the same for the shown difference and for all further ones below the same root: a root
//! with one difference that no row explains is not marked.

mod collections;
mod fields;
mod jvm;
mod libraries;
mod numbers;
mod table;

use crate::case::{Case, ChangedPart, FieldPlace, Seen};
use crate::evidence::Evidence;
pub(crate) use table::RULES;
use unflake_findings::{Mark, MarkKind};
use unflake_protocol::{StateChange, StateKind};

/// A row: changes of one kind that look harmless.
pub(crate) struct Rule {
    /// What the test gives.
    pub(crate) mark: MarkKind,
    pub(crate) state: StateKind,
    pub(crate) test: Test,
    /// Whether it says something about everything below the root, not only about one difference.
    pub(crate) is_of_root: bool,
    /// Marked so by this row.
    #[cfg_attr(not(test), expect(dead_code, reason = "the test over the table runs it"))]
    pub(crate) hit: Example,
    /// Almost the same, but not harmless.
    #[cfg_attr(not(test), expect(dead_code, reason = "the test over the table runs it"))]
    pub(crate) twin: Example,
}

/// What a rule looks at.
pub(crate) enum Test {
    Change(fn(&Case<'_>) -> Option<Mark>),
    /// The nearest field of the project, if this of it was changed.
    Nearest(&'static [ChangedPart], OfField),
    /// Each field of the project on the way, the nearest first, if this of the nearest was changed.
    Each(&'static [ChangedPart], OfField),
}

type OfField = fn(&Case<'_>, &FieldPlace<'_>) -> Option<Mark>;

/// Classes and a change as texts, in the notation that `tests/notation.rs` explains.
#[cfg_attr(not(test), expect(dead_code, reason = "the test over the table reads it"))]
pub(crate) struct Example {
    pub(crate) classes: &'static str,
    pub(crate) change: &'static str,
}

/// Why a change looks harmless; `None`: it does not.
pub fn mark(change: &StateChange, seen: &Seen<'_>, evidence: &Evidence) -> Option<Mark> {
    let (rule, mark) = judge(&Case::of_change(change, seen, evidence))?;
    if rule.is_of_root {
        return Some(mark);
    }
    // If there were too many further differences to list them all, nobody knows what the others are.
    let are_known = change.also.len() < StateChange::MOST_ALSO;
    let mut further = change.also.iter();
    let is_harmless = are_known
        && further.all(|further| judge(&Case::of_further(change.kind, further, evidence)).is_some());
    is_harmless.then_some(mark)
}

/// The first row that a difference fits, and its mark.
fn judge(case: &Case<'_>) -> Option<(&'static Rule, Mark)> {
    let mut rules = RULES.iter().filter(|rule| rule.state == case.kind);
    let (rule, mark) = rules.find_map(|rule| Some((rule, rule.test.apply(case)?)))?;
    debug_assert_eq!(rule.mark, mark.kind(), "a row gives its own mark");
    Some((rule, mark))
}

impl Test {
    fn apply(&self, case: &Case<'_>) -> Option<Mark> {
        let is_about = |these: &[ChangedPart]| case.changed().is_some_and(|changed| these.contains(&changed));
        match self {
            Test::Change(test) => test(case),
            Test::Nearest(these, test) => test(case, case.fields.first().filter(|_| is_about(these))?),
            Test::Each(these, test) => {
                let mut fields = case.fields.iter().filter(|_| is_about(these));
                fields.find_map(|place| test(case, place))
            }
        }
    }
}
