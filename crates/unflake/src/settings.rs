//! What was asked for, complete: the command line and the environment, then `unflake.toml`, then the defaults.

use crate::args::{
    Arguments, CheckArgs, Color, Command, DebugArgs, ExecArgs, ExploreArgs, ExploreFormat, FixArgs, Format,
    FormatArg, JvmArgs, PlaceArgs, ProgressArg, ReplayArgs, ScreenArgs, VaryArgs, VictimsArgs, Window,
};
use crate::config::Config;
use crate::values::FailOn;
use clap::Parser as _;
use std::ffi::OsString;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use unflake_check::{
    CheckKind, ExploreOptions, Grouping, Measure, Options, Place, PollutionOptions, Problem, Vary, problem,
    unknown_api,
};
use unflake_findings::{ProjectStore, Safety, default_base, project_with};
use unflake_protocol::Seed;

/// For `check`.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) options: Options,
    pub(crate) screen: Screen,
    /// At least one; at most one of them without a file.
    pub(crate) formats: Vec<FormatArg>,
    pub(crate) fail_on: FailOn,
    pub(crate) exit_zero: bool,
    pub(crate) require_complete: bool,
}

/// For `replay`.
#[derive(Clone, Debug)]
pub(crate) struct ReplaySettings {
    pub(crate) place: Place,
    pub(crate) screen: Screen,
    /// A finding's id, or the beginning of it, or a test.
    pub(crate) wanted: String,
    pub(crate) times: u32,
    /// Sorted; empty: all.
    pub(crate) choices: Vec<u32>,
    pub(crate) jdwp: Option<u16>,
    pub(crate) stop: bool,
}

/// For `debug`.
#[derive(Clone, Debug)]
pub(crate) struct DebugSettings {
    pub(crate) place: Place,
    pub(crate) screen: Screen,
    /// Ids or tests as the user wrote them; empty: all without a cause.
    pub(crate) findings: Vec<String>,
    pub(crate) budget: Option<Duration>,
    pub(crate) jobs: NonZeroUsize,
    pub(crate) formats: Vec<FormatArg>,
}

/// For `fix`.
#[derive(Clone, Debug)]
pub(crate) struct FixSettings {
    pub(crate) place: Place,
    pub(crate) screen: Screen,
    /// Ids or tests as the user wrote them; empty: all implementation-dependent ones.
    pub(crate) findings: Vec<String>,
    pub(crate) apply: bool,
    pub(crate) interactive: bool,
    pub(crate) all: bool,
    pub(crate) allow_dirty: bool,
    pub(crate) by: Grouping,
    pub(crate) safety: Safety,
    pub(crate) jobs: NonZeroUsize,
    pub(crate) formats: Vec<FormatArg>,
    /// For the check that comes first where no run is stored.
    pub(crate) check: Options,
}

/// For `victims`.
#[derive(Clone, Debug)]
pub(crate) struct VictimsSettings {
    pub(crate) place: Place,
    pub(crate) screen: Screen,
    /// A test or a finding, as the user wrote it.
    pub(crate) wanted: String,
    pub(crate) budget: Option<Duration>,
    pub(crate) jobs: NonZeroUsize,
    pub(crate) formats: Vec<FormatArg>,
}

/// For `explore`.
#[derive(Clone, Debug)]
pub(crate) struct ExploreSettings {
    pub(crate) place: Place,
    pub(crate) screen: Screen,
    /// A test or a finding, as the user wrote it.
    pub(crate) wanted: String,
    pub(crate) options: ExploreOptions,
    pub(crate) formats: Vec<FormatArg<ExploreFormat>>,
}

/// For `exec`.
#[derive(Clone, Debug)]
pub(crate) struct ExecSettings {
    pub(crate) place: Place,
    pub(crate) vary: Vary,
    pub(crate) screen: Screen,
    pub(crate) window: Window,
    pub(crate) command: Vec<OsString>,
}

/// What is on the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) quiet: bool,
    /// How often `-v` was given.
    pub(crate) verbose: u8,
    pub(crate) color: Color,
    pub(crate) progress: ProgressArg,
}

impl From<ScreenArgs> for Screen {
    fn from(args: ScreenArgs) -> Screen {
        Screen {
            quiet: args.quiet,
            verbose: args.verbose,
            color: args.color,
            progress: args.progress,
        }
    }
}

