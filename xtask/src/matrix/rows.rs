//! Thesis table 2.1 and the APIs beyond it, row by row: each result varies, stays allowed (N4), is the same again for
//! the same seed (N6), and reversed is exactly the natural one backwards, which an API that is edited on two of its
//! roads at once would not be. One JVM prints all rows; what each row may show is said by its kind.

use super::Programs;
use crate::agent::{Form, LEVELS, Variation};
use crate::jdks::Jdk;
use crate::{Failure, Outcome};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Seeds of the random rounds; the first is run twice.
const SEEDS: [u64; 3] = [7, 11, 13];

/// What a check found.
#[derive(Debug, Default)]
pub struct Found {
    pub rows: usize,
    pub problems: Vec<String>,
}

/// What a row may show; see `fixtures/matrix/rows/Table.java`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Permute,
    Salted,
    Unstable,
    Rest,
    Pick,
    Zones,
    Hash,
    Fixed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    kind: Kind,
    group: String,
    values: Vec<String>,
}

/// What one JVM printed.
#[derive(Debug, Default)]
struct Printed {
    rows: BTreeMap<String, Row>,
    /// The JVM's own lines.
    other: BTreeSet<String>,
}

/// One row in all runs that say something about it.
struct Runs<'a> {
    plain: [&'a Row; 2],
    /// Under the agent, unvaried.
    natural: &'a Row,
    /// By seed; `again` has the first seed once more.
    seeds: Vec<&'a Row>,
    again: &'a Row,
    reverse: &'a Row,
}

/// Runs all rows on one JDK and says what is wrong.
pub fn check(jdk: &Jdk, library: &Path, programs: &Programs) -> Outcome<Found> {
    let run = |variation: Option<Variation>| -> Outcome<Printed> {
        let agent = variation.map(|variation| variation.agent(library));
        let printed = Printed::parse(&programs.java(jdk, agent.as_deref(), "rows.Rows")?)?;
        if printed.rows.is_empty() {
            return Err(Failure::new(format!("{jdk}: rows.Rows printed no rows")));
        }
        Ok(printed)
    };
    let plain = [run(None)?, run(None)?];
    let natural = run(Some(Variation::Natural))?;
    let seeds = SEEDS
        .iter()
        .map(|seed| run(Some(Variation::random("full", *seed))))
        .collect::<Outcome<Vec<_>>>()?;
    let again = run(Some(Variation::random("full", SEEDS[0])))?;
    let reverse = run(Some(Variation::Varied {
        level: "full",
        form: Form::Reverse,
    }))?;
    let mut found = Found {
        rows: plain[0].rows.len(),
        problems: Vec::new(),
    };
    let all = [&plain[1], &natural, &again, &reverse];
    for printed in all.into_iter().chain(&seeds) {
        for line in printed.other.difference(&plain[0].other) {
            found.problems.push(format!("the JVM prints: {line}"));
        }
    }
    for name in plain[0].rows.keys() {
        let row = |printed: &'_ Printed| -> Outcome<Row> { printed.row(name).cloned() };
        let owned: Vec<Row> = seeds.iter().map(row).collect::<Outcome<_>>()?;
        let runs = Runs {
            plain: [plain[0].row(name)?, plain[1].row(name)?],
            natural: natural.row(name)?,
            seeds: owned.iter().collect(),
            again: again.row(name)?,
            reverse: reverse.row(name)?,
        };
        found.problems.extend(
            runs.problems()
                .into_iter()
                .map(|problem| format!("{name}: {problem}")),
        );
    }
    for level in LEVELS {
        if level != "full" {
            let varied = run(Some(Variation::random(level, SEEDS[0])))?;
            let problems = at_level(level, &natural, &varied);
            found.problems.extend(problems);
        }
    }
    Ok(found)
}

/// What must hold at the weaker levels: still allowed; and at ONE and ID all roads to one order agree.
fn at_level(level: &str, natural: &Printed, varied: &Printed) -> Vec<String> {
    let mut problems = Vec::new();
    // Roads agree if they agree naturally: Hashtable's own forEach goes the other way than its iterators.
    let mut roads: BTreeMap<(&str, &[String]), &str> = BTreeMap::new();
    for (name, row) in &varied.rows {
        let Some(before) = natural.rows.get(name) else {
            continue;
        };
        problems.extend(not_allowed(row, before).map(|what| format!("{name}: level {level}: {what}")));
        if level == "eq" || row.group.is_empty() || matches!(row.kind, Kind::Unstable) {
            continue;
        }
        // At ONE only the size counts, at ID the object too.
        let (group, object) = row.group.split_once('#').unwrap_or((&row.group, "1"));
        let key = if level == "id" { row.group.as_str() } else { group };
        if level == "id" && object.is_empty() {
            continue;
        }
        let first = *roads.entry((key, &before.values)).or_insert(name);
        let values = &varied.rows[first].values;
        if *values != row.values {
            let (ours, theirs) = (row.values.join(" "), values.join(" "));
            problems.push(format!(
                "{name}: level {level}: shows {ours}, and {first} shows {theirs}"
            ));
        }
    }
    problems
}

