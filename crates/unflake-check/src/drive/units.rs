//! How the tests of rounds are cut into units, each for one JVM. Decided before anything runs.

use crate::suite::{KnownTest, LaunchIx, Suite};
use std::time::Duration;
use unflake_explore::{Cost, Need, TestIx, split};
use unflake_protocol::Strategy;
use unflake_runner::Work;

/// Small parts at the end keep all cores busy; each starts with classes that are not loaded yet.
const PARTS_PER_JOB: usize = 6;

/// Tests that one JVM runs, once per round.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) launch: LaunchIx,
    pub(crate) kind: UnitKind,
    pub(crate) turns: Vec<Turn>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum UnitKind {
    /// It computes for long: it begins before the others, in a JVM of its own.
    Heavy,
    Busy,
    /// It mostly waits, so it needs no core of its own.
    Waiting,
}

/// One round of a unit.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) round: u32,
    /// `None`: unvaried.
    pub(crate) strategy: Option<Strategy>,
    pub(crate) tests: Vec<TestIx>,
}

/// How units are spread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) jobs: usize,
    /// The result must depend on the seed alone.
    pub(crate) repeatable: bool,
}

impl Turn {
    /// The same for some of its tests; both are sorted.
    fn only(&self, some: &[TestIx]) -> Turn {
        let is_one = |test: &TestIx| some.binary_search(test).is_ok();
        Turn {
            tests: self.tests.iter().copied().filter(is_one).collect(),
            ..self.clone()
        }
    }
}

impl Unit {
    pub(crate) fn work(&self) -> Work {
        match self.kind {
            UnitKind::Heavy => Work::Long,
            UnitKind::Busy | UnitKind::Waiting => Work::Short,
        }
    }

    /// The same work in two units: for tests that are one way, and for the others. Either may have no turns.
    pub(crate) fn split(self, is_one: impl Fn(TestIx) -> bool) -> (Unit, Unit) {
        let part = |wanted: bool| Unit {
            turns: (self.turns.iter())
                .map(|turn| Turn {
                    tests: (turn.tests.iter().copied())
                        .filter(|test| is_one(*test) == wanted)
                        .collect(),
                    ..turn.clone()
                })
                .filter(|turn| !turn.tests.is_empty())
                .collect(),
            ..self
        };
        (part(true), part(false))
    }

    pub(crate) fn runs(&self) -> usize {
        self.turns.iter().map(|turn| turn.tests.len()).sum()
    }
}

/// Cuts rounds into units: some classes each, with all rounds, one after the other. Warm, the later ones cost a
/// fraction of the first. A JVM that is through with a unit takes the next.
///
/// Where the result must repeat, which JVM a class runs in must not depend on the clock: there is one unit for each
/// JVM, and the classes are spread by their number of tests.
pub(crate) fn units(suite: &Suite, rounds: &[Turn], spread: Spread) -> Vec<Unit> {
    let mut all: Vec<TestIx> = rounds
        .iter()
        .flat_map(|turn| turn.tests.iter().copied())
        .collect();
    all.sort_unstable();
    all.dedup();
    let mut units = Vec::new();
    for launch in suite.launches() {
        let here: Vec<TestIx> = all
            .iter()
            .copied()
            .filter(|test| suite[*test].launch == Some(launch))
            .collect();
        let cost = |test: &TestIx| {
            let known = &suite[*test];
            let of_test = |turn: &&Turn| turn.tests.binary_search(test).is_ok();
            let times = u32::try_from(rounds.iter().filter(of_test).count()).unwrap_or(1);
            let (time, waited) = if spread.repeatable {
                (Duration::from_nanos(1), Duration::ZERO)
            } else {
                (known.time, known.waited)
            };
            Cost {
                class: &known.handle.root,
                time: times * time,
                waited: times * waited,
            }
        };
        let costs: Vec<Cost<'_>> = here.iter().map(cost).collect();
        let parts = split(
            &costs,
            spread.jobs * if spread.repeatable { 1 } else { PARTS_PER_JOB },
        );
        let mut add = |indices: &[usize], kind| {
            let part: Vec<TestIx> = indices.iter().map(|index| here[*index]).collect();
            let turns = rounds.iter().map(|turn| turn.only(&part));
            units.push(Unit {
                launch,
                kind,
                turns: turns.filter(|turn| !turn.tests.is_empty()).collect(),
            });
        };
        parts.heavy.iter().for_each(|part| add(part, UnitKind::Heavy));
        parts.busy.iter().for_each(|part| add(part, UnitKind::Busy));
        parts.waiting.iter().for_each(|part| add(part, UnitKind::Waiting));
    }
    units.sort_by_key(|unit| unit.kind);
    units
}

