//! Systematic exploration of one test (N12): every combination of answers to its choices, up to a bound.
//!
//! Stateless: an execution is replayed from its start with a script for the first choices, and the rest stays natural.
//! What it then chooses is the next part of the tree. This works on every test that can be run twice, whatever it does
//! besides.
//!
//! This module only decides what to run next and keeps the tree; it runs nothing.

use crate::{Probed, Verdict};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use unflake_protocol::{
    ChoiceId, ChoiceKind, Chosen, FRAMEWORKS, Frameworks, Order, Others, SavedKind, SavedNode, Script,
    Support,
};

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Choices of up to this many elements are tried in all orders.
    pub exhaustive: u32,
    /// Orders that are tried of larger ones.
    pub samples: u32,
    /// Executions.
    pub runs: u64,
    pub until: Until,
    pub way: Way,
    pub threads: Threads,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    FirstFailure,
    End,
}

/// Which untried answer comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    DepthFirst,
    BreadthFirst,
}

/// The thesis's heuristics: what to answer at the first, second, third… choice. They are tried before all else.
const HEURISTICS: [fn(usize) -> bool; 3] = [|_| true, |nth| nth % 2 == 0, |nth| nth % 2 == 1];

/// The tree as far as it is known.
#[derive(Clone, Debug)]
pub struct Search {
    pub bounds: Bounds,
    pub(crate) nodes: Vec<SearchNode>,
    frontier: BinaryHeap<Untried>,
    /// Numbers frontier entries: of equals, the earlier.
    sequence: u64,
    heuristics: Vec<Heuristic>,
    /// Tasks that were given out and have not come back.
    running: usize,
    pub executions: u64,
    pub failures: u64,
    /// Around a failure: how many answers may differ from it. `None`: any.
    distance: Option<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum SearchNode {
    Choice(ChoiceNode),
    Passed,
    Failed(End),
}

#[derive(Clone, Debug)]
pub(crate) struct ChoiceNode {
    pub(crate) id: ChoiceId,
    pub(crate) point: ChoicePoint,
    parent: Option<(usize, usize)>,
    depth: usize,
    /// How many answers on the way here and at it differ from the failure that is explored around.
    differs: usize,
    /// The slot that is taken where nothing is said.
    base: usize,
    pub(crate) children: Vec<Option<usize>>,
}

/// What there is to choose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ChoicePoint {
    pub(crate) model: String,
    pub(crate) kind: ChoiceKind,
    pub(crate) size: u32,
    /// Not all answers have a slot.
    pub(crate) is_sampled: bool,
    /// The first slot of a sampled choice is what the strategy gives, not the natural order.
    pub(crate) is_around: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Untried {
    priority: i64,
    sequence: Reverse<u64>,
    node: usize,
    slot: usize,
}

#[derive(Clone, Debug)]
struct Heuristic {
    opposite: fn(usize) -> bool,
    /// The choices of the last attempt; the path may change when its answers do.
    path: Vec<(ChoiceId, ChoicePoint)>,
    attempts: u32,
}

impl Heuristic {
    fn slot(&self, nth: usize, point: &ChoicePoint) -> usize {
        if (self.opposite)(nth) { point.opposite() } else { 0 }
    }
}

/// Something to run.
#[derive(Clone, Debug)]
pub struct Task {
    pub script: Script,
    what: TaskOrigin,
}

#[derive(Clone, Debug)]
enum TaskOrigin {
    /// The first run of all.
    Base,
    Branch {
        node: usize,
        slot: usize,
    },
    Heuristic,
}

#[derive(Debug)]
pub enum Next {
    Run(Task),
    /// Nothing until a running task comes back.
    Wait,
    Done,
}

/// Whose choices are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    All,
    /// Only those of the thread that chose first; the others' stay as the JDK makes them.
    First,
}

/// The same answers led to a different execution than before: the test keeps state between runs, or is flaky on its
/// own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diverged {
    pub expected: String,
    pub found: String,
    /// Several threads made choices: they may have met in another way.
    pub of_threads: bool,
}

impl Search {
    /// Begins from the natural execution.
    pub fn new(bounds: Bounds) -> Search {
        Search {
            bounds,
            nodes: Vec::new(),
            frontier: BinaryHeap::new(),
            sequence: 0,
            heuristics: Vec::new(),
            running: 0,
            executions: 0,
            failures: 0,
            distance: None,
        }
    }

