//! Expected problems: what the user is told when the program cannot do what was asked.
//!
//! Each has an `error:` line, `caused by:` lines and a `hint:` line. The sentences stand where they arise, inside of
//! [`problem!`], from where a test collects them and looks each up in `docs/messages.md`.

use crate::exit::ExitCode;
use crate::nearest::did_you_mean;
use anstyle::{AnsiColor, Style};
use std::fmt::{self, Write as _};
use unflake_findings::{Finding, StoreError};
use unflake_models::UnknownName;

/// Why the program ends without having done what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) exit: ExitCode,
    /// One sentence: lower case, no full stop, the thing named in backticks.
    pub(crate) error: String,
    pub(crate) causes: Vec<String>,
    /// Something to do.
    pub(crate) hint: Option<String>,
}

/// `problem!(CannotWork, "there is no directory `{}`", path)`: a [`Problem`] with this exit code and sentence.
macro_rules! problem {
    ($exit:ident, $($sentence:tt)+) => {
        $crate::problem::Problem::new($crate::exit::ExitCode::$exit, format!($($sentence)+))
    };
}
pub(crate) use problem;

impl Problem {
    pub(crate) fn new(exit: ExitCode, error: String) -> Problem {
        Problem {
            exit,
            error,
            causes: Vec::new(),
            hint: None,
        }
    }

    pub(crate) fn cause(mut self, cause: impl fmt::Display) -> Problem {
        self.causes.push(cause.to_string());
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// The lines that the user sees, with colours; whoever prints takes them out where they are not wanted.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        let mut line = |colour: AnsiColor, label: &str, sentence: &str| {
            let style = Style::new().bold().fg_color(Some(colour.into()));
            // Further lines of a cause, such as a build's output, stand under its first.
            let sentence = sentence.trim_end().replace('\n', "\n  ");
            writeln!(text, "{style}{label}:{style:#} {sentence}").expect("a string takes everything");
        };
        line(AnsiColor::Red, "error", &self.error);
        for cause in &self.causes {
            line(AnsiColor::Yellow, "caused by", cause);
        }
        if let Some(hint) = &self.hint {
            line(AnsiColor::Cyan, "hint", hint);
        }
        text
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        let exit = match error {
            StoreError::NoFinding { .. } | StoreError::Ambiguous { .. } => ExitCode::Usage,
            _ => ExitCode::CannotWork,
        };
        let problem = Problem::new(exit, error.to_string());
        match error {
            StoreError::NoPlace => problem.hint("name a directory with `--store DIR` or `UNFLAKE_STORE`"),
            StoreError::Io { error, .. } => {
                problem.cause(error).hint("name another place for the store with `--store DIR` or `UNFLAKE_STORE`")
            }
            StoreError::Damaged { path, reason } => {
                problem.cause(reason).hint(format!("remove `{}` and run `unflake check` again", path.display()))
            }
            StoreError::OtherFormat { .. } => problem.hint("run `unflake check` again with this version"),
            StoreError::NoRun => problem.hint("run `unflake check` first"),
            StoreError::NoFinding { known, .. } if known.is_empty() => {
                problem.hint("the stored runs of this project found nothing; is it the right project? `-C DIR` names another")
            }
            StoreError::NoFinding { known, .. } => problem.hint(format!("the latest run that found something has {}", list(&known))),
            StoreError::Ambiguous { matching, .. } => problem.hint(format!("write more of one of {}", list(&matching))),
        }
    }
}

/// A name or pattern of `--api`, `--skip-api` or `models` that matches no model.
pub(crate) fn unknown_api(unknown: &UnknownName) -> Problem {
    problem!(Usage, "unknown API `{}`", unknown.name)
        .hint(did_you_mean(&unknown.nearest).unwrap_or("`unflake models` lists the APIs".to_owned()))
}

/// For commands that are about choices.
pub(crate) fn not_implementation_dependent(finding: &Finding) -> Problem {
    problem!(
        Usage,
        "`{}` is a finding of the kind `{}`, in which no choice is to blame",
        finding.id.as_str(),
        finding.kind().name()
    )
    .hint("this command works on findings of the kind `implementation-dependent`")
}

/// Names as they stand in a hint: `` `a`, `b`, `c` ``.
pub(crate) fn list(names: &[impl fmt::Display]) -> String {
    const MANY: usize = 10;
    let mut text: Vec<String> = names.iter().take(MANY).map(|name| format!("`{name}`")).collect();
    if names.len() > MANY {
        text.push(format!("{} more", names.len() - MANY));
    }
    text.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_well_without_colour() {
        let problem = problem!(CannotWork, "the build fails")
            .cause("two\nlines\n")
            .hint("run `mvn test`");
        assert_eq!(
            anstream::adapter::strip_str(&problem.render()).to_string(),
            "error: the build fails\ncaused by: two\n  lines\nhint: run `mvn test`\n"
        );
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(list(&["a", "b"]), "`a`, `b`");
        assert!(list(&(0..12).collect::<Vec<_>>()).ends_with("`9`, 2 more"));
    }
}
