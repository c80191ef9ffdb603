//! Findings as text for people and JSON for programs.
//!
//! Document in, text out: nothing here knows a terminal or a file, and whoever asks gives the text of sources. The report has
//! colours in it, which whoever writes it takes out where they are not wanted, and reads as well without them.

mod json;
mod text;

pub use json::json;
pub use text::{Sources, duration, text};
