//! The walk over one method's code: what each instruction does to the values on the stack and in variables.

use super::values::{Given, Origin, State, Value};
use super::{FieldUse, How, Uses};
use crate::constants::Pool;
use crate::mutf8;
use crate::opcodes::*;
use std::borrow::Cow;
use std::collections::BTreeMap;

pub(super) struct Walk<'p, 'a> {
    pub(super) pool: &'p Pool<'a>,
    pub(super) state: State,
    /// What is known at places that were jumped to and not yet reached.
    pub(super) waiting: BTreeMap<usize, State>,
    pub(super) found: Uses<'a>,
    /// Whether the instruction before goes on to this one.
    pub(super) is_reached: bool,
}

impl<'a> Walk<'_, 'a> {
    pub(super) fn arrive(&mut self, pc: usize) {
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

    pub(super) fn meet(&mut self, pc: usize, state: State) {
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

    pub(super) fn pop(&mut self) -> Value {
        self.state.stack.pop().unwrap_or(Value::UNKNOWN)
    }

    /// Takes a value of so many slots.
    pub(super) fn pop_wide(&mut self, slots: u16) -> Value {
        if slots == 2 {
            self.pop();
        }
        self.pop()
    }

    pub(super) fn push(&mut self, value: Value, slots: u16) {
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

    pub(super) fn use_of(&mut self, field: u16, how: How<'a>) {
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

    /// Takes one instruction; the first byte of the next one tells whether a result is dropped.
    pub(super) fn step(&mut self, pc: usize, bytes: &[u8], next: u8) {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let short = |at: usize| u16::from_be_bytes([byte(at), byte(at + 1)]);
        let opcode = byte(0);
        match opcode {
            ACONST_NULL..=LDC2_W => self.constant(opcode, byte(1), short(1)),
            ILOAD..=ALOAD => self.load(byte(1).into(), slots_of(opcode - ILOAD)),
            ILOAD_0..=ALOAD_3 => {
                let nth = opcode - ILOAD_0;
                self.load(usize::from(nth % 4), slots_of(nth / 4));
            }
            ISTORE..=ASTORE => self.store(byte(1).into(), slots_of(opcode - ISTORE)),
            ISTORE_0..=ASTORE_3 => {
                let nth = opcode - ISTORE_0;
                self.store(usize::from(nth % 4), slots_of(nth / 4));
            }
            WIDE => match byte(1) {
                kind @ ILOAD..=ALOAD => self.load(short(2).into(), slots_of(kind - ILOAD)),
                kind @ ISTORE..=ASTORE => self.store(short(2).into(), slots_of(kind - ISTORE)),
                _ => self.forget(short(2).into()),
            },
            IINC => self.forget(byte(1).into()),
            IALOAD..=SALOAD => self.load_element(slots_of(opcode - IALOAD)),
            IASTORE..=SASTORE => self.store_element(slots_of(opcode - IASTORE)),
            POP..=SWAP => self.shuffle(opcode),
            IADD => self.add(1, 1),
            LADD => self.add(2, 1),
            ISUB => self.add(1, -1),
            LSUB => self.add(2, -1),
            // What `b++` does with a byte, a char or a short; and casts.
            I2B..=I2S | CHECKCAST => {}
            LCMP => self.compare_longs(),
            IFEQ..=GOTO | IFNULL | IFNONNULL => self.branch(opcode, pc, short(1).cast_signed().into()),
            GOTO_W => {
                let offset = u32::from(short(1)) << 16 | u32::from(short(3));
                self.branch(opcode, pc, offset.cast_signed().into());
            }
            TABLESWITCH | LOOKUPSWITCH => self.switch(pc, bytes),
            IRETURN..=RETURN => self.returns(opcode),
            RET | ATHROW => self.is_reached = false,
            GETSTATIC..=PUTFIELD => self.field(opcode, short(1)),
            INVOKEVIRTUAL..=INVOKEDYNAMIC => self.call(opcode, short(1), next),
            NEW => self.push(Value::of(Origin::New(pc)), 1),
            MULTIANEWARRAY => self.compute(byte(3).into(), 1),
            _ => self.calculate(opcode),
        }
    }

    /// Which of two longs is greater: the branch that follows tests a field, unless it is compared with the time.
    fn compare_longs(&mut self) {
        let (b, a) = (self.pop_wide(2), self.pop_wide(2));
        let is_time = [a, b].iter().any(|value| value.origin == Origin::Time);
        let result = match a.field().or(b.field()) {
            Some(field) if is_time => {
                self.use_of(field, How::ComparedWithTime);
                Value::UNKNOWN
            }
            Some(field) => Value::of(Origin::Field(field)),
            None => Value::UNKNOWN,
        };
        self.push(result, 1);
    }

    /// One of the instructions that put a constant on the stack, with its operand as a byte and as two.
    fn constant(&mut self, opcode: u8, byte: u8, short: u16) {
        let origin = match opcode {
            ACONST_NULL => Some(Origin::Null),
            ICONST_M1..=ICONST_5 => Some(Origin::Constant(i64::from(opcode) - i64::from(ICONST_0))),
            LCONST_0 | LCONST_1 => Some(Origin::Constant(i64::from(opcode - LCONST_0))),
            BIPUSH => Some(Origin::Constant(byte.cast_signed().into())),
            SIPUSH => Some(Origin::Constant(short.cast_signed().into())),
            LDC => self.integer(byte.into()),
            LDC_W => self.integer(short),
            LDC2_W => self.pool.long(short).ok().map(Origin::Constant),
            _ => return self.calculate(opcode),
        };
        let slots = if matches!(opcode, LCONST_0 | LCONST_1 | LDC2_W) {
            2
        } else {
            1
        };
        self.push(Value::of(origin.unwrap_or(Origin::Unknown)), slots);
    }

    fn integer(&self, index: u16) -> Option<Origin> {
        let value = self.pool.integer(index).ok()?;
        Some(Origin::Constant(value.into()))
    }

    fn load_element(&mut self, slots: u16) {
        let (_, array) = (self.pop(), self.pop());
        let given = match array.given {
            Given::ValueArray => Given::Values,
            given => given,
        };
        let value = Value {
            given,
            ..Value::UNKNOWN
        };
        self.push(value, slots);
    }

    fn store_element(&mut self, slots: u16) {
        let value = self.pop_wide(slots);
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

    /// A jump, perhaps on what is on the stack.
    fn branch(&mut self, opcode: u8, pc: usize, offset: i64) {
        match opcode {
            IFEQ..=IFLE | IFNULL | IFNONNULL => {
                let value = self.pop();
                self.tested(value);
            }
            IF_ICMPEQ..=IF_ACMPNE => {
                let (b, a) = (self.pop(), self.pop());
                if b.constant().is_some() || b.origin == Origin::Null {
                    self.tested(a);
                }
            }
            _ => {}
        }
        self.jump(pc, offset);
        if matches!(opcode, GOTO | GOTO_W) {
            self.is_reached = false;
        }
    }

    fn returns(&mut self, opcode: u8) {
        let value = match opcode {
            RETURN => Value::UNKNOWN,
            LRETURN | DRETURN => self.pop_wide(2),
            _ => self.pop(),
        };
        match value.origin {
            Origin::Field(field) => self.use_of(field, How::Returned),
            Origin::Below(field) => self.use_of(field, How::ReturnedBelow),
            _ => {}
        }
        self.is_reached = false;
    }

    fn calculate(&mut self, opcode: u8) {
        let (takes, gives) = effect(opcode);
        self.compute(takes, gives);
    }

    fn forget(&mut self, slot: usize) {
        if let Some(local) = self.state.locals.get_mut(slot) {
            local.origin = Origin::Unknown;
        }
    }

    fn shuffle(&mut self, opcode: u8) {
        let (moved, over) = match opcode {
            POP | POP2 => {
                self.pop_wide(u16::from(opcode - POP + 1));
                return;
            }
            SWAP => {
                let (b, a) = (self.pop(), self.pop());
                return self.state.stack.extend([b, a]);
            }
            DUP => (1, 0),
            DUP_X1 => (1, 1),
            DUP_X2 => (1, 2),
            DUP2 => (2, 0),
            DUP2_X1 => (2, 1),
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
        let is_table = bytes.first() == Some(&TABLESWITCH);
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
        let is_write = matches!(opcode, PUTSTATIC | PUTFIELD);
        let value = if is_write {
            self.pop_wide(slots)
        } else {
            Value::of(Origin::Field(index))
        };
        let is_own = !matches!(opcode, GETFIELD | PUTFIELD) || self.pop().origin == Origin::This;
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
}

/// How many slots the n-th of int, long, float, double, reference and smaller numbers takes.
fn slots_of(kind: u8) -> u16 {
    if matches!(kind, 1 | 3) { 2 } else { 1 }
}

/// How many slots the instructions that only calculate take and give.
fn effect(opcode: u8) -> (usize, u16) {
    // Of those for int, long, float and double in this order, the ones for int and float have even numbers.
    let is_narrow = opcode.is_multiple_of(2);
    match opcode {
        FCONST_0..=FCONST_2 | JSR | JSR_W => (0, 1),
        DCONST_0 | DCONST_1 => (0, 2),
        // Add, subtract, multiply, divide, remainder.
        IADD..=DREM if is_narrow => (2, 1),
        IADD..=DREM => (4, 2),
        INEG..=DNEG if is_narrow => (1, 1),
        INEG..=DNEG => (2, 2),
        ISHL | ISHR | IUSHR | IAND | IOR | IXOR => (2, 1),
        LSHL | LSHR | LUSHR => (3, 2),
        LAND | LOR | LXOR => (4, 2),
        I2L | I2D | F2L | F2D => (1, 2),
        I2F | F2I | NEWARRAY..=ARRAYLENGTH | INSTANCEOF => (1, 1),
        L2I | L2F | D2I | D2F => (2, 1),
        L2D | D2L => (2, 2),
        FCMPL | FCMPG => (2, 1),
        DCMPL | DCMPG => (4, 1),
        MONITORENTER | MONITOREXIT => (1, 0),
        _ => (0, 0),
    }
}