    /// Explores around a failure: executions that differ from it in at most `distance` answers.
    pub fn around(bounds: Bounds, distance: usize) -> Search {
        Search {
            distance: Some(distance),
            ..Search::new(bounds)
        }
    }

    /// Nothing is left to try within the bounds.
    pub fn is_complete(&self) -> bool {
        !self.nodes.is_empty() && self.frontier.is_empty() && self.heuristics.is_empty()
    }

    pub fn next_task(&mut self) -> Next {
        let is_over = self.executions + self.running as u64 >= self.bounds.runs
            || self.bounds.until == Until::FirstFailure && self.failures > 0;
        if is_over {
            return if self.running > 0 { Next::Wait } else { Next::Done };
        }
        if self.nodes.is_empty() {
            if self.running > 0 {
                return Next::Wait;
            }
            self.running += 1;
            return Next::Run(Task {
                script: Script {
                    others: self.others(),
                    entries: Vec::new(),
                },
                what: TaskOrigin::Base,
            });
        }
        while let Some(heuristic) = self.heuristics.first() {
            if self.running > 0 {
                return Next::Wait;
            }
            if self.is_known(heuristic) {
                self.heuristics.remove(0);
                continue;
            }
            let entries = (heuristic.path.iter().enumerate())
                .map(|(nth, (id, point))| (*id, *id, point.order(heuristic.slot(nth, point))));
            let script = script(Others::Natural, entries.collect());
            self.running += 1;
            return Next::Run(Task {
                script,
                what: TaskOrigin::Heuristic,
            });
        }
        while let Some(Untried { node, slot, .. }) = self.frontier.pop() {
            // A heuristic may have been there already.
            if self.child(Some((node, slot))).is_none() {
                self.running += 1;
                return Next::Run(Task {
                    script: self.script(node, slot),
                    what: TaskOrigin::Branch { node, slot },
                });
            }
        }
        if self.running > 0 { Next::Wait } else { Next::Done }
    }

    /// Answers that are known and were not tried.
    pub fn untried(&self) -> usize {
        self.frontier
            .iter()
            .filter(|untried| self.child(Some((untried.node, untried.slot))).is_none())
            .count()
    }

    /// Whether an execution in which nothing was said is what the first one was.
    pub fn recheck(&mut self, probed: &Probed) -> Result<(), Diverged> {
        self.extend(&self.path_of(probed), &[], &probed.verdict)
    }

    /// The tree, to go on with later.
    pub fn save(&self) -> Vec<SavedNode> {
        let mut parents = vec![None; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            if let SearchNode::Choice(choice) = node {
                for (slot, child) in choice.children.iter().enumerate() {
                    if let Some(child) = child {
                        parents[*child] = Some((index, slot));
                    }
                }
            }
        }
        let saved = |(node, parent): (&SearchNode, Option<(usize, usize)>)| SavedNode {
            parent,
            what: match node {
                SearchNode::Choice(choice) => SavedKind::Choice {
                    id: choice.id,
                    model: choice.point.model.clone(),
                    kind: choice.point.kind,
                    size: choice.point.size,
                    base: choice.base,
                },
                SearchNode::Passed => SavedKind::Passed,
                SearchNode::Failed(end) => SavedKind::Failed {
                    exception: end.exception.clone(),
                    message: end.message.clone(),
                    line: end.line.clone(),
                },
            },
        };
        self.nodes.iter().zip(parents).map(saved).collect()
    }

