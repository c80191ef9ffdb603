//! `cargo xtask coverage`: how many lines of the engine and of the searches run in the tests of their own crates. Those
//! tests start no JVM, so what they do not run can only be tested slowly.
//!
//! Lines of tests do not count: what follows `#[cfg(test)] mod tests {`, and files that are modules for tests only.

use crate::args::Args;
use crate::process::Program;
use crate::{Failure, Outcome, print, root, say, target};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const USAGE: &str = "cargo xtask coverage [--lines FILE] [CRATE…]";

/// The crates that decide something.
const CRATES: [&str; 2] = ["unflake-check", "unflake-explore"];

/// In per cent: of each crate, and of each file.
const BARS: (f64, f64) = (80.0, 60.0);

/// A file with fewer lines of code is a table or a list of modules: its few functions may run at compile time only.
const LEAST_LINES: usize = 10;

/// Fails if a crate or a file is below its bar. `--lines`: name the lines of this file that no test runs.
pub fn run(args: Vec<String>) -> Outcome<()> {
    let mut args = Args::new(args, USAGE);
    let lines = args.value("--lines")?;
    let mut crates = args.rest()?;
    if crates.is_empty() {
        crates.extend(CRATES.map(str::to_owned));
    }
    let mut low = Vec::new();
    for name in &crates {
        let covered = Covered::of_crate(name)?;
        print(covered.table(name));
        low.extend(covered.low(name));
        let wanted =
            |(file, _): &(&String, &Lines)| lines.as_ref().is_some_and(|wanted| file.ends_with(wanted));
        for (file, lines) in covered.files.iter().filter(wanted) {
            print(format!("not run in {file}: {}", ranges(&lines.missed())));
        }
    }
    match low.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(format!("below the bar: {}", low.join(", ")))),
    }
}

/// The lines of a crate, by file.
#[derive(Debug, Default)]
struct Covered {
    files: BTreeMap<String, Lines>,
}

/// By line how often it ran.
#[derive(Debug, Default)]
struct Lines(BTreeMap<usize, u64>);

impl Lines {
    fn missed(&self) -> Vec<usize> {
        let missed = self.0.iter().filter(|(_, count)| **count == 0);
        missed.map(|(line, _)| *line).collect()
    }

    fn share(&self) -> f64 {
        share(self.0.len() - self.missed().len(), self.0.len())
    }
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

impl Covered {
    fn of_crate(name: &str) -> Outcome<Covered> {
        let source = root().join("crates").join(name).join("src");
        let program = build(name)?;
        let folder = target().join("coverage");
        fs::create_dir_all(&folder).map_err(|e| Failure::io("cannot create", &folder, &e))?;
        let raw = folder.join(format!("{name}.profraw"));
        let profile = folder.join(format!("{name}.profdata"));
        say(format!("testing {name}"));
        Program::new(&program)
            .dir(&root().join("crates").join(name))
            .env("LLVM_PROFILE_FILE", &raw)
            .succeed()?;
        let merge = Program::new(tool("llvm-profdata")?).args(["merge", "-sparse", "-o"]);
        merge.arg(&profile).arg(&raw).succeed()?;
        let mut of_profile = std::ffi::OsString::from("-instr-profile=");
        of_profile.push(&profile);
        let export = Program::new(tool("llvm-cov")?).args(["export", "-format=lcov"]);
        let lcov = export
            .arg(of_profile)
            .arg(&program)
            .arg(&source)
            .succeed()?
            .output;
        let tests = Tests::in_folder(&source)?;
        Ok(Covered::read(&lcov, &source, &tests))
    }

    /// Reads the format of lcov: `SF:FILE`, then `DA:LINE,COUNT` for each line with code.
    fn read(lcov: &str, source: &Path, tests: &Tests) -> Covered {
        let mut covered = Covered::default();
        let mut file = None;
        for line in lcov.lines() {
            if let Some(path) = line.strip_prefix("SF:") {
                file = Path::new(path).strip_prefix(source).ok().map(Path::to_owned);
            } else if let (Some(data), Some(file)) = (line.strip_prefix("DA:"), &file)
                && let Some((number, count)) = data.split_once(',')
                && let (Ok(number), Ok(count)) = (number.parse(), count.parse())
                && !tests.has(file, number)
            {
                let lines = covered.files.entry(file.display().to_string()).or_default();
                lines.0.insert(number, count);
            }
        }
        covered
    }

    fn total(&self) -> f64 {
        let lines = self.files.values();
        let missed: usize = lines.clone().map(|lines| lines.missed().len()).sum();
        let all: usize = lines.map(|lines| lines.0.len()).sum();
        share(all - missed, all)
    }

    fn table(&self, name: &str) -> String {
        let row = |(file, lines): (&String, &Lines)| {
            format!("{:>6.1} % {:>5} lines  {file}", lines.share(), lines.0.len())
        };
        let rows: Vec<String> = self.files.iter().map(row).collect();
        format!("{}\n{:>6.1} %              {name}", rows.join("\n"), self.total())
    }

