//! Attempts in real JVMs: packed together, compiled into overlays, run unvaried and varied.

#[cfg(test)]
pub(crate) mod tests;

use super::Texts;
use super::overlay::{NotCompiled, Overlays};
use super::packs::pack;
use super::search::{Attempt, MutantAttempt, Proofs, Proved};
use super::sources::ProjectSources;
use crate::drive::patience::Patience;
use crate::drive::rounds::{Verdicts, Workers};
use crate::drive::scripts::ScriptJvms;
use crate::drive::units::{Spread, Turn, units};
use crate::places::OwnCode;
use crate::replay::Replay;
use crate::session::Session;
use crate::suite::LaunchIx;
use crate::vary::cause::{Debugger, ToExplain, compared};
use std::collections::BTreeSet;
use std::time::Duration;
use unflake_explore::{GUIDED_ROUNDS, TestIx, Verdict, random_rounds, strategy_of_round};
use unflake_findings::{Cause, Scope, SourcePlace};
use unflake_protocol::{Failure, Seed, Strategy};
use unflake_repair::{Edits, Failing};
use unflake_runner::{Launch, Work};

/// Random rounds that a repair must pass.
pub(crate) const RANDOM_ROUNDS: usize = 20;
/// The longest that the next cause of a test is searched for.
const CAUSE_LIMIT: Duration = Duration::from_secs(10);

/// What a patient is to the JVMs.
#[derive(Clone, Debug)]
pub(crate) struct Subjected {
    pub(crate) test: TestIx,
    pub(crate) replay: Replay,
    pub(crate) launch: LaunchIx,
    pub(crate) scope: Scope,
    /// How it failed.
    pub(crate) strategy: Strategy,
}

/// Runs attempts.
pub(crate) struct Trials<'a> {
    pub(crate) session: &'a Session,
    pub(crate) sources: &'a ProjectSources,
    pub(crate) overlays: Overlays<'a>,
    pub(crate) subjects: &'a [Subjected],
    pub(crate) seed: Seed,
    pub(crate) jobs: usize,
    /// Attempts that were compiled, to find causes in them: with all that was compiled beside them.
    pub(crate) compiled: Vec<(Attempt, Texts, Vec<Launch>)>,
}

