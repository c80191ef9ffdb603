//! The command line.
//!
//! Only what works is here: an option comes with the thing it switches. What is left out on the command line is `None`
//! and is filled in by [`crate::settings`] from `unflake.toml` and the defaults.

use crate::values::{FailOn, parse_age, parse_count, parse_duration, parse_range};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use unflake_check::{CheckKind, Eager, Grouping, Measure as Captured, SeedSetting};
use unflake_findings::{LevelSetting, Safety};
use unflake_runner::IsolationSetting;

/// Finds JVM tests that pass only by luck.
///
/// In the directory of a Maven or Gradle project, `unflake check` reports tests that pass only because of the order in
/// which this JDK happens to return things, and tests that leave shared state changed, each with a command that repeats
/// it.
#[derive(Debug, Parser)]
#[command(
    name = "unflake",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find tests that pass only by luck: implementation-dependent ones, polluters, victims
    #[command(after_help = CHECK_HELP)]
    Check(Box<CheckArgs>),
    /// Find the causes of findings that have none yet
    Debug(DebugArgs),
    /// Repair implementation-dependent tests and polluters: proved patches, shown or applied
    Fix(FixArgs),
    /// Try all allowed behaviours of one test
    Explore(ExploreArgs),
    /// Repeat the failure of a finding
    Replay(ReplayArgs),
    /// Find the tests that fail after a test, that make it fail, or that it needs before it
    Victims(VictimsArgs),
    /// List the stored runs of the project, or the projects in the store
    Runs(RunsArgs),
    /// Remove stored runs
    Clean(CleanArgs),
    /// List the modelled APIs, or explain one
    Models(ModelsArgs),
    /// Explain a rule or an API: what it means, and how to repair it by hand
    Explain(ExplainArgs),
    /// Show what unflake finds here: JDKs, build, modules, whether the agent loads
    Doctor(DoctorArgs),
    /// Write a small example project and check it
    Demo(DemoArgs),
    /// Run any command with its Java programs varied
    Exec(ExecArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
}

const CHECK_HELP: &str = "\
Options with a value can also be set in the environment (`--skip-api` as UNFLAKE_SKIP_API), and most of them in \
`unflake.toml` in the project's directory: rounds, budget, level, seed, control, api, skip_api, from, skip_from, jobs, \
java, timeout, fail_on, and [[model]], [[ignore]] and [pollution]. The command line takes precedence over the environment, \
and the environment over the file.

Exit codes: 0 nothing found, 1 findings, 2 wrong usage, 3 cannot work here, 4 no test, 5 incomplete, 70 a bug in \
unflake.";

