//! A second build tool: nothing but its own description is needed to drive it.
//!
//! It differs from Maven wherever Gradle does: two build files, a script that every run needs, an option against the
//! results of an earlier run, one option per selected class, errors in a paragraph, the class path in another place.
//! Its program is a shell script that runs the build file; where the build starts a test JVM, a thread of the test
//! speaks for its agent.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: what cannot go on fails the test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use unflake_project::{
    Build, BuildError, BuildRequest, BuildRun, BuildTool, During, HowLost, LeftOut, Silence, TOOLS,
    ToolFacts, Tools,
};
use unflake_protocol::{
    Configuration, Framework, Handle, JavaVm, Outcome, PROTOCOL_VERSION, Recipe, Role, ScopeChoices,
    SeenTest, ToAgent, ToProgram, read_message, write_message,
};
use unflake_runner::{Cancel, Children, command};

#[derive(Debug)]
struct Fake;

const FACTS: ToolFacts = ToolFacts {
    name: "Fake",
    build_files: &["fake.build", "fake.build.kts"],
    wrapper: "fakew",
    program: "fake",
    install_hint: "install Fake",
    test_command: "fake check",
    compile_command: "fake compile",
    agent_variable: "JAVA_TOOL_OPTIONS",
    no_tests_hint: "see what `fake check` says",
    reports: &["out/reports"],
    caches: &[],
    own_properties: &["fake.worker"],
    own_options: &[],
};

impl BuildTool for Fake {
    fn facts(&self) -> &'static ToolFacts {
        &FACTS
    }

    fn prepare(&self, command: &mut Command, _: &[String], scratch: &Path) -> io::Result<()> {
        let script = scratch.join("init.fake");
        fs::write(&script, "forward JAVA_TOOL_OPTIONS\n")?;
        command
            .arg("--init")
            .arg(script)
            .args(["--rerun", "--continue", "check"]);
        Ok(())
    }

    fn compile(&self, command: &mut Command, _scratch: &Path) -> io::Result<()> {
        command.arg("compile");
        Ok(())
    }

    fn select(&self, classes: &[String]) -> Vec<String> {
        let option = |class: &String| ["--tests".to_owned(), class.clone()];
        classes.iter().flat_map(option).collect()
    }

    fn leave_out(&self, arguments: &[String], left_out: &LeftOut, _: &Path) -> io::Result<Vec<Vec<String>>> {
        let names = left_out.classes.iter().cloned();
        let names = names.chain(
            left_out
                .tests
                .iter()
                .map(|(class, method)| format!("{class}.{method}")),
        );
        let option = |name: String| ["--without".to_owned(), name];
        Ok(vec![
            arguments.iter().cloned().chain(names.flat_map(option)).collect(),
        ])
    }

    fn is_test_class(&self, class: &str) -> bool {
        class.ends_with("Test")
    }

    fn has_lost_jvm(&self, output: &str) -> bool {
        output.contains("test process ended")
    }

    fn exit_status(&self, output: &str, _class: &str) -> Option<i32> {
        let (_, status) = output.split_once("test process ended with ")?;
        status.lines().next()?.parse().ok()
    }

    fn only_tests_failed(&self, output: &str) -> bool {
        output.contains("There were failing tests")
    }

    fn has_reported_tests(&self, output: &str) -> bool {
        output.contains("tests completed")
    }

    fn errors<'o>(&self, output: &'o str) -> Vec<&'o str> {
        let lines = output.lines().skip_while(|line| *line != "* What went wrong:");
        lines.skip(1).take_while(|line| !line.is_empty()).collect()
    }

    fn needs_jdk(&self, output: &str) -> bool {
        output.contains("does not provide JAVA_COMPILER")
    }

    fn module_directory(&self, recipe: &Recipe) -> PathBuf {
        recipe.directory.clone()
    }

    fn class_path(&self, recipe: &Recipe) -> Option<String> {
        recipe.environment.get("FAKE_CLASS_PATH").cloned()
    }

    fn is_test_classes(&self, directory: &Path) -> bool {
        directory.ends_with("out/test")
    }

    fn version(&self, output: &str) -> Option<String> {
        output
            .lines()
            .find(|line| line.starts_with("Fake "))
            .map(str::to_owned)
    }

    fn modules(&self, project: &Path) -> Vec<String> {
        let text = fs::read_to_string(project.join("fake.settings")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

/// The registry with one more row.
const WITH_FAKE: Tools = Tools(&[TOOLS.0[0], &Fake]);

/// A project whose build file is `script`, and a directory for the run.
struct Project {
    root: tempfile::TempDir,
}

impl Project {
    fn new(script: &str) -> Project {
        let root = tempfile::tempdir().unwrap();
        let project = Project { root };
        fs::create_dir_all(project.directory()).unwrap();
        fs::create_dir_all(project.scratch()).unwrap();
        project.file("fake.build", script);
        project.program("project/fakew");
        project
    }

    fn directory(&self) -> PathBuf {
        self.root.path().join("project")
    }

    fn scratch(&self) -> PathBuf {
        self.root.path().join("scratch")
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.directory().join(name), text).unwrap();
    }

    fn program(&self, path: &str) {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // A file that was written just now cannot be run while another thread forks.
        symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fakew"), path).unwrap();
    }

    fn find(&self) -> Build {
        WITH_FAKE.find(&self.directory(), None).unwrap()
    }

    fn run(&self, classes: &[&str], limits: Limits) -> Result<BuildRun, BuildError> {
        self.request(classes, limits, |request| request.run(|_| {}))
    }

    fn request<R>(&self, classes: &[&str], limits: Limits, run: impl FnOnce(&BuildRequest<'_>) -> R) -> R {
        let build = self.find();
        let classes: Vec<String> = classes.iter().map(|class| (*class).to_owned()).collect();
        let mut arguments = build.tool.select(&classes);
        arguments.push("--offline".to_owned());
        let request = BuildRequest {
            build: &build,
            agent: Path::new("/agent.so"),
            configuration: &configuration(),
            arguments: &arguments,
            java_home: None,
            scratch: &self.scratch(),
            until: limits.until,
            silence: limits.silence,
            children: &Children::default(),
            cancel: &limits.cancel,
        };
        run(&request)
    }
}

struct Limits {
    until: Option<Instant>,
    silence: Silence,
    cancel: Cancel,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            until: None,
            silence: Silence {
                least: Duration::from_secs(600),
                times: 20,
            },
            cancel: Cancel::default(),
        }
    }
}

