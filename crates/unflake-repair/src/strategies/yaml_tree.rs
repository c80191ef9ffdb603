//! R5 for YAML: two texts of the same lines in another order are compared as what SnakeYAML reads, where entries of a
//! mapping have no order and items of a sequence have one.
//!
//! Whether the texts say the same is left to SnakeYAML: here they need only look like YAML in block style.

use crate::candidate::{Candidate, Mutation};
use crate::clues::Clues;
use crate::json::Json;
use crate::text_comparison::{Around, Sides, TextComparison, mutants, with_failed_texts};

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    if !clues.libraries.has("snakeyaml") {
        return Vec::new();
    }
    with_failed_texts(clues, |texts| of_texts(texts).into_iter().collect())
}

fn of_texts(texts: &TextComparison<'_>) -> Option<Candidate> {
    let (expected, actual) = (texts.expected.as_str(), texts.actual.as_deref()?);
    let is_yaml = entries(expected).count() > 1
        && content(expected).all(|line| is_item(line) || is_entry(line))
        && Json::parse(expected).is_none();
    if !is_yaml || sorted(expected) != sorted(actual) {
        return None;
    }
    let file = texts.file;
    let (class, import) = file.using("org.yaml.snakeyaml.Yaml");
    // Since 1.18 `load` is generic, and then the overload of an assertion for arrays would be taken.
    let around = Around::new(format!("(Object) new {class}().load("), ")");
    let rewritten = |sides: &Sides| file.with_imports(texts.wrapped(&around, sides), import.clone());
    let leaf = entries(expected).find(|line| !is_item(line) && !value(line).is_empty())?;
    let item = content(expected).find(|line| is_item(line) && !is_entry(line));
    let instead = |line: &str, text: String| Some(expected.replacen(line, &text, 1));
    let item_doubled = || item.and_then(|item| instead(item, format!("{item}\n{item}")));
    // When nothing is varied the actual text is the expected one.
    let mistakes = [
        (
            Mutation::ExpectedDropped,
            instead(leaf, leaf.replacen(leaf.trim(), "", 1)),
        ),
        (
            Mutation::ExpectedChanged,
            instead(leaf, leaf.replace(value(leaf), "changed")),
        ),
        (Mutation::ExpectedDoubled, item_doubled()),
        (Mutation::ActualDoubled, item_doubled()),
    ];
    Some(Candidate::of_assertion(
        "compare the YAML texts as what they say, since entries of a YAML mapping have no order",
        &file.path,
        texts.comparison.statement(file),
        rewritten(&Sides::default()),
        mutants(mistakes, rewritten),
    ))
}

fn content(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.trim().is_empty() && line.trim() != "---")
}

fn entries(text: &str) -> impl Iterator<Item = &str> {
    content(text).filter(|line| is_entry(line))
}

fn is_item(line: &str) -> bool {
    let line = line.trim();
    line == "-" || line.starts_with("- ")
}

/// `key: value` or `key:`, also as the first of an item.
fn is_entry(line: &str) -> bool {
    let line = line.trim().trim_start_matches("- ");
    let key = line
        .split_once(": ")
        .map(|(key, _)| key)
        .or(line.strip_suffix(':'));
    key.is_some_and(|key| !key.is_empty() && !key.contains([' ', '{', '[', '<', '=']))
}

fn value(line: &str) -> &str {
    line.split_once(": ").map_or("", |(_, value)| value.trim())
}

/// The lines without what says that an item begins, which may be before another entry.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = content(text)
        .map(|line| line.trim().trim_start_matches("- "))
        .collect();
    lines.sort_unstable();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::case;

    fn check(expected: &str, actual: &str, jars: &[&str], changes: &[&str]) {
        case("import org.yaml.snakeyaml.Yaml;\nclass ATest {\n  void a() {\n    assertEquals(text, dumped);/*fails*/\n  }\n}\n")
            .compared(expected, actual)
            .java(8, jars)
            .check(propose, changes);
    }

    #[test]
    fn texts_in_block_style_are_compared_as_trees() {
        let jars = ["/r/snakeyaml-2.2.jar"];
        let (one, two) = ("a: 1\nb:\n- x\n- y\n", "b:\n- x\n- y\na: 1\n");
        let changes = "-assertEquals(text, dumped);\n\
                       +assertEquals((Object) new Yaml().load(text), (Object) new Yaml().load(dumped));";
        check(one, two, &jars, &[changes]);
        check(one, two, &[], &[]);
        check(one, "b:\n- x\n- y\na: 2\n", &jars, &[]);
        check("a\nb\n", "b\na\n", &jars, &[]);
        check("{\"a\": 1, \"b\": 2}", "{\"b\": 2, \"a\": 1}", &jars, &[]);
        check("at p.A: 1\nat p.B: 2\n", "at p.B: 2\nat p.A: 1\n", &jars, &[]);
    }

    #[test]
    fn one_mistake_is_seen() {
        case("import org.yaml.snakeyaml.Yaml;\nclass ATest {\n  void a() {\n    assertEquals(t, d);/*fails*/\n  }\n}\n")
            .compared("a: 1\nb:\n- x\n", "b:\n- x\na: 1\n")
            .java(8, &["/r/snakeyaml-2.2.jar"])
            .check_mutants(
                propose,
                &[
                    "one expected element dropped: +assertEquals((Object) new Yaml().load(\"\\nb:\\n- x\\n\"), (Object) new Yaml().load(d));",
                    "one expected element changed: +assertEquals((Object) new Yaml().load(\"a: changed\\nb:\\n- x\\n\"), (Object) new Yaml().load(d));",
                    "one expected element doubled: +assertEquals((Object) new Yaml().load(\"a: 1\\nb:\\n- x\\n- x\\n\"), (Object) new Yaml().load(d));",
                    "one actual element doubled: +assertEquals((Object) new Yaml().load(t), (Object) new Yaml().load(\"a: 1\\nb:\\n- x\\n- x\\n\"));",
                ],
            );
    }
}
