//! Numbers that only go on: counters, the time of the last call, and the state of pseudo-random generators.

use crate::case::{Case, FieldPlace};
use crate::field::{Entry, Field, labels};
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
        How::Written(Stored::Increased) | How::Read | How::ReadBack | How::Tested | How::ComparedWithTime => {
            true
        }
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

/// The time of the last call, which is only compared with the time of the next: whoever calls next sees the same,
/// since time goes on. Also a number that begins again with each new time.
pub(super) fn last_time(_: &Case<'_>, place: &FieldPlace<'_>) -> Option<Mark> {
    let field = &place.field;
    // Tests may look at what they keep.
    let is_one = is_hidden(field) && !field.is_of_tests() && (is_last_time(field) || begins_again(field));
    is_one.then(|| Mark::LastTime {
        field: field.label(),
        methods: labels(&field.users().iter().collect::<Vec<_>>()),
    })
}

fn is_hidden(field: &Field<'_>) -> bool {
    field.is_private() && !field.is_reflected()
}

/// Each time that it is read it is compared with the time, and nothing else is ever stored in it.
fn is_last_time(field: &Field<'_>) -> bool {
    let users = field.users();
    let is_compared = |user: &Entry<'_>| {
        let count = |test: fn(&How<'_>) -> bool| user.uses.iter().filter(|used| test(used)).count();
        let n_read = count(|used| matches!(used, How::Read | How::ReadBack));
        n_read == count(|used| *used == How::ComparedWithTime)
    };
    let fits = |used: &How<'_>| match used {
        How::Read | How::ReadBack | How::ComparedWithTime => true,
        How::Written(stored) => *stored == Stored::Time,
        _ => false,
    };
    let is_set = users.iter().any(is_set_to_time);
    is_set
        && users
            .iter()
            .all(|user| is_compared(user) && !user.has(|used| !fits(used)))
}

fn is_set_to_time(user: &Entry<'_>) -> bool {
    user.has(|used| *used == How::Written(Stored::Time))
}

/// Counted up, and set to a constant where a new time is kept: in the only method that uses it.
fn begins_again(field: &Field<'_>) -> bool {
    let fits = |used: &How<'_>| match used {
        How::Read | How::ReadBack | How::Tested => true,
        How::Written(stored) => matches!(stored, Stored::Increased | Stored::Constant),
        _ => false,
    };
    let [user] = &field.users()[..] else { return false };
    let keeps_time = |other: Field<'_>| {
        is_hidden(&other)
            && is_last_time(&other)
            && other
                .users()
                .iter()
                .any(|one| one.is_same_method(user) && is_set_to_time(one))
    };
    let is_reset = user.has(|used| *used == How::Written(Stored::Constant));
    is_reset && !user.has(|used| !fits(used)) && field.all_of_class().any(keeps_time)
}
