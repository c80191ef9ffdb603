//! The commands, one file each.

pub(crate) mod check;
pub(crate) mod clean;
pub(crate) mod completions;
pub(crate) mod debug;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod exec;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod fix;
pub(crate) mod models;
pub(crate) mod replay;
pub(crate) mod runs;
pub(crate) mod victims;

use crate::exit::ExitCode;
use crate::interrupt::Interrupt;
use crate::surroundings::surroundings;
use anstyle::{AnsiColor, Style};
use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::Path;
use unflake_check::{Named, Place, Problem, StoredRun, problem};

/// Opens a stored run: the one that has what is named by `wanted`, else the latest.
fn open(place: &Place, wanted: Option<&str>) -> Result<(StoredRun, Interrupt), Problem> {
    let (surroundings, interrupt) = surroundings(&place.store)?;
    let stored = StoredRun::open(place, wanted, &surroundings)?;
    if !stored.is_fresh {
        warn(&format!(
            "the project's classes have changed since the run `{}`; run `unflake check` again for current results",
            stored.run.id().as_str()
        ));
    }
    Ok((stored, interrupt))
}

/// Indices of the findings that are named, by id, by test or by class. `hint`: what to do about a test without one.
fn findings_named(
    stored: &StoredRun,
    wanted: &[String],
    project: &Path,
    hint: &str,
) -> Result<BTreeSet<usize>, Problem> {
    let findings = &stored.document.findings;
    let mut which = BTreeSet::new();
    for wanted in wanted {
        let by_name = stored.findings_of(wanted, project)?;
        if !by_name.is_empty() {
            which.extend(by_name);
            continue;
        }
        match stored.named(wanted, project)? {
            Named::Finding(finding) => which.extend(findings.iter().position(|other| other.id == finding.id)),
            Named::Test(test) => {
                return Err(problem!(
                    NoTest,
                    "`{}` did not fail in the run `{}`",
                    stored.session.suite[test].id.test,
                    stored.run.id().as_str()
                )
                .hint(hint));
            }
        }
    }
    Ok(which)
}

/// Says on standard error what may be worth knowing.
fn warn(sentence: &str) {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
    // If standard error is closed, there is nowhere to report it.
    let _ = writeln!(anstream::stderr(), "{style}warning:{style:#} {sentence}");
}

/// Bytes as people say it: `873 B`, `1.2 kB`, `35 MB`.
fn size(bytes: u64) -> String {
    let mut number = bytes as f64;
    let mut unit = "B";
    for larger in ["kB", "MB", "GB", "TB"] {
        if number < 999.5 {
            break;
        }
        number /= 1000.0;
        unit = larger;
    }
    match unit {
        "B" => format!("{bytes} B"),
        unit if number < 9.95 => format!("{number:.1} {unit}"),
        unit => format!("{number:.0} {unit}"),
    }
}

/// Writes a command's whole result to standard output.
fn print(text: &str) -> Result<ExitCode, Problem> {
    let mut out = anstream::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // The reader has closed the pipe, as in `unflake models | head`.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(problem!(CannotWork, "cannot write to standard output").cause(error))
        }
        _ => Ok(ExitCode::Clean),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        let shown = [
            0,
            999,
            1000,
            1234,
            9949,
            9950,
            123_456,
            999_499,
            999_500,
            35_000_000,
            u64::MAX,
        ]
        .map(size);
        assert_eq!(
            shown,
            [
                "0 B",
                "999 B",
                "1.0 kB",
                "1.2 kB",
                "9.9 kB",
                "10 kB",
                "123 kB",
                "999 kB",
                "1.0 MB",
                "35 MB",
                "18446744 TB"
            ]
        );
    }
}
