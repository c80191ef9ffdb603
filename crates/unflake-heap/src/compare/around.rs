//! What is near a difference, as triples `object field value` (P5): the way to it from the root, the object that
//! holds it before and after, and one level below what was replaced. Objects are named by their paths.

use super::{Comparison, PathStep, StepFrom};
use crate::describe::{self, plain, transparent};
use crate::index::Index;
use crate::shape::{View, simple};
use unflake_protocol::{Nearby, Shown, Side};

/// How many values of an object a person looks at: of those that stay, of those that came or went, below one of these.
const STAYING: usize = 20;
const CHANGED: usize = 20;
const BELOW: usize = 10;
/// For a collection with more elements, only the change itself is reported.
const LARGE: usize = 500;

/// One value that an object holds.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AroundEdge {
    /// The field's name, or the key or place in brackets.
    field: String,
    value: Shown,
    /// The object; 0 where it is none, or one that says all in `value`.
    target: u32,
}

impl AroundEdge {
    fn of(&self, object: &str, side: Side) -> Nearby {
        Nearby {
            object: object.to_owned(),
            field: self.field.clone(),
            value: self.value.clone(),
            side,
        }
    }
}

impl Comparison<'_> {
    /// Around the last place of a chain from a root.
    pub(super) fn around(&self, chain: &[StepFrom], old: Option<&Shown>, new: Option<&Shown>) -> Vec<Nearby> {
        let Some((place, above)) = chain.split_last() else {
            return Vec::new();
        };
        let mut told = self.way(chain);
        let (object, changed) = self.named(*place, &self.path(above));
        // What a wrapper wraps has no name of its own: then the wrapper itself is what changed.
        let named = match (told.last(), changed.as_str()) {
            (Some(way), "") => (way.object.clone(), way.field.clone()),
            _ => (object.clone(), changed.clone()),
        };
        let (was, is) = match place.step {
            PathStep::Root(id) => (
                root_edge(self.before, id, &changed, old),
                root_edge(self.after, id, &changed, new),
            ),
            _ => {
                let partner = self.partners.get(place.from);
                (edges(self.before, place.from), edges(self.after, partner))
            }
        };
        let gone: Vec<&AroundEdge> = was.iter().filter(|edge| !has(&is, edge)).collect();
        let come: Vec<&AroundEdge> = is.iter().filter(|edge| !has(&was, edge)).collect();
        let staying = was.iter().filter(|edge| has(&is, edge)).take(STAYING);
        told.extend(staying.map(|edge| edge.of(&object, Side::Both)));
        told.extend(
            gone.iter()
                .take(CHANGED)
                .map(|edge| edge.of(&object, Side::Before)),
        );
        told.extend(
            come.iter()
                .take(CHANGED)
                .map(|edge| edge.of(&object, Side::After)),
        );
        // What is too far behind in a large collection, or looks the same on both sides, is reported anyway.
        let is_told = gone
            .iter()
            .chain(&come)
            .any(|edge| changed.is_empty() || edge.field == changed);
        if !is_told {
            told.retain(|triple| (&triple.object, &triple.field) != (&named.0, &named.1));
            for (value, side) in [(old, Side::Before), (new, Side::After)] {
                told.extend(value.map(|value| Nearby {
                    object: named.0.clone(),
                    field: named.1.clone(),
                    value: value.clone(),
                    side,
                }));
            }
        }
        let mut below: Vec<Nearby> = Vec::new();
        for edge in gone.iter().take(BELOW) {
            let object = joined(&object, &edge.field);
            let inside = edges(self.before, edge.target).into_iter().take(BELOW);
            below.extend(inside.map(|inner| inner.of(&object, Side::Before)));
        }
        for edge in come.iter().take(BELOW) {
            let object = joined(&object, &edge.field);
            for inner in edges(self.after, edge.target).into_iter().take(BELOW) {
                let after = inner.of(&object, Side::After);
                let same = |before: &&mut Nearby| {
                    (&before.object, &before.field, &before.value.text)
                        == (&after.object, &after.field, &after.value.text)
                };
                match below.iter_mut().find(same) {
                    Some(before) => before.side = Side::Both,
                    None => below.push(after),
                }
            }
        }
        told.extend(below);
        told
    }

    /// From the root to the object that holds the difference, without what else the objects on the way hold.
    fn way(&self, chain: &[StepFrom]) -> Vec<Nearby> {
        let mut way = Vec::new();
        let mut path = String::new();
        for (place, below) in chain.iter().zip(&chain[1..]) {
            let (object, field) = self.named(*place, &path);
            if !field.is_empty() {
                way.push(Nearby {
                    object,
                    field,
                    value: plain(self.before, below.from),
                    side: Side::Both,
                });
            }
            path.push_str(&self.step(*place));
        }
        way
    }

    /// The object that a place is in, whose path is known, and the field. A wrapper has no name for what it wraps.
    fn named(&self, place: StepFrom, path: &str) -> (String, String) {
        match place.step {
            PathStep::Root(id) => {
                let name = self.before.shapes.root(id).map(|root| root.name.as_str());
                let (class, field) = name.and_then(|name| name.rsplit_once('.')).unwrap_or_default();
                (simple(class), field.to_owned())
            }
            _ => {
                let field = self.step(place);
                (path.to_owned(), field.trim_start_matches('.').to_owned())
            }
        }
    }
}

