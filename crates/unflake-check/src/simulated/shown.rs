//! Facts as short text, for tests to compare.

use crate::ledger::{CutShort, Fact, Ledger, NotWatched, Unresolved, Unvaried, Unwatched};
use crate::suite::Suite;
use unflake_explore::TestIx;
use unflake_explore::order::Unproved;

/// One text for each fact.
pub(crate) fn shown(ledger: &Ledger, suite: &Suite) -> Vec<String> {
    ledger.facts().map(|fact| one(fact, suite)).collect()
}

fn one(fact: &Fact, suite: &Suite) -> String {
    let name = |test: &TestIx| suite[*test].id.test.clone();
    let names = |tests: &mut dyn Iterator<Item = &TestIx>| tests.map(name).collect::<Vec<_>>().join(" ");
    match fact {
        Fact::Unvaried(test, what) => format!("{} {}", name(test), unvaried(what)),
        Fact::NoChoice(test) => format!("{} has no choice", name(test)),
        Fact::Varied { test, rate } => format!("{} failed {} of {}", name(test), rate.failed, rate.runs),
        Fact::Unresolved(test, why) => format!("{} {}", name(test), unresolved(why)),
        Fact::Failed(failed) => format!(
            "{} fails since round {}, {:?}, {}{}",
            name(&failed.test),
            failed.round,
            failed.confirmed.scope,
            failed.confirmed.weakest,
            if failed.through_build {
                ", through the build"
            } else {
                ""
            }
        ),
        Fact::Cause { test, cause } => {
            let apis: Vec<&str> = cause.choices.iter().map(|choice| choice.api.as_str()).collect();
            let what = cause.reason.clone().unwrap_or_else(|| apis.join(" "));
            format!(
                "{} because of {what}{}",
                name(test),
                if cause.warm { ", warm" } else { "" }
            )
        }
        Fact::Watched(test) => format!("{} watched", name(test)),
        Fact::Unwatched(test, Unwatched { when, why }) => {
            let why = match why {
                NotWatched::NoLaunch => "no launch".to_owned(),
                NotWatched::Ended(how) | NotWatched::Hung(how) => how.clone(),
                NotWatched::SetUpFailed(message) | NotWatched::NotCompared(message) => message.clone(),
                NotWatched::NotRun => "not run".to_owned(),
            };
            format!("{} unwatched ({when:?}): {why}", name(test))
        }
        Fact::Changed(changed) => format!(
            "{:?} {} changes {}: {:?}{}",
            changed.by,
            name(&changed.test),
            changed.change.root,
            changed.proof,
            match &changed.victims[..] {
                [] => String::new(),
                victims => format!(" by {}", names(&mut victims.iter())),
            }
        ),
        Fact::RanOutside(test) => format!("{} ran outside", name(test)),
        Fact::RanInOrder(test) => format!("{} ran in order", name(test)),
        Fact::ProvedVictim { found, state } => format!(
            "{} is a victim of {}{}",
            name(&found.main.victim),
            names(&mut found.main.polluters.iter()),
            state
                .as_ref()
                .map(|state| format!(" by {state}"))
                .unwrap_or_default()
        ),
        Fact::MorePolluters { victim, polluter } => {
            format!("{} is also a victim of {}", name(victim), name(polluter))
        }
        Fact::ProvedBrittle(brittle) => format!(
            "{} needs {}",
            name(&brittle.test),
            names(&mut brittle.setters.iter())
        ),
        Fact::Unproved(test, why) => {
            let why = match why {
                Unproved::Ended => "time is up",
                Unproved::NotRepeated => "not repeated",
                Unproved::NotRun => "not run",
            };
            format!("{} unproved: {why}", name(test))
        }
        Fact::Said(note) => format!("said: {}", note.message),
        Fact::Rounds(rounds) => format!("{rounds} rounds"),
        Fact::Cut(CutShort::Interrupted) => "interrupted".to_owned(),
        Fact::Cut(CutShort::Rounds) => "rounds cut".to_owned(),
        Fact::Cut(cut) => format!("cut: {cut:?}"),
    }
}

fn unvaried(what: &Unvaried) -> String {
    match what {
        Unvaried::Disabled => "is disabled".to_owned(),
        Unvaried::Unfinished => "is unfinished".to_owned(),
        Unvaried::NotReached(reason) => format!("is not reached: {reason}"),
        Unvaried::Fails { message } => format!("fails unvaried: {message}"),
        Unvaried::FailsInSuite { message, .. } => format!("fails in the suite: {message}"),
        Unvaried::Flaky(rate) => format!("is flaky: {} of {}", rate.failed, rate.runs),
    }
}

fn unresolved(why: &Unresolved) -> String {
    match why {
        Unresolved::NotReached => "not reached".to_owned(),
        Unresolved::NotConfirmed => "not confirmed".to_owned(),
        Unresolved::Flaky { seen, .. } => format!(
            "is flaky: {} of {} varied, {} of {} unvaried",
            seen.with.failed, seen.with.runs, seen.without.failed, seen.without.runs
        ),
        Unresolved::BrokenByOthers => "broken by others".to_owned(),
        Unresolved::OnlyOnce => "runs only once".to_owned(),
        Unresolved::NeedsOthers { message } => format!("needs others: {message}"),
        Unresolved::NotRunByBuild => "not run by the build".to_owned(),
        Unresolved::BuildEnded(reason) => format!("lost its build: {reason}"),
        Unresolved::NotConfirmedInTime => "not confirmed in time".to_owned(),
        Unresolved::NoJvm(reason) => format!("has no JVM: {reason}"),
    }
}
