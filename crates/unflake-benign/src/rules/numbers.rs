//! Numbers that only go on: counters, and the state of pseudo-random generators.

use crate::case::{Case, FieldPlace};
use crate::field::{Entry, labels};
use crate::methods::{Does, does};
use unflake_bytecode::{How, Stored};
use unflake_findings::Mark;
use unflake_protocol::Step;

const ATOMICS: [&str; 3] = [
    "Ljava/util/concurrent/atomic/AtomicInteger;",
    "Ljava/util/concurrent/atomic/AtomicLong;",
    "Ljava/util/concurrent/atomic/LongAdder;",
];

/// Generators that nobody seeds or replaces.
pub(super) fn random_state(case: &Case<'_>) -> Option<Mark> {
    let (last, above) = case.steps.split_last()?;
    let class = &last.field()?.class;
    let holder = above.last().and_then(Step::field);
    let seeded = holder
        .and_then(|step| case.evidence.field(step))
        .filter(|field| !field.is_library())
        .is_some_and(|field| {
            // Code that can reach it can compare what it returns.
            !field.is_private()
                || field.entries().iter().any(|entry| {
                    let sets =
                        |used: &How<'_>| matches!(used, How::Called { method, .. } if method == "setSeed");
                    let replaces = |used: &How<'_>| matches!(used, How::Written(_));
                    !entry.is_initialiser && entry.has(replaces) || entry.has(sets)
                })
        });
    (class.ends_with("Random") && !seeded).then(|| Mark::RandomState { class: class.clone() })
}

/// Only ever counted up.
pub(super) fn counter(case: &Case<'_>, place: &FieldPlace<'_>) -> Option<Mark> {
    let field = &place.field;
    // Tests count in fields of theirs what they then compare.
    if !case.only_increases() || !field.is_private() || field.is_of_tests() {
        return None;
    }
    let increments: fn(&How<'_>) -> bool = match field.descriptor() {
        atomic if ATOMICS.contains(&atomic) => {
            |used| matches!(used, How::Called { method, .. } if does(method, &[Does::Increments]))
        }
        "I" | "J" | "S" | "B" => |used| matches!(used, How::Written(Stored::Increased | Stored::Added)),
        _ => return None,
    };
    let fits = |used: &How<'_>| match used {
        How::Written(Stored::Increased) | How::Read | How::ReadBack | How::Tested => true,
        // What is added is not known to be positive; that several tests did so has to do.
        How::Written(Stored::Added) => case.n_increases() > 1,
        How::Called { method, dropped, .. } => *dropped && does(method, &[Does::Increments]),
        // Names and numbers that are made of it can be compared.
        How::Returned | How::Passed { .. } | How::Kept => false,
        How::Written(_) | How::CalledBelow { .. } | How::ReturnedBelow => false,
    };
    let others = field.later_entries();
    let counting: Vec<&Entry<'_>> = others.iter().filter(|entry| entry.has(increments)).collect();
    let all = others.iter().all(|entry| !entry.has(|used| !fits(used)));
    (all && !counting.is_empty()).then(|| Mark::Counter {
        field: field.label(),
        methods: labels(&counting),
    })
}

/// Fields of libraries, of whose code nothing is known: what several tests of one run make greater.
pub(super) fn library_counter(case: &Case<'_>) -> Option<Mark> {
    let [Step::Field(field)] = case.steps else {
        return None;
    };
    let is_library = case.fields.iter().all(|place| place.field.is_library());
    let tests = case.n_increases();
    (is_library && case.only_increases() && tests > 1).then(|| Mark::LibraryCounter {
        field: field.to_string(),
        tests,
    })
}