/// The tests that a round runs.
pub(crate) fn tests_of_round(tests: &[TestIx], suite: &Suite, round: u32) -> Vec<TestIx> {
    let least = if round == 1 {
        Need::OneRun
    } else {
        Need::EveryRound
    };
    let needs = |test: &KnownTest| test.need >= least;
    tests
        .iter()
        .copied()
        .filter(|test| needs(&suite[*test]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::simulated;
    use std::fmt::Write as _;

    /// `KIND LAUNCH: ROUND test test, ROUND test`, a line for each unit.
    fn cut(suite: &Suite, rounds: &[u32], spread: Spread) -> String {
        let all: Vec<TestIx> = suite.all().collect();
        let turn = |round: &u32| Turn {
            round: *round,
            strategy: None,
            tests: tests_of_round(&all, suite, *round),
        };
        let turns: Vec<Turn> = rounds.iter().map(turn).collect();
        let mut text = String::new();
        for unit in units(suite, &turns, spread) {
            let shown = unit.turns.iter().map(|turn| {
                let names = turn.tests.iter().map(|test| suite[*test].id.test.as_str());
                format!("{} {}", turn.round, names.collect::<Vec<_>>().join(" "))
            });
            let shown = shown.collect::<Vec<_>>().join(", ");
            writeln!(text, "{:?} {}: {shown}", unit.kind, unit.launch.0).unwrap();
            let runs: usize = unit.turns.iter().map(|turn| turn.tests.len()).sum();
            assert_eq!(unit.runs(), runs);
        }
        text
    }

    fn spread(jobs: usize, repeatable: bool) -> Spread {
        Spread { jobs, repeatable }
    }

    const SUITE: &str = "A#a\nA#b [one-run]\nB#a\nC#a [no-choice]\nD#a [jvm 2]";

    #[test]
    fn a_unit_has_all_rounds_of_its_classes() {
        let suite = simulated(SUITE).session.suite;
        assert_eq!(
            cut(&suite, &[1, 2], spread(1, true)),
            "Busy 0: 1 A#a A#b B#a, 2 A#a B#a\nBusy 1: 1 D#a, 2 D#a\n"
        );
        assert_eq!(
            cut(&suite, &[2], spread(2, true)),
            "Busy 0: 2 A#a\nBusy 0: 2 B#a\nBusy 1: 2 D#a\n"
        );
        let nothing = simulated("A#a [no-choice]\nB#a [no-launch, jvm 2]").session.suite;
        assert_eq!(cut(&nothing, &[1, 2], spread(1, true)), "");
    }

    #[test]
    fn a_test_counts_as_often_as_it_runs() {
        let suite = simulated("A#a\nB#a [one-run]\nC#a [one-run]\nD#a [one-run]")
            .session
            .suite;
        assert_eq!(
            cut(&suite, &[1, 2, 3], spread(2, true)),
            "Busy 0: 1 A#a, 2 A#a, 3 A#a\nBusy 0: 1 B#a C#a D#a\n"
        );
    }

    #[test]
    fn without_a_seed_units_are_smaller_and_cut_by_time() {
        let mut suite = simulated("A#a\nB#a\nC#a\nD#a\nE#a\nF#a\nG#a\nH#a\nI#a\nJ#a\nK#a\nL#a")
            .session
            .suite;
        let count = |suite: &Suite, repeatable| cut(suite, &[1], spread(1, repeatable)).lines().count();
        assert_eq!((count(&suite, true), count(&suite, false)), (1, PARTS_PER_JOB));
        // One class takes as long as all others: it is a unit of its own.
        suite.tests[0].time = Duration::from_millis(1000);
        let cut_by_time = cut(&suite, &[1], spread(1, false));
        assert!(cut_by_time.starts_with("Busy 0: 1 A#a\n"), "{cut_by_time}");
        assert_eq!(cut(&suite, &[1], spread(1, true)).lines().count(), 1);
    }

    #[test]
    fn what_computes_for_long_begins_first_and_what_waits_needs_no_core() {
        let mut suite = simulated("A#a\nB#a\nC#a").session.suite;
        let minute = Duration::from_secs(60);
        suite.tests[1].time = minute;
        suite.tests[1].waited = minute;
        suite.tests[2].time = minute;
        assert_eq!(
            cut(&suite, &[1], spread(1, false)),
            "Heavy 0: 1 C#a\nBusy 0: 1 A#a\nWaiting 0: 1 B#a\n"
        );
        // The result must not depend on the clock.
        assert_eq!(cut(&suite, &[1], spread(1, true)), "Busy 0: 1 A#a B#a C#a\n");
    }

    #[test]
    fn only_long_work_is_worth_the_second_compiler() {
        let unit = |kind| Unit {
            launch: LaunchIx(0),
            kind,
            turns: Vec::new(),
        };
        assert_eq!(unit(UnitKind::Heavy).work(), Work::Long);
        assert_eq!(unit(UnitKind::Busy).work(), Work::Short);
        assert_eq!(unit(UnitKind::Waiting).work(), Work::Short);
    }

    #[test]
    fn a_unit_is_split_into_those_that_are_one_way_and_the_others() {
        let turn = |round, tests: &[usize]| Turn {
            round,
            strategy: None,
            tests: tests.iter().copied().map(TestIx).collect(),
        };
        let unit = Unit {
            launch: LaunchIx(0),
            kind: UnitKind::Busy,
            turns: vec![turn(1, &[0, 1, 2]), turn(2, &[1])],
        };
        let (one_way, others) = unit.split(|test| test == TestIx(1));
        let shown = |unit: Unit| -> Vec<(u32, Vec<usize>)> {
            let turns = unit.turns.into_iter();
            turns
                .map(|turn| (turn.round, turn.tests.iter().map(|test| test.0).collect()))
                .collect()
        };
        assert_eq!(shown(one_way), [(1, vec![1]), (2, vec![1])]);
        // A turn without tests is none.
        assert_eq!(shown(others), [(1, vec![0, 2])]);
    }
}
