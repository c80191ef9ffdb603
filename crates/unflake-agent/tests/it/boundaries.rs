//! Containers and tests of every framework, as the program hears of them.

use crate::jvm::{Folder, Jdk, assert_no_complaint, java, jdks, join};
use crate::program::{Program, configuration};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use unflake_protocol::{Configuration, Outcome, Role, ToProgram};

/// The frameworks' jars, fetched once by Maven.
pub(crate) fn jars() -> Vec<PathBuf> {
    static JARS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    JARS.get_or_init(|| {
        let pom = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/frameworks.xml");
        fetched(
            "frameworks",
            &["dependency:copy-dependencies", "-f", &pom.display().to_string()],
        )
    })
    .clone()
}

/// A JUnit that makes the test's instance before it says that the test starts.
fn old_junit() -> Vec<PathBuf> {
    static JARS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    JARS.get_or_init(|| fetched("old-junit", &["dependency:copy", "-Dartifact=junit:junit:4.8.2"]))
        .clone()
}

fn fetched(folder: &str, goal: &[&str]) -> Vec<PathBuf> {
    let to = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let run = java(Path::new("mvn"))
        .args(["-q", "-B"])
        .args(goal)
        .arg(format!("-DoutputDirectory={}", to.display()))
        .output()
        .expect("Maven, to fetch the test frameworks");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
    let mut jars: Vec<PathBuf> = fs::read_dir(&to)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    jars.sort();
    jars
}

/// Runs a class as a test JVM of a build and returns what the program hears.
fn heard(jdk: &Jdk, folder: &Folder, main: &str, arguments: &[&str]) -> Vec<ToProgram> {
    hear(jdk, folder, configuration(Role::Build), main, arguments)
}

/// As `heard`, with the current frameworks.
pub(crate) fn hear(
    jdk: &Jdk,
    folder: &Folder,
    configuration: Configuration,
    main: &str,
    arguments: &[&str],
) -> Vec<ToProgram> {
    hear_with(&jars(), jdk, folder, configuration, main, arguments)
}

/// Runs a class in a JVM with this configuration and returns what the program hears.
fn hear_with(
    jars: &[PathBuf],
    jdk: &Jdk,
    folder: &Folder,
    configuration: Configuration,
    main: &str,
    arguments: &[&str],
) -> Vec<ToProgram> {
    let program = Program::listen(&folder.path, configuration, Vec::new());
    let mut class_path = vec![folder.path.clone()];
    class_path.extend_from_slice(jars);
    let run = jdk
        .with_agent(&program.socket.display().to_string())
        .arg("-cp")
        .arg(join(&class_path))
        .arg(main)
        .args(arguments)
        .output()
        .unwrap();
    assert_no_complaint(&run);
    let heard = program.heard();
    assert!(
        !heard.is_empty(),
        "the agent did not wake up on {}: {run:?}",
        jdk.feature
    );
    heard
}

/// What matters of the events, one line each.
pub(crate) fn lines(heard: &[ToProgram]) -> Vec<String> {
    heard
        .iter()
        .filter_map(|message| match message {
            ToProgram::ContainerStarted { root } => Some(format!("> {root}")),
            ToProgram::ContainerFinished { root, failure, .. } => Some(format!(
                "< {root}{}",
                failure
                    .as_ref()
                    .map_or(String::new(), |f| format!(" {} {}", f.kind, f.message))
            )),
            ToProgram::TestStarted(test) => Some(format!(
                "  {:?} {} {}#{}{}",
                test.handle.framework,
                test.handle.root,
                test.class,
                test.method,
                test.invocation.as_deref().unwrap_or_default()
            )),
            ToProgram::TestFinished { test, outcome, .. } => Some(match outcome {
                Outcome::Passed => format!("  passed {}", test.method),
                Outcome::Failed(failure) => format!("  failed {}: {}", test.method, failure.message),
                Outcome::Skipped { reason } => format!("  skipped {}: {reason}", test.method),
            }),
            ToProgram::Bug { message } => Some(format!("BUG {message}")),
            _ => None,
        })
        .collect()
}

