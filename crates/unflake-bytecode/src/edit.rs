//! What can be done to a method, and the instructions that do it.

use crate::class::ClassFile;
use crate::code::Code;
use crate::constants::NewConstants;
use crate::descriptor::{Descriptor, Kind};
use crate::error::NotEdited;
use crate::mutf8;
use crate::opcodes::{BIPUSH, CHECKCAST, GETFIELD, GETSTATIC, IFEQ, INVOKESTATIC, LDC, LDC_W, SIPUSH};
use crate::reader::Write;

/// One change of one method. Several may name the same method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodEdit {
    pub method: String,
    pub descriptor: String,
    pub change: Change,
}

/// What is inserted, and where. Nothing that is inserted runs twice because of a jump back to the method's beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// `return r;` becomes `return helper(r, args…);`, cast to the method's own type if the helper's is another.
    WrapReturns { helper: Helper, args: Vec<Arg> },
    /// The method begins with `if (gate) return helper(args…);`, cast likewise. Not for constructors.
    InsteadWhen {
        gate: Gate,
        helper: Helper,
        args: Vec<Arg>,
    },
    /// The method begins with `helper(args…);`. Not for constructors.
    AtEntry { helper: Helper, args: Vec<Arg> },
    /// Each `return` comes after `helper(args…);`. Not run when the method ends with an exception.
    BeforeReturns { helper: Helper, args: Vec<Arg> },
    /// Each int `i` returned by a call of a method of one of these names becomes `helper(i, args…)`.
    AfterCalls {
        callees: Vec<String>,
        helper: Helper,
        args: Vec<Arg>,
    },
}

/// A static method of a class (not of an interface) that the edited class can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helper {
    /// Binary name with slashes.
    pub class: String,
    pub name: String,
    pub descriptor: String,
}

/// What is asked whether the helper is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    Field(StaticField),
    /// A method without parameters that returns a boolean.
    Method(Helper),
}

/// A static field of type boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticField {
    /// Binary name with slashes.
    pub class: String,
    pub name: String,
}

/// What a helper is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    This,
    /// The enclosing instance of an inner class: its field `this$0`, or whatever number it has.
    Outer,
    /// The parameter of this index, counted from 0; the value that its variable has at that moment.
    Param(u8),
    Int(i32),
    Str(String),
}

/// The method that is edited.
pub(crate) struct Target<'t, 'a> {
    pub(crate) class: &'t ClassFile<'a>,
    pub(crate) method: &'t str,
    pub(crate) descriptor: &'t str,
    pub(crate) is_static: bool,
}

/// Instructions to be put before an instruction.
pub(crate) struct Insertion {
    pub(crate) before: usize,
    pub(crate) place: InsertionPlace,
    pub(crate) code: Vec<u8>,
    /// How much deeper than before the stack gets in it, in slots.
    pub(crate) pushes: u16,
    /// It contains a jump to its own end, where the frame is that of the method's entry.
    pub(crate) joins: bool,
}

/// Who runs an insertion. The order is that in the new code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum InsertionPlace {
    /// Only who comes from the instruction before, or enters the method: jumps go past it.
    Passing,
    /// Who runs the instruction, also by a jump.
    With,
}

impl Insertion {
    /// Only there it is known how deep the stack is: empty.
    pub(crate) fn is_at_entry(&self) -> bool {
        self.before == 0 && self.place == InsertionPlace::Passing
    }
}

/// What the changes insert into this code.
pub(crate) fn plan(
    target: &Target<'_, '_>,
    changes: &[&Change],
    code: &Code<'_>,
    constants: &mut NewConstants,
) -> Result<Vec<Insertion>, NotEdited> {
    let no_descriptor = NotEdited::Malformed {
        at: 0,
        what: "not a method descriptor",
    };
    let descriptor = Descriptor::parse(target.descriptor).ok_or(no_descriptor)?;
    let mut planner = Planner {
        target,
        descriptor,
        constants,
    };
    let mut insertions = Vec::new();
    for change in changes {
        planner.change(change, code, &mut insertions)?;
    }
    Ok(insertions)
}

struct Planner<'p, 'a> {
    target: &'p Target<'p, 'a>,
    descriptor: Descriptor<'p>,
    constants: &'p mut NewConstants,
}