/// What is on the screen; the same for all commands.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Screen")]
pub(crate) struct ScreenArgs {
    /// Print results only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more; twice for even more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// When to use colour
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        env = "UNFLAKE_COLOR",
        hide_env = true
    )]
    pub(crate) color: Color,
    /// How to show progress
    #[arg(
        long,
        global = true,
        value_name = "HOW",
        default_value = "auto",
        env = "UNFLAKE_PROGRESS",
        hide_env = true
    )]
    pub(crate) progress: ProgressArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum ProgressArg {
    /// A bar on a terminal, otherwise a line from time to time
    Auto,
    /// A bar that moves
    Bar,
    /// A line from time to time
    Counter,
    /// Nothing
    None,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct CheckArgs {
    /// Tests to check: `Class`, `Class#method`, patterns with `*` [default: all]
    ///
    /// A single argument that is an existing directory is the project, as with `-C`.
    #[arg(value_name = "TEST")]
    pub(crate) tests: Vec<String>,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    /// What to search for
    #[arg(
        long,
        value_name = "KINDS",
        value_delimiter = ',',
        default_value = "id,pollution",
        env = "UNFLAKE_ONLY",
        hide_env = true
    )]
    pub(crate) only: Vec<Only>,
    /// Number of varied rounds [default: ten, three of them guided]
    #[arg(long, value_name = "N", value_parser = parse_count::<u32>, env = "UNFLAKE_ROUNDS", hide_env = true, help_heading = "Varying")]
    pub(crate) rounds: Option<u32>,
    /// Time limit for the varied rounds, and for proving pollution, like `90s` or `5m`
    #[arg(long, value_name = "TIME", value_parser = parse_duration, env = "UNFLAKE_BUDGET", hide_env = true, help_heading = "Varying")]
    pub(crate) budget: Option<Duration>,
    #[command(flatten)]
    pub(crate) vary: VaryArgs,
    /// Do not search for the causes of findings
    #[arg(long)]
    pub(crate) no_debug: bool,
    /// Do not run tests after polluters to see which of them fail
    #[arg(long)]
    pub(crate) no_proof: bool,
    /// Watch the static fields of all loaded classes, not only of the project's own classes
    #[arg(long, help_heading = "Shared state")]
    pub(crate) all_roots: bool,
    /// Load classes before the first test: those of the whole suite, or those of each class or test in its own JVM
    #[arg(
        long,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "suite",
        value_parser = one_of::<Eager>(&Eager::NAMES),
        help_heading = "Shared state"
    )]
    pub(crate) eager: Option<Eager>,
    /// Show the objects around each change, before and after the test, also as a picture
    #[arg(long, help_heading = "Shared state")]
    pub(crate) graph: bool,
    /// Look for nothing: run the tests without and with capture of shared state, and write as JSON what that cost
    ///
    /// For measuring (`cargo xtask bench pollution`).
    #[arg(long, value_name = "CAPTURES", value_delimiter = ',', hide = true)]
    pub(crate) measure: Vec<MeasureArg>,
    /// How often each `--measure`
    #[arg(long, value_name = "N", value_parser = parse_count::<u32>, default_value = "1", hide = true)]
    pub(crate) measure_times: u32,
    /// Number of unvaried runs [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_count::<u32>, env = "UNFLAKE_CONTROL", hide_env = true, help_heading = "Varying")]
    pub(crate) control: Option<u32>,
    /// Number of test JVMs that run in parallel [default: number of cores]
    #[arg(long, short, value_name = "N", value_parser = parse_count::<u16>, env = "UNFLAKE_JOBS", hide_env = true)]
    pub(crate) jobs: Option<u16>,
    /// Time limit for one test, like `60s`
    #[arg(long, value_name = "TIME", value_parser = parse_duration, env = "UNFLAKE_TIMEOUT", hide_env = true)]
    pub(crate) timeout: Option<Duration>,
    /// Write the result as `text` or `json`, to standard output or to a file; may be repeated
    #[arg(
        long,
        value_name = "FORMAT[=FILE]",
        env = "UNFLAKE_FORMAT",
        hide_env = true,
        value_delimiter = ',',
        help_heading = "Result"
    )]
    pub(crate) format: Vec<FormatArg>,
    /// The lowest severity that makes the exit code 1 [default: warning]
    #[arg(long, value_name = "SEVERITY", value_parser = one_of::<FailOn>(&FailOn::NAMES), env = "UNFLAKE_FAIL_ON", hide_env = true, help_heading = "Result")]
    pub(crate) fail_on: Option<FailOn>,
    /// Exit with 0 even if there are findings
    #[arg(long, help_heading = "Result")]
    pub(crate) exit_zero: bool,
    /// Exit with 5 if the result is incomplete
    #[arg(long, help_heading = "Result")]
    pub(crate) require_complete: bool,
    /// Arguments for the build tool
    #[arg(last = true, value_name = "ARGS", allow_hyphen_values = true)]
    pub(crate) build_arguments: Vec<String>,
}

/// Where the project, its JDK and the store are.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PlaceArgs {
    /// The project's directory [default: the current one]
    #[arg(short = 'C', value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// The JDK to build and test with [default: the build's own]
    #[arg(long, value_name = "HOME", env = "UNFLAKE_JAVA", hide_env = true)]
    pub(crate) java: Option<PathBuf>,
    /// Where results are kept [default: the user's cache directory]
    #[arg(long, value_name = "DIR", env = "UNFLAKE_STORE", hide_env = true)]
    pub(crate) store: Option<PathBuf>,
}

/// The place, and how the test JVMs that unflake starts there are kept apart.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct JvmArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// How test JVMs are kept apart: `auto`, or `off` for no namespaces [default: auto]
    #[arg(long, value_name = "HOW", value_parser = one_of::<IsolationSetting>(&IsolationSetting::NAMES), hide_possible_values = true, env = "UNFLAKE_ISOLATION", hide_env = true)]
    pub(crate) isolation: Option<IsolationSetting>,
}

