//! What was there when it was last looked at, directory by directory.

use crate::look::{Entry, Identity};
use crate::notify::WatchId;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::Bound;
use std::path::{Path, PathBuf};

#[derive(Default)]
pub(crate) struct Listing {
    /// Paths are compared part by part, so that what is below a directory follows it.
    directories: BTreeMap<PathBuf, Directory>,
    n_entries: usize,
}

pub(crate) struct Directory {
    pub(crate) identity: Identity,
    /// `None`: it is scanned instead.
    pub(crate) watch: Option<WatchId>,
    entries: BTreeMap<OsString, Entry>,
}

impl Listing {
    pub(crate) fn n_entries(&self) -> usize {
        self.n_entries
    }

    pub(crate) fn directory(&self, path: &Path) -> Option<&Directory> {
        self.directories.get(path)
    }

    pub(crate) fn directory_mut(&mut self, path: &Path) -> Option<&mut Directory> {
        self.directories.get_mut(path)
    }

    pub(crate) fn directories(&self) -> impl Iterator<Item = (&PathBuf, &Directory)> {
        self.directories.iter()
    }

    /// What is at a path: in its directory, or a watched directory itself.
    pub(crate) fn entry(&self, path: &Path) -> Option<&Entry> {
        if self.directories.contains_key(path) {
            return Some(&Entry::Directory);
        }
        self.directories
            .get(path.parent()?)?
            .entries
            .get(path.file_name()?)
    }

    pub(crate) fn add_directory(&mut self, path: &Path, identity: Identity, watch: Option<WatchId>) {
        let directory = Directory {
            identity,
            watch,
            entries: BTreeMap::new(),
        };
        self.directories.insert(path.to_owned(), directory);
    }

    /// Sets or removes what is at a path, if its directory is watched.
    pub(crate) fn set(&mut self, path: &Path, entry: Option<Entry>) -> Option<Entry> {
        let directory = self.directories.get_mut(path.parent()?)?;
        let name = path.file_name()?;
        let is_there = entry.is_some();
        let old = match entry {
            Some(entry) => directory.entries.insert(name.to_owned(), entry),
            None => directory.entries.remove(name),
        };
        self.n_entries = (self.n_entries + usize::from(is_there)).saturating_sub(usize::from(old.is_some()));
        old
    }

    /// Takes a directory and all below it out.
    pub(crate) fn take_tree(&mut self, path: &Path) -> Vec<(PathBuf, Directory)> {
        let from = (Bound::Included(path), Bound::Unbounded);
        let below: Vec<PathBuf> = self
            .directories
            .range::<Path, _>(from)
            .map(|(directory, _)| directory)
            .take_while(|directory| directory.starts_with(path))
            .cloned()
            .collect();
        let mut taken = Vec::with_capacity(below.len());
        for path in below {
            if let Some(directory) = self.directories.remove(&path) {
                self.n_entries = self.n_entries.saturating_sub(directory.entries.len());
                taken.push((path, directory));
            }
        }
        taken
    }
}

impl Directory {
    pub(crate) fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.entries.keys().map(OsString::as_os_str)
    }

    pub(crate) fn n_entries(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn into_entries(self) -> BTreeMap<OsString, Entry> {
        self.entries
    }
}
