//! An agent that is awake: what it was told to do, what it edits, what it knows.

use crate::around::Around;
use crate::callers::{Filters, Owner, Seen, owner};
use crate::connection::Connection;
use crate::ffi::{Jni, Jvmti, MethodId, Object};
use crate::heap::Heap;
use crate::plan::{self, Plan, Planned};
use crate::runtime::{Runtime, SALTED};
use crate::user::UserModels;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use unflake_bytecode::ClassFile;
use unflake_models::MODELS;
use unflake_protocol::{Configuration, FRAMEWORKS, Gap, ToProgram};

pub(crate) struct Session {
    jvmti: Jvmti,
    pub(crate) connection: Option<Connection>,
    pub(crate) runtime: Runtime,
    pub(crate) learn: bool,
    /// Whether to be ready to say where collections are made.
    allocations: bool,
    /// Whether the model of identity hashes is on.
    pub(crate) vary_hashes: bool,
    /// What tests leave behind, if that is looked at.
    pub(crate) heap: Option<Heap>,
    pub(crate) measure: bool,
    /// The JVM and the files around it.
    pub(crate) around: Around,
    plan: Plan,
    user: UserModels,
    filters: Filters,
    evidence: Option<PathBuf>,
    owners: Seen<MethodId, Owner>,
    allowed: Seen<MethodId, Option<bool>>,
    /// Classes that the JVM refused with our edits: they are left alone from then on.
    refused: Mutex<BTreeSet<String>>,
    /// Methods that were said to be left as they are, and why.
    told: Mutex<BTreeSet<(String, String)>>,
    /// Classes that were loaded before we woke up pass through the hook: they are news all the same.
    catching_up: AtomicBool,
    /// The run is one test with a script: its end tells everything, also if it is the JVM's.
    pub(crate) is_single_execution: AtomicBool,
    /// While classes are retransformed one by one, what was made of them.
    kept: Mutex<Option<BTreeMap<String, Vec<u8>>>>,
}

impl Session {
    pub(crate) fn new(
        jvmti: Jvmti,
        connection: Option<Connection>,
        runtime: Runtime,
        feature: u8,
        configuration: Configuration,
    ) -> Session {
        let models: BTreeSet<&str> = configuration.models.iter().map(String::as_str).collect();
        let (plan, without_helper) = Plan::new(feature, &models, &FRAMEWORKS);
        // The program has looked at the patterns before; what is wrong with them here is told, and nothing is watched.
        let heap = configuration
            .watch
            .map(|watch| Heap::new(jvmti, watch))
            .transpose();
        let (heap, wrong_pattern) = match heap {
            Ok(heap) => (heap, None),
            Err(pattern) => (None, Some(pattern)),
        };
        let session = Session {
            jvmti,
            connection,
            runtime,
            learn: configuration.learn,
            allocations: configuration.allocations,
            vary_hashes: models.contains("Object.hashCode"),
            heap,
            measure: configuration.measure,
            around: Around::default(),
            plan,
            user: UserModels::new(configuration.user_models),
            filters: Filters {
                from: configuration.from,
                skip_from: configuration.skip_from,
                ..Filters::default()
            },
            evidence: configuration.evidence,
            owners: Seen::new(),
            allowed: Seen::new(),
            refused: Mutex::default(),
            kept: Mutex::default(),
            told: Mutex::default(),
            catching_up: AtomicBool::new(false),
            is_single_execution: AtomicBool::new(false),
        };
        if let Some(reason) = wrong_pattern {
            session.tell(&ToProgram::NotWatched {
                what: "the heap".to_owned(),
                reason,
                gap: Gap::Lost,
            });
        }
        for road in without_helper {
            let method = format!("{}.{}", road.class.replace('/', "."), road.method);
            let reason = "the runtime has no such helper".to_owned();
            session.tell(&ToProgram::NotApplied { method, reason });
        }
        session
    }

