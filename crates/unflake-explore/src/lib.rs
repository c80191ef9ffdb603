//! Decisions: which tests to vary and in which rounds, whether a failure counts, what causes it, all behaviours of one
//! test, and which tests fail because of others.
//!
//! Pure: knows no process, clock or disk. Test JVMs are behind traits ([`Jvms`] and [`Jvm`] for rounds, [`Probe`] for
//! single choices, [`order::Orders`] for exact orders), so every decision is tested without one.

mod batch;
mod cause;
mod confirm;
mod evidence;
mod graph;
mod minimize;
pub mod order;
mod rounds;
mod search;
mod select;
mod split;
mod test_ix;

pub use batch::confirm_together;
pub use cause::{Culprit, Culprits, NoCause, Probe, Probed, find_cause};
pub use confirm::{
    Confirmed, Inquiry, Jvm, Jvms, LevelTrial, Scope, Suspect, Trial, Unconfirmed, Varied, Verdict, blame,
    confirm,
};
pub use evidence::{ATTEMPTS, Counts, Evidence, PAIRS, ProofStep};
pub use graph::{Arc, Chance, Graph, GraphFigures, Vertex, VertexKind, wilson};
pub use minimize::{Minimal, minimize};
pub use rounds::{DEFAULT_ROUNDS, GUIDED_ROUNDS, random_rounds, strategy_of_round};
pub use search::{Bounds, Diverged, End, Next, Search, Task, Threads, Until, Way, end_of};
pub use select::{LearnedJvm, Need, needs, reaching};
pub use split::{Cost, Parts, split};
pub use test_ix::TestIx;
