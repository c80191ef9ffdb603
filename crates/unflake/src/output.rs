//! Writing a result to the screen or into a file.

use crate::problem::{Problem, problem};
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// Writes `text`, without its colours if it goes into a file. Whoever closed the screen has seen enough.
pub(crate) fn write(text: &str, file: Option<&Path>, hint: &str) -> Result<(), Problem> {
    let written = match file {
        None => anstream::stdout().write_all(text.as_bytes()),
        Some(file) => fs::write(file, anstream::adapter::strip_str(text).to_string()),
    };
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let place = file.map_or_else(|| "the screen".to_owned(), |file| format!("`{}`", file.display()));
            Err(problem!(CannotWork, "cannot write the result to {place}")
                .cause(error)
                .hint(hint))
        }
        _ => Ok(()),
    }
}
