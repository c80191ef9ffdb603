//! `unflake exec`.

use crate::exit::ExitCode;
use crate::problem::{Problem, problem};
use crate::settings::ExecSettings;

pub(crate) fn run(_settings: ExecSettings) -> Result<ExitCode, Problem> {
    Err(problem!(Bug, "`unflake exec` is not built in"))
}
