//! What a JVM said about the tests of one command, and how it ended: events in, verdicts out. No process here.

use super::driver::{Fault, Faults, Heard};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use unflake_explore::Verdict;
use unflake_protocol::{Blame, Failure, Handle, Outcome, ToProgram};
use unflake_runner::{Death, During};

/// All that was said about outcomes, in its order.
#[derive(Debug)]
pub struct Transcript {
    pub said: Vec<Said>,
    pub end: JvmEnd,
}

/// What a JVM said of a test, or of the set-up or tear-down of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Test(Handle, Verdict),
    ClassFailed { root: String, failure: Failure },
}

/// How a JVM ended a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JvmEnd {
    /// It ran the whole command and waits for the next.
    Finished,
    /// The phase's time is up; the JVM was ended.
    TimeUp,
    /// The user has had enough.
    Cancelled,
    /// It did not start, or the agent switched itself off and the JVM ended for that reason. No test's doing.
    Broken(String),
    /// The process ended.
    Died { culprit: Culprit, failure: Box<Failure> },
    /// It was silent for too long and was ended.
    Hung { culprit: Culprit, failure: Box<Failure> },
}

/// Who ran when a JVM ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Culprit {
    Test(Handle),
    /// Set-up, tear-down or initialiser of this class.
    Class(String),
    Nobody,
}

impl From<During> for Culprit {
    fn from(during: During) -> Culprit {
        match during {
            During::Test(test) => Culprit::Test(test.handle),
            During::Class(root) => Culprit::Class(root),
            During::Nothing => Culprit::Nobody,
        }
    }
}

impl JvmEnd {
    pub(super) fn died(during: During, status: &str, death: Death, output: String) -> JvmEnd {
        const MEMORY: &str = "java.lang.OutOfMemoryError";
        let memory = output.lines().find(|line| line.contains(MEMORY));
        let (kind, message) = match memory {
            Some(line) => (MEMORY, line.trim().to_owned()),
            None if death == Death::Signal => (Failure::CRASH, format!("the test ended its JVM ({status})")),
            None => (Failure::EXIT, format!("the test ended its JVM ({status})")),
        };
        JvmEnd::Died {
            culprit: during.into(),
            failure: Box::new(ended(kind, message, shortened(&output))),
        }
    }

    pub(super) fn hung(during: During, after: Duration, dumps: &[String]) -> JvmEnd {
        let message = format!("the test did not finish within {} s", after.as_secs());
        JvmEnd::Hung {
            culprit: during.into(),
            failure: Box::new(ended(Failure::HANG, message, dumps.join("\n"))),
        }
    }

    /// Whether the JVM takes another command.
    pub fn can_go_on(&self) -> bool {
        match self {
            JvmEnd::Finished => true,
            JvmEnd::TimeUp
            | JvmEnd::Cancelled
            | JvmEnd::Broken(_)
            | JvmEnd::Died { .. }
            | JvmEnd::Hung { .. } => false,
        }
    }

    /// Whether the result is no longer wanted.
    pub fn is_over(&self) -> bool {
        match self {
            JvmEnd::TimeUp | JvmEnd::Cancelled => true,
            JvmEnd::Finished | JvmEnd::Broken(_) | JvmEnd::Died { .. } | JvmEnd::Hung { .. } => false,
        }
    }

    /// What is said of a test that ended its JVM, or did not end itself.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            JvmEnd::Died { failure, .. } | JvmEnd::Hung { failure, .. } => Some(failure),
            JvmEnd::Finished | JvmEnd::TimeUp | JvmEnd::Cancelled | JvmEnd::Broken(_) => None,
        }
    }

    /// Who ran when the JVM ended.
    fn culprit(&self) -> &Culprit {
        match self {
            JvmEnd::Died { culprit, .. } | JvmEnd::Hung { culprit, .. } => culprit,
            JvmEnd::Finished | JvmEnd::TimeUp | JvmEnd::Cancelled | JvmEnd::Broken(_) => &Culprit::Nobody,
        }
    }
}

/// The end of what a JVM printed, for people.
fn shortened(output: &str) -> String {
    const CHARACTERS: usize = 2000;
    let start = output.char_indices().rev().nth(CHARACTERS - 1);
    output[start.map_or(0, |(index, _)| index)..].to_owned()
}

fn ended(kind: &str, message: String, trace: String) -> Failure {
    Failure {
        kind: kind.to_owned(),
        message,
        trace,
        expected: None,
        actual: None,
    }
}

