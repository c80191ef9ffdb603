//! The document as a person reads it on a screen.
//!
//! Findings first, the worst on top, each with its cause and the command that repeats it; then what is not known and
//! why; then the counts; last the seed, because the last line is the one that is still on the screen. Findings about
//! state are grouped by what is changed, findings about orders by the test that must run before (P9): one cause, one
//! block.

mod cause;
mod change;
mod order;
mod pollution;
#[cfg(test)]
pub(crate) mod samples;
mod triples;

use crate::state_space::said;
use anstyle::{AnsiColor, Style};
use order::OrderFindings;
use pollution::RootFindings;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use unflake_findings::{
    CountedProof, Details, Document, Excluded, ExcludedReason, Finding, FindingKind, LevelSetting, Rate,
    Scope, Severity, SkipReason, Summary,
};
use unflake_protocol::TestId;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// How much of a message is shown; the whole of it is in the JSON.
const MESSAGE_LINES: usize = 6;
const MESSAGE_WIDTH: usize = 400;
/// How many tests of one reason are listed unless all are asked for.
const LISTED: usize = 10;

pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();

/// The text of a source file, by its path from the project's root; `None`: it is not there, or not the one that was
/// run.
pub type Sources<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The whole report. `verbose`: nothing is cut.
pub fn text(document: &Document, verbose: bool, sources: &Sources<'_>) -> String {
    let mut page = TextPage {
        text: String::new(),
        verbose,
        sources,
        pictures: document.run.pictures.as_deref(),
    };
    page.write(document).expect("a string takes everything");
    page.text
}

struct TextPage<'a> {
    text: String,
    verbose: bool,
    sources: &'a Sources<'a>,
    /// The page with pictures.
    pictures: Option<&'a str>,
}

