//! Identity hashes, and searches that may find any of several equal elements.

use crate::{Basis, Kind, Model, roads};

const fn search(name: &'static str, quote: &'static str, quoted_from: &'static str) -> Model {
    Model {
        name,
        kind: Kind::Pick,
        basis: Basis::Stated,
        quote,
        quoted_from,
        since: 8,
        until: None,
        rule: "UF109",
        roads: &[],
        through: &[],
    }
}

const NOT_CONSISTENT: &str = "This integer need not remain consistent from one execution of an application to \
                              another execution of the same application.";

pub(crate) const ROWS: &[Model] = &[
    // No road: the method is native and an intrinsic. The agent shifts the generator that hashes are drawn from.
    Model {
        kind: Kind::Random,
        rule: "UF107",
        ..search("Object.hashCode", NOT_CONSISTENT, "java/lang/Object#hashCode")
    },
    Model {
        kind: Kind::Random,
        rule: "UF107",
        basis: Basis::Inherited,
        through: &["Object.hashCode"],
        ..search(
            "System.identityHashCode",
            NOT_CONSISTENT,
            "java/lang/Object#hashCode",
        )
    },
    Model {
        roads: roads::ARRAYS_BINARY_SEARCH,
        ..search(
            "Arrays.binarySearch",
            "If the array contains multiple elements with the specified value, there is no guarantee which one will \
         be found.",
            "java/util/Arrays#binarySearch",
        )
    },
    Model {
        roads: roads::COLLECTIONS_BINARY_SEARCH,
        ..search(
            "Collections.binarySearch",
            "If the list contains multiple elements equal to the specified object, there is no guarantee which one \
         will be found.",
            "java/util/Collections#binarySearch",
        )
    },
];
