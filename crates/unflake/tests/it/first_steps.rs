//! Commands that need no project.

use crate::run::{Place, check};

#[test]
fn help_and_version_go_to_standard_output() {
    let place = Place::new();
    check(&place, "--version", "unflake VERSION\nexit 0\n");
    for command in [
        "",
        "check",
        "replay",
        "runs",
        "clean",
        "models",
        "explain",
        "doctor",
        "demo",
        "exec",
        "completions",
    ] {
        let found = place.unflake(&format!("{command} --help"));
        assert!(
            found.contains(&format!(
                "Usage: unflake{}{command}",
                if command.is_empty() { "" } else { " " }
            )),
            "{found}"
        );
        assert!(found.ends_with("exit 0\n"), "{found}");
    }
}

#[test]
fn models_are_listed_and_explained() {
    let place = Place::new();
    let list = place.unflake("models");
    assert!(
        list.lines().any(|line| line.starts_with("HashMap.keySet ")),
        "{list}"
    );
    let one = place.unflake("models hashmap.keyset");
    assert!(
        one.contains("makes no guarantees as to the order of the map"),
        "{one}"
    );
    let several = place.unflake("models Class.getDeclared*");
    assert!(
        several.contains("Class.getDeclaredFields") && several.contains("Class.getDeclaredMethods"),
        "{several}"
    );
}

#[test]
fn rules_are_explained() {
    let found = Place::new().unflake("explain uf101");
    assert!(
        found.starts_with("UF101: implementation-dependent, hash collections\n"),
        "{found}"
    );
    assert!(
        found.contains("unflake: ignore[UF100]") && found.ends_with("exit 0\n"),
        "{found}"
    );
    let repair = "\
Before:

    Map<String, Integer> cart = new HashMap<>();
    assertEquals(\"{pear=2, plum=5}\", cart.toString());

After:

    assertEquals(Map.of(\"pear\", 2, \"plum\", 5), cart);      // in the test
    Map<String, Integer> cart = new LinkedHashMap<>();     // or in the code, if users see it

APIs: HashMap.keySet, ";
    assert!(found.contains(repair), "{found}");
}

#[test]
fn rules_about_state_are_explained() {
    let place = Place::new();
    let found = place.unflake("explain uf401");
    assert!(
        found.starts_with("UF401: a system property is changed\n\nThe test sets or removes"),
        "{found}"
    );
    for part in [
        "Why it is dangerous: ",
        "What to do: ",
        "JUnit 5:\n\n    private final String before = System.getProperty(\"shop.mode\");\n",
        "JUnit 4, all properties at once:\n\n",
        "`// unflake: ignore[UF401] reason`",
        "UF400 covers all rules",
    ] {
        assert!(found.contains(part), "{part}\n{found}");
    }
    let family = place.unflake("explain UF500");
    assert!(
        family.contains("    UF501  victim: fails after another test\n    UF502  brittle: "),
        "{family}"
    );
}

#[test]
fn completions_are_printed() {
    for shell in ["bash", "zsh", "fish"] {
        let found = Place::new().unflake(&format!("completions {shell}"));
        assert!(
            found.contains("unflake") && found.ends_with("exit 0\n"),
            "{found}"
        );
    }
}

#[test]
fn the_demo_is_written_and_overwrites_nothing() {
    let place = Place::new();
    check(
        &place,
        "demo --write-only ROOT/demo",
        "the demo project is in `ROOT/demo`\nexit 0\n",
    );
    check(
        &place,
        "demo --write-only ROOT/demo",
        "error: `ROOT/demo` is not empty\nhint: name a new directory; unflake does not overwrite your files\nexit 2\n",
    );
}

#[test]
fn doctor_says_what_is_missing() {
    let place = Place::new()
        .file("project/unflake.toml", "rounds = 3\nround = 4\n")
        .path("nowhere");
    let found = place.unflake("doctor");
    for line in [
        "no  JDK          error: there is no JDK: `JAVA_HOME` is not set and there is no `java` on the `PATH`",
        "no  build        `ROOT/project` is not a project: there is no pom.xml or build.gradle in it",
        "no  unflake.toml error: `ROOT/project/unflake.toml` is wrong at line 2, column 1",
        "                 caused by: unknown key `round`",
        "                 hint: did you mean `rounds`?",
        "exit 3",
    ] {
        assert!(found.lines().any(|other| other == line), "{line}\n---\n{found}");
    }
    assert!(
        found
            .lines()
            .any(|line| line.starts_with("ok  store        ROOT/store/projects/PROJECT ")),
        "{found}"
    );
}
