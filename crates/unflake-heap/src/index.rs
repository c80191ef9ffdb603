//! Where in a state each object is, and what is in it.
//!
//! Roots follow each other in the order in which they were first met: `0`, the root's number, its value; then all objects
//! that were first reached from it, in the order in which they were reached. A reference is the number of an object,
//! counted from 1 through the whole state; 0 is null. So a state of a heap to which only roots were added begins with the
//! words of the old one, and two states are compared by comparing memory, unless something did change.
//!
//! Words are read from the packed bytes when they are asked for. Of every fourth object in a part it is known where it is, in a
//! small state of each: going there from another one was a third of the work of a comparison.

use crate::packed::{Packed, Words};
use crate::shape::{Shape, ShapeId, Shapes, View, width, words_of};
use std::fmt;
use unflake_protocol::codes;

// The walker cuts long texts and arrays at these lengths.
const WHOLE_TEXT: usize = codes::TEXT_WHOLE as usize;
const KEPT_TEXT: usize = codes::TEXT_KEPT as usize;
pub(crate) const WHOLE_NUMBERS: usize = codes::NUMBERS_WHOLE as usize;

/// A value takes one word or two; the second is then 0.
pub(crate) type Value = [u32; 2];

/// Where everything is in a state.
#[derive(Debug)]
pub(crate) struct Index<'a> {
    pub(crate) shapes: &'a Shapes,
    /// Roots by number, with their values.
    pub(crate) roots: Vec<(u32, Value)>,
    /// How many objects there are.
    len: u32,
    parts: Vec<Part<'a>>,
    /// The part of every 64th object, the first at 0.
    hints: Vec<u32>,
    /// Of every fourth object in each part, or of each, where it begins there and how many objects got a number there before it.
    marks: Vec<(u16, u16)>,
    marked: Marked,
}

#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    bytes: &'a [u8],
    /// How many objects there are in the parts before it, how many of them have a number, and how many marks.
    objects: u32,
    numbered: u32,
    marks: u32,
}

const HINT: u32 = 64;

/// Which objects have marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marked {
    All = 1,
    EveryFourth = 4,
}

/// Up to so many bytes, what is kept of each object is little beside what the JVM takes.
const SMALL: usize = 128 * 1024;

/// What stands at a place.
pub(crate) enum Item<'a> {
    Root(u32, Value),
    Object(Node<'a>),
}

/// The words are not what a walker writes: a bug of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    pub part: usize,
    pub at: usize,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Malformed { part, at } = self;
        write!(
            f,
            "the capture of the heap cannot be read from byte {at} of part {part} on"
        )
    }
}

impl std::error::Error for Malformed {}

