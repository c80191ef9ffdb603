//! From facts to findings.

use crate::ledger::{By, Changed, Fact, Failed, Ledger};
use crate::replay::{Replay, Replays};
use crate::suite::Suite;
use std::collections::{BTreeMap, BTreeSet};
use unflake_explore::order::{FoundVictim, ProvedBrittle};
use unflake_explore::{Evidence, LevelTrial, Scope as ConfirmedIn, TestIx};
use unflake_findings::rules::{self, HeapPlace};
use unflake_findings::{
    Benign, Brittle, Cause, CountedProof, Details, FileChange, FilePollution, Finding, FindingKind, Passes,
    Pollution, Rate, Repair, Scope, Severity, Suffering, Tried, Triple, Victim, finding_id, polluter_id,
};
use unflake_models::{Basis, find};
use unflake_protocol::{ChangeForm, Failure, Nearby, Shown, StateKind, TestId};

/// All findings, and what repeats each.
pub(super) fn of(ledger: &Ledger, suite: &Suite) -> (Vec<Finding>, Replays) {
    let known = RelatedFacts::of(ledger);
    let mut all = Vec::new();
    for fact in ledger.facts() {
        match fact {
            Fact::Failed(failed) => all.push((
                known.implementation_dependent(failed, suite),
                Replay::of_failed(suite, failed),
            )),
            Fact::Changed(changed) => all.push(known.polluter(changed, suite)),
            Fact::ProvedVictim { found, state } => all.push(known.victim(found, state.clone(), suite)),
            Fact::ProvedBrittle(brittle) => all.push(self::brittle(brittle, suite)),
            Fact::Unvaried(..)
            | Fact::NoChoice(_)
            | Fact::Varied { .. }
            | Fact::Unresolved(..)
            | Fact::Cause { .. }
            | Fact::Watched(_)
            | Fact::Unwatched(..)
            | Fact::RanInOrder(_)
            | Fact::RanOutside(_)
            | Fact::MorePolluters { .. }
            | Fact::Unproved(..)
            | Fact::Said(_)
            | Fact::Rounds(_)
            | Fact::Cut(_) => {}
        }
    }
    let id = |finding: &Finding| finding.id.as_str().to_owned();
    let replays = all.iter().map(|(finding, replay)| (id(finding), replay.clone()));
    let replays = replays.collect();
    (all.into_iter().map(|(finding, _)| finding).collect(), replays)
}

/// Facts that are part of other facts' findings.
#[derive(Default)]
struct RelatedFacts<'a> {
    rates: BTreeMap<TestIx, Rate>,
    causes: BTreeMap<TestIx, &'a Cause>,
    /// What a victim said after its one polluter, by both.
    messages: BTreeMap<(TestIx, TestIx), String>,
    /// Polluters of victims beyond those of the proof.
    more_polluters: BTreeMap<TestIx, BTreeSet<TestIx>>,
}

