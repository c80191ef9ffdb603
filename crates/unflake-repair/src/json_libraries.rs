//! Libraries that read or compare JSON, as a file would use them: what it imports or has a mapper of comes first, then
//! what else is on the class path.

use crate::clues::Clues;
use crate::imports::Import;
use crate::java::{JavaFile, ancestors, descendants, named_children};
use crate::text_comparison::Around;
use crate::throws::CheckedException;
use tree_sitter::Node;

/// How trees are compared.
#[derive(Clone, Debug)]
pub(crate) enum TreeCompare {
    /// Both texts are read, and what was read is compared.
    Read(Box<TreeReader>),
    /// Another assertion is made.
    Assert(TreeAssertion),
}

impl TreeCompare {
    /// Whether texts whose strings are in single quotes are read too.
    pub(crate) fn reads_single_quotes(&self) -> bool {
        match self {
            TreeCompare::Read(reader) => {
                ["Gson", "org.json", "fastjson", "fastjson2"].contains(&reader.library)
            }
            TreeCompare::Assert(assertion) => matches!(assertion, TreeAssertion::Skyscreamer { .. }),
        }
    }
}

/// How a text becomes a value that has no order where JSON has none.
#[derive(Clone, Debug)]
pub(crate) struct TreeReader {
    pub(crate) library: &'static str,
    pub(crate) here: Use,
    /// In a static method of the class, for several texts and for one.
    pub(crate) in_static: Use,
    pub(crate) once_in_static: Use,
    pub(crate) throws: Option<CheckedException>,
    /// The class of what is read.
    pub(crate) tree: Option<&'static str>,
}

/// Code that reads a text, and what has to be there for it.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) around: Around,
    /// The declaration of a variable.
    pub(crate) needs: Option<&'static str>,
    pub(crate) imports: Vec<Import>,
}

/// An assertion that compares JSON texts as trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeAssertion {
    /// `JSONAssert.assertEquals(expected, actual, true)`
    Skyscreamer { is_checked: bool },
    /// `assertThatJson(actual).isEqualTo(expected)`, with the class that has it.
    JsonUnit { holder: &'static str },
    /// `assertJsonEquals(expected, actual)`
    JsonUnitEquals,
}

/// One library: the start of its packages, and what it is on a class path.
struct KnownLibrary {
    package: &'static str,
    artifact: &'static str,
    compare: fn(&Site<'_>) -> Option<TreeCompare>,
}

/// Where a comparison is written.
struct Site<'c> {
    clues: &'c Clues<'c>,
    file: &'c JavaFile,
    node: Node<'c>,
    is_array: bool,
}

/// In order of preference among those that a file uses equally.
const KNOWN: [KnownLibrary; 11] = [
    KnownLibrary {
        package: "com.fasterxml.jackson.databind",
        artifact: "jackson-databind",
        compare: jackson_2,
    },
    KnownLibrary {
        package: "tools.jackson.databind",
        artifact: "jackson-databind",
        compare: jackson_3,
    },
    KnownLibrary {
        package: "com.google.gson",
        artifact: "gson",
        compare: gson,
    },
    KnownLibrary {
        package: "org.json",
        artifact: "json",
        compare: org_json,
    },
    KnownLibrary {
        package: "org.skyscreamer.jsonassert",
        artifact: "jsonassert",
        compare: json_assert,
    },
    KnownLibrary {
        package: "net.javacrumbs.jsonunit",
        artifact: "json-unit-assertj",
        compare: json_unit,
    },
    KnownLibrary {
        package: "net.javacrumbs.jsonunit",
        artifact: "json-unit",
        compare: json_unit_equals,
    },
    KnownLibrary {
        package: "com.alibaba.fastjson2",
        artifact: "fastjson2",
        compare: fastjson_2,
    },
    KnownLibrary {
        package: "com.alibaba.fastjson",
        artifact: "fastjson",
        compare: fastjson_1,
    },
    KnownLibrary {
        package: "org.json.simple",
        artifact: "json-simple",
        compare: json_simple,
    },
    KnownLibrary {
        package: "org.codehaus.jackson",
        artifact: "jackson-mapper-asl",
        compare: jackson_1,
    },
];