const JUNIT4: &str = r#"
import java.util.*;
import org.junit.*;
import org.junit.runner.*;
public class Four {
    public Four() { for (String s : new HashSet<String>(Arrays.asList("a", "b"))) { s.length(); } }
    @BeforeClass public static void before() { new HashSet<String>(Arrays.asList("a", "b")).toString(); }
    @Test public void passes() {}
    @Test public void fails() { Assert.fail("boom"); }
    @Test public void assumes() { Assume.assumeTrue("not here", false); }
    @Test @Ignore public void ignored() {}
    @Test public void runsOthers() { JUnitCore.runClasses(Inner.class); }
    public static class Inner { @Test public void inside() { Assert.fail("inside"); } }
    public static void main(String[] a) { JUnitCore.main("Four"); }
}
"#;

#[test]
fn junit4_containers_and_tests() {
    let folder = Folder::new();
    folder.compile("Four", JUNIT4, &jars());
    for jdk in jdks() {
        let heard = heard(&jdk, &folder, "Four", &[]);
        let mut lines = lines(&heard);
        assert_eq!(lines.first().map(String::as_str), Some("> Four"), "{lines:#?}");
        assert_eq!(lines.pop().as_deref(), Some("< Four"), "{lines:#?}");
        lines.remove(0);
        lines.sort();
        assert_eq!(
            lines,
            [
                "  JUnit4 Four Four#assumes",
                "  JUnit4 Four Four#fails",
                "  JUnit4 Four Four#passes",
                "  JUnit4 Four Four#runsOthers",
                "  failed fails: boom",
                "  passed passes",
                "  passed runsOthers",
                "  skipped assumes: not here",
                "  skipped ignored: ignored",
            ],
            "on {}",
            jdk.feature
        );
        assert!(
            heard
                .iter()
                .any(|message| matches!(message, ToProgram::Recipe(_)))
        );
        assert!(
            counted(&heard, "passes").1,
            "the constructor's choice, on {}",
            jdk.feature
        );
        let old = hear_with(
            &old_junit(),
            &jdk,
            &folder,
            configuration(Role::Build),
            "Four",
            &[],
        );
        assert!(
            counted(&old, "passes").1,
            "the constructor's choice before 4.13, on {}",
            jdk.feature
        );
    }
}

/// A main class that runs test classes with the JUnit Platform.
const LAUNCH: &str = r#"
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.*;
public class Launch {
    public static void main(String[] classes) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        for (String name : classes) { request.selectors(DiscoverySelectors.selectClass(name)); }
        LauncherFactory.create().execute(request.build());
    }
}
"#;

const JUNIT5: &str = r#"
import java.util.*;
import java.util.stream.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.*;
import org.junit.jupiter.params.provider.*;
public class Five {
    static Iterator<String> choice() { return new HashSet<String>(Arrays.asList("a", "b")).iterator(); }
    @BeforeAll static void before() { choice(); choice(); }
    @Test void chooses() { choice(); }
    @Test void fails() { Assertions.fail("boom"); }
    @Test void aborts() { Assumptions.assumeTrue(false, "not here"); }
    @Test @Disabled("later") void disabled() {}
    @ParameterizedTest @ValueSource(ints = {7, 8}) void takes(int i) {}
    @TestFactory Stream<DynamicTest> makes() { return Stream.of(DynamicTest.dynamicTest("x", () -> {})); }
    @Nested class Deeper { @Test void inside() {} }
    @Nested @Disabled("all of it") class Off { @Test void never() {} }
    @Test void hostile() { throw new RuntimeException() { @Override public String getMessage() { throw new IllegalStateException(); } }; }
    @Test void runsOthers() { Launch.main(new String[] {"Inner"}); }
}
class Inner { @Test void inner() { Assertions.fail("inner"); } }
"#;

