//! The picture. Colours and strokes are the style sheet's; here are shapes, places and names.

use super::drawing::{Drawing, DrawnKind, End, Line, Tendency};
use super::escape::{html, line};
use super::labels::{description, line_description, title};
use super::layout::{self, Layout, Point, Size};
use crate::text::plural;
use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use unflake_findings::NodeKind;

/// Of the style sheet's font at its size: 12 px, monospace.
const LETTER: f64 = 7.3;
const LABEL_WIDTH: usize = 30;
const CHOICE_HEIGHT: f64 = 48.0;
const END: f64 = 24.0;
/// A layer that would be wider than that gets small nodes, with their text in the panel only.
const LAYER_WIDTH: f64 = 2600.0;

/// The `svg` element, with a scheme that works without the page's script.
pub(super) fn svg(drawing: &Drawing<'_>) -> String {
    let looks = looks(drawing);
    let sizes: Vec<Size> = looks.iter().map(|look| look.size).collect();
    let layout = layout::layout(&sizes, &drawing.pairs());
    let mut picture = Picture {
        text: String::new(),
        drawing,
        looks,
        layout,
        leaving: count(drawing, |line| line.from),
        coming: count(drawing, |line| line.to),
    };
    picture.write().expect("a string takes everything");
    picture.text
}

struct SvgLook {
    size: Size,
    /// The lines of text inside.
    text: Vec<String>,
}

struct Picture<'a> {
    text: String,
    drawing: &'a Drawing<'a>,
    looks: Vec<SvgLook>,
    layout: Layout,
    /// How many lines leave each node, and how many come to it.
    leaving: Vec<usize>,
    coming: Vec<usize>,
}

impl Picture<'_> {
    fn write(&mut self) -> fmt::Result {
        let Size { width, height } = self.layout.size;
        writeln!(
            self.text,
            "<svg id=\"graph\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             role=\"group\" aria-label=\"State space graph. Arrow keys go from node to node.\">\n\
             <g id=\"view\" data-width=\"{width:.0}\" data-height=\"{height:.0}\">"
        )?;
        for index in 0..self.drawing.lines.len() {
            self.line(index)?;
        }
        for index in 0..self.drawing.nodes.len() {
            self.node(index)?;
        }
        writeln!(self.text, "</g>\n</svg>")
    }

    fn line(&mut self, index: usize) -> fmt::Result {
        let line = &self.drawing.lines[index];
        let route = &self.layout.routes[index];
        let class = tendency_class(self.drawing.tendency(line.to));
        let path = path(route);
        let name = html(&line_description(self.drawing, index));
        write!(
            self.text,
            "<g class=\"line {class}\" data-line=\"{index}\" tabindex=\"-1\" role=\"button\" aria-label=\"{name}\">\
             <title>{name}</title><path class=\"reach\" d=\"{path}\"/><path class=\"stroke\" d=\"{path}\"/>"
        )?;
        // A group says its number itself.
        let to_node = self.drawing.node(line.to).is_some();
        if let (n @ 2.., true, [_, from, to, ..]) = (line.edges.len(), to_node, &route[..]) {
            let (leaving, coming) = (self.leaving[line.from], self.coming[line.to]);
            let Point { x, y } = count_place(*from, *to, leaving.cmp(&coming));
            let count = format!("×{n}");
            let width = count.chars().count() as f64 * 6.6 + 8.0;
            write!(
                self.text,
                "<g class=\"count\" transform=\"translate({x:.1} {y:.1})\">\
                 <rect x=\"{:.1}\" y=\"-8\" width=\"{width:.1}\" height=\"16\" rx=\"8\"/><text y=\"4\">{count}</text></g>",
                -width / 2.0
            )?;
        }
        writeln!(self.text, "</g>")
    }

    fn node(&mut self, index: usize) -> fmt::Result {
        let Point { x, y } = self.layout.centres[index];
        let name = html(&description(self.drawing, index));
        let class = tendency_class(self.drawing.tendency(index));
        let tab = if index == 0 { 0 } else { -1 };
        let (kind, shape) = self.shape(index);
        write!(
            self.text,
            "<g class=\"node {kind} {class}\" data-node=\"{index}\" transform=\"translate({x:.1} {y:.1})\" \
             tabindex=\"{tab}\" role=\"button\" aria-label=\"{name}\"><title>{name}</title>{shape}"
        )?;
        let cut = self.drawing.nodes[index].cut;
        if cut > 0 {
            let below = self.looks[index].size.height / 2.0 + 14.0;
            write!(self.text, "<text class=\"cut\" y=\"{below:.0}\">⋯ {cut}</text>")?;
        }
        writeln!(self.text, "</g>")
    }

    /// The classes and what is inside.
    fn shape(&self, index: usize) -> (String, String) {
        let look = &self.looks[index];
        let Some(node) = self.drawing.node(index) else {
            return ("ends".to_owned(), stack(look));
        };
        match &node.kind {
            NodeKind::Start => ("start".to_owned(), boxed(look, 15.0)),
            NodeKind::Passed => ("end".to_owned(), end(End::Passed)),
            NodeKind::Failed { .. } => ("end".to_owned(), end(End::Failed)),
            NodeKind::Unexplored => ("end unexplored".to_owned(), end(End::Unexplored)),
            NodeKind::Choice {
                merge,
                critical,
                sampled,
                ..
            } => {
                let marks = [("critical", *critical), ("merge", *merge), ("sampled", *sampled)];
                let mut class = "choice".to_owned();
                for (mark, _) in marks.into_iter().filter(|(_, on)| *on) {
                    class.push(' ');
                    class.push_str(mark);
                }
                let mut shape = String::new();
                if *critical {
                    shape += &rect("ring", look.size, 4.0, 9.0);
                }
                shape += &boxed(look, 6.0);
                shape += &bar(look.size, node.failure_probability);
                if *merge {
                    let top = -look.size.height / 2.0;
                    let _ = write!(
                        shape,
                        "<path class=\"join\" d=\"M0 {:.1}l6 6l-6 6l-6 -6z\"/>",
                        top - 6.0
                    );
                }
                (class, shape)
            }
        }
    }
}

