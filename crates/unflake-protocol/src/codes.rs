//! The numbers by which the agent and the Java runtime understand each other, as tables.
//!
//! Java cannot see Rust's types, so the build scripts write these tables as `java/util/UnflakeCodes.java` before
//! `javac` runs (`unflake-javac`). Both sides name a number; nobody writes it a second time. Frameworks have a table of
//! their own and appear here with their ranks and names.

use crate::{CapturedKind, ChoiceId, ChoiceKind, Form, Framework, HashDraws, Level, LoadProblem, Points};
use std::fmt::{self, Debug, Write as _};

/// A type whose values have numbers in Java.
pub trait SharedCode: Copy + Eq + Debug + 'static {
    /// What the names of Java's constants begin with.
    const PREFIX: &'static str;
    /// All values, and how they are called here.
    const ALL: &'static [(Self, &'static str)];

    fn code(self) -> i32;

    fn from_code(code: i64) -> Result<Self, UnknownCode> {
        Self::ALL
            .iter()
            .find(|(value, _)| i64::from(value.code()) == code)
            .map(|(value, _)| *value)
            .ok_or(UnknownCode {
                what: Self::PREFIX,
                code,
            })
    }

    /// For tables of places: where in a row of numbers or texts this one stands.
    fn index(self) -> usize {
        usize::try_from(self.code()).expect("a place is not negative")
    }
}

/// Java said a number that is in no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCode {
    pub what: &'static str,
    pub code: i64,
}

impl fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the runtime says {} {}, which nobody knows",
            self.what, self.code
        )
    }
}

impl std::error::Error for UnknownCode {}

/// Gives the values of a type their numbers. A value without one does not compile.
macro_rules! codes {
    ($type:ty, $prefix:literal: $($variant:ident = $code:literal),+ $(,)?) => {
        impl SharedCode for $type {
            const PREFIX: &'static str = $prefix;
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$variant, stringify!($variant))),+];

            fn code(self) -> i32 {
                match self {
                    $(Self::$variant => $code),+
                }
            }
        }
    };
}

/// Declares a type and the numbers of its values.
macro_rules! coded {
    ($(#[$about:meta])* $name:ident, $prefix:literal: $($(#[$doc:meta])* $variant:ident = $code:literal),+ $(,)?) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])* $variant),+
        }

        codes!($name, $prefix: $($variant = $code),+);
    };
}

coded! {
    /// What `UnflakeNative.event` says.
    EventKind, "EVENT":
    /// Nothing: the native function is found before it is needed.
    WarmUp = 0,
    ContainerStarted = 1,
    ContainerFinished = 2,
    TestStarted = 3,
    TestFinished = 4,
    InitialiserChose = 5,
    Recipe = 6,
    Bug = 7,
    Choices = 8,
    Evidence = 9,
}

coded! {
    /// Where the names of a test stand among the texts of an event.
    TestName, "NAME":
    Framework = 0,
    Root = 1,
    Id = 2,
    Class = 3,
    Method = 4,
    Invocation = 5,
}

coded! {
    /// What a failure is told by, in a row behind whatever failed.
    FailureText, "FAILURE":
    Kind = 0,
    Message = 1,
    Trace = 2,
    Expected = 3,
    Actual = 4,
}

coded! {
    /// Where the numbers of a test or container stand; the bits of its models follow.
    ScopeNumber, "SCOPE":
    Choices = 0,
    ByProject = 1,
    Hashes = 2,
    Nanos = 3,
    Outcome = 4,
}

coded! {
    OutcomeCode, "OUTCOME":
    Passed = 0,
    Failed = 1,
    Skipped = 2,
}

coded! {
    /// Where the numbers of one choice stand in the log of a run.
    LogNumber, "LOG":
    Place = 0,
    /// With the kind and whether the project made it in the upper bits, see [`LOG_KIND_SHIFT`].
    Model = 1,
    Size = 2,
    Rank = 3,
}

coded! {
    /// Where the numbers of a choice's evidence stand; the order that was given follows.
    EvidenceNumber, "EVIDENCE":
    Place = 0,
    Model = 1,
    Kind = 2,
    Size = 3,
    NaturalAnswer = 4,
    /// From here on lengths of lists, whose texts follow the owner's class in this order.
    Natural = 5,
    Failing = 6,
    Moved = 7,
    Stack = 8,
    Allocation = 9,
}

