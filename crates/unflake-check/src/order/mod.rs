//! Tests whose outcome depends on the tests before them (P11).

mod blame;
mod cleaning;
mod order_findings;
pub(crate) mod place;
pub(crate) mod proof;
pub(crate) mod suite_orders;
