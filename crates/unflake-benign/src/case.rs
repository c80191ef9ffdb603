//! A difference as rules look at it.

use crate::evidence::Evidence;
use crate::field::Field;
use unflake_protocol::{ChangeForm, FieldName, Further, Slot, StateChange, StateKind, Step, What};

/// All that was seen of one root: what tests did to it in one run of the suite, and in another.
#[derive(Clone, Debug)]
pub struct Seen<'a> {
    pub first: Vec<&'a StateChange>,
    pub second: Vec<&'a StateChange>,
}

/// One difference, with what the project's classes do with the fields on the way to it.
pub(crate) struct Case<'a> {
    pub(crate) kind: StateKind,
    pub(crate) steps: &'a [Step],
    pub(crate) form: ChangeForm,
    /// `None`: there was nothing, or it is not known.
    pub(crate) old: Option<&'a What>,
    pub(crate) new: Option<&'a What>,
    /// The key of the entry that was changed.
    pub(crate) key: Option<&'a What>,
    pub(crate) evidence: &'a Evidence,
    /// The project's own fields on the way, the nearest to the difference first.
    pub(crate) fields: Vec<FieldPlace<'a>>,
    /// The change itself and those of the same root; not of further differences.
    seen: Option<(&'a StateChange, &'a Seen<'a>)>,
}

/// A field of the project on the way to a difference.
pub(crate) struct FieldPlace<'a> {
    pub(crate) field: Field<'a>,
    /// The steps that follow: elements, and fields of other classes.
    pub(crate) below: &'a [Step],
}

/// What of the nearest field of the project was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangedPart {
    /// Its value.
    Itself,
    /// The number in the `AtomicInteger` (or the like) that it holds.
    AtomicNumber,
    /// Something in the object that it holds.
    Content,
}

impl<'a> Case<'a> {
    pub(crate) fn of_change(change: &'a StateChange, seen: &'a Seen<'a>, evidence: &'a Evidence) -> Case<'a> {
        let key = match &change.slot {
            Some(Slot::Key(key)) => Some(&key.what),
            Some(Slot::Field(_) | Slot::Index) | None => None,
        };
        Case {
            old: change.old.as_ref().map(|old| &old.what),
            new: change.new.as_ref().map(|new| &new.what),
            key,
            seen: Some((change, seen)),
            ..Case::new(change.kind, &change.steps, change.form, evidence)
        }
    }

    /// Of a further difference neither the values nor other changes are known.
    pub(crate) fn of_further(kind: StateKind, further: &'a Further, evidence: &'a Evidence) -> Case<'a> {
        Case::new(kind, &further.steps, further.form, evidence)
    }

    fn new(kind: StateKind, steps: &'a [Step], form: ChangeForm, evidence: &'a Evidence) -> Case<'a> {
        let place = |(at, step): (usize, &'a Step)| {
            let field = evidence.field(step.field()?)?;
            let below = &steps[at + 1..];
            Some(FieldPlace { field, below })
        };
        Case {
            kind,
            steps,
            form,
            old: None,
            new: None,
            key: None,
            evidence,
            fields: steps.iter().enumerate().rev().filter_map(place).collect(),
            seen: None,
        }
    }

    /// The field that the path begins with, of the project or not.
    pub(crate) fn root(&self) -> Option<&'a FieldName> {
        self.steps.first()?.field()
    }

    /// One of several differences below a root, and not the one that is shown.
    pub(crate) fn is_further(&self) -> bool {
        self.seen.is_none()
    }

    /// Of a file: its name has numbers that are drawn anew each time.
    pub(crate) fn has_chance_name(&self) -> bool {
        self.seen.is_some_and(|(change, _)| change.root.contains('*'))
    }

    /// `None`: there is no field of the project on the way.
    pub(crate) fn changed(&self) -> Option<ChangedPart> {
        let below = self.fields.first()?.below;
        let is_atomic = |step: &Step| {
            let field = step.field();
            field.is_some_and(|field| field.class.starts_with("java.util.concurrent.atomic."))
        };
        Some(if below.is_empty() {
            ChangedPart::Itself
        } else if below.iter().all(is_atomic) {
            ChangedPart::AtomicNumber
        } else {
            ChangedPart::Content
        })
    }

    /// Whether every test of both runs that changed this place made it greater.
    pub(crate) fn only_increases(&self) -> bool {
        let is_increased = |form| form == ChangeForm::Increased;
        let Some((change, seen)) = self.seen else {
            return is_increased(self.form);
        };
        let all = seen.first.iter().chain(&seen.second);
        let mut same = all.filter(|other| other.path == change.path);
        is_increased(self.form) && same.all(|other| is_increased(other.form))
    }

    /// How many tests of one run made it greater.
    pub(crate) fn n_increases(&self) -> usize {
        self.seen.map_or(0, |(change, seen)| {
            let same = seen.first.iter().filter(|other| other.path == change.path);
            same.count()
        })
    }

    pub(crate) fn is_same_in_every_run(&self) -> bool {
        let Some((change, seen)) = self.seen else {
            return true;
        };
        let same = |changes: &[&StateChange]| {
            let mut of_path = changes
                .iter()
                .filter(|other| other.path == change.path)
                .peekable();
            of_path.peek().is_some()
                && of_path.all(|other| other.form == change.form && other.new == change.new)
        };
        same(&seen.first) && same(&seen.second)
    }
}