    /// Goes on with a tree that was saved under the same bounds, apart from the number of runs. `None`: it is none.
    pub fn load(mut self, saved: &[SavedNode]) -> Option<Search> {
        for one in saved {
            if one.parent.is_none() && !self.nodes.is_empty()
                || one.parent.is_some_and(|(node, _)| node >= self.nodes.len())
            {
                return None;
            }
            match &one.what {
                SavedKind::Choice {
                    id,
                    model,
                    kind,
                    size,
                    base,
                } => {
                    let chosen = Chosen {
                        id: *id,
                        model: model.clone(),
                        kind: *kind,
                        by_project: true,
                        size: *size,
                        rank: u64::try_from(*base).ok(),
                    };
                    let point = self.point(&chosen);
                    let differs = one.parent.map_or(0, |(node, slot)| match &self.nodes[node] {
                        SearchNode::Choice(parent) => parent.differs + usize::from(slot != parent.base),
                        SearchNode::Passed | SearchNode::Failed(_) => 0,
                    });
                    self.add_choice(one.parent, &chosen, point, differs);
                }
                SavedKind::Passed => {
                    self.attach(one.parent, SearchNode::Passed);
                }
                SavedKind::Failed {
                    exception,
                    message,
                    line,
                } => {
                    self.failures += 1;
                    let leaf = SearchNode::Failed(End {
                        exception: exception.clone(),
                        message: message.clone(),
                        line: line.clone(),
                    });
                    self.attach(one.parent, leaf);
                }
            }
            self.executions += u64::from(!matches!(one.what, SavedKind::Choice { .. }));
        }
        // Slots that were taken when a node was new were never in the frontier, but may not have been reached since.
        for node in 0..self.nodes.len() {
            if let SearchNode::Choice(choice) = &self.nodes[node]
                && choice.children[choice.base].is_none()
            {
                self.push(node, choice.base);
            }
        }
        Some(self)
    }

    /// Takes a task that could not be run back.
    pub fn give_up(&mut self, task: &Task) {
        self.running -= 1;
        if let TaskOrigin::Branch { node, slot } = task.what {
            self.push(node, slot);
        }
    }

    /// What an execution of a task showed.
    pub fn insert(&mut self, task: &Task, probed: &Probed) -> Result<(), Diverged> {
        self.running -= 1;
        let path = self.path_of(probed);
        let told: Vec<usize> = match task.what {
            TaskOrigin::Base => Vec::new(),
            TaskOrigin::Branch { node, slot } => {
                self.path(node, slot).into_iter().map(|(_, slot)| slot).collect()
            }
            TaskOrigin::Heuristic => self.told_by_heuristic(&path),
        };
        let is_first = self.nodes.is_empty();
        self.extend(&path, &told, &probed.verdict)?;
        self.executions += 1;
        if matches!(probed.verdict, Verdict::Failed(_)) {
            self.failures += 1;
        }
        if is_first && self.distance.is_none() {
            let path: Vec<(ChoiceId, ChoicePoint)> = path
                .iter()
                .map(|chosen| (chosen.id, self.point(chosen)))
                .collect();
            self.heuristics = HEURISTICS
                .iter()
                .filter(|_| !path.is_empty())
                .map(|opposite| Heuristic {
                    opposite: *opposite,
                    path: path.clone(),
                    attempts: 0,
                })
                .collect();
        }
        if let TaskOrigin::Heuristic = task.what {
            self.after_heuristic(&path);
        }
        Ok(())
    }

