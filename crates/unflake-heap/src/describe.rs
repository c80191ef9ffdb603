//! Values and objects as short texts, with what they are.

use crate::index::{Index, Node, Value, WHOLE_NUMBERS};
use crate::shape::{Shape, View, simple, width};
use unflake_protocol::{Shown, What};

/// Elements that are named before the rest is counted.
const SHOWN: usize = 3;

/// A value of this kind.
pub(crate) fn value(index: &Index<'_>, kind: u8, [low, high]: Value) -> Shown {
    let long = || u64::from(low) | u64::from(high) << 32;
    match kind {
        b'L' => object(index, low),
        b'Z' => boolean(low != 0),
        b'C' => character(low),
        b'B' => Shown::integer((low as i8).into()),
        b'S' => Shown::integer((low as i16).into()),
        b'F' => decimal(f32::from_bits(low)),
        b'J' => Shown::integer(long().cast_signed()),
        b'D' => decimal(f64::from_bits(long())),
        _ => Shown::integer(low.cast_signed().into()),
    }
}

/// The object with this number.
pub(crate) fn object(index: &Index<'_>, number: u32) -> Shown {
    describe(index, number, 1)
}

fn describe(index: &Index<'_>, number: u32, depth: usize) -> Shown {
    if number == 0 {
        return Shown::null();
    }
    let Some(node) = index.node(number) else {
        return Shown::new(What::Unknown, "?");
    };
    let name = simple(&node.shape.class);
    if let Some(shown) = as_value(index, &node, &name) {
        return shown;
    }
    let inner = |number: u32| {
        if depth == 0 {
            plain(index, number)
        } else {
            describe(index, number, depth - 1)
        }
    };
    match node.shape.view {
        View::Text if node.shape.class == "java.lang.Class" => Shown::new(
            What::Class,
            format!("{}.class", class_name(&node.text(), node.is_cut())),
        ),
        View::Text => {
            let end = if node.is_cut() { "…" } else { "" };
            Shown::new(What::Text, format!("{:?}{end}", node.text()))
        }
        View::Sequence | View::Bag => {
            let shown: Vec<String> = node
                .contents()
                .take(SHOWN)
                .map(|number| inner(number).text)
                .collect();
            collection(&node, listed(&name, "[", &shown, node.count, "]"))
        }
        View::OrderedMap | View::UnorderedMap => {
            let entry = |(key, value)| format!("{}={}", plain(index, key), inner(value));
            let shown: Vec<String> = node.entries().take(SHOWN).map(entry).collect();
            collection(&node, listed(&name, "{", &shown, node.count, "}"))
        }
        View::Numbers(kind) => collection(&node, numbers(&node, kind)),
        View::Opaque | View::Fields => match transparent(&node) {
            Some(inside) => describe(index, inside, depth),
            None => Shown::object(&node.shape.class, name),
        },
    }
}

fn collection(node: &Node<'_>, text: String) -> Shown {
    let what = What::Collection {
        class: node.shape.class.clone(),
        len: node.count as u64,
    };
    Shown::new(what, text)
}

/// The simple name. Of a long one only the end is known, perhaps not all of what stands behind the package.
fn class_name(name: &str, is_cut: bool) -> String {
    if !is_cut || name.contains('.') {
        return simple(name);
    }
    match name.split_once('$') {
        Some((_, inner)) => simple(inner),
        None => format!("…{name}"),
    }
}

/// Keys, and elements below what is shown: no contents of collections.
pub(crate) fn plain(index: &Index<'_>, number: u32) -> Shown {
    let Some(node) = index.node(number) else {
        return Shown::null();
    };
    let name = simple(&node.shape.class);
    if let Some(shown) = as_value(index, &node, &name) {
        return shown;
    }
    match node.shape.view {
        View::Text => describe(index, number, 0),
        _ => Shown::object(&node.shape.class, name),
    }
}

