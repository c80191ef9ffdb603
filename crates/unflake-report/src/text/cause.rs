//! Why a test fails, as a compiler shows an error: the call, the line of source it stands in, the two orders.
//!
//! Everything here comes from somebody else's program (sources, elements, messages), so all of it passes through
//! [`printable`] before it is written: nothing may move the cursor, change colours or turn the reading direction.

use super::{FAINT, STRONG, TextPage, cut, cut_end, label, one_line, plural, printable, shorten};
use anstyle::{AnsiColor, Style};
use std::fmt::{self, Write as _};
use unflake_findings::{Cause, CauseStatus, Choice, Frame, SourcePlace, rules};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// How much of a line of source is shown, in columns.
const SOURCE_WIDTH: usize = 120;
/// Common indentation beyond this is taken away: it shows nothing and pushes the text out of sight.
const INDENTATION: usize = 24;
/// Tabs are shown as columns of this width.
const TAB: usize = 4;
/// How much of an order is shown, and of one element of it.
const ORDER_WIDTH: usize = 100;
const ELEMENT_WIDTH: usize = 40;
/// How much of a stack is shown where no line of the project's is on it.
const FRAMES: usize = 3;

const GUTTER: Style = Style::new()
    .bold()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Blue)));
const BLAMED: Style = Style::new()
    .bold()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
const RELATED: Style = Style::new()
    .bold()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan)));
const MOVED: Style = Style::new()
    .bold()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));

/// What stands under a line of source, and how.
struct Caret<'a> {
    style: Style,
    text: &'a str,
}

