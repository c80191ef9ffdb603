//! Common-roots isomorphism (definitions 1 to 5 of PolDet): are two states the same up to the identity of objects, and if
//! not, where do they differ?
//!
//! Both graphs are walked at the same time, from all common roots at once and breadth first, so that what is found first has
//! the shortest path from any root. Objects are paired as they are met; a pair that contradicts an earlier one is a
//! difference in sharing. Where edges have no order (sets, the keys of maps) partners are found by hashes of what is below
//! them. Each object is looked at once, so the time is linear in the size of the graph for all but pathological keys.

mod around;

use crate::describe::{self, field_step, plain};
use crate::shape::{Shapes, View, width};
use crate::state::{Index, Malformed, Node, State, WHOLE_NUMBERS};
use std::collections::{BTreeMap, VecDeque};
use unflake_protocol::{ChangeForm, Triple};

/// One place in which two states differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The root's number.
    pub root: u32,
    pub path: String,
    /// `None`: there was nothing.
    pub old: Option<String>,
    pub new: Option<String>,
    pub form: ChangeForm,
    /// The class of the object that holds what differs; empty for a root.
    pub holder: String,
    /// The path for programs, as in [`unflake_protocol::StateChange::steps`].
    pub steps: Vec<String>,
    /// Of the first difference below each root, if it was asked for.
    pub around: Vec<Triple>,
}

/// The most that is told of one comparison: more do not help anybody.
const MOST: usize = 1000;

/// Everything that differs between two states, the shortest paths first.
///
/// `around`: also what is around the first below each root, which takes longer than finding it.
pub fn differences(
    shapes: &Shapes,
    before: &State,
    after: &State,
    around: bool,
) -> Result<Vec<Difference>, Malformed> {
    let (before, after) = (before.index(shapes)?, after.index(shapes)?);
    let mut comparison = Comparison {
        partners: vec![0; before.len()],
        taken: vec![0; after.len()],
        links: Vec::new(),
        queue: VecDeque::new(),
        found: Vec::new(),
        tells_around: around,
        before: &before,
        after: &after,
    };
    comparison.roots();
    while let Some((old, new, link)) = comparison.queue.pop_front() {
        comparison.pair(old, new, link);
        if comparison.found.len() >= MOST {
            break;
        }
    }
    Ok(comparison.found)
}

struct Comparison<'a> {
    before: &'a Index<'a>,
    after: &'a Index<'a>,
    /// Per object of `before`, its partner in `after`; 0: none yet.
    partners: Vec<u32>,
    /// The other way round.
    taken: Vec<u32>,
    /// How pairs were reached.
    links: Vec<Link>,
    queue: VecDeque<(u32, u32, u32)>,
    found: Vec<Difference>,
    tells_around: bool,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    parent: u32,
    step: Step,
    /// The object of `before` that the step leads away from; 0: a root.
    from: u32,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Root(u32),
    Field(u32),
    Element(u32),
    /// By this key of `before` or, if it is new, of `after`.
    OldKey(u32),
    NewKey(u32),
    /// The key itself.
    Key(u32),
}

const NO_PARENT: u32 = u32::MAX;

