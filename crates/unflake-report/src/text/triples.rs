//! What is around a polluted object, as lines `object field value` (P5).

use super::change::{NEW, OLD};
use super::{FAINT, TextPage, label, plural};
use super::{cut_end, one_line};
use anstyle::Style;
use std::fmt::{self, Write as _};
use unflake_findings::Triple;
use unflake_protocol::Side;
use unicode_width::UnicodeWidthStr as _;

/// How many are shown, and how wide a column may become.
const LISTED: usize = 40;
const COLUMN: usize = 40;

impl TextPage<'_> {
    /// In columns; what was there before only is marked `-`, what is there afterwards only `+`.
    pub(super) fn triples(&mut self, triples: &[Triple]) -> fmt::Result {
        let width = self.limit(COLUMN);
        let shown = triples.iter().take(self.limit(LISTED));
        let rows: Vec<(Side, [String; 3])> = shown
            .map(|triple| {
                let cells = [&triple.object, &triple.field, &triple.value];
                (triple.side, cells.map(|cell| cut_end(&one_line(cell), width)))
            })
            .collect();
        let widest = |column: usize| rows.iter().map(|(_, cells)| cells[column].width()).max();
        let [objects, fields] = [0, 1].map(|column| widest(column).unwrap_or(0));
        let mut name = label("graph");
        for (side, [object, field, value]) in &rows {
            let (mark, style) = match side {
                Side::Both => (' ', Style::new()),
                Side::Before => ('-', OLD),
                Side::After => ('+', NEW),
            };
            // `{:width$}` counts letters, not columns.
            let pad = |text: &str, width: usize| " ".repeat(width - text.width());
            writeln!(
                self.text,
                "    {name}{style}{mark} {object}{}  {field}{}  {value}{style:#}",
                pad(object, objects),
                pad(field, fields)
            )?;
            name = " ".repeat(9);
        }
        if triples.len() > rows.len() {
            let more = plural(triples.len() - rows.len(), "triple");
            writeln!(
                self.text,
                "             {FAINT}… and {more} more; `-v` lists them{FAINT:#}"
            )?;
        }
        Ok(())
    }
}
