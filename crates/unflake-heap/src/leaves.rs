//! What a root reaches, as texts that mean the same in every JVM: to compare a class's fields right after its
//! initialiser with those of another run (P6).

use crate::describe::{self, field_step, plain, transparent};
use crate::index::{Index, Malformed, Value};
use crate::packed::Packed;
use crate::shape::{Shapes, View};
use std::collections::{BTreeSet, VecDeque};
use unflake_protocol::{Leaf, Shown, Slot};

/// So many say enough of one root.
const MOST: usize = 100;

/// For each root of `after` that `before` does not have: its name, and paths with values, the shortest first.
pub fn new_roots(
    shapes: &Shapes,
    before: &Packed,
    after: &Packed,
) -> Result<Vec<(String, Vec<Leaf>)>, Malformed> {
    let before = Index::new(before, shapes)?;
    let old: BTreeSet<u32> = before.roots.iter().map(|(id, _)| *id).collect();
    let index = Index::new(after, shapes)?;
    let fresh = index.roots.iter().filter(|(id, _)| !old.contains(id));
    let named = fresh.filter_map(|(id, value)| {
        let root = shapes.root(*id)?;
        let field = root.name.rsplit('.').next().unwrap_or_default();
        let way = LeafWay {
            path: root.short(),
            slot: Slot::Field(field.to_owned()),
        };
        Some((root.name.clone(), leaves(&index, way, root.kind, *value)))
    });
    Ok(named.collect())
}

/// How a value was reached.
#[derive(Clone, Debug)]
struct LeafWay {
    path: String,
    slot: Slot,
}

impl LeafWay {
    fn to(&self, step: &str, slot: Slot) -> LeafWay {
        LeafWay {
            path: format!("{}{step}", self.path),
            slot,
        }
    }

    fn leaf(self, value: Shown) -> Leaf {
        Leaf {
            path: self.path,
            slot: self.slot,
            value,
        }
    }
}

fn leaves(index: &Index<'_>, way: LeafWay, kind: u8, value: Value) -> Vec<Leaf> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::from([(way, kind, value)]);
    while let Some((way, kind, value)) = queue.pop_front() {
        if found.len() >= MOST {
            break;
        }
        let node = if kind == b'L' { index.node(value[0]) } else { None };
        let Some(node) = node.filter(|node| !node.shape.is_value && !node.shape.is_enum) else {
            found.push(way.leaf(describe::value(index, kind, value)));
            continue;
        };
        if !seen.insert(value[0]) {
            continue;
        }
        if transparent(&node).is_none() {
            let shown = Shown::object(&node.shape.class, node.shape.to_string());
            found.push(way.clone().leaf(shown));
        }
        match node.shape.view {
            View::Sequence => {
                for (place, one) in node.contents().enumerate() {
                    queue.push_back((way.to(&format!("[{place}]"), Slot::Index), b'L', [one, 0]));
                }
            }
            View::OrderedMap | View::UnorderedMap => {
                let mut entries: Vec<(Shown, u32)> = node
                    .entries()
                    .map(|(key, value)| (plain(index, key), value))
                    .collect();
                entries.sort_by(|(a, x), (b, y)| (&a.text, x).cmp(&(&b.text, y)));
                for (key, value) in entries {
                    let step = format!("[{key}]");
                    queue.push_back((way.to(&step, Slot::Key(key)), b'L', [value, 0]));
                }
            }
            View::Text | View::Numbers(_) => {
                found.push(way.clone().leaf(describe::object(index, value[0])));
            }
            View::Opaque | View::Fields | View::Bag => {}
        }
        for (place, kind, value) in node.fields() {
            let next = match field_step(node.shape, place) {
                step if step.is_empty() => way.clone(),
                step => way.to(&step, Slot::Field(node.shape.fields[place].name.clone())),
            };
            queue.push_back((next, kind, value));
        }
    }
    found
}
