//! The agent's life: loaded, asleep, awake.

use crate::clock::{self, BusyClock};
use crate::connection::Connection;
use crate::events::{self, Said};
use crate::ffi::{Event, Jni, Jvmti, Object, set_variable};
use crate::heap::{self, Heap, WalkTurn, Walked};
use crate::launch;
use crate::loaded::LoadedClasses;
use crate::options::Options;
use crate::plan;
use crate::runtime::{Runtime, pin_salt};
use crate::session::{Session, leave_evidence};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use unflake_protocol::codes::{LOST, SharedCode};
use unflake_protocol::{
    Blame, Configuration, FRAMEWORKS, JavaVm, LoadProblem, Measured, PROTOCOL_VERSION, Role, RunCommand,
    ToAgent, ToProgram,
};

/// Room for a reference to every loaded class.
const REFERENCES: i32 = 1 << 16;

static AGENT: OnceLock<Agent> = OnceLock::new();

pub(crate) struct Agent {
    jvmti: Jvmti,
    options: Options,
    /// The option string as it was given, by which our word in the environment is found.
    options_text: String,
    /// Started for tests and nothing else: no need to wait for a framework.
    is_test_jvm: bool,
    /// Somebody wakes it, or has; it is tried only once.
    woken: AtomicBool,
    /// There is one while it is awake.
    session: OnceLock<Session>,
    /// After a bug of ours nothing is done any more.
    off: AtomicBool,
    clock: BusyClock,
    loaded: LoadedClasses,
}