    /// What is set in the runtime once, before the first choice.
    pub(crate) fn prepare_runtime(&self, jni: Jni<'_>) {
        if self.learn {
            self.runtime.set_learning(jni);
        }
        if self.filters.any() {
            self.runtime.set_filtered(jni);
        }
        self.user.prepare_runtime(&self.runtime, jni);
    }

    pub(crate) fn tell(&self, message: &ToProgram) {
        match (&self.connection, message) {
            (Some(connection), _) => connection.send(message),
            (None, ToProgram::NotApplied { method, reason }) => {
                let line = format!("{method}\t{reason}\n");
                leave_evidence(self.evidence.as_deref(), "not-applied.txt", line.as_bytes());
            }
            (None, ToProgram::Bug { message }) => {
                leave_evidence(self.evidence.as_deref(), "bug.txt", message.as_bytes());
            }
            _ => {}
        }
    }

    /// Tells what happens in a run, together with other messages where that is early enough: each time that the program
    /// wakes up to read costs a good part of what a small test takes.
    pub(crate) fn tell_of_run(&self, message: &ToProgram) {
        let can_wait = can_wait(message, self.is_single_execution.load(Ordering::Relaxed));
        match &self.connection {
            Some(connection) if can_wait => connection.queue(message),
            _ => self.tell(message),
        }
    }

    /// Says it once, however often the JVM asks for the class.
    fn tell_not_applied(&self, methods: Vec<(String, String)>) {
        for (method, reason) in methods {
            let is_new = {
                let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
                told.insert((method.clone(), reason.clone()))
            };
            if is_new {
                self.tell(&ToProgram::NotApplied { method, reason });
            }
        }
    }

    pub(crate) fn model_name(&self, bit: usize) -> Option<String> {
        match bit.checked_sub(MODELS.len()) {
            None => Some(MODELS[bit].name.to_owned()),
            Some(user) => self.user.name(user),
        }
    }

    /// Edits all classes that were loaded before the hook was on, in one call; if the JVM refuses that, one by one.
    /// Test classes may be among them: build tools look for tests before the framework starts. They have the loader of
    /// the framework that woke us, or one above it.
    pub(crate) fn retransform_loaded(&self, jni: Jni<'_>, framework: Option<Object>) {
        // JVMTI gives a reference to every loaded class; Maven's own JVM has some ten thousand.
        const MOST: i32 = 1 << 16;
        let done = jni.with_references(MOST, || {
            let mut loaders = Vec::new();
            let mut next = framework.and_then(|class| self.jvmti.class_loader(class).ok());
            while let Some(loader) = next.filter(|loader| !loader.is_null()) {
                loaders.push(loader);
                next = jni.parent_loader(loader);
            }
            let is_of_tests = |class: Object, name: &str| {
                owner(&FRAMEWORKS, name, "") == Owner::Project
                    && self.jvmti.class_loader(class).is_ok_and(|loader| {
                        let found = loaders.iter().any(|known| jni.is_same(loader, *known));
                        jni.delete_local(loader);
                        found
                    })
            };
            let loaded = self.jvmti.loaded_classes().unwrap_or_default();
            let ours: Vec<(Object, String)> = loaded
                .into_iter()
                .filter_map(|class| Some((class, self.jvmti.class_name(class)?)))
                .filter(|(class, name)| self.is_planned(name) || is_of_tests(*class, name))
                .filter(|(class, _)| self.jvmti.is_modifiable(*class))
                .collect();
            self.catching_up.store(true, Ordering::SeqCst);
            self.retransform(&ours);
            self.catching_up.store(false, Ordering::SeqCst);
        });
        if done.is_none() {
            self.tell(&ToProgram::Bug {
                message: "no room for references to the loaded classes".to_owned(),
            });
        }
    }

