//! Further builds, with builds that are none.

use super::*;
use crate::simulated::build_run;
use std::cell::RefCell;
use std::time::Duration;

/// A build by what it ran: `A#a` came to its end, `A#a!` ended its JVM, `A!` did so outside of its tests, `!` is a
/// JVM that ended between two tests.
fn built(text: &str) -> BuildRun {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = String::new();
    let mut during = None;
    for word in text.split_terminator(' ') {
        match word.strip_suffix('!') {
            None => lines += &format!("{word}\n"),
            Some("") => during = Some(During::Nothing),
            Some(test) if test.contains('#') => lines += &format!("{test} [unfinished]\n"),
            Some(class) => during = Some(During::Class(class.to_owned())),
        }
    }
    let mut run = build_run(&lines, folder.path());
    for jvm in &mut run.jvms {
        if !jvm.unfinished.is_empty() {
            jvm.open = vec![jvm.unfinished[0].handle.root.clone()];
            during = Some(During::Tests(jvm.unfinished.clone()));
        }
    }
    run.lost.extend(during.map(|during| LostJvm {
        module: ".".to_owned(),
        during,
        how: HowLost::Exited(Some(7)),
    }));
    run
}

/// What further builds were asked for, and what came of them. `tool`: whether it leaves things out. `more`: what
/// the further builds run; `?`: fails, `<`: interrupted, `late`: out of time.
fn complete(tool: bool, first: &str, more: &[&str]) -> (Vec<String>, Whole) {
    let asked = RefCell::new(Vec::new());
    let left = RefCell::new(more.iter());
    let asking = Asking {
        again: &|arguments| {
            asked.borrow_mut().push(arguments.join(" "));
            let next = left.borrow_mut().next();
            match *next.unwrap_or_else(|| panic!("no build is left for {arguments:?}")) {
                "?" => Err(BuildError::OtherProtocol(0)),
                "<" => Err(BuildError::Cancelled { run: Box::default() }),
                "late" => Err(BuildError::TimedOut {
                    command: "mvn".to_owned(),
                    after: Duration::ZERO,
                    run: Box::new(built("C#c")),
                }),
                text => Ok(built(text)),
            }
        },
        leave_out: &|left_out| {
            let classes = left_out.classes.iter().map(|class| format!("-{class}"));
            let tests = left_out
                .tests
                .iter()
                .map(|(class, test)| format!("-{class}#{test}"));
            let arguments = classes.chain(tests).collect();
            if tool { vec![arguments] } else { Vec::new() }
        },
        select: &|classes| classes.iter().map(|class| format!("+{class}")).collect(),
        compiled: &|| {
            let class = |name: &str| CompiledClass {
                module: ".".to_owned(),
                name: name.to_owned(),
            };
            ["A", "B", "C", "D", "Twice", "Twice"].map(class).to_vec()
        },
    };
    let mut builds = Builds::new(built(first), None);
    builds.complete(&asking);
    let whole = builds.whole(&asking);
    (asked.into_inner(), whole)
}

fn not_reached(whole: &Whole) -> String {
    let class = |test: &KnownTest| match &test.baseline {
        Baseline::NotReached(reason) => format!("{}: {reason}", test.id.test),
        other => panic!("{other:?}"),
    };
    whole
        .not_reached
        .iter()
        .map(class)
        .collect::<Vec<_>>()
        .join(" | ")
}

#[test]
fn a_build_that_loses_nothing_runs_once() {
    let (asked, whole) = complete(true, "A#a B#b", &[]);
    assert!(asked.is_empty() && whole.troubles.is_empty() && whole.not_reached.is_empty());
}

#[test]
fn the_build_runs_again_without_who_ended_its_jvm_and_without_what_is_through() {
    let (asked, whole) = complete(true, "A#a B#a B#b!", &["B#c C! ", "D#d Twice#t D#e!", "A#z"]);
    assert_eq!(asked, ["-A -B#b", "-A -B -C", "-A -B -C -D#e"]);
    assert_eq!(not_reached(&whole), "");
    let culprits = ["`B#b`", "`C`, outside of its tests,", "`D#e`"];
    let culprits = culprits.map(|who| format!("{who} ended its JVM with exit status 7"));
    let expected = Trouble::RanAgain {
        culprits: culprits.to_vec(),
        by_name: false,
    };
    assert_eq!(whole.troubles, [expected]);
    assert_eq!((whole.run.jvms.len(), whole.run.lost.len()), (4, 3));
}

#[test]
fn a_class_of_which_no_test_comes_to_its_end_is_left_out_as_a_whole() {
    let (asked, whole) = complete(true, "A#a B#a!", &["B#b!", "C#c"]);
    assert_eq!(asked, ["-A -B#a", "-A -B"]);
    let Trouble::RanAgain { culprits, .. } = &whole.troubles[0] else {
        panic!("{:?}", whole.troubles)
    };
    assert_eq!(
        culprits[2],
        "`B`, outside of its tests, ended its JVM with exit status 7"
    );
}

