//! Candidates that were looked at and are not models, with the reason (N3).
//!
//! A refusal covers every method whose full name and result type match. The first that matches is the reason given, so
//! particular ones stand before those that cover a whole package.

use crate::find::glob_matches;

/// Methods that are no models, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A glob over `java.util.stream.Stream.findAny`.
    pub method: &'static str,
    /// A glob over the result type as the source writes it: `byte[]`; `None`: any.
    pub result: Option<&'static str>,
    pub reason: &'static str,
}

/// The refusal that covers this method, if there is one.
pub fn refusal(method: &str, result: &str) -> Option<&'static Refusal> {
    REFUSALS.iter().find(|refusal| {
        glob_matches(refusal.method, method)
            && refusal.result.is_none_or(|pattern| glob_matches(pattern, result))
    })
}

const fn refuse(method: &'static str, reason: &'static str) -> Refusal {
    Refusal {
        method,
        result: None,
        reason,
    }
}

const fn refuse_result(method: &'static str, result: &'static str, reason: &'static str) -> Refusal {
    Refusal {
        method,
        result: Some(result),
        reason,
    }
}

const FIND_ANY: &str = "which element is found is open, but to offer another one more elements must be evaluated, \
                        which may never end";
const FOR_EACH: &str = "open for parallel streams, where the JVM's own scheduling varies it; in a sequential one \
                        all elements would have to be evaluated before the first action";
const SOURCE_ORDER: &str =
    "keeps the order of its source or says how it depends on it; varies where the source does";
const LIST_ORDER: &str = "an ordered collection: first to last, or the order of insertion";
const SORTED: &str = "sorted by specification";
const SUPERTYPE: &str = "a supertype: the models are those of the classes that leave the order open";
const DECLARED: &str = "in declaration order by specification, or by the class file's own order of type arguments \
                        and bounds";
const BY_TYPE: &str = "the order inside of a container is specified; the place of an annotation that stands beside \
                       its own container is varied for `Field`, of table 2.1";
const ROUNDING: &str = "open is the last digit, by the order of additions; it varies where the source's order does, \
                        a tolerance is for a user model";
const SILENT: &str = "the documentation is silent, and it is not of table 2.1: only what a sentence leaves open is \
                      added to the table";
const JVM: &str = "about the running JVM: threads, memory, loaded classes differ from run to run anyway";
const OUTSIDE: &str =
    "what is open is decided outside of the JVM: network, operating system, preferences, keys";
const BYTE_ORDER: &str = "speaks of the order of bytes or bits";
const MEMORY_ORDER: &str = "speaks of memory ordering between threads";
const COMPARISON: &str = "a comparison: it defines an order and leaves none open";
const POSITION: &str = "each place in the array or list has a meaning of its own";
const CONCURRENT_USE: &str = "open only if used in a wrong way or by several threads at once";
const FORMAT: &str = "the text's form is open; a test that compares it has to say what it wants, and no other \
                      text is known to be allowed";

