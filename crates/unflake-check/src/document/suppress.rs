//! Whether somebody says that a finding is meant.

use crate::options::Ignore;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use unflake_findings::{Choice, Details, Finding, Suppression, source_file, suppressed_in};
use unflake_models::glob_matches;
use unflake_protocol::TestId;

/// What `unflake.toml` and the sources say.
pub struct Suppressions<'a> {
    pub ignores: &'a [Ignore],
    /// The source of a test's class.
    pub source: &'a dyn Fn(&TestId) -> Option<String>,
    /// A file of the project.
    pub file: &'a dyn Fn(&str) -> Option<String>,
}

/// The source of a test's class in this project.
pub fn source_of(project: &Path, test: &TestId) -> Option<String> {
    let module = project.join(&test.module);
    fs::read_to_string(source_file(&module, test.class())?).ok()
}

impl Suppressions<'_> {
    /// By the finding's own rule and cause, so they must be final.
    pub fn of(&self, finding: &Finding) -> Option<Suppression> {
        if let Some(ignore) = self.ignores.iter().find(|ignore| ignore.silences(finding)) {
            return Some(Suppression {
                by: "unflake.toml".to_owned(),
                reason: ignore.reason.clone(),
            });
        }
        self.at_the_test(finding).or_else(|| self.at_the_call(finding))
    }

    fn at_the_test(&self, finding: &Finding) -> Option<Suppression> {
        let test = &finding.test;
        let source = (self.source)(test)?;
        suppressed_in(&source, test.class(), test.method(), &finding.rule)
    }

    /// A failure needs all choices of its cause, so it is meant if one of them is.
    fn at_the_call(&self, finding: &Finding) -> Option<Suppression> {
        let meant = |choice: &Choice| {
            let call = choice.call.as_ref()?;
            let (class, method) = call.method.rsplit_once('.')?;
            suppressed_in(&(self.file)(&call.file)?, class, method, &finding.rule)
        };
        choices(finding).iter().find_map(meant)
    }

    /// What `unflake.toml` says of these tests although no finding is silenced by it.
    pub fn unused<'t>(&self, findings: &[Finding], tests: impl Iterator<Item = &'t TestId>) -> Vec<String> {
        let mut idle: Vec<&Ignore> = self.ignores.iter().collect();
        idle.retain(|ignore| !findings.iter().any(|finding| ignore.silences(finding)));
        let mut named: BTreeSet<&str> = BTreeSet::new();
        for test in tests {
            let of_test = idle.iter().filter(|ignore| ignore.names(test));
            named.extend(of_test.filter_map(|ignore| ignore.test.as_deref()));
        }
        named.into_iter().map(str::to_owned).collect()
    }
}

fn choices(finding: &Finding) -> &[Choice] {
    match &finding.details {
        Details::ImplementationDependent { cause, .. } => &cause.choices,
        Details::Polluter(_) | Details::FilePolluter(_) | Details::Victim(_) | Details::Brittle(_) => &[],
    }
}

impl Ignore {
    /// Whether it silences a finding: it names the test, and the API and the caller that caused it if it names any. One
    /// that names no test keeps choices from varying instead.
    fn silences(&self, finding: &Finding) -> bool {
        let choices = choices(finding);
        let fits = |glob: &Option<String>, of: &dyn Fn(&Choice) -> Option<String>| match glob {
            None => true,
            Some(glob) => {
                let fits = |choice: &Choice| of(choice).is_some_and(|name| glob_matches(glob, &name));
                !choices.is_empty() && choices.iter().all(fits)
            }
        };
        self.names(&finding.test)
            && fits(&self.api, &|choice| Some(choice.api.clone()))
            && fits(&self.from, &|choice| {
                choice.call.as_ref().map(|call| call.method.clone())
            })
    }

    /// Whether it names this test.
    fn names(&self, test: &TestId) -> bool {
        self.test
            .as_ref()
            .is_some_and(|glob| glob_matches(glob, &test.test))
    }
}
