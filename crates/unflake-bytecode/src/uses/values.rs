//! What is known of the values on the stack and in the variables of a method: where they come from, and what went
//! into them.

use super::Stored;
use crate::descriptor::{Descriptor, Kind};
use std::collections::BTreeSet;

/// Where a value comes from. Fields are known by their index in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Unknown,
    This,
    Null,
    Constant(i64),
    Parameter(usize),
    Field(u16),
    /// The field's value and something; whether that is a positive constant.
    Sum(u16, bool),
    /// What a call on the field's value gave.
    Below(u16),
    /// An object made by the instruction at this pc.
    New(usize),
    /// What `System.currentTimeMillis` or `System.nanoTime` gave.
    Time,
    /// A copy of the field's value, to which it goes back if it is stored there; where the use that made it is
    /// reported.
    Copy(u16, usize),
}

/// Whether something of the caller's went into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Given {
    No,
    /// Only what has no identity of its own.
    Values,
    /// An array of such.
    ValueArray,
    Objects,
}

impl Given {
    fn of(descriptor: &str) -> Self {
        const VALUES: [&str; 16] = [
            "Ljava/lang/String;",
            "Ljava/lang/Class;",
            "Ljava/lang/Boolean;",
            "Ljava/lang/Character;",
            "Ljava/lang/Byte;",
            "Ljava/lang/Short;",
            "Ljava/lang/Integer;",
            "Ljava/lang/Long;",
            "Ljava/lang/Float;",
            "Ljava/lang/Double;",
            "Ljava/util/Locale;",
            "Ljava/lang/reflect/Constructor;",
            "Ljava/lang/reflect/Field;",
            "Ljava/lang/reflect/Method;",
            "Ljava/lang/reflect/ParameterizedType;",
            "Ljava/lang/reflect/Type;",
        ];
        let is_value = |descriptor: &str| descriptor.len() == 1 || VALUES.contains(&descriptor);
        match descriptor.strip_prefix('[') {
            Some(element) if is_value(element) => Self::ValueArray,
            None if is_value(descriptor) => Self::Values,
            _ => Self::Objects,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) origin: Origin,
    pub(super) given: Given,
}

impl Value {
    pub(super) const UNKNOWN: Self = Self::of(Origin::Unknown);

    pub(super) const fn of(origin: Origin) -> Self {
        Self {
            origin,
            given: Given::No,
        }
    }

    pub(super) fn field(self) -> Option<u16> {
        match self.origin {
            Origin::Field(field) => Some(field),
            _ => None,
        }
    }

    pub(super) fn constant(self) -> Option<i64> {
        match self.origin {
            Origin::Constant(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        let origin = match (self.origin, other.origin) {
            (one, another) if one == another => one,
            (one @ Origin::Field(_), _) | (_, one @ Origin::Field(_)) => one,
            (one @ Origin::Below(_), _) | (_, one @ Origin::Below(_)) => one,
            _ => Origin::Unknown,
        };
        Self {
            origin,
            given: self.given.max(other.given),
        }
    }

    pub(super) fn stored(self, into: Option<u16>) -> Stored {
        match self.origin {
            Origin::Null => Stored::Null,
            Origin::Constant(_) => Stored::Constant,
            Origin::Sum(field, grows) if Some(field) == into => {
                if grows {
                    Stored::Increased
                } else {
                    Stored::Added
                }
            }
            Origin::Parameter(_) | Origin::This => Stored::Parameter,
            Origin::Time => Stored::Time,
            origin => match self.given {
                Given::Objects | Given::ValueArray => Stored::FromParameters,
                Given::Values => Stored::FromValues,
                Given::No if matches!(origin, Origin::New(_)) => Stored::New,
                Given::No => Stored::Other,
            },
        }
    }
}

/// Slots of stack and variables; a long or double takes two, of which the second is unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) stack: Vec<Value>,
    pub(super) locals: Vec<Value>,
    /// Fields of the class or of this object that were set on every way to here.
    pub(super) set: BTreeSet<u16>,
}

impl State {
    pub(super) fn entry(descriptor: &str, is_static: bool, max_locals: u16) -> Self {
        let mut locals = Vec::with_capacity(usize::from(max_locals));
        if !is_static {
            locals.push(Value::of(Origin::This));
        }
        let params = Descriptor::parse(descriptor).map_or(Vec::new(), |descriptor| descriptor.params);
        for param in params {
            locals.push(Value {
                origin: Origin::Parameter(locals.len()),
                given: Given::of(param),
            });
            if Kind::of(param).slots() == 2 {
                locals.push(Value::UNKNOWN);
            }
        }
        locals.resize(locals.len().max(usize::from(max_locals)), Value::UNKNOWN);
        Self {
            stack: Vec::new(),
            locals,
            set: BTreeSet::new(),
        }
    }

    /// The same value, wherever it is now.
    pub(super) fn all_of(&mut self, origin: Origin) -> impl Iterator<Item = &mut Value> {
        let all = self.stack.iter_mut().chain(&mut self.locals);
        all.filter(move |value| value.origin == origin)
    }

    pub(super) fn join(&mut self, other: &Self) {
        let pairs = |one: &mut [Value], another: &[Value]| {
            for (a, b) in one.iter_mut().zip(another) {
                *a = a.or(*b);
            }
        };
        pairs(&mut self.stack, &other.stack);
        pairs(&mut self.locals, &other.locals);
        self.set.retain(|field| other.set.contains(field));
    }
}
