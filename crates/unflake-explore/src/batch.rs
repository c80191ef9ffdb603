//! Confirms many failures that show in fresh JVMs only, together: a JVM for each run of each test would be many.
//!
//! In a batch each suspect runs once, in one JVM that is new for it. The suspects of a batch vary together, in another
//! order each time, so a batch only selects: what it proved counts after one more run in which everything but the test
//! itself is natural. Who is lost here is confirmed alone.

use crate::confirm::{
    Confirmed, Inquiry, Jvm, Jvms, LevelTrial, Scope, Suspect, Trial, Varied, Verdict, strategies,
};
use crate::evidence::{Evidence, ProofStep};
use unflake_protocol::{Level, Strategy};

/// What is known of one suspect.
struct Candidate<'a> {
    suspect: &'a Suspect,
    inquiry: &'a mut Inquiry,
    trials: Vec<LevelTrial>,
    evidence: Evidence,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Selected,
    Lost,
}

/// What becomes of these suspects, in their order; `None`: a batch says nothing about it.
pub fn confirm_together<S: Jvms>(
    jvms: &S,
    suspects: Vec<(&Suspect, &mut Inquiry)>,
) -> Vec<Option<Confirmed>> {
    let mut batch = Batch {
        jvms,
        candidates: suspects
            .into_iter()
            .map(|(suspect, inquiry)| Candidate::new(suspect, inquiry))
            .collect(),
        turn: 0,
    };
    batch.repeat();
    batch.find_weakest();
    batch.prove();
    batch
        .candidates
        .into_iter()
        .map(|candidate| candidate.alone(jvms))
        .collect()
}

impl<'a> Candidate<'a> {
    fn new(suspect: &'a Suspect, inquiry: &'a mut Inquiry) -> Candidate<'a> {
        let state = if inquiry.begin_proof() {
            State::Open
        } else {
            State::Lost
        };
        Candidate {
            suspect,
            inquiry,
            trials: Vec::new(),
            evidence: Evidence::LEARNED,
            state,
        }
    }

    fn weakest(&self) -> Strategy {
        let failing = self.trials.iter().rev().find(|trial| trial.failed);
        failing.map_or(self.suspect.strategy, |trial| trial.strategy)
    }

    fn has_failed_at(&self, level: Level) -> bool {
        let mut failing = self.trials.iter().filter(|trial| trial.failed);
        failing.any(|trial| trial.strategy.level == level)
    }

    /// Where the search for the weakest level is: a level is worth trying if the one above it failed.
    fn climbs_to(&self, level: Level) -> bool {
        let above = Level::ALL.into_iter().find(|other| *other > level);
        self.suspect.climb
            && level < self.suspect.strategy.level
            && above.is_some_and(|above| above == self.suspect.strategy.level || self.has_failed_at(above))
    }

    fn ran_varied(&mut self, failed: bool) {
        self.evidence.with.add(failed);
        self.inquiry.seen.with.add(failed);
    }

    fn passed_unvaried(&mut self) {
        self.evidence.without.add(false);
        self.inquiry.seen.without.add(false);
    }

    /// The last word: in a JVM of its own, only its own choices vary.
    fn alone<S: Jvms>(mut self, jvms: &S) -> Option<Confirmed> {
        if self.state != State::Selected {
            return None;
        }
        let weakest = self.weakest();
        let verdict = jvms.start().ok()?.run(&Trial {
            before: &[],
            test: self.suspect.test,
            varied: Varied::Own(weakest),
            is_patient: true,
        });
        self.ran_varied(verdict.failure().is_some());
        Some(Confirmed {
            scope: Scope::Alone,
            failure: verdict.failure().cloned()?,
            weakest,
            evidence: self.evidence,
            trials: self.trials,
        })
    }
}

struct Batch<'a, S> {
    jvms: &'a S,
    candidates: Vec<Candidate<'a>>,
    /// Batches so far.
    turn: usize,
}

