//! What a run keeps beside its findings, so that its tests can be run again later without the build (N11), on this machine
//! or on another one.

use crate::anchors::Anchors;
use crate::options::Place;
use crate::problem;
use crate::problem::Problem;
use crate::replay::Replays;
use crate::session::Session;
use crate::suite::Suite;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use unflake_protocol::Configuration;
use unflake_runner::{Launch, class_files};

/// Changes whenever something below does.
const FORMAT: u32 = 4;

/// A session as it is stored. Paths in it are of this machine once it was read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    format: u32,
    /// Where things lay when it was stored.
    anchors: Anchors,
    pub(crate) configuration: Configuration,
    pub(crate) suite: Suite,
    pub(crate) replays: Replays,
    /// Hashes of the directories with the project's classes.
    classes: BTreeMap<PathBuf, String>,
    /// Arguments of the user's for the build tool.
    pub(crate) build_arguments: Vec<String>,
}

impl Kept {
    pub(crate) fn of(session: &Session, replays: Replays) -> Kept {
        let suite = session.suite.clone();
        let java = suite.launches.first().and_then(|launch| java_home(&launch.java));
        Kept {
            format: FORMAT,
            anchors: Anchors {
                project: Some(session.project.clone()),
                java,
                home: home(),
            },
            configuration: session.configuration.clone(),
            classes: fingerprints(&suite.launches),
            suite,
            replays,
            build_arguments: session.build_arguments.clone(),
        }
    }

    /// As it goes into the store: without paths of this machine, but for those that say where it was.
    pub(crate) fn portable(&self) -> Value {
        let mut value = serde_json::to_value(self).expect("plain data can be written");
        let anchors = value["anchors"].take();
        self.anchors.take_out(&mut value);
        value["anchors"] = anchors;
        value
    }

    /// What the run called `run` kept.
    pub(crate) fn read(run: &str, mut value: Value, place: &Place) -> Result<Kept, Problem> {
        let other = || {
            problem!(
                CannotWork,
                "the run `{run}` was recorded by another version of unflake"
            )
            .hint("run `unflake check` again")
        };
        if value.get("format").and_then(Value::as_u64) != Some(u64::from(FORMAT)) {
            return Err(other());
        }
        let stored: Anchors =
            serde_json::from_value(value["anchors"].clone()).map_err(|e| other().cause(e))?;
        here(stored, place).put_in(&mut value);
        let mut kept: Kept = serde_json::from_value(value).map_err(|error| other().cause(error))?;
        kept.suite.restore_launches().map_err(|error| {
            problem!(CannotWork, "cannot start the test JVM again")
                .cause(error)
                .hint("run `unflake check` again: the project or its JDK may have changed")
        })?;
        Ok(kept)
    }

    /// Whether the project's classes are still those of the run.
    pub(crate) fn is_fresh(&self) -> bool {
        fingerprints(&self.suite.launches) == self.classes
    }
}

/// Where things lie now. The JDK is the one that the run used, if it is still there.
fn here(stored: Anchors, place: &Place) -> Anchors {
    let is_jdk = |home: &PathBuf| home.join("bin/java").is_file();
    let asked = || {
        place
            .java
            .clone()
            .or_else(|| std::env::var_os("JAVA_HOME").map(PathBuf::from))
    };
    let java = stored.java.clone().filter(is_jdk).or_else(asked).or(stored.java);
    Anchors {
        project: Some(place.project.clone()),
        java,
        home: home(),
    }
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from)
}

/// The JDK or JRE of a `java` program.
fn java_home(program: &Path) -> Option<PathBuf> {
    program.parent()?.parent().map(Path::to_owned)
}

/// A hash of each class directory of the project: names and contents, not times, nor where it lies.
fn fingerprints(launches: &[Launch]) -> BTreeMap<PathBuf, String> {
    let directories: BTreeSet<PathBuf> = launches
        .iter()
        .flat_map(|launch| launch.class_path.iter().map(PathBuf::from))
        .filter(|path| path.is_dir())
        .collect();
    let hash = |directory: PathBuf| {
        let mut hasher = blake3::Hasher::new();
        let mut files = class_files(&directory);
        files.sort();
        for file in files {
            let name = file.strip_prefix(&directory).unwrap_or(&file);
            hasher.update(name.as_os_str().as_encoded_bytes());
            // What cannot be read cannot be run either.
            hasher.update(&fs::read(&file).unwrap_or_default());
        }
        (directory, hasher.finalize().to_hex().to_string())
    };
    directories.into_iter().map(hash).collect()
}
