//! What Java says through `UnflakeNative.event`, as messages. The kinds and the order of texts and numbers are those of
//! [`unflake_protocol::codes`]; what does not keep to them is a bug of ours, and is reported as one.

use std::collections::BTreeMap;
use std::fmt;
use unflake_protocol::codes::{
    AuthorKind, EventKind, EvidenceNumber, FailureText, LOG_KIND_SHIFT, LOG_PROJECT_SHIFT, LogNumber,
    OutcomeCode, ScopeNumber, SharedCode, TestName, UnknownCode,
};
use unflake_protocol::{
    Author, ChoiceId, ChoiceKind, Chosen, Evidence, Failure, Framework, Handle, Outcome, ScopeChoices,
    SeenTest, StackFrame, ToProgram, UnknownFramework,
};

/// What an event asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Nothing,
    Tell(Box<ToProgram>),
    /// The system properties and the addresses of the launcher's jars.
    Recipe(BTreeMap<String, String>, Vec<String>),
    Bug(String),
}

/// Why the runtime was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Misunderstood {
    Code(UnknownCode),
    Framework(UnknownFramework),
    /// A text or a number that has to be there is not.
    Missing {
        what: &'static str,
        place: usize,
    },
}

impl fmt::Display for Misunderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misunderstood::Code(unknown) => unknown.fmt(f),
            Misunderstood::Framework(unknown) => write!(f, "the runtime names an {unknown}"),
            Misunderstood::Missing { what, place } => {
                write!(f, "the runtime says no {what} at place {place}")
            }
        }
    }
}

impl From<UnknownCode> for Misunderstood {
    fn from(unknown: UnknownCode) -> Self {
        Misunderstood::Code(unknown)
    }
}

impl From<UnknownFramework> for Misunderstood {
    fn from(unknown: UnknownFramework) -> Self {
        Misunderstood::Framework(unknown)
    }
}

/// The texts of an event, each of which is taken once.
struct Texts(Vec<Option<String>>);

impl Texts {
    fn take(&mut self, place: usize) -> Option<String> {
        self.0.get_mut(place)?.take()
    }

    fn need(&mut self, place: usize) -> Result<String, Misunderstood> {
        self.take(place)
            .ok_or(Misunderstood::Missing { what: "text", place })
    }
}

fn number<C: SharedCode>(numbers: &[i64], at: C) -> Result<i64, Misunderstood> {
    numbers.get(at.index()).copied().ok_or(Misunderstood::Missing {
        what: "number",
        place: at.index(),
    })
}

/// `model_name` knows models by their bit.
pub(crate) fn decode(
    kind: i32,
    texts: Vec<Option<String>>,
    numbers: &[i64],
    model_name: impl Fn(usize) -> Option<String>,
) -> Result<Said, Misunderstood> {
    let mut texts = Texts(texts);
    let message = match EventKind::from_code(i64::from(kind))? {
        EventKind::WarmUp => return Ok(Said::Nothing),
        EventKind::ContainerStarted => ToProgram::ContainerStarted { root: texts.need(0)? },
        EventKind::ContainerFinished => ToProgram::ContainerFinished {
            root: texts.need(0)?,
            failure: match outcome_code(numbers)? {
                OutcomeCode::Failed => Some(failure(&mut texts, 1)),
                OutcomeCode::Passed | OutcomeCode::Skipped => None,
            },
            choices: choices(numbers, model_name)?,
        },
        EventKind::TestStarted => ToProgram::TestStarted(seen_test(&mut texts)?),
        EventKind::TestFinished => ToProgram::TestFinished {
            test: seen_test(&mut texts)?,
            outcome: outcome(&mut texts, numbers)?,
            choices: choices(numbers, model_name)?,
            nanos: u64::try_from(number(numbers, ScopeNumber::Nanos)?).unwrap_or(0),
            busy_nanos: 0,
        },
        EventKind::InitialiserChose => ToProgram::InitialiserChose {
            class: texts.need(0)?,
        },
        EventKind::Recipe => return recipe(texts, numbers),
        EventKind::Choices => ToProgram::Choices(log(numbers, model_name)?),
        EventKind::Evidence => ToProgram::Evidence(Box::new(evidence(&mut texts, numbers, model_name)?)),
        EventKind::Bug => return Ok(Said::Bug(texts.take(0).unwrap_or_default())),
    };
    Ok(Said::Tell(Box::new(message)))
}

