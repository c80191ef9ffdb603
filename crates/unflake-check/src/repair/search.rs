//! The search for repairs: candidates in order, a proof for each, and the next cause where one repair is not enough (R1).
//!
//! All tests are searched for at the same time, wave by wave: in each wave every test that is not repaired yet tries its
//! next candidate, and all these attempts are compiled and run together. So the number of JVMs follows the number of
//! waves, not the number of tests.

#[cfg(test)]
mod tests;

use super::Texts;
use super::sources::ProjectSources;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use unflake_findings::{Cause, CauseStatus, Choice, Safety, SourcePlace, TriedRepair};
use unflake_protocol::{FailureSort, Strategy};
use unflake_repair::{Candidate, Clues, Edits, Failing, JavaFile, Libraries, Mutation, candidates, renewed};

/// Attempts for one test in one search.
pub(crate) const MOST_TRIES: usize = 16;
/// Causes of one test that are repaired one after the other.
const MOST_CAUSES: usize = 4;
/// Expected literals that are renewed for one test.
const MOST_RENEWED: usize = 6;

/// Why nothing was tried.
pub(crate) const NOTHING_FITS: &str = "no strategy fits this failure";
/// Why nothing more was tried.
pub(crate) const INTERRUPTED: &str = "it was interrupted before a repair was found; run `unflake fix` again";

/// A test to repair.
#[derive(Clone, Debug)]
pub(crate) struct Patient {
    /// `package.Class#method`.
    pub(crate) test: String,
    pub(crate) sort: FailureSort,
    pub(crate) exception: String,
    pub(crate) cause: Cause,
}

/// Files as they would be if a repair were applied.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Attempt {
    /// The index of the patient.
    pub(crate) patient: usize,
    pub(crate) texts: Texts,
}

/// What running showed of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Proved {
    NotCompiled(String),
    FailsUnvaried(Box<Failing>),
    /// Another test of an edited class fails.
    Breaks(String),
    FailsVaried(Strategy),
    Passed {
        rounds: u32,
    },
    Cancelled,
}

/// A repair with a mistake in it, and where it must be noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MutantAttempt {
    pub(crate) mutation: Mutation,
    pub(crate) attempt: Attempt,
    pub(crate) file: String,
    pub(crate) lines: RangeInclusive<u32>,
}

/// What runs attempts: JVMs, or a table in our own tests.
pub(crate) trait Proofs {
    fn prove(&mut self, attempts: &[Attempt]) -> Vec<Proved>;

    /// For each mutant whether its assertion noticed the mistake; else what happened instead.
    fn notice(&mut self, mutants: &[MutantAttempt]) -> Vec<Result<(), String>>;

    /// Why attempts fail when they vary in this way; `None`: it is not known.
    fn causes(&mut self, failing: &[(Attempt, Strategy)]) -> Vec<Option<Cause>>;

    /// Whether the user wants it to end. What ran until then may not have come to its end.
    fn is_cancelled(&self) -> bool;
}

/// A repair that was proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repaired {
    pub(crate) texts: Texts,
    pub(crate) applied: Vec<Applied>,
    pub(crate) mutants: u32,
    pub(crate) rounds: u32,
}

/// What a search came to.
#[derive(Clone, Debug)]
pub(crate) struct Searched {
    /// The repair, or why there is none.
    pub(crate) repaired: Result<Repaired, String>,
    /// What did not work.
    pub(crate) refused: Vec<TriedRepair>,
}

/// One edit of a repair.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Applied {
    pub(crate) strategy: &'static str,
    pub(crate) why: String,
    pub(crate) safety: Safety,
}

/// What a search may edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Test code only.
    Test,
    /// Main code first, and what test code needs beside it.
    Main,
}

/// What is known without running anything.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) sources: &'a ProjectSources,
    /// By patient.
    pub(crate) libraries: &'a [Libraries],
}

/// One step of a search: edits that are still to be proved.
#[derive(Clone, Debug)]
struct Step {
    texts: Texts,
    applied: Vec<Applied>,
    /// Of the last edit.
    mutants: Vec<MutantAttempt>,
    /// Mutants of earlier edits that were noticed.
    noticed: u32,
    /// What was blamed until now: each as it was, and as it is after its edit.
    blamed: BTreeSet<Blamed>,
    /// Causes that were met until now.
    causes: usize,
    renewed: usize,
}

/// A choice and where the test failed, independent of the numbers of lines, which edits change: several assertions of
/// a test may see one choice.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Blamed {
    api: String,
    call: String,
    allocation: String,
    assertion: String,
}

