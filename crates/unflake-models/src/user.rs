//! Checks of the models that users write (N9). Reading them from `unflake.toml` is the program's work.

use crate::MODELS;
use unflake_protocol::{UserModel, UserModelKind};

/// The rule of findings whose cause is a user's model.
pub const USER_RULE: &str = "UF190";

/// Whether the model can be meant; else a sentence that says what is wrong, for a message with file and line.
pub fn check_user_model(model: &UserModel) -> Result<(), String> {
    let method = model.method.as_str();
    let parts: Vec<&str> = method.split('.').collect();
    if let Some(bad) = parts.iter().find(|part| !is_identifier(part)) {
        return Err(match *bad {
            "" => format!("`{method}` is no method; write `package.Class.method`"),
            bad => format!(
                "`{bad}` in `{method}` is no Java name; write `package.Class.method`, without parameters"
            ),
        });
    }
    if parts.len() < 2 {
        return Err(format!("`{method}` names no class; write `package.Class.method`"));
    }
    if let Some(known) = modelled(method) {
        return Err(format!("`{method}` is varied already, by the model `{known}`"));
    }
    check_kind(&model.kind).map_err(|wrong| format!("{wrong} (model of `{method}`)"))
}

fn check_kind(kind: &UserModelKind) -> Result<(), String> {
    match kind {
        UserModelKind::Permute | UserModelKind::Extend | UserModelKind::Random => Ok(()),
        UserModelKind::OneOf(values) => {
            let mut distinct = values.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() < 2 {
                Err("`one-of` needs two different values or more".to_owned())
            } else {
                Ok(())
            }
        }
        UserModelKind::Tolerance(t) if t.is_finite() && *t > 0.0 => Ok(()),
        UserModelKind::Tolerance(t) => Err(format!("`tolerance` must be a number above 0, not {t}")),
    }
}

/// The model that varies this very method. Edited twice, an order could come out as it was.
fn modelled(method: &str) -> Option<&'static str> {
    let (class, method) = method.rsplit_once('.')?;
    let class = class.replace('.', "/");
    MODELS
        .iter()
        .find(|model| {
            model
                .roads
                .iter()
                .any(|road| road.class == class && road.method == method)
        })
        .map(|model| model.name)
}

/// Java allows more letters than anyone uses in code; what is surely none is refused.
fn is_identifier(part: &str) -> bool {
    let first = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    part.starts_with(first) && part.chars().all(|c| first(c) || c.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(method: &str, kind: UserModelKind) -> Result<(), String> {
        check_user_model(&UserModel {
            method: method.to_owned(),
            kind,
        })
    }

    fn refusal(method: &str, kind: UserModelKind) -> String {
        check(method, kind).unwrap_err()
    }

    #[test]
    fn methods_of_any_class_are_accepted() {
        for method in [
            "org.example.Dao.findAll",
            "org.example.Outer$Inner.list",
            "Main.all",
            "größe.Übung.maße",
        ] {
            assert_eq!(check(method, UserModelKind::Permute), Ok(()), "{method}");
        }
    }

    #[test]
    fn what_is_no_method_is_refused_with_the_form_to_write() {
        for (method, part) in [
            ("findAll", "names no class"),
            ("", "is no method"),
            ("org..Dao.find", "is no method"),
            ("org.example.Dao.findAll()", "`findAll()`"),
            ("org.example.Dao#findAll", "`Dao#findAll`"),
            ("org.example.1Dao.findAll", "`1Dao`"),
            ("org.example.*.findAll", "`*`"),
        ] {
            let message = refusal(method, UserModelKind::Permute);
            assert!(
                message.contains(part) && message.contains("package.Class.method"),
                "{message}"
            );
        }
    }

    #[test]
    fn a_method_of_the_table_is_not_edited_twice() {
        assert_eq!(
            refusal("java.lang.Class.getFields", UserModelKind::Permute),
            "`java.lang.Class.getFields` is varied already, by the model `Class.getFields`"
        );
    }

    #[test]
    fn kinds_need_something_to_choose_from() {
        let one_of = |values: &[&str]| UserModelKind::OneOf(values.iter().map(|v| (*v).to_owned()).collect());
        assert_eq!(check("a.B.c", one_of(&["x", "y"])), Ok(()));
        assert!(refusal("a.B.c", one_of(&["x", "x"])).contains("two different values"));
        assert_eq!(check("a.B.c", UserModelKind::Tolerance(0.01)), Ok(()));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(refusal("a.B.c", UserModelKind::Tolerance(bad)).contains("above 0"));
        }
    }
}
