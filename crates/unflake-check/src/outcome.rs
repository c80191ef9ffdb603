//! What became of each test, gathered into the document that is reported and stored.

use crate::learn::Learned;
use crate::options::Options;
use crate::stored::{Stored, StoredReplay, StoredTest};
use crate::suite::{KnownTest, Suite, Trouble};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};
use unflake_explore::{Confirmed, Scope as ConfirmedIn};
use unflake_findings::{
    Cause, Details, Document, Excluded, ExcludedReason, Finding, FindingKind, Note, NoteKind, Rate, Repair,
    RunInfo, SCHEMA_VERSION, Scope, Severity, SkipReason, Summary, Suppression, Tried, finding_id, rules,
    source_file, suppressed_in,
};
use unflake_models::{Basis, find, glob_matches};
use unflake_protocol::{Configuration, Failure, Seed, TestId};

/// What became of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Checked,
    NoChoice,
    Disabled,
    /// Named by an `[[ignore]]`.
    Ignored,
    Budget,
    Failing(String),
    OrderSuspect(String),
    Flaky(String),
    NotRun(String),
}

/// A failure that was confirmed, with the round that showed it first.
#[derive(Clone, Debug)]
struct Found {
    round: u32,
    confirmed: Confirmed,
    through_build: bool,
}

/// Everything that is known so far.
#[derive(Debug)]
pub(crate) struct Outcomes {
    seed: Seed,
    project: String,
    command: Vec<String>,
    level: unflake_findings::LevelSetting,
    pub(crate) rounds: u32,
    pub(crate) budget_ended: bool,
    /// The time was up before all that failed in another order was proved.
    pub(crate) is_unproved: bool,
    pub(crate) interrupted: bool,
    fates: BTreeMap<usize, Fate>,
    rates: BTreeMap<usize, Rate>,
    found: BTreeMap<usize, Found>,
    /// Findings of other kinds, complete, with what is needed to repeat them.
    others: Vec<(Finding, StoredReplay)>,
    notes: Vec<Note>,
    build_arguments: Vec<String>,
    ignores: Vec<crate::options::Ignore>,
}

/// A document, and what its findings need to be repeated.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) document: Document,
    pub(crate) stored: Stored,
}

impl Outcomes {
    pub(crate) fn new(seed: Seed, settings: &Options) -> Outcomes {
        Outcomes {
            seed,
            project: settings.place.project.display().to_string(),
            command: settings.command.clone(),
            level: settings.vary.level,
            rounds: 0,
            budget_ended: false,
            is_unproved: false,
            interrupted: false,
            fates: BTreeMap::new(),
            rates: BTreeMap::new(),
            found: BTreeMap::new(),
            others: Vec::new(),
            notes: Vec::new(),
            build_arguments: settings.build_arguments.clone(),
            ignores: settings.ignores.clone(),
        }
    }

    pub(crate) fn settle(&mut self, test: usize, fate: Fate) {
        self.fates.insert(test, fate);
    }

    pub(crate) fn settle_if_new(&mut self, test: usize, fate: Fate) {
        self.fates.entry(test).or_insert(fate);
    }

    /// Tests that passed in one of two runs of which only the tests before them differ.
    pub(crate) fn order_suspects(&self) -> Vec<usize> {
        let is_one = |(_, fate): &(&usize, &Fate)| matches!(fate, Fate::OrderSuspect(_));
        self.fates.iter().filter(is_one).map(|(test, _)| *test).collect()
    }

    /// Orders of the whole suite that were tried. Where nothing else was varied they are the run's rounds.
    pub(crate) fn orders(&mut self, orders: u32) {
        self.rounds = self.rounds.max(orders);
    }

    /// A finding that is not about choices.
    pub(crate) fn add(&mut self, finding: Finding, replay: StoredReplay) {
        self.others.push((finding, replay));
    }

    fn victims(&self) -> impl Iterator<Item = &Finding> {
        let findings = self.others.iter().map(|(finding, _)| finding);
        findings.filter(|finding| finding.kind() == FindingKind::Victim)
    }

    /// Whether it is a finding already that this test fails after another.
    pub(crate) fn is_victim(&self, test: &TestId) -> bool {
        self.victims().any(|finding| finding.test == *test)
    }

    /// What a victim said after this polluter, if it was proved with it.
    pub(crate) fn victim_message(&self, test: &TestId, polluter: &TestId) -> Option<String> {
        let of_polluter = |finding: &&Finding| match &finding.details {
            Details::Victim(details) => finding.test == *test && details.polluter.as_ref() == Some(polluter),
            _ => false,
        };
        self.victims()
            .find(of_polluter)
            .map(|finding| finding.message.clone())
    }

