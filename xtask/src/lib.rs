//! Commands for those who work on unflake, such as benchmarks and checks on many JDKs; [`commands`] lists them. A library
//! beside its program, so that its parts have tests.

pub mod agent;
pub mod args;
pub mod commands;
pub mod conformance;
pub mod coverage;
mod heap_size;
pub mod jdks;
pub mod jmh;
pub mod marks;
pub mod matrix;
mod measured;
pub mod models;
pub mod mutants;
pub mod nightly;
pub mod process;
pub mod real;
pub mod same_seed;
mod trust;

use std::fmt;
use std::path::{Path, PathBuf};

/// What a command ends with.
pub type Outcome<T> = Result<T, Failure>;

/// Why a command could not do its work, or that what it looked at is not right.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    code: u8,
}

impl Failure {
    pub fn new(message: impl Into<String>) -> Failure {
        Failure {
            message: message.into(),
            hint: None,
            code: 1,
        }
    }

    pub fn usage(message: impl Into<String>, usage: &str) -> Failure {
        Failure {
            message: message.into(),
            hint: Some(format!("usage: {usage}")),
            code: 2,
        }
    }

    pub fn io(what: &str, path: &Path, error: &std::io::Error) -> Failure {
        Failure::new(format!("{what} `{}`: {error}", path.display()))
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    pub fn code(&self) -> u8 {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

/// The repository's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where the build writes: `CARGO_TARGET_DIR`, or `target`.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// Tells the user what is being done.
#[expect(clippy::print_stderr, reason = "the one place where these commands talk")]
pub fn say(text: impl fmt::Display) {
    eprintln!("{text}");
}

/// Prints a result.
#[expect(clippy::print_stdout, reason = "the one place where these commands print")]
pub fn print(text: impl fmt::Display) {
    println!("{text}");
}
