//! Repairs of polluters, and of victims through them (R9): which orders a patch has to put right, and the search for it.
//!
//! One [`Spill`] is one state that one test leaves behind. Its orders are those in which victims were seen to fail after
//! that test; a candidate of `unflake-repair` that lets all of them pass, and breaks nothing in the edited classes, is
//! taken.

#[cfg(test)]
mod tests;

use super::Texts;
use super::begin::why_not;
use super::compiled::compare;
use super::order_trials::Held;
use super::outcome::Outcome;
use super::search::{Applied, Attempt, MOST_TRIES, Proofs as _, Repaired, Searched};
use super::sources::ProjectSources;
use super::trials::Trials;
use crate::stored_run::StoredRun;
use std::collections::{BTreeMap, BTreeSet};
use unflake_explore::TestIx;
use unflake_explore::order::TestOrder;
use unflake_findings::{Details, Document, Finding, Pollution, TriedRepair, Victim};
use unflake_protocol::TestId;
use unflake_repair::{Candidate, Polluted, Sources as _, polluter_candidates};

const NO_VICTIM: &str =
    "no victim is proved; `unflake check --only pollution,order --budget 10m` searches longer";
const NOT_SEEN: &str = "what its polluter changes was not seen; run `unflake check --only pollution,order` and then `unflake fix`";

/// One state that a test leaves behind, and whom it harms.
#[derive(Clone, Debug)]
pub(crate) struct Spill {
    /// The polluter's finding.
    pub(crate) finding: usize,
    /// Each fails without a repair; its last test is the victim.
    pub(crate) orders: Vec<TestOrder>,
}

/// What is to be done about findings of shared state.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) spills: Vec<Spill>,
    /// Victims' findings, each with the tests that must no longer harm it: any of these spills may do it.
    pub(crate) victims: BTreeMap<usize, Vec<Vec<usize>>>,
    /// Why others are not worked on.
    pub(crate) declined: BTreeMap<usize, String>,
}

impl Plan {
    /// `which`: findings of any kind but implementation dependence.
    pub(crate) fn new(stored: &StoredRun, which: &[usize]) -> Plan {
        let findings = &stored.document.findings;
        let mut plan = Plan::default();
        for index in which {
            match &findings[*index].details {
                Details::Polluter(_) => {
                    if plan.add_spill(stored, *index).is_none() {
                        plan.declined.insert(*index, NO_VICTIM.to_owned());
                    }
                }
                Details::Victim(victim) => plan.add_victim(stored, *index, victim),
                Details::FilePolluter(_) => {
                    let why = "files that a test leaves behind are not repaired";
                    plan.declined.insert(*index, why.to_owned());
                }
                Details::Brittle(_) => {
                    let why = "tests that need another test before them are not repaired";
                    plan.declined.insert(*index, why.to_owned());
                }
                Details::ImplementationDependent { .. } => {}
            }
        }
        plan
    }

    /// Victims' findings, each with that of its first polluter.
    pub(crate) fn blamed(&self) -> BTreeMap<usize, usize> {
        let first = |needed: &[Vec<usize>]| Some(self.spills[*needed.first()?.first()?].finding);
        let blamed = self.victims.iter();
        blamed
            .filter_map(|(victim, needed)| Some((*victim, first(needed)?)))
            .collect()
    }

    /// The spill of a polluter's finding. `None`: nobody is known to fail after it.
    fn add_spill(&mut self, stored: &StoredRun, finding: usize) -> Option<usize> {
        if let Some(known) = self.spills.iter().position(|spill| spill.finding == finding) {
            return Some(known);
        }
        let orders = orders(stored, finding);
        if orders.is_empty() {
            return None;
        }
        self.spills.push(Spill { finding, orders });
        Some(self.spills.len() - 1)
    }

