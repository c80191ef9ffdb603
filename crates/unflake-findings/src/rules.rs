//! Rules that this version gives. An id never changes its meaning.
//!
//! A finding about an implementation-dependent test has [`IMPLEMENTATION_DEPENDENT`] until its cause is known, then the
//! rule of the family that the blamed API belongs to:
//!
//! | rule  | family |
//! |---|---|
//! | UF101 | hash collections: `HashMap`, `HashSet`, `Hashtable`, `Collectors.toSet`, … |
//! | UF102 | concurrent hash maps |
//! | UF103 | priority queues: their traversal |
//! | UF104 | reflection: members, annotations, exceptions |
//! | UF105 | directories |
//! | UF106 | locales and time zones |
//! | UF107 | identity hashes |
//! | UF108 | immutable sets and maps: `Set.of`, `Map.of`, … |
//! | UF109 | ties and duplicates: `binarySearch`, `poll` among equals |
//! | UF190 | models from `unflake.toml` |
//!
//! Which API belongs where is a column of the table of models, so that a new model remains one row.
//!
//! Findings about state have the rule of what was changed ([`of_state`]), those about orders one of the last two:
//!
//! | rule  | what |
//! |---|---|
//! | UF201 | a static field has another value |
//! | UF202 | elements of a collection, map or array behind a static field |
//! | UF203 | a field of an object behind a static field |
//! | UF204 | the test instance that all tests of a class share |
//! | UF205 | captured when a class was initialised |
//! | UF301, UF302, UF303 | a file created, changed, deleted |
//! | UF401 | system properties |
//! | UF402 | default locale and time zone |
//! | UF403 | standard streams |
//! | UF404 | threads that go on running |
//! | UF405 | thread-locals of the test thread |
//! | UF406 | what is registered with the JVM: providers, handlers, shutdown hooks, beans |
//! | UF407 | levels of loggers |
//! | UF408 | environment |
//! | UF501 | victim: fails after another test |
//! | UF502 | brittle: passes only after another test |
//!
//! No finding has UF200, UF300, UF400 or UF500: in a suppression they stand for their family ([`covers`]).

mod state;

use crate::{Cause, CauseStatus, FileChange};
use unflake_models::{USER_RULE, find};
use unflake_protocol::{ChangeForm, StateChange, StateKind, Step};

pub use state::{Example, STATE_RULES, StateRule, state_rule};

/// Implementation-dependent, cause not known yet.
pub const IMPLEMENTATION_DEPENDENT: &str = "UF100";

pub const STATIC_FIELD: &str = "UF201";
pub const STATIC_COLLECTION: &str = "UF202";
pub const STATIC_OBJECT: &str = "UF203";
pub const TEST_INSTANCE: &str = "UF204";
pub const CAPTURED: &str = "UF205";

pub const FILE_CREATED: &str = "UF301";
pub const FILE_CHANGED: &str = "UF302";
pub const FILE_DELETED: &str = "UF303";

pub const PROPERTY: &str = "UF401";
pub const LOCALE: &str = "UF402";
pub const STREAM: &str = "UF403";
pub const THREAD: &str = "UF404";
pub const THREAD_LOCAL: &str = "UF405";
pub const REGISTERED: &str = "UF406";
pub const LOG_LEVEL: &str = "UF407";
pub const ENVIRONMENT: &str = "UF408";

/// Fails after another test.
pub const VICTIM: &str = "UF501";
/// Passes only after another test.
pub const BRITTLE: &str = "UF502";

/// The rule of a finding whose cause is a call of this API: a model's name, or the method of a user's model.
///
/// What does not look like a method has no family and stays [`IMPLEMENTATION_DEPENDENT`].
pub fn of_cause(api: &str) -> &'static str {
    match find(api) {
        Some((_, model)) => model.rule,
        None if is_method(api) => USER_RULE,
        None => IMPLEMENTATION_DEPENDENT,
    }
}

/// The rule of a finding with this cause. Where several calls must vary together, the first decides.
pub fn of(cause: &Cause) -> &'static str {
    match (cause.status, cause.choices.first()) {
        (CauseStatus::Found, Some(choice)) => of_cause(&choice.api),
        _ => IMPLEMENTATION_DEPENDENT,
    }
}

/// Where in the heap something was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapPlace {
    /// The static field itself.
    Field,
    /// An element, entry or key of what it holds.
    Element,
    /// A field of an object that it leads to.
    Object,
    /// Anything below the test instance that all tests of a class share.
    TestInstance,
    /// A value that a static initialiser took over from what another test had set.
    Captured,
}

