//! The state space of a test as a graph (N12): the tree of executions with equal subtrees merged, and its figures.
//!
//! Two nodes are one when the same choices with the same orders lead to the same ends below them. All passing ends are
//! one; failing ones are one if they say the same at the same line. The thesis's figure 2.12 (three choices of two
//! orders, of which the first does not matter) has 8 nodes and 9 edges: the start, four choices (two of them reached by
//! the second's two orders), the passing end, two failing ends.

use crate::search::{ChoiceNode, ChoicePoint, End, Search, SearchNode};
use std::collections::{BTreeMap, HashMap};
use unflake_protocol::ChoiceId;

#[derive(Clone, Debug)]
pub struct Graph {
    /// The first is the start. What a node leads to comes behind it.
    pub vertices: Vec<Vertex>,
    pub edges: Vec<Arc>,
    /// From the start.
    pub chance: Chance,
}

#[derive(Clone, Debug)]
pub struct Vertex {
    pub what: VertexKind,
    pub chance: Chance,
    /// Edges that come in.
    pub entries: usize,
    /// Nodes of the tree that were merged into it.
    pub merged: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VertexKind {
    Start,
    Choice {
        model: String,
        size: u32,
        is_critical: bool,
        is_sampled: bool,
        /// One of the places in the tree that were merged into it: the answers that lead there, in order.
        way: Vec<(ChoiceId, unflake_protocol::Order)>,
        id: ChoiceId,
    },
    Passed,
    Failed {
        exception: String,
        message: String,
        line: Option<String>,
    },
    Unexplored,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arc {
    pub from: usize,
    pub to: usize,
    /// The places in natural order of the elements in the order given, or the number of the answer; empty from the
    /// start.
    pub order: Vec<u32>,
}

/// How likely a failure is if every answer is equally likely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// What was not tried counted as passing, and as failing.
    pub least: f64,
    pub most: f64,
    /// Of what was tried.
    pub mean: f64,
    /// From answers that were drawn from too many.
    pub variance: f64,
}

impl Chance {
    const PASSES: Chance = Chance::certain(0.0);
    const FAILS: Chance = Chance::certain(1.0);

    const fn certain(mean: f64) -> Chance {
        Chance {
            least: mean,
            most: mean,
            mean,
            variance: 0.0,
        }
    }

    pub fn is_exact(&self) -> bool {
        self.variance == 0.0 && (self.most - self.least).abs() < 1e-12
    }

    /// Where it lies: certainly if nothing was drawn, else with 95 % confidence.
    pub fn interval(&self) -> (f64, f64) {
        let spread = 1.96 * self.variance.sqrt();
        ((self.least - spread).max(0.0), (self.most + spread).min(1.0))
    }
}

/// The 95 % confidence interval of a share after `hits` in `count` draws (Wilson, 1927).
pub fn wilson(hits: u64, count: u64) -> (f64, f64) {
    const Z: f64 = 1.96;
    if count == 0 {
        return (0.0, 1.0);
    }
    let n = count as f64;
    let share = hits as f64 / n;
    let middle = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// What all executions below a node end in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ends {
    pass: bool,
    fail: bool,
    open: bool,
}

impl Ends {
    fn is_pure(self) -> bool {
        !self.open && self.pass != self.fail
    }
}

/// A node's canonical form: equal forms are one vertex.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum SubtreeForm {
    Choice(ChoicePoint, Vec<usize>),
    Passed,
    Failed(End),
    Unexplored,
}

struct Merged {
    form: SubtreeForm,
    chance: Chance,
    ends: Ends,
    /// How many nodes of the tree have this form.
    count: u64,
    /// A node of the tree that has this form; `None`: none has (unexplored).
    example: Option<usize>,
}

