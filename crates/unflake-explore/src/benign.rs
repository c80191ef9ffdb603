//! Changes of shared state that look harmless (P9): pseudo-random state, counters, lazy initialisation, caches.
//!
//! In the papers 40 % of the reports were of this kind. They are marked and not hidden, since looks may deceive; each mark
//! says what it rests on.

use unflake_protocol::{ChangeForm, StateChange, StateKind};

/// All that was seen of one root: what tests did to it in one run of the suite, and in another.
#[derive(Clone, Debug)]
pub struct Seen<'a> {
    pub first: Vec<&'a StateChange>,
    pub second: Vec<&'a StateChange>,
}

/// Why a change looks harmless; `None`: it does not.
pub fn benign(change: &StateChange, seen: &Seen<'_>) -> Option<String> {
    if change.kind == StateKind::File {
        return temporary_file(change);
    }
    if change.kind != StateKind::Heap {
        return None;
    }
    pseudo_random(change)
        .or_else(|| named_cache(change))
        .or_else(|| counter(change, seen))
        .or_else(|| lazy(change, seen))
}

fn pseudo_random(change: &StateChange) -> Option<String> {
    const GENERATORS: [&str; 4] = [
        "java.util.Random",
        "java.util.SplittableRandom",
        "java.util.concurrent.atomic.AtomicLong",
        "java.security.SecureRandom",
    ];
    let is_generator = GENERATORS.contains(&change.holder.as_str()) || change.holder.ends_with("Random");
    (is_generator && change.path.ends_with(".seed") || change.holder.ends_with("Random"))
        .then(|| "the state of a pseudo-random generator".to_owned())
}

/// A collection or a lazily filled field whose name says that it is a cache.
fn named_cache(change: &StateChange) -> Option<String> {
    const NAMES: [&str; 6] = ["cache", "memo", "pool", "intern", "lazy", "buffer"];
    let path = change.path.to_ascii_lowercase();
    // Keys of maps are data and say nothing.
    let named: String = path.split('[').next().unwrap_or_default().to_owned();
    let holder = change
        .holder
        .rsplit(['.', '$'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let root = change.root.to_ascii_lowercase();
    let class = root.rsplit('.').nth(1).unwrap_or_default();
    let says = NAMES
        .iter()
        .find(|name| named.contains(**name) || holder.contains(**name) || class.contains(**name))?;
    let fills = matches!(
        change.form,
        ChangeForm::Grown | ChangeForm::FirstSet | ChangeForm::Increased
    );
    fills.then(|| {
        format!(
            "only filled, and by its name a {}",
            if *says == "lazy" { "lazy value" } else { says }
        )
    })
}

/// A number that every test which changes it makes greater.
fn counter(change: &StateChange, seen: &Seen<'_>) -> Option<String> {
    let same = |other: &&&StateChange| other.path == change.path;
    let all: Vec<&&StateChange> = seen.first.iter().chain(&seen.second).filter(same).collect();
    let grows = change.form == ChangeForm::Increased
        && all.iter().all(|other| other.form == ChangeForm::Increased)
        && all.len() > 1;
    grows.then(|| "a counter: every test that changes it makes it greater".to_owned())
}

/// Set once from null, to what every run sets it to, and never again.
fn lazy(change: &StateChange, seen: &Seen<'_>) -> Option<String> {
    let same = |other: &&&StateChange| other.path == change.path;
    let first: Vec<&&StateChange> = seen.first.iter().filter(same).collect();
    let second: Vec<&&StateChange> = seen.second.iter().filter(same).collect();
    let once = |changes: &[&&StateChange]| {
        changes
            .iter()
            .all(|other| other.form == ChangeForm::FirstSet && other.new == change.new)
    };
    let lazy = change.form == ChangeForm::FirstSet
        && change.old.as_deref() == Some("null")
        && first.len() == 1
        && once(&first)
        && once(&second)
        && is_private_looking(change);
    lazy.then(|| "set once from null, to the same value in every run: a lazy initialisation".to_owned())
}

/// A root that is set itself (`Config.current`) is a setting more often than a cache; below an object it is the other way
/// round.
fn is_private_looking(change: &StateChange) -> bool {
    !change.holder.is_empty()
}

/// `File.createTempFile` gives every file a new name: nobody can stumble over it, it only fills the disk.
fn temporary_file(change: &StateChange) -> Option<String> {
    let name = change.root.rsplit('/').next().unwrap_or_default();
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    (change.form == ChangeForm::FirstSet && digits >= 8)
        .then(|| "a temporary file with a name of its own, left over".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, holder: &str, form: ChangeForm, old: Option<&str>, new: &str) -> StateChange {
        StateChange {
            kind: StateKind::Heap,
            root: "a.Registry.FIELD".to_owned(),
            path: path.to_owned(),
            old: old.map(str::to_owned),
            new: Some(new.to_owned()),
            form,
            holder: holder.to_owned(),
            steps: Vec::new(),
            more: 0,
            also: Vec::new(),
            around: Vec::new(),
        }
    }

    fn alone(change: &StateChange) -> Option<String> {
        benign(
            change,
            &Seen {
                first: vec![change],
                second: vec![change],
            },
        )
    }

    #[test]
    fn a_registry_that_grows_is_no_cache() {
        let grown = change(
            "Registry.byName[\"poison\"]",
            "java.util.HashMap",
            ChangeForm::Grown,
            None,
            "Potion",
        );
        assert_eq!(alone(&grown), None);
        let keyed = change(
            "Registry.byName[\"cache\"]",
            "java.util.HashMap",
            ChangeForm::Grown,
            None,
            "Potion",
        );
        assert_eq!(alone(&keyed), None);
        let cache = change(
            "Types.cache[\"a\"]",
            "java.util.HashMap",
            ChangeForm::Grown,
            None,
            "Type",
        );
        assert!(alone(&cache).is_some());
        let emptied = change(
            "Types.cache[\"a\"]",
            "java.util.HashMap",
            ChangeForm::Removed,
            Some("Type"),
            "null",
        );
        assert_eq!(alone(&emptied), None);
    }

    #[test]
    fn lazy_means_once_and_the_same() {
        let set = change(
            "Test.msg1.marshall",
            "a.Notification",
            ChangeForm::FirstSet,
            Some("null"),
            "byte[1, 2]",
        );
        assert!(alone(&set).is_some());
        let other = StateChange {
            new: Some("byte[3]".to_owned()),
            ..set.clone()
        };
        assert_eq!(
            benign(
                &set,
                &Seen {
                    first: vec![&set],
                    second: vec![&other]
                }
            ),
            None
        );
        let root = change("Config.current", "", ChangeForm::FirstSet, Some("null"), "Config");
        assert_eq!(alone(&root), None);
    }

    #[test]
    fn a_counter_only_grows() {
        let up = change("Ids.next", "", ChangeForm::Increased, Some("1"), "2");
        let down = change("Ids.next", "", ChangeForm::Replaced, Some("2"), "0");
        assert!(
            benign(
                &up,
                &Seen {
                    first: vec![&up, &up],
                    second: vec![]
                }
            )
            .is_some()
        );
        assert_eq!(
            benign(
                &up,
                &Seen {
                    first: vec![&up, &down],
                    second: vec![]
                }
            ),
            None
        );
    }

    #[test]
    fn generators_are_known_by_their_class() {
        let seed = change(
            "Collections.r.seed",
            "java.util.Random",
            ChangeForm::Replaced,
            Some("1"),
            "2",
        );
        assert!(alone(&seed).is_some());
    }
}
