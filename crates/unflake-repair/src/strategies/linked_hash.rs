//! R3: where a hash collection is made, make the linked one, which keeps the order of insertion.

use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::java::JavaFile;
use tree_sitter::Node;
use unflake_findings::SourcePlace;

/// Classes, and those that keep the order.
const LINKED: [(&str, &str); 2] = [("HashMap", "LinkedHashMap"), ("HashSet", "LinkedHashSet")];

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let places = clues.choice.allocation.iter().chain(&clues.choice.call);
    let found = places.flat_map(|place| at(clues, place));
    found.collect()
}

fn at(clues: &Clues<'_>, place: &SourcePlace) -> Vec<Candidate> {
    let Some(file) = clues.sources.file(&place.file) else {
        return Vec::new();
    };
    let created = file.on_line("object_creation_expression", place.line);
    created.filter_map(|created| linked(&file, created)).collect()
}

fn linked(file: &JavaFile, created: Node<'_>) -> Option<Candidate> {
    let named = created.child_by_field_name("type")?;
    let name = match named.kind() {
        "generic_type" => named.named_child(0)?,
        _ => named,
    };
    let simple = file.of(name).rsplit('.').next()?;
    let (_, linked) = LINKED.iter().find(|(hash, _)| *hash == simple)?;
    let full = format!("java.util.{linked}");
    let (text, import) = file.using(&full);
    let edits = Edits::new().replace(name.byte_range(), text);
    let edits = file.with_imports(edits, import);
    Some(Candidate::plain(
        format!("use `{linked}`, which iterates in the order of insertion, instead of `{simple}`"),
        &file.path,
        edits,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::case;

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
    fn what_is_no_hash_collection_stays() {
        case("class ATest {\n  Object o = new TreeMap<>(new Sorted());/*makes*/\n}\n").check(propose, &[]);
    }
}
