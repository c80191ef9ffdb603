//! Bad input: one clear message, an exit code, nothing of the user's lost or changed.

use crate::run::{Place, check};

const POM: &str = "<project><modelVersion>4.0.0</modelVersion></project>";

/// A project that is never built, since something is wrong before that.
fn project() -> Place {
    Place::new().file("project/pom.xml", POM)
}

fn with_settings(text: &str) -> Place {
    project().file("project/unflake.toml", text)
}

#[test]
fn unknown_options_commands_and_values_name_the_nearest() {
    let place = Place::new();
    check(
        &place,
        "check --levl one",
        "error: unknown option `--levl`\nhint: did you mean `--level`?\nexit 2\n",
    );
    check(
        &place,
        "check --level fll",
        "error: unknown value `fll` for `--level`\nhint: did you mean `full`? use one of one, eq, id, full\nexit 2\n",
    );
    check(
        &place,
        "chek",
        "error: unknown command `chek`\nhint: did you mean `check`?\nexit 2\n",
    );
    check(
        &place,
        "check --level",
        "error: `--level` needs a value\nhint: use one of one, eq, id, full\nexit 2\n",
    );
    check(
        &place,
        "check --format sarif",
        "error: wrong value `sarif` for `--format`\ncaused by: unknown format `sarif`; use one of text, json\nexit 2\n",
    );
    check(
        &place,
        "check --rounds 0",
        "error: wrong value `0` for `--rounds`\ncaused by: `0` is not a number from 1 on\nexit 2\n",
    );
    check(
        &place,
        "check --budget 5",
        "error: wrong value `5` for `--budget`\n\
         caused by: `5` is not a duration; write it like `90s`, `5m` or `1h30m`\nexit 2\n",
    );
    check(
        &place,
        "check --seed x",
        "error: wrong value `x` for `--seed`\n\
         caused by: `x` is not a seed; write a number below 2^48, or `last`\nexit 2\n",
    );
    check(
        &place,
        "check --quiet --verbose",
        "error: `--quiet` and `--verbose` cannot be used together\nhint: leave one out\nexit 2\n",
    );
    check(
        &place,
        "replay",
        "error: `<FINDING>` is missing\nhint: `--help` after the command lists its options\nexit 2\n",
    );
    check(
        &place,
        "replay A#b --choices 3-1",
        "error: wrong value `3-1` for `--choices`\ncaused by: `3-1` ends before it begins\nexit 2\n",
    );
    check(
        &place,
        "replay A#b --stop",
        "error: `--jdwp` is missing\nhint: `--help` after the command lists its options\nexit 2\n",
    );
    check(
        &place,
        "explore",
        "error: `<TEST>` is missing\nhint: `--help` after the command lists its options\nexit 2\n",
    );
    check(
        &place,
        "explore A#b --format svg",
        "error: wrong value `svg` for `--format`\n\
         caused by: unknown format `svg`; use one of text, json, html, dot\nexit 2\n",
    );
    check(
        &place,
        "",
        "error: no command\nhint: `unflake check` is a good start; `unflake --help` lists all commands\nexit 2\n",
    );
    check(
        &place,
        "models A.b C.d",
        "error: unexpected argument `C.d`\nhint: `--help` after the command lists its options\nexit 2\n",
    );
    check(
        &place,
        "check --format json --format text",
        "error: two formats cannot both go to the screen\nhint: write one into a file: `--format json=FILE`\nexit 2\n",
    );
}

#[test]
fn the_environment_is_read_and_the_command_line_wins() {
    let place = Place::new().env("UNFLAKE_LEVEL", "fll");
    let unknown = "error: unknown value `fll` for `--level`\nhint: did you mean `full`? use one of one, eq, id, full\nexit 2\n";
    check(&place, "check", unknown);
    let found = place.unflake("check --level one");
    assert!(
        found.starts_with("error: `ROOT/project` is not a project"),
        "{found}"
    );
}

#[test]
fn unknown_apis_name_the_nearest() {
    let place = Place::new();
    let unknown = "error: unknown API `HashMap.keyst`\nhint: did you mean `HashMap.keySet`?\nexit 2\n";
    check(&place, "models HashMap.keyst", unknown);
    check(&place, "explain HashMap.keyst", unknown);
    check(&place, "check --api HashMap.keyst", unknown);
    check(&place, "check --skip-api HashMap.keyst", unknown);
    check(
        &place,
        "explain UF10x1",
        "error: unknown API `UF10x1`\nhint: `unflake models` lists the APIs\nexit 2\n",
    );
    check(
        &place,
        "explain UF119",
        "error: unknown rule `UF119`\nhint: did you mean `UF109`?\nexit 2\n",
    );
}

