//! `cargo xtask conformance`: guava-testlib's suites over the JDK's collections, first as they are, then varied at
//! every level and in every form. Nothing may fail that passes unvaried, and the JVM, which verifies every class and
//! checks every JNI call, may not print a line that it does not print without the agent.

use crate::agent::{self, Variation};
use crate::args::Args;
use crate::jdks::{self, Jdk};
use crate::process::Program;
use crate::{Failure, Outcome, print, root, say, target};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

const USAGE: &str = "cargo xtask conformance [--java HOME]… [--agent LIB] [--seeds 1,2,3] [--quick] [SUITE…]";

pub fn run(args: Vec<String>) -> Outcome<()> {
    let mut args = Args::new(args, USAGE);
    let homes = args.paths("--java")?;
    let agent = args.value("--agent")?;
    let seeds = args.value("--seeds")?.unwrap_or_else(|| "1,2,3".to_owned());
    let seeds: Vec<u64> = seeds
        .split(',')
        .map(|seed| {
            seed.parse()
                .map_err(|_| Failure::usage(format!("`{seed}` is no seed"), USAGE))
        })
        .collect::<Outcome<_>>()?;
    let variations = if args.flag("--quick") {
        quick(seeds[0])
    } else {
        Variation::all(&seeds)
    };
    let suites = args.rest()?;
    let jdks = jdks::find(&homes)?;
    if jdks.is_empty() {
        return Err(Failure::new("no JDK found").hint("give --java HOME, or set UNFLAKE_JDKS"));
    }
    let library = agent::given_or_built(agent)?;
    check(&jdks, &library, &variations, &suites)
}

/// One random round for each level and one reversed: enough to see that nothing is broken altogether.
pub fn quick(seed: u64) -> Vec<Variation> {
    let reverse = Variation::Varied {
        level: "full",
        form: agent::Form::Reverse,
    };
    agent::LEVELS
        .iter()
        .map(|level| Variation::random(level, seed))
        .chain([reverse])
        .collect()
}

/// Tests that compare a map's text with a second iteration of the map. That two iterations of an unchanged map agree is
/// what level FULL, and only that level, does not promise; so there, and only there, they may fail.
const TWO_ITERATIONS: [&str; 3] = [
    "MapToStringTester.testToString_formatting[",
    "MapToStringTester.testToStringWithNullKey[",
    "MapToStringTester.testToStringWithNullValue[",
];

fn may_fail(test: &str, variation: &Variation) -> bool {
    matches!(variation, Variation::Varied { level: "full", .. })
        && TWO_ITERATIONS.iter().any(|name| test.starts_with(name))
}

/// The suites on each JDK under each variation.
pub fn check(jdks: &[Jdk], library: &Path, variations: &[Variation], suites: &[String]) -> Outcome<()> {
    let Some(oldest) = jdks.first() else {
        return Err(Failure::new("no JDK to check"));
    };
    let program = Suites {
        class_path: compile(oldest)?,
        suites,
    };
    let mut problems = Vec::new();
    for jdk in jdks {
        let plain = program.run(jdk, None)?;
        say(format!(
            "{jdk}: {} tests unvaried, {} of them failing",
            plain.ran,
            plain.failed.len()
        ));
        for variation in variations {
            let varied = program.run(jdk, Some(&variation.agent(library)))?;
            let wrong = varied.compared_with(&plain, |test| may_fail(test, variation));
            say(format!(
                "{jdk}, {variation}: {} tests, {} problems",
                varied.ran,
                wrong.len()
            ));
            problems.extend(
                wrong
                    .into_iter()
                    .map(|problem| format!("{jdk}, {variation}: {problem}")),
            );
        }
    }
    if problems.is_empty() {
        print(format!(
            "conformance: {} JDKs, {} variations each, nothing fails that passes unvaried",
            jdks.len(),
            variations.len()
        ));
        return Ok(());
    }
    let shown: Vec<&str> = problems.iter().take(40).map(String::as_str).collect();
    Err(Failure::new(format!(
        "conformance: {} problems\n{}",
        problems.len(),
        shown.join("\n")
    )))
}

