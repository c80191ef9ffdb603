//! Common-roots isomorphism (definitions 1 to 5 of PolDet): are two states the same up to the identity of objects,
//! and if not, where do they differ?
//!
//! Both graphs are walked at the same time, from all common roots at once and breadth first, so that what is found
//! first has the shortest path from any root. Objects are paired as they are met; a pair that contradicts an earlier
//! one is a difference in sharing. Where edges have no order (sets, the keys of maps) partners are found by hashes of
//! what is below them. Each object is looked at a fixed number of times, so the time is linear in the size of the
//! graph for all but pathological keys.
//!
//! The heap may be large, and the JVM that it belongs to is not ours. So what has nothing to do with any change is
//! left out ([`islands`]), objects are read from the packed bytes whenever they are needed ([`Index`]), what is known
//! of each pair is kept in rows ([`pages`]), and what waits to be looked at is pairs, not the references that lead on
//! from them, which are read again when it is the pair's turn ([`Pass`]).

mod around;
mod hashes;
mod islands;
mod pages;
mod path;

use crate::describe;
use crate::index::{Index, Malformed, Node, Value, WHOLE_NUMBERS};
use crate::packed::Packed;
use crate::shape::{Shapes, View, width};
pub(crate) use hashes::Hashes;
use pages::Pages;
use path::{PathStep, StepFrom, Ways};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use unflake_protocol::{ChangeForm, Nearby, Shown, Slot, Step, What};

/// One place in which two states differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The root's number.
    pub root: u32,
    pub path: String,
    /// `None`: there was nothing.
    pub old: Option<Shown>,
    pub new: Option<Shown>,
    pub form: ChangeForm,
    /// The path for programs, as in [`unflake_protocol::StateChange::steps`].
    pub steps: Vec<Step>,
    pub slot: Slot,
    /// Of the first difference below each root, if it was asked for.
    pub around: Vec<Nearby>,
}

/// What a comparison showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// The shortest paths first.
    pub differences: Vec<Difference>,
    /// How many bytes it took beside the two states.
    pub memory: u64,
}

/// The most differences that one comparison reports; more would not help.
pub(crate) const MOST: usize = 1000;

/// Everything that differs between two states.
///
/// `around`: also what is around the first below each root, which takes longer than finding it.
pub fn differences(
    shapes: &Shapes,
    before: &Packed,
    after: &Packed,
    around: bool,
) -> Result<Compared, Malformed> {
    let (before, after) = (Index::new(before, shapes)?, Index::new(after, shapes)?);
    Ok(compared(&before, &after, around))
}

pub(crate) fn compared(before: &Index<'_>, after: &Index<'_>, around: bool) -> Compared {
    let unchanged = islands::unchanged(before, after);
    let mut comparison = Comparison {
        unchanged,
        partners: Pages::new(before.len()),
        taken: Pages::new(after.len()),
        ways: Ways::new(before.len()),
        queue: VecDeque::new(),
        most_unpacked: 0,
        found: Vec::new(),
        old_hashes: Hashes::new(before),
        new_hashes: Hashes::new(after),
        tells_around: around,
        before,
        after,
    };
    comparison.roots(Pass::Own);
    comparison.roots(Pass::Below);
    while let Some(old) = comparison.queue.pop_front()
        && comparison.found.len() < MOST
    {
        comparison.lead_on(old);
    }
    Compared {
        memory: comparison.memory() as u64,
        differences: comparison.found,
    }
}

struct Comparison<'a> {
    before: &'a Index<'a>,
    after: &'a Index<'a>,
    /// Roots that need not be looked at.
    unchanged: BTreeSet<u32>,
    /// Per object of `before`, its partner in `after`; of a value, the first that was found to be the same.
    partners: Pages,
    /// The other way round, without values.
    taken: Pages,
    /// How pairs were reached, by the object of `before`.
    ways: Ways,
    /// Pairs that lead on, by the object of `before`.
    queue: VecDeque<u32>,
    /// The most bytes that the contents of one collection took while they were compared.
    most_unpacked: usize,
    found: Vec<Difference>,
    /// Those of `before` and of `after`.
    old_hashes: Hashes<'a>,
    new_hashes: Hashes<'a>,
    tells_around: bool,
}