pub static REFUSALS: &[Refusal] = &[
    refuse_result("*", "", "a constructor"),
    // Open, but refused nevertheless.
    refuse(
        "java.lang.management.ManagementFactory.getPlatformMXBeans",
        "open, but the beans are about the running \
            JVM, and are asked for by type",
    ),
    refuse(
        "java.util.concurrent.locks.*Threads",
        "open, but which threads wait is the scheduler's choice already",
    ),
    refuse(
        "java.util.concurrent.ScheduledThreadPoolExecutor.getQueue",
        "open, but what is in the queue is the \
            scheduler's choice already",
    ),
    refuse(
        "java.util.Observable.*",
        "the order of notifications is open, but it is made by a loop over a private \
            list, and the class is deprecated",
    ),
    refuse(
        "java.lang.Record.*",
        "the algorithm of the hash is open, but any other hash would have to be put in at \
            the call site of each record's `hashCode`",
    ),
    refuse(
        "java.text.MessageFormat.toPattern",
        "which of several equal styles is written is open, but only formats \
            that were set by hand have several",
    ),
    refuse("java.util.*SummaryStatistics.toString", FORMAT),
    refuse("java.util.Optional*.toString", FORMAT),
    refuse("java.util.Scanner.toString", FORMAT),
    refuse("java.util.regex.Matcher.toString", FORMAT),
    refuse("java.io.StreamTokenizer.toString", FORMAT),
    refuse("java.lang.annotation.*.foundType", FORMAT),
    refuse("java.lang.classfile.*.toDebugString", FORMAT),
    refuse(
        "java.util.stream.Stream.distinct",
        "for unordered streams the element kept is open among equal ones; \
            the stream's order varies where its source does",
    ),
    refuse(
        "java.util.stream.BaseStream.unordered",
        "gives up an order without giving another; streams over hash \
            collections vary by themselves",
    ),
    // Streams and collectors.
    refuse("java.util.stream.*Stream.findAny", FIND_ANY),
    refuse("java.util.stream.*Stream.forEach", FOR_EACH),
    refuse("java.util.stream.*Stream.sum", ROUNDING),
    refuse("java.util.stream.Collectors.averaging*", ROUNDING),
    refuse("java.util.stream.Collectors.summing*", ROUNDING),
    refuse("java.util.*SummaryStatistics.*", ROUNDING),
    refuse("java.util.stream.*", SOURCE_ORDER),
    // Reflection.
    refuse("java.lang.*.getAnnotationsByType", BY_TYPE),
    refuse("java.lang.*.getDeclaredAnnotationsByType", BY_TYPE),
    refuse("java.lang.reflect.AccessibleObject.get*", SUPERTYPE),
    refuse("java.lang.reflect.AnnotatedElement.get*", SUPERTYPE),
    refuse("java.lang.reflect.Executable.getDeclaredAnnotations", SUPERTYPE),
    refuse(
        "java.lang.reflect.Executable.get*ExceptionTypes",
        "specified for annotated types; for the others a \
            supertype of `Method` and `Constructor`",
    ),
    refuse("java.lang.reflect.Executable.getParameterAnnotations", SUPERTYPE),
    refuse("java.lang.reflect.Annotated*.get*Annotations", SILENT),
    refuse_result("java.lang.reflect.*", "*[]", DECLARED),
    refuse("java.lang.Class.getInterfaces", DECLARED),
    refuse("java.lang.Class.getGenericInterfaces", DECLARED),
    refuse("java.lang.Class.getAnnotatedInterfaces", DECLARED),
    refuse("java.lang.Class.getEnumConstants", DECLARED),
    refuse(
        "java.lang.Class.getRecordComponents",
        "the components are returned in the order of the record's header",
    ),
    refuse("java.lang.Class.getTypeParameters", DECLARED),
    refuse("java.lang.Class.getSigners", SILENT),
    refuse(
        "java.lang.Class.get*",
        "finds one member; the search order is specified",
    ),
    refuse(
        "java.lang.reflect.*.to*String",
        "the modifiers are in canonical order",
    ),
    refuse(
        "java.lang.Class.toGenericString",
        "the modifiers are in canonical order",
    ),
    refuse(
        "java.lang.reflect.Proxy.*",
        "the order of the interfaces given is significant",
    ),
    refuse("java.io.ObjectStreamClass.getFields", SILENT),
    // Class loading, modules and services.
    refuse(
        "java.util.ServiceLoader.*",
        "on the class path the providers come in the order of the files; only the \
            modules of one loader are open, and no test JVM was seen that has two providers there",
    ),
    refuse(
        "java.lang.*.getResource*",
        "the search order is specified, but for packages split over modules",
    ),
    refuse(
        "java.lang.*.getSystemResource*",
        "the search order is specified, but for packages split over modules",
    ),
    refuse("java.lang.ClassLoader.getDefinedPackages", SILENT),
    refuse("java.lang.Package.getPackages", SILENT),
    refuse(
        "java.net.URLClassLoader.*",
        "the order of the URLs is the search order",
    ),
    refuse("java.lang.ModuleLayer.*", "parents are in search order"),
    refuse("java.lang.module.*", "parents and finders are in search order"),
    refuse(
        "java.util.ResourceBundle*",
        "the search order of candidate bundles is specified",
    ),
    // Threads and the JVM.
    refuse("java.lang.management.*", JVM),
    refuse("java.lang.instrument.*", JVM),
    refuse("java.lang.Thread.*", JVM),
    refuse("java.lang.Throwable.*", POSITION),
    refuse("java.util.concurrent.locks.*", JVM),
    refuse("java.util.concurrent.Semaphore.*", JVM),
    refuse("java.util.concurrent.Executors.*", JVM),
    refuse(
        "java.util.concurrent.StructuredTaskScope*",
        "subtasks come in the order in which they were forked",
    ),
    refuse(
        "java.util.concurrent.*.invokeAll*",
        "in the order of the tasks given",
    ),
    refuse("java.util.concurrent.*.weakCompareAndSet*", MEMORY_ORDER),
    refuse("java.lang.invoke.VarHandle.*", MEMORY_ORDER),
    refuse("java.lang.invoke.*", "arguments keep their places"),
    refuse("java.lang.ref.*", MEMORY_ORDER),
    refuse("java.lang.ProcessHandle*", JVM),
    refuse("java.lang.Process*.*", "commands keep the order of their words"),
    refuse("java.lang.Runtime.exec", "commands keep the order of their words"),
    refuse("java.lang.Runtime.addShutdownHook", JVM),
    // Collections with an order.
    refuse("java.util.*.spliterator", SUPERTYPE),
    refuse("java.util.Sorted*", SORTED),
    refuse("java.util.Navigable*", SORTED),
    refuse("java.util.Tree*", SORTED),
    refuse("java.util.concurrent.ConcurrentSkipList*", SORTED),
    refuse("java.util.concurrent.ConcurrentNavigableMap.*", SORTED),
    refuse("java.util.Enum*", "in the order of the constants' declaration"),
    refuse("java.util.Sequenced*", LIST_ORDER),
    refuse("java.util.LinkedHash*", LIST_ORDER),
    refuse("java.util.*List.*", LIST_ORDER),
    refuse("java.util.*Deque.*", LIST_ORDER),
    refuse("java.util.Vector.*", LIST_ORDER),
    refuse("java.util.BitSet.*", "bits have numbers"),
    refuse("java.util.concurrent.*Queue.toArray", LIST_ORDER),
    refuse("java.util.concurrent.*Queue.iterator", LIST_ORDER),
    refuse("java.util.concurrent.CopyOnWrite*", LIST_ORDER),
    refuse(
        "java.util.concurrent.*Queue.*",
        "inserts, drains or compares in the queue's order; ties are modelled as \
            `PriorityQueue.poll` and `PriorityBlockingQueue.poll`",
    ),
    refuse(
        "java.util.PriorityQueue.*",
        "inserts or compares; traversal and ties are modelled",
    ),
    refuse("java.util.Hash*.*", "another road to a modelled order (N2)"),
    refuse("java.util.*HashMap.*", "another road to a modelled order (N2)"),
    refuse(
        "java.util.Properties.store*",
        "sorts the keys, since Java 18 by specification",
    ),
    refuse("java.util.AbstractCollection.*", SUPERTYPE),
    refuse("java.util.Abstract*", SUPERTYPE),
    refuse("java.util.Collection.*", SUPERTYPE),
    refuse("java.util.Set.*", SUPERTYPE),
    refuse("java.util.Map.*", SUPERTYPE),
    refuse("java.util.Iterator.*", SUPERTYPE),
    refuse("java.util.PrimitiveIterator.*", SUPERTYPE),
    refuse("java.lang.Iterable.*", SUPERTYPE),
    refuse("java.util.Spliterator*", SUPERTYPE),
    refuse(
        "java.util.Arrays.*sort",
        "sorting objects is stable, and equal primitives cannot be told apart",
    ),
    refuse("java.util.Arrays.*", "arrays keep their places"),
    refuse(
        "java.util.Collections.m??",
        "which of several greatest or least is returned is not said; it varies where the collection's order does",
    ),
    refuse(
        "java.util.Collections.*",
        "keeps, reverses or sorts the order of what it is given",
    ),
    refuse("java.util.Comparator*", COMPARISON),
    refuse("java.util.Objects.*", COMPARISON),
    // Random numbers, dates, text.
    refuse("java.util.Random.*", "random by purpose: tests give it a seed"),
    refuse(
        "java.security.SecureRandom*",
        "random by purpose, and differs in every run",
    ),
    refuse("java.util.Locale.getAvailableLocales", SILENT),
    refuse("java.util.Locale.getISO*", SILENT),
    refuse("java.util.TimeZone.getAvailableIDs", SILENT),
    refuse(
        "java.util.spi.LocaleServiceProvider.getAvailableLocales",
        SUPERTYPE,
    ),
    refuse(
        "java.util.Locale*.*",
        "the parts of a language tag have their order",
    ),
    refuse("java.text.*", POSITION),
    refuse("java.time.*", COMPARISON),
    refuse("java.util.Date.*", COMPARISON),
    refuse(
        "java.util.Scanner.*",
        "tokens and lines come in the order of the input",
    ),
    refuse("java.util.Base64*", "bytes keep their order"),
    refuse("java.util.HexFormat.*", "bytes keep their order"),
    refuse("java.util.regex.*", SOURCE_ORDER),
    refuse("java.lang.String*.*", "text keeps its order"),
    refuse("java.lang.CharSequence.*", "text keeps its order"),
    refuse("java.lang.Appendable.*", CONCURRENT_USE),
    refuse("java.lang.Character*.*", BYTE_ORDER),
    refuse("java.math.*", "numbers by formula"),
    refuse("java.lang.annotation.*", POSITION),
    refuse("java.lang.SuppressWarnings.value", POSITION),
    refuse("java.lang.constant.*", POSITION),
    refuse("java.lang.classfile*", "in the order of the class file"),
    refuse("java.lang.foreign.*", BYTE_ORDER),
    refuse("java.lang.System.*", CONCURRENT_USE),
    // Input, output, network, security, and what runs with a display.
    refuse("java.io.*.compareTo", COMPARISON),
    refuse(
        "java.io.File*Permission*",
        "the actions are listed in a fixed order",
    ),
    refuse("java.io.*", "bytes and characters keep their order"),
    refuse(
        "java.nio.file.Files.*",
        "one file at a time; listings are modelled",
    ),
    refuse("java.nio.file.FileSystem.get*", OUTSIDE),
    refuse(
        "java.nio.file.*",
        "names of a path keep their order; directories are modelled at `Files`",
    ),
    refuse("java.nio.charset.*", COMPARISON),
    refuse("java.nio.channels.*", OUTSIDE),
    refuse("java.nio.*", BYTE_ORDER),
    refuse("java.util.zip.*", "entries come in the order of the archive"),
    refuse("java.util.jar.*", "entries come in the order of the archive"),
    refuse("java.util.logging.*", OUTSIDE),
    refuse("java.util.prefs.*", OUTSIDE),
    refuse("java.net.*", OUTSIDE),
    refuse("java.rmi.*", OUTSIDE),
    refuse(
        "java.security.*",
        "chains, providers and encodings have their order; key stores are outside of the JVM",
    ),
    refuse(
        "java.sql.*",
        "the order of rows is the database's: a user model of the query's method is the way",
    ),
    refuse(
        "java.awt.*",
        "the desktop: pixels, listeners and fonts by position; not looked into one by one",
    ),
    refuse("java.applet.*", "the desktop"),
    refuse(
        "java.beans.*",
        "listeners are in the order of registration; `BeanInfo`'s arrays vary through \
            `Class.getMethods`",
    ),
    refuse(
        "java.util.PropertyPermission.getActions",
        "the actions are listed in a fixed order",
    ),
    // What cannot hold elements. Last, so that a method is refused for its own reason where it has one.
    refuse_result(
        "*",
        "void",
        "returns nothing; what it calls in which order is the collection's",
    ),
    refuse_result("*.compareTo*", "int", COMPARISON),
    refuse_result("*", "int", BYTE_ORDER),
    refuse_result("*", "long", BYTE_ORDER),
    refuse_result("*", "short", BYTE_ORDER),
    refuse_result("java.lang.*.toString", "String", "digits have their order"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MODELS;

    #[test]
    fn the_first_refusal_that_matches_is_the_reason() {
        let reason = |method: &str, result: &str| refusal(method, result).map(|refusal| refusal.reason);
        assert_eq!(
            reason("java.util.stream.Stream.findAny", "Optional<T>"),
            Some(FIND_ANY)
        );
        assert_eq!(
            reason("java.util.stream.Stream.map", "Stream<R>"),
            Some(SOURCE_ORDER)
        );
        assert_eq!(reason("org.example.Thing.all", "String[]"), None);
        assert_eq!(reason("org.example.Thing.all", "short"), Some(BYTE_ORDER));
    }

    #[test]
    fn no_row_is_written_twice_and_none_is_hidden_by_an_earlier_one() {
        for (at, row) in REFUSALS.iter().enumerate() {
            let hidden_by = REFUSALS[..at].iter().find(|earlier| {
                earlier.result.is_none() && glob_matches(earlier.method, row.method)
                    || earlier.method == row.method && earlier.result == row.result
            });
            assert_eq!(hidden_by, None, "{row:?}");
            assert!(row.reason.len() > 8, "{row:?}");
        }
    }

    /// A refusal of something that is modelled would be a contradiction. Models are looked at first, so a group may
    /// cover some of its class; a row of its own may not.
    #[test]
    fn nothing_is_both_modelled_and_refused_by_name() {
        for model in MODELS {
            let refused = REFUSALS.iter().find(|row| {
                row.result.is_none()
                    && !row.method.contains('*')
                    && row.method.ends_with(&format!(".{}", model.name))
            });
            assert_eq!(refused, None, "{}", model.name);
        }
    }
}
