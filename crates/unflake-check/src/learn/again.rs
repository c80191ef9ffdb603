//! Further builds of the learning run. A test that ends its JVM takes the tests behind it along, since the build tool
//! gives them up. So the build runs again without it and without what is through, until nothing is lost any more.

#[cfg(test)]
mod tests;

use super::{CompiledClass, build, build_problem, compiled_classes};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::selection::Selection;
use crate::suite::{Baseline, KnownTest, Trouble};
use std::collections::BTreeSet;
use unflake_project::{BuildError, BuildRequest, BuildRun, During, HowLost, LeftOut, LostJvm};
use unflake_protocol::SeenTest;

/// How often a build is tried again without those that ended its JVMs.
const MOST: usize = 5;

/// What all builds of the learning run showed.
#[derive(Debug, Default)]
pub(super) struct Whole {
    pub(super) run: BuildRun,
    /// Classes that no build reached.
    pub(super) not_reached: Vec<KnownTest>,
    pub(super) troubles: Vec<Trouble>,
}

/// Runs the build, and again as long as that shows more.
pub(super) fn run(
    request: &BuildRequest<'_>,
    selection: &Selection,
    progress: &dyn Progress,
) -> Result<Whole, Problem> {
    let mut builds = match build(request, progress) {
        Ok(first) => Builds::new(first, None),
        Err(BuildError::Cancelled { run }) => Builds::new(*run, Some(Gap::Interrupted)),
        Err(BuildError::TimedOut { run, .. }) if !run.jvms.is_empty() => {
            Builds::new(*run, Some(Gap::OutOfTime))
        }
        Err(error) => return Err(build_problem(error, request.build)),
    };
    let tool = request.build.tool;
    let asking = Asking {
        again: &|arguments| {
            let request = BuildRequest {
                arguments,
                ..request.clone()
            };
            build(&request, progress)
        },
        // A tool that cannot write the file that it needs cannot do it.
        leave_out: &|left_out| {
            let builds = tool.leave_out(request.arguments, left_out, request.scratch);
            builds.unwrap_or_default()
        },
        select: &|classes| {
            let selected = tool.select(classes).into_iter();
            request.arguments.iter().cloned().chain(selected).collect()
        },
        compiled: &|| {
            let mut compiled = compiled_classes(request.build);
            compiled.retain(|class| tool.is_test_class(&class.name) && selection.contains(&class.unknown()));
            compiled
        },
    };
    builds.complete(&asking);
    Ok(builds.whole(&asking))
}

/// What is asked of the build tool.
struct Asking<'a> {
    /// Runs the build with these arguments.
    again: &'a dyn Fn(&[String]) -> Result<BuildRun, BuildError>,
    leave_out: &'a dyn Fn(&LeftOut) -> Vec<Vec<String>>,
    select: &'a dyn Fn(&[String]) -> Vec<String>,
    /// The compiled classes that look like tests and were asked for.
    compiled: &'a dyn Fn() -> Vec<CompiledClass>,
}

/// Why something was not reached.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Gap {
    Interrupted,
    OutOfTime,
    /// Test JVMs still end before their tests do.
    Lost,
    /// A further build failed, for this reason.
    Failed(String),
}

/// What the builds have shown so far.
struct Builds {
    known: BuildRun,
    /// What the latest of them lost.
    lost: Vec<LostJvm>,
    left_out: LeftOut,
    /// The tool did not leave out what it was told to, so that classes are selected by their names.
    by_name: bool,
    gap: Option<Gap>,
}

impl Builds {
    fn new(first: BuildRun, gap: Option<Gap>) -> Builds {
        Builds {
            lost: first.lost.clone(),
            known: first,
            left_out: LeftOut::default(),
            by_name: false,
            gap,
        }
    }

