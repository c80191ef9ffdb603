//! A Maven project of `fixtures/`, copied so that it can be built and broken, with a store of its own.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) struct Fixture {
    root: tempfile::TempDir,
    /// Its `expected.toml`.
    pub(crate) expected: toml::Table,
}

impl Fixture {
    pub(crate) fn new(name: &str) -> Fixture {
        Fixture::at(tempfile::tempdir().unwrap(), name)
    }

    /// In this empty directory.
    pub(crate) fn at(root: tempfile::TempDir, name: &str) -> Fixture {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fixtures")
            .join(name);
        copy(&source, &root.path().join("project"));
        // The demo is written for users, so it has none.
        let expected = fs::read_to_string(source.join("expected.toml")).unwrap_or_default();
        Fixture {
            root,
            expected: expected.parse().unwrap(),
        }
    }

    /// A project with these sources and the build file of `fixtures/pollution`; it expects nothing.
    pub(crate) fn written(files: &[(&str, &str)]) -> Fixture {
        let pom = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pollution/pom.xml");
        let pom = fs::read_to_string(pom).unwrap();
        // A build file among the sources comes after it.
        let files: Vec<(&str, &str)> = [("pom.xml", pom.as_str())]
            .into_iter()
            .chain(files.iter().copied())
            .collect();
        Fixture::of_files(&files)
    }

    /// A project of these files and nothing else; it expects nothing.
    pub(crate) fn of_files(files: &[(&str, &str)]) -> Fixture {
        let fixture = Fixture {
            root: tempfile::tempdir().unwrap(),
            expected: toml::Table::new(),
        };
        for (path, text) in files {
            fixture.write(path, text);
        }
        fixture
    }

    /// A file of the project.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.root().join("store")
    }

    /// `unflake` in the project; the arguments are separated by blanks.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = unflake_runner::command(env!("CARGO_BIN_EXE_unflake"), &self.project());
        command
            .args(arguments.split_whitespace())
            .env("UNFLAKE_STORE", self.store())
            // Tests that look for something else say so.
            .env("UNFLAKE_ONLY", "id");
        command
    }

    pub(crate) fn unflake(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub(crate) fn check(&self, arguments: &str) -> Value {
        let output = self.unflake(&format!("check --format json {arguments}"));
        let stderr = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{stderr}"))
    }
}

/// Build results are not copied: the fixture may have been built in place.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            if entry.file_name() != "target" {
                copy(&entry.path(), &target);
            }
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A program of the JDK that the build uses.
pub(crate) fn jdk_tool(name: &str) -> PathBuf {
    match std::env::var_os("JAVA_HOME") {
        Some(home) => PathBuf::from(home).join("bin").join(name),
        None => PathBuf::from(name),
    }
}
