//! Reports go to places where passwords should not.

use unflake_protocol::{StateChange, StateKind};

const WORDS: [&str; 7] = [
    "password",
    "passwd",
    "secret",
    "token",
    "credential",
    "apikey",
    "api_key",
];

const HIDDEN: &str = "(hidden)";

/// The same change; values that may be secret, to judge by the name of what holds them, are hidden.
pub(super) fn masked(change: &StateChange) -> StateChange {
    let mut change = change.clone();
    let (last, is_text): (&str, fn(&str) -> bool) = match change.kind {
        StateKind::Property | StateKind::Environment => (&change.path, |_| true),
        // A field with such a name may also be a counter, or an object that says nothing.
        StateKind::Heap => (last_name(&change.path), |value| value.starts_with('"')),
        _ => return change,
    };
    let is_of_environment = change.kind == StateKind::Property && change.root == "env.*";
    if is_secret(last) || is_of_environment {
        for value in [&mut change.old, &mut change.new].into_iter().flatten() {
            if is_text(value) {
                HIDDEN.clone_into(value);
            }
        }
    }
    for triple in &mut change.around {
        if is_secret(&triple.field) && triple.value.starts_with('"') {
            HIDDEN.clone_into(&mut triple.value);
        }
    }
    change
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

/// The field or the key that holds the value.
fn last_name(path: &str) -> &str {
    let start = if path.ends_with(']') {
        path.rfind('[')
    } else {
        path.rfind('.')
    };
    &path[start.unwrap_or(0)..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_protocol::ChangeForm;

    fn shown(kind: StateKind, root: &str, path: &str, value: &str) -> String {
        let change = StateChange {
            kind,
            root: root.to_owned(),
            path: path.to_owned(),
            old: None,
            new: Some(value.to_owned()),
            form: ChangeForm::FirstSet,
            holder: String::new(),
            steps: Vec::new(),
            more: 0,
            also: Vec::new(),
            around: Vec::new(),
        };
        masked(&change).new.unwrap()
    }

    #[test]
    fn values_of_names_like_password_are_not_shown() {
        let property = |name: &str| {
            let path = format!("System.getProperty({name:?})");
            shown(StateKind::Property, name, &path, "x")
        };
        assert_eq!(
            (property("db.password"), property("db.name")),
            (HIDDEN.into(), "x".into())
        );
        let environment = "System.getProperty(\"env.HOME\")";
        assert_eq!(shown(StateKind::Property, "env.*", environment, "/root"), HIDDEN);
    }

    #[test]
    fn in_the_heap_only_texts_are_hidden() {
        let heap = |path: &str, value: &str| shown(StateKind::Heap, "a.B.c", path, value);
        assert_eq!(heap("Server.proxyPassword", "\"p4ss\""), HIDDEN);
        assert_eq!(heap("Server.options[\"api_key\"]", "\"p4ss\""), HIDDEN);
        assert_eq!(heap("Server.options[\"db.password\"]", "\"p4ss\""), HIDDEN);
        assert_eq!(heap("Parser.tokens", "3"), "3");
        assert_eq!(heap("Passwords.secret.name", "\"joe\""), "\"joe\"");
    }
}
