//! `unflake fix`: on a fixture whose repaired sources lie beside it, and on projects that it cannot repair.

use crate::fixture::{Fixture, copy};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// The sources of a project, by path.
fn sources(project: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut todo = vec![project.join("src")];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else {
                let name = path.strip_prefix(project).unwrap().to_owned();
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn git(project: &Path, arguments: &[&str]) -> Output {
    let mut command = unflake_runner::command("git", project);
    command
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(arguments);
    command.output().unwrap()
}

/// Compares with the sources beside a fixture, or writes them.
#[track_caller]
fn compare_with_repaired(name: &str, project: &Path) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let repaired = fixtures.join(name).join("repaired");
    if std::env::var_os("UNFLAKE_BLESS").is_some() {
        copy(&project.join("src"), &repaired.join("src"));
    } else {
        assert_eq!(sources(project), sources(&repaired));
    }
}

/// Each as the paper shows it, but for two: JSON is compared strictly and the exception declared, and a comparator is a
/// method reference. The paper's way with a renewed literal (III-C) is one of the unit tests: here a comparison as JSON
/// comes before it.
#[test]
fn the_examples_of_the_dexfix_paper_are_repaired() {
    let fixture = Fixture::new("dexfix");
    let applied = fixture.unflake("fix --safety main --apply --allow-dirty");
    assert_eq!(applied.status.code(), Some(0), "{}", stderr(&applied));
    compare_with_repaired("dexfix", &fixture.project());
}

/// What the patches are, and that applying and reversing them gives the bytes back.
#[test]
fn tests_are_repaired_as_a_maintainer_would() {
    let fixture = Fixture::new("repair");
    let project = fixture.project();
    let before = sources(&project);
    let shown = fixture.unflake("fix --format json");
    assert_eq!(shown.status.code(), Some(0), "{}", stderr(&shown));
    assert_eq!(sources(&project), before, "nothing is touched unless asked");
    let document: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let strategies = |group: &Value| {
        let chosen = group["chosen"].as_u64().unwrap() as usize;
        let candidate = &group["candidates"][chosen];
        assert!(candidate["proof"]["rounds"].as_u64().unwrap() >= 20);
        candidate["strategy"].as_str().unwrap().to_owned()
    };
    let groups = document["repairs"].as_array().unwrap();
    let mut used: Vec<String> = groups.iter().map(strategies).collect();
    used.sort();
    used.dedup();
    let expected = [
        "accepted-values",
        "any-order-matcher",
        "compare-values",
        "compare-values, joined-text",
        "joined-text",
        "json-tree",
        "pick-by-name",
    ];
    assert_eq!(used, expected);

    let applied = fixture.unflake("fix --apply --allow-dirty");
    assert_eq!(applied.status.code(), Some(0), "{}", stderr(&applied));
    compare_with_repaired("repair", &project);

    // Each patch, applied and reversed, gives the bytes back: those in the store, and those of other candidates.
    let mut patches = stored_patches(&fixture.store().join("projects"));
    assert_eq!(patches.len(), groups.len());
    let candidates = groups
        .iter()
        .flat_map(|group| group["candidates"].as_array().unwrap());
    for (number, candidate) in candidates.enumerate() {
        let path = fixture.root().join(format!("{number}.patch"));
        fs::write(&path, candidate["patch"].as_str().unwrap()).unwrap();
        patches.push(path);
    }
    assert!(patches.len() > 2 * groups.len(), "some have another candidate");
    apply_and_reverse(&patches, "repair");
}

/// Each patch, applied and reversed, gives the bytes back.
fn apply_and_reverse(patches: &[PathBuf], name: &str) {
    let original = Fixture::new(name);
    let original = original.project();
    let before = sources(&original);
    git(&original, &["init", "-q"]);
    for patch in patches {
        for direction in [&["apply"][..], &["apply", "-R"]] {
            let done = git(&original, &[direction, &[patch.to_str().unwrap()]].concat());
            assert!(done.status.success(), "{}: {}", patch.display(), stderr(&done));
            assert_eq!(sources(&original) == before, direction.len() == 2);
        }
    }
}

/// Three of the polluters of the next test, which takes minutes.
#[test]
fn polluters_put_state_back() {
    let fixture = Fixture::new("repair-state");
    let tests = "-Dtest=AFirstTest,BasketTest,DoorTest,LocaleTest";
    let checked = fixture.unflake(&format!("check --only pollution --seed 7 -- {tests}"));
    assert_eq!(checked.status.code(), Some(1), "{}", stderr(&checked));
    let fixed = fixture.unflake(&format!("fix --apply --allow-dirty --format json -- {tests}"));
    assert_eq!(fixed.status.code(), Some(0), "{}", stderr(&fixed));
    let repaired = [
        ("BasketTest", "Basket.ITEMS.clear();"),
        ("DoorTest", "Door.open = false;"),
        ("LocaleTest", "Locale.setDefault("),
    ];
    let texts = sources(&fixture.project());
    for (class, line) in repaired {
        let is_it = |(path, _): &(&PathBuf, &String)| path.ends_with(format!("{class}.java"));
        let (_, text) = texts.iter().find(is_it).unwrap();
        assert!(text.contains(line), "{text}");
    }
}

/// Polluters of many kinds, with victims in one class that the build runs before them, and two that are refused.
#[test]
#[ignore = "it takes minutes; `cargo xtask nightly` runs it"]
fn polluters_put_state_back_as_a_maintainer_would() {
    let fixture = Fixture::new("repair-state");
    let project = fixture.project();
    let before = sources(&project);
    // The seed gives the search for victims all the time that it needs.
    let checked = fixture.unflake("check --only pollution --seed 7");
    assert_eq!(checked.status.code(), Some(1), "{}", stderr(&checked));
    let fixed = fixture.unflake("fix --apply --allow-dirty --format json");
    assert_eq!(fixed.status.code(), Some(1), "{}", stderr(&fixed));
    let document: Value = serde_json::from_slice(&fixed.stdout).unwrap();

    let mut chosen = BTreeMap::new();
    for group in document["repairs"].as_array().unwrap() {
        let candidate = &group["candidates"][group["chosen"].as_u64().unwrap() as usize];
        assert!(candidate["proof"]["orders"].as_u64().unwrap() >= 8, "{candidate}");
        assert_eq!(candidate["safety"], "test");
        let why = candidate["why"].as_str().unwrap().to_owned();
        chosen.insert(why, candidate["strategy"].as_str().unwrap().to_owned());
    }
    let expected = [
        "call `Registry.reset()` after each test of `RegistryTest`",
        "clear `Basket.ITEMS` after each test of `BasketTest`",
        "clear the property `shop.currency` after each test of `CurrencyTest`",
        "clear the property `shop.session` after all tests of `SessionTest`",
        "put `Discount.percent` back after each test of `DiscountTest`",
        "put `Locale.getDefault()` back after each test of `LocaleTest`",
        "put `Mode.rounding` back after each test of `ModeTest`",
        "put `TimeZone.getDefault()` back after each test of `OldStyleTest`",
        "set `Door.open` back to `false` after all tests of `DoorTest`",
        "set `Mode.strict` back to `false` after each test of `ModeTest`",
        "set `Shop.open` back to `false` after each test of `ShopTest`",
    ];
    assert_eq!(chosen.keys().collect::<Vec<_>>(), expected);
    assert!(chosen.values().all(|strategy| strategy == "clean-up"));

    let reason = |kind: &str, test: &str| {
        let findings = document["findings"].as_array().unwrap();
        let is_it = |finding: &&Value| finding["kind"] == kind && finding["test"] == test;
        let finding = findings
            .iter()
            .find(is_it)
            .unwrap_or_else(|| panic!("{kind} {test}"));
        finding["repair"]["reason"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        reason("polluter", "shop.LightTest#switchesOn"),
        "with the patch, `shop.NightTest#onlyPassesWithLight` fails in the order of the build: it needs what the \
         polluter leaves behind, and must get a set-up of its own first"
    );
    assert_eq!(
        reason("victim", "shop.AFirstTest#visitIsTheFirst"),
        "its polluter `shop.VisitsTest#visitsAreCounted` is not repaired: the code has no way of its own to put \
         `Visits.count` back"
    );

    compare_with_repaired("repair-state", &project);
    assert_ne!(sources(&project), before);
    let patches = stored_patches(&fixture.store().join("projects"));
    assert_eq!(patches.len(), chosen.len());
    apply_and_reverse(&patches, "repair-state");
}

/// The files of patches below a folder.
fn stored_patches(folder: &Path) -> Vec<PathBuf> {
    let mut patches = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|end| end == "patch") {
                patches.push(path);
            }
        }
    }
    patches
}

