//! From repairs to patches: grouped by cause, proved together, and said of each finding.

mod joined;
#[cfg(test)]
mod tests;
mod together;

use super::outcome::Outcome;
use super::packs::together;
use super::search::{Applied, Repaired};
use super::sources::ProjectSources;
use super::{Grouping, RepairOptions, Repairs, Texts, not_repaired};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use unflake_explore::order::TestOrder;
use unflake_findings::{
    Details, Document, Finding, Repair, RepairCandidate, RepairGroup, RepairProof, RepairStatus, Safety,
};
use unflake_repair::{LAST_RESORT, unified_diff};

/// Old and new bytes of files, by path from the project's root.
type Changed = BTreeMap<String, (Vec<u8>, Vec<u8>)>;

/// Why a patch that was proved alone is not chosen.
const INTERRUPTED: &str =
    "it was interrupted before all patches were proved together; run `unflake fix` again";

/// Patches in the making.
#[derive(Clone)]
pub(crate) struct Patches<'a> {
    document: &'a Document,
    outcomes: &'a BTreeMap<usize, Outcome>,
    options: RepairOptions,
    sources: &'a ProjectSources,
    subjects: &'a Subjects,
    groups: Vec<Group>,
    /// Why findings are not repaired after all.
    refused: BTreeMap<usize, String>,
    /// Tests that ran with all patches.
    module: u32,
    /// Runs in orders that failed before, with all patches, by findings of polluters.
    orders: BTreeMap<usize, u32>,
    /// How the project's own build fails without any patch.
    fails_anyway: Option<String>,
}

#[derive(Clone)]
struct Group {
    findings: Vec<usize>,
    candidates: Vec<Candidate>,
    chosen: Option<usize>,
}

/// One patch: the repairs of some findings of a group together.
#[derive(Clone)]
struct Candidate {
    safety: Safety,
    findings: Vec<usize>,
    applied: BTreeSet<Applied>,
    texts: Texts,
    mutants: u32,
    rounds: u32,
}

/// What proves patches once more when they are together.
#[derive(Debug, Default)]
pub(crate) struct Subjects {
    /// Patients of implementation-dependent findings.
    pub(crate) patients: BTreeMap<usize, usize>,
    /// Orders that must pass, by findings of polluters.
    pub(crate) orders: BTreeMap<usize, Vec<TestOrder>>,
    /// Findings of victims, with that of a polluter.
    pub(crate) victims: BTreeMap<usize, usize>,
}

