//! A suite's text, and the build that showed it.

use super::behaviour::Rule;
use super::jvm::{failure, seen};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;
use unflake_project::{BuildRecipe, BuildRun, TOOLS, TestJvm, TestRun};
use unflake_protocol::{Framework, Handle, HashDraws, JavaVm, Outcome, Recipe, ScopeChoices};

/// The model that simulated tests have used in the build.
const MODEL: &str = "HashMap.keySet";

/// What the build of such a suite shows.
pub(crate) fn build_run(text: &str, folder: &Path) -> BuildRun {
    BuildRun {
        jvms: build_jvms(&lines(text), folder),
        has_reported_tests: true,
        not_started: Vec::new(),
        lost: Vec::new(),
        time: Duration::from_secs(1),
    }
}

pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(Line::parse).collect()
}

/// One test of the text.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    /// `failed`, `skipped`, `unfinished`, `no-choice`, `one-run`, `jvm N`, `no-launch`, `sees CLASS`.
    built: Vec<&'a str>,
    pub(super) rules: Vec<Rule>,
}

impl<'a> Line<'a> {
    fn parse(line: &'a str) -> Line<'a> {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (built, rules) = match rest
            .trim()
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'))
        {
            Some((built, rules)) => (built, rules),
            None => ("", rest),
        };
        let rules = rules.split(';').filter(|rule| !rule.trim().is_empty());
        Line {
            name,
            built: built.split(',').map(str::trim).collect(),
            rules: rules.map(Rule::parse).collect(),
        }
    }

    fn is(&self, what: &str) -> bool {
        self.built.contains(&what)
    }

    fn word_after(&self, key: &str) -> Option<&'a str> {
        self.built
            .iter()
            .find_map(|word| word.strip_prefix(key)?.strip_prefix(' '))
    }

    fn run(&self) -> TestRun {
        let is_choosing = !self.is("no-choice") && !self.is("one-run");
        TestRun {
            test: seen(&handle(self.name)),
            outcome: if self.is("failed") {
                Outcome::Failed(failure("failed in the build"))
            } else if self.is("skipped") {
                let reason = "disabled".to_owned();
                Outcome::Skipped { reason }
            } else {
                Outcome::Passed
            },
            choices: ScopeChoices {
                count: u64::from(is_choosing),
                by_project: is_choosing,
                models: is_choosing.then(|| MODEL.to_owned()).into_iter().collect(),
                hashes: if self.is("one-run") {
                    HashDraws::Some
                } else {
                    HashDraws::None
                },
            },
            time: Duration::from_millis(1),
            waited: Duration::ZERO,
        }
    }
}

/// The build's JVMs: one for each that a test names, each with a launch of its own.
fn build_jvms(tests: &[Line<'_>], folder: &Path) -> Vec<TestJvm> {
    let mut jvms: BTreeMap<&str, Vec<&Line<'_>>> = BTreeMap::new();
    for test in tests {
        jvms.entry(test.word_after("jvm").unwrap_or("1"))
            .or_default()
            .push(test);
    }
    let jvm = |(name, tests): (&str, Vec<&Line<'_>>)| {
        let has_launch = !tests.iter().any(|test| test.is("no-launch"));
        let classes = folder.join(format!("project/m{name}/target/test-classes"));
        fs::create_dir_all(&classes).unwrap();
        let refers = tests.iter().filter_map(|test| {
            let class = seen(&handle(test.name)).class;
            Some((class, vec![test.word_after("sees")?.to_owned()]))
        });
        let held = tests.iter().filter_map(|test| test.word_after("sees"));
        let held = held.map(|class| (class.to_owned(), Vec::new()));
        let (unfinished, ended): (Vec<&Line<'_>>, Vec<_>) =
            tests.iter().copied().partition(|test| test.is("unfinished"));
        TestJvm {
            pid: 0,
            java: JavaVm {
                feature: 17,
                version: "17.0.15".to_owned(),
                home: "/jdk".into(),
            },
            recipe: has_launch.then(|| BuildRecipe {
                tool: TOOLS.0[0],
                recipe: recipe(&classes),
            }),
            module: ".".to_owned(),
            tests: ended.iter().map(|test| test.run()).collect(),
            containers: Vec::new(),
            initialisers: Default::default(),
            references: refers.chain(held).collect(),
            not_applied: BTreeMap::new(),
            unfinished: unfinished.iter().map(|test| seen(&handle(test.name))).collect(),
            open: Vec::new(),
            hung: None,
            at_once: 1,
            bugs: Vec::new(),
        }
    };
    jvms.into_iter().map(jvm).collect()
}

/// How a JVM with these classes is started.
fn recipe(classes: &Path) -> Recipe {
    Recipe {
        java: "/jdk/bin/java".into(),
        arguments: vec!["-cp".to_owned(), classes.display().to_string(), "Main".to_owned()],
        argument_files: BTreeMap::new(),
        directory: classes.parent().unwrap().to_owned(),
        environment: BTreeMap::new(),
        properties: BTreeMap::new(),
        launcher: Vec::new(),
    }
}

/// A test by its name; its class is the part before `#`.
pub(crate) fn handle(name: &str) -> Handle {
    Handle {
        framework: Framework::Platform,
        root: name.split('#').next().unwrap_or_default().to_owned(),
        id: name.to_owned(),
    }
}
