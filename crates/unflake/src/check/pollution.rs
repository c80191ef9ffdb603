//! Which tests change shared state and leave it so (P1 to P10).
//!
//! The suite runs once more, unvaried and in JVMs of ours, which compare shared state before and after each test. The
//! classes in which something changed run a second time, with the classes that hold the state loaded before the first test:
//! what changes again is a finding, what does not is left out.

use super::Check;
use super::jvms::{Bench, Turn};
use super::outcome::Outcomes;
use super::stored::StoredReplay;
use super::uses;
use crate::config::Eager;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, PoisonError};
use unflake_explore::{Seen, benign};
use unflake_findings::{
    Benign, Details, FileChange, FilePollution, Finding, FindingKind, NoteKind, Pollution, Proof, Rate,
    Repair, Severity, polluter_id,
};
use unflake_protocol::{Author, ChangeForm, Configuration, Roots, StateChange, StateKind, ToProgram, Watch};
use unflake_runner::WorkerTools;

/// Workers that watch are numbered from here on.
const WATCHING: u32 = 1 << 21;

/// Roots that reach more objects are refused.
const MOST_OBJECTS: u32 = 2_000_000;

/// Fields that belong to nobody's tests: generated classes, what mocking frameworks and coverage tools add.
const EXCLUDED_ROOTS: [&str; 4] = [
    r".*\$\$.*",
    r".*\$(?:Mockito|Proxy|EasyMock|JMock|ByteBuddy).*",
    r".*\.(?:__cobertura|\$jacoco).*",
    r".*\.serialVersionUID",
];

/// Who changed what: by the test's index, or by the class.
#[derive(Clone, Debug, Default)]
struct Changes {
    by_test: BTreeMap<usize, Vec<StateChange>>,
    by_class: BTreeMap<String, Vec<StateChange>>,
    not_watched: BTreeMap<String, String>,
}

impl Changes {
    fn all(&self) -> impl Iterator<Item = &StateChange> {
        self.by_test.values().chain(self.by_class.values()).flatten()
    }

    fn of_root(&self, root: &str) -> Vec<&StateChange> {
        self.all().filter(|change| change.root == root).collect()
    }
}

pub(super) fn run(check: &Check<'_>, candidates: &[usize], outcomes: &mut Outcomes) {
    let suite = &check.learned.suite;
    let tests: Vec<usize> = candidates
        .iter()
        .copied()
        .filter(|test| suite.tests[*test].launch.is_some())
        .collect();
    let packages = packages(suite.launches.iter().flat_map(|launch| &launch.class_path));
    let asked = &check.settings.pollution;
    let excluded = EXCLUDED_ROOTS.iter().map(|pattern| (*pattern).to_owned());
    let watch = Watch {
        roots: Roots {
            packages,
            all: asked.all_roots,
            include: asked.include_roots.clone(),
            exclude: excluded.chain(asked.exclude_roots.iter().cloned()).collect(),
            exclude_fields: asked.exclude_fields.clone(),
        },
        points: asked.capture,
        eager: Vec::new(),
        directories: Vec::new(),
        ignored: Vec::new(),
        most_objects: MOST_OBJECTS,
    };
    check.progress.phase("watching shared state", tests.len() as u64);
    let first = first_run(check, &tests, &watch);
    let again: Vec<usize> = tests
        .iter()
        .copied()
        .filter(|test| {
            let root = &suite.tests[*test].handle.root;
            first.by_class.contains_key(root)
                || first
                    .by_test
                    .keys()
                    .any(|other| suite.tests[*other].handle.root == *root)
        })
        .collect();
    let holders: BTreeSet<String> = first
        .all()
        .filter(|change| change.kind == StateKind::Heap)
        .filter_map(|change| change.root.rsplit_once('.').map(|(class, _)| class.to_owned()))
        .collect();
    let second = if again.is_empty() {
        Changes::default()
    } else {
        check.progress.phase("watching again", again.len() as u64);
        let watch = Watch {
            eager: holders.into_iter().collect(),
            ..watch
        };
        capture(check, &again, watch)
    };
    for (what, reason) in first.not_watched.iter().chain(&second.not_watched) {
        outcomes.note(NoteKind::Other, format!("`{what}` is not watched: {reason}"));
    }
    report(check, &first, &second, outcomes);
}

