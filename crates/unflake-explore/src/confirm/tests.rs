//! Suites in which a rule says what fails.

use super::*;
use std::cell::{Cell, RefCell};

/// One run as a rule sees it.
struct Seen<'a> {
    /// What the JVM ran before, oldest first.
    history: &'a [Varied],
    before: &'a [TestIx],
    varied: Varied,
    /// Runs in all JVMs so far.
    runs: u32,
    /// The number of the JVM.
    jvm: u32,
}

impl Seen<'_> {
    fn strategy(&self) -> Option<Strategy> {
        match self.varied {
            Varied::Nothing => None,
            Varied::Own(strategy) | Varied::All(strategy) => Some(strategy),
        }
    }

    fn is_varied(&self) -> bool {
        self.strategy().is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Pass,
    Fail,
    Die,
}

struct Fake<R> {
    rule: R,
    starts: Cell<u32>,
    runs: Cell<u32>,
}

struct FakeJvm<'a, R> {
    fake: &'a Fake<R>,
    number: u32,
    history: RefCell<Vec<Varied>>,
    is_alive: bool,
}

impl<'a, R: Fn(&Seen<'_>) -> Does> Jvms for &'a Fake<R> {
    type Jvm = FakeJvm<'a, R>;

    fn start(&self) -> Result<Self::Jvm, String> {
        self.starts.set(self.starts.get() + 1);
        Ok(FakeJvm {
            fake: self,
            number: self.starts.get(),
            history: RefCell::default(),
            is_alive: true,
        })
    }
}

