//! Calls that answer with an array, or a stream, in no particular order: members of classes, annotations, files. What
//! their elements are, and total orders for them.

use crate::imports::Import;
use crate::java::{JavaFile, arguments};
use crate::near::{fresh_name, near};
use tree_sitter::Node;
use unflake_findings::Choice;

/// What the elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    Fields,
    Methods,
    Constructors,
    Annotations,
    Classes,
    Files,
    FileNames,
    /// A stream of them.
    Paths,
}

impl Members {
    /// By the name of the method that is called.
    pub(crate) fn of(method: &str) -> Option<Members> {
        Some(match method {
            "getFields" | "getDeclaredFields" => Members::Fields,
            "getMethods" | "getDeclaredMethods" => Members::Methods,
            "getConstructors" | "getDeclaredConstructors" => Members::Constructors,
            "getAnnotations" | "getDeclaredAnnotations" => Members::Annotations,
            "getClasses" | "getDeclaredClasses" | "getNestMembers" | "getPermittedSubclasses" => {
                Members::Classes
            }
            "listFiles" => Members::Files,
            _ => return None,
        })
    }

    /// Of the blamed call.
    pub(crate) fn of_choice(choice: &Choice) -> Option<Members> {
        let (_, method) = choice.api.split_once('.')?;
        match choice.api.as_str() {
            "File.list" => Some(Members::FileNames),
            "Files.list" | "Files.walk" | "Files.find" => Some(Members::Paths),
            _ => Members::of(method),
        }
    }

    /// Whether a call answers with such elements. `AccessibleObject.getAnnotations` calls `getDeclaredAnnotations`, so
    /// the names need not be the same.
    fn come_from(self, file: &JavaFile, call: Node<'_>) -> bool {
        let name = file.field(call, "name");
        match self {
            Members::FileNames => name == "list",
            Members::Paths => {
                file.field(call, "object") == "Files" && matches!(name, "list" | "walk" | "find")
            }
            Members::Files => name == "listFiles",
            _ => Members::of(name) == Some(self) && arguments(call).is_empty(),
        }
    }

    /// The calls of a line that the blamed one may be.
    pub(crate) fn calls<'f>(self, file: &'f JavaFile, choice: &Choice) -> Vec<Node<'f>> {
        let Some(place) = &choice.call else {
            return Vec::new();
        };
        let mut calls = near(file, place.line, |node| {
            (node.kind() == "method_invocation" && self.come_from(file, node)).then_some(node)
        });
        let method = choice.api.rsplit('.').next();
        let is_named = |call: &Node<'_>| Some(file.field(*call, "name")) == method;
        if calls.iter().any(is_named) {
            calls.retain(is_named);
        }
        calls
    }

    /// The class of an element, with its package, and the type as an array has it.
    pub(crate) fn class(self) -> (&'static str, &'static str) {
        match self {
            Members::Fields => ("java.lang.reflect.Field", ""),
            Members::Methods => ("java.lang.reflect.Method", ""),
            Members::Constructors => ("java.lang.reflect.Constructor", "<?>"),
            Members::Annotations => ("java.lang.annotation.Annotation", ""),
            Members::Classes => ("java.lang.Class", "<?>"),
            Members::Files => ("java.io.File", ""),
            Members::FileNames => ("java.lang.String", ""),
            Members::Paths => ("java.nio.file.Path", ""),
        }
    }

    /// Names for a variable that holds them.
    pub(crate) fn variables(self) -> [&'static str; 3] {
        match self {
            Members::Fields => ["fields", "sortedFields", "allFields"],
            Members::Methods => ["methods", "sortedMethods", "allMethods"],
            Members::Constructors => ["constructors", "sortedConstructors", "allConstructors"],
            Members::Annotations => ["annotations", "sortedAnnotations", "allAnnotations"],
            Members::Classes => ["classes", "sortedClasses", "allClasses"],
            Members::Files => ["files", "sortedFiles", "allFiles"],
            Members::FileNames => ["names", "sortedNames", "fileNames"],
            Members::Paths => ["paths", "sortedPaths", "allPaths"],
        }
    }

    /// Elements that are compared with each other need no comparator.
    pub(crate) fn are_comparable(self) -> bool {
        matches!(self, Members::Files | Members::FileNames | Members::Paths)
    }

    /// Whether there may be no array at all.
    pub(crate) fn may_be_null(self) -> bool {
        matches!(self, Members::Files | Members::FileNames)
    }

    /// What a total order compares, first to last, each as a call without its object. The names of overloaded methods
    /// tie, those of a bridge method and of its target with all parameters, and fields of a class and of its interfaces.
    fn keys(self, method: &str) -> &'static [&'static str] {
        match self {
            Members::Fields if method == "getDeclaredFields" => &["getName"],
            Members::Fields | Members::Methods => &["getName", "toString"],
            Members::Constructors => &["toString"],
            Members::Annotations => &["annotationType().getName"],
            Members::Classes => &["getName"],
            Members::Files | Members::FileNames | Members::Paths => &[],
        }
    }
}

