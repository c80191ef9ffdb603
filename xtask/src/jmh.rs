//! `cargo xtask bench jmh`: what a choice costs. A `HashSet` of 10 and of 1,000 strings is iterated plainly, with the
//! agent asleep, with the window closed, with variation on, and by NonDex's instrumented class library.
//!
//! Plain iteration is bimodal from JVM to JVM, and a busy machine is slow for minutes at a time. So each configuration
//! runs in several forks, one fork of each in turn; of a fork the fastest iteration counts, and of the forks the
//! geometric mean.

use crate::agent::{self, Form, Variation};
use crate::args::Args;
use crate::jdks::{self, Jdk};
use crate::process::Program;
use crate::{Failure, Outcome, print, root, say, target};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const USAGE: &str = "cargo xtask bench jmh [--java HOME]… [--agent LIB] [--forks 5] [--iterations 20] [--only NAME,…] [--no-nondex]";
const SIZES: [u32; 2] = [10, 1000];
/// The bars: closed 1.05 and ONE and FULL 3 times plain; ID and EQ are reported only.
const BARS: [(&str, f64); 5] = [
    ("asleep", 1.05),
    ("closed", 1.05),
    ("one-reverse", 3.0),
    ("one-random", 3.0),
    ("full-random", 3.0),
];

/// One way to start the JVM that is measured.
#[derive(Debug)]
struct Configuration {
    name: &'static str,
    arguments: Vec<String>,
}

/// Nanoseconds by configuration and size: the fastest iteration of each fork.
type Times = BTreeMap<(String, u32), Vec<f64>>;

pub fn run(args: Vec<String>) -> Outcome<()> {
    let mut args = Args::new(args, USAGE);
    let homes = args.paths("--java")?;
    let (library, only) = (args.value("--agent")?, args.value("--only")?);
    let (forks, iterations) = (args.number("--forks", 5)?, args.number("--iterations", 20)?);
    let without_nondex = args.flag("--no-nondex");
    args.end()?;
    let jdks = jdks::find(&homes)?;
    let Some(oldest) = jdks.first() else {
        return Err(Failure::new("no JDK found").hint("give --java HOME, or set UNFLAKE_JDKS"));
    };
    let library = agent::given_or_built(library)?;
    let dir = target().join("bench/jmh");
    let class_path = compile(oldest, &dir)?;
    let mut all = Vec::new();
    for jdk in &jdks {
        let mut configurations = configurations(&library);
        if !without_nondex {
            match nondex(jdk, &dir) {
                Ok(arguments) => configurations.push(Configuration {
                    name: "nondex",
                    arguments,
                }),
                Err(failure) => say(format!("{jdk}: NonDex left out: {failure}")),
            }
        }
        if let Some(only) = &only {
            let names: Vec<&str> = only.split(',').collect();
            configurations.retain(|c| c.name == "plain" || names.contains(&c.name));
        }
        let times = measure(
            jdk,
            &configurations,
            &class_path,
            &dir,
            Effort { forks, iterations },
        )?;
        let file = dir.join(format!("java{}.json", jdk.version));
        fs::write(&file, to_json(&times)).map_err(|e| Failure::io("cannot write", &file, &e))?;
        all.push((jdk.version, times));
    }
    let report = markdown(&all);
    let file = dir.join("table.md");
    fs::write(&file, &report).map_err(|e| Failure::io("cannot write", &file, &e))?;
    print(report);
    Ok(())
}

fn configurations(library: &Path) -> Vec<Configuration> {
    let varied = |name, variation: Variation| Configuration {
        name,
        arguments: vec![variation.agent(library)],
    };
    vec![
        Configuration {
            name: "plain",
            arguments: Vec::new(),
        },
        Configuration {
            name: "asleep",
            arguments: vec![format!("-agentpath:{}=", library.display())],
        },
        varied("closed", Variation::Closed),
        varied(
            "one-reverse",
            Variation::Varied {
                level: "one",
                form: Form::Reverse,
            },
        ),
        varied("one-random", Variation::random("one", 7)),
        varied("full-random", Variation::random("full", 7)),
        varied("eq-random", Variation::random("eq", 7)),
        varied("id-random", Variation::random("id", 7)),
    ]
}

#[derive(Clone, Copy)]
struct Effort {
    forks: usize,
    iterations: usize,
}

