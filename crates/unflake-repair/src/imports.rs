//! Imports that an edit needs, added where and how the file has its own.

use crate::edit::Edits;
use crate::java::{JavaFile, named_children};
use tree_sitter::Node;

/// A class, or a static method of one, that an edit uses by its simple name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Import {
    /// `java.util.LinkedHashMap`
    Class(String),
    /// `org.hamcrest.Matchers.containsInAnyOrder`
    Static(String),
}

impl Import {
    pub(crate) fn class(name: &str) -> Import {
        Import::Class(name.to_owned())
    }

    fn name(&self) -> &str {
        match self {
            Import::Class(name) | Import::Static(name) => name,
        }
    }

    pub(crate) fn simple(&self) -> &str {
        let name = self.name();
        name.rsplit('.').next().unwrap_or(name)
    }

    fn holder(&self) -> &str {
        self.name().rsplit_once('.').map_or("", |(holder, _)| holder)
    }
}

/// One import of a file.
struct Present<'f> {
    node: Node<'f>,
    is_static: bool,
    /// Without `.*`.
    name: &'f str,
    is_star: bool,
}

fn present(file: &JavaFile) -> Vec<Present<'_>> {
    let imports = named_children(file.root()).into_iter();
    imports
        .filter(|node| node.kind() == "import_declaration")
        .filter_map(|node| {
            let parts = named_children(node);
            let name = file.of(*parts.iter().find(|part| part.kind() != "asterisk")?);
            let head = file.text()[node.start_byte()..]
                .trim_start_matches("import")
                .trim_start();
            Some(Present {
                node,
                is_static: head.starts_with("static ") || head.starts_with("static\t"),
                name,
                is_star: parts.iter().any(|part| part.kind() == "asterisk"),
            })
        })
        .collect()
}

impl JavaFile {
    pub(crate) fn package(&self) -> &str {
        let declaration = named_children(self.root())
            .into_iter()
            .find(|node| node.kind() == "package_declaration");
        let name = declaration.and_then(|node| named_children(node).into_iter().next_back());
        name.map_or("", |name| self.of(name))
    }

    /// The full name of a class that is imported by its own name.
    pub(crate) fn imported(&self, simple: &str) -> Option<&str> {
        present(self)
            .into_iter()
            .filter(|import| !import.is_static && !import.is_star)
            .map(|import| import.name)
            .find(|name| name.rsplit('.').next() == Some(simple))
    }

    /// The classes whose static method of this name can be meant: `org.junit.Assert` for `assertEquals`. Those of a star
    /// import come last.
    pub(crate) fn static_holders(&self, method: &str) -> Vec<&str> {
        let all = present(self);
        let by_name = all.iter().filter(|import| import.is_static && !import.is_star);
        let by_name = by_name.filter_map(|import| {
            let (holder, name) = import.name.rsplit_once('.')?;
            (name == method).then_some(holder)
        });
        let by_star = all.iter().filter(|import| import.is_static && import.is_star);
        by_name.chain(by_star.map(|import| import.name)).collect()
    }

