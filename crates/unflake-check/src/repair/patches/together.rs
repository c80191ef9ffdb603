//! All chosen patches are proved once more together, in JVMs of ours and with the project's own build. Which of them is to
//! blame if something breaks is found out by leaving some out.

use super::{Candidate, Patches};
use crate::repair::Texts;
use crate::repair::copy::{Built, Refused, Workplace};
use crate::repair::guilty::guilty;
use crate::repair::order_trials::Held;
use crate::repair::packs::together;
use crate::repair::search::{Attempt, Proofs as _, Proved};
use crate::repair::trials::Trials;
use crate::session::Session;
use std::collections::BTreeSet;
use unflake_explore::TestIx;
use unflake_explore::order::TestOrder;
use unflake_findings::Safety;

/// How often what breaks something is left out, or replaced by the next candidate, before nothing is repaired.
const MOST_PROOFS: usize = 8;
/// How often the project's own build runs on a patched copy.
const MOST_BUILDS: usize = 3;

impl Patches<'_> {
    /// Runs everything with all chosen patches applied; what breaks something is not chosen.
    pub(crate) fn prove_together(&mut self, trials: &mut Trials<'_>) {
        for _ in 0..MOST_PROOFS {
            let texts = self.chosen();
            if texts.is_empty() {
                return;
            }
            if self.drop_breaking_orders(trials, &texts) {
                continue;
            }
            let whole = trials.whole(&texts);
            if trials.is_cancelled() {
                return self.interrupt();
            }
            let breaking = match whole {
                Ok((failing, all)) if failing.is_empty() => {
                    self.module = u32::try_from(all).unwrap_or(u32::MAX);
                    let failed = self.no_longer_proved(trials, &texts);
                    if trials.is_cancelled() {
                        return self.interrupt();
                    }
                    if failed.is_empty() {
                        return;
                    }
                    let is_of =
                        |candidate: &Candidate| candidate.findings.iter().any(|one| failed.contains(one));
                    self.drop_where(is_of, "its patch does not hold together with the others");
                    continue;
                }
                Ok((failing, _)) => Ok(failing),
                Err(why) => Err(format!(
                    "its patch does not compile together with the others: {why}"
                )),
            };
            let tests = breaking.as_deref().unwrap_or_default();
            let blamed = self.blamed(&mut |texts| trials.breaks(texts, tests));
            let reasons: Vec<(usize, String)> = blamed
                .into_iter()
                .map(|group| (group, self.why_broken(group, &breaking, trials)))
                .collect();
            if trials.is_cancelled() {
                return self.interrupt();
            }
            for (group, why) in reasons {
                self.drop_groups(&BTreeSet::from([group]), &why);
            }
        }
        self.drop_where(|_| true, "the patches do not hold together");
    }

    /// Which test fails because of a group's patch; it may fail only together with another one.
    fn why_broken(
        &self,
        group: usize,
        breaking: &Result<Vec<TestIx>, String>,
        trials: &mut Trials<'_>,
    ) -> String {
        let group = &self.groups[group];
        let failing = match breaking {
            Ok(failing) => failing,
            Err(why) => return why.clone(),
        };
        let alone = group
            .chosen
            .and_then(|chosen| trials.first_broken(&group.candidates[chosen].texts, failing));
        let name = |test: TestIx| &trials.session.suite[test].id.test;
        match (alone, failing.first()) {
            (Some(test), _) => format!("with the patch, `{}` fails without any variation", name(test)),
            (None, Some(first)) => format!(
                "with the patch and others, `{}` fails without any variation",
                name(*first)
            ),
            (None, None) => "the patches do not hold together".to_owned(),
        }
    }

    /// The groups that must do without their chosen patches so that nothing breaks.
    pub(super) fn blamed(&self, breaks: &mut dyn FnMut(&Texts) -> bool) -> BTreeSet<usize> {
        let chosen = self.groups.iter().enumerate();
        let chosen: Vec<(usize, &Candidate)> = chosen
            .filter_map(|(index, group)| Some((index, &group.candidates[group.chosen?])))
            .collect();
        let mut breaks = |some: &[(usize, &Candidate)]| {
            let texts: Vec<&Texts> = some.iter().map(|(_, candidate)| &candidate.texts).collect();
            // All of them go together, so some of them do.
            together(&texts, self.sources).is_none_or(|texts| breaks(&texts))
        };
        guilty(&chosen, &mut breaks)
            .into_iter()
            .map(|(index, _)| index)
            .collect()
    }

    /// Findings whose tests do not pass any more, varied or in their orders, with all chosen patches.
    fn no_longer_proved(&mut self, trials: &mut Trials<'_>, texts: &Texts) -> BTreeSet<usize> {
        let repaired = self.repaired();
        let patients = &self.subjects.patients;
        let varied = repaired
            .iter()
            .filter_map(|finding| Some((*finding, *patients.get(finding)?)));
        let (findings, attempts): (Vec<usize>, Vec<Attempt>) = varied
            .map(|(finding, patient)| {
                let texts = texts.clone();
                (finding, Attempt { patient, texts })
            })
            .unzip();
        let proved = trials.prove(&attempts);
        let mut failed: BTreeSet<usize> = findings
            .iter()
            .zip(&proved)
            .filter(|(_, proved)| !matches!(proved, Proved::Passed { .. }))
            .map(|(finding, _)| *finding)
            .collect();
        if !trials.is_cancelled() {
            failed.extend(self.still_failing(trials, texts, &repaired));
        }
        failed
    }

    /// Whether a candidate repairs a polluter.
    fn is_clean_up(&self, candidate: &Candidate) -> bool {
        let mut findings = candidate.findings.iter();
        findings.any(|finding| self.subjects.orders.contains_key(finding))
    }

    /// Polluters whose victims fail although all patches are applied.
    fn still_failing(
        &mut self,
        trials: &mut Trials<'_>,
        texts: &Texts,
        repaired: &BTreeSet<usize>,
    ) -> Vec<usize> {
        let all = self.subjects.orders.iter();
        let wanted: Vec<(&usize, &Vec<TestOrder>)> =
            all.filter(|(finding, _)| repaired.contains(finding)).collect();
        if wanted.is_empty() {
            return Vec::new();
        }
        let launches = trials.launches(texts);
        let mut failing = Vec::new();
        for (finding, orders) in wanted {
            let held = launches.as_ref().map(|launches| trials.hold(launches, orders));
            match held {
                Ok(Held::Passed(runs)) => {
                    self.orders.insert(*finding, runs);
                }
                Ok(Held::Fails(_) | Held::NotRun) | Err(_) => failing.push(*finding),
            }
        }
        failing
    }

    /// The module in its own order and in reversed order must pass as it does without the clean-ups: whoever needed what
    /// a polluter left behind would fail now. Whether a patch was dropped.
    fn drop_breaking_orders(&mut self, trials: &mut Trials<'_>, texts: &Texts) -> bool {
        let chosen = self
            .groups
            .iter()
            .filter_map(|group| Some(&group.candidates[group.chosen?]));
        let clean_ups: Vec<Texts> = chosen
            .filter(|candidate| self.is_clean_up(candidate))
            .map(|candidate| candidate.texts.clone())
            .collect();
        if clean_ups.is_empty() {
            return false;
        }
        let broken = match trials.broken_in_orders(texts) {
            Ok(broken) => broken,
            // The whole module does not compile either, which is said there.
            Err(_) => return false,
        };
        let Some(first) = broken.first() else {
            return false;
        };
        let session = trials.session;
        let test = &session.suite[first.test].id.test;
        let order = if first.is_reversed {
            "in reversed order"
        } else {
            "in the order of the build"
        };
        let why = format!(
            "with the patch, `{test}` fails {order}: it needs what the polluter leaves behind, and must get a \
             set-up of its own first"
        );
        // Which one it is shows without the others.
        let mut guilty: Vec<Texts> = Vec::new();
        for texts in &clean_ups {
            let breaks = match trials.launches(texts) {
                Ok(launches) => trials
                    .newly_failing(&launches, &first.order)
                    .contains(&first.test),
                Err(_) => true,
            };
            if breaks {
                guilty.push(texts.clone());
            }
        }
        let blamed = if guilty.is_empty() { clean_ups } else { guilty };
        self.drop_where(|candidate| blamed.contains(&candidate.texts), &why)
    }

    /// The project's own build has the last word.
    pub(crate) fn build(&mut self, workplace: &Workplace<'_>, session: &Session) {
        let mut said = String::new();
        for _ in 0..MOST_BUILDS {
            let texts = self.chosen();
            if texts.is_empty() {
                return;
            }
            let built = workplace.build(&self.bytes(&texts), session);
            if workplace.surroundings.cancel.is_cancelled() {
                return self.interrupt();
            }
            match built {
                Ok(Built::Accepted) => return,
                Ok(Built::FailsAnyway(why)) => {
                    self.fails_anyway = Some(why);
                    return;
                }
                Err(refused) => {
                    let is_done = !self.drop_refused(&refused);
                    said = refused.why;
                    if is_done {
                        break;
                    }
                }
            }
        }
        self.drop_where(|_| true, &said);
        for group in &mut self.groups {
            group.chosen = None;
        }
    }

    /// Leaves out the patches of files that the build names, or those that add a library. Whether these are some, and not
    /// all.
    pub(super) fn drop_refused(&mut self, refused: &Refused) -> bool {
        let chosen = self
            .groups
            .iter()
            .enumerate()
            .filter_map(|(index, group)| Some((index, &group.candidates[group.chosen?])));
        let (named, others): (Vec<_>, Vec<_>) =
            chosen.partition(|(_, candidate)| candidate.texts.keys().any(|path| refused.names(path)));
        // Of what names no file, a new library is the likeliest cause.
        let (named, others) = if named.is_empty() {
            let adds = |(_, candidate): &(usize, &Candidate)| candidate.safety == Safety::Dependency;
            others.into_iter().partition(adds)
        } else {
            (named, others)
        };
        let named: BTreeSet<usize> = named.into_iter().map(|(index, _)| index).collect();
        !named.is_empty() && !others.is_empty() && self.drop_groups(&named, &refused.why)
    }
}
