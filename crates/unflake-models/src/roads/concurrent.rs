//! `ConcurrentHashMap`: its views, and the bulk operations that walk the table themselves. `toArray` and `toString` of
//! views go through their iterators. Bulk operations are done one after the other, whatever the threshold.

use super::maps::{ELEMENTS_HELPER, KEYS_HELPER, enumeration};
use super::*;

const MAP: &str = "java/util/concurrent/ConcurrentHashMap";
const KEYS: &str = "java/util/concurrent/ConcurrentHashMap$KeySetView";
const VALUES: &str = "java/util/concurrent/ConcurrentHashMap$ValuesView";
const ENTRIES: &str = "java/util/concurrent/ConcurrentHashMap$EntrySetView";

const fn view(class: &'static str, helper: &'static str) -> Road {
    road(class, "iterator", ITERATOR, wrap(helper, &[Arg::This]))
}

const fn remove_if(class: &'static str, helper: &'static str) -> Road {
    road(
        class,
        "removeIf",
        "(Ljava/util/function/Predicate;)Z",
        instead(helper, &[Arg::This, Arg::Param(0)]),
    )
}

/// A bulk operation with one function; the threshold is parameter 0.
const fn bulk1(method: &'static str, descriptor: &'static str, helper: &'static str) -> Road {
    road(
        MAP,
        method,
        descriptor,
        instead(helper, &[Arg::This, Arg::Param(1)]),
    )
}

/// A bulk operation with two functions.
const fn bulk2(method: &'static str, descriptor: &'static str, helper: &'static str) -> Road {
    road(
        MAP,
        method,
        descriptor,
        instead(helper, &[Arg::This, Arg::Param(1), Arg::Param(2)]),
    )
}

/// A reduction to a primitive: transformer, basis, reducer.
const fn bulk3(method: &'static str, descriptor: &'static str, helper: &'static str) -> Road {
    road(
        MAP,
        method,
        descriptor,
        instead(helper, &[Arg::This, Arg::Param(1), Arg::Param(2), Arg::Param(3)]),
    )
}

const EACH: &str = "(JLjava/util/function/Consumer;)V";
const EACH_MAPPED: &str = "(JLjava/util/function/Function;Ljava/util/function/Consumer;)V";
const SEARCH: &str = "(JLjava/util/function/Function;)Ljava/lang/Object;";
const REDUCE: &str = "(JLjava/util/function/BiFunction;)Ljava/lang/Object;";
const REDUCE_MAPPED: &str =
    "(JLjava/util/function/Function;Ljava/util/function/BiFunction;)Ljava/lang/Object;";
const TO_DOUBLE: &str = "(JLjava/util/function/ToDoubleFunction;DLjava/util/function/DoubleBinaryOperator;)D";
const TO_LONG: &str = "(JLjava/util/function/ToLongFunction;JLjava/util/function/LongBinaryOperator;)J";
const TO_INT: &str = "(JLjava/util/function/ToIntFunction;ILjava/util/function/IntBinaryOperator;)I";

pub(crate) const CONCURRENT_HASH_MAP_KEY_SET: &[Road] = &[
    view(
        KEYS,
        "viewKeys(Ljava/util/Iterator;Ljava/util/Collection;I)Ljava/util/Iterator;",
    ),
    spliterator(KEYS, &[Arg::This]),
    for_each(KEYS),
    bulk1(
        "forEachKey",
        EACH,
        "forEachKey(Ljava/util/Map;Ljava/util/function/Consumer;I)V",
    ),
    bulk2(
        "forEachKey",
        EACH_MAPPED,
        "forEachKey(Ljava/util/Map;Ljava/util/function/Function;Ljava/util/function/Consumer;I)V",
    ),
    bulk1(
        "searchKeys",
        SEARCH,
        "searchKeys(Ljava/util/Map;Ljava/util/function/Function;I)Ljava/lang/Object;",
    ),
    bulk1(
        "reduceKeys",
        REDUCE,
        "reduceKeys(Ljava/util/Map;Ljava/util/function/BiFunction;I)Ljava/lang/Object;",
    ),
    bulk2(
        "reduceKeys",
        REDUCE_MAPPED,
        "reduceKeys(Ljava/util/Map;Ljava/util/function/Function;Ljava/util/function/BiFunction;I)Ljava/lang/Object;",
    ),
    bulk3(
        "reduceKeysToDouble",
        TO_DOUBLE,
        "reduceKeysToDouble(Ljava/util/Map;Ljava/util/function/ToDoubleFunction;DLjava/util/function/DoubleBinaryOperator;I)D",
    ),
    bulk3(
        "reduceKeysToLong",
        TO_LONG,
        "reduceKeysToLong(Ljava/util/Map;Ljava/util/function/ToLongFunction;JLjava/util/function/LongBinaryOperator;I)J",
    ),
    bulk3(
        "reduceKeysToInt",
        TO_INT,
        "reduceKeysToInt(Ljava/util/Map;Ljava/util/function/ToIntFunction;ILjava/util/function/IntBinaryOperator;I)I",
    ),
];

