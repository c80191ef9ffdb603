//! What is made where it is missing: lazy fields, thread-locals with an initial value, what a set-up sets anew; and what nobody reads.

use super::{Case, is_telling, listed};
use crate::field_uses::{Entry, Field, FieldUses, Stored, Use};
use unflake_protocol::{ChangeForm, StateChange, What};

/// A thread-local whose own code makes what it holds, and that nobody sets: whoever asks finds the same. If others than its class
/// can reach it, there is something to be found the first time too. What is put into it stays there, unless its name says that it
/// is emptied first.
pub(super) fn made_on_demand(change: &StateChange, uses: &FieldUses) -> Option<String> {
    const NAMES: [&str; 2] = ["buffer", "cache"];
    let field = change.steps.first().and_then(|step| uses.field(step))?;
    let name = field.name().to_ascii_lowercase();
    let is_buffer = NAMES.iter().any(|word| name.contains(word));
    let fits = |used: &Use| match used {
        Use::Read | Use::ReadBack | Use::ReturnedBelow => true,
        Use::Called { method, .. } => ["get", "remove"].contains(&method.as_str()),
        Use::CalledBelow { method, .. } => is_buffer || !is_telling(method),
        Use::Written(_) | Use::Tested | Use::HandedOn => false,
    };
    let entries = field.later_entries();
    let others: Vec<&Entry<'_>> = entries.iter().collect();
    // Whoever gets it can put something into it.
    let hands_out = others
        .iter()
        .any(|entry| entry.has(|used| *used == Use::ReturnedBelow));
    let class = change.new.as_ref().and_then(|new| new.what.class());
    let class = class.unwrap_or_default();
    let can_be_told = class.starts_with("java.util.") || uses.is_settable(class, None);
    let is_one = change.old.is_none()
        && !(hands_out && can_be_told)
        && (field.is_private() || field.has_initial_value())
        && !others.is_empty()
        && others.iter().all(|entry| !entry.has(|used| !fits(used)));
    is_one.then(|| {
        format!(
            "made when it is first asked for: {} ask `{}` and nothing sets it",
            listed(&others),
            field.label()
        )
    })
}

impl Case<'_> {
    /// A private field of a test class that the class's own set-up sets or empties: no test of it sees what was there before.
    pub(super) fn set_up_anew(&self, uses: &FieldUses) -> Option<String> {
        let (root, below) = self.steps.split_first()?;
        let field = uses.field(root)?;
        let set_up = field.set_up()?;
        let is_one = field.is_private() && field.is_of_tests() && (below.is_empty() || !set_up.is_lazy);
        is_one.then(|| {
            format!(
                "private, and set by `{}` before the tests that see it",
                set_up.label
            )
        })
    }

    /// Made where it is missing, by code that would make the same again; nobody outside can tell.
    pub(super) fn lazy(&self, field: &Field<'_>, uses: &FieldUses) -> Option<String> {
        let is_number = matches!(field.descriptor(), "I" | "J" | "S");
        let from_nothing = match self.form {
            ChangeForm::FirstSet => self.old.is_none_or(|old| old.what == What::Null),
            ChangeForm::Increased | ChangeForm::Replaced => {
                const NOT_YET: [i64; 3] = [0, -1, i32::MIN as i64];
                let old = self.old.map(|old| &old.what);
                is_number && matches!(old, Some(What::Integer(old)) if NOT_YET.contains(old))
            }
            _ => false,
        };
        let root = self.steps.first().and_then(|root| uses.field(root));
        let is_hidden = field.is_private() || root.is_some_and(|root| field.is_out_of_reach_from(&root));
        if !from_nothing || !is_hidden || !self.is_same_in_every_run() {
            return None;
        }
        let value_class = field
            .descriptor()
            .strip_prefix('L')
            .and_then(|class| class.strip_suffix(';'));
        // A singleton that was made and then told something is no longer what the next one would make.
        if value_class.is_some_and(|class| uses.is_settable(&class.replace('/', "."), None)) {
            return None;
        }
        let is_value = |used: &Use| match used {
            Use::Written(Stored::Null) => false,
            Use::Written(Stored::Constant) => !is_number,
            Use::Written(_) => true,
            _ => false,
        };
        let entries = field.later_entries();
        let (makers, others): (Vec<&Entry<'_>>, Vec<&Entry<'_>>) =
            entries.iter().partition(|entry| entry.has(is_value));
        let makes = |entry: &&Entry<'_>| {
            entry.has(|used| *used == Use::Tested)
                && !entry.has(|used| match used {
                    Use::Written(Stored::Increased | Stored::Added) => true,
                    Use::Written(stored) => stored.is_of_caller(),
                    _ => false,
                })
                && !entry.has(is_told)
        };
        // Others may forget it, use it behind a call that makes it, or do without a word.
        let is_blind = |entry: &&Entry<'_>| {
            let writes = entry.has(|used| matches!(used, Use::Written(_)));
            let is_silent = entry.returns_nothing() && !entry.has(|used| *used == Use::HandedOn);
            writes || is_silent && !entry.has(is_told) || makers.iter().any(|maker| entry.calls(maker))
        };
        if makers.is_empty() || !makers.iter().all(makes) || !others.iter().all(is_blind) {
            return None;
        }
        Some(format!(
            "a lazy initialisation: {} makes `{}` where it finds none and nothing else sets it; every run made the same",
            listed(&makers),
            field.label()
        ))
    }

    fn is_same_in_every_run(&self) -> bool {
        let Some((change, seen)) = self.seen else {
            return true;
        };
        let same = |changes: &[&StateChange]| {
            let mut of_path = changes
                .iter()
                .filter(|other| other.path == change.path)
                .peekable();
            of_path.peek().is_some()
                && of_path.all(|other| other.form == change.form && other.new == change.new)
        };
        same(&seen.first) && same(&seen.second)
    }
}

/// A private field that every method sets before it reads it: nobody sees what was left there, or below.
pub(super) fn set_before_read(field: &Field<'_>) -> Option<String> {
    let users = field.users();
    let readers: Vec<&Entry<'_>> = users
        .iter()
        .filter(|user| user.has(|used| *used == Use::ReadBack))
        .collect();
    // The next test that is added to a class of tests may read it.
    let is_hidden = field.is_private() && !field.is_reflected() && !field.is_of_tests();
    let sees_what_was_left = field.uses().any(|used| *used == Use::Read);
    let is_one = is_hidden && !sees_what_was_left && !readers.is_empty();
    is_one.then(|| {
        format!(
            "set anew before it is read: `{}`, in {}",
            field.label(),
            listed(&readers)
        )
    })
}

pub(super) fn never_read(field: &Field<'_>) -> Option<String> {
    if field.is_read() || field.is_reflected() || !field.is_written() {
        return None;
    }
    Some(if field.is_private() {
        format!(
            "never read: `{}` is private and no method reads it",
            field.label()
        )
    } else {
        format!(
            "never read: no class of the project reads `{}`, though others could",
            field.label()
        )
    })
}

/// The object is told something to keep.
fn is_told(used: &Use) -> bool {
    matches!(used, Use::Called { method, stored, .. } if stored.is_of_caller() && is_telling(method))
}
