//! Hashes of what is below keys and elements, by which they find their partners.
//!
//! A collection is gone through twice, and many keys share what is below them: a thousand that are made of a text and a
//! language each have one of a few languages. So in a small state hashes are kept.

use crate::index::{Index, Node};
use crate::shape::{View, words_of};

/// How deep below a key or an element is looked to find its partner. What differs only below that is paired by chance,
/// and the difference is then found where it is.
const DEPTH: u8 = 3;

/// The hashes of a state's objects: equal for isomorphic ones.
pub(crate) struct Hashes<'a> {
    index: &'a Index<'a>,
    /// Per object its last hash, and how deep that looked; 0: none yet. Empty in a large state, and as long as nobody
    /// asked.
    known: Vec<u64>,
    depths: Vec<u8>,
}

impl<'a> Hashes<'a> {
    pub(crate) fn new(index: &'a Index<'a>) -> Hashes<'a> {
        Hashes {
            index,
            known: Vec::new(),
            depths: Vec::new(),
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.known.capacity() * size_of::<u64>() + self.depths.capacity()
    }

    pub(crate) fn of(&mut self, number: u32) -> u64 {
        if self.known.is_empty() && self.index.is_small() {
            self.known = vec![0; self.index.len() as usize + 1];
            self.depths = vec![0; self.index.len() as usize + 1];
        }
        self.below(number, DEPTH)
    }

    fn below(&mut self, number: u32, depth: u8) -> u64 {
        let place = number as usize;
        if depth > 0 && self.depths.get(place) == Some(&depth) {
            return self.known[place];
        }
        let hash = match self.index.node(number) {
            Some(node) => self.node(&node, depth),
            None => 1,
        };
        if depth > 0
            && let Some(known) = self.known.get_mut(place)
        {
            *known = hash;
            self.depths[place] = depth;
        }
        hash
    }

    fn node(&mut self, node: &Node<'_>, depth: u8) -> u64 {
        let mut hash = mix(0x9e37_79b9_7f4a_7c15, u64::from(node.id));
        hash = mix(hash, node.count as u64);
        // Values are small, and keys more often than not.
        let depth = if node.shape.is_value { depth.max(1) } else { depth };
        if depth == 0 {
            return hash;
        }
        match node.shape.view {
            View::Opaque | View::Fields => {}
            View::Text | View::Numbers(_) => {
                for word in node.contents() {
                    hash = mix(hash, u64::from(word));
                }
            }
            View::Sequence => {
                for one in node.contents() {
                    hash = mix(hash, self.below(one, depth - 1));
                }
            }
            View::Bag => {
                let hashes = node.contents().map(|one| self.below(one, depth - 1));
                hash = mix(hash, hashes.fold(0, u64::wrapping_add));
            }
            View::OrderedMap | View::UnorderedMap => {
                let entry = |(key, value)| mix(self.below(key, depth - 1), self.below(value, depth - 1));
                hash = mix(hash, node.entries().map(entry).fold(0, u64::wrapping_add));
            }
        }
        for (_, kind, words) in node.fields() {
            if kind == b'L' {
                hash = mix(hash, self.below(words[0], depth - 1));
            } else {
                for word in &words[..words_of(kind)] {
                    hash = mix(hash, u64::from(*word));
                }
            }
        }
        hash
    }
}

pub(super) fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x2545_f491_4f6c_dd1d);
    mixed ^ mixed >> 29
}
