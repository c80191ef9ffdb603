//! The processes that were started, so that none outlives the program.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A command that will run in `directory`.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that makes commands"
)]
pub fn command(program: impl AsRef<std::ffi::OsStr>, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory);
    command
}

/// Set once when the user has cancelled (Ctrl-C); looked at by everything that waits.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Process groups that are alive. A JVM that a test started belongs to its test JVM's group and ends with it.
#[derive(Clone, Debug, Default)]
pub struct Children(Arc<Mutex<BTreeSet<i32>>>);

impl Children {
    /// Starts `command` as the leader of a process group of its own.
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let child = command.process_group(0).spawn()?;
        self.groups().insert(group_of(&child));
        Ok(child)
    }

    /// Ends the child and everything it started, and forgets it.
    pub fn end(&self, child: &mut Child) {
        kill(group_of(child));
        // The group may be gone already; what matters is that the child does not stay a zombie.
        let _ = child.wait();
        self.groups().remove(&group_of(child));
    }

    /// Ends everything that is still alive.
    pub fn end_all(&self) {
        for group in std::mem::take(&mut *self.groups()) {
            kill(group);
        }
    }

    fn groups(&self) -> std::sync::MutexGuard<'_, BTreeSet<i32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a process that somebody else started, such as a test JVM of the build. Its parent sees how it ended.
pub fn end_process(pid: u32) {
    let pid = i32::try_from(pid).ok().filter(|pid| *pid > 1);
    if let Some(pid) = pid.and_then(Pid::from_raw) {
        // Fails only if it is gone already.
        let _ = kill_process(pid, Signal::KILL);
    }
}

fn group_of(child: &Child) -> i32 {
    i32::try_from(child.id()).unwrap_or(i32::MAX)
}

fn kill(group: i32) {
    if let Some(pid) = Pid::from_raw(group) {
        // Fails only if the group is gone, which is what is wanted.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}
