//! What is around the polluted objects of a run, as one HTML page that needs nothing but itself (P5).
//!
//! Each object is a box with its simple values inside; a field that holds another object of the picture is an arrow.
//! Objects are named by a text of their own (`Effect#3`, which is then the value of the field) or by their path
//! (`Effects.ALL`, which the path of the field `Effects.ALL["poison"]` continues). What was there before only is red
//! and dashed and marked `-`, what is there afterwards only is green and marked `+`. Below the picture stand the same
//! triples as a table, which is also what a screen reader reads.

use super::escape::{cut, html, line};
use super::layout::{self, Layout, Point, Size};
use super::svg::path;
use crate::text::{named, plural};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use unflake_findings::{Details, Finding, Pollution, Triple};
use unflake_protocol::Side;

const STYLE: &str = include_str!("neighbourhood.css");
/// Of the style sheet's font at its size: 12 px, monospace.
const LETTER: f64 = 7.3;
const ROW: f64 = 17.0;
const PADDING: f64 = 10.0;
/// How much of a name is shown on the picture, and of a value in the table.
const NAME_WIDTH: usize = 40;
const VALUE_WIDTH: usize = 1000;
/// How many objects are drawn, and how many values in each.
const OBJECTS: usize = 150;
const ROWS: usize = 12;
/// A list of more roots is folded.
const LISTED: usize = 12;

/// The pictures of all findings that have one, those of one root together; `None` if there are none.
pub fn pollution_page(findings: &[Finding]) -> Option<String> {
    let mut roots: Vec<(&str, Vec<(&Finding, &Pollution)>)> = Vec::new();
    for finding in findings {
        let Details::Polluter(pollution) = &finding.details else {
            continue;
        };
        if pollution.graph.is_empty() {
            continue;
        }
        let root = pollution.held_by.as_str();
        match roots.iter_mut().find(|(name, _)| *name == root) {
            Some((_, known)) => known.push((finding, pollution)),
            None => roots.push((root, vec![(finding, pollution)])),
        }
    }
    let mut page = NeighbourhoodPage { text: String::new() };
    page.write(&roots).expect("a string takes everything");
    (!roots.is_empty()).then_some(page.text)
}

struct NeighbourhoodPage {
    text: String,
}

impl NeighbourhoodPage {
    fn write(&mut self, roots: &[(&str, Vec<(&Finding, &Pollution)>)]) -> fmt::Result {
        // The policy keeps the promise that nothing is fetched, whatever a test wrote into its values.
        writeln!(
            self.text,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>What tests leave changed</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <header>\n<h1>What tests leave changed</h1>\n\
             <p class=\"faint\"><span class=\"old\">- before the test only</span>, \
             <span class=\"new\">+ after it only</span></p>"
        )?;
        let is_open = if roots.len() <= LISTED { " open" } else { "" };
        let count = plural(roots.len(), "root");
        writeln!(self.text, "<details{is_open}>\n<summary>{count}</summary>\n<ul>")?;
        for (root, findings) in roots {
            write!(self.text, "<li>{}:", html(&line(root, VALUE_WIDTH)))?;
            for (finding, _) in findings {
                let test = html(&cut(&named(&finding.test), 300));
                write!(self.text, " <a href=\"#{}\">{test}</a>", finding.id)?;
            }
            writeln!(self.text, "</li>")?;
        }
        writeln!(self.text, "</ul>\n</details>\n</header>\n<main>")?;
        for (finding, pollution) in roots.iter().flat_map(|(_, findings)| findings) {
            self.section(finding, pollution)?;
        }
        writeln!(self.text, "</main>\n</body>\n</html>")
    }

    fn section(&mut self, finding: &Finding, pollution: &Pollution) -> fmt::Result {
        let value = |value: &Option<String>| {
            let text = value.as_deref().unwrap_or("nothing");
            html(&line(text, VALUE_WIDTH))
        };
        writeln!(
            self.text,
            "<section id=\"{}\">\n<h2>{}</h2>\n<p><code>{}</code>: <code class=\"old\">{}</code> → \
             <code class=\"new\">{}</code></p>",
            finding.id,
            html(&cut(&named(&finding.test), 300)),
            html(&line(&pollution.path, VALUE_WIDTH)),
            value(&pollution.old),
            value(&pollution.new),
        )?;
        self.picture(&pollution.graph)?;
        self.table(&pollution.graph)?;
        writeln!(self.text, "</section>")
    }

