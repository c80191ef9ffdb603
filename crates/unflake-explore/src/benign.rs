//! Changes of shared state that look harmless (P9): never read, lazy initialisation, memos and pools, counters,
//! pseudo-random state.
//!
//! In the papers 40 % of the reports were of this kind. They are marked and not hidden, since looks may deceive; each mark
//! says what it rests on. Harmless is what no test can see without reflection: a counter in a name can be seen. It rests on what the project's own classes do with the field: a value that only private code can
//! see, and that this code makes anew wherever it is missing, is harmless; what somebody gave is not.

use crate::field_uses::{Entry, FILLS, Field, FieldUses, Stored, Use};
use unflake_protocol::{ChangeForm, StateChange, StateKind};

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
        old: change.old.as_deref(),
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

/// A private thread-local whose own code makes what it holds, and that nobody sets or shows: whoever asks finds the same. What is
/// put into it stays there, unless its name says that it is emptied first.
fn made_on_demand(change: &StateChange, uses: &FieldUses) -> Option<String> {
    const NAMES: [&str; 2] = ["buffer", "cache"];
    let field = change.steps.first().and_then(|step| uses.field(step))?;
    let name = field.name().to_ascii_lowercase();
    let is_buffer = NAMES.iter().any(|word| name.contains(word));
    let fits = |used: &Use| match used {
        Use::Read => true,
        Use::Called { method, .. } => ["get", "remove"].contains(&method.as_str()),
        Use::CalledBelow(method) => is_buffer || !is_telling(method),
        Use::Written(_) | Use::Tested | Use::HandedOn => false,
    };
    let entries = field.entries();
    let others: Vec<&Entry<'_>> = entries.iter().filter(|entry| !entry.is_initialiser).collect();
    let is_one = change.old.is_none()
        && field.is_private()
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

/// A hook of the JDK or of a library. One that the project made of a plain thread may do anything.
fn hook_of_others(change: &StateChange, uses: &FieldUses) -> Option<String> {
    let (_, hook) = change.path.split_once("addShutdownHook(")?;
    let (class, _) = hook.split_once('[')?;
    let is_others = class != "Thread" && !uses.has_class(class);
    is_others.then(|| format!("`{class}` is a hook of a library, which runs when all tests are over"))
}

/// A difference, as far as rules look at it.
struct Case<'a> {
    steps: &'a [String],
    form: ChangeForm,
    /// `None`: not known.
    old: Option<&'a str>,
    /// The change itself and those of the same root, of the one that is shown.
    seen: Option<(&'a StateChange, &'a Seen<'a>)>,
}

const ELEMENT: &str = "[]";
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
/// Only maps remember: what is added to a set or a list was there before.
const REMEMBERS: [&str; 3] = ["put", "putIfAbsent", "computeIfAbsent"];
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
const COUNTS: [&str; 2] = ["size", "isEmpty"];
const INCREMENTS: [&str; 6] = [
    "incrementAndGet",
    "getAndIncrement",
    "addAndGet",
    "getAndAdd",
    "increment",
    "add",
];
const ATOMICS: [&str; 3] = [
    "Ljava/util/concurrent/atomic/AtomicInteger;",
    "Ljava/util/concurrent/atomic/AtomicLong;",
    "Ljava/util/concurrent/atomic/LongAdder;",
];

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
        let below = &self.steps[at + 1..];
        let itself = || {
            never_read(field)
                .or_else(|| self.lazy(field, uses))
                .or_else(|| self.counter(field))
        };
        let content = || {
            let outer = fields.iter().find_map(|(at, field)| {
                let below = &self.steps[at + 1..];
                self.memo(field, below)
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
            .all(|step| step.starts_with("java.util.concurrent.atomic."))
        {
            self.counter(field)
        } else {
            content()
        }
    }

    /// A private field of a test class that the class's own set-up sets or empties: no test of it sees what was there before.
    fn set_up_anew(&self, uses: &FieldUses) -> Option<String> {
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

    /// Generators that nobody seeds or replaces.
    fn pseudo_random(&self, uses: &FieldUses) -> Option<String> {
        let (last, above) = self.steps.split_last()?;
        let (class, _) = last.rsplit_once('.')?;
        let holder = above.last().and_then(|step| uses.field(step));
        let seeded = holder.is_some_and(|field| {
            // Whoever can reach it can compare what it gives.
            !field.is_private()
                || field.entries().iter().any(|entry| {
                    !entry.is_initialiser && entry.has(|used| matches!(used, Use::Written(_)))
                        || entry.has_call(&["setSeed"])
                })
        });
        (class.ends_with("Random") && !seeded).then(|| {
            format!(
                "the state of a pseudo-random generator (`{class}`), which nothing in the project seeds or replaces"
            )
        })
    }

    /// Made where it is missing, by code that would make the same again; nobody outside can tell.
    fn lazy(&self, field: &Field<'_>, uses: &FieldUses) -> Option<String> {
        let is_number = matches!(field.descriptor(), "I" | "J" | "S");
        let from_nothing = match self.form {
            ChangeForm::FirstSet => self.old.is_none_or(|old| old == "null"),
            ChangeForm::Increased | ChangeForm::Replaced => {
                is_number && matches!(self.old, Some("0" | "-1" | "-2147483648"))
            }
            _ => false,
        };
        if !from_nothing || !field.is_private() || !self.is_same_in_every_run() {
            return None;
        }
        let value_class = field
            .descriptor()
            .strip_prefix('L')
            .and_then(|class| class.strip_suffix(';'));
        // A singleton that was made and then told something is no longer what the next one would make.
        if value_class.is_some_and(|class| uses.is_settable(&class.replace('/', "."))) {
            return None;
        }
        let is_value = |used: &Use| match used {
            Use::Written(Stored::Null) => false,
            Use::Written(Stored::Constant) => !is_number,
            Use::Written(_) => true,
            _ => false,
        };
        let entries: Vec<Entry<'_>> = field
            .entries()
            .into_iter()
            .filter(|entry| !entry.is_initialiser)
            .collect();
        let (makers, others): (Vec<&Entry<'_>>, Vec<&Entry<'_>>) =
            entries.iter().partition(|entry| entry.has(is_value));
        let makes = |entry: &&Entry<'_>| {
            entry.has(|used| *used == Use::Tested)
                && !entry.has(|used| {
                    matches!(
                        used,
                        Use::Written(Stored::Given | Stored::MadeOfGiven | Stored::Increased | Stored::Added)
                    )
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

    /// Only ever counted up.
    fn counter(&self, field: &Field<'_>) -> Option<String> {
        // Tests count in fields of theirs what they then compare.
        if !self.only_increases() || !field.is_private() || field.is_of_tests() {
            return None;
        }
        let entries = field.entries();
        let others = entries.iter().filter(|entry| !entry.is_initialiser);
        let others: Vec<&Entry<'_>> = others.collect();
        let increments: &dyn Fn(&Use) -> bool = if ATOMICS.contains(&field.descriptor()) {
            &|used| matches!(used, Use::Called { method, .. } if INCREMENTS.contains(&method.as_str()))
        } else if matches!(field.descriptor(), "I" | "J" | "S" | "B") {
            &|used| matches!(used, Use::Written(Stored::Increased | Stored::Added))
        } else {
            return None;
        };
        let fits = |used: &Use| match used {
            Use::Written(Stored::Increased) | Use::Read | Use::Tested => true,
            // What is added is not known to be positive; that several tests did so has to do.
            Use::Written(Stored::Added) => self.n_increases() > 1,
            Use::Called { method, dropped, .. } => *dropped && INCREMENTS.contains(&method.as_str()),
            // Names and numbers that are made of it can be compared.
            Use::HandedOn | Use::Written(_) | Use::CalledBelow(_) => false,
        };
        let counting: Vec<&Entry<'_>> = others
            .iter()
            .copied()
            .filter(|entry| entry.has(increments))
            .collect();
        let all = others.iter().all(|entry| !entry.has(|used| !fits(used)));
        (all && !counting.is_empty()).then(|| {
            format!(
                "a counter: {} makes `{}` greater and nothing sets it",
                listed(&counting),
                field.label()
            )
        })
    }

    /// Fields of libraries, of whose code nothing is known: what several tests of one run make greater.
    fn counter_of_others(&self) -> Option<String> {
        let [step] = self.steps else { return None };
        let counts = self.only_increases() && self.n_increases() > 1;
        counts.then(|| {
            format!(
                "a counter: each of the {} tests that changes `{step}` makes it greater",
                self.n_increases()
            )
        })
    }

    fn only_increases(&self) -> bool {
        let Some((change, seen)) = self.seen else {
            return self.form == ChangeForm::Increased;
        };
        let mut same = seen
            .first
            .iter()
            .chain(&seen.second)
            .filter(|other| other.path == change.path);
        self.form == ChangeForm::Increased && same.all(|other| other.form == ChangeForm::Increased)
    }

    /// How many tests of one run made it greater.
    fn n_increases(&self) -> usize {
        self.seen.map_or(0, |(change, seen)| {
            seen.first
                .iter()
                .filter(|other| other.path == change.path)
                .count()
        })
    }

    /// A collection that remembers what can be made again.
    fn memo(&self, field: &Field<'_>, below: &[String]) -> Option<String> {
        let is_content = below.last().is_some_and(|step| step == ELEMENT)
            && below.iter().filter(|step| *step == ELEMENT).count() == 1;
        let entries = field.entries();
        let entries: Vec<&Entry<'_>> = entries.iter().filter(|entry| !entry.is_initialiser).collect();
        let can_lose = entries
            .iter()
            .any(|entry| entry.has_call(&FORGETS) || entry.has_call(&TAKES));
        // From a map out of which nothing is taken no entry goes: its key has changed, and seems to be another one.
        let fits = match self.form {
            ChangeForm::Grown => true,
            ChangeForm::Removed | ChangeForm::Replaced => !can_lose,
            _ => false,
        };
        // What tests gather in fields of theirs they look at.
        if !fits || !is_content || !is_hidden(field) || field.is_of_tests() {
            return None;
        }
        let is_memo =
            |entry: &Entry<'_>| entry.has_call(&ASKS) && entry.has_call(&REMEMBERS) && !entry.has(is_given);
        let is_only = |entry: &Entry<'_>, names: &[&[&str]]| {
            !entry.has(|used| match used {
                Use::Called { method, .. } => !names.concat().contains(&method.as_str()),
                other => *other != Use::Read && *other != Use::Tested,
            })
        };
        let is_of_given = entries.iter().any(|entry| entry.has(is_made_of_given));
        if self.is_array() || is_of_given && !self.is_plain_value() {
            return None;
        }
        let (memos, others): (Vec<&Entry<'_>>, Vec<&Entry<'_>>) =
            entries.iter().partition(|entry| is_memo(entry));
        if !memos.is_empty() && others.iter().all(|entry| is_only(entry, &[&FORGETS])) {
            return Some(format!(
                "a memo: {} looks into `{}` and adds what is missing; nothing else uses it",
                listed(&memos),
                field.label()
            ));
        }
        let name = [
            field.name().to_ascii_lowercase(),
            field.class().to_ascii_lowercase(),
        ];
        let says = |words: &[&'static str]| {
            words
                .iter()
                .find(|word| name.iter().any(|name| name.contains(**word)))
                .copied()
        };
        let (takers, rest): (Vec<&Entry<'_>>, Vec<&Entry<'_>>) =
            entries.iter().partition(|entry| entry.has_call(&TAKES));
        let givers: Vec<&Entry<'_>> = rest
            .iter()
            .copied()
            .filter(|entry| entry.has_call(&FILLS))
            .collect();
        if says(&["pool"]).is_some()
            && !takers.is_empty()
            && !givers.is_empty()
            && entries
                .iter()
                .all(|entry| is_only(entry, &[&TAKES, &FILLS, &FORGETS, &COUNTS]))
        {
            return Some(format!(
                "a pool: {} puts into `{}` what {} takes out again",
                listed(&givers),
                field.label(),
                listed(&takers)
            ));
        }
        let word = says(&["cache", "memo", "intern"])?;
        let fits = entries
            .iter()
            .all(|entry| is_only(entry, &[&ASKS, &FILLS, &FORGETS]) && !entry.has(is_given));
        let both = entries.iter().any(|entry| entry.has_call(&ASKS))
            && entries.iter().any(|entry| entry.has_call(&FILLS));
        (fits && both).then(|| {
            format!(
                "by its name a {word}: {} use `{}`, none of them is given what to put into it, none shows how much that is",
                listed(&entries),
                field.label()
            )
        })
    }

    /// An array that only one method looks into, which fills it with what nobody gave it. What is below its elements is as they
    /// were made, unless they can be told something.
    fn memo_in_array(&self, field: &Field<'_>, below: &[String], uses: &FieldUses) -> Option<String> {
        let element = field.descriptor().strip_prefix("[L")?.strip_suffix(';')?;
        let (first, deeper) = below.split_first()?;
        let is_made = deeper.is_empty() || !uses.is_settable(&element.replace('/', "."));
        if first != ELEMENT || !is_made || !field.is_private() || field.is_of_tests() {
            return None;
        }
        let [user] = &field.users()[..] else { return None };
        let leaks = |used: &Use| !matches!(used, Use::Read | Use::Tested | Use::Written(Stored::Other));
        let is_given = user.takes(&format!("L{element};"));
        (self.form != ChangeForm::Removed && !user.has(leaks) && !is_given).then(|| {
            format!(
                "a memo: only `{}` looks into the array `{}` and fills it",
                user.label(),
                field.label()
            )
        })
    }

    /// A text, a number or a class: not an object that may keep what the first caller gave, and hand it to the next.
    fn is_plain_value(&self) -> bool {
        let new = self.seen.and_then(|(change, _)| change.new.as_deref());
        new.is_none_or(|new| {
            let first = new.chars().next();
            first.is_some_and(|c| c == '"' || c == '\'' || c == '-' || c.is_ascii_digit())
                || matches!(new, "true" | "false" | "null")
                || new.ends_with(".class")
        })
    }

    /// An array may be filled later, with what the first caller gave.
    fn is_array(&self) -> bool {
        let new = self.seen.and_then(|(change, _)| change.new.as_deref());
        let is_part_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
        new.is_some_and(|new| new.trim_start_matches(is_part_of_name).starts_with("[]"))
    }

    /// A library's cache in a private field that is only asked.
    fn cache_by_type(&self, field: &Field<'_>) -> Option<String> {
        let is_cache = field.descriptor().ends_with("Cache;");
        if !is_cache || self.form == ChangeForm::Removed || !is_hidden(field) {
            return None;
        }
        let entries = field.entries();
        let entries: Vec<&Entry<'_>> = entries.iter().filter(|entry| !entry.is_initialiser).collect();
        let fits = |used: &Use| match used {
            Use::Called { method, .. } => {
                [ASKS.as_slice(), FILLS.as_slice(), FORGETS.as_slice()]
                    .concat()
                    .contains(&method.as_str())
                    && !is_given(used)
            }
            other => *other == Use::Read,
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
    fn only_filled(&self, field: &Field<'_>, below: &[String]) -> Option<String> {
        let fits = |used: &Use| match used {
            Use::Read | Use::Written(_) => true,
            Use::Called { method, dropped, .. } => *dropped && FILLS.contains(&method.as_str()),
            _ => false,
        };
        let is_content = self.form == ChangeForm::Grown && matches!(below, [step] if step == ELEMENT);
        let hidden = is_hidden(field) && !field.is_reflected() && field.uses().next().is_some();
        (is_content && hidden && field.uses().all(fits))
            .then(|| format!("never read: `{}` is private and only added to", field.label()))
    }
}

fn never_read(field: &Field<'_>) -> Option<String> {
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

/// A collection that only its own class can reach, and that it made itself.
fn is_hidden(field: &Field<'_>) -> bool {
    let leaks = |used: &Use| match used {
        Use::HandedOn | Use::Written(Stored::Given) => true,
        // A map of lists to which something is added is a registry.
        Use::CalledBelow(method) => is_telling(method),
        _ => false,
    };
    field.is_private() && !field.uses().any(leaks)
}

/// Something that a caller gave is put into it, as it is.
fn is_given(used: &Use) -> bool {
    matches!(used, Use::Called { method, stored: Stored::Given, .. } if FILLS.contains(&method.as_str()))
}

/// Something made of what a caller gave is put into it.
fn is_made_of_given(used: &Use) -> bool {
    matches!(used, Use::Called { method, stored: Stored::MadeOfGiven, .. } if FILLS.contains(&method.as_str()))
}

/// The object is told something to keep.
fn is_told(used: &Use) -> bool {
    matches!(
        used,
        Use::Called { method, stored: Stored::Given | Stored::MadeOfGiven, .. } if is_telling(method)
    )
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