fn count(drawing: &Drawing<'_>, node: impl Fn(&Line) -> usize) -> Vec<usize> {
    let mut counts = vec![0; drawing.nodes.len()];
    for line in &drawing.lines {
        counts[node(line)] += 1;
    }
    counts
}

/// Sizes and texts; a layer that would be too wide is made of small ones.
fn looks(drawing: &Drawing<'_>) -> Vec<SvgLook> {
    let mut looks: Vec<SvgLook> = (0..drawing.nodes.len())
        .map(|index| look(drawing, index))
        .collect();
    let layers = layout::layers(drawing.nodes.len(), &drawing.pairs());
    let mut widths = vec![0.0; layers.iter().max().map_or(0, |last| last + 1)];
    for (look, layer) in looks.iter().zip(&layers) {
        widths[*layer] += look.size.width + 20.0;
    }
    for (index, look) in looks.iter_mut().enumerate() {
        if widths[layers[index]] > LAYER_WIDTH {
            make_small(drawing, index, look);
        }
    }
    looks
}

fn look(drawing: &Drawing<'_>, index: usize) -> SvgLook {
    let kind = drawing.node(index).map(|node| &node.kind);
    match kind {
        Some(NodeKind::Passed | NodeKind::Failed { .. } | NodeKind::Unexplored) => SvgLook {
            size: Size {
                width: END,
                height: END,
            },
            text: Vec::new(),
        },
        Some(NodeKind::Choice { elements, call, .. }) => {
            let mut about = plural(*elements as usize, "element");
            if let Some(call) = call {
                let _ = write!(about, ", {}", short_call(call));
            }
            let text = vec![
                line(&title(drawing, index), LABEL_WIDTH),
                line(&about, LABEL_WIDTH),
            ];
            with_text(text, CHOICE_HEIGHT)
        }
        Some(NodeKind::Start) | None => with_text(vec![title(drawing, index)], 28.0),
    }
}

fn make_small(drawing: &Drawing<'_>, index: usize, look: &mut SvgLook) {
    let text = match (
        drawing.node(index).map(|node| &node.kind),
        &drawing.nodes[index].what,
    ) {
        (Some(NodeKind::Choice { elements, .. }), _) => elements.to_string(),
        (None, DrawnKind::Ends { .. }) => {
            let count = look.text.first().and_then(|text| text.split(' ').next());
            count.unwrap_or_default().to_owned()
        }
        _ => return,
    };
    let height = if drawing.node(index).is_some() { 34.0 } else { 26.0 };
    *look = with_text(vec![text], height);
}

fn with_text(text: Vec<String>, height: f64) -> SvgLook {
    let letters = |text: &String| -> usize { text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum() };
    let widest = text.iter().map(letters).max().unwrap_or_default();
    let width = (widest as f64 * LETTER + 22.0).max(40.0).round();
    SvgLook {
        size: Size { width, height },
        text,
    }
}

/// `Cart.java:12` of `shop.Cart.write(Cart.java:12)`.
fn short_call(call: &str) -> &str {
    let inner = call.rsplit_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inner.unwrap_or(call)
}

fn tendency_class(tendency: Tendency) -> String {
    let class = match (tendency.passes, tendency.fails) {
        (true, false) => "passes",
        (false, true) => "fails",
        (true, true) => "both",
        (false, false) => "unknown",
    };
    // What leads to both is known to, whatever else there is.
    match tendency.open && class != "both" {
        true => format!("{class} open"),
        false => class.to_owned(),
    }
}

