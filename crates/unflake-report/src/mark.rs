//! What marks of harmless changes say (P9), a sentence for each kind.

use unflake_findings::{Benign, Finding, Mark};

/// So many methods are named before the rest is counted.
const SHOWN: usize = 3;

/// Gives each mark its sentence, for programs that read the document. Called once for each document.
pub fn explain_marks(findings: &mut [Finding]) {
    for finding in findings {
        if let Some(effect) = finding.details.effect_mut()
            && let Some(mark) = &effect.benign.mark
        {
            effect.benign.why = sentence(mark);
        }
    }
}

/// Why a change looks harmless. Runs that were stored by earlier versions have the sentence only.
pub(crate) fn reason(benign: &Benign) -> String {
    benign.mark.as_ref().map_or_else(|| benign.why.clone(), sentence)
}

/// Why a change with this mark looks harmless.
fn sentence(mark: &Mark) -> String {
    match mark {
        Mark::InsideJdk => "internal state of the JDK".to_owned(),
        Mark::JdkHook { class } => {
            format!("`{class}` is a shutdown hook of the JDK, which runs after the last test")
        }
        Mark::UntilExit => {
            "a new file whose name no other test can know, which the JVM deletes when it ends".to_owned()
        }
        Mark::TypeCache { field } => {
            format!(
                "a cache by types inside of the library's object in `{field}`, to which the project gives nothing to \
                 keep"
            )
        }
        Mark::ThreadLocalDefault { field, methods } => format!(
            "created on first use: only {} {} `{field}`, and nothing sets it",
            listed(methods),
            verb(methods, "reads", "read")
        ),
        Mark::RandomState { class } => format!(
            "the internal state of a random number generator (`{class}`) that the project neither seeds nor replaces"
        ),
        Mark::SetUp { method } => {
            format!("private to the test class, and `{method}` sets it before each of its tests")
        }
        Mark::LibraryCounter { field, tests } => {
            format!("a counter: each of the {tests} tests that change `{field}` increases it")
        }
        Mark::SetBeforeRead { field, methods } => {
            format!("always set before it is read: `{field}`, in {}", listed(methods))
        }
        Mark::Lazy { field, methods } => format!(
            "lazy initialisation: {} {} `{field}` when it is missing, nothing else sets it, and every run created the \
             same value",
            listed(methods),
            verb(methods, "creates", "create")
        ),
        Mark::Counter { field, methods } => format!(
            "a counter: {} {} `{field}`, and nothing else sets it",
            listed(methods),
            verb(methods, "increases", "increase")
        ),
        Mark::Memo { field, methods } => format!(
            "a memo: {} {} values up in `{field}` and {} missing ones; nothing else uses it",
            listed(methods),
            verb(methods, "looks", "look"),
            verb(methods, "adds", "add")
        ),
        Mark::Pool {
            field,
            takers,
            givers,
        } => format!(
            "a pool: {} {} out of `{field}` what {} {} into it",
            listed(takers),
            verb(takers, "takes", "take"),
            listed(givers),
            verb(givers, "puts", "put")
        ),
        Mark::SoftEntries { field } => {
            format!("held softly or weakly: the garbage collector may drop what is in `{field}` at any time")
        }
        Mark::LibraryFill { field } => {
            format!(
                "the library itself filled this in, inside its object in `{field}`; none of it comes from the project"
            )
        }
        Mark::MapUpkeep { field } => {
            format!(
                "how a map of the library, inside of `{field}`, keeps its entries; what is in it is the same"
            )
        }
        Mark::LastTime { field, methods } => format!(
            "about the time of the last call, which {} only {} with the time of the next: `{field}`",
            listed(methods),
            verb(methods, "compares", "compare")
        ),
        Mark::GivenOut { field, methods } => format!(
            "what {} gave out before, so as not to give it out again: nothing else looks into `{field}`",
            listed(methods)
        ),
        Mark::ArrayMemo { field, method } => {
            format!("a memo: only `{method}` uses the array `{field}`, and it fills in what is missing")
        }
    }
}

fn verb(methods: &[String], of_one: &'static str, of_several: &'static str) -> &'static str {
    if methods.len() == 1 { of_one } else { of_several }
}

