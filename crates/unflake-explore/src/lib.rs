//! Which tests to vary, in which rounds, and whether a failure counts.
//!
//! Pure: knows no process, clock or disk. What runs tests is behind the traits [`Jvms`] and [`Jvm`], so that every
//! decision here is tested without one.

mod benign;
mod cause;
mod confirm;
mod field_uses;
mod graph;
mod minimize;
pub mod order;
mod rounds;
mod search;
mod select;
mod split;
mod test_ix;

pub use benign::{Seen, benign};
pub use cause::{Culprit, Culprits, NoCause, Probe, Probed, find_cause};
pub use confirm::{Confirmed, Jvm, Jvms, Scope, Suspect, Trial, Unconfirmed, Verdict, confirm};
pub use field_uses::{ClassUses, DeclaredField, FieldUse, FieldUses, MethodUses, Stored, Use};
pub use graph::{Arc, Chance, Graph, GraphFigures, Vertex, VertexKind, wilson};
pub use minimize::{Minimal, minimize};
pub use rounds::{DEFAULT_ROUNDS, GUIDED_ROUNDS, random_rounds, strategy_of_round};
pub use search::{Bounds, Diverged, End, Next, Search, Task, Threads, Until, Way, end_of};
pub use select::{Learned, Need, needs, reaching};
pub use split::{Cost, Parts, split};
pub use test_ix::TestIx;
