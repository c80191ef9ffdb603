//! Why a class could not be read or edited.

use std::fmt;

/// A class that is left as it is, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassError {
    /// The bytes are no class file, or one that no JVM would load.
    Malformed { at: usize, what: &'static str },
    /// A class that must never be edited.
    Refused { class: String, why: &'static str },
    /// One method could not be edited as asked.
    Method {
        class: String,
        method: String,
        descriptor: String,
        why: NotEdited,
    },
}

/// Why one method was not edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotEdited {
    /// The class declares no such method.
    Unknown,
    /// The method is abstract or native.
    NoCode,
    /// Its `Code` attribute makes no sense.
    Malformed { at: usize, what: &'static str },
    /// Nothing may run at the entry of a constructor: `this` is not initialised there.
    EntryOfConstructor,
    /// A void method has no value to wrap.
    ReturnsNothing,
    /// The helper's descriptor does not fit what the edit gives it and wants from it.
    HelperDoesNotFit { helper: String, why: String },
    /// [`crate::Arg::This`] or [`crate::Arg::Outer`] in a static method.
    NoThis,
    /// [`crate::Arg::Outer`] in a class without a field `this$N`.
    NoOuter,
    /// [`crate::Arg::Param`] of a parameter that the method does not have.
    NoParam(u8),
    /// [`crate::Change::AfterCalls`] where no such call returns an int.
    NoCalls(Vec<String>),
    /// A jump at this pc no longer fits into 16 bits.
    BranchTooFar { pc: usize },
    /// The new code would be longer than the 65,535 bytes a method may have.
    CodeTooLong(usize),
    /// The new code would need a deeper stack than a method may have.
    StackTooDeep,
    /// The constant pool has no room for what the edit needs.
    PoolFull,
    /// A name or string is longer than a class file can hold.
    StringTooLong,
}

impl fmt::Display for ClassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { at, what } => write!(f, "malformed class file at byte {at}: {what}"),
            Self::Refused { class, why } => write!(f, "class `{class}` is not edited: {why}"),
            Self::Method {
                class,
                method,
                descriptor,
                why,
            } => {
                write!(f, "method `{class}.{method}{descriptor}` cannot be edited: {why}")
            }
        }
    }
}

impl fmt::Display for NotEdited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => write!(f, "the class has no such method"),
            Self::NoCode => write!(f, "it is abstract or native"),
            Self::Malformed { at, what } => write!(f, "malformed code at byte {at}: {what}"),
            Self::EntryOfConstructor => write!(f, "nothing can be inserted at the entry of a constructor"),
            Self::ReturnsNothing => write!(f, "it returns no value to wrap"),
            Self::HelperDoesNotFit { helper, why } => write!(f, "helper `{helper}` does not fit: {why}"),
            Self::NoThis => write!(f, "it is static and has no `this`"),
            Self::NoOuter => write!(f, "the class has no field `this$N`"),
            Self::NoParam(index) => write!(f, "it has no parameter {index}"),
            Self::NoCalls(callees) => write!(
                f,
                "it has no call of `{}` that returns an int",
                callees.join("`, `")
            ),
            Self::BranchTooFar { pc } => write!(f, "the jump at pc {pc} would be longer than 16 bits"),
            Self::CodeTooLong(length) => write!(f, "its code would be {length} bytes long, more than 65535"),
            Self::StackTooDeep => write!(f, "its stack would be deeper than 65535"),
            Self::PoolFull => write!(f, "the constant pool is full"),
            Self::StringTooLong => write!(f, "a name or string is longer than 65535 bytes"),
        }
    }
}

impl std::error::Error for ClassError {}

/// What reading finds wrong, before it is known whose fault it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Malformed {
    pub(crate) at: usize,
    pub(crate) what: &'static str,
}

impl From<Malformed> for ClassError {
    fn from(Malformed { at, what }: Malformed) -> Self {
        Self::Malformed { at, what }
    }
}

impl From<Malformed> for NotEdited {
    fn from(Malformed { at, what }: Malformed) -> Self {
        Self::Malformed { at, what }
    }
}
