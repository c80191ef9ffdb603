//! The state space as a person reads it on a screen: how likely the test fails, in which ways, and where it is decided.
//!
//! A summary only. The graph itself is the page's or Graphviz's.

use crate::probability::{exact, percent, verdict};
use crate::text::{FAINT, STRONG, duration, named, of_severity, plural, printable, shorten};
use anstyle::{AnsiColor, Style};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use unflake_findings::{FailureKind, NodeKind, Severity, StateSpace};

/// How many failures and how many choices are listed unless all are asked for.
const LISTED: usize = 10;
/// How many lines of a failure's message.
const MESSAGE_LINES: usize = 3;

/// The summary. `verbose`: nothing is cut.
pub fn state_space_text(space: &StateSpace, verbose: bool) -> String {
    let mut page = SpacePage {
        text: String::new(),
        limit: if verbose { usize::MAX } else { LISTED },
        verbose,
    };
    page.write(space).expect("a string takes everything");
    page.text
}

struct SpacePage {
    text: String,
    limit: usize,
    verbose: bool,
}

impl SpacePage {
    fn write(&mut self, space: &StateSpace) -> fmt::Result {
        let style = style(space);
        writeln!(
            self.text,
            "{STRONG}{}{STRONG:#} {style}{}{style:#}",
            named(&space.test),
            verdict(space)
        )?;
        let complete = match space.complete {
            true => "every allowed behaviour was tried",
            false => "not every allowed behaviour was tried",
        };
        writeln!(
            self.text,
            "    {FAINT}tried{FAINT:#}  {complete}: {}, {}",
            plural(space.executions as usize, "execution"),
            duration(space.time)
        )?;
        writeln!(self.text, "    {FAINT}graph{FAINT:#}  {}\n", figures(space))?;
        self.failures(&space.failures)?;
        self.critical(space)?;
        self.notes(space)
    }

    fn failures(&mut self, failures: &[FailureKind]) -> fmt::Result {
        if failures.is_empty() {
            return Ok(());
        }
        writeln!(self.text, "{STRONG}Ways to fail{STRONG:#}")?;
        for failure in failures.iter().take(self.limit) {
            self.failure(failure)?;
        }
        self.rest(failures.len())
    }

    fn failure(&mut self, failure: &FailureKind) -> fmt::Result {
        let lines = shorten(&said(&failure.exception, &failure.message), self.verbose);
        let shown = if self.verbose { lines.len() } else { MESSAGE_LINES };
        let mut probability = exact(failure.probability);
        if lines.is_empty() {
            writeln!(self.text, "    {probability}")?;
        }
        for line in lines.iter().take(shown) {
            // The message's lines stand below each other, whatever the length of the probability.
            writeln!(self.text, "    {STRONG}{probability}{STRONG:#}  {line}")?;
            probability = " ".repeat(probability.chars().count());
        }
        if lines.len() > shown {
            writeln!(
                self.text,
                "    {probability}  ... {} more lines",
                lines.len() - shown
            )?;
        }
        write!(self.text, "    {probability}  {FAINT}")?;
        if let Some(line) = &failure.line {
            write!(self.text, "at {}; ", printable(line))?;
        }
        let executions = plural(failure.executions as usize, "execution");
        writeln!(self.text, "{executions}{FAINT:#}")
    }

    fn critical(&mut self, space: &StateSpace) -> fmt::Result {
        let places = critical_places(space);
        if places.is_empty() {
            return Ok(());
        }
        writeln!(
            self.text,
            "{STRONG}Critical choices{STRONG:#}: some order leads only to passes or only to failures, and another does not"
        )?;
        for place in places.iter().take(self.limit) {
            write!(self.text, "    {}", printable(place.api))?;
            if let Some(call) = place.call {
                write!(self.text, " {FAINT}called by{FAINT:#} {}", printable(call))?;
            }
            writeln!(self.text, ": {}", place.orders())?;
        }
        self.rest(places.len())
    }

    fn rest(&mut self, all: usize) -> fmt::Result {
        if all > self.limit {
            writeln!(self.text, "    and {} more; `-v` lists them", all - self.limit)?;
        }
        writeln!(self.text)
    }

    fn notes(&mut self, space: &StateSpace) -> fmt::Result {
        for note in &space.notes {
            let style = of_severity(Severity::Note);
            writeln!(self.text, "{style}note:{style:#} {}", printable(note))?;
        }
        Ok(())
    }
}

/// Critical choices of the same call; it may be critical in several states.
struct CriticalCall<'a> {
    api: &'a str,
    call: Option<&'a str>,
    /// Orders tried at each.
    tried: Vec<usize>,
    sampled: bool,
}

impl CriticalCall<'_> {
    fn orders(&self) -> String {
        let least = self.tried.iter().min().copied().unwrap_or_default();
        let most = self.tried.iter().max().copied().unwrap_or_default();
        let mut text = match least == most {
            true => plural(most, "order"),
            false => format!("{least} to {most} orders"),
        };
        if self.sampled {
            text.push_str(", of more");
        }
        if self.tried.len() > 1 {
            let _ = write!(text, ", in {} states", self.tried.len());
        }
        text
    }
}

/// In the order of the graph: what is decided first comes first.
fn critical_places(space: &StateSpace) -> Vec<CriticalCall<'_>> {
    let mut tried = vec![0; space.nodes.len()];
    for edge in &space.edges {
        if let Some(n) = tried.get_mut(edge.from) {
            *n += 1;
        }
    }
    let mut places: Vec<CriticalCall<'_>> = Vec::new();
    let mut known: BTreeMap<(&str, Option<&str>), usize> = BTreeMap::new();
    for (node, n) in space.nodes.iter().zip(tried) {
        let NodeKind::Choice {
            api,
            call,
            critical: true,
            sampled,
            ..
        } = &node.kind
        else {
            continue;
        };
        let call = call.as_deref();
        let index = *known.entry((api, call)).or_insert(places.len());
        if index == places.len() {
            places.push(CriticalCall {
                api,
                call,
                tried: Vec::new(),
                sampled: false,
            });
        }
        places[index].tried.push(n);
        places[index].sampled |= sampled;
    }
    places
}

/// All figures of the graph in one line.
pub(crate) fn figures(space: &StateSpace) -> String {
    let figures = &space.figures;
    let leaves = match figures.failing_leaves {
        1 => "1 failing leaf".to_owned(),
        n => format!("{n} failing leaves"),
    };
    [
        plural(figures.nodes, "node"),
        plural(figures.edges, "edge"),
        leaves,
        plural(figures.merge_nodes, "merge node"),
        plural(figures.critical_choices, "critical choice"),
    ]
    .join(", ")
}

/// Exception and message as one text, the exception without its package.
pub(crate) fn said(exception: &str, message: &str) -> String {
    let short = exception.rsplit(['.', '$']).next().unwrap_or(exception);
    match message.trim() {
        "" => short.to_owned(),
        same if same == exception => short.to_owned(),
        message => format!("{short}: {message}"),
    }
}

fn style(space: &StateSpace) -> Style {
    let certain = space.complete && percent(space.figures.failure_probability) == "0 %";
    match (space.failures.is_empty(), certain) {
        (false, _) => of_severity(Severity::Error),
        (true, true) => Style::new().bold().fg_color(Some(AnsiColor::Green.into())),
        (true, false) => of_severity(Severity::Warning),
    }
}

#[cfg(test)]
mod tests;
