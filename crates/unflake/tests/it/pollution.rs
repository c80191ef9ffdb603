//! What tests leave behind, on the fixture whose `expected.toml` has a row for each of its tests.
//!
//! A run is compared with all rows at once: what is missing, what is wrong and what should not be there stand in one
//! message.

use crate::fixture::Fixture;
use serde::Deserialize;
use serde_json::Value;

const DEFAULT: &str = "--only pollution --no-proof";
const ALL_ROOTS: &str = "--only pollution --no-proof --all-roots";
const EAGER: &str = "--only pollution --no-proof --eager";

/// One line of the table `test`. The head of `expected.toml` says what its keys mean.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    test: String,
    invocation: Option<String>,
    expect: Expect,
    #[serde(default = "heap")]
    state: String,
    #[serde(default)]
    by_class: bool,
    path: Option<String>,
    under: Option<String>,
    names: Option<String>,
    old: Option<String>,
    new: Option<String>,
    file: Option<String>,
    change: Option<String>,
    needs: Option<String>,
    max_java: Option<u32>,
    #[serde(rename = "paper")]
    _paper: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Expect {
    Polluter,
    Benign,
    FilePolluter,
    Silent,
    Quiet,
}

fn heap() -> String {
    "heap".to_owned()
}

impl Row {
    /// Whether something must be found with this switch on this Java.
    fn wants_finding(&self, switch: Option<&str>, java: u32) -> bool {
        let found = !matches!(self.expect, Expect::Silent | Expect::Quiet);
        let seen = self.needs.is_none() || self.needs.as_deref() == switch;
        found && seen && self.max_java.is_none_or(|last| java <= last)
    }

    /// Whether it is about this test, or this class.
    fn is_of(&self, finding: &Value) -> bool {
        let test = text(finding, "test");
        if !self.test.contains('#') {
            let class = test.split('#').next().unwrap_or_default();
            return finding["by_class"] == true && class == self.test;
        }
        let invocation = finding["invocation"].as_str();
        finding["by_class"] != true
            && test == self.test
            && (self.invocation.is_none() || self.invocation.as_deref() == invocation)
    }

    /// Whether it is about this state, whatever else is said of it.
    fn is_about(&self, finding: &Value) -> bool {
        if self.expect == Expect::FilePolluter {
            let file = self.file.as_deref().unwrap();
            let more = finding["more"].as_array().into_iter().flatten();
            let mut files = more.chain([&finding["file"]]).filter_map(Value::as_str);
            return finding["kind"] == "file-polluter" && files.any(|one| one.ends_with(file));
        }
        let (path, holder) = (text(finding, "path"), text(finding, "held_by"));
        finding["kind"] == "polluter"
            && finding["state"] == *self.state
            && self.path.as_ref().is_none_or(|whole| path == whole)
            && self.under.as_ref().is_none_or(|start| is_under(path, start))
            && (self.names.as_ref()).is_none_or(|name| path.contains(name) || holder.contains(name))
    }

    /// What is said of the right state and is wrong.
    fn wrong(&self, finding: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut compare = |what: &str, expected: &str, found: &str| {
            if expected != found {
                wrong.push(format!("{}: {what} is {found}, not {expected}", self.test));
            }
        };
        if let Some(change) = &self.change {
            compare("change", change, text(finding, "change"));
        }
        if self.expect != Expect::FilePolluter {
            let benign = |yes: bool| if yes { "benign" } else { "not benign" };
            let expected = benign(self.expect == Expect::Benign);
            compare("it", expected, benign(is_benign(finding)));
            let is_explained = finding["benign"]["mark"].is_string() && finding["benign"]["why"] != "";
            compare("its mark", expected, benign(is_explained));
            compare(
                "by_class",
                &self.by_class.to_string(),
                &finding["by_class"].to_string(),
            );
        }
        for (key, expected) in [("old", &self.old), ("new", &self.new)] {
            if let Some(expected) = expected {
                compare(key, expected, without_quotes(&finding[key]));
            }
        }
        wrong
    }
}

/// `Root.field` is not under `Root.fie`.
fn is_under(path: &str, start: &str) -> bool {
    path.strip_prefix(start)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn text<'a>(finding: &'a Value, key: &str) -> &'a str {
    finding[key].as_str().unwrap_or_default()
}

