//! `check --only order`: the whole suite in other orders, and the proof of what fails there (P11).

use super::Check;
use super::outcome::{Fate, Outcomes};
use super::stored::StoredReplay;
use super::suite::{Baseline, Suite};
use crate::orders::{LaunchOrders, tools};
use crate::values::SeedSetting;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use unflake_explore::{
    Cleaning, OrderSuspect, Orders as _, ProvedBrittle, ProvedVictim, SortedOut, Unproved, Verdict, cleaners,
    sort_out,
};
use unflake_findings::{
    Brittle, Details, Finding, FindingKind, NoteKind, Rate, Repair, Severity, Victim, finding_id, rules,
};
use unflake_protocol::{Handle, Outcome, Seed, TestId};

/// Reversed; and everything twice, for tests that are their own victims.
const GUIDED_ORDERS: u32 = 2;
const DEFAULT_ORDERS: u32 = 5;
/// The share of the learning run's time that random orders may use by default.
const DEFAULT_BUDGET: f64 = 0.4;
/// How long the search for polluters may take by default, in learning runs, and at least.
const SEARCH: f64 = 8.0;
const SHORTEST_SEARCH: Duration = Duration::from_secs(60);
/// Cleaners that a finding names.
const CLEANERS: usize = 3;
/// Tests among which they are looked for.
const CLEANER_CANDIDATES: usize = 300;

/// Tries orders, and makes findings of what depends on them.
pub(super) fn run(check: &Check<'_>, outcomes: &mut Outcomes) {
    let clock = Instant::now();
    let suite = &check.learned.suite;
    let handles: Vec<Handle> = suite.tests.iter().map(|test| test.handle.clone()).collect();
    let tools = tools(check.bench.tools);
    let deadline = deadline(check, clock);
    for launch in 0..suite.launches.len() {
        let tests = tests_of(check, launch);
        if tests.is_empty() {
            continue;
        }
        let orders = LaunchOrders {
            launch: &suite.launches[launch],
            handles: &handles,
            tools: &tools,
            next: check.bench.workers,
            jobs: check.bench.jobs,
            silence: silence(check, &tests),
            deadline,
        };
        let shuffled = Shuffled::new(suite, &tests);
        let mut suspects = failing_orders(check, &orders, &shuffled, clock, outcomes);
        for test in outcomes.order_suspects() {
            if tests.contains(&test) && !suspects.contains_key(&test) {
                suspects.insert(test, suite.before(test).1);
            }
        }
        let suspects: Vec<OrderSuspect> = suspects
            .into_iter()
            .map(|(test, before)| OrderSuspect { test, before })
            .collect();
        if suspects.is_empty() {
            continue;
        }
        check.progress.phase("order-dependent tests", 0);
        check.progress.note(&format!("{} to prove", suspects.len()));
        let sorted = sort_out(&orders, &suspects, |test| suite.before(test).1);
        report(check, &orders, &tests, sorted, outcomes);
    }
}

/// What is left when nobody says otherwise. With a seed the result must not depend on the clock.
fn deadline(check: &Check<'_>, from: Instant) -> Option<Instant> {
    match (check.settings.budget, check.settings.vary.seed) {
        (Some(budget), _) => Some(from + budget),
        (None, SeedSetting::Fixed(_) | SeedSetting::Last) => None,
        (None, SeedSetting::Fresh) => {
            Some(from + check.learned.time.mul_f64(SEARCH).max(SHORTEST_SEARCH))
        }
    }
}

/// Tests of this launch that ran in the build; those that failed there may still pollute.
fn tests_of(check: &Check<'_>, launch: usize) -> Vec<usize> {
    let suite = &check.learned.suite;
    let runs = |test: &usize| {
        let known = &suite.tests[*test];
        known.launch == Some(launch)
            && matches!(
                known.baseline,
                Baseline::Finished(Outcome::Passed | Outcome::Failed(_))
            )
    };
    check.learned.selected.iter().copied().filter(runs).collect()
}

