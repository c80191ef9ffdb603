//! The watcher: from the kernel's notices to differences.
//!
//! A question is answered in three steps: which paths may have changed (the kernel's notices, or a scan), what is there
//! now (and the first of several looks remembers what was there before), and where that differs. A directory that is
//! new, or no longer the one it was, is watched first and listed then, so that nothing falls between.

use crate::difference::{FileDifference, difference};
use crate::hasher::Hasher;
use crate::listing::{Directory, Listing};
use crate::look::{self, Content, Entry, Look, Looker};
use crate::notify::{Inotify, Kernel, NoKernel, Notice, WatchId};
use crate::problem::Problem;
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is never looked into: the kernel's own.
const NEVER: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Limits, so that a guest stays a small one.
#[derive(Clone, Copy, Debug)]
struct WatchLimits {
    /// The most files and directories that are listed.
    entries: usize,
    /// The most of them in directories that are scanned at every question.
    scanned: usize,
}

const LIMITS: WatchLimits = WatchLimits {
    entries: 300_000,
    scanned: 20_000,
};

/// Watches directories and says what changed in them.
pub struct Watcher {
    kernel: Box<dyn Kernel>,
    limits: WatchLimits,
    roots: Vec<PathBuf>,
    ignored: Vec<PathBuf>,
    listing: Listing,
    watches: BTreeMap<WatchId, PathBuf>,
    /// Directories that the kernel does not watch.
    scanned: BTreeSet<PathBuf>,
    n_scanned: usize,
    /// Directories that cannot be looked into, or are too many.
    left_out: BTreeSet<PathBuf>,
    looker: Looker,
    hasher: Hasher,
    problems: Vec<Problem>,
    said: BTreeSet<KernelSaid>,
}

/// Problems that are reported once.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum KernelSaid {
    NoMoreWatches,
    TooManyFiles,
    TooManyToScan,
}

/// What was at the paths that one question looked at, before it did.
type OldEntries = BTreeMap<PathBuf, Option<Entry>>;

impl Watcher {
    /// Watches `directories` and all below them but `ignored`. What is there now is hashed in the background.
    pub fn start(directories: &[PathBuf], ignored: &[PathBuf]) -> (Watcher, Vec<Problem>) {
        let nowhere = PathBuf::new();
        let first = directories.first().unwrap_or(&nowhere);
        match Inotify::new() {
            Ok(kernel) => Watcher::start_with(Box::new(kernel), LIMITS, directories, ignored),
            Err(error) => {
                let (mut watcher, mut problems) =
                    Watcher::start_with(Box::new(NoKernel), LIMITS, directories, ignored);
                watcher.said.insert(KernelSaid::NoMoreWatches);
                problems.retain(|problem| *problem != Problem::no_more_watches(&problem.directory));
                problems.insert(0, Problem::no_notification(first, error));
                (watcher, problems)
            }
        }
    }

    fn start_with(
        kernel: Box<dyn Kernel>,
        limits: WatchLimits,
        directories: &[PathBuf],
        ignored: &[PathBuf],
    ) -> (Watcher, Vec<Problem>) {
        let mut roots: Vec<PathBuf> = directories.iter().map(|path| real(path)).collect();
        roots.sort();
        roots.dedup();
        let mut ignored: Vec<PathBuf> = ignored.iter().map(|path| real(path)).collect();
        ignored.extend(NEVER.map(PathBuf::from));
        let mut watcher = Watcher {
            kernel,
            limits,
            roots: roots.clone(),
            ignored,
            listing: Listing::default(),
            watches: BTreeMap::new(),
            scanned: BTreeSet::new(),
            n_scanned: 0,
            left_out: BTreeSet::new(),
            looker: Looker::new(),
            hasher: Hasher::start(Vec::new()),
            problems: Vec::new(),
            said: BTreeSet::new(),
        };
        let mut jobs = Vec::new();
        for root in roots {
            if watcher.listing.directory(&root).is_none() && look::identity(&root).is_some() {
                watcher.add_tree(&root, &mut |looker, path| match look::listed(path) {
                    Look::Is(Entry::File(mut file)) if !file.is_fresh && file.stamp.is_readable_size() => {
                        file.content = Content::Pending(jobs.len());
                        jobs.push((path.to_owned(), file.stamp));
                        Some(Entry::File(file))
                    }
                    Look::Is(Entry::File(_)) => found(looker.look(path, None)),
                    other => found(other),
                });
            }
        }
        watcher.hasher = Hasher::start(jobs);
        let problems = watcher.problems();
        (watcher, problems)
    }

    /// Waits until what was there at the start is hashed; `false`: it is not yet. A file that changes before it was
    /// hashed counts as changed even if the same bytes were written.
    pub fn wait(&self, at_most: Duration) -> bool {
        self.hasher.wait(at_most)
    }

