//! `unflake clean`: removes stored runs, and the stores of projects that are gone.
//!
//! What is asked for is worked out and checked before anything is removed; what goes is printed, with what it frees.

use super::{print, size};
use crate::args::CleanArgs;
use crate::exit::ExitCode;
use crate::settings;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::SystemTime;
use unflake_check::{Problem, problem};
use unflake_check::{did_you_mean, nearest};
use unflake_findings::{ProjectStore, Run, RunId, Selection, projects};
use unflake_report::{plural, printable};

pub(crate) fn run(args: CleanArgs) -> Result<ExitCode, Problem> {
    let mut sheet = RemovalSheet {
        is_dry: args.dry_run,
        ..RemovalSheet::default()
    };
    let base = settings::store(args.stored.store.clone())?;
    let result = if args.gone {
        remove_gone(&mut sheet, &projects(&base)?)
    } else if let Some(wanted) = WantedRuns::of(&args) {
        let project = settings::project(args.stored.directory.as_deref())?;
        match ProjectStore::existing(&base, &project)? {
            Some(store) => remove_runs(&mut sheet, &store, wanted),
            // Nothing is stored, so there is nothing to remove; but a name is still wrong.
            None => wanted.selection(&[]).map(|_| ()),
        }
    } else {
        return Err(problem!(Usage, "`clean` needs to know what to remove").hint(
            "name runs (`unflake runs` lists them), or give `--keep N`, `--older-than 30d`, `--all` or `--gone`; with `--dry-run` \
             it only lists what would be removed",
        ));
    };
    // Also what was removed before something went wrong.
    print(&sheet.text(args.gone, result.is_ok()))?;
    result.map(|()| ExitCode::Clean)
}

/// What the command line says, before the names in it are looked up.
enum WantedRuns {
    Named(Vec<String>),
    Selection(Selection),
}

impl WantedRuns {
    /// `None`: it says nothing.
    fn of(args: &CleanArgs) -> Option<WantedRuns> {
        if !args.runs.is_empty() {
            return Some(WantedRuns::Named(args.runs.clone()));
        }
        if args.all {
            return Some(WantedRuns::Selection(Selection::All));
        }
        let selection = Selection::AllBut {
            keep: args.keep,
            older_than: args.older_than.map(|age| (now(), age)),
        };
        (args.keep.is_some() || args.older_than.is_some()).then_some(WantedRuns::Selection(selection))
    }

    fn selection(self, runs: &[Run]) -> Result<Selection, Problem> {
        let names = match self {
            WantedRuns::Selection(selection) => return Ok(selection),
            WantedRuns::Named(names) => names,
        };
        let ids = names.iter().map(|name| {
            let found = runs.iter().find(|run| run.id().as_str() == name);
            found
                .map(|run| run.id().clone())
                .ok_or_else(|| no_run(name, runs))
        });
        ids.collect::<Result<Vec<RunId>, Problem>>().map(Selection::Named)
    }
}

fn no_run(name: &str, runs: &[Run]) -> Problem {
    let near = nearest(name, runs.iter().map(|run| run.id().as_str()));
    problem!(
        Usage,
        "there is no run `{}` in this project's store",
        printable(name)
    )
    .hint(did_you_mean(&near).unwrap_or("`unflake runs` lists them".to_owned()))
}

fn remove_runs(sheet: &mut RemovalSheet, store: &ProjectStore, wanted: WantedRuns) -> Result<(), Problem> {
    let selection = wanted.selection(&store.all_runs()?)?;
    for run in store.selected(&selection)? {
        let bytes = run.size();
        if !sheet.is_dry {
            store.remove(&run)?;
        }
        sheet.removed(run.id().as_str(), bytes);
    }
    if selection == Selection::All {
        remove_store(sheet, store)?;
    }
    Ok(())
}

fn remove_gone(sheet: &mut RemovalSheet, stores: &[ProjectStore]) -> Result<(), Problem> {
    for store in stores.iter().filter(|store| store.is_gone()) {
        let runs = store.all_runs()?;
        let bytes = runs.iter().map(Run::size).sum();
        if !sheet.is_dry {
            for run in &runs {
                store.remove(run)?;
            }
        }
        remove_store(sheet, store)?;
        let project = printable(&store.project().display().to_string());
        sheet.removed(&format!("{project}  {}", plural(runs.len(), "run")), bytes);
    }
    Ok(())
}

/// The project's part of the store, after its runs were removed.
fn remove_store(sheet: &mut RemovalSheet, store: &ProjectStore) -> Result<(), Problem> {
    sheet.left.extend(if sheet.is_dry {
        store.others()?
    } else {
        store.remove_if_empty()?
    });
    Ok(())
}

/// What was done, or would be.
#[derive(Default)]
struct RemovalSheet {
    is_dry: bool,
    lines: String,
    n_removed: usize,
    bytes: u64,
    /// What lies in the store and is not ours.
    left: Vec<PathBuf>,
}

impl RemovalSheet {
    fn removed(&mut self, what: &str, bytes: u64) {
        let verb = if self.is_dry { "would remove" } else { "removed" };
        let _ = writeln!(self.lines, "{verb} {what}  {}", size(bytes));
        self.n_removed += 1;
        self.bytes += bytes;
    }

    fn text(&self, gone: bool, is_complete: bool) -> String {
        let mut text = self.lines.clone();
        for path in &self.left {
            let path = printable(&path.display().to_string());
            let _ = writeln!(text, "kept `{path}`, which does not belong to unflake");
        }
        let things = plural(self.n_removed, if gone { "project" } else { "run" });
        let _ = match (self.n_removed, self.is_dry) {
            // What went wrong is all there is to say.
            (0, _) if !is_complete => Ok(()),
            (0, _) => writeln!(text, "nothing to remove"),
            (_, true) => writeln!(text, "{things}, {} in all; nothing was removed", size(self.bytes)),
            (_, false) => writeln!(text, "{things} removed, {} freed", size(self.bytes)),
        };
        text
    }
}

#[expect(clippy::disallowed_methods, reason = "an age is counted from now")]
fn now() -> SystemTime {
    SystemTime::now()
}
