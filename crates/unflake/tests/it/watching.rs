//! What of shared state is looked at and how, as `[pollution]` in `unflake.toml` says it: on projects that are written here.
//!
//! A run of a real build takes seconds, so each project has many cases: its classes say what they are for.

use crate::fixture::Fixture;
use serde_json::Value;

const CHECK: &str = "--only pollution --no-proof";

/// `Class#test path: old → new` of each finding, sorted.
fn changes(document: &Value) -> Vec<String> {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let findings = document["findings"].as_array().unwrap().iter();
    let mut changes: Vec<String> = findings
        .map(|finding| {
            let test = text(finding, "test");
            let test = test.rsplit('.').next().unwrap_or_default();
            let (path, old, new) = (text(finding, "path"), text(finding, "old"), text(finding, "new"));
            format!("{test} {path}: {old} → {new}")
        })
        .collect();
    changes.sort();
    changes
}

fn notes(document: &Value) -> Vec<&str> {
    let notes = document["notes"].as_array().unwrap().iter();
    notes.map(|note| note["message"].as_str().unwrap()).collect()
}

/// A class with static fields that hold much, and one with a field that holds little.
#[test]
fn a_root_that_reaches_too_much_is_refused_and_the_others_are_watched() {
    let project = Fixture::written(&[
        (
            "src/main/java/shop/Large.java",
            "package shop;
            import java.util.*;
            public class Large {
                public static final List<Object> objects = new ArrayList<>();
                public static final List<Object> links = new LinkedList<>();
                public static final List<Object> few = new ArrayList<>();
                static {
                    for (int i = 0; i < 300; i++) {
                        objects.add(new int[] {i});
                        links.add(\"the same\");
                    }
                }
            }",
        ),
        (
            "src/test/java/shop/LargeTest.java",
            "package shop;
            import org.junit.jupiter.api.*;
            class LargeTest {
                @BeforeAll static void load() { Large.few.clear(); }
                @Test void addsAnObject() { Large.objects.add(\"one more\"); }
                @Test void addsALink() { Large.links.add(\"one more\"); }
                @Test void addsToFew() { Large.few.add(\"one more\"); }
            }",
        ),
    ]);
    let all = [
        "LargeTest#addsALink Large.links[300]:  → \"one more\"",
        "LargeTest#addsAnObject Large.objects[300]:  → \"one more\"",
        "LargeTest#addsToFew Large.few[0]:  → \"one more\"",
    ];
    let document = project.check(CHECK);
    assert_eq!(changes(&document), all);
    assert_eq!(notes(&document), Vec::<&str>::new());

    project.write("unflake.toml", "[pollution]\nmost_objects = 100\n");
    let document = project.check(CHECK);
    assert_eq!(changes(&document), [all[2]]);
    let refused = |field: &str| {
        format!(
            "`shop.Large.{field}` is not watched: it reaches more than 100 objects; `most_objects` in `[pollution]` of unflake.toml sets the limit"
        )
    };
    assert_eq!(notes(&document), [refused("links"), refused("objects")]);
}