impl Runs<'_> {
    fn problems(&self) -> Vec<String> {
        let kind = self.natural.kind;
        let mut problems = Vec::new();
        let all = self
            .seeds
            .iter()
            .chain([&self.again, &self.reverse, &self.natural]);
        for row in all {
            problems.extend(not_allowed(row, self.plain[0]));
        }
        if kind == Kind::Fixed {
            return problems;
        }
        if self.seeds[0] != self.again && kind != Kind::Hash {
            let (one, two) = (self.seeds[0].values.join(" "), self.again.values.join(" "));
            problems.push(format!(
                "seed {} gives {} and then {}",
                SEEDS[0],
                short(&one),
                short(&two)
            ));
        }
        if self.seeds.iter().all(|row| row.values == self.natural.values) {
            // All the rest would say the same once more.
            problems.push(format!("seeds {SEEDS:?} all give the natural result"));
            return problems;
        }
        if self.seeds.iter().all(|row| row.values == self.seeds[0].values) {
            problems.push(format!("seeds {SEEDS:?} all give the same result"));
        }
        // What differs between two plain runs has no natural order to compare with, except where the agent pins it.
        let repeats = self.plain[0] == self.plain[1];
        if matches!(kind, Kind::Permute | Kind::Rest) && repeats && self.natural != self.plain[0] {
            problems.push(format!(
                "unvaried, the agent changes it to {}",
                short(&self.natural.values.join(" "))
            ));
        }
        if kind == Kind::Salted || (matches!(kind, Kind::Permute | Kind::Rest) && repeats) {
            let fixed = usize::from(kind == Kind::Rest);
            let (head, rest) = self.natural.values.split_at(fixed);
            let expected: Vec<&String> = head.iter().chain(rest.iter().rev()).collect();
            if self.reverse.values.iter().collect::<Vec<_>>() != expected {
                let (natural, reverse) = (self.natural.values.join(" "), self.reverse.values.join(" "));
                problems.push(format!(
                    "natural {}, reversed {}",
                    short(&natural),
                    short(&reverse)
                ));
            }
        }
        problems
    }
}

