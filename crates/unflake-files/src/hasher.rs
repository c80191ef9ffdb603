//! Reads what is there at the start, in a thread of its own. A result counts only if the file was, from before to after
//! reading, as it was listed; so a change that comes first leaves the old content unknown rather than wrong.

use crate::look::{Bytes, Looker, Stamp};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// So much is read in all; what comes after it is compared by size and time.
const MOST_READ: u64 = 2 << 30;

pub(crate) struct Hasher(Arc<HasherState>);

struct HasherState {
    results: Vec<OnceLock<Option<Bytes>>>,
    stop: AtomicBool,
    is_done: Mutex<bool>,
    done: Condvar,
}

impl Hasher {
    pub(crate) fn start(jobs: Vec<(PathBuf, Stamp)>) -> Hasher {
        let shared = Arc::new(HasherState {
            results: jobs.iter().map(|_| OnceLock::new()).collect(),
            stop: AtomicBool::new(false),
            is_done: Mutex::new(false),
            done: Condvar::new(),
        });
        let theirs = Arc::clone(&shared);
        let jobs = Arc::new(jobs);
        let their_jobs = Arc::clone(&jobs);
        let thread = thread::Builder::new()
            .name("unflake-files".into())
            .spawn(move || theirs.work(&their_jobs));
        if thread.is_err() {
            shared.work(&jobs);
        }
        Hasher(shared)
    }

    /// The content of a job's file when it was listed; `None`: not known (yet).
    pub(crate) fn result(&self, job: usize) -> Option<&Bytes> {
        self.0.results.get(job)?.get()?.as_ref()
    }

    /// Waits until all is read; `false`: it is not yet.
    pub(crate) fn wait(&self, at_most: Duration) -> bool {
        let is_done = self.0.is_done.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .0
            .done
            .wait_timeout_while(is_done, at_most, |is_done| !*is_done);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Drop for Hasher {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }
}

impl HasherState {
    fn work(&self, jobs: &[(PathBuf, Stamp)]) {
        let mut looker = Looker::new();
        let mut left = MOST_READ;
        for ((path, stamp), result) in jobs.iter().zip(&self.results) {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let read = if stamp.size <= left {
                looker.read(path, stamp)
            } else {
                None
            };
            left -= read.as_ref().map_or(0, |_| stamp.size);
            let _ = result.set(read);
        }
        *self.is_done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.done.notify_all();
    }
}
