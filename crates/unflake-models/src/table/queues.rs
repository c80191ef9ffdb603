//! Heaps: their traversal, and which of several least elements comes first.

use crate::{Basis, Kind, Model, Road, roads};

const fn queue(
    name: &'static str,
    quote: &'static str,
    quoted_from: &'static str,
    roads: &'static [Road],
) -> Model {
    Model {
        name,
        kind: Kind::Permute,
        basis: Basis::Stated,
        quote,
        quoted_from,
        since: 8,
        until: None,
        rule: "UF103",
        roads,
        through: &[],
    }
}

const ITERATOR: &str = "The iterator does not return the elements in any particular order.";
const ARRAY: &str = "The returned array elements are in no particular order.";
const TO_STRING: &str = "The string representation consists of a list of the collection's elements in the order \
                         they are returned by its iterator";
const TO_STRING_FROM: &str = "java/util/AbstractCollection#toString";

pub(crate) const ROWS: &[Model] = &[
    queue(
        "PriorityQueue.iterator",
        ITERATOR,
        "java/util/PriorityQueue#iterator",
        roads::PRIORITY_QUEUE_ITERATOR,
    ),
    queue(
        "PriorityQueue.toArray",
        ARRAY,
        "java/util/PriorityQueue#toArray",
        roads::PRIORITY_QUEUE_TO_ARRAY,
    ),
    Model {
        basis: Basis::Inherited,
        through: &["PriorityQueue.iterator"],
        ..queue("PriorityQueue.toString", TO_STRING, TO_STRING_FROM, &[])
    },
    Model {
        kind: Kind::Pick,
        rule: "UF109",
        ..queue(
            "PriorityQueue.poll",
            "If multiple elements are tied for least value, the head is one of those elements -- ties are broken \
             arbitrarily.",
            "java/util/PriorityQueue",
            roads::PRIORITY_QUEUE_POLL,
        )
    },
    // A `DelayQueue` asks a `PriorityQueue` for its array, also for its iterator.
    Model {
        through: &["DelayQueue.toArray"],
        ..queue(
            "DelayQueue.iterator",
            ITERATOR,
            "java/util/concurrent/DelayQueue#iterator",
            &[],
        )
    },
    Model {
        through: &["PriorityQueue.toArray"],
        ..queue(
            "DelayQueue.toArray",
            ARRAY,
            "java/util/concurrent/DelayQueue#toArray",
            &[],
        )
    },
    Model {
        basis: Basis::Inherited,
        through: &["DelayQueue.iterator"],
        ..queue("DelayQueue.toString", TO_STRING, TO_STRING_FROM, &[])
    },
    Model {
        through: &["PriorityBlockingQueue.toArray"],
        ..queue(
            "PriorityBlockingQueue.iterator",
            ITERATOR,
            "java/util/concurrent/PriorityBlockingQueue#iterator",
            roads::PRIORITY_BLOCKING_QUEUE_ITERATOR,
        )
    },
    queue(
        "PriorityBlockingQueue.toArray",
        ARRAY,
        "java/util/concurrent/PriorityBlockingQueue#toArray",
        roads::PRIORITY_BLOCKING_QUEUE_TO_ARRAY,
    ),
    Model {
        basis: Basis::Inherited,
        through: &["PriorityBlockingQueue.toArray"],
        ..queue(
            "PriorityBlockingQueue.toString",
            TO_STRING,
            TO_STRING_FROM,
            roads::PRIORITY_BLOCKING_QUEUE_TO_STRING,
        )
    },
    Model {
        kind: Kind::Pick,
        rule: "UF109",
        ..queue(
            "PriorityBlockingQueue.poll",
            "Operations on this class make no guarantees about the ordering of elements with equal priority.",
            "java/util/concurrent/PriorityBlockingQueue",
            roads::PRIORITY_BLOCKING_QUEUE_POLL,
        )
    },
];