impl TextPage<'_> {
    pub(super) fn cause(&mut self, cause: &Cause) -> fmt::Result {
        match cause.status {
            CauseStatus::NotRun => Ok(()),
            CauseStatus::NotFound => {
                let reason = cause
                    .reason
                    .as_deref()
                    .map(one_line)
                    .filter(|reason| !reason.is_empty());
                let reason = reason.map_or_else(String::new, |reason| format!(": {}", self.cut(&reason)));
                writeln!(self.text, "    {}not found{reason}", label("cause"))
            }
            CauseStatus::Found => self.found(cause),
        }
    }

    fn found(&mut self, cause: &Cause) -> fmt::Result {
        match cause.choices.as_slice() {
            [] => writeln!(self.text, "    {}found, but no call was recorded", label("cause"))?,
            [choice] => {
                writeln!(self.text, "    {}{}", label("cause"), self.headline(choice))?;
                self.choice(choice)?;
            }
            several => {
                writeln!(
                    self.text,
                    "    {}fails only if all of these {} vary",
                    label("cause"),
                    plural(several.len(), "call")
                )?;
                for (n, choice) in several.iter().enumerate() {
                    writeln!(
                        self.text,
                        "    {:9}{}",
                        format!("{}.", n + 1),
                        self.headline(choice)
                    )?;
                    self.choice(choice)?;
                }
            }
        }
        for (name, value) in [("expected", &cause.expected), ("actual", &cause.actual)] {
            if let Some(value) = value {
                self.value(name, value)?;
            }
        }
        Ok(())
    }

    /// The API and the sentence that leaves it open.
    fn headline(&self, choice: &Choice) -> String {
        let (api, javadoc) = (one_line(&choice.api), one_line(&choice.javadoc));
        if javadoc.is_empty() {
            return format!("{STRONG}{api}{STRONG:#}");
        }
        format!("{STRONG}{api}{STRONG:#}: “{}”", self.cut(&javadoc))
    }

    fn choice(&mut self, choice: &Choice) -> fmt::Result {
        let blamed = Caret {
            style: BLAMED,
            text: &format!("{} {} here", one_line(&choice.api), verb(&choice.api)),
        };
        self.place(choice.call.as_ref(), &choice.stack, &blamed)?;
        let made = Caret {
            style: RELATED,
            text: &format!("the {} is created here", thing(choice)),
        };
        let is_same = matches!((&choice.call, &choice.allocation),
            (Some(call), Some(made)) if (&call.file, call.line) == (&made.file, made.line));
        if !is_same {
            self.place(choice.allocation.as_ref(), &choice.allocation_stack, &made)?;
        } else if self.verbose {
            // The line has been shown; the two stacks may still differ.
            self.place(None, &choice.allocation_stack, &made)?;
        }
        self.order(choice)
    }

    /// A line of the project's own code, or the stack where there is none.
    fn place(&mut self, place: Option<&SourcePlace>, stack: &[Frame], mark: &Caret<'_>) -> fmt::Result {
        let Some(place) = place else {
            if !stack.is_empty() {
                writeln!(self.text, "      {}{}:{:#}", mark.style, mark.text, mark.style)?;
            }
            return self.stack(stack, FRAMES);
        };
        let snippet = (self.sources)(&place.file)
            .and_then(|source| Snippet::of(&source, place.line, self.source_width()));
        match snippet {
            Some(snippet) => self.snippet(place, &snippet, mark)?,
            None => {
                self.arrow(place, 2)?;
                writeln!(
                    self.text,
                    "       {GUTTER}={GUTTER:#} {}{}{:#}, in {}",
                    mark.style,
                    mark.text,
                    mark.style,
                    one_line(&place.method)
                )?;
            }
        }
        if self.verbose {
            self.stack(stack, usize::MAX)?;
        }
        Ok(())
    }

    /// `--> src/test/java/a/OrderTest.java:12`.
    fn arrow(&mut self, place: &SourcePlace, gutter: usize) -> fmt::Result {
        writeln!(
            self.text,
            "    {:gutter$}{GUTTER}-->{GUTTER:#} {}:{}",
            "",
            one_line(&place.file),
            place.line
        )
    }

    fn snippet(&mut self, place: &SourcePlace, snippet: &Snippet, mark: &Caret<'_>) -> fmt::Result {
        let gutter = snippet
            .lines
            .last()
            .map_or(1, |(number, _)| number.to_string().len());
        self.arrow(place, gutter)?;
        let bar = format!("    {:gutter$} {GUTTER}|{GUTTER:#}", "");
        writeln!(self.text, "{bar}")?;
        for (number, line) in &snippet.lines {
            write!(self.text, "    {GUTTER}{number:>gutter$} |{GUTTER:#}")?;
            if !line.is_empty() {
                write!(self.text, " {line}")?;
            }
            writeln!(self.text)?;
            if *number == place.line {
                let (before, carets) = (" ".repeat(snippet.from), "^".repeat(snippet.width));
                let Caret { style, text } = mark;
                writeln!(self.text, "{bar} {before}{style}{carets} {text}{style:#}")?;
            }
        }
        writeln!(self.text, "{bar}")
    }

    /// The innermost frames, or all of them; the project's own are marked.
    fn stack(&mut self, stack: &[Frame], most: usize) -> fmt::Result {
        let most = if self.verbose { usize::MAX } else { most };
        for frame in stack.iter().take(most) {
            let (mark, style) = if frame.own { (">", STRONG) } else { (" ", FAINT) };
            let place = match (&frame.file, frame.line) {
                (Some(file), Some(line)) => format!("{}:{line}", one_line(file)),
                (Some(file), None) => one_line(file),
                (None, _) => "unknown source".to_owned(),
            };
            writeln!(
                self.text,
                "      {style}{mark} at {} ({place}){style:#}",
                one_line(&frame.method)
            )?;
        }
        if stack.len() > most {
            writeln!(
                self.text,
                "        {FAINT}{} more; `-v` shows them{FAINT:#}",
                plural(stack.len() - most, "frame")
            )?;
        }
        Ok(())
    }

    /// The two orders, one under the other, cut at the same places.
    fn order(&mut self, choice: &Choice) -> fmt::Result {
        if choice.natural.is_empty() && choice.failing.is_empty() && choice.elements == 0 {
            return Ok(());
        }
        if let ([natural], [failing], true) = (&choice.natural[..], &choice.failing[..], choice.elements > 1)
        {
            let allowed = format!("{FAINT}one of {} that are allowed{FAINT:#}", choice.elements);
            writeln!(
                self.text,
                "    {}{}, {allowed}",
                label("natural"),
                one_line(natural)
            )?;
            return writeln!(self.text, "    {}{}", label("failing"), one_line(failing));
        }
        let window = SourceWindow::of(choice, self.verbose);
        for (name, elements) in [("natural", &choice.natural), ("failing", &choice.failing)] {
            writeln!(self.text, "    {}{}", label(name), window.show(elements))?;
        }
        Ok(())
    }

    fn value(&mut self, name: &str, value: &str) -> fmt::Result {
        let lines = shorten(value, self.verbose);
        let mut lines = lines.iter().map(String::as_str);
        // What is empty or blank must be seen to be so.
        let first = lines
            .next()
            .map_or_else(|| format!("\"{}\"", printable(value)), str::to_owned);
        writeln!(self.text, "    {}{first}", label(name))?;
        lines.try_for_each(|line| writeln!(self.text, "    {:9}{line}", ""))
    }

    fn cut(&self, line: &str) -> String {
        if self.verbose { line.to_owned() } else { cut(line) }
    }

    fn source_width(&self) -> usize {
        if self.verbose { usize::MAX } else { SOURCE_WIDTH }
    }
}