    /// Runs the build again as long as something is lost and that shows more.
    fn complete(&mut self, asking: &Asking<'_>) {
        for _ in 0..MOST {
            if self.lost.is_empty() || self.gap.is_some() {
                break;
            }
            let has_more = self.add_culprits();
            if !has_more && self.by_name {
                break;
            }
            // A culprit that runs again was not left out, and one that is not known cannot be.
            self.by_name |= !has_more;
            let mut builds = Vec::new();
            if !self.by_name {
                builds = (asking.leave_out)(&self.to_leave_out(&(asking.compiled)()));
                self.by_name = builds.is_empty();
            }
            if self.by_name {
                let classes = self.not_seen((asking.compiled)());
                let names: Vec<String> = classes.into_iter().map(|class| class.name).collect();
                if names.is_empty() {
                    break;
                }
                builds.push((asking.select)(&names));
            }
            self.lost.clear();
            for arguments in builds {
                if self.gap.is_none() {
                    self.take((asking.again)(&arguments));
                }
            }
        }
        if !self.lost.is_empty() {
            self.gap.get_or_insert(Gap::Lost);
        }
    }

    fn take(&mut self, result: Result<BuildRun, BuildError>) {
        let (run, gap) = match result {
            Ok(run) => (run, None),
            Err(BuildError::Cancelled { run }) => (*run, Some(Gap::Interrupted)),
            Err(BuildError::TimedOut { run, .. }) => (*run, Some(Gap::OutOfTime)),
            Err(
                error @ (BuildError::Io { .. } | BuildError::Failed { .. } | BuildError::OtherProtocol(_)),
            ) => (BuildRun::default(), Some(Gap::Failed(error.to_string()))),
        };
        self.gap = gap;
        self.lost.extend(run.lost.iter().cloned());
        self.known.jvms.extend(run.jvms);
        self.known.lost.extend(run.lost);
        self.known.time += run.time;
        self.known.has_reported_tests |= run.has_reported_tests;
        self.known.not_started.extend(run.not_started);
    }

    /// Remembers who has ended a JVM; whether there is a new one among them.
    fn add_culprits(&mut self) -> bool {
        let mut has_more = false;
        for lost in std::mem::take(&mut self.lost) {
            match &lost.during {
                During::Tests(tests) => {
                    for test in tests {
                        let name = (test.class.clone(), test.method.clone());
                        has_more |= self.left_out.tests.insert(name);
                        self.blame_class(test, &lost);
                    }
                }
                During::Class(root) => has_more |= self.left_out.classes.insert(root.clone()),
                During::Nothing => {}
            }
            self.lost.push(lost);
        }
        has_more
    }

    /// Where one test after the other ends its JVM and none comes to its end, it is what all of them need: the class's
    /// initialiser or constructor.
    fn blame_class(&mut self, test: &SeenTest, lost: &LostJvm) {
        const ENOUGH: usize = 2;
        let mut runs = self.known.jvms.iter().flat_map(|jvm| &jvm.tests);
        let culprits = self
            .left_out
            .tests
            .iter()
            .filter(|(class, _)| *class == test.class);
        if culprits.count() >= ENOUGH && !runs.any(|run| run.test.class == test.class) {
            self.left_out.classes.insert(test.class.clone());
            self.known.lost.push(LostJvm {
                during: During::Class(test.class.clone()),
                ..lost.clone()
            });
        }
    }

    /// The culprits, and the classes that are through. A class of which two modules have one by this name may be
    /// through in one of them only.
    fn to_leave_out(&self, compiled: &[CompiledClass]) -> LeftOut {
        let is_unique = |name: &str| compiled.iter().filter(|class| class.name == name).count() < 2;
        let mut through: BTreeSet<&String> = BTreeSet::new();
        for jvm in &self.known.jvms {
            let roots = jvm.tests.iter().map(|run| &run.test.handle.root);
            through.extend(roots.filter(|root| !jvm.open.contains(root)));
            through.extend(jvm.containers.iter().map(|class| &class.root));
        }
        through.retain(|root| is_unique(root));
        let mut left_out = self.left_out.clone();
        // The rest of a culprit's class has run in a build of its own by now.
        let is_through = |class: &String| through.contains(class) || through.contains(&outermost(class));
        let blamed = left_out.classes.clone();
        left_out
            .tests
            .retain(|(class, _)| !is_through(class) && !blamed.contains(class));
        left_out.classes.extend(through.into_iter().cloned());
        left_out
    }

