//! Whether a failure counts: it must fail varied and pass unvaried, often enough that chance is ruled out (N7), and how
//! weak a level already fails it (N5).
//!
//! A failure of a round only makes a test a suspect. It is *selected* by one varied run that fails and one unvaried run
//! that passes, the weakest level that fails is looked for, and then it is *proved* there by pairs of runs
//! ([`Evidence`]). Choices vary in the test's own scope alone: the tests before it, where it needs any, are natural. What
//! fails only if those vary too is their doing.

use crate::TestIx;
use crate::evidence::{ATTEMPTS, Counts, Evidence, ProofStep};
use unflake_protocol::{Failure, Form, Level, Seed, Strategy};

/// Where fresh JVMs come from.
pub trait Jvms {
    type Jvm: Jvm;

    fn start(&self) -> Result<Self::Jvm, String>;
}

/// A JVM in which tests, named by their index, can be run several times.
pub trait Jvm {
    /// Runs the tests and says what became of the last one.
    fn run(&mut self, trial: &Trial<'_>) -> Verdict;

    /// False when the JVM ended during a test.
    fn is_alive(&self) -> bool;
}

/// One run of a test, after others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial<'a> {
    pub before: &'a [TestIx],
    pub test: TestIx,
    pub varied: Varied,
    /// A test that does not end gets more time than usual before it counts as hanging.
    pub is_patient: bool,
}

/// Whose choices vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Varied {
    Nothing,
    /// Those of the test and of its class's set-up.
    Own(Strategy),
    /// Those of the tests before it too.
    All(Strategy),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed(Failure),
    /// Skipped, or not found by the framework.
    NotRun,
    Cancelled,
}

impl Verdict {
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Verdict::Failed(failure) => Some(failure),
            Verdict::Passed | Verdict::NotRun | Verdict::Cancelled => None,
        }
    }
}

/// A test that failed in a round.
#[derive(Clone, Debug)]
pub struct Suspect {
    pub test: TestIx,
    pub strategy: Strategy,
    /// The tests of its class that ran before it in the build.
    pub class: Vec<TestIx>,
    /// All tests that ran before it in the same JVM of the build.
    pub prefix: Vec<TestIx>,
    /// For the random seeds of the levels that are tried.
    pub seed: Seed,
    /// Look for the weakest level.
    pub climb: bool,
    /// It failed in a JVM that had run it before.
    pub ran_before: bool,
    /// It passed when the round was repeated: a few runs alone are all that is spent on it.
    pub is_unlikely: bool,
}