fn configuration() -> Configuration {
    Configuration {
        role: Role::Build,
        strategy: None,
        models: Vec::new(),
        user_models: Vec::new(),
        from: Vec::new(),
        skip_from: Vec::new(),
        learn: true,
        allocations: false,
        watch: None,
        measure: false,
        evidence: None,
    }
}

#[test]
fn a_build_is_found_by_any_of_its_files() {
    let project = Project::new("");
    for file in FACTS.build_files {
        fs::remove_file(project.directory().join("fake.build")).unwrap_or_default();
        project.file(file, "");
        let build = project.find();
        assert_eq!(build.tool.facts().name, "Fake");
        assert_eq!(build.file().unwrap().file_name(), Some(OsStr::new(file)));
        assert!(build.program.ends_with("project/fakew"));
    }
    // The first tool of the registry drives what both could drive; it is not installed here.
    project.file("pom.xml", "<project/>");
    let error = WITH_FAKE.find(&project.directory(), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Maven was not found: there is no `mvn` on the PATH and no `mvnw` in the project"
    );
}

#[test]
fn the_program_on_the_path_is_taken_if_there_is_no_wrapper() {
    let project = Project::new("");
    fs::remove_file(project.directory().join("fakew")).unwrap();
    let path =
        std::env::join_paths([project.root.path().join("none"), project.root.path().join("bin")]).unwrap();
    let error = WITH_FAKE.find(&project.directory(), Some(&path)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Fake was not found: there is no `fake` on the PATH and no `fakew` in the project"
    );
    assert_eq!(error.hint(), "install Fake");
    project.program("bin/fake");
    let build = WITH_FAKE.find(&project.directory(), Some(&path)).unwrap();
    assert_eq!(build.program, project.root.path().join("bin/fake"));
}

#[test]
fn what_is_missing_is_said_for_all_tools() {
    let project = Project::new("");
    let shown = project.root.path().canonicalize().unwrap().display().to_string();
    let error = WITH_FAKE.find(project.root.path(), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`{shown}` is not a project: there is no pom.xml or fake.build in it")
    );
    assert_eq!(
        error.hint(),
        "go to the directory with the project's pom.xml or fake.build, or name it with `-C DIR`"
    );
    fs::create_dir(project.directory().join("src")).unwrap();
    let error = WITH_FAKE
        .find(&project.directory().join("src"), None)
        .unwrap_err();
    assert_eq!(error.hint(), format!("try `unflake check -C {shown}/project`"));
    fs::write(project.root.path().join("build.sbt"), "").unwrap();
    let error = WITH_FAKE.find(project.root.path(), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`{shown}` is built with `build.sbt`; unflake drives Maven and Fake builds only")
    );
}

