//! R3: where a hash collection is made, make the linked one, which keeps the order of insertion.
//!
//! A collection is made by `new` (also of an anonymous subclass, or by a subclass with a name), a reference
//! to a constructor, a collector, a factory of Guava or AssertJ, or `Set.of` and `Map.of`. What has no linked
//! kin, such as `ConcurrentHashMap`, `IdentityHashMap` and `Properties`, is left alone. A class of main code that says
//! that it hashes, in its name or in its documentation, promises no order: there it is only a suggestion.

use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::hashing::says_that_it_hashes;
use crate::imports::Import;
use crate::java::{JavaFile, ancestors, arguments, inside_arguments, named_children};
use crate::near::{fresh_name, near};
use std::ops::Range;
use tree_sitter::Node;
use unflake_findings::{Safety, SourcePlace};

/// Classes, and those that keep the order.
const LINKED: [(&str, &str); 2] = [("HashMap", "LinkedHashMap"), ("HashSet", "LinkedHashSet")];
/// Of one line. More are guesses.
const MOST: usize = 3;
/// Lines that an edit makes longer than this are broken.
const WIDEST: usize = 120;

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let made = clues.choice.allocation.iter().flat_map(|place| at(clues, place));
    let mut found: Vec<Candidate> = made.collect();
    // A collection that is made and used in one expression has only the line of its use.
    if found.is_empty() {
        found = clues
            .choice
            .call
            .iter()
            .flat_map(|place| at(clues, place))
            .collect();
    }
    found
}

fn at(clues: &Clues<'_>, place: &SourcePlace) -> Vec<Candidate> {
    let Some(file) = clues.sources.file(&place.file) else {
        return Vec::new();
    };
    let mut found = near(&file, place.line, |node| linked(clues, &file, node));
    if found.is_empty() && place.method.ends_with(".<init>") {
        found.extend(superclass(&file, place.line));
    }
    let mut found: Vec<Candidate> = found
        .into_iter()
        .map(|change| change.candidate(clues, &file))
        .collect();
    found.dedup();
    found.truncate(MOST);
    found
}

/// One replacement, and what it needs.
struct Replacement {
    edits: Edits,
    imports: Vec<Import>,
    /// What is used instead of what.
    new: String,
    old: String,
}

impl Replacement {
    /// Both, in the order of the text.
    fn with(self, other: Replacement) -> Replacement {
        let mut edits = self.edits;
        for edit in other.edits.iter() {
            edits = edits.replace(edit.start..edit.end, edit.text.clone());
        }
        let mut imports = self.imports;
        let more = other.imports.into_iter();
        let more: Vec<Import> = more.filter(|import| !imports.contains(import)).collect();
        imports.extend(more);
        Replacement {
            edits,
            imports,
            ..self
        }
    }

    fn candidate(self, clues: &Clues<'_>, file: &JavaFile) -> Candidate {
        let (new, old) = (self.new, self.old);
        let mut why = format!("use `{new}`, which iterates in the order of insertion, instead of `{old}`");
        let mut safety = Safety::Test;
        if !clues.sources.is_test(&file.path) {
            why.push_str("; output that follows this order changes once");
            let at = self.edits.iter().next().map(|edit| edit.start);
            if let Some(class) = at.and_then(|at| says_that_it_hashes(file, at, &old)) {
                why.push_str(&format!(", and `{class}` says that it hashes"));
                safety = Safety::Suggestion;
            }
        }
        let edits = file.with_imports(self.edits, self.imports);
        Candidate {
            safety,
            ..Candidate::plain(why, &file.path, edits)
        }
    }
}

