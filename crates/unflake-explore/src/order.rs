//! Tests whose outcome depends on the tests before them (P11): which ones make a test fail, or pass, and the proof of it.
//!
//! Everything here is decided by running tests in given orders, each order in a fresh JVM. An order counts only as far as it
//! really ran: what a framework put elsewhere is [`Verdict::NotRun`].
//!
//! **Proved** means: with the polluters right before it the test fails, three times of three, and without them it passes, three
//! times of three. `[p, v]` runs once in a JVM of its own with nothing else in it. The rest may be in the company of other
//! victims: `[p, v1, v2, q, v3, …]`, `[v1, v2, v3, …]`, of which the second differs from the first in the polluters alone, both
//! forwards and backwards, so that whoever needs another test before it is found out. Whoever behaves differently in company
//! gets JVMs of its own for all of them. Then each runs alone in a JVM of its own, as long as there is time
//! ([`drop_failing_alone`]). For 28 victims of one test this is 61 JVMs instead of 168.

use crate::Verdict;
use std::collections::{BTreeMap, BTreeSet};
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
    /// It was seen to pass alone in a JVM of its own.
    pub passed_alone: bool,
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
/// The shortest end of `before` that is enough begins with a test that is needed: without it nothing that comes later does. It
/// stays, and the same is asked for the rest, until those that stay are enough. Tests that clean up mislead only a search that
/// leaves out the end. For one test of 400 this is 13 JVMs, for two about twice as many.
pub fn shortest<O: Orders + ?Sized>(
    orders: &O,
    before: &[usize],
    test: usize,
    wanted: Wanted,
) -> Result<Vec<usize>, Unproved> {
    if !wanted.holds(&last(orders, [before, &[test]].concat())?) {
        return Err(Unproved::NotRepeated);
    }
    let mut needed: Vec<usize> = Vec::new();
    // The order that begins with `needed` and goes on at this place does it.
    let mut from = 0;
    loop {
        let mut too_late = before.len();
        while too_late - from > 1 {
            let third = (too_late - from).div_ceil(3);
            let places = [from + third, from + 2 * third].into_iter();
            let places: Vec<usize> = places.filter(|place| *place < too_late).collect();
            let ends = places.iter().map(|place| [&needed, &before[*place..]].concat());
            let does = which_do(orders, ends, test, wanted)?;
            match does.iter().position(|does| !does) {
                Some(first) => {
                    too_late = places[first];
                    from = first.checked_sub(1).map_or(from, |enough| places[enough]);
                }
                None => from = places[places.len() - 1],
            }
        }
        let next = before.get(from).ok_or(Unproved::NotRepeated)?;
        needed.push(*next);
        from += 1;
        if which_do(orders, [needed.clone()], test, wanted)? == [true] {
            return without_the_needless(orders, needed, test, wanted);
        }
    }
}

/// Leaves out one after the other as long as that makes no difference.
fn without_the_needless<O: Orders + ?Sized>(
    orders: &O,
    mut needed: Vec<usize>,
    test: usize,
    wanted: Wanted,
) -> Result<Vec<usize>, Unproved> {
    while needed.len() > 1 {
        let without = |place: usize| [&needed[..place], &needed[place + 1..]].concat();
        let does = which_do(orders, (0..needed.len()).map(without), test, wanted)?;
        match does.iter().position(|does| *does) {
            Some(needless) => needed.remove(needless),
            None => break,
        };
    }
    Ok(needed)
}

/// Whether `test` does what is wanted after each of some orders, all at the same time.
fn which_do<O: Orders + ?Sized>(
    orders: &O,
    before: impl IntoIterator<Item = Vec<usize>>,
    test: usize,
    wanted: Wanted,
) -> Result<Vec<bool>, Unproved> {
    let before = before.into_iter().map(|order| [&order[..], &[test]].concat());
    let ran = orders.run_all(&before.collect::<Vec<_>>()).into_iter();
    let does = |verdicts: Vec<Verdict>| verdicts.last().is_some_and(|verdict| wanted.holds(verdict));
    ran.map(|verdicts| verdicts.map(does).ok_or(Unproved::Ended))
        .collect()
}

/// Some tests, and whether all could be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Those {
    pub(crate) tests: Vec<usize>,
    pub(crate) is_partial: bool,
}