/// Sorts one message: outcomes into `said`, faults to `faults`, everything else to `heard`.
pub(super) fn hear(
    message: ToProgram,
    said: &mut Vec<Said>,
    faults: &Faults,
    heard: &mut dyn FnMut(Heard<'_>),
) {
    match message {
        ToProgram::TestFinished { test, outcome, .. } => {
            let verdict = match outcome {
                Outcome::Passed => Verdict::Passed,
                Outcome::Failed(failure) => Verdict::Failed(failure),
                Outcome::Skipped { .. } => Verdict::NotRun,
            };
            heard(Heard::Test(&test.handle, &verdict));
            said.push(Said::Test(test.handle, verdict));
        }
        ToProgram::ContainerFinished {
            root,
            failure: Some(failure),
            ..
        } => said.push(Said::ClassFailed { root, failure }),
        ToProgram::Bug { message } => faults.add(Fault::AgentOff(message)),
        other => {
            if let ToProgram::NotCompared {
                reason,
                blame: Blame::Unflake,
                ..
            } = &other
            {
                faults.add(Fault::NotCompared(reason.clone()));
            }
            heard(Heard::Other(Box::new(other)));
        }
    }
}

impl Transcript {
    /// A JVM that ended while a test ran is that test's failure; between the tests of a class it is the failure of those
    /// that are left.
    pub(super) fn ended(mut said: Vec<Said>, end: JvmEnd, heard: &mut dyn FnMut(Heard<'_>)) -> Transcript {
        match (end.culprit(), end.failure()) {
            (Culprit::Test(test), Some(failure)) => {
                let verdict = Verdict::Failed(failure.clone());
                heard(Heard::Test(test, &verdict));
                said.push(Said::Test(test.clone(), verdict));
            }
            (Culprit::Class(root), Some(failure)) => said.push(Said::ClassFailed {
                root: root.clone(),
                failure: failure.clone(),
            }),
            (Culprit::Nobody, _) | (_, None) => {}
        }
        Transcript { said, end }
    }

    /// The verdict for each of `tests`, wherever it ran. A set-up that fails takes all tests of its class with it that
    /// have not run.
    pub fn of_each(&self, tests: &[Handle]) -> Vec<Option<Verdict>> {
        let mut by_handle: BTreeMap<&Handle, Vec<usize>> = BTreeMap::new();
        let mut by_root: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, test) in tests.iter().enumerate() {
            by_handle.entry(test).or_default().push(place);
            by_root.entry(&test.root).or_default().push(place);
        }
        let mut verdicts: Vec<Option<Verdict>> = vec![None; tests.len()];
        for said in &self.said {
            match said {
                Said::Test(handle, verdict) => {
                    for place in by_handle.get(handle).into_iter().flatten() {
                        verdicts[*place] = Some(verdict.clone());
                    }
                }
                Said::ClassFailed { root, failure } => {
                    for place in by_root.get(root.as_str()).into_iter().flatten() {
                        verdicts[*place].get_or_insert_with(|| Verdict::Failed(failure.clone()));
                    }
                }
            }
        }
        verdicts
    }

    /// What became of the last of `tests`, after the others. If the JVM ended before it, that is how it failed.
    pub fn of_last(&self, tests: &[Handle]) -> Verdict {
        match &self.end {
            JvmEnd::Cancelled | JvmEnd::TimeUp => return Verdict::Cancelled,
            JvmEnd::Died { failure, .. } | JvmEnd::Hung { failure, .. } => {
                return Verdict::Failed(*failure.clone());
            }
            JvmEnd::Broken(_) => return Verdict::NotRun,
            JvmEnd::Finished => {}
        }
        let last = tests.last().map(std::slice::from_ref).unwrap_or_default();
        let verdict = self.of_each(last).pop().flatten();
        verdict.unwrap_or(Verdict::NotRun)
    }

    /// The verdict for each place of `order`. From the first test on that ran elsewhere there is none; one that did not
    /// run at all is passed over, unless its class's set-up failed.
    pub fn in_order(self, order: &[Handle]) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        let mut left: VecDeque<Said> = self.said.into();
        for (place, handle) in order.iter().enumerate() {
            let of_test = |said: &Said| matches!(said, Said::Test(..));
            let next = left.iter().position(of_test).filter(|index| match &left[*index] {
                Said::Test(other, _) => other == handle,
                Said::ClassFailed { .. } => false,
            });
            if let Some(index) = next {
                // What a tear-down said before it is about no test.
                left.drain(..index);
                if let Some(Said::Test(_, verdict)) = left.pop_front() {
                    verdicts.push(verdict);
                }
                continue;
            }
            let before_next = left.iter().take_while(|said| !of_test(said));
            let set_up = before_next.enumerate().find_map(|(index, said)| match said {
                Said::ClassFailed { root, failure } if *root == handle.root => Some((index, failure.clone())),
                _ => None,
            });
            if let Some((index, failure)) = set_up {
                verdicts.push(Verdict::Failed(failure));
                left.drain(..index);
                if order.get(place + 1).is_none_or(|next| next.root != handle.root) {
                    left.pop_front();
                }
                continue;
            }
            let ran_elsewhere = left
                .iter()
                .any(|said| matches!(said, Said::Test(other, _) if other == handle));
            if ran_elsewhere {
                break;
            }
            verdicts.push(Verdict::NotRun);
        }
        verdicts.resize(order.len(), Verdict::NotRun);
        verdicts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_protocol::{FailureSort, Framework};

    fn handle(name: &str) -> Handle {
        Handle {
            framework: Framework::JUnit4,
            root: name[..1].to_owned(),
            id: name.to_owned(),
        }
    }

    fn handles(names: &str) -> Vec<Handle> {
        names.split_terminator(' ').map(handle).collect()
    }

    fn failure() -> Failure {
        ended("E", String::new(), String::new())
    }

    /// What a JVM said: a test's name, `!` before one that fails, `A*` for a class whose set-up fails. The last word
    /// may be `died` or `hung` (between classes), `died:A1` (in a test), `died:A` (in a class), `late` or `cancelled`.
    fn transcript(text: &str) -> Transcript {
        let mut end = JvmEnd::Finished;
        let mut said = Vec::new();
        for word in text.split_terminator(' ') {
            let (name, during) = word.split_once(':').unzip();
            let culprit = match during {
                Some(class) if class.len() == 1 => Culprit::Class(class.to_owned()),
                Some(test) => Culprit::Test(handle(test)),
                None => Culprit::Nobody,
            };
            match (
                name.unwrap_or(word),
                word.strip_suffix('*'),
                word.strip_prefix('!'),
            ) {
                ("died", ..) => {
                    end = JvmEnd::Died {
                        culprit,
                        failure: Box::new(failure()),
                    }
                }
                ("hung", ..) => {
                    end = JvmEnd::Hung {
                        culprit,
                        failure: Box::new(failure()),
                    }
                }
                ("late", ..) => end = JvmEnd::TimeUp,
                ("cancelled", ..) => end = JvmEnd::Cancelled,
                (_, Some(class), _) => said.push(Said::ClassFailed {
                    root: class.to_owned(),
                    failure: failure(),
                }),
                (_, _, Some(test)) => said.push(Said::Test(handle(test), Verdict::Failed(failure()))),
                _ => said.push(Said::Test(handle(word), Verdict::Passed)),
            }
        }
        Transcript::ended(said, end, &mut |_| {})
    }

    fn letter(verdict: &Verdict) -> char {
        match verdict {
            Verdict::Passed => 'p',
            Verdict::Failed(_) => 'f',
            Verdict::NotRun => '-',
            Verdict::Cancelled => 'c',
        }
    }

    #[track_caller]
    fn in_order(order: &str, said: &str, expected: &str) {
        let verdicts = transcript(said).in_order(&handles(order));
        assert_eq!(verdicts.iter().map(letter).collect::<String>(), expected);
    }

    #[track_caller]
    fn of_each(tests: &str, said: &str, expected: &str) {
        let verdicts = transcript(said).of_each(&handles(tests));
        let shown = verdicts
            .iter()
            .map(|verdict| verdict.as_ref().map_or('?', letter));
        assert_eq!(shown.collect::<String>(), expected);
    }

    #[track_caller]
    fn of_last(tests: &str, said: &str, expected: char) {
        assert_eq!(letter(&transcript(said).of_last(&handles(tests))), expected);
    }

    #[test]
    fn verdicts_stand_at_their_places() {
        in_order("A1 A2 B1", "A1 !A2 B1", "pfp");
        in_order("A1 A1", "A1 !A1", "pf");
    }

    #[test]
    fn another_order_than_the_one_asked_for_says_nothing() {
        in_order("A2 A1", "A1 A2", "--");
        in_order("B1 A1 C1", "A1 !B1 C1", "---");
        in_order("A1 B1 C1", "A1 C1 !B1", "p--");
        in_order("A1 B1", "A1 X1 !B1", "p-");
    }

    #[test]
    fn a_test_that_did_not_run_is_passed_over() {
        in_order("A1 A2 A3", "A1 !A3", "p-f");
        in_order("A1 A2 A3", "A1", "p--");
    }

    #[test]
    fn a_set_up_that_fails_fails_the_tests_of_its_class() {
        in_order("A1 B1 B2 C1", "A1 B* C1", "pffp");
        in_order("A1 B1", "A1 A* B1", "pp");
        in_order("A1 A2", "A1 A* !A2", "pf");
        in_order("A1 B1", "B*", "-f");
        // Later it may go well.
        in_order("A1 B1 A2", "A*", "f--");
        of_each("A1 A2 B1", "A1 A* B1", "pfp");
        of_each("A1 A2", "A* A1", "pf");
        of_last("A1 B1", "A1 B*", 'f');
        of_last("A1 B1", "A* B1", 'p');
    }

    #[test]
    fn a_jvm_that_ends_in_a_test_is_its_failure() {
        in_order("A1 A2 A3", "A1 died:A2", "pf-");
        of_each("A1 A2 A3", "A1 hung:A2", "pf?");
        of_last("A1 A2", "A1 died:A2", 'f');
    }

    #[test]
    fn how_a_jvm_died_is_known_from_its_end_and_from_what_it_printed() {
        let sort = |death, output: &str| {
            let end = JvmEnd::died(During::Nothing, "status", death, output.to_owned());
            end.failure().unwrap().sort()
        };
        assert_eq!(sort(Death::Exit, "bye"), FailureSort::Exit);
        assert_eq!(sort(Death::Signal, "# SIGSEGV (0xb)"), FailureSort::Crash);
        let out_of_memory = "x\njava.lang.OutOfMemoryError: Java heap space\n\tat a.B";
        assert_eq!(sort(Death::Exit, out_of_memory), FailureSort::Memory);
        assert_eq!(sort(Death::Signal, out_of_memory), FailureSort::Memory);
        assert_eq!(shortened("short"), "short");
        assert_eq!(shortened(&"ä".repeat(3000)).chars().count(), 2000);
    }

    #[test]
    fn a_jvm_that_ends_in_a_class_is_the_failure_of_its_tests_that_are_left() {
        in_order("A1 B1 B2 C1", "A1 died:B", "pff-");
        of_each("A1 A2 B1", "A1 hung:A", "pf?");
        of_last("A1 B1", "A1 died:B", 'f');
    }

    #[test]
    fn a_jvm_that_ends_between_classes_fails_only_who_was_asked_for_last() {
        of_each("A1 A2", "A1 died", "p?");
        of_last("A1 A2", "A1 died", 'f');
        in_order("A1 A2", "A1 hung", "p-");
    }

    #[test]
    fn what_is_cut_short_has_no_verdict() {
        of_last("A1 A2", "A1 late", 'c');
        of_last("A1 A2", "A1 A2 cancelled", 'c');
        of_last("A1", "", '-');
        assert!(transcript("late").end.is_over() && !transcript("died").end.is_over());
        assert!(transcript("A1").end.can_go_on() && !transcript("hung").end.can_go_on());
    }

    #[test]
    fn messages_are_sorted_and_none_is_lost() {
        let (faults, mut said, mut others) = (Faults::default(), Vec::new(), 0);
        let mut others_heard = |heard: Heard<'_>| others += u32::from(matches!(heard, Heard::Other(_)));
        let bug = ToProgram::Bug {
            message: "oh".to_owned(),
        };
        let container = |failure| ToProgram::ContainerFinished {
            root: "A".to_owned(),
            choices: Default::default(),
            failure,
        };
        for message in [bug, container(Some(failure())), container(None)] {
            hear(message, &mut said, &faults, &mut others_heard);
        }
        assert_eq!(
            said,
            [Said::ClassFailed {
                root: "A".to_owned(),
                failure: failure()
            }]
        );
        assert_eq!(
            (faults.all(), others),
            (vec![Fault::AgentOff("oh".to_owned())], 1)
        );
    }

    #[test]
    fn state_that_is_not_compared_is_a_fault_only_if_it_is_ours() {
        for (blame, is_fault) in [(Blame::Unflake, true), (Blame::Jvm, false)] {
            let (faults, mut said, mut others) = (Faults::default(), Vec::new(), 0);
            let message = ToProgram::NotCompared {
                by: None,
                reason: "odd".to_owned(),
                blame,
            };
            hear(message, &mut said, &faults, &mut |_| others += 1);
            assert_eq!(
                (faults.all().len(), others, said.len()),
                (usize::from(is_fault), 1, 0)
            );
        }
    }
}