impl<S: Jvms> Batch<'_, S> {
    /// Runs those for which there is something to run, each once in a JVM that has not run it before.
    fn run(&mut self, what: impl Fn(&Candidate<'_>) -> Option<Varied>) -> Vec<Option<Verdict>> {
        self.turn += 1;
        let mut order: Vec<usize> = (0..self.candidates.len()).collect();
        // Who comes first, and who after whom, changes from turn to turn.
        order.rotate_left(self.turn * 7 % self.candidates.len().max(1));
        if self.turn.is_multiple_of(2) {
            order.reverse();
        }
        let mut verdicts = vec![None; self.candidates.len()];
        let mut jvm: Option<S::Jvm> = None;
        for index in order {
            let candidate = &self.candidates[index];
            let Some(varied) = what(candidate).filter(|_| candidate.state == State::Open) else {
                continue;
            };
            let used = jvm.take().filter(Jvm::is_alive);
            let Some(mut running) = used.or_else(|| self.jvms.start().ok()) else {
                return verdicts;
            };
            verdicts[index] = Some(running.run(&Trial {
                before: &[],
                test: candidate.suspect.test,
                varied,
                is_patient: true,
            }));
            jvm = Some(running);
        }
        verdicts
    }

    fn repeat(&mut self) {
        let verdicts = self.run(|candidate| Some(Varied::Own(candidate.suspect.strategy)));
        for (candidate, verdict) in self.candidates.iter_mut().zip(verdicts) {
            match verdict {
                Some(Verdict::Failed(_)) => candidate.trials.push(LevelTrial {
                    strategy: candidate.suspect.strategy,
                    failed: true,
                }),
                _ => candidate.state = State::Lost,
            }
        }
    }

    fn find_weakest(&mut self) {
        for level in Level::ALL.into_iter().rev() {
            let seeds: Vec<Strategy> = match self.candidates.first() {
                Some(first) => strategies(level, first.suspect.seed).collect(),
                None => return,
            };
            for strategy in seeds {
                let wants =
                    |candidate: &Candidate<'_>| candidate.climbs_to(level) && !candidate.has_failed_at(level);
                if !self
                    .candidates
                    .iter()
                    .any(|candidate| candidate.state == State::Open && wants(candidate))
                {
                    break;
                }
                let verdicts = self.run(|candidate| wants(candidate).then_some(Varied::Own(strategy)));
                for (candidate, verdict) in self.candidates.iter_mut().zip(verdicts) {
                    if let Some(verdict) = verdict {
                        let failed = verdict.failure().is_some();
                        candidate.trials.push(LevelTrial { strategy, failed });
                    }
                }
            }
        }
    }

    /// Pairs of batches until each suspect is proved or lost.
    fn prove(&mut self) {
        while self
            .candidates
            .iter()
            .any(|candidate| candidate.state == State::Open)
        {
            let verdicts = self.run(|candidate| Some(Varied::Own(candidate.weakest())));
            for (candidate, verdict) in self.candidates.iter_mut().zip(verdicts) {
                if candidate.state != State::Open {
                    continue;
                }
                let failed = match verdict {
                    Some(Verdict::Failed(_)) => true,
                    Some(Verdict::Passed) => false,
                    Some(Verdict::NotRun | Verdict::Cancelled) | None => {
                        candidate.state = State::Lost;
                        continue;
                    }
                };
                candidate.ran_varied(failed);
                match candidate.evidence.next() {
                    ProofStep::Proved => candidate.state = State::Selected,
                    ProofStep::GiveUp => candidate.state = State::Lost,
                    ProofStep::AnotherPair => {}
                }
            }
            let verdicts = self.run(|_| Some(Varied::Nothing));
            for (candidate, verdict) in self.candidates.iter_mut().zip(verdicts) {
                if candidate.state == State::Open {
                    match verdict {
                        Some(Verdict::Passed) => candidate.passed_unvaried(),
                        _ => candidate.state = State::Lost,
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TestIx;
    use std::cell::{Cell, RefCell};
    use unflake_protocol::{Failure, Form, Seed};

    /// What a test does in a JVM that has run these before.
    type Rule = dyn Fn(&[(TestIx, Varied)], TestIx, Varied) -> bool;

    struct Fake<'r> {
        fails: &'r Rule,
        starts: Cell<u32>,
    }

    struct FakeJvm<'r> {
        fails: &'r Rule,
        history: RefCell<Vec<(TestIx, Varied)>>,
    }

    impl<'r> Jvms for Fake<'r> {
        type Jvm = FakeJvm<'r>;

        fn start(&self) -> Result<FakeJvm<'r>, String> {
            self.starts.set(self.starts.get() + 1);
            Ok(FakeJvm {
                fails: self.fails,
                history: RefCell::default(),
            })
        }
    }

    impl Jvm for FakeJvm<'_> {
        fn run(&mut self, trial: &Trial<'_>) -> Verdict {
            let fails = (self.fails)(&self.history.borrow(), trial.test, trial.varied);
            self.history.borrow_mut().push((trial.test, trial.varied));
            if fails {
                Verdict::Failed(Failure {
                    kind: "E".to_owned(),
                    message: String::new(),
                    trace: String::new(),
                    expected: None,
                    actual: None,
                })
            } else {
                Verdict::Passed
            }
        }

        fn is_alive(&self) -> bool {
            true
        }
    }

    fn is_varied(varied: Varied) -> bool {
        varied != Varied::Nothing
    }

    /// For each of so many suspects the level at which it was confirmed, and the JVMs that were started.
    fn check(count: usize, fails: &Rule) -> (Vec<Option<Level>>, u32) {
        let fake = Fake {
            fails,
            starts: Cell::new(0),
        };
        let suspects: Vec<Suspect> = (0..count)
            .map(|test| Suspect {
                test: TestIx(test),
                strategy: Strategy {
                    level: Level::Full,
                    form: Form::Odd,
                },
                class: Vec::new(),
                prefix: Vec::new(),
                seed: Seed(1),
                climb: true,
                ran_before: false,
                is_unlikely: false,
            })
            .collect();
        let mut inquiries: Vec<Inquiry> = (0..count).map(|_| Inquiry::default()).collect();
        let found = confirm_together(&fake, suspects.iter().zip(&mut inquiries).collect());
        let levels = found
            .into_iter()
            .map(|found| found.map(|found| found.weakest.level));
        (levels.collect(), fake.starts.get())
    }

    /// It fails only the first time in a JVM, so that nothing can be proved in one.
    fn is_first(history: &[(TestIx, Varied)], test: TestIx) -> bool {
        history.iter().all(|(other, _)| *other != test)
    }

    #[test]
    fn jvms_follow_the_runs_and_not_the_suspects() {
        let fails = |history: &[(TestIx, Varied)], test, varied| is_varied(varied) && is_first(history, test);
        let (levels, starts) = check(40, &fails);
        assert_eq!(levels, vec![Some(Level::One); 40]);
        // One each for the last word; the failure again, three levels, eight pairs less the last unvaried one.
        assert_eq!(starts, 40 + 1 + 3 + 15);
    }

    #[test]
    fn the_weakest_level_is_found_for_each() {
        let fails = |_: &[(TestIx, Varied)], test: TestIx, varied| match varied {
            Varied::Own(strategy) => strategy.level >= Level::ALL[test.0 % 4],
            _ => false,
        };
        let (levels, _) = check(8, &fails);
        let expected: Vec<Option<Level>> = Level::ALL.into_iter().cycle().take(8).map(Some).collect();
        assert_eq!(levels, expected);
    }

    #[test]
    fn a_neighbour_of_what_varies_is_not_confirmed() {
        // The second fails if the first has varied in its JVM before: never when all else is natural.
        let fails = |history: &[(TestIx, Varied)], test: TestIx, varied| match test.0 {
            0 => is_varied(varied),
            _ => history
                .iter()
                .any(|(other, varied)| other.0 == 0 && is_varied(*varied)),
        };
        assert_eq!(check(2, &fails).0, [Some(Level::One), None]);
    }

    #[test]
    fn who_is_proved_early_is_not_lost_while_others_take_longer() {
        // The second passes in one of eight varied runs.
        let varied = Cell::new(0_u32);
        let fails = move |_: &[(TestIx, Varied)], test: TestIx, how: Varied| {
            let is_second = test.0 == 1 && is_varied(how);
            varied.set(varied.get() + u32::from(is_second));
            is_varied(how) && !(is_second && varied.get() % 8 == 6)
        };
        let (levels, _) = check(2, &fails);
        assert!(levels.iter().all(Option::is_some), "{levels:?}");
    }

    #[test]
    fn who_fails_unvaried_is_lost() {
        let times = Cell::new(0_u32);
        let fails = move |_: &[(TestIx, Varied)], test: TestIx, how: Varied| {
            let is_late = test.0 == 1 && !is_varied(how);
            times.set(times.get() + u32::from(is_late));
            is_varied(how) || is_late && times.get() == 3
        };
        assert_eq!(check(2, &fails).0, [Some(Level::One), None]);
    }

    /// The levels that were tried for one suspect each that failed at these levels.
    fn tried(failed_at: [Level; 2], fails: &Rule) -> [Vec<Level>; 2] {
        let fake = Fake {
            fails,
            starts: Cell::new(0),
        };
        let suspect = |test: usize| Suspect {
            test: TestIx(test),
            strategy: Strategy {
                level: failed_at[test],
                form: Form::Odd,
            },
            class: Vec::new(),
            prefix: Vec::new(),
            seed: Seed(1),
            climb: true,
            ran_before: false,
            is_unlikely: false,
        };
        let suspects = [0, 1].map(suspect);
        let mut inquiries = [Inquiry::default(), Inquiry::default()];
        let found = confirm_together(&fake, suspects.iter().zip(&mut inquiries).collect());
        [0, 1].map(|index: usize| {
            let trials = &found[index].as_ref().unwrap().trials;
            trials.iter().map(|trial| trial.strategy.level).collect()
        })
    }

    #[test]
    fn no_level_is_tried_that_is_not_weaker_than_the_failure() {
        let found = tried([Level::Full, Level::Eq], &|_, _, varied| is_varied(varied));
        let all = [Level::Full, Level::Id, Level::Eq, Level::One];
        assert_eq!(found, [all.to_vec(), all[2..].to_vec()]);
    }

    #[test]
    fn below_a_level_at_which_nothing_fails_nothing_is_tried() {
        // Two guided forms and three seeds of the level below.
        let found = tried([Level::Full, Level::Id], &|_, test, varied| match varied {
            Varied::Own(strategy) => strategy.level >= [Level::Full, Level::Id][test.0],
            _ => false,
        });
        let expected = [(Level::Full, Level::Id), (Level::Id, Level::Eq)];
        assert_eq!(
            found,
            expected.map(|(own, below)| [vec![own], vec![below; 5]].concat())
        );
    }

    #[test]
    fn proofs_are_counted_and_weaker_levels_tried_only_if_asked_for() {
        let fake = Fake {
            fails: &|_, _, varied| is_varied(varied),
            starts: Cell::new(0),
        };
        let suspect = Suspect {
            test: TestIx(0),
            strategy: Strategy {
                level: Level::Full,
                form: Form::Odd,
            },
            class: Vec::new(),
            prefix: Vec::new(),
            seed: Seed(1),
            climb: false,
            ran_before: false,
            is_unlikely: false,
        };
        let mut inquiry = Inquiry::default();
        for _ in 0..crate::evidence::ATTEMPTS {
            let found = confirm_together(&fake, vec![(&suspect, &mut inquiry)]);
            assert_eq!(found[0].as_ref().unwrap().weakest.level, Level::Full);
        }
        // Eight pairs and the last word each; the build's own run is counted in each proof, and here once.
        let (with, without) = (inquiry.seen.with, inquiry.seen.without);
        assert_eq!((with.failed, with.runs), (6 * 9, 6 * 9));
        assert_eq!((without.failed, without.runs), (0, 1 + 6 * 7));
        let starts = fake.starts.get();
        assert_eq!(confirm_together(&fake, vec![(&suspect, &mut inquiry)]), [None]);
        assert_eq!(fake.starts.get(), starts);
    }

    #[test]
    fn chance_is_not_confirmed() {
        let luck = Cell::new(7_u64);
        let fails = move |_: &[(TestIx, Varied)], _: TestIx, _: Varied| {
            luck.set(luck.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
            luck.get() >> 63 == 1
        };
        assert_eq!(check(200, &fails).0, vec![None; 200]);
    }
}
