//! The findings of victims, and the tests that clean up between them and their polluters (P11).

use super::order_findings::add_victim;
use super::place::{Place, Polluted};
use crate::outcome::Outcomes;
use std::collections::{BTreeMap, BTreeSet};
use unflake_explore::{Cleaning, Orders as _, ProvedVictim, Verdict, cleaners};

/// Cleaners that a finding names.
const CLEANERS: usize = 3;
/// Tests among which they are looked for.
const CLEANER_CANDIDATES: usize = 300;

impl Place<'_> {
    /// Makes findings. `state`: what a polluter changes that a victim sees, where that is known.
    pub(super) fn add_victims(
        &self,
        victims: &[Polluted],
        state: &dyn Fn(usize, usize) -> Option<String>,
        changing: &dyn Fn(usize) -> Option<BTreeSet<usize>>,
        outcomes: &mut Outcomes,
    ) {
        self.progress.phase("cleaners", 0);
        let cleaners = self.cleaners_of(victims, changing);
        for (polluted, cleaners) in victims.iter().zip(cleaners) {
            let state = match polluted.main.polluters[..] {
                [polluter] => state(polluter, polluted.main.victim),
                _ => None,
            };
            add_victim(self.suite, polluted, &cleaners, state, outcomes);
        }
    }

    /// Per victim the tests that clean up. They are looked for once for each polluter (and apart for victims of its own class); for
    /// its other victims it is seen in one JVM whether they help as well.
    ///
    /// `changing` names the tests that are known to change what a polluter changes: only those can clean up.
    fn cleaners_of(
        &self,
        victims: &[Polluted],
        changing: &dyn Fn(usize) -> Option<BTreeSet<usize>>,
    ) -> Vec<Vec<usize>> {
        let (suite, orders, tests) = (self.suite, self.orders, self.tests);
        let victims: Vec<&ProvedVictim> = victims.iter().map(|polluted| &polluted.main).collect();
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let classes: Vec<usize> = suite
            .tests
            .iter()
            .map(|test| {
                let next = numbers.len();
                *numbers.entry(test.handle.root.as_str()).or_insert(next)
            })
            .collect();
        let mut groups: BTreeMap<(&[usize], bool), Vec<usize>> = BTreeMap::new();
        for (index, victim) in victims.iter().enumerate() {
            if victim.polluters != [victim.victim] {
                let is_of_class = |test: &usize| classes[*test] == classes[victim.victim];
                let key = (
                    victim.polluters.as_slice(),
                    victim.polluters.iter().all(is_of_class),
                );
                groups.entry(key).or_default().push(index);
            }
        }
        let mut found = vec![Vec::new(); victims.len()];
        for ((polluters, _), members) in groups {
            let class = classes[victims[members[0]].victim];
            let is_near = |test: &usize| {
                classes[*test] == class || polluters.iter().any(|p| classes[*p] == classes[*test])
            };
            let (mut candidates, others): (Vec<usize>, Vec<usize>) =
                tests.iter().partition(|test| is_near(test));
            candidates.extend(others);
            let known: Option<BTreeSet<usize>> = polluters
                .iter()
                .map(|polluter| changing(*polluter))
                .collect::<Option<Vec<_>>>()
                .map(|all| all.into_iter().flatten().collect());
            if let Some(known) = known {
                candidates.retain(|test| known.contains(test));
            }
            candidates.truncate(CLEANER_CANDIDATES);
            let cleaning = Cleaning {
                polluters,
                victim: victims[members[0]].victim,
                candidates: &candidates,
                classes: &classes,
                most: CLEANERS,
            };
            let of_first = cleaners(orders, cleaning);
            // Behind one polluter and one cleaner all others pass, or they do not count as cleaned.
            let order = |cleaner: &usize| -> Vec<usize> {
                let others = members[1..].iter().map(|member| victims[*member].victim);
                polluters
                    .iter()
                    .copied()
                    .chain([*cleaner])
                    .chain(others)
                    .collect()
            };
            let ran = orders.run_all(&of_first.iter().map(order).collect::<Vec<_>>());
            for (cleaner, verdicts) in of_first.iter().zip(ran) {
                let verdicts = verdicts.unwrap_or_default();
                for (place, member) in members[1..].iter().enumerate() {
                    let verdict = verdicts.get(polluters.len() + 1 + place);
                    if verdict == Some(&Verdict::Passed) && victims[*member].victim != *cleaner {
                        found[*member].push(*cleaner);
                    }
                }
            }
            found[members[0]] = of_first;
        }
        found
    }
}
