//! `unflake replay`.

use crate::exit::ExitCode;
use crate::problem::{Problem, problem};
use crate::settings::ReplaySettings;

pub(crate) fn run(_settings: ReplaySettings) -> Result<ExitCode, Problem> {
    Err(problem!(Bug, "`unflake replay` is not built in"))
}
