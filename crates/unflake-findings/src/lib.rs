//! What was found, as plain data, and the store on disk (N11).
//!
//! The types of [`Document`] are the JSON that users' scripts read (INTERFACE, "JSON"): a field here is a promise.
//! Nothing in this crate runs a test or prints; the store is its only contact with the disk, and the time is always
//! passed in.

mod calendar;
mod cause;
mod document;
mod finding;
mod ids;
mod mark;
mod pollution;
mod repair;
pub mod rules;
mod state_space;
mod store;
mod suppression;

pub use cause::{Cause, CauseStatus, Choice, Frame, SourcePlace};
pub use document::{
    Document, Excluded, ExcludedReason, LevelSetting, Note, NoteKind, RunInfo, SCHEMA_VERSION, SkipReason,
    Summary, TestResult, TestState,
};
pub use finding::{
    CountedProof, Details, Effect, EffectMut, Finding, FindingKind, Passes, Rate, Scope, Severity,
    Suppression, Tried,
};
pub use ids::{FindingId, RunId, finding_id, polluter_id};
pub use mark::{Mark, MarkKind};
pub use pollution::{
    Benign, Brittle, FileChange, FilePollution, Pollution, Proof, Suffering, Triple, Victim,
};
pub use repair::{Repair, RepairCandidate, RepairGroup, RepairProof, RepairStatus, Safety, TriedRepair};
pub use state_space::{Edge, FailureKind, Figures, Node, NodeKind, StateSpace};
pub use store::{
    ProjectList, ProjectOverview, ProjectStore, Run, RunList, RunOverview, RunResult, RunState, Selection,
    StoreError, default_base, project_with, projects,
};
pub use suppression::{source_file, suppressed_in};
