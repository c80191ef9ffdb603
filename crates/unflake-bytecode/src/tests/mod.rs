//! Tests with real class files: those that `javac` makes of `tests/java`, and those of the JDKs at hand, which are
//! taken from `UNFLAKE_JDKS` (paths with colons between them), else from `JAVA_HOME` and `/usr/lib/jvm`.

mod behaviour;
mod broken;
mod identity;
mod refusals;
mod stress;
mod uses;
mod witness;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

/// What is edited, what the edits call, what calls the edited, and what runs that.
const SUBJECTS: [&str; 4] = ["Subjects.java", "Helpers.java", "Battery.java", "Check.java"];

/// For JVMs that live a second.
const QUICK: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

pub(crate) struct Jdk {
    home: PathBuf,
    /// 8, 11, 17, …
    version: u32,
}

/// Every JDK at hand, oldest first.
pub(crate) fn jdks() -> Vec<Jdk> {
    let mut jdks: Vec<Jdk> = match std::env::var_os("UNFLAKE_JDKS") {
        Some(paths) => {
            let named = std::env::split_paths(&paths);
            // One that was asked for and is not there must not look like success.
            named
                .map(|home| Jdk::at(&home).unwrap_or_else(|| panic!("no JDK at {}", home.display())))
                .collect()
        }
        None => {
            let installed = fs::read_dir("/usr/lib/jvm")
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.path());
            let homes = std::env::var_os("JAVA_HOME")
                .map(PathBuf::from)
                .into_iter()
                .chain(installed);
            let homes: BTreeSet<PathBuf> = homes.filter_map(|home| home.canonicalize().ok()).collect();
            homes.iter().filter_map(|home| Jdk::at(home)).collect()
        }
    };
    jdks.sort_by_key(|jdk| jdk.version);
    assert!(!jdks.is_empty(), "no JDK found: set JAVA_HOME or UNFLAKE_JDKS");
    jdks
}

fn version(release: &str) -> Option<u32> {
    let version = release
        .lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    let version = version.strip_prefix("1.").unwrap_or(version);
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

impl Jdk {
    fn at(home: &Path) -> Option<Self> {
        if !home.join("bin/javac").exists() {
            return None;
        }
        let version = match fs::read_to_string(home.join("release")) {
            Ok(release) => version(&release)?,
            // Debian's Java 8 has no such file.
            Err(_) => home.join("jre/lib/rt.jar").exists().then_some(8)?,
        };
        Some(Self {
            home: home.to_owned(),
            version,
        })
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the test's own tools, in directories of its own"
    )]
    fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(self.home.join("bin").join(name));
        command
            .env_remove("JAVA_TOOL_OPTIONS")
            .env_remove("JDK_JAVA_OPTIONS")
            .env_remove("CLASSPATH");
        command
    }

    /// Compiles sources of `tests/java` into a fresh directory.
    fn compile(&self, options: &[&str], sources: &[&str]) -> TempDir {
        let classes = tempfile::tempdir().unwrap();
        let sources = sources.iter().map(|source| {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/java")
                .join(source)
        });
        run(self
            .tool("javac")
            .args(QUICK.map(|option| format!("-J{option}")))
            .arg("-nowarn")
            .args(options)
            .arg("-d")
            .arg(classes.path())
            .args(sources));
        classes
    }

    /// Unpacks the classes of one module (or, before modules, of the whole runtime) whose path has this prefix.
    fn unpack(&self, module: &str, prefix: &str) -> TempDir {
        let to = tempfile::tempdir().unwrap();
        if self.version == 8 {
            let jar = self.home.join("jre/lib/rt.jar");
            run(self
                .tool("jar")
                .current_dir(to.path())
                .arg("xf")
                .arg(jar)
                .args((!prefix.is_empty()).then_some(prefix)));
        } else {
            let include = format!("--include=regex:/{module}/{prefix}.*\\.class");
            let modules = self.home.join("lib/modules");
            run(self
                .tool("jimage")
                .arg("extract")
                .arg(include)
                .arg("--dir")
                .arg(to.path())
                .arg(modules));
        }
        to
    }
}

/// The subjects, compiled once with all debug tables by the newest JDK. The directory outlives the tests that use it.
pub(crate) fn fixtures() -> &'static Path {
    static DIR: OnceLock<TempDir> = OnceLock::new();
    let compile = || jdks().pop().unwrap().compile(&["-g"], &SUBJECTS);
    DIR.get_or_init(compile).path()
}

/// Runs a command that has to succeed.
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}\n{}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    output
}

/// Every class file in and below a directory, in a fixed order.
pub(crate) fn class_files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|extension| extension == "class") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
