//! `cargo xtask COMMAND`; without a command it lists them.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(name) = args.next() else {
        xtask::print(xtask::commands::list());
        return ExitCode::SUCCESS;
    };
    match xtask::commands::run(&name, args.collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            xtask::say(&failure);
            ExitCode::from(failure.code())
        }
    }
}