/// Watches all tests, with as many classes loaded before them as was asked for.
fn first_run(check: &Check<'_>, tests: &[usize], watch: &Watch) -> Changes {
    let suite = &check.learned.suite;
    let eager = |tests: &[usize]| {
        let roots: BTreeSet<&str> = tests
            .iter()
            .map(|test| suite.tests[*test].handle.root.as_str())
            .collect();
        let reached = match check.settings.pollution.eager {
            Eager::Off => BTreeSet::new(),
            Eager::Suite => suite.references.keys().map(String::as_str).collect(),
            Eager::Class | Eager::Test => reachable(&suite.references, roots),
        };
        Watch {
            eager: reached.into_iter().map(str::to_owned).collect(),
            ..watch.clone()
        }
    };
    let groups: Vec<&[usize]> = match check.settings.pollution.eager {
        Eager::Off | Eager::Suite => vec![tests],
        Eager::Class => tests
            .chunk_by(|a, b| suite.tests[*a].handle.root == suite.tests[*b].handle.root)
            .collect(),
        Eager::Test => tests.chunks(1).collect(),
    };
    let mut all = Changes::default();
    for part in check.in_parallel(&groups, |group| capture(check, group, eager(group))) {
        for (test, changes) in part.by_test {
            all.by_test.entry(test).or_default().extend(changes);
        }
        for (class, changes) in part.by_class {
            all.by_class.entry(class).or_default().extend(changes);
        }
        all.not_watched.extend(part.not_watched);
    }
    all
}

/// The loaded classes that these name, and so on.
fn reachable<'a>(
    references: &'a BTreeMap<String, Vec<String>>,
    from: BTreeSet<&'a str>,
) -> BTreeSet<&'a str> {
    let mut todo: Vec<&str> = from.into_iter().collect();
    let mut reached = BTreeSet::new();
    while let Some(class) = todo.pop() {
        if let Some(below) = references.get(class)
            && reached.insert(class)
        {
            todo.extend(below.iter().map(String::as_str));
        }
    }
    reached
}