/// Two objects are visited twice: when they become a pair, and when their references are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// What they hold themselves: numbers, what is null on one side, what only one of them has.
    Own,
    /// The objects that both refer to.
    Below,
}

impl Comparison<'_> {
    fn memory(&self) -> usize {
        self.before.memory()
            + self.after.memory()
            + islands::memory(self.before.roots.len() + self.after.roots.len())
            + self.partners.memory()
            + self.taken.memory()
            + self.ways.memory()
            + self.old_hashes.memory()
            + self.new_hashes.memory()
            + self.queue.capacity() * size_of::<u32>()
            + self.most_unpacked
    }

    fn unpacked(&mut self, bytes: usize) {
        self.most_unpacked = self.most_unpacked.max(bytes);
    }

    fn roots(&mut self, pass: Pass) {
        let after: BTreeMap<u32, Value> = self.after.roots.iter().copied().collect();
        let before = self.before;
        for (id, was) in &before.roots {
            let Some(is) = after.get(id).filter(|_| !self.unchanged.contains(id)) else {
                continue;
            };
            let kind = before.shapes.root(*id).map_or(b'I', |root| root.kind);
            let place = StepFrom {
                from: 0,
                step: PathStep::Root(*id),
            };
            self.values(kind, *was, *is, place, pass);
        }
    }

    /// Two values that should be the same.
    fn values(&mut self, kind: u8, old: Value, new: Value, place: StepFrom, pass: Pass) {
        if kind == b'L' {
            self.references(old[0], new[0], place, pass);
        } else if pass == Pass::Own && old != new && !(is_nan(kind, old) && is_nan(kind, new)) {
            let texts = (
                describe::value(self.before, kind, old),
                describe::value(self.after, kind, new),
            );
            let form = match kind {
                b'I' | b'J' | b'S' | b'B' if integer(kind, new) > integer(kind, old) => ChangeForm::Increased,
                _ => ChangeForm::Replaced,
            };
            self.differ(place, Some(texts.0), Some(texts.1), form);
        }
    }

    fn references(&mut self, old: u32, new: u32, place: StepFrom, pass: Pass) {
        match (old, new, pass) {
            (0, 0, _) => {}
            (0, new, Pass::Own) => {
                let text = describe::object(self.after, new);
                self.differ(place, Some(Shown::null()), Some(text), ChangeForm::FirstSet);
            }
            (old, 0, Pass::Own) => {
                let text = describe::object(self.before, old);
                self.differ(place, Some(text), Some(Shown::null()), ChangeForm::Removed);
            }
            (0, _, Pass::Below) | (_, 0, Pass::Below) | (_, _, Pass::Own) => {}
            (old, new, Pass::Below) => self.pair(old, new, place),
        }
    }

    fn pair(&mut self, old: u32, new: u32, place: StepFrom) {
        if self.partners.get(old) == new {
            return;
        }
        let (Some(a), Some(b)) = (self.before.node(old), self.after.node(new)) else {
            return;
        };
        if a.shape.is_value && b.shape.is_value {
            if !self.same_value(&a, &b) {
                let form = match (integral(&a), integral(&b)) {
                    (Some(old), Some(new)) if new > old => ChangeForm::Increased,
                    _ => ChangeForm::Replaced,
                };
                self.replaced(old, new, place, form);
            } else if self.partners.get(old) == 0 {
                // It may be the same as others too, but mostly it is met with this one again.
                self.partners.set(old, new);
            }
            return;
        }
        // The partner of a value is only one that is known to be the same.
        let partner = if a.shape.is_value {
            0
        } else {
            self.partners.get(old)
        };
        let taken = self.taken.get(new);
        if partner != 0 || taken != 0 {
            let shared = |yes: bool, shown: Shown| if yes { shown.remarked(" (shared)") } else { shown };
            let (was, is) = (
                describe::object(self.before, old),
                describe::object(self.after, new),
            );
            self.differ(
                place,
                Some(shared(partner != 0, was)),
                Some(shared(taken != 0, is)),
                ChangeForm::Replaced,
            );
            return;
        }
        if a.id != b.id {
            // Both may have partners of their own class elsewhere.
            self.replaced(old, new, place, ChangeForm::Replaced);
            return;
        }
        self.partners.set(old, new);
        self.taken.set(new, old);
        self.ways.set(old, place);
        self.inside(&a, &b, old, Pass::Own);
        if a.references().next().is_some() {
            self.queue.push_back(old);
        }
    }

    fn lead_on(&mut self, old: u32) {
        let new = self.partners.get(old);
        if let (Some(a), Some(b)) = (self.before.node(old), self.after.node(new)) {
            self.inside(&a, &b, old, Pass::Below);
        }
    }

    /// Goes through what two partners hold.
    fn inside(&mut self, a: &Node<'_>, b: &Node<'_>, old: u32, pass: Pass) {
        match (a.shape.view, pass) {
            (View::Opaque | View::Fields, _) | (View::Text | View::Numbers(_), Pass::Below) => {}
            (View::Text, Pass::Own) => {
                if a.count != b.count || !a.contents().eq(b.contents()) {
                    let new = self.partners.get(old);
                    self.replaced(old, new, self.ways.get(old), ChangeForm::Replaced);
                }
            }
            (View::Numbers(kind), Pass::Own) => self.numbers(a, b, kind, old),
            (View::Sequence, _) => self.sequence(a, b, old, pass),
            (View::Bag, _) => {
                let entries = |node: &Node<'_>| node.contents().map(|one| (one, 0)).collect();
                self.entries(&entries(a), &entries(b), old, pass);
            }
            (View::OrderedMap | View::UnorderedMap, _) => {
                self.entries(&a.entries().collect(), &b.entries().collect(), old, pass);
            }
        }
        for ((field, kind, was), (_, _, is)) in a.fields().zip(b.fields()) {
            let step = PathStep::Field(u32::try_from(field).unwrap_or(0));
            self.values(kind, was, is, StepFrom { from: old, step }, pass);
        }
    }

    fn replaced(&mut self, old: u32, new: u32, place: StepFrom, form: ChangeForm) {
        let (mut was, mut is) = (
            describe::object(self.before, old),
            describe::object(self.after, new),
        );
        if was.text == is.text {
            was = was.remarked(" (one)");
            is = is.remarked(" (another)");
        }
        self.differ(place, Some(was), Some(is), form);
    }

    /// Whether two values have the same contents. Values hold values, or what nobody looks into, and never themselves.
    fn same_value(&self, a: &Node<'_>, b: &Node<'_>) -> bool {
        let same = |old: u32, new: u32| match (self.before.node(old), self.after.node(new)) {
            (Some(a), Some(b)) => self.same_value(&a, &b),
            _ => old == new,
        };
        a.id == b.id
            && a.count == b.count
            && match a.shape.view {
                View::Fields => true,
                View::Sequence => a.contents().zip(b.contents()).all(|(x, y)| same(x, y)),
                _ => a.contents().eq(b.contents()),
            }
            && a.fields().zip(b.fields()).all(|((_, kind, was), (_, _, is))| {
                if kind == b'L' {
                    (was[0] == 0) == (is[0] == 0) && (was[0] == 0 || same(was[0], is[0]))
                } else {
                    was == is
                }
            })
    }

    fn numbers(&mut self, a: &Node<'_>, b: &Node<'_>, kind: u8, old: u32) {
        let (was, is): (Vec<u32>, Vec<u32>) = (a.contents().collect(), b.contents().collect());
        if a.count == b.count && was == is {
            return;
        }
        let is_whole = a.count * width(kind) <= WHOLE_NUMBERS;
        let elements = |place| {
            (
                describe::element(&was, kind, place),
                describe::element(&is, kind, place),
            )
        };
        let mut pairs = (0..a.count).map(|place| (place, elements(place)));
        let first = if a.count == b.count && is_whole {
            pairs.find(|(_, (was, is))| was != is)
        } else {
            None
        };
        if let Some((place, (was, is))) = first {
            let step = PathStep::Element(u32::try_from(place).unwrap_or(0));
            let place = StepFrom { from: old, step };
            self.differ(place, Some(was), Some(is), ChangeForm::Replaced);
            return;
        }
        let length = |node: &Node<'_>| Shown::new(What::Length, format!("{} elements", node.count));
        let other = if a.count == b.count { " (others)" } else { "" };
        let form = if b.count > a.count {
            ChangeForm::Grown
        } else {
            ChangeForm::Replaced
        };
        let place = self.ways.get(old);
        self.differ(place, Some(length(a)), Some(length(b).remarked(other)), form);
    }

    fn sequence(&mut self, a: &Node<'_>, b: &Node<'_>, old: u32, pass: Pass) {
        let at = |place: usize| StepFrom {
            from: old,
            step: PathStep::Element(u32::try_from(place).unwrap_or(0)),
        };
        if a.count == b.count {
            for (place, (x, y)) in a.contents().zip(b.contents()).enumerate() {
                self.references(x, y, at(place), pass);
            }
            return;
        }
        // What is the same at both ends is paired, what is left between was added or removed.
        let (was, is): (Vec<u32>, Vec<u32>) = (a.contents().collect(), b.contents().collect());
        let mut same = |(x, y): &(&u32, &u32)| {
            **x == 0 && **y == 0 || self.old_hashes.of(**x) == self.new_hashes.of(**y)
        };
        let first = was.iter().zip(&is).take_while(&mut same).count();
        let most = was.len().min(is.len()) - first;
        let ends = was.iter().rev().zip(is.iter().rev()).take(most);
        let last = ends.take_while(same).count();
        if pass == Pass::Own {
            let form = if was.len() == first + last {
                ChangeForm::Grown
            } else {
                ChangeForm::Replaced
            };
            for (place, gone) in was.iter().enumerate().take(was.len() - last).skip(first) {
                let text = describe::object(self.before, *gone);
                self.differ(at(place), Some(text), None, ChangeForm::Removed);
            }
            for (place, come) in is.iter().enumerate().take(is.len() - last).skip(first) {
                let text = describe::object(self.after, *come);
                self.differ(at(place), None, Some(text), form);
            }
        }
        for place in 0..first {
            self.references(was[place], is[place], at(place), pass);
        }
        for back in (1..=last).rev() {
            let (x, y) = (was[was.len() - back], is[is.len() - back]);
            self.references(x, y, at(was.len() - back), pass);
        }
    }

    /// Pairs entries by their keys; what has no partner was added or removed.
    fn entries(&mut self, was: &Entries, is: &Entries, old: u32, pass: Pass) {
        let keys = |hashes: &mut Hashes<'_>, entries: &Entries| -> Vec<(u64, usize)> {
            let hashes = entries.iter().map(|(key, _)| hashes.of(*key));
            hashes.zip(0..).collect()
        };
        let (mut first, mut second) = (keys(&mut self.old_hashes, was), keys(&mut self.new_hashes, is));
        let entry_size = size_of::<(u64, usize)>() + 2 * size_of::<(u32, u32)>();
        self.unpacked((was.len() + is.len()) * entry_size);
        let is_same = first == second;
        if is_same && pass == Pass::Own && was.iter().zip(is).all(|((_, x), (_, y))| (*x == 0) == (*y == 0)) {
            return;
        }
        first.sort_unstable();
        second.sort_unstable();
        if !is_same && pass == Pass::Own {
            self.reordered(&first, &second, old);
        }
        let at = |step: PathStep| StepFrom { from: old, step };
        let (mut i, mut j) = (0, 0);
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        while i < first.len() || j < second.len() {
            match (first.get(i), second.get(j)) {
                (Some((x, p)), Some((y, q))) if x == y => {
                    let ((old_key, old_value), (new_key, new_value)) = (was[*p], is[*q]);
                    self.references(old_value, new_value, at(PathStep::OldKey(old_key)), pass);
                    if old_key != 0 && new_key != 0 {
                        self.references(old_key, new_key, at(PathStep::Key(old_key)), pass);
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
        if pass == Pass::Below {
            return;
        }
        let form = if gone.is_empty() {
            ChangeForm::Grown
        } else {
            ChangeForm::Replaced
        };
        for (key, value) in gone {
            let text = entry(self.before, value);
            self.differ(at(PathStep::OldKey(key)), Some(text), None, ChangeForm::Removed);
        }
        for (key, value) in come {
            let text = entry(self.after, value);
            self.differ(at(PathStep::NewKey(key)), None, Some(text), form);
        }
    }

    /// Where the order of entries counts, the same ones in another order are a difference of the map as a whole.
    fn reordered(&mut self, first: &[(u64, usize)], second: &[(u64, usize)], old: u32) {
        let is_ordered = |node: Node<'_>| node.shape.view == View::OrderedMap;
        let hash = |(hash, _): &(u64, usize)| *hash;
        let has_same_keys = first.iter().map(hash).eq(second.iter().map(hash));
        if has_same_keys && self.before.node(old).is_some_and(is_ordered) {
            let new = self.partners.get(old);
            self.replaced(old, new, self.ways.get(old), ChangeForm::Replaced);
        }
    }

    fn differ(&mut self, place: StepFrom, old: Option<Shown>, new: Option<Shown>, form: ChangeForm) {
        if self.found.len() >= MOST {
            return;
        }
        let chain = self.chain(place);
        let root = chain.first().map_or(0, StepFrom::root);
        let is_first = !self.found.iter().any(|known| known.root == root);
        let around = if self.tells_around && is_first {
            self.around(&chain, old.as_ref(), new.as_ref())
        } else {
            Vec::new()
        };
        self.found.push(Difference {
            root,
            path: self.path(&chain),
            old,
            new,
            form,
            steps: self.steps(&chain),
            slot: self.slot(&chain),
            around,
        });
    }
}

/// Keys and values.
type Entries = Vec<(u32, u32)>;

/// What is said of an entry: its value, or that it is there.
pub(crate) fn entry(index: &Index<'_>, value: u32) -> Shown {
    match index.node(value) {
        Some(node) if node.shape.class != "java.lang.Object" => describe::object(index, value),
        _ => Shown::new(What::Present, "present"),
    }
}

/// Not a number has many faces, and all mean the same.
pub(crate) fn is_nan(kind: u8, words: Value) -> bool {
    match kind {
        b'F' => f32::from_bits(words[0]).is_nan(),
        b'D' => f64::from_bits(u64::from(words[0]) | u64::from(words[1]) << 32).is_nan(),
        _ => false,
    }
}

pub(crate) fn integer(kind: u8, words: Value) -> i64 {
    match kind {
        b'J' => (u64::from(words[0]) | u64::from(words[1]) << 32).cast_signed(),
        _ => i64::from(words[0].cast_signed()),
    }
}

/// The number in a box of an integral type.
pub(crate) fn integral(node: &Node<'_>) -> Option<i64> {
    let (_, kind, words) = node.fields().next()?;
    (node.shape.fields.len() == 1 && matches!(kind, b'I' | b'J' | b'S' | b'B')).then(|| integer(kind, words))
}