#[test]
fn patches_do_not_mix_with_changes_that_nobody_committed() {
    let fixture = Fixture::new("repair");
    let refused = fixture.unflake("fix --apply");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("is not under version control"),
        "{}",
        stderr(&refused)
    );
    git(&fixture.project(), &["init", "-q"]);
    let refused = fixture.unflake("fix --apply");
    assert!(
        stderr(&refused).contains("has changes that are not committed"),
        "{}",
        stderr(&refused)
    );
    let refused = fixture.unflake("fix --interactive");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("needs a terminal"),
        "{}",
        stderr(&refused)
    );
}

/// A test of one class.
fn written(body: &str) -> Fixture {
    let imports = "import static org.junit.jupiter.api.Assertions.*;\nimport java.util.*;\nimport org.junit.jupiter.api.Test;";
    let text = format!("package p;\n\n{imports}\n\nclass OneTest {{\n{body}\n}}\n");
    Fixture::written(&[("src/test/java/p/OneTest.java", &text)])
}

/// What is said of the only finding, and the exit code.
fn reason(output: &Output) -> (String, Option<i32>) {
    let document: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)));
    let findings = document["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1);
    let reason = findings[0]["repair"]["reason"].as_str().unwrap_or_default();
    (reason.to_owned(), output.status.code())
}

