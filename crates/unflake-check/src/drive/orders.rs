//! Tests in exactly given orders, each order in a fresh JVM.
//!
//! What counts is what the JVM said: a test that ran at another place than it was asked to has no verdict.

use super::driver::Driver;
use super::pool::in_parallel;
use super::transcript::JvmEnd;
use std::time::{Duration, Instant};
use unflake_explore::order::limits::SEARCH_SHARE;
use unflake_explore::order::{Order, Orders};
use unflake_explore::{TestIx, Verdict};
use unflake_protocol::{Configuration, Handle, Record, RunCommand};
use unflake_runner::{Launch, Limits, Work};

/// The JVMs of one launch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchOrders<'a> {
    pub launch: &'a Launch,
    /// By test; those of other launches are not asked for.
    pub handles: &'a [Handle],
    /// As made by [`exact`].
    pub driver: &'a Driver,
    pub jobs: usize,
    pub silence: Duration,
    /// No order begins after it or goes on.
    pub deadline: Option<Instant>,
}

/// For JVMs that keep to the order and vary nothing.
pub fn exact(like: &Driver) -> Driver {
    let plain = |configuration| Configuration {
        strategy: None,
        models: Vec::new(),
        user_models: Vec::new(),
        learn: false,
        allocations: false,
        watch: None,
        ..configuration
    };
    let options = [EXACT].into_iter().chain(UNVERIFIED);
    like.configured(plain).with_options(options.map(str::to_owned))
}

/// Classes are as the compiler made them, and most JVMs run a test or two: a sixth of their time is verification.
const UNVERIFIED: [&str; 2] = [
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
];

/// Tells `unflake.runner.Main`, which takes it out again before any test sees it.
pub const EXACT: &str = "-Dunflake.exact=true";

impl Orders for LaunchOrders<'_> {
    fn run_all(&self, orders: &[Order]) -> Vec<Option<Vec<Verdict>>> {
        let mut results = in_parallel(self.jobs, orders.iter().collect(), |order| self.run(order));
        // Two JVMs that wanted the same port: that is our doing, not the test's.
        let met = |verdicts: &Option<Vec<Verdict>>| verdicts.iter().flatten().any(is_about_a_port);
        let alone = self.jobs.min(orders.len()) < 2;
        for (verdicts, order) in results.iter_mut().zip(orders) {
            if !alone && met(verdicts) {
                *verdicts = self.run(order);
            }
        }
        results
    }

    fn searching(&self) -> Box<dyn Orders + '_> {
        let now = Instant::now();
        let share = |end: Instant| now + end.saturating_duration_since(now).mul_f64(SEARCH_SHARE);
        Box::new(LaunchOrders {
            deadline: self.deadline.map(share),
            ..*self
        })
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
        self.driver.cancel().is_cancelled()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// `None`: no more can be run.
    fn run(&self, order: &[TestIx]) -> Option<Vec<Verdict>> {
        if self.is_over() {
            return None;
        }
        let mut jvm = self.driver.start(self.launch, Work::Short).ok()?;
        let command = RunCommand {
            strategy: None,
            tests: order.iter().map(|test| self.handles[test.0].clone()).collect(),
            script: None,
            record: Record::default(),
        };
        let limits = Limits {
            silence: self.silence,
            until: self.deadline,
        };
        let transcript = jvm.run(&command, limits, &mut |_| {});
        match transcript.end {
            JvmEnd::TimeUp | JvmEnd::Cancelled | JvmEnd::NotStarted(_) => None,
            JvmEnd::Finished | JvmEnd::Died { .. } | JvmEnd::Hung { .. } => {
                Some(transcript.in_order(&command.tests))
            }
        }
    }
}
