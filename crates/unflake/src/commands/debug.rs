//! `unflake debug`: the causes of findings that have none yet, or of those that are named.

use crate::args::{DebugArgs, Format, FormatArg};
use unflake_check::{Again, Named};

use crate::exit::ExitCode;
use crate::progress::ProgressDisplay;
use crate::settings::{DebugSettings, Screen};
use unflake_check::Progress as _;
use unflake_check::drive::patience::Patience;
use unflake_check::drive::scripts::ScriptJvms;
use unflake_check::vary::cause::Debugger;
use unflake_check::{Problem, problem};
use unflake_findings::{CauseStatus, Details, Document};
use unflake_runner::Work;

pub(crate) fn run(args: DebugArgs, screen: Screen) -> Result<ExitCode, Problem> {
    let settings = DebugSettings::resolve(args, screen)?;
    let (again, interrupt) = super::open(&settings.place, settings.findings.first().map(String::as_str))?;
    let which = chosen(&again, &settings)?;
    if which.is_empty() && settings.formats.iter().all(is_text_on_screen) {
        return super::print(&nothing_left(&again));
    }
    let progress = ProgressDisplay::new(&settings.screen);
    progress.phase("explaining", which.len() as u64);
    let jvms = ScriptJvms {
        driver: &again.driver,
        work: Work::Short,
        patience: Patience::stored(),
    };
    let debugger = Debugger {
        stored: &again.stored,
        project: &settings.place.project,
        jvms: &jvms,
        jobs: settings.jobs.get(),
        repeatable: false,
        limit: settings.budget,
        deadline: None,
    };
    let mut document = again.document.clone();
    debugger.explain(&mut document, &which, &|| progress.step());
    progress.finish();
    if let Some(code) = interrupt.exit_code() {
        return Ok(code);
    }
    again.run.update(&document)?;
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

fn is_text_on_screen(format: &FormatArg) -> bool {
    format.format == Format::Text && format.file.is_none()
}

fn nothing_left(again: &Again) -> String {
    let run = again.run.id().as_str();
    if again.document.findings.is_empty() {
        format!("the run `{run}` found nothing, so there is no cause to look for\n")
    } else {
        format!(
            "every finding of the run `{run}` has its cause already; to look again, name a finding or a test\n"
        )
    }
}

/// Indices of the findings to explain.
fn chosen(again: &Again, settings: &DebugSettings) -> Result<Vec<usize>, Problem> {
    let findings = &again.document.findings;
    if settings.findings.is_empty() {
        let without_cause = |index: &usize| matches!(&findings[*index].details, Details::ImplementationDependent { cause, .. } if cause.status != CauseStatus::Found);
        return Ok((0..findings.len()).filter(without_cause).collect());
    }
    let mut which = Vec::new();
    for wanted in &settings.findings {
        let by_name = again.findings_of(wanted, &settings.place.project)?;
        if !by_name.is_empty() {
            which.extend(by_name);
            continue;
        }
        match again.named(wanted, &settings.place.project)? {
            Named::Finding(finding) => which.extend(findings.iter().position(|other| other.id == finding.id)),
            Named::Test(test) => {
                return Err(problem!(
                    NoTest,
                    "`{}` did not fail in the run `{}`",
                    test.id.test,
                    again.run.id().as_str()
                )
                .hint("there is no cause to look for; `unflake check` with more `--rounds` may find one"));
            }
        }
    }
    which.sort_unstable();
    which.dedup();
    Ok(which)
}
