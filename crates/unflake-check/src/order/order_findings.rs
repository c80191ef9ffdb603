//! Findings about tests that depend on the order: victims and brittle tests.

use super::place::Polluted;
use crate::outcome::{Fate, Outcomes};
use crate::stored::StoredReplay;
use crate::suite::Suite;
use unflake_explore::ProvedBrittle;
use unflake_findings::{
    Brittle, Details, Finding, FindingKind, Rate, Repair, Severity, Victim, finding_id, rules,
};
use unflake_protocol::TestId;

pub(super) fn add_victim(
    suite: &Suite,
    polluted: &Polluted,
    cleaners: &[usize],
    state: Option<String>,
    outcomes: &mut Outcomes,
) {
    let proved = &polluted.main;
    let known = &suite.tests[proved.victim];
    let name = |test: &usize| suite.tests[*test].id.clone();
    let mut order = proved.polluters.clone();
    order.push(proved.victim);
    let is_own = proved.polluters == [proved.victim];
    let details = Details::Victim(Victim {
        polluter: proved.polluters.first().filter(|_| order.len() == 2).map(name),
        polluters: polluted.polluters.iter().map(name).collect(),
        cleaners: cleaners.iter().map(name).collect(),
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
    outcomes.settle(proved.victim, Fate::Checked);
}

pub(super) fn add_brittle(suite: &Suite, proved: &ProvedBrittle, outcomes: &mut Outcomes) {
    let known = &suite.tests[proved.test];
    let name = |test: &usize| suite.tests[*test].id.clone();
    let order: Vec<usize> = proved.setters.iter().copied().chain([proved.test]).collect();
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
    outcomes.settle(proved.test, Fate::Checked);
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
fn replay(suite: &Suite, order: &[usize]) -> StoredReplay {
    StoredReplay {
        recipe: order.last().and_then(|test| suite.tests[*test].launch),
        tests: order
            .iter()
            .map(|test| suite.tests[*test].handle.clone())
            .collect(),
    }
}
