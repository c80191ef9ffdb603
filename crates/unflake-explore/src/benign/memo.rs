//! Collections and arrays that remember what can be made again: memos, pools, caches; and those that nobody asks.

use super::{Case, is_telling, listed};
use crate::field_uses::{Entry, FILLS, Field, FieldUses, Stored, Use};
use unflake_protocol::{ChangeForm, Slot, Step, What};

const ASKS: [&str; 8] = [
    "get",
    "getOrDefault",
    "getIfPresent",
    "getUnchecked",
    "containsKey",
    "contains",
    "computeIfAbsent",
    "putIfAbsent",
];
/// Only maps and atomic arrays remember: what is added to a set or a list was there before.
const REMEMBERS: [&str; 4] = ["put", "putIfAbsent", "computeIfAbsent", "compareAndSet"];
const TAKES: [&str; 8] = [
    "remove",
    "removeFirst",
    "removeLast",
    "poll",
    "pollFirst",
    "pollLast",
    "pop",
    "take",
];
const FORGETS: [&str; 5] = ["clear", "remove", "invalidate", "invalidateAll", "cleanUp"];
/// How a store into an array is told.
const ARRAY_STORE: &str = "[]=";
const ATOMIC_ARRAY: &str = "Ljava/util/concurrent/atomic/AtomicReferenceArray;";
const COUNTS: [&str; 2] = ["size", "isEmpty"];