#[test]
fn what_cannot_be_repaired_is_told_with_the_reason() {
    let hashed = "    @Test void a() {\n        \
                  int order = 0;\n        \
                  for (String name : new HashSet<>(Arrays.asList(\"b\", \"a\"))) { order = order * 31 + name.hashCode(); }\n        \
                  assertEquals(3105, order);\n    }";
    let fixture = written(hashed);
    let fixed = fixture.unflake("fix --format json");
    let (why, code) = reason(&fixed);
    assert_eq!(code, Some(1));
    // In test code only the collection itself can be made another one, and then the number is right by its order.
    assert!(why.contains("cannot be renewed"), "{why}");
    let document: Value = serde_json::from_slice(&fixed.stdout).unwrap();
    let [group] = &document["repairs"].as_array().unwrap()[..] else {
        panic!("there is one suggestion: {document}");
    };
    let suggested = &group["candidates"][0];
    assert!(
        group["chosen"].is_null() && suggested["safety"] == "suggestion",
        "{group}"
    );
    assert_eq!(document["findings"][0]["repair"]["repair"], group["id"]);
    let patch = suggested["patch"].as_str().unwrap();
    assert!(patch.contains("+        assertEquals(3135, order);"), "{patch}");
    assert_eq!(stored_patches(&fixture.store().join("projects")).len(), 0);

    let changed = written(
        "    @Test void a() {\n        assertEquals(\"[a, b]\", new HashSet<>(Arrays.asList(\"b\", \"a\")).toString());\n    }",
    );
    assert_eq!(changed.unflake("check").status.code(), Some(1));
    let file = changed.project().join("src/test/java/p/OneTest.java");
    let text = fs::read_to_string(&file).unwrap();
    // What is compared is what the class shows, not when the file was written, be it earlier or later.
    let hour = std::time::Duration::from_secs(3600);
    let compiled = fs::metadata(&file).unwrap().modified().unwrap();
    let write = |text: String, time: std::time::SystemTime| {
        fs::write(&file, text).unwrap();
        let file = fs::File::options().write(true).open(&file).unwrap();
        file.set_modified(time).unwrap();
    };
    write(
        text.replace("package p;", "package p; // edited"),
        compiled + hour,
    );
    assert_eq!(
        reason(&changed.unflake("fix --format json")),
        (String::new(), Some(0))
    );
    for edited in [
        text.replace("    @Test", "\n    @Test"),
        text.replace("[a, b]", "[b, a]"),
        text.replace("void a()", "void b() {}\n    void a()"),
    ] {
        write(edited, compiled - hour);
        let (why, code) = reason(&changed.unflake("fix --format json"));
        assert_eq!(code, Some(1));
        let file = "`src/test/java/p/OneTest.java` is not what its class was compiled from: ";
        assert!(why.starts_with(file), "{why}");
        assert!(why.ends_with(" differs; run `unflake check` again"), "{why}");
    }

    fs::write(&file, "package p;\nclass OneTest { void a() { int = ; } }\n").unwrap();
    let (why, _) = reason(&changed.unflake("fix --format json"));
    assert!(why.contains("cannot be parsed at line 2"), "{why}");
    fs::write(&file, text.replace("new HashSet<>", "new NoSuchSet<>")).unwrap();
    let (why, _) = reason(&changed.unflake("fix --format json"));
    let cannot = "`src/test/java/p/OneTest.java` cannot be compiled alone: line 9: cannot find symbol";
    assert_eq!(why, cannot);
    fs::remove_file(&file).unwrap();
    let (why, _) = reason(&changed.unflake("fix --format json"));
    assert!(why.contains("was not found"), "{why}");
}