fn silence(check: &Check<'_>, tests: &[usize]) -> Duration {
    const LEAST: Duration = Duration::from_secs(60);
    let times = tests.iter().map(|test| check.learned.suite.tests[*test].time);
    check
        .settings
        .timeout
        .unwrap_or_else(|| LEAST.max(times.max().unwrap_or_default() * 10))
}

/// Runs orders until enough is done or the time is used up. Per test that passed in the build and fails in one of them, what
/// ran before it there.
fn failing_orders(
    check: &Check<'_>,
    orders: &LaunchOrders<'_>,
    shuffled: &Shuffled,
    clock: Instant,
    outcomes: &mut Outcomes,
) -> BTreeMap<usize, Vec<usize>> {
    let settings = check.settings;
    let most = settings.rounds.unwrap_or(match settings.budget {
        Some(_) => u32::MAX,
        None => DEFAULT_ORDERS,
    });
    let budget = match (settings.budget, settings.rounds, settings.vary.seed) {
        // Half of it is for the proof of what is found.
        (Some(budget), ..) => budget / 2,
        (None, Some(_), _) | (None, None, SeedSetting::Fixed(_) | SeedSetting::Last) => Duration::MAX,
        (None, None, SeedSetting::Fresh) => check.learned.time.mul_f64(DEFAULT_BUDGET),
    };
    let passed = |test: usize| {
        let baseline = &check.learned.suite.tests[test].baseline;
        *baseline == Baseline::Finished(Outcome::Passed)
    };
    let mut suspects = BTreeMap::new();
    let mut ran = BTreeSet::new();
    let mut done = 0;
    while done < most && !check.bench.tools.cancel.is_cancelled() {
        let last = if done < GUIDED_ORDERS {
            GUIDED_ORDERS.min(most)
        } else if clock.elapsed() < budget {
            most.min(done + u32::try_from(orders.jobs).unwrap_or(1))
        } else {
            break;
        };
        check
            .progress
            .phase(&format!("orders {}-{last}", done + 1), u64::from(last - done));
        let batch: Vec<Vec<usize>> = (done + 1..=last)
            .map(|number| shuffled.order(number, check.seed))
            .collect();
        for (order, verdicts) in run_to_the_end(orders, batch) {
            for (place, verdict) in verdicts.iter().enumerate() {
                let test = order[place];
                if matches!(verdict, Verdict::Passed | Verdict::Failed(_)) {
                    ran.insert(test);
                }
                if matches!(verdict, Verdict::Failed(_)) && passed(test) {
                    suspects.entry(test).or_insert_with(|| order[..place].to_vec());
                }
            }
            check.progress.step();
        }
        check.progress.note(&format!("{} failing", suspects.len()));
        done = last;
    }
    outcomes.orders(done);
    for test in ran {
        outcomes.settle_if_new(test, Fate::Checked);
    }
    suspects
}

/// Runs orders; what a JVM that ended left over runs in another one.
fn run_to_the_end(orders: &LaunchOrders<'_>, batch: Vec<Vec<usize>>) -> Vec<(Vec<usize>, Vec<Verdict>)> {
    const TIMES: usize = 5;
    let mut done = Vec::new();
    let mut left = batch;
    for _ in 0..TIMES {
        let ran = orders.run_all(&left);
        let mut over = Vec::new();
        for (order, verdicts) in left.into_iter().zip(ran) {
            let verdicts = verdicts.unwrap_or_default();
            let end = verdicts.iter().rposition(|verdict| *verdict != Verdict::NotRun);
            if let Some(end) = end
                && end + 1 < order.len()
            {
                over.push(order[end + 1..].to_vec());
            }
            done.push((order, verdicts));
        }
        left = over;
        if left.is_empty() {
            break;
        }
    }
    done
}

/// The suite as classes with their tests, in the build's order.
struct Shuffled {
    classes: Vec<Vec<usize>>,
}

