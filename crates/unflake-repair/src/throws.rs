//! Whether a checked exception may leave a place of a test, and the `throws` that let it.

use crate::imports::Import;
use crate::java::{JavaFile, ancestors, named_children};
use tree_sitter::Node;

/// A checked exception that new code may throw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CheckedException {
    /// Its full name.
    pub(crate) class: &'static str,
    /// Its own simple name and those of the classes above it: whoever declares or catches one of them is content.
    pub(crate) fits: &'static [&'static str],
}

/// What has to be added so that an exception gets through. Nothing, where it does already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Throws {
    pub(crate) insertions: Vec<(usize, String)>,
    pub(crate) imports: Vec<Import>,
}

/// Calls whose lambdas may throw anything: JUnit 5.
const OPEN_LAMBDAS: [&str; 7] = [
    "assertAll",
    "assertThrows",
    "assertThrowsExactly",
    "assertDoesNotThrow",
    "assertTimeout",
    "assertTimeoutPreemptively",
    "dynamicTest",
];

/// Annotations of methods that a framework calls contain one of these.
const CALLED_BY_FRAMEWORKS: [&str; 5] = ["Test", "Before", "After", "Theory", "Property"];

impl JavaFile {
    /// `None`: the exception cannot leave from there, since a lambda, an overridden method or callers would not take it.
    pub(crate) fn letting_through(&self, node: Node<'_>, checked: CheckedException) -> Option<Throws> {
        for above in ancestors(node) {
            match above.kind() {
                "lambda_expression" => {
                    let call = ancestors(above).find(|above| above.kind() != "argument_list")?;
                    return OPEN_LAMBDAS
                        .contains(&self.field(call, "name"))
                        .then(Throws::default);
                }
                "try_statement" | "try_with_resources_statement" if self.is_caught(above, node, checked) => {
                    return Some(Throws::default());
                }
                "method_declaration" => return self.letting_out_of(above, checked),
                "constructor_declaration" | "class_body" => return None,
                _ => {}
            }
        }
        None
    }

