//! `check --only order`: the whole suite in other orders, and the proof of what fails there (P11).

use super::launch::{OrderTools, launch_tests};
use super::{add_cut, add_found, wants_every_pair};
use crate::check::Check;
use crate::drive::orders::LaunchOrders;
use crate::ledger::{Fact, Ledger};
use crate::options::CheckKind;
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
    let tools = OrderTools::new(check, clock, ORDER_TIME);
    let launches = check.session.suite.launches().filter_map(|launch| {
        let tests = launch_tests(check, launch, [], ledger);
        let orders = tools.orders(check, launch, &tests);
        (!tests.tests.is_empty()).then_some((tests, orders))
    });
    let launches: Vec<(LaunchTests, LaunchOrders<'_>)> = launches.collect();
    let tell = |doing| match doing {
        Doing::MoreVictims { polluters } => {
            check.progress.phase("more victims", 0);
            check.progress.note(&format!("of {polluters} polluters"));
        }
        Doing::SortingOut { suspects } => {
            check.progress.phase("order-dependent tests", 0);
            check.progress.note(&format!("{suspects} to prove"));
        }
        Doing::Cleaners => check.progress.phase("cleaners", 0),
        Doing::EveryPair { pairs } => {
            check.progress.phase("pairs of tests", 0);
            check.progress.note(&format!("{pairs} to try"));
        }
    };
    let mut planned = Vec::new();
    for (tests, orders) in &launches {
        let mut tried = whole_orders(check, tests, orders, ran, clock);
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
            tests,
            orders,
            ran,
            tell: &tell,
        };
        let asked = check.options.rounds.unwrap_or(LEAST_ORDERS);
        let is_cut = tried.is_partial || tried.count < asked;
        planned.push((search.order(tried.failing, check.options.proof), is_cut));
    }
    if wants_every_pair(check, CheckKind::Order) {
        planned.iter_mut().for_each(|(planned, _)| planned.every_pair());
    }
    for (planned, is_cut) in planned {
        let mut found = planned.found();
        found.cut.whole_orders |= is_cut;
        add_cut(check, &found, ledger);
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
