//! Findings as text for people and JSON for programs; a state space also as a page and for Graphviz, a polluted object
//! as a page.
//!
//! Document in, text out: nothing here knows a terminal or a file, and whoever asks gives the text of sources. The
//! report has colours in it, which whoever writes it takes out where they are not wanted, and reads as well without
//! them.

mod graph;
mod json;
mod mark;
mod probability;
mod repair;
mod state_space;
mod text;

pub use graph::{dot, page, pollution_page};
pub use json::{json, state_space_json};
pub use mark::explain_marks;
pub use repair::{commit_message, patch_text, pull_request, repairs_summary, repairs_text};
pub use state_space::state_space_text;
pub use text::{Sources, duration, one_line, plural, printable, text};
