//! What of isolation is possible here, found out by trying it, and what that means for one JVM.

use super::Whereabouts;
use super::instructions::{Instructions, Namespaces, Overlay};
use super::launcher::{LAUNCHER, PROBE, SELF};
use super::mounts::NOT_COVERED;
use crate::children::command;
use crate::launch::Launch;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

/// What the user wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IsolationSetting {
    /// Namespaces where the kernel gives them.
    #[default]
    Auto,
    /// No namespaces.
    Off,
}

impl IsolationSetting {
    pub const NAMES: [&str; 2] = ["auto", "off"];
}

impl FromStr for IsolationSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<IsolationSetting, String> {
        match text {
            "auto" => Ok(IsolationSetting::Auto),
            "off" => Ok(IsolationSetting::Off),
            other => Err(format!(
                "unknown value `{other}`; use one of {}",
                IsolationSetting::NAMES.join(", ")
            )),
        }
    }
}

/// How JVMs of some directories are kept apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Isolated {
    Namespaces {
        /// It has processes of its own.
        processes: bool,
        /// Directories that are covered. No symbolic links in them.
        covered: BTreeSet<PathBuf>,
        /// Directories that cannot be covered, and why.
        bare: BTreeMap<PathBuf, String>,
    },
    Directories {
        /// Why there are no namespaces. `None`: the user wants none.
        why: Option<String>,
    },
}

impl Isolated {
    /// As the report says it.
    pub fn name(&self) -> &'static str {
        match self {
            Isolated::Namespaces { .. } => "namespaces",
            Isolated::Directories { .. } => "directories",
        }
    }
}

/// In words.
impl fmt::Display for Isolated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Isolated::Namespaces { processes, bare, .. } => {
                f.write_str("each test JVM has its own ports, files")?;
                f.write_str(if *processes { " and processes" } else { "" })?;
                for (directory, why) in bare {
                    write!(f, "; `{}` is shared ({why})", directory.display())?;
                }
                Ok(())
            }
            Isolated::Directories { why } => {
                f.write_str(
                    "each test JVM has its own home and temporary directory, but shares ports and the working directory",
                )?;
                match why {
                    Some(why) => write!(f, " ({why})"),
                    None => f.write_str(" (isolation is off)"),
                }
            }
        }
    }
}

/// Keeps JVMs apart. What is possible is tried once for each set of directories.
#[derive(Clone, Debug)]
pub struct Isolation {
    setting: IsolationSetting,
    project: PathBuf,
    kept: Vec<PathBuf>,
    /// The executable that is the launcher.
    launcher: PathBuf,
    known: Arc<Mutex<BTreeMap<Directories, Isolated>>>,
}

/// The directories of a JVM that matter. No symbolic links in them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Directories {
    working: PathBuf,
    /// What else is covered if possible.
    others: Vec<PathBuf>,
    homes: Vec<PathBuf>,
}

/// What one JVM gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) namespaces: Option<Namespaces>,
    /// It has no home of its own unless it gets one.
    pub(crate) wants_home: bool,
    /// Its process has the same number as that of other JVMs, with which it shares the directory for temporary files.
    pub(crate) shares_process_numbers: bool,
}

impl Isolation {
    /// For test JVMs of the project at `project`. `kept`: directories that all of them share.
    pub fn new(
        setting: IsolationSetting,
        project: &Path,
        kept: impl IntoIterator<Item = PathBuf>,
    ) -> Isolation {
        Isolation {
            setting,
            project: project.to_owned(),
            kept: kept.into_iter().collect(),
            launcher: SELF.into(),
            known: Arc::default(),
        }
    }

    /// With another executable as launcher: this process is none in some tests.
    #[must_use]
    pub fn launched_by(mut self, executable: &Path) -> Isolation {
        self.launcher = executable.to_owned();
        self
    }

    /// The launcher with these instructions.
    pub(crate) fn launcher(&self, instructions: &Instructions) -> Command {
        let mut command = command(&self.launcher, &instructions.directory);
        command.arg(LAUNCHER).args(instructions.arguments());
        command
    }