/// The search for one patient.
struct Search {
    patient: usize,
    side: Side,
    /// The next to try is the last.
    open: Vec<Step>,
    seen: BTreeSet<Texts>,
    tries: usize,
    /// What did not work, and why.
    refused: Vec<TriedRepair>,
    repaired: Option<Repaired>,
    /// The user ended it before everything was tried.
    interrupted: bool,
}

/// Searches repairs for all patients.
pub(crate) fn search(
    patients: &[Patient],
    side: Side,
    known: Known<'_>,
    proofs: &mut dyn Proofs,
    progress: &mut dyn FnMut(usize),
) -> Vec<Searched> {
    let begin = |(index, patient): (usize, &Patient)| {
        let start = Step {
            texts: Texts::new(),
            applied: Vec::new(),
            mutants: Vec::new(),
            noticed: 0,
            blamed: BTreeSet::new(),
            causes: 0,
            renewed: 0,
        };
        let mut search = Search {
            patient: index,
            side,
            open: Vec::new(),
            seen: BTreeSet::new(),
            tries: 0,
            refused: Vec::new(),
            repaired: None,
            interrupted: false,
        };
        let is_wanted = |candidate: &Candidate| match side {
            Side::Test => candidate.safety == Safety::Test,
            Side::Main => candidate.safety == Safety::Main,
        };
        search.push(&start, patient, &patient.cause, known, &is_wanted);
        search
    };
    let mut searches: Vec<Search> = patients.iter().enumerate().map(begin).collect();
    let is_wanted = |candidate: &Candidate| match side {
        Side::Test => candidate.safety == Safety::Test,
        Side::Main => candidate.safety <= Safety::Main,
    };
    loop {
        let mut wave: Vec<(usize, Step)> = Vec::new();
        for (index, search) in searches.iter_mut().enumerate() {
            if let Some(step) = search.next() {
                wave.push((index, step));
            }
        }
        if wave.is_empty() {
            break;
        }
        if proofs.is_cancelled() {
            for (index, _) in wave {
                searches[index].interrupted = true;
            }
            break;
        }
        let attempts: Vec<Attempt> = wave
            .iter()
            .map(|(index, step)| Attempt {
                patient: searches[*index].patient,
                texts: step.texts.clone(),
            })
            .collect();
        let proved = proofs.prove(&attempts);
        let failing: Vec<(Attempt, Strategy)> = attempts
            .iter()
            .zip(&proved)
            .filter_map(|(attempt, proved)| match proved {
                Proved::FailsVaried(strategy) => Some((attempt.clone(), *strategy)),
                _ => None,
            })
            .collect();
        let mut causes = proofs.causes(&failing).into_iter();
        let is_cut = proofs.is_cancelled();
        // Mistakes must be noticed before an edit is kept, whether it is the last one or not.
        let mut kept: Vec<(usize, Step, Option<Cause>, u32)> = Vec::new();
        for ((index, step), proved) in wave.into_iter().zip(proved) {
            let search = &mut searches[index];
            let patient = &patients[search.patient];
            match proved {
                Proved::Passed { rounds } => kept.push((index, step, None, rounds)),
                Proved::FailsVaried(_) => match causes.next().flatten() {
                    Some(cause) if is_new(&cause, &step.blamed, known, &step.texts) => {
                        kept.push((index, step, Some(cause), 0));
                    }
                    _ if is_cut => search.interrupted = true,
                    _ => search.refuse(&step, "the test still fails with other orders"),
                },
                Proved::FailsUnvaried(failing) => search.renew(step, &failing, patient, known),
                Proved::NotCompiled(why) => {
                    search.refuse(&step, &format!("the repair does not compile: {why}"))
                }
                Proved::Breaks(test) => search.refuse(&step, &format!("the repair breaks `{test}`")),
                Proved::Cancelled => search.interrupted = true,
            }
        }
        let mutants: Vec<MutantAttempt> = kept
            .iter()
            .flat_map(|(_, step, ..)| step.mutants.clone())
            .collect();
        let mut noticed = proofs.notice(&mutants).into_iter();
        let is_cancelled = proofs.is_cancelled();
        for (index, step, cause, rounds) in kept {
            let of_step: Vec<Result<(), String>> = noticed.by_ref().take(step.mutants.len()).collect();
            let search = &mut searches[index];
            let unnoticed = step.mutants.iter().zip(&of_step).find_map(|(mutant, noticed)| {
                let why = noticed.as_ref().err()?;
                Some(format!(
                    "the repaired test would not notice {}: {why}",
                    mutant.mutation.name()
                ))
            });
            if let Some(why) = unnoticed {
                if is_cancelled {
                    search.interrupted = true;
                } else {
                    search.refuse(&step, &why);
                }
                continue;
            }
            let count = step.noticed + u32::try_from(step.mutants.len()).unwrap_or(u32::MAX);
            match cause {
                None => {
                    search.repaired = Some(Repaired {
                        texts: step.texts,
                        applied: step.applied,
                        mutants: count,
                        rounds,
                    });
                    progress(search.patient);
                }
                Some(cause) => {
                    let step = Step {
                        noticed: count,
                        ..step
                    };
                    let patient = &patients[search.patient];
                    search.refuse(&step, "what is left of the failure could not be repaired");
                    search.push(&step, patient, &cause, known, &is_wanted);
                }
            }
        }
    }
    searches.into_iter().map(Search::end).collect()
}

