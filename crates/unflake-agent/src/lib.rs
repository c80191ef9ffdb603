//! The native agent inside the test JVM: edits, test boundaries, events.
