//! What repairs may use: the libraries on the test class path, by the names of their jars, and the level of Java.

use crate::edit::Edits;
use std::collections::BTreeMap;

/// What is there. A repair never needs more, unless the user allows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Libraries {
    /// The version of Java that the tests are compiled for: 8, 17.
    pub java: u32,
    /// That of main code.
    pub main_java: u32,
    /// A library that compares JSON and may be added to the tests.
    pub added: Option<Added>,
    /// By the names of jars.
    by_artifact: BTreeMap<String, Release>,
}

/// A library that is not there yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The build file, and the edits of it.
    pub file: String,
    pub edits: Edits,
}

/// The first two numbers of a version.
pub(crate) type Version = (u32, u32);

/// The first three.
pub(crate) type Release = (u32, u32, u32);

impl Libraries {
    /// `class_path`: jars, and directories, which are passed over.
    pub fn new<'p>(java: u32, class_path: impl IntoIterator<Item = &'p str>) -> Libraries {
        let named = class_path.into_iter().filter_map(|entry| {
            let file = entry.rsplit('/').next()?.strip_suffix(".jar")?;
            let is_version = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
            let dash = file
                .match_indices('-')
                .map(|(at, _)| at)
                .find(|at| is_version(&file[at + 1..]))?;
            Some((file[..dash].to_owned(), release(&file[dash + 1..])))
        });
        // The first on the class path is the one that counts.
        let mut by_artifact = BTreeMap::new();
        for (artifact, release) in named {
            by_artifact.entry(artifact).or_insert(release);
        }
        Libraries {
            java,
            main_java: java,
            added: None,
            by_artifact,
        }
    }

    pub(crate) fn has(&self, artifact: &str) -> bool {
        self.by_artifact.contains_key(artifact)
    }

    pub(crate) fn has_at_least(&self, artifact: &str, version: Version) -> bool {
        self.release(artifact)
            .is_some_and(|(major, minor, _)| (major, minor) >= version)
    }

    pub(crate) fn release(&self, artifact: &str) -> Option<Release> {
        self.by_artifact.get(artifact).copied()
    }
}

fn release(text: &str) -> Release {
    let mut numbers = text.split(['.', '-']).map(|part| part.parse().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next(), next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jars_are_known_by_artifact_and_version() {
        let libraries = Libraries::new(
            8,
            [
                "/r/assertj-core-3.24.2.jar",
                "/r/hamcrest-2.2.jar",
                "/p/target/classes",
                "/r/assertj-core-2.0.jar",
            ],
        );
        assert!(
            libraries.has_at_least("assertj-core", (3, 24))
                && !libraries.has_at_least("assertj-core", (3, 25))
        );
        assert_eq!(libraries.release("assertj-core"), Some((3, 24, 2)));
        assert!(libraries.has("hamcrest") && !libraries.has("classes") && !libraries.has("assertj"));
    }
}
