//! What a run keeps beside its findings, so that each can be repeated later without the build (N11).

use crate::problem;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use unflake_findings::Run;
use unflake_project::BuildRecipe;
use unflake_protocol::{Configuration, Handle, TestId};
use unflake_runner::class_files;

/// Changes whenever something below does.
const FORMAT: u32 = 3;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stored {
    format: u32,
    pub configuration: Configuration,
    /// One per way in which the build starts its test JVMs.
    pub recipes: Vec<BuildRecipe>,
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
        recipes: Vec<BuildRecipe>,
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
        Stored::read(run.id().as_str(), run.recipe()?)
    }

    fn read(run: &str, value: serde_json::Value) -> Result<Stored, Problem> {
        let other = || {
            problem!(
                CannotWork,
                "the run `{run}` was recorded by another version of unflake"
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
fn fingerprints(recipes: &[BuildRecipe]) -> BTreeMap<PathBuf, String> {
    let launches = recipes.iter().filter_map(|recipe| recipe.launch().ok());
    let directories: BTreeSet<PathBuf> = launches
        .flat_map(|launch| launch.class_path)
        .map(PathBuf::from)
        .filter(|path| path.is_dir())
        .collect();
    let hash = |directory: PathBuf| {
        let mut hasher = blake3::Hasher::new();
        let mut files = class_files(&directory);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use unflake_project::TOOLS;
    use unflake_protocol::{Recipe, Role};

    /// A run whose only JVM had `classes` on its class path.
    fn stored(classes: &Path) -> Stored {
        let configuration = Configuration {
            role: Role::Build,
            strategy: None,
            models: Vec::new(),
            user_models: Vec::new(),
            from: Vec::new(),
            skip_from: Vec::new(),
            learn: false,
            allocations: false,
            watch: None,
            measure: false,
            evidence: None,
        };
        let recipe = Recipe {
            java: "/jdk/bin/java".into(),
            arguments: vec!["-cp".to_owned(), classes.display().to_string(), "Main".to_owned()],
            argument_files: BTreeMap::new(),
            directory: "/project".into(),
            environment: BTreeMap::new(),
            properties: BTreeMap::new(),
            launcher: Vec::new(),
        };
        let recipe = BuildRecipe {
            tool: TOOLS.0[0],
            recipe,
        };
        Stored::new(configuration, vec![recipe], Vec::new(), Vec::new())
    }

    #[test]
    fn what_is_stored_is_read_back() {
        let value = serde_json::to_value(stored(Path::new("/classes"))).unwrap();
        let read = Stored::read("a", value).unwrap();
        assert_eq!(read.recipes[0].tool.facts().name, TOOLS.0[0].facts().name);
        assert_eq!(read.recipes[0].launch().unwrap().class_path, ["/classes"]);
    }

    #[test]
    fn another_format_or_an_unknown_build_tool_is_another_version() {
        let value = serde_json::to_value(stored(Path::new("/classes"))).unwrap();
        let with = |path: &str, new: serde_json::Value| {
            let mut value = value.clone();
            *value.pointer_mut(path).unwrap() = new;
            Stored::read("a", value).unwrap_err()
        };
        let other_format = with("/format", 1.into());
        let other_tool = with("/recipes/0/tool", "Bazel".into());
        for problem in [&other_format, &other_tool] {
            assert_eq!(
                problem.error,
                "the run `a` was recorded by another version of unflake"
            );
            assert_eq!(problem.hint.as_deref(), Some("run `unflake check` again"));
        }
        assert_eq!(other_format.causes, Vec::<String>::new());
        assert_eq!(other_tool.causes, ["unknown build tool `Bazel`; known are Maven"]);
    }

    #[test]
    fn a_run_is_fresh_until_a_class_changes() {
        let classes = tempfile::tempdir().unwrap();
        fs::create_dir(classes.path().join("a")).unwrap();
        let file = classes.path().join("a/OrderTest.class");
        fs::write(&file, "one").unwrap();
        let stored = stored(classes.path());
        assert!(stored.is_fresh());
        fs::write(classes.path().join("a/notes.txt"), "not a class").unwrap();
        assert!(stored.is_fresh());
        fs::write(&file, "two").unwrap();
        assert!(!stored.is_fresh());
        fs::write(&file, "one").unwrap();
        assert!(stored.is_fresh());
    }
}
