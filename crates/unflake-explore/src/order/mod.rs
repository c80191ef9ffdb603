//! Tests whose outcome depends on the tests before them (P11): who makes whom fail, or pass, and the proof of it.
//!
//! Everything is decided by running tests in given orders, each order in a fresh JVM, through the trait [`Orders`].
//! This folder holds every decision of that search and knows neither process, clock nor disk: the caller describes the
//! tests of one launch ([`LaunchTests`]), what was seen to change shared state ([`Suspicion`]), and gets back plain
//! results ([`Found`]).
//!
//! - `stages` is the plan: two tables, one for `check --only pollution` and one for `check --only order`.
//! - `plan` is the loop that runs a table; `choose` says what its columns mean; `suspicions`, who pollutes what;
//!   `found`, what comes of it.
//! - `late` tries polluters together that hardly do harm; `every_pair`, if asked to, each test right behind each other,
//!   alone; `beginnings` keeps what orders have shown of single pairs.
//! - `trial` runs one stage: polluters before candidates; `sweep` and `batch` pack such runs into few JVMs.
//! - `shortest` finds the polluters of one failure; `sort_out` does so for all failures of some orders.
//! - `prove` turns guesses into proofs: every victim with its first polluters, every brittle test. Further polluters of
//!   a victim are seen twice, by themselves or only among other tests ([`SeenHow`]).
//! - `cleaning` finds the tests that clean up, `blame` the state by which a victim is hurt.
//! - `shuffle` makes and runs orders of the whole suite; `question` answers `unflake victims`.
//! - `limits` has every number, with its reason.

mod batch;
mod beginnings;
mod blame;
mod choose;
mod cleaning;
mod every_pair;
mod found;
mod late;
mod launch_tests;
pub mod limits;
mod orders;
mod plan;
#[cfg(test)]
mod properties;
mod prove;
mod question;
#[cfg(test)]
mod random;
mod shortest;
mod shuffle;
#[cfg(test)]
mod simulated;
mod sort_out;
mod stages;
mod suspicions;
mod sweep;
mod trial;

pub use every_pair::PairsTried;
pub use found::{Cut, Found, FoundVictim, Judged, Judgement, SeenHow};
pub use launch_tests::{ClassIx, LaunchTests, classes_of};
pub use orders::{Orders, TestOrder, Unproved, Wanted};
pub use plan::{Doing, Planned, Search};
pub use prove::{ProvedBrittle, ProvedVictim};
pub use question::{Answer, AnswerStep, Question};
pub use shuffle::{OrdersTried, RanOrders, TimeLeft, WholeSuite};
pub use suspicions::{ChangeSeen, HeldBy, Standing, Suspicion, SuspicionIx, Turn, suspicions};
