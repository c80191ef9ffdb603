//! The JDKs on this machine, and the one that the build will take.
//!
//! Nothing is started: a JDK tells its version in its file `release`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use unflake_check::{Problem, problem};

/// Where Debian, Ubuntu and most others put JDKs.
const SYSTEM: &str = "/usr/lib/jvm";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Jdk {
    pub(crate) home: PathBuf,
    /// `17.0.15`; `None`: it does not say.
    pub(crate) version: Option<String>,
    /// Has `bin/javac`; without it, it is a JRE.
    pub(crate) can_compile: bool,
    /// How it was found: `JAVA_HOME`, `PATH`, the system's directory.
    pub(crate) seen: Vec<&'static str>,
}

/// Where to look.
#[derive(Clone, Debug)]
pub(crate) struct JdkPlaces {
    java_home: Option<OsString>,
    path: Option<OsString>,
    system: PathBuf,
}

impl JdkPlaces {
    pub(crate) fn of_this_process() -> JdkPlaces {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        JdkPlaces {
            java_home: set("JAVA_HOME"),
            path: set("PATH"),
            system: PathBuf::from(SYSTEM),
        }
    }

    /// All JDKs: `JAVA_HOME`'s, that of the `PATH`, then the system's by name.
    pub(crate) fn all(&self) -> Vec<Jdk> {
        let mut all: Vec<Jdk> = Vec::new();
        let mut add = |home: PathBuf, seen: &'static str| {
            let home = home.canonicalize().unwrap_or(home);
            match all.iter_mut().find(|jdk| jdk.home == home) {
                Some(known) if known.seen.contains(&seen) => {}
                Some(known) => known.seen.push(seen),
                None => all.extend(look_at(home, seen)),
            }
        };
        if let Some(home) = &self.java_home {
            add(PathBuf::from(home), "JAVA_HOME");
        }
        if let Some(home) = self.on_path() {
            add(home, "PATH");
        }
        let mut system: Vec<PathBuf> = fs::read_dir(&self.system)
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        system.sort();
        for home in system {
            add(home, SYSTEM);
        }
        all
    }

    /// The home of the first `java` on the `PATH`, through all links.
    fn on_path(&self) -> Option<PathBuf> {
        let java = std::env::split_paths(self.path.as_ref()?)
            .map(|directory| directory.join("java"))
            .find(|java| java.is_file())?
            .canonicalize()
            .ok()?;
        let home = java.parent()?.parent()?;
        // Up to Java 8 a JDK has its JRE inside of itself.
        match home.parent() {
            Some(jdk) if home.ends_with("jre") && jdk.join("bin/javac").is_file() => Some(jdk.to_owned()),
            _ => Some(home.to_owned()),
        }
    }

    fn require(&self, asked_for: Option<&Path>) -> Result<Jdk, Problem> {
        let install =
            "install a JDK (on Debian and Ubuntu the package `default-jdk`), or name one with `--java HOME`";
        let given = asked_for.map(|home| (home.to_owned(), "--java")).or_else(|| {
            self.java_home
                .as_ref()
                .map(|home| (PathBuf::from(home), "JAVA_HOME"))
        });
        let jdk = match given {
            Some((home, by)) => look_at(home.clone(), by).ok_or_else(|| {
                problem!(
                    CannotWork,
                    "`{by}` names `{}`, which is not a JDK: it has no `bin/java`",
                    home.display()
                )
                .hint("`unflake doctor` lists the JDKs on this machine")
            })?,
            None => self
                .on_path()
                .and_then(|home| look_at(home, "PATH"))
                .ok_or_else(|| {
                    problem!(
                        CannotWork,
                        "there is no JDK: `JAVA_HOME` is not set and there is no `java` on the `PATH`"
                    )
                    .hint(install)
                })?,
        };
        if !jdk.can_compile {
            let home = jdk.home.display();
            return Err(problem!(
                CannotWork,
                "`{home}` is a JRE, but a JDK is needed: it has no `bin/javac`"
            )
            .hint(install));
        }
        Ok(jdk)
    }
}

/// The JDK that the build will take, or what is wrong with it. `asked_for` is `--java`.
pub(crate) fn require(asked_for: Option<&Path>) -> Result<Jdk, Problem> {
    JdkPlaces::of_this_process().require(asked_for)
}

fn look_at(home: PathBuf, seen: &'static str) -> Option<Jdk> {
    if !home.join("bin/java").is_file() {
        return None;
    }
    let version = fs::read_to_string(home.join("release")).ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
        Some(line.trim_matches('"').to_owned())
    });
    Some(Jdk {
        can_compile: home.join("bin/javac").is_file(),
        version,
        home,
        seen: vec![seen],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A directory that looks like a JDK (`compiler`) or a JRE.
    fn java(at: &Path, version: &str, compiler: bool) -> PathBuf {
        fs::create_dir_all(at.join("bin")).unwrap();
        fs::write(at.join("bin/java"), "").unwrap();
        if compiler {
            fs::write(at.join("bin/javac"), "").unwrap();
        }
        fs::write(
            at.join("release"),
            format!("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"{version}\"\n"),
        )
        .unwrap();
        at.to_owned()
    }

    fn places(root: &Path) -> JdkPlaces {
        JdkPlaces {
            java_home: None,
            path: None,
            system: root.join("jvm"),
        }
    }

    #[test]
    fn one_jdk_seen_three_ways_is_one() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let home = java(&root.join("jvm/java-17"), "17.0.15", true);
        java(&root.join("jvm/java-11"), "11.0.1", false);
        fs::create_dir(root.join("bin")).unwrap();
        symlink(home.join("bin/java"), root.join("bin/java")).unwrap();
        symlink(&home, root.join("jvm/default")).unwrap();
        let found = JdkPlaces {
            java_home: Some(home.clone().into()),
            path: Some(root.join("bin").into()),
            ..places(&root)
        }
        .all();
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(
            (found[0].version.as_deref(), found[0].can_compile),
            (Some("17.0.15"), true)
        );
        assert_eq!(found[0].seen, ["JAVA_HOME", "PATH", SYSTEM]);
        assert_eq!(
            (found[1].version.as_deref(), found[1].can_compile),
            (Some("11.0.1"), false)
        );
    }

    #[test]
    fn the_jre_inside_of_java_8_belongs_to_its_jdk() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let home = java(&root.join("jdk8"), "1.8.0_392", true);
        java(&home.join("jre"), "1.8.0_392", false);
        let path = Some(home.join("jre/bin").into());
        let found = JdkPlaces {
            path,
            ..places(&root)
        }
        .require(None)
        .unwrap();
        assert_eq!(found.home, home);
    }

    #[test]
    fn what_is_missing_is_said() {
        let root = tempfile::tempdir().unwrap();
        let jre = java(&root.path().join("jre"), "17", false);
        let nowhere = places(root.path());
        assert!(
            nowhere
                .require(None)
                .unwrap_err()
                .error
                .starts_with("there is no JDK")
        );
        assert!(
            nowhere
                .require(Some(&jre))
                .unwrap_err()
                .error
                .contains("is a JRE")
        );
        let wrong = JdkPlaces {
            java_home: Some("/nonexistent".into()),
            ..nowhere
        };
        assert!(
            wrong
                .require(None)
                .unwrap_err()
                .error
                .starts_with("`JAVA_HOME` names `/nonexistent`")
        );
    }
}