impl Trials<'_> {
    /// Runs tests once for each turn.
    fn run(&self, launches: &[Launch], turns: &[Turn]) -> Verdicts {
        let suite = &self.session.suite;
        let spread = Spread {
            jobs: self.jobs,
            repeatable: false,
        };
        let workers = Workers {
            suite,
            launches,
            driver: self.session.driver(),
            spread,
            patience: Patience::checking(None),
            quick: Patience::repeating(None),
            hear: &|_| {},
        };
        workers.run(units(suite, turns, spread), &|_, _| {})
    }

    /// Compiles attempts, as many together as go together; those that spoil the others, alone.
    pub(super) fn compile(&mut self, attempts: &[Attempt]) -> Vec<Pack> {
        let mut packs = Vec::new();
        for (texts, members) in pack(attempts, self.sources) {
            match self.overlays.compile(&texts) {
                Ok(launches) => packs.push(Pack {
                    members,
                    texts,
                    launches: Ok(launches),
                }),
                Err(_) if members.len() > 1 => {
                    // Whoever has an error of its own is found by compiling each alone; the others stay together.
                    let (sound, broken) = self.told_apart(attempts, &members);
                    packs.extend(broken);
                    let rest: Vec<Attempt> = sound.iter().map(|index| attempts[*index].clone()).collect();
                    for (texts, of_rest) in pack(&rest, self.sources) {
                        let members = of_rest.into_iter().map(|index| sound[index]).collect();
                        let launches = self.overlays.compile(&texts).map_err(|error| said(&error));
                        packs.push(Pack {
                            members,
                            texts,
                            launches,
                        });
                    }
                }
                Err(error) => packs.push(Pack {
                    members,
                    texts,
                    launches: Err(said(&error)),
                }),
            }
        }
        packs
    }

    fn told_apart(&mut self, attempts: &[Attempt], members: &[usize]) -> (Vec<usize>, Vec<Pack>) {
        let (mut sound, mut broken) = (Vec::new(), Vec::new());
        for index in members {
            match self.overlays.compile(&attempts[*index].texts) {
                Ok(_) => sound.push(*index),
                Err(error) => broken.push(Pack {
                    members: vec![*index],
                    texts: attempts[*index].texts.clone(),
                    launches: Err(said(&error)),
                }),
            }
        }
        (sound, broken)
    }

    /// The tests of edited test classes that passed in the build.
    pub(super) fn neighbours(&self, texts: &Texts) -> Vec<TestIx> {
        let suite = &self.session.suite;
        let is_edited = |root: &str| {
            let outer = root.split('$').next().unwrap_or(root).replace('.', "/");
            let file = format!("/{outer}.java");
            texts.keys().any(|path| path.ends_with(&file))
        };
        let of_class = suite.all().filter(|test| is_edited(&suite[*test].handle.root));
        of_class
            .filter(|test| suite[*test].has_passed() && suite[*test].launch.is_some())
            .collect()
    }

    fn prove_pack(&self, attempts: &[Attempt], pack: &Pack, launches: &[Launch]) -> Vec<Proved> {
        let members = &pack.members;
        let subject = |member: &usize| &self.subjects[attempts[*member].patient];
        let mut tests: BTreeSet<TestIx> = members
            .iter()
            .flat_map(|member| subject(member).replay.tests.clone())
            .collect();
        let patients: BTreeSet<TestIx> = tests.clone();
        for member in members {
            tests.extend(self.neighbours(&attempts[*member].texts));
        }
        let mut strategies: Vec<Strategy> = (1..=GUIDED_ROUNDS)
            .map(|round| strategy_of_round(round, None, self.seed))
            .collect();
        strategies.extend(members.iter().map(|member| subject(member).strategy));
        let mut known = Vec::new();
        strategies.retain(|strategy| {
            !known.contains(strategy) && {
                known.push(*strategy);
                true
            }
        });
        let mut turns = vec![Turn {
            round: 0,
            strategy: None,
            tests: tests.iter().copied().collect(),
        }];
        turns.extend(varied_turns(&strategies, &patients));
        let first = self.run(launches, &turns);
        let mut proved: Vec<Proved> = members
            .iter()
            .map(|member| {
                let proved = self.judge(&attempts[*member], subject(member), &first, &strategies);
                at_own_lines(proved, &pack.texts, &attempts[*member].texts)
            })
            .collect();
        let random: Vec<Strategy> = random_rounds(self.seed).take(RANDOM_ROUNDS).collect();
        let left: BTreeSet<TestIx> = members
            .iter()
            .zip(&proved)
            .filter(|(_, proved)| matches!(proved, Proved::Passed { .. }))
            .flat_map(|(member, _)| subject(member).replay.tests.clone())
            .collect();
        if left.is_empty() {
            return proved;
        }
        let more = self.run(launches, &varied_turns(&random, &left));
        for (member, proved) in members.iter().zip(&mut proved) {
            if let Proved::Passed { rounds } = proved {
                let fails = first_failing(&more, subject(member).test, &random);
                *proved = match fails {
                    Some(strategy) => Proved::FailsVaried(strategy),
                    None => Proved::Passed {
                        rounds: *rounds + count(random.len()),
                    },
                };
            }
        }
        proved
    }

    fn judge(
        &self,
        attempt: &Attempt,
        subject: &Subjected,
        verdicts: &Verdicts,
        strategies: &[Strategy],
    ) -> Proved {
        if self.is_cancelled() {
            return Proved::Cancelled;
        }
        match verdicts.get(&(0, subject.test)) {
            Some(Verdict::Passed) => {}
            Some(Verdict::Failed(failure)) => {
                return Proved::FailsUnvaried(Box::new(self.failing(subject, failure)));
            }
            Some(Verdict::NotRun | Verdict::Cancelled) | None => return Proved::NotRun,
        }
        let has_failed = |test: &TestIx| matches!(verdicts.get(&(0, *test)), Some(Verdict::Failed(_)));
        // Whoever is repaired at the same time has a proof of its own.
        let is_patient = |test: &TestIx| self.subjects.iter().any(|subject| subject.test == *test);
        let broken = self
            .neighbours(&attempt.texts)
            .into_iter()
            .find(|test| has_failed(test) && !is_patient(test));
        if let Some(broken) = broken {
            return Proved::Breaks(self.session.suite[broken].id.test.clone());
        }
        match first_failing(verdicts, subject.test, strategies) {
            Some(strategy) => Proved::FailsVaried(strategy),
            None => Proved::Passed {
                rounds: count(strategies.len()),
            },
        }
    }

    fn failing(&self, subject: &Subjected, failure: &Failure) -> Failing {
        let (expected, actual) = compared(failure);
        Failing {
            test: self.session.suite[subject.test].id.test.clone(),
            sort: failure.sort(),
            exception: failure.kind.clone(),
            message: failure.message.clone(),
            expected,
            actual,
            frames: self.frames(subject, failure),
        }
    }

    /// By the classes of the build: those of overlays have no sources beside them.
    fn frames(&self, subject: &Subjected, failure: &Failure) -> Vec<SourcePlace> {
        let launch = self.session.suite.launch(subject.launch);
        OwnCode::new(&self.session.project, launch).of_trace(&failure.trace)
    }

    /// Launches with these texts; an error if they do not compile.
    pub(super) fn launches(&mut self, texts: &Texts) -> Result<Vec<Launch>, String> {
        self.overlays.compile(texts).map_err(|error| said(&error))
    }

    /// Runs all tests of the suite that passed in the build, unvaried, with these texts. The ones that fail, and how many
    /// ran; an error if they do not compile.
    pub(crate) fn whole(&mut self, texts: &Texts) -> Result<(Vec<TestIx>, usize), String> {
        let launches = self.launches(texts)?;
        let suite = &self.session.suite;
        let can_run = |test: &TestIx| suite[*test].has_passed() && suite[*test].launch.is_some();
        let all: Vec<TestIx> = suite.all().filter(can_run).collect();
        let mut left = self.failing_each_time(&launches, &all);
        // A test that needs another one before it fails in this company with and without the patches.
        if !left.is_empty() {
            let turn = Turn {
                round: 0,
                strategy: None,
                tests: left.clone(),
            };
            let verdicts = self.run(&self.session.suite.launches, &[turn]);
            left.retain(|test| !matches!(verdicts.get(&(0, *test)), Some(Verdict::Failed(_))));
        }
        Ok((left, all.len()))
    }

    /// Whether these texts do not compile, or one of these tests fails with them.
    pub(crate) fn breaks(&mut self, texts: &Texts, tests: &[TestIx]) -> bool {
        match self.launches(texts) {
            Ok(launches) => !self.failing_each_time(&launches, tests).is_empty(),
            Err(_) => true,
        }
    }

    /// The first of these tests that fails with these texts.
    pub(crate) fn first_broken(&mut self, texts: &Texts, tests: &[TestIx]) -> Option<TestIx> {
        let launches = self.launches(texts).ok()?;
        self.failing_each_time(&launches, tests).first().copied()
    }

    fn failing_each_time(&self, launches: &[Launch], tests: &[TestIx]) -> Vec<TestIx> {
        let mut left = tests.to_vec();
        // What fails once may be flaky, or was disturbed by its neighbours: only what fails each time counts.
        for round in 0..3 {
            if left.is_empty() {
                break;
            }
            let turn = Turn {
                round,
                strategy: None,
                tests: left.clone(),
            };
            let verdicts = self.run(launches, &[turn]);
            left.retain(|test| matches!(verdicts.get(&(round, *test)), Some(Verdict::Failed(_))));
        }
        left
    }
}

