//! Types and their members in sources, and who can use them.

use crate::java::{JavaFile, TYPES, descendants, named_children};
use tree_sitter::Node;

/// The declaration of `package.Outer$Inner` in the file of its outermost class.
pub(super) fn type_in<'f>(file: &'f JavaFile, class: &str) -> Option<Node<'f>> {
    let names = class.rsplit('.').next()?.split('$');
    let mut at = file.root();
    for name in names {
        let is_it = |node: &Node<'_>| TYPES.contains(&node.kind()) && file.field(*node, "name") == name;
        at = members(at).into_iter().find(is_it)?;
    }
    Some(at)
}

/// What is declared directly in a type, or in a file.
pub(super) fn members(of: Node<'_>) -> Vec<Node<'_>> {
    match of.child_by_field_name("body") {
        Some(body) => named_children(body),
        None => named_children(of),
    }
}

/// The modifiers of a declaration as text, annotations included.
pub(super) fn modifiers<'f>(file: &'f JavaFile, declaration: Node<'f>) -> &'f str {
    let found = named_children(declaration)
        .into_iter()
        .find(|child| child.kind() == "modifiers");
    found.map_or("", |found| file.of(found))
}

pub(super) fn is(file: &JavaFile, declaration: Node<'_>, modifier: &str) -> bool {
    modifiers(file, declaration)
        .split_whitespace()
        .any(|word| word == modifier)
}

/// Whether a declaration has an annotation of one of these simple names.
pub(super) fn has_annotation(file: &JavaFile, declaration: Node<'_>, names: &[&str]) -> bool {
    let modifiers = named_children(declaration)
        .into_iter()
        .filter(|child| child.kind() == "modifiers");
    let mut annotations = modifiers.flat_map(named_children);
    annotations.any(|annotation| {
        let name = file.field(annotation, "name");
        names.contains(&name.rsplit('.').next().unwrap_or(name))
    })
}

/// A field of a type and its declarator.
pub(super) fn field<'f>(file: &'f JavaFile, of: Node<'f>, name: &str) -> Option<(Node<'f>, Node<'f>)> {
    let fields = members(of)
        .into_iter()
        .filter(|member| member.kind() == "field_declaration");
    fields.into_iter().find_map(|field| {
        let is_it =
            |child: &Node<'_>| child.kind() == "variable_declarator" && file.field(*child, "name") == name;
        let declarator = named_children(field).into_iter().find(is_it)?;
        Some((field, declarator))
    })
}

pub(super) fn methods<'f>(of: Node<'f>) -> impl Iterator<Item = Node<'f>> {
    let all = members(of).into_iter();
    all.filter(|member| member.kind() == "method_declaration")
}

/// The names of a method's parameters.
pub(super) fn parameters<'f>(file: &'f JavaFile, method: Node<'f>) -> Vec<&'f str> {
    let list = method.child_by_field_name("parameters");
    let all = list.map(named_children).unwrap_or_default();
    all.into_iter().map(|one| file.field(one, "name")).collect()
}

/// What a method returns if that is all it does.
pub(super) fn returned<'f>(file: &'f JavaFile, method: Node<'f>) -> Option<&'f str> {
    let body = method.child_by_field_name("body")?;
    match &named_children(body)[..] {
        [only] if only.kind() == "return_statement" => {
            let value = named_children(*only).into_iter().next()?;
            Some(file.of(value))
        }
        _ => None,
    }
}

/// Assignments below a node: what is assigned to, and the value.
pub(super) fn assignments<'f>(file: &'f JavaFile, below: Node<'f>) -> Vec<(&'f str, &'f str)> {
    let all = descendants(below).filter(|node| node.kind() == "assignment_expression");
    all.map(|node| (file.field(node, "left"), file.field(node, "right")))
        .collect()
}

/// Calls below a node: the object, the name, the arguments as text.
pub(super) fn calls<'f>(file: &'f JavaFile, below: Node<'f>) -> Vec<(&'f str, &'f str, &'f str)> {
    let all = descendants(below).filter(|node| node.kind() == "method_invocation");
    all.map(|node| {
        (
            file.field(node, "object"),
            file.field(node, "name"),
            file.field(node, "arguments"),
        )
    })
    .collect()
}
