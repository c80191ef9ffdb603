//! Tests that leave shared state changed, grouped by what they change (P9).
//!
//! Twenty tests that register something in one registry are one problem, so they are one block: the root as its
//! heading, the worst test in full, the others as a list. What looks harmless is a line at the end; `-v` unfolds
//! everything.

use super::change::{Change, below_root};
use super::{FAINT, STRONG, TextPage, named, of_severity, plural};
use super::{cut_end, one_line};
use crate::mark::reason;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use unflake_findings::{
    Benign, Details, Effect, FileChange, FilePollution, Finding, Pollution, Proof, Severity, Suffering,
};
use unflake_protocol::{StateKind, TestId};
use unicode_width::UnicodeWidthStr as _;

/// How many tests of a root are shown, how many victims of a test, how many further files, how many harmless roots.
const TESTS: usize = 5;
const VICTIMS: usize = 3;
const FILES: usize = 3;
const HARMLESS: usize = 10;
/// How much of a victim's message, and of a change in a list.
const MESSAGE_WIDTH: usize = 100;
/// Names are aligned up to this width.
const NAME_WIDTH: usize = 60;

/// All findings about one piece of state. There is always at least one.
pub(super) struct RootFindings<'a> {
    /// The worst first.
    serious: Vec<Polluter<'a>>,
    harmless: Vec<Polluter<'a>>,
}

/// One test and what it changes.
#[derive(Clone, Copy)]
struct Polluter<'a> {
    finding: &'a Finding,
    what: Polluted<'a>,
    effect: Effect<'a>,
}

#[derive(Clone, Copy)]
enum Polluted<'a> {
    State(&'a Pollution),
    File(&'a FilePollution),
}

impl<'a> RootFindings<'a> {
    /// The worst first; then the project's own fields before the JVM's state and files, those before libraries' fields;
    /// then short paths.
    pub(super) fn group(findings: &[&'a Finding]) -> Vec<RootFindings<'a>> {
        let mut by_root: BTreeMap<(StateKind, &str), Vec<Polluter<'a>>> = BTreeMap::new();
        for polluter in findings.iter().filter_map(|finding| Polluter::of(finding)) {
            by_root.entry(polluter.root()).or_default().push(polluter);
        }
        let own: BTreeSet<&str> = findings
            .iter()
            .map(|finding| project(finding.test.class()))
            .collect();
        let mut roots: Vec<RootFindings<'a>> = by_root.into_values().map(RootFindings::of).collect();
        roots.sort_by_cached_key(|root| {
            let first = root.first();
            let (kind, name) = first.root();
            let nearness = match kind {
                StateKind::Heap if own.contains(project(name)) => 0,
                StateKind::Heap => 2,
                _ => 1,
            };
            let rank = (nearness, first.depth(), Reverse(root.victims().len()));
            (Reverse(root.severity()), rank, kind, name)
        });
        roots
    }

    fn of(mut polluters: Vec<Polluter<'a>>) -> RootFindings<'a> {
        polluters.sort_by_key(|one| {
            (
                Reverse(one.finding.severity),
                Reverse(one.victims().len()),
                one.depth(),
                &one.finding.test,
            )
        });
        let (harmless, serious) = polluters.into_iter().partition(Polluter::is_harmless);
        RootFindings { serious, harmless }
    }

    pub(super) fn severity(&self) -> Severity {
        self.first().finding.severity
    }

    pub(super) fn is_harmless(&self) -> bool {
        self.serious.is_empty()
    }

    fn all(&self) -> impl Iterator<Item = &Polluter<'a>> {
        self.serious.iter().chain(&self.harmless)
    }

    /// Those that the heading is about.
    fn counted(&self) -> &[Polluter<'a>] {
        if self.is_harmless() {
            &self.harmless
        } else {
            &self.serious
        }
    }

    fn first(&self) -> &Polluter<'a> {
        self.all().next().expect("a root has at least one polluter")
    }

    fn victims(&self) -> BTreeSet<&'a TestId> {
        self.all()
            .flat_map(|one| one.victims().iter().map(|victim| &victim.test))
            .collect()
    }
}

impl<'a> Polluter<'a> {
    fn of(finding: &'a Finding) -> Option<Polluter<'a>> {
        let what = match &finding.details {
            Details::Polluter(pollution) => Polluted::State(pollution),
            Details::FilePolluter(pollution) => Polluted::File(pollution),
            _ => return None,
        };
        let effect = finding.details.effect()?;
        Some(Polluter {
            finding,
            what,
            effect,
        })
    }

    fn root(&self) -> (StateKind, &'a str) {
        match self.what {
            Polluted::State(pollution) => (pollution.state, &pollution.held_by),
            Polluted::File(pollution) => (StateKind::File, &pollution.file),
        }
    }

    fn benign(&self) -> &'a Benign {
        self.effect.benign
    }

    fn proof(&self) -> Proof {
        self.effect.proof
    }

    fn victims(&self) -> &'a [Suffering] {
        self.effect.victims
    }

    fn is_by_class(&self) -> bool {
        matches!(self.what, Polluted::State(pollution) if pollution.by_class)
    }

    /// A victim that was seen to fail says more than the mark.
    fn is_harmless(&self) -> bool {
        self.benign().is && self.victims().is_empty()
    }

    /// How many steps it is from the root to the change.
    fn depth(&self) -> usize {
        match self.what {
            Polluted::State(pollution) => {
                let below = below_root(&pollution.held_by, &pollution.path);
                below.matches(['.', '[']).count()
            }
            Polluted::File(pollution) => pollution.file.matches('/').count(),
        }
    }

    /// What it did, in a list under its root.
    fn in_short(&self, verbose: bool) -> String {
        match self.what {
            Polluted::State(pollution) => {
                let below = below_root(&pollution.held_by, &pollution.path);
                let (old, new) = (pollution.old.as_deref(), pollution.new.as_deref());
                Change::new(below.trim_start_matches('.'), old, new, verbose).line()
            }
            Polluted::File(pollution) => done(pollution.change).to_owned(),
        }
    }
}

