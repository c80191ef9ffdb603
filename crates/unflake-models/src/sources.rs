//! The JDK's own documentation, read from its `src.zip`.
//!
//! Two need it: the test that finds each model's quotation, and the search for candidates (N3). Both only look, so a
//! scanner that knows comments, strings, braces and declarations is enough; nothing is resolved. Behind a feature,
//! since the agent carries this crate into other people's JVMs and never reads an archive.

mod archive;
mod candidates;
mod documentation;
mod jdk;

pub use archive::Archive;
pub use candidates::{Candidate, Candidates};
pub use documentation::{Documented, plain_text, scan};
pub use jdk::{JdkSources, find_jdk_sources};
