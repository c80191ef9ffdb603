//! One Java source file as a concrete syntax tree. Its text is never normalised: edits are ranges of bytes.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use tree_sitter::{Node, Parser, Tree};

/// A parsed source file.
#[derive(Debug)]
pub struct JavaFile {
    /// From the project's root.
    pub path: String,
    text: String,
    tree: Tree,
}

/// A file that cannot be read as Java.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub path: String,
    /// Counted from 1.
    pub line: u32,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` cannot be parsed at line {}", self.path, self.line)
    }
}

impl std::error::Error for SyntaxError {}

/// Declarations that have a body with members.
pub(crate) const TYPES: [&str; 5] = [
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
];

/// What code can stand in directly.
pub(crate) const CALLABLES: [&str; 3] = [
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
];

impl JavaFile {
    pub fn parse(path: impl Into<String>, text: impl Into<String>) -> Result<JavaFile, SyntaxError> {
        let (path, text) = (path.into(), text.into());
        let mut parser = Parser::new();
        parser
            .set_language(&tree_sitter_java_orchard::LANGUAGE.into())
            .expect("the grammar fits the parser");
        let tree = parser
            .parse(&text, None)
            .expect("a parser with a language and without a limit always gives a tree");
        match first_error(tree.root_node()) {
            Some(line) => Err(SyntaxError { path, line }),
            None => Ok(JavaFile { path, text, tree }),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    pub(crate) fn of(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    /// What a field of a node says; empty without one.
    pub(crate) fn field(&self, node: Node<'_>, name: &str) -> &str {
        node.child_by_field_name(name).map_or("", |child| self.of(child))
    }

    /// How lines end here.
    pub(crate) fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Where the line of a node starts.
    pub(crate) fn line_start(&self, node: Node<'_>) -> usize {
        let before = &self.text[..node.start_byte()];
        before.rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The white space at the start of the line of a node.
    pub(crate) fn indentation(&self, node: Node<'_>) -> &str {
        let line = &self.text[self.line_start(node)..];
        let end = line.find(|c: char| c != ' ' && c != '\t').unwrap_or(0);
        &line[..end]
    }

    /// One level of indentation, as the file has it.
    pub(crate) fn indent_unit(&self) -> &str {
        let outer = self.nodes().find(|node| TYPES.contains(&node.kind()));
        let inner = outer.and_then(|outer| {
            let body = outer.child_by_field_name("body")?;
            body.named_child(0)
        });
        match (outer, inner) {
            (Some(outer), Some(inner)) => self
                .indentation(inner)
                .strip_prefix(self.indentation(outer))
                .filter(|unit| !unit.is_empty())
                .unwrap_or("    "),
            _ => "    ",
        }
    }

    /// All named nodes, parents before children, in the order of the text.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        descendants(self.root())
    }

    /// Nodes of a kind that begin on a line or go through it, outermost first.
    pub(crate) fn on_line<'f>(&'f self, kind: &'f str, line: u32) -> impl Iterator<Item = Node<'f>> {
        let is_on = move |node: &Node<'_>| node.kind() == kind && lines(*node).contains(&line);
        self.nodes().filter(is_on)
    }

    /// Whether a declaration is `static`, `abstract` or the like.
    pub(crate) fn has_modifier(&self, declaration: Node<'_>, modifier: &str) -> bool {
        let children = named_children(declaration).into_iter();
        children
            .filter(|child| child.kind() == "modifiers")
            .any(|all| self.of(all).split_whitespace().any(|word| word == modifier))
    }

    /// The innermost type declaration around a node.
    pub(crate) fn type_around<'f>(&'f self, node: Node<'f>) -> Option<Node<'f>> {
        ancestors(node).find(|above| TYPES.contains(&above.kind()))
    }

    /// The innermost statement around a node, itself included.
    pub(crate) fn statement_of<'f>(&'f self, node: Node<'f>) -> Option<Node<'f>> {
        std::iter::once(node).chain(ancestors(node)).find(|above| {
            above.kind().ends_with("_statement") || above.kind() == "local_variable_declaration"
        })
    }

    /// The type that is written at the declaration of a name, as seen from a node: a variable, a parameter or a field of
    /// this file. `var` is looked through if a constructor is called.
    pub(crate) fn declared_type<'f>(&'f self, name: &str, from: Node<'f>) -> Option<&'f str> {
        self.declaration(name, from).and_then(|found| self.type_at(found))
    }

    /// The declarator or parameter that declares a name, as seen from a node: the last one before it in the blocks around
    /// it, else a field.
    pub(crate) fn declaration<'f>(&'f self, name: &str, from: Node<'f>) -> Option<Node<'f>> {
        let is_it = |node: &Node<'_>| self.field(*node, "name") == name;
        for above in ancestors(from) {
            let direct = descendants(above).filter(|node| {
                matches!(
                    node.kind(),
                    "variable_declarator"
                        | "formal_parameter"
                        | "resource"
                        | "catch_formal_parameter"
                        | "enhanced_for_statement"
                        | "spread_parameter"
                ) && is_it(node)
            });
            // What a block further in declares is not seen here.
            let is_visible = |node: &Node<'_>| {
                let scope = ancestors(*node).find(|scope| is_scope(*scope));
                scope.is_none_or(|scope| scope.byte_range().contains(&from.start_byte()))
            };
            let is_field = |node: &Node<'_>| node.parent().is_some_and(|up| up.kind() == "field_declaration");
            let found = direct
                .filter(is_visible)
                .filter(|node| is_field(node) || node.start_byte() <= from.start_byte())
                .last();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn type_at<'f>(&'f self, declaration: Node<'f>) -> Option<&'f str> {
        let holder = if declaration.kind() == "variable_declarator" {
            declaration.parent()?
        } else {
            declaration
        };
        let written = self.of(holder.child_by_field_name("type")?);
        if written != "var" {
            return Some(written);
        }
        let value = declaration.child_by_field_name("value")?;
        match value.kind() {
            "object_creation_expression" => value.child_by_field_name("type").map(|of| self.of(of)),
            _ => None,
        }
    }

    /// Whether a class declares two methods with the same name and parameters, as two patches together may.
    pub fn has_method_twice(&self) -> bool {
        let bodies = self.nodes().filter(|node| node.kind() == "class_body");
        bodies.into_iter().any(|body| {
            let mut seen = BTreeSet::new();
            let members = named_children(body).into_iter();
            let mut methods = members.filter(|member| member.kind() == "method_declaration");
            methods.any(|method| !seen.insert((self.field(method, "name"), self.field(method, "parameters"))))
        })
    }
}

/// What ends the life of the names declared in it.
fn is_scope(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "block"
            | "for_statement"
            | "enhanced_for_statement"
            | "try_with_resources_statement"
            | "catch_clause"
            | "lambda_expression"
            | "switch_block"
            | "constructor_body"
            | "class_body"
    ) || CALLABLES.contains(&node.kind())
}

/// The lines of a node, from 1.
pub(crate) fn lines(node: Node<'_>) -> std::ops::RangeInclusive<u32> {
    let number = |row: usize| u32::try_from(row).unwrap_or(u32::MAX - 1) + 1;
    number(node.start_position().row)..=number(node.end_position().row)
}

pub(crate) fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.parent(), |node| node.parent())
}

/// A node and all named ones below it, parents first.
pub(crate) fn descendants(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut todo = vec![node];
    std::iter::from_fn(move || {
        let next = todo.pop()?;
        todo.extend(named_children(next).into_iter().rev());
        Some(next)
    })
}

pub(crate) fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !child.is_extra())
        .collect()
}

/// The arguments of a call or of a constructor.
pub(crate) fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    call.child_by_field_name("arguments")
        .map(named_children)
        .unwrap_or_default()
}

/// The range inside the parentheses of a call.
pub(crate) fn inside_arguments(call: Node<'_>) -> Option<Range<usize>> {
    let list = call.child_by_field_name("arguments")?;
    Some(list.start_byte() + 1..list.end_byte() - 1)
}

fn first_error(root: Node<'_>) -> Option<u32> {
    if !root.has_error() {
        return None;
    }
    let mut todo = vec![root];
    while let Some(node) = todo.pop() {
        if node.is_error() || node.is_missing() {
            return Some(*lines(node).start());
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        todo.extend(children.into_iter().rev());
    }
    Some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> JavaFile {
        JavaFile::parse("A.java", text).unwrap()
    }

    #[test]
    fn what_is_not_java_is_told_with_its_line() {
        let error = JavaFile::parse("A.java", "class A {\n  void a() { int = ; }\n}\n").unwrap_err();
        assert_eq!(error.to_string(), "`A.java` cannot be parsed at line 2");
    }

    #[test]
    fn names_have_the_type_of_their_nearest_declaration() {
        let file = file(
            "class A {\n  Map<String, Integer> m;\n  void a(List<String> l) {\n    { Set<String> m = null; }\n    \
             use(m, l);\n    var s = new HashSet<String>();\n    use(s);\n  }\n}\n",
        );
        let call = |line| file.on_line("method_invocation", line).next().unwrap();
        assert_eq!(file.declared_type("m", call(5)), Some("Map<String, Integer>"));
        assert_eq!(file.declared_type("l", call(5)), Some("List<String>"));
        assert_eq!(file.declared_type("s", call(7)), Some("HashSet<String>"));
        assert_eq!(file.declared_type("s", call(5)), None);
    }

    #[test]
    fn a_method_that_is_there_twice_is_noticed() {
        assert!(file("class A {\n  void a(int x) {}\n  void a(int x) {}\n}\n").has_method_twice());
        assert!(
            !file("class A {\n  void a(int x) {}\n  void a() {}\n  class B { void a() {} }\n}\n")
                .has_method_twice()
        );
    }

    #[test]
    fn java_25_is_understood() {
        file(
            "import module java.base;\nsealed interface S permits R {}\nrecord R(int a) implements S {}\n\
             class A {\n  int f(Object o) {\n    return switch (o) { case R(var a) when a > 1 -> a; \
             case null, default -> 0; };\n  }\n  String t = \"\"\"\n    x\n    \"\"\";\n}\n",
        );
    }
}