impl<'a> Patches<'a> {
    pub(crate) fn new(
        document: &'a Document,
        outcomes: &'a BTreeMap<usize, Outcome>,
        options: RepairOptions,
        sources: &'a ProjectSources,
        subjects: &'a Subjects,
    ) -> Patches<'a> {
        let mut by_key: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for index in outcomes.keys() {
            // A victim is repaired by the patch of its polluter.
            let blamed = subjects.victims.get(index).unwrap_or(index);
            let finding = &document.findings[*blamed];
            by_key.entry(key(finding, options.by)).or_default().push(*index);
        }
        let mut patches = Patches {
            document,
            outcomes,
            options,
            sources,
            subjects,
            groups: Vec::new(),
            refused: BTreeMap::new(),
            module: 0,
            orders: BTreeMap::new(),
            fails_anyway: None,
        };
        for mut findings in by_key.into_values() {
            while !findings.is_empty() {
                let group = patches.group(findings);
                let rest = patches.left_over(&group);
                let is_kept = |finding: &usize| !rest.contains(finding);
                let kept = group.findings.iter().copied().filter(is_kept).collect();
                patches.groups.push(if rest.is_empty() {
                    group
                } else {
                    patches.group(kept)
                });
                findings = rest;
            }
        }
        if options.by == Grouping::Cause {
            patches.join_same();
        }
        patches
    }

    /// Causes whose chosen patches are the same share one, such as that of an assertion which many tests inherit.
    fn join_same(&mut self) {
        let mut joined: Vec<Vec<usize>> = Vec::new();
        let mut known: BTreeMap<&Texts, usize> = BTreeMap::new();
        for group in &self.groups {
            let texts = group.chosen.map(|chosen| &group.candidates[chosen].texts);
            match texts.and_then(|texts| known.get(texts)) {
                Some(same) => joined[*same].extend(&group.findings),
                None => {
                    known.extend(texts.map(|texts| (texts, joined.len())));
                    joined.push(group.findings.clone());
                }
            }
        }
        self.groups = joined.into_iter().map(|findings| self.group(findings)).collect();
    }

    /// Findings that the chosen patch of their cause does not repair, and another one may: they get a group of their own.
    fn left_over(&self, group: &Group) -> Vec<usize> {
        let Some(chosen) = group.chosen else {
            return Vec::new();
        };
        let most = self.options.safety;
        let may_be_repaired = |finding: &usize| {
            let repairs = &self.outcomes[finding].repairs;
            repairs.iter().any(|repaired| safety_of(repaired) <= most)
        };
        let repaired = &group.candidates[chosen].findings;
        let others = group.findings.iter().copied();
        others
            .filter(|finding| !repaired.contains(finding) && may_be_repaired(finding))
            .collect()
    }

    fn group(&self, findings: Vec<usize>) -> Group {
        let mut candidates: Vec<Candidate> = Vec::new();
        for safety in [Safety::Test, Safety::Main, Safety::Dependency, Safety::Suggestion] {
            let mut candidate = Candidate {
                safety,
                findings: Vec::new(),
                applied: BTreeSet::new(),
                texts: Texts::new(),
                mutants: 0,
                rounds: u32::MAX,
            };
            for finding in &findings {
                let of_safety = |repaired: &&Repaired| safety_of(repaired) == safety;
                let Some(repaired) = self.outcomes[finding].repairs.iter().find(of_safety) else {
                    continue;
                };
                // What touches the same lines differently gets a group of its own.
                if let Some(texts) = together(&[&candidate.texts, &repaired.texts], self.sources) {
                    candidate.texts = texts;
                    candidate.findings.push(*finding);
                    candidate.applied.extend(repaired.applied.iter().cloned());
                    candidate.mutants += repaired.mutants;
                    candidate.rounds = candidate.rounds.min(repaired.rounds);
                }
            }
            if !candidate.findings.is_empty() {
                candidates.push(candidate);
            }
        }
        let mut group = Group {
            findings,
            candidates,
            chosen: None,
        };
        group.choose(self.options.safety);
        group
    }

    /// The texts of all chosen patches; those that do not go together with earlier ones are dropped.
    fn chosen(&mut self) -> Texts {
        let mut all = Texts::new();
        for group in &mut self.groups {
            let Some(candidate) = group.chosen.map(|chosen| &group.candidates[chosen]) else {
                continue;
            };
            match together(&[&all, &candidate.texts], self.sources) {
                Some(texts) => all = texts,
                None => {
                    for finding in &candidate.findings {
                        let why = "its patch touches the same lines as another one; run `unflake fix` again afterwards";
                        self.refused.insert(*finding, why.to_owned());
                    }
                    group.chosen = None;
                }
            }
        }
        all
    }

    fn runs_in_order(&self, candidate: &Candidate) -> u32 {
        let all = candidate.findings.iter();
        all.filter_map(|finding| self.orders.get(finding)).sum()
    }

    /// What was proved stays, but nothing is chosen: nobody knows whether the patches hold together.
    fn interrupt(&mut self) {
        for group in &mut self.groups {
            let Some(chosen) = group.chosen.take() else {
                continue;
            };
            for finding in &group.candidates[chosen].findings {
                self.refused.insert(*finding, INTERRUPTED.to_owned());
            }
        }
    }

    /// Only these of the chosen patches, proved again if they are not all of them. Their files, and those that do not
    /// hold without the others.
    pub(crate) fn only(
        mut self,
        ids: &BTreeSet<String>,
        prove: impl FnOnce(&mut Self),
    ) -> (Changed, BTreeMap<String, String>) {
        let chosen = |patches: &Self| -> BTreeSet<String> {
            let groups = patches.groups.iter().filter(|group| group.chosen.is_some());
            groups.map(|group| patches.id(group)).collect()
        };
        let all = chosen(&self);
        let wanted: BTreeSet<String> = all.intersection(ids).cloned().collect();
        let names: Vec<String> = self.groups.iter().map(|group| self.id(group)).collect();
        for (group, id) in self.groups.iter_mut().zip(names) {
            // Nobody was asked about the other candidates.
            let shown = group.chosen.take().filter(|_| wanted.contains(&id));
            group.candidates = shown
                .map(|shown| group.candidates.swap_remove(shown))
                .into_iter()
                .collect();
            group.chosen = shown.map(|_| 0);
        }
        if wanted != all && !wanted.is_empty() {
            prove(&mut self);
        }
        let held = chosen(&self);
        let why = |id: &String| {
            let group = self.groups.iter().find(|group| self.id(group) == *id);
            let of_group =
                group.and_then(|group| group.findings.iter().find_map(|one| self.refused.get(one)));
            (id.clone(), of_group.cloned().unwrap_or_default())
        };
        let left_out = wanted.difference(&held).map(why).collect();
        let texts = self.chosen();
        (self.bytes(&texts), left_out)
    }

    /// Takes another candidate, or none, for each group whose chosen one is like this. Whether there was one.
    fn drop_where(&mut self, is_dropped: impl Fn(&Candidate) -> bool, why: &str) -> bool {
        let groups = self.groups.iter().enumerate();
        let dropped = groups
            .filter(|(_, group)| {
                group
                    .chosen
                    .is_some_and(|chosen| is_dropped(&group.candidates[chosen]))
            })
            .map(|(index, _)| index)
            .collect();
        self.drop_groups(&dropped, why)
    }

    /// The same for these groups.
    fn drop_groups(&mut self, which: &BTreeSet<usize>, why: &str) -> bool {
        let mut dropped = false;
        for index in which {
            let group = &mut self.groups[*index];
            let Some(chosen) = group.chosen else {
                continue;
            };
            dropped = true;
            for finding in group.candidates.remove(chosen).findings {
                self.refused.insert(finding, why.to_owned());
            }
            group.choose(self.options.safety);
        }
        dropped
    }

    /// The findings of all chosen patches.
    fn repaired(&self) -> BTreeSet<usize> {
        let chosen = self
            .groups
            .iter()
            .filter_map(|group| Some(&group.candidates[group.chosen?]));
        chosen
            .flat_map(|candidate| candidate.findings.iter().copied())
            .collect()
    }

    fn bytes(&self, texts: &Texts) -> Changed {
        let mut files = BTreeMap::new();
        for (path, text) in texts {
            if let Some(original) = self.sources.original(path) {
                let bytes = |text: &str| original.encoding.encode(text);
                files.insert(path.clone(), (bytes(&original.text), bytes(text)));
            }
        }
        files
    }

    /// The document with all that is known now.
    pub(crate) fn finish(mut self, took: Duration) -> Repairs {
        let texts = self.chosen();
        let files = self.bytes(&texts);
        let mut document = self.document.clone();
        let tests = self.outcomes.len().max(1);
        let each = took.as_secs_f64() / f64::from(u32::try_from(tests).unwrap_or(u32::MAX));
        document.repairs = Vec::new();
        let repaired = self.repaired();
        for (finding, outcome) in self.outcomes {
            let refused = self.refused.get(finding);
            let why = refused.cloned().unwrap_or_else(|| outcome.why.clone());
            let repair = Repair {
                tried: outcome.refused.clone(),
                ..not_repaired(&why)
            };
            *document.findings[*finding].repair_mut() = repair;
        }
        for group in &self.groups {
            if group.candidates.is_empty() {
                continue;
            }
            let shown = self.shown(group, each);
            let (suggested, proved): (Vec<&Candidate>, Vec<&Candidate>) = group
                .candidates
                .iter()
                .partition(|candidate| candidate.safety == Safety::Suggestion);
            for finding in suggested.iter().flat_map(|candidate| &candidate.findings) {
                document.findings[*finding].repair_mut().repair = Some(shown.id.clone());
            }
            for finding in proved.iter().flat_map(|candidate| &candidate.findings) {
                let is_repaired = repaired.contains(finding);
                let offered = || {
                    let refused = self.refused.get(finding).cloned();
                    refused.unwrap_or_else(|| {
                        "only a change of main code repairs it; `--safety main` takes it".to_owned()
                    })
                };
                let repair = Repair {
                    status: if is_repaired {
                        RepairStatus::Repaired
                    } else {
                        RepairStatus::Offered
                    },
                    reason: (!is_repaired).then(offered),
                    repair: Some(shown.id.clone()),
                    tried: self.outcomes[finding].refused.clone(),
                };
                *document.findings[*finding].repair_mut() = repair;
            }
            document.repairs.push(shown);
        }
        Repairs {
            document,
            files,
            left_out: BTreeMap::new(),
            fails_anyway: self.fails_anyway,
        }
    }

    fn id(&self, group: &Group) -> String {
        format!("r-{}", self.document.findings[group.findings[0]].id.as_str())
    }

    fn shown(&self, group: &Group, time: f64) -> RepairGroup {
        let id = |finding: &usize| self.document.findings[*finding].id.clone();
        let candidate = |candidate: &Candidate| RepairCandidate {
            strategy: names(&candidate.applied),
            safety: candidate.safety,
            why: sentences(&candidate.applied),
            files: candidate.texts.keys().cloned().collect(),
            patch: self.patch(&candidate.texts),
            proof: RepairProof {
                mutants: candidate.mutants,
                rounds: candidate.rounds,
                orders: self.runs_in_order(candidate),
                module: self.module,
                time,
            },
            repairs: candidate.findings.iter().map(id).collect(),
        };
        RepairGroup {
            id: self.id(group),
            findings: group.findings.iter().map(id).collect(),
            candidates: group.candidates.iter().map(candidate).collect(),
            chosen: group.chosen,
        }
    }

    fn patch(&self, texts: &Texts) -> String {
        let diffs = texts.iter().filter_map(|(path, text)| {
            let old = self.sources.original(path)?;
            Some(unified_diff(path, &old.text, text))
        });
        diffs.collect()
    }
}

