//! The heap that tests share, as a graph (P3 to P5).
//!
//! The agent's walker in Java writes what it finds as words, root by root ([`Packed`]). Here they are read, two states
//! are compared up to isomorphism of what their common roots reach ([`differences`]), and each difference gets its
//! access path. How objects of the JDK are read, so that two sets with the same elements are equal whatever their
//! tables look like, is a table ([`abstraction`]). Nothing here knows a JVM.

pub mod abstraction;
mod compare;
mod describe;
mod index;
mod leaves;
mod packed;
mod shape;

pub use compare::{Compared, Difference, differences};
pub use index::{Counts, Malformed, counts};
pub use leaves::new_roots;
pub use packed::{Arrived, Incoming, Packed};
pub use shape::{Field, Root, Shape, ShapeId, Shapes, View};

#[cfg(test)]
mod tests;