/// A comparator for what a call answers with, as an expression.
pub(crate) struct Comparator {
    pub(crate) text: String,
    pub(crate) imports: Vec<Import>,
}

/// `None`: no name is free for a parameter. `indentation`: of the statement that it will be a part of.
pub(crate) fn comparator(file: &JavaFile, call: Node<'_>, members: Members, java: u32) -> Option<Comparator> {
    let (class, wildcard) = members.class();
    let (simple, of_class) = file.using(class);
    let (comparator, of_comparator) = file.using("java.util.Comparator");
    let keys = members.keys(file.field(call, "name"));
    let mut imports: Vec<Import> = of_comparator.into_iter().collect();
    let text = if java < 8 {
        imports.extend(of_class);
        let element = format!("{simple}{wildcard}");
        anonymous(file, call, &format!("{comparator}<{element}>"), &element, keys)
    } else if members == Members::Annotations {
        let each = fresh_name(file, call, &["a", "annotation", "each"])?;
        format!("{comparator}.comparing({each} -> {each}.annotationType().getName())")
    } else {
        imports.extend(of_class);
        let (first, rest) = keys.split_first()?;
        let then = rest.iter().map(|key| format!(".thenComparing({simple}::{key})"));
        format!(
            "{comparator}.comparing({simple}::{first}){}",
            then.collect::<String>()
        )
    };
    Some(Comparator { text, imports })
}

/// For Java 7 and before it.
fn anonymous(file: &JavaFile, call: Node<'_>, comparator: &str, element: &str, keys: &[&str]) -> String {
    let (end, unit) = (file.line_end(), file.indent_unit());
    let one = format!("{end}{}{unit}", file.indentation(call));
    let two = format!("{one}{unit}");
    let compared = |key: &&str| format!("a.{key}().compareTo(b.{key}())");
    let body = match keys {
        [first, second] => format!(
            "int result = {};{two}return result != 0 ? result : {};",
            compared(first),
            compared(second)
        ),
        _ => format!("return {};", keys.first().map(compared).unwrap_or_default()),
    };
    format!(
        "new {comparator}() {{{one}@Override{one}public int compare({element} a, {element} b) {{{two}{body}{one}}}\
         {end}{}}}",
        file.indentation(call)
    )
//! Methods that an edit adds to a class.

use crate::java::{JavaFile, ancestors};

/// A method and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewMethod {
    pub(crate) at: usize,

impl JavaFile {
    /// A method at the end of the outermost class around a node, since inner ones may have no static methods before Java
    /// 16. `lines` are those of the method; `>` at their start is a level of indentation. `None`: the class is none, or
    /// its last brace shares a line with something.
    pub(crate) fn with_method(&self, node: Node<'_>, lines: &[String]) -> Option<NewMethod> {
        let class = ancestors(node)
            .filter(|above| above.kind() == "class_declaration")
            .last()?;
        let brace = class.child_by_field_name("body")?.end_byte() - 1;
        let at = self.text()[..brace].rfind('\n')? + 1;
        if !self.text()[at..brace].trim().is_empty() {
            return None;
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
        Some(NewMethod { at, text })

    /// Whether a method of this name is declared anywhere in the file.
    pub(crate) fn has_method(&self, name: &str) -> bool {
        let mut methods = self.nodes().filter(|node| node.kind() == "method_declaration");
        methods.any(|method| self.field(method, "name") == name)

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

    #[test]
    fn it_stands_at_the_end_of_the_outermost_class() {
        check(
            "class A {\n  class B {\n    void here() {}\n  }\n}\nclass C {}\n",
            Some(
                "class A {\n  class B {\n    void here() {}\n  }\n\n  int x() {\n    return 1;\n  }\n}\nclass C {}\n",
            ),
        );
            "class A {\r\n\tvoid here() {}\r\n\r\n}\r\n",
            Some("class A {\r\n\tvoid here() {}\r\n\r\n\tint x() {\r\n\t\treturn 1;\r\n\t}\r\n}\r\n"),
        check("interface A {\n  void here();\n}\n", None);
        check("class A { void here() {} }\n", None);
}
