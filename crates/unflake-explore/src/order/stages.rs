//! The plan of the search for victims, as tables: who is tried before whom, how carefully, in which order.
//!
//! A search goes from what costs little and finds much to what costs much, as long as there is time. Each stage tries
//! some polluters on some candidates and proves what it finds before the next begins, so that later stages can build on
//! it: a polluter that harms some tests may harm more, and known victims need not be found again.
//!
//! **What is guaranteed** of tests that behave the same each time, without a deadline (`properties` tests it on random
//! suites):
//! - [`POLLUTION`]: a test that passes alone, and fails right behind a polluter whatever ran before that, is reported
//!   as a victim, if the polluter is one of [`Who::Typical`] and the test's classes can see what it changes. Not
//!   guaranteed: a polluter that pollutes only sometimes (it fails before it writes, or its class's set-up does the
//!   harm), since many pairs share a JVM; the other polluters of a victim that is reported; victims of late polluters
//!   ([`PlanStep::TryLate`]).
//! - [`ORDER`]: a test that fails in one of the whole suite's orders and passed in the build, or did the opposite in
//!   the build and alone, is reported as a victim or as brittle. So is each test that passes alone and fails right
//!   behind a polluter that explains one of those failures, whatever ran before that.
//! - [`EVERY_PAIR`], behind either of them: each test that passes alone and fails when one other test, or itself, runs
//!   before it in a JVM with nothing else, is reported as a victim, and each of those tests is named as its polluter.
//!   And each polluter that is named does that.
//!
//! [`EVERY_PAIR`] costs the square of the suite, so it runs only where somebody gives it time. JVMs for the random suites
//! of `properties`, 10,000 of each kind with 7 tests on average:
//!
//! | plan | suites | JVMs | with every pair | victims | with every pair |
//! |---|---|---|---|---|---|
//! | [`POLLUTION`] | dense | 556,078 | 952,021 | 25,072 | 25,699 |
//! | [`ORDER`] | dense | 531,789 | 961,777 | 24,578 | 25,798 |
//! | [`POLLUTION`] | sparse | 133,885 | 698,526 | 4,950 | 5,821 |

use super::limits::{MOST_HARMFUL, POLLUTERS_AT_ONCE};
use super::trial::TrialMode;

/// Names of stages, for stages that build on others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StageName {
    LikelyBehindFirst,
    LikelyAfterEach,
    MoreOfHarmful,
    WithinClasses,
    NearBehindFirst,
    NearAfterEach,
    Far,
    SameState,
    Chains,
    MoreOfFound,
    SiblingsOfFound,
}

/// Which polluters a stage tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// The first polluter of each state.
    First,
    /// The same, without those that an earlier stage tried.
    FirstBut(StageName),
    /// One polluter for each way in which a state was changed.
    Typical,
    /// So many with the most victims.
    MostHarmful(usize),
    /// All that were seen to pollute.
    All,
    /// The same, as far as may be one of another class after each.
    AllClassesInTurn,
    /// Polluters that do harm only together.
    Chains,
    /// Polluters with victims, each enough on its own.
    Found,
    /// The other tests of the classes of those that an earlier stage tried: they often do the same.
    SiblingsOf(StageName),
}

/// From whom the candidates are taken, in the build's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Among {
    /// Tests that failed in an order other than the build's, or only in the build.
    Likely,
    /// Tests that passed in some order and whose classes can reach what the polluter changes.
    Seeing,
    /// Tests that passed in some order, the others.
    NotSeeing,
    /// Victims of tests that change the same state, without those that the polluter is known to harm.
    VictimsOfSameState,
    /// Tests that passed in the build.
    Passed,
}

/// Of which classes the candidates are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfClass {
    Any,
    /// Of the polluter's, without itself.
    Own,
    /// Not of the polluter's.
    Other,
    /// Of those that have victims.
    Affected,
}

/// What happens to candidates that are known to be victims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnownVictims {
    /// They are not tried again.
    LeftOut,
    /// They are tried, to learn all of their polluters.
    TriedToo,
}

