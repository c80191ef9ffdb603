//! Models of underdetermined Java APIs, as data (N1, N2, N3).
//!
//! A [`Model`] is what a user sees and switches: a public API, what may vary, and the sentence that allows it. Its
//! [`Road`]s are the methods whose bodies are edited so that the API's result varies; which ones depends on the JDK. To
//! add an API, add a row. This crate knows no JVM and no bytecode.

mod explain;
mod find;
mod model;
mod refusals;
mod roads;
#[cfg(any(test, feature = "sources"))]
pub mod sources;
mod table;
mod user;

pub use explain::{FAMILIES, Family, explain, family, list, markdown};
pub use find::{UnknownName, find, glob_matches, nearest, roads_for, select};
pub use model::{Arg, Basis, Edit, Kind, Model, Road};
pub use refusals::{REFUSALS, Refusal, refusal};
pub use table::MODELS;
pub use user::{USER_RULE, check_user_model};

#[cfg(test)]
mod tests;
