//! How the program ends. A promise to scripts (INTERFACE, "Exit codes").

/// The program's exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitCode {
    /// Checked, nothing at or above `--fail-on`; `replay`: no failure; other commands did their work.
    Clean,
    /// Findings; `replay`: fails.
    Findings,
    /// Wrong usage or configuration.
    Usage,
    /// Cannot work here: no project, the build fails, no JDK, agent refused, disk full, not writable.
    CannotWork,
    /// No test: none in the project, none matched, unknown name.
    NoTest,
    /// Incomplete, with `--require-complete`.
    Incomplete,
    /// A bug in unflake.
    Bug,
    /// Interrupted by Ctrl-C; the partial report is written.
    Interrupted,
    /// Told to end (SIGTERM); the partial report is written.
    Terminated,
    /// `exec`: what the command itself ended with.
    OfCommand(u8),
}

impl ExitCode {
    pub(crate) fn code(self) -> u8 {
        match self {
            ExitCode::Clean => 0,
            ExitCode::Findings => 1,
            ExitCode::Usage => 2,
            ExitCode::CannotWork => 3,
            ExitCode::NoTest => 4,
            ExitCode::Incomplete => 5,
            ExitCode::Bug => 70,
            ExitCode::Interrupted => 130,
            ExitCode::Terminated => 143,
            ExitCode::OfCommand(code) => code,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        std::process::ExitCode::from(code.code())
    }
}
