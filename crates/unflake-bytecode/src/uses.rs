//! What a method does with fields: which it reads and writes, where their values go, and which methods it calls.
//!
//! One pass over the code, which keeps for each stack slot and local variable where its value comes from, as far as one
//! method can tell. Where two ways meet, a value that may be a field's counts as the field's; jumps back are not followed. So
//! what is said may happen, on some way through the code; what is not said does not happen, but for values that go round a
//! loop. That is enough to tell `if (x == null) x = …` and `x++` from a setter, which is all it is for.

mod values;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::code::Code;
use crate::constants::Pool;
use crate::descriptor::{Descriptor, Kind};
use crate::mutf8;
use values::{Given, Origin, State, Value};

/// What one method does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses<'a> {
    /// In the order of the code.
    pub fields: Vec<FieldUse<'a>>,
    pub calls: Vec<Call<'a>>,
}

/// Something that is done with a field or its value. The class is that which the instruction names, with slashes: the field
/// may be declared in one above it. `access$` methods, by which an inner class reads a private field, count as fields; which they
/// are of their own uses tell.
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
    Written(Stored),
    /// A method of the object that it holds is called.
    Called {
        method: Cow<'a, str>,
        /// What the last argument is.
        stored: Stored,
        /// Nothing looks at what the method returns.
        dropped: bool,
    },
    /// A method is called on what a call like that gave: the list in a map of lists. Of an array there, `[]=` stores into it.
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

struct Walk<'p, 'a> {
    pool: &'p Pool<'a>,
    state: State,
    /// What is known at places that were jumped to and not yet reached.
    waiting: BTreeMap<usize, State>,
    found: Uses<'a>,
    /// Whether the instruction before goes on to this one.
    is_reached: bool,
}

