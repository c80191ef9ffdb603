//! The roads on which the order of a collection leaks (N2), per model.
//!
//! The iterator makes the choice; every other road that does not go through it is done again over it. So one operation
//! is one choice, and no result is rearranged twice: reversed twice it would be the natural one. Which method walks its
//! table by itself was read from the byte code of Java 8, 11, 17, 21 and 25; a road that is not in 11 but in 17 says
//! 17 unless the release that brought it is known.

mod concurrent;
mod directories;
mod hash_map;
mod immutable;
mod maps;
mod queues;
mod search;

pub(crate) use concurrent::*;
pub(crate) use directories::*;
pub(crate) use hash_map::*;
pub(crate) use immutable::*;
pub(crate) use maps::*;
pub(crate) use queues::*;
pub(crate) use search::*;

use crate::{Arg, Edit, Road};

const ITERATOR: &str = "()Ljava/util/Iterator;";
const SPLITERATOR: &str = "()Ljava/util/Spliterator;";
const TO_ARRAY: &str = "()[Ljava/lang/Object;";
const TO_THIS_ARRAY: &str = "([Ljava/lang/Object;)[Ljava/lang/Object;";
const FOR_EACH: &str = "(Ljava/util/function/Consumer;)V";
const FOR_EACH_MAPPING: &str = "(Ljava/util/function/BiConsumer;)V";
const REPLACE_ALL: &str = "(Ljava/util/function/BiFunction;)V";
const WRITE: &str = "(Ljava/io/ObjectOutputStream;)V";

/// A method and the Javas that have it.
const fn road(class: &'static str, method: &'static str, descriptor: &'static str, edit: Edit) -> Road {
    Road {
        class,
        method,
        descriptor,
        edit,
        since: 8,
        until: None,
    }
}

const fn since(java: u8, road: Road) -> Road {
    Road { since: java, ..road }
}

const fn until(java: u8, road: Road) -> Road {
    Road {
        until: Some(java),
        ..road
    }
}

const fn wrap(helper: &'static str, args: &'static [Arg]) -> Edit {
    Edit::Wrap { helper, args }
}

const fn instead(helper: &'static str, args: &'static [Arg]) -> Edit {
    Edit::Instead { helper, args }
}

/// A spliterator over what `owner` holds.
const fn spliterator(class: &'static str, owner: &'static [Arg]) -> Road {
    const HELPER: &str = "spliterator(Ljava/util/Spliterator;Ljava/lang/Object;I)Ljava/util/Spliterator;";
    road(class, "spliterator", SPLITERATOR, wrap(HELPER, owner))
}

/// An array whose first elements are those of `owner`; rearranged where it lies, it may be the caller's.
const fn filled(
    class: &'static str,
    method: &'static str,
    descriptor: &'static str,
    owner: &'static [Arg],
) -> Road {
    const HELPER: &str = "filled([Ljava/lang/Object;Ljava/lang/Object;I)[Ljava/lang/Object;";
    road(class, method, descriptor, wrap(HELPER, owner))
}

/// `forEach` of an `Iterable` that does not use its own iterator.
const fn for_each(class: &'static str) -> Road {
    const HELPER: &str = "forEach(Ljava/lang/Iterable;Ljava/util/function/Consumer;I)V";
    road(
        class,
        "forEach",
        FOR_EACH,
        instead(HELPER, &[Arg::This, Arg::Param(0)]),
    )
}