    /// How a JVM that is started by `launch` is kept apart. `scratch`: a folder that can be written to.
    pub fn of(&self, launch: &Launch, scratch: &Path) -> Isolated {
        let environment = |name: &str| launch.environment.get(name).cloned();
        self.known(
            &self.directories(&launch.directory, launch.properties.get("user.home"), environment),
            scratch,
        )
    }

    /// How a JVM in the project's directory is kept apart, with this process's environment.
    pub fn of_project(&self, scratch: &Path) -> Isolated {
        let environment = |name: &str| std::env::var(name).ok();
        self.known(&self.directories(&self.project, None, environment), scratch)
    }

    /// What a JVM gets. `folder` is its own; changes to covered directories go there.
    pub(crate) fn room(&self, launch: &Launch, folder: &Path, whereabouts: Whereabouts) -> io::Result<Room> {
        if whereabouts == Whereabouts::Outside {
            return Ok(Room {
                namespaces: None,
                wants_home: false,
                shares_process_numbers: false,
            });
        }
        let environment = |name: &str| launch.environment.get(name).cloned();
        let home = launch.properties.get("user.home");
        let directories = self.directories(&launch.directory, home, environment);
        match self.known(&directories, folder) {
            Isolated::Directories { .. } => Ok(Room {
                namespaces: None,
                wants_home: true,
                shares_process_numbers: false,
            }),
            Isolated::Namespaces {
                processes, covered, ..
            } => {
                let is_covered = |path: &PathBuf| covered.iter().any(|outer| path.starts_with(outer));
                let wants_home = !directories.homes.iter().all(is_covered);
                let shares_process_numbers = processes && !directories.others.iter().all(is_covered);
                let overlays = covered.iter().map(|directory| Overlay {
                    directory: directory.clone(),
                    required: true,
                });
                Ok(Room {
                    namespaces: Some(Namespaces {
                        processes,
                        overlays: overlays.collect(),
                        kept: self.kept(&covered, folder)?,
                        layers: empty(folder, "layers")?,
                    }),
                    wants_home,
                    shares_process_numbers,
                })
            }
        }
    }

    fn directories(
        &self,
        working: &Path,
        home: Option<&String>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Directories {
        let real = |path: PathBuf| fs::canonicalize(path).ok().filter(|path| path.is_dir());
        let project = real(self.project.clone());
        let working = real(working.to_owned()).unwrap_or_else(|| working.to_owned());
        let outer = project.filter(|project| working.starts_with(project));
        // Nobody's home, and no place for temporary files, is the root of the file system.
        let covers = |path: &PathBuf| path.parent().is_some();
        let homes = home.cloned().into_iter().chain(environment("HOME"));
        let homes: BTreeSet<PathBuf> = homes
            .filter_map(|path| real(path.into()))
            .filter(covers)
            .collect();
        let temporary = environment("TMPDIR").into_iter().chain(["/tmp".to_owned()]);
        let temporary = temporary.filter_map(|path| real(path.into())).filter(covers);
        let others: BTreeSet<PathBuf> = homes.iter().cloned().chain(temporary).collect();
        Directories {
            working: outer.unwrap_or(working),
            others: others.into_iter().collect(),
            homes: homes.into_iter().collect(),
        }
    }

    fn known(&self, directories: &Directories, scratch: &Path) -> Isolated {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(isolated) = known.get(directories) {
            return isolated.clone();
        }
        let isolated = match self.setting {
            IsolationSetting::Off => Isolated::Directories { why: None },
            IsolationSetting::Auto => {
                let tried = self.tried(directories, scratch, true);
                // Where some of `/proc` is hidden, as in containers, nobody gets a new one.
                let tried = tried.or_else(|why| self.tried(directories, scratch, false).map_err(|_| why));
                tried.unwrap_or_else(|why| Isolated::Directories { why: Some(why) })
            }
        };
        known.insert(directories.clone(), isolated.clone());
        isolated
    }

    /// Does all that is done for a JVM, and looks around there.
    fn tried(&self, directories: &Directories, scratch: &Path, processes: bool) -> Result<Isolated, String> {
        let asked: BTreeSet<PathBuf> = (directories.others.iter())
            .chain([&directories.working])
            .cloned()
            .collect();
        let overlays = asked.iter().map(|directory| Overlay {
            required: *directory == directories.working,
            directory: directory.clone(),
        });
        let folder = empty(scratch, "probe").map_err(|error| error.to_string())?;
        let instructions = Instructions {
            namespaces: Some(Namespaces {
                processes,
                overlays: overlays.collect(),
                kept: self.kept(&asked, &folder).map_err(|error| error.to_string())?,
                layers: empty(&folder, "layers").map_err(|error| error.to_string())?,
            }),
            directory: directories.working.clone(),
            program: [SELF, PROBE].map(OsString::from).into(),
        };
        let output = self
            .launcher(&instructions)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .and_then(wait_with_lifeline)
            .map_err(|error| format!("cannot start the launcher: {error}"))?;
        let _ = remove_all(&folder);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            let why = said.lines().last().unwrap_or("the launcher ended without a word");
            return Err(with_hint(why));
        }
        let bare: BTreeMap<PathBuf, String> = asked
            .iter()
            .filter_map(|directory| {
                let begin = format!("{NOT_COVERED}{}: ", directory.display());
                let why = said.lines().find_map(|line| line.strip_prefix(&begin))?;
                Some((directory.clone(), why.to_owned()))
            })
            .collect();
        Ok(Isolated::Namespaces {
            processes,
            covered: asked
                .into_iter()
                .filter(|path| !bare.contains_key(path))
                .collect(),
            bare,
        })
    }

