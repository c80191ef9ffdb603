//! Tests in exactly given orders, each order in a fresh JVM.
//!
//! What counts is what the JVM said: a test that ran at another place than it was asked to has no verdict.

use super::driver::Driver;
use super::pool::in_parallel;
use super::transcript::JvmEnd;
use std::time::{Duration, Instant};
use unflake_explore::order::limits::SEARCH_SHARE;
use unflake_explore::order::{Orders, TestOrder};
use unflake_explore::{TestIx, Verdict};
use unflake_protocol::{Configuration, Handle, Record, RunCommand};
use unflake_runner::{Isolated, Launch, Limits, Work};

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
    fn run_all(&self, orders: &[TestOrder]) -> Vec<Option<Vec<Verdict>>> {
        let mut results = in_parallel(self.jobs, orders.iter().collect(), |order| self.run(order));
        // Two JVMs that wanted the same port, or the same file: that is our doing, not the test's.
        let is_apart = matches!(self.driver.isolated(self.launch), Isolated::Namespaces { .. });
        let is_doubtful =
            |verdict: &Verdict| is_about_a_port(verdict) || !is_apart && verdict.failure().is_some();
        let met = |verdicts: &Option<Vec<Verdict>>| verdicts.iter().flatten().any(is_doubtful);
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
        loop {
            match self.run_once(order) {
                Err(JvmEnd::Broken(_)) if self.driver.faults().may_replace() => {}
                ran => return ran.ok(),
            }
        }
    }

    fn run_once(&self, order: &[TestIx]) -> Result<Vec<Verdict>, JvmEnd> {
        if self.is_over() {
            return Err(JvmEnd::TimeUp);
        }
        let command = RunCommand {
            strategy: None,
            only: Vec::new(),
            tests: order.iter().map(|test| self.handles[test.0].clone()).collect(),
            script: None,
            record: Record::default(),
        };
        let mut jvm = self.driver.start_for(self.launch, Work::Short, &command.tests)?;
        let limits = Limits {
            silence: &|_| self.silence,
            dumps: false,
            until: self.deadline,
        };
        let transcript = jvm.run(&command, limits, &mut |_| {});
        match transcript.end {
            end @ (JvmEnd::TimeUp | JvmEnd::Cancelled | JvmEnd::Broken(_)) => Err(end),
            JvmEnd::Finished | JvmEnd::Died { .. } | JvmEnd::Hung { .. } => {
                Ok(transcript.in_order(&command.tests))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, failure, simulated};
    use unflake_protocol::Failure;

    fn run(simulated: &Simulated, jobs: usize, deadline: Option<Instant>, orders: &[&str]) -> Vec<String> {
        let suite = &simulated.session.suite;
        let handles = suite.handles(&suite.all().collect::<Vec<_>>());
        let here = LaunchOrders {
            launch: &suite.launches[0],
            handles: &handles,
            driver: &exact(simulated.session.driver()),
            jobs,
            silence: Duration::from_secs(60),
            deadline,
        };
        let orders = orders
            .iter()
            .map(|order| order.split(' ').map(|name| simulated.test(name)).collect());
        let orders: Vec<TestOrder> = orders.collect();
        let letter = |verdict: &Verdict| match verdict {
            Verdict::Passed => 'p',
            Verdict::Failed(_) => 'f',
            Verdict::NotRun => '-',
            Verdict::Cancelled => 'c',
        };
        let shown = |verdicts: Option<Vec<Verdict>>| match verdicts {
            Some(verdicts) => verdicts.iter().map(letter).collect(),
            None => "none".to_owned(),
        };
        here.run_all(&orders).into_iter().map(shown).collect()
    }

    #[test]
    fn each_order_runs_in_a_jvm_of_its_own() {
        let simulated = simulated("A#a\nB#b fails after A#a\nC#c dies after B#b");
        let verdicts = run(
            &simulated,
            1,
            None,
            &["A#a B#b", "B#b A#a", "B#b C#c A#a", "A#a A#a"],
        );
        assert_eq!(verdicts, ["pf", "pp", "pf-", "pp"]);
        assert_eq!(simulated.starts(), 4);
    }

    #[test]
    fn no_order_runs_after_the_deadline_or_when_the_user_has_had_enough() {
        let simulated = simulated("A#a\nB#b cancels");
        let now = Instant::now();
        assert_eq!(run(&simulated, 1, Some(now), &["A#a"]), ["none"]);
        assert_eq!(simulated.starts(), 0);
        let later = now + Duration::from_secs(600);
        assert_eq!(
            run(&simulated, 1, Some(later), &["A#a", "A#a B#b", "A#a"]),
            ["p", "none", "none"]
        );
        assert_eq!(simulated.starts(), 2);
    }

    #[test]
    fn an_order_that_the_deadline_cuts_short_has_no_verdicts() {
        let simulated = simulated("A#a sleeps 250\nB#b");
        let deadline = Instant::now() + Duration::from_millis(200);
        assert_eq!(run(&simulated, 1, Some(deadline), &["A#a B#b"]), ["none"]);
    }

    #[test]
    fn a_jvm_that_breaks_is_replaced_but_not_for_ever() {
        let simulated = simulated("A#a cuts turns fp\nB#b cuts");
        assert_eq!(run(&simulated, 1, None, &["A#a", "B#b"]), ["p", "none"]);
        assert_eq!(simulated.starts(), 2 + 10);
    }

    #[test]
    fn without_a_jvm_there_is_no_verdict() {
        assert_eq!(run(&simulated("A#a").most_starts(0), 1, None, &["A#a"]), ["none"]);
    }

    #[test]
    fn two_jvms_that_met_at_a_port_run_again_one_by_one() {
        let orders = ["A#a", "B#b"];
        let meeting = || simulated("A#a\nB#b wants-port turns fp");
        assert_eq!(run(&meeting(), 2, None, &orders), ["p", "p"]);
        // Alone, it is the test's own doing.
        assert_eq!(run(&meeting(), 1, None, &orders), ["p", "f"]);
        assert_eq!(run(&meeting(), 2, None, &orders[1..]), ["f"]);
    }

    #[test]
    fn a_failure_about_a_port_is_known_by_its_exception() {
        let failed = |kind: &str, trace: &str| {
            is_about_a_port(&Verdict::Failed(Failure {
                kind: kind.to_owned(),
                trace: trace.to_owned(),
                ..failure("no")
            }))
        };
        assert!(failed("java.net.BindException", ""));
        assert!(failed(
            "java.io.IOException",
            "Caused by: java.net.BindException: in use"
        ));
        assert!(!failed("java.io.IOException", "at a.Port.bind"));
        assert!(!is_about_a_port(&Verdict::Passed));
    }

    #[test]
    fn a_search_leaves_time_for_the_proof() {
        let simulated = simulated("A#a");
        let suite = &simulated.session.suite;
        let orders = LaunchOrders {
            launch: &suite.launches[0],
            handles: &suite.handles(&[TestIx(0)]),
            driver: simulated.session.driver(),
            jobs: 1,
            silence: Duration::from_secs(60),
            deadline: Some(Instant::now()),
        };
        // No time is left, so none is left to search in.
        assert_eq!(orders.searching().run_all(&[vec![TestIx(0)]]), [None]);
        let unlimited = LaunchOrders {
            deadline: None,
            ..orders
        };
        assert!(unlimited.searching().run_all(&[vec![TestIx(0)]])[0].is_some());
    }

    #[test]
    fn jvms_for_orders_vary_nothing_and_keep_to_the_order() {
        let simulated = simulated("A#a");
        assert!(!simulated.session.driver().tools().configuration.models.is_empty());
        let driver = exact(simulated.session.driver());
        let configuration = &driver.tools().configuration;
        assert!(
            configuration.models.is_empty()
                && configuration.strategy.is_none()
                && configuration.watch.is_none()
        );
        assert!(driver.tools().options.contains(&EXACT.to_owned()));
    }

    #[test]
    fn what_failed_where_jvms_share_files_runs_again_alone() {
        let orders = ["A#a", "B#b"];
        let failing = || simulated("A#a\nB#b fails turns fp");
        assert_eq!(run(&failing().sharing(), 2, None, &orders), ["p", "p"]);
        // Nobody was in its way.
        assert_eq!(run(&failing(), 2, None, &orders), ["p", "f"]);
        assert_eq!(run(&failing().sharing(), 1, None, &orders), ["p", "f"]);
    }

    #[test]
    fn jvms_for_orders_learn_and_trace_nothing() {
        let simulated = simulated("A#a");
        let like = simulated
            .session
            .driver()
            .configured(|configuration| Configuration {
                strategy: Some(unflake_explore::strategy_of_round(
                    1,
                    None,
                    unflake_protocol::Seed(7),
                )),
                learn: true,
                allocations: true,
                ..configuration
            });
        let configuration = exact(&like).tools().configuration.clone();
        assert!(!configuration.learn && !configuration.allocations);
        assert!(configuration.strategy.is_none());
    }
}
