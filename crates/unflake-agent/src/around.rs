//! Shared state beside the heap: what the JVM keeps for everybody, and files.

use crate::jvm_state::{self, Captured};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use unflake_files::{FileChange, FileDifference, Problem, Watcher};
use unflake_protocol::{
    Author, CapturedKind, ChangeForm, Gap, JvmState, LocaleCategory, Shown, StateChange, StateKind, Step,
    ThreadName, ToProgram, Watch, What,
};

#[derive(Default)]
pub(crate) struct Around(Mutex<SeenAround>);

#[derive(Default)]
struct SeenAround {
    jvm: Vec<Captured>,
    /// Whether `jvm` was captured at all.
    is_known: bool,
    /// Threads that were there after a test; one that is about to end is none that was left.
    threads: Vec<(Author, StateChange)>,
    files: Option<Watcher>,
    /// Those that the JVM deletes when it ends, as Java's code named them.
    until_exit: BTreeSet<PathBuf>,
}

/// How long the first test waits until the files that are there were read.
const HASHING: Duration = Duration::from_secs(10);

impl Around {
    /// Watches the working directory, the temporary one, and those that were given.
    pub(crate) fn watch_files(&self, watch: &Watch, temporary: Option<PathBuf>) -> Vec<ToProgram> {
        let working = std::env::current_dir().ok();
        let mut directories: Vec<PathBuf> = working.into_iter().chain(temporary).collect();
        directories.extend(watch.directories.iter().cloned());
        let (watcher, problems) = Watcher::start(&directories, &watch.ignored);
        watcher.wait(HASHING);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).files = Some(watcher);
        problems.iter().map(not_watched).collect()
    }

    /// Looks around after somebody's code ran. `jvm` is `None` if it is as it was.
    pub(crate) fn looked(
        &self,
        author: Option<Author>,
        jvm: Option<Vec<Option<String>>>,
        root_name: impl Fn(u32) -> String,
    ) -> Vec<ToProgram> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut told = Vec::new();
        let mut changes = Vec::new();
        if let Some(captured) = jvm.map(jvm_state::triples) {
            let (until_exit, captured): (Vec<Captured>, Vec<Captured>) = captured
                .into_iter()
                .partition(|(kind, _, _)| *kind == CapturedKind::FileUntilExit);
            let working = std::env::current_dir().unwrap_or_default();
            seen.until_exit = until_exit.iter().map(|(_, name, _)| working.join(name)).collect();
            told.extend(captured.iter().filter_map(not_read));
            let mut captured = with_environment(captured);
            for (_, name, value) in captured
                .iter_mut()
                .filter(|(kind, _, _)| *kind == CapturedKind::ThreadLocal)
            {
                if let Some(text) = value.strip_prefix("java.lang.String ") {
                    *value = text.to_owned();
                }
                if let Some(root) = name.strip_prefix("root ").and_then(|root| root.parse().ok()) {
                    *name = format!("{}{}", jvm_state::FIELD, root_name(root));
                }
            }
            if seen.is_known {
                changes = jvm_state::differences(&seen.jvm, &captured);
            }
            seen.jvm = captured;
            seen.is_known = true;
        }
        // What a class's set-up starts its tear-down may end, so that is looked at then.
        let is_of_class = |author: &Option<Author>| matches!(author, Some(Author::Class(_)));
        let (due, waiting) = std::mem::take(&mut seen.threads)
            .into_iter()
            .partition(|(by, _)| matches!(by, Author::Test(_)) || is_of_class(&author));
        seen.threads = waiting;
        let due: Vec<(Author, StateChange)> = due;
        for (author, change) in due {
            if seen.jvm.iter().any(|captured| is_thread(captured, &change)) {
                told.push(ToProgram::Changed {
                    by: author,
                    changes: vec![change],
                });
            }
        }
        // The JDK makes its handlers when they are first needed. One change may bring others along: a factory for
        // handlers drops all of them, the default locale is that of each category.
        let is_default = |change: &StateChange| is_state(change, &JvmState::Locale(LocaleCategory::Default));
        let has_default = changes.iter().any(is_default);
        let is_factory = |change: &StateChange| is_state(change, &JvmState::UrlFactory);
        let has_factory = changes.iter().any(is_factory);
        let is_jdk = |change: &StateChange| {
            let mut handlers = [&change.old, &change.new].into_iter().flatten();
            let is_own = |handler: &Shown| handler.text.starts_with("sun.net.www.protocol.");
            change.kind == StateKind::UrlHandler && handlers.all(is_own)
                || change.kind == StateKind::UrlHandler && has_factory && !is_factory(change)
                || change.kind == StateKind::Locale && has_default && !is_default(change)
        };
        let (threads, others): (Vec<StateChange>, Vec<StateChange>) = changes
            .into_iter()
            .filter(|change| !is_jdk(change))
            .partition(|change| change.kind == StateKind::Thread);
        let mut changes = others;
        let SeenAround {
            files, until_exit, ..
        } = &mut *seen;
        if let Some(files) = files {
            let differences = files.changes().into_iter();
            changes.extend(differences.map(|difference| file_change(difference, until_exit)));
            told.extend(files.problems().iter().map(not_watched));
        }
        if let Some(by) = author {
            seen.threads
                .extend(threads.into_iter().map(|thread| (by.clone(), thread)));
            if !changes.is_empty() {
                told.push(ToProgram::Changed { by, changes });
            }
        }
        told
    }
}

fn is_state(change: &StateChange, state: &JvmState) -> bool {
    change.steps.first() == Some(&Step::Jvm(state.clone()))
}

/// Whether a captured line is about the thread that a change is about.
fn is_thread((kind, class, name): &Captured, change: &StateChange) -> bool {
    let thread = ThreadName {
        class: class.clone(),
        name: name.clone(),
    };
    *kind == CapturedKind::Thread && is_state(change, &JvmState::Thread(thread))
}

/// The environment is read by the JVM when somebody asks for it first; until then it is the process's.
fn with_environment(captured: Vec<Captured>) -> Vec<Captured> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    jvm_state::with_environment(captured, || {
        std::env::vars_os().map(|(name, value)| (text(name), text(value)))
    })
}

fn file_change(difference: FileDifference, until_exit: &BTreeSet<PathBuf>) -> StateChange {
    let path = difference.path.display().to_string();
    let what = if until_exit.contains(&difference.path) {
        What::UntilExit
    } else {
        What::Text
    };
    StateChange {
        kind: StateKind::File,
        root: path.clone(),
        path,
        old: difference.old.map(|text| Shown::new(What::Text, text)),
        new: difference.new.map(|text| Shown::new(what, text)),
        form: match difference.change {
            FileChange::Created => ChangeForm::FirstSet,
            FileChange::Changed => ChangeForm::Replaced,
            FileChange::Deleted => ChangeForm::Removed,
        },
        steps: Vec::new(),
        slot: None,
        more: 0,
        also: Vec::new(),
        around: Vec::new(),
    }
}

/// A kind of state that could not be read this time: nobody knows whether it changed.
fn not_read((kind, what, _): &Captured) -> Option<ToProgram> {
    (*kind == CapturedKind::Failed).then(|| ToProgram::NotWatched {
        what: format!("state of the JVM: {what}"),
        reason: "a thread changed it while it was read after a test".to_owned(),
        gap: Gap::Lost,
    })
}

fn not_watched(problem: &Problem) -> ToProgram {
    ToProgram::NotWatched {
        what: problem.directory.display().to_string(),
        reason: format!("{}; {}", problem.message, problem.hint),
        gap: Gap::Lost,
    }
}