    fn low(&self, name: &str) -> Vec<String> {
        let (of_crate, of_file) = BARS;
        let is_low = |lines: &Lines| lines.share() < of_file && lines.0.len() >= LEAST_LINES;
        let files = self.files.iter().filter(|(_, lines)| is_low(lines));
        let files = files.map(|(file, _)| file.clone());
        let whole = (self.total() < of_crate).then(|| name.to_owned());
        whole.into_iter().chain(files).collect()
    }
}

/// Which lines are tests.
#[derive(Debug, Default)]
struct Tests {
    /// Modules for tests, as files or folders.
    modules: BTreeSet<PathBuf>,
    /// The line from which on there are only tests.
    from: BTreeMap<PathBuf, usize>,
}

impl Tests {
    fn in_folder(source: &Path) -> Outcome<Tests> {
        let mut tests = Tests::default();
        let mut todo = vec![source.to_owned()];
        while let Some(folder) = todo.pop() {
            for entry in fs::read_dir(&folder)
                .map_err(|e| Failure::io("cannot read", &folder, &e))?
                .flatten()
            {
                let path = entry.path();
                if path.is_dir() {
                    todo.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text =
                        fs::read_to_string(&path).map_err(|e| Failure::io("cannot read", &path, &e))?;
                    tests.add(path.strip_prefix(source).unwrap_or(&path), &text);
                }
            }
        }
        Ok(tests)
    }

    fn add(&mut self, file: &Path, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        for (index, pair) in lines.windows(2).enumerate() {
            let Some((_, name)) = pair[1].split_once("mod ").filter(|_| pair[0] == "#[cfg(test)]") else {
                continue;
            };
            match name.strip_suffix(';') {
                Some(name) => {
                    let is_root = ["mod.rs", "lib.rs"].iter().any(|root| file.ends_with(root));
                    let folder = if is_root {
                        file.with_file_name("")
                    } else {
                        file.with_extension("")
                    };
                    self.modules.insert(folder.join(name));
                }
                None => {
                    self.from.insert(file.to_owned(), index + 1);
                }
            }
        }
    }

    fn has(&self, file: &Path, line: usize) -> bool {
        let is_module = file
            .ancestors()
            .any(|path| self.modules.contains(&path.with_extension("")));
        is_module || self.from.get(file).is_some_and(|from| line >= *from)
    }
}

/// As much of what cargo says as is needed.
#[derive(Deserialize)]
struct Artifact {
    executable: Option<PathBuf>,
}

/// Builds the crate's unit tests so that they count.
fn build(name: &str) -> Outcome<PathBuf> {
    let cargo = Program::new("cargo")
        .dir(&root())
        .args(["rustc", "--lib", "--profile", "test", "-p", name]);
    let cargo = cargo.args(["--message-format=json", "--", "-C", "instrument-coverage"]);
    let said = cargo.succeed()?.output;
    let artifacts = said
        .lines()
        .filter_map(|line| serde_json::from_str::<Artifact>(line).ok());
    let program = artifacts.filter_map(|artifact| artifact.executable).next_back();
    program.ok_or_else(|| Failure::new(format!("cargo built no tests of `{name}`")))
}

/// A program of the LLVM that belongs to the compiler.
fn tool(name: &str) -> Outcome<PathBuf> {
    let sysroot = Program::new("rustc")
        .args(["--print", "sysroot"])
        .succeed()?
        .output;
    let libraries = Path::new(sysroot.trim()).join("lib/rustlib");
    let hosts = fs::read_dir(&libraries).map_err(|e| Failure::io("cannot read", &libraries, &e))?;
    let mut programs = hosts.flatten().map(|host| host.path().join("bin").join(name));
    programs.find(|program| program.is_file()).ok_or_else(|| {
        Failure::new(format!("there is no `{name}`")).hint("run `rustup component add llvm-tools`")
    })
}

/// `1-3, 7`
fn ranges(lines: &[usize]) -> String {
    let parts = lines.chunk_by(|a, b| a + 1 == *b).map(|part| match part {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    });
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_tests_do_not_count() {
        let mut tests = Tests::default();
        tests.add(Path::new("lib.rs"), "mod a;\n#[cfg(test)]\nmod simulated;\n");
        tests.add(Path::new("a/mod.rs"), "code\n#[cfg(test)]\nmod tests {\n}\n");
        tests.add(Path::new("a/b.rs"), "#[cfg(test)]\nmod tests;\n");
        for (file, line, expected) in [
            ("a/mod.rs", 1, false),
            ("a/mod.rs", 3, true),
            ("simulated/jvm.rs", 1, true),
            ("simulated.rs", 1, true),
            ("a/b/tests.rs", 1, true),
            ("a/b.rs", 1, false),
            ("a/tests.rs", 1, false),
        ] {
            assert_eq!(tests.has(Path::new(file), line), expected, "{file}:{line}");
        }
    }

    #[test]
    fn shares_are_of_lines_with_code() {
        let lcov = "SF:/c/src/a.rs\nDA:1,2\nDA:2,0\nDA:3,0\nDA:9,1\nend_of_record\nSF:/c/src/b.rs\nDA:1,1\n\
                    end_of_record\nSF:/other/x.rs\nDA:1,0\nend_of_record\n";
        let mut tests = Tests::default();
        tests.add(
            Path::new("a.rs"),
            &format!("{}#[cfg(test)]\nmod tests {{\n", "code\n".repeat(7)),
        );
        let covered = Covered::read(lcov, Path::new("/c/src"), &tests);
        let a = &covered.files["a.rs"];
        assert_eq!((a.missed(), a.share().round()), (vec![2, 3], 33.0));
        assert_eq!(covered.total(), 50.0);
        assert_eq!(covered.low("c"), ["c"]);
        let many: String = (1..=10).map(|line| format!("DA:{line},0\n")).collect();
        let low = Covered::read(&format!("SF:/c/src/d.rs\n{many}"), Path::new("/c/src"), &tests);
        assert_eq!(low.low("c"), ["c", "d.rs"]);
        assert_eq!(ranges(&[1, 2, 3, 7]), "1-3, 7");
    }
}
