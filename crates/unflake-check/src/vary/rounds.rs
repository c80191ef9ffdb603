//! The rounds: which there are, and when they end.

use crate::check::Check;
use crate::document::message;
use crate::drive::rounds::Verdicts;
use crate::drive::units::{Turn, Unit, tests_of_round, units};
use crate::ledger::{CutShort, Fact, Ledger, Unvaried};
use crate::outside::make_exceptions;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use unflake_explore::{Counts, DEFAULT_ROUNDS, GUIDED_ROUNDS, TestIx, Verdict, strategy_of_round};
use unflake_findings::Rate;

/// Unvaried runs beyond the build's own, where asked for: what fails in one of them is flaky on its own. Gives the others.
pub(super) fn control_runs(check: &Check<'_>, tests: &[TestIx], ledger: &mut Ledger) -> Vec<TestIx> {
    let more = check.options.control.saturating_sub(1);
    if more == 0 {
        return tests.to_vec();
    }
    let mut counted = unvaried_runs(check, &tests_of_round(tests, &check.session.suite, 1), more);
    // What fails each time may lack what it needs.
    let failing = counted.iter().filter(|(_, (counts, _))| counts.failed == more);
    let failing: Vec<TestIx> = failing.map(|(test, _)| *test).collect();
    for test in make_exceptions(check, &failing) {
        counted.remove(&test);
    }
    let failing = |test: &TestIx| counted.get(test).map_or(0, |(counts, _)| counts.failed);
    for &test in tests.iter().filter(|test| failing(test) > 0) {
        let rate = Rate {
            failed: failing(&test),
            runs: more + 1,
        };
        ledger.add(Fact::Unvaried(test, Unvaried::Flaky(rate)));
    }
    tests.iter().copied().filter(|test| failing(test) == 0).collect()
}

/// How often these tests fail in so many unvaried runs of ours, and what they said then.
pub(crate) fn unvaried_runs(
    check: &Check<'_>,
    tests: &[TestIx],
    times: u32,
) -> BTreeMap<TestIx, (Counts, String)> {
    let suite = &check.session.suite;
    // Each in its own JVMs: what a test leaves behind for itself does not count as flaky.
    let turn = |round| Turn {
        round,
        strategy: None,
        tests: tests.to_vec(),
    };
    let units: Vec<Unit> = (1..=times)
        .flat_map(|round| units(suite, &[turn(round)], check.workers.spread))
        .collect();
    check
        .progress
        .phase("unvaried runs", (tests.len() * times as usize) as u64);
    let verdicts = check.workers.run(units, &|_, _| check.progress.step());
    let mut counted: BTreeMap<TestIx, (Counts, String)> = BTreeMap::new();
    for ((_, test), verdict) in &verdicts {
        let (counts, said) = counted.entry(*test).or_default();
        match verdict {
            Verdict::Passed => counts.add(false),
            Verdict::Failed(failure) => {
                counts.add(true);
                *said = message(failure);
            }
            Verdict::NotRun | Verdict::Cancelled => {}
        }
    }
    counted
}