    fn is_caught(&self, tried: Node<'_>, node: Node<'_>, checked: CheckedException) -> bool {
        let body = tried.child_by_field_name("body");
        let is_inside = body.is_some_and(|body| body.byte_range().contains(&node.start_byte()));
        let catches = |clause: Node<'_>| {
            let parameter = named_children(clause)
                .into_iter()
                .find(|child| child.kind() == "catch_formal_parameter");
            let caught = parameter.into_iter().flat_map(named_children);
            caught
                .filter(|child| child.kind() == "catch_type")
                .flat_map(named_children)
                .any(|class| self.fits(class, checked))
        };
        is_inside
            && named_children(tried)
                .into_iter()
                .filter(|child| child.kind() == "catch_clause")
                .any(catches)
    }

    fn fits(&self, class: Node<'_>, checked: CheckedException) -> bool {
        let simple = self.of(class).rsplit('.').next().unwrap_or("");
        checked.fits.contains(&simple)
    }

    fn letting_out_of(&self, method: Node<'_>, checked: CheckedException) -> Option<Throws> {
        let declared = named_children(method)
            .into_iter()
            .find(|child| child.kind() == "throws");
        let declared_classes = declared.map(named_children).unwrap_or_default();
        if declared_classes.iter().any(|class| self.fits(*class, checked)) {
            return Some(Throws::default());
        }
        if !self.is_called_by_framework(method) {
            return None;
        }
        match declared {
            Some(declared) => {
                let (name, import) = self.using(checked.class);
                Some(Throws {
                    insertions: vec![(declared.end_byte(), format!(", {name}"))],
                    imports: import.into_iter().collect(),
                })
            }
            None => {
                let after = method.child_by_field_name("parameters")?.end_byte();
                let name = self.usual_exception(checked);
                Some(Throws {
                    insertions: vec![(after, format!(" throws {name}"))],
                    imports: Vec::new(),
                })
            }
        }
    }

    /// The exception that other methods of the file declare, if it fits and is not too special to be known here.
    fn usual_exception(&self, checked: CheckedException) -> &'static str {
        let simple = checked.class.rsplit('.').next().unwrap_or("Exception");
        let is_declared = |name: &str| {
            let throws = self.nodes().filter(|node| node.kind() == "throws");
            throws
                .flat_map(named_children)
                .any(|class| self.of(class) == name)
        };
        let is_imported = self.imported(simple) == Some(checked.class);
        if is_imported && is_declared(simple) && !is_declared("Exception") {
            simple
        } else {
            "Exception"
        }
    }

    /// A test or a method for its set-up: nobody else has to know what it throws.
    pub(crate) fn is_called_by_framework(&self, method: Node<'_>) -> bool {
        let annotations = self.annotations(method);
        if annotations.contains(&"Override") {
            return false;
        }
        let is_framework = |name: &&str| CALLED_BY_FRAMEWORKS.iter().any(|part| name.contains(part));
        let is_void = self.field(method, "type") == "void";
        let is_public = method.child(0).is_some_and(|first| {
            first.kind() == "modifiers" && self.of(first).split_whitespace().any(|word| word == "public")
        });
        let has_parameters = method
            .child_by_field_name("parameters")
            .is_some_and(|list| list.named_child_count() > 0);
        let class = self.type_around(method);
        let is_test_class = class.is_some_and(|class| self.annotations(class).contains(&"Test"));
        let is_junit_3 = self.field(method, "name").starts_with("test") && !has_parameters;
        annotations.iter().any(is_framework) || is_void && is_public && (is_junit_3 || is_test_class)
    }

    /// The names of the annotations of a declaration.
    pub(crate) fn annotations<'f>(&'f self, declaration: Node<'f>) -> Vec<&'f str> {
        let modifiers = named_children(declaration)
            .into_iter()
            .filter(|child| child.kind() == "modifiers");
        modifiers
            .flat_map(named_children)
            .filter(|child| child.kind().ends_with("annotation"))
            .map(|annotation| self.field(annotation, "name"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Edits;

    const IO: CheckedException = CheckedException {
        class: "java.io.IOException",
        fits: &["IOException", "Exception", "Throwable"],
    };

    /// The method around `here()` afterwards; `None`: the exception cannot leave.
    fn check(method: &str, expected: Option<&str>) {
        let text = format!("class A {{\n{method}\n}}\n");
        let file = JavaFile::parse("A.java", text.clone()).unwrap();
        let here = file
            .nodes()
            .find(|node| file.field(*node, "name") == "here")
            .unwrap();
        let edited = file.letting_through(here, IO).map(|throws| {
            let edits = throws
                .insertions
                .into_iter()
                .fold(Edits::new(), |edits, (at, text)| edits.insert(at, text));
            edits.apply(&text).lines().nth(1).unwrap().to_owned()
        });
        assert_eq!(edited.as_deref(), expected, "{method}");
    }

    #[test]
    fn tests_declare_what_their_code_throws() {
        check(
            "@Test void a() { here(); }",
            Some("@Test void a() throws Exception { here(); }"),
        );
        check(
            "public void testA() { here(); }",
            Some("public void testA() throws Exception { here(); }"),
        );
        check(
            "@Test public void a() throws URISyntaxException { here(); }",
            Some("@Test public void a() throws URISyntaxException, IOException { here(); }"),
        );
        for fits in [
            "void a() throws java.io.IOException { here(); }",
            "void a() { try { here(); } catch (RuntimeException | IOException e) { fail(); } }",
            "void a() { assertAll(() -> here()); }",
        ] {
            check(fits, Some(fits));
        }
    }

    #[test]
    fn what_others_call_stays_as_it_is() {
        check("void help() { here(); }", None);
        check("@Override @Test public void a() { here(); }", None);
        check("@Test void a() { list.forEach(x -> here()); }", None);
        check(
            "@Test void a() { new Thread() { public void run() { here(); } }; }",
            None,
        );
        check(
            "void a() { try { b(); } catch (IOException e) { here(); } }",
            None,
        );
        check("public void test(int a) { here(); }", None);
    }
}
