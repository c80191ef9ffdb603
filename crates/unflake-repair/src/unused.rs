//! Imports that edits leave without a use go with them.

use crate::edit::Edits;
use crate::java::{JavaFile, named_children};
use tree_sitter::Node;

impl JavaFile {
    /// The edits, and those imports removed that were used before them and are not afterwards.
    pub(crate) fn without_unused_imports(&self, edits: Edits) -> Edits {
        let Ok(edited) = JavaFile::parse(self.path.as_str(), edits.apply(self.text())) else {
            return edits;
        };
        let imports = named_children(self.root()).into_iter();
        imports
            .filter(|node| node.kind() == "import_declaration")
            .filter(|import| {
                let name = self.of(*import).trim_end_matches([';', ' ']);
                let simple = name.rsplit('.').next().unwrap_or(name).trim();
                let is_there = edited.text().contains(self.of(*import));
                simple != "*" && is_there && self.uses(simple) && !edited.uses(simple)
            })
            .fold(edits, |edits, import| self.without_import(edits, import))
    }

    /// With its line, and with the empty line behind it where that would follow another one.
    fn without_import(&self, edits: Edits, import: Node<'_>) -> Edits {
        let text = self.text();
        let after = |at: usize| {
            at + text[at..]
                .find('\n')
                .map_or(text.len() - at, |newline| newline + 1)
        };
        let removed = |end: usize| edits.clone().replace(import.start_byte()..end, "");
        let end = after(import.end_byte());
        let one = removed(end);
        let (before, now) = (edits.apply(text), one.apply(text));
        let is_alone = empty_lines(&now) > empty_lines(&before) && text[end..after(end)].trim().is_empty();
        if is_alone { removed(after(end)) } else { one }
    }

    /// Whether a word stands anywhere but in the imports, comments included: documentation may refer to a class. Behind
    /// a dot it belongs to what is before the dot: `JSONAssert.assertEquals` needs no static import.
    fn uses(&self, word: &str) -> bool {
        let imports = named_children(self.root()).into_iter();
        let start = imports
            .filter(|node| node.kind() == "import_declaration")
            .map(|node| node.end_byte())
            .max()
            .unwrap_or(0);
        words(&self.text()[start..], word).any(|before| !before.ends_with('.'))
    }
}

/// Empty lines that begin the text or follow another one.
fn empty_lines(text: &str) -> usize {
    let mut last_is_empty = true;
    let lines = text.lines().filter(|line| {
        let is_empty = line.trim().is_empty();
        std::mem::replace(&mut last_is_empty, is_empty) && is_empty
    });
    lines.count()
}

/// Whether a text has a word that is no part of a longer one.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    words(text, word).next().is_some()
}

/// What stands before each occurrence of a word that is no part of a longer one.
fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = &'t str> {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$');
    text.match_indices(word).filter_map(move |(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let is_word = !is_part(before.chars().next_back()) && !is_part(after.chars().next());
        is_word.then_some(before)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, from: &str, to: &str, expected: &str) {
        let file = JavaFile::parse("A.java", text).unwrap();
        let at = text.find(from).unwrap();
        let edits = file.without_unused_imports(Edits::new().replace(at..at + from.len(), to));
        assert_eq!(edits.apply(text), expected);
    }

    #[test]
    fn an_import_goes_with_its_last_use() {
        check(
            "import java.util.List;\nimport java.util.Set;\n\nclass A { Object o = List.of(1); }\n",
            "List.of",
            "Set.of",
            "import java.util.Set;\n\nclass A { Object o = Set.of(1); }\n",
        );
        check(
            "import static p.B.b;\n\nclass A { Object o = b(1); }\n",
            "b(1)",
            "c(1)",
            "class A { Object o = c(1); }\n",
        );
        // Behind a dot it is another one's.
        check(
            "import static p.B.b;\n\nclass A { Object o = b(1); }\n",
            "b(1)",
            "C.b(1)",
            "class A { Object o = C.b(1); }\n",
        );
        // An empty line that was between it and others goes too.
        check(
            "package p;\n\nimport static p.B.b;\n\nimport p.C;\n\nclass A { C o = b(1); }\n",
            "b(1)",
            "c(1)",
            "package p;\n\nimport p.C;\n\nclass A { C o = c(1); }\n",
        );
        check(
            "package p;\r\n\r\nimport static p.B.b;\r\nimport p.C;\r\n\r\nclass A { C o = b(1); }\r\n",
            "b(1)",
            "c(1)",
            "package p;\r\n\r\nimport p.C;\r\n\r\nclass A { C o = c(1); }\r\n",
        );
    }

    #[test]
    fn an_import_stays_while_it_is_used_and_if_it_never_was() {
        check(
            "import java.util.List;\nimport java.util.Map;\nimport java.util.*;\nclass A { List<A> l = List.of(); }\n",
            "List.of",
            "Set.of",
            "import java.util.List;\nimport java.util.Map;\nimport java.util.*;\nclass A { List<A> l = Set.of(); }\n",
        );
    }
}
