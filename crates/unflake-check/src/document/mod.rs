//! From facts to the document: a pure function, called at the end.
//!
//! Each fact that is a finding becomes one; every test gets exactly one state for each kind that was asked for, and one
//! for all of them; then counts. Severity and rule follow from what is known by then, so the cause counts; whether a
//! finding is suppressed is decided last, by the rule that the report shows.

mod findings;
mod states;
mod suppress;
#[cfg(test)]
mod tests;
mod unwatched;

pub use findings::message;
pub(crate) use findings::scope_of;
pub use suppress::{Suppressions, source_of};

use crate::ledger::{CutShort, Fact, Ledger};
use crate::options::CheckKind;
use crate::replay::Replays;
use crate::suite::Suite;
use states::States;
use std::collections::BTreeMap;
use unflake_explore::TestIx;
use unflake_findings::{
    Document, Excluded, LevelSetting, Note, NoteKind, RunInfo, SCHEMA_VERSION, SkipReason, Summary,
};
use unflake_protocol::Seed;

/// What was asked for, as far as the document tells it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) run: RunInfo,
    pub(crate) kinds: Vec<CheckKind>,
    /// How test JVMs were kept apart.
    pub(crate) isolation: &'static str,
    pub(crate) seed: Seed,
    pub(crate) level: LevelSetting,
}

/// A document, and what its findings need to be repeated.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) document: Document,
    pub(crate) replays: Replays,
}

/// Makes the document. `selected`: the tests that were asked for. `time`: the whole run, in seconds.
pub(crate) fn document(
    ledger: &Ledger,
    suite: &Suite,
    selected: &[TestIx],
    asked: &Asked,
    suppressions: &Suppressions<'_>,
    time: f64,
) -> Finished {
    let (mut findings, replays) = findings::of(ledger, suite);
    for finding in &mut findings {
        finding.suppressed = suppressions.of(finding);
    }
    let tests = selected.iter().map(|test| &suite[*test].id);
    let idle = suppressions
        .unused(&findings, tests)
        .into_iter()
        .map(|test| Note {
            kind: NoteKind::Other,
            message: format!("the `[[ignore]]` of `{test}` in unflake.toml silences no finding"),
        });
    let states = States::of(ledger, suite, selected, &asked.kinds);
    let mut skipped: BTreeMap<SkipReason, usize> = BTreeMap::new();
    let mut excluded = Vec::new();
    for (test, fate) in states.fates() {
        if let Some(reason) = fate.skip() {
            *skipped.entry(reason).or_default() += 1;
        }
        if let Some((reason, detail)) = fate.excluded() {
            excluded.push(Excluded {
                test: suite[test].id.clone(),
                reason,
                detail,
            });
        }
    }
    let rounds = rounds(ledger);
    let cuts: Vec<CutShort> = ledger.facts().filter_map(cut).collect();
    let is_partial = !cuts.is_empty() || states.has_unproved() || states.has_unwatched();
    let mut document = Document {
        schema_version: SCHEMA_VERSION,
        run: asked.run.clone(),
        summary: Summary {
            tests: selected.len(),
            checked: selected.len() - skipped.values().sum::<usize>(),
            skipped,
            rounds,
            seed: asked.seed,
            level: asked.level,
            time,
            java: suite.java.iter().cloned().collect(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            partial: is_partial,
            isolation: asked.isolation.to_owned(),
            outside: outside(ledger).len(),
        },
        findings,
        excluded,
        tests: states.tests(suite),
        repairs: Vec::new(),
        notes: (notes(ledger, suite, &cuts, rounds).into_iter())
            .chain(idle)
            .collect(),
    };
    document.sort();
    Finished { document, replays }
}

/// Where nothing else was varied, orders of the whole suite are the run's rounds.
fn rounds(ledger: &Ledger) -> u32 {
    let of = |fact: &Fact| match fact {
        Fact::Rounds(rounds) => Some(*rounds),
        _ => None,
    };
    ledger.facts().filter_map(of).max().unwrap_or(0)
}

/// Tests that ran without isolation.
fn outside(ledger: &Ledger) -> Vec<TestIx> {
    let of = |fact: &Fact| match fact {
        Fact::RanOutside(test) => Some(*test),
        _ => None,
    };
    ledger.facts().filter_map(of).collect()
}

fn cut(fact: &Fact) -> Option<CutShort> {
    match fact {
        Fact::Cut(cut) => Some(*cut),
        _ => None,
    }
}

fn notes(ledger: &Ledger, suite: &Suite, cuts: &[CutShort], rounds: u32) -> Vec<Note> {
    let of = |fact: &Fact| match fact {
        Fact::Said(note) => Some(note.clone()),
        _ => None,
    };
    let mut notes: Vec<Note> = ledger.facts().filter_map(of).collect();
    notes.extend(unwatched::notes(ledger, suite));
    let mut say = |kind, message: String| notes.push(Note { kind, message });
    if cuts.contains(&CutShort::Interrupted) {
        say(
            NoteKind::Interrupted,
            "interrupted: this is a partial result".to_owned(),
        );
    } else if cuts.contains(&CutShort::Running) {
        say(
            NoteKind::Interrupted,
            "the run had not finished when this was stored: this is a partial result".to_owned(),
        );
    } else if cuts.contains(&CutShort::Rounds) {
        say(
            NoteKind::Budget,
            format!("the budget ran out after {rounds} rounds"),
        );
    }
    if cuts.contains(&CutShort::Orders) {
        say(
            NoteKind::Budget,
            "time ran out before the suite had run in all orders".to_owned(),
        );
    }
    if cuts.contains(&CutShort::Proof) {
        say(
            NoteKind::Budget,
            "time ran out before all polluters were tried on all tests".to_owned(),
        );
    }
    if cuts.contains(&CutShort::Rebuilt) {
        say(
            NoteKind::Rebuilt,
            "the project's classes changed while they were checked; run `unflake check` again".to_owned(),
        );
    }
    let outside = outside(ledger);
    if !outside.is_empty() {
        let who = suite.named(&outside);
        say(
            NoteKind::Outside,
            format!(
                "{who} ran without isolation, one test JVM at a time; with it, the outcome was different"
            ),
        );
    }
    match states::ended_unproved(ledger) {
        0 => {}
        1 => say(
            NoteKind::Budget,
            "time ran out before the polluter of 1 more test was found".to_owned(),
        ),
        many => say(
            NoteKind::Budget,
            format!("time ran out before the polluters of {many} more tests were found"),
        ),
    }
    notes
}
