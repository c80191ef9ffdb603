//! Which roots need not be looked at: most of a heap is not changed by a test, and what has nothing to do with the rest
//! of it cannot make a difference anywhere else.
//!
//! Roots that reach an object in common are on one island. An island whose words are the same in both states, and mean
//! the same, has no differences; and since nothing leads from or to it, the rest is compared as if it were not there.

use super::hashes::mix;
use crate::index::{Index, Item};
use std::collections::{BTreeMap, BTreeSet};

/// The roots, by number, of islands that are the same in both states.
pub(super) fn unchanged(before: &Index<'_>, after: &Index<'_>) -> BTreeSet<u32> {
    let (old, new) = (Survey::new(before), Survey::new(after));
    let mut islands = Islands::default();
    for (one, other) in old.bridges.iter().chain(&new.bridges) {
        islands.join(*one, *other);
    }
    let is_same = |root: u32| match (old.region(root), new.region(root)) {
        (Some(old), Some(new)) => {
            let is_moved = old.first != new.first;
            old.hash == new.hash && !(is_moved && (old.refers_back || islands.is_joined(root)))
        }
        _ => false,
    };
    let all = || old.regions.iter().chain(&new.regions).map(|region| region.root);
    let changed: BTreeSet<u32> = all()
        .filter(|root| !is_same(*root))
        .map(|root| islands.of(root))
        .collect();
    all()
        .filter(|root| !changed.contains(&islands.of(*root)))
        .collect()
}

/// How much memory that takes for so many roots in both states.
pub(super) fn memory(roots: usize) -> usize {
    roots * size_of::<Region>()
}

/// A root, and the objects that were first reached from it.
struct Region {
    root: u32,
    /// How many objects there are before.
    first: u32,
    /// Of all its words. If one word differs the hash does, whatever the word is.
    hash: u64,
    /// Whether there are references by number, which mean something else if the objects have other numbers.
    refers_back: bool,
    /// The root of the last region that refers to an object of this one.
    referred_by: u32,
}

/// The regions of a state by their roots' numbers, and pairs of roots that reach an object in common, each once.
#[derive(Default)]
struct Survey {
    regions: Vec<Region>,
    bridges: Vec<(u32, u32)>,
}

impl Survey {
    fn new(index: &Index<'_>) -> Survey {
        let mut survey = Survey::default();
        survey.regions.reserve_exact(index.roots.len());
        survey.visit(index);
        survey.regions.sort_unstable_by_key(|region| region.root);
        survey
    }

    fn region(&self, root: u32) -> Option<&Region> {
        let place = self.regions.binary_search_by_key(&root, |region| region.root);
        place.ok().map(|place| &self.regions[place])
    }

    fn visit(&mut self, index: &Index<'_>) {
        let mut reached = 0;
        index.visit(|item, words| match item {
            Item::Root(root, value) => {
                self.regions.push(Region {
                    root,
                    first: reached,
                    hash: 0,
                    refers_back: false,
                    referred_by: root,
                });
                self.hash(words);
                let is_reference = index.shapes.root(root).is_some_and(|root| root.kind == b'L');
                if is_reference && value[0] != 0 && value[0] <= reached {
                    self.refer(value[0]);
                }
                reached = reached.max(if is_reference { value[0] } else { 0 });
            }
            Item::Object(node) => {
                self.hash(words);
                for number in node.references() {
                    if number <= reached {
                        self.refer(number);
                    }
                    reached = reached.max(number);
                }
            }
        });
    }

    fn hash(&mut self, words: &[u8]) {
        let Some(region) = self.regions.last_mut() else {
            return;
        };
        let (eights, rest) = words.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        for word in eights.iter().chain([&last]) {
            region.hash = mix(region.hash, u64::from_le_bytes(*word));
        }
        region.hash = mix(region.hash, words.len() as u64);
    }

    /// The last region refers to an object that has a number.
    fn refer(&mut self, number: u32) {
        let owner = self.regions.partition_point(|region| region.first < number);
        let Some(region) = self.regions.last_mut() else {
            return;
        };
        region.refers_back = true;
        let root = region.root;
        if let Some(owner) = self.regions.get_mut(owner.wrapping_sub(1))
            && owner.referred_by != root
        {
            owner.referred_by = root;
            self.bridges.push((root, owner.root));
        }
    }
}

/// Each root that was joined with another leads to one that stands for the whole island.
#[derive(Default)]
struct Islands {
    next: BTreeMap<u32, u32>,
}

impl Islands {
    fn of(&self, root: u32) -> u32 {
        let mut at = root;
        while let Some(next) = self.next.get(&at)
            && *next != at
        {
            at = *next;
        }
        at
    }

    fn is_joined(&self, root: u32) -> bool {
        self.next.contains_key(&root)
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.of(one), self.of(other));
        self.next.insert(one, other);
        self.next.insert(other, other);
    }
}
