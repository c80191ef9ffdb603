//! The state space as a picture: for Graphviz, and as a page of its own. Also the objects around a polluted one
//! ([`neighbourhood`]).
//!
//! What is to be drawn is decided first ([`drawing`]), without a coordinate; then each part gets its place
//! ([`layout`]), without knowing what it is; then it is written. The page needs nothing but itself: no network, no file
//! beside it.

mod change;
mod data;
mod dot;
mod drawing;
mod escape;
mod labels;
mod layout;
mod neighbourhood;
mod page;
#[cfg(test)]
pub(crate) mod samples;
mod svg;

pub use dot::dot;
pub use neighbourhood::pollution_page;
pub use page::page;