/// What is written as one block.
enum Block<'a> {
    Finding(&'a Finding),
    Root(RootFindings<'a>),
    Order(OrderFindings<'a>),
}

impl Block<'_> {
    fn severity(&self) -> Severity {
        match self {
            Block::Finding(finding) => finding.severity,
            Block::Root(root) => root.severity(),
            Block::Order(before) => before.severity(),
        }
    }
}

impl TextPage<'_> {
    fn write(&mut self, document: &Document) -> fmt::Result {
        let (suppressed, shown): (Vec<&Finding>, Vec<&Finding>) = document
            .findings
            .iter()
            .partition(|finding| finding.suppressed.is_some());
        let (harmless, roots): (Vec<RootFindings<'_>>, Vec<RootFindings<'_>>) = RootFindings::group(&shown)
            .into_iter()
            .partition(|root| !self.verbose && root.is_harmless());
        let alone = shown
            .iter()
            .filter(|finding| finding.kind() == FindingKind::ImplementationDependent);
        let mut blocks: Vec<Block<'_>> = alone.map(|finding| Block::Finding(finding)).collect();
        blocks.extend(roots.into_iter().map(Block::Root));
        blocks.extend(OrderFindings::group(&shown).into_iter().map(Block::Order));
        blocks.sort_by_key(|block| Reverse(block.severity()));
        for block in &blocks {
            match block {
                Block::Finding(finding) => self.finding(finding, &document.summary)?,
                Block::Root(root) => self.root(root)?,
                Block::Order(before) => self.before(before)?,
            }
        }
        self.harmless(&harmless)?;
        self.suppressed(&suppressed)?;
        self.excluded(&document.excluded)?;
        self.notes(document)?;
        self.summary(document, &shown, suppressed.len())
    }

    fn finding(&mut self, finding: &Finding, summary: &Summary) -> fmt::Result {
        let style = of_severity(finding.severity);
        writeln!(
            self.text,
            "{style}{}{style:#} {STRONG}{}{STRONG:#}",
            finding.severity,
            named(&finding.test)
        )?;
        self.message(finding)?;
        self.implementation_dependent(finding, summary)?;
        if self.verbose {
            self.rule(finding)?;
        }
        self.repeat(finding)?;
        writeln!(self.text)
    }

    fn rule(&mut self, finding: &Finding) -> fmt::Result {
        writeln!(
            self.text,
            "    {}{rule}; `unflake explain {rule}` says how to repair it",
            label("rule"),
            rule = printable(&finding.rule)
        )
    }

    fn repeat(&mut self, finding: &Finding) -> fmt::Result {
        writeln!(self.text, "    {}{}", label("repeat"), printable(&finding.replay))
    }

    /// A line under a label: the label first, blanks from then on.
    fn row(&mut self, name: &str, line: &str) -> fmt::Result {
        writeln!(self.text, "    {}{line}", label(name))
    }

    /// How many of many are shown.
    fn limit(&self, usual: usize) -> usize {
        if self.verbose { usize::MAX } else { usual }
    }

    fn implementation_dependent(&mut self, finding: &Finding, summary: &Summary) -> fmt::Result {
        let Details::ImplementationDependent {
            level,
            levels_tried,
            round,
            strategy,
            scope,
            proof,
            dumps,
            apis,
            cause,
            ..
        } = &finding.details
        else {
            return Ok(());
        };
        self.cause(cause)?;
        let Rate { failed, runs } = finding.rate;
        writeln!(
            self.text,
            "    {}{level}: {}",
            label("level"),
            meaning(*level, summary.level)
        )?;
        write!(
            self.text,
            "    {}{failed} of {runs} varied runs, first in round {round}",
            label("failed")
        )?;
        if summary.rounds > 0 {
            write!(self.text, " of {}", summary.rounds.max(*round))?;
        }
        writeln!(self.text, "{}", needs(*scope))?;
        let CountedProof { varied, unvaried } = proof;
        writeln!(
            self.text,
            "    {}failed {} of {} runs varied, passed {} of {} unvaried",
            label("proof"),
            varied.failed,
            varied.runs,
            unvaried.passed,
            unvaried.runs
        )?;
        if self.verbose {
            for line in dumps.iter().flat_map(|dumps| dumps.lines()) {
                writeln!(self.text, "    {}{}", label("threads"), printable(line))?;
            }
            writeln!(self.text, "    {}{strategy}", label("varied"))?;
            for tried in levels_tried {
                let Rate { failed, runs } = tried.rate;
                writeln!(
                    self.text,
                    "    {}{}: failed {failed} of {runs}",
                    label("tried"),
                    tried.strategy
                )?;
            }
            if !apis.is_empty() {
                writeln!(self.text, "    {}{}", label("used"), printable(&apis.join(", ")))?;
            }
        }
        Ok(())
    }

    fn message(&mut self, finding: &Finding) -> fmt::Result {
        for line in shorten(&said(&finding.exception, &finding.message), self.verbose) {
            writeln!(self.text, "    {line}")?;
        }
        Ok(())
    }

    fn suppressed(&mut self, findings: &[&Finding]) -> fmt::Result {
        if !self.verbose || findings.is_empty() {
            return Ok(());
        }
        writeln!(self.text, "{STRONG}Suppressed{STRONG:#}")?;
        for finding in findings {
            if let Some(suppression) = &finding.suppressed {
                writeln!(
                    self.text,
                    "    {} ({}: {})",
                    named(&finding.test),
                    suppression.by,
                    suppression.reason
                )?;
            }
        }
        writeln!(self.text)
    }

    fn excluded(&mut self, excluded: &[Excluded]) -> fmt::Result {
        let mut by_reason: BTreeMap<ExcludedReason, Vec<&Excluded>> = BTreeMap::new();
        for one in excluded {
            by_reason.entry(one.reason).or_default().push(one);
        }
        for (reason, tests) in by_reason {
            writeln!(self.text, "{STRONG}{}{STRONG:#}", heading(reason))?;
            let limit = if self.verbose { usize::MAX } else { LISTED };
            for one in tests.iter().take(limit) {
                write!(self.text, "    {}", named(&one.test))?;
                match shorten(&one.detail, false).into_iter().next() {
                    Some(detail) if !detail.is_empty() => writeln!(self.text, " {FAINT}({detail}){FAINT:#}")?,
                    _ => writeln!(self.text)?,
                }
            }
            if tests.len() > limit {
                writeln!(self.text, "    and {} more; `-v` lists them", tests.len() - limit)?;
            }
            writeln!(self.text)?;
        }
        Ok(())
    }

    fn notes(&mut self, document: &Document) -> fmt::Result {
        for note in &document.notes {
            let style = of_severity(Severity::Note);
            writeln!(self.text, "{style}note:{style:#} {}", printable(&note.message))?;
        }
        if !document.notes.is_empty() {
            writeln!(self.text)?;
        }
        Ok(())
    }

    fn summary(&mut self, document: &Document, shown: &[&Finding], suppressed: usize) -> fmt::Result {
        let summary = &document.summary;
        if summary.partial {
            let style = of_severity(Severity::Warning);
            writeln!(
                self.text,
                "{style}partial:{style:#} the run ended before everything was done"
            )?;
        }
        let verdict = verdict(summary, shown, suppressed, &document.excluded);
        let style = match shown.iter().map(|finding| finding.severity).max() {
            Some(worst) => of_severity(worst),
            None if summary.nothing_was_checked() => of_severity(Severity::Error),
            None if summary.partial => of_severity(Severity::Warning),
            None => Style::new().bold().fg_color(Some(AnsiColor::Green.into())),
        };
        writeln!(self.text, "{style}{verdict}{style:#}")?;
        writeln!(self.text, "{}", counts(summary))?;
        writeln!(self.text, "{}", how(summary))?;
        if self.verbose && !summary.isolation.is_empty() {
            writeln!(self.text, "test JVMs were kept apart by {}", summary.isolation)?;
        }
        let again = again(&document.run.command, summary);
        writeln!(
            self.text,
            "seed {}; to repeat the same choices: `{again}`",
            summary.seed
        )
    }
}

