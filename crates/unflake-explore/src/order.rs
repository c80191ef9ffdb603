//! Tests whose outcome depends on the tests before them (P11): which ones make a test fail, or pass, and the proof of it.
//!
//! Everything here is decided by running tests in given orders, each order in a fresh JVM. An order counts only as far as it
//! really ran: what a framework put elsewhere is [`Verdict::NotRun`].
//!
//! **Proved** means: with the polluters right before it the test fails, three times of three, once with nothing else in the
//! JVM; as the first test of a JVM it passes, three times of three. `[v, p, v]` shows both at once, so that four JVMs do
//! instead of six: `[v]`, `[p, v]`, and twice `[v, p, v]`. Where the first `v` keeps the second from failing, plain `[p, v]` and
//! `[v]` are repeated instead.

use crate::{Verdict, minimize};
use unflake_protocol::Failure;

/// What runs tests, named by their index, in fresh JVMs.
pub trait Orders {
    /// Runs each order in a JVM of its own, several at a time. Per order one verdict for each place; `None`: no more can be run.
    fn run_all(&self, orders: &[Vec<usize>]) -> Vec<Option<Vec<Verdict>>>;
}

/// How often a claim must be seen.
pub const REPETITIONS: u32 = 3;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unproved {
    /// It did not repeat.
    NotRepeated,
    /// The framework did not run the order that was asked for.
    NotRun,
    /// The time is up, or the user has had enough.
    Ended,
}

/// A test that fails after others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedVictim {
    pub victim: usize,
    /// What must run before it: one polluter nearly always.
    pub polluters: Vec<usize>,
    pub failure: Failure,
    /// How often it was run after them; it failed each time.
    pub runs: u32,
}

/// A test that passes only after others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedBrittle {
    pub test: usize,
    pub setters: Vec<usize>,
    /// Of the test alone.
    pub failure: Failure,
    pub runs: u32,
}

/// What an order is to do to its last test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Fails,
    Passes,
}

impl Wanted {
    fn holds(self, verdict: &Verdict) -> bool {
        match self {
            Wanted::Fails => matches!(verdict, Verdict::Failed(_)),
            Wanted::Passes => *verdict == Verdict::Passed,
        }
    }
}

/// The fewest of the tests in `before` that make `test` do what is wanted when they run before it, in their order. With none of
/// them it does not.
///
/// The two halves run at the same time as long as one of them is enough, which it is for one polluter; then `ddmin`.
pub fn shortest<O: Orders + ?Sized>(
    orders: &O,
    before: &[usize],
    test: usize,
    wanted: Wanted,
) -> Result<Vec<usize>, Unproved> {
    let with = |some: &[usize]| some.iter().copied().chain([test]).collect::<Vec<_>>();
    if !wanted.holds(&last(orders, with(before))?) {
        return Err(Unproved::NotRepeated);
    }
    let mut left = before.to_vec();
    while left.len() > 1 {
        let (first, second) = left.split_at(left.len() / 2);
        let ran = orders.run_all(&[with(first), with(second)]);
        let mut does = Vec::new();
        for verdicts in ran {
            let verdicts = verdicts.ok_or(Unproved::Ended)?;
            does.push(verdicts.last().is_some_and(|verdict| wanted.holds(verdict)));
        }
        match does[..] {
            [_, true] => left = second.to_vec(),
            [true, _] => left = first.to_vec(),
            _ => break,
        }
    }
    if left.len() < 3 {
        return Ok(left);
    }
    let mut ended = false;
    let minimal = minimize(left.len(), |part| {
        let part: Vec<usize> = part.iter().map(|index| left[*index]).collect();
        match last(orders, with(&part)) {
            Ok(verdict) => Some(wanted.holds(&verdict)),
            Err(Unproved::Ended) => {
                ended = true;
                None
            }
            Err(_) => Some(false),
        }
    });
    if ended {
        return Err(Unproved::Ended);
    }
    Ok(minimal.members.into_iter().map(|index| left[index]).collect())
}

