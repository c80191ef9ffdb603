//! Finds the causes of findings (N10), during a `check` or later for `unflake debug`.

use crate::drive::driver::DrivenJvm;
use crate::drive::patience::Patience;
use crate::drive::pool::{Lane, in_lanes};
use crate::drive::scripts::{Cold, RunLimit, ScriptJvms, Subject, Warm};
use crate::places::OwnCode;
use crate::replay::Replay;
use crate::session::Session;
use crate::suite::LaunchIx;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use unflake_explore::{Culprits, NoCause, Verdict, find_cause};
use unflake_findings::{Cause, CauseStatus, Choice, Scope};
use unflake_protocol::{ChoiceKind, Evidence, Failure, Record, Strategy};
use unflake_runner::Launch;

/// How often a smaller order of one choice is tried for.
const ORDER_RUNS: usize = 60;

/// A failure whose cause is searched for.
#[derive(Clone, Debug)]
pub struct ToExplain {
    /// How choices vary when it fails.
    pub strategy: Strategy,
    pub scope: Scope,
    pub replay: Replay,
    /// It fails by not ending: then every run that fails takes as long as it is waited for.
    pub hangs: bool,
}

/// Looks for causes.
#[derive(Debug)]
pub struct Debugger<'a> {
    pub session: &'a Session,
    pub jvms: &'a ScriptJvms<'a>,
    /// Failures at the same time.
    pub jobs: usize,
    /// The result must not depend on which failure came first in a JVM.
    pub repeatable: bool,
    /// For one failure.
    pub limit: Option<Duration>,
    /// Runs for one failure.
    pub most_runs: Option<u32>,
    /// For all of them.
    pub deadline: Option<Instant>,
    /// Look for the least change of each order, too: for a person who reads it.
    pub smallest_orders: bool,
}

/// A JVM in which tests were explained that leave nothing behind, for the next one.
struct Spare {
    launch: LaunchIx,
    jvm: DrivenJvm,
}

/// What one failure leaves for the next of the same thread.
#[derive(Default)]
struct Handed {
    spare: Option<Spare>,
    /// Classes whose tests show their failures in fresh JVMs only.
    cold: BTreeSet<String>,
}

