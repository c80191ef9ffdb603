//! R6, ReAssert: a repair made an order the same in every run, and a test's expected literal still has the
//! old one.
//!
//! The literal is renewed from what the assertion got, only if that says the same in another order. It may
//! stand in the comparison, in a variable or a constant that nothing else needs, or at the call of the test's
//! own checking method. Its lines, its pieces and how they are written stay as well as they can.

mod elements;
mod observed;
mod reordered;
#[cfg(test)]
mod tests;
mod text;

pub use self::observed::observed;
pub(crate) use self::reordered::{Reordered, reordered};

use self::elements::{elements, elements_renewed, in_order};
use self::text::text_renewed;
use crate::assertion::Comparison;
use crate::clues::{Failing, Sources};
use crate::edit::Edits;
use crate::java::{CALLABLES, JavaFile, ancestors, arguments, descendants, lines, named_children};
use crate::literal::text_of;
use std::rc::Rc;
use tree_sitter::Node;
use unflake_findings::SourcePlace;

/// The file with the literal, and the edits that renew it. An error is the reason why it is not renewed:
/// lower case, no full stop.
pub fn renewed(failing: &Failing, sources: &dyn Sources) -> Result<(String, Edits), String> {
    let told = Told::by(failing).ok_or("the failure does not tell the whole values that were compared")?;
    let first = failing
        .frames
        .iter()
        .position(|frame| sources.is_test(&frame.file))
        .ok_or("no line of test code is on the stack")?;
    let renewing = Renewing {
        failing,
        sources,
        told: &told,
    };
    renewing.at(first)
}

/// The values that were compared, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) expected: Option<String>,
    pub(crate) actual: String,
}

impl Told {
    pub(crate) fn by(failing: &Failing) -> Option<Told> {
        if let Some(actual) = &failing.actual {
            return Some(Told {
                expected: failing.expected.clone(),
                actual: actual.clone(),
            });
        }
        in_message(&failing.message)
    }

    /// Both with a replacement undone. `None`: it cannot be undone.
    fn before_replacing(&self, old: &str, new: &str) -> Option<Told> {
        let undone = |text: &String| {
            let before = text.replace(new, old);
            (before.replace(old, new) == *text).then_some(before)
        };
        let expected = match &self.expected {
            Some(expected) => Some(undone(expected)?),
            None => None,
        };
        Some(Told {
            expected,
            actual: undone(&self.actual)?,
        })
    }
}

/// Of Hamcrest, AssertJ and TestNG, whose exceptions have no values of their own.
fn in_message(message: &str) -> Option<Told> {
    let message = message.trim_end();
    let between = |opening: &str, middle: &str, closing: &str| {
        let (_, rest) = message.split_once(opening)?;
        let (expected, actual) = rest.split_once(middle)?;
        let actual = actual.strip_suffix(closing)?;
        Some(Told {
            expected: Some(expected.trim_end().to_owned()),
            actual: actual.to_owned(),
        })
    };
    let quoted = between("Expected: is \"", "\"\n     but: was \"", "\"")
        .or_else(|| between("Expected: \"", "\"\n     but: was \"", "\""));
    // Hamcrest writes a text as Java would.
    if let Some(told) = quoted {
        let plain = |text: &str| {
            let text = text.replace("\\\"", "\"").replace("\\n", "\n");
            text.replace("\\t", "\t").replace("\\r", "\r")
        };
        return Some(Told {
            expected: told.expected.as_deref().map(plain),
            actual: plain(&told.actual),
        });
    }
    between("expected: \"", "\"\n but was: \"", "\"")
        .or_else(|| between("expected [", "] but found [", "]"))
        .or_else(|| between("Expected: is <", ">\n     but: was <", ">"))
}

struct Renewing<'a> {
    failing: &'a Failing,
    sources: &'a dyn Sources,
    told: &'a Told,
}

type Renewed = Result<(String, Edits), String>;

