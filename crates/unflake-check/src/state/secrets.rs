//! Reports go to places where passwords should not.

use unflake_protocol::{JvmState, Shown, Slot, StateChange, Step, What};

const WORDS: [&str; 7] = [
    "password",
    "passwd",
    "secret",
    "token",
    "credential",
    "apikey",
    "api_key",
];

/// The same change; values that may be secret, to judge by the name of what holds them, are hidden.
pub(super) fn masked(change: &StateChange) -> StateChange {
    let mut change = change.clone();
    let hides: fn(&Shown) -> bool = match (&change.steps[..], &change.slot) {
        // A property or field that holds a copy of the environment holds all of it.
        ([Step::Jvm(JvmState::Property(name))], _) if is_secret(name) || name.starts_with("env.") => |_| true,
        ([Step::Jvm(JvmState::SecurityProperty(name) | JvmState::Environment(name))], _)
            if is_secret(name) =>
        {
            |_| true
        }
        // A field with such a name may also be a counter, or an object that says nothing.
        (_, Some(Slot::Field(name))) if is_secret(name) => is_text,
        (_, Some(Slot::Key(key))) if is_secret(&key.text) => is_text,
        _ => |_| false,
    };
    let values = [&mut change.old, &mut change.new].into_iter().flatten();
    values.filter(|value| hides(value)).for_each(hide);
    for near in &mut change.around {
        if is_secret(&near.field) && is_text(&near.value) {
            hide(&mut near.value);
        }
    }
    change
}

fn is_text(value: &Shown) -> bool {
    value.what == What::Text
}

fn hide(value: &mut Shown) {
    *value = Shown::new(What::Hidden, "(hidden)");
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_protocol::{ChangeForm, StateKind};

    const HIDDEN: &str = "(hidden)";

    fn shown(steps: Vec<Step>, slot: Option<Slot>, value: Shown) -> String {
        let change = StateChange {
            kind: StateKind::Heap,
            root: "a.B.c".to_owned(),
            path: String::new(),
            old: None,
            new: Some(value),
            form: ChangeForm::FirstSet,
            steps,
            slot,
            more: 0,
            also: Vec::new(),
            around: Vec::new(),
        };
        masked(&change).new.unwrap().text
    }

    #[test]
    fn values_of_names_like_password_are_not_shown() {
        let property = |name: &str| {
            let step = Step::Jvm(JvmState::Property(name.to_owned()));
            shown(vec![step], None, Shown::new(What::Text, "x"))
        };
        assert_eq!(property("db.password"), HIDDEN);
        assert_eq!(property("db.name"), "x");
        assert_eq!(property("env.HOME"), HIDDEN);
    }

    #[test]
    fn security_properties_and_the_environment_have_secrets_too() {
        let states: [fn(String) -> JvmState; 2] = [JvmState::SecurityProperty, JvmState::Environment];
        for state in states {
            let value = |name: &str| {
                let step = Step::Jvm(state(name.to_owned()));
                shown(vec![step], None, Shown::new(What::Text, "x"))
            };
            for secret in WORDS {
                assert_eq!(value(&format!("MY_{}", secret.to_uppercase())), HIDDEN);
            }
            // Each is one entry, and not a copy of the whole environment.
            assert_eq!((value("LANG"), value("env.HOME")), ("x".into(), "x".into()));
        }
    }

    #[test]
    fn in_the_heap_only_texts_are_hidden() {
        let text = || Shown::new(What::Text, "\"p4ss\"");
        let field = |name: &str, value| shown(Vec::new(), Some(Slot::Field(name.to_owned())), value);
        let key = |key: &str| {
            let key = Shown::new(What::Text, format!("{key:?}"));
            shown(Vec::new(), Some(Slot::Key(key)), text())
        };
        assert_eq!(field("proxyPassword", text()), HIDDEN);
        assert_eq!(
            (key("api_key"), key("db.password")),
            (HIDDEN.into(), HIDDEN.into())
        );
        assert_eq!(key("name"), "\"p4ss\"");
        assert_eq!(field("tokens", Shown::integer(3)), "3");
        assert_eq!(field("name", text()), "\"p4ss\"");
    }

    #[test]
    fn what_was_there_before_and_what_is_around_it_are_hidden_too() {
        let text = || Shown::new(What::Text, "\"p4ss\"");
        let near = |field: &str, value: Shown| unflake_protocol::Nearby {
            object: "a.B".to_owned(),
            field: field.to_owned(),
            value,
            side: unflake_protocol::Side::Both,
        };
        let mut change = crate::simulated::change("a.B.c");
        change.slot = Some(Slot::Field("password".to_owned()));
        (change.old, change.new) = (Some(text()), None);
        change.around = vec![
            near("token", text()),
            near("tokens", Shown::integer(3)),
            near("name", text()),
        ];
        let masked = masked(&change);
        assert_eq!((masked.old.unwrap().text.as_str(), masked.new), (HIDDEN, None));
        let around: Vec<&str> = masked
            .around
            .iter()
            .map(|near| near.value.text.as_str())
            .collect();
        assert_eq!(around, [HIDDEN, "3", "\"p4ss\""]);
    }
}
