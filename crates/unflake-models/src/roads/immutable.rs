//! `Set.of` and `Map.of`. Key set and values of a map are those of `AbstractMap`, over the entries.

use super::*;

const SMALL: &str = "java/util/ImmutableCollections$Set12";
const SET: &str = "java/util/ImmutableCollections$SetN";
const ENTRIES: &str = "java/util/ImmutableCollections$MapN$1";
const HELPER: &str = "immutable(Ljava/util/Iterator;Ljava/lang/Object;I)Ljava/util/Iterator;";

pub(crate) const SET_OF: &[Road] = &[
    since(11, road(SMALL, "iterator", ITERATOR, wrap(HELPER, &[Arg::This]))),
    since(9, road(SET, "iterator", ITERATOR, wrap(HELPER, &[Arg::This]))),
    since(17, filled(SMALL, "toArray", TO_ARRAY, &[Arg::This])),
    since(17, filled(SMALL, "toArray", TO_THIS_ARRAY, &[Arg::This])),
    since(25, for_each(SMALL)),
    // Its `spliterator`, there since 25 too, goes through the iterator.
];

pub(crate) const MAP_OF: &[Road] = &[since(
    9,
    road(ENTRIES, "iterator", ITERATOR, wrap(HELPER, &[Arg::Outer])),
)];