/// Boxed numbers, enum constants and the like.
fn as_value(index: &Index<'_>, node: &Node<'_>, name: &str) -> Option<Shown> {
    let mut fields = node.fields();
    if node.shape.is_enum {
        let (_, _, constant) = fields.next()?;
        let constant = index.node(constant[0])?.text();
        // A constant with a body has a class of its own, without a name.
        let of = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        return Some(Shown::new(What::Constant, format!("{of}.{constant}")));
    }
    if !node.shape.is_value || node.shape.view != View::Fields {
        return None;
    }
    let shown = |(_, kind, words): (usize, u8, Value)| {
        let object = if kind == b'L' { index.node(words[0]) } else { None };
        let path = object.as_ref().and_then(bytes_as_text);
        path.unwrap_or_else(|| value(index, kind, words))
    };
    let all: Vec<Shown> = fields.map(shown).collect();
    match (&all[..], node.shape.fields.first()) {
        ([one], Some(field)) if field.name == "value" => Some(one.clone()),
        ([], _) => None,
        _ => {
            let all: Vec<String> = all.into_iter().map(|one| one.text).collect();
            let text = format!("{name}({})", all.join(", "));
            Some(Shown::object(&node.shape.class, text))
        }
    }
}

/// A path of the file system keeps its text as bytes.
fn bytes_as_text(node: &Node<'_>) -> Option<Shown> {
    if node.shape.view != View::Numbers(b'B') || node.count > WHOLE_NUMBERS {
        return None;
    }
    let mut bytes: Vec<u8> = node.contents().flat_map(u32::to_le_bytes).collect();
    bytes.truncate(node.count);
    let text = String::from_utf8(bytes).ok()?;
    Some(Shown::new(What::Text, format!("{text:?}")))
}

/// What a wrapper wraps.
pub(crate) fn transparent(node: &Node<'_>) -> Option<u32> {
    let (_, kind, words) = node.fields().next()?;
    (node.shape.is_transparent && kind == b'L').then(|| words[0])
}

fn listed(name: &str, open: &str, shown: &[String], count: usize, close: &str) -> String {
    let rest = match count - shown.len() {
        0 => String::new(),
        more if shown.is_empty() => format!("{more} elements"),
        more => format!(", {more} more"),
    };
    format!("{name}{open}{}{rest}{close}", shown.join(", "))
}

fn numbers(node: &Node<'_>, kind: u8) -> String {
    let name = simple(&node.shape.class);
    let name = name.trim_end_matches("[]");
    if node.count * width(kind) > WHOLE_NUMBERS {
        return format!("{name}[{} elements]", node.count);
    }
    let words: Vec<u32> = node.contents().take(SHOWN * 2).collect();
    let shown: Vec<String> = (0..node.count.min(SHOWN))
        .map(|i| element(&words, kind, i).text)
        .collect();
    listed(name, "[", &shown, node.count, "]")
}

/// One number of an array that was kept whole, from the words of its contents.
pub(crate) fn element(words: &[u32], kind: u8, place: usize) -> Shown {
    let at = place * width(kind);
    let word = words.get(at / 4).copied().unwrap_or(0);
    match width(kind) {
        1 => {
            let byte = (word >> (8 * (at % 4))) as u8;
            if kind == b'Z' {
                boolean(byte != 0)
            } else {
                Shown::integer((byte as i8).into())
            }
        }
        2 => {
            let half = word >> (8 * (at % 4)) & 0xffff;
            if kind == b'C' {
                character(half)
            } else {
                Shown::integer((half as i16).into())
            }
        }
        8 => {
            let bits = u64::from(word) | u64::from(words.get(at / 4 + 1).copied().unwrap_or(0)) << 32;
            if kind == b'D' {
                decimal(f64::from_bits(bits))
            } else {
                Shown::integer(bits.cast_signed())
            }
        }
        _ if kind == b'F' => decimal(f32::from_bits(word)),
        _ => Shown::integer(word.cast_signed().into()),
    }
}

fn boolean(value: bool) -> Shown {
    Shown::new(What::Boolean, value.to_string())
}

fn decimal(value: impl ToString) -> Shown {
    Shown::new(What::Decimal, value.to_string())
}

fn character(unit: u32) -> Shown {
    let c = char::from_u32(unit).unwrap_or('\u{fffd}');
    Shown::new(What::Character, format!("{c:?}"))
}

/// A step through a field, as it stands in a path; nothing for wrappers.
pub(crate) fn field_step(shape: &Shape, index: usize) -> String {
    match shape.fields.get(index) {
        Some(field) if !shape.is_transparent => format!(".{}", field.name),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_known_by_the_end_of_its_name() {
        assert_eq!(class_name("com.example.Outer$Inner", false), "Outer.Inner");
        assert_eq!(class_name("mple.stmt.Outer$Inner", true), "Outer.Inner");
        assert_eq!(class_name("uteryTest$WithColumns", true), "WithColumns");
        assert_eq!(class_name("ryLongNameOfOneClass", true), "…ryLongNameOfOneClass");
    }
}