    /// Whether the file can use it by its simple name as it is. `None`: the name means something else here.
    fn can_use(&self, wanted: &Import) -> Option<bool> {
        let all = present(self);
        match wanted {
            Import::Class(name) => {
                let is_simple = |import: &&Present<'_>| {
                    !import.is_static
                        && !import.is_star
                        && import.name.rsplit('.').next() == Some(wanted.simple())
                };
                if let Some(found) = all.iter().find(is_simple) {
                    return (found.name == name).then_some(true);
                }
                let declares = |node: &Node<'_>| {
                    node.kind().ends_with("_declaration")
                        && self.field(*node, "name") == wanted.simple()
                        && node.child_by_field_name("body").is_some()
                        && node.kind() != "method_declaration"
                };
                if self.nodes().any(|node| declares(&node)) {
                    return None;
                }
                let by_star = |import: &Present<'_>| {
                    !import.is_static && import.is_star && import.name == wanted.holder()
                };
                Some(
                    wanted.holder() == self.package()
                        || wanted.holder() == "java.lang"
                        || all.iter().any(by_star),
                )
            }
            Import::Static(name) => {
                let is = |import: &Present<'_>| {
                    import.is_static
                        && (if import.is_star {
                            import.name == wanted.holder()
                        } else {
                            import.name == name
                        })
                };
                Some(all.iter().any(is))
            }
        }
    }

    /// How an edit names a class, and the edit that imports it where that is needed: its simple name, or the full one if
    /// the simple one is taken.
    pub(crate) fn using(&self, name: &str) -> (String, Option<Import>) {
        let import = Import::class(name);
        match self.can_use(&import) {
            Some(true) => (import.simple().to_owned(), None),
            Some(false) => (import.simple().to_owned(), Some(import)),
            None => (name.to_owned(), None),
        }
    }

    /// Adds the imports that are missing to edits of this file.
    pub(crate) fn with_imports(&self, edits: Edits, wanted: impl IntoIterator<Item = Import>) -> Edits {
        let mut missing: Vec<Import> = wanted
            .into_iter()
            .filter(|import| self.can_use(import) == Some(false))
            .collect();
        missing.sort();
        missing.dedup();
        // At one place, static ones come first, with an empty line behind them.
        missing.sort_by_key(|import| matches!(import, Import::Class(_)));
        let mut at: Vec<(usize, String)> = Vec::new();
        for import in &missing {
            let (place, text) = self.line_of_import(import);
            // Several lines at one place are one insertion.
            match at.iter_mut().find(|(other, _)| *other == place) {
                Some((_, lines)) => *lines = below(lines, &text, self.line_end()),
                None => at.push((place, text)),
            }
        }
        at.into_iter()
            .fold(edits, |edits, (place, text)| edits.insert(place, text))
    }

    /// Where a new import goes, and its line: in alphabetical order among those of its kind that share most of its name.
    fn line_of_import(&self, import: &Import) -> (usize, String) {
        let is_static = matches!(import, Import::Static(_));
        let word = if is_static { "import static" } else { "import" };
        let end = self.line_end();
        let line = format!("{word} {};", import.name());
        let all = present(self);
        let like: Vec<&Present<'_>> = all.iter().filter(|other| other.is_static == is_static).collect();
        let shared = |other: &Present<'_>| {
            let both = import.name().split('.').zip(other.name.split('.'));
            both.take_while(|(a, b)| a == b).count()
        };
        let most = like.iter().map(|other| shared(other)).max().unwrap_or(0);
        let group: Vec<&&Present<'_>> = like.iter().filter(|other| shared(other) == most).collect();
        // `java.util.*` stands for a name before all others of its package.
        let before = group.iter().rfind(|other| other.name <= import.name());
        match (before, group.first()) {
            (Some(before), _) if most > 0 || !like.is_empty() => {
                (self.after_line(before.node), format!("{line}{end}"))
            }
            (_, Some(first)) => (first.node.start_byte(), format!("{line}{end}")),
            _ => self.first_import(&all, is_static, &line),
        }
    }

    /// No import of this kind is there yet.
    fn first_import(&self, all: &[Present<'_>], is_static: bool, line: &str) -> (usize, String) {
        let end = self.line_end();
        match (all.first(), all.last()) {
            (Some(first), _) if is_static => (first.node.start_byte(), format!("{line}{end}{end}")),
            (_, Some(last)) => (self.after_line(last.node), format!("{end}{line}{end}")),
            _ => {
                let package = named_children(self.root())
                    .into_iter()
                    .find(|node| node.kind() == "package_declaration");
                match package {
                    Some(package) => (self.after_line(package), format!("{end}{line}{end}")),
                    None => {
                        let first = named_children(self.root())
                            .first()
                            .map_or(0, |node| node.start_byte());
                        (first, format!("{line}{end}{end}"))
                    }
                }
            }
        }
    }

    /// The start of the line after a node.
    fn after_line(&self, node: Node<'_>) -> usize {
        let rest = &self.text()[node.end_byte()..];
        node.end_byte() + rest.find('\n').map_or(rest.len(), |newline| newline + 1)
    }
}