impl<'a> Index<'a> {
    pub(crate) fn new(state: &'a Packed, shapes: &'a Shapes) -> Result<Index<'a>, Malformed> {
        let marked = if state.len() <= SMALL {
            Marked::All
        } else {
            Marked::EveryFourth
        };
        Index::with_marks(state, shapes, marked)
    }

    pub(crate) fn with_marks(
        state: &'a Packed,
        shapes: &'a Shapes,
        marked: Marked,
    ) -> Result<Index<'a>, Malformed> {
        let mut index = Index {
            shapes,
            roots: Vec::new(),
            len: 0,
            parts: Vec::new(),
            hints: Vec::new(),
            marks: Vec::new(),
            marked,
        };
        let mut numbered = 0;
        for (part, bytes) in state.parts().enumerate() {
            let mut words = Words::new(bytes, numbered);
            index.add(&mut words).ok_or_else(|| Malformed {
                part,
                at: bytes.len() - words.left(),
            })?;
            numbered = words.numbered;
        }
        Ok(index)
    }

    /// Takes the next part; `None` if it cannot be read, with the words up to there taken.
    fn add(&mut self, words: &mut Words<'a>) -> Option<()> {
        let part = Part {
            bytes: words.bytes(),
            objects: self.len,
            numbered: words.numbered,
            marks: u32::try_from(self.marks.len()).ok()?,
        };
        let number = u32::try_from(self.parts.len()).ok()?;
        self.parts.push(part);
        while words.left() > 0 {
            let at = part.bytes.len() - words.left();
            let numbered = words.numbered - part.numbered;
            match self.read(words)? {
                Item::Root(id, value) => self.roots.push((id, value)),
                Item::Object(_) => {
                    if (self.len - part.objects).is_multiple_of(self.marked as u32) {
                        // A part ends behind its first few thousand bytes, or behind the object that begins there.
                        let mark = (u16::try_from(at).ok()?, u16::try_from(numbered).ok()?);
                        if self.marks.len() == self.marks.capacity() {
                            // Not twice as many as now: most of the memory is for these.
                            self.marks.reserve_exact(self.marks.len() / 8 + 64);
                        }
                        self.marks.push(mark);
                    }
                    if self.len.is_multiple_of(HINT) {
                        self.hints.push(number);
                    }
                    self.len += 1;
                }
            }
        }
        Some(())
    }

    pub(crate) fn memory(&self) -> usize {
        self.roots.capacity() * size_of::<(u32, Value)>()
            + self.parts.capacity() * size_of::<Part<'_>>()
            + self.hints.capacity() * size_of::<u32>()
            + self.marks.capacity() * size_of::<(u16, u16)>()
    }

    /// Whether a few bytes may be kept for each object.
    pub(crate) fn is_small(&self) -> bool {
        self.marked == Marked::All
    }

    /// How many objects there are.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// An object by its number, counted from 1.
    pub(crate) fn node(&self, number: u32) -> Option<Node<'a>> {
        match self.begin(&mut self.find(number.checked_sub(1)?)?)? {
            Item::Object(node) => Some(node),
            Item::Root(..) => None,
        }
    }

    /// The words from this object on, counted from 0.
    fn find(&self, object: u32) -> Option<Words<'a>> {
        if object >= self.len {
            return None;
        }
        let mut place = self.hints[(object / HINT) as usize] as usize;
        while let Some(next) = self.parts.get(place + 1)
            && next.objects <= object
        {
            place += 1;
        }
        let part = &self.parts[place];
        let inside = object - part.objects;
        let (mark, behind) = match self.marked {
            Marked::All => (inside, 0),
            Marked::EveryFourth => (inside / 4, inside % 4),
        };
        let (at, numbered) = self.marks[(part.marks + mark) as usize];
        let mut words = Words::new(
            &part.bytes[usize::from(at)..],
            part.numbered + u32::from(numbered),
        );
        for _ in 0..behind {
            self.read(&mut words)?;
            while words.is_at_root() {
                self.read(&mut words)?;
            }
        }
        Some(words)
    }

    /// All roots and objects in their order, each with its words as they are packed.
    pub(crate) fn visit(&self, mut visitor: impl FnMut(Item<'a>, &'a [u8])) {
        for part in &self.parts {
            let mut words = Words::new(part.bytes, part.numbered);
            let mut start = words.bytes();
            while let Some(item) = self.read(&mut words) {
                visitor(item, &start[..start.len() - words.left()]);
                start = words.bytes();
            }
        }
    }

    /// Goes behind a root or an object.
    fn read(&self, words: &mut Words<'a>) -> Option<Item<'a>> {
        let item = self.begin(words)?;
        if let Item::Object(node) = &item {
            let size = contents(node.shape.view, node.count) + self.shapes.fields_size(ShapeId(node.id));
            if size > 0 {
                words.nth(size - 1)?;
            }
        }
        Some(item)
    }

    /// Goes behind a root, or to the contents of an object.
    fn begin(&self, words: &mut Words<'a>) -> Option<Item<'a>> {
        let id = words.next()?;
        if id == 0 {
            let id = words.next()?;
            let kind = self.shapes.root(id)?.kind;
            return Some(Item::Root(id, value(words, kind)?));
        }
        let shape = self.shapes.get(ShapeId(id))?;
        let count = count(shape.view, words)?;
        Some(Item::Object(Node {
            shape,
            id,
            count,
            words: words.clone(),
        }))
    }
}

/// The number of characters, elements or entries.
fn count(view: View, words: &mut Words<'_>) -> Option<usize> {
    match view {
        View::Opaque | View::Fields => Some(0),
        _ => words.next().map(|count| count as usize),
    }
}

fn value(words: &mut Words<'_>, kind: u8) -> Option<Value> {
    let low = words.next()?;
    Some([low, if words_of(kind) == 2 { words.next()? } else { 0 }])
}

/// How large a heap is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub objects: u64,
    /// Those that are not null.
    pub references: u64,
}