impl<R: Fn(&Seen<'_>) -> Does> Jvm for FakeJvm<'_, R> {
    fn run(&mut self, trial: &Trial<'_>) -> Verdict {
        assert!(self.is_alive);
        let number = self.fake.runs.get();
        let does = (self.fake.rule)(&Seen {
            history: &self.history.borrow(),
            before: trial.before,
            varied: trial.varied,
            runs: number,
            jvm: self.number,
        });
        self.fake.runs.set(number + 1);
        self.history.borrow_mut().push(trial.varied);
        self.is_alive = does != Does::Die;
        match does {
            Does::Pass => Verdict::Passed,
            Does::Fail | Does::Die => Verdict::Failed(Failure {
                kind: "E".to_owned(),
                message: format!("run {number}"),
                trace: String::new(),
                expected: None,
                actual: None,
            }),
        }
    }

    fn is_alive(&self) -> bool {
        self.is_alive
    }
}

const FULL: Strategy = Strategy {
    level: Level::Full,
    form: Form::Odd,
};
const ONE: Strategy = Strategy {
    level: Level::One,
    form: Form::Odd,
};

fn suspect() -> Suspect {
    Suspect {
        test: TestIx(9),
        strategy: FULL,
        class: vec![TestIx(8)],
        prefix: vec![TestIx(1), TestIx(8)],
        seed: Seed(1),
        climb: true,
        ran_before: false,
        is_unlikely: false,
    }
}

fn fake<R: Fn(&Seen<'_>) -> Does>(rule: R) -> Fake<R> {
    Fake {
        rule,
        starts: Cell::new(0),
        runs: Cell::new(0),
    }
}

/// What came of it, and how many JVMs were started.
fn check_as(suspect: &Suspect, rule: impl Fn(&Seen<'_>) -> Does) -> (Result<Confirmed, Unconfirmed>, u32) {
    let fake = fake(rule);
    let result = match confirm(&&fake, suspect, &mut Inquiry::default(), &mut None) {
        Err(Unconfirmed::Flaky(None)) => Err(blame(&&fake, suspect)),
        other => other,
    };
    (result, fake.starts.get())
}

fn check(fails: impl Fn(&Seen<'_>) -> bool) -> (Result<Confirmed, Unconfirmed>, u32) {
    check_as(
        &suspect(),
        |seen| if fails(seen) { Does::Fail } else { Does::Pass },
    )
}

fn counts(failed: u32, runs: u32) -> Counts {
    Counts { failed, runs }
}

#[test]
fn one_jvm_confirms_and_climbs_when_nothing_is_left_behind() {
    let (result, starts) = check(|seen| seen.strategy().is_some_and(|s| s.level >= Level::Id));
    let confirmed = result.unwrap();
    assert_eq!(
        (confirmed.scope, confirmed.weakest.level, starts),
        (Scope::Alone, Level::Id, 1)
    );
    assert_eq!(confirmed.trials.len(), 1 + 1 + 5);
    // Eight of eight; the build's own run is one of those without.
    assert_eq!(
        (confirmed.evidence.with, confirmed.evidence.without),
        (counts(8, 8), counts(0, 8))
    );
}

#[test]
fn what_fails_whenever_it_was_varied_before_is_proved_in_fresh_jvms() {
    // As if an initialiser had frozen the first run's order.
    let (result, starts) = check(
        |seen| match seen.history.first().copied().unwrap_or(seen.varied) {
            Varied::Nothing => false,
            Varied::Own(strategy) | Varied::All(strategy) => strategy.form == Form::Odd,
        },
    );
    let confirmed = result.unwrap();
    assert_eq!(confirmed.weakest, ONE);
    // One varied and its unvaried run, three levels, eight pairs without the build's own run.
    assert_eq!(starts, 2 + 3 + 15);
}

#[test]
fn what_a_used_jvm_hides_is_proved_in_fresh_ones() {
    // It fails in its first run only, as if the first answer were kept for ever.
    let (result, _) = check(|seen| seen.history.is_empty() && seen.is_varied());
    let confirmed = result.unwrap();
    assert_eq!(
        (confirmed.evidence.with, confirmed.weakest.level),
        (counts(8, 8), Level::Full)
    );
}

#[test]
fn a_test_that_ends_its_jvm_is_confirmed_like_any_other() {
    let (result, starts) = check_as(
        &suspect(),
        |seen| {
            if seen.is_varied() { Does::Die } else { Does::Pass }
        },
    );
    assert_eq!(result.unwrap().weakest, ONE);
    // Each varied run ends one.
    assert_eq!(starts, 1 + 3 + 8);
}

#[test]
fn what_needs_an_earlier_test_is_confirmed_with_it() {
    let (result, _) = check(|seen| seen.is_varied() && seen.before.contains(&TestIx(8)));
    assert_eq!(result.unwrap().scope, Scope::Class);
    let (result, _) = check(|seen| seen.is_varied() && seen.before.contains(&TestIx(1)));
    assert_eq!(result.unwrap().scope, Scope::Prefix);
}

#[test]
fn what_fails_because_the_tests_before_it_vary_is_their_doing() {
    let (result, _) = check(|seen| matches!(seen.varied, Varied::All(_)) && seen.before.contains(&TestIx(8)));
    assert_eq!(result, Err(Unconfirmed::BrokenByOthers));
}

#[test]
fn tests_share_a_jvm_while_nothing_is_left_behind() {
    let confirm_thrice = |fails: &dyn Fn(&Seen<'_>) -> bool| {
        let fake = fake(|seen| if fails(seen) { Does::Fail } else { Does::Pass });
        let mut warm = None;
        for _ in 0..3 {
            let confirmed = confirm(&&fake, &suspect(), &mut Inquiry::default(), &mut warm).unwrap();
            assert_eq!(confirmed.scope, Scope::Alone);
        }
        fake.starts.get()
    };
    assert_eq!(confirm_thrice(&|seen| seen.is_varied()), 1);
    let alone = check(|seen| seen.history.is_empty() && seen.is_varied()).1;
    assert_eq!(
        confirm_thrice(&|seen| seen.history.is_empty() && seen.is_varied()),
        3 * alone
    );
}

#[test]
fn a_failure_that_often_shows_is_proved_with_its_rate() {
    // Three of four varied runs fail, none unvaried.
    let varied = |seen: &Seen<'_>| seen.history.iter().filter(|run| **run != Varied::Nothing).count();
    let (result, starts) = check(|seen| seen.is_varied() && varied(seen) % 4 != 3);
    let Confirmed { evidence, .. } = result.unwrap();
    assert!(
        evidence.with.failed < evidence.with.runs && evidence.with.runs >= 16,
        "{evidence:?}"
    );
    assert_eq!((evidence.without.failed, starts), (0, 1));
}

#[test]
fn what_does_not_repeat_is_flaky() {
    assert_eq!(check(|_| false).0, Err(Unconfirmed::Flaky(None)));
    let first_only = |seen: &Seen<'_>| seen.runs == 0;
    assert_eq!(check(first_only).0, Err(Unconfirmed::Flaky(None)));
}

#[test]
fn what_fails_unvaried_now_and_then_is_flaky() {
    let (result, _) = check(|seen| seen.runs % 3 != 2);
    assert!(matches!(result, Err(Unconfirmed::Flaky(Some(_)))), "{result:?}");
    // Its luck is that of its JVM: varied and unvaried runs agree in each.
    let (result, _) = check(|seen| seen.jvm % 2 == 1);
    assert!(matches!(result, Err(Unconfirmed::Flaky(Some(_)))), "{result:?}");
}

/// A generator that is good enough for a test (Knuth's MMIX constants).
fn lucky(state: &Cell<u64>, percent: u64) -> bool {
    state.set(
        state
            .get()
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407),
    );
    (state.get() >> 33) % 100 < percent
}

#[test]
fn chance_is_not_confirmed() {
    let state = Cell::new(20_261_116);
    for percent in [2, 10, 30, 50, 70, 90] {
        for _ in 0..300 {
            let by_run = check(|_| lucky(&state, percent)).0;
            assert!(by_run.is_err(), "{percent} {by_run:?}");
            let luck = RefCell::new(std::collections::BTreeMap::new());
            let by_jvm = check(|seen| {
                *luck
                    .borrow_mut()
                    .entry(seen.jvm)
                    .or_insert_with(|| lucky(&state, percent))
            });
            assert!(by_jvm.0.is_err(), "{percent} {by_jvm:?}");
        }
    }
}

#[test]
fn no_more_proofs_are_begun_than_chance_allows() {
    let mut inquiry = Inquiry::default();
    let fake = fake(|seen| if seen.is_varied() { Does::Fail } else { Does::Pass });
    for _ in 0..ATTEMPTS {
        assert!(confirm(&&fake, &suspect(), &mut inquiry, &mut None).is_ok());
    }
    assert!(confirm(&&fake, &suspect(), &mut inquiry, &mut None).is_err());
}

#[test]
fn what_always_fails_unvaried_is_no_finding() {
    assert!(matches!(check(|_| true).0, Err(Unconfirmed::FailsUnvaried(_))));
}

#[test]
fn what_only_needs_other_tests_before_it_is_no_finding() {
    let (result, _) = check(|seen| !seen.before.contains(&TestIx(1)));
    assert!(matches!(result, Err(Unconfirmed::NeedsOthers(_))), "{result:?}");
}

#[test]
fn what_fails_because_it_ran_before_is_no_finding() {
    let suspect = Suspect {
        ran_before: true,
        is_unlikely: false,
        ..suspect()
    };
    let rule = |seen: &Seen<'_>| {
        if seen.history.is_empty() {
            Does::Pass
        } else {
            Does::Fail
        }
    };
    let (result, _) = check_as(&suspect, rule);
    assert_eq!(result, Err(Unconfirmed::OnlyOnce));
}

#[test]
fn a_test_that_cannot_be_run_twice_gets_a_fresh_jvm_for_each_run() {
    let (result, _) = check(|seen| !seen.history.is_empty() || seen.is_varied());
    assert_eq!(result.unwrap().weakest, ONE);
}

#[test]
fn all_runs_alone_are_counted_whatever_they_are_for() {
    let seen = |fails: &dyn Fn(&Seen<'_>) -> bool| {
        let fake = fake(|seen| if fails(seen) { Does::Fail } else { Does::Pass });
        let mut inquiry = Inquiry::default();
        let confirmed = confirm(&&fake, &suspect(), &mut inquiry, &mut None).unwrap();
        (inquiry.seen.with, inquiry.seen.without, confirmed.failure.message)
    };
    // The failure again, three levels, eight pairs of which the build's own run is one without.
    let (with, without, said) = seen(&|seen| seen.is_varied());
    assert_eq!((with, without), (counts(12, 12), counts(0, 12)));
    // What it said last is what is shown.
    assert_eq!(said, "run 22");
    // What a used JVM makes fail unvaried says nothing about the test.
    let (_, without, _) = seen(&|seen| seen.is_varied() || !seen.history.is_empty());
    assert_eq!(without.failed, 0);
    // Three times alone; what runs after other tests is not alone.
    let (with, without, _) = seen(&|seen| seen.is_varied() && seen.before.contains(&TestIx(8)));
    assert_eq!((with, without), (counts(0, 3), counts(0, 1)));
}

#[test]
fn others_are_blamed_only_if_that_repeats() {
    let times = Cell::new(0);
    let once = |seen: &Seen<'_>| {
        let is_broken = matches!(seen.varied, Varied::All(_)) && seen.before.len() == 1;
        times.set(times.get() + u32::from(is_broken));
        is_broken && times.get() == 1
    };
    assert_eq!(check(once).0, Err(Unconfirmed::Flaky(None)));
    let after_another_class =
        |seen: &Seen<'_>| matches!(seen.varied, Varied::All(_)) && seen.before.contains(&TestIx(1));
    assert_eq!(check(after_another_class).0, Err(Unconfirmed::BrokenByOthers));
    // Nobody ran before it.
    let first = Suspect {
        class: Vec::new(),
        prefix: Vec::new(),
        ..suspect()
    };
    let varied_with_others = |seen: &Seen<'_>| match seen.varied {
        Varied::All(_) => Does::Fail,
        Varied::Own(_) | Varied::Nothing => Does::Pass,
    };
    assert_eq!(
        check_as(&first, varied_with_others).0,
        Err(Unconfirmed::Flaky(None))
    );
}

