//! Which changes of shared state look harmless (P9).
//!
//! In the papers 40 % of the reports were of this kind. They are marked and not hidden, since looks may deceive; each
//! mark says what it rests on. A change is harmless if no test can see it without reflection, and what the project's
//! own classes do with the field decides that: a value that only private code can see, and that this code makes again
//! whenever it is missing, is harmless; a value that a caller passed in is not.
//!
//! [`Evidence`] is what the class files say about fields. [`mark`] asks the rules of one table ([`rules`]) in their
//! order; each row has an example that it marks and a twin that it does not. Nothing here reads a file or knows a
//! sentence.

mod case;
mod class_uses;
mod evidence;
mod field;
mod methods;
mod rules;
#[cfg(test)]
mod tests;

pub use case::Seen;
pub use class_uses::ClassUses;
pub use evidence::Evidence;
pub use rules::mark;
