//! A stored run, opened so that its tests can be run again without the build.

use crate::check::{Surroundings, scratch};
use crate::drive::driver::Driver;
use crate::drive::scripts;
use crate::nearest::{did_you_mean, nearest};
use crate::options::Place;
use crate::problem;
use crate::problem::Problem;
use crate::selection::Selection;
use crate::stored::{Stored, StoredTest};
use std::collections::BTreeSet;
use std::path::Path;
use unflake_findings::{Document, Finding, ProjectStore, Run, StoreError};
use unflake_project::BuildTool;
use unflake_protocol::{Configuration, Role};
use unflake_runner::{Launch, Numbers, START_LIMIT, WorkerTools};

/// One stored run, and all that starting its JVMs needs.
pub struct Again {
    pub run: Run,
    pub document: Document,
    pub stored: Stored,
    /// The classes are still those of the run.
    pub is_fresh: bool,
    /// For runs that look at single choices.
    pub driver: Driver,
    /// Sockets and outputs; removed when dropped.
    _scratch: tempfile::TempDir,
}

/// What somebody named: a finding of a run, or a test that it saw.
#[derive(Clone, Debug)]
pub enum Named {
    Finding(Box<Finding>),
    Test(StoredTest),
}

impl Again {
    /// The run that has what is named by `wanted` (a finding's id or the beginning of it), else the latest.
    pub fn open(place: &Place, wanted: Option<&str>, surroundings: &Surroundings) -> Result<Again, Problem> {
        let store = ProjectStore::open(&place.store, &place.project)?;
        let run = match wanted.map(|wanted| store.find(wanted)) {
            Some(Ok((run, ..))) => run,
            Some(Err(error @ StoreError::Ambiguous { .. })) => return Err(error.into()),
            _ => store.latest()?,
        };
        let document = run.document()?;
        let stored = Stored::of(&run)?;
        let is_fresh = stored.is_fresh();
        let scratch = scratch()?;
        let driver = Driver::new(WorkerTools {
            agent: surroundings.agent.clone(),
            runner: surroundings.runner.clone(),
            scratch: scratch.path().to_owned(),
            configuration: scripts::configuration(stored.configuration.clone()),
            children: surroundings.children.clone(),
            cancel: surroundings.cancel.clone(),
            options: Vec::new(),
            start_limit: START_LIMIT,
            numbers: Numbers::default(),
        });
        Ok(Again {
            run,
            document,
            stored,
            is_fresh,
            driver,
            _scratch: scratch,
        })
    }

    /// Findings by id, else findings by the test's name, else a test without one.
    pub fn named(&self, wanted: &str, project: &Path) -> Result<Named, Problem> {
        let by_id: Vec<&Finding> = (self.document.findings.iter())
            .filter(|finding| finding.id.begins_with(wanted))
            .collect();
        if let [finding] = by_id[..] {
            return Ok(Named::Finding(Box::new(finding.clone())));
        }
        let selection = Selection::parse(&[wanted.to_owned()], project)?;
        let tests: Vec<&StoredTest> = (self.stored.tests.iter())
            .filter(|test| selection.names(&test.id, &test.handle))
            .collect();
        let test = match tests[..] {
            [] => return Err(self.unknown(wanted)),
            [test] => test,
            [first, ..] => {
                return Err(problem!(
                    NoTest,
                    "`{wanted}` names {} tests, and one is needed",
                    tests.len()
                )
                .hint(format!("name one of them, like `{}`", first.id.test)));
            }
        };
        let finding = self
            .document
            .findings
            .iter()
            .find(|finding| finding.test == test.id);
        Ok(match finding {
            Some(finding) => Named::Finding(Box::new(finding.clone())),
            None => Named::Test(test.clone()),
        })
    }

    /// Indices of the findings whose tests are named, as `check` takes names: a class stands for all of its tests.
    pub fn findings_of(&self, wanted: &str, project: &Path) -> Result<Vec<usize>, Problem> {
        let selection = Selection::parse(&[wanted.to_owned()], project)?;
        let is_named = |finding: &Finding| {
            let test = self.stored.tests.iter().find(|test| test.id == finding.test);
            test.is_some_and(|test| selection.names(&test.id, &test.handle))
        };
        let findings = &self.document.findings;
        Ok((0..findings.len())
            .filter(|index| is_named(&findings[*index]))
            .collect())
    }

    fn unknown(&self, wanted: &str) -> Problem {
        // As people write them: with and without the package, and a class for all of its tests.
        let known: BTreeSet<&str> = (self.stored.tests.iter())
            .flat_map(|test| [test.id.test.as_str(), test.id.class()])
            .flat_map(|name| [name, name.rsplit('.').next().unwrap_or(name)])
            .collect();
        let near = nearest(wanted, known);
        problem!(
            NoTest,
            "no test or finding of the run `{}` is called `{wanted}`",
            self.run.id().as_str()
        )
        .hint(
            did_you_mean(&near).unwrap_or_else(|| {
                "`unflake check` lists what it finds; new tests need a new run".to_owned()
            }),
        )
    }

    /// The JVM that runs what this recipe describes.
    pub fn launch(&self, recipe: Option<usize>) -> Result<Option<Launch>, Problem> {
        let Some(recipe) = recipe.and_then(|recipe| self.stored.recipes.get(recipe)) else {
            return Ok(None);
        };
        let launch = recipe.launch().map_err(|error| {
            problem!(CannotWork, "cannot start the test JVM again")
                .cause(error)
                .hint("run `unflake check` again: the project or its JDK may have changed since")
        })?;
        missing_classes(&launch, recipe.tool)?;
        Ok(Some(launch))
    }

    /// For runs that vary everything and look at no single choice.
    pub fn plain_driver(&self) -> Driver {
        self.driver.configured(|_| Configuration {
            role: Role::Worker,
            ..self.stored.configuration.clone()
        })
    }
}

/// A cleaned build has no classes to run.
fn missing_classes(launch: &Launch, tool: &dyn BuildTool) -> Result<(), Problem> {
    match launch
        .class_path
        .iter()
        .find(|entry| tool.is_test_classes(Path::new(entry)) && !Path::new(entry).exists())
    {
        None => Ok(()),
        Some(entry) => Err(
            problem!(CannotWork, "the project is not built: there is no `{entry}`").hint(format!(
                "run `{}`, or `unflake check` again",
                tool.facts().compile_command
            )),
        ),
    }
}
