//! How pairs were reached: access paths.

use super::Comparison;
use super::pages::Pages;
use crate::describe::{field_step, plain};
use unflake_protocol::{FieldName, Slot, Step as WayStep};

/// A place that may differ: a step from an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The object of `before` that the step leads away from; 0: a root.
    pub(super) from: u32,
    pub(super) step: Step,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Root(u32),
    Field(u32),
    Element(u32),
    /// By this key of `before` or, if it is new, of `after`.
    OldKey(u32),
    NewKey(u32),
    /// The key itself.
    Key(u32),
}

impl Place {
    /// The root's number, of a place that is one.
    pub(super) fn root(&self) -> u32 {
        match self.step {
            Step::Root(id) => id,
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

    pub(super) fn set(&mut self, object: u32, place: Place) {
        let (kind, number) = match place.step {
            // What has no parent was reached from a root.
            Step::Root(number) | Step::Field(number) => (0, number),
            Step::Element(number) => (1, number),
            Step::OldKey(number) | Step::NewKey(number) => (2, number),
            Step::Key(number) => (3, number),
        };
        self.parents.set(object, place.from);
        self.steps.set(object, kind << 30 | number & NUMBER);
    }

    pub(super) fn get(&self, object: u32) -> Place {
        let (from, step) = (self.parents.get(object), self.steps.get(object));
        let number = step & NUMBER;
        let step = match step >> 30 {
            0 if from == 0 => Step::Root(number),
            0 => Step::Field(number),
            1 => Step::Element(number),
            2 => Step::OldKey(number),
            _ => Step::Key(number),
        };
        Place { from, step }
    }
}

impl Comparison<'_> {
    /// The places from a root to this one.
    pub(super) fn chain(&self, place: Place) -> Vec<Place> {
        let mut chain = vec![place];
        let mut next = place;
        while next.from != 0 {
            next = self.ways.get(next.from);
            chain.push(next);
        }
        chain.reverse();
        chain
    }

    pub(super) fn path(&self, chain: &[Place]) -> String {
        chain.iter().map(|place| self.step(*place)).collect()
    }

    /// What a place adds to a path.
    pub(super) fn step(&self, Place { from, step }: Place) -> String {
        match step {
            Step::Root(id) => {
                let short = self.before.shapes.root(id).map(crate::Root::short);
                short.unwrap_or_default()
            }
            Step::Field(index) => self
                .before
                .node(from)
                .map(|node| field_step(node.shape, index as usize))
                .unwrap_or_default(),
            Step::Element(place) => format!("[{place}]"),
            Step::OldKey(key) => format!("[{}]", plain(self.before, key)),
            Step::NewKey(key) => format!("[{}]", plain(self.after, key)),
            Step::Key(key) => format!(".key[{}]", plain(self.before, key)),
        }
    }

    /// The same field again and again, as in a chain of nodes, is one step.
    pub(super) fn steps(&self, chain: &[Place]) -> Vec<WayStep> {
        let mut steps: Vec<WayStep> = Vec::new();
        for step in chain.iter().filter_map(|place| self.way_step(place)) {
            if step == WayStep::Element || steps.last() != Some(&step) {
                steps.push(step);
            }
        }
        steps
    }

    /// `None` for what a wrapper wraps.
    fn way_step(&self, Place { from, step }: &Place) -> Option<WayStep> {
        let field = match step {
            Step::Root(id) => FieldName::parse(&self.before.shapes.root(*id)?.name)?,
            Step::Field(index) => {
                let shape = self.before.node(*from)?.shape;
                let field = shape.fields.get(*index as usize);
                FieldName {
                    class: shape.class.clone(),
                    name: field.filter(|_| !shape.is_transparent)?.name.clone(),
                }
            }
            Step::Element(_) | Step::OldKey(_) | Step::NewKey(_) | Step::Key(_) => {
                return Some(WayStep::Element);
            }
        };
        Some(WayStep::Field(field))
    }

    /// What the last place of a chain is in; of what a wrapper wraps, what the wrapper is in.
    pub(super) fn slot(&self, chain: &[Place]) -> Slot {
        let slot = |place: &Place| match place.step {
            Step::Element(_) => Some(Slot::Index),
            Step::OldKey(key) | Step::Key(key) => Some(Slot::Key(plain(self.before, key))),
            Step::NewKey(key) => Some(Slot::Key(plain(self.after, key))),
            Step::Root(_) | Step::Field(_) => match self.way_step(place)? {
                WayStep::Field(field) => Some(Slot::Field(field.name)),
                WayStep::Element | WayStep::Jvm(_) => None,
            },
        };
        let found = chain.iter().rev().find_map(slot);
        found.unwrap_or(Slot::Index)
    }
}