impl Shuffled {
    fn new(suite: &Suite, tests: &[usize]) -> Shuffled {
        let mut classes: Vec<(&str, Vec<usize>)> = Vec::new();
        for &test in tests {
            let root = suite.tests[test].handle.root.as_str();
            match classes.iter_mut().find(|(class, _)| *class == root) {
                Some((_, tests)) => tests.push(test),
                None => classes.push((root, vec![test])),
            }
        }
        Shuffled {
            classes: classes.into_iter().map(|(_, tests)| tests).collect(),
        }
    }

    /// Order number `number`, counted from 1.
    fn order(&self, number: u32, seed: Seed) -> Vec<usize> {
        let mut classes = self.classes.clone();
        match number {
            1 => {
                classes.reverse();
                classes.iter_mut().for_each(|tests| tests.reverse());
            }
            2 => classes.extend_from_within(..),
            _ => {
                let seed = seed.derive(u64::from(number));
                shuffle(&mut classes, seed.derive(0));
                for (index, tests) in classes.iter_mut().enumerate() {
                    shuffle(tests, seed.derive(index as u64 + 1));
                }
            }
        }
        classes.concat()
    }
}

fn shuffle<T>(items: &mut [T], seed: Seed) {
    for last in (1..items.len()).rev() {
        let pick = seed.derive(last as u64).0 % (last as u64 + 1);
        items.swap(last, pick as usize);
    }
}

/// Makes findings of what was proved, and says what was not.
fn report(
    check: &Check<'_>,
    orders: &LaunchOrders<'_>,
    tests: &[usize],
    sorted: SortedOut,
    outcomes: &mut Outcomes,
) {
    let suite = &check.learned.suite;
    check.progress.phase("cleaners", 0);
    let cleaners = cleaners_of(suite, orders, tests, &sorted.victims);
    for (victim, cleaners) in sorted.victims.iter().zip(cleaners) {
        add_victim(suite, victim, &cleaners, None, outcomes);
    }
    for brittle in &sorted.brittle {
        add_brittle(suite, brittle, outcomes);
    }
    let mut ended = 0;
    for (test, reason) in &sorted.unproved {
        match reason {
            Unproved::Ended => ended += 1,
            Unproved::NotRepeated => outcomes.settle(
                *test,
                Fate::Flaky("failed in another order of the tests, passes when that is repeated".to_owned()),
            ),
            Unproved::NotRun => outcomes.settle(
                *test,
                Fate::OrderSuspect(
                    "fails in another order of the tests; its framework does not let itself be told the order that would prove it"
                        .to_owned(),
                ),
            ),
        }
    }
    if ended > 0 {
        outcomes.note(
            NoteKind::Budget,
            format!("the time was up before the polluters of {ended} more tests were found"),
        );
    }
}

/// Per victim the tests that clean up. They are looked for once for each polluter and class of victims; for the others of the class
/// it is seen in one JVM whether they help as well.
fn cleaners_of(
    suite: &Suite,
    orders: &LaunchOrders<'_>,
    tests: &[usize],
    victims: &[ProvedVictim],
) -> Vec<Vec<usize>> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let classes: Vec<usize> = suite
        .tests
        .iter()
        .map(|test| {
            let next = numbers.len();
            *numbers.entry(test.handle.root.as_str()).or_insert(next)
        })
        .collect();
    let mut groups: BTreeMap<(&[usize], usize), Vec<usize>> = BTreeMap::new();
    for (index, victim) in victims.iter().enumerate() {
        if victim.polluters != [victim.victim] {
            let key = (victim.polluters.as_slice(), classes[victim.victim]);
            groups.entry(key).or_default().push(index);
        }
    }
    let mut found = vec![Vec::new(); victims.len()];
    for ((polluters, class), members) in groups {
        let is_near =
            |test: &usize| classes[*test] == class || polluters.iter().any(|p| classes[*p] == classes[*test]);
        let (mut candidates, others): (Vec<usize>, Vec<usize>) = tests.iter().partition(|test| is_near(test));
        candidates.extend(others);
        candidates.truncate(CLEANER_CANDIDATES);
        let cleaning = Cleaning {
            polluters,
            victim: victims[members[0]].victim,
            candidates: &candidates,
            classes: &classes,
            most: CLEANERS,
        };
        let of_first = cleaners(orders, cleaning);
        let order = |cleaner: &usize| -> Vec<usize> {
            let each = members[1..].iter().flat_map(|member| {
                let end = [*cleaner, victims[*member].victim];
                polluters.iter().copied().chain(end)
            });
            each.collect()
        };
        let ran = orders.run_all(&of_first.iter().map(order).collect::<Vec<_>>());
        for (cleaner, verdicts) in of_first.iter().zip(ran) {
            let verdicts = verdicts.unwrap_or_default();
            for (place, member) in members[1..].iter().enumerate() {
                let at = (place + 1) * (polluters.len() + 2) - 1;
                if verdicts.get(at) == Some(&Verdict::Passed) && victims[*member].victim != *cleaner {
                    found[*member].push(*cleaner);
                }
            }
        }
        found[members[0]] = of_first;
    }
    found
}