    /// One more polluter of a victim that has a finding.
    pub(crate) fn add_polluter(&mut self, victim: &TestId, polluter: &TestId) {
        for (finding, _) in &mut self.others {
            if let Details::Victim(details) = &mut finding.details
                && finding.test == *victim
                && !details.polluters.contains(polluter)
            {
                details.polluters.push(polluter.clone());
            }
        }
    }

    pub(crate) fn rate(&mut self, test: usize, failed: u32, runs: u32) {
        self.rates.insert(test, Rate { failed, runs });
    }

    pub(crate) fn confirmed(&mut self, test: usize, round: u32, confirmed: Confirmed) {
        self.fates.insert(test, Fate::Checked);
        self.found.insert(
            test,
            Found {
                round,
                confirmed,
                through_build: false,
            },
        );
    }

    pub(crate) fn confirmed_through_build(&mut self, test: usize, round: u32, confirmed: Confirmed) {
        self.fates.insert(test, Fate::Checked);
        self.found.insert(
            test,
            Found {
                round,
                confirmed,
                through_build: true,
            },
        );
    }

    pub(crate) fn note(&mut self, kind: NoteKind, message: String) {
        self.notes.push(Note { kind, message });
    }

    pub(crate) fn finish(
        mut self,
        learned: Option<&Learned>,
        configuration: &Configuration,
        started: SystemTime,
        time: Duration,
    ) -> Finished {
        let nothing = Suite::default();
        let suite = learned.map_or(&nothing, |learned| &learned.suite);
        let selected = learned.map_or(&[][..], |learned| &learned.selected);
        if self.interrupted {
            self.note(
                NoteKind::Interrupted,
                "interrupted: this is a partial result".to_owned(),
            );
        }
        if self.budget_ended && !self.interrupted {
            self.note(
                NoteKind::Budget,
                format!("the budget ended after {} rounds", self.rounds),
            );
        }
        self.add_troubles(suite);
        let stored_test = |known: &KnownTest| StoredTest {
            id: known.id.clone(),
            handle: known.handle.clone(),
            recipe: known.launch,
        };
        let mut stored = Stored::new(
            configuration.clone(),
            suite.recipes.clone(),
            suite.tests.iter().map(stored_test).collect(),
            self.build_arguments.clone(),
        );
        let mut findings = Vec::new();
        let mut excluded = Vec::new();
        let mut skipped: BTreeMap<SkipReason, usize> = BTreeMap::new();
        let mut checked = 0;
        for &test in selected {
            let id = &suite.tests[test].id;
            if let Some(found) = self.found.get(&test) {
                let finding = self.finding(suite, test, found);
                stored
                    .replays
                    .insert(finding.id.as_str().to_owned(), stored_replay(suite, test, found));
                findings.push(finding);
            }
            match self.fates.get(&test).unwrap_or(&Fate::Budget) {
                Fate::Checked => checked += 1,
                Fate::NoChoice => *skipped.entry(SkipReason::NoChoice).or_default() += 1,
                Fate::Disabled => *skipped.entry(SkipReason::Disabled).or_default() += 1,
                Fate::Ignored => *skipped.entry(SkipReason::Ignored).or_default() += 1,
                Fate::Budget => *skipped.entry(SkipReason::Budget).or_default() += 1,
                Fate::Failing(detail) => exclude(&mut excluded, id, ExcludedReason::Failing, detail),
                Fate::OrderSuspect(detail) => {
                    exclude(&mut excluded, id, ExcludedReason::OrderSuspect, detail)
                }
                Fate::Flaky(detail) => exclude(&mut excluded, id, ExcludedReason::Flaky, detail),
                Fate::NotRun(detail) => exclude(&mut excluded, id, ExcludedReason::NotRun, detail),
            }
        }
        for (mut finding, replay) in std::mem::take(&mut self.others) {
            finding.suppressed = self.suppression(&finding.test, &finding.rule);
            stored.replays.insert(finding.id.as_str().to_owned(), replay);
            findings.push(finding);
        }
        for one in &excluded {
            *skipped.entry(one.reason.skip()).or_default() += 1;
        }
        let since_1970 = started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut document = Document {
            schema_version: SCHEMA_VERSION,
            run: RunInfo {
                project: self.project.clone(),
                command: self.command.clone(),
                time_started: since_1970.as_secs(),
                pictures: None,
            },
            summary: Summary {
                tests: selected.len(),
                checked,
                skipped,
                rounds: self.rounds,
                seed: self.seed,
                level: self.level,
                time: time.as_secs_f64(),
                java: suite.java.iter().cloned().collect(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                partial: self.interrupted || self.budget_ended || self.is_unproved,
            },
            findings,
            excluded,
            notes: self.notes,
        };
        document.sort();
        Finished { document, stored }
    }

    fn finding(&self, suite: &Suite, test: usize, found: &Found) -> Finding {
        let known = &suite.tests[test];
        let confirmed = &found.confirmed;
        let is_silent = |name: &String| find(name).is_some_and(|(_, model)| model.basis == Basis::Silent);
        let only_silent = !known.models.is_empty() && known.models.iter().all(is_silent);
        let id = finding_id(FindingKind::ImplementationDependent, &known.id);
        let tried = |trial: &unflake_explore::Trial| Tried {
            strategy: trial.strategy,
            rate: Rate {
                failed: u32::from(trial.failed),
                runs: 1,
            },
        };
        Finding {
            rule: rules::IMPLEMENTATION_DEPENDENT.to_owned(),
            test: known.id.clone(),
            severity: Severity::implementation_dependent(confirmed.weakest.level, only_silent),
            message: message(&confirmed.failure),
            exception: confirmed.failure.kind.clone(),
            replay: format!("unflake replay {}", id.as_str()),
            rate: self.rates.get(&test).copied().unwrap_or_default(),
            suppressed: self.suppression(&known.id, rules::IMPLEMENTATION_DEPENDENT),
            details: Details::ImplementationDependent {
                level: confirmed.weakest.level,
                levels_tried: confirmed.trials.iter().map(tried).collect(),
                round: found.round,
                strategy: confirmed.weakest,
                scope: match confirmed.scope {
                    ConfirmedIn::Alone => Scope::Alone,
                    ConfirmedIn::Class => Scope::Class,
                    ConfirmedIn::Prefix => Scope::Prefix,
                },
                apis: known.models.clone(),
                cause: Cause::default(),
                repair: Repair::default(),
            },
            id,
        }
    }

    /// Whether `unflake.toml` or the test's source says that this is meant.
    fn suppression(&self, id: &TestId, rule: &str) -> Option<Suppression> {
        let by_file = self.ignores.iter().find(|ignore| {
            ignore.api.is_none()
                && ignore.from.is_none()
                && ignore
                    .test
                    .as_ref()
                    .is_some_and(|glob| glob_matches(glob, &id.test))
        });
        if let Some(ignore) = by_file {
            return Some(Suppression {
                by: "unflake.toml".to_owned(),
                reason: ignore.reason.clone(),
            });
        }
        let module = Path::new(&self.project).join(&id.module);
        let source = fs::read_to_string(source_file(&module, id.class())?).ok()?;
        suppressed_in(&source, id.class(), id.method(), rule)
    }

    fn add_troubles(&mut self, suite: &Suite) {
        for trouble in &suite.troubles {
            let (kind, message) = match trouble {
                Trouble::NotApplied { method, reason } => (
                    NoteKind::NotApplied,
                    format!("`{method}` could not be edited and was not varied: {reason}"),
                ),
                Trouble::AgentOff(reason) => (
                    NoteKind::AgentOff,
                    format!("the agent switched itself off in a test JVM: {reason}"),
                ),
                Trouble::NoLaunch { module, reason } => (
                    NoteKind::ThroughBuildTool,
                    format!(
                        "the test JVM of module `{module}` cannot be started without the build tool: {reason}"
                    ),
                ),
                Trouble::InParallel { module } => (
                    NoteKind::Other,
                    format!(
                        "the build runs tests of module `{module}` in parallel; here they ran one after the other, so that it is known which test does what"
                    ),
                ),
                Trouble::ContainerFailed { root, message } => (
                    NoteKind::Other,
                    format!("the set-up or tear-down of `{root}` fails without any variation: {message}"),
                ),
            };
            self.note(kind, message);
        }
    }
}

fn exclude(excluded: &mut Vec<Excluded>, id: &TestId, reason: ExcludedReason, detail: &str) {
    excluded.push(Excluded {
        test: id.clone(),
        reason,
        detail: detail.to_owned(),
    });
}

fn stored_replay(suite: &Suite, test: usize, found: &Found) -> StoredReplay {
    let before = suite.before(test);
    let mut tests = match found.confirmed.scope {
        ConfirmedIn::Alone => Vec::new(),
        ConfirmedIn::Class => before.of_class,
        ConfirmedIn::Prefix => before.in_jvm,
    };
    tests.push(test);
    StoredReplay {
        recipe: suite.tests[test].launch.filter(|_| !found.through_build),
        tests: tests
            .into_iter()
            .map(|index| suite.tests[index].handle.clone())
            .collect(),
    }
}

/// What the failing test said, or the exception's class where it said nothing.
pub fn message(failure: &Failure) -> String {
    if failure.message.trim().is_empty() {
        failure.kind.clone()
    } else {
        failure.message.clone()
    }
}

/// Whether an `[[ignore]]` that names a test and an API or a caller leaves this test out altogether is not decided
/// here: one that names the test alone only silences its finding.
pub(crate) fn is_ignored(id: &TestId, settings: &Options) -> bool {
    settings.ignores.iter().any(|ignore| {
        (ignore.api.is_some() || ignore.from.is_some())
            && ignore
                .test
                .as_ref()
                .is_some_and(|glob| glob_matches(glob, &id.test))
    })
}
