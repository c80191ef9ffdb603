//! From failures seen in some order to proved victims and brittle tests, with as few JVMs as may be.
//!
//! Many victims share few polluters. So a polluter is searched for one victim, then tried on all others in a few warm
//! JVMs, and only those it does not explain are searched for again. What the warm JVMs say is a guess; each pair is
//! proved afterwards.
//!
//! Of tests that behave the same each time, with no end of time, every suspect becomes a victim or a brittle test: the
//! order in which it failed, or the build's in which it passed, holds what [`shortest`] looks for.

use super::batch::{Batch, ask_all};
use super::orders::{Orders, TestOrder, Unproved, Wanted, followed_by};
use super::prove::{Pair, ProvedBrittle, ProvedVictim, prove, prove_brittle};
use super::shortest::shortest;
use crate::{TestIx, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// A test that passed in the build and failed in another order, or the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderSuspect {
    pub test: TestIx,
    /// What ran before it when it failed.
    pub before: TestOrder,
    /// It is known to pass alone.
    pub passes_alone: bool,
}

/// What became of the suspects.
#[derive(Clone, Debug, Default)]
pub(super) struct SortedOut {
    pub(super) victims: Vec<ProvedVictim>,
    pub(super) brittle: Vec<ProvedBrittle>,
    pub(super) unproved: BTreeMap<TestIx, Unproved>,
}

/// Sorts suspects into victims and brittle tests. `in_build` says what ran before a test in the build, where it passed.
pub(super) fn sort_out(
    orders: &dyn Orders,
    suspects: &[OrderSuspect],
    in_build: &dyn Fn(TestIx) -> TestOrder,
) -> SortedOut {
    let mut sorted = SortedOut::default();
    let (mut passing, unknown): (Vec<&OrderSuspect>, Vec<&OrderSuspect>) =
        suspects.iter().partition(|suspect| suspect.passes_alone);
    let alone: Vec<TestOrder> = unknown.iter().map(|suspect| vec![suspect.test]).collect();
    let mut failing = Vec::new();
    for (suspect, ran) in unknown.into_iter().zip(orders.run_all(&alone)) {
        match ran.as_deref() {
            Some([Verdict::Passed]) => passing.push(suspect),
            Some([Verdict::Failed(_)]) => failing.push(suspect.test),
            Some(_) => {
                sorted.unproved.insert(suspect.test, Unproved::NotRun);
            }
            None => {
                sorted.unproved.insert(suspect.test, Unproved::Ended);
            }
        }
    }
    // The fewest tests before it: the shortest search.
    passing.sort_by_key(|suspect| (suspect.before.len(), suspect.test));
    let pairs = guess_polluters(orders, &passing, &mut sorted);
    prove_victims(orders, &passing, &pairs, &mut sorted);
    sort_out_brittle(orders, &failing, in_build, &mut sorted);
    sorted.victims.sort_by_key(|victim| victim.victim);
    sorted.brittle.sort_by_key(|brittle| brittle.test);
    sorted
}

/// For each suspect the polluters that were found for it, or for another one before it.
fn guess_polluters(orders: &dyn Orders, suspects: &[&OrderSuspect], sorted: &mut SortedOut) -> Vec<Pair> {
    let pair = |victim: TestIx, polluters: &[TestIx], failed_in_company: u32| Pair {
        victim,
        polluters: polluters.to_vec(),
        passed_alone: 1,
        failed_in_company,
    };
    let mut pairs = Vec::new();
    let mut left: Vec<&OrderSuspect> = suspects.to_vec();
    for own in own_victims(orders, &left) {
        pairs.push(pair(own, &[own], 0));
        left.retain(|suspect| suspect.test != own);
    }
    while !left.is_empty() {
        let suspect = left.remove(0);
        let polluters = match shortest(orders, &suspect.before, suspect.test, Wanted::Fails) {
            Ok(polluters) => polluters,
            Err(reason) => {
                sorted.unproved.insert(suspect.test, reason);
                continue;
            }
        };
        pairs.push(pair(suspect.test, &polluters, 0));
        let others = Batch {
            before: polluters,
            tests: left.iter().map(|other| other.test).collect(),
        };
        let too = ask_all(orders, std::slice::from_ref(&others), Wanted::Fails);
        let too: BTreeSet<TestIx> = too.into_iter().flat_map(|answered| answered.tests).collect();
        pairs.extend(too.iter().map(|victim| pair(*victim, &others.before, 1)));
        left.retain(|other| !too.contains(&other.test));
    }
    pairs
}

