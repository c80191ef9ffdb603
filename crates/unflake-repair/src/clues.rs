//! What is known of a failure before it is repaired.

use crate::assertion::{Comparison, Style};
use crate::java::JavaFile;
use crate::libraries::Libraries;
use std::rc::Rc;
use unflake_findings::{Choice, SourcePlace};
use unflake_protocol::FailureSort;

/// One failure, the choice that is blamed for it, and where to look.
#[derive(Clone, Copy)]
pub struct Clues<'a> {
    pub failing: &'a Failing,
    pub choice: &'a Choice,
    /// How many choices are blamed together, this one included.
    pub choices: usize,
    pub sources: &'a dyn Sources,
    pub libraries: &'a Libraries,
}

/// How a test failed when the blamed choice was varied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// `package.Class#method`.
    pub test: String,
    pub sort: FailureSort,
    /// The exception's class.
    pub exception: String,
    pub message: String,
    /// The values that the assertion compared, whole, where it tells them.
    pub expected: Option<String>,
    pub actual: Option<String>,
    /// Lines of the project's own code on the exception's stack, innermost first.
    pub frames: Vec<SourcePlace>,
}

/// The project's own sources, as they were when the tests were compiled.
pub trait Sources {
    /// By the path from the project's root. `None`: there is no such file, or it cannot be parsed.
    fn file(&self, path: &str) -> Option<Rc<JavaFile>>;

    /// The file that declares a class, `package.Class` or `package.Class$Inner`.
    fn of_class(&self, class: &str) -> Option<Rc<JavaFile>>;

    /// Whether a file belongs to the tests.
    fn is_test(&self, path: &str) -> bool;

    /// Files of the same test code whose name says that they have assertions for all tests: `MoreAsserts.java`.
    fn assertion_holders(&self, path: &str) -> Vec<Rc<JavaFile>>;
}

impl Failing {
    /// With the values as they were compared: AssertJ shows texts in quotes.
    #[must_use]
    pub fn as_compared(mut self, sources: &dyn Sources) -> Failing {
        let is_fluent = |place: &SourcePlace| {
            let file = sources.file(&place.file);
            file.is_some_and(|file| {
                let found = Comparison::on_line(&file, place.line);
                found.iter().any(|comparison| comparison.style == Style::Fluent)
            })
        };
        let unquoted = |text: &Option<String>| {
            let inner = text.as_deref()?.strip_prefix('"')?.strip_suffix('"')?;
            Some(inner.to_owned())
        };
        if let (Some(expected), Some(actual)) = (unquoted(&self.expected), unquoted(&self.actual))
            && self
                .frames
                .iter()
                .find(|place| sources.is_test(&place.file))
                .is_some_and(is_fluent)
        {
            self.expected = Some(expected);
            self.actual = Some(actual);
        }
        self
    }
}

impl Clues<'_> {
    /// The version of Java that a file is compiled for.
    pub(crate) fn java(&self, path: &str) -> u32 {
        if self.sources.is_test(path) {
            self.libraries.java
        } else {
            self.libraries.main_java
        }
    }

    /// The line of test code where the assertion failed, or from where what threw was called: the innermost one.
    pub(crate) fn assertion(&self) -> Option<&SourcePlace> {
        let mut frames = self.failing.frames.iter();
        frames.find(|place| self.sources.is_test(&place.file))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::case;

    #[test]
    fn quotes_of_assertj_are_not_part_of_a_text() {
        let compared = |statement: &str| {
            let test = format!("class ATest {{\n  void a() {{\n    {statement}/*fails*/\n  }}\n}}\n");
            let case = case(&test).compared("\"x\"", "\"y\"");
            case.with_clues(|clues| clues.failing.clone().as_compared(clues.sources).expected.unwrap())
        };
        assert_eq!(compared("assertThat(text).isEqualTo(other);"), "x");
        assert_eq!(compared("assertEquals(other, text);"), "\"x\"");
    }
}
