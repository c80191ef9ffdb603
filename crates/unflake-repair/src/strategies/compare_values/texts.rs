//! `assertEquals("{a=1, b=2}", map.toString())`: the map that the text shows is compared.

use super::lists::SortedSide;
use crate::assertion::{Comparison, Style};
use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::elements::{fresh_name, in_natural_order};
use crate::imports::Import;
use crate::java::{JavaFile, ancestors, arguments, descendants, named_children};
use crate::literal::text_of;
use crate::rewrite::{CanRepeat, Rewrite, put, receiver, renamed};
use crate::types::{JavaType, Shape, type_of};
use crate::value_text::{Code, Value};
use tree_sitter::Node;

pub(super) fn candidates(clues: &Clues<'_>, file: &JavaFile, comparison: Comparison<'_>) -> Vec<Candidate> {
    let Some(shown) = shown_value(file, &comparison) else {
        return Vec::new();
    };
    let of = type_of(clues.sources, file, shown);
    if let Some(other) = value_of_text(file, comparison.expected) {
        return both_shown(clues, file, comparison, other, shown)
            .into_iter()
            .collect();
    }
    let Some(expected) = Expected::of(file, comparison.expected) else {
        return Vec::new();
    };
    let likely = likely_types(of, &expected.text);
    let found = likely.into_iter().filter_map(|of| {
        let value = Value::read(&expected.text, Some(&of))?;
        let cx = ShownText {
            clues,
            file,
            comparison,
            shown,
            of,
        };
        match value {
            Value::Map(_) | Value::Set(_) => cx.as_map_or_set(&expected, &value),
            Value::List(_) => cx.as_list(&expected, &value),
            Value::One(_) => None,
        }
    });
    found.collect()
}

/// The types that a value with this text may have, where its type is not known.
fn likely_types(of: Option<JavaType>, text: &str) -> Vec<JavaType> {
    match of {
        Some(of) if of.name == "Object" => likely_types(None, text),
        Some(of) => vec![of],
        None if text.starts_with('{') => vec![JavaType::named("Map")],
        None if text.starts_with('[') => ["Set", "Collection"].map(JavaType::named).to_vec(),
        None => Vec::new(),
    }
}

/// What the actual text is the text of.
fn shown_value<'f>(file: &'f JavaFile, comparison: &Comparison<'f>) -> Option<Node<'f>> {
    match comparison.name(file) {
        "hasToString" => Some(comparison.actual),
        "assertEquals" | "isEqualTo" | "assertThat" => value_of_text(file, comparison.actual),
        _ => None,
    }
}

