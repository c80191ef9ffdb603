//! The comparison against the plain one of [`super::reference`], on heaps that are made up and changed at random. The
//! numbers come from a generator that begins with the number of the round, so that a round that fails can be run again.

use super::Thing::{Bytes, Linked, List, Map, Node, Number, Path, Set, Text, Wide, Wrapper};
use super::{ABSENT, Heap, NULL, Thing, reference, shapes};
use crate::compare::compared;
use crate::differences;
use crate::index::{Index, Marked};

/// `xorshift64*`.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end.max(1)
    }

    /// An object, or null.
    fn object(&mut self, heap: &Heap) -> usize {
        if self.below(6) == 0 {
            NULL
        } else {
            self.below(heap.objects.len())
        }
    }

    /// One of a kind, if there is any.
    fn such(&mut self, heap: &Heap, is: fn(&Thing) -> bool) -> Option<usize> {
        let start = self.below(heap.objects.len());
        let n = heap.objects.len();
        (0..n).map(|i| (start + i) % n).find(|i| is(&heap.objects[*i]))
    }

    fn objects(&mut self, heap: &Heap) -> Vec<usize> {
        let most = if self.below(12) == 0 { 12 } else { 4 };
        (0..self.below(most)).map(|_| self.object(heap)).collect()
    }

    fn entries(&mut self, heap: &Heap) -> Vec<(usize, usize)> {
        let keys = self.objects(heap);
        keys.into_iter().map(|key| (key, self.object(heap))).collect()
    }

    fn thing(&mut self, heap: &Heap) -> Thing {
        const TEXTS: [&str; 4] = ["a", "b", "abc", ""];
        match self.below(16) {
            0..4 => Node(self.below(3) as u32, self.object(heap), self.object(heap)),
            4 => Text(TEXTS[self.below(TEXTS.len())]),
            5 => Number(self.below(300) as u32),
            6 | 7 => List(self.objects(heap)),
            8 => Set(self.objects(heap)),
            9 | 10 => Map(self.entries(heap)),
            11 => Linked(self.entries(heap)),
            12 => Bytes((0..self.below(7)).map(|_| self.below(3) as u8).collect()),
            13 => Wide(
                [0, 1, f64::NAN.to_bits(), 3 << 40][self.below(4)],
                self.object(heap),
            ),
            14 => match self.such(heap, |thing| matches!(thing, Bytes(_))) {
                Some(bytes) => Path(bytes),
                None => Number(0),
            },
            _ => match self.such(heap, |thing| matches!(thing, Map(_))) {
                Some(map) => Wrapper(map),
                None => Map(Vec::new()),
            },
        }
    }

    fn root(&mut self, heap: &Heap) -> usize {
        if self.below(5) == 0 {
            ABSENT
        } else {
            self.object(heap)
        }
    }

    fn heap(&mut self, size: usize) -> Heap {
        let mut heap = Heap {
            objects: vec![Number(0); size],
            roots: Vec::new(),
        };
        for object in 0..size {
            heap.objects[object] = self.thing(&heap);
        }
        heap.roots = (0..4).map(|_| self.root(&heap)).collect();
        mend(&mut heap);
        heap
    }

    fn change(&mut self, heap: &mut Heap) {
        let which = self.below(heap.objects.len());
        let other = self.object(heap);
        let value = self.object(heap);
        let place = self.below(100);
        match self.below(6) {
            0 => heap.objects[which] = self.thing(heap),
            1 => {
                let root = self.below(4);
                heap.roots[root] = self.root(heap);
            }
            2 => {
                let new = self.thing(heap);
                heap.objects.push(new);
                self.refer(heap, which, heap.objects.len() - 1);
            }
            3 => self.refer(heap, which, other),
            _ => match &mut heap.objects[which] {
                Node(value, _, _) | Number(value) => *value += 1,
                Text(text) => *text = "other",
                List(all) | Set(all) if place < 50 => all.insert(place % (all.len() + 1), other),
                List(all) | Set(all) if !all.is_empty() => {
                    all.remove(place % all.len());
                }
                Map(all) | Linked(all) if place < 50 => {
                    all.insert(place % (all.len() + 1), (other, value));
                }
                Map(all) | Linked(all) if !all.is_empty() => {
                    let by = place % all.len();
                    all.rotate_left(by);
                    all.truncate(all.len() - place % 2);
                }
                Bytes(bytes) => bytes.push(1),
                Wide(bits, _) => *bits += 1,
                List(_) | Set(_) | Map(_) | Linked(_) | Path(_) | Wrapper(_) => {}
            },
        }
        mend(heap);
    }

    /// Makes one object lead to another.
    fn refer(&mut self, heap: &mut Heap, from: usize, to: usize) {
        let place = self.below(100);
        match &mut heap.objects[from] {
            Node(_, left, _) if place < 50 => *left = to,
            Node(_, _, right) => *right = to,
            List(all) | Set(all) if !all.is_empty() => {
                let place = place % all.len();
                all[place] = to;
            }
            Map(all) | Linked(all) if !all.is_empty() => {
                let place = place % all.len();
                all[place].1 = to;
            }
            Wide(_, owner) => *owner = to,
            _ => {}
        }
    }
}

/// A path is made of bytes and a wrapper wraps a map, whatever was put in their places.
fn mend(heap: &mut Heap) {
    for object in 0..heap.objects.len() {
        let is_broken = match &heap.objects[object] {
            Path(bytes) => !matches!(heap.objects[*bytes], Bytes(_)),
            Wrapper(map) => !matches!(heap.objects[*map], Map(_)),
            _ => false,
        };
        if is_broken {
            heap.objects[object] = Number(0);
        }
    }
}

#[test]
fn it_finds_what_the_plain_comparison_finds() {
    let shapes = shapes();
    let mut with_differences = 0;
    for round in 0..2000 {
        let mut random = Random(round + 1);
        // Large ones have more objects than are counted at a time anywhere.
        let size = if round % 100 == 0 {
            600
        } else {
            2 + round as usize % 30
        };
        let before = random.heap(size);
        let mut after = before.clone();
        for _ in 0..=random.below(4) {
            random.change(&mut after);
        }
        let (old, new) = (before.write(), after.write());
        let found = differences(&shapes, &old, &new, false).unwrap().differences;
        let expected = reference::differences(&shapes, &old, &new);
        assert_eq!(found, expected, "round {round}: {before:?} and {after:?}");
        // As if they were large.
        let marked = |state| Index::with_marks(state, &shapes, Marked::EveryFourth).unwrap();
        let found = compared(&marked(&old), &marked(&new), false).differences;
        assert_eq!(found, expected, "round {round}: {before:?} and {after:?}");
        with_differences += usize::from(!expected.is_empty());
    }
    assert!(with_differences > 800, "{with_differences}");
}
