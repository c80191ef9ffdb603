//! What methods of collections and their like do, by their names: a table, since one name may do several things.

use Does::{Asks, Counts, Empties, Fills, Forgets, Increments, Remembers, Takes};

/// Something that a method does to the object that it is called on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// Looks for something that may be in it.
    Asks,
    /// Puts something into it.
    Fills,
    /// Puts a value where a key leads to it. Only maps and atomic arrays do: what is added to a set or a list was
    /// there before.
    Remembers,
    /// Gives something back that is not in it any more.
    Takes,
    /// Drops something.
    Forgets,
    /// Says how much is in it.
    Counts,
    /// Makes it what it was when it was new.
    Empties,
    /// Makes a number greater.
    Increments,
}

/// The name under which a store into an array is reported.
pub(crate) const ARRAY_STORE: &str = "[]=";

const METHODS: [(&str, &[Does]); 47] = [
    ("get", &[Asks]),
    ("getOrDefault", &[Asks]),
    ("getIfPresent", &[Asks]),
    ("getUnchecked", &[Asks]),
    ("containsKey", &[Asks]),
    ("contains", &[Asks]),
    ("computeIfAbsent", &[Asks, Fills, Remembers]),
    ("putIfAbsent", &[Asks, Fills, Remembers]),
    ("put", &[Fills, Remembers]),
    ("compareAndSet", &[Fills, Remembers]),
    ("putAll", &[Fills]),
    ("compute", &[Fills]),
    ("merge", &[Fills]),
    ("add", &[Fills, Increments]),
    ("addAll", &[Fills]),
    ("addFirst", &[Fills]),
    ("addLast", &[Fills]),
    ("addElement", &[Fills]),
    ("push", &[Fills]),
    ("offer", &[Fills]),
    ("offerFirst", &[Fills]),
    ("offerLast", &[Fills]),
    ("set", &[Fills]),
    ("append", &[Fills]),
    ("setProperty", &[Fills]),
    ("remove", &[Takes, Forgets]),
    ("removeFirst", &[Takes]),
    ("removeLast", &[Takes]),
    ("poll", &[Takes]),
    ("pollFirst", &[Takes]),
    ("pollLast", &[Takes]),
    ("pop", &[Takes]),
    ("take", &[Takes]),
    ("clear", &[Forgets, Empties]),
    ("invalidate", &[Forgets]),
    ("invalidateAll", &[Forgets]),
    ("cleanUp", &[Forgets]),
    ("size", &[Counts]),
    ("isEmpty", &[Counts]),
    ("reset", &[Empties]),
    ("setLength", &[Empties]),
    ("removeAllElements", &[Empties]),
    ("increment", &[Increments]),
    ("incrementAndGet", &[Increments]),
    ("getAndIncrement", &[Increments]),
    ("addAndGet", &[Increments]),
    ("getAndAdd", &[Increments]),
];

/// Whether the method of this name does one of these things.
pub(crate) fn does(method: &str, any: &[Does]) -> bool {
    let row = METHODS.iter().find(|(name, _)| *name == method);
    row.is_some_and(|(_, does)| does.iter().any(|one| any.contains(one)))
}

/// The object is given something to keep.
pub(crate) fn is_telling(method: &str) -> bool {
    const VERBS: [&str; 7] = ["set", "add", "put", "register", "append", "push", "offer"];
    VERBS.iter().any(|verb| method.starts_with(verb))
}

/// The object is made to drop something, or to stop.
pub(crate) fn is_dropping(method: &str) -> bool {
    const VERBS: [&str; 12] = [
        "remove",
        "clear",
        "reset",
        "close",
        "unregister",
        "invalidate",
        "evict",
        "delete",
        "stop",
        "shutdown",
        "poll",
        "pop",
    ];
    VERBS.iter().any(|verb| method.starts_with(verb))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_has_one_row() {
        let mut names: Vec<&str> = METHODS.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn a_method_may_do_several_things() {
        assert!(does("computeIfAbsent", &[Asks]) && does("computeIfAbsent", &[Remembers]));
        assert!(does("remove", &[Takes]) && !does("remove", &[Asks, Fills]));
        assert!(does("getAndAdd", &[Increments]) && !does("getAndAdd", &[Fills]));
        assert!(!does("iterator", &[Asks, Fills, Takes, Forgets, Counts]));
    }
}