impl Case<'_> {
    /// Whether what happened to the collection can be the work of a memo, and nobody else has a hand in it.
    fn memo_fits(&self, field: &Field<'_>, below: &[Step], entries: &[&Entry<'_>], uses: &FieldUses) -> bool {
        let levels = below.iter().filter(|step| **step == Step::Element).count();
        let is_map_of_maps = entries.iter().any(|entry| entry.has(remembers_below));
        let is_content =
            below.last() == Some(&Step::Element) && (levels == 1 || levels == 2 && is_map_of_maps);
        let can_lose = entries
            .iter()
            .any(|entry| entry.has_call(&FORGETS) || entry.has_call(&TAKES));
        // From a map out of which nothing is taken no entry goes: its key has changed, and seems to be another one.
        let is_form = match self.form {
            ChangeForm::Grown => true,
            ChangeForm::FirstSet => field.descriptor() == ATOMIC_ARRAY,
            ChangeForm::Removed => !can_lose,
            ChangeForm::Replaced => !can_lose && self.old.is_none(),
            _ => false,
        };
        // What tests gather in fields of theirs they look at.
        is_form
            && is_content
            && is_hidden(field)
            && !field.is_of_tests()
            && !self.keeps_of_caller(field, entries, uses)
    }

    /// What the first caller gave is handed to the next, or what a caller gets can be changed.
    fn keeps_of_caller(&self, field: &Field<'_>, entries: &[&Entry<'_>], uses: &FieldUses) -> bool {
        // What went was there before: its key has changed, and it is there again under the new one.
        if self.form == ChangeForm::Removed || self.new_value().is_none() {
            return false;
        }
        if entries.iter().any(|entry| entry.has(fills_array_below)) {
            return true;
        }
        if self.is_plain_value() {
            return false;
        }
        let is_made_of = |given: Stored| {
            entries
                .iter()
                .any(|entry| entry.has(|used| fills_with(used, given)))
        };
        let class = self.new_value().and_then(What::class);
        let is_settable = || class.is_some_and(|class| uses.is_settable(class, None));
        let is_others_collection = || match self.new_value() {
            Some(What::Collection { class, .. }) => !uses.has_class(class),
            _ => false,
        };
        let is_made_here = || {
            is_made_of(Stored::New)
                || is_made_of(Stored::MadeOfValues)
                || entries.iter().any(|entry| entry.has_call(&["computeIfAbsent"]))
        };
        let hands_out = || field.users().iter().any(Entry::hands_out_what_is_below);
        is_made_of(Stored::MadeOfGiven)
            || is_made_of(Stored::MadeOfValues) && is_settable()
            || is_made_here() && is_others_collection() && hands_out()
    }

    /// A collection that remembers what can be made again.
    pub(super) fn memo(&self, field: &Field<'_>, below: &[Step], uses: &FieldUses) -> Option<String> {
        let entries = field.later_entries();
        let entries: Vec<&Entry<'_>> = entries.iter().collect();
        if !self.memo_fits(field, below, &entries, uses) {
            return None;
        }
        asked_and_filled(field, &entries)
            .or_else(|| pool(field, &entries))
            .or_else(|| cache_by_name(field, &entries))
    }

    /// What a private field's collection keeps by a soft or weak reference may go at any time, so whoever asks for it must be able to
    /// make it again; unless it is what a caller gave, who can tell it from another.
    pub(super) fn kept_softly(&self, field: &Field<'_>, below: &[Step]) -> Option<String> {
        let (change, _) = self.seen?;
        let key = match &change.slot {
            Some(Slot::Key(key)) => Some(&key.what),
            _ => None,
        };
        let is_soft = [self.new_value(), key]
            .into_iter()
            .flatten()
            .any(|what| matches!(what, What::Reference(_)));
        let is_content = matches!(below, [Step::Element]);
        let is_of_caller = |used: &Use| is_given(used) || fills_with(used, Stored::MadeOfGiven);
        let is_one = is_soft && is_content && field.is_private() && !field.is_of_tests();
        (is_one && !field.uses().any(is_of_caller))
            .then(|| format!("kept softly: what `{}` got may go at any time", field.label()))
    }

    /// An array that only one method looks into, which fills it with what nobody gave it. What is below its elements is as they
    /// were made, unless they can be told something.
    pub(super) fn memo_in_array(
        &self,
        field: &Field<'_>,
        below: &[Step],
        uses: &FieldUses,
    ) -> Option<String> {
        let element = field.descriptor().strip_prefix("[L")?.strip_suffix(';')?;
        let (first, deeper) = below.split_first()?;
        let [user] = &field.users()[..] else { return None };
        let is_made = deeper.is_empty() || !uses.is_settable(&element.replace('/', "."), Some(user));
        if *first != Step::Element || !is_made || !field.is_private() || field.is_of_tests() {
            return None;
        }
        let leaks = |used: &Use| match used {
            Use::Read | Use::ReadBack | Use::Tested | Use::Written(Stored::Other | Stored::New) => false,
            Use::Called { method, stored, .. } => method != ARRAY_STORE || *stored == Stored::Given,
            _ => true,
        };
        let is_given = user.takes(&format!("L{element};"));
        // What went is made anew, but may be missed by who still has it.
        let is_missed =
            self.form == ChangeForm::Removed && deeper.is_empty() && user.returns(&format!("L{element};"));
        (!user.has(leaks) && !is_given && !is_missed).then(|| {
            format!(
                "a memo: only `{}` looks into the array `{}` and fills it",
                user.label(),
                field.label()
            )
        })
    }

    /// `None`: not known.
    fn new_value(&self) -> Option<&What> {
        let (change, _) = self.seen?;
        change.new.as_ref().map(|new| &new.what)
    }

    /// A text, a number or a class: not an object that may keep what the first caller gave, and hand it to the next.
    fn is_plain_value(&self) -> bool {
        self.new_value().is_none_or(What::is_plain)
    }

    /// A library's cache in a private field that is only asked.
    pub(super) fn cache_by_type(&self, field: &Field<'_>) -> Option<String> {
        let is_cache = field.descriptor().ends_with("Cache;");
        if !is_cache || self.form == ChangeForm::Removed || !is_hidden(field) {
            return None;
        }
        let entries = field.later_entries();
        let entries: Vec<&Entry<'_>> = entries.iter().collect();
        let fits = |used: &Use| match used {
            Use::Called { method, .. } => {
                [ASKS.as_slice(), FILLS.as_slice(), FORGETS.as_slice()]
                    .concat()
                    .contains(&method.as_str())
                    && !is_given(used)
            }
            other => only_looks(other),
        };
        let all = !entries.is_empty() && entries.iter().all(|entry| !entry.has(|used| !fits(used)));
        all.then(|| {
            format!(
                "by its type a cache: {} ask `{}`",
                listed(&entries),
                field.label()
            )
        })
    }

    /// A collection that nobody asks.
    pub(super) fn only_filled(&self, field: &Field<'_>, below: &[Step]) -> Option<String> {
        let fits = |used: &Use| match used {
            Use::Read | Use::ReadBack | Use::Written(_) => true,
            Use::Called { method, dropped, .. } => *dropped && FILLS.contains(&method.as_str()),
            _ => false,
        };
        // What is done with the elements of an array is no call.
        let is_array = field.descriptor().starts_with('[');
        let is_content = !is_array && self.form == ChangeForm::Grown && matches!(below, [Step::Element]);
        let hidden = is_hidden(field) && !field.is_reflected() && field.uses().next().is_some();
        (is_content && hidden && field.uses().all(fits))
            .then(|| format!("never read: `{}` is private and only added to", field.label()))
    }
}

