//! Bugs in unflake itself: a panic anywhere is told as what it is, and its evidence is kept.

use crate::exit::ExitCode;
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::{self, PanicHookInfo};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether some thread panicked; what the others found after that is not to be trusted.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// Runs the program; after a panic in any of its threads the exit code is [`ExitCode::Bug`].
pub(crate) fn catch(program: impl FnOnce() -> ExitCode + panic::UnwindSafe) -> ExitCode {
    panic::set_hook(Box::new(report));
    match panic::catch_unwind(program) {
        Ok(code) if !PANICKED.load(Ordering::SeqCst) => code,
        _ => ExitCode::Bug,
    }
}

fn report(info: &PanicHookInfo<'_>) {
    let first = !PANICKED.swap(true, Ordering::SeqCst);
    let mut text = String::from("error: this is a bug in unflake, not in your project\n");
    let _ = writeln!(text, "caused by: {}", info.to_string().replace('\n', "\n  "));
    if first {
        let _ = match keep_evidence(info) {
            Ok(path) => writeln!(text, "hint: report it with the evidence in `{}`", path.display()),
            Err(error) => writeln!(
                text,
                "hint: report it with these lines (the evidence could not be kept: {error})"
            ),
        };
    }
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// Writes down what a maintainer asks for first.
fn keep_evidence(info: &PanicHookInfo<'_>) -> std::io::Result<PathBuf> {
    let path = std::env::temp_dir().join(format!("unflake-bug-{}.txt", std::process::id()));
    let mut file = std::fs::File::create_new(&path)?;
    writeln!(file, "unflake {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(file, "arguments: {:?}", std::env::args_os().collect::<Vec<_>>())?;
    writeln!(file, "directory: {:?}", std::env::current_dir())?;
    writeln!(file, "thread: {:?}", std::thread::current().name())?;
    writeln!(file, "{info}\n\n{}", std::backtrace::Backtrace::force_capture())?;
    Ok(path)
}
