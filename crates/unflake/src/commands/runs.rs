//! `unflake runs`: what earlier runs found, or which projects have any.
//!
//! Looks only: nothing is made, and a run that cannot be read is listed with the reason.

use super::{print, size};
use crate::args::{Format, RunsArgs};
use crate::exit::ExitCode;
use crate::settings;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::path::Path;
use unflake_check::Problem;
use unflake_findings::{
    ProjectList, ProjectOverview, ProjectStore, Run, RunList, RunOverview, RunResult, RunState,
    SCHEMA_VERSION, Severity, projects,
};
use unflake_report::{duration, plural, printable};

pub(crate) fn run(args: RunsArgs) -> Result<ExitCode, Problem> {
    let base = settings::store(args.stored.store)?;
    if args.all {
        let list = list_projects(&base)?;
        return match args.format {
            Format::Text => print(&projects_as_text(&list)),
            Format::Json => print(&json(&list)),
        };
    }
    let project = settings::project(args.stored.directory.as_deref())?;
    let list = list_runs(&base, &project)?;
    match args.format {
        Format::Text => print(&runs_as_text(&list)),
        Format::Json => print(&json(&list)),
    }
}

fn list_runs(base: &Path, project: &Path) -> Result<RunList, Problem> {
    let runs = match ProjectStore::existing(base, project)? {
        Some(store) => store.all_runs()?,
        None => Vec::new(),
    };
    Ok(RunList {
        schema_version: SCHEMA_VERSION,
        project: project.display().to_string(),
        runs: runs.iter().map(Run::overview).collect(),
    })
}

fn list_projects(base: &Path) -> Result<ProjectList, Problem> {
    let stores = projects(base)?;
    let projects: Result<_, _> = stores.iter().map(ProjectStore::overview).collect();
    Ok(ProjectList {
        schema_version: SCHEMA_VERSION,
        store: base.display().to_string(),
        projects: projects?,
    })
}

fn json(list: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(list).expect("lists have no map whose keys are not text");
    text.push('\n');
    text
}

fn runs_as_text(list: &RunList) -> String {
    if list.runs.is_empty() {
        return "no stored run of this project; `unflake check` creates one\n".to_owned();
    }
    const HEADINGS: [&str; 8] = [
        "run",
        "when (UTC)",
        "seed",
        "checked",
        "findings",
        "causes",
        "time",
        "size",
    ];
    let rows = list.runs.iter().map(|run| RunRow {
        cells: run_cells(run),
        remark: remark(run.state),
        style: Style::new(),
    });
    let total = list.runs.iter().map(|run| run.size).sum();
    format!(
        "{}{}, {}\n",
        table(&HEADINGS, &rows.collect::<Vec<_>>()),
        plural(list.runs.len(), "run"),
        size(total)
    )
}

fn run_cells(run: &RunOverview) -> Vec<String> {
    let of = |cell: &dyn Fn(&RunResult) -> String| run.result.as_ref().map_or("-".to_owned(), cell);
    vec![
        run.id.to_string(),
        run.time_utc.clone(),
        of(&|result| result.seed.to_string()),
        of(&|result| format!("{} of {}", result.checked, result.tests)),
        of(&findings),
        of(&|result| match result.findings.values().sum::<usize>() {
            0 => "-".to_owned(),
            found => format!("{} of {found}", result.causes),
        }),
        of(&|result| duration(result.time)),
        size(run.size),
    ]
}

/// `2 errors, 1 note`.
fn findings(result: &RunResult) -> String {
    let counted = Severity::ALL.into_iter().filter_map(|severity| {
        let n = result.findings.get(&severity).copied().unwrap_or(0);
        (n > 0).then(|| plural(n, severity.name()))
    });
    let suppressed = (result.suppressed > 0).then(|| format!("{} suppressed", result.suppressed));
    let parts: Vec<String> = counted.chain(suppressed).collect();
    if parts.is_empty() {
        "none".to_owned()
    } else {
        parts.join(", ")
    }
}

fn remark(state: RunState) -> &'static str {
    match state {
        RunState::Complete => "",
        RunState::Partial => "partial",
        RunState::Unfinished => "did not finish",
        RunState::OtherVersion => "written by another version of unflake",
        RunState::Damaged => "damaged",
        RunState::Unreadable => "cannot be read",
    }
}

fn projects_as_text(list: &ProjectList) -> String {
    if list.projects.is_empty() {
        return format!("no project in the store `{}`\n", printable(&list.store));
    }
    const HEADINGS: [&str; 4] = ["runs", "size", "latest (UTC)", "project"];
    let rows: Vec<RunRow> = list.projects.iter().map(project_row).collect();
    let total = list.projects.iter().map(|project| project.size).sum();
    let n_gone = list.projects.iter().filter(|project| project.gone).count();
    let gone = match n_gone {
        0 => String::new(),
        n => format!("; {n} gone, which `unflake clean --gone` removes"),
    };
    format!(
        "{}{}, {}{gone}\n",
        table(&HEADINGS, &rows),
        plural(list.projects.len(), "project"),
        size(total)
    )
}

fn project_row(project: &ProjectOverview) -> RunRow {
    RunRow {
        cells: vec![
            project.runs.to_string(),
            size(project.size),
            project.time_latest_utc.clone().unwrap_or("-".to_owned()),
            printable(&project.project),
        ],
        remark: if project.gone { "gone" } else { "" },
        style: if project.gone {
            Style::new().dimmed()
        } else {
            Style::new()
        },
    }
}

struct RunRow {
    cells: Vec<String>,
    /// What is unusual about it.
    remark: &'static str,
    style: Style,
}

/// Columns as wide as they need to be, then the remarks.
fn table(headings: &[&str], rows: &[RunRow]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row.cells[column].chars().count());
        cells.chain([headings[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| -> String {
        let padded: Vec<String> = cells
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        padded.join("  ")
    };
    let faint = Style::new().dimmed();
    let heading = line(&mut headings.iter().copied());
    let mut text = format!("{faint}{}{faint:#}\n", heading.trim_end());
    for RunRow { cells, remark, style } in rows {
        let yellow = Style::new().fg_color(Some(AnsiColor::Yellow.into()));
        let cells = line(&mut cells.iter().map(String::as_str));
        let (cells, remark) = if remark.is_empty() {
            (cells.trim_end(), String::new())
        } else {
            (cells.as_str(), format!("  {yellow}{remark}{yellow:#}"))
        };
        text.push_str(&format!("{style}{cells}{style:#}{remark}\n"));
    }
    text
}
