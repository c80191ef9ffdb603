//! What has to run for a finding to show again.

use crate::ledger::Failed;
use crate::suite::{LaunchIx, Suite};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use unflake_explore::{Scope, TestIx};

/// By the finding's id.
pub type Replays = BTreeMap<String, Replay>;

/// Tests to run; the last is the one that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// `None`: it shows in the build only.
    pub launch: Option<LaunchIx>,
    pub tests: Vec<TestIx>,
}

impl Replay {
    /// In the JVM of the last test.
    pub(crate) fn of(suite: &Suite, tests: Vec<TestIx>) -> Replay {
        Replay {
            launch: tests.last().and_then(|test| suite[*test].launch),
            tests,
        }
    }

    pub(crate) fn of_failed(suite: &Suite, failed: &Failed) -> Replay {
        let before = suite.before(failed.test);
        let mut tests = match failed.confirmed.scope {
            Scope::Alone => Vec::new(),
            Scope::Class => before.of_class,
            Scope::Prefix => before.in_jvm,
        };
        tests.push(failed.test);
        let replay = Replay::of(suite, tests);
        Replay {
            launch: replay.launch.filter(|_| !failed.through_build),
            ..replay
        }
    }
}
