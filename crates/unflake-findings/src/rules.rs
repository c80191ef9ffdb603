//! Rules that this version gives. An id never changes its meaning.
//!
//! A finding about an implementation-dependent test has [`IMPLEMENTATION_DEPENDENT`] until its cause is known, then the rule of
//! the family that the blamed API belongs to:
//!
//! | rule  | family |
//! |---|---|
//! | UF101 | hash collections: `HashMap`, `HashSet`, `Hashtable`, `Collectors.toSet`, … |
//! | UF102 | concurrent hash maps |
//! | UF103 | priority queues: their traversal |
//! | UF104 | reflection: members, annotations, exceptions |
//! | UF105 | directories |
//! | UF106 | locales and time zones |
//! | UF107 | identity hashes |
//! | UF108 | immutable sets and maps: `Set.of`, `Map.of`, … |
//! | UF109 | ties and duplicates: `binarySearch`, `poll` among equals |
//! | UF190 | models from `unflake.toml` |
//! | UF501 | victim: passes alone, fails after another test |
//! | UF502 | brittle: fails alone, passes after another test |
//!
//! Which API belongs where is a column of the table of models, so that a new model remains one row.

use crate::{Cause, CauseStatus};
use unflake_models::{USER_RULE, find};

/// Implementation-dependent, cause not known yet.
pub const IMPLEMENTATION_DEPENDENT: &str = "UF100";

/// A test that passes alone and fails after another one.
pub const VICTIM: &str = "UF501";

/// A test that fails alone and passes after another one.
pub const BRITTLE: &str = "UF502";

/// The rule of a finding whose cause is a call of this API: a model's name, or the method of a user's model.
///
/// What does not look like a method has no family and stays [`IMPLEMENTATION_DEPENDENT`].
pub fn of_cause(api: &str) -> &'static str {
    match find(api) {
        Some((_, model)) => model.rule,
        None if is_method(api) => USER_RULE,
        None => IMPLEMENTATION_DEPENDENT,
    }
}

/// The rule of a finding with this cause. Where several calls must vary together, the first decides.
pub fn of(cause: &Cause) -> &'static str {
    match (cause.status, cause.choices.first()) {
        (CauseStatus::Found, Some(choice)) => of_cause(&choice.api),
        _ => IMPLEMENTATION_DEPENDENT,
    }
}

/// Whether a suppression that names the rule `written` is about findings of `rule`. [`IMPLEMENTATION_DEPENDENT`] stands for its
/// families too: what was suppressed before the cause was known stays so.
pub fn covers(written: &str, rule: &str) -> bool {
    written == rule || (written == IMPLEMENTATION_DEPENDENT && rule.len() == 5 && rule.starts_with("UF1"))
}

/// `package.Class.method`, as `unflake.toml` names methods; a class may be without a package.
fn is_method(api: &str) -> bool {
    let parts: Vec<&str> = api.split('.').collect();
    let is_name = |part: &&str| {
        let fits = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        !part.is_empty() && !part.starts_with(char::is_numeric) && part.chars().all(fits)
    };
    parts.len() > 1 && parts.iter().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_models::{MODELS, family};

    #[test]
    fn every_model_has_a_family_of_its_own() {
        for model in MODELS {
            let rule = of_cause(model.name);
            assert_eq!(rule, model.rule);
            assert!(
                ![IMPLEMENTATION_DEPENDENT, USER_RULE].contains(&rule),
                "{}",
                model.name
            );
            assert!(family(rule).is_some(), "{}: {rule} is not explained", model.name);
        }
    }

    /// Users' comments and scripts name these.
    #[test]
    fn families_keep_their_rules() {
        for (api, rule) in [
            ("HashMap.entrySet", "UF101"),
            ("HashSet.iterator", "UF101"),
            ("Collectors.groupingBy", "UF101"),
            ("System.getenv", "UF101"),
            ("ConcurrentHashMap.keys", "UF102"),
            ("PriorityQueue.iterator", "UF103"),
            ("Class.getDeclaredFields", "UF104"),
            ("Method.getAnnotations", "UF104"),
            ("File.listFiles", "UF105"),
            ("Files.walk", "UF105"),
            ("DateFormatSymbols.getZoneStrings", "UF106"),
            ("Object.hashCode", "UF107"),
            ("Set.of", "UF108"),
            ("Map.copyOf", "UF108"),
            ("Arrays.binarySearch", "UF109"),
            ("PriorityQueue.poll", "UF109"),
            ("com.example.Dao.findAll", "UF190"),
            ("com.example.Outer$Inner.list", "UF190"),
            ("Main.all", "UF190"),
            ("not a.method at.all", "UF100"),
            ("a..b", "UF100"),
            ("", "UF100"),
        ] {
            assert_eq!(of_cause(api), rule, "{api}");
        }
    }

    #[test]
    fn a_cause_that_is_not_known_has_no_family() {
        assert_eq!(of(&Cause::default()), IMPLEMENTATION_DEPENDENT);
        let found = Cause {
            status: CauseStatus::Found,
            ..Cause::default()
        };
        assert_eq!(of(&found), IMPLEMENTATION_DEPENDENT);
    }

    #[test]
    fn what_was_suppressed_before_the_cause_was_known_stays_so() {
        assert!(covers("UF100", "UF100") && covers("UF100", "UF101") && covers("UF101", "UF101"));
        assert!(!covers("UF101", "UF100") && !covers("UF101", "UF102") && !covers("UF100", "UF205"));
    }
}