/// Which of `victims` fail with `polluters` right before each of them, all in few JVMs. A guess: what is left of one may have
/// made the next fail, or pass.
pub fn suffering<O: Orders + ?Sized>(orders: &O, polluters: &[usize], victims: &[usize]) -> Vec<usize> {
    /// Victims in one JVM: enough to save starts, few enough that all cores have work and a JVM that a test ends costs little.
    const TOGETHER: usize = 16;
    let parts: Vec<&[usize]> = victims.chunks(TOGETHER).collect();
    let order = |part: &&[usize]| {
        part.iter()
            .flat_map(|victim| polluters.iter().copied().chain([*victim]))
            .collect()
    };
    let ran = orders.run_all(&parts.iter().map(order).collect::<Vec<Vec<usize>>>());
    let mut failing = Vec::new();
    for (part, verdicts) in parts.iter().zip(ran) {
        let verdicts = verdicts.unwrap_or_default();
        let each = verdicts.chunks(polluters.len() + 1);
        for (victim, verdicts) in part.iter().zip(each) {
            if verdicts.len() == polluters.len() + 1
                && matches!(verdicts[polluters.len()], Verdict::Failed(_))
            {
                failing.push(*victim);
            }
        }
    }
    failing
}

/// A victim and what is thought to make it fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub victim: usize,
    pub polluters: Vec<usize>,
    /// It was seen to pass as the first test of a fresh JVM, so often.
    pub passed_alone: u32,
}

/// Proves pairs, all at the same time; one result for each.
pub fn prove<O: Orders + ?Sized>(orders: &O, pairs: &[Pair]) -> Vec<Result<ProvedVictim, Unproved>> {
    let mut plans: Vec<Plan> = pairs.iter().map(Plan::new).collect();
    // The second time for those whose first run in `[v, p, v]` changes what the second sees.
    for _ in 0..2 {
        let todo: Vec<(usize, Vec<usize>)> = plans
            .iter()
            .enumerate()
            .flat_map(|(index, plan)| plan.todo().into_iter().map(move |order| (index, order)))
            .collect();
        if todo.is_empty() {
            break;
        }
        let ran = orders.run_all(&todo.iter().map(|(_, order)| order.clone()).collect::<Vec<_>>());
        for ((index, order), verdicts) in todo.into_iter().zip(ran) {
            plans[index].note(&order, verdicts);
        }
    }
    plans.into_iter().map(Plan::result).collect()
}

/// What was seen of one pair.
struct Plan<'a> {
    pair: &'a Pair,
    failed: u32,
    passed: u32,
    failure: Option<Failure>,
    /// `[v, p, v]` is of no use: `v` changes what comes after it.
    plain: bool,
    wrong: Option<Unproved>,
}

