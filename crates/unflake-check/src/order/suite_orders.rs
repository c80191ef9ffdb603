//! `check --only order`: the whole suite in other orders, and the proof of what fails there (P11).

use super::order_findings::add_brittle;
use super::place::{Place, Polluted, silence, tests_of};
use crate::check::Check;
use crate::drive::orders::{LaunchOrders, tools};
use crate::options::SeedSetting;
use crate::outcome::{Fate, Outcomes};
use crate::suite::{Baseline, Suite};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use unflake_explore::{
    Care, OrderSuspect, Orders as _, PolluterTrial, SortedOut, Unproved, Verdict, sort_out, victims_of,
    victims_of_chain,
};
use unflake_findings::NoteKind;
use unflake_protocol::{Handle, Outcome, Seed};

/// Reversed; and everything twice, for tests that are their own victims.
const GUIDED_ORDERS: u32 = 2;
/// What a test leaves behind may need two others around it; only a shuffled order has them all.
const LEAST_ORDERS: u32 = GUIDED_ORDERS + 1;
const DEFAULT_ORDERS: u32 = 5;
/// The share of the learning run's time that further random orders may use by default.
const DEFAULT_BUDGET: f64 = 0.4;
/// How long the search for polluters may take by default, in learning runs, and at least.
const SEARCH: f64 = 8.0;
const SHORTEST_SEARCH: Duration = Duration::from_secs(60);
/// A class with more tests than this does not have all of them tried because one of them pollutes.
const SIBLINGS: usize = 20;

/// Tries orders, and makes findings of what depends on them.
pub(crate) fn run(check: &Check<'_>, outcomes: &mut Outcomes) {
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
        let mut failing = failing_orders(check, &orders, &shuffled, clock, outcomes);
        failing.retain(|test, _| !outcomes.is_victim(&suite.tests[*test].id));
        let of_build = suspects_of_build(suite, &tests, outcomes);
        let of_build = of_build
            .into_iter()
            .filter(|suspect| !failing.contains_key(&suspect.test));
        let suspects: Vec<OrderSuspect> = failing
            .iter()
            .map(|(test, before)| OrderSuspect {
                test: *test,
                before: before.clone(),
                passes_alone: false,
            })
            .chain(of_build)
            .collect();
        if suspects.is_empty() {
            continue;
        }
        check.progress.phase("order-dependent tests", 0);
        check.progress.note(&format!("{} to prove", suspects.len()));
        let sorted = sort_out(&orders, &suspects, |test| suite.before(test).1);
        let place = Place {
            suite,
            orders: &orders,
            tests: &tests,
            progress: check.progress,
        };
        let victims = place.more_victims(&sorted, check.settings.proof, outcomes);
        place.add_victims(&victims, &|_, _| None, &|_| None, outcomes);
        for brittle in &sorted.brittle {
            add_brittle(suite, brittle, outcomes);
        }
        say_unproved(suite, &sorted, outcomes);
    }
}

impl Place<'_> {
    /// What sorting out gave, and the victims that the orders did not show: those of the polluters that were found, and of the
    /// other tests of their classes, which often do the same, among the classes that have victims.
    /// Without `search` only the first.
    fn more_victims(&self, sorted: &SortedOut, search: bool, outcomes: &mut Outcomes) -> Vec<Polluted> {
        let mut victims: BTreeMap<usize, Polluted> = BTreeMap::new();
        let mut is_over = false;
        let mut found: Vec<usize> = Vec::new();
        for main in &sorted.victims {
            if let [polluter] = main.polluters[..]
                && polluter != main.victim
                && !found.contains(&polluter)
            {
                found.push(polluter);
            }
            let polluters = main
                .polluters
                .iter()
                .copied()
                .filter(|_| main.polluters.len() == 1);
            victims.insert(
                main.victim,
                Polluted {
                    main: main.clone(),
                    polluters: polluters.collect(),
                },
            );
        }
        let mut siblings: Vec<usize> = Vec::new();
        for polluter in &found {
            let root = &self.suite.tests[*polluter].handle.root;
            let is_sibling = |test: &&usize| self.suite.tests[**test].handle.root == *root;
            let class: Vec<usize> = self.tests.iter().filter(is_sibling).copied().collect();
            if class.len() <= SIBLINGS {
                let new = |test: &usize| !found.contains(test) && !siblings.contains(test);
                let new: Vec<usize> = class.into_iter().filter(new).collect();
                siblings.extend(new);
            }
        }
        let mut known = self.known_victims(outcomes);
        known.extend(victims.keys());
        let of_several = sorted.victims.iter().map(|main| &main.polluters);
        let chains: BTreeSet<&Vec<usize>> = of_several.filter(|polluters| polluters.len() > 1).collect();
        for chain in chains.into_iter().filter(|_| search) {
            self.progress.phase("more victims", 0);
            let candidates = self.passed().into_iter();
            let candidates: Vec<usize> = candidates
                .filter(|test| !known.contains(test) && !chain.contains(test))
                .collect();
            let (more, is_partial) = victims_of_chain(&self.search(), self.orders, chain, &candidates);
            is_over |= is_partial;
            for main in more {
                known.insert(main.victim);
                victims.insert(main.victim, Polluted::new(main));
            }
        }
        for (polluters, everywhere) in [(found, true), (siblings, false)] {
            if polluters.is_empty() || !search {
                continue;
            }
            let affected: BTreeSet<&str> = known.iter().map(|test| self.root(*test)).collect();
            self.progress.phase("more victims", 0);
            self.progress.note(&format!("of {} polluters", polluters.len()));
            let is_open =
                |test: &usize| !known.contains(test) && (everywhere || affected.contains(self.root(*test)));
            let candidates: Vec<usize> = self.passed().into_iter().filter(is_open).collect();
            let trials: Vec<PolluterTrial> = polluters
                .iter()
                .map(|polluter| PolluterTrial {
                    polluter: *polluter,
                    candidates: candidates.clone(),
                    changing: BTreeSet::new(),
                    polluting: BTreeSet::new(),
                })
                .collect();
            let tried = victims_of(&self.search(), self.orders, &trials, &BTreeSet::new(), Care::Both);
            is_over |= tried.is_partial.contains(&true);
            for main in tried.victims {
                known.insert(main.victim);
                victims.insert(main.victim, Polluted::new(main));
            }
            for (polluter, of) in polluters.iter().zip(tried.of) {
                for victim in of {
                    if let Some(polluted) = victims.get_mut(&victim) {
                        polluted.polluters.insert(*polluter);
                    }
                }
            }
        }
        if is_over {
            outcomes.note(
                NoteKind::Budget,
                "the time was up before all polluters were tried on all tests".to_owned(),
            );
        }
        victims.into_values().collect()
    }
}

