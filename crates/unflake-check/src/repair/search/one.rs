//! The search for one test: what is tried next, and what comes of it.

use super::{
    Applied, Attempt, INTERRUPTED, Known, MutantAttempt, NOTHING_FITS, Patient, Repaired, Searched, Side,
};
use crate::repair::Texts;
use crate::repair::blamed::{Blamed, Seen, current, line_of};
use crate::repair::sources::is_build_file;
use std::collections::BTreeSet;
use unflake_findings::{Cause, Safety, TriedRepair};
use unflake_repair::{Candidate, Clues, Failing, LAST_RESORT, candidates, observed, renewed};

/// Attempts for one test in one search.
pub(crate) const MOST_TRIES: usize = 16;
/// Causes of one test that are repaired one after the other.
const MOST_CAUSES: usize = 4;
/// Expected literals that are renewed for one test.
const MOST_RENEWED: usize = 6;
/// Attempts of the last resort, after all others.
const MOST_LAST: usize = 2;
/// Suggestions for one test that are proved.
const MOST_SUGGESTED: usize = 4;
/// Strategies after which an order is always the same.
const FIXES_ORDER: [&str; 2] = ["linked-hash", "sort-members"];

/// One step of a search: edits that are still to be proved.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    pub(super) texts: Texts,
    pub(super) applied: Vec<Applied>,
    /// Of the last edit.
    pub(super) mutants: Vec<MutantAttempt>,
    /// Mutants of earlier edits that were noticed.
    pub(super) noticed: u32,
    /// What was blamed until now: each as it was, and as it is after its edit.
    pub(super) blamed: BTreeSet<Blamed>,
    /// Causes that were met until now.
    pub(super) causes: usize,
    pub(super) renewed: usize,
}

/// The search for one patient.
pub(super) struct Search {
    pub(super) patient: usize,
    pub(super) side: Side,
    /// The next to try is the last.
    pub(super) open: Vec<Step>,
    /// The same for what comes after everything else.
    pub(super) last: Vec<Step>,
    /// What is proved only if nothing repairs the test.
    pub(super) suggested: Vec<Step>,
    pub(super) seen: BTreeSet<Texts>,
    pub(super) tries: usize,
    /// What did not work, and why.
    pub(super) refused: Vec<TriedRepair>,
    pub(super) repaired: Option<Repaired>,
    /// The user ended it before everything was tried.
    pub(super) interrupted: bool,
}

impl Search {
    pub(super) fn new(patient: usize, side: Side) -> Search {
        Search {
            patient,
            side,
            open: Vec::new(),
            last: Vec::new(),
            suggested: Vec::new(),
            seen: BTreeSet::new(),
            tries: 0,
            refused: Vec::new(),
            repaired: None,
            interrupted: false,
        }
    }

    /// The search for a suggestion, among those that other searches of this patient met.
    pub(super) fn of_suggestions(patient: usize, mut suggested: Vec<Step>) -> Search {
        suggested.reverse();
        Search {
            open: suggested,
            ..Search::new(patient, Side::Suggestion)
        }
    }

    pub(super) fn next(&mut self) -> Option<Step> {
        if self.repaired.is_some() {
            return None;
        }
        let most = match self.side {
            Side::Test | Side::Main | Side::Dependency => MOST_TRIES,
            Side::Suggestion => MOST_SUGGESTED,
        };
        loop {
            let step = (self.tries < most).then(|| self.open.pop()).flatten();
            let last = || (self.tries < most + MOST_LAST).then(|| self.last.pop()).flatten();
            let step = step.or_else(last)?;
            // A pair of place and strategy is never tried twice.
            if self.seen.insert(step.texts.clone()) {
                self.tries += 1;
                return Some(step);
            }
        }
    }

    /// Adds what may be done about a cause, on top of a step.
    pub(super) fn push(&mut self, step: &Step, patient: &Patient, cause: &Cause, known: Known<'_>) {
        if step.causes >= MOST_CAUSES {
            return;
        }
        let sources = known.sources.with(&step.texts);
        let failing = failing(patient, cause).as_compared(&sources);
        let mut more: Vec<Step> = Vec::new();
        for choice in &cause.choices {
            let clues = Clues {
                failing: &failing,
                choice,
                choices: cause.choices.len(),
                sources: &sources,
                libraries: &known.libraries[self.patient],
            };
            let mut blamed = step.blamed.clone();
            let seen = Seen::of(choice, cause);
            blamed.insert(seen.blamed(known, &step.texts));
            let wanted = candidates(&clues)
                .into_iter()
                .filter(|candidate| self.side.takes(candidate.safety, step.causes));
            more.extend(wanted.filter_map(|candidate| {
                let after = seen.moved(&candidate, &step.texts, known);
                let mut next = self.step(step, candidate, &blamed, known)?;
                // The edit may have changed the very lines that are blamed.
                next.blamed.insert(after.blamed(known, &next.texts));
                Some(next)
            }));
        }
        for next in more.into_iter().rev() {
            match next.applied.last() {
                Some(applied) if applied.safety == Safety::Suggestion => self.suggested.insert(0, next),
                Some(applied) if applied.strategy == LAST_RESORT => self.last.push(next),
                _ => self.open.push(next),
            }
        }
    }