/// A line of source with its neighbours, ready to be shown.
struct Snippet {
    lines: Vec<(u32, String)>,
    /// Where the text of the line in question begins, and how many columns it takes.
    from: usize,
    width: usize,
}

impl Snippet {
    /// `None`: there is no such line, or nothing stands there. Then the source is not the one that was compiled.
    fn of(source: &str, line: u32, width: usize) -> Option<Snippet> {
        let index = (line as usize).checked_sub(1)?;
        let first = index.saturating_sub(1);
        let shown: Vec<String> = source
            .lines()
            .skip(first)
            .take(index - first + 2)
            .map(expand)
            .collect();
        let blamed = shown.get(index - first).filter(|text| !text.is_empty())?;
        let written = shown.iter().filter(|text| !text.is_empty());
        let common = written.map(|text| indentation(text)).min().unwrap_or(0);
        let excess = common.saturating_sub(INDENTATION);
        let from = indentation(blamed).saturating_sub(excess);
        let lines: Vec<(u32, String)> = (first as u32 + 1..)
            .zip(&shown)
            .map(|(number, text)| (number, cut_end(text.get(excess..).unwrap_or(""), width)))
            .collect();
        let blamed = &lines.get(index - first)?.1;
        let from = from.min(blamed.width().saturating_sub(1));
        let width = blamed.width() - from;
        Some(Snippet { lines, from, width })
    }
}

/// A line of source without tabs, control characters and blanks at its end.
fn expand(line: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for letter in line.trim_end().chars() {
        if letter == '\t' {
            let blanks = TAB - column % TAB;
            text.extend(std::iter::repeat_n(' ', blanks));
            column += blanks;
        } else {
            text.push(letter);
            column += letter.width().unwrap_or(1);
        }
    }
    printable(&text)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Which elements of both orders are shown.
struct SourceWindow<'a> {
    choice: &'a Choice,
    from: usize,
    to: usize,
    verbose: bool,
    /// How much of each element's beginning is left out, in bytes: what all have in common, where there is no room for
    /// it.
    common: usize,
}