impl Comparison<'_> {
    fn roots(&mut self) {
        let after: BTreeMap<u32, usize> = self.after.roots.iter().copied().collect();
        let common: Vec<(u32, usize, usize)> = self
            .before
            .roots
            .iter()
            .filter_map(|(id, at)| Some((*id, *at, *after.get(id)?)))
            .collect();
        for (id, old, new) in common {
            let link = self.link(NO_PARENT, Step::Root(id), 0);
            let kind = self.before.shapes.root(id).map_or(b'I', |root| root.kind);
            let words = |at: usize, index: &Index<'_>| {
                [index.words[at], index.words.get(at + 1).copied().unwrap_or(0)]
            };
            let (old, new) = (words(old, self.before), words(new, self.after));
            self.values(kind, &old, &new, link);
        }
    }

    fn link(&mut self, parent: u32, step: Step, from: u32) -> u32 {
        self.links.push(Link { parent, step, from });
        u32::try_from(self.links.len() - 1).unwrap_or(NO_PARENT)
    }

    /// Two values that should be the same.
    fn values(&mut self, kind: u8, old: &[u32], new: &[u32], link: u32) {
        let size = if matches!(kind, b'J' | b'D') { 2 } else { 1 };
        let (old, new) = (&old[..size], &new[..size]);
        if kind == b'L' {
            self.references(old[0], new[0], link);
        } else if old != new && !(is_nan(kind, old) && is_nan(kind, new)) {
            let texts = (
                describe::value(self.before, kind, old),
                describe::value(self.after, kind, new),
            );
            let form = match kind {
                b'I' | b'J' | b'S' | b'B' if integer(kind, new) > integer(kind, old) => ChangeForm::Increased,
                _ => ChangeForm::Replaced,
            };
            self.differ(link, Some(texts.0), Some(texts.1), form);
        }
    }

    fn references(&mut self, old: u32, new: u32, link: u32) {
        match (old, new) {
            (0, 0) => {}
            (0, new) => {
                let text = describe::object(self.after, new);
                self.differ(link, Some("null".to_owned()), Some(text), ChangeForm::FirstSet);
            }
            (old, 0) => {
                let text = describe::object(self.before, old);
                self.differ(link, Some(text), Some("null".to_owned()), ChangeForm::Removed);
            }
            (old, new) => self.queue.push_back((old, new, link)),
        }
    }

    fn pair(&mut self, old: u32, new: u32, link: u32) {
        let (Some(a), Some(b)) = (self.before.node(old), self.after.node(new)) else {
            return;
        };
        if a.shape.is_value && b.shape.is_value {
            if !self.same_value(old, new) {
                let form = match (integral(&a), integral(&b)) {
                    (Some(old), Some(new)) if new > old => ChangeForm::Increased,
                    _ => ChangeForm::Replaced,
                };
                self.replaced(old, new, link, form);
            }
            return;
        }
        let (partner, taken) = (self.partners[old as usize - 1], self.taken[new as usize - 1]);
        if partner == new {
            return;
        }
        if partner != 0 || taken != 0 {
            let shared = |yes: bool, text: String| if yes { format!("{text} (shared)") } else { text };
            let (was, is) = (
                describe::object(self.before, old),
                describe::object(self.after, new),
            );
            self.differ(
                link,
                Some(shared(partner != 0, was)),
                Some(shared(taken != 0, is)),
                ChangeForm::Replaced,
            );
            return;
        }
        if a.id != b.id {
            // Both may have partners of their own class elsewhere.
            self.replaced(old, new, link, ChangeForm::Replaced);
            return;
        }
        self.partners[old as usize - 1] = new;
        self.taken[new as usize - 1] = old;
        match a.shape.view {
            View::Opaque | View::Fields => {}
            View::Text => {
                if a.contents() != b.contents() || a.count() != b.count() {
                    self.replaced(old, new, link, ChangeForm::Replaced);
                }
            }
            View::Numbers(kind) => self.numbers(&a, &b, kind, old, link),
            View::Sequence => self.sequence(&a, &b, old, link),
            View::Bag => self.bag(&a, &b, old, link),
            View::OrderedMap => self.ordered_map(&a, &b, old, new, link),
            View::UnorderedMap => self.unordered_map(&a, &b, old, link),
        }
        for ((field, kind, was), (_, _, is)) in a.fields().zip(b.fields()) {
            let index = u32::try_from(field).unwrap_or(0);
            if kind == b'L' && was[0] == 0 && is[0] == 0 || kind != b'L' && was == is {
                continue;
            }
            let below = self.link(link, Step::Field(index), old);
            self.values(kind, was, is, below);
        }
    }

    fn replaced(&mut self, old: u32, new: u32, link: u32, form: ChangeForm) {
        let (mut was, mut is) = (
            describe::object(self.before, old),
            describe::object(self.after, new),
        );
        if was == is {
            was = format!("{was} (one)");
            is = format!("{is} (another)");
        }
        self.differ(link, Some(was), Some(is), form);
    }

    /// Whether two values have the same contents. Values hold values only, and never themselves.
    fn same_value(&self, old: u32, new: u32) -> bool {
        let (Some(a), Some(b)) = (self.before.node(old), self.after.node(new)) else {
            return old == new;
        };
        a.id == b.id
            && a.count() == b.count()
            && match a.shape.view {
                View::Fields => true,
                View::Sequence => a
                    .contents()
                    .iter()
                    .zip(b.contents())
                    .all(|(x, y)| self.same_value(*x, *y)),
                _ => a.contents() == b.contents(),
            }
            && a.fields().zip(b.fields()).all(|((_, kind, was), (_, _, is))| {
                if kind == b'L' {
                    (was[0] == 0) == (is[0] == 0) && (was[0] == 0 || self.same_value(was[0], is[0]))
                } else {
                    was == is
                }
            })
    }

    fn numbers(&mut self, a: &Node<'_>, b: &Node<'_>, kind: u8, old: u32, link: u32) {
        if a.count() == b.count() && a.contents() == b.contents() {
            return;
        }
        let whole = |node: &Node<'_>| node.count() * width(kind) <= WHOLE_NUMBERS;
        let place = (0..a.count().min(b.count()))
            .find(|place| describe::element(a, kind, *place) != describe::element(b, kind, *place));
        match place {
            Some(place) if a.count() == b.count() && whole(a) => {
                let (was, is) = (
                    describe::element(a, kind, place),
                    describe::element(b, kind, place),
                );
                let below = self.link(link, Step::Element(u32::try_from(place).unwrap_or(0)), old);
                self.differ(below, Some(was), Some(is), ChangeForm::Replaced);
            }
            _ => {
                let text = |node: &Node<'_>| format!("{} elements", node.count());
                let other = if a.count() == b.count() { " (others)" } else { "" };
                let form = if b.count() > a.count() {
                    ChangeForm::Grown
                } else {
                    ChangeForm::Replaced
                };
                self.differ(link, Some(text(a)), Some(format!("{}{other}", text(b))), form);
            }
        }
    }

    fn sequence(&mut self, a: &Node<'_>, b: &Node<'_>, old: u32, link: u32) {
        let (was, is) = (a.contents(), b.contents());
        // What is the same at both ends is paired, what is left between was added or removed.
        let (first, last) = if was.len() == is.len() {
            (was.len(), 0)
        } else {
            let same = |x: u32, y: u32| {
                x == y && x == 0 || hash(self.before, x, DEPTH) == hash(self.after, y, DEPTH)
            };
            let first = was.iter().zip(is).take_while(|(x, y)| same(**x, **y)).count();
            let most = was.len().min(is.len()) - first;
            let ends = was.iter().rev().zip(is.iter().rev()).take(most);
            (first, ends.take_while(|(x, y)| same(**x, **y)).count())
        };
        let grown = was.len() == first + last;
        for (place, gone) in was.iter().enumerate().take(was.len() - last).skip(first) {
            let text = describe::object(self.before, *gone);
            let below = self.link(link, Step::Element(u32::try_from(place).unwrap_or(0)), old);
            self.differ(below, Some(text), None, ChangeForm::Removed);
        }
        for (place, come) in is.iter().enumerate().take(is.len() - last).skip(first) {
            let text = describe::object(self.after, *come);
            let below = self.link(link, Step::Element(u32::try_from(place).unwrap_or(0)), old);
            let form = if grown {
                ChangeForm::Grown
            } else {
                ChangeForm::Replaced
            };
            self.differ(below, None, Some(text), form);
        }
        let pairs = (0..first).map(|place| (place, was[place], is[place]));
        let ends = (0..last).map(|back| {
            let place = was.len() - last + back;
            (place, was[place], is[is.len() - last + back])
        });
        for (place, x, y) in pairs.chain(ends).collect::<Vec<_>>() {
            if x != 0 || y != 0 {
                let below = self.link(link, Step::Element(u32::try_from(place).unwrap_or(0)), old);
                self.references(x, y, below);
            }
        }
    }

    fn bag(&mut self, a: &Node<'_>, b: &Node<'_>, old: u32, link: u32) {
        let was: Vec<(u32, u32)> = a.contents().iter().map(|one| (*one, 0)).collect();
        let is: Vec<(u32, u32)> = b.contents().iter().map(|one| (*one, 0)).collect();
        self.entries(&was, &is, old, link);
    }

    fn unordered_map(&mut self, a: &Node<'_>, b: &Node<'_>, old: u32, link: u32) {
        self.entries(&pairs(a), &pairs(b), old, link);
    }

    /// The same entries in another order are a difference of the map as a whole; else they are compared by their keys.
    fn ordered_map(&mut self, a: &Node<'_>, b: &Node<'_>, old: u32, new: u32, link: u32) {
        let (was, is) = (pairs(a), pairs(b));
        let keys = |index: &Index<'_>, entries: &[(u32, u32)]| -> Vec<u64> {
            entries.iter().map(|(key, _)| hash(index, *key, DEPTH)).collect()
        };
        let (first, second) = (keys(self.before, &was), keys(self.after, &is));
        let sorted = |mut keys: Vec<u64>| {
            keys.sort_unstable();
            keys
        };
        if first != second && sorted(first) == sorted(second) {
            self.replaced(old, new, link, ChangeForm::Replaced);
        }
        self.entries(&was, &is, old, link);
    }

    /// Pairs entries by their keys; what has no partner was added or removed.
    fn entries(&mut self, was: &[(u32, u32)], is: &[(u32, u32)], old: u32, link: u32) {
        let sorted = |index: &Index<'_>, entries: &[(u32, u32)]| {
            let mut keys: Vec<(u64, usize)> = entries
                .iter()
                .enumerate()
                .map(|(place, (key, _))| (hash(index, *key, DEPTH), place))
                .collect();
            keys.sort_unstable();
            keys
        };
        let (first, second) = (sorted(self.before, was), sorted(self.after, is));
        let (mut i, mut j) = (0, 0);
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        while i < first.len() || j < second.len() {
            match (first.get(i), second.get(j)) {
                (Some((x, p)), Some((y, q))) if x == y => {
                    let ((old_key, old_value), (new_key, new_value)) = (was[*p], is[*q]);
                    if old_value != 0 || new_value != 0 {
                        let below = self.link(link, Step::OldKey(old_key), old);
                        self.references(old_value, new_value, below);
                    }
                    if old_key != 0 && new_key != 0 {
                        let below = self.link(link, Step::Key(old_key), old);
                        self.queue.push_back((old_key, new_key, below));
                    }
                    i += 1;
                    j += 1;
                }
                (Some((x, p)), other) if other.is_none_or(|(y, _)| x < y) => {
                    gone.push(was[*p]);
                    i += 1;
                }
                (_, Some((_, q))) => {
                    come.push(is[*q]);
                    j += 1;
                }
                _ => break,
            }
        }
        let grown = gone.is_empty();
        for (key, value) in gone {
            let text = entry(self.before, value);
            let below = self.link(link, Step::OldKey(key), old);
            self.differ(below, Some(text), None, ChangeForm::Removed);
        }
        for (key, value) in come {
            let text = entry(self.after, value);
            let below = self.link(link, Step::NewKey(key), old);
            let form = if grown {
                ChangeForm::Grown
            } else {
                ChangeForm::Replaced
            };
            self.differ(below, None, Some(text), form);
        }
    }

    fn differ(&mut self, link: u32, old: Option<String>, new: Option<String>, form: ChangeForm) {
        if self.found.len() >= MOST {
            return;
        }
        let (root, path) = self.path(link);
        let from = self.links[link as usize].from;
        let holder = self.before.node(from).map(|node| node.shape.class.clone());
        let is_first = !self.found.iter().any(|known| known.root == root);
        let around = if self.tells_around && is_first {
            self.around(link, old.as_deref(), new.as_deref())
        } else {
            Vec::new()
        };
        self.found.push(Difference {
            root,
            path,
            old,
            new,
            form,
            holder: holder.unwrap_or_default(),
            steps: self.steps(link),
            around,
        });
    }

    fn path(&self, link: u32) -> (u32, String) {
        let mut steps = Vec::new();
        let mut root = 0;
        let mut next = link;
        while let Some(Link { parent, step, .. }) = self.links.get(next as usize).copied() {
            if let Step::Root(id) = step {
                root = id;
            }
            steps.push(self.step(next));
            next = parent;
        }
        steps.reverse();
        (root, steps.concat())
    }

    /// What a link adds to a path.
    fn step(&self, link: u32) -> String {
        let Link { step, from, .. } = self.links[link as usize];
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

    fn steps(&self, link: u32) -> Vec<String> {
        let mut steps = Vec::new();
        let mut next = link;
        while let Some(Link { parent, step, from }) = self.links.get(next as usize).copied() {
            steps.extend(match step {
                Step::Root(id) => self.before.shapes.root(id).map(|root| root.name.clone()),
                Step::Field(index) => self.before.node(from).and_then(|node| {
                    let field = field_step(node.shape, index as usize);
                    (!field.is_empty()).then(|| format!("{}{field}", node.shape.class))
                }),
                Step::Element(_) | Step::OldKey(_) | Step::NewKey(_) | Step::Key(_) => Some("[]".to_owned()),
            });
            next = parent;
        }
        steps.reverse();
        steps
    }
}