/// What a line of a finding is about, in a column of its own.
pub(crate) fn label(name: &str) -> String {
    const COLUMN: usize = 9;
    format!(
        "{FAINT}{name}{FAINT:#}{:1$}",
        "",
        COLUMN.saturating_sub(name.len())
    )
}

/// The command that was given, with the seed it had.
fn again(command: &[String], summary: &Summary) -> String {
    let options = command
        .iter()
        .position(|word| word == "--")
        .unwrap_or(command.len());
    let mut words = vec!["unflake".to_owned()];
    let mut given = command[..options].iter();
    while let Some(word) = given.next() {
        match word.as_str() {
            "--seed" => _ = given.next(),
            seed if seed.starts_with("--seed=") => {}
            other => words.push(quoted(other)),
        }
    }
    words.push(format!("--seed {}", summary.seed));
    words.extend(command[options..].iter().map(|word| quoted(word)));
    words.join(" ")
}

/// A word as one can paste it into a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The result of the run, in one line.
fn verdict(summary: &Summary, shown: &[&Finding], suppressed: usize, excluded: &[Excluded]) -> String {
    let suspects = excluded
        .iter()
        .filter(|one| one.reason == ExcludedReason::OrderSuspect)
        .count();
    let mut text = if summary.nothing_was_checked() && shown.is_empty() {
        "nothing was checked, so nothing is known about any test".to_owned()
    } else if shown.is_empty() && suspects > 0 {
        let tests = plural(suspects, "test");
        format!("nothing is proved, but the outcome of {tests} depends on the order")
    } else if shown.is_empty() {
        "no unreliable test found".to_owned()
    } else {
        let counted = Severity::ALL.into_iter().filter_map(|severity| {
            let n = shown
                .iter()
                .filter(|finding| finding.severity == severity)
                .count();
            (n > 0).then(|| plural(n, severity.name()))
        });
        format!("{}: {}", kinds(shown), counted.collect::<Vec<_>>().join(", "))
    };
    if suppressed > 0 {
        let _ = write!(text, "; {suppressed} more suppressed");
    }
    text
}

/// How many findings of each kind.
fn kinds(shown: &[&Finding]) -> String {
    const KINDS: [(FindingKind, &str); 5] = [
        (
            FindingKind::ImplementationDependent,
            "implementation-dependent test",
        ),
        (FindingKind::Polluter, "polluter"),
        (FindingKind::FilePolluter, "file polluter"),
        (FindingKind::Victim, "victim"),
        (FindingKind::Brittle, "brittle test"),
    ];
    let counted = KINDS.into_iter().filter_map(|(kind, name)| {
        let n = shown.iter().filter(|finding| finding.kind() == kind).count();
        (n > 0).then(|| plural(n, name))
    });
    counted.collect::<Vec<_>>().join(", ")
}

/// Checked, selected, skipped because.
fn counts(summary: &Summary) -> String {
    let mut text = format!("{} of {} checked", summary.checked, plural(summary.tests, "test"));
    let skipped: usize = summary.skipped.values().sum();
    if skipped > 0 {
        let reasons = summary.skipped.iter().filter(|(_, n)| **n > 0);
        let reasons: Vec<String> = reasons
            .map(|(reason, n)| format!("{n} {}", because(*reason, *n)))
            .collect();
        let _ = write!(text, "; {skipped} skipped: {}", reasons.join(", "));
    }
    text
}

fn how(summary: &Summary) -> String {
    let java = if summary.java.is_empty() {
        "no test JVM".to_owned()
    } else {
        format!("Java {}", summary.java.join(", "))
    };
    format!(
        "{}, {java}, {}",
        plural(summary.rounds as usize, "round"),
        duration(summary.time)
    )
}

/// How long something took, as people say it.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s => format!("{} min {:02} s", s as u64 / 60, s as u64 % 60),
    }
}