coded! {
    /// How a strategy's form is told to the runtime; its seed comes beside it.
    FormCode, "FORM":
    Natural = 0,
    Reverse = 1,
    Odd = 2,
    Pairs = 3,
    Random = 4,
}

impl FormCode {
    pub fn of(form: Option<Form>) -> FormCode {
        match form {
            None => FormCode::Natural,
            Some(Form::Reverse) => FormCode::Reverse,
            Some(Form::Odd) => FormCode::Odd,
            Some(Form::Pairs) => FormCode::Pairs,
            Some(Form::Random(_)) => FormCode::Random,
        }
    }
}

coded! {
    /// Whose code ran before a walk over the heap.
    AuthorKind, "AUTHOR":
    /// The name of the class follows.
    Class = 0,
    /// The names of the test follow, as [`TestName`] has them.
    Test = 1,
    /// Differences up to here do not count.
    Nobody = 2,
}

coded! {
    /// Where the numbers stand that describe how objects of a class are read.
    ShapeNumber, "SHAPE":
    Id = 0,
    Reader = 1,
    Sources = 2,
    IsValue = 3,
}

coded! {
    /// How the walker reads the contents of an object.
    ContentReader, "READER":
    Opaque = 0,
    Fields = 1,
    Text = 2,
    Name = 3,
    Slice = 4,
    Ring = 5,
    RingCount = 6,
    Chain = 7,
    Bag = 8,
    Pairs = 9,
    HashMap = 10,
    LinkedMap = 11,
    TreeMap = 12,
    Table = 13,
    Concurrent = 14,
    SkipList = 15,
    Objects = 16,
    Numbers = 17,
    WeakTable = 18,
}

codes!(Level, "LEVEL": One = 0, Eq = 1, Id = 2, Full = 3);
codes!(Points, "POINTS": WholeTest = 0, Body = 1, SetUps = 2);

codes!(LoadProblem, "LOAD": Throws = 0, Blocks = 1, NoTime = 2);
codes!(HashDraws, "HASHES": None = 0, Some = 1, Unknown = 2);
codes!(ChoiceKind, "KIND": Rearranges = 0, Picks = 1, Open = 2);

/// In [`LogNumber::Model`], the kind of the choice stands above this bit.
pub const LOG_KIND_SHIFT: u32 = 32;
/// And whether the project made it, above this one.
pub const LOG_PROJECT_SHIFT: u32 = 48;

/// What `UnflakeNative.hashes` answers of a thread that was not seen yet.
pub const DRAWN_UNSEEN: i32 = -1;
/// What it answers where the generator is not one that can be followed.
pub const DRAWN_UNKNOWN: i32 = -2;

/// What a script says of a choice: natural,
pub const PLAN_NATURAL: i64 = 0;
/// as the strategy says,
pub const PLAN_VARIED: i64 = -1;
/// or the first of the orders that it gives; the others follow.
pub const PLAN_FIRST_GIVEN: i64 = 2;

/// In a state of the heap, texts up to this many characters are kept whole.
pub const TEXT_WHOLE: u32 = 40;
/// Of longer ones so many, and a hash of all.
pub const TEXT_KEPT: u32 = 24;
/// Arrays of numbers up to this many bytes are kept whole, others are hashed.
pub const NUMBERS_WHOLE: u32 = 1024;

/// With this status a test JVM ends that has lost its program: no test did that. Few programs end with it.
pub const LOST_STATUS: i32 = 171;
/// The command that says so.
pub const LOST: &str = "lost";