/// Runs tests once, and gathers what they change.
fn capture(check: &Check<'_>, tests: &[usize], watch: Watch) -> Changes {
    let suite = &check.learned.suite;
    let by_handle: BTreeMap<_, usize> = tests
        .iter()
        .map(|test| (&suite.tests[*test].handle, *test))
        .collect();
    let changes = Mutex::new(Changes::default());
    let hear = |message: ToProgram| {
        let mut found = changes.lock().unwrap_or_else(PoisonError::into_inner);
        match message {
            ToProgram::Changed { by, changes } => match by {
                Author::Test(test) => {
                    if let Some(index) = by_handle.get(&test.handle) {
                        found.by_test.entry(*index).or_default().extend(changes);
                    }
                }
                Author::Class(root) => found.by_class.entry(root).or_default().extend(changes),
            },
            ToProgram::NotWatched { what, reason } => {
                found.not_watched.insert(what, reason);
            }
            _ => {}
        }
    };
    let tools = WorkerTools {
        configuration: Configuration {
            models: Vec::new(),
            user_models: Vec::new(),
            watch: Some(watch),
            ..check.bench.tools.configuration.clone()
        },
        ..check.bench.tools.clone()
    };
    let bench = Bench {
        suite,
        tools: &tools,
        workers: &AtomicU32::new(
            WATCHING
                + check
                    .bench
                    .workers
                    .fetch_add(1000, std::sync::atomic::Ordering::Relaxed),
        ),
        jobs: check.bench.jobs,
        // The same run twice gives the same report.
        repeatable: true,
        timeout: check.bench.timeout,
        hear: &hear,
    };
    let turn = Turn {
        round: 1,
        strategy: None,
        tests: tests.to_vec(),
    };
    bench.run(bench.units(&[turn]), &|_, _| check.progress.step());
    changes.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn report(check: &Check<'_>, first: &Changes, second: &Changes, outcomes: &mut Outcomes) {
    let suite = &check.learned.suite;
    let is_asked = first.all().any(|change| change.kind == StateKind::Heap);
    let launches = suite.launches.iter().filter(|_| is_asked);
    let evidence = uses::read(launches.flat_map(|launch| &launch.class_path));
    for note in evidence.notes {
        outcomes.note(NoteKind::Other, note);
    }
    for (test, changes) in &first.by_test {
        let again = second.by_test.get(test).map(Vec::as_slice).unwrap_or_default();
        for change in changes {
            if !again.iter().any(|other| other.root == change.root) {
                continue;
            }
            let harmless = benign(
                change,
                &Seen {
                    first: first.of_root(&change.root),
                    second: second.of_root(&change.root),
                },
                &evidence.uses,
            );
            let known = &suite.tests[*test];
            let finding = finding(&known.id, change, harmless, false, check.settings.graph);
            let replay = StoredReplay {
                recipe: known.launch,
                tests: vec![known.handle.clone()],
            };
            outcomes.found(finding, replay);
        }
    }
    for (root, changes) in &first.by_class {
        let again = second.by_class.get(root).map(Vec::as_slice).unwrap_or_default();
        // Reported against the class, with its first test standing for where it is.
        let Some(known) = suite.tests.iter().find(|known| known.handle.root == *root) else {
            continue;
        };
        let test = unflake_protocol::TestId {
            test: root.clone(),
            invocation: None,
            ..known.id.clone()
        };
        let mut told = BTreeSet::new();
        for change in changes {
            if !again.iter().any(|other| other.root == change.root) || !told.insert(&change.root) {
                continue;
            }
            let seen = Seen {
                first: first.of_root(&change.root),
                second: second.of_root(&change.root),
            };
            let finding = finding(
                &test,
                change,
                benign(change, &seen, &evidence.uses),
                true,
                check.settings.graph,
            );
            let replay = StoredReplay {
                recipe: known.launch,
                tests: vec![known.handle.clone()],
            };
            outcomes.found(finding, replay);
        }
    }
}

fn finding(
    test: &unflake_protocol::TestId,
    change: &StateChange,
    harmless: Option<String>,
    by_class: bool,
    graph: bool,
) -> Finding {
    let is_file = change.kind == StateKind::File;
    let kind = if is_file {
        FindingKind::FilePolluter
    } else {
        FindingKind::Polluter
    };
    let id = polluter_id(kind, test, &change.root);
    let benign = Benign {
        is: harmless.is_some(),
        why: harmless.unwrap_or_default(),
    };
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
    Finding {
        rule: if is_file { "UF301" } else { "UF201" }.to_owned(),
        test: test.clone(),
        severity: if benign.is {
            Severity::Note
        } else {
            Severity::Warning
        },
        message: format!(
            "leaves `{}` changed: {} → {}",
            change.path,
            text(&change.old),
            text(&change.new)
        ),
        exception: String::new(),
        replay: format!("unflake replay {}", id.as_str()),
        rate: Rate { failed: 0, runs: 0 },
        suppressed: None,
        details: if is_file {
            Details::FilePolluter(FilePollution {
                file: change.root.clone(),
                change: match change.form {
                    ChangeForm::FirstSet => FileChange::Created,
                    ChangeForm::Removed => FileChange::Deleted,
                    _ => FileChange::Changed,
                },
                more: Vec::new(),
                benign,
                proof: Proof::NotRun,
                victims: Vec::new(),
                repair: Repair::default(),
            })
        } else {
            Details::Polluter(Pollution {
                state: change.kind,
                held_by: change.root.clone(),
                path: change.path.clone(),
                old: change.old.clone(),
                new: change.new.clone(),
                more: change.more,
                by_class,
                benign,
                proof: Proof::NotRun,
                victims: Vec::new(),
                graph: if graph { change.around.clone() } else { Vec::new() },
                repair: Repair::default(),
            })
        },
        id,
    }
}

/// The packages of the classes that lie in directories: those are the project's own, libraries come in jars.
fn packages<'a>(class_path: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut found = BTreeSet::new();
    let directories: BTreeSet<&String> = class_path.collect();
    for directory in directories {
        let mut todo = vec![(Path::new(directory).to_owned(), String::new())];
        while let Some((folder, package)) = todo.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if entry.path().is_dir() {
                    let below = if package.is_empty() {
                        name
                    } else {
                        format!("{package}.{name}")
                    };
                    todo.push((entry.path(), below));
                } else if name.ends_with(".class") {
                    found.insert(package.clone());
                }
            }
        }
    }
    found.into_iter().collect()
}
