//! What of a state space is drawn, without saying where.
//!
//! Three things keep a picture of hundreds of nodes readable. Orders that lead from one node to the same other one are
//! one line. An end (passed, failed, unexplored) to which many choices lead is drawn under each of them, since all
//! passes are one node, and lines to it from everywhere would be most of the picture. And many ends of one kind under
//! one choice become one group. What is still too much is cut off below, and counted.

use super::layout;
use std::collections::{BTreeMap, BTreeSet};
use unflake_findings::{Node, NodeKind, StateSpace};

/// How many nodes are drawn at most.
pub(super) const LIMIT: usize = 600;
/// More ends of one kind than that under one choice are one group.
const ENDS: usize = 6;
/// An end with more parents than that is drawn under each.
const PARENTS: usize = 2;

pub(super) struct Drawing<'a> {
    pub(super) space: &'a StateSpace,
    /// A line never leads from a later node to an earlier one.
    pub(super) nodes: Vec<Drawn>,
    pub(super) lines: Vec<Line>,
    /// Some end is drawn in several places.
    pub(super) repeated: bool,
    pub(super) left_out: LeftOut,
    tendencies: Vec<Tendency>,
}

pub(super) struct Drawn {
    pub(super) what: DrawnKind,
    /// How many orders lead on from here to what is not drawn.
    pub(super) cut: usize,
}

pub(super) enum DrawnKind {
    /// By its place in the state space.
    Node(usize),
    /// Several ends under one choice; each has its orders in the line that leads here.
    Ends { end: End, nodes: Vec<usize> },
}

/// All orders that lead from one drawn node to another.
pub(super) struct Line {
    pub(super) from: usize,
    pub(super) to: usize,
    /// By their place in the state space; at least one.
    pub(super) edges: Vec<usize>,
}

/// What was too much to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// Nodes of the state space.
    pub(super) nodes: usize,
    /// Edges of the state space.
    pub(super) edges: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    Passed,
    Failed,
    Unexplored,
}

/// Which ends can be reached from a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tendency {
    pub(super) passes: bool,
    pub(super) fails: bool,
    /// Something below was not tried, or not all of it.
    pub(super) open: bool,
}

impl End {
    pub(super) fn of(kind: &NodeKind) -> Option<End> {
        match kind {
            NodeKind::Passed => Some(End::Passed),
            NodeKind::Failed { .. } => Some(End::Failed),
            NodeKind::Unexplored => Some(End::Unexplored),
            NodeKind::Start | NodeKind::Choice { .. } => None,
        }
    }
}

impl Tendency {
    pub(super) const fn of_end(end: End) -> Tendency {
        Tendency {
            passes: matches!(end, End::Passed),
            fails: matches!(end, End::Failed),
            open: matches!(end, End::Unexplored),
        }
    }

    fn of_kind(kind: &NodeKind) -> Tendency {
        let sampled = matches!(kind, NodeKind::Choice { sampled: true, .. });
        match End::of(kind) {
            Some(end) => Tendency::of_end(end),
            None => Tendency {
                open: sampled,
                ..Tendency::default()
            },
        }
    }

    fn add(&mut self, other: Tendency) {
        self.passes |= other.passes;
        self.fails |= other.fails;
        self.open |= other.open;
    }
}