/// With what a failure repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Alone,
    Class,
    Prefix,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed {
    pub scope: Scope,
    pub failure: Failure,
    /// The weakest strategy for which the failure was proved.
    pub weakest: Strategy,
    /// What proved it.
    pub evidence: Evidence,
    /// What was tried, in order: the strategy that failed in the round, then weaker ones.
    pub trials: Vec<LevelTrial>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelTrial {
    pub strategy: Strategy,
    pub failed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unconfirmed {
    /// Varied and unvaried runs do not separate: it is flaky on its own. With what it said unvaried, if it failed then.
    Flaky(Option<Box<Failure>>),
    /// It fails unvaried without the tests that ran before it, and passes after them, varied or not.
    NeedsOthers(Box<Failure>),
    /// It fails unvaried too, each time we run it; the build's own run is different in some way.
    FailsUnvaried(Box<Failure>),
    /// It fails when the tests before it vary, and not when only its own choices do.
    BrokenByOthers,
    /// It fails when it runs a second time in one JVM, and only then.
    OnlyOnce,
    /// Alone, each run of it needs a fresh JVM; see [`Inquiry::leaving_cold_ones`].
    NeedsFreshJvms,
    /// The framework did not run it when asked to.
    NotRun,
    NoJvm(String),
    Cancelled,
}

/// All that is done to confirm the failures of one test, whatever the round: what it may still cost, and what was seen.
#[derive(Clone, Debug)]
pub struct Inquiry {
    proofs_left: u32,
    /// All runs alone, proofs or not.
    pub seen: Evidence,
    /// What needs a fresh JVM for each run is left for a batch.
    leaves_cold_ones: bool,
}

impl Inquiry {
    /// The same, which leaves or does not leave what needs a fresh JVM for each run to a batch.
    #[must_use]
    pub fn leaving_cold_ones(self, leaves_cold_ones: bool) -> Inquiry {
        Inquiry {
            leaves_cold_ones,
            ..self
        }
    }

    /// Whether another proof may be begun.
    pub(crate) fn begin_proof(&mut self) -> bool {
        let may = self.proofs_left > 0;
        self.proofs_left = self.proofs_left.saturating_sub(1);
        may
    }
}

impl Default for Inquiry {
    fn default() -> Inquiry {
        Inquiry {
            proofs_left: ATTEMPTS,
            seen: Evidence::LEARNED,
            leaves_cold_ones: false,
        }
    }
}

/// Unvaried failures of a test that passed in the build which say that our JVMs are different: fewer may be chance.
const FAILS_ALWAYS: u32 = 4;

/// Confirms a failure: alone, else with its class, else with all the tests that ran before it.
///
/// `warm` is a JVM in which other tests were confirmed and passed unvaried afterwards, or `None`.
pub fn confirm<S: Jvms>(
    jvms: &S,
    suspect: &Suspect,
    inquiry: &mut Inquiry,
    warm: &mut Option<S::Jvm>,
) -> Result<Confirmed, Unconfirmed> {
    let mut why = Unconfirmed::Flaky(None);
    let mut tried = 0;
    for (scope, before) in [
        (Scope::Alone, &[][..]),
        (Scope::Class, &suspect.class),
        (Scope::Prefix, &suspect.prefix),
    ] {
        // A scope with no more tests than the one before says nothing new.
        if scope != Scope::Alone && before.len() <= tried {
            continue;
        }
        tried = before.len();
        let mut attempt = Attempt {
            jvms,
            suspect,
            scope,
            before,
            inquiry,
            jvm: warm.take(),
            is_cold: false,
        };
        match attempt.run() {
            Ok(confirmed) => {
                *warm = attempt.jvm.filter(Jvm::is_alive);
                return Ok(confirmed);
            }
            Err(stop @ (Unconfirmed::NoJvm(_) | Unconfirmed::Cancelled | Unconfirmed::NeedsFreshJvms)) => {
                return Err(stop);
            }
            Err(Unconfirmed::Flaky(None)) => {
                if suspect.is_unlikely {
                    *warm = attempt.jvm.filter(Jvm::is_alive);
                }
                if let Unconfirmed::FailsUnvaried(failure) = why {
                    why = Unconfirmed::NeedsOthers(failure);
                }
            }
            Err(flaky @ Unconfirmed::Flaky(Some(_))) => return Err(flaky),
            Err(reason) => why = reason,
        }
    }
    Err(why)
}

/// Why a failure of a round does not repeat: because of an earlier run of the same test, because of varied tests before
/// it, or by chance.
pub fn blame<S: Jvms>(jvms: &S, suspect: &Suspect) -> Unconfirmed {
    own_or_others_doing(jvms, suspect).unwrap_or_else(|cannot| cannot)
}

fn own_or_others_doing<S: Jvms>(jvms: &S, suspect: &Suspect) -> Result<Unconfirmed, Unconfirmed> {
    let fails = |jvm: &mut S::Jvm, before: &[TestIx], varied| {
        let trial = Trial {
            before,
            test: suspect.test,
            varied,
            is_patient: false,
        };
        matches!(jvm.run(&trial), Verdict::Failed(_))
    };
    let start = || jvms.start().map_err(Unconfirmed::NoJvm);
    if suspect.ran_before {
        let mut jvm = start()?;
        let again = [Varied::Nothing, Varied::Own(suspect.strategy)];
        if !fails(&mut jvm, &[], Varied::Nothing)
            && again
                .into_iter()
                .any(|varied| jvm.is_alive() && fails(&mut jvm, &[], varied))
        {
            return Ok(Unconfirmed::OnlyOnce);
        }
    }
    for before in [&suspect.class, &suspect.prefix] {
        let broken = || -> Result<bool, Unconfirmed> {
            Ok(fails(&mut start()?, before, Varied::All(suspect.strategy)))
        };
        if !before.is_empty() && broken()? && broken()? {
            return Ok(Unconfirmed::BrokenByOthers);
        }
    }
    Ok(Unconfirmed::Flaky(None))
}

/// One scope of one suspect.
struct Attempt<'a, S: Jvms> {
    jvms: &'a S,
    suspect: &'a Suspect,
    scope: Scope,
    before: &'a [TestIx],
    inquiry: &'a mut Inquiry,
    /// The JVM that is used again as long as it is as good as new.
    jvm: Option<S::Jvm>,
    /// Every run needs a fresh JVM: the test finds changed what its earlier runs left behind, or an initialiser froze.
    is_cold: bool,
}

impl<S: Jvms> Attempt<'_, S> {
    fn run(&mut self) -> Result<Confirmed, Unconfirmed> {
        let strategy = self.suspect.strategy;
        let failure = self.select(strategy)?;
        let mut trials = vec![LevelTrial {
            strategy,
            failed: true,
        }];
        if self.suspect.climb {
            self.find_weakest(&mut trials)?;
        }
        // The weakest first; what is not proved there may still be at a stronger level.
        let failing = trials.iter().rev().filter(|trial| trial.failed);
        for weakest in failing.map(|trial| trial.strategy) {
            if let Some((evidence, proved)) = self.prove(weakest)? {
                return Ok(Confirmed {
                    scope: self.scope,
                    failure: proved.unwrap_or(failure),
                    weakest,
                    evidence,
                    trials,
                });
            }
        }
        Err(Unconfirmed::Flaky(None))
    }

    /// Fails varied and passes unvaried, once each: in the same JVM if it can, else in fresh ones.
    fn select(&mut self, strategy: Strategy) -> Result<Failure, Unconfirmed> {
        let failure = self.fails_within(strategy)?.ok_or(Unconfirmed::Flaky(None))?;
        if self.unvaried()?.is_none() {
            return Ok(failure);
        }
        // What an initialiser froze, or what the failing test left behind, is gone in a fresh JVM.
        self.turn_cold()?;
        let mut unvaried = Counts::default();
        let mut said = None;
        while unvaried.failed < FAILS_ALWAYS {
            match self.unvaried()? {
                None if unvaried.failed == 0 => return Ok(failure),
                None => return Err(Unconfirmed::Flaky(said)),
                Some(failure) => {
                    unvaried.add(true);
                    said = Some(Box::new(failure));
                }
            }
        }
        Err(said.map_or(Unconfirmed::NotRun, Unconfirmed::FailsUnvaried))
    }

    /// Varied runs until one fails. Alone, a failure that does not always show is waited for; it must show in a JVM that
    /// has not run the test before, as when it is replayed.
    fn fails_within(&mut self, strategy: Strategy) -> Result<Option<Failure>, Unconfirmed> {
        const MORE: u32 = 2;
        let was_used = self.jvm.is_some();
        let mut failure = self.varied(strategy, true)?;
        if failure.is_none() && was_used && !self.suspect.is_unlikely {
            // What others left in a used JVM may hide it.
            self.jvm = None;
            failure = self.varied(strategy, true)?;
        }
        if failure.is_some() || self.scope != Scope::Alone {
            return Ok(failure);
        }
        for _ in 0..MORE {
            if self.varied(strategy, true)?.is_some() {
                self.jvm = None;
                let fresh = self.varied(strategy, true)?;
                if fresh.is_some() {
                    return Ok(fresh);
                }
            }
        }
        Ok(None)
    }

    /// Goes down level by level as long as one of its strategies fails. What can fail at a level can fail at the
    /// stronger ones, so the first level at which nothing fails ends the search.
    fn find_weakest(&mut self, trials: &mut Vec<LevelTrial>) -> Result<(), Unconfirmed> {
        let below = Level::ALL
            .into_iter()
            .rev()
            .filter(|level| *level < self.suspect.strategy.level);
        for level in below {
            let mut has_failed = false;
            for strategy in strategies(level, self.suspect.seed) {
                let failed = self.varied(strategy, false)?.is_some();
                trials.push(LevelTrial { strategy, failed });
                if failed {
                    has_failed = true;
                    // The JVM must be as good as new for the next.
                    if !self.is_cold && self.jvm.is_some() && self.unvaried()?.is_some() {
                        self.turn_cold()?;
                    }
                    break;
                }
            }
            if !has_failed {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Pairs of runs until the counts say enough: in one JVM, and if that does not prove it, in fresh ones.
    fn prove(&mut self, strategy: Strategy) -> Result<Option<(Evidence, Option<Failure>)>, Unconfirmed> {
        loop {
            if !self.inquiry.begin_proof() {
                return Ok(None);
            }
            let mut evidence = Evidence::LEARNED;
            let mut last = None;
            let proved = loop {
                let failure = self.varied(strategy, false)?;
                evidence.with.add(failure.is_some());
                last = failure.or(last);
                match evidence.next() {
                    ProofStep::Proved => break true,
                    ProofStep::GiveUp => break false,
                    ProofStep::AnotherPair => {}
                }
                let unvaried = self.unvaried()?;
                evidence.without.add(unvaried.is_some());
                if let Some(failure) = unvaried {
                    if self.is_cold {
                        return Err(Unconfirmed::Flaky(Some(Box::new(failure))));
                    }
                    break false;
                }
            };
            if proved {
                return Ok(Some((evidence, last)));
            }
            if self.is_cold {
                return Ok(None);
            }
            self.turn_cold()?;
        }
    }

    /// From here on every run is in a fresh JVM.
    fn turn_cold(&mut self) -> Result<(), Unconfirmed> {
        if self.inquiry.leaves_cold_ones && self.scope == Scope::Alone {
            return Err(Unconfirmed::NeedsFreshJvms);
        }
        self.is_cold = true;
        Ok(())
    }

    /// `None`: it passed.
    fn varied(&mut self, strategy: Strategy, is_patient: bool) -> Result<Option<Failure>, Unconfirmed> {
        let failure = self.once(Varied::Own(strategy), is_patient)?;
        if self.scope == Scope::Alone {
            self.inquiry.seen.with.add(failure.is_some());
        }
        Ok(failure)
    }

    fn unvaried(&mut self) -> Result<Option<Failure>, Unconfirmed> {
        let failure = self.once(Varied::Nothing, true)?;
        // A failure in a used JVM may come of what the varied run left behind.
        if self.scope == Scope::Alone && (self.is_cold || failure.is_none()) {
            self.inquiry.seen.without.add(failure.is_some());
        }
        Ok(failure)
    }

    fn once(&mut self, varied: Varied, is_patient: bool) -> Result<Option<Failure>, Unconfirmed> {
        let used = self.jvm.take().filter(|jvm| !self.is_cold && jvm.is_alive());
        let mut jvm = match used {
            Some(jvm) => jvm,
            None => self.jvms.start().map_err(Unconfirmed::NoJvm)?,
        };
        let verdict = jvm.run(&Trial {
            before: self.before,
            test: self.suspect.test,
            varied,
            is_patient,
        });
        self.jvm = Some(jvm).filter(|jvm| !self.is_cold && jvm.is_alive());
        match verdict {
            Verdict::Passed => Ok(None),
            Verdict::Failed(failure) => Ok(Some(failure)),
            Verdict::NotRun => Err(Unconfirmed::NotRun),
            Verdict::Cancelled => Err(Unconfirmed::Cancelled),
        }
    }
}

/// How many random seeds are tried per level beside its guided forms.
const SEEDS_PER_LEVEL: u64 = 3;

/// What is tried at a level: its guided forms and some seeds. Reversing is the same at every level and was the first
/// round.
pub(crate) fn strategies(level: Level, seed: Seed) -> impl Iterator<Item = Strategy> {
    let random = (1..=SEEDS_PER_LEVEL).map(move |n| Form::Random(seed.derive(n)));
    [Form::Odd, Form::Pairs]
        .into_iter()
        .chain(random)
        .map(move |form| Strategy { level, form })
}

#[cfg(test)]
mod tests;
