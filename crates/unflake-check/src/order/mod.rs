//! Tests whose outcome depends on the tests before them (P11). The search itself is `unflake-explore`'s; here it gets
//! its JVMs, and what it finds becomes facts.

mod launch;
pub(crate) mod proof;
pub(crate) mod suite_orders;
#[cfg(test)]
mod tests;

use crate::check::Check;
use crate::ledger::{CutShort, Fact, Ledger};
use unflake_explore::order::{Cut, Found, FoundVictim};
use unflake_findings::NoteKind;

/// Makes facts of what a search found. `state` says by what a victim's polluter does harm.
fn add_found(found: Found, state: &dyn Fn(&FoundVictim) -> Option<String>, ledger: &mut Ledger) {
    for (victim, polluter) in found.more_polluters {
        ledger.add(Fact::MorePolluters { victim, polluter });
    }
    for found in found.victims {
        let state = state(&found);
        let found = Box::new(found);
        ledger.add(Fact::ProvedVictim { found, state });
    }
    for brittle in found.brittle {
        ledger.add(Fact::ProvedBrittle(Box::new(brittle)));
    }
    for (test, why) in found.unproved {
        ledger.add(Fact::Unproved(test, why));
    }
}

/// Says what the time was not enough for.
fn add_cut(check: &Check<'_>, cut: Cut, ledger: &mut Ledger) {
    // Who ends the run knows.
    if check.is_cancelled() {
        return;
    }
    if cut.whole_orders {
        ledger.add(Fact::Cut(CutShort::Orders));
    }
    if cut.trials {
        ledger.add(Fact::Cut(CutShort::Proof));
    }
    if cut.cleaners {
        // Nothing that was found depends on it.
        ledger.note(
            NoteKind::Budget,
            "time ran out before all tests were found that clean up after polluters",
        );
    }
}