/// How choices vary.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct VaryArgs {
    /// The seed, which fixes every choice; `last` is the seed of the latest run [default: a new one]
    #[arg(long, value_name = "N|last", value_parser = SeedSetting::from_str, env = "UNFLAKE_SEED", hide_env = true, help_heading = "Varying")]
    pub(crate) seed: Option<SeedSetting>,
    /// Vary at this level only: `one`, `eq`, `id` or `full` [default: climb from one to full]
    #[arg(long, value_name = "LEVEL", value_parser = one_of::<LevelSetting>(&["one", "eq", "id", "full"]), hide_possible_values = true, env = "UNFLAKE_LEVEL", hide_env = true, help_heading = "Varying")]
    pub(crate) level: Option<LevelSetting>,
    /// Vary only these APIs, like `HashMap.*` (`unflake models` lists them)
    #[arg(
        long,
        value_name = "GLOB",
        value_delimiter = ',',
        env = "UNFLAKE_API",
        hide_env = true,
        help_heading = "Varying"
    )]
    pub(crate) api: Vec<String>,
    /// Do not vary these APIs
    #[arg(
        long,
        value_name = "GLOB",
        value_delimiter = ',',
        env = "UNFLAKE_SKIP_API",
        hide_env = true,
        help_heading = "Varying"
    )]
    pub(crate) skip_api: Vec<String>,
    /// Vary only what these callers see, like `com.example.*`
    #[arg(
        long,
        value_name = "GLOB",
        value_delimiter = ',',
        env = "UNFLAKE_FROM",
        hide_env = true,
        help_heading = "Varying"
    )]
    pub(crate) from: Vec<String>,
    /// Do not vary what these callers see
    #[arg(
        long,
        value_name = "GLOB",
        value_delimiter = ',',
        env = "UNFLAKE_SKIP_FROM",
        hide_env = true,
        help_heading = "Varying"
    )]
    pub(crate) skip_from: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// Implementation-dependent tests
    Id,
    /// Tests that change shared state and do not restore it
    Pollution,
    /// Tests whose outcome depends on the order of the tests
    Order,
}

/// What is captured in a run that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasureArg {
    /// Nothing
    None,
    /// What a check captures
    Whole,
    /// The same without the heap: files, and the JVM's own state
    Files,
    /// With the classes of the suite loaded before the first test
    Eager,
    /// Static fields of all loaded classes
    AllRoots,
}

impl From<Only> for CheckKind {
    fn from(only: Only) -> CheckKind {
        match only {
            Only::Id => CheckKind::Id,
            Only::Pollution => CheckKind::Pollution,
            Only::Order => CheckKind::Order,
        }
    }
}

impl From<MeasureArg> for Captured {
    fn from(measure: MeasureArg) -> Captured {
        match measure {
            MeasureArg::None => Captured::None,
            MeasureArg::Whole => Captured::Whole,
            MeasureArg::Files => Captured::Files,
            MeasureArg::Eager => Captured::Eager,
            MeasureArg::AllRoots => Captured::AllRoots,
        }
    }
}

/// A result format, and the file it goes to; `None`: the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FormatArg<F = Format> {
    pub(crate) format: F,
    pub(crate) file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(match name {
            "text" => Format::Text,
            "json" => Format::Json,
            _ => return Err(format!("unknown format `{name}`; use one of text, json")),
        })
    }
}

