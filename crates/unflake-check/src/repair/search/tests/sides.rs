//! What each search may edit.

use super::*;

#[test]
fn which_edits_a_search_takes_follows_from_its_side_and_what_it_has_repaired() {
    use Safety::{Dependency, Main, Suggestion, Test};
    for (side, first, then) in [
        (Side::Test, &[Test, Suggestion][..], &[Test, Suggestion][..]),
        (Side::Main, &[Main], &[Test, Main, Suggestion]),
        (Side::Dependency, &[Dependency], &[Test, Main, Dependency]),
        (Side::Suggestion, &[], &[]),
    ] {
        for (causes, expected) in [(0, first), (1, then), (2, then)] {
            let all = [Test, Main, Dependency, Suggestion].into_iter();
            let taken: Vec<Safety> = all.filter(|safety| side.takes(*safety, causes)).collect();
            assert_eq!(taken, expected, "{side:?} after {causes}");
        }
    }
}

#[test]
fn a_repair_with_one_edit_of_the_last_resort_is_one() {
    let applied = |strategy| Applied {
        strategy,
        why: String::new(),
        safety: Safety::Test,
    };
    let is_last_resort = |strategies: &[&'static str]| {
        let repaired = Repaired {
            texts: Texts::new(),
            applied: strategies.iter().copied().map(applied).collect(),
            mutants: 0,
            rounds: 24,
        };
        repaired.is_last_resort()
    };
    assert!(is_last_resort(&[LAST_RESORT]) && is_last_resort(&["sort", LAST_RESORT]));
    assert!(!is_last_resort(&["sort"]) && !is_last_resort(&[]));
}
