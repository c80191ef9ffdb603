//! The first process of a process namespace. The kernel ends all the others when it ends.

use super::instructions::Instructions;
use super::launcher::{command, program};
use super::supervise::look_after;
use super::{mounts, rights};
use rustix::process::{Pid, Signal, set_parent_process_death_signal};
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;

/// Runs the program and tells the launcher, at the other end of standard output, how it ended. The program writes all
/// that it says to standard error.
pub(super) fn run(instructions: &Instructions) -> Result<(), String> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| error.to_string())?;
    mounts::show_own_processes().map_err(|error| format!("cannot mount /proc: {error}"))?;
    rights::give_up().map_err(|error| format!("cannot give up rights: {error}"))?;
    let output = io::stderr().as_fd().try_clone_to_owned();
    let output = output.map_err(|error| error.to_string())?;
    let child = command(&instructions.program)
        // A signal that a test sends to its process group is for the test JVM and its children.
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(output)
        .spawn()
        .map_err(|error| format!("cannot start `{}`: {error}", program(instructions)))?;
    let child = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let ended = child.ok_or_else(|| io::Error::other("it has no number"));
    let ended = ended.and_then(|child| look_after(child, io::stdin()));
    let ended = ended.map_err(|error| format!("cannot wait for `{}`: {error}", program(instructions)))?;
    // If the launcher is gone, so is the one who wants to know.
    let _ = io::stdout().write_all(&ended.bytes());
    let _ = io::stdout().flush();
    Ok(())
}
