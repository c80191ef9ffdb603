//! Classes that say that they hash, in their name or in their documentation. Whoever chose one did without an order.

use crate::java::{JavaFile, TYPES};
use crate::unused::has_word;
use tree_sitter::Node;

/// The name of the class around a byte that says so. `collection`: what it makes, such as `HashMap`, which its
/// documentation may name.
pub(crate) fn says_that_it_hashes<'f>(file: &'f JavaFile, at: usize, collection: &str) -> Option<&'f str> {
    let around = file
        .nodes()
        .filter(|node| TYPES.contains(&node.kind()) && node.byte_range().contains(&at));
    let says = |class: &Node<'_>| {
        is_named_after_hashing(file.field(*class, "name"))
            || documentation(file, *class).is_some_and(|text| has_word(text, collection))
    };
    around.filter(says).map(|class| file.field(class, "name")).next()
}

/// `DualHashBidiMap`, `HashBag`, `HashedMap`; not `LinkedHashBag` and not `Rehasher`.
fn is_named_after_hashing(name: &str) -> bool {
    let is_word = |at: usize, word: &str| {
        let rest = &name[at + word.len()..];
        !rest.starts_with(|c: char| c.is_lowercase())
    };
    let mut found = ["Hash", "Hashed"]
        .into_iter()
        .flat_map(|word| name.match_indices(word));
    !name.contains("Linked") && found.any(|(at, word)| is_word(at, word))
}

/// The documentation comment directly before a declaration.
fn documentation<'f>(file: &'f JavaFile, declaration: Node<'f>) -> Option<&'f str> {
    let comment = declaration
        .prev_sibling()
        .filter(|before| before.kind() == "block_comment")?;
    Some(file.of(comment)).filter(|text| text.starts_with("/**"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let file = JavaFile::parse("A.java", text).unwrap();
        let at = text.find("new HashMap").unwrap();
        assert_eq!(says_that_it_hashes(&file, at, "HashMap"), expected, "{text}");
    }

    #[test]
    fn the_name_or_the_documentation_says_so() {
        let field = "{ Object m = new HashMap(); }";
        for name in ["HashBag", "DualHashBidiMap", "HashedMap", "IdentityHash"] {
            check(&format!("class {name} {field}"), Some(name));
        }
        for name in ["LinkedHashBag", "Rehasher", "Hashtag", "Registry"] {
            check(&format!("class {name} {field}"), None);
        }
        check(
            &format!("/** Uses two {{@link HashMap}}s. */\npublic class A {field}"),
            Some("A"),
        );
        check(&format!("/* A HashMap. */\nclass A {field}"), None);
        check(&format!("/** A LinkedHashMap. */\nclass A {field}"), None);
        check(
            &format!("class HashBag {{ class Part {field} }}"),
            Some("HashBag"),
        );
    }
}
