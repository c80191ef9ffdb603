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
const FORMAT: u32 = 5;

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
    /// Test classes that run without isolation.
    pub(crate) outside: Vec<String>,
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
            outside: session.driver().outside_classes(),
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
pub(crate) fn fingerprints(launches: &[Launch]) -> BTreeMap<PathBuf, String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Replay;
    use crate::simulated::{Simulated, simulated};
    use crate::suite::LaunchIx;
    use unflake_explore::TestIx;
    use unflake_runner::IsolationSetting;

    fn replays() -> Replays {
        let replay = Replay {
            launch: Some(LaunchIx(0)),
            tests: vec![TestIx(1)],
        };
        [("a1".to_owned(), replay)].into()
    }

    fn stored(simulated: &Simulated) -> Value {
        Kept::of(&simulated.session, replays()).portable()
    }

    fn place(project: &Path) -> Place {
        Place {
            project: project.to_owned(),
            java: Some("/jdk".into()),
            store: "/store".into(),
            isolation: IsolationSetting::Off,
        }
    }

    #[test]
    fn what_is_stored_is_read_back() {
        let simulated = simulated("A#a\nA#b [failed, one-run]\nB#a [jvm 2]");
        let session = &simulated.session;
        let kept = Kept::read("a", stored(&simulated), &place(&session.project)).unwrap();
        let as_json = |suite: &Suite| serde_json::to_value(suite).unwrap();
        assert_eq!(as_json(&kept.suite), as_json(&session.suite));
        assert_eq!(kept.suite.launches, session.suite.launches);
        assert_eq!(kept.configuration, session.configuration);
        assert_eq!(kept.replays, replays());
        assert_eq!(kept.suite.tool(LaunchIx(0)).facts().name, "Maven");
    }

    #[test]
    fn a_run_stored_in_one_directory_is_opened_in_another() {
        let simulated = simulated("A#a");
        let value = stored(&simulated);
        let kept = Kept::read("a", value, &place(Path::new("/elsewhere"))).unwrap();
        let launch = &kept.suite.launches[0];
        assert_eq!(launch.class_path, ["/elsewhere/m1/target/test-classes"]);
        assert_eq!(launch.directory, Path::new("/elsewhere/m1/target"));
        assert!(kept.classes.keys().all(|path| path.starts_with("/elsewhere")));
    }

    #[test]
    fn the_jdk_that_somebody_names_stands_in_for_one_that_is_gone() {
        let simulated = simulated("A#a");
        let java = |home: &Path| {
            let place = Place {
                java: Some(home.to_owned()),
                ..place(&simulated.session.project)
            };
            let kept = Kept::read("a", stored(&simulated), &place).unwrap();
            kept.suite.launches[0].java.clone()
        };
        assert_eq!(java(Path::new("/other")), Path::new("/other/bin/java"));
    }

    #[test]
    fn another_format_or_an_unknown_build_tool_is_another_version() {
        let simulated = simulated("A#a");
        let with = |path: &str, new: Value| {
            let mut value = stored(&simulated);
            *value.pointer_mut(path).unwrap() = new;
            Kept::read("a", value, &place(&simulated.session.project)).unwrap_err()
        };
        let other_format = with("/format", 1.into());
        let other_tool = with("/suite/recipes/0/tool", "Bazel".into());
        let no_anchors = with("/anchors", 7.into());
        for problem in [&other_format, &other_tool, &no_anchors] {
            assert_eq!(
                problem.error,
                "the run `a` was recorded by another version of unflake"
            );
            assert_eq!(problem.hint.as_deref(), Some("run `unflake check` again"));
        }
        assert_eq!(other_format.causes, Vec::<String>::new());
        let cause = &other_tool.causes[0];
        assert!(
            cause.starts_with("unknown build tool `Bazel`; use one of "),
            "{cause}"
        );
    }

    #[test]
    fn a_jvm_that_cannot_be_started_again_is_a_problem() {
        let simulated = simulated("A#a");
        let mut value = stored(&simulated);
        let arguments = value.pointer_mut("/suite/recipes/0/recipe/arguments").unwrap();
        *arguments = serde_json::json!(["@/gone.args"]);
        let problem = Kept::read("a", value, &place(&simulated.session.project)).unwrap_err();
        assert_eq!(problem.error, "cannot start the test JVM again");
    }

    #[test]
    fn a_run_is_fresh_until_a_class_changes() {
        let simulated = simulated("A#a");
        let classes = PathBuf::from(&simulated.session.suite.launches[0].class_path[0]);
        fs::create_dir(classes.join("a")).unwrap();
        let file = classes.join("a/OrderTest.class");
        fs::write(&file, "one").unwrap();
        let kept = Kept::of(&simulated.session, replays());
        assert!(kept.is_fresh());
        fs::write(classes.join("a/notes.txt"), "not a class").unwrap();
        assert!(kept.is_fresh());
        fs::write(&file, "two").unwrap();
        assert!(!kept.is_fresh());
        fs::write(&file, "one").unwrap();
        assert!(kept.is_fresh());
        fs::rename(&file, classes.join("a/OtherTest.class")).unwrap();
        assert!(!kept.is_fresh());
    }

    #[test]
    fn the_jdk_of_the_run_is_used_as_long_as_it_is_there() {
        let jdk = tempfile::tempdir().unwrap();
        let program = jdk.path().join("bin/java");
        fs::create_dir(jdk.path().join("bin")).unwrap();
        fs::write(&program, "").unwrap();
        let simulated = simulated("A#a");
        let mut value = stored(&simulated);
        value["anchors"]["java"] = serde_json::to_value(jdk.path()).unwrap();
        let kept = Kept::read("a", value, &place(&simulated.session.project)).unwrap();
        assert_eq!(kept.suite.launches[0].java, program);
    }
}
