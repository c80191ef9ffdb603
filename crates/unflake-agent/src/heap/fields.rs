//! Fields as the JVM describes them.

use super::Heap;
use crate::ffi::{FieldId, Jvmti, Object};

pub(super) const STATIC: i32 = 0x8;
pub(super) const FINAL: i32 = 0x10;
pub(super) const TRANSIENT: i32 = 0x80;
pub(super) const SYNTHETIC: i32 = 0x1000;

/// A field, and the class that declares it.
#[derive(Clone, Debug)]
pub(super) struct FieldOf<'a> {
    pub(super) class: Object,
    pub(super) id: FieldId,
    pub(super) name: String,
    pub(super) descriptor: String,
    pub(super) modifiers: i32,
    /// The field of the object that has this one.
    pub(super) via: Option<Box<FieldOf<'a>>>,
    _call: std::marker::PhantomData<&'a ()>,
}

impl Heap {
    /// What one class declares.
    pub(super) fn fields<'a>(&self, class: Object) -> impl Iterator<Item = FieldOf<'a>> {
        let ids = self.jvmti.fields(class).into_iter();
        ids.filter_map(move |id| self.field(class, id))
    }

    fn field<'a>(&self, class: Object, id: FieldId) -> Option<FieldOf<'a>> {
        let (name, descriptor) = self.jvmti.field_name(class, id)?;
        Some(FieldOf {
            class,
            id,
            name,
            descriptor,
            modifiers: self.jvmti.field_modifiers(class, id),
            via: None,
            _call: std::marker::PhantomData,
        })
    }
}

/// How many static fields a class declares.
pub(crate) fn count_statics(jvmti: Jvmti, class: Object) -> u64 {
    let is_static = |field: &FieldId| jvmti.field_modifiers(class, *field) & STATIC != 0;
    jvmti.fields(class).into_iter().filter(is_static).count() as u64
}

pub(super) fn is_reference(descriptor: &str) -> bool {
    descriptor.starts_with(['L', '['])
}

/// The letter by which a state has it: `L` for arrays too.
pub(super) fn kind(descriptor: &str) -> u8 {
    if is_reference(descriptor) {
        b'L'
    } else {
        descriptor.bytes().next().unwrap_or(b'I')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_fields_by_their_descriptors() {
        assert_eq!((kind("[I"), kind("Lx/Y;"), kind("J")), (b'L', b'L', b'J'));
    }
}
