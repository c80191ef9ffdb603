//! The launcher: a process that does as [`Instructions`] say, runs a program, and ends as the program ends.

use super::instructions::{Instructions, Namespaces};
use super::rights::Mounter;
use super::supervise::{Ended, end_the_rest, look_after, wait_for};
use super::{first, loopback, mounts, probe, rights};
use rustix::process::{Pid, Signal, getpid, getppid, set_child_subreaper, set_parent_process_death_signal};
use std::ffi::OsString;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitCode, Stdio};

/// The executable of this process, also if the file has been replaced.
pub(super) const SELF: &str = "/proc/self/exe";

/// What a process of ours is asked to be, as its first argument.
pub(super) const LAUNCHER: &str = "__launcher";
const FIRST: &str = "__first";
const PROGRAM: &str = "__program";
pub(super) const PROBE: &str = "__probe";

/// Nothing of the program has run.
const NOT_RUN: u8 = 125;

/// Does what a launcher does, if these are arguments of one; else the program is to go on. The first argument is the
/// program's name. To be called before any thread is started.
pub fn launched(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    let stage = arguments.next()?;
    let done = match stage.to_str()? {
        LAUNCHER => Instructions::parse(arguments).and_then(|instructions| run(&instructions)),
        FIRST => Instructions::parse(arguments)
            .and_then(|instructions| first::run(&instructions))
            .map(|()| ExitCode::SUCCESS),
        PROGRAM => become_program(arguments.collect()),
        PROBE => probe::look_around(arguments).map(|()| ExitCode::SUCCESS),
        _ => return None,
    };
    Some(done.unwrap_or_else(|problem| {
        say(&problem);
        ExitCode::from(NOT_RUN)
    }))
}

#[expect(
    clippy::print_stderr,
    reason = "the standard error of a launcher is a file of ours"
)]
pub(super) fn say(problem: &str) {
    eprintln!("{problem}");
}

fn run(instructions: &Instructions) -> Result<ExitCode, String> {
    let has_first = match &instructions.namespaces {
        Some(namespaces) => {
            enter(namespaces)?;
            namespaces.processes
        }
        None => false,
    };
    // Again, since the directory may be covered now.
    std::env::set_current_dir(&instructions.directory)
        .map_err(|error| format!("cannot enter {}: {error}", instructions.directory.display()))?;
    let ended = if has_first {
        through_first(instructions)
    } else {
        directly(instructions)
    };
    let ended = ended.map_err(|error| format!("cannot start `{}`: {error}", program(instructions)))?;
    Ok(ended.repeat())
}

fn enter(namespaces: &Namespaces) -> Result<(), String> {
    let mounter: Mounter = rights::leave(namespaces.processes)
        .map_err(|error| format!("the kernel gives no namespaces: {error}"))?;
    mounts::set_up(namespaces, mounter)?;
    loopback::bring_up().map_err(|error| format!("cannot bring up the loopback: {error}"))?;
    let rights = if namespaces.processes {
        rights::keep_for_next()
    } else {
        rights::give_up()
    };
    rights.map_err(|error| format!("cannot give up rights: {error}"))
}

/// Runs the program below the first process of a process namespace.
fn through_first(instructions: &Instructions) -> io::Result<Ended> {
    // Who has left a process namespace can start processes, but no thread: the first process reads our standard input.
    let (mut telling, told) = UnixStream::pair()?;
    let child = command(&[SELF.into(), FIRST.into()])
        .args(instructions.arguments())
        .stdout(Stdio::from(OwnedFd::from(told)))
        .spawn()?;
    let mut told = Vec::new();
    telling.read_to_end(&mut told)?;
    // It is dead when all processes of its namespace are.
    let ended = wait_for(number(&child)?)?;
    Ok(Ended::parse(&told).unwrap_or(ended))
}

/// Runs the program as a child, among the processes of all others.
fn directly(instructions: &Instructions) -> io::Result<Ended> {
    // What the program leaves running becomes a child of this process.
    set_child_subreaper(Some(getpid()))?;
    let child = command(&[SELF.into(), PROGRAM.into()])
        .arg(getpid().as_raw_pid().to_string())
        .args(&instructions.program)
        .stdin(Stdio::null())
        .spawn()?;
    let ended = look_after(number(&child)?, io::stdin());
    end_the_rest();
    ended
}

/// The program dies with the launcher. It has to ask for that itself, before it is the program.
fn become_program(arguments: Vec<OsString>) -> Result<ExitCode, String> {
    let [launcher, program @ ..] = &arguments[..] else {
        return Err("nothing is to be run".to_owned());
    };
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| error.to_string())?;
    let parent = getppid().map_or(0, Pid::as_raw_pid).to_string();
    if *launcher != *parent {
        return Err("the launcher is gone".to_owned());
    }
    let error = command(program).exec();
    let name = program.first().map(|name| name.display().to_string());
    Err(format!("cannot start `{}`: {error}", name.unwrap_or_default()))
}

/// The program with its arguments, in the current directory.
#[expect(
    clippy::disallowed_methods,
    reason = "the launcher has set directory and environment"
)]
pub(super) fn command(program: &[OsString]) -> Command {
    let mut command = Command::new(program.first().map_or(SELF.as_ref(), OsString::as_os_str));
    command.args(program.iter().skip(1));
    command
}

pub(super) fn program(instructions: &Instructions) -> String {
    let name = instructions.program.first();
    name.map(|name| name.display().to_string()).unwrap_or_default()
}

fn number(child: &Child) -> io::Result<Pid> {
    let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    number.ok_or_else(|| io::Error::other("the child has no number"))
}
