//! Which choices make a test fail (N10): a smallest set of calls, each with the least change of its order.
//!
//! What varies is keyed by the number of each call, so switching one choice off leaves the others as they are: the
//! random sequence stays aligned. All that is asked of a JVM is to run the test once more with another script.

use crate::{Verdict, minimize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use unflake_protocol::{ChoiceId, ChoiceKind, Chosen, Evidence, Failure, Order, Others, Record, Script};

/// Runs one test, with whatever has to run before it, as often as asked.
pub trait Probe {
    /// `None`: it cannot be run any more: time is up, or no JVM starts.
    fn run(&mut self, script: &Script, record: &Record) -> Option<Probed>;

    /// How often a smaller order may be tried for: it only makes a cause easier to read.
    fn order_runs(&self) -> usize;
}

/// What one run showed.
#[derive(Clone, Debug)]
pub struct Probed {
    pub verdict: Verdict,
    /// In the order in which they were made, if they were recorded.
    pub choices: Vec<Chosen>,
    pub evidence: Vec<Evidence>,
}

impl Probed {
    fn failure(&self) -> Option<&Failure> {
        match &self.verdict {
            Verdict::Failed(failure) => Some(failure),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Culprits {
    /// In the order in which they were made.
    pub choices: Vec<Culprit>,
    /// What the test said when only these were varied.
    pub failure: Failure,
    /// What to run to see it.
    pub script: Script,
}

#[derive(Clone, Debug)]
pub struct Culprit {
    /// Among all choices of the run, from 1.
    pub number: usize,
    pub evidence: Evidence,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCause {
    /// The test passes when all of it is repeated in this way.
    NotRepeated,
    /// It fails with all choices as they naturally are, and identity hashes shifted.
    Hashes(Box<Failure>),
    /// The same script passed and failed.
    Unstable,
    /// Time was up before every choice of the set was seen to be needed; how many were left.
    TimeUp(usize),
}

/// Of more choices, the last ones are looked at.
const MOST_SEEN: usize = 400;
/// Single choices that are tried before a search.
const MOST_GUESSES: usize = 3;

/// Finds the culprits of a test that fails when everything varies.
pub fn find_cause(probe: &mut impl Probe) -> Result<Culprits, NoCause> {
    let recorded = Record {
        choices: true,
        ..Record::default()
    };
    let whole = probe.run(&Script::VARIED, &recorded).ok_or(NoCause::TimeUp(0))?;
    if whole.failure().is_none() {
        return Err(NoCause::NotRepeated);
    }
    let mut all: Vec<ChoiceId> = whole.choices.iter().map(|chosen| chosen.id).collect();
    all.sort_unstable();
    all.dedup();
    let seen = Record {
        evidence: all.iter().rev().take(MOST_SEEN).copied().collect(),
        ..Record::default()
    };
    let natural = probe
        .run(&Script::only(&all, |_| false), &seen)
        .ok_or(NoCause::TimeUp(all.len()))?;
    if let Some(failure) = natural.failure() {
        return Err(NoCause::Hashes(Box::new(failure.clone())));
    }
    let mut guesses = whole
        .failure()
        .map_or_else(Vec::new, |failure| guesses(failure, &natural.evidence));
    guesses.truncate(MOST_GUESSES);
    let guessed = guesses.into_iter().find_map(|id| {
        let varied = BTreeMap::from([(id, Order::Varied)]);
        Some((show(probe, &varied, false).ok()?, varied))
    });
    let (first, varied) = match guessed {
        Some(found) => found,
        None => {
            let varied = smallest_set(probe, &all)?;
            (show(probe, &varied, false)?, varied)
        }
    };
    let orders = least_orders(probe, varied, &first.evidence);
    // Where collections are made is looked for last, and is not worth losing the rest for: keeping them alive may
    // matter to a test that watches the garbage collector.
    let shown = match show(probe, &orders, true) {
        Ok(shown) => shown,
        Err(_) => show(probe, &orders, false)?,
    };
    let Verdict::Failed(failure) = shown.verdict else {
        return Err(NoCause::Unstable);
    };
    // By scope, thread and call: in which order threads come to their choices is chance.
    let number = |id: ChoiceId| all.binary_search(&id).map_or(0, |at| at + 1);
    let mut choices: Vec<Culprit> = (shown.evidence.into_iter())
        .map(|evidence| Culprit {
            number: number(evidence.id),
            evidence,
        })
        .collect();
    choices.sort_by_key(|culprit| culprit.number);
    choices.dedup_by_key(|culprit| culprit.evidence.id);
    Ok(Culprits {
        choices,
        failure,
        script: script(&orders),
    })
}

/// A smallest set of choices that fails the test.
fn smallest_set(probe: &mut impl Probe, all: &[ChoiceId]) -> Result<BTreeMap<ChoiceId, Order>, NoCause> {
    let minimal = minimize(all.len(), |part| {
        let script = Script::only(all, |index| part.binary_search(&index).is_ok());
        fails(probe, &script).map(|failure| failure.is_some())
    });
    if !minimal.is_proved {
        return Err(NoCause::TimeUp(minimal.members.len()));
    }
    let ids = minimal.members.iter().map(|index| all[*index]);
    Ok(ids.map(|id| (id, Order::Varied)).collect())
}

/// Choices that may well be the only cause, the best guess first: of their elements two or more are in what the failing
/// test said. Nearly all causes are a single choice, and each guess that is right saves a search.
fn guesses(failure: &Failure, evidence: &[Evidence]) -> Vec<ChoiceId> {
    let texts = [
        Some(&failure.message),
        failure.expected.as_ref(),
        failure.actual.as_ref(),
    ];
    let said: Vec<&String> = texts.into_iter().flatten().collect();
    let is_said = |element: &str| said.iter().any(|text| text.contains(element));
    let mut ranked: Vec<(u64, ChoiceId)> = evidence
        .iter()
        .filter(|choice| choice.kind == ChoiceKind::Rearranges && !choice.natural.is_empty())
        .filter_map(|choice| {
            let names = choice.natural.iter().map(|element| telling_part(element));
            let found = names.filter(|name| name.len() > 1 && is_said(name)).count();
            // In thousandths, so that a small collection of which all was said comes before a part of a large one.
            (found > 1).then_some((found as u64 * 1000 / choice.natural.len() as u64, choice.id))
        })
        .collect();
    ranked.sort_by_key(|(share, id)| (Reverse(*share), Reverse(*id)));
    ranked.into_iter().map(|(_, id)| id).collect()
}

/// What a test would say of an element: the key of an entry, the name of a field or method.
fn telling_part(element: &str) -> &str {
    let whole = element.trim_matches('"');
    let key = whole.split('=').next().unwrap_or(whole);
    let declared = key.split('(').next().unwrap_or(key);
    match declared.rsplit_once(' ') {
        Some((_, member)) => member.rsplit('.').next().unwrap_or(member),
        None => key,
    }
}

/// The failure of one run; `None` inside: it passes.
fn fails(probe: &mut impl Probe, script: &Script) -> Option<Option<Failure>> {
    let ran = probe.run(script, &Record::default())?;
    Some(ran.failure().cloned())
}

fn script(orders: &BTreeMap<ChoiceId, Order>) -> Script {
    Script {
        others: Others::Natural,
        entries: orders
            .iter()
            .map(|(id, order)| (*id, *id, order.clone()))
            .collect(),
    }
}

/// A run with these orders that fails, and shows each of its choices.
fn show(
    probe: &mut impl Probe,
    orders: &BTreeMap<ChoiceId, Order>,
    allocations: bool,
) -> Result<Probed, NoCause> {
    let record = Record {
        choices: false,
        stop: false,
        evidence: orders.keys().copied().collect(),
        allocations,
    };
    let ran = probe
        .run(&script(orders), &record)
        .ok_or(NoCause::TimeUp(orders.len()))?;
    if ran.failure().is_none() || ran.evidence.len() < orders.len() {
        return Err(NoCause::Unstable);
    }
    Ok(ran)
}

/// For each choice the least change of order that still fails the test: an order is a product of swaps, and a smallest
/// set of them is looked for. Two elements that change places are easier to understand than a thousand.
fn least_orders(
    probe: &mut impl Probe,
    mut orders: BTreeMap<ChoiceId, Order>,
    evidence: &[Evidence],
) -> BTreeMap<ChoiceId, Order> {
    for choice in evidence {
        if choice.kind != ChoiceKind::Rearranges || choice.order.len() < 3 {
            continue;
        }
        let swaps = swaps(&choice.order);
        let mut runs = 0;
        let mut best = None;
        minimize(swaps.len(), |part| {
            runs += 1;
            if runs > probe.order_runs() {
                return None;
            }
            let order = swapped(choice.order.len(), part.iter().map(|index| swaps[*index]));
            orders.insert(choice.id, Order::Given(order.clone()));
            let does = fails(probe, &script(&orders))?.is_some();
            if does {
                best = Some(order);
            }
            Some(does)
        });
        let order = best.unwrap_or_else(|| choice.order.clone());
        orders.insert(choice.id, Order::Given(order));
    }
    orders
}

/// Swaps of places that make the natural order into this one, one after the other.
fn swaps(order: &[u32]) -> Vec<(usize, usize)> {
    let mut current: Vec<u32> = natural(order.len());
    let mut swaps = Vec::new();
    for place in 0..order.len() {
        let from = current[place..]
            .iter()
            .position(|element| *element == order[place])
            .map_or(place, |after| place + after);
        if from != place {
            current.swap(place, from);
            swaps.push((place, from));
        }
    }
    swaps
}

fn swapped(length: usize, swaps: impl Iterator<Item = (usize, usize)>) -> Vec<u32> {
    let mut order = natural(length);
    swaps.for_each(|(one, other)| order.swap(one, other));
    order
}

fn natural(length: usize) -> Vec<u32> {
    (0..u32::try_from(length).unwrap_or(u32::MAX)).collect()
}

#[cfg(test)]
mod tests;
