//! Reads the command line, and says in our own form what is wrong with it.

use crate::args::Arguments;
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error as _;
use std::ffi::OsString;
use unflake_check::did_you_mean;
use unflake_check::{Problem, problem};

/// The command line as it was read; `None`: help or version was asked for, and is on the screen.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Arguments>, Problem> {
    match Arguments::try_parse_from(arguments) {
        Ok(arguments) => Ok(Some(arguments)),
        Err(error) if !error.use_stderr() => {
            // A closed pipe, as in `unflake --help | head`, is no error.
            let _ = error.print();
            Ok(None)
        }
        Err(error) => Err(explain(&error)),
    }
}

fn explain(error: &clap::Error) -> Problem {
    let context = Context(error);
    let argument = context.first(ContextKind::InvalidArg);
    let option = name_of(&argument).to_owned();
    let value = context.first(ContextKind::InvalidValue);
    let help = "`--help` after the command lists its options";
    match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            problem!(Usage, "no command")
                .hint("`unflake check` is a good start; `unflake --help` lists all commands")
        }
        ErrorKind::InvalidSubcommand => {
            let name = context.first(ContextKind::InvalidSubcommand);
            problem!(Usage, "unknown command `{name}`").hint(
                context
                    .suggestion(ContextKind::SuggestedSubcommand)
                    .unwrap_or("`unflake --help` lists the commands".to_owned()),
            )
        }
        ErrorKind::UnknownArgument if option.starts_with('-') => problem!(Usage, "unknown option `{option}`")
            .hint(
                context
                    .suggestion(ContextKind::SuggestedArg)
                    .unwrap_or(help.to_owned()),
            ),
        ErrorKind::UnknownArgument => problem!(Usage, "unexpected argument `{argument}`").hint(help),
        ErrorKind::InvalidValue if value.is_empty() => {
            problem!(Usage, "`{option}` needs a value").hint(context.known().unwrap_or(help.to_owned()))
        }
        ErrorKind::InvalidValue => {
            let near = context.suggestion(ContextKind::SuggestedValue);
            let hint = match (near, context.known()) {
                (Some(near), Some(known)) => format!("{near} {known}"),
                (near, known) => near.or(known).unwrap_or(help.to_owned()),
            };
            problem!(Usage, "unknown value `{value}` for `{option}`").hint(hint)
        }
        ErrorKind::ValueValidation => {
            let problem = problem!(Usage, "wrong value `{value}` for `{option}`");
            match error.source() {
                Some(source) => problem.cause(source),
                None => problem,
            }
        }
        ErrorKind::ArgumentConflict => {
            let other = context.first(ContextKind::PriorArg);
            let other = name_of(&other);
            if other.is_empty() || other == option {
                problem!(Usage, "`{option}` is given twice").hint("leave one out")
            } else {
                problem!(Usage, "`{option}` and `{other}` cannot be used together").hint("leave one out")
            }
        }
        ErrorKind::MissingRequiredArgument => problem!(Usage, "`{option}` is missing").hint(help),
        _ => {
            let text = error.to_string();
            let sentence = text.lines().next().unwrap_or("").trim_start_matches("error: ");
            problem!(Usage, "the command line is wrong")
                .cause(sentence)
                .hint(help)
        }
    }
}

/// `--level` of clap's `--level <LEVEL>`.
fn name_of(argument: &str) -> &str {
    argument
        .split([' ', '='])
        .next()
        .unwrap_or("")
        .trim_end_matches("...")
}

/// What clap knows about a mistake.
struct Context<'a>(&'a clap::Error);

impl Context<'_> {
    fn all(&self, kind: ContextKind) -> Vec<String> {
        match self.0.get(kind) {
            Some(ContextValue::String(one)) => vec![one.clone()],
            Some(ContextValue::Strings(several)) => several.clone(),
            _ => Vec::new(),
        }
    }

    fn first(&self, kind: ContextKind) -> String {
        self.all(kind).into_iter().next().unwrap_or_default()
    }

    fn suggestion(&self, kind: ContextKind) -> Option<String> {
        let names = self.all(kind);
        did_you_mean(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn known(&self) -> Option<String> {
        let names = self.all(ContextKind::ValidValue);
        (!names.is_empty()).then(|| format!("use one of {}", names.join(", ")))
    }
}
