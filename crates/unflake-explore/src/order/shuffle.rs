//! Orders of the whole suite: reversed, twice, shuffled. They show who depends on an order before anything else is known.

use super::launch_tests::{ClassIx, LaunchTests};
use super::limits::{GUIDED_ORDERS, JVMS_PER_WHOLE_ORDER, LEAST_ORDERS};
use super::orders::{Order, Orders, Wanted};
use crate::{TestIx, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use unflake_protocol::Seed;

/// The suite as classes with their tests, in the build's order.
#[derive(Clone, Debug)]
pub(super) struct Shuffled {
    classes: Vec<Vec<TestIx>>,
}

impl Shuffled {
    pub(super) fn new(tests: &LaunchTests) -> Shuffled {
        let mut classes: Vec<(ClassIx, Vec<TestIx>)> = Vec::new();
        let mut places: BTreeMap<ClassIx, usize> = BTreeMap::new();
        for &test in &tests.tests {
            let class = tests.class(test);
            let place = *places.entry(class).or_insert(classes.len());
            match classes.get_mut(place) {
                Some((_, tests)) => tests.push(test),
                None => classes.push((class, vec![test])),
            }
        }
        Shuffled {
            classes: classes.into_iter().map(|(_, tests)| tests).collect(),
        }
    }

    /// Order number `number`, counted from 1.
    pub(super) fn order(&self, number: u32, seed: Seed) -> Order {
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

/// Orders of the whole suite that were run to their end, so that nobody runs the same again.
#[derive(Debug, Default)]
pub struct RanOrders {
    ran: Mutex<BTreeMap<Order, Vec<Part>>>,
}

/// A part of an order that one JVM ran: all of it, unless a test ended a JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) order: Order,
    pub(super) verdicts: Vec<Verdict>,
}

/// What came of some orders of the whole suite.
#[derive(Clone, Debug, Default)]
pub(super) struct RanToTheEnd {
    pub(super) parts: Vec<Part>,
    /// The time was up before all of it was run.
    pub(super) is_partial: bool,
}

impl RanOrders {
    /// Runs orders that were not run before; what a JVM that ended left over runs in another one. First the parts with which
    /// the orders begin, then what was left over of them.
    pub(super) fn run_to_the_end(&self, orders: &dyn Orders, batch: &[Order]) -> RanToTheEnd {
        let mut known = self.ran.lock().unwrap_or_else(PoisonError::into_inner);
        let new = batch.iter().filter(|order| !known.contains_key(*order));
        let new: BTreeSet<&Order> = new.collect();
        let (ran, cut) = run_in_parts(orders, &new);
        let part = |order: &Order, number: usize| {
            let parts = ran.get(order).or_else(|| known.get(order))?;
            parts.get(number).cloned()
        };
        let parts = (0..JVMS_PER_WHOLE_ORDER)
            .flat_map(|number| batch.iter().filter_map(move |order| part(order, number)))
            .collect();
        let whole = ran.into_iter().filter(|(order, _)| !cut.contains(order));
        known.extend(whole.map(|(order, parts)| (order.clone(), parts)));
        RanToTheEnd {
            parts,
            is_partial: !cut.is_empty(),
        }
    }
}

/// Runs orders, each in as many JVMs as it needs; and says for which the time was up.
fn run_in_parts<'o>(
    orders: &dyn Orders,
    batch: &BTreeSet<&'o Order>,
) -> (BTreeMap<&'o Order, Vec<Part>>, BTreeSet<&'o Order>) {
    let mut parts: BTreeMap<&Order, Vec<Part>> = BTreeMap::new();
    let mut cut: BTreeSet<&Order> = BTreeSet::new();
    let mut left: Vec<(&Order, Order)> = batch.iter().map(|order| (*order, (*order).clone())).collect();
    for _ in 0..JVMS_PER_WHOLE_ORDER {
        if left.is_empty() {
            break;
        }
        let todo: Vec<Order> = left.iter().map(|(_, part)| part.clone()).collect();
        let mut over = Vec::new();
        for ((whole, order), verdicts) in left.into_iter().zip(orders.run_all(&todo)) {
            let Some(verdicts) = verdicts else {
                cut.insert(whole);
                continue;
            };
            let end = verdicts.iter().rposition(|verdict| *verdict != Verdict::NotRun);
            if let Some(end) = end
                && end + 1 < order.len()
            {
                over.push((whole, order[end + 1..].to_vec()));
            }
            parts.entry(whole).or_default().push(Part { order, verdicts });
        }
        left = over;
    }
    (parts, cut)
}

/// Whether further orders of the whole suite may be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLeft {
    /// The user has had enough.
    Cancelled,
    /// The time for orders is used up: no more than the least.
    Least,
    More,
}

/// The whole suite in several orders.
#[derive(Clone, Copy)]
pub struct WholeSuite<'a> {
    pub tests: &'a LaunchTests,
    pub seed: Seed,
    /// No more orders than so many.
    pub most: u32,
    /// Orders that can run at the same time.
    pub at_once: u32,
    /// Asked before each batch of orders.
    pub time_left: &'a dyn Fn() -> TimeLeft,
    /// Told before each batch: the first and the last number of its orders.
    pub begins: &'a dyn Fn(u32, u32),
    /// Told of each order that ran, or part of one, and how many tests fail so far.
    pub ran: &'a dyn Fn(usize),
}

/// What orders of the whole suite showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrdersTried {
    /// Orders that were tried.
    pub count: u32,
    /// Tests that ran in one of them.
    pub ran: BTreeSet<TestIx>,
    /// Tests that passed in the build and failed in one of them: what ran before each there.
    pub failing: BTreeMap<TestIx, Order>,
}

impl WholeSuite<'_> {
    /// Runs orders until enough is done or the time is used up.
    pub fn run(&self, orders: &dyn Orders, known: &RanOrders) -> OrdersTried {
        let shuffled = Shuffled::new(self.tests);
        let mut tried = OrdersTried::default();
        while tried.count < self.most {
            let last = match (self.time_left)() {
                TimeLeft::Cancelled => break,
                _ if tried.count < GUIDED_ORDERS => GUIDED_ORDERS.min(self.most),
                TimeLeft::Least if tried.count >= LEAST_ORDERS => break,
                TimeLeft::Least | TimeLeft::More => self.most.min(tried.count.saturating_add(self.at_once)),
            };
            (self.begins)(tried.count + 1, last);
            let batch = (tried.count + 1..=last).map(|number| shuffled.order(number, self.seed));
            let batch: Vec<Order> = batch.collect();
            for part in known.run_to_the_end(orders, &batch).parts {
                for (place, verdict) in part.verdicts.iter().enumerate() {
                    let test = part.order[place];
                    if matches!(verdict, Verdict::Passed | Verdict::Failed(_)) {
                        tried.ran.insert(test);
                    }
                    if Wanted::Fails.holds(verdict) && self.tests.passed.contains(&test) {
                        let before = || part.order[..place].to_vec();
                        tried.failing.entry(test).or_insert_with(before);
                    }
                }
                (self.ran)(tried.failing.len());
            }
            tried.count = last;
        }
        tried
    }
}
