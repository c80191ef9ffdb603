//! Why a change of shared state looks harmless (P9), as data. The sentences are the report's.

use serde::{Deserialize, Serialize};

/// A kind of harmless change, with what there is to say about it. Fields and methods are `Class.name`, classes have
/// their package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mark", rename_all = "kebab-case")]
pub enum Mark {
    /// A field of a JDK class.
    InsideJdk,
    /// A shutdown hook of the JDK.
    JdkHook { class: String },
    /// A new file whose name nobody can know, and that the JVM deletes when it ends.
    UntilExit,
    /// A map by types inside of a library's object that the project tells nothing.
    TypeCache { field: String },
    /// A thread-local whose own code makes the value, and that nobody sets.
    ThreadLocalDefault { field: String, methods: Vec<String> },
    /// The state of a pseudo-random number generator.
    RandomState { class: String },
    /// A private field of a test class that its own set-up sets before each test.
    SetUp { method: String },
    /// A number in a class of a library that every test increases.
    LibraryCounter { field: String, tests: usize },
    /// A private field that every method sets before it reads it.
    SetBeforeRead { field: String, methods: Vec<String> },
    /// A field that is made when it is missing.
    Lazy { field: String, methods: Vec<String> },
    /// A private number that is only ever increased, and not shown.
    Counter { field: String, methods: Vec<String> },
    /// A collection in which some methods look for a value and add it if it is missing.
    Memo { field: String, methods: Vec<String> },
    /// A collection that is called a pool: some methods take out what others put in.
    Pool {
        field: String,
        takers: Vec<String>,
        givers: Vec<String>,
    },
    /// A collection that holds its entries by soft or weak references.
    SoftEntries { field: String },
    /// An array that one method fills with what is missing.
    ArrayMemo { field: String, method: String },
    /// What a library added inside of its own object, made of nothing that others gave.
    LibraryFill { field: String },
    /// Numbers and links by which a library's own map keeps its entries.
    MapUpkeep { field: String },
    /// The time of the last call, which is only compared with the time of the next, or a number that begins again with
    /// each new time.
    LastTime { field: String, methods: Vec<String> },
    /// What was given out before, kept so that it is not given out again.
    GivenOut { field: String, methods: Vec<String> },
}

/// The kinds of [`Mark`], without their data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkKind {
    InsideJdk,
    JdkHook,
    UntilExit,
    TypeCache,
    ThreadLocalDefault,
    RandomState,
    SetUp,
    LibraryCounter,
    SetBeforeRead,
    Lazy,
    Counter,
    Memo,
    Pool,
    SoftEntries,
    ArrayMemo,
    LibraryFill,
    MapUpkeep,
    LastTime,
    GivenOut,
}

impl Mark {
    pub fn kind(&self) -> MarkKind {
        match self {
            Mark::InsideJdk => MarkKind::InsideJdk,
            Mark::JdkHook { .. } => MarkKind::JdkHook,
            Mark::UntilExit => MarkKind::UntilExit,
            Mark::TypeCache { .. } => MarkKind::TypeCache,
            Mark::ThreadLocalDefault { .. } => MarkKind::ThreadLocalDefault,
            Mark::RandomState { .. } => MarkKind::RandomState,
            Mark::SetUp { .. } => MarkKind::SetUp,
            Mark::LibraryCounter { .. } => MarkKind::LibraryCounter,
            Mark::SetBeforeRead { .. } => MarkKind::SetBeforeRead,
            Mark::Lazy { .. } => MarkKind::Lazy,
            Mark::Counter { .. } => MarkKind::Counter,
            Mark::Memo { .. } => MarkKind::Memo,
            Mark::Pool { .. } => MarkKind::Pool,
            Mark::SoftEntries { .. } => MarkKind::SoftEntries,
            Mark::ArrayMemo { .. } => MarkKind::ArrayMemo,
            Mark::LibraryFill { .. } => MarkKind::LibraryFill,
            Mark::MapUpkeep { .. } => MarkKind::MapUpkeep,
            Mark::LastTime { .. } => MarkKind::LastTime,
            Mark::GivenOut { .. } => MarkKind::GivenOut,
        }
    }
}

