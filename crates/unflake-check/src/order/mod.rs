//! Tests whose outcome depends on the tests before them (P11). The search itself is `unflake-explore`'s; here it gets
//! its JVMs, and what it finds becomes facts.

mod launch;
pub(crate) mod proof;
pub(crate) mod suite_orders;
#[cfg(test)]
mod tests;

use crate::ledger::{Fact, Ledger};
use unflake_explore::order::{Found, FoundVictim};

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
