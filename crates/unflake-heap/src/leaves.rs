//! What a root reaches, as texts that mean the same in every JVM: to compare a class's fields right after its
//! initialiser with those of another run (P6).

use crate::describe::{self, field_step, plain, transparent};
use crate::shape::{Shapes, View};
use crate::state::{Index, Malformed, State};
use std::collections::{BTreeSet, VecDeque};

/// So many say enough of one root.
const MOST: usize = 100;

/// Paths and values.
pub type Leaves = Vec<(String, String)>;

/// For each root of `after` that `before` does not have: its name, and paths with values, the shortest first.
pub fn new_roots(shapes: &Shapes, before: &State, after: &State) -> Result<Vec<(String, Leaves)>, Malformed> {
    let old: BTreeSet<u32> = before.index(shapes)?.roots.iter().map(|(id, _)| *id).collect();
    let index = after.index(shapes)?;
    let fresh = index.roots.iter().filter(|(id, _)| !old.contains(id));
    let named = fresh.filter_map(|(id, at)| {
        let root = shapes.root(*id)?;
        let words = [index.words[*at], index.words.get(at + 1).copied().unwrap_or(0)];
        Some((root.name.clone(), leaves(&index, root.short(), root.kind, &words)))
    });
    Ok(named.collect())
}

fn leaves(index: &Index<'_>, path: String, kind: u8, words: &[u32]) -> Leaves {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::from([(path, kind, words.to_vec())]);
    while let Some((path, kind, words)) = queue.pop_front() {
        if found.len() >= MOST {
            break;
        }
        let node = if kind == b'L' { index.node(words[0]) } else { None };
        let Some(node) = node.filter(|node| !node.shape.is_value && !node.shape.is_enum) else {
            found.push((path, describe::value(index, kind, &words)));
            continue;
        };
        if !seen.insert(words[0]) {
            continue;
        }
        if transparent(&node).is_none() {
            found.push((path.clone(), node.shape.to_string()));
        }
        match node.shape.view {
            View::Sequence => {
                for (place, one) in node.contents().iter().enumerate() {
                    queue.push_back((format!("{path}[{place}]"), b'L', vec![*one]));
                }
            }
            View::OrderedMap | View::UnorderedMap => {
                let mut entries: Vec<(String, u32)> = node
                    .contents()
                    .chunks_exact(2)
                    .map(|pair| (plain(index, pair[0]), pair[1]))
                    .collect();
                entries.sort();
                for (key, value) in entries {
                    queue.push_back((format!("{path}[{key}]"), b'L', vec![value]));
                }
            }
            View::Text | View::Numbers(_) => found.push((path.clone(), describe::object(index, words[0]))),
            View::Opaque | View::Fields | View::Bag => {}
        }
        for (place, kind, value) in node.fields() {
            let step = field_step(node.shape, place);
            queue.push_back((format!("{path}{step}"), kind, value.to_vec()));
        }
    }
    found
}
