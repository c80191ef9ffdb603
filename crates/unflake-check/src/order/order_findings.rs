//! Findings about tests that depend on the order: victims and brittle tests, and what is said of those that are neither.

use crate::outcome::{Fate, Outcomes};
use crate::stored::StoredReplay;
use crate::suite::{Baseline, Suite};
use std::collections::BTreeMap;
use unflake_explore::TestIx;
use unflake_explore::order::{FoundVictim, ProvedBrittle, Unproved};
use unflake_findings::{
    Brittle, Details, Finding, FindingKind, NoteKind, Rate, Repair, Severity, Victim, finding_id, rules,
};
use unflake_protocol::{Outcome, TestId};

pub(super) fn add_victim(suite: &Suite, found: &FoundVictim, state: Option<String>, outcomes: &mut Outcomes) {
    let proved = &found.main;
    let known = &suite.tests[proved.victim.0];
    let name = |test: &TestIx| suite.tests[test.0].id.clone();
    let mut order = proved.polluters.clone();
    order.push(proved.victim);
    let is_own = proved.polluters == [proved.victim];
    let details = Details::Victim(Victim {
        polluter: proved.polluters.first().filter(|_| order.len() == 2).map(name),
        polluters: found.polluters.iter().map(name).collect(),
        cleaners: found.cleaners.iter().map(name).collect(),
        order: order.iter().map(name).collect(),
        state,
        repair: Repair::default(),
    });
    let about = About {
        id: &known.id,
        kind: FindingKind::Victim,
        rule: rules::VICTIM,
        // Its own victim fails in no order in which each test runs once.
        severity: if is_own {
            Severity::Warning
        } else {
            Severity::Error
        },
        runs: proved.runs,
    };
    let finding = about.finding(&proved.failure, details);
    outcomes.add(finding, replay(suite, &order));
    outcomes.settle(proved.victim.0, Fate::Checked);
}

pub(super) fn add_brittle(suite: &Suite, proved: &ProvedBrittle, outcomes: &mut Outcomes) {
    let known = &suite.tests[proved.test.0];
    let name = |test: &TestIx| suite.tests[test.0].id.clone();
    let order: Vec<TestIx> = proved.setters.iter().copied().chain([proved.test]).collect();
    let details = Details::Brittle(Brittle {
        setter: proved.setters.first().filter(|_| order.len() == 2).map(name),
        setters: proved.setters.iter().map(name).collect(),
        order: order.iter().map(name).collect(),
        repair: Repair::default(),
    });
    let about = About {
        id: &known.id,
        kind: FindingKind::Brittle,
        rule: rules::BRITTLE,
        severity: Severity::Error,
        runs: proved.runs,
    };
    let finding = about.finding(&proved.failure, details);
    outcomes.add(finding, replay(suite, &[proved.test]));
    outcomes.settle(proved.test.0, Fate::Checked);
}

/// Says of tests that depend on an order, as far as was seen, why there is no finding.
pub(super) fn say_unproved(suite: &Suite, unproved: &BTreeMap<TestIx, Unproved>, outcomes: &mut Outcomes) {
    let mut ended = 0;
    for (test, reason) in unproved {
        let seen = match suite.tests[test.0].baseline {
            Baseline::Finished(Outcome::Failed(_)) => "fails in the build, passes alone",
            _ => "fails in another order of the tests",
        };
        match reason {
            Unproved::Ended => {
                ended += 1;
                let why = format!("{seen}; the time was up before it was proved");
                outcomes.settle(test.0, Fate::OrderSuspect(why));
            }
            Unproved::NotRepeated => outcomes.settle(
                test.0,
                Fate::Flaky(format!("{seen}; passes when that order is repeated")),
            ),
            Unproved::NotRun => outcomes.settle(
                test.0,
                Fate::OrderSuspect(format!(
                    "{seen}; its framework cannot be told the order that would prove it"
                )),
            ),
        }
    }
    if ended > 0 {
        outcomes.note(
            NoteKind::Budget,
            match ended {
                1 => "the time was up before the polluter of 1 more test was found".to_owned(),
                _ => format!("the time was up before the polluters of {ended} more tests were found"),
            },
        );
        outcomes.is_unproved = true;
    }
}

struct About<'a> {
    id: &'a TestId,
    kind: FindingKind,
    rule: &'a str,
    severity: Severity,
    /// It failed each time.
    runs: u32,
}

impl About<'_> {
    fn finding(&self, failure: &unflake_protocol::Failure, details: Details) -> Finding {
        let id = finding_id(self.kind, self.id);
        Finding {
            rule: self.rule.to_owned(),
            test: self.id.clone(),
            severity: self.severity,
            message: crate::outcome::message(failure),
            exception: failure.kind.clone(),
            replay: format!("unflake replay {}", id.as_str()),
            rate: Rate {
                failed: self.runs,
                runs: self.runs,
            },
            suppressed: None,
            details,
            id,
        }
    }
}

/// The last test fails.
fn replay(suite: &Suite, order: &[TestIx]) -> StoredReplay {
    StoredReplay {
        recipe: order.last().and_then(|test| suite.tests[test.0].launch),
        tests: order
            .iter()
            .map(|test| suite.tests[test.0].handle.clone())
            .collect(),
    }
}
