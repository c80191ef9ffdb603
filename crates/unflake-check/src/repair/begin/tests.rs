use super::*;
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
