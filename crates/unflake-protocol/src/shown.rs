//! Values as people see them, together with what they are.
//!
//! A text such as `"x"`, `3` or `ArrayList["a", 2 more]` is for people only. Code that has to decide something asks
//! [`Shown::what`], so that the wording can change without changing what is found.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A value: what it is, and a short text that shows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shown {
    pub what: What,
    pub text: String,
}

/// What a value is. Classes are `package.Class`, nested ones with `$`; arrays as Java's `getName` gives them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum What {
    Null,
    Boolean,
    Character,
    /// A whole number, primitive or boxed.
    Integer(i64),
    Decimal,
    /// A string, or an object that is compared as one; also the text of a property or a file.
    Text,
    /// A `java.lang.Class`.
    Class,
    /// A constant of an enum.
    Constant,
    /// An array of numbers that is shown by its length only.
    Length,
    Object {
        class: String,
    },
    /// A collection, a map or an array.
    Collection {
        class: String,
        len: u64,
    },
    /// An object that the garbage collector may take away.
    Reference(Reference),
    /// An element of a set, which has no value of its own.
    Present,
    /// A thread that runs.
    Alive,
    /// A shutdown hook.
    Registered,
    /// A file that the JVM deletes when it ends.
    UntilExit,
    /// An object that could not be read.
    Unknown,
    /// Hidden, since it may be secret.
    Hidden,
}

/// `java.lang.ref.SoftReference` and its relatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Reference {
    Soft,
    Weak,
}

impl Shown {
    pub fn new(what: What, text: impl Into<String>) -> Shown {
        Shown {
            what,
            text: text.into(),
        }
    }

    pub fn null() -> Shown {
        Shown::new(What::Null, "null")
    }

    pub fn integer(value: i64) -> Shown {
        Shown::new(What::Integer(value), value.to_string())
    }

    /// An object that is shown by its class only, as `text`.
    pub fn object(class: &str, text: impl Into<String>) -> Shown {
        let what = match class {
            "java.lang.ref.SoftReference" => What::Reference(Reference::Soft),
            "java.lang.ref.WeakReference" => What::Reference(Reference::Weak),
            class => What::Object {
                class: class.to_owned(),
            },
        };
        Shown::new(what, text)
    }

    /// The same value with a remark behind its text.
    #[must_use]
    pub fn remarked(mut self, remark: &str) -> Shown {
        self.text.push_str(remark);
        self
    }
}

impl What {
    /// Nothing but a value: it keeps nothing that somebody gave it, and nobody can change it.
    pub fn is_plain(&self) -> bool {
        match self {
            What::Null
            | What::Boolean
            | What::Character
            | What::Integer(_)
            | What::Decimal
            | What::Text
            | What::Class
            | What::Length => true,
            What::Constant
            | What::Object { .. }
            | What::Collection { .. }
            | What::Reference(_)
            | What::Present
            | What::Alive
            | What::Registered
            | What::UntilExit
            | What::Unknown
            | What::Hidden => false,
        }
    }

    /// The class of an object or a collection; of an array, that of its elements.
    pub fn class(&self) -> Option<&str> {
        match self {
            What::Object { class } | What::Collection { class, .. } => element_class(class),
            What::Null
            | What::Boolean
            | What::Character
            | What::Integer(_)
            | What::Decimal
            | What::Text
            | What::Class
            | What::Constant
            | What::Length
            | What::Reference(_)
            | What::Present
            | What::Alive
            | What::Registered
            | What::UntilExit
            | What::Unknown
            | What::Hidden => None,
        }
    }
}

/// `[[La.B;` is an array of arrays of `a.B`; numbers have no class.
fn element_class(class: &str) -> Option<&str> {
    match class.trim_start_matches('[') {
        element if element.len() == class.len() => Some(class),
        element => element.strip_prefix('L')?.strip_suffix(';'),
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_known_by_their_class() {
        let of = |class: &str| Shown::object(class, "x").what;
        assert_eq!(
            of("java.lang.ref.SoftReference"),
            What::Reference(Reference::Soft)
        );
        assert_eq!(
            of("java.lang.ref.WeakReference"),
            What::Reference(Reference::Weak)
        );
        assert_eq!(of("a.SoftReference").class(), Some("a.SoftReference"));
    }

    #[test]
    fn an_array_has_the_class_of_its_elements() {
        let of = |class: &str| Shown::object(class, "").what.class().map(str::to_owned);
        assert_eq!(of("[[La.B;"), Some("a.B".to_owned()));
        assert_eq!(of("a.B$C"), Some("a.B$C".to_owned()));
        assert_eq!(of("[I"), None);
    }

    #[test]
    fn values_are_plain_and_objects_are_not() {
        assert!(Shown::null().what.is_plain() && Shown::integer(-1).what.is_plain());
        assert!(!Shown::object("a.B", "B").what.is_plain());
        let list = What::Collection {
            class: "java.util.ArrayList".to_owned(),
            len: 0,
        };
        assert!(!list.is_plain() && !What::Constant.is_plain() && !What::Present.is_plain());
    }
}