/// `x` in `x.toString()`, `String.valueOf(x)` and `"" + x`.
fn value_of_text<'f>(file: &'f JavaFile, node: Node<'f>) -> Option<Node<'f>> {
    match node.kind() {
        "parenthesized_expression" => value_of_text(file, *named_children(node).first()?),
        "binary_expression" if file.field(node, "operator") == "+" => {
            let sides = [
                node.child_by_field_name("left")?,
                node.child_by_field_name("right")?,
            ];
            let is_empty = |side: Node<'f>| text_of(file, side).is_some_and(|text| text.is_empty());
            match sides.map(is_empty) {
                [true, false] => Some(sides[1]),
                [false, true] => Some(sides[0]),
                _ => None,
            }
        }
        "method_invocation" => {
            let object = node.child_by_field_name("object")?;
            match (file.of(object), file.field(node, "name"), &arguments(node)[..]) {
                ("String", "valueOf", [value]) | ("Objects" | "Arrays", "toString", [value]) => Some(*value),
                (_, "toString", []) if file.of(object) != "super" => Some(object),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `assertEquals(one.toString(), other.toString())`
fn both_shown(
    clues: &Clues<'_>,
    file: &JavaFile,
    comparison: Comparison<'_>,
    expected: Node<'_>,
    actual: Node<'_>,
) -> Option<Candidate> {
    let types = [expected, actual].map(|node| type_of(clues.sources, file, node));
    let shape = types.iter().flatten().map(JavaType::shape).next()?;
    if !matches!(shape, Shape::Map | Shape::Set) {
        return None;
    }
    let rewrite = Rewrite {
        why: why(shape).to_owned(),
        expected: file.of(expected).to_owned(),
        actual: file.of(actual).to_owned(),
        can_repeat: CanRepeat::Neither,
        edits: Box::new(|expected, actual| {
            let edits = put(file, Edits::new(), comparison.expected, expected);
            put(file, edits, comparison.actual, actual)
        }),
    };
    Some(rewrite.candidate(file, comparison.statement(file)))
}

fn why(shape: Shape) -> &'static str {
    match shape {
        Shape::Map => "compare the map instead of its text, whose order is not specified",
        Shape::Set => "compare the set instead of its text, whose order is not specified",
        _ => "compare the elements instead of their text, whose order is not specified",
    }
}

/// The expected text and where it is written.
struct Expected<'f> {
    text: String,
    /// The local variable that holds it and is used for nothing else.
    variable: Option<Node<'f>>,
}

impl<'f> Expected<'f> {
    fn of(file: &'f JavaFile, node: Node<'f>) -> Option<Expected<'f>> {
        if node.kind() != "identifier" {
            return text_of(file, node).map(|text| Expected { text, variable: None });
        }
        let declarator = file.declaration(file.of(node), node)?;
        let text = text_of(file, declarator.child_by_field_name("value")?)?;
        let holder = declarator.parent()?;
        let is_alone = holder.kind() == "local_variable_declaration"
            && named_children(holder)
                .iter()
                .filter(|child| child.kind() == "variable_declarator")
                .count()
                == 1;
        let method = ancestors(node).find(|above| above.kind() == "method_declaration")?;
        let n_uses = descendants(method)
            .filter(|other| other.kind() == "identifier" && file.of(*other) == file.of(node))
            .count();
        (is_alone && n_uses == 2).then_some(Expected {
            text,
            variable: Some(declarator),
        })
    }
}

/// A comparison with the text of a value.
struct ShownText<'a, 'f> {
    clues: &'a Clues<'a>,
    file: &'f JavaFile,
    comparison: Comparison<'f>,
    shown: Node<'f>,
    of: JavaType,
}

impl<'f> ShownText<'_, 'f> {
    fn as_map_or_set(&self, expected: &Expected<'f>, value: &Value) -> Option<Candidate> {
        let file = self.file;
        let prepared = match (value.code(self.clues.libraries.java, file), expected.variable) {
            (Some(code), None) => Prepared {
                imports: code.imports,
                edits: Edits::new(),
                expected: code.text,
            },
            (Some(code), Some(variable)) => self.with_variable(variable, &code)?,
            (None, None) => self.with_statements(value)?,
            (None, Some(_)) => return None,
        };
        let shape = match value {
            Value::Map(_) => Shape::Map,
            _ => Shape::Set,
        };
        let comparison = self.comparison;
        let rewrite = Rewrite {
            why: why(shape).to_owned(),
            expected: prepared.expected,
            actual: file.of(self.shown).to_owned(),
            can_repeat: CanRepeat::Neither,
            edits: Box::new(move |expected, actual| {
                let edits = put(file, prepared.edits.clone(), comparison.expected, expected);
                let edits = put(file, edits, comparison.actual, actual);
                let edits = match comparison.name(file) {
                    "hasToString" => renamed(file, edits, comparison.call, "isEqualTo"),
                    _ => edits,
                };
                file.with_imports(edits, prepared.imports.clone())
            }),
        };
        Some(rewrite.candidate(file, comparison.statement(file)))
    }

    /// The variable that held the text holds the value.
    fn with_variable(&self, variable: Node<'f>, code: &Code) -> Option<Prepared> {
        let file = self.file;
        let holder = variable.parent()?;
        let interface = match self.of.shape() {
            Shape::Map => "java.util.Map",
            _ => "java.util.Set",
        };
        if self.of.arguments.is_empty() {
            return None;
        }
        let (name, import) = file.using(interface);
        let arguments: Vec<String> = self.of.arguments.iter().map(JavaType::to_string).collect();
        let written = format!("{name}<{}>", arguments.join(", "));
        let edits = put(file, Edits::new(), holder.child_by_field_name("type")?, &written);
        let edits = put(file, edits, variable.child_by_field_name("value")?, &code.text);
        Some(Prepared {
            imports: code.imports.iter().cloned().chain(import).collect(),
            edits,
            expected: file.of(self.comparison.expected).to_owned(),
        })
    }

    /// A map that no expression of this level of Java makes is filled before the assertion.
    fn with_statements(&self, value: &Value) -> Option<Prepared> {
        let file = self.file;
        let Value::Map(pairs) = value else {
            return None;
        };
        let statement = file.statement_of(self.comparison.call)?;
        let block = statement.parent().filter(|parent| parent.kind() == "block")?;
        let method = ancestors(block).find(|above| above.kind().ends_with("_declaration"))?;
        let variable = fresh_name(file, method, &["expected", "expectedMap", "expectedEntries"])?;
        let [key, of] = &self.of.arguments[..] else {
            return None;
        };
        let mut imports = Vec::new();
        let mut name = |full: &str| {
            let (text, import) = file.using(full);
            imports.extend(import);
            text
        };
        let (map, hash_map) = (name("java.util.Map"), name("java.util.HashMap"));
        let gap = format!("{}{}", file.line_end(), file.indentation(statement));
        let mut lines = format!("{map}<{key}, {of}> {variable} = new {hash_map}<>();{gap}");
        for (key, of) in pairs {
            let both = [key, of].map(|one| one.code(self.clues.libraries.java, file));
            let [Some(key), Some(of)] = both else {
                return None;
            };
            imports.extend(key.imports.into_iter().chain(of.imports));
            lines.push_str(&format!("{variable}.put({}, {});{gap}", key.text, of.text));
        }
        Some(Prepared {
            imports,
            edits: Edits::new().insert(statement.start_byte(), lines),
            expected: variable,
        })
    }

    /// A list, or a collection without an `equals` of its own.
    fn as_list(&self, expected: &Expected<'f>, value: &Value) -> Option<Candidate> {
        let Value::List(elements) = value else {
            return None;
        };
        let file = self.file;
        let is_ordered = matches!(self.of.shape(), Shape::List | Shape::Array);
        let statement = &file.text()[self.comparison.statement(file)];
        let is_blamed = !is_ordered || self.clues.choice_made_the_order(statement);
        if !is_blamed || expected.variable.is_some() || elements.len() < 2 {
            return None;
        }
        let java = self.clues.libraries.java;
        let codes: Option<Vec<String>> = elements
            .iter()
            .map(|element| Some(element.code(java, file)?.text))
            .collect();
        let codes = codes?;
        let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
        let elements = in_natural_order(&codes)?;
        let is_array = self.of.dimensions > 0;
        let actual = receiver(file, self.shown);
        let comparison = self.comparison;
        let value = Value::List(elements.into_iter().map(Value::One).collect());
        let code = value.code(java, file)?;
        if comparison.style == Style::Fluent {
            return self.as_fluent_list(code);
        }
        let sorted = SortedSide { java, file };
        let rewrite = Rewrite {
            why: why(Shape::List).to_owned(),
            expected: code.text,
            actual,
            can_repeat: CanRepeat::Both,
            edits: Box::new(move |expected, actual| {
                let (actual, imports): (String, Vec<Import>) = if is_array {
                    sorted.list_of_array(actual)
                } else {
                    sorted.list(actual)
                };
                let edits = put(file, Edits::new(), comparison.expected, expected);
                let edits = put(file, edits, comparison.actual, &actual);
                file.with_imports(edits, code.imports.iter().cloned().chain(imports))
            }),
        };
        Some(rewrite.candidate(file, comparison.statement(file)))
    }

    /// AssertJ and Truth compare in any order themselves.
    fn as_fluent_list(&self, code: Code) -> Option<Candidate> {
        let (file, comparison) = (self.file, self.comparison);
        let libraries = self.clues.libraries;
        let is_truth = file
            .static_holders("assertThat")
            .iter()
            .any(|holder| holder.contains("truth"));
        let is_new = !libraries.has("assertj-core") || libraries.has_at_least("assertj-core", (3, 9));
        let word = match (is_truth, is_new) {
            (true, _) => "containsExactlyElementsIn",
            (false, true) => "containsExactlyInAnyOrderElementsOf",
            (false, false) => return None,
        };
        let rewrite = Rewrite {
            why: why(Shape::List).to_owned(),
            expected: code.text,
            actual: file.of(self.shown).to_owned(),
            can_repeat: CanRepeat::Both,
            edits: Box::new(move |expected, actual| {
                let edits = put(file, Edits::new(), comparison.expected, expected);
                let edits = put(file, edits, comparison.actual, actual);
                let edits = renamed(file, edits, comparison.call, word);
                file.with_imports(edits, code.imports.clone())
            }),
        };
        Some(rewrite.candidate(file, comparison.statement(file)))
    }
}

/// The expected value, and the edits that it needs besides its own place.
struct Prepared {
    imports: Vec<Import>,
    edits: Edits,
    expected: String,
}