/// Straight-line instructions and how deep they go.
#[derive(Clone, Default)]
struct CodeSnippet {
    code: Vec<u8>,
    pushes: u16,
}

impl CodeSnippet {
    fn before(&self, pc: usize, place: InsertionPlace) -> Insertion {
        Insertion {
            before: pc,
            place,
            code: self.code.clone(),
            pushes: self.pushes,
            joins: false,
        }
    }
}

impl Planner<'_, '_> {
    fn change(&mut self, change: &Change, code: &Code<'_>, to: &mut Vec<Insertion>) -> Result<(), NotEdited> {
        match change {
            Change::WrapReturns { helper, args } => {
                let kind = self.descriptor.return_kind();
                if kind == Kind::Void {
                    return Err(NotEdited::ReturnsNothing);
                }
                let mut wrap = self.call(helper, args, &[kind], kind)?;
                self.cast(helper, &mut wrap)?;
                to.extend(code.returns().map(|pc| wrap.before(pc, InsertionPlace::With)));
            }
            Change::InsteadWhen { gate, helper, args } => {
                self.check_entry()?;
                let mut instead = self.call(helper, args, &[], self.descriptor.return_kind())?;
                self.cast(helper, &mut instead)?;
                to.push(self.gated(gate, &instead)?);
            }
            Change::AtEntry { helper, args } => {
                self.check_entry()?;
                to.push(
                    self.call(helper, args, &[], Kind::Void)?
                        .before(0, InsertionPlace::Passing),
                );
            }
            Change::BeforeReturns { helper, args } => {
                let call = self.call(helper, args, &[], Kind::Void)?;
                to.extend(code.returns().map(|pc| call.before(pc, InsertionPlace::With)));
            }
            Change::AfterCalls {
                callees,
                helper,
                args,
            } => {
                let call = self.call(helper, args, &[Kind::Int], Kind::Int)?;
                let mut found = false;
                for (callee, next) in code.calls() {
                    let (name, descriptor) = self.target.class.pool.callee(callee)?;
                    let named = callees.iter().any(|callee| *mutf8::encode(callee) == *name);
                    if named && descriptor.ends_with(b")I") {
                        to.push(call.before(next, InsertionPlace::Passing));
                        found = true;
                    }
                }
                if !found {
                    return Err(NotEdited::NoCalls(callees.clone()));
                }
            }
        }
        Ok(())
    }

    fn check_entry(&self) -> Result<(), NotEdited> {
        if self.target.method == "<init>" {
            Err(NotEdited::EntryOfConstructor)
        } else {
            Ok(())
        }
    }

    /// Pushes the arguments behind what the helper finds on the stack already, and calls it.
    fn call(
        &mut self,
        helper: &Helper,
        args: &[Arg],
        found: &[Kind],
        returns: Kind,
    ) -> Result<CodeSnippet, NotEdited> {
        let mut snippet = CodeSnippet::default();
        let mut given = found.to_vec();
        for arg in args {
            let kind = self.push(arg, &mut snippet.code)?;
            snippet.pushes = snippet.pushes.saturating_add(kind.slots());
            given.push(kind);
        }
        self.check(helper, &given, returns)?;
        if found.is_empty() {
            // What it returns may need more room than what it was given.
            snippet.pushes = snippet.pushes.max(returns.slots());
        }
        snippet.code.u1(INVOKESTATIC);
        snippet.code.u2(self.constants.method(helper)?);
        Ok(snippet)
    }

    fn check(&self, helper: &Helper, given: &[Kind], returns: Kind) -> Result<(), NotEdited> {
        let misfit = |why: String| {
            let helper = format!("{}.{}{}", helper.class, helper.name, helper.descriptor);
            Err(NotEdited::HelperDoesNotFit { helper, why })
        };
        let Some(descriptor) = Descriptor::parse(&helper.descriptor) else {
            return misfit("its descriptor is none".to_owned());
        };
        let params: Vec<Kind> = descriptor.params.iter().map(|param| Kind::of(param)).collect();
        if params != given {
            return misfit(format!("it takes {params:?} and is given {given:?}"));
        }
        if descriptor.return_kind() != returns {
            return misfit(format!(
                "it returns {:?} where {returns:?} is needed",
                descriptor.return_kind()
            ));
        }
        Ok(())
    }

