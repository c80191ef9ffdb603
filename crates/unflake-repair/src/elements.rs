//! Expressions that name the elements of a list, a set or an array one by one, and those that copy a collection.

use crate::java::{JavaFile, arguments, descendants, named_children};
use tree_sitter::Node;

/// `Arrays.asList(a, b)` and its like: holder, method.
const FACTORIES: [(&str, &str); 9] = [
    ("Arrays", "asList"),
    ("List", "of"),
    ("Lists", "newArrayList"),
    ("ImmutableList", "of"),
    ("Collections", "singletonList"),
    ("Set", "of"),
    ("Sets", "newHashSet"),
    ("ImmutableSet", "of"),
    ("Collections", "singleton"),
];
/// Of those, what is called by its own name after a static import.
const STATIC: [&str; 3] = ["asList", "newArrayList", "newHashSet"];

/// The elements that an expression lists.
pub(crate) fn listed<'f>(file: &'f JavaFile, node: Node<'f>) -> Option<Vec<Node<'f>>> {
    match node.kind() {
        "method_invocation" => {
            let name = file.field(node, "name");
            let is_factory = match node.child_by_field_name("object") {
                Some(object) => {
                    let holder = file.of(object).rsplit('.').next()?;
                    FACTORIES.contains(&(holder, name))
                }
                None => STATIC.contains(&name),
            };
            let elements = arguments(node);
            // One argument that is no literal may be an array of all.
            let is_clear = elements.len() != 1 || elements[0].kind().ends_with("_literal");
            (is_factory && is_clear).then_some(elements)
        }
        "array_creation_expression" => node.child_by_field_name("value").map(named_children),
        "array_initializer" => Some(named_children(node)),
        "parenthesized_expression" => listed(file, *named_children(node).first()?),
        // `new ArrayList<>(Arrays.asList(a, b))`
        "object_creation_expression" => match arguments(node)[..] {
            [inner] => listed(file, inner),
            _ => None,
        },
        _ => None,
    }
}

/// Constants in the order of their type, if all are of one.
pub(crate) fn in_natural_order(constants: &[&str]) -> Option<Vec<String>> {
    let texts: Option<Vec<&str>> = constants.iter().map(|code| inside_quotes(code)).collect();
    if let Some(texts) = texts {
        return Some(ordered(constants, &texts));
    }
    let number = |code: &&str| {
        code.trim_end_matches(['L', 'l', 'f', 'F', 'd', 'D'])
            .parse::<f64>()
            .ok()
    };
    let numbers: Vec<f64> = constants.iter().map(number).collect::<Option<_>>()?;
    let mut all: Vec<(f64, &str)> = numbers.into_iter().zip(constants.iter().copied()).collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    Some(all.into_iter().map(|(_, code)| code.to_owned()).collect())
}

fn ordered<K: Ord>(constants: &[&str], keys: &[K]) -> Vec<String> {
    let mut order: Vec<usize> = (0..constants.len()).collect();
    order.sort_by_key(|at| &keys[*at]);
    order.into_iter().map(|at| constants[at].to_owned()).collect()
}

/// The text of a plain string or character literal. Java orders texts as bytes only within ASCII.
fn inside_quotes(code: &str) -> Option<&str> {
    let quote = code.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inside = code.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_plain = inside.is_ascii() && !inside.contains(['\\', quote]);
    is_plain.then_some(inside)
}