/// One line of import below others, with one empty line around all of them where each alone has one.
fn below(lines: &str, line: &str, end: &str) -> String {
    let both_ends = lines.strip_suffix(end).filter(|rest| rest.ends_with(end));
    let lines = both_ends
        .filter(|_| line.ends_with(&end.repeat(2)))
        .unwrap_or(lines);
    let both_starts = line.strip_prefix(end).filter(|_| lines.starts_with(end));
    format!("{lines}{}", both_starts.unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, imports: &[Import], expected: &str) {
        let file = JavaFile::parse("A.java", text).unwrap();
        let edited = file
            .with_imports(Edits::new(), imports.iter().cloned())
            .apply(text);
        assert_eq!(edited, expected);
        JavaFile::parse("A.java", edited).unwrap();
    }

    fn linked_map() -> Import {
        Import::class("java.util.LinkedHashMap")
    }

    #[test]
    fn a_class_goes_where_its_name_belongs() {
        check(
            "package p;\n\nimport java.util.HashMap;\nimport java.util.Map;\n\nimport org.junit.Test;\n\nclass A {}\n",
            &[linked_map()],
            "package p;\n\nimport java.util.HashMap;\nimport java.util.LinkedHashMap;\nimport java.util.Map;\n\n\
             import org.junit.Test;\n\nclass A {}\n",
        );
        check(
            "package p;\n\nimport java.util.Map;\n\nclass A {}\n",
            &[linked_map()],
            "package p;\n\nimport java.util.LinkedHashMap;\nimport java.util.Map;\n\nclass A {}\n",
        );
        check(
            "package p;\r\n\r\nclass A {}\r\n",
            &[linked_map()],
            "package p;\r\n\r\nimport java.util.LinkedHashMap;\r\n\r\nclass A {}\r\n",
        );
    }

    #[test]
    fn the_first_imports_stand_together() {
        let two = [linked_map(), Import::class("java.util.Map")];
        let lines = "import java.util.LinkedHashMap;\nimport java.util.Map;\n";
        check("class A {}\n", &two, &format!("{lines}\nclass A {{}}\n"));
        check(
            "package p;\n\nclass A {}\n",
            &two,
            &format!("package p;\n\n{lines}\nclass A {{}}\n"),
        );
    }

    #[test]
    fn what_is_imported_already_is_not_imported_again() {
        for text in [
            "import java.util.*;\nclass A {}\n",
            "import java.util.LinkedHashMap;\nclass A {}\n",
            "package java.util;\nclass A {}\n",
        ] {
            check(text, &[linked_map(), linked_map()], text);
        }
    }

    #[test]
    fn a_name_that_is_taken_is_written_in_full() {
        let using = |text: &str| {
            JavaFile::parse("A.java", text)
                .unwrap()
                .using("java.util.LinkedHashMap")
        };
        assert_eq!(
            using("import q.LinkedHashMap;\nclass A {}"),
            ("java.util.LinkedHashMap".to_owned(), None)
        );
        assert_eq!(
            using("class LinkedHashMap {}"),
            ("java.util.LinkedHashMap".to_owned(), None)
        );
        assert_eq!(
            using("class A {}"),
            ("LinkedHashMap".to_owned(), Some(linked_map()))
        );
    }

    #[test]
    fn static_imports_stand_among_their_like() {
        let any_order = Import::Static("org.hamcrest.Matchers.containsInAnyOrder".to_owned());
        check(
            "import static org.hamcrest.Matchers.contains;\nimport static org.junit.Assert.assertThat;\n\n\
             import java.util.List;\n\nclass A {}\n",
            std::slice::from_ref(&any_order),
            "import static org.hamcrest.Matchers.contains;\nimport static org.hamcrest.Matchers.containsInAnyOrder;\n\
             import static org.junit.Assert.assertThat;\n\nimport java.util.List;\n\nclass A {}\n",
        );
        check(
            "import java.util.List;\n\nclass A {}\n",
            &[any_order],
            "import static org.hamcrest.Matchers.containsInAnyOrder;\n\nimport java.util.List;\n\nclass A {}\n",
        );
    }
}
