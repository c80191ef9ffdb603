//! How pairs were reached: access paths.

use super::Comparison;
use super::pages::Pages;
use crate::describe::{field_step, plain};
use unflake_protocol::{FieldName, Slot, Step};

/// A place that may differ: a step from an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepFrom {
    /// The object of `before` that the step leads away from; 0: a root.
    pub(super) from: u32,
    pub(super) step: PathStep,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum PathStep {
    Root(u32),
    Field(u32),
    Element(u32),
    /// By this key of `before` or, if it is new, of `after`.
    OldKey(u32),
    NewKey(u32),
    /// The key itself.
    Key(u32),
}

impl StepFrom {
    /// The root's number, of a place that is one.
    pub(super) fn root(&self) -> u32 {
        match self.step {
            PathStep::Root(id) => id,
            _ => 0,
        }
    }
}

/// By which place each object of `before` was reached that has a partner.
pub(super) struct Ways {
    parents: Pages,
    /// Two bits for the kind of the step, and its number.
    steps: Pages,
}

const NUMBER: u32 = u32::MAX >> 2;

impl Ways {
    pub(super) fn new(objects: u32) -> Ways {
        Ways {
            parents: Pages::new(objects),
            steps: Pages::new(objects),
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.parents.memory() + self.steps.memory()
    }

    pub(super) fn set(&mut self, object: u32, place: StepFrom) {
        let (kind, number) = match place.step {
            // What has no parent was reached from a root.
            PathStep::Root(number) | PathStep::Field(number) => (0, number),
            PathStep::Element(number) => (1, number),
            PathStep::OldKey(number) | PathStep::NewKey(number) => (2, number),
            PathStep::Key(number) => (3, number),
        };
        self.parents.set(object, place.from);
        self.steps.set(object, kind << 30 | number & NUMBER);
    }

    pub(super) fn get(&self, object: u32) -> StepFrom {
        let (from, step) = (self.parents.get(object), self.steps.get(object));
        let number = step & NUMBER;
        let step = match step >> 30 {
            0 if from == 0 => PathStep::Root(number),
            0 => PathStep::Field(number),
            1 => PathStep::Element(number),
            2 => PathStep::OldKey(number),
            _ => PathStep::Key(number),
        };
        StepFrom { from, step }
    }
}

impl Comparison<'_> {
    /// The places from a root to this one.
    pub(super) fn chain(&self, place: StepFrom) -> Vec<StepFrom> {
        let mut chain = vec![place];
        let mut next = place;
        while next.from != 0 {
            next = self.ways.get(next.from);
            chain.push(next);
        }
        chain.reverse();
        chain
    }

    pub(super) fn path(&self, chain: &[StepFrom]) -> String {
        chain.iter().map(|place| self.step(*place)).collect()
    }

    /// What a place adds to a path.
    pub(super) fn step(&self, StepFrom { from, step }: StepFrom) -> String {
        match step {
            PathStep::Root(id) => {
                let short = self.before.shapes.root(id).map(crate::Root::short);
                short.unwrap_or_default()
            }
            PathStep::Field(index) => self
                .before
                .node(from)
                .map(|node| field_step(node.shape, index as usize))
                .unwrap_or_default(),
            PathStep::Element(place) => format!("[{place}]"),
            PathStep::OldKey(key) => format!("[{}]", plain(self.before, key)),
            PathStep::NewKey(key) => format!("[{}]", plain(self.after, key)),
            PathStep::Key(key) => format!(".key[{}]", plain(self.before, key)),
        }
    }

    /// The same field again and again, as in a chain of nodes, is one step.
    pub(super) fn steps(&self, chain: &[StepFrom]) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for step in chain.iter().filter_map(|place| self.way_step(place)) {
            if step == Step::Element || steps.last() != Some(&step) {
                steps.push(step);
            }
        }
        steps
    }

    /// `None` for what a wrapper wraps.
    fn way_step(&self, StepFrom { from, step }: &StepFrom) -> Option<Step> {
        let field = match step {
            PathStep::Root(id) => FieldName::parse(&self.before.shapes.root(*id)?.name)?,
            PathStep::Field(index) => {
                let shape = self.before.node(*from)?.shape;
                let field = shape.fields.get(*index as usize);
                FieldName {
                    class: shape.class.clone(),
                    name: field.filter(|_| !shape.is_transparent)?.name.clone(),
                }
            }
            PathStep::Element(_) | PathStep::OldKey(_) | PathStep::NewKey(_) | PathStep::Key(_) => {
                return Some(Step::Element);
            }
        };
        Some(Step::Field(field))
    }

    /// What the last place of a chain is in; of what a wrapper wraps, what the wrapper is in.
    pub(super) fn slot(&self, chain: &[StepFrom]) -> Slot {
        let slot = |place: &StepFrom| match place.step {
            PathStep::Element(_) => Some(Slot::Index),
            PathStep::OldKey(key) | PathStep::Key(key) => Some(Slot::Key(plain(self.before, key))),
            PathStep::NewKey(key) => Some(Slot::Key(plain(self.after, key))),
            PathStep::Root(_) | PathStep::Field(_) => match self.way_step(place)? {
                Step::Field(field) => Some(Slot::Field(field.name)),
                Step::Element | Step::Jvm(_) => None,
            },
        };
        let found = chain.iter().rev().find_map(slot);
        found.unwrap_or(Slot::Index)
    }
}