    fn retransform(&self, named: &[(Object, String)]) {
        let classes: Vec<Object> = named.iter().map(|(class, _)| *class).collect();
        if classes.is_empty() || self.jvmti.retransform(&classes).is_ok() {
            return;
        }
        *self.lock_kept() = Some(BTreeMap::new());
        for (class, name) in named {
            if let Err(code) = self.jvmti.retransform(&[*class]) {
                self.refuse(name, code);
            }
        }
        *self.lock_kept() = None;
    }

    /// Whether a loaded class has to be retransformed. For the classes that read the salt of `Set.of` this has another
    /// reason: the compiler may have taken the old salt for a constant, and throws code of retransformed classes away.
    /// (Seen on 17 without class data sharing: one run in two.)
    fn is_planned(&self, class: &str) -> bool {
        !self.plan.of(class).is_empty()
            || self.allocations && plan::is_collection(class)
            || self.user.names_class(class)
            || class.starts_with(SALTED)
    }

    fn refuse(&self, class: &str, code: i32) {
        let edited = self.lock_kept().as_mut().and_then(|kept| kept.remove(class));
        if let Some(bytes) = edited {
            let file = format!("{}.class", class.replace('/', "."));
            leave_evidence(self.evidence.as_deref(), &file, &bytes);
        }
        self.refused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(class.to_owned());
        let reason = format!("the JVM refuses the edited class (JVMTI error {code})");
        self.tell(&ToProgram::NotApplied {
            method: class.replace('/', "."),
            reason,
        });
    }

    fn lock_kept(&self) -> std::sync::MutexGuard<'_, Option<BTreeMap<String, Vec<u8>>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The class-file hook. `None`: the class stays as it is.
    pub(crate) fn class_loads(
        &self,
        jni: Jni<'_>,
        name: &str,
        has_loader: bool,
        is_redefined: bool,
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        let fixed = self.plan.of(name);
        let is_project =
            has_loader && owner(&FRAMEWORKS, name, "") == Owner::Project || self.user.names_class(name);
        let is_watched = self.allocations && !has_loader && plan::is_collection(name);
        let is_test_class = self.heap.as_ref().is_some_and(|heap| heap.is_test_class(name));
        if fixed.is_empty() && !is_project && !is_watched {
            return None;
        }
        if self
            .refused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(name)
        {
            return None;
        }
        if fixed.is_empty()
            && !is_watched
            && !is_test_class
            && !self.learn
            && !self.user.may_be_in(name, bytes)
        {
            return None;
        }
        let class = ClassFile::parse(bytes).ok()?;
        let mut planned = fixed.to_vec();
        if is_watched {
            planned.extend(plan::watch_constructors(&class));
        }
        if is_test_class {
            planned.push(plan::watch_test_class(name));
        }
        if is_project {
            self.look_at_project_class(jni, &class, name, is_redefined, bytes, &mut planned);
        }
        let edited = plan::apply(&class, &planned);
        self.tell_not_applied(edited.not_applied);
        if let (Some(kept), Some(bytes)) = (self.lock_kept().as_mut(), &edited.bytes) {
            kept.insert(name.to_owned(), bytes.clone());
        }
        edited.bytes
    }

    fn look_at_project_class(
        &self,
        jni: Jni<'_>,
        class: &ClassFile<'_>,
        name: &str,
        is_redefined: bool,
        bytes: &[u8],
        planned: &mut Vec<Planned>,
    ) {
        if self.learn {
            planned.extend(plan::watch_initialiser(name));
            let is_news = !is_redefined || self.catching_up.load(Ordering::SeqCst);
            if let (Some(connection), true) = (&self.connection, is_news) {
                connection.queue(&class_loaded(class, name));
            }
        }
        if self.user.may_be_in(name, bytes) {
            let (edits, not_applied) = self.user.edits(&self.runtime, jni, class, name);
            planned.extend(edits);
            self.tell_not_applied(not_applied);
            let meant = crate::user::meant_orders(class, name);
            if !meant.is_empty() {
                self.filters
                    .meant
                    .write()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend(meant);
                self.allowed.forget();
                self.runtime.set_filtered(jni);
            }
        }
    }