#[test]
fn a_project_that_does_not_compile_is_not_repaired() {
    let fixture = written("    @Test void a() { int = ; }");
    let refused = fixture.unflake("fix");
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    let told = stderr(&refused);
    assert!(told.contains("error: the build fails: `mvn "), "{told}");
    assert!(told.contains("OneTest.java"), "{told}");
}

#[test]
fn generated_sources_and_files_that_cannot_be_written_stay_as_they_are() {
    const COMPARED: &str = "assertEquals(\"[a, b]\", new HashSet<>(Arrays.asList(\"b\", \"a\")).toString());";
    let fixture = written(&format!("    @Test void a() {{\n        {COMPARED}\n    }}"));
    let one = fixture.project().join("src/test/java/p/OneTest.java");
    let text = fs::read_to_string(&one).unwrap();
    let two = fixture.project().join("src/test/java/p/TwoTest.java");
    fs::write(&two, text.replace("class OneTest", "class TwoTest")).unwrap();
    fs::write(&one, text.replace("class OneTest", "@Generated\nclass OneTest")).unwrap();
    fixture.write(
        "src/test/java/p/Generated.java",
        "package p;\n@interface Generated {}\n",
    );
    fixture.write(".gitignore", "target/\n");
    let project = fixture.project();
    git(&project, &["init", "-q"]);
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-q", "-m", "all"]);
    let before = sources(&project);

    let set_readonly = |is_readonly: bool| {
        let mut permissions = fs::metadata(&two).unwrap().permissions();
        permissions.set_readonly(is_readonly);
        fs::set_permissions(&two, permissions).unwrap();
    };
    set_readonly(true);
    let refused = fixture.unflake("fix --apply --all");
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    assert!(
        stderr(&refused).contains("error: cannot write `"),
        "{}",
        stderr(&refused)
    );
    assert!(
        stderr(&refused).contains("hint: nothing was changed"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(sources(&project), before);
    set_readonly(false);

    // Unless it is asked for, what a generator writes is left to the generator.
    let applied = fixture.unflake("fix --apply");
    assert_eq!(applied.status.code(), Some(1), "{}", stderr(&applied));
    let said = String::from_utf8_lossy(&applied.stdout).into_owned();
    assert!(
        said.contains("`src/test/java/p/OneTest.java` is generated; name the finding"),
        "{said}"
    );
    let changed = git(&project, &["status", "--porcelain"]).stdout;
    assert_eq!(
        String::from_utf8_lossy(&changed),
        " M src/test/java/p/TwoTest.java\n"
    );
}