/// What a list or an array is a copy of: `set` in `new ArrayList<>(set)`, `set.toArray()`, `List.copyOf(set)`.
pub(crate) fn copied<'f>(file: &'f JavaFile, node: Node<'f>) -> Option<Node<'f>> {
    let one = |call: Node<'f>| match arguments(call)[..] {
        [only] if !only.kind().ends_with("_literal") => Some(only),
        _ => None,
    };
    match node.kind() {
        "parenthesized_expression" => copied(file, *named_children(node).first()?),
        "object_creation_expression" => {
            let name = file.field(node, "type").split('<').next()?.trim();
            let is_list = matches!(name.rsplit('.').next()?, "ArrayList" | "LinkedList" | "Vector");
            one(node).filter(|_| is_list)
        }
        "method_invocation" => {
            let object = node.child_by_field_name("object");
            let holder = object.map_or("", |object| file.of(object));
            match (holder, file.field(node, "name")) {
                ("Lists", "newArrayList") | ("ImmutableList" | "List", "copyOf") => one(node),
                ("Arrays", "asList") => copied(file, one(node)?),
                (_, "toArray") => without_stream(file, object?).or(object),
                (_, "toList") if arguments(node).is_empty() => without_stream(file, object?),
                (_, "collect") => {
                    let to = file.of(one(node)?);
                    let is_list = to.ends_with("toList()") || to.ends_with("toUnmodifiableList()");
                    without_stream(file, object?).filter(|_| is_list)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// `set` in `set.stream()`.
fn without_stream<'f>(file: &'f JavaFile, node: Node<'f>) -> Option<Node<'f>> {
    let is_stream = node.kind() == "method_invocation" && file.field(node, "name") == "stream";
    let object = node.child_by_field_name("object").filter(|_| is_stream)?;
    arguments(node).is_empty().then_some(object)
}

/// A name that nothing in a node has yet.
pub(crate) fn fresh_name(file: &JavaFile, within: Node<'_>, wanted: &[&str]) -> Option<String> {
    let is_taken =
        |name: &str| descendants(within).any(|node| node.kind() == "identifier" && file.of(node) == name);
    let free = wanted.iter().find(|name| !is_taken(name))?;
    Some((*free).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(expression: &str) -> JavaFile {
        JavaFile::parse("A.java", format!("class A {{ Object o = {expression}; }}")).unwrap()
    }

    fn node(file: &JavaFile) -> Node<'_> {
        file.nodes()
            .find_map(|node| node.child_by_field_name("value"))
            .unwrap()
    }

    #[test]
    fn elements_are_found_where_they_are_listed() {
        let check = |expression: &str, expected: Option<&str>| {
            let file = value(expression);
            let found = listed(&file, node(&file));
            let shown = found.map(|all| {
                all.into_iter()
                    .map(|one| file.of(one))
                    .collect::<Vec<_>>()
                    .join(" ")
            });
            assert_eq!(shown.as_deref(), expected, "{expression}");
        };
        check("Arrays.asList(a, 2)", Some("a 2"));
        check("new String[] {\"a\", b}", Some("\"a\" b"));
        check("java.util.List.of(1)", Some("1"));
        check("new ArrayList<>(asList(a, b))", Some("a b"));
        check("Arrays.asList(array)", None);
        check("made.of(a, b)", None);
        check("new String[2]", None);
    }

    #[test]
    fn constants_have_a_natural_order() {
        let check = |constants: &[&str], expected: Option<&[&str]>| {
            let found = in_natural_order(constants);
            let expected = expected.map(|all| all.iter().map(|one| (*one).to_owned()).collect());
            assert_eq!(found, expected, "{constants:?}");
        };
        check(&["\"b\"", "\"a\""], Some(&["\"a\"", "\"b\""]));
        check(&["10", "9"], Some(&["9", "10"]));
        check(&["10L", "9L"], Some(&["9L", "10L"]));
        check(&["9", "a"], None);
        check(&["9", "\"a\""], None);
        check(&["\"\\n\"", "\"a\""], None);
    }

    #[test]
    fn copies_are_seen_through() {
        let check = |expression: &str, expected: Option<&str>| {
            let file = value(expression);
            assert_eq!(
                copied(&file, node(&file)).map(|of| file.of(of)),
                expected,
                "{expression}"
            );
        };
        check("new ArrayList<>(m.keySet())", Some("m.keySet()"));
        check("s.toArray(new String[0])", Some("s"));
        check("s.stream().toArray(String[]::new)", Some("s"));
        check("s.stream().collect(Collectors.toList())", Some("s"));
        check("Arrays.asList(s.toArray())", Some("s"));
        check("s.stream().collect(Collectors.toSet())", None);
        check("s.stream().map(a).collect(toList())", None);
        check("new ArrayList<>(3)", None);
        check("new HashSet<>(s)", None);
    }
}
