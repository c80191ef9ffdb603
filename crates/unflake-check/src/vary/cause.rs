//! Finds the causes of findings (N10): for `check` by itself, and for `unflake debug` later.

use crate::drive::driver::DrivenJvm;
use crate::drive::pool::{Lane, in_lanes};
use crate::drive::scripts::{Cold, RunLimit, ScriptJvms, Subject, Warm};
use crate::places::Places;
use crate::stored::{Stored, StoredReplay};
use std::path::Path;
use std::time::{Duration, Instant};
use unflake_explore::{Culprits, NoCause, Verdict, find_cause};
use unflake_findings::{Cause, CauseStatus, Choice, Details, Document, Finding, Scope, rules};
use unflake_protocol::{ChoiceKind, Evidence, Failure, Record, Strategy};
use unflake_runner::Launch;

/// Looks for causes.
#[derive(Debug)]
pub struct Debugger<'a> {
    pub stored: &'a Stored,
    pub project: &'a Path,
    pub jvms: &'a ScriptJvms<'a>,
    /// Findings at the same time.
    pub jobs: usize,
    /// The result must not depend on which finding came first in a JVM.
    pub repeatable: bool,
    /// For one finding.
    pub limit: Option<Duration>,
    /// For all of them.
    pub deadline: Option<Instant>,
}

/// A JVM in which tests were explained that leave nothing behind, for the next one.
struct Spare {
    recipe: usize,
    jvm: DrivenJvm,
}