#[test]
fn jupiter_containers_and_tests() {
    let folder = Folder::new();
    folder.compile("Launch", LAUNCH, &jars());
    folder.compile("Five", JUNIT5, &jars());
    for jdk in jdks() {
        let heard = heard(&jdk, &folder, "Launch", &["Five"]);
        let mut lines = lines(&heard);
        assert_eq!(lines.first().map(String::as_str), Some("> Five"), "{lines:#?}");
        assert_eq!(lines.pop().as_deref(), Some("< Five"), "{lines:#?}");
        lines.remove(0);
        lines.sort();
        assert_eq!(
            lines,
            [
                "  Platform Five Five#aborts",
                "  Platform Five Five#chooses",
                "  Platform Five Five#fails",
                "  Platform Five Five#hostile",
                "  Platform Five Five#makes[1]",
                "  Platform Five Five#runsOthers",
                "  Platform Five Five#takes[1]",
                "  Platform Five Five#takes[2]",
                "  Platform Five Five$Deeper#inside",
                "  failed fails: boom",
                "  failed hostile: (its message cannot be read: java.lang.IllegalStateException)",
                "  passed chooses",
                "  passed inside",
                "  passed makes",
                "  passed runsOthers",
                "  passed takes",
                "  passed takes",
                "  skipped aborts: Assumption failed: not here",
                "  skipped disabled: later",
                "  skipped never: all of it",
            ],
            "on {}",
            jdk.feature
        );
        // The framework chooses too, for its own sake.
        assert!(counted(&heard, "chooses").1, "on {}", jdk.feature);
        assert!(!counted(&heard, "takes").1, "on {}", jdk.feature);
        let container = heard.iter().find_map(|message| match message {
            ToProgram::ContainerFinished { choices, .. } => Some((choices.count, choices.models.clone())),
            _ => None,
        });
        let (count, models) = container.unwrap();
        assert!(count >= 2, "{count}");
        assert!(models.contains(&"HashMap.keySet".to_owned()), "{models:?}");
        let recipe = heard.iter().find_map(|message| match message {
            ToProgram::Recipe(recipe) => Some(recipe),
            _ => None,
        });
        let recipe = recipe.unwrap();
        assert!(
            recipe.arguments.contains(&"Launch".to_owned()),
            "{:?}",
            recipe.arguments
        );
        assert!(recipe.properties.contains_key("java.class.path"));
        let launcher: Vec<String> = recipe
            .launcher
            .iter()
            .map(|jar| jar.display().to_string())
            .collect();
        for part in [
            "launcher",
            "platform-engine",
            "commons",
            "opentest4j",
            "jupiter-engine",
            "vintage",
        ] {
            assert!(
                launcher.iter().any(|jar| jar.contains(part)),
                "{part} is not in {launcher:?}"
            );
        }
    }
}

/// Choices of the test whose method has this name: how many, and whether the project made one.
fn counted(heard: &[ToProgram], method: &str) -> (u64, bool) {
    let found = heard.iter().find_map(|message| match message {
        ToProgram::TestFinished { test, choices, .. } if test.method == method => {
            Some((choices.count, choices.by_project))
        }
        _ => None,
    });
    found.unwrap_or_else(|| panic!("{method} did not finish"))
}

const JUNIT3: &str = r#"
import junit.framework.*;
public class Three extends TestCase {
    public void testPasses() {}
    public void testFails() { fail("boom"); }
    public static class All { public static Test suite() { TestSuite s = new TestSuite("any name"); s.addTestSuite(Three.class); return s; } }
    public static void main(String[] a) { junit.textui.TestRunner.run(Three.class); }
}
"#;