impl Search {
    fn next(&mut self) -> Option<Step> {
        if self.repaired.is_some() || self.tries >= MOST_TRIES {
            return None;
        }
        while let Some(step) = self.open.pop() {
            // A pair of place and strategy is never tried twice.
            if self.seen.insert(step.texts.clone()) {
                self.tries += 1;
                return Some(step);
            }
        }
        None
    }

    /// Adds what may be done about a cause, on top of a step.
    fn push(
        &mut self,
        step: &Step,
        patient: &Patient,
        cause: &Cause,
        known: Known<'_>,
        is_wanted: &dyn Fn(&Candidate) -> bool,
    ) {
        if step.causes >= MOST_CAUSES {
            return;
        }
        let sources = known.sources.with(&step.texts);
        let failing = failing(patient, cause).as_compared(&sources);
        let mut more = Vec::new();
        for choice in &cause.choices {
            let clues = Clues {
                failing: &failing,
                choice,
                sources: &sources,
                libraries: &known.libraries[self.patient],
            };
            let mut blamed = step.blamed.clone();
            let seen = Seen::of(choice, cause);
            blamed.insert(seen.blamed(known, &step.texts));
            let wanted = candidates(&clues)
                .into_iter()
                .filter(|candidate| is_wanted(candidate));
            more.extend(wanted.filter_map(|candidate| {
                let after = seen.moved(&candidate, &step.texts, known);
                let mut next = self.step(step, candidate, &blamed, known)?;
                // The edit may have changed the very lines that are blamed.
                next.blamed.insert(after.blamed(known, &next.texts));
                Some(next)
            }));
        }
        self.open.extend(more.into_iter().rev());
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
    fn renew(&mut self, step: Step, failing: &Failing, patient: &Patient, known: Known<'_>) {
        let is_fixed = step
            .applied
            .iter()
            .any(|applied| FIXES_ORDER.contains(&applied.strategy));
        if !is_fixed || step.renewed >= MOST_RENEWED {
            return self.refuse(&step, "the test fails without any variation after the repair");
        }
        let sources = known.sources.with(&step.texts);
        let (path, edits) = match renewed(&failing.clone().as_compared(&sources), &sources) {
            Ok(renewed) => renewed,
            Err(why) => {
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
            Side::Main => self.open.push(next),
        }
        // It is the same candidate, not a new one.
        self.tries = self.tries.saturating_sub(1);
    }

    fn refuse(&mut self, step: &Step, why: &str) {
        let strategy = step.applied.last().map_or("", |applied| applied.strategy);
        self.refused.push(TriedRepair {
            strategy: strategy.to_owned(),
            why: why.to_owned(),
        });
    }

    fn end(self) -> Searched {
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
        }
    }
}

/// Strategies after which an order is always the same.
const FIXES_ORDER: [&str; 2] = ["linked-hash", "sort-members"];

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

/// Whether something else is blamed now.
fn is_new(cause: &Cause, blamed: &BTreeSet<Blamed>, known: Known<'_>, texts: &Texts) -> bool {
    let is_new = |choice: &Choice| !blamed.contains(&Seen::of(choice, cause).blamed(known, texts));
    cause.status == CauseStatus::Found && cause.choices.iter().any(is_new)
}

/// A choice and where the test saw it, by lines.
struct Seen {
    api: String,
    call: Option<SourcePlace>,
    allocation: Option<SourcePlace>,
    assertion: Option<SourcePlace>,
}

impl Seen {
    fn of(choice: &Choice, cause: &Cause) -> Seen {
        let mut frames = cause.failed_at.iter();
        Seen {
            api: choice.api.clone(),
            call: choice.call.clone(),
            allocation: choice.allocation.clone(),
            assertion: frames.find(|place| super::sources::is_test(&place.file)).cloned(),
        }
    }

