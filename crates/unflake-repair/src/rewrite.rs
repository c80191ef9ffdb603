//! A comparison of other values in place of the one that failed, with its mutants.
//!
//! The mutants pass an operand through a method that drops, doubles or changes one element of it. The compiler picks
//! the overload by the operand's static type, so we need not know it.

use crate::candidate::{Candidate, Mutant, Mutation};
use crate::edit::Edits;
use crate::imports::Import;
use crate::java::{JavaFile, named_children};
use std::ops::Range;
use tree_sitter::Node;

/// Two values and how the assertion compares them.
pub(crate) struct Rewrite<'a> {
    pub(crate) why: String,
    /// The expressions of both.
    pub(crate) expected: String,
    pub(crate) actual: String,
    pub(crate) can_repeat: CanRepeat,
    pub(crate) edits: EditsOfSides<'a>,
}

/// The edits for two expressions, the expected one first.
pub(crate) type EditsOfSides<'a> = Box<dyn Fn(&str, &str) -> Edits + 'a>;

/// Which of the two values may hold an element twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CanRepeat {
    /// Both are sets or maps.
    Neither,
    Both,
}

impl Rewrite<'_> {
    pub(crate) fn candidate(self, file: &JavaFile, statement: Range<usize>) -> Candidate {
        let mut mutations = vec![Mutation::ExpectedDropped, Mutation::ExpectedChanged];
        if self.can_repeat == CanRepeat::Both {
            mutations.extend([
                Mutation::ExpectedDoubled,
                Mutation::ActualDropped,
                Mutation::ActualDoubled,
            ]);
        }
        let mutants = mutations
            .into_iter()
            .map(|mutation| self.mutant(file, mutation, statement.start));
        let mutants = mutants.collect();
        let edits = file.without_unused_imports((self.edits)(&self.expected, &self.actual));
        Candidate::of_assertion(self.why, &file.path, statement, edits, mutants)
    }

    fn mutant(&self, file: &JavaFile, mutation: Mutation, at: usize) -> Mutant {
        let spoilt = |value: &str| format!("{SPOILT}({value})");
        let edits = match mutation {
            Mutation::ActualDropped | Mutation::ActualDoubled => {
                (self.edits)(&self.expected, &spoilt(&self.actual))
            }
            _ => (self.edits)(&spoilt(&self.expected), &self.actual),
        };
        Mutant {
            mutation,
            edits: with_spoiling(file, edits, mutation, at),
        }
    }
}

/// The name of the method that mutants call.
pub(crate) const SPOILT: &str = "unflakeSpoilt";

/// Adds that method to the outermost class around a byte.
pub(crate) fn with_spoiling(file: &JavaFile, edits: Edits, mutation: Mutation, at: usize) -> Edits {
    let types = named_children(file.root()).into_iter();
    let body = types
        .filter(|node| matches!(node.kind(), "class_declaration" | "record_declaration"))
        .filter(|node| node.byte_range().contains(&at))
        .find_map(|class| class.child_by_field_name("body"));
    match body {
        Some(body) => edits.insert(body.end_byte() - 1, spoiling(mutation)),
        None => edits,
    }
}