impl Debugger<'_> {
    /// The causes of these failures, in their order; `done` hears of each.
    pub fn explain(&self, failures: Vec<ToExplain>, done: &(dyn Fn() + Sync)) -> Vec<Cause> {
        let lane = Lane {
            threads: self.jobs,
            items: failures,
        };
        in_lanes(vec![lane], &Handed::default, &|handed, failure: ToExplain| {
            let clock = Instant::now();
            let mut cause = self.cause(&failure, handed);
            cause.time = clock.elapsed().as_secs_f64();
            done();
            cause
        })
    }

    fn cause(&self, failure: &ToExplain, handed: &mut Handed) -> Cause {
        let ToExplain {
            strategy,
            scope,
            replay,
            hangs,
        } = failure;
        let Some(launch) = replay.launch else {
            return not_found(
                "it fails only when the build tool runs it, where single choices cannot be repeated",
                0,
            );
        };
        let limit = self.limit.map(|limit| Instant::now() + limit);
        let mut allowance = RunLimit {
            deadline: limit.into_iter().chain(self.deadline).min(),
            most: self.most_runs,
            order_runs: if self.smallest_orders { ORDER_RUNS } else { 0 },
            runs: 0,
        };
        let suite = &self.session.suite;
        let took = replay.tests.iter().map(|test| suite[*test].time).sum();
        let subject = Subject {
            launch: suite.launch(launch),
            tests: &suite.handles(&replay.tests),
            strategy: Some(*strategy),
            only: &suite.own_scopes(&replay.tests),
            silence: hangs.then(|| Patience::repeating(None).silence(took)),
        };
        let class = subject
            .tests
            .last()
            .map(|test| test.root.clone())
            .unwrap_or_default();
        let warm = match handed.cold.contains(&class) {
            true => Err(NoCause::NotRepeated),
            false => self.warm(subject, launch, &mut handed.spare, &mut allowance),
        };
        let is_warm = warm.is_ok();
        // What a test finds changed by its own earlier runs, or what an initialiser froze, shows in fresh JVMs only.
        let found = match warm {
            Err(NoCause::TimeUp(left)) if self.is_over(&allowance) => Err(NoCause::TimeUp(left)),
            Err(_) => find_cause(&mut Cold {
                jvms: self.jvms,
                subject,
                allowance: &mut allowance,
            }),
            found => found,
        };
        if !is_warm && found.is_ok() && !self.repeatable {
            handed.cold.insert(class);
        }
        let runs = allowance.runs;
        let ended = match allowance.most {
            Some(most) if allowance.is_used_up() => format!("{most} runs were not enough,"),
            Some(_) | None => "time ran out".to_owned(),
        };
        match found {
            Ok(culprits) => Cause {
                warm: is_warm,
                ..self.found(culprits, *scope, subject.launch, runs)
            },
            Err(NoCause::Hashes(failure)) => hashes(&failure, *scope, runs),
            Err(why) => not_found(&reason(&why, replay, *strategy, &ended), runs),
        }
    }

    fn is_over(&self, allowance: &RunLimit) -> bool {
        self.jvms.driver.cancel().is_cancelled() || allowance.is_over()
    }

    /// In one JVM: that of the finding before if the failure shows there too, else in one of its own.
    fn warm(
        &self,
        subject: Subject<'_>,
        launch: LaunchIx,
        spare: &mut Option<Spare>,
        allowance: &mut RunLimit,
    ) -> Result<Culprits, NoCause> {
        let used = spare.take().filter(|spare| spare.launch == launch);
        let used = used.and_then(|spare| self.passes(spare.jvm, subject));
        let found = match used.map(|jvm| self.in_one(jvm, subject, allowance)) {
            Some((Ok(found), jvm)) => (Ok(found), jvm),
            _ => {
                let started = self.jvms.start(subject).ok();
                match started.and_then(|jvm| self.passes(jvm, subject)) {
                    Some(jvm) => self.in_one(jvm, subject, allowance),
                    None => (Err(NoCause::NotRepeated), None),
                }
            }
        };
        let (found, jvm) = found;
        *spare = jvm.filter(|_| !self.repeatable).map(|jvm| Spare { launch, jvm });
        found
    }

    /// In this JVM, in which the test has just passed. It counts if the test passes there afterwards too; then the JVM
    /// is as good as before.
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

    /// Runs the test unvaried. Also loads its classes, so that what that chooses is not among the choices of later
    /// runs.
    fn passes(&self, mut jvm: DrivenJvm, subject: Subject<'_>) -> Option<DrivenJvm> {
        let unvaried = Subject {
            strategy: None,
            ..subject
        };
        let (probed, can_go_on) = self.jvms.run(&mut jvm, unvaried, None, &Record::default());
        (can_go_on && probed.verdict == Verdict::Passed).then_some(jvm)
    }

    fn found(&self, culprits: Culprits, scope: Scope, launch: &Launch, runs: u32) -> Cause {
        let mut places = OwnCode::new(&self.session.project, launch);
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
        Cause {
            failed_at: places.of_trace(&culprits.failure.trace),
            ..cause(choices, &culprits.failure, scope, runs)
        }
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
        failed_at: Vec::new(),
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

/// `ended`: what ended the search, if something did.
fn reason(why: &NoCause, replay: &Replay, strategy: Strategy, ended: &str) -> String {
    match why {
        NoCause::NotRepeated if replay.tests.len() > 1 => {
            format!("it passed when repeated ({strategy}) after the tests that ran before it")
        }
        NoCause::NotRepeated => format!("it passed when repeated ({strategy})"),
        NoCause::Unstable => "the same choices made it fail once and pass once".to_owned(),
        NoCause::TimeUp(0) => format!("{ended} before the first run"),
        NoCause::TimeUp(left) => format!("{ended} with {left} choices left that could be the cause"),
        NoCause::Hashes(_) => "it fails even with the JDK's own choices".to_owned(),
    }
}

/// The model that the project's own call is one of: a `HashSet` iterates the keys of a `HashMap`, and its model says
/// so.
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
pub(crate) fn compared(failure: &Failure) -> (Option<String>, Option<String>) {
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
        for other in ["boom", "expected:<1> and <2>", "expected:<1> but was:<2> here"] {
            assert_eq!(compared(other), (None, None), "{other}");
        }
    }

    fn evidence(kind: ChoiceKind, model: &str, stack: &[&str]) -> Evidence {
        let frame = |name: &&str| {
            let (class, method) = name.rsplit_once('.').unwrap();
            unflake_protocol::StackFrame {
                class: class.to_owned(),
                method: method.to_owned(),
                file: None,
                line: None,
            }
        };
        Evidence {
            id: unflake_protocol::ChoiceId::new(0, 0, 0),
            model: model.to_owned(),
            kind,
            size: 3,
            owner: None,
            natural: ["a", "b", "c"].map(str::to_owned).to_vec(),
            natural_answer: 1,
            failing: Vec::new(),
            moved: Vec::new(),
            order: Vec::new(),
            stack: stack.iter().map(frame).collect(),
            allocation: Vec::new(),
        }
    }

    #[test]
    fn the_api_is_the_one_that_the_project_called() {
        let api = |model: &str, stack: &[&str]| api(&evidence(ChoiceKind::Rearranges, model, stack));
        let through_set = [
            "java.util.HashMap.keySet",
            "java.util.HashSet.iterator",
            "p.ATest.a",
        ];
        assert_eq!(api("HashMap.keySet", &through_set), "HashSet.iterator");
        assert_eq!(
            api("HashMap.keySet", &["java.util.HashMap.keySet", "p.ATest.a"]),
            "HashMap.keySet"
        );
        // What the project called has no model that goes through this one.
        let elsewhere = [
            "java.util.HashMap.keySet",
            "java.util.Properties.list",
            "p.ATest.a",
        ];
        assert_eq!(api("HashMap.keySet", &elsewhere), "HashMap.keySet");
        assert_eq!(api("p.Sdk.all", &["p.Sdk.all", "p.ATest.a"]), "p.Sdk.all");
    }

    #[test]
    fn an_answer_that_was_picked_is_shown_alone() {
        let natural = |kind| natural(&evidence(kind, "HashMap.keySet", &[]));
        assert_eq!(natural(ChoiceKind::Rearranges), ["a", "b", "c"]);
        assert_eq!(natural(ChoiceKind::Picks), ["b"]);
    }

    #[test]
    fn every_api_has_a_sentence() {
        assert!(!javadoc("HashMap.keySet").is_empty());
        assert!(javadoc("p.Sdk.all").starts_with("described as underdetermined"));
    }

    #[test]
    fn what_an_assertion_tells_counts_more_than_its_message() {
        let failure = Failure {
            expected: Some("x".to_owned()),
            ..crate::simulated::failure("expected:<1> but was:<2>")
        };
        assert_eq!(compared(&failure), (Some("x".to_owned()), None));
        let failure = Failure {
            actual: Some("y".to_owned()),
            ..crate::simulated::failure("expected:<1> but was:<2>")
        };
        assert_eq!(compared(&failure), (None, Some("y".to_owned())));
    }

    #[test]
    fn why_there_is_no_cause_is_said() {
        let reason = |why: NoCause, tests: usize| {
            let replay = Replay {
                launch: None,
                tests: unflake_explore::TestIx::all(tests).collect(),
            };
            let strategy = unflake_explore::strategy_of_round(1, None, unflake_protocol::Seed(7));
            reason(&why, &replay, strategy, "time ran out")
        };
        for (why, tests, expected) in [
            (NoCause::NotRepeated, 1, "it passed when repeated (one reverse)"),
            (
                NoCause::NotRepeated,
                2,
                "it passed when repeated (one reverse) after the tests that ran before it",
            ),
            (
                NoCause::Unstable,
                1,
                "the same choices made it fail once and pass once",
            ),
            (NoCause::TimeUp(0), 1, "time ran out before the first run"),
            (
                NoCause::TimeUp(3),
                1,
                "time ran out with 3 choices left that could be the cause",
            ),
        ] {
            assert_eq!(reason(why, tests), expected);
        }
    }
}