impl HeapPlace {
    /// From the way to a change. The root of a shared test instance is `package.Class.this`; that something was
    /// captured is not to be seen from a path, so the code that found it out passes it in.
    ///
    /// `Registry.ALL["x"]` gives [`HeapPlace::Element`], `Registry.ALL["x"].size` [`HeapPlace::Object`].
    pub fn of(steps: &[Step]) -> HeapPlace {
        match steps {
            [Step::Field(root), ..] if root.name == "this" => HeapPlace::TestInstance,
            [] | [_] => HeapPlace::Field,
            [.., Step::Element] => HeapPlace::Element,
            [.., Step::Field(_) | Step::Jvm(_)] => HeapPlace::Object,
        }
    }
}

/// The rule of a finding about state of this kind. `place` matters for the heap only.
pub fn of_state(kind: StateKind, form: ChangeForm, place: HeapPlace) -> &'static str {
    match kind {
        StateKind::Heap => match (place, form) {
            (HeapPlace::Field, ChangeForm::Grown) | (HeapPlace::Element, _) => STATIC_COLLECTION,
            (HeapPlace::Field, _) => STATIC_FIELD,
            (HeapPlace::Object, _) => STATIC_OBJECT,
            (HeapPlace::TestInstance, _) => TEST_INSTANCE,
            (HeapPlace::Captured, _) => CAPTURED,
        },
        StateKind::Property => PROPERTY,
        StateKind::Locale | StateKind::Timezone => LOCALE,
        StateKind::Stream => STREAM,
        StateKind::Thread => THREAD,
        StateKind::ThreadLocal => THREAD_LOCAL,
        StateKind::Provider
        | StateKind::ExceptionHandler
        | StateKind::ShutdownHook
        | StateKind::UrlHandler
        | StateKind::Bean => REGISTERED,
        StateKind::LogLevel => LOG_LEVEL,
        StateKind::Environment => ENVIRONMENT,
        StateKind::File => match form {
            ChangeForm::FirstSet => FILE_CREATED,
            ChangeForm::Removed => FILE_DELETED,
            ChangeForm::Increased | ChangeForm::Grown | ChangeForm::Replaced => FILE_CHANGED,
        },
    }
}

/// The same of a change as an agent reports it.
pub fn of_change(change: &StateChange) -> &'static str {
    of_state(change.kind, change.form, HeapPlace::of(&change.steps))
}

/// The rule of a finding about a file.
pub fn of_file(change: FileChange) -> &'static str {
    match change {
        FileChange::Created => FILE_CREATED,
        FileChange::Changed => FILE_CHANGED,
        FileChange::Deleted => FILE_DELETED,
    }
}

/// Whether a suppression that names the rule `written` is about findings of `rule`. A rule that ends in 00 stands for
/// its whole family: `UF200` for everything in the heap, and [`IMPLEMENTATION_DEPENDENT`] for every API, so that what
/// was suppressed before the cause was known stays so.
pub fn covers(written: &str, rule: &str) -> bool {
    let is_rule = |text: &str| text.len() == 5 && text.starts_with("UF");
    let family = written.strip_suffix("00").filter(|_| is_rule(written));
    written == rule || family.is_some_and(|family| is_rule(rule) && rule.starts_with(family))
}