    /// The choices of the project's own code, thread after thread: when they were made differs where threads race.
    fn path_of<'p>(&self, probed: &'p Probed) -> Vec<&'p Chosen> {
        let counts = |chosen: &&Chosen| {
            chosen.by_project && (chosen.id.thread() == 0 || self.bounds.threads == Threads::All)
        };
        let mut path: Vec<&Chosen> = probed.choices.iter().filter(counts).collect();
        path.sort_by_key(|chosen| chosen.id);
        path
    }

    /// A heuristic is done when its answers lead through the choices they were meant for.
    fn after_heuristic(&mut self, path: &[&Chosen]) {
        const ATTEMPTS: u32 = 5;
        let path: Vec<(ChoiceId, ChoicePoint)> = path
            .iter()
            .map(|chosen| (chosen.id, self.point(chosen)))
            .collect();
        if let Some(heuristic) = self.heuristics.first_mut() {
            heuristic.attempts += 1;
            if heuristic.path == path || heuristic.attempts >= ATTEMPTS {
                self.heuristics.remove(0);
            } else {
                heuristic.path = path;
            }
        }
    }

    /// Whether the answers of a heuristic were all given before.
    fn is_known(&self, heuristic: &Heuristic) -> bool {
        let mut at = None;
        for (nth, (_, point)) in heuristic.path.iter().enumerate() {
            match self.child(at) {
                Some(node) => at = Some((node, heuristic.slot(nth, point))),
                None => return false,
            }
        }
        self.child(at).is_some()
    }

    /// What choices answer that nothing is said of.
    fn others(&self) -> Others {
        if self.distance.is_some() {
            Others::Varied
        } else {
            Others::Natural
        }
    }

    fn point(&self, chosen: &Chosen) -> ChoicePoint {
        ChoicePoint {
            model: chosen.model.clone(),
            kind: chosen.kind,
            size: chosen.size,
            is_sampled: match chosen.kind {
                ChoiceKind::Rearranges => chosen.size > self.bounds.exhaustive,
                ChoiceKind::Picks => chosen.size > self.bounds.samples,
                ChoiceKind::Open => true,
            },
            is_around: self.distance.is_some(),
        }
    }

    /// The path to a slot, from the root: node and slot.
    fn path(&self, node: usize, slot: usize) -> Vec<(usize, usize)> {
        let mut path = vec![(node, slot)];
        while let SearchNode::Choice(ChoiceNode {
            parent: Some(parent), ..
        }) = &self.nodes[path[path.len() - 1].0]
        {
            path.push(*parent);
        }
        path.reverse();
        path
    }

    /// The answers that lead to a choice.
    pub(crate) fn way(&self, choice: &ChoiceNode) -> Vec<(ChoiceId, Order)> {
        let path = choice.parent.map(|(node, slot)| self.path(node, slot));
        path.into_iter()
            .flatten()
            .filter_map(|(node, slot)| match &self.nodes[node] {
                SearchNode::Choice(choice) => Some((choice.id, choice.point.order(slot))),
                SearchNode::Passed | SearchNode::Failed(_) => None,
            })
            .collect()
    }

    fn script(&self, node: usize, slot: usize) -> Script {
        let entries = self.path(node, slot).into_iter().filter_map(|(node, slot)| {
            let SearchNode::Choice(choice) = &self.nodes[node] else {
                return None;
            };
            Some((choice.id, choice.id, choice.point.order(slot)))
        });
        script(self.others(), entries.collect())
    }

    /// The slots that a heuristic meant, as far as the path is the one it meant them for.
    fn told_by_heuristic(&self, path: &[&Chosen]) -> Vec<usize> {
        let Some(heuristic) = self.heuristics.first() else {
            return Vec::new();
        };
        (heuristic.path.iter().zip(path).enumerate())
            .take_while(|(_, ((id, point), chosen))| *id == chosen.id && *point == self.point(chosen))
            .map(|(nth, ((_, point), _))| heuristic.slot(nth, point))
            .collect()
    }

    /// Puts an execution into the tree: the first answers were `told`, the others are what the test got where nothing
    /// was said. The choices on the way must be the same again.
    fn extend(&mut self, path: &[&Chosen], told: &[usize], verdict: &Verdict) -> Result<(), Diverged> {
        let of_threads = path.iter().any(|chosen| chosen.id.thread() > 0);
        let mut at: Option<(usize, usize)> = None;
        let mut differs = 0;
        for (nth, chosen) in path.iter().enumerate() {
            let point = self.point(chosen);
            let told = told.get(nth).copied();
            let node = match self.child(at) {
                Some(node) => node,
                None => self.add_choice(at, chosen, point.clone(), differs),
            };
            let slot = match &self.nodes[node] {
                SearchNode::Choice(choice) if choice.id == chosen.id && choice.point == point => {
                    let slot = told.or_else(|| point.slot(chosen)).unwrap_or(choice.base);
                    differs += usize::from(slot != choice.base);
                    slot
                }
                other => return Err(diverged(nth, other, chosen, of_threads)),
            };
            at = Some((node, slot));
        }
        match self.child(at) {
            None => {
                let leaf = match end_of(verdict) {
                    Some(end) => SearchNode::Failed(end),
                    None => SearchNode::Passed,
                };
                self.attach(at, leaf);
                Ok(())
            }
            Some(node) => match (&self.nodes[node], verdict) {
                (SearchNode::Passed, Verdict::Passed) | (SearchNode::Failed(_), Verdict::Failed(_)) => Ok(()),
                (before, _) => Err(Diverged {
                    expected: before.shown(path.len()),
                    found: match verdict {
                        Verdict::Failed(failure) => format!("a failure: {}", failure.message),
                        _ => "no failure".to_owned(),
                    },
                    of_threads,
                }),
            },
        }
    }

    fn child(&self, at: Option<(usize, usize)>) -> Option<usize> {
        match at {
            None => (!self.nodes.is_empty()).then_some(0),
            Some((node, slot)) => match &self.nodes[node] {
                SearchNode::Choice(choice) => choice.children.get(slot).copied().flatten(),
                SearchNode::Passed | SearchNode::Failed(_) => None,
            },
        }
    }

    fn attach(&mut self, at: Option<(usize, usize)>, node: SearchNode) -> usize {
        self.nodes.push(node);
        let index = self.nodes.len() - 1;
        if let Some((parent, slot)) = at
            && let SearchNode::Choice(choice) = &mut self.nodes[parent]
            && let Some(child) = choice.children.get_mut(slot)
        {
            *child = Some(index);
        }
        index
    }

    fn add_choice(
        &mut self,
        at: Option<(usize, usize)>,
        chosen: &Chosen,
        point: ChoicePoint,
        differs: usize,
    ) -> usize {
        let depth = at.map_or(0, |(parent, _)| match &self.nodes[parent] {
            SearchNode::Choice(parent) => parent.depth + 1,
            SearchNode::Passed | SearchNode::Failed(_) => 0,
        });
        let slots = point.slots(self.bounds.samples);
        // Where a failure is explored around, this execution's answer is the one to differ from.
        let base = point
            .slot(chosen)
            .filter(|_| self.distance.is_some())
            .unwrap_or_else(|| {
                match chosen.kind {
                    // The natural answer is the one that was given where nothing was said.
                    ChoiceKind::Picks => point.slot(chosen).unwrap_or(0),
                    ChoiceKind::Rearranges | ChoiceKind::Open => 0,
                }
            });
        let taken = point.slot(chosen).unwrap_or(base);
        let node = self.attach(
            at,
            SearchNode::Choice(ChoiceNode {
                id: chosen.id,
                point,
                parent: at,
                depth,
                differs,
                base,
                children: vec![None; slots],
            }),
        );
        for slot in (0..slots).filter(|slot| *slot != taken) {
            self.push(node, slot);
        }
        node
    }

    fn push(&mut self, node: usize, slot: usize) {
        let SearchNode::Choice(choice) = &self.nodes[node] else {
            return;
        };
        let differs = choice.differs + usize::from(slot != choice.base);
        if choice.children[slot].is_some() || self.distance.is_some_and(|distance| differs > distance) {
            return;
        }
        let depth = i64::try_from(choice.depth).unwrap_or(i64::MAX);
        self.sequence += 1;
        self.frontier.push(Untried {
            priority: match self.bounds.way {
                Way::DepthFirst => depth,
                Way::BreadthFirst => -depth,
            },
            sequence: Reverse(self.sequence),
            node,
            slot,
        });
    }
}

