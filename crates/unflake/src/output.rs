//! Writing a result to the screen or into a file.

use crate::args::{Format, FormatArg};
use crate::settings::Screen;
use crate::sources;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use unflake_check::{Place, Problem, problem};
use unflake_findings::Document;

/// Writes `text`, without its colours if it goes into a file. A closed standard output is no error.
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

/// Writes a document in every format that was asked for.
pub(crate) fn write_document(
    document: &Document,
    formats: &[FormatArg],
    screen: &Screen,
    place: &Place,
) -> Result<(), Problem> {
    let sources = |file: &str| sources::read(&place.project, file, document.run.time_started);
    for FormatArg { format, file } in formats {
        let text = match format {
            Format::Text => unflake_report::text(document, screen.verbose > 0, &sources),
            Format::Json => unflake_report::json(document),
        };
        let hint = "the result is stored anyway: name another file with `--format`";
        write(&text, file.as_deref(), hint)?;
    }
    Ok(())
}
