//! Changes of shared state that look harmless (P9): never read, lazy initialisation, memos and pools, counters,
//! pseudo-random state.
//!
//! In the papers 40 % of the reports were of this kind. They are marked and not hidden, since looks may deceive; each mark
//! says what it rests on. Harmless is what no test can see without reflection: a counter in a name can be seen. It rests on what
//! the project's own classes do with the field: a value that only private code can see, and that this code makes anew wherever
//! it is missing, is harmless; what somebody gave is not.

mod counter;
mod lazy;
mod memo;

use crate::field_uses::{Entry, Field, FieldUses};
use lazy::{made_on_demand, never_read, set_before_read};
use unflake_protocol::{ChangeForm, JvmState, Shown, StateChange, StateKind, Step};

/// All that was seen of one root: what tests did to it in one run of the suite, and in another.
#[derive(Clone, Debug)]
pub struct Seen<'a> {
    pub first: Vec<&'a StateChange>,
    pub second: Vec<&'a StateChange>,
}

/// Why a change looks harmless; `None`: it does not.
pub fn benign(change: &StateChange, seen: &Seen<'_>, uses: &FieldUses) -> Option<String> {
    match change.kind {
        StateKind::ThreadLocal => return made_on_demand(change, uses),
        StateKind::ShutdownHook => return hook_of_others(change, uses),
        StateKind::Heap if change.root.starts_with("java.") || change.root.starts_with("javax.") => {
            return Some("kept by the JDK for itself".to_owned());
        }
        StateKind::Heap if change.also.len() < StateChange::MOST_ALSO => {}
        _ => return None,
    }
    let case = Case {
        steps: &change.steps,
        form: change.form,
        old: change.old.as_ref(),
        seen: Some((change, seen)),
    };
    let reason = case.judge(uses)?;
    // The mark is one of the whole root.
    let rest = change.also.iter().all(|further| {
        let case = Case {
            steps: &further.steps,
            form: further.form,
            old: None,
            seen: None,
        };
        case.judge(uses).is_some()
    });
    rest.then_some(reason)
}

/// A hook of the JDK, or one of a library that is gone. One that is there is to end something, which goes on until then.
fn hook_of_others(change: &StateChange, uses: &FieldUses) -> Option<String> {
    const JDK: [&str; 5] = ["java.", "javax.", "sun.", "com.sun.", "jdk."];
    let [Step::Jvm(JvmState::ShutdownHook(hook))] = &change.steps[..] else {
        return None;
    };
    let class = &hook.class;
    // Anybody's code may run in a plain thread.
    if class == "java.lang.Thread" {
        return None;
    }
    if JDK.iter().any(|package| class.starts_with(package)) {
        return Some(format!(
            "`{class}` is a hook of the JDK, which runs when all tests are over"
        ));
    }
    let is_others = !uses.has_class(class);
    (is_others && change.new.is_none())
        .then(|| format!("`{class}` is a hook of a library and gone: what it was to end has ended"))
}

/// A difference, as far as rules look at it.
struct Case<'a> {
    steps: &'a [Step],
    form: ChangeForm,
    /// `None`: not known.
    old: Option<&'a Shown>,
    /// The change itself and those of the same root, of the one that is shown.
    seen: Option<(&'a StateChange, &'a Seen<'a>)>,
}

impl Case<'_> {
    fn judge(&self, uses: &FieldUses) -> Option<String> {
        if let Some(reason) = self.pseudo_random(uses).or_else(|| self.set_up_anew(uses)) {
            return Some(reason);
        }
        // The last field of the project's own, and the steps below it: elements, the JDK's and libraries' fields.
        let fields: Vec<(usize, Field<'_>)> = self
            .steps
            .iter()
            .enumerate()
            .rev()
            .filter_map(|(at, step)| Some((at, uses.field(step)?)))
            .collect();
        let Some((at, field)) = fields.first() else {
            return self.counter_of_others();
        };
        if let Some(reason) = fields.iter().find_map(|(_, field)| set_before_read(field)) {
            return Some(reason);
        }
        let below = &self.steps[at + 1..];
        let itself = || {
            never_read(field)
                .or_else(|| self.lazy(field, uses))
                .or_else(|| self.counter(field))
        };
        let content = || {
            let outer = fields.iter().find_map(|(at, field)| {
                let below = &self.steps[at + 1..];
                self.memo(field, below, uses)
                    .or_else(|| self.kept_softly(field, below))
                    .or_else(|| self.memo_in_array(field, below, uses))
                    .or_else(|| self.cache_by_type(field))
            });
            outer.or_else(|| self.only_filled(field, below))
        };
        if below.is_empty() {
            itself().or_else(|| {
                let mut outer = fields.iter();
                outer.find_map(|(at, field)| self.memo_in_array(field, &self.steps[at + 1..], uses))
            })
        } else if below
            .iter()
            .filter_map(Step::field)
            .filter(|field| field.class.starts_with("java.util.concurrent.atomic."))
            .count()
            == below.len()
        {
            self.counter(field)
        } else {
            content()
        }
    }
}

fn is_telling(method: &str) -> bool {
    const VERBS: [&str; 7] = ["set", "add", "put", "register", "append", "push", "offer"];
    VERBS.iter().any(|verb| method.starts_with(verb))
}

/// Some methods by name.
fn listed(entries: &[&Entry<'_>]) -> String {
    const SHOWN: usize = 3;
    let mut names: Vec<String> = entries
        .iter()
        .map(|entry| format!("`{}`", entry.label()))
        .collect();
    names.sort();
    names.dedup();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    let names = names.join(", ");
    if more == 0 {
        names
    } else {
        format!("{names} and {more} more")
    }
}

#[cfg(test)]
mod tests;
