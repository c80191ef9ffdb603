//! `unflake doctor`: what unflake sees here.
//!
//! Every line is a thing that `check` needs. What is missing is said with what to do about it, and makes the exit code
//! 3.

use super::print;
use crate::args::DoctorArgs;
use crate::config::Config;
use crate::embedded;
use crate::exit::ExitCode;
use crate::jdk::{Jdk, JdkPlaces};
use crate::problem::render;
use crate::settings::{place, project};
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;
use std::path::Path;
use unflake_check::{Place, Problem};
use unflake_findings::ProjectStore;
use unflake_project::Build;
use unflake_runner::{Isolation, command};

pub(crate) fn run(args: DoctorArgs) -> Result<ExitCode, Problem> {
    let project = project(args.jvm.place.directory.as_deref())?;
    let config = Config::read(&project);
    let place = place(project, args.jvm, config.as_ref().unwrap_or(&Config::default()))?;
    let mut sheet = Sheet::default();
    sheet.line("unflake", Ok(env!("CARGO_PKG_VERSION").to_owned()));
    let jdks = jdks(&mut sheet, &place);
    build(&mut sheet, &place);
    let file = Config::places(&place.project)
        .into_iter()
        .find(|path| path.is_file());
    let file = file.map_or("none (not needed)".to_owned(), |path| path.display().to_string());
    sheet.line(
        "unflake.toml",
        config.map(|_| file).map_err(|problem| render(&problem)),
    );
    store(&mut sheet, &place);
    agent(&mut sheet, &place, &jdks);
    isolation(&mut sheet, &place);
    print(&sheet.text)?;
    Ok(if sheet.something_is_wrong {
        ExitCode::CannotWork
    } else {
        ExitCode::Clean
    })
}

/// The findings so far.
#[derive(Default)]
struct Sheet {
    text: String,
    something_is_wrong: bool,
}

impl Sheet {
    fn line(&mut self, about: &str, what: Result<String, String>) {
        let (colour, mark, what) = match &what {
            Ok(what) => (AnsiColor::Green, "ok", what),
            Err(what) => (AnsiColor::Red, "no", what),
        };
        self.something_is_wrong |= mark == "no";
        let style = Style::new().bold().fg_color(Some(colour.into()));
        // Messages have lines of their own: they stand under the first.
        let what = what.trim_end().replace('\n', "\n                 ");
        let _ = writeln!(self.text, "{style}{mark}{style:#}  {about:12} {what}");
    }

    fn problem(&mut self, about: &str, problem: &Problem) {
        self.line(about, Err(render(problem)));
    }
}

fn jdks(sheet: &mut Sheet, place: &Place) -> Vec<Jdk> {
    let taken = crate::jdk::require(place.java.as_deref());
    let mut all = JdkPlaces::of_this_process().all();
    if let Ok(taken) = &taken
        && !all.iter().any(|jdk| same(&jdk.home, &taken.home))
    {
        all.insert(0, taken.clone());
    }
    for jdk in &all {
        let version = jdk.version.as_deref().unwrap_or("of unknown version");
        let mut what = format!("{version} in {} ({})", jdk.home.display(), jdk.seen.join(", "));
        if !jdk.can_compile {
            what.push_str(": a JRE, without a compiler");
        }
        if taken.as_ref().is_ok_and(|taken| same(&taken.home, &jdk.home)) {
            what.push_str(": the build uses this one");
        }
        sheet.line("JDK", Ok(what));
    }
    if let Err(problem) = &taken {
        sheet.problem("JDK", problem);
    }
    all
}

fn same(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or(path.to_owned());
    real(a) == real(b)
}

fn build(sheet: &mut Sheet, place: &Place) {
    let build = match Build::find(&place.project, std::env::var_os("PATH").as_deref()) {
        Ok(build) => build,
        Err(error) => return sheet.line("build", Err(format!("{error}\nhint: {}", error.hint()))),
    };
    let file = build.file().unwrap_or_else(|| build.directory.clone());
    sheet.line("project", Ok(file.display().to_string()));
    sheet.line(build.tool.facts().name, tool(&build, place));
    let modules = build.tool.modules(&build.directory);
    sheet.line(
        "modules",
        Ok(if modules.is_empty() {
            "only the project itself".to_owned()
        } else {
            modules.join(", ")
        }),
    );
}

/// The build tool's program and version.
fn tool(build: &Build, place: &Place) -> Result<String, String> {
    let program = build.program.display();
    let mut tool = command(&build.program, &build.directory);
    tool.arg("--version");
    if let Some(home) = &place.java {
        tool.env("JAVA_HOME", home);
    }
    let output = tool
        .output()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let text = anstream::adapter::strip_str(&text).to_string();
    match build.tool.version(&text) {
        Some(version) if output.status.success() => Ok(format!("{version}, {program}")),
        _ => Err(format!(
            "{program} does not work:\n{}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}

fn store(sheet: &mut Sheet, place: &Place) {
    let opened = ProjectStore::open(&place.store, &place.project).map_err(Problem::from);
    match opened {
        Ok(store) => {
            let runs = match store.runs().map_or(0, |runs| runs.len()) {
                1 => "1 run".to_owned(),
                runs => format!("{runs} runs"),
            };
            sheet.line("store", Ok(format!("{} ({runs})", store.directory().display())));
        }
        Err(problem) => sheet.problem("store", &problem),
    }
}

fn agent(sheet: &mut Sheet, place: &Place, jdks: &[Jdk]) {
    let agent = match embedded::agent(&place.store) {
        Ok(agent) => agent,
        Err(problem) => return sheet.problem("agent", &problem),
    };
    for jdk in jdks {
        let version = jdk.version.as_deref().unwrap_or("of unknown version");
        let loaded = loads(&agent, jdk).map(|()| format!("loads into Java {version}"));
        sheet.line(
            "agent",
            loaded.map_err(|why| format!("does not load into Java {version}:\n{why}")),
        );
    }
}

/// Whatever the answer is, `check` works with it.
fn isolation(sheet: &mut Sheet, place: &Place) {
    let isolation = Isolation::new(place.isolation, &place.project, [place.store.clone()]);
    match unflake_check::scratch() {
        Ok(scratch) => sheet.line("isolation", Ok(isolation.of_project(scratch.path()).to_string())),
        Err(problem) => sheet.problem("isolation", &problem),
    }
}

fn loads(agent: &Path, jdk: &Jdk) -> Result<(), String> {
    let mut option = std::ffi::OsString::from("-agentpath:");
    option.push(agent);
    let output = command(jdk.home.join("bin/java"), Path::new("/"))
        .arg(option)
        .arg("-version")
        .env_remove("JAVA_TOOL_OPTIONS")
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
    Err(said.join("\n").trim().to_owned())
}