/// Of libraries that write JSON, the class that does it.
const WRITERS: [&str; 8] = [
    "com.fasterxml.jackson.databind.ObjectMapper",
    "tools.jackson.databind.ObjectMapper",
    "com.google.gson.Gson",
    "org.json.JSONObject",
    "com.alibaba.fastjson2.JSON",
    "com.alibaba.fastjson.JSON",
    "org.json.simple.JSONObject",
    "org.codehaus.jackson.map.ObjectMapper",
];

/// Whether the project is such a library itself: its tests are about the text of JSON.
pub(crate) fn is_json_library(clues: &Clues<'_>) -> bool {
    let is_own = |class: &&str| {
        let file = clues.sources.of_class(class);
        file.is_some_and(|file| !clues.sources.is_test(&file.path))
    };
    WRITERS.iter().any(is_own)
}

/// What can compare JSON at a node of a file, best first.
pub(crate) fn tree_compares(
    clues: &Clues<'_>,
    file: &JavaFile,
    node: Node<'_>,
    is_array: bool,
) -> Vec<TreeCompare> {
    let site = Site {
        clues,
        file,
        node,
        is_array,
    };
    let is_used = |known: &&KnownLibrary| uses(file, known.package);
    let is_there = |known: &&KnownLibrary| clues.libraries.has(known.artifact);
    let used = KNOWN.iter().filter(is_used);
    let others = KNOWN.iter().filter(|known| !is_used(known) && is_there(known));
    let mut others: Vec<TreeCompare> = others.filter_map(|known| (known.compare)(&site)).collect();
    // A library that is there to compare JSON is what other tests of the project use for it.
    others.sort_by_key(|compare| matches!(compare, TreeCompare::Read(_)));
    let used = used.filter_map(|known| (known.compare)(&site));
    used.chain(others).collect()
}

/// Whether a file imports something of a package, or belongs to it.
fn uses(file: &JavaFile, package: &str) -> bool {
    let is_of = |name: &str| {
        // `org.json.simple` is another library than `org.json`.
        let rest = name.strip_prefix(package);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            && !(package == "org.json" && name.starts_with("org.json.simple"))
    };
    let imports = named_children(file.root())
        .into_iter()
        .filter(|node| node.kind() == "import_declaration");
    let mut names = imports.flat_map(named_children).map(|name| file.of(name));
    is_of(file.package()) || names.any(is_of)
}

const IO: CheckedException = CheckedException {
    class: "java.io.IOException",
    fits: &["IOException", "Exception", "Throwable"],
};
/// Since 2.10 `readTree` throws nothing wider.
const PROCESSING: CheckedException = CheckedException {
    class: "java.io.IOException",
    fits: &[
        "JsonProcessingException",
        "JacksonException",
        "IOException",
        "Exception",
        "Throwable",
    ],
};

fn jackson_2(site: &Site<'_>) -> Option<TreeCompare> {
    let libraries = site.clues.libraries;
    if libraries.has_at_least("jackson-databind", (3, 0))
        && !uses(site.file, "com.fasterxml.jackson.databind")
    {
        return None;
    }
    let throws = if libraries.has_at_least("jackson-databind", (2, 10)) {
        PROCESSING
    } else {
        IO
    };
    Some(jackson(site, "com.fasterxml.jackson.databind", Some(throws)))
}

fn jackson_3(site: &Site<'_>) -> Option<TreeCompare> {
    let is_there = site.clues.libraries.has_at_least("jackson-databind", (3, 0));
    (is_there || uses(site.file, "tools.jackson.databind"))
        .then(|| jackson(site, "tools.jackson.databind", None))
}

fn jackson_1(site: &Site<'_>) -> Option<TreeCompare> {
    Some(jackson(site, "org.codehaus.jackson.map", Some(IO)))
}