#[test]
fn the_tool_is_called_in_its_own_words() {
    let project =
        Project::new("echo \"$@\" >arguments; echo \"$JAVA_TOOL_OPTIONS\" >options; cat \"$2\" >script");
    let run = project
        .run(&["a.OrderTest", "Other*"], Limits::default())
        .unwrap();
    assert!(run.jvms.is_empty() && !run.has_reported_tests);
    let read = |name: &str| fs::read_to_string(project.directory().join(name)).unwrap();
    let scratch = project.scratch().display().to_string();
    assert_eq!(
        read("arguments"),
        format!(
            "--init {scratch}/init.fake --rerun --continue check --tests a.OrderTest --tests Other* --offline\n"
        )
    );
    assert!(read("options").ends_with(&format!("-agentpath:/agent.so={scratch}/build.sock\n")));
    assert_eq!(read("script"), "forward JAVA_TOOL_OPTIONS\n");
}

#[test]
fn failing_tests_do_not_fail_the_build() {
    let project =
        Project::new("echo '2 tests completed, 1 failed'; echo 'There were failing tests.'; exit 1");
    let run = project.run(&[], Limits::default()).unwrap();
    assert!(run.has_reported_tests);
}

#[test]
fn a_failing_build_says_what_the_tool_says_of_it() {
    let project = Project::new(
        "echo 'starting'; echo '* What went wrong:'; echo 'no such task'; echo; echo '* Try:'; exit 3",
    );
    match project.run(&[], Limits::default()) {
        Err(BuildError::Failed {
            command,
            status,
            output,
        }) => {
            assert!(command.starts_with("fakew --init "), "{command}");
            assert_eq!(
                (status.as_str(), output.as_str()),
                ("exit status: 3", "no such task")
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_build_is_ended_when_its_time_is_up_or_the_user_has_had_enough() {
    let project = Project::new("exec sleep 60");
    let late = Limits {
        until: Some(Instant::now()),
        ..Limits::default()
    };
    match project.run(&[], late) {
        Err(BuildError::TimedOut { command, after, .. }) => {
            assert!(command.starts_with("fakew --init "), "{command}");
            assert!(after.as_secs() < 60);
        }
        other => panic!("{other:?}"),
    }
    let cancelled = Limits::default();
    cancelled.cancel.cancel();
    let end = project.run(&[], cancelled);
    assert!(matches!(end, Err(BuildError::Cancelled { .. })), "{end:?}");
}

#[test]
fn classes_that_a_test_has_deleted_are_compiled_again() {
    let project = Project::new("echo \"$@\" >arguments; mkdir classes || { echo broken; exit 1; }");
    let here = BTreeSet::from([project.directory().join("classes")]);
    let restored = || project.request(&[], Limits::default(), |request| request.restore(&here));
    assert!(restored().unwrap());
    let arguments = fs::read_to_string(project.directory().join("arguments")).unwrap();
    assert_eq!(arguments, "compile --offline\n");
    // As long as they are there, nothing runs.
    fs::remove_file(project.directory().join("arguments")).unwrap();
    assert!(!restored().unwrap());
    assert!(!project.directory().join("arguments").exists());
    // A build that cannot compile them says why.
    let elsewhere = BTreeSet::from([project.directory().join("elsewhere")]);
    let failed = project.request(&[], Limits::default(), |request| request.restore(&elsewhere));
    match failed {
        Err(BuildError::Failed { command, output, .. }) => {
            assert_eq!(command, "fakew compile --offline");
            assert!(output.ends_with("\nbroken"), "{output}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn test_jvms_are_heard_and_can_be_started_again() {
    // The build waits for its test JVM: `up` says that the JVM may begin, `down` that it has ended.
    let project = Project::new("echo >up; read end <down; echo '1 tests completed'");
    let made = command("mkfifo", &project.directory())
        .args(["up", "down"])
        .status()
        .unwrap();
    assert!(made.success());
    let (directory, socket) = (project.directory(), project.scratch().join("build.sock"));
    let agent = std::thread::spawn(move || {
        fs::read(directory.join("up")).unwrap();
        let configured = speak(&socket, &directory.join("core"));
        fs::write(directory.join("down"), "\n").unwrap();
        configured
    });
    let run = project.run(&[], Limits::default()).unwrap();
    assert_eq!(
        agent.join().unwrap(),
        ToAgent::Configure(Box::new(configuration()))
    );
    let [jvm] = &run.jvms[..] else {
        panic!("{:?}", run.jvms)
    };
    assert_eq!((jvm.module.as_str(), jvm.tests.len()), ("core", 1));
    let recipe = jvm.recipe.as_ref().unwrap();
    assert_eq!(recipe.tool.facts().name, "Fake");
    let launch = recipe.launch().unwrap();
    assert_eq!(launch.options, ["-ea"]);
    assert_eq!(launch.class_path, ["/p/out/test", "/p/lib.jar"]);
    assert!(recipe.tool.is_test_classes(Path::new(&launch.class_path[0])));
    assert_eq!(launch.properties.keys().collect::<Vec<_>>(), ["user.language"]);
}

#[test]
fn a_test_that_is_silent_for_too_long_loses_its_jvm_and_nothing_else() {
    // What stands for the test JVM is a process of the build, which sees it end.
    let project = Project::new(
        "sleep 60 & echo $! >pid; echo >up; wait $!; echo \"test process ended with $?\"; exit 1",
    );
    let made = command("mkfifo", &project.directory()).arg("up").status();
    assert!(made.unwrap().success());
    let (directory, socket) = (project.directory(), project.scratch().join("build.sock"));
    let agent = std::thread::spawn(move || {
        fs::read(directory.join("up")).unwrap();
        let pid = fs::read_to_string(directory.join("pid")).unwrap();
        let mut stream = UnixStream::connect(socket).unwrap();
        let root = "a.OrderTest".to_owned();
        for message in [
            hello(pid.trim().parse().unwrap()),
            ToProgram::ContainerStarted { root },
            ToProgram::TestStarted(seen()),
        ] {
            write_message(&mut stream, &message).unwrap();
        }
        // Its agent hangs up when it ends.
        let process = Path::new("/proc").join(pid.trim());
        while process.exists() {
            std::thread::yield_now();
        }
    });
    let silence = Silence {
        least: Duration::from_millis(200),
        times: 20,
    };
    let limits = Limits {
        silence,
        ..Limits::default()
    };
    let run = project.run(&[], limits).unwrap();
    agent.join().unwrap();
    let [lost] = &run.lost[..] else {
        panic!("{:?}", run.lost)
    };
    assert_eq!(lost.during, During::Tests(vec![seen()]));
    assert_eq!(lost.how, HowLost::Hung(silence.least));
    assert_eq!(
        silence.after(Duration::from_millis(20)),
        Duration::from_millis(400)
    );
}

fn hello(pid: u32) -> ToProgram {
    ToProgram::Hello {
        protocol: PROTOCOL_VERSION,
        pid,
        worker: None,
        java: JavaVm {
            feature: 17,
            version: "17.0.15".to_owned(),
            home: "/jdk".into(),
        },
    }
}

fn seen() -> SeenTest {
    SeenTest {
        handle: Handle {
            framework: Framework::Platform,
            root: "a.OrderTest".to_owned(),
            id: "x".to_owned(),
        },
        class: "a.OrderTest".to_owned(),
        method: "x".to_owned(),
        invocation: None,
    }
}

/// Says what an agent says in a JVM that runs one test, and gives back what it was told.
fn speak(socket: &Path, module: &Path) -> ToAgent {
    let mut stream = UnixStream::connect(socket).unwrap();
    write_message(&mut stream, &hello(1)).unwrap();
    let configured: ToAgent = read_message(&mut stream).unwrap().unwrap();
    let map = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    };
    let recipe = Recipe {
        java: "/jdk/bin/java".into(),
        arguments: ["-ea", "-cp", "/worker.jar", "fake.Worker", "7"]
            .map(str::to_owned)
            .to_vec(),
        argument_files: BTreeMap::new(),
        directory: module.canonicalize().unwrap_or_else(|_| module.to_owned()),
        environment: map(&[("FAKE_CLASS_PATH", "/p/out/test:/p/lib.jar")]),
        properties: map(&[("fake.worker", "7"), ("user.language", "en")]),
        launcher: Vec::new(),
    };
    let test = seen();
    for message in [
        ToProgram::Recipe(Box::new(recipe)),
        ToProgram::TestStarted(test.clone()),
        ToProgram::TestFinished {
            test,
            outcome: Outcome::Passed,
            choices: ScopeChoices::default(),
            nanos: 1,
            busy_nanos: 1,
        },
    ] {
        write_message(&mut stream, &message).unwrap();
    }
    configured
}

#[test]
fn what_the_doctor_says_comes_from_the_tool() {
    let project = Project::new("");
    project.file("fake.settings", "core\napp\n");
    let build = project.find();
    assert_eq!(build.tool.modules(&build.directory), ["core", "app"]);
    assert_eq!(
        build.tool.version("\nFake 4.4.1\nJVM: 17").as_deref(),
        Some("Fake 4.4.1")
    );
    assert!(build.tool.needs_jdk("JRE does not provide JAVA_COMPILER"));
}

#[test]
fn tools_are_found_by_their_names() {
    assert_eq!(WITH_FAKE.names().collect::<Vec<_>>(), ["Maven", "Fake"]);
    assert_eq!(WITH_FAKE.named("Fake").unwrap().facts().program, "fake");
    assert!(WITH_FAKE.named("Bazel").is_none() && TOOLS.named("Fake").is_none());
}