    fn step(
        &self,
        before: &Step,
        candidate: Candidate,
        blamed: &BTreeSet<Blamed>,
        known: Known<'_>,
    ) -> Option<Step> {
        let old = |path: &str| current(path, &before.texts, known);
        let mut texts = before.texts.clone();
        for (path, edits) in &candidate.edits {
            // A library is added once.
            if is_build_file(path) && texts.contains_key(path) {
                continue;
            }
            texts.insert(path.clone(), edits.apply(&old(path)?));
        }
        let mut mutants = Vec::new();
        if let Some((path, statement)) = &candidate.assertion {
            for mutant in &candidate.mutants {
                let text = mutant.edits.apply(&old(path)?);
                let line = |byte: usize| line_of(&text, mutant.edits.moved(byte));
                let lines = line(statement.start)..=line(statement.end);
                let mut mutated = texts.clone();
                mutated.insert(path.clone(), text);
                mutants.push(MutantAttempt {
                    mutation: mutant.mutation,
                    attempt: Attempt {
                        patient: self.patient,
                        texts: mutated,
                    },
                    file: path.clone(),
                    lines,
                });
            }
        }
        let mut applied = before.applied.clone();
        applied.push(Applied {
            strategy: candidate.strategy,
            why: candidate.why,
            safety: candidate.safety,
        });
        Some(Step {
            texts,
            applied,
            mutants,
            noticed: before.noticed,
            blamed: blamed.clone(),
            causes: before.causes + 1,
            renewed: before.renewed,
        })
    }

    /// An order that is fixed now may be another one than the expected literal has (R6).
    pub(super) fn renew(&mut self, step: Step, failing: &Failing, patient: &Patient, known: Known<'_>) {
        let is_fixed = step
            .applied
            .iter()
            .any(|applied| FIXES_ORDER.contains(&applied.strategy));
        if !is_fixed || step.renewed >= MOST_RENEWED {
            return self.refuse(&step, "the test fails without any variation after the repair");
        }
        let sources = known.sources.with(&step.texts);
        let failing = failing.clone().as_compared(&sources);
        let (path, edits) = match renewed(&failing, &sources) {
            Ok(renewed) => renewed,
            Err(why) => {
                let suggested = observed(&failing, &sources);
                let blamed = step.blamed.clone();
                let suggested = suggested.and_then(|candidate| self.step(&step, candidate, &blamed, known));
                self.suggest(suggested);
                let why = format!(
                    "the order is fixed now, but the expected value of `{}` cannot be renewed: {why}",
                    patient.test
                );
                return self.refuse(&step, &why);
            }
        };
        let Some(old) = current(&path, &step.texts, known) else {
            return;
        };
        let mut next = step;
        next.texts.insert(path, edits.apply(&old));
        next.applied.push(Applied {
            strategy: "renew-literal",
            why: "write the expected value in the order that is fixed now".to_owned(),
            safety: Safety::Test,
        });
        next.renewed += 1;
        // In test code, a changed literal is what maintainers like least: everything else comes before it.
        match self.side {
            Side::Test => self.open.insert(0, next),
            Side::Main | Side::Dependency | Side::Suggestion => self.open.push(next),
        }
        // It is the same candidate, not a new one.
        self.tries = self.tries.saturating_sub(1);
    }

    /// Keeps a suggestion for later, or tries it next where nothing else is searched for.
    fn suggest(&mut self, suggested: Option<Step>) {
        match self.side {
            Side::Test | Side::Main | Side::Dependency => self.suggested.extend(suggested),
            Side::Suggestion => self.open.extend(suggested),
        }
    }

    /// What did not run to its end is no reason to refuse anything.
    pub(super) fn cut_or_refuse(&mut self, is_cut: bool, step: &Step, why: &str) {
        if is_cut {
            self.interrupted = true;
        } else {
            self.refuse(step, why);
        }
    }

    pub(super) fn refuse(&mut self, step: &Step, why: &str) {
        let strategy = step.applied.last().map_or("", |applied| applied.strategy);
        self.refused.push(TriedRepair {
            strategy: strategy.to_owned(),
            why: why.to_owned(),
        });
    }

    pub(super) fn end(self) -> Searched {
        let (tries, interrupted) = (self.tries, self.interrupted);
        let last = self.refused.last().map(|refused| refused.why.clone());
        let repaired = self.repaired.ok_or_else(|| match last {
            _ if interrupted => INTERRUPTED.to_owned(),
            Some(why) if tries > 1 => format!("{tries} repairs were tried; of the last one, {why}"),
            Some(why) => why,
            None => NOTHING_FITS.to_owned(),
        });
        Searched {
            repaired,
            refused: self.refused,
            suggested: self.suggested,
        }
    }
}

pub(crate) fn failing(patient: &Patient, cause: &Cause) -> Failing {
    Failing {
        test: patient.test.clone(),
        sort: patient.sort,
        exception: patient.exception.clone(),
        message: cause.message.clone().unwrap_or_default(),
        expected: cause.expected.clone(),
        actual: cause.actual.clone(),
        frames: cause.failed_at.clone(),
    }
}
