//! Tests whose result depends on which tests ran before: victims, grouped by their polluter, and brittle tests, grouped
//! by their setter (P9, P11).

use super::{FAINT, STRONG, TextPage, named, of_severity, plural, shorten};
use super::{cut_end, one_line};
use crate::state_space::said;
use anstyle::{AnsiColor, Style};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use unflake_findings::{Brittle, Details, Finding, Severity, Victim};
use unflake_protocol::TestId;
use unicode_width::UnicodeWidthStr as _;

/// How many tests after one other are shown, how many cleaners and further polluters, how much of an order.
const TESTS: usize = 5;
const NAMED: usize = 3;
const ORDER: usize = 12;
const MESSAGE_WIDTH: usize = 80;
const NAME_WIDTH: usize = 60;
const PASSES: Style = Style::new()
    .bold()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));

/// All findings that one other test decides. There is always at least one.
pub(super) struct OrderFindings<'a> {
    what: Dependence,
    /// `None`: no single test does.
    other: Option<&'a TestId>,
    tests: Vec<Sufferer<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Dependence {
    Victim,
    Brittle,
}

/// One test and what it depends on.
#[derive(Clone, Copy)]
struct Sufferer<'a> {
    finding: &'a Finding,
    depends: Depends<'a>,
}

#[derive(Clone, Copy)]
enum Depends<'a> {
    Victim(&'a Victim),
    Brittle(&'a Brittle),
}

impl<'a> OrderFindings<'a> {
    /// Those that decide about most tests first.
    pub(super) fn group(findings: &[&'a Finding]) -> Vec<OrderFindings<'a>> {
        let mut groups: BTreeMap<_, Vec<Sufferer<'a>>> = BTreeMap::new();
        for one in findings.iter().filter_map(|finding| Sufferer::of(finding)) {
            // Those without a single other test have nothing in common.
            let alone = one.other().is_none().then_some(&one.finding.test);
            let key = (one.what(), one.other(), alone);
            groups.entry(key).or_default().push(one);
        }
        let groups = groups.into_iter();
        let mut groups: Vec<OrderFindings<'a>> = groups
            .map(|((what, other, _), tests)| OrderFindings { what, other, tests })
            .collect();
        groups.sort_by_key(|group| (group.what, std::cmp::Reverse(group.tests.len())));
        groups
    }

    pub(super) fn severity(&self) -> Severity {
        let severities = self.tests.iter().map(|one| one.finding.severity);
        severities.max().unwrap_or(Severity::Note)
    }

    /// What the block is about: `12 tests fail after a.B#c`.
    fn heading(&self) -> String {
        let (subject, one) = match self.tests.as_slice() {
            [one] => (named(&one.finding.test), true),
            several => (plural(several.len(), "test"), false),
        };
        let subject = format!("{STRONG}{subject}{STRONG:#}");
        let verb = |singular: &'static str, plural: &'static str| if one { singular } else { plural };
        let itself = one && self.other == self.tests.first().map(|one| &one.finding.test);
        let other = self
            .other
            .map(|other| format!("{STRONG}{}{STRONG:#}", named(other)));
        match (self.what, other) {
            (Dependence::Victim, Some(_)) if itself => {
                format!("{subject} fails when it runs twice in one JVM")
            }
            (Dependence::Victim, Some(other)) => format!(
                "{subject} {} after {other} and {} without it",
                verb("fails", "fail"),
                verb("passes", "pass")
            ),
            (Dependence::Victim, None) => format!(
                "{subject} {} after several other tests together",
                verb("fails", "fail")
            ),
            (Dependence::Brittle, Some(other)) => {
                format!("{subject} {} only after {other}", verb("passes", "pass"))
            }
            (Dependence::Brittle, None) => {
                format!("{subject} {} only after other tests", verb("passes", "pass"))
            }
        }
    }
}

impl<'a> Sufferer<'a> {
    fn of(finding: &'a Finding) -> Option<Sufferer<'a>> {
        let depends = match &finding.details {
            Details::Victim(victim) => Depends::Victim(victim),
            Details::Brittle(brittle) => Depends::Brittle(brittle),
            _ => return None,
        };
        Some(Sufferer { finding, depends })
    }

    fn what(&self) -> Dependence {
        match self.depends {
            Depends::Victim(_) => Dependence::Victim,
            Depends::Brittle(_) => Dependence::Brittle,
        }
    }

    fn other(&self) -> Option<&'a TestId> {
        match self.depends {
            Depends::Victim(victim) => victim.polluter.as_ref(),
            Depends::Brittle(brittle) => brittle.setter.as_ref(),
        }
    }

    fn order(&self) -> &'a [TestId] {
        match self.depends {
            Depends::Victim(victim) => &victim.order,
            Depends::Brittle(brittle) => &brittle.order,
        }
    }

    /// Further tests that do the same to it.
    fn further(&self) -> Vec<&'a TestId> {
        let all = match self.depends {
            Depends::Victim(victim) => &victim.polluters,
            Depends::Brittle(brittle) => &brittle.setters,
        };
        all.iter().filter(|test| Some(*test) != self.other()).collect()
    }
}

impl TextPage<'_> {
    pub(super) fn before(&mut self, before: &OrderFindings<'_>) -> fmt::Result {
        let style = of_severity(before.severity());
        writeln!(
            self.text,
            "{style}{}{style:#} {}",
            before.severity(),
            before.heading()
        )?;
        let in_full = if self.verbose { before.tests.len() } else { 1 };
        for (n, one) in before.tests.iter().take(in_full).enumerate() {
            if n > 0 {
                writeln!(self.text)?;
            }
            if before.tests.len() > 1 {
                self.row("test", &format!("{STRONG}{}{STRONG:#}", named(&one.finding.test)))?;
            }
            self.sufferer(one)?;
        }
        self.other_sufferers(&before.tests[in_full..])?;
        writeln!(self.text)
    }

    fn sufferer(&mut self, one: &Sufferer<'_>) -> fmt::Result {
        let message = said(&one.finding.exception, &one.finding.message);
        let mut label = "failure";
        for line in shorten(&message, self.verbose) {
            self.row(label, &line)?;
            label = "";
        }
        if let Depends::Victim(Victim {
            state: Some(state), ..
        }) = one.depends
        {
            self.row("state", &cut_end(&one_line(state), self.limit(100)))?;
        }
        let further = one.further();
        if !further.is_empty() {
            let verb = match one.depends {
                Depends::Victim(_) => "fails",
                Depends::Brittle(_) => "passes",
            };
            self.row("also", &format!("{verb} after {}", self.listed(&further)))?;
        }
        if let Depends::Victim(Victim { cleaners, .. }) = one.depends
            && !cleaners.is_empty()
        {
            let cleaners: Vec<&TestId> = cleaners.iter().collect();
            self.row(
                "cleaners",
                &format!("passes again with {} in between", self.listed(&cleaners)),
            )?;
        }
        self.order_of_tests(one)?;
        self.rule(one.finding)?;
        self.repeat(one.finding)
    }

    /// A small numbered list; its last line is the test that it is about.
    fn order_of_tests(&mut self, one: &Sufferer<'_>) -> fmt::Result {
        let Some((last, first)) = one.order().split_last() else {
            return Ok(());
        };
        let shown = match self.limit(ORDER) {
            most if one.order().len() <= most => first.len(),
            // Those that come first are the ones that did it, as a rule.
            most => most - 2,
        };
        let digits = one.order().len().to_string().len();
        let mut label = "order";
        for (n, test) in first.iter().enumerate().take(shown) {
            self.row(label, &format!("{:>digits$}. {}", n + 1, named(test)))?;
            label = "";
        }
        if shown < first.len() {
            let left_out = plural(first.len() - shown, "test");
            self.row(label, &format!("{FAINT}… {left_out}; `-v` lists them{FAINT:#}"))?;
            label = "";
        }
        let (mark, style, result) = match one.depends {
            Depends::Victim(_) => ('✗', of_severity(Severity::Error), ""),
            Depends::Brittle(_) => ('✓', PASSES, " (and ✗ alone)"),
        };
        self.row(
            label,
            &format!(
                "{:>digits$}. {} {style}{mark}{style:#}{FAINT}{result}{FAINT:#}",
                one.order().len(),
                named(last)
            ),
        )
    }

    fn other_sufferers(&mut self, others: &[Sufferer<'_>]) -> fmt::Result {
        // The first one is shown in full.
        let most = TESTS - 1;
        let names: Vec<String> = others.iter().map(|one| named(&one.finding.test)).collect();
        let shown = names.iter().take(most).map(|name| name.width());
        let column = shown.filter(|width| *width <= NAME_WIDTH).max().unwrap_or(0);
        let mut label = "others";
        for (one, name) in others.iter().zip(&names).take(most) {
            let message = said(&one.finding.exception, &one.finding.message);
            let message = cut_end(&one_line(&message), MESSAGE_WIDTH);
            let mut line = format!("{FAINT}{}{FAINT:#}  {name}", one.finding.id);
            line.push_str(&" ".repeat(column.saturating_sub(name.width())));
            let _ = write!(line, "  {FAINT}{message}{FAINT:#}");
            self.row(label, line.trim_end())?;
            label = "";
        }
        self.more_rows(others.len(), most)
    }

    /// `a.B#c, a.B#d and 4 others`.
    fn listed(&self, tests: &[&TestId]) -> String {
        let shown = self.limit(NAMED).min(tests.len());
        let names: Vec<String> = tests[..shown].iter().map(|test| named(test)).collect();
        match (tests.len() - shown, names.split_last()) {
            (0, Some((last, first))) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
            (0, _) => names.join(", "),
            (1, _) => format!("{} or 1 other", names.join(", ")),
            (n, _) => format!("{} or {n} others", names.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests;