/// Overloads for every kind of value, in plain Java 8.
fn spoiling(mutation: Mutation) -> String {
    let (list, map, primitive) = match mutation {
        Mutation::ExpectedDropped | Mutation::ActualDropped => (
            "all.remove(all.size() - 1);",
            "all.remove(all.keySet().iterator().next());",
            "return java.util.Arrays.copyOf(v, v.length - 1);",
        ),
        Mutation::ExpectedChanged => (
            "all.set(0, (T) unflakeOther(all.get(0), all));",
            "java.util.Map.Entry<K, V> first = all.entrySet().iterator().next(); \
             first.setValue((V) unflakeOther(first.getValue(), all.values()));",
            "int[] all = v.clone(); all[0]++; return all;",
        ),
        Mutation::ExpectedDoubled | Mutation::ActualDoubled => (
            "all.add(all.get(0));",
            "",
            "int[] all = java.util.Arrays.copyOf(v, v.length + 1); all[v.length] = all[0]; return all;",
        ),
    };
    let mut text = format!(
        "@SuppressWarnings(\"unchecked\") private static <T> java.util.List<T> {SPOILT}(Iterable<T> v) {{ \
         java.util.List<T> all = new java.util.ArrayList<T>(); for (T one : v) {{ all.add(one); }} \
         {list} return all; }} \
         @SuppressWarnings(\"unchecked\") private static <T> T[] {SPOILT}(T[] v) {{ \
         java.util.List<T> all = new java.util.ArrayList<T>(java.util.Arrays.asList(v)); {list} \
         return all.toArray(java.util.Arrays.copyOf(v, 0)); }} \
         @SuppressWarnings(\"unchecked\") private static <K, V> java.util.Map<K, V> {SPOILT}(java.util.Map<K, V> v) {{ \
         java.util.Map<K, V> all = new java.util.LinkedHashMap<K, V>(v); {map} return all; }} \
         @SuppressWarnings(\"unchecked\") private static <T> T {SPOILT}(T v) {{ \
         return (T) (v instanceof java.util.Map ? (Object) {SPOILT}((java.util.Map<?, ?>) v) \
         : v instanceof java.util.Set ? {SPOILT}((java.util.Set<?>) v) \
         : v instanceof Iterable ? {SPOILT}((Iterable<?>) v) : {SPOILT}((Object[]) v)); }} "
    );
    text.push_str(&format!(
        "private static <T> java.util.List<T> {SPOILT}(java.util.stream.Stream<T> v) {{ \
         return {SPOILT}((Iterable<T>) v.collect(java.util.stream.Collectors.<T>toList())); }} "
    ));
    let is_doubled = list.contains("add");
    // A set has no element twice: doubled, it is a list.
    let of_set = if is_doubled {
        format!("{SPOILT}((Iterable<T>) v)")
    } else {
        format!("new java.util.LinkedHashSet<T>({SPOILT}((Iterable<T>) v))")
    };
    let result = if is_doubled { "List" } else { "Set" };
    text.push_str(&format!(
        "private static <T> java.util.{result}<T> {SPOILT}(java.util.Set<T> v) {{ return {of_set}; }} "
    ));
    for name in ["int", "long", "short", "byte", "char", "double", "float"] {
        let primitive = primitive.replace("int", name);
        text.push_str(&format!(
            "private static {name}[] {SPOILT}({name}[] v) {{ {primitive} }} "
        ));
    }
    if mutation == Mutation::ExpectedChanged {
        text.push_str(
            "private static Object unflakeOther(Object one, Iterable<?> all) { \
             if (one instanceof String) { return one + \"~\"; } \
             if (one instanceof Integer) { return (Integer) one + 1; } \
             if (one instanceof Long) { return (Long) one + 1; } \
             if (one instanceof Double) { return (Double) one + 1; } \
             for (Object other : all) { if (other != null && !other.equals(one)) { return other; } } return null; } ",
        );
    }
    text
}

/// An expression that a method can be called on.
pub(crate) fn receiver(file: &JavaFile, node: Node<'_>) -> String {
    let code = file.of(node);
    match node.kind() {
        "identifier"
        | "field_access"
        | "method_invocation"
        | "parenthesized_expression"
        | "this"
        | "array_access"
        | "object_creation_expression"
        | "string_literal" => code.to_owned(),
        _ => format!("({code})"),
    }
}

/// Replaces a node unless that changes nothing.
pub(crate) fn put(file: &JavaFile, edits: Edits, node: Node<'_>, code: &str) -> Edits {
    if file.of(node) == code {
        edits
    } else {
        edits.replace(node.byte_range(), code)
    }
}

/// Calls another assertion of the same class.
pub(crate) fn renamed(file: &JavaFile, edits: Edits, call: Node<'_>, name: &str) -> Edits {
    let Some(old) = call.child_by_field_name("name") else {
        return edits;
    };
    let holders = file.static_holders(file.of(old));
    let import = match (call.child_by_field_name("object"), holders.first()) {
        (None, Some(holder)) => Some(Import::Static(format!("{holder}.{name}"))),
        _ => None,
    };
    file.with_imports(put(file, edits, old, name), import)
}
