//! The words of the specification as types, and what the program and its agent say to each other.
//!
//! One agent (one JVM) speaks over one Unix socket. It says [`ToProgram::Hello`] when it wakes up, gets a
//! [`ToAgent::Configure`], and then sends events. A *worker* (a JVM that unflake started itself) also asks for
//! [`ToAgent::Run`] commands. Nothing here knows a process, a clock or a disk.

mod choice;
pub mod codes;
mod frameworks;
mod messages;
mod names;
mod script;
mod state;
mod wire;

pub use choice::{Form, Level, Seed, Strategy};
pub use frameworks::{
    Boundary, CallArg, CallPlace, FRAMEWORKS, Framework, FrameworkRow, Frameworks, Prefix, Support,
    UnknownFramework,
};
pub use messages::{
    Configuration, Failure, HashDraws, JavaVm, Outcome, Recipe, Role, RunCommand, ScopeChoices, ToAgent,
    ToProgram, UserModel, UserModelKind,
};
pub use names::{Handle, SeenTest, TestId};
pub use script::{
    ChoiceId, ChoiceKind, Chosen, Evidence, Order, Others, Record, SavedKind, SavedNode, Script, StackFrame,
};
pub use state::{
    Abstraction, Author, ChangeForm, Compare, Further, HeapMeasured, HeapSetting, Measured, Points, Roots,
    Side, StateChange, StateKind, Triple, Watch,
};
pub use wire::{PROTOCOL_VERSION, WireError, read_message, write_message};
