//! Methods that an edit adds to a class.

use crate::java::{JavaFile, ancestors, named_children};
use tree_sitter::Node;

/// A method and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewMethod {
    pub(crate) at: usize,
    pub(crate) text: String,
}

impl JavaFile {
    /// A method at the end of the outermost class around a node, since inner ones may have no static methods before Java
    /// 16. `lines` are those of the method; `>` at their start is a level of indentation. `None`: the class is none, or
    /// its last brace shares a line with something.
    pub(crate) fn with_method(&self, node: Node<'_>, lines: &[String]) -> Option<NewMethod> {
        let class = ancestors(node)
            .filter(|above| above.kind() == "class_declaration")
            .last()?;
        self.with_method_in(class, lines)
    }

    /// The same at the end of this class.
    pub(crate) fn with_method_in(&self, class: Node<'_>, lines: &[String]) -> Option<NewMethod> {
        let brace = class.child_by_field_name("body")?.end_byte() - 1;
        let at = self.text()[..brace].rfind('\n')? + 1;
        if !self.text()[at..brace].trim().is_empty() {
            return None;
        }
        let (end, unit) = (self.line_end(), self.indent_unit());
        let is_apart = self.text()[..at]
            .trim_end_matches([' ', '\t'])
            .ends_with(&end.repeat(2))
            || self.text()[..at].trim_end().ends_with('{');
        let mut text = if is_apart { String::new() } else { end.to_owned() };
        for line in lines {
            let plain = line.trim_start_matches('>');
            let level = line.len() - plain.len() + 1;
            text.push_str(self.indentation(class));
            text.push_str(&unit.repeat(level));
            text.push_str(plain);
            text.push_str(end);
        }
        Some(NewMethod { at, text })
    }

    /// Whether these lines, as [`JavaFile::with_method`] takes them, stand one after the other in the file.
    pub(crate) fn has_lines(&self, lines: &[String]) -> bool {
        let there: Vec<&str> = self.text().lines().map(str::trim).collect();
        let wanted: Vec<&str> = lines.iter().map(|line| line.trim_start_matches('>')).collect();
        there.windows(wanted.len().max(1)).any(|some| some == wanted)
    }

    /// Whether a method of this name is declared anywhere in the file.
    pub(crate) fn has_method(&self, name: &str) -> bool {
        let mut methods = self.nodes().filter(|node| node.kind() == "method_declaration");
        methods.any(|method| self.field(method, "name") == name)
    }

    /// Whether this class itself declares a method of this name.
    pub(crate) fn declares(&self, class: Node<'_>, name: &str) -> bool {
        let members = class.child_by_field_name("body").map(named_children);
        let mut members = members.into_iter().flatten();
        members.any(|member| member.kind() == "method_declaration" && self.field(member, "name") == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Edits;

    fn check(text: &str, expected: Option<&str>) {
        let file = JavaFile::parse("A.java", text).unwrap();
        let node = file
            .nodes()
            .find(|node| file.field(*node, "name") == "here")
            .unwrap();
        let lines = ["int x() {", ">return 1;", "}"].map(str::to_owned);
        let edited = file
            .with_method(node, &lines)
            .map(|method| Edits::new().insert(method.at, method.text).apply(text));
        assert_eq!(edited.as_deref(), expected);
    }

    #[test]
    fn it_stands_at_the_end_of_the_outermost_class() {
        check(
            "class A {\n  class B {\n    void here() {}\n  }\n}\nclass C {}\n",
            Some(
                "class A {\n  class B {\n    void here() {}\n  }\n\n  int x() {\n    return 1;\n  }\n}\nclass C {}\n",
            ),
        );
        check(
            "class A {\r\n\tvoid here() {}\r\n\r\n}\r\n",
            Some("class A {\r\n\tvoid here() {}\r\n\r\n\tint x() {\r\n\t\treturn 1;\r\n\t}\r\n}\r\n"),
        );
        check("interface A {\n  void here();\n}\n", None);
        check("class A { void here() {} }\n", None);
    }
}