#[test]
fn not_a_project() {
    let no_project = "error: `ROOT/project` is not a project: there is no pom.xml or build.gradle in it\n\
                      hint: go to the directory with the project's pom.xml or build.gradle, or name it with `-C DIR`\nexit 3\n";
    check(&Place::new(), "check", no_project);
    check(&Place::new(), "check .", no_project);
    check(
        &Place::new(),
        "check -C nowhere",
        "error: there is no directory `nowhere`\n\
         caused by: No such file or directory (os error 2)\n\
         hint: name the project's directory with `-C DIR`\nexit 3\n",
    );
    check(
        &project(),
        "check -C pom.xml",
        "error: `pom.xml` is not a directory\nhint: name the project's directory, not a file in it\nexit 3\n",
    );
    check(
        &project().file("project/src/x", ""),
        "check src",
        "error: `ROOT/project/src` is not a project: there is no pom.xml or build.gradle in it\n\
         hint: try `unflake check -C ROOT/project`\nexit 3\n",
    );
}

#[test]
fn no_jdk() {
    let place = project().program("bin/mvn").path("bin");
    check(
        &place,
        "check",
        "error: there is no JDK: `JAVA_HOME` is not set and there is no `java` on the `PATH`\n\
         hint: install a JDK (on Debian and Ubuntu the package `default-jdk`), or name one with `--java HOME`\nexit 3\n",
    );
    check(
        &place,
        "check --java ROOT/nowhere",
        "error: there is no JDK at `ROOT/nowhere`: it has no `bin/java`\n\
         hint: `unflake doctor` lists the JDKs on this machine\nexit 3\n",
    );
    check(
        &place.program("jre/bin/java"),
        "check --java ROOT/jre",
        "error: `ROOT/jre` is a JRE, but a JDK is needed: it has no `bin/javac`\n\
         hint: install a JDK (on Debian and Ubuntu the package `default-jdk`), or name one with `--java HOME`\nexit 3\n",
    );
}

#[test]
fn no_maven() {
    let place = project().program("bin/java").path("bin");
    check(
        &place,
        "check",
        "error: Maven was not found: there is no `mvn` on the PATH and no `mvnw` in the project\n\
         hint: install Maven, or put its `bin` directory on the PATH\nexit 3\n",
    );
}

#[test]
fn a_broken_unflake_toml_is_told_with_line_and_column() {
    let check = |text: &str, place: &str, rest: &str| {
        check(
            &with_settings(text),
            "check",
            &format!("error: `ROOT/project/unflake.toml` is wrong at line {place}\n{rest}exit 2\n"),
        );
    };
    check(
        "rounds = 3\nlevl = \"one\"\n",
        "2, column 1",
        "caused by: unknown key `levl`\nhint: did you mean `level`?\n",
    );
    check(
        "rounds = \"many\"",
        "1, column 10",
        "caused by: expected a number, found text\n",
    );
    check(
        "\n  rounds = 0",
        "2, column 12",
        "caused by: the number must be positive\n",
    );
    check(
        "level = \"fll\"",
        "1, column 9",
        "caused by: unknown level `fll`; use one of one, eq, id, full\n",
    );
    check(
        "budget = \"5\"",
        "1, column 10",
        "caused by: `5` is not a duration; write it like `90s`, `5m` or `1h30m`\n",
    );
    check(
        "api = [\"Ω\", 3]",
        "1, column 13",
        "caused by: expected text in quotes, found a number\n",
    );
    check(
        "[[model]]\nmethod = \"a.B.c\"\nkind = \"permut\"",
        "3, column 8",
        "caused by: unknown kind `permut`\nhint: did you mean `permute`?\n",
    );
    check(
        "[[model]]\nkind = \"permute\"",
        "1, column 1",
        "caused by: `method` is missing\n",
    );
    check(
        "[[model]]\nmethod = \"a.B.c\"\nkind = \"one-of\"\nvalues = [1]",
        "4, column 10",
        "caused by: at least two values are needed\n",
    );
    check(
        "[model]\nmethod = \"a.B.c\"",
        "1, column 1",
        "caused by: expected tables with two brackets, like `[[model]]`, found a table\n",
    );
    check(
        "[[ignore]]\nreason = \"x\"",
        "1, column 1",
        "caused by: this `[[ignore]]` does not say what to ignore\n\
         hint: add `test`, `api` or `from`, each a pattern with `*`\n",
    );
    check(
        "[[ignore]]\ntest = \"A\"",
        "1, column 1",
        "caused by: `reason` is missing\n",
    );
}

