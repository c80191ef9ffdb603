//! Calls that answer with an array, or a stream, in no particular order: members of classes, annotations,
//! files. What their elements are, and total orders for them.

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

    /// Whether a call answers with such elements. `AccessibleObject.getAnnotations` calls
    /// `getDeclaredAnnotations`, so the names need not be the same.
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

    /// What a total order compares, first to last, each as a call without its object. The names of overloaded
    /// methods tie, those of a bridge method and of its target with all parameters, and fields of a class and
    /// of its interfaces.
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

/// `None`: no name is free for a parameter.
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
}
