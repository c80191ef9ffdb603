//! The search for repairs: candidates in order, a proof for each, and the next cause where one repair is not enough (R1).
//!
//! All tests are searched for at the same time, wave by wave: in each wave every test that is not repaired yet tries its
//! next candidate, and all these attempts are compiled and run together. So the number of JVMs follows the number of
//! waves, not the number of tests.

mod one;
#[cfg(test)]
mod tests;

pub(crate) use one::{MOST_TRIES, failing};

use super::Texts;
use super::blamed::is_new;
use super::sources::ProjectSources;
use one::{Search, Step};
use std::ops::RangeInclusive;
use unflake_findings::{Cause, Safety, TriedRepair};
use unflake_protocol::{FailureSort, Strategy};
use unflake_repair::{Failing, LAST_RESORT, Libraries, Mutation};

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
    /// With the repair, the test does not run.
    NotRun,
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

impl Repaired {
    pub(crate) fn is_last_resort(&self) -> bool {
        let mut applied = self.applied.iter();
        applied.any(|applied| applied.strategy == LAST_RESORT)
    }
}

/// What a search came to.
#[derive(Clone, Debug)]
pub(crate) struct Searched {
    /// The repair, or why there is none.
    pub(crate) repaired: Result<Repaired, String>,
    /// What did not work.
    pub(crate) refused: Vec<TriedRepair>,
    /// What is proved only if nothing repairs the test.
    suggested: Vec<Step>,
}

impl Searched {
    pub(crate) fn new(repaired: Result<Repaired, String>, refused: Vec<TriedRepair>) -> Searched {
        Searched {
            repaired,
            refused,
            suggested: Vec::new(),
        }
    }
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
    /// A new library first, and then what else is needed.
    Dependency,
    /// What is only shown, for tests that nothing repairs.
    Suggestion,
}

impl Side {
    /// Whether an edit of this kind may be tried for a test of which so many causes are repaired.
    fn takes(self, safety: Safety, causes: usize) -> bool {
        match self {
            Side::Test => matches!(safety, Safety::Test | Safety::Suggestion),
            Side::Main if causes == 0 => safety == Safety::Main,
            Side::Main => matches!(safety, Safety::Test | Safety::Main | Safety::Suggestion),
            Side::Dependency if causes == 0 => safety == Safety::Dependency,
            Side::Dependency => safety <= Safety::Dependency,
            // One suggestion is enough for somebody to think about.
            Side::Suggestion => false,
        }
    }
}

/// What is known without running anything.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) sources: &'a ProjectSources,
    /// By patient.
    pub(crate) libraries: &'a [Libraries],
}

/// The searches for all patients.
struct Searches<'a> {
    patients: &'a [Patient],
    known: Known<'a>,
    all: Vec<Search>,
}

/// What one search tries in a wave.
struct Try {
    /// The index of the search.
    search: usize,
    step: Step,
}

/// A try that ran well. It is kept if its mutants are noticed.
struct Kept {
    search: usize,
    step: Step,
    then: Then,
}

/// What follows a step that is kept.
enum Then {
    Repaired { rounds: u32 },
    NextCause(Box<Cause>),
}

/// Searches repairs for all patients.
pub(crate) fn search(
    patients: &[Patient],
    side: Side,
    known: Known<'_>,
    proofs: &mut dyn Proofs,
    progress: &mut dyn FnMut(usize),
) -> Vec<Searched> {
    let searches = Searches::begin(patients, side, known);
    searches
        .run(proofs, progress)
        .into_iter()
        .map(Search::end)
        .collect()
}

/// By patient what may be suggested where none of these searches found a repair.
pub(crate) fn suggest(
    patients: &[Patient],
    searched: &[&[Searched]],
    known: Known<'_>,
    proofs: &mut dyn Proofs,
) -> Vec<Option<Repaired>> {
    let of_patient = |patient: usize| {
        let of_patient: Vec<&Searched> = searched.iter().map(|searched| &searched[patient]).collect();
        let is_open = of_patient.iter().all(|searched| searched.repaired.is_err());
        let suggested = of_patient.iter().flat_map(|searched| searched.suggested.clone());
        is_open.then(|| Search::of_suggestions(patient, suggested.collect()))
    };
    let searches = Searches {
        patients,
        known,
        all: (0..patients.len()).filter_map(of_patient).collect(),
    };
    let mut found = vec![None; patients.len()];
    for search in searches.run(proofs, &mut |_| {}) {
        found[search.patient] = search.repaired;
    }
    found
}

