//! Tests as people name them: `Class`, `Class#method`, `package.Class.method`, patterns with `*`, JUnit unique ids,
//! `path/File.java`, `@list.txt`.

use crate::problem;
use crate::problem::Problem;
use crate::suite::KnownTest;
use std::fs;
use std::path::Path;
use unflake_models::glob_matches;
use unflake_protocol::{Handle, TestId};

/// Which tests the user asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Empty: all.
    patterns: Vec<TestPattern>,
}

#[derive(Clone, Debug)]
struct TestPattern {
    written: String,
    /// With dots; may have `*`. A simple name stands for that class in any package.
    class: String,
    method: Option<String>,
    unique_id: Option<String>,
}

impl Selection {
    /// Reads what the user wrote; lists are looked up in `directory`.
    pub(crate) fn parse(written: &[String], directory: &Path) -> Result<Selection, Problem> {
        let mut patterns = Vec::new();
        for text in written {
            match text.strip_prefix('@') {
                Some(list) => {
                    let path = directory.join(list);
                    let lines = fs::read_to_string(&path).map_err(|error| {
                        problem!(Usage, "cannot read the list of tests `{}`", path.display()).cause(error)
                    })?;
                    let lines = lines
                        .lines()
                        .map(str::trim)
                        .filter(|line| !line.is_empty() && !line.starts_with('#'));
                    patterns.extend(lines.map(TestPattern::parse));
                }
                None => patterns.push(TestPattern::parse(text)),
            }
        }
        Ok(Selection { patterns })
    }

    pub(crate) fn is_all(&self) -> bool {
        self.patterns.is_empty()
    }

    pub(crate) fn contains(&self, test: &KnownTest) -> bool {
        self.is_all()
            || self
                .patterns
                .iter()
                .any(|pattern| pattern.matches(&test.id, &test.handle))
    }

    /// What the user wrote that matches none of `tests`.
    pub(crate) fn unmatched(&self, tests: &[KnownTest]) -> Vec<&str> {
        let matches_none =
            |pattern: &&TestPattern| !tests.iter().any(|test| pattern.matches(&test.id, &test.handle));
        self.patterns
            .iter()
            .filter(matches_none)
            .map(|pattern| pattern.written.as_str())
            .collect()
    }

    /// The top-level classes in question, as patterns with dots; `None` if they are all classes, or not known by name.
    pub(crate) fn classes(&self) -> Option<Vec<String>> {
        let class = |pattern: &TestPattern| match pattern.unique_id {
            Some(_) => None,
            None => Some(pattern.class.split('$').next().unwrap_or_default().to_owned()),
        };
        let classes: Vec<String> = self.patterns.iter().map(class).collect::<Option<_>>()?;
        (!classes.is_empty()).then_some(classes)
    }
}

impl TestPattern {
    fn parse(text: &str) -> TestPattern {
        let written = text.to_owned();
        if text.starts_with("[engine:") {
            return TestPattern {
                written,
                class: String::new(),
                method: None,
                unique_id: Some(text.to_owned()),
            };
        }
        let (class, method) = match text.split_once('#') {
            Some((class, method)) => (class.to_owned(), Some(method.to_owned())),
            None => (text.to_owned(), None),
        };
        // A path to a source file; a line number after it is ignored.
        let class = match class.split_once(".java") {
            Some((path, _)) => {
                let below = ["src/test/java/", "src/main/java/"];
                let start = below
                    .iter()
                    .find_map(|root| path.find(root).map(|at| at + root.len()))
                    .unwrap_or(0);
                path[start..]
                    .trim_start_matches("./")
                    .trim_start_matches("**/")
                    .replace('/', ".")
            }
            None => class
                .trim_start_matches("**/")
                .trim_end_matches(".class")
                .replace('/', "."),
        };
        if method.is_none()
            && let Some((before, last)) = class.rsplit_once('.')
            && begins_lower(last)
            && !begins_lower(before.rsplit('.').next().unwrap_or_default())
        {
            return TestPattern {
                written,
                class: before.to_owned(),
                method: Some(last.to_owned()),
                unique_id: None,
            };
        }
        TestPattern {
            written,
            class,
            method,
            unique_id: None,
        }
    }

    fn matches(&self, test: &TestId, handle: &Handle) -> bool {
        if let Some(id) = &self.unique_id {
            return handle.id == *id || handle.id.starts_with(&format!("{id}/"));
        }
        let class_is = |class: &str| {
            glob_matches(&self.class, class)
                || glob_matches(&format!("*.{}", self.class), class)
                || glob_matches(&format!("{}$*", self.class), class)
                || glob_matches(&format!("*.{}$*", self.class), class)
        };
        let method_is = |method: &String| {
            method.split('+').any(|one| {
                let one = one.split(['(', '[']).next().unwrap_or_default();
                glob_matches(one, test.method())
            })
        };
        (class_is(test.class()) || class_is(&test.root)) && self.method.as_ref().is_none_or(method_is)
    }
}

