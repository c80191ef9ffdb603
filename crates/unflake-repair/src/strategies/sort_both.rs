//! What has no order is sorted in the test: the files of a directory where the test lists them, and both sides of a
//! comparison that goes over them by index.

use crate::assertion::{Comparison, Style};
use crate::candidate::{Candidate, Mutant, Mutation};
use crate::clues::Clues;
use crate::edit::Edits;
use crate::elements::fresh_name;
use crate::java::{JavaFile, ancestors, arguments, descendants};
use crate::rewrite::{SPOILT, with_spoiling};
use crate::types::{JavaType, Shape, type_of};
use tree_sitter::Node;

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let mut found = listed_files(clues);
    found.extend(in_loops(clues));
    found
}

/// `File[] files = directory.listFiles();` in test code.
fn listed_files(clues: &Clues<'_>) -> Vec<Candidate> {
    let is_listing = clues.choice.api.starts_with("File.list") || clues.choice.api.starts_with("Files.");
    let Some(place) = clues.choice.call.as_ref().filter(|_| is_listing) else {
        return Vec::new();
    };
    let Some(file) = clues
        .sources
        .file(&place.file)
        .filter(|_| clues.sources.is_test(&place.file))
    else {
        return Vec::new();
    };
    let calls = file.on_line("method_invocation", place.line);
    let found = calls.filter_map(
        |call| match (file.field(call, "object"), file.field(call, "name")) {
            ("Files", "list" | "walk" | "find") => Some(sorted_stream(&file, call)),
            (object, "listFiles" | "list") if !object.is_empty() && object != "Files" => {
                sorted_array(&file, call)
            }
            _ => None,
        },
    );
    found.take(1).collect()
}

fn why_of_files() -> &'static str {
    "sort the files, since a directory lists them in no specified order"
}

fn sorted_stream(file: &JavaFile, call: Node<'_>) -> Candidate {
    let edits = Edits::new().insert(call.end_byte(), ".sorted()");
    Candidate::plain(why_of_files(), &file.path, edits)
}

fn sorted_array(file: &JavaFile, call: Node<'_>) -> Option<Candidate> {
    let statement = file.statement_of(call)?;
    statement.parent().filter(|parent| parent.kind() == "block")?;
    let (arrays, import) = file.using("java.util.Arrays");
    let gap = format!("{}{}", file.line_end(), file.indentation(statement));
    let declarator = call
        .parent()
        .filter(|parent| parent.kind() == "variable_declarator");
    let edits = match declarator {
        Some(declarator) => {
            let variable = file.field(declarator, "name");
            Edits::new().insert(statement.end_byte(), format!("{gap}{arrays}.sort({variable});"))
        }
        None => {
            let method = ancestors(statement).find(|above| above.kind().ends_with("_declaration"))?;
            let is_names = file.field(call, "name") == "list";
            let wanted = if is_names {
                ["names", "fileNames", "listedNames"]
            } else {
                ["files", "listedFiles", "sortedFiles"]
            };
            let variable = fresh_name(file, method, &wanted)?;
            // A lambda or a loop calls it at another time than the statement begins.
            let is_direct = ancestors(call)
                .take_while(|above| above.id() != statement.id())
                .all(|above| above.kind() != "lambda_expression" && above.kind() != "switch_expression");
            if !is_direct
                || matches!(
                    statement.kind(),
                    "for_statement" | "while_statement" | "do_statement"
                )
            {
                return None;
            }
            let of = if is_names {
                "String".to_owned()
            } else {
                file.using("java.io.File").0
            };
            let lines = format!(
                "{of}[] {variable} = {};{gap}{arrays}.sort({variable});{gap}",
                file.of(call)
            );
            Edits::new()
                .insert(statement.start_byte(), lines)
                .replace(call.byte_range(), variable)
        }
    };
    Some(Candidate::plain(
        why_of_files(),
        &file.path,
        file.with_imports(edits, import),
    ))
}

/// `for (…) { assertEquals(expected[i], actual.get(i)); }`
fn in_loops(clues: &Clues<'_>) -> Vec<Candidate> {
    let Some(place) = clues.assertion() else {
        return Vec::new();
    };
    let Some(file) = clues.sources.file(&place.file) else {
        return Vec::new();
    };
    let found = Comparison::on_line(&file, place.line);
    let found = found.into_iter().filter_map(|comparison| {
        let is_plain = matches!(
            comparison.style,
            Style::MessageFirst | Style::MessageLast | Style::ActualFirst
        );
        let index = index_of(&file, comparison.expected)?;
        let is_same = index_of(&file, comparison.actual)?.1 == index.1;
        let both = [index.0, index_of(&file, comparison.actual)?.0];
        (is_plain && is_same).then(|| sorted_before_loop(clues, &file, comparison, both))?
    });
    found.collect()
}

