//! Hash collections.

use crate::{Basis, Kind, Model, Road, roads};

const HASH: &str = "UF101";
const CONCURRENT: &str = "UF102";
const IMMUTABLE: &str = "UF108";

const fn stated(name: &'static str, quote: &'static str, quoted_from: &'static str) -> Model {
    Model {
        name,
        kind: Kind::Permute,
        basis: Basis::Stated,
        quote,
        quoted_from,
        since: 8,
        until: None,
        rule: HASH,
        roads: &[],
        through: &[],
    }
}

const fn inherited(name: &'static str, quote: &'static str, quoted_from: &'static str) -> Model {
    Model {
        basis: Basis::Inherited,
        ..stated(name, quote, quoted_from)
    }
}

const NO_MAP_ORDER: &str = "This class makes no guarantees as to the order of the map; in particular, it does not \
                            guarantee that the order will remain constant over time.";
const NO_SET_ORDER: &str = "It makes no guarantees as to the iteration order of the set; in particular, it does not \
                            guarantee that the order will remain constant over time.";
const SET: &str = "The elements are returned in no particular order (unless this set is an instance of some class \
                   that provides a guarantee).";
const SET_FROM: &str = "java/util/Set#iterator";
const COLLECTION: &str = "There are no guarantees concerning the order in which the elements are returned (unless \
                          this collection is an instance of some class that provides a guarantee).";
const COLLECTION_FROM: &str = "java/util/Collection#iterator";
const NOT_ORDERED: &str = "the elements of a ConcurrentHashMap are not ordered in any particular way";
const CONCURRENT_FROM: &str = "java/util/concurrent/ConcurrentHashMap";
const ANY_MAP: &str =
    "There are no guarantees on the type, mutability, serializability, or thread-safety of the Map returned.";

const fn concurrent(name: &'static str, roads: &'static [Road]) -> Model {
    Model {
        rule: CONCURRENT,
        roads,
        ..stated(name, NOT_ORDERED, CONCURRENT_FROM)
    }
}

const fn immutable(name: &'static str, since: u8, quote: &'static str, quoted_from: &'static str) -> Model {
    Model {
        rule: IMMUTABLE,
        since,
        ..stated(name, quote, quoted_from)
    }
}

const SET_OF: &str = "The iteration order of set elements is unspecified and is subject to change.";
const MAP_OF: &str = "The iteration order of mappings is unspecified and is subject to change.";

