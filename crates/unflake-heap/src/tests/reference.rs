//! What [`crate::differences`] has to find, found the plain way: all that is known of every object and of every
//! reference is kept, and references wait in the queue one by one. What is around a difference is not told.

use crate::compare::{Difference, Hashes, MOST, entry, integer, integral, is_nan};
use crate::describe::{self, field_step, plain};
use crate::index::{Index, Marked, Node, Value, WHOLE_NUMBERS};
use crate::shape::width;
use crate::{Packed, Root, Shapes, View};
use std::collections::VecDeque;
use unflake_protocol::{ChangeForm, FieldName, Shown, Slot, Step as WayStep, What};

pub(super) fn differences(shapes: &Shapes, before: &Packed, after: &Packed) -> Vec<Difference> {
    let (before, after) = (
        Index::with_marks(before, shapes, Marked::EveryFourth).unwrap(),
        Index::with_marks(after, shapes, Marked::EveryFourth).unwrap(),
    );
    let mut comparison = Comparison {
        partners: vec![0; before.len() as usize + 1],
        taken: vec![0; after.len() as usize + 1],
        links: Vec::new(),
        queue: VecDeque::new(),
        found: Vec::new(),
        before: &before,
        after: &after,
    };
    for (id, old) in &before.roots {
        if let Some((_, new)) = after.roots.iter().find(|(other, _)| other == id) {
            let link = comparison.link(None, Step::Root(*id), 0);
            comparison.values(shapes.root(*id).unwrap().kind, *old, *new, link);
        }
    }
    while let Some((old, new, link)) = comparison.queue.pop_front() {
        comparison.pair(old, new, link);
    }
    comparison.found.truncate(MOST);
    comparison.found
}

/// Worked out each time: of these indices nothing is kept.
fn hash(index: &Index<'_>, number: u32) -> u64 {
    Hashes::new(index).of(number)
}

struct Comparison<'a> {
    before: &'a Index<'a>,
    after: &'a Index<'a>,
    partners: Vec<u32>,
    taken: Vec<u32>,
    links: Vec<Link>,
    queue: VecDeque<(u32, u32, usize)>,
    found: Vec<Difference>,
}

#[derive(Clone, Copy)]
struct Link {
    parent: Option<usize>,
    step: Step,
    from: u32,
}

#[derive(Clone, Copy)]
enum Step {
    Root(u32),
    Field(usize),
    Element(usize),
    OldKey(u32),
    NewKey(u32),
    Key(u32),
}

