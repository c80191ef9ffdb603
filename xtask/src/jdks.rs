//! Finding the JDKs of this machine and telling their versions apart. The matrix asks for five of them by number;
//! one that is missing is an error there, never a shorter run.

use crate::process::Program;
use crate::{Failure, Outcome};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The versions that everything must work on.
pub const REQUIRED: [u8; 5] = [8, 11, 17, 21, 25];

/// One JDK.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Jdk {
    pub version: u8,
    pub home: PathBuf,
}

impl fmt::Display for Jdk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Java {}", self.version)
    }
}

impl Jdk {
    /// The JDK in this directory. Its version is read from its `release` file, or asked for where a distribution
    /// left that file out.
    pub fn at(home: &Path) -> Outcome<Jdk> {
        if !home.join("bin/javac").exists() {
            return Err(Failure::new(format!(
                "`{}` is no JDK: it has no bin/javac",
                home.display()
            )));
        }
        let version = fs::read_to_string(home.join("release"))
            .ok()
            .and_then(|text| version_in(&text));
        let version = match version {
            Some(version) => version,
            None => {
                let said = Program::new(home.join("bin/java")).arg("-version").run()?.output;
                version_said(&said).ok_or_else(|| {
                    Failure::new(format!("cannot tell the version of `{}`: {said}", home.display()))
                })?
            }
        };
        Ok(Jdk {
            version,
            home: home.to_path_buf(),
        })
    }

    pub fn tool(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(name)
    }

    /// `javac` for Java 8 class files, with these libraries; what to compile is left to add.
    pub(crate) fn javac_8(&self, classes: &Path, class_path: &str) -> Program {
        Program::new(self.tool("javac"))
            .args([
                "-nowarn",
                "-source",
                "8",
                "-target",
                "8",
                "-encoding",
                "UTF-8",
                "-d",
            ])
            .arg(classes)
            .args(["-cp", class_path])
    }

    pub fn java(&self) -> PathBuf {
        self.tool("java")
    }
}

/// The JDKs in the directories given, or else in those of `UNFLAKE_JDKS` (a colon list of homes), or else in all of
/// `/usr/lib/jvm` and where `scripts/test.sh` puts those that are missing there; one per version (the first named),
/// sorted by version.
pub fn find(given: &[PathBuf]) -> Outcome<Vec<Jdk>> {
    let mut found: Vec<Jdk> = Vec::new();
    let mut add = |jdk: Jdk| {
        if found.iter().all(|other| other.version != jdk.version) {
            found.push(jdk);
        }
    };
    if !given.is_empty() {
        for dir in given {
            // A home, or a directory with homes in it.
            match Jdk::at(dir) {
                Ok(jdk) => add(jdk),
                Err(failure) => {
                    let homes = inside(dir);
                    if homes.is_empty() {
                        return Err(failure);
                    }
                    homes.into_iter().for_each(&mut add);
                }
            }
        }
    } else if let Some(list) = std::env::var_os("UNFLAKE_JDKS") {
        for home in std::env::split_paths(&list).filter(|home| !home.as_os_str().is_empty()) {
            add(Jdk::at(&home)?);
        }
    } else {
        for dir in [Some(PathBuf::from("/usr/lib/jvm")), brought()]
            .into_iter()
            .flatten()
        {
            inside(&dir).into_iter().for_each(&mut add);
        }
    }
    found.sort();
    Ok(found)
}

/// Where `scripts/test.sh` puts JDKs.
fn brought() -> Option<PathBuf> {
    let cache = match std::env::var_os("XDG_CACHE_HOME") {
        Some(cache) => PathBuf::from(cache),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".cache"),
    };
    Some(cache.join("unflake-jdks"))
}

/// All five of [`REQUIRED`], or an error that names the missing.
pub fn require_all(given: &[PathBuf]) -> Outcome<Vec<Jdk>> {
    let found = find(given)?;
    let missing: Vec<String> = REQUIRED
        .iter()
        .filter(|n| found.iter().all(|jdk| jdk.version != **n))
        .map(u8::to_string)
        .collect();
    if !missing.is_empty() {
        let have: Vec<String> = found.iter().map(|jdk| jdk.version.to_string()).collect();
        return Err(Failure::new(format!(
            "JDKs missing: {} (found: {})",
            missing.join(", "),
            if have.is_empty() {
                "none".to_owned()
            } else {
                have.join(", ")
            }
        ))
        .hint("`scripts/test.sh` brings them; or name their homes: UNFLAKE_JDKS=/path/to/8:/path/to/11:…"));
    }
    Ok(found
        .into_iter()
        .filter(|jdk| REQUIRED.contains(&jdk.version))
        .collect())
}

/// The JDKs right below a directory, in the order of their names.
fn inside(dir: &Path) -> Vec<Jdk> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut homes: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    homes.sort();
    homes.iter().filter_map(|home| Jdk::at(home).ok()).collect()
}

/// `JAVA_VERSION="1.8.0_504"` is 8, `JAVA_VERSION="17.0.15"` is 17.
fn version_in(release: &str) -> Option<u8> {
    feature(
        release
            .lines()
            .find_map(|line| line.strip_prefix("JAVA_VERSION="))?
            .trim_matches('"'),
    )
}

/// `openjdk version "1.8.0_504"`, perhaps after a line about `JAVA_TOOL_OPTIONS`.
fn version_said(said: &str) -> Option<u8> {
    let line = said.lines().find(|line| line.contains(" version \""))?;
    feature(line.split('"').nth(1)?)
}

fn feature(version: &str) -> Option<u8> {
    let version = version.strip_prefix("1.").unwrap_or(version);
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_the_release_file() {
        assert_eq!(
            version_in("JAVA_VERSION=\"1.8.0_504\"\nOS_NAME=\"Linux\""),
            Some(8)
        );
        assert_eq!(
            version_in("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.15\""),
            Some(17)
        );
        assert_eq!(version_in("JAVA_VERSION=\"25\""), Some(25));
        assert_eq!(version_in("OS_NAME=\"Linux\""), None);
        assert_eq!(
            version_said("Picked up x\nopenjdk version \"1.8.0_504\"\n"),
            Some(8)
        );
    }

    #[test]
    fn missing_jdks_are_named() {
        let failure = require_all(&[PathBuf::from("/nonexistent")]).unwrap_err();
        assert!(failure.to_string().contains("no JDK"), "{failure}");
    }
}