pub(crate) const ROWS: &[Model] = &[
    Model {
        roads: roads::HASH_MAP_KEY_SET,
        ..stated("HashMap.keySet", NO_MAP_ORDER, "java/util/HashMap")
    },
    Model {
        roads: roads::HASH_MAP_VALUES,
        ..stated("HashMap.values", NO_MAP_ORDER, "java/util/HashMap")
    },
    Model {
        roads: roads::HASH_MAP_ENTRY_SET,
        ..stated("HashMap.entrySet", NO_MAP_ORDER, "java/util/HashMap")
    },
    Model {
        through: &["HashMap.keySet"],
        ..stated("HashSet.iterator", NO_SET_ORDER, "java/util/HashSet")
    },
    Model {
        roads: roads::WEAK_HASH_MAP_KEY_SET,
        ..inherited("WeakHashMap.keySet", SET, SET_FROM)
    },
    Model {
        roads: roads::WEAK_HASH_MAP_VALUES,
        ..inherited("WeakHashMap.values", COLLECTION, COLLECTION_FROM)
    },
    Model {
        roads: roads::WEAK_HASH_MAP_ENTRY_SET,
        ..inherited("WeakHashMap.entrySet", SET, SET_FROM)
    },
    Model {
        roads: roads::IDENTITY_HASH_MAP_KEY_SET,
        ..stated(
            "IdentityHashMap.keySet",
            NO_MAP_ORDER,
            "java/util/IdentityHashMap",
        )
    },
    Model {
        roads: roads::IDENTITY_HASH_MAP_VALUES,
        ..stated(
            "IdentityHashMap.values",
            NO_MAP_ORDER,
            "java/util/IdentityHashMap",
        )
    },
    Model {
        roads: roads::IDENTITY_HASH_MAP_ENTRY_SET,
        ..stated(
            "IdentityHashMap.entrySet",
            NO_MAP_ORDER,
            "java/util/IdentityHashMap",
        )
    },
    Model {
        roads: roads::HASHTABLE_KEY_SET,
        ..inherited("Hashtable.keySet", SET, SET_FROM)
    },
    Model {
        roads: roads::HASHTABLE_VALUES,
        ..inherited("Hashtable.values", COLLECTION, COLLECTION_FROM)
    },
    Model {
        roads: roads::HASHTABLE_ENTRY_SET,
        ..inherited("Hashtable.entrySet", SET, SET_FROM)
    },
    Model {
        basis: Basis::Silent,
        roads: roads::HASHTABLE_KEYS,
        ..stated(
            "Hashtable.keys",
            "Returns an enumeration of the keys in this hashtable.",
            "java/util/Hashtable#keys",
        )
    },
    Model {
        basis: Basis::Silent,
        roads: roads::HASHTABLE_ELEMENTS,
        ..stated(
            "Hashtable.elements",
            "Returns an enumeration of the values in this hashtable.",
            "java/util/Hashtable#elements",
        )
    },
    // Up to Java 8 a `Properties` is its own table, since 9 it asks a `ConcurrentHashMap`.
    Model {
        through: &["Hashtable.keySet", "ConcurrentHashMap.keySet"],
        ..inherited("Properties.keySet", SET, SET_FROM)
    },
    Model {
        through: &["Hashtable.values", "ConcurrentHashMap.values"],
        ..inherited("Properties.values", COLLECTION, COLLECTION_FROM)
    },
    Model {
        through: &["Hashtable.entrySet", "ConcurrentHashMap.entrySet"],
        ..inherited("Properties.entrySet", SET, SET_FROM)
    },
    Model {
        through: &["Hashtable.keySet", "HashMap.keySet"],
        ..inherited("Properties.stringPropertyNames", SET, SET_FROM)
    },
    concurrent("ConcurrentHashMap.keySet", roads::CONCURRENT_HASH_MAP_KEY_SET),
    concurrent("ConcurrentHashMap.values", roads::CONCURRENT_HASH_MAP_VALUES),
    concurrent("ConcurrentHashMap.entrySet", roads::CONCURRENT_HASH_MAP_ENTRY_SET),
    concurrent("ConcurrentHashMap.keys", roads::CONCURRENT_HASH_MAP_KEYS),
    concurrent("ConcurrentHashMap.elements", roads::CONCURRENT_HASH_MAP_ELEMENTS),
    Model {
        through: &["ConcurrentHashMap.keySet"],
        ..concurrent("ConcurrentHashMap.newKeySet", &[])
    },
    Model {
        roads: roads::SET_OF,
        ..immutable("Set.of", 9, SET_OF, "java/util/Set")
    },
    Model {
        roads: roads::MAP_OF,
        ..immutable("Map.of", 9, MAP_OF, "java/util/Map")
    },
    Model {
        through: &["Map.of"],
        ..immutable("Map.ofEntries", 9, MAP_OF, "java/util/Map")
    },
    Model {
        through: &["Set.of"],
        ..immutable("Set.copyOf", 10, SET_OF, "java/util/Set")
    },
    Model {
        through: &["Map.of"],
        ..immutable("Map.copyOf", 10, MAP_OF, "java/util/Map")
    },
    Model {
        through: &["HashSet.iterator"],
        ..stated(
            "Collectors.toSet",
            "There are no guarantees on the type, mutability, serializability, or thread-safety of the Set returned",
            "java/util/stream/Collectors#toSet",
        )
    },
    Model {
        through: &["HashMap.keySet", "HashMap.values", "HashMap.entrySet"],
        ..stated("Collectors.toMap", ANY_MAP, "java/util/stream/Collectors#toMap")
    },
    Model {
        through: &["HashMap.keySet", "HashMap.values", "HashMap.entrySet"],
        ..stated(
            "Collectors.groupingBy",
            ANY_MAP,
            "java/util/stream/Collectors#groupingBy",
        )
    },
    Model {
        through: &[
            "ConcurrentHashMap.keySet",
            "ConcurrentHashMap.values",
            "ConcurrentHashMap.entrySet",
        ],
        rule: CONCURRENT,
        ..stated(
            "Collectors.toConcurrentMap",
            "There are no guarantees on the type, mutability, or serializability of the ConcurrentMap returned.",
            "java/util/stream/Collectors#toConcurrentMap",
        )
    },
    Model {
        through: &[
            "ConcurrentHashMap.keySet",
            "ConcurrentHashMap.values",
            "ConcurrentHashMap.entrySet",
        ],
        rule: CONCURRENT,
        ..stated(
            "Collectors.groupingByConcurrent",
            "There are no guarantees on the type, mutability, or serializability of the ConcurrentMap returned.",
            "java/util/stream/Collectors#groupingByConcurrent",
        )
    },
    Model {
        through: &["Set.of"],
        ..immutable("Collectors.toUnmodifiableSet", 10, SET_OF, "java/util/Set")
    },
    Model {
        through: &["Map.of"],
        ..immutable("Collectors.toUnmodifiableMap", 10, MAP_OF, "java/util/Map")
    },
    Model {
        through: &["HashMap.keySet", "HashMap.values", "HashMap.entrySet"],
        ..inherited("Thread.getAllStackTraces", SET, SET_FROM)
    },
    Model {
        through: &["HashMap.keySet", "HashMap.values", "HashMap.entrySet"],
        ..inherited("System.getenv", SET, SET_FROM)
    },
];