impl Comparison<'_> {
    fn link(&mut self, parent: Option<usize>, step: Step, from: u32) -> usize {
        self.links.push(Link { parent, step, from });
        self.links.len() - 1
    }

    fn values(&mut self, kind: u8, old: Value, new: Value, link: usize) {
        if kind == b'L' {
            self.references(old[0], new[0], link);
        } else if old != new && !(is_nan(kind, old) && is_nan(kind, new)) {
            let is_integer = matches!(kind, b'I' | b'J' | b'S' | b'B');
            let form = if is_integer && integer(kind, new) > integer(kind, old) {
                ChangeForm::Increased
            } else {
                ChangeForm::Replaced
            };
            let was = describe::value(self.before, kind, old);
            let is = describe::value(self.after, kind, new);
            self.differ(link, Some(was), Some(is), form);
        }
    }

    fn references(&mut self, old: u32, new: u32, link: usize) {
        let null = || Some(Shown::null());
        match (old, new) {
            (0, 0) => {}
            (0, new) => {
                let text = describe::object(self.after, new);
                self.differ(link, null(), Some(text), ChangeForm::FirstSet);
            }
            (old, 0) => {
                let text = describe::object(self.before, old);
                self.differ(link, Some(text), null(), ChangeForm::Removed);
            }
            (old, new) => self.queue.push_back((old, new, link)),
        }
    }

    fn pair(&mut self, old: u32, new: u32, link: usize) {
        let (a, b) = (self.before.node(old).unwrap(), self.after.node(new).unwrap());
        if a.shape.is_value && b.shape.is_value {
            if !self.same_value(old, new) {
                let is_more = integral(&a).zip(integral(&b)).is_some_and(|(a, b)| b > a);
                let form = if is_more {
                    ChangeForm::Increased
                } else {
                    ChangeForm::Replaced
                };
                self.replaced(old, new, link, form);
            }
            return;
        }
        let (partner, taken) = (self.partners[old as usize], self.taken[new as usize]);
        if partner == new {
            return;
        }
        if partner != 0 || taken != 0 {
            let shared =
                |yes: bool, shown: Shown| Some(if yes { shown.remarked(" (shared)") } else { shown });
            let was = shared(partner != 0, describe::object(self.before, old));
            let is = shared(taken != 0, describe::object(self.after, new));
            self.differ(link, was, is, ChangeForm::Replaced);
            return;
        }
        if a.id != b.id {
            self.replaced(old, new, link, ChangeForm::Replaced);
            return;
        }
        self.partners[old as usize] = new;
        self.taken[new as usize] = old;
        match a.shape.view {
            View::Opaque | View::Fields => {}
            View::Text => {
                if a.count != b.count || !a.contents().eq(b.contents()) {
                    self.replaced(old, new, link, ChangeForm::Replaced);
                }
            }
            View::Numbers(kind) => self.numbers(&a, &b, kind, old, link),
            View::Sequence => self.sequence(&a, &b, old, link),
            View::Bag => {
                let entries = |node: &Node<'_>| node.contents().map(|one| (one, 0)).collect::<Vec<_>>();
                self.entries(&entries(&a), &entries(&b), old, link);
            }
            View::OrderedMap | View::UnorderedMap => {
                let (was, is): (Vec<_>, Vec<_>) = (a.entries().collect(), b.entries().collect());
                let keys = |index: &Index<'_>, all: &[(u32, u32)]| -> Vec<u64> {
                    all.iter().map(|(key, _)| hash(index, *key)).collect()
                };
                let (mut first, mut second) = (keys(self.before, &was), keys(self.after, &is));
                let is_same = first == second;
                first.sort_unstable();
                second.sort_unstable();
                if a.shape.view == View::OrderedMap && !is_same && first == second {
                    self.replaced(old, new, link, ChangeForm::Replaced);
                }
                self.entries(&was, &is, old, link);
            }
        }
        for ((field, kind, was), (_, _, is)) in a.fields().zip(b.fields()) {
            let below = self.link(Some(link), Step::Field(field), old);
            self.values(kind, was, is, below);
        }
    }

    fn replaced(&mut self, old: u32, new: u32, link: usize, form: ChangeForm) {
        let mut was = describe::object(self.before, old);
        let mut is = describe::object(self.after, new);
        if was.text == is.text {
            was.text.push_str(" (one)");
            is.text.push_str(" (another)");
        }
        self.differ(link, Some(was), Some(is), form);
    }

    fn same_value(&self, old: u32, new: u32) -> bool {
        let (Some(a), Some(b)) = (self.before.node(old), self.after.node(new)) else {
            return old == new;
        };
        a.id == b.id
            && a.count == b.count
            && match a.shape.view {
                View::Fields => true,
                View::Sequence => a.contents().zip(b.contents()).all(|(x, y)| self.same_value(x, y)),
                _ => a.contents().eq(b.contents()),
            }
            && a.fields().zip(b.fields()).all(|((_, kind, was), (_, _, is))| {
                if kind == b'L' {
                    self.same_value(was[0], is[0])
                } else {
                    was == is
                }
            })
    }

    fn numbers(&mut self, a: &Node<'_>, b: &Node<'_>, kind: u8, old: u32, link: usize) {
        let (was, is): (Vec<u32>, Vec<u32>) = (a.contents().collect(), b.contents().collect());
        if a.count == b.count && was == is {
            return;
        }
        let texts = |words: &[u32]| -> Vec<Shown> {
            (0..a.count)
                .map(|place| describe::element(words, kind, place))
                .collect()
        };
        if a.count == b.count && a.count * width(kind) <= WHOLE_NUMBERS {
            let (was, is) = (texts(&was), texts(&is));
            if let Some(place) = (0..a.count).find(|place| was[*place] != is[*place]) {
                let below = self.link(Some(link), Step::Element(place), old);
                let (was, is) = (was[place].clone(), is[place].clone());
                return self.differ(below, Some(was), Some(is), ChangeForm::Replaced);
            }
        }
        let form = if b.count > a.count {
            ChangeForm::Grown
        } else {
            ChangeForm::Replaced
        };
        let other = if a.count == b.count { " (others)" } else { "" };
        let was = Shown::new(What::Length, format!("{} elements", a.count));
        let is = Shown::new(What::Length, format!("{} elements{other}", b.count));
        self.differ(link, Some(was), Some(is), form);
    }

    fn sequence(&mut self, a: &Node<'_>, b: &Node<'_>, old: u32, link: usize) {
        let (was, is): (Vec<u32>, Vec<u32>) = (a.contents().collect(), b.contents().collect());
        let (mut first, mut last) = (was.len(), 0);
        if was.len() != is.len() {
            let same = |x: u32, y: u32| hash(self.before, x) == hash(self.after, y);
            let least = was.len().min(is.len());
            first = (0..least)
                .take_while(|place| same(was[*place], is[*place]))
                .count();
            last = (1..=least - first)
                .take_while(|back| same(was[was.len() - back], is[is.len() - back]))
                .count();
        }
        let form = if was.len() == first + last {
            ChangeForm::Grown
        } else {
            ChangeForm::Replaced
        };
        for (place, gone) in was.iter().enumerate().take(was.len() - last).skip(first) {
            let below = self.link(Some(link), Step::Element(place), old);
            let text = describe::object(self.before, *gone);
            self.differ(below, Some(text), None, ChangeForm::Removed);
        }
        for (place, come) in is.iter().enumerate().take(is.len() - last).skip(first) {
            let below = self.link(Some(link), Step::Element(place), old);
            let text = describe::object(self.after, *come);
            self.differ(below, None, Some(text), form);
        }
        for place in (0..first).chain(was.len() - last..was.len()) {
            let partner = if place < first {
                place
            } else {
                place + is.len() - was.len()
            };
            let below = self.link(Some(link), Step::Element(place), old);
            self.references(was[place], is[partner], below);
        }
    }

    fn entries(&mut self, was: &[(u32, u32)], is: &[(u32, u32)], old: u32, link: usize) {
        let sorted = |index: &Index<'_>, entries: &[(u32, u32)]| {
            let mut all: Vec<(u64, usize)> = entries
                .iter()
                .enumerate()
                .map(|(place, (key, _))| (hash(index, *key), place))
                .collect();
            all.sort_unstable();
            all
        };
        let (first, mut second) = (sorted(self.before, was), sorted(self.after, is));
        let mut gone = Vec::new();
        for (key, place) in first {
            let (old_key, old_value) = was[place];
            let Some(partner) = second.iter().position(|(other, _)| *other == key) else {
                gone.push((old_key, old_value));
                continue;
            };
            let (new_key, new_value) = is[second.remove(partner).1];
            let below = self.link(Some(link), Step::OldKey(old_key), old);
            self.references(old_value, new_value, below);
            if old_key != 0 && new_key != 0 {
                let below = self.link(Some(link), Step::Key(old_key), old);
                self.references(old_key, new_key, below);
            }
        }
        let form = if gone.is_empty() {
            ChangeForm::Grown
        } else {
            ChangeForm::Replaced
        };
        for (key, value) in gone {
            let below = self.link(Some(link), Step::OldKey(key), old);
            let text = entry(self.before, value);
            self.differ(below, Some(text), None, ChangeForm::Removed);
        }
        for (_, place) in second {
            let (key, value) = is[place];
            let below = self.link(Some(link), Step::NewKey(key), old);
            let text = entry(self.after, value);
            self.differ(below, None, Some(text), form);
        }
    }

    fn differ(&mut self, link: usize, old: Option<Shown>, new: Option<Shown>, form: ChangeForm) {
        let mut difference = Difference {
            root: 0,
            path: String::new(),
            old,
            new,
            form,
            steps: Vec::new(),
            slot: Slot::Index,
            around: Vec::new(),
        };
        let mut slot = None;
        let mut next = Some(link);
        while let Some(Link { parent, step, from }) = next.map(|link| self.links[link]) {
            let field = |class: &str, name: &str| {
                WayStep::Field(FieldName {
                    class: class.to_owned(),
                    name: name.to_owned(),
                })
            };
            let (text, way, here) = match step {
                Step::Root(id) => {
                    difference.root = id;
                    let root = self.before.shapes.root(id).unwrap();
                    let (class, name) = root.name.rsplit_once('.').unwrap();
                    (
                        Root::short(root),
                        field(class, name),
                        Slot::Field(name.to_owned()),
                    )
                }
                Step::Field(index) => {
                    let shape = self.before.node(from).unwrap().shape;
                    let name = &shape.fields[index].name;
                    (
                        field_step(shape, index),
                        field(&shape.class, name),
                        Slot::Field(name.clone()),
                    )
                }
                Step::Element(place) => (format!("[{place}]"), WayStep::Element, Slot::Index),
                Step::OldKey(key) => {
                    let key = plain(self.before, key);
                    (format!("[{key}]"), WayStep::Element, Slot::Key(key))
                }
                Step::NewKey(key) => {
                    let key = plain(self.after, key);
                    (format!("[{key}]"), WayStep::Element, Slot::Key(key))
                }
                Step::Key(key) => {
                    let key = plain(self.before, key);
                    (format!(".key[{key}]"), WayStep::Element, Slot::Key(key))
                }
            };
            difference.path.insert_str(0, &text);
            // A wrapper is no step.
            if !text.is_empty() {
                slot.get_or_insert(here);
                if way == WayStep::Element || difference.steps.first() != Some(&way) {
                    difference.steps.insert(0, way);
                }
            }
            next = parent;
        }
        difference.slot = slot.unwrap_or(Slot::Index);
        self.found.push(difference);
    }
}