fn jackson(site: &Site<'_>, package: &str, throws: Option<CheckedException>) -> TreeCompare {
    let (class, import) = site.file.using(&format!("{package}.ObjectMapper"));
    let imports: Vec<Import> = import.into_iter().collect();
    let by_name = |mapper: &Mapper<'_>| Use {
        around: Around::new(format!("{}.readTree(", mapper.name), ")"),
        needs: None,
        imports: Vec::new(),
    };
    let made = |is_declared: bool| match is_declared && class == "ObjectMapper" {
        true => Use {
            around: Around::new("mapper.readTree(", ")"),
            needs: Some("ObjectMapper mapper = new ObjectMapper();"),
            imports: imports.clone(),
        },
        false => Use {
            around: Around::new(format!("new {class}().readTree("), ")"),
            needs: None,
            imports: imports.clone(),
        },
    };
    let mapper = mapper_at(site.file, site.node);
    let static_mapper = mapper.as_ref().filter(|mapper| mapper.is_static);
    TreeCompare::Read(Box::new(TreeReader {
        library: "Jackson",
        here: mapper
            .as_ref()
            .map_or_else(|| made(can_declare(site.file, site.node, "mapper")), by_name),
        in_static: static_mapper.map_or_else(|| made(true), by_name),
        once_in_static: static_mapper.map_or_else(|| made(false), by_name),
        throws,
        tree: match package {
            "com.fasterxml.jackson.databind" => Some("com.fasterxml.jackson.databind.JsonNode"),
            "org.codehaus.jackson.map" => Some("org.codehaus.jackson.JsonNode"),
            _ => None,
        },
    }))
}

/// A mapper that the file has already.
struct Mapper<'f> {
    name: &'f str,
    /// A static field.
    is_static: bool,
}

fn mapper_at<'f>(file: &'f JavaFile, node: Node<'f>) -> Option<Mapper<'f>> {
    let is_mapper = |class: &str| matches!(class.rsplit('.').next(), Some("ObjectMapper" | "JsonMapper"));
    let in_static_method = ancestors(node)
        .find(|above| above.kind() == "method_declaration")
        .is_some_and(|method| file.has_modifier(method, "static"));
    let of_type = file.nodes().filter(|declared| {
        let holder = match declared.kind() {
            "variable_declarator" => declared.parent(),
            "formal_parameter" => Some(*declared),
            _ => None,
        };
        // Cheap first: few variables are mappers.
        holder.is_some_and(|holder| {
            matches!(file.field(holder, "type"), "var") || is_mapper(file.field(holder, "type"))
        })
    });
    let declared = of_type.filter_map(|declared| {
        let name = file.field(declared, "name");
        let is_seen = file.declaration(name, node) == Some(declared);
        if !is_seen || !file.declared_type(name, node).is_some_and(is_mapper) {
            return None;
        }
        let field = declared
            .parent()
            .filter(|parent| parent.kind() == "field_declaration");
        let is_static = field.is_some_and(|field| file.has_modifier(field, "static"));
        (field.is_none() || is_static || !in_static_method).then_some(Mapper { name, is_static })
    });
    declared.last().or_else(|| inherited_mapper(file))
}

/// A name that no declaration here explains, but that is used as a mapper.
fn inherited_mapper(file: &JavaFile) -> Option<Mapper<'_>> {
    let calls = file.nodes().filter(|node| {
        node.kind() == "method_invocation"
            && matches!(
                file.field(*node, "name"),
                "readTree" | "readValue" | "writeValueAsString"
            )
    });
    calls
        .filter_map(|call| call.child_by_field_name("object"))
        .map(|object| (object, file.of(object)))
        .find(|(object, name)| {
            let is_name = object.kind() == "identifier" && name.to_lowercase().contains("mapper");
            is_name
                && !file
                    .nodes()
                    .any(|node| node.kind() != "method_invocation" && file.field(node, "name") == *name)
        })
        .map(|(_, name)| Mapper {
            name,
            is_static: false,
        })
}

