//! Static types of expressions, as far as the sources of the project write them down.

use crate::clues::Sources;
use crate::java::{JavaFile, arguments, descendants, named_children};
use crate::members::Members;
use std::fmt;
use tree_sitter::Node;

/// A type as it is written, without the package: `Map<String, Integer>`, `int[]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JavaType {
    pub(crate) name: String,
    pub(crate) arguments: Vec<JavaType>,
    /// How many `[]` follow.
    pub(crate) dimensions: usize,
}

/// What kind of value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Map,
    Set,
    List,
    /// A collection that is no list and no set, so one without an `equals` of its own.
    Collection,
    /// With elements that are objects.
    Array,
    PrimitiveArray,
    Other,
}

const MAPS: [&str; 8] = [
    "Map",
    "HashMap",
    "LinkedHashMap",
    "ConcurrentMap",
    "ConcurrentHashMap",
    "ImmutableMap",
    "AbstractMap",
    "Hashtable",
];
const SETS: [&str; 6] = [
    "Set",
    "HashSet",
    "LinkedHashSet",
    "ImmutableSet",
    "AbstractSet",
    "EnumSet",
];
const LISTS: [&str; 6] = [
    "List",
    "ArrayList",
    "LinkedList",
    "ImmutableList",
    "Vector",
    "AbstractList",
];
const COLLECTIONS: [&str; 5] = [
    "Collection",
    "ImmutableCollection",
    "Queue",
    "Deque",
    "PriorityQueue",
];
const PRIMITIVES: [&str; 8] = [
    "int", "long", "short", "byte", "char", "boolean", "double", "float",
];
/// Types of the JDK whose natural order agrees with their `equals`.
const COMPARABLE: [&str; 18] = [
    "String",
    "Integer",
    "Long",
    "Short",
    "Byte",
    "Character",
    "Boolean",
    "Double",
    "Float",
    "BigInteger",
    "UUID",
    "File",
    "Path",
    "LocalDate",
    "LocalDateTime",
    "Instant",
    "Duration",
    "Date",
];

impl JavaType {
    pub(crate) fn named(name: &str) -> JavaType {
        JavaType {
            name: name.to_owned(),
            arguments: Vec::new(),
            dimensions: 0,
        }
    }

    pub(crate) fn of(name: &str, arguments: Vec<JavaType>) -> JavaType {
        JavaType {
            arguments,
            ..JavaType::named(name)
        }
    }

    /// Reads what is written, `java.util.Map<String, ? extends Number>` included.
    pub(crate) fn read(written: &str) -> Option<JavaType> {
        let mut name = written.trim();
        let mut dimensions = 0;
        loop {
            let shorter = name.strip_suffix("[]").or_else(|| name.strip_suffix("..."));
            match shorter {
                Some(shorter) => name = shorter.trim_end(),
                None => break,
            }
            dimensions += 1;
        }
        let bound = name.strip_prefix('?').map(str::trim);
        let name = match bound {
            Some("") => "Object",
            Some(bound) => bound
                .strip_prefix("extends ")
                .or_else(|| bound.strip_prefix("super "))?,
            None => name,
        };
        let (name, inside) = match name.split_once('<') {
            Some((name, rest)) => (name, rest.trim_end().strip_suffix('>')?),
            None => (name, ""),
        };
        let arguments: Option<Vec<JavaType>> = split_outside(inside, ',')
            .into_iter()
            .filter(|argument| !argument.trim().is_empty())
            .map(JavaType::read)
            .collect();
        Some(JavaType {
            name: name.trim().rsplit('.').next()?.to_owned(),
            arguments: arguments?,
            dimensions,
        })
    }

    pub(crate) fn shape(&self) -> Shape {
        let is_in = |names: &[&str]| names.contains(&self.name.as_str());
        match self.dimensions {
            0 if is_in(&MAPS) => Shape::Map,
            0 if is_in(&SETS) => Shape::Set,
            0 if is_in(&LISTS) => Shape::List,
            0 if is_in(&COLLECTIONS) => Shape::Collection,
            0 => Shape::Other,
            1 if is_in(&PRIMITIVES) => Shape::PrimitiveArray,
            _ => Shape::Array,
        }
    }

    /// The type of the elements of an array or of a collection.
    pub(crate) fn element(&self) -> Option<JavaType> {
        if self.dimensions > 0 {
            return Some(JavaType {
                dimensions: self.dimensions - 1,
                ..self.clone()
            });
        }
        match self.shape() {
            Shape::Set | Shape::List | Shape::Collection => self.arguments.first().cloned(),
            _ => None,
        }
    }

    /// Whether two of them always have an order, the same one for equals only.
    pub(crate) fn is_comparable(&self) -> bool {
        self.dimensions == 0
            && self.arguments.is_empty()
            && (COMPARABLE.contains(&self.name.as_str()) || PRIMITIVES.contains(&self.name.as_str()))
    }
}

