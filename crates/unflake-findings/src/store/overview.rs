//! What lies in the store, in figures: for lists of runs and of projects.
//!
//! A list shows what cannot be read as well, and says why: an old run is no error.

use super::{ProjectStore, Run, StoreError, read};
use crate::calendar::utc;
use crate::{CauseStatus, Details, Document, Finding, RunId, SCHEMA_VERSION, Severity};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;
use unflake_protocol::Seed;

/// The stored runs of a project, the newest last; what `unflake runs --format json` writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunList {
    pub schema_version: u32,
    /// The project's directory.
    pub project: String,
    pub runs: Vec<RunOverview>,
}

/// The projects in a store; what `unflake runs --all --format json` writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProjectList {
    pub schema_version: u32,
    /// The store's directory.
    pub store: String,
    pub projects: Vec<ProjectOverview>,
}

/// One stored run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunOverview {
    pub id: RunId,
    pub state: RunState,
    /// When it began, in seconds since 1970.
    pub time_started: u64,
    /// The same as people read it, in UTC: `2026-11-15 12:17:05`.
    pub time_utc: String,
    /// Bytes on disk.
    pub size: u64,
    /// What came out; `None`: that cannot be read.
    pub result: Option<RunResult>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    Complete,
    /// Interrupted, or out of budget.
    Partial,
    /// It has no document: it did not end, or ends just now.
    Unfinished,
    /// Written by another version, whose format is not ours.
    OtherVersion,
    /// Not what we wrote.
    Damaged,
    /// The system does not let us read it.
    Unreadable,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunResult {
    pub seed: Seed,
    pub tests: usize,
    pub checked: usize,
    /// By severity, without the suppressed ones.
    pub findings: BTreeMap<Severity, usize>,
    pub suppressed: usize,
    /// How many of the findings have a cause.
    pub causes: usize,
    /// The whole run, in seconds.
    pub time: f64,
    /// Of unflake.
    pub version: String,
}

/// One project in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProjectOverview {
    /// The project's directory.
    pub project: String,
    /// That directory no longer exists.
    pub gone: bool,
    pub runs: usize,
    /// Bytes on disk, of all runs.
    pub size: u64,
    /// When the latest began, in seconds since 1970.
    pub time_latest: Option<u64>,
    /// The same as people read it, in UTC.
    pub time_latest_utc: Option<String>,
    /// Its directory in the store.
    pub store: String,
}

impl ProjectStore {
    pub fn overview(&self) -> Result<ProjectOverview, StoreError> {
        let runs = self.all_runs()?;
        let latest = runs.last().map(|run| seconds(run.id()));
        Ok(ProjectOverview {
            project: self.project.display().to_string(),
            gone: self.is_gone(),
            runs: runs.len(),
            size: runs.iter().map(Run::size).sum(),
            time_latest: latest,
            time_latest_utc: latest.map(utc),
            store: self.directory.display().to_string(),
        })
    }
}

impl Run {
    pub fn overview(&self) -> RunOverview {
        let (state, result) = match self.document() {
            Ok(document) if document.summary.partial => (RunState::Partial, Some(result(&document))),
            Ok(document) => (RunState::Complete, Some(result(&document))),
            Err(_) if !self.is_finished() => (RunState::Unfinished, None),
            Err(StoreError::OtherFormat { .. }) => (RunState::OtherVersion, None),
            Err(StoreError::Damaged { .. }) if self.is_of_another_version() => (RunState::OtherVersion, None),
            Err(StoreError::Damaged { .. }) => (RunState::Damaged, None),
            Err(_) => (RunState::Unreadable, None),
        };
        let started = seconds(&self.id);
        RunOverview {
            id: self.id.clone(),
            state,
            time_started: started,
            time_utc: utc(started),
            size: self.size(),
            result,
        }
    }

    /// Bytes on disk. What cannot be looked at counts nothing.
    pub fn size(&self) -> u64 {
        size(&self.directory)
    }

    /// A document that cannot be read as ours, but says that another version wrote it.
    fn is_of_another_version(&self) -> bool {
        let Ok(document) = read::<serde_json::Value>(&self.document_file()) else {
            return false;
        };
        let format = document.get("schema_version").and_then(serde_json::Value::as_u64);
        let version = document
            .pointer("/summary/version")
            .and_then(serde_json::Value::as_str);
        format.is_some_and(|format| format != u64::from(SCHEMA_VERSION))
            || version.is_some_and(|version| version != env!("CARGO_PKG_VERSION"))
    }
}

fn result(document: &Document) -> RunResult {
    let summary = &document.summary;
    let shown = document
        .findings
        .iter()
        .filter(|finding| finding.suppressed.is_none());
    let mut findings: BTreeMap<Severity, usize> =
        Severity::ALL.into_iter().map(|severity| (severity, 0)).collect();
    for finding in shown.clone() {
        *findings.entry(finding.severity).or_default() += 1;
    }
    RunResult {
        seed: summary.seed,
        tests: summary.tests,
        checked: summary.checked,
        suppressed: document.findings.len() - shown.clone().count(),
        causes: shown.filter(|finding| has_cause(finding)).count(),
        findings,
        time: summary.time,
        version: summary.version.clone(),
    }
}

fn has_cause(finding: &Finding) -> bool {
    matches!(&finding.details, Details::ImplementationDependent { cause, .. } if cause.status == CauseStatus::Found)
}

fn seconds(id: &RunId) -> u64 {
    let since = id.time().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Of a directory with all that is in it; links are not followed.
fn size(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else {
        return 0;
    };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(about) if about.is_dir() => size(&entry.path()),
        Ok(about) if about.is_file() => about.len(),
        _ => 0,
    });
    sizes.sum()
}
