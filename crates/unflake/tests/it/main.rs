//! The program from outside: what it prints and how it ends.
//!
//! The whole output is the assertion. What differs from machine to machine (paths, versions) is replaced by names
//! first, all in [`run`].

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests: what cannot go on fails the test"
)]

mod bad_input;
mod builds;
mod detect;
mod docs;
mod ends;
mod explain;
mod first_steps;
mod fix;
mod fix_adverse;
mod fix_compiles;
mod fix_stopped;
mod fixture;
mod gradle;
mod isolation;
mod javas;
mod launcher;
mod messages;
mod order;
mod pollution;
mod processes;
mod run;
mod store;
mod watching;
