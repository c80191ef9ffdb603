//! Bugs in unflake itself: a panic anywhere is reported as a bug, and its evidence is kept.

use crate::exit::ExitCode;
use crate::problem::render;
use std::io::Write as _;
use std::panic::{self, PanicHookInfo};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use unflake_check::problem;

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
    let mut problem = problem!(Bug, "this is a bug in unflake, not in your project").cause(info);
    if first {
        problem = problem.hint(match keep_evidence(info) {
            Ok(path) => format!("report it, with the evidence in `{}`", path.display()),
            Err(error) => format!("report it, with these lines; the evidence could not be kept: {error}"),
        });
    }
    let _ = anstream::stderr().write_all(render(&problem).as_bytes());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_any_thread_is_a_bug_of_ours() {
        let hook = panic::take_hook();
        let code = catch(|| {
            let thread = std::thread::spawn(|| panic!("on purpose: this test wants it"));
            assert!(thread.join().is_err());
            ExitCode::Clean
        });
        panic::set_hook(hook);
        assert_eq!(code, ExitCode::Bug);
        let evidence = std::env::temp_dir().join(format!("unflake-bug-{}.txt", std::process::id()));
        let text = std::fs::read_to_string(&evidence).unwrap();
        std::fs::remove_file(evidence).unwrap();
        assert!(
            text.contains("on purpose") && text.contains("arguments:"),
            "{text}"
        );
    }
}
