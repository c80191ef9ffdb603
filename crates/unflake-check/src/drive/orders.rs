//! Tests in exactly given orders, each order in a fresh JVM.
//!
//! What counts is what the JVM said: a test that ran at another place than it was asked to has no verdict.

use crate::drive::scripts::failure_of;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use unflake_explore::{Orders, Verdict};
use unflake_protocol::{Configuration, Failure, Handle, Outcome, Record, RunCommand, ToProgram};
use unflake_runner::{Launch, Limits, RunEnd, Work, Worker, WorkerTools};

/// The JVMs of one launch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchOrders<'a> {
    pub launch: &'a Launch,
    /// By test; those of other launches are not asked for.
    pub handles: &'a [Handle],
    /// As made by [`tools`].
    pub tools: &'a WorkerTools,
    /// Numbers of workers; each is used once.
    pub next: &'a AtomicU32,
    pub jobs: usize,
    pub silence: Duration,
    /// No order begins after it or goes on.
    pub deadline: Option<Instant>,
}

/// For JVMs that keep to the order and vary nothing.
pub fn tools(like: &WorkerTools) -> WorkerTools {
    let mut tools = like.clone();
    tools.configuration = Configuration {
        strategy: None,
        models: Vec::new(),
        user_models: Vec::new(),
        learn: false,
        allocations: false,
        watch: None,
        ..tools.configuration
    };
    tools.options.push(EXACT.to_owned());
    tools.options.extend(UNVERIFIED.map(str::to_owned));
    tools
}

/// Classes are as the compiler made them, and most JVMs run a test or two: a sixth of their time is verification.
const UNVERIFIED: [&str; 2] = [
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
];

/// Tells `unflake.runner.Main`, which takes it out again before any test sees it.
pub const EXACT: &str = "-Dunflake.exact=true";

impl Orders for LaunchOrders<'_> {
    fn run_all(&self, orders: &[Vec<usize>]) -> Vec<Option<Vec<Verdict>>> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(BTreeMap::new());
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(orders.len()) {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(order) = orders.get(index) else { return };
                        let verdicts = self.run(order);
                        results
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .insert(index, verdicts);
                    }
                });
            }
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Two JVMs that wanted the same port: that is our doing, not the test's.
        let met = |verdicts: &&mut Option<Vec<Verdict>>| verdicts.iter().flatten().any(is_about_a_port);
        let alone = self.jobs.min(orders.len()) < 2;
        let again = results
            .values_mut()
            .zip(orders)
            .filter(|(verdicts, _)| !alone && met(verdicts));
        for (verdicts, order) in again {
            *verdicts = self.run(order);
        }
        results.into_values().collect()
    }
}

fn is_about_a_port(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Failed(failure) => {
            failure.kind.ends_with("BindException") || failure.trace.contains("java.net.BindException")
        }
        _ => false,
    }
}

impl LaunchOrders<'_> {
    fn is_over(&self) -> bool {
        self.tools.cancel.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn run(&self, order: &[usize]) -> Option<Vec<Verdict>> {
        if self.is_over() {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut worker = Worker::start(self.launch, self.tools, number, Work::Short).ok()?;
        let command = RunCommand {
            strategy: None,
            tests: order.iter().map(|test| self.handles[*test].clone()).collect(),
            script: None,
            record: Record::default(),
        };
        let mut said = Vec::new();
        let limits = Limits {
            silence: self.silence,
            until: self.deadline,
        };
        let end = worker.run(&command, limits, |message| match message {
            ToProgram::TestFinished { test, outcome, .. } => {
                let verdict = match outcome {
                    Outcome::Passed => Verdict::Passed,
                    Outcome::Failed(failure) => Verdict::Failed(failure),
                    Outcome::Skipped { .. } => Verdict::NotRun,
                };
                said.push(Said::Test(test.handle, verdict));
            }
            ToProgram::ContainerFinished {
                root,
                failure: Some(failure),
                ..
            } => said.push(Said::ClassFailed(root, failure)),
            _ => {}
        });
        match &end {
            RunEnd::Cancelled => return None,
            RunEnd::Died { during, .. } | RunEnd::TimedOut { during, .. } => {
                if let (Some(test), Some(failure)) = (during, failure_of(&end)) {
                    said.push(Said::Test(test.handle.clone(), Verdict::Failed(failure)));
                }
            }
            RunEnd::Finished => {}
        }
        Some(placed(&command.tests, said))
    }
}

/// What a JVM said of a test, or of the set-up or tear-down of a class.
#[derive(Debug)]
enum Said {
    Test(Handle, Verdict),
    ClassFailed(String, Failure),
}

/// The verdict for each place of `order`. From the first test on that ran elsewhere there is none; one that did not run at all
/// is passed over, unless its class's set-up failed.
fn placed(order: &[Handle], said: Vec<Said>) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut left: VecDeque<Said> = said.into();
    for (place, handle) in order.iter().enumerate() {
        let of_test = |said: &Said| matches!(said, Said::Test(..));
        let next = left.iter().position(of_test).filter(|index| match &left[*index] {
            Said::Test(other, _) => other == handle,
            Said::ClassFailed(..) => false,
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
            Said::ClassFailed(root, failure) if *root == handle.root => Some((index, failure.clone())),
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

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_protocol::Framework;

    fn handle(name: &str) -> Handle {
        Handle {
            framework: Framework::JUnit4,
            root: name[..1].to_owned(),
            id: name.to_owned(),
        }
    }

    fn failure() -> Failure {
        Failure {
            kind: "E".to_owned(),
            message: String::new(),
            trace: String::new(),
            expected: None,
            actual: None,
        }
    }

    /// `order` as words; `said` too, `!` before one that fails, `A*` for a class whose set-up fails. The verdicts as letters.
    fn check(order: &str, said: &str, expected: &str) {
        let order: Vec<Handle> = order.split(' ').map(handle).collect();
        let said = said
            .split_terminator(' ')
            .map(|word| match word.strip_suffix('*') {
                Some(class) => Said::ClassFailed(class.to_owned(), failure()),
                None => match word.strip_prefix('!') {
                    Some(test) => Said::Test(handle(test), Verdict::Failed(failure())),
                    None => Said::Test(handle(word), Verdict::Passed),
                },
            });
        let shown: String = placed(&order, said.collect())
            .iter()
            .map(|verdict| match verdict {
                Verdict::Passed => 'p',
                Verdict::Failed(_) => 'f',
                Verdict::NotRun | Verdict::Cancelled => '-',
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn verdicts_stand_at_their_places() {
        check("A1 A2 B1", "A1 !A2 B1", "pfp");
        check("A1 A1", "A1 !A1", "pf");
    }

    #[test]
    fn another_order_than_the_one_asked_for_says_nothing() {
        check("A2 A1", "A1 A2", "--");
        check("B1 A1 C1", "A1 !B1 C1", "---");
        check("A1 B1 C1", "A1 C1 !B1", "p--");
        check("A1 B1", "A1 X1 !B1", "p-");
    }

    #[test]
    fn a_test_that_did_not_run_is_passed_over() {
        check("A1 A2 A3", "A1 !A3", "p-f");
        check("A1 A2 A3", "A1", "p--");
    }

    #[test]
    fn a_set_up_that_fails_fails_the_tests_of_its_class() {
        check("A1 B1 B2 C1", "A1 B* C1", "pffp");
        check("A1 B1", "A1 A* B1", "pp");
        check("A1 A2", "A1 A* !A2", "pf");
    }
}
