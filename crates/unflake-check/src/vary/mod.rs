//! Varying choices: rounds, the confirmation of what fails in them, what only the build can run, and causes.

pub mod cause;
mod confirm;
mod explain;
pub(crate) mod rebuild;
mod rounds;
mod through_build;

pub(crate) use explain::explain;
pub(crate) use rebuild::Rebuild;
pub use rebuild::outcome_in_build;
pub(crate) use rounds::unvaried_runs;

use crate::check::Check;
use crate::ledger::Ledger;
use crate::outside::make_exceptions;
use unflake_explore::TestIx;

/// Varies tests that pass unvaried, and confirms what fails.
pub(crate) fn run(check: &Check<'_>, passed: &[TestIx], rebuild: &Rebuild<'_>, ledger: &mut Ledger) {
    let candidates = rounds::control_runs(check, passed, ledger);
    let verdicts = rounds::run(check, &candidates, ledger);
    let mut left = confirm::run(check, &candidates, &verdicts, ledger);
    let exceptions = make_exceptions(check, &left);
    if !exceptions.is_empty() {
        left.retain(|test| !exceptions.contains(test));
        let verdicts = rounds::run(check, &exceptions, ledger);
        left.extend(confirm::run(check, &exceptions, &verdicts, ledger));
        left.sort_unstable();
    }
    through_build::run(check, &left, rebuild, ledger);
}