pub fn counts(shapes: &Shapes, state: &Packed) -> Result<Counts, Malformed> {
    let index = Index::new(state, shapes)?;
    let is_reference = |root: u32| shapes.root(root).is_some_and(|root| root.kind == b'L');
    let roots = index
        .roots
        .iter()
        .filter(|(root, value)| is_reference(*root) && value[0] != 0);
    let nodes = (1..=index.len()).filter_map(|number| index.node(number));
    let below: usize = nodes.map(|node| node.references().count()).sum();
    Ok(Counts {
        objects: u64::from(index.len()),
        references: (roots.count() + below) as u64,
    })
}

/// How many words the contents of an object take behind their count.
fn contents(view: View, count: usize) -> usize {
    match view {
        View::Opaque | View::Fields => 0,
        View::Text if count <= WHOLE_TEXT => count.div_ceil(2),
        View::Text => KEPT_TEXT / 2 + 2,
        View::Sequence | View::Bag => count,
        View::OrderedMap | View::UnorderedMap => 2 * count,
        View::Numbers(kind) => {
            let bytes = count * width(kind);
            if bytes <= WHOLE_NUMBERS {
                bytes.div_ceil(4)
            } else {
                2
            }
        }
    }
}

/// One object of a state.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) id: u32,
    /// The number of characters, elements or entries.
    pub(crate) count: usize,
    /// From behind the count on.
    words: Words<'a>,
}

impl<'a> Node<'a> {
    /// The words of its contents behind their count.
    pub(crate) fn contents(&self) -> impl Iterator<Item = u32> + use<'a> {
        self.words.clone().take(contents(self.shape.view, self.count))
    }

    /// Its contents as keys and values.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u32, u32)> + use<'a> {
        let mut words = self.contents();
        std::iter::from_fn(move || Some((words.next()?, words.next()?)))
    }

    /// The values of its fields, in the order of the shape's.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (usize, u8, Value)> + use<'a> {
        let mut words = self.words.clone();
        let contents = contents(self.shape.view, self.count);
        let fields = self.shape.fields.iter().enumerate();
        if contents > 0 && fields.len() > 0 {
            words.nth(contents - 1);
        }
        fields.map_while(move |(index, field)| Some((index, field.kind, value(&mut words, field.kind)?)))
    }

    /// The objects that it refers to, as often as it does.
    pub(crate) fn references(&self) -> impl Iterator<Item = u32> + use<'a> {
        let elements = match self.shape.view {
            View::Sequence | View::Bag | View::OrderedMap | View::UnorderedMap => usize::MAX,
            View::Opaque | View::Fields | View::Text | View::Numbers(_) => 0,
        };
        let elements = self.contents().take(elements);
        let fields = self.fields().filter(|(_, kind, _)| *kind == b'L');
        let all = elements.chain(fields.map(|(_, _, value)| value[0]));
        all.filter(|number| *number != 0)
    }

    /// A text, cut if it is long.
    pub(crate) fn text(&self) -> String {
        let kept = self.count.min(if self.count <= WHOLE_TEXT {
            WHOLE_TEXT
        } else {
            KEPT_TEXT
        });
        let units: Vec<u16> = self
            .contents()
            .flat_map(|word| [word as u16, (word >> 16) as u16])
            .take(kept)
            .collect();
        String::from_utf16_lossy(&units)
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.shape.view == View::Text && self.count > WHOLE_TEXT
    }
}
