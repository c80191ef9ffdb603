//! Whether somebody says that a finding is meant.

use crate::options::Ignore;
use std::fs;
use std::path::Path;
use unflake_findings::{Finding, Suppression, source_file, suppressed_in};
use unflake_models::glob_matches;
use unflake_protocol::TestId;

/// What `unflake.toml` and the sources say.
pub struct Suppressions<'a> {
    pub ignores: &'a [Ignore],
    /// The source of a test's class.
    pub source: &'a dyn Fn(&TestId) -> Option<String>,
}

/// The source of a test's class in this project.
pub fn source_of(project: &Path, test: &TestId) -> Option<String> {
    let module = project.join(&test.module);
    fs::read_to_string(source_file(&module, test.class())?).ok()
}

impl Suppressions<'_> {
    /// By the finding's own rule, so it must be final.
    pub fn of(&self, finding: &Finding) -> Option<Suppression> {
        let test = &finding.test;
        let names = |ignore: &&Ignore| {
            let is_whole = ignore.api.is_none() && ignore.from.is_none();
            is_whole && ignore.names(test)
        };
        if let Some(ignore) = self.ignores.iter().find(names) {
            return Some(Suppression {
                by: "unflake.toml".to_owned(),
                reason: ignore.reason.clone(),
            });
        }
        let source = (self.source)(test)?;
        suppressed_in(&source, test.class(), test.method(), &finding.rule)
    }
}

impl Ignore {
    /// Whether it leaves a test out altogether: it names the test, and an API or a caller. One that names the test
    /// alone only silences its findings.
    pub(crate) fn leaves_out(&self, test: &TestId) -> bool {
        (self.api.is_some() || self.from.is_some()) && self.names(test)
    }

    /// Whether it names this test.
    pub(crate) fn names(&self, test: &TestId) -> bool {
        self.test
            .as_ref()
            .is_some_and(|glob| glob_matches(glob, &test.test))
    }
}
