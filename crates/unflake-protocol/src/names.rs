//! How tests are named (INTERFACE, "Names and ids").

use crate::Framework;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A test as users and reports name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TestId {
    /// The module's directory, relative to the project; `.` for the project itself.
    pub module: String,
    /// The class that the build started; differs from the test's class for suites and nested tests.
    pub root: String,
    /// `package.Class#method` with the concrete class, `$` for nested ones, no parameter suffix.
    pub test: String,
    /// The parameter set, repetition or dynamic node.
    pub invocation: Option<String>,
}

impl TestId {
    /// The class part of [`TestId::test`].
    pub fn class(&self) -> &str {
        self.test
            .split_once('#')
            .map_or(self.test.as_str(), |(class, _)| class)
    }

    /// The method part of [`TestId::test`].
    pub fn method(&self) -> &str {
        self.test.split_once('#').map_or("", |(_, method)| method)
    }
}

impl fmt::Display for TestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.test)?;
        match &self.invocation {
            Some(invocation) => f.write_str(invocation),
            None => Ok(()),
        }
    }
}

/// The name of a class as people and reflection write it, from the one in a class file: `package.Class`, nested ones
/// with `$`.
pub fn dotted(class: &str) -> String {
    class.replace('/', ".")
}

/// How a framework is told to run one test again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Handle {
    pub framework: Framework,
    /// The class that the build started.
    pub root: String,
    /// The JUnit Platform's unique id; for JUnit 3 and 4 the display name `method(package.Class)`.
    pub id: String,
}

/// A test as the agent sees it start. What is missing for a [`TestId`] is the module, which the program knows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeenTest {
    pub handle: Handle,
    pub class: String,
    pub method: String,
    pub invocation: Option<String>,
}

impl SeenTest {
    /// The test's full name in `module`.
    pub fn id(&self, module: &str) -> TestId {
        TestId {
            module: module.to_owned(),
            root: self.handle.root.clone(),
            test: format!("{}#{}", self.class, self.method),
            invocation: self.invocation.clone(),
        }
    }
}
