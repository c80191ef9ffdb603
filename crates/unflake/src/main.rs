//! The program: arguments, commands, exit codes.

mod args;
mod bug;
mod commands;
mod config;
mod embedded;
mod exit;
mod interrupt;
mod jdk;
mod output;
mod problem;
mod progress;
mod settings;
mod sources;
mod surroundings;
mod usage;
mod values;

use crate::args::{Arguments, Color, Command};
use crate::exit::ExitCode;
use crate::settings::{ExecSettings, ExploreSettings, ReplaySettings, Screen, Settings};
use std::io::Write;
use unflake_check::Problem;

fn main() -> std::process::ExitCode {
    // Test JVMs are started by this same executable, which is then nothing else.
    if let Some(code) = unflake_runner::launched(std::env::args_os()) {
        return code;
    }
    bug::catch(|| match run() {
        Ok(code) => code,
        Err(problem) => {
            // If standard error is closed, there is nowhere to report it.
            let _ = anstream::stderr().write_all(problem::render(&problem).as_bytes());
            problem.kind.into()
        }
    })
    .into()
}

fn run() -> Result<ExitCode, Problem> {
    let Some(arguments) = usage::parse(std::env::args_os())? else {
        return Ok(ExitCode::Clean);
    };
    let screen = Screen::from(arguments.screen);
    match screen.color {
        Color::Auto => anstream::ColorChoice::Auto,
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
    }
    .write_global();
    dispatch(arguments, screen)
}

fn dispatch(arguments: Arguments, screen: Screen) -> Result<ExitCode, Problem> {
    match arguments.command {
        Command::Check(args) => commands::check::run(&Settings::resolve(*args, screen)?),
        Command::Debug(args) => commands::debug::run(args, screen),
        Command::Fix(args) => commands::fix::run(args, screen),
        Command::Explore(args) => commands::explore::run(&ExploreSettings::resolve(args, screen)?),
        Command::Victims(args) => commands::victims::run(args, screen),
        Command::Replay(args) => commands::replay::run(ReplaySettings::resolve(args, screen)?),
        Command::Exec(args) => commands::exec::run(ExecSettings::resolve(args, screen)?),
        Command::Runs(args) => commands::runs::run(args),
        Command::Clean(args) => commands::clean::run(args),
        Command::Models(args) => commands::models::run(args),
        Command::Explain(args) => commands::explain::run(args),
        Command::Doctor(args) => commands::doctor::run(args),
        Command::Demo(args) => commands::demo::run(args, screen),
        Command::Completions(args) => commands::completions::run(args),
    }
}
