//! What differs between two looks at a path, and how it reads.

use crate::hasher::Hasher;
use crate::look::{Bytes, Content, Entry, File};
use std::path::PathBuf;

/// The longest line shown.
const LONGEST_LINE: usize = 80;

/// A file (link, pipe, directory that is empty) that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDifference {
    pub path: PathBuf,
    pub change: FileChange,
    /// What was there, as a short text; `None`: nothing.
    pub old: Option<String>,
    pub new: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileChange {
    Created,
    Changed,
    Deleted,
}

/// The difference at a path, if there is one.
pub(crate) fn difference(
    path: PathBuf,
    old: Option<&Entry>,
    new: Option<&Entry>,
    hasher: &Hasher,
) -> Option<FileDifference> {
    let change = match (old, new) {
        (None, None) => return None,
        (None, Some(_)) => FileChange::Created,
        (Some(_), None) => FileChange::Deleted,
        (Some(old), Some(new)) if is_same(old, new, hasher) => return None,
        (Some(_), Some(_)) => FileChange::Changed,
    };
    let texts = (
        old.and_then(|entry| text(entry, hasher)),
        new.and_then(|entry| text(entry, hasher)),
    );
    let line = match texts {
        (Some(old), Some(new)) => old
            .lines()
            .zip(new.lines())
            .take_while(|(old, new)| old == new)
            .count(),
        _ => 0,
    };
    Some(FileDifference {
        path,
        change,
        old: old.map(|entry| describe(entry, texts.0, line)),
        new: new.map(|entry| describe(entry, texts.1, line)),
    })
}

fn is_same(old: &Entry, new: &Entry, hasher: &Hasher) -> bool {
    match (old, new) {
        (Entry::Directory, Entry::Directory) => true,
        (Entry::Other(old), Entry::Other(new)) => old == new,
        (Entry::Link(old), Entry::Link(new)) => old == new,
        (Entry::File(old), Entry::File(new)) => {
            old.stamp.size == new.stamp.size
                && match (bytes(old, hasher), bytes(new, hasher)) {
                    (Some(old), Some(new)) => old.is_same(new),
                    _ => old.stamp.modified == new.stamp.modified,
                }
        }
        _ => false,
    }
}

fn bytes<'a>(file: &'a File, hasher: &'a Hasher) -> Option<&'a Bytes> {
    match &file.content {
        Content::Read(bytes) => Some(bytes),
        Content::Pending(job) => hasher.result(*job),
        Content::Unread => None,
    }
}

fn text<'a>(entry: &'a Entry, hasher: &'a Hasher) -> Option<&'a str> {
    match entry {
        Entry::File(file) => bytes(file, hasher)?.text.as_deref(),
        _ => None,
    }
}

/// `12 bytes, line 3: colour=red`
fn describe(entry: &Entry, text: Option<&str>, line: usize) -> String {
    match entry {
        Entry::Directory => "directory".into(),
        Entry::Other(kind) => (*kind).into(),
        Entry::Link(target) => format!("link to {}", target.display()),
        Entry::File(file) => {
            let size = match file.stamp.size {
                1 => "1 byte".into(),
                n => format!("{n} bytes"),
            };
            match text.and_then(|text| text.lines().nth(line)) {
                Some(shown) if !shown.trim().is_empty() => {
                    let cut: String = shown.trim().chars().take(LONGEST_LINE).collect();
                    let more = if shown.trim().chars().count() > LONGEST_LINE {
                        "…"
                    } else {
                        ""
                    };
                    format!("{size}, line {}: {cut}{more}", line + 1)
                }
                _ => size,
            }
        }
    }
}
