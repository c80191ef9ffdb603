//! What the page's panel shows when a node or a line is chosen, as JSON for its script.
//!
//! The script puts texts into text nodes only, so nothing in here is ever read as HTML. Long lists end early and say
//! so: the whole is in the JSON that `unflake explore` writes.

use super::change::change;
use super::drawing::{Drawing, DrawnKind, Line};
use super::escape::{cut, visible};
use super::labels::{adjective, title};
use crate::probability::exact;
use serde::Serialize;
use std::collections::BTreeMap;
use unflake_findings::NodeKind;

const MESSAGE_WIDTH: usize = 4000;
const NAME_WIDTH: usize = 120;
/// How many elements of a choice are named, and how many orders of a line listed.
const ELEMENTS: usize = 200;
const ORDERS: usize = 120;
/// How many places all listed orders may have together; after that each line has one order.
const PLACES: usize = 300_000;

#[derive(Serialize)]
pub(super) struct Data {
    nodes: Vec<NodeData>,
    lines: Vec<LineData>,
    failures: Vec<FailureData>,
}

#[derive(Serialize)]
struct NodeData {
    kind: &'static str,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<ChoiceData>,
    /// From here, as text.
    probability: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<usize>,
    cut: usize,
}

#[derive(Serialize)]
struct ChoiceData {
    elements: u32,
    call: Option<String>,
    natural: Vec<String>,
    merge: bool,
    critical: bool,
    sampled: bool,
}

#[derive(Serialize)]
struct LineData {
    from: usize,
    to: usize,
    orders: Vec<OrderData>,
    /// How many orders are not listed.
    more: usize,
}

#[derive(Serialize)]
struct OrderData {
    order: Vec<u32>,
    /// How many places are not listed.
    more: usize,
    change: String,
    moved: Vec<u32>,
    /// Where the line leads to a group: the failure of this order.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<usize>,
}

#[derive(Serialize)]
struct FailureData {
    exception: String,
    message: String,
}

impl Data {
    pub(super) fn new(drawing: &Drawing<'_>) -> Data {
        let mut failures = Failures::default();
        let mut places = 0;
        let lines = drawing
            .lines
            .iter()
            .map(|line| line_data(drawing, line, &mut failures, &mut places));
        let lines = lines.collect();
        let nodes = (0..drawing.nodes.len()).map(|index| node_data(drawing, index, &mut failures));
        Data {
            nodes: nodes.collect(),
            lines,
            failures: failures.texts,
        }
    }

    /// Which of the listed failures this is.
    pub(super) fn failure(&self, exception: &str, message: &str) -> Option<usize> {
        let sought = FailureData::new(exception, message);
        let same = |one: &FailureData| one.exception == sought.exception && one.message == sought.message;
        self.failures.iter().position(same)
    }
}

/// Each failure once, by exception and message.
#[derive(Default)]
struct Failures<'a> {
    known: BTreeMap<(&'a str, &'a str), usize>,
    texts: Vec<FailureData>,
}

impl<'a> Failures<'a> {
    fn of(&mut self, kind: &'a NodeKind) -> Option<usize> {
        let NodeKind::Failed { exception, message } = kind else {
            return None;
        };
        let next = self.texts.len();
        let index = *self.known.entry((exception, message)).or_insert(next);
        if index == next {
            self.texts.push(FailureData::new(exception, message));
        }
        Some(index)
    }
}

impl FailureData {
    fn new(exception: &str, message: &str) -> FailureData {
        FailureData {
            exception: visible(&cut(exception, NAME_WIDTH * 2)),
            message: visible(&cut(message, MESSAGE_WIDTH)),
        }
    }
}

fn node_data<'a>(drawing: &Drawing<'a>, index: usize, failures: &mut Failures<'a>) -> NodeData {
    let drawn = &drawing.nodes[index];
    let node = drawing.node(index);
    let (kind, choice) = match (node.map(|node| &node.kind), &drawn.what) {
        (Some(NodeKind::Start), _) => ("start", None),
        (Some(NodeKind::Passed), _) => ("passed", None),
        (Some(NodeKind::Failed { .. }), _) => ("failed", None),
        (Some(NodeKind::Unexplored), _) => ("unexplored", None),
        (
            Some(NodeKind::Choice {
                elements,
                call,
                natural,
                merge,
                critical,
                sampled,
                ..
            }),
            _,
        ) => {
            let natural = natural.iter().take(ELEMENTS);
            let choice = ChoiceData {
                elements: *elements,
                call: call.as_deref().map(|call| visible(&cut(call, NAME_WIDTH * 2))),
                natural: natural.map(|name| visible(&cut(name, NAME_WIDTH))).collect(),
                merge: *merge,
                critical: *critical,
                sampled: *sampled,
            };
            ("choice", Some(choice))
        }
        (None, DrawnKind::Ends { end, .. }) => (adjective(*end), None),
        (None, DrawnKind::Node(_)) => ("start", None),
    };
    NodeData {
        kind,
        title: visible(&title(drawing, index)),
        choice,
        probability: node
            .filter(|node| matches!(node.kind, NodeKind::Start | NodeKind::Choice { .. }))
            .map(|node| exact(node.failure_probability)),
        failure: node.and_then(|node| failures.of(&node.kind)),
        cut: drawn.cut,
    }
}

fn line_data<'a>(
    drawing: &Drawing<'a>,
    line: &Line,
    failures: &mut Failures<'a>,
    places: &mut usize,
) -> LineData {
    let space = drawing.space;
    let to_group = drawing.node(line.to).is_none();
    let listed = if *places > PLACES { 1 } else { ORDERS };
    let mut orders = Vec::new();
    for edge in line.edges.iter().take(listed).map(|edge| &space.edges[*edge]) {
        let (elements, natural) = match &space.nodes[edge.from].kind {
            NodeKind::Choice {
                elements, natural, ..
            } => (*elements, &natural[..]),
            _ => (0, &[][..]),
        };
        let change = change(&edge.order, elements, natural);
        let shown = edge.order.len().min(ELEMENTS);
        *places += shown;
        orders.push(OrderData {
            order: edge.order[..shown].to_vec(),
            more: edge.order.len() - shown,
            change: visible(&change.text),
            moved: change.moved.into_iter().take(ELEMENTS).collect(),
            failure: match to_group {
                true => failures.of(&space.nodes[edge.to].kind),
                false => None,
            },
        });
    }
    LineData {
        from: line.from,
        to: line.to,
        more: line.edges.len() - orders.len(),
        orders,
    }
}
