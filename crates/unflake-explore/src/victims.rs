//! From failures seen in some order to proved victims and brittle tests, with as few JVMs as may be (P11).
//!
//! Many victims share few polluters. So a polluter is searched for one victim, then tried on all others in a few warm JVMs, and
//! only those it does not explain are searched for again. What the warm JVMs say is a guess; each pair is proved afterwards.

use crate::order::{Pair, suffering};
use crate::{Orders, ProvedBrittle, ProvedVictim, Unproved, Verdict, Wanted, prove, prove_brittle, shortest};
use std::collections::{BTreeMap, BTreeSet};

/// A test that passed in the build and failed in another order, or the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderSuspect {
    pub test: usize,
    /// What ran before it when it failed.
    pub before: Vec<usize>,
}

/// What became of the suspects.
#[derive(Clone, Debug, Default)]
pub struct SortedOut {
    pub victims: Vec<ProvedVictim>,
    pub brittle: Vec<ProvedBrittle>,
    pub unproved: BTreeMap<usize, Unproved>,
}

/// Sorts suspects into victims and brittle tests. `prefix` says what ran before a test in the build, where it passed.
pub fn sort_out<O: Orders + ?Sized>(
    orders: &O,
    suspects: &[OrderSuspect],
    prefix: impl Fn(usize) -> Vec<usize>,
) -> SortedOut {
    let mut sorted = SortedOut::default();
    let alone: Vec<Vec<usize>> = suspects.iter().map(|suspect| vec![suspect.test]).collect();
    let (mut passing, mut failing) = (Vec::new(), Vec::new());
    for (suspect, ran) in suspects.iter().zip(orders.run_all(&alone)) {
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
    sort_out_victims(orders, &passing, &mut sorted);
    sort_out_brittle(orders, &failing, &prefix, &mut sorted);
    sorted.victims.sort_by_key(|victim| victim.victim);
    sorted.brittle.sort_by_key(|brittle| brittle.test);
    sorted
}

fn sort_out_victims<O: Orders + ?Sized>(orders: &O, suspects: &[&OrderSuspect], sorted: &mut SortedOut) {
    let mut left: Vec<&OrderSuspect> = suspects.to_vec();
    let mut pairs = Vec::new();
    let pair = |victim: usize, polluters: &[usize]| Pair {
        victim,
        polluters: polluters.to_vec(),
        passed_alone: 1,
    };
    for own in own_victims(orders, &left) {
        pairs.push(pair(own, &[own]));
        left.retain(|suspect| suspect.test != own);
    }
    while !left.is_empty() {
        let suspect = left.remove(0);
        match shortest(orders, &suspect.before, suspect.test, Wanted::Fails) {
            Ok(polluters) => {
                pairs.push(pair(suspect.test, &polluters));
                let others: Vec<usize> = left.iter().map(|other| other.test).collect();
                let too: BTreeSet<usize> = suffering(orders, &polluters, &others).into_iter().collect();
                pairs.extend(too.iter().map(|victim| pair(*victim, &polluters)));
                left.retain(|other| !too.contains(&other.test));
            }
            Err(reason) => {
                sorted.unproved.insert(suspect.test, reason);
            }
        }
    }
    let mut again = Vec::new();
    for (pair, result) in pairs.iter().zip(prove(orders, &pairs)) {
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
            _ => Err(reason),
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
fn own_victims<O: Orders + ?Sized>(orders: &O, suspects: &[&OrderSuspect]) -> Vec<usize> {
    let repeated = suspects
        .iter()
        .filter(|suspect| suspect.before.contains(&suspect.test));
    let tests: Vec<usize> = repeated.map(|suspect| suspect.test).collect();
    let twice: Vec<Vec<usize>> = tests.iter().map(|test| vec![*test; 2]).collect();
    tests
        .into_iter()
        .zip(orders.run_all(&twice))
        .filter(|(_, ran)| matches!(ran.as_deref(), Some([Verdict::Passed, Verdict::Failed(_)])))
        .map(|(test, _)| test)
        .collect()
}

fn sort_out_brittle<O: Orders + ?Sized>(
    orders: &O,
    tests: &[usize],
    prefix: &impl Fn(usize) -> Vec<usize>,
    sorted: &mut SortedOut,
) {
    let mut known: Vec<Vec<usize>> = Vec::new();
    for &test in tests {
        let after = |setters: &Vec<usize>| setters.iter().copied().chain([test]).collect::<Vec<_>>();
        let tried = orders.run_all(&known.iter().map(after).collect::<Vec<_>>());
        let sets =
            |ran: &Option<Vec<Verdict>>| ran.as_ref().and_then(|ran| ran.last()) == Some(&Verdict::Passed);
        let setters = match tried.iter().position(sets) {
            Some(index) => Ok(known[index].clone()),
            None => shortest(orders, &prefix(test), test, Wanted::Passes),
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