impl Debugger<'_> {
    /// Fills in the causes of these findings of a document; `done` hears of each.
    pub fn explain(&self, document: &mut Document, which: &[usize], done: &(dyn Fn() + Sync)) {
        let findings = which
            .iter()
            .map(|index| (*index, document.findings[*index].clone()))
            .collect();
        let lane = Lane {
            threads: self.jobs,
            items: findings,
        };
        let causes = in_lanes(
            vec![lane],
            &|| None,
            &|spare, (index, finding): (usize, Finding)| {
                let clock = Instant::now();
                let mut cause = self.cause(&finding, spare);
                cause.time = clock.elapsed().as_secs_f64();
                done();
                (index, cause)
            },
        );
        for (index, cause) in causes {
            let finding = &mut document.findings[index];
            finding.rule = rules::of(&cause).to_owned();
            if let Details::ImplementationDependent { cause: slot, .. } = &mut finding.details {
                *slot = cause;
            }
        }
    }

    fn cause(&self, finding: &Finding, spare: &mut Option<Spare>) -> Cause {
        let Details::ImplementationDependent { strategy, scope, .. } = &finding.details else {
            return not_found("it does not depend on an implementation", 0);
        };
        let Some(replay) = self.stored.replays.get(finding.id.as_str()) else {
            return not_found("the run did not keep what is needed", 0);
        };
        let launch = replay
            .recipe
            .and_then(|recipe| Some((recipe, self.stored.recipes.get(recipe)?)))
            .and_then(|(recipe, stored)| Some((recipe, stored.launch().ok()?)));
        let Some((recipe, launch)) = launch else {
            return not_found(
                "it fails only when the build tool runs it, where single choices cannot be repeated",
                0,
            );
        };
        let limit = self.limit.map(|limit| Instant::now() + limit);
        let mut allowance = RunLimit {
            deadline: limit.into_iter().chain(self.deadline).min(),
            runs: 0,
        };
        let subject = Subject {
            launch: &launch,
            tests: &replay.tests,
            strategy: Some(*strategy),
        };
        let mut is_warm = true;
        let found = self.warm(subject, recipe, spare, &mut allowance).or_else(|why| {
            is_warm = false;
            // What a test finds changed by its own earlier runs, or what an initialiser froze, shows in fresh JVMs only.
            match why {
                NoCause::TimeUp(_) if self.is_over(&allowance) => Err(why),
                _ => find_cause(&mut Cold {
                    jvms: self.jvms,
                    subject,
                    allowance: &mut allowance,
                }),
            }
        });
        let runs = allowance.runs;
        match found {
            Ok(culprits) => Cause {
                warm: is_warm,
                ..self.found(culprits, *scope, &launch, runs)
            },
            Err(NoCause::Hashes(failure)) => hashes(&failure, *scope, runs),
            Err(why) => not_found(&reason(&why, replay, *strategy), runs),
        }
    }

    fn is_over(&self, allowance: &RunLimit) -> bool {
        self.jvms.driver.cancel().is_cancelled()
            || allowance
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// In one JVM: that of the finding before if the failure shows there too, else in one of its own.
    fn warm(
        &self,
        subject: Subject<'_>,
        recipe: usize,
        spare: &mut Option<Spare>,
        allowance: &mut RunLimit,
    ) -> Result<Culprits, NoCause> {
        let used = spare.take().filter(|spare| spare.recipe == recipe);
        let used = used.and_then(|spare| self.passes(spare.jvm, subject));
        let found = match used.map(|jvm| self.in_one(jvm, subject, allowance)) {
            Some((Ok(found), jvm)) => (Ok(found), jvm),
            _ => {
                let started = self.jvms.start(subject.launch).ok();
                match started.and_then(|jvm| self.passes(jvm, subject)) {
                    Some(jvm) => self.in_one(jvm, subject, allowance),
                    None => (Err(NoCause::NotRepeated), None),
                }
            }
        };
        let (found, jvm) = found;
        *spare = jvm.filter(|_| !self.repeatable).map(|jvm| Spare { recipe, jvm });
        found
    }

    /// In this JVM, in which the test has just passed. It counts if the test passes there afterwards too; then the JVM is
    /// as good as before.
    fn in_one(
        &self,
        jvm: DrivenJvm,
        subject: Subject<'_>,
        allowance: &mut RunLimit,
    ) -> (Result<Culprits, NoCause>, Option<DrivenJvm>) {
        let mut probe = Warm {
            jvms: self.jvms,
            subject,
            jvm: Some(jvm),
            allowance,
        };
        let found = find_cause(&mut probe);
        match probe.jvm.and_then(|jvm| self.passes(jvm, subject)) {
            Some(jvm) => (found, Some(jvm)),
            None => (found.and(Err(NoCause::Unstable)), None),
        }
    }

    /// Runs the test unvaried. Also loads its classes, so that what that chooses is not among the choices of later runs.
    fn passes(&self, mut jvm: DrivenJvm, subject: Subject<'_>) -> Option<DrivenJvm> {
        let unvaried = Subject {
            strategy: None,
            ..subject
        };
        let (probed, can_go_on) = self.jvms.run(&mut jvm, unvaried, None, &Record::default());
        (can_go_on && probed.verdict == Verdict::Passed).then_some(jvm)
    }

    fn found(&self, culprits: Culprits, scope: Scope, launch: &Launch, runs: u32) -> Cause {
        let mut places = Places::new(self.project, launch);
        let mut choice = |number: usize, evidence: &Evidence| Choice {
            number: u32::try_from(number).unwrap_or(u32::MAX),
            api: api(evidence),
            javadoc: javadoc(&api(evidence)),
            call: places.place(&evidence.stack),
            allocation: places.place(&evidence.allocation),
            stack: places.frames(&evidence.stack),
            allocation_stack: places.frames(&evidence.allocation),
            owner: evidence.owner.clone(),
            elements: evidence.size,
            natural: natural(evidence),
            failing: evidence.failing.clone(),
            moved: evidence.moved.clone(),
        };
        let choices = culprits
            .choices
            .iter()
            .map(|culprit| choice(culprit.number, &culprit.evidence))
            .collect();
        cause(choices, &culprits.failure, scope, runs)
    }
}

/// The elements in natural order, or the natural answer.
fn natural(evidence: &Evidence) -> Vec<String> {
    if evidence.kind == ChoiceKind::Rearranges {
        return evidence.natural.clone();
    }
    let answer = evidence.natural.get(evidence.natural_answer as usize);
    answer.cloned().into_iter().collect()
}

