//! The engine of unflake: everything between "check this project" and the document that says what was found.
//!
//! It starts test JVMs and decides what to run in them, but knows no terminal: it prints nothing, reads no arguments and
//! ends no process. What the user sees meanwhile goes through [`Progress`]; what goes wrong is a [`Problem`].

mod anchors;
mod baseline;
mod check;
pub mod document;
pub mod drive;
mod kept;
mod learn;
mod ledger;
mod nearest;
mod options;
mod order;
mod outside;
mod places;
mod problem;
mod progress;
mod repair;
mod replay;
mod selection;
mod session;
#[cfg(test)]
mod simulated;
mod space;
mod state;
mod stored_run;
mod suite;
pub mod vary;

pub use check::{Checked, Surroundings, check, configuration, fresh_seed, seed};
pub use learn::build_problem;
pub use nearest::{did_you_mean, nearest};
pub use options::{
    CheckKind, Eager, ExploreOptions, Ignore, Measure, Options, Place, PollutionOptions, SeedSetting, Vary,
};
pub use problem::{Problem, ProblemKind, list, not_implementation_dependent, unknown_api};
pub use progress::{Progress, Silent};
pub use repair::{Chooser, Grouping, RepairOptions, Repairs, Wanted, Workplace, repair};
pub use replay::{Replay, Replays};
pub use session::{Session, scratch};
pub use space::explore;
pub use stored_run::{Named, StoredRun};
pub use suite::{Baseline, KnownTest, LaunchIx, Suite};