    fn picture(&mut self, triples: &[Triple]) -> fmt::Result {
        let (objects, left_out) = Objects::new(triples);
        writeln!(self.text, "<div class=\"picture\">")?;
        objects.draw(&mut self.text)?;
        if left_out > 0 {
            writeln!(
                self.text,
                "<p class=\"faint\">{} not drawn; the table has all</p>",
                plural(left_out, "object")
            )?;
        }
        writeln!(self.text, "</div>")
    }

    fn table(&mut self, triples: &[Triple]) -> fmt::Result {
        writeln!(
            self.text,
            "<details>\n<summary>Objects, fields and values</summary>\n<table>"
        )?;
        for triple in triples {
            let cells = [&triple.object, &triple.field, &triple.value];
            let [object, field, value] = cells.map(|cell| html(&line(cell, VALUE_WIDTH)));
            writeln!(
                self.text,
                "<tr class=\"{}\"><td>{}</td><td>{object}</td><td>{field}</td><td>{value}</td></tr>",
                class(triple.side),
                mark(triple.side)
            )?;
        }
        writeln!(self.text, "</table>\n</details>")
    }
}

/// The objects of the picture, in the order of a walk from the first one.
struct Objects<'a> {
    objects: Vec<DrawnObject<'a>>,
    /// By the two ends, the one that stands higher first.
    lines: BTreeMap<(usize, usize), Vec<Arrow<'a>>>,
}

struct DrawnObject<'a> {
    name: &'a str,
    /// What the fields that lead to it say of it; the name where they say nothing else.
    title: String,
    side: Side,
    values: Vec<&'a Triple>,
}

struct Arrow<'a> {
    triple: &'a Triple,
    upwards: bool,
}

impl Arrow<'_> {
    fn label(&self) -> String {
        let field = line(&self.triple.field, NAME_WIDTH);
        format!("{} {field}", mark(self.triple.side)).trim().to_owned()
    }
}

impl<'a> Objects<'a> {
    /// Also how many objects did not fit.
    fn new(triples: &'a [Triple]) -> (Objects<'a>, usize) {
        let mut fields: BTreeMap<&str, Vec<&Triple>> = BTreeMap::new();
        for triple in triples {
            fields.entry(&triple.object).or_default().push(triple);
        }
        let order = walk(triples, &fields);
        let leading: Vec<(&Triple, Option<&str>)> = triples
            .iter()
            .map(|triple| (triple, target(triple, &fields)))
            .collect();
        let left_out = order.len().saturating_sub(OBJECTS);
        let place: BTreeMap<&str, usize> = order.iter().take(OBJECTS).copied().zip(0..).collect();
        let mut lines: BTreeMap<(usize, usize), Vec<Arrow<'a>>> = BTreeMap::new();
        let mut objects: Vec<DrawnObject<'a>> = Vec::with_capacity(place.len());
        for name in order.into_iter().take(OBJECTS) {
            let from = objects.len();
            let mut values = Vec::new();
            for triple in &fields[name] {
                let to = target(triple, &fields).and_then(|to| place.get(to).copied());
                match to.filter(|to| *to != from) {
                    None => values.push(*triple),
                    Some(to) => {
                        let arrow = Arrow {
                            triple,
                            upwards: to < from,
                        };
                        lines.entry((from.min(to), from.max(to))).or_default().push(arrow);
                    }
                }
            }
            objects.push(DrawnObject {
                name,
                title: title_of(name, &leading),
                side: side_of(name, &leading),
                values,
            });
        }
        (Objects { objects, lines }, left_out)
    }

