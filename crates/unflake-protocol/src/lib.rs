//! The words of the specification as types, and what the program and its agent say to each other.
//!
//! One agent (one JVM) speaks over one Unix socket. It says [`ToProgram::Hello`] when it wakes up, gets a
//! [`ToAgent::Configure`], and then sends events. A *worker* (a JVM that unflake started itself) also asks for
//! [`ToAgent::Run`] commands. Nothing here knows a process, a clock or a disk.

mod captured;
mod choice;
pub mod codes;
mod frameworks;
mod messages;
mod names;
mod script;
mod shown;
mod state;
mod step;
mod wire;

pub use captured::CapturedKind;
pub use choice::{Form, Level, Seed, Strategy};
pub use frameworks::{
    Boundary, CallArg, CallPlace, FRAMEWORKS, Framework, FrameworkRow, Frameworks, Prefix, Support,
    UnknownFramework,
};
pub use messages::{
    Configuration, Failure, FailureSort, HashDraws, JavaVm, Outcome, Recipe, Role, RunCommand, ScopeChoices,
    ToAgent, ToProgram, UserModel, UserModelKind,
};
pub use names::{Handle, SeenTest, TestId, dotted};
pub use script::{
    ChoiceId, ChoiceKind, Chosen, Evidence, Order, Others, Record, SavedKind, SavedNode, Script, StackFrame,
};
pub use shown::{Reference, Shown, What};
pub use state::{
    Abstraction, Author, Blame, ChangeForm, Compare, Further, Gap, HeapMeasured, HeapSetting, Leaf,
    LoadProblem, Measured, Nearby, Points, Roots, Side, StateChange, StateKind, Watch,
};
pub use step::{FieldName, JvmState, LocaleCategory, Slot, Step, ThreadName};
pub use wire::{PROTOCOL_VERSION, WireError, read_message, write_message};
