//! Varying choices: what can only be run through the build, and the causes of what fails.

pub mod cause;
pub(crate) mod through_build;
