//! What a run keeps beside its findings, so that each can be repeated later without the build (N11).

use crate::problem;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use unflake_findings::Run;
use unflake_protocol::{Configuration, Handle, Recipe, TestId};
use unflake_runner::Launch;

/// Changes whenever something below does.
const FORMAT: u32 = 2;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stored {
    format: u32,
    pub configuration: Configuration,
    /// One per way in which the build starts its test JVMs.
    pub recipes: Vec<Recipe>,
    /// By the finding's id.
    pub replays: BTreeMap<String, StoredReplay>,
    /// All tests that the run saw.
    pub tests: Vec<StoredTest>,
    /// Hashes of the directories with the project's classes.
    classes: BTreeMap<PathBuf, String>,
    /// Arguments of the user's for the build tool.
    pub build_arguments: Vec<String>,
}

/// What to run to see a failure again; the last of `tests` is the one that fails.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredReplay {
    /// Index into [`Stored::recipes`]; `None`: it shows in the build only.
    pub recipe: Option<usize>,
    pub tests: Vec<Handle>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredTest {
    pub id: TestId,
    pub handle: Handle,
    /// Index into [`Stored::recipes`].
    pub recipe: Option<usize>,
}

impl Stored {
    pub fn new(
        configuration: Configuration,
        recipes: Vec<Recipe>,
        tests: Vec<StoredTest>,
        build_arguments: Vec<String>,
    ) -> Stored {
        Stored {
            format: FORMAT,
            classes: fingerprints(&recipes),
            configuration,
            recipes,
            replays: BTreeMap::new(),
            tests,
            build_arguments,
        }
    }

    /// What `run` kept.
    pub fn of(run: &Run) -> Result<Stored, Problem> {
        let value: serde_json::Value = run.recipe()?;
        let other = || {
            problem!(
                CannotWork,
                "the run `{}` was recorded by another version of unflake",
                run.id().as_str()
            )
            .hint("run `unflake check` again")
        };
        if value.get("format").and_then(serde_json::Value::as_u64) != Some(u64::from(FORMAT)) {
            return Err(other());
        }
        serde_json::from_value(value).map_err(|error| other().cause(error))
    }

    /// Whether the project's classes are still those of the run.
    pub fn is_fresh(&self) -> bool {
        fingerprints(&self.recipes) == self.classes
    }
}

/// A hash of each class directory of the project: names and contents, not times.
fn fingerprints(recipes: &[Recipe]) -> BTreeMap<PathBuf, String> {
    let launches = recipes
        .iter()
        .filter_map(|recipe| Launch::from_recipe(recipe).ok());
    let directories: BTreeSet<PathBuf> = launches
        .flat_map(|launch| launch.class_path)
        .map(PathBuf::from)
        .filter(|path| path.is_dir())
        .collect();
    let hash = |directory: PathBuf| {
        let mut hasher = blake3::Hasher::new();
        let mut files = Vec::new();
        class_files(&directory, &mut files);
        files.sort();
        for file in files {
            hasher.update(file.as_os_str().as_encoded_bytes());
            // What cannot be read cannot be run either.
            hasher.update(&fs::read(&file).unwrap_or_default());
        }
        (directory, hasher.finalize().to_hex().to_string())
    };
    directories.into_iter().map(hash).collect()
}

fn class_files(directory: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => class_files(&path, into),
            Ok(_) if path.extension().is_some_and(|extension| extension == "class") => into.push(path),
            _ => {}
        }
    }
}
