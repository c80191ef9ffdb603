//! A serializer that asks reflection for the members of a class writes them in an order that no specification promises.
//! Where the class belongs to the tests, an annotation of the serializer fixes the order: the one that the expected text
//! has, or else that of the declarations.

use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::java::{JavaFile, named_children};
use crate::json::Json;
use crate::literal::text_of;
use std::rc::Rc;
use tree_sitter::Node;

/// One serializer: where it is seen on a stack, and its annotation.
struct OrderAnnotation {
    /// The start of its classes.
    package: &'static str,
    class: &'static str,
    /// Around the names.
    before: &'static str,
    after: &'static str,
    /// Annotations that rename a property.
    renames: &'static [&'static str],
    /// Annotations of what is none of the properties.
    excludes: &'static [&'static str],
    /// Annotations of a class that say its order already.
    says: &'static str,
}

const JACKSON: OrderAnnotation = OrderAnnotation {
    package: "com.fasterxml.jackson.",
    class: "com.fasterxml.jackson.annotation.JsonPropertyOrder",
    before: "({",
    after: "})",
    renames: &["JsonProperty"],
    excludes: &["JsonIgnore"],
    says: "JsonPropertyOrder",
};

const FASTJSON: OrderAnnotation = OrderAnnotation {
    package: "com.alibaba.fastjson.",
    class: "com.alibaba.fastjson.annotation.JSONType",
    before: "(orders = {",
    after: "})",
    renames: &[],
    excludes: &["JSONField"],
    says: "JSONType",
};

const JAXB: OrderAnnotation = OrderAnnotation {
    package: "com.sun.xml.bind.",
    class: "javax.xml.bind.annotation.XmlType",
    before: "(propOrder = {",
    after: "})",
    renames: &[],
    excludes: &["XmlAttribute", "XmlTransient", "XmlValue", "XmlAnyAttribute"],
    says: "XmlType",
};

const ANNOTATIONS: [OrderAnnotation; 7] = [
    JACKSON,
    // Jackson 3 has kept the annotations of Jackson 2.
    OrderAnnotation {
        package: "tools.jackson.",
        ..JACKSON
    },
    FASTJSON,
    OrderAnnotation {
        package: "com.alibaba.fastjson2.",
        class: "com.alibaba.fastjson2.annotation.JSONType",
        ..FASTJSON
    },
    JAXB,
    // The one inside of JDK 8.
    OrderAnnotation {
        package: "com.sun.xml.internal.bind.",
        ..JAXB
    },
    OrderAnnotation {
        package: "org.glassfish.jaxb.",
        class: "jakarta.xml.bind.annotation.XmlType",
        ..JAXB
    },
];

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let is_reflection = [
        "Class.getDeclaredFields",
        "Class.getDeclaredMethods",
        "Class.getFields",
        "Class.getMethods",
    ]
    .contains(&clues.choice.api.as_str());
    if !is_reflection {
        return Vec::new();
    }
    annotated(clues).into_iter().collect()
}

fn annotated(clues: &Clues<'_>) -> Option<Candidate> {
    // The innermost library is the one that asks.
    let annotation = clues.choice.stack.iter().find_map(|frame| {
        ANNOTATIONS
            .iter()
            .find(|known| frame.method.starts_with(known.package))
    })?;
    let path = declaring_class(&clues.choice.natural)?;
    let file = file_of(clues, path)?;
    let class = declared(&file, path)?;
    if !clues.sources.is_test(&file.path) || file.annotations(class).contains(&annotation.says) {
        return None;
    }
    let names = properties(&file, class, annotation);
    let expected = clues.failing.expected.as_deref().and_then(Json::parse);
    let names = expected.and_then(|json| json.order_of(&names)).unwrap_or(names);
    if names.len() < 2 {
        return None;
    }
    let (name, import) = file.using(annotation.class);
    let listed: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let line = format!(
        "@{name}{}{}{}{}{}",
        annotation.before,
        listed.join(", "),
        annotation.after,
        file.line_end(),
        file.indentation(class)
    );
    let edits = Edits::new().insert(class.start_byte(), line);
    Some(Candidate::plain(
        format!(
            "fix the order of the members of `{}` for the serializer, which reflection leaves open",
            file.field(class, "name")
        ),
        &file.path,
        file.with_imports(edits, import),
    ))
}

/// The class that all the elements are members of, as `Outer$Inner`.
fn declaring_class(elements: &[String]) -> Option<&str> {
    let class = |element: &'_ String| {
        let name = element.split('(').next().unwrap_or("").len();
        element[..name].rfind('.')
    };
    let first = elements.first()?;
    let path = &first[..class(first)?];
    elements
        .iter()
        .all(|element| class(element).is_some_and(|dot| &element[..dot] == path))
        .then_some(path)
}

/// The test's own file, one of its package, or one that the test imports.
fn file_of(clues: &Clues<'_>, path: &str) -> Option<Rc<JavaFile>> {
    let place = clues.assertion()?;
    let test = clues.sources.file(&place.file)?;
    if declared(&test, path).is_some() {
        return Some(test);
    }
    let outer = path.split('$').next()?;
    let full = match test.imported(outer) {
        Some(full) => full.to_owned(),
        None => format!("{}.{outer}", test.package()),
    };
    clues.sources.of_class(&full)
}

