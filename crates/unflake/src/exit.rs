//! How the program ends. A promise to scripts (INTERFACE, "Exit codes").

/// The program's exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ExitCode {
    /// Checked, nothing at or above `--fail-on`; `replay`: no failure; other commands did their work.
    Clean = 0,
    /// Findings; `replay`: fails.
    Findings = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// Cannot work here: no project, the build fails, no JDK, agent refused, disk full, not writable.
    CannotWork = 3,
    /// No test: none in the project, none matched, unknown name.
    NoTest = 4,
    /// Incomplete, with `--require-complete`.
    Incomplete = 5,
    /// A bug in unflake.
    Bug = 70,
    /// Interrupted by Ctrl-C; the partial report is written.
    Interrupted = 130,
    /// Told to end (SIGTERM); the partial report is written.
    Terminated = 143,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        std::process::ExitCode::from(code as u8)
    }
}
