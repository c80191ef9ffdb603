//! Collections and arrays that remember what can be made again: memos, pools, and what is kept softly.

use crate::case::{Case, FieldPlace};
use crate::field::{Entry, Field, labels};
use crate::methods::Does::{Asks, Counts, Fills, Forgets, Remembers, Takes};
use crate::methods::{ARRAY_STORE, does, is_telling};
use unflake_bytecode::{How, Stored};
use unflake_findings::Mark;
use unflake_protocol::{ChangeForm, Step, What, dotted};

const ATOMIC_ARRAY: &str = "Ljava/util/concurrent/atomic/AtomicReferenceArray;";

/// Some methods look for something and add it if it is missing; the others at most forget. What is added under a key
/// says nothing where it is always the same.
pub(super) fn memo(case: &Case<'_>, place: &FieldPlace<'_>) -> Option<Mark> {
    let (field, methods) = looked_up(case, place, |entry| !only_keeps_keys(entry))?;
    Some(Mark::Memo { field, methods })
}

/// What a method gave out, kept by a key so that it is not given out again. The method has it from no caller, who
/// would be told that it was there.
pub(super) fn given_out(case: &Case<'_>, place: &FieldPlace<'_>) -> Option<Mark> {
    let (field, methods) = looked_up(case, place, |entry| {
        only_keeps_keys(entry) && entry.takes_nothing()
    })?;
    Some(Mark::GivenOut { field, methods })
}

/// What is stored under each key is null, or in one place a constant: it says nothing but that the key is there. Two
/// constants may be the two answers to a question.
fn only_keeps_keys(entry: &Entry<'_>) -> bool {
    let stored = entry.uses.iter().filter_map(|used| match used {
        How::Called { method, stored, .. } if does(method, &[Remembers]) => Some(*stored),
        _ => None,
    });
    let stored: Vec<Stored> = stored.collect();
    stored == [Stored::Constant] || stored.iter().all(|stored| *stored == Stored::Null)
}

/// The field and the methods that look into it before they add something; each of these must fit.
fn looked_up(
    case: &Case<'_>,
    place: &FieldPlace<'_>,
    fits: impl Fn(&Entry<'_>) -> bool,
) -> Option<(String, Vec<String>)> {
    let entries = place.field.later_entries();
    let asks_below = |used: &How<'_>| match used {
        How::CalledBelow { method, .. } => does(method, &[Asks, Takes]),
        _ => false,
    };
    let is_memo = |entry: &&Entry<'_>| {
        entry.has_call(&[Asks])
            && entry.has_call(&[Remembers])
            && !entry.has(is_given)
            && (!entry.has(remembers_below) || entry.has(asks_below))
    };
    let (memos, others): (Vec<&Entry<'_>>, Vec<&Entry<'_>>) = entries.iter().partition(is_memo);
    let is_one = !memos.is_empty()
        && memos.iter().all(|entry| fits(entry))
        && others.iter().all(|entry| entry.calls_only(&[Forgets]));
    (is_one && remembers(case, place, &entries)).then(|| (place.field.label(), labels(&memos)))
}

/// By its name, and one method takes out what another puts in.
pub(super) fn pool(case: &Case<'_>, place: &FieldPlace<'_>) -> Option<Mark> {
    if !place.field.is_called("pool") {
        return None;
    }
    let entries = place.field.later_entries();
    let (takers, rest): (Vec<&Entry<'_>>, Vec<&Entry<'_>>) =
        entries.iter().partition(|entry| entry.has_call(&[Takes]));
    let givers: Vec<&Entry<'_>> = rest
        .into_iter()
        .filter(|entry| entry.has_call(&[Fills]))
        .collect();
    let fits = entries
        .iter()
        .all(|entry| entry.calls_only(&[Takes, Fills, Forgets, Counts]));
    let is_one = fits && !takers.is_empty() && !givers.is_empty();
    (is_one && remembers(case, place, &entries)).then(|| Mark::Pool {
        field: place.field.label(),
        takers: labels(&takers),
        givers: labels(&givers),
    })
}

/// What a private field's collection keeps by a soft or weak reference may go at any time, so code that asks for it
/// must be able to make it again; unless it is what a caller gave, who can tell it from another.
pub(super) fn soft_entries(case: &Case<'_>, place: &FieldPlace<'_>) -> Option<Mark> {
    let field = &place.field;
    let mut held = [case.new, case.key].into_iter().flatten();
    let is_soft = held.any(|what| matches!(what, What::Reference(_)));
    let is_content = matches!(place.below, [Step::Element]);
    let is_of_caller = |used: &How<'_>| is_given(used) || fills_with(used, Stored::FromParameters);
    let is_one = is_soft && is_content && field.is_private() && !field.is_of_tests();
    (is_one && !field.uses().any(is_of_caller)).then(|| Mark::SoftEntries { field: field.label() })
}

