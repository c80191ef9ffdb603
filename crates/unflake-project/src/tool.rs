//! What differs from one build tool to the next.
//!
//! Constants are in [`ToolFacts`], the rest are methods of [`BuildTool`]. A method is given plain data, such as the
//! output of the build or the recipe of a test JVM, and knows the tool's own habits only: the process is started and
//! its results are judged elsewhere. To add a tool, write one file below `tools/` and list it in `tools.rs`.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use unflake_protocol::Recipe;

/// A build tool that unflake drives.
pub trait BuildTool: fmt::Debug + Sync {
    fn facts(&self) -> &'static ToolFacts;

    /// Adds to `command` what makes the tool run all tests once, even if nothing has changed since the last time, and
    /// go on after failures. `arguments` follow: those of [`BuildTool::select`] and those of the user. Files that this
    /// needs, such as a script for the tool, go to `scratch`.
    fn prepare(&self, command: &mut Command, arguments: &[String], scratch: &Path) -> io::Result<()>;

    /// Adds to `command` what makes the tool compile the tests and all that they need, and run none. The same arguments
    /// follow.
    fn compile(&self, command: &mut Command, scratch: &Path) -> io::Result<()>;

    /// The arguments that limit the run to these classes. They are top-level classes with dots; a name may contain `*`,
    /// and a name without a package stands for that class in every package.
    fn select(&self, classes: &[String]) -> Vec<String>;

    /// The argument lists of further builds that together run everything that a build with `arguments` runs, without
    /// what is left out; none if the tool cannot do that. Files that this needs go to `scratch`.
    fn leave_out(
        &self,
        arguments: &[String],
        left_out: &LeftOut,
        scratch: &Path,
    ) -> io::Result<Vec<Vec<String>>>;

    /// Whether the tool, without any arguments of the user's, takes a class of this name for a test.
    fn is_test_class(&self, class: &str) -> bool;

    /// Whether a test JVM told the build of an error that is not one of its tests: it cannot start, or it cannot end.
    fn has_fork_error(&self, _output: &str) -> bool {
        false
    }

    /// Whether the tool says that a test JVM ended before its tests did.
    fn has_lost_jvm(&self, output: &str) -> bool;

    /// The exit status of a test JVM that ended before its tests did, while it ran this class.
    fn exit_status(&self, output: &str, class: &str) -> Option<i32>;

    /// Whether a build that ended with an error did so for its failing tests only.
    fn only_tests_failed(&self, output: &str) -> bool;

    /// Whether the tool says that it ran tests.
    fn has_reported_tests(&self, output: &str) -> bool;

    /// The lines in which the tool says what went wrong, the most telling first.
    fn errors<'o>(&self, output: &'o str) -> Vec<&'o str>;

    /// Whether the build failed because its Java has no compiler.
    fn needs_jdk(&self, output: &str) -> bool;

    /// The directory of the module whose tests this JVM ran.
    fn module_directory(&self, recipe: &Recipe) -> PathBuf;

    /// The class path of the tests, where the tool hides it from the command line; entries are separated by `:`.
    fn class_path(&self, recipe: &Recipe) -> Option<String>;

    /// Whether the tool compiles test classes into a directory of this name.
    fn is_test_classes(&self, directory: &Path) -> bool;

    /// The tool's version as one line, from what it prints when asked for `--version`.
    fn version(&self, output: &str) -> Option<String>;

    /// The modules below the project, by their paths, as far as the build files name them. For people to read: what is
    /// checked is what the build runs.
    fn modules(&self, project: &Path) -> Vec<String>;
}

/// What a further build does not run. Names have dots, and `$` for nested classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Classes that are through, or that end their JVM outside of their tests.
    pub classes: BTreeSet<String>,
    /// Tests that end their JVM: class and method.
    pub tests: BTreeSet<(String, String)>,
}

/// What is constant about a build tool.
#[derive(Debug)]
pub struct ToolFacts {
    /// As people write it. A stored run remembers the tool by this name.
    pub name: &'static str,
    /// A directory with one of these is a project of this tool; the most common one comes first.
    pub build_files: &'static [&'static str],
    /// The project's own copy of the tool, which comes before the one on the PATH.
    pub wrapper: &'static str,
    /// The program on the PATH.
    pub program: &'static str,
    /// What to do if there is neither.
    pub install_hint: &'static str,
    /// The command with which people run the tests.
    pub test_command: &'static str,
    /// The command with which people compile the tests.
    pub compile_command: &'static str,
    /// The variable that tells the build how test JVMs load the agent. If it is that of the JVM itself, all JVMs of the
    /// build load it, and it sleeps in those that run no tests.
    pub agent_variable: &'static str,
    /// Where to look if the build ran no tests.
    pub no_tests_hint: &'static str,
    /// Files and directories of a module that the tool writes while tests run. They are not the tests' doing.
    pub reports: &'static [&'static str],
    /// Directories below the user's home in which the tool keeps what it downloads.
    pub caches: &'static [&'static str],
    /// System properties that the tool sets in the test JVM for its own sake.
    pub own_properties: &'static [&'static str],
    /// How options begin with which the tool starts test JVMs for its own sake.
    pub own_options: &'static [&'static str],
}
