//! What the words of a state mean: one shape per class, one entry per root.

use std::fmt;

/// A class as the walker writes its objects. Number 0 does not exist: in a state it marks a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeId(pub u32);

/// How objects of one class are written: the contents as `view` says, then `fields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// `package.Class`; arrays as Java's `getName` gives them.
    pub class: String,
    pub view: View,
    /// Only its contents matter, never which object it is: texts, boxed numbers, dates.
    pub is_value: bool,
    /// Its one field is not worth a step in a path: a set's map, a wrapper's collection.
    pub is_transparent: bool,
    pub is_enum: bool,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// The first letter of its descriptor; `L` for arrays too.
    pub kind: u8,
}

/// The contents of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Nothing of it is looked at.
    Opaque,
    /// None beside its fields.
    Fields,
    /// Its length in characters, then these; long ones are cut and hashed.
    Text,
    /// Their number, then the elements, in an order that counts.
    Sequence,
    /// The same in an order that does not.
    Bag,
    /// The number of entries, then keys and values, in an order that counts.
    OrderedMap,
    /// The same in an order that does not.
    UnorderedMap,
    /// Their number, then numbers of this kind, packed; many of them are hashed.
    Numbers(u8),
}

/// A static field, or a shared object of another kind, from which the heap is walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// `package.Class.field`.
    pub name: String,
    pub kind: u8,
}

impl Root {
    /// As it begins a path: the class without its package.
    pub fn short(&self) -> String {
        let (class, field) = self.name.rsplit_once('.').unwrap_or(("", &self.name));
        format!("{}.{field}", simple(class))
    }
}

/// All shapes and roots that were met so far. Numbers are never given twice.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    shapes: Vec<Shape>,
    /// How many words the fields of each take.
    fields_sizes: Vec<usize>,
    roots: Vec<Root>,
}

impl Shapes {
    pub fn add(&mut self, shape: Shape) -> ShapeId {
        let fields = shape.fields.iter().map(|field| words_of(field.kind));
        self.fields_sizes.push(fields.sum());
        self.shapes.push(shape);
        ShapeId(u32::try_from(self.shapes.len()).expect("fewer classes than a JVM can hold"))
    }

    pub fn add_root(&mut self, root: Root) -> u32 {
        self.roots.push(root);
        u32::try_from(self.roots.len() - 1).expect("fewer fields than a JVM can hold")
    }

    pub fn get(&self, id: ShapeId) -> Option<&Shape> {
        self.shapes.get((id.0 as usize).checked_sub(1)?)
    }

    pub(crate) fn fields_size(&self, id: ShapeId) -> usize {
        let size = (id.0 as usize)
            .checked_sub(1)
            .and_then(|place| self.fields_sizes.get(place));
        size.copied().unwrap_or(0)
    }

    pub fn roots(&self) -> u64 {
        self.roots.len() as u64
    }

    pub fn root(&self, id: u32) -> Option<&Root> {
        self.roots.get(id as usize)
    }
}

/// How many words a value of this kind takes.
pub(crate) fn words_of(kind: u8) -> usize {
    match kind {
        b'J' | b'D' => 2,
        _ => 1,
    }
}

/// How many bytes a number of this kind takes in an array.
pub(crate) fn width(kind: u8) -> usize {
    match kind {
        b'Z' | b'B' => 1,
        b'C' | b'S' => 2,
        b'J' | b'D' => 8,
        _ => 4,
    }
}

/// A class's name without its package; nested ones as in source code.
pub(crate) fn simple(class: &str) -> String {
    let dimensions = class.bytes().take_while(|byte| *byte == b'[').count();
    let element = match &class.as_bytes()[dimensions..] {
        [b'L', .., b';'] => &class[dimensions + 1..class.len() - 1],
        [b'Z'] if dimensions > 0 => "boolean",
        [b'B'] if dimensions > 0 => "byte",
        [b'C'] if dimensions > 0 => "char",
        [b'S'] if dimensions > 0 => "short",
        [b'I'] if dimensions > 0 => "int",
        [b'J'] if dimensions > 0 => "long",
        [b'F'] if dimensions > 0 => "float",
        [b'D'] if dimensions > 0 => "double",
        _ => &class[dimensions..],
    };
    // What the JVM adds to the names of lambdas says nothing: a number, an address.
    let element = match element.find("$$Lambda") {
        Some(at) => &element[..at + "$$Lambda".len()],
        None => element,
    };
    let name = element.rsplit('.').next().unwrap_or(element);
    let mut text = name.replace("$$Lambda", " lambda").replace('$', ".");
    text.push_str(&"[]".repeat(dimensions));
    text
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&simple(&self.class))
    }
}
