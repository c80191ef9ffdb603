//! Test JVMs: starting them, running tests in them, and what they said.
//!
//! [`driver`] is the one way to do so; `rounds`, [`orders`] and [`scripts`] are views of it.

pub mod driver;
mod exceptions;
pub mod orders;
pub mod patience;
pub(crate) mod pool;
pub(crate) mod rounds;
pub mod scripts;
pub mod transcript;
mod turns;
pub(crate) mod units;