impl Graph {
    /// Merges the tree.
    pub fn of(search: &Search) -> Graph {
        let mut merged: Vec<Merged> = Vec::new();
        let mut known: HashMap<SubtreeForm, usize> = HashMap::new();
        // Children come behind their parents in the tree, so from the end every child is known before its parent.
        let mut of_node = vec![0; search.nodes.len()];
        for index in (0..search.nodes.len()).rev() {
            let (form, chance, ends) = match &search.nodes[index] {
                SearchNode::Passed => (
                    SubtreeForm::Passed,
                    Chance::PASSES,
                    Ends {
                        pass: true,
                        ..Ends::default()
                    },
                ),
                SearchNode::Failed(end) => (
                    SubtreeForm::Failed(end.clone()),
                    Chance::FAILS,
                    Ends {
                        fail: true,
                        ..Ends::default()
                    },
                ),
                SearchNode::Choice(choice) => {
                    let children: Vec<usize> = (choice.children.iter())
                        .map(|child| match child {
                            Some(child) => of_node[*child],
                            None => unexplored(&mut merged, &mut known),
                        })
                        .collect();
                    let chance = chance(choice, &children, &merged);
                    let ends = children.iter().fold(Ends::default(), |all, child| Ends {
                        pass: all.pass | merged[*child].ends.pass,
                        fail: all.fail | merged[*child].ends.fail,
                        open: all.open | merged[*child].ends.open,
                    });
                    (SubtreeForm::Choice(choice.point.clone(), children), chance, ends)
                }
            };
            let at = *known.entry(form.clone()).or_insert_with(|| {
                merged.push(Merged {
                    form,
                    chance,
                    ends,
                    count: 0,
                    example: Some(index),
                });
                merged.len() - 1
            });
            merged[at].count += 1;
            of_node[index] = at;
        }
        match of_node.first() {
            Some(root) => draw(search, &merged, *root),
            None => Graph {
                vertices: vec![Vertex {
                    what: VertexKind::Start,
                    chance: Chance {
                        most: 1.0,
                        ..Chance::PASSES
                    },
                    entries: 0,
                    merged: 1,
                }],
                edges: Vec::new(),
                chance: Chance {
                    most: 1.0,
                    ..Chance::PASSES
                },
            },
        }
    }

    /// Counted without what was not explored.
    pub fn figures(&self) -> GraphFigures {
        let is_there = |vertex: &Vertex| vertex.what != VertexKind::Unexplored;
        let count =
            |of: fn(&VertexKind) -> bool| self.vertices.iter().filter(|vertex| of(&vertex.what)).count();
        GraphFigures {
            nodes: self.vertices.iter().filter(|vertex| is_there(vertex)).count(),
            edges: self
                .edges
                .iter()
                .filter(|edge| is_there(&self.vertices[edge.to]))
                .count(),
            failing_leaves: count(|what| matches!(what, VertexKind::Failed { .. })),
            merge_nodes: self
                .vertices
                .iter()
                .filter(|vertex| matches!(vertex.what, VertexKind::Choice { .. }) && vertex.entries > 1)
                .count(),
            critical_choices: count(|what| {
                matches!(
                    what,
                    VertexKind::Choice {
                        is_critical: true,
                        ..
                    }
                )
            }),
        }
    }

