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
        ChangeForm::Replaced => case.is_further() && is_own_doing(case, inside, is_entry),
    };
    (is_inside && is_filled && !is_told(place)).then(|| Mark::LibraryFill {
        field: place.field.label(),
    })
}

/// Numbers and links by which a library's own map keeps its entries, as the JDK's maps have them, too: what was used
/// last, when to clean up. Not what the map can be told or shows.
pub(super) fn map_upkeep(case: &Case<'_>) -> Option<Mark> {
    let place = case.fields.iter().find(|place| !place.field.is_library())?;
    let fields: Vec<&FieldName> = place.below.iter().filter_map(Step::field).collect();
    let is_of = |field: &FieldName, classes: &[&str]| case.evidence.inherits(&field.class, classes);
    let is_map = |field: &FieldName| is_of(field, &["java.util.AbstractMap"]);
    let is_one = match fields[..] {
        // Of a number in an `AtomicLong` or the like the JDK's field is the last.
        [.., map, number] if is_map(map) && number.class.starts_with(ATOMIC) => is_own_number(case, map),
        [.., map] if is_map(map) => is_own_number(case, map),
        // Which entry is the first or the last in the queue of those used.
        [.., map, link] if case.is_further() && is_map(map) => {
            let is_part = place
                .below
                .ends_with(&[Step::Field(map.clone()), Step::Field(link.clone())]);
            is_part && is_of(link, &["java.util.AbstractCollection"])
        }
        _ => false,
    };
    is_one.then(|| Mark::MapUpkeep {
        field: place.field.label(),
    })
}

const ATOMIC: &str = "java.util.concurrent.atomic.";

/// A number, or numbers, that the map neither takes from others nor returns to them.
fn is_own_number(case: &Case<'_>, field: &FieldName) -> bool {
    let is_shown = |used: &How<'_>| matches!(used, How::Returned | How::ReturnedBelow);
    case.evidence.field(field).is_some_and(|field| {
        let later = field.later_entries();
        let descriptor = field.descriptor();
        let is_number = matches!(descriptor.trim_start_matches('['), "I" | "J" | "S" | "B")
            || descriptor.contains("java/util/concurrent/atomic/");
        is_number
            && !field.is_given(None)
            && !later.iter().any(|entry| entry.is_public() && entry.has(is_shown))
    })
}

/// Whether only the library can have replaced what is in this field, or an entry of the collection there: some method
/// sets it, and none to what it is given. What cannot be read is not known, and who stores into an array neither.
fn is_own_doing(case: &Case<'_>, field: &FieldName, is_entry: bool) -> bool {
    case.evidence.field(field).is_some_and(|field| {
        let later = field.later_entries();
        let is_set = later
            .iter()
            .any(|entry| entry.has(|used| matches!(used, How::Written(_))));
        let is_collection = field.descriptor().starts_with('L');
        !field.is_given(None) && if is_entry { is_collection } else { is_set }
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