    fn push(&mut self, arg: &Arg, code: &mut Vec<u8>) -> Result<Kind, NotEdited> {
        match arg {
            Arg::This => self.push_this(code),
            Arg::Outer => {
                let (name, descriptor) = self.target.class.outer_field().ok_or(NotEdited::NoOuter)?;
                self.push_this(code)?;
                code.u1(GETFIELD);
                code.u2(self
                    .constants
                    .field(&self.target.class.name(), &name, &descriptor)?);
                Ok(Kind::of(&descriptor))
            }
            Arg::Param(index) => self.push_param(*index, code),
            Arg::Int(value) => self.push_int(*value, code),
            Arg::Str(text) => {
                let index = self.constants.string(text)?;
                push_constant(index, code);
                Ok(Kind::Reference)
            }
        }
    }

    fn push_this(&self, code: &mut Vec<u8>) -> Result<Kind, NotEdited> {
        if self.target.is_static {
            return Err(NotEdited::NoThis);
        }
        Kind::Reference.load(0, code);
        Ok(Kind::Reference)
    }

    fn push_param(&self, index: u8, code: &mut Vec<u8>) -> Result<Kind, NotEdited> {
        let (before, rest) = self
            .descriptor
            .params
            .split_at_checked(usize::from(index))
            .ok_or(NotEdited::NoParam(index))?;
        let param = rest.first().ok_or(NotEdited::NoParam(index))?;
        let receiver = u16::from(!self.target.is_static);
        let slot = receiver + before.iter().map(|param| Kind::of(param).slots()).sum::<u16>();
        let kind = Kind::of(param);
        kind.load(u8::try_from(slot).map_err(|_| NotEdited::NoParam(index))?, code);
        Ok(kind)
    }

    fn push_int(&mut self, value: i32, code: &mut Vec<u8>) -> Result<Kind, NotEdited> {
        if let (Ok(value), -1..=5) = (i8::try_from(value), value) {
            code.u1((3 + value).cast_unsigned());
        } else if let Ok(value) = i8::try_from(value) {
            code.extend([BIPUSH, value.cast_unsigned()]);
        } else if let Ok(value) = i16::try_from(value) {
            code.u1(SIPUSH);
            code.u2(value.cast_unsigned());
        } else {
            push_constant(self.constants.integer(value)?, code);
        }
        Ok(Kind::Int)
    }

    /// The helper's result as the method's own type. Every reference is an `Object` without a cast.
    fn cast(&mut self, helper: &Helper, snippet: &mut CodeSnippet) -> Result<(), NotEdited> {
        let wanted = self.descriptor.returns;
        let given = Descriptor::parse(&helper.descriptor).map(|descriptor| descriptor.returns);
        if Kind::of(wanted) == Kind::Reference && given != Some(wanted) && wanted != "Ljava/lang/Object;" {
            let class = wanted
                .strip_prefix('L')
                .and_then(|name| name.strip_suffix(';'))
                .unwrap_or(wanted);
            snippet.code.u1(CHECKCAST);
            snippet.code.u2(self.constants.class(class)?);
        }
        Ok(())
    }

    /// Returns what the snippet gives if the gate is open.
    fn gated(&mut self, gate: &Gate, snippet: &CodeSnippet) -> Result<Insertion, NotEdited> {
        let mut code = Vec::new();
        match gate {
            Gate::Field(field) => {
                code.u1(GETSTATIC);
                code.u2(self.constants.gate(field)?);
            }
            Gate::Method(helper) => {
                self.check(helper, &[], Kind::Int)?;
                code.u1(INVOKESTATIC);
                code.u2(self.constants.method(helper)?);
            }
        }
        code.u1(IFEQ);
        // Past the jump itself, the snippet and the return.
        let offset =
            i16::try_from(3 + snippet.code.len() + 1).map_err(|_| NotEdited::BranchTooFar { pc: 0 })?;
        code.u2(offset.cast_unsigned());
        code.extend_from_slice(&snippet.code);
        code.u1(self.descriptor.return_kind().return_opcode());
        Ok(Insertion {
            before: 0,
            place: InsertionPlace::Passing,
            code,
            pushes: snippet.pushes.max(1),
            joins: true,
        })
    }
}

fn push_constant(index: u16, code: &mut Vec<u8>) {
    match u8::try_from(index) {
        Ok(index) => code.extend([LDC, index]),
        Err(_) => {
            code.u1(LDC_W);
            code.u2(index);
        }
    }
}
