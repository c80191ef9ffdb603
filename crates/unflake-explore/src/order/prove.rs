//! Proof: no test is called a victim or brittle without it.
//!
//! **Proved** means: with the polluters right before it the test fails, eight times of eight, and without them it
//! passes, eight times of eight, so that it cannot be chance (see [`crate::Evidence`]). `[p, v]` runs once in a JVM of
//! its own with nothing else in it. The rest may be in the company of other victims: `[p, v1, v2, q, v3, …]`,
//! `[v1, v2, v3, …]`, of which the second differs from the first in the polluters alone, forwards, backwards and from
//! the middle, so that whoever needs another test before it is found out. Whoever behaves differently in company gets
//! JVMs of its own for all of them, until it first contradicts itself. Then each runs alone in a JVM of its own, as long
//! as there is time ([`drop_failing_alone`]). For 28 victims of one test this is 71 JVMs instead of 448.

use super::limits::{PROVED_AT_ONCE, REPETITIONS};
use super::orders::{Orders, TestOrder, Unproved, Wanted, followed_by};
use crate::{TestIx, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use unflake_protocol::Failure;

/// A test that fails after others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedVictim {
    pub victim: TestIx,
    /// What must run before it: one polluter nearly always.
    pub polluters: TestOrder,
    pub failure: Failure,
    /// How often it was run after them; it failed each time.
    pub runs: u32,
    /// It was seen to pass alone in a JVM of its own. If not, it passed each time among other victims, and time ran
    /// out.
    pub passed_alone: bool,
}

/// A test that passes only after others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedBrittle {
    pub test: TestIx,
    pub setters: TestOrder,
    /// Of the test alone.
    pub failure: Failure,
    pub runs: u32,
}

/// A victim and what is thought to make it fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) victim: TestIx,
    pub(super) polluters: TestOrder,
    /// It was seen to pass alone in a fresh JVM, so often.
    pub(super) passed_alone: u32,
    /// It was seen to fail after the polluters in company, so often.
    pub(super) failed_in_company: u32,
}

/// Proves pairs, some at a time; one result for each.
pub(super) fn prove_in_parts(orders: &dyn Orders, pairs: &[Pair]) -> Vec<Result<ProvedVictim, Unproved>> {
    let parts = pairs.chunks(PROVED_AT_ONCE);
    parts.flat_map(|part| prove(orders, part)).collect()
}

/// Proves pairs, all at the same time; one result for each.
pub(super) fn prove(orders: &dyn Orders, pairs: &[Pair]) -> Vec<Result<ProvedVictim, Unproved>> {
    let mut seen: Vec<PairEvidence> = pairs.iter().map(PairEvidence::new).collect();
    run_alone(orders, &mut seen, |one| vec![one.polluted()]);
    run_in_company(orders, &mut seen);
    // Step by step: most of what is no proof contradicts itself soon.
    for _ in 0..REPETITIONS {
        if !run_alone(orders, &mut seen, |one| one.rest()) {
            break;
        }
    }
    seen.into_iter().map(PairEvidence::result).collect()
}

