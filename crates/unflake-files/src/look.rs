//! Looking at one path: what is there, and what is in it. Nothing but regular files is ever opened.

use rustix::fs::OFlags;
use rustix::time::{ClockId, clock_gettime};
use std::ffi::OsString;
use std::fs::{self, Metadata, OpenOptions};
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Larger files are compared by size and time.
const LARGEST_READ: u64 = 64 << 20;

/// The text of smaller files is kept, to show the line that differs.
const LARGEST_KEPT: u64 = 2 << 10;

/// So much text is kept in all, by each of those who read files.
const MOST_KEPT: usize = 2 << 20;

/// What lies at a path.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    File(File),
    Link(OsString),
    Directory,
    /// A pipe, a socket, a device: by name, never opened.
    Other(&'static str),
}

#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) stamp: Stamp,
    /// Whether it changed so shortly before it was looked at that a further change may leave the stamp as it is.
    pub(crate) is_fresh: bool,
    pub(crate) content: Content,
}

/// What the file system says of a file. The time of change cannot be set by programs: the same stamp means the same
/// bytes, unless the file is fresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) modified: (i64, i64),
    changed: (i64, i64),
    inode: u64,
    device: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    Read(Bytes),
    /// The hasher will read it, or has: the number of its job.
    Pending(usize),
    /// Too large, unreadable, or gone before it could be read.
    Unread,
}

#[derive(Clone, Debug)]
pub(crate) struct Bytes {
    hash: u64,
    pub(crate) text: Option<Box<str>>,
}

impl Bytes {
    pub(crate) fn is_same(&self, other: &Bytes) -> bool {
        self.hash == other.hash
    }
}

/// What a look shows.
pub(crate) enum Look {
    Missing,
    /// It is known, and nothing has happened to it.
    Same,
    Is(Entry),
}

/// Which directory it is, whatever its name.
pub(crate) type Identity = (u64, u64);

/// The directory at a path, links not followed.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    let metadata = fs::symlink_metadata(path).ok()?;
    metadata.is_dir().then(|| (metadata.dev(), metadata.ino()))
}

/// Reads files, and keeps the text of small ones as long as there is room.
pub(crate) struct Looker {
    buffer: Vec<u8>,
    kept: usize,
}

impl Looker {
    pub(crate) fn new() -> Looker {
        Looker {
            buffer: vec![0; 64 << 10],
            kept: 0,
        }
    }

    /// What is at `path`, with its content, unless that is what `known` says.
    pub(crate) fn look(&mut self, path: &Path, known: Option<&Entry>) -> Look {
        match listed(path) {
            Look::Is(Entry::File(mut file)) => {
                if let Some(Entry::File(old)) = known
                    && old.stamp == file.stamp
                    && !old.is_fresh
                {
                    return Look::Same;
                }
                file.content = self
                    .read(path, &file.stamp)
                    .map_or(Content::Unread, Content::Read);
                Look::Is(Entry::File(file))
            }
            other => other,
        }
    }

    /// The content of a file that has this stamp; `None`: it has another, or cannot be read, or is too large.
    pub(crate) fn read(&mut self, path: &Path, stamp: &Stamp) -> Option<Bytes> {
        if stamp.size > LARGEST_READ {
            return None;
        }
        // What was a file a moment ago may be a pipe now: never wait for it.
        let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits();
        let mut file = OpenOptions::new()
            .read(true)
            .custom_flags(flags.cast_signed())
            .open(path)
            .ok()?;
        let is_unchanged = |file: &fs::File| {
            file.metadata()
                .is_ok_and(|metadata| metadata.is_file() && Stamp::of(&metadata) == *stamp)
        };
        if !is_unchanged(&file) {
            return None;
        }
        let mut hash = DefaultHasher::new();
        let mut text = Vec::new();
        loop {
            let n = match file.read(&mut self.buffer) {
                Ok(0) => break,
                Ok(n) => n,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return None,
            };
            hash.write(&self.buffer[..n]);
            if stamp.size <= LARGEST_KEPT {
                text.extend_from_slice(&self.buffer[..n]);
            }
        }
        if !is_unchanged(&file) {
            return None;
        }
        let text = String::from_utf8(text)
            .ok()
            .filter(|text| stamp.size <= LARGEST_KEPT && !text.contains('\0') && self.kept < MOST_KEPT);
        self.kept += text.as_ref().map_or(0, String::len);
        Some(Bytes {
            hash: hash.finish(),
            text: text.map(String::into_boxed_str),
        })
    }
}

/// What is at `path`; the content of files is left unread.
pub(crate) fn listed(path: &Path) -> Look {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return Look::Missing;
    };
    let kind = metadata.file_type();
    Look::Is(if kind.is_file() {
        let stamp = Stamp::of(&metadata);
        Entry::File(File {
            stamp,
            is_fresh: stamp.is_fresh(),
            content: Content::Unread,
        })
    } else if kind.is_dir() {
        Entry::Directory
    } else if kind.is_symlink() {
        match fs::read_link(path) {
            Ok(target) => Entry::Link(target.into_os_string()),
            Err(_) => return Look::Missing,
        }
    } else if kind.is_fifo() {
        Entry::Other("named pipe")
    } else if kind.is_socket() {
        Entry::Other("socket")
    } else {
        Entry::Other("device")
    })
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        Stamp {
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
            device: metadata.dev(),
        }
    }

    /// Whether a file with this stamp is to be read now rather than later: see [`File::is_fresh`].
    fn is_fresh(&self) -> bool {
        // The clock that the kernel takes these times from. File systems that know no fractions have seconds, or two.
        let now = clock_gettime(ClockId::RealtimeCoarse);
        let margin = if self.changed.1 == 0 {
            2_000_000_000
        } else {
            20_000_000
        };
        let age = now
            .tv_sec
            .saturating_sub(self.changed.0)
            .saturating_mul(1_000_000_000);
        age.saturating_add(now.tv_nsec - self.changed.1) < margin
    }

    pub(crate) fn is_readable_size(&self) -> bool {
        self.size <= LARGEST_READ
    }
}