impl Agent {
    pub(crate) fn get() -> Option<&'static Agent> {
        AGENT.get()
    }

    /// In `Agent_OnLoad`: no Java can run yet.
    pub(crate) fn load(jvmti: Jvmti, options_text: &str) {
        let options = Options::parse(options_text);
        let is_test_jvm = !options.program && (options.worker.is_some() || launch::is_test_jvm());
        if is_test_jvm && let Ok(value) = std::env::var(launch::VARIABLE) {
            // JVMs that tests start are the tests' own affair. Maven's must pass the variable on.
            set_variable(
                launch::VARIABLE,
                launch::without_us(&value, options_text).as_deref(),
            );
        }
        let agent = Agent {
            jvmti,
            options,
            options_text: options_text.to_owned(),
            is_test_jvm,
            woken: AtomicBool::new(false),
            session: OnceLock::new(),
            off: AtomicBool::new(false),
            clock: BusyClock::default(),
            loaded: LoadedClasses::default(),
        };
        if AGENT.set(agent).is_ok() {
            // Without this event the agent sleeps for ever, and the program says that no JVM woke up.
            let _ = jvmti.enable(Event::VmInit, true);
        }
    }

    pub(crate) fn jvmti(&self) -> Jvmti {
        self.jvmti
    }

    pub(crate) fn vm_started(&self, jni: Jni<'_>) {
        if self.options.program || self.is_test_jvm {
            self.wake(jni, None);
        } else if self.options.socket.is_some() {
            // As above: then it sleeps for ever.
            let _ = self.jvmti.enable(Event::ClassPrepare, true);
        }
    }

    pub(crate) fn vm_ends(&self) {
        if let Some(connection) = self.awake().and_then(|session| session.connection.as_ref()) {
            connection.flush();
        }
    }

    pub(crate) fn class_prepared(&self, jni: Jni<'_>, class: Object) {
        if self.woken.load(Ordering::Relaxed) {
            if let Some(heap) = self.heap() {
                heap.class_prepared(jni, class);
            }
            return;
        }
        if self
            .jvmti
            .class_name(class)
            .is_some_and(|name| FRAMEWORKS.wakes(&name))
        {
            self.wake(jni, Some(class));
        }
    }

    /// Connects, defines the runtime, edits what is loaded. If the program is not there, nothing happens. `framework`
    /// is the class that woke us.
    fn wake(&self, jni: Jni<'_>, framework: Option<Object>) {
        if self.woken.swap(true, Ordering::SeqCst) {
            return;
        }
        // Nothing else is waited for; whatever fails here, the JVM is better off without us.
        let _ = self.jvmti.enable(Event::ClassPrepare, false);
        let java = Agent::java(jni);
        let Some((connection, configuration)) = self.ask_program(&java) else {
            return;
        };
        let feature = java.feature;
        let role = configuration.role;
        let strategy = configuration.strategy;
        let runtime = match Runtime::define(jni, feature) {
            Ok(runtime) => runtime,
            Err(message) => {
                match connection {
                    Some(connection) => connection.send(&ToProgram::Bug { message }),
                    None => leave_evidence(self.options.evidence.as_deref(), "bug.txt", message.as_bytes()),
                }
                return;
            }
        };
        pin_salt(jni, feature);
        let session = Session::new(self.jvmti, connection, runtime, feature, configuration);
        let session = self.session.get_or_init(|| session);
        session.prepare_runtime(jni);
        if let Some(heap) = &session.heap
            && self.jvmti.enable(Event::ClassPrepare, true).is_ok()
        {
            heap.take_loaded(jni);
            session.runtime.watch_heap(jni, heap.watch());
        }
        session.runtime.configure(jni, strategy, session.vary_hashes, &[]);
        if self.jvmti.enable(Event::ClassFileLoadHook, true).is_err() {
            session.tell(&ToProgram::Bug {
                message: "the JVM does not offer the class-file hook".to_owned(),
            });
            return;
        }
        // What waits for the next message is sent at the latest when the JVM ends.
        let _ = self.jvmti.enable(Event::VmDeath, true);
        session.retransform_loaded(jni, framework);
        if role == Role::Program && !self.options.closed {
            session.runtime.open_for_good(jni);
        }
    }

    /// `None`: stay asleep.
    fn ask_program(&self, java: &JavaVm) -> Option<(Option<Connection>, Configuration)> {
        let Some(socket) = &self.options.socket else {
            return Some((None, self.own_configuration()));
        };
        let connection = Connection::open(socket)?;
        connection.send(&ToProgram::Hello {
            protocol: PROTOCOL_VERSION,
            pid: std::process::id(),
            worker: self.options.worker,
            java: java.clone(),
        });
        let ToAgent::Configure(configuration) = connection.receive()? else {
            return None;
        };
        connection.wait_forever();
        Some((Some(connection), *configuration))
    }

    /// For a JVM without a program behind it: benches, and tests of the agent itself.
    fn own_configuration(&self) -> Configuration {
        let names = plan::all_models().into_iter();
        let globs = &self.options.models;
        Configuration {
            role: Role::Program,
            strategy: self.options.strategy,
            models: names
                .filter(|name| {
                    globs.is_empty() || globs.iter().any(|glob| unflake_models::glob_matches(glob, name))
                })
                .collect(),
            user_models: Vec::new(),
            from: Vec::new(),
            skip_from: Vec::new(),
            learn: false,
            allocations: false,
            watch: None,
            measure: false,
            evidence: self.options.evidence.clone(),
        }
    }

    fn java(jni: Jni<'_>) -> JavaVm {
        // JVMTI knows only those properties that the VM itself sets.
        let property = |name| jni.system_property(name).unwrap_or_default();
        let specification = property("java.specification.version");
        let feature = specification.strip_prefix("1.").unwrap_or(&specification);
        JavaVm {
            feature: feature.parse().unwrap_or(8),
            version: property("java.version"),
            home: PathBuf::from(property("java.home")),
        }
    }

    fn awake(&self) -> Option<&Session> {
        if self.off.load(Ordering::Relaxed) {
            None
        } else {
            self.session.get()
        }
    }

    pub(crate) fn class_loads(
        &self,
        jni: Jni<'_>,
        name: &str,
        has_loader: bool,
        is_redefined: bool,
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        if !has_loader {
            self.loaded.boot_class_loads(name);
        }
        self.awake()?
            .class_loads(jni, name, has_loader, is_redefined, bytes)
    }

    /// Which of the JDK's classes named by a `String[]` are loaded, a bit each.
    pub(crate) fn loaded(&self, jni: Jni<'_>, names: Object) -> u64 {
        self.loaded.mask(
            || jni.texts(names).into_iter().flatten().collect(),
            || self.boot_classes(jni),
        )
    }

    fn boot_classes(&self, jni: Jni<'_>) -> Vec<String> {
        let names = jni.with_references(REFERENCES, || {
            let classes = self.jvmti.loaded_classes().unwrap_or_default();
            let mut names = Vec::new();
            for class in classes {
                match self.jvmti.class_loader(class) {
                    Ok(loader) if loader.is_null() => names.extend(self.jvmti.class_name(class)),
                    Ok(loader) => jni.delete_local(loader),
                    Err(_) => {}
                }
                jni.delete_local(class);
            }
            names
        });
        names.unwrap_or_default()
    }

    pub(crate) fn heap(&self) -> Option<&Heap> {
        self.awake()?.heap.as_ref()
    }

    /// Whether the state differs from the last.
    pub(crate) fn walked(
        &self,
        walked: &Walked<'_>,
        by: i32,
        names: Vec<Option<String>>,
        jvm: Option<Vec<Option<String>>>,
    ) -> bool {
        let Some(session) = self.awake() else {
            return false;
        };
        let Some(heap) = &session.heap else {
            return false;
        };
        let by = events::author(by, names).unwrap_or_else(|misunderstood| {
            session.tell(&ToProgram::Bug {
                message: misunderstood.to_string(),
            });
            None
        });
        let (differs, messages) = heap.walked(walked, by.as_ref());
        messages.iter().for_each(|message| session.tell(message));
        heap.news().iter().for_each(|message| session.tell(message));
        match walked.turn {
            WalkTurn::First => {
                let messages = session.around.looked(by, jvm, |root| heap.name_of_root(root));
                messages.iter().for_each(|message| session.tell(message));
            }
            // Nothing ran since the first look.
            WalkTurn::Again => {}
        }
        differs
    }

    pub(crate) fn watch_files(&self, jni: Jni<'_>) {
        if let Some(session) = self.awake()
            && let Some(heap) = &session.heap
        {
            let temporary = jni.system_property("java.io.tmpdir").map(PathBuf::from);
            let messages = session.around.watch_files(heap.watch(), temporary);
            messages.iter().for_each(|message| session.tell(message));
        }
    }

    /// A class could not be loaded before the first test, for one of the reasons that Java numbers.
    pub(crate) fn not_loaded(&self, class: String, problem: i32, detail: String) {
        let Some(session) = self.awake() else { return };
        session.tell(&match LoadProblem::from_code(i64::from(problem)) {
            Ok(problem) => ToProgram::NotLoaded {
                class,
                problem,
                detail,
            },
            Err(unknown) => ToProgram::Bug {
                message: unknown.to_string(),
            },
        });
    }

    /// A walk ended with this exception.
    pub(crate) fn walk_failed(&self, by: i32, names: Vec<Option<String>>, problem: String) {
        let Some(session) = self.awake() else { return };
        // What is said by whom does not matter as much as that it is said.
        let by = events::author(by, names).unwrap_or_default();
        // Of what the tests need for themselves the walk may find too little left.
        let blame = match problem.as_str() {
            "java.lang.OutOfMemoryError" | "java.lang.StackOverflowError" => Blame::Jvm,
            _ => Blame::Unflake,
        };
        session.tell(&ToProgram::NotCompared {
            by,
            reason: format!("reading shared state ended with {problem}"),
            blame,
        });
    }

    pub(crate) fn sampled(&self, root: i32) {
        if let Some(session) = self.awake()
            && let Some(heap) = &session.heap
        {
            session.tell(&heap.sampled(root));
        }
    }

    pub(crate) fn refused(&self, root: i32, problem: &str) {
        if let Some(session) = self.awake()
            && let Some(heap) = &session.heap
        {
            session.tell(&heap.refused(root, problem));
        }
    }

    pub(crate) fn caller_is_project(&self, jni: Jni<'_>) -> bool {
        self.awake().is_some_and(|session| session.caller_is_project(jni))
    }

    pub(crate) fn caller_allowed(&self, jni: Jni<'_>) -> bool {
        self.awake().is_none_or(|session| session.caller_allowed(jni))
    }

    pub(crate) fn event(&self, kind: i32, texts: Vec<Option<String>>, numbers: &[i64]) {
        let Some(session) = self.awake() else { return };
        #[cfg(feature = "faults")]
        if self.options.worker.is_some() {
            crate::faults::strike(session.connection.as_ref());
        }
        match events::decode(kind, texts, numbers, |bit| session.model_name(bit)) {
            Ok(Said::Nothing) => {}
            Ok(Said::Tell(mut message)) => {
                self.clock.stamp(&mut message);
                session.tell_of_run(&message);
            }
            Ok(Said::Recipe(properties, launcher)) => {
                let recipe = launch::recipe(&self.options_text, properties, launcher);
                session.tell(&ToProgram::Recipe(Box::new(recipe)));
            }
            Ok(Said::Bug(message)) => session.tell(&ToProgram::Bug { message }),
            Err(misunderstood) => session.tell(&ToProgram::Bug {
                message: misunderstood.to_string(),
            }),
        }
    }

    /// Waits for what the program wants run: `run`, then framework, root and id of each test. `lost`: the program is gone,
    /// or cannot be heard any more.
    pub(crate) fn next_command(&self, jni: Jni<'_>) -> Option<Object> {
        let session = self.awake()?;
        let Some(message) = session.connection.as_ref()?.receive() else {
            return jni.string_array(&[LOST.to_owned()]);
        };
        match message {
            ToAgent::Run(RunCommand {
                strategy,
                only,
                tests,
                script,
                record,
            }) => {
                let is_single = script.is_some() && tests.len() == 1;
                session.is_single_execution.store(is_single, Ordering::Relaxed);
                session
                    .runtime
                    .configure(jni, strategy, session.vary_hashes, &only);
                session.runtime.set_script(jni, strategy, script, &record);
                if let Some(heap) = &session.heap {
                    heap.tests(tests.iter().map(|test| test.root.clone()));
                }
                let mut words = vec!["run".to_owned()];
                for test in tests {
                    words.extend([test.framework.wire_name().to_owned(), test.root, test.id]);
                }
                jni.string_array(&words)
            }
            ToAgent::Exit | ToAgent::Configure(_) => None,
        }
    }

    fn measured(&self, jni: Jni<'_>, session: &Session) -> Measured {
        let (busy_nanos, peak_memory) = (clock::processor_time(), clock::peak_memory());
        let static_fields = jni.with_references(REFERENCES, || {
            let classes = self.jvmti.loaded_classes().unwrap_or_default();
            let fields = classes
                .into_iter()
                .map(|class| heap::count_statics(self.jvmti, class));
            fields.sum()
        });
        Measured {
            busy_nanos,
            peak_memory,
            static_fields: static_fields.unwrap_or(0),
            heap: session.heap.as_ref().map(Heap::measured),
        }
    }

    pub(crate) fn run_finished(&self, jni: Jni<'_>) {
        if let Some(session) = self.awake() {
            session.runtime.finish_script(jni);
            if session.measure {
                session.tell(&ToProgram::Measured(Box::new(self.measured(jni, session))));
            }
            session.tell(&ToProgram::RunFinished);
        }
    }
}

/// Something of ours panicked: say so once, then do nothing any more.
pub(crate) fn bug(message: &str) {
    let Some(agent) = Agent::get() else { return };
    if let Some(session) = agent.awake() {
        session.tell(&ToProgram::Bug {
            message: message.to_owned(),
        });
    }
    agent.off.store(true, Ordering::SeqCst);
}