#[test]
fn one_junit3_test_is_heard_once_whoever_runs_it() {
    let folder = Folder::new();
    folder.compile("Launch", LAUNCH, &jars());
    folder.compile("Three", JUNIT3, &jars());
    let started = |heard: &[ToProgram]| {
        let mut lines = lines(heard);
        lines.retain(|line| !line.starts_with("  passed") && !line.starts_with("  failed"));
        lines.sort();
        lines
    };
    for jdk in jdks() {
        assert_eq!(
            started(&heard(&jdk, &folder, "Three", &[])),
            [
                "  JUnit3 Three Three#testFails",
                "  JUnit3 Three Three#testPasses"
            ]
        );
        assert_eq!(
            started(&heard(
                &jdk,
                &folder,
                "org.junit.runner.JUnitCore",
                &["Three$All"]
            )),
            [
                "  JUnit4 Three$All Three#testFails",
                "  JUnit4 Three$All Three#testPasses",
                "< Three$All",
                "> Three$All"
            ]
        );
        assert_eq!(
            started(&heard(&jdk, &folder, "Launch", &["Three"])),
            [
                "  Platform Three Three#testFails",
                "  Platform Three Three#testPasses",
                "< Three",
                "> Three"
            ]
        );
    }
}

const BROKEN4: &str = r#"
import org.junit.*;
public class Broken4 {
    @BeforeClass public static void before() { throw new IllegalStateException("no set-up"); }
    @Test public void never() {}
}
"#;

const BROKEN5: &str = r#"
import org.junit.jupiter.api.*;
public class Broken5 {
    @Test void runs() {}
    @AfterAll static void after() { throw new IllegalStateException("no tear-down"); }
}
"#;

#[test]
fn set_up_and_tear_down_of_a_class_fail_the_container() {
    let folder = Folder::new();
    folder.compile("Launch", LAUNCH, &jars());
    folder.compile("Broken4", BROKEN4, &jars());
    folder.compile("Broken5", BROKEN5, &jars());
    let failed4 = ["> Broken4", "< Broken4 java.lang.IllegalStateException no set-up"];
    for jdk in jdks() {
        assert_eq!(
            lines(&heard(&jdk, &folder, "org.junit.runner.JUnitCore", &["Broken4"])),
            failed4
        );
        assert_eq!(lines(&heard(&jdk, &folder, "Launch", &["Broken4"])), failed4);
        assert_eq!(
            lines(&heard(&jdk, &folder, "Launch", &["Broken5"])),
            [
                "> Broken5",
                "  Platform Broken5 Broken5#runs",
                "  passed runs",
                "< Broken5 java.lang.IllegalStateException no tear-down",
            ]
        );
    }
}

const PARAMETERS: &str = r#"
import java.util.*;
import org.junit.*;
import org.junit.runner.*;
import org.junit.runners.*;
@RunWith(Parameterized.class)
public class Parameters {
    @Parameterized.Parameters public static List<Object[]> all() { return Arrays.asList(new Object[] {1}, new Object[] {2}); }
    @Parameterized.Parameter public int value;
    @Test public void takes() {}
}
"#;

const SUITE: &str = r#"
import org.junit.runner.*;
import org.junit.runners.*;
@RunWith(Suite.class) @Suite.SuiteClasses(Parameters.class)
public class All {}
"#;

#[test]
fn the_root_is_the_class_that_was_started() {
    let folder = Folder::new();
    folder.compile("Launch", LAUNCH, &jars());
    folder.compile("Parameters", PARAMETERS, &jars());
    folder.compile("All", SUITE, &jars());
    for jdk in jdks() {
        for (framework, main) in [("JUnit4", "org.junit.runner.JUnitCore"), ("Platform", "Launch")] {
            let mut lines = lines(&heard(&jdk, &folder, main, &["All"]));
            lines.retain(|line| !line.starts_with("  passed"));
            let test = |invocation| format!("  {framework} All Parameters#takes{invocation}");
            assert_eq!(
                lines,
                ["> All".to_owned(), test("[0]"), test("[1]"), "< All".to_owned()]
            );
        }
    }
}
