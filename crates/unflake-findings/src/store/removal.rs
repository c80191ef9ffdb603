//! Removing what is no longer wanted.
//!
//! Only what is ours goes: directories that are named like runs, inside of a project's store, and that store itself
//! once nothing else is in it. A link is removed as a link where it lies inside of a run, and left alone everywhere
//! else.

use super::{ProjectStore, Run, StoreError, io_error, is_real_directory, write_whole};
use crate::RunId;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Which runs of a project are to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    Named(Vec<RunId>),
    /// All but some; with both, only what neither keeps.
    AllBut {
        /// This many of the newest.
        keep: Option<usize>,
        /// What is younger than this.
        older_than: Option<(SystemTime, Duration)>,
    },
    All,
}

impl ProjectStore {
    /// The runs that a selection means, the oldest first.
    pub fn selected(&self, selection: &Selection) -> Result<Vec<Run>, StoreError> {
        let mut runs = self.all_runs()?;
        match selection {
            Selection::All => {}
            Selection::Named(ids) => runs.retain(|run| ids.contains(run.id())),
            Selection::AllBut { keep, older_than } => {
                let newest = keep.map(|keep| newest(&runs, keep));
                runs.retain(|run| {
                    let is_kept = newest.as_ref().is_some_and(|newest| newest.contains(run.id()));
                    let is_young = older_than.is_some_and(|(now, age)| {
                        // What begins in the future by this clock is young, too.
                        now.duration_since(run.id().time())
                            .map_or(true, |since| since <= age)
                    });
                    !is_kept && !is_young
                });
            }
        }
        Ok(runs)
    }

    /// Removes a run, and lets `latest` name the newest of those that are left if it was that one.
    pub fn remove(&self, run: &Run) -> Result<(), StoreError> {
        let directory = self.directory.join(run.id().as_str());
        if is_real_directory(&directory) {
            // First what makes it a run: if the rest cannot be removed, it does not look like a whole one.
            remove_file(&directory.join("run.json"))?;
            gone_is_fine(fs::remove_dir_all(&directory)).map_err(io_error("remove", &directory))?;
        }
        let pointer = self.directory.join("latest");
        let named = fs::read_to_string(&pointer).ok();
        let named = named.as_deref().and_then(|text| RunId::parse(text.trim()));
        if named.is_some_and(|id| self.run(id).is_finished()) {
            return Ok(());
        }
        match self.runs()?.pop() {
            Some(newest) => write_whole(&pointer, newest.id().as_str().as_bytes()),
            None => remove_file(&pointer),
        }
    }

    /// Removes the project's part of the store, which has no runs any more, if nothing is in it that is not ours. Says
    /// what else there is.
    pub fn remove_if_empty(&self) -> Result<Vec<PathBuf>, StoreError> {
        let others = self.others()?;
        if !others.is_empty() {
            return Ok(others);
        }
        for entry in self.entries()? {
            // What is left of a run that began just now stays, and so does the directory around it.
            if !is_real_directory(&entry) {
                remove_file(&entry)?;
            }
        }
        match fs::remove_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                self.make().map(|()| Vec::new())
            }
            result => gone_is_fine(result)
                .map(|()| Vec::new())
                .map_err(io_error("remove", &self.directory)),
        }
    }

    /// What lies in the project's part of the store and is not ours, sorted.
    pub fn others(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut others = self.entries()?;
        others.retain(|path| !is_ours(path));
        others.sort();
        Ok(others)
    }

    fn entries(&self) -> Result<Vec<PathBuf>, StoreError> {
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(io_error("read", &self.directory))?,
        };
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        paths
            .collect::<io::Result<_>>()
            .map_err(io_error("read", &self.directory))
    }
}

/// What `keep` keeps: so many of the runs that ended, and what is younger than all of these, since it may be about to
/// end.
fn newest(runs: &[Run], keep: usize) -> Vec<RunId> {
    let finished: Vec<&Run> = runs.iter().filter(|run| run.is_finished()).collect();
    let latest = finished.last().map(|run| run.id().clone());
    let kept = finished.iter().rev().take(keep).map(|run| run.id());
    let beginning = runs
        .iter()
        .map(Run::id)
        .filter(|id| latest.as_ref().is_none_or(|latest| *id > latest));
    kept.chain(beginning).cloned().collect()
}

/// A file or a run of ours, in a project's part of the store.
fn is_ours(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    if is_real_directory(path) {
        return RunId::parse(name).is_some();
    }
    let is_file = fs::symlink_metadata(path).is_ok_and(|about| about.is_file());
    // What `write_whole` leaves behind when it is killed.
    let stem = name
        .split_once(".new-")
        .filter(|(_, process)| process.parse::<u32>().is_ok());
    is_file && ["project", "latest"].contains(&stem.map_or(name, |(stem, _)| stem))
}

fn remove_file(path: &Path) -> Result<(), StoreError> {
    gone_is_fine(fs::remove_file(path)).map_err(io_error("remove", path))
}

/// Somebody else was faster.
fn gone_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