pub(super) fn path(route: &[Point]) -> String {
    let mut path = String::new();
    let Some((first, rest)) = route.split_first() else {
        return path;
    };
    let _ = write!(path, "M{:.1} {:.1}", first.x, first.y);
    for pair in rest.chunks_exact(2) {
        let (from, to) = (pair[0], pair[1]);
        let middle = (from.y + to.y) / 2.0;
        let _ = write!(
            path,
            "V{:.1}C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {:.1}",
            from.y, from.x, to.x, to.x, to.y
        );
    }
    if let Some(last) = route.last() {
        let _ = write!(path, "V{:.1}", last.y);
    }
    path
}

/// Where on a curve its number stands: nearer to the end that has fewer lines, since there they are further apart.
fn count_place(from: Point, to: Point, lines: Ordering) -> Point {
    // What the curve of [`path`] has gone at a quarter, a half and three quarters.
    let (across, down) = match lines {
        Ordering::Less => (0.156, 0.297),
        Ordering::Equal => (0.5, 0.5),
        Ordering::Greater => (0.844, 0.703),
    };
    Point {
        x: from.x + (to.x - from.x) * across,
        y: from.y + (to.y - from.y) * down,
    }
}

fn boxed(look: &SvgLook, corner: f64) -> String {
    let mut shape = rect("box", look.size, 0.0, corner);
    match &look.text[..] {
        [first, second] => {
            let _ = write!(
                shape,
                "<text y=\"-6\">{}</text><text class=\"faint\" y=\"9\">{}</text>",
                html(first),
                html(second)
            );
        }
        [only] => {
            let lift = if look.size.height > 30.0 { 1 } else { 4 };
            let _ = write!(shape, "<text y=\"{lift}\">{}</text>", html(only));
        }
        _ => {}
    }
    shape
}

/// Several sheets upon each other.
fn stack(look: &SvgLook) -> String {
    let Size { width, height } = look.size;
    let mut shape = String::new();
    for back in [6.0, 3.0] {
        let _ = write!(
            shape,
            "<rect class=\"sheet\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" rx=\"5\"/>",
            -width / 2.0 + back,
            -height / 2.0 + back,
            width - 2.0 * back
        );
    }
    shape + &boxed(look, 5.0)
}

fn rect(class: &str, size: Size, outside: f64, corner: f64) -> String {
    let (width, height) = (size.width + 2.0 * outside, size.height + 2.0 * outside);
    format!(
        "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{corner:.0}\"/>",
        -width / 2.0,
        -height / 2.0
    )
}

/// How much of what is below fails.
fn bar(size: Size, probability: f64) -> String {
    let width = size.width - 16.0;
    let failing = if probability.is_nan() {
        0.0
    } else {
        probability.clamp(0.0, 1.0) * width
    };
    let (x, y) = (-width / 2.0, size.height / 2.0 - 9.0);
    format!(
        "<rect class=\"good\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"4\"/>\
         <rect class=\"bad\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{failing:.1}\" height=\"4\"/>"
    )
}

/// A tick in a circle, a cross in an octagon, a question mark: not only their colours differ.
pub(super) fn end(end: End) -> String {
    match end {
        End::Passed => "<circle class=\"box\" r=\"11\"/><path class=\"sign\" d=\"M-5 0l4 4l6 -7\"/>",
        End::Failed => {
            "<path class=\"box\" d=\"M-5 -12h10l7 7v10l-7 7h-10l-7 -7v-10z\"/>\
             <path class=\"sign\" d=\"M-4 -4l8 8m0 -8l-8 8\"/>"
        }
        End::Unexplored => "<circle class=\"box\" r=\"11\"/><text y=\"4\">?</text>",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn a_wide_layer_gets_small_nodes() {
        let widest = |space| {
            let drawing = Drawing::new(&space, 600);
            let looks = looks(&drawing);
            looks.iter().map(|look| look.size.width).fold(0.0, f64::max)
        };
        assert!(widest(samples::figure_2_12()) > 100.0);
        let space = samples::tree(4, 3);
        let drawing = Drawing::new(&space, 600);
        let small = looks(&drawing).iter().filter(|look| look.text == ["3"]).count();
        assert_eq!(small, 36 + 216);
    }

    #[test]
    fn lines_are_straight_outside_of_the_gaps() {
        let route = [(1.0, 0.0), (1.0, 5.0), (9.0, 15.0), (9.0, 20.0)].map(|(x, y)| Point { x, y });
        assert_eq!(path(&route), "M1.0 0.0V5.0C1.0 10.0 9.0 10.0 9.0 15.0V20.0");
    }
}
