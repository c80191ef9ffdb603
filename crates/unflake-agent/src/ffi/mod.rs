//! The border to the JVM: the only place with `unsafe` code.
//!
//! [`Jvmti`] and [`Jni`] wrap the function tables in safe methods, one per function that the agent needs; `exports` holds
//! what the JVM calls by name. Everything behind it is ordinary Rust. Two rules make the wrappers safe: an environment is
//! only ever made from the pointer that the JVM passed to the running callback, and object references are used on the
//! thread, and during the call, that they were given for (unless they are [`jni::Global`]).
#![expect(unsafe_code, reason = "the border to the JVM is made of raw function tables")]

mod environment;
mod exports;
mod jni;
mod jvmti;

pub(crate) use environment::set_variable;
pub(crate) use jni::{Global, Jni, Object, Value, Weak};
pub(crate) use jvmti::{Event, FieldId, Jvmti, MethodId};
