//! Proved patches that share a test file become one: reviewers like it, and none of them fails to apply after another
//! one that adds the same import.

use super::{Candidate, Group, Patches};
use crate::repair::Grouping;
use crate::repair::packs::together;
use unflake_findings::Safety;

impl Patches<'_> {
    /// Joins chosen patches of test code. They were proved together, so nothing has to run again.
    pub(crate) fn join(&mut self) {
        if self.options.by == Grouping::Test {
            return;
        }
        let mut joined: Vec<Group> = Vec::new();
        for group in std::mem::take(&mut self.groups) {
            let like = joined.iter().position(|there| there.is_like(&group));
            let both = like.and_then(|at| Some((at, self.both(&joined[at], &group)?)));
            match both {
                Some((at, both)) => joined[at] = both,
                None => joined.push(group),
            }
        }
        self.groups = joined;
    }

    fn both(&self, one: &Group, other: &Group) -> Option<Group> {
        let merged = |one: &Candidate, other: &Candidate| {
            Some(Candidate {
                safety: one.safety.max(other.safety),
                findings: one.findings.iter().chain(&other.findings).copied().collect(),
                applied: one.applied.union(&other.applied).cloned().collect(),
                texts: together(&[&one.texts, &other.texts], self.sources)?,
                mutants: one.mutants + other.mutants,
                rounds: one.rounds.min(other.rounds),
            })
        };
        let (first, second) = (one.chosen?, other.chosen?);
        let mut candidates = vec![merged(&one.candidates[first], &other.candidates[second])?];
        let but = |group: &Group, chosen: usize| {
            let mut others = group.candidates.clone();
            others.remove(chosen);
            others
        };
        for candidate in but(one, first).into_iter().chain(but(other, second)) {
            let mut others = candidates.iter_mut().skip(1);
            let same = others.find(|there| there.safety == candidate.safety);
            match same.and_then(|there| Some((merged(there, &candidate)?, there))) {
                Some((both, there)) => *there = both,
                None => candidates.push(candidate),
            }
        }
        Some(Group {
            findings: one.findings.iter().chain(&other.findings).copied().collect(),
            candidates,
            chosen: Some(0),
        })
    }
}

impl Group {
    /// Whether the chosen patches share a file of test code. Each polluter keeps its own clean-up.
    fn is_like(&self, other: &Group) -> bool {
        const OF_POLLUTERS: [&str; 2] = ["clean-up", "reset-before"];
        let (Some(mine), Some(its)) = (self.chosen, other.chosen) else {
            return false;
        };
        let (one, other) = (&self.candidates[mine], &other.candidates[its]);
        let cleans_up = |candidate: &Candidate| {
            let mut applied = candidate.applied.iter();
            applied.any(|applied| OF_POLLUTERS.contains(&applied.strategy))
        };
        one.safety == Safety::Test
            && other.safety == Safety::Test
            && one.texts.keys().any(|path| other.texts.contains_key(path))
            && !cleans_up(one)
            && !cleans_up(other)
    }
}
