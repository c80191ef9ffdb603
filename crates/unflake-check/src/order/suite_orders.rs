//! `check --only order`: the whole suite in other orders, and the proof of what fails there (P11).

use super::launch::{OrderTools, launch_tests};
use super::order_findings::{add_brittle, add_victim, say_unproved};
use crate::check::Check;
use crate::drive::orders::LaunchOrders;
use crate::outcome::{Fate, Outcomes};
use std::time::{Duration, Instant};
use unflake_explore::order::limits::{DEFAULT_ORDERS, MORE_ORDERS_TIME, ORDER_TIME, WHOLE_ORDERS_PART};
use unflake_explore::order::{Doing, LaunchTests, OrdersTried, RanOrders, Search, TimeLeft, WholeSuite};
use unflake_findings::NoteKind;

/// Tries orders, and makes findings of what depends on them.
pub(crate) fn run(check: &Check<'_>, ran: &RanOrders, outcomes: &mut Outcomes) {
    let clock = Instant::now();
    let suite = &check.learned.suite;
    let tools = OrderTools::new(check, clock, ORDER_TIME);
    for launch in 0..suite.launches.len() {
        let tests = launch_tests(check, launch, [], outcomes);
        if tests.tests.is_empty() {
            continue;
        }
        let orders = tools.orders(check, launch, &tests);
        let tried = whole_orders(check, &tests, &orders, ran, clock);
        outcomes.orders(tried.count);
        for test in tried.ran {
            outcomes.settle_if_new(test.0, Fate::Checked);
        }
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
        let found = search.order(tried.failing, check.settings.proof);
        if found.cut.trials {
            outcomes.note(
                NoteKind::Budget,
                "the time was up before all polluters were tried on all tests".to_owned(),
            );
        }
        for victim in &found.victims {
            add_victim(suite, victim, None, outcomes);
        }
        for brittle in &found.brittle {
            add_brittle(suite, brittle, outcomes);
        }
        say_unproved(suite, &found.unproved, outcomes);
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
    let settings = check.settings;
    let time = match (settings.budget, settings.rounds) {
        (Some(budget), _) => Some(budget / WHOLE_ORDERS_PART),
        (None, Some(_)) => None,
        (None, None) => check.budget().of(MORE_ORDERS_TIME),
    };
    let time = time.unwrap_or(Duration::MAX);
    let suite = WholeSuite {
        tests,
        seed: check.seed,
        most: settings.rounds.unwrap_or(match settings.budget {
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
