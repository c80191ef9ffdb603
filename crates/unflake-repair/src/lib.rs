//! Repairs of implementation-dependent tests and of polluters, as text: what is known of a failure goes in, edits of
//! Java sources come out, with variants that must fail so that a repair cannot weaken a test (R1 to R9).
//!
//! Nothing here compiles, runs or reads a file. Whoever does gives [`Clues`] and proves each [`Candidate`].

mod assertion;
mod candidate;
mod class_members;
mod clues;
mod diff;
mod edit;
mod elements;
mod hashing;
mod heirs;
mod imports;
mod java;
mod json;
mod json_libraries;
mod libraries;
mod literal;
mod members;
mod near;
mod origin;
mod polluters;
mod pom;
mod product_bug;
mod reassert;
mod rewrite;
mod same_parts;
mod strategies;
#[cfg(test)]
mod testing;
mod text_comparison;
mod throws;
mod types;
mod unused;
mod value_text;
mod varargs;

pub use candidate::{Candidate, Mutant, Mutation};
pub use clues::{Clues, Failing, Sources};
pub use diff::unified_diff;
pub use edit::{Edit, Edits};
pub use java::{JavaFile, SyntaxError};
pub use libraries::{Added, Libraries};
pub use polluters::{POLLUTER_STRATEGIES, Polluted, PolluterStrategy, polluter_candidates};
pub use pom::{Artifact, with_test_dependency};
pub use product_bug::product_bug;
pub use reassert::{observed, renewed};
pub use strategies::{LAST_RESORT, STRATEGIES, Strategy, candidates};
