//! From failures seen in some order to proved victims and brittle tests, with as few JVMs as may be (P11).
//!
//! Many victims share few polluters. So a polluter is searched for one victim, then tried on all others in a few warm JVMs, and
//! only those it does not explain are searched for again. What the warm JVMs say is a guess; each pair is proved afterwards.

use crate::order::{Company, Pair, Those, drop_failing_alone, in_companies, suffering};
use crate::{Orders, ProvedBrittle, ProvedVictim, Unproved, Verdict, Wanted, prove, prove_brittle, shortest};
use std::collections::{BTreeMap, BTreeSet};

/// A test that passed in the build and failed in another order, or the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderSuspect {
    pub test: usize,
    /// What ran before it when it failed.
    pub before: Vec<usize>,
    /// It is known to pass alone.
    pub passes_alone: bool,
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
    let (mut passing, unknown): (Vec<&OrderSuspect>, Vec<&OrderSuspect>) =
        suspects.iter().partition(|suspect| suspect.passes_alone);
    let alone: Vec<Vec<usize>> = unknown.iter().map(|suspect| vec![suspect.test]).collect();
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
    sort_out_victims(orders, &passing, &mut sorted);
    sort_out_brittle(orders, &failing, &prefix, &mut sorted);
    sorted.victims.sort_by_key(|victim| victim.victim);
    sorted.brittle.sort_by_key(|brittle| brittle.test);
    sorted
}