    fn draw(&self, text: &mut String) -> fmt::Result {
        let mut sizes: Vec<Size> = self.objects.iter().map(DrawnObject::size).collect();
        // Lines start and end over a box's whole width: with room for their labels there, these keep apart as a rule.
        let mut room = vec![(0.0, 0.0); sizes.len()];
        for ((from, to), arrows) in &self.lines {
            let letters = arrows.iter().map(|arrow| arrow.label().chars().count());
            let label = (letters.max().unwrap_or(0) + 2) as f64 * LETTER;
            room[*from].0 += label;
            room[*to].1 += label;
        }
        for (size, (below, above)) in sizes.iter_mut().zip(room) {
            size.width = size.width.max(below).max(above);
        }
        let pairs: Vec<(usize, usize)> = self.lines.keys().copied().collect();
        let layout = layout::layout(&sizes, &pairs);
        let Size { width, height } = layout.size;
        writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"img\" aria-label=\"The objects around the change; the table below has the same.\">"
        )?;
        for (index, arrows) in self.lines.values().enumerate() {
            draw_line(text, &layout, index, arrows)?;
        }
        for ((object, size), centre) in self.objects.iter().zip(&sizes).zip(&layout.centres) {
            object.draw(text, *size, *centre)?;
        }
        // Above the boxes, so that no label is hidden.
        let mut labels = Labels::default();
        for (index, arrows) in self.lines.values().enumerate() {
            labels.draw(text, &layout.routes[index], arrows)?;
        }
        writeln!(text, "</svg>")
    }
}

impl DrawnObject<'_> {
    fn rows(&self) -> Vec<(Side, String)> {
        let mut rows: Vec<(Side, String)> = self
            .values
            .iter()
            .take(ROWS)
            .map(|triple| {
                let value = match triple.value == self.name {
                    true => "itself".to_owned(),
                    false => line(&triple.value, NAME_WIDTH),
                };
                let field = line(&triple.field, NAME_WIDTH);
                (triple.side, format!("{} {field} = {value}", mark(triple.side)))
            })
            .collect();
        if self.values.len() > ROWS {
            rows.push((Side::Both, format!("  … {} more", self.values.len() - ROWS)));
        }
        rows
    }

    fn size(&self) -> Size {
        let rows = self.rows();
        let letters = rows.iter().map(|(_, row)| row.chars().count());
        let widest = letters.chain([self.title.chars().count()]).max().unwrap_or(0);
        Size {
            width: widest as f64 * LETTER + 2.0 * PADDING,
            height: (rows.len() + 1) as f64 * ROW + 2.0 * PADDING,
        }
    }

    fn draw(&self, text: &mut String, size: Size, centre: Point) -> fmt::Result {
        let (left, top) = (centre.x - size.width / 2.0, centre.y - size.height / 2.0);
        write!(
            text,
            "<g class=\"object {}\"><rect class=\"box\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
             rx=\"6\"/><text class=\"title\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            class(self.side),
            size.width,
            size.height,
            left + PADDING,
            top + PADDING + 12.0,
            html(&self.title)
        )?;
        for (n, (side, row)) in self.rows().into_iter().enumerate() {
            write!(
                text,
                "<text class=\"{}\" xml:space=\"preserve\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                class(side),
                left + PADDING,
                top + PADDING + 12.0 + (n + 1) as f64 * ROW,
                html(&row)
            )?;
        }
        writeln!(text, "</g>")
    }
}

