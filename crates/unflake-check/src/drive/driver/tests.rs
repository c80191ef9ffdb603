//! JVMs that are none, and what they say.

use super::*;
use crate::simulated::{Simulated, handle, simulated};
use std::time::Instant;
use unflake_protocol::Record;

/// How a JVM ended, and what it said meanwhile.
fn run(simulated: &Simulated, tests: &str, until: Option<Instant>) -> (JvmEnd, Vec<String>) {
    run_in(&mut started(simulated), tests, until)
}

fn started(simulated: &Simulated) -> DrivenJvm {
    let launch = &simulated.session.suite.launches[0];
    simulated.session.driver().start(launch, Work::Short).unwrap()
}

fn run_in(jvm: &mut DrivenJvm, tests: &str, until: Option<Instant>) -> (JvmEnd, Vec<String>) {
    let command = RunCommand {
        strategy: None,
        only: Vec::new(),
        tests: tests.split(' ').map(handle).collect(),
        script: None,
        record: Record {
            choices: true,
            ..Record::default()
        },
    };
    let limits = Limits {
        silence: &|_| Duration::from_secs(60),
        dumps: false,
        until,
    };
    let mut heard = Vec::new();
    let transcript = jvm.run(&command, limits, &mut |said| match said {
        Heard::Test(test, Verdict::Passed) => heard.push(test.id.clone()),
        Heard::Test(test, _) => heard.push(format!("!{}", test.id)),
        Heard::Other(message) if matches!(*message, ToProgram::Choices(_)) => {
            heard.push("choices".to_owned())
        }
        Heard::Other(_) => {}
    });
    assert_eq!(transcript.end.can_go_on(), transcript.end == JvmEnd::Finished);
    (transcript.end, heard)
}

#[test]
fn every_end_of_a_jvm_has_its_name() {
    let end = |does: &str, until: Option<Instant>| {
        let (end, heard) = run(&simulated(&format!("A#a\nA#b {does}")), "A#a A#b", until);
        let name = match end {
            JvmEnd::Finished => "finished".to_owned(),
            JvmEnd::TimeUp => "time up".to_owned(),
            JvmEnd::Cancelled => "cancelled".to_owned(),
            JvmEnd::Broken(why) => why,
            JvmEnd::Died { failure, .. } | JvmEnd::Hung { failure, .. } => failure.message,
        };
        let tests = heard.into_iter().filter(|said| said != "choices");
        format!("{}: {name}", tests.collect::<Vec<_>>().join(" "))
    };
    assert_eq!(end("", None), "A#a A#b: finished");
    assert_eq!(end("fails", None), "A#a !A#b: finished");
    assert_eq!(end("skips", None), "A#a !A#b: finished");
    assert_eq!(
        end("dies", None),
        "A#a !A#b: the test ended its JVM (exit status: 1)"
    );
    assert_eq!(
        end("hangs", None),
        "A#a !A#b: the test did not finish within 60 s"
    );
    assert_eq!(
        end("exits", None),
        "A#a A#b: the test ended its JVM (exit status: 0)"
    );
    assert_eq!(end("cancels", None), "A#a: cancelled");
    assert_eq!(end("", Some(Instant::now())), ": time up");
    // What ends after the agent has switched itself off ends for that reason.
    assert_eq!(end("bug; dies", None), "A#a: in A#b");
    assert_eq!(end("bug", None), "A#a A#b: finished");
}

#[test]
fn faults_are_kept_for_all_jvms_of_a_driver_and_its_kin() {
    let simulated = simulated("A#a bug\nA#b bug");
    let driver = simulated.session.driver();
    run(&simulated, "A#a A#b A#a", None);
    let off = |reason: &str| Fault::AgentOff(reason.to_owned());
    assert_eq!(driver.faults().all(), [off("in A#a"), off("in A#b")]);
    let kin = driver.configured(|configuration| configuration);
    assert_eq!(kin.faults().all().len(), 2);
}

#[test]
fn a_jvm_that_crashes_while_nothing_varies_was_perhaps_ended_by_somebody() {
    let faults = |does: &str| {
        let simulated = simulated(&format!("A#a {does}"));
        run(&simulated, "A#a", None);
        simulated.session.driver().faults().all()
    };
    let killed = Fault::Ended {
        during: Some(handle("A#a")),
        status: "signal: 9 (SIGKILL)".to_owned(),
    };
    assert_eq!(faults("crashes"), [killed]);
    assert_eq!(faults("dies"), []);
    let is_strange = |death, strategy| {
        let command = RunCommand {
            strategy,
            only: Vec::new(),
            tests: Vec::new(),
            script: None,
            record: Record::default(),
        };
        super::is_strange(death, &command)
    };
    let varied = || {
        Some(unflake_explore::strategy_of_round(
            1,
            None,
            unflake_protocol::Seed(7),
        ))
    };
    assert!(!is_strange(Death::Signal, varied()));
    assert!(is_strange(Death::Cut, varied()));
}

