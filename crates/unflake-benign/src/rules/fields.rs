//! Values that are made or set again before anybody sees them: lazy fields, and what a set-up sets.

use crate::case::{Case, FieldPlace};
use crate::field::{Entry, labels};
use crate::methods::is_telling;
use unflake_bytecode::{How, Stored};
use unflake_findings::Mark;
use unflake_protocol::{ChangeForm, What, dotted};

/// A private field of a test class that the class's own set-up sets or empties: no test of it sees what was there
/// before.
pub(super) fn set_up(case: &Case<'_>) -> Option<Mark> {
    let field = case.evidence.field(case.root()?)?;
    let set_up = field.set_up()?;
    let is_field_itself = case.steps.len() == 1;
    let is_one = field.is_private() && field.is_of_tests() && (is_field_itself || !set_up.is_lazy);
    is_one.then_some(Mark::SetUp { method: set_up.label })
}

/// A private field that every method sets before it reads it: nobody sees what was left there, or below.
pub(super) fn set_before_read(_: &Case<'_>, place: &FieldPlace<'_>) -> Option<Mark> {
    let field = &place.field;
    let users = field.users();
    let reads_back = |user: &&Entry<'_>| user.has(|used| *used == How::ReadBack);
    let readers: Vec<&Entry<'_>> = users.iter().filter(reads_back).collect();
    // The next test that is added to a class of tests may read it.
    let is_hidden = field.is_private() && !field.is_reflected() && !field.is_of_tests();
    let sees_what_was_left = field.uses().any(|used| *used == How::Read);
    let is_one = is_hidden && !sees_what_was_left && !readers.is_empty();
    is_one.then(|| Mark::SetBeforeRead {
        field: field.label(),
        methods: labels(&readers),
    })
}

/// Made where it is missing, by code that would make the same again; nobody outside can tell.
pub(super) fn lazy(case: &Case<'_>, place: &FieldPlace<'_>) -> Option<Mark> {
    let field = &place.field;
    let is_number = matches!(field.descriptor(), "I" | "J" | "S");
    let root = case.root().and_then(|root| case.evidence.field(root));
    let is_hidden = field.is_private() || root.is_some_and(|root| field.is_out_of_reach_from(&root));
    if !begins_with_nothing(case, is_number) || !is_hidden || !case.is_same_in_every_run() {
        return None;
    }
    let value_class = field
        .descriptor()
        .strip_prefix('L')
        .and_then(|class| class.strip_suffix(';'));
    // A singleton that was created and then given something differs from what the code would create next.
    if value_class.is_some_and(|class| case.evidence.is_settable(&dotted(class), None)) {
        return None;
    }
    let is_value = |used: &How<'_>| match used {
        How::Written(Stored::Null) => false,
        How::Written(Stored::Constant) => !is_number,
        How::Written(_) => true,
        _ => false,
    };
    let entries = field.later_entries();
    let (makers, others): (Vec<&Entry<'_>>, Vec<&Entry<'_>>) =
        entries.iter().partition(|entry| entry.has(is_value));
    // Others may forget it, use it behind a call that makes it, or do without a word.
    let is_blind = |entry: &&Entry<'_>| {
        let writes = entry.has(|used| matches!(used, How::Written(_)));
        let is_silent = entry.returns_nothing() && !entry.has(|used| used.is_handed_on());
        writes || is_silent && !entry.has(is_told) || makers.iter().any(|maker| entry.calls(maker))
    };
    let is_one =
        !makers.is_empty() && makers.iter().all(makes_what_is_missing) && others.iter().all(is_blind);
    is_one.then(|| Mark::Lazy {
        field: field.label(),
        methods: labels(&makers),
    })
}

/// The value before is one that stands for none.
fn begins_with_nothing(case: &Case<'_>, is_number: bool) -> bool {
    const NOT_YET: [i64; 3] = [0, -1, i32::MIN as i64];
    match case.form {
        ChangeForm::FirstSet => case.old.is_none_or(|old| *old == What::Null),
        ChangeForm::Increased | ChangeForm::Replaced => {
            is_number && matches!(case.old, Some(What::Integer(old)) if NOT_YET.contains(old))
        }
        ChangeForm::Removed | ChangeForm::Grown => false,
    }
}

fn makes_what_is_missing(entry: &&Entry<'_>) -> bool {
    entry.has(|used| *used == How::Tested)
        && !entry.has(|used| match used {
            How::Written(Stored::Increased | Stored::Added) => true,
            How::Written(stored) => stored.is_of_caller(),
            _ => false,
        })
        && !entry.has(is_told)
}

/// The object is given something to keep.
fn is_told(used: &How<'_>) -> bool {
    matches!(used, How::Called { method, stored, .. } if stored.is_of_caller() && is_telling(method))
}