    fn add_victim(&mut self, stored: &StoredRun, finding: usize, victim: &Victim) {
        let document = &stored.document;
        let mut needed = Vec::new();
        let direct = victim.polluters.iter().chain(&victim.polluter);
        let before = victim.order.split_last().map_or(&[][..], |(_, before)| before);
        let polluters: BTreeSet<&TestId> = direct.chain(before).collect();
        for polluter in polluters {
            let states = states_of(document, polluter, victim);
            let spills: Vec<usize> = states
                .into_iter()
                .filter_map(|state| self.add_spill(stored, state))
                .collect();
            // In a longer order, one of several polluters is enough.
            if !spills.is_empty() || victim.polluters.contains(polluter) {
                needed.push(spills);
            }
        }
        if needed.is_empty() || needed.iter().any(Vec::is_empty) {
            self.declined.insert(finding, NOT_SEEN.to_owned());
        } else {
            self.victims.insert(finding, needed);
        }
    }
}

/// Findings of what a polluter of a victim leaves behind: what harms it, if that is known.
fn states_of(document: &Document, polluter: &TestId, victim: &Victim) -> Vec<usize> {
    let is_it = |(_, finding): &(usize, &Finding)| match &finding.details {
        Details::Polluter(state) => {
            is_author(finding, state, polluter)
                && victim.state.as_ref().is_none_or(|path| *path == state.path)
        }
        _ => false,
    };
    let found = document.findings.iter().enumerate().filter(is_it);
    found.map(|(index, _)| index).collect()
}

/// Whether a change is the work of a test, or of the set-up of its class.
fn is_author(finding: &Finding, state: &Pollution, test: &TestId) -> bool {
    if state.by_class {
        finding.test.root == test.root && finding.test.module == test.module
    } else {
        finding.test == *test
    }
}

/// The orders that fail because of what a finding says: those of its own victims, and those of victims' findings.
fn orders(stored: &StoredRun, index: usize) -> Vec<TestOrder> {
    let (document, suite) = (&stored.document, &stored.session.suite);
    let finding = &document.findings[index];
    let Details::Polluter(state) = &finding.details else {
        return Vec::new();
    };
    let mut found: BTreeSet<TestOrder> = BTreeSet::new();
    let first = stored.replays.get(finding.id.as_str());
    if let Some(polluter) = first.and_then(|replay| replay.tests.first()) {
        let victims = state.victims.iter().filter_map(|victim| suite.find(&victim.test));
        found.extend(victims.map(|victim| vec![*polluter, victim]));
    }
    for other in &document.findings {
        let Details::Victim(victim) = &other.details else {
            continue;
        };
        let Some(harmed) = suite.find(&other.test) else {
            continue;
        };
        if victim.state.as_ref().is_some_and(|path| *path != state.path) {
            continue;
        }
        let is_author = |test: &&TestId| is_author(finding, state, test);
        let direct = victim.polluters.iter().filter(is_author);
        found.extend(direct.filter_map(|polluter| Some(vec![suite.find(polluter)?, harmed])));
        let is_longer = victim.order.len() > 2;
        if is_longer && victim.order.iter().any(|test| is_author(&test)) {
            let order: Option<TestOrder> = victim.order.iter().map(|test| suite.find(test)).collect();
            found.extend(order);
        }
    }
    let can_run = |order: &TestOrder| {
        let launch = order.last().and_then(|test| suite[*test].launch);
        launch.is_some() && order.iter().all(|test| suite[*test].launch == launch)
    };
    found.into_iter().filter(can_run).collect()
}

/// The search for one spill.
struct SpillSearch {
    /// The next to try is the last.
    open: Vec<Candidate>,
    tries: usize,
    refused: Vec<TriedRepair>,
    result: Option<Result<Repaired, String>>,
}

