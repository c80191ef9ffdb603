//! Keeps test JVMs apart from each other and from the user's files, with what the kernel has.
//!
//! A JVM is not started by the program itself but by a launcher: the same executable with other arguments, which the
//! kernel allows to leave the namespaces of the others because it has one thread. [`Instructions`] is what it is told
//! ([`launcher`] follows them), [`Isolation`] finds out once what is possible here and writes the instructions for
//! each JVM. Three things can be had:
//!
//! - *namespaces*: the JVM has ports, processes and mounts of its own. What it writes below its working directory, the
//!   home or the temporary directory goes into a layer that is thrown away.
//! - *directories*, where the kernel refuses that: it has an empty home and temporary directory, and shares the rest.
//! - *outside*: it sees what a build sees. For tests that need just that, and for a person with a debugger.
//!
//! In each of them the launcher outlives the JVM, ends what the JVM left running, and ends the JVM when the program is
//! gone: it reads from a pipe that nobody but the program can write to.

mod first;
mod instructions;
mod launcher;
mod loopback;
mod mounts;
mod probe;
mod rights;
mod supervise;

pub use launcher::launched;
pub use probe::{Isolated, Isolation, IsolationSetting};

pub(crate) use instructions::Instructions;
pub(crate) use probe::{remove_all, watched};
pub(crate) use supervise::DUMP_THREADS;

/// Where a JVM runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whereabouts {
    /// Apart from all others, as far as the machine allows.
    #[default]
    Inside,
    /// Where a build would run it.
    Outside,
}