/// `NAME` or `NAME=FILE`.
impl<F: FromStr<Err = String>> FromStr for FormatArg<F> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, file) = match text.split_once('=') {
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let format = name.parse()?;
        match file {
            Some(file) if file.as_os_str().is_empty() => {
                Err(format!("the file's name is missing after `{name}=`"))
            }
            file => Ok(FormatArg { format, file }),
        }
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The finding's id, or the beginning of it, or a test like `OrderTest#keepsOrder`
    #[arg(value_name = "FINDING")]
    pub(crate) wanted: String,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    /// How many times to repeat it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_count::<u32>)]
    pub(crate) times: u32,
    /// Vary only these choices, like `3,17-20`; `unflake debug` names the ones that matter
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = parse_range)]
    pub(crate) choices: Vec<std::ops::RangeInclusive<u32>>,
    /// Wait for a debugger on this port of 127.0.0.1
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "5005", value_parser = clap::value_parser!(u16).range(1..), conflicts_with = "times")]
    pub(crate) jdwp: Option<u16>,
    /// With `--jdwp`: stop where the choice is made that makes the test fail
    #[arg(long, requires = "jdwp")]
    pub(crate) stop: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct DebugArgs {
    /// Findings (their ids or the beginnings of them) or tests like `OrderTest#keepsOrder` [default: all findings of
    /// the latest run that have no cause yet]
    #[arg(value_name = "FINDING")]
    pub(crate) findings: Vec<String>,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    /// Time limit for the cause of one finding, like `60s` [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) budget: Option<Duration>,
    /// Number of findings to explain in parallel [default: number of cores]
    #[arg(long, short, value_name = "N", value_parser = parse_count::<u16>)]
    pub(crate) jobs: Option<u16>,
    /// Write the result as `text` or `json`, to standard output or to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_delimiter = ',')]
    pub(crate) format: Vec<FormatArg>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct FixArgs {
    /// Findings (their ids or the beginnings of them) or tests like `OrderTest#keepsOrder` [default: of
    /// the latest run all implementation-dependent findings, victims, and polluters with a victim]
    #[arg(value_name = "FINDING")]
    pub(crate) findings: Vec<String>,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    /// Write the patches into the project
    #[arg(long)]
    pub(crate) apply: bool,
    /// Show each patch and ask whether to write it
    #[arg(long, conflicts_with = "apply")]
    pub(crate) interactive: bool,
    /// Also repair what only an order that changes between two iterations breaks, and generated sources
    #[arg(long)]
    pub(crate) all: bool,
    /// Apply patches although the project has changes that are not committed, or no version control
    #[arg(long)]
    pub(crate) allow_dirty: bool,
    /// One patch for each `cause`, or one for each `test` [default: cause]
    #[arg(long, value_name = "WHAT", value_parser = one_of::<Grouping>(&Grouping::NAMES), hide_possible_values = true)]
    pub(crate) by: Option<Grouping>,
    /// The most that a patch may touch: `test` code, `main` code as well, or the build file too, for a new
    /// `dependency` of the tests, which Maven may download [default: test]
    #[arg(long, value_name = "SAFETY", value_parser = one_of::<Safety>(&["test", "main", "dependency"]), hide_possible_values = true)]
    pub(crate) safety: Option<Safety>,
    /// Number of test JVMs that run in parallel [default: number of cores]
    #[arg(long, short, value_name = "N", value_parser = parse_count::<u16>)]
    pub(crate) jobs: Option<u16>,
    /// Write the result as `text` or `json`, to standard output or to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_delimiter = ',')]
    pub(crate) format: Vec<FormatArg>,
    /// Arguments for the build tool
    #[arg(last = true, value_name = "ARGS", allow_hyphen_values = true)]
    pub(crate) build_arguments: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct VictimsArgs {
    /// A test like `OrderTest#keepsOrder`, or a finding's id; needs a stored run
    #[arg(value_name = "TEST")]
    pub(crate) test: String,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    /// Time limit, like `60s` [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) budget: Option<Duration>,
    /// Number of test JVMs that run in parallel [default: number of cores]
    #[arg(long, short, value_name = "N", value_parser = parse_count::<u16>)]
    pub(crate) jobs: Option<u16>,
    /// Write the result as `text` or `json`, to standard output or to a file; may be repeated
    #[arg(long, value_name = "FORMAT[=FILE]", value_delimiter = ',')]
    pub(crate) format: Vec<FormatArg>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct RunsArgs {
    #[command(flatten)]
    pub(crate) stored: StoredArgs,
    /// List the projects in the store instead, including those whose directory no longer exists
    #[arg(long, conflicts_with = "directory")]
    pub(crate) all: bool,
    /// How to write the list
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct CleanArgs {
    /// Runs to remove, as `unflake runs` names them
    #[arg(value_name = "RUN", conflicts_with_all = ["keep", "older_than", "all", "gone"])]
    pub(crate) runs: Vec<String>,
    #[command(flatten)]
    pub(crate) stored: StoredArgs,
    /// Remove all but the newest N; with `--older-than`, remove only what matches both
    #[arg(long, value_name = "N", value_parser = parse_count::<usize>, conflicts_with_all = ["all", "gone"])]
    pub(crate) keep: Option<usize>,
    /// Remove runs older than this, like `30d` or `12h`
    #[arg(long, value_name = "AGE", value_parser = parse_age, conflicts_with_all = ["all", "gone"])]
    pub(crate) older_than: Option<Duration>,
    /// Remove everything of this project
    #[arg(long, conflicts_with = "gone")]
    pub(crate) all: bool,
    /// Remove everything of all projects whose directory no longer exists
    #[arg(long, conflicts_with = "directory")]
    pub(crate) gone: bool,
    /// Only list what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Where stored runs are; for commands that run no Java.
#[derive(Clone, Debug, Args)]
pub(crate) struct StoredArgs {
    /// The project's directory [default: the current one]
    #[arg(short = 'C', value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Where results are kept [default: the user's cache directory]
    #[arg(long, value_name = "DIR", env = "UNFLAKE_STORE", hide_env = true)]
    pub(crate) store: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ExploreArgs {
    /// A test like `OrderTest#keepsOrder`, or a finding's id; needs a stored run
    #[arg(value_name = "TEST", required_unless_present = "around")]
    pub(crate) test: Option<String>,
    /// Explore the neighbourhood of a known failure: executions that differ from it in a few choices
    #[arg(long, value_name = "FINDING", conflicts_with = "test")]
    pub(crate) around: Option<String>,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    /// With `--around`: how many choices may differ
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_count::<usize>, help_heading = "Bounds")]
    pub(crate) distance: usize,
    /// Choices of up to this many elements are tried in all orders
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=9), help_heading = "Bounds")]
    pub(crate) elements: u32,
    /// Number of orders to try for larger choices
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(2..=100_000), help_heading = "Bounds")]
    pub(crate) samples: u32,
    /// Number of executions
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = parse_count::<u64>, help_heading = "Bounds")]
    pub(crate) runs: u64,
    /// Time limit for the search, like `60s`; random executions may take a quarter of it in addition [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Bounds")]
    pub(crate) budget: Option<Duration>,
    /// Stop at the first failure
    #[arg(long, help_heading = "Bounds")]
    pub(crate) first: bool,
    /// Try the first choices before the last ones
    #[arg(long)]
    pub(crate) breadth_first: bool,
    /// Sample N behaviours at random instead of exploring all of them
    #[arg(long, value_name = "N", value_parser = parse_count::<u32>, conflicts_with_all = ["around", "first", "breadth_first"])]
    pub(crate) random: Option<u32>,
    /// The seed of random executions, alone or beside the search [default: the seed of the stored run]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Start again instead of continuing an earlier exploration
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Number of test JVMs that run in parallel; more than one only if the test can run beside itself [default: 1]
    #[arg(long, short, value_name = "N", value_parser = parse_count::<u16>)]
    pub(crate) jobs: Option<u16>,
    /// Write the result as `text`, `json`, `html` (with a picture) or `dot`, to standard output or to a file; may be
    /// repeated
    #[arg(
        long,
        value_name = "FORMAT[=FILE]",
        value_delimiter = ',',
        help_heading = "Result"
    )]
    pub(crate) format: Vec<FormatArg<ExploreFormat>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExploreFormat {
    Text,
    Json,
    Html,
    Dot,
}