#[test]
fn a_tool_that_leaves_nothing_out_is_given_the_names_of_the_others() {
    let behind = "`B#b` ended its JVM with exit status 7 and took the class's other tests along";
    // It says so, or it is seen by the culprit that runs again.
    for (tool, more, expected) in [
        (false, vec!["C#c D#d Twice#t"], vec!["+C +D +Twice +Twice"]),
        (
            true,
            vec!["A#a B#b!", "C#c D#d Twice#t"],
            vec!["-A -B#b", "+C +D +Twice +Twice"],
        ),
    ] {
        let (asked, whole) = complete(tool, "A#a B#b!", &more);
        assert_eq!(asked, expected);
        assert_eq!(not_reached(&whole), format!("B: {behind}"));
        assert!(matches!(
            &whole.troubles[0],
            Trouble::RanAgain { by_name: true, .. }
        ));
    }
    // So is one whose JVM ended between two tests.
    let (asked, whole) = complete(true, "A#a B#b !", &["C#c D#d Twice#t"]);
    assert_eq!(
        (asked.join(", "), not_reached(&whole)),
        ("+C +D +Twice +Twice".to_owned(), String::new())
    );
}

#[test]
fn what_is_still_not_reached_is_listed_with_the_reason() {
    let of = |tool, first: &str, more: &[&str]| not_reached(&complete(tool, first, more).1);
    let fails = "the agent speaks version 0 of the protocol, but this program speaks";
    let found = of(true, "A#a B#b!", &["?"]);
    assert!(
        found.starts_with(&format!("C: the build did not reach it: {fails}")),
        "{found}"
    );
    let late = "time ran out before the build reached it";
    assert_eq!(
        of(true, "A#a B#b!", &["late"]),
        format!("D: {late} | Twice: {late} | Twice: {late}")
    );
    let stopped = of(true, "A#a B#b! D#d", &["<"]);
    assert!(
        stopped.starts_with("C: interrupted before the build reached it | Twice"),
        "{stopped}"
    );
    // The tool leaves nothing out, and what is selected by name ends its JVM every time before anything else runs.
    let found = of(true, "A#a B#b!", &["A#a B#b!", "B#b!"]);
    assert!(
        found.contains("C: the build did not reach it: `B#b` ended its JVM"),
        "{found}"
    );
}

#[test]
fn it_is_not_tried_for_ever() {
    let more = ["B#1!", "B#2!", "B#3!", "B#4!", "B#5!", "B#6!"];
    let (asked, whole) = complete(true, "A#a B#0!", &more);
    assert_eq!(asked.len(), MOST);
    assert!(not_reached(&whole).starts_with("C: the build did not reach it"));
    assert!(whole.troubles.contains(&Trouble::NotReached {
        classes: ["C", "D", "Twice", "Twice"].map(str::to_owned).to_vec(),
    }));
}

#[test]
fn a_class_of_which_a_test_came_to_its_end_is_not_blamed_as_a_whole() {
    let (asked, whole) = complete(true, "A#a B#a B#b!", &["B#c!", "C#c"]);
    assert_eq!(asked, ["-A -B#b", "-A -B#b -B#c"]);
    let Trouble::RanAgain { culprits, .. } = &whole.troubles[0] else {
        panic!("{:?}", whole.troubles)
    };
    assert!(
        culprits.iter().all(|culprit| culprit.starts_with("`B#")),
        "{culprits:?}"
    );
}

#[test]
fn all_builds_together_are_what_was_learned() {
    let (_, whole) = complete(true, "A#a B#b!", &["C#c"]);
    // A second each.
    assert_eq!(whole.run.time, Duration::from_secs(2));
    assert!(whole.run.has_reported_tests);
}

#[test]
fn classes_are_missed_only_where_something_was_not_reached() {
    let is_missed = |first: &str, more: &[&str]| {
        let (_, whole) = complete(true, first, more);
        let is_one = |trouble: &&Trouble| matches!(trouble, Trouble::NotReached { .. });
        let missed = whole.troubles.iter().find(is_one);
        missed.map(|missed| match missed {
            Trouble::NotReached { classes } => classes.len(),
            other => panic!("{other:?}"),
        })
    };
    let all = "A#a B#b! C#c D#d Twice#t";
    // There may be more classes than those that are known.
    for cut in ["<", "late"] {
        assert_eq!(is_missed(all, &[cut]), Some(0), "{cut}");
    }
    assert_eq!(is_missed(all, &["?"]), None);
    assert_eq!(is_missed(all, &["A#z"]), None);
    assert_eq!(is_missed("A#a B#b! C#c", &["?"]), Some(3));
}

#[test]
fn one_of_the_tests_that_ran_together_ended_their_jvm() {
    let run = built("A#a! B#b!");
    assert_eq!(
        culprits(&run.lost),
        ["`A#a` or `B#b` ended its JVM with exit status 7"]
    );
    let hung = HowLost::Hung(Duration::from_secs(9));
    assert_eq!(how(hung), "did not finish within 9 s");
    assert_eq!(how(HowLost::Exited(None)), "ended its JVM");
}

#[test]
fn a_culprit_of_a_nested_class_is_through_with_the_class_around_it() {
    let (asked, _) = complete(true, "A#a B$In#b!", &["B#c D#d!", "C#c"]);
    assert_eq!(asked, ["-A -B$In#b", "-A -B -D#d"]);
}
