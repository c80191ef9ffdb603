//! Numbers that only go on: counters, and the state of pseudo-random generators.

use super::{Case, listed};
use crate::field_uses::{Entry, Field, FieldUses, Stored, Use};
use unflake_protocol::{ChangeForm, Step};

const INCREMENTS: [&str; 6] = [
    "incrementAndGet",
    "getAndIncrement",
    "addAndGet",
    "getAndAdd",
    "increment",
    "add",
];
const ATOMICS: [&str; 3] = [
    "Ljava/util/concurrent/atomic/AtomicInteger;",
    "Ljava/util/concurrent/atomic/AtomicLong;",
    "Ljava/util/concurrent/atomic/LongAdder;",
];

impl Case<'_> {
    /// Generators that nobody seeds or replaces.
    pub(super) fn pseudo_random(&self, uses: &FieldUses) -> Option<String> {
        let (last, above) = self.steps.split_last()?;
        let class = &last.field()?.class;
        let holder = above.last().and_then(|step| uses.field(step));
        let seeded = holder.is_some_and(|field| {
            // Whoever can reach it can compare what it gives.
            !field.is_private()
                || field.entries().iter().any(|entry| {
                    !entry.is_initialiser && entry.has(|used| matches!(used, Use::Written(_)))
                        || entry.has_call(&["setSeed"])
                })
        });
        (class.ends_with("Random") && !seeded).then(|| {
            format!(
                "the state of a pseudo-random generator (`{class}`), which nothing in the project seeds or replaces"
            )
        })
    }

    /// Only ever counted up.
    pub(super) fn counter(&self, field: &Field<'_>) -> Option<String> {
        // Tests count in fields of theirs what they then compare.
        if !self.only_increases() || !field.is_private() || field.is_of_tests() {
            return None;
        }
        let others = field.later_entries();
        let increments: &dyn Fn(&Use) -> bool = if ATOMICS.contains(&field.descriptor()) {
            &|used| matches!(used, Use::Called { method, .. } if INCREMENTS.contains(&method.as_str()))
        } else if matches!(field.descriptor(), "I" | "J" | "S" | "B") {
            &|used| matches!(used, Use::Written(Stored::Increased | Stored::Added))
        } else {
            return None;
        };
        let fits = |used: &Use| match used {
            Use::Written(Stored::Increased) | Use::Read | Use::ReadBack | Use::Tested => true,
            // What is added is not known to be positive; that several tests did so has to do.
            Use::Written(Stored::Added) => self.n_increases() > 1,
            Use::Called { method, dropped, .. } => *dropped && INCREMENTS.contains(&method.as_str()),
            // Names and numbers that are made of it can be compared.
            Use::HandedOn | Use::Written(_) | Use::CalledBelow { .. } | Use::ReturnedBelow => false,
        };
        let counting: Vec<&Entry<'_>> = others.iter().filter(|entry| entry.has(increments)).collect();
        let all = others.iter().all(|entry| !entry.has(|used| !fits(used)));
        (all && !counting.is_empty()).then(|| {
            format!(
                "a counter: {} makes `{}` greater and nothing sets it",
                listed(&counting),
                field.label()
            )
        })
    }

    /// Fields of libraries, of whose code nothing is known: what several tests of one run make greater.
    pub(super) fn counter_of_others(&self) -> Option<String> {
        let [Step::Field(field)] = self.steps else {
            return None;
        };
        let counts = self.only_increases() && self.n_increases() > 1;
        counts.then(|| {
            format!(
                "a counter: each of the {} tests that changes `{field}` makes it greater",
                self.n_increases()
            )
        })
    }

    fn only_increases(&self) -> bool {
        let Some((change, seen)) = self.seen else {
            return self.form == ChangeForm::Increased;
        };
        let mut same = seen
            .first
            .iter()
            .chain(&seen.second)
            .filter(|other| other.path == change.path);
        self.form == ChangeForm::Increased && same.all(|other| other.form == ChangeForm::Increased)
    }

    /// How many tests of one run made it greater.
    fn n_increases(&self) -> usize {
        self.seen.map_or(0, |(change, seen)| {
            seen.first
                .iter()
                .filter(|other| other.path == change.path)
                .count()
        })
    }
}
