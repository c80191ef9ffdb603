//! `unflake explain`: what a rule means, and how to repair what it finds by hand.

use super::{models, print};
use crate::args::ExplainArgs;
use crate::exit::ExitCode;
use crate::nearest::{did_you_mean, nearest};
use crate::problem::{Problem, problem};
use unflake_findings::rules::{BRITTLE, IMPLEMENTATION_DEPENDENT, VICTIM};
use unflake_models::{FAMILIES, Family, MODELS, family};

pub(crate) fn run(args: ExplainArgs) -> Result<ExitCode, Problem> {
    let code = args.code.trim();
    if let Some(family) = family(code) {
        return print(&about(family));
    }
    if let Some(rule) = ORDER_RULES
        .iter()
        .find(|rule| rule.rule.eq_ignore_ascii_case(code))
    {
        return print(&rule.about());
    }
    if !looks_like_a_rule(code) {
        return print(&models::about(code)?);
    }
    let rules = FAMILIES.iter().map(|family| family.rule);
    let rules = rules.chain(ORDER_RULES.iter().map(|rule| rule.rule));
    let hint = did_you_mean(&nearest(code, rules.clone()))
        .unwrap_or_else(|| format!("known are {}", rules.collect::<Vec<_>>().join(", ")));
    Err(problem!(Usage, "unknown rule `{code}`").hint(hint))
}

fn looks_like_a_rule(code: &str) -> bool {
    let folded = code.to_ascii_uppercase();
    folded
        .strip_prefix("UF")
        .is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

fn about(family: &Family) -> String {
    let mut parts = vec![
        format!("{}: implementation-dependent, {}\n", family.rule, family.name),
        wrap(
            "The test passes with the results that this JDK happens to give, and fails with other results that the \
             documentation allows as well. Another JDK, another version or another insertion order may give those.",
        ),
        wrap(&format!("What to do: {}", family.advice)),
        java("Before", family.before),
        java("After", family.after),
    ];
    let models = MODELS
        .iter()
        .filter(|model| model.rule == family.rule)
        .map(|model| model.name);
    let models: Vec<&str> = models.collect();
    if !models.is_empty() {
        parts.push(wrap(&format!(
            "APIs: {}. `unflake models NAME` explains each.",
            models.join(", ")
        )));
    }
    parts.push(wrap(&format!(
        "If the order is meant: `// unflake: ignore[{IMPLEMENTATION_DEPENDENT}] reason` before the test, or \
         `@SuppressWarnings(\"unflake:{IMPLEMENTATION_DEPENDENT}\")`. Until the cause of a finding is known, its rule is \
         {IMPLEMENTATION_DEPENDENT}; in such a comment it stands for all families."
    )));
    parts.join("\n")
}

/// A rule about the order of tests.
struct OrderRule {
    rule: &'static str,
    name: &'static str,
    meaning: &'static str,
    advice: &'static str,
    before: &'static str,
    after: &'static str,
}

const ORDER_RULES: &[OrderRule] = &[
    OrderRule {
        rule: VICTIM,
        name: "victim, a test that fails after another one",
        meaning: "The test passes alone and fails when a certain other test, its polluter, ran before it in the same JVM. Whether \
                  it fails depends on the order, which build tools and frameworks may change: a new test, another machine, \
                  parallel runs, a rerun of failed tests. It was seen to fail after the polluter three times of three, and to pass \
                  without it three times of three. A test that fails when it runs twice is its own victim.",
        advice: "let the polluter put back what it changes, in `@After` or `@AfterEach`, since it will have other victims some day; \
                 else let the victim set what it relies on, in `@Before` or `@BeforeEach`. `unflake replay` runs the failing order, \
                 `unflake victims TEST` names more polluters and tests that clean up.",
        before: r#"@Test public void usesProxy() {
    Http.setFactory(proxy);
    assertTrue(Http.get(url).isProxied());
}"#,
        after: r#"@After public void restoreFactory() {
    Http.setFactory(Http.DEFAULT);
}"#,
    },
    OrderRule {
        rule: BRITTLE,
        name: "brittle, a test that needs another one before it",
        meaning: "The test fails alone and passes when a certain other test, its setter, ran before it in the same JVM. It was seen to \
                  fail alone three times of three, and to pass after the setter three times of three.",
        advice: "let the test do itself what the setter does for it, in `@Before` or `@BeforeEach`. `unflake replay` runs it alone, \
                 `unflake victims TEST` names all tests after which it passes.",
        before: r#"@Test public void findsUser() {           // passes after a test that calls Users.load()
    assertNotNull(Users.find("ann"));
}"#,
        after: r#"@Before public void load() {
    Users.load();
}"#,
    },
];

impl OrderRule {
    fn about(&self) -> String {
        [
            format!("{}: {}\n", self.rule, self.name),
            wrap(self.meaning),
            wrap(&format!("What to do: {}", self.advice)),
            java("Before", self.before),
            java("After", self.after),
            wrap(&format!(
                "If it is meant: `// unflake: ignore[{0}] reason` before the test, or `@SuppressWarnings(\"unflake:{0}\")`.",
                self.rule
            )),
        ]
        .join("\n")
    }
}

/// An example under its heading.
fn java(heading: &str, code: &str) -> String {
    let lines: String = code.lines().map(|line| format!("    {line}\n")).collect();
    format!("{heading}:\n\n{lines}")
}

/// Lines of a length that is pleasant to read.
fn wrap(words: &str) -> String {
    const WIDTH: usize = 96;
    let mut text = String::new();
    let mut column = 0;
    for word in words.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            text.push('\n');
            column = 0;
        }
        if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
    text
}
