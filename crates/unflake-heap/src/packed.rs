//! A state as the walker writes it and as it is kept from one walk to the next: words, each in one to five bytes.
//!
//! A word is written as a number one larger than itself, seven bits to a byte, the lowest first, with the eighth bit in
//! all bytes but the last. The number 0 stands for a reference to the object that has no number yet: most references
//! are the first that reach their object, and take one byte however large the heap is. A number may be longer than it
//! has to be.
//!
//! What the words mean is in [`crate::index`]. A state is kept in the parts in which it came, each with whole objects
//! only; a part that the last state has too is not kept twice, so that a state beside the last one takes what has
//! changed. Where a part ends depends on what is in it: behind an object more or less the parts are soon the same
//! again.

use std::sync::Arc;

/// A whole state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// None of them is empty.
    parts: Vec<Arc<[u8]>>,
}

/// A root begins with the word 0.
const ROOT: u8 = 1;

/// What a part takes beside its bytes: two counters, and what the allocator keeps.
const PART_OVERHEAD: usize = 24;

impl Packed {
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// How much memory it takes.
    pub fn memory(&self) -> u64 {
        self.memory_of(|_| true)
    }

    /// How much of it is for parts that no other state has.
    pub fn own_memory(&self) -> u64 {
        self.memory_of(|part| Arc::strong_count(part) == 1)
    }

    fn memory_of(&self, counts: fn(&Arc<[u8]>) -> bool) -> u64 {
        let parts = self.parts.iter().filter(|part| counts(part));
        let bytes: usize = parts.map(|part| part.len() + PART_OVERHEAD).sum();
        (bytes + self.parts.capacity() * size_of::<Arc<[u8]>>()) as u64
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.parts.iter().map(|part| &**part)
    }

    /// The first byte behind those of another state that this one begins with; the error: it begins with something
    /// else.
    fn behind(&self, start: &Packed) -> Result<Option<u8>, ()> {
        let mut own = self.parts.iter().peekable();
        let mut known = start.parts.iter().peekable();
        // Both states were written in the same parts but in the rarest of cases.
        while let (Some(a), Some(b)) = (own.peek(), known.peek())
            && Arc::ptr_eq(a, b)
        {
            own.next();
            known.next();
        }
        let mut own = own.flat_map(|part| part.iter());
        let is_same = known
            .flat_map(|part| part.iter())
            .all(|byte| own.next() == Some(byte));
        if is_same { Ok(own.next().copied()) } else { Err(()) }
    }
}

/// Reads words one by one.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    bytes: &'a [u8],
    /// How many objects have a number.
    pub(crate) numbered: u32,
}

impl<'a> Words<'a> {
    pub(crate) fn new(bytes: &'a [u8], numbered: u32) -> Words<'a> {
        Words { bytes, numbered }
    }

    /// Those that are left.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How many bytes are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the next word, if it is the first of an item, begins a root.
    pub(crate) fn is_at_root(&self) -> bool {
        self.bytes.first() == Some(&ROOT)
    }
}

impl Iterator for Words<'_> {
    type Item = u32;

    /// `None` also for a word that does not end.
    fn next(&mut self) -> Option<u32> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        match *first {
            0 => {
                self.numbered = self.numbered.wrapping_add(1);
                Some(self.numbered)
            }
            1..0x80 => Some(u32::from(*first) - 1),
            _ => self.long(*first),
        }
    }
}

impl Words<'_> {
    /// The rest of a word of several bytes.
    fn long(&mut self, first: u8) -> Option<u32> {
        let (mut number, mut shift) = (u64::from(first & 0x7f), 7);
        loop {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                // Four bytes and a bit at most: the walker wrote an `int`.
                return Some(number.wrapping_sub(1) as u32);
            }
            shift = (shift + 7).min(56);
        }
    }
}

/// A state that comes in part by part.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    parts: Vec<Arc<[u8]>>,
    /// The part of the last state that should come next.
    next: usize,
}

/// So many parts of the last state are looked at for one that has come.
const WINDOW: usize = 1000;

/// A state that has come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrived {
    Same(Packed),
    /// The last one with more roots behind it.
    Grown(Packed),
    Other(Packed),
}

impl Incoming {
    pub fn add(&mut self, last: &Packed, part: &[u8]) {
        if part.is_empty() {
            return;
        }
        let mut coming = last.parts.iter().skip(self.next).take(WINDOW);
        self.parts.push(match coming.position(|known| **known == *part) {
            Some(further) => {
                self.next += further + 1;
                Arc::clone(&last.parts[self.next - 1])
            }
            None => Arc::from(part),
        });
    }