impl fmt::Display for JavaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if !self.arguments.is_empty() {
            let arguments: Vec<String> = self.arguments.iter().map(JavaType::to_string).collect();
            write!(f, "<{}>", arguments.join(", "))?;
        }
        f.write_str(&"[]".repeat(self.dimensions))
    }
}

/// Splits where no bracket of types is open.
fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|c| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c == separator
    })
    .collect()
}

/// The type of an expression. `None`: it is not written down where we can see it.
pub(crate) fn type_of(sources: &dyn Sources, file: &JavaFile, node: Node<'_>) -> Option<JavaType> {
    match node.kind() {
        "string_literal" => Some(JavaType::named("String")),
        "character_literal" => Some(JavaType::named("char")),
        "true" | "false" => Some(JavaType::named("boolean")),
        "parenthesized_expression" => type_of(sources, file, *named_children(node).first()?),
        "identifier" => JavaType::read(file.declared_type(file.of(node), node)?),
        "field_access" if file.field(node, "object") == "this" => {
            JavaType::read(file.declared_type(file.field(node, "field"), node)?)
        }
        "cast_expression" | "object_creation_expression" => JavaType::read(file.field(node, "type")),
        "array_creation_expression" => {
            let all = file.of(node);
            let dimensions = all.split('{').next().unwrap_or("").matches('[').count();
            let element = JavaType::read(file.field(node, "type"))?;
            Some(JavaType {
                dimensions: element.dimensions + dimensions,
                ..element
            })
        }
        "array_access" => type_of(sources, file, node.child_by_field_name("array")?)?.element(),
        "method_invocation" => type_of_call(sources, file, node),
        _ if node.kind().ends_with("_integer_literal") => {
            let is_long = file.of(node).ends_with(['l', 'L']);
            Some(JavaType::named(if is_long { "long" } else { "int" }))
        }
        "decimal_floating_point_literal" => {
            let is_float = file.of(node).ends_with(['f', 'F']);
            Some(JavaType::named(if is_float { "float" } else { "double" }))
        }
        _ => None,
    }
}

fn type_of_call(sources: &dyn Sources, file: &JavaFile, call: Node<'_>) -> Option<JavaType> {
    let name = file.field(call, "name");
    if name == "toString" && arguments(call).is_empty() {
        return Some(JavaType::named("String"));
    }
    let Some(object) = call.child_by_field_name("object") else {
        return declared_result(file, name, arguments(call).len());
    };
    if file.of(object) == "this" {
        return declared_result(file, name, arguments(call).len());
    }
    if is_class(file, object) {
        return members_of_class(name);
    }
    match type_of(sources, file, object) {
        Some(on) => match result_of_jdk(&on, name) {
            Some(known) => Some(known),
            None => result_of_project(sources, file, &on.name, call),
        },
        None => {
            let holder = file.of(object);
            match result_of_static(sources, file, holder, call) {
                Some(known) => Some(known),
                None => result_of_project(sources, file, holder, call),
            }
        }
    }
}

/// Whether an expression is a `Class`.
fn is_class(file: &JavaFile, node: Node<'_>) -> bool {
    let is_declared_so = || {
        let declared = file.declared_type(file.of(node), node);
        declared.is_some_and(|of| of == "Class" || of.starts_with("Class<"))
    };
    node.kind() == "class_literal"
        || node.kind() == "method_invocation" && file.field(node, "name") == "getClass"
        || node.kind() == "identifier" && is_declared_so()
}

/// What a class says of its members.
fn members_of_class(name: &str) -> Option<JavaType> {
    let (class, _) = Members::of(name)?.class();
    Some(JavaType {
        dimensions: 1,
        ..JavaType::named(class.rsplit('.').next()?)
    })
}

/// Methods of the collections.
fn result_of_jdk(on: &JavaType, name: &str) -> Option<JavaType> {
    let argument = |at: usize| on.arguments.get(at).cloned();
    let raw = |name: &str, of: Option<JavaType>| JavaType::of(name, of.into_iter().collect());
    match (on.shape(), name) {
        (Shape::Map, "keySet") => Some(raw("Set", argument(0))),
        (Shape::Map, "values") => Some(raw("Collection", argument(1))),
        (Shape::Map, "entrySet") => Some(raw("Set", Some(JavaType::of("Entry", on.arguments.clone())))),
        (Shape::Map, "get" | "remove" | "getOrDefault") => argument(1),
        (Shape::List, "get") => argument(0),
        (Shape::List, "subList") => Some(on.clone()),
        (Shape::Set | Shape::List | Shape::Collection, "toArray") => Some(JavaType {
            dimensions: 1,
            ..argument(0).unwrap_or_else(|| JavaType::named("Object"))
        }),
        _ => None,
    }
}

