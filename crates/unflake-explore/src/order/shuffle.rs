//! Orders of the whole suite: reversed, twice, shuffled. They show who depends on an order before anything else is
//! known.

use super::beginnings::Beginnings;
use super::launch_tests::{ClassIx, LaunchTests};
use super::limits::{GUIDED_ORDERS, JVMS_PER_WHOLE_ORDER, LEAST_ORDERS};
use super::orders::{Orders, TestOrder, Wanted};
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
    pub(super) fn order(&self, number: u32, seed: Seed) -> TestOrder {
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

/// What was run: orders of the whole suite to their end, and with which pairs orders began, so that nothing runs a
/// second time.
#[derive(Debug, Default)]
pub struct RanOrders {
    ran: Mutex<BTreeMap<TestOrder, Vec<RanPart>>>,
    /// What all orders of searches have shown of single pairs.
    pub(super) beginnings: Beginnings,
}

/// A part of an order that one JVM ran: all of it, unless a test ended a JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RanPart {
    pub(super) order: TestOrder,
    pub(super) verdicts: Vec<Verdict>,
}

/// What came of some orders of the whole suite.
#[derive(Clone, Debug, Default)]
pub(super) struct RanToTheEnd {
    pub(super) parts: Vec<RanPart>,
    /// How many of the orders ran to their end.
    pub(super) whole: usize,
    /// The time ran out before all of it was run.
    pub(super) is_partial: bool,
}

impl RanOrders {
    /// Runs orders that were not run before; what a JVM that ended left over runs in another one. First the parts with
    /// which the orders begin, then what was left over of them.
    pub(super) fn run_to_the_end(&self, orders: &dyn Orders, batch: &[TestOrder]) -> RanToTheEnd {
        let mut known = self.ran.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new: Vec<&TestOrder> = Vec::new();
        for order in batch {
            if !known.contains_key(order) && !new.contains(&order) {
                new.push(order);
            }
        }
        let (ran, cut) = run_in_parts(orders, &new);
        let part = |order: &TestOrder, number: usize| {
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
            whole: batch.iter().filter(|order| !cut.contains(order)).count(),
            is_partial: !cut.is_empty(),
        }
    }
}