/// A line between two objects; a head at each end that an arrow leads to.
fn draw_line(text: &mut String, layout: &Layout, index: usize, arrows: &[Arrow<'_>]) -> fmt::Result {
    let route = &layout.routes[index];
    let side = common(arrows.iter().map(|arrow| arrow.triple.side));
    write!(
        text,
        "<g class=\"line {}\"><path d=\"{}\"/>",
        class(side),
        path(route)
    )?;
    let heads = [
        (route.last(), false, "l-4 -8h8z"),
        (route.first(), true, "l-4 8h8z"),
    ];
    for (end, upwards, shape) in heads {
        if let Some(Point { x, y }) = end.filter(|_| arrows.iter().any(|arrow| arrow.upwards == upwards)) {
            write!(text, "<path class=\"head\" d=\"M{x:.1} {y:.1}{shape}\"/>")?;
        }
    }
    writeln!(text, "</g>")
}

/// The fields' names beside their lines, none on top of another.
#[derive(Default)]
struct Labels {
    /// From, to and baseline of those that are drawn.
    taken: Vec<(f64, f64, f64)>,
}

impl Labels {
    /// In the middle of the gap that is nearest to the object whose fields they are.
    fn draw(&mut self, text: &mut String, route: &[Point], arrows: &[Arrow<'_>]) -> fmt::Result {
        let gap = match route {
            [.., from, to, _] if arrows.iter().all(|arrow| arrow.upwards) => Some((from, to)),
            [_, from, to, ..] => Some((from, to)),
            _ => None,
        };
        let Some((from, to)) = gap else {
            return Ok(());
        };
        // Several stand around the middle, so that none is on the head.
        let up = (arrows.len() - 1) as f64 * (ROW - 3.0) / 2.0;
        let (x, middle) = ((from.x + to.x) / 2.0, (from.y + to.y) / 2.0 + 4.0 - up);
        for arrow in arrows {
            let label = arrow.label();
            let half = label.chars().count() as f64 * LETTER / 2.0;
            let y = self.free((x - half, x + half), middle);
            writeln!(
                text,
                "<text class=\"label {}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
                class(arrow.triple.side),
                html(&label)
            )?;
        }
        Ok(())
    }

    /// The baseline nearest to `middle` where nothing stands yet.
    fn free(&mut self, (from, to): (f64, f64), middle: f64) -> f64 {
        let near = |y: f64| {
            self.taken
                .iter()
                .filter(move |label| (label.2 - y).abs() < ROW - 3.0)
        };
        let is_free = |y: &f64| near(*y).all(|label| to < label.0 || label.1 < from);
        let steps = (0..).flat_map(|n| [f64::from(n), -f64::from(n)]);
        let mut baselines = steps.map(|step| middle + step * (ROW - 3.0)).take(20);
        let y = baselines.find(is_free).unwrap_or(middle);
        self.taken.push((from, to, y));
        y
    }
}

/// The object that a field leads to, if that has fields itself.
fn target<'a>(triple: &Triple, fields: &BTreeMap<&'a str, Vec<&'a Triple>>) -> Option<&'a str> {
    let Triple {
        object, field, value, ..
    } = triple;
    // The path first: a class may hold an object that is called as the class is, its only instance.
    let paths = [
        format!("{object}.{field}"),
        format!("{object}{field}"),
        value.clone(),
    ];
    paths
        .iter()
        .find_map(|path| fields.get_key_value(path.as_str()))
        .map(|(name, _)| *name)
}

/// All objects that have fields: breadth first from the first one, then from whatever that does not reach.
fn walk<'a>(triples: &'a [Triple], fields: &BTreeMap<&'a str, Vec<&'a Triple>>) -> Vec<&'a str> {
    let mut order: Vec<&str> = Vec::new();
    let mut seen: BTreeMap<&str, ()> = BTreeMap::new();
    for triple in triples {
        let mut next = order.len();
        if seen.insert(&triple.object, ()).is_none() {
            order.push(&triple.object);
        }
        while next < order.len() {
            for object in fields[order[next]]
                .iter()
                .filter_map(|field| target(field, fields))
            {
                if seen.insert(object, ()).is_none() {
                    order.push(object);
                }
            }
            next += 1;
        }
    }
    order
}

/// An object with a path for a name is called by what the path leads to; by both where it leads to two.
fn title_of(name: &str, leading: &[(&Triple, Option<&str>)]) -> String {
    let mut values: Vec<&str> = Vec::new();
    for (triple, target) in leading {
        let says_more = triple.object != name && triple.value != name;
        if *target == Some(name) && says_more && !values.contains(&triple.value.as_str()) {
            values.push(&triple.value);
        }
    }
    match values.is_empty() {
        true => line(name, NAME_WIDTH),
        false => line(&values.join(" → "), NAME_WIDTH),
    }
}

/// On which side an object was: that of everything that leads to it or, where nothing does, of everything it has.
fn side_of(name: &str, leading: &[(&Triple, Option<&str>)]) -> Side {
    let sides = |is: &dyn Fn(&Triple, Option<&str>) -> bool| -> Vec<Side> {
        let wanted = leading.iter().filter(|(triple, target)| is(triple, *target));
        wanted.map(|(triple, _)| triple.side).collect()
    };
    let coming = sides(&|triple, target| triple.object != name && target == Some(name));
    match coming.is_empty() {
        false => common(coming.into_iter()),
        true => common(sides(&|triple, _| triple.object == name).into_iter()),
    }
}

/// The side that all have, or both.
fn common(mut sides: impl Iterator<Item = Side>) -> Side {
    let Some(first) = sides.next() else {
        return Side::Both;
    };
    if sides.all(|side| side == first) {
        first
    } else {
        Side::Both
    }
}

fn class(side: Side) -> &'static str {
    match side {
        Side::Both => "both",
        Side::Before => "old",
        Side::After => "new",
    }
}

