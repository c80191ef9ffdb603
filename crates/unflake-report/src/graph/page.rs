//! The state space as one HTML page that needs nothing but itself.
//!
//! Without its script the page still has the picture, the figures and the failures; the script adds the panel, zoom and
//! keys.

use super::data::Data;
use super::drawing::{Drawing, End, LIMIT};
use super::escape::{cut, html, script_json};
use super::svg::{end, svg};
use crate::probability::{exact, verdict};
use crate::state_space::said;
use crate::text::{duration, named, plural};
use std::fmt::{self, Write as _};
use unflake_findings::{FailureKind, StateSpace};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const MESSAGE_WIDTH: usize = 1000;
/// How many failures are listed.
const FAILURES: usize = 50;

/// The whole page.
pub fn page(space: &StateSpace) -> String {
    let mut page = Page {
        text: String::new(),
        space,
        drawing: &Drawing::new(space, LIMIT),
    };
    page.write().expect("a string takes everything");
    page.text
}

struct Page<'a> {
    text: String,
    space: &'a StateSpace,
    drawing: &'a Drawing<'a>,
}

impl Page<'_> {
    fn write(&mut self) -> fmt::Result {
        let name = html(&cut(&named(&self.space.test), 300));
        let data = Data::new(self.drawing);
        // The policy keeps the promise that nothing is fetched, whatever a test wrote into its messages.
        writeln!(
            self.text,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src 'unsafe-inline'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{name}: state space</title>\n<style>\n{STYLE}</style>\n</head>\n<body>"
        )?;
        self.header(&name)?;
        writeln!(self.text, "<main>\n<div id=\"stage\">")?;
        self.text.push_str(&svg(self.drawing));
        writeln!(self.text, "{BUTTONS}</div>\n<aside>\n<section id=\"overview\">")?;
        self.notes()?;
        self.failures(&data)?;
        self.legend()?;
        writeln!(
            self.text,
            "</section>\n<section id=\"details\" aria-live=\"polite\" hidden></section>\n</aside>\n</main>\n\
             <script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>",
            script_json(&data)
        )
    }

    fn header(&mut self, name: &str) -> fmt::Result {
        let space = self.space;
        let figures = &space.figures;
        let class = if space.failures.is_empty() {
            "passes"
        } else {
            "fails"
        };
        writeln!(
            self.text,
            "<header>\n<h1>{name}</h1>\n<p class=\"verdict {class}\">{}</p>\n<dl class=\"figures\">",
            html(&verdict(space))
        )?;
        let complete = if space.complete { "yes" } else { "no" };
        let rows = [
            ("nodes", figures.nodes.to_string()),
            ("edges", figures.edges.to_string()),
            ("failing leaves", figures.failing_leaves.to_string()),
            ("merge nodes", figures.merge_nodes.to_string()),
            ("critical choices", figures.critical_choices.to_string()),
            ("executions", space.executions.to_string()),
            ("time", duration(space.time)),
            ("complete", complete.to_owned()),
        ];
        for (label, value) in rows {
            writeln!(self.text, "<div><dt>{label}</dt><dd>{value}</dd></div>")?;
        }
        writeln!(self.text, "</dl>\n</header>")
    }

    fn notes(&mut self) -> fmt::Result {
        let mut notes: Vec<String> = self
            .space
            .notes
            .iter()
            .map(|note| cut(note, MESSAGE_WIDTH))
            .collect();
        let left_out = self.drawing.left_out;
        if left_out.edges > 0 {
            notes.push(format!(
                "the picture shows the top {LIMIT} nodes; {} and {} below are not drawn (⋯ marks where), but count",
                plural(left_out.nodes, "node"),
                plural(left_out.edges, "edge")
            ));
        }
        if self.drawing.repeated {
            notes.push(
                "an end that many choices lead to is one node, but drawn under each of them".to_owned(),
            );
        }
        if !self.space.complete {
            writeln!(self.text, "<h2>Not every allowed behaviour was tried</h2>")?;
        } else if !notes.is_empty() {
            writeln!(self.text, "<h2>Notes</h2>")?;
        }
        if !notes.is_empty() {
            writeln!(self.text, "<ul class=\"notes\">")?;
            for note in notes {
                writeln!(self.text, "<li>{}</li>", html(&note))?;
            }
            writeln!(self.text, "</ul>")?;
        }
        writeln!(
            self.text,
            "<noscript><p>Without JavaScript the orders behind the lines are not shown.</p></noscript>"
        )
    }

    fn failures(&mut self, data: &Data) -> fmt::Result {
        let failures = &self.space.failures;
        writeln!(self.text, "<h2>Ways to fail ({})</h2>", failures.len())?;
        if failures.is_empty() {
            return writeln!(self.text, "<p class=\"faint\">No failure was found.</p>");
        }
        writeln!(self.text, "<ol class=\"failures\">")?;
        for failure in failures.iter().take(FAILURES) {
            self.failure(failure, data.failure(&failure.exception, &failure.message))?;
        }
        writeln!(self.text, "</ol>")?;
        if failures.len() > FAILURES {
            let more = failures.len() - FAILURES;
            writeln!(self.text, "<p>and {more} more, in the JSON</p>")?;
        }
        Ok(())
    }

    fn failure(&mut self, failure: &FailureKind, known: Option<usize>) -> fmt::Result {
        let message = said(&failure.exception, &cut(&failure.message, MESSAGE_WIDTH));
        let executions = plural(failure.executions as usize, "execution");
        let line = failure
            .line
            .as_deref()
            .map(|line| format!("at {}; ", cut(line, 300)));
        write!(
            self.text,
            "<li><strong>{}</strong> <span class=\"faint\">{}{executions}</span>",
            html(&exact(failure.probability)),
            html(&line.unwrap_or_default())
        )?;
        if let Some(known) = known {
            write!(
                self.text,
                " <button type=\"button\" class=\"show\" data-failure=\"{known}\" hidden>show paths</button>"
            )?;
        }
        writeln!(self.text, "<pre>{}</pre></li>", html(&message))
    }

    fn legend(&mut self) -> fmt::Result {
        writeln!(self.text, "<h2>Legend</h2>\n<ul class=\"legend\">")?;
        let line =
            |class: &str| format!("<g class=\"line {class}\"><path class=\"stroke\" d=\"M-18 0H18\"/></g>");
        let node = |class: &str, shape: &str| format!("<g class=\"node {class}\">{shape}</g>");
        let small = "<rect class=\"box\" x=\"-15\" y=\"-8\" width=\"30\" height=\"16\" rx=\"4\"/>";
        let ring = "<rect class=\"ring\" x=\"-18\" y=\"-11\" width=\"36\" height=\"22\" rx=\"7\"/>";
        let join = "<path class=\"join\" d=\"M0 -13l5 5l-5 5l-5 -5z\"/>";
        let bar = "<rect class=\"good\" x=\"-15\" y=\"-2\" width=\"30\" height=\"4\"/>\
                   <rect class=\"bad\" x=\"-15\" y=\"-2\" width=\"12\" height=\"4\"/>";
        let rows = [
            (line("passes"), "leads only to passes"),
            (line("fails"), "leads only to failures"),
            (line("both"), "leads to both"),
            (line("both open"), "not everything below was tried"),
            (node("end passes", &end(End::Passed)), "passed"),
            (node("end fails", &end(End::Failed)), "failed"),
            (
                node("end unexplored unknown", &end(End::Unexplored)),
                "not explored",
            ),
            (
                node("choice critical both", &format!("{ring}{small}")),
                "critical choice",
            ),
            (node("choice merge both", &format!("{small}{join}")), "merge node"),
            (
                node("choice sampled both", small),
                "sampled: not all orders tried",
            ),
            (node("choice", bar), "how much of what is below fails"),
        ];
        for (picture, text) in rows {
            writeln!(
                self.text,
                "<li><svg viewBox=\"-20 -14 40 28\" width=\"40\" height=\"28\" aria-hidden=\"true\">{picture}</svg>{text}</li>"
            )?;
        }
        writeln!(
            self.text,
            "</ul>\n<p class=\"faint keys\">Click a line or a node for its orders. Wheel: zoom, drag: move. Keys: arrows go from \
             node to node, Enter chooses, + and − zoom, 0 shows everything, Escape leaves.</p>"
        )
    }
}

const BUTTONS: &str = r#"<div id="buttons" hidden>
<button type="button" data-do="in" title="zoom in (+)" aria-label="zoom in">+</button>
<button type="button" data-do="out" title="zoom out (-)" aria-label="zoom out">−</button>
<button type="button" data-do="all" title="show everything (0)">all</button>
<button type="button" data-do="real" title="real size (1)">1:1</button>
</div>
"#;

#[cfg(test)]
mod tests;
