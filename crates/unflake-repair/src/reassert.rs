//! R6: expected literals that a deterministic order made wrong.

use crate::clues::{Failing, Sources};
use crate::edit::Edits;

/// The edit that renews the expected literal of a failing comparison, and its file; or why there is none.
pub fn renewed(_failing: &Failing, _sources: &dyn Sources) -> Result<(String, Edits), String> {
    Err("it is not a literal".to_owned())
}
