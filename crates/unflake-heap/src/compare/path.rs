//! How pairs were reached: access paths.

use super::Comparison;
use super::pages::Pages;
use crate::describe::{field_step, plain};

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

/// The step to an element or an entry.
const ELEMENT: &str = "[]";

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
    pub(super) fn steps(&self, chain: &[Place]) -> Vec<String> {
        let named = |Place { from, step }: &Place| match step {
            Step::Root(id) => self.before.shapes.root(*id).map(|root| root.name.clone()),
            Step::Field(index) => self.before.node(*from).and_then(|node| {
                let field = field_step(node.shape, *index as usize);
                (!field.is_empty()).then(|| format!("{}{field}", node.shape.class))
            }),
            Step::Element(_) | Step::OldKey(_) | Step::NewKey(_) | Step::Key(_) => Some(ELEMENT.to_owned()),
        };
        let mut steps: Vec<String> = Vec::new();
        for step in chain.iter().filter_map(named) {
            if step == ELEMENT || steps.last() != Some(&step) {
                steps.push(step);
            }
        }
        steps
    }
}
