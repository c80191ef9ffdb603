//! Tests whose outcome depends on the tests before them (P11).
//!
//! What is tried, and what counts as proved, is decided in `unflake-explore::order`. Here the tests of a launch are
//! described to it, its orders are run in JVMs, and what it found becomes findings.

mod launch;
mod order_findings;
pub(crate) mod proof;
pub(crate) mod suite_orders;
