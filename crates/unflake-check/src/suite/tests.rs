//! What builds show of suites.

use super::*;
use crate::simulated::{build_run, simulated};
use unflake_project::{ContainerRun, HowLost};
use unflake_protocol::Failure;

#[test]
fn the_first_settings_of_junit_on_the_class_path_count() {
    let set = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("junit-platform.properties"), text).unwrap();
        folder
    };
    let on = "# a comment\njunit.jupiter.execution.parallel.enabled : TRUE\n";
    let concurrent = set(&format!(
        "{on}junit.jupiter.execution.parallel.mode.classes.default=concurrent"
    ));
    let by_method = set(&format!(
        "{on}junit.jupiter.execution.parallel.mode.default=concurrent"
    ));
    let off = set("junit.jupiter.execution.parallel.mode.default=concurrent");
    // Without a mode tests stay on one thread.
    let without_mode = set(on);
    let is_parallel = |entries: &[&Path]| {
        let class_path: Vec<String> = entries.iter().map(|entry| entry.display().to_string()).collect();
        is_set_parallel(&class_path)
    };
    let missing = Path::new("/nowhere/library.jar");
    assert!(is_parallel(&[missing, concurrent.path(), without_mode.path()]));
    assert!(!is_parallel(&[without_mode.path(), concurrent.path()]));
    assert!(!is_parallel(&[missing]));
    assert!(is_parallel(&[by_method.path()]) && !is_parallel(&[off.path()]));
}

fn suite_of(text: &str, change: impl FnOnce(&mut BuildRun)) -> (Suite, Vec<Trouble>) {
    let folder = tempfile::tempdir().unwrap();
    let mut run = build_run(text, folder.path());
    change(&mut run);
    Suite::from_build(&run)
}

