//! Starting other programs and waiting for them: with a time limit where one is given, with what they print kept in a
//! file, and with the time they took. Nothing here knows Maven or Java.

use crate::{Failure, Outcome};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A program to be started.
#[derive(Debug)]
pub struct Program {
    command: Command,
    shown: String,
    log: Option<PathBuf>,
    limit: Option<Duration>,
}

/// A program that ended.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub seconds: f64,
    /// What it printed, both streams as they came, unless a log file was asked for.
    pub output: String,
    pub shown: String,
}

impl Program {
    #[expect(
        clippy::disallowed_methods,
        reason = "the runner's processes are test JVMs; these are tools for us"
    )]
    pub fn new(program: impl AsRef<OsStr>) -> Program {
        let shown = program.as_ref().to_string_lossy().into_owned();
        Program {
            command: Command::new(program),
            shown,
            log: None,
            limit: None,
        }
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Program {
        self.shown.push(' ');
        self.shown.push_str(&arg.as_ref().to_string_lossy());
        self.command.arg(arg);
        self
    }

    pub fn args<A: AsRef<OsStr>>(self, args: impl IntoIterator<Item = A>) -> Program {
        args.into_iter().fold(self, |program, arg| program.arg(arg))
    }

    pub fn dir(mut self, dir: &Path) -> Program {
        self.command.current_dir(dir);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Program {
        self.command.env(name, value);
        self
    }

    pub fn env_remove(mut self, name: &str) -> Program {
        self.command.env_remove(name);
        self
    }

    /// What is printed goes into this file instead of memory.
    pub fn log(mut self, file: &Path) -> Program {
        self.log = Some(file.to_path_buf());
        self
    }

    pub fn limit(mut self, limit: Duration) -> Program {
        self.limit = Some(limit);
        self
    }

    /// Runs to the end, whatever that is.
    pub fn run(mut self) -> Outcome<Ended> {
        let mut sink = match &self.log {
            Some(file) => {
                if let Some(dir) = file.parent() {
                    fs::create_dir_all(dir).map_err(|e| Failure::io("cannot create", dir, &e))?;
                }
                File::options()
                    .create(true)
                    .truncate(true)
                    .read(true)
                    .write(true)
                    .open(file)
                    .map_err(|e| Failure::io("cannot write", file, &e))?
            }
            None => scratch_file()?,
        };
        let copy = |file: &File| {
            file.try_clone()
                .map_err(|e| Failure::new(format!("cannot share a file: {e}")))
        };
        self.command
            .stdin(Stdio::null())
            .stdout(copy(&sink)?)
            .stderr(copy(&sink)?);
        let start = Instant::now();
        let mut child = self
            .command
            .spawn()
            .map_err(|e| Failure::new(format!("cannot start `{}`: {e}", self.shown)))?;
        let status = match self.limit {
            None => child.wait(),
            Some(limit) => loop {
                match child.try_wait() {
                    Ok(None) if start.elapsed() > limit => {
                        child.kill().ok();
                        child.wait().ok();
                        return Err(Failure::new(format!(
                            "`{}` did not end within {} s",
                            self.shown,
                            limit.as_secs()
                        )));
                    }
                    Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                    Ok(Some(status)) => break Ok(status),
                    Err(e) => break Err(e),
                }
            },
        }
        .map_err(|e| Failure::new(format!("cannot wait for `{}`: {e}", self.shown)))?;
        let seconds = start.elapsed().as_secs_f64();
        let mut bytes = Vec::new();
        if self.log.is_none() {
            sink.seek(SeekFrom::Start(0))
                .and_then(|_| sink.read_to_end(&mut bytes))
                .map_err(|e| Failure::new(format!("cannot read what `{}` printed: {e}", self.shown)))?;
        }
        Ok(Ended {
            status,
            seconds,
            output: String::from_utf8_lossy(&bytes).into_owned(),
            shown: self.shown,
        })
    }

    /// Runs to the end, which must be a success.
    pub fn succeed(self) -> Outcome<Ended> {
        let log = self.log.clone();
        let ended = self.run()?;
        if ended.status.success() {
            return Ok(ended);
        }
        let said = match &log {
            Some(file) => fs::read_to_string(file).unwrap_or_default(),
            None => ended.output.clone(),
        };
        let mut failure = Failure::new(format!(
            "`{}` ended with {}:\n{}",
            ended.shown,
            ended.status,
            last_lines(&said, 25)
        ));
        if let Some(file) = log {
            failure = failure.hint(format!("all of it is in {}", file.display()));
        }
        Err(failure)
    }
}

/// The last `n` lines of a text.
pub fn last_lines(text: &str, n: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(n)..].join("\n")
}

/// A file without a name: both streams of a program into one place in the order they came.
fn scratch_file() -> Outcome<File> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = format!(
        "xtask-{}-{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    );
    let path = std::env::temp_dir().join(name);
    let file = File::options()
        .create_new(true)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(|e| Failure::io("cannot create", &path, &e))?;
    fs::remove_file(&path).map_err(|e| Failure::io("cannot remove", &path, &e))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_streams_are_kept() {
        let ended = Program::new("sh")
            .arg("-c")
            .arg("echo out; echo err >&2; exit 3")
            .run()
            .unwrap();
        assert_eq!(ended.output, "out\nerr\n");
        assert_eq!(ended.status.code(), Some(3));
    }

    #[test]
    fn a_failure_shows_what_was_said() {
        let failure = Program::new("sh")
            .arg("-c")
            .arg("echo no such luck; exit 1")
            .succeed()
            .unwrap_err();
        assert!(failure.to_string().contains("no such luck"), "{failure}");
    }

    #[test]
    fn a_limit_ends_a_program() {
        let failure = Program::new("sleep")
            .arg("60")
            .limit(Duration::from_millis(50))
            .run()
            .unwrap_err();
        assert!(failure.to_string().contains("did not end"), "{failure}");
    }
}