impl SearchNode {
    fn shown(&self, nth: usize) -> String {
        match self {
            SearchNode::Choice(choice) => shown(nth, &choice.point.model, choice.point.size),
            SearchNode::Passed => "no failure".to_owned(),
            SearchNode::Failed(end) => format!("a failure: {}", end.message),
        }
    }
}

fn shown(nth: usize, model: &str, size: u32) -> String {
    format!("choice {} of {model} among {size}", nth + 1)
}

fn diverged(nth: usize, before: &SearchNode, now: &Chosen, of_threads: bool) -> Diverged {
    Diverged {
        expected: before.shown(nth),
        found: shown(nth, &now.model, now.size),
        of_threads,
    }
}

impl ChoicePoint {
    /// How many answers are tried.
    fn slots(&self, samples: u32) -> usize {
        let all = match self.kind {
            ChoiceKind::Rearranges => (1..=u64::from(self.size)).try_fold(1u64, u64::checked_mul),
            ChoiceKind::Picks => Some(u64::from(self.size)),
            ChoiceKind::Open => Some(2),
        };
        let limit = if self.is_sampled {
            u64::from(samples.max(2))
        } else {
            u64::MAX
        };
        usize::try_from(all.unwrap_or(u64::MAX).min(limit)).unwrap_or(usize::MAX)
    }

    /// The slot of the answer that was given; `None`: it has none.
    fn slot(&self, chosen: &Chosen) -> Option<usize> {
        if self.is_sampled && self.kind == ChoiceKind::Rearranges {
            // Where nothing is said.
            return Some(0);
        }
        usize::try_from(chosen.rank?).ok()
    }

