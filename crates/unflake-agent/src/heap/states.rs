//! The states that are walked, and what differs between two of them. Knows no JVM.
//!
//! A state that differs from the last is walked a second time at once. What the first walk showed waits until then:
//! what differs again is the doing of a thread that goes on by itself, and such a root is given up.

use std::time::Instant;
use unflake_heap::{
    Arrived, Compared, Difference, Incoming, Malformed, Packed, Shapes, counts, differences, new_roots,
};
use unflake_protocol::{Author, Blame, Further, Gap, HeapMeasured, StateChange, StateKind, ToProgram, Watch};

#[derive(Default)]
pub(super) struct States {
    pub(super) shapes: Shapes,
    last: Packed,
    /// The state that is being walked.
    incoming: Incoming,
    /// What the walk before showed, until the walk after it confirms that nothing moves by itself.
    pending: Vec<Difference>,
    /// Roots that are given up: they change while nobody runs, or cannot be read.
    restless: Vec<u32>,
    measured: HeapMeasured,
}

/// A state that differs is walked a second time at once: what differs then as well changes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WalkTurn {
    First,
    Again,
}

/// The end of a walk.
pub(crate) struct Walked<'a> {
    /// The last part of the state.
    pub(crate) part: &'a [u8],
    pub(crate) turn: WalkTurn,
    pub(crate) nanos: u64,
    /// What the walker has for itself from one walk to the next, in bytes.
    pub(crate) held: u64,
    /// What it had beside that while it walked.
    pub(crate) while_walked: u64,
}

/// What came of a comparison.
#[derive(Default)]
struct WalkAnswer {
    differs: bool,
    told: Vec<ToProgram>,
    /// How much memory was needed for it beside the two states.
    memory: u64,
}

impl States {
    pub(super) fn rewind(&mut self, to: usize) {
        self.incoming.rewind(to);
    }

    /// Takes a part of a state.
    pub(super) fn add(&mut self, part: &[u8]) {
        self.incoming.add(&self.last, part);
    }

    /// Takes the end of a state. Whether it differs from the last; what to tell, once that is sure.
    pub(super) fn walked(
        &mut self,
        watch: &Watch,
        walked: &Walked<'_>,
        by: Option<&Author>,
    ) -> (bool, Vec<ToProgram>) {
        let start = Instant::now();
        let length = self.last.len();
        self.add(walked.part);
        let arrived = std::mem::take(&mut self.incoming).arrived(&self.last);
        let (Arrived::Same(state) | Arrived::Grown(state) | Arrived::Other(state)) = &arrived;
        let states = self.last.memory() + state.own_memory();
        let outcome = self.compare(watch, arrived, walked.turn, by);
        let nanos = walked.nanos + u64::try_from(start.elapsed().as_nanos()).unwrap_or(0);
        let is_first = length != self.last.len();
        let held = walked.held + self.last.memory();
        let measured = &mut self.measured;
        measured.walks += 1;
        measured.nanos += nanos;
        if is_first || nanos < measured.fastest_nanos {
            measured.fastest_nanos = nanos;
        }
        measured.held = held;
        let most = walked.held + states + walked.while_walked.max(outcome.memory);
        measured.most_held = measured.most_held.max(most);
        (outcome.differs, outcome.told)
    }

    /// What was needed so far.
    pub(super) fn measured(&self) -> HeapMeasured {
        let mut measured = self.measured.clone();
        measured.roots = self.shapes.roots();
        if let Ok(counts) = counts(&self.shapes, &self.last) {
            measured.objects = counts.objects;
            measured.references = counts.references;
        }
        measured
    }

    pub(super) fn root_name(&self, root: u32) -> String {
        let known = self.shapes.root(root);
        known.map(|root| root.name.clone()).unwrap_or_default()
    }

    /// A root is looked at no more.
    pub(super) fn refuse(&mut self, root: u32, problem: &str) -> ToProgram {
        // What the walk before showed of it counts as little: it may be the same thread's doing.
        self.restless.push(root);
        ToProgram::NotWatched {
            what: self.root_name(root),
            reason: if problem.ends_with("Error") {
                // Classes of the JDK that the walker knows by name have other fields than it was compiled with.
                format!("this JDK keeps it in a way that unflake does not know ({problem})")
            } else {
                format!("a thread changes it while no test runs, so it cannot be read ({problem})")
            },
            gap: Gap::Lost,
        }
    }