fn is_benign(finding: &Value) -> bool {
    finding["benign"]["is"] == true
}

/// Of strings and characters; nothing is `null`.
fn without_quotes(value: &Value) -> &str {
    let text = value.as_str().unwrap_or("null");
    ['"', '\'']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(text)
}

fn shown(finding: &Value) -> String {
    let keys = [
        "test",
        "invocation",
        "kind",
        "state",
        "path",
        "file",
        "change",
        "old",
        "new",
    ];
    let mut words: Vec<&str> = keys.iter().filter_map(|key| finding[*key].as_str()).collect();
    if is_benign(finding) {
        words.push("(benign)");
    }
    if finding["by_class"] == true {
        words.push("(by its class)");
    }
    words.join(" ")
}

/// What the build's JVM was: 8, 17, …
fn java(document: &Value) -> u32 {
    let version = document["summary"]["java"][0].as_str().unwrap_or_default();
    let version = version.strip_prefix("1.").unwrap_or(version);
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    digits
        .parse()
        .unwrap_or_else(|_| panic!("no version: `{version}`"))
}

struct Compared {
    /// Not found, or found and described wrongly.
    wrong: Vec<String>,
    /// Found, and no row wants it.
    unexpected: Vec<String>,
}

fn compare(fixture: &Fixture, document: &Value, switch: Option<&str>) -> Compared {
    let rows: Vec<Row> = fixture.expected["test"].clone().try_into().unwrap();
    let java = java(document);
    let all = document["findings"].as_array().unwrap();
    let is_pollution = |finding: &&Value| text(finding, "kind").ends_with("polluter");
    let mut left: Vec<&Value> = all.iter().filter(is_pollution).collect();
    let mut wrong = Vec::new();
    for row in &rows {
        let at = (left.iter()).position(|finding| row.is_of(finding) && row.is_about(finding));
        if let Some(at) = at.filter(|_| !matches!(row.expect, Expect::Silent | Expect::Quiet)) {
            wrong.extend(row.wrong(left.remove(at)));
        } else if row.wants_finding(switch, java) {
            let instead: Vec<String> = left
                .iter()
                .filter(|one| row.is_of(one))
                .map(|one| shown(one))
                .collect();
            wrong.push(format!("missing: {row:?}; instead: {instead:?}"));
        }
    }
    let is_quiet = |finding: &Value| {
        let quiet = |row: &Row| row.expect == Expect::Quiet && row.is_of(finding);
        is_benign(finding) && rows.iter().any(quiet)
    };
    let unexpected = left.iter().filter(|finding| !is_quiet(finding));
    Compared {
        wrong,
        unexpected: unexpected
            .map(|one| format!("unexpected: {}", shown(one)))
            .collect(),
    }
}

#[test]
fn every_polluter_is_found_and_its_twin_is_silent() {
    compare_all("");
}

/// With these options as well.
#[track_caller]
pub(crate) fn compare_all(options: &str) {
    let fixture = Fixture::new("pollution");
    let document = fixture.check(&format!("{DEFAULT} {options}"));
    let Compared {
        mut wrong,
        unexpected,
    } = compare(&fixture, &document, None);
    wrong.extend(unexpected);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What else the JDK and the libraries change then is not compared.
#[test]
fn statics_of_libraries_are_found_on_request() {
    let fixture = Fixture::new("pollution");
    let document = fixture.check(ALL_ROOTS);
    let wrong = compare(&fixture, &document, Some("all-roots")).wrong;
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What tests do to classes that they are the first to load.
#[test]
fn lazily_loaded_classes_are_found_on_request() {
    let fixture = Fixture::new("pollution");
    let document = fixture.check(EAGER);
    let wrong = compare(&fixture, &document, Some("eager")).wrong;
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_table_can_be_read_and_names_no_test_twice() {
    let fixture = Fixture::new("pollution");
    let rows: Vec<Row> = fixture.expected["test"].clone().try_into().unwrap();
    let key = |row: &Row| (row.test.clone(), row.invocation.clone(), row.state.clone());
    let mut keys: Vec<_> = rows.iter().map(key).collect();
    keys.sort();
    let twice = keys.windows(2).find(|pair| pair[0] == pair[1]);
    assert_eq!(twice, None);
}