fn pairs(node: &Node<'_>) -> Vec<(u32, u32)> {
    node.contents()
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect()
}

/// What is said of an entry: its value, or that it is there.
fn entry(index: &Index<'_>, value: u32) -> String {
    match index.node(value) {
        Some(node) if node.shape.class != "java.lang.Object" => describe::object(index, value),
        _ => "present".to_owned(),
    }
}

/// Not a number has many faces, and all mean the same.
fn is_nan(kind: u8, words: &[u32]) -> bool {
    match kind {
        b'F' => f32::from_bits(words[0]).is_nan(),
        b'D' => f64::from_bits(u64::from(words[0]) | u64::from(words[1]) << 32).is_nan(),
        _ => false,
    }
}

fn integer(kind: u8, words: &[u32]) -> i64 {
    match kind {
        b'J' => (u64::from(words[0]) | u64::from(words[1]) << 32).cast_signed(),
        _ => i64::from(words[0].cast_signed()),
    }
}

/// The number in a box of an integral type.
fn integral(node: &Node<'_>) -> Option<i64> {
    let (_, kind, words) = node.fields().next()?;
    (node.shape.fields.len() == 1 && matches!(kind, b'I' | b'J' | b'S' | b'B')).then(|| integer(kind, words))
}

/// How deep below a key or an element is looked to find its partner. What differs only below that is paired by chance, and
/// the difference is then found where it is.
const DEPTH: usize = 3;