    /// Takes back what came behind this place.
    pub fn rewind(&mut self, to: usize) {
        let mut end = self.parts.iter().map(|part| part.len()).sum::<usize>();
        while end > to
            && let Some(part) = self.parts.pop()
        {
            end -= part.len();
            if end < to {
                self.parts.push(Arc::from(&part[..to - end]));
                break;
            }
        }
        self.next = self.next.min(self.parts.len());
    }

    pub fn arrived(self, last: &Packed) -> Arrived {
        let state = Packed { parts: self.parts };
        match state.behind(last) {
            Ok(None) => Arrived::Same(state),
            Ok(Some(ROOT)) => Arrived::Grown(state),
            _ => Arrived::Other(state),
        }
    }
}

/// As the walker does it; `None` is a new object.
#[cfg(test)]
pub(crate) fn pack(words: &[Option<u32>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in words {
        let mut number = word.map_or(0, |word| u64::from(word) + 1);
        while number >= 0x80 {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
    }
    bytes
}

#[cfg(test)]
impl Packed {
    pub(crate) fn of(parts: &[Vec<u8>]) -> Packed {
        let parts = parts.iter().filter(|part| !part.is_empty());
        Packed {
            parts: parts.map(|part| Arc::from(&**part)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrive(last: &Packed, parts: &[&[u8]]) -> Arrived {
        let mut incoming = Incoming::default();
        for part in parts {
            incoming.add(last, part);
        }
        incoming.arrived(last)
    }

    #[test]
    fn words_of_all_sizes_come_back() {
        let words = [0, 1, 126, 127, 128, 16_383, 1 << 28, u32::MAX - 1, u32::MAX];
        let bytes = pack(&words.map(Some));
        assert_eq!(Words::new(&bytes, 0).collect::<Vec<_>>(), words);
    }

    #[test]
    fn new_objects_are_counted_and_long_numbers_are_numbers() {
        let mut bytes = pack(&[None, Some(7), None]);
        bytes.extend([0x83, 0x80, 0x80, 0x80, 0x00]);
        assert_eq!(Words::new(&bytes, 0).collect::<Vec<_>>(), [1, 7, 2, 2]);
    }

    #[test]
    fn what_comes_in_parts_is_the_same_or_not() {
        let bytes = |words: &[u32]| pack(&words.iter().copied().map(Some).collect::<Vec<_>>());
        let (one, two) = (bytes(&[0, 1, 2]), bytes(&[0, 5, 9]));
        let last = Packed::of(std::slice::from_ref(&one));
        let halves = arrive(&last, &[&one[..1], &one[1..]]);
        assert!(matches!(halves, Arrived::Same(_)), "{halves:?}");
        let both = Packed::of(&[one.clone(), two.clone()]);
        assert_eq!(arrive(&last, &[&one, &two]), Arrived::Grown(both.clone()));
        let longer = [one.clone(), two.clone()].concat();
        assert!(matches!(arrive(&last, &[&longer]), Arrived::Grown(_)));
        assert_eq!(arrive(&both, &[&one]), Arrived::Other(last.clone()));
        let other = Packed::of(std::slice::from_ref(&two));
        assert_eq!(arrive(&last, &[&two]), Arrived::Other(other));
        // Another object behind the last root is no root of its own.
        let longer = bytes(&[0, 1, 2, 3]);
        assert!(matches!(arrive(&last, &[&longer]), Arrived::Other(_)));
    }

    #[test]
    fn a_part_that_is_known_is_not_kept_twice() {
        let last = Packed::of(&[vec![1; 1000], vec![2; 1000], vec![3; 1000]]);
        for part in [&[7; 10][..], &[7; 2000], &[]] {
            let arrived = arrive(&last, &[&[1; 1000], part, &[3; 1000]]);
            let Arrived::Other(state) = arrived else {
                panic!("it differs");
            };
            assert!(state.memory() > 2000);
            let own = state.own_memory() as usize;
            assert!(own < part.len() + 200, "{own}");
        }
    }

    #[test]
    fn what_is_taken_back_did_not_come() {
        let last = Packed::of(&[vec![1, 2, 3]]);
        let mut incoming = Incoming::default();
        incoming.add(&last, &[1, 2]);
        incoming.rewind(1);
        incoming.add(&last, &[7, 7, 7]);
        incoming.rewind(1);
        incoming.add(&last, &[2, 3]);
        assert!(matches!(incoming.clone().arrived(&last), Arrived::Same(_)));
        incoming.rewind(0);
        assert_eq!(
            incoming.arrived(&Packed::default()),
            Arrived::Same(Packed::default())
        );
    }
}
