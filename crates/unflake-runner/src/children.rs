//! The processes that were started, so that none outlives the program.

use crate::isolate::watched;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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

/// How a command ended that was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    Exited(ExitStatus),
    /// It took too long and was ended.
    TimeUp,
    /// The user has cancelled, and it was ended.
    Cancelled,
}

/// Process groups that are alive. A JVM that a test started belongs to its test JVM's group and ends with it.
#[derive(Clone, Debug, Default)]
pub struct Children {
    groups: Arc<Mutex<BTreeMap<i32, Option<Lifeline>>>>,
    /// This executable can be a launcher.
    has_launcher: bool,
}

/// The pipe that a launcher reads: when it is closed, the launcher ends all that it has started, and itself. The
/// kernel closes it if the program is killed.
type Lifeline = ChildStdin;

impl Children {
    /// For a program that calls [`launched`](crate::launched) when it begins.
    pub fn with_launcher() -> Children {
        Children {
            has_launcher: true,
            ..Children::default()
        }
    }

    /// Starts `command` through a launcher, so that nothing of it is left if this program is killed. It writes what it
    /// says to `output`, and reads nothing.
    pub fn spawn_watched(&self, command: Command, output: &File) -> io::Result<Child> {
        let mut command = if self.has_launcher {
            let mut launcher = watched(&command);
            launcher.stdin(Stdio::piped());
            launcher
        } else {
            let mut command = command;
            command.stdin(Stdio::null());
            command
        };
        self.spawn(command.stdout(output.try_clone()?).stderr(output.try_clone()?))
    }

    /// Starts `command` as the leader of a process group of its own. If its standard input is a pipe, the child is a
    /// launcher.
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let mut child = command.process_group(0).spawn()?;
        let lifeline = child.stdin.take();
        self.groups().insert(group_of(&child), lifeline);
        Ok(child)
    }

    /// Runs `command` to its end in the same way, for so long and until the user cancels.
    pub fn run_watched(
        &self,
        command: Command,
        output: &File,
        limit: Duration,
        cancel: &Cancel,
    ) -> io::Result<CommandEnd> {
        const TICK: Duration = Duration::from_millis(20);
        let start = Instant::now();
        let mut child = self.spawn_watched(command, output)?;
        let end = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(CommandEnd::Exited(status)),
                Err(error) => break Err(error),
                Ok(None) if cancel.is_cancelled() => break Ok(CommandEnd::Cancelled),
                Ok(None) if start.elapsed() >= limit => break Ok(CommandEnd::TimeUp),
                Ok(None) => std::thread::sleep(TICK),
            }
        };
        self.end(&mut child);
        end
    }

    /// Asks the launcher `child` for something.
    pub(crate) fn wish(&self, child: &Child, wish: u8) -> io::Result<()> {
        match self.groups().get_mut(&group_of(child)) {
            Some(Some(lifeline)) => lifeline.write_all(&[wish]),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Ends the child and everything it started, and forgets it.
    pub fn end(&self, child: &mut Child) {
        let lifeline = self.groups().remove(&group_of(child)).flatten();
        if lifeline.is_some() {
            drop(lifeline);
            wait(child, LAUNCHER_LIMIT);
        }
        // The group may be gone already; what matters is that the child does not stay a zombie.
        kill(group_of(child));
        let _ = child.wait();
    }

    /// Ends everything that is still alive.
    pub fn end_all(&self) {
        let groups = std::mem::take(&mut *self.groups());
        let launchers: Vec<i32> = (groups.iter())
            .filter(|(_, lifeline)| lifeline.is_some())
            .map(|(group, _)| *group)
            .collect();
        let groups: Vec<i32> = groups.into_keys().collect();
        let start = Instant::now();
        while launchers.iter().any(|launcher| is_alive(*launcher)) && start.elapsed() < LAUNCHER_LIMIT {
            std::thread::sleep(Duration::from_millis(1));
        }
        groups.into_iter().for_each(kill);
    }

    fn groups(&self) -> MutexGuard<'_, BTreeMap<i32, Option<Lifeline>>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a launcher may take to end what it has started.
const LAUNCHER_LIMIT: Duration = Duration::from_millis(500);

/// Waits for a child to end by itself.
pub(crate) fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    const LONGEST: Duration = Duration::from_millis(50);
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if start.elapsed() < limit => std::thread::sleep(pause),
            _ => return None,
        }
        pause = (pause * 2).min(LONGEST);
    }
}

/// Neither gone nor waiting to be buried.
fn is_alive(process: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, state)| !state.starts_with('Z'))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_waited_for_until_its_time_is_up_or_the_user_cancels() {
        let cancel = Cancel::default();
        let run = |script: &str, limit| {
            let mut command = command("sh", Path::new("/"));
            command.args(["-c", script]);
            let output = File::options().write(true).open("/dev/null").unwrap();
            let end = Children::default().run_watched(command, &output, limit, &cancel);
            match end.unwrap() {
                CommandEnd::Exited(status) => format!("{:?}", status.code()),
                end => format!("{end:?}"),
            }
        };
        assert_eq!(run("exit 3", Duration::MAX), "Some(3)");
        assert_eq!(run("sleep 1000", Duration::ZERO), "TimeUp");
        cancel.cancel();
        assert_eq!(run("sleep 1000", Duration::MAX), "Cancelled");
    }
}
