//! `cargo xtask bench real`: unflake beside NonDex 2.2.1 on four published projects, each put together again from what
//! Maven Central has of it. Plain `mvn test`, NonDex with 3 and with 10 rounds, and `unflake check --only id` get the
//! same project, the same JDK and the same properties; what fails in the plain run is left out for all of them alike.

pub(crate) mod explain;
mod maven;
mod nondex;
pub(crate) mod pollution;
mod projects;
pub(crate) mod repair;
mod surefire;
mod table;
mod unflake;

pub(crate) use table::median;
pub(crate) use unflake::{build as build_unflake, build_breakable};

use crate::args::Args;
use crate::jdks::Jdk;
use crate::{Failure, Outcome, print, say, target};
use maven::Checkout;
use projects::{PROJECTS, Project};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use table::{Finding, Measured, Tool};

const USAGE: &str = "cargo xtask bench real [PROJECT…] [--java HOME] [--dir DIR] [--times N] [--nondex 3,10] \
                     [--only prepare,plain,nondex,unflake] [--unflake PROGRAM] [--seed N]";

/// What is to be done.
struct Plan {
    java: Jdk,
    dir: PathBuf,
    times: usize,
    nondex: Vec<usize>,
    steps: BTreeSet<String>,
    program: Option<PathBuf>,
    seed: Option<String>,
}

pub fn run(args: Vec<String>) -> Outcome<()> {
    let mut args = Args::new(args, USAGE);
    let plan = plan(&mut args)?;
    let projects = chosen(&args.rest()?, PROJECTS.iter().collect(), USAGE)?;
    for project in projects {
        measure(project, &plan)?;
    }
    let measured = read_all(&plan.dir)?;
    let report = table::markdown(&measured);
    let file = plan.dir.join("table.md");
    fs::write(&file, &report).map_err(|e| Failure::io("cannot write", &file, &e))?;
    print(report);
    Ok(())
}

/// The JDK to measure on, and the directory with the projects.
fn place(args: &mut Args, usage: &'static str) -> Outcome<(Jdk, PathBuf)> {
    let java = match args.value("--java")?.or_else(|| std::env::var("JAVA_HOME").ok()) {
        Some(home) => Jdk::at(Path::new(&home))?,
        None => {
            return Err(Failure::usage(
                "no JDK: give --java HOME, or set JAVA_HOME",
                usage,
            ));
        }
    };
    let dir = args
        .value("--dir")?
        .map_or_else(|| target().join("bench/real"), PathBuf::from);
    Ok((java, dir))
}

fn plan(args: &mut Args) -> Outcome<Plan> {
    let (java, dir) = place(args, USAGE)?;
    let known = ["prepare", "plain", "nondex", "unflake"];
    let steps: BTreeSet<String> = match args.value("--only")? {
        Some(list) => list.split(',').map(str::to_owned).collect(),
        None => known.iter().map(|step| (*step).to_owned()).collect(),
    };
    if let Some(step) = steps.iter().find(|step| !known.contains(&step.as_str())) {
        return Err(Failure::usage(
            format!("unknown step `{step}`; use one of {}", known.join(", ")),
            USAGE,
        ));
    }
    let nondex = args.value("--nondex")?.unwrap_or_else(|| "3,10".to_owned());
    let nondex = nondex
        .split(',')
        .map(|n| {
            n.parse()
                .map_err(|_| Failure::usage(format!("`--nondex` needs numbers of rounds, not `{n}`"), USAGE))
        })
        .collect::<Outcome<_>>()?;
    let program = args.value("--unflake")?.map(PathBuf::from);
    let (times, seed) = (args.number("--times", 3)?, args.value("--seed")?);
    Ok(Plan {
        java,
        dir,
        times,
        nondex,
        steps,
        program,
        seed,
    })
}

