//! Where in a state each object is, and what is in it.
//!
//! Roots follow each other in the order in which they were first met: `0`, the root's number, its value; then all objects
//! that were first reached from it, in the order in which they were reached. A reference is the number of an object,
//! counted from 1 through the whole state; 0 is null. So a state of a heap to which only roots were added begins with the
//! words of the old one, and two states are compared by comparing memory, unless something did change.
//!
//! Words are read from the packed bytes when they are asked for. Of every 32nd object it is known where it is; who asks for
//! an object mostly asks for the next one later, so the places behind those that were asked for last are known as well.

use crate::packed::{Packed, Words};
use crate::shape::{Shape, ShapeId, Shapes, View, width, words_of};
use std::cell::Cell;
use std::fmt;

/// Texts up to this many characters are kept whole, as the walker knows too.
pub(crate) const WHOLE_TEXT: usize = 40;
/// Of longer ones so many, and a hash of all.
pub(crate) const KEPT_TEXT: usize = 24;
/// Arrays of numbers up to this many bytes are kept whole, others are hashed.
pub(crate) const WHOLE_NUMBERS: usize = 1024;

/// A value takes one word or two; the second is then 0.
pub(crate) type Value = [u32; 2];

/// Where everything is in a state.
#[derive(Debug)]
pub(crate) struct Index<'a> {
    state: &'a Packed,
    pub(crate) shapes: &'a Shapes,
    /// Roots by number, with their values.
    pub(crate) roots: Vec<(u32, Value)>,
    /// How many objects there are.
    len: u32,
    /// Where every 32nd object begins, the first at 0.
    places: Vec<Place>,
    /// Objects that may be asked for next, by the last digits of their numbers.
    next: Vec<Cell<(u32, Place)>>,
}

const EVERY: u32 = 32;

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    part: u32,
    at: u32,
    /// How many objects have a number before it.
    numbered: u32,
}

/// What stands at a place.
enum Item {
    Root(u32, Value),
    Object,
}

/// The words are not what a walker writes: a bug of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    pub part: u32,
    pub at: u32,
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
        let mut index = Index {
            state,
            shapes,
            roots: Vec::new(),
            len: 0,
            places: Vec::new(),
            next: Vec::new(),
        };
        let mut place = Place::default();
        while index.part(place).is_some() {
            let malformed = Malformed {
                part: place.part,
                at: place.at,
            };
            let (item, behind) = index.read(place).ok_or(malformed)?;
            match item {
                Item::Root(id, value) => index.roots.push((id, value)),
                Item::Object => {
                    if index.len.is_multiple_of(EVERY) {
                        index.places.push(place);
                    }
                    index.len += 1;
                }
            }
            place = behind;
        }
        // As many as roots are walked from by turns, in a large heap; few in a small one.
        let remembered = (index.places.len() / 2).next_power_of_two().clamp(16, 4096);
        index.next = vec![Cell::default(); remembered];
        Ok(index)
    }

    pub(crate) fn memory(&self) -> usize {
        self.places.capacity() * size_of::<Place>()
            + self.next.len() * size_of::<(u32, Place)>()
            + self.roots.capacity() * size_of::<(u32, Value)>()
    }

    /// How many objects there are.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// An object by its number, counted from 1.
    pub(crate) fn node(&self, number: u32) -> Option<Node<'a>> {
        let mut words = self.words(self.place(number)?)?;
        let id = words.next()?;
        let shape = self.shapes.get(ShapeId(id))?;
        let count = match shape.view {
            View::Opaque | View::Fields => 0,
            _ => words.next()? as usize,
        };
        Some(Node {
            shape,
            id,
            count,
            words,
        })
    }

    fn place(&self, number: u32) -> Option<Place> {
        if number == 0 || number > self.len {
            return None;
        }
        let slot = |number: u32| &self.next[number as usize & (self.next.len() - 1)];
        let (mut reached, mut place) = slot(number).get();
        if reached != number {
            place = self.places[((number - 1) / EVERY) as usize];
            reached = (number - 1) / EVERY * EVERY + 1;
        }
        while reached < number {
            place = self.behind(place)?;
            reached += 1;
        }
        slot(number).set((number, place));
        if number < self.len && slot(number + 1).get().0 != number + 1 {
            slot(number + 1).set((number + 1, self.behind(place)?));
        }
        Some(place)
    }

    /// Where the object behind this one begins.
    fn behind(&self, place: Place) -> Option<Place> {
        let (_, mut behind) = self.read(place)?;
        while let (Item::Root(..), further) = self.read(behind)? {
            behind = further;
        }
        Some(behind)
    }

    /// What stands at a place, and the place behind it.
    fn read(&self, place: Place) -> Option<(Item, Place)> {
        let mut words = self.words(place)?;
        let before = words.left();
        let item = match words.next()? {
            0 => {
                let id = words.next()?;
                let kind = self.shapes.root(id)?.kind;
                Item::Root(id, value(&mut words, kind)?)
            }
            id => {
                let shape = self.shapes.get(ShapeId(id))?;
                let count = match shape.view {
                    View::Opaque | View::Fields => 0,
                    _ => words.next()? as usize,
                };
                let size = contents(shape.view, count) + self.shapes.fields_size(ShapeId(id));
                if size > 0 {
                    words.nth(size - 1)?;
                }
                Item::Object
            }
        };
        let numbered = words.numbered;
        let behind = if words.left() == 0 {
            Place {
                part: place.part + 1,
                at: 0,
                numbered,
            }
        } else {
            let at = place.at + u32::try_from(before - words.left()).ok()?;
            Place {
                at,
                numbered,
                ..place
            }
        };
        Some((item, behind))
    }

    fn part(&self, place: Place) -> Option<&'a [u8]> {
        self.state.part(place.part as usize)
    }

    fn words(&self, place: Place) -> Option<Words<'a>> {
        let bytes = self.part(place)?.get(place.at as usize..)?;
        Some(Words::new(bytes, place.numbered))
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
        if contents > 0 {
            words.nth(contents - 1);
        }
        let fields = self.shape.fields.iter().enumerate();
        fields.map_while(move |(index, field)| Some((index, field.kind, value(&mut words, field.kind)?)))
    }

    /// The objects that it refers to, as often as it does.
    pub(crate) fn references(&self) -> impl Iterator<Item = u32> + use<'a> {
        let has_elements = matches!(
            self.shape.view,
            View::Sequence | View::Bag | View::OrderedMap | View::UnorderedMap
        );
        let elements = self.contents().filter(move |_| has_elements);
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