fn sort_out_victims<O: Orders + ?Sized>(orders: &O, suspects: &[&OrderSuspect], sorted: &mut SortedOut) {
    let mut left: Vec<&OrderSuspect> = suspects.to_vec();
    let mut pairs = Vec::new();
    let pair = |victim: usize, polluters: &[usize], failed_in_company: u32| Pair {
        victim,
        polluters: polluters.to_vec(),
        passed_alone: 1,
        failed_in_company,
    };
    for own in own_victims(orders, &left) {
        pairs.push(pair(own, &[own], 0));
        left.retain(|suspect| suspect.test != own);
    }
    while !left.is_empty() {
        let suspect = left.remove(0);
        match shortest(orders, &suspect.before, suspect.test, Wanted::Fails) {
            Ok(polluters) => {
                pairs.push(pair(suspect.test, &polluters, 0));
                let others: Vec<usize> = left.iter().map(|other| other.test).collect();
                let too = suffering(orders, &polluters, &others).tests;
                let too: BTreeSet<usize> = too.into_iter().collect();
                pairs.extend(too.iter().map(|victim| pair(*victim, &polluters, 1)));
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

/// Which of some tests fail after several polluters together, proved; and whether all could be tried.
///
/// `search` and `orders` as for [`victims_of`].
pub fn victims_of_chain<O: Orders + ?Sized>(
    search: &O,
    orders: &O,
    polluters: &[usize],
    candidates: &[usize],
) -> (Vec<ProvedVictim>, bool) {
    let failing = suffering(search, polluters, candidates);
    let pairs: Vec<Pair> = failing
        .tests
        .iter()
        .map(|victim| Pair {
            victim: *victim,
            polluters: polluters.to_vec(),
            passed_alone: 0,
            failed_in_company: 1,
        })
        .collect();
    let results: Vec<_> = pairs
        .chunks(PROVED_TOGETHER)
        .flat_map(|part| prove(orders, part))
        .collect();
    let is_partial = failing.is_partial || results.contains(&Err(Unproved::Ended));
    let mut victims: Vec<ProvedVictim> = results.into_iter().flatten().collect();
    drop_failing_alone(orders, &mut victims);
    (victims, is_partial)
}

/// Pairs that are proved at the same time. Part after part: if the time is up, some are proved and not all half.
const PROVED_TOGETHER: usize = 32;

/// How polluters are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// Candidates one after the other behind the polluter: most victims, for the price of the tests.
    Behind,
    /// The polluter right before each: none that cleans up hides the next.
    Each,
    /// The first, then the second for the rest.
    Both,
    /// As `Each`, many polluters in one JVM, in turn: for trials that stay within a class. Trials of one class must not be
    /// neighbours, so that each pair begins with the class's set-up.
    Packed,
}

/// Whom a polluter is tried on.
#[derive(Clone, Debug)]
pub struct PolluterTrial {
    pub polluter: usize,
    /// Tests that passed in the build, in its order. The polluter may be among them: it may be its own victim.
    pub candidates: Vec<usize>,
    /// Tests that are known to change the same state: after one of them it may be right again.
    pub changing: BTreeSet<usize>,
    /// Tests that are known to change some state: what fails behind one of them may be its doing.
    pub polluting: BTreeSet<usize>,
}

impl PolluterTrial {
    /// The candidates one after the other behind the polluter and, if they are many, once more backwards: one test that cleans up
    /// hides those behind it in the first order and those before it in the second, so that together they hide nobody. Whoever
    /// pollutes goes to the end of both, behind the polluter anew; who is known to change the same comes last of all, each with the
    /// polluter before it. With `false` all without the polluter.
    fn orders(&self, with_polluter: bool) -> Vec<Vec<usize>> {
        /// From so many on it pays.
        const MANY: usize = 16;
        let polluter = with_polluter.then_some(self.polluter);
        let others = self.candidates.iter().copied();
        let (changing, others): (Vec<usize>, Vec<usize>) = others
            .filter(|test| *test != self.polluter)
            .partition(|test| self.changing.contains(test));
        let (polluting, plain): (Vec<usize>, Vec<usize>) =
            others.into_iter().partition(|test| self.polluting.contains(test));
        let changing = changing
            .into_iter()
            .flat_map(|test| polluter.into_iter().chain([test]));
        let anew = polluter.filter(|_| !plain.is_empty() && !polluting.is_empty());
        let start = || polluter.into_iter();
        let again = || anew.into_iter();
        let backwards = start()
            .chain(plain.iter().rev().copied())
            .chain(again())
            .chain(polluting.iter().rev().copied());
        let backwards: Vec<usize> = backwards.collect();
        let is_many = plain.len() + polluting.len() >= MANY;
        let forwards = start()
            .chain(plain)
            .chain(again())
            .chain(polluting)
            .chain(changing);
        let mut orders = vec![forwards.collect()];
        orders.extend(is_many.then_some(backwards));
        orders
    }
}

/// What came of some [`PolluterTrial`]s.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// Victims with one polluter each, the first that was proved.
    pub victims: Vec<ProvedVictim>,
    /// Per trial: all victims of its polluter.
    pub of: Vec<BTreeSet<usize>>,
    /// Per trial: the time was up before all candidates were tried or all that failed were proved.
    pub is_partial: Vec<bool>,
}

/// The tests that fail after each of some polluters. `proved` are known to be victims of others.
///
/// Each test that fails there is proved to be a victim once, with the first polluter for which that works. Its other polluters
/// must fail it in company twice, among other neighbours; without polluters that company passes, or it does not count.
///
/// `search` and `orders` run the same tests; the first may have less time, so that some is left for the proof.
pub fn victims_of<O: Orders + ?Sized>(
    search: &O,
    orders: &O,
    trials: &[PolluterTrial],
    proved: &BTreeSet<usize>,
    care: Care,
) -> Tried {
    let mut tried = Tried {
        victims: Vec::new(),
        of: vec![BTreeSet::new(); trials.len()],
        is_partial: vec![false; trials.len()],
    };
    let mut proved = proved.clone();
    let mut failing = match care {
        Care::Each => vec![Those::default(); trials.len()],
        Care::Behind | Care::Both => sweep(search, trials),
        Care::Packed => packed(search, trials),
    };
    prove_once(orders, trials, &failing, &mut proved, &mut tried);
    if matches!(care, Care::Each | Care::Both) {
        let left = |(failing, trial): (&Those, &PolluterTrial)| {
            let is_left = |test: &&usize| !failing.tests.contains(test) && !proved.contains(test);
            let left = trial.candidates.iter().filter(is_left).copied();
            (vec![trial.polluter], left.collect())
        };
        let left: Vec<Company> = failing.iter().zip(trials).map(left).collect();
        let found = in_companies(search, &left, Wanted::Fails);
        for (failing, found) in failing.iter_mut().zip(found) {
            failing.tests.extend(found.tests);
            // The polluter right before each of the rest outweighs a sweep that was not finished.
            failing.is_partial = found.is_partial;
        }
        prove_once(orders, trials, &failing, &mut proved, &mut tried);
    }
    count_others(orders, trials, &failing, &proved, &mut tried);
    let found: BTreeSet<usize> = tried.victims.iter().map(|victim| victim.victim).collect();
    drop_failing_alone(orders, &mut tried.victims);
    let left: BTreeSet<usize> = tried.victims.iter().map(|victim| victim.victim).collect();
    for of in &mut tried.of {
        of.retain(|victim| left.contains(victim) || !found.contains(victim));
    }
    tried.victims.sort_by_key(|victim| victim.victim);
    tried
}

/// Adds to each trial its victims: those that were proved with it, and of those that were proved with others the ones that fail
/// after its polluter once more, and pass without it in the same company.
fn count_others<O: Orders + ?Sized>(
    orders: &O,
    trials: &[PolluterTrial],
    failing: &[Those],
    proved: &BTreeSet<usize>,
    tried: &mut Tried,
) {
    let mut after: Vec<Company> = Vec::new();
    for (index, trial) in trials.iter().enumerate() {
        let is_main = |victim: &&ProvedVictim| victim.polluters == [trial.polluter];
        let main = tried.victims.iter().filter(is_main).map(|victim| victim.victim);
        let main: BTreeSet<usize> = main.collect();
        // Its own victim is proved on its own or not at all.
        let is_other =
            |victim: &&usize| proved.contains(victim) && !main.contains(victim) && **victim != trial.polluter;
        let mut others: Vec<usize> = failing[index].tests.iter().filter(is_other).copied().collect();
        others.reverse();
        after.push((vec![trial.polluter], others));
        tried.of[index].extend(main);
        tried.is_partial[index] |= failing[index].is_partial;
    }
    let without: Vec<Company> = after
        .iter()
        .map(|(_, others)| (Vec::new(), others.clone()))
        .collect();
    let again = in_companies(orders, &after, Wanted::Fails);
    let passing = in_companies(orders, &without, Wanted::Passes);
    for (index, (again, passing)) in again.into_iter().zip(passing).enumerate() {
        tried.is_partial[index] |= again.is_partial || passing.is_partial;
        let both = again
            .tests
            .into_iter()
            .filter(|victim| passing.tests.contains(victim));
        tried.of[index].extend(both);
    }
}

/// Runs the candidates of all trials behind their polluters, those of each in few JVMs, with the polluter again where the state
/// is known to change; and the same without the polluter, since the order is not the build's. A guess still.
fn sweep<O: Orders + ?Sized>(orders: &O, trials: &[PolluterTrial]) -> Vec<Those> {
    /// Who fails in all of these orders together, for each trial.
    fn failing<O: Orders + ?Sized>(orders: &O, asked: &[Vec<Vec<usize>>]) -> Vec<Those> {
        let mut ran = orders.run_all(&asked.concat()).into_iter();
        let of_trial = |ways: &Vec<Vec<usize>>| {
            let mut failed = BTreeSet::new();
            let mut is_partial = false;
            for (order, verdicts) in ways.iter().zip(ran.by_ref()) {
                is_partial |= verdicts.is_none();
                let places = order.iter().zip(verdicts.unwrap_or_default());
                failed.extend(
                    places
                        .filter(|(_, verdict)| matches!(verdict, Verdict::Failed(_)))
                        .map(|(test, _)| *test),
                );
            }
            Those {
                tests: failed.into_iter().collect(),
                is_partial,
            }
        };
        asked.iter().map(of_trial).collect()
    }
    let with: Vec<Vec<Vec<usize>>> = trials.iter().map(|trial| trial.orders(true)).collect();
    let mut suspects = failing(orders, &with);
    for (suspects, trial) in suspects.iter_mut().zip(trials) {
        suspects.tests.retain(|test| *test != trial.polluter);
    }
    let doubtful: Vec<usize> = (0..trials.len())
        .filter(|index| !suspects[*index].tests.is_empty())
        .collect();
    let without: Vec<Vec<Vec<usize>>> = doubtful
        .iter()
        .map(|index| trials[*index].orders(false))
        .collect();
    // If this order fails tests by itself, the polluter goes right before each of them.
    let by_itself = doubtful.iter().zip(failing(orders, &without));
    let mixed = by_itself.filter(|(_, failing)| !failing.tests.is_empty());
    let mixed: Vec<usize> = mixed.map(|(index, _)| *index).collect();
    let asked = |index: &usize| (vec![trials[*index].polluter], suspects[*index].tests.clone());
    let asked: Vec<Company> = mixed.iter().map(asked).collect();
    for (index, found) in mixed.into_iter().zip(in_companies(orders, &asked, Wanted::Fails)) {
        suspects[index] = found;
    }
    suspects
}

/// Runs each candidate right behind its polluter, those of many trials in one JVM. If they are many, all behind the polluter, as in
/// [`sweep`]. A guess.
fn packed<O: Orders + ?Sized>(orders: &O, trials: &[PolluterTrial]) -> Vec<Those> {
    /// Tests in one JVM.
    const TOGETHER: usize = 200;
    /// Candidates of one trial.
    const MANY: usize = 20;
    // Per trial the first pair, then the second of each, so that neighbours are of different trials.
    let mut turns: Vec<(usize, usize, Vec<usize>)> = Vec::new();
    for (index, trial) in trials.iter().enumerate() {
        let orders = match trial.candidates.len() {
            0..=MANY => trial
                .candidates
                .iter()
                .map(|test| vec![trial.polluter, *test])
                .collect(),
            _ => trial.orders(true),
        };
        turns.extend(
            orders
                .into_iter()
                .enumerate()
                .map(|(turn, order)| (turn, index, order)),
        );
    }
    turns.sort_by_key(|(turn, index, _)| (*turn, *index));
    let mut jvms: Vec<Vec<usize>> = Vec::new();
    let mut places = Vec::new();
    for (_, index, order) in turns {
        let length = order.len();
        match jvms.last_mut() {
            Some(jvm) if jvm.len() + length <= TOGETHER => jvm.extend(order),
            _ => jvms.push(order),
        }
        let end = jvms.last().map_or(0, Vec::len);
        places.push((index, jvms.len() - 1, end - length + 1..end));
    }
    let ran = orders.run_all(&jvms);
    let mut failing = vec![Those::default(); trials.len()];
    for (index, jvm, places) in places {
        let Some(verdicts) = &ran[jvm] else {
            failing[index].is_partial = true;
            continue;
        };
        let candidates = jvms[jvm][places.clone()].iter().zip(&verdicts[places]);
        let failed = candidates.filter(|(_, verdict)| matches!(verdict, Verdict::Failed(_)));
        let failed = failed
            .map(|(test, _)| *test)
            .filter(|test| *test != trials[index].polluter);
        failing[index].tests.extend(failed);
    }
    // Whoever fails there without any polluter says nothing about them.
    let suspects: BTreeSet<usize> = failing.iter().flat_map(|one| one.tests.iter().copied()).collect();
    if !suspects.is_empty() {
        let suspects: Vec<usize> = suspects.into_iter().collect();
        let alone = in_companies(orders, &[(Vec::new(), suspects)], Wanted::Passes);
        for one in &mut failing {
            one.tests.sort_unstable();
            one.tests.dedup();
            one.tests.retain(|test| {
                alone
                    .iter()
                    .any(|passing| passing.is_partial || passing.tests.contains(test))
            });
        }
    }
    failing
}

/// Proves each test that failed in a trial with one polluter: the first, and if that was not it the next, a few times.
fn prove_once<O: Orders + ?Sized>(
    orders: &O,
    trials: &[PolluterTrial],
    failing: &[Those],
    proved: &mut BTreeSet<usize>,
    tried: &mut Tried,
) {
    /// Polluters that are tried for one victim.
    const TIMES: usize = 3;
    let mut used = BTreeSet::new();
    for _ in 0..TIMES {
        let mut pairs: Vec<(usize, Pair)> = Vec::new();
        let mut chosen = BTreeSet::new();
        for (index, trial) in trials.iter().enumerate() {
            for &victim in &failing[index].tests {
                let is_new = !proved.contains(&victim) && !used.contains(&(index, victim));
                if is_new && chosen.insert(victim) {
                    used.insert((index, victim));
                    let pair = Pair {
                        victim,
                        polluters: vec![trial.polluter],
                        passed_alone: 0,
                        failed_in_company: u32::from(victim != trial.polluter),
                    };
                    pairs.push((index, pair));
                }
            }
        }
        if pairs.is_empty() {
            break;
        }
        let asked: Vec<Pair> = pairs.iter().map(|(_, pair)| pair.clone()).collect();
        let results = asked.chunks(PROVED_TOGETHER).flat_map(|part| prove(orders, part));
        for ((index, pair), result) in pairs.iter().zip(results) {
            match result {
                Ok(victim) => {
                    proved.insert(pair.victim);
                    tried.victims.push(victim);
                }
                Err(Unproved::Ended) => tried.is_partial[*index] = true,
                Err(Unproved::NotRepeated | Unproved::NotRun) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::simulated::suite;

    fn suspect(test: usize, before: impl IntoIterator<Item = usize>) -> OrderSuspect {
        OrderSuspect {
            test,
            before: before.into_iter().collect(),
            passes_alone: false,
        }
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
        let sorted = sort_out(&suite, &suspects, |_| Vec::new());
        assert_eq!(sorted.victims.len(), 30);
        for victim in &sorted.victims {
            assert_eq!(victim.polluters, [usize::from(victim.victim >= 30)]);
        }
        assert!(sorted.unproved.is_empty() && sorted.brittle.is_empty());
        // 30 alone, 30 with the polluter, about 30 for two searches and for all together.
        assert!(suite.jvms.get() < 95, "{}", suite.jvms.get());
    }

    #[test]
    fn what_fails_alone_is_brittle_and_gets_its_setter() {
        let suite = suite(|before, test| [8, 9].contains(&test) && !before.contains(&5));
        let suspects = [suspect(8, []), suspect(9, [])];
        let sorted = sort_out(&suite, &suspects, |test| (0..test).collect());
        let setters: Vec<_> = sorted
            .brittle
            .iter()
            .map(|brittle| (brittle.test, &brittle.setters[..]))
            .collect();
        assert_eq!(setters, [(8, &[5][..]), (9, &[5][..])]);
    }

    #[test]
    fn a_test_that_fails_the_second_time_is_its_own_victim() {
        let suite = suite(|before, test| test == 3 && before.contains(&3));
        let sorted = sort_out(&suite, &[suspect(3, [1, 2, 3, 4, 1, 2])], |_| Vec::new());
        assert_eq!(sorted.victims[0].polluters, [3]);
    }

    #[test]
    fn a_guess_that_was_wrong_is_searched_for_again() {
        // In company 4 fails because of 3, which only fails itself after 0.
        let suite = suite(|before, test| match test {
            3 => before.contains(&0),
            4 => before.contains(&3),
            _ => false,
        });
        let sorted = sort_out(&suite, &[suspect(3, [0]), suspect(4, [0, 1, 3])], |_| Vec::new());
        let polluters: Vec<_> = sorted
            .victims
            .iter()
            .map(|victim| (victim.victim, victim.polluters.clone()))
            .collect();
        assert_eq!(polluters, [(3, vec![0]), (4, vec![3])]);
    }

    #[test]
    fn what_passes_when_it_is_repeated_is_no_finding() {
        let suite = suite(|_, _| false);
        let sorted = sort_out(&suite, &[suspect(3, [1, 2])], |_| Vec::new());
        assert_eq!(sorted.unproved[&3], Unproved::NotRepeated);
    }

    fn trial(polluter: usize, candidates: impl IntoIterator<Item = usize>) -> PolluterTrial {
        PolluterTrial {
            polluter,
            candidates: candidates.into_iter().collect(),
            changing: BTreeSet::new(),
            polluting: BTreeSet::new(),
        }
    }

    #[test]
    fn a_chain_is_tried_on_all_others() {
        let suite = suite(|before, test| {
            let after = before.iter().position(|test| *test == 1);
            let both = after.is_some_and(|place| before[..place].contains(&0));
            (10..15).contains(&test) && both
        });
        let candidates: Vec<usize> = (2..40).collect();
        let (victims, is_partial) = victims_of_chain(&suite, &suite, &[0, 1], &candidates);
        let found: Vec<usize> = victims.iter().map(|victim| victim.victim).collect();
        assert_eq!((found, is_partial), ((10..15).collect(), false));
        assert!(victims.iter().all(|victim| victim.polluters == [0, 1]));
    }

    #[test]
    fn one_that_is_not_known_to_clean_up_hides_nobody() {
        let polluted = |before: &[usize]| before.iter().rev().find(|test| [0, 15].contains(test)) == Some(&0);
        for care in [Care::Behind, Care::Packed] {
            let suite = suite(|before, test| [3, 14, 16, 28].contains(&test) && polluted(before));
            let tried = victims_of(&suite, &suite, &[trial(0, 1..30)], &BTreeSet::new(), care);
            assert_eq!(tried.of[0], [3, 14, 16, 28].into());
        }
    }

    #[test]
    fn a_polluter_that_is_a_victim_too_comes_right_behind_the_other() {
        let polluted = |before: &[usize]| before.iter().rev().find(|test| [0, 15].contains(test)) == Some(&0);
        let suite = suite(|before, test| test == 20 && polluted(before));
        let trial = PolluterTrial {
            polluting: [0, 20].into(),
            ..trial(0, 1..30)
        };
        let tried = victims_of(&suite, &suite, &[trial], &BTreeSet::new(), Care::Behind);
        assert_eq!(tried.of[0], [20].into());
    }

    #[test]
    fn victims_of_a_polluter_are_found_though_one_cleans_up() {
        // 5 cleans up after 0.
        let polluted = |before: &[usize]| before.iter().rev().find(|test| [0, 5].contains(test)) == Some(&0);
        let suite = suite(|before, test| [6, 7].contains(&test) && polluted(before));
        let tried = victims_of(&suite, &suite, &[trial(0, 1..10)], &BTreeSet::new(), Care::Both);
        assert_eq!(tried.of[0], [6, 7].into());
        assert!(!tried.is_partial[0]);
    }

    #[test]
    fn a_victim_of_several_polluters_is_proved_once_and_counted_for_each() {
        let suite = suite(|before, test| test > 4 && before.iter().any(|other| *other < 3));
        let trials = [trial(0, 4..10), trial(1, 4..10), trial(3, 4..10)];
        let tried = victims_of(&suite, &suite, &trials, &BTreeSet::new(), Care::Both);
        let all: BTreeSet<usize> = (5..10).collect();
        assert_eq!(tried.of, [all.clone(), all, BTreeSet::new()]);
        assert_eq!(tried.victims.len(), 5);
        assert!(suite.jvms.get() < 30, "{}", suite.jvms.get());
    }

    #[test]
    fn within_classes_many_polluters_share_a_jvm() {
        // Tens are classes, whose set-up clears: of each, 1 makes 2 fail.
        let class = |test: usize| test / 10;
        let suite = suite(|before, test| {
            let own = before
                .iter()
                .rev()
                .take_while(|other| class(**other) == class(test));
            test % 10 == 2 && own.into_iter().any(|other| other % 10 == 1)
        });
        let trials: Vec<PolluterTrial> = (0..20)
            .map(|class| trial(10 * class + 1, 10 * class + 2..10 * class + 5))
            .collect();
        let tried = victims_of(&suite, &suite, &trials, &BTreeSet::new(), Care::Packed);
        assert_eq!(tried.victims.len(), 20);
        assert!(tried.is_partial.iter().all(|partial| !partial));
        // One to find them, the rest to prove them.
        assert!(suite.jvms.get() <= 1 + 20 * 5, "{}", suite.jvms.get());
    }

    #[test]
    fn when_the_time_is_up_it_is_said() {
        let mut suite = suite(|_, _| false);
        suite.most = 0;
        for care in [Care::Behind, Care::Each, Care::Both, Care::Packed] {
            let tried = victims_of(&suite, &suite, &[trial(0, 1..10)], &BTreeSet::new(), care);
            assert!(tried.is_partial[0] && tried.victims.is_empty());
        }
    }
}