impl TextPage<'_> {
    pub(super) fn root(&mut self, root: &RootFindings<'_>) -> fmt::Result {
        self.root_heading(root)?;
        let in_full: Vec<&Polluter<'_>> = match self.verbose {
            true => root.all().collect(),
            false => vec![root.first()],
        };
        for (n, polluter) in in_full.iter().enumerate() {
            if n > 0 {
                writeln!(self.text)?;
            }
            if root.all().count() > 1 {
                self.author(polluter)?;
            }
            self.polluter(polluter)?;
        }
        if !self.verbose {
            self.other_polluters(root.serious.get(1..).unwrap_or_default())?;
            self.harmless_polluters(&root.harmless)?;
        }
        writeln!(self.text)
    }

    fn root_heading(&mut self, root: &RootFindings<'_>) -> fmt::Result {
        let style = of_severity(root.severity());
        let first = root.first();
        let (kind, name) = first.root();
        let verb = match first.what {
            Polluted::State(_) if kind == StateKind::Thread => "is left running",
            Polluted::State(_) => "is left changed",
            Polluted::File(pollution) => done(pollution.change),
        };
        write!(
            self.text,
            "{style}{}{style:#} {}{STRONG}{}{STRONG:#} {verb} by {}",
            root.severity(),
            noun(kind),
            one_line(name),
            match (root.counted(), first.is_by_class()) {
                ([one], false) => format!("{STRONG}{}{STRONG:#}", named(&one.finding.test)),
                ([one], true) => format!(
                    "class-level code of {STRONG}{}{STRONG:#}",
                    named(&one.finding.test)
                ),
                (several, _) => authors(several),
            }
        )?;
        match root.victims().len() {
            0 => writeln!(self.text),
            1 => writeln!(self.text, "; 1 test fails because of it"),
            n => writeln!(self.text, "; {n} tests fail because of it"),
        }
    }

    fn author(&mut self, polluter: &Polluter<'_>) -> fmt::Result {
        let test = named(&polluter.finding.test);
        if polluter.is_by_class() {
            self.row("class", &format!("class-level code of {STRONG}{test}{STRONG:#}"))
        } else {
            self.row("test", &format!("{STRONG}{test}{STRONG:#}"))
        }
    }

    fn polluter(&mut self, polluter: &Polluter<'_>) -> fmt::Result {
        match polluter.what {
            Polluted::State(pollution) => {
                self.state_change(pollution)?;
                if let Some(page) = self.pictures.filter(|_| !pollution.graph.is_empty()) {
                    self.row("picture", &format!("{}#{}", address(page), polluter.finding.id))?;
                }
            }
            Polluted::File(pollution) => self.file_change(pollution)?,
        }
        self.harmless_mark(polluter)?;
        self.victims(polluter.victims())?;
        if let Some(proof) = proof(polluter.proof(), !polluter.victims().is_empty()) {
            self.row("proof", proof)?;
        }
        self.rule(polluter.finding)?;
        self.repeat(polluter.finding)
    }

    fn state_change(&mut self, pollution: &Pollution) -> fmt::Result {
        let (old, new) = (pollution.old.as_deref(), pollution.new.as_deref());
        let change = Change::new(&pollution.path, old, new, self.verbose);
        self.text.push_str(&change.rows("change"));
        if pollution.more > 0 {
            let more = match pollution.more {
                1 => "1 more change".to_owned(),
                n => format!("{n} more changes"),
            };
            self.row("", &format!("and {more} below {}", one_line(&pollution.held_by)))?;
        }
        self.triples(&pollution.graph)
    }

    fn file_change(&mut self, pollution: &FilePollution) -> fmt::Result {
        self.row(
            "file",
            &format!("{} ({})", one_line(&pollution.file), word(pollution.change)),
        )?;
        let shown = pollution.more.iter().take(self.limit(FILES));
        for file in shown {
            self.row("", &one_line(file))?;
        }
        self.more_rows(pollution.more.len(), FILES)
    }

    fn harmless_mark(&mut self, polluter: &Polluter<'_>) -> fmt::Result {
        let benign = polluter.benign();
        if !benign.is {
            return Ok(());
        }
        let why = match one_line(&reason(benign)).as_str() {
            "" => "no reason is given".to_owned(),
            why => why.to_owned(),
        };
        match polluter.victims() {
            [] => self.row("harmless", &format!("probably: {why}")),
            _ => self.row(
                "harmless",
                &format!("it looked so ({why}), but tests fail because of it"),
            ),
        }
    }

    fn victims(&mut self, victims: &[Suffering]) -> fmt::Result {
        match victims.len() {
            0 => return Ok(()),
            1 => self.row("victims", "makes 1 test fail that passes without it:")?,
            n => self.row("victims", &format!("makes {n} tests fail that pass without it:"))?,
        }
        let style = of_severity(Severity::Error);
        for victim in victims.iter().take(self.limit(VICTIMS)) {
            let message = cut_end(&one_line(&victim.message), self.limit(MESSAGE_WIDTH));
            let message = match message.as_str() {
                "" => message,
                message => format!("  {FAINT}{message}{FAINT:#}"),
            };
            self.row("", &format!("{style}✗{style:#} {}{message}", named(&victim.test)))?;
        }
        self.more_rows(victims.len(), VICTIMS)
    }

    fn other_polluters(&mut self, others: &[Polluter<'_>]) -> fmt::Result {
        // The first one is shown in full.
        let most = TESTS - 1;
        let names: Vec<String> = others.iter().map(|one| named(&one.finding.test)).collect();
        let shown = names.iter().take(most).map(|name| name.width());
        let column = shown.filter(|width| *width <= NAME_WIDTH).max().unwrap_or(0);
        let mut label = "others";
        for (one, name) in others.iter().zip(&names).take(most) {
            let mut line = format!("{FAINT}{}{FAINT:#}  {name}", one.finding.id);
            line.push_str(&" ".repeat(column.saturating_sub(name.width())));
            let _ = write!(line, "  {}", one.in_short(false));
            if one.is_by_class() {
                line.push_str(", class-level code");
            }
            if !one.victims().is_empty() {
                let _ = write!(line, ", {}", plural(one.victims().len(), "victim"));
            }
            self.row(label, &line)?;
            label = "";
        }
        self.more_rows(others.len(), most)
    }

    fn harmless_polluters(&mut self, harmless: &[Polluter<'_>]) -> fmt::Result {
        let line = match harmless.len() {
            0 => return Ok(()),
            1 => "1 change that looks harmless (`-v` shows it)".to_owned(),
            n => format!("{n} changes that look harmless (`-v` shows them)"),
        };
        self.row("also", &line)
    }

    /// Roots whose changes all look harmless, one line each.
    pub(super) fn harmless(&mut self, roots: &[RootFindings<'_>]) -> fmt::Result {
        if roots.is_empty() {
            return Ok(());
        }
        let changes: usize = roots.iter().map(|root| root.harmless.len()).sum();
        let heading = match changes {
            1 => "1 change that looks harmless".to_owned(),
            n => format!("{n} changes that look harmless"),
        };
        writeln!(
            self.text,
            "{STRONG}{heading}{STRONG:#} {FAINT}(`-v` shows the tests){FAINT:#}"
        )?;
        for root in roots.iter().take(HARMLESS) {
            let first = root.first();
            let (kind, name) = first.root();
            let reasons: BTreeSet<String> = root
                .harmless
                .iter()
                .map(|one| one_line(&reason(one.benign())))
                .collect();
            let reasons: Vec<String> = reasons.into_iter().filter(|why| !why.is_empty()).collect();
            write!(
                self.text,
                "    {}{}: {}",
                noun(kind),
                one_line(name),
                authors(&root.harmless)
            )?;
            match reasons.as_slice() {
                [] => writeln!(self.text)?,
                several => {
                    let reasons = cut_end(&several.join("; "), MESSAGE_WIDTH);
                    writeln!(self.text, " {FAINT}({reasons}){FAINT:#}")?;
                }
            }
        }
        if roots.len() > HARMLESS {
            writeln!(self.text, "    … and {} more", roots.len() - HARMLESS)?;
        }
        writeln!(self.text)
    }

    /// The end of a list that was cut.
    pub(super) fn more_rows(&mut self, all: usize, shown: usize) -> fmt::Result {
        match all.saturating_sub(self.limit(shown)) {
            0 => Ok(()),
            n => self.row("", &format!("{FAINT}… and {n} more; `-v` lists them{FAINT:#}")),
        }
    }
}

/// The address of a file, as terminals make a link of it.
fn address(file: &str) -> String {
    let mut address = "file://".to_owned();
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~+".contains(&byte) {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

/// `3 tests and 1 class`.
fn authors(polluters: &[Polluter<'_>]) -> String {
    let classes = polluters.iter().filter(|one| one.is_by_class()).count();
    let tests = polluters.len() - classes;
    let classes = match classes {
        0 => None,
        1 => Some("1 class".to_owned()),
        n => Some(format!("{n} classes")),
    };
    let tests = (tests > 0).then(|| plural(tests, "test"));
    let parts: Vec<String> = tests.into_iter().chain(classes).collect();
    parts.join(" and ")
}

/// The beginning of a package that all classes of a project have in common as a rule: `com.shop` of
/// `com.shop.cart.Cart`.
fn project(class: &str) -> &str {
    let mut dots = class.match_indices('.').map(|(at, _)| at);
    let (first, second) = (dots.next(), dots.next());
    class.get(..second.or(first).unwrap_or(0)).unwrap_or(class)
}

/// What a root is called before its name; fields need no word.
fn noun(kind: StateKind) -> &'static str {
    match kind {
        StateKind::Heap | StateKind::Stream | StateKind::File => "",
        StateKind::Property => "system property ",
        StateKind::Locale => "default locale ",
        StateKind::Timezone => "default time zone ",
        StateKind::Thread => "thread ",
        StateKind::ThreadLocal => "thread-local ",
        StateKind::Provider => "security provider ",
        StateKind::ExceptionHandler => "uncaught-exception handler ",
        StateKind::LogLevel => "level of logger ",
        StateKind::ShutdownHook => "shutdown hook ",
        StateKind::UrlHandler => "URL stream handler ",
        StateKind::Bean => "JMX bean ",
        StateKind::Environment => "environment variable ",
    }
}

fn done(change: FileChange) -> &'static str {
    match change {
        FileChange::Created => "is left behind",
        FileChange::Changed => "is left changed",
        FileChange::Deleted => "is deleted",
    }
}

fn word(change: FileChange) -> &'static str {
    match change {
        FileChange::Created => "created",
        FileChange::Changed => "changed",
        FileChange::Deleted => "deleted",
    }
}

/// What was tried, unless the victims say it.
fn proof(proof: Proof, has_victims: bool) -> Option<&'static str> {
    match (proof, has_victims) {
        (Proof::Proved, _) => None,
        (Proof::NotRun, _) => Some("not tried: other tests were not run after it"),
        (Proof::NoVictim, _) => Some("all tests that can see it were run after it and passed"),
        (Proof::Partial, false) => Some("time ran out before all tests were tried; none has failed so far"),
        (Proof::Partial, true) => Some("time ran out before all tests were tried; there may be more victims"),
    }
}

#[cfg(test)]
mod tests;