impl Settings {
    pub(crate) fn resolve(mut args: CheckArgs, screen: Screen) -> Result<Settings, Problem> {
        if let ([lone], None) = (args.tests.as_slice(), &args.jvm.place.directory)
            && Path::new(lone).is_dir()
        {
            args.jvm.place.directory = Some(PathBuf::from(args.tests.remove(0)));
        }
        let project = project(args.jvm.place.directory.as_deref())?;
        let config = Config::read(&project)?;
        let ignores = config.ignores.clone();
        let options = Options {
            vary: vary(args.vary, &config)?,
            rounds: args.rounds.or(config.rounds),
            budget: args.budget.or(config.budget),
            control: args.control.or(config.control).unwrap_or(1),
            jobs: args
                .jobs
                .map(usize::from)
                .or(config.jobs)
                .and_then(NonZeroUsize::new)
                .unwrap_or_else(cores),
            timeout: args.timeout.or(config.timeout),
            causes: !args.no_debug,
            kinds: args.only.into_iter().map(CheckKind::from).collect(),
            proof: !args.no_proof,
            graph: args.graph,
            measure: args.measure.into_iter().map(Measure::from).collect(),
            measure_times: args.measure_times,
            pollution: PollutionOptions {
                all_roots: args.all_roots || config.pollution.all_roots,
                eager: args.eager.unwrap_or(config.pollution.eager),
                ..config.pollution.clone()
            },
            place: place(project, args.jvm, &config)?,
            tests: args.tests,
            build_arguments: args.build_arguments,
            ignores,
            command: std::env::args_os()
                .skip(1)
                .map(|argument| argument.to_string_lossy().into_owned())
                .collect(),
        };
        Ok(Settings {
            options,
            fail_on: args.fail_on.or(config.fail_on).unwrap_or_default(),
            formats: formats(args.format, Format::Text)?,
            exit_zero: args.exit_zero,
            require_complete: args.require_complete,
            screen,
        })
    }
}

impl ReplaySettings {
    pub(crate) fn resolve(args: ReplayArgs, screen: Screen) -> Result<ReplaySettings, Problem> {
        Ok(ReplaySettings {
            place: place_of_finding(args.jvm, Some(&args.wanted))?,
            screen,
            wanted: args.wanted,
            times: args.times,
            choices: args.choices.into_iter().flatten().collect(),
            jdwp: args.jdwp,
            stop: args.stop,
        })
    }
}

impl Settings {
    /// What `unflake check -C DIRECTORY` would take.
    pub(crate) fn of_check(directory: &Path, screen: Screen) -> Result<Settings, Problem> {
        let words = ["unflake", "check", "-C"].map(OsString::from);
        let arguments = words.into_iter().chain([directory.as_os_str().to_owned()]);
        let Ok(Arguments {
            command: Command::Check(check),
            ..
        }) = Arguments::try_parse_from(arguments)
        else {
            // The only other source is the environment, and that has been read for our own arguments before.
            return Err(problem!(
                Usage,
                "an `UNFLAKE_…` variable has a value that `unflake check` does not accept"
            )
            .hint("run `unflake check` to see which"));
        };
        let mut settings = Settings::resolve(*check, screen)?;
        settings.options.command = vec![
            "check".to_owned(),
            "-C".to_owned(),
            directory.display().to_string(),
        ];
        Ok(settings)
    }
}

impl DebugSettings {
    pub(crate) fn resolve(args: DebugArgs, screen: Screen) -> Result<DebugSettings, Problem> {
        let place = place_of_finding(args.jvm, args.findings.first().map(String::as_str))?;
        let jobs = args.jobs.map(usize::from).and_then(NonZeroUsize::new);
        Ok(DebugSettings {
            place,
            screen,
            findings: args.findings,
            budget: args.budget,
            jobs: jobs.unwrap_or_else(cores),
            formats: formats(args.format, Format::Text)?,
        })
    }
}

impl FixSettings {
    pub(crate) fn resolve(args: FixArgs, screen: Screen) -> Result<FixSettings, Problem> {
        let place = place_of_finding(args.jvm, args.findings.first().map(String::as_str))?;
        let mut check = Settings::of_check(&place.project, screen)?.options;
        check.place = place.clone();
        check.kinds = vec![CheckKind::Id];
        check.causes = true;
        check.build_arguments = args.build_arguments;
        let jobs = args
            .jobs
            .map(usize::from)
            .and_then(NonZeroUsize::new)
            .unwrap_or_else(cores);
        check.jobs = jobs;
        Ok(FixSettings {
            place,
            screen,
            findings: args.findings,
            apply: args.apply,
            interactive: args.interactive,
            all: args.all,
            allow_dirty: args.allow_dirty,
            by: args.by.unwrap_or_default(),
            safety: args.safety.unwrap_or_default(),
            jobs,
            formats: formats(args.format, Format::Text)?,
            check,
        })
    }
}

