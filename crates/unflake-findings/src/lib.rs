//! What was found, as plain data, and the store on disk (N11).
//!
//! The types of [`Document`] are the JSON that users' scripts read (INTERFACE, "JSON"): a field here is a promise. Nothing in
//! this crate runs a test or prints; the store is its only contact with the disk, and the time is always passed in.

mod document;
mod finding;
mod ids;
mod store;
mod suppression;

pub use document::{
    Document, Excluded, ExcludedReason, LevelSetting, Note, NoteKind, RunInfo, SCHEMA_VERSION, SkipReason,
    Summary,
};
pub use finding::{
    Cause, CauseStatus, Details, Finding, FindingKind, Rate, Repair, RepairStatus, Scope, Severity,
    Suppression, Tried, rules,
};
pub use ids::{FindingId, RunId, finding_id};
pub use store::{ProjectStore, Run, StoreError, default_base, project_with};
pub use suppression::{source_file, suppressed_in};
