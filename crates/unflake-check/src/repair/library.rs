//! A library for the tests that is not on their class path yet: in the user's local repository, or brought there by the
//! user's own Maven, which is the only thing here that may use the network.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;
use unflake_repair::Artifact;
use unflake_runner::{Cancel, Children, CommandEnd, command};

const GROUP: &str = "org.skyscreamer";
pub(crate) const NAME: &str = "jsonassert";
/// What Maven is asked for if no other one is there.
const VERSION: &str = "1.5.3";
/// What it needs at run time, whichever its version.
const NEEDED: (&str, &str) = ("com.vaadin.external.google", "android-json");

/// A library that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundLibrary {
    pub(crate) artifact: Artifact,
    /// Its own and those that it needs.
    pub(crate) jars: Vec<PathBuf>,
}

/// How the user's Maven is called.
#[derive(Clone, Debug)]
pub(crate) struct MavenCall<'a> {
    pub(crate) program: &'a Path,
    pub(crate) project: &'a Path,
    pub(crate) java_home: Option<&'a Path>,
    /// The user's, for a repository or settings of their own.
    pub(crate) arguments: &'a [String],
    /// A folder of ours for what it prints.
    pub(crate) scratch: &'a Path,
    pub(crate) limit: Duration,
    pub(crate) children: &'a Children,
    pub(crate) cancel: &'a Cancel,
}

/// Enough for some hundred files from a slow server. A server that never answers must not hold up the repairs.
pub(crate) const LIMIT: Duration = Duration::from_secs(300);

/// JSONAssert from the repository that these jars are from. An error says in words why there is none. `tell`: hears of
/// what takes a while, before it begins.
pub(crate) fn resolved(
    class_path: &[String],
    maven: &MavenCall<'_>,
    tell: &dyn Fn(&str),
) -> Result<FoundLibrary, String> {
    let roots = repositories(class_path);
    if let Some(found) = there(&roots) {
        return Ok(found);
    }
    let wanted = format!("{GROUP}:{NAME}:{VERSION}");
    let cannot = |why: &str| format!("`{wanted}` cannot be resolved: {why}");
    tell(&format!("asking Maven for `{wanted}`, over the network"));
    maven.get(&wanted).map_err(|why| cannot(&why))?;
    there(&roots).ok_or_else(|| cannot("Maven has put it elsewhere than the libraries of the tests"))
}

/// Where a repository may begin: somewhere above its jars.
fn repositories(class_path: &[String]) -> BTreeSet<&Path> {
    // `group/artifact/version/artifact-version.jar`
    const LEAST: usize = 4;
    let jars = class_path.iter().filter(|entry| entry.ends_with(".jar"));
    jars.flat_map(|jar| Path::new(jar).ancestors().skip(LEAST))
        .collect()
}

fn there(roots: &BTreeSet<&Path>) -> Option<FoundLibrary> {
    roots.iter().find_map(|root| {
        let (version, own) = newest(root, GROUP, NAME)?;
        let (_, needed) = newest(root, NEEDED.0, NEEDED.1)?;
        Some(FoundLibrary {
            artifact: Artifact {
                group: GROUP.to_owned(),
                name: NAME.to_owned(),
                version,
            },
            jars: vec![own, needed],
        })
    })
}

/// The newest version of an artifact whose jar is there, and the jar. One that is not released yet does not count.
fn newest(root: &Path, group: &str, name: &str) -> Option<(String, PathBuf)> {
    let folder = root.join(group.replace('.', "/")).join(name);
    let versions = fs::read_dir(folder).ok()?.flatten().filter_map(|entry| {
        let version = entry.file_name().into_string().ok()?;
        let jar = entry.path().join(format!("{name}-{version}.jar"));
        let is_released = !version.contains("rc") && !version.ends_with("-SNAPSHOT");
        let numbers: Vec<u64> = version.split('.').map(|part| part.parse().unwrap_or(0)).collect();
        (is_released && jar.is_file()).then_some((numbers, version, jar))
    });
    versions.max().map(|(_, version, jar)| (version, jar))
}

impl MavenCall<'_> {
    /// Brings an artifact and what it needs into the local repository.
    fn get(&self, wanted: &str) -> Result<(), String> {
        let mut command = command(self.program, self.project);
        command.args(["--batch-mode", "dependency:get"]);
        command.arg(format!("-Dartifact={wanted}")).args(self.arguments);
        if let Some(home) = self.java_home {
            command.env("JAVA_HOME", home);
        }
        let cannot = |error| format!("`{}` cannot be started: {error}", self.program.display());
        let log = self.scratch.join("dependency.log");
        let output = File::create(&log).map_err(cannot)?;
        let end = self
            .children
            .run_watched(command, &output, self.limit, self.cancel)
            .map_err(cannot)?;
        match end {
            CommandEnd::Exited(status) if status.success() => return Ok(()),
            CommandEnd::Exited(_) => {}
            CommandEnd::TimeUp => {
                return Err(format!("Maven was still busy after {} s", self.limit.as_secs()));
            }
            CommandEnd::Cancelled => return Err("interrupted".to_owned()),
        }
        let said = fs::read(&log).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let first = said.lines().find_map(|line| line.strip_prefix("[ERROR] "));
        Err(first
            .unwrap_or("Maven fails without saying why")
            .trim_end_matches([':', ' '])
            .to_owned())
    }
}
