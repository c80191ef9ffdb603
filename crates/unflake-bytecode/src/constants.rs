//! The constant pool: where its entries lie, and new entries behind the old ones.

use std::collections::BTreeMap;

use crate::edit::{Helper, StaticField};
use crate::error::{Malformed, NotEdited};
use crate::mutf8;
use crate::reader::{Reader, Write};

const UTF8: u8 = 1;
const INTEGER: u8 = 3;
const FLOAT: u8 = 4;
const LONG: u8 = 5;
const DOUBLE: u8 = 6;
const CLASS: u8 = 7;
const STRING: u8 = 8;
const FIELD: u8 = 9;
const METHOD: u8 = 10;
const INTERFACE_METHOD: u8 = 11;
const NAME_AND_TYPE: u8 = 12;
const INVOKE_DYNAMIC: u8 = 18;

/// A class file's own constants. Entries are looked at only when asked for.
#[derive(Clone)]
pub(crate) struct Pool<'a> {
    bytes: &'a [u8],
    /// Where each entry's tag is; 0 where there is no entry (index 0, and behind a long or double).
    entries: Vec<usize>,
    /// Where the first byte behind the pool is.
    pub(crate) end: usize,
}

impl<'a> Pool<'a> {
    /// Reads from the pool's count on.
    pub(crate) fn parse(bytes: &'a [u8], start: usize) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes, start..bytes.len());
        let count = usize::from(reader.u2()?);
        let mut entries = vec![0];
        while entries.len() < count {
            entries.push(reader.at());
            let tag = reader.u1()?;
            let length = match tag {
                UTF8 => usize::from(reader.u2()?),
                INTEGER | FLOAT | FIELD | METHOD | INTERFACE_METHOD | NAME_AND_TYPE | 17 | INVOKE_DYNAMIC => {
                    4
                }
                LONG | DOUBLE => 8,
                CLASS | STRING | 16 | 19 | 20 => 2,
                15 => 3,
                _ => return Err(reader.malformed("unknown kind of constant")),
            };
            reader.skip(length)?;
            if matches!(tag, LONG | DOUBLE) {
                entries.push(0);
            }
        }
        if entries.len() != count.max(1) {
            return Err(reader.malformed("a long or double goes past the pool"));
        }
        Ok(Self {
            bytes,
            entries,
            end: reader.at(),
        })
    }

    pub(crate) fn count(&self) -> usize {
        self.entries.len()
    }

    /// A reader of the entry's content, if it is of one of these kinds.
    fn entry(&self, index: u16, tags: &[u8], what: &'static str) -> Result<Reader<'a>, Malformed> {
        let at = self.entries.get(usize::from(index)).copied().unwrap_or(0);
        let mut reader = Reader::new(self.bytes, at..self.end);
        if at == 0 || !tags.contains(&reader.u1()?) {
            return Err(Malformed { at, what });
        }
        Ok(reader)
    }

    /// The raw bytes of a `CONSTANT_Utf8`.
    pub(crate) fn utf8(&self, index: u16) -> Result<&'a [u8], Malformed> {
        let mut reader = self.entry(index, &[UTF8], "not the index of a string")?;
        let length = reader.u2()?;
        reader.take(usize::from(length))
    }

