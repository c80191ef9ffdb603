//! `unflake victims`: who fails after a test, who makes it fail, or what it needs before it; found by running (P11).

use crate::args::{Format, FormatArg, VictimsArgs};
use crate::exit::ExitCode;
use crate::output;
use crate::progress::ProgressDisplay;
use crate::settings::{Screen, VictimsSettings};
use anstyle::Style;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use unflake_check::Named;
use unflake_check::Progress;
use unflake_check::drive::orders::{LaunchOrders, tools};
use unflake_check::stored::StoredTest;
use unflake_check::{Problem, problem};
use unflake_explore::{
    Care, Cleaning, Orders as _, Pair, PolluterTrial, Verdict, Wanted, cleaners, each_alone, prove,
    prove_brittle, shortest, victims_of,
};
use unflake_findings::Suffering;
use unflake_protocol::{Failure, Handle, TestId};

/// A test that says nothing for so long is taken for one that hangs.
const SILENCE: Duration = Duration::from_secs(120);
/// Polluters or setters of one test; more say nothing new.
const MOST: usize = 10;
const CLEANERS: usize = 5;

/// What was found out about one test.
#[derive(Clone, Debug, Serialize)]
struct Answer {
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
    let tools = tools(&again.plain_tools());
    let orders = LaunchOrders {
        launch: &launch,
        handles: &handles,
        tools: &tools,
        next: &again.next,
        jobs: settings.jobs.get(),
        silence: SILENCE,
        deadline: settings.budget.map(|budget| Instant::now() + budget),
    };
    let question = Question {
        stored,
        target,
        orders: &orders,
        progress: &progress,
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
    for FormatArg { format, file } in &settings.formats {
        let text = match format {
            Format::Text => answer.text(),
            Format::Json => format!(
                "{}\n",
                serde_json::to_string_pretty(&answer).expect("plain data can be written")
            ),
        };
        output::write(&text, file.as_deref(), "name another file with `--format`")?;
    }
    Ok(if answer.is_clean() {
        ExitCode::Clean
    } else {
        ExitCode::Findings
    })
}

/// One test, and all others of its launch.
struct Question<'a> {
    stored: &'a [StoredTest],
    target: usize,
    orders: &'a LaunchOrders<'a>,
    progress: &'a dyn Progress,
}

impl Question<'_> {
    /// `None`: the test could not be run.
    fn answer(&self) -> Option<Answer> {
        self.progress.phase("alone", 0);
        let alone = self.run(&[self.target])?.pop()?;
        let mut answer = Answer {
            schema_version: 1,
            test: self.stored[self.target].id.clone(),
            passes_alone: alone == Verdict::Passed,
            message: String::new(),
            victims: Vec::new(),
            polluters: Vec::new(),
            cleaners: Vec::new(),
            setters: Vec::new(),
            setters_together: Vec::new(),
            partial: false,
        };
        match alone {
            Verdict::Passed => {
                self.find_victims(&mut answer);
                self.find_polluters(&mut answer);
            }
            Verdict::Failed(failure) => self.find_setters(&failure, &mut answer),
            Verdict::NotRun | Verdict::Cancelled => return None,
        }
        answer.partial |= self.run(&[self.target]).is_none();
        Some(answer)
    }

    fn run(&self, order: &[usize]) -> Option<Vec<Verdict>> {
        self.orders.run_all(&[order.to_vec()]).pop().flatten()
    }

    fn name(&self, test: &usize) -> TestId {
        self.stored[*test].id.clone()
    }

    /// All tests that run in such a JVM, in the build's order.
    fn all(&self) -> Vec<usize> {
        let recipe = self.stored[self.target].recipe;
        let is_here = |test: &usize| self.stored[*test].recipe == recipe;
        (0..self.stored.len()).filter(is_here).collect()
    }

    fn others(&self) -> Vec<usize> {
        self.all()
            .into_iter()
            .filter(|test| *test != self.target)
            .collect()
    }

    fn find_victims(&self, answer: &mut Answer) {
        self.progress.phase("who fails after it", 0);
        let all = self.all();
        let Some(verdicts) = self.run(&all) else {
            answer.partial = true;
            return;
        };
        let passed = all
            .iter()
            .zip(&verdicts)
            .filter(|(_, verdict)| **verdict == Verdict::Passed);
        let candidates: Vec<usize> = passed
            .map(|(test, _)| *test)
            .filter(|test| *test != self.target)
            .collect();
        let trial = PolluterTrial {
            polluter: self.target,
            candidates,
            changing: BTreeSet::new(),
            polluting: BTreeSet::new(),
        };
        let tried = victims_of(self.orders, self.orders, &[trial], &BTreeSet::new(), Care::Both);
        answer.partial |= tried.is_partial.contains(&true);
        answer.victims = tried
            .victims
            .iter()
            .map(|victim| Suffering {
                test: self.name(&victim.victim),
                message: said(&victim.failure),
            })
            .collect();
    }

    fn find_polluters(&self, answer: &mut Answer) {
        self.progress.phase("who makes it fail", 0);
        let mut candidates = vec![self.target];
        candidates.extend(each_alone(
            self.orders,
            &self.others(),
            self.target,
            Wanted::Fails,
            MOST,
        ));
        let pair = |polluter: &usize| Pair {
            victim: self.target,
            polluters: vec![*polluter],
            passed_alone: 1,
            failed_in_company: 0,
        };
        let pairs: Vec<Pair> = candidates.iter().map(pair).collect();
        let mut polluters = Vec::new();
        for (polluter, proved) in candidates.iter().zip(prove(self.orders, &pairs)) {
            if let Ok(proved) = proved {
                if answer.message.is_empty() {
                    answer.message = said(&proved.failure);
                }
                polluters.push(*polluter);
            }
        }
        answer.polluters = polluters.iter().map(|test| self.name(test)).collect();
        let other = polluters.iter().find(|polluter| **polluter != self.target);
        if let Some(polluter) = other {
            self.progress.phase("who cleans up", 0);
            let cleaning = Cleaning {
                polluters: &[*polluter],
                victim: self.target,
                candidates: &self.others(),
                classes: &self.classes(),
                most: CLEANERS,
            };
            let cleaners = cleaners(self.orders, cleaning);
            answer.cleaners = cleaners.iter().map(|test| self.name(test)).collect();
        }
    }

    fn find_setters(&self, failure: &Failure, answer: &mut Answer) {
        self.progress.phase("what it needs before it", 0);
        answer.message = said(failure);
        let found = each_alone(self.orders, &self.others(), self.target, Wanted::Passes, MOST);
        let setters = found
            .iter()
            .filter(|setter| prove_brittle(self.orders, self.target, &[**setter]).is_ok());
        answer.setters = setters.map(|test| self.name(test)).collect();
        if answer.setters.is_empty() {
            let before: Vec<usize> = self
                .all()
                .into_iter()
                .take_while(|test| *test != self.target)
                .collect();
            if let Ok(together) = shortest(self.orders, &before, self.target, Wanted::Passes)
                && prove_brittle(self.orders, self.target, &together).is_ok()
            {
                answer.setters_together = together.iter().map(|test| self.name(test)).collect();
            }
        }
    }

    /// A number for the class of each test.
    fn classes(&self) -> Vec<usize> {
        let mut numbers = BTreeMap::new();
        let class = |test: &StoredTest| {
            let next = numbers.len();
            *numbers.entry(test.handle.root.clone()).or_insert(next)
        };
        self.stored.iter().map(class).collect()
    }
}

impl Answer {
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
