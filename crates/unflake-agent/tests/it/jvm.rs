//! JDKs, the agent's library, compiled Java sources, and runs of `java`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// A JDK to test on.
#[derive(Clone, Debug)]
pub(crate) struct Jdk {
    pub(crate) home: PathBuf,
    pub(crate) feature: u8,
}

/// The JDKs that everything must work on. One that is missing fails the test.
pub(crate) fn jdks() -> Vec<Jdk> {
    let jdks = xtask::jdks::require_all(&[]).unwrap_or_else(|missing| panic!("{missing}"));
    let jdks = jdks.into_iter().map(|jdk| Jdk {
        home: jdk.home,
        feature: jdk.version,
    });
    jdks.collect()
}

/// The agent's library lies beside the test program: cargo builds it first, for tests of its package need it.
pub(crate) fn library() -> PathBuf {
    let beside = env::current_exe().unwrap().with_file_name("libunflake_agent.so");
    assert!(beside.is_file(), "no agent at {}", beside.display());
    beside
}

/// A folder for classes and files of one test.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    _temporary: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new() -> Folder {
        let temporary = tempfile::tempdir().unwrap();
        Folder {
            path: temporary.path().to_owned(),
            _temporary: temporary,
        }
    }

    /// Compiles a class for Java 8 with the first JDK that still can.
    pub(crate) fn compile(&self, class: &str, source: &str, class_path: &[PathBuf]) {
        let file = self.path.join(format!("{class}.java"));
        fs::write(&file, source).unwrap();
        let jdks = jdks();
        let javac = jdks
            .iter()
            .map(|jdk| jdk.home.join("bin/javac"))
            .find(|javac| javac.is_file());
        let output = java(&javac.expect("a JDK with javac"))
            .args(["-source", "8", "-target", "8", "-nowarn", "-d"])
            .arg(&self.path)
            .arg("-cp")
            .arg(join(&[std::slice::from_ref(&self.path), class_path].concat()))
            .arg(&file)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// A class path.
pub(crate) fn join(paths: &[PathBuf]) -> std::ffi::OsString {
    env::join_paths(paths).unwrap()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test of the agent starts its JVMs itself"
)]
pub(crate) fn java(program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("_JAVA_OPTIONS");
    command
}

impl Jdk {
    /// `java` with all checks on and the agent loaded with these options.
    pub(crate) fn with_agent(&self, options: &str) -> Command {
        let mut command = self.checked();
        command.arg(format!("-agentpath:{}={options}", library().display()));
        command
    }

    pub(crate) fn checked(&self) -> Command {
        let mut command = java(&self.home.join("bin/java"));
        command.args(["-Xcheck:jni", "-Xverify:all"]);
        command
    }
}

/// Fails if a run wrote something that `-Xcheck:jni` complains about, on whichever stream.
pub(crate) fn assert_no_complaint(run: &Output) {
    // The `java` program of Java 8 itself does not ask for exceptions when it has arguments to convert.
    let own = "WARNING in native method: JNI call made without checking exceptions when required to from \
               CallStaticObjectMethod\n";
    let (out, err) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    let out = out.trim_start_matches(own);
    for complaint in [
        "WARNING in native method",
        "JNI local refs",
        "FATAL ERROR",
        "VerifyError",
    ] {
        assert!(
            !out.contains(complaint) && !err.contains(complaint),
            "{out}\n{err}"
        );
    }
}

/// Standard output of a run that ended well.
pub(crate) fn output(run: &Output) -> String {
    let (out, err) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    assert!(run.status.success(), "{}\n{out}\n{err}", run.status);
    assert_no_complaint(run);
    out.into_owned()
}