    /// The name of a `CONSTANT_Class`, as it stands there.
    pub(crate) fn class_name(&self, index: u16) -> Result<&'a [u8], Malformed> {
        let mut reader = self.entry(index, &[CLASS], "not the index of a class")?;
        self.utf8(reader.u2()?)
    }

    /// The names of all `CONSTANT_Class` entries that have one.
    pub(crate) fn class_names(&self) -> impl Iterator<Item = &'a [u8]> {
        (0..=u16::MAX)
            .take(self.count())
            .filter_map(|index| self.class_name(index).ok())
    }

    /// Name and descriptor of what an invoke instruction calls.
    pub(crate) fn callee(&self, index: u16) -> Result<(&'a [u8], &'a [u8]), Malformed> {
        let tags = [METHOD, INTERFACE_METHOD, INVOKE_DYNAMIC];
        let mut reader = self.entry(index, &tags, "not the index of a method")?;
        reader.u2()?;
        let mut reader = self.entry(reader.u2()?, &[NAME_AND_TYPE], "not the index of a name and type")?;
        Ok((self.utf8(reader.u2()?)?, self.utf8(reader.u2()?)?))
    }

    /// Class, name and descriptor of a field or of a method that is called by its class.
    pub(crate) fn member(&self, index: u16) -> Result<[&'a [u8]; 3], Malformed> {
        let tags = [FIELD, METHOD, INTERFACE_METHOD];
        let mut reader = self.entry(index, &tags, "not the index of a field or method")?;
        let class = self.class_name(reader.u2()?)?;
        let mut reader = self.entry(reader.u2()?, &[NAME_AND_TYPE], "not the index of a name and type")?;
        Ok([class, self.utf8(reader.u2()?)?, self.utf8(reader.u2()?)?])
    }

    /// The texts of all `CONSTANT_String` entries.
    pub(crate) fn strings(&self) -> impl Iterator<Item = &'a [u8]> {
        (0..=u16::MAX).take(self.count()).filter_map(|index| {
            let mut reader = self.entry(index, &[STRING], "").ok()?;
            self.utf8(reader.u2().ok()?).ok()
        })
    }

    pub(crate) fn integer(&self, index: u16) -> Result<i32, Malformed> {
        Ok(self
            .entry(index, &[INTEGER], "not the index of an int")?
            .u4()?
            .cast_signed())
    }

    pub(crate) fn long(&self, index: u16) -> Result<i64, Malformed> {
        Ok(self
            .entry(index, &[LONG], "not the index of a long")?
            .u8()?
            .cast_signed())
    }

    pub(crate) fn float(&self, index: u16) -> Result<f32, Malformed> {
        Ok(f32::from_bits(
            self.entry(index, &[FLOAT], "not the index of a float")?.u4()?,
        ))
    }

    pub(crate) fn double(&self, index: u16) -> Result<f64, Malformed> {
        Ok(f64::from_bits(
            self.entry(index, &[DOUBLE], "not the index of a double")?.u8()?,
        ))
    }
}

/// Constants to be written behind the class's own. Equal ones are written once.
pub(crate) struct NewConstants {
    next: usize,
    known: BTreeMap<Vec<u8>, u16>,
    bytes: Vec<u8>,
}

impl NewConstants {
    pub(crate) fn behind(pool: &Pool<'_>) -> Self {
        Self {
            next: pool.count(),
            known: BTreeMap::new(),
            bytes: Vec::new(),
        }
    }

    /// The count of the whole pool and the bytes of the new entries.
    pub(crate) fn finish(self) -> (u16, Vec<u8>) {
        // `add` keeps every index below the largest count a pool may have.
        (u16::try_from(self.next).unwrap_or(u16::MAX), self.bytes)
    }

    pub(crate) fn utf8(&mut self, text: &str) -> Result<u16, NotEdited> {
        let text = mutf8::encode(text);
        let length = u16::try_from(text.len()).map_err(|_| NotEdited::StringTooLong)?;
        let mut entry = vec![UTF8];
        entry.u2(length);
        entry.extend_from_slice(&text);
        self.add(entry)
    }

    /// A class by its binary name, or an array class by its descriptor.
    pub(crate) fn class(&mut self, name: &str) -> Result<u16, NotEdited> {
        let name = self.utf8(name)?;
        self.pointing(CLASS, &[name])
    }

    pub(crate) fn string(&mut self, text: &str) -> Result<u16, NotEdited> {
        let text = self.utf8(text)?;
        self.pointing(STRING, &[text])
    }

    pub(crate) fn integer(&mut self, value: i32) -> Result<u16, NotEdited> {
        let mut entry = vec![INTEGER];
        entry.u4(value.cast_unsigned());
        self.add(entry)
    }

    pub(crate) fn method(&mut self, helper: &Helper) -> Result<u16, NotEdited> {
        self.member(METHOD, &helper.class, &helper.name, &helper.descriptor)
    }

    pub(crate) fn gate(&mut self, field: &StaticField) -> Result<u16, NotEdited> {
        self.member(FIELD, &field.class, &field.name, "Z")
    }

    pub(crate) fn field(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, NotEdited> {
        self.member(FIELD, class, name, descriptor)
    }

    fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> Result<u16, NotEdited> {
        let class = self.class(class)?;
        let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
        let name_and_type = self.pointing(NAME_AND_TYPE, &[name, descriptor])?;
        self.pointing(tag, &[class, name_and_type])
    }

    fn pointing(&mut self, tag: u8, to: &[u16]) -> Result<u16, NotEdited> {
        let mut entry = vec![tag];
        to.iter().for_each(|&index| entry.u2(index));
        self.add(entry)
    }

    fn add(&mut self, entry: Vec<u8>) -> Result<u16, NotEdited> {
        if let Some(&index) = self.known.get(&entry) {
            return Ok(index);
        }
        // The count of the pool is one more than its last index, and has to fit as well.
        let index = u16::try_from(self.next)
            .ok()
            .filter(|&index| index < u16::MAX)
            .ok_or(NotEdited::PoolFull)?;
        self.next += 1;
        self.bytes.extend_from_slice(&entry);
        self.known.insert(entry, index);
        Ok(index)
    }
}