    /// The slot of the opposite order.
    fn opposite(&self) -> usize {
        match self.kind {
            ChoiceKind::Rearranges if self.is_sampled => 1,
            ChoiceKind::Rearranges => self.slots(0) - 1,
            ChoiceKind::Picks => self.size as usize - 1,
            ChoiceKind::Open => 1,
        }
    }

    /// The answer in a slot.
    pub(crate) fn order(&self, slot: usize) -> Order {
        match self.kind {
            ChoiceKind::Picks | ChoiceKind::Open => Order::Given(vec![u32::try_from(slot).unwrap_or(0)]),
            ChoiceKind::Rearranges if !self.is_sampled => Order::Given(permutation(self.size, slot as u64)),
            ChoiceKind::Rearranges => match (slot, self.is_around) {
                (0, false) | (1, true) => Order::Natural,
                (0, true) => Order::Varied,
                (1, false) => Order::Given((0..self.size).rev().collect()),
                _ => Order::Given(shuffled(self.size, slot as u64)),
            },
        }
    }

    /// The same as places in natural order.
    pub(crate) fn places(&self, slot: usize) -> Vec<u32> {
        match self.order(slot) {
            Order::Given(order) => order,
            Order::Natural | Order::Varied => (0..self.size).collect(),
        }
    }
}

/// What a failed execution says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End {
    pub exception: String,
    /// Without what differs from run to run.
    pub message: String,
    /// The project's own line that failed.
    pub line: Option<String>,
}

/// `None`: it passes.
pub fn end_of(verdict: &Verdict) -> Option<End> {
    match verdict {
        Verdict::Failed(failure) => Some(End {
            exception: failure.kind.clone(),
            message: without_identities(&failure.message),
            line: line_of(&FRAMEWORKS, &failure.trace),
        }),
        _ => None,
    }
}

/// Entries of a script must be sorted.
fn script(others: Others, mut entries: Vec<(ChoiceId, ChoiceId, Order)>) -> Script {
    entries.sort_by_key(|(from, ..)| *from);
    Script { others, entries }
}

/// The order with this number among all of so many elements, sorted.
fn permutation(size: u32, mut rank: u64) -> Vec<u32> {
    let mut left: Vec<u32> = (0..size).collect();
    let mut order = Vec::with_capacity(left.len());
    let mut block: u64 = (1..=u64::from(size)).product();
    while !left.is_empty() {
        block /= left.len() as u64;
        order.push(left.remove(usize::try_from(rank / block).unwrap_or(0)));
        rank %= block;
    }
    order
}

/// A random order, the same for the same number.
fn shuffled(size: u32, number: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..size).collect();
    let mut seed = unflake_protocol::Seed::from_bits(number);
    for end in (1..order.len()).rev() {
        seed = seed.derive(end as u64);
        order.swap(end, (seed.0 % (end as u64 + 1)) as usize);
    }
    order
}

/// Identity hashes differ from run to run and say nothing: `Thing@1b6d3586` becomes `Thing@…`.
fn without_identities(message: &str) -> String {
    let mut parts = message.split('@');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.chars().take_while(char::is_ascii_hexdigit).count();
        text.push('@');
        if (1..=16).contains(&digits) {
            text.push('…');
            text.push_str(&part[digits..]);
        } else {
            text.push_str(part);
        }
    }
    text
}

/// The first line of a stack trace that is nobody's but the project's.
fn line_of(frameworks: &Frameworks<'_>, trace: &str) -> Option<String> {
    const JDK: [&str; 5] = ["java.", "javax.", "jdk.", "sun.", "com.sun."];
    let is_others = |frame: &str| match frameworks.support_of(frame) {
        Some(Support::Assertion | Support::Framework | Support::Matcher) => true,
        // Launchers are behind the test on the stack, and a build tool may be the project itself.
        Some(Support::Launcher) | None => JDK.iter().any(|start| frame.starts_with(start)),
    };
    trace
        .lines()
        .filter_map(|line| line.trim().strip_prefix("at "))
        .map(|frame| frame.rsplit_once('/').map_or(frame, |(_, frame)| frame))
        .find(|frame| !is_others(frame))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests;
