//! The store: what earlier runs found, in the user's cache directory.
//!
//! ```text
//! <base>/projects/<name>-<hash of path>/
//!     project             the project's path
//!     latest              id of the run that ended last
//!     2026-11-15-k3f9/
//!         run.json        the document
//!         recipe.json     what replay needs; opaque here
//! ```
//!
//! Files appear whole or not at all (written beside, then renamed), directories belong to the user alone, and a
//! directory that is not ours to read is an error with a name, never a panic. What is not ours is never removed, and
//! links are not followed when something is ([`removal`]).

mod overview;
mod removal;

pub use overview::{ProjectList, ProjectOverview, RunList, RunOverview, RunResult, RunState};
pub use removal::Selection;

use crate::ids::letters;
use crate::{Document, Finding, FindingId, RunId, SCHEMA_VERSION};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[derive(Debug)]
pub enum StoreError {
    /// Neither a store was named, nor is there a home directory to put one into.
    NoPlace,
    /// A file or directory could not be read or written.
    Io {
        what: &'static str,
        path: PathBuf,
        error: io::Error,
    },
    /// A file is not what we wrote.
    Damaged { path: PathBuf, reason: String },
    /// Written by another version.
    OtherFormat { path: PathBuf, found: u64 },
    /// The project has no run yet.
    NoRun,
    /// No run has it; the ids of the latest run that has any.
    NoFinding { wanted: String, known: Vec<FindingId> },
    /// It begins several.
    Ambiguous {
        wanted: String,
        matching: Vec<FindingId>,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::NoPlace => f.write_str("there is no place for the store: `HOME` is not set"),
            StoreError::Io { what, path, .. } => write!(f, "cannot {what} `{}`", path.display()),
            StoreError::Damaged { path, .. } => write!(f, "`{}` in the store is damaged", path.display()),
            StoreError::OtherFormat { path, .. } => {
                write!(
                    f,
                    "`{}` was written by another version of unflake",
                    path.display()
                )
            }
            StoreError::NoRun => f.write_str("there is no stored run of this project"),
            StoreError::NoFinding { wanted, .. } => {
                write!(f, "there is no finding `{wanted}` in this project's store")
            }
            StoreError::Ambiguous { wanted, .. } => write!(f, "`{wanted}` is the beginning of several ids"),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StoreError::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Where the store lies unless the user says otherwise: `UNFLAKE_STORE`, else `unflake` in the user's cache directory.
pub fn default_base(env: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, StoreError> {
    let set = |name| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // The XDG specification: a relative path in its variables is to be ignored.
    let cache = || set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let home = || set("HOME").map(|home| home.join(".cache"));
    set("UNFLAKE_STORE")
        .or_else(|| cache().or_else(home).map(|cache| cache.join("unflake")))
        .ok_or(StoreError::NoPlace)
}

/// The directory of the project whose latest run has a finding that `wanted` names, of all projects in the store that
/// are still there. `None`: no project has it.
pub fn project_with(base: &Path, wanted: &str) -> Result<Option<PathBuf>, StoreError> {
    let projects = base.join("projects");
    let entries = match fs::read_dir(&projects) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => entries.map_err(io_error("read", &projects))?,
    };
    let mut having: Vec<(RunId, PathBuf)> = Vec::new();
    for entry in entries {
        let directory = entry.map_err(io_error("read", &projects))?.path();
        // What is not one of our directories, or is being written just now, is passed over.
        let Ok(label) = fs::read(directory.join("project")) else {
            continue;
        };
        let project = PathBuf::from(OsString::from_vec(label));
        let store = ProjectStore { directory, project };
        if let (true, Ok((run, ..))) = (store.project.is_dir(), store.find(wanted)) {
            having.push((run.id, store.project));
        }
    }
    Ok(having.into_iter().max().map(|(_, project)| project))
}

/// The stores of all projects, by the projects' paths; also of those whose directory no longer exists. What is not ours
/// is passed over: links, and directories whose name does not belong to the project they name.
pub fn projects(base: &Path) -> Result<Vec<ProjectStore>, StoreError> {
    let all = base.join("projects");
    let entries = match fs::read_dir(&all) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(io_error("read", &all))?,
    };
    let mut stores = Vec::new();
    for entry in entries {
        let directory = entry.map_err(io_error("read", &all))?.path();
        if !is_real_directory(&directory) {
            continue;
        }
        let Ok(label) = fs::read(directory.join("project")) else {
            continue;
        };
        let project = PathBuf::from(OsString::from_vec(label));
        if directory
            .file_name()
            .is_some_and(|name| name == store_name(&project).as_str())
        {
            stores.push(ProjectStore { directory, project });
        }
    }
    stores.sort_by(|a, b| a.project.cmp(&b.project));
    Ok(stores)
}

/// The part of the store that belongs to one project.
#[derive(Clone, Debug)]
pub struct ProjectStore {
    directory: PathBuf,
    /// The project's directory, which may be gone.
    project: PathBuf,
}

impl ProjectStore {
    /// Opens it, and makes it if it is not there. `project` is the project's directory.
    pub fn open(base: &Path, project: &Path) -> Result<ProjectStore, StoreError> {
        let store = ProjectStore::at(base, project)?;
        store.make()?;
        Ok(store)
    }

