//! The kernel's side: which directory entries were touched. Behind a trait, so that limits can be tested.

use rustix::fd::OwnedFd;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The kernel's number for a watched directory. It belongs to the directory, not to its name: it stays when that is
/// renamed, and numbers of deleted ones are not used again.
pub(crate) type WatchId = i32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// An entry of the directory.
    Entry(WatchId, OsString),
    /// The directory itself was deleted or renamed.
    Itself(WatchId),
    /// The kernel has dropped the watch.
    Dropped(WatchId),
    /// Notices were lost.
    Overflow,
}

pub(crate) trait Kernel: Send {
    fn watch(&mut self, directory: &Path) -> Result<WatchId, Errno>;
    fn unwatch(&mut self, watch: WatchId);
    /// All notices since the last call; never waits.
    fn notices(&mut self) -> Vec<Notice>;
}

pub(crate) struct Inotify(OwnedFd);

impl Inotify {
    pub(crate) fn new() -> Result<Inotify, Errno> {
        inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).map(Inotify)
    }
}

impl Kernel for Inotify {
    fn watch(&mut self, directory: &Path) -> Result<WatchId, Errno> {
        // CLOSE_WRITE beside MODIFY: what is written through a memory map shows only so.
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW
            | WatchFlags::EXCL_UNLINK;
        inotify::add_watch(&self.0, directory, flags)
    }

    fn unwatch(&mut self, watch: WatchId) {
        // Its directory may be gone, and the watch with it.
        let _ = inotify::remove_watch(&self.0, watch);
    }

    fn notices(&mut self) -> Vec<Notice> {
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut reader = Reader::new(&self.0, &mut buffer);
        let mut notices: Vec<Notice> = Vec::new();
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return notices,
                Err(_) => {
                    notices.push(Notice::Overflow);
                    return notices;
                }
            };
            let what = event.events();
            let notice = if what.contains(ReadFlags::QUEUE_OVERFLOW) {
                Notice::Overflow
            } else if what.contains(ReadFlags::IGNORED) {
                Notice::Dropped(event.wd())
            } else if let Some(name) = event.file_name() {
                Notice::Entry(event.wd(), OsStr::from_bytes(name.to_bytes()).to_owned())
            } else {
                Notice::Itself(event.wd())
            };
            // One written file is many notices in a row.
            if notices.last() != Some(&notice) {
                notices.push(notice);
            }
        }
    }
}

/// For a kernel that gives no notification: nothing can be watched, so that everything is scanned.
pub(crate) struct NoKernel;

impl Kernel for NoKernel {
    fn watch(&mut self, _: &Path) -> Result<WatchId, Errno> {
        Err(Errno::NOSPC)
    }

    fn unwatch(&mut self, _: WatchId) {}

    fn notices(&mut self) -> Vec<Notice> {
        Vec::new()
    }
}
