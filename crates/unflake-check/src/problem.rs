//! Expected problems: what the program tells the user when it cannot do what was asked.
//!
//! Each has an `error:` line, `caused by:` lines and a `hint:` line. The sentences stand where they arise, inside of
//! [`problem!`], from where a test collects them and looks each up in `docs/messages.md`.

use crate::nearest::did_you_mean;
use std::fmt;
use unflake_findings::{Finding, StoreError};
use unflake_models::UnknownName;

/// What sort of problem it is; the program's exit code follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Wrong usage or configuration.
    Usage,
    /// It cannot work here: no project, the build fails, no JDK, agent refused, disk full, not writable.
    CannotWork,
    /// None in the project, none matched, unknown name.
    NoTest,
    /// A bug in unflake.
    Bug,
}

/// Why the program ends without having done what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    /// One sentence: lower case, no full stop, the thing named in backticks.
    pub error: String,
    pub causes: Vec<String>,
    /// Something to do.
    pub hint: Option<String>,
}

/// `problem!(CannotWork, "there is no directory `{}`", path)`: a [`Problem`] of this kind, with this sentence.
#[macro_export]
macro_rules! problem {
    ($exit:ident, $($sentence:tt)+) => {
        $crate::Problem::new($crate::ProblemKind::$exit, format!($($sentence)+))
    };
}

impl Problem {
    pub fn new(kind: ProblemKind, error: String) -> Problem {
        Problem {
            kind,
            error,
            causes: Vec::new(),
            hint: None,
        }
    }

    pub fn cause(mut self, cause: impl fmt::Display) -> Problem {
        self.causes.push(cause.to_string());
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        let kind = match error {
            StoreError::NoFinding { .. } | StoreError::Ambiguous { .. } => ProblemKind::Usage,
            _ => ProblemKind::CannotWork,
        };
        let problem = Problem::new(kind, error.to_string());
        match error {
            StoreError::NoPlace => problem.hint("name a directory with `--store DIR` or `UNFLAKE_STORE`"),
            StoreError::Io { error, .. } => problem
                .cause(error)
                .hint("name another place for the store with `--store DIR` or `UNFLAKE_STORE`"),
            StoreError::Damaged { path, reason } => problem.cause(reason).hint(format!(
                "remove `{}` and run `unflake check` again",
                path.display()
            )),
            StoreError::OtherFormat { .. } => problem.hint("run `unflake check` again with this version"),
            StoreError::NoRun => problem.hint("run `unflake check` first"),
            StoreError::NoFinding { known, .. } if known.is_empty() => {
                problem.hint("the stored runs of this project found nothing; `-C DIR` names another project")
            }
            StoreError::NoFinding { known, .. } => problem.hint(format!(
                "the latest run that found something has {}",
                list(&known)
            )),
            StoreError::Ambiguous { matching, .. } => {
                problem.hint(format!("write one of {} in full", list(&matching)))
            }
        }
    }
}

/// A name or pattern of `--api`, `--skip-api` or `models` that matches no model.
pub fn unknown_api(unknown: &UnknownName) -> Problem {
    problem!(Usage, "unknown API `{}`", unknown.name)
        .hint(did_you_mean(&unknown.nearest).unwrap_or("`unflake models` lists the APIs".to_owned()))
}

/// For commands that are about choices.
pub fn not_implementation_dependent(finding: &Finding) -> Problem {
    problem!(
        Usage,
        "`{}` is a `{}` finding; this command needs an `implementation-dependent` one",
        finding.id.as_str(),
        finding.kind().name()
    )
    .hint(format!(
        "name an implementation-dependent finding, or repeat this one with `unflake replay {}`",
        finding.id.as_str()
    ))
}

/// Names as they stand in a hint: `` `a`, `b`, `c` ``.
pub fn list(names: &[impl fmt::Display]) -> String {
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
    fn long_lists_are_cut() {
        assert_eq!(list(&["a", "b"]), "`a`, `b`");
        assert!(list(&(0..12).collect::<Vec<_>>()).ends_with("`9`, 2 more"));
    }

    #[test]
    fn each_problem_of_the_store_has_its_kind_and_its_hint() {
        let none = || StoreError::NoFinding {
            wanted: "x".to_owned(),
            known: Vec::new(),
        };
        for (error, kind, hint) in [
            (
                StoreError::NoPlace,
                ProblemKind::CannotWork,
                "name a directory with `--store DIR` or `UNFLAKE_STORE`",
            ),
            (
                StoreError::NoRun,
                ProblemKind::CannotWork,
                "run `unflake check` first",
            ),
            (
                none(),
                ProblemKind::Usage,
                "the stored runs of this project found nothing; `-C DIR` names another project",
            ),
        ] {
            let problem = Problem::from(error);
            assert_eq!((problem.kind, problem.hint.as_deref()), (kind, Some(hint)));
        }
    }

    #[test]
    fn a_name_that_matches_no_api_is_near_to_one_or_to_none() {
        let hint = |nearest: Vec<&'static str>| {
            let name = "HashMop".to_owned();
            let problem = unknown_api(&UnknownName { name, nearest });
            assert_eq!(problem.error, "unknown API `HashMop`");
            problem.hint.unwrap()
        };
        assert_eq!(hint(vec!["HashMap"]), "did you mean `HashMap`?");
        assert_eq!(hint(Vec::new()), "`unflake models` lists the APIs");
    }

    #[test]
    fn each_problem_with_files_of_the_store_has_a_cure() {
        let path = || std::path::PathBuf::from("/store/run.json");
        let io = StoreError::Io {
            what: "read",
            path: path(),
            error: std::io::Error::other("no"),
        };
        let reason = "no JSON".to_owned();
        let damaged = StoreError::Damaged { path: path(), reason };
        let other = StoreError::OtherFormat {
            path: path(),
            found: 9,
        };
        for (error, cause, hint) in [
            (
                io,
                &["no"][..],
                "name another place for the store with `--store DIR` or `UNFLAKE_STORE`",
            ),
            (
                damaged,
                &["no JSON"],
                "remove `/store/run.json` and run `unflake check` again",
            ),
            (other, &[], "run `unflake check` again with this version"),
        ] {
            let problem = Problem::from(error);
            assert_eq!(
                (problem.kind, problem.hint.as_deref()),
                (ProblemKind::CannotWork, Some(hint))
            );
            assert_eq!(problem.causes, cause);
        }
    }
}