/// What runs before each of some tests, and these.
pub(crate) type Company = (Vec<usize>, Vec<usize>);

/// Which of `victims` fail with `polluters` right before each of them, all in few JVMs. A guess: what is left of one may have
/// made the next fail, or pass.
pub(crate) fn suffering<O: Orders + ?Sized>(orders: &O, polluters: &[usize], victims: &[usize]) -> Those {
    let asked = [(polluters.to_vec(), victims.to_vec())];
    in_companies(orders, &asked, Wanted::Fails)
        .pop()
        .unwrap_or_default()
}

/// Runs what comes before and then one of the tests, and again for the next, in few JVMs: those that do what is wanted, for each
/// that was asked.
pub(crate) fn in_companies<O: Orders + ?Sized>(orders: &O, asked: &[Company], wanted: Wanted) -> Vec<Those> {
    /// Tests in one JVM: enough to save starts, few enough that all cores have work and a JVM that a test ends costs little.
    const TOGETHER: std::ops::RangeInclusive<usize> = 16..=200;
    let mut jvms = Vec::new();
    let mut parts = Vec::new();
    for (index, (before, tests)) in asked.iter().enumerate() {
        let together = (tests.len() / 2).clamp(*TOGETHER.start(), *TOGETHER.end());
        for part in tests.chunks(together) {
            let each = part.iter().flat_map(|test| before.iter().copied().chain([*test]));
            jvms.push(each.collect::<Vec<usize>>());
            parts.push((index, part));
        }
    }
    let mut found = vec![Those::default(); asked.len()];
    for ((index, part), verdicts) in parts.into_iter().zip(orders.run_all(&jvms)) {
        let Some(verdicts) = verdicts else {
            found[index].is_partial = true;
            continue;
        };
        let length = asked[index].0.len() + 1;
        for (place, test) in part.iter().enumerate() {
            let verdict = verdicts.get((place + 1) * length - 1);
            if verdict.is_some_and(|verdict| wanted.holds(verdict)) {
                found[index].tests.push(*test);
            }
        }
    }
    found
}

/// A victim and what is thought to make it fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub victim: usize,
    pub polluters: Vec<usize>,
    /// It was seen to pass alone in a fresh JVM, so often.
    pub passed_alone: u32,
    /// It was seen to fail after the polluters in company, so often.
    pub failed_in_company: u32,
}

/// Proves pairs, all at the same time; one result for each.
pub fn prove<O: Orders + ?Sized>(orders: &O, pairs: &[Pair]) -> Vec<Result<ProvedVictim, Unproved>> {
    let mut plans: Vec<Plan> = pairs.iter().map(Plan::new).collect();
    run_plans(orders, &mut plans, |plan| vec![plan.polluted()]);
    company(orders, &mut plans);
    run_plans(orders, &mut plans, |plan| plan.rest());
    plans.into_iter().map(Plan::result).collect()
}