/// An array that only one method looks into, which fills it with what nobody gave it. What is below its elements is
/// as they were created, unless they can be given something.
pub(super) fn array_memo(case: &Case<'_>, place: &FieldPlace<'_>) -> Option<Mark> {
    let field = &place.field;
    let element = field.descriptor().strip_prefix("[L")?.strip_suffix(';')?;
    let [Step::Element, deeper @ ..] = place.below else {
        return None;
    };
    let [user] = &field.users()[..] else { return None };
    let is_made = deeper.is_empty() || !case.evidence.is_settable(&dotted(element), Some(user));
    if !is_made || !field.is_private() || field.is_of_tests() {
        return None;
    }
    let leaks = |used: &How<'_>| match used {
        How::Read | How::ReadBack | How::Tested | How::Written(Stored::Other | Stored::New) => false,
        How::Called { method, stored, .. } => method != ARRAY_STORE || *stored == Stored::Parameter,
        _ => true,
    };
    let is_given = user.takes(&format!("L{element};"));
    // What went is made anew, but may be missed by who still has it.
    let is_missed =
        case.form == ChangeForm::Removed && deeper.is_empty() && user.returns(&format!("L{element};"));
    (!user.has(leaks) && !is_given && !is_missed).then(|| Mark::ArrayMemo {
        field: field.label(),
        method: user.label(),
    })
}

/// Whether what happened to the collection can be the work of a memo, and nobody else has a hand in it.
fn remembers(case: &Case<'_>, place: &FieldPlace<'_>, entries: &[Entry<'_>]) -> bool {
    let FieldPlace { field, below } = place;
    let levels = below.iter().filter(|step| **step == Step::Element).count();
    let is_map_of_maps = entries.iter().any(|entry| entry.has(remembers_below));
    let is_content = below.last() == Some(&Step::Element) && (levels == 1 || levels == 2 && is_map_of_maps);
    let can_lose = entries.iter().any(|entry| entry.has_call(&[Forgets, Takes]));
    // No code removes entries from this map, so an entry that seems gone has a key that changed and now looks
    // different.
    let is_form = match case.form {
        ChangeForm::Grown => true,
        ChangeForm::FirstSet => field.descriptor() == ATOMIC_ARRAY,
        ChangeForm::Removed => !can_lose,
        ChangeForm::Replaced => !can_lose && case.old.is_none(),
        ChangeForm::Increased => false,
    };
    // What tests gather in fields of theirs they look at.
    is_form
        && is_content
        && is_hidden(field)
        && !field.is_of_tests()
        && !keeps_of_caller(case, field, entries)
}

/// What the first caller gave is handed to the next, or what a caller gets can be changed.
fn keeps_of_caller(case: &Case<'_>, field: &Field<'_>, entries: &[Entry<'_>]) -> bool {
    let Some(new) = case.new else { return false };
    // What went was there before: its key has changed, and it is there again under the new one.
    if case.form == ChangeForm::Removed {
        return false;
    }
    if entries.iter().any(|entry| entry.has(fills_array_below)) {
        return true;
    }
    if new.is_plain() || is_found_by_key(case, new, entries) {
        return false;
    }
    let is_made_of = |given: Stored| {
        entries
            .iter()
            .any(|entry| entry.has(|used| fills_with(used, given)))
    };
    let is_settable = || {
        new.class()
            .is_some_and(|class| case.evidence.is_settable(class, None))
    };
    let is_projects = || new.class().is_some_and(|class| case.evidence.has_class(class));
    let is_others_collection = || matches!(new, What::Collection { .. }) && !is_projects();
    let computes = |used: &How<'_>| matches!(used, How::Called { method, .. } if method == "computeIfAbsent");
    let is_made_here = || {
        is_made_of(Stored::New)
            || is_made_of(Stored::FromValues)
            || entries.iter().any(|entry| entry.has(computes))
    };
    let hands_out = || field.users().iter().any(Entry::hands_out_what_is_below);
    is_made_of(Stored::FromParameters)
        || is_made_of(Stored::FromValues) && is_settable()
        || is_made_here() && is_others_collection() && hands_out()
}

/// A method, field or constructor of a class: nobody can change what it is, and what its key is made of tells which,
/// if the loader of the class is asked for too. Classes of two loaders may have one name.
fn is_found_by_key(case: &Case<'_>, new: &What, entries: &[Entry<'_>]) -> bool {
    const MEMBERS: [&str; 3] = [
        "java.lang.reflect.Constructor",
        "java.lang.reflect.Field",
        "java.lang.reflect.Method",
    ];
    let mut makers = entries.iter().filter(|entry| entry.has_call(&[Remembers]));
    new.class().is_some_and(|class| MEMBERS.contains(&class))
        && makers.all(|entry| entry.asks_loader(case.evidence))
}

/// A collection that only its own class can reach, and that it made itself.
fn is_hidden(field: &Field<'_>) -> bool {
    let leaks = |used: &How<'_>| match used {
        How::Written(Stored::Parameter) => true,
        // A map of lists to which something is added is a registry.
        How::CalledBelow { method, .. } => is_telling(method) && !remembers_below(used),
        used => used.is_handed_on(),
    };
    field.is_private() && !field.uses().any(leaks)
}

/// Something is put into an array that is in the collection.
fn fills_array_below(used: &How<'_>) -> bool {
    matches!(used, How::CalledBelow { method, .. } if method == ARRAY_STORE)
}

/// In a map of maps, something that nobody gave is put into one of these.
fn remembers_below(used: &How<'_>) -> bool {
    match used {
        How::CalledBelow { method, stored } => {
            does(method, &[Remembers]) && !matches!(stored, Stored::Parameter | Stored::FromParameters)
        }
        _ => false,
    }
}

/// Something that a caller gave is put into it, as it is.
fn is_given(used: &How<'_>) -> bool {
    fills_with(used, Stored::Parameter)
}

fn fills_with(used: &How<'_>, wanted: Stored) -> bool {
    matches!(used, How::Called { method, stored, .. } if *stored == wanted && does(method, &[Fills]))
}
