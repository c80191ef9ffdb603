//! What a method does with fields: which it reads and writes, where their values go, and which methods it calls.
//!
//! One pass over the code, which keeps for each stack slot and local variable where its value comes from, as far as
//! one method can tell. Where two ways meet, a value that may be a field's counts as the field's; jumps back are not
//! followed. So what is said may happen, on some way through the code; what is not said does not happen, but for
//! values that go round a loop. That is enough to tell `if (x == null) x = …` and `x++` from a setter, which is all
//! it is for.

mod calls;
mod values;
mod walk;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::code::Code;
use crate::constants::Pool;
use values::{State, Value};
use walk::Walk;

/// What one method does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses<'a> {
    /// In the order of the code.
    pub fields: Vec<FieldUse<'a>>,
    pub calls: Vec<Call<'a>>,
}

/// Something that is done with a field or its value. The class is that which the instruction names, with slashes: the
/// field may be declared in one above it. `access$` methods, by which an inner class reads a private field, count as
/// fields; which they are of their own uses tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldUse<'a> {
    pub class: Cow<'a, str>,
    pub name: Cow<'a, str>,
    pub how: How<'a>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How<'a> {
    Read,
    /// Read where this method has set it before, on every way: not what was left there.
    ReadBack,
    /// A branch asks whether its value is null, or compares it with a constant.
    Tested,
    /// A branch asks whether the time that a clock of the JVM gives is before or after it.
    ComparedWithTime,
    Written(Stored),
    /// A method of the object that it holds is called.
    Called {
        method: Cow<'a, str>,
        /// What the last argument is.
        stored: Stored,
        /// Nothing looks at what the method returns.
        dropped: bool,
    },
    /// A method is called on what a call like that gave: the list in a map of lists. Of an array there, `[]=` stores
    /// into it.
    CalledBelow {
        method: Cow<'a, str>,
        /// What the last argument is.
        stored: Stored,
    },
    Returned,
    /// What a call on the object that it holds gave is returned.
    ReturnedBelow,
    /// Its value is an argument of a call.
    Passed {
        to: Cow<'a, str>,
    },
    /// Its value is stored in a field or an array.
    Kept,
}

/// Where a stored value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    Null,
    Constant,
    /// The field's own value and a positive constant.
    Increased,
    /// The field's own value and something that is no constant.
    Added,
    /// A parameter as it is, or this object, and nothing else that is stored with it is the same.
    Parameter,
    /// Made with the help of parameters.
    FromParameters,
    /// Made with the help of parameters that are nothing but values: texts, numbers, classes.
    FromValues,
    /// An object that this method has made, of nothing that was given.
    New,
    /// What a clock of the JVM said, as it is.
    Time,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    pub class: Cow<'a, str>,
    pub name: Cow<'a, str>,
    pub descriptor: Cow<'a, str>,
}

impl FieldUse<'_> {
    /// Without the class file that it was read from.
    pub fn into_owned(self) -> FieldUse<'static> {
        FieldUse {
            class: Cow::Owned(self.class.into_owned()),
            name: Cow::Owned(self.name.into_owned()),
            how: self.how.into_owned(),
        }
    }
}

impl How<'_> {
    fn into_owned(self) -> How<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            How::Read => How::Read,
            How::ReadBack => How::ReadBack,
            How::Tested => How::Tested,
            How::ComparedWithTime => How::ComparedWithTime,
            How::Written(stored) => How::Written(stored),
            How::Called {
                method,
                stored,
                dropped,
            } => How::Called {
                method: owned(method),
                stored,
                dropped,
            },
            How::CalledBelow { method, stored } => How::CalledBelow {
                method: owned(method),
                stored,
            },
            How::Returned => How::Returned,
            How::ReturnedBelow => How::ReturnedBelow,
            How::Passed { to } => How::Passed { to: owned(to) },
            How::Kept => How::Kept,
        }
    }

    /// The value itself goes elsewhere: it is returned, passed on or kept.
    pub fn is_handed_on(&self) -> bool {
        matches!(self, How::Returned | How::Passed { .. } | How::Kept)
    }
}

impl Stored {
    /// Another caller may have stored something else.
    pub fn is_of_caller(self) -> bool {
        matches!(
            self,
            Stored::Parameter | Stored::FromParameters | Stored::FromValues
        )
    }
}

impl Call<'_> {
    /// Without the class file that it was read from.
    pub fn into_owned(self) -> Call<'static> {
        Call {
            class: Cow::Owned(self.class.into_owned()),
            name: Cow::Owned(self.name.into_owned()),
            descriptor: Cow::Owned(self.descriptor.into_owned()),
        }
    }
}

pub(crate) fn uses<'a>(pool: &Pool<'a>, code: &Code<'a>, descriptor: &str, is_static: bool) -> Uses<'a> {
    let mut walk = Walk {
        pool,
        state: State::entry(descriptor, is_static, code.max_locals()),
        waiting: BTreeMap::new(),
        found: Uses::default(),
        is_reached: true,
    };
    let mut guarded: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (start, handler) in code.handlers() {
        guarded.entry(start).or_default().push(handler);
    }
    let mut instructions = code.instructions().peekable();
    while let Some((pc, bytes)) = instructions.next() {
        walk.arrive(pc);
        for handler in guarded.get(&pc).into_iter().flatten() {
            let state = State {
                stack: vec![Value::UNKNOWN],
                ..walk.state.clone()
            };
            walk.meet(*handler, state);
        }
        let next = instructions.peek().map_or(0, |(_, bytes)| bytes[0]);
        walk.step(pc, bytes, next);
    }
    walk.found
}
