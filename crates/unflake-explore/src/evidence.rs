//! Whether counts can be chance. A test that fails by itself, with whatever probability, must not be reported as the
//! victim of something else (N7).
//!
//! Runs come in pairs, one *with* what is said to make the test fail and one *without*. If that has no influence, every
//! run fails with the same probability p, whatever p is, and a pair that fails with and passes without has probability
//! p·(1−p), at most 1/4. [`PAIRS`] such pairs without any other result prove a failure. A test that fails often but not
//! always, because of its threads, needs more pairs; [`LOOKS`] says when its counts are looked at. One run without a
//! failure proves nothing: as soon as the test fails without, the proof is over.
//!
//! A unit test computes how likely chance passes for every p: less than 1 of 10,000 for all [`ATTEMPTS`] together.

/// Pairs that prove a failure if they all agree.
pub const PAIRS: u32 = 8;

/// Proofs that may be begun for one test in one check.
pub const ATTEMPTS: u32 = 6;

/// After so many pairs, counts this unlikely prove a failure that does not always show.
const LOOKS: [u32; 4] = [16, 28, 44, 64];
const UNLIKELY: f64 = 2.6e-7;

/// A failure that has not shown in so many pairs is not waited for.
const PATIENCE: u32 = 4;

/// From [`PAIRS`] on, one failure in so many runs is the least that can still become a proof.
const ONE_IN: u32 = 4;

/// How often a test ran, and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub failed: u32,
    pub runs: u32,
}

impl Counts {
    pub fn add(&mut self, failed: bool) {
        self.failed += u32::from(failed);
        self.runs += 1;
    }

    #[must_use]
    pub fn plus(self, other: Counts) -> Counts {
        Counts {
            failed: self.failed + other.failed,
            runs: self.runs + other.runs,
        }
    }

    pub fn passed(self) -> u32 {
        self.runs - self.failed
    }

    /// Whether both outcomes were seen.
    pub fn is_mixed(self) -> bool {
        self.failed > 0 && self.passed() > 0
    }
}

/// What was seen of a test, with and without what is said to make it fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    pub with: Counts,
    pub without: Counts,
}

/// What to do after a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofStep {
    AnotherPair,
    Proved,
    /// The counts do not separate, and more of them will not either.
    GiveUp,
}

impl Evidence {
    /// Before the first run of ours: the build's own run passed.
    pub const LEARNED: Evidence = Evidence {
        with: Counts { failed: 0, runs: 0 },
        without: Counts { failed: 0, runs: 1 },
    };

    /// After a run with; the run without of this pair may be saved.
    pub fn next(self) -> ProofStep {
        let Counts { failed, runs } = self.with;
        if self.without.failed > 0 {
            ProofStep::GiveUp
        } else if failed == runs {
            if runs >= PAIRS && self.without.runs >= PAIRS {
                ProofStep::Proved
            } else {
                ProofStep::AnotherPair
            }
        } else if LOOKS.contains(&runs) && self.chance() <= UNLIKELY {
            ProofStep::Proved
        } else if runs >= LOOKS[LOOKS.len() - 1]
            || (runs >= PATIENCE && failed == 0)
            || (runs >= PAIRS && failed * ONE_IN < runs)
        {
            ProofStep::GiveUp
        } else {
            ProofStep::AnotherPair
        }
    }

    /// How likely counts at least as clear are by chance: for the probability of failing for which that is likeliest.
    pub fn chance(self) -> f64 {
        if self.without.failed > 0 {
            return 1.0;
        }
        let of = |p: f64| power(1.0 - p, self.without.runs) * at_least(self.with, p);
        probabilities().map(of).fold(0.0, f64::max)
    }

    pub fn plus(self, other: Evidence) -> Evidence {
        Evidence {
            with: self.with.plus(other.with),
            without: self.without.plus(other.without),
        }
    }
}

fn probabilities() -> impl Iterator<Item = f64> {
    const STEPS: u32 = 512;
    (1..STEPS).map(|step| f64::from(step) / f64::from(STEPS))
}

fn power(base: f64, exponent: u32) -> f64 {
    base.powi(i32::try_from(exponent).unwrap_or(i32::MAX))
}

