//! `unflake explain`: what a rule means, and how to repair what it finds by hand.

use super::{models, print};
use crate::args::ExplainArgs;
use crate::exit::ExitCode;
use crate::nearest::{did_you_mean, nearest};
use crate::problem::{Problem, problem};
use std::fmt::Write as _;
use unflake_models::{FAMILIES, Family, MODELS, family};

pub(crate) fn run(args: ExplainArgs) -> Result<ExitCode, Problem> {
    let code = args.code.trim();
    if let Some(family) = family(code) {
        return print(&about(family));
    }
    if !looks_like_a_rule(code) {
        return print(&models::about(code)?);
    }
    let rules = FAMILIES.iter().map(|family| family.rule);
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
    let mut text = format!("{}: implementation-dependent, {}\n\n", family.rule, family.name);
    text.push_str(
        "The test passes with the results that this JDK happens to give, and fails with other results that the \
         documentation allows as well. Another JDK, another version or another insertion order may give those.\n\n",
    );
    let _ = writeln!(text, "What to do: {}", family.advice);
    let models: Vec<&str> = MODELS
        .iter()
        .filter(|model| model.rule == family.rule)
        .map(|model| model.name)
        .collect();
    if !models.is_empty() {
        let _ = writeln!(text, "\nAPIs: {}", models.join(", "));
    }
    let _ = writeln!(
        text,
        "\nIf the order is meant: `// unflake: ignore[{}] reason` before the test, or \
         `@SuppressWarnings(\"unflake:{}\")`.",
        family.rule, family.rule
    );
    text
}
