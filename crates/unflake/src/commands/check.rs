//! `unflake check`: the engine's work, shown on the screen and as an exit code.

use crate::exit::ExitCode;
use crate::output;
use crate::progress::ProgressDisplay;
use crate::settings::Settings;
use crate::surroundings::surroundings;
use unflake_check::{Checked, Problem, check, problem};
use unflake_findings::Document;
use unflake_project::Build;

pub(crate) fn run(settings: &Settings) -> Result<ExitCode, Problem> {
    let options = &settings.options;
    let build = Build::find(&options.place.project, std::env::var_os("PATH").as_deref())
        .map_err(|error| problem!(CannotWork, "{error}").hint(error.hint()))?;
    crate::jdk::require(options.place.java.as_deref())?;
    let (surroundings, interrupt) = surroundings(&options.place.store)?;
    let progress = ProgressDisplay::new(&settings.screen);
    let checked = check(options, &build, &surroundings, &progress)?;
    progress.finish();
    match checked {
        Checked::Measured(lines) => {
            output::write(&lines, None, "this is for measuring only")?;
            Ok(ExitCode::Clean)
        }
        Checked::Document(document) => {
            output::write_document(&document, &settings.formats, &settings.screen, &options.place)?;
            if let Some(code) = interrupt.exit_code() {
                return Ok(code);
            }
            let contradictions = document.contradictions();
            if !contradictions.is_empty() {
                return Err(problem!(
                    Bug,
                    "the report contradicts itself, so it may be wrong: {}",
                    contradictions.join("; ")
                ));
            }
            Ok(exit_code(&document, settings))
        }
    }
}

fn exit_code(document: &Document, settings: &Settings) -> ExitCode {
    if document.has_fault_of_ours() {
        ExitCode::Bug
    } else if document.summary.nothing_was_checked() && document.findings.is_empty() {
        // Not even `--exit-zero` makes a success of it.
        if settings.require_complete && document.summary.partial {
            ExitCode::Incomplete
        } else {
            ExitCode::NoTest
        }
    } else if settings.exit_zero {
        ExitCode::Clean
    } else if settings.fail_on.fails(document.worst()) {
        ExitCode::Findings
    } else if settings.require_complete && document.summary.partial {
        ExitCode::Incomplete
    } else {
        ExitCode::Clean
    }
}
