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
use unflake_check::stored::StoredTest;
use unflake_check::{Problem, problem};
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
    /// The time was up before all was tried.
    partial: bool,
}

pub(crate) fn run(args: VictimsArgs, screen: Screen) -> Result<ExitCode, Problem> {
    let settings = VictimsSettings::resolve(args, screen)?;
    let (again, interrupt) = super::open(&settings.place, Some(&settings.wanted))?;
    let wanted = match again.named(&settings.wanted, &settings.place.project)? {
        Named::Finding(finding) => finding.test,
        Named::Test(test) => test.id,
    };
    let stored = &again.stored.tests;
    let target = stored.iter().position(|test| test.id == wanted);
    let (Some(target), Some(launch)) = (
        target,
        again.launch(target.and_then(|target| stored[target].recipe))?,
    ) else {
        return Err(problem!(
            CannotWork,
            "`{wanted}` can only be run by the build tool, so no order can be tried"
        )
        .hint("`unflake check` says why its JVM cannot be started without it"));
    };
    let progress = ProgressDisplay::new(&settings.screen);
    let handles: Vec<Handle> = stored.iter().map(|test| test.handle.clone()).collect();
    let driver = exact(&again.plain_driver());
    let orders = LaunchOrders {
        launch: &launch,
        handles: &handles,
        driver: &driver,
        jobs: settings.jobs.get(),
        silence: Patience::stored().silence(Duration::ZERO),
        deadline: settings.budget.map(|budget| Instant::now() + budget),
    };
    // All tests that run in such a JVM, in the build's order.
    let is_here = |test: &TestIx| stored[test.0].recipe == stored[target].recipe;
    let tests: Vec<TestIx> = TestIx::all(stored.len()).filter(is_here).collect();
    let question = Question {
        target: TestIx(target),
        tests: &tests,
        classes: &classes_of(stored.iter().map(|test| test.handle.root.as_str())),
        orders: &orders,
        tell: &|step| {
            let phase = match step {
                AnswerStep::Alone => "alone",
                AnswerStep::Victims => "who fails after it",
                AnswerStep::Polluters => "who makes it fail",
                AnswerStep::Cleaners => "who cleans up",
                AnswerStep::Setters => "what it needs before it",
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
            .hint("run `unflake check` again: the project or its JDK may have changed since")
    })?;
    let report = Report::new(wanted, stored, &answer);
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
    fn new(test: TestId, stored: &[StoredTest], answer: &Answer) -> Report {
        let name = |test: &TestIx| stored[test.0].id.clone();
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
        list("cleaned up by, in between", &self.cleaners);
        list("passes after", &self.setters);
        list("passes after these together", &self.setters_together);
        if !self.victims.is_empty() {
            text.push_str("  after it fail\n");
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
            text.push_str("  the time was up before all was tried\n");
        }
        text
    }
}

fn said(failure: &Failure) -> String {
    unflake_check::outcome::message(failure)
}