/// Attempts that are compiled together.
pub(super) struct Pack {
    pub(super) members: Vec<usize>,
    /// What was compiled: the edits of all of them.
    texts: Texts,
    pub(super) launches: Result<Vec<Launch>, String>,
}

/// What an attempt is told of lines, in its own texts: others were compiled together with it.
fn at_own_lines(proved: Proved, together: &Texts, own: &Texts) -> Proved {
    match proved {
        Proved::FailsUnvaried(mut failing) => {
            failing.frames = moved(failing.frames, together, own);
            Proved::FailsUnvaried(failing)
        }
        other => other,
    }
}

fn moved(places: Vec<SourcePlace>, from: &Texts, to: &Texts) -> Vec<SourcePlace> {
    places
        .into_iter()
        .map(|place| moved_place(place, from, to))
        .collect()
}

/// A place in one version of a file, in another version.
fn moved_place(place: SourcePlace, from: &Texts, to: &Texts) -> SourcePlace {
    let (Some(from), Some(to)) = (from.get(&place.file), to.get(&place.file)) else {
        return place;
    };
    if from == to {
        return place;
    }
    let lines = (place.line as usize).saturating_sub(1);
    let start: usize = from.split_inclusive('\n').take(lines).map(str::len).sum();
    let start = Edits::between(from, to).moved(start).min(to.len());
    let before = to.as_bytes()[..start].iter().filter(|c| **c == b'\n').count();
    SourcePlace {
        line: count(before) + 1,
        ..place
    }
}