#[test]
fn its_own_earlier_run_is_blamed_only_if_the_first_run_of_a_jvm_passes() {
    let blamed = |ran_before, fails: &dyn Fn(&Seen<'_>) -> bool| {
        let fake = fake(|seen| if fails(seen) { Does::Fail } else { Does::Pass });
        let suspect = Suspect {
            ran_before,
            ..suspect()
        };
        blame(&&fake, &suspect)
    };
    let again = |seen: &Seen<'_>| !seen.history.is_empty();
    assert_eq!(blamed(true, &again), Unconfirmed::OnlyOnce);
    assert_eq!(
        blamed(true, &|seen| again(seen) && seen.is_varied()),
        Unconfirmed::OnlyOnce
    );
    assert_eq!(blamed(false, &again), Unconfirmed::Flaky(None));
    assert_eq!(blamed(true, &|_| false), Unconfirmed::Flaky(None));
    assert_eq!(blamed(true, &|_| true), Unconfirmed::BrokenByOthers);
}

#[test]
fn so_many_unvaried_failures_are_no_chance() {
    // Unvaried it fails in a used JVM, and in so many fresh ones.
    let after = |most: u32| {
        let fresh = Cell::new(0);
        let alone = Suspect {
            class: Vec::new(),
            prefix: Vec::new(),
            ..suspect()
        };
        let rule = |seen: &Seen<'_>| {
            if seen.is_varied() || !seen.history.is_empty() {
                return Does::Fail;
            }
            fresh.set(fresh.get() + 1);
            if fresh.get() <= most {
                Does::Fail
            } else {
                Does::Pass
            }
        };
        check_as(&alone, rule).0
    };
    assert!(after(0).is_ok());
    for most in [1, FAILS_ALWAYS - 1] {
        assert!(matches!(after(most), Err(Unconfirmed::Flaky(Some(_)))), "{most}");
    }
    assert!(matches!(after(FAILS_ALWAYS), Err(Unconfirmed::FailsUnvaried(_))));
}