#[test]
fn what_is_not_about_outcomes_goes_to_who_listens() {
    let (_, heard) = run(&simulated("A#a chooses HashMap.keySet 2"), "A#a", None);
    assert_eq!(heard, ["A#a", "choices"]);
}

#[test]
fn a_jvm_that_does_not_start_is_an_end_too() {
    let simulated = simulated("A#a").most_starts(0);
    let launch = &simulated.session.suite.launches[0];
    let start = || simulated.session.driver().start(launch, Work::Short).unwrap_err();
    let JvmEnd::Broken(reason) = start() else {
        panic!("it must not start")
    };
    // However often: it is told once.
    start();
    let faults = simulated.session.driver().faults().all();
    assert_eq!(faults, [Fault::NotStarted(reason)]);
    simulated.cancel.cancel();
    assert_eq!(start(), JvmEnd::Cancelled);
}

#[test]
fn a_driver_is_changed_by_making_another() {
    let simulated = simulated("A#a");
    let driver = simulated.session.driver();
    let other = driver.configured(|configuration| Configuration {
        measure: true,
        ..configuration
    });
    let other = other
        .with_options(["-Xmx1g".to_owned()])
        .starting_within(Patience::debugging());
    assert!(other.tools().configuration.measure && !driver.tools().configuration.measure);
    assert_eq!(
        (other.tools().options.len(), driver.tools().options.len()),
        (1, 0)
    );
    assert!(other.tools().start_limit > driver.tools().start_limit);
    // Their JVMs must not meet.
    assert_ne!(other.tools().numbers.take(), driver.tools().numbers.take());
    assert!(
        simulated
            .session
            .script_driver()
            .tools()
            .configuration
            .allocations
    );
}

/// Which tests ran, with `!` before those that failed.
fn ran(jvm: &mut DrivenJvm, tests: &str) -> Vec<String> {
    let mut heard = run_in(jvm, tests, None).1;
    heard.retain(|said| said != "choices");
    heard
}

#[test]
fn a_jvm_gives_way_to_one_outside_as_soon_as_a_test_belongs_there() {
    let simulated = simulated("A#a fails inside\nB#b");
    let driver = simulated.session.driver();
    let mut jvm = started(&simulated);
    assert_eq!(ran(&mut jvm, "A#a"), ["!A#a"]);
    driver.make_exception("A", Exception::Outside);
    assert_eq!(ran(&mut jvm, "B#b"), ["B#b"]);
    assert_eq!(simulated.starts(), 1);
    assert_eq!(ran(&mut jvm, "B#b A#a"), ["B#b", "A#a"]);
    // It stays outside.
    assert_eq!(ran(&mut jvm, "A#a"), ["A#a"]);
    assert_eq!(ran(&mut jvm, "B#b"), ["B#b"]);
    assert_eq!(simulated.starts(), 2);
}

#[test]
fn a_jvm_in_which_a_test_must_be_alone_stays_where_it_is() {
    let simulated = simulated("A#a").sharing();
    let mut jvm = started(&simulated);
    assert!(jvm.can_meet_others());
    simulated.session.driver().make_exception("A", Exception::Alone);
    assert_eq!(ran(&mut jvm, "A#a"), ["A#a"]);
    assert!(!jvm.can_meet_others());
    assert_eq!(simulated.starts(), 1);
}

#[test]
fn who_meets_nobody_is_not_kept_alone() {
    let shares = |simulated: &Simulated| {
        let jvm = started(simulated);
        (jvm.can_meet_others(), jvm.alone().can_meet_others())
    };
    assert_eq!(shares(&simulated("A#a").sharing()), (true, false));
    assert_eq!(shares(&simulated("A#a")), (false, false));
    let outside = simulated("A#a").sharing();
    let driver = outside.session.driver().clone().outside();
    let jvm = driver.start(&outside.session.suite.launches[0], Work::Short);
    assert!(!jvm.unwrap().can_meet_others());
}

#[test]
fn a_jvm_that_a_bug_of_ours_ended_was_ended_by_nobody_else() {
    let simulated = simulated("A#a bug; crashes");
    let (end, _) = run(&simulated, "A#a", None);
    assert_eq!(end, JvmEnd::Broken("in A#a".to_owned()));
    let faults = simulated.session.driver().faults().all();
    assert_eq!(faults, [Fault::AgentOff("in A#a".to_owned())]);
}

#[test]
fn no_test_cuts_our_connection() {
    let died = |death| RunEnd::Died {
        during: During::Nothing,
        status: "gone".to_owned(),
        death,
        output: String::new(),
    };
    for death in [Death::Exit, Death::Signal] {
        assert!(matches!(JvmEnd::from(died(death)), JvmEnd::Died { .. }));
    }
    let command = |script| RunCommand {
        strategy: None,
        only: Vec::new(),
        tests: Vec::new(),
        script,
        record: Record::default(),
    };
    // What is told what to choose is varied.
    assert!(!is_strange(
        Death::Signal,
        &command(Some(unflake_protocol::Script::VARIED))
    ));
    assert!(is_strange(Death::Signal, &command(None)));
    assert!(!is_strange(Death::Exit, &command(None)));
}