/// Those of `known` that have these names; all if there are none.
fn chosen(names: &[String], known: Vec<&'static Project>, usage: &str) -> Outcome<Vec<&'static Project>> {
    if names.is_empty() {
        return Ok(known);
    }
    let find = |name: &String| {
        let found = known.iter().copied().find(|project| project.is_called(name));
        found.ok_or_else(|| {
            let known: Vec<&str> = known.iter().map(|project| project.name()).collect();
            let message = format!("unknown project `{name}`; use one of {}", known.join(", "));
            Failure::usage(message, usage)
        })
    };
    names.iter().map(find).collect()
}

/// Does the steps asked for on one project; the results of steps not asked for stay as an earlier call left them.
fn measure(project: &Project, plan: &Plan) -> Outcome<()> {
    let checkout = Checkout::new(project, &plan.java, &plan.dir);
    let file = plan.dir.join(format!("{}.json", checkout.name()));
    let mut measured = match fs::read_to_string(&file) {
        Ok(text) => Measured::parse(&text).map_err(|e| Failure::new(format!("`{}`: {e}", file.display())))?,
        Err(_) => Measured::new(project.name(), plan.java.version),
    };
    let save = |measured: &Measured| {
        fs::write(&file, measured.to_json()).map_err(|e| Failure::io("cannot write", &file, &e))
    };
    let wants = |step: &str| plan.steps.contains(step);
    if wants("prepare") || !checkout.is_ready() {
        say(format!("{}: putting it together", checkout.name()));
        checkout.prepare()?;
    }
    if wants("plain") || measured.tests == 0 {
        plain(&checkout, plan.times, &mut measured)?;
        save(&measured)?;
    }
    if wants("nondex") {
        for rounds in &plan.nondex {
            say(format!("{}: NonDex, {rounds} rounds", checkout.name()));
            let ran = nondex::run(&checkout, *rounds)?;
            say(format!("  {:.1} s, {} found", ran.seconds, ran.found.len()));
            let found = ran
                .found
                .into_iter()
                .map(|test| (test, Finding::default()))
                .collect();
            let tool = Tool {
                seconds: vec![ran.seconds],
                found,
                note: ran.note,
            };
            measured.tools.insert(format!("nondex-{rounds}"), tool);
            save(&measured)?;
        }
    }
    if wants("unflake") {
        let program = match &plan.program {
            Some(program) => program.clone(),
            None => unflake::build()?,
        };
        let mut tool = Tool::default();
        for n in 1..=plan.times {
            let ran = unflake::check(&program, &checkout, plan.seed.as_deref(), n)?;
            say(format!(
                "{}: unflake {n} of {}: {:.1} s, {} found",
                checkout.name(),
                plan.times,
                ran.seconds,
                ran.found.len()
            ));
            tool.seconds.push(ran.seconds);
            for (test, finding) in ran.found {
                tool.found.entry(test).or_insert(finding).times += 1;
            }
            tool.note = ran.note;
        }
        measured.tools.insert("unflake".to_owned(), tool);
        save(&measured)?;
    }
    Ok(())
}

/// Plain runs: times, number of tests, and what fails without anybody's help.
fn plain(checkout: &Checkout, times: usize, measured: &mut Measured) -> Outcome<()> {
    measured.plain.clear();
    measured.failing.clear();
    for n in 1..=times {
        let ran = checkout.test(&format!("plain-{n}"))?;
        say(format!(
            "{}: plain {n} of {times}: {:.1} s, {} tests, {} failing",
            checkout.name(),
            ran.seconds,
            ran.results.tests(),
            ran.results.failing().len()
        ));
        measured.plain.push(ran.seconds);
        measured.tests = ran.results.tests();
        measured.failing.extend(ran.results.failing());
    }
    Ok(())
}

fn read_all(dir: &Path) -> Outcome<Vec<Measured>> {
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    for entry in fs::read_dir(dir)
        .map_err(|e| Failure::io("cannot list", dir, &e))?
        .flatten()
    {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = fs::read_to_string(&path).map_err(|e| Failure::io("cannot read", &path, &e))?;
            files.insert(path, text);
        }
    }
    files
        .into_iter()
        .map(|(path, text)| {
            Measured::parse(&text).map_err(|e| Failure::new(format!("`{}`: {e}", path.display())))
        })
        .collect()
}
