//! Which Java the build will run on.

use crate::problem::{Problem, problem};
use std::path::{Path, PathBuf};

/// The home of the Java that Maven would take: the one asked for, else JAVA_HOME, else that of the PATH.
pub(crate) fn home(given: Option<&Path>) -> Option<PathBuf> {
    if let Some(given) = given {
        return Some(given.to_owned());
    }
    if let Some(home) = std::env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .filter(|home| home.join("bin/java").is_file())
    {
        return Some(home);
    }
    let path = std::env::var_os("PATH")?;
    let java = std::env::split_paths(&path)
        .map(|folder| folder.join("java"))
        .find(|java| java.is_file())?;
    java.canonicalize().ok()?.parent()?.parent().map(Path::to_owned)
}

/// Says so if there is no JDK to build with.
pub(crate) fn require(given: Option<&Path>) -> Result<(), Problem> {
    let Some(home) = home(given) else {
        return Err(problem!(
            CannotWork,
            "no JDK was found: JAVA_HOME is not set and there is no `java` on the PATH"
        )
        .hint("install a JDK, or name one with `--java HOME`"));
    };
    // The `java` of a Java 8 JDK lies in a `jre` folder of its own.
    let is_jdk =
        home.join("bin/javac").is_file() || (home.ends_with("jre") && home.join("../bin/javac").is_file());
    if is_jdk {
        return Ok(());
    }
    Err(problem!(CannotWork, "`{}` is a JRE: it has no `bin/javac`, which the build needs", home.display())
        .hint("set JAVA_HOME to a JDK, or name one with `--java HOME`; `unflake doctor` lists those on this machine"))
}
