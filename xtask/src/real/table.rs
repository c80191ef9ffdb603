//! What was measured on one project, kept as JSON between calls, and the table of all of them.

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Everything about one project on one JDK.
#[derive(Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) project: String,
    pub(super) java: u8,
    pub(super) tests: usize,
    /// Seconds of each plain run.
    pub(super) plain: Vec<f64>,
    /// Tests that failed in one of the plain runs: no tool gets a finding for them.
    pub(super) failing: BTreeSet<String>,
    /// By `nondex-3`, `nondex-10`, `unflake`.
    pub(super) tools: BTreeMap<String, Tool>,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Tool {
    pub(super) seconds: Vec<f64>,
    pub(super) found: BTreeMap<String, Finding>,
    pub(super) note: String,
}

/// What is known of one finding; NonDex gives only the name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Finding {
    pub(super) level: String,
    pub(super) severity: String,
    pub(super) message: String,
    /// In how many of the tool's runs it was found.
    pub(super) times: usize,
}

impl Measured {
    pub(super) fn new(project: &str, java: u8) -> Measured {
        let (plain, failing, tools) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
        Measured {
            project: project.to_owned(),
            java,
            tests: 0,
            plain,
            failing,
            tools,
        }
    }

    pub(super) fn parse(text: &str) -> Result<Measured, String> {
        let value: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let numbers = |value: &Value| {
            value
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_f64)
                .collect()
        };
        let project = value["project"].as_str().ok_or("no `project`")?.to_owned();
        let java = value["java"]
            .as_u64()
            .and_then(|n| u8::try_from(n).ok())
            .ok_or("no `java`")?;
        let none = Map::new();
        let tool = |value: &Value| Tool {
            seconds: numbers(&value["seconds"]),
            found: value["found"]
                .as_object()
                .unwrap_or(&none)
                .iter()
                .map(|(test, f)| {
                    let finding = Finding {
                        level: string(&f["level"]),
                        severity: string(&f["severity"]),
                        message: string(&f["message"]),
                        times: f["times"]
                            .as_u64()
                            .and_then(|n| usize::try_from(n).ok())
                            .unwrap_or(0),
                    };
                    (test.clone(), finding)
                })
                .collect(),
            note: string(&value["note"]),
        };
        Ok(Measured {
            project,
            java,
            tests: value["tests"]
                .as_u64()
                .and_then(|n| usize::try_from(n).ok())
                .unwrap_or(0),
            plain: numbers(&value["plain"]),
            failing: value["failing"]
                .as_array()
                .into_iter()
                .flatten()
                .map(string)
                .collect(),
            tools: value["tools"]
                .as_object()
                .unwrap_or(&none)
                .iter()
                .map(|(name, v)| (name.clone(), tool(v)))
                .collect(),
        })
    }

    pub(super) fn to_json(&self) -> String {
        let tool = |tool: &Tool| {
            let found: Map<String, Value> = tool.found.iter()
                .map(|(test, f)| {
                    let value = json!({"level": f.level, "severity": f.severity, "message": f.message, "times": f.times});
                    (test.clone(), value)
                })
                .collect();
            json!({"seconds": tool.seconds, "found": found, "note": tool.note})
        };
        let tools: Map<String, Value> = self
            .tools
            .iter()
            .map(|(name, t)| (name.clone(), tool(t)))
            .collect();
        let value = json!({
            "project": self.project, "java": self.java, "tests": self.tests, "plain": self.plain,
            "failing": self.failing, "tools": tools,
        });
        format!("{value:#}\n")
    }

    /// What a tool found, without what fails in plain runs.
    fn found(&self, tool: &str) -> Option<BTreeSet<&str>> {
        let found = self.tools.get(tool)?.found.keys();
        Some(
            found
                .filter(|test| !self.failing.contains(*test))
                .map(String::as_str)
                .collect(),
        )
    }

    /// Found by NonDex in any number of rounds.
    fn nondex(&self) -> BTreeSet<&str> {
        self.tools
            .keys()
            .filter(|tool| tool.starts_with("nondex"))
            .filter_map(|tool| self.found(tool))
            .flatten()
            .collect()
    }
}

