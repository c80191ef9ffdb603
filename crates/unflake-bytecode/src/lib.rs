//! Edits of Java class files: method bodies only, frames kept.
