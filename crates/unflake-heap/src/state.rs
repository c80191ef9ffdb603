//! One capture: the words that the walker wrote, and where in them each object begins.
//!
//! Roots follow each other in the order in which they were first met: `0`, the root's number, its value; then all objects
//! that were first reached from it, in the order in which they were reached. A reference is the number of an object,
//! counted from 1 through the whole state; 0 is null. So a state of a heap to which only roots were added begins with the
//! words of the old one, and two states are compared by comparing memory, unless something did change
//! ([`crate::packed`]).

use crate::shape::{Shape, ShapeId, Shapes, View, width, words_of};
use std::fmt;

/// Texts up to this many characters are kept whole, as the walker knows too.
pub(crate) const WHOLE_TEXT: usize = 40;
/// Of longer ones so many, and a hash of all.
pub(crate) const KEPT_TEXT: usize = 24;
/// Arrays of numbers up to this many bytes are kept whole, others are hashed.
pub(crate) const WHOLE_NUMBERS: usize = 1024;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    words: Vec<u32>,
}

/// Where everything is in a state.
#[derive(Debug)]
pub(crate) struct Index<'a> {
    pub(crate) words: &'a [u32],
    pub(crate) shapes: &'a Shapes,
    /// Where each object begins, the first at 0.
    nodes: Vec<u32>,
    /// Roots by number, and where their values are.
    pub(crate) roots: Vec<(u32, usize)>,
}

/// The words are not what a walker writes: a bug of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    pub at: usize,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the capture of the heap cannot be read from word {} on",
            self.at
        )
    }
}

impl std::error::Error for Malformed {}

impl State {
    pub fn new(words: Vec<u32>) -> State {
        State { words }
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> u64 {
        4 * self.words.capacity() as u64
    }

    pub fn words(&self) -> &[u32] {
        &self.words
    }

    pub(crate) fn index<'a>(&'a self, shapes: &'a Shapes) -> Result<Index<'a>, Malformed> {
        Index::new(&self.words, shapes)
    }
}

impl<'a> Index<'a> {
    fn new(words: &'a [u32], shapes: &'a Shapes) -> Result<Index<'a>, Malformed> {
        let mut index = Index {
            words,
            shapes,
            nodes: Vec::new(),
            roots: Vec::new(),
        };
        let mut at = 0;
        while at < words.len() {
            let size = if words[at] == 0 {
                let id = *words.get(at + 1).ok_or(Malformed { at })?;
                let root = shapes.root(id).ok_or(Malformed { at })?;
                index.roots.push((id, at + 2));
                2 + words_of(root.kind)
            } else {
                index.nodes.push(u32::try_from(at).map_err(|_| Malformed { at })?);
                index.size(at).ok_or(Malformed { at })?
            };
            at += size;
        }
        if at == words.len() {
            Ok(index)
        } else {
            Err(Malformed { at })
        }
    }

    /// How many objects there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// An object by its number, counted from 1.
    pub(crate) fn node(&self, number: u32) -> Option<Node<'_>> {
        let at = *self.nodes.get((number as usize).checked_sub(1)?)? as usize;
        Some(Node {
            shape: self.shapes.get(ShapeId(self.words[at]))?,
            id: self.words[at],
            words: &self.words[at + 1..],
        })
    }

    fn size(&self, at: usize) -> Option<usize> {
        let shape = self.shapes.get(ShapeId(self.words[at]))?;
        let count = self.words.get(at + 1).copied().unwrap_or(0) as usize;
        let fields: usize = shape.fields.iter().map(|field| words_of(field.kind)).sum();
        Some(1 + contents(shape.view, count) + fields)
    }
}

/// How large a heap is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub objects: u64,
    /// Those that are not null.
    pub references: u64,
}

pub fn counts(shapes: &Shapes, state: &State) -> Result<Counts, Malformed> {
    let index = state.index(shapes)?;
    let present = |words: &[u32]| words.iter().filter(|word| **word != 0).count() as u64;
    let mut counts = Counts::default();
    for (root, at) in &index.roots {
        if shapes.root(*root).is_some_and(|root| root.kind == b'L') {
            counts.references += present(&index.words[*at..=*at]);
        }
    }
    for number in 1..=index.len() {
        let Some(node) = u32::try_from(number).ok().and_then(|number| index.node(number)) else {
            continue;
        };
        counts.objects += 1;
        counts.references += match node.shape.view {
            View::Sequence | View::Bag | View::OrderedMap | View::UnorderedMap => present(node.contents()),
            View::Opaque | View::Fields | View::Text | View::Numbers(_) => 0,
        };
        let references = node.fields().filter(|(_, kind, _)| *kind == b'L');
        counts.references += references.map(|(_, _, value)| present(value)).sum::<u64>();
    }
    Ok(counts)
}

/// How many words the contents of an object take.
fn contents(view: View, count: usize) -> usize {
    match view {
        View::Opaque | View::Fields => 0,
        View::Text if count <= WHOLE_TEXT => 1 + count.div_ceil(2),
        View::Text => 1 + KEPT_TEXT / 2 + 2,
        View::Sequence | View::Bag => 1 + count,
        View::OrderedMap | View::UnorderedMap => 1 + 2 * count,
        View::Numbers(kind) => {
            let bytes = count * width(kind);
            1 + if bytes <= WHOLE_NUMBERS {
                bytes.div_ceil(4)
            } else {
                2
            }
        }
    }
}

/// One object of a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) id: u32,
    /// From behind the shape's number on.
    words: &'a [u32],
}

impl<'a> Node<'a> {
    /// The number of characters, elements or entries.
    pub(crate) fn count(&self) -> usize {
        match self.shape.view {
            View::Opaque | View::Fields => 0,
            _ => self.words[0] as usize,
        }
    }

    /// The words of its contents behind their count.
    pub(crate) fn contents(&self) -> &'a [u32] {
        let size = contents(self.shape.view, self.count());
        self.words.get(1.min(size)..size).unwrap_or(&[])
    }

    /// The values of its fields, in the order of the shape's.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (usize, u8, &'a [u32])> + use<'a> {
        let mut at = contents(self.shape.view, self.count());
        let words = self.words;
        self.shape.fields.iter().enumerate().map(move |(index, field)| {
            let size = words_of(field.kind);
            let value = &words[at..at + size];
            at += size;
            (index, field.kind, value)
        })
    }

    /// A text, cut if it is long.
    pub(crate) fn text(&self) -> String {
        let kept = self.count().min(if self.count() <= WHOLE_TEXT {
            WHOLE_TEXT
        } else {
            KEPT_TEXT
        });
        let units: Vec<u16> = self
            .contents()
            .iter()
            .flat_map(|word| [*word as u16, (*word >> 16) as u16])
            .take(kept)
            .collect();
        String::from_utf16_lossy(&units)
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.shape.view == View::Text && self.count() > WHOLE_TEXT
    }
}
