//! The build tools that unflake drives, and how the one of a project is found.

mod gradle;
mod maven;

use crate::build::{Build, FindError};
use crate::tool::BuildTool;
use gradle::Gradle;
use maven::Maven;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Build tools. Where a directory has build files of several, the first one drives it.
#[derive(Clone, Copy, Debug)]
pub struct Tools(pub &'static [&'static dyn BuildTool]);

/// All build tools that unflake drives.
pub const TOOLS: Tools = Tools(&[&Maven, &Gradle]);

/// Build files of tools that are not driven yet.
const OTHER_BUILDS: &[&str] = &["build.sbt", "build.xml", "WORKSPACE", "MODULE.bazel"];

impl Tools {
    pub fn named(self, name: &str) -> Option<&'static dyn BuildTool> {
        self.0.iter().copied().find(|tool| tool.facts().name == name)
    }

    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|tool| tool.facts().name)
    }

    /// Finds the build of `directory`. `path` is the PATH to look for the build tool in.
    pub fn find(self, directory: &Path, path: Option<&OsStr>) -> Result<Build, FindError> {
        let directory = directory
            .canonicalize()
            .map_err(|_| FindError::NoDirectory(directory.to_owned(), self))?;
        if !directory.is_dir() {
            return Err(FindError::NoDirectory(directory, self));
        }
        let Some(tool) = self.of(&directory) else {
            return Err(self.no_build(directory));
        };
        let facts = tool.facts();
        let on_path = path
            .into_iter()
            .flat_map(std::env::split_paths)
            .map(|folder| folder.join(facts.program));
        // A module of a larger build has its wrapper at the top.
        let wrappers = directory.ancestors().map(|folder| folder.join(facts.wrapper));
        let program = wrappers.chain(on_path).find(|program| is_executable(program));
        match program {
            Some(program) => Ok(Build {
                directory,
                tool,
                program,
            }),
            None => Err(FindError::NoProgram(tool)),
        }
    }

    fn of(self, directory: &Path) -> Option<&'static dyn BuildTool> {
        let mut tools = self.0.iter().copied();
        tools.find(|tool| build_file(*tool, directory).is_some())
    }

    fn no_build(self, directory: PathBuf) -> FindError {
        if let Some(file) = OTHER_BUILDS.iter().find(|file| directory.join(file).is_file()) {
            return FindError::OtherBuild {
                directory,
                file,
                tools: self,
            };
        }
        let mut parents = directory.ancestors().skip(1);
        let parent = parents
            .find(|parent| self.of(parent).is_some())
            .map(Path::to_owned);
        FindError::NoBuild {
            directory,
            parent,
            tools: self,
        }
    }
}

/// The build file that makes `directory` a project of `tool`.
pub(crate) fn build_file(tool: &dyn BuildTool, directory: &Path) -> Option<PathBuf> {
    let mut files = tool.facts().build_files.iter().map(|file| directory.join(file));
    files.find(|file| file.is_file())
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