/// On whom a stage tries its polluters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whom {
    pub(super) among: Among,
    pub(super) of_class: OfClass,
    pub(super) known: KnownVictims,
}

/// How many polluters are tried before what was found is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtOnce {
    All,
    Some(usize),
}

/// One row of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) name: StageName,
    pub(super) who: Who,
    pub(super) whom: Whom,
    pub(super) mode: TrialMode,
    pub(super) at_once: AtOnce,
}

/// One step of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlanStep {
    Try(Stage),
    /// Finds the polluters or setters of all likely tests that no polluter explains yet, by bisection of the order in
    /// which they failed.
    SortOut(Time),
    /// Finds the tests that clean up for victims that are new.
    Clean,
    /// Runs all that hardly do harm before all others; who fails then is likely a victim.
    TryLate,
    /// Runs each test right behind each other one, every pair in a JVM of its own.
    EveryPair,
}

/// How much of the time a step may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// Some is kept for the proof of what is found.
    Search,
    All,
}

const fn among(among: Among, of_class: OfClass, known: KnownVictims) -> Whom {
    Whom {
        among,
        of_class,
        known,
    }
}

/// `check --only pollution`: polluters are known, victims are looked for.
pub(super) const POLLUTION: [PlanStep; 13] = [
    // Likely victims are few, and most victims are among them. Those of the polluter's own class come later, with all
    // of it.
    PlanStep::Try(Stage {
        name: StageName::LikelyBehindFirst,
        who: Who::First,
        whom: among(Among::Likely, OfClass::Other, KnownVictims::LeftOut),
        mode: TrialMode::Behind,
        at_once: AtOnce::All,
    }),
    PlanStep::Try(Stage {
        name: StageName::LikelyAfterEach,
        who: Who::Typical,
        whom: among(Among::Likely, OfClass::Other, KnownVictims::LeftOut),
        mode: TrialMode::Each,
        at_once: AtOnce::Some(POLLUTERS_AT_ONCE),
    }),
    // A polluter that harms some tests may harm more.
    PlanStep::Try(Stage {
        name: StageName::MoreOfHarmful,
        who: Who::MostHarmful(MOST_HARMFUL),
        whom: among(Among::Seeing, OfClass::Any, KnownVictims::LeftOut),
        mode: TrialMode::Behind,
        at_once: AtOnce::All,
    }),
    // A class's set-up may clear what comes from outside; then only its own tests can do harm to each other.
    PlanStep::Try(Stage {
        name: StageName::WithinClasses,
        who: Who::AllClassesInTurn,
        whom: among(Among::Seeing, OfClass::Own, KnownVictims::LeftOut),
        mode: TrialMode::Packed,
        at_once: AtOnce::All,
    }),
    PlanStep::Try(Stage {
        name: StageName::NearBehindFirst,
        who: Who::FirstBut(StageName::MoreOfHarmful),
        whom: among(Among::Seeing, OfClass::Any, KnownVictims::TriedToo),
        mode: TrialMode::Behind,
        at_once: AtOnce::All,
    }),
    PlanStep::Try(Stage {
        name: StageName::NearAfterEach,
        who: Who::Typical,
        whom: among(Among::Seeing, OfClass::Any, KnownVictims::TriedToo),
        mode: TrialMode::Each,
        at_once: AtOnce::Some(POLLUTERS_AT_ONCE),
    }),
    PlanStep::Try(Stage {
        name: StageName::Far,
        who: Who::Typical,
        whom: among(Among::NotSeeing, OfClass::Any, KnownVictims::TriedToo),
        mode: TrialMode::Behind,
        at_once: AtOnce::Some(POLLUTERS_AT_ONCE),
    }),
    // Polluters that change the same state in the same way have the same victims, if any.
    PlanStep::Try(Stage {
        name: StageName::SameState,
        who: Who::All,
        whom: among(Among::VictimsOfSameState, OfClass::Any, KnownVictims::TriedToo),
        mode: TrialMode::Behind,
        at_once: AtOnce::All,
    }),
    PlanStep::SortOut(Time::Search),
    PlanStep::Clean,
    // With what is left of the time.
    PlanStep::TryLate,
    PlanStep::SortOut(Time::Search),
    PlanStep::Clean,
];

