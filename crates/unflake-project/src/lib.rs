//! Finds the build, runs it once and learns how its test JVMs are started.
//!
//! No build file is read: an ordinary run of the build under the agent tells all that is needed. What is learned is
//! plain data ([`BuildRun`]); what to do with it is decided elsewhere.

mod build;
mod learn;

pub use build::{Build, FindError};
pub use learn::{BuildError, BuildRequest, BuildRun, ContainerRun, TestJvm, TestRun, tool_options};