/// Runs what each pair asks for in JVMs of their own. False: none asks for anything.
fn run_alone(
    orders: &dyn Orders,
    seen: &mut [PairEvidence<'_>],
    asked: impl Fn(&PairEvidence<'_>) -> Vec<TestOrder>,
) -> bool {
    let mut owners = Vec::new();
    let mut todo = Vec::new();
    for (index, one) in seen.iter().enumerate() {
        for order in asked(one) {
            owners.push(index);
            todo.push(order);
        }
    }
    let ran = orders.run_all(&todo);
    for ((index, order), verdicts) in owners.into_iter().zip(&todo).zip(ran) {
        seen[index].note(order, verdicts);
    }
    !todo.is_empty()
}

/// A place of an order that many pairs share.
#[derive(Clone, Copy, Debug)]
struct SharedRuns {
    /// Whose victim it is; `None` for a polluter.
    pair: Option<usize>,
    test: TestIx,
}

/// Repeats both sides in company.
fn run_in_company(orders: &dyn Orders, seen: &mut [PairEvidence<'_>]) {
    let mut groups: BTreeMap<&[TestIx], Vec<usize>> = BTreeMap::new();
    for (index, one) in seen.iter().enumerate() {
        if one.wrong.is_none() && !one.is_own() {
            groups.entry(&one.pair.polluters).or_default().push(index);
        }
    }
    if groups.values().flatten().count() < 2 {
        return;
    }
    let polluters = |tests: &&[TestIx]| -> Vec<SharedRuns> {
        let place = |test: &TestIx| SharedRuns {
            pair: None,
            test: *test,
        };
        tests.iter().map(place).collect()
    };
    let victim = |index: &usize| SharedRuns {
        pair: Some(*index),
        test: seen[*index].pair.victim,
    };
    let with = groups.iter();
    let with =
        with.flat_map(|(before, members)| polluters(before).into_iter().chain(members.iter().map(victim)));
    let with: Vec<SharedRuns> = with.collect();
    let turned = groups.iter().rev();
    let turned = turned.flat_map(|(before, members)| {
        polluters(before)
            .into_iter()
            .chain(members.iter().rev().map(victim))
    });
    let turned: Vec<SharedRuns> = turned.collect();
    let without = |order: &[SharedRuns]| -> Vec<SharedRuns> {
        let victims = order.iter().copied();
        victims.filter(|place| place.pair.is_some()).collect()
    };
    let (forwards, backwards) = (without(&with), without(&turned));
    let mut from_the_middle = forwards.clone();
    from_the_middle.rotate_left(forwards.len() / 2);
    // One run of the polluted pair was in a JVM of its own.
    let fails = [&with, &turned]
        .into_iter()
        .cycle()
        .take(REPETITIONS as usize - 1);
    let passes = [&forwards, &backwards, &from_the_middle].into_iter().cycle();
    let todo: Vec<(Vec<SharedRuns>, Wanted)> = fails
        .map(|order| (order.clone(), Wanted::Fails))
        .chain(
            passes
                .take(REPETITIONS as usize)
                .map(|order| (order.clone(), Wanted::Passes)),
        )
        .collect();
    let tests = |(order, _): &(Vec<SharedRuns>, Wanted)| order.iter().map(|place| place.test).collect();
    let ran = orders.run_all(&todo.iter().map(tests).collect::<Vec<TestOrder>>());
    for ((order, wanted), verdicts) in todo.iter().zip(ran) {
        for (place, verdict) in order.iter().zip(verdicts.unwrap_or_default()) {
            if let Some(pair) = place.pair
                && wanted.holds(&verdict)
            {
                match wanted {
                    Wanted::Fails => seen[pair].failed += 1,
                    Wanted::Passes => seen[pair].passed += 1,
                }
            }
        }
    }
}

/// The last part of a proof: victims that do not pass alone in a JVM of their own are none. Those for which there is no
/// time stay as they are, and are returned.
pub(super) fn drop_failing_alone(orders: &dyn Orders, victims: &mut Vec<ProvedVictim>) -> BTreeSet<TestIx> {
    let open: Vec<&mut ProvedVictim> = victims.iter_mut().filter(|victim| !victim.passed_alone).collect();
    let alone: Vec<TestOrder> = open.iter().map(|victim| vec![victim.victim]).collect();
    let (mut failing, mut not_run) = (BTreeSet::new(), BTreeSet::new());
    for (victim, verdicts) in open.into_iter().zip(orders.run_all(&alone)) {
        match verdicts.as_deref() {
            Some([Verdict::Passed]) => victim.passed_alone = true,
            Some(_) => {
                failing.insert(victim.victim);
            }
            None => {
                not_run.insert(victim.victim);
            }
        }
    }
    victims.retain(|victim| !failing.contains(&victim.victim));
    not_run
}

/// What was seen of one pair.
struct PairEvidence<'a> {
    pair: &'a Pair,
    failed: u32,
    passed: u32,
    passed_alone: bool,
    /// Of `[p, v]` in a JVM of its own.
    failure: Option<Failure>,
    wrong: Option<Unproved>,
}

impl<'a> PairEvidence<'a> {
    fn new(pair: &'a Pair) -> PairEvidence<'a> {
        PairEvidence {
            pair,
            failed: pair.failed_in_company.min(REPETITIONS - 1),
            passed: pair.passed_alone,
            passed_alone: pair.passed_alone > 0,
            failure: None,
            wrong: None,
        }
    }

    fn is_own(&self) -> bool {
        self.pair.polluters == [self.pair.victim]
    }

    fn polluted(&self) -> TestOrder {
        followed_by(&self.pair.polluters, self.pair.victim)
    }

    /// The next run each way that company did not show.
    fn rest(&self) -> Vec<TestOrder> {
        if self.wrong.is_some() {
            return Vec::new();
        }
        let fails = (self.failed < REPETITIONS).then(|| self.polluted());
        // Its own victim passes first whenever it runs twice.
        let is_open = self.passed < REPETITIONS && !(self.is_own() && fails.is_some());
        let passes = is_open.then(|| vec![self.pair.victim]);
        fails.into_iter().chain(passes).collect()
    }

    fn note(&mut self, order: &[TestIx], verdicts: Option<Vec<Verdict>>) {
        let Some(verdicts) = verdicts else {
            self.wrong.get_or_insert(Unproved::Ended);
            return;
        };
        if order.first() == Some(&self.pair.victim) {
            match verdicts.first() {
                Some(Verdict::Passed) => {
                    self.passed += 1;
                    self.passed_alone = true;
                }
                Some(Verdict::Failed(_)) => self.wrong = Some(Unproved::NotRepeated),
                Some(Verdict::NotRun | Verdict::Cancelled) | None => self.wrong = Some(Unproved::NotRun),
            }
        }
        if order.len() > 1 {
            match verdicts.last() {
                Some(Verdict::Failed(failure)) => {
                    self.failed += 1;
                    self.failure.get_or_insert_with(|| failure.clone());
                }
                Some(Verdict::Passed) => self.wrong = Some(Unproved::NotRepeated),
                Some(Verdict::NotRun | Verdict::Cancelled) | None => self.wrong = Some(Unproved::NotRun),
            }
        }
    }

    fn result(self) -> Result<ProvedVictim, Unproved> {
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        match self.failure {
            Some(failure) if self.failed >= REPETITIONS && self.passed >= REPETITIONS => Ok(ProvedVictim {
                victim: self.pair.victim,
                polluters: self.pair.polluters.clone(),
                failure,
                runs: self.failed,
                passed_alone: self.passed_alone,
            }),
            _ => Err(Unproved::NotRepeated),
        }
    }
}

/// Proves that `test` fails alone and passes after `setters`, each eight times of eight.
pub(super) fn prove_brittle(
    orders: &dyn Orders,
    test: TestIx,
    setters: &[TestIx],
) -> Result<ProvedBrittle, Unproved> {
    let pair = [vec![test], followed_by(setters, test)];
    let mut failure = None;
    for _ in 0..REPETITIONS {
        for (verdicts, is_alone) in orders.run_all(&pair).into_iter().zip([true, false]) {
            match verdicts.ok_or(Unproved::Ended)?.pop() {
                Some(Verdict::Failed(shown)) if is_alone => {
                    failure.get_or_insert(shown);
                }
                Some(Verdict::Passed) if !is_alone => {}
                Some(Verdict::Passed | Verdict::Failed(_)) => return Err(Unproved::NotRepeated),
                Some(Verdict::Cancelled) => return Err(Unproved::Ended),
                Some(Verdict::NotRun) | None => return Err(Unproved::NotRun),
            }
        }
    }
    Ok(ProvedBrittle {
        test,
        setters: setters.to_vec(),
        failure: failure.ok_or(Unproved::NotRun)?,
        runs: REPETITIONS,
    })
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{ix, one, set, suite};
    use super::*;

    fn pair(victim: usize, polluters: &[usize]) -> Pair {
        Pair {
            victim: one(victim),
            polluters: ix(polluters.iter().copied()),
            passed_alone: 0,
            failed_in_company: 0,
        }
    }

    #[test]
    fn a_pair_is_proved_eight_times_each_way() {
        let suite = suite(|before, test| test == 2 && before.contains(&1));
        let proved = prove(&suite, &[pair(2, &[1])]).pop().unwrap().unwrap();
        assert_eq!(proved.runs, 8);
        let mut orders = suite.ran();
        orders.sort();
        assert_eq!(orders, [vec![vec![1, 2]; 8], vec![vec![2]; 8]].concat());
    }

    #[test]
    fn many_victims_of_one_polluter_are_proved_with_one_jvm_each_and_a_few_for_all() {
        let suite = suite(|before, test| test != 0 && before.contains(&0));
        let pairs: Vec<Pair> = (1..29).map(|victim| pair(victim, &[0])).collect();
        assert!(prove(&suite, &pairs).iter().all(Result::is_ok));
        assert_eq!(suite.jvms(), 28 + 15);
        assert_eq!(suite.ran().iter().filter(|order| order[..] == [0, 5]).count(), 1);
    }

    #[test]
    fn pairs_are_proved_part_by_part_so_that_some_are_proved_when_the_time_is_up() {
        let mut suite = suite(|before, test| test != 0 && before.contains(&0));
        suite.most = 65;
        let pairs: Vec<Pair> = (1..51).map(|victim| pair(victim, &[0])).collect();
        let proved = prove_in_parts(&suite, &pairs);
        assert!(proved[..32].iter().all(Result::is_ok));
        assert!(proved[32..].iter().all(|result| *result == Err(Unproved::Ended)));
    }

    #[test]
    fn who_needs_another_test_before_it_is_no_victim() {
        // 3 fails after 0, and alone: it needs 2.
        let mut needs =
            suite(|before, test| test != 0 && before.contains(&0) || test == 3 && !before.contains(&2));
        let proved = prove(&needs, &[pair(2, &[0]), pair(3, &[0])]);
        assert!(proved[0].is_ok(), "{proved:?}");
        assert_eq!(proved[1], Err(Unproved::NotRepeated));
        let said = |victim: usize| ProvedVictim {
            victim: one(victim),
            ..proved[0].clone().unwrap()
        };
        let mut victims = vec![said(2), said(3)];
        assert!(drop_failing_alone(&needs, &mut victims).is_empty());
        assert_eq!(victims.len(), 1);
        assert!(victims[0].victim == one(2) && victims[0].passed_alone);
        // There is no time to ask.
        needs.most = 0;
        let mut victims = vec![said(2), said(3)];
        assert_eq!(drop_failing_alone(&needs, &mut victims), set([2, 3]));
        assert!(victims.len() == 2 && !victims[1].passed_alone, "{victims:?}");
    }

    #[test]
    fn who_behaves_differently_in_company_gets_jvms_of_its_own() {
        // 3 is cleaned by 2; in company it may pass after the polluter.
        let suite = suite(|before, test| match test {
            3 => before.contains(&0) && !before.contains(&2),
            2 => before.contains(&0),
            _ => false,
        });
        let proved = prove(&suite, &[pair(2, &[0]), pair(3, &[0])]);
        assert!(proved.iter().all(Result::is_ok), "{proved:?}");
        assert!(suite.ran().iter().filter(|order| order[..] == [0, 3]).count() >= 2);
    }

    #[test]
    fn a_test_that_fails_alone_or_now_and_then_is_no_victim() {
        let alone = suite(|before, test| test == 2 && (before.is_empty() || before.contains(&1)));
        assert_eq!(prove(&alone, &[pair(2, &[1])]), [Err(Unproved::NotRepeated)]);
        let times = std::cell::Cell::new(0);
        let sometimes = suite(|before, test| {
            let polluted = test == 2 && before.contains(&1);
            times.set(times.get() + u32::from(polluted));
            polluted && times.get() != 3
        });
        assert_eq!(prove(&sometimes, &[pair(2, &[1])]), [Err(Unproved::NotRepeated)]);
    }

    #[test]
    fn its_own_victim_is_proved_by_running_it_twice() {
        let suite = suite(|before, test| test == 2 && before.contains(&2));
        let proved = prove(&suite, &[pair(2, &[2])]).pop().unwrap();
        assert!(proved.is_ok(), "{proved:?}");
        let is_own = |order: &Vec<usize>| order[..] == [2, 2] || order[..] == [2];
        assert!(suite.ran().iter().all(is_own));
    }

    #[test]
    fn when_the_time_is_up_nothing_is_claimed() {
        let mut suite = suite(|before, test| test == 2 && before.contains(&1));
        suite.most = 4;
        assert_eq!(prove(&suite, &[pair(2, &[1])]), [Err(Unproved::Ended)]);
        suite.most = 0;
        assert_eq!(prove_brittle(&suite, one(2), &ix([1])), Err(Unproved::Ended));
    }
}