fn measure(
    jdk: &Jdk,
    configurations: &[Configuration],
    class_path: &str,
    dir: &Path,
    effort: Effort,
) -> Outcome<Times> {
    let mut times = Times::new();
    let result = dir.join("result.json");
    for fork in 1..=effort.forks {
        for Configuration { name, arguments } in configurations {
            let mut jmh = Program::new(jdk.java())
                .arg("-cp")
                .arg(class_path)
                .arg("org.openjdk.jmh.Main")
                .args([
                    "-f", "1", "-wi", "10", "-w", "100ms", "-r", "80ms", "-foe", "true", "-rf", "json",
                    "-rff",
                ])
                .arg(&result)
                .arg("-i")
                .arg(effort.iterations.to_string());
            for argument in arguments {
                jmh = jmh.arg("-jvmArgsAppend").arg(argument);
            }
            jmh.arg("HashSetIteration")
                .env_remove("JAVA_TOOL_OPTIONS")
                .dir(dir)
                .log(&dir.join(format!("java{}-{name}.log", jdk.version)))
                .succeed()?;
            let text = fs::read_to_string(&result).map_err(|e| Failure::io("cannot read", &result, &e))?;
            let mut line = format!("{jdk}, fork {fork}, {name}:");
            for (size, fastest) in read(&text)? {
                write!(line, " {fastest:.0} ns for {size}").ok();
                times.entry(((*name).to_owned(), size)).or_default().push(fastest);
            }
            say(line);
        }
    }
    Ok(times)
}

/// JMH's own result: by size, the fastest iteration.
fn read(text: &str) -> Outcome<Vec<(u32, f64)>> {
    let broken = || Failure::new("JMH's result is not as expected");
    let document: Value =
        serde_json::from_str(text).map_err(|e| Failure::new(format!("JMH's result is no JSON: {e}")))?;
    let benchmarks = document.as_array().ok_or_else(broken)?;
    let read = |benchmark: &Value| {
        let size = benchmark["params"]["size"].as_str()?.parse().ok()?;
        let values = benchmark["primaryMetric"]["rawData"]
            .as_array()?
            .iter()
            .filter_map(Value::as_array)
            .flatten();
        let fastest = values.filter_map(Value::as_f64).min_by(f64::total_cmp)?;
        Some((size, fastest))
    };
    benchmarks
        .iter()
        .map(|benchmark| read(benchmark).ok_or_else(broken))
        .collect()
}

/// Compiles for Java 8; JMH's annotation processor writes the rest.
fn compile(jdk: &Jdk, dir: &Path) -> Outcome<String> {
    let (libraries, classes) = (dir.join("lib"), dir.join("classes"));
    fs::create_dir_all(&classes).map_err(|e| Failure::io("cannot create", &classes, &e))?;
    let source = root().join("bench/jmh");
    if !libraries.is_dir() {
        copy_dependencies(jdk, &source.join("pom.xml"), &libraries)?;
    }
    let libraries = format!("{}/*", libraries.display());
    jdk.javac_8(&classes, &libraries)
        .arg("-processor")
        .arg("org.openjdk.jmh.generators.BenchmarkProcessor")
        .arg(source.join("HashSetIteration.java"))
        .env_remove("JAVA_TOOL_OPTIONS")
        .succeed()?;
    Ok(format!("{}:{libraries}", classes.display()))
}

fn copy_dependencies(jdk: &Jdk, pom: &Path, to: &Path) -> Outcome<()> {
    Program::new("mvn")
        .args(["-q", "-B", "-f"])
        .arg(pom)
        .arg("org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies")
        .arg(format!("-DoutputDirectory={}", to.display()))
        .env("JAVA_HOME", &jdk.home)
        .env_remove("JAVA_TOOL_OPTIONS")
        .succeed()
        .map(drop)
}

/// NonDex's class library for a JDK, made by its own plug-in in a project with one test, and the arguments that the
/// plug-in gives to test JVMs.
fn nondex(jdk: &Jdk, dir: &Path) -> Outcome<Vec<String>> {
    let project = dir.join(format!("nondex-java{}", jdk.version));
    let instrumented = project.join(".nondex/nondex-instr.jar");
    let common = project.join("lib/nondex-common-2.2.1.jar");
    if !instrumented.exists() || !common.exists() {
        say(format!("{jdk}: making NonDex's class library"));
        let tests = project.join("src/test/java");
        fs::create_dir_all(&tests).map_err(|e| Failure::io("cannot create", &tests, &e))?;
        write(&project.join("pom.xml"), POM)?;
        write(
            &tests.join("OneTest.java"),
            "public class OneTest {\n    @org.junit.Test public void one() {}\n}\n",
        )?;
        Program::new("mvn")
            .args([
                "-B",
                "edu.illinois:nondex-maven-plugin:2.2.1:nondex",
                "-DnondexRuns=1",
            ])
            .dir(&project)
            .env("JAVA_HOME", &jdk.home)
            .env_remove("JAVA_TOOL_OPTIONS")
            .log(&dir.join(format!("nondex-java{}.log", jdk.version)))
            .succeed()?;
        copy_dependencies(jdk, &project.join("pom.xml"), &project.join("lib"))?;
    }
    for jar in [&instrumented, &common] {
        if !jar.exists() {
            return Err(Failure::new(format!("NonDex made no `{}`", jar.display())));
        }
    }
    let path = format!("{}:{}", instrumented.display(), common.display());
    let mut arguments = if jdk.version == 8 {
        vec![format!("-Xbootclasspath/p:{path}")]
    } else {
        let export =
            |package: &str| format!("--add-exports=java.base/edu.illinois.nondex.{package}=ALL-UNNAMED");
        vec![
            export("common"),
            export("shuffling"),
            format!("--patch-module=java.base={path}"),
        ]
    };
    let settings = project.join("run");
    fs::create_dir_all(&settings).map_err(|e| Failure::io("cannot create", &settings, &e))?;
    arguments.extend(["-DnondexMode=FULL", "-DnondexSeed=7", "-DnondexFilter=.*"].map(str::to_owned));
    arguments.push(format!("-DnondexDir={}", settings.display()));
    Ok(arguments)
}

