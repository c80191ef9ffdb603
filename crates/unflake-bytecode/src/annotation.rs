//! Annotations, as far as unflake looks at them: their type and their simple values.

use std::collections::BTreeMap;

use crate::constants::Pool;
use crate::error::Malformed;
use crate::mutf8;
use crate::reader::Reader;

/// Annotations nest, and a file can claim any depth. None that a compiler writes comes near this.
const DEEPEST: usize = 64;

/// One annotation of a class or method, visible at run time or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// The descriptor of its type: `Lorg/example/Underdetermined;`.
    pub descriptor: String,
    /// The elements that were given (defaults are not in the class file) and are simple.
    pub elements: BTreeMap<String, Value>,
}

impl Annotation {
    /// Binary name of its type, with slashes: `org/example/Underdetermined`.
    pub fn type_name(&self) -> &str {
        let name = self
            .descriptor
            .strip_prefix('L')
            .and_then(|name| name.strip_suffix(';'));
        name.unwrap_or(&self.descriptor)
    }

    /// The name without package and enclosing classes: `Underdetermined`.
    pub fn simple_name(&self) -> &str {
        self.type_name().rsplit(['/', '$']).next().unwrap_or_default()
    }
}

/// The value of an element. Classes, enum constants, annotations and arrays of anything but strings are left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Str(String),
    /// Of type byte, char, short, int or long.
    Int(i64),
    /// Of type float or double.
    Float(f64),
    Bool(bool),
    Strs(Vec<String>),
}

/// The content of a `Runtime(In)VisibleAnnotations` attribute. The JVM does not look into it either before somebody
/// asks, so one that makes no sense is no reason to refuse the class: what can be read of it is given.
pub(crate) fn annotations(mut reader: Reader<'_>, pool: &Pool<'_>) -> Vec<Annotation> {
    let count = reader.u2().unwrap_or(0);
    let mut annotations = Vec::new();
    for _ in 0..count {
        match annotation(&mut reader, pool, 0) {
            Ok(annotation) => annotations.push(annotation),
            Err(_) => break,
        }
    }
    annotations
}

/// Goes past one annotation without looking at it.
pub(crate) fn skip_annotation(reader: &mut Reader<'_>, depth: usize) -> Result<(), Malformed> {
    reader.u2()?;
    for _ in 0..reader.u2()? {
        reader.u2()?;
        skip_value(reader, depth)?;
    }
    Ok(())
}

fn skip_value(reader: &mut Reader<'_>, depth: usize) -> Result<(), Malformed> {
    if depth > DEEPEST {
        return Err(reader.malformed("annotations too deep"));
    }
    match reader.u1()? {
        b'e' => reader.skip(4),
        b'@' => skip_annotation(reader, depth + 1),
        b'[' => (0..reader.u2()?).try_for_each(|_| skip_value(reader, depth + 1)),
        _ => reader.skip(2),
    }
}

fn annotation(reader: &mut Reader<'_>, pool: &Pool<'_>, depth: usize) -> Result<Annotation, Malformed> {
    let descriptor = text(pool, reader.u2()?)?;
    let mut elements = BTreeMap::new();
    for _ in 0..reader.u2()? {
        let name = text(pool, reader.u2()?)?;
        if let Some(value) = value(reader, pool, depth)? {
            elements.insert(name, value);
        }
    }
    Ok(Annotation { descriptor, elements })
}

fn value(reader: &mut Reader<'_>, pool: &Pool<'_>, depth: usize) -> Result<Option<Value>, Malformed> {
    let mut ahead = reader.clone();
    skip_value(reader, depth)?;
    let tag = ahead.u1()?;
    let index = ahead.u2()?;
    Ok(Some(match tag {
        b's' => Value::Str(text(pool, index)?),
        b'B' | b'C' | b'I' | b'S' => Value::Int(pool.integer(index)?.into()),
        b'J' => Value::Int(pool.long(index)?),
        b'F' => Value::Float(pool.float(index)?.into()),
        b'D' => Value::Float(pool.double(index)?),
        b'Z' => Value::Bool(pool.integer(index)? != 0),
        b'[' => return strings(ahead, index, pool),
        _ => return Ok(None),
    }))
}

/// An array whose elements are all strings. An empty one may have had another type; the class file does not say.
fn strings(mut reader: Reader<'_>, count: u16, pool: &Pool<'_>) -> Result<Option<Value>, Malformed> {
    let mut strings = Vec::new();
    for _ in 0..count {
        if reader.u1()? != b's' {
            return Ok(None);
        }
        strings.push(text(pool, reader.u2()?)?);
    }
    Ok(Some(Value::Strs(strings)))
}

fn text(pool: &Pool<'_>, index: u16) -> Result<String, Malformed> {
    Ok(mutf8::decode(pool.utf8(index)?).into_owned())
}