impl Renewing<'_> {
    fn frame(&self, frame: usize) -> Result<(Rc<JavaFile>, &SourcePlace), String> {
        let place = self
            .failing
            .frames
            .get(frame)
            .ok_or("the expected value comes from outside of the project")?;
        let file = self
            .sources
            .file(&place.file)
            .ok_or_else(|| format!("`{}` cannot be read", place.file))?;
        Ok((file, place))
    }

    /// The comparison on the line of a frame.
    fn at(&self, frame: usize) -> Renewed {
        let (file, place) = self.frame(frame)?;
        let mut reason = None;
        let compared = Comparison::on_line(&file, place.line)
            .into_iter()
            .map(|comparison| comparison.expected);
        let by_text = self.told_on(&file, place.line);
        for expected in compared.chain(in_order(&file, place.line)).chain(by_text) {
            match self.value(&file, frame, expected, self.told) {
                Ok(renewed) => return Ok(renewed),
                // The first is the most likely one.
                Err(why) => reason = reason.or(Some(why)),
            }
        }
        let reason =
            reason.unwrap_or("no comparison with an expected value is on the line that failed".to_owned());
        Err(reason)
    }

    /// Texts on the line that are the expected one, whichever assertion it is.
    fn told_on<'f>(&self, file: &'f JavaFile, line: u32) -> Vec<Node<'f>> {
        let is_it = |node: &Node<'f>| {
            lines(*node).contains(&line)
                && text_of(file, *node).is_some_and(|text| Some(text) == self.told.expected)
        };
        file.nodes().filter(is_it).take(1).collect()
    }

    /// `frame`: whose line the expression stands in.
    fn value(&self, file: &JavaFile, frame: usize, node: Node<'_>, told: &Told) -> Renewed {
        let here = |edits: Edits| (file.path.clone(), edits);
        if let Some(elements) = elements(file, node) {
            return elements_renewed(file, &elements, told).map(here);
        }
        match node.kind() {
            "identifier" => self.variable(file, frame, node, told),
            "parenthesized_expression" | "cast_expression" => {
                let inner = named_children(node).into_iter().next_back();
                self.value(file, frame, inner.ok_or("there is no value")?, told)
            }
            "string_literal" | "binary_expression" => text_renewed(file, node, told).map(here),
            "method_invocation" if file.field(node, "name") == "replace" => {
                let object = node.child_by_field_name("object");
                let undone = match arguments(node)[..] {
                    [old, new] => sign(file, old)
                        .zip(sign(file, new))
                        .and_then(|(old, new)| told.before_replacing(&old, &new)),
                    _ => None,
                };
                let (object, undone) = object.zip(undone).ok_or("the expected value is computed")?;
                self.value(file, frame, object, &undone)
            }
            _ => Err(format!(
                "the expected value `{}` is no literal",
                short(file.of(node))
            )),
        }
    }

    fn variable(&self, file: &JavaFile, frame: usize, name: Node<'_>, told: &Told) -> Renewed {
        let text = file.of(name);
        let declaration = file
            .declaration(text, name)
            .ok_or_else(|| format!("`{text}` is not declared in this file"))?;
        match declaration.kind() {
            "variable_declarator" => {
                let is_field = declaration
                    .parent()
                    .is_some_and(|up| up.kind() == "field_declaration");
                if is_field && !self.is_of_this_test_only(file, declaration) {
                    return Err(format!("other tests use `{text}` as well"));
                }
                let value = only_value(file, declaration)?;
                self.value(file, frame, value, told)
            }
            "formal_parameter" => self.argument(file, frame, declaration, told),
            _ => Err(format!("`{text}` has no value that is written here")),
        }
    }

    fn is_of_this_test_only(&self, file: &JavaFile, declaration: Node<'_>) -> bool {
        let name = file.field(declaration, "name");
        let method = self.failing.test.rsplit('#').next().unwrap_or_default();
        let method = method.split(['(', '[']).next().unwrap_or_default();
        let is_inside = |node: Node<'_>| {
            let around = ancestors(node).filter(|above| CALLABLES.contains(&above.kind()));
            around
                .last()
                .is_some_and(|outer| file.field(outer, "name") == method)
        };
        let mut uses = file
            .nodes()
            .filter(|node| node.kind() == "identifier" && file.of(*node) == name)
            .filter(|node| node.parent() != Some(declaration));
        uses.all(is_inside)
    }

    /// What the caller gives for a parameter.
    fn argument(&self, file: &JavaFile, frame: usize, parameter: Node<'_>, told: &Told) -> Renewed {
        let list = parameter.parent();
        let method = list
            .and_then(|list| list.parent())
            .filter(|method| method.kind() == "method_declaration")
            .ok_or("the expected value is a parameter of a lambda or a constructor")?;
        let index = list
            .map(named_children)
            .and_then(|all| all.iter().position(|other| *other == parameter))
            .ok_or("the expected value is an unknown parameter")?;
        let name = file.field(method, "name");
        let (calling, place) = self.frame(frame + 1)?;
        let call = calling
            .on_line("method_invocation", place.line)
            .find(|call| calling.field(*call, "name") == name)
            .ok_or_else(|| format!("`{name}` is not called where the stack says so"))?;
        let arguments = arguments(call);
        let value = arguments
            .get(index)
            .ok_or_else(|| format!("the call of `{name}` has too few arguments"))?;
        self.value(&calling, frame + 1, *value, told)
    }
}

/// A sign or a text.
fn sign(file: &JavaFile, node: Node<'_>) -> Option<String> {
    if node.kind() != "character_literal" {
        return text_of(file, node);
    }
    let inner = file.of(node).strip_prefix('\'')?.strip_suffix('\'')?;
    Some(match inner {
        "\\'" => "'".to_owned(),
        "\\n" => "\n".to_owned(),
        "\\\\" => "\\".to_owned(),
        "\\\"" => "\"".to_owned(),
        one if one.chars().count() == 1 => one.to_owned(),
        _ => return None,
    })
}

/// The first line of an expression.
fn short(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The value of a variable that gets one only once.
fn only_value<'f>(file: &'f JavaFile, declarator: Node<'f>) -> Result<Node<'f>, String> {
    let name = file.field(declarator, "name");
    let around = ancestors(declarator).nth(1).unwrap_or(declarator);
    let assigned: Vec<Node<'f>> = descendants(around)
        .filter(|node| node.kind() == "assignment_expression")
        .filter(|node| {
            let left = file.field(*node, "left");
            left.strip_prefix("this.").unwrap_or(left) == name
        })
        .collect();
    let value = declarator.child_by_field_name("value");
    match (value, &assigned[..]) {
        (Some(value), []) => Ok(value),
        (None, [only]) if file.field(*only, "operator") == "=" => only
            .child_by_field_name("right")
            .ok_or_else(|| format!("`{name}` has no value")),
        _ => Err(format!("`{name}` gets its value in several places")),
    }
}

fn changed(edits: Edits) -> Result<Edits, String> {
    if edits.is_empty() {
        return Err("the expected value has the actual order already".to_owned());
    }
    Ok(edits)
}