pub(crate) const CONCURRENT_HASH_MAP_VALUES: &[Road] = &[
    view(
        VALUES,
        "viewValues(Ljava/util/Iterator;Ljava/util/Collection;I)Ljava/util/Iterator;",
    ),
    spliterator(VALUES, &[Arg::This]),
    for_each(VALUES),
    since(
        9,
        remove_if(
            VALUES,
            "valuesRemoveIf(Ljava/util/Collection;Ljava/util/function/Predicate;I)Z",
        ),
    ),
    bulk1(
        "forEachValue",
        EACH,
        "forEachValue(Ljava/util/Map;Ljava/util/function/Consumer;I)V",
    ),
    bulk2(
        "forEachValue",
        EACH_MAPPED,
        "forEachValue(Ljava/util/Map;Ljava/util/function/Function;Ljava/util/function/Consumer;I)V",
    ),
    bulk1(
        "searchValues",
        SEARCH,
        "searchValues(Ljava/util/Map;Ljava/util/function/Function;I)Ljava/lang/Object;",
    ),
    bulk1(
        "reduceValues",
        REDUCE,
        "reduceValues(Ljava/util/Map;Ljava/util/function/BiFunction;I)Ljava/lang/Object;",
    ),
    bulk2(
        "reduceValues",
        REDUCE_MAPPED,
        "reduceValues(Ljava/util/Map;Ljava/util/function/Function;Ljava/util/function/BiFunction;I)Ljava/lang/Object;",
    ),
    bulk3(
        "reduceValuesToDouble",
        TO_DOUBLE,
        "reduceValuesToDouble(Ljava/util/Map;Ljava/util/function/ToDoubleFunction;DLjava/util/function/DoubleBinaryOperator;I)D",
    ),
    bulk3(
        "reduceValuesToLong",
        TO_LONG,
        "reduceValuesToLong(Ljava/util/Map;Ljava/util/function/ToLongFunction;JLjava/util/function/LongBinaryOperator;I)J",
    ),
    bulk3(
        "reduceValuesToInt",
        TO_INT,
        "reduceValuesToInt(Ljava/util/Map;Ljava/util/function/ToIntFunction;ILjava/util/function/IntBinaryOperator;I)I",
    ),
];

