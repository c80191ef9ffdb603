//! The commands that need no test run: one file each.

pub(crate) mod completions;
pub(crate) mod debug;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod models;

use crate::exit::ExitCode;
use crate::problem::{Problem, problem};
use std::io::{self, Write as _};

/// Writes a command's whole result to standard output.
fn print(text: &str) -> Result<ExitCode, Problem> {
    let mut out = anstream::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // Whoever reads has seen enough, as in `unflake models | head`.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(problem!(CannotWork, "cannot write to standard output").cause(error))
        }
        _ => Ok(ExitCode::Clean),
    }
}
