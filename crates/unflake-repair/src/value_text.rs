//! Maps, sets and lists as `toString` writes them, read back with the help of their declared types, and as Java code.
//!
//! A text that can be split in two ways is refused. A text that is split wrongly, because an element has a comma in it,
//! gives another value, which the first run of the repaired test shows.

use crate::imports::Import;
use crate::java::JavaFile;
use crate::literal::quoted;
use crate::types::{JavaType, Shape};

/// A value that a text shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// An expression that gives it.
    One(String),
    List(Vec<Value>),
    Set(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

/// An expression and the imports that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Code {
    pub(crate) text: String,
    pub(crate) imports: Vec<Import>,
}

impl Value {
    /// `of`: `None` where the type is not known.
    pub(crate) fn read(text: &str, of: Option<&JavaType>) -> Option<Value> {
        let shape = match of {
            Some(of) if of.name != "Object" => of.shape(),
            _ if text.starts_with('{') && text.ends_with('}') => Shape::Map,
            _ if text.starts_with('[') && text.ends_with(']') => Shape::List,
            _ => return guessed(text),
        };
        let argument = |at: usize| of.and_then(|of| of.arguments.get(at));
        match shape {
            Shape::Map => {
                let parts = parts(text.strip_prefix('{')?.strip_suffix('}')?)?;
                let pairs = parts.into_iter().map(|part| {
                    let (key, value) = pair(part)?;
                    Some((Value::read(key, argument(0))?, Value::read(value, argument(1))?))
                });
                pairs.collect::<Option<_>>().map(Value::Map)
            }
            Shape::Other => one(text, &of?.name),
            Shape::PrimitiveArray => None,
            Shape::Set | Shape::List | Shape::Collection | Shape::Array => {
                let parts = parts(text.strip_prefix('[')?.strip_suffix(']')?)?;
                let element = of.and_then(JavaType::element);
                let elements = parts.into_iter().map(|part| Value::read(part, element.as_ref()));
                let elements = elements.collect::<Option<Vec<_>>>()?;
                Some(if shape == Shape::Set {
                    Value::Set(elements)
                } else {
                    Value::List(elements)
                })
            }
        }
    }

    /// An expression that gives it. `None`: it needs statements.
    pub(crate) fn code(&self, java: u32, file: &JavaFile) -> Option<Code> {
        let mut imports = Vec::new();
        let text = self.write(java, file, &mut imports)?;
        Some(Code { text, imports })
    }

    fn write(&self, java: u32, file: &JavaFile, imports: &mut Vec<Import>) -> Option<String> {
        let mut name = |full: &str| {
            let (text, import) = file.using(full);
            imports.extend(import);
            text
        };
        match self {
            Value::One(code) => Some(code.clone()),
            Value::List(all) => {
                let of = if java >= 9 && file.imported("Arrays").is_none() {
                    format!("{}.of", name("java.util.List"))
                } else {
                    format!("{}.asList", name("java.util.Arrays"))
                };
                Some(format!("{of}({})", written(all, java, file, imports)?))
            }
            Value::Set(all) => {
                if has_doubles(all) {
                    return None;
                }
                let of = match all.len() {
                    0 => format!("{}.emptySet(", name("java.util.Collections")),
                    _ if java >= 9 => format!("{}.of(", name("java.util.Set")),
                    1 => format!("{}.singleton(", name("java.util.Collections")),
                    _ => format!(
                        "new {}<>({}.asList(",
                        name("java.util.HashSet"),
                        name("java.util.Arrays")
                    ),
                };
                let end = ")".repeat(of.matches('(').count());
                Some(format!("{of}{}{end}", written(all, java, file, imports)?))
            }
            Value::Map(all) => {
                let keys: Vec<&Value> = all.iter().map(|(key, _)| key).collect();
                if has_doubles(&keys) {
                    return None;
                }
                let has_guava = file.imported("ImmutableMap").is_some();
                let of = match all.len() {
                    0 => format!("{}.emptyMap(", name("java.util.Collections")),
                    ..=10 if java >= 9 => format!("{}.of(", name("java.util.Map")),
                    1 => format!("{}.singletonMap(", name("java.util.Collections")),
                    ..=5 if has_guava => "ImmutableMap.of(".to_owned(),
                    _ => return None,
                };
                let flat: Vec<Value> = all
                    .iter()
                    .flat_map(|(key, value)| [key.clone(), value.clone()])
                    .collect();
                Some(format!("{of}{})", written(&flat, java, file, imports)?))
            }
        }
    }
}

fn has_doubles<V: PartialEq>(all: &[V]) -> bool {
    (1..all.len()).any(|at| all[..at].contains(&all[at]))
}

fn written(all: &[Value], java: u32, file: &JavaFile, imports: &mut Vec<Import>) -> Option<String> {
    let texts: Option<Vec<String>> = all.iter().map(|value| value.write(java, file, imports)).collect();
    Some(texts?.join(", "))
}

/// Splits at the commas outside of brackets.
fn parts(inside: &str) -> Option<Vec<&str>> {
    if inside.is_empty() {
        return Some(Vec::new());
    }
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                // `toString` writes a comma and a space; another comma belongs to an element, but to which text?
                if !inside[at..].starts_with(", ") {
                    return None;
                }
                parts.push(&inside[start..at]);
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.push(&inside[start..]);
    (depth == 0).then_some(parts)
}