/// The local list or array and the index variable of `list.get(i)` or `array[i]`.
fn index_of<'f>(file: &'f JavaFile, node: Node<'f>) -> Option<(Node<'f>, &'f str)> {
    let (list, index) = match node.kind() {
        "array_access" => (
            node.child_by_field_name("array")?,
            node.child_by_field_name("index")?,
        ),
        "method_invocation" if file.field(node, "name") == "get" => {
            let [index] = arguments(node)[..] else {
                return None;
            };
            (node.child_by_field_name("object")?, index)
        }
        _ => return None,
    };
    let is_local = |name: Node<'f>| {
        let declared = file
            .declaration(file.of(name), name)
            .and_then(|found| found.parent());
        declared.is_some_and(|holder| holder.kind() == "local_variable_declaration")
    };
    let is_plain = list.kind() == "identifier" && index.kind() == "identifier" && is_local(list);
    is_plain.then(|| (list, file.of(index)))
}

fn sorted_before_loop(
    clues: &Clues<'_>,
    file: &JavaFile,
    comparison: Comparison<'_>,
    both: [Node<'_>; 2],
) -> Option<Candidate> {
    let outer = ancestors(comparison.call).find(|above| above.kind() == "for_statement")?;
    // Without it, sorting would hide an element that is there twice.
    let size = size_assertion(file, outer, both)?;
    // Whatever else is compared by the index belongs to the same element.
    let n_picks = descendants(outer)
        .filter(|node| index_of(file, *node).is_some())
        .count();
    let types: Vec<JavaType> = both
        .iter()
        .map(|list| type_of(clues.sources, file, *list))
        .collect::<Option<_>>()?;
    let is_comparable = |of: &JavaType| of.element().is_some_and(|element| element.is_comparable());
    let declared: Vec<&str> = both
        .iter()
        .filter_map(|list| file.declaration(file.of(*list), *list))
        .map(|declared| file.of(declared))
        .collect();
    if n_picks != 2 || !types.iter().all(is_comparable) || !clues.choice_made_the_order(&declared.join("\n"))
    {
        return None;
    }
    let mut imports = Vec::new();
    let gap = format!("{}{}", file.line_end(), file.indentation(size));
    let mut sorted = String::new();
    for (list, of) in both.iter().zip(&types) {
        let holder = match of.shape() {
            Shape::Array | Shape::PrimitiveArray => "java.util.Arrays",
            Shape::List => "java.util.Collections",
            _ => return None,
        };
        let (holder, import) = file.using(holder);
        imports.extend(import);
        sorted.push_str(&format!("{holder}.sort({});{gap}", file.of(*list)));
    }
    let edits = |before: String| {
        let edits = Edits::new().insert(size.start_byte(), format!("{before}{sorted}"));
        file.with_imports(edits, imports.clone())
    };
    let mutations = [
        (Mutation::ExpectedDropped, both[0]),
        (Mutation::ExpectedChanged, both[0]),
        (Mutation::ExpectedDoubled, both[0]),
        (Mutation::ActualDropped, both[1]),
        (Mutation::ActualDoubled, both[1]),
    ];
    let mutants = mutations.map(|(mutation, list)| {
        let list = file.of(list);
        let edits = edits(format!("{list} = {SPOILT}({list});{gap}"));
        Mutant {
            mutation,
            edits: with_spoiling(file, edits, mutation, outer.start_byte()),
        }
    });
    let why = "sort both sides before they are compared by index, since the order is not specified";
    Some(Candidate::of_assertion(
        why,
        &file.path,
        size.start_byte()..outer.end_byte(),
        edits(String::new()),
        mutants.to_vec(),
    ))
}

/// The assertion right before a loop that both sides have the same number of elements.
fn size_assertion<'f>(file: &'f JavaFile, outer: Node<'f>, both: [Node<'f>; 2]) -> Option<Node<'f>> {
    let before = std::iter::successors(outer.prev_named_sibling(), |node| node.prev_named_sibling())
        .find(|node| !node.is_extra())?;
    let text = file.of(before);
    let has_size = |list: Node<'f>| {
        let list = file.of(list);
        text.contains(&format!("{list}.size()")) || text.contains(&format!("{list}.length"))
    };
    let is_size = both.into_iter().all(has_size);
    let is_in_block = before.parent().is_some_and(|parent| parent.kind() == "block");
    let is_assertion = before.kind() == "expression_statement" && text.contains("assert");
    (is_size && is_in_block && is_assertion).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, case};

    fn listing(statements: &str) -> Case {
        let test = format!(
            "import java.io.File;\nimport java.util.*;\n\nclass ATest {{\n  void a(File dir) {{\n\
             {statements}\n  }}\n}}\n"
        );
        case(&test).api("File.listFiles")
    }

    #[test]
    fn files_are_sorted_where_the_test_lists_them() {
        listing("    File[] all = dir.listFiles();/*calls*/\n    use(all);")
            .check(propose, &["+Arrays.sort(all);"]);
        listing("    use(dir.list()[0]);/*calls*/").check(
            propose,
            &["-use(dir.list()[0]);\n+String[] names = dir.list();\n+Arrays.sort(names);\n+use(names[0]);"],
        );
        listing("    for (File one : dir.listFiles()) {/*calls*/\n      use(one);\n    }").check(
            propose,
            &["-for (File one : dir.listFiles()) {\n+File[] files = dir.listFiles();\n+Arrays.sort(files);\n\
               +for (File one : files) {"],
        );
        listing("    use(Files.list(dir.toPath()).findFirst());/*calls*/")
            .api("Files.newDirectoryStream")
            .check(
                propose,
                &["-use(Files.list(dir.toPath()).findFirst());\n\
                   +use(Files.list(dir.toPath()).sorted().findFirst());"],
            );
    }

    #[test]
    fn files_that_are_listed_elsewhere_or_later_stay() {
        listing("    use(() -> dir.listFiles());/*calls*/").check(propose, &[]);
        listing("    while (dir.list().length > 0) {}/*calls*/").check(propose, &[]);
        listing("    use(listFiles());/*calls*/").check(propose, &[]);
        listing("    File[] all = dir.listFiles();/*calls*/")
            .api("HashMap.keySet")
            .check(propose, &[]);
        let main = "class Main {\n  Object a(File d) {\n    \
                    File[] f = d.listFiles();/*calls*/\n    return f;\n  }\n}\n";
        listing("").main(main).check(propose, &[]);
    }

    fn looped(statements: &str) -> Case {
        let test = format!("import java.util.*;\n\nclass ATest {{\n  void a() {{\n{statements}\n  }}\n}}\n");
        case(&test).orders(&["x", "y"], &["y", "x"])
    }

    const SIDES: &str = "    String[] e = {\"y\", \"x\"};\n    List<String> got = made();\n";

    #[test]
    fn both_sides_are_sorted_before_a_loop_over_the_index() {
        let case = looped(&format!(
            "{SIDES}    assertEquals(e.length, got.size());\n    for (int i = 0; i < 2; i++) {{\n      \
             assertEquals(e[i], got.get(i));/*fails*/\n    }}"
        ));
        case.check(propose, &["+Arrays.sort(e);\n+Collections.sort(got);"]);
        let [candidate] = &case.candidates(propose)[..] else {
            panic!("there is not exactly one candidate");
        };
        assert_eq!(candidate.mutants.len(), 5);
    }

    #[test]
    fn a_loop_that_would_hide_something_is_refused() {
        let size = "    assertEquals(e.length, got.size());\n";
        let start = "    for (int i = 0; i < 2; i++) {\n      ";
        let refused = |statements: String| looped(&statements).check(propose, &[]);
        // The size is not asserted.
        refused(format!(
            "{SIDES}{start}assertEquals(e[i], got.get(i));/*fails*/\n    }}"
        ));
        let of_one = "    assertEquals(2, got.size());\n";
        refused(format!(
            "{SIDES}{of_one}{start}assertEquals(e[i], got.get(i));/*fails*/\n    }}"
        ));
        // More is compared of each element.
        refused(format!(
            "{SIDES}{size}{start}assertEquals(e[i], got.get(i));/*fails*/\n      use(got.get(i));\n    }}"
        ));
        // Two different elements.
        refused(format!(
            "{SIDES}{size}{start}assertEquals(e[i], got.get(j));/*fails*/\n    }}"
        ));
        // No order that both have.
        refused(format!(
            "    Foo[] e = {{}};\n    List<Foo> got = made();\n{size}{start}\
             assertEquals(e[i], got.get(i));/*fails*/\n    }}"
        ));
    }
}
