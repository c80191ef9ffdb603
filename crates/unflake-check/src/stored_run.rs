//! A stored run, opened: its document, and a session in which its tests can be run again without the build.

use crate::check::Surroundings;
use crate::drive::driver::Exception;
use crate::kept::Kept;
use crate::nearest::{did_you_mean, nearest};
use crate::options::Place;
use crate::problem;
use crate::problem::Problem;
use crate::replay::Replays;
use crate::selection::Selection;
use crate::session::{Session, Workshop};
use std::collections::BTreeSet;
use std::path::Path;
use unflake_explore::TestIx;
use unflake_findings::{Document, Finding, ProjectStore, Run, StoreError};

/// One stored run.
#[derive(Debug)]
pub struct StoredRun {
    pub run: Run,
    pub document: Document,
    pub session: Session,
    pub replays: Replays,
    /// The classes are still those of the run.
    pub is_fresh: bool,
}

/// What somebody named: a finding of a run, or a test that it saw.
#[derive(Clone, Debug)]
pub enum Named {
    Finding(Box<Finding>),
    Test(TestIx),
}

impl StoredRun {
    /// The run that has what is named by `wanted` (a finding's id or the beginning of it), else the latest.
    pub fn open(
        place: &Place,
        wanted: Option<&str>,
        surroundings: &Surroundings,
    ) -> Result<StoredRun, Problem> {
        let store = ProjectStore::open(&place.store, &place.project)?;
        let run = match wanted.map(|wanted| store.find(wanted)) {
            Some(Ok((run, ..))) => run,
            Some(Err(error @ StoreError::Ambiguous { .. })) => return Err(error.into()),
            _ => store.latest()?,
        };
        let document = run.document()?;
        let kept = Kept::read(run.id().as_str(), run.recipe()?, place)?;
        let is_fresh = kept.is_fresh();
        let tools = kept.suite.launches().map(|launch| kept.suite.tool(launch));
        let workshop = Workshop::open(surroundings, place, tools, &kept.configuration)?;
        for class in &kept.outside {
            workshop.driver.make_exception(class, Exception::Outside);
        }
        let session = Session::new(
            workshop,
            place.project.clone(),
            kept.suite,
            kept.configuration,
            kept.build_arguments,
        );
        Ok(StoredRun {
            run,
            document,
            session,
            replays: kept.replays,
            is_fresh,
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
        let suite = &self.session.suite;
        let is_named = |test: &TestIx| selection.contains(&suite[*test]);
        let tests: Vec<TestIx> = suite.all().filter(is_named).collect();
        let test = match tests[..] {
            [] => return Err(self.unknown(wanted)),
            [test] => test,
            [first, ..] => {
                return Err(problem!(
                    NoTest,
                    "`{wanted}` names {} tests, but exactly one is needed",
                    tests.len()
                )
                .hint(format!("name one of them, like `{}`", suite[first].id.test)));
            }
        };
        let finding = self
            .document
            .findings
            .iter()
            .find(|finding| finding.test == suite[test].id);
        Ok(match finding {
            Some(finding) => Named::Finding(Box::new(finding.clone())),
            None => Named::Test(test),
        })
    }

    /// Indices of the findings whose tests are named, as `check` takes names: a class stands for all of its tests.
    pub fn findings_of(&self, wanted: &str, project: &Path) -> Result<Vec<usize>, Problem> {
        let selection = Selection::parse(&[wanted.to_owned()], project)?;
        let is_named = |finding: &Finding| {
            let test = self
                .session
                .suite
                .tests
                .iter()
                .find(|test| test.id == finding.test);
            test.is_some_and(|test| selection.contains(test))
        };
        let findings = &self.document.findings;
        Ok((0..findings.len())
            .filter(|index| is_named(&findings[*index]))
            .collect())
    }

    fn unknown(&self, wanted: &str) -> Problem {
        // As people write them: with and without the package, and a class for all of its tests.
        let known: BTreeSet<&str> = (self.session.suite.tests.iter())
            .flat_map(|test| [test.id.test.as_str(), test.id.class()])
            .flat_map(|name| [name, name.rsplit('.').next().unwrap_or(name)])
            .collect();
        let near = nearest(wanted, known);
        problem!(
            NoTest,
            "the run `{}` has no test or finding called `{wanted}`",
            self.run.id().as_str()
        )
        .hint(
            did_you_mean(&near).unwrap_or_else(|| {
                "`unflake check` lists what it finds; new tests need a new run".to_owned()
            }),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::ProblemKind;
    use crate::simulated::simulated;

    const SUITE: &str = "p.OrderTest#keeps fails varied\np.OrderTest#sorts\np.OtherTest#keeps fails varied";

    #[test]
    fn a_run_is_opened_as_it_was_stored() {
        let simulated = simulated(SUITE);
        let stored = simulated.stored();
        assert!(stored.is_fresh);
        assert_eq!((stored.document.findings.len(), stored.replays.len()), (2, 2));
        assert_eq!(stored.session.suite.launches, simulated.session.suite.launches);
        assert_eq!(stored.session.project, simulated.options.place.project);
    }

    #[test]
    fn the_run_that_has_a_finding_is_opened_else_the_latest() {
        let simulated = simulated(SUITE);
        let open = |wanted: Option<&str>| {
            let stored = StoredRun::open(&simulated.options.place, wanted, &simulated.surroundings());
            stored.map(|stored| stored.run.id().as_str().to_owned())
        };
        assert!(open(None).is_err());
        let first = simulated.stored();
        let second = simulated.stored();
        assert_ne!(first.run.id().as_str(), second.run.id().as_str());
        let latest = second.run.id().as_str();
        assert_eq!(open(None).unwrap(), latest);
        assert_eq!(open(Some("no-such-id")).unwrap(), latest);
        let id = first.document.findings[0].id.as_str();
        assert_eq!(open(Some(id)).unwrap(), latest);
    }

    #[test]
    fn a_finding_that_the_latest_run_does_not_have_opens_the_run_that_has_it() {
        let simulated = simulated(SUITE);
        let first = simulated.stored();
        let simulated = simulated.looking_for(&[crate::options::CheckKind::Order]);
        let second = simulated.stored();
        assert!(second.document.findings.is_empty());
        let open = |wanted: &str| {
            let stored = StoredRun::open(&simulated.options.place, Some(wanted), &simulated.surroundings());
            stored.map(|stored| stored.run.id().as_str().to_owned())
        };
        let id = first.document.findings[0].id.as_str();
        assert_eq!(open(id).unwrap(), first.run.id().as_str());
        assert_eq!(open("no-such-id").unwrap(), second.run.id().as_str());
    }

    #[test]
    fn classes_that_ran_outside_do_so_again() {
        let simulated = simulated("A#a fails inside\nB#b");
        simulated.stored();
        let stored = StoredRun::open(&simulated.options.place, None, &simulated.surroundings()).unwrap();
        assert_eq!(stored.session.driver().outside_classes(), ["A"]);
    }

    #[test]
    fn a_run_whose_classes_have_changed_is_not_fresh() {
        let simulated = simulated(SUITE);
        simulated.stored();
        let classes = std::path::PathBuf::from(&simulated.session.suite.launches[0].class_path[0]);
        std::fs::write(classes.join("New.class"), "").unwrap();
        let stored = StoredRun::open(&simulated.options.place, None, &simulated.surroundings()).unwrap();
        assert!(!stored.is_fresh);
        // Its tests can be run as long as there are classes.
        let session = &stored.session;
        assert!(session.built(crate::suite::LaunchIx(0)).is_ok());
        std::fs::remove_dir_all(classes).unwrap();
        let problem = session.built(crate::suite::LaunchIx(0)).unwrap_err();
        assert!(
            problem
                .error
                .starts_with("the project is not built: there is no `"),
            "{problem:?}"
        );
    }

    #[test]
    fn findings_and_tests_are_named() {
        let simulated = simulated(SUITE);
        let stored = simulated.stored();
        let named = |wanted: &str| match stored.named(wanted, &simulated.options.place.project) {
            Ok(Named::Finding(finding)) => format!("finding of {}", finding.test.test),
            Ok(Named::Test(test)) => format!("test {}", stored.session.suite[test].id.test),
            Err(problem) => format!("{}: {}", problem.error, problem.hint.unwrap()),
        };
        let id = stored.document.findings[0].id.as_str();
        let of_first = format!("finding of {}", stored.document.findings[0].test.test);
        assert_eq!(named(id), of_first);
        // What begins the ids of several findings names none of them.
        assert!(stored.named("", &simulated.options.place.project).is_err());
        assert_eq!(named("OrderTest#keeps"), "finding of p.OrderTest#keeps");
        assert_eq!(named("p.OtherTest"), "finding of p.OtherTest#keeps");
        assert_eq!(named("OrderTest#sorts"), "test p.OrderTest#sorts");
        assert_eq!(
            named("p.OrderTest"),
            "`p.OrderTest` names 2 tests, but exactly one is needed: name one of them, like `p.OrderTest#keeps`"
        );
        let run = stored.run.id().as_str();
        assert_eq!(
            named("OrdrTest"),
            format!("the run `{run}` has no test or finding called `OrdrTest`: did you mean `OrderTest`?")
        );
        assert_eq!(
            named("Zzzzzzzzzz"),
            format!(
                "the run `{run}` has no test or finding called `Zzzzzzzzzz`: `unflake check` lists what it finds; \
                 new tests need a new run"
            )
        );
    }

    #[test]
    fn a_class_stands_for_the_findings_of_all_its_tests() {
        let simulated = simulated(SUITE);
        let stored = simulated.stored();
        let project = &simulated.options.place.project;
        let of = |wanted: &str| {
            let found = stored.findings_of(wanted, project).unwrap().into_iter();
            let tests = found.map(|index| stored.document.findings[index].test.test.clone());
            tests.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("OrderTest"), "p.OrderTest#keeps");
        assert_eq!(of("p.*"), "p.OrderTest#keeps p.OtherTest#keeps");
        assert_eq!(of("OrderTest#sorts"), "");
        let missing = stored.findings_of("@no-such-list", project).unwrap_err();
        assert_eq!(missing.kind, ProblemKind::Usage);
    }

    #[test]
    fn what_begins_the_ids_of_several_findings_opens_no_run() {
        let suite: Vec<String> = (0..40).map(|n| format!("A#a{n} fails varied")).collect();
        let simulated = simulated(&suite.join("\n")).with(|options| {
            options.rounds = Some(1);
            options.causes = false;
        });
        let document = simulated.stored().document;
        // There are fewer letters than findings.
        let ids = document.findings.iter().map(|finding| &finding.id.as_str()[..1]);
        let mut first: Vec<&str> = ids.collect();
        first.sort_unstable();
        let shared = first.windows(2).find(|pair| pair[0] == pair[1]).unwrap()[0];
        let place = &simulated.options.place;
        let opened = StoredRun::open(place, Some(shared), &simulated.surroundings());
        let problem = opened.err().unwrap();
        assert!(
            problem.error.contains("is the beginning of several ids"),
            "{problem:?}"
        );
    }
}