fn said(error: &NotCompiled) -> String {
    match error {
        NotCompiled::Errors(errors) => {
            let first = errors.iter().next();
            first.map_or_else(String::new, |(path, error)| format!("`{path}`, {error}"))
        }
        NotCompiled::Broken(why) => why.clone(),
    }
}

fn varied_turns(strategies: &[Strategy], tests: &BTreeSet<TestIx>) -> Vec<Turn> {
    let turn = |(round, strategy): (u32, &Strategy)| Turn {
        round,
        strategy: Some(*strategy),
        tests: tests.iter().copied().collect(),
    };
    (1..).zip(strategies).map(turn).collect()
}

/// What it fails with first; a round in which it did not run counts as failing.
fn first_failing(verdicts: &Verdicts, test: TestIx, strategies: &[Strategy]) -> Option<Strategy> {
    let fails = |(round, _): &(u32, &Strategy)| verdicts.get(&(*round, test)) != Some(&Verdict::Passed);
    (1..).zip(strategies).find(fails).map(|(_, strategy)| *strategy)
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

impl Proofs for Trials<'_> {
    fn prove(&mut self, attempts: &[Attempt]) -> Vec<Proved> {
        let mut proved: Vec<Option<Proved>> = vec![None; attempts.len()];
        self.compiled.clear();
        for pack in self.compile(attempts) {
            let results = match &pack.launches {
                Ok(launches) => {
                    let compiled = pack
                        .members
                        .iter()
                        .map(|member| (attempts[*member].clone(), pack.texts.clone(), launches.clone()));
                    self.compiled.extend(compiled);
                    self.prove_pack(attempts, &pack, launches)
                }
                Err(why) => vec![Proved::NotCompiled(why.clone()); pack.members.len()],
            };
            for (member, result) in pack.members.iter().zip(results) {
                proved[*member] = Some(result);
            }
        }
        // Ctrl-C ends test JVMs and the compiler too: only what passed until then means something.
        let is_cancelled = self.is_cancelled();
        let judged = |proved: Option<Proved>| match proved {
            Some(passed @ Proved::Passed { .. }) => passed,
            Some(proved) if !is_cancelled => proved,
            _ => Proved::Cancelled,
        };
        proved.into_iter().map(judged).collect()
    }

    fn is_cancelled(&self) -> bool {
        self.session.driver().cancel().is_cancelled()
    }

    fn notice(&mut self, mutants: &[MutantAttempt]) -> Vec<Result<(), String>> {
        let attempts: Vec<Attempt> = mutants.iter().map(|mutant| mutant.attempt.clone()).collect();
        let mut noticed: Vec<Result<(), String>> = vec![Err("it was not run".to_owned()); mutants.len()];
        for pack in self.compile(&attempts) {
            let launches = match pack.launches {
                Ok(launches) => launches,
                Err(why) => {
                    for member in pack.members {
                        noticed[member] = Err(format!("the variant does not compile: {why}"));
                    }
                    continue;
                }
            };
            let subject = |member: &usize| &self.subjects[attempts[*member].patient];
            let tests: BTreeSet<TestIx> = pack
                .members
                .iter()
                .flat_map(|member| subject(member).replay.tests.clone())
                .collect();
            let turn = Turn {
                round: 0,
                strategy: None,
                tests: tests.into_iter().collect(),
            };
            let verdicts = self.run(&launches, &[turn]);
            for member in &pack.members {
                let mutant = &mutants[*member];
                let subject = subject(member);
                noticed[*member] = match verdicts.get(&(0, subject.test)) {
                    Some(Verdict::Failed(failure)) => {
                        let is_there = |place: &SourcePlace| {
                            place.file == mutant.file && mutant.lines.contains(&place.line)
                        };
                        let frames = self.frames(subject, failure);
                        let own = moved(frames, &pack.texts, &mutant.attempt.texts);
                        if own.iter().any(is_there) {
                            Ok(())
                        } else {
                            Err("the variant fails elsewhere".to_owned())
                        }
                    }
                    Some(Verdict::Passed) => Err("the variant passes".to_owned()),
                    Some(Verdict::NotRun | Verdict::Cancelled) | None => {
                        Err("the variant did not run".to_owned())
                    }
                };
            }
        }
        noticed
    }

    fn causes(&mut self, failing: &[(Attempt, Strategy)]) -> Vec<Option<Cause>> {
        let mut found = vec![None; failing.len()];
        // What was compiled together is explained together, in the same JVMs.
        let mut packs: Vec<(&Texts, &[Launch], Vec<usize>)> = Vec::new();
        for (index, (attempt, _)) in failing.iter().enumerate() {
            let compiled = self.compiled.iter().find(|(compiled, ..)| compiled == attempt);
            let Some((_, texts, launches)) = compiled else {
                continue;
            };
            match packs.iter_mut().find(|(known, ..)| *known == texts) {
                Some((.., members)) => members.push(index),
                None => packs.push((texts, launches, vec![index])),
            }
        }
        for (texts, launches, members) in packs {
            let session = self.session.with_launches(launches.to_vec());
            let jvms = ScriptJvms {
                driver: &session.script_driver(),
                work: Work::Short,
                patience: Patience::checking(None),
            };
            let debugger = Debugger {
                session: &session,
                jvms: &jvms,
                jobs: self.jobs,
                repeatable: false,
                limit: Some(CAUSE_LIMIT),
                most_runs: None,
                deadline: None,
                smallest_orders: false,
            };
            let failure = |index: &usize| {
                let (attempt, strategy) = &failing[*index];
                let subject = &self.subjects[attempt.patient];
                ToExplain {
                    strategy: *strategy,
                    scope: subject.scope,
                    replay: subject.replay.clone(),
                    hangs: false,
                }
            };
            let causes = debugger.explain(members.iter().map(failure).collect(), &|| {});
            for (index, cause) in members.into_iter().zip(causes) {
                found[index] = Some(self.in_own_texts(cause, &failing[index].0, texts));
            }
        }
        found
    }
}

impl Trials<'_> {
    /// A cause that was found in JVMs with these texts, at the lines of an attempt that was compiled into them.
    fn in_own_texts(&self, cause: Cause, attempt: &Attempt, texts: &Texts) -> Cause {
        let mut cause = self.at_home(cause, &self.subjects[attempt.patient]);
        for choice in &mut cause.choices {
            for place in [&mut choice.call, &mut choice.allocation] {
                *place = place
                    .take()
                    .map(|place| moved_place(place, texts, &attempt.texts));
            }
        }
        cause.failed_at = moved(cause.failed_at, texts, &attempt.texts);
        cause
    }

    /// Places of an overlay's classes are those of the sources that they were compiled from.
    fn at_home(&self, mut cause: Cause, subject: &Subjected) -> Cause {
        let launch = self.session.suite.launch(subject.launch);
        let mut own = OwnCode::new(&self.session.project, launch);
        for choice in &mut cause.choices {
            choice.call = own.place_of(&choice.stack);
            choice.allocation = own.place_of(&choice.allocation_stack);
        }
        cause.failed_at = cause
            .failed_at
            .iter()
            .filter_map(|place| own.at_home(place))
            .collect();
        cause
    }
}
