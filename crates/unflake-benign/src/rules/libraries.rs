//! What libraries keep inside of their own objects: caches by types, and what they fill in by themselves.

use super::jvm::is_jdk;
use crate::case::{Case, FieldPlace};
use crate::methods::{is_dropping, is_telling};
use unflake_bytecode::{How, Stored};
use unflake_findings::Mark;
use unflake_protocol::{ChangeForm, FieldName, Step, What};

/// Libraries keep what they found out about a type with the type. What the project itself puts there, or who may do
/// so since the object is handed on, is no cache.
pub(super) fn type_cache(case: &Case<'_>) -> Option<Mark> {
    let place = case.fields.iter().find(|place| !place.field.is_library())?;
    let [Step::Field(inside), deeper @ ..] = place.below else {
        return None;
    };
    // What stands for a type is the type itself, or a key that only the library makes.
    let is_type = |key: &What| *key == What::Class || is_of_library(case, key);
    let is_form = if case.is_further() {
        // What comes along with the entry: of its key and value nothing is known.
        matches!(case.form, ChangeForm::Grown | ChangeForm::FirstSet)
    } else {
        case.form == ChangeForm::Grown
            && deeper.last() == Some(&Step::Element)
            && case.key.is_some_and(is_type)
    };
    let is_one = is_form && is_library(case, &inside.class);
    let entries = place.field.later_entries();
    let is_handed_on = entries.iter().any(|entry| entry.has(|used| used.is_handed_on()));
    (is_one && !is_handed_on && !is_told(place) && !place.field.is_of_tests()).then(|| Mark::TypeCache {
        field: place.field.label(),
    })
}

/// What a library fills in inside of its own object: an entry whose key and value only the library makes, or a part
/// that was missing and that no method takes from a caller. An entry that goes is of this kind if nobody asked for it:
/// its key changed in place, so it went and came. Settings are not: they are replaced, or set by a method to what it
/// is given.
pub(super) fn library_fill(case: &Case<'_>) -> Option<Mark> {
    let place = case.fields.iter().find(|place| !place.field.is_library())?;
    let inside = place.below.iter().rev().find_map(Step::field)?;
    let mut all = place.below.iter().filter_map(Step::field);
    let is_inside = all.all(|field| is_library(case, &field.class));
    let is_entry = place.below.last() == Some(&Step::Element);
    // Of further differences the values are not known.
    let is_made =
        |what: Option<&What>| case.is_further() || what.is_some_and(|what| is_of_library(case, what));
    let is_filled = match case.form {
        ChangeForm::Grown => case.is_further() || is_entry && is_made(case.key) && is_made(case.new),
        ChangeForm::FirstSet => (is_entry || !is_set_by_caller(case, inside)) && is_made(case.new),
        ChangeForm::Removed => is_entry && is_made(case.key) && is_made(case.old) && !is_dropped(place),
        ChangeForm::Increased => case.is_further() && !is_set_by_caller(case, inside),
        ChangeForm::Replaced => false,
    };
    (is_inside && is_filled && !is_told(place)).then(|| Mark::LibraryFill {
        field: place.field.label(),
    })
}

/// The project gives the object in the field something to keep, or puts another one there.
fn is_told(place: &FieldPlace<'_>) -> bool {
    let tells = |used: &How<'_>| match used {
        How::Called { method, .. } | How::CalledBelow { method, .. } => is_telling(method),
        How::Written(_) => true,
        _ => false,
    };
    place.field.later_entries().iter().any(|entry| entry.has(tells))
}

/// The project has the object in the field drop what it holds.
fn is_dropped(place: &FieldPlace<'_>) -> bool {
    let drops = |used: &How<'_>| match used {
        How::Called { method, .. } | How::CalledBelow { method, .. } => is_dropping(method),
        _ => false,
    };
    place.field.later_entries().iter().any(|entry| entry.has(drops))
}

/// Whether a method of the library sets its field to what it is given. What cannot be read may.
fn is_set_by_caller(case: &Case<'_>, field: &FieldName) -> bool {
    let is_given = |used: &How<'_>| match used {
        How::Written(stored) => matches!(stored, Stored::Parameter | Stored::Constant),
        _ => false,
    };
    case.evidence.field(field).is_none_or(|field| {
        let later = field.later_entries();
        later.iter().any(|entry| entry.has(is_given))
    })
}

fn is_library(case: &Case<'_>, class: &str) -> bool {
    !is_jdk(class) && !case.evidence.has_class(class)
}

/// An object of a library's class, or an array of such.
fn is_of_library(case: &Case<'_>, what: &What) -> bool {
    match what {
        What::Object { class } => is_library(case, class),
        What::Collection { class, .. } => {
            let element = class.trim_start_matches('[').strip_prefix('L');
            let element = element.and_then(|class| class.strip_suffix(';'));
            element.is_some_and(|class| is_library(case, class))
        }
        _ => false,
    }
}