/// `1 run`, `2 runs`.
pub fn plural(n: usize, thing: &str) -> String {
    if n == 1 {
        format!("1 {thing}")
    } else {
        format!("{n} {thing}s")
    }
}

fn because(reason: SkipReason, n: usize) -> &'static str {
    let one = n == 1;
    match reason {
        SkipReason::Budget => "out of time",
        SkipReason::Disabled => "disabled",
        SkipReason::Failing if one => "fails on its own",
        SkipReason::Failing => "fail on their own",
        SkipReason::Flaky if one => "flaky on its own",
        SkipReason::Flaky => "flaky on their own",
        SkipReason::NoChoice => "made no choice",
        SkipReason::NotRun => "not run",
        SkipReason::OrderSuspect if one => "depends on other tests",
        SkipReason::OrderSuspect => "depend on other tests",
        SkipReason::Timeout => "took too long",
    }
}

fn heading(reason: ExcludedReason) -> &'static str {
    match reason {
        ExcludedReason::Failing => "Fails on its own, so unflake does not check it",
        ExcludedReason::Flaky => "Flaky on its own: what it did could not be repeated",
        ExcludedReason::Timeout => "Took too long",
        ExcludedReason::NotRun => "Did not finish",
        ExcludedReason::OrderSuspect => "Order suspect: whether it passes depends on the tests before it",
    }
}

fn meaning(level: unflake_protocol::Level, asked: LevelSetting) -> &'static str {
    use unflake_protocol::Level;
    match level {
        Level::One => "fails with another order that stays the same for the whole run",
        Level::Eq => "fails when different collections are ordered differently",
        Level::Id => "fails when equal collections are ordered differently",
        Level::Full if asked == LevelSetting::Only(level) => {
            "fails when an unchanged collection changes its order; weaker levels were not tried"
        }
        Level::Full => "fails only when an unchanged collection changes its order",
    }
}

fn needs(scope: Scope) -> &'static str {
    match scope {
        Scope::Alone => "",
        Scope::Class => "; together with its class",
        Scope::Prefix => "; after the tests before it",
    }
}

pub(crate) fn of_severity(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Note => AnsiColor::Cyan,
    };
    Style::new().bold().fg_color(Some(colour.into()))
}

/// The test, with the module where there are several and the root where it is not the test's own class.
pub(crate) fn named(test: &TestId) -> String {
    let mut text = printable(&test.to_string());
    // Nested classes are started through their outermost one; saying so would be noise.
    let outermost = test.class().split('$').next().unwrap_or_default();
    let through = test.root != test.class() && test.root != outermost;
    let extra = [
        (test.module != ".").then_some(("module", &test.module)),
        through.then_some(("in", &test.root)),
    ];
    for (label, name) in extra.into_iter().flatten() {
        let _ = write!(text, " ({label} {name})");
    }
    text
}

/// The lines of a message that are shown: no more than a few, none endless.
pub(crate) fn shorten(message: &str, verbose: bool) -> Vec<String> {
    let lines = message
        .lines()
        .map(printable)
        .filter(|line| !line.trim().is_empty());
    if verbose {
        return lines.collect();
    }
    let lines: Vec<String> = lines.collect();
    let mut shown: Vec<String> = lines.iter().take(MESSAGE_LINES).map(|line| cut(line)).collect();
    if lines.len() > MESSAGE_LINES {
        shown.push(format!("... {} more lines", lines.len() - MESSAGE_LINES));
    }
    shown
}

/// Cuts the middle out of a long line: assertions show what differs at the beginning or at the end.
fn cut(line: &str) -> String {
    let letters: Vec<char> = line.chars().collect();
    if letters.len() <= MESSAGE_WIDTH {
        return line.to_owned();
    }
    let half = MESSAGE_WIDTH / 2;
    let head: String = letters[..half].iter().collect();
    let tail: String = letters[letters.len() - half..].iter().collect();
    format!("{head} ... {tail}")
}

/// Clean, and without line ends.
pub fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// At most this many columns; `…` replaces what is cut off.
pub(super) fn cut_end(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 1;
    for letter in text.chars() {
        used += letter.width().unwrap_or(0);
        if used > width {
            break;
        }
        shown.push(letter);
    }
    shown + "…"
}

/// Without control characters: a test's message must not move the cursor, change colours or turn the reading direction.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            // Line and paragraph separators, and the marks that turn the direction of what follows.
            '\u{2028}' | '\u{2029}' | '\u{61c}' | '\u{200e}' | '\u{200f}' => '\u{fffd}',
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests;