    /// Whether the innermost caller that decides is the project.
    pub(crate) fn caller_is_project(&self, jni: Jni<'_>) -> bool {
        self.innermost(jni, |session, method| match session.owner_of(jni, method) {
            Owner::Jdk | Owner::Assertion => None,
            Owner::Framework | Owner::Internal => Some(false),
            Owner::Project => Some(true),
        })
        .unwrap_or(false)
    }

    pub(crate) fn caller_allowed(&self, jni: Jni<'_>) -> bool {
        let look = |session: &Session, method| {
            session.allowed.get(method, || {
                let (class, name) = session.jvmti.method_name(jni, method)?;
                let is_caller = !matches!(owner(&FRAMEWORKS, &class, &name), Owner::Jdk | Owner::Internal);
                is_caller.then(|| session.filters.allow(&class.replace('/', "."), &name))
            })
        };
        self.innermost(jni, look).unwrap_or(true)
    }

    fn owner_of(&self, jni: Jni<'_>, method: MethodId) -> Owner {
        self.owners.get(method, || {
            self.jvmti
                .method_name(jni, method)
                .map_or(Owner::Jdk, |(class, name)| owner(&FRAMEWORKS, &class, &name))
        })
    }

    /// The first answer that a frame of the current thread gives, the innermost first.
    fn innermost<T>(&self, _jni: Jni<'_>, look: impl Fn(&Session, MethodId) -> Option<T>) -> Option<T> {
        let mut frames = Vec::new();
        let mut from = 0;
        loop {
            self.jvmti.stack(from, &mut frames);
            if frames.is_empty() {
                return None;
            }
            if let Some(answer) = frames.iter().find_map(|&method| look(self, method)) {
                return Some(answer);
            }
            from += frames.len();
        }
    }
}

/// Whether the program may hear of this together with what comes next.
fn can_wait(message: &ToProgram, is_single_execution: bool) -> bool {
    match message {
        // Should the JVM die or hang now, the program has to know in which test, or in which class's set-up.
        ToProgram::TestStarted(_) | ToProgram::TestFinished { .. } | ToProgram::ContainerStarted { .. } => {
            is_single_execution
        }
        ToProgram::ContainerFinished { .. } | ToProgram::Choices(_) | ToProgram::Evidence(_) => true,
        _ => false,
    }
}

/// Appends to a file in the folder for evidence, if there is one.
pub(crate) fn leave_evidence(folder: Option<&Path>, file: &str, bytes: &[u8]) {
    let Some(folder) = folder else { return };
    let opened = fs::create_dir_all(folder).and_then(|()| {
        fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join(file))
    });
    // Evidence is for people who look into a bug; a full disk must not make a second one.
    let _ = opened.and_then(|mut file| file.write_all(bytes));
}

fn class_loaded(class: &ClassFile<'_>, name: &str) -> ToProgram {
    let refers_to = class
        .class_references()
        .into_iter()
        .filter(|other| other != name && owner(&FRAMEWORKS, other, "") == Owner::Project)
        .map(|other| other.replace('/', "."))
        .collect();
    ToProgram::ClassLoaded {
        class: name.replace('/', "."),
        refers_to,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_protocol::ScopeChoices;

    #[test]
    fn the_program_knows_at_once_which_class_is_being_set_up() {
        let root = || "a.B".to_owned();
        let started = ToProgram::ContainerStarted { root: root() };
        let finished = ToProgram::ContainerFinished {
            root: root(),
            choices: ScopeChoices::default(),
            failure: None,
        };
        // One test that is explored is all that its JVM runs.
        assert_eq!(
            [false, true].map(|single| can_wait(&started, single)),
            [false, true]
        );
        assert_eq!(
            [false, true].map(|single| can_wait(&finished, single)),
            [true, true]
        );
    }
}
