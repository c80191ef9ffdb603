//! What the parts of a drawing are called, on the picture and for those who hear it.

use super::drawing::{Drawing, DrawnKind, End};
use super::escape::line;
use crate::probability::exact;
use crate::state_space::said;
use crate::text::plural;
use unflake_findings::NodeKind;

const TITLE_WIDTH: usize = 80;
const MESSAGE_WIDTH: usize = 160;

/// A few words: `HashMap.keySet`, `23 failing orders`.
pub(super) fn title(drawing: &Drawing<'_>, drawn: usize) -> String {
    let Some(node) = drawing.node(drawn) else {
        return ends_title(drawing, drawn);
    };
    match &node.kind {
        NodeKind::Start => "start".to_owned(),
        NodeKind::Choice { api, .. } => line(api, TITLE_WIDTH),
        NodeKind::Passed => "passed".to_owned(),
        NodeKind::Failed { exception, .. } => line(&said(exception, ""), TITLE_WIDTH),
        NodeKind::Unexplored => "not explored".to_owned(),
    }
}

/// Everything the picture shows of a node, as one sentence.
pub(super) fn description(drawing: &Drawing<'_>, drawn: usize) -> String {
    let mut parts = vec![title(drawing, drawn)];
    if let Some(node) = drawing.node(drawn) {
        match &node.kind {
            NodeKind::Failed { exception, message } => {
                parts = vec![format!(
                    "failed: {}",
                    line(&said(exception, message), MESSAGE_WIDTH)
                )];
            }
            NodeKind::Choice {
                elements,
                call,
                merge,
                critical,
                sampled,
                ..
            } => {
                parts.push(plural(*elements as usize, "element"));
                parts.extend(call.as_deref().map(|call| line(call, MESSAGE_WIDTH)));
                parts.push(format!("fails {} from here", exact(node.failure_probability)));
                let marks = [
                    (*critical, "critical choice"),
                    (*merge, "merge node"),
                    (*sampled, "sampled"),
                ];
                parts.extend(
                    marks
                        .into_iter()
                        .filter(|(on, _)| *on)
                        .map(|(_, mark)| mark.to_owned()),
                );
            }
            NodeKind::Start | NodeKind::Passed | NodeKind::Unexplored => {}
        }
    }
    if drawing.nodes[drawn].cut > 0 {
        parts.push(format!("{} not drawn", plural(drawing.nodes[drawn].cut, "order")));
    }
    parts.join(", ")
}

/// The same for a line.
pub(super) fn line_description(drawing: &Drawing<'_>, index: usize) -> String {
    let edge = &drawing.lines[index];
    let (from, to) = (title(drawing, edge.from), title(drawing, edge.to));
    format!("{}: {from} to {to}", plural(edge.edges.len(), "order"))
}

/// What the ends of a group are.
pub(super) fn adjective(end: End) -> &'static str {
    match end {
        End::Passed => "passing",
        End::Failed => "failing",
        End::Unexplored => "unexplored",
    }
}

fn ends_title(drawing: &Drawing<'_>, drawn: usize) -> String {
    let DrawnKind::Ends { end, nodes } = &drawing.nodes[drawn].what else {
        return String::new();
    };
    let coming = drawing.lines.iter().find(|line| line.to == drawn);
    let orders = coming.map_or(nodes.len(), |line| line.edges.len());
    format!("{orders} {} orders", adjective(*end))
}
