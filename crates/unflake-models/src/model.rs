//! What a model is made of.

use std::fmt;

/// One underdetermined API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// What users write in `--api`: `HashMap.keySet`, `Class.getDeclaredFields`.
    pub name: &'static str,
    pub kind: Kind,
    pub basis: Basis,
    /// A sentence (or a part of one) of the JDK's own documentation that leaves the result open, word for word but for
    /// white space and markup; for [`Basis::Silent`] the sentence that says what is returned and nothing of its order.
    pub quote: &'static str,
    /// Where the quotation stands: `java/util/HashMap`, `java/io/File#list`.
    pub quoted_from: &'static str,
    /// First and last Java that has the API; `None`: still there.
    pub since: u8,
    pub until: Option<u8>,
    /// The family's rule: UF101, …
    pub rule: &'static str,
    /// Empty when the API varies because one it is built on does: then `through` names that model.
    pub roads: &'static [Road],
    pub through: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The same elements in any order.
    Permute,
    /// More elements than now.
    Extend,
    /// Any value.
    Random,
    /// Any of several results that all satisfy the specification (ties, duplicates).
    Pick,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Permute => "permute",
            Kind::Extend => "extend",
            Kind::Random => "random",
            Kind::Pick => "pick",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The API's own documentation says so.
    Stated,
    /// A supertype's documentation says so.
    Inherited,
    /// The documentation says nothing: findings are at most warnings.
    Silent,
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Basis::Stated => "stated",
            Basis::Inherited => "inherited",
            Basis::Silent => "silent",
        })
    }
}

/// One method whose body is edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Road {
    /// Binary name with slashes: `java/util/HashMap$KeySet`.
    pub class: &'static str,
    pub method: &'static str,
    pub descriptor: &'static str,
    pub edit: Edit,
    /// First and last Java whose class has this method *and* needs the edit.
    pub since: u8,
    pub until: Option<u8>,
}

impl Road {
    /// Whether this Java has the method and needs the edit.
    pub fn applies_to(&self, java: u8) -> bool {
        self.since <= java && self.until.is_none_or(|until| java <= until)
    }

    /// A method without which the class must not be edited on this road: another build of the same Java has the
    /// method's body call an edited one, and an order reversed twice is the natural one.
    ///
    /// `File.list(FilenameFilter)` and the three `listFiles` call `normalizedList` in current updates of every Java;
    /// older updates of 8 and 11 do not have it and call `list()`.
    pub fn needs(&self) -> Option<&'static str> {
        let calls_list =
            self.method == "listFiles" || self.method == "list" && !self.descriptor.starts_with("()");
        (self.class == "java/io/File" && calls_list).then_some("normalizedList")
    }
}

/// What is done to a method. `helper` is a public static method of the runtime class `java.util.Unflake`, with its
/// descriptor: `hashKeys(Ljava/util/Iterator;Ljava/util/HashMap;I)Ljava/util/Iterator;`. The last parameter of every
/// helper is an `int`, the index of the model in [`crate::MODELS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// `return r;` becomes `return helper(r, args…, model);`, cast to the method's own type where the helper's is
    /// wider.
    Wrap {
        helper: &'static str,
        args: &'static [Arg],
    },
    /// The method begins with `if (Unflake.open) return helper(args…, model);`.
    Instead {
        helper: &'static str,
        args: &'static [Arg],
    },
    /// The same for a helper that calls the method again: `if (Unflake.isOpenHere()) …`, which is false on a thread
    /// that is inside of the helper already.
    Around {
        helper: &'static str,
        args: &'static [Arg],
    },
    /// Each `int` that a call of `callee` (`compare`, `compareTo`) in the method returns goes through
    /// `helper(int, args…, model)`.
    AfterCalls {
        callees: &'static [&'static str],
        helper: &'static str,
        args: &'static [Arg],
    },
}

/// What a helper gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    This,
    /// The enclosing instance of an inner class: its field `this$0`.
    Outer,
    /// The parameter of this index, counted from 0.
    Param(u8),
}

impl Edit {
    pub fn helper(&self) -> &'static str {
        let (Edit::Wrap { helper, .. }
        | Edit::Instead { helper, .. }
        | Edit::Around { helper, .. }
        | Edit::AfterCalls { helper, .. }) = self;
        helper
    }
}