impl<'a> Searches<'a> {
    fn begin(patients: &'a [Patient], side: Side, known: Known<'a>) -> Searches<'a> {
        let begin = |(index, patient): (usize, &Patient)| {
            let mut search = Search::new(index, side);
            search.push(&Step::default(), patient, &patient.cause, known);
            search
        };
        Searches {
            patients,
            known,
            all: patients.iter().enumerate().map(begin).collect(),
        }
    }

    /// Wave by wave, until nothing is left to try.
    fn run(mut self, proofs: &mut dyn Proofs, progress: &mut dyn FnMut(usize)) -> Vec<Search> {
        loop {
            let wave = self.next_wave();
            if wave.is_empty() {
                break;
            }
            if proofs.is_cancelled() {
                self.interrupt(&wave);
                break;
            }
            let kept = self.prove(wave, proofs);
            self.keep(kept, proofs, progress);
        }
        self.all
    }

    /// One try of each search that has one left.
    fn next_wave(&mut self) -> Vec<Try> {
        let tries = self.all.iter_mut().enumerate();
        tries
            .filter_map(|(search, searching)| {
                let step = searching.next()?;
                Some(Try { search, step })
            })
            .collect()
    }

    fn interrupt(&mut self, wave: &[Try]) {
        for tried in wave {
            self.all[tried.search].interrupted = true;
        }
    }

    /// Runs a wave. What runs well is left; the others are refused, or go on with renewed literals.
    fn prove(&mut self, wave: Vec<Try>, proofs: &mut dyn Proofs) -> Vec<Kept> {
        let attempts: Vec<Attempt> = wave
            .iter()
            .map(|tried| Attempt {
                patient: self.all[tried.search].patient,
                texts: tried.step.texts.clone(),
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
        let mut kept = Vec::new();
        for (Try { search, step }, proved) in wave.into_iter().zip(proved) {
            let searching = &mut self.all[search];
            let patient = &self.patients[searching.patient];
            let then = match proved {
                Proved::Passed { rounds } => Then::Repaired { rounds },
                Proved::FailsVaried(_) => match causes.next().flatten() {
                    Some(cause) if is_new(&cause, &step.blamed, self.known, &step.texts) => {
                        Then::NextCause(Box::new(cause))
                    }
                    _ => {
                        searching.cut_or_refuse(is_cut, &step, "the test still fails with other orders");
                        continue;
                    }
                },
                Proved::FailsUnvaried(failing) => {
                    searching.renew(step, &failing, patient, self.known);
                    continue;
                }
                Proved::NotCompiled(why) => {
                    searching.refuse(&step, &format!("the repair does not compile: {why}"));
                    continue;
                }
                Proved::NotRun => {
                    searching.refuse(&step, "with the repair, the test does not run");
                    continue;
                }
                Proved::Breaks(test) => {
                    searching.refuse(&step, &format!("the repair breaks `{test}`"));
                    continue;
                }
                Proved::Cancelled => {
                    searching.interrupted = true;
                    continue;
                }
            };
            kept.push(Kept { search, step, then });
        }
        kept
    }

    /// Mistakes must be noticed before an edit is kept, whether it is the last one or not.
    fn keep(&mut self, kept: Vec<Kept>, proofs: &mut dyn Proofs, progress: &mut dyn FnMut(usize)) {
        let mutants: Vec<MutantAttempt> = kept.iter().flat_map(|kept| kept.step.mutants.clone()).collect();
        let mut noticed = proofs.notice(&mutants).into_iter();
        let is_cut = proofs.is_cancelled();
        for Kept {
            search,
            mut step,
            then,
        } in kept
        {
            let of_step: Vec<Result<(), String>> = noticed.by_ref().take(step.mutants.len()).collect();
            let searching = &mut self.all[search];
            if let Some(why) = unnoticed(&step.mutants, &of_step) {
                searching.cut_or_refuse(is_cut, &step, &why);
                continue;
            }
            step.noticed += u32::try_from(step.mutants.len()).unwrap_or(u32::MAX);
            match then {
                Then::Repaired { rounds } => {
                    searching.repaired = Some(Repaired {
                        texts: step.texts,
                        applied: step.applied,
                        mutants: step.noticed,
                        rounds,
                    });
                    progress(searching.patient);
                }
                Then::NextCause(cause) => {
                    let patient = &self.patients[searching.patient];
                    searching.refuse(&step, "what is left of the failure could not be repaired");
                    searching.push(&step, patient, &cause, self.known);
                }
            }
        }
    }
}

/// The first mistake that the repaired test would overlook, in words.
fn unnoticed(mutants: &[MutantAttempt], noticed: &[Result<(), String>]) -> Option<String> {
    mutants.iter().zip(noticed).find_map(|(mutant, noticed)| {
        let why = noticed.as_ref().err()?;
        let mistake = mutant.mutation.name();
        Some(format!("the repaired test would not notice {mistake}: {why}"))
    })
}
