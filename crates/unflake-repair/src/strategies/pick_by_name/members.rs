//! Picks of members and annotations by reflection.

use super::checked::throwing;
use super::class_literal::class_literal;
use super::locals::{guard, locals, whole_lines};
use crate::assertion::is_in_assertion;
use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::imports::Import;
use crate::java::{JavaFile, ancestors, descendants, named_children};
use crate::members::Members;
use crate::near::{near, outermost_callable};
use tree_sitter::Node;

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let Some(place) = &clues.choice.call else {
        return Vec::new();
    };
    let file = clues.sources.file(&place.file);
    let Some(file) = file.filter(|file| clues.sources.is_test(&file.path)) else {
        return Vec::new();
    };
    let calls = if clues.choice.api.ends_with(".getParameterAnnotations") {
        near(&file, place.line, |node| {
            is_of_parameters(&file, node).then_some(node)
        })
    } else {
        Members::of_choice(clues.choice)
            .map(|members| members.calls(&file, clues.choice))
            .unwrap_or_default()
    };
    let picks = calls.into_iter().filter_map(|call| Picks::of(&file, call));
    picks.filter_map(|picks| picks.candidate(clues)).take(2).collect()
}

fn is_of_parameters(file: &JavaFile, node: Node<'_>) -> bool {
    node.kind() == "method_invocation" && file.field(node, "name") == "getParameterAnnotations"
}

/// The elements that are picked of one array.
struct Picks<'f> {
    file: &'f JavaFile,
    call: Node<'f>,
    picked: Vec<MemberPick<'f>>,
    /// The declaration of a variable that holds the array.
    declaration: Option<Node<'f>>,
    /// Nothing else needs that variable.
    is_unused: bool,
    /// Checks that go with it.
    guards: Vec<Node<'f>>,
}

/// One of them.
#[derive(Clone, Copy)]
pub(super) struct MemberPick<'f> {
    /// `all[1]`, `all[0][1]`.
    pub(super) node: Node<'f>,
    /// Whose annotations, for those of parameters.
    parameter: Option<usize>,
    pub(super) index: usize,
}

impl<'f> MemberPick<'f> {
    /// `array`: the call, or the name of the variable that holds what it returned.
    fn of(file: &'f JavaFile, array: Node<'f>, is_nested: bool) -> Option<MemberPick<'f>> {
        let (node, index) = indexed(file, array)?;
        if !is_nested {
            return Some(MemberPick {
                node,
                parameter: None,
                index,
            });
        }
        let (inner, at) = indexed(file, node)?;
        Some(MemberPick {
            node: inner,
            parameter: Some(index),
            index: at,
        })
    }
}

/// The access to an array, and its index where that is a number.
fn indexed<'f>(file: &'f JavaFile, array: Node<'f>) -> Option<(Node<'f>, usize)> {
    let access = array.parent().filter(|up| up.kind() == "array_access")?;
    let index = file.field(access, "index").parse().ok()?;
    (access.child_by_field_name("array") == Some(array)).then_some((access, index))
}

