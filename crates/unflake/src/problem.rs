//! A [`Problem`] as the user sees it: an `error:` line, `caused by:` lines and a `hint:` line, and the exit code.

use crate::exit::ExitCode;
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;
use unflake_check::{Problem, ProblemKind};

impl From<ProblemKind> for ExitCode {
    fn from(kind: ProblemKind) -> ExitCode {
        match kind {
            ProblemKind::Usage => ExitCode::Usage,
            ProblemKind::CannotWork => ExitCode::CannotWork,
            ProblemKind::NoTest => ExitCode::NoTest,
            ProblemKind::Bug => ExitCode::Bug,
        }
    }
}

/// The lines that the user sees, with colours; the caller removes them where they are not wanted.
pub(crate) fn render(problem: &Problem) -> String {
    let mut text = String::new();
    let mut line = |colour: AnsiColor, label: &str, sentence: &str| {
        let style = Style::new().bold().fg_color(Some(colour.into()));
        // Further lines of a cause, such as a build's output, stand under its first.
        let sentence = sentence.trim_end().replace('\n', "\n  ");
        writeln!(text, "{style}{label}:{style:#} {sentence}").expect("a string takes everything");
    };
    line(AnsiColor::Red, "error", &problem.error);
    for cause in &problem.causes {
        line(AnsiColor::Yellow, "caused by", cause);
    }
    if let Some(hint) = &problem.hint {
        line(AnsiColor::Cyan, "hint", hint);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_check::problem;

    #[test]
    fn a_problem_reads_well_without_colour() {
        let problem = problem!(CannotWork, "the build fails")
            .cause("two\nlines\n")
            .hint("run `mvn test`");
        assert_eq!(
            anstream::adapter::strip_str(&render(&problem)).to_string(),
            "error: the build fails\ncaused by: two\n  lines\nhint: run `mvn test`\n"
        );
    }
}
