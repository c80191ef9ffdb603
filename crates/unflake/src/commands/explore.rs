//! `unflake explore`: all allowed behaviours of one test, up to a bound, and how likely it is to fail (N12).

use super::{open, warn};
use crate::args::{ExploreFormat, FormatArg};
use crate::exit::ExitCode;
use crate::output;
use crate::progress::ProgressDisplay;
use crate::settings::ExploreSettings;
use unflake_check::{Problem, explore};
use unflake_findings::StateSpace;

pub(crate) fn run(settings: &ExploreSettings) -> Result<ExitCode, Problem> {
    let (stored, interrupt) = open(&settings.place, Some(&settings.wanted))?;
    let project = &settings.place.project;
    let named = stored.named(&settings.wanted, project)?;
    let progress = ProgressDisplay::new(&settings.screen);
    let space = match explore(&stored, named, &settings.options, &progress) {
        Ok(space) => space,
        Err(problem) => return interrupt.exit_code().ok_or(problem),
    };
    progress.finish();
    interrupt.children.end_all();
    write(&space, settings)?;
    Ok(match interrupt.exit_code() {
        Some(code) => code,
        None if !space.failures.is_empty() => ExitCode::Findings,
        None => ExitCode::Clean,
    })
}

fn write(space: &StateSpace, settings: &ExploreSettings) -> Result<(), Problem> {
    for FormatArg { format, file } in &settings.formats {
        let text = match format {
            ExploreFormat::Text => unflake_report::state_space_text(space, settings.screen.verbose > 0),
            ExploreFormat::Json => unflake_report::state_space_json(space),
            ExploreFormat::Html => unflake_report::page(space),
            ExploreFormat::Dot => unflake_report::dot(space),
        };
        let hint = "name another file with `--format`; what was explored is kept";
        output::write(&text, file.as_deref(), hint)?;
    }
    let is_text = |format: &FormatArg<ExploreFormat>| format.format == ExploreFormat::Text;
    if settings.formats.iter().all(is_text) && space.executions == 1 {
        warn("the test makes no choice that the project can see: there is nothing to explore");
    }
    Ok(())
}