/// The table, and below it per project what one tool found and the other did not.
pub(super) fn markdown(all: &[Measured]) -> String {
    let mut out = String::from(
        "| project | Java | tests | failing plain | plain s | NonDex 3 found | s | × plain | NonDex 10 found | s | × plain | unflake found | s | × plain |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for m in all {
        let plain = median(&m.plain);
        write!(
            out,
            "| {} | {} | {} | {} | {}",
            m.project,
            m.java,
            m.tests,
            m.failing.len(),
            seconds(plain)
        )
        .ok();
        for tool in ["nondex-3", "nondex-10", "unflake"] {
            let time = m.tools.get(tool).and_then(|t| median(&t.seconds));
            let ratio = time
                .zip(plain)
                .map_or("–".to_owned(), |(time, plain)| format!("{:.2}", time / plain));
            let found = m
                .found(tool)
                .map_or("–".to_owned(), |found| found.len().to_string());
            write!(out, " | {found} | {} | {ratio}", seconds(time)).ok();
        }
        out.push_str(" |\n");
    }
    for m in all {
        differences(&mut out, m);
    }
    out
}

fn differences(out: &mut String, m: &Measured) {
    let Some(unflake) = m.found("unflake") else { return };
    let nondex = m.nondex();
    let mut list = |title: &str, tests: Vec<&str>| {
        writeln!(
            out,
            "\n{}, Java {}, {title}: {}\n",
            m.project,
            m.java,
            tests.len()
        )
        .ok();
        for test in tests {
            let more = m.tools.get("unflake").and_then(|tool| tool.found.get(test));
            let more = more.map_or(String::new(), |f| {
                format!(
                    " ({}, {} of {} runs: {})",
                    f.level,
                    f.times,
                    m.tools["unflake"].seconds.len(),
                    one_line(&f.message)
                )
            });
            writeln!(out, "- `{test}`{more}").ok();
        }
    };
    list(
        "found by NonDex and not by unflake",
        nondex.difference(&unflake).copied().collect(),
    );
    list(
        "found by unflake and not by NonDex",
        unflake.difference(&nondex).copied().collect(),
    );
}

fn one_line(message: &str) -> String {
    let line: String = message
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(120)
        .collect();
    line.replace('`', "'")
}

fn seconds(time: Option<f64>) -> String {
    time.map_or("–".to_owned(), |time| format!("{time:.1}"))
}

pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured() -> Measured {
        let found = |tests: &[&str]| {
            tests
                .iter()
                .map(|test| ((*test).to_owned(), Finding::default()))
                .collect()
        };
        let tool = |seconds: f64, tests: &[&str]| Tool {
            seconds: vec![seconds],
            found: found(tests),
            note: String::new(),
        };
        let mut m = Measured::new("commons-x", 8);
        m.tests = 10;
        m.plain = vec![2.0, 9.0, 1.0];
        m.failing = BTreeSet::from(["A#always".to_owned()]);
        m.tools
            .insert("nondex-3".to_owned(), tool(8.0, &["A#always", "A#both"]));
        m.tools
            .insert("nondex-10".to_owned(), tool(20.0, &["A#both", "A#theirs"]));
        m.tools
            .insert("unflake".to_owned(), tool(3.0, &["A#both", "A#ours"]));
        m
    }

    #[test]
    fn what_is_kept_reads_back() {
        let m = measured();
        assert_eq!(Measured::parse(&m.to_json()), Ok(m));
    }

    #[test]
    fn the_table_leaves_out_what_fails_anyway_and_lists_differences_both_ways() {
        let text = markdown(&[measured()]);
        assert!(
            text.contains(
                "| commons-x | 8 | 10 | 1 | 2.0 | 1 | 8.0 | 4.00 | 2 | 20.0 | 10.00 | 2 | 3.0 | 1.50 |"
            ),
            "{text}"
        );
        assert!(
            text.contains("found by NonDex and not by unflake: 1\n\n- `A#theirs`"),
            "{text}"
        );
        assert!(
            text.contains("found by unflake and not by NonDex: 1\n\n- `A#ours`"),
            "{text}"
        );
    }

    #[test]
    fn the_median_of_even_numbers_is_the_middle_of_two() {
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }
}
