//! A state as the walker writes it and as it is kept from one walk to the next: the words of [`State`], each in one to five
//! bytes.
//!
//! A word is written as a number one larger than itself, seven bits to a byte, the lowest first, with the eighth bit in all
//! bytes but the last. The number 0 stands for a reference to the object that has no number yet: most references are the
//! first that reach their object, and take one byte however large the heap is. A number may be longer than it has to be.

use crate::state::State;

/// A whole state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    bytes: Vec<u8>,
}

/// A root begins with the word 0.
const ROOT: u8 = 1;

impl Packed {
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// How much memory it takes.
    pub fn memory(&self) -> u64 {
        self.bytes.capacity() as u64
    }

    /// What does not end as it should makes a state that cannot be read.
    pub fn unpack(&self) -> State {
        let is_last = |byte: &&u8| **byte < 0x80;
        let mut words = Vec::with_capacity(self.bytes.iter().filter(is_last).count());
        let mut objects = 0u32;
        let (mut number, mut shift) = (0u64, 0);
        for byte in &self.bytes {
            number |= u64::from(byte & 0x7f) << shift;
            if *byte >= 0x80 {
                shift = (shift + 7).min(56);
                continue;
            }
            words.push(match number {
                0 => {
                    objects += 1;
                    objects
                }
                // Four bytes and a bit at most: the walker wrote an `int`.
                _ => (number - 1) as u32,
            });
            (number, shift) = (0, 0);
        }
        State::new(words)
    }
}

/// A state that comes in part by part. As long as it is the same as the last one nothing of it is kept.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    /// So much of it is the same.
    same: usize,
    /// All of it, once something was not.
    own: Option<Vec<u8>>,
}

/// A state that has come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrived {
    Same,
    /// The last one with more roots behind it.
    Grown(Packed),
    Other(Packed),
}

impl Incoming {
    pub fn add(&mut self, last: &Packed, part: &[u8]) {
        match &mut self.own {
            Some(own) => own.extend_from_slice(part),
            None if last.bytes[self.same..].starts_with(part) => self.same += part.len(),
            None => {
                let mut own = Vec::with_capacity(last.len().max(self.same + part.len()));
                own.extend_from_slice(&last.bytes[..self.same]);
                own.extend_from_slice(part);
                self.own = Some(own);
            }
        }
    }

    /// Takes back what came behind this place.
    pub fn rewind(&mut self, to: usize) {
        match &mut self.own {
            Some(_) if to == 0 => *self = Incoming::default(),
            Some(own) => own.truncate(to),
            None => self.same = self.same.min(to),
        }
    }

    pub fn arrived(self, last: &Packed) -> Arrived {
        let own = match self.own {
            Some(own) => own,
            None if self.same == last.len() => return Arrived::Same,
            None => last.bytes[..self.same].to_vec(),
        };
        let mut state = Packed { bytes: own };
        match state.bytes.strip_prefix(last.bytes.as_slice()) {
            Some([]) => Arrived::Same,
            Some([ROOT, ..]) => {
                state.bytes.shrink_to_fit();
                Arrived::Grown(state)
            }
            _ => {
                state.bytes.shrink_to_fit();
                Arrived::Other(state)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the walker does it.
    fn pack(words: &[Option<u32>]) -> Vec<u8> {
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
        assert_eq!(Packed { bytes }.unpack().words(), words);
    }

    #[test]
    fn new_objects_are_counted_and_long_numbers_are_numbers() {
        let mut bytes = pack(&[None, Some(7), None]);
        bytes.extend([0x83, 0x80, 0x80, 0x80, 0x00]);
        assert_eq!(Packed { bytes }.unpack().words(), [1, 7, 2, 2]);
    }

    #[test]
    fn what_comes_in_parts_is_the_same_or_not() {
        let bytes = |words: &[u32]| pack(&words.iter().copied().map(Some).collect::<Vec<_>>());
        let (one, two) = (bytes(&[0, 1, 2]), bytes(&[0, 5, 9]));
        let both = [one.clone(), two.clone()].concat();
        let last = Packed { bytes: one.clone() };
        assert_eq!(arrive(&last, &[&one[..1], &one[1..]]), Arrived::Same);
        let grown = Packed { bytes: both.clone() };
        assert_eq!(arrive(&last, &[&one, &two]), Arrived::Grown(grown));
        assert_eq!(
            arrive(&Packed { bytes: both }, &[&one]),
            Arrived::Other(last.clone())
        );
        let other = Packed { bytes: two.clone() };
        assert_eq!(arrive(&last, &[&two]), Arrived::Other(other));
        // Another object behind the last root is no root of its own.
        let longer = bytes(&[0, 1, 2, 3]);
        assert!(matches!(arrive(&last, &[&longer]), Arrived::Other(_)));
    }

    #[test]
    fn what_is_taken_back_did_not_come() {
        let last = Packed { bytes: vec![1, 2, 3] };
        let mut incoming = Incoming::default();
        incoming.add(&last, &[1, 2]);
        incoming.rewind(1);
        incoming.add(&last, &[7, 7, 7]);
        incoming.rewind(1);
        incoming.add(&last, &[2, 3]);
        assert_eq!(incoming.arrived(&last), Arrived::Same);
    }
}