/// Some methods look for something and add it if it is missing; the others at most forget.
fn asked_and_filled(field: &Field<'_>, entries: &[&Entry<'_>]) -> Option<String> {
    let asks_below = |used: &Use| match used {
        Use::CalledBelow { method, .. } => [ASKS, TAKES].concat().contains(&method.as_str()),
        _ => false,
    };
    let is_memo = |entry: &Entry<'_>| {
        entry.has_call(&ASKS)
            && entry.has_call(&REMEMBERS)
            && !entry.has(is_given)
            && (!entry.has(remembers_below) || entry.has(asks_below))
    };
    let (memos, others): (Vec<&Entry<'_>>, Vec<&Entry<'_>>) =
        entries.iter().partition(|entry| is_memo(entry));
    let is_one = !memos.is_empty() && others.iter().all(|entry| calls_only(entry, &[&FORGETS]));
    let (look, add) = if memos.len() == 1 {
        ("looks into", "adds")
    } else {
        ("look into", "add")
    };
    is_one.then(|| {
        format!(
            "a memo: {} {look} `{}` and {add} what is missing; nothing else uses it",
            listed(&memos),
            field.label()
        )
    })
}

/// By its name, and one method takes out what another puts in.
fn pool(field: &Field<'_>, entries: &[&Entry<'_>]) -> Option<String> {
    named(field, &["pool"])?;
    let (takers, rest): (Vec<&Entry<'_>>, Vec<&Entry<'_>>) =
        entries.iter().partition(|entry| entry.has_call(&TAKES));
    let givers = rest.into_iter().filter(|entry| entry.has_call(&FILLS));
    let givers: Vec<&Entry<'_>> = givers.collect();
    let fits = entries
        .iter()
        .all(|entry| calls_only(entry, &[&TAKES, &FILLS, &FORGETS, &COUNTS]));
    (fits && !takers.is_empty() && !givers.is_empty()).then(|| {
        format!(
            "a pool: {} puts into `{}` what {} takes out again",
            listed(&givers),
            field.label(),
            listed(&takers)
        )
    })
}

/// By its name, and it is asked and filled, maybe by different methods.
fn cache_by_name(field: &Field<'_>, entries: &[&Entry<'_>]) -> Option<String> {
    let word = named(field, &["cache", "memo", "intern"])?;
    let fits = entries
        .iter()
        .all(|entry| calls_only(entry, &[&ASKS, &FILLS, &FORGETS]) && !entry.has(is_given));
    let both = entries.iter().any(|entry| entry.has_call(&ASKS))
        && entries.iter().any(|entry| entry.has_call(&FILLS));
    (fits && both).then(|| {
        format!(
            "by its name a {word}: {} use `{}`, none of them is given what to put into it, none shows how much that is",
            listed(entries),
            field.label()
        )
    })
}

/// The first of these words that is in the name of the field or of its class.
fn named(field: &Field<'_>, words: &[&'static str]) -> Option<&'static str> {
    let names = [field.name(), &field.class()].map(str::to_ascii_lowercase);
    let is_in = |word: &&&str| names.iter().any(|name| name.contains(**word));
    words.iter().find(is_in).copied()
}

/// The object in the field is asked for nothing else than what these methods do.
fn calls_only(entry: &Entry<'_>, methods: &[&[&str]]) -> bool {
    !entry.has(|used| match used {
        Use::Called { method, .. } => !methods.concat().contains(&method.as_str()),
        other => *other != Use::Tested && !only_looks(other),
    })
}

/// A collection that only its own class can reach, and that it made itself.
fn is_hidden(field: &Field<'_>) -> bool {
    let leaks = |used: &Use| match used {
        Use::HandedOn | Use::Written(Stored::Given) => true,
        // A map of lists to which something is added is a registry.
        Use::CalledBelow { method, .. } => is_telling(method) && !remembers_below(used),
        _ => false,
    };
    field.is_private() && !field.uses().any(leaks)
}

/// Nothing changes by it.
fn only_looks(used: &Use) -> bool {
    match used {
        Use::Read | Use::ReadBack | Use::ReturnedBelow => true,
        Use::CalledBelow { method, .. } => !is_telling(method),
        _ => false,
    }
}

/// Something is put into an array that is in the collection.
fn fills_array_below(used: &Use) -> bool {
    matches!(used, Use::CalledBelow { method, .. } if method == ARRAY_STORE)
}

/// In a map of maps, something that nobody gave is put into one of these.
fn remembers_below(used: &Use) -> bool {
    match used {
        Use::CalledBelow { method, stored } => {
            REMEMBERS.contains(&method.as_str()) && !matches!(stored, Stored::Given | Stored::MadeOfGiven)
        }
        _ => false,
    }
}

/// Something that a caller gave is put into it, as it is.
fn is_given(used: &Use) -> bool {
    fills_with(used, Stored::Given)
}

fn fills_with(used: &Use, wanted: Stored) -> bool {
    matches!(used, Use::Called { method, stored, .. } if *stored == wanted && FILLS.contains(&method.as_str()))
}
