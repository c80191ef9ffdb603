//! `unflake check`.

use crate::exit::ExitCode;
use crate::problem::{Problem, problem};
use crate::settings::Settings;

pub(crate) fn run(_settings: Settings) -> Result<ExitCode, Problem> {
    Err(problem!(Bug, "`unflake check` is not built in"))
}
