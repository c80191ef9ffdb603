//! `WeakHashMap`, `IdentityHashMap` and `Hashtable`. `Properties` is a `Hashtable` up to Java 8 and asks a
//! `ConcurrentHashMap` since.

use super::*;

const FOR_EACH_HELPER: &str = "mapForEach(Ljava/util/Map;Ljava/util/function/BiConsumer;I)V";
const REPLACE_ALL_HELPER: &str = "mapReplaceAll(Ljava/util/Map;Ljava/util/function/BiFunction;I)V";

const fn keys(class: &'static str) -> Road {
    const HELPER: &str = "mapKeys(Ljava/util/Iterator;Ljava/util/Map;I)Ljava/util/Iterator;";
    road(class, "iterator", ITERATOR, wrap(HELPER, &[Arg::Outer]))
}

const fn values(class: &'static str) -> Road {
    const HELPER: &str = "mapValues(Ljava/util/Iterator;Ljava/util/Map;I)Ljava/util/Iterator;";
    road(class, "iterator", ITERATOR, wrap(HELPER, &[Arg::Outer]))
}

const fn entries(class: &'static str) -> Road {
    const HELPER: &str = "mapEntries(Ljava/util/Iterator;Ljava/util/Map;I)Ljava/util/Iterator;";
    road(class, "iterator", ITERATOR, wrap(HELPER, &[Arg::Outer]))
}

const fn map_for_each(class: &'static str) -> Road {
    road(
        class,
        "forEach",
        FOR_EACH_MAPPING,
        instead(FOR_EACH_HELPER, &[Arg::This, Arg::Param(0)]),
    )
}

const fn map_replace_all(class: &'static str) -> Road {
    road(
        class,
        "replaceAll",
        REPLACE_ALL,
        instead(REPLACE_ALL_HELPER, &[Arg::This, Arg::Param(0)]),
    )
}

const WEAK: &str = "java/util/WeakHashMap";
const WEAK_KEYS: &str = "java/util/WeakHashMap$KeySet";
const WEAK_VALUES: &str = "java/util/WeakHashMap$Values";
const WEAK_ENTRIES: &str = "java/util/WeakHashMap$EntrySet";

pub(crate) const WEAK_HASH_MAP_KEY_SET: &[Road] = &[keys(WEAK_KEYS), spliterator(WEAK_KEYS, &[Arg::Outer])];

pub(crate) const WEAK_HASH_MAP_VALUES: &[Road] =
    &[values(WEAK_VALUES), spliterator(WEAK_VALUES, &[Arg::Outer])];

pub(crate) const WEAK_HASH_MAP_ENTRY_SET: &[Road] = &[
    entries(WEAK_ENTRIES),
    spliterator(WEAK_ENTRIES, &[Arg::Outer]),
    map_for_each(WEAK),
    map_replace_all(WEAK),
];

const IDENTITY: &str = "java/util/IdentityHashMap";
const IDENTITY_KEYS: &str = "java/util/IdentityHashMap$KeySet";
const IDENTITY_VALUES: &str = "java/util/IdentityHashMap$Values";
const IDENTITY_ENTRIES: &str = "java/util/IdentityHashMap$EntrySet";

// Their `toArray()` calls `toArray(T[])`.
pub(crate) const IDENTITY_HASH_MAP_KEY_SET: &[Road] = &[
    keys(IDENTITY_KEYS),
    spliterator(IDENTITY_KEYS, &[Arg::Outer]),
    filled(IDENTITY_KEYS, "toArray", TO_THIS_ARRAY, &[Arg::Outer]),
];

pub(crate) const IDENTITY_HASH_MAP_VALUES: &[Road] = &[
    values(IDENTITY_VALUES),
    spliterator(IDENTITY_VALUES, &[Arg::Outer]),
    filled(IDENTITY_VALUES, "toArray", TO_THIS_ARRAY, &[Arg::Outer]),
];

pub(crate) const IDENTITY_HASH_MAP_ENTRY_SET: &[Road] = &[
    entries(IDENTITY_ENTRIES),
    spliterator(IDENTITY_ENTRIES, &[Arg::Outer]),
    filled(IDENTITY_ENTRIES, "toArray", TO_THIS_ARRAY, &[Arg::Outer]),
    map_for_each(IDENTITY),
    map_replace_all(IDENTITY),
    road(
        IDENTITY,
        "writeObject",
        WRITE,
        instead(
            "identityWrite(Ljava/util/IdentityHashMap;Ljava/io/ObjectOutputStream;I)V",
            &[Arg::This, Arg::Param(0)],
        ),
    ),
];

const TABLE: &str = "java/util/Hashtable";

pub(crate) const HASHTABLE_KEY_SET: &[Road] = &[keys("java/util/Hashtable$KeySet")];

pub(crate) const HASHTABLE_VALUES: &[Road] = &[values("java/util/Hashtable$ValueCollection")];

const fn table_write(method: &'static str) -> Road {
    const HELPER: &str = "tableWrite(Ljava/util/Hashtable;Ljava/io/ObjectOutputStream;I)V";
    road(TABLE, method, WRITE, instead(HELPER, &[Arg::This, Arg::Param(0)]))
}

pub(crate) const HASHTABLE_ENTRY_SET: &[Road] = &[
    entries("java/util/Hashtable$EntrySet"),
    map_for_each(TABLE),
    map_replace_all(TABLE),
    until(8, table_write("writeObject")),
    // Overridden by `Properties`, which walks its own map.
    since(9, table_write("writeHashtable")),
];

/// `keys` and `elements` of a map: an `Enumeration` that is an `Iterator` too.
pub(super) const fn enumeration(class: &'static str, method: &'static str, helper: &'static str) -> Road {
    road(
        class,
        method,
        "()Ljava/util/Enumeration;",
        wrap(helper, &[Arg::This]),
    )
}

pub(super) const KEYS_HELPER: &str = "keys(Ljava/util/Enumeration;Ljava/util/Map;I)Ljava/util/Enumeration;";
pub(super) const ELEMENTS_HELPER: &str =
    "elements(Ljava/util/Enumeration;Ljava/util/Map;I)Ljava/util/Enumeration;";

pub(crate) const HASHTABLE_KEYS: &[Road] = &[enumeration(TABLE, "keys", KEYS_HELPER)];

pub(crate) const HASHTABLE_ELEMENTS: &[Road] = &[enumeration(TABLE, "elements", ELEMENTS_HELPER)];
