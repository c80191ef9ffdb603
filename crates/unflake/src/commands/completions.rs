//! `unflake completions`.

use super::print;
use crate::args::{Arguments, CompletionsArgs};
use crate::exit::ExitCode;
use clap::CommandFactory;
use unflake_check::Problem;

pub(crate) fn run(args: CompletionsArgs) -> Result<ExitCode, Problem> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "unflake", &mut script);
    print(&String::from_utf8_lossy(&script))
}