impl<'a> Walk<'_, 'a> {
    fn arrive(&mut self, pc: usize) {
        match (self.waiting.remove(&pc), self.is_reached) {
            (Some(state), true) => self.state.join(&state),
            (Some(state), false) => self.state = state,
            (None, true) => {}
            // Reached by a jump back only.
            (None, false) => {
                self.state.stack.clear();
                self.state.locals.fill(Value::UNKNOWN);
                self.state.set.clear();
            }
        }
        self.is_reached = true;
    }

    fn meet(&mut self, pc: usize, state: State) {
        self.waiting
            .entry(pc)
            .and_modify(|known| known.join(&state))
            .or_insert(state);
    }

    fn jump(&mut self, pc: usize, offset: i64) {
        let target = i64::try_from(pc).ok().map(|pc| pc + offset);
        if let Some(target) = target.and_then(|target| usize::try_from(target).ok())
            && target > pc
        {
            self.meet(target, self.state.clone());
        }
    }

    fn pop(&mut self) -> Value {
        self.state.stack.pop().unwrap_or(Value::UNKNOWN)
    }

    /// Takes a value of so many slots.
    fn pop_wide(&mut self, slots: u16) -> Value {
        if slots == 2 {
            self.pop();
        }
        self.pop()
    }

    fn push(&mut self, value: Value, slots: u16) {
        if slots > 0 {
            self.state.stack.push(value);
        }
        if slots == 2 {
            self.state.stack.push(Value::UNKNOWN);
        }
    }

    fn load(&mut self, slot: usize, slots: u16) {
        let value = self.state.locals.get(slot).copied().unwrap_or(Value::UNKNOWN);
        self.push(value, slots);
    }

    fn store(&mut self, slot: usize, slots: u16) {
        let value = self.pop_wide(slots);
        if let Some(local) = self.state.locals.get_mut(slot) {
            *local = value;
        }
        if slots == 2
            && let Some(local) = self.state.locals.get_mut(slot + 1)
        {
            *local = Value::UNKNOWN;
        }
    }

    /// A calculation: so many slots in, so many out.
    fn compute(&mut self, takes: usize, gives: u16) {
        let given = (0..takes).fold(Given::No, |given, _| self.pop().given.max(given));
        let value = Value {
            given,
            ..Value::UNKNOWN
        };
        self.push(value, gives);
    }

    fn add(&mut self, slots: u16, sign: i64) {
        let (b, a) = (self.pop_wide(slots), self.pop_wide(slots));
        let grows = |by: Value| by.constant().map(|by| by.signum() == sign);
        let origin = match (a.field(), b.field()) {
            (Some(field), None) if grows(b) == Some(true) => Origin::Sum(field, true),
            (None, Some(field)) if sign > 0 && grows(a) == Some(true) => Origin::Sum(field, true),
            (Some(field), None) | (None, Some(field)) if sign > 0 && grows(a).or(grows(b)).is_none() => {
                Origin::Sum(field, false)
            }
            _ => Origin::Unknown,
        };
        let value = Value {
            origin,
            given: a.given.max(b.given),
        };
        self.push(value, slots);
    }

    fn tested(&mut self, value: Value) {
        if let Some(field) = value.field() {
            self.use_of(field, How::Tested);
        }
    }

    fn use_of(&mut self, field: u16, how: How<'a>) {
        if let Ok([class, name, _]) = self.pool.member(field) {
            let (class, name) = (mutf8::decode(class), mutf8::decode(name));
            self.found.fields.push(FieldUse { class, name, how });
        }
    }

    fn kept(&mut self, value: Value) {
        if let Some(field) = value.field() {
            self.use_of(field, How::Kept);
        }
    }

    fn step(&mut self, pc: usize, bytes: &'a [u8], next: u8) {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        let short = |at: usize| u16::from_be_bytes([byte(at), byte(at + 1)]);
        let opcode = byte(0);
        match opcode {
            1 => self.push(Value::of(Origin::Null), 1),
            2..=8 => self.push(Value::of(Origin::Constant(i64::from(opcode) - 3)), 1),
            9 | 10 => self.push(Value::of(Origin::Constant(i64::from(opcode) - 9)), 2),
            16 => self.push(Value::of(Origin::Constant(i64::from(byte(1).cast_signed()))), 1),
            17 => self.push(Value::of(Origin::Constant(i64::from(short(1).cast_signed()))), 1),
            18 | 19 => {
                let index = if opcode == 18 {
                    u16::from(byte(1))
                } else {
                    short(1)
                };
                let value = self
                    .pool
                    .integer(index)
                    .map(|value| Origin::Constant(value.into()));
                self.push(Value::of(value.unwrap_or(Origin::Unknown)), 1);
            }
            20 => {
                let value = self.pool.long(short(1)).map(Origin::Constant);
                self.push(Value::of(value.unwrap_or(Origin::Unknown)), 2);
            }
            21..=25 => self.load(byte(1).into(), slots_of(opcode - 21)),
            26..=45 => self.load(usize::from((opcode - 26) % 4), slots_of((opcode - 26) / 4)),
            54..=58 => self.store(byte(1).into(), slots_of(opcode - 54)),
            59..=78 => self.store(usize::from((opcode - 59) % 4), slots_of((opcode - 59) / 4)),
            196 => match byte(1) {
                kind @ 21..=25 => self.load(short(2).into(), slots_of(kind - 21)),
                kind @ 54..=58 => self.store(short(2).into(), slots_of(kind - 54)),
                _ => self.forget(short(2).into()),
            },
            132 => self.forget(byte(1).into()),
            // An element of an array.
            46..=53 => {
                let (_, array) = (self.pop(), self.pop());
                let given = match array.given {
                    Given::ValueArray => Given::Values,
                    given => given,
                };
                let value = Value {
                    given,
                    ..Value::UNKNOWN
                };
                self.push(value, slots_of(opcode - 46));
            }
            79..=86 => {
                let value = self.pop_wide(slots_of(opcode - 79));
                let (_, array) = (self.pop(), self.pop());
                self.kept(value);
                let (method, stored) = (Cow::Borrowed("[]="), value.stored(None));
                match array.origin {
                    Origin::Below(field) => self.use_of(field, How::CalledBelow { method, stored }),
                    // It is to go back into its field.
                    Origin::Copy(field, _) => {
                        let dropped = true;
                        self.use_of(
                            field,
                            How::Called {
                                method,
                                stored,
                                dropped,
                            },
                        );
                    }
                    _ => {}
                }
            }
            87..=95 => self.shuffle(opcode),
            96 => self.add(1, 1),
            97 => self.add(2, 1),
            100 => self.add(1, -1),
            101 => self.add(2, -1),
            // To a byte, a char, a short: what `b++` does; and casts.
            145..=147 | 192 => {}
            148 => {
                let (b, a) = (self.pop_wide(2), self.pop_wide(2));
                let field = [a, b].into_iter().find(|value| value.field().is_some());
                self.push(field.unwrap_or(Value::UNKNOWN), 1);
            }
            153..=158 | 198 | 199 => {
                let value = self.pop();
                self.tested(value);
                self.jump(pc, short(1).cast_signed().into());
            }
            159..=166 => {
                let (b, a) = (self.pop(), self.pop());
                if b.constant().is_some() || b.origin == Origin::Null {
                    self.tested(a);
                }
                self.jump(pc, short(1).cast_signed().into());
            }
            167 => {
                self.jump(pc, short(1).cast_signed().into());
                self.is_reached = false;
            }
            200 => {
                let offset = u32::from(short(1)) << 16 | u32::from(short(3));
                self.jump(pc, offset.cast_signed().into());
                self.is_reached = false;
            }
            170 | 171 => self.switch(pc, bytes),
            172..=177 => {
                let value = match opcode {
                    177 => Value::UNKNOWN,
                    173 | 175 => self.pop_wide(2),
                    _ => self.pop(),
                };
                match value.origin {
                    Origin::Field(field) => self.use_of(field, How::Returned),
                    Origin::Below(field) => self.use_of(field, How::ReturnedBelow),
                    _ => {}
                }
                self.is_reached = false;
            }
            169 | 191 => self.is_reached = false,
            178..=181 => self.field(opcode, short(1)),
            182..=186 => self.call(opcode, short(1), next),
            187 => self.push(Value::of(Origin::New(pc)), 1),
            197 => self.compute(byte(3).into(), 1),
            _ => {
                let (takes, gives) = effect(opcode);
                self.compute(takes, gives);
            }
        }
    }

    fn forget(&mut self, slot: usize) {
        if let Some(local) = self.state.locals.get_mut(slot) {
            local.origin = Origin::Unknown;
        }
    }

    fn shuffle(&mut self, opcode: u8) {
        let (moved, over) = match opcode {
            87 | 88 => {
                self.pop_wide(u16::from(opcode - 86));
                return;
            }
            95 => {
                let (b, a) = (self.pop(), self.pop());
                return self.state.stack.extend([b, a]);
            }
            89 => (1, 0),
            90 => (1, 1),
            91 => (1, 2),
            92 => (2, 0),
            93 => (2, 1),
            _ => (2, 2),
        };
        let stack = &mut self.state.stack;
        if let Some(from) = stack.len().checked_sub(moved + over) {
            let copy: Vec<Value> = stack[from + over..].to_vec();
            stack.splice(from..from, copy);
        }
    }

    fn switch(&mut self, pc: usize, bytes: &[u8]) {
        self.pop();
        let operands: Vec<i32> = bytes[(4 - pc % 4).min(bytes.len())..]
            .chunks_exact(4)
            .map(|word| i32::from_be_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let is_table = bytes.first() == Some(&170);
        for (n, operand) in operands.into_iter().enumerate() {
            let is_offset = n == 0 || if is_table { n > 2 } else { n > 1 && n % 2 == 1 };
            if is_offset {
                self.jump(pc, operand.into());
            }
        }
        self.is_reached = false;
    }

    fn field(&mut self, opcode: u8, index: u16) {
        let descriptor = self.pool.member(index).map(|[_, _, descriptor]| descriptor);
        let slots = match descriptor.unwrap_or_default().first() {
            Some(b'J' | b'D') => 2,
            _ => 1,
        };
        let is_write = matches!(opcode, 179 | 181);
        let value = if is_write {
            self.pop_wide(slots)
        } else {
            Value::of(Origin::Field(index))
        };
        let is_own = !matches!(opcode, 180 | 181) || self.pop().origin == Origin::This;
        if is_write {
            match value.origin {
                // Copied to be changed and put back: only the changes count.
                Origin::Copy(field, at) if field == index => self.put_back(field, at),
                _ => self.use_of(index, How::Written(value.stored(Some(index)))),
            }
            self.kept(value);
            if is_own {
                self.state.set.insert(index);
            }
        } else {
            let is_set = is_own && self.state.set.contains(&index);
            self.use_of(index, if is_set { How::ReadBack } else { How::Read });
            self.push(value, slots);
        }
    }

    /// A copy is stored where it was taken from, and is the field's value from now on.
    fn put_back(&mut self, field: u16, at: usize) {
        if let Some(used) = self.found.fields.get_mut(at) {
            used.how = How::Read;
        }
        for value in self.state.all_of(Origin::Copy(field, at)) {
            value.origin = Origin::Field(field);
        }
    }

    fn call(&mut self, opcode: u8, index: u16, next: u8) {
        let Ok((name, descriptor)) = self.pool.callee(index) else {
            return;
        };
        let (name, text) = (mutf8::decode(name), mutf8::decode(descriptor));
        let Some(types) = Descriptor::parse(&text) else {
            return;
        };
        if let Ok([class, ..]) = self.pool.member(index) {
            self.found.calls.push(Call {
                class: mutf8::decode(class),
                name: name.clone(),
                descriptor: text.clone(),
            });
        }
        let mut args: Vec<Value> = types
            .params
            .iter()
            .rev()
            .map(|param| self.pop_wide(Kind::of(param).slots()))
            .collect();
        args.reverse();
        let receiver = if matches!(opcode, 184 | 186) {
            Value::UNKNOWN
        } else {
            self.pop()
        };
        let is_boxing = name == "valueOf"
            && types.params.iter().all(|param| param.len() == 1)
            && types.returns.starts_with("Ljava/lang/")
            && types.returns != "Ljava/lang/String;";
        // By which the compilers before Java 11 let an inner class read a private field.
        let is_accessor = opcode == 184 && args.len() < 2 && name.starts_with("access$");
        let given = args.iter().map(|arg| arg.given).max().unwrap_or(Given::No);
        let copied = self.copied(index, &name, receiver, &args);
        for field in args.iter().filter_map(|arg| arg.field()) {
            self.use_of(field, How::Passed { to: name.clone() });
        }
        let slots = types.return_kind().slots();
        let mut result = Value {
            origin: Origin::Unknown,
            given: given.max(receiver.given),
        };
        let last = args.last().copied().unwrap_or(Value::UNKNOWN);
        // What is stored under itself was not given to be found again by another name.
        let is_key = args.len() > 1 && args[..args.len() - 1].contains(&last);
        let stored = match last.stored(None) {
            Stored::Parameter if is_key && last.given == Given::Values => Stored::FromValues,
            Stored::Parameter if is_key => Stored::FromParameters,
            stored => stored,
        };
        match receiver.origin {
            Origin::Field(field) | Origin::Copy(field, _) => {
                let dropped = slots == 0 || matches!(next, 87 | 88);
                let how = How::Called {
                    method: name,
                    stored,
                    dropped,
                };
                self.use_of(field, how);
                result.origin = Origin::Below(field);
            }
            Origin::Below(field) => self.use_of(field, How::CalledBelow { method: name, stored }),
            // The new object holds what its constructor or a setter was given.
            origin @ Origin::New(_) => {
                for value in self.state.all_of(origin) {
                    value.given = value.given.max(given);
                }
            }
            _ => {}
        }
        match copied {
            Some(Copied::Result(origin)) => result.origin = origin,
            Some(Copied::Receiver(origin)) => {
                for value in self.state.all_of(receiver.origin) {
                    value.origin = origin;
                }
            }
            None => {}
        }
        if is_accessor {
            self.use_of(index, How::Read);
            result.origin = Origin::Field(index);
        }
        // A number in a box is still what was given.
        if let [one] = &args[..]
            && opcode == 184
            && is_boxing
        {
            result = *one;
        }
        self.push(result, slots);
    }

    /// What this call makes a copy of a field's value, before the use that is told for it: `new HashMap<>(field)`,
    /// `copy.putAll(field)`, `field.clone()`, `Arrays.copyOf(field, n)`. A view of a copy is one too.
    fn copied(&self, index: u16, name: &str, receiver: Value, args: &[Value]) -> Option<Copied> {
        const FROM: [&str; 3] = ["<init>", "putAll", "addAll"];
        let class = self.pool.member(index).map(|[class, ..]| class);
        let class = mutf8::decode(class.unwrap_or_default());
        let at = self.found.fields.len();
        let first = args.first().map(|arg| arg.origin);
        match (receiver.origin, first) {
            (Origin::New(_), Some(Origin::Field(field)))
                if FROM.contains(&name) && class.starts_with("java/util/") =>
            {
                Some(Copied::Receiver(Origin::Copy(field, at)))
            }
            (Origin::Field(field), None) if name == "clone" => Some(Copied::Result(Origin::Copy(field, at))),
            (_, Some(Origin::Field(field))) if class == "java/util/Arrays" && name == "copyOf" => {
                Some(Copied::Result(Origin::Copy(field, at)))
            }
            (_, Some(copy @ Origin::Copy(..)))
                if class == "java/util/Collections" && name.starts_with("unmodifiable") =>
            {
                Some(Copied::Result(copy))
            }
            _ => None,
        }
    }
}

