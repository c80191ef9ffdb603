use crate::text::samples::*;
use crate::text::tests::{document, plain, test};
use unflake_findings::Finding;

fn shown(findings: Vec<Finding>, verbose: bool) -> String {
    let ids: Vec<String> = findings.iter().map(|finding| finding.id.to_string()).collect();
    let mut text = plain(&document(findings), verbose);
    for (n, id) in ids.iter().enumerate() {
        text = text.replace(id, &format!("ID-{n}"));
    }
    let end = text.find("\n\n").map_or(text.len(), |end| end + 1);
    match verbose {
        true => text,
        false => text[..end].to_owned(),
    }
}

#[test]
fn a_victim_has_its_polluter_state_cleaners_and_order() {
    let mut one = victim(&["a.PTest#p", "a.VTest#v"], "expected: <3>\nbut was: <7>");
    let victim = victim_of(&mut one);
    victim.state = Some("P.x: 3 → 7".to_owned());
    victim.polluters.extend(["a.PTest#q", "a.PTest#r"].map(test));
    victim.cleaners = ["c", "d", "e", "f", "g"]
        .map(|name| test(&format!("a.CTest#{name}")))
        .to_vec();
    assert_eq!(
        shown(vec![one], false),
        "\
error a.VTest#v fails after a.PTest#p and passes without it
    failure  AssertionFailedError: expected: <3>
             but was: <7>
    state    P.x: 3 → 7
    also     fails after a.PTest#q or a.PTest#r
    cleaners passes again with a.CTest#c, a.CTest#d, a.CTest#e or 2 others in between
    order    1. a.PTest#p
             2. a.VTest#v ✗
    rule     UF501; `unflake explain UF501` says how to repair it
    repeat   unflake replay ID-0
"
    );
}

#[test]
fn victims_are_grouped_by_their_polluter() {
    let findings: Vec<Finding> = (0..8)
        .map(|n| victim(&["a.PTest#p", &format!("a.VTest#v{n}")], "no"))
        .chain([victim(&["a.QTest#q", "a.WTest#w"], "no")])
        .collect();
    let short = shown(findings.clone(), false);
    assert!(
        short.starts_with(
            "error 8 tests fail after a.PTest#p and pass without it\n    test     a.VTest#v0\n    failure  "
        ),
        "{short}"
    );
    assert!(
        short.ends_with(
            "    others   ID-1  a.VTest#v1  AssertionFailedError: no\n             ID-2  a.VTest#v2  \
             AssertionFailedError: no\n             ID-3  a.VTest#v3  AssertionFailedError: no\n             \
             ID-4  a.VTest#v4  AssertionFailedError: no\n             … and 3 more; `-v` lists them\n"
        ),
        "{short}"
    );
    let long = shown(findings, true);
    assert_eq!(long.matches("repeat   ").count(), 9);
    assert!(
        long.contains("error a.WTest#w fails after a.QTest#q and passes without it\n"),
        "{long}"
    );
    assert!(long.contains("\n9 victims: 9 errors\n"), "{long}");
}

#[test]
fn a_test_may_be_its_own_victim_and_an_order_longer_than_two() {
    let itself = shown(vec![victim(&["a.VTest#v", "a.VTest#v"], "no")], false);
    assert!(
        itself.starts_with("error a.VTest#v fails when it runs twice in one JVM\n"),
        "{itself}"
    );
    let names: Vec<String> = (0..30).map(|n| format!("a.VTest#v{n}")).collect();
    let order: Vec<&str> = names.iter().map(String::as_str).collect();
    let long = shown(vec![victim(&order, "no")], false);
    assert!(
        long.starts_with("error a.VTest#v29 fails after several other tests together\n"),
        "{long}"
    );
    assert!(
        long.contains("    order     1. a.VTest#v0\n")
            && long.contains("            10. a.VTest#v9\n             … 19 tests; `-v` lists them\n")
            && long.contains("             30. a.VTest#v29 ✗\n"),
        "{long}"
    );
    let all = shown(vec![victim(&order, "no")], true);
    assert!(all.contains("29. a.VTest#v28\n"), "{all}");
}

#[test]
fn a_brittle_test_has_its_setter() {
    assert_eq!(
        shown(vec![brittle("a.STest#s", "a.BTest#b", "not set")], false),
        "\
error a.BTest#b passes only after a.STest#s
    failure  AssertionFailedError: not set
    order    1. a.STest#s
             2. a.BTest#b ✓ (and ✗ alone)
    rule     UF502; `unflake explain UF502` says how to repair it
    repeat   unflake replay ID-0
"
    );
}
