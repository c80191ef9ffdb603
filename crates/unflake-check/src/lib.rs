//! The engine of unflake: everything between "check this project" and the document that says what was found.
//!
//! It starts test JVMs and decides what to run in them, but knows no terminal: it prints nothing, reads no arguments and
//! ends no process. What the user sees meanwhile goes through [`Progress`]; what goes wrong is a [`Problem`].

mod again;
mod check;
pub mod drive;
mod learn;
mod nearest;
mod options;
mod order;
pub mod outcome;
mod places;
mod problem;
mod progress;
mod selection;
mod space;
mod state;
pub mod stored;
mod suite;
pub mod vary;

pub use again::{Again, Named};
pub use check::{Checked, Surroundings, check, configuration, fresh_seed, scratch, seed};
pub use learn::build_problem;
pub use nearest::{did_you_mean, nearest};
pub use options::{
    Eager, ExploreOptions, Ignore, Kind, Measure, Options, Place, PollutionOptions, SeedSetting, Vary,
};
pub use problem::{Problem, ProblemKind, list, not_implementation_dependent, unknown_api};
pub use progress::{Progress, Silent};
pub use space::explore;
