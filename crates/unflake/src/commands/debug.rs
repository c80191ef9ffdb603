//! `unflake debug`: the causes of findings that have none yet, or of those that are named.

use crate::args::{DebugArgs, Format, FormatArg};
use unflake_check::StoredRun;

use crate::exit::ExitCode;
use crate::progress::ProgressDisplay;
use crate::settings::{DebugSettings, Screen};
use unflake_check::Problem;
use unflake_check::Progress as _;
use unflake_check::drive::patience::Patience;
use unflake_check::drive::scripts::ScriptJvms;
use unflake_check::vary::cause::{Debugger, ToExplain};
use unflake_findings::{CauseStatus, Details, Document};
use unflake_protocol::FailureSort;
use unflake_runner::Work;

pub(crate) fn run(args: DebugArgs, screen: Screen) -> Result<ExitCode, Problem> {
    let settings = DebugSettings::resolve(args, screen)?;
    let (stored, interrupt) = super::open(&settings.place, settings.findings.first().map(String::as_str))?;
    let which = chosen(&stored, &settings)?;
    if which.is_empty() && settings.formats.iter().all(is_text_on_screen) {
        return super::print(&nothing_left(&stored));
    }
    let progress = ProgressDisplay::new(&settings.screen);
    progress.phase("explaining", which.len() as u64);
    let jvms = ScriptJvms {
        driver: &stored.session.script_driver(),
        work: Work::Short,
        patience: Patience::stored(),
    };
    let debugger = Debugger {
        session: &stored.session,
        jvms: &jvms,
        jobs: settings.jobs.get(),
        repeatable: false,
        limit: settings.budget,
        most_runs: None,
        deadline: None,
        smallest_orders: true,
    };
    let document = explained(&stored, &which, &debugger, &progress);
    progress.finish();
    if let Some(code) = interrupt.exit_code() {
        return Ok(code);
    }
    stored.run.update(&document)?;
    let shown = Document {
        findings: which
            .iter()
            .map(|index| document.findings[*index].clone())
            .collect(),
        excluded: Vec::new(),
        ..document
    };
    crate::output::write_document(&shown, &settings.formats, &settings.screen, &settings.place)?;
    Ok(ExitCode::Clean)
}

/// The stored document with the causes of these findings.
fn explained(
    stored: &StoredRun,
    which: &[usize],
    debugger: &Debugger<'_>,
    progress: &ProgressDisplay,
) -> Document {
    let findings = &stored.document.findings;
    let to_explain = |index: &usize| {
        let finding = &findings[*index];
        match (&finding.details, stored.replays.get(finding.id.as_str())) {
            (Details::ImplementationDependent { strategy, scope, .. }, Some(replay)) => Some((
                *index,
                ToExplain {
                    strategy: *strategy,
                    scope: *scope,
                    replay: replay.clone(),
                    hangs: finding.failure == Some(FailureSort::Hang),
                },
            )),
            _ => None,
        }
    };
    let (places, failures): (Vec<usize>, Vec<ToExplain>) = which.iter().filter_map(to_explain).unzip();
    let causes = debugger.explain(failures, &|| progress.step());
    let mut document = stored.document.clone();
    for (index, found) in places.into_iter().zip(causes) {
        document.findings[index].explain(found);
    }
    document
}

fn is_text_on_screen(format: &FormatArg) -> bool {
    format.format == Format::Text && format.file.is_none()
}

fn nothing_left(stored: &StoredRun) -> String {
    let run = stored.run.id().as_str();
    if stored.document.findings.is_empty() {
        format!("the run `{run}` found nothing, so there is no cause to search for\n")
    } else {
        format!(
            "every finding of the run `{run}` already has a cause; name a finding or a test to search again\n"
        )
    }
}

/// Indices of the findings to explain.
fn chosen(stored: &StoredRun, settings: &DebugSettings) -> Result<Vec<usize>, Problem> {
    let findings = &stored.document.findings;
    if settings.findings.is_empty() {
        let without_cause = |index: &usize| matches!(&findings[*index].details, Details::ImplementationDependent { cause, .. } if cause.status != CauseStatus::Found);
        return Ok((0..findings.len()).filter(without_cause).collect());
    }
    let hint = "there is no cause to search for; `unflake check` with more `--rounds` may find one";
    let which = super::findings_named(stored, &settings.findings, &settings.place.project, hint)?;
    Ok(which.into_iter().collect())
}
