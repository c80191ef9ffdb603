//! Calls: what they do with fields, and which of their results are a field's value or a copy of it.

use super::values::{Given, Origin, Value};
use super::walk::Walk;
use super::{Call, How, Stored};
use crate::descriptor::{Descriptor, Kind};
use crate::mutf8;
use crate::opcodes::{INVOKEDYNAMIC, INVOKESTATIC, POP, POP2};

impl<'a> Walk<'_, 'a> {
    pub(super) fn call(&mut self, opcode: u8, index: u16, next: u8) {
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
        let receiver = if matches!(opcode, INVOKESTATIC | INVOKEDYNAMIC) {
            Value::UNKNOWN
        } else {
            self.pop()
        };
        let is_boxing = name == "valueOf"
            && types.params.iter().all(|param| param.len() == 1)
            && types.returns.starts_with("Ljava/lang/")
            && types.returns != "Ljava/lang/String;";
        // By which the compilers before Java 11 let an inner class read a private field.
        let is_accessor = opcode == INVOKESTATIC && args.len() < 2 && name.starts_with("access$");
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
                let dropped = slots == 0 || matches!(next, POP | POP2);
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
        if opcode == INVOKESTATIC && self.is_clock(index, &text) {
            result.origin = Origin::Time;
        }
        if is_accessor {
            self.use_of(index, How::Read);
            result.origin = Origin::Field(index);
        }
        // A number in a box is still what was given.
        if let [one] = &args[..]
            && opcode == INVOKESTATIC
            && is_boxing
        {
            result = *one;
        }
        self.push(result, slots);
    }

    /// `System.currentTimeMillis()` and `System.nanoTime()`: no other method of `System` gives a long of nothing.
    fn is_clock(&self, index: u16, descriptor: &str) -> bool {
        let class = self.pool.member(index).map(|[class, ..]| class);
        descriptor == "()J" && mutf8::decode(class.unwrap_or_default()) == "java/lang/System"
    }

    /// What this call makes a copy of a field's value, before the use that is reported for it: `new HashMap<>(field)`,
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