/// Tests that failed in the build, or passed there, and did the opposite alone.
pub(super) fn suspects_of_build(suite: &Suite, tests: &[usize], outcomes: &Outcomes) -> Vec<OrderSuspect> {
    let suspects = outcomes.order_suspects().into_iter();
    suspects
        .filter(|test| tests.contains(test) && !outcomes.is_victim(&suite.tests[*test].id))
        .map(|test| OrderSuspect {
            test,
            before: suite.before(test).1,
            passes_alone: suite.tests[test].baseline != Baseline::Finished(Outcome::Passed),
        })
        .collect()
}

/// What is left when nobody says otherwise. With a seed the result must not depend on the clock.
fn deadline(check: &Check<'_>, from: Instant) -> Option<Instant> {
    match (check.settings.budget, check.settings.vary.seed) {
        (Some(budget), _) => Some(from + budget),
        (None, SeedSetting::Fixed(_) | SeedSetting::Last) => None,
        (None, SeedSetting::Fresh) => Some(from + check.learned.time.mul_f64(SEARCH).max(SHORTEST_SEARCH)),
    }
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
        } else if done < LEAST_ORDERS || clock.elapsed() < budget {
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
pub(crate) fn run_to_the_end(
    orders: &LaunchOrders<'_>,
    batch: Vec<Vec<usize>>,
) -> Vec<(Vec<usize>, Vec<Verdict>)> {
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
pub(super) struct Shuffled {
    classes: Vec<Vec<usize>>,
}

impl Shuffled {
    pub(super) fn new(suite: &Suite, tests: &[usize]) -> Shuffled {
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
    pub(super) fn order(&self, number: u32, seed: Seed) -> Vec<usize> {
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

pub(super) fn say_unproved(suite: &Suite, sorted: &SortedOut, outcomes: &mut Outcomes) {
    let mut ended = 0;
    for (test, reason) in &sorted.unproved {
        let seen = match suite.tests[*test].baseline {
            Baseline::Finished(Outcome::Failed(_)) => "fails in the build, passes alone",
            _ => "fails in another order of the tests",
        };
        match reason {
            Unproved::Ended => {
                ended += 1;
                let why = format!("{seen}; the time was up before it was proved");
                outcomes.settle(*test, Fate::OrderSuspect(why));
            }
            Unproved::NotRepeated => outcomes.settle(
                *test,
                Fate::Flaky(format!("{seen}; passes when that order is repeated")),
            ),
            Unproved::NotRun => outcomes.settle(
                *test,
                Fate::OrderSuspect(format!(
                    "{seen}; its framework cannot be told the order that would prove it"
                )),
            ),
        }
    }
    if ended > 0 {
        outcomes.note(
            NoteKind::Budget,
            match ended {
                1 => "the time was up before the polluter of 1 more test was found".to_owned(),
                _ => format!("the time was up before the polluters of {ended} more tests were found"),
            },
        );
        outcomes.is_unproved = true;
    }
}
