//! `check --only order`: the whole suite in other orders, and the proof of what fails there (P11).

use super::launch::{OrderTools, launch_tests};
use super::{add_cut, add_found};
use crate::check::Check;
use crate::drive::orders::LaunchOrders;
use crate::ledger::{Fact, Ledger};
use crate::outside::move_outside;
use std::time::{Duration, Instant};
use unflake_explore::TestIx;
use unflake_explore::order::limits::{
    DEFAULT_ORDERS, LEAST_ORDERS, MORE_ORDERS_TIME, ORDER_TIME, WHOLE_ORDERS_PART,
};
use unflake_explore::order::{Doing, LaunchTests, OrdersTried, RanOrders, Search, TimeLeft, WholeSuite};

/// Tries orders, and makes findings of what depends on them.
pub(crate) fn run(check: &Check<'_>, ran: &RanOrders, ledger: &mut Ledger) {
    let clock = Instant::now();
    let suite = &check.session.suite;
    let tools = OrderTools::new(check, clock, ORDER_TIME);
    for launch in suite.launches() {
        let tests = launch_tests(check, launch, [], ledger);
        if tests.tests.is_empty() {
            continue;
        }
        let orders = tools.orders(check, launch, &tests);
        let mut tried = whole_orders(check, &tests, &orders, ran, clock);
        let failing: Vec<TestIx> = tried.failing.keys().copied().collect();
        // It was not the order that made them fail.
        for test in move_outside(check, &failing) {
            tried.failing.remove(&test);
        }
        ledger.add(Fact::Rounds(tried.count));
        tried
            .ran
            .iter()
            .for_each(|test| ledger.add(Fact::RanInOrder(*test)));
        let search = Search {
            tests: &tests,
            orders: &orders,
            ran,
            tell: &|doing| match doing {
                Doing::MoreVictims { polluters } => {
                    check.progress.phase("more victims", 0);
                    check.progress.note(&format!("of {polluters} polluters"));
                }
                Doing::SortingOut { suspects } => {
                    check.progress.phase("order-dependent tests", 0);
                    check.progress.note(&format!("{suspects} to prove"));
                }
                Doing::Cleaners => check.progress.phase("cleaners", 0),
            },
        };
        let mut found = search.order(tried.failing, check.options.proof);
        let asked = check.options.rounds.unwrap_or(LEAST_ORDERS);
        found.cut.whole_orders |= tried.is_partial || tried.count < asked;
        add_cut(check, found.cut, ledger);
        add_found(found, &|_| None, ledger);
    }
}

/// Runs the whole suite in other orders until enough is done or the time is used up.
fn whole_orders(
    check: &Check<'_>,
    tests: &LaunchTests,
    orders: &LaunchOrders<'_>,
    ran: &RanOrders,
    clock: Instant,
) -> OrdersTried {
    let options = check.options;
    let time = match (options.budget, options.rounds) {
        (Some(budget), _) => Some(budget / WHOLE_ORDERS_PART),
        (None, Some(_)) => None,
        (None, None) => check.budget().of(MORE_ORDERS_TIME),
    };
    let time = time.unwrap_or(Duration::MAX);
    let suite = WholeSuite {
        tests,
        seed: check.seed,
        most: options.rounds.unwrap_or(match options.budget {
            Some(_) => u32::MAX,
            None => DEFAULT_ORDERS,
        }),
        at_once: u32::try_from(orders.jobs).unwrap_or(1),
        time_left: &|| {
            if check.is_cancelled() {
                TimeLeft::Cancelled
            } else if clock.elapsed() < time {
                TimeLeft::More
            } else {
                TimeLeft::Least
            }
        },
        begins: &|first, last| {
            let steps = u64::from(last - first + 1);
            check.progress.phase(&format!("orders {first}-{last}"), steps);
        },
        ran: &|failing| {
            check.progress.step();
            check.progress.note(&format!("{failing} failing"));
        },
    };
    suite.run(orders, ran)
}