/// `check --only order`: failures are known, polluters are looked for, then more of their victims.
pub(super) const ORDER: [PlanStep; 5] = [
    PlanStep::SortOut(Time::All),
    PlanStep::Try(Stage {
        name: StageName::Chains,
        who: Who::Chains,
        whom: among(Among::Passed, OfClass::Any, KnownVictims::LeftOut),
        mode: TrialMode::Each,
        at_once: AtOnce::Some(1),
    }),
    PlanStep::Try(Stage {
        name: StageName::MoreOfFound,
        who: Who::Found,
        whom: among(Among::Passed, OfClass::Any, KnownVictims::LeftOut),
        mode: TrialMode::Both,
        at_once: AtOnce::All,
    }),
    PlanStep::Try(Stage {
        name: StageName::SiblingsOfFound,
        who: Who::SiblingsOf(StageName::MoreOfFound),
        whom: among(Among::Passed, OfClass::Affected, KnownVictims::LeftOut),
        mode: TrialMode::Both,
        at_once: AtOnce::All,
    }),
    PlanStep::Clean,
];

/// What can follow either plan, if there is time for it and it was asked for.
pub(super) const EVERY_PAIR: [PlanStep; 2] = [PlanStep::EveryPair, PlanStep::Clean];

#[cfg(test)]
mod tests {
    use super::*;

    fn stages(plan: &[PlanStep]) -> Vec<&Stage> {
        plan.iter()
            .filter_map(|step| match step {
                PlanStep::Try(stage) => Some(stage),
                PlanStep::SortOut(_) | PlanStep::Clean | PlanStep::TryLate | PlanStep::EveryPair => None,
            })
            .collect()
    }

    #[test]
    fn stages_build_only_on_earlier_ones() {
        for plan in [&POLLUTION[..], &ORDER[..]] {
            let mut earlier = Vec::new();
            for stage in stages(plan) {
                match stage.who {
                    Who::FirstBut(other) | Who::SiblingsOf(other) => assert!(earlier.contains(&other)),
                    Who::First
                    | Who::Typical
                    | Who::MostHarmful(_)
                    | Who::All
                    | Who::AllClassesInTurn
                    | Who::Chains
                    | Who::Found => {}
                }
                assert!(!earlier.contains(&stage.name), "{:?}", stage.name);
                earlier.push(stage.name);
            }
        }
    }

    #[test]
    fn polluters_share_a_jvm_only_within_their_classes() {
        for stage in stages(&POLLUTION).into_iter().chain(stages(&ORDER)) {
            let is_packed = stage.mode == TrialMode::Packed;
            assert_eq!(is_packed, stage.whom.of_class == OfClass::Own, "{:?}", stage.name);
            assert_eq!(is_packed, stage.who == Who::AllClassesInTurn, "{:?}", stage.name);
        }
    }

    #[test]
    fn failures_are_explained_first_where_they_are_all_that_is_known() {
        assert_eq!(ORDER.first(), Some(&PlanStep::SortOut(Time::All)));
        // The search for cleaners comes after it, so some time is kept.
        let end = [PlanStep::SortOut(Time::Search), PlanStep::Clean];
        assert!(POLLUTION.ends_with(&end));
    }

    #[test]
    fn every_pair_is_tried_only_if_it_is_asked_for() {
        let mut plans = POLLUTION.iter().chain(&ORDER);
        assert!(plans.all(|step| *step != PlanStep::EveryPair));
        assert_eq!(EVERY_PAIR, [PlanStep::EveryPair, PlanStep::Clean]);
    }

    #[test]
    fn what_hardly_does_harm_takes_no_time_from_the_others() {
        let late = POLLUTION.iter().position(|step| *step == PlanStep::TryLate);
        let (before, after) = POLLUTION.split_at(late.unwrap());
        assert!(before.ends_with(&[PlanStep::SortOut(Time::Search), PlanStep::Clean]));
        assert!(!after.iter().any(|step| matches!(step, PlanStep::Try(_))));
    }
}
