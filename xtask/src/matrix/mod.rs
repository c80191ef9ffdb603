//! `cargo xtask matrix`: what must hold on each of the five JDKs. Thesis table 2.1 and the APIs beyond it row by row
//! ([`rows`]), thesis table 2.2 ([`levels`]), the agent's own tests, and conformance. A JDK that is missing is an
//! error, not a shorter run.
//!
//! The two tables are public, so that the agent's tests can check them with the JDKs at hand.

pub mod levels;
pub mod rows;

use crate::agent::{self, Variation};
use crate::args::Args;
use crate::jdks::{self, Jdk};
use crate::process::Program;
use crate::{Failure, Outcome, conformance, print, root, say, target};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const USAGE: &str =
    "cargo xtask matrix [--jdk HOME]… [--agent LIB] [--only rows,levels,agent,conformance] [--quick]";
const PARTS: [&str; 4] = ["rows", "levels", "agent", "conformance"];

pub fn run(args: Vec<String>) -> Outcome<()> {
    let mut args = Args::new(args, USAGE);
    let homes = args.paths("--jdk")?;
    let (library, only, quick) = (
        args.value("--agent")?,
        args.value("--only")?,
        args.flag("--quick"),
    );
    args.end()?;
    let parts: Vec<&str> = only
        .as_deref()
        .map_or(PARTS.to_vec(), |list| list.split(',').collect());
    if let Some(part) = parts.iter().find(|part| !PARTS.contains(part)) {
        return Err(Failure::usage(
            format!("unknown part `{part}`; use one of {}", PARTS.join(", ")),
            USAGE,
        ));
    }
    let jdks = jdks::require_all(&homes)?;
    let library = agent::given_or_built(library)?;
    let mut problems = Problems::default();
    if parts.contains(&"rows") || parts.contains(&"levels") {
        let programs = Programs::compile(&jdks[0], &target().join("matrix"))?;
        for jdk in &jdks {
            if parts.contains(&"rows") {
                let found = rows::check(jdk, &library, &programs)?;
                say(format!(
                    "{jdk}: {} rows, {} problems",
                    found.rows,
                    found.problems.len()
                ));
                problems.add(jdk, found.problems);
            }
            if parts.contains(&"levels") {
                let found = levels::check(jdk, &library, &programs)?;
                say(format!("{jdk}: table 2.2, {} problems", found.len()));
                problems.add(jdk, found);
            }
        }
    }
    if parts.contains(&"agent") {
        problems
            .other
            .extend(agent_tests(&jdks).err().map(|failure| failure.to_string()));
    }
    if parts.contains(&"conformance") {
        let variations = if quick {
            conformance::quick(1)
        } else {
            Variation::all(&[1, 2, 3])
        };
        let failure = conformance::check(&jdks, &library, &variations, &[]).err();
        problems.other.extend(failure.map(|failure| failure.to_string()));
    }
    problems.end(&format!("{} on {} JDKs", parts.join(", "), jdks.len()))
}

/// What is wrong, each thing once with the JDKs that have it.
#[derive(Debug, Default)]
struct Problems {
    by_text: BTreeMap<String, Vec<u8>>,
    other: Vec<String>,
}

impl Problems {
    /// More are only in the file: a helper that is missing makes hundreds.
    const SHOWN: usize = 60;

    fn add(&mut self, jdk: &Jdk, problems: Vec<String>) {
        for problem in problems {
            self.by_text.entry(problem).or_default().push(jdk.version);
        }
    }

    fn end(&self, done: &str) -> Outcome<()> {
        let by_text = self.by_text.iter().map(|(problem, versions)| {
            let versions: BTreeSet<String> = versions.iter().map(|version| format!("{version:>2}")).collect();
            format!(
                "Java {}: {problem}",
                versions.into_iter().collect::<Vec<_>>().join(",")
            )
        });
        let lines: Vec<String> = by_text.chain(self.other.iter().cloned()).collect();
        if lines.is_empty() {
            print(format!("matrix: {done}, no problems"));
            return Ok(());
        }
        let file = target().join("matrix/problems.txt");
        fs::write(&file, lines.join("\n") + "\n").map_err(|e| Failure::io("cannot write", &file, &e))?;
        let shown: Vec<&str> = lines.iter().take(Self::SHOWN).map(String::as_str).collect();
        Err(Failure::new(format!(
            "matrix: {done}, {} problems\n{}",
            lines.len(),
            shown.join("\n")
        ))
        .hint(format!("all of them are in {}", file.display())))
    }
}

/// The agent's tests, on these JDKs.
fn agent_tests(jdks: &[Jdk]) -> Outcome<()> {
    say("the agent's tests");
    let homes = std::env::join_paths(jdks.iter().map(|jdk| &jdk.home))
        .map_err(|e| Failure::new(format!("a JDK's path cannot be in a list: {e}")))?;
    Program::new("cargo")
        .args(["test", "-p", "unflake-agent"])
        .dir(&root())
        .env("UNFLAKE_JDKS", homes)
        .succeed()
        .map(drop)
}

/// The compiled Java programs of `fixtures/matrix`, and a directory with files for them to list.
#[derive(Debug)]
pub struct Programs {
    classes: PathBuf,
    files: PathBuf,
}

impl Programs {
    /// Compiles for Java 8, so the oldest JDK should do it; `dir` is where everything goes.
    pub fn compile(jdk: &Jdk, dir: &Path) -> Outcome<Programs> {
        let programs = Programs {
            classes: dir.join("classes"),
            files: dir.join("files"),
        };
        for dir in [&programs.classes, &programs.files] {
            fs::create_dir_all(dir).map_err(|e| Failure::io("cannot create", dir, &e))?;
        }
        for name in ["one", "two", "three", "four", "five", "six", "seven"] {
            let file = programs.files.join(name);
            if !file.exists() {
                fs::write(&file, "").map_err(|e| Failure::io("cannot write", &file, &e))?;
            }
        }
        let sources = root().join("fixtures/matrix/rows");
        let mut files: Vec<PathBuf> = fs::read_dir(&sources)
            .map_err(|e| Failure::io("cannot list", &sources, &e))?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "java"))
            .collect();
        files.sort();
        jdk.javac_8(&programs.classes, ".")
            .args(&files)
            .env_remove("JAVA_TOOL_OPTIONS")
            .succeed()?;
        Ok(programs)
    }

    /// One of them, with the options of our own test JVMs, on a JDK that verifies every class and checks every JNI
    /// call, with the same few environment variables each time, since rows show them.
    fn java(&self, jdk: &Jdk, agent: Option<&str>, main: &str) -> Outcome<String> {
        let ended = Program::new("env")
            .arg("-i")
            .args(["A=1", "B=2", "C=3", "D=4", "E=5", "F=6"])
            .arg(jdk.java())
            .args(["-Xverify:all", "-Xcheck:jni"])
            .args(unflake_runner::JVM_OPTIONS)
            .arg("-XX:TieredStopAtLevel=1")
            .args(agent)
            .arg("-cp")
            .arg(&self.classes)
            .arg(main)
            .arg(&self.files)
            .limit(std::time::Duration::from_secs(120))
            .succeed()?;
        Ok(ended.output)
    }
}