/// Searches repairs for all spills; one result for each.
pub(crate) fn search(
    stored: &StoredRun,
    spills: &[Spill],
    sources: &ProjectSources,
    trials: &mut Trials<'_>,
    progress: &mut dyn FnMut(),
) -> Vec<Searched> {
    let begin = |spill: &Spill| begin(stored, spill, sources);
    let mut searches: Vec<SpillSearch> = spills.iter().map(begin).collect();
    drop_changed(&mut searches, sources, trials);
    loop {
        let wave = wave(&mut searches, sources);
        if wave.is_empty() {
            break;
        }
        let attempts: Vec<Attempt> = wave
            .iter()
            .map(|(spill, _, texts)| Attempt {
                patient: *spill,
                texts: texts.clone(),
            })
            .collect();
        for pack in trials.compile(&attempts) {
            for member in &pack.members {
                let (spill, candidate, texts) = &wave[*member];
                let tried = match &pack.launches {
                    Ok(launches) => try_one(trials, launches, &spills[*spill], texts),
                    Err(why) => Err(format!("the repair does not compile: {why}")),
                };
                let search = &mut searches[*spill];
                match tried {
                    Ok(()) => {
                        search.result = Some(Ok(repaired(candidate, texts)));
                        progress();
                    }
                    Err(why) => search.refused.push(TriedRepair {
                        strategy: candidate.strategy.to_owned(),
                        why: format!("{}: {why}", candidate.why),
                    }),
                }
            }
        }
        if trials.is_cancelled() {
            break;
        }
    }
    searches.into_iter().map(SpillSearch::end).collect()
}

/// Whatever a candidate edits must be the source of the class that ran.
fn drop_changed(searches: &mut [SpillSearch], sources: &ProjectSources, trials: &mut Trials<'_>) {
    let files = |search: &SpillSearch| -> BTreeSet<String> {
        let edited = search.open.iter().flat_map(|candidate| candidate.edits.keys());
        edited.cloned().collect()
    };
    let all: BTreeSet<String> = searches.iter().flat_map(files).collect();
    if all.is_empty() {
        return;
    }
    let compiled = compare(&all, sources, &mut trials.overlays);
    // Ctrl-C ends the compiler too; then it told nothing about sources.
    if trials.is_cancelled() {
        return;
    }
    for search in searches.iter_mut().filter(|search| search.result.is_none()) {
        let files: Vec<String> = files(search).into_iter().collect();
        if let Some(why) = why_not(&files, &compiled) {
            search.result = Some(Err(why));
        }
    }
}

/// The next candidate of each spill that has none yet. Those that edit the same file wait for each other, since a wrong
/// edit of one would be held against the other.
fn wave(searches: &mut [SpillSearch], sources: &ProjectSources) -> Vec<(usize, Candidate, Texts)> {
    let mut touched: BTreeSet<String> = BTreeSet::new();
    let mut wave = Vec::new();
    for (index, search) in searches.iter_mut().enumerate() {
        if search.result.is_some() || search.tries >= MOST_TRIES {
            continue;
        }
        let is_free = |candidate: &Candidate| candidate.edits.keys().all(|path| !touched.contains(path));
        let Some(candidate) = search.open.pop_if(|candidate| is_free(candidate)) else {
            continue;
        };
        let texts: Option<Texts> = candidate
            .edits
            .iter()
            .map(|(path, edits)| Some((path.clone(), edits.apply(&sources.original(path)?.text))))
            .collect();
        if let Some(texts) = texts {
            touched.extend(texts.keys().cloned());
            search.tries += 1;
            wave.push((index, candidate, texts));
        }
    }
    wave
}

fn begin(stored: &StoredRun, spill: &Spill, sources: &ProjectSources) -> SpillSearch {
    let (open, result) = match candidates(stored, spill, sources) {
        Ok(mut candidates) => {
            candidates.reverse();
            (candidates, None)
        }
        Err(why) => (Vec::new(), Some(Err(why))),
    };
    SpillSearch {
        open,
        tries: 0,
        refused: Vec::new(),
        result,
    }
}

/// What may be done about a spill, best first.
fn candidates(stored: &StoredRun, spill: &Spill, sources: &ProjectSources) -> Result<Vec<Candidate>, String> {
    let finding = &stored.document.findings[spill.finding];
    let Details::Polluter(state) = &finding.details else {
        return Err("it leaves no state behind".to_owned());
    };
    let suite = &stored.session.suite;
    let name = |test: &TestIx| suite[*test].id.test.clone();
    let victims: BTreeSet<String> = spill
        .orders
        .iter()
        .filter_map(|order| order.last())
        .map(name)
        .collect();
    let victims: Vec<String> = victims.into_iter().collect();
    let none = Texts::new();
    let texts = sources.with(&none);
    let found = polluter_candidates(&Polluted {
        test: &finding.test.test,
        by_class: state.by_class,
        state: state.state,
        held_by: &state.held_by,
        path: &state.path,
        old: state.old.as_deref(),
        victims: &victims,
        cleaners: &cleaners(&stored.document, &victims),
        sources: &texts,
    });
    let class = finding.test.test.split('#').next().unwrap_or_default();
    if found.is_empty() && texts.of_class(class).is_none() {
        return Err(format!("the source of `{class}` was not found, or is not Java"));
    }
    if found.is_empty() {
        return Err(format!(
            "the code has no way of its own to put `{}` back",
            state.path
        ));
    }
    Ok(found)
}

