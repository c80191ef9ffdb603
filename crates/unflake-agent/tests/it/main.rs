//! The agent in real JVMs, on every JDK that is found, always with `-Xcheck:jni -Xverify:all`: the JVM does not verify
//! its own classes otherwise.

mod boundaries;
mod jvm;
mod models;
mod program;
