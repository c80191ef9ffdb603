//! A project with the build tool that builds it, or why there is none.

use crate::tool::BuildTool;
use crate::tools::{TOOLS, Tools, build_file};
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

/// A project that can be built.
#[derive(Clone, Debug)]
pub struct Build {
    /// The directory with the build file.
    pub directory: PathBuf,
    pub tool: &'static dyn BuildTool,
    /// The tool's wrapper in the project, or its program on the PATH.
    pub program: PathBuf,
}

#[derive(Clone, Debug)]
pub enum FindError {
    NoDirectory(PathBuf, Tools),
    /// There is no build file; a parent directory that has one may be what was meant.
    NoBuild {
        directory: PathBuf,
        parent: Option<PathBuf>,
        tools: Tools,
    },
    /// A build tool that unflake does not drive yet.
    OtherBuild {
        directory: PathBuf,
        file: &'static str,
        tools: Tools,
    },
    /// The tool of the project is not installed.
    NoProgram(&'static dyn BuildTool),
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::NoDirectory(directory, _) => {
                write!(f, "there is no directory `{}`", directory.display())
            }
            FindError::NoBuild { directory, tools, .. } => write!(
                f,
                "`{}` is not a project: there is no {} in it",
                directory.display(),
                build_files(*tools)
            ),
            FindError::OtherBuild {
                directory,
                file,
                tools,
            } => {
                write!(
                    f,
                    "`{}` is built with `{file}`; unflake drives {} builds only",
                    directory.display(),
                    names(*tools)
                )
            }
            FindError::NoProgram(tool) => {
                let facts = tool.facts();
                write!(
                    f,
                    "{} was not found: there is no `{}` on the PATH and no `{}` in the project",
                    facts.name, facts.program, facts.wrapper
                )
            }
        }
    }
}

impl std::error::Error for FindError {}

impl FindError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            FindError::NoBuild {
                parent: Some(parent), ..
            } => format!("try `unflake check -C {}`", parent.display()),
            FindError::NoDirectory(_, tools)
            | FindError::NoBuild {
                parent: None, tools, ..
            } => {
                format!(
                    "go to the directory with the project's {}, or name it with `-C DIR`",
                    build_files(*tools)
                )
            }
            FindError::OtherBuild { .. } => {
                "run its tests under unflake with `unflake exec -- COMMAND`, for example `unflake exec -- ant test`"
                    .to_owned()
            }
            FindError::NoProgram(tool) => tool.facts().install_hint.to_owned(),
        }
    }
}

fn names(tools: Tools) -> String {
    listed(tools.names(), "and")
}

/// The most common build file of each tool.
fn build_files(tools: Tools) -> String {
    let files = tools.0.iter().filter_map(|tool| tool.facts().build_files.first());
    listed(files.copied(), "or")
}

/// `a`, `a or b`, `a, b or c`.
fn listed(words: impl Iterator<Item = &'static str>, before_last: &str) -> String {
    let words: Vec<&str> = words.collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} {before_last} {last}", others.join(", ")),
        None => String::new(),
    }
}

impl Build {
    /// Finds the build of `directory`. `path` is the PATH to look for the build tool in.
    pub fn find(directory: &Path, path: Option<&OsStr>) -> Result<Build, FindError> {
        TOOLS.find(directory, path)
    }

    /// The file that makes the directory a project.
    pub fn file(&self) -> Option<PathBuf> {
        build_file(self.tool, &self.directory)
    }

    /// The name of the module in `directory`: its path from the project's, `.` for the project itself.
    pub fn module(&self, directory: &Path) -> String {
        match directory.strip_prefix(&self.directory) {
            Ok(path) if path.as_os_str().is_empty() => ".".to_owned(),
            Ok(path) => path.display().to_string(),
            Err(_) => directory.display().to_string(),
        }
    }
}
