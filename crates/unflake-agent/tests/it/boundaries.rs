//! Containers and tests of every framework, as the program hears of them.

use crate::jvm::{Folder, Jdk, java, jdks, join, output};
use crate::program::{Program, configuration};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use unflake_protocol::{Outcome, Role, ToProgram};

/// The frameworks' jars, fetched once by Maven.
fn jars() -> Vec<PathBuf> {
    static JARS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    JARS.get_or_init(|| {
        let pom = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/frameworks.xml");
        let to = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("frameworks");
        let run = java(Path::new("mvn"))
            .args(["-q", "-B", "dependency:copy-dependencies", "-f"])
            .arg(&pom)
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
    })
    .clone()
}

/// Runs a class as a test JVM of a build and returns what the program hears.
fn heard(jdk: &Jdk, folder: &Folder, main: &str, arguments: &[&str]) -> Vec<ToProgram> {
    let program = Program::listen(&folder.path, configuration(Role::Build), Vec::new());
    let mut class_path = vec![folder.path.clone()];
    class_path.extend(jars());
    let run = jdk
        .with_agent(&program.socket.display().to_string())
        .arg("-cp")
        .arg(join(&class_path))
        .arg(main)
        .args(arguments)
        .output()
        .unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    assert!(
        !out.contains("WARNING in native") && !out.contains("JNI local refs"),
        "{out}"
    );
    let heard = program.heard();
    assert!(
        !heard.is_empty(),
        "the agent did not wake up on {}\n{out}\n{err}",
        jdk.feature
    );
    heard
}

/// What matters of the events, one line each.
fn lines(heard: &[ToProgram]) -> Vec<String> {
    heard
        .iter()
        .filter_map(|message| match message {
            ToProgram::ContainerStarted { root } => Some(format!("> {root}")),
            ToProgram::ContainerFinished { root, failure, .. } => Some(format!(
                "< {root}{}",
                failure
                    .as_ref()
                    .map_or(String::new(), |f| format!(" {}", f.message))
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
    }
}
