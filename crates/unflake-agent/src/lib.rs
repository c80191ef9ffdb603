//! The native agent inside the test JVM: edits, test boundaries, events.
//!
//! It is a guest in somebody else's process. Loaded into every JVM of a build, it sleeps (one comparison per prepared
//! class) until a test framework appears. Then it connects to the program, defines the runtime's classes in the boot
//! loader, edits what the models and the framework boundaries name, and from there on passes on events. It writes to
//! no stream, throws nothing into Java code, and when it cannot work the JVM runs as if it were not there.

mod agent;
mod around;
mod asked;
mod boundaries;
mod callers;
mod clock;
mod connection;
mod events;
#[cfg(feature = "faults")]
mod faults;
mod ffi;
mod hashes;
mod heap;
mod jvm_state;
mod launch;
mod loaded;
mod options;
mod plan;
mod runtime;
mod session;
mod user;
