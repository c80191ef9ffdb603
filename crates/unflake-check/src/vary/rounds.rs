//! The rounds: which there are, and when they end.

use crate::check::Check;
use crate::drive::rounds::Verdicts;
use crate::drive::units::{Turn, Unit, tests_of_round, units};
use crate::ledger::{Cut, Fact, Ledger, Unvaried};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use unflake_explore::order::limits::Allowance;
use unflake_explore::{DEFAULT_ROUNDS, GUIDED_ROUNDS, TestIx, Verdict, strategy_of_round};
use unflake_findings::Rate;

/// What random rounds may take by default.
const ROUNDS_TIME: Allowance = Allowance {
    learning_runs: 0.4,
    at_least: Duration::ZERO,
};

/// Unvaried runs beyond the build's own, where asked for: what fails in one of them is flaky on its own. Gives the others.
pub(super) fn control_runs(check: &Check<'_>, tests: &[TestIx], ledger: &mut Ledger) -> Vec<TestIx> {
    let more = check.options.control.saturating_sub(1);
    if more == 0 {
        return tests.to_vec();
    }
    let suite = &check.session.suite;
    let varied = tests_of_round(tests, suite, 1);
    // Each in its own JVMs: what a test leaves behind for itself does not count as flaky.
    let turn = |round| Turn {
        round,
        strategy: None,
        tests: varied.clone(),
    };
    let units: Vec<Unit> = (1..=more)
        .flat_map(|round| units(suite, &[turn(round)], check.workers.spread))
        .collect();
    check
        .progress
        .phase("unvaried runs", (varied.len() * more as usize) as u64);
    let verdicts = check.workers.run(units, &|_, _| check.progress.step());
    let mut failures: BTreeMap<TestIx, u32> = BTreeMap::new();
    for ((_, test), verdict) in &verdicts {
        if matches!(verdict, Verdict::Failed(_)) {
            *failures.entry(*test).or_default() += 1;
        }
    }
    for (test, failed) in &failures {
        let rate = Rate {
            failed: *failed,
            runs: more + 1,
        };
        ledger.add(Fact::Unvaried(*test, Unvaried::Flaky(rate)));
    }
    let is_sound = |test: &TestIx| !failures.contains_key(test);
    tests.iter().copied().filter(is_sound).collect()
}

/// The guided rounds, then random ones until enough is done or the time is used up.
pub(super) fn run(check: &Check<'_>, candidates: &[TestIx], ledger: &mut Ledger) -> Verdicts {
    let options = check.options;
    let suite = &check.session.suite;
    let most = options.rounds.unwrap_or(match options.budget {
        Some(_) => u32::MAX,
        None => DEFAULT_ROUNDS,
    });
    let budget = match options.rounds {
        Some(_) => options.budget,
        None => check.budget().of(ROUNDS_TIME),
    };
    let budget = budget.unwrap_or(Duration::MAX);
    let clock = Instant::now();
    let failing = Mutex::new(BTreeSet::new());
    let mut verdicts = Verdicts::new();
    let mut round = 0;
    let mut last_round = Duration::ZERO;
    while round < most && !check.is_cancelled() {
        // The guided ones of a class run in one JVM, one after the other.
        let last = if round < GUIDED_ROUNDS {
            GUIDED_ROUNDS.min(most)
        } else {
            round + 1
        };
        if round >= GUIDED_ROUNDS.min(most) && clock.elapsed() + last_round >= budget {
            break;
        }
        let turn = |round| Turn {
            round,
            strategy: Some(strategy_of_round(round, check.level(), check.seed)),
            tests: tests_of_round(candidates, suite, round),
        };
        let turns: Vec<Turn> = (round + 1..=last).map(turn).collect();
        let units = units(suite, &turns, check.workers.spread);
        if units.is_empty() {
            round = last;
            break;
        }
        let name = if last == round + 1 {
            format!("round {last}")
        } else {
            format!("rounds {}-{last}", round + 1)
        };
        check
            .progress
            .phase(&name, units.iter().map(Unit::runs).sum::<usize>() as u64);
        let round_clock = Instant::now();
        verdicts.extend(check.workers.run(units, &|test, verdict| {
            check.progress.step();
            if matches!(verdict, Verdict::Failed(_)) {
                let mut failing = failing.lock().unwrap_or_else(PoisonError::into_inner);
                failing.insert(test);
                check.progress.note(&format!("{} failing", failing.len()));
            }
        }));
        if check.is_cancelled() {
            break;
        }
        last_round = round_clock.elapsed() / (last - round);
        round = last;
    }
    ledger.add(Fact::Rounds(round));
    if options.rounds.is_some_and(|rounds| round < rounds) {
        ledger.add(Fact::Cut(Cut::Rounds));
    }
    verdicts
}