impl FromStr for ExploreFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(match name {
            "text" => ExploreFormat::Text,
            "json" => ExploreFormat::Json,
            "html" => ExploreFormat::Html,
            "dot" => ExploreFormat::Dot,
            _ => {
                return Err(format!(
                    "unknown format `{name}`; use one of text, json, html, dot"
                ));
            }
        })
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ModelsArgs {
    /// An API like `HashMap.keySet`, or a pattern like `Class.*`
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A rule like `UF100`, or an API like `HashMap.keySet`
    #[arg(value_name = "CODE")]
    pub(crate) code: String,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct DemoArgs {
    /// Where to write the project: a new or empty directory [default: a new temporary directory]
    #[arg(value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Write the project but do not check it
    #[arg(long)]
    pub(crate) write_only: bool,
    /// The seed, which fixes every choice [default: a new one]
    #[arg(long, value_name = "N|last", value_parser = SeedSetting::from_str)]
    pub(crate) seed: Option<SeedSetting>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ExecArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) vary: VaryArgs,
    /// When to vary
    #[arg(long, value_name = "WHEN", default_value = "tests")]
    pub(crate) window: Window,
    /// The command
    #[arg(
        last = true,
        required = true,
        value_name = "COMMAND",
        allow_hyphen_values = true
    )]
    pub(crate) command: Vec<std::ffi::OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum Window {
    /// While a test runs
    Tests,
    /// From the start of each Java program to its end
    Program,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// One of some names, so that the message for a wrong one lists them and names the nearest.
fn one_of<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = String> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn formats_are_read() {
        let json = FormatArg {
            format: Format::Json,
            file: Some("out.json".into()),
        };
        assert_eq!("json=out.json".parse(), Ok(json));
        assert_eq!(
            "text".parse(),
            Ok(FormatArg {
                format: Format::Text,
                file: None
            })
        );
        assert!("sarif".parse::<FormatArg>().is_err());
        assert!("json=".parse::<FormatArg>().is_err());
    }
}