fn cause(choices: Vec<Choice>, failure: &Failure, scope: Scope, runs: u32) -> Cause {
    let (expected, actual) = compared(failure);
    Cause {
        status: CauseStatus::Found,
        reason: None,
        scope: Some(scope),
        choices,
        message: Some(failure.message.clone()),
        expected,
        actual,
        warm: false,
        runs,
        time: 0.0,
    }
}

/// The test sees identity hashes: there is no single call to blame.
fn hashes(failure: &Failure, scope: Scope, runs: u32) -> Cause {
    const API: &str = "Object.hashCode";
    let choice = Choice {
        number: 0,
        api: API.to_owned(),
        javadoc: javadoc(API),
        call: None,
        allocation: None,
        stack: Vec::new(),
        allocation_stack: Vec::new(),
        owner: None,
        elements: 0,
        natural: Vec::new(),
        failing: Vec::new(),
        moved: Vec::new(),
    };
    cause(vec![choice], failure, scope, runs)
}

fn not_found(reason: &str, runs: u32) -> Cause {
    Cause {
        status: CauseStatus::NotFound,
        reason: Some(reason.to_owned()),
        runs,
        ..Cause::default()
    }
}

fn reason(why: &NoCause, replay: &StoredReplay, strategy: Strategy) -> String {
    match why {
        NoCause::NotRepeated if replay.tests.len() > 1 => {
            format!("it passes when it is repeated ({strategy}) after the tests that ran before it")
        }
        NoCause::NotRepeated => format!("it passes when it is repeated ({strategy})"),
        NoCause::Unstable => "the same choices made it fail once and pass once".to_owned(),
        NoCause::TimeUp(0) => "time was up before the first run".to_owned(),
        NoCause::TimeUp(left) => format!("time was up with {left} choices left that may be the cause"),
        NoCause::Hashes(_) => "it fails with all choices as they naturally are".to_owned(),
    }
}

/// The model that the project's own call is one of: a `HashSet` iterates the keys of a `HashMap`, and its model says so.
pub fn api(evidence: &Evidence) -> String {
    let is_jdk = |class: &str| class.starts_with("java.") || class.starts_with("javax.");
    let called = evidence
        .stack
        .iter()
        .take_while(|frame| is_jdk(&frame.class))
        .last();
    let name = called.map(|frame| {
        let class = frame.class.rsplit('.').next().unwrap_or_default();
        format!("{class}.{}", frame.method)
    });
    name.filter(|name| {
        unflake_models::find(name).is_some_and(|(_, model)| model.through.contains(&evidence.model.as_str()))
    })
    .unwrap_or_else(|| evidence.model.clone())
}

/// The sentence that leaves the API open.
fn javadoc(api: &str) -> String {
    unflake_models::find(api).map_or_else(
        || "described as underdetermined in `unflake.toml` or by an annotation".to_owned(),
        |(_, model)| model.quote.to_owned(),
    )
}

/// The values that an assertion compared: as it tells them, else as its message does.
fn compared(failure: &Failure) -> (Option<String>, Option<String>) {
    if failure.expected.is_some() || failure.actual.is_some() {
        return (failure.expected.clone(), failure.actual.clone());
    }
    let between = |text: &str, opening: &str| -> Option<(String, String)> {
        let (_, rest) = text.split_once(opening)?;
        let (expected, rest) = rest.split_once("> but was:")?;
        let (_, actual) = rest.split_once('<')?;
        Some((expected.to_owned(), actual.strip_suffix('>')?.to_owned()))
    };
    let message = failure.message.trim();
    match between(message, "expected:<").or_else(|| between(message, "expected: <")) {
        Some((expected, actual)) => (Some(expected), Some(actual)),
        None => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_from_messages_of_junit() {
        let compared = |message: &str| {
            compared(&Failure {
                kind: "E".to_owned(),
                message: message.to_owned(),
                trace: String::new(),
                expected: None,
                actual: None,
            })
        };
        let pair = |expected: &str, actual: &str| (Some(expected.to_owned()), Some(actual.to_owned()));
        assert_eq!(compared("expected:<1> but was:<2>"), pair("1", "2"));
        assert_eq!(compared("sum ==> expected: <a> but was: <b>"), pair("a", "b"));
        assert_eq!(compared("boom"), (None, None));
    }
}