/// Whose code ran before a walk over the heap; `None`: what it did does not count.
pub(crate) fn author(by: i32, names: Vec<Option<String>>) -> Result<Option<Author>, Misunderstood> {
    let mut names = Texts(names);
    match AuthorKind::from_code(i64::from(by))? {
        AuthorKind::Class => Ok(Some(Author::Class(names.need(0)?))),
        AuthorKind::Test => Ok(Some(Author::Test(seen_test(&mut names)?))),
        AuthorKind::Nobody => Ok(None),
    }
}

fn seen_test(names: &mut Texts) -> Result<SeenTest, Misunderstood> {
    Ok(SeenTest {
        handle: Handle {
            framework: Framework::from_wire_name(&names.need(TestName::Framework.index())?)?,
            root: names.need(TestName::Root.index())?,
            id: names.need(TestName::Id.index())?,
        },
        class: names.need(TestName::Class.index())?,
        method: names.need(TestName::Method.index())?,
        invocation: names.take(TestName::Invocation.index()),
    })
}

fn outcome_code(numbers: &[i64]) -> Result<OutcomeCode, Misunderstood> {
    Ok(OutcomeCode::from_code(number(numbers, ScopeNumber::Outcome)?)?)
}

/// The failure stands behind the names of the test; of a test that was skipped, the reason stands where its message
/// does.
fn outcome(texts: &mut Texts, numbers: &[i64]) -> Result<Outcome, Misunderstood> {
    let start = TestName::ALL.len();
    Ok(match outcome_code(numbers)? {
        OutcomeCode::Passed => Outcome::Passed,
        OutcomeCode::Failed => Outcome::Failed(failure(texts, start)),
        OutcomeCode::Skipped => {
            let Failure { kind, message, .. } = failure(texts, start);
            Outcome::Skipped {
                reason: if message.is_empty() { kind } else { message },
            }
        }
    })
}

fn failure(texts: &mut Texts, start: usize) -> Failure {
    let mut text = |which: FailureText| texts.take(start + which.index());
    Failure {
        kind: text(FailureText::Kind).unwrap_or_default(),
        message: text(FailureText::Message).unwrap_or_default(),
        trace: text(FailureText::Trace).unwrap_or_default(),
        expected: text(FailureText::Expected),
        actual: text(FailureText::Actual),
    }
}

/// As many pairs of texts as the number says are properties, the rest are jars.
fn recipe(texts: Texts, numbers: &[i64]) -> Result<Said, Misunderstood> {
    let count = numbers.first().and_then(|&count| usize::try_from(count).ok());
    let count = count.ok_or(Misunderstood::Missing {
        what: "number",
        place: 0,
    })?;
    let mut texts = texts.0.into_iter().flatten();
    let properties = (0..count)
        .map_while(|_| Some((texts.next()?, texts.next()?)))
        .collect();
    Ok(Said::Recipe(properties, texts.collect()))
}

/// The log of `java.util.UnflakeScript`.
fn log(numbers: &[i64], model_name: impl Fn(usize) -> Option<String>) -> Result<Vec<Chosen>, Misunderstood> {
    let chosen = |fields: &[i64]| {
        let model = number(fields, LogNumber::Model)?;
        let bit = model & ((1 << LOG_KIND_SHIFT) - 1);
        let kind = model >> LOG_KIND_SHIFT & ((1 << (LOG_PROJECT_SHIFT - LOG_KIND_SHIFT)) - 1);
        Ok(Chosen {
            id: ChoiceId(number(fields, LogNumber::Place)?.cast_unsigned()),
            model: named(bit, &model_name),
            kind: ChoiceKind::from_code(kind)?,
            by_project: model >> LOG_PROJECT_SHIFT != 0,
            size: u32::try_from(number(fields, LogNumber::Size)?).unwrap_or(u32::MAX),
            rank: u64::try_from(number(fields, LogNumber::Rank)?).ok(),
        })
    };
    numbers.chunks_exact(LogNumber::ALL.len()).map(chosen).collect()
}

fn named(bit: i64, model_name: impl Fn(usize) -> Option<String>) -> String {
    usize::try_from(bit).ok().and_then(model_name).unwrap_or_default()
}