fn prove_victims(orders: &dyn Orders, suspects: &[&OrderSuspect], pairs: &[Pair], sorted: &mut SortedOut) {
    let mut again = Vec::new();
    for (pair, result) in pairs.iter().zip(prove(orders, pairs)) {
        match result {
            Ok(victim) => sorted.victims.push(victim),
            Err(Unproved::Ended) => {
                sorted.unproved.insert(pair.victim, Unproved::Ended);
            }
            Err(reason) => again.push((pair, reason)),
        }
    }
    // What a warm JVM said was not the whole truth: they are searched for themselves.
    for (pair, reason) in again {
        let suspect = suspects.iter().find(|suspect| suspect.test == pair.victim);
        let found = suspect.map(|suspect| shortest(orders, &suspect.before, suspect.test, Wanted::Fails));
        let proved = match found {
            Some(Ok(polluters)) if polluters != pair.polluters => {
                let pair = Pair {
                    polluters,
                    ..pair.clone()
                };
                prove(orders, &[pair]).pop().unwrap_or(Err(reason))
            }
            Some(Err(reason)) => Err(reason),
            Some(Ok(_)) | None => Err(reason),
        };
        match proved {
            Ok(victim) => sorted.victims.push(victim),
            Err(reason) => {
                sorted.unproved.insert(pair.victim, reason);
            }
        }
    }
}

/// Those that ran twice in the order in which they failed, and fail the second time without any other test.
fn own_victims(orders: &dyn Orders, suspects: &[&OrderSuspect]) -> Vec<TestIx> {
    let repeated = suspects
        .iter()
        .filter(|suspect| suspect.before.contains(&suspect.test));
    let tests: Vec<TestIx> = repeated.map(|suspect| suspect.test).collect();
    let twice: Vec<TestOrder> = tests.iter().map(|test| vec![*test; 2]).collect();
    tests
        .into_iter()
        .zip(orders.run_all(&twice))
        .filter(|(_, ran)| matches!(ran.as_deref(), Some([Verdict::Passed, Verdict::Failed(_)])))
        .map(|(test, _)| test)
        .collect()
}

