//! Where a JDK's sources are, and what is in them.

use super::archive::Archive;
use super::documentation::{Documented, scan};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, io};

/// The sources of one JDK.
pub struct JdkSources {
    /// The archive's path.
    pub path: PathBuf,
    archive: Archive,
}

impl JdkSources {
    pub fn open(path: &Path) -> io::Result<JdkSources> {
        Ok(JdkSources {
            path: path.to_owned(),
            archive: Archive::open(path)?,
        })
    }

    /// What the class of this binary name (with slashes) documents; `None` if these sources do not have it.
    pub fn class(&self, name: &str) -> Option<Vec<Documented>> {
        let file = format!("{name}.java");
        let from_java_9 = || {
            let entry = self
                .archive
                .names()
                .find(|entry| entry.split_once('/').is_some_and(|(_, rest)| rest == file));
            entry.and_then(|entry| self.archive.text(entry))
        };
        let text = self.archive.text(&file).or_else(from_java_9)?;
        Some(scan(&text))
    }

    /// Every public class file of an exported package `java.…`: its name with slashes and its text.
    pub fn exported(&self) -> impl Iterator<Item = (String, String)> {
        let exported = self.exported_packages();
        self.archive.names().filter_map(move |entry| {
            let name = entry.strip_suffix(".java")?;
            // From Java 9 on the first folder is the module.
            let name = name.strip_prefix("java/").map_or_else(
                || {
                    name.split_once('/')
                        .filter(|(_, rest)| rest.starts_with("java/"))
                        .map(|(_, rest)| rest)
                },
                |_| Some(name),
            )?;
            let (package, class) = name.rsplit_once('/')?;
            if class == "package-info" || exported.as_ref().is_some_and(|set| !set.contains(package)) {
                return None;
            }
            Some((name.to_owned(), self.archive.text(entry)?))
        })
    }

    /// `None` before Java 9, where everything in `java` is open to all.
    fn exported_packages(&self) -> Option<BTreeSet<String>> {
        let modules: Vec<&str> = self
            .archive
            .names()
            .filter(|name| name.starts_with("java.") && name.ends_with("/module-info.java"))
            .collect();
        if modules.is_empty() {
            return None;
        }
        let mut packages = BTreeSet::new();
        for module in modules {
            for line in self.archive.text(module)?.lines() {
                if let Some(package) = line
                    .trim()
                    .strip_prefix("exports ")
                    .and_then(|rest| rest.strip_suffix(';'))
                {
                    packages.insert(package.trim().replace('.', "/"));
                }
            }
        }
        Some(packages)
    }
}

/// The `src.zip` of every JDK on this machine: those that `UNFLAKE_JDK_SOURCES` names (separated like `PATH`), and
/// those of the homes in `UNFLAKE_JDKS`, `JAVA_HOME` and the usual folder. Also the homes that have none.
pub fn find_jdk_sources() -> (Vec<PathBuf>, Vec<PathBuf>) {
    let listed =
        |variable: &str| env::var_os(variable).map_or_else(Vec::new, |v| env::split_paths(&v).collect());
    let mut found: Vec<PathBuf> = listed("UNFLAKE_JDK_SOURCES");
    let mut missing = Vec::new();
    let mut homes = listed("UNFLAKE_JDKS");
    homes.extend(listed("JAVA_HOME"));
    if let Ok(folder) = Path::new("/usr/lib/jvm").read_dir() {
        let mut installed: Vec<PathBuf> = folder.flatten().map(|entry| entry.path()).collect();
        installed.sort();
        homes.extend(
            installed
                .into_iter()
                .filter(|home| home.join("bin/java").exists()),
        );
    }
    for home in homes {
        match [home.join("lib/src.zip"), home.join("src.zip")]
            .into_iter()
            .find(|zip| zip.is_file())
        {
            Some(zip) => found.push(zip),
            None => missing.push(home),
        }
    }
    // The same file may be reached through several links; the first path found is kept.
    let mut seen = BTreeSet::new();
    found.retain(|zip| seen.insert(zip.canonicalize().unwrap_or_else(|_| zip.clone())));
    (found, missing)
}