/// Runs what each plan asks for in JVMs of their own.
fn run_plans<O: Orders + ?Sized>(
    orders: &O,
    plans: &mut [Plan<'_>],
    asked: impl Fn(&Plan<'_>) -> Vec<Vec<usize>>,
) {
    let mut owners = Vec::new();
    let mut todo = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        for order in asked(plan) {
            owners.push(index);
            todo.push(order);
        }
    }
    let ran = orders.run_all(&todo);
    for ((index, order), verdicts) in owners.into_iter().zip(&todo).zip(ran) {
        plans[index].note(order, verdicts);
    }
}

/// Repeats both sides in company.
fn company<O: Orders + ?Sized>(orders: &O, plans: &mut [Plan<'_>]) {
    /// Of an order: whose plan it is, `None` for a polluter, and the test.
    type Places = Vec<(Option<usize>, usize)>;
    let mut groups: BTreeMap<&[usize], Vec<usize>> = BTreeMap::new();
    for (index, plan) in plans.iter().enumerate() {
        if plan.wrong.is_none() && !plan.is_own() {
            groups.entry(&plan.pair.polluters).or_default().push(index);
        }
    }
    if groups.values().flatten().count() < 2 {
        return;
    }
    let group = |(polluters, members): (&&[usize], &Vec<usize>), is_turned: bool| -> Places {
        let victims = members
            .iter()
            .map(|index| (Some(*index), plans[*index].pair.victim));
        let mut victims: Places = victims.collect();
        if is_turned {
            victims.reverse();
        }
        let polluters = polluters.iter().map(|polluter| (None, *polluter));
        polluters.chain(victims).collect()
    };
    let with: Places = groups.iter().flat_map(|one| group(one, false)).collect();
    let turned: Places = groups.iter().rev().flat_map(|one| group(one, true)).collect();
    let without = |order: &Places| -> Places {
        let mut victims = order.clone();
        victims.retain(|(index, _)| index.is_some());
        victims
    };
    let (forwards, backwards) = (without(&with), without(&turned));
    let mut from_the_middle = forwards.clone();
    from_the_middle.rotate_left(forwards.len() / 2);
    let todo = [with, turned, forwards, backwards, from_the_middle];
    let tests = |order: &Places| order.iter().map(|(_, test)| *test).collect();
    let ran = orders.run_all(&todo.iter().map(tests).collect::<Vec<Vec<usize>>>());
    for (turn, (order, verdicts)) in todo.iter().zip(ran).enumerate() {
        for ((index, _), verdict) in order.iter().zip(verdicts.unwrap_or_default()) {
            let Some(plan) = index.map(|index| &mut plans[index]) else {
                continue;
            };
            match verdict {
                Verdict::Failed(_) if turn < 2 => plan.failed += 1,
                Verdict::Passed if turn >= 2 => plan.passed += 1,
                _ => {}
            }
        }
    }
}

/// The last part of a proof: victims that do not pass alone in a JVM of their own are none. Those for which there is no time stay
/// as they are.
pub(crate) fn drop_failing_alone<O: Orders + ?Sized>(orders: &O, victims: &mut Vec<ProvedVictim>) {
    let open: Vec<&mut ProvedVictim> = victims.iter_mut().filter(|victim| !victim.passed_alone).collect();
    let alone: Vec<Vec<usize>> = open.iter().map(|victim| vec![victim.victim]).collect();
    let mut failing = BTreeSet::new();
    for (victim, verdicts) in open.into_iter().zip(orders.run_all(&alone)) {
        match verdicts.as_deref() {
            Some([Verdict::Passed]) => victim.passed_alone = true,
            Some(_) => {
                failing.insert(victim.victim);
            }
            None => {}
        }
    }
    victims.retain(|victim| !failing.contains(&victim.victim));
}

/// What was seen of one pair.
struct Plan<'a> {
    pair: &'a Pair,
    failed: u32,
    passed: u32,
    passed_alone: bool,
    /// Of `[p, v]` in a JVM of its own.
    failure: Option<Failure>,
    wrong: Option<Unproved>,
}

impl<'a> Plan<'a> {
    fn new(pair: &'a Pair) -> Plan<'a> {
        Plan {
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

    fn polluted(&self) -> Vec<usize> {
        let victim = [self.pair.victim];
        self.pair.polluters.iter().copied().chain(victim).collect()
    }

    /// What company did not show.
    fn rest(&self) -> Vec<Vec<usize>> {
        if self.wrong.is_some() {
            return Vec::new();
        }
        let failures = REPETITIONS.saturating_sub(self.failed) as usize;
        let mut passes = REPETITIONS.saturating_sub(self.passed) as usize;
        if self.is_own() {
            passes = passes.saturating_sub(failures);
        }
        [
            vec![self.polluted(); failures],
            vec![vec![self.pair.victim]; passes],
        ]
        .concat()
    }

    fn note(&mut self, order: &[usize], verdicts: Option<Vec<Verdict>>) {
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
                _ => self.wrong = Some(Unproved::NotRun),
            }
        }
        if order.len() > 1 {
            match verdicts.last() {
                Some(Verdict::Failed(failure)) => {
                    self.failed += 1;
                    self.failure.get_or_insert_with(|| failure.clone());
                }
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
                passed_alone: self.passed_alone,
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
    cleaning.truncate(most);
    let ran = orders.run_all(&cleaning.iter().map(|cleaner| with(*cleaner)).collect::<Vec<_>>());
    cleaning
        .into_iter()
        .zip(ran)
        .filter(|(_, verdicts)| {
            let last = verdicts.as_ref().and_then(|verdicts| verdicts.last());
            last == Some(&Verdict::Passed)
        })
        .map(|(cleaner, _)| cleaner)
        .collect()
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

/// A suite without JVMs: whether a test fails follows from what ran before it.
#[cfg(test)]
pub(crate) mod simulated {
    use super::*;
    use std::cell::{Cell, RefCell};

    pub(crate) struct Suite<F> {
        pub(crate) fails: F,
        pub(crate) jvms: Cell<usize>,
        /// No more than so many.
        pub(crate) most: usize,
        pub(crate) orders: RefCell<Vec<Vec<usize>>>,
    }

    /// `fails` gets what ran before in the JVM, and the test.
    pub(crate) fn suite<F: Fn(&[usize], usize) -> bool>(fails: F) -> Suite<F> {
        Suite {
            fails,
            jvms: Cell::new(0),
            most: usize::MAX,
            orders: RefCell::default(),
        }
    }

    pub(crate) fn failure() -> Failure {
        Failure {
            kind: "AssertionError".to_owned(),
            message: "no".to_owned(),
            trace: String::new(),
            expected: None,
            actual: None,
        }
    }

    impl<F: Fn(&[usize], usize) -> bool> Orders for Suite<F> {
        fn run_all(&self, orders: &[Vec<usize>]) -> Vec<Option<Vec<Verdict>>> {
            let run = |order: &Vec<usize>| {
                self.jvms.set(self.jvms.get() + 1);
                self.orders.borrow_mut().push(order.clone());
                let verdict = |place: usize| {
                    if (self.fails)(&order[..place], order[place]) {
                        Verdict::Failed(failure())
                    } else {
                        Verdict::Passed
                    }
                };
                (self.jvms.get() <= self.most).then(|| (0..order.len()).map(verdict).collect())
            };
            orders.iter().map(run).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::simulated::{Suite, suite};
    use super::*;

    /// The last of `of` that ran is `one`.
    fn last_is(before: &[usize], of: &[usize], one: usize) -> bool {
        before.iter().rev().find(|test| of.contains(test)) == Some(&one)
    }

    fn pair(victim: usize, polluters: &[usize]) -> Pair {
        Pair {
            victim,
            polluters: polluters.to_vec(),
            passed_alone: 0,
            failed_in_company: 0,
        }
    }

    #[test]
    fn one_polluter_of_many_is_found_with_few_jvms() {
        let suite = suite(|before, test| test == 500 && before.contains(&77));
        let before: Vec<usize> = (0..400).collect();
        assert_eq!(shortest(&suite, &before, 500, Wanted::Fails), Ok(vec![77]));
        assert!(suite.jvms.get() <= 14, "{}", suite.jvms.get());
    }

    #[test]
    fn two_polluters_that_are_needed_together_are_found_in_their_order() {
        let suite = suite(|before, test| test == 500 && before.contains(&3) && before.contains(&77));
        let before: Vec<usize> = (0..100).rev().collect();
        assert_eq!(shortest(&suite, &before, 500, Wanted::Fails), Ok(vec![77, 3]));
        assert!(suite.jvms.get() <= 22, "{}", suite.jvms.get());
    }

    #[test]
    fn a_test_that_was_needed_only_because_of_a_cleaner_is_left_out() {
        // 10 keeps 20 from doing harm, unless 5 came first.
        let suite = suite(|before, test| {
            let cleaned = before.contains(&10) && !before.contains(&5);
            test == 500 && before.contains(&20) && !cleaned
        });
        let before: Vec<usize> = (0..40).collect();
        assert_eq!(shortest(&suite, &before, 500, Wanted::Fails), Ok(vec![20]));
    }

    #[test]
    fn a_cleaner_in_between_does_not_hide_the_polluter() {
        // 10 cleans, 20 pollutes after it: only orders without 10 behind 20 fail.
        let suite = suite(|before, test| test == 500 && last_is(before, &[10, 20], 20));
        let before: Vec<usize> = (0..40).collect();
        assert_eq!(shortest(&suite, &before, 500, Wanted::Fails), Ok(vec![20]));
    }

    #[test]
    fn the_setter_of_a_brittle_test_is_found_the_same_way() {
        let suite = suite(|before, test| test == 500 && !before.contains(&7));
        let before: Vec<usize> = (0..40).collect();
        assert_eq!(shortest(&suite, &before, 500, Wanted::Passes), Ok(vec![7]));
        let proved = prove_brittle(&suite, 500, &[7]).unwrap();
        assert_eq!((proved.setters, proved.runs), (vec![7], 3));
        assert_eq!(prove_brittle(&suite, 500, &[8]), Err(Unproved::NotRepeated));
    }

    #[test]
    fn what_does_not_repeat_has_no_polluter() {
        let suite = suite(|_, _| false);
        assert_eq!(
            shortest(&suite, &[1, 2], 3, Wanted::Fails),
            Err(Unproved::NotRepeated)
        );
    }

    #[test]
    fn a_pair_is_proved_three_times_each_way() {
        let suite = suite(|before, test| test == 2 && before.contains(&1));
        let proved = prove(&suite, &[pair(2, &[1])]).pop().unwrap().unwrap();
        assert_eq!(proved.runs, 3);
        let mut orders = suite.orders.take();
        orders.sort();
        assert_eq!(
            orders,
            [vec![1, 2], vec![1, 2], vec![1, 2], vec![2], vec![2], vec![2]]
        );
    }

    #[test]
    fn many_victims_of_one_polluter_are_proved_with_one_jvm_each_and_a_few_for_all() {
        let suite = suite(|before, test| test != 0 && before.contains(&0));
        let pairs: Vec<Pair> = (1..29).map(|victim| pair(victim, &[0])).collect();
        assert!(prove(&suite, &pairs).iter().all(Result::is_ok));
        assert_eq!(suite.jvms.get(), 28 + 5);
        let own = |order: &&Vec<usize>| order[..] == [0, 5];
        assert_eq!(suite.orders.borrow().iter().filter(own).count(), 1);
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
            victim,
            ..proved[0].clone().unwrap()
        };
        let mut victims = vec![said(2), said(3)];
        drop_failing_alone(&needs, &mut victims);
        assert_eq!(victims.len(), 1);
        assert!(victims[0].victim == 2 && victims[0].passed_alone);
        // There is no time to ask.
        needs.most = 0;
        let mut victims = vec![said(2), said(3)];
        drop_failing_alone(&needs, &mut victims);
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
        let orders = suite.orders.take();
        assert!(orders.iter().filter(|order| order[..] == [0, 3]).count() >= 2);
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
        assert!(
            suite
                .orders
                .borrow()
                .iter()
                .all(|order| order[..] == [2, 2] || order[..] == [2])
        );
    }

    #[test]
    fn when_the_time_is_up_nothing_is_claimed() {
        let mut suite = suite(|before, test| test == 2 && before.contains(&1));
        suite.most = 4;
        assert_eq!(prove(&suite, &[pair(2, &[1])]), [Err(Unproved::Ended)]);
    }

    fn cleaners_in<F: Fn(&[usize], usize) -> bool>(
        suite: &Suite<F>,
        classes: &[usize],
        polluter: usize,
        victim: usize,
    ) -> Vec<usize> {
        let candidates: Vec<usize> = (0..classes.len()).collect();
        cleaners(
            suite,
            Cleaning {
                polluters: &[polluter],
                victim,
                candidates: &candidates,
                classes,
                most: 3,
            },
        )
    }

    #[test]
    fn cleaners_are_found() {
        let suite = suite(|before, test| test == 4 && last_is(before, &[0, 2], 0));
        assert_eq!(cleaners_in(&suite, &[0, 1, 2, 3, 4], 0, 4), [2]);
    }

    #[test]
    fn set_up_that_runs_again_is_no_cleaner() {
        // Tests 0, 1, 2 are of class 0; its set-up resets what 0 does. 1 is a real cleaner.
        let classes = [0, 0, 0, 1, 2];
        let reset = |before: &[usize], test: usize| {
            let run = before.iter().rev().take_while(|other| classes[**other] == 0);
            let since: Vec<usize> = run.copied().collect();
            test == 2 && since.iter().find(|other| **other < 2) == Some(&0)
        };
        assert_eq!(cleaners_in(&suite(reset), &classes, 0, 2), [1]);
    }

    #[test]
    fn candidates_are_tried_one_by_one_in_few_jvms() {
        let suite = suite(|before, test| test == 9 && before.iter().any(|other| [3, 6].contains(other)));
        let found = each_alone(&suite, &[1, 2, 3, 4, 5, 6, 7], 9, Wanted::Fails, 10);
        assert_eq!(found, [3, 6]);
        assert_eq!(suite.jvms.get(), 3);
    }
}