impl VictimsSettings {
    pub(crate) fn resolve(args: VictimsArgs, screen: Screen) -> Result<VictimsSettings, Problem> {
        let jobs = args.jobs.map(usize::from).and_then(NonZeroUsize::new);
        Ok(VictimsSettings {
            place: place_of_finding(args.jvm, Some(&args.test))?,
            screen,
            wanted: args.test,
            budget: args.budget,
            jobs: jobs.unwrap_or_else(cores),
            formats: formats(args.format, Format::Text)?,
        })
    }
}

impl ExploreSettings {
    pub(crate) fn resolve(args: ExploreArgs, screen: Screen) -> Result<ExploreSettings, Problem> {
        const BUDGET: Duration = Duration::from_secs(120);
        let around = args.around.is_some();
        let wanted = args.around.or(args.test).unwrap_or_default();
        let jobs = args.jobs.map(usize::from).and_then(NonZeroUsize::new);
        Ok(ExploreSettings {
            place: place_of_finding(args.jvm, Some(&wanted))?,
            screen,
            wanted,
            options: ExploreOptions {
                around,
                distance: args.distance,
                elements: args.elements,
                samples: args.samples,
                runs: args.runs,
                budget: Some(args.budget.unwrap_or(BUDGET)),
                first: args.first,
                breadth: args.breadth_first,
                random: args.random,
                seed: args.seed.map(Seed::from_bits),
                fresh: args.fresh,
                // Two JVMs may meet in a file or at a port, which would look like the test's own doing.
                jobs: jobs.unwrap_or(NonZeroUsize::MIN),
            },
            formats: formats(args.format, ExploreFormat::Text)?,
        })
    }
}

/// The project to replay in when none is named: the current directory's if it has the finding, else the one whose
/// latest run has it, so that the command that a report prints works from anywhere. `None`: no project has it.
fn project_of(args: &PlaceArgs, finding: &str) -> Result<Option<PathBuf>, Problem> {
    let base = store(args.store.clone())?;
    let here = Path::new(".");
    let is_here = base.is_dir() && ProjectStore::open(&base, here)?.find(finding).is_ok();
    if is_here {
        Ok(None)
    } else {
        Ok(project_with(&base, finding)?)
    }
}

impl ExecSettings {
    pub(crate) fn resolve(args: ExecArgs, screen: Screen) -> Result<ExecSettings, Problem> {
        let project = project(args.place.directory.as_deref())?;
        let config = Config::read(&project)?;
        Ok(ExecSettings {
            vary: vary(args.vary, &config)?,
            // A command of the user's runs as it is.
            place: place(
                project,
                JvmArgs {
                    place: args.place,
                    isolation: None,
                },
                &config,
            )?,
            screen,
            window: args.window,
            command: args.command,
        })
    }
}

/// Where a finding is, if one is named and no directory.
fn place_of_finding(mut args: JvmArgs, finding: Option<&str>) -> Result<Place, Problem> {
    if let (None, Some(finding)) = (&args.place.directory, finding) {
        args.place.directory = project_of(&args.place, finding)?;
    }
    let project = project(args.place.directory.as_deref())?;
    let config = Config::read(&project)?;
    place(project, args, &config)
}

pub(crate) fn place(project: PathBuf, args: JvmArgs, config: &Config) -> Result<Place, Problem> {
    let java = args
        .place
        .java
        .or_else(|| config.java.as_ref().map(|java| project.join(java)));
    if let Some(home) = &java
        && !home.join("bin/java").is_file()
    {
        return Err(problem!(
            CannotWork,
            "there is no JDK at `{}`: it has no `bin/java`",
            home.display()
        )
        .hint("`unflake doctor` lists the JDKs on this machine"));
    }
    let store = store(args.place.store)?;
    // Test JVMs run in other directories, so a relative path would mean another place there.
    let store = std::path::absolute(&store).unwrap_or(store);
    let java = java.map(|home| std::path::absolute(&home).unwrap_or(home));
    Ok(Place {
        project,
        java,
        store,
        isolation: args.isolation.or(config.isolation).unwrap_or_default(),
    })
}