/// How likely at least so many of the runs fail if each does with probability `p`.
fn at_least(counts: Counts, p: f64) -> f64 {
    let mut sum = 0.0;
    let mut ways = 1.0;
    for failed in 0..=counts.runs {
        if failed >= counts.failed {
            sum += ways * power(p, failed) * power(1.0 - p, counts.runs - failed);
        }
        ways *= f64::from(counts.runs - failed) / f64::from(failed + 1);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(failed: u32, runs: u32, without: u32) -> Evidence {
        Evidence {
            with: Counts { failed, runs },
            without: Counts {
                failed: 0,
                runs: without,
            },
        }
    }

    /// How likely one proof succeeds for a test that fails so likely with, and so likely without: exactly, over all ways
    /// that a proof can go. `steps`: what is decided after so many runs with, of which so many failed.
    fn proved(with: f64, without: f64, steps: &[Vec<ProofStep>]) -> f64 {
        let mut likely = vec![1.0];
        let mut proved = 0.0;
        for step in steps {
            let mut next = vec![0.0; step.len()];
            for (failed, before) in likely.iter().enumerate() {
                next[failed + 1] += before * with;
                next[failed] += before * (1.0 - with);
            }
            for (here, step) in next.iter_mut().zip(step) {
                match step {
                    ProofStep::AnotherPair => *here *= 1.0 - without,
                    ProofStep::Proved => proved += std::mem::take(here),
                    ProofStep::GiveUp => *here = 0.0,
                }
            }
            likely = next;
        }
        assert!(likely.iter().sum::<f64>() == 0.0, "every proof ends");
        proved
    }

    fn steps() -> Vec<Vec<ProofStep>> {
        // With the build's own run there is one more without than pairs before this one.
        let step = |runs| (0..=runs).map(move |failed| evidence(failed, runs, runs).next());
        (1..=LOOKS[LOOKS.len() - 1])
            .map(|runs| step(runs).collect())
            .collect()
    }

    #[test]
    fn chance_is_reported_in_fewer_than_one_of_ten_thousand_checks() {
        let steps = steps();
        let worst = probabilities()
            .map(|p| f64::from(ATTEMPTS) * (1.0 - p) * proved(p, p, &steps))
            .fold(0.0, f64::max);
        assert!(worst < 1e-4, "{worst}");
        // The issue's own example: eight of eight, six times.
        assert!(worst > 6.0 / 65_536.0 * 0.9, "{worst}");
    }

    #[test]
    fn what_always_fails_with_and_never_without_is_proved_by_eight_pairs() {
        for runs in 1..PAIRS {
            assert_eq!(evidence(runs, runs, runs).next(), ProofStep::AnotherPair);
        }
        assert_eq!(evidence(8, 8, 8).next(), ProofStep::Proved);
        assert_eq!(evidence(8, 8, 7).next(), ProofStep::AnotherPair);
    }

    #[test]
    fn one_failure_without_ends_the_proof() {
        let mut seen = evidence(7, 7, 7);
        seen.without.add(true);
        assert_eq!(seen.next(), ProofStep::GiveUp);
        assert_eq!(seen.chance(), 1.0);
    }

    #[test]
    fn what_fails_often_is_proved_by_more_pairs() {
        assert_eq!(evidence(7, 8, 8).next(), ProofStep::AnotherPair);
        assert_eq!(evidence(15, 16, 16).next(), ProofStep::Proved);
        assert_eq!(evidence(14, 28, 28).next(), ProofStep::AnotherPair);
        assert_eq!(evidence(20, 28, 28).next(), ProofStep::Proved);
        assert_eq!(evidence(22, 44, 44).next(), ProofStep::Proved);
        assert_eq!(evidence(12, 44, 44).next(), ProofStep::AnotherPair);
        assert_eq!(evidence(17, 64, 64).next(), ProofStep::GiveUp);
        assert_eq!(evidence(18, 64, 64).next(), ProofStep::Proved);
    }

    #[test]
    fn counts_are_mixed_if_both_outcomes_were_seen() {
        let is_mixed = |failed, runs| Counts { failed, runs }.is_mixed();
        assert!(is_mixed(1, 4) && is_mixed(3, 4));
        assert!(!is_mixed(0, 4) && !is_mixed(4, 4) && !is_mixed(0, 0));
        assert_eq!(Counts { failed: 1, runs: 4 }.passed(), 3);
    }

    #[test]
    fn what_was_seen_twice_adds_up_each_way() {
        let sum = evidence(1, 2, 3).plus(evidence(4, 6, 9));
        assert_eq!(sum, evidence(5, 8, 12));
        let mut failing = evidence(0, 0, 0);
        failing.without.add(true);
        let both = failing.plus(failing).without;
        assert_eq!((both.failed, both.runs), (2, 2));
    }

    #[test]
    fn what_hardly_ever_fails_is_given_up_soon() {
        assert_eq!(evidence(0, 3, 3).next(), ProofStep::AnotherPair);
        assert_eq!(evidence(0, 4, 4).next(), ProofStep::GiveUp);
        assert_eq!(evidence(1, 8, 8).next(), ProofStep::GiveUp);
        assert_eq!(evidence(2, 8, 8).next(), ProofStep::AnotherPair);
    }

    #[test]
    fn a_test_that_fails_half_of_the_time_with_and_never_without_is_nearly_always_proved() {
        let steps = steps();
        let with = |p| proved(p, 0.0, &steps);
        assert!(with(1.0) == 1.0);
        assert!(with(0.8) > 0.99, "{}", with(0.8));
        assert!(with(0.5) > 0.85, "{}", with(0.5));
    }
}
