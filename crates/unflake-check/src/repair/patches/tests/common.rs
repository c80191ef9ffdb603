//! What findings of one patch have in common, and how their edits are told.

use super::super::{key, sentences};
use super::*;
use crate::options::CheckKind;

#[test]
fn findings_of_one_place_share_a_patch_unless_each_test_is_to_have_its_own() {
    let findings = found().findings;
    let keys = |by| {
        findings
            .iter()
            .map(|finding| key(finding, by))
            .collect::<Vec<_>>()
    };
    let by_cause = keys(Grouping::Cause);
    assert!(by_cause[0] == by_cause[1] && by_cause[1] != by_cause[2]);
    let by_test: BTreeSet<String> = keys(Grouping::Test).into_iter().collect();
    assert_eq!(by_test.len(), 3);
}

#[test]
fn where_no_call_is_known_the_place_of_the_collection_is_the_cause() {
    let mut findings = found().findings;
    for finding in &mut findings {
        let Details::ImplementationDependent { cause, .. } = &mut finding.details else {
            panic!("a test that fails when varied");
        };
        let choice = &mut cause.choices[0];
        choice.allocation = choice.call.take();
    }
    let keys: BTreeSet<String> = findings
        .iter()
        .map(|finding| key(finding, Grouping::Cause))
        .collect();
    assert_eq!(keys.len(), 2);
}

#[test]
fn polluters_of_one_state_share_a_patch_unless_each_test_is_to_have_its_own() {
    let simulated = simulated("A#a changes S.n\nA#b changes S.n\nB#a changes T.n")
        .looking_for(&[CheckKind::Pollution])
        .with(|options| options.proof = false);
    let findings = simulated.document_of(&simulated.ledger()).document.findings;
    let count = |by| {
        let keys = findings.iter().map(|finding| key(finding, by));
        keys.collect::<BTreeSet<_>>().len()
    };
    assert_eq!(
        (findings.len(), count(Grouping::Cause), count(Grouping::Test)),
        (3, 2, 3)
    );
}

#[test]
fn of_many_edits_the_first_are_told() {
    let told = |whys: &[&str]| {
        let applied = |why: &&str| Applied {
            strategy: "sort",
            why: (*why).to_owned(),
            safety: Safety::Test,
        };
        sentences(&whys.iter().map(applied).collect())
    };
    assert_eq!(told(&["a", "b", "c"]), "a; b; c");
    assert_eq!(
        told(&["a", "b", "c", "d", "e"]),
        "a; b; c; and 2 more of this kind"
    );
}