    /// Opens it if it is there, and changes nothing.
    pub fn existing(base: &Path, project: &Path) -> Result<Option<ProjectStore>, StoreError> {
        let store = ProjectStore::at(base, project)?;
        match fs::symlink_metadata(&store.directory) {
            Ok(about) => Ok(about.is_dir().then_some(store)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io_error("read", &store.directory)(error)),
        }
    }

    fn at(base: &Path, project: &Path) -> Result<ProjectStore, StoreError> {
        let project = fs::canonicalize(project).map_err(io_error("find", project))?;
        let directory = base.join("projects").join(store_name(&project));
        Ok(ProjectStore { directory, project })
    }

    fn make(&self) -> Result<(), StoreError> {
        make_directory(&self.directory)?;
        let label = self.directory.join("project");
        if label.exists() {
            return Ok(());
        }
        write_whole(&label, self.project.as_os_str().as_bytes())
    }

    /// The project's directory.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Whether the project's directory no longer exists. One that cannot be reached may well exist.
    pub fn is_gone(&self) -> bool {
        match fs::metadata(&self.project) {
            Ok(about) => !about.is_dir(),
            Err(error) => matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ),
        }
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// A new run with an empty directory of its own.
    pub fn begin(&self, now: SystemTime) -> Result<Run, StoreError> {
        // Somebody may have cleaned up since it was opened: a check takes its time.
        self.make()?;
        for attempt in 0.. {
            let id = RunId::at(now, attempt);
            let directory = self.directory.join(id.as_str());
            match DirBuilder::new().mode(0o700).create(&directory) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(io_error("make", &directory)(error)),
                Ok(()) => {
                    return Ok(Run {
                        id,
                        directory,
                        latest: self.directory.join("latest"),
                    });
                }
            }
        }
        unreachable!("a free name comes before all numbers are used")
    }

    /// The runs that have a document, the oldest first.
    pub fn runs(&self) -> Result<Vec<Run>, StoreError> {
        let mut runs = self.all_runs()?;
        runs.retain(Run::is_finished);
        Ok(runs)
    }

    /// All runs, the oldest first: also those that have no document, since they did not end, or end just now.
    pub fn all_runs(&self) -> Result<Vec<Run>, StoreError> {
        let mut runs = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(io_error("read", &self.directory))? {
            let entry = entry.map_err(io_error("read", &self.directory))?;
            let id = entry.file_name().to_str().and_then(RunId::parse);
            if let Some(id) = id.filter(|_| is_real_directory(&entry.path())) {
                runs.push(self.run(id));
            }
        }
        runs.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(runs)
    }

    /// The run that ended last.
    pub fn latest(&self) -> Result<Run, StoreError> {
        let pointer = self.directory.join("latest");
        let id = match fs::read_to_string(&pointer) {
            Ok(text) => RunId::parse(text.trim()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(io_error("read", &pointer)(error)),
        };
        // Somebody may have removed the run that the pointer names.
        match id.map(|id| self.run(id)) {
            Some(run) if run.is_finished() => Ok(run),
            _ => self.runs()?.pop().ok_or(StoreError::NoRun),
        }
    }

    /// The finding that `wanted` names (its id or the beginning of it), from the latest run that has such a one.
    pub fn find(&self, wanted: &str) -> Result<(Run, Document, Finding), StoreError> {
        let runs = self.runs()?;
        if runs.is_empty() {
            return Err(StoreError::NoRun);
        }
        let mut known = Vec::new();
        for run in runs.into_iter().rev() {
            let document = match run.document() {
                Ok(document) => document,
                // An old run that cannot be read does not hide the others.
                Err(StoreError::OtherFormat { .. } | StoreError::Damaged { .. }) => continue,
                Err(error) => return Err(error),
            };
            let matching: Vec<&Finding> = document
                .findings
                .iter()
                .filter(|finding| finding.id.begins_with(wanted))
                .collect();
            match matching.as_slice() {
                [] if known.is_empty() => known = document.findings.iter().map(|f| f.id.clone()).collect(),
                [] => {}
                [finding] => {
                    let finding = (*finding).clone();
                    return Ok((run, document, finding));
                }
                several => {
                    let matching = several.iter().map(|finding| finding.id.clone()).collect();
                    return Err(StoreError::Ambiguous {
                        wanted: wanted.to_owned(),
                        matching,
                    });
                }
            }
        }
        Err(StoreError::NoFinding {
            wanted: wanted.to_owned(),
            known,
        })
    }

    fn run(&self, id: RunId) -> Run {
        Run {
            directory: self.directory.join(id.as_str()),
            id,
            latest: self.directory.join("latest"),
        }
    }
}

/// One run in the store.
#[derive(Clone, Debug)]
pub struct Run {
    id: RunId,
    directory: PathBuf,
    latest: PathBuf,
}

impl Run {
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// Whether it has a document.
    pub fn is_finished(&self) -> bool {
        self.document_file().is_file()
    }