#[test]
fn wrong_settings_for_shared_state_are_told_with_line_and_column() {
    let check = |text: &str, column: usize, rest: &str| {
        check(
            &with_settings(&format!("[pollution]\n{text}\n")),
            "check",
            &format!(
                "error: `ROOT/project/unflake.toml` is wrong at line 2, column {column}\n{rest}exit 2\n"
            ),
        );
    };
    check(
        "exclude_root = \"x\"",
        1,
        "caused by: unknown key `exclude_root`\nhint: did you mean `exclude_roots`?\n",
    );
    check(
        "include_roots = [\"com(\"]",
        17,
        "caused by: `com(`: found open group without closing ')'\n",
    );
    check(
        "exclude_fields = 3",
        18,
        "caused by: expected text in quotes or an array of it, found a number\n",
    );
    check(
        "all_roots = \"yes\"",
        13,
        "caused by: expected `true` or `false`, found text\n",
    );
    check(
        "eager = \"always\"",
        9,
        "caused by: unknown value `always`; use one of off, suite, class, test\n",
    );
    check(
        "capture = \"bodies\"",
        11,
        "caused by: unknown value `bodies`\nhint: use one of whole-test, body, set-ups\n",
    );
    check(
        "directories = true",
        15,
        "caused by: expected text in quotes or an array of it, found true or false\n",
    );
    check("most_objects = 0", 16, "caused by: the number must be positive\n");
    check(
        "most_objects = -5",
        16,
        "caused by: the number must be positive\n",
    );
    check(
        "most_objects = 5_000_000_000",
        16,
        "caused by: the number is too large\n",
    );
    check(
        "most_objects = \"many\"",
        16,
        "caused by: expected a number, found text\n",
    );
    check("most_objects = 1.5", 16, "caused by: the number must be whole\n");
    check(
        "abstraction = [{class = \"a.B\"}]",
        16,
        "caused by: `compare` is missing\n",
    );
    check(
        "abstraction = [{class = \"a.B\", compare = \"c\"}]",
        42,
        "caused by: unknown value `c`\nhint: write `\"nothing\"`, or the fields that count, like `[\"c\"]`\n",
    );
    check(
        "abstraction = [{class = \"a.B\", compare = []}]",
        42,
        "caused by: no field is named\nhint: write `\"nothing\"` if no field counts\n",
    );
    check(
        "abstraction = [{class = \"a.B\", fields = []}]",
        32,
        "caused by: unknown key `fields`\nhint: use one of class, compare\n",
    );
    check(
        "abstraction = \"a.B\"",
        15,
        "caused by: expected tables with two brackets, like `[[pollution.abstraction]]`, found text\n",
    );
}

#[test]
fn unflake_toml_that_is_not_toml_is_told_with_line_and_column() {
    let found = with_settings("rounds = 3\njobs = = 2\n").unflake("check");
    let expected = "error: `ROOT/project/unflake.toml` is wrong at line 2, column 8\ncaused by: ";
    assert!(
        found.starts_with(expected) && found.ends_with("exit 2\n"),
        "{found}"
    );
}

#[test]
fn a_store_that_cannot_be_written_is_named() {
    let place = Place::new().file("file", "");
    check(
        &place,
        "replay k3f9 --store ROOT/file/store",
        "error: cannot read `ROOT/file/store/projects`\n\
         caused by: Not a directory (os error 20)\n\
         hint: name another place for the store with `--store DIR` or `UNFLAKE_STORE`\nexit 3\n",
    );
}

#[test]
fn nothing_to_replay() {
    for command in [
        "replay k3f9",
        "replay A#b --choices 1",
        "debug",
        "debug A#b",
        "explore A#b",
    ] {
        check(
            &project(),
            command,
            "error: there is no stored run of this project\nhint: run `unflake check` first\nexit 3\n",
        );
    }
}