pub(crate) const CONCURRENT_HASH_MAP_ENTRY_SET: &[Road] = &[
    view(
        ENTRIES,
        "viewEntries(Ljava/util/Iterator;Ljava/util/Collection;I)Ljava/util/Iterator;",
    ),
    spliterator(ENTRIES, &[Arg::This]),
    for_each(ENTRIES),
    since(
        9,
        remove_if(
            ENTRIES,
            "entriesRemoveIf(Ljava/util/Collection;Ljava/util/function/Predicate;I)Z",
        ),
    ),
    road(
        MAP,
        "forEach",
        FOR_EACH_MAPPING,
        instead(
            "mapForEach(Ljava/util/Map;Ljava/util/function/BiConsumer;I)V",
            &[Arg::This, Arg::Param(0)],
        ),
    ),
    road(
        MAP,
        "replaceAll",
        REPLACE_ALL,
        instead(
            "concurrentReplaceAll(Ljava/util/concurrent/ConcurrentHashMap;Ljava/util/function/BiFunction;I)V",
            &[Arg::This, Arg::Param(0)],
        ),
    ),
    road(
        MAP,
        "toString",
        "()Ljava/lang/String;",
        instead("mapToString(Ljava/util/Map;I)Ljava/lang/String;", &[Arg::This]),
    ),
    road(
        MAP,
        "writeObject",
        WRITE,
        instead(
            "concurrentWrite(Ljava/util/concurrent/ConcurrentHashMap;Ljava/io/ObjectOutputStream;I)V",
            &[Arg::This, Arg::Param(0)],
        ),
    ),
    bulk1(
        "forEach",
        "(JLjava/util/function/BiConsumer;)V",
        "mapForEach(Ljava/util/Map;Ljava/util/function/BiConsumer;I)V",
    ),
    bulk2(
        "forEach",
        "(JLjava/util/function/BiFunction;Ljava/util/function/Consumer;)V",
        "forEach(Ljava/util/Map;Ljava/util/function/BiFunction;Ljava/util/function/Consumer;I)V",
    ),
    bulk1(
        "search",
        REDUCE,
        "search(Ljava/util/Map;Ljava/util/function/BiFunction;I)Ljava/lang/Object;",
    ),
    bulk2(
        "reduce",
        "(JLjava/util/function/BiFunction;Ljava/util/function/BiFunction;)Ljava/lang/Object;",
        "reduce(Ljava/util/Map;Ljava/util/function/BiFunction;Ljava/util/function/BiFunction;I)Ljava/lang/Object;",
    ),
    bulk3(
        "reduceToDouble",
        "(JLjava/util/function/ToDoubleBiFunction;DLjava/util/function/DoubleBinaryOperator;)D",
        "reduceToDouble(Ljava/util/Map;Ljava/util/function/ToDoubleBiFunction;DLjava/util/function/DoubleBinaryOperator;I)D",
    ),
    bulk3(
        "reduceToLong",
        "(JLjava/util/function/ToLongBiFunction;JLjava/util/function/LongBinaryOperator;)J",
        "reduceToLong(Ljava/util/Map;Ljava/util/function/ToLongBiFunction;JLjava/util/function/LongBinaryOperator;I)J",
    ),
    bulk3(
        "reduceToInt",
        "(JLjava/util/function/ToIntBiFunction;ILjava/util/function/IntBinaryOperator;)I",
        "reduceToInt(Ljava/util/Map;Ljava/util/function/ToIntBiFunction;ILjava/util/function/IntBinaryOperator;I)I",
    ),
    bulk1(
        "forEachEntry",
        EACH,
        "forEachEntry(Ljava/util/Map;Ljava/util/function/Consumer;I)V",
    ),
    bulk2(
        "forEachEntry",
        EACH_MAPPED,
        "forEachEntry(Ljava/util/Map;Ljava/util/function/Function;Ljava/util/function/Consumer;I)V",
    ),
    bulk1(
        "searchEntries",
        SEARCH,
        "searchEntries(Ljava/util/Map;Ljava/util/function/Function;I)Ljava/lang/Object;",
    ),
    bulk1(
        "reduceEntries",
        "(JLjava/util/function/BiFunction;)Ljava/util/Map$Entry;",
        "reduceEntries(Ljava/util/Map;Ljava/util/function/BiFunction;I)Ljava/util/Map$Entry;",
    ),
    bulk2(
        "reduceEntries",
        REDUCE_MAPPED,
        "reduceEntries(Ljava/util/Map;Ljava/util/function/Function;Ljava/util/function/BiFunction;I)Ljava/lang/Object;",
    ),
    bulk3(
        "reduceEntriesToDouble",
        TO_DOUBLE,
        "reduceEntriesToDouble(Ljava/util/Map;Ljava/util/function/ToDoubleFunction;DLjava/util/function/DoubleBinaryOperator;I)D",
    ),
    bulk3(
        "reduceEntriesToLong",
        TO_LONG,
        "reduceEntriesToLong(Ljava/util/Map;Ljava/util/function/ToLongFunction;JLjava/util/function/LongBinaryOperator;I)J",
    ),
    bulk3(
        "reduceEntriesToInt",
        TO_INT,
        "reduceEntriesToInt(Ljava/util/Map;Ljava/util/function/ToIntFunction;ILjava/util/function/IntBinaryOperator;I)I",
    ),
];

pub(crate) const CONCURRENT_HASH_MAP_KEYS: &[Road] = &[enumeration(MAP, "keys", KEYS_HELPER)];

pub(crate) const CONCURRENT_HASH_MAP_ELEMENTS: &[Road] = &[enumeration(MAP, "elements", ELEMENTS_HELPER)];
