//! What the agent does for `java.util.UnflakeHeap`: says which classes are roots (`roots`) and how objects are read
//! (`shapes`), takes the states that are walked, and tells what differs (`states`).

mod fields;
mod roots;
mod shapes;
mod states;

use crate::asked::Asked;
use crate::ffi::{Jvmti, Weak};
use states::States;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use unflake_protocol::{Author, Gap, HeapMeasured, ToProgram, Watch, dotted};

pub(crate) use fields::count_statics;
pub(crate) use states::{WalkTurn, Walked};

pub(crate) struct Heap {
    jvmti: Jvmti,
    watch: Watch,
    asked: Asked,
    known: Mutex<KnownHeap>,
}

#[derive(Default)]
struct KnownHeap {
    states: States,
    /// Classes that were loaded since the walker asked last.
    fresh: Vec<Weak>,
    /// What could not be read, until it is told.
    unread: Vec<ToProgram>,
    /// Classes whose tests were asked for.
    test_classes: BTreeSet<String>,
}

impl Heap {
    /// The error names the pattern that is none.
    pub(crate) fn new(jvmti: Jvmti, watch: Watch) -> Result<Heap, String> {
        Ok(Heap {
            jvmti,
            asked: Asked::new(&watch)?,
            watch,
            known: Mutex::default(),
        })
    }

    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Which settings were of use since the last call, or cannot be; which classes cannot be read.
    pub(crate) fn news(&self) -> Vec<ToProgram> {
        let mut news = self.asked.news();
        news.append(&mut self.lock().unread);
        news
    }

    /// This JDK keeps the contents of a class in fields that we do not know: only plain fields are read. Said once,
    /// since a class is looked at once.
    fn is_unknown(&self, class: &str) {
        self.lock().unread.push(ToProgram::NotWatched {
            what: format!("the contents of {class}"),
            reason: "this JDK keeps them in a way that unflake does not know".to_owned(),
            gap: Gap::Lost,
        });
    }

    /// These tests run next.
    pub(crate) fn tests(&self, roots: impl Iterator<Item = String>) {
        self.lock().test_classes.extend(roots);
    }

    /// By its name with slashes.
    pub(crate) fn is_test_class(&self, class: &str) -> bool {
        self.lock().test_classes.contains(&dotted(class))
    }

    fn lock(&self) -> MutexGuard<'_, KnownHeap> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The walk begins again from this place on.
    pub(crate) fn rewind(&self, to: usize) {
        self.lock().states.rewind(to);
    }

    /// Takes a part of a state.
    pub(crate) fn walked_part(&self, part: &[u8]) {
        self.lock().states.add(part);
    }

    /// Takes the end of a state. Whether it differs from the last; what to tell, once that is sure.
    pub(crate) fn walked(&self, walked: &Walked<'_>, by: Option<&Author>) -> (bool, Vec<ToProgram>) {
        self.lock().states.walked(&self.watch, walked, by)
    }

    /// What was needed so far.
    pub(crate) fn measured(&self) -> HeapMeasured {
        self.lock().states.measured()
    }

    /// `package.Class.field`
    pub(crate) fn name_of_root(&self, root: u32) -> String {
        self.lock().states.root_name(root)
    }

    pub(crate) fn refused(&self, root: i32, problem: &str) -> ToProgram {
        let root = u32::try_from(root).unwrap_or(0);
        self.lock().states.refuse(root, problem)
    }

    /// Only a sample of what it reaches is read.
    pub(crate) fn sampled(&self, root: i32) -> ToProgram {
        ToProgram::Sampled {
            what: self.name_of_root(u32::try_from(root).unwrap_or(0)),
            most_objects: self.watch.most_objects,
        }
    }
}
