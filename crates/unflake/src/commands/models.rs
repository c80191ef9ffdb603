//! `unflake models`: what is varied, and the sentence that allows it.

use super::print;
use crate::args::ModelsArgs;
use crate::exit::ExitCode;
use unflake_check::{Problem, unknown_api};
use unflake_models::{MODELS, UnknownName, explain, find, glob_matches, list};

pub(crate) fn run(args: ModelsArgs) -> Result<ExitCode, Problem> {
    match args.name {
        None => print(&list()),
        Some(name) => print(&about(&name)?),
    }
}

/// What is known about the APIs of this name or pattern.
pub(super) fn about(name: &str) -> Result<String, Problem> {
    if let Some((_, model)) = find(name) {
        return Ok(explain(model));
    }
    let matching = MODELS.iter().filter(|model| glob_matches(name, model.name));
    let texts: Vec<String> = matching.map(explain).collect();
    if texts.is_empty() {
        Err(unknown_api(&UnknownName::of(name)))
    } else {
        Ok(texts.join("\n"))
    }
}
