//! From the line of a stack frame to the expressions that it may mean. A frame has the line of a call's name
//! or of a `new`; a call that a library makes back has the line of the call into that library, anywhere in
//! the same statement.

use crate::java::{CALLABLES, JavaFile, TYPES, ancestors, descendants, lines, named_children};
use tree_sitter::Node;

/// What `look` finds at expressions of a line; only if there are none, at those of the statement around the
/// line.
pub(crate) fn near<'f, R>(
    file: &'f JavaFile,
    line: u32,
    mut look: impl FnMut(Node<'f>) -> Option<R>,
) -> Vec<R> {
    let on_line = file.nodes().filter(|node| anchor(*node) == line);
    let found: Vec<R> = on_line.filter_map(&mut look).collect();
    if !found.is_empty() {
        return found;
    }
    let Some(statement) = statement_at(file, line) else {
        return Vec::new();
    };
    of_statement(statement).into_iter().filter_map(look).collect()
}

/// The line that a frame has for a node.
fn anchor(node: Node<'_>) -> u32 {
    let at = match node.kind() {
        "method_invocation" => node.child_by_field_name("name").unwrap_or(node),
        _ => node,
    };
    *lines(at).start()
}

/// The innermost statement or field around a line.
fn statement_at(file: &JavaFile, line: u32) -> Option<Node<'_>> {
    let around = file
        .nodes()
        .filter(|node| is_statement(*node) && lines(*node).contains(&line));
    around.last()
}

pub(crate) fn is_statement(node: Node<'_>) -> bool {
    node.kind().ends_with("_statement")
        || matches!(node.kind(), "local_variable_declaration" | "field_declaration")
}

/// A statement's own nodes: of a loop those of its head, not those of its body.
fn of_statement(statement: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut todo = vec![statement];
    while let Some(node) = todo.pop() {
        found.push(node);
        let inner = named_children(node).into_iter().rev();
        todo.extend(inner.filter(|child| !is_statement(*child) && child.kind() != "block"));
    }
    found
}

/// The outermost method, constructor or initialiser around a node: what the names of its local variables must
/// differ in, since neither a lambda's parameter nor a variable of an inner block may repeat one from further
/// out.
pub(crate) fn outermost_callable(node: Node<'_>) -> Option<Node<'_>> {
    let is_one = |above: &Node<'_>| CALLABLES.contains(&above.kind()) || above.kind() == "static_initializer";
    ancestors(node)
        .take_while(|above| !TYPES.contains(&above.kind()))
        .filter(is_one)
        .last()
}

/// The first of some names that nothing in the method around a node, and no field of the file, has.
pub(crate) fn fresh_name<'n>(file: &JavaFile, node: Node<'_>, names: &[&'n str]) -> Option<&'n str> {
    let scope = outermost_callable(node).unwrap_or(file.root());
    let is_identifier = |inner: &Node<'_>| matches!(inner.kind(), "identifier" | "type_identifier");
    let used: Vec<&str> = descendants(scope)
        .filter(is_identifier)
        .map(|inner| file.of(inner))
        .chain(fields(file))
        .collect();
    names.iter().find(|name| !used.contains(name)).copied()
}

fn fields(file: &JavaFile) -> impl Iterator<Item = &str> {
    let declarators = file
        .nodes()
        .filter(|node| node.kind() == "variable_declarator")
        .filter(|node| node.parent().is_some_and(|up| up.kind() == "field_declaration"));
    declarators.map(|node| file.field(node, "name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "class A {\n  Object o = f(\n    new X());\n  void a(int b) {\n    for (Object x : all(\n        1)) {\n\
                          \x20     new Y();\n    }\n  }\n}\n";

    fn calls(line: u32) -> Vec<String> {
        let file = JavaFile::parse("A.java", SOURCE).unwrap();
        let is_call =
            |node: &Node<'_>| matches!(node.kind(), "method_invocation" | "object_creation_expression");
        near(&file, line, |node| {
            is_call(&node).then(|| file.of(node).replace([' ', '\n'], ""))
        })
    }

    #[test]
    fn expressions_are_those_of_the_line_or_of_its_statement() {
        assert_eq!(calls(2), ["f(newX())"]);
        assert_eq!(calls(3), ["newX()"]);
        assert_eq!(calls(6), ["all(1)"]);
        assert_eq!(calls(7), ["newY()"]);
        assert_eq!(calls(9), [""; 0]);
    }

    #[test]
    fn a_fresh_name_is_one_that_is_not_used() {
        let file = JavaFile::parse("A.java", SOURCE).unwrap();
        let at = file.nodes().find(|node| file.of(*node) == "1").unwrap();
        assert_eq!(fresh_name(&file, at, &["b", "x", "o", "c"]), Some("c"));
        assert_eq!(fresh_name(&file, at, &["b"]), None);
    }
}
