//! The proof of pollution (P11): which tests fail after a polluter, found by running them, and the findings that come
//! of it.

use super::launch::{OrderTools, launch_tests};
use super::{add_cut, add_found, wants_every_pair};
use crate::check::Check;
use crate::drive::orders::LaunchOrders;
use crate::ledger::Ledger;
use crate::options::CheckKind;
use crate::suite::LaunchIx;
use std::time::Instant;
use unflake_explore::TestIx;
use unflake_explore::order::limits::POLLUTION_TIME;
use unflake_explore::order::{
    Doing, Found, FoundVictim, HeldBy, Judgement, LaunchTests, Planned, RanOrders, Search, Suspicion,
};
use unflake_findings::Proof;

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
    pub(crate) victims: Vec<TestIx>,
}

/// Tries each polluter, in the order in which they are given, on the tests that may see what it changes and then on all
/// others, and with a budget every test on every other; adds a fact for each victim. One result for each polluter.
pub(crate) fn run(
    check: &Check<'_>,
    suspected: &[Suspected],
    ran: &RanOrders,
    ledger: &mut Ledger,
) -> Vec<Proven> {
    let mut proven = vec![Proven::default(); suspected.len()];
    if !check.options.proof {
        return proven;
    }
    let tools = OrderTools::new(check, Instant::now(), POLLUTION_TIME);
    let every_pair = wants_every_pair(check, CheckKind::Pollution);
    let launches = launches(check, &tools, suspected, every_pair, ledger);
    let tell = |doing| match doing {
        // Said once for all of them.
        Doing::MoreVictims { .. } => {}
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
    for launch in &launches {
        check.progress.phase("victims", 0);
        check
            .progress
            .note(&format!("of {} polluters", launch.here.len()));
        let search = Search {
            tests: &launch.tests,
            orders: &launch.orders,
            ran,
            tell: &tell,
        };
        planned.push(search.pollution(&launch.suspicions));
    }
    if every_pair {
        planned.iter_mut().for_each(Planned::every_pair);
    }
    for (launch, planned) in launches.iter().zip(planned) {
        let found = planned.found();
        add_cut(check, &found, ledger);
        let here = launch.here.iter().map(|index| (*index, &suspected[*index]));
        add(found, &here.collect::<Vec<_>>(), &mut proven, ledger);
    }
    proven
}

/// A launch in which something is searched for.
struct SearchedLaunch<'a> {
    /// The places of its suspicions among all.
    here: Vec<usize>,
    suspicions: Vec<Suspicion>,
    tests: LaunchTests,
    orders: LaunchOrders<'a>,
}

fn launches<'a>(
    check: &'a Check<'_>,
    tools: &'a OrderTools,
    suspected: &[Suspected],
    every_pair: bool,
    ledger: &Ledger,
) -> Vec<SearchedLaunch<'a>> {
    let suite = &check.session.suite;
    let searched = |launch: LaunchIx| {
        let is_here = |index: &usize| suite[suspected[*index].suspicion.test].launch == Some(launch);
        let here: Vec<usize> = (0..suspected.len()).filter(is_here).collect();
        let suspicions = here.iter().map(|index| suspected[*index].suspicion.clone());
        let suspicions: Vec<Suspicion> = suspicions.collect();
        let holders = suspicions.iter().filter_map(|one| match &one.held_by {
            HeldBy::Class(class) => Some(class.as_str()),
            HeldBy::File | HeldBy::Jvm => None,
        });
        let tests = launch_tests(check, launch, holders, ledger);
        let is_wanted = every_pair || !here.is_empty() || !tests.suspects_of_build().is_empty();
        let orders = tools.orders(check, launch, &tests);
        (!tests.tests.is_empty() && is_wanted).then_some(SearchedLaunch {
            here,
            suspicions,
            tests,
            orders,
        })
    };
    suite.launches().filter_map(searched).collect()
}

/// Makes facts of what was found in one launch. `here`: the suspicions that were asked about, with their places in
/// `proven`.
fn add(found: Found, here: &[(usize, &Suspected)], proven: &mut [Proven], ledger: &mut Ledger) {
    for ((index, _), judged) in here.iter().zip(&found.judged) {
        proven[*index] = Proven {
            victims: judged.victims.clone(),
            proof: match judged.judgement {
                Judgement::Proved => Proof::Proved,
                Judgement::NoVictim => Proof::NoVictim,
                Judgement::Partial => Proof::Partial,
                Judgement::NotTried => Proof::NotRun,
            },
        };
    }
    let state = |found: &FoundVictim| found.state.map(|state| here[state.0].1.path.clone());
    add_found(found, &state, ledger);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Fact;
    use unflake_explore::order::{Judged, ProvedVictim, SeenHow, Standing, SuspicionIx, Turn};
    use unflake_protocol::Failure;

    fn suspected(path: &str) -> Suspected {
        Suspected {
            suspicion: Suspicion {
                test: TestIx(0),
                turn: Turn::Early,
                held_by: HeldBy::Jvm,
                changing: Vec::new(),
                standing: Standing::First,
            },
            path: path.to_owned(),
        }
    }

    #[test]
    fn each_suspicion_gets_its_own_answer_and_each_victim_the_state_that_harms_it() {
        let judged = [
            (Judgement::NoVictim, vec![]),
            (Judgement::Proved, vec![TestIx(7)]),
            (Judgement::Partial, vec![]),
            (Judgement::NotTried, vec![]),
        ];
        let victim = FoundVictim {
            main: ProvedVictim {
                victim: TestIx(7),
                polluters: vec![TestIx(0)],
                failure: Failure {
                    kind: "E".to_owned(),
                    message: String::new(),
                    trace: String::new(),
                    expected: None,
                    actual: None,
                },
                runs: 3,
                passed_alone: true,
            },
            polluters: [(TestIx(0), SeenHow::Alone)].into(),
            cleaners: Vec::new(),
            state: Some(SuspicionIx(1)),
        };
        let found = Found {
            victims: vec![victim],
            more_polluters: vec![(TestIx(3), TestIx(0), SeenHow::Alone)],
            judged: judged
                .map(|(judgement, victims)| Judged { judgement, victims })
                .into(),
            ..Found::default()
        };
        // Another launch has the first place.
        let all: Vec<Suspected> = ["mode", "rate", "size", "name"].map(suspected).into();
        let here: Vec<(usize, &Suspected)> = (1..).zip(&all).collect();
        let mut proven = vec![Proven::default(); 5];
        let mut ledger = Ledger::default();
        add(found, &here, &mut proven, &mut ledger);
        let proofs: Vec<Proof> = proven.iter().map(|proven| proven.proof).collect();
        let expected = [
            Proof::NotRun,
            Proof::NoVictim,
            Proof::Proved,
            Proof::Partial,
            Proof::NotRun,
        ];
        assert_eq!(proofs, expected);
        assert_eq!(proven[2].victims, [TestIx(7)]);
        let facts: Vec<String> = ledger.facts().map(name).collect();
        assert_eq!(
            facts,
            ["polluter TestIx(0) of TestIx(3)", "TestIx(7) by Some(\"rate\")"]
        );
    }

    fn name(fact: &Fact) -> String {
        match fact {
            Fact::MorePolluters { victim, polluter } => format!("polluter {polluter:?} of {victim:?}"),
            Fact::ProvedVictim { found, state } => format!("{:?} by {state:?}", found.main.victim),
            other => format!("{other:?}"),
        }
    }
}
