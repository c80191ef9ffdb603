//! `unflake explain`: what a rule means, and how to repair what it finds by hand.

use super::{models, print};
use crate::args::ExplainArgs;
use crate::exit::ExitCode;
use unflake_check::{Problem, problem};
use unflake_check::{did_you_mean, nearest};
use unflake_findings::rules::{IMPLEMENTATION_DEPENDENT, STATE_RULES, StateRule, state_rule};
use unflake_models::{FAMILIES, Family, MODELS, family};

pub(crate) fn run(args: ExplainArgs) -> Result<ExitCode, Problem> {
    let code = args.code.trim();
    if let Some(family) = family(code) {
        return print(&about(family));
    }
    if let Some(rule) = state_rule(code) {
        return print(&about_state(rule));
    }
    if !looks_like_a_rule(code) {
        return print(&models::about(code)?);
    }
    let rules = FAMILIES.iter().map(|family| family.rule);
    let rules = rules.chain(STATE_RULES.iter().map(|one| one.rule));
    let hint = did_you_mean(&nearest(code, rules.clone()))
        .unwrap_or_else(|| format!("use one of {}", rules.collect::<Vec<_>>().join(", ")));
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
             documentation also allows. Another JDK, another version or another insertion order may give those.",
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
        "To suppress it: `// unflake: ignore[{IMPLEMENTATION_DEPENDENT}] reason` before the test, or \
         `@SuppressWarnings(\"unflake:{IMPLEMENTATION_DEPENDENT}\")`. Until the cause of a finding is known, its rule is \
         {IMPLEMENTATION_DEPENDENT}; in such a comment it covers all families."
    )));
    parts.join("\n")
}

fn about_state(one: &StateRule) -> String {
    let family = format!("{}00", &one.rule[..3]);
    let mut parts = vec![
        format!("{}: {}\n", one.rule, one.name),
        wrap(one.meaning),
        wrap(&format!("Why it is dangerous: {}", one.danger)),
        wrap(&format!("What to do: {}", one.repair)),
    ];
    parts.extend(
        one.examples
            .iter()
            .map(|example| java(example.heading, example.java)),
    );
    if one.rule == family {
        let members = STATE_RULES
            .iter()
            .filter(|other| other.rule != family && other.rule.starts_with(&family[..3]));
        let members = members.map(|other| format!("    {}  {}\n", other.rule, other.name));
        parts.push(format!("Rules:\n\n{}", members.collect::<String>()));
    }
    parts.push(wrap(&format!(
        "To suppress it: `// unflake: ignore[{rule}] reason` before the test or its class, or \
         `@SuppressWarnings(\"unflake:{rule}\")`; {family} covers all rules of this family.",
        rule = one.rule,
    )));
    parts.join("\n")
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