const POM: &str = "<project><modelVersion>4.0.0</modelVersion><groupId>unflake.bench</groupId>\
    <artifactId>nondex</artifactId><version>1</version><properties><maven.compiler.source>1.8</maven.compiler.source>\
    <maven.compiler.target>1.8</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>\
    </properties><dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>\
    </dependency><dependency><groupId>edu.illinois</groupId><artifactId>nondex-common</artifactId><version>2.2.1</version>\
    </dependency></dependencies><build><plugins><plugin><groupId>org.apache.maven.plugins</groupId>\
    <artifactId>maven-surefire-plugin</artifactId><version>2.22.2</version></plugin></plugins></build></project>";

fn write(file: &PathBuf, text: &str) -> Outcome<()> {
    fs::write(file, text).map_err(|e| Failure::io("cannot write", file, &e))
}

fn to_json(times: &Times) -> String {
    let rows: Vec<Value> = times
        .iter()
        .map(|((name, size), values)| json!({"configuration": name, "size": size, "fastest_ns_by_fork": values}))
        .collect();
    format!("{:#}\n", Value::from(rows))
}

/// Per JDK and size one row; at the end the geometric mean of the ratios over all of them.
fn markdown(all: &[(u8, Times)]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in [
        "plain",
        "asleep",
        "closed",
        "one-reverse",
        "one-random",
        "full-random",
        "eq-random",
        "id-random",
        "nondex",
    ] {
        if all
            .iter()
            .any(|(_, times)| times.keys().any(|(known, _)| known == name))
        {
            names.push(name);
        }
    }
    let mut out = format!(
        "| Java | elements | {} |\n|---|---|{}\n",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    let mut ratios: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (java, times) in all {
        for size in SIZES {
            let Some(plain) = mean_of(times, "plain", size) else {
                continue;
            };
            write!(out, "| {java} | {size}").ok();
            for name in &names {
                match mean_of(times, name, size) {
                    None => out.push_str(" | –"),
                    Some(mean) if *name == "plain" => write!(out, " | {mean:.1} ns").unwrap_or_default(),
                    Some(mean) => {
                        ratios.entry(name).or_default().push(mean / plain);
                        write!(out, " | {mean:.1} ns, {:.2} ×", mean / plain).ok();
                    }
                }
            }
            out.push_str(" |\n");
        }
    }
    out.push_str("\nGeometric mean over JDKs and sizes:\n\n");
    for name in names.iter().filter(|name| **name != "plain") {
        let Some(mean) = ratios.get(name).and_then(|values| geometric_mean(values)) else {
            continue;
        };
        let bar = BARS
            .iter()
            .find(|(known, _)| known == name)
            .map_or(String::new(), |(_, bar)| {
                format!(" (bar {bar}: {})", if mean <= *bar { "met" } else { "NOT met" })
            });
        writeln!(out, "- {name}: {mean:.3} ×{bar}").ok();
    }
    out
}

fn mean_of(times: &Times, name: &str, size: u32) -> Option<f64> {
    geometric_mean(times.get(&(name.to_owned(), size))?)
}

#[expect(clippy::cast_precision_loss, reason = "a handful of forks")]
fn geometric_mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty())
        .then(|| (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_iteration_counts() {
        let text = r#"[{"params": {"size": "10"}, "primaryMetric": {"rawData": [[30.5, 22.0], [25.0]]}}]"#;
        assert_eq!(read(text).unwrap(), [(10, 22.0)]);
        assert!(read("{}").is_err());
    }

    #[test]
    fn ratios_are_to_plain_and_bars_are_judged() {
        let mut times = Times::new();
        for (name, ns) in [("plain", 20.0), ("closed", 20.0), ("one-random", 80.0)] {
            times.insert((name.to_owned(), 10), vec![ns / 2.0, ns * 2.0]);
        }
        let text = markdown(&[(17, times)]);
        assert!(
            text.contains("| 17 | 10 | 20.0 ns | 20.0 ns, 1.00 × | 80.0 ns, 4.00 × |"),
            "{text}"
        );
        assert!(text.contains("- closed: 1.000 × (bar 1.05: met)"), "{text}");
        assert!(text.contains("- one-random: 4.000 × (bar 3: NOT met)"), "{text}");
    }
}
