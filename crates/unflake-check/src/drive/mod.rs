//! Test JVMs: starting them, running tests in them, and what they said.

pub mod orders;
pub(crate) mod rounds;
pub mod scripts;