/// `package.Class.method`, as `unflake.toml` names methods; a class may be without a package.
fn is_method(api: &str) -> bool {
    let parts: Vec<&str> = api.split('.').collect();
    let is_name = |part: &&str| {
        let fits = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        !part.is_empty() && !part.starts_with(char::is_numeric) && part.chars().all(fits)
    };
    parts.len() > 1 && parts.iter().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_models::{MODELS, family};
    use unflake_protocol::FieldName;

    #[test]
    fn every_model_has_a_family_of_its_own() {
        for model in MODELS {
            let rule = of_cause(model.name);
            assert_eq!(rule, model.rule);
            assert!(
                ![IMPLEMENTATION_DEPENDENT, USER_RULE].contains(&rule),
                "{}",
                model.name
            );
            assert!(family(rule).is_some(), "{}: {rule} is not explained", model.name);
        }
    }

    /// Users' comments and scripts name these.
    #[test]
    fn families_keep_their_rules() {
        for (api, rule) in [
            ("HashMap.entrySet", "UF101"),
            ("HashSet.iterator", "UF101"),
            ("Collectors.groupingBy", "UF101"),
            ("System.getenv", "UF101"),
            ("ConcurrentHashMap.keys", "UF102"),
            ("PriorityQueue.iterator", "UF103"),
            ("Class.getDeclaredFields", "UF104"),
            ("Method.getAnnotations", "UF104"),
            ("File.listFiles", "UF105"),
            ("Files.walk", "UF105"),
            ("DateFormatSymbols.getZoneStrings", "UF106"),
            ("Object.hashCode", "UF107"),
            ("Set.of", "UF108"),
            ("Map.copyOf", "UF108"),
            ("Arrays.binarySearch", "UF109"),
            ("PriorityQueue.poll", "UF109"),
            ("com.example.Dao.findAll", "UF190"),
            ("com.example.Outer$Inner.list", "UF190"),
            ("Main.all", "UF190"),
            ("not a.method at.all", "UF100"),
            ("a..b", "UF100"),
            ("", "UF100"),
        ] {
            assert_eq!(of_cause(api), rule, "{api}");
        }
    }

    #[test]
    fn a_cause_that_is_not_known_has_no_family() {
        assert_eq!(of(&Cause::default()), IMPLEMENTATION_DEPENDENT);
        let found = Cause {
            status: CauseStatus::Found,
            ..Cause::default()
        };
        assert_eq!(of(&found), IMPLEMENTATION_DEPENDENT);
    }

    #[test]
    fn what_was_suppressed_before_the_cause_was_known_stays_so() {
        assert!(covers("UF100", "UF100") && covers("UF100", "UF101") && covers("UF101", "UF101"));
        assert!(!covers("UF101", "UF100") && !covers("UF101", "UF102") && !covers("UF100", "UF205"));
    }

    #[test]
    fn a_rule_that_ends_in_00_stands_for_its_family() {
        for (written, rule) in [
            ("UF200", "UF203"),
            ("UF300", "UF301"),
            ("UF400", "UF408"),
            ("UF500", "UF501"),
        ] {
            assert!(covers(written, rule), "{written} {rule}");
            assert!(!covers(rule, written), "{rule} {written}");
        }
        assert!(!covers("UF200", "UF301") && !covers("00", "UF201") && !covers("UF00", "UF001"));
        assert!(!covers("UF200", "UF2011"));
    }

    #[test]
    fn state_keeps_its_rules() {
        use ChangeForm::*;
        use StateKind::*;
        let heap = |way: &str, form| {
            let step = |text: &str| match text {
                "[]" => Step::Element,
                field => Step::Field(FieldName::parse(field).unwrap()),
            };
            let steps: Vec<Step> = way.split_whitespace().map(step).collect();
            of_state(Heap, form, HeapPlace::of(&steps))
        };
        assert_eq!(heap("a.b.Conf.dir", Replaced), "UF201");
        assert_eq!(heap("a.b.Conf.dir", FirstSet), "UF201");
        assert_eq!(heap("a.b.Conf.all", Grown), "UF202");
        assert_eq!(heap("a.b.Conf.all []", Removed), "UF202");
        assert_eq!(heap("a.b.Conf.all a.C.list []", Replaced), "UF202");
        assert_eq!(heap("a.b.Conf.all [] a.C.name", Replaced), "UF203");
        assert_eq!(heap("Conf.all a.C.name", Replaced), "UF203");
        assert_eq!(heap("a.ATest.this a.ATest.list []", Grown), "UF204");
        assert_eq!(of_state(Heap, Replaced, HeapPlace::Captured), "UF205");
        for (kind, rule) in [
            (Property, "UF401"),
            (Locale, "UF402"),
            (Timezone, "UF402"),
            (Stream, "UF403"),
            (Thread, "UF404"),
            (ThreadLocal, "UF405"),
            (Provider, "UF406"),
            (ExceptionHandler, "UF406"),
            (ShutdownHook, "UF406"),
            (UrlHandler, "UF406"),
            (Bean, "UF406"),
            (LogLevel, "UF407"),
            (Environment, "UF408"),
            (File, "UF302"),
        ] {
            assert_eq!(of_state(kind, Replaced, HeapPlace::Field), rule, "{kind:?}");
            assert!(state_rule(rule).is_some(), "{rule} is not explained");
        }
        assert_eq!(
            of_state(File, FirstSet, HeapPlace::Field),
            of_file(FileChange::Created)
        );
        assert_eq!(
            of_state(File, Removed, HeapPlace::Field),
            of_file(FileChange::Deleted)
        );
        assert_eq!(of_file(FileChange::Changed), "UF302");
    }
}