/// Tests that clean up before any of these victims.
fn cleaners(document: &Document, victims: &[String]) -> Vec<String> {
    let of_victim = document
        .findings
        .iter()
        .filter_map(|finding| match &finding.details {
            Details::Victim(victim) if victims.contains(&finding.test.test) => Some(&victim.cleaners),
            _ => None,
        });
    of_victim.flatten().map(|cleaner| cleaner.test.clone()).collect()
}

/// Once is enough here: what is chosen is proved as often as it takes, with all other patches. An error says what is
/// wrong.
fn try_one(
    trials: &Trials<'_>,
    launches: &[unflake_runner::Launch],
    spill: &Spill,
    texts: &Texts,
) -> Result<(), String> {
    let name = |test: TestIx| trials.session.suite[test].id.test.clone();
    match trials.hold_once(launches, &spill.orders) {
        Held::Passed(_) => {}
        Held::Fails(test) => return Err(format!("`{}` still fails", name(test))),
        Held::NotRun => return Err("its tests could not be run in this order".to_owned()),
    }
    for order in trials.orders_of_edited(texts) {
        if let Some(broken) = trials.newly_failing(launches, &order).first() {
            return Err(format!("it breaks `{}`", name(*broken)));
        }
    }
    Ok(())
}

fn repaired(candidate: &Candidate, texts: &Texts) -> Repaired {
    Repaired {
        texts: texts.clone(),
        applied: vec![Applied {
            strategy: candidate.strategy,
            why: candidate.why.clone(),
            safety: candidate.safety,
        }],
        mutants: 0,
        rounds: 0,
    }
}

impl SpillSearch {
    fn end(self) -> Searched {
        let last = self.refused.last().map(|tried| tried.why.clone());
        let repaired = self.result.unwrap_or_else(|| {
            Err(match last {
                Some(why) => format!("nothing that was tried keeps it away from other tests; last, {why}"),
                None => "nobody had time to try".to_owned(),
            })
        });
        Searched::new(repaired, self.refused)
    }
}

/// What victims come to, from what became of their polluters: all that harm one must be repaired.
pub(crate) fn of_victims(
    plan: &Plan,
    searched: &[Searched],
    document: &Document,
    sources: &ProjectSources,
) -> BTreeMap<usize, Outcome> {
    let outcome = |needed: &Vec<Vec<usize>>| {
        let mut parts: Vec<&Repaired> = Vec::new();
        for spills in needed {
            let found = spills
                .iter()
                .find_map(|spill| searched[*spill].repaired.as_ref().ok());
            match found {
                Some(repaired) => parts.push(repaired),
                None => {
                    let spill = spills.first().map(|spill| &plan.spills[*spill]);
                    let test = spill.map_or("", |spill| document.findings[spill.finding].test.test.as_str());
                    let why = spills
                        .first()
                        .and_then(|spill| searched[*spill].repaired.as_ref().err());
                    let why = why.map_or("", String::as_str);
                    return Outcome::none(format!("its polluter `{test}` is not repaired: {why}"));
                }
            }
        }
        let texts: Vec<&Texts> = parts.iter().map(|repaired| &repaired.texts).collect();
        match super::packs::together(&texts, sources) {
            Some(texts) => Outcome::repaired(Repaired {
                texts,
                applied: parts
                    .iter()
                    .flat_map(|repaired| repaired.applied.clone())
                    .collect(),
                mutants: 0,
                rounds: 0,
            }),
            None => Outcome::none("the patches of its polluters touch the same lines".to_owned()),
        }
    };
    plan.victims
        .iter()
        .map(|(finding, needed)| (*finding, outcome(needed)))
        .collect()
}