fn has(edges: &[AroundEdge], wanted: &AroundEdge) -> bool {
    edges
        .iter()
        .any(|edge| edge.field == wanted.field && edge.value.text == wanted.value.text)
}

/// As a path goes on.
fn joined(object: &str, field: &str) -> String {
    if field.starts_with('[') {
        format!("{object}{field}")
    } else {
        format!("{object}.{field}")
    }
}

fn root_edge(index: &Index<'_>, id: u32, field: &str, value: Option<&Shown>) -> Vec<AroundEdge> {
    let is_reference = index.shapes.root(id).is_some_and(|root| root.kind == b'L');
    let root = index.roots.iter().find(|(root, _)| *root == id);
    let number = root.filter(|_| is_reference).map_or(0, |(_, value)| value[0]);
    let edge = |value: &Shown| AroundEdge {
        field: field.to_owned(),
        value: value.clone(),
        target: target(index, number),
    };
    value.map(edge).into_iter().collect()
}

/// What leaves an object; of a wrapper what leaves the object inside.
fn edges(index: &Index<'_>, number: u32) -> Vec<AroundEdge> {
    let Some(node) = index.node(number) else {
        return Vec::new();
    };
    if let Some(inside) = transparent(&node) {
        return edges(index, inside);
    }
    let to = |field: String, number: u32| AroundEdge {
        field,
        value: describe::object(index, number),
        target: target(index, number),
    };
    let mut all: Vec<AroundEdge> = match node.shape.view {
        _ if node.count > LARGE => Vec::new(),
        View::Sequence | View::Bag => {
            let elements = node.contents().enumerate();
            elements
                .map(|(place, one)| to(format!("[{place}]"), one))
                .collect()
        }
        View::OrderedMap | View::UnorderedMap => {
            let mut all: Vec<AroundEdge> = node
                .entries()
                .map(|(key, value)| to(format!("[{}]", plain(index, key)), value))
                .collect();
            if node.shape.view == View::UnorderedMap {
                all.sort_by(|a, b| a.field.cmp(&b.field));
            }
            all
        }
        _ => Vec::new(),
    };
    all.extend(node.fields().map(|(place, kind, words)| {
        let name = &node.shape.fields[place].name;
        match kind {
            b'L' => to(name.clone(), words[0]),
            _ => AroundEdge {
                field: name.clone(),
                value: describe::value(index, kind, words),
                target: 0,
            },
        }
    }));
    all
}

/// The object with this number if there is more to say of it than its description does.
fn target(index: &Index<'_>, number: u32) -> u32 {
    match index.node(number) {
        Some(node) if !node.shape.is_value && !node.shape.is_enum && node.shape.view != View::Text => number,
        _ => 0,
    }
}
