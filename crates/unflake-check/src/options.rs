//! What the engine is asked to do. Complete: the caller has dealt with defaults, files and the command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use unflake_findings::LevelSetting;
use unflake_protocol::{Abstraction, Points, Seed, UserModel};
use unflake_runner::IsolationSetting;

/// For a check.
#[derive(Clone, Debug)]
pub struct Options {
    pub place: Place,
    pub vary: Vary,
    /// As the user wrote them; empty: all.
    pub tests: Vec<String>,
    /// `None`: the default rounds.
    pub rounds: Option<u32>,
    pub budget: Option<Duration>,
    /// Unvaried runs.
    pub control: u32,
    /// Look for the causes of findings.
    pub causes: bool,
    pub kinds: Vec<CheckKind>,
    /// Run tests after polluters to see which of them fail.
    pub proof: bool,
    pub pollution: PollutionOptions,
    /// Show what is around a polluted object.
    pub graph: bool,
    /// Captures to measure instead of a check, and how often.
    pub measure: Vec<Measure>,
    pub measure_times: u32,
    /// Test JVMs at the same time.
    pub jobs: NonZeroUsize,
    /// For one test; `None`: by how long it took unvaried.
    pub timeout: Option<Duration>,
    pub ignores: Vec<Ignore>,
    /// For the build tool.
    pub build_arguments: Vec<String>,
    /// The arguments of `unflake` as they were given, for the report.
    pub command: Vec<String>,
}

/// Where things are.
#[derive(Clone, Debug)]
pub struct Place {
    /// The project's directory: absolute, exists.
    pub project: PathBuf,
    /// The JDK that the user asked for; has `bin/java`.
    pub java: Option<PathBuf>,
    /// The store's base; need not exist.
    pub store: PathBuf,
    /// How test JVMs are kept apart.
    pub isolation: IsolationSetting,
}

/// How choices vary.
#[derive(Clone, Debug)]
pub struct Vary {
    pub seed: SeedSetting,
    pub level: LevelSetting,
    /// Globs over the names of models, each matching one at least; empty: all.
    pub api: Vec<String>,
    pub skip_api: Vec<String>,
    /// Globs over callers; empty: all.
    pub from: Vec<String>,
    pub skip_from: Vec<String>,
    pub user_models: Vec<UserModel>,
}

/// Which seed a run has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeedSetting {
    /// A new one every time.
    #[default]
    Fresh,
    /// That of the project's latest run.
    Last,
    Fixed(Seed),
}

impl SeedSetting {
    /// With a seed the user asks for a result that repeats, so it must not depend on the clock.
    pub fn must_repeat(self) -> bool {
        self != SeedSetting::Fresh
    }
}

impl FromStr for SeedSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "last" => Ok(SeedSetting::Last),
            number => match number.parse::<u64>() {
                // Larger ones would be cut, and then not be the seed that the report prints.
                Ok(bits) if Seed::from_bits(bits).0 == bits => Ok(SeedSetting::Fixed(Seed(bits))),
                _ => Err(format!(
                    "`{text}` is not a seed; write a number below 2^48, or `last`"
                )),
            },
        }
    }
}

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckKind {
    /// Implementation-dependent tests
    Id,
    /// Tests that change shared state and leave it so
    Pollution,
    /// Tests whose outcome depends on the order of the tests
    Order,
}

impl CheckKind {
    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            CheckKind::Id => "id",
            CheckKind::Pollution => "pollution",
            CheckKind::Order => "order",
        }
    }
}

/// What of shared state is looked at, and when (P1, P2, P6, P7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PollutionOptions {
    /// Regular expressions over `package.Class.field`.
    pub include_roots: Vec<String>,
    pub exclude_roots: Vec<String>,
    pub exclude_fields: Vec<String>,
    pub all_roots: bool,
    pub eager: Eager,
    pub capture: Points,
    /// Beside the working and the temporary directory; relative to the project.
    pub directories: Vec<PathBuf>,
    /// The most objects that one root may reach.
    pub most_objects: Option<u32>,
    pub abstractions: Vec<Abstraction>,
}

/// Which classes are initialised before a test is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eager {
    /// None, but when changes are confirmed.
    #[default]
    Off,
    /// All that the suite loads.
    Suite,
    /// Those that a test class may load, each in a JVM of its own.
    Class,
    /// Those that a test may load, each in a JVM of its own.
    Test,
}

impl Eager {
    pub const NAMES: [&str; 4] = ["off", "suite", "class", "test"];
}

impl FromStr for Eager {
    type Err = String;

    fn from_str(text: &str) -> Result<Eager, String> {
        match text {
            "off" => Ok(Eager::Off),
            "suite" => Ok(Eager::Suite),
            "class" => Ok(Eager::Class),
            "test" => Ok(Eager::Test),
            other => Err(format!(
                "unknown value `{other}`; use one of {}",
                Eager::NAMES.join(", ")
            )),
        }
    }
}

/// One `[[ignore]]`: findings of these tests are meant (with `api`: those that only these APIs can have caused), or,
/// without `test`, these APIs or callers are not varied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// Glob over `package.Class#method`.
    pub test: Option<String>,
    /// Glob over the names of models.
    pub api: Option<String>,
    /// Glob over callers.
    pub from: Option<String>,
    pub reason: String,
}

/// What is captured in a run that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
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

impl Measure {
    pub fn name(self) -> &'static str {
        match self {
            Measure::None => "none",
            Measure::Whole => "whole",
            Measure::Files => "files",
            Measure::Eager => "eager",
            Measure::AllRoots => "all-roots",
        }
    }
}

/// For the exploration of one test.
#[derive(Clone, Debug)]
pub struct ExploreOptions {
    /// Explore around the finding's failure.
    pub around: bool,
    pub distance: usize,
    pub elements: u32,
    pub samples: u32,
    pub runs: u64,
    pub budget: Option<Duration>,
    /// End at the first failure.
    pub first: bool,
    pub breadth: bool,
    /// Sample this many behaviours at random instead.
    pub random: Option<u32>,
    /// Fixes what is drawn at random. `None`: the seed of the stored run.
    pub seed: Option<Seed>,
    pub fresh: bool,
    pub jobs: NonZeroUsize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_read() {
        assert_eq!("7".parse(), Ok(SeedSetting::Fixed(Seed(7))));
        assert_eq!("last".parse(), Ok(SeedSetting::Last));
        assert!("281474976710655".parse::<SeedSetting>().is_ok());
        assert!("281474976710656".parse::<SeedSetting>().is_err());
        assert!("random".parse::<SeedSetting>().is_err());
    }

    #[test]
    fn values_are_read_as_they_are_listed() {
        let eager = [Eager::Off, Eager::Suite, Eager::Class, Eager::Test];
        assert_eq!(Eager::NAMES.map(|name| name.parse()), eager.map(Ok));
        let wrong = "all".parse::<Eager>().unwrap_err();
        assert_eq!(wrong, "unknown value `all`; use one of off, suite, class, test");
        assert_eq!(
            [CheckKind::Id, CheckKind::Pollution, CheckKind::Order].map(CheckKind::name),
            ["id", "pollution", "order"]
        );
    }

    #[test]
    fn whoever_gives_a_seed_wants_the_result_to_repeat() {
        assert!(!SeedSetting::Fresh.must_repeat());
        assert!(SeedSetting::Last.must_repeat() && SeedSetting::Fixed(Seed(7)).must_repeat());
    }
}