impl<'a> RelatedFacts<'a> {
    fn of(ledger: &'a Ledger) -> RelatedFacts<'a> {
        let mut known = RelatedFacts::default();
        for fact in ledger.facts() {
            match fact {
                Fact::Varied { test, rate } => {
                    known.rates.insert(*test, *rate);
                }
                Fact::Cause { test, cause } => {
                    known.causes.insert(*test, cause);
                }
                Fact::ProvedVictim { found, .. } => {
                    if let [polluter] = found.main.polluters[..] {
                        let said = message(&found.main.failure);
                        known
                            .messages
                            .entry((found.main.victim, polluter))
                            .or_insert(said);
                    }
                }
                Fact::MorePolluters { victim, polluter } => {
                    known.more_polluters.entry(*victim).or_default().insert(*polluter);
                }
                _ => {}
            }
        }
        known
    }

    fn implementation_dependent(&self, failed: &Failed, suite: &Suite) -> Finding {
        let known = &suite[failed.test];
        let confirmed = &failed.confirmed;
        let id = finding_id(FindingKind::ImplementationDependent, &known.id);
        let tried = |trial: &LevelTrial| Tried {
            strategy: trial.strategy,
            rate: Rate {
                failed: u32::from(trial.failed),
                runs: 1,
            },
        };
        let cause = self.causes.get(&failed.test).map(|cause| (*cause).clone());
        let cause = cause.unwrap_or_default();
        Finding {
            rule: rules::of(&cause).to_owned(),
            test: known.id.clone(),
            severity: Severity::implementation_dependent(
                confirmed.weakest.level,
                is_silent(&cause, &known.models),
            ),
            message: message(&confirmed.failure),
            failure: Some(confirmed.failure.sort()),
            exception: confirmed.failure.kind.clone(),
            replay: format!("unflake replay {}", id.as_str()),
            rate: self.rates.get(&failed.test).copied().unwrap_or_default(),
            suppressed: None,
            details: Details::ImplementationDependent {
                level: confirmed.weakest.level,
                levels_tried: confirmed.trials.iter().map(tried).collect(),
                round: failed.round,
                strategy: confirmed.weakest,
                scope: scope_of(confirmed.scope),
                proof: counted(confirmed.evidence),
                dumps: Some(confirmed.failure.trace.clone())
                    .filter(|trace| confirmed.failure.kind == Failure::HANG && !trace.is_empty()),
                apis: known.models.clone(),
                cause,
                repair: Repair::default(),
            },
            id,
        }
    }

    fn victim(&self, found: &FoundVictim, state: Option<String>, suite: &Suite) -> (Finding, Replay) {
        let proved = &found.main;
        let name = |test: &TestIx| suite[*test].id.clone();
        let mut order = proved.polluters.clone();
        order.push(proved.victim);
        let is_own = proved.polluters == [proved.victim];
        let more = self.more_polluters.get(&proved.victim).into_iter().flatten();
        let more = more.filter(|polluter| !found.polluters.contains_key(polluter));
        let details = Details::Victim(Victim {
            polluter: proved.polluters.first().filter(|_| order.len() == 2).map(name),
            polluters: found.polluters.keys().chain(more).map(name).collect(),
            cleaners: found.cleaners.iter().map(name).collect(),
            order: order.iter().map(name).collect(),
            state,
            repair: Repair::default(),
        });
        let about = About {
            id: &suite[proved.victim].id,
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
        (about.finding(&proved.failure, details), Replay::of(suite, order))
    }

    fn polluter(&self, changed: &Changed, suite: &Suite) -> (Finding, Replay) {
        let change = &changed.change;
        let test = author(changed, suite);
        let benign = Benign::of(changed.mark.clone());
        let suffering = |victim: &TestIx| Suffering {
            test: suite[*victim].id.clone(),
            // What it said after another polluter may not be what it says after this one.
            message: self
                .messages
                .get(&(*victim, changed.test))
                .cloned()
                .unwrap_or_default(),
        };
        let victims: Vec<Suffering> = changed.victims.iter().map(suffering).collect();
        let kind = match change.kind {
            StateKind::File => FindingKind::FilePolluter,
            _ => FindingKind::Polluter,
        };
        let id = polluter_id(kind, &test, &change.root);
        let text = |value: &Option<Shown>| value.as_ref().map(|value| value.text.clone());
        let or_nothing = |value| text(value).unwrap_or_else(|| "nothing".to_owned());
        let rule = match changed.by {
            By::Capture => rules::of_state(change.kind, change.form, HeapPlace::Captured),
            By::Test | By::Class => rules::of_change(change),
        };
        let finding = Finding {
            rule: rule.to_owned(),
            severity: Severity::polluter(&test, &benign, &victims),
            message: format!(
                "leaves `{}` changed: {} → {}",
                change.path,
                or_nothing(&change.old),
                or_nothing(&change.new)
            ),
            failure: None,
            exception: String::new(),
            replay: match changed.victims.first() {
                Some(_) => format!("unflake replay {}", id.as_str()),
                None => format!(
                    "unflake check --only pollution --no-proof --eager '{}'",
                    test.class()
                ),
            },
            rate: Rate { failed: 2, runs: 2 },
            suppressed: None,
            details: match change.kind {
                StateKind::File => Details::FilePolluter(file_pollution(changed, benign, victims)),
                _ => Details::Polluter(Pollution {
                    state: change.kind,
                    held_by: change.root.clone(),
                    path: change.path.clone(),
                    old: text(&change.old),
                    new: text(&change.new),
                    more: change.more,
                    by_class: changed.by == By::Class,
                    benign,
                    proof: changed.proof,
                    victims,
                    graph: change.around.iter().map(triple).collect(),
                    repair: Repair::default(),
                }),
            },
            test,
            id,
        };
        let shown = [changed.test].into_iter().chain(changed.victims.first().copied());
        let replay = Replay {
            launch: suite[changed.test].launch,
            tests: shown.collect(),
        };
        (finding, replay)
    }
}

fn counted(evidence: Evidence) -> CountedProof {
    let Evidence { with, without } = evidence;
    CountedProof {
        varied: Rate {
            failed: with.failed,
            runs: with.runs,
        },
        unvaried: Passes {
            passed: without.passed(),
            runs: without.runs,
        },
    }
}

/// With what a failure repeats, in the document's words.
pub(crate) fn scope_of(scope: ConfirmedIn) -> Scope {
    match scope {
        ConfirmedIn::Alone => Scope::Alone,
        ConfirmedIn::Class => Scope::Class,
        ConfirmedIn::Prefix => Scope::Prefix,
    }
}

/// Whether the failure needs an API whose documentation says nothing of order: one that its cause names; and where no
/// cause is known, if every API that made choices is such a one.
fn is_silent(cause: &Cause, models: &[String]) -> bool {
    let is_silent = |name: &str| find(name).is_some_and(|(_, model)| model.basis == Basis::Silent);
    if cause.choices.is_empty() {
        !models.is_empty() && models.iter().all(|name| is_silent(name))
    } else {
        cause.choices.iter().any(|choice| is_silent(&choice.api))
    }
}

/// What a class does as a whole is reported of the class.
fn author(changed: &Changed, suite: &Suite) -> TestId {
    let test = &suite[changed.test];
    match changed.by {
        By::Test | By::Capture => test.id.clone(),
        By::Class => TestId {
            test: test.handle.root.clone(),
            invocation: None,
            ..test.id.clone()
        },
    }
}

fn triple(near: &Nearby) -> Triple {
    Triple {
        object: near.object.clone(),
        field: near.field.clone(),
        value: near.value.text.clone(),
        side: near.side,
    }
}

fn file_pollution(changed: &Changed, benign: Benign, victims: Vec<Suffering>) -> FilePollution {
    FilePollution {
        file: changed.change.root.clone(),
        change: match changed.change.form {
            ChangeForm::FirstSet => FileChange::Created,
            ChangeForm::Removed => FileChange::Deleted,
            ChangeForm::Increased | ChangeForm::Grown | ChangeForm::Replaced => FileChange::Changed,
        },
        more: Vec::new(),
        benign,
        proof: changed.proof,
        victims,
        repair: Repair::default(),
    }
}

fn brittle(proved: &ProvedBrittle, suite: &Suite) -> (Finding, Replay) {
    let name = |test: &TestIx| suite[*test].id.clone();
    let order: Vec<TestIx> = proved.setters.iter().copied().chain([proved.test]).collect();
    let details = Details::Brittle(Brittle {
        setter: proved.setters.first().filter(|_| order.len() == 2).map(name),
        setters: proved.setters.iter().map(name).collect(),
        order: order.iter().map(name).collect(),
        repair: Repair::default(),
    });
    let about = About {
        id: &suite[proved.test].id,
        kind: FindingKind::Brittle,
        rule: rules::BRITTLE,
        severity: Severity::Error,
        runs: proved.runs,
    };
    let finding = about.finding(&proved.failure, details);
    (finding, Replay::of(suite, vec![proved.test]))
}

/// What findings about orders have in common.
struct About<'a> {
    id: &'a TestId,
    kind: FindingKind,
    rule: &'a str,
    severity: Severity,
    /// It failed each time.
    runs: u32,
}

impl About<'_> {
    fn finding(&self, failure: &Failure, details: Details) -> Finding {
        let id = finding_id(self.kind, self.id);
        Finding {
            rule: self.rule.to_owned(),
            test: self.id.clone(),
            severity: self.severity,
            message: message(failure),
            failure: Some(failure.sort()),
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

/// What the failing test said, or the exception's class where it said nothing.
pub fn message(failure: &Failure) -> String {
    if failure.message.trim().is_empty() {
        failure.kind.clone()
    } else {
        failure.message.clone()
    }
}