fn names(suite: &Suite, tests: &[TestIx]) -> String {
    let names = tests.iter().map(|test| suite[*test].id.test.as_str());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_build_shows_each_test_once_with_its_jvm_and_what_it_needs() {
    let text = "A#a\nA#b [no-choice]\nA#c [one-run]\n\
                B#a [jvm 2, failed]\nB#b [jvm 2, unfinished]\nB#c [jvm 2, skipped]";
    let (suite, troubles) = suite_of(text, |run| {
        // A rerun: the first time counts.
        let again = run.jvms[0].tests[0].clone();
        run.jvms[1].tests.push(again);
    });
    assert!(troubles.is_empty());
    assert_eq!(
        names(&suite, &suite.all().collect::<Vec<_>>()),
        "A#a A#b A#c B#a B#c B#b"
    );
    let needs: Vec<Need> = suite.tests.iter().take(3).map(|test| test.need).collect();
    assert_eq!(needs, [Need::EveryRound, Need::Nothing, Need::OneRun]);
    let known = |name: &str| suite.tests.iter().find(|test| test.id.test == name).unwrap();
    let jvm = |name: &str| (known(name).jvm, known(name).launch);
    assert_eq!(
        (jvm("A#a"), jvm("B#a")),
        ((0, Some(LaunchIx(0))), (1, Some(LaunchIx(1))))
    );
    let ran = |name: &str| (known(name).has_run(), known(name).has_passed());
    assert_eq!(
        [ran("A#a"), ran("B#a"), ran("B#b"), ran("B#c")],
        [(true, true), (true, false), (false, false), (false, false)]
    );
    assert_eq!(known("A#a").models, ["HashMap.keySet"]);
    assert_eq!(suite.find(&known("B#a").id), Some(TestIx(3)));
}

#[test]
fn tests_of_one_name_are_told_apart() {
    let (suite, _) = suite_of("A#a\nA#b", |run| {
        let tests = &mut run.jvms[0].tests;
        for path in ["below/z", "below/b"] {
            let mut namesake = tests[0].clone();
            namesake.test.handle.id = path.to_owned();
            tests.push(namesake);
        }
    });
    let named = |test: TestIx| (suite[test].handle.id.as_str(), suite[test].id.to_string());
    let first = suite[TestIx(0)].handle.id.as_str();
    let mut names: Vec<(&str, String)> = suite.all().map(named).collect();
    names.sort_unstable();
    let mut expected = vec![(first, "A#a"), (suite[TestIx(1)].handle.id.as_str(), "A#b")];
    expected.extend([("below/b", "A#a[2]"), ("below/z", "A#a[3]")]);
    expected.sort_unstable();
    assert_eq!(
        names
            .iter()
            .map(|(handle, name)| (*handle, name.as_str()))
            .collect::<Vec<_>>(),
        expected
    );
    // In the JVM they have one scope, which has no number.
    let last = suite.all().next_back().unwrap();
    assert_eq!(suite.own_scopes(&[TestIx(1), last])[0], "A#a");
    assert!(suite.all().all(|test| suite.find(&suite[test].id) == Some(test)));
}

#[test]
fn jvms_that_are_started_the_same_way_share_a_launch() {
    let (suite, _) = suite_of("A#a\nB#a [jvm 2]", |run| {
        run.jvms[1].recipe = run.jvms[0].recipe.clone()
    });
    assert_eq!(
        (suite.launches.len(), suite.tests[1].launch, suite.tests[1].jvm),
        (1, Some(LaunchIx(0)), 1)
    );
    assert_eq!(suite.tool(LaunchIx(0)).facts().name, "Maven");
}

#[test]
fn choices_of_a_class_are_those_of_all_its_tests() {
    let (suite, _) = suite_of("A#a [no-choice]\nB#a [no-choice]", |run| {
        run.jvms[0].containers.push(ContainerRun {
            root: "A".to_owned(),
            choices: ScopeChoices {
                count: 1,
                by_project: true,
                models: vec!["HashSet.iterator".to_owned()],
                ..ScopeChoices::default()
            },
            failure: None,
        });
    });
    let shown = |test: usize| (suite.tests[test].need, suite.tests[test].models.as_slice());
    assert_eq!(shown(0), (Need::EveryRound, &["HashSet.iterator".to_owned()][..]));
    assert_eq!(shown(1), (Need::Nothing, &[][..]));
}

#[test]
fn a_class_whose_set_up_fails_stands_for_its_tests() {
    let fails = |root: &str| ContainerRun {
        root: root.to_owned(),
        choices: ScopeChoices::default(),
        failure: Some(crate::simulated::failure("no")),
    };
    let (suite, _) = suite_of("A#a", |run| {
        let containers = [fails("A"), fails("B"), fails("B")];
        run.jvms[0].containers.extend(containers);
    });
    let shown: Vec<(&str, bool)> = suite
        .tests
        .iter()
        .map(|test| (test.id.test.as_str(), test.has_passed()))
        .collect();
    assert_eq!(shown, [("A#a", true), ("B", false)]);
}

#[test]
fn what_did_not_go_as_it_should_is_remembered() {
    let no = || "no".to_owned();
    let (_, troubles) = suite_of("A#a\nB#a [jvm 2]", |run| {
        let jvm = &mut run.jvms[0];
        jvm.at_once = 2;
        jvm.bugs.push(no());
        jvm.not_applied.insert("a.B.c".to_owned(), no());
        jvm.containers.push(ContainerRun {
            root: "A".to_owned(),
            choices: ScopeChoices::default(),
            failure: Some(Failure {
                kind: "E".to_owned(),
                message: no(),
                trace: String::new(),
                expected: None,
                actual: None,
            }),
        });
        run.jvms[1].recipe = None;
    });
    let module = || ".".to_owned();
    let expected = [
        Trouble::NotApplied {
            method: "a.B.c".to_owned(),
            reason: no(),
        },
        Trouble::AgentOff(no()),
        Trouble::ContainerFailed {
            root: "A".to_owned(),
            message: "E: no".to_owned(),
        },
        Trouble::InParallel { module: module() },
        Trouble::NoLaunch {
            module: module(),
            reason: "the agent could not tell how it was started".to_owned(),
        },
    ];
    assert_eq!(troubles, expected);
    let (suite, troubles) = suite_of("A#a", |run| {
        let recipe = &mut run.jvms[0].recipe.as_mut().unwrap().recipe;
        recipe.arguments = vec!["@/gone.args".to_owned()];
    });
    assert_eq!(suite.tests[0].launch, None);
    assert!(matches!(&troubles[..], [Trouble::NoLaunch { reason, .. }] if reason.contains("/gone.args")));
}

#[test]
fn who_ended_a_jvm_of_the_build_is_known_with_how() {
    let (suite, _) = suite_of("A#a [unfinished]\nB#a [jvm 2, unfinished]\nC#a", |run| {
        let tests = run.jvms[0].unfinished.clone();
        let lost = |during, how| LostJvm {
            module: "m".to_owned(),
            during,
            how,
        };
        run.lost = vec![
            lost(During::Tests(tests), HowLost::Exited(Some(7))),
            lost(
                During::Class("D".to_owned()),
                HowLost::Hung(Duration::from_secs(9)),
            ),
        ];
    });
    let baseline = |name: &str| {
        let mut tests = suite.tests.iter();
        tests.find(|test| test.id.test == name).unwrap().baseline.clone()
    };
    let ended = |how: &str| Baseline::EndedJvm(how.to_owned());
    assert_eq!(baseline("A#a"), ended("ended its JVM with exit status 7"));
    assert_eq!(baseline("B#a"), Baseline::Unfinished);
    assert_eq!(
        baseline("D"),
        ended("its set-up or tear-down did not finish within 9 s")
    );
}

#[test]
fn where_tests_overlap_all_of_them_are_varied() {
    let text = "A#a [no-choice]\nA#b [one-run]\nA#c [skipped]\nB#a [jvm 2, no-choice]";
    let (suite, _) = suite_of(text, |run| run.jvms[0].at_once = 2);
    let needs: Vec<Need> = suite.tests.iter().map(|test| test.need).collect();
    assert_eq!(needs[..2], [Need::EveryRound; 2]);
    assert_eq!(needs[3], Need::Nothing);
}

#[test]
fn what_ran_before_a_test_is_of_its_jvm_and_came_to_its_end() {
    let suite = simulated("A#a\nA#b [skipped]\nB#a [failed]\nB#b\nB#c\nC#a [jvm 2]")
        .session
        .suite;
    let before = |test: usize| {
        let before = suite.before(TestIx(test));
        (names(&suite, &before.of_class), names(&suite, &before.in_jvm))
    };
    assert_eq!(before(0), (String::new(), String::new()));
    assert_eq!(before(4), ("B#a B#b".to_owned(), "A#a B#a B#b".to_owned()));
    assert_eq!(before(5), (String::new(), String::new()));
}

#[test]
fn a_project_that_is_a_framework_is_a_project() {
    let project = tempfile::tempdir().unwrap();
    let directory = |name: &str, class: &str| {
        let file = project.path().join(name).join(class);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
        project.path().join(name).display().to_string()
    };
    let usual = directory("usual", "org/example/OrderTest.class");
    let plugin = directory("plugin", "org/apache/maven/plugins/MojoTest.class");
    let junit = directory("junit", "org/junit/runners/ParentRunner.class");
    assert!(!has_own_framework(std::slice::from_ref(&usual)));
    // A jar is a library.
    assert!(!has_own_framework(&[
        usual.clone(),
        "/junit-4.13.2.jar".to_owned()
    ]));
    assert!(has_own_framework(&[usual.clone(), plugin]));
    assert!(has_own_framework(&[usual, junit]));
}

#[test]
fn the_slowest_test_is_one_of_the_same_launch() {
    let mut suite = simulated("A#a\nB#a\nC#a [jvm 2]\nD#a [jvm 3, no-launch]")
        .session
        .suite;
    for (test, seconds) in [2, 1, 7, 9].into_iter().enumerate() {
        suite.tests[test].time = Duration::from_secs(seconds);
    }
    let slowest = |launch| suite.slowest(launch).as_secs();
    assert_eq!(
        [Some(LaunchIx(0)), Some(LaunchIx(1)), None].map(slowest),
        [2, 7, 9]
    );
}

#[test]
fn choices_vary_in_the_last_test_and_in_the_set_up_of_its_class() {
    let suite = simulated("A#a\nB#b\nC#c").session.suite;
    let scopes = |tests: &[usize]| {
        let tests: Vec<TestIx> = tests.iter().map(|test| TestIx(*test)).collect();
        suite.own_scopes(&tests)
    };
    assert!(scopes(&[]).is_empty() && scopes(&[1]).is_empty());
    assert_eq!(
        scopes(&[0, 2, 1]),
        [suite.tests[1].id.to_string(), "B".to_owned()]
    );
}

#[test]
fn what_the_settings_of_junit_say_counts_like_what_was_seen() {
    let text = "A#a [no-choice]\nA#b [skipped, no-choice]\nB#a [jvm 2, no-choice]";
    let write = |run: &BuildRun, file: &str, text: &str| {
        let class_path = run.jvms[0].recipe.as_ref().unwrap().launch().unwrap().class_path;
        let file = Path::new(&class_path[0]).join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    let needs = |suite: &Suite| -> Vec<Need> { suite.tests.iter().map(|test| test.need).collect() };
    let parallel = "junit.jupiter.execution.parallel.enabled=true\n\
                    junit.jupiter.execution.parallel.mode.default=concurrent\n";
    let (suite, troubles) = suite_of(text, |run| write(run, "junit-platform.properties", parallel));
    let module = ".".to_owned();
    assert_eq!(troubles, [Trouble::InParallel { module }]);
    // A test that was skipped has nothing that could vary.
    assert_eq!(needs(&suite), [Need::EveryRound, Need::Nothing, Need::Nothing]);
    let (suite, troubles) = suite_of(text, |run| write(run, "org/junit/Assert.class", ""));
    assert!(troubles.is_empty());
    assert_eq!(needs(&suite), [Need::EveryRound, Need::Nothing, Need::Nothing]);
}
