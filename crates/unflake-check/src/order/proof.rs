//! The proof of pollution (P11): which tests fail after a polluter, found by running them, and the findings that come of it.

use super::launch::{OrderTools, launch_tests};
use super::order_findings::{add_brittle, add_victim, say_unproved};
use crate::check::Check;
use crate::outcome::Outcomes;
use std::time::Instant;
use unflake_explore::TestIx;
use unflake_explore::order::limits::POLLUTION_TIME;
use unflake_explore::order::{Doing, Found, HeldBy, Judgement, RanOrders, Search, Suspicion};
use unflake_findings::{Proof, Suffering};

/// A suspicion, and what it is called.
#[derive(Clone, Debug)]
pub(crate) struct Suspected {
    pub(crate) suspicion: Suspicion,
    /// What the test changes, for the victims' findings.
    pub(crate) path: String,
}

/// What came of one of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proven {
    pub(crate) proof: Proof,
    pub(crate) victims: Vec<Suffering>,
}

/// Tries each polluter, in the order in which they are given, on the tests that may see what it changes and then on all others;
/// adds a finding for each victim. One result for each polluter.
pub(crate) fn run(
    check: &Check<'_>,
    suspected: &[Suspected],
    ran: &RanOrders,
    outcomes: &mut Outcomes,
) -> Vec<Proven> {
    let mut proven = vec![Proven::default(); suspected.len()];
    if !check.settings.proof {
        return proven;
    }
    let suite = &check.learned.suite;
    let tools = OrderTools::new(check, Instant::now(), POLLUTION_TIME);
    for launch in 0..suite.launches.len() {
        let is_here = |index: &usize| suite.tests[suspected[*index].suspicion.test.0].launch == Some(launch);
        let here: Vec<usize> = (0..suspected.len()).filter(is_here).collect();
        let suspicions = here.iter().map(|index| suspected[*index].suspicion.clone());
        let suspicions: Vec<Suspicion> = suspicions.collect();
        let holders = suspicions.iter().filter_map(|one| match &one.held_by {
            HeldBy::Class(class) => Some(class.as_str()),
            HeldBy::File | HeldBy::Jvm => None,
        });
        let tests = launch_tests(check, launch, holders, outcomes);
        let is_wanted = !here.is_empty() || !tests.suspects_of_build().is_empty();
        if tests.tests.is_empty() || !is_wanted {
            continue;
        }
        check.progress.phase("victims", 0);
        check.progress.note(&format!("of {} polluters", here.len()));
        let search = Search {
            tests: &tests,
            orders: &tools.orders(check, launch, &tests),
            ran,
            tell: &|doing| match doing {
                // Said once for all of them.
                Doing::MoreVictims { .. } => {}
                Doing::SortingOut { suspects } => {
                    check.progress.phase("order-dependent tests", 0);
                    check.progress.note(&format!("{suspects} to prove"));
                }
                Doing::Cleaners => check.progress.phase("cleaners", 0),
            },
        };
        let found = search.pollution(&suspicions);
        let here: Vec<(usize, &Suspected)> =
            here.into_iter().map(|index| (index, &suspected[index])).collect();
        add(check, &found, &here, &mut proven, outcomes);
    }
    proven
}

/// Makes findings of what was found in one launch. `here`: the suspicions that were asked about, with their places in `proven`.
fn add(
    check: &Check<'_>,
    found: &Found,
    here: &[(usize, &Suspected)],
    proven: &mut [Proven],
    outcomes: &mut Outcomes,
) {
    let suite = &check.learned.suite;
    let id = |test: TestIx| &suite.tests[test.0].id;
    for brittle in &found.brittle {
        add_brittle(suite, brittle, outcomes);
    }
    say_unproved(suite, &found.unproved, outcomes);
    for (victim, polluter) in &found.more_polluters {
        outcomes.add_polluter(id(*victim), id(*polluter));
    }
    for victim in &found.victims {
        let state = victim.state.map(|state| here[state.0].1.path.clone());
        add_victim(suite, victim, state, outcomes);
    }
    for ((index, suspected), judged) in here.iter().zip(&found.judged) {
        let polluter = id(suspected.suspicion.test);
        // What it said after another polluter may not be what it says after this one.
        let suffering = judged.victims.iter().map(|victim| Suffering {
            test: id(*victim).clone(),
            message: outcomes.victim_message(id(*victim), polluter).unwrap_or_default(),
        });
        proven[*index] = Proven {
            victims: suffering.collect(),
            proof: match judged.judgement {
                Judgement::Proved => Proof::Proved,
                Judgement::NoVictim => Proof::NoVictim,
                Judgement::Partial => Proof::Partial,
                Judgement::NotTried => Proof::NotRun,
            },
        };
    }
}