/// The declaration of `Outer$Inner`.
fn declared<'f>(file: &'f JavaFile, path: &str) -> Option<Node<'f>> {
    let mut names = path.split('$');
    let outer = names.next()?;
    let find = |nodes: Vec<Node<'f>>, name: &str| {
        nodes
            .into_iter()
            .find(|node| node.kind() == "class_declaration" && file.field(*node, "name") == name)
    };
    let mut class = find(named_children(file.root()), outer)?;
    for name in names {
        class = find(named_children(class.child_by_field_name("body")?), name)?;
    }
    Some(class)
}

/// The names of the properties that fields stand for, in the order of their declarations.
fn properties(file: &JavaFile, class: Node<'_>, annotation: &OrderAnnotation) -> Vec<String> {
    let members = class
        .child_by_field_name("body")
        .map(named_children)
        .unwrap_or_default();
    let fields = members
        .into_iter()
        .filter(|member| member.kind() == "field_declaration");
    let mut names = Vec::new();
    for field in fields {
        let is_transient = named_children(field).first().is_some_and(|modifiers| {
            modifiers.kind() == "modifiers" && file.of(*modifiers).contains("transient")
        });
        let is_excluded = file
            .annotations(field)
            .iter()
            .any(|name| annotation.excludes.contains(name));
        if file.has_modifier(field, "static") || is_transient || is_excluded {
            continue;
        }
        let renamed = renamed(file, field, annotation);
        let declarators = named_children(field)
            .into_iter()
            .filter(|child| child.kind() == "variable_declarator");
        names.extend(declarators.map(|declarator| {
            renamed
                .clone()
                .unwrap_or_else(|| file.field(declarator, "name").to_owned())
        }));
    }
    names
}

/// What `@JsonProperty("x")` says.
fn renamed(file: &JavaFile, field: Node<'_>, annotation: &OrderAnnotation) -> Option<String> {
    let modifiers = named_children(field)
        .into_iter()
        .find(|child| child.kind() == "modifiers")?;
    let found = named_children(modifiers)
        .into_iter()
        .find(|child| annotation.renames.contains(&file.field(*child, "name")))?;
    let arguments = found.child_by_field_name("arguments").map(named_children)?;
    text_of(file, *arguments.first()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, MAIN, case};

    const BY_JACKSON: &str = "com.fasterxml.jackson.databind.util.ClassUtil.getDeclaredFields";

    fn bean(members: &str) -> Case {
        case(&format!(
            "package p;\n\nimport java.util.List;\n\nclass ATest {{\n  void a() {{\n    check();/*fails*/\n  }}\n\n  \
             static class Bean {{\n{members}  }}\n}}\n"
        ))
        .api("Class.getDeclaredFields")
        .orders(&["ATest$Bean.x", "ATest$Bean.y"], &["ATest$Bean.y", "ATest$Bean.x"])
    }

    #[test]
    fn a_class_of_the_tests_says_its_order() {
        let members =
            "    static int z;\n    int x, y;\n    @JsonIgnore int w;\n    @JsonProperty(\"v\") int u;\n";
        bean(members).called_by(BY_JACKSON).check(
            propose,
            &["+import com.fasterxml.jackson.annotation.JsonPropertyOrder;\n\
               +@JsonPropertyOrder({\"x\", \"y\", \"v\"})"],
        );
        bean(members)
            .called_by(BY_JACKSON)
            .compared(r#"{"v":1,"x":2,"y":3}"#, r#"{"v":1,"y":3,"x":2}"#)
            .check(
                propose,
                &["+import com.fasterxml.jackson.annotation.JsonPropertyOrder;\n\
               +@JsonPropertyOrder({\"v\", \"x\", \"y\"})"],
            );
        bean("    int x;\n    @XmlAttribute int a;\n    int y;\n")
            .called_by("com.sun.xml.bind.v2.runtime.X.y")
            .check(
                propose,
                &["+import javax.xml.bind.annotation.XmlType;\n+@XmlType(propOrder = {\"x\", \"y\"})"],
            );
    }

    #[test]
    fn others_stay() {
        bean("    int x, y;\n").check(propose, &[]);
        bean("    int x, y;\n")
            .called_by("com.google.gson.Gson.toJson")
            .check(propose, &[]);
        bean("    int x;\n").called_by(BY_JACKSON).check(propose, &[]);
        bean("    int x, y;\n")
            .called_by(BY_JACKSON)
            .api("HashMap.keySet")
            .check(propose, &[]);
        case("package p;\nclass ATest {\n  void a() {\n    check();/*fails*/\n  }\n}\n")
            .file(MAIN, "package p;\nclass Main {\n  int x, y;\n}\n")
            .api("Class.getDeclaredFields")
            .orders(&["Main.x", "Main.y"], &["Main.y", "Main.x"])
            .called_by(BY_JACKSON)
            .check(propose, &[]);
        case("class ATest {\n  void a() {\n    check();/*fails*/\n  }\n  @JsonPropertyOrder({\"x\"})\n  class Bean { int x, y; }\n}\n")
            .api("Class.getDeclaredFields")
            .orders(&["ATest$Bean.x", "ATest$Bean.y"], &[])
            .called_by(BY_JACKSON)
            .check(propose, &[]);
    }
}
