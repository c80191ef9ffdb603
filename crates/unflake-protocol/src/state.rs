//! What tests leave behind: what a JVM looks at between tests, and what it saw changed (P1 to P10).

use crate::{SeenTest, Shown, Slot, Step};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a JVM compares before and after each test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    pub roots: Roots,
    pub points: Points,
    /// Classes that are initialised before the first test (P6).
    pub eager: Vec<String>,
    /// Directories whose files are watched.
    pub directories: Vec<PathBuf>,
    /// Below those, files and directories that are not looked at.
    pub ignored: Vec<PathBuf>,
    /// Say [`crate::ToProgram::Initialised`] of every root that appears.
    pub initial: bool,
    /// Tell what is around each difference.
    pub around: bool,
    /// The most objects that are followed from one root.
    pub most_objects: u32,
    /// How objects of some classes compare (P4).
    pub abstractions: Vec<Abstraction>,
}

/// How objects of a class compare, as a user described it. Classes below it have fields of their own, which count
/// beside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abstraction {
    /// `package.Class`, nested ones with `$`.
    pub class: String,
    pub compare: Compare,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compare {
    /// Any two objects are the same.
    Nothing,
    /// By these fields and no others.
    Fields(Vec<String>),
}

/// A setting of the user about the heap; the agent reports whether it had any effect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum HeapSetting {
    /// A pattern of [`Roots::include`].
    IncludeRoots(String),
    ExcludeRoots(String),
    ExcludeFields(String),
    /// The class of an [`Abstraction`].
    Abstraction(String),
}

/// What a JVM has needed since it started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Processor time of the whole JVM.
    pub busy_nanos: u64,
    /// The most memory that it had in use (resident) at any time, in bytes; 0: not known here.
    pub peak_memory: u64,
    /// Static fields of all loaded classes, the JDK's too.
    pub static_fields: u64,
    /// If it watches.
    pub heap: Option<HeapMeasured>,
}

/// What walking the shared heap has needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapMeasured {
    /// Static fields that were walked from.
    pub roots: u64,
    pub walks: u64,
    /// All walks together, with the comparison of what they wrote.
    pub nanos: u64,
    /// The fastest of those that wrote as much as the last one.
    pub fastest_nanos: u64,
    /// Of the last state: objects that were reached, and references that are not null.
    pub objects: u64,
    pub references: u64,
    /// What is held from one walk to the next, in bytes: the state, and the walker's own tables.
    pub held: u64,
    /// The most that was ever in use for it.
    pub most_held: u64,
}

/// Which static fields are looked at (P2). Patterns are regular expressions over `package.Class.field`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roots {
    /// The packages of the project's own classes; those are looked at if nothing else is said.
    pub packages: Vec<String>,
    /// Those of every loaded class, not only of `packages`.
    pub all: bool,
    /// If there are any, a root must match one.
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    /// Instance fields that are not followed.
    pub exclude_fields: Vec<String>,
}

/// A pair of capture points (P1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Points {
    /// Before set-up and after tear-down of each test.
    #[default]
    WholeTest,
    /// After set-up and before tear-down.
    Body,
    /// After the set-up of one test and after that of the next.
    SetUps,
}

/// Whose code ran between two captures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Author {
    Test(SeenTest),
    /// Set-up or tear-down of a class as a whole, or its static initialiser.
    Class(String),
}

/// What it means that something is not watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Gap {
    /// A limit that the documentation names, or that a class sets by itself: all that was promised is watched.
    Known,
    /// Changes that should have been seen may be missing.
    Lost,
}

/// Why a class is not loaded before the first test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoadProblem {
    /// It cannot be found, or its initialiser throws.
    Throws,
    /// Its initialiser was still running when its time was up.
    Blocks,
    /// The classes before it took all the time that there is.
    NoTime,
}

/// Who is to blame if a state cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Blame {
    /// A bug of ours.
    Unflake,
    /// The test JVM has no memory or no stack left.
    Jvm,
}

/// One difference between two captures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateChange {
    pub kind: StateKind,
    /// What it hangs on: `package.Class.field`, the name of a property, a file.
    pub root: String,
    /// From the root to the difference, in Java notation; the root itself where that was changed. For people, and to
    /// see whether two changes are of the same place; programs look at `steps` and `slot`.
    pub path: String,
    /// `None`: there was nothing.
    pub old: Option<Shown>,
    pub new: Option<Shown>,
    pub form: ChangeForm,
    /// The way from the root; none for files. The same field several times on end is one step.
    pub steps: Vec<Step>,
    /// What the value is in; only in the heap.
    pub slot: Option<Slot>,
    /// Further differences below the same root.
    pub more: u32,
    /// Of those, what happened elsewhere or in another form, each once; not more than [`StateChange::MOST_ALSO`].
    pub also: Vec<Further>,
    /// What is around it, if that was asked for.
    pub around: Vec<Nearby>,
}

/// A further difference below the same root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Further {
    pub steps: Vec<Step>,
    pub form: ChangeForm,
}

impl StateChange {
    pub const MOST_ALSO: usize = 64;

    /// Counts a further difference below the same root.
    pub fn add(&mut self, further: Further) {
        self.more += 1;
        let is_known =
            self.steps == further.steps && self.form == further.form || self.also.contains(&further);
        if !is_known && self.also.len() < Self::MOST_ALSO {
            self.also.push(further);
        }
    }
}

/// A value that a root reached right after its class was initialised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    /// From the root, in Java notation.
    pub path: String,
    pub slot: Slot,
    pub value: Shown,
}

/// Part of the heap near a difference, as PolDet@JPF prints it: an object, a field of it, and what that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nearby {
    pub object: String,
    pub field: String,
    pub value: Shown,
    /// On which side it was seen.
    pub side: Side,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Both,
    Before,
    After,
}

/// Where shared state is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateKind {
    Heap,
    Property,
    Locale,
    Timezone,
    Stream,
    Thread,
    ThreadLocal,
    Provider,
    ExceptionHandler,
    LogLevel,
    ShutdownHook,
    UrlHandler,
    Bean,
    Environment,
    File,
}

/// How a value changed, as far as the two captures tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeForm {
    /// From null (or an unset value) to something.
    FirstSet,
    /// From something to null, or gone.
    Removed,
    /// A number that became greater.
    Increased,
    /// Entries or elements were added and none went.
    Grown,
    Replaced,
}
