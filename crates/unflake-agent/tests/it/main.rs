//! The agent in real JVMs, on every JDK that is found, always with `-Xcheck:jni -Xverify:all`: the JVM does not verify
//! its own classes otherwise.
#![expect(clippy::unwrap_used, reason = "what a test cannot do without fails it")]

mod boundaries;
mod jvm;
mod learning;
mod models;
mod program;
mod runtime;
mod user;
mod worker;
