//! Tests whose outcome depends on the tests before them (P11). The search itself is `unflake-explore`'s; here it gets
//! its JVMs, and what it finds becomes facts.

mod launch;
pub(crate) mod proof;
pub(crate) mod suite_orders;
#[cfg(test)]
mod tests;

use crate::check::Check;
use crate::ledger::{CutShort, Fact, Ledger};
use crate::options::CheckKind;
use unflake_explore::order::{Found, FoundVictim};
use unflake_findings::NoteKind;

/// Makes facts of what a search found. `state` says by what a victim's polluter does harm.
fn add_found(found: Found, state: &dyn Fn(&FoundVictim) -> Option<String>, ledger: &mut Ledger) {
    for (victim, polluter, _) in found.more_polluters {
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

/// Whether each test is to run right after each other one when a search's plan is done. That takes the square of the
/// suite, so only a budget that was asked for is spent on it, what is left of it; and once, where most is known.
fn wants_every_pair(check: &Check<'_>, kind: CheckKind) -> bool {
    let is_done_before = kind == CheckKind::Order && check.looks_for(CheckKind::Pollution);
    check.options.proof && check.options.budget.is_some() && !is_done_before
}

/// Says what the time was not enough for.
fn add_cut(check: &Check<'_>, found: &Found, ledger: &mut Ledger) {
    let cut = found.cut;
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
    // Who reads that the orders were cut short knows this as well.
    let pairs = found.pairs.filter(|_| !cut.whole_orders);
    if let Some(pairs) = pairs.filter(|pairs| pairs.tried < pairs.all) {
        // It was more than a check promises.
        ledger.note(
            NoteKind::Budget,
            format!(
                "the budget ran out before each test had run right after each test, itself included: {} of {} pairs were tried",
                pairs.tried, pairs.all
            ),
        );
    }
}
