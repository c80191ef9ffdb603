//! Edits of Java class files: a class file in, the same class file with some method bodies changed out; and what method
//! bodies do with fields, for those who only read.
//!
//! The file is walked once and only spans are kept. New constants are appended, so no index in the file changes and
//! everything that is not edited stays as it is, byte for byte. Only the `Code` attributes of edited methods are
//! decoded. What is inserted is straight-line code, with one exception (the gate of [`Change::InsteadWhen`], which
//! joins at the frame of the method's entry), so no frame is ever computed and no class hierarchy is needed.
//!
//! There is no JVM, no disk and no clock in here. Whatever the bytes, nothing panics: a class that cannot be edited
//! gives an error that says why.

mod annotation;
mod class;
mod code;
mod constants;
mod descriptor;
mod edit;
mod error;
mod frames;
mod mutf8;
mod opcodes;
mod reader;
mod tables;
#[cfg(test)]
mod tests;
mod uses;

pub use annotation::{Annotation, Value};
pub use class::{ClassFile, Field, Method};
pub use edit::{Arg, Change, Gate, Helper, MethodEdit, StaticField};
pub use error::{ClassError, NotEdited};
pub use uses::{Call, FieldUse, How, Stored, Uses};
