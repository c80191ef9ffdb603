//! The state space for Graphviz, all of it: `dot -Tsvg`.

use super::change::{change, name};
use super::drawing::{Drawing, DrawnKind, Tendency};
use super::escape::{dot as quoted, line};
use crate::probability::{exact, verdict};
use crate::state_space::{figures, said};
use std::fmt::{self, Write as _};
use unflake_findings::{Node, NodeKind, StateSpace};

const LABEL_WIDTH: usize = 60;
/// How many elements of an order are written at its line.
const ELEMENTS: usize = 6;

/// The graph in the language of Graphviz. Parallel edges are one line with their number.
pub fn dot(space: &StateSpace) -> String {
    let mut text = String::new();
    write(&mut text, &Drawing::whole(space)).expect("a string takes everything");
    text
}

fn write(text: &mut String, drawing: &Drawing<'_>) -> fmt::Result {
    let space = drawing.space;
    let title = format!("{}\n{}\n{}", space.test, verdict(space), figures(space));
    writeln!(text, "digraph state_space {{")?;
    writeln!(
        text,
        "    graph [label={}, labelloc=t, fontname=\"sans-serif\"]",
        quoted(&title)
    )?;
    writeln!(
        text,
        "    node [shape=box, style=rounded, fontname=\"monospace\", fontsize=11]"
    )?;
    writeln!(text, "    edge [fontname=\"monospace\", fontsize=9]")?;
    for (index, drawn) in drawing.nodes.iter().enumerate() {
        if let DrawnKind::Node(node) = drawn.what {
            let colour = colour(drawing.tendency(index));
            writeln!(
                text,
                "    n{index} [{}, color={colour}]",
                node_attributes(&space.nodes[node])
            )?;
        }
    }
    for edge in &drawing.lines {
        let tendency = drawing.tendency(edge.to);
        write!(
            text,
            "    n{} -> n{} [color={}",
            edge.from,
            edge.to,
            colour(tendency)
        )?;
        if tendency.open {
            write!(text, ", style=dashed")?;
        }
        match edge.edges[..] {
            [only] => {
                if let Some(label) = order_label(space, only) {
                    write!(text, ", label={}", quoted(&label))?;
                }
            }
            ref several => write!(
                text,
                ", penwidth=2, label={}",
                quoted(&format!("{} orders", several.len()))
            )?,
        }
        writeln!(text, "]")?;
    }
    writeln!(text, "}}")
}

fn node_attributes(node: &Node) -> String {
    match &node.kind {
        NodeKind::Start => "label=\"start\", shape=oval, style=solid".to_owned(),
        NodeKind::Passed => "label=\"passed\", shape=oval, style=solid".to_owned(),
        NodeKind::Unexplored => "label=\"not explored\", shape=oval, style=dashed".to_owned(),
        NodeKind::Failed { exception, message } => {
            let label = line(&said(exception, message), LABEL_WIDTH);
            format!("label={}, shape=octagon, style=solid", quoted(&label))
        }
        NodeKind::Choice {
            api,
            elements,
            call,
            merge,
            critical,
            sampled,
            ..
        } => {
            let call = call.as_deref().map(|call| line(call, LABEL_WIDTH) + "\n");
            let label = format!(
                "{}\n{}{elements} elements, fails {}",
                line(api, LABEL_WIDTH),
                call.unwrap_or_default(),
                exact(node.failure_probability)
            );
            let mut attributes = format!("label={}", quoted(&label));
            if *critical {
                attributes.push_str(", shape=hexagon, peripheries=2");
            }
            let style = ["rounded", "dashed", "bold"]
                .into_iter()
                .zip([!critical, *sampled, *merge]);
            let style: Vec<&str> = style.filter(|(_, on)| *on).map(|(style, _)| style).collect();
            let style = if style.is_empty() {
                "solid".to_owned()
            } else {
                style.join(",")
            };
            let _ = write!(attributes, ", style=\"{style}\"");
            attributes
        }
    }
}

/// The elements in the order given, or what is different about it where they are too many.
fn order_label(space: &StateSpace, edge: usize) -> Option<String> {
    let edge = &space.edges[edge];
    let NodeKind::Choice {
        elements, natural, ..
    } = &space.nodes[edge.from].kind
    else {
        return None;
    };
    if edge.order.is_empty() {
        return None;
    }
    let label = match natural.is_empty() || edge.order.len() > ELEMENTS || edge.order.len() == 1 {
        true => change(&edge.order, *elements, natural).text,
        false => {
            let names: Vec<String> = edge.order.iter().map(|place| name(*place, natural)).collect();
            names.join(", ")
        }
    };
    Some(line(&label, LABEL_WIDTH))
}

fn colour(tendency: Tendency) -> &'static str {
    match (tendency.passes, tendency.fails) {
        (true, false) => "\"#1a7f37\"",
        (false, true) => "\"#cf222e\"",
        (true, true) => "\"#9a6700\"",
        (false, false) => "\"#6e7781\"",
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn the_thesis_example_for_graphviz() {
        let expected = r##"digraph state_space {
    graph [label="shop.CartTest#writesJson\nfails with probability 50 %\n8 nodes, 9 edges, 2 failing leaves, 1 merge node, 2 critical choices", labelloc=t, fontname="sans-serif"]
    node [shape=box, style=rounded, fontname="monospace", fontsize=11]
    edge [fontname="monospace", fontsize=9]
    n0 [label="start", shape=oval, style=solid, color="#9a6700"]
    n1 [label="HashMap.keySet\nshop.Cart.write(Cart.java:12)\n2 elements, fails 50 %", style="rounded", color="#9a6700"]
    n2 [label="HashSet.iterator\nshop.Cart.write(Cart.java:14)\n2 elements, fails 50 %", style="rounded,bold", color="#9a6700"]
    n3 [label="File.list\nshop.Cart.write(Cart.java:21)\n2 elements, fails 50 %", shape=hexagon, peripheries=2, style="solid", color="#9a6700"]
    n4 [label="File.list\nshop.Cart.write(Cart.java:21)\n2 elements, fails 50 %", shape=hexagon, peripheries=2, style="solid", color="#9a6700"]
    n5 [label="passed", shape=oval, style=solid, color="#1a7f37"]
    n6 [label="AssertionFailedError: expected: <[plum, quince]> but was: <…", shape=octagon, style=solid, color="#cf222e"]
    n7 [label="AssertionFailedError: expected: <2> but was: <1>", shape=octagon, style=solid, color="#cf222e"]
    n0 -> n1 [color="#9a6700"]
    n1 -> n2 [color="#9a6700", penwidth=2, label="2 orders"]
    n2 -> n3 [color="#9a6700", label="plum, quince"]
    n2 -> n4 [color="#9a6700", label="quince, plum"]
    n3 -> n5 [color="#1a7f37", label="may.pdf, june.pdf"]
    n3 -> n6 [color="#cf222e", label="june.pdf, may.pdf"]
    n4 -> n5 [color="#1a7f37", label="june.pdf, may.pdf"]
    n4 -> n7 [color="#cf222e", label="may.pdf, june.pdf"]
}
"##;
        assert_eq!(dot(&samples::figure_2_12()), expected);
    }

    #[test]
    fn hostile_text_stays_in_its_quotes() {
        let text = dot(&samples::hostile());
        let mut quotes = 0;
        for line in text.lines() {
            let line = line.replace("\\\\", "").replace("\\\"", "");
            quotes += line.matches('"').count();
            assert_eq!(line.matches('"').count() % 2, 0, "{line}");
        }
        assert!(quotes > 0);
        assert!(text.len() < 10_000, "{}", text.len());
    }
}