    fn compare(
        &mut self,
        watch: &Watch,
        arrived: Arrived,
        turn: WalkTurn,
        by: Option<&Author>,
    ) -> WalkAnswer {
        let (state, is_same, is_other) = match arrived {
            Arrived::Same(state) => (state, true, false),
            Arrived::Grown(state) => (state, false, false),
            Arrived::Other(state) => (state, false, true),
        };
        let last = std::mem::replace(&mut self.last, state);
        if is_same || !is_other && !watch.initial {
            let pending = std::mem::take(&mut self.pending);
            let told = match turn {
                WalkTurn::First => Vec::new(),
                WalkTurn::Again => self.changed(pending, by),
            };
            return WalkAnswer {
                told,
                ..WalkAnswer::default()
            };
        }
        let mut told = match self.initialised(watch, &last, by) {
            Ok(told) => told,
            Err(malformed) => return self.not_compared(&malformed, by),
        };
        let compared = if is_other {
            differences(&self.shapes, &last, &self.last, watch.around)
        } else {
            Ok(Compared::default())
        };
        let Compared {
            differences: found,
            memory,
        } = match compared {
            Ok(compared) => compared,
            Err(malformed) => return self.not_compared(&malformed, by),
        };
        let differs = match turn {
            WalkTurn::First => {
                self.pending = found;
                !self.pending.is_empty()
            }
            WalkTurn::Again => {
                told.extend(self.give_up(&found));
                let pending = std::mem::take(&mut self.pending);
                told.extend(self.changed(pending, by));
                false
            }
        };
        WalkAnswer {
            differs,
            told,
            memory,
        }
    }

    /// What the roots hold that the last state did not have, if somebody asked for it.
    fn initialised(
        &self,
        watch: &Watch,
        last: &Packed,
        by: Option<&Author>,
    ) -> Result<Vec<ToProgram>, Malformed> {
        let Some(by) = by.filter(|_| watch.initial) else {
            return Ok(Vec::new());
        };
        let fresh = new_roots(&self.shapes, last, &self.last)?.into_iter();
        Ok(fresh
            .map(|(root, leaves)| ToProgram::Initialised {
                by: by.clone(),
                root,
                leaves,
            })
            .collect())
    }

    /// Nothing is known of what was done before this walk. The next one has nothing to be compared with either, unless
    /// it is sound itself and so is this one.
    fn not_compared(&mut self, malformed: &Malformed, by: Option<&Author>) -> WalkAnswer {
        self.pending.clear();
        let told = ToProgram::NotCompared {
            by: by.cloned(),
            reason: malformed.to_string(),
            blame: Blame::Unflake,
        };
        WalkAnswer {
            told: vec![told],
            ..WalkAnswer::default()
        }
    }

    /// These roots changed although nothing ran.
    fn give_up(&mut self, found: &[Difference]) -> Vec<ToProgram> {
        let mut told = Vec::new();
        for difference in found {
            if !self.restless.contains(&difference.root) {
                self.restless.push(difference.root);
                told.push(ToProgram::NotWatched {
                    what: self.root_name(difference.root),
                    reason: "a thread keeps changing it while no test runs".to_owned(),
                    gap: Gap::Lost,
                });
            }
        }
        told
    }