/// Which value a call makes a copy.
enum Copied {
    Receiver(Origin),
    Result(Origin),
}

/// How many slots the n-th of int, long, float, double, reference and smaller numbers takes.
fn slots_of(kind: u8) -> u16 {
    if matches!(kind, 1 | 3) { 2 } else { 1 }
}

/// How many slots the instructions that only calculate take and give.
fn effect(opcode: u8) -> (usize, u16) {
    match opcode {
        11..=13 | 168 | 201 => (0, 1),
        14 | 15 => (0, 2),
        // Add, subtract, multiply, divide, remainder: int, long, float, double.
        96..=115 if opcode.is_multiple_of(2) => (2, 1),
        96..=115 => (4, 2),
        116..=119 if opcode.is_multiple_of(2) => (1, 1),
        116..=119 => (2, 2),
        120 | 122 | 124 | 126 | 128 | 130 => (2, 1),
        121 | 123 | 125 => (3, 2),
        127 | 129 | 131 => (4, 2),
        133 | 135 | 140 | 141 => (1, 2),
        134 | 139 | 188..=190 | 193 => (1, 1),
        136 | 137 | 142 | 144 => (2, 1),
        138 | 143 => (2, 2),
        149 | 150 => (2, 1),
        151 | 152 => (4, 1),
        194 | 195 => (1, 0),
        _ => (0, 0),
    }
}
