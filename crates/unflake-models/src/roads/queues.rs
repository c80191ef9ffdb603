//! Heaps. `DelayQueue` hands out copies of what `PriorityQueue.toArray` gives, and iterator, spliterator and (since 9)
//! `toString` of `PriorityBlockingQueue` of what its own `toArray` gives: they need no road.
//!
//! Serialization is none: the elements are written "in the proper order". `removeIf` is none: its result does not
//! depend on the order.

use super::*;

const QUEUE: &str = "java/util/PriorityQueue";
const BLOCKING: &str = "java/util/concurrent/PriorityBlockingQueue";

/// A copy constructor takes comparator and array of another queue and relies on the array being a heap.
const fn comparator(class: &'static str) -> Road {
    const HELPER: &str = "comparator(Ljava/util/Comparator;Ljava/lang/Object;I)Ljava/util/Comparator;";
    road(
        class,
        "comparator",
        "()Ljava/util/Comparator;",
        wrap(HELPER, &[Arg::This]),
    )
}

pub(crate) const PRIORITY_QUEUE_ITERATOR: &[Road] = &[
    road(
        QUEUE,
        "iterator",
        ITERATOR,
        wrap(
            "queue(Ljava/util/Iterator;Ljava/util/PriorityQueue;I)Ljava/util/Iterator;",
            &[Arg::This],
        ),
    ),
    spliterator(QUEUE, &[Arg::This]),
    since(9, for_each(QUEUE)),
];

pub(crate) const PRIORITY_QUEUE_TO_ARRAY: &[Road] = &[
    filled(QUEUE, "toArray", TO_ARRAY, &[Arg::This]),
    filled(QUEUE, "toArray", TO_THIS_ARRAY, &[Arg::This]),
    comparator(QUEUE),
];

pub(crate) const PRIORITY_BLOCKING_QUEUE_TO_ARRAY: &[Road] = &[
    filled(BLOCKING, "toArray", TO_ARRAY, &[Arg::This]),
    filled(BLOCKING, "toArray", TO_THIS_ARRAY, &[Arg::This]),
    comparator(BLOCKING),
];

pub(crate) const PRIORITY_BLOCKING_QUEUE_ITERATOR: &[Road] = &[since(9, for_each(BLOCKING))];

pub(crate) const PRIORITY_BLOCKING_QUEUE_TO_STRING: &[Road] = &[until(
    8,
    road(
        BLOCKING,
        "toString",
        "()Ljava/lang/String;",
        instead(
            "collectionToString(Ljava/util/Collection;I)Ljava/lang/String;",
            &[Arg::This],
        ),
    ),
)];

/// A tie on the way up is broken by letting the new element pass, one on the way down by taking the other way. The
/// helpers get the place in the heap (the parameter's variable changes as the element moves), the element, and the
/// queue or, in static methods, its array.
const fn tie(class: &'static str, method: &'static str, descriptor: &'static str) -> Road {
    let helper = match method.as_bytes()[4] {
        b'U' => "tieUp(IILjava/lang/Object;Ljava/lang/Object;I)I",
        _ => "tieDown(IILjava/lang/Object;Ljava/lang/Object;I)I",
    };
    let args: &'static [Arg] = if descriptor.len() == ELEMENT.len() {
        &[Arg::Param(0), Arg::Param(1), Arg::This]
    } else {
        &[Arg::Param(0), Arg::Param(1), Arg::Param(2)]
    };
    road(
        class,
        method,
        descriptor,
        Edit::AfterCalls {
            callees: &["compare", "compareTo"],
            helper,
            args,
        },
    )
}

const UP: &str = "siftUpComparable";
const UP_BY: &str = "siftUpUsingComparator";
const DOWN: &str = "siftDownComparable";
const DOWN_BY: &str = "siftDownUsingComparator";

const ELEMENT: &str = "(ILjava/lang/Object;)V";
const ELEMENT_ARRAY: &str = "(ILjava/lang/Object;[Ljava/lang/Object;)V";
const ELEMENT_ARRAY_BY: &str = "(ILjava/lang/Object;[Ljava/lang/Object;Ljava/util/Comparator;)V";
const ELEMENT_ARRAY_END: &str = "(ILjava/lang/Object;[Ljava/lang/Object;I)V";
const ELEMENT_ARRAY_END_BY: &str = "(ILjava/lang/Object;[Ljava/lang/Object;ILjava/util/Comparator;)V";

pub(crate) const PRIORITY_QUEUE_POLL: &[Road] = &[
    until(8, tie(QUEUE, UP, ELEMENT)),
    until(8, tie(QUEUE, UP_BY, ELEMENT)),
    until(8, tie(QUEUE, DOWN, ELEMENT)),
    until(8, tie(QUEUE, DOWN_BY, ELEMENT)),
    since(9, tie(QUEUE, UP, ELEMENT_ARRAY)),
    since(9, tie(QUEUE, UP_BY, ELEMENT_ARRAY_BY)),
    since(9, tie(QUEUE, DOWN, ELEMENT_ARRAY_END)),
    since(9, tie(QUEUE, DOWN_BY, ELEMENT_ARRAY_END_BY)),
];

pub(crate) const PRIORITY_BLOCKING_QUEUE_POLL: &[Road] = &[
    tie(BLOCKING, UP, ELEMENT_ARRAY),
    tie(BLOCKING, UP_BY, ELEMENT_ARRAY_BY),
    tie(BLOCKING, DOWN, ELEMENT_ARRAY_END),
    tie(BLOCKING, DOWN_BY, ELEMENT_ARRAY_END_BY),
];