    fn blamed(&self, known: Known<'_>, texts: &Texts) -> Blamed {
        let line = |place: &Option<SourcePlace>| {
            let place = place.as_ref()?;
            let text = current(&place.file, texts, known)?;
            let line = text.lines().nth((place.line as usize).checked_sub(1)?)?;
            Some(format!("{} {}", place.method, line.trim()))
        };
        Blamed {
            api: self.api.clone(),
            call: line(&self.call).unwrap_or_default(),
            allocation: line(&self.allocation).unwrap_or_default(),
            assertion: line(&self.assertion).unwrap_or_default(),
        }
    }

    /// The same, where its lines are after the edits of a candidate.
    fn moved(&self, candidate: &Candidate, before: &Texts, known: Known<'_>) -> Seen {
        let moved = |place: &SourcePlace| {
            let edits = candidate.edits.get(&place.file)?;
            let old = current(&place.file, before, known)?;
            let line = (place.line as usize).checked_sub(1)?;
            let start: usize = old.split_inclusive('\n').take(line).map(str::len).sum();
            Some(SourcePlace {
                line: line_of(&edits.apply(&old), edits.moved(start)),
                ..place.clone()
            })
        };
        let of = |place: &Option<SourcePlace>| {
            let place = place.as_ref()?;
            Some(moved(place).unwrap_or_else(|| place.clone()))
        };
        Seen {
            api: self.api.clone(),
            call: of(&self.call),
            allocation: of(&self.allocation),
            assertion: of(&self.assertion),
        }
    }
}

/// A file as it is after some edits.
fn current(path: &str, texts: &Texts, known: Known<'_>) -> Option<String> {
    match texts.get(path) {
        Some(text) => Some(text.clone()),
        None => Some(known.sources.original(path)?.text.to_string()),
    }
}

/// The line of a byte, from 1.
fn line_of(text: &str, byte: usize) -> u32 {
    let before = text.as_bytes()[..byte.min(text.len())].iter();
    u32::try_from(before.filter(|c| **c == b'\n').count()).unwrap_or(u32::MAX - 1) + 1
}

/// Attempts that can be compiled together: their edits do not touch each other, and they change the same main code.
pub(crate) fn pack(attempts: &[Attempt], sources: &ProjectSources) -> Vec<(Texts, Vec<usize>)> {
    let mut packs: Vec<(Texts, Vec<usize>)> = Vec::new();
    for (index, attempt) in attempts.iter().enumerate() {
        let joined = packs
            .iter_mut()
            .find_map(|pack| Some((merged(&pack.0, &attempt.texts, sources)?, pack)));
        match joined {
            Some((texts, pack)) => {
                pack.0 = texts;
                pack.1.push(index);
            }
            None => packs.push((attempt.texts.clone(), vec![index])),
        }
    }
    packs
}

/// Both together; `None`: they do not go together, or one would be proved by the main code of the other.
fn merged(one: &Texts, other: &Texts, sources: &ProjectSources) -> Option<Texts> {
    let main = |texts: &Texts| -> BTreeMap<String, String> {
        let main = texts.iter().filter(|(path, _)| !super::sources::is_test(path));
        main.map(|(path, text)| (path.clone(), text.clone())).collect()
    };
    (main(one) == main(other)).then_some(())?;
    together(&[one, other], sources)
}

/// All edits of these texts in one; `None`: some of them touch the same lines, or add methods of the same name.
pub(crate) fn together(all: &[&Texts], sources: &ProjectSources) -> Option<Texts> {
    let mut merged = Texts::new();
    for (path, text) in all.iter().flat_map(|texts| texts.iter()) {
        let both = match merged.get(path) {
            None => text.clone(),
            Some(there) if there == text => continue,
            Some(there) => {
                let old = sources.original(path)?.text;
                let both = Edits::between(&old, there)
                    .merged(&Edits::between(&old, text))?
                    .apply(&old);
                let parsed = JavaFile::parse(path.as_str(), both.as_str()).ok()?;
                (!parsed.has_method_twice()).then_some(both)?
            }
        };
        merged.insert(path.clone(), both);
    }
    Some(merged)
}
