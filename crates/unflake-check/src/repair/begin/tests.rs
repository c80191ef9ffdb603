use super::*;
use crate::simulated::simulated;
use std::fs;

/// What is said of a cause whose lines are in these files; the sources are those of a project with these files.
fn looked_at(places: &[&str], files: &[(&str, &str)], is_asked: bool) -> Result<String, String> {
    let project = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let file = project.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let place = |file: &&str| SourcePlace {
        file: (*file).to_owned(),
        line: 1,
        method: "p.A.a".to_owned(),
    };
    let cause = Cause {
        failed_at: places.iter().map(place).collect(),
        ..Cause::default()
    };
    let files = look_at_sources(&cause, is_asked, &ProjectSources::new(project.path()))?;
    Ok(files.join(" "))
}

#[test]
fn only_java_that_somebody_wrote_is_repaired() {
    let java = ("A.java", "class A {}");
    let marked = ("A.java", "package p;\n\n@Generated(\"by x\")\npublic class A {}");
    let mentioned = (
        "A.java",
        "package p;\n\n// @Generated\nclass A { @Generated int a; }",
    );
    let below = ("target/generated-test-sources/A.java", "class A {}");
    let broken = ("A.java", "class A {\n    int = ;\n}");
    let generated = |file: &str| {
        let what = "is generated; name the finding or use `--all` to repair it all the same";
        Err(format!("`{file}` {what}"))
    };
    let no = |why: &str| Err(why.to_owned());
    let look = |place: &str, file| looked_at(&[place], &[file], false);
    assert_eq!(look("A.java", java), Ok("A.java".to_owned()));
    assert_eq!(look("A.java", mentioned), Ok("A.java".to_owned()));
    assert_eq!(look("A.java", marked), generated("A.java"));
    assert_eq!(look(below.0, below), generated(below.0));
    assert_eq!(looked_at(&[below.0], &[below], true), Ok(below.0.to_owned()));
    assert_eq!(look("B.java", java), no("the source `B.java` was not found"));
    for (file, language) in [
        ("ATest.kt", "Kotlin"),
        ("src/test/groovy/ASpec.groovy", "Groovy"),
        ("ASpec.scala", "Scala"),
        ("a_test.clj", "Clojure"),
    ] {
        let why = format!("`{file}` is {language}; only Java is repaired");
        assert_eq!(look(file, (file, "fun a() {}")), Err(why));
    }
    let why = look("A.java", broken).unwrap_err();
    assert!(why.contains("`A.java` cannot be parsed at line 2"), "{why}");
    assert_eq!(
        looked_at(&[], &[java], true),
        no("no line of the project's own code is on the way to the failure")
    );
    // One that can be repaired is enough.
    assert_eq!(
        looked_at(&["A.kt", "A.java", "B.java"], &[java], false),
        Ok("A.java".to_owned())
    );
}

#[test]
fn sources_must_be_those_of_the_classes() {
    let states = BTreeMap::from([
        ("Same".to_owned(), Compiled::Same),
        ("Other".to_owned(), Compiled::Different("`A.a`".to_owned())),
        ("Not".to_owned(), Compiled::Not("line 3: no".to_owned())),
    ]);
    let why = |files: &[&str]| {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        why_not(&files, &states).unwrap_or_default()
    };
    assert_eq!(why(&["Same"]), "");
    assert_eq!(why(&["Same", "Not"]), "");
    assert_eq!(why(&["Not"]), "`Not` cannot be compiled alone: line 3: no");
    assert_eq!(
        why(&["Same", "Other"]),
        "`Other` is not what its class was compiled from: `A.a` differs; run `unflake check` again"
    );
}

/// What is said of a finding that is changed like this, and whether its test is known after that.
fn begun(is_asked: bool, change: impl FnOnce(&mut StoredRun)) -> String {
    const A: &str = "m1/src/test/java/p/ATest.java";
    let suite = "p.ATest#a chooses HashMap.keySet 3; fails reordered 1";
    let sourced = crate::repair::overlay::tests::sourced(suite, &[(A, "package p;\nclass ATest {}\n")]);
    let mut stored = sourced.simulated.stored();
    change(&mut stored);
    match begin(&stored, 0, is_asked, &sourced.sources) {
        Ok(Begun {
            patient,
            subject,
            files,
            ..
        }) => {
            let test = sourced.simulated.names(&[subject.test]);
            assert_eq!(patient.test, test);
            format!("{test} in {}", files.join(" "))
        }
        Err(why) => why,
    }
}

#[test]
fn only_what_can_be_repaired_is_begun() {
    fn details(stored: &mut StoredRun, change: impl FnOnce(&mut Level, &mut Cause)) {
        match &mut stored.document.findings[0].details {
            Details::ImplementationDependent { level, cause, .. } => change(level, cause),
            other => panic!("{other:?}"),
        }
    }
    let begins = "p.ATest#a in m1/src/test/java/p/ATest.java";
    assert_eq!(begun(false, |_| {}), begins);
    let full = |stored: &mut StoredRun| details(stored, |level, _| *level = Level::Full);
    assert!(begun(false, full).starts_with("it fails only if an unchanged collection changes its order"));
    assert_eq!(begun(true, full), begins);
    let unknown = |stored: &mut StoredRun| {
        details(stored, |_, cause| {
            cause.status = CauseStatus::NotFound;
            cause.reason = Some("time ran out".to_owned());
        });
    };
    assert_eq!(begun(true, unknown), "its cause is not known: time ran out");
    let hashes = |stored: &mut StoredRun| {
        details(stored, |_, cause| {
            cause.choices[0].api = "Object.hashCode".to_owned()
        });
    };
    let why = "it depends on identity hashes, and no single call is to blame";
    assert_eq!(begun(true, hashes), why);
    // One call beside the hashes can be blamed.
    let both = |stored: &mut StoredRun| {
        details(stored, |_, cause| {
            let mut hashes = cause.choices[0].clone();
            hashes.api = "Object.hashCode".to_owned();
            cause.choices.push(hashes);
        });
    };
    assert_eq!(begun(false, both), begins);
    let why = "it fails only when the build tool runs it";
    assert_eq!(begun(true, |stored| stored.replays.clear()), why);
    let no_launch = |stored: &mut StoredRun| {
        stored
            .replays
            .values_mut()
            .for_each(|replay| replay.launch = None);
    };
    assert_eq!(begun(true, no_launch), why);
}

#[test]
fn the_lines_of_a_choice_count_as_well_as_that_of_the_failure() {
    let project = tempfile::tempdir().unwrap();
    for file in ["A.java", "B.java", "C.java"] {
        fs::write(project.path().join(file), "class X {}").unwrap();
    }
    let place = |file: &str| SourcePlace {
        file: file.to_owned(),
        line: 1,
        method: "p.A.a".to_owned(),
    };
    let explained = simulated("p.ATest#a chooses HashMap.keySet 3; fails reordered 1").stored();
    let Details::ImplementationDependent { cause, .. } = &explained.document.findings[0].details else {
        panic!("{:?}", explained.document.findings)
    };
    let mut choice = cause.choices[0].clone();
    choice.call = Some(place("B.java"));
    choice.allocation = Some(place("A.java"));
    let cause = Cause {
        choices: vec![choice],
        failed_at: vec![place("C.java")],
        ..Cause::default()
    };
    let files = look_at_sources(&cause, false, &ProjectSources::new(project.path()));
    assert_eq!(files.unwrap(), ["A.java", "B.java", "C.java"]);
}