impl Candidate {
    fn is_last_resort(&self) -> bool {
        let mut applied = self.applied.iter();
        applied.any(|applied| applied.strategy == LAST_RESORT)
    }
}

impl Group {
    /// Of those that are allowed, the one that repairs most; of several, the one that disturbs least, but the last resort
    /// last. A suggestion is never allowed.
    fn choose(&mut self, most: Safety) {
        let allowed = self
            .candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.safety <= most);
        let best = allowed.min_by_key(|(_, candidate)| {
            let findings = std::cmp::Reverse(candidate.findings.len());
            (findings, candidate.is_last_resort(), candidate.safety)
        });
        self.chosen = best.map(|(index, _)| index);
    }
}

fn safety_of(repaired: &Repaired) -> Safety {
    let all = repaired.applied.iter().map(|applied| applied.safety);
    all.max().unwrap_or(Safety::Test)
}

/// The strategies of a patch, each once, in the order of their names.
fn names(applied: &BTreeSet<Applied>) -> String {
    let names: BTreeSet<&str> = applied.iter().map(|applied| applied.strategy).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

fn sentences(applied: &BTreeSet<Applied>) -> String {
    /// More would be a list that nobody reads.
    const MOST: usize = 3;
    let sentences: BTreeSet<&str> = applied.iter().map(|applied| applied.why.as_str()).collect();
    let mut shown: Vec<String> = sentences.iter().take(MOST).map(|one| (*one).to_owned()).collect();
    if sentences.len() > MOST {
        shown.push(format!("and {} more of this kind", sentences.len() - MOST));
    }
    shown.join("; ")
}

/// What findings of one patch have in common.
fn key(finding: &Finding, by: Grouping) -> String {
    let place = match &finding.details {
        Details::ImplementationDependent { cause, .. } if by == Grouping::Cause => {
            let choice = cause.choices.first();
            choice.and_then(|choice| {
                let place = choice.call.as_ref().or(choice.allocation.as_ref())?;
                Some(format!("{} {}:{}", choice.api, place.file, place.line))
            })
        }
        Details::Polluter(state) if by == Grouping::Cause => Some(format!(
            "{:?} {} {}",
            state.state, finding.test.module, state.held_by
        )),
        _ => None,
    };
    place.unwrap_or_else(|| format!("{} {}", finding.test, finding.id.as_str()))
}
