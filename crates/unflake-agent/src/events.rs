//! What Java says through `UnflakeNative.event`, as messages. The kinds and the order of fields and numbers are those of
//! `java.util.UnflakeEvents`.

use std::collections::BTreeMap;
use unflake_protocol::{
    ChoiceId, ChoiceKind, Chosen, Evidence, Failure, Framework, Handle, HashDraws, Outcome, ScopeChoices,
    SeenTest, StackFrame, ToProgram,
};

const CONTAINER_STARTED: i32 = 1;
const CONTAINER_FINISHED: i32 = 2;
const TEST_STARTED: i32 = 3;
const TEST_FINISHED: i32 = 4;
const INITIALISER_CHOSE: i32 = 5;
const RECIPE: i32 = 6;
const BUG: i32 = 7;
const CHOICES: i32 = 8;
const EVIDENCE: i32 = 9;

/// What an event asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Tell(Box<ToProgram>),
    /// The system properties and the addresses of the launcher's jars.
    Recipe(BTreeMap<String, String>, Vec<String>),
    Bug(String),
}

/// `None`: no event of ours. `model_name` knows models by their bit.
pub(crate) fn decode(
    kind: i32,
    fields: Vec<Option<String>>,
    numbers: &[i64],
    model_name: impl Fn(usize) -> Option<String>,
) -> Option<Said> {
    let mut fields = fields.into_iter();
    let mut next = move || fields.next().flatten();
    let message = match kind {
        CONTAINER_STARTED => ToProgram::ContainerStarted { root: next()? },
        CONTAINER_FINISHED => ToProgram::ContainerFinished {
            root: next()?,
            failure: next().map(|kind| failure(kind, &mut next)),
            choices: choices(numbers, model_name),
        },
        TEST_STARTED => ToProgram::TestStarted(seen_test(&mut next)?),
        TEST_FINISHED => {
            let test = seen_test(&mut next)?;
            let outcome = match next()?.as_str() {
                "passed" => Outcome::Passed,
                "failed" => Outcome::Failed(failure(next().unwrap_or_default(), &mut next)),
                _ => {
                    let (kind, message) = (next().unwrap_or_default(), next().unwrap_or_default());
                    Outcome::Skipped {
                        reason: if message.is_empty() { kind } else { message },
                    }
                }
            };
            let nanos = numbers
                .get(3)
                .and_then(|&nanos| u64::try_from(nanos).ok())
                .unwrap_or(0);
            ToProgram::TestFinished {
                test,
                outcome,
                choices: choices(numbers, model_name),
                nanos,
                busy_nanos: 0,
            }
        }
        INITIALISER_CHOSE => ToProgram::InitialiserChose { class: next()? },
        RECIPE => {
            let count = numbers
                .first()
                .and_then(|&count| usize::try_from(count).ok())
                .unwrap_or(0);
            let properties = (0..count)
                .map_while(|_| Some((next()?, next()?)))
                .collect::<BTreeMap<String, String>>();
            return Some(Said::Recipe(properties, std::iter::from_fn(next).collect()));
        }
        CHOICES => ToProgram::Choices(log(numbers, model_name)),
        EVIDENCE => ToProgram::Evidence(Box::new(evidence(&mut next, numbers, model_name)?)),
        BUG => return Some(Said::Bug(next().unwrap_or_default())),
        _ => return None,
    };
    Some(Said::Tell(Box::new(message)))
}

pub(crate) fn seen_test(next: &mut impl FnMut() -> Option<String>) -> Option<SeenTest> {
    let framework = match next()?.as_str() {
        "JUnit3" => Framework::JUnit3,
        "JUnit4" => Framework::JUnit4,
        _ => Framework::Platform,
    };
    let handle = Handle {
        framework,
        root: next()?,
        id: next()?,
    };
    Some(SeenTest {
        handle,
        class: next()?,
        method: next()?,
        invocation: next(),
    })
}

fn failure(kind: String, next: &mut impl FnMut() -> Option<String>) -> Failure {
    Failure {
        kind,
        message: next().unwrap_or_default(),
        trace: next().unwrap_or_default(),
        expected: next(),
        actual: next(),
    }
}

