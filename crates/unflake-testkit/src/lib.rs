//! Temporary Java projects, the JVM matrix and redactions, for tests only.