#[test]
fn what_needs_a_fresh_jvm_for_each_run_is_left_for_a_batch_only_alone() {
    let left = |fails: &dyn Fn(&Seen<'_>) -> bool| {
        let fake = fake(|seen| if fails(seen) { Does::Fail } else { Does::Pass });
        let mut inquiry = Inquiry::default().leaving_cold_ones(true);
        confirm(&&fake, &suspect(), &mut inquiry, &mut None)
    };
    let is_cold = |seen: &Seen<'_>| seen.is_varied() || !seen.history.is_empty();
    assert_eq!(left(&is_cold), Err(Unconfirmed::NeedsFreshJvms));
    let after_another = |seen: &Seen<'_>| is_cold(seen) && seen.before.contains(&TestIx(8));
    assert_eq!(left(&after_another).unwrap().scope, Scope::Class);
    assert!(left(&|seen| seen.is_varied()).is_ok());
}

#[test]
fn an_unlikely_suspect_costs_no_other_jvm() {
    let tried = |is_unlikely| {
        let fake = fake(|seen| {
            if seen.is_varied() && seen.jvm > 1 && seen.before.is_empty() {
                Does::Fail
            } else {
                Does::Pass
            }
        });
        let mut warm = Some((&fake).start().unwrap());
        let suspect = Suspect {
            is_unlikely,
            class: Vec::new(),
            prefix: Vec::new(),
            ..suspect()
        };
        let result = confirm(&&fake, &suspect, &mut Inquiry::default(), &mut warm);
        (result.is_ok(), warm.is_some(), fake.starts.get())
    };
    assert_eq!(tried(true), (false, true, 1));
    // The used JVM may have hidden it.
    assert_eq!(tried(false), (true, true, 2));
}

#[test]
fn a_failure_that_does_not_always_show_is_waited_for_alone() {
    let late = |seen: &Seen<'_>| seen.is_varied() && seen.runs > 1;
    assert_eq!(check(late).0.unwrap().scope, Scope::Alone);
    // After other tests it has to show at once.
    let late_after_another = |seen: &Seen<'_>| late(seen) && seen.before.len() == 1 && seen.runs > 4;
    assert!(check(late_after_another).0.is_err());
}

#[test]
fn what_shows_only_in_a_jvm_that_has_run_the_test_before_is_not_confirmed() {
    let (result, _) = check(|seen| seen.is_varied() && !seen.history.is_empty());
    assert_eq!(result, Err(Unconfirmed::Flaky(None)));
}
