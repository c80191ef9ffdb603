//! `unflake victims`: who fails after a test, who makes it fail, or what it needs before it; found by running (P11).

use crate::args::{Format, FormatArg, VictimsArgs};
use crate::exit::ExitCode;
use crate::output;
use crate::progress::ProgressDisplay;
use crate::settings::{Screen, VictimsSettings};
use anstyle::Style;
use serde::Serialize;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use unflake_check::Named;
use unflake_check::Progress;
use unflake_check::drive::orders::{LaunchOrders, exact};
use unflake_check::drive::patience::Patience;
use unflake_check::{Problem, Suite, problem};
use unflake_explore::TestIx;
use unflake_explore::order::{Answer, AnswerStep, Question, classes_of};
use unflake_findings::Suffering;
use unflake_protocol::{Failure, Handle, TestId};

/// What is said about one test.
#[derive(Clone, Debug, Serialize)]
struct Report {
    schema_version: u32,
    #[serde(flatten)]
    test: TestId,
    passes_alone: bool,
    /// What it says when it fails, alone or after a polluter; empty if it does not.
    message: String,
    /// Tests that fail after it.
    victims: Vec<Suffering>,
    /// Tests after which it fails.
    polluters: Vec<TestId>,
    /// Tests that, between the first polluter and this one, make it pass.
    cleaners: Vec<TestId>,
    /// Tests after which it passes, though alone it does not.
    setters: Vec<TestId>,
    /// Tests that make it pass only together, in this order.
    setters_together: Vec<TestId>,
    /// The time ran out before everything was tried.
    partial: bool,
}

pub(crate) fn run(args: VictimsArgs, screen: Screen) -> Result<ExitCode, Problem> {
    let settings = VictimsSettings::resolve(args, screen)?;
    let (opened, interrupt) = super::open(&settings.place, Some(&settings.wanted))?;
    let wanted = match opened.named(&settings.wanted, &settings.place.project)? {
        Named::Finding(finding) => finding.test,
        Named::Test(test) => opened.session.suite[test].id.clone(),
    };
    let session = &opened.session;
    let suite = &session.suite;
    let target = suite.find(&wanted);
    let launch = target.and_then(|target| suite[target].launch);
    let (Some(target), Some(launch)) = (target, launch) else {
        return Err(problem!(
            CannotWork,
            "`{wanted}` can only be run by the build tool, so no order can be tried"
        )
        .hint("`unflake check` says why its JVM cannot be started without the build tool"));
    };
    let progress = ProgressDisplay::new(&settings.screen);
    let handles: Vec<Handle> = suite.tests.iter().map(|test| test.handle.clone()).collect();
    let driver = exact(session.driver());
    let orders = LaunchOrders {
        launch: session.built(launch)?,
        handles: &handles,
        driver: &driver,
        jobs: settings.jobs.get(),
        silence: Patience::stored().silence(Duration::ZERO),
        deadline: settings.budget.map(|budget| Instant::now() + budget),
    };
    // All tests that run in such a JVM, in the build's order.
    let is_here = |test: &TestIx| suite[*test].launch == Some(launch);
    let tests: Vec<TestIx> = suite.all().filter(is_here).collect();
    let question = Question {
        target,
        tests: &tests,
        classes: &classes_of(suite.tests.iter().map(|test| test.handle.root.as_str())),
        orders: &orders,
        tell: &|step| {
            let phase = match step {
                AnswerStep::Alone => "alone",
                AnswerStep::Victims => "tests that fail after it",
                AnswerStep::Polluters => "tests that make it fail",
                AnswerStep::Cleaners => "cleaners",
                AnswerStep::Setters => "tests it needs before it",
            };
            progress.phase(phase, 0);
        },
    };
    let answer = question.answer();
    progress.finish();
    if let Some(code) = interrupt.exit_code() {
        return Ok(code);
    }
    let answer = answer.ok_or_else(|| {
        problem!(CannotWork, "the test `{wanted}` could not be run")
            .hint("run `unflake check` again: the project or its JDK may have changed")
    })?;
    let report = Report::new(wanted, suite, &answer);
    for FormatArg { format, file } in &settings.formats {
        let text = match format {
            Format::Text => report.text(),
            Format::Json => format!(
                "{}\n",
                serde_json::to_string_pretty(&report).expect("plain data can be written")
            ),
        };
        output::write(&text, file.as_deref(), "name another file with `--format`")?;
    }
    Ok(if report.is_clean() {
        ExitCode::Clean
    } else {
        ExitCode::Findings
    })
}

impl Report {
    fn new(test: TestId, suite: &Suite, answer: &Answer) -> Report {
        let name = |test: &TestIx| suite[*test].id.clone();
        let names = |tests: &[TestIx]| tests.iter().map(name).collect();
        let victims = answer.victims.iter().map(|victim| Suffering {
            test: name(&victim.victim),
            message: said(&victim.failure),
        });
        Report {
            schema_version: 1,
            test,
            passes_alone: answer.passes_alone,
            message: answer.failure.as_ref().map(said).unwrap_or_default(),
            victims: victims.collect(),
            polluters: names(&answer.polluters),
            cleaners: names(&answer.cleaners),
            setters: names(&answer.setters),
            setters_together: names(&answer.setters_together),
            partial: answer.is_partial,
        }
    }

    fn is_clean(&self) -> bool {
        self.passes_alone && self.victims.is_empty() && self.polluters.is_empty()
    }

    fn text(&self) -> String {
        let bold = Style::new().bold();
        let how = if self.passes_alone { "passes" } else { "fails" };
        let mut text = format!("{bold}{}{bold:#}  {how} alone\n", self.test);
        let mut list = |heading: &str, tests: &[TestId]| {
            if !tests.is_empty() {
                let _ = writeln!(text, "  {heading}");
                for test in tests {
                    let own = if *test == self.test {
                        "  (itself: it cannot run twice)"
                    } else {
                        ""
                    };
                    let _ = writeln!(text, "    {test}{own}");
                }
            }
        };
        list("fails after", &self.polluters);
        list("passes again with one of these in between", &self.cleaners);
        list("passes after", &self.setters);
        list("passes after these together", &self.setters_together);
        if !self.victims.is_empty() {
            text.push_str("  these fail after it\n");
            for victim in &self.victims {
                let message = unflake_report::one_line(&victim.message);
                let _ = writeln!(text, "    {}\n      {message}", victim.test);
            }
        }
        if self.is_clean() {
            text.push_str("  nothing fails after it, and it fails after no other test\n");
        } else if !self.passes_alone && self.setters.is_empty() && self.setters_together.is_empty() {
            text.push_str("  no test makes it pass\n");
        }
        if self.partial {
            text.push_str("  time ran out before everything was tried\n");
        }
        text
    }
}

fn said(failure: &Failure) -> String {
    unflake_check::document::message(failure)
}