impl<'f> Picks<'f> {
    fn of(file: &'f JavaFile, call: Node<'f>) -> Option<Picks<'f>> {
        let is_nested = is_of_parameters(file, call);
        let declarator = call.parent().filter(|up| up.kind() == "variable_declarator");
        let uses = match declarator {
            Some(declarator) => {
                let name = file.field(declarator, "name");
                let is_use = |node: &Node<'_>| node.kind() == "identifier" && file.of(*node) == name;
                descendants(outermost_callable(declarator)?)
                    .filter(is_use)
                    .filter(|node| node.parent() != Some(declarator))
                    .collect()
            }
            None => vec![call],
        };
        let picked: Vec<MemberPick<'f>> = uses
            .iter()
            .filter_map(|array| MemberPick::of(file, *array, is_nested))
            .collect();
        let guards: Vec<Node<'f>> = uses.iter().filter_map(|array| guard(file, *array)).collect();
        let declaration = declarator
            .and_then(|declarator| declarator.parent())
            .filter(|up| up.kind() == "local_variable_declaration")
            .filter(|up| {
                named_children(*up)
                    .iter()
                    .filter(|part| part.kind() == "variable_declarator")
                    .count()
                    == 1
            });
        Some(Picks {
            file,
            call,
            is_unused: picked.len() + guards.len() == uses.len(),
            declaration,
            guards,
            picked,
        })
    }

    fn candidate(&self, clues: &Clues<'_>) -> Option<Candidate> {
        let first = self.picked.first()?;
        // Only the annotations of one parameter are known.
        if self.picked.iter().any(|pick| pick.parameter != first.parameter) {
            return None;
        }
        let mut named = Vec::new();
        for pick in &self.picked {
            if is_asked_for_its_name(self.file, pick.node) && !self.is_used_otherwise(pick) {
                return None;
            }
            let text = clues.choice.natural.get(pick.index)?;
            named.push((*pick, self.named(clues, pick, text)?));
        }
        let mut words: Vec<String> = named
            .iter()
            .map(|(_, named)| format!("`{}`", named.name))
            .collect();
        let imports = named
            .iter()
            .flat_map(|(_, named)| named.imports.clone())
            .collect::<Vec<_>>();
        let edits = self.edits(&named)?;
        words.dedup();
        let why = format!(
            "pick {} by name instead of by its place in what `{}` returns, which is in no particular order",
            words.join(", "),
            self.file.field(self.call, "name")
        );
        let edits = self.file.with_imports(edits, imports);
        Some(Candidate::plain(why, &self.file.path, edits))
    }

    fn edits(&self, named: &[(MemberPick<'f>, NamedPick)]) -> Option<Edits> {
        let file = self.file;
        let locals = self
            .declaration
            .and_then(|declaration| locals(file, declaration, named));
        let mut edits = Edits::new();
        for (pick, named) in named {
            let local = locals.iter().flatten().find(|local| local.index == pick.index);
            let text = local.map_or(&named.text, |local| &local.name);
            let replaced = named.without_cast(file, pick.node);
            edits = edits.replace(replaced.byte_range(), text.clone());
            if let Some(exception) = named.throws {
                edits = throwing(file, pick.node, exception, edits)?;
            }
        }
        let Some(declaration) = self.declaration else {
            return Some(edits);
        };
        let line_end = format!("{}{}", file.line_end(), file.indentation(declaration));
        let declared = locals.map(|locals| {
            let all: Vec<String> = locals.into_iter().map(|local| local.declaration).collect();
            all.join(&line_end)
        });
        match declared {
            Some(declared) if self.is_unused => edits = edits.replace(declaration.byte_range(), declared),
            Some(declared) => edits = edits.insert(declaration.end_byte(), format!("{line_end}{declared}")),
            None if self.is_unused => {
                if let Some(lines) = whole_lines(file, declaration) {
                    edits = edits.replace(lines, "");
                }
            }
            None => {}
        }
        if self.is_unused {
            let lines = self.guards.iter().filter_map(|check| whole_lines(file, *check));
            edits = lines.fold(edits, |edits, lines| edits.replace(lines, ""));
        }
        Some(edits)
    }

    /// The program works with the same element, and the assertion compares its name with what the program says.
    fn is_used_otherwise(&self, pick: &MemberPick<'f>) -> bool {
        let is_same =
            |other: &&MemberPick<'f>| (other.parameter, other.index) == (pick.parameter, pick.index);
        let mut same = self.picked.iter().filter(is_same);
        let is_given = same.any(|other| !is_in_assertion(self.file, other.node));
        let is_asserted = |above: &Node<'f>| {
            let call = above.parent().filter(|_| above.kind() == "argument_list");
            call.is_some_and(|call| self.file.field(call, "name").starts_with("assert"))
        };
        let around = ancestors(pick.node).find(is_asserted);
        let computes = |node: Node<'f>| descendants(node).any(|below| below.kind() == "method_invocation");
        let is_computed = around.is_some_and(|arguments| {
            let others = named_children(arguments).into_iter();
            let mut others = others.filter(|one| !one.byte_range().contains(&pick.node.start_byte()));
            others.any(computes)
        });
        is_given && is_computed
    }

    fn named(&self, clues: &Clues<'_>, pick: &MemberPick<'_>, text: &str) -> Option<NamedPick> {
        let object = self.call.child_by_field_name("object")?;
        let method = self.file.field(self.call, "name");
        let one = method.strip_suffix('s')?;
        let owner = self.file.of(object);
        match (Members::of(method), pick.parameter) {
            (Some(Members::Fields), _) => {
                let name = last_name(text);
                Some(NamedPick {
                    text: format!("{owner}.{one}(\"{name}\")"),
                    throws: Some("NoSuchFieldException"),
                    ..NamedPick::new(is_name(name).then_some(name)?)
                })
            }
            (Some(members @ (Members::Methods | Members::Constructors)), _) => {
                let (head, parameters) = text.split_once('(')?;
                let name = last_name(head);
                if members == Members::Methods && !is_name(name) {
                    return None;
                }
                let mut arguments = Vec::new();
                let mut imports = Vec::new();
                if members == Members::Methods {
                    arguments.push(format!("\"{name}\""));
                }
                let parameters = parameters.split(')').next().unwrap_or_default();
                for parameter in parameters.split(',').map(str::trim).filter(|one| !one.is_empty()) {
                    let (literal, import) = class_literal(clues, self.file, object, parameter)?;
                    arguments.push(literal);
                    imports.extend(import);
                }
                Some(NamedPick {
                    text: format!("{owner}.{one}({})", arguments.join(", ")),
                    imports,
                    throws: Some("NoSuchMethodException"),
                    ..NamedPick::new(last_name(&name.replace('$', ".")))
                })
            }
            (Some(Members::Classes), _) if object.kind() == "class_literal" => {
                let class = text.rsplit(' ').next().unwrap_or(text);
                let (literal, import) = class_literal(clues, self.file, object, class)?;
                Some(NamedPick {
                    imports: import.into_iter().collect(),
                    ..NamedPick::new(&literal).with(literal.clone())
                })
            }
            (Some(Members::Annotations), _) | (None, Some(_)) => {
                let class = text.strip_prefix('@')?.split('(').next()?;
                let (literal, import) = class_literal(clues, self.file, object, class)?;
                let call = match pick.parameter {
                    _ if clues.libraries.java < 8 && one != "getAnnotation" => return None,
                    Some(parameter) => {
                        format!("{owner}.getParameters()[{parameter}].getAnnotation({literal})")
                    }
                    None => format!("{owner}.{one}({literal})"),
                };
                Some(NamedPick {
                    imports: import.into_iter().collect(),
                    cast: literal.strip_suffix(".class").map(str::to_owned),
                    ..NamedPick::new(&literal).with(call)
                })
            }
            _ => None,
        }
    }
}

