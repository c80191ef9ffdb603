//! Finds the build, runs it once and learns how its test JVMs are started.
//!
//! Nothing is decided by reading build files: an ordinary run of the build under the agent tells all that is needed.
//! What is learned is plain data ([`BuildRun`]); what to do with it is decided elsewhere. What differs between build
//! tools is behind [`BuildTool`], and [`TOOLS`] lists those that are driven.

mod build;
mod jvm;
mod lost;
mod recipe;
mod run;
mod tool;
mod tools;

pub use build::{Build, FindError};
pub use jvm::{ContainerRun, TestJvm, TestRun};
pub use lost::{During, HowLost, LostJvm};
pub use recipe::BuildRecipe;
pub use run::{BuildError, BuildRequest, BuildRun, Silence, tool_options};
pub use tool::{BuildTool, LeftOut, ToolFacts};
pub use tools::{TOOLS, Tools};