/// Compiles once, for Java 8, with the oldest JDK there is.
fn compile(jdk: &Jdk) -> Outcome<String> {
    let dir = target().join("conformance");
    let (libraries, classes) = (dir.join("lib"), dir.join("classes"));
    fs::create_dir_all(&classes).map_err(|e| Failure::io("cannot create", &classes, &e))?;
    let fixture = root().join("fixtures/conformance");
    if !libraries.is_dir() {
        Program::new("mvn")
            .args(["-q", "-B", "-f"])
            .arg(fixture.join("pom.xml"))
            .arg("org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies")
            .arg(format!("-DoutputDirectory={}", libraries.display()))
            .env("JAVA_HOME", &jdk.home)
            .env_remove("JAVA_TOOL_OPTIONS")
            .succeed()?;
    }
    let libraries = format!("{}/*", libraries.display());
    jdk.javac_8(&classes, &libraries)
        .arg(fixture.join("Conformance.java"))
        .env_remove("JAVA_TOOL_OPTIONS")
        .succeed()?;
    Ok(format!("{}:{libraries}", classes.display()))
}

struct Suites<'a> {
    class_path: String,
    suites: &'a [String],
}

/// What one JVM printed.
#[derive(Debug, Default)]
struct Run {
    ran: usize,
    /// Names of failing tests, with what failed.
    failed: Vec<(String, String)>,
    /// All other lines: the JVM's own.
    other: Vec<String>,
}

impl Suites<'_> {
    fn run(&self, jdk: &Jdk, agent: Option<&str>) -> Outcome<Run> {
        let ended = Program::new(jdk.java())
            .args(["-Xverify:all", "-Xcheck:jni"])
            .args(agent)
            .arg("-cp")
            .arg(&self.class_path)
            .arg("Conformance")
            .args(self.suites)
            .env_remove("JAVA_TOOL_OPTIONS")
            .limit(Duration::from_secs(900))
            .succeed()?;
        let run = Run::parse(&ended.output);
        if run.ran == 0 {
            return Err(Failure::new(format!(
                "`{}` ran no tests:\n{}",
                ended.shown, ended.output
            )));
        }
        Ok(run)
    }
}

impl Run {
    fn parse(output: &str) -> Run {
        let mut run = Run::default();
        for line in output.lines() {
            let mut parts = line.splitn(3, '\t');
            match (parts.next(), parts.next(), parts.next()) {
                (Some("FAIL"), Some(test), what) => {
                    run.failed
                        .push((test.to_owned(), what.unwrap_or_default().to_owned()));
                }
                (Some("RAN"), Some(n), None) => run.ran = n.parse().unwrap_or(0),
                _ => run.other.push(line.to_owned()),
            }
        }
        run
    }

    /// What is wrong here and was not in the unvaried run.
    fn compared_with(&self, plain: &Run, may_fail: impl Fn(&str) -> bool) -> Vec<String> {
        let known: BTreeSet<&str> = plain.failed.iter().map(|(test, _)| test.as_str()).collect();
        let printed: BTreeSet<&str> = plain.other.iter().map(String::as_str).collect();
        let failed = self
            .failed
            .iter()
            .filter(|(test, _)| !known.contains(test.as_str()) && !may_fail(test));
        let mut wrong: Vec<String> = failed
            .map(|(test, what)| format!("{test} fails: {what}"))
            .collect();
        let other = self.other.iter().filter(|line| !printed.contains(line.as_str()));
        wrong.extend(other.map(|line| format!("the JVM prints: {line}")));
        if self.ran != plain.ran {
            wrong.push(format!("{} tests ran, unvaried {}", self.ran, plain.ran));
        }
        wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_iterations_may_differ_at_full_only() {
        let test = "MapToStringTester.testToString_formatting[HashMap [collection size: several]]";
        assert!(may_fail(test, &Variation::random("full", 1)));
        assert!(!may_fail(test, &Variation::random("id", 1)));
        assert!(!may_fail(
            "MapGetTester.testGet[HashMap]",
            &Variation::random("full", 1)
        ));
    }

    #[test]
    fn only_what_is_new_is_a_problem() {
        let plain = Run::parse("FAIL\ta\twhy\nwarning: old\nRAN\t10\n");
        let same = Run::parse("FAIL\ta\tother reason\nwarning: old\nRAN\t10\n");
        assert_eq!(same.compared_with(&plain, |_| false), Vec::<String>::new());
        let worse = Run::parse("FAIL\ta\twhy\nFAIL\tb\twhat\nWARNING in native method\nRAN\t9\n");
        assert_eq!(
            worse.compared_with(&plain, |_| false),
            [
                "b fails: what",
                "the JVM prints: WARNING in native method",
                "9 tests ran, unvaried 10"
            ]
        );
    }
}