fn sort_out_brittle(
    orders: &dyn Orders,
    tests: &[TestIx],
    in_build: &dyn Fn(TestIx) -> TestOrder,
    sorted: &mut SortedOut,
) {
    let mut known: Vec<TestOrder> = Vec::new();
    for &test in tests {
        let after = known.iter().map(|setters| followed_by(setters, test));
        let tried = orders.run_all(&after.collect::<Vec<_>>());
        let sets =
            |ran: &Option<Vec<Verdict>>| ran.as_ref().and_then(|ran| ran.last()) == Some(&Verdict::Passed);
        let setters = match tried.iter().position(sets) {
            Some(index) => Ok(known[index].clone()),
            None => shortest(orders, &in_build(test), test, Wanted::Passes),
        };
        match setters.and_then(|setters| prove_brittle(orders, test, &setters)) {
            Ok(brittle) => {
                if !known.contains(&brittle.setters) {
                    known.push(brittle.setters.clone());
                }
                sorted.brittle.push(brittle);
            }
            Err(reason) => {
                sorted.unproved.insert(test, reason);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{ix, one, suite};
    use super::*;

    fn suspect(test: usize, before: impl IntoIterator<Item = usize>) -> OrderSuspect {
        OrderSuspect {
            test: one(test),
            before: ix(before),
            passes_alone: false,
        }
    }

    fn nothing(_: TestIx) -> TestOrder {
        TestOrder::new()
    }

    #[test]
    fn victims_of_two_polluters_are_told_apart_with_one_search_each() {
        // 0 pollutes 10 to 29, 1 pollutes 30 to 39.
        let suite = suite(|before, test| match test {
            10..30 => before.contains(&0),
            30..40 => before.contains(&1),
            _ => false,
        });
        let suspects: Vec<OrderSuspect> = (10..40).map(|test| suspect(test, 0..test)).collect();
        let sorted = sort_out(&suite, &suspects, &nothing);
        assert_eq!(sorted.victims.len(), 30);
        for victim in &sorted.victims {
            assert_eq!(victim.polluters, ix([usize::from(victim.victim >= one(30))]));
        }
        assert!(sorted.unproved.is_empty() && sorted.brittle.is_empty());
        // 30 alone, 30 with the polluter, about 30 for two searches and for all together.
        assert!(suite.jvms() < 95, "{}", suite.jvms());
    }

    #[test]
    fn what_fails_alone_is_brittle_and_gets_its_setter() {
        let suite = suite(|before, test| [8, 9].contains(&test) && !before.contains(&5));
        let suspects = [suspect(8, []), suspect(9, [])];
        let sorted = sort_out(&suite, &suspects, &|test| ix(0..test.0));
        let setters = sorted.brittle.into_iter();
        let setters: Vec<_> = setters.map(|brittle| (brittle.test, brittle.setters)).collect();
        assert_eq!(setters, [(one(8), ix([5])), (one(9), ix([5]))]);
    }

    #[test]
    fn a_test_that_fails_the_second_time_is_its_own_victim() {
        let suite = suite(|before, test| test == 3 && before.contains(&3));
        let sorted = sort_out(&suite, &[suspect(3, [1, 2, 3, 4, 1, 2])], &nothing);
        assert_eq!(sorted.victims[0].polluters, ix([3]));
        // Without a search: alone, then twice.
        assert_eq!(suite.ran()[..2], [vec![3], vec![3, 3]]);
    }

    #[test]
    fn a_guess_that_was_wrong_is_searched_for_again() {
        // In company 4 fails because of 3, which only fails itself after 0.
        let suite = suite(|before, test| match test {
            3 => before.contains(&0),
            4 => before.contains(&3),
            _ => false,
        });
        let sorted = sort_out(&suite, &[suspect(3, [0]), suspect(4, [0, 1, 3])], &nothing);
        let polluters = sorted.victims.into_iter();
        let polluters: Vec<_> = polluters
            .map(|victim| (victim.victim, victim.polluters))
            .collect();
        assert_eq!(polluters, [(one(3), ix([0])), (one(4), ix([3]))]);
    }

    #[test]
    fn what_passes_when_it_is_repeated_is_no_finding() {
        let suite = suite(|_, _| false);
        let sorted = sort_out(&suite, &[suspect(3, [1, 2])], &nothing);
        assert_eq!(sorted.unproved[&one(3)], Unproved::NotRepeated);
    }

    #[test]
    fn what_there_was_no_time_for_is_said() {
        let mut suite = suite(|before, test| test == 3 && before.contains(&1));
        for most in 0..6 {
            suite.most = suite.jvms() + most;
            let sorted = sort_out(&suite, &[suspect(3, [1, 2])], &nothing);
            assert_eq!(sorted.unproved.get(&one(3)), Some(&Unproved::Ended), "{most}");
        }
    }

    #[test]
    fn what_failed_only_in_company_is_searched_for_on_its_own() {
        // 2 and 3 are victims of 0, and 4 of 3, which runs before it when all three are tried behind 0.
        let suite = suite(|before, test| match test {
            2 | 3 => before.contains(&0),
            4 => before.contains(&3),
            _ => false,
        });
        let suspects = [suspect(2, [0]), suspect(3, [0, 1]), suspect(4, [0, 1, 3])];
        let sorted = sort_out(&suite, &suspects, &nothing);
        let polluters = sorted.victims.iter();
        let polluters: Vec<_> = polluters
            .map(|victim| (victim.victim.0, victim.polluters.clone()))
            .collect();
        assert_eq!(polluters, [(2, ix([0])), (3, ix([0])), (4, ix([3]))]);
        assert!(sorted.unproved.is_empty());
    }
}