/// What a row shows that the specification does not allow.
fn not_allowed(row: &Row, plain: &Row) -> Option<String> {
    let sorted = |values: &[String]| {
        let mut values = values.to_vec();
        values.sort();
        values
    };
    if let Some(value) = row.values.iter().find(|value| value.starts_with('!')) {
        return Some(format!("{value} is not allowed"));
    }
    let shown = || short(&row.values.join(" "));
    match row.kind {
        Kind::Pick | Kind::Hash => None,
        Kind::Fixed => (row.values != plain.values).then(|| format!("must never vary, and is {}", shown())),
        Kind::Zones => {
            let names = |row: &Row| -> Vec<String> {
                sorted(
                    &row.values
                        .iter()
                        .map(|v| v.split('=').next().unwrap_or_default().to_owned())
                        .collect::<Vec<_>>(),
                )
            };
            let length = |value: &String| {
                value
                    .split('=')
                    .nth(1)
                    .and_then(|n| n.parse::<usize>().ok())
                    .unwrap_or(0)
            };
            if names(row) != names(plain) {
                return Some("the zones are not those of the plain run".to_owned());
            }
            row.values
                .iter()
                .find(|value| length(value) < 5)
                .map(|value| format!("{value} is shorter than five"))
        }
        Kind::Rest if row.values.first() != plain.values.first() => {
            Some(format!("the first must stay, and it is {}", shown()))
        }
        Kind::Permute | Kind::Salted | Kind::Unstable | Kind::Rest => {
            let same = sorted(&row.values) == sorted(&plain.values);
            (!same).then(|| format!("not the same elements: {}", shown()))
        }
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl Printed {
    fn parse(output: &str) -> Outcome<Printed> {
        let mut printed = Printed::default();
        for line in output.lines() {
            let parts: Vec<&str> = line.split('\t').collect();
            let [name, kind, group, values] = parts[..] else {
                printed.other.insert(line.to_owned());
                continue;
            };
            let kind = match kind {
                "permute" => Kind::Permute,
                "salted" => Kind::Salted,
                "unstable" => Kind::Unstable,
                "rest" => Kind::Rest,
                "pick" => Kind::Pick,
                "zones" => Kind::Zones,
                "hash" => Kind::Hash,
                "fixed" => Kind::Fixed,
                _ => {
                    return Err(Failure::new(format!(
                        "row `{name}` has the unknown kind `{kind}`"
                    )));
                }
            };
            let values = values.split('|').map(str::to_owned).collect();
            if printed
                .rows
                .insert(
                    name.to_owned(),
                    Row {
                        kind,
                        group: group.to_owned(),
                        values,
                    },
                )
                .is_some()
            {
                return Err(Failure::new(format!("row `{name}` is there twice")));
            }
        }
        Ok(printed)
    }

    fn row(&self, name: &str) -> Outcome<&Row> {
        self.rows
            .get(name)
            .ok_or_else(|| Failure::new(format!("row `{name}` is missing in one of the runs")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: &str, values: &str) -> Row {
        Printed::parse(&format!("r\t{kind}\t\t{values}\n"))
            .unwrap()
            .rows
            .remove("r")
            .unwrap()
    }

    /// Rows of the runs: plain, plain, natural, three seeds, the first again, reversed.
    fn problems(kind: &str, values: [&str; 8]) -> Vec<String> {
        let rows = values.map(|values| row(kind, values));
        let [one, two, natural, a, b, c, again, reverse] = &rows;
        Runs {
            plain: [one, two],
            natural,
            seeds: vec![a, b, c],
            again,
            reverse,
        }
        .problems()
    }

    #[test]
    fn a_permuted_row_is_right() {
        let none: Vec<String> = Vec::new();
        assert_eq!(
            problems(
                "permute",
                [
                    "a|b|c", "a|b|c", "a|b|c", "b|a|c", "c|a|b", "a|b|c", "b|a|c", "c|b|a"
                ]
            ),
            none
        );
        assert_eq!(
            problems(
                "rest",
                [
                    "a|b|c", "a|b|c", "a|b|c", "a|c|b", "a|b|c", "a|b|c", "a|c|b", "a|c|b"
                ]
            ),
            none
        );
        assert_eq!(problems("fixed", ["a"; 8]), none);
        // Another order in each JVM: nothing to compare the reversed one with, unless the agent pins it.
        assert_eq!(
            problems(
                "unstable",
                ["a|b", "b|a", "a|b", "b|a", "a|b", "a|b", "b|a", "a|b"]
            ),
            none
        );
        assert_eq!(
            problems("salted", ["a|b", "b|a", "b|a", "b|a", "a|b", "a|b", "b|a", "a|b"]),
            none
        );
    }

    #[test]
    fn each_kind_of_mistake_is_seen() {
        let wrong = |kind, values, what: &str| {
            let problems = problems(kind, values);
            assert!(
                problems.iter().any(|problem| problem.contains(what)),
                "{what}: {problems:?}"
            );
        };
        wrong(
            "permute",
            ["a|b", "a|b", "a|b", "a|b", "a|b", "a|b", "a|b", "b|a"],
            "natural result",
        );
        wrong(
            "permute",
            ["a|b", "a|b", "a|b", "b|a", "b|a", "b|a", "b|a", "b|a"],
            "same result",
        );
        wrong(
            "permute",
            ["a|b", "a|b", "a|b", "b|a", "a|b", "a|b", "a|b", "b|a"],
            "seed 7 gives b a and then a b",
        );
        wrong(
            "permute",
            ["a|b", "a|b", "a|b", "b|b", "a|b", "a|b", "b|b", "b|a"],
            "not the same elements",
        );
        // Edited twice, reversed is natural again.
        wrong(
            "permute",
            ["a|b", "a|b", "a|b", "b|a", "a|b", "a|b", "b|a", "a|b"],
            "natural a b, reversed a b",
        );
        wrong(
            "permute",
            ["a|b", "a|b", "b|a", "b|a", "a|b", "a|b", "b|a", "a|b"],
            "unvaried, the agent changes it",
        );
        wrong(
            "rest",
            ["a|b", "a|b", "a|b", "b|a", "a|b", "a|b", "b|a", "a|b"],
            "the first must stay",
        );
        wrong(
            "fixed",
            ["a|b", "a|b", "a|b", "b|a", "a|b", "a|b", "a|b", "a|b"],
            "must never vary",
        );
        wrong(
            "zones",
            ["a=7", "a=7", "a=7", "a=4", "a=9", "a=7", "a=4", "a=7"],
            "shorter than five",
        );
        wrong(
            "pick",
            ["1", "1", "1", "!0", "2", "3", "!0", "1"],
            "!0 is not allowed",
        );
    }

    #[test]
    fn roads_to_one_order_agree() {
        let natural =
            Printed::parse("M.keys\tpermute\tM\ta|b\nM.forEach\tpermute\tM\ta|b\nM.back\tpermute\tM\tb|a\n")
                .unwrap();
        let good =
            Printed::parse("M.keys\tpermute\tM\tb|a\nM.forEach\tpermute\tM\tb|a\nM.back\tpermute\tM\ta|b\n")
                .unwrap();
        let bad =
            Printed::parse("M.keys\tpermute\tM\tb|a\nM.forEach\tpermute\tM\ta|b\nM.back\tpermute\tM\ta|b\n")
                .unwrap();
        assert_eq!(at_level("one", &natural, &good), Vec::<String>::new());
        assert_eq!(at_level("one", &natural, &bad).len(), 1);
        assert_eq!(at_level("eq", &natural, &bad), Vec::<String>::new());
    }
}