/// The owner's class is the first text; the lists follow, whose lengths are among the numbers.
fn evidence(
    texts: &mut Texts,
    numbers: &[i64],
    model_name: impl Fn(usize) -> Option<String>,
) -> Result<Evidence, Misunderstood> {
    let owner = texts.take(0);
    let mut at = 1;
    let mut list = |length: EvidenceNumber| -> Result<Vec<String>, Misunderstood> {
        let length = usize::try_from(number(numbers, length)?).unwrap_or(0);
        let start = at;
        at += length;
        Ok((start..at)
            .map(|place| texts.take(place).unwrap_or_default())
            .collect())
    };
    let frames = |texts: Vec<String>| texts.iter().filter_map(|text| frame(text)).collect();
    let (natural, failing) = (list(EvidenceNumber::Natural)?, list(EvidenceNumber::Failing)?);
    let moved = list(EvidenceNumber::Moved)?;
    let (stack, allocation) = (list(EvidenceNumber::Stack)?, list(EvidenceNumber::Allocation)?);
    let small = |which| number(numbers, which).map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    let order = numbers.get(EvidenceNumber::ALL.len()..).unwrap_or(&[]);
    Ok(Evidence {
        id: ChoiceId(number(numbers, EvidenceNumber::Place)?.cast_unsigned()),
        model: named(number(numbers, EvidenceNumber::Model)?, model_name),
        kind: ChoiceKind::from_code(number(numbers, EvidenceNumber::Kind)?)?,
        size: small(EvidenceNumber::Size)?,
        owner,
        natural_answer: small(EvidenceNumber::NaturalAnswer)?,
        natural,
        failing,
        moved,
        order: order
            .iter()
            .filter_map(|place| u32::try_from(*place).ok())
            .collect(),
        stack: frames(stack),
        allocation: frames(allocation),
    })
}

/// Class, method, file and line with tabs between.
fn frame(text: &str) -> Option<StackFrame> {
    let mut parts = text.split('\t');
    let (class, method, file, line) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    Some(StackFrame {
        class: class.to_owned(),
        method: method.to_owned(),
        file: (file != "null").then(|| file.to_owned()),
        line: line.parse().ok(),
    })
}