    /// What no overlay covers. A directory in which an overlay lies cannot be kept: it would hide that.
    fn kept(&self, covered: &BTreeSet<PathBuf>, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let real = |path: &PathBuf| fs::canonicalize(path).ok().filter(|path| path.is_dir());
        let hides_none = |path: &PathBuf| !covered.iter().any(|covered| covered.starts_with(path));
        let mut kept: BTreeSet<PathBuf> = self.kept.iter().filter_map(real).filter(hides_none).collect();
        kept.insert(fs::canonicalize(folder)?);
        Ok(kept.into_iter().collect())
    }
}

/// The launcher for a command that is not isolated, with the command's environment.
pub(crate) fn watched(program: &Command) -> Command {
    let arguments = program.get_args().map(OsString::from);
    let directory = program.get_current_dir().unwrap_or(Path::new("."));
    let instructions = Instructions {
        namespaces: None,
        directory: directory.to_owned(),
        program: [program.get_program().to_owned()]
            .into_iter()
            .chain(arguments)
            .collect(),
    };
    let mut launcher = command(SELF, directory);
    launcher.arg(LAUNCHER).args(instructions.arguments());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => launcher.env(name, value),
            None => launcher.env_remove(name),
        };
    }
    launcher
}

/// The standard input of a launcher must stay open as long as the program may run.
fn wait_with_lifeline(mut child: Child) -> io::Result<Output> {
    let lifeline = child.stdin.take();
    let output = child.wait_with_output();
    drop(lifeline);
    output
}

/// What the probe does where a JVM would run: a port of the loopback must work.
pub(super) fn look_around(_: impl Iterator<Item = OsString>) -> Result<(), String> {
    let connect = || -> io::Result<()> {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        TcpStream::connect(server.local_addr()?).map(drop)
    };
    connect().map_err(|error| format!("the loopback does not work: {error}"))
}

/// Ubuntu gives namespaces without rights unless it is told otherwise.
fn with_hint(why: &str) -> String {
    const SWITCH: &str = "kernel.apparmor_restrict_unprivileged_userns";
    let file = Path::new("/proc/sys").join(SWITCH.replace('.', "/"));
    match fs::read_to_string(file) {
        Ok(value) if value.trim() == "1" => format!("{why}; `sysctl {SWITCH}=0` allows it"),
        _ => why.to_owned(),
    }
}

/// An empty folder.
fn empty(parent: &Path, name: &str) -> io::Result<PathBuf> {
    let folder = parent.join(name);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::create_dir_all(&folder)?;
    fs::canonicalize(folder)
}

/// Removes a folder of ours, whatever rights tests and the kernel have given to what is in it.
pub(crate) fn remove_all(folder: &Path) -> io::Result<()> {
    if fs::remove_dir_all(folder).is_ok() {
        return Ok(());
    }
    open_up(folder);
    fs::remove_dir_all(folder)
}

fn open_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    // What cannot be opened is not ours; then removing fails and says so.
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