    /// How likely each failing end is, by vertex; of what was tried.
    pub fn failure_shares(&self) -> BTreeMap<usize, f64> {
        let mut share = vec![0.0; self.vertices.len()];
        if let Some(start) = share.first_mut() {
            *start = 1.0;
        }
        let mut outgoing: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for edge in &self.edges {
            if self.vertices[edge.to].what != VertexKind::Unexplored {
                outgoing.entry(edge.from).or_default().push(edge.to);
            }
        }
        for from in 0..self.vertices.len() {
            let to = outgoing.get(&from).map(Vec::as_slice).unwrap_or_default();
            for next in to {
                share[*next] += share[from] / to.len() as f64;
            }
        }
        (0..self.vertices.len())
            .filter(|index| matches!(self.vertices[*index].what, VertexKind::Failed { .. }))
            .map(|index| (index, share[index]))
            .collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphFigures {
    pub nodes: usize,
    pub edges: usize,
    pub failing_leaves: usize,
    pub merge_nodes: usize,
    pub critical_choices: usize,
}

fn unexplored(merged: &mut Vec<Merged>, known: &mut HashMap<SubtreeForm, usize>) -> usize {
    *known.entry(SubtreeForm::Unexplored).or_insert_with(|| {
        merged.push(Merged {
            form: SubtreeForm::Unexplored,
            chance: Chance {
                most: 1.0,
                ..Chance::PASSES
            },
            ends: Ends {
                open: true,
                ..Ends::default()
            },
            count: 1,
            example: None,
        });
        merged.len() - 1
    })
}

/// Each local answer is equally likely: the mean of what it leads to.
fn chance(choice: &ChoiceNode, children: &[usize], merged: &[Merged]) -> Chance {
    let all = children.len() as f64;
    let sum = |of: fn(&Chance) -> f64| {
        children
            .iter()
            .map(|child| of(&merged[*child].chance))
            .sum::<f64>()
    };
    let tried: Vec<&Chance> = children
        .iter()
        .map(|child| &merged[*child])
        .filter(|child| child.form != SubtreeForm::Unexplored)
        .map(|child| &child.chance)
        .collect();
    let count = tried.len() as f64;
    let mean = tried.iter().map(|chance| chance.mean).sum::<f64>() / count.max(1.0);
    let below = tried.iter().map(|chance| chance.variance).sum::<f64>() / (count * count).max(1.0);
    let drawn = if choice.point.is_sampled {
        // Agresti and Coull: a few drawn answers that agree do not make all of them agree.
        let assumed = (mean * count + 2.0) / (count + 4.0);
        assumed * (1.0 - assumed) / (count + 4.0)
    } else {
        0.0
    };
    Chance {
        least: sum(|chance| chance.least) / all,
        most: sum(|chance| chance.most) / all,
        mean,
        variance: below + drawn,
    }
}

/// One answer leads to nothing but passes, or nothing but failures, and another does not.
fn is_critical(children: &[usize], merged: &[Merged]) -> bool {
    let ends = |child: &usize| merged[*child].ends;
    children.iter().any(|one| {
        ends(one).is_pure()
            && children
                .iter()
                .any(|other| ends(other) != ends(one) && !ends(other).open)
    })
}

fn draw(search: &Search, merged: &[Merged], root: usize) -> Graph {
    // Parents were merged after all of their children: descending numbers are an order from the start to the ends.
    let mut reached = vec![false; merged.len()];
    reached[root] = true;
    for index in (0..=root).rev() {
        if let (true, SubtreeForm::Choice(_, children)) = (reached[index], &merged[index].form) {
            children.iter().for_each(|child| reached[*child] = true);
        }
    }
    let order: Vec<usize> = (0..merged.len()).rev().filter(|index| reached[*index]).collect();
    let place: HashMap<usize, usize> = order
        .iter()
        .enumerate()
        .map(|(at, index)| (*index, at + 1))
        .collect();
    let mut vertices = vec![Vertex {
        what: VertexKind::Start,
        chance: merged[root].chance,
        entries: 0,
        merged: 1,
    }];
    let mut edges = vec![Arc {
        from: 0,
        to: place[&root],
        order: Vec::new(),
    }];
    for index in &order {
        let one = &merged[*index];
        vertices.push(Vertex {
            what: kind(search, merged, one),
            chance: one.chance,
            entries: 0,
            merged: one.count,
        });
        if let SubtreeForm::Choice(point, children) = &one.form {
            edges.extend(children.iter().enumerate().map(|(slot, child)| Arc {
                from: place[index],
                to: place[child],
                order: point.places(slot),
            }));
        }
    }
    for edge in &edges {
        vertices[edge.to].entries += 1;
    }
    Graph {
        vertices,
        edges,
        chance: merged[root].chance,
    }
}

fn kind(search: &Search, merged: &[Merged], one: &Merged) -> VertexKind {
    match (&one.form, one.example.map(|example| &search.nodes[example])) {
        (SubtreeForm::Choice(point, children), Some(SearchNode::Choice(choice))) => VertexKind::Choice {
            model: point.model.clone(),
            size: point.size,
            is_critical: is_critical(children, merged),
            is_sampled: point.is_sampled,
            way: search.way(choice),
            id: choice.id,
        },
        (_, Some(SearchNode::Failed(end))) => VertexKind::Failed {
            exception: end.exception.clone(),
            message: end.message.clone(),
            line: end.line.clone(),
        },
        (SubtreeForm::Passed, _) => VertexKind::Passed,
        _ => VertexKind::Unexplored,
    }
}

#[cfg(test)]
mod tests;