/// A hash of an object's contents: equal for isomorphic objects.
fn hash(index: &Index<'_>, number: u32, depth: usize) -> u64 {
    let Some(node) = index.node(number) else { return 1 };
    let mut hash = mix(0x9e37_79b9_7f4a_7c15, u64::from(node.id));
    hash = mix(hash, node.count() as u64);
    // Values are small, and keys more often than not.
    let depth = if node.shape.is_value { depth.max(1) } else { depth };
    if depth == 0 {
        return hash;
    }
    match node.shape.view {
        View::Opaque | View::Fields => {}
        View::Text | View::Numbers(_) => {
            for word in node.contents() {
                hash = mix(hash, u64::from(*word));
            }
        }
        View::Sequence => {
            for one in node.contents() {
                hash = mix(hash, self::hash(index, *one, depth - 1));
            }
        }
        View::Bag => {
            let sum = node.contents().iter().fold(0, |sum: u64, one| {
                sum.wrapping_add(self::hash(index, *one, depth - 1))
            });
            hash = mix(hash, sum);
        }
        View::OrderedMap | View::UnorderedMap => {
            let entry = |pair: &[u32]| {
                mix(
                    self::hash(index, pair[0], depth - 1),
                    self::hash(index, pair[1], depth - 1),
                )
            };
            let sum = node
                .contents()
                .chunks_exact(2)
                .fold(0, |sum: u64, pair| sum.wrapping_add(entry(pair)));
            hash = mix(hash, sum);
        }
    }
    for (_, kind, words) in node.fields() {
        if kind == b'L' {
            hash = mix(hash, self::hash(index, words[0], depth - 1));
        } else {
            for word in words {
                hash = mix(hash, u64::from(*word));
            }
        }
    }
    hash
}

fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x2545_f491_4f6c_dd1d);
    mixed ^ mixed >> 29
}
