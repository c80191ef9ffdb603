//! Tests of which it is not known what they leave behind: why, for each of them and for all of them together.

use crate::ledger::{Fact, Ledger, NotWatched, Unwatched, Watching};
use crate::suite::Suite;
use std::collections::BTreeMap;
use unflake_explore::TestIx;
use unflake_findings::{Note, NoteKind};

/// What several tests have in common that were not watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    NoLaunch,
    Ended,
    SetUpFailed,
    NotCompared,
    NotRun,
}

impl Watching {
    fn phrase(self) -> &'static str {
        match self {
            Watching::First => "while shared state was watched",
            Watching::Again => "while shared state was watched a second time",
            Watching::Loaded => "while shared state was watched with the classes loaded that it uses first",
        }
    }

    /// What is missing.
    fn loss(self) -> &'static str {
        match self {
            Watching::First => "unflake cannot say whether they pollute",
            Watching::Again | Watching::Loaded => "unflake cannot say whether they pollute all that they use",
        }
    }
}

impl Unwatched {
    pub(super) fn reason(&self) -> String {
        let when = self.when.phrase();
        match &self.why {
            NotWatched::NoLaunch => "only the build tool can run it, so that it was not watched".to_owned(),
            NotWatched::Ended(how) | NotWatched::Hung(how) => format!("{how} {when}"),
            NotWatched::SetUpFailed(message) => format!("the set-up of its class failed {when}: {message}"),
            NotWatched::NotCompared(why) => format!("shared state could not be compared after it: {why}"),
            NotWatched::NotRun => format!("it did not run {when}"),
        }
    }

    fn kind(&self) -> Kind {
        match &self.why {
            NotWatched::NoLaunch => Kind::NoLaunch,
            NotWatched::Ended(_) | NotWatched::Hung(_) => Kind::Ended,
            NotWatched::SetUpFailed(_) => Kind::SetUpFailed,
            NotWatched::NotCompared(_) => Kind::NotCompared,
            NotWatched::NotRun => Kind::NotRun,
        }
    }
}

/// One note for all tests that were not watched for the same reason.
pub(super) fn notes(ledger: &Ledger, suite: &Suite) -> Vec<Note> {
    let mut groups: BTreeMap<(Watching, Kind), Vec<TestIx>> = BTreeMap::new();
    for fact in ledger.facts() {
        if let Fact::Unwatched(test, why) = fact {
            groups.entry((why.when, why.kind())).or_default().push(*test);
        }
    }
    let note = |((when, kind), tests): ((Watching, Kind), Vec<TestIx>)| {
        let who = suite.named(&tests);
        let (phrase, loss) = (when.phrase(), when.loss());
        let message = match kind {
            Kind::NoLaunch => format!("{who} can be run by the build tool only; {loss}"),
            Kind::Ended => format!("{who} did not finish {phrase}; {loss}"),
            Kind::SetUpFailed => format!("the class set-up of {who} failed {phrase}; {loss}"),
            Kind::NotCompared => format!("shared state could not be compared after {who}; {loss}"),
            Kind::NotRun => {
                // The framework is asked for tests by their names.
                let has_name = |test: &TestIx| suite[*test].id.invocation.is_some();
                let why = match tests.iter().any(has_name) {
                    true => " (a test whose name is another one in each JVM cannot be run again)",
                    false => "",
                };
                format!("{who} did not run {phrase}{why}; {loss}")
            }
        };
        Note {
            kind: NoteKind::NotWatched,
            message,
        }
    };
    groups.into_iter().map(note).collect()
}
