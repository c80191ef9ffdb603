//! The program from outside: what it prints and how it ends.
//!
//! The whole output is the assertion. What differs from machine to machine (paths, versions) is replaced by names first, all in
//! [`run`].

mod bad_input;
mod first_steps;
mod messages;
mod run;