impl<'a> Drawing<'a> {
    pub(super) fn new(space: &'a StateSpace, limit: usize) -> Drawing<'a> {
        let graph = DrawnGraph::new(space);
        let mut drawing = graph.draw(space);
        drawing.keep(limit);
        drawing
    }

    /// Everything, each node once, nothing grouped.
    pub(super) fn whole(space: &'a StateSpace) -> Drawing<'a> {
        let graph = DrawnGraph::new(space);
        let lines = graph.lines.iter().map(|((from, to), edges)| Line {
            from: *from,
            to: *to,
            edges: edges.clone(),
        });
        Drawing {
            space,
            nodes: (0..space.nodes.len()).map(Drawn::node).collect(),
            lines: lines.collect(),
            repeated: false,
            left_out: LeftOut::default(),
            tendencies: graph.tendencies,
        }
    }

    pub(super) fn tendency(&self, drawn: usize) -> Tendency {
        match &self.nodes[drawn].what {
            DrawnKind::Node(node) => self.tendencies[*node],
            DrawnKind::Ends { end, .. } => Tendency::of_end(*end),
        }
    }

    /// The node of the state space, unless it is a group.
    pub(super) fn node(&self, drawn: usize) -> Option<&'a Node> {
        match &self.nodes[drawn].what {
            DrawnKind::Node(node) => Some(&self.space.nodes[*node]),
            DrawnKind::Ends { .. } => None,
        }
    }

    pub(super) fn pairs(&self) -> Vec<(usize, usize)> {
        self.lines.iter().map(|line| (line.from, line.to)).collect()
    }

    /// Leaves no more than `limit` nodes, the upper layers first.
    fn keep(&mut self, limit: usize) {
        if self.nodes.len() <= limit {
            return;
        }
        let layers = layout::layers(self.nodes.len(), &self.pairs());
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|drawn| layers[*drawn]);
        let kept: BTreeSet<usize> = order.into_iter().take(limit).collect();
        let new: BTreeMap<usize, usize> = kept.iter().enumerate().map(|(new, old)| (*old, new)).collect();
        let mut cut = vec![0; kept.len()];
        let mut lines = Vec::new();
        for mut line in std::mem::take(&mut self.lines) {
            let Some(from) = new.get(&line.from) else {
                self.left_out.edges += line.edges.len();
                continue;
            };
            match new.get(&line.to) {
                Some(to) => {
                    (line.from, line.to) = (*from, *to);
                    lines.push(line);
                }
                None => {
                    self.left_out.edges += line.edges.len();
                    cut[*from] += line.edges.len();
                }
            }
        }
        self.lines = lines;
        let all = self.shown();
        let mut place = 0;
        self.nodes.retain(|_| {
            place += 1;
            kept.contains(&(place - 1))
        });
        for (node, cut) in self.nodes.iter_mut().zip(cut) {
            node.cut = cut;
        }
        self.left_out.nodes = all.difference(&self.shown()).count();
    }

    /// The nodes of the state space that are in the picture, alone or in a group.
    fn shown(&self) -> BTreeSet<usize> {
        let nodes = self.nodes.iter().flat_map(|drawn| match &drawn.what {
            DrawnKind::Node(node) => std::slice::from_ref(node),
            DrawnKind::Ends { nodes, .. } => nodes,
        });
        nodes.copied().collect()
    }
}

impl Drawn {
    fn node(node: usize) -> Drawn {
        Drawn {
            what: DrawnKind::Node(node),
            cut: 0,
        }
    }
}

/// An end and the edges that lead to it from one choice.
type Hanging = (usize, Vec<usize>);

/// The state space with its edges in order.
struct DrawnGraph {
    lines: BTreeMap<(usize, usize), Vec<usize>>,
    parents: Vec<usize>,
    tendencies: Vec<Tendency>,
}

impl DrawnGraph {
    /// Takes the edges that lead to a later node, which are all: the state space says so.
    fn new(space: &StateSpace) -> DrawnGraph {
        let n = space.nodes.len();
        let mut lines: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (index, edge) in space.edges.iter().enumerate() {
            if edge.from < edge.to && edge.to < n {
                lines.entry((edge.from, edge.to)).or_default().push(index);
            }
        }
        let mut parents = vec![0; n];
        for (_, to) in lines.keys() {
            parents[*to] += 1;
        }
        let mut tendencies: Vec<Tendency> = space
            .nodes
            .iter()
            .map(|node| Tendency::of_kind(&node.kind))
            .collect();
        for (from, to) in lines.keys().rev() {
            let below = tendencies[*to];
            tendencies[*from].add(below);
        }
        DrawnGraph {
            lines,
            parents,
            tendencies,
        }
    }