/// The call that picks an element by its name.
pub(super) struct NamedPick {
    pub(super) name: String,
    pub(super) text: String,
    imports: Vec<Import>,
    throws: Option<&'static str>,
    /// A cast to this type is no longer needed.
    cast: Option<String>,
}

impl NamedPick {
    fn new(name: &str) -> NamedPick {
        NamedPick {
            name: name.to_owned(),
            text: String::new(),
            imports: Vec::new(),
            throws: None,
            cast: None,
        }
    }

    fn with(self, text: String) -> NamedPick {
        NamedPick { text, ..self }
    }

    /// The pick, with a cast around it that says what the new call says by itself.
    fn without_cast<'f>(&self, file: &JavaFile, pick: Node<'f>) -> Node<'f> {
        let cast = pick.parent().filter(|up| {
            up.kind() == "cast_expression" && Some(file.field(*up, "type")) == self.cast.as_deref()
        });
        let Some(cast) = cast else {
            return pick;
        };
        let around = cast.parent().filter(|up| up.kind() == "parenthesized_expression");
        around.unwrap_or(cast)
    }
}

/// `f` of `p.T.f` and of `private int p.T.f`.
fn last_name(text: &str) -> &str {
    text.rsplit(['.', ' ']).next().unwrap_or(text)
}

/// A name that a programmer gave: compilers and coverage tools use `$`.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether an assertion compares what is picked, its name or its type.
fn is_asked_for_its_name(file: &JavaFile, pick: Node<'_>) -> bool {
    let is_wrapper = |node: &Node<'_>| matches!(node.kind(), "cast_expression" | "parenthesized_expression");
    let Some(user) = ancestors(pick).find(|above| !is_wrapper(above)) else {
        return false;
    };
    let is_compared = match user.kind() {
        "argument_list" => user.parent().is_some_and(|call| {
            let name = file.field(call, "name");
            name.starts_with("assert") || matches!(name, "isEqualTo" | "isSameAs" | "is" | "equalTo")
        }),
        _ => matches!(
            file.field(user, "name"),
            "getName" | "getSimpleName" | "annotationType" | "toString" | "toGenericString"
        ),
    };
    is_compared && is_in_assertion(file, pick)
}