/// `state`: what the polluter changes, if that was seen.
pub(super) fn add_victim(
    suite: &Suite,
    proved: &ProvedVictim,
    cleaners: &[usize],
    state: Option<String>,
    outcomes: &mut Outcomes,
) {
    let known = &suite.tests[proved.victim];
    let name = |test: &usize| suite.tests[*test].id.clone();
    let mut order = proved.polluters.clone();
    order.push(proved.victim);
    let is_own = proved.polluters == [proved.victim];
    let details = Details::Victim(Victim {
        polluter: proved.polluters.first().filter(|_| order.len() == 2).map(name),
        polluters: proved.polluters.iter().map(name).collect(),
        cleaners: cleaners.iter().map(name).collect(),
        order: order.iter().map(name).collect(),
        state,
        repair: Repair::default(),
    });
    let about = About {
        id: &known.id,
        kind: FindingKind::Victim,
        rule: rules::VICTIM,
        // Its own victim fails in no order in which each test runs once.
        severity: if is_own { Severity::Warning } else { Severity::Error },
        runs: proved.runs,
    };
    let finding = about.finding(&proved.failure, details);
    outcomes.add(finding, replay(suite, &order));
    outcomes.settle(proved.victim, Fate::Checked);
}

fn add_brittle(suite: &Suite, proved: &ProvedBrittle, outcomes: &mut Outcomes) {
    let known = &suite.tests[proved.test];
    let name = |test: &usize| suite.tests[*test].id.clone();
    let order: Vec<usize> = proved.setters.iter().copied().chain([proved.test]).collect();
    let details = Details::Brittle(Brittle {
        setter: proved.setters.first().filter(|_| order.len() == 2).map(name),
        setters: proved.setters.iter().map(name).collect(),
        order: order.iter().map(name).collect(),
        repair: Repair::default(),
    });
    let about = About {
        id: &known.id,
        kind: FindingKind::Brittle,
        rule: rules::BRITTLE,
        severity: Severity::Error,
        runs: proved.runs,
    };
    let finding = about.finding(&proved.failure, details);
    outcomes.add(finding, replay(suite, &[proved.test]));
    outcomes.settle(proved.test, Fate::Checked);
}

struct About<'a> {
    id: &'a TestId,
    kind: FindingKind,
    rule: &'a str,
    severity: Severity,
    /// It failed each time.
    runs: u32,
}

impl About<'_> {
    fn finding(&self, failure: &unflake_protocol::Failure, details: Details) -> Finding {
        let id = finding_id(self.kind, self.id);
        Finding {
            rule: self.rule.to_owned(),
            test: self.id.clone(),
            severity: self.severity,
            message: super::outcome::message(failure),
            exception: failure.kind.clone(),
            replay: format!("unflake replay {}", id.as_str()),
            rate: Rate {
                failed: self.runs,
                runs: self.runs,
            },
            suppressed: None,
            details,
            id,
        }
    }
}

/// The last test fails.
fn replay(suite: &Suite, order: &[usize]) -> StoredReplay {
    StoredReplay {
        recipe: order.last().and_then(|test| suite.tests[*test].launch),
        tests: order.iter().map(|test| suite.tests[*test].handle.clone()).collect(),
    }
}