    /// Those of which nothing was seen yet.
    fn not_seen(&self, compiled: Vec<CompiledClass>) -> Vec<CompiledClass> {
        let tests = |test: &SeenTest| [outermost(&test.class), outermost(&test.handle.root)];
        let mut seen = BTreeSet::new();
        for jvm in &self.known.jvms {
            seen.extend(jvm.tests.iter().flat_map(|run| tests(&run.test)));
            seen.extend(jvm.unfinished.iter().flat_map(tests));
            seen.extend(jvm.containers.iter().map(|class| outermost(&class.root)));
            seen.extend(jvm.open.iter().map(|root| outermost(root)));
        }
        let is_new = |class: &CompiledClass| !seen.contains(&class.name);
        compiled.into_iter().filter(is_new).collect()
    }

    fn whole(self, asking: &Asking<'_>) -> Whole {
        let mut troubles = Vec::new();
        let mut not_reached = Vec::new();
        let culprits = culprits(&self.known.lost);
        if self.by_name {
            let rest = format!("{} and took the class's other tests along", culprits.join(", "));
            let classes: BTreeSet<&String> = self.left_out.tests.iter().map(|(class, _)| class).collect();
            let module = self.known.lost.first().map_or(".", |lost| lost.module.as_str());
            let entry =
                |class: &&String| KnownTest::of_class(module, class, Baseline::NotReached(rest.clone()));
            not_reached.extend(classes.iter().map(entry));
        }
        let behind = match &self.gap {
            None => None,
            Some(Gap::Interrupted) => Some("interrupted before the build reached it".to_owned()),
            Some(Gap::OutOfTime) => Some("time ran out before the build reached it".to_owned()),
            Some(Gap::Lost) => Some(format!("the build did not reach it: {}", culprits.join(", "))),
            Some(Gap::Failed(error)) => Some(format!("the build did not reach it: {error}")),
        };
        if let Some(reason) = behind {
            let entry = |class: CompiledClass| class.known_as(Baseline::NotReached(reason.clone()));
            not_reached.extend(self.not_seen((asking.compiled)()).into_iter().map(entry));
        }
        if !self.left_out.tests.is_empty() || !self.left_out.classes.is_empty() {
            troubles.push(Trouble::RanAgain {
                culprits,
                by_name: self.by_name,
            });
        }
        let is_cut = matches!(self.gap, Some(Gap::OutOfTime | Gap::Interrupted));
        if !not_reached.is_empty() || is_cut {
            troubles.push(Trouble::NotReached {
                classes: not_reached.iter().map(|class| class.id.test.clone()).collect(),
            });
        }
        Whole {
            run: self.known,
            not_reached,
            troubles,
        }
    }
}

fn outermost(class: &str) -> String {
    class.split('$').next().unwrap_or(class).to_owned()
}

/// Who ended test JVMs, each as a clause.
fn culprits(lost: &[LostJvm]) -> Vec<String> {
    let clause = |lost: &LostJvm| {
        let who = match &lost.during {
            During::Tests(tests) => {
                let names = tests.iter().map(|test| format!("`{}`", test.id(&lost.module)));
                names.collect::<Vec<_>>().join(" or ")
            }
            During::Class(root) => format!("`{root}`, outside of its tests,"),
            During::Nothing => "something between two tests".to_owned(),
        };
        format!("{who} {}", how(lost.how))
    };
    let clauses: BTreeSet<String> = lost.iter().map(clause).collect();
    clauses.into_iter().collect()
}

/// What is said of a test that ended its JVM in the build.
pub(crate) fn how(how: HowLost) -> String {
    match how {
        HowLost::Exited(Some(status)) => format!("ended its JVM with exit status {status}"),
        HowLost::Exited(None) => "ended its JVM".to_owned(),
        HowLost::Hung(after) => format!("did not finish within {} s", after.as_secs()),
    }
}
