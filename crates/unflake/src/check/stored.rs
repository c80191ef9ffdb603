//! What a run keeps beside its findings, so that each can be repeated later without the build (N11).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use unflake_protocol::{Configuration, Handle, Recipe};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(crate) configuration: Configuration,
    /// One per way in which the build starts its test JVMs.
    pub(crate) recipes: Vec<Recipe>,
    /// By the finding's id.
    pub(crate) replays: BTreeMap<String, StoredReplay>,
    /// Arguments of the user's for the build tool.
    pub(crate) build_arguments: Vec<String>,
}

/// What to run to see a failure again; the last of `tests` is the one that fails.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredReplay {
    /// Index into [`Stored::recipes`]; `None`: it shows in the build only.
    pub(crate) recipe: Option<usize>,
    pub(crate) tests: Vec<Handle>,
}