/// The models' bits stand behind the numbers.
fn choices(
    numbers: &[i64],
    model_name: impl Fn(usize) -> Option<String>,
) -> Result<ScopeChoices, Misunderstood> {
    let words = numbers.get(ScopeNumber::ALL.len()..).unwrap_or(&[]);
    let set = (0..64 * words.len()).filter(|bit| words[bit / 64] >> (bit % 64) & 1 == 1);
    Ok(ScopeChoices {
        count: u64::try_from(number(numbers, ScopeNumber::Choices)?).unwrap_or(0),
        by_project: number(numbers, ScopeNumber::ByProject)? != 0,
        models: set.filter_map(model_name).collect(),
        hashes: SharedCode::from_code(number(numbers, ScopeNumber::Hashes)?)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_protocol::HashDraws;

    fn texts(texts: &[&str]) -> Vec<Option<String>> {
        texts
            .iter()
            .map(|text| (*text != "-").then(|| (*text).to_owned()))
            .collect()
    }

    fn said(kind: EventKind, fields: &[&str], numbers: &[i64]) -> Result<Said, Misunderstood> {
        decode(kind.code(), texts(fields), numbers, |bit| {
            Some(format!("model{bit}"))
        })
    }

    const NAMES: [&str; 6] = ["JUnit4", "a.Root", "m[0](a.B)", "a.B", "m", "[0]"];

    /// A finished test of [`NAMES`].
    fn finished(failure: [&str; 5], outcome: OutcomeCode) -> (SeenTest, Outcome, ScopeChoices, u64) {
        let fields = [&NAMES[..], &failure].concat();
        let numbers = [3, 1, 0, 99, i64::from(outcome.code()), 0b101];
        let Ok(Said::Tell(message)) = said(EventKind::TestFinished, &fields, &numbers) else {
            panic!("{failure:?}");
        };
        let ToProgram::TestFinished {
            test,
            outcome,
            choices,
            nanos,
            ..
        } = *message
        else {
            panic!("{message:?}");
        };
        (test, outcome, choices, nanos)
    }

    #[test]
    fn a_failed_test() {
        let (test, outcome, choices, nanos) =
            finished(["E", "boom", "E: boom", "a", "b"], OutcomeCode::Failed);
        assert_eq!(test.handle.framework, Framework::JUnit4);
        assert_eq!(test.invocation.as_deref(), Some("[0]"));
        assert_eq!(nanos, 99);
        assert_eq!(choices.models, ["model0", "model2"]);
        assert_eq!(
            (choices.count, choices.by_project, choices.hashes),
            (3, true, HashDraws::None)
        );
        let failure = Failure {
            kind: "E".to_owned(),
            message: "boom".to_owned(),
            trace: "E: boom".to_owned(),
            expected: Some("a".to_owned()),
            actual: Some("b".to_owned()),
        };
        assert_eq!(outcome, Outcome::Failed(failure));
    }

    #[test]
    fn a_skipped_test_says_why() {
        for (failure, expected) in [
            (["-", "ignored", "-", "-", "-"], "ignored"),
            (["a.Assumption", "-", "-", "-", "-"], "a.Assumption"),
        ] {
            let (_, outcome, _, _) = finished(failure, OutcomeCode::Skipped);
            let reason = expected.to_owned();
            assert_eq!(outcome, Outcome::Skipped { reason });
        }
    }

    #[test]
    fn a_container_fails_by_its_outcome() {
        let finished = |fields: &[&str], outcome: OutcomeCode| {
            let numbers = [0, 0, 0, 0, i64::from(outcome.code())];
            match said(EventKind::ContainerFinished, fields, &numbers) {
                Ok(Said::Tell(message)) => match *message {
                    ToProgram::ContainerFinished { failure, .. } => failure.map(|failure| failure.message),
                    other => panic!("{other:?}"),
                },
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(finished(&["a.Root"], OutcomeCode::Passed), None);
        assert_eq!(
            finished(&["a.Root", "E", "boom", "E: boom"], OutcomeCode::Failed),
            Some("boom".to_owned())
        );
    }

    #[test]
    fn a_recipe_has_properties_then_jars() {
        let said = said(EventKind::Recipe, &["a", "1", "b", "2", "file:/x.jar"], &[2]);
        let properties = [("a", "1"), ("b", "2")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(
            said,
            Ok(Said::Recipe(
                BTreeMap::from(properties),
                vec!["file:/x.jar".to_owned()]
            ))
        );
    }

    #[test]
    fn evidence_is_cut_by_the_lengths_of_its_lists() {
        let fields = ["a.Map", "x", "y", "y", "x", "x", "a.B\tm\tB.java\t7"];
        let numbers = [5, 1, 0, 2, 0, 2, 2, 1, 1, 0, 1, 0];
        let Ok(Said::Tell(message)) = said(EventKind::Evidence, &fields, &numbers) else {
            panic!("not understood");
        };
        let ToProgram::Evidence(evidence) = *message else {
            panic!("{message:?}");
        };
        assert_eq!(evidence.owner.as_deref(), Some("a.Map"));
        assert_eq!((evidence.model.as_str(), evidence.size), ("model1", 2));
        assert_eq!(evidence.natural, ["x", "y"]);
        assert_eq!(evidence.failing, ["y", "x"]);
        assert_eq!(evidence.moved, ["x"]);
        assert_eq!(evidence.order, [1, 0]);
        assert_eq!((evidence.stack.len(), evidence.allocation.len()), (1, 0));
    }

    #[test]
    fn a_logged_choice_has_its_kind_and_maker_above_its_model() {
        let model = 1 << LOG_PROJECT_SHIFT | 1 << LOG_KIND_SHIFT | 7;
        let chosen = log(&[9, model, 3, -1], |bit| Some(format!("model{bit}"))).unwrap();
        assert_eq!(
            chosen,
            [Chosen {
                id: ChoiceId(9),
                model: "model7".to_owned(),
                kind: ChoiceKind::Picks,
                by_project: true,
                size: 3,
                rank: None,
            }]
        );
    }

    #[test]
    fn what_nobody_knows_is_no_event_and_no_other_framework() {
        assert_eq!(said(EventKind::WarmUp, &[], &[]), Ok(Said::Nothing));
        let unknown = decode(99, Vec::new(), &[], |_| None).unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "the runtime says EVENT 99, which nobody knows"
        );
        let unknown = said(EventKind::TestStarted, &["Nobody", "a", "a", "a", "m"], &[]).unwrap_err();
        let nobody = UnknownFramework("Nobody".to_owned());
        assert_eq!(unknown, Misunderstood::Framework(nobody));
        let message = unknown.to_string();
        let start = "the runtime names an unknown test framework `Nobody`; use one of ";
        assert!(message.starts_with(start), "{message}");
        let missing = said(EventKind::TestStarted, &["JUnit4", "a"], &[]).unwrap_err();
        assert_eq!(missing.to_string(), "the runtime says no text at place 2");
    }

    #[test]
    fn an_author_is_a_class_a_test_or_nobody() {
        let by = |kind: AuthorKind, names: &[&str]| author(kind.code(), texts(names));
        assert_eq!(
            by(AuthorKind::Class, &["a.B"]),
            Ok(Some(Author::Class("a.B".to_owned())))
        );
        assert!(matches!(by(AuthorKind::Test, &NAMES), Ok(Some(Author::Test(test))) if test.class == "a.B"));
        assert_eq!(by(AuthorKind::Nobody, &NAMES), Ok(None));
        assert!(author(16, texts(&NAMES)).is_err());
    }
}
