//! What a worker needs before it starts: a folder with its socket, a temporary directory and perhaps a home, somebody
//! who listens to what it prints, and the command that starts it.

use crate::isolate::{Instructions, Whereabouts};
use crate::launch::Launch;
use crate::listener::Listener;
use crate::output::Output;
use crate::worker::{StartError, Work, WorkerTools};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use unflake_protocol::Configuration;

/// All that is there before a JVM starts.
pub(crate) struct Furnished {
    pub(crate) folder: PathBuf,
    pub(crate) listener: Listener,
    pub(crate) output: Output,
    pub(crate) command: Command,
    pub(crate) configuration: Configuration,
    /// It will share neither ports nor files with other workers.
    pub(crate) is_apart: bool,
}

pub(crate) fn furnish(
    launch: &Launch,
    tools: &WorkerTools,
    work: Work,
    whereabouts: Whereabouts,
) -> Result<Furnished, StartError> {
    let number = tools.numbers.take();
    let folder = tools.scratch.join(format!("worker-{number}"));
    let io = |what: &str| {
        let what = format!("{what} in `{}`", folder.display());
        move |error| StartError::Io { what, error }
    };
    fs::create_dir_all(folder.join(TEMPORARY)).map_err(io("cannot create the worker's folder"))?;
    let room = tools.isolation.room(launch, &folder, whereabouts);
    let room = room.map_err(io("cannot create the worker's folder"))?;
    let is_apart = room.namespaces.is_some();
    let mut launch = launch.clone();
    let mut configuration = tools.configuration.clone();
    if room.wants_home || tools.empty_home {
        let home = folder.join(HOME);
        fs::create_dir_all(&home).map_err(io("cannot create a home"))?;
        live_at(&home, &mut launch);
        if let (true, Some(watch)) = (tools.empty_home, &mut configuration.watch) {
            watch.directories.push(home);
        }
    }
    if room.shares_process_numbers {
        launch.options.push(NO_SHARED_COUNTERS.to_owned());
    }
    let properties = folder.join("properties");
    fs::write(&properties, launch.properties_file()).map_err(io("cannot write the properties"))?;
    let listener = Listener::bind(&folder.join("agent.sock")).map_err(io("cannot listen"))?;
    let (output, print) = Output::new().map_err(io("cannot listen to its output"))?;
    let print_too = print.try_clone().map_err(io("cannot listen to its output"))?;

    let mut program = vec![launch.java.clone().into_os_string()];
    let extra = extra_options(&launch, tools, work, &folder, listener.path(), number);
    let arguments = launch.arguments(&tools.runner, &extra);
    program.extend(arguments.into_iter().map(OsString::from));
    program.push(properties.into_os_string());
    let mut command = tools.isolation.launcher(&Instructions {
        namespaces: room.namespaces,
        directory: launch.directory,
        program,
    });
    command
        .env_clear()
        .envs(launch.environment)
        .stdin(Stdio::piped())
        .stdout(print)
        .stderr(print_too);
    Ok(Furnished {
        folder,
        listener,
        output,
        command,
        configuration,
        is_apart,
    })
}

/// The names of a worker's own directories, in its folder.
const TEMPORARY: &str = "tmp";
const HOME: &str = "home";

/// What a path below the scratch directory lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnDirectory {
    Home,
    Temporary,
}

impl OwnDirectory {
    /// `worker-7/home/.rc` is `.rc` in the home of a worker.
    pub fn of(below_scratch: &Path) -> Option<(OwnDirectory, PathBuf)> {
        let mut parts = below_scratch.iter().skip(1);
        let own = match parts.next()?.to_str()? {
            HOME => OwnDirectory::Home,
            TEMPORARY => OwnDirectory::Temporary,
            _ => return None,
        };
        Some((own, parts.collect()))
    }
}

/// The user is at home there.
fn live_at(home: &Path, launch: &mut Launch) {
    let home = home.display().to_string();
    launch.environment.insert("HOME".to_owned(), home.clone());
    launch.options.push(format!("-Duser.home={home}"));
    launch.properties.insert("user.home".to_owned(), home);
}

/// For JVMs that have the same process number and see the same `/tmp`: each would write its counters to the same file
/// there, and cut the file under the other's feet.
const NO_SHARED_COUNTERS: &str = "-XX:+PerfDisableSharedMem";

/// The options of a JVM beside the build's.
fn extra_options(
    launch: &Launch,
    tools: &WorkerTools,
    work: Work,
    folder: &Path,
    socket: &Path,
    number: u32,
) -> Vec<String> {
    let agent = tools.agent.display();
    let mut extra = vec![format!("-agentpath:{agent}={},worker={number}", socket.display())];
    let mut options = launch.options.iter();
    if !options.any(|option| option.starts_with("-Djava.io.tmpdir=")) {
        extra.push(format!("-Djava.io.tmpdir={}", folder.join(TEMPORARY).display()));
    }
    extra.extend(JVM_OPTIONS.iter().map(|option| (*option).to_owned()));
    if work == Work::Short {
        extra.push(ONE_COMPILER.to_owned());
    }
    extra.extend(tools.options.iter().cloned());
    extra
}

const ONE_COMPILER: &str = "-XX:TieredStopAtLevel=1";

/// What a test JVM of ours is started with beside the build's own options.
///
/// Identity hashes by a counter, so that tables that are ordered by them are the same in every run (the default draws
/// from a generator whose start differs from JVM to JVM). A JVM that does not know an option passes it over.
pub const JVM_OPTIONS: &[&str] = &[
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:hashCode=3",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workers_own_directories_are_known_by_their_paths() {
        let of = |path: &str| OwnDirectory::of(Path::new(path));
        assert_eq!(of("worker-7/home/a/b"), Some((OwnDirectory::Home, "a/b".into())));
        assert_eq!(of("worker-7/tmp/x"), Some((OwnDirectory::Temporary, "x".into())));
        assert_eq!(
            (of("worker-7/agent.sock"), of("worker-7"), of("")),
            (None, None, None)
        );
    }
}