/// Some methods by name: `A.b`, `C.d` and 2 more.
fn listed(methods: &[String]) -> String {
    let mut names: Vec<String> = methods.iter().map(|method| format!("`{method}`")).collect();
    let more = names.len().saturating_sub(SHOWN);
    if more > 0 {
        names.truncate(SHOWN);
        return format!("{} and {more} more", names.join(", "));
    }
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => "nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use unflake_findings::MarkKind;

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// A mark of each kind as JSON has it, and its sentence.
    const SENTENCES: [(&str, &str); 19] = [
        (r#"{"mark": "inside-jdk"}"#, "internal state of the JDK"),
        (
            r#"{"mark": "jdk-hook", "class": "java.util.logging.LogManager$Cleaner"}"#,
            "`java.util.logging.LogManager$Cleaner` is a shutdown hook of the JDK, which runs after the last test",
        ),
        (
            r#"{"mark": "until-exit"}"#,
            "a new file whose name no other test can know, which the JVM deletes when it ends",
        ),
        (
            r#"{"mark": "type-cache", "field": "Json.MAPPER"}"#,
            "a cache by types inside of the library's object in `Json.MAPPER`, to which the project gives nothing to keep",
        ),
        (
            r#"{"mark": "thread-local-default", "field": "Util.df", "methods": ["Util.format", "Util.parse"]}"#,
            "created on first use: only `Util.format` and `Util.parse` read `Util.df`, and nothing sets it",
        ),
        (
            r#"{"mark": "random-state", "class": "java.util.Random"}"#,
            "the internal state of a random number generator (`java.util.Random`) that the project neither seeds nor \
             replaces",
        ),
        (
            r#"{"mark": "set-up", "method": "FooTest.setUp"}"#,
            "private to the test class, and `FooTest.setUp` sets it before each of its tests",
        ),
        (
            r#"{"mark": "library-counter", "field": "org.lib.Id.next", "tests": 3}"#,
            "a counter: each of the 3 tests that change `org.lib.Id.next` increases it",
        ),
        (
            r#"{"mark": "set-before-read", "field": "C.lines", "methods": ["C.load"]}"#,
            "always set before it is read: `C.lines`, in `C.load`",
        ),
        (
            r#"{"mark": "lazy", "field": "C.x", "methods": ["C.get"]}"#,
            "lazy initialisation: `C.get` creates `C.x` when it is missing, nothing else sets it, and every run created \
             the same value",
        ),
        (
            r#"{"mark": "counter", "field": "C.n", "methods": ["C.called"]}"#,
            "a counter: `C.called` increases `C.n`, and nothing else sets it",
        ),
        (
            r#"{"mark": "memo", "field": "C.known", "methods": ["C.square", "C.root"]}"#,
            "a memo: `C.square` and `C.root` look values up in `C.known` and add missing ones; nothing else uses it",
        ),
        (
            r#"{"mark": "pool", "field": "Pool.items", "takers": ["Pool.take"], "givers": ["Pool.giveBack"]}"#,
            "a pool: `Pool.take` takes out of `Pool.items` what `Pool.giveBack` puts into it",
        ),
        (
            r#"{"mark": "soft-entries", "field": "C.known"}"#,
            "held softly or weakly: the garbage collector may drop what is in `C.known` at any time",
        ),
        (
            r#"{"mark": "array-memo", "field": "Zone.infos", "method": "Zone.info"}"#,
            "a memo: only `Zone.info` uses the array `Zone.infos`, and it fills in what is missing",
        ),
        (
            r#"{"mark": "library-fill", "field": "Parser.dfa"}"#,
            "the library itself filled this in, inside its object in `Parser.dfa`; none of it comes from the project",
        ),
        (
            r#"{"mark": "map-upkeep", "field": "Json.MAPPER"}"#,
            "how a map of the library, inside of `Json.MAPPER`, keeps its entries; what is in it is the same",
        ),
        (
            r#"{"mark": "last-time", "field": "Id.last", "methods": ["Id.next"]}"#,
            "about the time of the last call, which `Id.next` only compares with the time of the next: `Id.last`",
        ),
        (
            r#"{"mark": "given-out", "field": "Id.seen", "methods": ["Id.next"]}"#,
            "what `Id.next` gave out before, so as not to give it out again: nothing else looks into `Id.seen`",
        ),
    ];

    #[test]
    fn every_mark_has_its_sentence() {
        let mut kinds = BTreeSet::new();
        for (json, expected) in SENTENCES {
            let mark: Mark = serde_json::from_str(json).unwrap();
            assert_eq!(sentence(&mark), expected);
            kinds.insert(mark.kind());
        }
        assert_eq!(kinds, MarkKind::ALL.into_iter().collect());
    }

    #[test]
    fn methods_are_listed_as_people_do() {
        for (methods, text) in [
            ("a", "`a`"),
            ("a b", "`a` and `b`"),
            ("a b c", "`a`, `b` and `c`"),
            ("a b c d", "`a`, `b`, `c` and 1 more"),
        ] {
            assert_eq!(listed(&names(methods)), text);
        }
    }
}
