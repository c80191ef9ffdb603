//! What is known of a failure before it is repaired.

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
}

impl Clues<'_> {
    /// The line of test code where the assertion failed, or from where what threw was called: the innermost one.
    pub(crate) fn assertion(&self) -> Option<&SourcePlace> {
        let mut frames = self.failing.frames.iter();
        frames.find(|place| self.sources.is_test(&place.file))
    }
}
