//! Hashes of what is below keys and elements, by which they find their partners.

use crate::index::Index;
use crate::shape::{View, words_of};

/// How deep below a key or an element is looked to find its partner. What differs only below that is paired by chance, and
/// the difference is then found where it is.
pub(crate) const DEPTH: usize = 3;

/// A hash of an object's contents: equal for isomorphic objects.
pub(crate) fn hash(index: &Index<'_>, number: u32, depth: usize) -> u64 {
    let Some(node) = index.node(number) else { return 1 };
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
                hash = mix(hash, self::hash(index, one, depth - 1));
            }
        }
        View::Bag => {
            let sum = node.contents().fold(0, |sum: u64, one| {
                sum.wrapping_add(self::hash(index, one, depth - 1))
            });
            hash = mix(hash, sum);
        }
        View::OrderedMap | View::UnorderedMap => {
            let entry = |(key, value)| {
                mix(
                    self::hash(index, key, depth - 1),
                    self::hash(index, value, depth - 1),
                )
            };
            let sum = node
                .entries()
                .fold(0, |sum: u64, pair| sum.wrapping_add(entry(pair)));
            hash = mix(hash, sum);
        }
    }
    for (_, kind, words) in node.fields() {
        if kind == b'L' {
            hash = mix(hash, self::hash(index, words[0], depth - 1));
        } else {
            for word in &words[..words_of(kind)] {
                hash = mix(hash, u64::from(*word));
            }
        }
    }
    hash
}

pub(super) fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x2545_f491_4f6c_dd1d);
    mixed ^ mixed >> 29
}