impl MarkKind {
    pub const ALL: [MarkKind; 19] = [
        MarkKind::InsideJdk,
        MarkKind::JdkHook,
        MarkKind::UntilExit,
        MarkKind::TypeCache,
        MarkKind::ThreadLocalDefault,
        MarkKind::RandomState,
        MarkKind::SetUp,
        MarkKind::LibraryCounter,
        MarkKind::SetBeforeRead,
        MarkKind::Lazy,
        MarkKind::Counter,
        MarkKind::Memo,
        MarkKind::Pool,
        MarkKind::SoftEntries,
        MarkKind::ArrayMemo,
        MarkKind::LibraryFill,
        MarkKind::MapUpkeep,
        MarkKind::LastTime,
        MarkKind::GivenOut,
    ];

    /// As it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            MarkKind::InsideJdk => "inside-jdk",
            MarkKind::JdkHook => "jdk-hook",
            MarkKind::UntilExit => "until-exit",
            MarkKind::TypeCache => "type-cache",
            MarkKind::ThreadLocalDefault => "thread-local-default",
            MarkKind::RandomState => "random-state",
            MarkKind::SetUp => "set-up",
            MarkKind::LibraryCounter => "library-counter",
            MarkKind::SetBeforeRead => "set-before-read",
            MarkKind::Lazy => "lazy",
            MarkKind::Counter => "counter",
            MarkKind::Memo => "memo",
            MarkKind::Pool => "pool",
            MarkKind::SoftEntries => "soft-entries",
            MarkKind::ArrayMemo => "array-memo",
            MarkKind::LibraryFill => "library-fill",
            MarkKind::MapUpkeep => "map-upkeep",
            MarkKind::LastTime => "last-time",
            MarkKind::GivenOut => "given-out",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Benign;

    /// One of each kind.
    fn samples() -> Vec<Mark> {
        let (field, method, class) = (String::new, String::new, String::new);
        let methods = || vec!["C.get".to_owned()];
        vec![
            Mark::InsideJdk,
            Mark::JdkHook { class: class() },
            Mark::UntilExit,
            Mark::TypeCache { field: field() },
            Mark::ThreadLocalDefault {
                field: field(),
                methods: methods(),
            },
            Mark::RandomState { class: class() },
            Mark::SetUp { method: method() },
            Mark::LibraryCounter {
                field: field(),
                tests: 2,
            },
            Mark::SetBeforeRead {
                field: field(),
                methods: methods(),
            },
            Mark::Lazy {
                field: field(),
                methods: methods(),
            },
            Mark::Counter {
                field: field(),
                methods: methods(),
            },
            Mark::Memo {
                field: field(),
                methods: methods(),
            },
            Mark::Pool {
                field: field(),
                takers: methods(),
                givers: methods(),
            },
            Mark::SoftEntries { field: field() },
            Mark::ArrayMemo {
                field: field(),
                method: method(),
            },
            Mark::LibraryFill { field: field() },
            Mark::MapUpkeep { field: field() },
            Mark::LastTime {
                field: field(),
                methods: methods(),
            },
            Mark::GivenOut {
                field: field(),
                methods: methods(),
            },
        ]
    }

    #[test]
    fn json_has_the_name_of_each_kind_and_comes_back() {
        let kinds: Vec<MarkKind> = samples().iter().map(Mark::kind).collect();
        assert_eq!(kinds, MarkKind::ALL);
        for mark in samples() {
            let benign = Benign::of(Some(mark.clone()));
            let json = serde_json::to_value(&benign).unwrap();
            assert_eq!(json["mark"], mark.kind().name());
            assert_eq!(serde_json::from_value::<Benign>(json).unwrap(), benign);
        }
    }

    #[test]
    fn what_is_not_harmless_or_was_stored_earlier_has_no_mark() {
        let json = serde_json::to_value(Benign::of(None)).unwrap();
        assert_eq!(json, serde_json::json!({"is": false, "why": ""}));
        for earlier in [
            serde_json::json!({"is": true, "why": "a memo: …"}),
            // The rule was removed since.
            serde_json::json!({"is": true, "why": "never read: …", "mark": "only-filled", "field": "C.log"}),
        ] {
            let why = earlier["why"].as_str().unwrap().to_owned();
            let earlier: Benign = serde_json::from_value(earlier).unwrap();
            assert_eq!((earlier.is, earlier.why, earlier.mark), (true, why, None));
        }
    }
}