/// The log of `java.util.UnflakeScript`: place, kind and model, size, rank.
fn log(numbers: &[i64], model_name: impl Fn(usize) -> Option<String>) -> Vec<Chosen> {
    let chosen = |fields: &[i64]| {
        Some(Chosen {
            id: ChoiceId(fields[0].cast_unsigned()),
            model: model_name(usize::try_from(fields[1] & 0xffff_ffff).ok()?).unwrap_or_default(),
            kind: kind(fields[1] >> 32 & 0xffff),
            by_project: fields[1] >> 48 != 0,
            size: u32::try_from(fields[2]).unwrap_or(u32::MAX),
            rank: u64::try_from(fields[3]).ok(),
        })
    };
    numbers.chunks_exact(4).filter_map(chosen).collect()
}

fn kind(number: i64) -> ChoiceKind {
    match number {
        0 => ChoiceKind::Rearranges,
        1 => ChoiceKind::Picks,
        _ => ChoiceKind::Open,
    }
}

/// Place, model, kind, size, then the lengths of five lists, then the order; the owner, then the lists.
fn evidence(
    next: &mut impl FnMut() -> Option<String>,
    numbers: &[i64],
    model_name: impl Fn(usize) -> Option<String>,
) -> Option<Evidence> {
    let number = |index: usize| usize::try_from(numbers.get(index).copied().unwrap_or(0)).unwrap_or(0);
    let owner = next();
    let mut list =
        |index: usize| -> Vec<String> { (0..number(index)).map(|_| next().unwrap_or_default()).collect() };
    Some(Evidence {
        id: ChoiceId(numbers.first()?.cast_unsigned()),
        model: model_name(number(1)).unwrap_or_default(),
        kind: kind(*numbers.get(2)?),
        size: u32::try_from(number(3)).unwrap_or(u32::MAX),
        owner,
        natural_answer: u32::try_from(number(4)).unwrap_or(u32::MAX),
        natural: list(5),
        failing: list(6),
        moved: list(7),
        order: numbers
            .get(10..)
            .unwrap_or(&[])
            .iter()
            .filter_map(|place| u32::try_from(*place).ok())
            .collect(),
        stack: list(8).iter().filter_map(|text| frame(text)).collect(),
        allocation: list(9).iter().filter_map(|text| frame(text)).collect(),
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

/// Count, by project, hashes, nanoseconds; then the models' bits.
fn choices(numbers: &[i64], model_name: impl Fn(usize) -> Option<String>) -> ScopeChoices {
    let number = |index: usize| numbers.get(index).copied().unwrap_or(0);
    let words = numbers.get(4..).unwrap_or(&[]);
    let set = (0..64 * words.len()).filter(|bit| words[bit / 64] >> (bit % 64) & 1 == 1);
    ScopeChoices {
        count: u64::try_from(number(0)).unwrap_or(0),
        by_project: number(1) != 0,
        models: set.filter_map(model_name).collect(),
        hashes: match number(2) {
            0 => HashDraws::None,
            1 => HashDraws::Some,
            _ => HashDraws::Unknown,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(texts: &[&str]) -> Vec<Option<String>> {
        texts
            .iter()
            .map(|text| (*text != "-").then(|| (*text).to_owned()))
            .collect()
    }

    #[test]
    fn a_failed_test() {
        let said = decode(
            TEST_FINISHED,
            fields(&[
                "JUnit4",
                "a.Root",
                "m[0](a.B)",
                "a.B",
                "m",
                "[0]",
                "failed",
                "E",
                "boom",
                "E: boom",
                "a",
                "b",
            ]),
            &[3, 1, 0, 99, 0b101],
            |bit| Some(format!("model{bit}")),
        );
        let Some(Said::Tell(message)) = said else {
            panic!("{said:?}");
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
    fn a_recipe_has_properties_then_jars() {
        let said = decode(RECIPE, fields(&["a", "1", "b", "2", "file:/x.jar"]), &[2], |_| {
            None
        });
        let properties = [("a", "1"), ("b", "2")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(
            said,
            Some(Said::Recipe(
                BTreeMap::from(properties),
                vec!["file:/x.jar".to_owned()]
            ))
        );
    }

    #[test]
    fn an_unknown_kind_is_nothing() {
        assert_eq!(decode(99, Vec::new(), &[], |_| None), None);
    }
}