fn mark(side: Side) -> &'static str {
    match side {
        Side::Both => " ",
        Side::Before => "-",
        Side::After => "+",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::samples::{pollution, shop, triples};

    fn page_of(lines: &[&str]) -> String {
        let mut finding = shop().remove(0);
        pollution(&mut finding).graph = triples(lines);
        pollution_page(&[finding]).unwrap_or_default()
    }

    #[test]
    fn the_page_shows_what_was_changed_and_what_is_around_it() {
        let page = page_of(&[
            "Effects#1 byName HashMap#2",
            r#"HashMap#2 ["poison"] Effect#3"#,
            "- Effect#3 duration 3",
            "+ Effect#3 duration 7",
            "+ Effect#3 listeners ArrayList#4",
            "+ ArrayList#4 [0] Listener#5",
        ]);
        for part in [
            "<h2>com.shop.EffectsTest#registersPoison</h2>",
            "<code class=\"old\">3</code> → <code class=\"new\">7</code>",
            ">- duration = 3</text>",
            ">+ duration = 7</text>",
            "<g class=\"object new\"",
            "<text class=\"label new\"",
            ">[&quot;poison&quot;]</text>",
            "<tr class=\"old\"><td>-</td><td>Effect#3</td><td>duration</td><td>3</td></tr>",
        ] {
            assert!(page.contains(part), "{part} is missing in\n{page}");
        }
        assert_eq!(page.matches("class=\"object").count(), 4);
        assert_eq!(page.matches("class=\"line").count(), 3);
    }

    #[test]
    fn the_findings_of_a_root_stand_together() {
        let mut findings = shop();
        for finding in &mut findings {
            if let Details::Polluter(pollution) = &mut finding.details {
                pollution.graph = triples(&["A b c"]);
            }
        }
        let page = pollution_page(&findings).unwrap();
        let polluters = findings
            .iter()
            .filter(|one| matches!(one.details, Details::Polluter(_)));
        for finding in polluters {
            let id = &finding.id;
            assert_eq!(page.matches(&format!("href=\"#{id}\"")).count(), 1);
            assert_eq!(page.matches(&format!("<section id=\"{id}\">")).count(), 1);
        }
        let root = "<li>com.shop.Effects.INSTANCE: ";
        assert_eq!(page.matches(root).count(), 1, "{page}");
    }

    #[test]
    fn cycles_and_objects_that_hold_themselves_are_drawn() {
        let page = page_of(&["A b B", "B a A", "B self B", "C x 1"]);
        assert_eq!(page.matches("class=\"object").count(), 3);
        assert_eq!(page.matches("class=\"line").count(), 1);
        assert_eq!(page.matches("class=\"head\"").count(), 2);
        assert!(page.contains("self = itself"), "{page}");
    }

    #[test]
    fn an_only_instance_is_not_its_class() {
        let page = page_of(&["Shop ONLY Shop", "Shop.ONLY open true"]);
        assert_eq!(page.matches("class=\"line").count(), 1);
        assert!(
            page.contains(">Shop</text>") && !page.contains("itself"),
            "{page}"
        );
    }

    #[test]
    fn objects_may_be_named_by_their_paths() {
        let page = page_of(&[
            "A.all size 1",
            "+ A.all [\"x\"] Effect",
            "+ A.all[\"x\"] name \"x\"",
        ]);
        assert_eq!(page.matches("class=\"object").count(), 2);
        assert_eq!(page.matches("class=\"line new").count(), 1);
        assert!(page.contains(">+ [&quot;x&quot;]</text>"), "{page}");
        assert!(page.contains(">Effect</text>"), "{page}");
    }

    #[test]
    fn nothing_is_fetched_and_hostile_texts_stay_texts() {
        let page = page_of(&["<script>1</script> onload=\"x\" '><img/src=y>", "B & A"]);
        assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
        for needle in ["@import", "url("] {
            assert!(!page.contains(needle), "{needle}");
        }
        assert_eq!(page.matches("href=").count(), page.matches("href=\"#").count());
    }

    #[test]
    fn large_neighbourhoods_are_cut_and_none_is_said() {
        let lines: Vec<String> = (0..1000).map(|n| format!("O{n} next O{}", n + 1)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let page = page_of(&lines);
        assert_eq!(page.matches("class=\"object").count(), OBJECTS);
        assert!(page.contains("850 objects not drawn"), "{page}");
        assert_eq!(page_of(&[]), "");
    }
}
