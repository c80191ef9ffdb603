//! What a root reaches, as texts that mean the same in every JVM: to compare a class's fields right after its
//! initialiser with those of another run (P6).

use crate::describe::{self, field_step, plain, transparent};
use crate::index::{Index, Malformed, Value};
use crate::packed::Packed;
use crate::shape::{Shapes, View};
use std::collections::{BTreeSet, VecDeque};

/// So many say enough of one root.
const MOST: usize = 100;

/// Paths and values.
pub type Leaves = Vec<(String, String)>;

/// For each root of `after` that `before` does not have: its name, and paths with values, the shortest first.
pub fn new_roots(
    shapes: &Shapes,
    before: &Packed,
    after: &Packed,
) -> Result<Vec<(String, Leaves)>, Malformed> {
    let before = Index::new(before, shapes)?;
    let old: BTreeSet<u32> = before.roots.iter().map(|(id, _)| *id).collect();
    let index = Index::new(after, shapes)?;
    let fresh = index.roots.iter().filter(|(id, _)| !old.contains(id));
    let named = fresh.filter_map(|(id, value)| {
        let root = shapes.root(*id)?;
        Some((root.name.clone(), leaves(&index, root.short(), root.kind, *value)))
    });
    Ok(named.collect())
}

fn leaves(index: &Index<'_>, path: String, kind: u8, value: Value) -> Leaves {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::from([(path, kind, value)]);
    while let Some((path, kind, value)) = queue.pop_front() {
        if found.len() >= MOST {
            break;
        }
        let node = if kind == b'L' { index.node(value[0]) } else { None };
        let Some(node) = node.filter(|node| !node.shape.is_value && !node.shape.is_enum) else {
            found.push((path, describe::value(index, kind, value)));
            continue;
        };
        if !seen.insert(value[0]) {
            continue;
        }
        if transparent(&node).is_none() {
            found.push((path.clone(), node.shape.to_string()));
        }
        match node.shape.view {
            View::Sequence => {
                for (place, one) in node.contents().enumerate() {
                    queue.push_back((format!("{path}[{place}]"), b'L', [one, 0]));
                }
            }
            View::OrderedMap | View::UnorderedMap => {
                let mut entries: Vec<(String, u32)> = node
                    .entries()
                    .map(|(key, value)| (plain(index, key), value))
                    .collect();
                entries.sort();
                for (key, value) in entries {
                    queue.push_back((format!("{path}[{key}]"), b'L', [value, 0]));
                }
            }
            View::Text | View::Numbers(_) => found.push((path.clone(), describe::object(index, value[0]))),
            View::Opaque | View::Fields | View::Bag => {}
        }
        for (place, kind, value) in node.fields() {
            let step = field_step(node.shape, place);
            queue.push_back((format!("{path}{step}"), kind, value));
        }
    }
    found
}
