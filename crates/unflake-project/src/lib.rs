//! Finds the build, runs it once and learns how its test JVMs are started.