/// The guided rounds, then random ones until there were enough, or until the time of `--budget` is used up.
pub(super) fn run(check: &Check<'_>, candidates: &[TestIx], ledger: &mut Ledger) -> Verdicts {
    let options = check.options;
    let suite = &check.session.suite;
    let most = options.rounds.unwrap_or(match options.budget {
        Some(_) => u32::MAX,
        None => DEFAULT_ROUNDS,
    });
    let budget = options.budget.unwrap_or(Duration::MAX);
    let clock = Instant::now();
    let failing = Mutex::new(BTreeSet::new());
    // Those that hang or end their JVM: each time costs seconds, and once is enough to suspect them.
    let mut costly = BTreeSet::new();
    let mut verdicts = Verdicts::new();
    let mut round = 0;
    let mut last_round = Duration::ZERO;
    let mut is_more_to_vary = true;
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
        let left: Vec<TestIx> = candidates
            .iter()
            .copied()
            .filter(|test| !costly.contains(test))
            .collect();
        let turn = |round| Turn {
            round,
            strategy: Some(strategy_of_round(round, check.level(), check.seed)),
            tests: tests_of_round(&left, suite, round),
        };
        let turns: Vec<Turn> = (round + 1..=last).map(turn).collect();
        let units = units(suite, &turns, check.workers.spread);
        if units.is_empty() {
            round = last;
            is_more_to_vary = false;
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
        let more = check.workers.run(units, &|test, verdict| {
            check.progress.step();
            if matches!(verdict, Verdict::Failed(_)) {
                let mut failing = failing.lock().unwrap_or_else(PoisonError::into_inner);
                failing.insert(test);
                check.progress.note(&format!("{} failing", failing.len()));
            }
        });
        let ended_a_jvm =
            |verdict: &Verdict| matches!(verdict, Verdict::Failed(failure) if failure.sort().ends_jvm());
        costly.extend(
            more.iter()
                .filter(|(_, verdict)| ended_a_jvm(verdict))
                .map(|((_, test), _)| *test),
        );
        verdicts.extend(more);
        if check.is_cancelled() {
            break;
        }
        last_round = round_clock.elapsed() / (last - round);
        round = last;
    }
    ledger.add(Fact::Rounds(round));
    if is_more_to_vary && options.rounds.is_some_and(|rounds| round < rounds) {
        ledger.add(Fact::Cut(CutShort::Rounds));
    }
    verdicts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::SeedSetting;
    use crate::simulated::{Simulated, simulated};
    use unflake_findings::LevelSetting;
    use unflake_protocol::Level;

    /// The strategies of the runs, without the seeds of random ones.
    fn strategies(simulated: &Simulated) -> Vec<String> {
        let of = |command: String| {
            let (tests, how) = command.split_once(" | ").unwrap_or((&command, "unvaried"));
            let how = how.split_once(" seed").map_or(how, |(level, _)| level);
            format!("{tests}: {how}")
        };
        simulated.commands().into_iter().map(of).collect()
    }

    /// The facts that are about no single test.
    fn ends(simulated: &Simulated) -> Vec<String> {
        let facts = simulated.facts().into_iter();
        facts
            .filter(|fact| fact.contains("round") && !fact.contains('#'))
            .collect()
    }

    #[test]
    fn guided_rounds_come_first_then_random_ones_up_to_ten() {
        let simulated = simulated("A#a\nB#b");
        assert_eq!(ends(&simulated), ["10 rounds"]);
        let commands = strategies(&simulated);
        let guided = [
            "A#a B#b: one reverse",
            "A#a B#b: full odd",
            "A#a B#b: full pairs",
            "A#a B#b: full",
        ];
        assert_eq!(commands[..4], guided);
        assert_eq!(commands.len(), 10);
        let mut random = simulated.commands()[3..].to_vec();
        random.sort();
        random.dedup();
        assert_eq!(random.len(), 7);
    }

    #[test]
    fn tests_run_as_often_as_they_need() {
        let simulated =
            simulated("A#a [no-choice]\nA#b [one-run]\nA#c").with(|options| options.rounds = Some(2));
        assert_eq!(ends(&simulated), ["2 rounds"]);
        assert_eq!(strategies(&simulated), ["A#b A#c: one reverse", "A#c: full odd"]);
    }

    #[test]
    fn a_level_that_was_asked_for_is_the_only_one() {
        let simulated = simulated("A#a").with(|options| {
            options.rounds = Some(4);
            options.vary.level = LevelSetting::Only(Level::Id);
        });
        assert_eq!(ends(&simulated), ["4 rounds"]);
        let expected = ["A#a: id reverse", "A#a: id odd", "A#a: id pairs", "A#a: id"];
        assert_eq!(strategies(&simulated), expected);
    }

    #[test]
    fn guided_rounds_run_whatever_the_budget_is() {
        let with = |rounds, budget: Option<u64>| {
            simulated("A#a").with(|options| {
                options.rounds = rounds;
                options.budget = budget.map(Duration::from_millis);
            })
        };
        assert_eq!(ends(&with(None, Some(0))), ["3 rounds"]);
        assert_eq!(ends(&with(Some(3), Some(0))), ["3 rounds"]);
        assert_eq!(ends(&with(Some(5), Some(0))), ["3 rounds", "rounds cut"]);
        assert_eq!(ends(&with(Some(5), Some(600_000))), ["5 rounds"]);
        assert_eq!(ends(&with(Some(1), None)), ["1 rounds"]);
    }

    #[test]
    fn with_a_budget_alone_there_is_no_most_of_rounds() {
        let simulated = simulated("A#a cancels turns pppppppppppppppf")
            .with(|options| options.budget = Some(Duration::from_secs(600)));
        assert_eq!(ends(&simulated), ["15 rounds"]);
    }

    #[test]
    fn without_a_budget_the_clock_ends_no_rounds() {
        let mut simulated = simulated("A#a").with(|options| options.vary.seed = SeedSetting::Fresh);
        simulated.learning_run = Duration::ZERO;
        assert_eq!(ends(&simulated), ["10 rounds"]);
    }

    #[test]
    fn where_nothing_is_left_to_vary_no_round_is_missing() {
        // It is seen where the next rounds begin: behind the guided ones, each random one is on its own.
        for (suite, end) in [("A#a [no-choice]", "3 rounds"), ("A#a [one-run]", "4 rounds")] {
            let simulated = simulated(suite).with(|options| options.rounds = Some(8));
            assert_eq!(ends(&simulated), [end], "{suite}");
        }
    }

    #[test]
    fn who_has_had_enough_gets_what_was_done_until_then() {
        let facts = simulated("A#a\nA#b cancels form random").facts();
        let expected = ["3 rounds", "A#a failed 0 of 4", "A#b failed 0 of 3"];
        assert_eq!(facts, expected);
        let facts = simulated("A#a cancels\nA#b")
            .with(|options| options.rounds = Some(5))
            .facts();
        let expected = ["0 rounds", "rounds cut", "A#a not reached", "A#b not reached"];
        assert_eq!(facts, expected);
    }

    #[test]
    fn a_test_that_fails_in_a_control_run_is_flaky_and_not_varied() {
        let simulated = simulated("A#a fails turns pfp\nA#b [one-run]\nA#c [no-choice]").with(|options| {
            options.control = 4;
            options.rounds = Some(1);
        });
        let facts = simulated.facts();
        assert_eq!(
            facts,
            [
                "A#a is flaky: 1 of 4",
                "1 rounds",
                "A#b failed 0 of 1",
                "A#c has no choice"
            ]
        );
        let mut expected = vec!["A#a A#b: unvaried"; 3];
        expected.push("A#b: one reverse");
        assert_eq!(strategies(&simulated), expected);
        // Each control run has JVMs of its own.
        assert_eq!(simulated.starts(), 4);
    }

    #[test]
    fn what_fails_only_in_isolation_is_not_flaky_in_control_runs() {
        let simulated = simulated("A#a fails inside\nA#b").with(|options| {
            options.control = 3;
            options.rounds = Some(1);
        });
        let facts = simulated.facts();
        assert!(facts.contains(&"A#a ran outside".to_owned()), "{facts:?}");
        assert!(!facts.iter().any(|fact| fact.contains("flaky")), "{facts:?}");
    }
}