/// Runs orders, each in as many JVMs as it needs; and says for which time ran out.
fn run_in_parts<'o>(
    orders: &dyn Orders,
    batch: &[&'o TestOrder],
) -> (BTreeMap<&'o TestOrder, Vec<RanPart>>, BTreeSet<&'o TestOrder>) {
    let mut parts: BTreeMap<&TestOrder, Vec<RanPart>> = BTreeMap::new();
    let mut cut: BTreeSet<&TestOrder> = BTreeSet::new();
    let mut left: Vec<(&TestOrder, TestOrder)> =
        batch.iter().map(|order| (*order, (*order).clone())).collect();
    for _ in 0..JVMS_PER_WHOLE_ORDER {
        if left.is_empty() {
            break;
        }
        let todo: Vec<TestOrder> = left.iter().map(|(_, part)| part.clone()).collect();
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
            parts.entry(whole).or_default().push(RanPart { order, verdicts });
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
    /// At most this many orders.
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
    /// Orders that ran to their end.
    pub count: u32,
    /// Tests that ran in one of them.
    pub ran: BTreeSet<TestIx>,
    /// Tests that passed in the build and failed in one of them: what ran before each there.
    pub failing: BTreeMap<TestIx, TestOrder>,
    /// The time ran out while one of them ran.
    pub is_partial: bool,
}

impl WholeSuite<'_> {
    /// Runs orders until enough is done or the time is used up.
    pub fn run(&self, orders: &dyn Orders, known: &RanOrders) -> OrdersTried {
        let shuffled = Shuffled::new(self.tests);
        let mut tried = OrdersTried::default();
        let mut begun = 0;
        while begun < self.most {
            let last = match (self.time_left)() {
                TimeLeft::Cancelled => break,
                _ if begun < GUIDED_ORDERS => GUIDED_ORDERS.min(self.most),
                TimeLeft::Least if begun >= LEAST_ORDERS => break,
                TimeLeft::Least | TimeLeft::More => self.most.min(begun.saturating_add(self.at_once)),
            };
            (self.begins)(begun + 1, last);
            let batch = (begun + 1..=last).map(|number| shuffled.order(number, self.seed));
            let batch: Vec<TestOrder> = batch.collect();
            let ran = known.run_to_the_end(orders, &batch);
            tried.is_partial |= ran.is_partial;
            for part in ran.parts {
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
            begun = last;
            tried.count += u32::try_from(ran.whole).unwrap_or(0);
            if ran.whole == 0 {
                break;
            }
        }
        tried
    }
}

#[cfg(test)]
mod tests {
    use super::super::launch_tests::classes_of;
    use super::super::simulated::{ix, one, set, suite};
    use super::*;
    use std::cell::Cell;

    fn tests(classes: &str) -> LaunchTests {
        let classes = classes_of(classes.split(' '));
        LaunchTests {
            tests: TestIx::all(classes.len()).collect(),
            passed: TestIx::all(classes.len()).collect(),
            classes,
            ..LaunchTests::default()
        }
    }

    #[test]
    fn orders_keep_the_tests_of_a_class_together() {
        let shuffled = Shuffled::new(&tests("A B A B B"));
        assert_eq!(shuffled.order(1, Seed(7)), ix([4, 3, 1, 2, 0]));
        assert_eq!(shuffled.order(2, Seed(7)), ix([0, 2, 1, 3, 4, 0, 2, 1, 3, 4]));
        for number in 3..20 {
            let order = shuffled.order(number, Seed(7));
            let is_first = |test: &TestIx| [0, 2].contains(&test.0);
            let first = order.iter().position(is_first).unwrap();
            assert!(first == 0 || first == 3, "{order:?}");
            assert!(is_first(&order[first + 1]) && set(0..5).iter().all(|test| order.contains(test)));
            assert_eq!(order, shuffled.order(number, Seed(7)));
        }
    }

    /// 2 ends its JVM the first time.
    struct Ending {
        is_over: Cell<bool>,
        asked: Cell<usize>,
    }

    impl Orders for Ending {
        fn run_all(&self, orders: &[TestOrder]) -> Vec<Option<Vec<Verdict>>> {
            self.asked.set(self.asked.get() + orders.len());
            let run = |order: &TestOrder| {
                let end = order
                    .iter()
                    .position(|test| *test == one(2))
                    .unwrap_or(order.len());
                let verdict = |place: usize| match place <= end {
                    true => Verdict::Passed,
                    false => Verdict::NotRun,
                };
                (!self.is_over.get()).then(|| (0..order.len()).map(verdict).collect())
            };
            orders.iter().map(run).collect()
        }

        fn searching(&self) -> Box<dyn Orders + '_> {
            unreachable!("nobody searches here")
        }
    }

    #[test]
    fn what_a_jvm_left_over_runs_in_another_and_nothing_runs_twice() {
        let ending = Ending {
            is_over: Cell::new(true),
            asked: Cell::new(0),
        };
        let known = RanOrders::default();
        let batch = [ix([0, 1, 2, 3]), ix([3, 2]), ix([3, 2])];
        let cut = known.run_to_the_end(&ending, &batch);
        assert!(cut.is_partial && cut.parts.is_empty());
        ending.is_over.set(false);
        let ran = known.run_to_the_end(&ending, &batch);
        let parts: Vec<TestOrder> = ran.parts.into_iter().map(|part| part.order).collect();
        assert_eq!(parts, [ix([0, 1, 2, 3]), ix([3, 2]), ix([3, 2]), ix([3])]);
        assert!(!ran.is_partial);
        let asked = ending.asked.get();
        assert_eq!(known.run_to_the_end(&ending, &batch).parts.len(), 4);
        assert_eq!(ending.asked.get(), asked);
    }

    /// How many orders are tried when this is said of the time, one after the other.
    fn count(most: u32, times: &[TimeLeft]) -> u32 {
        let tests = tests("A A B C C");
        let asked = Cell::new(0);
        let whole = WholeSuite {
            tests: &tests,
            seed: Seed(1),
            most,
            at_once: 2,
            time_left: &|| {
                asked.set(asked.get() + 1);
                times[(asked.get() - 1).min(times.len() - 1)]
            },
            begins: &|_, _| {},
            ran: &|_| {},
        };
        whole.run(&suite(|_, _| false), &RanOrders::default()).count
    }

    #[test]
    fn orders_are_tried_as_long_as_there_is_time_and_a_few_in_any_case() {
        use TimeLeft::{Cancelled, Least, More};
        assert_eq!(count(5, &[More]), 5);
        assert_eq!(count(100, &[More, More, Least]), 4);
        assert_eq!(count(5, &[Least]), 4);
        assert_eq!(count(1, &[Least]), 1);
        assert_eq!(count(5, &[More, Cancelled]), 2);
    }

    #[test]
    fn tests_that_fail_elsewhere_are_told_with_what_ran_before() {
        let tests = tests("A A B");
        let whole = WholeSuite {
            tests: &LaunchTests {
                passed: set([0, 1]),
                ..tests
            },
            seed: Seed(1),
            most: 2,
            at_once: 2,
            time_left: &|| TimeLeft::More,
            begins: &|_, _| {},
            ran: &|_| {},
        };
        let fails = |before: &[usize], test: usize| test == 2 || test == 0 && before.contains(&1);
        let tried = whole.run(&suite(fails), &RanOrders::default());
        assert_eq!(tried.ran, set([0, 1, 2]));
        assert_eq!(tried.failing, [(one(0), ix([2, 1]))].into());
    }

    #[test]
    fn an_order_that_is_cut_short_is_not_counted_and_that_is_said() {
        let tests = tests("A A B C C");
        let tried = |jvms: usize| {
            let whole = WholeSuite {
                tests: &tests,
                seed: Seed(1),
                most: 5,
                at_once: 2,
                time_left: &|| TimeLeft::More,
                begins: &|_, _| {},
                ran: &|_| {},
            };
            let mut orders = suite(|_, _| false);
            orders.most = jvms;
            let tried = whole.run(&orders, &RanOrders::default());
            (tried.count, tried.is_partial)
        };
        assert_eq!(tried(5), (5, false));
        assert_eq!(tried(4), (4, true));
        assert_eq!(tried(3), (3, true));
        assert_eq!(tried(2), (2, true));
        assert_eq!(tried(0), (0, true));
    }
}