    /// Its own directory; anything may be put there beside our files.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Writes what was found and what replay needs, and makes this the latest run.
    pub fn save(&self, document: &Document, recipe: &impl Serialize) -> Result<(), StoreError> {
        self.write("recipe.json", recipe)?;
        self.write("run.json", document)?;
        write_whole(&self.latest, self.id.as_str().as_bytes())
    }

    /// Writes a page for people beside our files.
    pub fn write_page(&self, name: &str, text: &str) -> Result<PathBuf, StoreError> {
        let path = self.directory.join(name);
        write_whole(&path, text.as_bytes())?;
        Ok(path)
    }

    /// Writes what is known by now of what was found. The latest run stays the latest.
    pub fn update(&self, document: &Document) -> Result<(), StoreError> {
        self.write("run.json", document)
    }

    pub fn document(&self) -> Result<Document, StoreError> {
        let path = self.document_file();
        let value: serde_json::Value = read(&path)?;
        match value.get("schema_version").and_then(serde_json::Value::as_u64) {
            Some(found) if found != u64::from(SCHEMA_VERSION) => Err(StoreError::OtherFormat { path, found }),
            _ => serde_json::from_value(value).map_err(|error| damaged(&path, &error)),
        }
    }

    /// What the caller gave to [`Run::save`].
    pub fn recipe<R: DeserializeOwned>(&self) -> Result<R, StoreError> {
        read(&self.directory.join("recipe.json"))
    }

    fn write(&self, name: &str, value: &impl Serialize) -> Result<(), StoreError> {
        let path = self.directory.join(name);
        let bytes = serde_json::to_vec(value).map_err(|error| damaged(&path, &error))?;
        write_whole(&path, &bytes)
    }

    fn document_file(&self) -> PathBuf {
        self.directory.join("run.json")
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, StoreError> {
    let bytes = fs::read(path).map_err(io_error("read", path))?;
    serde_json::from_slice(&bytes).map_err(|error| damaged(path, &error))
}

/// Writes a file so that a reader, or a machine that loses power, sees the old one or the new one.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let beside = path.with_extension(format!("new-{}", std::process::id()));
    let write = || -> io::Result<()> {
        let mut file: File = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&beside)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| {
        // Best effort: a leftover does no harm, because its name is never read.
        let _ = fs::remove_file(&beside);
        io_error("write", path)(error)
    })
}

/// Makes a directory and its parents. Ours alone, since reports quote what tests print.
fn make_directory(path: &Path) -> Result<(), StoreError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(io_error("make", path))?;
    let mode = fs::metadata(path)
        .map_err(io_error("read", path))?
        .permissions()
        .mode();
    if mode & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(io_error("protect", path))?;
    }
    Ok(())
}

/// A directory, and not a link to one.
fn is_real_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| about.is_dir())
}

/// The name of the store of a project, from the project's own, canonical path.
fn store_name(project: &Path) -> String {
    let hash = blake3::hash(project.as_os_str().as_bytes());
    let number = hash.as_bytes()[..5]
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    let name = project
        .file_name()
        .map_or("root".into(), |name| name.to_string_lossy());
    format!("{}-{}", harmless(&name), letters(number, 8))
}

/// A directory name that is safe in a shell and easy to read.
fn harmless(name: &str) -> String {
    let keep = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '_'
        }
    };
    let name: String = name.chars().take(40).map(keep).collect();
    name.trim_start_matches(['.', '-']).to_owned()
}

fn io_error(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |error| StoreError::Io { what, path, error }
}

fn damaged(path: &Path, error: &serde_json::Error) -> StoreError {
    StoreError::Damaged {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests;
