//! Ctrl-C: the first one ends the work in an orderly way, so that the partial result is written; the second one ends
//! the program at once.

use crate::exit::ExitCode;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use unflake_check::{Problem, problem};
use unflake_runner::{Cancel, Children};

/// What is alive, and whether the user has cancelled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    pub(crate) children: Children,
    pub(crate) cancel: Cancel,
    terminated: Arc<AtomicBool>,
    /// Held by whoever writes what must not be cut.
    writing: Arc<Mutex<()>>,
}

impl Interrupt {
    /// From now on signals are ours.
    pub(crate) fn install() -> Result<Interrupt, Problem> {
        let interrupt = Interrupt {
            children: Children::with_launcher(),
            ..Interrupt::default()
        };
        let cannot = |error| problem!(CannotWork, "cannot listen for Ctrl-C").cause(error);
        let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(cannot)?;
        let ours = interrupt.clone();
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                for signal in signals.forever() {
                    ours.terminated.store(signal == SIGTERM, Ordering::SeqCst);
                    if ours.cancel.is_cancelled() {
                        ours.end_at_once();
                    }
                    ours.cancel.cancel();
                }
            })
            .map_err(cannot)?;
        Ok(interrupt)
    }

    /// The exit code if the work was interrupted.
    pub(crate) fn exit_code(&self) -> Option<ExitCode> {
        self.cancel.is_cancelled().then(|| {
            if self.terminated.load(Ordering::SeqCst) {
                ExitCode::Terminated
            } else {
                ExitCode::Interrupted
            }
        })
    }

    /// Does something short that even a second Ctrl-C does not cut.
    pub(crate) fn undisturbed<R>(&self, work: impl FnOnce() -> R) -> R {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }

    /// The user asked twice; nothing is left to be written.
    fn end_at_once(&self) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.children.end_all();
        let code = self.exit_code().unwrap_or(ExitCode::Interrupted);
        std::process::exit(i32::from(code.code()));
    }
}
