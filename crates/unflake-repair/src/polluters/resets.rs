//! How one state is put back: statements for a class of tests, best first.

use super::Polluted;
use super::{heap, jvm};
use crate::imports::Import;
use crate::java::JavaFile;
use unflake_protocol::StateKind;

/// Statements that put a state back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reset {
    /// What has to be kept from before the test.
    pub(super) saved: Option<Saved>,
    /// Without semicolons; [`SAVED`] stands for the name of what was kept.
    pub(super) statements: Vec<String>,
    pub(super) imports: Vec<Import>,
    /// A name for a method that does it.
    pub(super) method: String,
    /// What it does, for a sentence that goes on with "after each test".
    pub(super) why: String,
}

/// Stands for the name of what was kept.
pub(super) const SAVED: &str = "\u{1}";

/// A value that is kept in a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Saved {
    pub(super) written_type: String,
    /// What it is called after `saved`: `Locale`.
    pub(super) name: String,
    pub(super) value: String,
}

impl Saved {
    /// `savedTimeZone`; as a constant `SAVED_TIME_ZONE`.
    pub(super) fn field(&self, is_static: bool) -> String {
        if !is_static {
            return format!("saved{}", self.name);
        }
        let mut constant = String::from("SAVED");
        for c in self.name.chars() {
            if c.is_uppercase() {
                constant.push('_');
            }
            constant.extend(c.to_uppercase());
        }
        constant
    }
}

/// What can be done about a state from a class of tests in a file.
pub(super) fn resets(polluted: &Polluted<'_>, file: &JavaFile, class: &str) -> Vec<Reset> {
    match polluted.state {
        StateKind::Heap => heap::resets(polluted, file, class),
        _ => jvm::reset(polluted, file).into_iter().collect(),
    }
}

/// `ShopCurrency` of `shop.currency`, `ITEMS` becomes `Items`.
pub(super) fn camel(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let word = |word: &str| {
        let is_loud = !word.chars().any(char::is_lowercase);
        let mut chars = word.chars();
        let first = chars.next().map(|c| c.to_ascii_uppercase());
        let rest: String = if is_loud {
            chars.map(|c| c.to_ascii_lowercase()).collect()
        } else {
            chars.collect()
        };
        first.into_iter().chain(rest.chars()).collect::<String>()
    };
    words.map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_state() {
        let of = ["shop.currency", "ITEMS", "MAX_SIZE", "roundingMode", "a-b"].map(camel);
        assert_eq!(of, ["ShopCurrency", "Items", "MaxSize", "RoundingMode", "AB"]);
        let saved = Saved {
            written_type: "TimeZone".to_owned(),
            name: "TimeZone".to_owned(),
            value: String::new(),
        };
        assert_eq!(
            [false, true].map(|is_static| saved.field(is_static)),
            ["savedTimeZone", "SAVED_TIME_ZONE"]
        );
    }
}
