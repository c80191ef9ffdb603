//! A repair that may be right. Whether it is, is shown by running.

use crate::edit::Edits;
use std::collections::BTreeMap;
use std::ops::Range;
use unflake_findings::Safety;

/// Edits that should make a test pass with every allowed order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The name of its strategy.
    pub strategy: &'static str,
    pub safety: Safety,
    /// What it does and why, in one sentence, for a commit message: lower case, no full stop.
    pub why: String,
    /// By file.
    pub edits: BTreeMap<String, Edits>,
    /// The statement whose comparison is edited, in the unedited text. `None`: no assertion is touched.
    pub assertion: Option<(String, Range<usize>)>,
    /// Variants that must fail in that assertion; none only where no assertion is touched.
    pub mutants: Vec<Mutant>,
}

/// The repair with one mistake in it that the repaired assertion must notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub mutation: Mutation,
    /// Of the unedited file of the assertion, in place of the candidate's own edits of that file.
    pub edits: Edits,
}

/// What is wrong in a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mutation {
    ExpectedDropped,
    ExpectedChanged,
    ExpectedDoubled,
    ActualDropped,
    ActualDoubled,
}

impl Mutation {
    pub fn name(self) -> &'static str {
        match self {
            Mutation::ExpectedDropped => "one expected element dropped",
            Mutation::ExpectedChanged => "one expected element changed",
            Mutation::ExpectedDoubled => "one expected element doubled",
            Mutation::ActualDropped => "one actual element dropped",
            Mutation::ActualDoubled => "one actual element doubled",
        }
    }
}

impl Candidate {
    /// Touches no assertion.
    pub(crate) fn plain(why: impl Into<String>, file: &str, edits: Edits) -> Candidate {
        Candidate {
            strategy: "",
            safety: Safety::Test,
            why: why.into(),
            edits: [(file.to_owned(), edits)].into(),
            assertion: None,
            mutants: Vec::new(),
        }
    }

    /// Edits the comparison of a statement.
    pub(crate) fn of_assertion(
        why: impl Into<String>,
        file: &str,
        statement: Range<usize>,
        edits: Edits,
        mutants: Vec<Mutant>,
    ) -> Candidate {
        Candidate {
            assertion: Some((file.to_owned(), statement)),
            mutants,
            ..Candidate::plain(why, file, edits)
        }
    }
}
