//! `cargo xtask marks FILE…`: how often each mark of harmless changes (P9) was given, over JSON documents of `unflake
//! check`. A mark that no real project ever gets is a rule without a use.

use crate::args::Args;
use crate::{Failure, Outcome, print};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use unflake_findings::MarkKind;

const USAGE: &str = "cargo xtask marks FILE.json…";

pub fn run(args: Vec<String>) -> Outcome<()> {
    let files = Args::new(args, USAGE).rest()?;
    if files.is_empty() {
        return Err(Failure::usage("no document is named", USAGE));
    }
    let mut counts = Counts::default();
    for file in &files {
        let path = Path::new(file);
        let text = fs::read_to_string(path).map_err(|e| Failure::io("cannot read", path, &e))?;
        let document: Document = serde_json::from_str(&text)
            .map_err(|e| Failure::new(format!("`{file}` is no document of `unflake check`: {e}")))?;
        counts.add(file, &document);
    }
    print(counts.table(files.len()));
    Ok(())
}

/// As much of a document as is needed.
#[derive(Deserialize)]
struct Document {
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    benign: Option<Benign>,
    /// The root of state, or the file.
    #[serde(alias = "file")]
    held_by: Option<String>,
}

#[derive(Deserialize)]
struct Benign {
    is: bool,
    mark: Option<String>,
}

#[derive(Default)]
struct Counts {
    /// By mark.
    rows: BTreeMap<String, Row>,
    harmful: Row,
}

#[derive(Default)]
struct Row {
    findings: usize,
    /// Document and root.
    roots: BTreeSet<(String, String)>,
    documents: BTreeSet<String>,
}

impl Counts {
    fn add(&mut self, file: &str, document: &Document) {
        for finding in &document.findings {
            let Some(benign) = &finding.benign else { continue };
            let row = if benign.is {
                let mark = benign.mark.as_deref().unwrap_or("(without a mark)");
                self.rows.entry(mark.to_owned()).or_default()
            } else {
                &mut self.harmful
            };
            row.findings += 1;
            row.roots
                .insert((file.to_owned(), finding.held_by.clone().unwrap_or_default()));
            row.documents.insert(file.to_owned());
        }
    }

    /// The most frequent first; marks that were not given have a row too.
    fn table(mut self, documents: usize) -> String {
        for kind in MarkKind::ALL {
            self.rows.entry(kind.name().to_owned()).or_default();
        }
        let mut rows: Vec<(String, Row)> = self.rows.into_iter().collect();
        rows.sort_by(|(a, x), (b, y)| y.findings.cmp(&x.findings).then(a.cmp(b)));
        rows.push(("(not harmless)".to_owned(), self.harmful));
        let mut text =
            format!("| mark | findings | roots | documents, of {documents} |\n|---|---|---|---|\n");
        for (mark, row) in rows {
            text.push_str(&format!(
                "| {mark} | {} | {} | {} |\n",
                row.findings,
                row.roots.len(),
                row.documents.len()
            ));
        }
        text.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_counted_by_finding_root_and_document() {
        let document = |text: &str| -> Document { serde_json::from_str(text).unwrap() };
        let one = document(
            r#"{"findings": [
                {"kind": "polluter", "held_by": "a.C.x", "benign": {"is": true, "why": "", "mark": "lazy"}},
                {"kind": "polluter", "held_by": "a.C.x", "benign": {"is": true, "why": "", "mark": "lazy"}},
                {"kind": "file-polluter", "file": "x.txt", "benign": {"is": false, "why": ""}},
                {"kind": "victim"}
            ]}"#,
        );
        let two = document(
            r#"{"findings": [{"kind": "polluter", "held_by": "a.C.x", "benign": {"is": true, "why": "old"}}]}"#,
        );
        let mut counts = Counts::default();
        counts.add("one", &one);
        counts.add("two", &two);
        let table = counts.table(2);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "| mark | findings | roots | documents, of 2 |");
        assert_eq!(lines[2], "| lazy | 2 | 1 | 1 |");
        assert_eq!(lines[3], "| (without a mark) | 1 | 1 | 1 |");
        assert_eq!(lines.last(), Some(&"| (not harmless) | 1 | 1 | 1 |"));
        assert!(lines.contains(&"| pool | 0 | 0 | 0 |"));
    }
}
