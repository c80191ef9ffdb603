//! How objects of classes that are not the project's are read (P4), as a table.
//!
//! Collections count by their elements, whatever their tables look like; what is computed lazily, weak references,
//! threads, class loaders, loggers and the inside of the JDK do not count. The rule of the nearest superclass holds;
//! what a class of the project adds to a class of the JDK (`class Registry extends HashMap`) counts beside it.
//!
//! Without a rule all instance fields count, but of the JDK's classes those that are not transient only: transient ones
//! are caches there, or the insides of collections, which have rules.

use unflake_protocol::{FRAMEWORKS, Support};

/// What is read of the objects of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The class with its package; one that ends with `*` stands for all names that begin so.
    pub class: &'static str,
    pub read: Read,
    /// Which object it is does not matter.
    pub is_value: bool,
}

/// How the walker reads the contents. Fields are named as `field`, or `Class.field` where they are another class's; of
/// two such names with a `|` between them the one that this JDK has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    Opaque,
    /// These fields; `a/b` is the field `b` of the object in the field `a`.
    Fields(&'static [&'static str]),
    /// All fields, as if there were no rule.
    All,
    /// Characters, by `CharSequence`.
    Text,
    /// The name of a `java.lang.Class`.
    Name,
    /// The first elements of an array: array, number.
    Slice(&'static str, &'static str),
    /// Between two places of an array that is a ring: array, first, behind the last.
    Ring(&'static str, &'static str, &'static str),
    /// From a place in a ring on: array, first, number.
    RingCount(&'static str, &'static str, &'static str),
    /// Linked nodes: the first, then the element and the next of each.
    Chain(&'static str, &'static str, &'static str),
    /// The same from a node that is only near the first; then the one before each.
    TwoWayChain(&'static str, &'static str, &'static str, &'static str),
    /// Elements without order: array, number; without a number all that are not null.
    Bag(&'static str, Option<&'static str>),
    /// Keys and values by turns in an array, without order.
    Pairs(&'static str),
    /// `HashMap`, whose table this package sees.
    HashMap,
    LinkedHashMap,
    TreeMap,
    /// Bins of linked entries: the table, then key, value and next of each.
    Table(&'static str, &'static str, &'static str, &'static str),
    /// Bins of entries that refer weakly to their keys: the table, then value and next of each. An entry counts as long
    /// as its key cannot go by itself: a class, an enum constant, a text, or what was reached before it.
    WeakTable(&'static str, &'static str, &'static str),
    /// `ConcurrentHashMap`: the table, then key, value and next of each, and of a bin that is a tree its first.
    Concurrent,
    /// By its own iterator, which runs no code of the project's.
    SkipList,
}

const fn rule(class: &'static str, read: Read) -> Rule {
    Rule {
        class,
        read,
        is_value: false,
    }
}

const fn value(class: &'static str, read: Read) -> Rule {
    Rule {
        class,
        read,
        is_value: true,
    }
}

use Read::{
    All, Bag, Chain, Concurrent, Fields, HashMap, LinkedHashMap, Name, Opaque, Pairs, Ring, RingCount,
    SkipList, Slice, Table, Text, TreeMap, TwoWayChain, WeakTable,
};

/// A class that is named exactly wins over one that is named by the beginning of its name.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    // Values.
    value("java.lang.String", Text),
    value("java.lang.Class", Name),
    value("java.lang.Boolean", Fields(&["value"])),
    value("java.lang.Byte", Fields(&["value"])),
    value("java.lang.Character", Fields(&["value"])),
    value("java.lang.Short", Fields(&["value"])),
    value("java.lang.Integer", Fields(&["value"])),
    value("java.lang.Long", Fields(&["value"])),
    value("java.lang.Float", Fields(&["value"])),
    value("java.lang.Double", Fields(&["value"])),
    value("java.math.BigInteger", Fields(&["signum", "mag"])),
    value("java.math.BigDecimal", Fields(&["intCompact", "scale"])),
    value("java.util.Locale", Fields(&["baseLocale"])),
    value("sun.util.locale.BaseLocale", Fields(&["language", "script", "region", "variant"])),
    value("java.util.Currency", Fields(&["currencyCode"])),
    value("java.util.UUID", Fields(&["mostSigBits", "leastSigBits"])),
    value("java.nio.charset.Charset", Fields(&["name"])),
    value("java.util.TimeZone", Fields(&["ID"])),
    value("sun.util.calendar.ZoneInfo", Fields(&["ID"])),
    value("java.time.ZoneRegion", Fields(&["id"])),
    value("java.net.URL", Fields(&["protocol", "host", "port", "file", "ref"])),
    value("java.net.URI", Fields(&["scheme", "fragment", "authority", "userInfo", "host", "port", "path", "query"])),
    value("java.io.File", Fields(&["path"])),
    value("sun.nio.fs.UnixPath", Fields(&["path"])),
    value("java.util.regex.Pattern", Fields(&["pattern", "flags"])),
    value("java.lang.reflect.Field", Fields(&["clazz", "name"])),
    value("java.lang.reflect.Method", Fields(&["clazz", "name", "parameterTypes"])),
    value("java.lang.reflect.Constructor", Fields(&["clazz", "parameterTypes"])),
    value("sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl", Fields(&["actualTypeArguments", "ownerType", "rawType"])),
    value("sun.reflect.generics.reflectiveObjects.GenericArrayTypeImpl", Fields(&["genericComponentType"])),
    value("sun.reflect.generics.reflectiveObjects.TypeVariableImpl", Fields(&["genericDeclaration", "name"])),
    value("sun.reflect.generics.reflectiveObjects.WildcardTypeImpl", Opaque),
    // Texts that change.
    rule("java.lang.AbstractStringBuilder", Text),
    rule("java.io.StringWriter", Fields(&["buf"])),
    rule("java.io.ByteArrayOutputStream", Slice("buf", "count")),
    rule("java.io.CharArrayWriter", Slice("buf", "count")),
    // Collections.
    rule("java.util.ArrayList", Slice("elementData", "size")),
    rule("java.util.Vector", Slice("elementData", "elementCount")),
    rule("java.util.LinkedList", Chain("first", "java.util.LinkedList$Node.item", "java.util.LinkedList$Node.next")),
    rule("java.util.ArrayDeque", Ring("elements", "head", "tail")),
    rule("java.util.PriorityQueue", Bag("queue", Some("size"))),
    rule("java.util.BitSet", Slice("words", "wordsInUse")),
    rule("java.util.HashMap", HashMap),
    rule("java.util.LinkedHashMap", LinkedHashMap),
    rule("java.util.TreeMap", TreeMap),
    rule("java.util.Hashtable", Table("table", "java.util.Hashtable$Entry.key", "java.util.Hashtable$Entry.value", "java.util.Hashtable$Entry.next")),
    rule("java.util.Properties", Fields(&["map", "defaults"])),
    rule("java.util.IdentityHashMap", Pairs("table")),
    rule("java.util.WeakHashMap", WeakTable("table", "java.util.WeakHashMap$Entry.value", "java.util.WeakHashMap$Entry.next")),
    rule("java.util.EnumMap", Fields(&["vals"])),
    rule("java.util.HashSet", Fields(&["map"])),
    rule("java.util.TreeSet", Fields(&["m"])),
    rule("java.util.ImmutableCollections$SetN", Bag("elements", None)),
    rule("java.util.ImmutableCollections$MapN", Pairs("table")),
    rule("java.util.ImmutableCollections$ListN", Fields(&["elements"])),
    rule("java.util.concurrent.ConcurrentHashMap", Concurrent),
    rule("java.util.concurrent.ConcurrentHashMap$CollectionView", Fields(&["map"])),
    rule("java.util.concurrent.ConcurrentSkipListMap", SkipList),
    rule("java.util.concurrent.ConcurrentSkipListSet", Fields(&["m"])),
    rule("java.util.concurrent.CopyOnWriteArrayList", Fields(&["array"])),
    rule("java.util.concurrent.ArrayBlockingQueue", RingCount("items", "takeIndex", "count")),
    rule("java.util.concurrent.PriorityBlockingQueue", Bag("queue", Some("size"))),
    rule("java.util.concurrent.LinkedBlockingQueue", Chain("head", "java.util.concurrent.LinkedBlockingQueue$Node.item", "java.util.concurrent.LinkedBlockingQueue$Node.next")),
    rule("java.util.concurrent.LinkedBlockingDeque", Chain("first", "java.util.concurrent.LinkedBlockingDeque$Node.item", "java.util.concurrent.LinkedBlockingDeque$Node.next")),
    rule("java.util.concurrent.ConcurrentLinkedQueue", Chain("head", "java.util.concurrent.ConcurrentLinkedQueue$Node.item", "java.util.concurrent.ConcurrentLinkedQueue$Node.next")),
    rule("java.util.concurrent.ConcurrentLinkedDeque", TwoWayChain("head", "java.util.concurrent.ConcurrentLinkedDeque$Node.item", "java.util.concurrent.ConcurrentLinkedDeque$Node.next", "java.util.concurrent.ConcurrentLinkedDeque$Node.prev")),
    // Since Java 21 its nodes are of another class.
    rule("java.util.concurrent.LinkedTransferQueue", Chain("head", "java.util.concurrent.LinkedTransferQueue$Node.item|java.util.concurrent.LinkedTransferQueue$DualNode.item", "java.util.concurrent.LinkedTransferQueue$Node.next|java.util.concurrent.LinkedTransferQueue$DualNode.next")),
    // Only threads that wait for each other are in it.
    rule("java.util.concurrent.SynchronousQueue", Opaque),
    rule("javax.swing.event.EventListenerList", Fields(&["listenerList"])),
    rule("java.util.concurrent.atomic.Striped64", Fields(&["base", "cells"])),
    rule("java.util.concurrent.atomic.*", All),
    // Dates keep caches beside what they mean; formats a scratch pad.
    rule("java.util.Date", Fields(&["fastTime"])),
    rule("java.util.Calendar", Fields(&["time", "zone", "lenient"])),
    rule("java.text.DateFormat", Fields(&["calendar/zone"])),
    rule("java.text.SimpleDateFormat", Fields(&["pattern", "calendar/zone"])),
    rule("java.lang.Enum", Fields(&["name"])),
    rule("java.lang.Throwable", Fields(&["detailMessage", "cause"])),
    rule("java.util.Random", Fields(&["seed"])),
    // Streams: where they lead, not what is under way in them.
    rule("java.io.FilterOutputStream", Fields(&["out"])),
    rule("java.io.PrintStream", Fields(&["out"])),
    rule("java.io.BufferedOutputStream", Fields(&["out"])),
    rule("java.io.DataOutputStream", Fields(&["out"])),
    rule("java.io.FilterInputStream", Fields(&["in"])),
    rule("java.io.BufferedInputStream", Fields(&["in"])),
    rule("java.io.DataInputStream", Fields(&["in"])),
    rule("java.io.PushbackInputStream", Fields(&["in"])),
    rule("java.io.PrintWriter", Fields(&["out"])),
    rule("java.io.BufferedWriter", Fields(&["out"])),
    rule("java.io.BufferedReader", Fields(&["in"])),
    rule("java.io.OutputStreamWriter", Opaque),
    rule("java.io.InputStreamReader", Opaque),
    rule("java.io.FileOutputStream", Opaque),
    rule("java.io.FileInputStream", Opaque),
    rule("java.io.FileDescriptor", Opaque),
    rule("java.io.RandomAccessFile", Opaque),
    rule("java.nio.MappedByteBuffer", Opaque),
    rule("java.nio.channels.*", Opaque),
    rule("java.net.InetAddress", Opaque),
    rule("java.net.InetSocketAddress", Opaque),
    rule("java.net.Socket", Opaque),
    rule("java.net.ServerSocket", Opaque),
    rule("java.net.DatagramSocket", Opaque),
    rule("java.net.URLConnection", Opaque),
    rule("java.util.zip.*", Opaque),
    rule("java.util.jar.*", Opaque),
    // The machine room.
    rule("java.lang.Thread", Opaque),
    rule("java.lang.ThreadGroup", Opaque),
    rule("java.lang.ThreadLocal", Opaque),
    rule("java.lang.ClassLoader", Opaque),
    rule("java.lang.ClassValue", Opaque),
    rule("java.lang.Module", Opaque),
    rule("java.lang.ModuleLayer", Opaque),
    rule("java.lang.Package", Opaque),
    rule("java.lang.Process", Opaque),
    rule("java.lang.Runtime", Opaque),
    rule("java.lang.SecurityManager", Opaque),
    rule("java.lang.reflect.*", Opaque),
    rule("java.lang.invoke.*", Opaque),
    rule("java.lang.module.*", Opaque),
    rule("java.lang.ref.*", Opaque),
    rule("java.lang.management.*", Opaque),
    rule("javax.management.*", Opaque),
    rule("java.util.concurrent.locks.*", Opaque),
    rule("java.util.concurrent.AbstractExecutorService", Opaque),
    rule("java.util.concurrent.ForkJoinTask", Opaque),
    rule("java.util.concurrent.FutureTask", Opaque),
    rule("java.util.Timer", Opaque),
    rule("java.util.ResourceBundle", Opaque),
    rule("java.util.ServiceLoader", Opaque),
    rule("java.util.logging.*", Opaque),
    // Of ours: what a sample leaves out.
    value("java.util.UnflakeUnread", Opaque),
    rule("java.security.*", Opaque),
    rule("javax.crypto.*", Opaque),
    rule("javax.net.*", Opaque),
    rule("java.awt.*", Opaque),
    rule("sun.*", Opaque),
    rule("com.sun.*", Opaque),
    rule("jdk.internal.*", Opaque),
    // What tests run with, beside the frameworks.
    rule("org.mockito.*", Opaque),
    rule("net.bytebuddy.*", Opaque),
    rule("org.easymock.*", Opaque),
    rule("org.powermock.*", Opaque),
    rule("org.jacoco.*", Opaque),
];

/// The rule for one class itself, without regard to its superclasses.
pub fn rule_of(class: &str) -> Option<&'static Rule> {
    let exact = RULES.iter().find(|rule| rule.class == class);
    let covers = |rule: &&Rule| {
        let start = rule.class.strip_suffix('*');
        start.is_some_and(|start| class.starts_with(start))
    };
    exact
        .or_else(|| RULES.iter().find(covers))
        .or_else(|| is_of_tests(class).then_some(&FRAMEWORK))
}

/// Whether a class is a framework's. What starts frameworks, such as a build tool, may be a project under test.
fn is_of_tests(class: &str) -> bool {
    match FRAMEWORKS.support_of(class) {
        Some(Support::Framework | Support::Assertion | Support::Matcher) => true,
        Some(Support::Launcher) | None => false,
    }
}

const FRAMEWORK: Rule = rule("frameworks", Opaque);

/// How loggers are read, and all that belongs to them.
pub const LOGGING: Rule = rule("logging", Opaque);

/// For a class that the settings exclude: neither its contents nor its identity count.
pub const NOTHING: Rule = value("nothing", Opaque);

/// For a class whose fields that count are named in the settings; the caller adds them.
pub const NAMED_FIELDS: Rule = rule("fields", Fields(&[]));

/// Whether a class is of a library for logging.
pub fn is_logging(class: &str) -> bool {
    const LIBRARIES: [&str; 5] = [
        "org.slf4j.",
        "ch.qos.logback.",
        "org.apache.log4j.",
        "org.apache.logging.",
        "org.apache.commons.logging.",
    ];
    LIBRARIES.iter().any(|start| class.starts_with(start))
}

/// Whether a class is the JDK's own.
pub fn is_jdk(class: &str) -> bool {
    ["java.", "javax.", "jdk.", "sun.", "com.sun."]
        .iter()
        .any(|start| class.starts_with(start))
}

/// Classes whose one field is not worth a step in a path.
pub fn is_transparent(class: &str) -> bool {
    const NAMES: [&str; 8] = [
        "java.util.HashSet",
        "java.util.LinkedHashSet",
        "java.util.TreeSet",
        "java.util.Properties",
        "java.util.concurrent.CopyOnWriteArrayList",
        "java.util.concurrent.CopyOnWriteArraySet",
        "java.util.concurrent.ConcurrentSkipListSet",
        "java.util.EnumMap",
    ];
    NAMES.contains(&class)
        || class.starts_with("java.util.Collections$")
        || class.starts_with("java.util.concurrent.atomic.Atomic")
        || class.starts_with("java.util.concurrent.ConcurrentHashMap$")
        || class.starts_with("java.util.ImmutableCollections$List")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_class_has_two_rules() {
        let mut names: Vec<&str> = RULES.iter().map(|rule| rule.class).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn an_exact_rule_wins() {
        for (class, expected) in [
            ("java.lang.reflect.Method", Some(true)),
            ("java.lang.reflect.Proxy", Some(false)),
            ("org.junit.rules.TemporaryFolder", Some(false)),
            ("org.hamcrest.core.Is", Some(false)),
            ("org.apache.maven.model.Model", None),
            ("com.example.Thing", None),
        ] {
            assert_eq!(rule_of(class).map(|rule| rule.is_value), expected, "{class}");
        }
        assert_eq!(
            rule_of("java.lang.reflect.Proxy").map(|rule| rule.read),
            Some(Read::Opaque)
        );
    }
}
