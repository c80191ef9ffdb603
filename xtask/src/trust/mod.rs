//! `cargo xtask trust`: suites that try to make unflake say something that is not true. Each writes a project of its
//! own, checks it several times, and compares what was found with what is known.

mod chance;
mod faults;
mod hostile;
mod processes;
mod project;
mod servers;

use crate::args::Args;
use crate::process::{Ended, Program};
use crate::real::{build_breakable, build_unflake};
use crate::{Failure, Outcome, target};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const USAGE: &str = "cargo xtask trust chance|hostile|servers|faults [--times N] [--java HOME] [--unflake PROGRAM] [--only NAME] [--option=OPTION_OF_CHECK…]";

pub(crate) fn run(args: Vec<String>) -> Outcome<()> {
    let mut args = args.into_iter();
    let suite = args.next();
    let mut args = Args::new(args.collect::<Vec<String>>(), USAGE);
    let asked = Asked {
        times: args.number("--times", 0)?,
        java: args.value("--java")?.map(PathBuf::from),
        only: args.value("--only")?,
        program: match args.value("--unflake")? {
            Some(program) => PathBuf::from(program),
            None if suite.as_deref() == Some("faults") => build_breakable()?,
            None => build_unflake()?,
        },
        options: args.values("--option")?,
    };
    args.end()?;
    match suite.as_deref() {
        Some("chance") => chance::run(&asked),
        Some("hostile") => hostile::run(&asked),
        Some("servers") => servers::run(&asked),
        Some("faults") => faults::run(&asked),
        _ => Err(Failure::usage("which suite?", USAGE)),
    }
}

/// What was asked for on the command line.
struct Asked {
    /// 0: as often as the suite says.
    times: usize,
    java: Option<PathBuf>,
    only: Option<String>,
    program: PathBuf,
    /// More options of `check`.
    options: Vec<String>,
}

/// What a check said.
struct Checked {
    ended: Ended,
    document: Value,
}

impl Asked {
    /// A folder of ours, empty.
    fn folder(&self, name: &str) -> Outcome<PathBuf> {
        let folder = target().join("trust").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|e| Failure::io("cannot remove", &folder, &e))?;
        }
        fs::create_dir_all(&folder).map_err(|e| Failure::io("cannot create", &folder, &e))?;
        Ok(folder)
    }

    /// Checks a project with these options; it must end within this time with a document.
    fn check(&self, project: &Path, options: &[&str], limit: Duration) -> Outcome<Checked> {
        self.check_with(Program::new(&self.program), project, options, limit)
    }

    /// The same with this program.
    fn check_with(
        &self,
        program: Program,
        project: &Path,
        options: &[&str],
        limit: Duration,
    ) -> Outcome<Checked> {
        let json = project.join("unflake.json");
        let store = project.with_extension("store");
        let mut check = program
            .args(["check", "--progress", "none", "-C"])
            .arg(project)
            .arg("--store")
            .arg(&store)
            .arg(format!("--format=json={}", json.display()))
            .args(options)
            .args(&self.options)
            .limit(limit);
        if let Some(java) = &self.java {
            check = check.arg("--java").arg(java);
        }
        let _ = fs::remove_file(&json);
        let ended = check.run()?;
        let text = fs::read_to_string(&json).map_err(|_| {
            Failure::new(format!(
                "`{}` ended with {} and wrote no document:\n{}",
                ended.shown, ended.status, ended.output
            ))
        })?;
        let document = serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("{}: {error}", json.display())))?;
        Ok(Checked { ended, document })
    }
}

impl Checked {
    /// Kind and test of each finding, sorted.
    fn findings(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let all = self.document["findings"].as_array().into_iter().flatten();
        let mut findings: Vec<(String, String)> = all
            .map(|finding| (text(&finding["kind"]), text(&finding["test"])))
            .collect();
        findings.sort();
        findings
    }

    /// Each test with its state.
    fn states(&self) -> Vec<String> {
        let tests = self.document["tests"].as_array().into_iter().flatten();
        tests
            .map(|test| format!("{} {}", test["test"], test["state"]))
            .collect()
    }

    /// The state of a test, by the end of its name.
    fn state(&self, name: &str) -> Option<&str> {
        let mut tests = self.document["tests"].as_array()?.iter();
        let test = tests.find(|test| test["test"].as_str().is_some_and(|test| test.ends_with(name)))?;
        test["state"].as_str()
    }
}