/// A constant of `UnflakeCodes`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Constant {
    name: String,
    value: JavaValue,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum JavaValue {
    Int(i32),
    Long(i64),
    Text(&'static str),
}

/// The source of `java.util.UnflakeCodes`.
pub fn java_source() -> String {
    let mut java = String::from(
        "package java.util;\n\n\
         /** Written by the build from the tables of the crate {@code unflake-protocol}. */\n\
         public final class UnflakeCodes {\n    private UnflakeCodes() {}\n\n",
    );
    for Constant { name, value } in constants() {
        let (kind, value) = match value {
            JavaValue::Int(number) => ("int", number.to_string()),
            JavaValue::Long(number) => ("long", format!("{number}L")),
            JavaValue::Text(text) => ("String", format!("{text:?}")),
        };
        writeln!(java, "    public static final {kind} {name} = {value};")
            .expect("a string takes every text");
    }
    java.push_str("}\n");
    java
}

fn constants() -> Vec<Constant> {
    let int = |name: &str, value| Constant {
        name: name.to_owned(),
        value: JavaValue::Int(value),
    };
    let small = |name: &str, value: u32| int(name, i32::try_from(value).expect("a small number"));
    let long = |name: &str, value| Constant {
        name: name.to_owned(),
        value: JavaValue::Long(value),
    };
    let mut all = Vec::new();
    for framework in Framework::ALL {
        let name = format!("FRAMEWORK_{}", constant_name(framework.wire_name()));
        all.push(int(&name, framework.rank()));
        all.push(Constant {
            name: format!("{name}_NAME"),
            value: JavaValue::Text(framework.wire_name()),
        });
    }
    all.extend(CapturedKind::ALL.iter().map(|(kind, name)| Constant {
        name: format!("CAPTURED_{}", constant_name(name)),
        value: JavaValue::Text(kind.name()),
    }));
    all.extend(of::<EventKind>());
    all.extend(of::<TestName>());
    all.extend(of::<FailureText>());
    all.extend(of::<ScopeNumber>());
    all.extend(of::<OutcomeCode>());
    all.extend(of::<LogNumber>());
    all.extend(of::<EvidenceNumber>());
    all.extend(of::<FormCode>());
    all.extend(of::<AuthorKind>());
    all.extend(of::<ShapeNumber>());
    all.extend(of::<ContentReader>());
    all.extend(of::<Level>());
    all.extend(of::<Points>());
    all.extend(of::<LoadProblem>());
    all.extend(of::<HashDraws>());
    all.extend(of::<ChoiceKind>());
    all.push(Constant {
        name: "LOST".to_owned(),
        value: JavaValue::Text(LOST),
    });
    all.extend([
        int("LOST_STATUS", LOST_STATUS),
        small("LOG_KIND_SHIFT", LOG_KIND_SHIFT),
        small("LOG_PROJECT_SHIFT", LOG_PROJECT_SHIFT),
        small("PLACE_SCOPE_SHIFT", ChoiceId::SCOPE),
        small("PLACE_THREAD_SHIFT", ChoiceId::THREAD),
        small("TEXT_WHOLE", TEXT_WHOLE),
        small("TEXT_KEPT", TEXT_KEPT),
        small("NUMBERS_WHOLE", NUMBERS_WHOLE),
        int("DRAWN_UNSEEN", DRAWN_UNSEEN),
        int("DRAWN_UNKNOWN", DRAWN_UNKNOWN),
        long("PLAN_NATURAL", PLAN_NATURAL),
        long("PLAN_VARIED", PLAN_VARIED),
        long("PLAN_FIRST_GIVEN", PLAN_FIRST_GIVEN),
    ]);
    all
}

/// The constants of one type; a last one says how many there are.
fn of<C: SharedCode>() -> impl Iterator<Item = Constant> {
    let count = i32::try_from(C::ALL.len()).expect("a short table");
    let values = C::ALL.iter().map(|(value, name)| Constant {
        name: format!("{}_{}", C::PREFIX, constant_name(name)),
        value: JavaValue::Int(value.code()),
    });
    values.chain([Constant {
        name: format!("{}_COUNT", C::PREFIX),
        value: JavaValue::Int(count),
    }])
}

/// `ContainerStarted` as `CONTAINER_STARTED`, `JUnit4` as `JUNIT4`.
fn constant_name(name: &str) -> String {
    let mut constant = String::new();
    let mut may_split = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && may_split {
            constant.push('_');
        }
        may_split = !letter.is_ascii_uppercase();
        constant.push(letter.to_ascii_uppercase());
    }
    constant
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use std::collections::BTreeSet;

    fn every_code_comes_back<C: SharedCode>() {
        let codes: BTreeSet<i32> = C::ALL.iter().map(|(value, _)| value.code()).collect();
        assert_eq!(codes.len(), C::ALL.len(), "{} has a number twice", C::PREFIX);
        let java = java_source();
        for (value, name) in C::ALL {
            assert_eq!(C::from_code(i64::from(value.code())), Ok(*value));
            let line = format!(
                "    public static final int {}_{} = {};\n",
                C::PREFIX,
                constant_name(name),
                value.code()
            );
            assert!(java.contains(&line), "no {line}");
        }
        assert!(C::from_code(i64::from(i32::MAX)).is_err());
    }

    #[test]
    fn java_has_every_code_of_every_table() {
        every_code_comes_back::<EventKind>();
        every_code_comes_back::<TestName>();
        every_code_comes_back::<FailureText>();
        every_code_comes_back::<ScopeNumber>();
        every_code_comes_back::<OutcomeCode>();
        every_code_comes_back::<LogNumber>();
        every_code_comes_back::<EvidenceNumber>();
        every_code_comes_back::<FormCode>();
        every_code_comes_back::<AuthorKind>();
        every_code_comes_back::<ShapeNumber>();
        every_code_comes_back::<ContentReader>();
        every_code_comes_back::<Level>();
        every_code_comes_back::<Points>();
        every_code_comes_back::<LoadProblem>();
        every_code_comes_back::<HashDraws>();
        every_code_comes_back::<ChoiceKind>();
    }

    #[test]
    fn java_has_every_framework_and_every_constant() {
        let java = java_source();
        for line in [
            "int FRAMEWORK_JUNIT3 = 0;",
            "String FRAMEWORK_JUNIT3_NAME = \"JUnit3\";",
            "int FRAMEWORK_JUNIT4 = 1;",
            "String FRAMEWORK_JUNIT4_NAME = \"JUnit4\";",
            "int FRAMEWORK_PLATFORM = 2;",
            "String FRAMEWORK_PLATFORM_NAME = \"Platform\";",
            "int LOG_KIND_SHIFT = 32;",
            "int LOG_PROJECT_SHIFT = 48;",
            "int PLACE_SCOPE_SHIFT = 40;",
            "int PLACE_THREAD_SHIFT = 28;",
            "int TEXT_WHOLE = 40;",
            "int TEXT_KEPT = 24;",
            "int NUMBERS_WHOLE = 1024;",
            "int DRAWN_UNSEEN = -1;",
            "int DRAWN_UNKNOWN = -2;",
            "long PLAN_NATURAL = 0L;",
            "long PLAN_VARIED = -1L;",
            "long PLAN_FIRST_GIVEN = 2L;",
            "int NAME_COUNT = 6;",
            "String CAPTURED_SECURITY_PROPERTY = \"security-property\";",
            "String CAPTURED_SEEN = \"seen\";",
        ] {
            assert!(
                java.contains(&format!("    public static final {line}\n")),
                "no {line}"
            );
        }
    }

    #[test]
    fn no_two_constants_have_one_name() {
        let names: Vec<String> = constants().into_iter().map(|constant| constant.name).collect();
        let different: BTreeSet<&String> = names.iter().collect();
        assert_eq!(different.len(), names.len(), "{names:?}");
    }

    /// Rows are cut by places: a gap would shift everything behind it.
    #[test]
    fn places_have_no_gaps() {
        fn check<C: SharedCode>() {
            let places: Vec<usize> = C::ALL.iter().map(|(place, _)| place.index()).collect();
            assert_eq!(places, (0..places.len()).collect::<Vec<_>>(), "{}", C::PREFIX);
        }
        check::<TestName>();
        check::<FailureText>();
        check::<ScopeNumber>();
        check::<LogNumber>();
        check::<EvidenceNumber>();
        check::<ShapeNumber>();
    }

    #[test]
    fn a_number_that_is_in_no_table_is_named() {
        let error = EventKind::from_code(99).unwrap_err();
        assert_eq!(error.to_string(), "the runtime says EVENT 99, which nobody knows");
    }

    #[test]
    fn forms_without_their_seeds() {
        assert_eq!(FormCode::of(None), FormCode::Natural);
        assert_eq!(FormCode::of(Some(Form::Random(Seed(7)))), FormCode::Random);
    }

    #[test]
    fn constants_are_named_as_java_names_them() {
        for (name, constant) in [("SetUps", "SET_UPS"), ("JUnit4", "JUNIT4"), ("One", "ONE")] {
            assert_eq!(constant_name(name), constant);
        }
    }
}