/// Factories of the JDK and of Guava.
fn result_of_static(
    sources: &dyn Sources,
    file: &JavaFile,
    holder: &str,
    call: Node<'_>,
) -> Option<JavaType> {
    let shape = match (holder, file.field(call, "name")) {
        ("Arrays", "asList") | ("List", "of") | ("Lists", "newArrayList") | ("ImmutableList", "of") => "List",
        ("Collections", "singletonList") => "List",
        ("Set", "of") | ("Sets", "newHashSet") | ("ImmutableSet", "of") | ("Collections", "singleton") => {
            "Set"
        }
        ("Collections", "list") => return Some(JavaType::named("List")),
        ("Map", "of") | ("ImmutableMap", "of") => return Some(JavaType::named("Map")),
        _ => return None,
    };
    let given = arguments(call);
    let of = given.first().and_then(|first| type_of(sources, file, *first));
    // One array of objects stands for its elements.
    let of = match of {
        Some(of) if given.len() == 1 && of.shape() == Shape::Array => of.element(),
        of => of,
    };
    Some(JavaType::of(shape, of.into_iter().collect()))
}

/// The result of a method of a class whose source is in the project.
fn result_of_project(
    sources: &dyn Sources,
    file: &JavaFile,
    class: &str,
    call: Node<'_>,
) -> Option<JavaType> {
    let found =
        |declaring: &JavaFile| declared_result(declaring, file.field(call, "name"), arguments(call).len());
    let outer = class.split('.').next()?;
    let full = match file.imported(outer) {
        Some(full) => full.to_owned(),
        None if file.package().is_empty() => outer.to_owned(),
        None => format!("{}.{outer}", file.package()),
    };
    match sources.of_class(&full) {
        Some(declaring) => found(&declaring),
        None => found(file),
    }
}

/// The result type of the methods of a name and a number of parameters, if they agree.
fn declared_result(file: &JavaFile, name: &str, n_parameters: usize) -> Option<JavaType> {
    let methods = descendants(file.root()).filter(|node| {
        node.kind() == "method_declaration"
            && file.field(*node, "name") == name
            && node
                .child_by_field_name("parameters")
                .is_some_and(|parameters| named_children(parameters).len() == n_parameters)
    });
    let mut results = methods.map(|method| file.field(method, "type"));
    let first = results.next()?;
    results
        .all(|other| other == first)
        .then(|| JavaType::read(first))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{MAIN, case};

    #[test]
    fn types_are_read_as_they_are_written() {
        let read = |written| JavaType::read(written).unwrap();
        let map = read("java.util.Map<String, List<? extends Number>>");
        assert_eq!(
            (map.shape(), map.arguments[1].name.as_str()),
            (Shape::Map, "List")
        );
        assert_eq!(map.arguments[1].arguments[0].name, "Number");
        assert_eq!(read("int[]").shape(), Shape::PrimitiveArray);
        assert_eq!(read("String[]").element().unwrap(), JavaType::named("String"));
        assert_eq!(read("Set<?>").element().unwrap().name, "Object");
        assert_eq!(read("Foo").shape(), Shape::Other);
    }

    #[test]
    fn expressions_have_the_types_that_are_declared() {
        let test = "package p;\nclass ATest {\n  Main main;\n  List<String> own() { return null; }\n  \
                    void a(Map<String, Integer> m, String[] s) {\n    use(X);\n  }\n}\n";
        let main = "package p;\nclass Main {\n  Set<Long> ids(int a) { return null; }\n  int one(int a) {}\n  \
                    long one(String a) {}\n}\n";
        let check = |expression: &str, expected: &str| {
            let case = case(&test.replace('X', expression)).file(MAIN, main);
            let file = case.test();
            let call = file.on_line("method_invocation", 6).next().unwrap();
            let found = type_of(&case, &file, arguments(call)[0]);
            assert_eq!(found, JavaType::read(expected), "{expression}");
        };
        check("m.keySet()", "Set<String>");
        check("(m.values())", "Collection<Integer>");
        check("s[0]", "String");
        check("own()", "List<String>");
        check("this.own().get(0)", "String");
        check("main.ids(1).toArray()", "Long[]");
        check("new HashSet<String>(4)", "HashSet<String>");
        check("new int[] {1, 2}", "int[]");
        check("Arrays.asList(\"a\")", "List<String>");
        check("A.class.getDeclaredFields()", "Field[]");
        check("m.getClass().getMethods()", "Method[]");
        for unknown in ["main.one(1)", "other.ids(1)", "main.ids()", "x"] {
            let case = case(&test.replace('X', unknown)).file(MAIN, main);
            let file = case.test();
            let call = file.on_line("method_invocation", 6).next().unwrap();
            assert_eq!(type_of(&case, &file, arguments(call)[0]), None, "{unknown}");
        }
    }
}
