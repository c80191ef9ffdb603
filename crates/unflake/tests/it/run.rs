//! Runs the program in a temporary directory and shows all it did as one text.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directory with a project (or something broken) in it, a store, and a home that is nobody's.
pub(crate) struct Place {
    root: tempfile::TempDir,
    path: Option<OsString>,
    environment: Vec<(&'static str, &'static str)>,
}

impl Place {
    pub(crate) fn new() -> Place {
        let place = Place {
            root: tempfile::tempdir().unwrap(),
            path: None,
            environment: Vec::new(),
        };
        fs::create_dir(place.project()).unwrap();
        place
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    /// A file under the root: `project/pom.xml`.
    pub(crate) fn file(self, path: &str, contents: &str) -> Place {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
        self
    }

    /// A program under the root that does nothing.
    pub(crate) fn program(self, path: &str) -> Place {
        let place = self.file(path, "#!/bin/sh\nexit 0\n");
        fs::set_permissions(place.root().join(path), fs::Permissions::from_mode(0o755)).unwrap();
        place
    }

    /// Only this directory under the root is on the `PATH`.
    pub(crate) fn path(mut self, directory: &str) -> Place {
        self.path = Some(self.root().join(directory).into());
        self
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &'static str, value: &'static str) -> Place {
        self.environment.push((name, value));
        self
    }

    /// Runs `unflake`; the arguments are separated by blanks, and `ROOT` in them is the root.
    pub(crate) fn unflake(&self, arguments: &str) -> String {
        let root = self.root();
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_unflake")));
        for argument in arguments.split_whitespace() {
            command.arg(argument.replace("ROOT", root.to_str().unwrap()));
        }
        let output = command.output().unwrap();
        let text = [("", output.stdout), ("", output.stderr)]
            .into_iter()
            .map(|(label, bytes)| format!("{label}{}", String::from_utf8(bytes).unwrap()))
            .collect::<String>();
        let code = output
            .status
            .code()
            .map_or("killed".to_owned(), |code| code.to_string());
        let text = text
            .replace(root.to_str().unwrap(), "ROOT")
            .replace(env!("CARGO_PKG_VERSION"), "VERSION");
        let text = redact_project(&text);
        format!("{text}exit {code}\n")
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = unflake_runner::command(program, &self.project());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("UNFLAKE_") || name.starts_with("CLICOLOR") || name == "JAVA_HOME" {
                command.env_remove(name);
            }
        }
        command
            .env("HOME", self.root().join("home"))
            .env("UNFLAKE_STORE", self.root().join("store"))
            .env("UNFLAKE_ONLY", "id");
        command.env_remove("XDG_CACHE_HOME").env("TMPDIR", self.root());
        if let Some(path) = &self.path {
            command.env("PATH", path);
        }
        command.envs(self.environment.iter().copied());
        command
    }
}

/// Compares all of the output.
#[track_caller]
pub(crate) fn check(place: &Place, arguments: &str, expect: &str) {
    let found = place.unflake(arguments);
    assert!(
        found == expect,
        "`unflake {arguments}`\n--- expected\n{expect}--- found\n{found}---"
    );
}

/// The project's name in the store has a hash of its path in it.
fn redact_project(text: &str) -> String {
    const BEFORE: &str = "/projects/project-";
    const HASH: usize = 8;
    let mut parts = text.split(BEFORE);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        format!("{text}/projects/PROJECT{}", &part[HASH..])
    })
}
