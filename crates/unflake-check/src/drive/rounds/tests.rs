use super::*;
use crate::options::SeedSetting;
use crate::simulated::{Simulated, simulated};

#[test]
fn without_a_seed_a_jvm_takes_the_next_unit() {
    let starts = |suite: &str, seed| {
        let simulated = simulated(suite).with(|options| {
            options.vary.seed = seed;
            options.rounds = Some(3);
        });
        simulated.facts();
        simulated.starts()
    };
    let seed = SeedSetting::Fixed(unflake_protocol::Seed(7));
    let suite = "A#a\nB#a\nC#a";
    assert_eq!((starts(suite, SeedSetting::Fresh), starts(suite, seed)), (1, 1));
    // A JVM that has ended takes none, nor does one for another launch.
    assert_eq!(starts("A#a\nB#a [jvm 2]", SeedSetting::Fresh), 2);
    assert_eq!(starts("A#a exits\nB#a", SeedSetting::Fresh), 4);
}

#[test]
fn a_test_that_ends_its_jvm_costs_that_test_only() {
    let simulated = simulated("A#a\nA#b dies\nA#c\nA#d hangs\nA#e").with(|options| options.rounds = Some(1));
    simulated.facts();
    let commands = simulated.commands();
    let rounds = ["A#a A#b A#c A#d A#e", "A#c A#d A#e", "A#e"].map(|tests| format!("{tests} | one reverse"));
    assert_eq!(commands[..3], rounds);
}

#[test]
fn a_jvm_that_breaks_costs_no_test() {
    let commands = |suite: &str| {
        let simulated = simulated(suite).with(|options| options.rounds = Some(1));
        let facts = simulated.facts();
        let first = simulated.commands().into_iter();
        let of_round = first.filter_map(|tests| tests.strip_suffix(" | one reverse").map(str::to_owned));
        (of_round.collect::<Vec<_>>(), facts)
    };
    let (once, facts) = commands("A#a\nA#b cuts turns fp\nA#c");
    assert_eq!(once, ["A#a A#b A#c", "A#b A#c"]);
    for test in ["A#a", "A#b", "A#c"] {
        assert!(facts.contains(&format!("{test} failed 0 of 1")), "{facts:#?}");
    }
    // What breaks each of them costs itself only.
    assert_eq!(
        commands("A#a\nA#b cuts varied\nA#c").0,
        ["A#a A#b A#c", "A#b A#c", "A#c"]
    );
    // Where all of them break, that comes to an end.
    let all: Vec<String> = (0..30).map(|n| format!("A#a{n} cuts varied")).collect();
    assert_eq!(commands(&all.join("\n")).0.len(), 11);
}

#[test]
fn a_jvm_that_ends_without_having_run_anything_is_not_started_for_ever() {
    // It dies between tests before the first one has a verdict.
    let simulated = simulated("A#a is-missing; exits").with(|options| options.rounds = Some(1));
    simulated.facts();
    // Once inside, and once outside.
    assert_eq!(simulated.starts(), 2);
}

#[test]
fn a_jvm_that_ends_before_the_first_test_fails_the_class_that_is_next() {
    let simulated = simulated("A#a\nA#b\nB#a");
    let told = std::sync::Mutex::new(0);
    let failing = simulated.check(|check| {
        let failure = crate::simulated::failure("its initialiser ended the JVM");
        let all: Vec<_> = simulated.session.suite.all().collect();
        check.workers.fail_next_class(&all, &failure, &|_, verdict| {
            assert!(verdict.failure().is_some());
            *told.lock().unwrap() += 1;
        })
    });
    let failing: Vec<_> = failing.into_keys().collect();
    assert_eq!(simulated.names(&failing), "A#a A#b");
    assert_eq!(told.into_inner().unwrap(), 2);
}

#[test]
fn a_jvm_says_what_became_of_the_last_test() {
    let ran = |does: &str| {
        let simulated = simulated(&format!("A#a {does}\nA#b"));
        simulated.check(|check| {
            let jvms = LaunchJvms::new(check.workers, LaunchIx(0));
            let mut jvm = jvms.start().unwrap();
            let trial = |before| Trial {
                before,
                test: TestIx(1),
                varied: Varied::Nothing,
                is_patient: true,
            };
            let said = match jvm.run(&trial(&[TestIx(0)])) {
                Verdict::Passed => "passed".to_owned(),
                Verdict::Failed(failure) => failure.message,
                Verdict::NotRun => "not run".to_owned(),
                Verdict::Cancelled => "cancelled".to_owned(),
            };
            (said, jvm.is_alive())
        })
    };
    let said = |text: &str, is_alive| (text.to_owned(), is_alive);
    assert_eq!(ran(""), said("passed", true));
    assert_eq!(ran("fails"), said("passed", true));
    assert_eq!(ran("cancels"), said("cancelled", false));
    // What ends the JVM on the way to it is its failure.
    assert_eq!(
        ran("dies"),
        said("the test ended its JVM (exit status: 1)", false)
    );
}

#[test]
fn why_there_is_no_jvm_is_said() {
    let why = |simulated: &Simulated| {
        simulated.check(|check| LaunchJvms::new(check.workers, LaunchIx(0)).start().err())
    };
    let none = simulated("A#a").most_starts(0);
    let reason = unflake_runner::StartError::OtherProtocol(0).to_string();
    assert_eq!(why(&none), Some(reason));
    none.cancel.cancel();
    assert_eq!(why(&none).as_deref(), Some("interrupted"));
    assert_eq!(why(&simulated("A#a")), None);
}

#[test]
fn who_wants_to_be_sure_waits_longer_and_for_what_is_known_nobody_waits_long() {
    let mut simulated = simulated("A#a\nA#b\nB#b [jvm 2]");
    let tests = &mut simulated.session.suite.tests;
    for (test, seconds) in tests.iter_mut().zip([2, 40, 900]) {
        test.time = Duration::from_secs(seconds);
    }
    simulated.check(|check| {
        let workers = check.workers;
        let silence = |running, limit| workers.silence(running, &[TestIx(0), TestIx(1)], limit);
        let (took, slowest) = (Duration::from_secs(2), Duration::from_secs(40));
        let usual = workers.patience.of_test(took, slowest);
        let running = Some(TestIx(0));
        assert_eq!(silence(running, Limit::Usual), usual);
        // Tests of another launch say nothing about this one.
        assert_eq!(silence(None, Limit::Usual), workers.patience.of_set_up(slowest));
        assert_eq!(silence(running, Limit::Sure), usual * Patience::SURE);
        let natural = Duration::from_millis(10);
        assert_eq!(
            silence(running, Limit::Known(natural)),
            workers.quick.again(natural)
        );
        // Never longer than for a run of which nothing is known.
        let long = Duration::from_secs(3600);
        assert_eq!(silence(running, Limit::Known(long)), usual);
    });
}