    /// The message about what was changed, one change per root: the one with the shortest path.
    fn changed(&self, found: Vec<Difference>, by: Option<&Author>) -> Vec<ToProgram> {
        let mut changes: Vec<StateChange> = Vec::new();
        for difference in found {
            if self.restless.contains(&difference.root) {
                continue;
            }
            let root = self.root_name(difference.root);
            match changes.iter_mut().find(|change| change.root == root) {
                Some(change) => change.add(Further {
                    steps: difference.steps,
                    form: difference.form,
                }),
                None => changes.push(StateChange {
                    kind: StateKind::Heap,
                    root,
                    path: difference.path,
                    old: difference.old,
                    new: difference.new,
                    form: difference.form,
                    steps: difference.steps,
                    slot: Some(difference.slot),
                    more: 0,
                    also: Vec::new(),
                    around: difference.around,
                }),
            }
        }
        match by {
            Some(by) if !changes.is_empty() => vec![ToProgram::Changed {
                by: by.clone(),
                changes,
            }],
            Some(_) | None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use WalkTurn::{Again, First};
    use unflake_heap::Root;
    use unflake_protocol::Points;

    fn watch() -> Watch {
        Watch {
            roots: Default::default(),
            points: Points::WholeTest,
            eager: Vec::new(),
            directories: Vec::new(),
            ignored: Vec::new(),
            initial: false,
            around: false,
            most_objects: 7,
            abstractions: Vec::new(),
        }
    }

    /// Walks of two static `int` fields, `a.A.x` and `a.A.y`.
    struct Walks(States);

    impl Walks {
        fn new() -> Walks {
            let mut states = States::default();
            for name in ["a.A.x", "a.A.y"] {
                let name = name.to_owned();
                states.shapes.add_root(Root { name, kind: b'I' });
            }
            Walks(states)
        }

        /// What is answered and told when the fields have these values.
        fn walk(&mut self, turn: WalkTurn, values: [u8; 2], by: Option<&Author>) -> (bool, Vec<String>) {
            // A root is the word 0, its number and its value; each word is written as one more.
            let [x, y] = values;
            let part = [1, 1, x + 1, 1, 2, y + 1];
            let walked = Walked {
                part: &part,
                turn,
                nanos: 1,
                held: 0,
                while_walked: 0,
            };
            let (differs, told) = self.0.walked(&watch(), &walked, by);
            (differs, told.iter().map(text).collect())
        }
    }

    fn text(message: &ToProgram) -> String {
        match message {
            ToProgram::Changed { changes, .. } => {
                let roots: Vec<&str> = changes.iter().map(|change| change.root.as_str()).collect();
                format!("changed {}", roots.join(" "))
            }
            ToProgram::NotWatched { what, .. } => format!("given up {what}"),
            other => format!("{other:?}"),
        }
    }

    fn class() -> Option<Author> {
        Some(Author::Class("a.Test".to_owned()))
    }

    #[test]
    fn a_change_is_told_once_the_second_walk_shows_it_at_rest() {
        let mut walks = Walks::new();
        let by = class();
        assert_eq!(walks.walk(First, [1, 1], None), (false, vec![]));
        assert_eq!(walks.walk(First, [2, 1], by.as_ref()), (true, vec![]));
        assert_eq!(
            walks.walk(Again, [2, 1], by.as_ref()),
            (false, vec!["changed a.A.x".to_owned()])
        );
        assert_eq!(walks.walk(First, [2, 1], by.as_ref()), (false, vec![]));
    }

    #[test]
    fn what_changes_while_nothing_runs_is_given_up() {
        let mut walks = Walks::new();
        let by = class();
        walks.walk(First, [1, 1], None);
        walks.walk(First, [2, 2], by.as_ref());
        assert_eq!(
            walks.walk(Again, [3, 2], by.as_ref()),
            (
                false,
                vec!["given up a.A.x".to_owned(), "changed a.A.y".to_owned()]
            )
        );
        assert_eq!(walks.walk(First, [4, 2], by.as_ref()), (true, vec![]));
        assert_eq!(walks.walk(Again, [4, 2], by.as_ref()), (false, vec![]));
    }

    #[test]
    fn what_nobody_did_is_not_told() {
        let mut walks = Walks::new();
        walks.walk(First, [1, 1], None);
        assert_eq!(walks.walk(First, [2, 1], None), (true, vec![]));
        assert_eq!(walks.walk(Again, [2, 1], None), (false, vec![]));
    }

    #[test]
    fn a_refused_root_says_why() {
        let mut walks = Walks::new();
        let mut refuse = |problem: &str| match walks.0.refuse(1, problem) {
            ToProgram::NotWatched { what, reason, gap } => (what, reason, gap),
            other => panic!("{other:?}"),
        };
        for (problem, end) in [
            (
                "java.lang.NullPointerException",
                "so it cannot be read (java.lang.NullPointerException)",
            ),
            (
                "java.lang.NoSuchFieldError",
                "unflake does not know (java.lang.NoSuchFieldError)",
            ),
        ] {
            let (what, reason, gap) = refuse(problem);
            assert_eq!((what.as_str(), gap), ("a.A.y", Gap::Lost));
            assert!(reason.ends_with(end), "{reason}");
        }
    }

    #[test]
    fn a_state_that_cannot_be_read_is_told_of_whoever_ran() {
        let mut walks = Walks::new();
        let by = class();
        walks.walk(First, [1, 1], None);
        walks.walk(First, [2, 1], by.as_ref());
        // A root that does not exist.
        let broken = Walked {
            part: &[1, 9, 1],
            turn: Again,
            nanos: 1,
            held: 0,
            while_walked: 0,
        };
        let told = |(differs, told): (bool, Vec<ToProgram>)| match &told[..] {
            [
                ToProgram::NotCompared {
                    by,
                    blame: Blame::Unflake,
                    ..
                },
            ] => (differs, by.clone()),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            told(walks.0.walked(&watch(), &broken, by.as_ref())),
            (false, by.clone())
        );
        // Neither is what came before told by and by, nor is there anything to compare the next state with.
        let next = Walked {
            part: &[1, 1, 3, 1, 2, 2],
            turn: First,
            ..broken
        };
        assert_eq!(told(walks.0.walked(&watch(), &next, None)), (false, None));
        assert_eq!(walks.walk(First, [2, 1], None), (false, vec![]));
        assert_eq!(walks.walk(First, [3, 1], by.as_ref()), (true, vec![]));
    }
}
