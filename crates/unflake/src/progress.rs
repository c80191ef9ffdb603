//! What the user sees while it works: a bar on a terminal, a line now and then elsewhere. Only on standard error.

use crate::args::ProgressArg as How;
use crate::settings::Screen;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use unflake_check::Progress;

/// How often a line is written where nothing may move.
const LINE_EVERY: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct ProgressDisplay {
    kind: DisplayKind,
}

#[derive(Debug)]
enum DisplayKind {
    Silent,
    Bar(ProgressBar),
    Lines(Mutex<Lines>),
}

#[derive(Debug)]
struct Lines {
    last: Instant,
    phase: String,
    done: u64,
    of: u64,
    note: String,
}

impl ProgressDisplay {
    pub(crate) fn new(screen: &Screen) -> ProgressDisplay {
        let is_terminal = std::io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        let kind = match screen.progress {
            _ if screen.quiet => DisplayKind::Silent,
            How::None => DisplayKind::Silent,
            How::Bar => DisplayKind::Bar(bar()),
            How::Auto if is_terminal => DisplayKind::Bar(bar()),
            How::Auto | How::Counter => DisplayKind::Lines(Mutex::new(Lines {
                last: Instant::now(),
                phase: String::new(),
                done: 0,
                of: 0,
                note: String::new(),
            })),
        };
        ProgressDisplay { kind }
    }

    /// Nothing moves after this.
    pub(crate) fn finish(&self) {
        if let DisplayKind::Bar(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }
}

/// What ends with an error leaves no bar behind.
impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Progress for ProgressDisplay {
    fn phase(&self, phase: &str, of: u64) {
        match &self.kind {
            DisplayKind::Silent => {}
            DisplayKind::Bar(bar) => {
                bar.set_style(if of == 0 {
                    style("{spinner} {prefix} {pos} tests  {wide_msg:.dim} {elapsed:.dim}")
                } else {
                    style("{spinner} {prefix} {bar:24.cyan/blue} {pos}/{len}  {wide_msg:.dim} {elapsed:.dim}")
                });
                bar.set_prefix(phase.to_owned());
                bar.set_length(of);
                bar.set_position(0);
                bar.set_message("");
            }
            DisplayKind::Lines(lines) => {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                *lines = Lines {
                    last: Instant::now(),
                    phase: phase.to_owned(),
                    done: 0,
                    of,
                    note: String::new(),
                };
                lines.write();
            }
        }
    }

    fn step(&self) {
        match &self.kind {
            DisplayKind::Silent => {}
            DisplayKind::Bar(bar) => bar.inc(1),
            DisplayKind::Lines(lines) => {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                lines.done += 1;
                if lines.last.elapsed() >= LINE_EVERY {
                    lines.last = Instant::now();
                    lines.write();
                }
            }
        }
    }

    fn note(&self, note: &str) {
        match &self.kind {
            DisplayKind::Silent => {}
            DisplayKind::Bar(bar) => bar.set_message(note.to_owned()),
            DisplayKind::Lines(lines) => {
                note.clone_into(&mut lines.lock().unwrap_or_else(PoisonError::into_inner).note)
            }
        }
    }
}

impl Lines {
    fn write(&self) {
        let mut line = format!("unflake: {}", self.phase);
        if self.done > 0 && self.of > 0 {
            line.push_str(&format!(" {}/{}", self.done, self.of));
        } else if self.done > 0 {
            line.push_str(&format!(" {} tests", self.done));
        }
        if !self.note.is_empty() {
            line.push_str(&format!(" ({})", self.note));
        }
        // If standard error is closed, there is nowhere to report it.
        let _ = writeln!(anstream::stderr(), "{line}");
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
