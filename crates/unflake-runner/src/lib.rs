//! Starts JVMs from a launch recipe and speaks the protocol with their agents.
//!
//! The only place that starts processes: [`command`] sets the directory, [`Children`] makes sure that none of them
//! outlives the program. What the tests' outcomes mean is not decided here.

mod children;
mod compiler;
mod furnish;
mod isolate;
mod launch;
mod listener;
mod output;
mod unheard;
mod worker;

pub use children::{Cancel, Children, CommandEnd, command, end_process};
pub use compiler::{CompileError, Compiler};
pub use furnish::{JVM_OPTIONS, OwnDirectory};
pub use isolate::{Isolated, Isolation, IsolationSetting, Whereabouts, launched};
pub use launch::{FromTool, Launch, LaunchError, class_files};
pub use listener::{Connection, Listener};
pub use unheard::Unheard;
pub use worker::{
    Death, During, Limits, Numbers, RunEnd, START_LIMIT, StartError, Work, Worker, WorkerTools,
};
