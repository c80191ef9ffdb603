//! Which build tool a directory is built with, and how it is called.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// A Maven project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// The directory with the `pom.xml`.
    pub directory: PathBuf,
    /// `mvnw` of the project, or `mvn`.
    pub program: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindError {
    NoDirectory(PathBuf),
    /// There is no build file; a parent directory that has one may be what was meant.
    NoBuild {
        directory: PathBuf,
        parent: Option<PathBuf>,
    },
    /// A build tool that unflake does not drive yet.
    OtherBuild {
        directory: PathBuf,
        file: &'static str,
    },
    NoMaven,
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::NoDirectory(directory) => write!(f, "there is no directory `{}`", directory.display()),
            FindError::NoBuild { directory, .. } => write!(
                f,
                "`{}` is not a project: there is no pom.xml in it",
                directory.display()
            ),
            FindError::OtherBuild { directory, file } => {
                write!(
                    f,
                    "`{}` is built with `{file}`; unflake drives Maven builds only",
                    directory.display()
                )
            }
            FindError::NoMaven => {
                f.write_str("Maven was not found: there is no `mvn` on the PATH and no `mvnw` in the project")
            }
        }
    }
}

impl std::error::Error for FindError {}

impl FindError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            FindError::NoBuild { parent: Some(parent), .. } => format!("try `unflake check -C {}`", parent.display()),
            FindError::NoDirectory(_) | FindError::NoBuild { parent: None, .. } => {
                "go to the directory with the project's pom.xml, or name it with `-C DIR`".to_owned()
            }
            FindError::OtherBuild { .. } => {
                "run its tests under unflake with `unflake exec -- COMMAND`, for example `unflake exec -- ./gradlew test`".to_owned()
            }
            FindError::NoMaven => "install Maven, or put its `bin` directory on the PATH".to_owned(),
        }
    }
}

/// Build files of tools that are not driven.
const OTHER_BUILDS: &[&str] = &[
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "build.sbt",
    "build.xml",
    "WORKSPACE",
    "MODULE.bazel",
];

impl Build {
    /// Finds the build of `directory`. `path` is the PATH to look for Maven in.
    pub fn find(directory: &Path, path: Option<&OsString>) -> Result<Build, FindError> {
        let directory = directory
            .canonicalize()
            .map_err(|_| FindError::NoDirectory(directory.to_owned()))?;
        if !directory.is_dir() {
            return Err(FindError::NoDirectory(directory));
        }
        if !directory.join("pom.xml").is_file() {
            if let Some(file) = OTHER_BUILDS.iter().find(|file| directory.join(file).is_file()) {
                return Err(FindError::OtherBuild { directory, file });
            }
            let parent = directory
                .ancestors()
                .skip(1)
                .find(|parent| parent.join("pom.xml").is_file())
                .map(Path::to_owned);
            return Err(FindError::NoBuild { directory, parent });
        }
        let wrapper = directory.join("mvnw");
        if is_executable(&wrapper) {
            return Ok(Build {
                directory,
                program: wrapper,
            });
        }
        let program = path
            .into_iter()
            .flat_map(std::env::split_paths)
            .map(|folder| folder.join("mvn"))
            .find(|program| is_executable(program))
            .ok_or(FindError::NoMaven)?;
        Ok(Build { directory, program })
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

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
