//! The rows. The order is the precedence of marks: those that need little evidence and say much come first.

use super::Test::{Change, Each, Nearest};
use super::{Example, Rule, collections, fields, jvm, libraries, numbers};
use crate::case::ChangedPart::{AtomicNumber, Content, Itself};
use unflake_findings::MarkKind;
use unflake_protocol::StateKind::{File, Heap, ShutdownHook, ThreadLocal};

pub(crate) const RULES: [Rule; 19] = [
    Rule {
        mark: MarkKind::JdkHook,
        state: ShutdownHook,
        test: Change(jvm::jdk_hook),
        is_of_root: true,
        hit: Example {
            classes: "class C",
            change: "hook java.util.logging.LogManager$Cleaner | grown | - | registered",
        },
        twin: Example {
            classes: "class C",
            change: "hook java.lang.Thread | grown | - | registered",
        },
    },
    Rule {
        mark: MarkKind::UntilExit,
        state: File,
        test: Change(jvm::until_exit),
        is_of_root: true,
        hit: Example {
            classes: "class C",
            change: "file ${java.io.tmpdir}/driver*.jar | first-set | - | until-exit",
        },
        twin: Example {
            classes: "class C",
            change: "file ${java.io.tmpdir}/driver.jar | first-set | - | until-exit",
        },
    },
    Rule {
        mark: MarkKind::ThreadLocalDefault,
        state: ThreadLocal,
        test: Change(jvm::thread_local_default),
        is_of_root: true,
        hit: Example {
            classes: "class C
                      private static df Ljava/lang/ThreadLocal;
                      open format ()V: df .get other !, df below format given",
            change: "thread-local a.C.df | first-set | - | java.text.SimpleDateFormat",
        },
        twin: Example {
            classes: "class C
                      private static df Ljava/lang/ThreadLocal;
                      open format ()V: df .get other !
                      open use (L)V: df .set given",
            change: "thread-local a.C.df | first-set | - | java.text.SimpleDateFormat",
        },
    },
    Rule {
        mark: MarkKind::InsideJdk,
        state: Heap,
        test: Change(jvm::inside_jdk),
        is_of_root: true,
        hit: Example {
            classes: "class C",
            change: "java.util.TimeZone.cache | replaced | java.lang.Object | java.lang.Object",
        },
        twin: Example {
            classes: "class C",
            change: "org.lib.TimeZone.cache | replaced | java.lang.Object | java.lang.Object",
        },
    },
    Rule {
        mark: MarkKind::RandomState,
        state: Heap,
        test: Change(numbers::random_state),
        is_of_root: false,
        hit: Example {
            classes: "class C
                      private static random Ljava/util/Random;
                      open dice ()I: random read, random .nextInt other !",
            change: "a.C.random java.util.Random.seed | replaced | 1 | 2",
        },
        twin: Example {
            classes: "class C
                      private static random Ljava/util/Random;
                      open dice ()I: random read, random .nextInt other !
                      open seed (J)V: random read, random .setSeed given",
            change: "a.C.random java.util.Random.seed | replaced | 1 | 2",
        },
    },
    Rule {
        mark: MarkKind::SetUp,
        state: Heap,
        test: Change(fields::set_up),
        is_of_root: false,
        hit: Example {
            classes: "test T
                      private static log Ljava/util/List;
                      open setUp ()V: log = new
                      open one ()V: log read, log .size other !",
            change: "a.T.log [] | grown | - | 1",
        },
        twin: Example {
            classes: "test T
                      private static log Ljava/util/List;
                      open setUp ()V: log read, log tested, log = new
                      open one ()V: log read, log .size other !",
            change: "a.T.log [] | grown | - | 1",
        },
    },
    Rule {
        mark: MarkKind::LibraryCounter,
        state: Heap,
        test: Change(numbers::library_counter),
        is_of_root: false,
        hit: Example {
            classes: "class C",
            change: "org.lib.Id.next | increased | 3 | 4 | 2 tests",
        },
        twin: Example {
            classes: "class C",
            change: "org.lib.Id.next | increased | 3 | 4",
        },
    },
    Rule {
        mark: MarkKind::TypeCache,
        state: Heap,
        test: Change(libraries::type_cache),
        is_of_root: false,
        hit: Example {
            classes: "class Json
                      private static MAPPER Lorg/lib/Mapper;
                      open text (L)L: MAPPER read, MAPPER .write given !",
            change: "a.Json.MAPPER org.lib.Mapper.writers [] | grown | - | org.lib.Writer | key a.Order.class",
        },
        twin: Example {
            classes: "class Json
                      private static MAPPER Lorg/lib/Mapper;
                      open text (L)L: MAPPER read, MAPPER .write given !
                      open use (L)V: MAPPER read, MAPPER .registerWriter given",
            change: "a.Json.MAPPER org.lib.Mapper.writers [] | grown | - | org.lib.Writer | key a.Order.class",
        },
    },
    Rule {
        mark: MarkKind::SetBeforeRead,
        state: Heap,
        test: Each(&[Itself, AtomicNumber, Content], fields::set_before_read),
        is_of_root: false,
        hit: Example {
            classes: "class C
                      private static lines Ljava/util/List;
                      open load (L)V: lines = other, lines read-back, lines out",
            change: "a.C.lines [] | grown | - | \"x\"",
        },
        twin: Example {
            classes: "class C
                      private static lines Ljava/util/List;
                      open load (L)V: lines = other, lines read-back, lines out
                      open first ()L: lines read, lines out",
            change: "a.C.lines [] | grown | - | \"x\"",
        },
    },
    Rule {
        mark: MarkKind::Lazy,
        state: Heap,
        test: Nearest(&[Itself], fields::lazy),
        is_of_root: false,
        hit: Example {
            classes: "class C
                      private static x Ljava/lang/String;
                      open get ()L: x read, x tested, x = other, x read, x out",
            change: "a.C.x | first-set | null | \"x\"",
        },
        twin: Example {
            classes: "class C
                      private static x Ljava/lang/String;
                      open get ()L: x read, x tested, x = other, x read, x out
                      open set (L)V: x = given",
            change: "a.C.x | first-set | null | \"x\"",
        },
    },
    Rule {
        mark: MarkKind::Counter,
        state: Heap,
        test: Nearest(&[Itself, AtomicNumber], numbers::counter),
        is_of_root: false,
        hit: Example {
            classes: "class C
                      private static n I
                      open called ()V: n read, n = increased",
            change: "a.C.n | increased | 3 | 4",
        },
        twin: Example {
            classes: "class C
                      private static n I
                      open called ()V: n read, n = increased
                      open count ()I: n read, n out",
            change: "a.C.n | increased | 3 | 4",
        },
    },
    Rule {
        mark: MarkKind::Memo,
        state: Heap,
        test: Each(&[Content], collections::memo),
        is_of_root: false,
        hit: Example {
            classes: "class C
                      private static known Ljava/util/Map;
                      open square (I)I: known read, known .get given !, known read, known .put made-of-given",
            change: "a.C.known [] | grown | - | 9",
        },
        twin: Example {
            classes: "class C
                      private static known Ljava/util/Map;
                      open square (I)I: known read, known .get given !, known read, known .put made-of-given
                      open size ()I: known read, known .size other !",
            change: "a.C.known [] | grown | - | 9",
        },
    },
    Rule {
        mark: MarkKind::Pool,
        state: Heap,
        test: Each(&[Content], collections::pool),
        is_of_root: false,
        hit: Example {
            classes: "class BufferPool
                      private static items Ljava/util/List;
                      open take ()L: items read, items .remove other !
                      open giveBack (L)V: items read, items .add given",
            change: "a.BufferPool.items [] | grown | - | \"x\"",
        },
        twin: Example {
            classes: "class Log
                      private static items Ljava/util/List;
                      open take ()L: items read, items .remove other !
                      open giveBack (L)V: items read, items .add given",
            change: "a.Log.items [] | grown | - | \"x\"",
        },
    },
    Rule {
        mark: MarkKind::SoftEntries,
        state: Heap,
        test: Each(&[Content], collections::soft_entries),
        is_of_root: false,
        hit: Example {
            classes: "class C
                      private static known Ljava/util/Map;
                      open all ()L: known read, known out, known .put made-of-values",
            change: "a.C.known [] | grown | - | java.lang.ref.SoftReference",
        },
        twin: Example {
            classes: "class C
                      private static known Ljava/util/Map;
                      open all ()L: known read, known out, known .put made-of-given",
            change: "a.C.known [] | grown | - | java.lang.ref.SoftReference",
        },
    },
    Rule {
        mark: MarkKind::ArrayMemo,
        state: Heap,
        test: Each(&[Itself, Content], collections::array_memo),
        is_of_root: false,
        hit: Example {
            classes: "class Zone
                      private static infos [La/Info;
                      open info (J)La/Info;: infos read, infos .[]= other",
            change: "a.Zone.infos [] | first-set | null | a.Info",
        },
        twin: Example {
            classes: "class Zone
                      private static infos [La/Info;
                      open info (J)La/Info;: infos read, infos .[]= other
                      open first ()La/Info;: infos read",
            change: "a.Zone.infos [] | first-set | null | a.Info",
        },
    },
    Rule {
        mark: MarkKind::LibraryFill,
        state: Heap,
        test: Change(libraries::library_fill),
        is_of_root: false,
        hit: Example {
            classes: "class Parser
                      open static dfa Lorg/lib/Dfa;
                      open run ()V: dfa read, dfa out",
            change: "a.Parser.dfa org.lib.Dfa.states [] | grown | - | org.lib.State | key org.lib.State",
        },
        twin: Example {
            classes: "class Parser
                      open static dfa Lorg/lib/Dfa;
                      open run ()V: dfa read, dfa out",
            change: "a.Parser.dfa org.lib.Dfa.states [] | grown | - | org.lib.State | key \"name\"",
        },
    },
    Rule {
        mark: MarkKind::MapUpkeep,
        state: Heap,
        test: Change(libraries::map_upkeep),
        is_of_root: false,
        hit: Example {
            classes: "class Json
                      private static MAPPER Lorg/lib/Mapper;
                      open text (L)L: MAPPER read, MAPPER .write given !
                      library org.lib.Lru extends java.util.AbstractMap
                      private own uses [J
                      open get (L)L: uses read",
            change: "a.Json.MAPPER org.lib.Mapper.cache org.lib.Lru.uses [] | replaced | 90 | 91",
        },
        twin: Example {
            classes: "class Json
                      private static MAPPER Lorg/lib/Mapper;
                      open text (L)L: MAPPER read, MAPPER .write given !
                      library org.lib.Lru extends java.util.AbstractMap
                      private own uses [J
                      open get (L)L: uses read
                      open all ()[J: uses read, uses out",
            change: "a.Json.MAPPER org.lib.Mapper.cache org.lib.Lru.uses [] | replaced | 90 | 91",
        },
    },
    Rule {
        mark: MarkKind::LastTime,
        state: Heap,
        test: Nearest(&[Itself], numbers::last_time),
        is_of_root: false,
        hit: Example {
            classes: "class Id
                      private static last J
                      open next ()J: last read, last compared-with-time, last = time",
            change: "a.Id.last | replaced | 90 | 91",
        },
        twin: Example {
            classes: "class Id
                      private static last J
                      open next ()J: last read, last compared-with-time, last = time
                      open idle ()J: last read",
            change: "a.Id.last | replaced | 90 | 91",
        },
    },
    Rule {
        mark: MarkKind::GivenOut,
        state: Heap,
        test: Each(&[Content], collections::given_out),
        is_of_root: false,
        hit: Example {
            classes: "class Id
                      private static known Ljava/util/Map;
                      open next ()J: known read, known .containsKey other !, known read, known .put null",
            change: "a.Id.known [] | grown | - | null",
        },
        twin: Example {
            classes: "class Id
                      private static known Ljava/util/Map;
                      open isNew (J)Z: known read, known .containsKey given !, known read, known .put null",
            change: "a.Id.known [] | grown | - | null",
        },
    },
];
