//! A session: one suite, and all that running its tests needs. It comes from a build that has just run, or from the store;
//! whatever uses it can run rounds, orders and scripts without knowing which of the two it was.

use crate::check::Surroundings;
use crate::drive::driver::Driver;
use crate::drive::scripts;
use crate::options::Place;
use crate::problem;
use crate::problem::Problem;
use crate::suite::{LaunchIx, Suite};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use unflake_project::BuildTool;
use unflake_protocol::{Configuration, Role};
use unflake_runner::{Isolated, Isolation, Launch, Numbers, START_LIMIT, WorkerTools};

/// What starts JVMs of ours, before it is known which tests there are.
#[derive(Debug)]
pub(crate) struct Workshop {
    /// For JVMs that vary everything and look at no single choice.
    pub(crate) driver: Driver,
    /// Sockets and outputs; removed when dropped.
    scratch: tempfile::TempDir,
}

impl Workshop {
    /// `configuration` is what all JVMs of the run share. `tools`: those that build the project.
    pub(crate) fn open<'t>(
        surroundings: &Surroundings,
        place: &Place,
        tools: impl IntoIterator<Item = &'t dyn BuildTool>,
        configuration: &Configuration,
    ) -> Result<Workshop, Problem> {
        let scratch = scratch()?;
        let caches = tools.into_iter().flat_map(|tool| tool.facts().caches);
        let home = std::env::home_dir().unwrap_or_default();
        let kept = caches.map(|cache| home.join(cache)).chain([place.store.clone()]);
        let driver = Driver::new(WorkerTools {
            agent: surroundings.agent.clone(),
            runner: surroundings.runner.clone(),
            scratch: scratch.path().to_owned(),
            isolation: Isolation::new(place.isolation, &place.project, kept),
            empty_home: false,
            configuration: Configuration {
                role: Role::Worker,
                ..configuration.clone()
            },
            children: surroundings.children.clone(),
            cancel: surroundings.cancel.clone(),
            options: Vec::new(),
            start_limit: START_LIMIT,
            numbers: Numbers::default(),
        });
        Ok(Workshop { driver, scratch })
    }

    /// With JVMs that a test of ours makes up.
    #[cfg(test)]
    pub(crate) fn simulated(driver: Driver) -> Workshop {
        let scratch = scratch().expect("there is a place for temporary files");
        Workshop { driver, scratch }
    }

    pub(crate) fn scratch(&self) -> &Path {
        self.scratch.path()
    }
}

/// One suite, and what runs its tests.
#[derive(Debug)]
pub struct Session {
    /// The project's directory.
    pub project: PathBuf,
    pub suite: Suite,
    /// What varies, for JVMs of any kind.
    pub configuration: Configuration,
    /// Arguments of the user's for the build tool.
    pub build_arguments: Vec<String>,
    workshop: Arc<Workshop>,
}

impl Session {
    pub(crate) fn new(
        workshop: Workshop,
        project: PathBuf,
        suite: Suite,
        configuration: Configuration,
        build_arguments: Vec<String>,
    ) -> Session {
        Session {
            project,
            suite,
            configuration,
            build_arguments,
            workshop: Arc::new(workshop),
        }
    }

    /// The same tests in JVMs that are started in another way.
    pub(crate) fn with_launches(&self, launches: Vec<Launch>) -> Session {
        let mut suite = self.suite.clone();
        suite.launches = launches;
        Session {
            project: self.project.clone(),
            suite,
            configuration: self.configuration.clone(),
            build_arguments: self.build_arguments.clone(),
            workshop: self.workshop.clone(),
        }
    }

    /// A folder for what this run needs in between.
    pub(crate) fn scratch(&self) -> &Path {
        self.workshop.scratch()
    }

    /// For runs that vary everything, or nothing.
    pub fn driver(&self) -> &Driver {
        &self.workshop.driver
    }

    /// For runs that look at single choices.
    pub fn script_driver(&self) -> Driver {
        self.driver().configured(scripts::configuration)
    }

    /// How test JVMs are kept apart: as far as that of the launch for which least is possible.
    pub(crate) fn isolation(&self) -> &'static str {
        let launches = self.suite.launches.iter();
        let isolated = launches.map(|launch| self.driver().isolated(launch).name());
        // `directories` comes before `namespaces`.
        isolated.min().unwrap_or_default()
    }

    /// No two JVMs see each other's files and ports, but for those that run outside.
    pub(crate) fn is_apart(&self) -> bool {
        let is_apart = |launch| matches!(self.driver().isolated(launch), Isolated::Namespaces { .. });
        self.suite.launches.iter().all(is_apart)
    }

    /// The JVM that runs the tests of a launch. A cleaned build has no classes to run.
    pub fn built(&self, launch: LaunchIx) -> Result<&Launch, Problem> {
        let tool = self.suite.tool(launch);
        let launch = self.suite.launch(launch);
        let is_missing =
            |entry: &&String| tool.is_test_classes(Path::new(entry)) && !Path::new(entry).exists();
        match launch.class_path.iter().find(is_missing) {
            None => Ok(launch),
            Some(entry) => Err(
                problem!(CannotWork, "the project is not built: there is no `{entry}`").hint(format!(
                    "run `{}`, or `unflake check` again",
                    tool.facts().compile_command
                )),
            ),
        }
    }
}

/// A short path for sockets, removed when dropped.
pub fn scratch() -> Result<tempfile::TempDir, Problem> {
    tempfile::Builder::new()
        .prefix("unflake-")
        .tempdir()
        .map_err(|error| {
            problem!(
                CannotWork,
                "cannot create a temporary directory in `{}`",
                std::env::temp_dir().display()
            )
            .cause(error)
            .hint("set TMPDIR to a directory that can be written to")
        })
}