    fn draw<'a>(self, space: &'a StateSpace) -> Drawing<'a> {
        let end = |node: usize| End::of(&space.nodes[node].kind);
        let hangs =
            |node: usize| end(node).filter(|_| self.parents[node] == 1 || self.parents[node] > PARENTS);
        let mut place = vec![None; space.nodes.len()];
        let mut nodes = Vec::new();
        for (node, place) in place.iter_mut().enumerate() {
            if hangs(node).is_none() {
                *place = Some(nodes.len());
                nodes.push(Drawn::node(node));
            }
        }
        let mut lines = Vec::new();
        // The ends that hang under one choice only, or seem to.
        let mut hanging: BTreeMap<(usize, End), Vec<Hanging>> = BTreeMap::new();
        let mut repeated = false;
        for ((from, to), edges) in self.lines {
            let Some(from) = place[from] else { continue };
            match (place[to], end(to)) {
                (Some(to), _) => lines.push(Line { from, to, edges }),
                (None, Some(kind)) => {
                    repeated |= self.parents[to] > 1;
                    hanging.entry((from, kind)).or_default().push((to, edges));
                }
                (None, None) => {}
            }
        }
        for ((from, end), ends) in hanging {
            let mut hang = |what: DrawnKind, edges: Vec<usize>| {
                let to = nodes.len();
                nodes.push(Drawn { what, cut: 0 });
                lines.push(Line { from, to, edges });
            };
            if ends.len() > ENDS {
                let (nodes, edges): (Vec<usize>, Vec<Vec<usize>>) = ends.into_iter().unzip();
                hang(DrawnKind::Ends { end, nodes }, edges.concat());
            } else {
                for (node, edges) in ends {
                    hang(DrawnKind::Node(node), edges);
                }
            }
        }
        Drawing {
            space,
            nodes,
            lines,
            repeated,
            left_out: LeftOut::default(),
            tendencies: self.tendencies,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn parallel_orders_are_one_line() {
        let space = samples::figure_2_12();
        let drawing = Drawing::new(&space, LIMIT);
        assert_eq!(drawing.nodes.len(), 8);
        assert_eq!(drawing.lines.len(), 8);
        let counts: Vec<usize> = drawing.lines.iter().map(|line| line.edges.len()).collect();
        assert_eq!(counts.iter().filter(|n| **n == 2).count(), 1);
        assert_eq!(counts.iter().sum::<usize>(), 9);
        assert!(!drawing.repeated);
        assert_eq!(drawing.left_out, LeftOut::default());
    }

    #[test]
    fn many_failures_under_one_choice_are_a_group() {
        let space = samples::figure_2_8();
        let drawing = Drawing::new(&space, LIMIT);
        // The start, the choice, the pass, and all failures as one.
        assert_eq!(drawing.nodes.len(), 4);
        let groups: Vec<usize> = drawing
            .nodes
            .iter()
            .filter_map(|drawn| match &drawn.what {
                DrawnKind::Ends {
                    end: End::Failed,
                    nodes,
                } => Some(nodes.len()),
                _ => None,
            })
            .collect();
        assert_eq!(groups, [23]);
    }

    #[test]
    fn an_end_of_many_choices_is_under_each() {
        let space = samples::tree(3, 2);
        assert_eq!(
            space
                .nodes
                .iter()
                .filter(|node| node.kind == NodeKind::Passed)
                .count(),
            1
        );
        let drawing = Drawing::new(&space, LIMIT);
        assert!(drawing.repeated);
        let mut parents = vec![0; drawing.nodes.len()];
        for line in &drawing.lines {
            assert!(line.from < line.to);
            parents[line.to] += 1;
        }
        assert!(parents[1..].iter().all(|n| *n == 1), "{parents:?}");
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let space = samples::random(3000, 7);
        let drawing = Drawing::new(&space, LIMIT);
        assert_eq!(drawing.nodes.len(), LIMIT);
        let drawn: usize = drawing.lines.iter().map(|line| line.edges.len()).sum();
        assert_eq!(drawn + drawing.left_out.edges, space.edges.len());
        assert!(drawing.left_out.nodes > 0);
        assert!(drawing.nodes.iter().any(|drawn| drawn.cut > 0));
    }

    #[test]
    fn tendencies_come_from_below() {
        let space = samples::figure_2_12();
        let drawing = Drawing::whole(&space);
        let both = Tendency {
            passes: true,
            fails: true,
            open: false,
        };
        assert_eq!(drawing.tendency(0), both);
        assert_eq!(drawing.tendency(5), Tendency::of_end(End::Passed));
        assert_eq!(drawing.tendency(6), Tendency::of_end(End::Failed));
    }

    #[test]
    fn broken_edges_and_no_nodes_do_no_harm() {
        let mut space = samples::figure_2_12();
        space.edges[0].to = 99;
        space.edges[1].to = 0;
        assert_eq!(Drawing::new(&space, LIMIT).nodes.len(), 8);
        space.nodes.clear();
        assert!(Drawing::new(&space, LIMIT).nodes.is_empty());
    }
}