/// An entry, if it is clear where its key ends.
fn pair(part: &str) -> Option<(&str, &str)> {
    let outside = part.find(['[', '{']).unwrap_or(part.len());
    let (key, _) = part[..outside].split_once('=')?;
    let is_clear = part[..outside].matches('=').count() == 1;
    is_clear.then(|| (key, &part[key.len() + 1..]))
}

/// A value of a type that has no elements.
fn one(text: &str, name: &str) -> Option<Value> {
    // The word may stand for a text or for no value.
    if text == "null" {
        return None;
    }
    let whole = || text.parse::<i64>().ok().map(|_| text);
    let number = || text.parse::<f64>().ok().filter(|value| value.is_finite());
    let code = match name {
        "String" | "CharSequence" => quoted(text),
        "Integer" | "int" => whole()?.to_owned(),
        "Long" | "long" => format!("{}L", whole()?),
        "Short" | "short" => format!("(short) {}", whole()?),
        "Byte" | "byte" => format!("(byte) {}", whole()?),
        "Double" | "double" => number().map(|_| text.to_owned())?,
        "Float" | "float" => number().map(|_| format!("{text}f"))?,
        "Boolean" | "boolean" => matches!(text, "true" | "false").then(|| text.to_owned())?,
        "Character" | "char" => character(text)?,
        // A constant of an enum is shown by its name unless it says otherwise.
        _ if is_constant(text) => format!("{name}.{text}"),
        _ => return None,
    };
    Some(Value::One(code))
}

fn character(text: &str) -> Option<String> {
    let mut chars = text.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else {
        return None;
    };
    match c {
        '\'' => Some(r"'\''".to_owned()),
        '"' => Some("'\"'".to_owned()),
        _ => {
            let quoted = quoted(text);
            Some(format!("'{}'", quoted.strip_prefix('"')?.strip_suffix('"')?))
        }
    }
}

fn is_constant(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(is_part)
}

/// A value of a type that is not known: the likeliest.
fn guessed(text: &str) -> Option<Value> {
    let likely = if text.parse::<i32>().is_ok() {
        "Integer"
    } else if matches!(text, "true" | "false") {
        "Boolean"
    } else if text.contains('.') && text.parse::<f64>().is_ok() {
        "Double"
    } else {
        "String"
    };
    one(text, likely)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, of: &str, java: u32, expected: Option<&str>) {
        let file = JavaFile::parse("A.java", "import java.util.Map;\nclass A {}").unwrap();
        let of = JavaType::read(of).filter(|of| of.name != "var");
        let value = Value::read(text, of.as_ref());
        let code = value.and_then(|value| value.code(java, &file));
        assert_eq!(code.map(|code| code.text).as_deref(), expected, "{text}");
    }

    #[test]
    fn texts_of_values_become_literals_of_their_types() {
        check(
            "{a=1, b=2}",
            "Map<String, Integer>",
            9,
            Some("Map.of(\"a\", 1, \"b\", 2)"),
        );
        check(
            "{a=1}",
            "Map<String, Long>",
            8,
            Some("Collections.singletonMap(\"a\", 1L)"),
        );
        check(
            "{1=[x, y]}",
            "Map<Integer, List<String>>",
            9,
            Some("Map.of(1, List.of(\"x\", \"y\"))"),
        );
        check("[x, y]", "HashSet<Character>", 17, Some("Set.of('x', 'y')"));
        check(
            "[x, y]",
            "Set<String>",
            8,
            Some("new HashSet<>(Arrays.asList(\"x\", \"y\"))"),
        );
        check(
            "[true, false]",
            "List<Boolean>",
            8,
            Some("Arrays.asList(true, false)"),
        );
        check(
            "[RED, BLUE]",
            "Set<Color>",
            9,
            Some("Set.of(Color.RED, Color.BLUE)"),
        );
        check("[]", "Set<Color>", 9, Some("Collections.emptySet()"));
        check("[1.5, 2.0]", "Collection<Float>", 9, Some("List.of(1.5f, 2.0f)"));
        check(
            "{a=1, b=x}",
            "Map<String, Object>",
            9,
            Some("Map.of(\"a\", 1, \"b\", \"x\")"),
        );
        check("{a=true}", "var", 9, Some("Map.of(\"a\", true)"));
    }

    #[test]
    fn texts_that_are_not_clear_are_refused() {
        check("{a=1, b=2}", "Map<String, Integer>", 8, None);
        check("{a=b=1}", "Map<String, String>", 9, None);
        check("{a, b=1}", "Map<String, String>", 9, None);
        check("{a=x}", "Map<String, Integer>", 9, None);
        check("[a,b]", "Set<String>", 9, None);
        check("[a], [b]", "Set<String>", 9, None);
        check("[a]b]", "Set<String>", 9, None);
        check("[a, a]", "Set<String>", 9, None);
        check("[null]", "Set<String>", 9, None);
        check("[Person(x)]", "Set<Person>", 9, None);
        check("[ab]", "Set<Character>", 9, None);
    }
}
