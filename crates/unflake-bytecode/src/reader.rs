//! A position in the class file that moves forward and never leaves its end.

use std::ops::Range;

use crate::error::Malformed;

/// Reads big-endian numbers from `bytes[at..end]`. Positions are those of the whole file, so that errors can name them.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    /// Reads a part of the file; a range that leaves the file is cut off at its end.
    pub(crate) fn new(bytes: &'a [u8], range: Range<usize>) -> Self {
        let end = range.end.min(bytes.len());
        Self {
            bytes,
            at: range.start.min(end),
            end,
        }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.end
    }

    pub(crate) fn malformed(&self, what: &'static str) -> Malformed {
        Malformed { at: self.at, what }
    }

    pub(crate) fn take(&mut self, n: usize) -> Result<&'a [u8], Malformed> {
        let rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        let taken = rest.get(..n).ok_or(self.malformed("ends too early"))?;
        self.at += n;
        Ok(taken)
    }

    pub(crate) fn skip(&mut self, n: usize) -> Result<(), Malformed> {
        self.take(n).map(drop)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u1(&mut self) -> Result<u8, Malformed> {
        self.array().map(u8::from_be_bytes)
    }

    pub(crate) fn u2(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u4(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_be_bytes)
    }

    /// A four-byte length, as a number of bytes that are there.
    pub(crate) fn length(&mut self) -> Result<usize, Malformed> {
        let length = self.u4()?;
        usize::try_from(length)
            .ok()
            .filter(|&length| length <= self.end - self.at)
            .ok_or(self.malformed("a length goes past the end"))
    }

    /// One attribute: its name's index and a reader of its content; this reader goes on behind it.
    pub(crate) fn attribute(&mut self) -> Result<(u16, Reader<'a>), Malformed> {
        let name = self.u2()?;
        let length = self.length()?;
        let content = Reader {
            bytes: self.bytes,
            at: self.at,
            end: self.at + length,
        };
        self.at += length;
        Ok((name, content))
    }

    /// What is left, without moving.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..self.end).unwrap_or_default()
    }

    /// Everything up to here must have been read: nothing may follow.
    pub(crate) fn finish(self) -> Result<(), Malformed> {
        if self.is_at_end() {
            Ok(())
        } else {
            Err(self.malformed("bytes are left over"))
        }
    }
}

/// Big-endian numbers at the end of a buffer.
pub(crate) trait Write {
    fn u1(&mut self, value: u8);
    fn u2(&mut self, value: u16);
    fn u4(&mut self, value: u32);
}

impl Write for Vec<u8> {
    fn u1(&mut self, value: u8) {
        self.push(value);
    }

    fn u2(&mut self, value: u16) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn u4(&mut self, value: u32) {
        self.extend_from_slice(&value.to_be_bytes());
    }
}