impl<'a> Plan<'a> {
    fn new(pair: &'a Pair) -> Plan<'a> {
        Plan {
            pair,
            failed: 0,
            passed: pair.passed_alone,
            failure: None,
            plain: false,
            wrong: None,
        }
    }

    fn is_own(&self) -> bool {
        self.pair.polluters == [self.pair.victim]
    }

    fn polluted(&self) -> Vec<usize> {
        self.pair
            .polluters
            .iter()
            .copied()
            .chain([self.pair.victim])
            .collect()
    }

    /// What is still to be run.
    fn todo(&self) -> Vec<Vec<usize>> {
        if self.wrong.is_some() {
            return Vec::new();
        }
        let failures = REPETITIONS.saturating_sub(self.failed) as usize;
        let passes = REPETITIONS.saturating_sub(self.passed) as usize;
        let polluted = self.polluted();
        let victim = self.pair.victim;
        let times = |order: &[usize], n: usize| vec![order.to_vec(); n];
        if self.is_own() {
            return times(&polluted, failures.max(passes));
        }
        if self.plain {
            return [times(&polluted, failures), times(&[victim], passes)].concat();
        }
        if failures == 0 {
            return times(&[victim], passes);
        }
        let both: Vec<usize> = [victim].into_iter().chain(polluted.iter().copied()).collect();
        let pure = usize::from(self.failure.is_none());
        let both_times = (failures - pure).max(passes.min(failures - pure));
        let alone = passes.saturating_sub(both_times);
        [
            times(&polluted, pure),
            times(&both, both_times),
            times(&[victim], alone),
        ]
        .concat()
    }

    fn note(&mut self, order: &[usize], verdicts: Option<Vec<Verdict>>) {
        let Some(verdicts) = verdicts else {
            self.wrong.get_or_insert(Unproved::Ended);
            return;
        };
        let begins_alone = order.first() == Some(&self.pair.victim);
        let ends_polluted = order.len() > 1;
        if begins_alone {
            match verdicts.first() {
                Some(Verdict::Passed) => self.passed += 1,
                Some(Verdict::Failed(_)) => self.wrong = Some(Unproved::NotRepeated),
                _ => self.wrong = Some(Unproved::NotRun),
            }
        }
        if ends_polluted {
            let is_both = begins_alone && !self.is_own();
            match verdicts.last() {
                Some(Verdict::Failed(failure)) => {
                    self.failed += 1;
                    if !is_both {
                        self.failure.get_or_insert_with(|| failure.clone());
                    }
                }
                _ if is_both => self.plain = true,
                Some(Verdict::Passed) => self.wrong = Some(Unproved::NotRepeated),
                _ => self.wrong = Some(Unproved::NotRun),
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
            }),
            _ => Err(Unproved::NotRepeated),
        }
    }
}

/// Proves that `test` fails alone and passes after `setters`, each three times of three.
pub fn prove_brittle<O: Orders + ?Sized>(
    orders: &O,
    test: usize,
    setters: &[usize],
) -> Result<ProvedBrittle, Unproved> {
    let after: Vec<usize> = setters.iter().copied().chain([test]).collect();
    let mut todo = vec![vec![test]; REPETITIONS as usize];
    todo.extend(vec![after; REPETITIONS as usize]);
    let mut failure = None;
    for (index, verdicts) in orders.run_all(&todo).into_iter().enumerate() {
        let alone = index < REPETITIONS as usize;
        match verdicts.ok_or(Unproved::Ended)?.pop() {
            Some(Verdict::Failed(shown)) if alone => {
                failure.get_or_insert(shown);
            }
            Some(Verdict::Passed) if !alone => {}
            Some(Verdict::Passed | Verdict::Failed(_)) => return Err(Unproved::NotRepeated),
            Some(Verdict::Cancelled) => return Err(Unproved::Ended),
            Some(Verdict::NotRun) | None => return Err(Unproved::NotRun),
        }
    }
    Ok(ProvedBrittle {
        test,
        setters: setters.to_vec(),
        failure: failure.ok_or(Unproved::NotRun)?,
        runs: REPETITIONS,
    })
}

/// A place to look for cleaners: tests that, between polluter and victim, make it pass.
#[derive(Clone, Copy, Debug)]
pub struct Cleaning<'a> {
    pub polluters: &'a [usize],
    pub victim: usize,
    pub candidates: &'a [usize],
    /// The class of each test, as a number: a test of another class in between makes the victim's class start anew.
    pub classes: &'a [usize],
    /// No more than so many.
    pub most: usize,
}