fn vary(args: VaryArgs, config: &Config) -> Result<Vary, Problem> {
    let or_file =
        |given: Vec<String>, file: &Vec<String>| if given.is_empty() { file.clone() } else { given };
    let mut vary = Vary {
        seed: args.seed.or(config.seed).unwrap_or_default(),
        level: args.level.or(config.level).unwrap_or_default(),
        api: or_file(args.api, &config.api),
        skip_api: or_file(args.skip_api, &config.skip_api),
        from: or_file(args.from, &config.from),
        skip_from: or_file(args.skip_from, &config.skip_from),
        user_models: config.user_models.clone(),
    };
    // An `[[ignore]]` that names no test is a filter with a reason.
    for ignore in config.ignores.iter().filter(|ignore| ignore.test.is_none()) {
        vary.skip_api.extend(ignore.api.clone());
        vary.skip_from.extend(ignore.from.clone());
    }
    // Only to say now, before anything is built, that a name is wrong.
    unflake_models::select(&vary.api, &vary.skip_api).map_err(|unknown| unknown_api(&unknown))?;
    Ok(vary)
}

/// The store's base.
pub(crate) fn store(given: Option<PathBuf>) -> Result<PathBuf, Problem> {
    match given {
        Some(store) => Ok(store),
        None => Ok(default_base(|name| std::env::var_os(name))?),
    }
}

/// The project's directory, absolute.
pub(crate) fn project(given: Option<&Path>) -> Result<PathBuf, Problem> {
    let path = given.unwrap_or(Path::new("."));
    let directory = fs::canonicalize(path).map_err(|error| {
        problem!(CannotWork, "there is no directory `{}`", path.display())
            .cause(error)
            .hint("name the project's directory with `-C DIR`")
    })?;
    if directory.is_dir() {
        return Ok(directory);
    }
    Err(problem!(CannotWork, "`{}` is not a directory", path.display())
        .hint("name the project's directory, not a file in it"))
}

/// Text goes to the screen unless something else does.
fn formats<F>(mut given: Vec<FormatArg<F>>, text: F) -> Result<Vec<FormatArg<F>>, Problem> {
    match given.iter().filter(|format| format.file.is_none()).count() {
        0 => given.push(FormatArg {
            format: text,
            file: None,
        }),
        1 => {}
        _ => {
            return Err(problem!(Usage, "two formats cannot both go to the screen")
                .hint("write one into a file: `--format json=FILE`"));
        }
    }
    Ok(given)
}

fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_check::SeedSetting;
    use unflake_findings::LevelSetting;
    use unflake_protocol::Level;

    /// The settings of `unflake check ARGUMENTS` in a project with this `unflake.toml`.
    fn settings(toml: &str, arguments: &[&str]) -> (tempfile::TempDir, Settings) {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join("unflake.toml"), toml).unwrap();
        let directory = project.path().to_str().unwrap();
        let words = ["unflake", "check", "-C", directory, "--store", "/s"].into_iter();
        let parsed = Arguments::try_parse_from(words.chain(arguments.iter().copied())).unwrap();
        let Command::Check(check) = parsed.command else {
            panic!("not check")
        };
        let settings = Settings::resolve(*check, Screen::from(parsed.screen)).unwrap();
        (project, settings)
    }

    #[test]
    fn the_command_line_wins_over_the_file_and_that_over_the_defaults() {
        let toml = "rounds = 5\nlevel = \"eq\"\napi = \"HashMap.*\"\nseed = 9";
        let (_project, settings) = settings(toml, &["--rounds", "2", "--api", "File.list,HashMap.values"]);
        assert_eq!(settings.options.rounds, Some(2));
        assert_eq!(settings.options.vary.level, LevelSetting::Only(Level::Eq));
        assert_eq!(settings.options.vary.api, ["File.list", "HashMap.values"]);
        assert_eq!(settings.options.vary.seed, SeedSetting::Fixed(Seed(9)));
        assert_eq!(
            (settings.options.control, settings.fail_on),
            (1, FailOn::default())
        );
        assert_eq!(
            settings.formats,
            [FormatArg {
                format: Format::Text,
                file: None
            }]
        );
    }

    #[test]
    fn an_ignore_without_a_test_is_a_filter() {
        let toml = "[[ignore]]\napi = \"File.*\"\nreason = \"x\"\n[[ignore]]\ntest = \"A\"\nreason = \"y\"";
        let (_project, settings) = settings(toml, &["--skip-api", "HashMap.values"]);
        assert_eq!(settings.options.vary.skip_api, ["HashMap.values", "File.*"]);
        assert_eq!(settings.options.ignores.len(), 2);
    }

    #[test]
    fn text_stays_on_the_screen_when_other_formats_go_to_files() {
        let (_project, settings) = settings("", &["--format", "json=out.json", "--", "-Pfast"]);
        let screen: Vec<Format> = settings
            .formats
            .iter()
            .filter(|format| format.file.is_none())
            .map(|format| format.format)
            .collect();
        assert_eq!(screen, [Format::Text]);
        assert_eq!(settings.options.build_arguments, ["-Pfast"]);
    }
}