impl SourceWindow<'_> {
    /// Everything where it fits; else what is around the first difference.
    fn of(choice: &Choice, verbose: bool) -> SourceWindow<'_> {
        let mut window = SourceWindow {
            choice,
            from: 0,
            to: choice.natural.len().max(choice.failing.len()),
            verbose,
            common: 0,
        };
        let is_long = |element: &String| element.width() > ELEMENT_WIDTH;
        if !verbose && (!window.fits() || choice.natural.iter().any(is_long)) {
            window.common = common_name(&choice.natural);
        }
        if !verbose && !window.fits() {
            let differs = |(a, b): (&String, &String)| a != b;
            let pairs = choice.natural.iter().zip(&choice.failing);
            // Orders that agree as far as they are known: the beginning is as good as anything.
            let first = pairs.map(differs).position(|differs| differs).unwrap_or(0);
            // One element that stayed, so that one sees where one is; cutting off a single one gains nothing.
            window.begin(if first < 3 { 0 } else { first - 1 });
            // Where elements are long, there is room for what differs only.
            if window.to <= first {
                window.begin(first);
            }
        }
        window
    }

    /// As many elements from this one on as fit, and at least one.
    fn begin(&mut self, from: usize) {
        self.from = from;
        self.to = self.choice.natural.len().max(self.choice.failing.len());
        while self.to > self.from + 1 && !self.fits() {
            self.to -= 1;
        }
    }

    fn fits(&self) -> bool {
        let width = |elements: &[String]| -> usize {
            let shown = elements.iter().take(self.to).skip(self.from);
            shown.map(|element| self.element(element).width() + 2).sum()
        };
        width(&self.choice.natural).max(width(&self.choice.failing)) <= ORDER_WIDTH
    }

    fn show(&self, elements: &[String]) -> String {
        let total = (self.choice.elements as usize).max(elements.len());
        let mut parts: Vec<String> = Vec::new();
        if self.from > 0 {
            parts.push(format!("… {} before", self.from));
        }
        for (index, element) in elements.iter().enumerate().take(self.to).skip(self.from) {
            let text = self.element(element);
            parts.push(if self.has_moved(index, element) {
                format!("{MOVED}{text}{MOVED:#}")
            } else {
                text
            });
        }
        match total.saturating_sub(self.to.min(elements.len())) {
            0 => {}
            rest if parts.is_empty() => parts.push(format!("… {}", plural(rest, "element"))),
            rest => parts.push(format!("… {rest} more")),
        }
        let (open, close) = match brackets(&self.choice.api) {
            // One value, not an order.
            _ if total == 1 => ("", ""),
            brackets => brackets,
        };
        format!("{open}{}{close}", parts.join(", "))
    }

    fn has_moved(&self, index: usize, element: &String) -> bool {
        if !self.choice.moved.is_empty() {
            return self.choice.moved.contains(element);
        }
        self.choice.natural.get(index) != self.choice.failing.get(index)
    }

    fn element(&self, element: &str) -> String {
        let rest = element.get(self.common..).filter(|_| self.common > 0);
        let element = printable(&rest.map_or_else(|| element.to_owned(), |rest| format!("…{rest}")));
        match element.as_str() {
            // Invisible, but still an element.
            "" => "\"\"".to_owned(),
            _ if self.verbose => element,
            _ => cut_end(&element, ELEMENT_WIDTH),
        }
    }
}

/// How many bytes of a qualified name all of these begin with: members of one class, files of one directory.
fn common_name(elements: &[String]) -> usize {
    let [first, rest @ ..] = elements else { return 0 };
    let same = |other: &String| {
        first
            .bytes()
            .zip(other.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let common = rest.iter().map(same).min().unwrap_or(0);
    let name = first.as_bytes()[..common]
        .iter()
        .rposition(|byte| b".$/".contains(byte));
    // The dots in its place take one letter.
    name.filter(|last| *last > 0).map_or(0, |last| last + 1)
}

/// Sets and maps are written as such, all else as lists.
fn brackets(api: &str) -> (&'static str, &'static str) {
    match rules::of_cause(api) {
        "UF101" | "UF102" | "UF108" => ("{", "}"),
        _ => ("[", "]"),
    }
}

/// What the API does where it is called.
fn verb(api: &str) -> &'static str {
    match rules::of_cause(api) {
        "UF101" | "UF102" | "UF103" | "UF108" => "iterates",
        "UF107" => "is drawn",
        "UF109" => "picks",
        _ => "is called",
    }
}

/// What was made, in one word, from its class.
fn thing(choice: &Choice) -> &'static str {
    const WORDS: [(&str, &str); 6] = [
        ("Map", "map"),
        ("Hashtable", "map"),
        ("Properties", "map"),
        ("Set", "set"),
        ("Queue", "queue"),
        ("List", "list"),
    ];
    // A `HashSet` is made of a `HashMap`: what the project's own code made is the outermost constructor of the JDK.
    let made = choice
        .allocation_stack
        .iter()
        .map_while(|frame| frame.method.strip_suffix(".<init>"))
        .take_while(|class| class.starts_with("java."))
        .last();
    let class = match made.or(choice.owner.as_deref()) {
        Some(class) => class.rsplit('.').next().unwrap_or(class),
        None => choice.api.split('.').next().unwrap_or(&choice.api),
    };
    // The outermost class says it best (`HashMap$KeySet` is a map), unless it only holds others
    // (`ImmutableCollections$SetN`).
    let says = |name: &str| {
        WORDS
            .iter()
            .find(|(part, _)| name.ends_with(part) || name.starts_with(part))
    };
    class.split('$').find_map(says).map_or("object", |(_, word)| word)
}

#[cfg(test)]
mod tests;