/// Whether a variable of this name can be declared right before the statement of a node.
fn can_declare(file: &JavaFile, node: Node<'_>, name: &str) -> bool {
    let Some(statement) = file.statement_of(node) else {
        return false;
    };
    let before = &file.text()[..statement.start_byte()];
    let starts_line = before.trim_end_matches([' ', '\t']).ends_with('\n');
    let is_in_block = statement.parent().is_some_and(|parent| parent.kind() == "block");
    let method = ancestors(node).find(|above| above.kind() == "method_declaration");
    let is_free = method.is_some_and(|method| {
        descendants(method).all(|node| node.kind() != "identifier" || file.of(node) != name)
    });
    starts_line && is_in_block && is_free
}

fn reader(
    site: &Site<'_>,
    library: &'static str,
    class: &str,
    around: impl Fn(&str) -> (String, &'static str),
) -> TreeCompare {
    let (name, import) = site.file.using(class);
    let (before, after) = around(&name);
    let read = Use {
        around: Around::new(before, after),
        needs: None,
        imports: import.into_iter().collect(),
    };
    TreeCompare::Read(Box::new(TreeReader {
        library,
        here: read.clone(),
        in_static: read.clone(),
        once_in_static: read,
        throws: None,
        tree: None,
    }))
}

fn gson(site: &Site<'_>) -> Option<TreeCompare> {
    let release = site.clues.libraries.release("gson");
    let is_old = release.is_some_and(|release| release < (2, 8, 6));
    Some(reader(site, "Gson", "com.google.gson.JsonParser", |class| {
        let call = if is_old {
            format!("new {class}().parse(")
        } else {
            format!("{class}.parseString(")
        };
        (call, ")")
    }))
}

/// Maps and lists tell more when they differ than `similar` does, but came later.
fn org_json(site: &Site<'_>) -> Option<TreeCompare> {
    let libraries = site.clues.libraries;
    let is_android = libraries.has("android-json");
    let is_old = libraries
        .release("json")
        .is_some_and(|(date, ..)| date < 20_160_807);
    let is_own = site.file.package().starts_with("org.json");
    if is_android || is_old || !is_own && !libraries.has("json") {
        return None;
    }
    let (class, to_java) = if site.is_array {
        ("org.json.JSONArray", ").toList()")
    } else {
        ("org.json.JSONObject", ").toMap()")
    };
    Some(reader(site, "org.json", class, |class| {
        (format!("new {class}("), to_java)
    }))
}

fn fastjson_1(site: &Site<'_>) -> Option<TreeCompare> {
    Some(reader(site, "fastjson", "com.alibaba.fastjson.JSON", parse))
}

fn fastjson_2(site: &Site<'_>) -> Option<TreeCompare> {
    Some(reader(site, "fastjson2", "com.alibaba.fastjson2.JSON", parse))
}

fn json_simple(site: &Site<'_>) -> Option<TreeCompare> {
    Some(reader(site, "json-simple", "org.json.simple.JSONValue", parse))
}

fn parse(class: &str) -> (String, &'static str) {
    (format!("{class}.parse("), ")")
}

fn json_assert(site: &Site<'_>) -> Option<TreeCompare> {
    let libraries = site.clues.libraries;
    let is_checked = libraries.has("android-json") || !libraries.has("json");
    Some(TreeCompare::Assert(TreeAssertion::Skyscreamer { is_checked }))
}

fn json_unit(site: &Site<'_>) -> Option<TreeCompare> {
    let holders = [
        "net.javacrumbs.jsonunit.assertj.JsonAssertions",
        "net.javacrumbs.jsonunit.fluent.JsonFluentAssert",
    ];
    let used = site.file.static_holders("assertThatJson");
    let holder = holders.into_iter().find(|holder| used.contains(holder));
    let is_there = site.clues.libraries.has("json-unit-assertj");
    let holder = holder.or(is_there.then_some(holders[0]))?;
    Some(TreeCompare::Assert(TreeAssertion::JsonUnit { holder }))
}

fn json_unit_equals(site: &Site<'_>) -> Option<TreeCompare> {
    let is_there = site.clues.libraries.has("json-unit") && !site.clues.libraries.has("json-unit-assertj");
    is_there.then_some(TreeCompare::Assert(TreeAssertion::JsonUnitEquals))
}
