//! `HashMap` and `HashSet`. `LinkedHashMap` overrides every method here that it inherits.

use super::*;

const MAP: &str = "java/util/HashMap";
const KEYS: &str = "java/util/HashMap$KeySet";
const VALUES: &str = "java/util/HashMap$Values";
const ENTRIES: &str = "java/util/HashMap$EntrySet";

const fn iterator(class: &'static str, helper: &'static str) -> Road {
    road(class, "iterator", ITERATOR, instead(helper, &[Arg::Outer]))
}

const fn view_for_each(class: &'static str, helper: &'static str) -> Road {
    road(
        class,
        "forEach",
        FOR_EACH,
        instead(helper, &[Arg::Outer, Arg::Param(0)]),
    )
}

pub(crate) const HASH_MAP_KEY_SET: &[Road] = &[
    iterator(KEYS, "hashKeys(Ljava/util/HashMap;I)Ljava/util/Iterator;"),
    spliterator(KEYS, &[Arg::Outer]),
    view_for_each(
        KEYS,
        "hashForEachKey(Ljava/util/HashMap;Ljava/util/function/Consumer;I)V",
    ),
    spliterator("java/util/HashSet", &[Arg::This]),
    // `toArray` of the key set and of `HashSet` (JDK-8225339).
    since(14, filled(MAP, "keysToArray", TO_THIS_ARRAY, &[Arg::This])),
];

pub(crate) const HASH_MAP_VALUES: &[Road] = &[
    iterator(VALUES, "hashValues(Ljava/util/HashMap;I)Ljava/util/Iterator;"),
    spliterator(VALUES, &[Arg::Outer]),
    view_for_each(
        VALUES,
        "hashForEachValue(Ljava/util/HashMap;Ljava/util/function/Consumer;I)V",
    ),
    since(14, filled(MAP, "valuesToArray", TO_THIS_ARRAY, &[Arg::This])),
];

pub(crate) const HASH_MAP_ENTRY_SET: &[Road] = &[
    iterator(ENTRIES, "hashEntries(Ljava/util/HashMap;I)Ljava/util/Iterator;"),
    spliterator(ENTRIES, &[Arg::Outer]),
    view_for_each(
        ENTRIES,
        "hashForEachEntry(Ljava/util/HashMap;Ljava/util/function/Consumer;I)V",
    ),
    road(
        MAP,
        "forEach",
        FOR_EACH_MAPPING,
        instead(
            "hashForEach(Ljava/util/HashMap;Ljava/util/function/BiConsumer;I)V",
            &[Arg::This, Arg::Param(0)],
        ),
    ),
    road(
        MAP,
        "replaceAll",
        REPLACE_ALL,
        instead(
            "hashReplaceAll(Ljava/util/HashMap;Ljava/util/function/BiFunction;I)V",
            &[Arg::This, Arg::Param(0)],
        ),
    ),
    road(
        MAP,
        "internalWriteEntries",
        WRITE,
        instead(
            "hashWrite(Ljava/util/HashMap;Ljava/io/ObjectOutputStream;I)V",
            &[Arg::This, Arg::Param(0)],
        ),
    ),
];