fn linked(clues: &Clues<'_>, file: &JavaFile, node: Node<'_>) -> Option<Replacement> {
    match node.kind() {
        "object_creation_expression" => {
            let change = type_changed(file, node.child_by_field_name("type")?)?;
            Some(
                match other_branch(node).and_then(|other| type_changed(file, other)) {
                    Some(other) => change.with(other),
                    None => change,
                },
            )
        }
        "method_reference" => {
            let parts = named_children(node);
            let makes = file.of(node).ends_with("::new");
            makes.then(|| type_changed(file, *parts.first()?))?
        }
        "method_invocation" => {
            let holder = node.child_by_field_name("object").map(|object| file.of(object));
            let call = MakingCall {
                file,
                node,
                name: node.child_by_field_name("name")?,
                arguments: arguments(node),
            };
            match holder.map(|holder| holder.rsplit('.').next().unwrap_or(holder)) {
                Some("Collectors") => call.collector(holder),
                Some("Sets" | "Maps") => call.factory(),
                Some("HashMultimap" | "HashMultiset") => call.multi(),
                Some("Set") => call.set_of(),
                Some("Map") => call.map_of(clues),
                None if call.is_static("java.util.stream.Collectors") => call.collector(None),
                None => call.factory(),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The type of what is made in the other branch of a condition: both are the same variable afterwards.
fn other_branch(node: Node<'_>) -> Option<Node<'_>> {
    let condition = node
        .parent()
        .filter(|parent| parent.kind() == "ternary_expression")?;
    let branches = ["consequence", "alternative"].map(|name| condition.child_by_field_name(name));
    let [Some(yes), Some(no)] = branches else {
        return None;
    };
    let other = if yes == node { no } else { yes };
    let is_made = other != node && other.kind() == "object_creation_expression";
    is_made.then(|| other.child_by_field_name("type"))?
}

/// `HashMap<K, V>` as it is written at a constructor or before `::new`.
fn type_changed(file: &JavaFile, named: Node<'_>) -> Option<Replacement> {
    let name = match named.kind() {
        "generic_type" => named.named_child(0)?,
        _ => named,
    };
    let written = file.of(name);
    let (_, linked) = LINKED.iter().find(|(hash, _)| {
        let full = format!("java.util.{hash}");
        written == full || written == *hash && file.imported(hash).is_none_or(|imported| imported == full)
    })?;
    let (text, import) = file.using(&format!("java.util.{linked}"));
    Some(Replacement {
        edits: Edits::new().replace(name.byte_range(), text),
        imports: import.into_iter().collect(),
        new: (*linked).to_owned(),
        old: linked.replace("Linked", ""),
    })
}

/// A class that extends a hash collection: the line is that of its constructor.
fn superclass(file: &JavaFile, line: u32) -> Option<Replacement> {
    let class = file.on_line("class_declaration", line).last()?;
    type_changed(
        file,
        *named_children(class.child_by_field_name("superclass")?).first()?,
    )
}

struct MakingCall<'f> {
    file: &'f JavaFile,
    node: Node<'f>,
    name: Node<'f>,
    arguments: Vec<Node<'f>>,
}

impl<'f> MakingCall<'f> {
    fn name(&self) -> &'f str {
        self.file.of(self.name)
    }

    /// Whether its method is statically imported from a class.
    fn is_static(&self, holder: &str) -> bool {
        self.file.static_holders(self.name()).contains(&holder)
    }

    /// Inside of the parentheses.
    fn inside(&self) -> Range<usize> {
        inside_arguments(self.node).unwrap_or(self.node.end_byte()..self.node.end_byte())
    }

    fn change(&self, edits: Edits, imports: impl IntoIterator<Item = Import>, new: &str) -> Replacement {
        Replacement {
            edits,
            imports: imports.into_iter().collect(),
            new: new.to_owned(),
            old: self.name().to_owned(),
        }
    }

    /// Whether more text makes the line of the call one that nobody would write.
    fn is_long_with(&self, added: &str) -> bool {
        let text = self.file.text();
        let start = text[..self.node.end_byte()]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let line = text[start..].lines().next().unwrap_or_default();
        line.chars().count() + added.chars().count() > WIDEST
    }

    /// What begins a line that goes on with a statement.
    fn continuation(&self) -> String {
        let (end, indent) = (self.file.line_end(), self.file.indentation(self.node));
        format!("{end}{indent}{}", self.file.indent_unit().repeat(2))
    }

    /// `holder`: how `Collectors` is written; `None` where its methods are imported.
    fn collector(&self, holder: Option<&str>) -> Option<Replacement> {
        let is_set = self.name() == "toSet";
        let class = if is_set { "LinkedHashSet" } else { "LinkedHashMap" };
        let (text, import) = self.file.using(&format!("java.util.{class}"));
        let made = format!("{text}::new");
        let mut imports: Vec<Import> = import.into_iter().collect();
        let mut collectors = |method: &str| match holder {
            Some(holder) => format!("{holder}.{method}"),
            None => {
                imports.push(Import::Static(format!("java.util.stream.Collectors.{method}")));
                method.to_owned()
            }
        };
        let edits = match (self.name(), &self.arguments[..]) {
            ("toSet", []) => Edits::new().replace(
                self.node.byte_range(),
                format!("{}({made})", collectors("toCollection")),
            ),
            ("toMap", [_, value]) => {
                let names = [("a", "b"), ("first", "second"), ("left", "right")];
                let is_free = |(a, b): &&(&str, &str)| {
                    fresh_name(self.file, self.node, &[a]).is_some()
                        && fresh_name(self.file, self.node, &[b]).is_some()
                };
                let (a, b) = names.iter().find(is_free)?;
                // As `toMap` with two arguments does.
                let merge =
                    format!("({a}, {b}) -> {{ throw new IllegalStateException(\"duplicate key\"); }}");
                let added = format!(", {merge}, {made}");
                let added = match self.is_long_with(&added) {
                    true => format!(",{0}{merge},{0}{made}", self.continuation()),
                    false => added,
                };
                Edits::new().insert(value.end_byte(), added)
            }
            ("toMap", [_, _, merge]) => Edits::new().insert(merge.end_byte(), format!(", {made}")),
            ("groupingBy", [by]) => {
                Edits::new().insert(by.end_byte(), format!(", {made}, {}()", collectors("toList")))
            }
            ("groupingBy", [_, below]) => Edits::new().insert(below.start_byte(), format!("{made}, ")),
            _ => return None,
        };
        Some(self.change(edits, imports, class))
    }

    /// `Sets.newHashSet` and `Maps.newHashMap` of Guava and AssertJ, which have linked kin of nearly the same
    /// parameters.
    fn factory(&self) -> Option<Replacement> {
        let new = match self.name() {
            "newHashSet" => "newLinkedHashSet",
            "newHashSetWithExpectedSize" => "newLinkedHashSetWithExpectedSize",
            "newHashMap" => "newLinkedHashMap",
            "newHashMapWithExpectedSize" => "newLinkedHashMapWithExpectedSize",
            _ => return None,
        };
        let mut imports = Vec::new();
        let mut is_assertj = self
            .file
            .imported("Sets")
            .is_some_and(|name| name.starts_with("org.assertj"));
        if self.node.child_by_field_name("object").is_none() {
            let holder = *self.file.static_holders(self.name()).first()?;
            is_assertj = holder.starts_with("org.assertj");
            imports.push(Import::Static(format!("{holder}.{new}")));
        }
        let mut edits = Edits::new().replace(self.name.byte_range(), new);
        // Guava has no `newLinkedHashSet` of elements.
        if new == "newLinkedHashSet" && !is_assertj && self.has_elements() {
            let (arrays, import) = self.file.using("java.util.Arrays");
            imports.extend(import);
            let inside = self.inside();
            edits = edits
                .insert(inside.start, format!("{arrays}.asList("))
                .insert(inside.end, ")");
        }
        Some(self.change(edits, imports, new))
    }

    /// Whether elements are given, and not a collection of them.
    fn has_elements(&self) -> bool {
        match self.arguments[..] {
            [] => false,
            [only] => {
                let is_array = only.kind() == "identifier"
                    && self
                        .file
                        .declared_type(self.file.of(only), only)
                        .is_some_and(|declared| declared.ends_with("[]") || declared == "String");
                is_array
                    || only.kind().ends_with("_literal")
                    || matches!(
                        only.kind(),
                        "array_creation_expression" | "class_literal" | "true" | "false"
                    )
            }
            _ => true,
        }
    }

    /// `HashMultimap.create`.
    fn multi(&self) -> Option<Replacement> {
        let object = self.node.child_by_field_name("object")?;
        let class = self.file.imported(self.file.of(object))?;
        if self.name() != "create" || !class.starts_with("com.google.common.collect.") {
            return None;
        }
        // The two expected sizes are the same for both.
        let linked = class.replace("collect.Hash", "collect.LinkedHash");
        let (text, import) = self.file.using(&linked);
        let edits = Edits::new().replace(object.byte_range(), text);
        let new = linked.rsplit('.').next().unwrap_or(&linked);
        Some(Replacement {
            old: self.file.of(object).to_owned(),
            ..self.change(edits, import, new)
        })
    }

    fn is_of_java_util(&self, class: &str) -> bool {
        let full = format!("java.util.{class}");
        self.file.imported(class).is_none_or(|imported| imported == full)
    }

    fn set_of(&self) -> Option<Replacement> {
        let (set, made) = self.file.using("java.util.LinkedHashSet");
        let (list, listed) = self.file.using("java.util.List");
        let inside = self.inside();
        let head = self.node.start_byte()..inside.start;
        let (edits, imports) = match (self.name(), self.arguments.len()) {
            ("copyOf", 1) => (Edits::new().replace(head, format!("new {set}<>(")), vec![made]),
            ("of", 2..) => (
                Edits::new()
                    .replace(head, format!("new {set}<>({list}.of("))
                    .insert(inside.end, ")"),
                vec![made, listed],
            ),
            _ => return None,
        };
        let change = self.change(edits, imports.into_iter().flatten(), "LinkedHashSet");
        self.is_of_java_util("Set").then_some(Replacement {
            old: format!("Set.{}", self.name()),
            ..change
        })
    }

    fn map_of(&self, clues: &Clues<'_>) -> Option<Replacement> {
        if !self.is_of_java_util("Map") {
            return None;
        }
        let inside = self.inside();
        let pairs = self.arguments.len() / 2;
        let old = format!("Map.{}", self.name());
        if self.name() == "copyOf" && self.arguments.len() == 1 {
            let (map, import) = self.file.using("java.util.LinkedHashMap");
            let head = self.node.start_byte()..inside.start;
            let edits = Edits::new().replace(head, format!("new {map}<>("));
            return Some(Replacement {
                old,
                ..self.change(edits, import, "LinkedHashMap")
            });
        }
        if self.name() != "of" || pairs < 2 {
            return None;
        }
        // Ten pairs came with 31; five were always there.
        let most = if clues.libraries.has_at_least("guava", (31, 0)) {
            10
        } else {
            5
        };
        let guava = "com.google.common.collect.ImmutableMap";
        if self.file.imported("ImmutableMap") == Some(guava) && pairs <= most {
            let object = self.node.child_by_field_name("object")?;
            let edits = Edits::new().replace(object.byte_range(), "ImmutableMap");
            return Some(Replacement {
                old,
                ..self.change(edits, [], "ImmutableMap.of")
            });
        }
        let change = self.puts(pairs)?;
        Some(Replacement { old, ..change })
    }

    /// `Map<K, V> m = Map.of(k, v, l, w);` as statements, which is short enough for two pairs.
    fn puts(&self, pairs: usize) -> Option<Replacement> {
        let declarator = self
            .node
            .parent()
            .filter(|up| up.kind() == "variable_declarator")?;
        let declaration = declarator
            .parent()
            .filter(|up| up.kind() == "local_variable_declaration")?;
        let is_lone = named_children(declaration)
            .iter()
            .filter(|child| child.kind() == "variable_declarator")
            .count()
            == 1;
        let is_var = self.file.field(declaration, "type") == "var";
        let is_in_block = ancestors(declaration)
            .next()
            .is_some_and(|up| up.kind() == "block");
        if pairs > 2 || !is_lone || is_var || !is_in_block {
            return None;
        }
        let (map, import) = self.file.using("java.util.LinkedHashMap");
        let variable = self.file.field(declarator, "name");
        let start = format!("{}{}", self.file.line_end(), self.file.indentation(declaration));
        let puts: String = self
            .arguments
            .chunks(2)
            .map(|pair| {
                let [key, value] = [pair[0], pair[1]].map(|part| self.file.of(part));
                format!("{start}{variable}.put({key}, {value});")
            })
            .collect();
        let edits = Edits::new()
            .replace(self.node.byte_range(), format!("new {map}<>()"))
            .insert(declaration.end_byte(), puts);
        Some(self.change(edits, import, "LinkedHashMap"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::case;

    const IMPORTS: &str =
        "import com.google.common.collect.*;\nimport java.util.*;\nimport java.util.stream.*;\n";

    /// A statement of a test, whose last line makes the collection, and each of what it becomes.
    fn check(statement: &str, expected: &[&str]) {
        check_with(IMPORTS, statement, expected);
    }

    fn check_with(imports: &str, statement: &str, expected: &[&str]) {
        let source = format!("{imports}class ATest {{\n  void a() {{\n    {statement}/*makes*/\n  }}\n}}\n");
        let candidates = case(&source).candidates(propose);
        let plain = source.replace("/*makes*/", "");
        let shown: Vec<String> = candidates
            .iter()
            .map(|candidate| {
                let new = candidate.edits.values().next().unwrap().apply(&plain);
                JavaFile::parse("A.java", new.clone()).unwrap();
                let body = new.split_once("void a() {\n").unwrap().1;
                body.rsplit_once("\n  }")
                    .unwrap()
                    .0
                    .trim()
                    .replace("\n    ", "\n")
            })
            .collect();
        assert_eq!(shown, expected, "{statement}");
    }

    #[test]
    fn the_collection_that_is_made_becomes_a_linked_one() {
        case(
            "import java.util.*;\nclass ATest {\n  void a() {\n    Map<String, Integer> m = new HashMap<>();/*makes*/\n    \
             assertEquals(\"x\", m.toString());/*fails*/\n  }\n}\n",
        )
        .check(
            propose,
            &["-Map<String, Integer> m = new HashMap<>();\n+Map<String, Integer> m = new LinkedHashMap<>();"],
        );
    }

    #[test]
    fn it_is_imported_where_needed() {
        case("class ATest {\n  Object o = new java.util.HashSet<String>(4);/*makes*/\n}\n").check(
            propose,
            &[
                "+import java.util.LinkedHashSet;\n+\n-Object o = new java.util.HashSet<String>(4);\n\
               +Object o = new LinkedHashSet<String>(4);",
            ],
        );
    }

    #[test]
    fn what_has_no_linked_kin_stays() {
        check("Object o = new TreeMap<>(new Sorted());", &[]);
        check("Object o = new ConcurrentHashMap<>();", &[]);
        check("Object o = new IdentityHashMap<>();", &[]);
        check("Object o = new Properties();", &[]);
        check("Object o = TreeMap::new;", &[]);
        check("Object o = other.HashMap.make();", &[]);
        check_with("import other.HashMap;\n", "Object o = new HashMap<>();", &[]);
    }

    #[test]
    fn constructors_in_every_form() {
        check(
            "use(new HashMap<String, X>() {{ put(\"a\", null); }});",
            &["use(new LinkedHashMap<String, X>() {{ put(\"a\", null); }});"],
        );
        check(
            "m.computeIfAbsent(k, x -> new HashSet<>()).add(y);",
            &["m.computeIfAbsent(k, x -> new LinkedHashSet<>()).add(y);"],
        );
        check(
            "Supplier<Set<String>> s = HashSet::new;",
            &["Supplier<Set<String>> s = LinkedHashSet::new;"],
        );
        check(
            "s = HashMap<String, X>::new;",
            &["s = LinkedHashMap<String, X>::new;"],
        );
        check(
            "both(new HashMap<>(), new HashSet<>(given));",
            &[
                "both(new LinkedHashMap<>(), new HashSet<>(given));",
                "both(new HashMap<>(), new LinkedHashSet<>(given));",
            ],
        );
    }

    #[test]
    fn a_subclass_extends_the_linked_one() {
        let source = "import java.util.*;\nclass ATest extends HashMap<String, X> {\n  ATest() {\n    super();/*makes*/\n  }\n}\n";
        case(source).check(propose, &[]);
        case(source).made_in("p.ATest.<init>").check(
            propose,
            &["-class ATest extends HashMap<String, X> {\n+class ATest extends LinkedHashMap<String, X> {"],
        );
    }

    #[test]
    fn collectors_get_a_linked_collection() {
        check(
            "s = all.stream()\n        .map(f)\n        .collect(Collectors.toSet());",
            &["s = all.stream()\n    .map(f)\n    .collect(Collectors.toCollection(LinkedHashSet::new));"],
        );
        check(
            "m = all.collect(Collectors.toMap(k, v));",
            &[
                "m = all.collect(Collectors.toMap(k, v,\n    (first, second) -> { throw new IllegalStateException(\
                 \"duplicate key\"); },\n    LinkedHashMap::new));",
            ],
        );
        check(
            "m = all.collect(Collectors.toMap(k, v, (a, b) -> a));",
            &["m = all.collect(Collectors.toMap(k, v, (a, b) -> a, LinkedHashMap::new));"],
        );
        check(
            "m = all.collect(Collectors.groupingBy(f));",
            &["m = all.collect(Collectors.groupingBy(f, LinkedHashMap::new, Collectors.toList()));"],
        );
        check(
            "m = all.collect(Collectors.groupingBy(f, counting()));",
            &["m = all.collect(Collectors.groupingBy(f, LinkedHashMap::new, counting()));"],
        );
        check(
            "m = all.collect(Collectors.groupingBy(f, TreeMap::new, counting()));",
            &[],
        );
        check("m = all.collect(Collectors.toList());", &[]);
        check("m = all.collect(Collectors.toConcurrentMap(k, v));", &[]);
        check_with(
            "import static java.util.stream.Collectors.groupingBy;\nimport java.util.*;\n",
            "m = all.collect(groupingBy(f));",
            &["m = all.collect(groupingBy(f, LinkedHashMap::new, toList()));"],
        );
        check("m = all.collect(toSet());", &[]);
    }

    #[test]
    fn collectors_methods_are_imported_as_the_file_does() {
        case("import static java.util.stream.Collectors.toSet;\nclass ATest {\n  Object o = all.collect(toSet());/*makes*/\n}\n")
            .check(
                propose,
                &[
                    "+import static java.util.stream.Collectors.toCollection;\n\
                     +\n+import java.util.LinkedHashSet;\n\
                     -Object o = all.collect(toSet());\n+Object o = all.collect(toCollection(LinkedHashSet::new));",
                ],
            );
    }

    #[test]
    fn factories_of_guava() {
        check("s = Sets.newHashSet();", &["s = Sets.newLinkedHashSet();"]);
        check(
            "s = Sets.newHashSet(given);",
            &["s = Sets.newLinkedHashSet(given);"],
        );
        check(
            "s = Sets.newHashSet(\"a\");",
            &["s = Sets.newLinkedHashSet(Arrays.asList(\"a\"));"],
        );
        check(
            "s = Sets.newHashSet(a, b);",
            &["s = Sets.newLinkedHashSet(Arrays.asList(a, b));"],
        );
        check("m = Maps.newHashMap();", &["m = Maps.newLinkedHashMap();"]);
        check("m = Maps.newTreeMap();", &[]);
        check("m = Maps.newConcurrentMap();", &[]);
        check_with(
            "import org.assertj.core.util.Sets;\n",
            "s = Sets.newHashSet(a, b);",
            &["s = Sets.newLinkedHashSet(a, b);"],
        );
        check_with(
            "import com.google.common.collect.HashMultimap;\n",
            "m = HashMultimap.create();",
            &["m = LinkedHashMultimap.create();"],
        );
        check("m = ArrayListMultimap.create();", &[]);
    }

    #[test]
    fn immutable_sets_and_maps() {
        check("s = Set.of(a, b);", &["s = new LinkedHashSet<>(List.of(a, b));"]);
        check("s = Set.copyOf(given);", &["s = new LinkedHashSet<>(given);"]);
        check("s = Set.of(a);", &[]);
        check("s = List.of(a, b);", &[]);
        check(
            "Map<String, Integer> m = Map.of(\"a\", 1, \"b\", 2);",
            &["Map<String, Integer> m = new LinkedHashMap<>();\nm.put(\"a\", 1);\nm.put(\"b\", 2);"],
        );
        check(
            "Map<String, Integer> m = Map.of(\"a\", 1, \"b\", 2, \"c\", 3);",
            &[],
        );
        check("var m = Map.of(\"a\", 1, \"b\", 2);", &[]);
        check("use(Map.of(\"a\", 1, \"b\", 2));", &[]);
        check_with(
            "import com.google.common.collect.ImmutableMap;\n",
            "use(Map.of(\"a\", 1, \"b\", 2, \"c\", 3));",
            &["use(ImmutableMap.of(\"a\", 1, \"b\", 2, \"c\", 3));"],
        );
        check_with("import other.Set;\n", "s = Set.of(a, b);", &[]);
    }

    #[test]
    fn main_code_tells_that_output_changes() {
        let case = case("class ATest {}\n")
            .main("import java.util.*;\nclass Main {\n  Set<X> s = new HashSet<>();/*makes*/\n}\n");
        assert_eq!(
            case.candidates(propose)[0].why,
            "use `LinkedHashSet`, which iterates in the order of insertion, instead of `HashSet`; output that follows \
             this order changes once"
        );
        assert_eq!(case.candidates(propose)[0].safety, Safety::Test);
    }

    #[test]
    fn what_says_that_it_hashes_promises_no_order() {
        let case = |class: &str| {
            let field = "{\n  Set<X> s = new HashSet<>();/*makes*/\n}\n";
            case("class ATest {}\n").main(&format!("import java.util.*;\n{class} {field}"))
        };
        for class in ["class HashBag", "/** Wraps a {@link HashSet}. */\nclass Bag"] {
            let candidate = case(class).candidates(propose).remove(0);
            assert_eq!(candidate.safety, Safety::Suggestion, "{class}");
            assert!(
                candidate.why.ends_with(" says that it hashes"),
                "{}",
                candidate.why
            );
        }
        let test = "import java.util.*;\nclass HashBagTest {\n  Set<X> s = new HashSet<>();/*makes*/\n}\n";
        let candidate = crate::testing::case(test).candidates(propose).remove(0);
        assert_eq!(candidate.safety, Safety::Test);
    }
}