/// The first few cleaners among the candidates, each seen in a JVM of its own.
///
/// If polluter and victim are of one class, a test of another class between them makes the class's set-up run again, which looks
/// like cleaning. So tests of other classes count only if some test of another class does *not* make the victim pass.
pub fn cleaners<O: Orders + ?Sized>(orders: &O, cleaning: Cleaning<'_>) -> Vec<usize> {
    let Cleaning {
        polluters,
        victim,
        candidates,
        classes,
        most,
    } = cleaning;
    let is_other = |test: &usize| *test != victim && !polluters.contains(test);
    let candidates: Vec<usize> = candidates.iter().copied().filter(is_other).collect();
    let with = |cleaner: usize| -> Vec<usize> {
        let before = polluters.iter().copied();
        before.chain([cleaner, victim]).collect()
    };
    let order: Vec<usize> = candidates.iter().flat_map(|cleaner| with(*cleaner)).collect();
    let Some(Some(verdicts)) = orders.run_all(&[order]).pop() else {
        return Vec::new();
    };
    let passes = |index: usize| {
        let place = index * (polluters.len() + 2) + polluters.len() + 1;
        verdicts.get(place) == Some(&Verdict::Passed)
    };
    let (mut cleaning, mut neutral): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for (index, candidate) in candidates.iter().enumerate() {
        if passes(index) {
            cleaning.push(*candidate);
        } else {
            neutral.push(*candidate);
        }
    }
    let class = classes[victim];
    let in_one_class = polluters.iter().all(|polluter| classes[*polluter] == class);
    let is_of_class = |test: &usize| classes[*test] == class;
    if in_one_class {
        let control = neutral.iter().copied().find(|test| !is_of_class(test));
        let counts = control.is_some_and(|control| {
            let ran = orders.run_all(&[with(control)]).pop().flatten();
            ran.is_some_and(|verdicts| matches!(verdicts.last(), Some(Verdict::Failed(_))))
        });
        if !counts {
            cleaning.retain(is_of_class);
        }
    }
    cleaning.truncate(2 * most);
    let ran = orders.run_all(&cleaning.iter().map(|cleaner| with(*cleaner)).collect::<Vec<_>>());
    let mut proved: Vec<usize> = cleaning
        .into_iter()
        .zip(ran)
        .filter(|(_, verdicts)| {
            let last = verdicts.as_ref().and_then(|verdicts| verdicts.last());
            last == Some(&Verdict::Passed)
        })
        .map(|(cleaner, _)| cleaner)
        .collect();
    proved.truncate(most);
    proved
}

/// Candidates after each of which, as the only ones before it, `test` does what is wanted. Guesses, each to be proved.
///
/// One JVM runs `[c1, t, c2, t, …]` until `t` does it; the next goes on behind that candidate.
pub fn each_alone<O: Orders + ?Sized>(
    orders: &O,
    candidates: &[usize],
    test: usize,
    wanted: Wanted,
    most: usize,
) -> Vec<usize> {
    let mut found = Vec::new();
    let mut left = candidates;
    while !left.is_empty() && found.len() < most {
        let order: Vec<usize> = left.iter().flat_map(|candidate| [*candidate, test]).collect();
        let Some(Some(verdicts)) = orders.run_all(&[order]).pop() else {
            break;
        };
        let mut next = left.len();
        for (index, pair) in verdicts.chunks(2).enumerate() {
            match pair {
                [_, verdict] if wanted.holds(verdict) => {
                    found.push(left[index]);
                    next = index + 1;
                    break;
                }
                // The JVM ended, or something could not be run: the next one goes on behind it.
                [_, Verdict::NotRun] => {
                    next = index + 1;
                    break;
                }
                _ => {}
            }
        }
        left = &left[next..];
    }
    found
}

/// Runs one order; what became of its last test.
fn last<O: Orders + ?Sized>(orders: &O, order: Vec<usize>) -> Result<Verdict, Unproved> {
    let verdicts = orders.run_all(&[order]).pop().flatten().ok_or(Unproved::Ended)?;
    match verdicts.into_iter().last() {
        Some(Verdict::Cancelled) => Err(Unproved::Ended),
        Some(Verdict::NotRun) | None => Err(Unproved::NotRun),
        Some(verdict) => Ok(verdict),
    }
}