    /// What could not be watched since this was asked last: a new directory may be the one too many.
    pub fn problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
    }

    /// What was created, changed by content or deleted since the last call, by path. What was put back is not there.
    /// Directories are there only if nothing in them is.
    pub fn changes(&mut self) -> Vec<FileDifference> {
        let mut before = OldEntries::new();
        for path in self.candidates(&mut before) {
            self.look(&path, &mut before);
        }
        let mut differences: Vec<FileDifference> = Vec::new();
        for (path, old) in before {
            let new = self.listing.entry(&path);
            if let Some(found) = difference(path, old.as_ref(), new, &self.hasher) {
                if differences
                    .last()
                    .is_some_and(|last| found.path.starts_with(&last.path) && is_only_a_directory(last))
                {
                    differences.pop();
                }
                differences.push(found);
            }
        }
        differences
    }

    /// The paths to look at, parents first.
    fn candidates(&mut self, before: &mut OldEntries) -> BTreeSet<PathBuf> {
        let mut candidates = BTreeSet::new();
        let mut is_overflow = false;
        for notice in self.kernel.notices() {
            match notice {
                Notice::Overflow => is_overflow = true,
                Notice::Entry(watch, name) => {
                    candidates.extend(self.watches.get(&watch).map(|directory| directory.join(name)));
                }
                Notice::Itself(watch) => candidates.extend(self.watches.get(&watch).cloned()),
                Notice::Dropped(watch) => {
                    if let Some(path) = self.watches.remove(&watch) {
                        if let Some(directory) = self.listing.directory_mut(&path)
                            && directory.watch == Some(watch)
                        {
                            // Perhaps another directory took its place, and even its number.
                            directory.watch = None;
                        }
                        candidates.insert(path);
                    }
                }
            }
        }
        let scanned: Vec<PathBuf> = if is_overflow {
            self.watch_again();
            self.listing.directories().map(|(path, _)| path.clone()).collect()
        } else {
            self.scanned.iter().cloned().collect()
        };
        for path in scanned {
            if let Some(directory) = self.listing.directory(&path) {
                candidates.extend(directory.names().map(|name| path.join(name)));
            }
            candidates.extend(
                names(&path)
                    .unwrap_or_default()
                    .iter()
                    .map(|name| path.join(name)),
            );
        }
        // A root has no watched parent that would tell of it, and may not have been there yet.
        for root in self.roots.clone() {
            if !self.is_same_directory(&root) {
                self.look(&root, before);
            }
        }
        candidates
    }

    /// After an overflow: which watches were dropped is not known. Adding one twice gives the same number.
    fn watch_again(&mut self) {
        let watched: Vec<(PathBuf, WatchId)> = self
            .listing
            .directories()
            .filter_map(|(path, directory)| Some((path.clone(), directory.watch?)))
            .collect();
        for (path, old) in watched {
            if self.kernel.watch(&path).ok() != Some(old)
                && let Some(directory) = self.listing.directory_mut(&path)
            {
                directory.watch = None;
                self.watches.remove(&old);
                self.kernel.unwatch(old);
            }
        }
    }

    /// Brings the listing up to date at one path, and below it where that is another directory than before.
    fn look(&mut self, path: &Path, before: &mut OldEntries) {
        let is_root = self.roots.iter().any(|root| root == path);
        let has_parent = path
            .parent()
            .is_some_and(|parent| self.listing.directory(parent).is_some());
        if !(is_root || has_parent) || self.is_ignored(path) {
            return;
        }
        let known = self.listing.entry(path).cloned();
        let new = match self.looker.look(path, known.as_ref()) {
            Look::Same => return,
            Look::Is(Entry::Directory) if self.is_same_directory(path) => return,
            Look::Missing => None,
            Look::Is(entry) => Some(entry),
        };
        if let Some(Entry::Directory) = known {
            self.remove_tree(path, before);
        }
        before.entry(path.to_owned()).or_insert(known);
        let is_directory = matches!(new, Some(Entry::Directory));
        self.listing.set(path, new);
        if is_directory {
            self.add_tree(path, &mut |looker, path| {
                let entry = found(looker.look(path, None));
                if entry.is_some() {
                    before.entry(path.to_owned()).or_insert(None);
                }
                entry
            });
        }
    }

    fn is_same_directory(&self, path: &Path) -> bool {
        match self.listing.directory(path) {
            Some(directory) => {
                look::identity(path) == Some(directory.identity)
                    && (directory.watch.is_some() || self.scanned.contains(path))
            }
            None => self.left_out.contains(path),
        }
    }

    fn remove_tree(&mut self, path: &Path, before: &mut OldEntries) {
        self.left_out.retain(|left_out| !left_out.starts_with(path));
        for (directory_path, directory) in self.listing.take_tree(path) {
            self.forget(&directory_path, &directory);
            before
                .entry(directory_path.clone())
                .or_insert(Some(Entry::Directory));
            for (name, entry) in directory.into_entries() {
                before.entry(directory_path.join(name)).or_insert(Some(entry));
            }
        }
    }

    /// Ends the watch of a directory that was taken out of the listing.
    fn forget(&mut self, path: &Path, directory: &Directory) {
        if self.scanned.remove(path) {
            self.n_scanned = self.n_scanned.saturating_sub(directory.n_entries());
        }
        // A renamed directory has its watch already under its new name.
        if let Some(watch) = directory.watch
            && self.watches.get(&watch).is_some_and(|watched| watched == path)
        {
            self.watches.remove(&watch);
            self.kernel.unwatch(watch);
        }
    }

    /// Watches and lists a directory and all below it. `entry` says what is at a path.
    fn add_tree(&mut self, top: &Path, entry: &mut dyn FnMut(&mut Looker, &Path) -> Option<Entry>) {
        let mut open = vec![top.to_owned()];
        while let Some(directory) = open.pop() {
            if self.listing.directory(&directory).is_some() {
                continue;
            }
            let Some(names) = self.add_directory(&directory) else {
                continue;
            };
            for name in names {
                let path = directory.join(name);
                if self.is_ignored(&path) {
                    continue;
                }
                let found = entry(&mut self.looker, &path);
                if let Some(Entry::Directory) = found {
                    open.push(path.clone());
                }
                self.listing.set(&path, found);
            }
        }
    }

    /// Watches one directory; the names in it, or `None` if it is left out.
    fn add_directory(&mut self, path: &Path) -> Option<Vec<OsString>> {
        let identity = look::identity(path)?;
        if self.listing.n_entries() >= self.limits.entries {
            self.leave_out(
                path,
                Some(KernelSaid::TooManyFiles),
                Problem::too_many_files(path, self.limits.entries),
            );
            return None;
        }
        let watch = match self.kernel.watch(path) {
            Ok(watch) => Some(watch),
            Err(Errno::NOSPC | Errno::NOMEM) => None,
            // It is gone.
            Err(Errno::NOENT | Errno::NOTDIR) => return None,
            Err(error) => {
                self.leave_out(path, None, Problem::unreadable(path, error));
                return None;
            }
        };
        let refused = match names(path) {
            Err(error) => Some((None, Problem::unreadable(path, error))),
            Ok(names) if self.listing.n_entries() + names.len() > self.limits.entries => {
                let problem = Problem::too_many_files(path, self.limits.entries);
                Some((Some(KernelSaid::TooManyFiles), problem))
            }
            Ok(names) if watch.is_none() && self.n_scanned + names.len() > self.limits.scanned => {
                let problem = Problem::too_many_to_scan(path, self.limits.scanned);
                Some((Some(KernelSaid::TooManyToScan), problem))
            }
            Ok(names) => {
                match watch {
                    Some(watch) => {
                        self.watches.insert(watch, path.to_owned());
                    }
                    None => {
                        self.n_scanned += names.len();
                        self.scanned.insert(path.to_owned());
                        self.say(KernelSaid::NoMoreWatches, Problem::no_more_watches(path));
                    }
                }
                self.listing.add_directory(path, identity, watch);
                return Some(names);
            }
        };
        if let Some(watch) = watch {
            self.watches.remove(&watch);
            self.kernel.unwatch(watch);
        }
        if let Some((said, problem)) = refused {
            self.leave_out(path, said, problem);
        }
        None
    }

    fn leave_out(&mut self, path: &Path, said: Option<KernelSaid>, problem: Problem) {
        self.left_out.insert(path.to_owned());
        match said {
            Some(said) => self.say(said, problem),
            None => self.problems.push(problem),
        }
    }

    fn say(&mut self, what: KernelSaid, problem: Problem) {
        if self.said.insert(what) {
            self.problems.push(problem);
        }
    }

    /// A directory that is asked for below an ignored one is watched.
    fn is_ignored(&self, path: &Path) -> bool {
        self.ignored.iter().any(|ignored| {
            path.starts_with(ignored)
                && !self
                    .roots
                    .iter()
                    .any(|root| root != ignored && root.starts_with(ignored) && path.starts_with(root))
        })
    }
}

fn is_only_a_directory(difference: &FileDifference) -> bool {
    let directory = Some("directory");
    let old = difference.old.as_deref();
    let new = difference.new.as_deref();
    (old == directory && new.is_none()) || (old.is_none() && new == directory)
}

fn found(look: Look) -> Option<Entry> {
    match look {
        Look::Is(entry) => Some(entry),
        Look::Missing | Look::Same => None,
    }
}

/// The names in a directory, sorted: directory order is nobody's.
fn names(path: &Path) -> std::io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name());
    }
    names.sort();
    Ok(names)
}

/// A path without links in it, as far as it exists.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if parent != path => real(parent).join(name),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests;