fn begins_lower(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Baseline;
    use unflake_explore::Need;
    use unflake_protocol::{Framework, Outcome};

    fn test(class: &str, method: &str) -> KnownTest {
        let id = format!("[engine:junit-jupiter]/[class:{class}]/[method:{method}()]");
        KnownTest {
            id: TestId {
                module: ".".to_owned(),
                root: class.to_owned(),
                test: format!("{class}#{method}"),
                invocation: None,
            },
            handle: Handle {
                framework: Framework::Platform,
                root: class.to_owned(),
                id,
            },
            scope: None,
            launch: None,
            jvm: 0,
            baseline: Baseline::Finished(Outcome::Passed),
            need: Need::Nothing,
            models: Vec::new(),
            time: std::time::Duration::ZERO,
            waited: std::time::Duration::ZERO,
        }
    }

    #[test]
    fn tests_are_found_in_any_notation_people_paste() {
        let wanted = test("com.acme.OrderTest", "keepsOrder");
        let others = [
            test("com.acme.OtherTest", "keepsOrder"),
            test("com.acme.OrderTest", "other"),
        ];
        for notation in [
            "OrderTest#keepsOrder",
            "com.acme.OrderTest#keepsOrder",
            "com.acme.OrderTest.keepsOrder",
            "com/acme/OrderTest#keeps*",
            "Order*#keepsOrder()",
            "src/test/java/com/acme/OrderTest.java#keepsOrder",
            "[engine:junit-jupiter]/[class:com.acme.OrderTest]/[method:keepsOrder()]",
        ] {
            let selection = Selection::parse(&[notation.to_owned()], Path::new(".")).unwrap();
            assert!(selection.contains(&wanted), "{notation}");
            assert!(
                !others.iter().any(|other| selection.contains(other)),
                "{notation}"
            );
        }
    }

    #[test]
    fn classes_stand_for_all_their_tests_and_nested_ones() {
        for notation in [
            "OrderTest",
            "com.acme.OrderTest",
            "**/OrderTest",
            "module/src/test/java/com/acme/OrderTest.java:120",
        ] {
            let selection = Selection::parse(&[notation.to_owned()], Path::new(".")).unwrap();
            assert!(selection.contains(&test("com.acme.OrderTest", "a")), "{notation}");
            assert!(
                selection.contains(&test("com.acme.OrderTest$Inner", "a")),
                "{notation}"
            );
            assert!(
                !selection.contains(&test("com.acme.BorderTest", "a")),
                "{notation}"
            );
        }
    }

    #[test]
    fn a_class_stands_for_the_tests_that_it_inherits() {
        let mut inherited = test("com.acme.BaseTest", "a");
        inherited.id.root = "com.acme.OrderTest".to_owned();
        for (notation, expected) in [
            ("OrderTest", true),
            ("OrderTest#a", true),
            ("BaseTest", true),
            ("OrderTest#b", false),
        ] {
            let selection = Selection::parse(&[notation.to_owned()], Path::new(".")).unwrap();
            assert_eq!(selection.contains(&inherited), expected, "{notation}");
        }
    }

    #[test]
    fn the_build_is_told_top_level_classes() {
        let classes = |written: &[&str]| {
            let written: Vec<String> = written.iter().map(|text| (*text).to_owned()).collect();
            Selection::parse(&written, Path::new(".")).unwrap().classes()
        };
        let some = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(
            classes(&["a.OrderTest#x", "Other*"]),
            some(&["a.OrderTest", "Other*"])
        );
        assert_eq!(classes(&["a/OrderTest$Inner"]), some(&["a.OrderTest"]));
        assert_eq!(classes(&["a.OrderTest", "[engine:x]"]), None);
        assert_eq!(classes(&[]), None);
    }

    #[test]
    fn a_list_has_a_test_in_each_line() {
        let folder = tempfile::tempdir().unwrap();
        let text = "# those that fail\n\n  p.A#a  \nB\n";
        fs::write(folder.path().join("tests.txt"), text).unwrap();
        let written = ["@tests.txt".to_owned(), "C".to_owned()];
        let selection = Selection::parse(&written, folder.path()).unwrap();
        let is_in = |class: &str, method: &str| selection.contains(&test(class, method));
        assert!(is_in("p.A", "a") && is_in("p.B", "x") && is_in("C", "x"));
        assert!(!is_in("p.A", "b") && !is_in("D", "x"));
        assert!(!selection.is_all());
        assert_eq!(selection.unmatched(&[test("p.A", "a"), test("C", "x")]), ["B"]);
        assert!(Selection::parse(&["@none.txt".to_owned()], folder.path()).is_err());
    }
}
